// The commands, one function each; its file has the same name. Only the registry calls
// them, once, to collect their declarations.
#pragma once

#include "cli/framework/command.h"

namespace teamster::cli::commands {

Command team_create();
Command team_join();
Command team_leave();
Command team_list();
Command team_status();
Command team_delete();
Command team_cleanup();

Command message_send();
Command message_broadcast();
Command message_inbox();
Command message_wait();
Command message_ack();
Command message_receipt();

Command task_create();
Command task_list();
Command task_get();
Command task_claim();
Command task_update();

Command agent_start();
Command agent_say();
Command agent_list();
Command agent_stop();
Command agent_attach();
Command agent_drivers();

Command init();
Command run_workflow();
Command resume();
Command rehearse();
Command cancel();
Command status();
Command watch();
Command report();
Command replay();
Command retro();

Command inbox();
Command question_answer();
Command question_approve();
Command question_reject();

Command workflow_list();
Command workflow_show();
Command workflow_validate();
Command workflow_graph();

Command verify_manifest();

Command skills_list();
Command skills_show();
Command skills_validate();
Command skills_route();

Command keeper();
Command complete();

Command log();
Command doctor();
Command gc();
Command hub();
Command mcp();
Command completion();
Command help();

}  // namespace teamster::cli::commands

// TeamTools: the tools of one member of one team, on the hub. The process holds that member's
// token and names team and member in every request, so it can act as nobody else. Calls run
// side by side; results come from the loop. Owned by the server; borrows the world.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "env/world.h"
#include "mcp/report_box.h"
#include "mcp/tools.h"
#include "protocol/client/client.h"
#include "protocol/client/home.h"
#include "skills/catalogue.h"
#include "skills/places.h"

namespace teamster::mcp {

struct TeamToolsOptions {
  std::string team = {};
  std::string member = {};
  // Empty: the one in the member's directory.
  std::string token_file = {};
  // The member's host injects messages: read_inbox shows only what it has delivered.
  bool host_delivers = false;
  // Every result brings the messages that are queued for the member.
  bool delivers = false;
  skills::Places skill_places = {};
};

class TeamTools : public Tools {
 public:
  TeamTools(const env::World& world, const hub::Home& home, TeamToolsOptions options);
  ~TeamTools() override;

  const std::vector<Tool>& list() const override { return list_; }
  std::string instructions() const override;
  void call(const std::string& name, Json arguments, Done done) override;
  void begin_calls() override { client_.hold(); }
  void end_calls() override { client_.release(); }

 private:
  // Takes the result of a tool, before deliveries are added.
  using Finish = Done;
  using Run = void (TeamTools::*)(Json arguments, const Finish& finish);
  struct Entry {
    const char* name;
    Run run;
  };
  static const Entry kEntries[];

  void send_message(Json arguments, const Finish& finish);
  void read_inbox(Json arguments, const Finish& finish);
  void ask(Json arguments, const Finish& finish);
  void list_members(Json arguments, const Finish& finish);
  void create_task(Json arguments, const Finish& finish);
  void list_tasks(Json arguments, const Finish& finish);
  void get_task(Json arguments, const Finish& finish);
  void claim_task(Json arguments, const Finish& finish);
  void update_task(Json arguments, const Finish& finish);
  void report(Json arguments, const Finish& finish);
  void read_skill(Json arguments, const Finish& finish);
  Result<ToolResult> skill_or_resource(const Json& arguments) const;
  ToolResult list_of_skills() const;

  // Asks the hub; `then` gets the answer, a failure finishes the call.
  template <class Call, class Then>
  void ask_hub(Call call, const Finish& finish, Then then);
  // The same with the answer as the hub gave it.
  template <class Call, class Then>
  void ask_for_document(Call call, const Finish& finish, Then then);
  // The hub's answer as it is becomes the result.
  template <class Call>
  void pass_on(Call call, const Finish& finish);
  void send_question(const std::string& to, const Json& question, const Finish& finish);
  // Marks the message that a call refers to, if it does, and finishes with the answer.
  void finish_reply(Json answer, std::optional<MessageId> in_reply_to, const Finish& finish);
  void write_report(Json& arguments, const Finish& finish);
  void call_and_deliver(Run run, Json arguments, Done done);
  // What the agent was shown is seen when it comes back.
  void mark_seen();

  env::World world_;
  TeamToolsOptions options_;
  const skills::Catalogue skills_;
  std::vector<Tool> list_;
  hub::Client client_;
  ReportBox report_box_;
  std::vector<MessageId> shown_;  // messages in results since the last call
  bool is_identity_proven_;
};

}  // namespace teamster::mcp

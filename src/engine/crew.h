// Crew: the agents of a run: teams made and ended, members started, prompts said and their answers
// brought back, when they are in the hub's journal; from there, too, when an engine has died
// meanwhile. Beneath it are the same hosted members that `teamster agent start` runs. Owned by
// RunEffects; on its loop.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/hosted_member.h"
#include "base/result.h"
#include "engine/active_teams.h"
#include "engine/effects.h"
#include "engine/item_tasks.h"
#include "engine/native_members.h"
#include "env/later.h"
#include "env/world.h"
#include "protocol/client/calls.h"
#include "protocol/client/home.h"
#include "protocol/client/team_calls.h"
#include "workflow/core/words.h"

namespace teamster::engine {

// How the members of a role are run.
using MemberOptionsOf =
    std::function<Result<agent::MemberOptions>(const workflow::Role& role, const std::string& member)>;

struct CrewOptions {
  const workflow::Pinned& pinned;
  MemberOptionsOf member_options;
  std::function<void(const std::string& member, const std::string& text)> on_note;
  // A member's turn has begun; where faults strike.
  std::function<void(const std::string& member, const std::string& step_id, std::int64_t pid)> on_turn;
  // The text of a skill, as members find it.
  std::function<Result<std::string>(const std::string& name)> skill_text = {};
  // A turn that no step has asked for, but a message or the agent itself: it begins, and has ended.
  std::function<void(const std::string& member, const workflow::Role& role)> on_side_turn =
      [](const std::string&, const workflow::Role&) {};
  std::function<void(const std::string& member)> on_side_turn_ended = [](const std::string&) {};
  // What a member does or says in its turn.
  std::function<void(const std::string& member, const agent::Activity&)> on_activity = [](const std::string&,
                                                                                          const agent::Activity&) {};
  std::string project = {};  // whose teams they are
};

class Crew {
 public:
  using Settle = Effects::Settle;

  Crew(const env::World& world, hub::Client& hub, const hub::Home& home, ItemTasks& tasks, CrewOptions options);

  // Where it tells what nobody asked about: that a member between its turns has lost its conversation.
  void on_news(Settle news) { news_ = std::move(news); }

  void make_team(const Effect& effect, const Settle& settle);
  // Asks every member to shut down, ends those that do not answer, deletes the team.
  // `settles_in` says how long to wait before that last step.
  using SettlesIn = std::function<Duration()>;
  void end_team(const Effect& effect, const Settle& settle, const SettlesIn& settles_in);
  void say(const Effect& effect, const Settle& settle);
  // Ends a member that nobody will ask any more, when it has nothing left to do.
  void retire(const Effect& effect, const Settle& settle);
  // Tells a member what was answered to its question.
  void reply(const Effect& effect, const Settle& settle);
  // The journal of the run has a member's question.
  void recorded(const workflow::event::Asked& asked) { natives_.recorded(asked.message); }
  // While it waits for an answer, the limit of its turn stands still.
  void hold_limit(const std::string& member);
  void go_on_with_limit(const std::string& member);
  // Of the member's agent; 0: no process runs.
  std::int64_t agent_pid(const std::string& member) const;

 private:
  // What names a team of this run among those of all projects.
  std::string ref_of(const std::string& team) const;

  struct Hosted {
    std::string team;
    std::unique_ptr<agent::HostedMember> member;
    bool is_ready = false;
    bool is_leaving = false;  // it is stopped since nobody needs it any more, which is not worth a note
    bool is_gone = false;
    // Its agent is in a conversation in which it was told what it works on; otherwise only a first prompt will do.
    bool knows = false;
    env::Timer limit;  // of the turn it is in
    bool is_over_limit = false;
    bool is_in_side_turn = false;
    Duration limit_left{};  // when it stands still
    Instant limit_since{};
    std::function<void()> over_limit;
    int questions = 0;  // that it waits for
    std::vector<std::function<void(Result<void>)>> waiting;
    std::vector<std::function<void()>> when_gone;
  };

  struct Conversation {
    std::string name = {};  // as of command::Turn
    bool is_new = false;
    bool begins_with_prompt = false;  // what others say to it comes behind
  };
  Result<void> host(const std::string& team, const std::string& name, const std::string& role,
                    const Conversation& conversation);
  void when_ready(const std::string& name, std::function<void(Result<void>)> then);
  void now_ready(const std::string& name);
  void now_gone(const std::string& name, const Result<void>& why);
  void create(const Effect& effect, const Settle& settle, bool may_replace);
  // Of two that make a team at the same time, where the workflow has one at a time, the first has it.
  void unless_rival(const Effect& effect, const Settle& settle);
  void take_or_replace(const Effect& effect, const Settle& settle);
  // Members whose host died with an engine before us: they cannot answer, and would be waited for.
  void end_unhosted(const std::string& team, const std::function<void()>& then);
  bool is_hosted(const std::string& team, const std::string& member) const;
  bool is_of_workflow(const std::string& member) const;
  void shut_down(const Effect& effect, const Settle& settle, const SettlesIn& settles_in);
  std::vector<workflow::event::ForcedMember> forced_members(const hub::ShutDownTeam::Answer& answer) const;
  void start_members(const Effect& effect, const Settle& settle);
  // `then` is told what could not be removed of it; nothing: all is gone.
  void delete_team(const std::string& team, const std::function<void(const std::optional<Error>&)>& then);
  void stop_members(const std::string& team, const std::function<void()>& then);
  // Those of a team that an engine before this one made.
  void seat_natives(const std::string& team, const std::function<void()>& then);
  void say_now(const Effect& effect, const Settle& settle);
  bool must_wait_for_end(const Effect& effect, const Settle& settle);
  void unless_answered(const Effect& effect, const Settle& settle, const std::function<void()>& then);
  void claim_and_ask(const Effect& effect, const Settle& settle);
  void ask(const Effect& effect, const Settle& settle);
  agent::Prompt prompt_of(const Effect& effect, const Hosted& hosted) const;
  void answered(const Effect& effect, const Settle& settle, const agent::TurnResult& result);
  void lost(const Effect& effect, const Settle& settle, const std::string& why);
  void forgot(const std::string& name, const std::string& why);
  void turn_ended(const std::string& name, const agent::TurnResult& result);
  std::string prompt_id(const Effect& effect) const;
  const char* fault_of_gone(const std::string& name) const;
  void limit_turn(const Effect& effect, const Settle& settle);
  void arm_limit(Hosted& hosted);
  void fail_step(const Effect& effect, const Settle& settle, const char* fault, const std::string& error);
  void forget_gone();

  env::World world_;
  hub::Client& hub_;
  hub::Calls calls_;
  env::Later later_;
  const hub::Home& home_;
  CrewOptions options_;
  Settle news_ = [](const workflow::RunEvent&) {};
  std::map<std::string, env::Timer> settling_;  // by team: it is deleted then
  ActiveTeams active_teams_;
  NativeMembers natives_;
  ItemTasks& tasks_;
  std::map<std::string, Hosted> hosted_;
  std::map<std::string, env::Timer> looks_again_;  // by effect: whether its turn has ended
};

}  // namespace teamster::engine

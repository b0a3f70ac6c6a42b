#include "engine/crew.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "agent/record.h"
#include "base/sha256.h"
#include "base/team_ref.h"
#include "base/text.h"
#include "engine/run_setup.h"
#include "engine/team_owner.h"
#include "env/clock.h"
#include "env/loop.h"
#include "env/processes.h"
#include "protocol/client/call.h"
#include "protocol/client/run_calls.h"
#include "protocol/client/team_calls.h"
#include "workflow/core/advice.h"
#include "workflow/core/people.h"
#include "workflow/core/speech_of_others.h"

namespace teamster::engine {
namespace {

using namespace std::chrono_literals;
using workflow::RunEvent;
namespace command = workflow::command;
namespace event = workflow::event;

}  // namespace

Crew::Crew(const env::World& world, hub::Client& hub, const hub::Home& home, ItemTasks& tasks, CrewOptions options)
    : world_(world),
      hub_(hub),
      calls_(hub),
      later_(world.loop),
      home_(home),
      options_(std::move(options)),
      active_teams_(world, hub, [](const char*) { return std::nullopt; }),
      natives_(world, hub, [this](event::Asked asked) { news_(workflow::event_of(std::move(asked))); }),
      tasks_(tasks) {}

std::string Crew::ref_of(const std::string& team) const { return TeamRef::of(team, options_.project).text(); }

void Crew::make_team(const Effect& effect, const Settle& settle) { create(effect, settle, true); }

// The run owns it, and the key is the effect's: after a crash the same request finds the team that it made.
// Its members come back as new epochs then.
void Crew::create(const Effect& effect, const Settle& settle, bool may_replace) {
  const std::string& run = options_.pinned.run;
  hub::CreateTeam create{.team = effect.command.get<command::MakeTeam>().team, .run = run};
  // Those whose agents begin later are on the roster from now on.
  for (const auto& member : effect.command.get<command::MakeTeam>().members)
    if (member.later) create.members.push_back(member.name);
  const std::string key = "team-" + to_hex(sha256(fmt::format("{}/{}", run, effect.command.id())));
  hub::ask(calls_, std::move(create), {.key = key}, [=, this](const Result<hub::CreateTeam::Answer>& made) {
    if (made) return unless_rival(effect, settle);
    if (made.error().code == Code::refused && may_replace) return take_or_replace(effect, settle);
    fail_step(effect, settle, "team", made.error().text());
  });
}

void Crew::unless_rival(const Effect& effect, const Settle& settle) {
  const std::string& run = options_.pinned.run;
  const std::string team = effect.command.get<command::MakeTeam>().team;
  const auto& conditions = options_.pinned.workflow.preconditions;
  const bool is_alone = std::any_of(conditions.begin(), conditions.end(), [](const workflow::Precondition& condition) {
    return condition.kind == workflow::Precondition::Kind::idle;
  });
  if (!is_alone || team == run) return start_members(effect, settle);
  hub::ask(calls_, hub::GetTeamStatus{team}, [=, this](const Result<hub::TeamStatus>& own) {
    if (!own) return fail_step(effect, settle, "team", own.error().text());
    hub::ask(calls_, hub::GetRun{run}, [=, this, made = own->created](const Result<hub::GetRun::Answer>& found) {
      if (!found) return fail_step(effect, settle, "team", found.error().text());
      const ActiveTeams::Place place{.workflow = found->run.workflow,
                                     .project = options_.project,
                                     .except_run = run,
                                     .before = made,
                                     .before_name = team};
      active_teams_.find(place, [=, this](const Result<std::optional<ActiveTeam>>& rival) {
        if (!rival || !*rival) return start_members(effect, settle);
        const std::string why = fmt::format("team {} was made first", (*rival)->team);
        delete_team(team, [=, this](const auto&) { fail_step(effect, settle, "team", why); });
      });
    });
  });
}

// The name is taken: by a team of this run, by one that nobody cares for any more, or by a living one.
void Crew::take_or_replace(const Effect& effect, const Settle& settle) {
  const std::string team = effect.command.get<command::MakeTeam>().team;
  hub::ask(calls_, hub::GetTeamStatus{team}, [=, this](const Result<hub::TeamStatus>& status) {
    if (!status) return create(effect, settle, false);
    if (status->owner && status->owner->run == options_.pinned.run) return start_members(effect, settle);
    if (!status->is_orphan) return fail_step(effect, settle, "team", taken_text(team, status->owner));
    hub::ask(calls_, hub::DeleteTeam{.team = team, .force = true, .only_orphan = true},
             [=, this](const Result<hub::DeleteTeam::Answer>& deleted) {
               if (!deleted) return fail_step(effect, settle, "team", deleted.error().text());
               create(effect, settle, false);
             });
  });
}

void Crew::start_members(const Effect& effect, const Settle& settle) {
  const auto& made = effect.command.get<command::MakeTeam>();
  const std::string team = made.team;
  auto left = std::make_shared<std::size_t>(made.members.size());
  auto failed = std::make_shared<bool>(false);
  const auto finish = [=, this] {
    if (*failed) return;
    settle(event_about(effect.command, event::TeamReady{team}));
  };
  // The run forgets a team that could not be made, so nobody else would end it.
  const auto give_up = [=, this](const Error& why) {
    *failed = true;
    delete_team(team, [=, this](const auto&) { fail_step(effect, settle, "team", why.text()); });
  };
  if (*left == 0) return later_.call(finish);
  for (const auto& member : made.members) {
    if (member.later) {
      later_.call([=] {
        if (!*failed && --*left == 0) finish();
      });
      continue;
    }
    if (member.native) {
      natives_.join(team, member.name, [=, this](const Result<void>& joined) {
        if (*failed) return;
        if (!joined) return give_up(joined.error());
        if (--*left == 0) finish();
      });
      continue;
    }
    if (auto hosted = host(team, member.name, member.role, {}); !hosted) return give_up(hosted.error());
    when_ready(member.name, [=, this](Result<void> ready) {
      if (*failed) return;
      // Not inside the member's own callback.
      if (!ready)
        return later_.call([=, why = ready.error()] {
          if (!*failed) give_up(why);
        });
      if (--*left == 0) finish();
    });
  }
}

Result<void> Crew::host(const std::string& team, const std::string& name, const std::string& role,
                        const Conversation& conversation) {
  forget_gone();
  if (hosted_.count(name) != 0) return {};
  const auto& roles = options_.pinned.workflow.roles;
  const auto found = roles.find(role);
  if (found == roles.end()) return fail(Code::invalid, fmt::format("there is no role {}", role));
  agent::MemberOptions member = TRY(options_.member_options(found->second, name));
  member.team = ref_of(team);
  member.member = name;
  member.fresh = conversation.is_new;
  member.conversation = conversation.name;
  member.begins_with_prompt = conversation.begins_with_prompt;
  member.approves_shutdown = true;
  member.transcript = transcript_file(home_, options_.pinned.run, team, name);
  member.waits_for_host = limits::kRunLease;  // by then an engine that has lost the run knows it
  agent::MemberObserver observer;
  observer.on_note = [this, name](const std::string& text) {
    const auto here = hosted_.find(name);
    if (here == hosted_.end() || !here->second.is_leaving) options_.on_note(name, text);
  };
  observer.on_activity = [this, name](const agent::Activity& activity) { options_.on_activity(name, activity); };
  observer.on_ready = [this, name] { now_ready(name); };
  observer.on_gone = [this, name](const Result<void>& why) { now_gone(name, why); };
  observer.on_turn_began = [this, name, role = &found->second](const std::string& prompt) {
    Hosted& hosted = hosted_.at(name);
    if (!prompt.empty() || std::exchange(hosted.is_in_side_turn, true)) return;
    options_.on_side_turn(name, *role);
  };
  observer.on_turn = [this, name](const agent::TurnResult& result) { turn_ended(name, result); };
  observer.on_conversation_lost = [this, name](const std::string& why) { forgot(name, why); };
  Hosted& entry = hosted_[name];
  entry.team = team;
  entry.member = std::make_unique<agent::HostedMember>(world_, hub_, home_, std::move(member), std::move(observer));
  entry.member->start();
  return {};
}

void Crew::when_ready(const std::string& name, std::function<void(Result<void>)> then) {
  Hosted& hosted = hosted_.at(name);
  if (hosted.is_ready) return later_.call([then] { then({}); });
  hosted.waiting.push_back(std::move(then));
}

void Crew::now_ready(const std::string& name) {
  Hosted& hosted = hosted_.at(name);
  hosted.is_ready = true;
  hosted.knows = hosted.member->has_conversation();
  for (auto& then : std::exchange(hosted.waiting, {})) then({});
}

void Crew::now_gone(const std::string& name, const Result<void>& why) {
  const auto found = hosted_.find(name);
  if (found == hosted_.end()) return;
  found->second.is_ready = false;
  found->second.is_gone = true;
  auto error = why ? Error{Code::failed, fmt::format("member {} is gone", name), ""} : why.error();
  for (auto& then : std::exchange(found->second.waiting, {})) then(fail(error));
  // Not inside its own callback.
  for (auto& then : std::exchange(found->second.when_gone, {})) later_.call(then);
}

// Not inside its own callback.
void Crew::forget_gone() {
  std::erase_if(hosted_, [](const auto& entry) { return entry.second.is_gone; });
}

std::int64_t Crew::agent_pid(const std::string& member) const {
  const auto found = hosted_.find(member);
  return found == hosted_.end() || found->second.is_gone ? 0 : found->second.member->agent_pid();
}

void Crew::end_team(const Effect& effect, const Settle& settle, const SettlesIn& settles_in) {
  end_unhosted(effect.command.get<command::EndTeam>().team, [=, this] { shut_down(effect, settle, settles_in); });
}

bool Crew::is_hosted(const std::string& team, const std::string& member) const {
  if (natives_.has(team, member)) return true;
  const auto ours = hosted_.find(member);
  if (ours != hosted_.end() && ours->second.team == team && !ours->second.is_gone) return true;
  const auto record = agent::Record::load(world_.files, home_.member_directory(ref_of(team), member));
  // Who was never hosted uses the command line, and can answer by itself; unless it is ours, and has never begun.
  if (!record) return !is_of_workflow(member);
  return record->state != "gone" && world_.processes.is_alive(record->host);
}

// By its name: ROLE, or ROLE-1, ROLE-2, … of items.
bool Crew::is_of_workflow(const std::string& member) const {
  const auto& roles = options_.pinned.workflow.roles;
  return std::any_of(roles.begin(), roles.end(), [&](const auto& role) {
    return !role.second.is_native && (member == role.first || member.starts_with(role.first + "-"));
  });
}

void Crew::retire(const Effect& effect, const Settle& settle) {
  const auto& retired = effect.command.get<command::Retire>();
  const std::string reason = "no way of the workflow leads to it any more";
  const RunEvent gone = event_about(effect.command, event::Done{});
  const auto here = hosted_.find(retired.member);
  if (here != hosted_.end() && here->second.team == retired.team && !here->second.is_gone) {
    here->second.when_gone.push_back([settle, gone] { settle(gone); });
    here->second.is_leaving = true;
    return here->second.member->stop_when_idle(reason);
  }
  // It has never begun, or its host has died with an engine before us. Who is gone already is as good.
  hub::LeaveTeam leave{.team = retired.team, .member = retired.member, .reason = reason};
  hub::ask(calls_, std::move(leave), [settle, gone](const Result<hub::LeaveTeam::Answer>&) { settle(gone); });
}

void Crew::end_unhosted(const std::string& team, const std::function<void()>& then) {
  hub::ask(calls_, hub::GetTeamStatus{team}, [=, this](const Result<hub::TeamStatus>& status) {
    if (!status) return then();
    auto left = std::make_shared<std::size_t>(1);
    const auto one_less = [=] {
      if (--*left == 0) then();
    };
    for (const auto& member : status->members) {
      if (!member.is_live || is_hosted(team, member.name)) continue;
      ++*left;
      hub::LeaveTeam leave{.team = team, .member = member.name, .reason = "nobody runs it", .epoch = member.epoch};
      hub::ask(calls_, std::move(leave), [=](const Result<hub::LeaveTeam::Answer>&) { one_less(); });
    }
    one_less();
  });
}

void Crew::shut_down(const Effect& effect, const Settle& settle, const SettlesIn& settles_in) {
  const auto& ended = effect.command.get<command::EndTeam>();
  const std::string team = ended.team;
  const std::string reason = ended.reason.value_or("");
  hub::ShutDownTeam shut_down{.team = team, .reason = reason.empty() ? "the work is done" : reason.substr(0, 200)};
  hub::ask(calls_, std::move(shut_down), {.wait = 15s}, [=, this](const Result<hub::ShutDownTeam::Answer>& answer) {
    event::TeamGone gone{.team = team, .forced = answer ? forced_members(*answer) : std::vector<event::ForcedMember>()};
    settling_[team] = world_.loop.after(settles_in(), [=, this] {
      delete_team(team, [=](const std::optional<Error>& left) {
        event::TeamGone told = gone;
        if (left) told.left = left->text();
        settle(event_about(effect.command, told));
      });
    });
  });
}

// With their processes, which are ended next: whoever looks for one of them later finds it in the journal.
std::vector<event::ForcedMember> Crew::forced_members(const hub::ShutDownTeam::Answer& answer) const {
  std::vector<event::ForcedMember> forced;
  for (const auto& name : answer.forced) {
    forced.push_back({.member = name, .pid = agent_pid(name)});
    for (const auto& rejection : answer.rejected)
      if (rejection.name == name) forced.back().why = rejection.reason;
  }
  return forced;
}

// Its directory goes with it, so its members go first; and their names are free again then.
void Crew::delete_team(const std::string& team, const std::function<void(const std::optional<Error>&)>& then) {
  stop_members(team, [=, this] {
    // A team that is gone already is as good.
    natives_.leave(team);
    hub::ask(calls_, hub::DeleteTeam{.team = team, .force = true},
             [=](const Result<hub::DeleteTeam::Answer>& deleted) { then(deleted ? deleted->left : std::nullopt); });
  });
}

void Crew::stop_members(const std::string& team, const std::function<void()>& then) {
  auto left = std::make_shared<std::size_t>(1);
  const auto one_less = [=] {
    if (--*left == 0) then();
  };
  for (auto& [name, hosted] : hosted_) {
    if (hosted.team != team || hosted.is_gone) continue;
    ++*left;
    hosted.when_gone.push_back(one_less);
    hosted.is_leaving = true;
    hosted.member->stop("the team is over");
  }
  one_less();
}

void Crew::fail_step(const Effect& effect, const Settle& settle, const char* fault, const std::string& error) {
  const RunEvent failed = event_about(effect.command, event::Failed{fault, error});
  later_.call([settle, failed] { settle(failed); });
}

}  // namespace teamster::engine

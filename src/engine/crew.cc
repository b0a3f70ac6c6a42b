#include "engine/crew.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "agent/record.h"
#include "base/sha256.h"
#include "base/text.h"
#include "engine/team_owner.h"
#include "env/clock.h"
#include "env/loop.h"
#include "env/processes.h"
#include "protocol/words/message_kinds.h"
#include "protocol/words/operations.h"
#include "workflow/core/advice.h"
#include "workflow/core/people.h"
#include "workflow/core/speech_of_others.h"

namespace teamster::engine {
namespace {

using namespace std::chrono_literals;
using workflow::RunEvent;
namespace command = workflow::command;
namespace event = workflow::event;

// An answer that carries the mark of another phase was meant for that one.
std::optional<std::string> marker_of_another(const command::Turn& turn, const std::string& text) {
  if (!turn.marker.empty() && text.find(turn.marker) != std::string::npos) return std::nullopt;
  for (const auto& marker : turn.other_markers)
    if (text.find(marker) != std::string::npos) return marker;
  return std::nullopt;
}

event::TurnUsage usage_of(const agent::TurnResult& result) {
  const agent::Usage& used = result.spent;
  return {.input_tokens = used.input_tokens,
          .output_tokens = used.output_tokens,
          .cache_read_tokens = used.cache_read_tokens,
          .cache_write_tokens = used.cache_write_tokens,
          .cost_usd = used.cost_usd,
          .duration_ms = to_ms(result.took)};
}

Json answer_of(const agent::TurnResult& result) {
  if (result.answer.value) return *result.answer.value;
  Json answer = {{"text", result.end.text}};
  if (result.whole_text) {
    answer["text_bytes"] = result.whole_text->bytes;
    answer["text_sha256"] = result.whole_text->sha256;
  }
  return answer;
}

// How a turn ended: the same from an agent of ours and from the journal.
RunEvent outcome_of(const Effect& effect, const agent::TurnResult& result) {
  const auto& turn = effect.command.get<command::Turn>();
  const auto failed = [&](std::string_view fault, std::string error) {
    return event_about(effect.command, event::Failed{.fault = std::string(fault),
                                                     .error = std::move(error),
                                                     .usage = usage_of(result),
                                                     .member = turn.member,
                                                     .restarts = result.restarts});
  };
  if (const auto other = marker_of_another(turn, result.end.text))
    return failed("unusable", fmt::format("the agent answered with {}, the result of another phase", *other));
  if (!result.end.is_good()) return failed(agent::to_string(result.end.fault), result.end.error);
  return event_about(
      effect.command,
      event::Done{
          .answer = answer_of(result), .usage = usage_of(result), .member = turn.member, .restarts = result.restarts});
}

}  // namespace

Crew::Crew(const env::World& world, hub::Client& hub, const hub::Home& home, ItemTasks& tasks, CrewOptions options)
    : world_(world),
      hub_(hub),
      calls_(hub),
      later_(world.loop),
      home_(home),
      options_(std::move(options)),
      natives_(world, hub, [this](event::Asked asked) { news_(workflow::event_of(std::move(asked))); }),
      tasks_(tasks) {}

void Crew::make_team(const Effect& effect, const Settle& settle) { create(effect, settle, true); }

// The run owns it, and the key is the effect's: after a crash the same request finds the team that it made.
// Its members come back as new epochs then.
void Crew::create(const Effect& effect, const Settle& settle, bool may_replace) {
  const std::string& run = options_.pinned.run;
  hub::Request request{"team.create", {{"team", effect.command.get<command::MakeTeam>().team}, {"run", run}}};
  request.key = "team-" + to_hex(sha256(fmt::format("{}/{}", run, effect.command.id())));
  calls_.call(std::move(request), [=, this](const Result<Json>& answer) {
    if (answer) return start_members(effect, settle);
    if (answer.error().code == Code::refused && may_replace) return take_or_replace(effect, settle);
    fail_step(effect, settle, "team", answer.error().text());
  });
}

// The name is taken: by a team of this run, by one that nobody cares for any more, or by a living one.
void Crew::take_or_replace(const Effect& effect, const Settle& settle) {
  const std::string team = effect.command.get<command::MakeTeam>().team;
  calls_.call({"team.status", {{"team", team}}}, [=, this](const Result<Json>& status) {
    if (!status) return create(effect, settle, false);
    if (status->at("owner").is_object() && status->at("owner").value("run", "") == options_.pinned.run)
      return start_members(effect, settle);
    if (!status->value("orphan", false))
      return fail_step(effect, settle, "team", taken_text(team, status->at("owner")));
    calls_.call({"team.delete", {{"team", team}, {"force", true}, {"only_orphan", true}}},
                [=, this](const Result<Json>& deleted) {
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
    delete_team(team, [=, this] { fail_step(effect, settle, "team", why.text()); });
  };
  if (*left == 0) return later_.call(finish);
  for (const auto& member : made.members) {
    if (member.native) {
      natives_.join(team, member.name, [=, this](const Result<void>& joined) {
        if (*failed) return;
        if (!joined) return give_up(joined.error());
        if (--*left == 0) finish();
      });
      continue;
    }
    if (auto hosted = host(team, member.name, member.role, false); !hosted) return give_up(hosted.error());
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

Result<void> Crew::host(const std::string& team, const std::string& name, const std::string& role, bool fresh) {
  forget_gone();
  if (hosted_.count(name) != 0) return {};
  const auto& roles = options_.pinned.workflow.roles;
  const auto found = roles.find(role);
  if (found == roles.end()) return fail(Code::invalid, fmt::format("there is no role {}", role));
  agent::MemberOptions member = TRY(options_.member_options(found->second, name));
  member.team = team;
  member.member = name;
  member.fresh = fresh;
  member.approves_shutdown = true;
  member.waits_for_host = limits::kRunLease;  // by then an engine that has lost the run knows it
  agent::MemberObserver observer;
  observer.on_note = [this, name](const std::string& text) { options_.on_note(name, text); };
  observer.on_ready = [this, name] { now_ready(name); };
  observer.on_gone = [this, name](const Result<void>& why) { now_gone(name, why); };
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

// Under which the journal has the end of the turn.
std::string Crew::prompt_id(const Effect& effect) const { return options_.pinned.run + "/" + effect.command.id(); }

void Crew::say(const Effect& effect, const Settle& settle) {
  if (!effect.again) return say_now(effect, settle);
  unless_answered(effect, settle, [=, this] { say_now(effect, settle); });
}

// The agent of another engine may have answered, well or not: the hub knows.
void Crew::unless_answered(const Effect& effect, const Settle& settle, const std::function<void()>& then) {
  hub::Request request{"turn.get", {{"team", effect.command.get<command::Turn>().team}, {"prompt", prompt_id(effect)}}};
  calls_.call(std::move(request), [=, this](const Result<Json>& answer) {
    if (answer && answer->at("turn").is_object())
      return settle(outcome_of(effect, agent::read_turn(answer->at("turn"))));
    // Without its team it was not answered, and starting its member says why there is none.
    if (answer || answer.error().code == Code::not_found) return then();
    if (answer.error().code == Code::invalid || answer.error().code == Code::refused)
      return fail_step(effect, settle, "failed", answer.error().text());
    // As long as nobody knows, it is not said again.
    looks_again_[effect.command.id()] =
        world_.loop.after(limits::kTellAgainAfter, [=, this] { unless_answered(effect, settle, then); });
  });
}

void Crew::say_now(const Effect& effect, const Settle& settle) {
  const auto& turn = effect.command.get<command::Turn>();
  // Its name may be that of a member for another step, which takes a moment to go.
  if (const auto before = hosted_.find(turn.member);
      before != hosted_.end() && before->second.is_leaving && !before->second.is_gone)
    return before->second.when_gone.push_back([=, this] { say_now(effect, settle); });
  auto hosted = host(turn.team, turn.member, turn.role, turn.temporary && !effect.again);
  if (!hosted) return fail_step(effect, settle, "crashed", hosted.error().text());
  when_ready(turn.member, [=, this](Result<void> ready) {
    if (!ready) return fail_step(effect, settle, "crashed", ready.error().text());
    if (!effect.again) return claim_and_ask(effect, settle);
    // Whoever hosted the member may have brought the turn to its end while it was waited for.
    unless_answered(effect, settle, [=, this] { claim_and_ask(effect, settle); });
  });
}

// The task of an item is its member's while it works on it.
void Crew::claim_and_ask(const Effect& effect, const Settle& settle) {
  const auto& turn = effect.command.get<command::Turn>();
  if (turn.task.empty()) return ask(effect, settle);
  tasks_.claim(turn, effect.command.id(), [=, this] { ask(effect, settle); });
}

void Crew::ask(const Effect& effect, const Settle& settle) {
  const auto& turn = effect.command.get<command::Turn>();
  const auto found = hosted_.find(turn.member);
  if (found == hosted_.end() || found->second.is_gone)
    return fail_step(effect, settle, "crashed", fmt::format("member {} is gone", turn.member));
  Hosted& hosted = found->second;
  if (!turn.first && !hosted.knows) return lost(effect, settle, "its agent began a new conversation");
  hosted.knows = true;
  agent::Prompt prompt;
  prompt.text = turn.prompt;
  prompt.id = prompt_id(effect);
  prompt.goes_back_when_lost = true;
  prompt.mends = false;  // the run's ladder does, and says so in the journal
  if (effect.again)
    prompt.text +=
        "\n\n(You may have begun this before: the program that asked you was restarted. Look at what is there and "
        "do not repeat what is done.)";
  if (!turn.schema.empty()) {
    const std::string* builtin = workflow::builtin_schema(turn.schema);
    auto schema = parse_json(builtin != nullptr ? *builtin : options_.pinned.bundle.at(turn.schema));
    if (schema) prompt.schema = *std::move(schema);
  }
  limit_turn(effect, settle);
  hosted.member->ask(std::move(prompt),
                     [=, this](const agent::TurnResult& result) { answered(effect, settle, result); });
  options_.on_turn(turn.member, effect.command.id(), hosted.member->agent_pid());
}

// The limit is for the turn, not for the hub that records its end.
void Crew::turn_ended(const std::string& name, const agent::TurnResult& result) {
  if (result.prompt.empty()) return;
  Hosted& hosted = hosted_.at(name);
  hosted.limit.reset();
  hosted.over_limit = nullptr;
}

void Crew::answered(const Effect& effect, const Settle& settle, const agent::TurnResult& result) {
  const auto& turn = effect.command.get<command::Turn>();
  if (const auto found = hosted_.find(turn.member); found != hosted_.end()) {
    if (found->second.is_over_limit) return;
    found->second.limit.reset();
  }
  if (result.lost_because) return lost(effect, settle, *result.lost_because);
  const RunEvent outcome = outcome_of(effect, result);
  later_.call([=, this, name = turn.member, is_temporary = turn.temporary] {
    if (const auto found = hosted_.find(name); is_temporary && found != hosted_.end() && !found->second.is_gone) {
      found->second.is_leaving = true;
      found->second.member->stop("its step is done");
    }
    settle(outcome);
  });
}

// The prompt was worded for who knows what was said before: the core words it anew.
void Crew::lost(const Effect& effect, const Settle& settle, const std::string& why) {
  const std::string& name = effect.command.get<command::Turn>().member;
  if (const auto found = hosted_.find(name); found != hosted_.end()) found->second.knows = false;
  later_.call([settle, lost = event_about(effect.command, event::MemberLost{name, why})] { settle(lost); });
}

// Between its turns.
void Crew::forgot(const std::string& name, const std::string& why) {
  Hosted& hosted = hosted_.at(name);
  if (!std::exchange(hosted.knows, false)) return;
  later_.call([this, lost = workflow::event_of(event::MemberLost{name, why})] { news_(lost); });
}

// A turn that takes longer than its phase allows is over; its agent is ended, and comes back with its context when
// it is needed again.
void Crew::limit_turn(const Effect& effect, const Settle& settle) {
  const auto& turn = effect.command.get<command::Turn>();
  const auto limit = std::chrono::milliseconds(turn.limit_ms);
  Hosted& hosted = hosted_.at(turn.member);
  hosted.limit.reset();  // of a turn that was given up
  hosted.over_limit = nullptr;
  if (limit.count() == 0) return;
  hosted.limit_left = limit;
  hosted.over_limit = [=, this, &hosted] {
    hosted.is_over_limit = true;
    hosted.when_gone.push_back([=, this] {
      fail_step(effect, settle, "limit", fmt::format("the turn took longer than {}", describe_duration(limit)));
    });
    hosted.member->stop("its turn took too long");
  };
  arm_limit(hosted);
}

void Crew::arm_limit(Hosted& hosted) {
  if (!hosted.over_limit || hosted.questions > 0) return;
  hosted.limit_since = world_.clock.now();
  hosted.limit = world_.loop.after(hosted.limit_left, [&hosted] { hosted.over_limit(); });
}

void Crew::hold_limit(const std::string& member) {
  const auto found = hosted_.find(member);
  if (found == hosted_.end()) return;
  Hosted& hosted = found->second;
  if (hosted.questions++ > 0 || !hosted.limit) return;
  hosted.limit.reset();
  hosted.limit_left = std::max<Duration>(hosted.limit_left - (world_.clock.now() - hosted.limit_since), Duration(1));
}

void Crew::go_on_with_limit(const std::string& member) {
  const auto found = hosted_.find(member);
  if (found == hosted_.end() || found->second.questions == 0) return;
  if (--found->second.questions == 0) arm_limit(found->second);
}

// As a message of the native member that was asked: the words in it are the person's.
void Crew::reply(const Effect& effect, const Settle& settle) {
  const auto& said = effect.command.get<command::Reply>();
  hub::Request request{operation::kMessageSend,
                       {{"team", said.team}, {"from", workflow::kLead}, {"to", said.member}}};
  request.args["kind"] = message_kind::kAnswer;
  request.args["summary"] = fmt::format("answer to your question {}", said.message);
  request.args["body"] =
      fmt::format("{} answers your question {}:\n{}", said.by, said.message, workflow::fenced(said.by, said.text));
  request.key = "reply-" + to_hex(sha256(fmt::format("{}/{}", options_.pinned.run, effect.command.id())));
  calls_.call(std::move(request), [=, this](const Result<Json>& answer) {
    if (!answer) return fail_step(effect, settle, "failed", answer.error().text());
    settle(event_about(effect.command, event::Done{}));
  });
}

std::int64_t Crew::agent_pid(const std::string& member) const {
  const auto found = hosted_.find(member);
  return found == hosted_.end() || found->second.is_gone ? 0 : found->second.member->agent_pid();
}

void Crew::end_team(const Effect& effect, const Settle& settle) {
  end_unhosted(effect.command.get<command::EndTeam>().team, [=, this] { shut_down(effect, settle); });
}

bool Crew::is_hosted(const std::string& team, const std::string& member) const {
  if (natives_.has(team, member)) return true;
  const auto ours = hosted_.find(member);
  if (ours != hosted_.end() && ours->second.team == team && !ours->second.is_gone) return true;
  const auto record = agent::Record::load(world_.files, home_.member_directory(team, member));
  // Who was never hosted uses the command line, and can answer by itself.
  return !record || (record->state != "gone" && world_.processes.is_alive(record->host));
}

void Crew::end_unhosted(const std::string& team, const std::function<void()>& then) {
  calls_.call({"team.status", {{"team", team}}}, [=, this](const Result<Json>& status) {
    if (!status) return then();
    auto left = std::make_shared<std::size_t>(1);
    const auto one_less = [=](const Result<Json>&) {
      if (--*left == 0) then();
    };
    for (const auto& member : status->at("members")) {
      const auto name = member.at("name").get<std::string>();
      if (member.at("state") != "live" || is_hosted(team, name)) continue;
      ++*left;
      Json args = {{"team", team}, {"member", name}, {"epoch", member.at("epoch")}, {"reason", "its host has died"}};
      calls_.call({"team.leave", std::move(args)}, one_less);
    }
    one_less({});
  });
}

void Crew::shut_down(const Effect& effect, const Settle& settle) {
  const auto& ended = effect.command.get<command::EndTeam>();
  const std::string team = ended.team;
  const std::string reason = ended.reason.value_or("");
  const auto gone = [=] { settle(event_about(effect.command, event::TeamGone{team})); };
  hub::Request request{"team.shutdown",
                       {{"team", team}, {"reason", reason.empty() ? "the work is done" : reason.substr(0, 200)}}};
  request.wait = 15s;
  calls_.call(std::move(request), [=, this](const Result<Json>&) { delete_team(team, gone); });
}

// Its directory goes with it, so its members go first; and their names are free again then.
void Crew::delete_team(const std::string& team, const std::function<void()>& then) {
  stop_members(team, [=, this] {
    // A team that is gone already is as good.
    natives_.leave(team);
    calls_.call({"team.delete", {{"team", team}, {"force", true}}}, [=](const Result<Json>&) { then(); });
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
    hosted.member->stop("the team is over");
  }
  one_less();
}

void Crew::fail_step(const Effect& effect, const Settle& settle, const char* fault, const std::string& error) {
  const RunEvent failed = event_about(effect.command, event::Failed{fault, error});
  later_.call([settle, failed] { settle(failed); });
}

}  // namespace teamster::engine

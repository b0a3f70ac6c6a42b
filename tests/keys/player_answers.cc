// The part of Player for what happens to effects: as the play says, or as well as it can.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "keys/player.h"
#include "project/checklist.h"
#include "project/project.h"
#include "schema/schema.h"
#include "verify/reviewers.h"

namespace teamster::keys {

using workflow::EventBody;
using workflow::RunCommand;
namespace command = workflow::command;
namespace event = workflow::event;

namespace {

// Of a turn of which the play does not say what it has used.
event::TurnUsage usual_usage() {
  return {.input_tokens = 1000, .output_tokens = 100, .cost_usd = 0.25, .duration_ms = 60'000};
}

}  // namespace

std::optional<Json> Player::next_entry(const RunCommand& effect) {
  // A turn of any item, unless the play has one of its own for it.
  const std::string other = effect.is<command::Turn>() ? workflow::phase_of(effect.step) : effect.step;
  for (const auto& name : {effect.step, other}) {
    const auto found = play_.steps.find(name);
    if (found == play_.steps.end() || found->second.empty()) continue;
    const Json entry = found->second.front();
    found->second.erase(found->second.begin());
    return entry;
  }
  return std::nullopt;
}

void Player::answer(const RunCommand& open) {
  const RunCommand effect = open;
  const bool is_played = effect.is<command::Turn>() || effect.is<command::Check>() || effect.is<command::Ask>() ||
                         effect.is<command::MakeTeam>() || effect.is<command::SubRun>() ||
                         effect.is<command::Notify>() || effect.is<command::Commit>();
  const auto entry = is_played ? next_entry(effect) : std::nullopt;
  if (entry) return answer_from_play(effect, *entry);
  answer_by_itself(effect);
}

void Player::answer_from_play(const RunCommand& effect, const Json& said) {
  if (said.contains("$due")) return settle(effect, event::Due{said["$due"]});
  if (said.contains("$asks")) {
    const auto& turn = effect.get<command::Turn>();
    return happens(workflow::event_of(event::Asked{.member = turn.member,
                                                   .team = turn.team,
                                                   .message = ++messages_,
                                                   .text = said["$asks"],
                                                   .reason = said.value("$reason", "")}));
  }
  if (effect.is<command::Turn>()) return turn_done(effect, said);
  if (said.contains("$fails")) return settle(effect, event::Failed{said["$fails"], "it broke"});
  done(effect, said);
}

void Player::turn_done(const RunCommand& effect, const Json& said) {
  const auto& turn = effect.get<command::Turn>();
  auto usage = usual_usage();
  if (const auto used = said.find("$usage"); used != said.end()) {
    usage.input_tokens = used->value("tokens", usage.input_tokens);
    usage.cost_usd = used->value("usd", *usage.cost_usd);
    usage.duration_ms = used->value("ms", *usage.duration_ms);
  }
  const auto strayed = write_as(effect, said.value("$writes", Json::object()));
  if (said.contains("$fails")) {
    event::Failed failed{.fault = said["$fails"], .error = "it broke", .usage = usage, .member = turn.member};
    failed.strayed = strayed;
    return settle(effect, std::move(failed));
  }
  const bool is_plain = std::none_of(said.items().begin(), said.items().end(),
                                     [](const auto& entry) { return entry.key().starts_with('$'); });
  Json answer = is_plain ? said : said.value("$answer", answer_to(effect));
  if (const auto schema = pinned_.bundle.find(turn.schema); schema != pinned_.bundle.end()) {
    const auto compiled = schema::Schema::compile(*parse_json(schema->second));
    EXPECT_TRUE(compiled) << turn.schema;
    if (const auto wrong = compiled->check(answer); !wrong.empty())
      return settle(effect, event::Failed{.fault = "protocol", .error = wrong.front(), .member = turn.member});
  }
  event::Done done{.answer = std::move(answer), .usage = usage, .member = turn.member};
  done.strayed = strayed;
  settle(effect, std::move(done));
}

// The tree is compared as the engine does it; nullopt: nothing was changed that the role may not.
std::optional<event::Strayed> Player::write_as(const RunCommand& effect, const Json& files) {
  if (files.empty()) return std::nullopt;
  const auto role = pinned_.workflow.roles.find(effect.get<command::Turn>().role);
  if (role == pinned_.workflow.roles.end()) return std::nullopt;
  engine::TreeWatch watch(
      view_, [this](const env::World& world, const std::string& project) { return gits_.open(world, project); },
      setup_.project, pinned_.run);
  bool has_begun = false;
  watch.begin(effect.id(), role->second, [&] { has_begun = true; });
  EXPECT_TRUE(world_.run_until([&] { return has_begun; }));
  for (const auto& [path, text] : files.items()) write_file(path, text.get<std::string>());
  std::optional<std::optional<event::Strayed>> strayed;
  watch.end(effect.id(), [&](std::optional<event::Strayed> found) { strayed = std::move(found); });
  EXPECT_TRUE(world_.run_until([&] { return strayed.has_value(); }));
  return *strayed;
}

void Player::answer_by_itself(const RunCommand& effect) {
  if (const auto* team = effect.as<command::MakeTeam>()) return settle(effect, event::TeamReady{team->team});
  if (const auto* team = effect.as<command::EndTeam>()) return settle(effect, event::TeamGone{team->team});
  if (const auto* end = effect.as<command::End>()) return happens({event::Ended{end->status, end->reason}});
  if (const auto* wait = effect.as<command::Wait>()) return settle(effect, event::Due{wait->what});
  if (const auto* asks = effect.as<command::Ask>(); asks != nullptr && is_due(effect, *asks)) return;
  if (effect.is<command::Turn>()) return turn_done(effect, Json::object({{"$answer", answer_to(effect)}}));
  if (effect.is<command::ReadItems>()) return read_items(effect);
  if (effect.is<command::Tick>()) return tick(effect);
  done(effect, answer_to(effect));
}

// People take their time, as far as somebody looks at it.
bool Player::is_due(const RunCommand& effect, const command::Ask& asks) {
  const bool is_remind = asks.remind_ms > 0 && !asks.reminded;
  const bool is_deadline = !is_remind && asks.deadline_ms > 0 && !asks.late;
  if (is_remind) settle(effect, event::Due{workflow::due::kRemind});
  if (is_deadline) settle(effect, event::Due{workflow::due::kDeadline});
  return is_remind || is_deadline;
}

Json Player::answer_to(const RunCommand& effect) const {
  if (const auto* turn = effect.as<command::Turn>()) {
    const auto schema = pinned_.bundle.find(turn->schema);
    return schema == pinned_.bundle.end() ? Json::object() : example_of(*parse_json(schema->second));
  }
  if (const auto* asks = effect.as<command::Ask>()) return answer_to_question(*asks, effect.attempt);
  if (effect.is<command::Check>()) return {{"passed", true}, {"exit", 0}, {"output", ""}};
  if (const auto* commit = effect.as<command::Commit>()) return {{"commit", "c0ffee"}, {"tag", commit->tag}};
  if (const auto* sub_run = effect.as<command::SubRun>())
    return {{"run", sub_run->workflow + "-20261116-ffff"}, {"status", "done"}, {"report", "well"}};
  if (const auto* made = effect.as<command::MakeTasks>()) {
    Json tasks = Json::array();
    for (std::int64_t number = made->from; number <= made->to; ++number)
      tasks.push_back("task-" + std::to_string(number));
    return tasks;
  }
  return Json::object();
}

// Who is asked the same for the fourth time has enough of it.
Json Player::answer_to_question(const command::Ask& asks, std::int64_t attempt) const {
  constexpr std::int64_t kPatience = 3;
  if (asks.gate) return {{"approved", true}, {"by", "kim"}};
  if (asks.options.empty()) return {{"answer", "words"}, {"by", "kim"}};
  return {{"answer", attempt > kPatience ? asks.options.back() : asks.options.front()}, {"by", "kim"}};
}

void Player::read_items(const RunCommand& effect) {
  const auto& wanted = effect.get<command::ReadItems>();
  const std::string& path = wanted.criteria.empty() ? wanted.checklist : wanted.criteria;
  const auto text = engine::read_text({view_.files, setup_.project}, path);
  if (!text || !*text) return settle(effect, event::Failed{"crashed", "there is no " + path});
  if (!wanted.criteria.empty()) return done(effect, verify::review_items(verify::parse_manifest(**text).manifest));
  Json list = Json::array();
  for (const auto& item : engine::next_items(**text, wanted.group, wanted.left_out))
    list.push_back({{"number", item.number}, {"text", item.text}});
  done(effect, std::move(list));
}

void Player::tick(const RunCommand& effect) {
  const auto& wanted = effect.get<command::Tick>();
  const engine::Project project{view_.files, setup_.project};
  const auto text = engine::read_text(project, wanted.checklist);
  ASSERT_TRUE(text && *text) << wanted.checklist;
  const auto ticked = engine::ticked_text(**text, wanted.number, wanted.text);
  ASSERT_TRUE(ticked) << ticked.error().text();
  ASSERT_TRUE(engine::write_text(project, wanted.checklist, *ticked));
  done(effect, Json::object());
}

void Player::done(const RunCommand& effect, Json answer) { settle(effect, event::Done{.answer = std::move(answer)}); }

void Player::settle(const RunCommand& effect, EventBody body) {
  happens(workflow::event_about(effect, std::move(body)));
}

}  // namespace teamster::keys

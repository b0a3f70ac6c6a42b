// RunForTest: a run without a world: a test says what happened, and sees what `next` decides. Every
// record is checked on its way: written and read again, folded, and the state written and read
// again; and each is decided as if the engine had been killed before it. What was exercised is kept in the Exercised
// of the process, for next_coverage_test.cc.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "workflow/core/declining.h"
#include "workflow/core/next.h"

namespace teamster::workflow {

// By the kinds of records, and of the effects that they settle ("step.done of turn").
struct Exercised {
  std::set<std::string> kinds;
  std::set<std::string> transitions;

  static Exercised& in_this_process() {
    static Exercised exercised;
    return exercised;
  }
};

class RunForTest {
 public:
  explicit RunForTest(Pinned pinned) : pinned_(std::move(pinned)) {}

  // Every record is decided twice: by a run that was never interrupted, and by one that was killed and folded anew
  // after each record, from a snapshot. Both must decide the same.
  void happens(RunEvent event) {
    event = unless_declined(pinned_, state, std::move(event));
    const RunRecord record = advance(pinned_, live_, event);
    ASSERT_EQ(body_of({event, next(pinned_, state, event)}), body_of(record))
        << "who goes on after a kill decides alike";
    note_exercised(record);
    const Json body = Json::parse(dump_json(body_of(record)));
    const auto read = read_record(event.kind(), body);
    ASSERT_TRUE(read) << read.error().text();
    EXPECT_EQ(body_of(*read), body);
    apply(state, *read);
    EXPECT_EQ(to_json(live_), to_json(state)) << "deciding moves the state as the record does";
    auto again = state_from_json(Json::parse(dump_json(to_json(state))));
    ASSERT_TRUE(again) << again.error().text();
    EXPECT_EQ(to_json(*again), to_json(state)) << "after " << event.kind();
    state = *std::move(again);
    commands = record.commands;
    records.push_back(record);
  }

  // With the team, where there is a role.
  void start(const Json& body = Json::object()) {
    happens({read_event_body(event::Started::kKind, body)});
    if (!pinned_.workflow.roles.empty()) settle(event::TeamReady{}, "team");
  }
  // An outcome of the step's open attempt. The team is that of the effect.
  void settle(EventBody body, const std::string& step) {
    const RunCommand* open = find_open(step);
    ASSERT_NE(open, nullptr) << step << " is not open in " << dump_json_pretty(to_json(state)["open"]);
    const std::string team = open_fields(step).value("team", "");
    if (auto* ready = std::get_if<event::TeamReady>(&body)) ready->team = team;
    if (auto* gone = std::get_if<event::TeamGone>(&body)) gone->team = team;
    happens(event_about(*open, std::move(body)));
  }
  void done(const std::string& step, const Json& answer = Json::object(), const Json& more = Json::object()) {
    Json body = {{"answer", answer}};
    body.update(more);
    settle(read_event_body(event::Done::kKind, std::move(body)), step);
  }
  void failed(const std::string& step, const std::string& fault, const std::string& error = "it broke") {
    settle(event::Failed{fault, error}, step);
  }
  // The tasks of items are made and ended, as an engine does beside the work; boxes of a checklist are ticked, and
  // members go that nobody will ask.
  void serve() {
    for (bool found = true; found;) {
      found = false;
      for (const auto& [id, open] : state.open) {
        const bool is_made = open.is<command::MakeTasks>();
        if (!is_made && !open.is<command::FinishTask>() && !open.is<command::Tick>() && !open.is<command::Retire>())
          continue;
        Json tasks = Json::array();
        const auto* made = open.as<command::MakeTasks>();
        for (std::int64_t number = is_made ? made->from : 1; is_made && number <= made->to; ++number)
          tasks.push_back("task-" + std::to_string(number));
        found = true;
        done(std::string(open.step), is_made ? tasks : Json::object());
        break;
      }
    }
  }
  // Teams go and the run ends, as it was decided.
  void finish() {
    for (int left = 10; left > 0 && !state.has_ended(); --left) {
      const RunCommand open = state.open.empty() ? RunCommand{} : state.open.begin()->second;
      if (open.is<command::EndTeam>())
        settle(event::TeamGone{}, open.step);
      else if (open.is<command::EndSubRun>())
        done(open.step);
      else if (const auto* end = open.as<command::End>())
        happens({event::Ended{end->status, end->reason}});
      else
        FAIL() << "the run does not end; open: " << dump_json(to_json(state)["open"]);
    }
  }

  const RunCommand* find_open(const std::string& step) const {
    for (const auto& [id, open] : state.open)
      if (open.step == step) return &open;
    return nullptr;
  }
  // "make_team team.1 · enter implement": the last decision, short.
  std::string decided() const {
    std::string text;
    for (const auto& command : commands) {
      if (!text.empty()) text += " · ";
      text += std::string(command.kind()) + " ";
      const Json body = fields_of(command.body);
      if (const auto* item = command.as<command::ItemDone>())
        text += std::to_string(item->number) + " " + item->status;
      else if (const auto* pause = command.as<command::Pause>())
        text += pause->turn.step;
      else
        text += command.has_effect()
                    ? command.id()
                    : body.value("phase", body.value("scope", body.value("question", body.value("of", ""))));
    }
    return text;
  }
  std::vector<std::string> open_ids() const {
    std::vector<std::string> ids;
    for (const auto& [id, open] : state.open) ids.push_back(id);
    return ids;
  }
  // The fields of the open step's command, as the journal has them.
  Json open_fields(const std::string& step) const {
    const RunCommand* open = find_open(step);
    return open == nullptr ? Json::object() : fields_of(open->body);
  }
  // One that is a text, of its turn.
  std::string said(const std::string& step, const char* what = "prompt") const {
    return find_open(step) == nullptr ? "(" + step + " is not open)" : open_fields(step).value(what, "");
  }

  RunState state;
  std::vector<RunCommand> commands;  // of the last event
  std::vector<RunRecord> records;

 private:
  void note_exercised(const RunRecord& record) {
    auto& exercised = Exercised::in_this_process();
    exercised.kinds.emplace(record.event.kind());
    for (const auto& command : record.commands) exercised.kinds.emplace(command.kind());
    const auto open = state.open.find(record.event.step + "." + std::to_string(record.event.attempt));
    if (open != state.open.end())
      exercised.transitions.insert(std::string(record.event.kind()) + " of " + std::string(open->second.kind()));
  }

  Pinned pinned_;
  RunState live_;
};

// --- workflows made by hand

inline Phase phase_for_test(Phase::Kind kind, const std::string& id, const std::string& role = {}) {
  Phase phase;
  phase.id = id;
  phase.title = id;
  phase.kind = kind;
  phase.role = role;
  if (!role.empty()) phase.template_file = "say.md";
  return phase;
}
inline Phase agent_phase(const std::string& id, const std::string& role = "builder") {
  return phase_for_test(Phase::Kind::agent, id, role);
}
inline Way way_to(const std::string& target, Condition when = {}, const std::string& loop = {}) {
  Way way;
  way.when = std::move(when);
  way.target = target;
  way.loop = loop;
  return way;
}
inline Loop loop_for_test(const std::string& name, std::int64_t max, Loop::Then then) {
  Loop loop;
  loop.name = name;
  loop.max = max;
  loop.then = then;
  return loop;
}
inline Pinned pinned_for_test(std::vector<Phase> phases) {
  Pinned pinned;
  pinned.run = "w-20261116-1a2b";
  pinned.workflow.name = "w";
  pinned.workflow.phases = std::move(phases);
  std::int64_t number = 0;
  for (auto& phase : pinned.workflow.phases) {
    phase.number = ++number;
    for (const auto& role : {phase.role, phase.merge})
      if (!role.empty()) pinned.workflow.roles[role].name = role;
  }
  pinned.bundle["say.md"] = "Do {{PHASE_NAME}}.";
  return pinned;
}

inline std::vector<std::string> ids(std::initializer_list<const char*> list) { return {list.begin(), list.end()}; }

// With the templates that phases with items are tested with.
inline Pinned pinned_items(std::vector<Phase> phases) {
  Pinned pinned = pinned_for_test(std::move(phases));
  pinned.bundle["item.md"] = "Look at {{ITEM}}.";
  pinned.bundle["merge.md"] = "Merge:\n{{ANSWERS}}";
  return pinned;
}

// `research` by members scout-1, scout-2, …
inline Phase fanout(std::vector<std::string> items, std::int64_t members) {
  Phase phase = phase_for_test(Phase::Kind::fanout, "research", "scout");
  phase.template_file = "item.md";
  phase.items = Items{};
  phase.items->fixed.assign(items.begin(), items.end());
  phase.items->members = members;
  return phase;
}

}  // namespace teamster::workflow

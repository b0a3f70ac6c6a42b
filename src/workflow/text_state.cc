#include "workflow/text_state.h"

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/limits.h"
#include "workflow/fold.h"

namespace teamster::workflow {
namespace {

// As deep as the hub's answers.
Result<Json> tree(const std::string& text) {
  if (text.empty()) return Json();
  return parse_json(text, {.max_depth = 2 * limits::kJsonMaxDepth});
}

// Of a command; the rest of it is kept beside.
Result<Json> body_tree(const std::string& text) {
  Json body = TRY(tree(text));
  for (const char* name : {"do", "step", "attempt"})
    if (body.is_object()) body.erase(name);
  return body;
}

}  // namespace

void apply(TextState& state, const TextRecord& record) { fold::apply_record(state, record); }

TextState to_text(const RunState& state) {
  TextState text;
  static_cast<RunFacts&>(text) = state;
  text.args = dump_json(state.args);
  text.values = dump_json(state.values);
  text.people = dump_json(state.people);
  for (const auto& [phase, answer] : state.answers) text.answers[phase] = {dump_json(answer.value), answer.sequence};
  for (const auto& note : state.notes) text.notes.push_back(dump_json(note));
  for (const auto& [id, open] : state.open)
    text.open[id] = {open.kind, open.step, open.attempt, dump_json(open.body), {}};
  for (const auto& item : state.items) text.items.push_back(dump_json(item));
  for (const auto& [step, answer] : state.gathered) text.gathered[step] = dump_json(answer);
  return text;
}

Result<RunState> to_tree(const TextState& text) {
  RunState state;
  static_cast<RunFacts&>(state) = text;
  state.args = TRY(tree(text.args));
  state.values = TRY(tree(text.values));
  state.people = TRY(tree(text.people));
  for (const auto& [phase, answer] : text.answers) {
    Json value = TRY(tree(answer.value));
    state.answers[phase] = {std::move(value), answer.sequence};
  }
  for (const auto& note : text.notes) state.notes.push_back(TRY(body_tree(note)));
  for (const auto& [id, open] : text.open) {
    Json body = TRY(body_tree(open.body));
    state.open[id] = {open.kind, open.step, open.attempt, std::move(body)};
  }
  for (const auto& item : text.items) state.items.push_back(TRY(tree(item)));
  for (const auto& [step, answer] : text.gathered) state.gathered[step] = TRY(tree(answer));
  return state;
}

}  // namespace teamster::workflow

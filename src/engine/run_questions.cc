#include "engine/run_questions.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "base/text.h"

namespace teamster::engine {
namespace {

std::string hex_of(const std::string& run) { return run.substr(run.rfind('-') + 1); }

// All that may be typed for a question, the shortest last.
std::vector<std::string> forms_of(const std::string& run, const std::string& step, std::int64_t attempt) {
  const std::string hex = hex_of(run);
  const std::string id = workflow::effect_id(step, attempt);
  return {run + "/" + id, run + "/" + step, hex + "/" + id, hex + "/" + step, id, step, run, hex};
}

bool is_one_of(const std::vector<std::string>& forms, const std::string& typed) {
  return std::find(forms.begin(), forms.end(), typed) != forms.end();
}

bool fits(const RunQuestion& question, const std::string& typed) {
  return is_one_of(forms_of(question.run, question.step, question.attempt), typed);
}

// One that was asked and is not open any more, in words.
std::optional<Error> answered_before(const RunQuestions& questions, const std::string& typed) {
  for (const auto& view : questions.views)
    for (const auto& [id, attempt] : view.reading.attempts()) {
      if (!attempt.command.is<workflow::command::Ask>() || !attempt.until) continue;
      if (!is_one_of(forms_of(view.run(), attempt.command.step, attempt.command.attempt), typed)) continue;
      const auto done = attempt.ending.as<workflow::event::Done>();
      const std::string by = done ? raw_text_in(done->answer, "by") : "";
      return Error{Code::refused,
                   fmt::format("{}/{} is not open any more: {}", view.run(), id,
                               attempt.outcome == "done" ? fmt::format("{} answered it", by.empty() ? "somebody" : by)
                                                         : attempt.outcome),
                   fmt::format("See `teamster status {}`", view.run())};
    }
  return std::nullopt;
}

Error not_found(const RunQuestions& questions, const std::string& typed) {
  std::vector<std::string> known;
  for (const auto& question : questions.open)
    for (const auto& form : forms_of(question.run, question.step, question.attempt)) known.push_back(form);
  const auto meant = closest(typed, known);
  return {Code::not_found, fmt::format("no question {} is open", quoted(typed, 120)),
          meant ? fmt::format("Did you mean {}? See `teamster inbox`", *meant) : "See `teamster inbox`"};
}

Result<RunQuestion> only_one(const std::vector<const RunQuestion*>& found, const std::string& typed) {
  if (found.size() == 1) return *found.front();
  std::vector<std::string> ids;
  for (const auto* question : found) ids.push_back(question->id());
  return fail(Code::invalid, fmt::format("{} fits {} questions: {}", quoted(typed, 120), ids.size(), join(ids, ", ")),
              "Name one of them in full");
}

// By any part of an id that is open.
Result<RunQuestion> find_by_part(const RunQuestions& questions, const std::string& typed) {
  std::vector<const RunQuestion*> found;
  for (const auto& question : questions.open)
    if (!typed.empty() && question.id().find(typed) != std::string::npos) found.push_back(&question);
  return found.empty() ? fail(not_found(questions, typed)) : only_one(found, typed);
}

}  // namespace

std::string short_id(const RunQuestions& questions, const RunQuestion& question) {
  const std::string id = question.id_in_run();
  for (const auto& form : {id, hex_of(question.run) + "/" + id}) {
    const auto fitting = std::count_if(questions.open.begin(), questions.open.end(),
                                       [&](const RunQuestion& each) { return fits(each, form); });
    if (fitting == 1) return form;
  }
  return question.id();
}

Result<RunQuestion> find_question(const RunQuestions& questions, const std::string& typed) {
  std::vector<const RunQuestion*> found;
  for (const auto& question : questions.open) {
    if (question.id() == typed) return question;
    if (fits(question, typed)) found.push_back(&question);
  }
  if (!found.empty()) return only_one(found, typed);
  if (auto answered = answered_before(questions, typed)) return fail(*std::move(answered));
  return find_by_part(questions, typed);
}

}  // namespace teamster::engine

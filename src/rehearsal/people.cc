#include "rehearsal/people.h"

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/limits.h"
#include "base/text.h"

namespace teamster::cli {
namespace {

constexpr const char* kReplyShape =
    R"(An answer is a text, or {"answer": TEXT} or {"approve": true} or {"reject": WHY}, with "by", "after" and "way")";
constexpr std::array<std::string_view, 4> kVerdicts = {"answer", "approve", "reject", "approved"};

// One entry of people.json, checked. A plain value stands for `answer`.
struct PlannedReply {
  bool is_there = true;  // nobody answers this time
  Json verdict;          // one of kVerdicts, with its value
  Json feedback;
  engine::PlayedReply reply;
};

std::string where_in(const std::string& step, std::size_t index) {
  return index == 0 ? fmt::format("the answer to {}", quoted(step, 80))
                    : fmt::format("answer {} to {}", index, quoted(step, 80));
}

Result<void> read_verdict(const Json& entry, const std::string& where, PlannedReply& planned) {
  for (const std::string_view name : kVerdicts) {
    const auto found = entry.find(std::string(name));
    if (found == entry.end()) continue;
    if (!planned.verdict.is_null()) return fail(Code::invalid, fmt::format("{} says two things", where), kReplyShape);
    planned.verdict = {{std::string(name), *found}};
    if (name == "approved" && !found->is_boolean())
      return fail(Code::invalid, fmt::format("`approved` of {} is neither true nor false", where), kReplyShape);
    if (name == "reject" && !found->is_string())
      return fail(Code::invalid, fmt::format("`reject` of {} is no text", where), "Say why it is rejected");
    if (name == "approve" && *found != Json(true) && !found->is_string())
      return fail(Code::invalid, fmt::format("`approve` of {} is neither true nor a text", where),
                  R"(To reject use {"reject": WHY})");
  }
  if (planned.verdict.is_null()) return fail(Code::invalid, fmt::format("{} says nothing", where), kReplyShape);
  return {};
}

Result<std::string> text_in(const Json& entry, const char* key, const std::string& where) {
  const auto found = entry.find(key);
  if (found == entry.end()) return std::string();
  if (!found->is_string() || found->get<std::string>().empty())
    return fail(Code::invalid, fmt::format("`{}` of {} is no text", key, where), kReplyShape);
  return found->get<std::string>();
}

Result<PlannedReply> read_reply_of(const Json& entry, const std::string& where) {
  PlannedReply planned;
  if (entry.is_null()) {
    planned.is_there = false;
    return planned;
  }
  if (entry.is_array()) return fail(Code::invalid, fmt::format("{} is a list", where), kReplyShape);
  if (!entry.is_object()) {
    planned.verdict = {{"answer", entry}};
    return planned;
  }
  constexpr std::array<std::string_view, 5> kMore = {"feedback", "note", "by", "after", "way"};
  for (const auto& [key, value] : entry.items())
    if (std::find(kVerdicts.begin(), kVerdicts.end(), key) == kVerdicts.end() &&
        std::find(kMore.begin(), kMore.end(), key) == kMore.end())
      return fail(Code::invalid, fmt::format("{} has {}, which means nothing", where, quoted(key, 40)), kReplyShape);
  TRY_VOID(read_verdict(entry, where, planned));
  planned.feedback = entry.value("feedback", Json());
  planned.reply.note = entry.value("note", Json());
  planned.reply.by = TRY(text_in(entry, "by", where));
  if (const std::string way = TRY(text_in(entry, "way", where)); !way.empty()) planned.reply.how = way;
  if (const std::string after = TRY(text_in(entry, "after", where)); !after.empty()) {
    const auto time = parse_duration(after);
    if (!time) return fail(time.error().within(fmt::format("`after` of {}", where)));
    planned.reply.after = *time;
  }
  return planned;
}

using Replies = std::map<std::string, std::vector<PlannedReply>>;

Result<Replies> read_replies(const Json& answers) {
  Replies replies;
  for (const auto& [step, entry] : answers.items()) {
    if (!entry.is_array()) {
      replies[step].push_back(TRY(read_reply_of(entry, where_in(step, 0))));
      continue;
    }
    if (entry.empty())
      return fail(Code::invalid, fmt::format("the list of answers to {} is empty", quoted(step, 80)),
                  "Write null where nobody answers");
    for (std::size_t i = 0; i < entry.size(); ++i)
      replies[step].push_back(TRY(read_reply_of(entry[i], where_in(step, i + 1))));
  }
  return replies;
}

bool is_yes(const Json& said) { return said == Json(true) || said == Json("approve") || said == Json("approved"); }

// As the answer of a person at any other place, docs/formats/run.md.
engine::PlayedReply reply_to(const workflow::command::Ask& question, const PlannedReply& planned) {
  engine::PlayedReply reply = planned.reply;
  if (reply.by.empty()) reply.by = question.to.empty() ? "owner" : question.to;
  const std::string verdict = planned.verdict.begin().key();
  const Json& said = planned.verdict.begin().value();
  reply.answer = {{"by", reply.by}};
  if (question.gate) {
    const bool approves = verdict == "approve" || (verdict != "reject" && is_yes(said));
    reply.answer["approved"] = approves;
    reply.answer["feedback"] = planned.feedback;
    if (verdict == "approve" && said.is_string()) reply.note = said;
    if (!approves && said.is_string()) reply.answer["feedback"] = said;
    return reply;
  }
  reply.answer["answer"] = said;
  // By its number.
  const auto& options = question.options;
  if (said.is_number_integer() && said >= 1 && said <= options.size())
    reply.answer["answer"] = options[said.get<std::size_t>() - 1];
  return reply;
}

}  // namespace

Result<People> read_people(env::Files& files, const std::string& path) {
  auto answers = parse_json(TRY(files.read(path, limits::kMetadataMaxBytes)));
  if (!answers) return fail(answers.error().within(path));
  if (!answers->is_object())
    return fail(Code::invalid, path + " is no JSON object",
                R"(It has the answer of each step by its name: {"approve": {"approve": true}})");
  auto replies = read_replies(*answers);
  if (!replies) return fail(replies.error().within(path));
  return People(
      [replies = *std::move(replies)](const workflow::RunCommand& question) -> std::optional<engine::PlayedReply> {
        const auto found = replies.find(question.step);
        const auto* ask = question.as<workflow::command::Ask>();
        if (found == replies.end() || ask == nullptr) return std::nullopt;
        // One for each time that it is asked; the last for all that follow.
        const std::size_t time = static_cast<std::size_t>(std::max<std::int64_t>(question.attempt, 1)) - 1;
        const PlannedReply& planned = found->second[std::min(time, found->second.size() - 1)];
        if (!planned.is_there) return std::nullopt;
        return reply_to(*ask, planned);
      });
}

People people_of_rehearsal(env::Files& files, const std::string& directory) {
  // Whoever set the stage has read it before.
  auto people = read_people(files, people_file_of_rehearsal(directory));
  if (people) return *std::move(people);
  return [](const workflow::RunCommand&) { return std::nullopt; };
}

std::string people_file_of_rehearsal(const std::string& directory) { return directory + "/people.json"; }

}  // namespace teamster::cli

#include "workflow/core/ladder_words.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "workflow/core/speech_of_others.h"

namespace teamster::workflow {
namespace {

constexpr const char* kEngine = "the engine";

// What went wrong may quote an agent or a command.
std::string because(const std::string& why) { return why.empty() ? "" : "\n" + fenced(kEngine, why) + "\n"; }

}  // namespace

std::string instead_of_prompt(const Phase& phase, const PromptParts& parts) {
  if (parts.first) return {};
  if (parts.rung == rung::kMend)
    return fmt::format(
        "What you handed in for {} cannot be used:{}If the work itself is not finished, finish it first. Then hand in "
        "the whole answer again.",
        phase.title, because(parts.why));
  if (parts.rung == rung::kAnswered)
    return fmt::format("Your question was answered. You asked:\n{}\nThe answer:\n{}\nGo on with {} where you were.",
                       fenced("yours", parts.why), parts.guidance, phase.title);
  return {};
}

std::string before_prompt(const Pinned& pinned, const Moment& moment, const PromptParts& parts) {
  if (parts.missed.empty()) return {};
  std::string text = "Meanwhile another agent did this in your place:\n";
  for (const auto& each : pinned.workflow.phases) {
    if (std::find(parts.missed.begin(), parts.missed.end(), each.id) == parts.missed.end()) continue;
    const auto answer = moment.state.answers.find(each.id);
    if (answer == moment.state.answers.end()) continue;
    const std::string path = artifact_path(pinned, moment.state, each, answer->second.sequence);
    text += path.empty() ? fmt::format("{}:\n{}\n", each.title, fenced(each.role, dump_json(answer->second.value)))
                         : fmt::format("- {}: {}\n", each.title, path);
  }
  return text + "\n";
}

std::string behind_prompt(const PromptParts& parts) {
  std::string text;
  if (parts.rung == rung::kFresh)
    text += fmt::format(
        "\n\nAnother agent began this and was replaced:{}Look at what is there before you begin; keep what is good.",
        parts.why.empty() ? " " : because(parts.why));
  if (parts.rung == rung::kRetry || parts.rung == rung::kMend)
    text +=
        fmt::format("\n\nYou were asked this before, and it did not come to a good end:{}Do not repeat what is done.",
                    parts.why.empty() ? " " : because(parts.why));
  if (parts.rung == rung::kLost)
    text += "\n\nYou may have begun this before: your conversation was lost. Look at what is there before you begin.";
  if (parts.rung == rung::kAnswered)
    return text + fmt::format("\n\nYou had asked:\n{}\nThe answer:\n{}", fenced("yours", parts.why), parts.guidance);
  if (!parts.guidance.empty()) text += "\n\nThe owner of this run says:\n" + parts.guidance;
  return text;
}

}  // namespace teamster::workflow

// Names of steps: a phase ("verify"), one of its items ("research/2"), and behind either a word for what is done beside
// the work itself. Everything that is told of a step goes by these ends. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace teamster::workflow {

// Of the run: its own team.
inline constexpr std::string_view kRunTeam = "team";
// Of a phase as a whole.
inline constexpr std::string_view kMerge = "/merge";
inline constexpr std::string_view kItemList = "/items";
inline constexpr std::string_view kTasks = "/tasks";
inline constexpr std::string_view kAdvice = "/advice";
inline constexpr std::string_view kEscalation = "/escalate";
inline constexpr std::string_view kBudgetQuestion = "/budget";
inline constexpr std::string_view kAgentQuestion = "/ask-";  // and a number
inline constexpr std::string_view kGroupEnd = "/end-group";
// Of a phase or an item.
inline constexpr std::string_view kProof = "/check";
inline constexpr std::string_view kTick = "/tick";
inline constexpr std::string_view kTaskEnd = "/task";
inline constexpr std::string_view kTeam = "/team";
inline constexpr std::string_view kTeamEnd = "/end-team";
inline constexpr std::string_view kStuck = "/stuck";      // what shall become of it
inline constexpr std::string_view kWeather = "/weather";  // the provider is away
inline constexpr std::string_view kUnknown = "/unknown";  // whether it was done
inline constexpr std::string_view kReply = "/reply";
inline constexpr std::string_view kDeclined = "/declined";  // what was said to a question
// Of a member.
inline constexpr std::string_view kRetire = "/retire";

inline std::string step_of(std::string_view step, std::string_view end) { return std::string(step).append(end); }
inline std::string item_step(std::string_view phase, std::int64_t number) {
  return std::string(phase).append("/").append(std::to_string(number));
}
// "research/2" of "research/2/check".
inline std::string without(const std::string& step, std::string_view end) {
  return step.ends_with(end) ? step.substr(0, step.size() - end.size()) : step;
}

// Whether the step is what the engine does for the work, and none of it.
inline bool is_beside_the_work(std::string_view step) {
  return step.ends_with(kItemList) || step.ends_with(kTasks) || step.ends_with(kTaskEnd) || step.ends_with(kTick) ||
         step.ends_with(kReply) || step.ends_with(kRetire) || step.ends_with(kDeclined);
}

// Whether the step is a question that the owner answers.
inline bool is_of_the_owner(std::string_view step) {
  return step.ends_with(kEscalation) || step.ends_with(kBudgetQuestion) || step.ends_with(kUnknown) ||
         step.ends_with(kStuck) || step.ends_with(kWeather);
}

// What the owner can answer.
inline constexpr const char* kAgain = "again";
inline constexpr const char* kSame = "same";
inline constexpr const char* kAccept = "accept";
inline constexpr const char* kSkipIt = "skip";
inline constexpr const char* kRaiseIt = "raise";
inline constexpr const char* kWaitOn = "wait";
inline constexpr const char* kAbort = "abort";
inline constexpr const char* kStop = "stop";  // of older journals: abort

// What follows from it.
inline constexpr const char* kAbortOutcome = "ends the run as blocked; `teamster resume` can reopen it";

}  // namespace teamster::workflow

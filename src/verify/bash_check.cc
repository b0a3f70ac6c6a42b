#include "verify/bash_check.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "env/files.h"
#include "env/random.h"
#include "verify/verify_limits.h"

namespace teamster::verify {
namespace {

constexpr int kEndedBySigpipe = 141;  // as a shell has it

// $1 is the command, $2 the file of the mark. Both traps see the statuses of the pipeline that has just ended; `exit`
// is there so that they see those of the last one, too. It stands two lines below: the command may end in a comment, or
// in a backslash.
constexpr const char* kWatched =
    "set -o pipefail -o functrace; teamster_command=$1; teamster_mark=$2; shift 2; "
    "trap 'case \" ${PIPESTATUS[*]-} \" in *\" 141 \"*) : >|\"$teamster_mark\" ;; esac' DEBUG; "
    "eval \"$teamster_command\"$'\\n\\nexit'";
// The mark: an early stage failed and the last one did not.
constexpr const char* kWithoutPipefail =
    "set -o functrace; teamster_command=$1; teamster_mark=$2; shift 2; "
    "trap 'for teamster_s in x \"${PIPESTATUS[@]-0}\"; do case $teamster_s in x) teamster_f= ;; 0|141) ;; "
    "*) teamster_f=1 ;; esac; done; case $teamster_f$teamster_s in 10) : >|\"$teamster_mark\" ;; esac' DEBUG; "
    "eval \"$teamster_command\"$'\\n\\nexit'";

// One pipeline of two stages and nothing else, as far as can be seen without parsing it.
bool is_simple_pipeline(std::string_view command) {
  command = trimmed(command);
  return std::ranges::count(command, '|') == 1 && command.find_first_of(";&(){}!`\n<") == command.npos;
}

std::string why_of(const ProgramEnd& end, Duration limit) {
  switch (end.how) {
    case ProgramEnd::How::timed_out:
      return fmt::format("took longer than {} and was ended", describe_duration(limit));
    case ProgramEnd::How::signaled:
      return fmt::format("was killed by signal {}", end.code);
    case ProgramEnd::How::exited:
      break;
  }
  if (end.code != 0) return fmt::format("exit code {}", end.code);
  if (end.output.fail_line()) return fmt::format("it printed: {}", *end.output.fail_line());
  return {};
}

CheckOutcome outcome_of(const ProgramEnd& end, Duration limit) {
  CheckOutcome outcome;
  outcome.why = why_of(end, limit);
  outcome.passed = outcome.why.empty();
  outcome.output = end.output.text();
  outcome.is_cut = end.output.is_cut();
  outcome.took = end.took;
  return outcome;
}

}  // namespace

BashCheck::BashCheck(const env::World& world, const CheckSetting& setting, std::string command, Done done)
    : world_(world),
      setting_(setting),
      command_(std::move(command)),
      mark_(fmt::format("{}/mark-{}", setting.scratch, world.random.hex(8))),
      done_(std::move(done)),
      later_(world.loop) {
  start(command_.find('|') == command_.npos ? Run::plain : Run::watched);
}

BashCheck::~BashCheck() { (void)take_mark(); }

std::vector<std::string> BashCheck::arguments(Run run) const {
  if (run == Run::plain) return {setting_.bash, "-o", "pipefail", "-c", command_};
  return {setting_.bash, "-c", run == Run::watched ? kWatched : kWithoutPipefail, "bash", command_, mark_};
}

void BashCheck::start(Run run) {
  auto program = BoundedProgram::start(
      world_,
      {.arguments = arguments(run),
       .environment = setting_.environment,
       .directory = setting_.root,
       .limit = setting_.limit,
       .bounds = {.head_bytes = kEvidenceHeadBytes, .tail_bytes = kEvidenceTailBytes}},
      [this, run](ProgramEnd end) { later_.call([this, run, end = std::move(end)] { ended(run, end); }); });
  if (program) {
    program_ = *std::move(program);
    return;
  }
  CheckOutcome outcome;
  outcome.why = "could not be started: " + program.error().text();
  settle(std::move(outcome));
}

void BashCheck::ended(Run run, ProgramEnd end) {
  program_.reset();  // whatever it left in its group ends here
  const bool is_marked = run != Run::plain && take_mark();
  CheckOutcome outcome = outcome_of(end, setting_.limit);
  if (run == Run::plain) return settle(std::move(outcome));
  if (run == Run::without_pipefail) {
    outcome.took += first_.took;
    if (is_marked && outcome.passed && !first_.passed) {
      outcome.passed = false;
      outcome.why = fmt::format("{}: one stage of a pipeline was ended by SIGPIPE and another one failed", first_.why);
    }
    return settle(std::move(outcome));
  }
  const bool is_sigpipe = end.how == ProgramEnd::How::exited && end.code == kEndedBySigpipe;
  if (!is_marked && !is_sigpipe) return settle(std::move(outcome));
  if (is_sigpipe && is_simple_pipeline(command_)) {
    outcome.passed = !end.output.fail_line();
    outcome.why = outcome.passed ? "" : fmt::format("it printed: {}", *end.output.fail_line());
    return settle(std::move(outcome));
  }
  if (end.how == ProgramEnd::How::timed_out) return settle(std::move(outcome));
  first_ = std::move(outcome);
  start(Run::without_pipefail);
}

bool BashCheck::take_mark() {
  const auto status = world_.files.status(mark_);
  if (!status || !*status) return false;
  (void)world_.files.remove_tree(mark_);
  return true;
}

// From the loop: whoever is told may destroy this.
void BashCheck::settle(CheckOutcome outcome) {
  later_.call([this, outcome = std::move(outcome)] { std::exchange(done_, nullptr)(outcome); });
}

}  // namespace teamster::verify

#include "engine/sub_run.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "env/processes.h"

namespace teamster::engine {
namespace {

using namespace std::chrono_literals;
using workflow::RunEvent;
namespace command = workflow::command;
namespace event = workflow::event;

constexpr Duration kLongest = std::chrono::hours(24 * 365);  // it waits for people
constexpr std::size_t kReportMaxBytes = std::size_t{4} * 1024 * 1024;
constexpr int kRefused = 3;
// The process from before a crash may take a moment to die.
constexpr int kTriesMax = 10;
constexpr Duration kBetweenTries = 500ms;

std::string text_of(const Json& document, const char* name) {
  const auto found = document.find(name);
  return found != document.end() && found->is_string() ? found->get<std::string>() : std::string();
}

bool is_end(const Effect& effect) { return effect.command.is<command::EndSubRun>(); }

}  // namespace

std::vector<std::string> sub_run_words(const SubRunOptions& options, const Effect& effect) {
  if (const auto end = effect.command.as<command::EndSubRun>())
    return {"cancel", fmt::format("{}/{}", options.parent, end->of), "--json", "--timeout=5s"};
  const auto& started = effect.command.get<command::SubRun>();
  std::vector<std::string> words = {"run", started.workflow, "--json",
                                    fmt::format("--parent={}/{}", options.parent, effect.command.id())};
  for (const auto& [name, value] : started.args.items())
    words.push_back(fmt::format("--arg={}={}", name, value.is_string() ? value.get<std::string>() : value.dump()));
  words.insert(words.end(), options.flags.begin(), options.flags.end());
  if (effect.again) words.push_back("--since=" + to_iso8601(effect.since));
  return words;
}

Result<Json> sub_run_answer(const ProgramOutcome& outcome) {
  const auto document = parse_json(outcome.answer, {.max_bytes = kReportMaxBytes});
  if (!document || !document->is_object())
    return fail(Code::failed, fmt::format("the process of the sub-run {}: {}", describe(outcome), outcome.output));
  if (const auto error = document->find("error"); error != document->end())
    return fail(Code::failed, fmt::format("{}. {}", text_of(*error, "what"), text_of(*error, "next")));
  const std::string run = text_of(*document, "run");
  const std::string status = text_of(*document, "status");
  if (status != workflow::status::kDone || !outcome.succeeded())
    return fail(Code::failed, fmt::format("run {} is {}: {}", run, status, text_of(*document, "reason")));
  return Json{{"run", run}, {"status", status}, {"report", text_of(*document, "report")}};
}

bool is_sub_run_over(const ProgramOutcome& outcome) {
  if (outcome.succeeded()) return true;
  const auto document = parse_json(outcome.answer, {.max_bytes = kReportMaxBytes});
  if (!document || !document->is_object()) return false;
  const auto error = document->find("error");
  return error != document->end() && text_of(*error, "code") == "not_found";
}

SubRun::SubRun(const env::World& world, SubRunOptions options, Effect effect, Effects::Settle settle)
    : world_(world), options_(std::move(options)), effect_(std::move(effect)), settle_(std::move(settle)) {}

void SubRun::start() {
  ++tries_;
  ProgramOptions program;
  program.arguments = {world_.processes.own_executable()};
  for (auto& word : sub_run_words(options_, effect_)) program.arguments.push_back(std::move(word));
  program.directory = options_.project;
  program.limit = kLongest;
  program.output_kept_bytes = kReportMaxBytes;
  for (const auto& variable : world_.processes.environment())
    if (!variable.starts_with("TEAMSTER_")) program.environment.push_back(variable);
  program.environment.push_back("TEAMSTER_HOME=" + options_.home);
  auto started = Program::start(world_, program, [this](const ProgramOutcome& outcome) { ended(outcome); });
  if (!started) return fail_with(started.error().text());
  program_ = *std::move(started);
}

bool SubRun::is_worth_another_try(const ProgramOutcome& outcome) const {
  if (tries_ >= kTriesMax) return false;
  if (is_end(effect_)) return !is_sub_run_over(outcome);
  return effect_.again && outcome.how == ProgramOutcome::How::exited && outcome.code == kRefused;
}

void SubRun::ended(const ProgramOutcome& outcome) {
  if (is_worth_another_try(outcome)) {
    later_ = world_.loop.after(kBetweenTries, [this] { start(); });
    return;
  }
  auto answer = is_end(effect_) && is_sub_run_over(outcome) ? Result<Json>(Json::object()) : sub_run_answer(outcome);
  if (!answer) return fail_with(answer.error().text());
  settle_(event_about(effect_.command, event::Done{.answer = *std::move(answer)}));
}

void SubRun::fail_with(const std::string& error) {
  const RunEvent failed = event_about(effect_.command, event::Failed{"failed", error});
  later_ = world_.loop.after({}, [this, failed] { settle_(failed); });
}

}  // namespace teamster::engine

#include "real/real_run.h"

#include <filesystem>

#include "base/text.h"
#include "real/real_team.h"

namespace teamster::real {
namespace {

constexpr const char* kKey = "dummy-key-of-run";

// The number of the phase that was asked for last: "[PHASE 5: ".
int phase_in(const std::string& text) {
  constexpr std::string_view kMark = "[PHASE ";
  for (std::size_t at = text.rfind(kMark); at != std::string::npos; at = at == 0 ? at - 1 : text.rfind(kMark, at - 1)) {
    const int number = std::atoi(text.c_str() + at + kMark.size());
    const std::size_t behind = text.find_first_not_of("0123456789", at + kMark.size());
    if (behind != std::string::npos && text[behind] == ':') return number;
    if (at == 0) break;
  }
  return 0;
}

std::size_t calls_in(const Json& body) {
  std::size_t calls = 0;
  const Json& last = body.at("messages").back();
  if (!last.at("content").is_array()) return 0;
  for (const auto& block : last["content"]) calls += block.value("type", "") == "tool_result" ? 1 : 0;
  return calls;
}

}  // namespace

RealRun::RealRun(const Turns& conversations, const std::string& example)
    : server_(std::make_unique<model::RunningServer>(script_of(conversations))),
      project_(home_.scratch() + "/project") {
  namespace fs = std::filesystem;
  fs::copy(std::string(TEAMSTER_SOURCE_DIR) + "/" + example, project_, fs::copy_options::recursive);
  fs::remove_all(project_ + "/rehearsal");
  shell(
      "git init -q -b main . && git config user.name Ada && git config user.email ada@example.org && git add -A && "
      "git commit -q -m begin");
}

e2e::Process RealRun::start(Words words, const Words& environment) const {
  e2e::Start start;
  start.command = {"/usr/bin/env", "-C", project_, TEAMSTER_BINARY};
  start.command.insert(start.command.end(), words.begin(), words.end());
  start.environment = {"TEAMSTER_HOME=" + home_.path(),
                       "HOME=" + home_.scratch(),
                       "PATH=/usr/bin:/bin",
                       "GIT_CONFIG_NOSYSTEM=1",
                       "TEAMSTER_CLAUDE=" + claude_program(),
                       "ANTHROPIC_BASE_URL=" + server_->url(),
                       std::string("ANTHROPIC_API_KEY=") + kKey};
  // Of two with the same name the first counts.
  start.environment.insert(start.environment.begin(), environment.begin(), environment.end());
  return e2e::Process(start);
}

Outcome RealRun::teamster(const Words& words, Milliseconds limit) const {
  e2e::Process process = start(words);
  return e2e::outcome_of(process, limit);
}

e2e::Process RealRun::start_spec(const Words& more, const Words& environment) const {
  Words words = {"run", "implement-spec", "01", "--driver", "claude", "--auth", "env", "--json"};
  words.insert(words.end(), more.begin(), more.end());
  return start(words, environment);
}

Outcome RealRun::run_spec(const Words& more, Milliseconds limit) const {
  e2e::Process process = start_spec(more);
  return e2e::outcome_of(process, limit);
}

std::string RealRun::shell(const std::string& command) const {
  e2e::Process process(e2e::Start{.command = {"/usr/bin/env", "-C", project_, "/bin/sh", "-c", command},
                                  .environment = {"HOME=" + home_.scratch(), "PATH=/usr/bin:/bin"}});
  EXPECT_EQ(process.wait(), 0) << command << process.err();
  return process.out();
}

std::string RealRun::run_name() const {
  const Json status = home_.run({"status", "--all", "--json"}).json;  // fails while there is none
  const Json runs = status.is_object() ? status.value("runs", Json::array()) : Json::array();
  return runs.empty() ? "" : runs[0].value("run", "");
}

std::string RealRun::status_text() const { return home_.run({"status", run_name()}).out; }

bool RealRun::status_says(const std::string& text, Milliseconds limit) const {
  return eventually([&] { return status_text().find(text) != std::string::npos; }, limit);
}

void RealRun::end_server() { server_->process().kill(SIGKILL); }

void RealRun::start_server_again(const Turns& conversations) {
  const auto port = server_->port();
  server_.reset();
  server_ = std::make_unique<model::RunningServer>(script_of(conversations), port);
}

std::map<int, PhaseTraffic> RealRun::traffic() const {
  std::map<int, PhaseTraffic> phases;
  for (const auto& request : server_->requests()) {
    PhaseTraffic& phase = phases[phase_in(request.value("text", ""))];
    const std::size_t calls = calls_in(request.at("body"));
    phase.visits += phase_in(request.value("last", "")) == 0 ? 0 : 1;
    phase.calls += calls;
    phase.requests += 1;
    phase.bytes += request.value("bytes", std::size_t{0});
  }
  return phases;
}

Json conversation_of_role(const std::string& role, const Turns& turns) {
  return {{"name", role}, {"match", {{"system_contains", "# You are the " + role}}}, {"turns", turns}};
}

Json report(const Json& result) { return call("report", {{"result", result}}); }

namespace {

Json answer(Json fields) {
  fields["status"] = "SUCCESS";
  if (!fields.contains("summary")) fields["summary"] = "done";
  return fields;
}

Json test_answer(bool passed) {
  const Json errors = passed ? Json::array() : Json::array({"not ok shout_keeps_blanks: expected A  B!"});
  return answer({{"typecheck", {{"passed", true}, {"errors", Json::array()}}},
                 {"unit_tests", {{"passed", passed}, {"total", 2}, {"failed", passed ? 0 : 1}, {"errors", errors}}},
                 {"e2e_tests", {{"passed", true}, {"total", 1}, {"failed", 0}, {"errors", Json::array()}}},
                 {"all_passed", passed}});
}

}  // namespace

Turns builder_turns() {
  return {run("printf 'shout() { echo \"$*!\" | tr a-z A-Z; }\\n' > src/shout.sh"),
          report(answer({{"summary", "The manner shout is there."},
                         {"files_created", {"src/shout.sh"}},
                         {"files_modified", Json::array()},
                         {"decisions", {"tr makes the capital letters"}},
                         {"blocked_by", Json::array()}})),
          run("printf 'shout() { printf \"%%s!\\\\n\" \"$*\" | tr a-z A-Z; }\\n' > src/shout.sh"),
          report(answer({{"fixes_applied", {{{"file", "src/shout.sh"}, {"issue", "echo"}, {"fix", "printf"}}}},
                         {"root_causes", {"echo splits"}}})),
          run("git add -A -- . ':(exclude)progress' && git commit -q -m 'feat: implement spec 01 - shout' && "
              "git rev-parse HEAD"),
          report(answer({{"commit_hash", std::string(40, 'a')}, {"files_committed", 3}, {"tag_created", false}}))};
}

Turns tester_turns() {
  return {
      run("echo '# of shout' > tests/unit/shout_test.sh"),
      report(answer(
          {{"test_files_created", {"tests/unit/shout_test.sh"}}, {"test_count", 1}, {"coverage_areas", {"shouting"}}})),
      run("echo '# of say shout' > tests/e2e/shout_test.sh"),
      report(answer({{"e2e_files_created", {"tests/e2e/shout_test.sh"}},
                     {"screenshots_will_capture", Json::array()},
                     {"flows_tested", {"shout"}}})),
      run("sh test.sh | tail -n 2"),
      report(test_answer(false)),
      run("sh test.sh | tail -n 2"),
      report(test_answer(true))};
}

Turns reviewer_turns() {
  return {run("cat src/shout.sh"),
          report(answer({{"verification_passed", true},
                         {"acceptance_criteria", {{{"criterion", "HELLO!"}, {"passed", true}, {"reason", "ran it"}}}},
                         {"missing_files", Json::array()},
                         {"issues", Json::array()}})),
          report(answer({{"screenshots_reviewed", 0},
                         {"visual_issues", Json::array()},
                         {"js_errors", Json::array()},
                         {"all_clear", true}})),
          run("git diff"),
          report(answer(
              {{"code_quality", "PASS"},
               {"issues", {{{"file", "src/shout.sh:1"}, {"issue", "no comment"}, {"suggested_fix", "write one"}}}}}))};
}

Turns whole_spec() {
  return {conversation_of_role("builder", builder_turns()), conversation_of_role("tester", tester_turns()),
          conversation_of_role("reviewer", reviewer_turns())};
}

}  // namespace teamster::real

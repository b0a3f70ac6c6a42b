// FakeOutside: a machine for tests of commands. Captures output, plays the hub from
// prepared answers, and keeps the requests that were sent.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/check.h"
#include "cli/framework/command_line.h"

namespace teamster::cli {

class CapturedOutput : public Output {
 public:
  void write(std::string_view text) override {
    if (broken == 0) captured.append(text);
  }
  void flush() override {}
  int broken_by() const override { return broken; }

  std::string captured;
  int broken = 0;
};

class FakeOutside {
 public:
  FakeOutside() { variables["TERM"] = "xterm"; }

  // The hub's next answer.
  FakeOutside& answers(Json answer) {
    answers_.push_back(Result<Json>(std::move(answer)));
    return *this;
  }
  FakeOutside& fails(Error error) {
    answers_.push_back(Result<Json>(fail(std::move(error))));
    return *this;
  }

  int run(const std::vector<std::string>& words) {
    out.captured.clear();
    err.captured.clear();
    requests.clear();
    const Outside outside{
        .out = out,
        .err = err,
        .read_input = [this](std::size_t max_bytes) -> Result<StandardInput> {
          return StandardInput{input.substr(0, max_bytes), input.size()};
        },
        .read_line = [this]() -> std::optional<std::string> {
          if (lines.empty()) return std::nullopt;
          std::string line = lines.front();
          lines.pop_front();
          return line;
        },
        .variable = [this](const char* name) -> std::optional<std::string> {
          const auto it = variables.find(name);
          return it == variables.end() ? std::nullopt : std::optional(it->second);
        },
        .now = [this] { return now; },
        .call = [this](const hub::Access& access, hub::Request request) { return play(access, std::move(request)); },
        .world = world,
        .watch_signal = [](int, const std::function<void()>&) { return env::Registration(); },
        .input_is_terminal = input_is_terminal,
        .output_is_terminal = output_is_terminal,
    };
    return run_command_line(outside, words);
  }

  Json document() const { return Json::parse(out.captured, nullptr, false); }

  CapturedOutput out;
  CapturedOutput err;
  std::string input;
  std::deque<std::string> lines;
  std::map<std::string, std::string> variables;
  std::function<env::World()> world = []() -> env::World { check_failed("no world in this test", __FILE__, __LINE__); };
  WallTime now{1'800'000'000'000};
  bool input_is_terminal = false;
  bool output_is_terminal = false;
  std::vector<hub::Request> requests;
  std::optional<std::string> token_file;
  // Instead of prepared answers.
  std::function<Result<Json>(const hub::Request&)> hub;

 private:
  Result<Json> play(const hub::Access& access, hub::Request request) {
    requests.push_back(std::move(request));
    token_file = access.token_file;
    if (hub) return hub(requests.back());
    if (answers_.empty()) return fail(Code::unavailable, "the test prepared no answer");
    Result<Json> answer = std::move(answers_.front());
    answers_.pop_front();
    return answer;
  }

  std::deque<Result<Json>> answers_;
};

}  // namespace teamster::cli

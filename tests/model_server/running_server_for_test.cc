#include "model_server/running_server_for_test.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "base/check.h"

namespace teamster::model {
namespace {

std::string make_directory() {
  std::string path = "/tmp/model-server-XXXXXX";
  CHECK(::mkdtemp(path.data()) != nullptr);
  return path;
}

}  // namespace

RunningServer::RunningServer(const Json& script, std::uint16_t port) : directory_(make_directory()) {
  std::ofstream(directory_ + "/script.json") << script.dump();
  const std::string ready = directory_ + "/ready";
  process_ = std::make_unique<e2e::Process>(e2e::Start{
      .command = {MODEL_SERVER_BINARY, "--script", directory_ + "/script.json", "--log", directory_ + "/log",
                  "--ready-file", ready, "--port", std::to_string(port), "--parent", std::to_string(::getpid())},
      .environment = {}});
  const bool is_up = e2e::eventually([&] { return std::filesystem::exists(ready) || !process_->is_running(); }) &&
                     process_->is_running();
  EXPECT_TRUE(is_up) << process_->err();
  std::ifstream(ready) >> port_;
}

RunningServer::~RunningServer() {
  process_.reset();
  std::error_code error;
  std::filesystem::remove_all(directory_, error);
  EXPECT_FALSE(error) << directory_ << ": " << error.message();
}

std::string RunningServer::url() const { return "http://127.0.0.1:" + std::to_string(port_); }

void RunningServer::release(const std::string& hold) const { std::ofstream(directory_ + "/" + hold) << "\n"; }

std::vector<Json> RunningServer::log() const {
  std::vector<Json> lines;
  std::ifstream file(directory_ + "/log");
  for (std::string line; std::getline(file, line) && !file.eof();) {  // without its newline it is not whole
    lines.push_back(Json::parse(line, nullptr, false));
    EXPECT_TRUE(lines.back().is_object()) << line.substr(0, 200);
  }
  return lines;
}

std::vector<Json> RunningServer::requests() const {
  auto lines = log();
  std::erase_if(lines, [](const auto& line) { return line.value("event", "") != "request"; });
  return lines;
}

std::vector<Json> RunningServer::requests_of(const std::string& api_key) const {
  auto lines = requests();
  std::erase_if(lines, [&](const auto& line) { return line.value("api_key", "") != api_key; });
  return lines;
}

std::vector<std::string> RunningServer::surprises() const {
  std::vector<std::string> reasons;
  for (const auto& line : log())
    if (line.contains("why")) reasons.push_back(line["why"].get<std::string>());
  return reasons;
}

bool RunningServer::has_requests(std::size_t count, e2e::Milliseconds limit) const {
  return e2e::eventually([&] { return requests().size() >= count; }, limit);
}

bool RunningServer::has_event(const std::string& event, std::int64_t number, e2e::Milliseconds limit) const {
  return e2e::eventually(
      [&] {
        const auto lines = log();
        return std::any_of(lines.begin(), lines.end(), [&](const auto& line) {
          return line.value("event", "") == event && line.value("number", std::int64_t{0}) == number;
        });
      },
      limit);
}

}  // namespace teamster::model

// RunningServer: the program model_server as a child of the test, with its script, its log and
// a directory of its own. It ends with this object, or with the test's process at the latest.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "e2e/process.h"

namespace teamster::model {

class RunningServer {
 public:
  // On a free port unless one is given.
  explicit RunningServer(const Json& script, std::uint16_t port = 0);
  ~RunningServer();
  RunningServer(const RunningServer&) = delete;
  RunningServer& operator=(const RunningServer&) = delete;

  std::uint16_t port() const { return port_; }
  std::string url() const;
  e2e::Process& process() { return *process_; }

  // Lets go what is held for this file.
  void release(const std::string& hold) const;

  // The log so far, or only what it says about requests, in their order.
  std::vector<Json> log() const;
  std::vector<Json> requests() const;
  std::vector<Json> requests_of(const std::string& api_key) const;
  // Why requests were answered against the script; empty is good.
  std::vector<std::string> surprises() const;
  // Waits until so many requests have come.
  bool has_requests(std::size_t count, e2e::Milliseconds limit = e2e::kPatience) const;
  // Waits until the log holds this event about the request with this number.
  bool has_event(const std::string& event, std::int64_t number, e2e::Milliseconds limit = e2e::kPatience) const;

 private:
  std::string directory_;
  std::unique_ptr<e2e::Process> process_;
  std::uint16_t port_ = 0;
};

}  // namespace teamster::model

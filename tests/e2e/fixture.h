// Home: a scratch home of teamster on disk, and the real program run in it. Its destructor
// kills whatever still runs with this home in its environment and removes the directory.
#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "e2e/process.h"
#include "protocol/client/client.h"

namespace teamster::e2e {

using Words = std::vector<std::string>;

struct Outcome {
  int exit = -1;  // -1: did not end in time
  std::string out;
  std::string err;
  Json json;  // the document on stdout, or null

  // Of the error document.
  std::string code() const { return error("code"); }
  std::string what() const { return error("what"); }
  std::string next() const { return error("next"); }

 private:
  std::string error(const char* field) const;
};
// Waits for its end.
Outcome outcome_of(Process& process, Milliseconds limit = kPatience);
// For messages of failed expectations.
std::ostream& operator<<(std::ostream& stream, const Outcome& outcome);

struct RunOptions {
  std::string input = {};
  Words environment = {};
  bool close_input = false;
  Milliseconds limit = kPatience;
};

class Home {
 public:
  // A directory of its own below /tmp, owned by `uid`; the home itself is not made yet.
  explicit Home(std::optional<uid_t> uid = std::nullopt);
  // The home lies at this place below that directory.
  explicit Home(const std::string& place, std::optional<uid_t> uid = std::nullopt);
  ~Home();
  Home(const Home&) = delete;
  Home& operator=(const Home&) = delete;

  const std::string& path() const { return path_; }
  const std::string& scratch() const { return scratch_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

  Process start(const Words& words, const RunOptions& options = {}) const;
  Outcome run(const Words& words, const RunOptions& options = {}) const;
  // Adds --json, expects exit code 0 and gives the document.
  Json ok(Words words, const RunOptions& options = {}) const;
  // Adds --json, expects that exit code.
  Outcome fails(int exit, Words words, const RunOptions& options = {}) const;

  // Often used.
  void create_team(const std::string& team, const Words& members) const;
  std::int64_t send(const std::string& team, const std::string& from, const std::string& to,
                    const std::string& text) const;
  std::vector<Json> inbox(const std::string& team, const std::string& member, const Words& flags = {}) const;
  std::string token_file(const std::string& team, const std::string& member) const;
  // Whether the whole store is as its journal says.
  bool store_is_sound() const;
  // Events of the journal of this kind.
  std::vector<Json> events(const std::string& kind) const;

  std::vector<pid_t> hub_pids() const;
  // The one that serves; starts one when there is none.
  pid_t hub_pid() const;
  // Signals the hub and waits until it is gone.
  void end_hub(int signal = SIGKILL) const;
  // Signals every hub process there is, and does not wait.
  int kill_hubs() const;

  hub::Home as_hub_home() const { return hub::Home(path_); }

 private:
  std::string scratch_;
  std::string path_;
  std::optional<uid_t> uid_;
};

// Whether the program can be run by the user nobody; if not, the reason.
std::string why_not_as_nobody();

std::string read_file(const std::string& path);
void write_file(const std::string& path, const std::string& content);
unsigned mode_of(const std::string& path);

}  // namespace teamster::e2e

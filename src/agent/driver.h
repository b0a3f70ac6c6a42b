// Driver: how one kind of agent is run. Drivers are stateless values of the program; what
// they start is a Session. What a driver can do is declared here, so that whoever uses it
// never asks for its name.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/session.h"
#include "base/limits.h"
#include "base/result.h"
#include "base/time.h"
#include "env/world.h"

namespace teamster::agent {

struct SessionLimits {
  Duration start = limits::kAgentStartDeadline;
  Duration silence = limits::kTurnSilenceMax;
  Duration turn = limits::kTurnMax;
  Duration interrupt = limits::kInterruptDeadline;
};

// Everything a driver needs to start an agent for a member.
struct StartOptions {
  std::string team;
  std::string member;
  std::string directory;                 // where it works
  std::string private_directory;         // the member's own
  std::string model;                     // empty: the agent's default
  std::string effort;                    // empty: the agent's default
  std::string instructions;              // who it is, beside what it is told in turns
  std::vector<std::string> environment;  // the whole of it
  std::vector<std::string> team_tools;   // command of its MCP server; empty: none
  std::vector<std::string> allowed_tools;
  std::optional<std::vector<std::string>> tools;  // all that it has beside the team's; nullopt: those of the agent
  std::optional<Json> schema;                     // of every answer, where the agent can be told at its start
  std::string program;                            // empty: found on PATH
  std::vector<std::string> arguments;             // of a command, or more for the agent
  std::string script;                             // file, of the script driver
  std::string resume_token;                       // empty: a new conversation
  double cost_so_far_usd = 0;                     // of the conversation that is resumed
  SessionLimits limits;
};

struct Abilities {
  bool injects = false;     // takes messages while a turn runs
  bool interrupts = false;  // a turn can be cut and the conversation goes on
  bool resumes = false;     // a conversation survives its process
  bool has_tools = false;   // speaks MCP, so it can have the team's tools
  bool asks = false;        // asks for permissions
  bool costs = false;       // says what a turn cost
};

// What whoever chooses the driver has to say beside its name.
struct Needs {
  bool command = false;  // StartOptions::arguments: a program and its arguments
  bool script = false;   // StartOptions::script
};

// Whether the agent is there to be run.
struct Installed {
  std::string program;  // empty: not found
  std::string version;
  std::string problem;  // why it cannot be used, and what to do
};

class Driver {
 public:
  virtual ~Driver() = default;
  virtual std::string_view name() const = 0;
  virtual std::string_view summary() const = 0;
  virtual Abilities abilities() const = 0;
  virtual Needs needs() const { return {}; }
  // Variables that carry its login, passed on with `auth: env`.
  virtual std::vector<std::string> login_variables() const { return {}; }
  // Variables that make it behave as a member of a team should.
  virtual std::vector<std::string> fixed_variables() const { return {}; }
  // Variables that give a member a configuration of its own: `directory` + "/config", and
  // beside it whatever else would go to the user's home.
  virtual std::vector<std::string> private_variables(const std::string& directory) const {
    (void)directory;
    return {};
  }
  // Where its program is; `variable` looks one up in the environment.
  virtual std::string find_program(const env::World& world) const = 0;
  // What to run to learn its version; empty: nothing.
  virtual std::vector<std::string> version_arguments() const { return {}; }
  // What it needs and does not have, told before anything starts. `start` asks it, too.
  virtual Result<void> check(const env::World& world, const StartOptions& options) const = 0;
  virtual Result<std::unique_ptr<Session>> start(const env::World& world, const StartOptions& options,
                                                 SessionListener& listener) const = 0;
};

// The driver of that name; Code::invalid with those there are.
Result<const Driver*> find_driver(std::string_view name);
const std::vector<const Driver*>& all_drivers();

// A program on $PATH, or the path itself when it is one; empty when there is none.
std::string find_on_path(const env::World& world, const std::string& name);

}  // namespace teamster::agent

// The drivers whose agents speak claude's stream-json: `claude`, the real program, and
// `script`, which plays a rehearsal script in its place. Stateless.
#pragma once

#include "agent/driver.h"

namespace teamster::agent {

class ClaudeDriver : public Driver {
 public:
  std::string_view name() const override { return "claude"; }
  std::string_view summary() const override { return "Claude Code, one long-lived process per member"; }
  Abilities abilities() const override;
  std::vector<std::string> login_variables() const override;
  std::vector<std::string> fixed_variables() const override;
  std::vector<std::string> private_variables(const std::string& directory) const override;
  std::string find_program(const env::World& world) const override;
  std::vector<std::string> version_arguments() const override { return {"--version"}; }
  Result<void> check(const env::World& world, const StartOptions& options) const override;
  Result<std::unique_ptr<Session>> start(const env::World& world, const StartOptions& options,
                                         SessionListener& listener) const override;
};

class ScriptDriver : public Driver {
 public:
  std::string_view name() const override { return "script"; }
  std::string_view summary() const override { return "a rehearsal script, played by a real process without a model"; }
  Abilities abilities() const override;
  Needs needs() const override { return {.script = true}; }
  std::string find_program(const env::World& world) const override;
  Result<void> check(const env::World& world, const StartOptions& options) const override;
  Result<std::unique_ptr<Session>> start(const env::World& world, const StartOptions& options,
                                         SessionListener& listener) const override;
};

}  // namespace teamster::agent

// The `command` driver: any program that reads a prompt on its standard input and writes
// its answer to its standard output, started anew for each turn. Stateless.
#pragma once

#include "agent/driver.h"

namespace teamster::agent {

class CommandDriver : public Driver {
 public:
  std::string_view name() const override { return "command"; }
  std::string_view summary() const override { return "any program: prompt on stdin, answer on stdout, one per turn"; }
  Abilities abilities() const override { return {.interrupts = true}; }
  Needs needs() const override { return {.command = true}; }
  std::string find_program(const env::World&) const override { return {}; }
  Result<void> check(const env::World& world, const StartOptions& options) const override;
  Result<std::unique_ptr<Session>> start(const env::World& world, const StartOptions& options,
                                         SessionListener& listener) const override;
};

}  // namespace teamster::agent

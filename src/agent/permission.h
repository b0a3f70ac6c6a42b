// PermissionPolicy: what an agent may do when it asks. Rules name tools, with `*` for any
// run of characters; a rule for one use of a tool is Tool(pattern), matched against its
// command or path. Denials win. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/session.h"
#include "base/result.h"

namespace teamster::agent {

class PermissionPolicy {
 public:
  struct Rules {
    std::vector<std::string> allow;
    std::vector<std::string> deny;
    bool allow_rest = false;
  };
  static Result<PermissionPolicy> make(const Rules& rules);

  PermissionAnswer decide(const PermissionRequest& request) const;

 private:
  struct Rule {
    std::string text;  // as it was given, for the refusal
    std::string tool;
    std::string use;  // empty: any
  };
  static Result<Rule> parse(const std::string& text);
  static bool matches(const Rule& rule, const PermissionRequest& request);

  std::vector<Rule> allow_;
  std::vector<Rule> deny_;
  bool allow_rest_ = false;
};

// Whether the whole text is matched by a pattern in which `*` stands for any characters.
bool matches_pattern(std::string_view pattern, std::string_view text);

}  // namespace teamster::agent

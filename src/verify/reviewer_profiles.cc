#include "verify/reviewer_profiles.h"

#include <fmt/format.h>

#include "base/text.h"
#include "builtin/files.h"

namespace teamster::verify {

const std::vector<std::string>& reviewer_profiles() {
  static const std::vector<std::string> kProfiles = {"general-purpose",
                                                     "prompt-reviewer",
                                                     "code-simplicity-reviewer",
                                                     "code-bugs-reviewer",
                                                     "code-maintainability-reviewer",
                                                     "code-design-reviewer",
                                                     "manifest-verifier"};
  return kProfiles;
}

Result<std::string> reviewer_instructions(const std::string& profile) {
  const auto found = builtin::files().find("agents/" + profile + ".md");
  if (found == builtin::files().end())
    return fail(Code::not_found, fmt::format("there is no reviewer {}", quoted(profile, 60)),
                fmt::format("There are: {}", join(reviewer_profiles(), ", ")));
  std::string_view text = found->second;
  if (text.starts_with("---\n"))
    if (const std::size_t end = text.find("\n---\n", 3); end != text.npos) text.remove_prefix(end + 5);
  return std::string(trimmed(text));
}

}  // namespace teamster::verify

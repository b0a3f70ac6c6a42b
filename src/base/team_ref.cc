#include "base/team_ref.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/name.h"
#include "base/sha256.h"
#include "base/text.h"

namespace teamster {
namespace {

constexpr std::size_t kTagDigits = 8;

bool is_tag(std::string_view text) {
  const auto is_hex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  return text.size() == kTagDigits && std::all_of(text.begin(), text.end(), is_hex);
}

}  // namespace

Result<TeamRef> TeamRef::parse(std::string_view text) {
  const std::size_t at = text.find('@');
  const Name name = TRY(Name::parse("team", text.substr(0, at)));
  if (at == text.npos) return TeamRef{name.text()};
  const std::string_view tag = text.substr(at + 1);
  if (is_tag(tag)) return TeamRef{name.text(), std::string(tag)};
  return fail(Code::invalid, fmt::format("{} names no team: behind the @ stand eight digits", quoted(text, 80)),
              "Take it from `teamster team list --json`, or leave it out and stand in the project");
}

TeamRef TeamRef::of(std::string name, std::string_view project) { return {std::move(name), project_tag(project)}; }

std::string project_tag(std::string_view project) {
  return project.empty() ? std::string() : to_hex(sha256(project)).substr(0, kTagDigits);
}

}  // namespace teamster

#include "rehearsal/fault.h"

#include <array>

#include <fmt/format.h>

#include "base/text.h"

namespace teamster::cli {
namespace {

struct FaultName {
  std::string_view word;
  StagedFault::What what;
};
constexpr std::array<FaultName, 5> kFaultNames = {{{"crash", StagedFault::What::crash},
                                                   {"mute", StagedFault::What::mute},
                                                   {"slow", StagedFault::What::slow},
                                                   {"garbage", StagedFault::What::garbage},
                                                   {"kill", StagedFault::What::kill}}};

Result<StagedFault::What> what_of(const std::string& word) {
  for (const auto& name : kFaultNames)
    if (name.word == word) return name.what;
  return fail(Code::invalid, fmt::format("{} is no fault", quoted(word, 40)),
              "Faults are crash, mute, slow, garbage and kill, as in 'crash builder@fix.1'");
}

}  // namespace

Result<StagedFault> StagedFault::parse(const std::string& text) {
  const std::size_t space = text.find(' ');
  const std::size_t at = text.find('@');
  if (space == std::string::npos || at == std::string::npos || at < space + 2 || at + 1 == text.size())
    return fail(Code::invalid, fmt::format("{} is not FAULT WHO@WHERE", quoted(text, 100)),
                "For example 'crash builder@fix.1' or 'kill engine@step.done:verify.1:after'");
  StagedFault fault;
  fault.what = TRY(what_of(text.substr(0, space)));
  fault.whom = text.substr(space + 1, at - space - 1);
  fault.where = text.substr(at + 1);
  const bool is_point = fault.where.ends_with(":before") || fault.where.ends_with(":after");
  if ((fault.what == What::kill) != is_point)
    return fail(Code::invalid,
                is_point ? "only kill strikes at a point of the journal" : "kill strikes at a point of the journal",
                "For example 'kill engine@step.done:verify.1:after'");
  return fault;
}

std::string StagedFault::text() const {
  return fmt::format("{} {}@{}", kFaultNames[static_cast<std::size_t>(what)].word, whom, where);
}

}  // namespace teamster::cli

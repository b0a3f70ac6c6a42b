#include "people/replies.h"

#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "workflow/core/stakeholders.h"

namespace teamster::people {
namespace {

using workflow::told::Reply;

constexpr std::array<std::string_view, 2> kApprovals = {"approve", "approved"};

std::string in_small_letters(std::string_view text) {
  std::string small(text);
  for (char& c : small)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return small;
}

}  // namespace

Result<Reply> read_reply(const Posting& posting, std::string_view text) {
  const std::string said(trimmed(text));
  if (said.empty() && posting.options.empty()) return fail(Code::invalid, "the answer is empty", "Write one");
  if (posting.is_gate) {
    const bool approves = std::find(kApprovals.begin(), kApprovals.end(), in_small_letters(said)) != kApprovals.end();
    if (approves) return Reply{.approved = true};
    return Reply{.approved = false, .feedback = said};
  }
  // What only this workflow wants of them the run says, and asks again.
  if (posting.is_for_people) TRY_VOID(workflow::read_people(text, {}));
  const auto& options = posting.options;
  if (options.empty()) return Reply{.answer = std::string(text)};
  if (std::find(options.begin(), options.end(), said) != options.end()) return Reply{.answer = said};
  for (std::size_t number = 1; number <= options.size(); ++number)
    if (said == std::to_string(number)) return Reply{.answer = options[number - 1]};
  const bool is_slip = said.find(' ') == std::string::npos && closest(said, options);
  if (posting.takes_words && !said.empty() && !is_slip) return Reply{.answer = std::string(text)};
  return fail(Code::invalid, fmt::format("{} is no answer to {}", quoted(said, 80), posting.id),
              fmt::format("Choose one, or its number: {}", join(options, ", ")));
}

}  // namespace teamster::people

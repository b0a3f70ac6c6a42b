#include "base/pattern.h"

#include <algorithm>
#include <vector>

#include "base/pattern_program.h"
#include "base/text.h"

namespace teamster {
namespace {

using Kind = PatternInstruction::Kind;

constexpr char32_t kNone = 0xFFFFFFFF;  // before the text and behind it
constexpr std::size_t kNowhere = std::string_view::npos;

bool is_word(char32_t c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// One way through the text: where it is in the program, and where the first group lies.
struct Thread {
  std::size_t at = 0;
  std::size_t group_begin = kNowhere;
  std::size_t group_end = kNowhere;
};

enum class Extent { anywhere, whole };

// One walk through one text. Threads are kept in the order in which the expression prefers
// them; of two at the same instruction the second can find nothing that the first does not.
class Walk {
 public:
  Walk(const PatternProgram& program, std::string_view text, Extent extent)
      : program_(program),
        text_(text),
        extent_(extent),
        is_fixed_(extent == Extent::whole || program.code.front().kind == Kind::text_begin),
        seen_(program.code.size(), kNowhere) {}

  // The thread that got through, when there is one. The first is enough for who needs no groups.
  std::optional<Thread> run(bool needs_groups);

 private:
  void follow(const Thread& arrived);
  bool holds(Kind kind) const;
  bool takes(const PatternInstruction& instruction) const {
    if (instruction.kind == Kind::character) return static_cast<char32_t>(instruction.first) == here_;
    return program_.sets[static_cast<std::size_t>(instruction.first)].contains(here_);
  }

  const PatternProgram& program_;
  const std::string_view text_;
  const Extent extent_;
  const bool is_fixed_;  // to the beginning of the text
  std::size_t at_ = 0;
  char32_t before_ = kNone;
  char32_t here_ = kNone;
  std::vector<Thread> threads_;    // that wait for a character, or have come to the end
  std::vector<Thread> to_follow_;  // the last one first
  std::vector<std::size_t> seen_;  // by instruction: the place in the text for which it was
};

bool Walk::holds(Kind kind) const {
  switch (kind) {
    case Kind::text_begin:
      return at_ == 0;
    case Kind::text_end:
      return here_ == kNone;
    case Kind::word_border:
      return is_word(before_) != is_word(here_);
    default:
      return is_word(before_) == is_word(here_);
  }
}

// Through everything that takes no character.
void Walk::follow(const Thread& arrived) {
  to_follow_.push_back(arrived);
  while (!to_follow_.empty()) {
    Thread thread = to_follow_.back();
    to_follow_.pop_back();
    if (seen_[thread.at] == at_) continue;
    seen_[thread.at] = at_;
    const auto& instruction = program_.code[thread.at];
    const auto go = [&](std::int32_t offset) {
      Thread next = thread;
      next.at += static_cast<std::size_t>(static_cast<std::ptrdiff_t>(offset));
      to_follow_.push_back(next);
    };
    switch (instruction.kind) {
      case Kind::character:
      case Kind::set:
      case Kind::match:
        threads_.push_back(thread);
        break;
      case Kind::split:
        go(instruction.second);
        go(instruction.first);
        break;
      case Kind::jump:
        go(instruction.first);
        break;
      case Kind::group_begin:
        thread.group_begin = at_;
        go(1);
        break;
      case Kind::group_end:
        thread.group_end = at_;
        go(1);
        break;
      default:
        if (holds(instruction.kind)) go(1);
    }
  }
}

std::optional<Thread> Walk::run(bool needs_groups) {
  std::optional<Thread> found;
  std::vector<Thread> arrived;
  while (true) {
    std::size_t next = at_;
    here_ = at_ < text_.size() ? next_character(text_, next) : kNone;
    threads_.clear();
    for (const Thread& thread : arrived) follow(thread);
    if (!found && (at_ == 0 || !is_fixed_)) follow({});
    arrived.clear();
    for (Thread& thread : threads_) {
      const auto& instruction = program_.code[thread.at];
      if (instruction.kind != Kind::match) {
        if (here_ == kNone || !takes(instruction)) continue;
        ++thread.at;
        arrived.push_back(thread);
      } else if (extent_ == Extent::anywhere || here_ == kNone) {
        found = thread;
        break;  // the expression prefers it to those that follow
      }
    }
    if (here_ == kNone || (found && !needs_groups) || (arrived.empty() && (found || is_fixed_))) return found;
    before_ = here_;
    at_ = next;
  }
}

}  // namespace

struct Pattern::Compiled {
  std::string expression;
  PatternProgram program;
};

Result<Pattern> Pattern::compile(std::string_view expression) {
  auto program = TRY(compile_pattern(expression));
  return Pattern(std::make_shared<const Compiled>(Compiled{std::string(expression), std::move(program)}));
}

bool Pattern::search(std::string_view text) const {
  return Walk(compiled_->program, text, Extent::anywhere).run(false).has_value();
}

bool Pattern::matches_whole(std::string_view text) const {
  return Walk(compiled_->program, text, Extent::whole).run(false).has_value();
}

bool Pattern::has_group() const {
  const auto& code = compiled_->program.code;
  return std::any_of(code.begin(), code.end(), [](const auto& each) { return each.kind == Kind::group_begin; });
}

std::optional<std::string> Pattern::first_group(std::string_view text) const {
  const auto found = Walk(compiled_->program, text, Extent::anywhere).run(true);
  if (!found || found->group_end == kNowhere) return std::nullopt;
  return std::string(text.substr(found->group_begin, found->group_end - found->group_begin));
}

std::size_t Pattern::steps_per_byte() const { return compiled_->program.code.size(); }
const std::string& Pattern::expression() const { return compiled_->expression; }

}  // namespace teamster

#include "base/pattern.h"

#include <utility>

#include <fmt/format.h>
#include <re2/re2.h>

#include "base/limits.h"
#include "base/pattern_syntax.h"
#include "base/text.h"

namespace teamster {
namespace {

constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";

// RE2 matches valid UTF-8 alone. The text as it is when it is such, or else with each byte that is none replaced.
class ReadableText {
 public:
  explicit ReadableText(std::string_view text) : view_(text.data() == nullptr ? "" : text) {
    if (!find_invalid_utf8(text)) return;
    while (const auto bad = find_invalid_utf8(text)) {
      replaced_.append(text.substr(0, *bad)).append(kReplacementCharacter);
      text.remove_prefix(*bad + 1);
    }
    replaced_ += text;
    view_ = replaced_;
  }
  ReadableText(const ReadableText&) = delete;
  ReadableText& operator=(const ReadableText&) = delete;

  re2::StringPiece piece() const { return {view_.data(), view_.size()}; }

 private:
  std::string replaced_;
  std::string_view view_;
};

bool is_inside_character(const re2::StringPiece& text, std::size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;
}

RE2::Options options() {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(limits::kPatternMemoryMaxBytes);
  return options;
}

// What its syntax does not tell: how much it is.
std::string refusal(const RE2& engine) {
  switch (engine.error_code()) {
    case RE2::ErrorPatternTooLarge:
      return fmt::format("its sets of characters and repetitions take more than {} bytes of memory",
                         limits::kPatternMemoryMaxBytes);
    case RE2::ErrorRepeatSize:
      return fmt::format("with its repetitions in each other something is repeated more than {} times",
                         limits::kPatternRepetitionsMax);
    default:
      return engine.error();
  }
}

}  // namespace

struct Pattern::Compiled {
  Compiled(std::string_view text, const PatternSyntax& read)
      : expression(text), syntax(read), engine(syntax.re2, options()) {}

  // The first place of the text where it is found, with as many groups as there are pieces behind the first.
  bool find(const re2::StringPiece& text, re2::StringPiece* pieces, int count) const {
    std::size_t at = 0;
    while (engine.Match(text, at, text.size(), RE2::UNANCHORED, pieces, count)) {
      if (!syntax.has_no_word_border) return true;
      // To RE2 there is no border of a word between two bytes of a character, but there is no place, either.
      at = static_cast<std::size_t>(pieces->data() - text.data());
      if (!is_inside_character(text, at)) return true;
      ++at;
    }
    return false;
  }

  std::string expression;
  PatternSyntax syntax;
  RE2 engine;
};

Result<Pattern> Pattern::compile(std::string_view expression) {
  const PatternSyntax syntax = TRY(read_pattern_syntax(expression));
  auto compiled = std::make_shared<const Compiled>(expression, syntax);
  if (!compiled->engine.ok()) return refuse_pattern(expression, refusal(compiled->engine));
  return Pattern(std::move(compiled));
}

bool Pattern::search(std::string_view text) const {
  const ReadableText readable(text);
  re2::StringPiece found;
  return compiled_->find(readable.piece(), &found, compiled_->syntax.has_no_word_border ? 1 : 0);
}

bool Pattern::matches_whole(std::string_view text) const {
  const ReadableText readable(text);
  return compiled_->engine.Match(readable.piece(), 0, readable.piece().size(), RE2::ANCHOR_BOTH, nullptr, 0);
}

bool Pattern::has_group() const { return compiled_->syntax.has_group; }

std::optional<std::string> Pattern::first_group(std::string_view text) const {
  if (!has_group()) return std::nullopt;
  const ReadableText readable(text);
  re2::StringPiece pieces[2];
  if (!compiled_->find(readable.piece(), pieces, 2) || pieces[1].data() == nullptr) return std::nullopt;
  return std::string(pieces[1]);
}

std::size_t Pattern::steps_per_byte() const { return static_cast<std::size_t>(compiled_->engine.ProgramSize()); }
const std::string& Pattern::expression() const { return compiled_->expression; }

}  // namespace teamster

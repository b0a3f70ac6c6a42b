#include "verify/markdown.h"

#include <algorithm>
#include <optional>

#include "base/text.h"

namespace teamster::verify {
namespace {

constexpr std::size_t kTabColumns = 4;
constexpr std::size_t kFenceLeast = 3;
constexpr std::size_t kHeadingLevels = 6;
constexpr std::size_t kItemDigitsMax = 9;
constexpr std::size_t kCodeIndent = 4;  // what stands so much deeper than a fence does not close it

struct Indented {
  std::size_t columns = 0;
  std::string_view rest;
};

Indented indentation_of(std::string_view line) {
  Indented found;
  std::size_t at = 0;
  for (; at < line.size() && (line[at] == ' ' || line[at] == '\t'); ++at)
    found.columns += line[at] == '\t' ? kTabColumns - found.columns % kTabColumns : 1;
  found.rest = line.substr(at);
  return found;
}

// The line without its first columns of space. A tab that is only partly among them leaves spaces.
std::string without_columns(std::string_view line, std::size_t columns) {
  std::size_t gone = 0;
  std::size_t at = 0;
  for (; at < line.size() && gone < columns && (line[at] == ' ' || line[at] == '\t'); ++at)
    gone += line[at] == '\t' ? kTabColumns - gone % kTabColumns : 1;
  return std::string(gone > columns ? gone - columns : 0, ' ').append(line.substr(at));
}

std::size_t count_of_first(std::string_view text) {
  if (text.empty()) return 0;
  return std::min(text.find_first_not_of(text.front()), text.size());
}

// What a fence opens with: its marks and its info string.
struct FenceMark {
  char mark;
  std::size_t count;
  std::string_view info;
};

std::optional<FenceMark> fence_mark(std::string_view rest) {
  if (rest.empty() || (rest.front() != '`' && rest.front() != '~')) return std::nullopt;
  const std::size_t count = count_of_first(rest);
  if (count < kFenceLeast) return std::nullopt;
  const std::string_view info = trimmed(rest.substr(count));
  // `a` in a line of text is code within it.
  if (rest.front() == '`' && info.find('`') != info.npos) return std::nullopt;
  return FenceMark{rest.front(), count, info};
}

// Behind the marker of a list item, if there is one.
std::optional<std::string_view> behind_marker(std::string_view rest) {
  std::size_t marker = 0;
  if (!rest.empty() && (rest[0] == '-' || rest[0] == '*' || rest[0] == '+')) {
    marker = 1;
  } else {
    const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
    if (digits > 0 && digits <= kItemDigitsMax && digits < rest.size() && (rest[digits] == '.' || rest[digits] == ')'))
      marker = digits + 1;
  }
  if (marker == 0) return std::nullopt;
  if (marker < rest.size() && rest[marker] != ' ' && rest[marker] != '\t') return std::nullopt;
  return trimmed(rest.substr(marker));
}

bool is_underline(std::string_view rest) {
  const std::string_view marks = trimmed(rest);
  return marks.size() >= 3 && (marks.front() == '=' || marks.front() == '-') && count_of_first(marks) == marks.size();
}

bool is_thematic_break(std::string_view rest) {
  std::size_t marks = 0;
  for (const char c : rest) {
    if (c == ' ' || c == '\t') continue;
    if (c != rest.front() || (c != '-' && c != '*' && c != '_')) return false;
    ++marks;
  }
  return marks >= 3;
}

class MarkdownReader {
 public:
  MarkdownReader(std::string_view text, const EndsFence& ends_fence) : text_(text), ends_fence_(ends_fence) {}

  std::vector<Piece> read() {
    while (has_line()) {
      const std::string_view line = take_line();
      const Indented indented = indentation_of(line);
      if (indented.rest.starts_with("<!--"))
        take_comment(indented);
      else if (const auto mark = fence_mark(indented.rest))
        take_fence(*mark, indented.columns);
      else
        take_plain(indented);
    }
    return std::move(pieces_);
  }

 private:
  bool has_line() const { return at_ < text_.size(); }

  std::string_view take_line() {
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    std::string_view line = text_.substr(at_, end - at_);
    at_ = end + 1;
    ++line_;
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
  }

  void add(Piece piece) {
    if (piece.line == 0) piece.line = line_;
    pieces_.push_back(std::move(piece));
  }

  void take_plain(const Indented& indented) {
    const std::string_view rest = trimmed(indented.rest);
    if (rest.empty()) return add({});
    if (is_underline(rest) && underlines_heading(rest.front() == '=' ? 1 : 2)) return;
    if (is_thematic_break(rest)) return add({});
    const std::size_t marks = rest.front() == '#' ? count_of_first(rest) : 0;
    const bool is_heading =
        marks > 0 && marks <= kHeadingLevels && (marks == rest.size() || rest[marks] == ' ' || rest[marks] == '\t');
    if (is_heading) {
      std::string_view words = trimmed(rest.substr(marks));
      while (words.ends_with('#')) words.remove_suffix(1);
      return add({.kind = Piece::Kind::heading, .indent = indented.columns, .level = marks, .text = trimmed(words)});
    }
    if (const auto behind = behind_marker(rest))
      return add({.kind = Piece::Kind::item, .indent = indented.columns, .text = *behind});
    add({.kind = Piece::Kind::text, .indent = indented.columns, .text = rest});
  }

  // A line of text after a blank one, alone, is a heading when it is underlined.
  bool underlines_heading(std::size_t level) {
    if (pieces_.empty() || pieces_.back().kind != Piece::Kind::text) return false;
    if (pieces_.size() > 1 && pieces_[pieces_.size() - 2].kind != Piece::Kind::blank) return false;
    pieces_.back().kind = Piece::Kind::heading;
    pieces_.back().level = level;
    return true;
  }

  void take_fence(const FenceMark& open, std::size_t indent) {
    Piece fence{.kind = Piece::Kind::fence, .line = line_, .indent = indent, .text = open.info, .is_closed = false};
    while (has_line()) {
      const std::size_t at = at_;
      const std::string_view line = take_line();
      const Indented indented = indentation_of(line);
      const auto mark = fence_mark(indented.rest);
      if (mark && mark->mark == open.mark && mark->count >= open.count && mark->info.empty() &&
          indented.columns < indent + kCodeIndent) {
        fence.is_closed = true;
        break;
      }
      if (indented.columns <= indent && ends_fence_(open.info, line)) {
        at_ = at;
        --line_;
        break;
      }
      fence.content += without_columns(line, indent);
      fence.content += '\n';
    }
    add(std::move(fence));
  }

  // Up to the line in which it ends; what follows it there is part of it, too.
  void take_comment(const Indented& begin) {
    const std::size_t line = line_;
    bool is_closed = begin.rest.find("-->") != begin.rest.npos;
    while (!is_closed && has_line()) is_closed = take_line().find("-->") != std::string_view::npos;
    if (is_closed)
      add({.line = line});
    else
      add({.kind = Piece::Kind::text, .line = line, .text = begin.rest, .is_closed = false});
  }

  std::string_view text_;
  const EndsFence& ends_fence_;
  std::size_t at_ = 0;
  std::size_t line_ = 0;
  std::vector<Piece> pieces_;
};

}  // namespace

std::vector<Piece> read_markdown(std::string_view text, const EndsFence& ends_fence) {
  return MarkdownReader(text, ends_fence).read();
}

}  // namespace teamster::verify

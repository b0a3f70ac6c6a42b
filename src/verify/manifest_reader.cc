// Reading a manifest: pieces of Markdown in their order, each criterion open until what follows it is known.
#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "verify/check_block.h"
#include "verify/coverage.h"
#include "verify/criterion_line.h"
#include "verify/manifest.h"
#include "verify/manifest_section.h"
#include "verify/markdown.h"
#include "verify/verify_limits.h"
#include "yaml/lines.h"

namespace teamster::verify {
namespace {

constexpr std::size_t kWordsShownBytes = 60;

// The first word of a fence's info string, in small letters.
std::string language_of(std::string_view info) {
  std::string word(info.substr(0, std::min(info.find_first_of(" \t{"), info.size())));
  std::ranges::transform(word, word.begin(), [](unsigned char c) { return std::tolower(c); });
  return word;
}

bool is_yaml(std::string_view info) {
  const std::string language = language_of(info);
  return language == "yaml" || language == "yml";
}

class ManifestReader {
 public:
  explicit ManifestReader(std::string_view text)
      : pieces_(read_markdown(text, [](std::string_view info, std::string_view line) {
          return is_yaml(info) && is_criterion_line(line);
        })) {}

  ParsedManifest read() {
    for (at_ = 0; at_ < pieces_.size(); ++at_) {
      const Piece& piece = pieces_[at_];
      keep_intent(piece);
      switch (piece.kind) {
        case Piece::Kind::heading:
          take_heading(piece);
          break;
        case Piece::Kind::item:
          take_item(piece);
          break;
        case Piece::Kind::fence:
          take_fence(piece);
          break;
        case Piece::Kind::text:
          take_text(piece);
          break;
        case Piece::Kind::blank:
          break;
      }
    }
    close_criterion();
    return finish();
  }

 private:
  // A criterion of which the block is still to come.
  struct Open {
    Criterion criterion;
    std::size_t indent = 0;
    bool is_broken = false;  // its errors are told; what follows it belongs to it all the same
    bool has_block = false;
    const Piece* other_fence = nullptr;
  };

  void add_error(std::size_t line, std::string what) { errors_.push_back({line, std::move(what)}); }

  bool is_history() const { return section_.section() == Section::amendment && is_historical_; }

  void keep_intent(const Piece& piece) {
    if (section_.section() != Section::intent || piece.kind == Piece::Kind::heading) return;
    std::string& intent = manifest_.intent;
    if (piece.kind == Piece::Kind::item) intent += "- ";
    intent += piece.kind == Piece::Kind::fence ? std::string_view(piece.content) : piece.text;
    intent += '\n';
    if (intent.size() > kIntentKeptBytes) intent = beginning_of(intent, kIntentKeptBytes);
  }

  void take_heading(const Piece& piece) {
    close_criterion();
    const auto entered = section_.enter(piece.level, piece.text);
    if (entered.is_title) manifest_.title = piece.text;
    if (entered.is_amendment) {
      is_historical_ = section_.is_historical();
      manifest_.amendments.push_back({std::string(piece.text), piece.line, is_historical_});
    }
    if (entered.is_deliverable && section_.deliverable())
      manifest_.deliverables.push_back({*section_.deliverable(), std::string(piece.text)});
    const auto line = read_criterion_line(piece.text, {.is_item = false, .is_among_criteria = false});
    if (line.kind == CriterionLine::Kind::mistaken) mistake(piece, line);
  }

  void take_item(const Piece& piece) {
    std::string text(piece.text);
    while (at_ + 1 < pieces_.size() && pieces_[at_ + 1].kind == Piece::Kind::text && pieces_[at_ + 1].is_closed) {
      text += ' ';
      text += pieces_[++at_].text;
      if (text.size() > 2 * kCriterionTextMaxBytes) break;
    }
    take_supersedes(text);
    const auto line = read_criterion_line(text, {.is_item = true, .is_among_criteria = section_.has_criteria()});
    if (line.kind == CriterionLine::Kind::none) {
      // A note below the criterion, unless it stands beside it.
      if (open_ && piece.indent <= open_->indent) close_criterion();
      return;
    }
    if (line.kind == CriterionLine::Kind::mistaken) return mistake(piece, line);
    close_criterion();
    open_ = Open{.criterion = {.id = line.id, .text = line.text, .line = piece.line}, .indent = piece.indent};
    if (line.is_covered) {
      open_->criterion.method = Method::covered;
      open_->criterion.covered_by = line.covered_by;
    }
    check_place(open_->criterion);
  }

  void mistake(const Piece& piece, const CriterionLine& line) {
    close_criterion();
    open_ = Open{.criterion = {.id = line.id, .line = piece.line}, .indent = piece.indent, .is_broken = true};
    if (!is_history()) add_error(piece.line, line.problem);
  }

  void check_place(const Criterion& criterion) {
    const Section here = section_.section();
    if (here == Section::amendment) return;
    const auto number = criterion.deliverable();
    if (!number && here != Section::invariants)
      return broken(criterion, fmt::format("{} stands outside of the section of global invariants", criterion.id));
    if (number && here != Section::deliverables)
      return broken(criterion, fmt::format("{} stands outside of the section of deliverables", criterion.id));
    if (number && section_.deliverable() && *section_.deliverable() != *number)
      broken(criterion, fmt::format("{} stands below deliverable {}: its number must begin with that", criterion.id,
                                    *section_.deliverable()));
  }

  void broken(const Criterion& criterion, std::string what) {
    add_error(criterion.line, std::move(what));
    open_->is_broken = true;
  }

  void take_text(const Piece& piece) {
    if (!piece.is_closed) return add_error(piece.line, "the comment `<!--` is never closed: write `-->` behind it");
    take_supersedes(piece.text);
    if (says_that_it_is_history(piece.text)) {
      is_historical_ = true;
      manifest_.amendments.back().is_historical = true;
    }
    const auto line = read_criterion_line(piece.text, {.is_item = false, .is_among_criteria = section_.has_criteria()});
    if (line.kind == CriterionLine::Kind::mistaken) mistake(piece, line);
  }

  // A line such as `*Historical: folded into INV-G4*`, in front of an amendment's criteria.
  bool says_that_it_is_history(std::string_view text) const {
    if (section_.section() != Section::amendment || open_) return false;
    const Amendment& amendment = manifest_.amendments.back();
    if (!amendment.added.empty() || !amendment.changed.empty()) return false;
    while (!text.empty() && (text.front() == '*' || text.front() == '_')) text.remove_prefix(1);
    for (const std::string_view prefix : {"Status:", "status:"})
      if (text.starts_with(prefix)) text = trimmed(text.substr(prefix.size()));
    const std::string_view word = text.substr(0, std::string_view("historical").size());
    return says_historical(word) && says_historical(text);
  }

  void take_supersedes(std::string_view text) {
    while (!text.empty() && (text.front() == '*' || text.front() == '_')) text.remove_prefix(1);
    constexpr std::string_view kWord = "Supersedes";
    if (!text.starts_with(kWord)) return;
    text = text.substr(kWord.size());
    while (!text.empty() && (text.front() == '*' || text.front() == '_')) text.remove_prefix(1);
    if (!text.starts_with(':')) return;
    text.remove_prefix(1);
    const std::size_t end = text.find_last_not_of("*_ \t");
    const std::size_t begin = text.find_first_not_of("*_ \t");
    if (begin != text.npos) manifest_.supersedes.emplace_back(text.substr(begin, end - begin + 1));
  }

  void take_fence(const Piece& piece) {
    if (!piece.is_closed)
      add_error(piece.line, fmt::format("the fence that opens here is never closed{}",
                                        at_ + 1 < pieces_.size() ? " before the next criterion" : ""));
    const bool is_ours = is_yaml(piece.text);
    if (!open_) {
      const Section here = section_.section();
      const bool may_show = here == Section::intent || here == Section::approach || is_history();
      if (is_ours && !may_show && is_check_block(piece.content))
        add_error(piece.line, "a verify block that belongs to no criterion: put it right behind its list item");
      return;
    }
    if (!is_ours) {
      if (open_->other_fence == nullptr) open_->other_fence = &piece;
      return;
    }
    Criterion& criterion = open_->criterion;
    if (open_->has_block) {
      if (is_check_block(piece.content)) broken_block(piece, fmt::format("{} has a second block", criterion.id));
      return;
    }
    open_->has_block = true;
    if (open_->is_broken || is_history()) return;
    if (!piece.is_closed) {
      open_->is_broken = true;
      return;
    }
    if (criterion.method == Method::covered)
      return broken_block(piece, fmt::format("{} is covered by {} and has a block, too: leave one of them out",
                                             criterion.id, join(criterion.covered_by, ", ")));
    auto errors = read_check_block({piece.content, piece.line + 1}, criterion);
    for (auto& error : errors) add_error(error.line, std::move(error.what));
    if (!errors.empty()) open_->is_broken = true;
  }

  void broken_block(const Piece& piece, std::string what) {
    if (!is_history()) add_error(piece.line, std::move(what));
    open_->is_broken = true;
  }

  void close_criterion() {
    if (!open_) return;
    Open done = *std::exchange(open_, std::nullopt);
    if (is_history()) return;
    Criterion& criterion = done.criterion;
    if (!done.is_broken && !done.has_block && criterion.method != Method::covered) {
      done.is_broken = true;
      add_error(criterion.line, missing_block(done));
    }
    add(std::move(criterion), done.is_broken);
  }

  static std::string missing_block(const Open& open) {
    if (open.other_fence == nullptr)
      return fmt::format("{} has no block: put a fenced `yaml` block behind it, or `Verify: covered by ID`",
                         open.criterion.id);
    const std::string language = language_of(open.other_fence->text);
    return fmt::format("{} has no `yaml` block: the one in line {} is {}", open.criterion.id, open.other_fence->line,
                       language.empty() ? "of no language, write ```yaml" : quoted(language, kWordsShownBytes));
  }

  // An id may come again in an amendment, and nowhere else: it is changed then.
  void add(Criterion criterion, bool is_broken) {
    const std::size_t part = section_.section() == Section::amendment ? manifest_.amendments.size() : 0;
    if (!criterion.id.empty()) {
      const auto [seen, is_new_here] = seen_.emplace(std::pair(part, criterion.id), criterion.line);
      if (!is_new_here)
        return add_error(criterion.line,
                         fmt::format("{} is there twice: first in line {}", criterion.id, seen->second));
    }
    if (is_broken) {
      if (!criterion.id.empty()) broken_.insert(criterion.id);
      return;
    }
    Amendment* amendment = part > 0 ? &manifest_.amendments.back() : nullptr;
    if (amendment != nullptr) criterion.amendment = amendment->title;
    const auto earlier = std::ranges::find(manifest_.criteria, criterion.id, &Criterion::id);
    if (amendment != nullptr)
      (earlier == manifest_.criteria.end() ? amendment->added : amendment->changed).push_back(criterion.id);
    if (earlier != manifest_.criteria.end())
      *earlier = std::move(criterion);
    else if (manifest_.criteria.size() < kCriteriaMax)
      manifest_.criteria.push_back(std::move(criterion));
    else if (!std::exchange(has_too_many_, true))
      add_error(criterion.line, fmt::format("more than {} criteria: split the manifest", kCriteriaMax));
  }

  ParsedManifest finish() {
    for (auto& error : check_coverage(manifest_, broken_)) errors_.push_back(std::move(error));
    if (manifest_.criteria.empty() && errors_.empty())
      add_error(1, "there is no criterion: a manifest has list items `- [INV-G1] text | Verify: …`");
    std::ranges::sort(errors_);
    errors_.erase(std::unique(errors_.begin(), errors_.end()), errors_.end());
    ParsedManifest parsed{.manifest = std::move(manifest_)};
    parsed.errors_left_out = errors_.size() > kManifestErrorsMax ? errors_.size() - kManifestErrorsMax : 0;
    errors_.resize(errors_.size() - parsed.errors_left_out);
    parsed.errors = std::move(errors_);
    parsed.manifest.intent = trimmed(parsed.manifest.intent);
    return parsed;
  }

  const std::vector<Piece> pieces_;
  std::size_t at_ = 0;
  Manifest manifest_;
  ManifestSection section_;
  bool is_historical_ = false;  // the amendment that is read
  std::optional<Open> open_;
  std::map<std::pair<std::size_t, std::string>, std::size_t> seen_;  // amendment and id, with the line
  std::set<std::string> broken_;
  bool has_too_many_ = false;
  std::vector<ManifestError> errors_;
};

}  // namespace

ParsedManifest parse_manifest(std::string_view text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (text.starts_with(kMark)) text.remove_prefix(kMark.size());
  const auto refused = [](std::size_t line, std::string what) {
    return ParsedManifest{.manifest = {}, .errors = {{line, std::move(what)}}};
  };
  if (text.size() > kManifestMaxBytes)
    return refused(1, fmt::format("the manifest has {} bytes, the limit is {}", text.size(), kManifestMaxBytes));
  if (trimmed(text).empty()) return refused(1, "the manifest is empty");
  const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n'));
  if (lines > kManifestLinesMax)
    return refused(1, fmt::format("the manifest has {} lines, the limit is {}", lines, kManifestLinesMax));
  if (const auto bad = workflow::find_unreadable(text))
    return refused(workflow::Lines(text).place_of_byte(bad->at).line, bad->what);
  return ManifestReader(text).read();
}

}  // namespace teamster::verify

#include "interop/claude_cache.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "interop/interop_limits.h"

namespace teamster::interop {
namespace {

// Records and their fields end with bytes that are in no name that is kept.
constexpr char kEndOfRecord = '\x1e';
constexpr char kEndOfField = '\x1f';
constexpr std::string_view kVersion = "claude-teams 1";
// Times of files are as fine as a clock's tick, and files may be on another machine.
constexpr std::int64_t kTooYoungMs = 2000;

class FieldWriter {
 public:
  explicit FieldWriter(std::string& out) : out_(out) {}
  void text(std::string_view text) {
    is_plain_ = is_plain_ && text.find_first_of("\x1e\x1f") == text.npos;
    out_ += text;
    out_ += kEndOfField;
  }
  template <class Number>
  void number(Number value) {
    fmt::format_to(std::back_inserter(out_), "{}\x1f", value);
  }
  bool is_plain() const { return is_plain_; }

 private:
  std::string& out_;
  bool is_plain_ = true;
};

class FieldReader {
 public:
  explicit FieldReader(std::string_view record) : left_(record) {}
  std::string_view text() {
    const std::size_t end = left_.find(kEndOfField);
    is_whole_ = is_whole_ && end != left_.npos;
    const std::string_view field = left_.substr(0, end);
    left_.remove_prefix(end == left_.npos ? left_.size() : end + 1);
    return field;
  }
  template <class Number>
  Number number() {
    const std::string_view field = text();
    Number value = 0;
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    is_whole_ = is_whole_ && error == std::errc() && end == field.data() + field.size();
    return value;
  }
  // How many of something follow, each of at least one field.
  std::size_t count() { return std::min(number<std::size_t>(), left_.size()); }
  bool is_whole() const { return is_whole_; }

 private:
  std::string_view left_;
  bool is_whole_ = true;
};

// False when it holds something that cannot be kept.
bool write_record(std::string& out, const std::string& name, const ClaudeFacts& facts) {
  FieldWriter fields(out);
  fields.text(name);
  fields.number(static_cast<int>(facts.config));
  fields.number(facts.has_directory ? 1 : 0);
  fields.number(facts.has_tasks ? 1 : 0);
  fields.number(facts.tasks.pending);
  fields.number(facts.tasks.in_progress);
  fields.number(facts.tasks.completed);
  fields.number(facts.changed_unix_ms);
  fields.number(facts.lead_pid);
  for (const auto& text : {facts.trouble, facts.lead_start, facts.lead_pid_space, facts.lead_session})
    fields.text(text);
  fields.number(facts.members.size());
  for (const auto& member : facts.members) fields.text(member);
  fields.number(facts.evidence.size());
  for (const auto& seen : facts.evidence) {
    fields.text(seen.path);
    fields.number(seen.is_there ? 1 : 0);
    fields.number(seen.inode);
    fields.number(seen.bytes);
    fields.number(seen.modified_unix_ms);
  }
  out += kEndOfRecord;
  return fields.is_plain();
}

std::optional<ClaudeFacts> read_record(std::string_view record) {
  FieldReader fields(record);
  fields.text();  // the name
  ClaudeFacts facts;
  facts.config = static_cast<ClaudeFacts::Config>(std::clamp(fields.number<int>(), 0, 3));
  facts.has_directory = fields.number<int>() == 1;
  facts.has_tasks = fields.number<int>() == 1;
  facts.tasks.pending = fields.number<std::int64_t>();
  facts.tasks.in_progress = fields.number<std::int64_t>();
  facts.tasks.completed = fields.number<std::int64_t>();
  facts.changed_unix_ms = fields.number<std::int64_t>();
  facts.lead_pid = fields.number<std::int64_t>();
  for (std::string* text : {&facts.trouble, &facts.lead_start, &facts.lead_pid_space, &facts.lead_session})
    *text = fields.text();
  for (std::size_t left = fields.count(); left > 0; --left) facts.members.emplace_back(fields.text());
  for (std::size_t left = fields.count(); left > 0; --left) {
    ClaudeEvidence seen{.path = std::string(fields.text())};
    seen.is_there = fields.number<int>() == 1;
    seen.inode = fields.number<std::uint64_t>();
    seen.bytes = fields.number<std::uint64_t>();
    seen.modified_unix_ms = fields.number<std::int64_t>();
    facts.evidence.push_back(std::move(seen));
  }
  return fields.is_whole() && !facts.evidence.empty() ? std::optional(std::move(facts)) : std::nullopt;
}

}  // namespace

ClaudeCache::ClaudeCache(env::Files& files, std::string file, std::string directory)
    : files_(files),
      file_(std::move(file)),
      head_(fmt::format("{}{}{}{}", kVersion, kEndOfField, directory, kEndOfRecord)) {
  if (file_.empty()) return;
  auto text = files_.read(file_, limits::kForeignCacheMaxBytes);
  if (!text || !text->starts_with(head_)) return;
  text_ = *std::move(text);
  std::string_view left = std::string_view(text_).substr(head_.size());
  for (std::size_t end = left.find(kEndOfRecord); end != left.npos; end = left.find(kEndOfRecord)) {
    const std::string_view record = left.substr(0, end + 1);
    known_.emplace(record.substr(0, record.find(kEndOfField)), record);
    left.remove_prefix(end + 1);
  }
}

std::optional<ClaudeFacts> ClaudeCache::find(const std::string& name) const {
  const auto found = known_.find(name);
  return found == known_.end() ? std::nullopt : read_record(found->second);
}

void ClaudeCache::keep_as_it_was(const std::string& name) {
  if (const auto found = known_.find(name); found != known_.end()) {
    kept_ += found->second;
    ++kept_count_;
  }
}

void ClaudeCache::keep(const std::string& name, const ClaudeFacts& facts, WallTime now) {
  has_changed_ = true;
  const std::size_t before = kept_.size();
  const bool is_settled = now.unix_ms - facts.changed_unix_ms > kTooYoungMs;
  if (is_settled && write_record(kept_, name, facts))
    ++kept_count_;
  else
    kept_.resize(before);
}

void ClaudeCache::save() {
  if (file_.empty() || (!has_changed_ && kept_count_ == known_.size())) return;
  (void)files_.replace(file_, head_ + kept_, 0600);
}

}  // namespace teamster::interop

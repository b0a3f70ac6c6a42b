#include "yaml/document.h"

#include <exception>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include "base/limits.h"
#include "base/text.h"
#include "yaml/lines.h"

namespace teamster::workflow {
namespace {

// Thrown by our handler through the parser, to end it at once.
struct Stop {};

// Builds the tree from the parser's events. Aliases are never followed, so that a file of a few
// lines cannot become gigabytes.
class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(const std::string& file, const Lines& lines, Problems& problems)
      : file_(file), lines_(lines), problems_(problems) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ == 1) return;
    problems_.add(file_, place(mark), "a second document begins here, expected one: write another file");
    throw Stop();
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    refuse_properties(mark, "", anchor);
    add({.kind = Node::Kind::null, .place = place(mark)});
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    problems_.add(file_, place(mark), "an alias (*) is not allowed: write the value out");
    add({.kind = Node::Kind::null, .place = place(mark)});
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    refuse_properties(mark, tag, anchor);
    add({.kind = Node::Kind::scalar, .place = place(mark), .text = value, .is_quoted = tag == "!"});
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    refuse_properties(mark, tag, anchor);
    open(Node::Kind::list, mark);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    refuse_properties(mark, tag, anchor);
    open(Node::Kind::map, mark);
  }
  void OnMapEnd() override { close(); }

  bool has_document() const { return documents_ > 0; }
  Node take_root() { return std::move(root_); }
  Place place(const YAML::Mark& mark) const {
    if (mark.is_null()) return {};
    return lines_.place(static_cast<std::size_t>(mark.line), static_cast<std::size_t>(mark.column));
  }

 private:
  struct Open {
    Node node;
    std::set<std::string> keys;
  };

  // The parser reports the place of a tag or an anchor as that of its node.
  void refuse_properties(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    const bool is_plain_or_quoted = tag.empty() || tag == "?" || tag == "!";
    if (!is_plain_or_quoted || lines_.byte(static_cast<std::size_t>(mark.pos)) == '!')
      problems_.add(file_, place(mark), "a tag (!) is not allowed: quote what is a text");
    if (anchor != 0) problems_.add(file_, place(mark), "an anchor (&) is not allowed: write each value out");
  }

  void open(Node::Kind kind, const YAML::Mark& mark) {
    if (open_.size() >= limits::kYamlMaxDepth) {
      problems_.add(file_, place(mark), fmt::format("nested over {} deep", limits::kYamlMaxDepth));
      throw Stop();
    }
    open_.push_back({.node = {.kind = kind, .place = place(mark)}, .keys = {}});
  }

  void close() {
    Node node = std::move(open_.back().node);
    open_.pop_back();
    // A key without a value cannot come from the parser; it gives null for one that is left out.
    add(std::move(node));
  }

  void add(Node node) {
    if (++nodes_ > limits::kYamlNodesMax) {
      problems_.add(file_, node.place, fmt::format("more than {} values in one file", limits::kYamlNodesMax));
      throw Stop();
    }
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& parent = open_.back();
    const bool is_key = parent.node.kind == Node::Kind::map && parent.node.keys.size() == parent.node.items.size();
    if (is_key) return add_key(parent, std::move(node));
    // The parser sees a value that is left out where the next thing begins, lines below.
    if (node.kind == Node::Kind::null && parent.node.kind == Node::Kind::map)
      node.place = parent.node.keys.back().place;
    parent.node.items.push_back(std::move(node));
  }

  void add_key(Open& parent, Node key) {
    if (key.kind != Node::Kind::scalar)
      problems_.add(file_, key.place,
                    "a key must be a text; if a placeholder was meant, put the text in quotes: '{{args/name}}'");
    else if (key.text == "<<" && !key.is_quoted)
      problems_.add(file_, key.place, "a merge key (<<) is not allowed: write the keys out");
    else if (!parent.keys.insert(key.text).second)
      problems_.add(file_, key.place, fmt::format("the key {} is given twice", quoted(key.text, 80)));
    parent.node.keys.push_back(std::move(key));
  }

  const std::string& file_;
  const Lines& lines_;
  Problems& problems_;
  std::vector<Open> open_;
  Node root_;
  std::size_t nodes_ = 0;
  int documents_ = 0;
};

void parse_into(TreeBuilder& builder, const std::string& file, std::string_view text, Problems& problems) {
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const Stop&) {
  } catch (const YAML::Exception& exception) {
    problems.add(file, builder.place(exception.mark), fmt::format("not YAML: {}", exception.msg));
  } catch (const std::exception& exception) {
    problems.add(file, {}, fmt::format("not YAML: {}", exception.what()));
  }
}

}  // namespace

std::optional<Document> parse_document(const std::string& file, std::string_view text, Problems& problems) {
  if (text.size() > limits::kYamlMaxBytes) {
    problems.add(file, {}, fmt::format("the file has {} bytes, the limit is {}", text.size(), limits::kYamlMaxBytes));
    return std::nullopt;
  }
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  const Lines lines(text);
  if (const auto bad = find_unreadable(text)) {
    problems.add(file, lines.place_of_byte(bad->at), bad->what);
    return std::nullopt;
  }
  Problems found;
  TreeBuilder builder(file, lines, found);
  parse_into(builder, file, text, found);
  if (found.empty() && !builder.has_document()) found.add(file, {}, "the file is empty, expected a map of keys");
  for (const auto& problem : found.sorted()) problems.add(file, {problem.line, problem.column}, problem.what);
  if (!found.empty()) return std::nullopt;
  return Document{file, builder.take_root()};
}

}  // namespace teamster::workflow

#include "verify/check_block.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "base/text.h"
#include "verify/reviewer_profiles.h"
#include "verify/verify_limits.h"
#include "yaml/document.h"

namespace teamster::verify {
namespace {

using workflow::Node;

constexpr std::size_t kValueShownBytes = 60;

const std::vector<std::string>& known_keys() {
  static const std::vector<std::string> kKeys = {"method", "command", "agent", "model", "prompt"};
  return kKeys;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
  const auto meant = closest(word, candidates);
  return meant ? fmt::format("; did you mean `{}`?", *meant) : fmt::format("; known: {}", join(candidates, ", "));
}

class BlockReader {
 public:
  BlockReader(const Block& block, Criterion& criterion) : block_(block), criterion_(criterion) {}

  std::vector<ManifestError> read() {
    workflow::Problems problems;
    // The mark of a document's end, because yaml-cpp takes the end of the text for a quotation mark that is missing.
    const auto document = workflow::parse_document("", std::string(block_.content) + "...\n", problems);
    for (const auto& problem : problems.sorted()) add(problem.line, yaml_problem(problem.what));
    if (document) read_root(document->root);
    return std::move(errors_);
  }

 private:
  void add(std::size_t line_in_block, const std::string& what) {
    errors_.push_back({block_.first_line + line_in_block - 1, fmt::format("the block of {}: {}", criterion_.id, what)});
  }
  void add(const Node& node, const std::string& what) { add(node.place.line, what); }

  std::string yaml_problem(const std::string& what) const {
    if (what.find("illegal document indicator") != what.npos) return "a quotation mark is never closed";
    if (!what.starts_with("not YAML")) return what;
    if (block_.content.find("\n\t") != block_.content.npos) return what + "; indent with spaces, not with tabs";
    return what + "; put a text with colons, quotes or `#` below `|`, indented";
  }

  void read_root(const Node& root) {
    static const std::vector<std::string> kRoot = {"verify"};
    if (root.kind == Node::Kind::null)
      return add(root, "it is empty, expected `verify:` with `method` and more below it");
    if (root.kind != Node::Kind::map) return add(root, fmt::format("expected `verify:`, not {}", describe(root)));
    for (const auto& key : root.keys)
      if (key.text != "verify")
        add(key,
            std::ranges::find(known_keys(), key.text) != known_keys().end()
                ? fmt::format("`{}` belongs below `verify:`, indented", key.text)
                : fmt::format("unknown key {}{}", quoted(key.text, kValueShownBytes), did_you_mean(key.text, kRoot)));
    const Node* verify = root.find("verify");
    if (verify == nullptr) {
      if (errors_.empty()) add(root, "has no `verify:`");
      return;
    }
    if (verify->kind != Node::Kind::map)
      return add(*verify, fmt::format("`verify` must have `method` and more below it, not {}", describe(*verify)));
    read_verify(*verify);
  }

  void read_verify(const Node& verify) {
    for (const auto& key : verify.keys)
      if (std::ranges::find(known_keys(), key.text) == known_keys().end())
        add(key,
            fmt::format("unknown key {}{}", quoted(key.text, kValueShownBytes), did_you_mean(key.text, known_keys())));
    const std::string method = text_of(verify, "method");
    static const std::vector<std::string> kMethods = {"bash", "subagent"};
    if (method == "bash")
      read_bash(verify);
    else if (method == "subagent")
      read_subagent(verify);
    else if (method.empty())
      add(verify, "needs `method`: bash or subagent");
    else
      add(*verify.find("method"),
          fmt::format("unknown method {}{}", quoted(method, kValueShownBytes), did_you_mean(method, kMethods)));
  }

  void read_bash(const Node& verify) {
    criterion_.method = Method::bash;
    criterion_.command = needed(verify, "command", kCommandMaxBytes);
    for (const char* key : {"agent", "model", "prompt"}) refuse(verify, key, "bash", "subagent");
  }

  void read_subagent(const Node& verify) {
    criterion_.method = Method::subagent;
    criterion_.agent = needed(verify, "agent", kPromptMaxBytes);
    criterion_.prompt = needed(verify, "prompt", kPromptMaxBytes);
    criterion_.model = trimmed(text_of(verify, "model"));
    refuse(verify, "command", "subagent", "bash");
    if (criterion_.model.find_first_of(" \t\n") != criterion_.model.npos || criterion_.model.starts_with('-'))
      add(*verify.find("model"), fmt::format("{} is no name of a model", quoted(criterion_.model, kValueShownBytes)));
    if (!criterion_.agent.empty() &&
        std::ranges::find(reviewer_profiles(), criterion_.agent) == reviewer_profiles().end())
      add(*verify.find("agent"), fmt::format("unknown agent {}{}", quoted(criterion_.agent, kValueShownBytes),
                                             did_you_mean(criterion_.agent, reviewer_profiles())));
  }

  // Any scalar, as it stands there: `true` is a command. Empty when it is absent, null or, which is an error, a list
  // or a map.
  std::string text_of(const Node& verify, const char* key) {
    const Node* node = verify.find(key);
    if (node == nullptr || node->kind == Node::Kind::null) return {};
    if (node->kind == Node::Kind::scalar) return node->text;
    if (!is_reported(*node)) add(*node, fmt::format("`{}` must be a text, not {}", key, describe(*node)));
    return {};
  }

  bool is_reported(const Node& node) const {
    return std::ranges::any_of(
        errors_, [&](const ManifestError& error) { return error.line == block_.first_line + node.place.line - 1; });
  }

  std::string needed(const Node& verify, const char* key, std::size_t max_bytes) {
    const std::size_t errors = errors_.size();
    std::string text = text_of(verify, key);
    if (trimmed(text).empty() && errors == errors_.size() && !is_misspelt(verify, key))
      add(verify.find(key) != nullptr ? *verify.find(key) : verify,
          fmt::format("method {} needs `{}`", to_string(criterion_.method), key));
    if (text.size() > max_bytes)
      add(*verify.find(key), fmt::format("`{}` has {} bytes, the limit is {}", key, text.size(), max_bytes));
    return text;
  }

  // Then that is what is told.
  static bool is_misspelt(const Node& verify, std::string_view key) {
    return std::ranges::any_of(verify.keys, [&](const Node& given) {
      return std::ranges::find(known_keys(), given.text) == known_keys().end() &&
             closest(given.text, known_keys()) == key;
    });
  }

  void refuse(const Node& verify, const char* key, const char* method, const char* other) {
    if (trimmed(text_of(verify, key)).empty()) return;
    add(*verify.find(key), fmt::format("`{}` goes with method {}, not with {}", key, other, method));
  }

  const Block& block_;
  Criterion& criterion_;
  std::vector<ManifestError> errors_;
};

}  // namespace

std::vector<ManifestError> read_check_block(const Block& block, Criterion& criterion) {
  return BlockReader(block, criterion).read();
}

bool is_check_block(std::string_view content) {
  while (!content.empty()) {
    const std::size_t end = std::min(content.find('\n'), content.size());
    const std::string_view line = trimmed(content.substr(0, end));
    content.remove_prefix(std::min(end + 1, content.size()));
    if (line.empty() || line.starts_with('#')) continue;
    return line.starts_with("verify:");
  }
  return false;
}

}  // namespace teamster::verify

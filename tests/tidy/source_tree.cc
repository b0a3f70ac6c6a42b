#include "tidy/source_tree.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

namespace teamster::tidy {
namespace {

namespace fs = std::filesystem;

std::string slurp(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

// What a build, an editor or git keeps in the tree, and what others wrote.
bool is_foreign(const std::string& name) {
  return name == ".git" || name == "build" || name == ".cache" || name == ".vscode" || name == ".idea" ||
         name == "examples";  // projects of their own
}

std::vector<SourceFile> load_tree() {
  const fs::path root = TEAMSTER_SOURCE_DIR;
  std::vector<SourceFile> files;
  for (auto it = fs::recursive_directory_iterator(root); it != fs::recursive_directory_iterator(); ++it) {
    // In a worktree .git is a file.
    if (is_foreign(it->path().filename().string())) {
      if (it->is_directory()) it.disable_recursion_pending();
    } else if (it->is_regular_file()) {
      files.push_back({fs::relative(it->path(), root).generic_string(), slurp(it->path())});
    }
  }
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  return files;
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Where the comment or literal that starts at text[at] ends (one past it), or `at` when none does.
std::size_t end_of_blank(std::string_view text, std::size_t at) {
  const auto end_or_size = [&](std::size_t found, std::size_t length) {
    return found == std::string_view::npos ? text.size() : found + length;
  };
  const std::string_view rest = text.substr(at);
  if (rest.starts_with("//")) return end_or_size(text.find('\n', at), 0);
  if (rest.starts_with("/*")) return end_or_size(text.find("*/", at + 2), 2);
  const bool after_word = at > 0 && is_word(text[at - 1]);
  if (rest.starts_with("R\"") && !after_word) {
    const std::size_t open = text.find('(', at);
    if (open == std::string_view::npos) return text.size();
    const std::string close = ")" + std::string(text.substr(at + 2, open - at - 2)) + "\"";
    return end_or_size(text.find(close, open), close.size());
  }
  // A quote after a digit separates digits: 1'000.
  if (rest[0] == '"' || (rest[0] == '\'' && !after_word)) {
    for (std::size_t i = at + 1; i < text.size(); ++i) {
      if (text[i] == '\\') {
        ++i;
      } else if (text[i] == rest[0]) {
        return i + 1;
      }
    }
    return text.size();
  }
  return at;
}

// Preprocessor lines, with their continuations, are no code for the brace counter.
void blank_preprocessor(std::string& code) {
  bool inside = false;
  for (std::size_t start = 0; start < code.size();) {
    const std::size_t end = std::min(code.find('\n', start), code.size());
    const std::size_t first = code.find_first_not_of(" \t", start);
    if (!inside) inside = first < end && code[first] == '#';
    const bool continues = inside && end > start && code[end - 1] == '\\';
    if (inside)
      std::fill(code.begin() + static_cast<std::ptrdiff_t>(start), code.begin() + static_cast<std::ptrdiff_t>(end),
                ' ');
    inside = continues;
    start = end + 1;
  }
}

// The first word of a declaration, without template parameters, attributes and `inline`.
std::string first_word(std::string_view head) {
  std::size_t at = 0;
  const auto skip_balanced = [&](char open, char close) {
    int depth = 0;
    for (; at < head.size(); ++at) {
      if (head[at] == open) ++depth;
      if (head[at] == close && --depth == 0) {
        ++at;
        return;
      }
    }
  };
  while (at < head.size()) {
    if (std::isspace(static_cast<unsigned char>(head[at])) != 0) {
      ++at;
    } else if (head[at] == '[') {
      skip_balanced('[', ']');
    } else if (head[at] == '<') {
      skip_balanced('<', '>');
    } else if (is_word(head[at])) {
      const std::size_t start = at;
      while (at < head.size() && is_word(head[at])) ++at;
      const std::string word(head.substr(start, at - start));
      if (word != "template" && word != "inline" && word != "typedef" && word != "static" && word != "constexpr")
        return word;
    } else {
      return {};
    }
  }
  return {};
}

bool opens_container(std::string_view head) {
  static const std::set<std::string> kContainers{"namespace", "class", "struct", "union", "enum"};
  const std::string word = first_word(head);
  // `extern "C" {`, but not `extern "C" int f() {`.
  return kContainers.contains(word) || (word == "extern" && head.find('(') == std::string_view::npos);
}

// Follows the braces of one file. Outside functions it collects the head of each
// declaration; inside one it only counts depth.
class BraceWalk {
 public:
  explicit BraceWalk(std::string_view code) : code_(code) {}

  std::vector<Function> functions() {
    for (at_ = 0; at_ < code_.size(); ++at_) {
      if (code_[at_] == '\n') ++line_;
      depth_in_body_ > 0 ? inside_body(code_[at_]) : outside_body(code_[at_]);
    }
    return std::move(found_);
  }

 private:
  void outside_body(char c) {
    if (c == ';' || c == '}') return begin_head();
    if (c == '{') {
      if (opens_container(head_)) return begin_head();
      depth_in_body_ = 1;
      return;
    }
    if (c == ':' && (head_ == "public" || head_ == "protected" || head_ == "private")) return begin_head();
    if (head_.empty()) {
      if (std::isspace(static_cast<unsigned char>(c)) != 0) return;
      head_line_ = line_;
    }
    head_ += c;
  }

  void inside_body(char c) {
    if (c == '{') ++depth_in_body_;
    if (c != '}' || --depth_in_body_ > 0) return;
    // `Thing() : part_{1}, other_{2} {`: those braces belong to the head.
    const std::size_t next = code_.find_first_not_of(" \t\n", at_ + 1);
    if (next != std::string_view::npos && (code_[next] == ',' || code_[next] == '{')) {
      head_ += ' ';
      return;
    }
    if (head_.find('(') != std::string::npos) found_.push_back({head_line_, line_});
    begin_head();
  }

  void begin_head() { head_.clear(); }

  std::string_view code_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  std::string head_;
  std::size_t head_line_ = 1;
  int depth_in_body_ = 0;
  std::vector<Function> found_;
};

}  // namespace

const std::vector<SourceFile>& all_files() {
  static const std::vector<SourceFile> files = load_tree();
  return files;
}

std::vector<SourceFile> cpp_files(std::string_view directory) {
  const std::string prefix = directory.empty() ? "" : std::string(directory) + "/";
  std::vector<SourceFile> found;
  for (const auto& file : all_files()) {
    const bool is_cpp = file.path.ends_with(".h") || file.path.ends_with(".cc");
    if (is_cpp && file.path.starts_with(prefix)) found.push_back(file);
  }
  return found;
}

std::string read_file(std::string_view path) {
  for (const auto& file : all_files()) {
    if (file.path == path) return file.text;
  }
  ADD_FAILURE() << "there is no file " << path;
  return {};
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    lines.emplace_back(text.substr(start, end - start));
    start = end + 1;
  }
  return lines;
}

std::string blank_literals_and_comments(std::string_view text) {
  std::string code(text);
  for (std::size_t at = 0; at < code.size();) {
    const std::size_t end = end_of_blank(text, at);
    if (end == at) {
      ++at;
      continue;
    }
    for (; at < end; ++at) {
      if (code[at] != '\n') code[at] = ' ';
    }
  }
  return code;
}

std::vector<Include> includes_of(const SourceFile& file) {
  // Blanking hides the quoted name but keeps the directive, so a commented-out include is none.
  const auto code = lines_of(blank_literals_and_comments(file.text));
  const auto raw = lines_of(file.text);
  std::vector<Include> found;
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (code[i].find("#include") == std::string::npos) continue;
    const std::size_t open = raw[i].find_first_of("\"<", raw[i].find("#include"));
    if (open == std::string::npos) continue;
    const bool is_system = raw[i][open] == '<';
    const std::size_t close = raw[i].find(is_system ? '>' : '"', open + 1);
    if (close == std::string::npos) continue;
    found.push_back({raw[i].substr(open + 1, close - open - 1), is_system, i + 1});
  }
  return found;
}

std::vector<Function> functions_of(const SourceFile& file) {
  std::string code = blank_literals_and_comments(file.text);
  blank_preprocessor(code);
  return BraceWalk(code).functions();
}

std::string module_of(std::string_view path_below_src) {
  for (const std::string_view nested :
       {"env/real", "env/sim", "protocol/words", "protocol/client", "workflow/format", "workflow/core"}) {
    if (path_below_src.starts_with(std::string(nested) + "/")) return std::string(nested);
  }
  const std::size_t slash = path_below_src.find('/');
  return slash == std::string_view::npos ? "" : std::string(path_below_src.substr(0, slash));
}

}  // namespace teamster::tidy

// The source tree as the tidy tests see it: files, their text, and their code with comments
// and literals blanked out. Read from the directory the tests were built from; needs no git
// and no other program. Values; tests run on one thread.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace teamster::tidy {

struct SourceFile {
  std::string path;  // from the root of the tree: "src/base/json.h"
  std::string text;

  bool is_header() const { return path.ends_with(".h"); }
  // Tests beside the code, what only they use, and everything below tests/.
  bool is_test() const {
    return path.ends_with("_test.cc") || path.find("_for_test.") != std::string::npos || path.starts_with("tests/");
  }
};

// Every file of the tree that is not made by a build: sorted, without .git and build.
const std::vector<SourceFile>& all_files();
// The .h and .cc files below one directory: "src", or "" for all of them.
std::vector<SourceFile> cpp_files(std::string_view directory);
// Fails the current test when there is no such file.
std::string read_file(std::string_view path);

std::vector<std::string> lines_of(std::string_view text);

// The same text, byte for byte as long, with comments, string and character literals
// replaced by spaces. Lines stay lines.
std::string blank_literals_and_comments(std::string_view text);

struct Include {
  std::string target;  // what stands between the quotes or brackets
  bool is_system = false;
  std::size_t line = 0;  // from 1
};
std::vector<Include> includes_of(const SourceFile& file);

struct Function {
  std::size_t first_line = 0;  // of its declaration, from 1
  std::size_t last_line = 0;
  std::size_t lines() const { return last_line - first_line + 1; }
};
// Functions at namespace or class level; a lambda counts as part of its function.
std::vector<Function> functions_of(const SourceFile& file);

// The module a file or an include of src belongs to: "hub", "env", "env/real"; empty for
// src/main.cc and for generated headers.
std::string module_of(std::string_view path_below_src);

}  // namespace teamster::tidy

// Project: the user's directory and the files in it, as workflows name them: by paths from
// there on, and by globs of one directory. Borrows the files; links that lead out of the
// directory are refused.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "env/files.h"

namespace teamster::engine {

struct Project {
  env::Files& files;
  std::string directory;
};

// Code::not_found, with what to do, when the directory is gone: nothing may be made in its place.
Result<void> check_is_there(const Project& project);

// Text of a file, UTF-8; nullopt when there is none.
Result<std::optional<std::string>> read_text(const Project& project, const std::string& path);

// Puts another text into a file that is there, atomically; its mode stays.
Result<void> write_text(const Project& project, const std::string& path, const std::string& text);

// Paths of the files whose name matches the last part of the glob (* ? [a-z]), sorted. The directory
// before it is taken as it is; none there is no match.
Result<std::vector<std::string>> matching_files(const Project& project, const std::string& glob);

}  // namespace teamster::engine

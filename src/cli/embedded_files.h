// The files of the built-in workflows, as they are in workflows/ of the source tree. The source
// behind this header is written by cmake/embed_workflows.cmake; the bytes live as long as the program.
#pragma once

#include <span>
#include <string_view>

namespace teamster::cli {

struct EmbeddedFile {
  std::string_view name;  // "implement-spec/phases/fix.md"
  std::string_view contents;
};

std::span<const EmbeddedFile> embedded_files();

}  // namespace teamster::cli

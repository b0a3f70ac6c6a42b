// ItemNames: the items of a series and how people name them in prose: "03", "spec-03",
// "specs/03-edit.md", "03-edit", "01-04" for four of them. A value, made from the project.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "project/project.h"
#include "workflow/format/spec.h"

namespace teamster::engine {

class ItemNames {
 public:
  // Finds the files of the series. Code::invalid when the workflow has none, or two files are the same item.
  static Result<ItemNames> read(const Project& project, const workflow::Workflow& workflow);

  // Path of each item's file, by its argument.
  const std::map<std::string, std::string>& paths() const { return paths_; }

  // The arguments that the text names, in order, each once; also those of which there is no file.
  Result<std::vector<std::string>> named_in(std::string_view text) const;

 private:
  Result<bool> is_argument(std::string_view word) const;
  // Both, and the items that there are between them.
  std::vector<std::string> range(const std::string& first, const std::string& last) const;
  Result<std::vector<std::string>> named_by(const std::string& word) const;

  workflow::Series series_;
  std::string argument_pattern_;
  std::map<std::string, std::string> paths_;
};

}  // namespace teamster::engine

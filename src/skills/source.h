// Source: one place in which skills lie, NAME/SKILL.md with resources beside it: a directory, or files that somebody
// has read already (a run's workflow, this program). Reads what is asked for, and nothing that lies outside of the
// skill. Owned by a catalogue; a directory borrows the files.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "env/files.h"
#include "yaml/problem.h"

namespace teamster::skills {

struct Resource {
  std::string path;  // from the directory of its skill on
  std::uint64_t bytes = 0;
};

class Source {
 public:
  explicit Source(std::string from) : from_(std::move(from)) {}
  virtual ~Source() = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  // What kind of place it is: workflow, named, project, user, built-in.
  const std::string& from() const { return from_; }
  // The directories that have a SKILL.md, sorted, whether or not it is a good one. A place that is not there has none.
  virtual Result<std::vector<std::string>> names() const = 0;
  // Code::not_found: the skill has no such file; Code::refused: the path leads out of it.
  virtual Result<std::string> read(const std::string& skill, const std::string& path, std::size_t max_bytes) const = 0;
  // What lies beside SKILL.md, sorted, at most limits::kSkillResourcesMax. What cannot be one is a problem.
  virtual std::vector<Resource> resources(const std::string& skill, workflow::Problems& problems) const = 0;
  // Where a file of a skill lies, for people.
  virtual std::string place_of(const std::string& skill, const std::string& path) const = 0;

 private:
  const std::string from_;
};

std::unique_ptr<Source> make_directory_source(env::Files& files, std::string from, std::string directory);
// `contents` by their paths: NAME/SKILL.md. `place` stands before them in what people read.
std::unique_ptr<Source> make_file_source(std::string from, std::string place,
                                         std::map<std::string, std::string> contents);

}  // namespace teamster::skills

#include "skills/source.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/limits.h"
#include "base/text.h"
#include "skills/skill_limits.h"
#include "skills/skill_text.h"

namespace teamster::skills {
namespace {

// The path of a resource comes from an agent.
Result<void> check_inside(const std::string& skill, const std::string& path) {
  bool is_inside = !path.empty() && path.front() != '/' && path.find('\0') == std::string::npos;
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    if (path.substr(at, end - at) == "..") is_inside = false;
    at = end + 1;
  }
  if (is_inside) return {};
  return fail(Code::refused, fmt::format("{} leads out of the skill {}", quoted(path, 100), skill),
              "Name a file by its path from the directory of the skill on, such as references/more.md");
}

class DirectorySource : public Source {
 public:
  DirectorySource(env::Files& files, std::string from, std::string directory)
      : Source(std::move(from)), files_(files), directory_(std::move(directory)) {}

  Result<std::vector<std::string>> names() const override {
    std::vector<std::string> found;
    const auto there = TRY(files_.status(directory_));
    if (!there || !there->is_directory) return found;
    for (const auto& name : TRY(files_.list(directory_))) {
      if (name.starts_with('.')) continue;
      const auto status = files_.status(place_of(name, kSkillFile));
      // A file that the system does not let us look at is there, and is told when it is read.
      if (status && !*status) continue;
      found.push_back(name);
      if (found.size() >= limits::kSkillsPerPlaceMax) break;
    }
    return found;
  }

  Result<std::string> read(const std::string& skill, const std::string& path, std::size_t max_bytes) const override {
    TRY_VOID(check_inside(skill, path));
    // Two looks: the skill's directory may be a link that leads out of the place, and a file one that leads out of
    // that.
    auto text = files_.read_beneath(directory_, skill + "/" + path, max_bytes);
    if (!text) return text;
    return files_.read_beneath(directory_ + "/" + skill, path, max_bytes);
  }

  std::vector<Resource> resources(const std::string& skill, workflow::Problems& problems) const override {
    std::vector<Resource> found;
    walk(skill, "", 0, found, problems);
    std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
    return found;
  }

  std::string place_of(const std::string& skill, const std::string& path) const override {
    return fmt::format("{}/{}{}", directory_, skill, path.empty() ? "" : "/" + path);
  }

 private:
  void walk(const std::string& skill, const std::string& prefix, int depth, std::vector<Resource>& found,
            workflow::Problems& problems) const {
    const auto complain = [&](const std::string& path, std::string what) {
      problems.add(place_of(skill, path), {}, std::move(what));
    };
    if (depth > limits::kSkillDepthMax)
      return complain(prefix, fmt::format("resources are nested over {} directories deep", limits::kSkillDepthMax));
    const auto names = files_.list(place_of(skill, prefix));
    if (!names) return complain(prefix, names.error().text());
    for (const auto& name : *names) {
      if (name.starts_with('.') || (prefix.empty() && name == kSkillFile)) continue;
      const std::string path = prefix.empty() ? name : prefix + "/" + name;
      if (found.size() >= limits::kSkillResourcesMax)
        return complain(path, fmt::format("a skill has at most {} resources", limits::kSkillResourcesMax));
      const auto status = files_.status(place_of(skill, path));
      if (!status) {
        complain(path, status.error().text());
      } else if (!*status) {
        complain(path, "a link that leads nowhere");
      } else if (const auto why = why_unreadable(skill, path); !why.empty()) {
        complain(path, why);
      } else if ((*status)->is_directory) {
        walk(skill, path, depth + 1, found, problems);
      } else {
        if ((*status)->bytes > limits::kSkillResourceMaxBytes)
          complain(path, fmt::format("a resource has at most {} bytes, this one has {}", limits::kSkillResourceMaxBytes,
                                     (*status)->bytes));
        found.push_back({path, (*status)->bytes});
      }
    }
  }

  // Of a file or directory; empty: it can be read. What is larger than nothing is an error, too, and says that it is
  // there.
  std::string why_unreadable(const std::string& skill, const std::string& path) const {
    const auto inside = files_.read_beneath(directory_ + "/" + skill, path, 0);
    if (inside || inside.error().code != Code::refused) return {};
    const auto anywhere = files_.read(place_of(skill, path), 0);
    if (!anywhere && anywhere.error().code == Code::refused) return anywhere.error().text();
    return "a link that leads out of the skill: nothing outside of its directory is read";
  }

  env::Files& files_;
  const std::string directory_;
};

class FileSource : public Source {
 public:
  FileSource(std::string from, std::string place, std::map<std::string, std::string> contents)
      : Source(std::move(from)), place_(std::move(place)), contents_(std::move(contents)) {}

  Result<std::vector<std::string>> names() const override {
    std::set<std::string> found;
    for (const auto& [path, text] : contents_) {
      const std::size_t slash = path.find('/');
      if (slash != std::string::npos && path.substr(slash + 1) == kSkillFile) found.insert(path.substr(0, slash));
    }
    return std::vector<std::string>(found.begin(), found.end());
  }

  Result<std::string> read(const std::string& skill, const std::string& path, std::size_t max_bytes) const override {
    TRY_VOID(check_inside(skill, path));
    const auto found = contents_.find(skill + "/" + path);
    if (found == contents_.end())
      return fail(Code::not_found, fmt::format("there is no {}", quoted(place_of(skill, path), 200)));
    if (found->second.size() > max_bytes)
      return fail(Code::invalid, fmt::format("{} is larger than {} bytes", place_of(skill, path), max_bytes));
    return found->second;
  }

  std::vector<Resource> resources(const std::string& skill, workflow::Problems&) const override {
    std::vector<Resource> found;
    const std::string prefix = skill + "/";
    for (auto it = contents_.lower_bound(prefix); it != contents_.end() && it->first.starts_with(prefix); ++it) {
      const std::string path = it->first.substr(prefix.size());
      if (path != kSkillFile) found.push_back({path, it->second.size()});
    }
    return found;
  }

  std::string place_of(const std::string& skill, const std::string& path) const override {
    return fmt::format("{}/{}{}", place_, skill, path.empty() ? "" : "/" + path);
  }

 private:
  const std::string place_;
  const std::map<std::string, std::string> contents_;
};

}  // namespace

std::unique_ptr<Source> make_directory_source(env::Files& files, std::string from, std::string directory) {
  return std::make_unique<DirectorySource>(files, std::move(from), std::move(directory));
}

std::unique_ptr<Source> make_file_source(std::string from, std::string place,
                                         std::map<std::string, std::string> contents) {
  return std::make_unique<FileSource>(std::move(from), std::move(place), std::move(contents));
}

}  // namespace teamster::skills

#include "engine/tree_watch.h"

#include <fnmatch.h>

#include <algorithm>

#include "project/project_path.h"

namespace teamster::engine {
namespace {

bool may_write(const workflow::Role& role, const std::string& path) {
  if (role.writes_everywhere) return true;
  return std::any_of(role.writes.begin(), role.writes.end(), [&](const std::string& place) {
    if (place.find_first_of("*?[") == std::string::npos) return is_at_or_below(path, place);
    return ::fnmatch(place.c_str(), path.c_str(), 0) == 0;
  });
}

}  // namespace

TreeWatch::TreeWatch(const env::World& world, OpenGit open_git, std::string project, std::string run)
    : world_(world), open_git_(std::move(open_git)), project_(std::move(project)), run_(std::move(run)) {}

void TreeWatch::begin(const std::string& id, const workflow::Role& role, const std::function<void()>& then) {
  Watched watched;
  watched.role = role;
  for (auto& [other_id, other] : watched_) {
    if (other_id == id) continue;
    watched.others.push_back(other.role);
    other.others.push_back(role);
  }
  if (role.writes_everywhere) {
    watched_[id] = std::move(watched);
    return then();
  }
  watched.git = open_git_(world_, project_);
  Git& git = *watched.git;
  watched_[id] = std::move(watched);
  git.keep_tree(name_of(id), [=, this](const Result<void>& kept) {
    if (const auto found = watched_.find(id); found != watched_.end()) found->second.is_kept = kept.has_value();
    then();
  });
}

void TreeWatch::end(const std::string& id, const Compared& compared) {
  const auto found = watched_.find(id);
  if (found == watched_.end() || !found->second.is_kept) {
    watched_.erase(id);
    return compared(std::nullopt);
  }
  found->second.git->changes_since(name_of(id), [=, this](Result<TreeChanges> changes) {
    if (changes) return this->found(id, *std::move(changes), compared);
    forget(id, std::nullopt, compared);
  });
}

void TreeWatch::found(const std::string& id, TreeChanges changes, const Compared& compared) {
  Watched& watched = watched_.at(id);
  const auto is_own = [&](const std::string& path) {
    return std::any_of(own_.begin(), own_.end(), [&](const std::string& place) { return is_at_or_below(path, place); });
  };
  const auto is_allowed = [&](const std::string& path) {
    return is_own(path) || may_write(watched.role, path) ||
           std::any_of(watched.others.begin(), watched.others.end(),
                       [&](const workflow::Role& other) { return may_write(other, path); });
  };
  std::erase_if(changes.paths, is_allowed);
  // Who may write somewhere may commit there.
  const auto writes_nothing = [](const workflow::Role& role) { return !role.writes_everywhere && role.writes.empty(); };
  changes.has_head_moved = changes.has_head_moved && writes_nothing(watched.role) &&
                           std::all_of(watched.others.begin(), watched.others.end(), writes_nothing);
  for (const auto& path : changes.paths) watched.charged.insert(path);
  for (auto& [other_id, other] : watched_)
    if (other_id != id && other.is_kept) other.charged.insert(changes.paths.begin(), changes.paths.end());
  if (changes.has_head_moved) watched.charged.insert("HEAD");
  if (changes.paths.empty() && !changes.has_head_moved) return finish(id, "", compared);
  watched.git->put_aside(name_of(id), std::move(changes), [=, this](const Result<std::string>& aside) {
    finish(id, aside ? "refs/teamster/aside/" + name_of(id) : "", compared);
  });
}

void TreeWatch::finish(const std::string& id, const std::string& aside, const Compared& compared) {
  Watched& watched = watched_.at(id);
  std::optional<workflow::event::Strayed> strayed;
  if (!watched.charged.empty())
    strayed = workflow::event::Strayed{{watched.charged.begin(), watched.charged.end()}, aside};
  watched.git->forget_tree(name_of(id), [=, this](const Result<void>&) { forget(id, strayed, compared); });
}

// By value: with what is watched goes the git that calls, and what its callback holds.
void TreeWatch::forget(std::string id, std::optional<workflow::event::Strayed> strayed, Compared compared) {
  watched_.erase(id);
  compared(std::move(strayed));
}

}  // namespace teamster::engine

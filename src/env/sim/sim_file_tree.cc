#include "env/sim/sim_file_tree.h"

#include <set>

namespace teamster::env::sim {
namespace {

bool is_below(const std::string& path, const std::string& directory) {
  const std::string prefix = directory == "/" ? "/" : directory + "/";
  return path.size() > prefix.size() && path.starts_with(prefix);
}

// What a file that was being appended to looks like after the power came back.
SimFileTree::Node torn(const SimFileTree::Node& durable, const SimFileTree::Node& seen, SimRandom& random) {
  SimFileTree::Node node = seen;
  const std::size_t certain = seen.bytes.starts_with(durable.bytes) ? durable.bytes.size() : 0;
  node.bytes.resize(certain + random.below(seen.bytes.size() - certain + 1));
  return node;
}

}  // namespace

std::string SimFileTree::normalized(const std::string& path) {
  std::string out;
  for (std::size_t at = 0; at < path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    const std::string part = path.substr(at, end - at);
    if (part == "..")
      out.resize(out.empty() ? 0 : out.rfind('/'));
    else if (!part.empty() && part != ".")
      out += "/" + part;
    at = end + 1;
  }
  return out.empty() ? "/" : out;
}

std::string SimFileTree::parent_of(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == 0 || slash == std::string::npos ? "/" : path.substr(0, slash);
}

const SimFileTree::Node* SimFileTree::find(const std::string& path) const {
  const auto found = seen_.find(path);
  return found == seen_.end() ? nullptr : &found->second;
}

void SimFileTree::put(const std::string& path, Node node, Durability durability) {
  // A directory has changed when a name in it is new.
  if (const auto parent = seen_.find(parent_of(path)); parent != seen_.end() && !seen_.contains(path))
    parent->second.modified_unix_ms = node.modified_unix_ms;
  if (durability == Durability::synced || is_synced_(path)) durable_[path] = node;
  seen_[path] = std::move(node);
  tell_watchers(path);
}

std::vector<std::string> SimFileTree::names_in(const std::string& directory) const {
  std::vector<std::string> names;
  for (const auto& [path, node] : seen_)
    if (path != "/" && parent_of(path) == directory) names.push_back(path.substr(path.rfind('/') + 1));
  return names;
}

void SimFileTree::remove(const std::string& path) {
  const auto goes = [&](const auto& entry) { return entry.first == path || is_below(entry.first, path); };
  std::erase_if(seen_, goes);
  std::erase_if(durable_, [&](const auto& entry) { return goes(entry) && is_synced_(entry.first); });
  tell_watchers(path);
}

void SimFileTree::rename(const std::string& from, const std::string& to) {
  for (Image* image : {&seen_, &durable_}) {
    Image moved;
    std::erase_if(*image, [&](auto& entry) {
      const bool moves = entry.first == from || is_below(entry.first, from);
      if (moves) moved[to + entry.first.substr(from.size())] = std::move(entry.second);
      return moves;
    });
    for (auto& [path, node] : moved) (*image)[path] = std::move(node);
  }
  tell_watchers(from);
  tell_watchers(to);
}

bool SimFileTree::try_lock(HostId host, const std::string& path, std::uint64_t& token) {
  if (locks_.contains(path)) return false;
  token = ++last_token_;
  locks_[path] = Lock{host, token};
  return true;
}

// By token: the lock of a killed host may be held by its successor when the old object goes.
void SimFileTree::unlock(const std::string& path, std::uint64_t token) {
  const auto found = locks_.find(path);
  if (found != locks_.end() && found->second.token == token) locks_.erase(found);
}

Registration SimFileTree::watch(HostId host, const std::string& directory, std::function<void()> changed) {
  const std::uint64_t id = ++last_token_;
  watchers_[id] =
      Watcher{host, directory, std::make_shared<const std::function<void()>>(std::move(changed)), Registration()};
  return Registration([this, id] { const auto dropped = watchers_.extract(id); });
}

void SimFileTree::tell_watchers(const std::string& path) {
  const std::string directory = parent_of(path);
  for (auto& [id, watcher] : watchers_) {
    if (watcher.directory != directory || watcher.pending) continue;
    watcher.pending = loop_.schedule(watcher.host, SimLoop::Kind::input, Duration::zero(), [this, id = id] {
      const auto found = watchers_.find(id);
      if (found == watchers_.end()) return;
      found->second.pending.reset();
      const auto changed = found->second.changed;
      (*changed)();
    });
  }
}

void SimFileTree::kill(HostId host) {
  std::erase_if(locks_, [&](const auto& entry) { return entry.second.host == host; });
  std::erase_if(watchers_, [&](const auto& entry) { return entry.second.host == host; });
}

void SimFileTree::power_cut(SimRandom& random) {
  std::set<std::string> paths;
  for (const Image* image : {&seen_, &durable_})
    for (const auto& entry : *image) paths.insert(entry.first);
  Image after;
  for (const auto& path : paths) {
    const auto seen = seen_.find(path);
    const auto durable = durable_.find(path);
    const bool was_removed = seen == seen_.end();
    const bool was_created = durable == durable_.end();
    if ((was_removed || was_created) && random.chance(0.5)) {
      if (was_removed) after[path] = durable->second;
      continue;
    }
    if (was_removed) continue;
    after[path] = was_created ? torn({}, seen->second, random) : torn(durable->second, seen->second, random);
  }
  // Nothing hangs in the air: what survived brings its directories with it.
  for (const auto& path : paths)
    if (after.contains(path))
      for (std::string up = parent_of(path); !after.contains(up); up = parent_of(up))
        after[up] = Node{.is_directory = true, .mode = 0700, .bytes = {}, .modified_unix_ms = 0};
  seen_ = durable_ = std::move(after);
  locks_.clear();
}

}  // namespace teamster::env::sim

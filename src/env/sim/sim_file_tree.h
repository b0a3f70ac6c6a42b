// SimFileTree: the simulated file system, in memory, shared by all hosts. It keeps two
// images: what programs see, and what the disk would hold after a power cut. Owned by
// sim::World; hosts see a SimFiles of it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "env/sim/host_id.h"
#include "env/sim/sim_loop.h"
#include "env/sim/sim_random.h"

namespace teamster::env::sim {

enum class FileOperation { read, write, create, append, make_directory, status, list, rename, remove, lock, watch };

class SimFileTree {
 public:
  struct Node {
    bool is_directory = false;
    std::uint32_t mode = 0;
    std::string bytes;
    std::int64_t modified_unix_ms = 0;
    bool operator==(const Node&) const = default;
  };
  enum class Durability { synced, unsynced };
  // Returns an errno, or 0 for no fault. Asked before the operation does anything.
  using FaultHook = std::function<int(FileOperation operation, const std::string& path)>;

  explicit SimFileTree(SimLoop& loop) : loop_(loop) { put("/", Node{true, 0755, "", 0}, Durability::synced); }

  // Each part of a path once, from the root, without "." and trailing slashes.
  static std::string normalized(const std::string& path);
  static std::string parent_of(const std::string& normalized_path);

  void set_fault(FaultHook hook) { fault_ = std::move(hook); }
  int fault(FileOperation operation, const std::string& path) const { return fault_ ? fault_(operation, path) : 0; }

  // Paths that are on the disk as soon as they are written, as if it were mounted with `sync`.
  using Where = std::function<bool(const std::string& path)>;
  void set_synced(Where where) { is_synced_ = std::move(where); }

  // All paths below are normalized.
  const Node* find(const std::string& path) const;
  void put(const std::string& path, Node node, Durability durability);
  std::vector<std::string> names_in(const std::string& directory) const;
  void remove(const std::string& path);
  void rename(const std::string& from, const std::string& to);

  bool try_lock(HostId host, const std::string& path, std::uint64_t& token);
  void unlock(const std::string& path, std::uint64_t token);
  Registration watch(HostId host, const std::string& directory, std::function<void()> changed);

  // The host's locks and watches vanish; what it wrote stays.
  void kill(HostId host);
  // Of what was not synced some survives and some does not. All locks are gone.
  void power_cut(SimRandom& random);

  std::uint64_t free_bytes = 100ULL << 30U;
  std::string file_system = "ext4";

 private:
  struct Lock {
    HostId host;
    std::uint64_t token;
  };
  struct Watcher {
    HostId host;
    std::string directory;
    std::shared_ptr<const std::function<void()>> changed;
    Registration pending;  // at most one call is under way: changes are coalesced
  };
  using Image = std::map<std::string, Node>;

  void tell_watchers(const std::string& path);

  SimLoop& loop_;
  FaultHook fault_;
  Where is_synced_ = [](const std::string&) { return false; };
  Image seen_;
  Image durable_;
  std::map<std::string, Lock> locks_;
  std::map<std::uint64_t, Watcher> watchers_;
  std::uint64_t last_token_ = 0;
};

}  // namespace teamster::env::sim

// GatheringVfs: SQLite's file layer with one difference: what a commit adds to the
// write-ahead log goes to the system in one write. SQLite itself makes two for each page, a
// dozen for a small commit, which was a fifth of the hub's time in the kernel. When the write of
// the frame that commits returns, all of it is with the system; an error is that write's
// error. Owned by the database that uses it, which must be closed first.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"

namespace teamster::store {

class GatheringVfs {
 public:
  // Over the VFS of that name; empty: the system's.
  static Result<std::unique_ptr<GatheringVfs>> over(const std::string& vfs);
  ~GatheringVfs();
  GatheringVfs(const GatheringVfs&) = delete;
  GatheringVfs& operator=(const GatheringVfs&) = delete;

  // Under which SQLite finds it.
  const char* name() const { return name_.c_str(); }

 private:
  struct Table;
  explicit GatheringVfs(std::unique_ptr<Table> table);

  std::string name_;
  std::unique_ptr<Table> table_;
};

}  // namespace teamster::store

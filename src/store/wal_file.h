// The write-ahead log as a file: things SQLite leaves to its user. They go through SQLite's
// own file layer, so that the simulated disk sees them too. On the thread of the store.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace teamster::store {

// Makes the log that an earlier hub left durable, before anybody reads it. After a failed
// sync the kernel forgets which pages it could not write: they can be read, a later sync
// succeeds, and a power cut still takes them. A retry that finds its answer in such pages
// must not be told that it is on disk. Writing the same bytes again and syncing them
// settles it. Nothing to do when there is no log or it is empty.
Result<void> settle_wal(const std::string& database_path, const std::string& vfs);

// Makes the log at least that long, with zeros that SQLite takes for its end. A commit then
// writes over blocks that exist: its sync does not wait for the file system to record new
// ones, which doubles the time of a commit on ext4. May be called while the store is open;
// where space is short nothing is taken.
Result<void> extend_wal(const std::string& database_path, const std::string& vfs, std::int64_t bytes);

// Makes what was committed so far durable. For stores that do not sync by themselves.
Result<void> sync_wal(const std::string& database_path, const std::string& vfs);

}  // namespace teamster::store

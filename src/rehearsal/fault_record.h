// FaultRecord: the faults of a rehearsal on disk, in its directory, and which of them have struck. Engines come and go
// in a rehearsal, and each fault strikes once over all of it: whichever engine comes to its place first takes it.
// A handle; any process of the rehearsal may have one.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "env/files.h"
#include "rehearsal/fault.h"

namespace teamster::cli {

class FaultRecord {
 public:
  // The directory of the rehearsal, see script/rehearsal_place.h. Borrows the files.
  FaultRecord(env::Files& files, std::string directory) : files_(&files), directory_(std::move(directory)) {}

  Result<void> save(const std::vector<StagedFault>& faults) const;
  // None where no rehearsal is, or what is there cannot be read.
  std::vector<StagedFault> load() const;
  // True for one caller alone, and on disk before that one strikes: it may be the one who dies of it.
  Result<bool> take(std::size_t index) const;
  std::vector<StagedFault> never_struck() const;

 private:
  std::string struck_file(std::size_t index) const;

  env::Files* files_;
  std::string directory_;
};

}  // namespace teamster::cli

// The kind of file system a path lies on, from statfs: to warn about homes where locks
// or syncs do not mean what they say.
#pragma once

#include <string>

#include "base/result.h"

namespace teamster::env::real {

// "ext4", "nfs", …, or the magic number in hex when it is none we know.
Result<std::string> file_system_name(const std::string& path);

}  // namespace teamster::env::real

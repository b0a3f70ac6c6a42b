// Removes a file, or a directory with all it holds, without following any link: what a
// link points to is not ours. Works by descriptors, so nobody can swap a directory for a
// link under it.
#pragma once

#include <string>

namespace teamster::env::real {

// Returns 0 or the errno of the first thing that would not go. Absent is fine.
int remove_file_tree(const std::string& path);

}  // namespace teamster::env::real

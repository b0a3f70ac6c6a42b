// docs/commands.md, generated from the declarations (`teamster help --markdown`). A tidy
// test compares the two, so the document cannot go stale.
#pragma once

#include <string>

#include "cli/framework/registry.h"

namespace teamster::cli {

std::string markdown_reference(const Registry& registry);

}  // namespace teamster::cli

#include "workflow/format/bundle.h"

#include <fmt/format.h>

#include "base/sha256.h"
#include "base/text.h"

namespace teamster::workflow {

std::string digest(const Bundle& bundle) {
  // With the lengths, so that bytes cannot move from one file to the next unseen.
  std::string all;
  for (const auto& [name, contents] : bundle)
    all += fmt::format("{}:{}\n{}:{}\n", name.size(), name, contents.size(), contents);
  return to_hex(sha256(all));
}

}  // namespace teamster::workflow

// Document: one YAML file as a tree in which every node knows its place. A value. Strict, because
// a file that reads as something else than it looks like is worse than an error: no duplicate
// keys, anchors, aliases, merge keys or tags, one document, and no guessing what `012` is.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "yaml/node.h"
#include "yaml/problem.h"

namespace teamster::workflow {

struct Document {
  std::string file;
  Node root;
};

// Nothing when a problem was found; problems name `file`. Quick and with bounded memory
// whatever the text is.
std::optional<Document> parse_document(const std::string& file, std::string_view text, Problems& problems);

}  // namespace teamster::workflow

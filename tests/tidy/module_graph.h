// The module graph three times: as ARCHITECTURE.md draws it, as CMakeLists.txt links it and
// as the includes use it. Each is a map from a module to the modules it names.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

namespace teamster::tidy {

using Modules = std::set<std::string>;
using Graph = std::map<std::string, Modules>;

struct DrawnGraph {
  Graph uses;     // must be used by an include
  Graph may_use;  // in parentheses: allowed, used or not
};

// The fenced block of the document that begins with ```text modules; lines "hub → team (env) base".
DrawnGraph drawn_graph(std::string_view document);
// The lines teamster_module(NAME USES …).
Graph linked_graph(std::string_view cmake_lists);
// By the includes of src; with or without the tests beside the code.
Graph included_graph(bool with_tests);

// Everything reachable from each module, itself not counted.
Graph closure(const Graph& graph);

}  // namespace teamster::tidy

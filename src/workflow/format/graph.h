// Drawings of a workflow: its phases by shape of their kind, and the ways between them with their
// conditions and loops. Pure; text for Mermaid or for Graphviz.
#pragma once

#include <string>

#include "workflow/format/spec.h"

namespace teamster::workflow {

std::string mermaid_graph(const Workflow& workflow);
std::string dot_graph(const Workflow& workflow);

}  // namespace teamster::workflow

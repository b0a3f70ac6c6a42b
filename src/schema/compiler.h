// The compiler of JSON Schemas: a document of draft 7 or 2020-12 becomes nodes, every schema of
// it one, however often it is referred to. Pure; refuses what it does not understand instead of
// passing it by.
#pragma once

#include "base/json.h"
#include "base/result.h"
#include "schema/node.h"

namespace teamster::schema {

// Code::invalid names the place in the document.
Result<Nodes> compile_nodes(const Json& document);

}  // namespace teamster::schema

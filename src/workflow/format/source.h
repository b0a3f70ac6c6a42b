// The words after which a source is written (`args/spec`, `verify/issues`) and the one reader of
// them, for workflow.yaml and for placeholders of its short texts. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "workflow/format/spec.h"

namespace teamster::workflow {

// What stands for the answer just given, in the reasons of ways and in checks.
inline constexpr const char* kThisAnswer = "answer";

// What `run/…` can be; docs/formats/workflow.md says what each is.
const std::vector<std::string>& run_facts();

// A phase may not have such an id: as the first word of a source it means something else.
bool is_reserved(std::string_view id);

// Only the form is checked. Code::invalid says what was expected.
Result<Source> parse_source(std::string_view text);
// As it is written.
std::string source_text(const Source& source);

}  // namespace teamster::workflow

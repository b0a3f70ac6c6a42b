// A workflow for the tests of this module, as its reader would make it from a file: numbered
// specs, each with a ledger. Built anew for each test, which may change it.
#pragma once

#include "workflow/format/spec.h"

namespace teamster::engine {

inline workflow::Workflow workflow_for_test() {
  using workflow::Value;
  workflow::Workflow workflow;
  workflow.name = "specs";
  workflow.args = {{"spec", "number of the spec", "[0-9]{2}", {}, std::nullopt}};
  workflow.values = {
      {"spec_path", Value::Kind::file, "specs/{{args/spec}}-*.md", "", std::nullopt, "There is no spec {{args/spec}}"},
      {"spec_name", Value::Kind::match, R"(specs/[0-9]{2}-(.*)\.md)", "{{values/spec_path}}", std::nullopt, ""},
      {"page_url", Value::Kind::line, "^Page: *(.+)$", "{{values/spec_path}}", "", ""},
      {"preamble", Value::Kind::text, "", "specs/PREAMBLE.md", std::nullopt, "specs/PREAMBLE.md is missing"},
      {"test", Value::Kind::config, "", "checks.test", "true", ""},
      {"docs", Value::Kind::files, "docs/*.md", "", std::nullopt, ""},
  };
  workflow.messages.preamble = "preamble";
  workflow.ledger = workflow::Ledger{"progress/spec-{{args/spec}}",
                                     "manifest.json",
                                     "{{sequence:03}}-p{{number:02}}-{{id}}.json",
                                     {{"spec_number", "{{args/spec}}"}}};
  workflow.series = workflow::Series{"specs/[0-9][0-9]-*.md", R"(specs/([0-9]{2})-.*\.md)", "spec", "Dependencies"};
  return workflow;
}

}  // namespace teamster::engine

// Report: what came of each criterion, with the evidence. A value with its codec: `teamster verify --json` prints it,
// and a run keeps it (docs/formats/manifest.md).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "base/time.h"
#include "verify/bash_checks.h"
#include "verify/manifest.h"

namespace teamster::verify {

enum class Outcome {
  passed,
  failed,
  not_checked,  // nobody could check it: that is no pass
  left_out,     // nobody wanted it checked
};
std::string_view to_string(Outcome outcome);

struct CriterionResult {
  std::string id;
  Outcome outcome = Outcome::not_checked;
  std::string why = {};                    // why it failed or was not checked, in one line
  std::string output = {};                 // of a command
  bool is_cut = false;                     // there was more output
  std::vector<std::string> evidence = {};  // of a reviewer
  std::string remarks = {};
  std::vector<std::string> changed = {};  // what the check changed in the tree
  Duration took{};
};

struct Report {
  std::vector<CriterionResult> results = {};        // in the order of the manifest
  std::vector<Disturbance> disturbances = {};       // of the tree, while checks ran
  std::vector<std::string> changed_in_review = {};  // paths, while reviewers worked
  std::string not_watched = {};                     // why the tree was not watched; empty: it was

  std::size_t count(Outcome outcome) const;
  // Each one passed or was left out.
  bool passed() const { return count(Outcome::failed) == 0 && count(Outcome::not_checked) == 0; }
  const CriterionResult* find(std::string_view id) const;
};

// A criterion as `--list --json` shows it, and with its result. Output that is not UTF-8 becomes U+FFFD.
Json criterion_json(const Criterion& criterion);
Json manifest_json(const Manifest& manifest);
Json errors_json(const ParsedManifest& parsed);
Json report_json(const Manifest& manifest, const Report& report);
// What report_json made, without the manifest.
Result<Report> read_report(const Json& json);

// For people, and for whoever has to mend it: each criterion that did not pass, with why and the evidence.
std::string failures_text(const Manifest& manifest, const Report& report);

}  // namespace teamster::verify

// Manifest: what a task must come to, as criteria that can be checked, read from its Markdown file
// (docs/formats/manifest.md). Values; parse_manifest is pure, ends whatever the text is, and leaves nothing out in
// silence: what it cannot take as a criterion and looks like one is an error with its line.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace teamster::verify {

enum class Method {
  bash,      // a command decides
  subagent,  // a reviewer decides
  covered,   // other criteria decide
};
std::string_view to_string(Method method);

struct Criterion {
  std::string id;  // INV-G1, AC-2.3
  std::string text = {};
  std::size_t line = 0;  // of its list item
  Method method = Method::bash;
  std::string command = {};                  // of bash
  std::string agent = {};                    // of subagent: the profile of the reviewer
  std::string model = {};                    // empty: the driver's own choice
  std::string prompt = {};                   // what the reviewer must judge
  std::vector<std::string> covered_by = {};  // all of them must pass
  std::string amendment = {};                // title of the one that added or last changed it; empty: none
  // Of an acceptance criterion: the number of its deliverable.
  std::optional<std::size_t> deliverable() const;
};

struct Deliverable {
  std::size_t number = 0;
  std::string title;
};

struct Amendment {
  std::string title;
  std::size_t line = 0;
  bool is_historical = false;             // adds no requirement
  std::vector<std::string> added = {};    // ids of criteria
  std::vector<std::string> changed = {};  // the same
};

struct Manifest {
  std::string title = {};
  std::string intent = {};               // the text of its section, cut at kIntentKeptBytes
  std::vector<Criterion> criteria = {};  // in the order of the file; a changed one stays where it was
  std::vector<Deliverable> deliverables = {};
  std::vector<Amendment> amendments = {};
  std::vector<std::string> supersedes = {};  // names of manifests, as they stand there

  const Criterion* find(std::string_view id) const;
};

struct ManifestError {
  std::size_t line = 1;
  std::string what;
  auto operator<=>(const ManifestError&) const = default;
};

struct ParsedManifest {
  Manifest manifest;                       // as far as it could be read
  std::vector<ManifestError> errors = {};  // by line
  std::size_t errors_left_out = 0;
  bool is_valid() const { return errors.empty(); }
};

ParsedManifest parse_manifest(std::string_view text);

// INV-G and a number, or AC- and two with a dot between them; no leading zeros.
bool is_criterion_id(std::string_view text);

}  // namespace teamster::verify

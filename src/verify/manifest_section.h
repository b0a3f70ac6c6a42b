// ManifestSection: which part of a manifest a line stands in, followed heading by heading: the section, its
// deliverable, the amendment. Pure; driven by the reader of one manifest.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace teamster::verify {

enum class Section { none, intent, approach, invariants, guidance, assumptions, deliverables, amendment, other };

class ManifestSection {
 public:
  struct Entered {
    bool is_amendment = false;    // a new one begins
    bool is_deliverable = false;  // the same
    bool is_title = false;
  };
  Entered enter(std::size_t level, std::string_view heading);

  Section section() const { return section_; }
  // Nothing where the heading of a deliverable has no number, or there is none.
  std::optional<std::size_t> deliverable() const { return deliverable_; }
  bool has_criteria() const {
    return section_ == Section::invariants || section_ == Section::deliverables || section_ == Section::amendment;
  }
  // Where the heading, or that of all amendments, says so.
  bool is_historical() const { return is_historical_; }

 private:
  Section section_ = Section::none;
  std::size_t level_ = 0;  // of the section's heading
  bool has_headings_ = false;
  std::optional<std::size_t> deliverable_;
  bool holds_amendments_ = false;  // the section is "Amendments", each below it is one
  bool all_are_historical_ = false;
  bool is_historical_ = false;
};

// Whether words say that what follows is history: "historical" is one of them.
bool says_historical(std::string_view words);

}  // namespace teamster::verify

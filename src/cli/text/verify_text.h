// How a manifest and what came of its criteria read on a terminal. Pure; words of others come out printable, and
// output of checks is shown by its last lines.
#pragma once

#include <string>
#include <vector>

#include "cli/text/palette.h"
#include "verify/report.h"

namespace teamster::cli {

std::string manifest_text(const verify::Manifest& manifest, std::size_t columns);
// "FILE:LINE: what", each on a line.
std::string manifest_errors_text(const std::string& file, const verify::ParsedManifest& parsed);

// One criterion that is settled, with the evidence of one that did not pass.
std::string result_text(const verify::Criterion& criterion, const verify::CriterionResult& result,
                        const Palette& palette);
// What is known when all are: what happened to the tree, and how many passed.
std::string report_text(const verify::Report& report, const Palette& palette);

// Of the live line: at most so many columns wide.
struct VerifyProgress {
  std::size_t settled = 0;
  std::size_t total = 0;
  std::size_t failed = 0;
  std::vector<std::string> running = {};
};
std::string verify_progress_text(const VerifyProgress& progress, std::size_t columns);

}  // namespace teamster::cli

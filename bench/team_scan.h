// TeamScan: how long it takes to say which of ten thousand teams nobody runs any more: our own, and directories of
// Claude Code, for the first time and again. Beside it a jq that is handed as many files at once as a command line
// takes, which only reads them. Owns its files in the scratch directory; makes them once.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "bench/report.h"
#include "bench/teamster_subject.h"

namespace teamster::bench {

inline constexpr const char* kOwnTeams = "orphans among 10,000 teams of ours";
inline constexpr const char* kForeignTeams = "orphans among 10,000 directories of Claude Code, first look";
inline constexpr const char* kForeignTeamsAgain = "orphans among 10,000 directories of Claude Code, unchanged";
inline constexpr const char* kJq = "jq, batched";

class TeamScan {
 public:
  static Result<std::unique_ptr<TeamScan>> make(const std::string& binary, const std::string& scratch, int teams);

  Result<void> measure(Report& report);

 private:
  TeamScan(std::string directory, std::unique_ptr<TeamsterSubject> subject)
      : directory_(std::move(directory)), subject_(std::move(subject)) {}
  Result<void> make_own(int teams);
  void make_foreign(int teams) const;
  // Its own teams alone, or with those of Claude Code.
  Result<double> scan_ms(bool with_foreign) const;
  Result<double> jq_ms(const std::string& filter, const std::string& places) const;

  const std::string directory_;
  std::unique_ptr<TeamsterSubject> subject_;
};

}  // namespace teamster::bench

// Transcripts of members as commands show them: of one that runs, and of those of a run that are kept with it, also
// when their team is gone. Reads files and nothing else.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/framework/context.h"
#include "protocol/client/home.h"

namespace teamster::cli {

// Shows a transcript and what is added to it: it only grows.
class TranscriptFollower {
 public:
  TranscriptFollower(Context& context, std::string path) : context_(context), path_(std::move(path)) {}

  // All complete lines that are new, at most the last `keep` of them. A file that is not there has none.
  Result<void> show(std::size_t keep);

 private:
  void print(std::string_view line);

  Context& context_;
  const std::string path_;
  std::size_t shown_ = 0;
};

// Of this member in the run, one for each team that it was in; empty: there is none.
std::vector<std::string> kept_transcripts(const Context& context, const hub::Home& home, const std::string& run,
                                          const std::string& member);
// Of this member in the latest run that had such a team; empty: there is none.
std::string latest_kept_transcript(const Context& context, const hub::Home& home, const std::string& team,
                                   const std::string& member);

}  // namespace teamster::cli

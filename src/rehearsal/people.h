// People of a rehearsal: what they answer, who says it, when and by which way, from a JSON object by step (people.json,
// docs/formats/rehearsal.md). Nobody answers what is not in it. Values and functions.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/json.h"
#include "base/result.h"
#include "engine/live_run.h"
#include "env/files.h"
#include "workflow/core/run_record.h"

namespace teamster::cli {

// nullopt: nobody is there to answer.
using People = std::function<std::optional<engine::PlayedReply>(const workflow::RunCommand& question)>;

Result<People> read_people(env::Files& files, const std::string& path);

// Those of the rehearsal that has this directory; without one, or without people.json in it, nobody.
People people_of_rehearsal(env::Files& files, const std::string& directory);
std::string people_file_of_rehearsal(const std::string& directory);

}  // namespace teamster::cli

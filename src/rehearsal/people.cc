#include "rehearsal/people.h"

#include <nlohmann/json.hpp>

#include "base/limits.h"

namespace teamster::cli {

Result<People> read_people(env::Files& files, const std::string& path) {
  auto answers = parse_json(TRY(files.read(path, limits::kMetadataMaxBytes)));
  if (!answers) return fail(answers.error().within(path));
  if (!answers->is_object())
    return fail(Code::invalid, path + " is no JSON object",
                R"(It has the answer of each step by its name: {"approve": {"approved": true}})");
  return People([answers = *std::move(answers)](const workflow::RunCommand& question) -> std::optional<Json> {
    const auto found = answers.find(question.step);
    if (found == answers.end()) return std::nullopt;
    return *found;
  });
}

People people_of_rehearsal(env::Files& files, const std::string& directory) {
  // Whoever set the stage has read it before.
  auto people = read_people(files, people_file_of_rehearsal(directory));
  if (people) return *std::move(people);
  return [](const workflow::RunCommand&) { return std::nullopt; };
}

std::string people_file_of_rehearsal(const std::string& directory) { return directory + "/people.json"; }

}  // namespace teamster::cli

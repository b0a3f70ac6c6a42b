#include "engine/handed_in.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "project/file_header.h"
#include "workflow/core/words.h"

namespace teamster::engine {
namespace {

using workflow::command::Turn;

constexpr std::size_t kLookedThroughMaxBytes = std::size_t{4} * 1024 * 1024;  // for secrets

// What an answer names has to be there and hold no secret.
std::string missing_files(const HandedIn& handed_in, const Turn& turn, const Json& answer) {
  env::Files& files = handed_in.project.files;
  for (const auto& field : turn.files) {
    const Json named = workflow::value_at(answer, field);
    for (const auto& each : named.is_array() ? named : Json::array({named})) {
      if (each.is_null()) continue;
      const std::string path = each.is_string() ? each.get<std::string>() : dump_json(each);
      const std::string place = path.starts_with('/') ? path : handed_in.project.directory + "/" + path;
      const auto text = files.read(place, 1);
      // One that is larger than what was read of it is there and not empty.
      if (!text && text.error().code != Code::invalid)
        return fmt::format("{} names {}, which is not there", field, quoted(path, 200));
      if (text && text->empty()) return fmt::format("{} names {}, which is empty", field, quoted(path, 200));
      if (const auto all = files.read(place, kLookedThroughMaxBytes); all && handed_in.redaction.finds_any(*all))
        return fmt::format("{} names {}, which holds a secret: take it out, people will read it", field,
                           quoted(path, 200));
    }
  }
  return {};
}

// What is asked of the files beside being there: their place, and the header at their beginning.
std::string wrong_outputs(const HandedIn& handed_in, const Turn& turn, const Json& answer) {
  for (const auto& output : turn.outputs) {
    const Json named = workflow::value_at(answer, output.field);
    if (!named.is_string()) continue;
    const std::string path = named.get<std::string>();
    if (!output.path.empty() && path != output.path)
      return fmt::format("{} is {}, and has to be {}: write it there", output.field, quoted(path, 200),
                         quoted(output.path, 200));
    if (output.header.empty()) continue;
    const auto text = read_text(handed_in.project, path);
    if (!text) return text.error().text();
    if (!*text) continue;  // one outside of the project
    const auto schema = handed_in.bundle.find(output.header);
    const auto fits =
        schema == handed_in.bundle.end() ? Result<void>() : check_file_header(**text, schema->second, answer);
    if (!fits) return fmt::format("{}: {}", path, fits.error().text());
  }
  return {};
}

}  // namespace

std::string wrong_with_files(const HandedIn& handed_in, const Turn& turn, const Json& answer) {
  const std::string missing = missing_files(handed_in, turn, answer);
  return missing.empty() ? wrong_outputs(handed_in, turn, answer) : missing;
}

}  // namespace teamster::engine

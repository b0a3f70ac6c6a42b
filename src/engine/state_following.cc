#include "engine/state_following.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/limits.h"
#include "base/text.h"
#include "env/clock.h"
#include "project/project_path.h"
#include "workflow/format/source.h"
#include "workflow/format/template.h"

namespace teamster::engine {
namespace {

using workflow::Moment;
using workflow::Pinned;
using workflow::RunState;

// The source of "{{loops/fix}}", which is nothing but that.
std::optional<std::string> only_source_in(const std::string& text) {
  if (!text.starts_with("{{") || !text.ends_with("}}")) return std::nullopt;
  const std::string source = text.substr(2, text.size() - 4);
  return source.find_first_of("{}:") == std::string::npos ? std::optional(source) : std::nullopt;
}

// A text that is one source has that source's type; in lists and maps every text is filled.
Result<Json> filled(const Pinned& pinned, const Moment& moment, const Json& field) {
  if (field.is_structured()) {
    Json whole = field;
    for (auto& inner : whole) inner = TRY(filled(pinned, moment, inner));
    return whole;
  }
  if (!field.is_string()) return field;
  const auto text = field.get<std::string>();
  if (const auto source = only_source_in(text))
    return workflow::value_of(pinned, moment, TRY(workflow::parse_source(*source)));
  return Json(TRY(workflow::short_text(pinned, moment, text)));
}

void put(Json& object, std::string_view path, Json value) {
  const std::size_t slash = path.find('/');
  if (!object.is_object()) object = Json::object();
  const std::string name(path.substr(0, slash));
  if (slash == std::string_view::npos)
    object[name] = std::move(value);
  else
    put(object[name], path.substr(slash + 1), std::move(value));
}

Moment moment_of(const Pinned& pinned, const RunState& state) {
  for (const auto& phase : pinned.workflow.phases)
    if (phase.id == state.phase) return {state, &phase};
  return {state};
}

Result<std::string> place_of(const Pinned& pinned, const RunState& state, const std::string& project) {
  std::string path = TRY(workflow::short_text(pinned, {state}, pinned.workflow.state->file));
  const bool is_temporary =
      !state.temporary.empty() && path.starts_with(state.temporary + "/") && path.find("/../") == std::string::npos;
  if (is_temporary) return path;
  TRY_VOID(check_project_path("the file of the state", path));
  return project + "/" + path;
}

}  // namespace

Result<Json> state_fields(const Pinned& pinned, const RunState& state) {
  Json fields = Json::object();
  const Moment moment = moment_of(pinned, state);
  for (const auto& [path, field] : pinned.workflow.state->fields) {
    Json value = TRY(filled(pinned, moment, field));
    // Of a checklist that was not read yet nothing is known: what is there may be right.
    if (value.is_null() && (field == "{{run/ticked}}" || field == "{{run/boxes}}")) continue;
    put(fields, path, std::move(value));
  }
  return fields;
}

Result<void> follow_with_state_file(env::Files& files, const Pinned& pinned, const std::string& project,
                                    const RunState& state) {
  if (!pinned.workflow.state || pinned.workflow.state->file.empty()) return {};
  const std::string place = TRY(place_of(pinned, state, project));
  Json whole = state.foreign.is_object() ? state.foreign : Json::object();
  const auto text = files.read(place, limits::kMetadataMaxBytes);
  if (!text && text.error().code != Code::not_found) return fail(text.error().within(place));
  if (text) {
    auto read = parse_json(*text);
    if (!read || !read->is_object())
      return fail(Code::invalid,
                  fmt::format("{} is no JSON object, so the state of the run cannot be kept there", place),
                  "Mend it or move it away, then `teamster resume`");
    whole = *std::move(read);
  }
  const Json before = whole;
  const Json fields = TRY(state_fields(pinned, state));
  for (const auto& [name, value] : fields.items()) {
    const bool merges = value.is_object() && whole.contains(name) && whole[name].is_object();
    if (merges)
      whole[name].update(value, true);
    else
      whole[name] = value;
  }
  if (text && whole == before) return {};
  for (std::size_t at = place.find('/', project.size() + 1); at != place.npos && place.starts_with(project + "/");
       at = place.find('/', at + 1))
    TRY_VOID(files.make_directory(place.substr(0, at), 0755));
  return files.write_atomically(place, dump_json_pretty(whole) + "\n", 0644);
}

std::string team_in_state_file(env::Files& files, const Pinned& pinned, const std::string& project,
                               const RunState& state) {
  if (!pinned.workflow.state || pinned.workflow.state->file.empty()) return {};
  const auto place = place_of(pinned, state, project);
  const auto text = place ? files.read(*place, limits::kMetadataMaxBytes) : Result<std::string>("");
  const auto contents = text ? parse_json(*text) : Result<Json>(Json());
  if (!contents) return {};
  for (const auto& [path, field] : pinned.workflow.state->fields) {
    const Json value = field == "{{run/team}}" ? workflow::value_at(*contents, path) : Json();
    if (value.is_string()) return value.get<std::string>();
  }
  return {};
}

std::string file_that_names_team(const Pinned& pinned, const std::string& project, const RunState& state) {
  if (!pinned.workflow.state || pinned.workflow.state->file.empty()) return {};
  const auto& fields = pinned.workflow.state->fields;
  const bool names_team =
      std::any_of(fields.begin(), fields.end(), [](const auto& field) { return field.second == "{{run/team}}"; });
  return names_team ? place_of(pinned, state, project).value_or("") : std::string();
}

Duration settles_in(const env::World& world, const std::string& file) {
  if (file.empty()) return {};
  const auto status = world.files.status(file);
  if (!status || !*status) return {};
  const Duration age = std::chrono::milliseconds(world.clock.wall_now().unix_ms - (*status)->modified_unix_ms);
  return age < Duration::zero() || age >= limits::kStateSettles ? Duration::zero() : limits::kStateSettles - age;
}

Result<std::vector<std::string>> files_of_work(const Pinned& pinned, const RunState& state) {
  std::vector<std::string> paths;
  for (const auto& text : pinned.workflow.files) {
    std::string path = TRY(workflow::short_text(pinned, {state}, text));
    TRY_VOID(check_project_path("a file of what the run is about", path));
    paths.push_back(std::move(path));
  }
  return paths;
}

std::vector<std::string> files_that_follow(const Pinned& pinned, const RunState& state) {
  std::vector<std::string> paths;
  const auto add = [&](const std::string& text) {
    if (auto path = workflow::short_text(pinned, {state}, text); path && !path->empty()) paths.push_back(*path);
  };
  if (pinned.workflow.state) add(pinned.workflow.state->file);
  if (pinned.workflow.ledger) add(pinned.workflow.ledger->directory);
  for (const auto& phase : pinned.workflow.phases)
    if (phase.id == state.phase && phase.items) add(phase.items->checklist);
  return paths;
}

}  // namespace teamster::engine

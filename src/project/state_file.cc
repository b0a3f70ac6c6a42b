#include "project/state_file.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include <fmt/format.h>

#include "env/files.h"
#include "project/workflow_place.h"

namespace teamster::engine {
namespace {

using Named = std::map<std::string, std::string>;

// The arguments that make `path` of the template; nullopt when none do, or something else than arguments is in it.
std::optional<Named> arguments_in(std::string_view path, std::string_view text) {
  constexpr std::string_view kArgument = "{{args/";
  Named found;
  while (true) {
    const std::size_t open = std::min(text.find("{{"), text.size());
    if (!path.starts_with(text.substr(0, open))) return std::nullopt;
    path.remove_prefix(open);
    text.remove_prefix(open);
    if (text.empty()) return path.empty() ? std::optional(found) : std::nullopt;
    const std::size_t close = text.find("}}");
    if (close == text.npos || !text.starts_with(kArgument)) return std::nullopt;
    const std::string name(text.substr(kArgument.size(), close - kArgument.size()));
    text.remove_prefix(close + 2);
    // Up to where the next fixed text begins; a word is one name of a path.
    const std::string_view next = text.substr(0, std::min(text.find("{{"), text.size()));
    const std::size_t end = next.empty() ? std::min(path.find('/'), path.size()) : path.find(next);
    if (end == path.npos || end == 0) return std::nullopt;
    const std::string word(path.substr(0, end));
    // The same argument twice is the same word.
    if (word.find('/') != word.npos || found.emplace(name, word).first->second != word) return std::nullopt;
    path.remove_prefix(end);
  }
}

// States of other tools by the names of their files.
bool is_known_elsewhere(const std::string& name) {
  return name == ".ralph-state.json" || (name.starts_with("collab-state-") && name.ends_with(".json"));
}

}  // namespace

std::optional<Json> arguments_for_ledger(const workflow::Workflow& workflow, const std::string& path) {
  if (!workflow.ledger) return std::nullopt;
  const auto found = arguments_in(path, workflow.ledger->directory + "/" + workflow.ledger->index);
  if (!found) return std::nullopt;
  for (const auto& argument : workflow.args)
    if (!argument.fallback && found->count(argument.name) == 0) return std::nullopt;
  return Json(*found);
}

Result<StateOwner> owner_of_state(env::Files& files, const cli::WorkflowPlaces& places, const std::string& file) {
  namespace fs = std::filesystem;
  const fs::path path = fs::absolute(file).lexically_normal();
  const auto status = TRY(files.status(path.string()));
  if (!status) return fail(Code::not_found, fmt::format("there is no {}", path.string()));
  if (is_known_elsewhere(path.filename().string()))
    return fail(Code::refused, fmt::format("this version of teamster cannot take up {} yet", path.string()),
                "Finish it with the tool that wrote it, or start anew with `teamster run`");
  const std::string inside = path.lexically_relative(fs::current_path()).string();
  for (const auto& found : TRY(places.all())) {
    const auto workflow = cli::load_checked(found);
    if (!workflow || status->is_directory) continue;
    if (auto arguments = arguments_for_ledger(*workflow, inside)) return StateOwner{found.name, *std::move(arguments)};
  }
  return fail(Code::invalid, fmt::format("{} is no state that a workflow of this project goes on from", path.string()),
              "Name a manifest, as progress/spec-08/manifest.json, from the project that it is in");
}

}  // namespace teamster::engine

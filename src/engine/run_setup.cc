#include "engine/run_setup.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace teamster::engine {
namespace {

constexpr std::size_t kBundleMaxBytes = std::size_t{64} * 1024 * 1024;

std::string way_out_of(const std::string& run) {
  return fmt::format("End the run with `teamster cancel {}` and start a new one", run);
}

std::string bundle_file(const hub::Home& home, const std::string& run) {
  return run_directory(home, run) + "/bundle.json";
}

}  // namespace

Json RunSetup::json() const {
  Json json = {{"project", project}, {"digest", digest},   {"driver", driver},
               {"drivers", drivers}, {"scripts", scripts}, {"budget", budget}};
  if (!parent.empty()) json["parent"] = parent;
  if (!at_most.empty()) json["at_most"] = at_most;
  if (!settings.empty()) json["settings"] = settings;
  if (!auth.empty()) json["auth"] = auth;
  if (!auth_file.empty()) json["auth_file"] = auth_file;
  json["format"] = format;
  return json;
}

Result<RunSetup> RunSetup::from_json(const Json& json) {
  RunSetup setup;
  setup.project = TRY(string_field(json, "project"));
  setup.digest = TRY(string_field(json, "digest"));
  setup.driver = TRY(optional_string_field(json, "driver")).value_or("");
  setup.scripts = TRY(optional_string_field(json, "scripts")).value_or("");
  setup.budget = TRY(optional_string_field(json, "budget")).value_or("");
  setup.parent = TRY(optional_string_field(json, "parent")).value_or("");
  setup.at_most = TRY(optional_string_field(json, "at_most")).value_or("");
  setup.auth = TRY(optional_string_field(json, "auth")).value_or("");
  setup.auth_file = TRY(optional_string_field(json, "auth_file")).value_or("");
  // Runs that were started before formats had a number.
  setup.format = json.contains("format") ? TRY(integer_field(json, "format")) : 1;
  if (const auto settings = json.find("settings"); settings != json.end() && settings->is_array())
    for (const auto& each : *settings)
      if (each.is_string()) setup.settings.push_back(each.get<std::string>());
  if (const auto drivers = json.find("drivers"); drivers != json.end() && drivers->is_object())
    for (const auto& [role, driver] : drivers->items())
      if (driver.is_string()) setup.drivers[role] = driver.get<std::string>();
  return setup;
}

std::string run_directory(const hub::Home& home, const std::string& run) { return home.path() + "/runs/" + run; }

std::string transcripts_directory(const hub::Home& home, const std::string& run) {
  return run_directory(home, run) + "/transcripts";
}

std::string transcript_file(const hub::Home& home, const std::string& run, const std::string& team,
                            const std::string& member) {
  return transcripts_directory(home, run) + "/" + team + "/" + member + ".jsonl";
}

Result<void> save_bundle(env::Files& files, const hub::Home& home, const std::string& run,
                         const workflow::Bundle& bundle) {
  TRY_VOID(files.make_private_directory(run_directory(home, run)));
  return files.write_atomically(bundle_file(home, run), dump_json(Json(bundle)), 0600);
}

Result<workflow::Bundle> read_bundle(env::Files& files, const hub::Home& home, const std::string& run) {
  const std::string path = bundle_file(home, run);
  const std::string text = TRY(files.read(path, kBundleMaxBytes));
  const auto json = parse_json(text, {.max_bytes = kBundleMaxBytes});
  if (!json || !json->is_object())
    return fail(Code::failed, fmt::format("the workflow of run {} is torn: {}", run, path), way_out_of(run));
  workflow::Bundle bundle;
  for (const auto& [name, content] : json->items())
    if (content.is_string()) bundle[name] = content.get<std::string>();
  return bundle;
}

Result<workflow::Bundle> load_bundle(env::Files& files, const hub::Home& home, const std::string& run,
                                     const std::string& digest) {
  const std::string path = bundle_file(home, run);
  auto bundle = read_bundle(files, home, run);
  if (!bundle && bundle.error().code == Code::not_found)
    return fail(Code::failed, fmt::format("the workflow of run {} is gone: there is no {}", run, path),
                way_out_of(run));
  if (bundle && workflow::digest(*bundle) != digest)
    return fail(Code::refused, fmt::format("{} is not the workflow with which run {} was started", path, run),
                "Put the file back. " + way_out_of(run));
  return bundle;
}

}  // namespace teamster::engine

#include "cli/commands/run/going_on.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "base/text.h"
#include "cli/framework/commands.h"
#include "project/workflow_place.h"
#include "workflow/core/people.h"
#include "workflow/core/stakeholders.h"
#include "workflow/format/usage.h"

namespace teamster::cli::commands {
namespace {

// Flags of `run` that matter where a run is begun from a file.
constexpr std::array kOfRun = {"driver", "scripts", "set", "budget"};

// The people that a state names, checked as those of a file of stakeholders; null: it names none.
Result<Json> people_of_state(const engine::StateOwner& owner, const workflow::Workflow& workflow) {
  const Json& said = owner.people;
  if (raw_text_in(said, "owner").empty() && list_in(said, "stakeholders").empty()) return Json();
  Json file = {{"stakeholders", Json::array()}, {"groups", Json::array()}};
  if (const std::string handle = raw_text_in(said, "owner"); !handle.empty()) file["owner"] = handle;
  for (const auto& person : list_in(said, "stakeholders")) {
    Json kept = Json::object();
    for (const char* key : {"handle", "name", "role", "is_qa", "expertise", "contact"})
      if (person.is_object() && person.contains(key) && !person[key].is_null() && person[key] != Json(""))
        kept[key] = person[key];
    file["stakeholders"].push_back(std::move(kept));
  }
  for (const auto& [address, thread] : object_in(said, "threads").items()) {
    Json group = Json::array();
    const std::string all = workflow::address_of(address);
    for (std::size_t begin = 0, end = 0; begin < all.size(); begin = end + 1) {
      end = std::min(all.find('+', begin), all.size());
      group.push_back(all.substr(begin, end - begin));
    }
    if (group.size() > 1) file["groups"].push_back(std::move(group));
  }
  Json people = TRY(workflow::read_stakeholders(owner.file, dump_json(file), workflow));
  people["channel"] = {{"id", raw_text_in(said, "channel")}, {"name", raw_text_in(said, "channel_name")}};
  people["threads"] = object_in(said, "threads");
  return people;
}

}  // namespace

Result<void> go_on_from_state(Context& context, const std::string& file, const workflow::Workflow& workflow,
                              engine::RunRequest& request) {
  env::Files& files = context.outside().world().files;
  const auto owner = TRY(engine::owner_of_state(files, WorkflowPlaces(files, context.outside().variable), file));
  workflow::event::Resumption resume{.phase = TRY(engine::phase_at(workflow, owner))};
  if (resume.phase.empty()) return {};
  for (const auto& [phase, answer] : owner.answers.items()) resume.answers[phase] = {.value = answer};
  if (!owner.foreign.empty()) resume.foreign = owner.foreign;
  if (request.people.is_null()) request.people = TRY(people_of_state(owner, workflow));
  request.resume = std::move(resume);
  context.note(fmt::format("going on from {} at {}\n", file, request.resume->phase));
  return {};
}

Result<int> run_from_state(Context& context, const Arguments& arguments, const engine::StateOwner& owner,
                           std::vector<std::string> words) {
  const WorkflowPlaces places(context.outside().world().files, context.outside().variable);
  const workflow::Workflow workflow = TRY(load_checked(TRY(places.find(owner.workflow))));
  if (!owner.lacking.empty())
    return fail(Code::invalid,
                fmt::format("no run of {} has this state, and {} does not say {}", owner.workflow, owner.file,
                            join(owner.lacking, ", ")),
                fmt::format("Start it with `{}`", workflow::usage_line(workflow)));
  for (const char* flag : kOfRun)
    for (const auto& value : arguments.values(flag)) words.push_back(fmt::format("--{}={}", flag, value));
  if (!owner.stage.empty()) words.push_back("--from-state=" + owner.file);
  words.insert(words.end(), {"--", owner.workflow});
  for (auto& word : TRY(engine::words_of_named(workflow, {owner.entry, owner.arguments})).words)
    words.push_back(std::move(word));
  const Command command = run_workflow();
  return command.run(context, TRY(Arguments::parse(command, words, false)));
}

}  // namespace teamster::cli::commands

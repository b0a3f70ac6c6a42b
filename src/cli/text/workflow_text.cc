#include "cli/text/workflow_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/text/printable.h"
#include "cli/text/table.h"
#include "workflow/format/entry.h"
#include "workflow/format/load.h"
#include "workflow/format/spec_words.h"
#include "workflow/format/usage.h"

namespace teamster::cli {
namespace {

using workflow::Phase;
using workflow::Way;
using workflow::Workflow;

std::string end_of(const Way& way) {
  switch (way.end) {
    case Way::End::none:
      return way.target;
    case Way::End::done:
      return "done";
    case Way::End::block:
      return "blocked";
    case Way::End::fail:
      break;
  }
  return "failed";
}

std::string who(const Phase& phase) {
  if (!phase.role.empty()) return phase.role;
  if (!phase.roles.empty()) return join(phase.roles, ", ");
  if (phase.workflow.empty()) return "-";
  return phase.entry.empty() ? phase.workflow : fmt::format("{} {}", phase.workflow, phase.entry);
}

std::string ways_text(const Phase& phase) {
  std::vector<std::string> parts;
  for (const auto& way : phase.on) {
    std::string text = "-> " + end_of(way);
    if (!way.when.empty()) text += " if " + dump_json(Json(way.when));
    if (!way.loop.empty()) text += fmt::format(" ({})", way.loop);
    parts.push_back(std::move(text));
  }
  return join(parts, "; ");
}

// "from topics to research"
std::string extent_text(const Workflow& workflow, const workflow::Entry& entry) {
  const auto extent = workflow::extent_of(workflow, entry.name);
  return fmt::format("from {} to {}", workflow.phases[extent.first].id, workflow.phases[extent.last].id);
}

// How it is called, and what is said of the words.
std::string usage_text(const Workflow& workflow) {
  std::string text;
  if (workflow.entries.empty()) text = fmt::format("  {}\n", workflow::usage_line(workflow));
  for (const auto& entry : workflow.entries) {
    text += fmt::format("  {}\n", workflow::usage_line(workflow, &entry));
    const std::string about = entry.about.empty() ? "" : entry.about + "; ";
    text += fmt::format("    {}{}\n", printable_line(about), extent_text(workflow, entry));
  }
  for (const auto& argument : workflow.args)
    if (!argument.about.empty()) text += fmt::format("    {}: {}\n", argument.name, printable_line(argument.about));
  for (const auto& flag : workflow.flags)
    if (!flag.value.about.empty()) text += fmt::format("    --{}: {}\n", flag.name(), printable_line(flag.value.about));
  return text;
}

Json argument_json(const workflow::Argument& argument) {
  return {{"name", argument.name},
          {"about", argument.about},
          {"pattern", argument.pattern},
          {"choices", argument.choices},
          {"default", argument.fallback ? Json(*argument.fallback) : Json()}};
}

Json entry_json(const Workflow& workflow, const workflow::Entry& entry) {
  const auto extent = workflow::extent_of(workflow, entry.name);
  Json args = Json::array();
  for (const auto* argument : workflow::arguments_of(workflow, &entry)) args.push_back(argument->name);
  Json flags = Json::array();
  for (const auto* flag : workflow::flags_of(workflow, &entry)) flags.push_back(flag->name());
  return {{"name", entry.name},
          {"about", entry.about},
          {"flags", std::move(flags)},
          {"from", workflow.phases[extent.first].id},
          {"to", workflow.phases[extent.last].id},
          {"args", std::move(args)},
          {"usage", workflow::usage_line(workflow, &entry)}};
}

Json way_json(const Way& way) {
  return {{"when", Json(way.when)}, {"to", end_of(way)}, {"loop", way.loop}, {"reason", way.reason}};
}

Json phase_json(const Phase& phase) {
  Json ways = Json::array();
  for (const auto& way : phase.on) ways.push_back(way_json(way));
  Json inputs = Json::array();
  for (const auto& [name, input] : phase.inputs) inputs.push_back(name);
  return {{"number", phase.number},
          {"stage", workflow::stage_of(phase)},
          {"skill", phase.skill},
          {"id", phase.id},
          {"title", phase.title},
          {"kind", workflow::word_of(phase.kind)},
          {"role", phase.role},
          {"roles", phase.roles},
          {"merge", phase.merge},
          {"workflow", phase.workflow},
          {"entry", phase.entry},
          {"only", Json(phase.only)},
          {"template", phase.template_file},
          {"inputs", std::move(inputs)},
          {"returns", phase.returns},
          {"on", std::move(ways)}};
}

}  // namespace

Result<Workflow> valid_workflow(const FoundWorkflow& found) {
  auto loaded = workflow::load_workflow(found.bundle);
  if (loaded.workflow) return *std::move(loaded.workflow);
  const std::size_t more = loaded.problems.size() - 1 + loaded.problems_left_out;
  return fail(
      Code::failed,
      fmt::format("{}/{}{}", found.path, loaded.problems.front().text(),
                  more == 0 ? "" : fmt::format(" (and {} more)", more)),
      fmt::format("See all of them: teamster workflow validate {}", found.from == "path" ? found.path : found.name));
}

std::string workflow_text(const FoundWorkflow& found, const Workflow& workflow, std::size_t columns) {
  std::string text = fmt::format("{}: {}\nfrom {}, {}\n\n{}", workflow.name, printable_line(workflow.about), found.from,
                                 printable_line(found.path), usage_text(workflow));
  for (const auto& [name, role] : workflow.roles)
    if (!role.about.empty()) text += fmt::format("  {} {}\n", name, printable_line(role.about));
  Table phases({"#", "PHASE", "KIND", "ROLE", "WAYS"});
  for (const auto& phase : workflow.phases)
    phases.add({workflow::stage_of(phase), phase.id, workflow::word_of(phase.kind), who(phase),
                printable_line(ways_text(phase))});
  text += "\n" + phases.text(columns);
  if (!workflow.loops.empty()) {
    Table loops({"LOOP", "MAX", "THEN", "COUNTS"});
    for (const auto& [name, loop] : workflow.loops)
      loops.add(
          {name, fmt::format("{}", loop.max), workflow::then_text(loop), loop.counts.empty() ? "ways" : loop.counts});
    text += "\n" + loops.text(columns);
  }
  return text;
}

Json workflow_document(const FoundWorkflow& found, const Workflow& workflow) {
  Json args = Json::array();
  for (const auto& argument : workflow.args) args.push_back(argument_json(argument));
  Json entries = Json::array();
  for (const auto& entry : workflow.entries) entries.push_back(entry_json(workflow, entry));
  Json flags = Json::array();
  for (const auto& flag : workflow.flags) {
    Json one = argument_json(flag.value);
    one["value"] = flag.is_switch() ? Json() : Json(flag.shown);
    flags.push_back(std::move(one));
  }
  Json roles = Json::object();
  for (const auto& [name, role] : workflow.roles)
    roles[name] = {{"about", role.about},
                   {"driver", role.driver},
                   {"model", role.model},
                   {"native", role.is_native},
                   {"tools", role.tools}};
  Json loops = Json::object();
  for (const auto& [name, loop] : workflow.loops)
    loops[name] = {
        {"max", loop.max}, {"then", workflow::then_text(loop)}, {"counts", loop.counts}, {"resets", loop.resets}};
  Json phases = Json::array();
  for (const auto& phase : workflow.phases) phases.push_back(phase_json(phase));
  Json files = Json::array();
  for (const auto& [name, contents] : found.bundle) files.push_back(name);
  return {{"name", workflow.name},
          {"about", workflow.about},
          {"from", found.from},
          {"path", found.path},
          {"entries", std::move(entries)},
          {"args", std::move(args)},
          {"flags", std::move(flags)},
          {"digest", workflow::digest(found.bundle)},
          {"roles", std::move(roles)},
          {"loops", std::move(loops)},
          {"files", std::move(files)},
          {"phases", std::move(phases)}};
}

}  // namespace teamster::cli

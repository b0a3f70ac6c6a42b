#include "project/state_file.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/limits.h"
#include "base/text.h"
#include "env/files.h"
#include "interop/collab_state.h"
#include "project/workflow_place.h"
#include "workflow/format/entry.h"
#include "workflow/format/source.h"
#include "workflow/format/spec_words.h"
#include "workflow/format/usage.h"

namespace teamster::engine {
namespace {

// By what a template names them: "args/spec", "run/id".
using Named = std::map<std::string, std::string>;

constexpr std::string_view kArguments = "args/";
constexpr const char* kEntry = "run/entry";
constexpr int kTriesMax = 100'000;

// Finds the words of which a path is made by a template. Only what the run is started with can be in it, and with
// `knows_run` also what else is of the run, which is anything.
class Matching {
 public:
  explicit Matching(bool knows_run) : knows_run_(knows_run) {}

  bool match(std::string_view path, std::string_view text) {
    const std::size_t open = std::min(text.find("{{"), text.size());
    if (++tries_ > kTriesMax || !path.starts_with(text.substr(0, open))) return false;
    path.remove_prefix(open);
    text.remove_prefix(open);
    if (text.empty()) return path.empty();
    const std::size_t close = text.find("}}");
    if (close == text.npos) return false;
    const std::string source(text.substr(2, close - 2));
    const bool is_of_run = source == kEntry || (knows_run_ && source.starts_with("run/"));
    if (!source.starts_with(kArguments) && !is_of_run) return false;
    return match_word(source, path, text.substr(close + 2));
  }

  const Named& found() const { return found_; }

 private:
  // A word is one name of a path, but for a directory; the shortest that fits is taken, and the same source twice is
  // the same word.
  bool match_word(const std::string& source, std::string_view path, std::string_view rest) {
    for (std::size_t end = 1; end <= path.size(); ++end) {
      const std::string word(path.substr(0, end));
      if (word.back() == '/' && source != "run/temporary") return false;
      const Named before = found_;
      if (found_.emplace(source, word).first->second == word && match(path.substr(end), rest)) return true;
      found_ = before;
    }
    return false;
  }

  const bool knows_run_;
  Named found_;
  int tries_ = 0;
};

const Json* field_at(const Json& contents, std::string_view path) {
  const std::size_t slash = path.find('/');
  if (!contents.is_object()) return nullptr;
  const auto found = contents.find(std::string(path.substr(0, slash)));
  if (found == contents.end()) return nullptr;
  return slash == path.npos ? &*found : field_at(*found, path.substr(slash + 1));
}

// The one that goes the least beyond that phase: for whom knows the phase and not what the run was started for.
std::string entry_for(const workflow::Workflow& workflow, const std::string& phase) {
  std::string found;
  std::size_t least = workflow.phases.size() + 1;
  for (const auto& entry : workflow.entries) {
    const workflow::Extent extent = workflow::extent_of(workflow, entry.name);
    const std::size_t phases = extent.last - std::min(extent.first, extent.last) + 1;
    const auto holds = [&](std::size_t at) { return at >= extent.first && at <= extent.last; };
    for (std::size_t at = 0; at < workflow.phases.size(); ++at)
      if (workflow.phases[at].id == phase && holds(at) && phases < least) {
        found = entry.name;
        least = phases;
      }
  }
  return found;
}

// From the path, or from a field that is nothing but it, as in `phase: '{{run/entry}}'`; or by the phase that one
// names.
void take_entry(const workflow::Workflow& workflow, const Named& found, const Json& contents,
                const std::map<std::string, Json>& fields, StateOwner& owner) {
  if (workflow.entries.empty()) return;
  std::string word;
  if (const auto named = found.find(kEntry); named != found.end()) word = named->second;
  for (const auto& [field, text] : fields)
    if (const Json* value = field_at(contents, field);
        text == "{{run/entry}}" && value != nullptr && value->is_string())
      word = value->get<std::string>();
  for (const auto& [field, text] : fields)
    if (const Json* value = field_at(contents, field);
        word.empty() && text == "{{run/phase}}" && value != nullptr && value->is_string())
      word = entry_for(workflow, value->get<std::string>());
  if (workflow::find_entry(workflow, word) == nullptr)
    owner.lacking.emplace_back("for which entry it is");
  else
    owner.entry = word;
}

Json arguments_among(const Named& found) {
  Json arguments = Json::object();
  for (const auto& [source, word] : found)
    if (source.starts_with(kArguments)) arguments[source.substr(kArguments.size())] = word;
  return arguments;
}

// A field that is nothing but an argument is that argument; one with other words around it says it, too.
void add_arguments(const Json& contents, const std::string& field, const std::string& text, Json& arguments) {
  const Json* value = field_at(contents, field);
  if (value == nullptr || value->is_null()) return;
  const bool is_one = text.starts_with("{{args/") && text.find("}}") == text.size() - 2;
  if (is_one) {
    const std::string name = text.substr(7, text.size() - 9);
    if (!arguments.contains(name)) arguments[name] = *value;
    return;
  }
  Matching matching(false);
  if (!value->is_string() || !matching.match(value->get<std::string>(), text)) return;
  const Json found = arguments_among(matching.found());
  for (const auto& [name, word] : found.items())
    if (!arguments.contains(name)) arguments[name] = word;
}

// The source of a field that is nothing but one.
std::optional<workflow::Source> only_source_of(const Json& field) {
  if (!field.is_string()) return std::nullopt;
  const auto text = field.get<std::string>();
  if (!text.starts_with("{{") || text.find("}}") != text.size() - 2) return std::nullopt;
  const auto source = workflow::parse_source(text.substr(2, text.size() - 4));
  return source ? std::optional(*source) : std::nullopt;
}

void put_at(Json& object, const std::vector<std::string>& path, std::size_t from, const Json& value) {
  if (from == path.size()) {
    object = value;
    return;
  }
  if (!object.is_object()) object = Json::object();
  put_at(object[path[from]], path, from + 1, value);
}

// What is said of phases and people goes back to where it came from.
void add_facts(const workflow::Workflow& workflow, const Json& contents, StateOwner& owner) {
  for (const auto& [field, text] : workflow.state->fields) {
    const auto source = only_source_of(text);
    const Json* value = source ? field_at(contents, field) : nullptr;
    if (value == nullptr || value->is_null()) continue;
    if (source->kind == workflow::Source::Kind::answer) put_at(owner.answers[source->name], source->path, 0, *value);
    if (source->kind != workflow::Source::Kind::run) continue;
    if (source->name == "phase" || source->name == "phase_number")
      owner.stage = value->is_string() ? value->get<std::string>() : dump_json(*value);
    for (const char* fact : {"owner", "stakeholders", "channel", "channel_name", "threads"})
      if (source->name == fact) owner.people[fact] = *value;
  }
}

Result<StateOwner> only_owner(const std::vector<StateOwner>& owners, const std::string& path) {
  if (owners.size() == 1) return owners.front();
  if (owners.empty())
    return fail(Code::invalid, fmt::format("{} is no state that a workflow of this project goes on from", path),
                "Name a manifest, as progress/spec-08/manifest.json, or the file of a workflow's `state`, from the "
                "project that it is in");
  std::vector<std::string> names;
  for (const auto& owner : owners) names.push_back(owner.workflow);
  return fail(Code::invalid, fmt::format("{} is the state of {} workflows: {}", path, names.size(), join(names, ", ")),
              "Name the run, `teamster resume RUN`, or start one of them with `teamster run`");
}

// The directory of a ledger stands for its index.
Result<StateOwner> owner_of_ledger(env::Files& files, const cli::WorkflowPlaces& places,
                                   const std::filesystem::path& directory, const std::string& inside) {
  std::vector<StateOwner> owners;
  for (const auto& found : TRY(places.all())) {
    const auto workflow = cli::load_checked(found);
    if (!workflow || !workflow->ledger) continue;
    const auto text = files.read((directory / workflow->ledger->index).string(), limits::kMetadataMaxBytes);
    const auto contents = text ? parse_json(*text) : Result<Json>(Json());
    if (!text) continue;
    if (auto owner = owner_by_ledger(*workflow, inside + "/" + workflow->ledger->index, contents.value_or(Json()))) {
      owners.push_back(*std::move(owner));
      owners.back().workflow = found.name;
    }
  }
  return only_owner(owners, directory.string());
}

}  // namespace

std::optional<StateOwner> owner_by_ledger(const workflow::Workflow& workflow, const std::string& path,
                                          const Json& contents) {
  if (!workflow.ledger) return std::nullopt;
  Matching matching(false);
  if (!matching.match(path, workflow.ledger->directory + "/" + workflow.ledger->index)) return std::nullopt;
  StateOwner owner{.workflow = workflow.name, .arguments = arguments_among(matching.found())};
  for (const auto& argument : workflow.args)
    if (!argument.fallback && !owner.arguments.contains(argument.name)) return std::nullopt;
  take_entry(workflow, matching.found(), contents, workflow.ledger->fields, owner);
  return owner;
}

std::optional<StateOwner> owner_by_state(const workflow::Workflow& workflow, const std::string& path,
                                         const std::string& absolute, const Json& contents) {
  if (!workflow.state || workflow.state->file.empty()) return std::nullopt;
  Matching matching(true);
  const std::string& file = workflow.state->file;
  if (!matching.match(file.starts_with("{{run/temporary}}") ? absolute : path, file)) return std::nullopt;
  StateOwner owner{.workflow = workflow.name, .arguments = arguments_among(matching.found())};
  if (const auto run = matching.found().find("run/id"); run != matching.found().end()) owner.run = run->second;
  for (const auto& [field, value] : workflow.state->fields)
    if (value.is_string()) add_arguments(contents, field, value.get<std::string>(), owner.arguments);
  take_entry(workflow, matching.found(), contents, workflow.state->fields, owner);
  for (const auto& argument : workflow.args)
    if (!argument.fallback && !owner.arguments.contains(argument.name)) owner.lacking.push_back(argument.name);
  add_facts(workflow, contents, owner);
  std::set<std::string> known;
  for (const auto& [field, value] : workflow.state->fields) known.insert(field.substr(0, field.find('/')));
  for (const auto& [key, value] : contents.items())
    if (known.count(key) == 0) owner.foreign[key] = value;
  owner.file = absolute;
  return owner;
}

Result<std::string> phase_at(const workflow::Workflow& workflow, const StateOwner& owner) {
  if (owner.stage.empty()) return std::string();
  std::vector<std::string> known;
  for (const auto& phase : workflow.phases) {
    for (const auto& name : {phase.id, workflow::stage_of(phase)}) {
      if (std::find(known.begin(), known.end(), name) == known.end()) known.push_back(name);
      if (name != owner.stage) continue;
      if (workflow::stage_of(phase) == workflow::stage_of(workflow.phases.back()))
        return fail(Code::refused, fmt::format("{} is already complete, says {}", workflow.name, owner.file),
                    fmt::format("To do it again: `{}`", workflow::usage_line(workflow)));
      return phase.id;
    }
  }
  return fail(Code::invalid,
              fmt::format("{} says that it is at {}, and {} has no such phase", owner.file, quoted(owner.stage, 80),
                          workflow.name),
              fmt::format("Its phases: {}", join(known, ", ")));
}

Result<StateOwner> owner_of_state(env::Files& files, const cli::WorkflowPlaces& places, const std::string& file) {
  namespace fs = std::filesystem;
  const fs::path path = fs::absolute(file).lexically_normal();
  const auto status = TRY(files.status(path.string()));
  if (!status)
    return fail(Code::not_found, fmt::format("there is no {}", path.string()),
                "See what is under way with `teamster status`");
  const std::string inside = path.lexically_relative(fs::current_path()).string();
  std::vector<StateOwner> owners;
  if (status->is_directory) return owner_of_ledger(files, places, path, inside);
  for (const auto& found : TRY(places.all())) {
    const auto workflow = cli::load_checked(found);
    if (!workflow) continue;
    const bool is_ledger = owner_by_ledger(*workflow, inside, {}).has_value();
    if (!is_ledger && !owner_by_state(*workflow, inside, path.string(), {})) continue;
    // A manifest has nothing to say but the entry, and what a torn one means is for whoever goes on from it.
    Result<Json> contents = Json();
    if (!is_ledger || !workflow->entries.empty())
      contents = parse_json(TRY(files.read(path.string(), limits::kMetadataMaxBytes)));
    if (!is_ledger && (!contents || !contents->is_object()))
      return fail(Code::invalid,
                  fmt::format("{}, where {} keeps its state, is no JSON object", path.string(), found.name),
                  "Mend it, or name the run: `teamster resume RUN`");
    owners.push_back(
        is_ledger ? *owner_by_ledger(*workflow, inside, contents.value_or(Json()))
                  : *owner_by_state(*workflow, inside, path.string(), interop::with_our_names(*std::move(contents))));
    owners.back().workflow = found.name;
  }
  return only_owner(owners, path.string());
}

}  // namespace teamster::engine

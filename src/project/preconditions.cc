#include "project/preconditions.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/limits.h"
#include "base/text.h"
#include "env/processes.h"
#include "project/item_names.h"
#include "project/project_path.h"
#include "project/series.h"
#include "project/skill_table.h"

namespace teamster::engine {
namespace {

using Kind = workflow::Precondition::Kind;

constexpr std::size_t kShownMaxBytes = 200;

// As it is, unless that would be hard to read or to print.
std::string shown(const std::string& name) {
  const bool is_plain = std::all_of(name.begin(), name.end(), [](char c) { return c > ' ' && c < 0x7F; });
  return is_plain ? name : quoted(name, kShownMaxBytes);
}

std::string listed(const std::vector<std::string>& names) {
  std::string list;
  for (std::size_t i = 0; i < std::min(names.size(), limits::kFilesNamedMax); ++i)
    list += (i == 0 ? "" : ", ") + shown(names[i]);
  if (names.size() > limits::kFilesNamedMax) list += fmt::format(" and {} more", names.size() - limits::kFilesNamedMax);
  return list;
}

std::string plain_words(Kind kind, const std::string& missing) {
  switch (kind) {
    case Kind::file:
      return fmt::format("{} is missing", missing);
    case Kind::clean:
      return fmt::format("not committed: {}", missing);
    case Kind::done:
      return fmt::format("not done yet: {}", missing);
    case Kind::skills:
      return fmt::format("not installed: the skill {}", missing);
    case Kind::idle:
      return fmt::format("under way: {}", missing);
    case Kind::head:
      return fmt::format("HEAD is on no branch but at the commit {}", missing);
    case Kind::command:
      break;
  }
  return fmt::format("a command that must succeed before the run did not: {}", missing);
}

}  // namespace

Preconditions::Preconditions(const env::World& world, PreconditionOptions options)
    : world_(world),
      options_(std::move(options)),
      project_{world.files, options_.project},
      sources_(sources_of(options_.given, options_.values)),
      git_(options_.open_git(world, options_.project)) {}

void Preconditions::check(Done done) {
  done_ = std::move(done);
  start_ = world_.loop.after(Duration::zero(), [this] { go_on(check_item()); });
}

// What others only refer to is nothing to run.
Result<void> Preconditions::check_item() {
  const auto& series = options_.workflow.series;
  if (!series || series->required.empty()) return {};
  const auto names = TRY(ItemNames::read(project_, options_.workflow));
  const auto found = names.paths().find(TRY(item()));
  if (found == names.paths().end() || !TRY(is_reference(project_, *series, found->second))) return {};
  return fail(Code::refused,
              fmt::format("{} has no heading {}, so there is nothing to do for it: it is a reference for others",
                          found->second, quoted(series->required, kShownMaxBytes)),
              "Write that section, or name another");
}

void Preconditions::check_next() {
  const auto& conditions = options_.workflow.preconditions;
  if (at_ == conditions.size()) {
    const auto named = check_named_skills(skill_place(), options_.workflow);
    // Moved out: whoever is told may destroy this.
    const auto done = std::exchange(done_, nullptr);
    return named ? done(std::move(skills_)) : done(fail(named.error()));
  }
  const Precondition& condition = conditions[at_++];
  if (!is_asked(condition)) return check_next();
  switch (condition.kind) {
    case Kind::file:
      return go_on(check_file(condition));
    case Kind::done:
      return go_on(check_done(condition));
    case Kind::skills:
      return go_on(check_skills(condition));
    case Kind::idle:
      return go_on(options_.active.empty() ? Result<void>() : Result<void>(unmet(condition, options_.active)));
    case Kind::clean:
      return check_clean(condition);
    case Kind::head:
      return check_head(condition);
    case Kind::command:
      return check_command(condition);
  }
}

// A flag is compared as it is: a switch is no text.
Json Preconditions::value_of(const std::string& source) const {
  constexpr std::string_view kFlags = "flags/";
  if (source.starts_with(kFlags)) {
    const auto flag = options_.given.flags.find(source.substr(kFlags.size()));
    return flag == options_.given.flags.end() ? Json() : flag->second;
  }
  const auto found = sources_(source);
  return found ? Json(*found) : Json();
}

bool Preconditions::is_asked(const Precondition& condition) const {
  return std::all_of(condition.only.begin(), condition.only.end(), [&](const auto& side) {
    const Json value = value_of(side.first);
    if (!side.second.is_array()) return value == side.second;
    return std::find(side.second.begin(), side.second.end(), value) != side.second.end();
  });
}

void Preconditions::go_on(Result<void> checked) {
  if (checked) return check_next();
  const auto done = std::exchange(done_, nullptr);
  done(fail(std::move(checked).error()));
}

tl::unexpected<Error> Preconditions::unmet(const Precondition& condition, const std::string& missing) const {
  const auto lookup = [&](std::string_view source) {
    return source == "missing" ? std::optional(missing) : sources_(source);
  };
  const Code code = condition.kind == Kind::file ? Code::not_found : Code::refused;
  auto words = render_short_text(condition.otherwise, lookup);
  if (!words) return fail(words.error());
  return fail(code, words->empty() ? plain_words(condition.kind, missing) : *std::move(words));
}

Result<void> Preconditions::check_file(const Precondition& condition) {
  const std::string path = TRY(render_short_text(condition.what, sources_));
  TRY_VOID(check_project_path("the file that must be there", path));
  const auto status = TRY(project_.files.status(project_.directory + "/" + path));
  if (status && !status->is_directory) return {};
  return unmet(condition, path);
}

Result<std::string> Preconditions::item() const {
  if (!options_.workflow.series)
    return fail(Code::invalid, fmt::format("the workflow {} has no series of items", options_.workflow.name),
                "Say in its `series` which files are its items");
  const auto found = options_.given.arguments.find(options_.workflow.series->argument);
  if (found == options_.given.arguments.end())
    return fail(Code::invalid, fmt::format("the series of {} has no argument", options_.workflow.name));
  return found->second;
}

Result<void> Preconditions::check_done(const Precondition& condition) {
  const std::string own = TRY(item());
  const auto names = TRY(ItemNames::read(project_, options_.workflow));
  std::string path = TRY(render_short_text(condition.of, sources_));
  if (path.empty()) {
    const auto found = names.paths().find(own);
    if (found == names.paths().end())
      return fail(Code::not_found, fmt::format("there is no file for {} {}", options_.workflow.series->argument, own),
                  fmt::format("Write one that fits {}", options_.workflow.series->items));
    path = found->second;
  }
  const std::string heading = TRY(render_short_text(condition.what, sources_));
  std::vector<std::string> missing;
  for (const auto& other : TRY(dependencies_in(project_, names, path, heading))) {
    if (TRY(is_reference(project_, *options_.workflow.series, names.paths().at(other)))) continue;
    if (TRY(item_status(project_, options_.workflow, other, options_.given)) != LedgerStatus::done)
      missing.push_back(other);
  }
  if (missing.empty()) return {};
  return unmet(condition, listed(missing));
}

// Of the file that the precondition names, or what every member is told first.
Result<std::string> Preconditions::text_with_table(const Precondition& condition) {
  const std::string path = TRY(render_short_text(condition.of, sources_));
  if (!path.empty()) {
    auto text = TRY(read_text(project_, path));
    if (!text) return fail(Code::not_found, fmt::format("{} is missing", path), "Write it");
    return *std::move(text);
  }
  const auto found = options_.values.find(options_.workflow.messages.preamble);
  if (found == options_.values.end() || !found->second.is_string())
    return fail(Code::invalid,
                fmt::format("the workflow {} does not say where its table of skills is", options_.workflow.name),
                "Give the precondition `of`, or the workflow a preamble");
  return found->second.get<std::string>();
}

Result<std::vector<std::string>> Preconditions::names_of_skills(const Precondition& condition) {
  const std::string text = TRY(text_with_table(condition));
  const std::string heading = TRY(render_short_text(condition.what, sources_));
  const auto& series = options_.workflow.series;
  if (!series) return skills_needed({text, heading, ""}, std::nullopt);
  const std::string own = TRY(item());
  const auto names = TRY(ItemNames::read(project_, options_.workflow));
  return skills_needed({text, heading, series->argument}, SkillsFor{names, own});
}

Result<void> Preconditions::check_skills(const Precondition& condition) {
  const auto needed = TRY(names_of_skills(condition));
  SkillsFound found = TRY(find_skills(skill_place(), needed));
  for (auto& skill : found.skills) skills_.push_back(std::move(skill));
  if (found.missing.empty()) return {};
  return unmet(condition, listed(found.missing));
}

SkillPlace Preconditions::skill_place() const {
  return {world_, project_.directory, options_.workflow.name, options_.bundle};
}

void Preconditions::check_clean(const Precondition& condition) {
  std::vector<std::string> except;
  for (const auto& place : condition.except) {
    auto words = render_short_text(place, sources_);
    if (!words) return go_on(fail(words.error()));
    except.push_back(*std::move(words));
  }
  git_->changed_files(except, [this, &condition](Result<std::vector<std::string>> changed) {
    if (!changed) return go_on(fail(changed.error()));
    if (!changed->empty()) return go_on(unmet(condition, listed(*changed)));
    go_on({});
  });
}

void Preconditions::check_head(const Precondition& condition) {
  git_->detached_at([this, &condition](Result<std::optional<std::string>> commit) {
    if (!commit) return go_on(fail(commit.error()));
    go_on(*commit ? Result<void>(unmet(condition, **commit)) : Result<void>());
  });
}

void Preconditions::check_command(const Precondition& condition) {
  const auto command = render_short_text(condition.what, sources_);
  if (!command) return go_on(fail(command.error()));
  if (trimmed(*command).empty()) return go_on({});
  auto started =
      Program::start(world_, shell_command(world_, *command, project_.directory),
                     [this, &condition, command = *command](const ProgramOutcome& outcome) {
                       if (outcome.succeeded()) return go_on({});
                       const std::string_view said = trimmed(outcome.output);
                       go_on(unmet(condition, fmt::format("{} {}{}{}", quoted(command, kShownMaxBytes),
                                                          describe(outcome), said.empty() ? "" : "; it said: ", said)));
                     });
  if (!started) return go_on(fail(started.error()));
  program_ = *std::move(started);
}

}  // namespace teamster::engine

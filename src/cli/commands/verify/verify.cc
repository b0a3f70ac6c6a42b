#include <algorithm>
#include <csignal>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands/verify/agent_reviewers.h"
#include "cli/framework/arguments.h"
#include "cli/framework/commands.h"
#include "cli/framework/context.h"
#include "cli/framework/exit_code.h"
#include "cli/framework/live_screen.h"
#include "cli/text/printable.h"
#include "cli/text/verify_text.h"
#include "env/files.h"
#include "env/loop.h"
#include "verify/check_place.h"
#include "verify/verification.h"

namespace teamster::cli::commands {
namespace {

env::World world_of_checks(const Context& context) {
  return context.outside().kept_world ? context.outside().kept_world() : context.outside().world();
}

Result<std::string> read_manifest(env::Files& files, const std::string& path) {
  const auto status = TRY(files.status(path));
  if (!status)
    return fail(Code::invalid, fmt::format("there is no manifest {}", path), "Give the path of a Markdown file");
  if (status->is_directory)
    return fail(Code::invalid, fmt::format("{} is a directory, not a manifest", path), "Give a file in it");
  if (status->bytes > verify::kManifestMaxBytes)
    return fail(
        Code::invalid,
        fmt::format("{} has {} bytes, the limit for a manifest is {}", path, status->bytes, verify::kManifestMaxBytes),
        "Is it the right file?");
  return files.read(path, verify::kManifestMaxBytes);
}

int print_errors(Context& context, const std::string& path, const verify::ParsedManifest& parsed) {
  if (context.wants_json()) {
    Json document = verify::manifest_json(parsed.manifest);
    document["manifest"] = path;
    document["valid"] = false;
    document["errors"] = verify::errors_json(parsed);
    document["errors_left_out"] = parsed.errors_left_out;
    context.print_json(document);
  } else {
    context.print(manifest_errors_text(path, parsed));
  }
  return kExitUsage;
}

int print_list(Context& context, const std::string& path, const verify::Manifest& manifest) {
  if (context.wants_json()) {
    Json document = verify::manifest_json(manifest);
    document["manifest"] = path;
    document["valid"] = true;
    document["errors"] = Json::array();
    context.print_json(document);
  } else {
    context.print(manifest_text(manifest, context.columns()));
  }
  return kExitDone;
}

// Files of the tree that this process writes, where its output goes into one.
std::set<verify::FileIdentity> own_output(env::Files& files) {
  std::set<verify::FileIdentity> ours;
  for (const char* stream : {"/dev/stdout", "/dev/stderr"})
    if (const auto status = files.status(stream); status && *status) ours.insert({(*status)->device, (*status)->inode});
  return ours;
}

class VerifyRun {
 public:
  VerifyRun(Context& context, const verify::Manifest& manifest)
      : context_(context),
        manifest_(manifest),
        world_(world_of_checks(context)),
        screen_(context, world_, {.live = [this](std::size_t columns) { return live_line(columns); }}) {}

  Result<verify::Report> run(verify::VerificationOptions options, verify::Reviewers* reviewers) {
    verify::VerificationObserver observer;
    observer.on_started = [this](const std::string& id) {
      progress_.running.push_back(id);
      screen_.changed();
    };
    observer.on_settled = [this](const verify::CriterionResult& result) { settled(result); };
    observer.on_done = [this](verify::Report report) { report_ = std::move(report); };
    verification_ =
        TRY(verify::Verification::make(world_, manifest_, std::move(options), reviewers, std::move(observer)));
    progress_.total = verification_->total();
    std::vector<env::Registration> signals;
    for (const int number : {SIGTERM, SIGINT, SIGHUP})
      signals.push_back(context_.outside().watch_signal(number, [this, number] { signal_ = number; }));
    screen_.start();
    verification_->start();
    world_.loop.run_until([this] { return report_.has_value() || signal_ != 0; });
    screen_.stop();
    verification_.reset();
    if (report_) return *std::move(report_);
    return fail(Code::failed, fmt::format("interrupted; {} of {} were checked", progress_.settled, progress_.total),
                "What was running has been ended");
  }

 private:
  void settled(const verify::CriterionResult& result) {
    std::erase(progress_.running, result.id);
    ++progress_.settled;
    if (result.outcome == verify::Outcome::failed) ++progress_.failed;
    if (!context_.wants_json()) screen_.print(result_text(*manifest_.find(result.id), result, context_.palette()));
    screen_.changed();
  }

  std::string live_line(std::size_t columns) const { return verify_progress_text(progress_, columns); }

  Context& context_;
  const verify::Manifest& manifest_;
  env::World world_;
  VerifyProgress progress_;
  LiveScreen screen_;
  std::unique_ptr<verify::Verification> verification_;
  std::optional<verify::Report> report_;
  int signal_ = 0;
};

Result<std::unique_ptr<AgentReviewers>> make_reviewers(const Context& context, const Arguments& arguments,
                                                       const std::string& root) {
  AgentReviewersOptions options;
  options.driver = TRY(agent::DriverChoice::parse(arguments.value("driver")));
  options.script = arguments.value("script");
  if (!options.script.empty() && !options.script.starts_with('/'))
    options.script = TRY(context.directory()) + "/" + options.script;
  options.root = root;
  options.home = TRY(context.home()).path();
  options.allow = arguments.values("allow");
  options.limit = arguments.has("timeout") ? arguments.duration("timeout") : verify::kReviewMax;
  return AgentReviewers::make(world_of_checks(context), std::move(options));
}

bool needs_reviewers(const verify::Manifest& manifest) {
  return std::ranges::any_of(manifest.criteria, [](const auto& one) { return one.method == verify::Method::subagent; });
}

Result<int> check_manifest(Context& context, const Arguments& arguments, const verify::Manifest& manifest) {
  const env::World world = world_of_checks(context);
  if (verify::verification_depth(world.processes) >= verify::kVerifyDepthMax)
    return fail(Code::refused,
                fmt::format("this verification was started by a check, {} deep", verify::kVerifyDepthMax),
                "Does a check of the manifest verify the manifest itself?");
  verify::VerificationOptions options;
  const std::string here = TRY(context.directory());
  const auto root = verify::find_repository_root(world, here);
  options.root = root.value_or(here);
  options.is_repository = root.has_value();
  options.only = arguments.values("criterion");
  options.only_bash = arguments.value("only") == "bash";
  const unsigned processors = std::max(1U, std::thread::hardware_concurrency());
  options.at_once = arguments.has("jobs") ? static_cast<std::size_t>(arguments.number("jobs")) : processors;
  options.limit = arguments.duration("timeout");
  options.ours = own_output(world.files);
  std::unique_ptr<AgentReviewers> reviewers;
  if (!options.only_bash && needs_reviewers(manifest)) {
    auto made = make_reviewers(context, arguments, options.root);
    if (made)
      reviewers = *std::move(made);
    else if (made.error().code == Code::invalid)
      return fail(made.error());
    else
      context.note(fmt::format("no reviewers: {}\n", printable_line(made.error().text())));
  }
  VerifyRun run(context, manifest);
  const verify::Report report = TRY(run.run(std::move(options), reviewers.get()));
  if (context.wants_json()) {
    Json document = verify::report_json(manifest, report);
    document["manifest"] = arguments.value("MANIFEST");
    document["root"] = root.value_or(here);
    context.print_json(document);
  } else {
    context.print(report_text(report, context.palette()));
  }
  return report.passed() ? kExitDone : kExitNothing;
}

Result<int> run_verify(Context& context, const Arguments& arguments) {
  const std::string path = arguments.value("MANIFEST");
  const std::string text = TRY(read_manifest(context.outside().world().files, path));
  const verify::ParsedManifest parsed = verify::parse_manifest(text);
  if (!parsed.is_valid()) return print_errors(context, path, parsed);
  if (arguments.has("list")) return print_list(context, path, parsed.manifest);
  return check_manifest(context, arguments, parsed.manifest);
}

}  // namespace

Command verify_manifest() {
  return {
      .path = "verify",
      .topic = "Manifests",
      .summary = "Check the criteria of a manifest, with evidence for each",
      .description =
          "Commands run with `bash -c` at the root of the repository, several at once; one that changes the tree is "
          "reported and runs alone. Reviewers judge the rest, each an agent of its own that may read and nothing "
          "else. Exit code 0: all passed; 1: one failed or was not checked; 2: the manifest is not in order, and "
          "nothing was run. The form of a manifest is described in docs/formats/manifest.md.",
      .hub = HubUse::of_its_own,
      .positionals = {{.name = "MANIFEST", .type = ValueType::file, .help = "The Markdown file"}},
      .flags =
          {{.name = "list", .help = "Show the criteria and how they are verified, and run nothing"},
           {.name = "criterion", .value = "ID", .help = "Only this one, and what it is covered by", .repeatable = true},
           {.name = "only", .value = "METHOD", .help = "Leave out what needs a reviewer", .choices = {"bash"}},
           {.name = "timeout",
            .value = "TIME",
            .type = ValueType::duration,
            .help = "End a check that takes longer; given, it holds for reviewers, too (30m)",
            .fallback = "10m"},
           {.name = "jobs",
            .value = "COUNT",
            .type = ValueType::id,
            .help = "How many checks run at once (default: one for each processor)"},
           {.name = "driver",
            .value = "DRIVER",
            .help = "How reviewers are run; see `teamster agent drivers`",
            .fallback = "claude"},
           {.name = "script", .value = "FILE", .type = ValueType::file, .help = "Of the script driver: what it plays"},
           {.name = "allow",
            .value = "RULE",
            .help = "A tool that reviewers may use beside those that read: Tool, or Tool(pattern)",
            .repeatable = true}},
      .examples = {{"teamster verify manifest.md --list", "Is it in order, and what does it ask for?"},
                   {"teamster verify manifest.md --only bash", "Run its commands, without any agent"},
                   {"teamster verify manifest.md --criterion AC-1.2 --json | jq '.criteria[].outcome'",
                    "For a script"}},
      .run = run_verify,
  };
}

}  // namespace teamster::cli::commands

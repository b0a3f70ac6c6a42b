#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/run_name.h"
#include "cli/framework/arguments.h"
#include "cli/framework/commands.h"
#include "cli/framework/context.h"
#include "cli/framework/runs.h"
#include "cli/framework/transcripts.h"
#include "cli/text/answer_fields.h"
#include "cli/text/event_text.h"
#include "cli/text/json_list.h"
#include "cli/text/printable.h"
#include "cli/text/run_log.h"
#include "protocol/client/hub_calls.h"
#include "protocol/client/run_calls.h"

namespace teamster::cli::commands {
namespace {

// How long one request of --follow is parked; the next one follows at once.
constexpr Duration kParked = std::chrono::hours(1);

// Prints events as they come: lines, one document per line, or items of one document.
class EventPrinter {
 public:
  EventPrinter(Context& context, const Arguments& arguments)
      : context_(context),
        follows_(arguments.has("follow")),
        kind_prefix_(arguments.value("kind")),
        left_(arguments.has("limit") ? arguments.number("limit") : INT64_MAX),
        run_log_(context.palette()) {}

  // Whether they are records of one run.
  bool shows_records = false;

  bool wants_more() const { return left_ > 0 && !context_.output_is_broken(); }

  void add(const Json& event) {
    if (left_ <= 0) return;
    const Json shown = event_document(event);
    // A line says how long a step took, so it has to know of its beginning, too.
    if (!raw_text_in(event, "kind").starts_with(kind_prefix_)) {
      if (shows_records) run_log_.pass_over(shown);
      return;
    }
    --left_;
    if (!context_.wants_json())
      context_.print(fitted(shows_records ? run_log_.line(shown) : as_event(shown), context_.columns(),
                            shows_records ? RunLog::kHang : 0) +
                     "\n");
    else if (follows_)
      context_.print_json(shown);
    else
      document().add(shown);
  }

  void page_is_done() {
    if (follows_) context_.outside().out.flush();
  }
  void end() {
    if (context_.wants_json() && !follows_) document().end(Json::object());
  }
  void end_with(const Error& error) {
    if (document_) document_->end_with(error);
    if (context_.wants_json() && follows_) context_.print_json(error_document(error));
  }

 private:
  std::string as_event(const Json& event) const {
    const bool is_looked_at = context_.outside().output_is_terminal;
    return event_text(event, context_.palette(), is_looked_at ? Detail::for_people : Detail::all);
  }
  JsonList& document() {
    if (!document_) document_.emplace(context_, "events");
    return *document_;
  }

  Context& context_;
  bool follows_;
  std::string kind_prefix_;
  std::int64_t left_;
  RunLog run_log_;
  std::optional<JsonList> document_;
};

// Reads pages until an empty one that is the last; with --follow for ever, or until the run has ended.
template <class Call>
Result<void> read_pages(const Context& context, const Arguments& arguments, EventPrinter& printer, Call read) {
  const bool follows = arguments.has("follow");
  read.after = arguments.number("after");
  while (printer.wants_more()) {
    WriteOptions options;
    if (follows) options.wait = kParked;
    const auto page = TRY(hub::EventDocuments::read(TRY(context.ask_for_document(read, options))));
    if (page.events.empty() && !page.has_more && (page.has_ended || !follows)) break;
    for (const auto& event : page.events) printer.add(event);
    read.after = page.last;
    printer.page_is_done();
  }
  return {};
}

Result<void> read_scope(const Context& context, const Arguments& arguments, EventPrinter& printer) {
  if (!arguments.has("SCOPE")) return read_pages(context, arguments, printer, hub::ReadJournal{});
  const std::string scope = arguments.value("SCOPE");
  printer.shows_records = RunName::parse(scope).has_value();
  Result<void> of_run;
  if (printer.shows_records) {
    of_run = read_pages(context, arguments, printer, hub::ReadRun{.run = scope});
    if (of_run || of_run.error().code != Code::not_found) return of_run;
    // A team may be named like a run.
    printer.shows_records = false;
  }
  const auto of_team = read_pages(context, arguments, printer, hub::ReadJournal{.team = scope});
  if (of_team || of_team.error().code != Code::not_found) return of_team;
  // Neither: a part of a run's name, perhaps.
  const auto runs = runs_of(context);
  const auto meant = runs ? runs->meant(scope) : Result<std::string>(fail(runs.error()));
  if (!meant) return of_run ? of_team : of_run;
  printer.shows_records = true;
  return read_pages(context, arguments, printer, hub::ReadRun{.run = *meant});
}

// What a member of a run said and did, team by team.
Result<int> show_member(Context& context, const Arguments& arguments) {
  if (!arguments.has("SCOPE"))
    return fail(Code::invalid, "--member needs a run", "Name it: `teamster log RUN --member M`");
  const std::string member = arguments.value("member");
  const hub::Home home = TRY(context.home());
  const std::string run = TRY(TRY(runs_of(context)).meant(arguments.value("SCOPE")));
  const auto files = kept_transcripts(context, home, run, member);
  if (files.empty())
    return fail(Code::not_found, fmt::format("run {} has no transcript of {}", run, member),
                fmt::format("See its members with `teamster status {}`", run));
  for (const auto& file : files) TRY_VOID(TranscriptFollower(context, file).show(SIZE_MAX));
  return 0;
}

Result<int> run_log(Context& context, const Arguments& arguments) {
  if (arguments.has("member")) return show_member(context, arguments);
  EventPrinter printer(context, arguments);
  if (const auto read = read_scope(context, arguments, printer); !read) {
    printer.end_with(read.error());
    return fail(read.error());
  }
  printer.end();
  return 0;
}

}  // namespace

Command log() {
  return {
      .path = "log",
      .topic = "Machine",
      .summary = "Show the journal: everything that happened",
      .description =
          "One line per event: number, time in UTC, kind, team or run, actor and body. Of a run: number, time, step, "
          "who, what happened, how long it took and what follows; its events have numbers of their own, from 1, and "
          "--json has all of each. Claim tokens are shown as …. With --follow and --json each line is one document; "
          "the run's end is the end of it.",
      .hub = HubUse::reads,
      .positionals = {{.name = "SCOPE",
                       .type = ValueType::team_or_run,
                       .help = "Only the events of this team or run",
                       .required = false}},
      .flags = {{.name = "after",
                 .value = "N",
                 .type = ValueType::count,
                 .help = "Only events with a number above N",
                 .fallback = "0"},
                {.name = "follow", .help = "Go on with what happens from now on"},
                {.name = "limit", .value = "N", .type = ValueType::id, .help = "At most N events"},
                {.name = "kind", .value = "PREFIX", .help = "Only events whose kind begins so"},
                {.name = "member",
                 .value = "MEMBER",
                 .help = "Of a run: what this member was told, said and did, also when the run has ended"}},
      .examples = {{"teamster log demo", "All that happened in a team"},
                   {"teamster log implement-spec-20261116-1a2b", "All that happened in a run"},
                   {"teamster log implement-spec-20261116-1a2b --member builder", "All that its builder said and did"},
                   {"teamster log --follow --kind message --json | jq .body", "Watch messages"}},
      .run = run_log,
  };
}

}  // namespace teamster::cli::commands

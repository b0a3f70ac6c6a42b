#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/run_name.h"
#include "cli/framework/arguments.h"
#include "cli/framework/commands.h"
#include "cli/framework/context.h"
#include "cli/text/answer_fields.h"
#include "cli/text/event_text.h"
#include "cli/text/json_list.h"
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
        left_(arguments.has("limit") ? arguments.number("limit") : INT64_MAX) {}

  // Whether they are records of one run.
  bool shows_records = false;

  bool wants_more() const { return left_ > 0 && !context_.output_is_broken(); }

  void add(const Json& event) {
    if (left_ <= 0 || !raw_text_in(event, "kind").starts_with(kind_prefix_)) return;
    --left_;
    const Json shown = event_document(event);
    if (!context_.wants_json())
      context_.print((shows_records ? record_text(shown) : event_text(shown)) + "\n");
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
  JsonList& document() {
    if (!document_) document_.emplace(context_, "events");
    return *document_;
  }

  Context& context_;
  bool follows_;
  std::string kind_prefix_;
  std::int64_t left_;
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
  const bool is_nothing = !of_team && of_team.error().code == Code::not_found;
  return is_nothing && !of_run ? of_run : of_team;
}

Result<int> run_log(Context& context, const Arguments& arguments) {
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
          "One line per event: number, time in UTC, kind, team or run, actor and a short body. The events of a run "
          "have numbers of their own, from 1. Claim tokens are shown as …. With --follow and --json each line is one "
          "document; the run's end is the end of it.",
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
                {.name = "kind", .value = "PREFIX", .help = "Only events whose kind begins so"}},
      .examples = {{"teamster log demo", "All that happened in a team"},
                   {"teamster log implement-spec-20261116-1a2b", "All that happened in a run"},
                   {"teamster log --follow --kind message --json | jq .body", "Watch messages"}},
      .run = run_log,
  };
}

}  // namespace teamster::cli::commands

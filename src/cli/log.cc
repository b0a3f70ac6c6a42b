#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/answer.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/context.h"
#include "cli/event_text.h"
#include "cli/json_list.h"

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

  bool wants_more() const { return left_ > 0 && !context_.output_is_broken(); }

  void add(const Json& event) {
    if (left_ <= 0 || !raw_text_in(event, "kind").starts_with(kind_prefix_)) return;
    --left_;
    const Json shown = event_document(event);
    if (!context_.wants_json())
      context_.print(event_text(shown) + "\n");
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

// Reads pages until an empty one that is the last, or for ever with --follow.
Result<void> read_journal(const Context& context, const Arguments& arguments, EventPrinter& printer) {
  const bool follows = arguments.has("follow");
  Json args = {{"after", arguments.number("after")}};
  if (arguments.has("SCOPE")) args["team"] = arguments.value("SCOPE");
  while (printer.wants_more()) {
    const Json answer = TRY(context.read("journal.read", args, follows ? std::optional(kParked) : std::nullopt));
    const Json& events = list_in(answer, "events");
    const bool has_more = flag_in(answer, "more");
    if (events.empty() && !has_more && !follows) break;
    for (const auto& event : events) printer.add(event);
    if (!events.empty()) args["after"] = number_in(events.back(), "seq");
    if (events.empty() && has_more) args["after"] = number_in(answer, "last");
    printer.page_is_done();
  }
  return {};
}

Result<int> run(Context& context, const Arguments& arguments) {
  EventPrinter printer(context, arguments);
  if (const auto read = read_journal(context, arguments, printer); !read) {
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
          "One line per event: number, time in UTC, kind, team, actor and a short body. Claim tokens are "
          "shown as …. With --follow and --json each line is one document.",
      .hub = HubUse::reads,
      .positionals = {{.name = "SCOPE", .type = ValueType::team, .help = "Only this team's events", .required = false}},
      .flags = {{.name = "after",
                 .value = "N",
                 .type = ValueType::count,
                 .help = "Only events with a number above N",
                 .fallback = "0"},
                {.name = "follow", .help = "Go on with what happens from now on"},
                {.name = "limit", .value = "N", .type = ValueType::id, .help = "At most N events"},
                {.name = "kind", .value = "PREFIX", .help = "Only events whose kind begins so"}},
      .examples = {{"teamster log demo", "All that happened in a team"},
                   {"teamster log --follow --kind message --json | jq .body", "Watch messages"}},
      .run = run,
  };
}

}  // namespace teamster::cli::commands

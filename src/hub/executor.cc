#include "hub/executor.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/check.h"
#include "base/json_text.h"
#include "base/limits.h"
#include "base/text.h"
#include "env/clock.h"
#include "protocol/words/operations.h"
#include "team/lifecycle.h"
#include "team/mailbox.h"
#include "team/resolve.h"

namespace teamster::hub {
namespace {

// Whether the store itself is in trouble, as opposed to a rule that says no.
bool is_store_failure(const Error& error) {
  return error.code == Code::unavailable || error.code == Code::unknown_outcome;
}

// Recognises the same request again. It guards against mistakes, not against attackers:
// keys of different actors never meet.
std::int64_t digest_of(const Pending& request) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  const auto add = [&](std::string_view text) {
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  };
  add(request.op);
  add(dump_json(request.args));
  return static_cast<std::int64_t>(hash);
}

// The actor comes last: keys begin with the time, so those of many actors are neighbours
// in the journal's index, and a batch touches one page of it instead of one for each.
std::string key_of(const Pending& request) {
  if (request.actor.is_operator) return request.key + ":o";
  return fmt::format("{}:{}.{}", request.key, request.actor.member.value, request.actor.epoch.value);
}

// Whether files belong to the answers of this operation: beside the store, or its own.
bool concerns_files(std::string_view op) {
  return op == operation::kTeamCreate || op == operation::kTeamJoin || op == operation::kTeamDelete ||
         op == operation::kTeamOrphans || op == operation::kGc;
}

// Whether an event can bring a deadline of the team rules nearer.
bool moves_deadlines(std::string_view kind) {
  return kind == kind::kMessageDelivered || kind == kind::kMemberTurn || kind == kind::kTeamShutdown;
}

std::vector<std::string> all_operation_names() {
  auto names = team::operation_names();
  for (const char* own : {operation::kJournalRead, operation::kHubStatus, operation::kHubStop, operation::kStoreCheck})
    names.emplace_back(own);
  return names;
}

Error unknown_operation(const std::string& op) {
  const auto meant = closest(op, all_operation_names());
  return {Code::invalid, fmt::format("there is no operation {}", quoted(op, 80)),
          meant ? fmt::format("Did you mean {}?", *meant) : ""};
}

}  // namespace

Executor::Executor(const env::World& world, store::Store& store, HubOperation hub_operation)
    : world_(world),
      store_(store),
      scene_{store, world.random, world.processes},
      hub_operation_(std::move(hub_operation)) {
  (void)next_due();
}

void Executor::take(std::vector<Pending>& requests) {
  for (const auto& request : requests) victims_.push_back({request.connection, request.id, ""});
  Result<void> outcome = {};
  if (!is_open_) outcome = open();
  if (outcome && !failure_) outcome = execute_all(requests);
  if (!outcome) failure_ = outcome.error();
  if (failure_) requests.clear();
  // What stays hears of it in another batch.
  victims_.resize(victims_.size() - requests.size());
}

BatchResult Executor::finish() {
  CHECK(is_open_);
  is_open_ = false;
  if (!failure_)
    if (auto committed = commit(); !committed) failure_ = committed.error();
  BatchResult result;
  result.answers = std::exchange(answers_, {});
  result.fatal = std::exchange(failure_, std::nullopt);
  auto victims = std::exchange(victims_, {});
  if (!result.fatal) return result;
  store_.rollback();
  is_due_known_ = false;
  for (auto& victim : victims) victim.content = *result.fatal;
  result.answers = std::move(victims);
  return result;
}

Result<void> Executor::open() {
  is_open_ = true;
  answer_bytes_ = 0;
  first_ = store_.next_seq();
  TRY_VOID(store_.begin(world_.clock.wall_now()));
  return settle_deadlines();
}

Result<void> Executor::execute_all(std::vector<Pending>& requests) {
  std::size_t done = 0;
  while (done < requests.size() && answer_bytes_ < limits::kBatchAnswerBytesMax)
    TRY_VOID(execute(std::move(requests[done++]), true));
  requests.erase(requests.begin(), requests.begin() + static_cast<std::ptrdiff_t>(done));
  requests_ += done;
  return {};
}

Result<void> Executor::commit() {
  const auto asked = static_cast<std::ptrdiff_t>(answers_.size());
  TRY_VOID(wake_parked());
  // Who waited hears first: the one who asked would be woken only to be in its way.
  std::rotate(answers_.begin(), answers_.begin() + asked, answers_.end());
  for (auto& request : parking_.take_expired(world_.clock.now())) TRY_VOID(execute(std::move(request), false));
  TRY_VOID(store_.commit());
  if (store_.next_seq() != first_) ++commits_;
  return {};
}

void Executor::reply(const Pending& request, std::string answer) {
  answer_bytes_ += answer.size();
  answers_.push_back({request.connection, request.id, std::move(answer), concerns_files(request.op) ? request.op : ""});
}

void Executor::reply(const Pending& request, const Error& error) {
  answers_.push_back({request.connection, request.id, error});
}

Result<void> Executor::settle_deadlines() {
  if (!next_due_ || store_.now() < *next_due_) return {};
  store_.begin_command();
  auto outcome = team::redeliver(scene_);
  if (outcome) outcome = team::expire_shutdowns(scene_);
  if (!outcome) return outcome;
  is_due_known_ = false;
  note_touched();
  return store_.finish_command("", 0, "");
}

void Executor::note_touched() {
  for (const auto& event : store_.recorded()) {
    if (moves_deadlines(event.kind)) is_due_known_ = false;
    if (parking_.size() == 0) continue;
    for (const auto& topic : team::topics_of(event))
      if (parking_.is_waited_for(topic) && std::find(touched_.begin(), touched_.end(), topic) == touched_.end())
        touched_.push_back(topic);
  }
}

Result<void> Executor::wake_parked() {
  // What a woken request records may wake others; each round takes what is parked now.
  while (!touched_.empty()) {
    const auto topics = std::exchange(touched_, {});
    for (auto& request : parking_.take(topics)) TRY_VOID(execute(std::move(request), true));
  }
  return {};
}

Result<void> Executor::execute(Pending request, bool may_park) {
  if (const auto* operation = team::find_operation(request.op))
    return execute_team(*operation, std::move(request), may_park);
  if (!request.actor.is_operator) {
    reply(request, Error{Code::refused, fmt::format("{} is for the operator", quoted(request.op, 80)), ""});
    return {};
  }
  if (request.op == operation::kJournalRead) {
    bool is_empty = false;
    auto events = read_journal(request, is_empty);
    if (!events && is_store_failure(events.error())) return fail(events.error());
    if (!events)
      reply(request, events.error());
    else if (is_empty && may_park && request.wait_until)
      parking_.park(std::move(request), {team::Topic::journal()});
    else
      reply(request, *std::move(events));
    return {};
  }
  auto own = hub_operation_(request);
  if (!own)
    reply(request, unknown_operation(request.op));
  else if (!*own)
    reply(request, own->error());
  else
    reply(request, dump_json(**own));
  return {};
}

Result<std::optional<std::string>> Executor::repeated_answer(const team::Operation& operation, const Pending& request,
                                                             const std::string& key, std::int64_t digest) {
  auto recorded = TRY(store_.find_answer(key));
  if (!recorded) return std::optional<std::string>();
  if (recorded->digest != digest)
    return fail(Code::refused, fmt::format("the key {} was used for another request", quoted(request.key, 80)),
                "Use a new key for a new request");
  if (operation.render == nullptr) return std::optional<std::string>(std::move(recorded->answer));
  return std::optional<std::string>(TRY(operation.render(scene_, recorded->answer)));
}

Result<void> Executor::execute_team(const team::Operation& operation, Pending request, bool may_park) {
  std::string key;
  std::int64_t digest = 0;
  if (operation.writes) {
    if (request.key.empty()) {
      reply(request, Error{Code::invalid, fmt::format("{} writes and needs a 'key'", request.op), ""});
      return {};
    }
    key = key_of(request);
    digest = digest_of(request);
    auto repeated = repeated_answer(operation, request, key, digest);
    if (!repeated && is_store_failure(repeated.error())) return fail(repeated.error());
    if (!repeated || *repeated) {
      repeated ? reply(request, **std::move(repeated)) : reply(request, repeated.error());
      return {};
    }
    store_.begin_command();
  }
  auto outcome = team::perform(scene_, request.actor, operation, request.args);
  if (!outcome) {
    if (is_store_failure(outcome.error())) return fail(outcome.error());
    if (operation.writes) TRY_VOID(store_.abandon_command());
    reply(request, outcome.error());
    return {};
  }
  const bool parks = !outcome->empty_until.empty() && may_park && request.wait_until;
  const bool answered = !parks && !outcome->refusal;
  if (operation.writes) {
    note_touched();
    TRY_VOID(store_.finish_command(answered ? key : "", digest, answered ? outcome->answer : ""));
  }
  if (outcome->refusal) {
    reply(request, *outcome->refusal);
  } else if (parks) {
    parking_.park(std::move(request), outcome->empty_until);
  } else {
    std::string answer = outcome->rendered ? *std::move(outcome->rendered) : std::move(outcome->answer);
    if (operation.render != nullptr && !outcome->rendered) answer = TRY(operation.render(scene_, answer));
    reply(request, std::move(answer));
  }
  return {};
}

Result<std::string> Executor::read_journal(const Pending& request, bool& is_empty) {
  const Seq after(TRY(optional_integer_field(request.args, "after")).value_or(0));
  const auto limit = std::clamp<std::int64_t>(
      TRY(optional_integer_field(request.args, "limit")).value_or(limits::kPageMaxRows), 1, limits::kPageMaxRows);
  std::optional<TeamId> team;
  if (request.args.contains("team"))
    team = TRY(team::resolve_team(scene_, request.actor, request.args, Code::not_found)).id;
  auto page = TRY(store_.events({.after = after, .team = team, .limit = static_cast<std::size_t>(limit)}));
  is_empty = page.events.empty() && !page.more;
  // As text, and each event let go when it is written: a page as a tree is several megabytes.
  std::string list = "[";
  for (auto& each : page.events) {
    const store::Event event = std::move(each);
    const auto of_team = TRY(store_.projection().teams.get(event.team));
    JsonObjectText out;
    out.add("actor", event.actor).add("at", to_iso8601(event.at)).add_json("body", dump_json(event.body));
    out.add("kind", event.kind);
    if (const auto run = event.run.value != 0 ? TRY(store_.projection().runs.get(event.run)) : std::nullopt)
      out.add("n", event.n).add("run", run->name);
    out.add("seq", event.seq.value);
    of_team ? out.add("team", of_team->name) : out.add_null("team");
    if (list.size() > 1) list += ',';
    list += out.take();
  }
  list += ']';
  JsonObjectText answer;
  answer.add_json("events", list).add("last", page.last.value).add_json("more", page.more ? "true" : "false");
  return answer.take();
}

std::optional<WallTime> Executor::next_due() {
  if (is_due_known_) return next_due_;
  next_due_.reset();
  const auto consider = [&](WallTime time) { next_due_ = next_due_ ? std::min(*next_due_, time) : time; };
  if (const auto unseen = store_.projection().messages.oldest_unseen(); unseen && *unseen)
    consider(**unseen + limits::kRedeliverAfter);
  if (const auto shutdown = store_.projection().teams.next_shutdown_due(); shutdown && *shutdown) consider(**shutdown);
  is_due_known_ = true;
  return next_due_;
}

std::optional<Duration> Executor::next_deadline() {
  std::optional<Duration> next;
  if (const auto parked = parking_.next_deadline()) next = *parked - world_.clock.now();
  if (const auto due = next_due()) {
    const Duration span = std::chrono::milliseconds(due->unix_ms - world_.clock.wall_now().unix_ms);
    next = next ? std::min(*next, span) : span;
  }
  if (next && *next < Duration::zero()) next = Duration::zero();
  return next;
}

}  // namespace teamster::hub

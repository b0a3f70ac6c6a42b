#include "script/player.h"

#include <algorithm>
#include <csignal>

#include <fmt/format.h>

#include "base/check.h"
#include "base/sha256.h"
#include "base/text.h"

namespace teamster::script {
namespace {

constexpr std::string_view kNudge =
    "[structured-output-enforce] You MUST call the StructuredOutput tool to complete this request. Call this tool now.";

constexpr Duration kOpening = std::chrono::seconds(10);
constexpr Duration kPermutedMax = std::chrono::hours(24 * 365);

const std::vector<Step>& nothing_left() {
  static const std::vector<Step> kSteps{Say{"nothing left in the script"}};
  return kSteps;
}

bool is_listed(const std::vector<std::string>& list, const std::string& tool) {
  return std::find(list.begin(), list.end(), tool) != list.end();
}

}  // namespace

Player::Player(const Parts& parts, Place place, std::optional<schema::Schema> schema)
    : script_(parts.script),
      settings_(parts.settings),
      clock_(parts.clock),
      wire_(parts.clock, parts.random, place.session_id),
      place_(std::move(place)),
      schema_(std::move(schema)),
      permission_mode_(parts.settings.permission_mode),
      has_file_(place_.prompts > 0) {
  // A resumed session keeps its model, unless another is asked for.
  is_model_new_ = has_file_ && settings_.model && *settings_.model != place_.model;
  if (is_model_new_) place_.model = *settings_.model;
}

Player::Actions Player::hear(std::string_view line) {
  if (waiting_ != Waiting::ever) std::visit([this](auto&& input) { on(std::move(input)); }, parse_input(line));
  return take_actions();
}

Player::Actions Player::finished(const Outcome& outcome) {
  switch (std::exchange(waiting_, Waiting::nothing)) {
    case Waiting::opening:
      go_on();
      break;
    case Waiting::flush:
      running_ ? next_step() : settle_down();
      break;
    case Waiting::effect:
      take_outcome(outcome);
      break;
    case Waiting::message:  // its time is up
      go_on_without_message();
      break;
    case Waiting::nothing:
    case Waiting::permission:
    case Waiting::ever:
      check_failed("an outcome was waited for", __FILE__, __LINE__);
  }
  return take_actions();
}

Player::Actions Player::input_ended() {
  has_input_ended_ = true;
  if (is_deaf_to_end_) return {};
  if (waiting_ == Waiting::nothing || waiting_ == Waiting::ever) {
    actions_.emplace_back(Leave{});
  } else if (waiting_ == Waiting::permission) {
    deny("Tool permission request failed: the input has ended", false);
  } else if (waiting_ == Waiting::message) {
    actions_.emplace_back(Abandon{});
    go_on_without_message();
  }
  return take_actions();
}

Player::Actions Player::signalled(int number) {
  if (number == SIGTERM && is_deaf_) return {};
  if (number == SIGINT) {
    if (running_ && waiting_ != Waiting::ever) interrupt_turn();
    actions_.emplace_back(Leave{});
    return take_actions();
  }
  if (running_ && running_->tool && waiting_ == Waiting::effect)
    print(wire_.tool_result(running_->tool->id, "Exit code 137", true, "Error: Exit code 137"));
  actions_.emplace_back(Leave{.exit = 128 + number, .in_a_hurry = true});
  return take_actions();
}

void Player::on(const Ignored&) {}

void Player::on(const Fatal& fatal) { actions_.emplace_back(Leave{.exit = 1, .complaint = fatal.text}); }

void Player::on(UserMessage message) {
  is_controlled_ = true;
  // The real one drops a repeated uuid without a word.
  if (message.has_uuid() && !seen_uuids_.insert(dump_json(message.uuid)).second) return;
  print_lifecycle(message, "queued");
  const auto priority = message.priority;
  if (!running_) {
    pending_.push_back(std::move(message));
    if (waiting_ == Waiting::nothing) begin_turn();
  } else if (priority == UserMessage::Priority::now) {
    pending_.push_front(std::move(message));
    running_->is_cut = true;
    if (!running_->tool) cut_turn();
  } else {
    pending_.push_back(std::move(message));
    if (waiting_ == Waiting::message && priority == UserMessage::Priority::next) {
      actions_.emplace_back(Abandon{});
      take_message();
    }
  }
}

int Player::choose_turn(std::string_view prompt) const {
  for (std::size_t i = 0; i < script_.turns.size(); ++i) {
    const int turn = static_cast<int>(i);
    const bool is_left = script_.turns[i].repeats || !place_.used.contains(turn);
    if (is_left && script_.turns[i].matches(prompt)) return turn;
  }
  return script_.otherwise ? kOtherwise : kNothingLeft;
}

const std::vector<Step>& Player::steps() const {
  const int turn = place_.current->turn;
  if (turn >= 0 && static_cast<std::size_t>(turn) < script_.turns.size()) return script_.turns[turn].steps;
  return turn == kOtherwise && script_.otherwise ? *script_.otherwise : nothing_left();
}

void Player::begin_turn() {
  running_ = Running{};
  running_->prompt = std::move(pending_.front());
  running_->begun = clock_.now();
  pending_.pop_front();
  print_lifecycle(running_->prompt, "started");
  print(wire_.init(init_facts(), &running_->prompt));
  if (!has_file_) keep(record::session(place_.session_id, place_.model));
  if (std::exchange(is_model_new_, false)) keep(record::model(place_.model));
  has_file_ = true;
  // A turn that a crash has cut off goes on with whatever is said next.
  const auto turn = place_.current ? std::nullopt : std::optional(choose_turn(running_->prompt.text));
  keep(record::prompt(running_->prompt.text, turn));
  // With a seed, who is ready first among several is a matter of it.
  if (settings_.seed) return begin(Pause{permuted(kOpening, "opening")}, Waiting::opening);
  go_on();
}

// Between any two steps: so that input is heard, and a crash finds everything printed.
void Player::go_on() { begin(Flush{}, Waiting::flush); }

void Player::settle_down() {
  if (!pending_.empty()) return begin_turn();
  if (has_input_ended_ && !is_deaf_to_end_) actions_.emplace_back(Leave{});
}

void Player::next_step() {
  if (place_.current->next_step >= steps().size()) return run_out("end_turn");
  std::visit([this](const auto& step) { play(step); }, step());
}

void Player::complete_step(const record::StepFacts& facts) { keep(record::step(place_.current->next_step, facts)); }

// The agent has nothing more to say: an answer that is due is asked for once.
void Player::run_out(const std::string& stop_reason) {
  if (schema_ && !running_->is_nudged) {
    running_->is_nudged = true;
    ++running_->requests;
    print(wire_.user_text(kNudge, true));
    return go_on();
  }
  end_turn({.result = place_.current->said, .stop_reason = stop_reason}, false);
}

void Player::end_turn(ResultFacts facts, bool is_cancelled) {
  const std::string_view state = is_cancelled ? "cancelled" : "completed";
  for (const auto& message : running_->folded) print_lifecycle(message, state);
  facts.permission_denials = running_->denials;
  facts.num_turns = running_->requests;
  facts.result_index = results_++;
  facts.queued_turn_count = pending_.size();
  facts.took = clock_.now() - running_->begun;
  facts.usage = place_.current->usage;
  facts.total = place_.total();
  facts.spent = place_.spent;
  facts.model = place_.model;
  print(wire_.result(facts, &running_->prompt));
  print_lifecycle(running_->prompt, state);
  keep(record::end());
  const auto unsolicited = std::move(running_->unsolicited);
  running_.reset();
  for (const auto& text : unsolicited) speak_unasked(text);
  go_on();
}

// A turn that nobody asked for, as when a task in the background has ended.
void Player::speak_unasked(const std::string& text) {
  print(wire_.init(init_facts(), nullptr));
  print(wire_.assistant({{"type", "text"}, {"text", text}}, place_.model, nullptr));
  ResultFacts facts;
  facts.result = text;
  facts.stop_reason = "end_turn";
  facts.origin = {{"kind", "task-notification"}};
  facts.num_turns = 1;
  facts.result_index = results_++;
  facts.total = place_.total();
  facts.spent = place_.spent;
  print(wire_.result(facts, nullptr));
}

// Messages that came while the turn ran, read now.
void Player::fold_pending() {
  std::deque<UserMessage> later;
  for (auto& message : pending_) {
    if (message.priority != UserMessage::Priority::next) {
      later.push_back(std::move(message));
      continue;
    }
    if (settings_.replays) print(wire_.replay(message));
    print_lifecycle(message, "started");
    keep(record::message(message.text));
    running_->last_message = message.text;
    ++running_->unread;
    running_->folded.push_back(std::move(message));
  }
  pending_ = std::move(later);
}

void Player::take_message() {
  fold_pending();
  --running_->unread;
  complete_step();
  go_on();
}

void Player::go_on_without_message() {
  running_->last_message.clear();
  complete_step();
  go_on();
}

void Player::print(std::string bytes) { actions_.emplace_back(Print{std::move(bytes)}); }

void Player::print_assistant(const Json& block) {
  if (settings_.replays && !running_->is_replayed) print(wire_.replay(running_->prompt));
  running_->is_replayed = true;
  print(wire_.assistant(block, place_.model, running_->folded.empty() ? &running_->prompt : nullptr));
}

void Player::print_lifecycle(const UserMessage& message, std::string_view state) {
  if (message.has_uuid()) print(wire_.lifecycle(message, state));
}

void Player::keep(const Json& record) {
  const auto applied = place_.apply(record);
  CHECK(applied);
  actions_.emplace_back(Keep{record});
}

Duration Player::permuted(Duration span, std::string_view what) const {
  if (!settings_.seed || span > kPermutedMax) return span;
  // By what is the same each time, unlike the id of the session.
  const std::string where = fmt::format("{}/{}/{}/{}/{}", *settings_.seed, settings_.member, place_.prompts,
                                        place_.current ? place_.current->next_step : 0, what);
  // Fine enough that two hardly ever fall together: then it would be chance who is first.
  constexpr double kLargest = 0xFFFFFFFF;
  const double share = static_cast<double>(std::stoull(to_hex(sha256(where)).substr(0, 8), nullptr, 16)) / kLargest;
  return span / 2 + Duration(static_cast<std::int64_t>(static_cast<double>(span.count()) * share));
}

void Player::begin(Effect effect, Waiting waiting) {
  waiting_ = waiting;
  actions_.emplace_back(Begin{std::move(effect)});
}

std::string Player::filled(std::string_view text) const {
  return text.find("{{") == text.npos ? std::string(text) : fill(text, words());
}

Json Player::filled_json(const Json& value) const { return fill_json(value, words()); }

Words Player::words() const {
  return {.texts = {{"PROMPT", running_->prompt.text},
                    {"TURN", std::to_string(place_.prompts)},
                    {"MESSAGE", running_->last_message},
                    {"HEARD", join(place_.heard, "\n")},
                    {"SESSION", place_.session_id}},
          .saved = place_.saved};
}

InitFacts Player::init_facts() const {
  InitFacts facts{settings_.cwd, place_.model, permission_mode_, {"Bash", "Edit", "Read", "Write"}, {}};
  if (schema_) facts.tools.emplace_back("StructuredOutput");
  std::erase_if(facts.tools, [this](const auto& tool) { return is_listed(settings_.disallowed_tools, tool); });
  for (const auto& [name, server] : settings_.mcp_servers) facts.mcp_servers.push_back(name);
  return facts;
}

}  // namespace teamster::script

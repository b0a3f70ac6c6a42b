#include "agent/claude/claude_session.h"

#include <fmt/format.h>

#include "base/limits.h"
#include "base/text.h"

namespace teamster::agent {
namespace {

// One line about a program that ended before it had said anything: of many that it printed the one that says why.
std::string why_it_cannot_be_run(const std::string& what) {
  if (what.find("native binary not installed") != what.npos)
    return "it is npm's stub, without the program itself: npm was run with --ignore-scripts or --omit=optional. "
           "Install "
           "it again without them, or run install.cjs of the package with node";
  std::size_t at = std::min(what.find("rror"), what.size());
  if (at == what.size()) at = 0;
  const std::size_t newline = at == 0 ? what.npos : what.rfind('\n', at);
  const std::size_t begin = newline == what.npos ? 0 : newline + 1;
  const std::string line(trimmed(std::string_view(what).substr(begin, what.find('\n', begin) - begin)));
  const std::string how = what.substr(0, what.find(';'));
  return begin == 0 ? line : fmt::format("{}; it said: {}", how, line);
}

}  // namespace

Result<std::unique_ptr<Session>> ClaudeSession::start(const env::World& world, const env::Spawn& spawn,
                                                      const SessionLimits& limits, double cost_so_far_usd,
                                                      SessionListener& listener) {
  auto session = std::make_unique<ClaudeSession>(world, limits, cost_so_far_usd, listener);
  ClaudeSession* self = session.get();
  self->process_ = TRY(Process::start(
      world, spawn,
      {.on_output = [self](std::string_view bytes) { self->take_output(bytes); },
       .on_ended = [self](env::ExitStatus status, const std::string& what) { self->process_ended(status, what); }}));
  // It prints nothing before it is spoken to; this makes it say that it is up.
  self->process_->write(claude::initialize_line(self->next_request()));
  self->start_ = world.loop.after(limits.start, [self] {
    self->cut_by_us_ =
        TurnEnd{.fault = Fault::silent,
                .error = "the agent did not answer within " + describe_duration(self->limits_.start) + " of its start"};
    self->process_->terminate();
  });
  return std::unique_ptr<Session>(std::move(session));
}

ClaudeSession::ClaudeSession(const env::World& world, const SessionLimits& limits, double cost_so_far_usd,
                             SessionListener& listener)
    : world_(world),
      limits_(limits),
      listener_(listener),
      lines_(limits::kAgentLineMaxBytes),
      session_cost_usd_(cost_so_far_usd) {}

void ClaudeSession::say(SessionInput input) {
  inputs_[input.id] = InputState::accepted;
  const bool begins = !working_;
  process_->write(claude::user_line(input));
  if (begins) begin_turn();
}

void ClaudeSession::interrupt() {
  if (working_) cut(Fault::interrupted, "the turn was interrupted");
}

void ClaudeSession::close() {
  // Told to end, it also ends a running turn; at the end of input alone it would finish it.
  if (working_) process_->write(claude::interrupt_line(next_request()));
  process_->close();
}

void ClaudeSession::cut(Fault fault, std::string why) {
  if (cut_by_us_) return;
  cut_by_us_ = TurnEnd{.fault = fault, .error = std::move(why)};
  process_->write(claude::interrupt_line(next_request()));
  obedience_ = world_.loop.after(limits_.interrupt, [this] { process_->terminate(); });
}

void ClaudeSession::take_output(std::string_view bytes) {
  start_.reset();
  if (!std::exchange(is_up_, true)) listener_.on_up();
  expect_output();
  lines_.add(bytes);
  while (const auto line = lines_.next()) {
    if (line->is_too_long)
      take_noise(fmt::format("a line over the limit of {} bytes", limits::kAgentLineMaxBytes));
    else
      take_line(line->text);
  }
}

void ClaudeSession::take_line(std::string_view line) {
  if (trimmed(line).empty()) return;
  auto events = claude::read_line(line);
  if (!events) return take_noise(fmt::format("{}: {}", events.error().what, quoted(line, 200)));
  for (const auto& event : *events) std::visit([this](const auto& each) { take(each); }, event);
}

void ClaudeSession::take_noise(std::string text) {
  listener_.on_activity({.kind = Activity::Kind::noise, .text = std::move(text)});
  if (++noise_lines_ == limits::kAgentNoiseLinesMax) {
    cut_by_us_ = TurnEnd{.fault = Fault::protocol,
                         .error = fmt::format("the agent wrote {} lines that are not its protocol", noise_lines_)};
    process_->terminate();
  }
}

void ClaudeSession::take(const claude::Began& began) {
  listener_.on_resumable(began.session_id);
  if (!working_) begin_turn();  // by itself, or for an input that waited for the turn before
  if (tells_of_inputs_) return;
  for (auto& [id, state] : inputs_)
    if (state == InputState::accepted) {
      state = InputState::taken;
      listener_.on_input(id, InputState::accepted);
      listener_.on_input(id, InputState::taken);
    }
}

void ClaudeSession::take(const Activity& activity) { listener_.on_activity(activity); }

void ClaudeSession::take(const claude::InputNews& news) {
  tells_of_inputs_ = true;
  if (!inputs_.contains(news.id)) return;  // of a turn that has ended, or not ours
  if (news.state == InputState::taken && !working_) begin_turn();
  move_input(news.id, news.state);
}

// `done` and `failed` are settled by the turn's end, which knows more.
void ClaudeSession::move_input(const std::string& id, InputState state) {
  if (state != InputState::accepted && state != InputState::taken) return;
  inputs_[id] = state;
  listener_.on_input(id, state);
}

void ClaudeSession::take(const claude::Retry& retry) {
  listener_.on_activity({.kind = Activity::Kind::status,
                         .text = fmt::format("the model's provider said {}{}; trying again in {} ms (attempt {})",
                                             retry.error.empty() ? "no" : retry.error,
                                             retry.status == 0 ? "" : fmt::format(" ({})", retry.status),
                                             retry.delay_ms, retry.attempt)});
}

void ClaudeSession::take(const PermissionRequest& request) {
  process_->write(claude::permission_line(request.id, listener_.on_permission(request)));
}

void ClaudeSession::take(const claude::PermissionWithdrawn&) {}

void ClaudeSession::take(const claude::ControlAnswer& answer) {
  if (answer.is_error)
    listener_.on_activity({.kind = Activity::Kind::status, .text = "the agent refused: " + answer.error});
}

void ClaudeSession::take(const claude::Ended& ended) {
  TurnEnd end = ended.turn;
  if (ended.is_conversation_lost) {
    conversation_is_lost_ = true;
    return;  // it ends now
  }
  if (ended.session_cost_usd) {
    // A sum over the session, earlier processes included unless they were killed.
    const bool is_anew = *ended.session_cost_usd < session_cost_usd_;
    if (!end.usage.cost_usd) end.usage.cost_usd = *ended.session_cost_usd - (is_anew ? 0 : session_cost_usd_);
    session_cost_usd_ = *ended.session_cost_usd;
  }
  if (!working_) {
    if (end.solicited) return;  // an interrupt met a turn that had just ended
    begin_turn();
  }
  const bool solicited = end.solicited;
  end_turn(std::move(end));
  // What was said meanwhile has not been answered by a turn that the agent began by itself.
  if (!solicited && !inputs_.empty() && !working_) begin_turn();
}

void ClaudeSession::begin_turn() {
  working_ = true;
  noise_lines_ = 0;
  cut_by_us_.reset();
  expect_output();
  whole_turn_ = world_.loop.after(
      limits_.turn, [this] { cut(Fault::limit, "the turn took longer than " + describe_duration(limits_.turn)); });
  listener_.on_turn_started();
}

void ClaudeSession::expect_output() {
  if (!working_) return;
  silence_ = world_.loop.after(limits_.silence, [this] {
    cut(Fault::silent, "the agent said nothing for " + describe_duration(limits_.silence));
  });
  tell_of_silence(limits::kTurnSilenceTold);
}

// A model may think, or its provider not answer: from here both look the same, and somebody may want to know.
void ClaudeSession::tell_of_silence(Duration span) {
  if (span >= limits_.silence) return quiet_.reset();
  quiet_ = world_.loop.after(limits::kTurnSilenceTold, [this, span] {
    listener_.on_activity({.kind = Activity::Kind::status,
                           .text = fmt::format("nothing was heard of it for {}; after {} the turn is given up",
                                               describe_duration(span), describe_duration(limits_.silence))});
    tell_of_silence(span + limits::kTurnSilenceTold);
  });
}

void ClaudeSession::end_turn(TurnEnd end) {
  working_ = false;
  silence_.reset();
  quiet_.reset();
  whole_turn_.reset();
  obedience_.reset();
  if (cut_by_us_) {
    end.fault = cut_by_us_->fault;
    end.error = cut_by_us_->error;
    cut_by_us_.reset();
  }
  end.background_jobs = end.session_over ? 0 : background_jobs_;
  const InputState outcome = end.is_good() ? InputState::done : InputState::failed;
  end.inputs.clear();
  for (auto it = inputs_.begin(); it != inputs_.end();) {
    // What was accepted and not taken waits for the turn that follows.
    if (tells_of_inputs_ && it->second == InputState::accepted) {
      ++it;
      continue;
    }
    end.inputs.push_back(it->first);
    it = inputs_.erase(it);
  }
  for (const auto& id : end.inputs) listener_.on_input(id, outcome);
  listener_.on_turn_ended(end);
}

void ClaudeSession::process_ended(env::ExitStatus status, const std::string& what) {
  const bool is_cut = cut_by_us_.has_value();
  const bool expected = process_->is_closing() && !is_cut;
  const std::string why = cut_by_us_ && !cut_by_us_->error.empty() ? cut_by_us_->error + "; then it " + what
                                                                   : "the agent's process " + what;
  if (working_) {
    if (!cut_by_us_) cut_by_us_ = TurnEnd{.fault = expected ? Fault::interrupted : Fault::crashed, .error = why};
    TurnEnd end;
    end.session_over = true;
    end_turn(std::move(end));
  }
  for (const auto& [id, state] : std::exchange(inputs_, {})) listener_.on_input(id, InputState::failed);
  const bool is_broken = !is_up_ && !expected && !status.signaled && !is_cut;
  listener_.on_ended({.expected = expected,
                      .conversation_is_lost = conversation_is_lost_,
                      .program_is_broken = is_broken,
                      .what = is_broken ? why_it_cannot_be_run(why) : why});
}

}  // namespace teamster::agent

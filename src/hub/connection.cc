#include "hub/connection.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/limits.h"

namespace teamster::hub {
namespace {

Json error_json(const Error& error) {
  return {{"code", to_string(error.code)}, {"what", error.what}, {"next", error.next}};
}

Peer peer_of(const env::Stream& stream, env::Processes& processes) {
  const std::int64_t pid = stream.peer_pid();
  return {pid, pid == 0 ? std::nullopt : processes.identify(pid)};
}

}  // namespace

Connection::Connection(ConnectionId id, const env::World& world, std::unique_ptr<env::Stream> stream,
                       const Handlers& handlers)
    : id_(id),
      clock_(world.clock),
      stream_(std::move(stream)),
      peer_(peer_of(*stream_, world.processes)),
      handlers_(handlers),
      opened_(clock_.now()) {}

void Connection::start() {
  stream_->start({.on_bytes = [this](std::string_view bytes) { take_bytes(bytes); },
                  .on_end = [this] { end(); },
                  .on_drained =
                      [this] {
                        if (ended_) return;
                        regulate_input();
                        if (has_requests()) handlers_.on_requests(id_);
                      }});
}

bool Connection::is_choked() const { return stream_->unsent_bytes() > limits::kPageMaxBytes; }

void Connection::regulate_input() {
  stream_->pause_reading(is_choked() || requests_.size() >= limits::kQueuedRequestsPerConnectionMax);
}

std::vector<Pending> Connection::take_requests(std::size_t max) {
  std::vector<Pending> taken;
  while (!ended_ && taken.size() < max && has_requests()) {
    taken.push_back(std::move(requests_.front()));
    requests_.pop_front();
  }
  if (!ended_) regulate_input();
  return taken;
}

void Connection::end() {
  if (ended_) return;
  ended_ = true;
  handlers_.on_end(id_);
}

void Connection::take_bytes(std::string_view bytes) {
  if (ended_) return;
  decoder_.add(bytes);
  while (!ended_) {
    auto payload = decoder_.next();
    if (!payload) return refuse(payload.error());
    if (!*payload) break;
    partial_since_.reset();
    take_frame(**payload);
  }
  if (ended_) return;
  regulate_input();
  if (!decoder_.has_partial()) {
    partial_since_.reset();
  } else if (!partial_since_) {
    partial_since_ = clock_.now();
    handlers_.on_partial();
  }
}

void Connection::take_frame(const std::string& payload) {
  auto json = parse_json(payload);
  if (!json) return refuse(json.error());
  if (!json->is_object()) return refuse({Code::invalid, "a frame holds no JSON object", ""});
  if (!actor_) return take_hello(*json);
  take_request(*std::move(json));
}

void Connection::take_hello(const Json& hello) {
  auto actor = handlers_.admit(hello, peer_);
  if (!actor) return refuse(actor.error());
  actor_ = *std::move(actor);
  send(handlers_.welcome());
  flush();
}

void Connection::take_request(Json request) {
  Pending pending;
  pending.connection = id_;
  const auto id = integer_field(request, "id");
  auto op = string_field(request, "op");
  if (!id || *id < 0) return refuse({Code::invalid, "a request has no number in 'id'", ""});
  ++unanswered_;
  if (!op) return answer(*id, op.error());
  pending.id = *id;
  pending.op = *std::move(op);
  pending.actor = *actor_;
  auto key = optional_string_field(request, "key");
  if (!key) return answer(*id, key.error());
  pending.key = key->value_or("");
  if (pending.key.size() > limits::kKeyMaxBytes)
    return answer(
        *id, Error{Code::invalid,
                   fmt::format("'key' has {} bytes, the limit is {}", pending.key.size(), limits::kKeyMaxBytes), ""});
  if (const auto args = request.find("args"); args != request.end()) pending.args = std::move(*args);
  if (pending.args.is_null()) pending.args = Json::object();
  if (!pending.args.is_object()) return answer(*id, Error{Code::invalid, "'args' is not an object", ""});
  const auto wait = optional_integer_field(pending.args, "wait_ms");
  if (!wait || (*wait && (**wait < 0 || **wait > to_ms(limits::kWaitMax))))
    return answer(
        *id, Error{Code::invalid,
                   fmt::format("'wait_ms' is not a number of milliseconds up to {}", to_ms(limits::kWaitMax)), ""});
  if (*wait && **wait > 0) pending.wait_until = clock_.now() + std::chrono::milliseconds(**wait);
  pending.args.erase("wait_ms");
  if (unanswered_ > limits::kRequestsInFlightPerConnectionMax)
    return answer(*id, Error{Code::refused,
                             fmt::format("more than {} requests are unanswered on this connection",
                                         limits::kRequestsInFlightPerConnectionMax),
                             "Wait for answers before asking more"});
  requests_.push_back(std::move(pending));
  handlers_.on_requests(id_);
}

void Connection::send(const Json& frame) { append_frame(output_, dump_json(frame)); }

void Connection::answer(std::int64_t request, const std::string& ok) {
  if (ended_) return;
  constexpr std::size_t kEnvelopeBytes = 64;
  if (ok.size() + kEnvelopeBytes > limits::kFrameMaxBytes)
    return answer(request,
                  Error{Code::invalid, fmt::format("the answer has {} bytes, over the limit of a frame", ok.size()),
                        "Ask for less with 'limit'"});
  --unanswered_;
  append_frame(output_, {fmt::format(R"({{"id":{},"ok":)", request), ok, "}"});
}

void Connection::answer(std::int64_t request, const Error& error) {
  if (ended_) return;
  --unanswered_;
  send({{"id", request}, {"error", error_json(error)}});
  flush();
}

void Connection::flush() {
  if (ended_ || output_.empty()) return;
  stream_->write(output_);
  output_.clear();
  const std::size_t unsent = stream_->unsent_bytes();
  if (unsent > limits::kUnsentBytesPerConnectionMax) return end();  // the client does not read
  regulate_input();
}

void Connection::refuse(const Error& error) {
  if (ended_) return;
  send({{"error", error_json(error)}});
  flush();
  stream_->finish_writing();
  end();
}

bool Connection::is_overdue(Instant now) const {
  if (!actor_ && now - opened_ > limits::kHelloDeadline) return true;
  return partial_since_ && now - *partial_since_ > limits::kFrameDeadline;
}

}  // namespace teamster::hub

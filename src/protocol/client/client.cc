#include "protocol/client/client.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "base/limits.h"
#include "base/team_ref.h"
#include "env/clock.h"
#include "env/files.h"
#include "env/later.h"
#include "env/loop.h"
#include "env/network.h"
#include "env/random.h"
#include "protocol/client/access.h"
#include "protocol/client/frame.h"
#include "protocol/client/home_owner.h"
#include "protocol/client/launcher.h"
#include "protocol/words/operations.h"
#include "version.h"

namespace teamster::hub {

// The connection and what is unanswered on it. Heap-allocated and never moved, because
// callbacks of the loop point to it.
class Client::Session : public std::enable_shared_from_this<Client::Session> {
 public:
  Session(const env::World& world, Home home, Access access, Duration give_up_after)
      : world_(world),
        home_(home),
        access_(std::move(access)),
        give_up_after_(give_up_after),
        launcher_(world, std::move(home)),
        later_(world.loop) {}

  // The number under which it can be disowned.
  std::int64_t call(Request request, Answer answer, TextAnswer text_answer);
  void disown(std::int64_t id);
  std::string make_key();
  void hold() { is_held_ = true; }
  void release();
  void belong_to(std::string project) { project_ = std::move(project); }
  void stand_in(std::string directory) { directory_ = std::move(directory); }
  env::Loop& loop() { return world_.loop; }

 private:
  struct Call {
    std::string op;
    std::string key;
    Json args;
    std::optional<Instant> wait_until;
    Answer answer;  // one of these two
    TextAnswer text_answer;
    int unknown_outcomes = 0;
  };

  void connect();
  Result<void> try_connect();
  Result<Json> hello();
  void say_which_team(const std::string& op, Json& args) const;
  void send(std::int64_t id);
  void write(const std::string& frame);
  void lost();
  void retry_later(const Error& why);
  void take_bytes(std::string_view bytes);
  bool take_text(std::string_view payload);
  void take_frame(Json frame);
  void finish(std::int64_t id, Result<Json> result);
  void fail_all(const Error& error);

  env::World world_;
  Home home_;
  Access access_;
  Duration give_up_after_;
  std::string project_;
  std::string directory_;
  Launcher launcher_;
  std::unique_ptr<env::Stream> stream_;
  bool is_held_ = false;
  std::string kept_back_;
  FrameDecoder decoder_;
  bool welcome_ = false;
  bool connecting_ = false;
  std::map<std::int64_t, Call> calls_;  // by number: sent again in the order of the calls
  std::int64_t next_id_ = 1;
  std::optional<Instant> without_hub_since_;
  Duration delay_ = limits::kReconnectFirstDelay;
  env::Timer retry_;
  env::Later later_;
};

// Sorted by time, so that keys of one client are neighbours in the journal's index.
std::string Client::Session::make_key() {
  return fmt::format("{:012x}{}", world_.clock.wall_now().unix_ms, world_.random.hex(8));
}

void Client::Session::say_which_team(const std::string& op, Json& args) const {
  const auto team = args.find("team");
  if (team == args.end() || !team->is_string() || access_.token_file) return;
  if (team->get_ref<const std::string&>().find('@') != std::string::npos) return;
  if (!project_.empty()) {
    if (op == operation::kTeamCreate) args["project"] = project_;
    args["team"] = TeamRef::of(team->get<std::string>(), project_).text();
  } else if (!directory_.empty()) {
    args["directory"] = directory_;
  }
}

std::int64_t Client::Session::call(Request request, Answer answer, TextAnswer text_answer) {
  Call call;
  call.op = std::move(request.op);
  call.key = request.key.empty() ? make_key() : std::move(request.key);
  call.args = request.args.is_null() ? Json::object() : std::move(request.args);
  say_which_team(call.op, call.args);
  if (request.wait) call.wait_until = world_.clock.now() + *request.wait;
  call.answer = std::move(answer);
  call.text_answer = std::move(text_answer);
  const std::int64_t id = next_id_++;
  calls_.emplace(id, std::move(call));
  if (stream_)
    send(id);
  else
    connect();
  return id;
}

// Nobody waits for the answer any more. A write is still brought to the hub; what waits there for something is not
// asked for again, or it would start hub after hub for nobody.
void Client::Session::disown(std::int64_t id) {
  const auto found = calls_.find(id);
  if (found == calls_.end()) return;
  if (found->second.wait_until)
    calls_.erase(found);
  else
    found->second.answer = [](const Result<Json>&) {};
}

Result<Json> Client::Session::hello() {
  Json hello = {{"hello", kProtocolVersion}, {"client", fmt::format("teamster {}", kVersion)}};
  if (access_.token_file)
    hello["token"] = TRY(read_secret_file(world_.files, *access_.token_file, "the member's token"));
  else
    hello["cookie"] = TRY(ensure_cookie(world_.files, world_.random, home_));
  return hello;
}

void Client::Session::connect() {
  if (connecting_) return;
  connecting_ = true;
  // From the loop: a caller that has just called must not be answered inside its call.
  retry_ = world_.loop.after(Duration::zero(), [this] {
    auto connected = try_connect();
    connecting_ = false;
    if (connected) return;
    if (connected.error().code == Code::unavailable)
      retry_later(connected.error());
    else
      fail_all(access_.token_file ? connected.error() : explained(world_.files, home_, connected.error()));
  });
}

Result<void> Client::Session::try_connect() {
  const Json greeting = TRY(hello());
  stream_ = TRY(world_.network.connect(home_.socket()));
  decoder_ = FrameDecoder();
  welcome_ = false;
  stream_->start({.on_bytes = [this](std::string_view bytes) { take_bytes(bytes); },
                  .on_end = [this] { lost(); },
                  .on_drained = nullptr});
  std::string frame;
  append_frame(frame, dump_json(greeting));
  kept_back_.clear();  // it is among the calls, all of which follow
  write(frame);
  // Requests follow at once; the hub reads them after the hello.
  std::vector<std::int64_t> ids;
  for (const auto& [id, call] : calls_) ids.push_back(id);
  for (const auto id : ids) send(id);
  return {};
}

void Client::Session::send(std::int64_t id) {
  Call& call = calls_.at(id);
  if (call.wait_until) call.args["wait_ms"] = std::max<std::int64_t>(0, to_ms(*call.wait_until - world_.clock.now()));
  JsonObjectText request;
  request.add_json("args", dump_json(call.args)).add("id", id).add("key", call.key).add("op", call.op);
  const std::string payload = request.take();
  if (payload.size() > limits::kFrameMaxBytes) {
    later_.call([this, id, size = payload.size()] {
      finish(id, fail(Code::invalid,
                      fmt::format("the request has {} bytes, the limit is {}", size, limits::kFrameMaxBytes)));
    });
    return;
  }
  std::string frame;
  append_frame(frame, payload);
  write(frame);
}

void Client::Session::write(const std::string& frame) {
  if (is_held_)
    kept_back_ += frame;
  else
    stream_->write(frame);
}

void Client::Session::release() {
  is_held_ = false;
  const std::string frames = std::exchange(kept_back_, {});
  if (stream_ && !frames.empty()) stream_->write(frames);
}

void Client::Session::lost() {
  stream_.reset();
  const bool was_served = welcome_;
  if (calls_.empty()) return;
  retry_later({Code::unavailable, "the hub went away", ""});
  if (was_served) delay_ = limits::kReconnectFirstDelay;
}

void Client::Session::retry_later(const Error& why) {
  const Instant now = world_.clock.now();
  if (!without_hub_since_) without_hub_since_ = now;
  if (now - *without_hub_since_ > give_up_after_)
    return fail_all(
        {Code::unavailable,
         fmt::format("no hub answered for {} at {}: {}", describe_duration(give_up_after_), home_.path(), why.what),
         access_.token_file ? "The operator's commands start it; try again when one has run"
                            : "Run `teamster doctor`"});
  if (!access_.token_file) {
    if (auto started = launcher_.ensure_started(); !started) return fail_all(started.error());
  }
  retry_ = world_.loop.after(delay_, [this] { connect(); });
  delay_ = std::min(delay_ * 2, limits::kReconnectMaxDelay);
}

void Client::Session::take_bytes(std::string_view bytes) {
  decoder_.add(bytes);
  // An answer may make the caller end this connection or start another: look each time.
  const env::Stream* current = stream_.get();
  while (stream_.get() == current) {
    auto payload = decoder_.next();
    if (payload && *payload && take_text(**payload)) continue;
    auto json =
        payload && *payload
            ? parse_json(**payload, {.max_bytes = limits::kFrameMaxBytes, .max_depth = 2 * limits::kJsonMaxDepth})
            : Result<Json>(Json());
    if (!payload || !json || (*payload && !json->is_object()))
      return fail_all(
          {Code::internal, "the hub sent something that is no frame of its protocol", "Run `teamster doctor`"});
    if (!*payload) return;
    take_frame(*std::move(json));
  }
}

// A plain answer to who wants its text: to parse it only to write it again would cost more than
// all the rest.
bool Client::Session::take_text(std::string_view payload) {
  constexpr std::string_view kId = R"({"id":)";
  constexpr std::string_view kOk = R"(,"ok":)";
  if (!payload.starts_with(kId) || !payload.ends_with('}')) return false;
  payload.remove_prefix(kId.size());
  std::int64_t id = 0;
  const auto [end, error] = std::from_chars(payload.data(), payload.data() + payload.size(), id);
  payload.remove_prefix(static_cast<std::size_t>(end - payload.data()));
  if (error != std::errc{} || !payload.starts_with(kOk)) return false;
  const auto call = calls_.find(id);
  if (call == calls_.end() || !call->second.text_answer) return false;
  payload.remove_prefix(kOk.size());
  payload.remove_suffix(1);
  const auto node = calls_.extract(call);
  node.mapped().text_answer(std::string(payload));
  return true;
}

void Client::Session::take_frame(Json frame) {
  if (frame.contains("welcome")) {
    welcome_ = true;
    without_hub_since_.reset();
    delay_ = limits::kReconnectFirstDelay;
    launcher_.succeeded();
    return;
  }
  Error error;
  if (const auto it = frame.find("error"); it != frame.end())
    error = {code_from_string(it->value("code", "")), it->value("what", ""), it->value("next", "")};
  if (!frame.contains("id")) return fail_all(error);  // the hub refuses this connection
  const auto id = frame["id"].get<std::int64_t>();
  const auto call = calls_.find(id);
  if (call == calls_.end()) return;
  // The hub ends after this; whether the write is there the next one knows by its key.
  if (error.code == Code::unknown_outcome && !error.what.empty() &&
      ++call->second.unknown_outcomes < limits::kUnknownOutcomesMax)
    return;
  if (frame.contains("error")) return finish(id, fail(error));
  finish(id, std::move(frame["ok"]));
}

void Client::Session::finish(std::int64_t id, Result<Json> result) {
  const auto node = calls_.extract(id);
  if (node.empty()) return;
  if (!node.mapped().text_answer) return node.mapped().answer(std::move(result));
  if (result)
    node.mapped().text_answer(dump_json(*result));
  else
    node.mapped().text_answer(fail(result.error()));
}

void Client::Session::fail_all(const Error& error) {
  stream_.reset();
  retry_.reset();
  without_hub_since_.reset();
  // One by one: an answer may end the owner of another call, and what it calls anew is not part of this.
  std::vector<std::int64_t> ids;
  for (const auto& [id, call] : calls_) ids.push_back(id);
  const auto self = shared_from_this();
  const Error why = error;
  for (const auto id : ids) finish(id, fail(why));
}

Client::Client(const env::World& world, Home home, Access access, Duration give_up_after)
    : session_(std::make_shared<Session>(world, std::move(home), std::move(access), give_up_after)) {}
Client::~Client() = default;
Client::Client(Client&&) noexcept = default;

void Client::call(Request request, Answer answer) { session_->call(std::move(request), std::move(answer), {}); }

void Client::call_for_text(Request request, TextAnswer answer) {
  session_->call(std::move(request), {}, std::move(answer));
}

env::Registration Client::call_owned(Request request, Answer answer) {
  const std::int64_t id = session_->call(std::move(request), std::move(answer), {});
  return env::Registration([session = std::weak_ptr<Session>(session_), id] {
    if (const auto there = session.lock()) there->disown(id);
  });
}

std::string Client::make_key() { return session_->make_key(); }

void Client::belong_to(std::string project) { session_->belong_to(std::move(project)); }
void Client::stand_in(std::string directory) { session_->stand_in(std::move(directory)); }

void Client::hold() { session_->hold(); }
void Client::release() { session_->release(); }

Result<Json> Client::call_and_wait(Request request) {
  // Shared, because an answer may come after the loop gave up on us.
  auto result = std::make_shared<std::optional<Result<Json>>>();
  call(std::move(request), [result](Result<Json> answer) { *result = std::move(answer); });
  session_->loop().run_until([&] { return result->has_value(); });
  if (!*result) return fail(Code::internal, "the loop ended before the hub answered");
  return *std::move(*result);
}

}  // namespace teamster::hub

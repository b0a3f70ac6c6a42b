// Client: one connection to the hub of a home, on the loop of its process. It starts the
// hub when nobody serves (operator only), reconnects when the hub dies, and sends again
// what was not answered, with the same key: the caller sees one answer per request, or
// one error after limits::kClientGiveUpAfter without a hub.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/result.h"
#include "base/time.h"
#include "env/registration.h"
#include "env/world.h"
#include "protocol/client/home.h"

namespace teamster::hub {

struct Request {
  std::string op;
  Json args;
  // How long the hub may keep the request waiting for something to answer.
  std::optional<Duration> wait = std::nullopt;
  // Idempotency key; made up when empty. Give one to retry across processes.
  std::string key = {};
};

struct Access {
  // The operator reads the home's cookie, and makes home and cookie when there are none.
  static Access operator_of_home() { return {}; }
  // A member; its token lies in the file. Never starts a hub.
  static Access member(std::string token_file) { return {std::move(token_file)}; }

  std::optional<std::string> token_file;
};

class Client {
 public:
  using Answer = std::function<void(Result<Json>)>;
  using TextAnswer = std::function<void(Result<std::string>)>;

  Client(const env::World& world, Home home, Access access, Duration give_up_after = limits::kClientGiveUpAfter);
  ~Client();
  Client(Client&&) noexcept;

  // The answer comes from the loop, never from inside this call.
  void call(Request request, Answer answer);
  // The same for an owner that may be gone before the answer comes: once the registration is destroyed, `answer` is
  // not called any more. What was asked reaches the hub all the same, unless it only waits for something there. For an
  // owner with many calls at a time, see Calls.
  env::Registration call_owned(Request request, Answer answer);
  // The same for who passes the answer on: it comes as JSON text on one line, unread.
  void call_for_text(Request request, TextAnswer answer);

  // An idempotency key that nobody has used yet, for who may have to ask the same again.
  std::string make_key();

  // Requests between these two are kept back and sent together by the second.
  void hold();
  void release();

  // For who acts for a project: a team that is named without a tag is this project's and no other.
  void belong_to(std::string project);
  // For who types names: of several teams of one name that of the project in which this directory is.
  void stand_in(std::string directory);

  // Runs the loop until the answer is there.
  Result<Json> call_and_wait(Request request);

 private:
  class Session;
  // Shared with nobody; registrations look whether it is there still.
  std::shared_ptr<Session> session_;
};

}  // namespace teamster::hub

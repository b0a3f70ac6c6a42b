// Typed calls of the hub. A call is a struct with the arguments of one operation: `kOperation` is its name, `kWrites`
// whether it takes an idempotency key, `arguments()` its JSON, `Answer` what comes back and `read` how that is read.
// The calls are in *_calls.h beside this file; nobody else spells operations and their fields. Values and functions on
// the client's loop.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/result.h"
#include "base/time.h"
#include "env/registration.h"
#include "protocol/client/client.h"

namespace teamster::hub {

struct CallOptions {
  // How long the hub may keep the call waiting for something to answer.
  std::optional<Duration> wait = std::nullopt;
  // Idempotency key; made up when empty. Give one to retry across processes.
  std::string key = {};
};

// What an answer without content is read as.
struct NoContent {};

template <class Call>
Request request_for(Call call, CallOptions options = {}) {
  // A read needs no key; this one keeps the client from making one up.
  if (!Call::kWrites && options.key.empty()) options.key = "read";
  return {
      .op = Call::kOperation, .args = std::move(call).arguments(), .wait = options.wait, .key = std::move(options.key)};
}

// Code::internal, naming the operation.
Error unreadable_answer(const char* operation, const Error& why);

template <class Call>
Result<typename Call::Answer> read_answer(Result<Json> answer) {
  if (!answer) return fail(std::move(answer).error());
  auto read = Call::read(*std::move(answer));
  if (!read) return fail(unreadable_answer(Call::kOperation, read.error()));
  return read;
}

template <class Call>
using Answered = std::function<void(Result<typename Call::Answer>)>;

// The answer comes from the loop, never from inside this call. Of the Client whatever becomes of who asks; of Calls
// only while those live.
template <class Caller, class Call>
void ask(Caller& caller, Call call, CallOptions options, Answered<Call> then) {
  caller.call(request_for(std::move(call), std::move(options)),
              [then = std::move(then)](Result<Json> answer) { then(read_answer<Call>(std::move(answer))); });
}

template <class Caller, class Call>
void ask(Caller& caller, Call call, Answered<Call> then) {
  ask(caller, std::move(call), CallOptions{}, std::move(then));
}

// As Client::call_owned: not answered any more once the registration is gone.
template <class Call>
env::Registration ask_owned(Client& client, Call call, CallOptions options, Answered<Call> then) {
  return client.call_owned(
      request_for(std::move(call), std::move(options)),
      [then = std::move(then)](Result<Json> answer) { then(read_answer<Call>(std::move(answer))); });
}

template <class Call>
env::Registration ask_owned(Client& client, Call call, Answered<Call> then) {
  return ask_owned(client, std::move(call), CallOptions{}, std::move(then));
}

// Runs the loop until the answer is there.
template <class Call>
Result<typename Call::Answer> ask_and_wait(Client& client, Call call, CallOptions options = {}) {
  return read_answer<Call>(client.call_and_wait(request_for(std::move(call), std::move(options))));
}

}  // namespace teamster::hub

// Result<T>: the outcome of something that can fail, and Error: why it did.
// Errors are values; they say what went wrong and what the user does next, and
// gain context as they rise. What cannot happen is a CHECK (check.h), never a Result.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <tl/expected.hpp>

namespace teamster {

// What kind of failure it is. The command line maps it to its exit code and the
// hub protocol carries it by name, so values are added, never renamed.
enum class Code {
  invalid,          // the request itself is wrong: usage, grammar, limits
  not_found,        // nothing there
  failed,           // the work was tried and failed
  refused,          // a rule says no: conflict, access, stale epoch, active team
  waiting,          // a person has to decide first
  unavailable,      // the store or the hub cannot serve now; nothing was recorded
  unknown_outcome,  // it may or may not have been recorded: retry with the same key
  internal,         // a bug
};

std::string_view to_string(Code code);
// Unknown names (from a newer peer) become Code::failed.
Code code_from_string(std::string_view name);

struct [[nodiscard]] Error {
  Code code = Code::failed;
  std::string what;  // names the thing
  std::string next;  // what the user can do; may be empty

  // The same error with "prefix: " before what happened.
  Error within(std::string_view prefix) const;
  // "what. next" on one line.
  std::string text() const;
};

template <class T = void>
class [[nodiscard]] Result : public tl::expected<T, Error> {
 public:
  using tl::expected<T, Error>::expected;
};

inline tl::unexpected<Error> fail(Code code, std::string what, std::string next = {}) {
  return tl::unexpected<Error>(Error{code, std::move(what), std::move(next)});
}
inline tl::unexpected<Error> fail(Error error) { return tl::unexpected<Error>(std::move(error)); }

}  // namespace teamster

// Evaluates to the value of a Result, or returns its error from the enclosing
// function. TRY_VOID is the same for Result<void>. Never in a braced list behind something else:
// neither g++ nor clang destroys what an aggregate or an initializer_list has made so far when
// TRY returns. They do destroy arguments of a call, which have the same grammar, so no macro can
// tell; tests/tidy refuses it.
#define TRY(...) TEAMSTER_TRY_(__COUNTER__, __VA_ARGS__)
#define TRY_VOID(...) TEAMSTER_TRY_VOID_(__COUNTER__, __VA_ARGS__)

// The counter gives nested uses names of their own.
#define TEAMSTER_TRY_(n, ...) TEAMSTER_TRY_AS_(TEAMSTER_JOIN_(try_result_, n), __VA_ARGS__)
#define TEAMSTER_TRY_VOID_(n, ...) TEAMSTER_TRY_VOID_AS_(TEAMSTER_JOIN_(try_result_, n), __VA_ARGS__)
#define TEAMSTER_JOIN_(a, b) TEAMSTER_JOIN_AGAIN_(a, b)
#define TEAMSTER_JOIN_AGAIN_(a, b) a##b
#define TEAMSTER_TRY_AS_(result, ...)                                \
  ({                                                                 \
    auto&& result = (__VA_ARGS__);                                   \
    if (!result) return ::teamster::fail(std::move(result).error()); \
    *std::move(result);                                              \
  })
#define TEAMSTER_TRY_VOID_AS_(result, ...)                           \
  do {                                                               \
    auto&& result = (__VA_ARGS__);                                   \
    if (!result) return ::teamster::fail(std::move(result).error()); \
  } while (false)

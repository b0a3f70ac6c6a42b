#include "agent/lone_turn.h"

#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace teamster::agent {

LoneTurn::LoneTurn(const env::World& world, LoneTurnOptions options, Done done)
    : world_(world), options_(std::move(options)), done_(std::move(done)), later_(world.loop) {
  if (auto begun = begin(); !begun) {
    answer_ = fail(begun.error());
    tell();
  }
}

LoneTurn::~LoneTurn() { session_.reset(); }

Result<void> LoneTurn::begin() {
  schema_ = TRY(schema::Schema::compile(options_.schema));
  session_ = TRY(options_.driver->start(world_, options_.start, *this));
  say(options_.prompt + schema_instructions(options_.schema, {}));
  return {};
}

void LoneTurn::say(std::string text) { session_->say({fmt::format("input-{}", ++inputs_), std::move(text)}); }

PermissionAnswer LoneTurn::on_permission(const PermissionRequest& request) {
  return options_.permissions.decide(request);
}

void LoneTurn::on_turn_ended(const TurnEnd& end) {
  if (answer_ || !end.solicited) return;
  if (!end.is_good()) return settle(fail(Code::failed, end.error.empty() ? "its turn did not end well" : end.error));
  const Answer answer = find_answer({.report = {}, .structured = end.structured, .text = end.text}, *schema_);
  if (answer.value) return settle(*answer.value);
  if (!end.session_over && !std::exchange(is_mending_, true)) {
    later_.call([this, request = mend_request(answer, options_.schema)] {
      if (session_ && !answer_) say(request);
    });
    return;
  }
  settle(fail(Code::failed,
              fmt::format("its answer does not have the shape that was asked for: {}", join(answer.problems, "; "))));
}

void LoneTurn::settle(Result<Json> answer) {
  answer_ = std::move(answer);
  later_.call([this] {
    if (session_) session_->close();
  });
}

void LoneTurn::on_ended(const SessionEnd& end) {
  if (!answer_) answer_ = fail(Code::failed, fmt::format("its process {}", end.what));
  tell();
}

// From the loop: the session may not be destroyed inside its own call, and whoever is told may destroy this.
void LoneTurn::tell() {
  later_.call([this] {
    session_.reset();
    if (const auto done = std::exchange(done_, nullptr)) done(*answer_);
  });
}

}  // namespace teamster::agent

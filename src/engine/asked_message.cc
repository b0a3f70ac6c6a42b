#include "engine/asked_message.h"

#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "protocol/words/message_kinds.h"
#include "workflow/core/asked_text.h"

namespace teamster::engine {
namespace {

constexpr std::size_t kOptionsMax = 20;

}  // namespace

workflow::event::Asked asked_in(const hub::Message& message) {
  workflow::event::Asked asked{
      .member = message.from, .team = message.team, .message = message.id.value, .text = message.body};
  if (message.kind != message_kind::kQuestion) {
    workflow::read_asked_text(asked);
    return asked;
  }
  const auto body = parse_json(asked.text);
  if (!body || !body->is_object()) return asked;
  const std::string question = raw_text_in(*body, "question");
  if (question.empty()) return asked;
  asked.text = question;
  asked.expertise = raw_text_in(*body, "expertise");
  asked.reason = raw_text_in(*body, "reason");
  const Json& options = field_in(*body, "options");
  if (!options.is_array()) return asked;
  for (const auto& option : options)
    if (option.is_string() && asked.options.size() < kOptionsMax) asked.options.push_back(option.get<std::string>());
  return asked;
}

}  // namespace teamster::engine

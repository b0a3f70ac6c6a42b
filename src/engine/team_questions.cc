#include "engine/team_questions.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/asked_message.h"
#include "protocol/client/message_calls.h"
#include "protocol/client/pages.h"
#include "protocol/client/team_calls.h"
#include "protocol/words/addresses.h"
#include "protocol/words/message_kinds.h"

namespace teamster::engine {
namespace {

template <class Call>
Result<typename Call::Answer> ask_with(const HubCall& call, Call request, hub::CallOptions options = {}) {
  return hub::read_answer<Call>(call(hub::request_for(std::move(request), std::move(options))));
}

}  // namespace

std::string TeamQuestion::id() const { return fmt::format("{}/{}", asks.team, asks.message); }

Result<std::vector<TeamQuestion>> open_team_questions(const HubCall& call) {
  std::vector<TeamQuestion> open;
  for (const auto& team : TRY(ask_with(call, hub::ListTeams{}))) {
    const auto page = [&](hub::ReadInbox asked) { return ask_with(call, std::move(asked)); };
    const auto messages = TRY(hub::read_all(hub::ReadInbox{.team = team.ref, .member = kOperator, .peek = true}, page));
    for (const auto& message : messages)
      if (message.kind == message_kind::kQuestion) {
        open.push_back({asked_in(message), message.sent});
        open.back().asks.team = team.ref;
      }
  }
  const auto number = [](const TeamQuestion& question) { return question.asks.message; };
  std::sort(open.begin(), open.end(), [&](const auto& one, const auto& other) { return number(one) < number(other); });
  return open;
}

std::optional<TeamQuestion> find_team_question(const std::vector<TeamQuestion>& questions, const std::string& typed) {
  for (const auto& question : questions)
    if (typed == question.id() || typed == std::to_string(question.asks.message)) return question;
  return std::nullopt;
}

Result<void> answer_team_question(const HubCall& call, const TeamQuestion& question, const std::string& words) {
  const auto& asks = question.asks;
  hub::SendMessage answer{.team = asks.team,
                          .to = asks.member,
                          .text = {.body = words,
                                   .kind = message_kind::kAnswer,
                                   .summary = fmt::format("The answer to your question {}", asks.message)}};
  TRY_VOID(ask_with(call, std::move(answer), {.key = "answer-" + question.id()}));
  hub::AcknowledgeMessages acted{.team = asks.team, .member = kOperator, .ids = {MessageId(asks.message)}};
  TRY_VOID(ask_with(call, std::move(acted)));
  return {};
}

}  // namespace teamster::engine

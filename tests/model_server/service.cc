#include "model_server/service.h"

#include <unistd.h>

#include <utility>

#include <nlohmann/json.hpp>

#include "model_server/anthropic.h"

namespace teamster::model {
namespace {

constexpr std::size_t kUnreadBodyLoggedMaxBytes = 4096;

const char* kind_of(const Choice& choice) {
  if (!choice.unexpected.empty()) return "unexpected";
  if (choice.reply.error) return "error";
  return choice.reply.stall == Reply::Stall::none ? "reply" : "stall";
}

Json line_of(const HttpRequest& request, const Asked& asked, const Choice& choice) {
  // It was read before, so it can be read again.
  Json line = {{"event", "request"},
               {"path", request.path},
               {"api_key", asked.api_key},
               {"model", asked.model},
               {"messages", asked.messages},
               {"tools", asked.tools},
               {"bytes", request.body.size()},
               {"text", asked.text},
               {"last", asked.last},
               {"system", asked.system},
               {"conversation", choice.conversation},
               {"turn", choice.turn},
               {"answer", kind_of(choice)},
               {"body", Json::parse(request.body, nullptr, false)}};
  if (!choice.unexpected.empty()) line["why"] = choice.unexpected;
  return line;
}

}  // namespace

Service::Service(Script script, RequestLog& log, std::filesystem::path directory)
    : player_(std::move(script)), log_(log), directory_(std::move(directory)) {
  formats_.push_back(std::make_unique<AnthropicFormat>());
}

bool Service::handle(const HttpRequest& request, Exchange& exchange) {
  for (const auto& format : formats_) {
    if (format->is_turn(request)) return take_turn(*format, request, exchange);
    if (format->answer_aside(request, exchange)) return exchange.is_open();
  }
  return answer_other(request, exchange);
}

bool Service::take_turn(const WireFormat& format, const HttpRequest& request, Exchange& exchange) {
  const std::int64_t number = ++requests_;
  const auto asked = format.read(request);
  if (!asked) {
    log_.write(number, {{"event", "refused"},
                        {"path", request.path},
                        {"why", asked.error().what},
                        {"body", request.body.substr(0, kUnreadBodyLoggedMaxBytes)}});
    return format.refuse({400, asked.error().what, {}}, exchange);
  }
  const Choice choice = player_.next(*asked);
  log_.write(number, line_of(request, *asked, choice));
  const bool is_answered =
      wait_for_release(choice.reply, exchange) && format.answer(*asked, choice.reply, number, exchange);
  log_.write(number, {{"event", is_answered ? "answered" : "cut"}});
  return is_answered;
}

bool Service::wait_for_release(const Reply& reply, Exchange& exchange) const {
  if (reply.hold.empty()) return true;
  return exchange.pause_until([file = directory_ / reply.hold] { return ::access(file.c_str(), F_OK) == 0; });
}

bool Service::answer_other(const HttpRequest& request, Exchange& exchange) const {
  const bool looks = request.method == "GET" || request.method == "HEAD";
  if (looks && request.path == "/") return exchange.answer(200, {{"content-type", "text/plain"}}, "model server\n");
  const Json body = {{"type", "error"},
                     {"error", {{"type", "not_found_error"}, {"message", request.method + " " + request.path}}}};
  return exchange.answer(404, {{"content-type", "application/json"}}, dump_json(body));
}

}  // namespace teamster::model

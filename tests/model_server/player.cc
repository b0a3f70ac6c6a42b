#include "model_server/player.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace teamster::model {
namespace {

using Excerpts = std::map<std::string, std::string>;

Choice unexpected(std::string why) {
  Choice choice;
  choice.reply.blocks.push_back({Block::Kind::text, "UNEXPECTED: " + why, {}});
  choice.unexpected = std::move(why);
  return choice;
}

Result<std::string> excerpt_of(const std::string& text, const std::string& name, const Excerpt& excerpt) {
  const auto found = text.rfind(excerpt.after);
  const auto begin = found == std::string::npos ? found : found + excerpt.after.size();
  const auto end = begin == std::string::npos ? begin : text.find(excerpt.until, begin);
  if (end == std::string::npos)
    return fail(Code::not_found,
                fmt::format("{}: nothing between '{}' and '{}' in the request", name, excerpt.after, excerpt.until));
  return text.substr(begin, end - begin);
}

std::string filled(std::string text, const Excerpts& excerpts) {
  for (const auto& [name, value] : excerpts) {
    const std::string mark = "{{" + name + "}}";
    for (auto at = text.find(mark); at != std::string::npos; at = text.find(mark, at + value.size()))
      text.replace(at, mark.size(), value);
  }
  return text;
}

// A string that is one mark and nothing else may stand for a number.
Json filled(const Json& value, const Excerpts& excerpts) {
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    if (text.starts_with("{{number:") && text.ends_with("}}")) {
      const auto it = excerpts.find(text.substr(9, text.size() - 11));
      const Json number = it == excerpts.end() ? Json() : Json::parse(it->second, nullptr, false);
      if (number.is_number()) return number;
    }
    return filled(text, excerpts);
  }
  if (!value.is_structured()) return value;
  Json copy = value;
  for (auto& child : copy) child = filled(child, excerpts);
  return copy;
}

Result<Reply> prepared(Reply reply, const Asked& asked) {
  for (const auto& text : reply.expect) {
    if (asked.text.find(text) == std::string::npos && asked.system.find(text) == std::string::npos)
      return fail(Code::not_found, fmt::format("the request does not contain '{}'", text));
  }
  Excerpts excerpts;
  for (const auto& [name, excerpt] : reply.take) excerpts[name] = TRY(excerpt_of(asked.text, name, excerpt));
  for (auto& block : reply.blocks) {
    if (block.kind == Block::Kind::tool_use) {
      block.text = TRY(resolve_tool(block.text, asked.tools));
      block.input = filled(block.input, excerpts);
    } else {
      block.text = filled(block.text, excerpts);
    }
  }
  return reply;
}

}  // namespace

Player::Player(Script script) : script_(std::move(script)), progress_(script_.conversations.size()) {}

Choice Player::next(const Asked& asked) {
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < script_.conversations.size(); ++i) {
    const Conversation& conversation = script_.conversations[i];
    if (conversation.match.fits(asked)) return from(conversation.name, conversation.turns, progress_[i], false, asked);
  }
  if (script_.fallback.empty()) return unexpected("the request belongs to no conversation of the script");
  return from("default", script_.fallback, fallback_, true, asked);
}

Choice Player::from(const std::string& name, const std::vector<Reply>& replies, Progress& progress, bool last_repeats,
                    const Asked& asked) {
  const auto answered = [&](Choice choice) {
    choice.conversation = name;
    choice.turn = progress.turn;
    return choice;
  };
  if (progress.turn >= replies.size())
    return answered(unexpected(fmt::format("{} has no reply left after {}", name, replies.size())));
  auto reply = prepared(replies[progress.turn], asked);
  // The reply is kept for a request that does contain what it expects.
  if (!reply) return answered(unexpected(fmt::format("{}, turn {}: {}", name, progress.turn, reply.error().what)));
  Choice choice;
  choice.reply = *std::move(reply);
  choice = answered(std::move(choice));
  const bool stays = last_repeats && progress.turn + 1 == replies.size();
  const bool is_used_up = choice.reply.repeat && ++progress.given >= *choice.reply.repeat;
  if (is_used_up && !stays) progress = Progress{.turn = progress.turn + 1};
  return choice;
}

Result<std::string> resolve_tool(const std::string& name, const std::vector<std::string>& tools) {
  if (std::find(tools.begin(), tools.end(), name) != tools.end()) return name;
  std::vector<std::string> found;
  for (const auto& tool : tools)
    if (tool.ends_with("_" + name)) found.push_back(tool);
  if (found.size() == 1) return found.front();
  if (found.empty()) return fail(Code::not_found, fmt::format("no tool '{}' among: {}", name, join(tools, " ")));
  return fail(Code::refused, fmt::format("'{}' may be any of: {}", name, join(found, " ")));
}

}  // namespace teamster::model

#include "model_server/script.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace teamster::model {
namespace {

constexpr std::size_t kScriptMaxBytes = 16UL * 1024 * 1024;
constexpr int kStatuses[] = {400, 401, 403, 404, 413, 429, 500, 503, 529};

// An object of the script and where it stands in it.
class Place {
 public:
  static Result<Place> of(const Json& value, std::string where, std::initializer_list<std::string_view> known) {
    if (!value.is_object()) return fail(Code::invalid, where + " is not an object");
    for (const auto& [name, unused] : value.items()) {
      if (std::find(known.begin(), known.end(), name) == known.end())
        return fail(Code::invalid, fmt::format("{} has an unknown field '{}'", where, name));
    }
    return Place(value, std::move(where));
  }

  const Json* find(std::string_view name) const {
    const auto it = value_->find(name);
    return it == value_->end() ? nullptr : &*it;
  }
  std::string at(std::string_view name) const { return fmt::format("{}.{}", where_, name); }
  tl::unexpected<Error> wrong(std::string_view name, std::string_view expected) const {
    return fail(Code::invalid, fmt::format("{} is not {}", at(name), expected));
  }
  bool is_empty() const { return value_->empty(); }
  const std::string& where() const { return where_; }

  Result<std::optional<std::string>> string(std::string_view name) const {
    const Json* value = find(name);
    if (value == nullptr) return std::optional<std::string>();
    if (!value->is_string()) return wrong(name, "a string");
    return std::optional<std::string>(value->get<std::string>());
  }
  Result<std::string> needed_string(std::string_view name) const {
    auto value = TRY(string(name));
    if (!value) return wrong(name, "there");
    return *std::move(value);
  }
  // At least `least`.
  Result<std::optional<std::int64_t>> number(std::string_view name, std::int64_t least) const {
    const Json* value = find(name);
    if (value == nullptr) return std::optional<std::int64_t>();
    if (!value->is_number_integer() || value->get<std::int64_t>() < least)
      return wrong(name, fmt::format("a whole number from {}", least));
    return std::optional<std::int64_t>(value->get<std::int64_t>());
  }
  // A value where there may be one or a list of them.
  std::vector<Json> one_or_more(std::string_view name) const {
    const Json* value = find(name);
    if (value == nullptr) return {};
    if (value->is_array()) return value->get<std::vector<Json>>();
    return {*value};
  }

 private:
  Place(const Json& value, std::string where) : value_(&value), where_(std::move(where)) {}

  const Json* value_;
  std::string where_;
};

Result<void> read_blocks(const Place& place, Reply& reply) {
  if (auto thinking = TRY(place.string("thinking"))) reply.blocks.push_back({Block::Kind::thinking, *thinking, {}});
  if (auto text = TRY(place.string("text"))) reply.blocks.push_back({Block::Kind::text, *text, {}});
  for (const Json& value : place.one_or_more("tool_use")) {
    const Place tool = TRY(Place::of(value, place.at("tool_use"), {"name", "input"}));
    std::string name = TRY(tool.needed_string("name"));
    const Json* input = tool.find("input");
    if (input != nullptr && !input->is_object()) return tool.wrong("input", "an object");
    reply.blocks.push_back({Block::Kind::tool_use, std::move(name), input == nullptr ? Json::object() : *input});
  }
  return {};
}

Result<void> read_usage(const Place& place, Reply& reply) {
  const Json* value = place.find("usage");
  if (value == nullptr) return {};
  const Place usage =
      TRY(Place::of(*value, place.at("usage"),
                    {"input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"}));
  const auto read = [&](std::string_view name, std::int64_t& target) -> Result<void> {
    if (const auto number = TRY(usage.number(name, 0))) target = *number;
    return {};
  };
  TRY_VOID(read("input_tokens", reply.usage.input_tokens));
  TRY_VOID(read("output_tokens", reply.usage.output_tokens));
  TRY_VOID(read("cache_read_input_tokens", reply.usage.cache_read_input_tokens));
  return read("cache_creation_input_tokens", reply.usage.cache_creation_input_tokens);
}

Result<void> read_error(const Place& place, Reply& reply) {
  const Json* value = place.find("error");
  if (value == nullptr) return {};
  const Place error = TRY(Place::of(*value, place.at("error"), {"status", "message", "retry_after"}));
  const auto status = TRY(error.number("status", 0));
  if (!status || std::find(std::begin(kStatuses), std::end(kStatuses), *status) == std::end(kStatuses))
    return error.wrong("status", "a status that a model server gives: 400, 401, 403, 404, 413, 429, 500, 503, 529");
  Failure failure;
  failure.status = static_cast<int>(*status);
  failure.message = TRY(error.string("message")).value_or(fmt::format("scripted error {}", *status));
  failure.retry_after_seconds = TRY(error.number("retry_after", 0));
  reply.error = std::move(failure);
  return {};
}

Result<void> read_timing(const Place& place, Reply& reply) {
  if (const auto stall = TRY(place.string("stall"))) {
    if (*stall != "before" && *stall != "middle") return place.wrong("stall", "\"before\" or \"middle\"");
    reply.stall = *stall == "before" ? Reply::Stall::before : Reply::Stall::middle;
  }
  if (const Json* value = place.find("slow")) {
    const Place slow = TRY(Place::of(*value, place.at("slow"), {"chunk_ms"}));
    const auto delay = TRY(slow.number("chunk_ms", 1));
    if (!delay) return slow.wrong("chunk_ms", "there");
    reply.chunk_delay = std::chrono::milliseconds(*delay);
  }
  reply.hold = TRY(place.string("hold")).value_or("");
  const Json* repeat = place.find("repeat");
  if (repeat != nullptr && *repeat == "forever")
    reply.repeat = std::nullopt;
  else if (const auto times = TRY(place.number("repeat", 1)))
    reply.repeat = *times;
  return {};
}

Result<void> read_conditions(const Place& place, Reply& reply) {
  if (const Json* value = place.find("expect")) {
    const Place expect = TRY(Place::of(*value, place.at("expect"), {"contains"}));
    for (const Json& text : expect.one_or_more("contains")) {
      if (!text.is_string()) return expect.wrong("contains", "a string or a list of strings");
      reply.expect.push_back(text.get<std::string>());
    }
    if (reply.expect.empty()) return expect.wrong("contains", "there");
  }
  if (const Json* value = place.find("take")) {
    if (!value->is_object()) return place.wrong("take", "an object");
    for (const auto& [name, excerpt] : value->items()) {
      const Place part = TRY(Place::of(excerpt, place.at("take") + "." + name, {"after", "until"}));
      std::string after = TRY(part.needed_string("after"));
      std::string until = TRY(part.needed_string("until"));
      if (after.empty() || until.empty()) return place.wrong("take", "made of texts");
      reply.take.emplace(name, Excerpt{std::move(after), std::move(until)});
    }
  }
  return {};
}

Result<Reply> read_reply(const Json& value, std::string where) {
  const Place place = TRY(Place::of(value, std::move(where),
                                    {"text", "thinking", "tool_use", "usage", "stop_reason", "error", "stall", "slow",
                                     "hold", "repeat", "expect", "take"}));
  Reply reply;
  TRY_VOID(read_blocks(place, reply));
  TRY_VOID(read_usage(place, reply));
  TRY_VOID(read_error(place, reply));
  TRY_VOID(read_timing(place, reply));
  TRY_VOID(read_conditions(place, reply));
  reply.stop_reason = TRY(place.string("stop_reason")).value_or("");
  const bool says_nothing = reply.blocks.empty() && !reply.error && reply.stall != Reply::Stall::before;
  if (says_nothing)
    return fail(Code::invalid, place.where() + " says nothing",
                "Give it a text, thinking, tool_use, error or stall \"before\".");
  if (reply.error && !reply.blocks.empty())
    return fail(Code::invalid, place.where() + " both says something and is an error");
  return reply;
}

Result<std::vector<Reply>> read_replies(const Json& value, const std::string& where) {
  if (!value.is_array()) return fail(Code::invalid, where + " is not a list of replies");
  std::vector<Reply> replies;
  for (std::size_t i = 0; i < value.size(); ++i)
    replies.push_back(TRY(read_reply(value[i], fmt::format("{}[{}]", where, i))));
  return replies;
}

Result<Match> read_match(const Json& value, std::string where) {
  const Place place =
      TRY(Place::of(value, std::move(where), {"api_key", "model", "system_contains", "contains", "has_tools"}));
  if (place.is_empty()) return fail(Code::invalid, place.where() + " is empty: it would fit every request");
  Match match;
  match.api_key = TRY(place.string("api_key"));
  match.model = TRY(place.string("model"));
  match.system_contains = TRY(place.string("system_contains"));
  match.contains = TRY(place.string("contains"));
  if (const Json* has_tools = place.find("has_tools")) {
    if (!has_tools->is_boolean()) return place.wrong("has_tools", "true or false");
    match.has_tools = has_tools->get<bool>();
  }
  return match;
}

Result<Conversation> read_conversation(const Json& value, std::string where) {
  const Place place = TRY(Place::of(value, std::move(where), {"name", "match", "turns"}));
  const Json* match = place.find("match");
  const Json* turns = place.find("turns");
  if (match == nullptr) return place.wrong("match", "there");
  if (turns == nullptr) return place.wrong("turns", "there");
  Conversation conversation;
  conversation.name = TRY(place.string("name")).value_or(place.where());
  conversation.match = TRY(read_match(*match, place.at("match")));
  conversation.turns = TRY(read_replies(*turns, place.at("turns")));
  return conversation;
}

}  // namespace

bool Match::fits(const Asked& asked) const {
  const auto holds = [](std::string_view text, std::string_view part) { return text.find(part) != text.npos; };
  return (!api_key || *api_key == asked.api_key) && (!model || *model == asked.model) &&
         (!has_tools || *has_tools == !asked.tools.empty()) &&
         (!system_contains || holds(asked.system, *system_contains)) && (!contains || holds(asked.text, *contains));
}

Result<Script> parse_script(std::string_view text) {
  const Json json = TRY(parse_json(text, {.max_bytes = kScriptMaxBytes}));
  const Place place = TRY(Place::of(json, "script", {"conversations", "default"}));
  Script script;
  if (const Json* fallback = place.find("default")) script.fallback = TRY(read_replies(*fallback, "default"));
  const Json* conversations = place.find("conversations");
  if (conversations == nullptr) return script;
  if (!conversations->is_array()) return place.wrong("conversations", "a list");
  for (std::size_t i = 0; i < conversations->size(); ++i)
    script.conversations.push_back(TRY(read_conversation((*conversations)[i], fmt::format("conversations[{}]", i))));
  return script;
}

}  // namespace teamster::model

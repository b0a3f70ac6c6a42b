#include "mcp/protocol.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "base/check.h"
#include "base/json_text.h"
#include "base/limits.h"
#include "base/text.h"
#include "version.h"

namespace teamster::mcp {
namespace {

constexpr const char* kCapabilities = R"("capabilities":{"tools":{}})";
// The list is the same for as long as the program is.
constexpr const char* kCacheable = R"("ttlMs":3600000,"cacheScope":"public")";

std::string server_info() {
  return fmt::format(R"({{"name":"teamster","title":"teamster","version":"{}"}})", kVersion);
}

std::string revision_names() {
  std::vector<std::string> names;
  for (const auto& entry : kRevisions) names.push_back(fmt::format("\"{}\"", entry.name));
  return fmt::format("[{}]", join(names, ","));
}

std::string quoted_json(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

const Json* field(const Json& object, const char* name) {
  const auto it = object.find(name);
  return it == object.end() ? nullptr : &*it;
}

const Json* object_field(const Json& object, const char* name) {
  const Json* value = field(object, name);
  return value != nullptr && value->is_object() ? value : nullptr;
}

std::string progress_token_of(const Json& params) {
  const Json* about = object_field(params, "_meta");
  const Json* token = about != nullptr ? field(*about, "progressToken") : nullptr;
  return token != nullptr ? id_text(*token) : std::string();
}

Json described(const Tool& tool) {
  return {{"name", tool.name},
          {"title", tool.title},
          {"description", tool.description},
          {"inputSchema", tool.input_schema},
          {"outputSchema", tool.output_schema},
          {"annotations", tool.annotations}};
}

void append_text_block(std::string& out, std::string_view text) {
  out += R"({"type":"text","text":)";
  append_json_string(out, text);
  out += '}';
}

// Members of the result object, written where they go: a list of tasks is long.
void append_tool_result(std::string& out, const ToolResult& result) {
  out += R"("content":[)";
  append_text_block(out, result.text.empty() ? result.structured : result.text);
  for (const auto& text : result.more_texts) {
    out += ',';
    append_text_block(out, text);
  }
  out += ']';
  if (!result.structured.empty()) {
    out += R"(,"structuredContent":)";
    out += result.structured;
  }
  if (result.is_error) out += R"(,"isError":true)";
}

// What every result of a stateless revision says.
const std::string& stateless_members() {
  static const std::string kMembers =
      fmt::format(R"("resultType":"complete","_meta":{{"{}":{}}})", meta::kServerInfo, server_info());
  return kMembers;
}

}  // namespace

Protocol::Protocol(Tools& tools, std::function<void()> on_output)
    : tools_(tools), on_output_(std::move(on_output)), lines_(limits::kMcpLineMaxBytes) {}

std::string& Protocol::output() {
  if (output_.empty() && on_output_) on_output_();
  return output_;
}

std::string Protocol::take_output() { return std::exchange(output_, {}); }

void Protocol::answer(const std::string& id, Revision revision, std::string members) {
  if (is_stateless(revision)) members += (members.empty() ? "" : ",") + stateless_members();
  append_result(output(), id, members);
}

void Protocol::refuse(const std::string& id, const ErrorAnswer& error) { append_error(output(), id, error); }

void Protocol::take(std::string_view bytes) {
  lines_.add(bytes);
  // Sent on in groups: together costs less, but the hub should begin while we still read.
  constexpr int kGroup = 16;
  tools_.begin_calls();
  for (int taken = 1; const auto line = lines_.next(); ++taken) {
    take_line(*line);
    if (taken % kGroup != 0) continue;
    tools_.end_calls();
    tools_.begin_calls();
  }
  tools_.end_calls();
}

void Protocol::take_line(const Line& line) {
  if (line.is_too_long)
    return refuse("null", {ErrorCode::invalid_request,
                           fmt::format("Invalid request: a line of more than {} bytes", limits::kMcpLineMaxBytes)});
  if (trimmed(line.text).empty()) return;
  Incoming message = read_message(line.text);
  switch (message.kind) {
    case Incoming::Kind::request:
      return take_request(std::move(message));
    case Incoming::Kind::notification:
      return take_notification(message);
    case Incoming::Kind::response:
      return;  // nothing was asked of the client
    case Incoming::Kind::invalid:
      return refuse(message.id, {message.code, message.what});
  }
}

void Protocol::take_request(Incoming message) {
  if (numbers_.contains(message.id) || subscriptions_.contains(message.id))
    return refuse(message.id, {ErrorCode::invalid_request,
                               fmt::format("Invalid request: id {} is in use by an unanswered request", message.id)});
  if (message.method == "initialize") return initialize(message);
  const auto revision = revision_of(message);
  if (revision) serve({std::move(message), *revision});
}

std::optional<Revision> Protocol::revision_of(const Incoming& message) {
  const Json* about = object_field(message.params, "_meta");
  const Json* version = about != nullptr ? field(*about, meta::kProtocolVersion) : nullptr;
  if (version == nullptr) {
    if (session_) return session_;
    if (message.method == "ping") return kLastWithHandshake;
    refuse(message.id, {ErrorCode::invalid_params,
                        fmt::format("Invalid params: name the protocol version in _meta[\"{}\"], or call initialize "
                                    "first",
                                    meta::kProtocolVersion)});
    return std::nullopt;
  }
  if (!version->is_string()) {
    refuse(message.id, {ErrorCode::invalid_params,
                        fmt::format("Invalid params: _meta[\"{}\"] is not a string", meta::kProtocolVersion)});
    return std::nullopt;
  }
  const auto revision = revision_named(version->get_ref<const std::string&>());
  if (!revision) {
    const std::string data = fmt::format(R"({{"supported":{},"requested":{}}})", revision_names(), dump_json(*version));
    refuse(message.id, {ErrorCode::unsupported_version, "Unsupported protocol version", data});
    return std::nullopt;
  }
  if (is_stateless(*revision) && object_field(*about, meta::kClientCapabilities) == nullptr) {
    refuse(message.id, {ErrorCode::invalid_params,
                        fmt::format("Invalid params: _meta[\"{}\"] is not an object", meta::kClientCapabilities)});
    return std::nullopt;
  }
  return revision;
}

void Protocol::serve(Request request) {
  const std::string& method = request.message.method;
  const bool stateless = is_stateless(request.revision);
  if (method == "tools/call") return call_tool(std::move(request));
  if (method == "tools/list") return list_tools(request);
  if (method == "ping" && !stateless) return answer(request.message.id, request.revision, "");
  if (method == "server/discover" && stateless) return discover(request);
  if (method == "subscriptions/listen" && stateless) return listen(request);
  refuse(request.message.id, {ErrorCode::method_not_found, fmt::format("Method not found: {}", quoted(method, 80))});
}

void Protocol::initialize(const Incoming& message) {
  const Json* version = field(message.params, "protocolVersion");
  if (version == nullptr || !version->is_string())
    return refuse(message.id, {ErrorCode::invalid_params, "Invalid params: protocolVersion is not a string"});
  const auto asked = revision_named(version->get_ref<const std::string&>());
  session_ = asked && !is_stateless(*asked) ? *asked : kLastWithHandshake;
  answer(message.id, *session_,
         fmt::format(R"("protocolVersion":"{}",{},"serverInfo":{},"instructions":{})", name_of(*session_),
                     kCapabilities, server_info(), quoted_json(tools_.instructions())));
}

void Protocol::discover(const Request& request) {
  answer(request.message.id, request.revision,
         fmt::format(R"("supportedVersions":{},{},"instructions":{},{})", revision_names(), kCapabilities,
                     quoted_json(tools_.instructions()), kCacheable));
}

void Protocol::list_tools(const Request& request) {
  const Json* cursor = field(request.message.params, "cursor");
  if (cursor != nullptr && !cursor->is_null())
    return refuse(request.message.id,
                  {ErrorCode::invalid_params, "Invalid params: there is no such cursor; the list has one page"});
  if (tool_list_.empty()) {
    Json list = Json::array();
    for (const auto& tool : tools_.list()) list.push_back(described(tool));
    tool_list_ = R"("tools":)" + dump_json(list);
  }
  std::string members = tool_list_;
  if (is_stateless(request.revision)) members += fmt::format(",{}", kCacheable);
  answer(request.message.id, request.revision, std::move(members));
}

// Nothing here ever changes, so no notification follows the acknowledgement. The request stays
// open until the client cancels it or the connection ends.
void Protocol::listen(const Request& request) {
  if (object_field(request.message.params, "notifications") == nullptr)
    return refuse(request.message.id, {ErrorCode::invalid_params, "Invalid params: notifications is not an object"});
  if (subscriptions_.size() == limits::kMcpSubscriptionsMax)
    return refuse(request.message.id, {ErrorCode::invalid_request, fmt::format("{} subscriptions are open, the limit",
                                                                               limits::kMcpSubscriptionsMax)});
  subscriptions_.insert(request.message.id);
  append_notification(
      output(), "notifications/subscriptions/acknowledged",
      fmt::format(R"({{"_meta":{{"{}":{}}},"notifications":{{}}}})", meta::kSubscriptionId, request.message.id));
}

std::optional<ErrorAnswer> Protocol::problems_of(const Tool& tool, const Json& arguments) {
  auto known = schemas_.find(tool.name);
  if (known == schemas_.end()) {
    auto compiled = schema::Schema::compile(tool.input_schema);
    CHECK(compiled);  // a test compiles the schemas of every tool
    known = schemas_.emplace(tool.name, *std::move(compiled)).first;
  }
  const auto problems = known->second.check(arguments);
  if (problems.empty()) return std::nullopt;
  return ErrorAnswer{ErrorCode::invalid_params,
                     fmt::format("Invalid arguments for tool {}: {}", tool.name, join(problems, "; ")),
                     dump_json({{"problems", problems}})};
}

void Protocol::call_tool(Request request) {
  Json& params = request.message.params;
  const std::string& id = request.message.id;
  const Json* name = field(params, "name");
  if (name == nullptr || !name->is_string())
    return refuse(id, {ErrorCode::invalid_params, "Invalid params: the tool's name is not a string"});
  const auto& tools = tools_.list();
  const auto tool = std::find_if(tools.begin(), tools.end(), [&](const Tool& each) { return *name == each.name; });
  if (tool == tools.end())
    return refuse(id, {ErrorCode::invalid_params, "Unknown tool: " + quoted(name->get<std::string>(), 80)});
  Json arguments = Json::object();
  if (const auto given = params.find("arguments"); given != params.end() && !given->is_null())
    arguments = std::move(*given);
  if (auto problems = problems_of(*tool, arguments)) return refuse(id, *problems);
  const std::uint64_t number = ++last_number_;
  numbers_.emplace(id, number);
  calls_.emplace(number, Call{id, request.revision, progress_token_of(params)});
  tools_.call(tool->name, std::move(arguments),
              bond_.tie([this, number](const ToolResult& result) { return finish_call(number, result); }));
}

bool Protocol::finish_call(std::uint64_t number, const ToolResult& result) {
  const auto call = calls_.extract(number);
  if (call.empty()) return false;
  numbers_.erase(call.mapped().id);
  std::string& out = output();
  begin_result(out, call.mapped().id);
  append_tool_result(out, result);
  if (is_stateless(call.mapped().revision)) out += "," + stateless_members();
  end_result(out);
  return true;
}

void Protocol::take_notification(const Incoming& message) {
  if (message.method != "notifications/cancelled") return;
  const Json* given = field(message.params, "requestId");
  const std::string id = given != nullptr ? id_text(*given) : std::string();
  subscriptions_.erase(id);
  // The tool goes on; its result finds nobody who waits.
  if (const auto number = numbers_.extract(id); !number.empty()) calls_.erase(number.mapped());
}

bool Protocol::has_progress_to_tell() const {
  return std::any_of(calls_.begin(), calls_.end(),
                     [](const auto& each) { return !each.second.progress_token.empty(); });
}

void Protocol::tell_progress() {
  for (auto& [number, call] : calls_) {
    if (call.progress_token.empty()) continue;
    if (call.progress > 0)
      append_notification(output(), "notifications/progress",
                          fmt::format(R"({{"progressToken":{},"progress":{},"message":"still waiting for the hub"}})",
                                      call.progress_token, call.progress));
    ++call.progress;
  }
}

void Protocol::end() {
  for (const auto& id : subscriptions_) {
    const std::string members = fmt::format(R"("resultType":"complete","_meta":{{"{}":{},"{}":{}}})",
                                            meta::kSubscriptionId, id, meta::kServerInfo, server_info());
    append_result(output(), id, members);
  }
  subscriptions_.clear();
  for (const auto& [number, call] : calls_)
    refuse(call.id, {ErrorCode::internal_error, "The server ends and has no answer; whether it was done is unknown"});
  calls_.clear();
  numbers_.clear();
}

}  // namespace teamster::mcp

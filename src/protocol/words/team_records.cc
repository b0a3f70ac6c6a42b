#include "protocol/words/team_records.h"

#include "base/json_fields.h"
#include "protocol/words/process_record.h"

namespace teamster {
namespace {

template <class T>
void put_optional(Json& body, const char* field, std::optional<T> value) {
  if (value) body[field] = *std::move(value);
}

std::optional<std::string> optional_text(const Json& body, const char* field) {
  const Json& value = field_in(body, field);
  return value.is_string() ? std::optional(value.get<std::string>()) : std::nullopt;
}

std::optional<std::int64_t> optional_number(const Json& body, const char* field) {
  const Json& value = field_in(body, field);
  return value.is_number_integer() ? std::optional(value.get<std::int64_t>()) : std::nullopt;
}

}  // namespace

Json OwnerRecord::json() const { return process ? process_record(*process) : Json{{"run", run}}; }

std::optional<OwnerRecord> OwnerRecord::parse(const std::string& text) {
  if (text.empty()) return std::nullopt;
  const auto owner = parse_json(text);
  if (!owner || !owner->is_object()) return OwnerRecord{};
  if (owner->contains("run")) return OwnerRecord{.run = raw_text_in(*owner, "run")};
  return OwnerRecord{.process = read_process_record(*owner)};
}

Json TeamCreated::json() && {
  Json body = {{"team", team}};
  if (owner) body["owner"] = owner->json();
  if (!project.empty()) body["project"] = project;
  return body;
}

std::string TeamCreated::project_in(const Json& body) { return raw_text_in(body, "project"); }

std::string_view TeamCreated::team_in(const Json& body) { return body.at("team").get_ref<const std::string&>(); }

std::string TeamCreated::owner_text_in(const Json& body) {
  const auto owner = body.find("owner");
  return owner == body.end() ? "" : dump_json(*owner);
}

Json TeamShutdown::json() && { return {{"due_ms", due.unix_ms}, {"reason", reason}}; }

std::optional<WallTime> TeamShutdown::due_in(const Json& body) {
  const auto due = body.find("due_ms");
  return due == body.end() ? std::nullopt : std::optional(WallTime{due->get<std::int64_t>()});
}

Json TeamShutdownOver::json() && { return {{"over", true}}; }

Json TeamDeleted::json() && { return {{"team", team}, {"forced", std::move(forced)}}; }

Json MemberJoined::json() && {
  Json body = {{"member", member}, {"member_id", member_id.value}, {"epoch", epoch.value}};
  if (is_native) body["native"] = true;
  return body;
}

MemberJoined MemberJoined::read(const Json& body) {
  return {body.at("member").get_ref<const std::string&>(), member_id_in(body),
          Epoch(body.at("epoch").get<std::int64_t>()), flag_in(body, "native")};
}

Json MemberLeft::json() && {
  return {{"member", member}, {"member_id", member_id.value}, {"epoch", epoch.value}, {"reason", reason}};
}

Json MemberRejectedShutdown::json() && {
  return {{"member", member}, {"member_id", member_id.value}, {"reason", reason}};
}

MemberId member_id_in(const Json& body) { return MemberId(body.at("member_id").get<std::int64_t>()); }

std::string_view reason_in(const Json& body) { return body.at("reason").get_ref<const std::string&>(); }

Json UsageRecord::json() const {
  Json usage = {{"input_tokens", input_tokens},
                {"output_tokens", output_tokens},
                {"cache_read_tokens", cache_read_tokens},
                {"cache_write_tokens", cache_write_tokens}};
  put_optional(usage, "cost_microusd", cost_microusd);
  put_optional(usage, "duration_ms", duration_ms);
  return usage;
}

UsageRecord UsageRecord::read(const Json& usage) {
  return {number_in(usage, "input_tokens"),        number_in(usage, "output_tokens"),
          number_in(usage, "cache_read_tokens"),   number_in(usage, "cache_write_tokens"),
          optional_number(usage, "cost_microusd"), optional_number(usage, "duration_ms")};
}

Json MemberTurn::json() && {
  Json body = {
      {"member", std::move(member)}, {"member_id", member_id.value}, {"epoch", epoch.value}, {"running", is_running}};
  put_optional(body, "turn", account.turn);
  put_optional(body, "prompt", std::move(account.prompt));
  put_optional(body, "stop", std::move(account.stop));
  put_optional(body, "fault", std::move(account.fault));
  put_optional(body, "error", std::move(account.error));
  put_optional(body, "text", std::move(account.text));
  put_optional(body, "text_bytes", account.text_bytes);
  put_optional(body, "text_sha256", std::move(account.text_sha256));
  put_optional(body, "result", std::move(account.result));
  if (account.messages) {
    Json& ids = body["messages"] = Json::array();
    for (const MessageId id : *account.messages) ids.push_back(id.value);
  }
  put_optional(body, "retries", account.retries);
  if (account.restarts) body["restarts"] = *std::move(account.restarts);
  if (account.usage) body["usage"] = account.usage->json();
  if (account.spent) body["spent"] = account.spent->json();
  return body;
}

MemberTurn MemberTurn::read(const Json& body) {
  MemberTurn turn{raw_text_in(body, "member"), MemberId(number_in(body, "member_id")), Epoch(number_in(body, "epoch")),
                  flag_in(body, "running")};
  turn.account.turn = optional_number(body, "turn");
  turn.account.prompt = optional_text(body, "prompt");
  turn.account.stop = optional_text(body, "stop");
  turn.account.fault = optional_text(body, "fault");
  turn.account.error = optional_text(body, "error");
  turn.account.text = optional_text(body, "text");
  turn.account.text_bytes = optional_number(body, "text_bytes");
  turn.account.text_sha256 = optional_text(body, "text_sha256");
  if (const Json& result = field_in(body, "result"); !result.is_null()) turn.account.result = result;
  if (const Json& messages = field_in(body, "messages"); messages.is_array()) {
    turn.account.messages.emplace();
    for (const auto& id : messages)
      if (id.is_number_integer()) turn.account.messages->emplace_back(id.get<std::int64_t>());
  }
  if (flag_in(body, "retries")) turn.account.retries = true;
  if (const Json& restarts = field_in(body, "restarts"); restarts.is_array()) {
    turn.account.restarts.emplace();
    for (const auto& why : restarts)
      if (why.is_string()) turn.account.restarts->push_back(why.get<std::string>());
  }
  turn.account.usage = usage_in(body);
  if (const Json& spent = field_in(body, "spent"); spent.is_object()) turn.account.spent = UsageRecord::read(spent);
  return turn;
}

bool MemberTurn::is_running_in(const Json& body) { return body.at("running").get<bool>(); }

bool MemberTurn::runs_clock_in(const Json& body) { return !is_running_in(body) && !flag_in(body, "retries"); }

std::optional<UsageRecord> MemberTurn::usage_in(const Json& body) {
  const Json& usage = field_in(body, "usage");
  return usage.is_object() ? std::optional(UsageRecord::read(usage)) : std::nullopt;
}

std::string_view MemberTurn::prompt_in(const Json& body) {
  const Json& prompt = field_in(body, "prompt");
  return prompt.is_string() ? std::string_view(prompt.get_ref<const std::string&>()) : std::string_view();
}

Json StaleRefused::json() && { return {{"member", member}, {"epoch", epoch.value}, {"op", operation}}; }

Json TeamHistoryRemoved::json() && { return {{"team", team}, {"team_id", team_id.value}, {"events", events}}; }

Json RunHistoryRemoved::json() && { return {{"run", run}, {"run_id", run_id.value}, {"events", events}}; }

}  // namespace teamster

// The player's part that answers control requests and ends turns before their time.
#include "script/player.h"

namespace teamster::script {
namespace {

constexpr std::string_view kStopped =
    "The user doesn't want to proceed with this tool use. The tool use was rejected. STOP what you are doing and wait "
    "for the user to tell you how to proceed.";

}  // namespace

void Player::on(const ControlRequest& control) {
  const bool is_first = !std::exchange(is_controlled_, true);
  if (control.subtype == "interrupt") return interrupt(control);
  if (control.subtype == "cancel_async_message") return cancel_message(control);
  if (control.subtype == "initialize") {
    if (is_first) initialize(control);
    return print(wire_.control_success(
        control.id, {{"commands", Json::array()},
                     {"models", Json::array({Json{{"value", place_.model}, {"displayName", place_.model}}})},
                     {"session_state", running_ ? "running" : "idle"},
                     {"output_style", "default"}}));
  }
  if (control.subtype == "set_model") {
    const auto model = control.request.value("model", Json());
    if (!model.is_string())
      return print(wire_.control_error(control.id, "Unable to validate model: it is no text", "check_failed"));
    place_.model = model.get<std::string>();
    if (has_file_) keep(record::model(place_.model));
    return print(wire_.control_success(control.id, {{"model", place_.model}}));
  }
  if (control.subtype == "set_permission_mode") {
    const auto mode = control.request.value("mode", Json());
    if (!mode.is_string()) return print(wire_.control_error(control.id, "Invalid permission mode", "check_failed"));
    permission_mode_ = mode.get<std::string>();
    print(wire_.control_success(control.id, {{"mode", permission_mode_}}));
    return print(wire_.status(permission_mode_));
  }
  if (control.subtype == "end_session") {
    print(wire_.control_success(control.id, Json::object()));
    actions_.emplace_back(Leave{});
    return;
  }
  print(wire_.control_error(control.id, "Unsupported control request subtype: " + control.subtype,
                            "unsupported_request"));
}

void Player::on(const ControlResponse& control) {
  // An answer may cross the cancelling of its request.
  if (waiting_ != Waiting::permission || control.id != running_->tool->request_id) return;
  if (control.failed) return deny(control.error, false);
  const Json& answer = control.response;
  const auto text_at = [&](const char* key) {
    const auto it = answer.is_object() ? answer.find(key) : answer.end();
    return it != answer.end() && it->is_string() ? it->get<std::string>() : std::string();
  };
  if (text_at("behavior") != "allow") {
    const auto ends = answer.is_object() ? answer.find("interrupt") : answer.end();
    return deny(text_at("message"), ends != answer.end() && *ends == true);
  }
  if (const auto updated = answer.find("updatedInput"); updated != answer.end() && updated->is_object())
    running_->tool->input = *updated;
  perform_open_tool();
}

void Player::initialize(const ControlRequest& control) {
  const auto document = control.request.find("jsonSchema");
  if (document == control.request.end()) return;
  if (auto compiled = schema::Schema::compile(*document)) schema_ = *std::move(compiled);
}

Json Player::uuids_of_pending() const {
  Json uuids = Json::array();
  for (const auto& message : pending_)
    if (message.has_uuid()) uuids.push_back(message.uuid);
  return uuids;
}

void Player::interrupt(const ControlRequest& control) {
  Json answer = {{"still_queued", uuids_of_pending()}};
  if (control.request.value("cancel_queued", Json()) == true) {
    answer = {{"still_queued", Json::array()}, {"cancelled", uuids_of_pending()}};
    for (const auto& message : pending_) print_lifecycle(message, "cancelled");
    pending_.clear();
  }
  if (running_ && waiting_ == Waiting::permission) print(wire_.cancel_request(running_->tool->request_id));
  print(wire_.control_success(control.id, answer));
  if (running_) interrupt_turn();
}

void Player::cancel_message(const ControlRequest& control) {
  const auto uuid = control.request.value("message_uuid", Json());
  bool found = false;
  for (auto it = pending_.begin(); it != pending_.end() && !found; ++it) {
    if (!it->has_uuid() || it->uuid != uuid) continue;
    found = true;
    print_lifecycle(*it, "cancelled");
    pending_.erase(it);
    break;
  }
  print(wire_.control_success(control.id, {{"cancelled", found}}));
}

void Player::interrupt_turn() {
  if (waiting_ != Waiting::permission && waiting_ != Waiting::nothing) actions_.emplace_back(Abandon{});
  const bool in_tool = running_->tool.has_value();
  if (in_tool) print(wire_.tool_result(running_->tool->id, kStopped, true, "User rejected tool use"));
  print(
      wire_.user_text(in_tool ? "[Request interrupted by user for tool use]" : "[Request interrupted by user]", false));
  ResultFacts facts;
  facts.subtype = "error_during_execution";
  facts.is_error = true;
  facts.errors = Json::array({"[ede_diagnostic] the turn was interrupted"});
  facts.stop_reason = in_tool ? Json("tool_use") : Json();
  facts.terminal_reason = in_tool ? "aborted_tools" : "aborted_streaming";
  end_turn(std::move(facts), true);
}

// A message that cannot wait ends the turn, which then looks like a success.
void Player::cut_turn() {
  const bool after_tool = waiting_ == Waiting::nothing;
  if (!after_tool) actions_.emplace_back(Abandon{});
  ResultFacts facts;
  facts.result = place_.current->said;
  facts.stop_reason = after_tool ? Json("tool_use") : Json();
  facts.terminal_reason = after_tool ? "aborted_tools" : "aborted_streaming";
  end_turn(std::move(facts), true);
}

}  // namespace teamster::script

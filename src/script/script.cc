#include "script/script.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/limits.h"
#include "base/pattern.h"
#include "base/text.h"
#include "script/node.h"

namespace teamster::script {
namespace {

constexpr Bounds kExitCodes{0, 255};

Result<Step> parse_say(const ScriptNode& node) { return Step(Say{TRY(node.text())}); }
Result<Step> parse_think(const ScriptNode& node) { return Step(Think{TRY(node.text())}); }

Result<Step> parse_change(const ScriptNode& node, ChangeFile::How how) {
  const bool has_text = how != ChangeFile::How::remove;
  TRY_VOID(has_text ? node.check_keys({"path", "text"}) : node.check_keys({"path"}));
  ChangeFile change;
  change.how = how;
  change.path = TRY(node.text_at("path"));
  if (change.path.empty()) return TRY(node.member("path")).expected("a path");
  if (has_text) change.text = TRY(node.text_at("text"));
  return Step(std::move(change));
}
Result<Step> parse_write(const ScriptNode& node) { return parse_change(node, ChangeFile::How::write); }
Result<Step> parse_append(const ScriptNode& node) { return parse_change(node, ChangeFile::How::append); }
Result<Step> parse_remove(const ScriptNode& node) { return parse_change(node, ChangeFile::How::remove); }

Result<Step> parse_run(const ScriptNode& node) {
  RunCommand run;
  if (node.value().is_string()) {
    run.command = TRY(node.text());
  } else {
    TRY_VOID(node.check_keys({"command", "expect_exit", "save"}));
    run.command = TRY(node.text_at("command"));
    run.save = TRY(node.text_at("save", ""));
    if (const auto code = TRY(node.optional_integer_at("expect_exit", kExitCodes)))
      run.expect_exit = static_cast<int>(*code);
  }
  return Step(std::move(run));
}

Result<Step> parse_find(const ScriptNode& node) {
  TRY_VOID(node.check_keys({"pattern", "save"}));
  Find find;
  find.pattern = TRY(node.text_at("pattern"));
  find.save = TRY(node.text_at("save"));
  const auto pattern = Pattern::compile(find.pattern);
  if (!pattern) return TRY(node.member("pattern")).wrong(pattern.error().what);
  if (!pattern->has_group()) return TRY(node.member("pattern")).expected("a pattern with a group, which is kept");
  return Step(std::move(find));
}

Result<Step> parse_tool(const ScriptNode& node) {
  TRY_VOID(node.check_keys({"name", "arguments", "save"}));
  CallTool call;
  call.name = TRY(node.text_at("name"));
  if (call.name.empty()) return TRY(node.member("name")).expected("the name of a tool");
  if (node.has("arguments")) call.arguments = TRY(TRY(node.member("arguments")).object());
  call.save = TRY(node.text_at("save", ""));
  return Step(std::move(call));
}

// What is shorter to write for a team tool. What the tool itself does not take, it refuses.
Result<Step> parse_call(const ScriptNode& node, std::string_view tool) {
  CallTool call;
  call.name = tool;
  call.arguments = TRY(node.object());
  return Step(std::move(call));
}
Result<Step> parse_create_task(const ScriptNode& node) { return parse_call(node, "create_task"); }
Result<Step> parse_inbox(const ScriptNode& node) { return parse_call(node, "read_inbox"); }
Result<Step> parse_ask(const ScriptNode& node) { return parse_call(node, "ask"); }

Result<Step> parse_send(const ScriptNode& node) {
  TRY_VOID(node.check_keys({"to", "body", "kind", "summary", "priority", "in_reply_to"}));
  TRY_VOID(node.text_at("to"));
  TRY_VOID(node.text_at("body"));
  for (const std::string_view key : {"kind", "summary", "priority"}) TRY_VOID(node.text_at(key, ""));
  return parse_call(node, "send_message");
}

Result<Step> parse_claim(const ScriptNode& node) {
  TRY_VOID(node.check_keys({"id"}));
  TRY_VOID(node.optional_integer_at("id", {1}));
  CallTool call;
  call.name = "claim_task";
  call.arguments = node.value();
  call.save = "claim";
  return Step(std::move(call));
}

Result<Step> parse_update(const ScriptNode& node) {
  CallTool call;
  call.name = "update_task";
  call.arguments = TRY(node.object());
  call.needs_last_claim = !node.has("id");
  return Step(std::move(call));
}

Result<Step> parse_report(const ScriptNode& node) {
  CallTool call;
  call.name = "report";
  call.arguments["result"] = node.value();
  return Step(std::move(call));
}

Result<Step> parse_permission(const ScriptNode& node) {
  TRY_VOID(node.check_keys({"tool", "input"}));
  AskPermission ask;
  ask.tool = TRY(node.text_at("tool"));
  if (node.has("input")) ask.input = TRY(TRY(node.member("input")).object());
  return Step(std::move(ask));
}

Result<Step> parse_answer(const ScriptNode& node) { return Step(AnswerStep{node.value()}); }

Result<Step> parse_usage(const ScriptNode& node) {
  TRY_VOID(node.check_keys(
      {"input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "cost_usd"}));
  constexpr Bounds kTokens{0, 1'000'000'000'000};
  Usage usage;
  usage.input_tokens = TRY(node.integer_at("input_tokens", kTokens, 0));
  usage.output_tokens = TRY(node.integer_at("output_tokens", kTokens, 0));
  usage.cache_read_input_tokens = TRY(node.integer_at("cache_read_input_tokens", kTokens, 0));
  usage.cache_creation_input_tokens = TRY(node.integer_at("cache_creation_input_tokens", kTokens, 0));
  if (node.has("cost_usd")) usage.cost_usd = TRY(TRY(node.member("cost_usd")).number());
  return Step(SpendUsage{usage});
}

Result<Step> parse_sleep(const ScriptNode& node) { return Step(Sleep{TRY(node.duration())}); }

Result<Step> parse_wait_message(const ScriptNode& node) {
  TRY_VOID(node.check_keys({"timeout"}));
  const ScriptNode timeout = TRY(node.member("timeout"));
  return Step(WaitMessage{TRY(timeout.duration())});
}

Result<Step> parse_error(const ScriptNode& node) {
  TRY_VOID(node.check_keys({"status", "message", "retries"}));
  FailRequest failure;
  if (const auto status = TRY(node.optional_integer_at("status", {100, 599})))
    failure.status = static_cast<int>(*status);
  failure.message = TRY(node.text_at("message", ""));
  failure.retries = static_cast<int>(TRY(node.integer_at("retries", {0, 100}, 0)));
  return Step(std::move(failure));
}

Result<Step> parse_crash(const ScriptNode& node) {
  TRY_VOID(node.check_keys({"exit", "signal"}));
  Crash crash;
  if (node.has("exit") == node.has("signal")) return node.wrong("expected either 'exit' or 'signal'");
  crash.exit = static_cast<int>(TRY(node.integer_at("exit", kExitCodes, 1)));
  if (const auto signal = TRY(node.optional_integer_at("signal", {1, 64}))) crash.signal = static_cast<int>(*signal);
  return Step(crash);
}

Result<Step> parse_garble(const ScriptNode& node) { return Step(Garble{TRY(node.text()), true}); }
Result<Step> parse_partial(const ScriptNode& node) { return Step(Garble{TRY(node.text()), false}); }

Result<Step> parse_huge(const ScriptNode& node) {
  TRY_VOID(node.check_keys({"bytes"}));
  const ScriptNode bytes = TRY(node.member("bytes"));
  return Step(Huge{static_cast<std::size_t>(TRY(bytes.integer({1, limits::kScriptHugeMaxBytes})))});
}

Result<Step> parse_mute(const ScriptNode& node) {
  TRY_VOID(node.check_keys({}));
  return Step(Mute{});
}

Result<Step> parse_deaf(const ScriptNode& node) {
  TRY_VOID(node.check_keys({"eof"}));
  return Step(Deaf{TRY(node.truth_at("eof"))});
}

Result<Step> parse_fork(const ScriptNode& node) {
  TRY_VOID(node.check_keys({"command", "detached"}));
  Fork fork;
  fork.command = TRY(node.text_at("command"));
  fork.detached = TRY(node.truth_at("detached"));
  return Step(std::move(fork));
}

Result<Step> parse_unsolicited(const ScriptNode& node) {
  TRY_VOID(node.check_keys({"text"}));
  return Step(Unsolicited{TRY(node.text_at("text"))});
}

Result<Step> parse_end(const ScriptNode& node) {
  TRY_VOID(node.check_keys({"stop_reason"}));
  return Step(End{TRY(node.text_at("stop_reason", End().stop_reason))});
}

struct Kind {
  std::string_view name;
  Result<Step> (*parse)(const ScriptNode& node);
};

constexpr auto kKinds = std::to_array<Kind>({
    {"say", parse_say},
    {"think", parse_think},
    {"write", parse_write},
    {"append", parse_append},
    {"remove", parse_remove},
    {"run", parse_run},
    {"find", parse_find},
    {"tool", parse_tool},
    {"send", parse_send},
    {"claim", parse_claim},
    {"update", parse_update},
    {"create_task", parse_create_task},
    {"inbox", parse_inbox},
    {"ask", parse_ask},
    {"report", parse_report},
    {"permission", parse_permission},
    {"answer", parse_answer},
    {"usage", parse_usage},
    {"sleep", parse_sleep},
    {"wait_message", parse_wait_message},
    {"error", parse_error},
    {"crash", parse_crash},
    {"garble", parse_garble},
    {"partial", parse_partial},
    {"huge", parse_huge},
    {"mute", parse_mute},
    {"deaf", parse_deaf},
    {"fork", parse_fork},
    {"unsolicited", parse_unsolicited},
    {"end", parse_end},
});

Result<Step> parse_step(const ScriptNode& node) {
  const std::string name = TRY(node.only_key());
  const auto kind = std::find_if(kKinds.begin(), kKinds.end(), [&](const Kind& each) { return each.name == name; });
  if (kind != kKinds.end()) return kind->parse(TRY(node.member(name)));
  std::vector<std::string> names;
  for (const Kind& each : kKinds) names.emplace_back(each.name);
  const auto meant = closest(name, names);
  return node.wrong(fmt::format("there is no step {}", quoted(name, 60)),
                    meant ? fmt::format("Did you mean '{}'?", *meant) : fmt::format("Steps: {}", join(names, ", ")));
}

Result<std::vector<Step>> parse_steps(const ScriptNode& node) {
  std::vector<Step> steps;
  for (const ScriptNode& element : TRY(node.elements())) steps.push_back(TRY(parse_step(element)));
  return steps;
}

Result<Turn> parse_turn(const ScriptNode& node) {
  TRY_VOID(node.check_keys({"when", "repeat", "steps"}));
  Turn turn;
  turn.repeats = TRY(node.truth_at("repeat"));
  if (node.has("when")) {
    const ScriptNode when = TRY(node.member("when"));
    TRY_VOID(when.check_keys({"contains"}));
    turn.contains = TRY(when.text_at("contains"));
  }
  const ScriptNode steps = TRY(node.member("steps"));
  turn.steps = TRY(parse_steps(steps));
  return turn;
}

}  // namespace

std::size_t Script::step_count() const {
  std::size_t count = otherwise ? otherwise->size() : 0;
  for (const auto& turn : turns) count += turn.steps.size();
  return count;
}

Result<Script> parse_script(std::string_view text, std::string_view file) {
  const auto document = parse_json(text, {.max_bytes = limits::kScriptMaxBytes});
  if (!document) return fail(document.error().within(file));
  const ScriptNode top(*document, "", file);
  TRY_VOID(top.check_keys({"turns", "otherwise"}));
  Script script;
  const ScriptNode turns = TRY(top.member("turns"));
  for (const ScriptNode& turn : TRY(turns.elements())) script.turns.push_back(TRY(parse_turn(turn)));
  if (top.has("otherwise")) {
    const ScriptNode otherwise = TRY(top.member("otherwise"));
    script.otherwise = TRY(parse_steps(otherwise));
  }
  return script;
}

}  // namespace teamster::script

#include "script/mcp_client.h"

#include <fmt/format.h>

#include "base/limits.h"
#include "base/text.h"
#include "script/environment.h"

namespace teamster::script {
namespace {

constexpr std::size_t kComplaintsMaxBytes = 2000;

// PATH is searched by env(1), which does nothing else here.
env::Spawn spawn_of(const McpServer& server, const std::vector<std::string>& environment) {
  env::Spawn spawn;
  if (server.command.find('/') == std::string::npos) {
    spawn.program = "/usr/bin/env";
    spawn.arguments = {"env"};
  } else {
    spawn.program = server.command;
  }
  spawn.arguments.push_back(server.command);
  spawn.arguments.insert(spawn.arguments.end(), server.arguments.begin(), server.arguments.end());
  spawn.environment = with_variables(environment, server.environment);
  return spawn;
}

}  // namespace

McpClient::McpClient(const env::World& world, std::string name, const McpServer& server,
                     const std::vector<std::string>& environment)
    : world_(world), name_(std::move(name)), spawn_(spawn_of(server, environment)) {}

McpClient::~McpClient() = default;

std::int64_t McpClient::call(const std::string& tool, const Json& arguments, Answer answer) {
  const std::int64_t id = ++last_call_;
  answers_.emplace(id, std::move(answer));
  if (!child_) start();
  if (child_) child_->input().write(dialogue_->call(id, tool, arguments));
  return id;
}

void McpClient::take_back(std::int64_t call) {
  answers_.erase(call);
  if (child_) child_->input().write(dialogue_->cancel(call));
}

void McpClient::start() {
  auto child = world_.processes.spawn(spawn_);
  if (!child) {
    // From the loop: nobody is answered inside the call.
    deadline_ = world_.loop.after(Duration::zero(), [this, why = child.error().text()] { broken(why); });
    return;
  }
  child_ = *std::move(child);
  lines_ = std::make_shared<LineReader>(limits::kScriptToolLineMaxBytes);
  dialogue_ = std::make_unique<McpDialogue>();
  complaints_.clear();
  child_->output().start({.on_bytes = [this](std::string_view bytes) { take_bytes(bytes); },
                          .on_end = [this] { broken("it has ended"); },
                          .on_drained = nullptr});
  child_->errors().start({.on_bytes =
                              [this](std::string_view bytes) {
                                complaints_.append(bytes);
                                if (complaints_.size() > kComplaintsMaxBytes)
                                  complaints_.erase(0, complaints_.size() - kComplaintsMaxBytes);
                              },
                          .on_end = nullptr,
                          .on_drained = nullptr});
  child_->input().write(dialogue_->open());
  deadline_ = world_.loop.after(limits::kScriptToolStartDeadline, [this] {
    broken(fmt::format("it did not become ready within {}", describe_duration(limits::kScriptToolStartDeadline)));
  });
}

void McpClient::take_bytes(std::string_view bytes) {
  const env::Child* current = child_.get();
  const auto lines = lines_;  // survives the server
  lines->add(bytes);
  // An answer may have ended this server.
  while (child_ && child_.get() == current) {
    const auto line = lines->next();
    if (!line) return;
    if (line->is_too_long) return broken("its line is too long");
    if (!take_line(line->text)) return;
  }
}

bool McpClient::take_line(std::string_view line) {
  std::string send;
  const auto replies = dialogue_->take(line, send);
  if (!replies) {
    broken(replies.error().text());
    return false;
  }
  if (dialogue_->is_ready()) deadline_.reset();
  if (!send.empty()) child_->input().write(send);
  for (const auto& reply : *replies) {
    auto node = answers_.extract(reply.call);
    if (!node.empty()) node.mapped()(reply.outcome);
  }
  return true;
}

void McpClient::broken(const std::string& why) {
  deadline_.reset();
  const auto child = std::move(child_);
  std::string text = fmt::format("MCP server {}: {}", name_, why);
  if (const auto said = trimmed(complaints_); !said.empty()) text += fmt::format(" ({})", said);
  for (auto& [id, answer] : std::exchange(answers_, {})) answer({.is_error = true, .text = text});
}

}  // namespace teamster::script

#include "cli/framework/registry.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/framework/arguments.h"
#include "cli/framework/commands.h"

namespace teamster::cli {
namespace {

std::string_view first_word_of(std::string_view path) { return path.substr(0, path.find(' ')); }

void append_once(std::vector<std::string>& list, std::string_view text) {
  if (std::find(list.begin(), list.end(), text) == list.end()) list.emplace_back(text);
}

const Flag* common_flag(const std::vector<Flag>& flags, std::string_view word) {
  if (!word.starts_with("--")) return nullptr;
  const std::string_view name = word.substr(2, word.find('=') == word.npos ? word.npos : word.find('=') - 2);
  const auto it = std::find_if(flags.begin(), flags.end(), [&](const Flag& flag) { return flag.name == name; });
  return it == flags.end() ? nullptr : &*it;
}

}  // namespace

const Command* Registry::find(std::string_view path) const {
  for (const auto& command : commands_)
    if (command.path == path) return &command;
  for (const auto& command : internal_)
    if (command.path == path) return &command;
  return nullptr;
}

std::vector<std::string> Registry::first_words() const {
  std::vector<std::string> words;
  for (const auto& command : commands_) append_once(words, first_word_of(command.path));
  return words;
}

std::vector<std::string> Registry::verbs(std::string_view first_word) const {
  std::vector<std::string> words;
  for (const auto& command : commands_)
    if (first_word_of(command.path) == first_word && command.path.size() > first_word.size())
      words.push_back(command.path.substr(first_word.size() + 1));
  return words;
}

std::vector<std::string> Registry::topics() const {
  std::vector<std::string> topics;
  for (const auto& command : commands_) append_once(topics, command.topic);
  return topics;
}

// The path with one more word, or an error that says which one was probably meant.
Result<std::string> Registry::extended(const std::string& path, const std::string& word) const {
  const auto known = path.empty() ? first_words() : verbs(path);
  const bool is_internal = path.empty() && find(word) != nullptr;
  if (is_internal || std::find(known.begin(), known.end(), word) != known.end())
    return path.empty() ? word : path + " " + word;
  const auto meant = closest(word, known);
  const std::string what = path.empty() ? fmt::format("there is no command {}", quoted(word, 80))
                                        : fmt::format("`teamster {}` has no verb {}", path, quoted(word, 80));
  const std::string advice = meant ? fmt::format("Did you mean {}? ", *meant) : "";
  return fail(Code::invalid, what, advice + see_help(path));
}

Result<Selection> Registry::select(std::span<const std::string> words) const {
  const auto flags = common_flags(HubUse::writes);
  Selection selection;
  for (std::size_t at = 0; at < words.size(); ++at) {
    const std::string& word = words[at];
    const Flag* flag = common_flag(flags, word);
    if (selection.command != nullptr || word == "--") {
      selection.rest.insert(selection.rest.end(), words.begin() + static_cast<std::ptrdiff_t>(at), words.end());
      break;
    }
    if (flag != nullptr) {
      selection.rest.push_back(word);
      if (!flag->is_switch() && word.find('=') == word.npos && at + 1 < words.size())
        selection.rest.push_back(words[++at]);
    } else if (word.starts_with("-")) {
      selection.rest.push_back(word);
    } else {
      selection.path = TRY(extended(selection.path, word));
      selection.command = find(selection.path);
    }
  }
  return selection;
}

Registry all_commands() {
  using namespace commands;
  std::vector<Command> list;
  for (const auto make : {team_create,
                          team_join,
                          team_leave,
                          team_list,
                          team_status,
                          team_delete,
                          team_cleanup,
                          message_send,
                          message_broadcast,
                          message_inbox,
                          message_wait,
                          message_ack,
                          message_receipt,
                          task_create,
                          task_list,
                          task_get,
                          task_claim,
                          task_update,
                          agent_start,
                          agent_say,
                          agent_list,
                          agent_stop,
                          agent_attach,
                          agent_drivers,
                          init,
                          run_workflow,
                          resume,
                          rehearse,
                          workflow_list,
                          workflow_show,
                          workflow_validate,
                          workflow_graph,
                          verify_manifest,
                          skills_list,
                          skills_show,
                          skills_validate,
                          skills_route,
                          cancel,
                          commands::status,
                          commands::watch,
                          commands::report,
                          commands::replay,
                          commands::retro,
                          inbox,
                          question_answer,
                          question_approve,
                          question_reject,
                          log,
                          doctor,
                          gc,
                          hub,
                          commands::mcp,
                          completion,
                          commands::help})
    list.push_back(make());
  std::vector<Command> internal;
  for (const auto make : {keeper, complete}) internal.push_back(make());
  return Registry(std::move(list), std::move(internal));
}

}  // namespace teamster::cli

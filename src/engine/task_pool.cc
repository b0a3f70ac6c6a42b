#include "engine/task_pool.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/sha256.h"
#include "base/text.h"

namespace teamster::engine {
namespace {

using workflow::RunCommand;
using workflow::RunEvent;
namespace command = workflow::command;
namespace event = workflow::event;

constexpr std::size_t kSubjectShownBytes = 200;

// A line that people can read in a list; the whole is in the description.
std::string subject_of(const std::string& words) {
  std::string line = words.substr(0, words.find('\n'));
  if (line.empty()) return "(no words)";
  if (line.size() <= kSubjectShownBytes) return line;
  return fmt::format("{}…", beginning_of(line, kSubjectShownBytes));
}

RunEvent failed(const RunCommand& command, const Error& error) {
  return event_about(command, event::Failed{"failed", error.text()});
}

}  // namespace

Json pool_tasks(const Json& tasks) {
  Json list = Json::array();
  for (const auto& task : tasks) {
    Json entry = Json::object();
    for (const char* field : {"id", "subject", "status", "owner", "metadata"})
      entry[field] = task.contains(field) ? task.at(field) : Json();
    list.push_back(std::move(entry));
  }
  return list;
}

std::int64_t tasks_left(const Json& tasks, const std::string& member) {
  return std::count_if(tasks.begin(), tasks.end(), [&](const Json& task) {
    const std::string status = task.value("status", "");
    if (status == "in_progress") return task.contains("owner") && task.at("owner") == Json(member);
    return status == "pending" && task.value("waiting_for", Json::array()).empty();
  });
}

void TaskPool::make(const RunCommand& command, Settle settle) { make_next(command, Json::array(), settle); }

// One after the other: their ids are in the order of the items.
void TaskPool::make_next(const RunCommand& command, const Json& ids, const Settle& settle) {
  const auto& made = command.get<command::MakeTasks>();
  const std::size_t at = ids.size();
  if (at == made.tasks.size()) return settle(event_about(command, event::Done{.answer = ids}));
  hub::Request request{"task.create", {{"team", made.team}}};
  request.args["subject"] = subject_of(made.tasks[at].subject);
  request.args["description"] = dump_json(made.tasks[at].item);
  request.key = "task-" + to_hex(sha256(fmt::format("{}/{}/{}", run_, command.id(), at)));
  hub_.call(std::move(request), [=, this](const Result<Json>& answer) {
    if (!answer) return settle(failed(command, answer.error()));
    Json more = ids;
    more.push_back(answer->at("task").at("id"));
    make_next(command, more, settle);
  });
}

void TaskPool::finish_turn(const RunCommand& turn, event::Done done, const Settle& settle) {
  Json args = {{"team", turn.get<command::Turn>().team}};
  list_next(std::move(args), Json::array(), [=](const Result<Json>& tasks) {
    if (!tasks) {
      // Whether anything is left cannot be known, so the turn does not count; its usage does.
      event::Failed failed{"failed", tasks.error().text(), done.usage, done.member, done.restarts};
      return settle(event_about(turn, std::move(failed)));
    }
    event::Done counted = done;
    counted.tasks = pool_tasks(*tasks);
    counted.tasks_left = tasks_left(*tasks, counted.member);
    settle(event_about(turn, std::move(counted)));
  });
}

void TaskPool::list_next(Json args, const Json& tasks, const std::function<void(Result<Json>)>& then) {
  hub_.call({"task.list", args}, [=, this](const Result<Json>& page) {
    if (!page) return then(fail(page.error()));
    Json more = tasks;
    for (const auto& task : page->at("tasks")) more.push_back(task);
    if (!page->contains("next") || page->at("next").is_null()) return then(std::move(more));
    Json rest = args;
    rest["after"] = page->at("next");
    list_next(std::move(rest), more, then);
  });
}

}  // namespace teamster::engine

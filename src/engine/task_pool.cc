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

constexpr std::size_t kSubjectShownBytes = 200;

// A line that people can read in a list; the whole is in the description.
std::string subject_of(const std::string& words) {
  std::string line = words.substr(0, words.find('\n'));
  if (line.empty()) return "(no words)";
  if (line.size() <= kSubjectShownBytes) return line;
  return fmt::format("{}…", beginning_of(line, kSubjectShownBytes));
}

RunEvent failed(const RunCommand& command, const Error& error) {
  return {workflow::event::kFailed, command.step, command.attempt, {{"fault", "failed"}, {"error", error.text()}}};
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
  const Json& tasks = command.body.at("tasks");
  const std::size_t at = ids.size();
  if (at == tasks.size()) {
    RunEvent done{workflow::event::kDone, command.step, command.attempt};
    done.body["answer"] = ids;
    return settle(std::move(done));
  }
  hub::Request request{"task.create", {{"team", command.body.at("team")}}};
  request.args["subject"] = subject_of(tasks[at].value("subject", ""));
  request.args["description"] = dump_json(tasks[at].at("item"));
  request.key = "task-" + to_hex(sha256(fmt::format("{}/{}/{}", run_, command.id(), at)));
  hub_.call(std::move(request), [=, this](const Result<Json>& answer) {
    if (!answer) return settle(failed(command, answer.error()));
    Json more = ids;
    more.push_back(answer->at("task").at("id"));
    make_next(command, more, settle);
  });
}

void TaskPool::finish_turn(const std::string& team, RunEvent outcome, Settle settle) {
  list_next({{"team", team}}, Json::array(), [=](Result<Json> tasks) {
    RunEvent told = outcome;
    if (tasks) {
      told.body["tasks"] = pool_tasks(*tasks);
      told.body["tasks_left"] = tasks_left(*tasks, told.body.value("member", ""));
    } else {
      // Whether anything is left cannot be known, so the turn does not count; its usage does.
      told.kind = workflow::event::kFailed;
      told.body["fault"] = "failed";
      told.body["error"] = tasks.error().text();
    }
    settle(std::move(told));
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

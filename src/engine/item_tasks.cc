#include "engine/item_tasks.h"

#include <charconv>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "base/sha256.h"
#include "base/text.h"
#include "protocol/client/call.h"
#include "protocol/client/task_calls.h"
#include "workflow/core/step_names.h"
#include "workflow/format/template.h"

namespace teamster::engine {
namespace {

namespace command = workflow::command;
namespace event = workflow::event;
using workflow::RunItem;

constexpr std::size_t kSubjectShownBytes = 200;

// A line that people can read in a list; the whole is in the description.
std::string subject_of(const Json& item) {
  std::string words = item.is_object() ? "" : workflow::words_of(item);
  for (const char* field : {"subject", "title", "name", "text", "topic", "id"})
    if (words.empty()) words = raw_text_in(item, field);
  if (words.empty()) words = item.dump();
  const std::string line(trimmed(std::string_view(words).substr(0, words.find('\n'))));
  if (line.empty()) return "(no words)";
  if (line.size() <= kSubjectShownBytes) return line;
  return fmt::format("{}…", beginning_of(line, kSubjectShownBytes));
}

TaskId id_of(const std::string& task) {
  std::int64_t number = 0;
  std::from_chars(task.data(), task.data() + task.size(), number);
  return TaskId(number);
}

}  // namespace

// Several requests are under way at once; a task that waits for others comes after them.
struct ItemTasks::Making {
  Effect effect;
  std::string team;
  std::int64_t from = 0;
  std::vector<RunItem> items;
  std::map<std::string, std::string> tasks_of;  // by id of the item; those of earlier parts, too
  std::vector<std::string> made;                // by item; empty: it has none
  std::size_t next = 0;
  std::size_t under_way = 0;
  bool is_over = false;
  Settle settle;
};

void ItemTasks::make(const Effect& effect, const workflow::RunState& state, const Settle& settle) {
  const auto& wanted = effect.command.get<command::MakeTasks>();
  auto making = std::make_shared<Making>();
  making->effect = effect;
  making->team = wanted.team;
  making->from = wanted.from;
  making->settle = settle;
  for (std::int64_t number = 1; number <= std::min(wanted.to, state.items.size()); ++number) {
    const RunItem& item = *state.items.find(number);
    if (number >= wanted.from) making->items.push_back(item);
    if (!item.task.empty()) making->tasks_of[item.id] = item.task;
  }
  making->made.resize(making->items.size());
  make_some(making);
}

void ItemTasks::make_some(const std::shared_ptr<Making>& making) {
  constexpr std::size_t kAtOnce = 32;
  while (!making->is_over && making->next < making->items.size() && making->under_way < kAtOnce) {
    const std::size_t at = making->next;
    const RunItem& item = making->items[at];
    if (item.status != RunItem::Status::waiting) {
      ++making->next;
      continue;
    }
    std::vector<TaskId> blockers;
    bool waits = false;
    for (const auto& need : item.needs) {
      const auto task = making->tasks_of.find(need);
      if (task != making->tasks_of.end())
        blockers.push_back(id_of(task->second));
      else
        waits = waits || making->under_way > 0;
    }
    if (waits) return;  // what it needs is being made
    ++making->next;
    ++making->under_way;
    const std::string step = workflow::item_step(workflow::phase_of(making->effect.command.step),
                                                 making->from + static_cast<std::int64_t>(at));
    hub::CreateTask task{.team = making->team,
                         .subject = subject_of(item.item),
                         .description = workflow::words_of(item.item),
                         .blocked_by = std::move(blockers),
                         .reserved = fmt::format("{} of run {}: its engine hands it out", step, run_)};
    const std::string key = "task-" + to_hex(sha256(fmt::format("{}/{}/{}", run_, making->effect.command.id(), at)));
    hub::ask(hub_, std::move(task), {.key = key}, [=, this](const Result<hub::Task>& made) {
      --making->under_way;
      if (making->is_over) return;
      if (!made) {
        making->is_over = true;
        return making->settle(event_about(making->effect.command, event::Failed{"failed", made.error().text()}));
      }
      making->made[at] = std::to_string(made->id.value);
      making->tasks_of[making->items[at].id] = making->made[at];
      make_some(making);
    });
  }
  if (making->is_over || making->under_way > 0) return;
  making->is_over = true;
  Json ids = Json::array();
  for (const auto& task : making->made) ids.push_back(task.empty() ? Json() : Json(task));
  making->settle(event_about(making->effect.command, event::Done{.answer = std::move(ids)}));
}

void ItemTasks::finish(const Effect& effect, const Settle& settle) {
  const auto& ended = effect.command.get<command::FinishTask>();
  hub::UpdateTask update{.team = ended.team,
                         .id = id_of(ended.task),
                         .status = task_status_from_string(ended.status),
                         .is_reserved = true};
  if (!ended.why.empty()) update.why = beginning_of(ended.why, kSubjectShownBytes);
  const std::string key = "task-end-" + to_hex(sha256(fmt::format("{}/{}", run_, effect.command.id())));
  hub::ask(hub_, std::move(update), {.key = key}, [=](const Result<hub::Task>& updated) {
    settle(updated ? event_about(effect.command, event::Done{})
                   : event_about(effect.command, event::Failed{"failed", updated.error().text()}));
  });
}

void ItemTasks::claim(const command::Turn& turn, const std::string& effect, const std::function<void()>& then) {
  hub::ClaimTask claim{.team = turn.team, .member = turn.member, .id = id_of(turn.task), .is_reserved = true};
  const std::string key = "task-claim-" + to_hex(sha256(fmt::format("{}/{}/{}", run_, effect, turn.member)));
  hub::ask(hub_, std::move(claim), {.key = key}, [then](const Result<hub::ClaimTask::Answer>&) { then(); });
}

}  // namespace teamster::engine

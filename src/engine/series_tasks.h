// SeriesTasks: the task list of `run --all`: one task for each item of the series, blocked by those it depends on, in
// a team of its own with the one member `lead`. It is in the journal, so it survives whoever works on it: the
// next one goes on with it. Owned by the command, which is the only one at a time; uses the hub.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "engine/run_service.h"
#include "env/files.h"
#include "project/series.h"
#include "protocol/client/call.h"
#include "protocol/words/task_status.h"

namespace teamster::engine {

// Where the list is kept.
struct SeriesPlace {
  HubCall call;
  env::Files& files;
  const hub::Home& home;
};

class SeriesTasks {
 public:
  // WORKFLOW-all, or WORKFLOW-ENTRY-all
  static std::string team_of(const std::string& workflow, const std::string& entry);

  // Makes the list, or takes up the one that is there: what its ledger says is done, and what has become of the files,
  // is followed. Code::refused when another process is at it. `team` as team_of says; each project has its own.
  static Result<SeriesTasks> open(const SeriesPlace& place, const std::string& team, const std::string& project,
                                  const std::vector<SeriesItem>& items);

  Result<void> begin(const std::string& item);
  Result<void> complete(const std::string& item);
  Result<void> fail_with(const std::string& item, const std::string& why);
  // Everything is done: the team goes, the journal keeps what was.
  Result<void> close();

 private:
  struct Task {
    TaskId id;
    TaskStatus status = TaskStatus::pending;
    std::string token = {};
  };

  SeriesTasks(HubCall call, std::string team, std::string project)
      : call_(std::move(call)), team_(std::move(team)), project_(std::move(project)) {}
  template <class Call>
  Result<typename Call::Answer> ask(Call call) const {
    return hub::read_answer<Call>(call_(hub::request_for(std::move(call))));
  }
  Result<void> make_team();
  Result<void> read_tasks();
  Result<void> add(const SeriesItem& item);
  Result<void> update(Task& task, TaskStatus status, const std::string& why);
  Result<void> claim(Task& task);

  HubCall call_;
  std::string team_;
  std::string project_;
  std::map<std::string, Task> tasks_;  // by item
  std::unique_ptr<env::FileLock> lock_;
};

}  // namespace teamster::engine

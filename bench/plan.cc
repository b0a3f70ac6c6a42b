#include "bench/plan.h"

namespace teamster::bench {

using namespace std::chrono_literals;

Plan Plan::normal() {
  return {.rounds = 5,
          .cell_time = 500ms,
          .senders = {1, 16, 64},
          .inboxes = {1, 1000, 10'000, 100'000},
          .claimers = {1, 4, 16},
          .tasks = 12'000,
          .wakeups = 300,
          .commands = 40,
          .turns = 100,
          .spawns = 1000,
          .runs = {1, 16},
          .records = 1'000'000,
          .many_runs = 100,
          .checks = 200,
          .teams = 10'000};
}

Plan Plan::quick() {
  return {.rounds = 1,
          .cell_time = 150ms,
          .senders = {1, 16},
          .inboxes = {1, 1000},
          .claimers = {1, 16},
          .tasks = 4000,
          .wakeups = 100,
          .commands = 10,
          .turns = 30,
          .spawns = 200,
          .runs = {1, 16},
          .records = 20'000,
          .many_runs = 20,
          .checks = 200,
          .teams = 1000};
}

}  // namespace teamster::bench

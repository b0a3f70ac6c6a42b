// Rules: runs operations of the team module directly on a store in memory, each in a
// transaction of its own, with a clock the test sets. For tests of the rules alone.
#pragma once

#include <memory>
#include <string>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "env/sim/sim_world.h"
#include "store/store.h"
#include "team/lifecycle.h"
#include "team/mailbox.h"
#include "team/operation.h"

namespace teamster::team {

class Rules {
 public:
  Rules() : host_(world_.start("hub")) {
    store::StoreOptions options;
    options.path = "/store.db";
    options.vfs = host_.disk_vfs();
    store_ = *store::Store::open(options);
  }
  ~Rules() { store_.reset(); }

  static Actor operator_actor() { return Actor{true, {}, {}, {}, kOperator}; }
  // The member as it is now.
  Actor member(const std::string& team, const std::string& name) {
    const auto row = **store_->projection().members.find((*store_->projection().teams.find(TeamRef{team}))->id, name);
    return Actor{false, row.team, row.id, row.epoch, row.name};
  }

  Result<Json> call(const std::string& op, const Json& args) { return call_as(operator_actor(), op, args); }

  // The answer as it would be sent; what the operation recorded is committed.
  Result<Json> call_as(const Actor& actor, const std::string& op, const Json& args) {
    const Operation* operation = find_operation(op);
    if (operation == nullptr) return fail(Code::invalid, "no such operation");
    Scene scene = this->scene();
    TRY_VOID(store_->begin(now));
    store_->begin_command();
    auto outcome = perform(scene, actor, *operation, args);
    if (!outcome)
      TRY_VOID(store_->abandon_command());
    else
      TRY_VOID(store_->finish_command("", 0, ""));
    Result<Json> answer = fail(Code::internal, "");
    if (!outcome)
      answer = fail(outcome.error());
    else if (outcome->refusal)
      answer = fail(*outcome->refusal);
    else
      answer =
          parse_json(operation->render != nullptr ? TRY(operation->render(scene, outcome->answer)) : outcome->answer);
    would_wait = outcome && !outcome->empty_until.empty();
    TRY_VOID(store_->commit());
    return answer;
  }

  // What the hub does when deadlines pass.
  void settle() {
    Scene scene = this->scene();
    ASSERT_TRUE(store_->begin(now));
    store_->begin_command();
    ASSERT_TRUE(redeliver(scene));
    ASSERT_TRUE(expire_shutdowns(scene));
    ASSERT_TRUE(store_->finish_command("", 0, ""));
    ASSERT_TRUE(store_->commit());
  }
  void pass(std::int64_t ms) {
    now.unix_ms += ms;
    settle();
  }

  Scene scene() { return Scene{*store_, random_, host_.view().processes}; }
  store::Store& store() { return *store_; }
  env::sim::World& world() { return world_; }

  WallTime now{1'000'000};
  bool would_wait = false;

 private:
  env::sim::World world_{1};
  env::sim::Host& host_;
  env::sim::SimRandom random_{3};
  std::unique_ptr<store::Store> store_;
};

}  // namespace teamster::team

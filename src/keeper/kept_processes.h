// KeptProcesses: the Processes of a host whose children belong to a keeper. The keeper is
// started with the first child and again should it die; what it kept is dead then, and
// what hid from that is ended by its mark. Owned by the host; driven by its loop.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "env/later.h"
#include "env/processes.h"
#include "env/real/epoll_loop.h"
#include "keeper/channel.h"

namespace teamster::keeper {

class KeptChild;

class KeptProcesses : public env::Processes {
 public:
  using Words = std::function<std::vector<std::string>()>;

  // `real` answers all that is not about children. The keeper runs this very program; `keeper_words` are asked for when
  // it starts, and say whose agents it keeps (env/lineage.h).
  KeptProcesses(env::real::EpollLoop& loop, env::Processes& real, Words keeper_words = of_any_home);
  ~KeptProcesses() override;
  static std::vector<std::string> of_any_home() { return {"teamster", "keeper"}; }

  // The child dies with the keeper, and the keeper ends everything when we die. Destroying
  // the Child ends it with SIGKILL. Waits for the keeper, a millisecond or so.
  Result<std::unique_ptr<env::Child>> spawn(const env::Spawn& spawn) override;

  // 0 while there is no keeper.
  std::int64_t keeper_pid() const { return keeper_.pid; }

  Result<std::int64_t> spawn_detached(const env::Spawn& spawn) override { return real_.spawn_detached(spawn); }
  env::ProcessIdentity self() override { return real_.self(); }
  std::optional<env::ProcessIdentity> identify(std::int64_t pid) override { return real_.identify(pid); }
  bool is_alive(const env::ProcessIdentity& identity) override { return real_.is_alive(identity); }
  std::optional<env::SeenProcess> look_at(std::int64_t pid) override { return real_.look_at(pid); }
  std::vector<std::string> arguments_of(std::int64_t pid) override { return real_.arguments_of(pid); }
  std::optional<std::string> variable(const char* name) override { return real_.variable(name); }
  std::vector<std::string> environment() override { return real_.environment(); }
  std::string own_executable() override { return real_.own_executable(); }

 private:
  friend class KeptChild;

  Result<void> start_keeper();
  void take_packets();
  void take(const Packet& packet);
  void keeper_is_gone();
  void send(const Packet& packet);

  env::real::EpollLoop& loop_;
  env::Processes& real_;
  const Words keeper_words_;
  std::unique_ptr<Channel> channel_;
  env::ProcessIdentity keeper_;
  env::Registration packets_;
  std::map<std::int64_t, KeptChild*> children_;
  std::int64_t last_child_ = 0;
  env::Later later_;
};

// Ends what dead keepers of this machine left behind. Returns how many processes.
int end_leftovers(env::Processes& processes);

}  // namespace teamster::keeper

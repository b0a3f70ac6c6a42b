// RealChild: a started program, its three pipes and its process group. Owned by whoever
// spawned it; driven by the loop. It stays a zombie until this object goes: that keeps
// its pid, and so its group's number, from being reused while we may still signal it.
#pragma once

#include <sys/types.h>

#include "env/processes.h"
#include "env/real/epoll_loop.h"
#include "env/real/fd_stream.h"

namespace teamster::env::real {

class RealChild : public Child {
 public:
  static Result<std::unique_ptr<Child>> start(EpollLoop& loop, const Spawn& spawn);

  struct Pipes {
    Descriptor input, output, errors;  // our ends
  };
  RealChild(EpollLoop& loop, pid_t pid, Descriptor process, Pipes pipes);
  ~RealChild() override;
  RealChild(const RealChild&) = delete;
  RealChild& operator=(const RealChild&) = delete;

  std::int64_t pid() const override { return pid_; }
  void on_exit(std::function<void(ExitStatus)> callback) override;
  Stream& input() override { return input_; }
  Stream& output() override { return output_; }
  Stream& errors() override { return errors_; }
  void signal_group(int number) override;

 private:
  void look_for_exit();

  EpollLoop& loop_;
  const pid_t pid_;
  Descriptor process_;  // a pidfd
  FdStream input_, output_, errors_;
  std::function<void(ExitStatus)> on_exit_;
  Registration watch_;
};

}  // namespace teamster::env::real

// StandardStreams: this process's standard input and output as one Stream, for programs that
// talk over their pipes. Files and /dev/null work, too, though they cannot be waited for.
// Driven by the loop, which must outlive it. The destructor leaves the descriptors open and
// as blocking as they were: a terminal belongs to others as well.
#pragma once

#include <memory>

#include "env/bond.h"
#include "env/network.h"
#include "env/real/epoll_loop.h"
#include "env/real/fd_stream.h"

namespace teamster::env::real {

class StandardStreams : public Stream {
 public:
  explicit StandardStreams(EpollLoop& loop);
  // For tests: any two descriptors, borrowed.
  StandardStreams(EpollLoop& loop, int input, int output);
  StandardStreams(const StandardStreams&) = delete;
  StandardStreams& operator=(const StandardStreams&) = delete;

  // on_end: the input has ended, or nobody reads the output; whatever comes first. After it
  // writing still works as far as it can, and on_drained still comes: also when what was kept
  // back was dropped, because the reader has gone.
  void start(Handlers handlers) override;
  void write(std::string_view bytes) override { output_.write(bytes); }
  std::size_t unsent_bytes() const override { return output_.unsent_bytes(); }
  void pause_reading(bool paused) override;
  void finish_writing() override;

 private:
  // Changes the flags of a descriptor and changes them back.
  class NonBlocking {
   public:
    explicit NonBlocking(int fd);
    ~NonBlocking();
    NonBlocking(const NonBlocking&) = delete;
    NonBlocking& operator=(const NonBlocking&) = delete;

   private:
    int fd_;
    int flags_;
  };

  void read_file();
  void end();

  EpollLoop& loop_;
  const int input_number_;
  const int output_number_;
  const bool can_wait_for_input_;
  NonBlocking input_mode_;
  NonBlocking output_mode_;
  FdStream input_;
  FdStream output_;
  std::shared_ptr<const Handlers> handlers_;
  bool is_paused_ = false;
  bool is_reading_posted_ = false;
  bool has_ended_ = false;
  bool has_file_ended_ = false;
  Bond bond_;
};

}  // namespace teamster::env::real

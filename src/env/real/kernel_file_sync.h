// KernelFileSync: FileSync by the kernel's own asynchronous fdatasync (Linux AIO), whose end
// the loop sees through an eventfd. Where that is missing a sync blocks. No thread.
#pragma once

#include <linux/aio_abi.h>

#include <cstdint>
#include <memory>
#include <string>

#include "env/file_sync.h"
#include "env/real/descriptor.h"
#include "env/real/epoll_loop.h"

namespace teamster::env::real {

class KernelFileSync : public FileSync {
 public:
  static Result<std::unique_ptr<FileSync>> open(EpollLoop& loop, const std::string& path);
  ~KernelFileSync() override;

  void start(std::function<void(Result<void>)> done) override;
  Result<void> now() override;

 private:
  KernelFileSync(EpollLoop& loop, std::string path, Descriptor file);
  bool submit();
  void take_result();
  Result<void> result_of(std::int64_t result) const;

  EpollLoop& loop_;
  std::string path_;
  Descriptor file_;
  Descriptor finished_;  // readable when a sync has ended
  aio_context_t context_ = 0;
  std::function<void(Result<void>)> done_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  Registration watch_;
};

}  // namespace teamster::env::real

// BlockingFileSync: FileSync by a plain fdatasync, on the thread that asks. The kernel's own
// asynchronous one (AIO) runs in a worker that is bound to the asking processor and waits
// there for its turn: milliseconds on a busy machine, and nothing gained on an idle one.
#pragma once

#include <memory>
#include <string>

#include "env/file_sync.h"
#include "env/real/descriptor.h"

namespace teamster::env::real {

class BlockingFileSync : public FileSync {
 public:
  static Result<std::unique_ptr<FileSync>> open(const std::string& path);

  // `done` is called inside.
  void start(std::function<void(Result<void>)> done) override;

 private:
  BlockingFileSync(std::string path, Descriptor file) : path_(std::move(path)), file_(std::move(file)) {}

  std::string path_;
  Descriptor file_;
};

}  // namespace teamster::env::real

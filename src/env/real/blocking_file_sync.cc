#include "env/real/blocking_file_sync.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "env/file_error.h"

namespace teamster::env::real {

Result<std::unique_ptr<FileSync>> BlockingFileSync::open(const std::string& path) {
  Descriptor file(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (!file) return fail(file_error(errno, "open", path));
  return std::unique_ptr<FileSync>(new BlockingFileSync(path, std::move(file)));
}

void BlockingFileSync::start(std::function<void(Result<void>)> done) {
  if (::fdatasync(file_.number()) == 0) return done({});
  const Error error = file_error(errno, "sync", path_);
  // Some of it may be on disk, and nobody knows what.
  done(fail(Code::unknown_outcome, error.what, error.next));
}

}  // namespace teamster::env::real

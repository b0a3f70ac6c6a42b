#include "model_server/request_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>

#include <nlohmann/json.hpp>

#include "base/check.h"

namespace teamster::model {

Result<int> RequestLog::open(const std::string& path) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (file < 0) return fail(Code::failed, path + ": " + std::strerror(errno));
  return file;
}

RequestLog::~RequestLog() { ::close(file_); }

void RequestLog::write(std::int64_t number, Json line) {
  using std::chrono::duration_cast;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  line["number"] = number;
  line["time_ms"] = duration_cast<std::chrono::milliseconds>(now).count();
  const std::string text = dump_json(line) + "\n";
  const std::lock_guard lock(mutex_);
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t count = ::write(file_, text.data() + at, text.size() - at);
    CHECK(count > 0 || errno == EINTR);  // a test that cannot trust the log is better ended
    if (count > 0) at += static_cast<std::size_t>(count);
  }
}

}  // namespace teamster::model

// RequestLog: what the server was asked and what became of it, as JSON lines in a file, so that
// tests can look at what a model was shown. A line is whole when it is there. Used by all
// threads. It holds keys and bodies in full: it is for dummy keys.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>

#include "base/json.h"
#include "base/result.h"

namespace teamster::model {

class RequestLog {
 public:
  static Result<int> open(const std::string& path);
  // Takes the descriptor over.
  explicit RequestLog(int file) : file_(file) {}
  ~RequestLog();
  RequestLog(const RequestLog&) = delete;
  RequestLog& operator=(const RequestLog&) = delete;

  // Adds the number of the request and the time in milliseconds since 1970.
  void write(std::int64_t number, Json line);

 private:
  std::mutex mutex_;
  int file_;
};

}  // namespace teamster::model

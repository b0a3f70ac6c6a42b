// A JSON-lines log: {"at":…,"level":…,"event":…, fields…}. Owned by whoever runs the
// process; passed by reference; never global. The sink decides where lines go.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/time.h"

namespace teamster {

enum class LogLevel { debug, info, warning, error };

class Log {
 public:
  using Sink = std::function<void(std::string_view line)>;
  using Now = std::function<WallTime()>;

  // A log without a sink drops everything.
  Log() = default;
  Log(Sink sink, Now now, LogLevel least) : sink_(std::move(sink)), now_(std::move(now)), least_(least) {}

  void debug(std::string_view event, const Json& fields) { write(LogLevel::debug, event, fields); }
  void info(std::string_view event, const Json& fields) { write(LogLevel::info, event, fields); }
  void warning(std::string_view event, const Json& fields) { write(LogLevel::warning, event, fields); }
  void error(std::string_view event, const Json& fields) { write(LogLevel::error, event, fields); }

 private:
  void write(LogLevel level, std::string_view event, const Json& fields);

  Sink sink_;
  Now now_;
  LogLevel least_ = LogLevel::info;
};

}  // namespace teamster

#include "base/log.h"

#include <array>

#include <nlohmann/json.hpp>

namespace teamster {

void Log::write(LogLevel level, std::string_view event, const Json& fields) {
  if (!sink_ || level < least_) return;
  static constexpr std::array<std::string_view, 4> kLevels = {"debug", "info", "warning", "error"};
  nlohmann::ordered_json line;
  line["at"] = to_iso8601(now_());
  line["level"] = kLevels[static_cast<std::size_t>(level)];
  line["event"] = event;
  if (fields.is_object())
    for (const auto& [name, value] : fields.items()) line[name] = value;
  sink_(line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
}

}  // namespace teamster

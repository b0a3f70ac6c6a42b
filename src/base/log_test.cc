#include "base/log.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace teamster {
namespace {

TEST(Log, WritesOneJsonObjectPerLine) {
  std::string lines;
  Log log([&](std::string_view line) { lines += line; }, [] { return WallTime{0}; }, LogLevel::info);
  log.debug("too.small", {});
  log.info("hub.started", {{"pid", 7}, {"text", "two\nlines \xff"}});
  EXPECT_EQ(lines,
            "{\"at\":\"1970-01-01T00:00:00.000Z\",\"level\":\"info\",\"event\":\"hub.started\",\"pid\":7,\"text\":"
            "\"two\\nlines \xEF\xBF\xBD\"}\n");
}

TEST(Log, WithoutSinkDropsAll) { Log().error("nobody.listens", {}); }

}  // namespace
}  // namespace teamster

#include "mcp/wire.h"

#include <gtest/gtest.h>

namespace teamster::mcp {
namespace {

TEST(Wire, WritesOneLinePerMessage) {
  std::string out;
  append_result(out, "7", R"("a":1)");
  append_error(out, "\"x\"", {ErrorCode::invalid_params, "line\nbreak", R"({"b":2})"});
  append_notification(out, "n", "{}");
  EXPECT_EQ(out, R"({"jsonrpc":"2.0","id":7,"result":{"a":1}}
{"jsonrpc":"2.0","id":"x","error":{"code":-32602,"message":"line\nbreak","data":{"b":2}}}
{"jsonrpc":"2.0","method":"n","params":{}}
)");
}

}  // namespace
}  // namespace teamster::mcp

#include "bench/batch_server_subject.h"

#include <memory>

#include <fmt/format.h>

namespace teamster::bench {

Prepare BatchServerSubject::storing(std::string payload) const {
  return [path = socket_path_, payload = std::move(payload)](int) -> Result<Operation> {
    auto client = std::make_shared<BatchClient>(TRY(BatchClient::connect(path)));
    return Operation([=, count = std::int64_t{0}]() mutable -> Result<std::optional<std::int64_t>> {
      TRY_VOID(client->send(payload));
      TRY_VOID(client->receive());
      return std::optional(++count);
    });
  };
}

Prepare BatchServerSubject::sender() {
  return storing(fmt::format(
      R"({{"args":{{"body":"{}","to":"inbox-1000"}},"id":1234,"key":"019a8c3f2b1d0123456789abcdef","op":"message.send"}})",
      message_body()));
}

Prepare BatchServerSubject::claimer() {
  return storing(R"({"args":{},"id":1234,"key":"019a8c3f2b1d0123456789abcdef","op":"task.claim"})");
}

Prepare BatchServerSubject::recorder() {
  return storing(
      R"({"args":{"after":123456,"lease":1,"records":[{"body":{"answer":{"exit":0,"output":"","passed":true},"attempt":1,)"
      R"("step":"step-1","then":[{"do":"settle","phase":"step-1","sequence":1},{"do":"enter","phase":"step-2",)"
      R"("sender":"step-1"},{"attempt":1,"command":"true","do":"check","limit_ms":600000,"step":"step-2"}]},)"
      R"("kind":"step.done"}],"run":"noop-20261116-1a2b"},"id":1234,"key":"019a8c3f2b1d0123456789abcdef","op":"run.append"})");
}

}  // namespace teamster::bench

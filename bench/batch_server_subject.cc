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

}  // namespace teamster::bench

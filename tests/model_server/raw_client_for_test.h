// RawClient: a TCP connection to the model server without the manners of an HTTP library, so
// that tests decide about every byte. Blocking, with a limit on every wait.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "e2e/process.h"

namespace teamster::model {

struct Response {
  int status = 0;
  std::map<std::string, std::string> headers;
  std::string body;  // without its chunks' framing

  Json json() const { return Json::parse(body, nullptr, false); }
  // The events of a stream.
  std::vector<Json> events() const;
  // Its texts, put together again.
  std::string streamed_text() const;
};

class RawClient {
 public:
  explicit RawClient(std::uint16_t port);
  ~RawClient();
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  // False when the server has closed the connection.
  bool send(std::string_view bytes);
  // A POST to /v1/messages, or to another path, with this body.
  bool post(const Json& body, const std::string& api_key = "key", const std::string& path = "/v1/messages");
  // nullopt when the connection ended before the response did, or nothing more came in time.
  std::optional<Response> receive(e2e::Milliseconds limit = e2e::kPatience);
  // Waits until what has come and was not taken yet contains the text.
  bool receives(std::string_view text, e2e::Milliseconds limit = e2e::kPatience);
  bool ends_within(e2e::Milliseconds limit = e2e::kPatience);
  void close();

 private:
  bool fill(e2e::Milliseconds limit);
  std::optional<std::string> take_until(std::string_view mark, e2e::Milliseconds limit);
  std::optional<std::string> take_bytes(std::size_t count, e2e::Milliseconds limit);
  std::optional<std::string> take_chunks(e2e::Milliseconds limit);

  int socket_ = -1;
  std::string buffer_;
};

// A request body as small as the API allows.
Json request_body(const std::string& text, bool wants_stream);

}  // namespace teamster::model

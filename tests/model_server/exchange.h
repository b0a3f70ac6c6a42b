// Exchange: one connection of a client, as its thread sees it: requests in, answers out.
// Owns the socket. Every wait ends when the client leaves, when the server stops, or at
// a deadline; after that each call says false and nothing more is sent.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model_server/http.h"

namespace teamster::model {

using Milliseconds = std::chrono::milliseconds;
using Headers = std::vector<std::pair<std::string, std::string>>;

class Exchange {
 public:
  // `stopping` is a descriptor that becomes readable, and stays so, when the server stops.
  Exchange(int socket, int stopping) : socket_(socket), stopping_(stopping) {}
  ~Exchange();
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  // Waits for a whole request. nullopt at the end; a malformed request has been answered then.
  std::optional<HttpRequest> receive();

  // A whole answer. A HEAD request gets its head alone.
  bool answer(int status, const Headers& headers, std::string_view body);
  // An answer in pieces; each piece is on the wire when the call returns.
  bool start_stream(const Headers& headers);
  bool stream(std::string_view piece);
  bool end_stream();
  // As it is.
  bool write(std::string_view bytes);

  // Waits so long, or until the condition holds; false when the client is gone or the server stops.
  bool pause(Milliseconds time);
  bool pause_until(const std::function<bool()>& condition);
  void pause_for_ever();

  bool is_open() const { return is_open_; }

 private:
  // Reads what there is into the reader.
  bool fill();
  bool close_after(int status, const std::string& what);
  bool end();
  // Waits for one of these events on the socket; false at the deadline or when the server stops.
  bool wait_for(short events, Milliseconds limit);

  int socket_;
  int stopping_;
  HttpReader reader_;
  bool is_head_ = false;  // of the request that is being answered
  bool is_open_ = true;
};

}  // namespace teamster::model

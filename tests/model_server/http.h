// HttpReader: HTTP/1.1 requests out of the bytes of one connection. Owned by the thread of
// that connection; does no input or output itself. Whatever the bytes are, it ends in a
// request, in a wish for more bytes, or in a problem that has a status and is final.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace teamster::model {

inline constexpr std::size_t kHeadMaxBytes = 64UL * 1024;
inline constexpr std::size_t kBodyMaxBytes = 32UL * 1024 * 1024;

struct HttpRequest {
  std::string method;
  std::string path;                            // without the query
  std::string query;                           // what follows the '?'
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;

  // Empty when there is none.
  std::string header(const std::string& name) const;
  bool keeps_alive() const;
};

struct HttpProblem {
  int status = 400;
  std::string what;
};

class HttpReader {
 public:
  void feed(std::string_view bytes) { buffer_.append(bytes); }
  // The next whole request, or nullopt: more bytes are needed, or there is a problem.
  std::optional<HttpRequest> next();
  const std::optional<HttpProblem>& problem() const { return problem_; }
  // True once per request whose client waits for "100 Continue" before it sends the body.
  bool take_continue();
  // Whether a request has begun that is not whole yet.
  bool is_midway() const { return state_ != State::head || !buffer_.empty(); }

 private:
  enum class State { head, body, chunk_size, chunk, trailer };

  // Each makes one step; false when it cannot for want of bytes, or for a problem.
  bool step();
  bool read_head();
  bool read_request_line(std::string_view line);
  bool read_header(std::string_view line);
  bool choose_body();
  bool read_body();
  bool read_chunk_size();
  bool read_chunk();
  bool read_trailer();
  // The text up to the next end of line, which is consumed too.
  std::optional<std::string> take_line();
  bool fail(int status, std::string what);

  State state_ = State::head;
  std::string buffer_;
  HttpRequest request_;
  std::size_t missing_ = 0;  // bytes of the body or the chunk that are still to come
  bool is_whole_ = false;
  bool wants_continue_ = false;
  std::optional<HttpProblem> problem_;
};

std::string_view reason_of(int status);

}  // namespace teamster::model

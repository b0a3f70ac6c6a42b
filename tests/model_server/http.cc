#include "model_server/http.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/text.h"

namespace teamster::model {
namespace {

// A chunk's size, or the length of a body, has no more digits than this.
constexpr std::size_t kNumberMaxDigits = 12;

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return lower;
}

bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
  });
}

std::optional<std::size_t> number_in(std::string_view text, int base) {
  if (text.empty() || text.size() > kNumberMaxDigits) return std::nullopt;
  std::size_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (parsed.ec != std::errc{} || parsed.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

std::string HttpRequest::header(const std::string& name) const {
  const auto it = headers.find(name);
  return it == headers.end() ? "" : it->second;
}

bool HttpRequest::keeps_alive() const { return lower_case(header("connection")) != "close"; }

std::optional<HttpRequest> HttpReader::next() {
  while (!problem_ && !is_whole_ && step()) {
  }
  if (problem_ || !is_whole_) return std::nullopt;
  is_whole_ = false;
  wants_continue_ = false;
  return std::exchange(request_, {});
}

bool HttpReader::take_continue() { return std::exchange(wants_continue_, false); }

bool HttpReader::step() {
  switch (state_) {
    case State::head:
      return read_head();
    case State::body:
      return read_body();
    case State::chunk_size:
      return read_chunk_size();
    case State::chunk:
      return read_chunk();
    case State::trailer:
      return read_trailer();
  }
  return false;
}

bool HttpReader::read_head() {
  // A client that speaks another language, such as TLS, may never send the end of a head.
  if (!buffer_.empty() && !is_token(buffer_.substr(0, 1))) return fail(400, "this is not HTTP");
  const auto end = buffer_.find("\r\n\r\n");
  if (std::min(end, buffer_.size()) > kHeadMaxBytes) return fail(431, "the head of the request is too large");
  if (end == std::string::npos) return false;
  const std::string head = buffer_.substr(0, end + 2);
  buffer_.erase(0, end + 4);
  std::size_t at = head.find("\r\n");
  if (!read_request_line(std::string_view(head).substr(0, at))) return false;
  for (at += 2; at < head.size();) {
    const auto line_end = head.find("\r\n", at);
    if (!read_header(std::string_view(head).substr(at, line_end - at))) return false;
    at = line_end + 2;
  }
  return choose_body();
}

bool HttpReader::read_request_line(std::string_view line) {
  const auto first = line.find(' ');
  const auto last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) return fail(400, "the request line is malformed");
  const std::string_view version = line.substr(last + 1);
  const std::string_view target = line.substr(first + 1, last - first - 1);
  request_.method = line.substr(0, first);
  if (!is_token(request_.method) || !target.starts_with('/') || target.find(' ') != std::string_view::npos)
    return fail(400, "the request line is malformed");
  if (!version.starts_with("HTTP/")) return fail(400, "the request line is malformed");
  if (version != "HTTP/1.1") return fail(505, "only HTTP/1.1 is served here");
  const auto question = target.find('?');
  request_.path = target.substr(0, question);
  if (question != std::string_view::npos) request_.query = target.substr(question + 1);
  return true;
}

bool HttpReader::read_header(std::string_view line) {
  const auto colon = line.find(':');
  if (colon == std::string_view::npos || !is_token(line.substr(0, colon))) return fail(400, "a header is malformed");
  std::string name = lower_case(line.substr(0, colon));
  std::string value(trimmed(line.substr(colon + 1)));
  const auto [known, is_new] = request_.headers.try_emplace(std::move(name), value);
  if (is_new) return true;
  // Two that disagree about where the body ends are how requests are smuggled.
  if (known->first == "content-length" && known->second != value) return fail(400, "two lengths for one body");
  known->second += ", " + value;
  return true;
}

bool HttpReader::choose_body() {
  const std::string encoding = lower_case(request_.header("transfer-encoding"));
  const std::string length = request_.header("content-length");
  if (!encoding.empty() && !length.empty()) return fail(400, "both a length and a transfer encoding");
  if (!encoding.empty() && encoding != "chunked") return fail(501, "the transfer encoding is not known here");
  wants_continue_ = lower_case(request_.header("expect")) == "100-continue";
  if (!encoding.empty()) {
    state_ = State::chunk_size;
    return true;
  }
  const auto bytes = length.empty() ? std::optional<std::size_t>(0) : number_in(length, 10);
  if (!bytes) return fail(400, "the length of the body is not a number");
  if (*bytes > kBodyMaxBytes) return fail(413, "the body is over the limit of 32 MiB");
  missing_ = *bytes;
  state_ = State::body;
  return true;
}

bool HttpReader::read_body() {
  const std::size_t take = std::min(missing_, buffer_.size());
  request_.body.append(buffer_, 0, take);
  buffer_.erase(0, take);
  missing_ -= take;
  if (missing_ > 0) return false;
  state_ = State::head;
  is_whole_ = true;
  return true;
}

bool HttpReader::read_chunk_size() {
  const auto line = take_line();
  if (!line) return false;
  const auto bytes = number_in(trimmed(std::string_view(*line).substr(0, line->find(';'))), 16);
  if (!bytes) return fail(400, "the size of a chunk is malformed");
  if (request_.body.size() + *bytes > kBodyMaxBytes) return fail(413, "the body is over the limit of 32 MiB");
  missing_ = *bytes;
  state_ = *bytes == 0 ? State::trailer : State::chunk;
  return true;
}

bool HttpReader::read_chunk() {
  const std::size_t take = std::min(missing_, buffer_.size());
  request_.body.append(buffer_, 0, take);
  buffer_.erase(0, take);
  missing_ -= take;
  if (missing_ > 0) return false;
  const auto end = take_line();
  if (!end) return false;
  if (!end->empty()) return fail(400, "a chunk is longer than its size");
  state_ = State::chunk_size;
  return true;
}

bool HttpReader::read_trailer() {
  const auto line = take_line();
  if (!line) return false;
  if (!line->empty()) return true;  // a trailer says nothing that is needed here
  state_ = State::head;
  is_whole_ = true;
  return true;
}

std::optional<std::string> HttpReader::take_line() {
  const auto end = buffer_.find("\r\n");
  if (std::min(end, buffer_.size()) > kHeadMaxBytes) fail(400, "a line of the body's framing is too long");
  if (problem_ || end == std::string::npos) return std::nullopt;
  std::string line = buffer_.substr(0, end);
  buffer_.erase(0, end + 2);
  return line;
}

bool HttpReader::fail(int status, std::string what) {
  problem_ = HttpProblem{status, std::move(what)};
  return false;
}

std::string_view reason_of(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 408:
      return "Request Timeout";
    case 413:
      return "Content Too Large";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    case 505:
      return "HTTP Version Not Supported";
    case 529:
      return "Overloaded";
    default:
      return "Status";
  }
}

}  // namespace teamster::model

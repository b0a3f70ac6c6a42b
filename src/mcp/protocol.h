// Protocol: the server's side of one MCP connection over a stream of lines, without the
// stream: bytes go in, answers come out as text, tools are called in between. Owned by
// whoever has the stream; one thread; no clock. It serves every revision in revision.h at the
// same time. Each request is answered once, unless it was cancelled: then never.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/line_reader.h"
#include "env/bond.h"
#include "mcp/revision.h"
#include "mcp/tools.h"
#include "mcp/wire.h"
#include "schema/schema.h"

namespace teamster::mcp {

class Protocol {
 public:
  // `on_output` is called when there is output again after take_output; it may be empty.
  explicit Protocol(Tools& tools, std::function<void()> on_output = {});
  Protocol(const Protocol&) = delete;
  Protocol& operator=(const Protocol&) = delete;

  void take(std::string_view bytes);
  // Whole lines, to be sent as they are.
  std::string take_output();

  std::size_t calls_in_flight() const { return calls_.size(); }
  // To be called now and then while calls are in flight: those that asked to hear of their
  // progress and were in flight the last time already are told that they still run.
  void tell_progress();
  bool has_progress_to_tell() const;
  // No more input comes and no answer is waited for any longer: what is open is told so.
  void end();

 private:
  struct Call {
    std::string id;
    Revision revision;
    std::string progress_token;  // as JSON; empty: none
    std::int64_t progress = 0;
  };
  struct Request {
    Incoming message;
    Revision revision;
  };

  void take_line(const Line& line);
  void take_request(Incoming message);
  void take_notification(const Incoming& message);
  void serve(Request request);
  // The revision that the request names or the session has; nullopt when it was answered.
  std::optional<Revision> revision_of(const Incoming& message);

  void initialize(const Incoming& message);
  void discover(const Request& request);
  void list_tools(const Request& request);
  void listen(const Request& request);
  void call_tool(Request request);
  bool finish_call(std::uint64_t number, const ToolResult& result);
  // The arguments' problems as an error answer, if there are any.
  std::optional<ErrorAnswer> problems_of(const Tool& tool, const Json& arguments);

  void answer(const std::string& id, Revision revision, std::string members);
  void refuse(const std::string& id, const ErrorAnswer& error);
  std::string& output();

  Tools& tools_;
  std::function<void()> on_output_;
  LineReader lines_;
  std::string output_;
  std::optional<Revision> session_;  // after `initialize`
  std::map<std::uint64_t, Call> calls_;
  std::map<std::string, std::uint64_t> numbers_;  // of calls, by the client's id
  std::uint64_t last_number_ = 0;
  std::set<std::string> subscriptions_;            // ids
  std::string tool_list_;                          // `"tools":[…]`, made when first asked for
  std::map<std::string, schema::Schema> schemas_;  // of arguments, compiled when first needed
  env::Bond bond_;
};

}  // namespace teamster::mcp

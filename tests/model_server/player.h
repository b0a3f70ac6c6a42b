// Player: plays a script. It finds the conversation a request belongs to and gives its next
// reply, ready to be written: tools by the names the request knows them by, excerpts filled in.
// Called by the threads of all connections; which one comes first is up to them.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model_server/reply.h"
#include "model_server/script.h"

namespace teamster::model {

struct Choice {
  Reply reply;
  std::string conversation;  // its name, or "default", or empty when there is nothing to say
  std::size_t turn = 0;      // the place of the reply in its list
  // Why the script has no reply for this request; the reply is a text that says the same.
  std::string unexpected;
};

class Player {
 public:
  explicit Player(Script script);

  Choice next(const Asked& asked);

 private:
  // Where a list of replies has got to.
  struct Progress {
    std::size_t turn = 0;
    std::int64_t given = 0;  // how often that one was given
  };

  Choice from(const std::string& name, const std::vector<Reply>& replies, Progress& progress, bool last_repeats,
              const Asked& asked);

  const Script script_;
  std::mutex mutex_;
  std::vector<Progress> progress_;  // by conversation
  Progress fallback_;
};

// The tool of the request that is called so, or whose name ends in '_' and this: the tools of
// an MCP server are known to each agent by another name.
Result<std::string> resolve_tool(const std::string& name, const std::vector<std::string>& tools);

}  // namespace teamster::model

// ReportBox: where a member leaves the result of its turn for its host, in the member's own
// directory. The host writes turn.json: which turn it is, and the JSON Schema its result must
// conform to. A result that conforms becomes report.json; the last one of a turn counts. What was
// wrong with one that does not is left in refused-report.json. Borrows the files.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "env/files.h"
#include "schema/schema.h"

namespace teamster::mcp {

class ReportBox {
 public:
  ReportBox(env::Files& files, std::string member_directory) : files_(files), directory_(std::move(member_directory)) {}

  // On disk when it returns. Code::invalid lists every problem of the result.
  Result<void> accept(const Json& result);

 private:
  struct Turn {
    std::int64_t number = 0;
    const schema::Schema* schema = nullptr;  // null: anything will do
  };
  Result<Turn> turn();
  Result<void> refuse(const Turn& turn, const std::vector<std::string>& problems);

  env::Files& files_;
  std::string directory_;
  // Of the turn.json seen last: an agent that mends its result comes back with the same one.
  std::string compiled_text_;
  std::optional<schema::Schema> compiled_;
  std::int64_t compiled_number_ = 0;
};

}  // namespace teamster::mcp

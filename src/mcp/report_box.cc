#include "mcp/report_box.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/limits.h"
#include "base/text.h"

namespace teamster::mcp {

Result<ReportBox::Turn> ReportBox::turn() {
  const std::string path = directory_ + "/turn.json";
  auto text = files_.read(path, limits::kTurnFileMaxBytes);
  if (!text && text.error().code == Code::not_found) return Turn{};
  if (!text) return fail(text.error());
  if (*text != compiled_text_) {
    compiled_text_.clear();
    compiled_.reset();
    auto json = parse_json(*text, {.max_bytes = limits::kTurnFileMaxBytes});
    if (!json) return fail(json.error().within(path));
    auto number = integer_field(*json, "turn");
    if (!number) return fail(number.error().within(path));
    const auto document = json->find("schema");
    if (document != json->end() && !document->is_null()) {
      auto compiled = schema::Schema::compile(*document);
      if (!compiled) return fail(compiled.error().within(path));
      compiled_ = *std::move(compiled);
    }
    compiled_number_ = *number;
    compiled_text_ = *std::move(text);
  }
  return Turn{compiled_number_, compiled_ ? &*compiled_ : nullptr};
}

Result<void> ReportBox::accept(const Json& result) {
  const Turn now = TRY(turn());
  if (now.schema != nullptr) {
    const auto problems = now.schema->check(result);
    if (!problems.empty()) return refuse(now, problems);
  }
  Json report = Json::object();
  report["turn"] = now.number;
  report["result"] = result;
  return files_.write_atomically(directory_ + "/report.json", dump_json(report) + "\n", 0600);
}

// The host has to know as well: the agent may leave it at that.
Result<void> ReportBox::refuse(const Turn& turn, const std::vector<std::string>& problems) {
  const Json refused = {{"turn", turn.number}, {"problems", problems}};
  TRY_VOID(files_.replace(directory_ + "/refused-report.json", dump_json(refused) + "\n", 0600));
  return fail(Code::invalid, fmt::format("the result does not conform to its schema: {}", join(problems, "; ")),
              "Mend it and call report again");
}

}  // namespace teamster::mcp

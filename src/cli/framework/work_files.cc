#include "cli/framework/work_files.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/text/printable.h"

namespace teamster::cli {
namespace {

bool agrees(const Context& context, const std::string& named) {
  if (!context.outside().input_is_terminal) return false;
  context.note(fmt::format("Delete {}? (y/n) ", printable_line(named)));
  const auto answer = context.outside().read_line();
  return answer && (*answer == "y" || *answer == "Y" || *answer == "yes");
}

}  // namespace

Result<void> check_spec_flags(const Arguments& arguments) {
  if (arguments.has("delete-spec") && arguments.has("keep-spec"))
    return fail(Code::invalid, "--delete-spec and --keep-spec exclude each other", "Leave one of them out");
  return {};
}

Result<Json> settle_work_files(const Context& context, const Arguments& arguments, const engine::RunService& runs,
                               const WorkFiles& files, bool asks) {
  std::vector<std::string> there = files.paths;
  env::Files& disk = context.outside().world().files;
  std::erase_if(there, [&](const std::string& path) {
    const auto status = disk.status(files.project + "/" + path);
    return status && !*status;
  });
  if (there.empty()) return Json::array();
  const std::string named = join(there, ", ");
  const bool is_told = arguments.has("delete-spec") || arguments.has("keep-spec");
  if (asks && !is_told) context.note(fmt::format("files of it: {}\n", printable_line(named)));
  const bool go = arguments.has("delete-spec") || (asks && !is_told && agrees(context, named));
  if (go) TRY_VOID(runs.delete_files(files.project, there));
  const bool is_worth_saying = go || asks || is_told;
  if (is_worth_saying && !context.wants_json())
    context.print(fmt::format("{} {}\n", go ? "deleted" : "kept", printable_line(named)));
  return go ? Json(there) : Json::array();
}

}  // namespace teamster::cli

#include "agent/record.h"

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "protocol/words/process_record.h"

namespace teamster::agent {
namespace {

constexpr std::size_t kRecordMaxBytes = 64 * 1024;

std::string file_in(const std::string& member_directory) { return member_directory + "/agent.json"; }

}  // namespace

Result<void> Record::save(env::Files& files, const std::string& member_directory, bool synced) const {
  const Json json = {
      {"driver", driver},        {"model", model}, {"directory", directory}, {"host", process_record(host)},
      {"agent_pid", agent_pid},  {"epoch", epoch}, {"turns", turns},         {"resume_token", resume_token},
      {"cost_usd", cost_usd},    {"state", state}, {"trouble", trouble},     {"conversation", conversation},
      {"transcript", transcript}};
  const std::string text = dump_json_pretty(json) + "\n";
  if (!synced) return files.replace(file_in(member_directory), text, 0600);
  return files.write_atomically(file_in(member_directory), text, 0600);
}

std::optional<Record> Record::load(env::Files& files, const std::string& member_directory) {
  const auto text = files.read(file_in(member_directory), kRecordMaxBytes);
  if (!text) return std::nullopt;
  const auto json = parse_json(*text);
  if (!json || !json->is_object()) return std::nullopt;
  Record record;
  try {
    record.driver = json->value("driver", "");
    record.model = json->value("model", "");
    record.directory = json->value("directory", "");
    const Json host = json->value("host", Json::object());
    const auto process = read_process_record(host);
    if (!process || (host.contains("pid") && !host["pid"].is_number_integer())) return std::nullopt;
    record.host = *process;
    record.agent_pid = json->value("agent_pid", std::int64_t{0});
    record.epoch = json->value("epoch", std::int64_t{0});
    record.turns = json->value("turns", std::int64_t{0});
    record.resume_token = json->value("resume_token", "");
    record.conversation = json->value("conversation", "");
    record.cost_usd = json->value("cost_usd", 0.0);
    record.state = json->value("state", "");
    record.trouble = json->value("trouble", "");
    record.transcript = json->value("transcript", "");
  } catch (const Json::exception&) {
    return std::nullopt;  // somebody wrote it by hand
  }
  return record;
}

}  // namespace teamster::agent

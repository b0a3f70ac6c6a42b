#include "protocol/client/team_calls.h"

#include <algorithm>

#include "protocol/client/call_fields.h"
#include "protocol/words/process_record.h"

namespace teamster::hub {
namespace {

Result<NewMember> read_new_member(const Json& member) {
  NewMember out;
  out.name = TRY(string_field(member, "name"));
  out.epoch = Epoch(TRY(integer_field(member, "epoch")));
  out.token_file = raw_text_in(member, "token_file");
  return out;
}

std::optional<TeamOwner> owner_in(const Json& team) {
  const Json& owner = object_in(team, "owner");
  if (owner.empty()) return std::nullopt;
  return TeamOwner{number_in(owner, "pid"), flag_in(owner, "alive"), raw_text_in(owner, "run")};
}

Result<TeamMember> read_member(const Json& member) {
  TeamMember out;
  out.name = TRY(string_field(member, "name"));
  out.epoch = Epoch(number_in(member, "epoch"));
  out.is_live = raw_text_in(member, "state") == "live";
  out.is_running = flag_in(member, "running");
  out.is_native = flag_in(member, "native");
  const Json& usage = object_in(member, "usage");
  out.turns = number_in(usage, "turns");
  out.usage = TokenUsage::read(usage);
  out.unread = number_in(member, "unread");
  out.claimed = ids_in<TaskId>(member, "claimed");
  out.joined = time_in(member, "joined");
  out.left = time_in(member, "left");
  return out;
}

}  // namespace

Json TeamMember::usage_json() const {
  Json out = usage.json();
  out["turns"] = turns;
  return out;
}

TaskCounts read_task_counts(const Json& counts) {
  TaskCounts out{};
  for (const TaskStatus status : kTaskStatuses)
    out[static_cast<std::size_t>(status)] = number_in(counts, to_string(status));
  return out;
}

const TeamMember* TeamStatus::member(const std::string& name) const {
  const auto found = std::find_if(members.begin(), members.end(), [&](const auto& each) { return each.name == name; });
  return found == members.end() ? nullptr : &*found;
}

Result<TeamStatus> TeamStatus::read(const Json& status) {
  TeamStatus out;
  out.team = TRY(string_field(status, "team"));
  out.ref = raw_text_in(status, "ref");
  out.project = raw_text_in(status, "project");
  out.created = time_in(status, "created");
  out.owner = owner_in(status);
  out.is_orphan = flag_in(status, "orphan");
  out.is_shutting_down = flag_in(status, "shutting_down");
  for (const auto& member : list_in(status, "members")) out.members.push_back(TRY(read_member(member)));
  out.tasks = read_task_counts(object_in(status, "tasks"));
  for (const Receipt receipt : kReceipts)
    out.messages[static_cast<std::size_t>(receipt)] = number_in(object_in(status, "messages"), to_string(receipt));
  return out;
}

Json CreateTeam::arguments() && {
  Json args = {{"team", std::move(team)}};
  if (!members.empty()) args["members"] = std::move(members);
  if (owner) args["owner"] = holder_argument(*owner);
  put_name(args, "run", std::move(run));
  put_name(args, "project", std::move(project));
  return args;
}

Result<CreateTeam::Answer> CreateTeam::read(const Json& answer) {
  Answer out;
  out.team = raw_text_in(answer, "team");
  for (const auto& member : list_in(answer, "members")) out.members.push_back(TRY(read_new_member(member)));
  return out;
}

Json JoinTeam::arguments() && {
  Json args = {{"team", std::move(team)}, {"member", std::move(member)}};
  put_flag(args, "native", is_native);
  return args;
}

Result<NewMember> JoinTeam::read(const Json& answer) { return read_new_member(field_in(answer, "member")); }

Json LeaveTeam::arguments() && {
  Json args = {{"team", std::move(team)}, {"member", std::move(member)}};
  put(args, "reason", std::move(reason));
  put(args, "epoch", epoch);
  return args;
}

Result<LeaveTeam::Answer> LeaveTeam::read(const Json& answer) {
  const Json& member = object_in(answer, "member");
  return Answer{raw_text_in(member, "name"), Epoch(number_in(member, "epoch")), ids_in<TaskId>(answer, "released")};
}

Json EndedTurn::json() const {
  Json turn = {{"text", text}};
  turn["usage"] = usage.json();
  put_name(turn, "stop", stop);
  if (!fault.empty()) {
    turn["fault"] = fault;
    turn["error"] = error;
  }
  if (whole_text) {
    turn["text_bytes"] = whole_text->bytes;
    turn["text_sha256"] = whole_text->sha256;
  }
  put(turn, "result", result);
  if (prompt.empty()) return turn;
  turn["prompt"] = prompt;
  turn["spent"] = spent.json();
  turn["spent"]["duration_ms"] = to_ms(took);
  if (!restarts.empty()) turn["restarts"] = restarts;
  return turn;
}

EndedTurn EndedTurn::read(const Json& turn) {
  EndedTurn out;
  out.text = raw_text_in(turn, "text");
  if (turn.contains("text_bytes"))
    out.whole_text = WholeText{number_in(turn, "text_bytes"), raw_text_in(turn, "text_sha256")};
  out.stop = raw_text_in(turn, "stop");
  out.fault = raw_text_in(turn, "fault");
  if (!out.fault.empty()) out.error = raw_text_in(turn, "error");
  if (const auto result = turn.find("result"); result != turn.end()) out.result = *result;
  out.usage = TokenUsage::read(field_in(turn, "usage"));
  out.prompt = raw_text_in(turn, "prompt");
  out.spent = TokenUsage::read(field_in(turn, "spent"));
  out.took = std::chrono::milliseconds(number_in(field_in(turn, "spent"), "duration_ms"));
  out.restarts = texts_in(turn, "restarts");
  return out;
}

Json SetTurn::arguments() && {
  Json args = ended ? ended->json() : Json::object();
  args["team"] = std::move(team);
  args["member"] = std::move(member);
  args["running"] = !ended;
  put(args, "epoch", epoch);
  put(args, "turn", turn);
  if (ended) args["messages"] = numbers_of(messages);
  if (retries) args["retries"] = true;
  return args;
}

Json GetTurn::arguments() && { return {{"team", std::move(team)}, {"prompt", std::move(prompt)}}; }

Result<GetTurn::Answer> GetTurn::read(const Json& answer) {
  const Json& turn = field_in(answer, "turn");
  if (!turn.is_object()) return Answer();
  return Answer(EndedTurn::read(turn));
}

Result<ListTeams::Answer> ListTeams::read(const Json& answer) {
  Answer teams;
  for (const auto& each : list_in(answer, kItems)) {
    ListedTeam team;
    team.team = TRY(string_field(each, "team"));
    team.ref = raw_text_in(each, "ref");
    team.project = raw_text_in(each, "project");
    team.created = time_in(each, "created");
    team.live_members = number_in(each, "live_members");
    team.tasks = read_task_counts(object_in(each, "tasks"));
    team.owner = owner_in(each);
    team.is_orphan = flag_in(each, "orphan");
    teams.push_back(std::move(team));
  }
  return teams;
}

Json GetTeamStatus::arguments() && {
  Json args = Json::object();
  put_name(args, "team", std::move(team));
  return args;
}

Json ShutDownTeam::arguments() && {
  Json args = {{"team", std::move(team)}};
  put(args, "reason", std::move(reason));
  if (deadline) args["deadline_ms"] = to_ms(*deadline);
  return args;
}

Result<ShutDownTeam::Answer> ShutDownTeam::read(const Json& answer) {
  Answer out;
  out.approved = texts_in(answer, "approved");
  for (const auto& each : list_in(answer, "rejected"))
    out.rejected.push_back({raw_text_in(each, "name"), raw_text_in(each, "reason")});
  out.forced = texts_in(answer, "forced");
  return out;
}

Json DeleteTeam::arguments() && {
  Json args = {{"team", std::move(team)}};
  put_flag(args, "force", force);
  put_flag(args, "only_orphan", only_orphan);
  return args;
}

Result<DeleteTeam::Answer> DeleteTeam::read(const Json& answer) { return Answer{texts_in(answer, "forced")}; }

Json Orphan::json() const { return {{"team", team}, {"place", place}, {"age_ms", to_ms(age)}, {"reason", reason}}; }

Result<Orphan> Orphan::read(const Json& orphan) {
  Orphan out;
  out.team = TRY(string_field(orphan, "team"));
  out.ref = raw_text_in(orphan, "ref");
  out.place = raw_text_in(orphan, "place");
  out.age = std::chrono::milliseconds(number_in(orphan, "age_ms"));
  out.reason = raw_text_in(orphan, "reason");
  return out;
}

Result<ListOrphans::Answer> ListOrphans::read(const Json& answer) {
  Answer orphans;
  for (const auto& each : list_in(answer, kItems)) orphans.push_back(TRY(Orphan::read(each)));
  return orphans;
}

}  // namespace teamster::hub

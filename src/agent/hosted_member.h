// HostedMember: one member of a team with its agent alive behind it. Joins the team as a new
// epoch, keeps the agent's process running (resumed after a crash), turns messages into
// turns, checks answers, counts what they cost, and leaves nothing when it stops, nor before
// the hub has what it had to tell. Owned by Host or Crew; driven by the loop.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "agent/answer.h"
#include "agent/delivery.h"
#include "agent/driver.h"
#include "agent/environment.h"
#include "agent/permission.h"
#include "agent/receipts.h"
#include "agent/record.h"
#include "agent/session.h"
#include "agent/transcript.h"
#include "agent/turn_result.h"
#include "env/files.h"
#include "env/later.h"
#include "protocol/client/client.h"
#include "protocol/client/home.h"
#include "protocol/client/team_calls.h"

namespace teamster::agent {

struct MemberOptions {
  std::string team;
  std::string member;
  const Driver* driver = nullptr;
  StartOptions start;  // what the driver needs, without team, member, resume and environment
  EnvironmentOptions environment;
  PermissionPolicy permissions;
  bool fresh = false;  // a new conversation even if an earlier one could be resumed
  // Which one it is in: one with another name is not resumed. Empty: the member's first.
  std::string conversation = {};
  // What others say to it waits until it was asked for the first time.
  bool begins_with_prompt = false;
  // Between turns the host agrees to a shutdown in the agent's place: that costs no tokens.
  bool approves_shutdown = false;
  // How long another process that runs the member is waited for: it may have lost its run and not know it yet.
  Duration waits_for_host = {};
  std::string run = {};         // whose workflow's skills it is offered; empty: it is in none
  std::string transcript = {};  // file of it; empty: in the member's directory, with which it goes
};

// Says once, however often it is asked to, that the work of a prompt may have begun.
void note_begun(std::string& prompt, std::string_view because);

// A prompt of the engine or the operator, beside messages.
struct Prompt {
  std::string text;
  std::optional<Json> schema = {};
  std::string id = {};      // under which the hub finds its end after a crash
  std::string marker = {};  // a line before an answer that is handed in as words
  bool shows_form = false;  // of the answer, by an example
  // It is worded for an agent that knows the conversation so far. When that is lost it goes back to who asked, who
  // words it anew; otherwise it is said to the new conversation as it is.
  bool goes_back_when_lost = false;
  // An answer of another shape is asked for once more, in the same conversation; otherwise it goes back as it is.
  bool mends = true;
};

// What the host's user sees while it happens. All are called from the loop.
struct MemberObserver {
  std::function<void(const std::string& text)> on_note = [](const std::string&) {};
  std::function<void(const Activity&)> on_activity = [](const Activity&) {};
  std::function<void(const std::string& input, InputState)> on_input = [](const std::string&, InputState) {};
  // A turn begins; `prompt` is the id of what it is asked, and empty where messages or the agent itself began it.
  std::function<void(const std::string& prompt)> on_turn_began = [](const std::string&) {};
  std::function<void(const TurnResult&)> on_turn = [](const TurnResult&) {};
  std::function<void()> on_ready = [] {};
  // The agent knows nothing any more of what it was told, and no prompt goes back to say so.
  std::function<void(const std::string& why)> on_conversation_lost = [](const std::string&) {};
  // Last. An error unless it was stopped.
  std::function<void(Result<void>)> on_gone = [](const Result<void>&) {};
};

class HostedMember : private SessionListener {
 public:
  HostedMember(const env::World& world, hub::Client& hub, const hub::Home& home, MemberOptions options,
               MemberObserver observer);
  ~HostedMember() override;

  // on_ready or on_gone follows.
  void start();
  // In the order in which they were given; `done` with what came of it, when that is in the journal.
  void ask(Prompt prompt, std::function<void(const TurnResult&)> done);
  void stop(const std::string& reason);
  // The same, when nothing is left for it to hear or to do.
  void stop_when_idle(const std::string& reason);

  const std::string& name() const { return options_.member; }
  // 0: no process runs.
  std::int64_t agent_pid() const { return record_.agent_pid; }
  // As of its options.
  const std::string& conversation() const { return options_.conversation; }
  bool has_tools() const { return options_.driver->abilities().has_tools; }
  // Why it is gone, where that was not its own choice.
  Fault fault() const { return fault_; }
  // Whether the agent is in a conversation that can be taken up; before its first turn: that is.
  bool has_conversation() const { return !record_.resume_token.empty(); }

 private:
  enum class State { starting, running, stopping, gone };
  struct Asked {
    Prompt prompt;
    std::function<void(const TurnResult&)> done;
    std::vector<std::string> restarts = {};
    Usage spent = {};  // by turns that crashed
    std::optional<Instant> begun = {};
  };
  // What the running turn is to answer.
  struct Task {
    std::optional<Json> schema;
    std::optional<schema::Schema> compiled;
    Asked asked;  // nothing when it answers messages; to be said again after a crash
    bool mending = false;
    bool awaits_job = false;                  // its turn has ended, and goes on when its own job is done
    std::vector<std::string> refused_report;  // what was wrong with a report before it was mended
    std::vector<std::string> inputs;          // the one that began it, and those of turns that are mended
  };

  // What a process that runs cannot do about its trouble: another takes its place before it is told anything more.
  enum class Renewal {
    none,
    resumed,  // in the same conversation: a login may be another by then
    anew,     // the conversation has become too long
  };

  void on_up() override;
  void on_activity(const Activity& activity) override;
  void on_input(const std::string& id, InputState state) override;
  void on_turn_started() override;
  void on_turn_ended(const TurnEnd& end) override;
  PermissionAnswer on_permission(const PermissionRequest& request) override;
  void on_resumable(const std::string& resume_token) override;
  void on_ended(const SessionEnd& end) override;

  Result<void> prepare();
  // Anew for each process: a key may have been changed meanwhile.
  Result<void> make_environment_of_agent();
  bool wait_for_host(const Error& refusal);
  void join_when_alone();
  std::vector<std::string> tools_command();
  void joined(const hub::NewMember& member);
  Result<void> start_session();
  void start_session_or_leave();
  // Whether an agent whose process has just ended gets another one.
  bool comes_back() const;
  void respawn(const std::string& why);
  void give_up_program(const std::string& why);
  bool renew();
  void renewed();
  void pause_letters(Fault fault);
  bool tells_letters_now() const;
  void note_answers(const Activity& activity);
  void forget_conversation(const std::string& why);
  void next();
  bool approve_shutdown();
  void say_letters();
  void say_prompt(Asked asked);
  void begin_task(std::optional<Json> schema);
  void say(std::string text);
  void finish_task(TurnEnd end);
  Answer find_answer_of(const TurnEnd& end);
  bool wait_for_job(const TurnEnd& end, const Answer& answer);
  bool say_again(const TurnEnd& end);
  void settle_task(TurnResult outcome, const std::vector<std::string>& inputs);
  void tell_hub_of_end(TurnResult result, const std::vector<std::string>& inputs, Receipts::Told told);
  bool mend(const TurnEnd& end, const Answer& answer);
  void leave(Result<void> outcome);
  void say_farewell();
  // Its team was deleted, and with it what lay here: what its agent has written since goes, too.
  void leave_no_directory();
  bool has_token() const;
  void save_record(const char* state, bool synced = false);

  env::World world_;
  hub::Client& hub_;
  const hub::Home home_;
  MemberOptions options_;
  MemberObserver observer_;
  const std::string directory_;
  env::Later later_;
  Receipts receipts_;
  env::Registration joining_;
  Transcript transcript_;
  Record record_;
  State state_ = State::starting;
  Seat seat_;
  std::unique_ptr<env::FileLock> lock_;
  std::unique_ptr<Session> session_;
  std::unique_ptr<Delivery> delivery_;
  std::vector<Asked> asked_;
  std::optional<Task> task_;
  bool interrupting_ = false;
  bool approved_shutdown_ = false;
  bool began_ = false;  // the process has begun a turn
  bool was_asked_ = false;
  std::optional<std::string> leaves_because_;  // as soon as it is idle
  bool schema_written_ = false;
  Renewal renewal_ = Renewal::none;
  bool is_renewing_ = false;                    // the process of before has been told to end
  int failed_turns_ = 0;                        // one after the other
  env::Timer job_;                              // until a job in the background is waited for no longer
  env::Timer pause_;                            // until messages are told again whose turns have failed
  std::map<std::string, MessageId> answering_;  // by tool call that runs: the message that it answers
  Fault fault_ = Fault::none;
  int respawns_ = 0;
  std::int64_t last_input_ = 0;
  env::Timer respawn_later_;
  env::Timer farewell_;
  env::Timer look_again_;  // whether another host has gone, or the agent it had
  bool is_waiting_ = false;
  bool is_team_gone_ = false;
  Duration waited_for_agent_ = {};
  std::optional<Result<void>> outcome_;
  std::string stop_reason_;
};

}  // namespace teamster::agent

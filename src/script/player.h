// Player: plays a script as the process on the other end of a host's pipes would behave.
// Lines, outcomes and signals in, actions out; it touches nothing itself. At most one effect
// runs at a time. Owned and driven by the agent, on its loop.
#pragma once

#include <deque>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "env/clock.h"
#include "env/random.h"
#include "schema/schema.h"
#include "script/action.h"
#include "script/input.h"
#include "script/place.h"
#include "script/script.h"
#include "script/settings.h"
#include "script/template.h"
#include "script/wire.h"

namespace teamster::script {

class Player {
 public:
  using Actions = std::vector<Action>;

  struct Parts {
    const Script& script;
    const Settings& settings;
    const env::Clock& clock;
    env::Random& random;
  };
  // Of a session that was never spoken to, the place has but its id and model.
  Player(const Parts& parts, Place place, std::optional<schema::Schema> schema);

  Actions hear(std::string_view line);
  // Of the effect that was begun last.
  Actions finished(const Outcome& outcome);
  Actions input_ended();
  Actions signalled(int number);

  const Place& place() const { return place_; }

 private:
  enum class Waiting {
    nothing,     // for the next prompt
    opening,     // of a turn, for as long as the seed has it
    flush,       // for what was printed to be gone
    effect,      // of a step
    permission,  // for the host's answer
    message,     // for a message, or its time to be up
    ever,        // mute
  };

  // A tool that was called and has not answered.
  struct OpenTool {
    std::string id;
    std::string name;
    Json input;
    std::string request_id;  // of the permission asked for
  };

  struct Running {
    UserMessage prompt;
    Instant begun;
    std::vector<UserMessage> folded;
    std::optional<OpenTool> tool;
    std::string last_message;
    std::vector<std::string> unsolicited;
    Json denials = Json::array();
    int unread = 0;  // messages folded in that no step has waited for
    int requests = 1;
    bool is_replayed = false;
    bool is_nudged = false;
    bool is_cut = false;  // by a message that cannot wait
  };

  void on(const Ignored& ignored);
  void on(const Fatal& fatal);
  void on(UserMessage message);
  void on(const ControlRequest& control);
  void on(const ControlResponse& control);

  // player_control.cc
  void interrupt(const ControlRequest& control);
  void initialize(const ControlRequest& control);
  void cancel_message(const ControlRequest& control);
  void interrupt_turn();
  void cut_turn();
  Json uuids_of_pending() const;

  // Turns.
  void begin_turn();
  int choose_turn(std::string_view prompt) const;
  const std::vector<Step>& steps() const;
  const Step& step() const { return steps()[place_.current->next_step]; }
  void go_on();
  void settle_down();
  void next_step();
  void complete_step(const record::StepFacts& facts = {});
  void run_out(const std::string& stop_reason);
  void end_turn(ResultFacts facts, bool is_cancelled);
  void speak_unasked(const std::string& text);
  void fold_pending();
  void take_message();
  void go_on_without_message();

  // Steps: player_steps.cc
  void play(const Say& say);
  void play(const Find& find);
  void play(const Think& think);
  void play(const ChangeFile& change);
  void play(const RunCommand& run);
  void play(const CallTool& call);
  void play(const AskPermission& ask);
  void play(const AnswerStep& answer);
  void play(const SpendUsage& spend);
  void play(const Sleep& sleep);
  void play(const WaitMessage& wait);
  void play(const FailRequest& failure);
  void play(const Crash& crash);
  void play(const Garble& garble);
  void play(const Huge& huge);
  void play(const Mute& mute);
  void play(const Deaf& deaf);
  void play(const Fork& fork);
  void play(const Unsolicited& unsolicited);
  void play(const End& end);
  void open_tool(const std::string& name, const Json& input);
  void perform_open_tool();
  void close_tool(const Outcome& outcome);
  void refuse_tool(const std::string& text);
  void take_outcome(const Outcome& outcome);
  std::string unexpected_exit(const RunCommand& run, const Outcome& outcome) const;
  void deny(const std::string& message, bool ends_turn);
  bool is_allowed(const std::string& tool) const;

  // Actions.
  void print(std::string bytes);
  void print_assistant(const Json& block);
  void print_lifecycle(const UserMessage& message, std::string_view state);
  void keep(const Json& record);
  void begin(Effect effect, Waiting waiting);
  // The span, or with a seed between a half and one and a half of it.
  Duration permuted(Duration span, std::string_view what) const;
  Actions take_actions() { return std::exchange(actions_, {}); }

  std::string filled(std::string_view text) const;
  Json filled_json(const Json& value) const;
  Words words() const;
  InitFacts init_facts() const;

  const Script& script_;
  const Settings& settings_;
  const env::Clock& clock_;
  Wire wire_;
  Place place_;
  std::optional<schema::Schema> schema_;
  std::string permission_mode_;
  Waiting waiting_ = Waiting::nothing;
  std::optional<Running> running_;
  std::deque<UserMessage> pending_;
  std::set<std::string> seen_uuids_;
  int results_ = 0;
  bool has_file_ = false;      // the session was spoken to before
  bool is_model_new_ = false;  // its file does not know yet
  bool has_input_ended_ = false;
  bool is_controlled_ = false;  // a control request or prompt has come
  bool is_deaf_ = false;
  bool is_deaf_to_end_ = false;
  Actions actions_;
};

}  // namespace teamster::script

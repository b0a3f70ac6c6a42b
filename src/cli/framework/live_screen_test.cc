#include "cli/framework/live_screen.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/framework/arguments.h"
#include "cli/framework/outside_for_test.h"
#include "cli/framework/registry.h"
#include "env/sim/sim_world.h"

namespace teamster::cli {
namespace {

using namespace std::chrono_literals;

class LiveScreenTest : public testing::Test {
 protected:
  // A screen on which time passes; what it has shown.
  std::string show(const std::vector<std::string>& flags, const std::function<void(LiveScreen&)>& happens) {
    const Registry registry = all_commands();
    const Outside outside{.out = out_,
                          .err = err_,
                          .read_input = {},
                          .read_line = {},
                          .variable = [](const char* name) -> std::optional<std::string> {
                            if (std::string_view(name) == "TERM") return "xterm";
                            if (std::string_view(name) == "NO_COLOR") return "1";
                            return std::nullopt;
                          },
                          .now = [this] { return host_.view().clock.wall_now(); },
                          .call = {},
                          .world = {},
                          .watch_signal = {},
                          .output_is_terminal = is_terminal_};
    Context context(outside, registry, *Arguments::parse(*registry.find("status"), flags, false));
    LiveScreen screen(context, host_.view(),
                      {.live = [this](std::size_t columns) { return live_.substr(0, columns); },
                       .is_typed_at = [this] { return is_typed_at_; },
                       .is_at_work = [this] { return is_at_work_; }});
    screen.start();
    happens(screen);
    screen.stop();
    return out_.captured;
  }
  std::size_t count(const std::string& text) const {
    std::size_t count = 0;
    for (std::size_t at = 0; (at = out_.captured.find(text, at)) != std::string::npos; ++at) ++count;
    return count;
  }

  env::sim::World world_{7};
  env::sim::Host& host_ = world_.start("terminal");
  CapturedOutput out_;
  CapturedOutput err_;
  std::string live_ = "build.1 builder";
  bool is_terminal_ = true;
  bool is_typed_at_ = false;
  bool is_at_work_ = true;
};

TEST_F(LiveScreenTest, TheLiveLineIsTakenAwayForOthersAndDrawnBelowThem) {
  EXPECT_EQ(show({}, [](LiveScreen& screen) { screen.print("a line\n"); }),
            "build.1 builder\r\r\x1b[Ka line\nbuild.1 builder\r\r\x1b[K");
}

TEST_F(LiveScreenTest, ManyChangesAreDrawnOnce) {
  show({}, [this](LiveScreen& screen) {
    for (int i = 0; i < 50; ++i) screen.changed();
    world_.run_for(500ms);
  });
  EXPECT_EQ(count("build.1"), 2U) << out_.captured;
}

TEST_F(LiveScreenTest, ItIsDrawnAgainEachSecondAndAsWideAsTheTerminal) {
  live_ = std::string(200, 'x');
  show({}, [this](LiveScreen&) { world_.run_for(3500ms); });
  EXPECT_EQ(count("\r\x1b[K"), 4U);
  EXPECT_EQ(out_.captured.find('\r'), 79U) << "what is typed begins where it does";
}

TEST_F(LiveScreenTest, NothingIsDrawnWhereSomebodyTypes) {
  is_typed_at_ = true;
  EXPECT_EQ(show({},
                 [this](LiveScreen& screen) {
                   screen.print("a line\n");
                   world_.run_for(5s);
                 }),
            "a line\n");
}

TEST_F(LiveScreenTest, WhereThereIsNoTerminalSilenceIsExplainedNowAndThen) {
  is_terminal_ = false;
  show({}, [this](LiveScreen& screen) {
    world_.run_for(25s);
    screen.print("a line\n");
    world_.run_for(25s);
    EXPECT_EQ(count("build.1"), 0U) << out_.captured;
    world_.run_for(10s);
    EXPECT_EQ(count(" … build.1 builder\n"), 1U) << out_.captured;
    world_.run_for(2min);
    EXPECT_EQ(count("build.1"), 2U) << "less and less often";
    is_at_work_ = false;
    world_.run_for(1h);
    EXPECT_EQ(count("build.1"), 2U) << "people are waited for, and that is said";
  });
  EXPECT_EQ(out_.captured.find('\x1b'), std::string::npos);
}

TEST_F(LiveScreenTest, ADocumentIsNotDisturbed) {
  EXPECT_EQ(show({"--json"}, [this](LiveScreen&) { world_.run_for(2min); }), "");
}

}  // namespace
}  // namespace teamster::cli

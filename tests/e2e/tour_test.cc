// The tour of README.md, pasted line by line into a shell, with a scripted agent in place of Claude Code.
#include <filesystem>

#include "e2e/fixture.h"

namespace teamster::e2e {
namespace {

// Lines of the code block below this heading.
std::vector<std::string> code_below(const std::string& text, const std::string& heading) {
  const std::string fence = "```\n";
  const std::size_t begin = text.find(fence, text.find(heading)) + fence.size();
  const std::string code = text.substr(begin, text.find(fence, begin) - begin);
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < code.size();) {
    const std::size_t end = code.find('\n', at);
    if (end > at) lines.push_back(code.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

TEST(Tour, WorksWhenPastedLineByLine) {
  const Home home;
  const std::string place = home.scratch() + "/bin";
  std::filesystem::create_directories(place);
  std::filesystem::create_symlink(TEAMSTER_BINARY, place + "/teamster");
  const std::string script = home.scratch() + "/script.json";
  write_file(script, R"({ "turns": [], "otherwise": [ { "run": "true" }, { "say": "It is fixed." } ] })");
  write_file(place + "/claude", "#!/bin/sh\nexec " + std::string(TEAMSTER_BINARY) + " script-agent --script " + script +
                                    " --place " + home.scratch() + "/place \"$@\"\n");
  std::filesystem::permissions(place + "/claude", std::filesystem::perms::owner_all);

  const auto lines = code_below(read_file(std::string(TEAMSTER_SOURCE_DIR) + "/README.md"), "\n## A tour\n");
  ASSERT_GT(lines.size(), 10U);
  std::string session;
  for (std::size_t number = 0; number < lines.size(); ++number)
    session += lines[number] + "\necho \"[" + std::to_string(number) + ":$?]\"\n";
  Start start;
  start.command = {"/bin/bash", "--norc"};
  start.environment = {"TEAMSTER_HOME=" + home.path(), "HOME=" + home.scratch(), "PATH=" + place + ":/usr/bin:/bin"};
  start.input = session;
  Process shell(start);
  ASSERT_EQ(shell.wait(), 0) << shell.out() << shell.err();
  for (std::size_t number = 0; number < lines.size(); ++number)
    EXPECT_NE(shell.out().find("[" + std::to_string(number) + ":0]"), std::string::npos) << lines[number] << "\n"
                                                                                         << shell.out() << shell.err();
  for (const char* shown : {"the parser is ready", "completed", "It is fixed."})
    EXPECT_NE(shell.out().find(shown), std::string::npos) << shell.out();
}

}  // namespace
}  // namespace teamster::e2e

#include "env/real/process_status.h"

#include <unistd.h>

#include <gtest/gtest.h>

namespace teamster::env::real {
namespace {

std::string line(const std::string& name, const std::string& state) {
  return "7 (" + name + ") " + state + " 1 7 7 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 98765 22 33\n";
}

TEST(ProcessStatus, ReadsField22) {
  const auto status = parse_process_status(line("sleep", "S"));
  ASSERT_TRUE(status);
  EXPECT_EQ(status->start_ticks, 98765U);
  EXPECT_TRUE(status->is_alive());
}

TEST(ProcessStatus, NameMayHoldAnything) {
  for (const std::string name : {"a b", ") Z 1 1", "((", "))", "", "new\nline"}) {
    const auto status = parse_process_status(line(name, "R"));
    EXPECT_EQ(status->start_ticks, 98765U) << name;
    EXPECT_EQ(status->parent, 1) << name;
    EXPECT_EQ(status->name, name);
  }
}

TEST(ProcessStatus, ZombiesAreNotAlive) {
  EXPECT_FALSE(parse_process_status(line("x", "Z"))->is_alive());
  EXPECT_FALSE(parse_process_status(line("x", "X"))->is_alive());
}

TEST(ProcessStatus, GarbageIsNothing) {
  for (const char* text :
       {"", "7 (x", "7 (x)", "7 (x) ", "7 (x) S 1 2 3", "7 (x) S - 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9", ")7 (",
        "7 (x) S 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 x"})
    EXPECT_FALSE(parse_process_status(text)) << text;
}

TEST(ProcessStatus, ReadsThisProcess) {
  EXPECT_GT(read_process_status(::getpid())->start_ticks, 0U);
  EXPECT_FALSE(read_process_status(0));
  EXPECT_FALSE(read_process_status(-1));
  EXPECT_EQ(read_boot_id().size(), 36U);
}

TEST(MachineId, IsADigestOfAWellFormedOne) {
  const std::string id = machine_id_of("0123456789abcdef0123456789abcdef\n");
  EXPECT_EQ(id.size(), 32U);
  EXPECT_EQ(id.find("0123456789abcdef"), std::string::npos) << "the machine's own id is nobody's business";
  EXPECT_EQ(id, machine_id_of("0123456789abcdef0123456789abcdef"));
  EXPECT_NE(id, machine_id_of("1123456789abcdef0123456789abcdef"));
  EXPECT_EQ(machine_id_of("uninitialized\n"), "");
  EXPECT_EQ(machine_id_of(""), "");
}

TEST(PidNamespace, IsThatOfThisProcess) { EXPECT_NE(read_pid_namespace(), 0U); }

}  // namespace
}  // namespace teamster::env::real

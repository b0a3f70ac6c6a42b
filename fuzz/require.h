// REQUIRE: what must hold for every input of a fuzz target. Aborts, because libFuzzer keeps
// the input only of a process that dies by a signal; CHECK exits.
#pragma once

#include <cstdio>
#include <cstdlib>

#define REQUIRE(condition)                                                           \
  do {                                                                               \
    if (!(condition)) {                                                              \
      std::fprintf(stderr, "%s:%d: required: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                  \
    }                                                                                \
  } while (false)

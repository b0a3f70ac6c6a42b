/* What a unit test says: "ok NAME" or "not ok NAME: why", and 1 at its end when something failed. */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <string.h>

static int failures;

static inline void check_number(const char* name, long got, long wanted) {
  if (got == wanted) {
    printf("ok %s\n", name);
  } else {
    printf("not ok %s: expected %ld, got %ld\n", name, wanted, got);
    failures = 1;
  }
}

static inline void check_text(const char* name, const char* got, const char* wanted) {
  if (strcmp(got, wanted) == 0) {
    printf("ok %s\n", name);
  } else {
    printf("not ok %s: expected '%s', got '%s'\n", name, wanted, got);
    failures = 1;
  }
}

#endif

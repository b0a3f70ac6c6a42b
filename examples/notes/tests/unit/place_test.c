#include "place.h"

#include <stdlib.h>

#include "check.h"

int main(void) {
  unsetenv("NOTES_FILE");
  check_text("place-default", notes_path(), "notes.txt");
  setenv("NOTES_FILE", "", 1);
  check_text("place-empty", notes_path(), "notes.txt");
  setenv("NOTES_FILE", "other.txt", 1);
  check_text("place-from-environment", notes_path(), "other.txt");
  return failures;
}

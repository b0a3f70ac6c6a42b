#include "place.h"

#include <stdlib.h>

const char* notes_path(void) {
  const char* path = getenv("NOTES_FILE");
  return path != NULL && path[0] != '\0' ? path : "notes.txt";
}

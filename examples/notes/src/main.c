#include <stdio.h>
#include <string.h>

/* build/verbs.def has one VERB(name) for each file in src/verbs. */
#define VERB(name)                       \
  int name##_run(int argc, char** argv); \
  extern const char name##_usage[];
#include "verbs.def"
#undef VERB

struct verb {
  const char* name;
  int (*run)(int argc, char** argv);
  const char* usage;
};

static int help_run(int argc, char** argv);

static const struct verb verbs[] = {
    {"help", help_run, "help"},
#define VERB(name) {#name, name##_run, name##_usage},
#include "verbs.def"
#undef VERB
};
enum { verb_count = sizeof verbs / sizeof verbs[0] };

static int help_run(int argc, char** argv) {
  (void)argv;
  if (argc != 0) return 2;
  for (int i = 0; i < verb_count; ++i) printf("notes %s\n", verbs[i].usage);
  return 0;
}

int main(int argc, char** argv) {
  for (int i = 0; argc > 1 && i < verb_count; ++i) {
    if (strcmp(argv[1], verbs[i].name) != 0) continue;
    const int result = verbs[i].run(argc - 2, argv + 2);
    if (result == 2) fprintf(stderr, "usage: notes %s\n", verbs[i].usage);
    return result;
  }
  fprintf(stderr, "usage: notes VERB, see 'notes help'\n");
  return 2;
}

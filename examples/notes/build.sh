#!/bin/sh
# Builds build/notes. The table of verbs is made from the files in src/verbs.
set -eu
cd "$(dirname "$0")"
mkdir -p build
set --
: >build/verbs.def
for file in src/verbs/*.c; do
  [ -e "$file" ] || continue
  set -- "$@" "$file"
  printf 'VERB(%s)\n' "$(basename "$file" .c)" >>build/verbs.def
done
${CC:-cc} -std=c11 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Werror -Isrc -Ibuild -o build/notes src/*.c "$@"

#!/bin/sh
# Builds, then runs every unit test and every end-to-end test. Tests print "ok NAME" or
# "not ok NAME: why". Exits with 1 when something failed.
set -u
cd "$(dirname "$0")" || exit 1
sh build.sh || {
  echo 'typecheck: failed'
  exit 1
}
echo 'typecheck: passed'

parts=
for file in src/*.c; do
  [ "$file" = src/main.c ] || parts="$parts $file"
done
mkdir -p build/tests

run_unit_tests() {
  for file in tests/unit/*_test.c; do
    name=$(basename "$file" .c)
    # shellcheck disable=SC2086  # a list of files without blanks in their names
    ${CC:-cc} -std=c11 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Werror -Isrc -o "build/tests/$name" "$file" $parts ||
      {
        echo "not ok $name: it does not compile"
        continue
      }
    rm -rf build/tests/scratch && mkdir build/tests/scratch
    (cd build/tests/scratch && "../$name") || [ $? -eq 1 ] || echo "not ok $name: it stopped early"
  done
}

run_e2e_tests() {
  for file in tests/e2e/*_test.sh; do
    sh "$file" || [ $? -eq 1 ] || echo "not ok $(basename "$file" .sh): it stopped early"
  done
}

failed_in_all=0
report() {
  cat "build/tests/$1.txt"
  total=$(grep -c -e '^ok ' -e '^not ok ' "build/tests/$1.txt")
  failed=$(grep -c '^not ok ' "build/tests/$1.txt")
  echo "$1: $total run, $failed failed"
  failed_in_all=$((failed_in_all + failed))
}

run_unit_tests >build/tests/unit.txt 2>&1
report unit
run_e2e_tests >build/tests/e2e.txt 2>&1
report e2e
[ "$failed_in_all" -eq 0 ]

#!/bin/sh
# Reads all scripts with `sh -n`, then runs every test. A test prints "ok NAME" or
# "not ok NAME: why". Writes no files. Exits with 1 when something failed.
set -u
case $0 in
  */*) cd "${0%/*}" || exit 1 ;;
esac
for file in *.sh src/*.sh tests/*.sh tests/*/*.sh; do
  sh -n "$file" || {
    echo 'typecheck: failed'
    exit 1
  }
done
echo 'typecheck: passed'

failed_in_all=0
run_tests() {
  total=0 failed=0
  for file in "tests/$1"/*_test.sh; do
    said=$(. "./$file" 2>&1) || said="$said
not ok $file: it stopped early"
    while read -r line; do
      echo "$line"
      case $line in
        'ok '*) total=$((total + 1)) ;;
        'not ok '*) total=$((total + 1)) failed=$((failed + 1)) ;;
      esac
    done <<END
$said
END
  done
  echo "$1: $total run, $failed failed"
  failed_in_all=$((failed_in_all + failed))
}

run_tests unit
run_tests e2e
[ "$failed_in_all" -eq 0 ]

#!/bin/sh
# Runs every test; a test prints "ok NAME" or "not ok NAME: why". Exits with 1 when one failed.
cd "$(dirname "$0")" || exit 1
all=$(for file in tests/*_test.sh; do sh "$file" || echo "not ok $file: it stopped early"; done)
printf '%s\n' "$all"
! printf '%s\n' "$all" | grep -q '^not ok'

#!/bin/sh
# tally.sh FILE: says what is in it.
cd "$(dirname "$0")" || exit 1
. ./src/count.sh
. ./src/format.sh
[ -f "$1" ] || {
  echo "tally: there is no file $1" >&2
  exit 1
}
line words "$(count_words "$1")"

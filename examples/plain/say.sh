#!/bin/sh
# say.sh MANNER WORD...: says the words in a manner, which is a function of the file src/MANNER.sh.
set -eu
case $0 in
  */*) cd "${0%/*}" ;;
esac
manner=${1-}
case $manner in
  '' | *[!a-z]*) manner= ;;
esac
if [ -z "$manner" ] || [ ! -f "src/$manner.sh" ]; then
  echo 'usage: say.sh MANNER WORD...' >&2
  exit 2
fi
shift
. "src/$manner.sh"
"$manner" "$@"

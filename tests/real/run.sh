#!/bin/sh
# usage: run.sh CLAUDE SUITE [ARGUMENTS]
# Runs the suite where a program of somebody else can do no harm: in a network of its own that
# has the loopback address alone, and in an environment with nothing in it.
set -eu

if [ "${1-}" != --inside ]; then
  # Root of the new network is enough; who is root already needs no user namespace for it.
  as_root=--map-root-user
  [ "$(id -u)" -ne 0 ] || as_root=
  # shellcheck disable=SC2086  # empty is no argument
  exec unshare --net $as_root -- "$0" --inside "$@"
fi
shift
claude=$1
suite=$2
shift 2
PATH=/usr/sbin:/usr/bin:/sbin:/bin ip link set lo up
exec env -i PATH=/usr/bin:/bin LANG=C.UTF-8 TEAMSTER_CLAUDE="$claude" "$suite" "$@"

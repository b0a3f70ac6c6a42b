#!/bin/sh
# usage: ralph.sh ACTION SPEC [ARGUMENTS]
# Starts a step of the workflow ralph in the background. Inside Claude Code its own switch for agent teams says whether
# the step may have a team; without one the same work is done by one-shot agents.
set -eu

command -v teamster >/dev/null || {
  printf '%s\n' "there is no teamster on the PATH; install it first (README of the plugin, Prerequisites)" >&2
  exit 1
}
[ -n "${CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS-}" ] ||
  set -- "$@" --set teams=off --set teams_setting=CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS
exec teamster run ralph "$@" --detach

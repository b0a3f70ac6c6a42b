#!/bin/sh
# The substrate at work: four scripted members exchange messages and race for tasks while the
# hub is killed with SIGKILL again and again. At the end what was acknowledged is compared with
# what the store holds and with what each member got. Exits 1 when the figures do not agree.
# Needs the teamster binary and what every Debian has (sh, coreutils, sed, grep).
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)
: "${TEAMSTER:=$here/../../build/teamster}"
: "${DEMO_KILLS:=12}"
members="builder tester reviewer writer"
team=demo

[ -x "$TEAMSTER" ] || {
  printf '%s\n' "demo: $TEAMSTER is not there; run ./dev demo" >&2
  exit 1
}

scratch=$(mktemp -d)
TEAMSTER_HOME=$scratch/home
export TEAMSTER_HOME NO_COLOR=1
unset TEAMSTER_TOKEN_FILE
log=$scratch/log
mkdir "$log"
started=$(date +%s%N)
member_pids=

# shellcheck disable=SC2317  # called by the traps
clean_up() {
  result=$?
  trap - EXIT INT TERM
  if [ -n "$member_pids" ]; then
    for pid in $member_pids; do kill "$pid" 2>/dev/null || :; done
    wait
    sleep 0.5 # for the command each of them was running
  fi
  "$TEAMSTER" hub --stop >/dev/null 2>&1 || :
  if [ "$result" -eq 0 ] || [ "$result" -ge 128 ]; then
    rm -rf "$scratch"
  else
    printf '%s\n' "demo: what happened is kept in $scratch" >&2
  fi
  exit "$result"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

say() {
  tenths=$((($(date +%s%N) - started) / 100000000))
  printf '%4d.%d s  %s\n' $((tenths / 10)) $((tenths % 10)) "$*"
}

# number KEY: the first number of that key in the JSON on standard input. text KEY: the first
# string; good for names and tokens, which hold no quotes.
number() { tr -d '\n' | grep -o "\"$1\": *[0-9][0-9]*" | sed -n '1s/.*: *//p'; }
text() { tr -d '\n' | grep -o "\"$1\": *\"[^\"]*\"" | sed -n '1s/.*: *"\(.*\)"/\1/p'; }
# Every number of that key, one a line.
numbers() { tr -d '\n' | grep -o "\"$1\": *[0-9][0-9]*" | sed 's/.*: *//' || :; }
lines() { cat "$@" 2>/dev/null | wc -l; }
twice() { sort | uniq -d | wc -l; }

# ask ARGUMENTS: runs teamster; its answer is in $answer. Exit 1 with an empty answer means
# "nothing there" and is for the caller; any other failure is written down and fails the demo.
ask() {
  code=0
  answer=$("$TEAMSTER" "$@" --json 2>"$log/stderr.$me") || code=$?
  if [ "$code" -gt 1 ] || [ -s "$log/stderr.$me" ]; then complain "$@"; fi
  return "$code"
}
# call ARGUMENTS: the same where there must be something.
call() {
  ask "$@" && return 0
  [ -s "$log/stderr.$me" ] || complain "$@"
  return "$code"
}
complain() {
  printf '%s: teamster %s: exit %s: %s\n' "$me" "$*" "$code" "$(cat "$log/stderr.$me")" >>"$log/errors"
}

send_one() { # TO TEXT
  if call message send --team "$team" --from "$me" --to "$1" "$2"; then
    printf '%s\n' "$answer" | number id >>"$log/sent.$me"
  fi
}

create_one() { # SUBJECT
  if call task create --team "$team" "$1"; then
    printf '%s\n' "$answer" | number id >>"$log/created.$me"
  fi
}

# Takes a task and completes it. Returns 1 when there is none.
work_one() {
  ask task claim --team "$team" --member "$me" || return 1
  task=$(printf '%s\n' "$answer" | number id)
  token=$(printf '%s\n' "$answer" | text token)
  [ -n "$task" ] && [ -n "$token" ] || return 1
  printf '%s\n' "$task" >>"$log/claimed.$me"
  if call task update --team "$team" "$task" --status completed --token "$token"; then
    printf '%s\n' "$task" >>"$log/completed.$me"
  fi
}

# Reads what has come. Returns 1 when nothing came in time.
read_some() { # TIMEOUT
  ask message wait --team "$team" --member "$me" --mark acted --timeout "$1" || return 1
  got=$(printf '%s\n' "$answer" | numbers id)
  [ -n "$got" ] || return 1
  printf '%s\n' "$got" >>"$log/received.$me"
}

# One member: a shell loop that knows nothing of the kills.
member() {
  me=$1
  round=0
  while [ ! -e "$scratch/stop" ]; do
    round=$((round + 1))
    for peer in $members; do
      [ "$peer" = "$me" ] || send_one "$peer" "round $round: $me to $peer"
    done
    [ $((round % 2)) -eq 0 ] || create_one "$me, round $round"
    work_one || :
    read_some 50ms || :
  done
  : >"$log/quiet.$me"
  # Everybody stops sending before anybody reads the rest.
  for peer in $members; do
    while [ ! -e "$log/quiet.$peer" ]; do sleep 0.05; done
  done
  while read_some 200ms; do :; done
  while work_one; do :; done
}

progress() {
  printf '%s messages acknowledged, %s tasks completed' "$(lines "$log"/sent.*)" "$(lines "$log"/completed.*)"
}

# Kills the hub where it stands, whatever it was doing.
kill_hub() {
  # Between two hubs there is none to ask.
  pid=$("$TEAMSTER" hub --status --json 2>/dev/null | number pid) || :
  [ -n "$pid" ] && kill -KILL "$pid" 2>/dev/null || return 0
  kills=$((kills + 1))
  say "hub $pid killed with SIGKILL ($kills of $DEMO_KILLS); $(progress)"
}

me=operator
say "a team of four in a scratch home; the first command starts the hub"
# shellcheck disable=SC2046
call team create "$team" $(for name in $members; do printf ' --member %s' "$name"; done) || {
  cat "$log/errors" >&2
  exit 1
}
for name in $members; do
  member "$name" &
  member_pids="$member_pids $!"
done
say "$members: each writes to the others, reads its inbox, makes tasks and races for them"

kills=0
while [ "$kills" -lt "$DEMO_KILLS" ]; do
  # Uneven gaps, so that the kill meets the hub at different work.
  sleep "0.$((5 + kills % 5))"
  kill_hub
done
sleep 1
: >"$scratch/stop"
say "no more kills; the members finish what is there"
# shellcheck disable=SC2086
wait $member_pids || :
member_pids=
me=operator
say "done; now the comparison"

# What the store says.
: >"$log/in_inboxes"
for name in $members; do
  call message inbox --team "$team" --member "$name" --all || :
  printf '%s\n' "$answer" | numbers id >>"$log/in_inboxes"
done
call task list --team "$team" --status completed || :
printf '%s\n' "$answer" | numbers id >"$log/in_task_list"

# Every table made again from the journal and compared with the one in use.
ask doctor --deep || :
rebuilt=$(printf '%s\n' "$answer" | tr -d '\n' | tr '{' '\n' | grep '"name": *"store"' | text status) || :

failures=0
# row WHAT COUNT REMARK; compare WHAT FILE EXPECTED-FILE: the same ids, each once.
row() { printf '  %-36s %6s%s\n' "$1" "$2" "${3:+  $3}"; }
compare() {
  sort "$2" >"$log/a"
  sort "$3" >"$log/b"
  repeated=$(twice <"$log/a")
  lost=$(comm -13 "$log/a" "$log/b" 2>/dev/null | wc -l)
  if cmp -s "$log/a" "$log/b" && [ "$repeated" -eq 0 ]; then
    row "$1" "$(lines "$log/a")" "each once"
  else
    failures=$((failures + 1))
    row "$1" "$(lines "$log/a")" "WRONG: $lost lost, $repeated more than once"
  fi
}

for what in sent received created claimed completed; do
  cat "$log/$what".* >"$log/all_$what" 2>/dev/null || :
done
echo
row "times the hub was killed" "$kills" "SIGKILL, at any moment"
row "messages acknowledged to senders" "$(lines "$log/all_sent")" ""
compare "messages in the inboxes" "$log/in_inboxes" "$log/all_sent"
compare "messages handed to their readers" "$log/all_received" "$log/all_sent"
row "tasks created" "$(lines "$log/all_created")" ""
compare "tasks claimed, by one member each" "$log/all_claimed" "$log/all_created"
compare "tasks completed, says the member" "$log/all_completed" "$log/all_created"
compare "tasks completed, says the store" "$log/in_task_list" "$log/all_created"
row "tables rebuilt from the journal" "${rebuilt:-?}" "compared with those in use"
[ "$rebuilt" = ok ] || failures=$((failures + 1))
errors=$(lines "$log/errors")
row "commands that failed" "$errors" ""
echo
if [ "$failures" -eq 0 ] && [ "$errors" -eq 0 ] && [ -s "$log/all_sent" ] && [ -s "$log/all_created" ]; then
  echo "nothing lost, nothing done twice"
else
  head -5 "$log/errors" >&2 2>/dev/null || :
  echo "the figures do not agree"
  exit 1
fi

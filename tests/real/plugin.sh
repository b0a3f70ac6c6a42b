#!/bin/bash
# usage: run.sh CLAUDE plugin.sh SKILLS_REF
# The plugin for Claude Code: its files are valid for the programs that read them, its hook harms no session, and a real
# session with it reaches teamster. `./dev test-real` starts it, through run.sh; SKILLS_REF is the program of that name.
# shellcheck disable=SC2317,SC2015  # checks are called by name
set -uo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd -P)
plugin=$root/plugins/teamster
skills_ref=$1
scratch=$(mktemp -d /tmp/teamster-plugin-XXXXXX)
mkdir "$scratch/home" "$scratch/bin" "$scratch/data"
export HOME=$scratch/home TMPDIR=$scratch TEAMSTER_HOME=$scratch/teamster
export ANTHROPIC_API_KEY=dummy-key-of-plugin CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 CLAUDE_CODE_MAX_RETRIES=0
model=
failed=0

end() {
  [ -z "$model" ] || kill "$model" 2>/dev/null
  "$root/build/teamster" hub --stop >/dev/null 2>&1
  rm -rf "$scratch"
}
trap end EXIT

# check TEXT COMMAND: shows what the command printed when it fails.
check() {
  local text=$1 said
  shift
  if said=$("$@" 2>&1); then
    printf 'ok    %s\n' "$text"
  else
    printf 'FAIL  %s\n%s\n' "$text" "$said"
    failed=1
  fi
}

# --- what programs read ---

check "plugin.json, hooks, commands and agents are valid" "$TEAMSTER_CLAUDE" plugin validate --strict "$plugin"
check "marketplace.json is valid" "$TEAMSTER_CLAUDE" plugin validate --strict "$root"
for skill in "$plugin"/skills/*/; do
  check "the skill $(basename "$skill") is valid" "$skills_ref" validate "$skill"
done

# --- what the documents of collab promise ---

is_short() { [ "$(wc -l <"$1")" -lt "$2" ] || { wc -l "$1" && return 1; }; }
lacks() { cat "${@:2}" >/dev/null && ! grep -Hin -- "$1" "${@:2}"; }
body_lines_of() { awk '/^---$/ && marks < 2 { ++marks; next } marks == 2' "$1" | grep -c .; }
launcher_is_thin() { [ "$(body_lines_of "$plugin/skills/slack-collab/SKILL.md")" -lt 30 ]; }
refers_once() { [ "$(grep -c COLLABORATION_MODE "$1")" = 1 ]; }

for skill in "$plugin"/skills/*/; do
  check "$(basename "$skill") is short" is_short "$skill/SKILL.md" 500
done
check "slack-collab has less than 30 lines of instruction" launcher_is_thin
check "both skills carry the same references" diff -r --exclude=EXAMPLE_MANIFEST.md \
  "$plugin/skills/define/references" "$plugin/skills/do/references"
check "define refers once to collaboration mode" refers_once "$plugin/skills/define/SKILL.md"
check "do refers once to collaboration mode" refers_once "$plugin/skills/do/SKILL.md"
check "workers and their mode know no Slack" lacks slack "$plugin/agents/define-worker.md" "$plugin/agents/executor.md" \
  "$plugin"/skills/{define,do}/SKILL.md "$plugin"/skills/{define,do}/references/*.md
text_of() { awk '/^---$/ && marks < 2 { ++marks; next } marks == 2' "$1" | sed '1{/^$/d}'; }
is_role() { diff <(text_of "$plugin/agents/$1.md") "$root/workflows/ralph/roles/$2.md"; }
check "the researchers of ralph are the plugin's" is_role research-analyst researcher
check "the executors of ralph are the plugin's" is_role spec-executor executor
check "agents have no field tools" lacks '^tools:' "$plugin"/agents/*.md

# --- the hook ---

# A teamster that says and does what the test wants.
pretend() {
  printf '#!/bin/sh\n%s\n' "$1" >"$scratch/bin/teamster"
  chmod +x "$scratch/bin/teamster"
}
hook() {
  printf '{"session_id":"%s","hook_event_name":"Stop","last_assistant_message":"\\"session_id\\": \\"x\\""}' "$1" |
    PATH=$scratch/bin:/usr/bin:/bin CLAUDE_PLUGIN_ROOT=$plugin CLAUDE_PLUGIN_DATA=$scratch/data sh "$plugin/hooks/orphans.sh"
}
is_quiet() { local said; said=$(hook "$1") && [ -z "$said" ] || { printf '%s\n' "$said" && return 1; }; }
message_is() {
  hook "$1" | node -e 'const said = JSON.parse(require("fs").readFileSync(0)).systemMessage;
    if (said !== process.argv[1]) { console.log(said); process.exit(1); }' "$2"
}

rm -f "$scratch/bin/teamster"
check "without teamster the hook is quiet" is_quiet one
pretend 'echo trouble >&2; exit 70'
check "with one that fails it is quiet" is_quiet one
pretend 'exec sleep 60'
check "with one that hangs it ends" timeout 9 bash -c "$(declare -f hook is_quiet); plugin=$plugin scratch=$scratch is_quiet one"
warning_of() { printf 'WARNING: Orphaned team detected: %s\nTeam directory: %s\nAge: %s\nTo cleanup: teamster team cleanup%s' "$@"; }
first=$(warning_of 'exec-a "b"\c-1' /home/kim/teams/exec-a '2 hours' '')
second=$(warning_of session-0123abcd /home/kim/.claude/teams/session-0123abcd '3 days' ' --claude-code')
printf '%s\n%s\n' "$first" "$second" >"$scratch/warnings"
pretend "[ \"\$*\" = 'team cleanup --dry-run --older-than 1h' ] || exit 2; cat '$scratch/warnings'"
check "orphans are told of, with name, place, age and the command" message_is one "$first
$second"
sed -i 's/2 hours/3 hours/' "$scratch/warnings"
check "the same orphans are told of once in a session" is_quiet one
third=$(warning_of exec-b /home/kim/teams/exec-b '1 hour' '')
printf '%s\n' "$third" >"$scratch/warnings"
check "others are told of again" message_is one "$third"

# --- the switch for teams ---

pretend 'printf "[%s]" "$@"'
says() { [ "$("${@:2}")" = "$1" ] || { "${@:2}" && return 1; }; }
ralph() { env PATH="$scratch/bin:/usr/bin:/bin" "$@" "$plugin/scripts/ralph.sh" research auth 'the goal'; }
check "without Claude Code's switch a step has no team" says '[run][ralph][research][auth][the goal][--set][teams=off][--set][teams_setting=CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS][--detach]' ralph
check "with it, it may have one" says '[run][ralph][research][auth][the goal][--detach]' \
  ralph CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS=1

# --- a real session ---

rm -f "$scratch/bin/teamster"
ln -s "$root/build/teamster" "$scratch/bin/teamster"
cp -r "$root/examples/notes" "$scratch/notes"
git -C "$scratch/notes" init -q
git -C "$scratch/notes" -c user.name=test -c user.email=test@localhost add -A
git -C "$scratch/notes" -c user.name=test -c user.email=test@localhost commit -qm "start"
export GIT_AUTHOR_NAME=test GIT_AUTHOR_EMAIL=test@localhost GIT_COMMITTER_NAME=test GIT_COMMITTER_EMAIL=test@localhost
"$scratch/bin/teamster" team create plugin-demo --member ada >/dev/null

bash_turn() { printf '{"tool_use":{"name":"Bash","input":{"command":"%s","description":"a test"}}}' "$1"; }
cat >"$scratch/script.json" <<END
{"conversations": [
  {"name": "status", "match": {"contains": "<command-name>/teamster:team-status</command-name>"}, "turns": [
    $(bash_turn "teamster team status"), {"text": "shown", "expect": {"contains": "ada"}}]},
  {"name": "spec", "match": {"contains": "<command-name>/teamster:implement-spec</command-name>"}, "turns": [
    $(bash_turn "teamster run implement-spec 01 --driver script --scripts rehearsal --detach"), {"text": "started"}]}]}
END
"$root/build/tests/model_server" --script "$scratch/script.json" --log "$scratch/model.log" \
  --ready-file "$scratch/ready" --parent $$ &
model=$!
for _ in $(seq 100); do [ -s "$scratch/ready" ] || sleep 0.1; done
ANTHROPIC_BASE_URL=http://127.0.0.1:$(cat "$scratch/ready")
export ANTHROPIC_BASE_URL

# session PROMPT [FLAGS]: the last text of a real Claude Code with the plugin.
session() {
  (cd "$scratch/notes" && PATH=$scratch/bin:/usr/bin:/bin timeout 60 "$TEAMSTER_CLAUDE" -p "$1" --plugin-dir "$plugin" \
    "${@:2}" </dev/null)
}
# The run's end, as teamster tells it.
run_is_done() {
  local run
  run=$("$scratch/bin/teamster" status --json | node -e \
    'console.log(JSON.parse(require("fs").readFileSync(0)).runs[0].run)') &&
    { timeout 60 "$scratch/bin/teamster" watch "$run" || { "$scratch/bin/teamster" status "$run" && return 1; }; }
}
check "/teamster:team-status shows the teams, with no more permission than its own" says shown session /teamster:team-status
check "/teamster:implement-spec starts a run" says started session "/teamster:implement-spec 01" \
  --allowedTools 'Bash(teamster run implement-spec:*)'
check "which goes on in the background to its end" run_is_done
check "the model was asked nothing that its script does not know" lacks '"why"' "$scratch/model.log"

exit $failed

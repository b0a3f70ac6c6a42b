#!/bin/sh
# The Stop hook of Claude Code: warns the user of orphaned teams older than an hour, once in a session for the same
# teams. It deletes nothing, and it ends with 0 and soon whatever happens, so that no session waits or fails for it.
exec 2>/dev/null

input=$(cat)
command -v teamster >/dev/null || exit 0

# Four lines for each: name, place, age, and the command that cleans up.
warnings=$(timeout 5 teamster team cleanup --dry-run --older-than 1h </dev/null) || exit 0
[ -n "$warnings" ] || exit 0

# The age is another one each time: the teams tell whether this has been said.
session=$(printf '%s' "$input" | sed -n 's/.*"session_id" *: *"\([0-9a-zA-Z-]*\)".*/\1/p' | head -n 1)
if [ -n "${CLAUDE_PLUGIN_DATA-}" ] && [ -n "$session" ]; then
  mkdir -p "$CLAUDE_PLUGIN_DATA"
  told=$CLAUDE_PLUGIN_DATA/orphans-$session
  teams=$(printf '%s\n' "$warnings" | grep -v '^Age: ')
  [ "$(cat "$told")" != "$teams" ] || exit 0
  printf '%s\n' "$teams" >"$told"
  find "$CLAUDE_PLUGIN_DATA" -name 'orphans-*' -mtime +7 -exec rm -f {} +
fi

printf '{"systemMessage":"%s"}\n' "$(
  printf '%s\n' "$warnings" | tr -d '\000-\011\013-\037' | sed 's/[\\"]/\\&/g' |
    awk '{ printf "%s%s", (NR > 1 ? "\\n" : ""), $0 }'
)"
exit 0

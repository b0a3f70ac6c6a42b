# Writing: NAME NUMBER as people read it.
line() { printf '%s: %s\n' "$1" "$2"; }

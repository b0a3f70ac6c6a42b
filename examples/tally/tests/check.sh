# expect NAME WANTED GOT
expect() {
  if [ "$2" = "$3" ]; then echo "ok $1"; else echo "not ok $1: expected '$2', got '$3'"; fi
}
text=$(mktemp)
trap 'rm -f "$text"' EXIT
printf 'one two\nthree\n' >"$text"

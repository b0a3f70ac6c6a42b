# For end-to-end tests: a fresh NOTES_FILE, and `expect NAME EXIT OUTPUT COMMAND...`, which prints
# "ok NAME" or "not ok NAME: why". Standard output and error are taken together.
notes=$PWD/build/notes
scratch=$PWD/build/tests/scratch
rm -rf "$scratch" && mkdir -p "$scratch" || exit 2
NOTES_FILE=$scratch/notes.txt
export NOTES_FILE
failures=0

expect() {
  name=$1 exit=$2 output=$3
  shift 3
  got_output=$("$@" 2>&1)
  got_exit=$?
  if [ "$got_exit" = "$exit" ] && [ "$got_output" = "$output" ]; then
    echo "ok $name"
  else
    echo "not ok $name: expected exit $exit with '$output', got exit $got_exit with '$got_output'"
    failures=1
  fi
}

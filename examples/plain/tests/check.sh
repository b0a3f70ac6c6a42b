# expect NAME EXIT OUTPUT COMMAND...: prints "ok NAME" or "not ok NAME: why".
expect() {
  name=$1 exit=$2 output=$3
  shift 3
  got_exit=0
  got_output=$("$@" 2>&1) || got_exit=$?
  if [ "$got_exit" = "$exit" ] && [ "$got_output" = "$output" ]; then
    echo "ok $name"
  else
    echo "not ok $name: expected exit $exit with '$output', got exit $got_exit with '$got_output'"
  fi
}

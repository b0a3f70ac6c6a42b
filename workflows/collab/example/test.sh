#!/bin/sh
# All tests of the project.
test "$(sh greet.sh Kim)" = 'Hello, Kim' || { echo 'FAIL: greeting'; exit 1; }

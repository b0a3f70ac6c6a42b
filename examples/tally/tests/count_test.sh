. ./tests/check.sh
. ./src/count.sh
expect words 3 "$(count_words "$text")"

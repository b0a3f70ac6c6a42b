. ./tests/check.sh
. ./src/format.sh
expect line 'words: 3' "$(line words 3)"

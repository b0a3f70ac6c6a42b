. tests/check.sh
. src/plain.sh
expect plain-words 0 'good morning' plain good morning
expect plain-nothing 0 '' plain

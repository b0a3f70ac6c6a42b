. tests/e2e/check.sh
expect help-names-itself 0 'notes help' sh -c '"$0" help | head -n 1' "$notes"
expect unknown-verb 2 "usage: notes VERB, see 'notes help'" "$notes" frobnicate
exit $failures

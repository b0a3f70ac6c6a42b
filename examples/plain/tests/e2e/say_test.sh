. tests/check.sh
expect say-plain 0 'good morning' sh say.sh plain good morning
expect say-unknown-manner 2 'usage: say.sh MANNER WORD...' sh say.sh mumble good morning
expect say-nothing 2 'usage: say.sh MANNER WORD...' sh say.sh

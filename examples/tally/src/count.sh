# Counting: each function prints a number.
count_words() { wc -w <"$1" | tr -d ' '; }

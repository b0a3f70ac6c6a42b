# The words as they are.
plain() {
  printf '%s\n' "$*"
}

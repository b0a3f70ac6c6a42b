#include "cli/framework/completion_scripts.h"

namespace teamster::cli {

// What comes back are lines of a word, a tab and its help.
std::string_view bash_completion() {
  return R"(# bash completion of teamster, from `teamster completion bash`.
_teamster() {
  local current=${COMP_WORDS[COMP_CWORD]}
  mapfile -t COMPREPLY < <("$1" complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  COMPREPLY=("${COMPREPLY[@]%%$'\t'*}")
  if [ "$current" = = ] || [ "${COMP_WORDS[COMP_CWORD-1]}" = = ]; then
    # bash takes --flag=value for three words, and wants the last.
    COMPREPLY=("${COMPREPLY[@]#--*=}")
    [ "$current" != = ] || current=
  fi
  if [ "${COMPREPLY[0]-}" = :file ]; then
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
    compopt -o filenames 2>/dev/null
  fi
}
complete -F _teamster teamster
)";
}

std::string_view zsh_completion() {
  return R"(#compdef teamster
# zsh completion of teamster, from `teamster completion zsh`.
_teamster() {
  local line
  local -a lines offers
  lines=("${(@f)$("${words[1]}" complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ ${lines[1]} == :file ]]; then
    _files
    return
  fi
  for line in $lines; do
    offers+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
  done
  (( $#offers )) && _describe teamster offers
}
if [ "${funcstack[1]}" = _teamster ]; then
  _teamster "$@"
else
  compdef _teamster teamster
fi
)";
}

std::string_view fish_completion() {
  return R"(# fish completion of teamster, from `teamster completion fish`.
function __teamster_complete --description 'What may stand at the cursor'
  set -l words (commandline -opc)
  set -l lines (command $words[1] complete -- $words[2..-1] (commandline -ct) 2>/dev/null)
  if test "$lines[1]" = :file
    __fish_complete_path (commandline -ct)
  else if test (count $lines) -gt 0
    printf '%s\n' $lines
  end
end
complete -c teamster -f -a '(__teamster_complete)'
)";
}

}  // namespace teamster::cli

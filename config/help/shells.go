package help

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Shells are those that there are completions for.
func Shells() []string { return slices.Sorted(maps.Keys(shells)) }

// Script returns the completion script for a shell. It asks the program itself, so it works with
// later versions.
func Script(shell, program string) (string, error) {
	script, ok := shells[shell]
	if !ok {
		return "", fmt.Errorf("there is no completion for %q: name one of %s", shell, strings.Join(Shells(), ", "))
	}
	function := strings.ReplaceAll(program, "-", "_")
	return strings.NewReplacer("PROGRAM", program, "FUNCTION", function).Replace(script), nil
}

// shells have what each of them reads.
var shells = map[string]string{
	"bash": `# completion of PROGRAM for bash: source <(PROGRAM completion bash)
_FUNCTION() {
	local line cur=${COMP_WORDS[COMP_CWORD]}
	[[ $cur == = ]] && cur=
	COMPREPLY=()
	while IFS= read -r line; do
		if [[ $line == :files ]]; then
			compopt -o filenames 2>/dev/null
			while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$cur")
		else
			COMPREPLY+=("${line%%$'\t'*}")
		fi
	done < <("${COMP_WORDS[0]}" complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _FUNCTION PROGRAM
`,
	"zsh": `#compdef PROGRAM
# completion of PROGRAM for zsh: PROGRAM completion zsh > "${fpath[1]}/_PROGRAM"
_FUNCTION() {
	local line files
	local -a found
	for line in "${(@f)$("${words[1]}" complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
		if [[ $line == :files ]]; then
			files=1
		elif [[ -n $line ]]; then
			found+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
		fi
	done
	[[ $PREFIX == --*=* ]] && compset -P '*='
	(( $#found )) && _describe 'PROGRAM' found
	[[ -n $files ]] && _files
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _FUNCTION "$@"; else compdef _FUNCTION PROGRAM; fi
`,
	"fish": `# completion of PROGRAM for fish: PROGRAM completion fish | source
function __FUNCTION
	set -l begun (commandline -ct)
	set -l flag (string match -r '^--[^=]*=' -- $begun)
	for line in (PROGRAM complete -- (commandline -opc)[2..] $begun 2>/dev/null)
		if test "$line" = :files
			printf "$flag%s\n" (__fish_complete_path (string replace -- "$flag" '' $begun))
		else
			echo "$flag$line"
		end
	end
end
complete -c PROGRAM -f -a '(__FUNCTION)'
`,
}

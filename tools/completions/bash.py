# SPDX-License-Identifier: MIT
"""Completions of bash. They work with the package bash-completion, and without it."""

# Names come from file names, and compgen -W would expand what is in them: only plain ones are taken.
FIXED = r"""# headstart(1) completion for bash                                  -*- shell-script -*-
# Made from the table of verbs and their --help.

# Prints the programs that have a profile or a plan, if they are in PATH under that name.
_headstart_recorded()
{
	local folder file name
	for folder in "${HEADSTART_STATE:-${XDG_STATE_HOME:-$HOME/.local/state}/headstart}" @state@; do
		for file in "$folder"/*.profile "$folder"/*.plan; do
			name=${file##*/}
			name=${name%.*}
			name=${name%@*}
			name=${name%-*}
			[[ $name =~ ^[A-Za-z0-9_+][A-Za-z0-9_+.-]*$ ]] && type -P -- "$name" >/dev/null && printf '%s\n' "$name"
		done
	done | sort -u
}

# _headstart_offer KIND: what the word that is being typed may become.
_headstart_offer()
{
	local words
	case $1 in
	file)
		compopt -o filenames 2>/dev/null
		mapfile -t words < <(compgen -f -- "$cur")
		;;
	folder)
		compopt -o filenames 2>/dev/null
		mapfile -t words < <(compgen -d -- "$cur")
		;;
	profile)
		compopt -o filenames 2>/dev/null
		mapfile -t words < <(compgen -f -W "$(_headstart_recorded)" -- "$cur")
		;;
	user) mapfile -t words < <(compgen -u -- "$cur") ;;
	program | command)
		mapfile -t words < <(compgen -W "$(_headstart_recorded)" -- "$cur")
		[[ $1 = program && ${#words[@]} -gt 0 ]] || mapfile -t -O ${#words[@]} words < <(compgen -c -- "$cur")
		;;
	verb) mapfile -t words < <(compgen -W "$verbs" -- "$cur") ;;
	esac
	COMPREPLY+=("${words[@]}")
}

# _headstart_command INDEX: the rest of the line, from this word on, is a command of its own.
_headstart_command()
{
	if ((COMP_CWORD == $1)); then
		_headstart_offer command
	elif declare -F _comp_command_offset >/dev/null; then
		_comp_command_offset "$1"
	elif declare -F _command_offset >/dev/null; then
		_command_offset "$1"
	else
		_headstart_offer file
	fi
}

# Of a verb: its options, those of them that take a value, the fixed words of its first argument, and the kind of its arguments.
_headstart_describe()
{
	options= valued= words= argument=
	case $1 in
@describe@
	esac
}

# The value of an option.
_headstart_value()
{
	case $1 in
@values@
	esac
}

_headstart()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} verb=${COMP_WORDS[1]-}
	local options valued words argument i first=0
	local verbs='@verbs@'

	COMPREPLY=()
	if ((COMP_CWORD == 1)); then
		mapfile -t COMPREPLY < <(compgen -W "$verbs help --help --version" -- "$cur")
		return
	fi
	_headstart_describe "$verb"

	# The first argument of the verb that is no option and no value of one. bash makes a word of each '='.
	for ((i = 2; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		--)
			first=$((i + 1))
			break
			;;
		=) ((i++)) ;;
		-*) [[ " $valued " != *" ${COMP_WORDS[i]} "* || ${COMP_WORDS[i + 1]-} = = ]] || ((i++)) ;;
		*)
			first=$i
			break
			;;
		esac
	done
	if ((first > 0)) && [[ $argument = command ]]; then
		_headstart_command "$first"
		return
	fi

	if [[ $cur = = ]]; then
		cur=
	elif [[ $prev = = ]]; then
		prev=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	if [[ " $valued " = *" $prev "* ]]; then
		_headstart_value "$verb $prev"
	elif [[ $cur = -* && ${COMP_WORDS[first - 1]} != -- ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$options" -- "$cur")
	elif [[ -n $words ]] && ((first == 0)); then
		mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
	else
		_headstart_offer "$argument"
	fi
	[[ ${#COMPREPLY[@]} -ne 1 || ${COMPREPLY[0]} != *: ]] || compopt -o nospace 2>/dev/null
}
complete -F _headstart headstart
"""


def describe(verb):
    valued = [name for option in verb.options if option.value for name in option.names()]
    lines = [f"\t{verb.name})", "\t\toptions='" + " ".join(name for option in verb.options for name in option.names()) + "'"]
    if valued:
        lines.append(f"\t\tvalued='{' '.join(valued)}'")
    if verb.words:
        lines.append(f"\t\twords='{' '.join(verb.words)}'")
    if verb.argument:
        lines.append(f"\t\targument={verb.argument}")
    return "\n".join(lines + ["\t\t;;"])


def value(verb, option):
    names = " | ".join(f"'{verb.name} {name}'" for name in option.names())
    if option.choices:
        return f"\t{names}) mapfile -t COMPREPLY < <(compgen -W '{' '.join(option.choices)}' -- \"$cur\") ;;"
    return f"\t{names}) _headstart_offer {option.kind} ;;"


def render(verbs, state):
    values = [value(verb, option) for verb in verbs for option in verb.options if option.choices or option.kind]
    parts = {"state": state, "verbs": " ".join(verb.name for verb in verbs), "values": "\n".join(values),
             "describe": "\n".join([describe(verb) for verb in verbs] + ["\thelp) argument=verb ;;"])}
    text = FIXED
    for name, part in parts.items():
        text = text.replace(f"@{name}@", part)
    return text

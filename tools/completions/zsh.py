# SPDX-License-Identifier: MIT
"""Completions of zsh."""

FIXED = r"""#compdef headstart
# headstart(1) completion for zsh, made from the table of verbs and their --help.

# The programs that have a profile or a plan, if they are in PATH under that name.
_headstart_recorded() {
	local -aU names
	local file name
	for file in ${HEADSTART_STATE:-${XDG_STATE_HOME:-$HOME/.local/state}/headstart}/*.(profile|plan)(N) @state@/*.(profile|plan)(N); do
		name=${${${file:t:r}%@*}%-*}
		(( $+commands[$name] )) && names+=($name)
	done
	(( $#names )) && _describe -t programs 'recorded program' names
}

_headstart_program() {
	_headstart_recorded || _command_names -e
}

_headstart_profile() {
	_alternative 'programs:recorded program:_headstart_recorded' 'files:file:_files'
}

_headstart_command() {
	_alternative 'programs:recorded program:_headstart_recorded' 'commands:command:_command_names -e'
}

_headstart_verbs() {
	local -a verbs=(
@verbs@
	)
	_describe -t verbs 'verb' verbs "$@"
}

@functions@

_headstart() {
	local curcontext=$curcontext state line
	local -A opt_args
	_arguments -C \
		'(- *)'{-h,--help}'[print the verbs]' \
		'(- *)--version[print the version]' \
		'1: :->verb' '*:: :->rest' && return
	case $state in
	verb)
		local -a help=('help:print the options of a verb')
		_headstart_verbs
		_describe -t help 'help' help
		;;
	rest)
		curcontext=${curcontext%:*:*}:headstart-$line[1]:
		if [[ $line[1] = help ]]; then
			_arguments '1: :_headstart_verbs'
		else
			(( $+functions[_headstart-$line[1]] )) && _headstart-$line[1]
		fi
		;;
	esac
}

_headstart "$@"
"""

ACTIONS = {"file": "_files", "folder": "_files -/", "profile": "_headstart_profile", "program": "_headstart_program", "command": "_headstart_command", "user": "_users",
           "verb": "_headstart_verbs"}


def escape(text):
    """A text in an _arguments specification, in single quotes."""
    return "".join("\\" + char if char in "[]:\\" else "'\\''" if char == "'" else char for char in text)


def action(option):
    if option.choices:
        return f"({' '.join(escape(choice) for choice in option.choices)})"
    return ACTIONS.get(option.kind, " ")


def option_spec(option):
    value = f":{option.value.lower()}:{action(option)}" if option.value else ""
    names = "{" + ",".join(option.names()) + "}" if option.short else option.long
    mark = "=" if option.value else ""
    if option.long == "--help":
        return f"'(- *)'{names}'[{escape(option.what)}]'"
    if option.short:
        return f"'({option.short} {option.long})'{{{option.short}{'+' if value else ''},{option.long}{mark}}}'[{escape(option.what)}]{value}'"
    return f"'{option.long}{mark}[{escape(option.what)}]{value}'"


def function(verb):
    specs = [option_spec(option) for option in verb.options]
    if verb.argument == "command":
        specs += ["'(-)1:command:_headstart_command'", "'*::argument:_normal'"]
    else:
        if verb.words:
            specs.append(f"'1:word:({' '.join(verb.words)})'")
        if verb.argument:
            specs.append(f"'*:{verb.argument}:{ACTIONS[verb.argument]}'")
    lines = " \\\n\t\t".join(specs)
    return f"_headstart-{verb.name}() {{\n\t_arguments -s -S : \\\n\t\t{lines}\n}}"


def render(verbs, state):
    parts = {"state": state, "functions": "\n\n".join(function(verb) for verb in verbs),
             "verbs": "\n".join(f"\t\t'{verb.name}:{escape(verb.what)}'" for verb in verbs)}
    text = FIXED
    for name, part in parts.items():
        text = text.replace(f"@{name}@", part)
    return text

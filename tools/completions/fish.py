# SPDX-License-Identifier: MIT
"""Completions of fish."""

FIXED = r"""# headstart(1) completion for fish, made from the table of verbs and their --help.

# Prints the programs that have a profile or a plan, if they are in PATH under that name.
function __headstart_recorded
    set -l own $HOME/.local/state/headstart
    set -q XDG_STATE_HOME; and set own $XDG_STATE_HOME/headstart
    set -q HEADSTART_STATE; and set own $HEADSTART_STATE
    for file in $own/*.profile $own/*.plan @state@/*.profile @state@/*.plan
        set -l name (string replace -r '.*/' '' -- $file | string replace -r -- '-[0-9a-f]{16}(@[0-9a-f]*)?\.[a-z]*$' '')
        command -q -- $name; and echo $name
    end | sort -u
end

function __headstart_program
    set -l names (__headstart_recorded)
    if set -q names[1]
        printf '%s\n' $names
    else
        __fish_complete_command
    end
end

function __headstart_command
    __headstart_recorded
    __fish_complete_subcommand --fcs-skip=2
end

function __headstart_verb
    set -l words (commandline -opc)
    set -q words[2]; and contains -- $words[2] $argv
end

complete -c headstart -f
complete -c headstart -n __fish_use_subcommand -s h -l help -d 'print the verbs'
complete -c headstart -n __fish_use_subcommand -l version -d 'print the version'
complete -c headstart -n __fish_use_subcommand -a help -d 'print the options of a verb'
"""

ACTIONS = {"folder": "-x -a '(__fish_complete_directories)'", "program": "-x -a '(__headstart_program)'",
           "command": "-x -a '(__headstart_command)'", "user": "-x -a '(__fish_complete_users)'",
           "profile": "-r -F -a '(__headstart_recorded)'", "file": "-r -F"}


def quote(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def option_line(verb, option):
    line = f"complete -c headstart -n '__headstart_verb {verb.name}'"
    if option.short:
        line += f" -s {option.short[1:]}"
    line += f" -l {option.long[2:]}"
    if option.choices:
        line += f" -x -a {quote(' '.join(option.choices))}"
    elif option.value:
        line += " " + ACTIONS.get(option.kind, "-x")
    return line + f" -d {quote(option.what)}"


def arguments(verb):
    test = f"complete -c headstart -n '__headstart_verb {verb.name}'"
    if verb.words:
        yield f"{test} -a '{' '.join(verb.words)}'"
    if verb.argument == "file":
        yield f"{test} -F"
    elif verb.argument == "profile":
        yield f"{test} -F -a '(__headstart_recorded)'"
    elif verb.argument:
        yield f"{test} -a '(__headstart_{verb.argument})'"


def render(verbs, state):
    lines = [FIXED.replace("@state@", state)]
    for verb in verbs:
        lines.append(f"complete -c headstart -n __fish_use_subcommand -a {verb.name} -d {quote(verb.what)}")
    lines.append(f"complete -c headstart -n '__headstart_verb help' -a '{' '.join(verb.name for verb in verbs)}'")
    for verb in verbs:
        lines += [option_line(verb, option) for option in verb.options]
        lines += arguments(verb)
    return "\n".join(lines) + "\n"

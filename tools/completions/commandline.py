# SPDX-License-Identifier: MIT
"""What can be typed after 'headstart', read from the sources: the table of verbs, and the text of each verb's --help.

The build fails if a choice below is no longer in that text, and tests/completions compares the result with the built programs.
"""

import ast
import glob
import os
import re
from dataclasses import dataclass, field

# How a value or an argument is completed, by its name in --help. Others (N, SECONDS, SIZE) are not completed.
KINDS = {
    "FILE": "file", "OUT": "file", "OUTPUT": "file",
    "PROFILE": "profile", "P": "profile",    # a file, or a recorded program
    "FOLDER": "folder", "DIR": "folder",
    "PROGRAM": "program",    # recorded ones, or else any
    "COMMAND": "command",    # a whole command line
    "VERB": "verb",
}

# Options with a fixed set of values. A value that ends in ':' goes on. --help has them too, but in sentences.
CHOICES = {
    ("record", "--until"): ("exit", "window", "mark", "idle:", "time:"),
    ("record", "--backend"): ("auto", "trace", "ptrace", "pagemap"),
    ("trace", "--until"): ("exit", "window", "mark", "idle:", "time:"),
    ("timeline", "--format"): ("html", "svg", "perfetto"),
    ("boot", "--format"): ("html", "svg", "perfetto"),
    ("measure", "--until"): ("exit", "window", "idle:"),
    ("run", "--wait"): ("none", "done", "auto"),
    ("plan", "--device"): ("auto", "rotational", "solid", "lazy"),
    ("place", "--device"): ("auto", "rotational", "solid", "lazy"),
    ("order", "--for"): ("lld", "gold", "ld", "ld-script", "mold"),
    ("export", "--format"): ("estargz", "nydus", "soci", "overlaybd", "cvmfs", "mksquashfs", "vmtouch", "ranges"),
}

# Where the name alone does not tell.
SPECIAL = {("record", "--user"): "user", ("trace", "--user"): "user", ("watch", "--user"): "user", ("install", "--app"): "program", ("uninstall", "--app"): "program"}


read_files = set()    # the sources that were read


class Stale(Exception):
    """The sources do not say what this file takes for granted."""


@dataclass
class Option:
    long: str            # with its dashes
    short: str           # with its dash, or ""
    value: str           # the value's name in --help, or ""
    what: str            # one line
    kind: str = ""       # see KINDS; "" if there is no value, or it is not completed
    choices: tuple = ()

    def names(self):
        return [self.short, self.long] if self.short else [self.long]


@dataclass
class Verb:
    name: str
    what: str
    options: list = field(default_factory=list)
    words: tuple = ()    # what the first argument may be, where that is a fixed word
    argument: str = ""   # how arguments are completed; see KINDS


def content(path):
    read_files.add(path)
    with open(path, encoding="utf-8") as file:
        return file.read()


def c_text(literals):
    """The text of adjacent string literals of C."""
    return "".join(ast.literal_eval(literal) for literal in re.findall(r'"(?:[^"\\]|\\.)*"', literals))


def table(source):
    """(name, one line of help) of each verb, in order."""
    verbs = re.findall(r'\bVERB\((\w+), ("(?:[^"\\]|\\.)*")\)', content(os.path.join(source, "verb.h")))
    if len(verbs) < 10:
        raise Stale("verb.h has no table of verbs")
    return [(name, c_text(text)) for name, text in verbs]


def help_texts(source):
    """Verb -> the text of its --help. It begins with "usage: headstart VERB "."""
    texts = {}
    for path in sorted(glob.glob(os.path.join(source, "**/*.c"), recursive=True)):
        for literals in re.findall(r'\bhelp\[\] =\s((?:\s*"(?:[^"\\]|\\.)*")+);', content(path)):
            text = c_text(literals)
            verb = re.match(r"usage: headstart (\w+) ", text)
            if verb:
                texts[verb[1]] = text
    return texts


def one_line(what, option):
    """What an option does, from all lines of its text: no second clause, and no list of its values."""
    what = re.split(r"; |: | \(|\. ", re.sub(r"\s+", " ", what).strip())[0]
    return option.value.lower() if option.choices else what


def parse_options(verb, text):
    """An option whose value may be left out ("--option[=VALUE]") is completed as one without."""
    options = []
    for short, long, value, what in re.findall(
            r"^  (?:(-\w), |    )(--[a-z-]+)(?: ([A-Z]+)|\[=[A-Z]+\])?  +(.*(?:\n {8,}.*)*)", text, re.MULTILINE):
        option = Option(long, short, value, what, choices=CHOICES.get((verb, long), ()))
        option.what = one_line(what, option)
        option.kind = SPECIAL.get((verb, long), KINDS.get(value, "")) if value else ""
        options.append(option)
    for choice in option_choices(options):
        if not re.search(rf"\b{re.escape(choice.rstrip(':'))}\b", text):
            raise Stale(f"'headstart {verb} --help' no longer has the value '{choice}'")
    return options


def option_choices(options):
    return [choice for option in options for choice in option.choices]


def parse_arguments(verb, text):
    """(fixed words, kind) of the arguments in the lines of usage."""
    words, kind = [], ""
    for usage in re.findall(rf"^(?:usage:|      ) headstart {verb} (.*)$", text, re.MULTILINE):
        usage = re.sub(r"--?[a-z][a-z-]*( [A-Z]+)?", "", usage)     # options and their values
        words += re.findall(r"\b[a-z]+\b", usage)
        names = re.findall(r"\b[A-Z]{2,}\b", usage.replace("OPTION", ""))
        line = "ARGUMENT" in names and "[--]" in usage
        if names:
            kind = "command" if line else "profile" if {"FILE", "PROGRAM"} <= set(names) else KINDS.get(names[0], kind)
    return tuple(words), kind


def read(source):
    """The verbs, from the folder of the programs' sources."""
    texts = help_texts(source)
    verbs = []
    for name, what in table(source):
        if name not in texts:
            raise Stale(f"no --help of 'headstart {name}' was found in '{source}'")
        words, argument = parse_arguments(name, texts[name])
        verbs.append(Verb(name, what, parse_options(name, texts[name]), words, argument))
    known = {(verb.name, option.long) for verb in verbs for option in verb.options}
    for gone in (set(CHOICES) | set(SPECIAL)) - known:
        raise Stale(f"there is no option {gone[1]} of 'headstart {gone[0]}'")
    return verbs

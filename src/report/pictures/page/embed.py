#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Makes C strings of the files of the page, and a table of its colours:  embed.py OUTPUT NAME=FILE…"""
import re
import sys

with open(sys.argv[1], "w", encoding="ascii") as output:
    for argument in sys.argv[2:]:
        name, path = argument.split("=", 1)
        with open(path, "rb") as file:
            lines = file.read().splitlines(keepends=True)
        print(f"static const char {name}[] =", file=output)
        for line in lines:
            text = "".join(chr(c) if 32 <= c < 127 and c not in b'"\\?' else f"\\{c:03o}" for c in line)
            print(f'\t"{text}"', file=output)
        print("\t;", file=output)
        if path.endswith(".css"):   # light ones first, then dark ones
            colours = {}
            for colour, value in re.findall(rb"--([a-z]+): (#[0-9a-f]+)", b"".join(lines)):
                colours.setdefault(colour.decode(), []).append(value.decode())
            print("static const struct page_colour {\n\tconst char *name, *light, *dark;\n} page_colours[] = {", file=output)
            for colour, (light, dark, *_) in colours.items():
                print(f'\t{{"{colour}", "{light}", "{dark}"}},', file=output)
            print("};", file=output)

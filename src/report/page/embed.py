#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Makes C strings of the files of the page:  embed.py OUTPUT NAME=FILE…"""
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

#!/usr/bin/env python3
"""Writes a C++ program of many functions into a folder, of which main() calls few, scattered over all.

    make-program.py FOLDER [FUNCTIONS [CALLED]]

Of all that compilers make: free and static functions (with the same names in every file), templates in COMDAT groups,
members, aliases, functions with a cold part, constructors that run before main(), and assembler without a size.
"""
import random
import sys

folder, total, called = sys.argv[1], int((sys.argv + ["3000"])[2]), int((sys.argv + ["", "150"])[3])
files = 6
chance = random.Random(3)


def body(number):
    lines = []
    for _ in range(chance.randrange(10, 40)):
        lines.append(f"\tx = x * {chance.randrange(3, 1 << 20) | 1}u ^ (x >> {chance.randrange(1, 13)});")
    return "\n".join(lines) + f"\n\treturn x + {number};\n"


header = ["#pragma once", "extern unsigned char gate;"]
sources = [["#include <stdexcept>", '#include "all.h"'] for _ in range(files)]
calls = []
for number in range(total):
    file, kind = number * files // total, number % 10
    source = sources[file]
    name = f"f{number}"
    if kind == 0:      # a template: weak, in a COMDAT group
        source.append(f"template <int N> unsigned t(unsigned x)\n{{\n\tx += N;\n{body(number)}}}")
        source[-1] = source[-1].replace(" t(", f" t{number}(")
        header.append(f"unsigned {name}(unsigned x);")
        source.append(f"unsigned {name}(unsigned x)\n{{\n\treturn t{number}<{number}>(x) ^ t{number}<1>(x + 1);\n}}")
    elif kind == 1:    # static, behind a global one; the name is the same in every file
        twin = f"helper{number % (total // files)}"
        source.append(f"__attribute__((noinline)) static unsigned {twin}(unsigned x)\n{{\n{body(number)}}}")
        header.append(f"unsigned {name}(unsigned x);")
        source.append(f"unsigned {name}(unsigned x)\n{{\n\treturn {twin}(x) + 1;\n}}")
    elif kind == 2:    # a member
        header.append(f"namespace space {{ struct C{number} {{ unsigned v; unsigned m(unsigned x) const; }}; }}\n"
                      f"unsigned {name}(unsigned x);")
        source.append(f"unsigned space::C{number}::m(unsigned x) const\n{{\n\tx ^= v;\n{body(number)}}}")
        source.append(f"unsigned {name}(unsigned x)\n{{\n\treturn space::C{number}{{x}}.m(x);\n}}")
    elif kind == 3:    # throws, so that the compiler splits a part off
        header.append(f"unsigned {name}(unsigned x);")
        source.append(f"unsigned {name}(unsigned x)\n{{\n\tif (__builtin_expect(gate, 0))\n"
                      f"\t\tthrow std::runtime_error(\"{name}\");\n{body(number)}}}")
    elif kind == 4:    # an alias
        header.append(f'extern "C" unsigned {name}(unsigned x);')
        source.append(f'extern "C" unsigned {name}_body(unsigned x)\n{{\n{body(number)}}}\n'
                      f'extern "C" unsigned {name}(unsigned x) __attribute__((alias("{name}_body")));')
    else:
        header.append(f"unsigned {name}(unsigned x);")
        source.append(f"unsigned {name}(unsigned x)\n{{\n{body(number)}}}")
for number in sorted(chance.sample(range(total), called), key=lambda _: chance.random()):
    calls.append(f"\tx = f{number}(x);\n\tprintf(\"%u\\n\", x);")
main = ['#include <cstdio>', '#include "all.h"', "unsigned char gate;", "unsigned before = f7(1);",
        'extern "C" void bare();', "int main()\n{", "\tunsigned x = before;", "\tbare();", *calls, "}"]
open(f"{folder}/all.h", "w").write("\n".join(header) + "\n")
open(f"{folder}/main.cc", "w").write("\n".join(main) + "\n")
for file, source in enumerate(sources):
    open(f"{folder}/part{file}.cc", "w").write("\n".join(source) + "\n")
open(f"{folder}/bare.s", "w").write('\t.section .text.bare,"ax",%progbits\n\t.globl bare\n\t.type bare, %function\n'
                                    'bare:\n\tret\n\t.section .note.GNU-stack,"",%progbits\n')

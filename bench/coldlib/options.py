# SPDX-License-Identifier: MIT
"""What the benchmarks' command lines have in common."""

import argparse
import json

from lab.device import MODELS as DEVICES


def positive(kind, text):
    try:
        value = kind(text)
    except ValueError:
        value = 0
    if not 0 < value < 1e6:
        raise argparse.ArgumentTypeError(f"'{text}' is not a positive number")
    return value


def add_protocol(parse, build):
    """How often and how long a command is run; `build` is the default of --build."""
    parse.add_argument("--runs", type=lambda text: positive(int, text), default=7, metavar="N",
                       help="runs of each arm (default: %(default)s)")
    parse.add_argument("--seed", type=int, default=1, metavar="N",
                       help="of the device's chances and of the bootstrap (default: 1)")
    parse.add_argument("--timeout", type=lambda text: positive(float, text), default=120, metavar="S",
                       help="seconds after which a run hangs (default: 120)")
    parse.add_argument("--build", default=build, metavar="DIR",
                       help="where headstart was built (default: build/ of this source)")
    parse.add_argument("--json", metavar="FILE", help="write the result to FILE")
    parse.set_defaults(aged=False, recordings=1, relayout_args="")     # of a session (session.py), where the program has no such options


def write_json(measured, path):
    with open(path, "w", encoding="utf-8") as out:
        json.dump(measured, out, indent=1, ensure_ascii=False)
        out.write("\n")

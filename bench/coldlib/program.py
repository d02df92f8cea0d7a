# SPDX-License-Identifier: MIT
"""A benchmark from its arguments to its exit status."""

import signal
import sys

from . import options as shared
from .experiment import GivenUp, NotVerified
from .progress import Progress


def any_failed(rows):
    return any(row.get("failures") for row in rows)


def write_json(measured, options):
    if options.json:
        shared.write_json(measured, options.json)


def run(name, options, measure, show, failed=any_failed, write=write_json):
    """Measures, and writes and shows the result, also if one of these fails. measure(options, Progress) returns it; write(result, options)
    puts it where the options say; show(result) prints it; failed(result) says whether anything went wrong in it. Returns the exit
    status."""
    tell = Progress(name)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        measured = measure(options, tell)
    except (GivenUp, NotVerified) as reason:
        tell.note(str(reason))
        return 1
    except KeyboardInterrupt:
        tell.note("interrupted, nothing is reported")
        return 130
    finally:
        tell.clear()
    status = 1 if failed(measured) else 0
    try:
        write(measured, options)
    except (OSError, ImportError) as error:
        tell.note(f"cannot write the result: {error}")
        status = 1
    show(measured)
    return status

# SPDX-License-Identifier: MIT
"""Runs in the machine: records the start of a program there and uses the recording, as its user would, with the machine's own kernel
and dynamic loader. Prints a report in JSON.

The program is one that nothing else in the machine runs, so emptying the page cache makes nearly all of it cold.
"""

import hashlib
import json
import os
import subprocess
import sys

COMMAND = ("/usr/bin/gdb", "-nx", "-batch", "-ex", "print 6 * 7")
DROP = "/proc/sys/vm/drop_caches"


def headstart(*arguments):
    done = subprocess.run(("headstart", *arguments), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          check=False)
    if done.returncode != 0:
        sys.exit(f"'headstart {' '.join(arguments)}' exited {done.returncode}: {done.stderr.decode(errors='replace')}")
    return done.stdout.decode()


def cold_start(*before):
    """What a cold start prints, its exit status, and how often it waited for a page; `before` stands in front of the command."""
    os.sync()
    with open(DROP, "w", encoding="ascii") as drop:
        drop.write("3")
    process = subprocess.Popen((*before, *COMMAND), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    said = process.stdout.read().decode(errors="replace")
    _, status, usage = os.wait4(process.pid, 0)
    return {"said": said, "status": os.waitstatus_to_exitcode(status), "major_faults": usage.ru_majflt}


def record():
    return json.loads(headstart("record", "--json", "--", *COMMAND).splitlines()[-1])


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def relaid_starts(profile):
    """Relays out, in place, what the start gains from; starts the program without headstart and with it; and takes it all back."""
    planned = json.loads(headstart("relayout", "--profile", profile, "--dry-run", "--json"))
    paths = [file["path"] for file in planned["files"] if file["status"] != "skipped"]
    before = {path: digest(path) for path in paths}
    made = json.loads(headstart("relayout", "--profile", profile, "--in-place", "--force", "--json"))
    relaid = [path for path in paths if digest(path) != before[path]]
    for path in relaid:
        headstart("verify", path)
    starts = {"relaid": cold_start()}
    record()                    # relaid files have other pages
    starts["relaid, run"] = cold_start("headstart", "run", "--wait", "done", "--")
    for path in relaid:
        headstart("undo", path)
    return {"done": made["done"], "failed": made["failed"], "refused": made["refused"], "relaid": len(relaid),
            "restored": sum(digest(path) == before[path] for path in relaid)}, starts


def main():
    cold_start()                # makes caches of its own, such as Python's
    starts = {"nothing": cold_start()}
    recorded = record()
    starts["run"] = cold_start("headstart", "run", "--wait", "done", "--")
    relayout, more = relaid_starts(recorded["profile"])
    recorded.pop("profile")
    json.dump({"recorded": recorded, "relayout": relayout, "starts": {**starts, **more}}, sys.stdout)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: MIT
"""Several links of one program, each in an image of its own under the same path: bench/order.

All images are taken out and laid out anew alike (lab/variant.py), so that the links lie in the same place on the disk.
"""

import os
import re
import shutil
import subprocess

from coldlib import arms, session, stage, stats
from coldlib.experiment import GivenUp

AS_LINKED = "as-linked"     # the link that the others are held against
OWN_NAMES = ("nothing", "run", "warm")      # of its arms
# A line of readelf --sections --wide: [number] name, type, address, offset, bytes, bytes of an entry, flags.
_SECTION = re.compile(r"\s*\[\s*\d+\]\s+\S+\s+(\S+)\s+[0-9a-f]+\s+([0-9a-f]+)\s+([0-9a-f]+)\s+[0-9a-f]+\s+(\S*)\s")


def arms_of(links):
    """The arms of each link; those of the first have the names that results go by."""
    made = []
    for name in links:
        first = name == AS_LINKED
        made += [arms.Arm("nothing" if first else name, f"{name}, cold", image=name),
                 arms.Arm("run" if first else f"{name}-run", f"{name}, by headstart run with the plan of a recorded start",
                          prefix=arms.RUN, needs=arms.PLAN, image=name),
                 arms.Arm("warm" if first else f"{name}-warm", f"{name}, from a warm page cache", warm=True, image=name)]
    return sorted(made, key=lambda arm: arm.warm)


def libraries_of(path):
    """The packages that the libraries of a program come from."""
    packages = set()
    loaded = subprocess.run(["ldd", path], capture_output=True, text=True, check=False)      # fails for a static program
    for library in re.findall(r"(/\S+) \(0x", loaded.stdout):
        library = os.path.realpath(library)
        # dpkg knows a file by the path in its package, which may begin with /lib where that is a link.
        for known in (library, library.removeprefix("/usr")):
            found = subprocess.run(["dpkg-query", "--search", known], capture_output=True, text=True, check=False)
            if found.returncode == 0:
                packages.add(found.stdout.partition(":")[0])
                break
        else:
            raise GivenUp(f"no package has '{library}', which the program needs; the image is made of packages")
    return sorted(packages)


def code_sections(text):
    """(offset, bytes) in the file of each section with code, from what readelf --sections --wide says."""
    found = [match.groups() for match in map(_SECTION.match, text.splitlines()) if match]
    return [(int(offset, 16), int(size, 16)) for kind, offset, size, flags in found if kind == "PROGBITS" and "X" in flags]


def functions(text):
    """How many functions there are by what nm says; aliases count once."""
    return len({words[0] for words in map(str.split, text.splitlines()) if words[1] in "tTwW"})


def touches(pages, sections):
    """What a start touches of a file, of which sections have code."""
    code = {page for offset, size in sections
            for page in range(offset // stage.PAGE, (offset + size - 1) // stage.PAGE + 1)}
    touched = pages & code
    return {"code_bytes": sum(size for _, size in sections), "code_pages": len(code), "touched_pages": len(pages),
            "touched_code_pages": len(touched), "touched_code_runs": sum(page - 1 not in touched for page in touched)}


def _said(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


class Links(session.Session):
    """A stage for each link, with the link under the same path in each."""

    def change(self, kind):
        def put(tree):
            target = os.path.join(tree, self.options.app.command[0].lstrip("/"))
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copy(self.options.links[kind], target)
        return put

    def described(self):
        """{link: what a start touches of it}"""
        program = self.options.app.command[0]
        about = {}
        for name, path in self.options.links.items():
            about[name] = {
                "bytes": os.path.getsize(path), "functions": functions(_said("nm", "--defined-only", path)),
                **touches(self.stages[name].touched.of[program], code_sections(_said("readelf", "--sections", "--wide", path))),
            }
        return about


def compared(measured, chosen, seed):
    """{arm: its ratio to the same arm of the first link}, for the arms that the table holds against another."""
    found = {}
    for name in (arm.name for arm in chosen if arm.needs and arm.image != AS_LINKED):
        ours, first = measured["arms"][name], measured["arms"]["run"]
        if ours["failures"] or first["failures"]:
            continue
        found[name] = {
            "ratio_to_run": stats.ratio(ours["seconds"], first["seconds"]),
            "ratio_to_run_ci95": list(stats.ratio_interval(list(zip(ours["seconds"], first["seconds"])), seed)),
            "different_from_run": not stats.overlap(ours["ci95_s"], first["ci95_s"]),
        }
    return found

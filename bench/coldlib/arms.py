# SPDX-License-Identifier: MIT
"""The arms: what stands in front of the command, and which preparations that needs.

An arm is an environment and an argument prefix. {audit}, {preload}, {headstart} and {read_files} stand for paths in the
image, which depend on how headstart was built; {list} is a list of files there, {plain}, {other}, {merged}, {ptrace} and {pagemap} are plans.

People start programs from a shell that is already running: with `shell`, one runs and is idle before the time begins.
It always has the preload shim loaded; LD_PRELOAD in `environment` is for the command. A shell in the prefix is as cold
as the command, and its start is measured too.
"""

import dataclasses

PLAN = "plan"      # the plan of a recorded start
PLAIN = "plain"    # the same without the metadata of the file system
OTHER = "other"    # the same for the other kind of disk, rotational or solid
MERGED = "merged"  # the merged plan of three recorded starts, that one among them
PTRACE = "ptrace"  # the plan of a start that was recorded without trace events, by following it
PAGEMAP = "pagemap"    # the same, by looking at its page tables now and then
SHIM = "shim"      # headstart installed, nothing recorded
FILES = "files"    # the list of the files of a recorded start

RELAID = "relaid"          # the image with those ELF files of a recorded start relaid that gain by it
COMPACTED = "compacted"    # the same files compacted
REWRITTEN = "rewritten"    # the same image laid out anew, its files unchanged
PLACED = "placed"          # the image as it is, where a recorded start was placed
RELAID_PLACED = "relaid-placed"    # the relaid image, where a start recorded on it was placed

# What an image is before a start is placed in it.
BEFORE_PLACING = {PLACED: "", RELAID_PLACED: RELAID}


@dataclasses.dataclass(frozen=True)
class Arm:
    name: str
    what: str                     # for users, one line
    prefix: tuple = ()            # arguments before the command
    environment: tuple = ()       # (name, value) pairs
    needs: str = ""               # one of the above, or nothing at all
    warm: bool = False            # the page cache is verified to be warm, not cold
    image: str = ""               # RELAID, COMPACTED, REWRITTEN, PLACED, RELAID_PLACED, or "" for the image as it is
    shell: bool = False           # an already running shell with the preload shim executes prefix and command
    system: bool = False          # the preload shim is in the image's /etc/ld.so.preload

    @property
    def baseline(self):
        """The arm that stands for 'without headstart' in the same state of the page cache."""
        return "warm" if self.warm else "nothing"


AUDIT = ("LD_AUDIT", "{audit}")
RUN = ("{headstart}", "run", "--")
PRELOAD = ("LD_PRELOAD", "{preload}")
COLD_SHELL = ("/bin/sh", "-c", 'exec "$@"', "sh")

ARMS = {arm.name: arm for arm in (
    Arm("nothing", "the command as it is, from a cold page cache"),
    Arm("whole", "audit shim, nothing recorded: it reads the parts of files that pay here",
        environment=(AUDIT, ("HEADSTART", "whole")), needs=SHIM),
    Arm("files", "baseline: whole files of a recorded start in one sorted batch, then the command",
        prefix=("{read_files}", "{list}"), needs=FILES),
    Arm("run", "headstart run, with the plan of a recorded start, without the disk's metadata",
        prefix=("{headstart}", "run", "--plan", "{plain}", "--"), needs=PLAIN),
    Arm("sweep-run", "the same with the metadata, which is read first",
        prefix=RUN, needs=PLAN),
    Arm("run-other", "the same with a plan for the other kind of disk",
        prefix=("{headstart}", "run", "--plan", "{other}", "--"), needs=OTHER),
    Arm("run-merged", "the same with the plan of three recorded starts, merged",
        prefix=("{headstart}", "run", "--plan", "{merged}", "--"), needs=MERGED),
    Arm("ptrace-run", "the same with the plan of a start recorded by --backend ptrace",
        prefix=("{headstart}", "run", "--plan", "{ptrace}", "--"), needs=PTRACE),
    Arm("pagemap-run", "the same with the plan of a start recorded by --backend pagemap",
        prefix=("{headstart}", "run", "--plan", "{pagemap}", "--"), needs=PAGEMAP),
    Arm("audit", "audit shim, with the plan of a recorded start", environment=(AUDIT,), needs=PLAN),
    Arm("audit-nowait", "the same, but the program does not wait on a rotational disk (HEADSTART_WAIT=0)",
        environment=(AUDIT, ("HEADSTART_WAIT", "0")), needs=PLAN),
    Arm("shell-run", "a running shell starts it by headstart run: compare preload with this",
        prefix=RUN, needs=PLAN, shell=True),
    Arm("preload", "a running shell with the preload shim starts it, with the plan of a recorded start",
        environment=(PRELOAD,), needs=PLAN, shell=True),
    Arm("cold-shell-run", "as shell-run, but the shell is started first, cold like the rest",
        prefix=(*COLD_SHELL, *RUN), needs=PLAN),
    Arm("cold-shell-preload", "as preload, but the shell is started first, cold like the rest",
        prefix=COLD_SHELL, environment=(PRELOAD,), needs=PLAN),
    Arm("system", "as preload, but by /etc/ld.so.preload: the shim is in every program", needs=PLAN, shell=True, system=True),
    Arm("cold-shell-system", "as system, but the shell is started first, cold like the rest",
        prefix=COLD_SHELL, needs=PLAN, system=True),
    Arm("relaid", "relaid files (those that gain by it), and nothing else of headstart", image=RELAID),
    Arm("relaid-audit", "the same with the audit shim, nothing recorded: it uses the files' own notes",
        environment=(AUDIT, ("HEADSTART", "whole")), needs=SHIM, image=RELAID),
    Arm("relaid-run", "the same with headstart run, and the plan of a start recorded on them",
        prefix=RUN, needs=PLAN, image=RELAID),
    Arm("compact", "the same files relaid by --compact, and nothing else of headstart", image=COMPACTED),
    Arm("compact-run", "the same with headstart run, and the plan of a start recorded on them",
        prefix=RUN, needs=PLAN, image=COMPACTED),
    Arm("rewritten", "control: the image laid out as for relaid, but with its files unchanged", image=REWRITTEN),
    Arm("placed", "the files of a recorded start placed, and nothing else of headstart", image=PLACED),
    Arm("placed-run", "the same with headstart run, and the plan of a start recorded then",
        prefix=RUN, needs=PLAN, image=PLACED),
    Arm("relaid-placed", "relaid files, placed, and nothing else of headstart", image=RELAID_PLACED),
    Arm("relaid-placed-run", "the same with headstart run, and the plan of a start recorded then",
        prefix=RUN, needs=PLAN, image=RELAID_PLACED),
    Arm("warm", "the command as it is, from a warm page cache", warm=True),
    Arm("warm-run", "headstart run, from a warm page cache", prefix=RUN, needs=PLAN, warm=True),
    Arm("warm-audit", "audit shim with a plan, from a warm page cache", environment=(AUDIT,), needs=PLAN,
        warm=True),
    Arm("warm-preload", "a running shell with the preload shim and a plan, from a warm page cache",
        environment=(PRELOAD,), needs=PLAN, warm=True, shell=True),
    Arm("relaid-warm", "relaid files and nothing else of headstart, from a warm page cache", warm=True, image=RELAID),
)}


class UnknownArm(Exception):
    pass


def parse(text):
    """
    The arms of "A,B,…" in that order. `nothing` comes first, and `warm` is added if it is missing: without them the
    others mean nothing.
    """
    names = [name for name in text.split(",") if name]
    for name in names:
        if name not in ARMS:
            raise UnknownArm(f"unknown arm '{name}': use {', '.join(ARMS)}")
    cold = [name for name in names if not ARMS[name].warm and name != "nothing"]
    warm = [name for name in names if ARMS[name].warm and name != "warm"]
    return [ARMS[name] for name in dict.fromkeys(["nothing", *cold, "warm", *warm])]

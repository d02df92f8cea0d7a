# SPDX-License-Identifier: MIT
"""The stages of an experiment: the image as it is and, for the arms that need it, the same image with other files.

The other image is not made by changing files in place, which would put them elsewhere on the disk than those of
packages. Instead its folder is extracted, changed, and laid out as the image's was (lab/variant.py). The arm
`rewritten` shows the effect of that alone.
"""

import contextlib
import json
import os
import platform
import shlex
import subprocess
import tempfile
import time

from coldlib import arms
from coldlib.experiment import GivenUp, complaint
from coldlib.stage import Stage, lab_errors, slowdisk
from lab.aged import aged
from lab.build import headstart
from lab.image import image
from lab.variant import variant


class Session:
    """Use as a context manager, which leaves nothing behind."""

    def __init__(self, options, tell):
        self.options = options
        self.tell = tell
        self.stages = {}           # kind of image (arms.py) -> Stage
        self.profile = None        # the host's path of a recorded start, for relayout
        self.relaid = {}           # key of the result -> what relayout or place reported

    def __enter__(self):
        self._open = contextlib.ExitStack()
        with lab_errors():
            self.image = self.options.image or image(progress=self.tell.note)
            if self.options.aged:
                self.image = aged(self.image, slowdisk(self.options), self.tell.note)
        return self

    def __exit__(self, *exception):
        self._open.close()

    def prepare(self, chosen):
        """Everything before the first timed run, at full speed."""
        for kind in dict.fromkeys(arm.image for arm in chosen):
            self.stages[kind] = self._stage(kind)
            self.stages[kind].prepare([arm for arm in chosen if arm.image == kind])
            if self.stages[kind].placed:
                self.relaid[kind] = self.stages[kind].placed

    def run(self, arm, timeout):
        return self.stages[arm.image].run(arm, timeout)

    def prefetched(self, name):
        return next(stage.asked[name] for stage in self.stages.values() if name in stage.asked)

    def about(self):
        """What else a reader of the result should know."""
        about = {"image": os.path.basename(self.image), "kernel": platform.release(), "cpus": os.cpu_count(),
                 "date": time.strftime("%Y-%m-%d", time.gmtime()), "recordings": self.options.recordings}
        return {**about, **self.relaid}

    def _stage(self, kind):
        if kind in arms.BEFORE_PLACING:
            return self._stage_of(arms.BEFORE_PLACING[kind], place=True)
        return self._stage_of(kind)

    def _stage_of(self, kind, place=False):
        if not kind:
            return self._open.enter_context(Stage(self.image, self.options, self.tell, place, self.options.recordings))
        self.tell.step(f"laying the image out anew, {kind}")
        change = self.change(kind)
        with lab_errors(), variant(self.image, change, slowdisk(self.options)) as path:
            # The device keeps everything that it needs of its file.
            return self._open.enter_context(Stage(path, self.options, self.tell, place, self.options.recordings))

    def change(self, kind):
        """What makes the image one of this kind: a function of the path of its root folder."""
        if kind != arms.REWRITTEN and not self.profile:
            self._record()
        return {arms.RELAID: lambda tree: self._relay(tree, "relayout"),
                arms.COMPACTED: lambda tree: self._relay(tree, "compact", "--compact"),
                arms.REWRITTEN: lambda tree: None}[kind]

    def _record(self):
        folder = self._open.enter_context(tempfile.TemporaryDirectory(prefix="headstart-bench."))
        self.profile = os.path.join(folder, "start.profile")
        self.stages[""].record(self.profile)

    def _relay(self, tree, key, *more):
        """Runs relayout on the files of the recorded start in a root folder, with more arguments."""
        command = [headstart(self.options.build), "relayout", "--tree", tree,
                   "--profile", self.profile, "--in-place", "--force", "--json", *more,
                   *shlex.split(self.options.relayout_args)]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        try:
            outcome = json.loads(done.stdout)
        except ValueError:
            outcome = {"done": 0, "failed": 0}
        # Refused files are no failure: every start has its loader, and scripts.
        if not outcome["done"] or outcome["failed"]:
            raise GivenUp(f"'headstart relayout' failed: {complaint(done.stderr, done.returncode)}")
        self.relaid[key] = {
            "args": self.options.relayout_args,
            **{count: outcome[count] for count in ("done", "refused", "hot_bytes", "before", "after")},
            **{size: sum(file[size] for file in outcome["files"] if file["status"] == "relaid") for size in ("size_before", "size_after")},
            "refusals": {file["path"]: file["reason"] for file in outcome["files"] if file["status"] == "refused"},
        }

# SPDX-License-Identifier: MIT
"""Progress on stderr: on a terminal steps overwrite each other, elsewhere they are silent; notes stay."""

import shutil
import sys


class Progress:
    def __init__(self, program, stream=sys.stderr):
        self.program = program
        self.stream = stream
        self.terminal = stream.isatty()

    def step(self, text):
        if self.terminal:
            width = shutil.get_terminal_size().columns - 1
            self.stream.write(f"\r\033[K{text[:width]}")
            self.stream.flush()

    def note(self, text):
        self.clear()
        print(f"{self.program}: {text}", file=self.stream, flush=True)

    def clear(self):
        if self.terminal:
            self.stream.write("\r\033[K")
            self.stream.flush()

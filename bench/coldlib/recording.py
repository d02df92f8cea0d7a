# SPDX-License-Identifier: MIT
"""Reads a profile or a plan from `headstart show --json`, as pages of files; and reads the prefetcher's log."""

import json
import os


class Pages:
    """Pages of files: .of is {"/usr/lib/…": {page, …}}."""

    def __init__(self, page_size):
        self.page_size = page_size
        self.of = {}
        self.sizes = {}     # bytes of each file: its last page may be incomplete

    def add(self, path, size, first, count):
        self.of.setdefault(path, set()).update(range(first, first + count))
        self.sizes[path] = size

    def add_profile(self, text):
        """The pages that were touched."""
        for file in json.loads(text)["files"]:
            for touched in file["ranges"]:
                self.add(file["path"], file["size"], touched["page"], touched["pages"])

    def add_plan(self, text):
        """The pages that are read."""
        document = json.loads(text)
        for extent in document["extents"]:
            file = document["files"][extent["file"]]
            self.add(file["path"], file["size"], extent["page"], extent["pages"])

    def add_whole(self, path, size):
        self.add(path, size, 0, -(-size // self.page_size))

    def add_objects(self, log, inside):
        """The pages that prefetchers of whole mode have requested, by a $HEADSTART_LOG. inside(path) is the file."""
        for line in log.splitlines():
            if line.startswith("object "):
                _, offset, length, path = line.split(" ", 3)
                offset, length = int(offset.partition("=")[2]), int(length.partition("=")[2])
                path = path.partition("=")[2]
                first = offset // self.page_size
                self.add(path, os.path.getsize(inside(path)), first, -(-(offset + length) // self.page_size) - first)

    def bytes(self):
        return sum(max(0, min(self.page_size, self.sizes[path] - page * self.page_size))
                   for path, pages in self.of.items() for page in pages)

    def both(self, other):
        """The pages that the other has too."""
        common = Pages(self.page_size)
        common.of = {path: pages & other.of[path] for path, pages in self.of.items() if path in other.of}
        common.sizes = self.sizes
        return common


def started(log):
    """How many prefetchers the shim has started, by a $HEADSTART_LOG."""
    return sum(line.startswith(("audit ", "preload ")) and line.endswith("=started") for line in log.splitlines())


def prefetches(log):
    """The prefetchers' lines in a $HEADSTART_LOG, in order: [{"what": "prefetch", "program": …, "asked": …, …}]. "what"
    is "objects" for a prefetcher of whole mode."""
    found = []
    for line in log.splitlines():
        what, *fields = line.split()
        if what in ("prefetch", "objects"):
            found.append({"what": what, **dict(field.split("=", 1) for field in fields if "=" in field)})
    return found

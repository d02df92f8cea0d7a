# SPDX-License-Identifier: MIT
"""A temporary image with some of its files changed, laid out as the original was.

A file that is rewritten in a finished image lies where there was room, far from its neighbours. A file from a package,
or in an image that is built with it, lies where any other would. So the folder is extracted from the image, changed,
and made into an image in the same way.
"""

import contextlib
import fcntl
import os
import shutil
import tempfile

from lab.device import Device
from lab.image import cache_folder, make_file_system, run, used_bytes

_PREFIX = "variant."


@contextlib.contextmanager
def variant(image, change, slowdisk):
    """The path of an image like `image`, after `change` (called with the path of its root folder). The context removes
    it at its end; a Device opened meanwhile keeps working."""
    folder = cache_folder()
    os.makedirs(folder, exist_ok=True)
    _remove_abandoned(folder)
    with _locked_folder(folder) as own:
        tree, path = os.path.join(own, "root"), os.path.join(own, os.path.basename(image))
        with Device("none", image, slowdisk=slowdisk) as original:
            run("cp", "--archive", "--one-file-system", original.root, tree)
        before = used_bytes(tree)
        change(tree)
        make_file_system(tree, path, os.path.getsize(image) + max(0, used_bytes(tree) - before))
        shutil.rmtree(tree)
        yield path


@contextlib.contextmanager
def _locked_folder(parent):
    """A new folder, locked for as long as it is in use."""
    path = tempfile.mkdtemp(prefix=_PREFIX, dir=parent)
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)
        os.close(fd)


def _remove_abandoned(parent):
    """Removes what a killed benchmark left behind."""
    for name in os.listdir(parent):
        if not name.startswith(_PREFIX):
            continue
        path = os.path.join(parent, name)
        with contextlib.suppress(OSError):      # another process removed it, or uses it
            fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(path)
            finally:
                os.close(fd)

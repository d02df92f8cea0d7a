# SPDX-License-Identifier: MIT
"""A build of headstart: a folder that meson made, or the one of the installed benchmark, which stands for what is installed.

The latter has a file installed.json that says where headstart is on this machine, and the programs of the benchmark where a build
has them.
"""

import json
import os
import shutil
import subprocess

from lab import LabError


def _installed(build):
    """What installed.json says; None in a folder that meson made."""
    try:
        with open(os.path.join(build, "installed.json"), encoding="utf-8") as file:
            return json.load(file)
    except FileNotFoundError:
        return None


def headstart(build):
    """The launcher, for this machine."""
    installed = _installed(build)
    return installed["headstart"] if installed else os.path.join(build, "tools/headstart")


def folders(build):
    """Where headstart is once it is installed: {"headstart": the launcher, "private": folder, "state": folder}."""
    installed = _installed(build)
    if installed:
        return {name: installed[name] for name in ("headstart", "private", "state")}
    try:
        asked = subprocess.run(["meson", "introspect", "--buildoptions", build], stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, check=False)
    except FileNotFoundError:
        raise LabError("'meson' is not installed; try: apt install meson") from None
    if asked.returncode != 0:
        raise LabError(f"'{build}' is not a build; 'meson setup --prefix=/usr build' and 'ninja -C build' make one")
    options = {option["name"]: option["value"] for option in json.loads(asked.stdout)}
    return {"headstart": os.path.join(options["prefix"], options["bindir"], "headstart"),
            "private": os.path.join(options["prefix"], options["libdir"], "headstart"),
            "state": options["state-dir"]}


def install(build, tree):
    """Installs headstart in a root folder, stripped as packages are."""
    installed = _installed(build)
    if installed:
        _copy(installed, tree)
        return
    try:
        subprocess.run(["meson", "install", "-C", build, "--no-rebuild", "--quiet", "--strip", "--destdir", os.path.abspath(tree)],
                       check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    except FileNotFoundError:
        raise LabError("'meson' is not installed; try: apt install meson") from None
    except subprocess.CalledProcessError as error:
        said = error.stderr.decode("utf-8", "replace").strip().splitlines()
        raise LabError(f"'meson install' failed: {said[-1] if said else error.returncode}") from None


def _copy(installed, tree):
    for name in ("private", "data"):
        shutil.copytree(installed[name], tree + installed[name], symlinks=True, dirs_exist_ok=True)
    os.makedirs(os.path.dirname(tree + installed["headstart"]), exist_ok=True)
    shutil.copy2(installed["headstart"], tree + installed["headstart"])

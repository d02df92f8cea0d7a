# SPDX-License-Identifier: MIT
"""The disk image: a Debian root of its own with the measured programs installed, made once and cached.

The packages come from the host's apt sources, so the image has the host's release; nothing is installed on the host.
mke2fs lays the files out from a folder, with fixed UUID and hash seed, so that the same folder gives the same disk.
"""

import contextlib
import fcntl
import hashlib
import os
import platform
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile

from lab import LabError, kernel

RECIPE_VERSION = 1
UUID = "68656164-7374-4172-a074-000000000001"
SLACK = 400 << 20          # bytes free in the image, for later installations and recordings
NEEDED = 4 << 30           # bytes free in the cache's file system while the image is made
# The libraries that headstart itself is linked with.
NEEDED_PACKAGES = ("libjson-c5", "liblzma5", "libtraceevent1", "libtracefs1", "liburing2", "libxxhash0")
PACKAGES = ("libreoffice-writer", "libreoffice-calc", "firefox-esr", "python3", *NEEDED_PACKAGES)
# mmdebstrap mounts /proc, so the process namespace has to belong to the user namespace.
EMULATING = (os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tests/arm64/emulating"),
             "unshare", "--pid", "--fork", "--kill-child")
DROPPED = ("usr/share/doc", "usr/share/man", "usr/share/info", "usr/share/lintian",
           "var/cache/apt", "var/lib/apt/lists", "var/log")


def cache_folder():
    """$HEADSTART_BENCH_CACHE, or headstart-bench in the user's cache folder."""
    named = os.environ.get("HEADSTART_BENCH_CACHE")
    if named:
        return named
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(cache, "headstart-bench")


def image(packages=PACKAGES, progress=lambda text: print(f"image: {text}", file=sys.stderr)):
    """The path of the image with these packages; makes it if it does not exist (one to two minutes).

    `progress` is called with one line of text for each stage. Raises LabError. Several processes may call it at once:
    one makes the image, the others wait for it.
    """
    release = host_release()
    folder = cache_folder()
    path = os.path.join(folder, f"debian-{release}-{platform.machine()}-{recipe_key(release, packages)}.ext4")
    if os.path.exists(path):
        return path
    check_host()
    os.makedirs(folder, exist_ok=True)
    with lock(os.path.join(folder, "lock")):
        if not os.path.exists(path):
            make(path, release, packages, progress)
    return path


def recipe_key(release, packages):
    recipe = repr((RECIPE_VERSION, release, platform.machine(), sorted(packages), DROPPED, UUID, SLACK))
    return hashlib.sha256(recipe.encode()).hexdigest()[:12]


def host_release(os_release="/etc/os-release"):
    """The code name of the host's Debian release."""
    fields = {}
    with contextlib.suppress(FileNotFoundError), open(os_release, encoding="utf-8") as file:
        for line in file:
            name, equals, value = line.strip().partition("=")
            if equals:
                fields[name] = value.strip("\"'")
    if fields.get("ID") != "debian" or not fields.get("VERSION_CODENAME"):
        raise LabError("the benchmark's image is made from the host's Debian packages, and this host is "
                       f"'{fields.get('PRETTY_NAME', 'unknown')}'")
    return fields["VERSION_CODENAME"]


def check_host():
    if os.geteuid() != 0:
        raise LabError("the benchmark's image can only be made by root")
    if not bootstrap_program():
        raise LabError("neither 'mmdebstrap' nor 'debootstrap' is installed; try: apt install mmdebstrap")
    if not shutil.which("mke2fs"):
        raise LabError("'mke2fs' is not installed; try: apt install e2fsprogs")


def bootstrap_program():
    return shutil.which("mmdebstrap") or shutil.which("debootstrap")


@contextlib.contextmanager
def lock(path):
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)


def make(path, release, packages, progress):
    """Makes the image as a temporary file beside `path` and renames it. The caller holds the cache's lock."""
    folder = os.path.dirname(path)
    remove_leftovers(folder)
    free = shutil.disk_usage(folder).free
    if free < NEEDED:
        raise LabError(f"the benchmark's image needs {NEEDED >> 20} MB in '{folder}' while it is made, and "
                       f"{free >> 20} MB are free; HEADSTART_BENCH_CACHE can name another folder")
    temporary = tempfile.mkdtemp(prefix="new.", dir=folder)
    try:
        os.chmod(temporary, 0o755)      # apt's download user must be able to enter it
        tree = os.path.join(temporary, "root")
        progress(f"installing Debian {release} with {', '.join(packages[:3])} into a folder (about a minute)")
        bootstrap(tree, release, packages)
        drop(tree)
        progress("laying the folder out as an ext4 image")
        new = os.path.join(temporary, "image")
        make_file_system(tree, new, used_bytes(tree) + SLACK)
        os.rename(new, path)
        progress(f"done: {path}, {os.stat(path).st_blocks * 512 >> 20} MB")
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def remove_leftovers(folder):
    """Removes what a killed process left behind. The caller holds the cache's lock, so nothing uses it."""
    for name in os.listdir(folder):
        if name.startswith("new."):
            shutil.rmtree(os.path.join(folder, name))


def bootstrap(tree, release, packages, mirror=None, architecture=None, files=()):
    """Installs the release with the packages and what they depend on, without what they recommend. The packages come
    from the host's sources, or, for another release, from `mirror`, an address. Its lists may have expired. Packages of
    another architecture than the host's, by Debian's name of it, are installed by qemu-user, which takes some minutes.
    `files`, pairs of path and text, are there before the packages are installed."""
    if architecture or shutil.which("mmdebstrap"):
        sources = [mirror] if mirror else apt_sources()
        options = ["--dpkgopt=force-unsafe-io"]    # if the machine ends meanwhile, the image is made again
        if mirror:
            options.append("--aptopt=Acquire::Check-Valid-Until \"false\"")
        if architecture:
            options.append(f"--architectures={architecture}")
        options += [f"--essential-hook=mkdir -p \"$1/{os.path.dirname(path)}\" && printf %s {shlex.quote(text)} >\"$1/{path}\""
                    for path, text in files]
        run(*(EMULATING if architecture else ()), "mmdebstrap", "--quiet", "--variant=apt",
            "--aptopt=APT::Install-Recommends \"false\"", *options, f"--include={','.join(packages)}", release, tree, *sources)
        return
    run("debootstrap", "--variant=minbase", release, tree, mirror or first_mirror())
    for source in [] if mirror else apt_sources():
        shutil.copy(source, os.path.join(tree, os.path.relpath(source, "/")))
    for path, text in files:
        os.makedirs(os.path.join(tree, os.path.dirname(path)), exist_ok=True)
        with open(os.path.join(tree, path), "w", encoding="utf-8") as file:
            file.write(text)
    shutil.copy("/etc/resolv.conf", os.path.join(tree, "etc/resolv.conf"))
    for arguments in (["update"], ["install", "--yes", "--no-install-recommends", *packages]):
        run("chroot", tree, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "--quiet", *arguments)


def apt_sources(etc="/etc/apt"):
    """The host's source lists, in the order apt reads them."""
    found = []
    main = os.path.join(etc, "sources.list")
    if os.path.exists(main) and any(source_fields(main)):
        found.append(main)
    with contextlib.suppress(FileNotFoundError):
        parts = os.path.join(etc, "sources.list.d")
        found += [os.path.join(parts, name) for name in sorted(os.listdir(parts))
                  if name.endswith((".list", ".sources"))]
    if not found:
        raise LabError(f"there are no package sources in '{etc}'")
    return found


def source_fields(path):
    """The words of each line of a source list, without comments and empty lines."""
    with open(path, encoding="utf-8") as file:
        for line in file:
            words = line.partition("#")[0].split()
            if words:
                yield words


def first_mirror():
    """The first address in the host's sources: 'deb [options] ADDRESS …' or 'URIs: ADDRESS …'."""
    for source in apt_sources():
        for words in source_fields(source):
            if words[0] in ("deb", "URIs:"):
                for word in words[1:]:
                    if "://" in word:
                        return word
    raise LabError("no package source of the host has an address")


def drop(tree):
    """Empties folders that no start reads."""
    for dropped in DROPPED:
        folder = os.path.join(tree, dropped)
        with contextlib.suppress(FileNotFoundError):
            for entry in list(os.scandir(folder)):
                if entry.is_dir(follow_symlinks=False):
                    shutil.rmtree(entry.path)
                else:
                    os.unlink(entry.path)


def make_file_system(tree, path, size):
    """Lays a root folder out as an ext4 image of `size` bytes, or some more; an empty one if `tree` is None."""
    size = (size + (1 << 24) - 1) >> 24 << 24
    run("mke2fs", "-q", "-F", "-t", "ext4", "-m", "0", "-U", UUID,
        "-E", f"hash_seed={UUID},root_owner=0:0,lazy_itable_init=0,lazy_journal_init=0",
        *(("-d", tree) if tree else ()), path, f"{size >> 10}k")


def used_bytes(tree):
    total = 0
    for folder, _, names in os.walk(tree):
        total += 4096
        for name in names:
            total += (os.lstat(os.path.join(folder, name)).st_size + 4095) // 4096 * 4096 + 256
    return total


def run(*command):
    """Runs a program quietly in a mount namespace of its own, so that it leaves no mount behind."""
    def isolate():
        kernel.die_with_parent(signal.SIGTERM)
        kernel.private_mounts()
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    try:
        subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       stderr=subprocess.PIPE, preexec_fn=isolate)
    except subprocess.CalledProcessError as error:
        said = error.stderr.decode("utf-8", "replace").strip().splitlines()
        errors = [line for line in said if line.startswith(("E: ", "E:", "mke2fs:"))] or said[-1:]
        raise LabError(f"'{command[0]}' failed: {'; '.join(errors) or f'exit status {error.returncode}'}") from None


def main():
    """`python3 -m lab.image` in bench/: makes the image and prints its path."""
    try:
        print(image())
    except LabError as error:
        sys.exit(f"image: {error}")


if __name__ == "__main__":
    main()

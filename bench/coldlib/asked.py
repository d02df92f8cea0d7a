# SPDX-License-Identifier: MIT
"""Starts of programs with different arguments, and the files in the image that they need.

Of each program some starts are recorded, each once, and others never are.
"""

import dataclasses
import os
import struct
import subprocess
import zipfile

FOLDER = "/srv/asked"    # in the image
# What the image needs beside what lab/image.py has.
PACKAGES = ("git", "default-jre-headless", "nodejs", "emacs-nox", "gimp", "python3-numpy", "python3-scipy", "python3-matplotlib")


# A start with some hundred reads all over the disk, from which the disk is measured.
FOR_DISK = ("/usr/bin/python3", "-c", "import asyncio, email, http.client, ssl, sqlite3, unittest, xml.etree.ElementTree, zipfile")


@dataclasses.dataclass(frozen=True)
class Start:
    program: str
    name: str
    command: tuple
    recorded: bool = True


def at(name):
    return f"{FOLDER}/{name}"


def starts():
    python, git, office, java, node, shell, emacs = (
        "/usr/bin/python3", "/usr/bin/git", "/usr/bin/soffice", "/usr/bin/java", "/usr/bin/node", "/bin/bash", "/usr/bin/emacs")
    headless = ("--headless", "--norestore")
    convert = (*headless, "--convert-to", "pdf", "--outdir", "/root")
    return (
        Start("python3", "network.py", (python, at("network.py"))),
        Start("python3", "data.py", (python, at("data.py"))),
        Start("python3", "science.py", (python, at("science.py"))),
        Start("python3", "-m json.tool", (python, "-m", "json.tool", "--help")),
        Start("python3", "-c import decimal", (python, "-c", "import decimal")),
        Start("python3", "other.py", (python, at("other.py")), recorded=False),
        Start("python3", "-c pass", (python, "-c", "pass"), recorded=False),
        Start("git", "log, first repository", (git, "-C", at("first"), "log", "--stat")),
        Start("git", "status, first repository", (git, "-C", at("first"), "status")),
        Start("git", "log, second repository", (git, "-C", at("second"), "log", "--stat"), recorded=False),
        Start("git", "grep, first repository", (git, "-C", at("first"), "grep", "-c", "line"), recorded=False),
        Start("soffice", "text", (office, *convert, at("text.fodt"))),
        Start("soffice", "sheet", (office, *convert, at("sheet.fods"))),
        Start("soffice", "none", (office, *headless, "--terminate_after_init")),
        Start("soffice", "another text", (office, *convert, at("another.fodt")), recorded=False),
        Start("soffice", "localc", ("/usr/bin/localc", *headless, "--terminate_after_init"), recorded=False),
        Start("java", "logger.jar", (java, "-jar", at("logger.jar"))),
        Start("java", "scripts.jar", (java, "-jar", at("locale.jar")), recorded=False),
        Start("node", "server.js", (node, at("server.js"))),
        Start("node", "zip.js", (node, at("zip.js")), recorded=False),
        Start("bash", "tools.sh", (shell, at("tools.sh"))),
        Start("bash", "text.sh", (shell, at("text.sh")), recorded=False),
        Start("emacs", "org.el", (emacs, "--batch", "-l", at("org.el"))),
        Start("emacs", "calc.el", (emacs, "--batch", "-l", at("calc.el")), recorded=False),
    )


TEXTS = {
    "network.py": "import asyncio, email, http.client, ssl, urllib.request, xml.etree.ElementTree\n",
    "data.py": "import csv, decimal, fractions, sqlite3, statistics, zipfile\n",
    "science.py": "import numpy, scipy.stats, matplotlib.pyplot\n",
    "other.py": "import ctypes, multiprocessing, unittest\n",
    "server.js": "require('http'); require('crypto'); require('dns');\n",
    "zip.js": "require('zlib').gzipSync('text'); require('readline');\n",
    "tools.sh": "ls -l /usr/bin | sort -k 5 -n | tail -n 3 >/dev/null\nfind /etc -name '*.conf' | wc -l >/dev/null\n",
    "text.sh": "sed -n 1p /etc/passwd | awk -F : '{ print $1 }' | tr a-z A-Z >/dev/null\n",
    "org.el": "(require 'org)\n",
    "calc.el": "(require 'calc)\n",
}


def fill(root):
    """Puts the files into the folder in the image, whose root this is on the host."""
    folder = root + FOLDER
    os.makedirs(folder, exist_ok=True)
    for name, text in TEXTS.items():
        write(os.path.join(folder, name), text)
    for name in ("text", "another"):
        write(os.path.join(folder, f"{name}.fodt"), flat("text", "text", f"<text:p>{name}</text:p>"))
    cell = "<table:table table:name='a'><table:table-row><table:table-cell><text:p>1</text:p></table:table-cell></table:table-row></table:table>"
    write(os.path.join(folder, "sheet.fods"), flat("spreadsheet", "spreadsheet", cell))
    write_jar(os.path.join(folder, "logger.jar"), "java/util/logging/Logger", "getGlobal", "()Ljava/util/logging/Logger;")
    write_jar(os.path.join(folder, "locale.jar"), "java/text/NumberFormat", "getCurrencyInstance", "()Ljava/text/NumberFormat;")
    for name, files in (("first", 400), ("second", 400)):
        make_repository(os.path.join(folder, name), files, name)


def write(path, text):
    with open(path, "w", encoding="utf-8") as out:
        out.write(text)


def flat(kind, element, content):
    """A document of one file (OpenDocument 1.2, 2.2.1)."""
    spaces = " ".join(f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in ("office", "text", "table"))
    return (f'<?xml version="1.0" encoding="UTF-8"?>\n<office:document {spaces} office:version="1.2" '
            f'office:mimetype="application/vnd.oasis.opendocument.{kind}">'
            f"<office:body><office:{element}>{content}</office:{element}></office:body></office:document>\n")


def make_repository(path, files, seed):
    """A repository of one pack with a few commits, the same each time."""
    person = {"NAME": "bench", "EMAIL": "bench@example.org", "DATE": "2026-01-01T00:00:00Z"}
    environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1",
                   **{f"GIT_{who}_{key}": value for who in ("AUTHOR", "COMMITTER") for key, value in person.items()}}

    def git(*arguments):
        subprocess.run(["git", "-C", path, *arguments], env=environment, check=True, stdout=subprocess.DEVNULL)

    os.makedirs(path)
    git("init", "--quiet")
    for number in range(files):
        folder = os.path.join(path, f"folder{number % 20}")
        os.makedirs(folder, exist_ok=True)
        write(os.path.join(folder, f"file{number}"), "".join(f"{seed} line {number} {line}\n" for line in range(50)))
        if number % 50 == 49:
            git("add", ".")
            git("commit", "--quiet", "-m", f"up to {number}")
    git("gc", "--quiet")


def write_jar(path, of_class, method, descriptor):
    """An archive whose main class calls a static method without arguments that returns an object."""
    with zipfile.ZipFile(path, "w") as jar:
        for name, data in (("META-INF/MANIFEST.MF", b"Manifest-Version: 1.0\nMain-Class: Main\n\n"),
                           ("Main.class", main_class(of_class, method, descriptor))):
            jar.writestr(zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0)), data)


def main_class(of_class, method, descriptor):
    """A class file (The Java Virtual Machine Specification, chapter 4) of version 52: Java 8."""
    def utf8(text):
        return struct.pack(">BH", 1, len(text)) + text.encode("ascii")

    constants = [
        utf8("Main"), struct.pack(">BH", 7, 1), utf8("java/lang/Object"), struct.pack(">BH", 7, 3),       # 1 to 4
        utf8("main"), utf8("([Ljava/lang/String;)V"), utf8("Code"),                                       # 5 to 7
        utf8(of_class), struct.pack(">BH", 7, 8), utf8(method), utf8(descriptor),                         # 8 to 11
        struct.pack(">BHH", 12, 10, 11), struct.pack(">BHH", 10, 9, 12),                                  # 12, 13
    ]
    code = struct.pack(">BHBB", 0xb8, 13, 0x57, 0xb1)    # invokestatic 13, pop, return
    attribute = struct.pack(">HHI", 1, 1, len(code)) + code + struct.pack(">HH", 0, 0)
    main = struct.pack(">HHHH", 0x0009, 5, 6, 1) + struct.pack(">HI", 7, len(attribute)) + attribute
    return (struct.pack(">IHHH", 0xcafebabe, 0, 52, len(constants) + 1) + b"".join(constants) +
            struct.pack(">HHHHHH", 0x0021, 2, 4, 0, 0, 1) + main + struct.pack(">H", 0))

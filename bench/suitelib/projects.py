# SPDX-License-Identifier: MIT
"""How to build and test each project, and how to read the results.

`build` builds a project once, with little optimization, in the folder of its source, as an ordinary user. `try_` runs
the given units of its suite, or all if none are given, and writes their output into $RESULTS. `parse` turns that folder
into {unit: {test: outcome}}.
"""

import dataclasses
import glob
import os
import re
import typing
import xml.etree.ElementTree

AUTOMAKE_BUILD = """
find . -name aclocal.m4 -exec touch {} + && find . -name configure -exec touch {} + &&
find . \\( -name Makefile.in -o -name 'config*in' \\) -exec touch {} +
./configure --quiet --disable-nls CFLAGS='-O1 -w' && make -j"$JOBS" MANS= INFO_DEPS=
"""
AUTOMAKE_TRY = """
find . -name '*.trs' -delete
make -k -j"$JOBS" check SUBDIRS=. MANS= INFO_DEPS= ${1:+"TEST_LOGS=$*"} >"$RESULTS/make.log" 2>&1
find . -name '*.trs' -exec cp --parents -t "$RESULTS" {} +
"""
GIT_OPTIONS = "NO_GETTEXT=1 NO_TCLTK=1 NO_CURL=1 NO_EXPAT=1 NO_OPENSSL=1 NO_PYTHON=1 CFLAGS=-O1"
GIT_TRY = """
cd t
[ $# -gt 0 ] || set -- t0[0-9]*.sh t1000-*.sh
printf '%s\\n' "$@" | xargs -P "$JOBS" -I{} sh -c '
	timeout 600 "./$1" --root=/tmp/trash >"$RESULTS/$1.tap" 2>&1; echo "exit status $?" >>"$RESULTS/$1.tap"' sh {}
"""
BASH_TRY = """
cd tests
export TMPDIR=/tmp BUILD_DIR="${PWD%/tests}" THIS_SH="${PWD%/tests}/bash" PATH=".:$PWD:$PATH"
[ $# -gt 0 ] || set -- run-*
for name in "$@"; do
	case $name in run-all|run-minimal|run-gprof|*.orig|*~) continue ;; esac
	BASH_TSTOUT=/tmp/bash-$name timeout 300 sh "$name" >"$RESULTS/$name.out" 2>&1
	echo "exit status $?" >>"$RESULTS/$name.out"
done
"""
PYTHON_TRY = """
[ $# -gt 0 ] || set -- test_subprocess test_os test_threading test_mmap
printf '%s\\n' "$@" | xargs -P "$JOBS" -I{} sh -c '
	python3.11 -m test --junit-xml "$RESULTS/$1.xml" "$1" >"$RESULTS/$1.log" 2>&1' sh {}
"""


def parse_automake(folder):
    """Each test has a .trs file; that of a TAP test has a result for each of its points."""
    results = {}
    for path in glob.glob(os.path.join(folder, "**", "*.trs"), recursive=True):
        unit = os.path.relpath(path, folder)[:-len(".trs")] + ".log"
        with open(path, encoding="utf-8", errors="replace") as file:
            said = [line.split(":", 2)[2].strip() for line in file if line.startswith(":test-result:")]
        results[unit] = {str(number): outcome for number, outcome in enumerate(said, 1)}
    return results


def parse_tap(folder):
    results = {}
    for path in glob.glob(os.path.join(folder, "*.tap")):
        tests = results[os.path.basename(path)[:-len(".tap")]] = {}
        with open(path, encoding="utf-8", errors="replace") as file:
            for line in file:
                point = re.match(r"(ok|not ok) (\d+)([^#]*)(?:# *(\w+))?", line)
                if point:
                    outcome = " ".join(filter(None, (point[1], point[4] and point[4].lower())))
                    tests[point[2] + point[3].rstrip()] = outcome
                elif line.startswith("exit status "):
                    tests["exit status"] = line.split()[-1]
    return results


def parse_output(folder):
    """The outcome of a test is its output, without numbers of processes, and its exit status: usually nothing and 0."""
    results = {}
    for path in glob.glob(os.path.join(folder, "*.out")):
        with open(path, encoding="utf-8", errors="replace") as file:
            said = re.sub(r"(?<!exit status )\d{3,}", "N", file.read())
        passed = said == "exit status 0\n"
        results[os.path.basename(path)[:-len(".out")]] = {"output": "ok" if passed else said}
    return results


def parse_junit(folder):
    results = {}
    for path in glob.glob(os.path.join(folder, "*.xml")):
        tests = results[os.path.basename(path)[:-len(".xml")]] = {}
        for case in xml.etree.ElementTree.parse(path).iter("testcase"):
            outcome = sorted(child.tag for child in case if not child.tag.startswith("system-"))
            tests[case.get("name")] = " ".join(outcome) or "ok"
    return results


@dataclasses.dataclass(frozen=True)
class Project:
    name: str
    title: str                  # which part of it is tested
    packages: tuple             # needed to build it and to run its suite
    build: str                  # "" if its suite is a package
    try_: str
    parse: typing.Callable
    programs: tuple = ()        # programs of the build that get plans; relative to its folder


PROJECTS = {project.name: project for project in (
    Project("python3.11", "test_subprocess, test_os, test_threading, test_mmap",
            ("python3.11", "libpython3.11-testsuite"), "", PYTHON_TRY, parse_junit),
    Project("bash", "make check", ("bison", "libncurses-dev"),
            "./configure --quiet CFLAGS='-O1 -w' && make -j\"$JOBS\" && make check TESTSCRIPT=/dev/null", BASH_TRY, parse_output,
            ("bash",)),
    Project("git", "t0000 to t1000", ("zlib1g-dev", "perl"), f"make -j\"$JOBS\" {GIT_OPTIONS}", GIT_TRY, parse_tap, ("git",)),
    Project("sed", "make check", ("perl",), AUTOMAKE_BUILD, AUTOMAKE_TRY, parse_automake, ("sed/sed",)),
    Project("grep", "make -C tests check", ("perl",), AUTOMAKE_BUILD, "cd tests\n" + AUTOMAKE_TRY, parse_automake, ("src/grep",)),
    Project("coreutils", "make check", ("perl",), AUTOMAKE_BUILD, AUTOMAKE_TRY, parse_automake,
            ("src/cat", "src/env", "src/timeout")),
)}

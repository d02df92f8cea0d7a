# SPDX-License-Identifier: MIT
"""Whole test suites of other projects, without the preload shim and with it.

    chroot.py     a Debian root of its own, and programs run in it; the only place that writes an ld.so.preload
    projects.py   how each project is built and tried, and how its results are read
    plans.py      plans for programs that the suites start, kept cold
    compare.py    test by test, and what is tried again
"""

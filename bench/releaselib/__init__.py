# SPDX-License-Identifier: MIT
"""What bench/releases does in root folders of other Debian releases.

    root.py       makes the folder, and runs commands in it
    suite.py      a clone of headstart in it, and its tests/run
    programs.py   programs that were built on this machine, tried in it
"""

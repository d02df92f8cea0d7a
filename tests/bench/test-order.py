#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""bench/order: the arms of several links of a program, what a start touches of them, and what is held against what."""

import re
import types
import unittest

import benchtest
import labtest
from coldlib import arms, experiment, links, result, session

SECTIONS = """There are 39 section headers, starting at offset 0x10632f8:

Section Headers:
  [Nr] Name              Type            Address          Off    Size   ES Flg Lk Inf Al
  [ 0]                   NULL            0000000000000000 000000 000000 00      0   0  0
  [ 1] .interp           PROGBITS        0000000000000350 000350 00001c 00   A  0   0  1
  [16] .text             PROGBITS        0000000000006010 005010 003000 00  AX  0   0 16
  [17] .init             PROGBITS        0000000000009010 008010 00001b 00  AX  0   0  4
  [18] .plt              PROGBITS        000000000000b030 009030 000010 10  AX  0   0 16
  [20] .data             PROGBITS        000000000000d000 00a000 001000 00  WA  0   0 32
  [21] .bss              NOBITS          000000000000e000 00b000 001000 00  WA  0   0 32
Key to Flags:
  W (write), A (alloc), X (execute), M (merge), S (strings), I (info),
"""
NAMES = """0000000000006010 T main
0000000000006040 t helper
0000000000006040 t alias
0000000000006080 W from_a_template
000000000000d000 D data
"""


class Files(unittest.TestCase):
    def test_sections_with_code(self):
        self.assertEqual(links.code_sections(SECTIONS), [(0x5010, 0x3000), (0x8010, 0x1b), (0x9030, 0x10)])

    def test_functions_count_once(self):
        self.assertEqual(links.functions(NAMES), 3)

    def test_touches(self):
        touches = links.touches({0, 5, 6, 8, 9, 10}, links.code_sections(SECTIONS))
        self.assertEqual(touches["code_pages"], 5)
        self.assertEqual((touches["touched_pages"], touches["touched_code_pages"], touches["touched_code_runs"]), (6, 4, 2))


class Options(unittest.TestCase):
    def test_a_session_finds_all_of_its_options(self):
        options = labtest.program("order").parse_arguments(["--device", "hdd", "/bin/true", "other=/bin/false"])
        with open(session.__file__, encoding="utf-8") as file:
            wanted = set(re.findall(r"self\.options\.(\w+)", file.read()))
        self.assertEqual({name for name in wanted if not hasattr(options, name)}, set())


class Arms(unittest.TestCase):
    def setUp(self):
        self.arms = links.arms_of({links.AS_LINKED: "/a/gdb", "exact": "/b/gdb"})

    def test_names(self):
        self.assertEqual([arm.name for arm in self.arms], ["nothing", "run", "exact", "exact-run", "warm", "exact-warm"])

    def test_each_link_has_an_image_of_its_own(self):
        self.assertEqual({arm.image for arm in self.arms}, {links.AS_LINKED, "exact"})
        self.assertTrue(all(arm.prefix == arms.RUN and arm.needs == arms.PLAN for arm in self.arms if "run" in arm.name))

    def test_run_is_held_against_run(self):
        session = types.SimpleNamespace(run=lambda arm, timeout: experiment.Run(4.0 if arm.name == "run" else 3.0, 0))
        done = experiment.Experiment(session, self.arms, 3, 60, benchtest.Silent())
        done.run()
        measured = result.to_json(done, {}, 1)
        self.assertEqual(links.compared(measured, self.arms, 1), {
            "exact-run": {"ratio_to_run": 0.75, "ratio_to_run_ci95": [0.75, 0.75], "different_from_run": True}})


if __name__ == "__main__":
    unittest.main()

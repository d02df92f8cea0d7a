#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""JSON, table and chart of an experiment."""

import argparse
import dataclasses
import json
import os
import tempfile
import unittest
import xml.etree.ElementTree
from unittest import mock

import benchtest
import labtest
from coldlib import program, table
from coldlib.experiment import GivenUp

ALL = "nothing,whole,files,run,audit,relaid,warm,warm-run,warm-audit,relaid-warm"
PROMISED = {"n", "median_s", "ci95_s", "ratio_to_nothing", "major_faults", "minor_faults", "bytes_read", "reads",
            "seeks", "bytes_reread", "bytes_prefetched", "bytes_used"}


class Json(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.result = benchtest.measure(ALL)[0]

    def test_has_what_was_promised(self):
        self.assertLessEqual({"device", "command", "arms"}, set(self.result))
        self.assertEqual(list(self.result["arms"]), ALL.split(","))
        for name, arm in self.result["arms"].items():
            self.assertLessEqual(PROMISED, set(arm), name)
        self.assertEqual(json.loads(json.dumps(self.result)), self.result)

    def test_numbers(self):
        nothing, run = self.result["arms"]["nothing"], self.result["arms"]["run"]
        self.assertEqual(nothing["n"], 7)
        self.assertEqual(nothing["ratio_to_nothing"], 1)
        self.assertAlmostEqual(run["median_s"], 3.5)
        self.assertAlmostEqual(run["ratio_to_nothing"], 0.35)
        self.assertEqual(sorted(run["seconds"])[3], run["median_s"])
        self.assertEqual((run["major_faults"], run["bytes_read"], run["reads"], run["seeks"]), (4, 4000, 40, 4))
        self.assertEqual(self.result["arms"]["relaid-warm"]["minor_faults"], 1034)

    def test_difference(self):
        self.assertTrue(self.result["arms"]["run"]["different_from_nothing"])
        self.assertFalse(self.result["arms"]["nothing"]["different_from_nothing"])
        self.assertFalse(self.result["arms"]["warm-run"]["different_from_warm"])
        self.assertEqual(self.result["arms"]["warm-run"]["compared_with"], "warm")


class Table(unittest.TestCase):
    def test_fits_and_names_every_arm(self):
        text = table.render(benchtest.measure(ALL)[0])
        self.assertLessEqual(max(map(len, text.splitlines())), 100)
        for name in ALL.split(","):
            self.assertTrue(any(line.startswith(name + " ") for line in text.splitlines()), name)

    def test_says_where_nothing_was_measured(self):
        text = table.render(benchtest.measure(ALL)[0])
        self.assertIn("warm-run: no measurable difference from 'warm'", text)
        self.assertNotIn("\nrun: no measurable", text)

    def test_says_what_a_warm_start_pays(self):
        text = table.render(benchtest.measure(ALL)[0])
        self.assertIn("\nrelaid-warm: 1034 minor faults, 1.03 times those of 'warm'\n", text)
        self.assertNotIn("\nrelaid: 1034", text)

    def test_says_what_was_read_again(self):
        def spoil(name, number, run):
            return dataclasses.replace(run, bytes_reread=reread.get((name, number), 0))
        reread = {}
        self.assertNotIn("read again", table.render(benchtest.measure("run", spoil=spoil)[0]))
        reread = {("run", 3): 4096, ("run", 7): 712704, ("nothing", 1): 8192}
        result = benchtest.measure("run", spoil=spoil)[0]
        run = result["arms"]["run"]
        self.assertEqual((run["bytes_reread"], run["bytes_reread_of_runs"]), (0, [0, 0, 4096, 0, 0, 0, 712704]))
        self.assertIn("\nin 3 of 21 runs pages were taken out of the page cache and read again, up to 0.7 MB in a run\n",
                      table.render(result))
        reread = {("warm", 2): 4096}
        self.assertIn("\nin 1 of 21 runs pages were taken out of the page cache and read again, up to 4.1 kB in a run\n",
                      table.render(benchtest.measure("run", spoil=spoil)[0]))

    def test_a_failed_arm_has_no_number(self):
        text = table.render(benchtest.measure("run", spoil=benchtest.spoiling("run", status=3))[0])
        line = next(line for line in text.splitlines() if line.startswith("run "))
        self.assertEqual(line.split(), ["run", "0", "failed"])
        self.assertIn("run: failed with exit status 3 (round 1)", text)

    def test_an_arm_whose_baseline_failed_has_a_time_without_ratio(self):
        measured = benchtest.measure("warm-run,relaid-warm", spoil=benchtest.spoiling("warm", status=1))[0]
        self.assertIsNone(measured["arms"]["warm-run"]["compared_with"])
        text = table.render(measured)
        line = next(line for line in text.splitlines() if line.startswith("warm-run "))
        self.assertEqual(line.split()[:5], ["warm-run", "7", "0.101", "0.100–0.102", "–"])
        self.assertNotIn("the ratios of warm arms", text)


class Program(unittest.TestCase):
    def test_the_json_is_written_even_if_the_table_is_not(self):
        coldstart, measured = labtest.program("coldstart"), benchtest.measure("run")[0]
        with labtest.scratch() as folder:
            path = os.path.join(folder, "json")
            with mock.patch("sys.argv", ["coldstart", "--device", "none", "--json", path, "--", "true"]), \
                    mock.patch.object(coldstart, "measure", return_value=measured), \
                    mock.patch.object(table, "render", side_effect=KeyError), self.assertRaises(KeyError):
                coldstart.main()
            with open(path, encoding="utf-8") as file:
                self.assertEqual(json.load(file), measured)

    def test_the_result_is_shown_even_if_it_cannot_be_written(self):
        shown = []
        options = argparse.Namespace(json="/nonexistent/json")
        self.assertEqual(program.run("test", options, lambda *_: [{"failures": []}], shown.append), 1)
        self.assertEqual(shown, [[{"failures": []}]])

    def test_the_status_says_how_it_went(self):
        def gives_up(*_):
            raise GivenUp("for this test")

        options = argparse.Namespace(json=None)
        self.assertEqual(program.run("test", options, lambda *_: [{"failures": []}, {}], lambda _: None), 0)
        self.assertEqual(program.run("test", options, lambda *_: [{"failures": ["one"]}], lambda _: None), 1)
        self.assertEqual(program.run("test", options, gives_up, lambda _: self.fail("it shows what it has not")), 1)


class Chart(unittest.TestCase):
    def setUp(self):
        try:
            from coldlib import chart
        except ImportError as missing:
            print(f"partial: charts: no matplotlib: {missing}", flush=True)
            self.skipTest(f"no matplotlib: {missing}")
        self.chart = chart

    def test_is_drawn_and_the_same_every_time(self):
        results = [benchtest.measure(ALL)[0], benchtest.measure("run")[0],
                   benchtest.measure("warm-run", spoil=benchtest.spoiling("warm", status=1))[0]]
        with tempfile.TemporaryDirectory() as folder:
            pictures = []
            for name in ("one.svg", "two.svg"):
                path = os.path.join(folder, name)
                self.chart.draw(results, path)
                with open(path, "rb") as picture:
                    pictures.append(picture.read())
        self.assertTrue(xml.etree.ElementTree.fromstring(pictures[0]).tag.endswith("svg"))
        self.assertEqual(*pictures)


if __name__ == "__main__":
    unittest.main()

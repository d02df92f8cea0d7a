# SPDX-License-Identifier: MIT
"""How the image finds the host's release and package sources, and what it says where it cannot be made."""

import os
import subprocess
import unittest
from unittest import mock

import labtest
from lab import LabError, image
from lab.device import Device


class Host(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(labtest.scratch())

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def test_release(self):
        path = self.write("os-release", 'ID=debian\nVERSION_CODENAME="bookworm"\n# a remark\n')
        self.assertEqual(image.host_release(path), "bookworm")
        path = self.write("os-release", "ID=fedora\nPRETTY_NAME='Fedora Linux 42'\n")
        with self.assertRaisesRegex(LabError, "this host is 'Fedora Linux 42'"):
            image.host_release(path)
        with self.assertRaisesRegex(LabError, "this host is 'unknown'"):
            image.host_release(os.path.join(self.folder, "none"))

    def test_sources(self):
        with self.assertRaisesRegex(LabError, "no package sources"):
            image.apt_sources(self.folder)
        self.write("sources.list", "# moved to sources.list.d\n\n")
        part = self.write("sources.list.d/debian.sources", "Types: deb\nURIs: http://deb.debian.org/debian\n")
        self.write("sources.list.d/other.list.disabled", "deb http://other/ stable main\n")
        self.assertEqual(image.apt_sources(self.folder), [part])
        main = self.write("sources.list", "deb [arch=amd64] http://mirror.example/debian bookworm main\n")
        self.assertEqual(image.apt_sources(self.folder), [main, part])
        for path, address in ((main, "http://mirror.example/debian"), (part, "http://deb.debian.org/debian")):
            with mock.patch.object(image, "apt_sources", return_value=[path]):
                self.assertEqual(image.first_mirror(), address)

    def test_another_recipe_is_another_image(self):
        keys = {image.recipe_key(release, packages) for release, packages in
                (("bookworm", ("a", "b")), ("bookworm", ("b", "a")), ("trixie", ("a", "b")), ("bookworm", ("a",)))}
        self.assertEqual(len(keys), 3)

    def test_cache_folder(self):
        for environment, folder in (({"HEADSTART_BENCH_CACHE": "/x", "XDG_CACHE_HOME": "/y"}, "/x"),
                                    ({"XDG_CACHE_HOME": "/y"}, "/y/headstart-bench"),
                                    ({"HOME": "/z"}, "/z/.cache/headstart-bench")):
            with mock.patch.dict(os.environ, environment, clear=True):
                self.assertEqual(image.cache_folder(), folder)

    def test_what_is_missing_is_said(self):
        with mock.patch("os.geteuid", return_value=1000):
            with self.assertRaisesRegex(LabError, "only be made by root"):
                image.check_host()
            with self.assertRaisesRegex(LabError, "needs root"):
                Device("none", "/image").__enter__()
        with mock.patch("os.geteuid", return_value=0), mock.patch("shutil.which", return_value=None):
            with self.assertRaisesRegex(LabError, "apt install mmdebstrap"):
                image.check_host()

    def test_an_image_that_is_there_is_not_made_again(self):
        path = self.write(f"debian-bookworm-{os.uname().machine}-{image.recipe_key('bookworm', ('a',))}.ext4", "")
        with mock.patch.dict(os.environ, {"HEADSTART_BENCH_CACHE": self.folder}), \
                mock.patch.object(image, "host_release", return_value="bookworm"):
            self.assertEqual(image.image(("a",)), path)

    def test_a_failure_leaves_nothing(self):
        self.write("new.killed/root/file", "")
        with mock.patch.object(image, "bootstrap", side_effect=LabError("no network")):
            with self.assertRaisesRegex(LabError, "no network"):
                image.make(os.path.join(self.folder, "x.ext4"), "bookworm", ("a",), lambda text: None)
        self.assertEqual(os.listdir(self.folder), [])

    def test_too_little_space(self):
        with mock.patch("shutil.disk_usage", return_value=mock.Mock(free=5 << 20)):
            with self.assertRaisesRegex(LabError, "needs 4096 MB in .* and 5 MB are free"):
                image.make(os.path.join(self.folder, "x.ext4"), "bookworm", ("a",), lambda text: None)

    def test_another_architecture(self):
        with mock.patch.object(image, "run") as run, mock.patch.object(image, "apt_sources", return_value=["/sources"]):
            image.bootstrap("/tree", "bookworm", ("a", "b"), architecture="arm64", files=(("etc/x/y", "it's\n"),))
        command = run.call_args.args
        self.assertTrue(os.access(command[0], os.X_OK))       # tests/arm64/emulating
        self.assertLess({"mmdebstrap", "--architectures=arm64", "--include=a,b", "/tree"}, set(command))
        hook, = (argument.partition("=")[2] for argument in command if argument.startswith("--essential-hook="))
        subprocess.run(["sh", "-c", hook, "hook", self.folder], check=True)
        with open(os.path.join(self.folder, "etc/x/y"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "it's\n")


if __name__ == "__main__":
    unittest.main()

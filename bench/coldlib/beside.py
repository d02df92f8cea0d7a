# SPDX-License-Identifier: MIT
"""Starts of programs by an ordinary user of the image, beside whom headstartd may run (lab/daemon.py)."""

import shutil

from coldlib import apps, asked, experiment
from coldlib.experiment import GivenUp, failure_of, first_line
from coldlib.stage import Stage, lab_errors, verified
from lab import cold

LEARNS = 20            # seconds after a start for the daemon to write what it has learnt

PROGRAMS = {
    "libreoffice": apps.App("libreoffice", ("/usr/bin/soffice", "--headless", "--norestore", "--terminate_after_init")),
    "firefox": apps.App("firefox", ("/usr/bin/firefox-esr", "--headless", "--no-remote", "--profile", "/tmp",
                                    "--screenshot", "/tmp/out.png", "about:blank"),
                        environment=(("MOZ_DISABLE_AUTO_SAFE_MODE", "1"), ("MOZ_CRASHREPORTER_DISABLE", "1"))),
    "gimp": apps.App("gimp", ("/usr/bin/gimp", "--no-interface", "--batch", "(gimp-quit 0)")),
    "python": apps.App("python", ("/usr/bin/python3", asked.at("science.py"))),
    "git": apps.App("git", ("/usr/bin/git", "-c", "safe.directory=*", "-C", asked.at("first"), "log", "--stat")),
    "emacs": apps.App("emacs", ("/usr/bin/emacs", "--batch", "--eval", "(message \"ready\")")),
}


def packages():
    """What the image of these programs has."""
    from lab.image import PACKAGES    # the laboratory needs root; --help and usage errors don't

    return (*PACKAGES, *asked.PACKAGES)


class BesideStage(Stage):
    """The image with files for all programs."""

    def prepare_programs(self, container=False):
        from lab.daemon import Beside, enter_user

        self.tell.step("installing headstart in the image")
        self._install()
        with lab_errors():
            asked.fill(self.root.path)
            enter_user(self.root.path)
        self.checked = ()      # unmounting makes all files cold, which is proven of the disk as a whole
        self.beside = {daemon: Beside(self.options.build, daemon, container) for daemon in (False, True)}

    def forget(self):
        """What the daemon has learnt."""
        with lab_errors(), verified():
            cold.make_cold(self.device, self.checked)
        shutil.rmtree(self.root.inside(self.paths["state"]), ignore_errors=True)

    def start_beside(self, app, daemon, prefix=()):
        """The lab's Result of a cold start by an ordinary user."""
        with lab_errors(), verified():
            cold.make_cold(self.device, self.checked)
            return self.root.run([*prefix, *app.command], dict(app.environment), self.options.timeout,
                                 measured=False, delay=True, linger=LEARNS if daemon else 0, shell=self.beside[daemon])

    def refuse_failed(self, app, done):
        run = experiment.Run(done.seconds, done.status, done.timed_out, done.stdout, done.stderr)
        wrong = failure_of(run, self.options.timeout)
        if wrong:
            raise GivenUp(f"'{app.name}' {wrong}: {first_line(run)}")

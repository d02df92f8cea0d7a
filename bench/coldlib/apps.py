# SPDX-License-Identifier: MIT
"""The programs that the project measures, as commands that work as root, without display and network."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class App:
    name: str
    command: tuple
    environment: tuple = ()      # (name, value) pairs
    outputs: tuple = ()          # files that it must write, compared like its standard output


# HOME is a fresh tmpfs in every run, so every start has a fresh profile.
PROFILE = "/root"    # must exist: Firefox hangs with a profile folder that it has to make
SCREENSHOT = "/root/out.png"

APPS = {app.name: app for app in (
    App("libreoffice", ("/usr/bin/soffice", "--headless", "--terminate_after_init")),
    App("firefox",
        ("/usr/bin/firefox-esr", "--headless", "--no-remote", "--profile", PROFILE,
         "--screenshot", SCREENSHOT, "about:blank"),
        environment=(("MOZ_DISABLE_AUTO_SAFE_MODE", "1"), ("MOZ_CRASHREPORTER_DISABLE", "1")),
        outputs=(SCREENSHOT,)),
)}

# SPDX-License-Identifier: MIT
"""One device with one image, in which headstart is installed and a start recorded. Some arms run here."""

import collections
import contextlib
import glob
import json
import os
import shutil

from coldlib import arms, disk_order, recording
from coldlib.experiment import GivenUp, NotVerified, Run, complaint, failure_of, first_line
from lab import LabError, build as lab_build, cold
from lab.device import Device
from lab.root import Root
from lab.shell import Shell

SECOND = "/var/tmp/bench-second.profile"
COPIED = "/var/tmp/bench-relayout.profile"
MORE = "/var/tmp/bench-more.profile"
TOGETHER = "/var/tmp/bench-merged.profile"
WITHOUT_EVENTS = "/var/tmp/bench-without-events.profile"
LOG = "/var/log/headstart-bench.log"    # in a folder that only root can change, or root writes no log
PAGE = os.sysconf("SC_PAGESIZE")
PREFETCHERS_END = 5  # seconds after the command for them to log what they have read
MERGED = 3           # recorded starts of a merged plan
RECORDING = 900      # seconds that a recording may take at the device's speed
WARM_READS = 0.02    # of the reads of a cold start: a start with more was not warm


def profile_of(plan):
    """The path of the profile of a plan's program: one for all of its plans."""
    return os.path.splitext(plan)[0].split("@")[0] + ".profile"


class Stage:
    """Use as a context manager, which leaves nothing behind."""

    def __init__(self, image, options, tell, place=False, recordings=1):
        self.image = image
        self.recordings = recordings    # how many starts a plan or a profile is made of
        self.place = place         # the start is placed before any arm runs
        self.placed = None         # what place reported
        self.options = options
        self.app = options.app
        self.tell = tell
        self.files = []            # paths of the regular files of a start
        self.cold_reads = 0        # requests of a cold start to the device
        self.paths = {}            # what {…} in arms.py stands for
        self.shell = None          # for the arms that start from a running shell
        self.plans = {}            # program -> its plan's file in the image
        self.touched = None        # Pages: those of a second, independent recording
        self.checked = None        # of which files to verify that they are cold; None: of all
        self.asked = {}            # name of the arm -> (bytes prefetched, bytes used)

    def __enter__(self):
        with lab_errors():
            self.device = Device(self.options.device, self.image, self.options.seed, slowdisk(self.options))
            self.device.__enter__()
        self.root = Root(self.device)
        return self

    def __exit__(self, *exception):
        self.device.__exit__(*exception)

    def prepare(self, chosen):
        """Everything before the first timed run, at full speed."""
        needs = {arm.needs for arm in chosen} | ({arms.PLAN} if self.place else set())
        if needs != {""}:
            self.tell.step("installing headstart in the image")
            self._install()
        if any(arm.shell for arm in chosen):
            with lab_errors():
                self.shell = Shell.copy(self.root, self.paths["preload"])
        self.tell.step("trying the command")
        self._try()
        if arms.FILES in needs:
            self._list_files()
        if needs & {arms.PLAN, arms.PLAIN, arms.OTHER, arms.MERGED, arms.PTRACE, arms.PAGEMAP}:
            self.tell.step(self._so_many("recording a start"))
            self._record()
        if self.place:
            self.tell.step(self._so_many("placing the files of the start, and recording it anew"))
            self._place()
            self._record()
        if arms.PLAIN in needs:
            self._plan_plain()
        if arms.OTHER in needs:
            self._plan_other()
        if arms.MERGED in needs:
            self.tell.step(f"recording {MERGED - 1} starts more")
            self._plan_merged()
        for backend in sorted(needs & {arms.PTRACE, arms.PAGEMAP}):
            self.tell.step(f"recording a start with --backend {backend}")
            self._plan_without_events(backend)
        if needs != {""}:
            self.tell.step("recording a second start, to know what is used")
            self._headstart("record", "--quiet", "--output", SECOND, "--", *self.app.command)
            self.touched = recording.Pages(PAGE)
            self.touched.add_profile(self._show(SECOND))
        for arm in chosen:
            self.tell.step(f"looking at what '{arm.name}' reads ahead")
            self.asked[arm.name] = self._ask(arm)

    def run(self, arm, timeout):
        """One run by the protocol."""
        self._bring(arm)
        run = self._execute(arm, timeout)
        if arm.warm and run.reads > self.cold_reads * WARM_READS:
            raise NotVerified(f"{run.bytes_read} bytes had to be read all the same")
        return run

    def record(self, path):
        """Records the starts to one profile at `path` on the host."""
        if not self.paths:
            self._install()
        self._headstart("record", "--quiet", "--output", COPIED, "--", *self.app.command)
        self._merge_more(COPIED, COPIED, self.recordings - 1)
        shutil.copy(self.root.inside(COPIED), path)

    def _so_many(self, step):
        return step if self.recordings == 1 else f"{step}, {self.recordings} times"

    def _merge_more(self, first, output, starts):
        """Records so many starts more, and merges them with a profile."""
        for _ in range(starts):
            self._headstart("record", "--quiet", "--output", MORE, "--", *self.app.command)
            self._headstart("merge", "--output", output, first, MORE)
            first = output

    def _install(self):
        build = self.options.build
        self.paths = installed_paths(build)
        with lab_errors():
            self.root.install(build)
        for path in (self.paths["headstart"], self.paths["audit"], self.paths["preload"]):
            if not os.path.exists(self.root.inside(path)):
                raise GivenUp(f"'{build}' has no {path}; is it built, all of it?")
        for path in (SECOND, LOG):
            os.makedirs(self.root.inside(os.path.dirname(path)), exist_ok=True)
        shutil.copy(os.path.join(build, "bench/read-files"), self.root.inside(self.paths["read_files"]))

    def _try(self):
        """The first run: whether the command works here, and which files it takes."""
        self._try_command()
        self.files = sorted(cold.resident_files(self.root.path))

    def _try_command(self):
        nothing = arms.ARMS["nothing"]
        self._bring(nothing)
        run = self._execute(nothing, self.options.timeout, delay=False)
        wrong = failure_of(run, self.options.timeout)
        if wrong:
            raise GivenUp(f"the command {wrong} without headstart and delay: {first_line(run)}")
        self.cold_reads = run.reads

    def _list_files(self):
        path = self.root.inside(self.paths["list"])
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as out:
            out.writelines(f"{name}\n" for name in disk_order.sort(self.root.path, self.files))

    def _preload_system_wide(self, wanted):
        """Makes the image's /etc/ld.so.preload name the preload shim, or removes it."""
        path = self.root.inside("/etc/ld.so.preload")
        if wanted:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="ascii") as file:
                file.write(self.paths["preload"] + "\n")
        else:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)

    def _bring(self, arm):
        """Brings the image and the page cache into the arm's state and verifies that, or raises NotVerified."""
        self._preload_system_wide(arm.system)
        with verified():
            if arm.warm:
                self._execute(arm, self.options.timeout, delay=False)
                cold.make_warm(self.device, self.files)
            else:
                cold.make_cold(self.device, self.checked)

    def _execute(self, arm, timeout, delay=True, environment=(), linger=0):
        prefix = [word.format_map(self.paths) for word in arm.prefix]
        variables = dict([*self.app.environment, *environment])
        variables.update((name, value.format_map(self.paths)) for name, value in arm.environment)
        with lab_errors():
            done = self.root.run([*prefix, *self.app.command], variables, timeout, delay=delay,
                                 outputs=self.app.outputs, linger=linger,
                                 shell=self.shell if arm.shell else None)
        return Run(done.seconds, done.status, done.timed_out, done.stdout, done.stderr, done.outputs,
                   done.major_faults, done.minor_faults, done.counters["bytes_read"], done.counters["reads"],
                   done.counters["noncontiguous"], done.counters["bytes_reread"], done.caches_dropped)

    def _headstart(self, *arguments, timeout=None, delay=False, environment=()):
        """Runs a verb of headstart in the image, at full speed unless `delay`. Returns what it printed."""
        with lab_errors():
            done = self.root.run([self.paths["headstart"], *arguments], dict([*self.app.environment, *environment]),
                                 timeout or self.options.timeout, measured=False, delay=delay)
        if done.timed_out or done.status != 0:
            raise GivenUp(f"'headstart {arguments[0]}' failed in the image: "
                          f"{complaint(done.stderr.decode('utf-8', 'replace'), done.status)}")
        return done.stdout

    def _show(self, path):
        return self._headstart("show", "--json", path)

    def _record(self):
        """Records the starts, with their plan where `headstart run` and the shim look. At the device's own speed, since a
        recording also measures it; without read-ahead that takes several times as long as a start."""
        for number in range(self.recordings):
            merge = ["--merge"] if number > 0 else []   # the first takes the place of those before, as of files that were not placed
            self._headstart("record", "--quiet", *merge, "--timeout", str(RECORDING), "--", *self.app.command,
                            timeout=2 * RECORDING, delay=True)
        for path in sorted(glob.glob(self.root.inside(self.paths["state"] + "/*.plan"))):    # that of the start comes last
            if os.path.islink(path):    # the sign for another name of the program
                continue
            path = "/" + os.path.relpath(path, self.root.path)
            self.plans[json.loads(self._show(path))["program"]] = path
        if not self.plans:
            raise GivenUp("the recording of a start left no plan")
        for plan in self.plans.values():
            kept = json.loads(self._show(profile_of(plan)))["runs"]
            if kept < self.recordings:
                raise GivenUp(f"{kept} of {self.recordings} recordings were kept")

    def _place(self):
        """Places what the recorded start touches. The start is recorded anew afterwards: its metadata lies elsewhere, too."""
        outcome = json.loads(self._headstart("place", "--json", "--all-plans"))
        self.placed = {"disks": [
            {**{name: disk[name] for name in ("choice", "moved", "starts")},
             "files": collections.Counter(file["status"] for file in disk["files"]),
             "refusals": {file["path"]: file["reason"] for file in disk["files"] if file["status"] == "refused"}}
            for disk in outcome["disks"] if not disk["refusal"]]}
        self._try_command()

    def _plan_plain(self):
        """The plan of the recorded start without metadata."""
        (program,) = self.plans
        self._headstart("plan", "--no-metadata", "--output", self.paths["plain"], "--program", program)

    def _plan_other(self):
        """The plan of the recorded start for the other kind of disk; on the model lazy, for a disk of that kind, which no recording shows."""
        (program,) = self.plans
        device = "rotational" if json.loads(self._show(self.plans[program]))["order"] == "touch" else "solid"
        if self.options.device == "lazy":
            device = "lazy"
        self._headstart("plan", "--device", device, "--output", self.paths["other"], "--program", program)

    def _plan_merged(self):
        """The plan of the recorded start merged with others."""
        (plan,) = self.plans.values()
        self._merge_more(profile_of(plan), TOGETHER, MERGED - 1)
        self._headstart("plan", "--output", self.paths["merged"], TOGETHER)

    def _plan_without_events(self, backend):
        """The plan of one start more. The disk is the one that the recording by trace events has measured."""
        self._headstart("record", "--quiet", "--backend", backend, "--output", WITHOUT_EVENTS, "--", *self.app.command)
        self._headstart("plan", "--output", self.paths[backend], WITHOUT_EVENTS)

    def _ask(self, arm):
        """(bytes prefetched, bytes of them used) in one run that is not timed; None where unknown."""
        if not arm.needs:
            return 0, 0
        if arm.needs == arms.FILES:
            read = recording.Pages(PAGE)
            for path in self.files:
                read.add_whole(path, os.path.getsize(self.root.inside(path)))
            return read.bytes(), read.both(self.touched).bytes()
        log = self.root.inside(LOG)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(log)
        self._bring(arm)
        # The shim obeys HEADSTART_LOG only if the environment names the shim as well. Without a plan, the prefetcher's
        # behaviour depends on the speed of the device.
        named = (("LD_PRELOAD", self.paths["preload"]),) if arm.system else ()
        self._execute(arm, self.options.timeout, delay=arm.needs == arms.SHIM,
                      environment=(("HEADSTART_LOG", LOG), *named), linger=PREFETCHERS_END)
        if not os.path.exists(log):
            return 0, 0
        with open(log, encoding="utf-8", errors="replace") as file:
            text = file.read()
        found = recording.prefetches(text)
        # A prefetcher ends with the run's PID namespace; if it had no time to log what it read, that is unknown.
        if len(found) < recording.started(text):
            return None, None
        given = self.paths.get(arm.needs)    # by --plan
        return self._used(found, text, dict.fromkeys(self.plans, given) if given else self.plans)

    def _used(self, prefetches, log, plans):
        """(bytes that these prefetchers requested, bytes of them that a start touches)"""
        asked = sum(int(prefetch["asked"]) for prefetch in prefetches)
        read = recording.Pages(PAGE)
        read.add_objects(log, self.root.inside)
        for program in {prefetch["program"] for prefetch in prefetches
                        if prefetch["what"] == "prefetch" and int(prefetch["asked"])}:
            read.add_plan(self._show(plans[program]))
        return asked, read.both(self.touched).bytes()

    def prefetched(self, name):
        return self.asked[name]


def slowdisk(options):
    """The program that models the device."""
    return os.path.join(options.build, "bench/slowdisk/slowdisk")


def installed_paths(build):
    """Where a build of headstart has what the arms need."""
    with lab_errors():
        folders = lab_build.folders(build)
    private, state = folders["private"], folders["state"]
    return {
        "headstart": folders["headstart"],
        "audit": os.path.join(private, "libheadstart-audit.so"),
        "preload": os.path.join(private, "libheadstart-preload.so"),
        "read_files": os.path.join(private, "bench-read-files"),
        "state": state,
        "list": os.path.join(state, "bench-files"),
        "plain": os.path.join(state, "bench-plain"),
        "other": os.path.join(state, "bench-other"),
        **{name: os.path.join(state, "bench-" + name) for name in (arms.MERGED, arms.PTRACE, arms.PAGEMAP)},
    }


@contextlib.contextmanager
def verified():
    """If the page cache cannot be brought into a state, refuses the run."""
    try:
        yield
    except (cold.NotCold, cold.NotWarm) as refusal:
        raise NotVerified(str(refusal)) from None


@contextlib.contextmanager
def lab_errors():
    """If the laboratory fails, ends the measurement with its sentence."""
    try:
        yield
    except LabError as error:
        raise GivenUp(str(error)) from None

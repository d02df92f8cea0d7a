# SPDX-License-Identifier: MIT
"""The protocol: arms take turns (A B C A B C), every run begins in a verified state, and failed runs do not count.

    one round = for each arm: bring the page cache into its state and verify that; run; compare

A run whose state could not be verified does not count and is repeated. A run that failed, hung or left something else
than `nothing` does is a failure of its arm: neither it nor the arm has a time. An arm that failed or hung is left out
of the following rounds.
"""

import dataclasses

REFUSALS = 5    # of one run, before the experiment ends: what keeps the pages in memory will not stop


class NotVerified(Exception):
    """The page cache is not in the state that the arm asks for."""


class GivenUp(Exception):
    """There is nothing to report; one sentence says why."""


def until_verified(what, run, refused):
    """What run() returns, which is tried again as long as it raises NotVerified. refused(why) hears of each refusal."""
    for _ in range(REFUSALS):
        try:
            return run()
        except NotVerified as refusal:
            reason = refusal
            refused(refusal)
    raise GivenUp(f"{what} was refused {REFUSALS} times in a row: {reason}")


def undropped(dropped):
    """Refuses a run during which the caches were emptied."""
    if dropped:
        raise NotVerified("somebody emptied the caches of the machine meanwhile")


@dataclasses.dataclass
class Run:
    """One run, as a session returns it."""
    seconds: float
    status: int                # exit status; negative: the signal that ended it
    timed_out: bool = False
    stdout: bytes = b""
    stderr: bytes = b""
    outputs: dict = dataclasses.field(default_factory=dict)    # path -> its bytes' hash, None if missing or empty
    major_faults: int = 0
    minor_faults: int = 0
    bytes_read: int = 0
    reads: int = 0
    seeks: int = 0             # reads that did not continue the one before
    bytes_reread: int = 0      # the part of bytes_read that the run had read before
    caches_dropped: bool = False    # somebody emptied the machine's caches meanwhile

    def traces(self):
        """What the run left behind that can be compared: (name, value) pairs."""
        yield "exit status", self.status
        yield "stdout", self.stdout
        yield "stderr", self.stderr
        for path, digest in self.outputs.items():
            yield f"presence of {path}", digest is not None
            yield f"content of {path}", digest


@dataclasses.dataclass
class ArmRuns:
    """The results of one arm."""
    arm: object
    runs: list = dataclasses.field(default_factory=list)       # one Run for each round
    refused: int = 0
    failures: list = dataclasses.field(default_factory=list)   # (round from 1, sentence)
    bytes_prefetched: int = None    # None: not known; 0 for an arm without headstart
    bytes_used: int = None

    @property
    def seconds(self):
        return [run.seconds for run in self.runs]


def failure_of(run, timeout):
    """Why the run does not count as a start, in words; None if nothing is wrong with the run itself."""
    if run.timed_out:
        return f"did not end within {timeout:g} s"
    if run.status < 0:
        return f"was ended by signal {-run.status}"
    if run.status > 0:
        return f"failed with exit status {run.status}"
    for path, digest in run.outputs.items():
        if digest is None:
            return f"did not write {path}"
    return None


class Experiment:
    """
    session: .run(arm, timeout) -> Run, or NotVerified. progress: .step(text), .note(text).
    """

    def __init__(self, session, arms, rounds, timeout, progress):
        self.session = session
        self.rounds = rounds
        self.timeout = timeout
        self.progress = progress
        self.arms = {arm.name: ArmRuns(arm) for arm in arms}

    def run(self):
        for number in range(1, self.rounds + 1):
            for results in self.arms.values():
                if not results.failures:
                    self.progress.step(f"round {number} of {self.rounds}: {results.arm.name}")
                    self._one(results, number)
        self._compare()
        return self.arms

    def _one(self, results, number):
        run = self._verified_run(results)
        results.runs.append(run)
        wrong = failure_of(run, self.timeout)
        if wrong:
            results.failures.append((number, wrong))
            if results.arm.name == "nothing":
                raise GivenUp(f"the command {wrong} without headstart too: {first_line(run)}")

    def _verified_run(self, results):
        def once():
            run = self.session.run(results.arm, self.timeout)
            undropped(run.caches_dropped)
            return run

        def refused(refusal):
            results.refused += 1
            self.progress.note(f"refused a run of '{results.arm.name}': {refusal}")

        return until_verified(f"'{results.arm.name}'", once, refused)

    def _compare(self):
        """Compares every run with those under `nothing`, in everything that is the same in all of these."""
        seen = {}
        for run in self.arms["nothing"].runs:
            for name, value in run.traces():
                seen.setdefault(name, set()).add(value)
        self.varies = sorted(name for name, values in seen.items() if len(values) > 1)
        for results in self.arms.values():
            failed = {number for number, _ in results.failures}
            sound = [(number, run) for number, run in enumerate(results.runs, 1) if number not in failed]
            for number, run in sound:
                differs = [name for name, value in run.traces()
                           if name not in self.varies and value not in seen[name]]
                if differs:
                    results.failures.append((number, f"differs from 'nothing' in {', '.join(differs)}"))


COMPLAINTS = 20     # lines of a complaint at most


def complaint(stderr, status):
    """What a command that failed has said, for the end of a message: the reason need not be its last line."""
    lines = stderr.strip().splitlines()[-COMPLAINTS:]
    if not lines:
        return f"status {status}"
    return lines[0] if len(lines) == 1 else "".join(f"\n  {line}" for line in lines)


def first_line(run):
    """The last line that the command printed, for a message."""
    text = (run.stderr or run.stdout).decode("utf-8", "replace").strip()
    return text.splitlines()[-1] if text else "it said nothing"

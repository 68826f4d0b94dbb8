"""Runs jobs side by side, the longest first.

Stories mostly wait, so several run at once: as many as the memory carries, and another one
only while the processors have time left. Builds are nice, and take what stories leave.
"""

import json
import os
import selectors
import signal
import sys
import time
import traceback
from dataclasses import dataclass, field

from . import plan, story

TICK_SECONDS = 0.25
RAMP_SECONDS = 0.75         # a story that starts needs the processors before it waits
KILL_SECONDS = 10           # from SIGTERM to SIGKILL
IDLE_WANTED = 0.06          # of the processors' time, before another story starts
NICE_IS_IDLE = 0.4          # nice work takes a tenth of the time even from busy stories
SMOOTHING = 0.15            # the weight of one look in the idle share
STORIES_MIN = 2             # as many run however busy the machine is
STORIES_PER_PROCESSOR = 4
FAULTS_AT_ONCE = 2          # they load the processors and measure times, the others wait more
STORY_BYTES = 2 << 30       # memory that a story may need


@dataclass
class Outcome:
    """What became of a job."""
    job: object
    seconds: float = 0
    cpu: float = 0
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    code: int = 0
    is_hopeless: bool = False       # it did not run, for what it needs failed
    tests: list = field(default_factory=list)       # (name, what, seconds, words)

    @property
    def log(self):
        return log_of(self.job)


def log_of(job):
    return plan.LOGS / f"{job.name.replace(':', '-')}.log"


def stories_at_once():
    """By memory and processors; STORIES_AT_ONCE overrides it."""
    if os.environ.get("STORIES_AT_ONCE"):
        return int(os.environ["STORIES_AT_ONCE"])
    with open("/proc/meminfo") as meminfo:
        lines = dict(line.split(":") for line in meminfo)
    available = int(lines["MemAvailable"].split()[0]) * 1024
    return max(STORIES_MIN, min(available // STORY_BYTES,
                                STORIES_PER_PROCESSOR * os.cpu_count()))


class Processors:
    """How busy they are; what is nice counts little, except for used()."""

    def __init__(self):
        self.first = self.last = self._read()
        self.idle_share = 1.0       # smoothed: of the last seconds

    @staticmethod
    def _read():
        with open("/proc/stat") as stat:
            user, nice, system, idle, iowait, *others = map(int, stat.readline().split()[1:])
        return user + system + sum(others[:3]), nice, idle + iowait

    def sample(self):
        now = self._read()
        busy, nice, idle = (new - old for new, old in zip(now, self.last))
        if busy + nice + idle >= 10:        # hundredths of a second
            share = (NICE_IS_IDLE * nice + idle) / (busy + nice + idle)
            self.idle_share += SMOOTHING * (share - self.idle_share)
            self.last = now

    def used(self):
        """The share of their time since the start that something used."""
        busy, nice, idle = (new - old for new, old in zip(self._read(), self.first))
        return (busy + nice) / max(1, busy + nice + idle)


def start(job, events, log):
    """Returns the pid of a session that does the job and has EVENTS open.

    A story needs no new interpreter: it has the modules of this one.
    """
    sys.stdout.flush()
    pid = os.fork()
    if pid:
        return pid
    try:
        _prepare(job, log)
        if job.story:
            story.leave(story.main(events, job.story, job.tests))
        os.set_inheritable(events, True)
        os.execvp(job.argv[0], job.argv)
    except BaseException:
        traceback.print_exc()
    story.leave(1)


def _prepare(job, log):
    os.setsid()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(log.fileno(), 1)
    os.dup2(log.fileno(), 2)
    os.nice(job.nice)
    os.environ.update(job.env)


class Running:
    """A job's process, and what it has told so far."""

    def __init__(self, job):
        self.job = job
        self.outcome = Outcome(job)
        self.started = time.monotonic()
        self.deadline = self.started + job.limit
        self.killed_at = None
        self.current = None
        self.told = b""
        self.events, theirs = os.pipe()
        with open(log_of(job), "wb") as log:
            self.pid = start(job, theirs, log)
        os.close(theirs)

    def signal(self, number):
        try:
            os.killpg(self.pid, number)
        except ProcessLookupError:
            pass

    def has_ended(self):
        """Without taking its status: end() does."""
        return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def read(self):
        """False at the end of its events."""
        data = os.read(self.events, 1 << 16)
        *lines, self.told = (self.told + data).split(b"\n")
        for line in lines:
            self._take(json.loads(line))
        return bool(data)

    def _take(self, event):
        if event["what"] == "start":
            self.current = event["test"]
            return
        self.current = None
        self._add(event["test"], event["what"], event["seconds"], event["words"])

    def _add(self, test, what, seconds, words):
        out = self.outcome
        out.tests.append((test, what, seconds, words))
        setattr(out, what, getattr(out, what) + 1)

    def check_deadline(self, now):
        if self.killed_at is None and now > self.deadline:
            self.signal(signal.SIGTERM)
            self.killed_at = now
        elif self.killed_at is not None and now > self.killed_at + KILL_SECONDS:
            self.signal(signal.SIGKILL)

    def end(self):
        """After its last event: waits for it."""
        _, status, usage = os.wait4(self.pid, 0)
        self.signal(signal.SIGKILL)         # what it left in its session
        out = self.outcome
        out.code = os.waitstatus_to_exitcode(status)
        out.seconds = time.monotonic() - self.started
        out.cpu = usage.ru_utime + usage.ru_stime
        os.close(self.events)
        if self.job.story:
            self._settle_story()
        else:
            self._settle_command()
        return out

    def _settle_story(self):
        out = self.outcome
        words = f"killed after {self.job.limit} s" if self.killed_at else f"exit {out.code}"
        if self.current is not None or (out.code and not out.failed):
            self._add(self.current or "", "failed", out.seconds, f"{words}\n{end_of(out.log)}")
        told = {test for test, *_ in out.tests}
        if "" in told:
            return
        for test in self.job.tests:
            if test not in told and test.partition(".")[0] not in told:
                self._add(test, "failed", 0, f"did not run: {words}")

    def _settle_command(self):
        """What it counted in lines `N passed, M failed`, or itself."""
        out = self.outcome
        for line in out.log.read_text(errors="replace").splitlines():
            words = line.split()
            if len(words) == 4 and words[1] == "passed," and words[3] == "failed":
                out.passed += int(words[0])
                out.failed += int(words[2])
        if out.code and not out.failed:
            out.failed = 1
        if not out.code and not out.passed:
            out.passed = 1
        if out.failed:
            out.tests.append(("", "failed", out.seconds, end_of(out.log)))


def end_of(log, lines=60):
    return "\n".join(log.read_text(errors="replace").splitlines()[-lines:])


class Scheduler:

    def __init__(self, jobs, told):
        """TOLD has started(job), ended(outcome) and tick(running)."""
        self.told = told
        self.waiting = sorted(jobs, key=lambda job: -job.estimate)
        self.running = {}
        self.good, self.bad = set(), set()
        self.outcomes = []
        self.selector = selectors.DefaultSelector()
        self.processors = Processors()
        self.at_once = stories_at_once()
        self.story_started = 0

    # ---- which is next ----

    def _is_ready(self, job):
        return all(need in self.good for need in job.needs)

    def _drop_hopeless(self):
        """Jobs whose need failed cannot run: they failed with it."""
        for job in [job for job in self.waiting if self.bad & set(job.needs)]:
            self.waiting.remove(job)
            out = Outcome(job, failed=1, code=1)
            out.is_hopeless = True
            self._ended(out)

    def _may_start(self, job, now):
        running = [each.job for each in self.running.values()]
        if not self._is_ready(job) or any(each.alone for each in running):
            return False
        if job.alone:
            return not running
        if job.builds:
            return not any(each.builds for each in running)
        if not job.story:
            return not any(each.stage == job.stage for each in running)
        stories = sum(1 for each in running if each.story)
        if stories < STORIES_MIN:
            return True
        if job.quiet or any(each.quiet for each in running):
            return False
        if self._is_one_fault_too_many(job, running):
            return False
        return (stories < self.at_once and now > self.story_started + RAMP_SECONDS
                and self.processors.idle_share > IDLE_WANTED)

    def _is_one_fault_too_many(self, job, running):
        """Stories of faults have other stories beside them as long as there are any."""
        others = [each for each in self.waiting if each.story and each.stage != "faults"]
        if job.stage != "faults" or not others:
            return False
        return sum(1 for each in running if each.stage == "faults") >= FAULTS_AT_ONCE

    def _start_ready(self):
        now = time.monotonic()
        for job in list(self.waiting):
            if self._may_start(job, now):
                self.waiting.remove(job)
                self._start(job)
                if job.story:
                    self.story_started = now

    def _start(self, job):
        running = Running(job)
        self.running[running.events] = running
        self.selector.register(running.events, selectors.EVENT_READ, running)
        self.told.started(job)

    # ---- what they do ----

    def _ended(self, outcome):
        (self.bad if outcome.failed else self.good).add(outcome.job.name)
        self.outcomes.append(outcome)
        self.told.ended(outcome)

    def _turn(self):
        for key, _ in self.selector.select(TICK_SECONDS):
            running = key.data
            if not running.read():
                self.selector.unregister(running.events)
                del self.running[running.events]
                self._ended(running.end())
        now = time.monotonic()
        for running in self.running.values():
            running.check_deadline(now)
        self.processors.sample()
        self.told.tick(self)

    def run(self):
        """All of them; returns their outcomes."""
        try:
            while self.waiting or self.running:
                self._drop_hopeless()
                self._start_ready()
                if self.running:
                    self._turn()
        except BaseException:
            self._stop_all()
            raise
        return self.outcomes

    def _stop_all(self):
        """A build that is killed would leave half a file; so it is told first."""
        for running in self.running.values():
            running.signal(signal.SIGTERM)
        deadline = time.monotonic() + KILL_SECONDS
        while time.monotonic() < deadline and any(
                not running.has_ended() for running in self.running.values()):
            time.sleep(TICK_SECONDS)
        for running in self.running.values():
            running.signal(signal.SIGKILL)

    def left_seconds(self):
        """About how long the rest takes: its work, by as much as goes on at once."""
        now = time.monotonic()
        rest = [max(0, each.job.estimate - (now - each.started))
                for each in self.running.values()]
        rest += [job.estimate for job in self.waiting]
        side_by_side = max(1, min(self.at_once, len(rest)))
        return max(sum(rest) / side_by_side, max(rest, default=0))

"""What a run tells: a line a job, how far it is, and one summary at the end."""

import sys
import time
import xml.etree.ElementTree as xml
from pathlib import Path

from . import plan

SILENCE_SECONDS = 30        # without a line, then one that says how far it is
FAILURES_SHOWN = 20
LINES_OF_A_FAILURE = 6


def _minutes(seconds):
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


class Progress:
    """One line a job that has ended; on a terminal also a line that is written over."""

    def __init__(self, jobs):
        self.tests = {stage: 0 for stage in plan.STAGES}
        self.done = dict(self.tests)
        for job in jobs:
            self.tests[job.stage] += max(1, len(job.tests))
        self.jobs, self.ended_jobs, self.failed = len(jobs), 0, 0
        self.is_terminal = sys.stdout.isatty()
        self.said_at = time.monotonic()

    def started(self, job):
        pass

    def ended(self, outcome):
        self.ended_jobs += 1
        self.failed += outcome.failed
        self.done[outcome.job.stage] += max(1, len(outcome.job.tests))
        skipped = f", {outcome.skipped} skipped" if outcome.skipped else ""
        word = "FAILED" if outcome.failed else "ok"
        if outcome.is_hopeless:
            return
        self._say(f"{word:6} {outcome.job.stage:11} {outcome.job.name:44} "
                  f"{outcome.passed:3} passed, {outcome.failed} failed{skipped}"
                  f"  {outcome.seconds:.1f} s, {outcome.cpu:.1f} s CPU")

    def _say(self, line):
        clear = "\r\033[K" if self.is_terminal else ""
        print(f"{clear}{line}", flush=True)
        self.said_at = time.monotonic()

    def _status(self, scheduler):
        stages = sorted({each.job.stage for each in scheduler.running.values()},
                        key=list(plan.STAGES).index)
        parts = [f"{stage} {self.done[stage]} of {self.tests[stage]}" for stage in stages]
        return (f"... {', '.join(parts)}; {self.failed} failed; "
                f"{len(scheduler.running)} at once; about "
                f"{_minutes(scheduler.left_seconds())} left")

    def tick(self, scheduler):
        now = time.monotonic()
        if self.is_terminal:
            print(f"\r\033[K{self._status(scheduler)[:118]}", end="", flush=True)
        elif now > self.said_at + SILENCE_SECONDS:
            self._say(self._status(scheduler))


def _first_lines(words):
    """Of a traceback the end, which says what was wrong; of others the beginning."""
    lines = [line for line in words.strip().splitlines() if line.strip()]
    starts = [at for at, line in enumerate(lines) if line[:1].strip() and "Error" in line]
    at = starts[-1] if starts else 0
    return lines[at:at + LINES_OF_A_FAILURE]


def failures(outcomes):
    return [(out, test, words) for out in outcomes
            for test, what, _, words in out.tests if what == "failed"]


def _name(out, test):
    return plan.full_name(out.job, test) if out.job.story and test else out.job.name


def _tell_stages(outcomes):
    for stage in plan.STAGES:
        outs = [out for out in outcomes if out.job.stage == stage]
        if outs:
            skipped = sum(out.skipped for out in outs)
            print(f"{stage:12} {sum(out.passed for out in outs):4} passed, "
                  f"{sum(out.failed for out in outs)} failed"
                  f"{f', {skipped} skipped' if skipped else ''}"
                  f"   {sum(out.cpu for out in outs):.0f} s CPU")


def _tell_failures(outcomes, flaky):
    found = failures(outcomes)
    for out, test, words in found[:FAILURES_SHOWN]:
        name = _name(out, test)
        print(f"---- {'FLAKY' if name in flaky else 'FAILED'} {name}  "
              f"({out.log.relative_to(plan.ROOT)})")
        for line in _first_lines(words):
            print(f"     {line[:200]}")
    if len(found) > FAILURES_SHOWN:
        print(f"---- and {len(found) - FAILURES_SHOWN} more")


def _tell_skipped(outcomes):
    reasons = {}
    for out in outcomes:
        for test, what, _, words in out.tests:
            if what == "skipped":
                reasons.setdefault(words, []).append(_name(out, test))
    for words, names in reasons.items():
        print(f"skipped: {', '.join(names[:3])}{' ...' if len(names) > 3 else ''}: {words}")


def summary(outcomes, flaky, seconds, share):
    """Returns how many failed, and how many were flaky though no issue lists them.

    FLAKY: {name: the issue that lists it, or None}.
    """
    print()
    _tell_stages(outcomes)
    _tell_skipped(outcomes)
    _tell_failures(outcomes, flaky)
    hopeless = [out.job.name for out in outcomes if out.is_hopeless]
    if hopeless:
        print(f"---- did not run, for what they need failed: {len(hopeless)} jobs, "
              f"{', '.join(hopeless[:3])} ...")
    for name, issue in flaky.items():
        print(f"flaky: {name}: failed, and passed when it ran again alone"
              + (f"; known: {issue}" if issue else ""))
    passed = sum(out.passed for out in outcomes) + len(flaky)
    failed = sum(out.failed for out in outcomes) - len(flaky)
    skipped = sum(out.skipped for out in outcomes)
    unknown = sum(1 for issue in flaky.values() if not issue)
    print(f"{_minutes(seconds)} ({seconds:.0f} s), processors {100 * share:.0f} % busy, "
          f"{unknown} flaky")
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return failed, unknown


def junit(path, outcomes):
    """A testsuite a job, a testcase a test."""
    root = xml.Element("testsuites")
    for out in outcomes:
        tests = out.tests or [("", "failed" if out.failed else "passed", out.seconds,
                               "did not run" if out.is_hopeless else "")]
        suite = xml.SubElement(root, "testsuite", name=out.job.name, tests=str(len(tests)),
                               failures=str(out.failed), skipped=str(out.skipped),
                               time=f"{out.seconds:.3f}")
        for test, what, seconds, words in tests:
            case = xml.SubElement(suite, "testcase", classname=out.job.name,
                                  name=test or out.job.name, time=f"{seconds:.3f}")
            if what != "passed":
                kind = "failure" if what == "failed" else "skipped"
                element = xml.SubElement(case, kind, message=(words.splitlines() or [""])[-1])
                element.text = words
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    xml.ElementTree(root).write(path, encoding="utf-8", xml_declaration=True)

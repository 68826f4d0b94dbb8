"""The command: see `tests/run --help`."""

import argparse
import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "deploy"))
from lab.mariadb import MariaDb                     # noqa: E402
from suite import plan, report, scheduler, story    # noqa: E402

AGAIN_MAX = 16          # failed tests; of more, running them again tells nothing
TRIES = 2               # of a failed test, alone
MEMORY = "/dev/shm"
MEMORY_BYTES = 4 << 30  # more than the data of all servers at once
FLAKY = plan.ROOT / "tests" / "suite" / "flaky"     # TEST ISSUE, a line each

EPILOG = """stages:
{stages}

names:
  a stage, a file (test_routes, tests/integration/test_routes.py), a class (test_routes:Scheduled,
  Scheduled), a test (Scheduled.test_no_instance_that_is_up) or a pattern of one ('*haproxy*').
  `rest` is what CI runs after the default, and `all` is every test of the default stages, also
  those that docs/testing.md says the default leaves out.

environment:
  STORIES_AT_ONCE=N   stories that run side by side (by default: by memory and load)
  FUZZ_SECONDS=N      of each fuzz target (5)
  UNIT_PERCENT=N      of the rounds of random inputs to unit tests (100; 12 in the default's asan)
  TMPDIR=FOLDER       where servers keep their data (by default in /dev/shm, if it has 4 GiB free)
  ZONEFLEET_SEED=N    seed of the stories that draw by chance
"""


def arguments():
    stages = "\n".join(f"  {name:12} {words}{'' if default else '; only when named'}"
                       for name, (words, default) in plan.STAGES.items())
    parser = argparse.ArgumentParser(
        prog="tests/run", formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Builds zonefleet and runs its tests. Without a name: all but what "
                    "docs/testing.md says that the default leaves out. The output of each job goes to build/test/JOB.log.",
        epilog=EPILOG.format(stages=stages))
    parser.add_argument("names", nargs="*", metavar="NAME",
                        help="run only this stage, file, class or test, and what it needs")
    parser.add_argument("--list", action="store_true", help="print what would run, and run nothing")
    parser.add_argument("--junit", metavar="FILE", help="write the results as JUnit XML")
    parser.add_argument("--tolerate-flaky", action="store_true",
                        help="report a flaky test, and do not fail for it")
    parser.add_argument("--repeat", type=int, default=1, metavar="N",
                        help="run the named stories N times")
    return parser.parse_args()


def show_list(jobs):
    for stage in plan.STAGES:
        for job in (job for job in jobs if job.stage == stage):
            print(f"{stage:12} {job.name:44} {job.estimate:4.0f} s")
            for test in job.tests:
                print(f"{'':12}     {plan.full_name(job, test)}")


def repeated(jobs, times):
    """The stories TIMES times, under names of their own."""
    from dataclasses import replace
    copies = [replace(job, name=f"{job.name}#{number}") for job in jobs if job.story
              for number in range(2, times + 1)]
    return [*jobs, *copies]


def known_flaky():
    if not FLAKY.exists():
        return {}
    return dict(re.findall(r"^([^#\s]\S*)\s+(#\d+.*)$", FLAKY.read_text(), re.M))


def passes_alone(job):
    for _ in range(TRIES):
        print(f"again, alone: {job.name}", flush=True)
        if not scheduler.Scheduler([job], report.Progress([job])).run()[0].failed:
            return True
    return False


def run_again(outcomes):
    """The tests that failed, alone: {name: issue or None} of those that pass then."""
    failed = [(out, test) for out, test, _ in report.failures(outcomes) if out.job.story]
    if len(failed) > AGAIN_MAX:
        return {}
    known, flaky = known_flaky(), {}
    for out, test in failed:
        name = plan.full_name(out.job, test) if test else out.job.name
        if passes_alone(plan.again(out.job, test)):
            flaky[name] = known.get(name)
    return flaky


def make_workplace():
    """A folder for the data of all servers: in memory, if a story cannot fill that.

    A file system on a disk costs a sixth of the processor time of a run.
    """
    place = None
    if not os.environ.get("TMPDIR"):
        with contextlib.suppress(OSError):
            if shutil.disk_usage(MEMORY).free >= MEMORY_BYTES:
                place = MEMORY
    folder = tempfile.mkdtemp(prefix="zfsuite", dir=place)  # a copied process does not remove it
    os.chmod(folder, 0o711)     # a story may run a program as another user
    os.environ["TMPDIR"] = tempfile.tempdir = folder
    return folder


@contextlib.contextmanager
def lent_servers():
    """Stories that start meanwhile find a lender of brokers, and an installed database."""
    folder = make_workplace()
    lender = None
    try:
        database = MariaDb(f"{folder}/mariadb")
        database.install()
        os.environ["ZONEFLEET_MARIADB_TEMPLATE"] = str(database.data)
        os.environ["ZONEFLEET_MARIADB_FLUSH"] = "2"     # no story cuts the power
        os.environ["ZONEFLEET_BROKERS"] = path = f"{folder}/socket"
        lender = subprocess.Popen(
            ["setpriv", "--pdeathsig", "TERM", "/usr/bin/python3", "tests/suite/brokers.py",
             path, folder, str(scheduler.stories_at_once())], stdin=subprocess.DEVNULL)
        yield
    finally:
        if lender:
            lender.terminate()
            lender.wait()
        shutil.rmtree(folder, ignore_errors=True)


def run(jobs):
    """Returns the outcomes, what was flaky, and the share of the processors."""
    work = scheduler.Scheduler(jobs, report.Progress(jobs))
    with lent_servers() if any(job.story for job in jobs) else contextlib.nullcontext():
        outcomes = work.run()
        return outcomes, run_again(outcomes), work.processors.used()


def main():
    asked = arguments()
    os.chdir(plan.ROOT)
    plan.LOGS.mkdir(parents=True, exist_ok=True)
    jobs = plan.make(asked.names, int(os.environ.get("FUZZ_SECONDS") or 5))
    if asked.list:
        show_list(jobs)
        return 0
    started = time.monotonic()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    story.import_heavy()
    outcomes, flaky, busy = run(repeated(jobs, asked.repeat))
    plan.keep_durations(outcomes)
    if asked.junit:
        report.junit(asked.junit, outcomes)
    failed, unknown = report.summary(outcomes, flaky, time.monotonic() - started, busy)
    return 1 if failed or (unknown and not asked.tolerate_flaky) else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)

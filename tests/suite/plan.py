"""What there is to run: stages of jobs, and what is left to `tests/run all`.

A job is a command, or tests of a story's file: a class, or all classes where they share what
the module starts. A job of many tests is split by the seconds that they took. A job's needs
are the names of jobs that have to pass before it starts.
"""

import fnmatch
import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LEFT_OUT = ROOT / "docs" / "testing.md"             # its last table: NAME | reason
LEFT_OUT_HEAD = "## What the default leaves out"
IN_CI = "CI runs it"                                # a reason with these words: `tests/run rest`
# {test, command, or class for what it starts: seconds}, kept with the tests
KEPT = ROOT / "tests" / "suite" / "durations.json"
LOGS = ROOT / "build" / "test"

SANITIZERS = {
    "BUILD": "build-asan",
    "ASAN_OPTIONS": "exitcode=99:detect_stack_use_after_return=1:strict_string_checks=1",
    "UBSAN_OPTIONS": "exitcode=99:print_stacktrace=1",
}
DEFAULT_ROUNDS_PERCENT = "12"   # of random inputs to unit tests under the sanitizers
CLANG = ("BUILD=build/fuzz", "CC=clang-14", "OPTIM=-O1 -g", "HARDEN=-fPIE",
         "SANITIZE=-fsanitize=address,undefined,fuzzer-no-link -fno-sanitize-recover=all")

STORY_SECONDS = 600         # of a job of stories, then it is killed
JOB_SECONDS = 75            # a longer job of stories is split
TEST_SECONDS = 3            # of a test that was never measured
START_SECONDS = 5           # what a class starts, if that was never measured

# stage: what it is, and whether the default run has it
STAGES = {
    "packages": ("what the build and the tests need (deploy/install-packages)", True),
    "build": ("release build, warnings are errors", True),
    "check": ("layers and unit tests", True),
    "hardening": ("PIE, RELRO, no executable stack, fortified, marked jumps", True),
    "asan": ("the programs and the unit tests under ASan and UBSan", True),
    "clang": ("the same sources through clang, and the fuzz targets", True),
    "integration": ("tests/integration: one story a file, real servers", True),
    "faults": ("the short form of tests/faults", True),
    "fuzz": ("each fuzz target for FUZZ_SECONDS (5)", True),
    "neutron": ("names of the ports of a real Neutron; brings a hundred packages", False),
    "clusters": ("three RabbitMQ and three Galera; one story at a time", False),
}

# Stories whose programs are those of the release build: what they look at is not in the other
# one, or they start programs that are installed.
RELEASE = {
    "test_demo": "runs deploy/demo, which builds what users build",
    "test_deploy": "what is installed",
    "test_cluster_command": "runs deploy/cluster",
    "test_planted_bugs": "builds programs of its own",
    "test_large_zone": "looks at memory",
    "test_fleet": "loads libfaketime before all others",
    "test_poolmgr_many": "looks at the time that reports take",
    "test_limits": "looks at memory and descriptors",
    "test_crash_points": "loads a library before all others",
    "test_ports_agent": "loads a library before all others",
}


@dataclass
class Job:
    name: str
    stage: str
    argv: list
    needs: tuple = ()
    env: dict = field(default_factory=dict)
    story: str = ""             # the file; "" of a command
    unit: str = ""              # of a story: its name before it was split
    tests: tuple = ()           # of a story: the tests that it runs
    limit: int = 300            # seconds, then it is killed
    nice: int = 0
    builds: bool = False        # keeps the processors busy by itself
    alone: bool = False         # nothing else beside it
    quiet: bool = False         # one other story beside it
    estimate: float = 20.0      # seconds


def _command(name, stage, argv, needs=(), **options):
    return Job(name, stage, [str(word) for word in argv], needs, **options)


def _make(name, stage, *words, **options):
    return _command(name, stage, ["make", "-j2", *words], builds=True, limit=900, **options)


def _commands(fuzz_seconds, rounds_percent):
    jobs = [
        _make("build", "build", "all", "drivers", "benches"),
        _make("asan-programs", "asan", "asan-programs"),
        _make("check", "check", "check", needs=("build",), nice=5),
        _command("hardening", "hardening",
                 ["sh", "-c", "tests/support/check-hardening build/bin/*"], ("build",)),
        _make("asan", "asan", "asan", needs=("asan-programs",), nice=10,
              env={"UNIT_PERCENT": os.environ.get("UNIT_PERCENT", rounds_percent)}),
        _make("clang", "clang", *CLANG, "all", "fuzzers", needs=("asan-programs",), nice=15),
    ]
    for target in sorted((ROOT / "tests" / "fuzz").glob("fuzz_*.c")):
        jobs.append(_command(target.stem, "fuzz", ["tests/fuzz/run", target.stem], ("clang",),
                             env={"FUZZ_SECONDS": str(fuzz_seconds), "FUZZ_SEED": "1",
                                  "FUZZ_BUILT": "1"},
                             nice=10, limit=fuzz_seconds + 120, estimate=fuzz_seconds))
    return jobs


def story_files(stage):
    """The files of a stage of stories."""
    integration = sorted((ROOT / "tests" / "integration").glob("test_*.py"))
    neutron = [path for path in integration if path.stem.endswith("_neutron")]
    clusters = [path for path in integration if path.stem.startswith("test_cluster")]
    return {
        "integration": [path for path in integration if path not in neutron + clusters],
        "neutron": neutron,
        "clusters": clusters,
        "faults": sorted((ROOT / "tests" / "faults").glob("test_*.py")),
    }[stage]


STORY_STAGES = ("integration", "faults", "neutron", "clusters")


def _listed(files):
    if not files:
        return {}
    said = subprocess.run(["/usr/bin/python3", "tests/suite/story.py", "list", *files],
                          cwd=ROOT, capture_output=True, text=True)
    if said.returncode:
        sys.exit(f"tests/run: the stories cannot be listed:\n{said.stderr}")
    return json.loads(said.stdout)


# It changes zones on servers at a fixed pace, and measures how soon each is right again.
QUIET = {"test_drift:DriftStory"}


def _story(file, name, tests, stage):
    path = Path(file)
    release = path.stem in RELEASE or stage in ("neutron", "clusters")
    env = {} if release else dict(SANITIZERS)
    if stage == "faults":
        env["ZONEFLEET_FAULTS"] = os.environ.get("ZONEFLEET_FAULTS", "short")
    name = f"{path.stem}:{name}" if name else path.stem
    return Job(name, stage, [], ("build",) if release else ("asan-programs",), env, file, name,
               tuple(tests), limit=int(os.environ.get("STORY_SECONDS") or STORY_SECONDS),
               alone=stage == "clusters", quiet=name in QUIET)


def _stories(stage):
    """A job a class; a file whose classes share a fleet is one."""
    files = [str(path.relative_to(ROOT)) for path in story_files(stage)]
    jobs = []
    for file, found in _listed(files).items():
        classes = {name: [f"{name}.{test}" for test in tests]
                   for name, tests in found["classes"].items()}
        if found["shared"]:
            classes = {"": [test for tests in classes.values() for test in tests]}
        jobs += [_story(file, name, tests, stage) for name, tests in classes.items() if tests]
    return jobs


def _split(job, seconds):
    """The job, or parts of it that take JOB_SECONDS each, its tests in their order."""
    start = seconds.get(job.unit, START_SECONDS)
    took = {test: seconds.get(full_name(job, test), TEST_SECONDS) for test in job.tests}
    count = max(1, round(sum(took.values()) / max(JOB_SECONDS - start, JOB_SECONDS / 3)))
    share = sum(took.values()) / count
    parts, filled = [[]], 0
    for test in job.tests:
        if parts[-1] and filled + took[test] / 2 > share * len(parts):
            parts.append([])
        parts[-1].append(test)
        filled += took[test]
    return [replace(job, name=job.name if len(parts) == 1 else f"{job.name}.{number}",
                    tests=tuple(tests), estimate=start + sum(took[test] for test in tests))
            for number, tests in enumerate(parts, 1)]


# ---- what is left out, and what is asked for ----

def left_out():
    """{name of a file, class or test: the reason}, from the last table of docs/testing.md."""
    table = LEFT_OUT.read_text().partition(LEFT_OUT_HEAD)[2]
    return dict(re.findall(r"^\| `([\w:.*]+)` \| (.+?) \|$", table, re.M))


def full_name(job, test):
    return f"{Path(job.story).stem}:{test}"


def _names_of(job, test):
    """What a user may call a test: its file, class or itself, as short as it is clear."""
    stem = Path(job.story).stem
    kind, _, method = test.partition(".")
    return {job.stage, job.name, job.story, Path(job.story).name, stem, f"{stem}:{kind}",
            f"{stem}:{test}", f"{job.story}:{kind}", f"{job.story}:{test}", kind, test, method}


def _is_called(job, test, names):
    called = _names_of(job, test)
    return any(fnmatch.fnmatchcase(each, name) for name in names for each in called)


def _without(job, names):
    return replace(job, tests=tuple(test for test in job.tests
                                    if not _is_called(job, test, names)))


def _named(job, names):
    return replace(job, tests=tuple(test for test in job.tests if _is_called(job, test, names)))


def _with_needs(chosen, jobs):
    """What is chosen, and what that needs, in the order of JOBS."""
    by_name = {job.name: job for job in jobs}
    wanted = {job.name for job in chosen}
    stack = list(wanted)
    while stack:
        for need in by_name[stack.pop()].needs:
            if need not in wanted:
                wanted.add(need)
                stack.append(need)
    return [job for job in jobs if job.name in wanted]


def _durations():
    kept = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    measured = LOGS / "durations.json"
    if measured.exists():
        kept.update(json.loads(measured.read_text()))
    return kept


def keep_durations(outcomes):
    """Writes the seconds of passed tests for the next run; KEPT is the committed copy."""
    measured = {}
    for out in (out for out in outcomes if "#" not in out.job.name):
        tests = {full_name(out.job, test): seconds for test, what, seconds, _ in out.tests
                 if what == "passed" and out.job.story}
        measured |= tests
        if not out.failed:
            measured[out.job.unit or out.job.name] = out.seconds - sum(tests.values())
    path = LOGS / "durations.json"
    old = json.loads(path.read_text()) if path.exists() else {}
    kept = {**old, **{name: round(seconds, 1) for name, seconds in measured.items()}}
    path.write_text(json.dumps(kept, indent=0, sort_keys=True) + "\n")


def make(names, fuzz_seconds):
    """The jobs of a run: NAMES are stages, files, classes or tests, "all", "rest", or nothing.

    Exits with a word about a name that nothing has.
    """
    out = left_out()
    long = ()
    if "rest" in names:
        rest = [name for name, reason in out.items() if IN_CI in reason]
        names = [*(name for name in names if name != "rest"), *rest]
        long = [name for name in out if name not in rest]
    stages = {stage for stage in STAGES if stage in names}
    default = {stage for stage, (_, is_default) in STAGES.items() if is_default}
    story_names = [name for name in names if name not in STAGES and name != "all"]
    everything = "all" in names
    wanted = default | stages if everything or not names else stages
    listed = [stage for stage in STORY_STAGES
              if stage in wanted or (story_names and (stage in default or _hints(stage, story_names)))]
    stories = [job for stage in listed for job in _stories(stage)]
    commands = _commands(fuzz_seconds, "100" if names else DEFAULT_ROUNDS_PERCENT)
    _check_names(story_names, [*commands, *stories])
    if not names:
        _check_names([name for name in out if name not in STAGES], stories)
        wanted -= out.keys()
        stories = [_without(job, out) for job in stories]
    elif story_names:
        stories = [job if job.stage in wanted else _without(_named(job, story_names), long)
                   for job in stories]
    seconds = _durations()
    jobs = [part for job in stories if job.tests for part in _split(job, seconds)]
    for job in commands:
        job.estimate = seconds.get(job.name, job.estimate)
    for job in [*commands, *jobs]:
        job.limit = max(job.limit, int(4 * job.estimate))
    chosen = [job for job in commands if job.stage in wanted or job.name in story_names]
    return _with_needs([*chosen, *jobs], [*commands, *jobs])


def again(job, test):
    """A job of one test of a story, or of its whole class if it failed outside a test."""
    tests = (test,) if "." in test else job.tests
    return replace(job, name=f"{job.name}.again", tests=tests, needs=())


def _hints(stage, names):
    """Has the stage, which is no default one, a file of one of these names?"""
    stems = [path.stem for path in story_files(stage)]
    return any(stem in name for stem in stems for name in names)


def _check_names(names, jobs):
    for name in names:
        if not any(name == job.name or any(_is_called(job, test, [name]) for test in job.tests)
                   for job in jobs):
            sys.exit(f"tests/run: nothing is called '{name}': "
                     "tests/run --list shows all stages, files, classes and tests")

"""story.py EVENTS FILE [NAME...]: runs the tests of a file, or of its classes or tests.

EVENTS is an open descriptor, or "list" to print what there is and run nothing. A line of
JSON goes to it at each start and end of a test:

    {"test": "Class.test_x", "what": "start"}
    {"test": "Class.test_x", "what": "passed" | "failed" | "skipped", "seconds": 1.5,
     "words": "the reason, or the end of the traceback"}

What fails outside a test (setUpClass, setUpModule) has the name of its class, or "".
"""

import atexit
import importlib
import importlib.util
import json
import os
import re
import sys
import time
import unittest
from pathlib import Path

WORDS_MAX = 8000
# What many stories import and takes long: of the packages, for the project's own modules look
# at the environment.
HEAVY = ("oslo_messaging", "oslo_messaging._drivers.impl_rabbit", "oslo_config.cfg", "kombu",
         "amqp", "dns.query", "dns.message", "dns.zone", "dns.tsigkeyring", "sqlite3",
         "http.client", "concurrent.futures")


def import_heavy():
    """Before this process is copied; a package that is missing fails the story that needs it."""
    for name in HEAVY:
        try:
            importlib.import_module(name)
        except ImportError:
            pass


def load(file):
    """The module of a file, as if its folder were the place that it was started from."""
    path = Path(file).resolve()
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def tests_of(module):
    """{class: [test, ...]} of the classes that the module defines itself."""
    loader = unittest.TestLoader()
    found = {}
    for name, value in vars(module).items():
        if isinstance(value, type) and issubclass(value, unittest.TestCase) \
                and value.__module__ == module.__name__:
            tests = loader.getTestCaseNames(value)
            if tests:
                found[name] = list(tests)
    return found


def name_of(test):
    """"Class.test_x"; of what failed outside a test "Class", or "" for a module."""
    if isinstance(test, unittest.TestCase):
        return f"{type(test).__name__}.{test._testMethodName}"
    inside = re.search(r"\((.*)\)", str(test))
    return inside.group(1).rpartition(".")[2] if inside and "Class" in str(test) else ""


class Result(unittest.TextTestResult):
    """Tells each test once, with all that went wrong in it."""

    def __init__(self, events, *arguments, **options):
        super().__init__(*arguments, **options)
        self.events = events
        self.current = None
        self.words = []
        self.skip_reason = None
        self.has_failed = False
        self.started = 0

    def tell(self, **event):
        print(json.dumps(event), file=self.events, flush=True)

    def startTest(self, test):
        super().startTest(test)
        self.current, self.started = test, time.monotonic()
        self.words, self.skip_reason, self.has_failed = [], None, False
        self.tell(test=name_of(test), what="start")

    def stopTest(self, test):
        super().stopTest(test)
        what = "failed" if self.has_failed else "skipped" if self.skip_reason else "passed"
        self.tell(test=name_of(test), what=what, seconds=time.monotonic() - self.started,
                  words="\n".join(self.words) or self.skip_reason or "")
        self.current = None

    def failed(self, test, words):
        self.has_failed = True
        if self.current:
            self.words.append(words[-WORDS_MAX:])
        else:
            self.tell(test=name_of(test), what="failed", seconds=0, words=words[-WORDS_MAX:])

    def addError(self, test, err):
        super().addError(test, err)
        self.failed(test, self.errors[-1][1])

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.failed(test, self.failures[-1][1])

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            words = self._exc_info_to_string(err, subtest)
            self.failed(test, f"{subtest._subDescription()}\n{words}")

    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        self.failed(test, "it passed, though it is marked as one that fails")

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.skip_reason = reason
        if not self.current:
            self.tell(test=name_of(test), what="skipped", seconds=0, words=reason)


def run(descriptor, file, names):
    module = load(file)
    if hasattr(module, "enter_namespace"):
        module.enter_namespace()                    # starts this program again, inside
    os.set_inheritable(descriptor, False)           # servers that it starts do not hold it
    loader = unittest.TestLoader()
    names = names or list(tests_of(module))
    suite = loader.loadTestsFromNames(names, module)
    with open(descriptor, "w") as events:
        runner = unittest.TextTestRunner(
            verbosity=2, failfast=getattr(module, "FAIL_FAST", False),
            resultclass=lambda *a, **o: Result(events, *a, **o))
        result = runner.run(suite)
    return 0 if result.wasSuccessful() else 1


def main(descriptor, file, names):
    """As if this process had been started as `story.py DESCRIPTOR FILE NAME...`."""
    sys.argv = [str(Path(__file__).resolve()), str(descriptor), file, *names]
    os.set_inheritable(descriptor, True)
    return run(descriptor, file, names)


def leave(code):
    """The end of a copied process: it stops what it started, and returns to nobody."""
    try:
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(code)


def list_files(files):
    found = {}
    for file in files:
        module = load(file)
        found[file] = {"shared": hasattr(module, "setUpModule"), "classes": tests_of(module)}
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    if sys.argv[1] == "list":
        list_files(sys.argv[2:])
    else:
        sys.exit(run(int(sys.argv[1]), sys.argv[2], sys.argv[3:]))

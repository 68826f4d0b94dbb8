"""The lab: a server that dies is started again as by its unit, and a test's failure says so."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "deploy"))

from lab.knot import Knot                               # noqa: E402
from lab.nsd import Nsd                                 # noqa: E402
from lab.process import (PID_FILE, LabError, free_port, left_running,    # noqa: E402
                         start_of, stop_left, wait_for)
from lab.users import user_for                          # noqa: E402

sys.path[:0] = [str(ROOT / "tests" / "support"), str(ROOT / "tests")]
import planted                                          # noqa: E402
from suite import plan, scheduler                       # noqa: E402

SECONDS = 20


class Planted(unittest.TestCase):

    def test_each_bug_has_its_place(self):
        bugs = [bug for bug in vars(planted).values() if isinstance(bug, planted.Bug)]
        self.assertGreater(len(bugs), 3)
        for bug in bugs:
            self.assertEqual((ROOT / bug.file).read_text().count(bug.right), 1, bug.right)


class Unfinished(unittest.TestCase):
    """A job whose process ends within its first test."""

    STORY = """\
import os, unittest
class A(unittest.TestCase):
    def test_a(self):
        os._exit(CODE)
    def test_b(self):
        pass
"""

    def test_a_test_that_did_not_run_has_failed(self):
        folder = Path(tempfile.mkdtemp(prefix="zflab"))
        self.addCleanup(shutil.rmtree, folder)
        for code in 0, 3:
            story = folder / f"test_ends{code}.py"
            story.write_text(self.STORY.replace("CODE", str(code)))
            running = scheduler.Running(plan.Job(
                f"test_lab-ends{code}", "integration", [], story=str(story),
                tests=("A.test_a", "A.test_b")))
            while running.read():
                pass
            told = [(test, what) for test, what, *_ in running.end().tests]
            self.assertEqual(told, [("A.test_a", "failed"), ("A.test_b", "failed")])


def children(pid):
    return [int(child) for child
            in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


class Users(unittest.TestCase):

    def why(self, user, folder):
        """Why the server of an ordinary user does not change it: never a reason."""
        name, why = user_for(user, folder)
        self.assertIsNone(name)
        return why

    def test_why_a_server_runs_as_root(self):
        parent = Path(tempfile.mkdtemp(prefix="zflab", dir="/tmp"))
        self.addCleanup(parent.rmdir)
        is_root = os.geteuid() == 0
        self.assertEqual(self.why("zonefleet-nobody", parent / "nsd"),
                         "there is no user zonefleet-nobody" if is_root else None)
        self.assertEqual(self.why("nsd", parent / "demo" / "nsd"),
                         f"other users cannot enter {parent}" if is_root else None)
        parent.chmod(0o711)
        self.assertEqual(user_for("nsd", parent / "nsd"), ("nsd" if is_root else None, None))


class Left(unittest.TestCase):

    def test_a_process_that_is_not_reaped_has_ended(self):
        folder = Path(tempfile.mkdtemp(prefix="zflab"))
        self.addCleanup(shutil.rmtree, folder)
        child = subprocess.Popen(["sleep", "1000"])
        self.addCleanup(child.wait)
        self.addCleanup(child.kill)
        (folder / "program").mkdir()
        (folder / "program" / PID_FILE).write_text(f"{child.pid} {start_of(child.pid)}")
        self.assertEqual(left_running(folder), ["program"])
        child.kill()
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        self.assertEqual(left_running(folder), [])


class Died(unittest.TestCase):

    def start(self, kind, where=None, **options):
        folder = Path(tempfile.mkdtemp(prefix="zflab", dir=where))
        self.addCleanup(shutil.rmtree, folder)
        folder.chmod(0o711)
        server = kind.start(folder / kind.__name__.lower(),
                            masters=[("127.0.0.1", free_port())], **options)
        self.addCleanup(server.kill9)
        return server

    def failure(self):
        with self.assertRaises(LabError) as raised:
            wait_for(lambda: False, 0, "something else")
        return str(raised.exception)

    def started_again(self, number, cause):
        """An NSD whose process for transfers, which also answers nsd-control, got a signal."""
        server = self.start(Nsd)
        child, = children(server.pid)
        os.kill(child, number)
        wait_for(lambda: server.deaths() == [cause] and server.is_ready(), SECONDS,
                 "it is started again", [server.log])
        server.add_zone("example.org")
        return server

    def test_one_that_has_a_keeper(self):
        server = self.started_again(signal.SIGSEGV, "SIGSEGV")
        self.assertRegex(self.failure(), "nsd died of SIGSEGV, and was started again\n--- ")
        server.stop()
        self.assertEqual(server.exit_status, 0)
        self.assertNotIn("nsd", self.failure())

    def test_one_that_hangs(self):
        server = self.started_again(signal.SIGSTOP, "hung")
        server.stop()
        self.assertEqual(server.exit_status, 0)

    def test_one_that_outlives_its_keeper(self):
        """As one does that changed its user. Any user may enter the folder /tmp."""
        server = self.start(Nsd, where="/tmp", drop_root=True, leave_running=True)
        self.assertIsNone(server.why_root)
        child, = children(server.pid)
        os.kill(server.pid, signal.SIGKILL)
        os.waitpid(server.pid, 0)
        stop_left(server.folder)
        wait_for(lambda: not Path(f"/proc/{child}/cwd").exists(), SECONDS, "NSD has ended")

    def test_one_that_has_none(self):
        server = self.start(Knot)
        os.kill(server.pid, signal.SIGKILL)
        wait_for(server.has_died, SECONDS, "it has died")
        self.assertRegex(self.failure(), "knot has died: status -9\n--- .*/log\n")


if __name__ == "__main__":
    unittest.main()

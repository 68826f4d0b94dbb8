"""deploy/demo: twice in a row, interrupted, stopped; nothing it started is left."""

import os
import pwd
import re
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "deploy"))
sys.path.insert(0, str(ROOT / "tests" / "support"))
from lab.fleet import BINARIES, Fleet                           # noqa: E402
from quiet_logs import complaints                               # noqa: E402

DEMO = ROOT / "deploy" / "demo"
START_SECONDS = 600     # a deadline for a demo that hangs: beside other stories it needs 100 s
STOP_SECONDS = 180

PROGRAMS = {"rabbitmq", "epmd", "mariadb", "bind", "knot", "nsd", "central1", "central2",
            "poolmgr1", "poolmgr2", "minidns1", "minidns2", "ports1", "routes1"}
NETWORK = "5d2b8a5c6a0f4c529a513f0a8a1c7c11"
# what an operator does in a day
DAY = f"""\
domain create example.org --wait
record add example.org www A 192.0.2.80 --wait
record set example.org www A 192.0.2.81 --wait
domain create example.net --wait
network set {NETWORK} example.org
port create {NETWORK} 192.0.2.90 --dns-name vm01 --wait
router create shard1 192.0.2.91 --dns shard1.example.net --wait
route create myapp/test --wait
queues
dead-letters list
status
status example.org
servers
workers
locks
route delete myapp/test --wait
router delete shard1 --wait
record delete example.org www A --wait
domain delete example.net --wait
"""
# of a name server: the user of its package
USERS = {"named": "bind", "knotd": "knot", "nsd": "nsd"}


def live_in(folder, what="cmdline"):
    """The processes that work in a folder: all that a demo starts, and their children.

    Of each a file in /proc.
    """
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            where = os.readlink(entry / "cwd")
            if where.startswith(f"{folder}/"):
                found.append((entry / what).read_text().replace("\0", " "))
        except OSError:
            continue        # it has ended meanwhile, or is another user's
    return found


def users_in(folder):
    """{"named": {"bind"}, ...}: a name server, and the users of its processes."""
    users = {name: set() for name in USERS}
    for status in live_in(folder, "status"):
        name = re.search(r"^Name:\t([^:\n]*)", status, re.M)[1]       # "nsd: main"
        if name in users:
            uids = re.search(r"^Uid:\t(.*)", status, re.M)[1].split()
            users[name] |= {pwd.getpwuid(int(uid)).pw_name for uid in uids}
    return users


def spend_a_day(test, *client):
    """Each command of DAY succeeds, and warns of nothing."""
    for line in DAY.splitlines():
        done = subprocess.run([*client, *line.split()], text=True, capture_output=True,
                              stdin=subprocess.DEVNULL, timeout=90)
        test.assertEqual((done.returncode, done.stderr), (0, ""), f"{line}: {done.stdout}")


class Idle(unittest.TestCase):
    """A fleet with each kind of name server: what runs as designed stands in nobody's log."""

    maxDiff = None
    # what each process does again and again, and in which workers
    TIMERS = {"sync": ["poolmgr1"], "patrol": ["poolmgr1"], "sweep": ["central1"],
              "queues": ["central1", "poolmgr1", "minidns1", "ports1", "routes1"]}

    def test_after_a_day(self):
        parent = tempfile.TemporaryDirectory(prefix="zfidle")
        self.addCleanup(parent.cleanup)
        self.fleet = self.enterContext(Fleet.start(
            Path(parent.name) / "fleet", name_servers=("bind", "knot", "nsd", "powerdns"),
            servers={"nsd": {"reload_seconds": 0}},
            central=1, poolmgr=1, minidns=1, ports=1, routes=1,
            settings={"log": {"level": "info"}, "poolmgr": {"periodic_sync_interval": 3},
                      "central": {"ns_records": ["ns1.zonefleet.example."], "sweep": 3,
                                  "hostmaster": "hostmaster@zonefleet.example"},
                      "client": {"tenant": "demo", "admin": True},
                      "ports": {"reverse_tenant": "demo"}}))
        spend_a_day(self, BINARIES / "zonefleet", "--config", self.fleet.config)
        self.assertEqual(complaints(self.fleet.folder), [])
        before = self.turns()
        self.fleet.wait_for(lambda: all(turn >= before[key] + 2
                                        for key, turn in self.turns().items()), 60,
                            "each timer has run twice")
        self.assertEqual(complaints(self.fleet.folder), [])

    def turns(self):
        """{(worker, timer): how many times it has run}"""
        found = {}
        for timer, workers in self.TIMERS.items():
            counted = re.compile(rf'^zonefleet_timer_seconds_count{{timer="{timer}"}} (\d+)', re.M)
            for worker in workers:
                page = self.fleet.members[worker].page("/metrics")[1]
                found[worker, timer] = sum(map(int, counted.findall(page)))
        return found


class OthersFolder(unittest.TestCase):

    def test_keeps_its_files(self):
        with tempfile.TemporaryDirectory() as folder:
            kept = Path(folder) / "kept"
            kept.touch()
            for command in [DEMO, "stop"], [sys.executable, DEMO.with_suffix(".py"), "start"]:
                done = subprocess.run(command, env=os.environ | {"ZONEFLEET_DEMO": folder},
                                      timeout=STOP_SECONDS, text=True, stderr=subprocess.PIPE)
                self.assertEqual(done.returncode, 1)
                self.assertIn(f"{folder} is not a folder of deploy/demo: name a new",
                              done.stderr)
                self.assertTrue(kept.exists())


class DemoTest(unittest.TestCase):

    maxDiff = None

    def setUp(self):
        parent = tempfile.TemporaryDirectory(prefix="zfdemo", dir="/tmp")    # all may enter
        self.addCleanup(parent.cleanup)
        self.folder = Path(parent.name) / "demo"
        self.env = os.environ | {"ZONEFLEET_DEMO": str(self.folder)}
        self.addCleanup(self.demo, "stop", seconds=STOP_SECONDS)

    def demo(self, *arguments, seconds):
        """(status, what it said)"""
        done = subprocess.run([DEMO, *arguments], env=self.env, timeout=seconds,
                              text=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.returncode, done.stdout

    def start(self):
        status, said = self.demo(seconds=START_SECONDS)
        self.assertEqual(status, 0, said)
        return said

    def pids(self):
        return {file.parent.name: file.read_text().split()[0]
                for file in self.folder.rglob("lab.pid")}

    def assert_shown(self, said):
        """The first version and the next ones, on three servers, and small changes."""
        self.assertRegex(said, r"ACTIVE on all three \d+ ms after the command")
        self.assertRegex(said, r"ACTIVE after \d+ ms; dig sees it on all three")
        serials = re.findall(r"dig sees (\d+) on bind, (\d+) on knot, (\d+) on nsd", said)
        self.assertGreaterEqual(len(serials), 3, said)
        for seen in serials:
            self.assertEqual(len(set(seen)), 1, seen)
        self.assertEqual(len(set(serials)), len(serials), "each version has its serial")
        for server in "bind", "knot", "nsd":
            self.assertRegex(said, rf"{server} +\d+ records, equal\n")
        self.assertRegex(said, r"median \d+ ms")
        self.assertIn(f"data:  ZONEFLEET_DEMO={self.folder} deploy/demo stop\n", said)

    def assert_own_accounts(self):
        for kind in "central", "poolmgr", "minidns", "ports", "routes":
            settings = (self.folder / f"{kind}1" / "zonefleet.cfg").read_text()
            self.assertIn(f"//zonefleet-{kind}:", settings)
            self.assertIn(f'"zonefleet_{kind}"', settings)

    def assert_users(self, said, closed=None):
        """The name servers that root starts have their own users, unless a folder is closed."""
        own = os.geteuid() == 0 and not closed
        me = pwd.getpwuid(os.geteuid()).pw_name
        self.assertEqual(users_in(self.folder), {name: {user if own else me}
                                                 for name, user in USERS.items()})
        if os.geteuid() or own:
            self.assertNotIn("running as root", said)
        else:
            self.assertIn("running as root: bind, knot, nsd, because other users cannot "
                          f"enter {closed}\n", said)

    def assert_no_complaints(self):
        """Of what runs as designed, in the log of a server."""
        spend_a_day(self, self.folder / "zonefleet")
        self.assertEqual(complaints(self.folder, without=["powerdns"]), [])

    def assert_quiet_for_head(self):
        """The reader of the pipe has ended before the command writes."""
        reader, writer = os.pipe()
        os.close(reader)
        with open(writer, "wb") as out:
            done = subprocess.run([DEMO, "status"], env=self.env, timeout=30, stdout=out,
                                  stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.assertEqual((done.returncode, done.stderr), (0, b""))

    def assert_who_may_create(self, said):
        """The output says who may create domains. This fleet has no routes.suffix."""
        self.assertIn("only demo and administrators can create domains", said)
        settings = self.folder / "other.cfg"
        settings.write_text((self.folder / "zonefleet.cfg").read_text()
                            .replace("admin = true", "admin = false"))
        settings.chmod(0o600)
        for words, reason in (
                (["--config", settings, "--tenant", "other", "domain", "create", "other.org"],
                 "of another tenant: only that other tenant or an administrator may create "
                 "this domain"),
                (["router", "create", "r2", "10.0.0.300"], "Invalid: ADDRESS: must be"),
                (["router", "create", "r2", "10.0.0.3"], "Invalid: --dns: must be set")):
            done = subprocess.run([self.folder / "zonefleet", *words], text=True, timeout=30,
                                  capture_output=True, stdin=subprocess.DEVNULL)
            self.assertEqual(done.returncode, 1, words)
            self.assertIn(reason, done.stderr)

    def test_twice_and_stop(self):
        self.folder.parent.chmod(0o711)
        first = self.start()
        self.assert_shown(first)
        self.assert_users(first)
        self.assertNotIn("running already", first)
        before = self.pids()
        self.assertEqual(set(before), PROGRAMS)
        self.assert_own_accounts()
        self.assertEqual(self.demo("status", seconds=30)[0], 0)
        self.assert_quiet_for_head()
        self.assert_who_may_create(first)
        self.assert_no_complaints()

        second = self.start()
        self.assertIn("running already", second)
        self.assert_shown(second)
        self.assert_users(second)
        self.assertFalse(set(before.values()) & set(self.pids().values()),
                         "the first one's programs were stopped")

        status, said = self.demo("stop", seconds=STOP_SECONDS)
        self.assertEqual(status, 0, said)
        self.assertEqual(live_in(self.folder), [])
        self.assertFalse(self.folder.exists())
        status, said = self.demo("status", seconds=30)
        self.assertEqual((status, said), (3, f"demo: no program of {self.folder} is running: "
                                             "run deploy/demo to start\n"))
        self.assertEqual(self.demo("stop", seconds=30)[0], 0, "there is nothing to stop")

    def test_interrupted(self):
        """SIGTERM in the middle of the replay: what was started is stopped.

        Only the user who starts it may enter the folder above it.
        """
        with subprocess.Popen([DEMO], env=self.env, text=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as demo:
            before = ""
            for line in demo.stdout:
                before += line
                if "ACTIVE on all three" in line:
                    break
            self.assertNotEqual(live_in(self.folder), [])
            self.assert_users(before, closed=self.folder.parent)
            demo.send_signal(signal.SIGTERM)
            said = demo.stdout.read()
        self.assertNotEqual(demo.returncode, 0)
        self.assertIn("interrupted", said)
        self.assertEqual(live_in(self.folder), [])

    def test_wrong_word(self):
        status, said = self.demo("begin", seconds=10)
        self.assertEqual(status, 64)
        self.assertIn("stop", said)

    @unittest.skipIf((ROOT / ".demo").exists(), "a demo has the default folder")
    def test_the_folder_of_a_demo(self):
        self.env.pop("ZONEFLEET_DEMO")
        self.assertEqual(self.demo("status", seconds=10)[1],
                         "demo: no program of .demo is running: run deploy/demo to start\n"
                         "demo: for a demo in another folder, set ZONEFLEET_DEMO to this folder\n")


if __name__ == "__main__":
    unittest.main(verbosity=2)

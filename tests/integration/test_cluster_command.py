"""deploy/cluster: started, asked, cut, healed and stopped; nothing it started is left."""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import namespace                                                # noqa: E402
from story import ROOT, wait_for                                # noqa: E402
from lab.cuts import MADE                                       # noqa: E402
from lab.galera import IMPOSSIBLE, is_possible                  # noqa: E402

COMMAND = ROOT / "deploy" / "cluster"
START_SECONDS = 240
STOP_SECONDS = 120
STATE_SECONDS = 60
WELL = "sees members: 3, Primary; it is Synced"
NODES = {f"{kind}{number}" for kind in ("rabbitmq", "galera") for number in (1, 2, 3)}
PROGRAMS = NODES | {"epmd", "bind"} | {
    f"{kind}{number}" for kind in ("central", "poolmgr", "minidns") for number in (1, 2, 3)}


class ClusterCommandTest(unittest.TestCase):

    def setUp(self):
        parent = tempfile.TemporaryDirectory(prefix="zfcommand")
        self.addCleanup(parent.cleanup)
        self.folder = Path(parent.name) / "cluster"
        self.env = os.environ | {"ZONEFLEET_CLUSTER": str(self.folder)}
        self.addCleanup(self.command, "stop", seconds=STOP_SECONDS)

    def command(self, *words, seconds=30):
        """(status, what it said)"""
        done = subprocess.run([COMMAND, *words], env=self.env, timeout=seconds, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        return done.returncode, done.stdout

    def succeed(self, *words, seconds=30):
        status, said = self.command(*words, seconds=seconds)
        self.assertEqual(status, 0, said)
        return said

    def pids(self):
        return {file.parent.name: file.read_text().split()[0]
                for file in self.folder.rglob("lab.pid")}

    def described(self, name):
        """What is said of a node; or else all that is said: the fleet may be unavailable while
        a cluster agrees who is there.
        """
        _, said = self.command("status")
        found = re.search(rf"^ +{name} +(.*)$", said, re.M)
        return found.group(1) if found else said

    @unittest.skipUnless(is_possible(), IMPOSSIBLE)
    def test_from_start_to_stop(self):
        said = self.succeed(seconds=START_SECONDS)
        for word in "galera.cnf", "rabbitmq.conf", "zonefleet.cfg", "deploy/cluster stop", "ACTIVE":
            self.assertIn(word, said)
        pids = self.pids()
        self.assertEqual(set(pids), PROGRAMS)
        for number in 1, 2, 3:
            self.assertEqual(self.described(f"galera{number}"), WELL)
            self.assertEqual(self.described(f"rabbitmq{number}"), "serves its clients")
        if namespace.is_inside():
            self.cut_and_heal()
        said = self.succeed("stop", seconds=STOP_SECONDS)
        for name in PROGRAMS:
            self.assertIn(name, said)
            # whoever inherited it takes note of its end, some time
            wait_for(lambda: not Path(f"/proc/{pids[name]}").exists(), 30, f"{name} is gone")
        self.assertFalse(self.folder.exists())
        self.assertEqual(self.command("status")[0], 3)

    def cut_and_heal(self):
        self.assertEqual(self.command("cut", "galera4")[0], 1)
        self.succeed("cut", "galera2")
        self.succeed("cut", "rabbitmq3")
        wait_for(lambda: "non-Primary" in self.described("galera2"), STATE_SECONDS,
                 "the database is a minority")
        wait_for(lambda: self.described("rabbitmq3") == "serves nobody", STATE_SECONDS,
                 "so is the broker")
        self.succeed("heal")
        wait_for(lambda: self.described("galera2") == WELL, STATE_SECONDS, "it is back")
        wait_for(lambda: self.described("rabbitmq3") == "serves its clients", STATE_SECONDS,
                 "so is the broker")

    def test_wrong_words(self):
        for words in ["begin"], ["stop", "galera1"]:
            status, said = self.command(*words)
            self.assertEqual(status, 64)
            self.assertIn("heal", said)


def enter_namespace():
    namespace.enter(MADE)


if __name__ == "__main__":
    enter_namespace()
    unittest.main(verbosity=2)

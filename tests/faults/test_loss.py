"""A third of all datagrams between minidns and the name servers is lost, and no change.

ZONEFLEET_FAULTS=short is what CI runs; ZONEFLEET_SEED=N repeats the changes of a run;
ZONEFLEET_LOSS=relays: see loss.py.
"""

import os
import random
import shutil
import socket
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checker import Checker                                     # noqa: E402
from loss import enter_namespace, start_lossy_fleet             # noqa: E402
from relays import Relays                                       # noqa: E402
from story import Caller, LabError, wait_for                    # noqa: E402
from stream import Stream                                       # noqa: E402
from lab.process import HOST, free_port                         # noqa: E402

SHORT = os.environ.get("ZONEFLEET_FAULTS") == "short"
SEED = int(os.environ.get("ZONEFLEET_SEED") or random.randrange(10**6))
DOMAINS = 20
CHANGES = 60 if SHORT else 200
THIRD = 33                  # percent
HEAL_SECONDS = 60           # BIND asks over TCP when it has had no answer for 30 s
ALL_LOST_SECONDS = 5

DATAGRAMS = 100
QUESTION, ANSWER = bytes(12), b"\0\0\x80" + bytes(9)
LONG = bytes(50_000)


class LossStory(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        folder = Path(tempfile.mkdtemp(prefix="zfloss"))
        cls.addClassCleanup(shutil.rmtree, folder)
        cls.fleet, cls.loss = start_lossy_fleet(folder / "fleet", SEED)
        cls.enterClassContext(cls.fleet)
        cls.checker = Checker(cls.fleet)

    def begin_loss(self, percent):
        self.before = self.loss.dropped()
        self.loss.begin(percent)
        self.addCleanup(self.loss.end)

    def end_loss(self):
        """What was dropped meanwhile: {kind: datagrams}."""
        self.loss.end()
        return {kind: count - self.before[kind]
                for kind, count in self.loss.dropped().items()}

    def test_a_third(self):
        """All is ACTIVE while the loss goes on; the checker's own questions come after it."""
        self.begin_loss(THIRD)
        with Stream(self.fleet.rabbitmq.url, "third-d", DOMAINS, CHANGES, SEED) as producers:
            pass
        took = self.checker.wait_settled(HEAL_SECONDS)
        dropped = self.end_loss()
        self.assertEqual(self.checker.complaints(producers.wanted), [], f"seed {SEED}")
        self.assertTrue(all(dropped.values()), dropped)
        print(f"{producers.done} changes, ACTIVE {took:.0f} s later, "
              f"{type(self.loss).__name__} dropped {dropped} ... ",
              end="", file=sys.stderr, flush=True)

    def test_all_of_them(self):
        """The wait of the other story can fail; the domain is ACTIVE when the loss is over."""
        caller = Caller(self.fleet.rabbitmq.url)
        self.addCleanup(caller.close)
        self.begin_loss(100)
        domain = caller.create_domain(domain={"name": "all-lost.example."})
        reason = self.fleet.wait_state(domain["id"], "ADD ERROR")
        self.assertRegex(reason, "(bind|knot|nsd): (no answer|answers with SERVFAIL)")
        with self.assertRaisesRegex(LabError, "not within .* all domains are ACTIVE"):
            self.checker.wait_settled(ALL_LOST_SECONDS)
        self.end_loss()
        self.fleet.wait_state(domain["id"], "NONE ACTIVE", HEAL_SECONDS)


class RelaysThemselves(unittest.TestCase):
    """What loses datagrams where no namespace can be had."""

    def setUp(self):
        self.relays = Relays(SEED)
        self.port, self.own = free_port(), free_port()
        self.relays.add(self.port, self.own, "question")

    def socket(self, kind):
        opened = socket.socket(socket.AF_INET, kind)
        opened.settimeout(5)
        self.addCleanup(opened.close)
        return opened

    def test_datagrams(self):
        server, client = self.socket(socket.SOCK_DGRAM), self.socket(socket.SOCK_DGRAM)
        server.bind((HOST, self.own))
        server.setblocking(False)
        client.connect((HOST, self.port))
        self.relays.begin(THIRD)
        for _ in range(DATAGRAMS):
            client.send(QUESTION)
        came = []
        wait_for(lambda: drained(server, came) + self.relays.dropped()["question"]
                 == DATAGRAMS, 5, "each has come or is counted")
        self.assertTrue(0 < len(came) < DATAGRAMS, len(came))
        self.relays.begin(100)
        server.sendto(ANSWER, came[0])
        wait_for(lambda: self.relays.dropped()["answer"] == 1, 5, "the answer is lost")
        self.relays.end()
        server.sendto(ANSWER, came[0])
        self.assertEqual(client.recv(100), ANSWER)

    def test_connections(self):
        listener, client = self.socket(socket.SOCK_STREAM), self.socket(socket.SOCK_STREAM)
        listener.bind((HOST, self.own))
        listener.listen()
        self.relays.begin(100)
        client.connect((HOST, self.port))
        server = listener.accept()[0]
        self.addCleanup(server.close)
        for one, other in (client, server), (server, client):
            one.sendall(LONG)
            one.shutdown(socket.SHUT_WR)
            self.assertEqual(other.makefile("rb").read(), LONG)


def drained(server, came):
    """How many datagrams came in all; CAME has whom each is from."""
    try:
        while True:
            came.append(server.recvfrom(100)[1])
    except BlockingIOError:
        return len(came)


if __name__ == "__main__":
    enter_namespace()
    unittest.main(verbosity=2)

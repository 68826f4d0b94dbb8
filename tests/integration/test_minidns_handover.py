"""A mini-DNS that stops hands its orders over: another process, or the next one, goes on.

The name servers of these stories are silent until all that held an order has stopped. A try
lasts longer than a story, and no pool manager gives an order again.
"""

import re
import sys
import unittest
from pathlib import Path

import dns.opcode
import dns.rcode

sys.path.insert(0, str(Path(__file__).resolve().parent))
from minidns_lab import Domain, Lab, new_id, wait_for           # noqa: E402
from test_minidns_propagate import Scripted, rcode, soa         # noqa: E402

SECONDS = 30
TERMS = {"timeout": 120, "retry_interval": 1, "max_retries": 3}
LIST_MAX = 256


def polls_open(worker):
    found = re.search(r"^zonefleet_minidns_polls_open (\d+)$", worker.page("/metrics")[1], re.M)
    return int(found[1]) if found else 0


def name_of(question):
    """In lower case: mini-DNS asks in a random one."""
    return question.question[0].name.to_text().lower()


class Sleeper(Scripted):
    """A server that answers nothing until it wakes."""

    def __init__(self, answer, name):
        super().__init__(lambda question: answer(question) if self.awake else None)
        self.awake = False
        self.id = name


class Handover(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.lab = cls.enterClassContext(Lab(instances=2))

    def sleeper(self, answer, name="sleeper"):
        server = Sleeper(answer, name)
        self.addCleanup(server.close)
        return server

    def wait_polls(self, count, workers):
        wait_for(lambda: sum(map(polls_open, workers)) == count, SECONDS,
                 f"{count} polls are out", [worker.log for worker in workers])

    def pass_on(self, count):
        """Through both, and from the queue to the first one when it runs again."""
        first, second = self.lab.workers
        self.wait_polls(count, [first, second])
        first.stop()
        self.wait_polls(count, [second])
        second.stop()
        for worker in first, second:
            worker.launch()
        for worker in first, second:
            worker.wait_ready()
        self.wait_polls(count, [first, second])
        for worker in first, second:
            self.assertNotIn("orders not handed over", worker.log.read_text())

    def ref(self, name, serial, task="UPDATE"):
        return {"id": new_id(), "name": name, "pool": "default", "tenant": "t", "task": task,
                "status": "PENDING", "serial": serial}

    def test_each_kind_of_order(self):
        """A change, a deletion, and a check of which only the unexpected is reported."""
        def answer(question):
            name = name_of(question)
            if name == "deleted.test.":
                return rcode(question, dns.rcode.REFUSED)
            return soa(question, 9 if name == "checked.test." else 7)
        server = self.sleeper(answer)
        name, host, port = server.destination
        to = {"id": name, "host": host, "port": port, "tsig_key": None}
        changed = Domain(self.lab, "changed.test.", 7, [("changed.test.", "NS", "ns1.test.")])
        deleted = Domain(self.lab, "deleted.test.", 7)
        checked = Domain(self.lab, "checked.test.", 7)
        self.lab.cast("propagate_zones", destinations=[to], **TERMS,
                      domains=[self.ref(changed.name, 7) | {"id": changed.id}])
        self.lab.order(deleted, server.destination, task="DELETE", **TERMS)
        self.lab.cast("poll_zones", destinations=[to], **TERMS,
                      domains=[self.ref(checked.name, 7) | {"id": checked.id}])
        self.pass_on(3)
        server.awake = True
        for worker in self.lab.workers:     # a query that is out ends with its try
            worker.restart()
        got = {}
        while len(got) < 3:
            report = self.lab.reports.get(timeout=SECONDS)
            got[report["domain"]["name"]] = report["status"], report["serial_number"]
        self.assertEqual(got, {"changed.test.": ("SUCCESS", 7), "checked.test.": ("SUCCESS", 9),
                               "deleted.test.": ("NO_DOMAIN", None)})
        self.wait_polls(0, self.lab.workers)
        # an answer with the serial may come before the NOTIFY, which is then left out
        self.assertLessEqual({name_of(question) for _, question in server.asked
                              if question.opcode() == dns.opcode.NOTIFY}, {"changed.test."})

    def test_many_orders(self):
        """More than a message holds, and of several servers."""
        servers = [self.sleeper(lambda question: soa(question, 3), f"sleeper{number}")
                   for number in range(2)]
        domains = [self.ref(f"many{number}.test.", 3) for number in range(LIST_MAX + 40)]
        destinations = [dict(zip(("id", "host", "port"), server.destination), tsig_key=None)
                        for server in servers]
        for at in range(0, len(domains), LIST_MAX):
            self.lab.cast("propagate_zones", domains=domains[at:at + LIST_MAX],
                          destinations=destinations, **TERMS)
        count = len(domains) * len(servers)
        self.pass_on(count)
        for server in servers:
            server.awake = True
        for worker in self.lab.workers:
            worker.restart()
        got = set()
        while len(got) < count:
            report = self.lab.reports.get(timeout=SECONDS)
            self.assertEqual((report["status"], report["serial_number"]), ("SUCCESS", 3))
            got.add((report["domain"]["id"], report["name_server"]))
        self.wait_polls(0, self.lab.workers)


if __name__ == "__main__":
    unittest.main()

"""Orders to minidns about addresses that are no servers of a pool: nothing is sent there."""

import contextlib
import re
import select
import socket
import sys
import unittest
from pathlib import Path

import dns.message

sys.path.insert(0, str(Path(__file__).resolve().parent))
from minidns_lab import HOST, Domain, Lab, wait_for         # noqa: E402

ELSEWHERE = "127.0.0.9"
ALSO = "127.0.0.10"             # of allow_transfer
TERMS = {"timeout": 1, "retry_interval": 0.2, "max_retries": 2}
METHODS = ("notify_zone_changed", "poll_for_serial_number", "propagate_zones", "poll_zones",
           "compare_zones")


class Sink:
    """Says whether anything came to an address and port, over UDP or TCP."""

    def __init__(self, host):
        self.stream = socket.create_server((host, 0))
        self.port = self.stream.getsockname()[1]
        self.datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.datagrams.bind((host, self.port))
        self.id, self.host = "sink", host

    def heard(self, seconds=0):
        return bool(select.select([self.stream, self.datagrams], [], [], seconds)[0])

    def close(self):
        self.stream.close()
        self.datagrams.close()


class Orders(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.lab = cls.enterClassContext(Lab(settings={"allow_transfer": [ALSO]}))
        cls.domain = Domain(cls.lab, "example.org.", 7,
                            [("example.org.", "NS", "ns1.example.net.")])
        cls.lab.know([{"host": HOST, "port": 53, "tsig_key": None}])

    def sink(self, host):
        """The lab does not add it to the pool."""
        sink = self.enterContext(contextlib.closing(Sink(host)))
        self.lab.known.add((sink.host, sink.port))
        return sink

    def order(self, method, server):
        domain = {"id": self.domain.id, "name": self.domain.name, "pool": "default",
                  "tenant": "t", "task": "UPDATE", "status": "PENDING", "serial": 8}
        destination = {"id": server.id, "host": server.host, "port": server.port,
                       "tsig_key": None}
        one = {"domain": domain, "destination": destination}
        many = {"domains": [domain], "destinations": [destination]}
        self.lab.cast(method, **TERMS, **(many if method.endswith("s") else one))

    def figure(self, name):
        page = self.lab.workers[0].page("/metrics")[1]
        return next(int(line.split()[-1]) for line in page.splitlines()
                    if line.startswith(f"zonefleet_minidns_{name} "))

    def test_nothing_is_sent_to_other_addresses_and_ports(self):
        for host in ELSEWHERE, HOST:
            sink = self.sink(host)
            before = self.figure("exchanges_unknown_server_total")
            failed = self.figure('comparisons_total{outcome="failed"}')
            for method in METHODS:
                self.order(method, sink)
            report = self.lab.report(self.domain)
            self.assertEqual((report["status"], report["unasked"]), ("ERROR", True))
            self.assertIn("the database has no server with this address", report["reason"])
            # a NOTIFY is tried again, and so is the poll that took the place of the others
            wait_for(lambda: self.figure("exchanges_unknown_server_total") >= before + 4, 30,
                     "all orders are given up")
            wait_for(lambda: self.figure('comparisons_total{outcome="failed"}') > failed, 30,
                     "the comparison is given up")
            self.assertFalse(sink.heard(), host)
        log = self.lab.workers[0].log.read_text()
        self.assertIn(f"no server of a pool has this address: server={ELSEWHERE} ", log)
        self.assertRegex(log, rf'notify failed: .* server={re.escape(ELSEWHERE)} .*'
                              r'reason="was not contacted: the database has no server')

    def test_one_of_allow_transfer_is_notified_and_not_polled(self):
        sink = self.sink(ALSO)
        self.order("poll_for_serial_number", sink)
        self.assertTrue(self.lab.report(self.domain)["unasked"])
        self.assertFalse(sink.heard())
        self.order("notify_zone_changed", sink)
        self.assertTrue(sink.heard(10))
        self.assertEqual(dns.message.from_wire(sink.datagrams.recv(4096)).opcode(), 4)

    def test_a_server_that_was_added_a_moment_ago_is_told(self):
        sink = self.sink(ELSEWHERE)
        self.lab.add_server("added", sink.host, sink.port)
        self.order("notify_zone_changed", sink)
        self.assertTrue(sink.heard(2.8), "before it is given up for the first time")


if __name__ == "__main__":
    unittest.main()

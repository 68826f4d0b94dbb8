"""Clients of minidns over TCP that take nothing, or say nothing: each goes in its time.

tcp_stall is how long a client may take nothing of what there is for it; who has asked nothing
yet goes after five seconds.
"""

import contextlib
import select
import socket
import ssl
import struct
import sys
import time
import unittest
from pathlib import Path

import dns.message

sys.path.insert(0, str(Path(__file__).resolve().parent))
from minidns_lab import HOST, Domain, Lab, free_port, large_zone, transfer, wait_for    # noqa: E402
from test_minidns_xot import NAME, Authority        # noqa: E402

LARGE, WIDE = "large.test.", "wide.test."
READERS = 50
STALL, IDLE, FIRST = 4, 3, 5    # seconds
BUSY = 3                # periods until the end of all, at most
DRIP_SECONDS = 0.2


def frame(name, rtype):
    wire = dns.message.make_query(name, rtype).to_wire()
    return struct.pack("!H", len(wire)) + wire


class Readers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tls_port = free_port()
        cls.lab = Lab()
        authority = Authority(cls.lab.folder / "ca")
        certificate, key = authority.make(NAME)
        cls.lab.settings = {
            "listen_tls": [f"{HOST}:{cls.tls_port}"], "tls_certificate": str(certificate),
            "tls_key": str(key), "allow_transfer": [HOST], "tcp_stall": f"{STALL}s",
            "tcp_idle": f"{IDLE}s", "transfers_out_per_peer": 2 * READERS}
        cls.context = ssl.create_default_context(cafile=authority.certificate)
        cls.context.set_alpn_protocols(["dot"])
        cls.enterClassContext(cls.lab)
        cls.port = cls.lab.ports[0]
        Domain(cls.lab, LARGE, 7, large_zone(LARGE, 13))
        Domain(cls.lab, WIDE, 7, [(WIDE, "TXT", f'"{"x" * 250}" "{i:0200d}"')
                                  for i in range(120)])
        transfer(cls.port, LARGE)       # it is in memory

    def figure(self, name):
        page = self.lab.workers[0].page("/metrics")[1]
        return next(int(line.split()[-1]) for line in page.splitlines()
                    if line.startswith(f"zonefleet_minidns_{name} "))

    def link(self, port=None):
        link = socket.create_connection((HOST, port or self.port), timeout=5)
        self.addCleanup(link.close)
        return link

    def connected(self, count):
        wait_for(lambda: self.figure("tcp_clients") == count, 20, f"{count} are connected")
        return time.monotonic()

    def assert_gone(self, since, seconds, meanwhile=lambda: None):
        """All are, after SECONDS and not much later."""
        def gone():
            meanwhile()
            return self.figure("tcp_clients") == 0
        wait_for(gone, 8 * seconds, "all are gone")
        took = time.monotonic() - since
        self.assertGreater(took, 0.7 * seconds)
        self.assertLess(took, BUSY * seconds)

    def test_readers_of_transfers_that_stop(self):
        before = self.figure("tcp_stalled_total"), self.figure("transfers_broken_total")
        links = [self.link() for _ in range(READERS)]
        for link in links:
            link.sendall(frame(LARGE, "AXFR"))
        for link in links:      # they have begun to read
            self.assertTrue(link.recv(2))
        self.assert_gone(self.connected(READERS), STALL)
        after = self.figure("tcp_stalled_total"), self.figure("transfers_broken_total")
        self.assertEqual([b - a for a, b in zip(before, after)], [READERS, READERS])

    def test_a_reader_of_a_thin_line_stays(self):
        link = self.link()
        link.sendall(frame(LARGE, "AXFR"))
        since = self.connected(1)

        def reads_on():
            link.recv(16 * 1024)
            return time.monotonic() - since > 3 * STALL
        wait_for(reads_on, 8 * STALL, "it has read for three periods")
        self.assertEqual(self.figure("tcp_clients"), 1)
        link.close()
        self.connected(0)

    def test_askers_that_read_no_answer(self):
        links = [self.link() for _ in range(READERS // 10)]
        for link in links:
            link.settimeout(0.1)
            with contextlib.suppress(OSError):  # until mini-DNS reads no more, or ends it
                while True:
                    link.sendall(frame(WIDE, "TXT") * 100)
        self.assert_gone(time.monotonic(), STALL)

    @staticmethod
    def drip(links):
        """An octet more of a question of 64 KiB on each, now and then."""
        last = time.monotonic()

        def meanwhile():
            nonlocal last
            if time.monotonic() - last < DRIP_SECONDS:
                return
            last = time.monotonic()
            for link in links:
                with contextlib.suppress(OSError):
                    link.send(b"\xff")
        return meanwhile

    def test_a_question_that_does_not_end(self):
        links = [self.link() for _ in range(10)]
        self.assert_gone(self.connected(len(links)), FIRST, self.drip(links))

    def test_a_second_question_that_does_not_end(self):
        links = [self.link() for _ in range(10)]
        for link in links:
            link.sendall(frame(WIDE, "SOA"))
            self.assertTrue(select.select([link], [], [], 10)[0])
        self.assert_gone(self.connected(len(links)), IDLE, self.drip(links))

    def test_handshakes_that_stop(self):
        hello = bytes.fromhex("160301020001000" "1fc0303")      # the first octets of one
        links = [self.link(self.tls_port) for _ in range(10)]
        for link in links[5:]:
            link.sendall(hello)
        self.assert_gone(self.connected(len(links)), FIRST, self.drip(links[5:]))

    def test_readers_under_tls_that_stop(self):
        links = [self.context.wrap_socket(self.link(self.tls_port), server_hostname=NAME)
                 for _ in range(5)]
        for link in links:
            self.addCleanup(link.close)
            link.sendall(frame(LARGE, "AXFR"))
            self.assertTrue(link.recv(2))
        self.assert_gone(self.connected(len(links)), STALL)


if __name__ == "__main__":
    unittest.main()

"""Questions to minidns with the address of a victim on them: it gets few octets for each."""

import contextlib
import select
import socket
import struct
import sys
import time
import unittest
from pathlib import Path

import dns.edns
import dns.message
import dns.opcode
import dns.rrset

sys.path.insert(0, str(Path(__file__).resolve().parent))
from minidns_lab import HOST, Domain, Lab           # noqa: E402
from lab.process import wait_for                     # noqa: E402

ZONE = "example.org."
SECONDS = 10
A_SECOND = 1500         # questions of each kind
MOST = 1.5              # octets out for one in
# rate_limit_servers, its burst and a tenth; twice as much if each process applied it all
MOST_COUNTED = 1.1 * 300 * (SECONDS + 1)
PORTS = 8               # of a victim: both processes are asked
COOKIE = 10
TC, BADCOOKIE = 0x0200, 7       # the rcode as far as the header has it


def ask(name=ZONE, rtype="SOA", serial=None, opcode=None, **more):
    question = dns.message.make_query(name, rtype, **more)
    if serial is not None:
        question.authority.append(dns.rrset.from_text(ZONE, 0, "IN", "SOA",
                                                      f". . {serial} 0 0 0 0"))
    if opcode:
        question.set_opcode(opcode)
    return question.to_wire()


CLIENT_COOKIE = dns.edns.GenericOption(COOKIE, bytes(range(8)))
STRANGERS = {
    "SOA": ask(),
    "TXT, large": ask(rtype="TXT", use_edns=0, payload=4096),
    "NXDOMAIN": ask("no." + ZONE, "A"),
    "REFUSED, with its reason": ask("not.ours.", "A", use_edns=0),
    "half a cookie": ask(use_edns=0, options=[CLIENT_COOKIE]),
}
SERVERS = {
    "SOA": ask(),
    "SOA, EDNS": ask(use_edns=0),
    "IXFR": ask(rtype="IXFR", serial=1),
    "IXFR, EDNS": ask(rtype="IXFR", serial=1, use_edns=0, payload=4096),
    "NOTIFY": ask(opcode=dns.opcode.NOTIFY),
    "TXT, large": ask(rtype="TXT", use_edns=0, payload=4096),
}


def socket_of(address, port):
    made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
    made.bind((address, 0))
    made.connect((HOST, port))
    made.setblocking(False)
    return made


class Victim:
    """Its addresses are on questions: .sent of them went out, .octets came back.

    .counted: the answers in full, as the limits count them.
    """

    def __init__(self, addresses, wire, port):
        self.wire = wire
        self.sent = self.octets = self.counted = 0
        self.sockets = [socket_of(address, port) for address in addresses]

    def ask(self, count):
        for i in range(self.sent, self.sent + count):
            self.sockets[i % len(self.sockets)].send(self.wire)
        self.sent += count

    def hear(self):
        for source in self.sockets:
            with contextlib.suppress(BlockingIOError):
                while True:
                    self.note(source.recv(65535))

    def note(self, answer):
        self.octets += len(answer)
        flags, = struct.unpack_from("!H", answer, 2)
        if not flags & TC and flags & 15 != BADCOOKIE:
            self.counted += max(1, -(-(len(answer) - len(self.wire)) // 64))

    def close(self):
        for source in self.sockets:
            source.close()

    @property
    def gain(self):
        return self.octets / (self.sent * len(self.wire))


class Reflection(unittest.TestCase):
    """The limits are those that minidns has by itself. They are of all its processes."""

    @classmethod
    def setUpClass(cls):
        cls.lab = cls.enterClassContext(Lab(settings={
            "processes": 2, "allow_transfer": ["127.33.0.0/16"]}))
        domain = Domain(cls.lab, ZONE, 1, [(ZONE, "NS", "ns1.example.net.")] + [
            (ZONE, "TXT", f'"{i:0100d}"') for i in range(10)])
        domain.change(add=[(f"h{i}.{ZONE}", "TXT", f'"{i:0100d}"') for i in range(7)])

    def measure(self, kinds, network):
        """What comes back for an octet, by the kind of question; each from its own network."""
        return self.measure_at({kind: ([f"127.{network}.{i}.1"] * PORTS, wire)
                                for i, (kind, wire) in enumerate(kinds.items(), 1)})

    def measure_at(self, kinds, a_second=A_SECOND):
        """KINDS: {kind: (addresses, question)}."""
        victims = {kind: Victim(addresses, wire, self.lab.ports[0])
                   for kind, (addresses, wire) in kinds.items()}
        sockets = [each for victim in victims.values() for each in victim.sockets]
        begun = time.monotonic()
        while (passed := time.monotonic() - begun) < SECONDS:
            for victim in victims.values():
                victim.ask(min(int(passed * a_second) - victim.sent, 50))
            select.select(sockets, [], [], 0.002)
            for victim in victims.values():
                victim.hear()
        for victim in victims.values():
            self.addCleanup(victim.close)
            self.assertGreater(victim.sent, SECONDS * a_second * 0.8, "this machine is too slow")
        return victims

    def assert_little(self, victims):
        gains = {kind: round(victim.gain, 2) for kind, victim in victims.items()}
        counts = {kind: victim.counted for kind, victim in victims.items()}
        print(gains, counts)
        self.assertLessEqual(max(gains.values()), MOST, gains)
        self.assertGreater(min(gains.values()), 0.01, gains)    # it was there
        self.assertLessEqual(max(counts.values()), MOST_COUNTED, counts)

    def test_a_stranger(self):
        self.assert_little(self.measure(STRANGERS, 30))

    def test_each_server(self):
        self.lab.know([{"host": f"127.31.{i}.1", "port": 53, "tsig_key": None}
                       for i in range(1, len(SERVERS) + 1)])
        self.assert_little(self.measure(SERVERS, 31))

    def test_a_network_that_may_transfer(self):
        """It is one network. Each server has a limit of its own, which is above this rate."""
        addresses = [f"127.33.1.{i}" for i in range(1, 11)]
        self.assert_little(self.measure_at({"SOA": (addresses, ask())}, 2000))

    def test_one_question(self):
        """At no rate a server's address alone brings a difference; nothing is hidden in TC."""
        self.lab.know([{"host": "127.32.1.1", "port": 53, "tsig_key": None}])
        victim = Victim(["127.32.1.1"], SERVERS["IXFR, EDNS"], self.lab.ports[0])
        self.addCleanup(victim.close)

        def is_answered():      # a busy mini-DNS may lose a question behind those of other tests
            victim.ask(1)
            return select.select(victim.sockets, [], [], 1)[0]
        wait_for(is_answered, 10, "an answer")
        answer = victim.sockets[0].recv(65535)
        self.assertEqual(struct.unpack_from("!H", answer, 6), (1,))     # the SOA
        self.assertLess(len(answer), 2 * len(victim.wire))


if __name__ == "__main__":
    unittest.main()

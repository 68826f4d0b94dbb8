"""Questions to minidns with the address of a victim on them: it gets few octets for each."""

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

ZONE = "example.org."
SECONDS = 10
A_SECOND = 1500         # questions of each kind
MOST = 1.5              # octets out for one in
COOKIE = 10


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


class Victim:
    """Its address is on questions: .sent of them went out, .octets came back."""

    def __init__(self, address, wire, port):
        self.address, self.wire = address, wire
        self.sent = self.octets = 0
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
        self.socket.bind((address, 0))
        self.socket.connect((HOST, port))
        self.socket.setblocking(False)

    def ask(self, count):
        for _ in range(count):
            self.socket.send(self.wire)
        self.sent += count

    def hear(self):
        try:
            while True:
                self.octets += len(self.socket.recv(65535))
        except BlockingIOError:
            pass

    @property
    def gain(self):
        return self.octets / (self.sent * len(self.wire))


class Reflection(unittest.TestCase):
    """The settings are those that minidns has by itself."""

    @classmethod
    def setUpClass(cls):
        cls.lab = cls.enterClassContext(Lab(settings={"allow_transfer": ["127.33.0.0/16"]}))
        domain = Domain(cls.lab, ZONE, 1, [(ZONE, "NS", "ns1.example.net.")] + [
            (ZONE, "TXT", f'"{i:0100d}"') for i in range(10)])
        domain.change(add=[(f"h{i}.{ZONE}", "TXT", f'"{i:0100d}"') for i in range(7)])

    def measure(self, kinds, network):
        """What comes back for an octet, by the kind of question; each from its own network."""
        return self.measure_at({kind: (f"127.{network}.{i}.1", wire)
                                for i, (kind, wire) in enumerate(kinds.items(), 1)})

    def measure_at(self, kinds, a_second=A_SECOND):
        """KINDS: {kind: (address, question)}."""
        victims = {kind: Victim(address, wire, self.lab.ports[0])
                   for kind, (address, wire) in kinds.items()}
        begun = time.monotonic()
        while (passed := time.monotonic() - begun) < SECONDS:
            for victim in victims.values():
                victim.ask(min(int(passed * a_second) - victim.sent, 50))
            select.select([victim.socket for victim in victims.values()], [], [], 0.002)
            for victim in victims.values():
                victim.hear()
        for victim in victims.values():
            self.addCleanup(victim.socket.close)
            self.assertGreater(victim.sent, SECONDS * a_second * 0.8, "this machine is too slow")
        gains = {kind: round(victim.gain, 2) for kind, victim in victims.items()}
        print(gains)
        return gains

    def assert_little(self, gains):
        self.assertLessEqual(max(gains.values()), MOST, gains)
        self.assertGreater(min(gains.values()), 0.01, gains)    # it was there

    def test_a_stranger(self):
        self.assert_little(self.measure(STRANGERS, 30))

    def test_each_server(self):
        self.lab.know([{"host": f"127.31.{i}.1", "port": 53, "tsig_key": None}
                       for i in range(1, len(SERVERS) + 1)])
        self.assert_little(self.measure(SERVERS, 31))

    def test_a_network_that_may_transfer(self):
        """It is one network. Each server has a limit of its own, which is above this rate."""
        gains = self.measure_at({f"SOA to {address}": (address, ask()) for address in
                                 (f"127.33.1.{i}" for i in range(1, 11))}, 200)
        self.assert_little({"all": sum(gains.values()) / len(gains)})

    def test_one_question(self):
        """At no rate a server's address alone brings a difference; nothing is hidden in TC."""
        self.lab.know([{"host": "127.32.1.1", "port": 53, "tsig_key": None}])
        victim = Victim("127.32.1.1", SERVERS["IXFR, EDNS"], self.lab.ports[0])
        self.addCleanup(victim.socket.close)
        victim.ask(1)
        select.select([victim.socket], [], [], 10)
        answer = victim.socket.recv(65535)
        self.assertEqual(struct.unpack_from("!H", answer, 6), (1,))     # the SOA
        self.assertLess(len(answer), 2 * len(victim.wire))


if __name__ == "__main__":
    unittest.main()

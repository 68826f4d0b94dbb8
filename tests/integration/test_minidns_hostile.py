"""minidns among hostile peers: malformed packets, slow readers, idle crowds. It lives."""

import contextlib
import errno
import os
import select
import signal
import socket
import struct
import sys
import time
import unittest
from pathlib import Path

import dns.exception
import dns.flags
import dns.message
import dns.query
import dns.rcode

sys.path.insert(0, str(Path(__file__).resolve().parent))
from minidns_lab import (HOST, Domain, Lab, large_zone, rrs_of, tail,       # noqa: E402
                         transfer, wait_for)
from query import udp  # noqa: E402

ZONE = "example.org."
GREEDY = "127.0.0.2"            # a name server that may have zones, and wants many
NAME = b"\7example\3org\0"
SOA_Q = NAME + b"\0\6\0\1"
SOA_RR = b"\xc0\x0c\0\6\0\1\0\0\0\0\0\x16\0\0" + b"\0" * 20
OPT = b"\0\0\x29\x10\0\0\0\0\0\0\0"
TSIG = (b"\3key\0\0\xfa\0\xff\0\0\0\0\0\x1d\x0bhmac-sha256\0\0\0\0\0\0\1\1\x2c\0\0\0\x43"
        b"\0\0\0\0")
FORMERR, NOTIMP, REFUSED, NOTAUTH = 1, 4, 5, 9
LIVES = {0, REFUSED}


def head(flags=0, qd=1, an=0, ns=0, ar=0):
    return struct.pack("!6H", 67, flags, qd, an, ns, ar)


# name: (packet, rcodes that will do); None: silence
BATTERY = {
    "empty": (b"", {None}),
    "short_hdr": (head()[:11], {None}),
    "qr_set": (head(0x8000) + SOA_Q, {None}),
    "hdr_only": (head(qd=0), {FORMERR}),
    "qd1_noq": (head(), {FORMERR}),
    "short_q": (head() + NAME + b"\0", {FORMERR}),
    "two_q": (head(qd=2) + SOA_Q + b"\1x\0\0\1\0\1", {FORMERR}),
    "dup_q": (head(qd=2) + SOA_Q * 2, {FORMERR}),
    "name_too_long": (head() + (b"\x3f" + b"a" * 63) * 4 + b"\0\0\6\0\1", {FORMERR}),
    "label64": (head() + b"\x40" + b"a" * 64 + b"\0\0\6\0\1", {FORMERR}),
    "label_bits80": (head() + b"\x80a\0\0\6\0\1", {FORMERR}),
    "ptr_self": (head() + b"\xc0\x0c\0\6\0\1", {FORMERR}),
    "ptr_fwd": (head() + b"\xc0\x20\0\6\0\1" + b"\1a" * 9 + b"\0", {FORMERR}),
    "ptr_loop": (head() + b"\1a\xc0\x0c\0\6\0\1", {FORMERR}),
    "ptr_oob": (head() + b"\xff\xff\0\6\0\1", {FORMERR}),
    "ptr_zero": (head() + b"\xc0\0\0\6\0\1", {FORMERR}),
    "counts_ffff": (head(0, 1, 0xffff, 0xffff, 0xffff) + SOA_Q, {FORMERR}),
    "ar_missing": (head(ar=1) + SOA_Q, {FORMERR}),
    "rdlen_over": (head(ar=1) + SOA_Q + OPT[:-1] + b"\xff", {FORMERR}),
    "two_opt": (head(ar=2) + SOA_Q + OPT * 2, {FORMERR}),
    "opt_owner": (head(ar=1) + SOA_Q + b"\1a" + OPT, {FORMERR}),
    "opt_in_an": (head(an=1) + SOA_Q + OPT, {FORMERR}),
    "opt_badlen": (head(ar=1) + SOA_Q + OPT[:-1] + b"\4\0\x0a\0\x08", {FORMERR}),
    "class0": (head() + NAME + b"\0\6\0\0", {FORMERR}),
    "class_any": (head() + NAME + b"\0\6\0\xff", {FORMERR}),
    "ixfr_noauth": (head() + NAME + b"\0\xfb\0\1", {FORMERR}),
    "ixfr_badsoa": (head(ns=1) + NAME + b"\0\xfb\0\1" + b"\xc0\x0c\0\6\0\1\0\0\0\0\0\2\0\0",
                    {FORMERR}),
    "notify_noq": (head(0x2000, qd=0), {FORMERR}),
    "notify_auth": (head(0x2000, ns=1) + SOA_Q + SOA_RR, {FORMERR}),
    "notify": (head(0x2000) + SOA_Q, {REFUSED}),
    "update": (head(0x2800) + SOA_Q, {REFUSED, NOTIMP}),
    "opcode15": (head(0x7800) + SOA_Q, {NOTIMP}),
    "tsig_unknown_key": (head(ar=1) + SOA_Q + TSIG, {NOTAUTH}),
    "tsig_notlast": (head(ar=2) + SOA_Q + TSIG + OPT, {FORMERR}),
    "two_tsig": (head(ar=2) + SOA_Q + TSIG * 2, {FORMERR}),
    "edns1": (head(ar=1) + SOA_Q + OPT[:6] + b"\1" + OPT[7:], {0}),    # BADVERS is in the OPT
    "trailing garbage": (head() + SOA_Q + b"garbage", LIVES),
    "nul_label": (head() + b"\3a\0b\0\0\6\0\1", LIVES),
    "type0": (head() + NAME + b"\0\0\0\1", LIVES),
    "type65535": (head() + NAME + b"\xff\xff\0\1", LIVES),
    "any": (head() + NAME + b"\0\xff\0\1", LIVES),
    "chaos": (head() + b"\7version\4bind\0\0\x10\0\3", {REFUSED}),
}
A_RR = b"\0\0\1\0\1\0\0\0\1\0\4\0\0\0\0"       # of the root
KEY_RR = b"\0\0\x19\0\2\0\0\0\1\0\5\0\0\0\xf8\0"      # of class 2
RRSIG_RR = b"\0\0\x2e\0\1\0\0\0\1\0\4\0\0\xf0\0"
SOA_6 = SOA_RR[:-1] + b"\6"
LONG_NAME = (b"\x0f" + b"A" * 15) * 15 + b"\x0e" + b"A" * 14 + b"\0"
SHORT_SOA_RR = b"\xc0\x0c\0\6\0\1\0\0\0\0\0\5\0\0\0\0\0"
BADKEY = b"\0\x11\0\0"          # ends the TSIG that says so

# as the list above; a pair: over UDP, over TCP
BATTERY |= {
    "noquestion": (head(qd=0, ar=1) + OPT, {FORMERR}),
    "axfr_udp": (head() + NAME + b"\0\xfc\0\1", ({FORMERR}, {0})),
    "axfr_class3": (head() + NAME + b"\0\xfc\0\3", ({FORMERR}, {NOTAUTH})),
    "ixfr_notsoa": (head(ns=1) + NAME + b"\0\xfb\0\1" + A_RR, {FORMERR}),
    "notify_shortsoa": (head(0x2000, an=1) + SOA_Q + SHORT_SOA_RR, {FORMERR}),
    "tsig_class_in": (head(ar=1) + SOA_Q + TSIG[:8] + b"\1" + TSIG[9:], {FORMERR}),
    "tsig_empty": (head(ar=1) + SOA_Q + TSIG[:13] + b"\0\0", {FORMERR}),
    "tsig_mac_over": (head(ar=1) + SOA_Q + TSIG[:-8] + b"\xff\xff" + TSIG[-6:], {FORMERR}),
    "tsig_badalg": (head(ar=1) + SOA_Q + TSIG.replace(b"sha256", b"sha257"), {NOTAUTH}),
    # of BIND's formerr test
    "nametoolong": (head() + LONG_NAME + b"\0\1\0\1", {FORMERR}),
    "twoquestionnames": (head(qd=2) + SOA_Q + b"\1a\0\1b\0\0\1\0\1", {FORMERR}),
    "twoquestiontypes": (head(qd=2) + SOA_Q + NAME + b"\0\2\0\1", {FORMERR}),
    "twoquestionclasses": (head(qd=2) + SOA_Q + NAME + b"\0\6\0\2", {FORMERR}),
    "dupans": (head(an=2) + SOA_Q + SOA_RR + SOA_6, {FORMERR}),
    "qtypeasanswer": (head(qd=0, an=1) + b"\0\0\xfd\0\1" + b"\0" * 6, {FORMERR}),
    "badnsec3owner": (head(ns=1) + SOA_Q + b"\1X\0\0\x32\0\1\0\0\0\1\0\7\xf0\0\0\0\0\1\xff",
                      {FORMERR}),
    "shortrecord": (head(ar=1) + SOA_Q + b"\0\0\1\0\1", {FORMERR}),
    "badrecordname": (head(ar=1) + SOA_Q + LONG_NAME + A_RR[1:], {FORMERR}),
    "wrongclass": (head(qd=0, ar=2) + A_RR + b"\0\xff\0\1\0" + A_RR[5:], {FORMERR}),
    "keyclass": (head(ar=1) + SOA_Q + KEY_RR, {0, FORMERR}),
    "optwrongname": (head(qd=0, ar=1) + b"\1a" + OPT, {FORMERR}),
    "malformedrrsig": (head(qd=0, ar=1) + RRSIG_RR, {FORMERR}),
    "malformedrrsig in an answer": (head(an=1) + SOA_Q + RRSIG_RR, {FORMERR}),
    "malformeddeltype": (head(0x2800, qd=0, ns=1) + b"\0\0\1\0\xff\0\0\0\0\0\1\0",
                         {FORMERR, NOTIMP}),
    "tsigwrongclass": (head(qd=0, ar=1) + TSIG[:8] + b"\1" + TSIG[9:], {FORMERR}),
    "tsignotlast": (head(ar=2) + SOA_Q + TSIG + A_RR, {FORMERR}),
}
# of Knot's dnsheader test
BATTERY |= {f"{octets} zeroes": (bytes(octets), {None} if octets < 12 else {FORMERR})
            for octets in range(1, 17)}
FRAMES = {
    "tcp_len0": b"\0\0",
    "tcp_len2": b"\0\2ab",
    "tcp_over": b"\0\xff" + head() + SOA_Q,
    "tcp_len_ffff": b"\xff\xff" + head() + SOA_Q,
}


def tcp_ports():
    """(local port, remote port) of all TCP sockets, those that are only kept too."""
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        yield tuple(int(end.split(":")[1], 16) for end in line.split()[1:3])


class Hostile(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        settings = {"allow_transfer": [HOST, GREEDY], "tcp_clients": 60,
                    "tcp_clients_per_peer": 50}
        cls.lab = cls.enterClassContext(Lab(settings=settings))
        cls.port = cls.lab.ports[0]
        cls.domain = Domain(cls.lab, ZONE, 7, [(ZONE, "NS", "ns1.example.net.")])
        # more than the sockets' buffers of a slow reader hold, several times
        cls.large = Domain(cls.lab, "large.test.", 7, large_zone("large.test.", 13))
        cls.wide = Domain(cls.lab, "wide.test.", 7, [
            ("wide.test.", "TXT", f'"{"x" * 250}" "{i:0200d}"') for i in range(120)])
        cls.process = cls.lab.workers[0].processes()

    def tearDown(self):
        worker = self.lab.workers[0]
        self.assertEqual(worker.processes(), self.process, tail(worker.log, 60))

    def link(self, seconds=5):
        link = socket.create_connection((HOST, self.port), timeout=seconds)
        self.addCleanup(link.close)
        return link

    def assert_lives(self):
        question = dns.message.make_query(ZONE, "SOA")
        for ask in (udp, dns.query.tcp):
            answer = ask(question, HOST, port=self.port, timeout=5)
            self.assertEqual(answer.answer[0][0].serial, 7)

    def udp(self, packet):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as end:
            end.settimeout(0.2)
            end.sendto(packet, (HOST, self.port))
            try:
                return end.recv(65535)
            except TimeoutError:
                return None

    def tcp(self, packet):
        link = self.link(0.2)
        link.sendall(struct.pack("!H", len(packet)) + packet)
        try:
            data = link.recv(65535)
            return data[2:] if data else None
        except TimeoutError:
            return None
        finally:
            link.close()

    def test_malformed_packets(self):
        for name, (packet, wanted) in BATTERY.items():
            for over, ask in enumerate((self.udp, self.tcp)):
                with self.subTest(name, over=ask.__name__):
                    answer = ask(packet)
                    code = answer[3] & 15 if answer else None
                    self.assertIn(code, wanted if isinstance(wanted, set) else wanted[over])
                    self.assertEqual(code == NOTAUTH and "tsig" in name,
                                     bool(answer) and answer.endswith(BADKEY))
                    if answer:
                        self.assertEqual(answer[:2], packet[:2])
            self.assert_lives()

    def test_axfr_over_udp(self):
        answer = self.udp(head() + NAME + b"\0\xfc\0\1")
        self.assertEqual(answer[3] & 15, FORMERR)

    def test_malformed_frames(self):
        for name, frame in FRAMES.items():
            with self.subTest(name):
                self.link(0.2).sendall(frame)
                self.assert_lives()

    def test_a_large_datagram(self):
        self.assertIsNone(self.udp(head(0x2000) + SOA_Q + b"x" * 60000))
        self.assert_lives()

    def test_pipelined_questions(self):
        link = self.link()
        questions = [dns.message.make_query(ZONE, "SOA" if i % 2 else "NS") for i in range(100)]
        link.sendall(b"".join(struct.pack("!H", len(wire)) + wire
                              for wire in (question.to_wire() for question in questions)))
        answers = {dns.query.receive_tcp(link)[0].id for _ in questions}
        self.assertEqual(answers, {question.id for question in questions})

    def test_pipelined_questions_of_large_answers(self):
        """More than is queued at a time: each is answered, also after the last was asked."""
        for count, half_closed in (30, False), (100, False), (30, True), (100, True):
            with self.subTest(questions=count, half_closed=half_closed):
                questions = [dns.message.make_query("wide.test.", "TXT") for _ in range(count)]
                # it is in memory, so that all can be answered at once
                dns.query.tcp(questions[0], HOST, port=self.port, timeout=5)
                link = self.link()
                link.sendall(b"".join(struct.pack("!H", len(wire)) + wire
                                      for wire in (question.to_wire() for question in questions)))
                if half_closed:
                    link.shutdown(socket.SHUT_WR)
                answers = [dns.query.receive_tcp(link)[0] for _ in questions]
                self.assertEqual({answer.id for answer in answers},
                                 {question.id for question in questions})
                self.assertEqual({len(answer.answer[0]) for answer in answers}, {120})

    def test_a_question_octet_by_octet(self):
        link = self.link()
        question = dns.message.make_query(ZONE, "SOA")
        wire = question.to_wire()
        for octet in struct.pack("!H", len(wire)) + wire:
            link.sendall(bytes([octet]))
            time.sleep(0.002)
        self.assertEqual(dns.query.receive_tcp(link)[0].id, question.id)

    def test_a_half_close_is_answered(self):
        link = self.link()
        dns.query.send_tcp(link, dns.message.make_query("large.test.", "AXFR"))
        link.shutdown(socket.SHUT_WR)
        count = 0
        while count < len(self.large.records) + 2:
            count += len(rrs_of([dns.query.receive_tcp(link, one_rr_per_rrset=True)[0]]))
        self.assertEqual(link.recv(1), b"")

    def test_a_client_that_hangs_up_is_not_kept(self):
        """Its port would be in TIME_WAIT for a minute: too long for a busy name server."""
        link = self.link()
        dns.query.send_tcp(link, dns.message.make_query(ZONE, "AXFR"))
        dns.query.receive_tcp(link)
        ends = {link.getsockname()[1], link.getpeername()[1]}
        link.close()
        wait_for(lambda: not any(set(ports) == ends for ports in tcp_ports()), 5,
                 "the connection is gone on both sides")

    def test_messages_in_pieces(self):
        """Short segments make for a short send buffer, which takes no message at once."""
        domain = Domain(self.lab, "pieces.test.", 7, [
            (f"h{i}.pieces.test.", "TXT", f'"{i:0200d}"') for i in range(3000)])
        link = socket.socket()
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 600)
        link.settimeout(5)
        self.addCleanup(link.close)
        link.connect((HOST, self.port))
        dns.query.send_tcp(link, dns.message.make_query("pieces.test.", "AXFR"))
        rrs = []
        while len(rrs) < 3002:
            rrs += rrs_of([dns.query.receive_tcp(link, one_rr_per_rrset=True)[0]])
        self.assertEqual(set(rrs), domain.rrs())

    def test_a_client_that_goes_away(self):
        for _ in range(20):
            link = self.link()
            dns.query.send_tcp(link, dns.message.make_query("large.test.", "AXFR"))
            link.recv(1000)
            link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            link.close()
        self.assert_lives()

    def test_slow_readers_hold_only_themselves(self):
        transfer(self.port, "large.test.")      # it is in memory
        before = self.memory()
        thin, dripping, *_ = slow = [self.slow_link() for _ in range(12)]
        for link in slow:
            dns.query.send_tcp(link, dns.message.make_query("large.test.", "AXFR"))
        start = time.monotonic()
        rrs = rrs_of(transfer(self.port, "large.test."))
        self.assertEqual(len(rrs), len(self.large.records) + 2)
        self.assert_lives()
        self.assertLess(self.memory() - before, 64 << 20)
        # readers that take nothing, or next to nothing, are dropped; a thin line is not
        wait_for(lambda: self.read_on(thin, 2000) and self.read_on(dripping, 1) and
                 self.metric("minidns_tcp_clients") == 1, 70, "stalled clients go")
        self.assertGreaterEqual(time.monotonic() - start, 18)
        self.assertGreaterEqual(self.metric("minidns_transfers_broken_total"), 11)
        wait_for(lambda: self.read_on(thin, 2000) and time.monotonic() - start > 45, 30,
                 "the thin line has been used for more than two periods")
        self.assertEqual(self.metric("minidns_tcp_clients"), 1)

    @staticmethod
    def read_on(link, octets):
        """Up to so many, as often as it is called."""
        link.settimeout(0.01)
        try:
            link.recv(octets)
        except (TimeoutError, ConnectionError):
            pass
        return True

    def test_a_peer_that_asks_for_transfers_and_reads_none(self):
        """It fills its connections with questions; they cost others neither memory nor time."""
        transfer(self.port, "large.test.")      # it is in memory
        before = self.memory()
        wire = dns.message.make_query("large.test.", "AXFR").to_wire()
        for _ in range(45):
            link = self.slow_link(GREEDY)
            link.sendall((struct.pack("!H", len(wire)) + wire) * 1500)
        self.wait_until_steady('minidns_queries_total{type="axfr"}', 45)
        start = time.monotonic()
        for _ in range(20):
            self.assertEqual(set(rrs_of(transfer(self.port, ZONE))), self.domain.rrs())
        self.assertLess(time.monotonic() - start, 2)
        self.assertLess(self.memory() - before, 32 << 20)

    def wait_until_steady(self, name, at_least):
        """It has not changed for a second."""
        last, since = self.metric(name), time.monotonic()

        def is_steady():
            nonlocal last, since
            value = self.metric(name)
            if value != last:
                last, since = value, time.monotonic()
            return value >= at_least and time.monotonic() - since > 1

        wait_for(is_steady, 30, f"{name} is steady")
        return last

    def slow_link(self, source=HOST):
        """It reads nothing, and not much fits into its buffer."""
        link = socket.socket()
        link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        link.settimeout(5)
        self.addCleanup(link.close)
        link.bind((source, 0))
        link.connect((HOST, self.port))
        return link

    def metric(self, name):
        for line in self.lab.workers[0].page("/metrics")[1].splitlines():
            if line.startswith(f"zonefleet_{name} "):
                return float(line.split()[-1])
        return None

    def memory(self):
        status = Path(f"/proc/{self.process[0]}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0]) << 10

    def test_a_crowd_of_idle_clients(self):
        crowd = [self.link() for _ in range(200)]
        self.assert_udp_lives()
        wait_for(lambda: self.closed(crowd[0]) or self.closed(crowd[-1]), 10,
                 "those that say nothing are closed")
        wait_for(lambda: all(self.closed(link) for link in crowd), 20, "all of them are closed")
        self.assert_lives()

    def assert_udp_lives(self):
        answer = udp(dns.message.make_query(ZONE, "SOA"), HOST, port=self.port,
                     timeout=5)
        self.assertEqual(answer.rcode(), dns.rcode.NOERROR)

    @staticmethod
    def closed(link):
        link.settimeout(0.01)
        try:
            return link.recv(1) == b""
        except TimeoutError:
            return False
        except ConnectionError:
            return True


class Places(unittest.TestCase):
    """Strangers take all the places they can have, and read nothing of what they ask."""

    def test_servers_have_theirs(self):
        settings = {"allow_transfer": [HOST], "tcp_clients": 12, "tcp_clients_per_peer": 4}
        with Lab(settings=settings) as lab:
            port = lab.ports[0]
            domain = Domain(lab, ZONE, 7, [
                (ZONE, "TXT", f'"{"x" * 250}" "{i:0200d}"') for i in range(120)])
            question = dns.message.make_query(ZONE, "TXT")
            dns.query.tcp(question, HOST, port=port, timeout=5)
            wire = question.to_wire()
            held = [self.hold(port, f"127.0.9.{1 + i // 4}") for i in range(12)]
            for link in held:
                link.sendall((struct.pack("!H", len(wire)) + wire) * 200)
            wait_for(lambda: all(self.is_answered(link) for link in held), 10,
                     "all strangers have answers to take")
            for _ in range(6):
                self.assertEqual(set(rrs_of(transfer(port, ZONE))), domain.rrs())
            self.assertEqual(sum(map(self.is_reset, held)), 1, "one place was enough")

    def hold(self, port, source):
        link = socket.socket()
        self.addCleanup(link.close)
        link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        link.settimeout(5)
        link.bind((source, 0))
        link.connect((HOST, port))
        return link

    @staticmethod
    def is_answered(link):
        return bool(select.select([link], [], [], 0)[0])

    @staticmethod
    def is_reset(link):
        return link.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) == errno.ECONNRESET


class Strangers(unittest.TestCase):
    """Without allow_transfer only the servers of the pool may have a zone."""

    def test_only_servers_of_the_pool(self):
        with Lab() as lab:
            domain = Domain(lab, ZONE, 7, [(ZONE, "NS", "ns1.example.net.")])
            self.assertEqual(transfer(lab.ports[0], ZONE)[0].rcode(), dns.rcode.REFUSED)
            self.assertEqual(transfer(lab.ports[0], ZONE, 3)[0].rcode(), dns.rcode.REFUSED)
            # one that was added a moment ago is not turned away
            lab.mariadb.sql("INSERT INTO pool_servers (pool_name, id, backend, host, port) "
                            f"VALUES ('default', 'new', 'fake', '{HOST}', 53)")
            self.assertEqual(set(rrs_of(transfer(lab.ports[0], ZONE))), domain.rrs())

    def test_server_of_several_addresses(self):
        """It may ask from each; another one's name is not known yet."""
        with Lab() as lab:
            domain = Domain(lab, ZONE, 7, [(ZONE, "NS", "ns1.example.net.")])
            lab.mariadb.sql(
                "INSERT INTO pool_servers (pool_name, id, backend, host, port, addresses) VALUES "
                f"('default', 'new', 'fake', '192.0.2.1', 53, '192.0.2.1 2001:db8::1 {HOST}'), "
                "('default', 'unknown', 'fake', '', 53, NULL)")
            self.assertEqual(set(rrs_of(transfer(lab.ports[0], ZONE))), domain.rrs())
            self.assertNotIn("ignored", lab.workers[0].log.read_text())


class Ending(unittest.TestCase):
    """SIGTERM while the broker is away: it ends all the same, and leaves nothing behind."""

    def test_what_was_not_confirmed(self):
        with Lab(instances=2) as lab:
            worker = lab.workers[0]
            Domain(lab, ZONE, 7, [(ZONE, "NS", "ns1.example.net.")])
            question = dns.message.make_query(ZONE, "SOA")
            lab.rabbitmq.kill9()
            # whoever is asked speaks to the other one for two seconds, each 0.2 s
            until = time.monotonic() + 0.5
            while time.monotonic() < until:
                with contextlib.suppress(dns.exception.Timeout):    # beyond the rate limit
                    udp(question, HOST, port=lab.ports[0], timeout=0.1)
            os.kill(worker.pid, signal.SIGTERM)
            wait_for(worker.has_died, 30, "it ends", [worker.log])
            self.assertRegex(worker.log.read_text(), "process stops with unfinished work: .*unconfirmed=[1-9]")
            lab.rabbitmq.launch()
            lab.rabbitmq.wait_ready()
            worker.restart()    # whose end finds what the log says of leaks


if __name__ == "__main__":
    unittest.main()

"""TSIG (RFC 8945): dnspython and four name servers read our signatures, and we read theirs."""

import base64
import contextlib
import socket
import sys
import threading
import time
import unittest
from pathlib import Path
from unittest import mock

import dns.flags
import dns.message
import dns.name
import dns.query
import dns.rcode
import dns.rdata
import dns.rdatatype
import dns.rrset
import dns.tsig
import dns.tsigkeyring

sys.path.insert(0, str(Path(__file__).resolve().parent))
from minidns_lab import (HOST, POOL, Domain, Lab, large_zone, rrs_of,       # noqa: E402
                         transfer, wait_for)
from frames_relay import read_frame                            # noqa: E402
from query import udp  # noqa: E402
from scripted_dns import frame, receive                        # noqa: E402
from tcp_relay import TcpRelay, begin                          # noqa: E402
from lab.dns import Key                                         # noqa: E402
from lab.process import free_port                                # noqa: E402

ZONE, LARGE, OTHER = "example.org.", "large.test.", "other.test."
ALGORITHMS = ("hmac-sha1", "hmac-sha224", "hmac-sha256", "hmac-sha384", "hmac-sha512")
BADSIG, BADKEY, BADTIME, BADTRUNC = 16, 17, 18, 22
STRANGER = "127.0.0.2"          # no server of the pool
SERVER_RETRIES = 30             # of a second each, until a busy server has 30 000 records


def secret_of(text):
    return base64.b64encode(text.encode()).decode()


def key_named(name, secret, algorithm="hmac-sha256"):
    return Key(name, algorithm, secret_of(secret))


def sign(question, key):
    question.use_tsig(dns.tsig.Key(key.name, key.secret, key.algorithm + "."))
    return question


def question_for(zone, rtype="SOA", key=None, serial=None):
    question = dns.message.make_query(zone, rtype)
    if serial is not None:
        question.authority.append(dns.rrset.from_text(zone, 0, "IN", "SOA",
                                                      f". . {serial} 0 0 0 0"))
    return sign(question, key) if key else question


def signed_messages(port, question, key, source=HOST, seconds=20):
    """The messages of a transfer, each with its signature checked behind the one before."""
    keyring = dns.tsigkeyring.from_text({key.name: (key.algorithm + ".", key.secret)}) \
        if key else None
    context, count, first = None, 0, None
    with socket.create_connection((HOST, port), timeout=seconds,
                                  source_address=(source, 0)) as link:
        wire = question.to_wire(multi=True)
        link.sendall(len(wire).to_bytes(2, "big") + wire)
        while True:
            length = int.from_bytes(receive(link, 2), "big")
            message = dns.message.from_wire(
                receive(link, length), keyring=keyring, request_mac=question.mac, xfr=True,
                multi=True, tsig_ctx=context, one_rr_per_rrset=True)
            if key and not message.had_tsig:
                raise AssertionError(f"message {count} is not signed")
            context = message.tsig_ctx
            count += 1
            yield message
            first = first or (message.answer and message.answer[0])
            if message.rcode() or is_last(message, first, count):
                return


def is_last(message, first, count):
    """Of an AXFR, or of an IXFR of one change or none: the SOA that came first closes it."""
    soas = [rrset for rrset in message.answer if rrset[0] == first[0]]
    return len(soas) > (count == 1) or len(message.answer) == 1 and count == 1


class Tsig(unittest.TestCase):
    """minidns and hand-made clients; a server with a key, and one without."""

    KEY = key_named("server.key.", "the server's own secret")
    KNOWN = key_named("known.key.", "known, but nobody's")
    OWN = key_named("own.key.", "from the configuration")
    DOMAINS = key_named("domain.key.", "of one domain")

    @classmethod
    def setUpClass(cls):
        keys = cls.OWN.name + " " + cls.OWN.algorithm + " " + cls.OWN.secret
        cls.lab = cls.enterClassContext(Lab(settings={"tsig_keys": keys}))
        cls.port = cls.lab.ports[0]
        cls.zone = Domain(cls.lab, ZONE, 7, [(ZONE, "NS", "ns1.example.net.")])
        cls.other = Domain(cls.lab, OTHER, 7, [(OTHER, "NS", "ns1.example.net.")])
        # more than 100 messages: RFC 8945 lets a signer leave out 99 signatures in a row
        cls.large = Domain(cls.lab, LARGE, 7, large_zone(LARGE, 7))
        cls.lab.add_key(cls.KEY)
        cls.lab.add_key(cls.KNOWN)
        cls.lab.add_key(cls.DOMAINS, cls.zone)
        for algorithm in ALGORITHMS:
            cls.lab.add_key(key_named(f"{algorithm}.", algorithm * 3, algorithm))
        cls.lab.add_server("keyed", HOST, 53, cls.KEY)
        cls.lab.workers[0].reload()
        wait_for(lambda: cls.rcode_of(question_for(ZONE, key=cls.KEY)) == 0, 5, "keys are read")

    @classmethod
    def rcode_of(cls, question):
        wire = question.to_wire()
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as end:
            end.settimeout(5)
            end.sendto(wire, (HOST, cls.port))
            answer = end.recv(65535)
        return answer[3] & 15

    def exchange(self, wire):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as end:
            end.settimeout(5)
            end.sendto(wire, (HOST, self.port))
            return end.recv(65535)

    def tsig_of(self, wire):
        """(rcode, TSIG rdata) of a message of which only the header, a question and the OPT
        stand before the signature, which is not looked at."""
        at = 12 + dns.name.from_wire(wire, 12)[1] + 4
        for _ in range(int.from_bytes(wire[10:12], "big")):
            at += dns.name.from_wire(wire, at)[1]
            rtype, length = int.from_bytes(wire[at:at + 2], "big"), \
                int.from_bytes(wire[at + 8:at + 10], "big")
            at += 10 + length
        self.assertEqual((rtype, at), (dns.rdatatype.TSIG, len(wire)))
        return wire[3] & 15, dns.rdata.from_wire("ANY", "TSIG", wire, at - length, length)

    # what is right

    def test_each_algorithm(self):
        for algorithm in ALGORITHMS:
            key = key_named(f"{algorithm}.", algorithm * 3, algorithm)
            for ask in (udp, dns.query.tcp):
                answer = ask(question_for(ZONE, key=key), HOST, port=self.port, timeout=5)
                self.assertTrue(answer.had_tsig)        # and dnspython has checked it
                self.assertEqual(answer.answer[0][0].serial, 7)

    def test_ordinary_answers_are_signed(self):
        for name, rtype, rcode in ((ZONE, "NS", 0), (f"no.{ZONE}", "A", 3), ("not.ours.", "A", 5)):
            answer = udp(question_for(name, rtype, self.KEY), HOST, port=self.port,
                         timeout=5)
            self.assertEqual((answer.rcode(), answer.had_tsig), (rcode, True))

    def test_each_message_of_a_transfer_is_signed(self):
        messages = list(signed_messages(self.port, question_for(LARGE, "AXFR", self.KEY),
                                        self.KEY))
        self.assertGreater(len(messages), 100)
        self.assertEqual(set(rrs_of(messages)), self.large.rrs())

    def test_ixfr_is_signed(self):
        serial = self.other.change(add=[(f"new.{OTHER}", "A", "192.0.2.1")])
        question = question_for(OTHER, "IXFR", self.KEY, serial=serial - 1)
        rrs = rrs_of(signed_messages(self.port, question, self.KEY))
        self.assertEqual([rtype for _, rtype, _, _ in rrs], ["SOA", "SOA", "SOA", "A", "SOA"])

    def test_a_key_of_the_configuration(self):
        self.assertEqual(self.rcode_of(question_for(ZONE, key=self.OWN)), 0)

    # what is wrong

    def refused_as(self, question, rcode, error):
        got, tsig = self.tsig_of(self.exchange(question.to_wire()))
        self.assertEqual((got, tsig.error), (rcode, error))
        return tsig

    def test_badkey(self):
        unknown = key_named("unknown.key.", "whatever")
        tsig = self.refused_as(question_for(ZONE, key=unknown), 9, BADKEY)
        self.assertEqual(tsig.mac, b"")
        renamed = self.KEY._replace(algorithm="hmac-sha512")
        self.refused_as(question_for(ZONE, key=renamed), 9, BADKEY)
        md5 = question_for(ZONE)
        md5.use_tsig(dns.tsig.Key(self.KEY.name, self.KEY.secret, dns.tsig.HMAC_MD5))
        self.refused_as(md5, 9, BADKEY)

    def test_badsig(self):
        wrong = self.KEY._replace(secret=secret_of("another"))
        tsig = self.refused_as(question_for(ZONE, key=wrong), 9, BADSIG)
        self.assertEqual(tsig.mac, b"")

    def test_badtime_tells_ours(self):
        for skew in (-330, 330):        # the fudge is 300; the answer may take some seconds
            then = int(time.time()) + skew
            wire = self.wire_at(question_for(ZONE), then)
            rcode, tsig = self.tsig_of(self.exchange(wire))
            self.assertEqual((rcode, tsig.error), (9, BADTIME))
            self.assertEqual(tsig.time_signed, then)
            self.assertEqual(len(tsig.mac), 32)         # signed, for only the clock is wrong
            self.assertAlmostEqual(int.from_bytes(tsig.other, "big"), time.time(), delta=30)

    def wire_at(self, question, then):
        """As it would be signed at another time."""
        with mock.patch.object(dns.message.time, "time", lambda: then):
            return sign(question, self.KEY).to_wire()

    def test_badtrunc(self):
        wire = question_for(ZONE, key=self.KEY).to_wire()
        mac = self.tsig_of(wire)[1].mac
        at = wire.index(mac)
        length = at - 2 - 8 - 13 - 2                    # of the rdata
        for keep, rcode in ((32, 0), (31, 9), (16, 9), (15, 1), (0, 1)):
            cut = (wire[:length] + (61 - 32 + keep).to_bytes(2, "big") + wire[length + 2:at - 2]
                   + keep.to_bytes(2, "big") + mac[:keep] + wire[at + 32:])
            answer = self.exchange(cut)
            self.assertEqual(answer[3] & 15, rcode, keep)
            if rcode == 9:
                self.assertEqual(self.tsig_of(answer)[1].error, BADTRUNC)

    # who may have a zone (A8)

    def transfer_rcode(self, zone, key, source=HOST):
        messages = list(signed_messages(self.port, question_for(zone, "AXFR", key), key, source))
        if messages[0].rcode():
            self.assertEqual(rrs_of(messages), [])
        return messages[0].rcode()

    def test_a_server_with_a_key_must_sign(self):
        self.assertEqual(self.transfer_rcode(ZONE, self.KEY), 0)
        self.assertEqual(self.transfer_rcode(ZONE, None), dns.rcode.REFUSED)
        self.assertEqual(self.transfer_rcode(ZONE, self.KNOWN), dns.rcode.REFUSED)
        self.assertEqual(self.transfer_rcode(ZONE, self.KEY, STRANGER), dns.rcode.REFUSED)

    def test_a_key_of_a_domain_opens_that_domain(self):
        self.assertEqual(self.transfer_rcode(ZONE, self.DOMAINS, STRANGER), 0)
        self.assertEqual(self.transfer_rcode(OTHER, self.DOMAINS, STRANGER), dns.rcode.REFUSED)
        self.assertEqual(self.transfer_rcode(OTHER, self.DOMAINS), dns.rcode.REFUSED)

    # keys come and go (A11)

    def test_rotation_without_a_restart(self):
        key = key_named("rotated.key.", "old")
        self.lab.add_key(key)
        wait_for(lambda: self.rcode_of(question_for(ZONE, key=key)) == 0, 5, "the key is known")
        new = key._replace(secret=secret_of("new"))
        self.lab.mariadb.sql(f"UPDATE tsigkeys SET secret = '{new.secret}' "
                             f"WHERE name = '{key.name}'")
        wait_for(lambda: self.rcode_of(question_for(ZONE, key=new)) == 0, 5, "the new secret")
        self.refused_as(question_for(ZONE, key=key), 9, BADSIG)
        self.lab.mariadb.sql(f"DELETE FROM tsigkeys WHERE name = '{key.name}'")
        self.lab.workers[0].reload()
        wait_for(lambda: self.rcode_of(question_for(ZONE, key=new)) == 9, 5, "the key is gone")

    def test_a_key_that_goes_during_a_transfer(self):
        key = key_named("going.key.", "going")
        self.lab.add_key(key, self.large)
        wait_for(lambda: self.rcode_of(question_for(ZONE, key=key)) == 0, 5, "the key is known")
        messages = signed_messages(self.port, question_for(LARGE, "AXFR", key), key)
        first = next(messages)
        self.lab.mariadb.sql(f"DELETE FROM tsigkeys WHERE name = '{key.name}'")
        self.lab.workers[0].reload()
        wait_for(lambda: self.rcode_of(question_for(ZONE, key=key)) == 9, 5, "the key is gone")
        self.assertEqual(set(rrs_of([first, *messages])), self.large.rrs())

    def test_secrets_are_in_no_log(self):
        log = self.lab.workers[0].log.read_text()
        self.assertIn("message with a bad TSIG record", log)
        for key in (self.KEY, self.KNOWN, self.OWN, self.DOMAINS):
            self.assertNotIn(key.secret, log)
            self.assertNotIn(base64.b64decode(key.secret).decode(), log)


class Start(unittest.TestCase):
    """Until the keys were read for the first time, nobody is told that his is unknown."""

    KEY = key_named("server.key.", "the server's own secret")

    @classmethod
    def setUpClass(cls):
        cls.lab = cls.enterClassContext(Lab())
        cls.port, cls.worker = cls.lab.ports[0], cls.lab.workers[0]
        Domain(cls.lab, ZONE, 7, [(ZONE, "NS", "ns1.example.net.")])
        cls.lab.add_key(cls.KEY)
        cls.lab.add_server("keyed", HOST, 53, cls.KEY)

    def ask(self, key=KEY):
        """(rcode, the extended error) of a signed question, or None if nobody listens."""
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as end:
            end.settimeout(1)
            end.connect((HOST, self.port))
            question = dns.message.make_query(ZONE, "SOA", use_edns=0)
            try:
                end.send(sign(question, key).to_wire())
                wire = end.recv(65535)
            except OSError:
                return None
        keyring = dns.tsigkeyring.from_text({key.name: (key.algorithm + ".", key.secret)})
        answer = dns.message.from_wire(wire, keyring=keyring, request_mac=question.mac)
        return answer.rcode(), [option.text for option in answer.options]

    def restart(self, answered=0):
        """The rcodes until one is ANSWERED."""
        log = self.worker.log.read_text()
        self.worker.stop()
        self.worker.launch()
        rcodes = []

        def is_answered():
            answer = self.ask()
            if answer:
                rcodes.append(answer[0])
            return rcodes and rcodes[-1] == answered
        wait_for(is_answered, 20, f"a signed question is answered with {answered}")
        self.assertNotIn("message with a bad TSIG record", self.worker.log.read_text()[len(log):])
        return rcodes

    def test_the_first_questions(self):
        for _ in range(5):
            self.assertLessEqual(set(self.restart()), {dns.rcode.NOERROR, dns.rcode.SERVFAIL})
            self.worker.wait_ready()

    def test_the_database_is_down_at_the_start(self):
        self.worker.stop()
        self.lab.mariadb.stop()
        self.restart(dns.rcode.SERVFAIL)
        for _ in range(3):
            rcode, texts = self.ask()
            self.assertEqual(rcode, dns.rcode.SERVFAIL)
            self.assertIn("not yet read its servers and keys", texts[0])
        self.lab.mariadb.restart()
        wait_for(lambda: self.ask()[0] == dns.rcode.NOERROR, 10, "the keys are read")
        self.worker.wait_ready()
        # now it is told of one that is unknown
        with self.assertRaises(dns.tsig.PeerBadKey):
            self.ask(key_named("no.key.", "whatever"))

    def test_a_list_that_cannot_be_read(self):
        """It is not ready, and nobody is refused, until it can."""
        self.lab.mariadb.sql("RENAME TABLE pool_servers TO hidden")
        try:
            self.restart(dns.rcode.SERVFAIL)
            self.assertEqual(transfer(self.port, ZONE)[0].rcode(), dns.rcode.SERVFAIL)
            wait_for(lambda: "access list not read" in self.worker.log.read_text(), 5, "a line")
            self.assertFalse(self.worker.is_ready())
        finally:
            self.lab.mariadb.sql("RENAME TABLE hidden TO pool_servers")
        self.worker.wait_ready()
        self.assertEqual(self.ask()[0], dns.rcode.NOERROR)
        self.assertEqual(transfer(self.port, ZONE)[0].rcode(), dns.rcode.REFUSED)

    def test_a_key_that_came_during_a_reading(self):
        """Or behind it: whoever signs with it waits for no ten seconds."""
        self.worker.wait_ready()
        for number in range(8):
            key = key_named(f"new{number}.key.", "new")
            with self.assertRaises(dns.tsig.PeerBadKey):
                self.ask(key)               # a reading begins
            self.lab.add_key(key)
            wait_for(lambda: self.is_known(key), 3, "the key is known")

    def lines_of_cuts(self):
        return self.worker.log.read_text().count("access list too long: servers=10000 ")

    def test_more_servers_than_are_read(self):
        """Are told of once, and not at each reading."""
        self.worker.wait_ready()
        rows = ", ".join(f"('{POOL}', 'many{i}', 'fake', '10.0.{i >> 8}.{i & 255}', 53)"
                         for i in range(10000))         # and there is one already
        self.lab.mariadb.sql("INSERT INTO pool_servers (pool_name, id, backend, host, port) "
                             f"VALUES {rows}")
        try:
            self.worker.reload()
            wait_for(self.lines_of_cuts, 10, "a line")
            for number in range(3):
                key = key_named(f"cut{number}.key.", "new")
                self.lab.add_key(key)
                wait_for(lambda: self.is_known(key), 15, "the tables are read again")
            self.assertEqual(self.lines_of_cuts(), 1)
        finally:
            self.lab.mariadb.sql("DELETE FROM pool_servers WHERE id LIKE 'many%'")

    def is_known(self, key):
        try:
            return self.ask(key)[0] == dns.rcode.NOERROR
        except dns.tsig.PeerBadKey:
            return False


class Servers(unittest.TestCase):
    """NOTIFY, polls and transfers with four name servers, all under one key."""

    KEY = key_named("pool.key.", "between us and the servers of the pool")

    @classmethod
    def setUpClass(cls):
        cls.lab = cls.enterClassContext(Lab(servers=("bind", "knot", "nsd", "powerdns"),
                                             key=cls.KEY))

    def settle(self, domain):
        for server in self.lab.servers.values():
            self.lab.order(domain, server, "notify_zone_changed")
            self.lab.order(domain, server, max_retries=SERVER_RETRIES)
        for _ in self.lab.servers:
            report = self.lab.report(domain, 2 * SERVER_RETRIES)
            self.assertEqual((report["status"], report["serial_number"]),
                             ("SUCCESS", domain.serial), report)

    def test_transfers_and_changes(self):
        """Of one message, of some, and of more than a hundred; then changes."""
        for number, count in enumerate((5, 1000, 30000)):
            name = f"zone{number}.test."
            domain = Domain(self.lab, name, 1, [(name, "NS", "ns1.example.net.")] + [
                (f"h{i}.{name}", "TXT", f'"{i:0200d}"') for i in range(count)])
            for server in self.lab.servers.values():
                server.add_zone(name)
            self.settle(domain)
            for change in range(3):
                domain.change(add=[(f"new{change}.{name}", "A", "192.0.2.1")])
                self.settle(domain)
            for server in self.lab.servers.values():
                self.assertEqual(len(server.axfr(name)), len(domain.rrs()), server.name)
        log = self.lab.workers[0].log.read_text()
        self.assertNotIn("message with a bad TSIG record", log)
        self.assertIn("kind=ixfr", log)

    def expect_error(self, name, key, words):
        domain = Domain(self.lab, name, 1, [(name, "NS", "ns1.example.net.")])
        for server in self.lab.servers.values():
            server.add_zone(name)
            self.lab.order(domain, server, key=key, timeout=1)
        for _ in self.lab.servers:
            report = self.lab.report(domain)
            self.assertEqual(report["status"], "ERROR", report)
            self.assertTrue(any(word in report["reason"] for word in words), report)

    def test_a_server_that_does_not_know_the_key(self):
        key = key_named("new.key.", "which no server has")
        self.lab.add_key(key)
        self.expect_error("unknown.test.", key, ("BADKEY", "without a TSIG record"))

    def test_a_key_that_we_do_not_know(self):
        self.expect_error("keyless.test.", key_named("no.key.", ""), (
            "has a tsig_key in the settings, but mini-DNS has no TSIG key with this name",))


class Forged(unittest.TestCase):
    """A name server before which somebody else answers, who has no key."""

    KEY = key_named("true.key.", "which the forger does not have")

    @classmethod
    def setUpClass(cls):
        cls.lab = cls.enterClassContext(Lab(key=cls.KEY))

    def read(self, wire):
        keyring = dns.tsigkeyring.from_text(
            {self.KEY.name: (self.KEY.algorithm + ".", self.KEY.secret)})
        return dns.message.from_wire(wire, keyring=keyring)

    @staticmethod
    def forged(query, rcode):
        answer = dns.message.QueryMessage(id=query.id)
        answer.flags |= dns.flags.QR | dns.flags.AA
        answer.question = query.question
        answer.set_rcode(rcode)
        return answer.to_wire()

    @staticmethod
    def signed(query, serial):
        answer = dns.message.make_response(query)
        answer.flags |= dns.flags.AA
        answer.answer.append(dns.rrset.from_text(
            query.question[0].name, 60, "IN", "SOA", f". . {serial} 1 1 1 1"))
        return answer.to_wire()

    def answer_twice(self, end, true, rcode):
        """Without a signature, and at once with one, if there is a TRUE answer."""
        while True:
            wire, peer = end.recvfrom(4096)
            if not wire:
                return
            query = self.read(wire)
            end.sendto(self.forged(query, rcode), peer)
            if true:
                end.sendto(self.signed(query, true), peer)

    def answer_over_tcp(self, listener, answer):
        while True:
            with listener.accept()[0] as end:
                if not (size := end.recv(2, socket.MSG_WAITALL)):
                    return
                wire = end.recv(int.from_bytes(size, "big"), socket.MSG_WAITALL)
                wire = answer(self.read(wire))
                end.sendall(len(wire).to_bytes(2, "big") + wire)

    @contextlib.contextmanager
    def over_tcp(self, address, answer):
        with socket.create_server(address) as listener:
            answers = threading.Thread(target=self.answer_over_tcp, args=(listener, answer))
            answers.start()
            try:
                yield
            finally:
                socket.create_connection(address).close()
                answers.join()

    def poll(self, name, true, rcode=dns.rcode.NOERROR, tcp=None):
        """TCP: what answers a query over TCP; None: nobody listens there."""
        domain = Domain(self.lab, name, 7, [(name, "NS", "ns1.example.net.")])
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as end:
            end.bind((HOST, free_port()))       # free by TCP, too
            answers = threading.Thread(target=self.answer_twice, args=(end, true, rcode))
            answers.start()
            try:
                with self.over_tcp(end.getsockname(), tcp) if tcp else contextlib.nullcontext():
                    self.lab.order(domain, ("forged", HOST, end.getsockname()[1]), timeout=1,
                                   retry_interval=0.2, max_retries=1)
                    return self.lab.report(domain)
            finally:
                end.sendto(b"", end.getsockname())
                answers.join()

    def test_the_true_answer_counts(self):
        self.poll("first.test.", 7)         # the keys are read
        report = self.poll("true.test.", 7)
        self.assertEqual((report["status"], report["domain"]["serial"]), ("SUCCESS", 7),
                         report)

    def test_without_one_the_reason_is_told(self):
        report = self.poll("false.test.", None)
        self.assertEqual(report["status"], "ERROR", report)
        self.assertIn("without a TSIG record", report["reason"])

    def test_an_absence_without_a_signature(self):
        """Only what is signed, or comes over TCP, counts."""
        self.poll("second.test.", 7)        # the keys are read
        refused = dns.rcode.REFUSED
        for name, true, tcp, status in (
                ("signed.test.", 7, None, "SUCCESS"),
                ("signed-tcp.test.", None, lambda query: self.signed(query, 7), "SUCCESS"),
                ("udp.test.", None, None, "ERROR"),
                ("tcp.test.", None, lambda query: self.forged(query, refused), "NO_DOMAIN")):
            with self.subTest(name=name):
                report = self.poll(name, true, refused, tcp)
                self.assertEqual(report["status"], status, report)
                if status != "SUCCESS":
                    self.assertIn("without a TSIG record", report["reason"])


class Relay(TcpRelay):
    """A server's way to minidns. While .spoils, a bit of each transfer changes on it."""

    LARGE = 16384       # octets: messages of transfers, from the first to the last but one
    TEXT = b"0" * 50    # of a record; with another bit it is as good a record

    def __init__(self, target):
        self.spoils, self.spoiled = False, 0
        super().__init__(target)
        self.datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.datagrams.bind((HOST, self.port))
        begin(self._hear)

    def _hear(self):
        while True:
            try:
                question, client = self.datagrams.recvfrom(65535)
            except OSError:
                return
            begin(self._ask, question, client)

    def _ask(self, question, client):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as end:
            end.settimeout(5)
            end.sendto(question, (HOST, self.target))
            try:
                self.datagrams.sendto(end.recv(65535), client)
            except OSError:
                pass

    def pump(self, source, to, is_question, link):
        if is_question:
            super().pump(source, to, is_question, link)
            return
        large = 0
        while True:
            message = bytearray(read_frame(source))
            large += len(message) > self.LARGE
            if self.spoils and large > 1:
                self._spoil(message, large)
            to.sendall(frame(message))

    def _spoil(self, message, number):
        at = message.rfind(self.TEXT)
        if at >= 0:
            message[at] ^= 1
            self.spoiled += number == 2

    def stop(self):
        self.close()
        self.datagrams.close()


class RelayedLab(Lab):
    """.relays by the name of the server."""

    def _masters(self, name):
        self.relays = getattr(self, "relays", {})
        self.relays[name] = Relay(self.ports[0])
        return [(HOST, self.relays[name].port)]

    def __exit__(self, failed, *rest):
        super().__exit__(failed, *rest)
        for relay in self.relays.values():
            relay.stop()


class Spoiled(unittest.TestCase):
    """A bit of a later message of a transfer changes on the way: nobody takes it (A9)."""

    KEY = key_named("pool.key.", "between us and the servers of the pool")

    @classmethod
    def setUpClass(cls):
        cls.lab = cls.enterClassContext(RelayedLab(servers=("bind", "knot", "nsd", "powerdns"),
                                                    key=cls.KEY))

    def setUp(self):
        self.addCleanup(self.spoil, False)

    def spoil(self, spoils):
        for relay in self.lab.relays.values():
            relay.spoils, relay.spoiled = spoils, 0

    def tell(self, domain):
        for server in self.lab.servers.values():
            self.lab.order(domain, server, "notify_zone_changed")

    def wait_for_spoiled_ones(self, domain):
        """Each server has tried, and, told of it once more, tried again."""
        for tries in 1, 2:
            for name, relay in self.lab.relays.items():
                wait_for(lambda: relay.spoiled >= tries, 40, f"{name} tries {tries} times",
                         [self.lab.servers[name].log])
            self.tell(domain)

    def assert_served(self, domain, wanted):
        for name, server in self.lab.servers.items():
            self.assertEqual(set(rrs_of(transfer(server.port, domain.name))), wanted, name)

    def make_honest(self, domain):
        self.spoil(False)
        self.tell(domain)
        for server in self.lab.servers.values():
            server.wait_for_serial(domain.name, domain.serial, 40)
        self.assert_served(domain, domain.rrs())

    @staticmethod
    def texts(zone, count=2000):
        return [(f"h{i}.{zone}", "TXT", '"' + "0" * 200 + '"') for i in range(count)]

    def test_a9_of_a_new_zone(self):
        name = "new.test."
        self.spoil(True)
        domain = Domain(self.lab, name, 1, [(name, "NS", "ns1.example.net."), *self.texts(name)])
        for server in self.lab.servers.values():
            server.add_zone(name)
        self.wait_for_spoiled_ones(domain)
        for server in self.lab.servers.values():
            self.assertIsNone(server.serial(name), server.name)
        self.make_honest(domain)

    def test_a9_of_a_change(self):
        name = "changed.test."
        domain = Domain(self.lab, name, 1, [(name, "NS", "ns1.example.net.")])
        for server in self.lab.servers.values():
            server.add_zone(name)
        self.make_honest(domain)
        old = domain.rrs()
        self.spoil(True)
        domain.change(add=self.texts(name))
        self.tell(domain)
        self.wait_for_spoiled_ones(domain)
        self.assert_served(domain, old)
        self.make_honest(domain)


if __name__ == "__main__":
    unittest.main()

"""EDNS: cookies and the limits of strangers, extended errors, keepalive; dig and dnspython ask."""

import base64
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import dns.edns
import dns.flags
import dns.message
import dns.opcode
import dns.query
import dns.rcode
import dns.rrset
import dns.tsig

sys.path.insert(0, str(Path(__file__).resolve().parent))
from minidns_lab import (BINARIES, HOST, Domain, Lab, render, transfer,     # noqa: E402
                         wait_for)
from query import udp  # noqa: E402

ZONE = "example.org."
SECRET = "445536bcd2513298075a5d379663c962"
OTHER_SECRET = "dd3bdf9344b678b185a6f5cb60fca715"
COOKIE, KEEPALIVE, EDE, NSID, PADDING = 10, 11, 15, 3, 12
BADCOOKIE = 23
CLIENT_COOKIE = bytes(range(8))
FLOOD = 80
# each story asks from networks of its own
KNOWN, EXEMPT = "127.0.2.1", "127.0.3.1"
LIMITS = {"rate_limit": 2, "rate_limit_burst": 20, "rate_limit_slip": 1}


def question_for(name=ZONE, rtype="SOA", options=(), **more):
    """OPTIONS are (code, data); an OPT is sent even if there are none."""
    return dns.message.make_query(
        name, rtype, use_edns=0,
        options=[dns.edns.GenericOption(code, data) for code, data in options], **more)


def with_cookie(data=CLIENT_COOKIE, **more):
    return question_for(options=[(COOKIE, data)], **more)


def alone(data):
    """A question without a question, and a cookie."""
    question = with_cookie(data)
    question.question = []
    return question


def ask(port, question, source=HOST):
    return udp(question, HOST, port=port, source=source, timeout=5,
               raise_on_truncation=False)


def options_of(answer):
    return {option.otype: option for option in answer.options}


def cookie_of(answer):
    return options_of(answer)[COOKIE].data


def flood(port, question, source, count=FLOOD):
    """(rcode, truncated, records) of each answer to as many questions at once."""
    wire = question.to_wire()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as end:
        end.bind((source, 0))
        end.settimeout(5)
        for _ in range(count):
            end.sendto(wire, (HOST, port))
        answers = [dns.message.from_wire(end.recv(4096)) for _ in range(count)]
    return [(answer.rcode(), bool(answer.flags & dns.flags.TC), len(answer.answer))
            for answer in answers]


def metric(worker, name):
    for line in worker.page("/metrics")[1].splitlines():
        if line.startswith(f"zonefleet_minidns_{name} "):
            return float(line.split()[-1])
    raise AssertionError(f"{name} is no metric")


def dig(port, source, *arguments):
    argv = ["dig", "-r", f"@{HOST}", "-p", str(port), "-b", source, "+tries=1", "+time=5",
            "+norecurse", *arguments]
    return subprocess.run(argv, capture_output=True, text=True, check=True).stdout


def dig_cookie(text):
    """(the cookie, what dig thinks of it)"""
    return re.search(r"; COOKIE: ([0-9a-f]+)(?: \((\w+)\))?", text).groups()


WHOLE, SHORT = (0, False, 1), (0, True, 0)
RETRY = (BADCOOKIE, False, 0)


class Cookies(unittest.TestCase):
    """Two instances with one secret, of one process each, and low limits."""

    KEY = dns.tsig.Key("own.key.", b"from the configuration", "hmac-sha256.")

    @classmethod
    def setUpClass(cls):
        secret = base64.b64encode(cls.KEY.secret).decode()
        cls.lab = cls.enterClassContext(Lab(instances=2, settings=LIMITS | {
            "cookie_secret": SECRET, "rate_limit_exempt": ["127.0.3.0/24"],
            "tsig_keys": f"own.key. hmac-sha256 {secret}"}))
        cls.port, cls.other_port = cls.lab.ports
        cls.worker = cls.lab.workers[0]
        Domain(cls.lab, ZONE, 7, [(ZONE, "NS", "ns1.example.net.")])
        cls.lab.add_server("known", KNOWN, 53)
        cls.worker.reload()
        wait_for(lambda: SHORT not in flood(cls.port, question_for(), KNOWN), 10,
                 "the server of the pool is known")

    # cookies

    def test_dig_shows_it_again(self):
        first, verdict = dig_cookie(dig(self.port, "127.0.10.1", "+cookie", ZONE, "SOA"))
        self.assertEqual((len(first), verdict), (48, "good"))
        before = metric(self.worker, 'cookies_total{verdict="valid"}')
        again, verdict = dig_cookie(dig(self.port, "127.0.10.1", f"+cookie={first}", ZONE, "SOA"))
        self.assertEqual((again, verdict), (first, "good"))
        other, verdict = dig_cookie(dig(self.other_port, "127.0.10.1", f"+cookie={first}",
                                        ZONE, "SOA"))
        self.assertEqual((other, verdict), (first, "good"))
        self.assertEqual(metric(self.worker, 'cookies_total{verdict="valid"}'), before + 1)

    def test_of_another_address_it_is_bad(self):
        cookie = cookie_of(ask(self.port, with_cookie(), "127.0.11.1"))
        again = ask(self.port, with_cookie(cookie), "127.0.11.2")
        self.assertEqual(again.rcode(), 0)      # as if it had shown none
        self.assertNotEqual(cookie_of(again), cookie)
        self.assertEqual(cookie_of(again)[:8], CLIENT_COOKIE)

    def test_errors_carry_one(self):
        for name, rcode in (("not.ours.", 5), (f"no.{ZONE}", 3)):
            answer = ask(self.port, with_cookie(name=name), "127.0.12.1")
            self.assertEqual((answer.rcode(), len(cookie_of(answer))), (rcode, 24))
        malformed = ask(self.port, with_cookie(b"short"), "127.0.12.1")
        self.assertEqual(malformed.rcode(), dns.rcode.FORMERR)
        self.assertNotIn(COOKIE, options_of(malformed))

    def test_a_question_for_a_cookie_alone(self):
        answer = ask(self.port, alone(CLIENT_COOKIE), "127.0.13.1")
        self.assertEqual((answer.rcode(), answer.answer), (0, []))
        again = ask(self.port, alone(cookie_of(answer)), "127.0.13.1")
        self.assertEqual((again.rcode(), cookie_of(again)), (0, cookie_of(answer)))
        bad = ask(self.port, alone(CLIENT_COOKIE + b"x" * 16), "127.0.13.1")
        self.assertEqual((bad.rcode(), cookie_of(bad)[:8]), (BADCOOKIE, CLIENT_COOKIE))

    def test_over_tcp(self):
        answer = dns.query.tcp(with_cookie(), HOST, port=self.port, timeout=5)
        self.assertEqual(len(cookie_of(answer)), 24)

    def test_the_secret_changes(self):
        source = "127.0.14.1"
        old = cookie_of(ask(self.other_port, with_cookie(), source))
        worker = self.lab.workers[1]
        worker.configure({"minidns": {"cookie_secret": OTHER_SECRET,
                                      "cookie_secret_other": SECRET}})
        worker.reload()

        def is_kept():
            return cookie_of(ask(self.other_port, with_cookie(old), source)) == old
        wait_for(lambda: not is_kept(), 10, "the new secret makes the cookies")
        # those of the old one are still taken
        self.assertEqual(flood(self.other_port, with_cookie(old), source), [WHOLE] * FLOOD)
        worker.configure({"minidns": {"cookie_secret": SECRET, "cookie_secret_other": ""}})
        worker.reload()
        wait_for(is_kept, 10, "the old secret is back")

    # limits

    def test_strangers_are_sent_to_tcp(self):
        before = metric(self.worker, 'rate_limited_total{action="truncated"}')
        answers = flood(self.port, question_for(), "127.0.20.1")
        self.assertLessEqual(set(answers), {WHOLE, SHORT})
        short = answers.count(SHORT)
        self.assertGreater(short, FLOOD // 2)
        self.assertGreater(answers.count(WHOLE), 10)
        self.assertEqual(metric(self.worker, 'rate_limited_total{action="truncated"}'),
                         before + short)
        # where they are answered
        answer = dns.query.tcp(question_for(), HOST, port=self.port, source="127.0.20.1",
                               timeout=5)
        self.assertEqual(answer.answer[0][0].serial, 7)

    def test_their_network_is_limited_and_others_are_not(self):
        flood(self.port, question_for(), "127.0.21.1")
        self.assertIn(SHORT, flood(self.port, question_for(), "127.0.21.200", 8))
        self.assertEqual(flood(self.port, question_for(), "127.0.22.1", 8), [WHOLE] * 8)

    def test_who_is_no_stranger(self):
        for source in (KNOWN, EXEMPT):
            self.assertEqual(flood(self.port, question_for(), source), [WHOLE] * FLOOD)

    def test_the_address_of_a_server_alone_lifts_little(self):
        """Whoever writes it on his questions turns no large answers on the server."""
        for rtype, records in (("SOA", 1), ("IXFR", 1)):
            question = question_for(ZONE, rtype)
            if rtype == "IXFR":
                question.authority.append(dns.rrset.from_text(ZONE, 0, "IN", "SOA",
                                                              ". . 7 0 0 0 0"))
            self.assertEqual(flood(self.port, question, KNOWN), [WHOLE] * FLOOD, rtype)
        notify = dns.message.make_query(ZONE, "SOA")
        notify.set_opcode(dns.opcode.NOTIFY)
        self.assertEqual(flood(self.port, notify, KNOWN), [(5, False, 0)] * FLOOD)
        for rtype in ("TXT", "ANY", "NS"):
            self.assertIn(SHORT, flood(self.port, question_for(ZONE, rtype), KNOWN), rtype)
        cookie = cookie_of(ask(self.port, with_cookie(), KNOWN))
        question = question_for(ZONE, "NS", [(COOKIE, cookie)])
        self.assertEqual(flood(self.port, question, KNOWN), [WHOLE] * FLOOD)
        self.assertEqual(flood(self.port, question_for(ZONE, "NS"), EXEMPT), [WHOLE] * FLOOD)

    def flood_badly_signed(self, source, key, count=FLOOD):
        """Octets of each answer."""
        signed = question_for()
        signed.use_tsig(key)
        wire = signed.to_wire()
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as end:
            end.bind((source, 0))
            end.settimeout(5)
            for _ in range(count):
                end.sendto(wire, (HOST, self.port))
            return [end.recv(4096) for _ in range(count)]

    def test_badly_signed_questions(self):
        """They are limited, also from the address of a server, counted, and rarely told of."""
        unknown = dns.tsig.Key("no.key.", b"unknown", "hmac-sha256.")
        wrong = dns.tsig.Key("own.key.", b"another", "hmac-sha256.")
        for source, key, error in (("127.0.28.1", unknown, "BADKEY"), (KNOWN, wrong, "BADSIG")):
            name = f'badly_signed_total{{error="{error}"}}'
            before, log = metric(self.worker, name), self.lines_of_bad_ones()
            answers = self.flood_badly_signed(source, key)
            self.assertTrue(any(answer[2] & 2 for answer in answers), source)
            self.assertTrue(any(answer[3] & 15 == 9 for answer in answers), source)
            self.assertEqual(metric(self.worker, name), before + FLOOD)
            self.assertLess(len(self.lines_of_bad_ones()) - len(log), FLOOD // 10)

        def is_told():
            self.flood_badly_signed("127.0.28.1", unknown, 1)
            return any(int(line.rsplit("unlogged=")[1]) > FLOOD // 2
                       for line in self.lines_of_bad_ones())
        wait_for(is_told, 10, "a line says how many were not told of")

    def lines_of_bad_ones(self):
        return [line for line in self.worker.log.read_text().splitlines()
                if "message with a bad TSIG record: " in line]

    def test_strangers_cause_few_readings(self):
        """Of the tables of servers and keys, whatever names of keys they make up."""
        unknown = dns.tsig.Key("no.key.", b"unknown", "hmac-sha256.")
        self.flood_badly_signed("127.0.29.1", unknown)
        before, end = self.statements(), time.monotonic() + 4
        while time.monotonic() < end:
            self.flood_badly_signed("127.0.29.1", unknown)
        # two a reading; 40 were there one each 200 ms
        self.assertLess(self.statements() - before, 20)

    def statements(self):
        return int(self.lab.mariadb.sql("SHOW GLOBAL STATUS LIKE 'Com_select'")[0][1])

    def test_signed_questions(self):
        signed = question_for()
        signed.use_tsig(self.KEY)
        wire = signed.to_wire()
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as end:
            end.bind(("127.0.23.1", 0))
            end.settimeout(5)
            for _ in range(FLOOD):
                end.sendto(wire, (HOST, self.port))
            answers = [end.recv(4096) for _ in range(FLOOD)]
        self.assertFalse(any(answer[2] & 2 for answer in answers))

    def test_a_cookie_lifts_the_limit(self):
        source = "127.0.24.1"
        before = metric(self.worker, 'rate_limited_total{action="badcookie"}')
        answers = flood(self.port, with_cookie(), source)
        self.assertLessEqual(set(answers), {WHOLE, RETRY})
        retries = answers.count(RETRY)
        self.assertGreater(retries, FLOOD // 2)
        self.assertEqual(metric(self.worker, 'rate_limited_total{action="badcookie"}'),
                         before + retries)
        cookie = cookie_of(ask(self.port, with_cookie(), source))
        self.assertEqual(flood(self.port, with_cookie(cookie), source), [WHOLE] * FLOOD)

        # and dig does all this by itself
        def dig_is_sent_back():
            flood(self.port, question_for(), source)
            text = dig(self.port, source, "+cookie", "+showbadcookie", "+ignore", ZONE, "SOA")
            self.assertIn("status: NOERROR", text)
            return "status: BADCOOKIE" in text
        wait_for(dig_is_sent_back, 10, "dig asks again with a cookie")

    def test_errors_have_a_limit_of_their_own(self):
        source = "127.0.25.1"
        refused = flood(self.port, question_for("not.ours."), source)
        self.assertLessEqual(set(refused), {(5, False, 0), SHORT})
        self.assertIn(SHORT, refused)
        self.assertEqual(flood(self.port, question_for(), source, 8), [WHOLE] * 8)

    def test_what_is_answered_at_once_is_limited_too(self):
        question = dns.message.make_query("version.bind.", "TXT", "CH")
        answers = set(flood(self.port, question, "127.0.27.1"))
        self.assertEqual(answers, {(dns.rcode.REFUSED, False, 0), SHORT})

    def test_the_log_says_nothing_of_it(self):
        question = question_for()
        flood(self.port, question, "127.0.26.1")
        before = self.worker.log.read_text().count("\n")
        flood(self.port, question, "127.0.26.1")
        self.assertLess(self.worker.log.read_text().count("\n") - before, FLOOD // 2)


class OwnSecrets(unittest.TestCase):
    """Two instances without a secret in their settings, one of two processes."""

    @classmethod
    def setUpClass(cls):
        cls.lab = cls.enterClassContext(Lab(instances=2, settings={"processes": 2}))
        Domain(cls.lab, ZONE, 7, [(ZONE, "NS", "ns1.example.net.")])

    def test_processes_share_one_and_instances_do_not(self):
        first, second = self.lab.ports
        cookie = cookie_of(ask(first, with_cookie()))
        for _ in range(20):         # from as many ports: both processes are asked
            self.assertEqual(cookie_of(ask(first, with_cookie(cookie))), cookie)
        self.assertNotEqual(cookie_of(ask(second, with_cookie(cookie))), cookie)

    def test_limits_come_and_go_with_the_settings(self):
        worker, port = self.lab.workers[0], self.lab.ports[0]
        networks = iter(range(30, 250))

        def is_limited():
            return SHORT in flood(port, question_for(), f"127.0.{next(networks)}.1")
        self.assertFalse(is_limited())      # less than rate_limit_burst
        for settings, expected in ((LIMITS, True), ({"rate_limit": 0}, False)):
            worker.configure({"minidns": settings})
            worker.reload()
            wait_for(lambda: is_limited() == expected, 10, f"the limits are {settings}")


class Settings(unittest.TestCase):
    """What --check says of them."""

    def check(self, **settings):
        with tempfile.TemporaryDirectory(prefix="minidns-") as folder:
            path = Path(folder) / "zonefleet.cfg"
            path.touch(0o600)
            path.write_text(render({
                "broker": {"url": "rabbit://127.0.0.1"},
                "fleet": {"trust_broker": True},
                "database": {"host": "127.0.0.1", "user": "u", "password": "p", "name": "n"},
                "minidns": settings}))
            argv = [BINARIES / "zonefleet-minidns", "--config", path, "--check"]
            done = subprocess.run(argv, capture_output=True, text=True, timeout=20)
        return done.returncode, done.stdout + done.stderr

    def test_each(self):
        rows = (
            ({"cookie_secret": SECRET, "cookie_secret_other": OTHER_SECRET}, None),
            ({"rate_limit": 0, "rate_limit_slip": 0, "rate_limit_exempt": ["::1", "10.0.0.0/8"]},
             None),
            ({"cookie_secret": SECRET[1:]}, "cookie_secret: must be 32"),
            ({"cookie_secret_other": SECRET}, "cookie_secret_other"),
            ({"rate_limit_exempt": ["10.0.0.0/33"]}, "not '10.0.0.0/33'"),
            ({"rate_limit": -1}, "rate_limit"),
            ({"rate_limit_burst": 0}, "rate_limit_burst"),
            ({"rate_limit_servers": 0}, None),
            ({"rate_limit_servers": -1}, "rate_limit_servers"))
        for settings, words in rows:
            status, text = self.check(**settings)
            self.assertEqual(status == 0, words is None, text)
            self.assertIn(words or "", text)
            self.assertNotIn(SECRET[1:], text)


class Errors(unittest.TestCase):
    """What an error says (RFC 8914), and to whom."""

    @classmethod
    def setUpClass(cls):
        cls.lab = cls.enterClassContext(Lab(settings={"rate_limit_exempt": [HOST]}))
        cls.port = cls.lab.ports[0]
        Domain(cls.lab, ZONE, 7, [(ZONE, "NS", "ns1.example.net.")])

    def explained(self, question, rcode, code, word, ask_by=udp):
        answer = ask_by(question, HOST, port=self.port, timeout=5)
        error = options_of(answer)[EDE]
        self.assertEqual((answer.rcode(), error.code), (rcode, code))
        self.assertIn(word, error.text)
        self.assertNotIn(ZONE.rstrip("."), error.text)

    def test_a_name_of_nobody(self):
        for _ in range(3):      # the later ones are answered from memory
            for rtype in ("SOA", "A"):
                self.explained(question_for("not.ours.", rtype), 5, 20, "no zone")
        self.explained(question_for("not.ours.", "AXFR"), 5, 20, "no zone", dns.query.tcp)
        self.assertIn("EDE: 20 (Not Authoritative)", dig(self.port, HOST, "not.ours.", "A"))

    def test_without_edns_nothing_is_said(self):
        question = dns.message.make_query("not.ours.", "A", use_edns=False)
        answer = ask(self.port, question)
        self.assertEqual((answer.rcode(), answer.edns, answer.options), (5, -1, ()))

    def test_an_answer_has_none(self):
        for rtype in ("SOA", "NS", "TXT"):
            self.assertEqual(options_of(ask(self.port, question_for(ZONE, rtype))), {})

    def test_a_transfer_that_is_not_allowed(self):
        self.explained(question_for(ZONE, "AXFR"), 5, 18, "allow_transfer", dns.query.tcp)

    def test_a_transfer_of_no_zone(self):
        self.explained(question_for(f"www.{ZONE}", "AXFR"), 9, 20, "name of the zone",
                       dns.query.tcp)

    def test_a_zone_that_cannot_be_served(self):
        domain = Domain(self.lab, "broken.test.", 1, [("broken.test.", "NS", "ns1.example.net.")])
        self.lab.mariadb.sql("UPDATE recordsets SET name = 'out.of.zone.' WHERE "
                             f"domain_id = '{domain.id}'")
        self.explained(question_for("broken.test.", "NS"), 2, 0, "the log")

    def test_the_database_is_away(self):
        self.lab.mariadb.stop()
        try:
            self.explained(question_for(f"not.known.yet.{ZONE}", "A"), 2, 23, "database")
        finally:
            self.lab.mariadb.restart()
        wait_for(lambda: ask(self.port, question_for()).rcode() == 0, 10, "it is back")


class Strictness(unittest.TestCase):
    """RFC 6891 and RFC 7828, with few places for TCP clients."""

    @classmethod
    def setUpClass(cls):
        cls.lab = cls.enterClassContext(Lab(settings={
            "rate_limit": 0, "tcp_clients": 4, "tcp_idle": 25, "allow_transfer": [HOST]}))
        cls.port = cls.lab.ports[0]
        Domain(cls.lab, ZONE, 7, [(ZONE, "NS", "ns1.example.net.")])

    def link(self):
        link = socket.create_connection((HOST, self.port), timeout=5)
        self.addCleanup(link.close)
        return link

    @staticmethod
    def over(link, question):
        dns.query.send_tcp(link, question)
        return dns.query.receive_tcp(link)[0]

    def keepalive(self, link):
        answer = self.over(link, question_for(options=[(KEEPALIVE, b"")]))
        return int.from_bytes(options_of(answer)[KEEPALIVE].data, "big")

    def test_keepalive(self):
        """Also with a crowd, when idle clients go sooner; and nobody is told who did not ask."""
        first = self.link()
        self.assertEqual(self.keepalive(first), 250)
        self.assertNotIn(KEEPALIVE, options_of(self.over(first, question_for())))
        crowd = [self.link() for _ in range(2)]
        wait_for(lambda: metric(self.lab.workers[0], "tcp_clients") == 3, 5, "a crowd")
        self.assertEqual(self.keepalive(first), 100)
        self.assertEqual(self.keepalive(crowd[0]), 100)
        for link in (first, *crowd):
            link.close()
        wait_for(lambda: metric(self.lab.workers[0], "tcp_clients") == 0, 5, "they are gone")
        text = dig(self.port, HOST, "+tcp", "+keepalive", ZONE, "SOA")
        self.assertIn("TCP KEEPALIVE: 25.0 secs", text)

    def test_keepalive_in_a_transfer(self):
        link = self.link()
        answer = self.over(link, question_for(ZONE, "AXFR", [(KEEPALIVE, b"")]))
        self.assertEqual(options_of(answer)[KEEPALIVE].data, b"\0\xfa")

    def test_dig_misses_nothing_in_a_transfer(self):
        """Which has a cookie, as dig sends one, in each message."""
        domain = Domain(self.lab, "large.test.", 7, [
            (f"h{i}.large.test.", "TXT", f'"{i:0200d}"') for i in range(2000)])
        text = dig(self.port, HOST, "+noall", "+answer", "+onesoa", "large.test.", "AXFR")
        self.assertEqual(len(text.splitlines()), len(domain.rrs()))

    def test_keepalive_with_data(self):
        question = question_for(options=[(KEEPALIVE, b"\0\x64")])
        self.assertEqual(self.over(self.link(), question).rcode(), dns.rcode.FORMERR)
        answer = ask(self.port, question)
        self.assertEqual((answer.rcode(), options_of(answer)), (0, {}))

    def test_what_we_do_not_know_is_skipped(self):
        options = [(NSID, b""), (PADDING, bytes(20)), (65001, b"abc"), (65001, b"abc"), (8, b"")]
        for ask_by in (udp, dns.query.tcp):
            answer = ask_by(question_for(options=options), HOST, port=self.port, timeout=5)
            self.assertEqual((answer.rcode(), answer.edns, answer.options), (0, 0, ()))

    def test_a_version_to_come(self):
        text = dig(self.port, HOST, "+edns=1", "+noednsnegotiation", ZONE, "SOA")
        self.assertIn("status: BADVERS", text)
        self.assertIn("EDNS: version: 0", text)

    def test_flags_and_sizes(self):
        for flags in (0, 0x7fff, 0x8000, 0xffff):
            question = question_for()
            question.use_edns(0, ednsflags=flags, payload=0)
            answer = ask(self.port, question)
            self.assertEqual((answer.ednsflags & 0xffff, answer.payload, answer.rcode()),
                             (flags & 0x8000, 1232, 0))


class Ending(unittest.TestCase):
    """SIGTERM while a transfer goes on: what is asked is answered, and nobody is to stay."""

    LARGE = "large.test."

    def test_keepalive_of_one_that_ends(self):
        with Lab(settings={"allow_transfer": [HOST]}) as lab:
            worker, port = lab.workers[0], lab.ports[0]
            text = " ".join(['"' + "x" * 250 + '"'] * 8)
            Domain(lab, self.LARGE, 7, [(f"h{i}.{self.LARGE}", "TXT", text) for i in range(6000)])
            with self.link(port) as slow, self.link(port) as other:
                dns.query.send_tcp(slow, dns.message.make_query(self.LARGE, "AXFR"))
                self.assertEqual(dns.query.receive_tcp(slow)[0].rcode(), 0)
                self.assertEqual(self.keepalive(other), 300)
                os.kill(worker.pid, signal.SIGTERM)
                wait_for(lambda: "process finishes its work" in worker.log.read_text(), 5, "it drains")
                self.assertEqual(self.keepalive(other), 0)
                self.assertFalse(worker.has_died())
            wait_for(worker.has_died, 10, "it ends", [worker.log])
            worker.restart()

    @staticmethod
    def link(port):
        link = socket.socket()
        link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
        link.settimeout(5)
        link.connect((HOST, port))
        return link

    @staticmethod
    def keepalive(link):
        dns.query.send_tcp(link, question_for("no.test.", options=[(KEEPALIVE, b"")]))
        answer = dns.query.receive_tcp(link)[0]
        return int.from_bytes(options_of(answer)[KEEPALIVE].data, "big")


class Secondaries(unittest.TestCase):
    """BIND, Knot and NSD under limits that would stop a stranger.

    They show no cookies to a primary: they are known by their addresses.
    """

    @classmethod
    def setUpClass(cls):
        cls.lab = cls.enterClassContext(Lab(servers=("bind", "knot", "nsd"), settings={
            "rate_limit": 1, "rate_limit_burst": 1, "rate_limit_slip": 0}))

    def settle(self, domain):
        for server in self.lab.servers.values():
            self.lab.order(domain, server, "notify_zone_changed")
            self.lab.order(domain, server)
        for _ in self.lab.servers:
            report = self.lab.report(domain)
            self.assertEqual((report["status"], report["serial_number"]),
                             ("SUCCESS", domain.serial), report)

    def test_transfers_and_changes(self):
        worker = self.lab.workers[0]
        domains = []
        for number in range(5):
            name = f"zone{number}.test."
            domains.append(Domain(self.lab, name, 1, [(name, "NS", "ns1.example.net.")]))
            for server in self.lab.servers.values():
                server.add_zone(name)
            self.settle(domains[-1])
        for change in range(3):
            for domain in domains:
                domain.change(add=[(f"new{change}.{domain.name}", "A", "192.0.2.1")])
                self.settle(domain)
        for domain in domains:
            for server in self.lab.servers.values():
                self.assertEqual(len(server.axfr(domain.name)), len(domain.rrs()), server.name)
        verdicts = {verdict: metric(worker, f'cookies_total{{verdict="{verdict}"}}')
                    for verdict in ("client_only", "valid", "bad", "malformed")}
        self.assertEqual(verdicts["bad"] + verdicts["malformed"], 0, verdicts)
        self.assertGreater(metric(worker, 'queries_total{type="soa"}'), 20)
        for action in ("truncated", "badcookie", "dropped"):
            self.assertEqual(metric(worker, f'rate_limited_total{{action="{action}"}}'), 0)
        self.assertEqual(transfer(self.lab.ports[0], domains[0].name)[0].rcode(), 0)


if __name__ == "__main__":
    unittest.main()

"""The client of somebody's primary, against BIND, Knot, and servers that do not keep to it.

primary_driver.c is the client at the end of a pipe, and both providers, of which central is
asked by one. What goes well is compared with what dig and dnspython say.
"""

import base64
import contextlib
import io
import itertools
import json
import os
import queue
import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from datetime import datetime
from pathlib import Path

import dns.flags
import dns.message
import dns.name
import dns.opcode
import dns.rcode
import dns.rdata
import dns.rdataclass
import dns.rdatatype
import dns.rrset
import dns.update
import oslo_messaging as om

REPO = Path(__file__).resolve().parents[2]
DRIVER = REPO / os.environ.get("BUILD", "build") / "drivers" / "primary_driver"
sys.path.insert(0, str(REPO / "deploy"))
sys.path.insert(0, str(REPO / "tests" / "support"))
from lab.bind import Bind                           # noqa: E402
from lab.dns import Key, canonical                  # noqa: E402
from lab.knot import Knot                           # noqa: E402
from lab.process import HOST, wait_for              # noqa: E402
from ownership_lab import Lab                       # noqa: E402
from scripted_dns import (Scripted, answers, at_any_time, frame, keyring,       # noqa: E402
                          receive, sends, signed, signs, until_closed)

SECONDS = 30
SOON_MS = 400       # a deadline that a story waits for
BADTIME = 18
CLOCKS = (r"the server's clock shows 20\d\d-[-0-9T:.]+Z, "
          r"and the local clock shows 20\d\d-[-0-9T:.]+Z")


def key_named(name, secret, algorithm="hmac-sha256"):
    return Key(name, algorithm, base64.b64encode(secret.encode()).decode())


KEY = key_named("owner.key.", "what the owners share")
STRANGER = key_named("stranger.key.", "what the owners share")
FORGER = key_named(KEY.name, "what somebody guessed")
NO_AA = "answers without the AA flag: the server is not authoritative for the name"


# ---- updates ----

def rr(kind, name, rtype="ANY", text=None, ttl=0):
    rdata = dns.rdata.from_text("IN", rtype, text).to_digestable().hex() if text else ""
    return [kind, name, int(dns.rdatatype.from_text(rtype)), ttl, rdata]


def no_name(name):
    return rr("no_name", name)


def no_set(name, rtype="A"):
    return rr("no_set", name, rtype)


def set_is(name, *texts, rtype="A"):
    return [rr("set_is", name, rtype, text) for text in texts]


def add(name, *texts, rtype="A", ttl=300):
    return [rr("add", name, rtype, text, ttl) for text in texts]


def delete(name, *texts, rtype="A"):
    return [rr("delete", name, rtype, text) for text in texts]


def delete_set(name, rtype="A"):
    return rr("delete_set", name, rtype)


def update(prerequisites, changes):
    return {"prerequisites": prerequisites, "changes": changes}


def creation(name, *texts, rtype="A"):
    return update([no_set(name, rtype)], add(name, *texts, rtype=rtype))


# ---- the driver ----

class Client:
    """A running primary_driver, of one zone at one server; without one: at central."""

    def __init__(self, zone, server, key=None, clock=None, **options):
        wrapper = ["faketime", "-f", clock] if clock else []
        # faketime's library comes before the sanitizer's
        options_of_asan = os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"
        self.said = tempfile.TemporaryFile("a+")
        self.process = subprocess.Popen([*wrapper, DRIVER], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=self.said, text=True,
                                        env=os.environ | {"ASAN_OPTIONS": options_of_asan})
        self.lines = queue.Queue()
        self.reader = threading.Thread(target=self._collect, daemon=True)
        self.reader.start()
        if not server:
            self.say("open_managed", zone=zone, **options)
            return
        options = {"host": server.host, "port": server.port} | options
        self.say("open", zone=zone, **options,
                 **({"key": [key.name, key.algorithm, key.secret]} if key else {}))

    def _collect(self):
        for line in self.process.stdout:
            self.lines.put(json.loads(line))

    def say(self, do, **command):
        self.say_all({"do": do} | command)

    def say_all(self, *commands):
        """Of which it hears the last before anything came of the first."""
        self.process.stdin.write("".join(json.dumps(command) + "\n" for command in commands))
        self.process.stdin.flush()

    def hear(self, end, seconds=SECONDS):
        """The next line, which is of that END."""
        try:
            line = self.lines.get(timeout=seconds)
        except queue.Empty:
            raise AssertionError(f"nothing about {end} within {seconds} s") from None
        if line["end"] != end:
            raise AssertionError(f"not {end}: {line}")
        return line

    def read(self):
        self.say("read")
        return self.hear("read")

    def send(self, *updates):
        """(outcome, words)"""
        self.say("send", updates=updates)
        return self.heard_sent()

    def heard_sent(self):
        line = self.hear("send")
        return line["outcome"], line["words"]

    def ask(self, name, rtype="A"):
        """A sorted list of rdata as text, or the fault."""
        self.say("ask", name=name, type=int(dns.rdatatype.from_text(rtype)))
        line = self.hear("ask")
        if line["fault"]:
            return line["fault"]
        return sorted(rdata_text(rtype, bytes.fromhex(rdata)) for rdata in line["records"])

    def serial(self):
        """What the provider says of the zone: a number, or the fault."""
        self.say("serial")
        line = self.hear("serial")
        return line["fault"] or line["serial"]

    def view(self):
        """The same, after the zone was read."""
        self.say("view")
        line = self.hear("view")
        return line["fault"] or line["serial"]

    def give(self, *updates):
        """(outcome, words), of the provider."""
        self.say("give", updates=updates)
        line = self.hear("give")
        return line["outcome"], line["words"]

    def wire(self, *updates):
        self.say("wire", updates=updates)
        line = self.hear("wire")
        return bytes.fromhex(line["message"]), line["sizes"]

    def log(self):
        self.said.seek(0)
        return self.said.read()

    def end(self):
        """Its exit status; what was said and not heard is a fault."""
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        status = self.process.wait(20)
        self.reader.join(20)
        self.process.stdout.close()
        if status:
            print(self.log(), file=sys.stderr)
        self.said.close()
        return status, list(self.lines.queue)


def rdata_text(rtype, wire):
    rtype = dns.rdatatype.from_text(rtype)
    return dns.rdata.from_wire("IN", rtype, wire, 0, len(wire)).to_text()


def records_of(line):
    """What was read, as canonical() gives it."""
    return canonical("\n".join(map(record_text, line["records"])))


def record_text(octets):
    wire = bytes.fromhex(octets)
    owner, at = dns.name.from_wire(wire, 0)
    rtype, rclass, ttl = struct.unpack_from(">HHI", wire, at)
    rdata = dns.rdata.from_wire(rclass, rtype, wire, at + 8, len(wire) - at - 8)
    return (f"{owner} {ttl} {dns.rdataclass.to_text(rclass)} {dns.rdatatype.to_text(rtype)} "
            f"{rdata.to_text()}")


class Story(unittest.TestCase):

    def client(self, zone, server, key=None, **options):
        client = Client(zone, server, key, **options)
        self.addCleanup(lambda: self.assertEqual(client.end(), (0, [])))
        return client

    def assert_sent(self, client, updates, outcome, words=""):
        self.assertEqual(client.send(*updates), (outcome, words))

    def assert_clocks_told(self, client, host, zone, times):
        told = [line for line in client.log().splitlines() if "clock" in line]
        self.assertEqual(len(told), times, told)
        for line in told:
            self.assertRegex(line, rf"server's clock used for TSIG: zone={zone} server={host} "
                                   rf'reason="{CLOCKS}"')

    def assert_faulty(self, client, fault):
        line = client.read()
        self.assertIn(fault, line["fault"] or "whole")
        return line


# ---- servers that keep to it ----

def zone_text(zone, *lines):
    return "\n".join([f"$ORIGIN {zone}", "$TTL 300",
                      "@ SOA ns1 hostmaster 17 3600 600 86400 60", "@ NS ns1",
                      "ns1 A 192.0.2.53", *lines, ""])


def large_zone(zone, hosts):
    lines = []
    for i in range(hosts):
        lines += [f"h{i} A 192.0.2.{i % 250}", f"h{i} AAAA 2001:db8::{i:x}",
                  f'h{i} 60 TXT "text {i}" "{"x" * (i % 200)}"',
                  f"MX{i} MX {i % 9} H{i}.Other.TEST."]
    return zone_text(zone, *lines, "*.wild TXT \"\\000\\255\"", "s SRV 1 2 443 h1",
                     "below NS ns1.below", "ns1.below A 192.0.2.54")


class Servers:
    """What BIND and Knot have in common; .server, .zone() and .count are of the subclass."""

    def zone(self, *lines, text=None, **options):
        """A new zone of the server, which takes updates of who has the KEY."""
        type(self).count += 1
        zone = f"zone{self.count}.test."
        self.add_zone(zone, text or zone_text(zone, *lines), **options)
        wait_for(lambda: self.server.serial(zone) == 17, SECONDS, f"{zone} is served")
        return zone

    def opened(self, *lines, **options):
        """A new zone, and a client with the KEY."""
        zone = self.zone(*lines)
        return zone, self.client(zone, self.server, KEY, **options)

    def test_a_zone_of_some_thousand_records(self):
        zone = self.zone(text=large_zone("large.test.", 1500).replace("large.test.", "@ORIGIN@"))
        for key in None, KEY:
            line = self.client(zone, self.server, key).read()
            self.assertEqual((line["fault"], line["serial"]), (None, 17))
            self.assertEqual(len(line["records"]), 6007)
            self.assertEqual(records_of(line), self.server.axfr(zone))

    def test_a_zone_has_limits(self):
        zone = self.zone(text=large_zone("@ORIGIN@", 300))
        for limit in {"records": 1000}, {"octets": 20000}:
            client = self.client(zone, self.server, KEY, **limit)
            self.assert_faulty(client, "sends more data than the limit for a zone")
        client = self.client(zone, self.server, KEY, records=1207)
        self.assertIsNone(client.read()["fault"])
        client = self.client(zone, self.server, KEY, records=1206)
        self.assert_faulty(client, "sends more data than the limit for a zone")

    def test_who_may_not_read_it(self):
        zone = self.zone(closed=True)
        self.assert_faulty(self.client(zone, self.server), self.UNREAD)
        self.assert_faulty(self.client(zone, self.server, STRANGER), "BADKEY")
        self.assert_faulty(self.client(zone, self.server, FORGER), "BADSIG")
        self.assertIsNone(self.client(zone, self.server, KEY).read()["fault"])
        self.assert_faulty(self.client("no.test.", self.server, KEY), "answers with NOTAUTH")

    def test_who_may_not_update_it(self):
        zone = self.zone()
        wanted = creation(f"www.{zone}", "192.0.2.1")
        for key, words in (
                (STRANGER, "answers with BADKEY: check that the server has the key"),
                (FORGER, "answers with BADSIG: compare the secrets of the key")):
            client = self.client(zone, self.server, key)
            self.assert_faulty(client, words)
            self.assert_sent(client, [wanted], "parked", words)
            self.assertEqual(client.ask(f"www.{zone}"), words)
        self.assert_sent(self.client(zone, self.server), [wanted], *self.UNSIGNED)
        client = self.client("no.test.", self.server, KEY)
        self.assert_sent(client, [creation("www.no.test.", "192.0.2.1")], *self.NO_ZONE)
        self.assertEqual(self.client(zone, self.server, KEY).ask(f"www.{zone}"), [])

    def test_clocks(self):
        """Whatever is asked first, by a clock that is wrong, is asked again by the server's."""
        zone = self.zone(closed=True)
        for number, (clock, first) in enumerate(
                (clock, first) for clock in ("-2h", "+2h")
                for first in ("read", "send", "ask", "serial")):
            client = self.client(zone, self.server, KEY, clock=clock)
            name = f"www{number}.{zone}"
            steps = {
                "read": lambda: self.assertIsNone(client.read()["fault"]),
                "send": lambda: self.assert_sent(client, [creation(name, "192.0.2.1")],
                                                 "applied"),
                "ask": lambda: self.assertLessEqual(client.ask(name), ["192.0.2.1"]),
                "serial": lambda: self.assertIsInstance(client.serial(), int)}
            steps[first]()
            for step in "read", "send", "ask", "serial":
                if step != first:
                    steps[step]()
            self.assertEqual(self.client(zone, self.server, KEY).ask(name), ["192.0.2.1"])
            # the provider has a client of its own
            self.assert_clocks_told(client, HOST, zone, 2)

    def test_create_and_again(self):
        zone, client = self.opened()
        name = f"www.{zone}"
        wanted = update([no_set(name), no_set(name, "CNAME"), no_set(f"m.{zone}", "TXT")],
                        add(name, "192.0.2.1", "192.0.2.2")
                        + add(f"m.{zone}", '"a mark" "\\000\\255"', rtype="TXT", ttl=60))
        self.assertEqual(client.ask(name), [])
        self.assert_sent(client, [wanted], "applied")
        self.assertEqual(client.ask(name), ["192.0.2.1", "192.0.2.2"])
        self.assertEqual(client.ask(f"m.{zone}", "TXT"), ['"a mark" "\\000\\255"'])
        self.assert_sent(client, [wanted], "conflict", "answers with YXRRSET")
        self.assertIn(f"m.{zone} 60 IN TXT \"a mark\" \"\\000\\255\"", self.server.axfr(zone))

    def test_what_it_was_made_from(self):
        """To the record, and whatever the case and TTL of what is there."""
        zone, client = self.opened("www A 192.0.2.1", "www A 192.0.2.2",
                                   "alias CNAME WWW.Other.TEST.")
        name, alias = f"www.{zone}", f"alias.{zone}"
        both, new = ("192.0.2.1", "192.0.2.2"), add(name, "192.0.2.3")
        for wrong in (("192.0.2.1",), (*both, "192.0.2.3"), ("192.0.2.1", "192.0.2.4")):
            self.assert_sent(client, [update(set_is(name, *wrong), new)], "changed",
                             "answers with NXRRSET")
        self.assertEqual(client.ask(name), list(both))
        self.assert_sent(client, [update(set_is(name, *both),
                                         delete(name, "192.0.2.1") + new)], "applied")
        self.assertEqual(client.ask(name), ["192.0.2.2", "192.0.2.3"])
        self.assert_sent(client, [update(set_is(alias, "www.other.test.", rtype="CNAME"),
                                         [delete_set(alias, "CNAME")])], "applied")
        self.assertEqual(client.ask(alias, "CNAME"), [])

    def test_names_in_use(self):
        zone, client = self.opened("www A 192.0.2.1")
        for name, *want in ((f"www.{zone}", "conflict", "answers with YXDOMAIN"),
                            (f"new.{zone}", "applied"), (f"new.{zone}", "conflict",
                                                         "answers with YXDOMAIN")):
            self.assert_sent(client, [update([no_name(name)], add(name, "192.0.2.7"))], *want)
        self.assertEqual(client.ask(f"www.{zone}"), ["192.0.2.1"])

    def test_each_kind_of_change(self):
        zone, client = self.opened("a A 192.0.2.1", "a A 192.0.2.2", 'a TXT "stays"',
                                   "b A 192.0.2.3")
        a, b = f"a.{zone}", f"b.{zone}"
        self.assert_sent(client, [update([], [*delete(a, "192.0.2.1"), delete_set(b),
                                              *add(b, "192.0.2.4", ttl=77)])], "applied")
        self.assertEqual(client.ask(a), ["192.0.2.2"])
        self.assertEqual(client.ask(a, "TXT"), ['"stays"'])
        self.assertIn(f"{b} 77 IN A 192.0.2.4", self.server.axfr(zone))

    def test_a_cname_is_dropped_without_a_word(self):
        """RFC 2136 3.4.2.2: NOERROR is no proof, so one asks."""
        zone, client = self.opened("www A 192.0.2.1")
        name = f"www.{zone}"
        self.assert_sent(client, [update([], add(name, "x.test.", rtype="CNAME"))], "applied")
        self.assertEqual(client.ask(name, "CNAME"), [])
        self.assertEqual(client.ask(name), ["192.0.2.1"])

    def test_policy(self):
        zone = self.zone(only="mine")
        client = self.client(zone, self.server, KEY)
        allowed, other = f"a.mine.{zone}", f"a.{zone}"
        self.assert_sent(client, [creation(allowed, "192.0.2.1")], "applied")
        self.assert_sent(client, [creation(other, "192.0.2.1")], *self.POLICY)
        self.assert_sent(client, [creation(f"b.mine.{zone}", "192.0.2.1"),
                                  creation(other, "192.0.2.1")], *self.POLICY)
        self.assertEqual(client.ask(f"b.mine.{zone}"), [])

    def test_outside_of_the_zone(self):
        zone, client = self.opened()
        for updates in ([creation("www.elsewhere.test.", "192.0.2.1")],
                        [creation(f"www.{zone}", "192.0.2.1"),
                         update([], add("elsewhere.test.", "192.0.2.1"))]):
            self.assert_sent(client, updates, "failed", "answers with NOTZONE")
        self.assertEqual(client.ask(f"www.{zone}"), [])

    def test_all_or_nothing(self):
        zone, client = self.opened("old A 192.0.2.1")
        updates = [creation(f"new{i}.{zone}", f"192.0.2.{i}") for i in range(20)]
        spoilt = [*updates, creation(f"old.{zone}", "192.0.2.9")]
        before = self.server.axfr(zone)
        self.assert_sent(client, spoilt, "conflict", "answers with YXRRSET")
        self.assertEqual(self.server.axfr(zone), before)
        self.assert_sent(client, updates, "applied")
        self.assertEqual(len(self.server.axfr(zone)), len(before) + 20)

    def test_what_two_updates_ask_for(self):
        """Of a set that is told by its records there would be twice as many."""
        zone, client = self.opened('m TXT "one"', 'm TXT "two"')
        marks = set_is(f"m.{zone}", '"one"', '"two"', rtype="TXT")
        updates = [update([*marks, no_set(f"{name}.{zone}")], add(f"{name}.{zone}", "192.0.2.1"))
                   for name in "abc"]
        self.assert_sent(client, updates, "applied")
        self.assertEqual(client.ask(f"c.{zone}"), ["192.0.2.1"])

    def test_the_largest_message(self):
        zone, client = self.opened()
        text = " ".join(['"' + "x" * 250 + '"'] * 2)
        updates = [creation(f"{i}.{zone}", text, rtype="TXT") for i in range(118)]
        message, sizes = client.wire(*updates)
        self.assertTrue(60000 < len(message) <= sum(sizes) + 512, (len(message), sum(sizes)))
        self.assert_sent(client, updates, "applied")
        self.assertEqual(client.ask(f"117.{zone}", "TXT"), [text])
        more = [creation(f"a{i}.{zone}", text, rtype="TXT") for i in range(130)]
        self.assertEqual(client.wire(*more)[0], b"")
        self.assert_sent(client, more, "failed",
                         "cannot receive the update: a change in the update is larger than a "
                         "DNS message")
        self.assertEqual(client.ask(f"a1.{zone}", "TXT"), [])

    def test_questions(self):
        zone, client = self.opened(
            "alias CNAME www", "www A 192.0.2.1", "*.wild A 192.0.2.2", "below NS ns1.below",
            "ns1.below A 192.0.2.54", "MiXed MX 10 Mail.Other.TEST.",
            *(f'many TXT "{i:0>200}"' for i in range(80)))
        for name, rtype, want in (
                ("www", "A", ["192.0.2.1"]), ("www", "AAAA", []), ("none", "A", []),
                ("alias", "A", []), ("alias", "CNAME", [f"www.{zone}"]),
                ("a.wild", "A", ["192.0.2.2"]), ("mixed", "MX", ["10 mail.other.test."]),
                ("many", "TXT", sorted(f'"{i:0>200}"' for i in range(80))),
                ("below", "NS", NO_AA), ("ns1.below", "A", NO_AA)):
            self.assertEqual(client.ask(f"{name}.{zone}", rtype), want)
        client = self.client(zone, self.server, KEY)
        self.assertEqual(client.ask("www.no.test."), self.NO_ANSWER)

    def test_its_serial(self):
        zone, client = self.opened()
        self.assertEqual(client.serial(), 17)
        self.assert_sent(client, [creation(f"www.{zone}", "192.0.2.1")], "applied")
        self.assertEqual(client.serial(), self.server.serial(zone))
        self.assertGreater(client.serial(), 17)
        self.assertEqual(self.client(zone, self.server).serial(), client.serial())
        for key, words in (
                (STRANGER, "answers with BADKEY: check that the server has the key"),
                (FORGER, "answers with BADSIG: compare the secrets of the key")):
            self.assertEqual(self.client(zone, self.server, key).serial(), f"{HOST} {words}")
        client = self.client("no.test.", self.server, KEY)
        self.assertEqual(client.serial(), f"{HOST} {self.NO_ANSWER}")

    def test_a_server_that_stops(self):
        """Nobody knows whether it was done, until it is sent again."""
        zone, client = self.opened(silence_ms=20000)
        wanted = creation(f"www.{zone}", "192.0.2.1")
        self.assertEqual(client.ask(f"www.{zone}"), [])
        self.server.pause()
        client.say("send", updates=[wanted])
        hurried = self.client(zone, self.server, KEY, silence_ms=SOON_MS)
        self.assert_sent(hurried, [wanted], "again", "does not answer")
        self.assert_faulty(hurried, "does not answer")
        self.server.kill9()
        self.assertEqual(client.heard_sent(),
                         ("again", "closes the connection before it answers"))
        self.assert_sent(client, [wanted], "again", "accepts no connection over TCP")
        self.assert_faulty(client, "refuses or closes the TCP connection")
        self.server.launch()
        self.server.wait_ready()
        wait_for(lambda: self.server.serial(zone), SECONDS, f"{zone} is served again")
        self.assert_sent(client, [wanted], "applied")
        self.assertEqual(client.ask(f"www.{zone}"), ["192.0.2.1"])


class BindPrimary(Servers, Story):

    count = 0
    UNREAD = "answers with REFUSED"
    UNSIGNED = "policy", "answers with REFUSED"
    POLICY = "policy", "answers with REFUSED"
    NO_ZONE = "parked", "answers with NOTAUTH"
    NO_ANSWER = "answers with REFUSED"

    @classmethod
    def setUpClass(cls):
        folder = cls.enterClassContext(tempfile.TemporaryDirectory(prefix="primary-"))
        cls.server = Bind(Path(folder) / "bind", key=KEY,
                          settings="max-records-per-type 0; tcp-idle-timeout 1200;")
        cls.addClassCleanup(cls.server.stop)
        cls.server.launch()
        cls.server.wait_ready()

    def add_zone(self, zone, text, closed=False, only=None):
        policy = f"subdomain {only}.{zone} ANY" if only else "zonesub ANY"
        closed = f'allow-transfer {{ key "{KEY.name}"; }};' if closed else ""
        self.server.add_primary_zone(zone, text.replace("@ORIGIN@", zone),
                                     f'update-policy {{ grant "{KEY.name}" {policy}; }}; {closed}')


class KnotPrimary(Servers, Story):

    count = 0
    UNREAD = "answers with NOTAUTH"
    UNSIGNED = "parked", "answers with NOTAUTH"
    # it says the same to who is known and may not as to who is unknown
    POLICY = "policy", "answers with BADKEY, although the server has the key: allow the " \
        "key to make this change"
    # it signs no answer about what it does not have
    NO_ZONE = "again", "answers without a TSIG record (NOTAUTH)"
    NO_ANSWER = "answers without a TSIG record"

    @classmethod
    def setUpClass(cls):
        folder = cls.enterClassContext(tempfile.TemporaryDirectory(prefix="primary-"))
        cls.server = Knot(Path(folder) / "knot", masters=[(HOST, 9)], key=KEY)    # of no zone
        cls.addClassCleanup(cls.server.stop)
        cls.server.launch()
        cls.server.wait_ready()

    def add_zone(self, zone, text, closed=False, only=None):
        server, acl = self.server, f"writer-{zone}"
        (server.folder / "data" / f"{zone}zone").write_text(text.replace("@ORIGIN@", zone))
        limits = [("update-owner", "name"), ("update-owner-match", "sub"),
                  ("update-owner-name", only)] if only else []
        changes = [("conf-set", f"acl[{acl}]"),
                   ("conf-set", f"acl[{acl}].address", HOST),
                   ("conf-set", f"acl[{acl}].key", KEY.name),
                   ("conf-set", f"acl[{acl}].action", "update")]
        changes += [("conf-set", f"acl[{acl}].{item}", value) for item, value in limits]
        acls = [acl, "signed"] if closed else [acl, "signed", "loopback"]
        changes += [("conf-set", f"zone[{zone}]"),
                    ("conf-set", f"zone[{zone}].acl", *acls)]
        server.change(*changes)


# ---- servers that do not ----

ZONE = "scripted.test."
SOA = (ZONE, 300, "SOA", "ns1.test. hostmaster.test. 17 3600 600 86400 60")
RRS = [SOA, (ZONE, 300, "NS", "ns1.test."),
       *((f"h{i}.{ZONE}", 300, "A", f"192.0.2.{i}") for i in range(10)), SOA]


def resets(link):
    """Its end is no FIN, but a reset."""
    link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def first_messages(count, then=until_closed):
    """So many of the messages of the zone, two records each."""
    def script(wire, link):
        messages = list(answers(dns.message.from_wire(wire), RRS, 2))
        for answer in messages[:count]:
            link.sendall(frame(answer.to_wire()))
        then(link)
    return script


def replies(make, key=None):
    """MAKE(message) makes the octets that answer each message of a connection."""
    def script(wire, link):
        ring = keyring(key) if key else None
        while True:
            link.sendall(make(dns.message.from_wire(wire, keyring=ring)))
            wire = receive(link, int.from_bytes(receive(link, 2), "big"))
    return script


def reply(message, rcode=0, *rrs):
    answer = dns.message.make_response(message)
    answer.flags |= dns.flags.AA
    answer.set_rcode(rcode)
    if message.opcode() == dns.opcode.UPDATE:
        answer.sections = [[], [], [], []]
    for owner, ttl, rtype, text in rrs:
        answer.answer.append(dns.rrset.from_text(owner, ttl, "IN", rtype, text))
    return answer


def framed(*arguments):
    return frame(reply(*arguments).to_wire())


WANTED = creation(f"www.{ZONE}", "192.0.2.1")
WWW = f"www.{ZONE}", 300, "A", "192.0.2.1"


class Hostile(Story):
    """Nothing that they do makes a zone whole, or an update done."""

    def scripted(self, script):
        server = Scripted(script)
        self.addCleanup(server.stop)
        return server

    def opened(self, script, key=None, **options):
        options = {"silence_ms": SOON_MS, "whole_ms": 4 * SOON_MS} | options
        return self.client(ZONE, self.scripted(script), key, **options)

    def assert_not_whole(self, script, fault, handed=None, key=None, **options):
        line = self.assert_faulty(self.opened(script, key, **options), fault)
        if handed is not None:
            self.assertEqual(len(line["records"]), handed)

    def test_a_zone_that_comes_whole(self):
        for client in self.opened(sends(RRS)), self.opened(first_messages(7)), \
                self.opened(signs(RRS, KEY, KEY), KEY), \
                self.opened(signs(RRS, KEY, KEY, every=99), KEY):
            line = client.read()
            self.assertEqual((line["fault"], line["serial"], len(line["records"])),
                             (None, 17, len(RRS) - 1))

    def test_a_part_is_no_zone(self):
        for count in range(7):
            fault = ("closes the connection during the transfer" if count
                     else "refuses or closes the TCP connection")
            self.assert_not_whole(first_messages(count, lambda link: None), fault, 2 * count)
            self.assert_not_whole(first_messages(count, resets), fault, 2 * count)
        self.assert_not_whole(first_messages(3), "stops sending during the transfer", 6)
        self.assert_not_whole(first_messages(0), "does not answer", 0)
        self.assert_not_whole(sends(RRS[:-1]), "stops sending during the transfer", len(RRS) - 1)
        self.assert_not_whole(sends(RRS[1:]), "does not begin the transfer with the SOA record", 0)
        self.assert_not_whole(sends([*RRS, WWW]), "sends more data after the final SOA record")

    def test_a_message_cut_in_two(self):
        def cut(at, then):
            def script(wire, link):
                whole = next(answers(dns.message.from_wire(wire), RRS))
                link.sendall(frame(whole.to_wire())[:at])
                then(link)
            return script
        for at in 1, 2, 3, 14, 200:
            self.assert_not_whole(cut(at, until_closed), "does not answer", 0)
            self.assert_not_whole(cut(at, resets), "refuses or closes the TCP connection", 0)

    def test_garbage(self):
        for octets in b"\0\0", b"\0\4abcd", frame(b"\xff" * 500), frame(b"\0" * 500), \
                b"HTTP/1.1 400 no\r\n\r\n" * 2000:
            self.assert_not_whole(lambda wire, link, octets=octets: link.sendall(octets),
                                  "sends a message that is not the expected answer", 0)

        def other_id(wire, link):
            question = dns.message.from_wire(wire)
            question.id ^= 1
            sends(RRS)(question.to_wire(), link)
        self.assert_not_whole(other_id, "sends a message that is not the expected answer", 0)

    def test_it_never_ends(self):
        def drip(wire, link):
            """Never silent for long."""
            question = dns.message.from_wire(wire)
            link.sendall(frame(next(answers(question, RRS[:1])).to_wire()))
            while not done.wait(SOON_MS / 4000):
                link.sendall(frame(next(answers(question, RRS[1:3])).to_wire()))

        def gush(wire, link):
            question = dns.message.from_wire(wire)
            link.sendall(frame(next(answers(question, RRS[:1])).to_wire()))
            more = frame(next(answers(question, RRS[1:-1] * 20)).to_wire())
            while True:
                link.sendall(more)
        done = threading.Event()
        self.addCleanup(done.set)
        self.assert_not_whole(drip, "exceeds the time limit for the transfer")
        self.assert_not_whole(gush, "sends more data than the limit for a zone", records=5000)
        self.assert_not_whole(gush, "sends more data than the limit for a zone", octets=50000)

    def test_signatures(self):
        for script, fault in (
                (signs(RRS, KEY, FORGER), "sends an answer with an invalid MAC"),
                (signs(RRS, KEY, KEY, every=0), "answers without a TSIG record"),
                (signs(RRS, KEY, KEY, every=4, last=False),
                 "ends the transfer without a TSIG record"),
                (signs(RRS, KEY, KEY, spoil=3), "sends an answer with an invalid MAC"),
                (signs(RRS, KEY, KEY, every=99, spoil=3), "sends an answer with an invalid MAC")):
            self.assert_not_whole(script, fault, key=KEY)

    def test_a_reading_is_cancelled(self):
        client = self.opened(first_messages(7))
        for cancel_after in 1, 3, 4:
            client.say("read", cancel_after=cancel_after)
            client.hear("cancelled")
        client.say_all({"do": "read"}, {"do": "cancel", "what": "read"})
        client.hear("cancel")
        self.assertIsNone(client.read()["fault"])
        client.say("close_within")
        client.say("read", cancel_after=3)
        client.hear("cancelled")

    def test_too_many_types_at_a_name(self):
        """The zone is not for us, and the rest of it is not waited for."""
        def types(count):
            return [(f"w\\.w.{ZONE}", 300, f"TYPE{1000 + i}", "\\# 1 00") for i in range(count)]
        self.assertEqual(self.opened(sends([SOA, *types(256), SOA])).view(), 17)
        server = self.scripted(sends([SOA, *types(257)]))       # and no end
        client = self.client(ZONE, server, silence_ms=60000)
        words = f"{HOST} has more than 256 types of records at w\\.w.{ZONE}"
        self.assertEqual(client.view(), words)
        wait_for(lambda: not server.open, SECONDS, "the connection is closed")
        self.assertEqual(client.view(), words)
        client.say("close_within")
        self.assertEqual(client.view(), words)

    # ---- updates ----

    def assert_unknown(self, make, words, key=None):
        client = self.opened(replies(make, key), key)
        self.assert_sent(client, [WANTED], "again", words)
        self.assertIn(client.ask(f"www.{ZONE}"), (words, words.partition(" (")[0]))

    def test_answers_that_say_nothing(self):
        def of_another_id(message):
            message.id ^= 1
            return framed(message)
        stranger = "sends a message that is not the expected answer"
        self.assert_unknown(of_another_id, stranger)
        self.assert_unknown(lambda message: frame(message.to_wire()), stranger)
        self.assert_unknown(lambda message: frame(b""), stranger)
        self.assert_unknown(lambda message: frame(b"\xff" * 300), stranger)
        self.assert_unknown(lambda message: frame(message.id.to_bytes(2, "big")), stranger)
        self.assert_unknown(lambda message: framed(message)[:5], "does not answer")
        self.assert_unknown(lambda message: frame(reply(message).to_wire() + b"more"),
                            "sends a malformed message")

    def test_a_server_that_cannot(self):
        client = self.opened(replies(lambda message: framed(message, 2), None))
        self.assert_sent(client, [WANTED], "unable", "answers with SERVFAIL")
        self.assertEqual(client.ask(f"www.{ZONE}"), "answers with SERVFAIL")

    def test_nobody_answers(self):
        broken = "closes the connection before it answers"
        for end, words in ((until_closed, "does not answer"), (resets, broken),
                           (lambda link: None, broken)):
            client = self.opened(lambda wire, link, end=end: end(link))
            self.assert_sent(client, [WANTED], "again", words)
            self.assertEqual(client.ask(f"www.{ZONE}"), words)
        with socket.socket() as taken:
            taken.bind((HOST, 0))       # and nobody listens
            client = self.opened(lambda wire, link: None, port=taken.getsockname()[1])
            self.assert_sent(client, [WANTED], "again", "accepts no connection over TCP")
            self.assert_faulty(client, "refuses or closes the TCP connection")

    def test_answers_of_somebody_else(self):
        def signed(key):
            def make(message):
                answer = reply(message, 0, *([WWW] if message.opcode() == 0 else []))
                answer.use_tsig(keyring(key), key.name, algorithm=key.algorithm + ".")
                answer.request_mac = message.mac
                return frame(answer.to_wire())
            return make

        def unsigned(rcode):
            def make(message):
                answer = reply(message, rcode)
                answer.tsig = None
                return frame(answer.to_wire())
            return make
        client = self.opened(replies(signed(KEY), KEY), KEY)
        self.assert_sent(client, [WANTED], "applied")
        self.assertEqual(client.ask(f"www.{ZONE}"), ["192.0.2.1"])
        self.assert_unknown(signed(FORGER), "sends an answer with an invalid MAC", KEY)
        self.assert_unknown(signed(STRANGER), "signs its answer with another key", KEY)
        self.assert_unknown(unsigned(0), "answers without a TSIG record", KEY)
        self.assert_unknown(unsigned(5), "answers without a TSIG record (REFUSED)", KEY)

    def test_answers_about_something_else(self):
        def ask(*rrs, rcode=0, change=None):
            def make(message):
                answer = reply(message, rcode, *rrs)
                if change:
                    change(answer)
                return frame(answer.to_wire())
            return self.opened(replies(make)).ask(f"www.{ZONE}")

        def lame(answer):
            answer.flags &= ~dns.flags.AA

        def cut(answer):
            answer.flags |= dns.flags.TC

        def other(answer):
            answer.question = [dns.rrset.from_text(f"x.{ZONE}", 0, "IN", "A")]
        self.assertEqual(ask(WWW), ["192.0.2.1"])
        self.assertEqual(ask((WWW[0].upper(), *WWW[1:])), ["192.0.2.1"])
        self.assertEqual(ask((f"x.{ZONE}", *WWW[1:]), (WWW[0], 300, "TXT", '"x"')), [])
        self.assertEqual(ask(rcode=3), [])
        self.assertEqual(ask(WWW, change=lame), NO_AA)
        self.assertEqual(ask(WWW, change=cut), "sends a truncated message")
        self.assertEqual(ask(WWW, change=other), "sends an answer to a different query")
        self.assertEqual(ask(rcode=5), "answers with REFUSED")

    # ---- the clock ----

    def refusing(self, *arguments, rcode=9, asked_by=None, **options):
        """A server that refuses all for their time, as signed() signs that; .times of them."""
        def make(message):
            server.times.append(message.tsig[0].time_signed)
            mac = asked_by if asked_by is not None else message.mac
            return frame(signed(reply(message, rcode), *arguments, mac, BADTIME, **options))
        server = self.scripted(replies(make, KEY))
        server.times = []
        self.enterContext(at_any_time())
        return server

    def assert_refused(self, client, outcome, words):
        """Whatever is done; WORDS are a pattern. Of a transfer an error is told as it is."""
        sent = client.send(WANTED)
        self.assertEqual(sent[0], outcome, sent)
        self.assertRegex(sent[1], words)
        self.assertRegex(client.ask(f"www.{ZONE}"), words.partition(": the server's clock")[0])
        self.assertRegex(client.read()["fault"], "^answers with BAD|^s(igns its|ends an) answer")

    def test_a_clock_that_is_refused_again(self):
        hours = 7200
        server = self.refusing(KEY, other=int(time.time() + hours).to_bytes(6, "big"))
        client = self.client(ZONE, server, KEY)
        self.assert_refused(client, "parked", f"^answers with BADTIME: {CLOCKS}$")
        off = [round((when - time.time()) / hours) for when in server.times]
        self.assertEqual(off, [0, 1, 1, 1, 1, 1])       # each of the three twice
        self.assert_clocks_told(client, HOST, ZONE, 1)
        theirs, ours = re.findall("20[-0-9T:.]+(?=Z)", client.send(WANTED)[1])
        self.assertAlmostEqual((datetime.fromisoformat(theirs) - datetime.fromisoformat(ours))
                               .total_seconds(), hours, delta=SECONDS)

    def test_a_clock_that_anybody_could_move(self):
        other = int(time.time() + 7200).to_bytes(6, "big")
        refuses = "^answers with BAD"
        for arguments, options, outcome, words in (
                ((KEY,), {"mac_len": 0}, "again", refuses),
                ((KEY,), {"mac_len": 16}, "again", "^sends an answer with an invalid MAC"),
                ((KEY,), {"mac_len": 16, "when": time.time() + 7200}, "again",
                 "^sends an answer with an invalid MAC"),
                ((FORGER,), {}, "again", "^sends an answer with an invalid MAC"),
                ((STRANGER,), {}, "again", "^signs its answer with another key"),
                ((KEY,), {"asked_by": bytes(32)}, "again", "^sends an answer with an invalid MAC"),
                ((KEY,), {"other": b""}, "parked", refuses),
                ((KEY,), {"other": other[1:]}, "again", "^sends an answer with an invalid MAC"),
                ((KEY,), {"rcode": 0}, "parked", refuses)):
            with self.subTest(options=options, key=arguments[0].name):
                server = self.refusing(*arguments, **{"other": other} | options)
                client = self.client(ZONE, server, KEY)
                self.assert_refused(client, outcome, words)
                self.assertEqual(len(server.times), 3)
                for when in server.times:
                    self.assertAlmostEqual(when, time.time(), delta=SECONDS)
                self.assertEqual(client.log(), "")

    def test_a_correction_is_cancelled(self):
        """What was signed again, and is not answered yet."""
        corrected = queue.Queue()

        def make(message):
            if message.tsig[0].time_signed > time.time() + SECONDS:
                corrected.put(message)
                return b""
            other = int(time.time() + 7200).to_bytes(6, "big")
            return frame(signed(reply(message, 9), KEY, message.mac, BADTIME, other))
        self.enterContext(at_any_time())
        server = self.scripted(replies(make, KEY))
        for what, arguments in (("send", {"updates": [WANTED]}), ("read", {}),
                                ("ask", {"name": f"www.{ZONE}", "type": 1})):
            client = self.client(ZONE, server, KEY, silence_ms=60000)
            for end in "cancel", "close":
                client.say(what, **arguments)
                corrected.get(timeout=SECONDS)
                client.say(end, what=what)
                client.hear(end)

    # ---- the serial ----

    def test_a_serial_is_one_question(self):
        asked = queue.Queue()

        def make(message):
            asked.put(message)
            answer = reply(message, 0, SOA)
            answer.use_tsig(keyring(KEY), KEY.name, algorithm=KEY.algorithm + ".")
            answer.request_mac = message.mac
            return frame(answer.to_wire())
        server = self.scripted(replies(make, KEY))
        client = self.client(ZONE, server, KEY)
        self.assertEqual([client.serial(), client.serial()], [17, 17])
        self.assertEqual((server.links, asked.qsize()), (1, 2))
        message = asked.get()
        self.assertEqual([rrset.to_text() for rrset in message.question], [f"{ZONE} IN SOA"])
        self.assertTrue(message.had_tsig)

    def test_what_is_no_serial(self):
        other = (ZONE, 300, "SOA", "ns1.test. hostmaster.test. 18 3600 600 86400 60")
        elsewhere = (f"www.{ZONE}", *SOA[1:])
        lacks = "must answer with exactly one valid SOA record"
        for rrs, rcode, words in (((), 0, lacks), ((), 3, lacks), ((SOA, other), 0, lacks),
                                  ((elsewhere,), 0, lacks), ((), 2, "answers with SERVFAIL")):
            def make(message, rrs=rrs, rcode=rcode):
                answer = reply(message, rcode)
                for owner, ttl, rtype, text in rrs:
                    rrset = dns.rrset.from_text(owner, ttl, "IN", rtype, text)
                    answer.answer.append(rrset)     # two of a type that is single, too
                return frame(answer.to_wire())
            self.assertIn(words, str(self.opened(replies(make)).serial()))
        self.assertIn("does not answer",
                      self.opened(lambda wire, link: until_closed(link)).serial())

    def test_a_serial_is_cancelled(self):
        seen = queue.Queue()

        def silent(wire, link):
            seen.put(wire)
            until_closed(link)
        client = self.opened(silent, silence_ms=60000)
        for _ in range(2):
            client.say("serial")
            seen.get(timeout=SECONDS)
            client.say("cancel", what="provider")
            client.hear("cancel")
        client.say("serial")
        seen.get(timeout=SECONDS)
        client.say("close")
        client.hear("close")
        client = self.opened(replies(lambda message: framed(message, 0, SOA)))
        client.say("close_within")
        self.assertEqual(client.serial(), 17)

    # ---- the connection ----

    def test_it_is_kept(self):
        """For messages and questions; closed when it was idle, and at an error."""
        server = self.scripted(replies(framed))
        client = self.client(ZONE, server, idle_ms=SOON_MS, silence_ms=60000, whole_ms=60000)
        for _ in range(3):
            self.assert_sent(client, [WANTED], "applied")
            self.assertEqual(client.ask(f"www.{ZONE}"), [])
        self.assertEqual(server.links, 1)
        wait_for(lambda: not server.open, SECONDS, "the connection is closed")
        self.assert_sent(client, [WANTED], "applied")
        self.assertEqual(server.links, 2)

    def test_it_is_closed_by_the_server(self):
        """Between two messages that is no error; one that crosses it is sent again."""
        def once(wire, link):
            link.sendall(framed(dns.message.from_wire(wire)))
        server = self.scripted(once)
        client = self.client(ZONE, server, idle_ms=60000)
        self.assert_sent(client, [WANTED], "applied")
        wait_for(lambda: not server.open, SECONDS, "the server has closed")
        wait_for(lambda: client.send(WANTED)[0] == "applied", SECONDS, "it goes on")

    def test_a_message_is_not_the_answer_to_the_one_before(self):
        """What was cancelled is answered late, and means nothing."""
        gate, seen = threading.Event(), threading.Event()

        def late(wire, link):
            seen.set()
            gate.wait(SECONDS)
            link.sendall(framed(dns.message.from_wire(wire), 5))
            replies(framed)(receive(link, int.from_bytes(receive(link, 2), "big")), link)
        server = self.scripted(late)
        client = self.client(ZONE, server)
        client.say("send", updates=[WANTED])
        self.assertTrue(seen.wait(SECONDS))
        client.say("ask", name=f"www.{ZONE}", type=1)
        client.say("cancel", what="send")
        client.hear("cancel")
        gate.set()
        self.assertIsNone(client.hear("ask")["fault"])
        wait_for(lambda: not server.open, SECONDS, "the connection is closed")
        self.assert_sent(client, [WANTED], "policy", "answers with REFUSED")
        self.assertEqual(server.links, 2)

    def test_answers_in_another_order(self):
        def crosswise(wire, link):
            second = receive(link, int.from_bytes(receive(link, 2), "big"))
            link.sendall(framed(dns.message.from_wire(second), 0, WWW)
                         + framed(dns.message.from_wire(wire), 5))
            until_closed(link)
        client = self.opened(crosswise)
        client.say("send", updates=[WANTED])
        client.say("ask", name=f"www.{ZONE}", type=1)
        self.assertEqual(client.hear("ask")["records"], ["c0000201"])
        self.assertEqual(client.heard_sent(), ("policy", "answers with REFUSED"))

    def test_both_are_lost_at_once(self):
        def both(wire, link):
            receive(link, int.from_bytes(receive(link, 2), "big"))
        words = "closes the connection before it answers"
        client = self.opened(both)
        client.say("send", updates=[WANTED])
        client.say("ask", name=f"www.{ZONE}", type=1)
        self.assertEqual(client.heard_sent(), ("again", words))
        self.assertEqual(client.hear("ask")["fault"], words)
        client.say("send", updates=[WANTED])
        client.say("ask", name=f"www.{ZONE}", type=1)
        client.say("close_within")      # so nobody hears of the question
        self.assertEqual(client.heard_sent(), ("again", words))

    def test_all_is_cancelled_and_freed(self):
        client = self.opened(lambda wire, link: until_closed(link), silence_ms=60000)
        for what in "send", "ask", "read":
            arguments = {"send": {"updates": [WANTED]}, "read": {},
                         "ask": {"name": f"www.{ZONE}", "type": 1}}[what]
            for _ in range(2):
                client.say(what, **arguments)
                client.say("cancel", what=what)
                client.hear("cancel")
            client.say(what, **arguments)
        client.say("close")
        client.hear("close")

    def test_where_it_leaves_from(self):
        peers = queue.Queue()

        def note(wire, link):
            peers.put(link.getpeername()[0])
            replies(framed)(wire, link)
        client = self.opened(note, local="127.0.0.5")
        self.assert_sent(client, [WANTED], "applied")
        self.assertEqual(peers.get(timeout=SECONDS), "127.0.0.5")
        self.assert_faulty(client, "sends")
        self.assertEqual(peers.get(timeout=SECONDS), "127.0.0.5")
        client = self.opened(note, local="192.0.2.1")       # no address of ours
        self.assert_sent(client, [WANTED], "again", "cannot be reached over TCP")
        self.assert_faulty(client, "cannot be reached over TCP")

    # ---- what we write, read by others ----

    def test_dnspython_reads_our_updates(self):
        client = self.opened(sends(RRS), KEY)
        updates = [
            update([no_name(f"a.{ZONE}"), no_set(f"b.{ZONE}", "AAAA"),
                    *set_is(f"m.{ZONE}", '"one"', '"two"', rtype="TXT")],
                   [delete_set(f"c.{ZONE}", "MX"), *delete(f"d.{ZONE}", "192.0.2.1"),
                    *add(f"a.{ZONE}", "10 mail.other.test.", rtype="MX", ttl=77)]),
            update([no_set(f"b.{ZONE}", "AAAA"),
                    *set_is(f"m.{ZONE}", '"one"', '"two"', rtype="TXT")],
                   add(f"b.{ZONE}", "2001:db8::1", rtype="AAAA")),
        ]
        wire, sizes = client.wire(*updates)
        message = dns.message.from_wire(wire, keyring=keyring(KEY), one_rr_per_rrset=True)
        self.assertEqual((message.opcode(), message.id, message.flags & ~0x7800),
                         (dns.opcode.UPDATE, 0x102, 0))
        self.assertTrue(message.had_tsig and message.keyname.to_text() == KEY.name)
        self.assertEqual([rrset.to_text() for rrset in message.zone], [f"{ZONE} IN SOA"])
        self.assertLessEqual(len(wire), sum(sizes) + 200)
        wanted = dns.update.UpdateMessage(ZONE)
        wanted.absent("a")
        wanted.absent("b", "AAAA")
        wanted.present("m", "TXT", '"one"', '"two"')
        wanted.delete("c", "MX")
        wanted.delete("d", "A", "192.0.2.1")
        wanted.add("a", 77, "MX", "10 mail.other.test.")
        wanted.add("b", 300, "AAAA", "2001:db8::1")
        theirs = dns.message.from_wire(wanted.to_wire(), one_rr_per_rrset=True)
        for ours, others in ((message.prerequisite, theirs.prerequisite),
                             (message.update, theirs.update)):
            self.assertEqual([described(rrset) for rrset in ours],
                             [described(rrset) for rrset in others])
        self.assertNotIn(b"scripted", wire[12 + len(ZONE) + 1:])       # compressed


class Domain(Story):
    """A zone of our own: central is asked."""

    @classmethod
    def setUpClass(cls):
        cls.lab = cls.enterClassContext(Lab(workers=0, central=True))
        cls.domains = cls.lab.caller_of_central()

    def opened(self, zone):
        client = Client(zone, None, broker=self.lab.rabbitmq.url)
        self.addCleanup(lambda: self.assertEqual(client.end(), (0, [])))
        return client

    def create(self, zone):
        """Its serial."""
        domain = {"name": zone, "email": "h@example.org"}
        return self.domains.create_domain(domain=domain)["serial"]

    def change(self, zone):
        self.domains.apply_changes(domain=zone, changes=[
            {"op": "add", "name": f"www.{zone}", "type": "A", "records": ["192.0.2.1"]}])
        return self.domains.get_domain(domain=zone)["serial"]

    def test_its_serial(self):
        zone = "serial.example.org."
        client = self.opened(zone)
        self.assertIn(f"there is no domain '{zone}'", client.serial())
        first = self.create(zone)
        self.assertEqual(client.serial(), first)
        changed = self.change(zone)
        self.assertNotEqual(changed, first)
        self.assertEqual(client.serial(), changed)
        self.assertEqual(self.domains.export_domain(domain=zone)["serial"], changed)

    def test_too_many_types_at_a_name(self):
        zone = "types.example.org."
        self.create(zone)
        client = self.opened(zone)
        for types in range(0, 256), range(256, 257):
            self.domains.apply_changes(domain=zone, changes=[
                {"op": "add", "name": f"www.{zone}", "type": f"TYPE{1000 + i}",
                 "records": ["\\# 1 00"]} for i in types])
            if types[0] == 0:
                self.assertEqual(client.view(), client.serial())
        self.assertEqual(client.view(), "central: the domain has more than 256 types of "
                                        f"records at www.{zone}")

    def test_a_serial_is_cancelled(self):
        zone = "cancelled.example.org."
        first = self.create(zone)
        client = self.opened(zone)
        self.assertEqual(client.serial(), first)
        client.say_all({"do": "serial"}, {"do": "cancel", "what": "provider"})
        client.hear("cancel")
        self.assertEqual(self.opened(zone).serial(), first)     # whom central answers later
        changed = self.change(zone)
        self.assertEqual(client.serial(), changed)
        client.say("close_within")
        self.assertEqual(client.serial(), changed)


def remote(name):
    """An exception of central's, of that class."""
    return type(name, (Exception,), {"__module__": "zonefleet.exceptions"})


class ScriptedCentral:
    """What export_domain and apply_changes answer is `answer`'s, which has the arguments."""

    def __init__(self):
        self.calls, self.answer = [], None

    def export_domain(self, context, domain, marker=None):
        self.calls.append(marker)
        return self.answer(marker)

    def apply_changes(self, context, domain, changes):
        self.calls.append(changes)
        return self.answer(changes)


class CentralThatSays(Story):
    """Whatever it pleases."""

    ZONE = "said.example.org."
    SOA = f"{ZONE} 300 IN SOA ns.example.net. h.example.net. 7 3600 600 86400 60"

    @classmethod
    def setUpClass(cls):
        cls.lab = cls.enterClassContext(Lab(workers=0))
        transport = cls.lab.caller_of_central().transport
        cls.central = ScriptedCentral()
        server = om.get_rpc_server(transport, om.Target(topic="central", server="story"),
                                   [cls.central], executor="threading")
        server.start()
        cls.addClassCleanup(server.wait)
        cls.addClassCleanup(server.stop)

    def setUp(self):
        self.central.calls = []

    def opened(self):
        return Client(self.ZONE, None, broker=self.lab.rabbitmq.url)

    def sent(self, *updates):
        """What central is asked to change."""
        self.central.answer = lambda changes: {}
        client = self.opened()
        self.assertEqual(client.give(*updates), ("applied", ""))
        self.assertEqual(client.end(), (0, []))
        return [(change["op"], change["name"].removesuffix(f".{self.ZONE}"), change["type"],
                 change.get("records"), *filter(None, [change.get("managed_by")]))
                for change in self.central.calls.pop()]

    def test_what_an_update_says_is_said_to_central(self):
        new, old = f"new.{self.ZONE}", f"old.{self.ZONE}"
        self.assertEqual(self.sent(
            update([no_name(new), no_set(new, "TXT"),
                    *set_is(old, "192.0.2.1", "192.0.2.2")],
                   [*delete(old, "192.0.2.1"), delete_set(old, "MX"),
                    *add(new, "ns.ours.", rtype="NS")]),
            update([no_set(old, "AAAA")], add(old, "2001:db8::1", rtype="AAAA"))),
            [("expect", "new", "ANY", []), ("expect", "new", "TXT", []),
             ("expect", "old", "A", ["192.0.2.1", "192.0.2.2"]),
             # first what is ours, then what nobody manages
             ("delete", "old", "A", ["192.0.2.1"], "ownership"),
             ("delete", "old", "A", ["192.0.2.1"]),
             ("delete", "old", "MX", None, "ownership"), ("delete", "old", "MX", None),
             ("add", "new", "NS", ["ns.ours."], "ownership"), ("expect", "old", "AAAA", []),
             ("add", "old", "AAAA", ["2001:db8::1"], "ownership")])

    def test_what_cannot_be_said_to_central_is_a_bug(self):
        """A delete without its record would be of the whole set."""
        www = f"www.{self.ZONE}"
        for wrong in (update(delete(www, "192.0.2.1"), add(www, "192.0.2.2")),
                      update([], [no_name(www)]),
                      update([], [rr("delete", www, "A")]),
                      update([rr("set_is", www, "A")], add(www, "192.0.2.2")),
                      update([], [["delete", www, 1, 0, "c000"]])):
            with self.subTest(wrong):
                client = self.opened()
                client.say("give", updates=[wrong])
                self.assertEqual(client.process.wait(SECONDS), -signal.SIGABRT)
                self.assertIn("bug", client.log())
                with contextlib.redirect_stderr(io.StringIO()):
                    client.end()
                self.assertEqual(self.central.calls, [])

    def test_outcomes(self):
        client = self.opened()
        for name, wanted in (("Internal", "unable"), ("Busy", "unable"), ("Invalid", "failed"),
                             ("Conflict", "changed"), ("Timeout", "again")):
            def answer(changes):
                raise remote(name)("no")
            self.central.answer = answer
            self.assertEqual(client.give(creation(f"www.{self.ZONE}", "192.0.2.1")),
                             (wanted, "central: no"))
        self.central.answer = lambda changes: 1 / 0
        outcome, words = client.give(creation(f"www.{self.ZONE}", "192.0.2.1"))
        self.assertEqual(outcome, "unable")
        self.assertIn("ZeroDivisionError", words)
        self.assertEqual(client.end(), (0, []))

    def seen(self, answer):
        """What comes of reading pages, and of which markers they were asked for."""
        self.central.answer = answer
        self.central.calls = []
        client = self.opened()
        seen = client.view()
        self.assertEqual(client.end(), (0, []))
        return seen, self.central.calls

    def page(self, serial, number, last=2):
        lines = [f"www{number}.{self.ZONE} 300 IN A 192.0.2.1"]
        return {"serial": serial, "lines": [self.SOA, *lines] if number == 0 else lines,
                "marker": None if number == last else str(number + 1)}

    def test_pages(self):
        self.assertEqual(self.seen(lambda marker: self.page(7, int(marker or 0))),
                         (7, [None, "1", "2"]))

    def test_a_domain_that_changes_while_it_is_read(self):
        """It is read again at once; in the end it is said why it could not be."""
        serials = iter([1, 2, 3, 3, 4, 5, 5, 5])
        self.assertEqual(self.seen(lambda marker: self.page(next(serials), int(marker or 0))),
                         (5, [None, "1", None, "1", "2", None, "1", "2"]))
        serials = itertools.count(1)
        seen, calls = self.seen(lambda marker: self.page(next(serials), int(marker or 0)))
        self.assertEqual(seen, "central: the domain changed 6 times while "
                               "zonefleet-ownership read the domain")
        self.assertEqual(calls, [None, "1"] * 6)

    def test_pages_without_end(self):
        seen, calls = self.seen(lambda marker: {"serial": 7, "marker": "1",
                                                "lines": [] if marker else [self.SOA]})
        self.assertEqual((seen, calls), ("central: a page of the answer contains no records",
                                         [None, "1"]))

    def test_a_text_that_reads_like_a_soa_is_a_record(self):
        """It is looked at, wherever it stands; of such a one that shows, it cannot be read."""
        text = f't.{self.ZONE} 300 IN TXT "a IN SOA b'
        for pages in [[self.SOA], [text]], [[text]], [[self.SOA, text]]:
            def answer(marker):
                at = int(marker or 0)
                return {"serial": 7, "lines": pages[at],
                        "marker": None if at + 1 == len(pages) else str(at + 1)}
            self.assertRegex(str(self.seen(answer)[0]), "^central: records")


def described(rrset):
    return (rrset.name.derelativize(dns.name.from_text(ZONE)), rrset.rdtype, rrset.rdclass,
            rrset.deleting, rrset.ttl, [rdata.to_text() for rdata in rrset])


if __name__ == "__main__":
    unittest.main()

"""Zones of a primary that is not ours: what is wanted comes, and nothing else is touched."""

import base64
import contextlib
import gzip
import itertools
import os
import random
import subprocess
import sys
import threading
import time
import unittest
from pathlib import Path

import dns.message
import dns.query
import dns.rcode
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

sys.path.insert(0, str(Path(__file__).resolve().parent))
from ownership_lab import HOST, ZONE, Lab, full     # noqa: E402
from changed import changes                         # noqa: E402
from lab.process import program                  # noqa: E402
from frames_relay import Cut, is_update             # noqa: E402
from locked_row import costs_nothing, locked        # noqa: E402
from story import replace_zone                      # noqa: E402

LONG = os.environ.get("STORY_SECONDS") is not None
SEED = int(os.environ.get("ZONEFLEET_SEED") or 1)
HERITAGE = "heritage=external-dns,external-dns/owner="


def mark(owner="us", resource="test/1"):
    return f'"{HERITAGE}{owner},external-dns/resource={resource}"'


class Story(unittest.TestCase):

    options = {}
    lab = None

    @classmethod
    def setUpClass(cls):
        cls.lab = Lab(**cls.options).__enter__()
        cls.addClassCleanup(lambda: cls.lab.__exit__(None, None, None))

    def clear(self):
        """For the next story: nothing is wanted, and there is nothing."""
        self.lab.relay.let_pass()
        self.lab.apply({})
        digest = self.lab.planned()["plan"]["digest"]
        if digest:
            self.lab.central.plan_approve(storage_id="us", zone=ZONE, digest=digest)
            self.lab.planned()
        left = [f"update delete {full(owner)} {rtype}" for owner, rtype in self.lab.zone()
                if (owner, rtype) != ("@", "NS")]
        for at in range(0, len(left), 200):
            self.assertEqual(self.lab.nsupdate("\n".join(left[at:at + 200])), "")

    def setUp(self):
        self.addCleanup(self.clear)

    def wait_data(self, wanted, seconds=20):
        try:
            self.lab.wait_for(lambda: self.lab.data() == wanted, seconds, f"the zone has {wanted}")
        except Exception as error:
            raise AssertionError(f"{error}\nbut {self.lab.zone()}") from None

    def add_as_them(self, text):
        self.assertEqual(self.lab.nsupdate(
            "\n".join(f"update add {line}" for line in text.strip().splitlines())), "")


# what others have at the names where we want an A
BESIDE_OURS = {(owner, rtype): [data] for owner in ("@", "x") for rtype, data in (
    ("AAAA", "2001:db8::9"), ("MX", "10 mail.example.net."), ("TXT", '"v=spf1 -all"'))}


class Basics(Story):

    options = {"zones": [{"zone": ZONE, "storage_id": "us"},
                         {"zone": ZONE, "storage_id": "whole", "ownership_scope": "name"}]}

    def test_records_come_change_and_go_with_their_marks(self):
        self.lab.apply({"www/A": ["192.0.2.1", "192.0.2.2"], "*/CNAME": ["www.example.org."]})
        self.wait_data({("www", "A"): ["192.0.2.1", "192.0.2.2"],
                        ("*", "CNAME"): ["www.example.org."]})
        self.assertEqual(self.lab.marks(), {"_own-a.www": [mark()],
                                            "_own-cname._wildcard": [mark()]})
        self.lab.apply({"www/A": ["192.0.2.2", "192.0.2.3"]})
        self.wait_data({("www", "A"): ["192.0.2.2", "192.0.2.3"]})
        self.assertEqual(self.lab.marks(), {"_own-a.www": [mark()]})
        self.lab.apply({})
        self.wait_data({})
        self.assertEqual(self.lab.marks(), {})

    def test_records_of_the_apex(self):
        self.lab.apply({"@/A": ["192.0.2.1"], "@/MX": ["10 mail.example.net."],
                        "@/TXT": ['"v=spf1 -all"']})
        self.wait_data({("@", "A"): ["192.0.2.1"], ("@", "MX"): ["10 mail.example.net."],
                        ("@", "TXT"): ['"v=spf1 -all"']})
        self.assertEqual(self.lab.marks().keys(), {"_own-a", "_own-mx", "_own-txt"})

    def test_ours_beside_types_of_others(self):
        """At the apex and below it. With the scope name, they keep all of the name."""
        self.add_as_them("\n".join(f"{full(owner)} 300 {rtype} {data}" for (owner, rtype), (data,)
                                   in BESIDE_OURS.items()))
        theirs = self.lab.zone()
        self.lab.apply({"@/A": ["192.0.2.1"], "x/A": ["192.0.2.1"]}, storage_id="whole")
        self.addCleanup(self.lab.apply, {}, storage_id="whole")
        self.assertEqual(self.lab.reasons(self.lab.planned("whole")), {
            f"{ZONE}. A": "none NAME_SHARED", "x A": "none NAME_SHARED"})
        self.assertEqual(self.lab.zone(), theirs)
        for address in "192.0.2.1", "192.0.2.2":
            self.lab.apply({"@/A": [address], "x/A": [address]})
            self.wait_data(BESIDE_OURS | {("@", "A"): [address], ("x", "A"): [address]})
        self.assertEqual(self.lab.marks(), {"_own-a": [mark()], "_own-a.x": [mark()]})
        self.lab.apply({})
        self.wait_data(BESIDE_OURS)
        self.assertEqual(self.lab.zone(), theirs)

    def test_each_change_leaves_a_line(self):
        registry = f"us/{ZONE}."
        before = len(changes(self.lab.workers, registry))
        for _ in range(2):
            self.lab.apply({"a/A": ["192.0.2.1"], "b/A": ["192.0.2.1"]})
        self.lab.apply({"a/A": ["192.0.2.2"], "c/A": ["192.0.2.1"]})
        said = lambda: changes(self.lab.workers, registry)[before:]     # noqa: E731
        self.lab.wait_for(lambda: len(said()) >= 2, 20, "the log has the changes")
        self.assertEqual(
            [(line["method"], line["added"], line["updated"], line["deleted"]) for line in said()],
            [("apply_endpoints", "2", "0", "0"), ("apply_endpoints", "1", "1", "1")])

    def test_a_change_that_is_none_changes_nothing(self):
        self.lab.apply({"www/A": ["192.0.2.1"]})
        self.wait_data({("www", "A"): ["192.0.2.1"]})
        self.lab.planned()
        serial = self.lab.serial()
        self.assertEqual(self.lab.apply({"www/A": ["192.0.2.1"]})["changed"], 0)
        self.assertEqual(self.lab.planned()["plan"]["items"], [])
        self.assertEqual(self.lab.serial(), serial)

    def test_what_others_have_stays_and_is_told(self):
        self.add_as_them("""
            a.example.org. 300 A 192.0.2.9
            b.example.org. 300 A 192.0.2.9
            b.example.org. 300 AAAA 2001:db8::9
            a-b.example.org. 300 TXT "heritage=external-dns,external-dns/owner=them"
            c.example.org. 300 CNAME a.example.org.
            d.example.org. 300 A 192.0.2.1
        """)
        before = self.lab.zone()
        self.lab.apply({"a/A": ["192.0.2.1"], "b/A": ["192.0.2.1"], "c/A": ["192.0.2.1"],
                        "d/A": ["192.0.2.1"], "e/A": ["192.0.2.1"]})
        self.lab.wait_for(lambda: ("e", "A") in self.lab.zone(), 20, "what is ours comes")
        after = self.lab.zone()
        self.assertEqual({key: after[key] for key in before}, before)
        self.assertEqual(after.keys() - before.keys(), {("e", "A"), ("_own-a.e", "TXT")})
        reasons = self.lab.reasons(self.lab.planned())
        self.assertEqual(reasons, {"a A": "none UNMANAGED", "b A": "none FOREIGN",
                                   "c A": "none FOREIGN_CNAME", "d A": "none UNMANAGED_EQUAL"})

    def test_what_somebody_changed_by_hand_is_put_right(self):
        self.lab.apply({"www/A": ["192.0.2.1"]})
        self.wait_data({("www", "A"): ["192.0.2.1"]})
        self.assertEqual(self.lab.nsupdate(f"update delete www.{ZONE}. A\n"
                                           f"update add www.{ZONE}. 60 A 192.0.2.66"), "")
        self.wait_data({("www", "A"): ["192.0.2.1"]})

    def test_requests_that_are_wrong(self):
        cases = {
            "must be in the zone": {"dnsname": "www.example.net.", "type": "A", "targets": ["192.0.2.1"]},
            "targets": {"dnsname": "www.example.org.", "type": "A", "targets": ["x"]},
            "must contain at least one record": {
                "dnsname": "www.example.org.", "type": "A", "targets": []},
            "cannot write ownership marks for records": {
                "dnsname": "www.example.org.", "type": "HINFO", "targets": ["a b"]},
            "type: 'NS' is not in managed_types of the registry": {
                "dnsname": "www.example.org.", "type": "NS", "targets": ["ns.example.net."]},
            "has no field": {"dnsname": "www.example.org.", "type": "A", "targets": ["192.0.2.1"],
                        "x": 1},
        }
        for words, endpoint in cases.items():
            with self.subTest(words), self.assertRaisesRegex(Exception, words):
                self.lab.apply([endpoint])
        with self.assertRaisesRegex(Exception, "resource"):
            self.lab.apply({}, resource="a,b")
        with self.assertRaisesRegex(Exception, "has no registry with the zone example.net."):
            self.lab.apply({}, zone="example.net")
        for zone in ZONE, "example.net":            # of another tenant; in no settings
            with self.assertRaisesRegex(Exception, f"has no registry with the zone {zone}. "
                                        "and the storage_id us"):
                self.lab.caller(admin=False).get_plan(storage_id="us", zone=zone)


class Others(Story):
    """A001-1, A001-2: records of others, and writers that are faster."""

    def test_foreign_records_after_many_changes_of_ours(self):
        """A001-1: 1 000 foreign records, plain and marked; ours come, change and go."""
        lines = []
        for i in range(400):
            lines += [f"f{i}.{ZONE}. 300 A 192.0.2.{i % 250}",
                      f"t{i}.{ZONE}. 60 TXT \"text {i}\""]
        for i in range(100):
            lines += [f"x{i}.{ZONE}. 300 CNAME f{i}.{ZONE}.",
                      f"cname-x{i}.{ZONE}. 300 TXT \"{HERITAGE}other\""]
        for at in range(0, len(lines), 200):
            self.add_as_them("\n".join(lines[at:at + 200]))
        before = self.lab.zone()
        changes, names, rng = 0, 100, random.Random(SEED)
        while changes < (10000 if LONG else 600):
            wanted = {}
            for i in rng.sample(range(names), 60):
                kind, target = rng.choice((("A", f"192.0.2.{rng.randrange(250)}"),
                                           ("AAAA", f"2001:db8::{rng.randrange(250):x}"),
                                           ("CNAME", f"f{rng.randrange(400)}.{ZONE}.")))
                wanted[f"{rng.choice('fxno')}{i}/{kind}"] = [target]
            changes += self.lab.apply(wanted)["changed"]
            self.lab.planned()
        after = self.lab.zone()
        self.assertEqual({key: after.get(key) for key in before}, before)
        mine = {key: records for key, records in after.items() if key not in before}
        self.assertGreater(len(mine), 20)
        check_marks(self, mine)

    def test_somebody_is_faster(self):
        """A001-2: the name comes between our transfer and our update."""
        def first_them(message):
            if is_update(message) and not came.is_set():
                came.set()
                self.add_as_them(f"www.{ZONE}. 300 A 192.0.2.66")
            return message
        came = threading.Event()
        codes = []

        def note(message):
            if message[2] >> 3 & 15 == 5:
                codes.append(message[3] & 15)
            return message
        self.lab.relay.on_question, self.lab.relay.on_answer = first_them, note
        self.lab.apply({"www/A": ["192.0.2.1"]})
        self.lab.wait_for(came.is_set, 20, "our update is on its way")
        self.lab.wait_for(lambda: codes, 20, "it is answered")
        self.assertEqual(codes[0], dns.rcode.YXRRSET)
        self.lab.planned()
        self.assertEqual(self.lab.data(), {("www", "A"): ["192.0.2.66"]})
        self.assertEqual(self.lab.marks(), {})
        self.assertEqual(self.lab.reasons(self.lab.planned()), {"www A": "none UNMANAGED"})

    def test_one_name_that_cannot_be_written(self):
        """A001-11: the server refuses one of 200; the others come."""
        self.lab.add_zone("policy.test", self.lab.text.replace("example.org", "policy.test"),
                          "deny us. subdomain bad.policy.test. ANY; grant us. zonesub ANY;")
        wanted = {f"w{i}/A": ["192.0.2.1"] for i in range(199)} | {"x.bad/A": ["192.0.2.1"]}
        self.lab.apply(wanted, zone="policy.test")
        self.lab.wait_for(lambda: len(self.lab.data("policy.test")) == 199, 20, "199 come")
        plan = self.lab.plan(zone="policy.test")
        self.assertNotIn(("x.bad", "A"), self.lab.data("policy.test"))
        self.assertIn("REFUSED", plan["reason"])
        self.assertEqual(len(self.lab.marks("policy.test")), 199)
        self.lab.apply({}, zone="policy.test")

    options = {"zones": [{"zone": ZONE, "storage_id": "us"},
                         {"zone": "policy.test", "storage_id": "us"}]}


def without_twins(wanted):
    """Of a name one type."""
    return {key: wanted[key] for key in {key.split("/")[0]: key for key in wanted}.values()}


def check_marks(story, records):
    """Each record set has its mark, and each mark its record set."""
    sets = {(owner, rtype) for owner, rtype in records if not owner.startswith("_own-")}
    marked = set()
    for owner, rtype in records:
        if owner.startswith("_own-"):
            kind, _, name = owner.removeprefix("_own-").partition(".")
            marked.add((name or "@", kind.upper()))
    story.assertEqual(sets, marked)


class Changes(Story):

    def test_types_change_without_a_gap(self):
        """A001-4: A, CNAME, AAAA in turns, under questions without a pause."""
        turns = [{"flip/A": ["192.0.2.1"]}, {"flip/CNAME": ["ns.example.net."]},
                 {"flip/AAAA": ["2001:db8::1"]}]
        self.lab.apply(turns[0])
        self.wait_data({("flip", "A"): ["192.0.2.1"]})
        asked, gaps, over = [0], [], threading.Event()

        def ask():
            question = dns.message.make_query(f"flip.{ZONE}.", "ANY")
            while not over.is_set():
                answer = dns.query.tcp(question, HOST, port=self.lab.primary.port, timeout=5)
                asked[0] += 1
                if answer.rcode() or not answer.answer:
                    gaps.append(answer.to_text())
        asker = threading.Thread(target=ask)
        asker.start()
        try:
            for i in range(60 if LONG else 12):
                wanted = turns[(i + 1) % 3]
                self.lab.apply(wanted)
                key = tuple(next(iter(wanted)).split("/"))
                self.lab.wait_for(lambda: key in self.lab.data(), 20, f"{key} comes")
        finally:
            over.set()
            asker.join()
        self.assertEqual(gaps, [])
        self.assertGreater(asked[0], 100)
        check_marks(self, {key: records for key, records in self.lab.zone().items()
                           if key != ("@", "NS")})

    def test_several_owners_share_a_name(self):
        """A001-13."""
        def part(address, resource, storage_id):
            return self.lab.apply([{"dnsname": f"api.{ZONE}.", "type": "A", "targets": [address],
                                    "shared": True}], resource, storage_id=storage_id)
        self.addCleanup(lambda: self.lab.apply({}, "b", storage_id="them"))
        part("192.0.2.1", "test/1", "us")
        self.wait_data({("api", "A"): ["192.0.2.1"]})
        part("192.0.2.2", "b", "them")
        self.wait_data({("api", "A"): ["192.0.2.1", "192.0.2.2"]})
        self.assertEqual(len(self.lab.marks()["_own-a.api"]), 2)
        part("192.0.2.3", "test/1", "us")
        self.wait_data({("api", "A"): ["192.0.2.2", "192.0.2.3"]})
        self.lab.apply({})
        self.wait_data({("api", "A"): ["192.0.2.2"]})
        self.assertEqual(len(self.lab.marks()["_own-a.api"]), 1)

    options = {"zones": [{"zone": ZONE, "storage_id": "us"},
                         {"zone": ZONE, "storage_id": "them"}]}


class Readings(Story):
    """A001-5: of a zone that did not come whole nothing is concluded."""

    def setUp(self):
        super().setUp()
        self.lab.apply({f"h{i}/A": ["192.0.2.1"] for i in range(30)})
        self.lab.wait_for(lambda: len(self.lab.data()) == 30, 20, "all come")
        self.lab.planned()
        self.sent = []

    def check(self, on_answer, words):
        """ON_ANSWER spoils the transfer; nothing is sent then, and it is told."""
        def note(message):
            if is_update(message):
                self.sent.append(message)
            return message
        self.lab.relay.on_question = note
        self.lab.relay.on_answer = on_answer
        self.lab.apply({f"h{i}/A": ["192.0.2.1"] for i in range(29)})
        self.lab.wait_for(lambda: self.lab.plan()["state"] == "FAILED", 20, "it is told")
        self.assertRegex(self.lab.plan()["reason"], words)
        self.assertEqual(self.sent, [])
        self.lab.relay.let_pass()
        self.lab.wait_for(lambda: len(self.lab.data()) == 29, 20, "then it is done")

    def test_cut_off(self):
        def cut(message):
            raise Cut
        self.check(cut, "TCP|breaks")

    def test_truncated(self):
        self.check(lambda message: message[:len(message) // 2], "malformed")

    def test_signature_that_is_wrong(self):
        def spoil(message):
            return message[:-10] + bytes([message[-10] ^ 1]) + message[-9:]
        self.check(spoil, "sign|MAC|BAD|read")

    def test_an_octet_that_is_another(self):
        def spoil(message):
            at = message.index(b"\xc0\x00\x02\x01")
            return message[:at] + b"\xc0\x00\x02\x07" + message[at + 4:]
        self.check(spoil, "sign|MAC|BAD")


class Sources(Story):
    """A001-6: sources that lost their memory."""

    def setUp(self):
        super().setUp()
        self.lab.apply({f"h{i}/A": ["192.0.2.1"] for i in range(20)})
        self.lab.wait_for(lambda: len(self.lab.data()) == 20, 20, "all come")
        self.lab.planned()

    def test_a_source_that_says_that_there_is_more(self):
        self.lab.apply({"h1/A": ["192.0.2.2"]}, complete=False)
        plan = self.lab.planned()
        self.assertEqual((len(self.lab.data()), plan["state"]), (20, "HELD"))
        self.lab.apply({f"h{i}/A": ["192.0.2.1" if i != 1 else "192.0.2.2"] for i in range(20)})
        self.lab.wait_for(lambda: self.lab.data()["h1", "A"] == ["192.0.2.2"], 20, "it is done")

    def test_a_source_that_has_nothing_any_more(self):
        for _ in range(3):      # however often it says so
            self.assertFalse(self.lab.apply({})["complete"])
        plan = self.lab.planned()
        self.assertEqual((len(self.lab.data()), plan["state"]), (20, "HELD"))
        self.assertEqual(plan["plan"]["held"], 20)
        with self.assertRaisesRegex(Exception, "there is no held plan with the digest"):
            self.lab.central.plan_approve(storage_id="us", zone=ZONE, digest="0" * 64)
        def approved():
            return [line for line in changes(self.lab.workers, f"us/{ZONE}.")
                    if line["method"] == "plan_approve"]
        before = len(approved())
        self.lab.central.plan_approve(storage_id="us", zone=ZONE, digest=plan["plan"]["digest"])
        self.wait_data({})
        self.assertEqual(len(approved()), before + 1)

    def test_too_many_at_once(self):
        self.lab.apply({f"h{i}/A": ["192.0.2.1"] for i in range(10)})
        plan = self.lab.planned()
        self.assertEqual((len(self.lab.data()), plan["plan"]["held"]), (20, 10))
        self.lab.apply({f"h{i}/A": ["192.0.2.1"] for i in range(15)})
        self.lab.wait_for(lambda: len(self.lab.data()) == 15, 20, "a quarter may go")

    def test_a_database_that_lost_what_was_wanted(self):
        self.lab.mariadb.sql("DELETE FROM endpoints; DELETE FROM endpoint_sources")
        plan = self.lab.planned()
        self.assertEqual((len(self.lab.data()), plan["state"]), (20, "HELD"))


class Orders(Story):
    """Ownership that goes from one to another; the records stay as they are."""

    options = {"zones": [{"zone": ZONE, "storage_id": "us"},
                         {"zone": ZONE, "storage_id": "them"},
                         {"zone": ZONE, "storage_id": "plain", "txt_prefix": ""},
                         {"zone": ZONE, "storage_id": "table", "storage": "table"}]}

    def setUp(self):
        super().setUp()
        self.addCleanup(self.clear_them)

    def clear_them(self):
        self.lab.apply({}, storage_id="them")
        digest = self.lab.planned("them")["plan"]["digest"]
        if digest:
            self.lab.central.plan_approve(storage_id="them", zone=ZONE, digest=digest)
            self.lab.planned("them")

    def test_transfer(self):
        """A001-7: between two that live; a third one's records stay."""
        count = 10000 if LONG else 300
        for at in range(0, count, 5000):
            self.lab.apply({f"h{i}/A": ["192.0.2.1"] for i in range(at, min(at + 5000, count))},
                           f"part/{at}")
        self.addCleanup(lambda: [self.lab.apply({}, f"part/{at}", storage_id=storage_id)
                                 for at in range(0, count, 5000) for storage_id in ("us", "them")])
        self.add_as_them(f"a-third.{ZONE}. 300 TXT \"{HERITAGE}third\"\nthird.{ZONE}. 300 A 192.0.2.3")
        self.lab.wait_for(lambda: len(self.lab.marks()) == count, 300, "all come")
        self.lab.planned()
        before = self.lab.zone()
        dry = self.lab.order("ownership_transfer", to="them", selector={}, dry_run=True)
        self.assertEqual((dry["matched"], dry["done"]), (count, 0))
        self.assertEqual(self.lab.zone(), before)
        serial = self.lab.serial()
        real = self.lab.order("ownership_transfer", to="them", selector={})
        self.assertEqual((real["matched"], real["done"], real["refused"]), (count, count, {}))
        after = self.lab.zone()
        self.assertEqual({key: records for key, records in after.items() if key[1] != "TXT"},
                         {key: records for key, records in before.items() if key[1] != "TXT"})
        self.assertEqual(after["a-third", "TXT"], before["a-third", "TXT"])
        self.assertTrue(all(f"owner=them" in text for texts in self.lab.marks().values()
                            for text in texts))
        self.assertGreater(self.lab.serial(), serial)
        self.lab.planned()
        self.lab.planned("them")
        self.assertEqual(self.lab.zone(), after)        # both live on, and nobody touches it

    def test_who_listens_hears_of_it(self):
        self.lab.listen()
        self.add_as_them(f"x.{ZONE}. 300 A 192.0.2.9")
        self.lab.apply({f"h{i}/A": ["192.0.2.1"] for i in range(12)} | {"x/A": ["192.0.2.1"]})
        applied = self.lab.hears("dns.plan.applied", storage_id="us", zone=f"{ZONE}.")
        self.assertEqual((applied["steps"]["create"], applied["outcomes"]), (12, {"applied": 12}))
        self.lab.hears("dns.owner.mismatch", storage_id="us", count=1, reasons={"UNMANAGED": 1})
        self.lab.order("ownership_transfer", to="them",
                       selector={"name": f"h1.{ZONE}.", "type": "A"})
        self.lab.hears("dns.owner.transferred", storage_id="us", to="them", sets=1)
        self.lab.planned()
        self.lab.apply({})
        held = self.lab.hears("dns.plan.held", storage_id="us", held=11)
        self.assertEqual(held["digest"], self.lab.planned()["plan"]["digest"])

    def test_transfer_of_some(self):
        self.lab.apply({"a.x/A": ["192.0.2.1"], "b.x/A": ["192.0.2.1"], "c/A": ["192.0.2.1"]})
        self.lab.wait_for(lambda: len(self.lab.marks()) == 3, 20, "all come")
        result = self.lab.order("ownership_transfer", to="them",
                                selector={"name": f"x.{ZONE}.", "below": True, "type": "A"})
        self.assertEqual((result["matched"], sorted(result["names"])),
                         (2, [f"a.x.{ZONE}. A", f"b.x.{ZONE}. A"]))
        self.assertEqual(self.lab.marks()["_own-a.c"], [mark()])
        self.assertEqual(self.lab.marks()["_own-a.a.x"], [mark("them")])

    def test_who_cannot_read_our_marks(self):
        for storage_id, words in (("plain", "form of ownership marks"),
                                  ("table", "differ in: storage")):
            with self.assertRaisesRegex(Exception, words):
                self.lab.central.ownership_transfer(storage_id="us", zone=ZONE, to=storage_id,
                                                    selector={})

    def test_a_worker_that_died_before_it_said_so(self):
        """The marks went over, and nobody heard of it: the order ends all the same."""
        self.lab.apply({"a/A": ["192.0.2.1"], "b/A": ["192.0.2.1"]})
        self.lab.wait_for(lambda: len(self.lab.marks()) == 2, 20, "all come")
        self.lab.planned()
        killed = threading.Event()

        def kill(message):
            if message[2] >> 3 & 15 == 5 and not killed.is_set():
                self.lab.workers[0].kill9()
                killed.set()
            return message
        self.lab.relay.on_answer = kill
        order = self.lab.central.ownership_transfer(storage_id="us", zone=ZONE, to="them",
                                                    selector={})["order"]
        self.assertTrue(killed.wait(20))
        self.lab.relay.let_pass()
        self.lab.workers[0].launch()
        self.lab.workers[0].wait_ready()

        def result():
            answer = self.lab.central.get_order(storage_id="us", zone=ZONE, order=order)
            return answer["state"] == "DONE" and answer["result"]
        self.assertEqual(self.lab.wait_for(result, 30, "the order is done")["done"], 2)
        self.assertEqual(self.lab.planned()["plan"]["reasons"], {})
        self.assertEqual(set(self.lab.marks()["_own-a.a"]), {mark("them")})
        self.lab.apply({})
        self.lab.planned("them")
        self.assertEqual(len(self.lab.data()), 2)

    def test_two_orders_for_one_set(self):
        """One after the other, and none is lost."""
        self.add_as_them(f"www.{ZONE}. 300 A 192.0.2.9")
        self.lab.apply({"www/A": ["192.0.2.9"]})
        self.lab.planned()
        self.lab.relay.on_question = lambda message: None       # until both are given
        wrong, right = [self.lab.central.ownership_adopt(
            storage_id="us", zone=ZONE, dnsname=f"www.{ZONE}.", type="A",
            targets=[target])["order"] for target in ("192.0.2.8", "192.0.2.9")]
        self.lab.relay.let_pass()

        def result(order):
            answer = self.lab.central.get_order(storage_id="us", zone=ZONE, order=order)
            return answer["state"] == "DONE" and answer["result"]
        self.assertEqual(self.lab.wait_for(lambda: result(wrong), 40, "the first is done")["refused"],
                         {"UNMANAGED": 1})
        self.assertEqual(self.lab.wait_for(lambda: result(right), 40, "and the second")["done"], 1)
        self.assertEqual(self.lab.marks(), {"_own-a.www": [mark()]})

    def test_adoption(self):
        self.add_as_them(f"www.{ZONE}. 300 A 192.0.2.9")
        wanted = {"dnsname": f"www.{ZONE}.", "type": "A"}
        refused = self.lab.order("ownership_adopt", targets=["192.0.2.9"], **wanted)
        self.assertEqual((refused["matched"], refused["done"]), (0, 0))
        self.lab.apply({"www/A": ["192.0.2.1"]})
        refused = self.lab.order("ownership_adopt", targets=["192.0.2.8"], **wanted)
        self.assertEqual((refused["done"], refused["refused"]), (0, {"UNMANAGED": 1}))
        self.assertEqual(self.lab.marks(), {})
        self.assertEqual(self.lab.order("ownership_adopt", targets=["192.0.2.9"],
                                        **wanted)["done"], 1)
        self.wait_data({("www", "A"): ["192.0.2.1"]})
        self.assertEqual(self.lab.marks(), {"_own-a.www": [mark()]})

    def test_release(self):
        self.lab.apply({"www/A": ["192.0.2.1"]})
        self.wait_data({("www", "A"): ["192.0.2.1"]})
        self.lab.planned()
        self.assertEqual(self.lab.order("ownership_release", selector={})["done"], 1)
        self.assertEqual((self.lab.data(), self.lab.marks()),
                         ({("www", "A"): ["192.0.2.1"]}, {}))
        self.assertEqual(self.lab.reasons(self.lab.planned()),
                         {"www A": "none UNMANAGED_EQUAL"})


class Sealed(Story):
    """Marks that only who has the key can read."""

    key = "0123456789abcdef0123456789abcdef"
    options = {"settings": {"txt_encrypt_key": key, "max_delete_pct": 100}}

    def opened(self):
        return {place: [unseal(self.key, text) for text in texts]
                for place, texts in self.lab.marks().items()}

    def test_sealed_marks(self):
        """A001-8: they are external-dns', as Python's libraries read them."""
        self.lab.apply({"www/A": ["192.0.2.1"]})
        self.wait_data({("www", "A"): ["192.0.2.1"]})
        self.assertNotIn("heritage", str(self.lab.marks()))
        self.assertEqual(self.opened(), {"_own-a.www": [mark().strip('"')]})
        self.lab.planned()
        serial = self.lab.serial()
        self.assertEqual(self.lab.planned()["plan"]["items"], [])
        self.assertEqual(self.lab.serial(), serial)
        self.lab.apply({})
        self.wait_data({})
        self.assertEqual(self.lab.marks(), {})

    def test_marks_from_before_there_was_a_key(self):
        self.add_as_them(f"www.{ZONE}. 300 A 192.0.2.1\n_own-a.www.{ZONE}. 300 TXT {mark()}")
        self.lab.apply({"www/A": ["192.0.2.1"]})
        self.lab.wait_for(lambda: "heritage" not in str(self.lab.marks()), 20, "it is sealed")
        self.assertEqual(self.opened(), {"_own-a.www": [mark().strip('"')]})


def unseal(key, text):
    sealed = base64.b64decode(text.replace('" "', "").strip('"'))
    return gzip.decompress(AESGCM(key.encode()).decrypt(sealed[:12], sealed[12:], None)).decode()


class Table(Story):
    """Marks in our database: the zone shows none."""

    options = {"settings": {"storage": "table", "max_delete_pct": 100, "max_update_pct": 100}}

    def rows(self):
        return sorted(row[0].removesuffix(f".{ZONE}.") for row in self.lab.mariadb.sql(
            "SELECT name FROM ownership WHERE intended IS NULL"))

    def test_records_come_change_and_go(self):
        self.add_as_them(f"x.{ZONE}. 300 A 192.0.2.9")
        self.lab.apply({"www/A": ["192.0.2.1"], "x/A": ["192.0.2.9"]})
        self.lab.wait_for(lambda: self.rows() == ["www"], 20, "it is seen")
        self.assertEqual(self.lab.zone().keys(), {("@", "NS"), ("www", "A"), ("x", "A")})
        self.lab.apply({"www/CNAME": ["x.example.org."]})
        self.wait_data({("www", "CNAME"): ["x.example.org."], ("x", "A"): ["192.0.2.9"]})
        self.lab.wait_for(lambda: self.rows() == ["www"], 20, "and of one type")
        self.lab.apply({})
        self.wait_data({("x", "A"): ["192.0.2.9"]})
        self.lab.wait_for(lambda: self.rows() == [], 20, "nothing is ours")

    def test_somebody_is_faster(self):
        """What was intended, and is another's now, is not ours."""
        came = threading.Event()

        def first_them(message):
            if is_update(message) and not came.is_set():
                came.set()
                self.add_as_them(f"www.{ZONE}. 300 A 192.0.2.66")
            return message
        self.lab.relay.on_question = first_them
        self.lab.apply({"www/A": ["192.0.2.1"]})
        self.lab.wait_for(came.is_set, 20, "our update is on its way")
        self.lab.planned()
        self.assertEqual(self.lab.reasons(self.lab.planned()), {"www A": "none UNMANAGED"})
        self.assertEqual(self.rows(), [])
        self.lab.apply({})
        self.lab.planned()
        self.assertEqual(self.lab.data(), {("www", "A"): ["192.0.2.66"]})

    def test_a_worker_that_died_between(self):
        """The update was done, and nobody heard of it: what is intended counts if it is there."""
        killed = threading.Event()

        def kill(message):
            if message[2] >> 3 & 15 == 5 and not killed.is_set():
                self.lab.workers[0].kill9()
                killed.set()
            return message
        self.lab.relay.on_answer = kill
        self.lab.apply({"www/A": ["192.0.2.1"]})
        self.assertTrue(killed.wait(20))
        self.lab.relay.let_pass()
        self.assertEqual(self.lab.data(), {("www", "A"): ["192.0.2.1"]})
        self.lab.workers[0].launch()
        self.lab.workers[0].wait_ready()
        self.lab.wait_for(lambda: self.rows() == ["www"], 20, "it is seen to be ours")
        self.lab.apply({})
        self.wait_data({})


class Dry(Story):
    """A registry that does nothing gives nothing away, either."""

    options = {"settings": {"storage": "table", "max_delete_pct": 100},
               "zones": [{"zone": ZONE, "storage_id": "us", "dry_run": True},
                         {"zone": ZONE, "storage_id": "them"}]}

    def test_orders_stay_open(self):
        self.add_as_them(f"www.{ZONE}. 300 A 192.0.2.1")
        self.lab.apply({"www/A": ["192.0.2.1"]})
        self.lab.planned()
        self.lab.mariadb.sql(
            "INSERT INTO ownership (registry_id, name, type, resource, ttl, records, updated_at) "
            "SELECT registry_id, name, type, resource, 300, records, NOW(3) FROM endpoints")
        order = self.lab.central.ownership_transfer(storage_id="us", zone=ZONE, to="them",
                                                    selector={})["order"]
        self.lab.planned()
        answer = self.lab.central.get_order(storage_id="us", zone=ZONE, order=order)
        self.assertEqual(answer["state"], "OPEN")
        self.assertEqual(self.lab.mariadb.sql("SELECT COUNT(*) FROM endpoints")[0][0], "1")
        self.lab.mariadb.sql("DELETE FROM ownership_orders")
        self.lab.mariadb.sql("DELETE FROM ownership")


class Memory(Story):

    options = {"settings": {"storage": "memory", "max_delete_pct": 100}}

    def test_it_lasts_as_long_as_the_process(self):
        self.lab.apply({"a/A": ["192.0.2.1"], "b/A": ["192.0.2.1"]})
        self.wait_data({("a", "A"): ["192.0.2.1"], ("b", "A"): ["192.0.2.1"]})
        self.lab.planned()
        self.lab.apply({"b/A": ["192.0.2.2"]})
        self.wait_data({("b", "A"): ["192.0.2.2"]})
        self.lab.workers[0].restart()
        self.lab.apply({})
        self.lab.planned()
        self.assertEqual(self.lab.data(), {("b", "A"): ["192.0.2.2"]})


class Managed(unittest.TestCase):
    """A zone of our own: central has it, and looks whether it is as it was read."""

    STORAGE_IDS = "us", "table", "same", "whole"
    AT_ONCE = 1000          # changes in a call

    @classmethod
    def setUpClass(cls):
        cls.lab = Lab(zones=[{"zone": ZONE, "storage_id": "us", "provider": "managed"},
                              {"zone": ZONE, "storage_id": "table", "provider": "managed",
                               "storage": "table"},
                              {"zone": ZONE, "storage_id": "same", "provider": "managed",
                               "txt_form": "same"},
                              {"zone": ZONE, "storage_id": "whole", "provider": "managed",
                               "ownership_scope": "name"}],
                       settings={"max_update_pct": 100, "max_delete_pct": 100,
                                 "managed_types": ["A", "AAAA", "CNAME", "NS", "MX", "TXT"]},
                       central=True).__enter__()
        cls.addClassCleanup(lambda: cls.lab.__exit__(None, None, None))
        cls.domains = cls.lab.caller_of_central()
        cls.domains.create_domain(domain={"name": f"{ZONE}.", "email": "h@example.org"})

    def setUp(self):
        self.addCleanup(self.clear)

    def clear(self):
        """For the next story: nothing is wanted, and there is nothing."""
        for storage_id in self.STORAGE_IDS:
            self.lab.apply({}, storage_id=storage_id)
            self.lab.planned(storage_id)
        while left := self.records():       # those of a page
            changes = [("delete", "@" if name == f"{ZONE}." else name, rtype, data)
                       for (name, rtype), data in left.items()]
            self.change(*changes[:self.AT_ONCE], force=True)

    def records(self):
        found = {}
        for line in self.domains.export_domain(domain=f"{ZONE}.")["lines"][1:]:
            owner, _, _, rtype, data = line.split(" ", 4)
            found.setdefault((owner.removesuffix(f".{ZONE}."), rtype), []).append(data)
        return {key: sorted(data) for key, data in found.items() if key != (f"{ZONE}.", "NS")}

    def wait_records(self, wanted):
        self.lab.wait_for(lambda: self.records() == wanted, 20, f"the domain has {wanted}")

    def test_records_come_change_and_go_beside_those_of_others(self):
        theirs = {("mail", "A"): ["192.0.2.25"], ("mail", "MX"): ["10 Mail.example.org."]}
        self.domains.apply_changes(domain=f"{ZONE}.", changes=[
            {"op": "add", "name": f"mail.{ZONE}.", "type": "A", "records": ["192.0.2.25"]},
            {"op": "add", "name": f"mail.{ZONE}.", "type": "MX", "records": ["10 Mail.example.org."]}])
        self.lab.apply({"www/A": ["192.0.2.1", "192.0.2.2"], "mail/A": ["192.0.2.1"],
                        "alias/CNAME": ["www.example.org."]})
        own = {("_own-a.www", "TXT"): [mark()], ("_own-cname.alias", "TXT"): [mark()],
               ("alias", "CNAME"): ["www.example.org."]}
        self.wait_records(theirs | own | {("www", "A"): ["192.0.2.1", "192.0.2.2"]})
        self.lab.apply({"www/A": ["192.0.2.3"], "alias/CNAME": ["www.example.org."]})
        self.wait_records(theirs | own | {("www", "A"): ["192.0.2.3"]})
        self.lab.apply({"alias/A": ["192.0.2.7"]})
        self.wait_records(theirs | {("alias", "A"): ["192.0.2.7"], ("_own-a.alias", "TXT"): [mark()]})
        self.lab.apply({})
        self.wait_records(theirs)

    def test_ours_beside_types_of_others(self):
        """At the apex and below it. With the scope name, they keep all of the name."""
        theirs = {(f"{ZONE}." if owner == "@" else owner, rtype): data
                  for (owner, rtype), data in BESIDE_OURS.items()}
        self.change(*[("add", *key, data) for key, data in BESIDE_OURS.items()])
        wanted = {"@/A": ["192.0.2.1"], "x/A": ["192.0.2.1"]}
        ours = {(f"{ZONE}.", "A"): ["192.0.2.1"], ("x", "A"): ["192.0.2.1"]}
        marks = {("_own-a", "TXT"): [mark()], ("_own-a.x", "TXT"): [mark()]}
        for storage_id, what in ("us", ours | marks), ("table", ours):
            self.lab.apply(wanted, storage_id=storage_id)
            self.wait_records(theirs | what)
            self.lab.apply({}, storage_id=storage_id)
            self.wait_records(theirs)
        for storage_id in "same", "whole":
            self.lab.apply(wanted, storage_id=storage_id)
            self.assertEqual(self.lab.reasons(self.lab.planned(storage_id)), {
                f"{ZONE}. A": "none NAME_SHARED", "x A": "none NAME_SHARED"})
            self.assertEqual(self.records(), theirs)
            self.lab.apply({}, storage_id=storage_id)

    def change(self, *changes, **more):
        self.domains.apply_changes(domain=f"{ZONE}.", changes=[
            {"op": op, "name": full(name), "type": rtype, "records": records or None}
            for op, name, rtype, records in changes], **more)

    def test_only_force_removes_records_of_ours(self):
        """By whichever call. Then they come back."""
        self.lab.apply({"www/A": ["192.0.2.1"]})
        whole = {("www", "A"): ["192.0.2.1"], ("_own-a.www", "TXT"): [mark()]}
        self.wait_records(whole)
        for name, rtype, data in (("www", "A", "192.0.2.1"), ("_own-a.www", "TXT", mark())):
            for change in ("delete", name, rtype, [data]), ("delete", name, rtype, []):
                with self.assertRaisesRegex(Exception, f"ownership manages the record '{name}.*force"):
                    self.change(change)
        zone, apex = f"{ZONE}.", [[f"{ZONE}.", 300, "NS", "ns1.example.net."]]

        def of_set(method, **more):
            found, = self.domains.find_recordsets(domain=zone, criterion={
                "name": full("www"), "type": "A"})["recordsets"]
            getattr(self.domains, method)(domain=zone, recordset=found["id"], **more)
        for call in (lambda: self.change(("set", "www", "A", ["192.0.2.9"])),
                     lambda: of_set("delete_recordset"),
                     lambda: of_set("update_recordset", values={"records": ["192.0.2.9"]}),
                     lambda: self.domains.delete_domain(domain=zone)):
            with self.assertRaisesRegex(Exception, "ownership manages .*force"):
                call()
        state, reason = replace_zone(self.domains, zone, apex)
        self.assertEqual(state, "ERROR")
        self.assertRegex(reason, "ownership manages the record .*force")
        self.assertEqual(self.records(), whole)
        for remove in (lambda: self.change(("delete", "www", "A", []), force=True),
                       lambda: of_set("delete_recordset", force=True),
                       lambda: self.assertEqual(replace_zone(self.domains, zone, apex, force=True),
                                                ("DONE", ""))):
            before = self.domains.get_domain(domain=zone)["version"]
            remove()
            self.assertGreater(self.domains.get_domain(domain=zone)["version"], before)
            self.wait_records(whole)
        self.domains.delete_domain(domain=zone, force=True)
        self.domains.abandon_domain(domain=zone)            # it has no name servers
        self.domains.create_domain(domain={"name": zone, "email": "h@example.org"})
        self.wait_records(whole)
        # what others add to our set is not ours, and goes
        self.change(("add", "www", "A", ["192.0.2.2"]))
        self.wait_records(whole)

    def test_somebody_is_faster(self):
        """Whatever comes between reading and writing stays as it is, and is not ours."""
        for storage_id in "us", "table":
            taken = {"sub/NS": ["ns.ours."], "alias/CNAME": ["same.example.net."],
                     "www/A": ["192.0.2.1"]}
            theirs = (("add", "sub", "NS", ["ns.theirs."]),
                      ("add", "alias", "CNAME", ["same.example.net."]),
                      ("add", "www", "AAAA", ["2001:db8::1"]), ("add", "www", "A", ["192.0.2.9"]))
            with self.between_reading_and_writing(lambda: self.change(*theirs)):
                self.lab.apply(taken, storage_id=storage_id)
            self.lab.planned(storage_id)        # that round may have been under way
            plan = self.lab.planned(storage_id)["plan"]
            self.assertEqual((plan["steps"], self.records()),
                             ({"none": 3}, {(name, rtype): records
                                            for _, name, rtype, records in theirs}))
            self.lab.apply({}, storage_id=storage_id)
            self.lab.planned(storage_id)
            self.wait_records({(name, rtype): records for _, name, rtype, records in theirs})
            self.change(*[("delete", name, rtype, records) for _, name, rtype, records in theirs])

    def test_somebody_is_faster_at_a_name(self):
        """With marks at the names themselves a name is ours as a whole, or not at all."""
        theirs = {("host", "AAAA"): ["2001:db8::1"], ("mail", "MX"): ["10 mx.theirs."],
                  ("note", "TXT"): ['"theirs"']}
        wanted = {f"{name}/A": ["192.0.2.1"] for name, _ in theirs}
        changes = [("add", name, rtype, records) for (name, rtype), records in theirs.items()]
        with self.between_reading_and_writing(lambda: self.change(*changes)):
            self.lab.apply(wanted, storage_id="same")
        self.lab.planned("same")
        self.assertEqual((self.lab.planned("same")["plan"]["steps"], self.records()),
                         ({"none": 3}, theirs))
        self.lab.apply({}, storage_id="same")
        self.lab.planned("same")
        self.wait_records(theirs)

    @contextlib.contextmanager
    def between_reading_and_writing(self, deed):
        """A worker writes what it intends: it tries that again until the deed is done."""
        server = self.lab.mariadb
        workers = [worker for worker in self.lab.workers if worker.kind == "ownership"]
        client = subprocess.Popen(
            [program("mariadb"), "--no-defaults", f"--host={server.host}",
             f"--port={server.port}", f"--user={server.user}",
             f"--password={server.password}", "--unbuffered", "--skip-column-names",
             server.database], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        try:
            client.stdin.write("START TRANSACTION; SELECT name FROM ownership FOR UPDATE; "
                               "SELECT 'held';\n")
            client.stdin.flush()
            while client.stdout.readline().strip() != "held":
                pass
            before = locked(workers)
            yield
            self.lab.wait_for(lambda: locked(workers) > before, 20, "a worker waits")
            deed()
        finally:
            client.kill()
            client.communicate()

    def test_names_whose_case_differs(self):
        """Records that are equal but for it are found, and go."""
        self.change(("add", "mail", "MX", ["10 Mx1.Example.NET."]),
                    ("add", "alias", "CNAME", ["Foo.Example.ORG."]))
        self.lab.apply({"mail/MX": ["10 mx1.example.net."], "alias/CNAME": ["foo.example.org."]})
        self.lab.planned()
        self.assertEqual(self.lab.order("ownership_adopt_wanted", selector={})["done"], 2)
        self.lab.apply({"mail/MX": ["20 mx2.example.net."], "alias/CNAME": ["bar.example.org."]})
        self.wait_records({("mail", "MX"): ["20 mx2.example.net."],
                           ("alias", "CNAME"): ["bar.example.org."],
                           ("_own-mx.mail", "TXT"): [mark()],
                           ("_own-cname.alias", "TXT"): [mark()]})

    def test_text_that_reads_like_a_soa(self):
        """Whichever line begins a page, it is a record."""
        count = 700         # of 900 octets: a page has half a MiB
        texts = {f"t{i:04}": [" ".join([f'"{"a IN SOA b " * 20}{i}"'] * 4)]
                 for i in range(count)}
        self.change(*[("add", name, "TXT", text) for name, text in texts.items()])
        self.assertTrue(self.domains.export_domain(domain=f"{ZONE}.")["marker"])
        self.lab.apply({f"{name}/TXT": text for name, text in texts.items()})
        self.assertEqual(self.lab.planned()["plan"]["reasons"], {"UNMANAGED_EQUAL": count})

    def test_it_waits_for_central(self):
        central = self.lab.workers[0]
        central.stop()
        self.lab.apply({"www/A": ["192.0.2.1"]})
        self.lab.wait_for(lambda: self.lab.plan()["state"] == "FAILED", 40, "it is told")
        central.launch()
        central.wait_ready()
        self.wait_records({("www", "A"): ["192.0.2.1"], ("_own-a.www", "TXT"): [mark()]})


class Few(Story):
    """A001-6, of so few records that nothing is too much."""

    def test_a_database_that_lost_what_was_wanted(self):
        self.lab.apply({"a/A": ["192.0.2.1"]}, "one")
        self.lab.apply({"b/A": ["192.0.2.1"]}, "two")
        self.addCleanup(lambda: [self.lab.apply({}, name) for name in ("one", "two")])
        self.wait_data({("a", "A"): ["192.0.2.1"], ("b", "A"): ["192.0.2.1"]})
        self.lab.planned()
        self.lab.mariadb.sql("DELETE FROM endpoints; DELETE FROM endpoint_sources")
        self.lab.apply({"c/A": ["192.0.2.1"]}, "one")       # which remembers, but for one
        self.lab.wait_for(lambda: ("c", "A") in self.lab.data(), 20, "who is sure may write")
        self.lab.wait_for(self.is_held, 20, "all but b is as wanted")
        self.assertEqual(self.lab.data().keys(), {("b", "A"), ("c", "A")})

    def is_held(self):
        """A round that began before the write has another plan."""
        plan = self.lab.planned()
        return (plan["state"], self.lab.reasons(plan)) == ("HELD", {"b A": "delete UNWANTED!"})


class Locked(Story):
    """Another holds the row of a registry; whoever wants it waits, and is no burden to others."""

    options = {"workers": 2,
               "zones": [{"zone": ZONE, "storage_id": "us"}, {"zone": ZONE, "storage_id": "them"}]}

    def test_a_registry(self):
        """By a call, and by a round, which waits for the row at its end."""
        own, numbers = self.lab.caller(), itertools.count(1)
        self.lab.apply({"a/A": ["192.0.2.1"]})
        self.addCleanup(self.lab.apply, {}, "b", storage_id="them")

        def other():
            own.apply_endpoints(storage_id="them", zone=ZONE, resource="b", complete=True, endpoints=[
                {"dnsname": f"b.{ZONE}.", "type": "A",
                 "targets": [f"192.0.2.{next(numbers) % 250}"]}])
        costs_nothing(self.lab.mariadb,
                      "SELECT 1 FROM registries WHERE storage_id = 'us' FOR UPDATE",
                      lambda: self.lab.apply({"a/A": [f"192.0.2.{next(numbers) % 250}"]}),
                      [other] * 2, self.lab.workers)
        self.assertEqual(self.lab.planned()["state"], "OK")


class Several(Story):
    """Any number of workers: one at a time has a registry, and a death loses nothing."""

    options = {"workers": 2, "settings": {"max_delete_pct": 100, "max_update_pct": 100},
               "zones": [{"zone": ZONE, "storage_id": "us"}, {"zone": ZONE, "storage_id": "them"}]}

    def kill_at_update(self, number):
        """All workers, when the update of that number is on its way."""
        self.killed = threading.Event()
        seen = itertools.count(1)

        def kill_at(message):
            if is_update(message) and next(seen) == number:
                for worker in self.lab.workers:
                    worker.kill9()
                self.killed.set()
            return message
        self.lab.relay.on_question = kill_at

    def changes_nothing(self):
        """A round of each of the two."""
        before = self.lab.serial()
        for owner in "us", "them":
            self.lab.planned(owner)
        return self.lab.serial() == before

    def test_many_writers(self):
        """A001-10: two workers, two owners, and a person with nsupdate, at the same names."""
        rng, until = random.Random(SEED), time.monotonic() + (3600 if LONG else 20)
        self.addCleanup(lambda: self.lab.apply({}, "b", storage_id="them"))
        hands, wanted = {}, {}
        while time.monotonic() < until:
            for owner, resource in ("us", "test/1"), ("them", "b"):
                wanted[owner] = {f"n{i}/{rng.choice(('A', 'A', 'A', 'CNAME'))}": None
                                 for i in rng.sample(range(30), 12)}
                for key in wanted[owner]:
                    wanted[owner][key] = [f"192.0.2.{rng.randrange(1, 200)}" if key.endswith("/A")
                                          else f"x{rng.randrange(9)}.example.net."]
                wanted[owner] = without_twins(wanted[owner])
                self.lab.apply(wanted[owner], resource, storage_id=owner)
            for i in rng.sample(range(40), 3):
                hands[f"h{i}"] = f"192.0.2.{rng.randrange(200, 250)}"
                self.assertEqual(self.lab.nsupdate(f"update delete h{i}.{ZONE}. A\n"
                                                   f"update add h{i}.{ZONE}. 60 A {hands[f'h{i}']}"), "")
            self.lab.nsupdate(f"update add n{rng.randrange(30)}.{ZONE}. 60 A 192.0.2.254")
        # what one of them frees, the other may take in its next round
        self.assertTrue(any(self.changes_nothing() for _ in range(6)))
        data, serial = self.lab.data(), self.lab.serial()
        self.assertEqual({key[0]: records for key, records in data.items() if key[0] in hands},
                         {name: [address] for name, address in hands.items()})
        self.check_owners(wanted)
        self.assertTrue(self.changes_nothing())
        self.assertEqual(self.lab.serial(), serial)     # nobody flaps
        self.assertEqual(self.lab.data(), data)

    def check_owners(self, wanted):
        """What a mark says is whoever's is as that one wants it."""
        data = self.lab.data()
        for place, marks in self.lab.marks().items():
            kind, _, name = place.removeprefix("_own-").partition(".")
            self.assertEqual(len(marks), 1, place)
            owner = marks[0].split("owner=")[1].split(",")[0]
            self.assertEqual(data.get((name, kind.upper())),
                             sorted(wanted[owner].get(f"{name}/{kind.upper()}", ["nothing"])), place)

    def test_workers_that_are_killed(self):
        """A001-3: records and marks are both there, or neither is."""
        rng = random.Random(SEED)
        kills = 50 if LONG else 6
        for _ in range(kills):
            self.kill_at_update(rng.randrange(1, 8))
            wanted = {f"k{i}/{rng.choice(('A', 'A', 'TXT'))}": None for i in range(500)}
            for key in wanted:
                wanted[key] = [f"192.0.2.{rng.randrange(250)}" if key.endswith("/A") else '"x"']
            self.lab.apply(wanted)
            self.assertTrue(self.killed.wait(40), "there were so many updates")
            self.lab.relay.let_pass()
            for worker in self.lab.workers:
                worker.launch()
            for worker in self.lab.workers:
                worker.wait_ready()
            check_marks(self, {key: records for key, records in self.lab.zone().items()
                               if key != ("@", "NS")})
        digest = self.lab.planned(seconds=60)["plan"]["digest"]
        if digest:
            self.lab.central.plan_approve(storage_id="us", zone=ZONE, digest=digest)
        want = {tuple(key.split("/")): targets for key, targets in wanted.items()}
        self.wait_data(want, 60)


if __name__ == "__main__":
    unittest.main(verbosity=2)

"""Whole rounds with Knot as the primary: what BIND's stories say of it, and what it does
in its own way.

It says BADKEY of a key that it knows and that may not do what the update is for; several
updates that come at once it takes together, each as a whole.
"""

import sys
import threading
import unittest
from pathlib import Path

import dns.rcode

sys.path.insert(0, str(Path(__file__).resolve().parent))
import test_ownership                               # noqa: E402
from ownership_lab import HEAD, ZONE, new_key       # noqa: E402
from test_ownership import check_marks, mark        # noqa: E402
from frames_relay import is_update                  # noqa: E402

LIMITED, STRANGE = "policy.test", "strange.test"
OWN = {"primary": "knot", "zones": [
    {"zone": ZONE, "storage_id": "us"}, {"zone": ZONE, "storage_id": "them"},
    {"zone": ZONE, "storage_id": "whole", "ownership_scope": "name"},
    {"zone": LIMITED, "storage_id": "us"},
    {"zone": STRANGE, "storage_id": "us", "tsig_key": "stranger."}]}


class Knot(test_ownership.Basics, test_ownership.Others, test_ownership.Changes):

    options = OWN

    def answers(self):
        """The rcodes of what the server says to updates from now on."""
        codes = []

        def note(message):
            if message[2] >> 3 & 15 == 5:
                codes.append(message[3] & 15)
            return message
        self.lab.relay.on_answer = note
        return codes

    def before_our_update(self, do):
        """Does it once, when an update of ours is on its way; returns whether it was."""
        came = threading.Event()

        def first(message):
            if is_update(message) and not came.is_set():
                came.set()
                do()
            return message
        self.lab.relay.on_question = first
        return came

    def race(self, wanted, theirs, code):
        """THEIRS comes between the reading and our update, which is answered CODE."""
        codes = self.answers()

        def come_first():
            self.assertEqual(self.lab.nsupdate(theirs), "")
            codes.clear()               # of an update before
        came = self.before_our_update(come_first)
        self.lab.apply(wanted)
        self.lab.wait_for(came.is_set, 20, "our update is on its way")
        self.lab.wait_for(lambda: codes, 20, "it is answered")
        self.assertEqual(codes[0], code)
        self.lab.planned()

    def test_somebody_is_faster_with_a_change(self):
        """What we change is what we read, or is not changed; the next round puts it right."""
        self.lab.apply({"www/A": ["192.0.2.1"]})
        self.wait_data({("www", "A"): ["192.0.2.1"]})
        self.race({"www/A": ["192.0.2.2"]},
                  f"update add www.{ZONE}. 300 A 192.0.2.66", dns.rcode.NXRRSET)
        self.wait_data({("www", "A"): ["192.0.2.2"]})
        self.assertEqual(self.lab.marks(), {"_own-a.www": [mark()]})

    def test_somebody_is_faster_with_the_mark(self):
        """The mark was given away: what it is for is not ours to delete any more."""
        self.lab.apply({"www/A": ["192.0.2.1"]})
        self.wait_data({("www", "A"): ["192.0.2.1"]})
        self.lab.planned()
        self.race({}, f"update delete _own-a.www.{ZONE}. TXT\n"
                      f"update add _own-a.www.{ZONE}. 300 TXT {mark('others')}",
                  dns.rcode.NXRRSET)
        self.lab.planned()
        self.assertEqual(self.lab.data(), {("www", "A"): ["192.0.2.1"]})
        self.assertEqual(self.lab.marks(), {"_own-a.www": [mark("others")]})

    def test_somebody_is_faster_with_a_cname(self):
        """One that a server would drop without a word is never sent, or refused in whole."""
        self.race({"www/A": ["192.0.2.1"]},
                  f"update add www.{ZONE}. 300 CNAME theirs.example.net.", dns.rcode.YXRRSET)
        self.lab.planned()
        self.assertEqual(self.lab.data(), {("www", "CNAME"): ["theirs.example.net."]})
        self.assertEqual(self.lab.marks(), {})
        self.assertEqual(self.lab.reasons(), {"www A": "none FOREIGN_CNAME"})

    def test_one_name_that_cannot_be_written(self):
        """A001-11, by an acl: one of 200 is refused; the others come."""
        only = {"update-owner": "name", "update-owner-match": "sub",
                "update-owner-name": "good"}
        self.lab.add_zone(LIMITED, HEAD, {"us.": only, "them.": {}})
        codes = self.answers()
        wanted = {f"w{i}.good/A": ["192.0.2.1"] for i in range(199)} | {"bad/A": ["192.0.2.1"]}
        self.lab.apply(wanted, zone=LIMITED)
        self.lab.wait_for(lambda: len(self.lab.data(LIMITED)) == 199, 60, "199 come")
        self.lab.planned(zone=LIMITED)
        plan = self.lab.plan(zone=LIMITED)
        self.assertNotIn(("bad", "A"), self.lab.data(LIMITED))
        self.assertRegex(plan["reason"], "answers with BADKEY, although the server has the key")
        self.assertEqual(len(self.lab.marks(LIMITED)), 199)
        self.assertIn(dns.rcode.NOTAUTH, codes)
        self.lab.apply({}, zone=LIMITED)

    # ---- signatures ----

    def set_secret(self, secret):
        self.lab.knot.change(("conf-set", "key[us.].secret", secret))

    def test_a_secret_that_changed(self):
        """Before a reading: nothing is concluded; between it and an update: it is parked."""
        self.lab.apply({"a/A": ["192.0.2.1"]})
        self.wait_data({("a", "A"): ["192.0.2.1"]})
        self.lab.planned()
        self.addCleanup(self.set_secret, self.lab.us.secret)
        self.set_secret(new_key("us.").secret)
        self.lab.apply({"a/A": ["192.0.2.2"]})
        self.lab.wait_for(lambda: self.lab.plan()["state"] == "FAILED", 20, "it is told")
        self.assertRegex(self.lab.plan()["reason"], "BADSIG: compare the secrets of the key")
        self.assertEqual(self.lab.data(), {("a", "A"): ["192.0.2.1"]})
        self.set_secret(self.lab.us.secret)
        self.lab.apply({"a/A": ["192.0.2.3"]})
        self.wait_data({("a", "A"): ["192.0.2.3"]})
        self.lab.planned()
        self.before_our_update(lambda: self.set_secret(new_key("us.").secret))
        self.lab.apply({"a/A": ["192.0.2.4"]})
        self.lab.wait_for(lambda: self.lab.plan()["state"] == "PARKED", 20, "it is told")
        self.assertRegex(self.lab.plan()["reason"], "answers with BADSIG")
        self.lab.relay.let_pass()
        self.set_secret(self.lab.us.secret)
        self.lab.apply({"a/A": ["192.0.2.5"]})
        self.wait_data({("a", "A"): ["192.0.2.5"]})
        check_marks(self, {key: records for key, records in self.lab.zone().items()
                           if key != ("@", "NS")})

    def test_a_key_that_it_does_not_know(self):
        self.lab.add_zone(STRANGE, HEAD)
        self.lab.apply({"a/A": ["192.0.2.1"]}, zone=STRANGE)
        self.addCleanup(self.lab.apply, {}, zone=STRANGE)
        self.lab.wait_for(lambda: "BADKEY: check that the server has the key"
                          in self.lab.plan(zone=STRANGE)["reason"], 20, "it is told")
        self.assertEqual(self.lab.plan(zone=STRANGE)["state"], "FAILED")
        self.assertEqual(self.lab.data(STRANGE), {})


if __name__ == "__main__":
    unittest.main(verbosity=2)

"""When rounds are, what they cost, and what is left when one of them could not do it all."""

import json
import sys
import unittest
import uuid
from pathlib import Path

import kombu

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from hosts import Hosts                             # noqa: E402
from ownership_lab import HOST, ZONE                # noqa: E402
from test_ownership import Story, is_update         # noqa: E402

AXFR, SOA = 252, 6


def question_type(message):
    """Of a message whose question is the zone's name."""
    at = 12
    while message[at]:
        at += message[at] + 1
    return int.from_bytes(message[at + 1:at + 3], "big")


class Quiet(Story):
    """A zone that nobody changed, and of which nobody wants anything else."""

    options = {"settings": {"resync_period": 1, "min_records": 2, "max_delete_pct": 0}}

    def setUp(self):
        super().setUp()
        self.asked = []

        def note(message):
            if not is_update(message):
                self.asked.append(question_type(message))
            return message
        self.lab.relay.on_question = note

    def wait_rounds(self, number=3):
        """Of rounds that nobody asks for."""
        before = self.lab.plan()["rounds"]
        self.lab.wait_for(lambda: self.lab.plan()["rounds"] >= before + number, 20,
                          f"{number} more rounds")

    def is_only_asked(self):
        """From now on it is not read, but asked for its serial."""
        self.lab.wait_for(lambda: self.asked[-2:] == [SOA, SOA], 20, "the zone is quiet")
        self.asked.clear()
        self.wait_rounds()
        self.assertEqual(set(self.asked), {SOA})

    def test_costs_one_question(self):
        self.lab.apply({"www/A": ["192.0.2.1"], "x/A": ["192.0.2.1"]})
        self.wait_data({("www", "A"): ["192.0.2.1"], ("x", "A"): ["192.0.2.1"]})
        self.is_only_asked()
        self.assertEqual(self.lab.plan()["state"], "OK")
        self.assertEqual(self.lab.nsupdate(f"update delete www.{ZONE}. A"), "")
        self.wait_data({("www", "A"): ["192.0.2.1"], ("x", "A"): ["192.0.2.1"]})
        self.assertIn(AXFR, self.asked)
        self.is_only_asked()

    def test_what_is_held_stays_so(self):
        self.lab.apply({f"h{i}/A": ["192.0.2.1"] for i in range(3)})
        self.lab.wait_for(lambda: len(self.lab.marks()) == 3, 20, "all come")
        self.lab.planned()
        self.lab.apply({"h0/A": ["192.0.2.1"]})
        self.lab.wait_for(lambda: self.lab.plan()["state"] == "HELD", 20, "it is held")
        self.is_only_asked()
        plan = self.lab.plan()
        self.assertEqual((plan["state"], plan["plan"]["held"]), ("HELD", 2))
        self.lab.central.plan_approve(storage_id="us", zone=ZONE, digest=plan["plan"]["digest"])
        self.wait_data({("h0", "A"): ["192.0.2.1"]})


class Rests(Story):

    options = {"settings": {"resync_period": 3600, "min_records": 2, "max_delete_pct": 0},
               "zones": [{"zone": ZONE, "storage_id": "us"},
                         {"zone": "policy.test", "storage_id": "us"}]}

    def row(self, zone=ZONE):
        """(failures, milliseconds until it is due, and until it may be)"""
        row = self.lab.mariadb.sql(
            "SELECT failures, TIMESTAMPDIFF(MICROSECOND, NOW(3), due_at) DIV 1000, "
            "TIMESTAMPDIFF(MICROSECOND, NOW(3), not_before) DIV 1000 FROM registries "
            f"WHERE zone = '{zone}.' AND storage_id = 'us'")[0]
        return tuple(int(column) for column in row)

    def test_what_is_said_again_is_no_news(self):
        self.lab.apply({"www/A": ["192.0.2.1"]})
        self.wait_data({("www", "A"): ["192.0.2.1"]})
        self.lab.wait_for(lambda: self.row()[1] > 3000000, 20, "nothing is left to be done")
        rounds = self.lab.plan()["rounds"]
        for _ in range(5):
            self.assertEqual(self.lab.apply({"www/A": ["192.0.2.1"]})["changed"], 0)
        self.assertEqual(self.lab.plan()["rounds"], rounds)

    def test_what_is_refused_is_tried_less_and_less(self):
        self.lab.add_zone("policy.test", self.lab.text.replace("example.org", "policy.test"),
                          "deny us. subdomain bad.policy.test. ANY; grant us. zonesub ANY;")
        self.lab.wait_for(lambda: self.lab.planned(zone="policy.test")["state"] != "FAILED", 20,
                          "the registry finds its zone")
        self.lab.apply({"x.bad/A": ["192.0.2.1"]}, zone="policy.test")
        self.lab.wait_for(lambda: self.row("policy.test")[0] >= 3, 30, "three rounds in vain")
        self.lab.wait_for(lambda: self.row("policy.test")[1] > 1000, 30,
                          "the next round waits for more than a second")
        self.lab.apply({"x.bad/A": ["192.0.2.1"], "good/A": ["192.0.2.1"]}, zone="policy.test")
        self.lab.wait_for(lambda: ("good", "A") in self.lab.data("policy.test"), 10,
                          "and what is new does not wait for it")
        self.lab.apply({}, zone="policy.test")

    def test_a_primary_that_is_away_is_left_alone(self):
        """Whoever says something new meanwhile: but for one who waits for it."""
        self.lab.bind.stop()
        try:
            self.lab.apply({"www/A": ["192.0.2.1"]})
            self.lab.wait_for(lambda: self.row()[0] >= 3, 60, "three rounds in vain")
            failures = self.row()[0]
            for number in range(5):
                self.lab.apply({"www/A": [f"192.0.2.{number + 2}"]})
            self.assertEqual(self.lab.plan()["state"], "FAILED")
            self.assertLessEqual(self.row()[0], failures + 1)
            self.assertEqual(self.lab.planned()["state"], "FAILED")
        finally:
            self.lab.bind.launch()
            self.lab.bind.wait_ready()
        self.lab.planned()
        self.wait_data({("www", "A"): ["192.0.2.6"]})

    def test_a_primary_by_its_name(self):
        """The name gets other addresses while we run, and the first of these is dead, too."""
        worker, hosts = self.lab.workers[0], Hosts(self.lab.folder)
        settings = worker.settings["registries"]["default"]
        hosts.put("primary.test", "127.9.9.9")
        undo = hosts.seen_by(worker)

        def restart(host):
            worker.stop()
            worker.configure({"registries": {"default": settings | {"host": host}}})
            worker.launch()
            worker.wait_ready()

        def back():
            undo()
            restart(settings["host"])
        self.addCleanup(back)
        restart("primary.test")
        self.lab.apply({"www/A": ["192.0.2.1"]})
        self.lab.wait_for(lambda: self.row()[0] >= 1, 20, "a round in vain")
        self.assertIn("primary.test (127.9.9.9)", str(self.lab.plan()))
        hosts.put("primary.test", "::1", HOST)
        self.wait_data({("www", "A"): ["192.0.2.1"]}, 60)

    def test_an_approval_lasts_until_it_is_done(self):
        self.lab.apply({f"h{i}/A": ["192.0.2.1"] for i in range(3)})
        self.lab.wait_for(lambda: len(self.lab.marks()) == 3, 20, "all come")
        self.lab.planned()
        self.lab.apply({"h0/A": ["192.0.2.1"]})
        plan = self.lab.planned()
        self.assertEqual((plan["state"], plan["plan"]["held"]), ("HELD", 2))

        def break_off(message):
            if is_update(message):
                raise OSError("no update comes through")
            return message
        self.lab.relay.on_question = break_off
        self.lab.central.plan_approve(storage_id="us", zone=ZONE, digest=plan["plan"]["digest"])
        self.lab.wait_for(lambda: self.lab.plan()["state"] == "FAILED", 30, "it cannot be done")
        self.assertEqual(len(self.lab.marks()), 3)
        self.lab.relay.let_pass()
        self.lab.planned()
        self.wait_data({("h0", "A"): ["192.0.2.1"]})

    def test_a_loss_that_was_approved_is_over(self):
        """Then whoever has nothing is believed."""
        self.lab.apply({f"h{i}/A": ["192.0.2.1"] for i in range(12)})
        self.lab.wait_for(lambda: len(self.lab.marks()) == 12, 20, "all come")
        self.lab.planned()
        self.assertFalse(self.lab.apply({})["complete"])
        self.assertFalse(self.lab.apply({})["complete"])
        plan = self.lab.planned()
        self.lab.central.plan_approve(storage_id="us", zone=ZONE, digest=plan["plan"]["digest"])
        self.wait_data({})
        self.lab.planned()
        self.assertTrue(self.lab.apply({})["complete"])

    def test_one_that_the_server_cannot_do(self):
        """SERVFAIL, each time: BIND has a limit of records of a name and type."""
        many = [f"192.0.{i // 250}.{i % 250}" for i in range(150)]
        self.lab.apply({"many/A": many} | {f"w{i}/A": ["192.0.2.1"] for i in range(60)})
        self.lab.wait_for(lambda: len(self.lab.marks()) == 60, 60, "all others come")
        self.lab.wait_for(lambda: self.lab.plan()["state"] == "FAILED", 30, "it is told")
        self.assertIn("SERVFAIL", self.lab.plan()["reason"])
        self.assertNotIn(("many", "A"), self.lab.data())

    def test_too_many_endpoints(self):
        for number in range(3):
            self.lab.apply({f"h{i}/A": ["192.0.2.1"] for i in range(100)}, f"many/{number}",
                           storage_id="us", zone="few.test")
        with self.assertRaisesRegex(Exception, "max_endpoints"):
            self.lab.apply({"one/A": ["192.0.2.1"]}, "many/3", zone="few.test")
        self.lab.apply({"h1/A": ["192.0.2.2"]}, "many/0", zone="few.test")
        self.lab.apply({"one/A": ["192.0.2.1"]}, "many/3", zone="few.test")
        for number in range(4):
            self.lab.apply({}, f"many/{number}", zone="few.test")

    options["zones"].append({"zone": "few.test", "storage_id": "us", "max_endpoints": 300})


class Calls(Story):
    """A list that comes again, or late."""

    def message(self, targets, **arguments):
        return {"method": "apply_endpoints", "version": "1.0", "_unique_id": uuid.uuid4().hex,
                "_context_is_admin": True, "_context_project_id": "t",
                "args": {"storage_id": "us", "zone": ZONE, "resource": "test/1",
                         "complete": True, "endpoints": [
                             {"dnsname": f"www.{ZONE}.", "type": "A", "targets": targets}],
                         **arguments}}

    def call(self, message):
        reply = []
        with kombu.Connection(self.lab.rabbitmq.url.replace("rabbit:", "amqp:", 1)) as link:
            queue = kombu.Queue(f"reply_{uuid.uuid4().hex}", channel=link.default_channel,
                                exclusive=True, auto_delete=True)
            queue.declare()
            body = message | {"_msg_id": uuid.uuid4().hex, "_reply_q": queue.name}
            kombu.Producer(link).publish(
                json.dumps({"oslo.version": "2.0", "oslo.message": json.dumps(body)}),
                routing_key="ownership", exchange="zonefleet", content_type="application/json",
                content_encoding="utf-8")
            with kombu.Consumer(link, queues=[queue], no_ack=True, accept=["json"],
                                on_message=lambda delivery: reply.append(
                                    json.loads(delivery.payload["oslo.message"]))):
                while not any("result" in one for one in reply):
                    link.drain_events(timeout=20)
        return next(one["result"] for one in reply if "result" in one)

    def test_a_message_that_comes_again(self):
        first, second = self.message(["192.0.2.1"]), self.message(["192.0.2.2"])
        answer = self.call(first)
        self.assertEqual(answer["changed"], 1)
        self.assertEqual(self.call(second)["changed"], 1)
        self.assertEqual(self.call(first), answer)
        self.wait_data({("www", "A"): ["192.0.2.2"]})
        self.lab.planned()
        self.assertEqual(self.lab.data(), {("www", "A"): ["192.0.2.2"]})

    def apply_rev(self, rev, target):
        return self.lab.central.apply_endpoints(
            storage_id="us", zone=ZONE, resource="test/1", complete=True, rev=rev,
            endpoints=[{"dnsname": f"www.{ZONE}.", "type": "A", "targets": [target]}])

    def test_a_list_that_is_older(self):
        self.apply_rev(7, "192.0.2.7")
        with self.assertRaisesRegex(Exception, "must be at least 7, not .*: the last list has rev 7"):
            self.apply_rev(6, "192.0.2.6")
        self.apply_rev(7, "192.0.2.8")
        self.apply_rev(8, "192.0.2.9")
        self.wait_data({("www", "A"): ["192.0.2.9"]})


class Tables(Story):
    """Two who keep their marks in a table, and want the same."""

    options = {"settings": {"storage": "table", "max_delete_pct": 100, "max_update_pct": 100},
               "zones": [{"zone": ZONE, "storage_id": "us"},
                         {"zone": ZONE, "storage_id": "others"},
                         {"zone": "policy.test", "storage_id": "us"}]}

    def clear(self):
        self.lab.apply({}, storage_id="others")
        self.lab.planned("others")
        super().clear()

    def test_what_was_refused_is_not_ours(self):
        """Whoever makes it by hand afterwards keeps it."""
        self.lab.add_zone("policy.test", self.lab.text.replace("example.org", "policy.test"),
                          "deny us. name bad.policy.test. ANY; grant us. zonesub ANY; "
                          "grant them. zonesub ANY;")
        self.lab.apply({"bad/A": ["192.0.2.1"]}, zone="policy.test")
        self.lab.wait_for(lambda: "REFUSED" in self.lab.plan(zone="policy.test")["reason"], 20,
                          "it is refused")
        self.assertEqual(self.lab.mariadb.sql("SELECT name FROM ownership"), [])
        self.assertEqual(self.lab.nsupdate("update add bad.policy.test. 300 A 192.0.2.1",
                                           zone="policy.test"), "")
        plan = self.lab.planned(zone="policy.test")["plan"]
        self.assertEqual(plan["reasons"], {"UNMANAGED_EQUAL": 1})
        self.lab.apply({}, zone="policy.test")
        self.lab.planned(zone="policy.test")
        self.assertEqual(self.lab.data("policy.test"), {("bad", "A"): ["192.0.2.1"]})

    def owners(self):
        return self.lab.mariadb.sql(
            "SELECT r.storage_id, o.intended IS NULL FROM ownership o JOIN registries r "
            "ON r.id = o.registry_id WHERE r.zone = 'example.org.'")

    def test_two_want_the_same(self):
        for _ in range(5):
            self.lab.apply({"www/A": ["192.0.2.1"]})
            self.lab.apply({"www/A": ["192.0.2.1"]}, storage_id="others")
            self.wait_data({("www", "A"): ["192.0.2.1"]})
            self.lab.planned()
            self.lab.planned("others")
            self.assertEqual(len(self.owners()), 1)
            owner, other = self.owners()[0][0], {"us": "others", "others": "us"}
            self.lab.apply({}, storage_id=other[owner])
            self.lab.planned(other[owner])
            self.assertEqual(self.lab.data(), {("www", "A"): ["192.0.2.1"]})
            self.lab.apply({}, storage_id=owner)
            self.wait_data({})
            self.lab.planned(owner)
            self.lab.wait_for(lambda: not self.owners(), 20, "the marks are removed")


if __name__ == "__main__":
    unittest.main()

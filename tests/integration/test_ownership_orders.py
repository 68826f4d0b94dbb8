"""Orders: a set is always somebody's, and wanted by somebody, whatever happens meanwhile."""

import sys
import threading
import unittest
import uuid
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import test_ownership                               # noqa: E402
from ownership_lab import ZONE                      # noqa: E402
from frames_relay import Cut                        # noqa: E402
from test_ownership import Story, is_update, mark   # noqa: E402


def is_answer_to_update(message):
    return message[2] >> 3 & 15 == 5


class Ordering(Story):

    def give(self, method, storage_id="us", **arguments):
        """An order that is not waited for."""
        return getattr(self.lab.central, method)(storage_id=storage_id, zone=ZONE,
                                                 **arguments)["order"]

    def told(self, order, storage_id="us"):
        """What came of it; None while it is open."""
        answer = self.lab.central.get_order(storage_id=storage_id, zone=ZONE,
                                            order=str(uuid.UUID(order)))
        self.assertEqual(answer["order"], order)
        return answer["result"] if answer["state"] == "DONE" else None

    def wait_told(self, order, storage_id="us"):
        return self.lab.wait_for(lambda: self.told(order, storage_id), 30, "the order is done")

    def sql(self, text):
        return self.lab.mariadb.sql(text)

    def wished(self, storage_id):
        """{"www"} of the endpoints of a registry, by their rows."""
        return {row[0].removesuffix(f".{ZONE}.") for row in self.sql(
            "SELECT e.name FROM endpoints e JOIN registries r ON r.id = e.registry_id "
            f"WHERE r.storage_id = '{storage_id}'")}

    def sources(self, storage_id):
        """{resource: (endpoints, is complete)}"""
        return {row[0]: (int(row[1]), row[2] == "1") for row in self.sql(
            "SELECT resource, endpoints, is_complete FROM endpoint_sources s "
            f"JOIN registries r ON r.id = s.registry_id WHERE storage_id = '{storage_id}'")}

    def have(self, *names, storage_id="us"):
        self.lab.apply({f"{name}/A": ["192.0.2.1"] for name in names}, storage_id=storage_id)
        self.lab.wait_for(lambda: {(name, "A") for name in names} <= self.lab.data().keys(), 20,
                          f"{names} come")
        self.lab.planned(storage_id)

    def clear(self):
        self.lab.relay.let_pass()
        super().clear()

    def at_first_update(self, do):
        """DO it when the first update is on its way."""
        met = threading.Event()

        def meet(message):
            if is_update(message) and not met.is_set():
                met.set()
                do()
            return message
        self.lab.relay.on_question = meet
        return met


class Marks(Ordering):
    """In the zone."""

    options = {"zones": [{"zone": ZONE, "storage_id": "us"}, {"zone": ZONE, "storage_id": "them"}],
               "settings": {"max_delete_pct": 100, "max_update_pct": 100, "resync_period": 3}}

    clear_them = test_ownership.Orders.clear_them

    def setUp(self):
        super().setUp()
        self.addCleanup(self.clear_them)

    # ---- several at once ----

    def test_an_order_behind_another_is_not_lost(self):
        self.have("www", "x")
        self.lab.bind.pause()
        self.addCleanup(self.lab.bind.resume)
        release = self.give("ownership_release", selector={"name": f"www.{ZONE}."})
        adopt = self.give("ownership_adopt_wanted", selector={"name": f"www.{ZONE}."})
        self.lab.bind.resume()
        self.assertEqual(self.wait_told(release)["done"], 1)
        self.assertEqual(self.wait_told(adopt)["done"], 1)
        self.assertEqual(self.lab.marks()["_own-a.www"], [mark()])

    def test_an_order_that_a_set_does_not_fit_hides_none(self):
        self.add_as_them(f"www.{ZONE}. 300 A 192.0.2.1")
        self.lab.apply({"www/A": ["192.0.2.1"]})
        self.lab.planned()
        self.lab.bind.pause()
        self.addCleanup(self.lab.bind.resume)
        release = self.give("ownership_release", selector={})
        adopt = self.give("ownership_adopt_wanted", selector={})
        self.lab.bind.resume()
        self.assertEqual(self.wait_told(release)["done"], 0)
        self.assertEqual(self.wait_told(adopt)["done"], 1)

    # ---- what nobody heard of ----

    def is_transferred(self, order):
        result = self.wait_told(order)
        self.assertEqual((result["matched"], result["done"], result["names"]),
                         (1, 1, [f"www.{ZONE}. A"]))
        self.lab.hears("dns.owner.transferred", storage_id="us", to="them", sets=1)
        self.assertEqual((self.wished("us"), self.wished("them")), (set(), {"www"}))
        self.assertEqual(self.lab.marks(), {"_own-a.www": [mark("them")]})

    def test_a_worker_that_died_after_it_was_given(self):
        self.lab.listen()
        self.have("www")
        killed = threading.Event()

        def kill(message):
            if is_answer_to_update(message) and not killed.is_set():
                self.lab.workers[0].kill9()
                killed.set()
            return message
        self.lab.relay.on_answer = kill
        order = self.give("ownership_transfer", to="them", selector={})
        self.assertTrue(killed.wait(20))
        self.lab.relay.let_pass()
        self.lab.workers[0].launch()
        self.lab.workers[0].wait_ready()
        self.is_transferred(order)

    def test_an_answer_that_was_lost(self):
        self.lab.listen()
        self.have("www")
        lost = threading.Event()

        def lose(message):
            if is_answer_to_update(message) and not lost.is_set():
                lost.set()
                raise Cut
            return message
        self.lab.relay.on_answer = lose
        order = self.give("ownership_transfer", to="them", selector={})
        self.assertTrue(lost.wait(20))
        self.is_transferred(order)

    # ---- what is wanted meanwhile ----

    def test_what_is_wanted_meanwhile_goes_along(self):
        self.have("www", "x")
        met = self.at_first_update(lambda: self.lab.apply({"www/A": ["192.0.2.2"]}))
        order = self.give("ownership_transfer", to="them", selector={})
        self.assertTrue(met.wait(20))
        self.assertEqual(self.wait_told(order)["done"], 2)
        self.assertEqual((self.wished("us"), self.wished("them")), (set(), {"www"}))
        self.wait_data({("www", "A"): ["192.0.2.2"]})

    def test_what_is_refused_leaves_no_wishes(self):
        self.have("www")
        met = self.at_first_update(lambda: self.assertEqual(self.lab.nsupdate(
            f"update delete _own-a.www.{ZONE}. TXT"), ""))
        order = self.give("ownership_transfer", to="them", selector={})
        self.assertTrue(met.wait(20))
        self.assertEqual(self.wait_told(order)["refused"], {"changed": 1})
        self.assertEqual((self.wished("us"), self.wished("them")), ({"www"}, set()))
        self.assertNotIn("test/1", {resource for resource, (count, _) in
                                    self.sources("them").items() if count})
        self.assertEqual(self.sql("SELECT * FROM ownership_order_items"), [])

    def test_who_asks_for_the_same_meanwhile_keeps_it(self):
        """The copy is theirs as soon as a producer of theirs asks for it, whatever comes of it."""
        self.have("www")

        def ask_and_spoil():
            self.lab.apply({"www/A": ["192.0.2.1"]}, storage_id="them")
            self.assertEqual(self.lab.nsupdate(f"update delete _own-a.www.{ZONE}. TXT"), "")
        met = self.at_first_update(ask_and_spoil)
        order = self.give("ownership_transfer", to="them", selector={})
        self.assertTrue(met.wait(20))
        self.assertEqual(self.wait_told(order)["done"], 0)
        self.assertEqual(self.wished("them"), {"www"})

    def test_sources_are_copied_as_unheard_of(self):
        """Who lost its memory is not believed by the receiver, either."""
        self.lab.apply({f"h{i}/A": ["192.0.2.1"] for i in range(12)}, "fresh/1")
        self.lab.wait_for(lambda: len(self.lab.data()) == 12, 20, "all come")
        self.lab.planned()
        self.assertEqual(self.lab.order("ownership_transfer", to="them", selector={})["done"], 12)
        self.assertEqual(self.sources("us")["fresh/1"], (0, True))
        self.assertEqual(self.sources("them")["fresh/1"], (12, False))
        self.assertFalse(self.lab.apply({}, "fresh/1", storage_id="them")["complete"])
        self.lab.planned("them")
        self.assertEqual(len(self.lab.data()), 12)

    # ---- how many ----

    def test_a_hundred_may_be_open(self):
        self.have("www")
        self.lab.bind.pause()
        self.addCleanup(self.lab.bind.resume)
        orders = [self.give("ownership_release", selector={"name": f"h{i}.{ZONE}."})
                  for i in range(100)]
        with self.assertRaisesRegex(Exception, "100 orders .* are open"):
            self.give("ownership_release", selector={})
        self.lab.bind.resume()
        for order in orders:
            self.assertEqual(self.wait_told(order)["matched"], 0)

    def test_those_of_yesterday_are_forgotten(self):
        old = self.give("ownership_release", selector={})
        self.wait_told(old)
        self.sql(f"UPDATE ownership_orders SET done_at = NOW(3) - INTERVAL 25 HOUR "
                 f"WHERE id = '{old}'")
        self.wait_told(self.give("ownership_release", selector={}))
        with self.assertRaisesRegex(Exception, "no order"):
            self.told(old)

    def test_a_receiver_whose_row_is_gone(self):
        self.have("www")
        self.lab.bind.pause()
        self.addCleanup(self.lab.bind.resume)
        order = self.give("ownership_transfer", to="them", selector={})
        self.sql(f"UPDATE ownership_orders SET to_id = REPEAT('0', 32) WHERE id = '{order}'")
        self.lab.bind.resume()
        self.assertEqual(self.wait_told(order)["refused"], {"NO_RECEIVER": 1})
        self.assertEqual(self.lab.marks(), {"_own-a.www": [mark()]})


class Rows(Ordering):
    """In a table."""

    options = {"zones": [{"zone": ZONE, "storage_id": "us"}, {"zone": ZONE, "storage_id": "them"},
                         {"zone": ZONE, "storage_id": "dry", "dry_run": True}],
               "settings": {"storage": "table", "max_delete_pct": 100, "max_update_pct": 100}}

    clear_them = test_ownership.Orders.clear_them

    def setUp(self):
        super().setUp()
        self.addCleanup(self.clear_them)

    def id_of(self, storage_id):
        return self.sql(f"SELECT id FROM registries WHERE storage_id = '{storage_id}'")[0][0]

    def owners(self):
        """{("www", "us")} of the rows that are marks."""
        return {(row[0].removesuffix(f".{ZONE}."), row[1]) for row in self.sql(
            "SELECT o.name, r.storage_id FROM ownership o JOIN registries r "
            "ON r.id = o.registry_id WHERE o.records IS NOT NULL")}

    def test_a_round_that_does_nothing_ends_no_order(self):
        self.add_as_them(f"www.{ZONE}. 300 A 192.0.2.1")
        self.lab.apply({"www/A": ["192.0.2.1"]}, storage_id="dry")
        self.addCleanup(self.lab.apply, {}, storage_id="dry")
        self.addCleanup(self.sql, "DELETE FROM ownership")
        self.addCleanup(self.sql, "DELETE FROM ownership_orders WHERE state = 'OPEN'")
        self.sql("INSERT INTO ownership (registry_id, name, type, resource, ttl, records, "
                 "updated_at) SELECT registry_id, name, type, resource, 300, records, NOW(3) "
                 f"FROM endpoints WHERE registry_id = '{self.id_of('dry')}'")
        orders = [self.give("ownership_transfer", "dry", to="them", selector={}),
                  self.give("ownership_release", "dry", selector={})]
        for _ in range(2):
            self.lab.planned("dry")
        self.assertEqual([self.told(order, "dry") for order in orders], [None, None])
        self.assertEqual((self.wished("dry"), self.wished("them")), ({"www"}, set()))
        self.assertEqual(self.owners(), {("www", "dry")})

    def test_transfer(self):
        self.lab.listen()
        self.have("www", "x")
        before = self.lab.zone()
        result = self.lab.order("ownership_transfer", to="them",
                                selector={"name": f"www.{ZONE}."})
        self.assertEqual((result["matched"], result["done"]), (1, 1))
        self.lab.hears("dns.owner.transferred", storage_id="us", to="them", sets=1)
        self.assertEqual(self.owners(), {("www", "them"), ("x", "us")})
        self.assertEqual((self.wished("us"), self.wished("them")), ({"x"}, {"www"}))
        for storage_id in "us", "them", "us":
            self.lab.planned(storage_id)
        self.assertEqual(self.lab.zone(), before)

    def test_what_the_receiver_only_intended_gives_way(self):
        """A row that is left of a creation that was refused."""
        self.have("www")
        self.sql("INSERT INTO ownership (registry_id, name, type, resource, ttl, intended, "
                 f"updated_at) SELECT '{self.id_of('them')}', name, type, resource, ttl, "
                 f"X'0004C0000209', NOW(3) FROM ownership")
        before = self.lab.zone()
        result = self.lab.order("ownership_transfer", to="them", selector={})
        self.assertEqual((result["matched"], result["done"]), (1, 1))
        for storage_id in "us", "them":
            self.lab.planned(storage_id)
        self.assertEqual(self.lab.zone(), before)
        self.assertEqual(self.owners(), {("www", "them")})
        self.assertEqual((self.wished("us"), self.wished("them")), (set(), {"www"}))

    def test_what_another_lets_go_of_is_free(self):
        """Also when we looked at the zone after its record went, and before its row did."""
        self.have("www", storage_id="them")
        self.lab.apply({"www/A": ["192.0.2.7"]})
        # marks of another test's records may still be due
        self.assertEqual(self.lab.reasons(self.lab.planned())["www A"], "none FOREIGN")
        self.lab.apply({}, storage_id="them")
        self.wait_data({})
        self.lab.planned()
        self.wait_data({("www", "A"): ["192.0.2.7"]})
        self.lab.wait_for(lambda: self.owners() == {("www", "us")}, 20, "it is ours")

    def test_rows_of_nobody_hold_nothing(self):
        """Those of a storage_id that is in no settings any more."""
        self.add_as_them(f"www.{ZONE}. 300 A 192.0.2.1")
        self.lab.apply({"www/A": ["192.0.2.1"]})
        gone = "f" * 32
        self.addCleanup(self.sql, f"DELETE FROM ownership WHERE registry_id = '{gone}'; "
                        f"DELETE FROM registries WHERE id = '{gone}'")
        self.sql("INSERT INTO registries (id, storage_id, zone, due_at) "
                 f"VALUES ('{gone}', 'gone', '{ZONE}.', NOW(3)); "
                 "INSERT INTO ownership (registry_id, name, type, resource, ttl, records, "
                 f"updated_at) SELECT '{gone}', name, type, resource, 300, records, NOW(3) "
                 f"FROM endpoints WHERE registry_id = '{self.id_of('us')}'")
        self.assertEqual(self.lab.reasons(self.lab.planned())["www A"], "none UNMANAGED_EQUAL")


class Receivers(Ordering):
    """Only who reads the marks can get them."""

    key = "0123456789abcdef0123456789abcdef"
    differing = {"txt_form": {"txt_form": "same"}, "txt_prefix": {"txt_prefix": "txt-"},
                 "txt_suffix": {"txt_prefix": "", "txt_suffix": "-own-%{record_type}"},
                 "txt_wildcard": {"txt_wildcard": "_any"},
                 "txt_encrypt_key": {"txt_encrypt_key": key}, "primary": {"port": 9},
                 "provider": {"provider": "managed"}, "differ in: storage": {"storage": "table"}}
    options = {"zones": [{"zone": ZONE, "storage_id": "us"},
                         {"zone": ZONE, "storage_id": "moved", "txt_prefix": "txt-",
                          "former_form": "typed", "former_prefix": "_own-%{record_type}."},
                         {"zone": ZONE, "storage_id": "forgets", "storage": "memory"}]
               + [{"zone": ZONE, "storage_id": f"r{i}"} | settings
                  for i, settings in enumerate(differing.values())]}

    def test_who_cannot_read_them(self):
        for i, words in enumerate(self.differing):
            with self.subTest(words), self.assertRaisesRegex(Exception, words):
                self.give("ownership_transfer", to=f"r{i}", selector={})

    def test_who_read_them_once(self):
        self.have("www")
        self.assertEqual(self.lab.order("ownership_transfer", to="moved", selector={})["done"], 1)
        self.lab.wait_for(lambda: ("txt-a-www", "TXT") in self.lab.zone(), 20, "its mark moves")
        self.assertEqual(self.lab.data()["www", "A"], ["192.0.2.1"])
        self.lab.apply({}, storage_id="moved")
        self.lab.wait_for(lambda: ("www", "A") not in self.lab.data(), 20, "it is theirs")

    def test_what_is_in_memory_is_not_ordered(self):
        with self.assertRaisesRegex(Exception, "does not accept orders"):
            self.give("ownership_release", "forgets", selector={})


if __name__ == "__main__":
    unittest.main()

"""Orders: who can get what is ours."""

import sys
import threading
import unittest
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
        answer = self.lab.central.get_order(storage_id=storage_id, zone=ZONE, order=order)
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
        self.assertEqual(self.lab.reasons(self.lab.planned()), {"www A": "none UNMANAGED_EQUAL"})


class Receivers(Ordering):
    """Only who reads the marks can get them."""

    key = "0123456789abcdef0123456789abcdef"
    differing = {"txt_form": {"txt_form": "same"}, "txt_prefix": {"txt_prefix": "txt-"},
                 "txt_suffix": {"txt_prefix": "", "txt_suffix": "-own-%{record_type}"},
                 "txt_wildcard": {"txt_wildcard": "_any"},
                 "txt_encrypt_key": {"txt_encrypt_key": key}, "another server": {"port": 9},
                 "another provider": {"provider": "managed"}, "another storage":
                 {"storage": "table"}}
    options = {"zones": [{"zone": ZONE, "storage_id": "us"},
                         {"zone": ZONE, "storage_id": "moved", "txt_prefix": "txt-",
                          "former_form": "typed", "former_prefix": "_own-%{record_type}."},
                         {"zone": ZONE, "storage_id": "forgets", "storage": "memory"}]
               + [{"zone": ZONE, "storage_id": f"r{i}"} | settings
                  for i, settings in enumerate(differing.values())]}

    def test_who_cannot_read_them(self):
        for i, words in enumerate(self.differing):
            if words == "txt_suffix":       # its prefix is another, too, and told first
                words = "txt_prefix"
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
        with self.assertRaisesRegex(Exception, "memory of one process"):
            self.give("ownership_release", "forgets", selector={})


if __name__ == "__main__":
    unittest.main()

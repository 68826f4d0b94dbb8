"""The records of a zone with their owners, as seed 001's document has them; and back (A001-9)."""

import json
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from ownership_lab import ZONE, Lab                 # noqa: E402
from test_ownership import LONG, Story, mark        # noqa: E402

NS = {"dnsname": ZONE, "owner": "", "target": "ns.example.net", "type": "NS"}


def entry(owner_and_type, target, owner=""):
    name, rtype = owner_and_type.split("/")
    return {"dnsname": f"{name}.{ZONE}", "owner": owner, "target": target, "type": rtype}


class Document(Story):

    options = {"zones": [
        {"zone": ZONE, "storage_id": "us", "storage": "table", "max_delete_pct": 100,
         "former_form": "typed", "former_prefix": "_own-%{record_type}."},
        {"zone": ZONE, "storage_id": "others"}]}

    def clear(self):
        self.lab.apply({}, storage_id="others")
        self.lab.planned("others")
        super().clear()

    def pages(self, storage_id="us", **arguments):
        """All records but the SOA's, page by page."""
        marker, entries = None, []
        while True:
            page = self.lab.central.storage_records(storage_id=storage_id, zone=ZONE,
                                                    marker=marker, **arguments)
            entries += page["records"]
            marker = page["marker"]
            if not marker:
                return [entry for entry in entries if entry["type"] != "SOA"]

    def wait_records(self, *wanted):
        """The apex's NS and these, and just these keys."""
        wanted = sorted([NS, *wanted], key=str)
        self.lab.wait_for(lambda: sorted(self.pages(), key=str) == wanted, 20,
                          f"the document has {wanted}")

    def rows(self):
        return self.lab.mariadb.sql("SELECT COUNT(*) FROM ownership o JOIN registries r "
                                    "ON r.id = o.registry_id WHERE r.storage_id = 'us'")[0][0]

    def us_and_others(self):
        """foo is ours, bar another's, and unmanaged nobody's."""
        self.add_as_them(f"unmanaged.{ZONE}. 300 CNAME loadbalancer2.com.")
        self.lab.apply({"foo/CNAME": ["loadbalancer1.com."]})
        self.lab.apply({"bar/A": ["192.0.2.1", "192.0.2.2"]}, storage_id="others")
        self.wait_records(entry("foo/CNAME", "loadbalancer1.com", "us"),
                          entry("bar/A", "192.0.2.1", "others"),
                          entry("bar/A", "192.0.2.2", "others"),
                          entry("unmanaged/CNAME", "loadbalancer2.com"))

    def still_ours(self):
        """They are ours in deed: they go when nobody wants them."""
        serial = self.lab.serial()
        self.lab.planned()
        self.assertEqual(self.lab.serial(), serial)
        self.lab.apply({})
        self.lab.wait_for(lambda: ("foo", "CNAME") not in self.lab.zone(), 20, "foo goes")

    def test_what_the_seed_shows(self):
        self.us_and_others()
        self.assertEqual(self.pages(limit=1), self.pages())
        self.lab.apply({"foo/CNAME": ["loadbalancer3.com."]})
        self.wait_records(entry("foo/CNAME", "loadbalancer3.com", "us"),
                          entry("bar/A", "192.0.2.1", "others"),
                          entry("bar/A", "192.0.2.2", "others"),
                          entry("unmanaged/CNAME", "loadbalancer2.com"))

    def test_rows_that_are_lost_come_back(self):
        self.us_and_others()
        self.lab.planned()
        self.lab.mariadb.sql("DELETE FROM ownership")
        self.lab.planned()
        self.lab.wait_for(lambda: self.rows() == "1", 20, "the row is there again")
        self.still_ours()

    def test_what_changed_meanwhile_is_not_ours(self):
        self.us_and_others()
        self.lab.planned()
        self.lab.workers[0].stop()
        self.lab.mariadb.sql("DELETE FROM ownership")
        self.assertEqual(self.lab.nsupdate(f"update delete foo.{ZONE}. CNAME\n"
                                           f"update add foo.{ZONE}. 300 CNAME theirs.com."), "")
        self.lab.workers[0].launch()
        self.lab.workers[0].wait_ready()
        self.assertEqual(self.lab.reasons(self.lab.planned()), {"foo CNAME": "none UNMANAGED"})
        self.lab.apply({})
        self.lab.planned()
        self.assertEqual(self.lab.data()["foo", "CNAME"], ["theirs.com."])

    def test_what_was_released_stays_so(self):
        self.us_and_others()
        self.lab.planned()
        self.assertEqual(self.lab.order("ownership_release", selector={})["done"], 1)
        self.lab.planned()
        self.lab.planned()
        self.assertEqual(self.rows(), "0")
        self.assertEqual(self.lab.reasons(), {"foo CNAME": "none UNMANAGED_EQUAL"})

    def forget_all(self):
        """While the worker is away: a round that runs would write again what it knows."""
        self.lab.workers[0].stop()
        self.lab.mariadb.sql("DELETE FROM ownership")
        self.lab.mariadb.sql("DELETE FROM ownership_records")
        self.lab.mariadb.sql("UPDATE registries SET made = 0")
        self.lab.workers[0].launch()
        self.lab.workers[0].wait_ready()

    def test_a_database_that_is_new(self):
        """What was exported says whose it is, if the zone still has it; and nothing else does."""
        self.us_and_others()
        exported = self.pages()
        self.forget_all()
        self.assertEqual(self.lab.reasons(self.lab.planned()),
                         {"foo CNAME": "none UNMANAGED_EQUAL"})
        strangers = [entry("gone/A", "192.0.2.9", "us"), entry("foo/A", "loadbalancer1.com", "us"),
                     {"dnsname": "foo.org", "owner": "us", "target": "192.0.2.1", "type": "A"}]
        self.assertEqual(
            self.lab.central.storage_import(storage_id="us", zone=ZONE,
                                            records=exported + strangers),
            {"claimed": 2, "others": 2, "unmanaged": 2, "outside": 1, "unreadable": 1})
        self.lab.wait_for(lambda: not self.lab.reasons(self.lab.planned()), 20, "foo is ours")
        self.still_ours()
        self.assertEqual(self.lab.data()["unmanaged", "CNAME"], ["loadbalancer2.com."])
        self.assertEqual(self.lab.data()["bar", "A"], ["192.0.2.1", "192.0.2.2"])

    def test_what_is_just_as_wanted_is_adopted_by_order(self):
        self.us_and_others()
        self.lab.apply({"foo/CNAME": ["loadbalancer1.com."], "bar/A": ["192.0.2.1", "192.0.2.2"],
                        "unmanaged/CNAME": ["others.com."]})
        self.forget_all()
        self.lab.planned()
        result = self.lab.order("ownership_adopt_wanted", selector={})
        self.assertEqual((result["matched"], result["done"], result["refused"]),
                         (3, 1, {"FOREIGN": 1, "UNMANAGED": 1}))
        self.wait_records(entry("foo/CNAME", "loadbalancer1.com", "us"),
                          entry("bar/A", "192.0.2.1", "others"),
                          entry("bar/A", "192.0.2.2", "others"),
                          entry("unmanaged/CNAME", "loadbalancer2.com"))

    def test_marks_from_before_the_table(self):
        """Who kept marks in the zone, and moves to the table, has it made from them."""
        self.add_as_them(f"foo.{ZONE}. 300 A 192.0.2.1\n"
                         f"_own-a.foo.{ZONE}. 300 TXT {mark()}")
        self.lab.apply({"foo/A": ["192.0.2.1"]})
        self.lab.wait_for(lambda: self.rows() == "1", 20, "it is known in the table")
        self.wait_records(entry("foo/A", "192.0.2.1", "us"))

    def test_a_mark_that_says_too_much(self):
        """In our name, of a resource that is none: the record is kept, without it."""
        self.add_as_them(f"foo.{ZONE}. 300 A 192.0.2.1\n_own-a.foo.{ZONE}. 300 TXT "
                         "\"heritage=external-dns,external-dns/owner=us,\" "
                         f"\"external-dns/resource=\" \"{'x' * 240}\" \"\\255\"")
        self.lab.planned()
        self.wait_records(entry("foo/A", "192.0.2.1", "us"))

    def test_only_a_table_is_imported(self):
        with self.assertRaisesRegex(Exception, "only the storage 'table' accepts an import"):
            self.lab.central.storage_import(storage_id="others", zone=ZONE, records=[])

    def test_requests_that_are_wrong(self):
        for wrong in ({"marker": "x"}, {"marker": "x y"}, {"marker": 1}, {"limit": 0},
                      {"limit": 1001}, {"limit": -1}):
            with self.subTest(wrong), self.assertRaisesRegex(Exception, "marker|limit"):
                self.lab.central.storage_records(storage_id="us", zone=ZONE, **wrong)
        whole = entry("foo/A", "192.0.2.1", "us")
        for wrong in ([1], [{}], [whole | {"ttl": 1}], [whole | {"owner": 1}],
                      [whole | {"target": None}], [[whole]], {"0": whole}):
            with self.subTest(wrong), self.assertRaisesRegex(Exception, "records"):
                self.lab.central.storage_import(storage_id="us", zone=ZONE, records=wrong)


class Large(unittest.TestCase):

    def test_all_in_pages(self):
        """A001-9: each page costs what is on it; a change writes what changed."""
        count = 100000 if LONG else 10000
        text = "".join(f"h{i} A 192.0.2.1\n" for i in range(count))
        with Lab(zones=[{"zone": ZONE, "storage_id": "us", "storage": "table"}],
                 text=text) as lab:
            lab.planned(seconds=120)
            records = self.all_pages(lab)
            self.assertEqual(len(records), count + 2)
            document = json.loads(json.dumps(records))
            self.assertEqual({key for record in document for key in record},
                             {"dnsname", "owner", "target", "type"})
            self.assertEqual(len({str(record) for record in document}), count + 2)
            before = self.written(lab)
            self.assertEqual(lab.nsupdate(f"update add h1.{ZONE}. 300 A 192.0.2.2"), "")
            lab.planned(seconds=60)
            self.assertEqual(len(self.all_pages(lab)), count + 3)
            self.assertLess(self.written(lab) - before, 100)

    def all_pages(self, lab):
        marker, records = None, []
        while True:
            page = lab.central.storage_records(storage_id="us", zone=ZONE, marker=marker)
            self.assertEqual(page["serial"], lab.serial())
            records += page["records"]
            marker = page["marker"]
            if not marker:
                return records

    def written(self, lab):
        rows = lab.mariadb.sql("SELECT SUM(variable_value) FROM information_schema.global_status "
                               "WHERE variable_name IN ('HANDLER_WRITE', 'HANDLER_UPDATE')")
        return int(float(rows[0][0]))


if __name__ == "__main__":
    unittest.main()

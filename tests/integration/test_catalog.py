"""Catalog zones (RFC 9432): name servers that provision themselves from their pool's."""

import os
import re
import shutil
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from audit import Audit                                                 # noqa: E402
from hostile_names import domain_of, hostile_names                      # noqa: E402
from oslo_messaging import RemoteError                                 # noqa: E402
from story import NS, Caller, import_zone, merged, put, start_fleet     # noqa: E402
from holding import holding                                             # noqa: E402
from lab.dns import axfr                                                # noqa: E402

CATALOG = "catalog.invalid."
SECONDS = 30            # until a server that is up, or returns, has what it lists
DOWN_SECONDS = 30
SOON_SECONDS = 2        # PowerDNS looks once a second
MANY = int(os.environ.get("ZONEFLEET_MEMBERS", 300))
MANY_SECONDS = 120 + MANY // 20
# a server that takes thousands of zones up may well be silent for a second
SETTINGS = {"poolmgr": {"poll_timeout": 10}} if MANY > 1000 else {}
# of the catalog while MANY come: there is one server; the slower they come, the more there are
TRANSFERS_MAX = 30 + MANY // 200
REFUSALS = {"TypeError", "Invalid", "Forbidden", "Duplicate"}
TRANSFER = re.compile(rf"transfer ended: domain={re.escape(CATALOG)} ")


class CatalogStory(unittest.TestCase):
    """One fleet for a class; each test has its own domains, and ends with all of them settled."""

    name_servers = ()
    by_catalog = ()
    settings = SETTINGS

    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="zfcatalog"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.fleet = cls.enterClassContext(start_fleet(
            cls.folder / "fleet", settings=cls.settings, name_servers=cls.name_servers,
            servers={name: {"catalog": CATALOG} for name in cls.by_catalog}))
        cls.audit = Audit(cls.fleet.mariadb)
        cls.caller = Caller(cls.fleet.rabbitmq.url)
        cls.addClassCleanup(cls.caller.close)
        cls.old = cls.caller.create_domain(domain={"name": "older.example."})
        pool = cls.fleet.cli("pool", "set", "default", "--catalog", CATALOG, "--admin")
        assert pool["catalog_zone"] == CATALOG, pool
        cls.caller.settled(CATALOG, seconds=SECONDS)

    def setUp(self):
        self.mark = self.audit.mark()

    def tearDown(self):
        self.fleet.wait_quiet()
        self.assertEqual(self.audit.faults(self.mark, len(self.by_catalog)), [])

    # What is done

    def create(self, name, wait=True):
        domain = self.caller.create_domain(domain={"name": name})
        if wait:
            self.caller.settled(domain["id"], seconds=SECONDS)
        return domain

    def delete(self, domain, wait=True):
        self.caller.delete_domain(domain=domain["id"])
        if wait:
            self.fleet.wait_state(domain["id"], "NONE DELETED", SECONDS)

    def change(self, domain, *changes):
        done = self.caller.apply_changes(domain=domain["id"], changes=list(changes))
        self.caller.settled(domain["id"], serial=done["serial"], seconds=SECONDS)

    # What is seen

    def members(self):
        """{label: member} of the catalog, by AXFR from mini-DNS."""
        records = [record.split() for record
                   in axfr("127.0.0.1", self.fleet.minidns_ports[0], CATALOG)]
        end = f".zones.{CATALOG}"
        return {owner.removesuffix(end): target for owner, _, _, rtype, target, *_ in records
                if rtype == "PTR" and owner.endswith(end)}

    def living(self):
        return dict(self.fleet.mariadb.sql(
            "SELECT id, name FROM domains WHERE kind = 'PRIMARY' AND live = 1 "
            "AND task <> 'DELETE'"))

    def active(self, pattern):
        return int(self.fleet.mariadb.sql("SELECT COUNT(*) FROM domains WHERE status = 'ACTIVE' "
                                          f"AND name LIKE '{pattern}'")[0][0])

    def errors(self):
        """Members that were in error since the test began."""
        return self.fleet.mariadb.sql(
            "SELECT DISTINCT name, reason FROM audit a JOIN domains d ON d.id = a.id "
            "WHERE a.kind = 'domain' AND d.kind = 'PRIMARY' AND new_pair LIKE '%ERROR' "
            f"AND seq > {self.mark}")

    def transfers(self):
        """Of the catalog, from any mini-DNS to anyone."""
        return sum(len(TRANSFER.findall(worker.log.read_text()))
                   for worker in self.fleet.workers if worker.kind == "minidns")

    def assert_served(self, name, owner, address):
        for server in self.fleet.name_servers:
            status, records = server.query(owner, "A")
            self.assertEqual((status, [record.split()[4] for record in records]),
                             ("NOERROR", [address]), server.name)

    def assert_absent(self, name):
        for server in self.fleet.name_servers:
            self.assertNotEqual(server.query(name, "SOA")[0], "NOERROR", server.name)
            self.assertIsNone(server.serial(name), server.name)


class Members:
    """What holds whoever reads the catalog."""

    def test_one_that_was_there_before_the_catalog(self):
        self.caller.settled(self.old["id"], seconds=SECONDS)
        self.assertIn(self.old["id"], self.members())

    def test_one_comes_changes_and_goes(self):
        domain = self.create("comes.example.")
        self.assertEqual(self.members()[domain["id"]], "comes.example.")
        self.change(domain, put("www.comes.example.", "192.0.2.1"))
        self.assert_served("comes.example.", "www.comes.example.", "192.0.2.1")
        self.change(domain, put("www.comes.example.", "192.0.2.2"))
        self.assert_served("comes.example.", "www.comes.example.", "192.0.2.2")
        self.delete(domain)
        self.assertNotIn(domain["id"], self.members())
        self.assert_absent("comes.example.")

    def test_a_name_that_lives_again_is_another_member(self):
        labels = set()
        for address in "192.0.2.1", "192.0.2.2", "192.0.2.3":
            domain = self.create("again.example.")
            self.change(domain, put("www.again.example.", address))
            self.assert_served("again.example.", "www.again.example.", address)
            labels.add(domain["id"])
            self.assertEqual([label for label, name in self.members().items()
                              if name == "again.example."], [domain["id"]])
            self.delete(domain)
        self.assertEqual(len(labels), 3)

    def test_one_that_goes_before_the_catalog_lists_it(self):
        """Then the catalog does not change, so no change of it proves that a server answers."""
        catalog = self.caller.get_domain(domain=CATALOG)["id"]
        held = f"SELECT 1 FROM domains WHERE id = '{catalog}' FOR UPDATE"
        with holding(self.fleet.mariadb, held):
            domain = self.create("brief.example.", wait=False)
            self.delete(domain, wait=False)
        self.fleet.wait_state(domain["id"], "NONE DELETED", SECONDS)
        listed = self.fleet.mariadb.sql("SELECT 1 FROM records WHERE data = 'brief.example.'")
        self.assertEqual(listed, [])

    def test_a_server_that_was_down_has_all_when_it_is_back(self):
        stays = self.create("stays.example.")
        goes = self.create("goes.example.")
        for server in self.fleet.name_servers:
            with self.subTest(server=server.name):
                new = f"{server.name}.down.example."
                server.stop()
                try:
                    created = self.create(new, wait=False)
                    self.delete(goes, wait=False)
                    self.fleet.wait_for(lambda: self.members() == self.living(), SECONDS,
                                        "the catalog goes on")
                finally:
                    server.launch()
                    server.wait_ready()
                self.caller.settled(created["id"], seconds=DOWN_SECONDS)
                self.fleet.wait_state(goes["id"], "NONE DELETED", DOWN_SECONDS)
                self.assertEqual(server.serial("stays.example."), stays["serial"])
                goes = self.create("goes.example.")
        self.delete(goes)

    def test_many_reach_one_that_was_down_by_one_transfer(self):
        for server in self.fleet.name_servers:
            server.stop()
            try:
                for number in range(MANY):
                    self.caller.cast("create_domain", domain={"name": f"m{number}.late.example."})
                self.fleet.wait_for(lambda: len(self.members()) >= MANY and
                                    self.members() == self.living(), MANY_SECONDS,
                                    "the catalog has them")
                before = self.transfers()
            finally:
                server.launch()
                server.wait_ready()
            self.fleet.wait_for(lambda: self.active("%.late.example.") == MANY, MANY_SECONDS,
                                f"{MANY} domains are ACTIVE")
            self.assertEqual(self.transfers() - before, 1)

    def files(self):
        """Those outside of the folders of the servers and programs."""
        own = tuple(f"{server.folder}/" for server in self.fleet.members.values())
        return {str(path) for path in self.folder.rglob("*") if not str(path).startswith(own)}

    def create_as_mallory(self, names):
        """The domains of the names that central takes."""
        mallory = Caller(self.fleet.rabbitmq.url, tenant="mallory", admin=False)
        self.addCleanup(mallory.close)
        self.caller.set_quota(tenant="mallory", resource="domains", hard_limit=-1)
        for name in names:
            try:
                yield mallory.create_domain(domain={"name": name})
            except RemoteError as error:
                self.assertIn(error.exc_type, REFUSALS, f"{name}: {error.value}")

    def test_hostile_names_stay_in_the_folder(self):
        """The server calls a file after a name of the catalog: central refuses the name, or the
        server has it, and no other file changes."""
        outside = self.folder / "outside"
        outside.mkdir()
        configs = {path: path.read_bytes() for server in self.fleet.name_servers
                   for path in server.folder.glob("*.conf")}
        names, before = hostile_names(outside, [*configs]), self.files()
        made = list(self.create_as_mallory(names))
        self.assertEqual({domain["name"] for domain in made}, set(map(domain_of, names)) - {None})
        self.assertLessEqual({"0/25.evil.example.", "named.conf.evil.example."},
                             {domain["name"] for domain in made})
        for domain in made:
            self.caller.settled(domain["id"], seconds=SECONDS)
        self.assertEqual(self.files(), before)
        for labels in sorted({domain["name"].count(".") for domain in made}, reverse=True):
            level = [domain for domain in made if domain["name"].count(".") == labels]
            for domain in level:
                self.delete(domain, wait=False)
            for domain in level:
                self.fleet.wait_state(domain["id"], "NONE DELETED", SECONDS)
        self.assertEqual(self.files(), before)
        self.assertEqual({path: path.read_bytes() for path in configs}, configs)

    def test_a_new_one_is_served_soon(self):
        """The two centrals' repairs, a fixed time apart, would be late for two of five."""
        took = sorted(self.caller.settled(self.create(f"soon{number}.example.", wait=False)["id"],
                                          seconds=SECONDS) for number in range(5))
        print(f"{took[0]:.2f} to {took[-1]:.2f} s", file=sys.stderr)
        self.assertLess(took[-2], SOON_SECONDS)

    def test_no_create_passes_through_an_error(self):
        created = [self.create(f"calm{number}.example.", wait=False) for number in range(20)]
        for domain in created:
            self.caller.settled(domain["id"], seconds=SECONDS)
        self.assertEqual(self.errors(), [])

    def test_many_come_with_few_transfers(self):
        before = self.transfers()
        for number in range(MANY):
            self.caller.cast("create_domain", domain={"name": f"m{number}.many.example."})
        started = time.monotonic()
        self.fleet.wait_for(lambda: self.active("%.many.example.") == MANY, MANY_SECONDS,
                            f"{MANY} domains are ACTIVE")
        took, transfers = time.monotonic() - started, self.transfers() - before
        print(f"{MANY} members: {transfers} transfers of the catalog, {took:.1f} s",
              file=sys.stderr)
        self.assertLessEqual(transfers, TRANSFERS_MAX)
        self.assertGreaterEqual(transfers, 1)
        self.assertEqual(self.members(), self.living())
        self.assertEqual(self.errors(), [])


class BindTest(Members, CatalogStory):
    name_servers = by_catalog = ("bind",)


class KnotTest(Members, CatalogStory):
    name_servers = by_catalog = ("knot",)


class PowerDnsTest(Members, CatalogStory):
    name_servers = by_catalog = ("powerdns",)


class MixedTest(CatalogStory):
    """BIND is told by rndc, Knot reads the catalog."""

    name_servers = ("bind", "knot")
    by_catalog = ("knot",)
    settings = merged(SETTINGS, {"poolmgr": {"compare_every": 1}})

    def test_both_serve_what_comes_changes_and_goes(self):
        domain = self.create("both.example.")
        self.change(domain, put("www.both.example.", "192.0.2.1"))
        self.assert_served("both.example.", "www.both.example.", "192.0.2.1")
        self.delete(domain)
        self.assert_absent("both.example.")

    def test_the_catalog_is_for_those_that_read_it(self):
        self.assertIsNone(self.fleet.bind.serial(CATALOG))
        found = self.caller.get_status(domain=CATALOG)["domain"]
        self.assertEqual(found["consensus"], {"current": 1, "servers": 1})
        self.assertEqual({server["id"] for server in found["servers"]}, {"knot"})

    def test_who_was_away_forgets_the_zone_whose_name_lives_again(self):
        knot = self.fleet.knot
        old = self.create("reborn.example.")
        self.change(old, put("old.reborn.example.", "192.0.2.1"))
        self.fleet.set_threshold(50)
        knot.stop()
        try:
            self.delete(old)
            new = self.create("reborn.example.")
            self.change(new, put("new.reborn.example.", "192.0.2.2"))
            self.fleet.wait_for(lambda: self.members() == self.living(), SECONDS,
                                "the catalog has the new one")
        finally:
            knot.launch()
            knot.wait_ready()
            self.fleet.set_threshold(100)
        serial = self.caller.get_domain(domain=new["id"])["serial"]
        knot.wait_for_serial("reborn.example.", serial, SECONDS)
        self.assert_served("reborn.example.", "new.reborn.example.", "192.0.2.2")
        self.assertEqual(knot.query("old.reborn.example.", "A")[0], "NXDOMAIN")

    def repairs(self, name):
        return [row for row in self.fleet.cli("repairs", "--admin")["repairs"]
                if row["name"] == name and row["state"] not in ("SEEN", "CONFIRMED")]

    def test_who_edits_a_record_there_is_told_what_to_type(self):
        """Nobody but its operator can make it transfer a zone again: said once, not tried."""
        knotc, zone, owner = self.fleet.knot.knotc, "edited.example.", "www.edited.example."
        domain = self.create(zone)
        self.change(domain, put(owner, "192.0.2.1"))
        soa = knotc("zone-read", zone, "@", "SOA").split("] ")[1].split()
        for change in (("begin",), ("unset", owner, "A"), ("set", owner, "300", "A", "192.0.2.9"),
                       ("unset", "@", "SOA"), ("set", "@", soa[1], "SOA", " ".join(soa[3:])),
                       ("commit",)):
            knotc(f"zone-{change[0]}", zone, *change[1:])
        self.assertEqual(self.fleet.knot.query(owner, "A")[1][0].split()[4], "192.0.2.9")
        rows = self.fleet.wait_for(lambda: self.repairs(zone), SECONDS, "it is reported")
        self.assertEqual({(row["server"], row["state"]) for row in rows}, {("knot", "PARKED")})
        typed = "knotc zone-retransfer edited.example."
        self.assertTrue(any(typed in row["detail"] and "192.0.2.9" in row["detail"]
                            for row in rows), rows)
        shown = self.fleet.cli("status", zone, "--admin")["domain"]
        self.assertEqual(shown["consensus"], {"current": 1, "servers": 2})
        self.assertIn("serves records that differ from the database: ",
                      {(row["id"], row["action"]): row["reason"]
                       for row in shown["servers"]}["knot", "UPDATE"])
        knotc(*typed.split()[1:])
        self.fleet.wait_for(lambda: self.fleet.knot.query(owner, "A")[1][0].split()[4]
                            == "192.0.2.1", SECONDS, "Knot serves what it should")
        self.assertEqual({row["state"] for row in self.repairs(zone)}, {"PARKED"})

    def test_what_a_dead_central_left_is_made_up_for(self):
        for number in range(3):
            with self.subTest(round=number):
                domain = self.create(f"orphan{number}.example.", wait=False)
                for name in "central1", "central2":
                    self.fleet.kill9(name)
                for name in "central1", "central2":
                    self.fleet.restart(name)
                self.caller.settled(domain["id"], seconds=SECONDS)
                self.assertEqual(self.members(), self.living())

    def test_nobody_changes_the_catalog_but_central(self):
        before = self.members()
        refused = {
            "update_domain": {"values": {"description": "mine"}},
            "delete_domain": {},
            "create_recordset": {"recordset": {"name": f"x.{CATALOG}", "type": "A",
                                               "records": ["192.0.2.1"]}},
            "apply_changes": {"changes": [put(f"x.{CATALOG}", "192.0.2.1")]},
        }
        for method, arguments in refused.items():
            with self.subTest(method=method), \
                    self.assertRaisesRegex(RemoteError, "is the catalog zone of the pool"):
                getattr(self.caller, method)(domain=CATALOG, **arguments)
        with self.assertRaisesRegex(AssertionError, "is the catalog zone of the pool"):
            import_zone(self.caller, CATALOG, [f"{CATALOG} 60 IN NS {NS}"])
        self.assertEqual(self.members(), before)

    def test_tenants_do_not_see_it(self):
        tenant = Caller(self.fleet.rabbitmq.url, admin=False)
        self.addCleanup(tenant.close)
        with self.assertRaisesRegex(RemoteError, "there is no domain"):
            tenant.get_domain(domain=CATALOG)
        self.assertEqual(tenant.find_domains(criterion={"name": CATALOG})["domains"], [])
        with self.assertRaisesRegex(RemoteError, "above or below a domain of another tenant"):
            tenant.create_domain(domain={"name": f"below.{CATALOG}"})

    def test_a_pool_has_one_catalog(self):
        for values, words in (({"catalog_zone": "other.invalid."}, "remove the catalog zone first"),
                              ({"catalog_zone": f"{'a' * 60}.{'b' * 60}.{'c' * 60}.{'d' * 60}."},
                               "name of a catalog zone must have at most"),
                              ({"catalog_zone": "no name"}, "catalog_zone")):
            with self.subTest(values=values), self.assertRaisesRegex(RemoteError, words):
                self.caller.update_pool(pool="default", values=values)
        again = self.caller.update_pool(pool="default", values={"catalog_zone": CATALOG})
        self.assertEqual(again["catalog_zone"], CATALOG)

    def test_the_catalog_goes_and_comes_again(self):
        knot = self.fleet.knot
        first = self.caller.get_domain(domain=CATALOG)["id"]
        self.fleet.cli("pool", "set", "default", "--catalog", "", "--admin")
        self.assertEqual(self.fleet.state(first)[0], "DELETE PENDING")
        self.assertIn("remove the catalog zone from the configuration",
                      self.caller.get_status(domain=CATALOG)["domain"]["reason"])
        knot.remove_zone(CATALOG)
        self.fleet.wait_state(first, "NONE DELETED", SECONDS)
        self.caller.update_pool(pool="default", values={"catalog_zone": CATALOG})
        knot.add_catalog()
        self.caller.settled(CATALOG, seconds=SECONDS)
        self.assertEqual(self.members(), self.living())
        knot.wait_for_serial("older.example.", self.old["serial"], SECONDS)


class UnreadTest(CatalogStory):
    """No server of the pool reads the catalog zone, so no report makes the catalog zone ACTIVE."""

    name_servers = ("bind",)
    settings = merged(SETTINGS, {"poolmgr": {"periodic_sync_interval": 600}})

    def test_it_is_active_at_once_and_the_operator_is_warned(self):
        member = self.create("member.example.")
        self.caller.settled(CATALOG, seconds=SECONDS)
        self.assertIn(member["id"], self.members())
        first = self.caller.get_domain(domain=CATALOG)["id"]
        self.caller.update_pool(pool="default", values={"catalog_zone": ""})
        self.fleet.wait_state(first, "NONE DELETED", SECONDS)
        again = self.caller.update_pool(pool="default", values={"catalog_zone": CATALOG})
        self.assertEqual(again["warnings"], [
            "pool 'default': no server of the pool has the backend 'catalog', so no server reads "
            "the catalog zone"])
        self.caller.settled(CATALOG, seconds=SECONDS)
        found = self.caller.get_status(domain=CATALOG)["domain"]
        self.assertEqual(found["consensus"], {"current": 0, "servers": 0})


if __name__ == "__main__":
    unittest.main()

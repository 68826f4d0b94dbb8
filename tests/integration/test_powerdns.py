"""A pool of two kinds: BIND, told by rndc, and PowerDNS, told by its HTTP API."""

import contextlib
import json
import re
import shutil
import sqlite3
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from audit import Audit                                         # noqa: E402
from story import Caller, put, start_fleet                     # noqa: E402

SECONDS = 30            # until a server that is up, or returns, has what it should
KEY = "pool-key."

# as it ships, and unlike the lab: it caches, and does not ask for news every second
AS_SHIPPED = ["zone-cache-refresh-interval=300", "cache-ttl=20", "query-cache-ttl=20",
              "negquery-cache-ttl=60", "xfr-cycle-interval=60"]


class PowerDnsStory(unittest.TestCase):
    """A fleet for a class; each test has its own domains, and ends with them settled."""

    settings = {}

    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="zfpowerdns"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.fleet = cls.enterClassContext(start_fleet(
            cls.folder / "fleet", settings=cls.settings,
            name_servers=("bind", "powerdns"),
            servers={"powerdns": {"settings": AS_SHIPPED}}))
        cls.audit = Audit(cls.fleet.mariadb)
        cls.caller = Caller(cls.fleet.rabbitmq.url)
        cls.addClassCleanup(cls.caller.close)

    def setUp(self):
        self.mark = self.audit.mark()
        self.needed = 2

    def tearDown(self):
        self.fleet.wait_quiet()
        self.assertEqual(self.audit.faults(self.mark, self.needed), [])

    def create(self, name, wait=True):
        domain = self.caller.create_domain(domain={"name": name})
        if wait:
            self.caller.settled(domain["id"], seconds=SECONDS)
        return domain

    def change(self, domain, *changes, wait=True):
        done = self.caller.apply_changes(domain=domain["id"], changes=list(changes))
        if wait:
            self.caller.settled(domain["id"], serial=done["serial"], seconds=SECONDS)
        return done["serial"]

    def delete(self, domain, wait=True):
        self.caller.delete_domain(domain=domain["id"])
        if wait:
            self.fleet.wait_state(domain["id"], "NONE DELETED", SECONDS)

    def known(self, name):
        """What PowerDNS has of a zone; None: nothing."""
        status, zone = self.fleet.powerdns.api("GET", f"/zones/{name}")
        return zone if status == 200 else None

    def ixfr(self, zone, value=None):
        """The metadata of the zone; VALUE: after it was set."""
        path = f"/zones/{zone}/metadata/IXFR"
        if value:
            self.fleet.powerdns.api("PUT", path, {"kind": "IXFR", "metadata": [value]})
        return self.fleet.powerdns.api("GET", path)[1]["metadata"]

    def assert_served(self, owner, address):
        for server in self.fleet.name_servers:
            status, records = server.query(owner, "A")
            self.assertEqual((status, [record.split()[4] for record in records]),
                             ("NOERROR", [address]), server.name)

    def assert_absent(self, name):
        for server in self.fleet.name_servers:
            self.assertEqual(server.query(name, "SOA"), ("REFUSED", []), server.name)


class Pool(PowerDnsStory):

    def test_a_domain_comes_changes_and_goes(self):
        domain = self.create("comes.example.")
        for address in "192.0.2.1", "192.0.2.2":
            self.change(domain, put("www.comes.example.", address))
            self.assert_served("www.comes.example.", address)
        self.assertEqual(self.fleet.powerdns.axfr("comes.example."),
                         self.fleet.bind.axfr("comes.example."))
        self.assertEqual(self.known("comes.example.")["account"], "zonefleet")
        self.delete(domain)
        self.assert_absent("comes.example.")
        self.assertIsNone(self.known("comes.example."))

    def transfers(self, name, serial):
        """The kinds of the transfers by which servers got this serial of a zone."""
        line = re.compile(rf"transfer ended: domain={re.escape(name)} serial={serial} "
                          r"kind=(\w+)")
        return sorted(kind for worker in self.fleet.workers if worker.kind == "minidns"
                      for kind in line.findall(worker.log.read_text()))

    def test_a_change_is_transferred_not_the_zone(self):
        """A second AXFR of the new zone may still wait in PowerDNS, and bring the first change."""
        domain = self.create("grows.example.")
        for address in (f"192.0.2.{i}" for i in range(1, 11)):
            serial = self.change(domain, put("a.grows.example.", address))
            self.assert_served("a.grows.example.", address)
            self.fleet.wait_for(lambda: len(self.transfers("grows.example.", serial)) >= 2,
                                SECONDS, "the logs have both transfers")
            kinds = self.transfers("grows.example.", serial)
            if set(kinds) == {"ixfr"}:
                break
            self.caller.sync_domain(domain=domain["id"])    # after a transfer that was not seen
        self.assertEqual(set(kinds), {"ixfr"})

    def test_ixfr_that_is_off(self):
        """It stays off after a whole transfer whose end the pool manager did not see."""
        domain = self.create("off.example.")
        self.fleet.wait_for(lambda: self.ixfr("off.example.") == ["1"], SECONDS, "IXFR is on")
        self.assertEqual(self.ixfr("off.example.", "0"), ["0"])
        self.caller.sync_domain(domain=domain["id"])
        self.fleet.wait_for(lambda: self.ixfr("off.example.") == ["1"], SECONDS,
                            "IXFR is on again")

    def test_a_server_that_was_down_has_all_when_it_is_back(self):
        powerdns = self.fleet.powerdns
        stays, goes = self.create("stays.example."), self.create("goes.example.")
        powerdns.stop()
        try:
            new = self.create("new.example.", wait=False)
            serial = self.change(stays, put("www.stays.example.", "192.0.2.1"),
                                 wait=False)
            self.delete(goes, wait=False)
            self.fleet.wait_state(new["id"], "ADD ERROR", SECONDS)
        finally:
            powerdns.launch()
            powerdns.wait_ready()
        self.caller.settled(new["id"], seconds=SECONDS)
        self.caller.settled(stays["id"], serial=serial, seconds=SECONDS)
        self.fleet.wait_state(goes["id"], "NONE DELETED", SECONDS)
        self.assert_served("www.stays.example.", "192.0.2.1")
        self.assertIsNone(self.known("goes.example."))

    def test_who_was_away_forgets_the_zone_whose_name_lives_again(self):
        powerdns = self.fleet.powerdns
        old = self.create("reborn.example.")
        self.change(old, put("old.reborn.example.", "192.0.2.1"))
        self.needed = 1
        self.fleet.set_threshold(50)
        powerdns.stop()
        try:
            self.delete(old)
            new = self.create("reborn.example.")
            serial = self.change(new, put("new.reborn.example.", "192.0.2.2"))
        finally:
            powerdns.launch()
            powerdns.wait_ready()
            self.fleet.set_threshold(100)
        powerdns.wait_for_serial("reborn.example.", serial, SECONDS)
        self.assert_served("new.reborn.example.", "192.0.2.2")
        self.assertEqual(powerdns.query("old.reborn.example.", "A")[0], "NXDOMAIN")

    def test_a_zone_of_somebody_else_is_an_error_with_words(self):
        powerdns = self.fleet.powerdns
        powerdns.util("create-zone", "theirs.example", "ns.example.net")
        before = self.known("theirs.example.")
        domain = self.create("theirs.example.", wait=False)
        reason = self.fleet.wait_state(domain["id"], "ADD ERROR", SECONDS)
        self.assertIn("powerdns: the server has a zone theirs.example. of another program", reason)
        self.assertEqual(self.known("theirs.example."), before)
        powerdns.util("delete-zone", "theirs.example")
        self.caller.settled(domain["id"], seconds=SECONDS)
        self.assertEqual(self.known("theirs.example.")["account"], "zonefleet")
        self.delete(domain)


class Content(PowerDnsStory):
    """A record that somebody edits in its database, under the same serial."""

    settings = {"poolmgr": {"compare_every": 1}}

    def edit(self, owner, address):
        """And has it forget what it remembers of the owner."""
        with contextlib.closing(sqlite3.connect(self.fleet.powerdns.database)) as database:
            database.execute("UPDATE records SET content = ? WHERE name = ? AND type = 'A'",
                             (address, owner.rstrip(".")))
            database.commit()
        self.fleet.powerdns.control("purge", owner)

    def address(self, owner):
        return [record.split()[4] for record in self.fleet.powerdns.query(owner, "A")[1]]

    def test_edited_record_is_put_right(self):
        owner = "www.edited.example."
        domain = self.create("edited.example.")
        serial = self.change(domain, put(owner, "192.0.2.1"))
        self.fleet.wait_quiet()
        self.edit(owner, "192.0.2.99")
        self.fleet.wait_for(lambda: self.address(owner) == ["192.0.2.99"], 10,
                            "PowerDNS serves what was edited")
        self.fleet.wait_for(lambda: self.address(owner) == ["192.0.2.1"], SECONDS,
                            "PowerDNS serves what it should")
        self.assertEqual(self.fleet.powerdns.serial("edited.example."), serial)
        done, = self.fleet.wait_for(
            lambda: [row for row in self.fleet.cli("repairs", "--admin")["repairs"]
                     if row["name"] == "edited.example." and row["state"] == "ORDERED"], 10,
            "it was noted")
        self.assertEqual((done["server"], done["kind"]), ("powerdns", "CONTENT"))
        # it was fetched whole, and asks for what changed again
        self.fleet.wait_for(lambda: self.ixfr("edited.example.") == ["1"], 10, "IXFR is on")
        self.change(domain, put(owner, "192.0.2.2"))
        self.fleet.wait_for(lambda: self.address(owner) == ["192.0.2.2"], SECONDS,
                            "PowerDNS serves the next change")


class Strays(PowerDnsStory):
    """BIND has no statistics channel here, and so cannot say which zones it has."""

    settings = {"backends": {"bind9": {"default": {"stats_url": ""}}},
                "poolmgr": {"compare_every": 1}}

    def parked(self, name):
        return [row for row in self.fleet.cli("repairs", "--admin")["repairs"]
                if row["name"] == name and row["state"] == "PARKED"]

    def test_who_cannot_list_its_zones_says_so_once(self):
        zone = {"name": "stray.example.", "kind": "Slave", "account": "zonefleet",
                "masters": ["127.0.0.1:1"]}
        self.assertEqual(self.fleet.powerdns.api("POST", "/zones", zone)[0], 201)
        rows = self.fleet.wait_for(lambda: self.parked("stray.example."), SECONDS,
                                   "the stray is reported, after two rounds at least")
        self.assertEqual({row["server"] for row in rows}, {"powerdns"})
        self.assertIsNotNone(self.known("stray.example."))
        logs = [worker.log.read_text() for worker in self.fleet.poolmgrs]
        said = [log.count('cannot search for orphan zones: server=bind '
                          'reason="set stats_url to the URL of named\'s statistics channel"')
                for log in logs]
        self.assertIn(1, said)
        self.assertLessEqual(max(said), 1, "by each process once at most")


class Signed(PowerDnsStory):
    """With a key of its own for PowerDNS; BIND has none."""

    settings = {"backends": {"powerdns": {"default": {"tsig_key": KEY}}}}

    def test_transfers_are_signed(self):
        self.caller.create_tsigkey(tsigkey={"name": KEY})
        domain = self.create("signed.example.", wait=False)
        reason = self.fleet.wait_state(domain["id"], "ADD ERROR", SECONDS)
        self.assertIn(f"powerdns: the server has no TSIG key {KEY}: import the key on the server", reason)
        self.assertIsNone(self.known("signed.example."))
        clause = self.fleet.cli("tsigkey", "show", KEY, "--format", "powerdns", "--admin",
                                as_json=False)
        status, _ = self.fleet.powerdns.api("POST", "/tsigkeys", json.loads(clause))
        self.assertEqual(status, 201)
        self.caller.settled(domain["id"], seconds=SECONDS)
        self.change(domain, put("www.signed.example.", "192.0.2.1"))
        self.assert_served("www.signed.example.", "192.0.2.1")
        self.assertEqual(self.known("signed.example.")["slave_tsig_key_ids"], [KEY])
        self.delete(domain)


if __name__ == "__main__":
    unittest.main()

"""A zone is gone when two witnesses say so: REFUSED to us is only one."""

import re
import shutil
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from audit import Audit                                                 # noqa: E402
from refusing import RefusingFleet                                      # noqa: E402
from oslo_messaging import RemoteError                                  # noqa: E402
from story import SETTINGS, Caller, merged, put                         # noqa: E402

CATALOG = "catalog.invalid."
SECONDS = 30
SOON_SECONDS = 2        # a deletion that nothing hinders: some 100 ms on a machine with leisure


class AbsenceStory(unittest.TestCase):

    name_servers = ()
    by_catalog = ()
    settings = {}

    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="zfabsence"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.fleet = cls.enterClassContext(RefusingFleet.start(
            cls.folder / "fleet", settings=merged(SETTINGS, cls.settings),
            name_servers=cls.name_servers,
            servers={name: {"catalog": CATALOG} for name in cls.by_catalog}))
        cls.caller = Caller(cls.fleet.rabbitmq.url)
        cls.addClassCleanup(cls.caller.close)

    def create(self, name):
        domain = self.caller.create_domain(domain={"name": name})
        self.caller.settled(domain["id"], seconds=SECONDS)
        return domain

    def delete(self, domain):
        self.caller.delete_domain(domain=domain["id"])

    def hurry(self, domain):
        """As an operator does; it may be gone by now."""
        try:
            self.caller.sync_domain(domain=domain["id"])
        except RemoteError as error:
            self.assertEqual(error.exc_type, "NotFound")

    def wait_deleted(self, domain):
        """At its next try, which an operator hurries."""
        def gone():
            state = self.fleet.state(domain["id"])[0]
            if state == "DELETE ERROR":
                self.hurry(domain)
            return state == "NONE DELETED"
        self.fleet.wait_for(gone, SECONDS, f"{domain['name']} is deleted")

    def reasons(self, domain, action):
        """{server: why its ACTION on the domain is in error}."""
        rows = self.caller.get_status(domain=domain["id"])["domain"]["servers"]
        return {row["id"]: row["reason"] for row in rows
                if row["action"] == action and row["status"] == "ERROR"}

    def wait_reasons(self, domain, action, servers, pattern):
        """Until each of them was in error for that; a poll may say something else afterwards."""
        seen = set()

        def all_seen():
            seen.update(name for name, reason in self.reasons(domain, action).items()
                        if re.search(pattern, reason))
            return seen == set(servers)
        self.fleet.wait_for(all_seen, SECONDS, f"{servers} are in error at {action}: {pattern}")

    def created(self, domain):
        """How often the pool managers created it, on any server."""
        line = f"zone created: domain={domain['name']} "
        return sum(worker.log.read_text().count(line) for worker in self.fleet.poolmgrs)


class Told(AbsenceStory):
    """Servers with a control channel: it is the second witness."""

    name_servers = ("bind", "knot", "nsd", "powerdns")

    def spared(self, domain):
        """How often each server was found to have the zone that it does not serve."""
        logs = "".join(worker.log.read_text() for worker in self.fleet.poolmgrs)
        return [logs.count(f"zone not created again: domain={domain['name']} server={name} ")
                for name in self.name_servers]

    def test_a_living_zone_is_not_created_again(self):
        domain = self.create("lives.example.")
        created = self.created(domain)
        with self.fleet.refusing(*self.name_servers):
            self.wait_reasons(domain, "UPDATE", self.name_servers,
                              "^answers with REFUSED, but the server has the zone and refuses ")
            for _ in range(2):
                before = self.spared(domain)
                self.caller.sync_domain(domain=domain["id"])
                self.fleet.wait_for(
                    lambda was=before: all(map(int.__gt__, self.spared(domain), was)),
                    SECONDS, "each is asked again")
        self.assertEqual(self.created(domain), created)
        serial = self.caller.apply_changes(domain=domain["id"], changes=[
            put("www.lives.example.", "192.0.2.1")])["serial"]
        self.caller.settled(domain["id"], serial=serial, seconds=SECONDS)
        self.assertEqual(self.reasons(domain, "UPDATE"), {})
        self.assertEqual(self.created(domain), created)

    def test_a_zone_that_is_lost_is_created_again(self):
        domain = self.create("lost.example.")
        for name in "bind", "knot", "nsd":
            self.fleet.members[name].remove_zone("lost.example.")
        self.fleet.powerdns.api("DELETE", "/zones/lost.example.")
        for server in self.fleet.name_servers:
            server.wait_for_serial("lost.example.", domain["serial"], SECONDS)

    def test_a_deletion_is_seen_by_the_control_channel_and_the_poll(self):
        """REFUSED is what a server says that has no such zone, or an access list: done is done."""
        domain = self.create("goes.example.")
        with self.fleet.refusing(*self.name_servers):
            self.delete(domain)
            self.fleet.wait_state(domain["id"], "NONE DELETED", SECONDS)
        for server in self.fleet.name_servers:
            self.assertIsNone(server.serial("goes.example."), server.name)

    def test_a_deletion_takes_no_longer_for_it(self):
        took = []
        for number in range(5):
            domain = self.create(f"soon{number}.example.")
            started = time.monotonic()
            self.delete(domain)
            self.fleet.wait_state(domain["id"], "NONE DELETED", SECONDS)
            took.append(time.monotonic() - started)
        took.sort()
        print(f"deleted within {took[0]:.3f} to {took[-1]:.3f} s", file=sys.stderr)
        self.assertLess(took[2], SOON_SECONDS)

    def test_what_its_control_channel_did_not_do_is_not_done(self):
        """Refused by the poll, and nothing else is known of it."""
        domain = self.create("stuck.example.")
        key = self.fleet.bind.key_file
        away = key.with_suffix(".away")
        with self.fleet.refusing("bind"):
            key.rename(away)
            try:
                self.delete(domain)
                self.wait_reasons(domain, "DELETE", ["bind"], "rndc")
                self.assertNotEqual(self.fleet.state(domain["id"])[0], "NONE DELETED")
            finally:
                away.rename(key)
        self.wait_deleted(domain)


class Provisioned(AbsenceStory):
    """Servers that read a catalog: that they answer us for it is the second witness."""

    name_servers = by_catalog = ("bind", "knot", "powerdns")
    settings = {"backends": {"catalog": {"default": {"patience": 5}}}}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fleet.cli("pool", "set", "default", "--catalog", CATALOG, "--admin")
        cls.caller.settled(CATALOG, seconds=SECONDS)

    def test_a_deletion_is_not_confirmed_by_refused_alone(self):
        domain = self.create("goes.example.")
        with self.fleet.refusing(*self.name_servers):
            self.delete(domain)
            self.wait_reasons(domain, "DELETE", self.name_servers,
                              "^answers with REFUSED, which does not prove that the zone is gone")
            self.fleet.wait_state(domain["id"], "DELETE ERROR", SECONDS)
            self.assertIn("the server may refuse mini-DNS", self.fleet.state(domain["id"])[1])
        self.wait_deleted(domain)

    def test_a_member_that_a_server_keeps(self):
        """As Knot may after it was killed: here because its operator configured it."""
        knot, name = self.fleet.knot, "kept.example."
        knot.add_zone(name)
        domain = self.create(name)
        with self.assertRaisesRegex(RemoteError, "is not being deleted: delete the domain first"):
            self.caller.abandon_domain(domain=name)
        self.delete(domain)
        self.wait_reasons(domain, "DELETE", ["knot"], r"^still serves the domain at serial \d+, "
                          "although the catalog zone no longer lists the zone")
        self.fleet.wait_state(domain["id"], "DELETE ERROR", SECONDS)
        tenant = Caller(self.fleet.rabbitmq.url, admin=False)
        self.addCleanup(tenant.close)
        with self.assertRaisesRegex(RemoteError, "only administrators may call abandon_domain"):
            tenant.abandon_domain(domain=name)
        shown = self.fleet.cli("domain", "abandon", name, "--admin")
        self.assertEqual(shown["domain"]["status"], "ERROR")
        self.assertEqual(self.fleet.state(domain["id"])[0], "DELETE ERROR")
        text = self.fleet.cli("domain", "abandon", name, "--admin", as_json=False)
        self.assertIn("nothing was changed: use --yes to abandon the domain", text)
        done = self.fleet.cli("domain", "abandon", name, "--admin", "--yes")
        self.assertEqual([(server["id"], server["reason"][:12]) for server in done["servers"]],
                         [("knot", "still serves")])
        self.assertEqual(self.fleet.state(domain["id"])[0], "NONE DELETED")
        self.assertRegex("".join(worker.log.read_text() for worker in self.fleet.workers),
                         f"domain abandoned: .* domain={name} .* servers=\"knot: still serves")
        knot.remove_zone(name)      # or Knot ignores the member of that name
        again = self.caller.create_domain(domain={"name": name})
        self.caller.settled(again["id"], seconds=SECONDS)
        self.delete(again)
        self.fleet.wait_state(again["id"], "NONE DELETED", SECONDS)

    def test_a_deletion_that_nothing_hinders(self):
        audit = Audit(self.fleet.mariadb)
        for number in range(3):
            domain = self.create(f"soon{number}.example.")
            started = time.monotonic()
            self.delete(domain)
            self.fleet.wait_state(domain["id"], "NONE DELETED", SECONDS)
            print(f"deleted in {time.monotonic() - started:.3f} s", file=sys.stderr)
        self.assertEqual(self.fleet.mariadb.sql(
            "SELECT DISTINCT id, reason FROM audit JOIN domains USING (id) "
            "WHERE audit.kind = 'domain' AND new_pair LIKE '%ERROR'"), [])
        self.assertEqual(audit.faults(0, len(self.by_catalog)), [])


if __name__ == "__main__":
    unittest.main()

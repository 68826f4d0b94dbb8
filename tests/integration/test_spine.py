"""From a call on the queue to an answer of BIND, Knot and NSD, and each state on the way."""

import itertools
import shutil
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from audit import PAIRS, STATUSES, TASKS, Audit                         # noqa: E402
from story import (Caller, LabError, drop, import_zone, put, root_zone_versions,  # noqa: E402
                   start_fleet, wipe)
from lab.dns import zone_file                                           # noqa: E402

BACK_SECONDS = 30       # until a server that returns has all it missed
MANY = 50
LATE = 12               # domains that a server misses, at least
POLL_SECONDS = 5        # until a poll that finds nobody is over: 2 tries of 1 s, with pauses
GIVEN_UP = 3            # failures in a row until pool managers only probe a server


def setUpModule():
    """One fleet for all; each test has its own domains, and ends with all of them settled."""
    SpineStory.folder = Path(tempfile.mkdtemp(prefix="zfspine"))
    unittest.addModuleCleanup(shutil.rmtree, SpineStory.folder)
    fleet = unittest.enterModuleContext(start_fleet(SpineStory.folder / "fleet"))
    SpineStory.fleet = fleet
    SpineStory.audit = Audit(fleet.mariadb)
    SpineStory.caller = Caller(fleet.rabbitmq.url)
    unittest.addModuleCleanup(SpineStory.caller.close)


class SpineStory(unittest.TestCase):

    def setUp(self):
        self.begin(threshold=100)

    def begin(self, threshold):
        """The threshold from here on, and how many of the three servers that is."""
        self.fleet.set_threshold(threshold)
        self.needed = {100: 3, 67: 2}[threshold]
        self.mark = self.audit.mark()

    def tearDown(self):
        self.assertEqual(self.audit.faults(self.mark, self.needed), [])

    # What is done

    def create(self, name, wait=True):
        domain = self.caller.create_domain(domain={"name": name})
        if wait:
            self.settled(domain)
        return domain

    def change(self, domain, *changes):
        return self.caller.apply_changes(domain=domain["id"], changes=list(changes))["serial"]

    def settled(self, domain, serial=None, seconds=BACK_SECONDS):
        return self.caller.settled(domain["id"], serial=serial, seconds=seconds)

    def delete(self, domain):
        self.caller.delete_domain(domain=domain["id"])

    def stopped(self, server):
        """The server is stopped for the `with`, and started at the end of the test at last."""
        server.stop()
        self.addCleanup(lambda: server.pid or self.start(server))

    def start(self, server):
        server.launch()
        server.wait_ready()

    def status_of(self, domain):
        """What an operator is told of the domain: {server: its row}."""
        found = self.caller.get_status(domain=domain["id"])["domain"]
        return {server["id"]: server for server in found["servers"]}

    # What is seen

    def assert_served(self, name, owner, address):
        for server in self.fleet.name_servers:
            status, records = server.query(owner, "A")
            self.assertEqual((status, [record.split()[4] for record in records]),
                             ("NOERROR", [address]), server.name)

    def is_absent(self, server, name):
        """A server of the root zone says NXDOMAIN, once there is one."""
        return server.query(name, "SOA") in (("REFUSED", []), ("NXDOMAIN", []))

    def assert_absent(self, name):
        for server in self.fleet.name_servers:
            self.assertTrue(self.is_absent(server, name), server.name)

    def wait_served(self, server, name, serial, seconds=BACK_SECONDS):
        self.fleet.wait_for(lambda: server.serial(name) == serial, seconds,
                            f"{server.name} serves {name} {serial}")


class Plans(SpineStory):
    """What is planned behind an action that succeeded: done once, and over."""

    def plan(self, domain, action):
        where = f"domain_id = '{domain['id']}' AND action = '{action}'"
        self.fleet.mariadb.sql(
            "REPLACE INTO pool_manager_status (id, server_id, domain_id, action, status, "
            "next_attempt_at) VALUES (REPLACE(UUID(), '-', ''), 'bind', "
            f"'{domain['id']}', '{action}', 'SUCCESS', NOW(3))")
        self.fleet.wait_for(
            lambda: not self.fleet.mariadb.sql("SELECT 1 FROM pool_manager_status WHERE "
                                               f"{where} AND next_attempt_at IS NOT NULL"),
            BACK_SECONDS, f"the planned {action} is over")

    def test_a_creation(self):
        domain = self.create("planned.example.")
        self.plan(domain, "CREATE")
        self.settled(domain, self.change(domain, put("www.planned.example.", "192.0.2.1")))

    def test_a_deletion_whose_name_lives_again(self):
        first = self.create("reborn.example.")
        self.delete(first)
        self.fleet.wait_state(first["id"], "NONE DELETED")
        second = self.create("reborn.example.")
        self.plan(first, "DELETE")
        self.settled(second, self.change(second, put("www.reborn.example.", "192.0.2.1")))
        self.assert_served("reborn.example.", "www.reborn.example.", "192.0.2.1")


class States(SpineStory):

    def test_every_state_occurs_and_no_illegal_move(self):
        nsd, www = self.fleet.nsd, "www.states.example."
        lives, goes = self.create("states.example."), self.create("goes.example.")
        for changes in ([put(www, "192.0.2.1"), put("b.states.example.", "192.0.2.2")],
                        [put(www, "192.0.2.3")],
                        [drop("b.states.example."), put("c.states.example.", "192.0.2.4")]):
            self.settled(lives, self.change(lives, *changes))
        self.assert_served("states.example.", www, "192.0.2.3")

        self.stopped(nsd)
        serial = self.change(lives, put(www, "192.0.2.5"), drop("c.states.example."),
                             put("d.states.example.", "192.0.2.6"))
        comes = self.create("comes.example.", wait=False)
        self.delete(goes)
        for domain, pair in (lives, "UPDATE"), (comes, "ADD"), (goes, "DELETE"):
            reason = self.fleet.wait_state(domain["id"], f"{pair} ERROR")
            self.assertIn("nsd", reason)
        self.start(nsd)
        self.settled(lives, serial)
        self.settled(comes)
        self.fleet.wait_state(goes["id"], "NONE DELETED", BACK_SECONDS)

        self.assertEqual(self.audit.pairs("domain"), PAIRS)
        self.assertEqual(self.audit.pairs("record"), PAIRS)
        self.assert_served("states.example.", www, "192.0.2.5")
        self.assert_absent("goes.example.")

    def test_invalid_states_are_refused_by_the_tables(self):
        self.create("checked.example.")
        invalid = [pair for pair in itertools.product(TASKS, STATUSES)
                   if " ".join(pair) not in PAIRS]
        self.assertEqual(len(invalid), 8)
        for table, (task, status) in itertools.product(("domains", "records"), invalid):
            with self.assertRaisesRegex(LabError, "[`'](domain|record)_state[`']"):
                self.fleet.mariadb.sql(f"UPDATE {table} SET task = '{task}', "
                                       f"status = '{status}' LIMIT 1")


class Servers(SpineStory):
    """One of three servers is away, and returns."""

    def test_enough_servers_make_it_active(self):
        self.begin(threshold=67)
        knot = self.fleet.knot
        domain = self.create("enough.example.")
        self.fleet.wait_for(lambda: self.status_of(domain)["knot"]["serial"] == domain["serial"],
                            BACK_SECONDS, "knot, too, is seen to serve the new domain")
        self.stopped(knot)
        serial = self.change(domain, put("www.enough.example.", "192.0.2.1"))
        self.settled(domain, serial)

        self.fleet.wait_for(lambda: self.status_of(domain)["knot"]["status"] == "ERROR", 20,
                            "the status names the server that lags")
        servers = self.status_of(domain)
        self.assertIn("no answer", servers["knot"]["reason"])
        self.assertLess(servers["knot"]["serial"], serial)
        for name in "bind", "nsd":
            self.assertEqual((servers[name]["status"], servers[name]["serial"]),
                             ("SUCCESS", serial))
        shown = self.fleet.cli("--admin", "status", domain["name"], as_json=False)
        self.assertRegex(shown, r"(?m)^knot .*ERROR.*no answer")
        self.assertRegex(shown, r"(?m)^bind .*SUCCESS")

        self.start(knot)
        self.wait_served(knot, "enough.example.", serial)
        self.fleet.wait_for(lambda: self.status_of(domain)["knot"]["serial"] == serial,
                            BACK_SECONDS, "the status says that it is back")

    def test_all_are_needed(self):
        bind = self.fleet.bind
        domain = self.create("all.example.")
        self.stopped(bind)
        serial = self.change(domain, put("www.all.example.", "192.0.2.1"))
        self.fleet.wait_state(domain["id"], "UPDATE ERROR")
        self.fleet.wait_for(lambda: self.status_of(domain)["bind"]["status"] == "ERROR", 20,
                            "bind is in error")
        self.start(bind)
        self.settled(domain, serial)
        self.assert_served("all.example.", "www.all.example.", "192.0.2.1")

    def test_an_empty_server_gets_its_domains_again(self):
        domain = self.create("again.example.")
        serial = self.change(domain, put("www.again.example.", "192.0.2.1"))
        self.settled(domain, serial)
        for server in self.fleet.name_servers:
            with self.subTest(server.name):
                self.stopped(server)
                wipe(server)
                self.start(server)
                self.assertIsNone(server.serial("again.example."))
                self.wait_served(server, "again.example.", serial)

    def test_a_server_that_was_away_for_long(self):
        """The times of its rows are far away then: who is back is not left waiting for them."""
        self.begin(threshold=67)
        knot = self.fleet.knot
        domains = [self.create(f"away{number}.example.") for number in range(LATE)]
        self.stopped(knot)
        for domain in domains:
            self.change(domain, put(f"www.{domain['name']}", "192.0.2.1"))
        failures = "SELECT failures FROM pool_servers WHERE id = 'knot'"
        self.fleet.wait_for(lambda: int(self.fleet.mariadb.sql(failures)[0][0]) >= GIVEN_UP,
                            BACK_SECONDS, "knot is given up, but for a probe now and then")
        self.fleet.mariadb.sql("UPDATE pool_manager_status SET attempts = 10, next_attempt_at = "
                               "NOW(3) + INTERVAL 600 SECOND WHERE server_id = 'knot' AND "
                               "next_attempt_at IS NOT NULL")
        over = time.monotonic() + POLL_SECONDS
        self.fleet.wait_for(lambda: time.monotonic() > over, 2 * POLL_SECONDS,
                            "the polls of before are over")
        self.start(knot)
        for domain in domains:
            self.fleet.wait_for(lambda: self.status_of(domain)["knot"]["status"] == "SUCCESS",
                                BACK_SECONDS, f"knot is seen to have {domain['name']}")

    def test_created_and_deleted_and_created_again(self):
        nsd = self.fleet.nsd
        first = self.create("twice.example.")
        self.stopped(nsd)
        self.delete(first)
        self.fleet.wait_state(first["id"], "DELETE ERROR")
        self.start(nsd)
        self.fleet.wait_state(first["id"], "NONE DELETED", BACK_SECONDS)
        second = self.create("twice.example.")
        self.assertNotEqual(first["id"], second["id"])
        self.assertGreater(second["serial"], first["serial"])
        for server in self.fleet.name_servers:
            self.assertEqual(server.serial("twice.example."), second["serial"])

    def test_the_name_lives_again_while_a_server_is_away(self):
        self.begin(threshold=67)
        nsd = self.fleet.nsd
        first = self.create("soon.example.")
        self.stopped(nsd)
        self.delete(first)
        self.fleet.wait_state(first["id"], "NONE DELETED", BACK_SECONDS)
        second = self.create("soon.example.")
        serial = self.change(second, put("www.soon.example.", "192.0.2.9"))
        self.settled(second, serial)
        self.start(nsd)
        self.wait_served(nsd, "soon.example.", serial)
        self.assert_served("soon.example.", "www.soon.example.", "192.0.2.9")

    def test_a_deletion_waits_for_a_server_that_is_away(self):
        knot = self.fleet.knot
        domain = self.create("lasting.example.")
        self.stopped(knot)
        self.delete(domain)
        self.assertIn("knot", self.fleet.wait_state(domain["id"], "DELETE ERROR"))
        for server in self.fleet.bind, self.fleet.nsd:
            self.fleet.wait_for(lambda: self.is_absent(server, "lasting.example."),
                                BACK_SECONDS, f"{server.name} has dropped it")
        self.assertIn(self.fleet.state(domain["id"])[0], ("DELETE ERROR", "DELETE PENDING"))
        self.start(knot)
        self.fleet.wait_state(domain["id"], "NONE DELETED", BACK_SECONDS)
        self.assert_absent("lasting.example.")


class Sizes(SpineStory):

    def test_many_domains_at_once(self):
        names = [f"many{number}.example." for number in range(MANY)]
        domains = [self.create(name, wait=False) for name in names]
        for domain in domains:
            self.settled(domain, seconds=60)
        for server in self.fleet.name_servers:
            self.assertEqual([server.serial(name) for name in names],
                             [domain["serial"] for domain in domains], server.name)

    def test_a_real_zone_and_its_next_versions(self):
        versions = root_zone_versions(self.folder)
        for path in versions:
            records = zone_file(path, ".")
            result = import_zone(self.caller, ".", records)
            self.assertEqual(result["records"] + 1, len(records), path.name)
            self.caller.settled(".", serial=result["serial"], seconds=60)
            self.assertIn(f" {result['serial']} ",
                          next(line for line in records if line.split()[3] == "SOA"))
        for server in self.fleet.name_servers:
            self.assertTrue(server.axfr(".") == records, f"{server.name} has another zone")


if __name__ == "__main__":
    unittest.main(verbosity=2)

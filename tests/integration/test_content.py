"""A server with other records than ours under our serial: the domain says so until it is equal.

A server that a comparison finds different counts against the domain at once. The pool manager
orders a transfer. Only another comparison clears the error, because a poll sees serials only. If
the server then refuses to be compared, it is trusted once it has transferred the whole zone.
"""

import contextlib
import os
import signal
import sqlite3
import sys
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import drift                                                            # noqa: E402
from lab.process import HOST, free_port                                 # noqa: E402
from story import LabError, wait_for                                    # noqa: E402
from test_follow import RIGHT, SECONDS, WRONG, Story, edited, put, www  # noqa: E402

WORDS = "serves records that differ from the database"


@contextlib.contextmanager
def deaf(bind):
    """Nobody has the key to command it; what it was told stays."""
    away = bind.key_file.with_suffix(".away")
    bind.key_file.rename(away)
    try:
        yield
    finally:
        away.rename(bind.key_file)


class Edited(Story):

    def edit(self, server, domain):
        """Another address, the same serial."""
        drift.replace(server, domain["name"],
                      edited(drift.transferred(server, domain["name"]), 0))
        wait_for(lambda: drift.address(server, www(domain["name"])) == WRONG, 10,
                 f"{server.name} serves what was edited")

    def look(self, domain):
        self.fleet.cli("sync", domain["name"], "--deep", "--admin")

    def polled(self, domain, server):
        """How often the server was said to have the domain's serial."""
        words = (f"server reported: domain={domain['name']} server={server.name} "
                 f"status=SUCCESS serial={domain['serial']}")
        return sum(worker.log.read_text().count(words) for worker in self.fleet.poolmgrs)

    def test_each_server_is_put_right(self):
        servers = self.fleet.name_servers
        domains = [self.create(f"{server.name}.edited.example.") for server in servers]
        for server, domain in zip(servers, domains):
            self.edit(server, domain)
            self.look(domain)
        for server, domain in zip(servers, domains):
            with self.subTest(server=server.name):
                now = self.follow(domain)
                self.assertEqual(now["serial"], domain["serial"])
                self.assertIn(("UPDATE", "ERROR", f"{server.name}: {WORDS}"),
                              self.history(domain))
                self.assertEqual(self.owed(domain), [])
                self.change(domain, "192.0.2.2")

    def owed(self, domain):
        return self.fleet.mariadb.sql(
            "SELECT server_id FROM pool_manager_status WHERE (differs_since IS NOT NULL OR "
            f"compare_at IS NOT NULL) AND domain_id = '{domain['id']}'")

    def test_a_poll_lifts_nothing(self):
        """The server takes no order meanwhile, and has the right serial."""
        bind, domain = self.fleet.bind, self.create("polled.example.")
        self.edit(bind, domain)
        with deaf(bind):
            self.look(domain)
            self.assertEqual(self.fleet.wait_state(domain["id"], "UPDATE ERROR"),
                             f"bind: {WORDS}")
            seen = self.polled(domain, bind)
            self.fleet.cli("sync", domain["name"], "--admin")
            self.fleet.wait_for(lambda: self.polled(domain, bind) > seen, SECONDS, "it is polled")
            self.assertEqual(self.fleet.state(domain["id"]), ("UPDATE ERROR", f"bind: {WORDS}"))
            self.assertEqual(drift.address(bind, www(domain["name"])), WRONG)
        self.follow(domain)

    def test_one_that_refuses_to_be_compared(self):
        bind, domain = self.fleet.bind, self.create("hidden.example.")
        self.edit(bind, domain)
        with deaf(bind):
            self.look(domain)
            self.fleet.wait_state(domain["id"], "UPDATE ERROR")
            self.refuse_transfers(bind, domain)
        self.follow(domain)
        self.assertIn("the server has transferred the zone, and refuses the comparison",
                      "".join(worker.log.read_text() for worker in self.fleet.poolmgrs))

    def test_one_that_loses_the_zone(self):
        """A refused comparison is no difference, and the zone that is created again is compared."""
        bind, domain = self.fleet.bind, self.create("lost.example.")
        key_file = bind.key_file.with_suffix(".away")
        self.edit(bind, domain)
        with deaf(bind):
            self.look(domain)
            self.fleet.wait_state(domain["id"], "UPDATE ERROR")
            self.assert_shown(bind, domain)
            self.fleet.wait_for(lambda: self.ended(domain), SECONDS, "the repair fails")
            with mock.patch.object(bind, "key_file", key_file):
                drift.remove(bind, domain["name"])
            self.look(domain)
            self.fleet.wait_for(lambda: self.lost(bind, domain), SECONDS, "the zone is missed")
        self.look(domain)
        self.follow(domain)
        status = self.caller.get_status(domain=domain["id"])["domain"]
        self.assertEqual(status["consensus"], {"current": 4, "servers": 4})
        self.assertNotIn(WORDS, str(status["servers"]))
        self.assertEqual(self.drifts(domain), [])
        self.assertEqual([worker.log.read_text().count(f"server differs: domain={domain['name']} "
                                                       'server=bind reason=""')
                          for worker in self.fleet.poolmgrs], [0] * len(self.fleet.poolmgrs))

    def test_one_that_is_put_right_by_hand(self):
        """Before the second comparison: the drift of the first is over with a comparison."""
        bind, domain = self.fleet.bind, self.create("hand.example.")
        right = drift.transferred(bind, domain["name"])
        self.edit(bind, domain)
        with deaf(bind):
            self.look(domain)
            self.fleet.wait_state(domain["id"], "UPDATE ERROR")
            with mock.patch.object(bind, "key_file", bind.key_file.with_suffix(".away")):
                drift.replace(bind, domain["name"], right)
            self.look(domain)
            self.caller.settled(domain["id"], seconds=SECONDS)
            status = self.caller.get_status(domain=domain["id"])["domain"]
            self.assertEqual(status["consensus"], {"current": 4, "servers": 4})
            self.assertEqual(self.drifts(domain), [])

    def assert_shown(self, bind, domain):
        """The server counts as failed, and its difference is named once."""
        row = self.fleet.wait_for(lambda: self.differing(bind, domain), SECONDS, "it is named")
        self.assertEqual(row["status"], "ERROR")
        self.assertRegex(row["reason"], f"^{WORDS}: serves 1 record that is not in serial ")
        self.assertEqual(row["reason"].count("that is not in serial"), 1, row["reason"])
        server, = (server for server in self.fleet.cli("servers", "--admin")["servers"]
                   if server["id"] == bind.name)
        self.assertGreaterEqual(server["domains_failed"], 1)
        self.assertTrue(server["last_error"])

    def differing(self, server, domain):
        """Its row, when that names the difference."""
        rows = self.caller.get_status(domain=domain["id"])["domain"]["servers"]
        return next((row for row in rows if (row["id"], row["action"]) == (server.name, "UPDATE")
                     and "that is not in serial" in row["reason"]), None)

    def ended(self, domain):
        return self.fleet.mariadb.sql("SELECT outcome FROM repair_log WHERE kind = 'CONTENT' "
                                      f"AND object_uuid = '{domain['id']}'")

    def drifts(self, domain):
        return self.fleet.mariadb.sql("SELECT kind, state, detail FROM repairs "
                                      f"WHERE object_uuid = '{domain['id']}'")

    def lost(self, server, domain):
        """A poll and a comparison have missed the zone."""
        words = f"content not compared: domain={domain['name']} server={server.name} "
        return self.fleet.mariadb.sql(
            "SELECT 1 FROM pool_manager_status WHERE action = 'UPDATE' AND status = 'NO_DOMAIN' "
            f"AND server_id = '{server.name}' AND domain_id = '{domain['id']}'") and any(
                words in worker.log.read_text() for worker in self.fleet.workers
                if worker.kind == "minidns")

    def refuse_transfers(self, bind, domain):
        """By its configuration, which has the key in itself from now on."""
        key = bind.key_file.with_suffix(".away").read_text()
        text = bind.config.read_text()
        self.addCleanup(bind.restart)
        self.addCleanup(bind.config.write_text, text)
        bind.config.write_text(text.replace(f'include "{bind.key_file}";', key).replace(
            f"allow-transfer {{ {bind.host}; }}", "allow-transfer { none; }"))
        os.kill(bind.pid, signal.SIGHUP)

        def refused():
            with contextlib.suppress(LabError):
                return not bind.axfr(domain["name"])
            return True
        wait_for(refused, 10, "BIND refuses transfers", [bind.log])


class Tolerated(Edited):
    """Of three servers two suffice: who differs is put right, and the domain stays ACTIVE."""

    name_servers = ("bind", "knot", "nsd")
    settings = {"poolmgr": {"threshold_percentage": 66}}

    test_each_server_is_put_right = test_a_poll_lifts_nothing = None
    test_one_that_refuses_to_be_compared = test_one_that_loses_the_zone = None
    test_one_that_is_put_right_by_hand = None

    def test_one_of_three(self):
        domain = self.create("tolerated.example.")
        # it is ACTIVE as soon as two have it
        self.fleet.wait_for(lambda: self.reached(domain) == 3, SECONDS, "all three have it")
        self.edit(self.fleet.bind, domain)
        self.look(domain)
        self.fleet.wait_for(lambda: drift.address(self.fleet.bind, www(domain["name"])) == RIGHT,
                            SECONDS, "BIND serves our records")
        self.assertNotIn("ERROR", [status for _, status, _ in self.history(domain)])

    def reached(self, domain):
        """How many servers were seen with its serial."""
        return int(self.fleet.mariadb.sql(
            "SELECT COUNT(DISTINCT server_id) FROM pool_manager_status WHERE "
            f"serial_number = {domain['serial']} AND domain_id = '{domain['id']}'")[0][0])


# its signatures have different TTLs at one name (RFC 4034, 3: each has the TTL of what it covers)
SIGNED = """\
$ORIGIN rrsig.example.
@ 3600 IN SOA ns1.example.net. h.example.net. 1 3600 600 86400 300
@ 3600 IN NS ns1.example.net.
@ 60 IN A 192.0.2.1
@ 3600 IN RRSIG NS 8 2 3600 20300101000000 20200101000000 1 rrsig.example. AAAA
@ 60 IN RRSIG A 8 2 60 20300101000000 20200101000000 1 rrsig.example. AAAA
"""


class OtherForm(Story):
    """PowerDNS, whose database has its own idea of a TTL: each transfer ends with the same."""

    name_servers = ("powerdns",)
    settings = {"poolmgr": {"compare_every": 1, "periodic_sync_interval": 2}}
    SETTLED = ("two transfers of the zone changed nothing: the server serves these records in a "
               "different form; ")

    def change_database(self, *statements):
        with contextlib.closing(sqlite3.connect(self.fleet.powerdns.database)) as database, database:
            for statement in statements:
                database.execute(statement)

    def log(self, domain):
        return self.fleet.mariadb.sql(
            "SELECT outcome, detail FROM repair_log WHERE kind = 'CONTENT' "
            f"AND object_uuid = '{domain['id']}' ORDER BY done_at")

    def wait_repair(self, domain, number):
        """And the pause behind it is over."""
        self.fleet.wait_for(lambda: len(self.log(domain)) >= number, SECONDS,
                            f"repair {number} of {domain['name']}")
        self.fleet.mariadb.sql("UPDATE repair_log SET done_at = done_at - INTERVAL 3 MINUTE "
                               f"WHERE object_uuid = '{domain['id']}'")

    def differences(self, domain):
        words = f"server differs from the database: domain={domain['name']} server=powerdns serial="
        return sum(worker.log.read_text().count(words) for worker in self.fleet.workers
                   if worker.kind == "minidns")

    def test_repairs_without_effect(self):
        domain, name = self.create("form.example."), "www.form.example"
        self.change_database(
            f"CREATE TRIGGER form AFTER INSERT ON records WHEN NEW.name = '{name}' BEGIN "
            "UPDATE records SET ttl = ttl - 1 WHERE id = NEW.id; END")
        self.caller.apply_changes(domain=domain["id"],
                                  changes=[put(www(domain["name"]), "192.0.2.2")])
        self.fleet.wait_state(domain["id"], "UPDATE ERROR")
        for number in 1, 2:
            self.wait_repair(domain, number)
        self.caller.settled(domain["id"], seconds=SECONDS)
        log = self.log(domain)
        self.assertEqual([outcome for outcome, _ in log], ["DONE", "DONE", "PARKED"])
        self.assertEqual(log[0], log[1])
        self.assertEqual(log[2][1], self.SETTLED + log[0][1])
        shown = [repair for repair in self.caller.find_repairs()["repairs"]
                 if repair["name"] == domain["name"] and repair["done_at"] is None]
        self.assertEqual([(row["kind"], row["state"], row["detail"]) for row in shown],
                         [("CONTENT", "PARKED", self.SETTLED + log[0][1])])
        status = self.caller.get_status(domain=domain["id"])["domain"]
        self.assertEqual(status["consensus"], {"current": 1, "servers": 1})
        self.assertIn(self.SETTLED + log[0][1], status["servers"][-1]["reason"])
        # it is found again, and the domain is as good as before
        seen = self.differences(domain)
        self.fleet.wait_for(lambda: self.differences(domain) > seen + 1, SECONDS,
                            "it is compared again")
        self.assertEqual(self.fleet.state(domain["id"])[0], "NONE ACTIVE")
        self.assertEqual(len(self.log(domain)), 3)
        # another difference is none that is known
        self.change_database(f"UPDATE records SET content = '{WRONG}' WHERE name = '{name}' "
                             "AND type = 'A'")
        self.fleet.wait_state(domain["id"], "UPDATE ERROR")
        self.wait_repair(domain, 4)
        self.assertEqual(self.log(domain)[3][0], "DONE")
        self.assertEqual(drift.address(self.fleet.powerdns, www(domain["name"])), "192.0.2.2")


    def test_records_of_signers(self):
        """PowerDNS drops them: the change warns, two transfers show it, and the domain is ACTIVE."""
        path, name = self.folder / "rrsig.zone", "rrsig.example"
        path.write_text(SIGNED)
        warning = ("'{}': PowerDNS (powerdns) does not serve these records, because PowerDNS "
                   "accepts no RRSIG, NSEC, NSEC3, NSEC3PARAM, DNSKEY, CDS or CDNSKEY records from "
                   "other servers").format
        made = self.fleet.cli("domain", "import", name, path)
        self.assertEqual(made["warnings"], [warning(f"{name}. RRSIG")])
        domain = {"id": made["id"], "name": f"{name}."}
        self.settle_without(domain)
        self.assertEqual(       # nothing for an operator
            self.fleet.cli("status", "--admin")["problems"], [])
        for rtype, data in (("CDS", "0 0 0 00"), ("NSEC3PARAM", "1 0 0 -"),
                            ("DNSKEY", "256 3 13 AQPSKmynfzW4kyBv015MUG2DeIQ3")):
            added = self.fleet.cli("record", "add", name, "@", rtype, data)
            self.assertIn(warning(f"{name}. {rtype}"), added["warnings"])

    def settle_without(self, domain):
        """The server gets the zone twice, and not a third time for nothing."""
        for number in 1, 2:
            self.wait_repair(domain, number)
        self.caller.settled(domain["id"], seconds=SECONDS)
        log = self.log(domain)
        self.assertEqual([outcome for outcome, _ in log], ["DONE", "DONE", "PARKED"])
        self.assertEqual(log[2][1], self.SETTLED + log[0][1])
        seen = self.differences(domain)
        self.fleet.wait_for(lambda: self.differences(domain) > seen + 1, SECONDS,
                            "it is compared again")
        self.assertEqual(self.fleet.state(domain["id"])[0], "NONE ACTIVE")
        self.assertEqual(self.log(domain), log)


class Cut(OtherForm, Edited):
    """Knot takes the order to transfer a zone, but does not reach mini-DNS."""

    name_servers = ("knot",)

    test_each_server_is_put_right = test_a_poll_lifts_nothing = None
    test_one_that_refuses_to_be_compared = test_repairs_without_effect = None
    test_records_of_signers = None
    test_one_that_loses_the_zone = test_one_that_is_put_right_by_hand = None

    def test_orders_that_it_cannot_execute(self):
        knot, domain = self.fleet.knot, self.create("cut.example.")
        self.edit(knot, domain)
        self.set_masters(knot, [(HOST, free_port()) for _ in knot.masters])
        self.fleet.wait_state(domain["id"], "UPDATE ERROR")
        for number in range(1, 5):      # after two transfers, this would be its own form
            self.wait_repair(domain, number)
            self.assertEqual(self.fleet.state(domain["id"]), ("UPDATE ERROR", f"knot: {WORDS}"))
        self.assertEqual({outcome for outcome, _ in self.log(domain)}, {"DONE"})
        self.assertEqual(drift.address(knot, www(domain["name"])), WRONG)
        self.set_masters(knot, knot.masters)
        self.look(domain)
        self.follow(domain)

    def set_masters(self, knot, masters):
        knot.knotc("conf-begin")
        for number, (address, port) in enumerate(masters):
            remote = f"remote[master{number}].address"
            knot.knotc("conf-unset", remote)
            knot.knotc("conf-set", remote, f"{address}@{port}")
        knot.knotc("conf-commit")


if __name__ == "__main__":
    unittest.main()

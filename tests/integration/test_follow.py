"""A server that answers, and does not follow: it is made to, soon, on every backend.

Its serial is ahead of ours, edited by hand or from before the database went back; it keeps
its primary on a list of those it will not ask; it has what is left of a former zone. Until
it is put right the domain says so.
"""

import contextlib
import re
import shutil
import socket
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

import dns.flags
import dns.message
import dns.rrset

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import drift                                                            # noqa: E402
from lab.process import HOST, free_port                                 # noqa: E402
from oslo_messaging import RemoteError                                  # noqa: E402
from story import (ROOT, Caller, import_zone, program, put, run,         # noqa: E402
                   start_fleet, wait_for)

SECONDS = 30            # until a server follows, when the last fault is over
DRIVEN = ("bind", "knot", "nsd", "powerdns")
RIGHT, WRONG = "192.0.2.1", "192.0.2.99"
DAY = 86400
HALF = 1 << 31          # of all serials: RFC 1982 calls neither of two that are so far apart newer


def www(zone):
    return f"www.{zone}"


def edited(lines, ahead):
    """The zone with the serial so far AHEAD, and another address."""
    def line(text):
        fields = text.split()
        if fields[3] == "SOA":
            fields[6] = str(int(fields[6]) + ahead & 0xffffffff)
        return " ".join(WRONG if field == RIGHT else field for field in fields)
    return [line(text) for text in lines]


class Story(unittest.TestCase):

    name_servers = DRIVEN
    servers = None
    settings = None

    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="zffollow"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.fleet = cls.enterClassContext(start_fleet(
            cls.folder / "fleet", name_servers=cls.name_servers, servers=cls.servers,
            settings=cls.settings))
        cls.caller = Caller(cls.fleet.rabbitmq.url)
        cls.addClassCleanup(cls.caller.close)

    def create(self, name, address=RIGHT):
        domain = self.caller.create_domain(domain={"name": name})
        return self.change(domain, address)

    def change(self, domain, address):
        """Returns the domain as it is when its servers have the address."""
        done = self.caller.apply_changes(domain=domain["id"],
                                         changes=[put(www(domain["name"]), address)])
        self.caller.settled(domain["id"], serial=done["serial"], seconds=SECONDS)
        return self.caller.get_domain(domain=domain["id"])

    def follow(self, domain, address=RIGHT, servers=None):
        """Until the domain is ACTIVE, and its servers serve its serial and the address."""
        for server in servers or self.fleet.name_servers:
            self.fleet.wait_for(lambda: drift.address(server, www(domain["name"])) == address,
                                SECONDS, f"{server.name} serves {domain['name']} as it should")
        self.caller.settled(domain["id"], seconds=SECONDS)
        now = self.caller.get_domain(domain=domain["id"])
        for server in servers or self.fleet.name_servers:
            wait_for(lambda: drift.serial(server, domain["name"]) == now["serial"], SECONDS,
                     f"{server.name} serves {domain['name']} {now['serial']}")
        return now

    def repairs(self, domain, server):
        return self.fleet.mariadb.sql(
            "SELECT action, outcome, detail FROM repair_log WHERE kind = 'SERIAL' "
            f"AND object_uuid = '{domain['id']}' AND server_id = '{server.name}' "
            "ORDER BY done_at")

    def history(self, domain):
        """The states that central moved it to, and why."""
        lines = "".join(worker.log.read_text() for worker in self.fleet.workers
                        if worker.kind == "central")
        return re.findall(rf'domain status changed: domain={re.escape(domain["name"])} '
                          r'.*?task=(\w+) status=(\w+) reason="(.*)"', lines)


class Quick:
    """For the servers of each class that is made of it and of Story."""

    def test_names_that_come_and_go_quickly(self):
        """Twenty times, as soon as the name is free, with a record each time."""
        zones = [f"quick{number}.example." for number in range(5)]
        domains = [self.create_soon(zone) for zone in zones]
        for round in range(2, 5):
            for domain in domains:
                self.caller.delete_domain(domain=domain["id"])
            domains = [self.create_soon(zone, f"192.0.2.{round}") for zone in zones]
        for domain in domains:
            self.follow(domain, "192.0.2.4")

    def create_soon(self, zone, address=RIGHT):
        def created():
            with contextlib.suppress(RemoteError):      # it goes still
                return self.caller.create_domain(domain={"name": zone})
        domain = self.fleet.wait_for(created, SECONDS, f"{zone} is free again")
        self.caller.apply_changes(domain=domain["id"], changes=[put(www(zone), address)])
        return domain


class Driven(Quick, Story):
    """Servers that are told what to do."""

    def test_one_whose_serial_is_ahead(self):
        """It refuses ours as older: a transfer is ordered, and the domain says what is wrong."""
        servers = self.fleet.name_servers
        domains = [self.create(f"{server.name}.ahead.example.") for server in servers]
        for server, domain in zip(servers, domains):
            drift.replace(server, domain["name"],
                          edited(drift.transferred(server, domain["name"]), DAY))
            wait_for(lambda: drift.address(server, www(domain["name"])) == WRONG
                     or self.repairs(domain, server), 10, f"{server.name} serves what was edited")
            self.fleet.cli("sync", domain["name"], "--admin")
        for server, domain in zip(servers, domains):
            with self.subTest(server=server.name):
                now = self.follow(domain)
                self.assertEqual(now["serial"], domain["serial"])
                served = f"serial {domain['serial'] + DAY}"
                # A busy server may have been made to transfer before, when it was behind.
                self.assertIn([
                    "TRANSFER", "DONE",
                    "the pool manager ordered the server to transfer the zone; the server "
                    f"served {served}; the database has serial {domain['serial']}"],
                    self.repairs(domain, server))
                self.assertIn(("UPDATE", "ERROR", f"{server.name}: serves {served}, "
                               "which zonefleet did not issue"), self.history(domain))
                self.change(domain, "192.0.2.2")

    def test_one_that_became_a_primary_by_hand(self):
        """BIND refuses to transfer it, whatever its settings say: the zone is set up again."""
        bind = self.fleet.bind
        domains = {ahead: self.create(f"hand{ahead}.example.") for ahead in (0, DAY)}
        for ahead, domain in domains.items():
            name = domain["name"]
            right = drift.transferred(bind, name)
            settings = bind.rndc("showzone", name).split(" ", 2)[2].rstrip("; \n")
            bind.remove_zone(name)
            bind.add_primary_zone(name, "\n".join(edited(right, ahead)))
            bind.rndc("modzone", name, settings + ";")
            self.fleet.cli("sync", name, "--deep", "--admin")
        for ahead, domain in domains.items():
            with self.subTest(ahead=ahead):
                self.follow(domain)
                self.assertIn("type: secondary", bind.rndc("zonestatus", domain["name"]))
                self.assertIn(["RENEW", "DONE"], self.fleet.mariadb.sql(
                    "SELECT action, outcome FROM repair_log WHERE server_id = 'bind' "
                    f"AND object_uuid = '{domain['id']}'"))

    def test_one_whose_serial_is_half_of_all_away(self):
        """As far ahead as it can be, and as far behind: it serves ours in the end."""
        cases = [(server, ahead, self.caller.create_domain(
                      domain={"name": f"{server.name}{ahead}.half.example."}))
                 for server in self.fleet.name_servers for ahead in (HALF - 2, HALF + 2)]
        for _, _, domain in cases:
            self.caller.apply_changes(domain=domain["id"],
                                      changes=[put(www(domain["name"]), RIGHT)])
        cases = [(server, ahead, self.follow(domain)) for server, ahead, domain in cases]
        for server, ahead, domain in cases:
            drift.replace(server, domain["name"],
                          edited(drift.transferred(server, domain["name"]), ahead))
            self.fleet.cli("sync", domain["name"], "--admin")
        for server, ahead, domain in cases:
            with self.subTest(server=server.name, ahead=ahead):
                self.assertEqual(self.follow(domain)["serial"], domain["serial"])
                if ahead < HALF:
                    self.assertIn(["TRANSFER", "DONE"],
                                  [row[:2] for row in self.repairs(domain, server)])

    def test_what_is_left_of_a_former_zone(self):
        """Ahead of the new one, on all servers: none was told that the former is gone."""
        zone = "former.example."
        former = self.create(zone)
        for server in self.fleet.name_servers:
            drift.replace(server, zone, edited(drift.transferred(server, zone), DAY))
        self.fleet.mariadb.sql(
            f"DELETE FROM pool_manager_status WHERE domain_id = '{former['id']}'; "
            "UPDATE domains SET task = 'NONE', status = 'DELETED' "
            f"WHERE id = '{former['id']}'")
        new = self.create(zone, "192.0.2.3")
        self.assertNotEqual(new["id"], former["id"])
        self.follow(new, "192.0.2.3")

    def test_a_database_from_before(self):
        """What was changed since is ahead on all servers, and what was made since is strange."""
        still, changed = self.create("still.example."), self.create("changed.example.")
        copy = self.folder / "copy.sql"
        self.dump(copy)
        self.change(changed, "192.0.2.7")
        later = self.change(changed, WRONG)
        self.restore(copy)
        self.follow(still)
        now = self.follow(changed)
        self.assertLess(now["serial"], later["serial"])
        for server in self.fleet.name_servers:
            self.assertIn(["TRANSFER", "DONE"],
                          [row[:2] for row in self.repairs(changed, server)])
            self.assertEqual(self.repairs(still, server), [])

    def dump(self, path):
        database = self.fleet.mariadb
        run([program("mariadb-dump"), "--no-defaults", "--single-transaction", "--hex-blob",
             f"--socket={database.socket}", f"--user={database.administrator}",
             f"--result-file={path}", database.database])

    def restore(self, path):
        for worker in self.fleet.workers:
            worker.stop()
        self.fleet.mariadb.sql(path.read_text(), administrator=True)
        for worker in self.fleet.workers:
            worker.launch()
        for worker in self.fleet.workers:
            worker.wait_ready()


class Kept(Story):
    """NSD keeps the file of a zone that is deleted, and begins with it when the name comes back."""

    name_servers = ("nsd",)
    settings = {"central": {"sweep": 1, "tombstone_age": 60}}
    SERIAL = 2026032608         # a date, which is newer than the seconds since 1970

    def test_a_zone_file_of_a_deleted_domain(self):
        zone, nsd, sql = "stale.example.", self.fleet.nsd, self.fleet.mariadb.sql
        import_zone(self.caller, zone, [
            f"{zone} 60 IN SOA ns1.example.net. h.example.net. {self.SERIAL} 3600 600 86400 60",
            f"{zone} 60 IN NS ns1.example.net.", f"old.{zone} 60 IN A {WRONG}"])
        self.caller.settled(zone, seconds=SECONDS)
        old = self.caller.get_domain(domain=zone)
        self.assertEqual(old["serial"], self.SERIAL)
        nsd.control("write", zone)          # by default NSD does so each hour
        kept = nsd.folder / "data" / f"{zone}.zone"
        wait_for(kept.exists, SECONDS, "NSD has written the file")
        self.caller.delete_domain(domain=zone)
        self.fleet.wait_state(old["id"], "NONE DELETED", SECONDS)
        self.assertTrue(kept.exists())
        sql("UPDATE domains SET updated_at = updated_at - INTERVAL 1 HOUR "
            f"WHERE id = '{old['id']}'")
        self.fleet.wait_for(lambda: self.fleet.state(old["id"])[0] == "gone", SECONDS,
                            "its row is gone")
        new = self.create(zone, "192.0.2.5")
        self.assertGreater(new["serial"], self.SERIAL)
        self.follow(new, "192.0.2.5")
        self.assertIsNone(drift.address(nsd, f"old.{zone}"))

    def test_the_documented_pattern_keeps_no_file(self):
        zone, nsd = "fresh.example.", self.fleet.nsd
        self.use_documented_pattern(nsd)
        old = self.create(zone)
        nsd.control("write", zone)
        self.caller.delete_domain(domain=zone)
        self.fleet.wait_state(old["id"], "NONE DELETED", SECONDS)
        self.assertEqual([path.name for path in (nsd.folder / "data").rglob("*fresh*")], [])
        minidns = [worker for worker in self.fleet.workers if worker.kind == "minidns"]
        for worker in minidns:
            worker.stop()
        new = self.caller.create_domain(domain={"name": zone})
        wait_for(lambda: nsd.query(zone, "SOA") == ("SERVFAIL", []), SECONDS,
                 "NSD has the zone, and no records of it")
        for worker in minidns:
            worker.restart()
        self.follow(self.change(new, "192.0.2.6"), "192.0.2.6")

    def use_documented_pattern(self, nsd):
        """The one of deploy/name-servers.md, with the masters of the fleet."""
        document = (ROOT / "deploy" / "name-servers.md").read_text()
        pattern = re.search(r"^    (pattern:\n(?: {8}.*\n)+)", document, re.M)[1]
        masters = ["%s@%d" % master for master in nsd.masters]
        pattern = pattern.replace("MASTER", masters[0]).replace("192.0.2.53", HOST)
        config = nsd.config.read_text()
        self.addCleanup(nsd.control, "reconfig")
        self.addCleanup(nsd.config.write_text, config)
        nsd.config.write_text(config.partition("pattern:")[0] + pattern)
        nsd.control("reconfig")


class Restored(Story):
    """From a copy of its disk: it answers with a serial that it once had."""

    name_servers = ("bind",)
    settings = {"poolmgr": {"periodic_sync_interval": 2}}

    def test_an_older_serial(self):
        """The domain is in error until the server has caught up, though it was ACTIVE before."""
        bind, domain = self.fleet.bind, self.create("restored.example.")
        copy = drift.transferred(bind, domain["name"])
        domain = self.change(domain, "192.0.2.2")
        # the copy has another primary, which is silent: a NOTIFY does not help
        masters, bind.masters = bind.masters, [(HOST, free_port())]
        drift.replace(bind, domain["name"], copy)
        bind.masters = masters

        def in_error():
            return [reason for task, status, reason in self.history(domain)
                    if (task, status) == ("UPDATE", "ERROR")]
        found = self.fleet.wait_for(in_error, SECONDS, "it is in error")
        self.assertRegex(found[0], "^bind: ")
        self.follow(domain, "192.0.2.2")
        status = self.caller.get_status(domain=domain["id"])
        self.assertEqual(status["domain"]["consensus"]["current"], 1)


class Asked(Story):

    name_servers = ("bind",)

    def test_an_administrator_waits_for_no_pause(self):
        """Five orders of a moment ago had no effect: the next is due in 80 s."""
        bind, domain = self.fleet.bind, self.create("asked.example.")
        for number in range(5):
            self.fleet.mariadb.sql(
                "INSERT INTO repair_log (id, object_uuid, server_id, kind, pool_name, name, serial, "
                "action, outcome, pass1_at, pass2_at, done_at, worker) VALUES "
                f"('asked{number}', '{domain['id']}', 'bind', 'SERIAL', 'default', 'asked.example.', "
                f"{domain['serial']}, 'TRANSFER', 'DONE', NOW(3), NOW(3), NOW(3), 'w')")
        drift.replace(bind, domain["name"], edited(drift.transferred(bind, domain["name"]), DAY))
        self.fleet.cli("sync", domain["name"], "--admin")
        self.fleet.wait_state(domain["id"], "UPDATE ERROR")
        self.fleet.cli("sync", domain["name"], "--admin")
        self.assertEqual(len(self.repairs(domain, bind)), 5)
        self.fleet.cli("sync", domain["name"], "--deep", "--admin")
        self.follow(domain)


    def test_one_that_refuses_a_record(self):
        """BIND transfers the zone again and again. Nothing takes the zone that it serves away."""
        bind, domain = self.fleet.bind, self.create("refuses.example.")
        self.caller.apply_changes(domain=domain["id"], changes=[{
            "op": "add", "name": "*.w.refuses.example.", "type": "NS",
            "records": ["ns1.example.net."]}])

        def ordered():
            return [row for row in self.fleet.cli("repairs", "--admin")["repairs"]
                    if row["name"] == domain["name"] and row["kind"] == "SERIAL"]
        rows = self.fleet.wait_for(lambda: len(ordered()) > 1 and ordered(), SECONDS,
                                   "the pool manager has ordered two transfers")
        self.assertEqual({row["state"] for row in rows}, {"ORDERED"})
        self.assertEqual({row[0] for row in self.repairs(domain, bind)}, {"TRANSFER"})

        def is_sent():
            rows = self.caller.get_status(domain=domain["id"])["domain"]["servers"]
            return any(re.search(r"mini-DNS has sent the zone with serial \d+: the log of the server "
                                 "says why the server does not load the zone", row["reason"])
                       for row in rows)
        self.fleet.wait_for(is_sent, SECONDS, "the reason says where to look")
        self.assertEqual(drift.address(bind, www(domain["name"])), RIGHT)


class Silent:
    """In the place of a mini-DNS that is away: SOA answers with a newer serial, no transfer.

    What connects is refused, at once: as with one that is overloaded for a while.
    """

    def __init__(self, port, serial):
        self.serial, self.is_over = serial, False
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", port))
        self.thread = threading.Thread(target=self._answer, daemon=True)
        self.thread.start()

    def _answer(self):
        with contextlib.suppress(OSError):
            while not self.is_over:
                wire, peer = self.socket.recvfrom(4096)
                if self.is_over:
                    break
                question = dns.message.from_wire(wire)
                answer = dns.message.make_response(question)
                answer.flags |= dns.flags.AA
                answer.answer.append(dns.rrset.from_text(
                    question.question[0].name, 60, "IN", "SOA",
                    f"a. b. {self.serial} 60 60 600 60"))
                self.socket.sendto(answer.to_wire(), peer)

    def stop(self):
        self.is_over = True
        self.socket.sendto(b"", self.socket.getsockname())
        self.thread.join()
        self.socket.close()


class Listed(Story):
    """BIND keeps whoever refused its connections on a list, for ten minutes."""

    name_servers = ("bind",)

    def test_one_that_will_not_ask_its_primaries(self):
        domain, other = self.create("listed.example."), self.create("other.example.")
        self.put_on_the_list(domain)
        new = self.caller.create_domain(domain={"name": "new.example."})
        for one in domain, other, new:
            self.caller.apply_changes(domain=one["id"],
                                      changes=[put(www(one["name"]), "192.0.2.2")])
        for one in domain, other, new:
            self.follow(one, "192.0.2.2")
        done = [self.repairs(one, self.fleet.bind) for one in (domain, other, new)]
        for rows in done:
            self.assertEqual(rows[0][:2], ["TRANSFER", "DONE"])
        # which has no effect; the first that is renewed takes the primaries off the list
        self.assertIn(["RENEW", "DONE"], [row[:2] for rows in done for row in rows])
        self.change(domain, "192.0.2.3")

    def put_on_the_list(self, domain):
        bind, zone = self.fleet.bind, domain["name"]
        workers = [worker for worker in self.fleet.workers if worker.kind == "minidns"]
        for worker in workers:
            worker.stop()
        silent = [Silent(port, domain["serial"] + 1) for port in self.fleet.minidns_ports]

        def listed():
            bind.rndc("refresh", zone)
            time.sleep(0.1)
            skipped = re.findall(r"skipping zone transfer as primary (\S+ \(source \S+\)) is "
                                 "unreachable", bind.log.read_text())
            return len(set(skipped)) == 2 * len(workers)    # by default it has two sources
        self.fleet.wait_for(listed, 20, "BIND has all its primaries on its list")
        for one in silent:
            one.stop()
        for worker in workers:
            worker.launch()
        for worker in workers:
            worker.wait_ready()


class ByCatalog(Quick, Story):
    """It takes no orders: our serial goes beyond its own, but not as far as it likes."""

    name_servers = ("knot",)
    servers = {"knot": {"catalog": "catalog.invalid."}}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fleet.cli("pool", "set", "default", "--catalog", "catalog.invalid.", "--admin")
        cls.caller.settled("catalog.invalid.", seconds=SECONDS)

    def ahead(self, zone, by):
        domain = self.create(zone)
        drift.replace(self.fleet.knot, zone,
                      edited(drift.transferred(self.fleet.knot, zone), by))
        self.fleet.cli("sync", zone, "--admin")
        return domain

    def test_one_whose_serial_is_ahead(self):
        domain = self.ahead("ahead.example.", DAY)
        now = self.follow(domain)
        self.assertEqual(now["serial"], domain["serial"] + DAY + 1)
        self.assertEqual(self.repairs(domain, self.fleet.knot)[0][:2], ["RAISE", "DONE"])

    def test_one_that_is_too_far_ahead(self):
        domain = self.ahead("far.example.", 1 << 25)
        rows = self.fleet.wait_for(lambda: self.repairs(domain, self.fleet.knot), SECONDS,
                                   "it is reported")
        self.assertEqual(rows[0][:2], ["RAISE", "PARKED"])
        self.assertIn("make the server transfer the zone again", rows[0][2])
        self.fleet.wait_state(domain["id"], "UPDATE ERROR")
        self.assertEqual(self.shown(domain), {"PARKED"})
        self.assertEqual(self.caller.get_domain(domain=domain["id"])["serial"],
                         domain["serial"])
        self.fleet.knot.knotc("zone-retransfer", domain["name"])
        self.follow(domain)
        self.fleet.wait_for(lambda: self.shown(domain) == {"ENDED"}, SECONDS, "it has ended")

    def shown(self, domain):
        return {repair["state"] for repair in self.caller.find_repairs()["repairs"]
                if repair["name"] == domain["name"] and repair["server"] == "knot"
                and repair["kind"] == "SERIAL"}

    def test_the_catalog_itself(self):
        catalog = self.caller.get_domain(domain="catalog.invalid.")
        knot = self.fleet.knot
        drift.replace(knot, "catalog.invalid.",
                      edited(drift.transferred(knot, "catalog.invalid."), DAY))
        self.fleet.cli("sync", "catalog.invalid.", "--admin")
        self.caller.settled(catalog["id"], serial=catalog["serial"] + DAY + 1, seconds=SECONDS)
        self.create("behind-it.example.")


if __name__ == "__main__":
    unittest.main()

"""Several pool managers: who looks after what, what each of them repairs, and the tools."""

import base64
import contextlib
import os
import re
import shutil
import signal
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from hosts import Hosts                                                 # noqa: E402
from story import (Caller, LabError, is_driving, program, put, run,       # noqa: E402
                   start_fleet, wipe)

BACK_SECONDS = 30       # until what was wrong on a server is right again
POOL = "pool_manager.default"


def setUpModule():
    FleetStory.folder = Path(tempfile.mkdtemp(prefix="zfpoolfleet"))
    unittest.addModuleCleanup(shutil.rmtree, FleetStory.folder)
    FleetStory.fleet = unittest.enterModuleContext(start_fleet(
        FleetStory.folder / "fleet", poolmgr=3, settings={"poolmgr": {"compare_every": 1}}))
    FleetStory.caller = Caller(FleetStory.fleet.rabbitmq.url)
    unittest.addModuleCleanup(FleetStory.caller.close)


@contextlib.contextmanager
def hidden(path):
    """Nobody finds the file meanwhile."""
    away = path.with_suffix(".away")
    path.rename(away)
    try:
        yield
    finally:
        away.rename(path)


@contextlib.contextmanager
def changed(path):
    """A file with another key meanwhile: named hangs up on who has it."""
    text = path.read_text()
    secret = re.search('secret "([^"]*)"', text)[1]
    path.write_text(text.replace(secret, base64.b64encode(bytes(32)).decode()))
    try:
        yield
    finally:
        path.write_text(text)


class FleetStory(unittest.TestCase):

    def setUp(self):
        """As an init would: what a story broke is not the next one's trouble."""
        for server in self.fleet.name_servers:
            if not server.pid or server.has_died():
                server.launch()
                server.wait_ready()

    def create(self, name):
        domain = self.caller.create_domain(domain={"name": name})
        self.settled(domain)
        return domain

    def settled(self, domain, serial=None, seconds=BACK_SECONDS):
        return self.caller.settled(domain["id"], serial=serial, seconds=seconds)

    def admin(self, *command):
        return self.fleet.cli(*command, "--admin")

    def workers(self, service=POOL):
        return [row for row in self.admin("workers")["workers"]
                if row["service"] == service and row["status"] == "active"]

    def wait_workers(self, count, service=POOL):
        """Until so many have a share of one generation."""
        def shared():
            rows = self.workers(service)
            return ([row["hash_factor"] for row in rows] == list(range(count)) and
                    len({row["generation"] for row in rows}) == 1 and rows)
        return self.fleet.wait_for(shared, BACK_SECONDS, f"{count} share the work")


class Named(FleetStory):

    def test_servers_by_their_names(self):
        """A name server, the broker and the database: of the two addresses of their name the
        first one is dead. With IPv6 it is ::1, by RFC 6724."""
        hosts = Hosts(self.folder)
        hosts.put("lab.test", "::1", "127.0.0.1")
        first = self.fleet.poolmgrs[0]
        settings = {group: first.settings[group] for group in ("backends", "broker", "database")}
        url, database = settings["broker"]["url"], settings["database"]["host"]
        servers = settings["backends"]["bind9"]["servers"]
        for worker in self.fleet.poolmgrs:
            worker.stop()
        undo = hosts.seen_by(first)

        def back():
            first.stop()
            undo()
            first.configure(settings)
            for worker in self.fleet.poolmgrs:
                worker.launch()
            for worker in self.fleet.poolmgrs:
                worker.wait_ready()
            self.wait_workers(3)
        self.addCleanup(back)
        first.configure({
            "backends": {"bind9": {
                "servers": [server | {"host": "lab.test"} for server in servers]}},
            "broker": {"url": url.replace("127.0.0.1", "lab.test")},
            "database": {"host": database.replace("127.0.0.1", "lab.test")}})
        self.assertEqual(first.config.read_text().count("lab.test"), 3)
        first.launch()
        first.wait_ready()
        domain = self.caller.create_domain(domain={"name": "named.example."})
        self.settled(domain, seconds=3 * BACK_SECONDS)
        self.assertEqual(self.host(), "127.0.0.1")

    def host(self):
        return self.fleet.mariadb.sql("SELECT host FROM pool_servers WHERE id = 'bind'")[0][0]


class Shares(FleetStory):

    def test_everyone_is_there(self):
        rows = self.wait_workers(3)
        masters = [row for row in rows if row["role"] == "master"]
        self.assertEqual([row["total_number"] for row in masters], [3])
        for service in "central", "minidns":
            self.wait_workers(2, service)
        shown = self.fleet.cli("workers", "--admin", as_json=False)
        self.assertRegex(shown, " SHARE +SHARES +GENERATION ")
        self.assertIn(masters[0]["plugin_name"], shown)

    def test_one_that_dies_is_succeeded(self):
        self.wait_workers(3)
        victim = self.fleet.poolmgrs[0]
        victim.kill9()
        self.addCleanup(lambda: victim.pid or (victim.launch(), victim.wait_ready()))
        self.wait_workers(2)
        # a server that lost its zones gets them back, whosever share they are in
        domains = [self.create(f"died{n}.example.") for n in range(6)]
        self.lose("bind")
        for domain in domains:
            self.served("bind", domain)

    def lose(self, name):
        server = self.fleet.members[name]
        server.stop()
        wipe(server)
        server.launch()
        server.wait_ready()

    def served(self, name, domain):
        server = self.fleet.members[name]
        serial = self.caller.get_domain(domain=domain["id"])["serial"]
        self.fleet.wait_for(lambda: server.serial(domain["name"]) == serial, BACK_SECONDS,
                            f"{name} serves {domain['name']}")

    def test_replaced_by_an_empty_one(self):
        domains = [self.create(f"empty{n}.example.") for n in range(6)]
        for name in "bind", "knot", "nsd":
            with self.subTest(server=name):
                self.lose(name)
                for domain in domains:
                    self.served(name, domain)


class Figures(FleetStory):

    def total(self, name, kind="poolmgr"):
        """Of a metric over all workers of a kind, as Prometheus would add them up."""
        pages = [worker.page("/metrics")[1] for worker in self.fleet.workers
                 if worker.kind == kind]
        lines = [line for page in pages for line in page.splitlines()
                 if line.startswith(f"zonefleet_{name} ")]
        self.assertTrue(lines, f"{kind} shows {name}")
        return sum(float(line.split()[-1]) for line in lines)

    def wait_total(self, name, kind, good, what):
        self.fleet.wait_for(lambda: good(self.total(name, kind)), BACK_SECONDS,
                            f"{name} of {kind}: {what}")

    def test_domains_are_counted_once(self):
        self.create("counted.example.")
        self.fleet.wait_quiet()
        count = int(self.fleet.mariadb.sql(
            "SELECT COUNT(*) FROM domains WHERE status = 'ACTIVE'")[0][0])
        self.fleet.wait_for(lambda: self.total('pool_domains{status="ACTIVE"}') == count, 20,
                            f"{count} are counted")
        self.assertEqual(self.total("fleet_is_master"), 1)
        self.assertEqual(self.total("pool_oldest_pending_age_seconds"), 0)

    def test_how_long_a_change_takes(self):
        before = self.total("propagation_seconds_count", "central")
        took = self.total("propagation_seconds_sum", "central")
        started = time.monotonic()
        domain = self.create("propagated.example.")
        serial = self.caller.apply_changes(
            domain=domain["id"], changes=[put("a.propagated.example.", "192.0.2.1")])["serial"]
        self.settled(domain, serial)
        elapsed = time.monotonic() - started
        self.assertEqual(self.total("propagation_seconds_count", "central"), before + 2)
        took = self.total("propagation_seconds_sum", "central") - took
        self.assertGreater(took, 0)
        self.assertLess(took, elapsed + 0.1)

    def test_server_that_is_down_lags_and_its_breaker_is_open(self):
        lag, behind, silent = (f'{name}{{server="nsd"}}' for name in (
            "server_lag_seconds", "server_domains_behind", "server_silent_processes"))
        domain = self.create("lags.example.")
        self.fleet.wait_quiet()
        self.wait_total(lag, "poolmgr", lambda value: value == 0, "owed nothing")
        self.fleet.nsd.stop()
        changed = time.monotonic()
        serial = self.caller.apply_changes(
            domain=domain["id"], changes=[put("a.lags.example.", "192.0.2.1")])["serial"]
        self.wait_total(lag, "poolmgr", lambda value: value >= 8, "it waits")
        self.assertLessEqual(self.total(lag), time.monotonic() - changed + 1)
        self.wait_total(silent, "poolmgr", lambda value: value >= 1, "it is open")
        self.assertGreaterEqual(self.total(behind), 1)
        self.assertEqual(self.total('server_lag_seconds{server="bind"}'), 0)
        self.fleet.nsd.launch()
        self.fleet.nsd.wait_ready()
        self.settled(domain, serial)
        for name in lag, behind, silent:
            self.wait_total(name, "poolmgr", lambda value: value == 0, "as it was")

    def test_server_whose_control_channel_fails_is_only_probed(self):
        """What comes meanwhile waits for a probe that is well, and no operation is tried."""
        failing = 'server_failing_processes{server="bind"}'
        errors = 'driver_operations_total{outcome="error"}'
        with changed(self.fleet.bind.key_file):
            first = [self.ask_for(f"fails{number}.example.") for number in range(30)]
            self.wait_total(failing, "poolmgr", lambda value: value == 3, "it is open")
            before = self.total(errors)
            later = [self.ask_for(f"waits{number}.example.") for number in range(30)]
            ids = ", ".join(f"'{domain['id']}'" for domain in later)
            self.fleet.wait_for(lambda: int(self.fleet.mariadb.sql(
                "SELECT COUNT(*) FROM pool_manager_status WHERE server_id = 'bind' "
                f"AND status = 'ERROR' AND domain_id IN ({ids})")[0][0]) == len(later),
                BACK_SECONDS, "all are told so")
            self.assertLess(self.total(errors), before + len(later))
        for domain in first + later:
            self.settled(domain, seconds=60)
        self.wait_total(failing, "poolmgr", lambda value: value == 0, "as it was")

    def ask_for(self, name):
        return self.caller.create_domain(domain={"name": name})

    def test_queue_that_nobody_serves_fills(self):
        ready, consumers = 'queue_ready{queue="minidns"}', 'queue_consumers{queue="minidns"}'
        domain = self.create("fills.example.")
        self.wait_total(consumers, "central", lambda value: value == 2, "two take them")
        self.wait_total('queue_consumers{queue="pool_manager.default"}', "poolmgr",
                        lambda value: value == 3, "three take them")
        workers = [worker for worker in self.fleet.workers if worker.kind == "minidns"]
        for worker in workers:
            worker.stop()
            self.addCleanup(lambda w=worker: w.pid or (w.launch(), w.wait_ready()))
        self.admin("sync", domain["name"])
        self.wait_total(ready, "central", lambda value: value > 0, "orders wait")
        self.wait_total(consumers, "central", lambda value: value == 0, "nobody takes them")
        for worker in workers:
            worker.launch()
        for worker in workers:
            worker.wait_ready()
        self.wait_total(ready, "central", lambda value: value == 0, "they were taken")

    def test_who_counts_while_the_broker_hangs_ends_soon(self):
        turns = re.compile(r'^zonefleet_timer_seconds_count{timer="queues"} (\d+)', re.M)
        counting, = [worker for worker in self.fleet.workers if worker.kind == "central" and
                     "zonefleet_fleet_is_master 1\n" in worker.page("/metrics")[1]]
        self.fleet.rabbitmq.pause()
        self.addCleanup(counting.restart)
        self.addCleanup(self.fleet.rabbitmq.resume)
        before = turns.search(counting.page("/metrics")[1])[1]
        self.fleet.wait_for(lambda: turns.search(counting.page("/metrics")[1])[1] != before, 20,
                            "it asks a broker that does not answer")
        started = time.monotonic()
        counting.stop()
        self.assertLess(time.monotonic() - started, 5)

    def test_dead_letter_is_counted(self):
        dead = 'queue_dead_letters{queue="central"}'
        self.wait_total(dead, "central", lambda value: value == 0, "there is none")
        self.caller.cast("no_such_method", thing="counted")
        self.wait_total(dead, "central", lambda value: value == 1, "there is one")
        for row in self.admin("dead-letters", "list")["dead_letters"]:
            self.admin("dead-letters", "drop", row["id"])
        self.wait_total(dead, "central", lambda value: value == 0, "it is dropped")

    def test_all_are_described(self):
        """A running program shows what --metrics prints, from which docs/metrics.md is, and no more."""
        for kind in "central", "poolmgr", "minidns":
            with self.subTest(kind=kind):
                worker = self.fleet.members[f"{kind}2"]
                printed = run([*worker.command(), "--metrics"], worker.environment())
                self.assertEqual(self.shown(worker.page("/metrics")[1]), self.shown(printed))
                self.wait_total("loop_late_seconds_count", kind, lambda value: value > 0,
                                "the loop turns")

    def shown(self, page):
        types = dict(re.findall(r"^# TYPE (\w+) (\w+)$", page, re.M))
        labels = {name: "" for name in types}
        for name, label in re.findall(r'^(\w+)\{(\w+)="', page, re.M):
            family = re.sub(r"_(bucket|sum|count)$", "", name)
            if label != "le":
                labels[family if family in types else name] = label
        return {(name, kind, labels[name]) for name, kind in types.items()}


class Locks(FleetStory):

    def test_domain_that_another_holds_waits(self):
        domain = self.create("held.example.")
        sql = self.fleet.mariadb.sql
        sql("REPLACE INTO distributed_locks (object_uuid, `lock`, session_id, created_at, "
            f"ttl_s, fence, owner) VALUES ('{domain['id']}', 1, REPEAT('a', 32), "
            "UTC_TIMESTAMP(6), 12, 7, 'somebody')")
        row, = [row for row in self.admin("locks")["locks"] if row["domain"] == "held.example."]
        self.assertEqual((row["owner"], row["fence"]), ("somebody", 7))
        self.assertIn("somebody", self.fleet.cli("locks", "--admin", as_json=False))
        self.caller.delete_domain(domain=domain["id"])
        self.fleet.wait_for(lambda: "is locked by somebody" in self.fleet.logs(), 20,
                            "a pool manager finds it locked")
        self.assertTrue(self.fleet.bind.serial("held.example."))
        # his time is over: it is taken over, and the fence rises
        self.fleet.wait_state(domain["id"], "NONE DELETED", 40)
        self.fleet.wait_for(
            lambda: [int(r[0]) > 7 for r in sql("SELECT fence FROM distributed_locks "
                                                f"WHERE object_uuid = '{domain['id']}'")]
            == [True], 10, "the fence has risen")

    def test_sleeper_that_was_taken_over_writes_nothing(self):
        """A pool manager sleeps within an operation, until another has done it."""
        server = self.fleet.bind
        sleepers = self.fleet.poolmgrs
        server.pause()
        self.addCleanup(server.resume)
        domain = self.caller.create_domain(domain={"name": "sleep.example."})
        owner = self.fleet.wait_for(
            lambda: [row["owner"] for row in self.admin("locks")["locks"]
                     if row["object_uuid"] == domain["id"]], 30, "the domain is locked")[0]
        pid = int(owner.split(":")[1])
        self.assertIn(pid, [pid for worker in sleepers for pid in worker.processes()])
        others = (f"SELECT COUNT(*) FROM pool_manager_status WHERE domain_id = '{domain['id']}' "
                  "AND action = 'CREATE' AND status = 'SUCCESS'")
        self.fleet.wait_for(lambda: self.fleet.mariadb.sql(others) == [["2"]], 20,
                            "it has done its work on the other servers")
        self.fleet.wait_for(lambda: is_driving(pid), 10, "it is at work on BIND")
        os.kill(pid, signal.SIGSTOP)
        self.addCleanup(os.kill, pid, signal.SIGCONT)
        fence = self.fence(domain)      # the operations on the other servers have raised it, too
        server.resume()
        self.fleet.wait_for(lambda: self.taken_over(domain, fence), 30, "another takes it over")
        os.kill(pid, signal.SIGCONT)
        refused = f"another process has the lock of {domain['id']}"
        self.fleet.wait_for(lambda: any(refused in worker.log.read_text() for worker in sleepers),
                            20, "what the sleeper writes is refused")
        self.settled(domain)

    def fence(self, domain):
        return int(self.fleet.mariadb.sql("SELECT fence FROM distributed_locks WHERE "
                                          f"object_uuid = '{domain['id']}'")[0][0])

    def taken_over(self, domain, fence):
        """Asks for it, by the way: its rows would wait for their own time."""
        self.admin("sync", domain["name"])
        return self.fence(domain) > fence


class Servers(FleetStory):

    def states(self):
        return {row["id"]: row["state"] for row in self.admin("servers")["servers"]}

    def set(self, verb, server):
        answer = self.admin("server", verb, server)
        self.assertEqual(answer["id"], server)

    def test_drained_server_is_left_alone(self):
        domain, goes = self.create("drain.example."), self.create("drain3.example.")
        old = domain["serial"]
        self.set("drain", "knot")
        self.addCleanup(self.set, "add", "knot")
        self.assertEqual(self.states()["knot"], "DRAINED")
        self.fleet.wait_for(
            lambda: all("server=knot" in worker.log.read_text() and
                        "server is drained" in worker.log.read_text()
                        for worker in self.fleet.poolmgrs), 10, "all know of it")
        self.fleet.knot.stop()
        self.addCleanup(lambda: self.fleet.knot.pid or
                        (self.fleet.knot.launch(), self.fleet.knot.wait_ready()))
        # ACTIVE without it, at once, though the threshold is all servers
        serial = self.caller.apply_changes(
            domain=domain["id"], changes=[put("a.drain.example.", "192.0.2.1")])["serial"]
        self.settled(domain, serial, seconds=10)
        other = self.caller.create_domain(domain={"name": "drain2.example."})
        self.settled(other, seconds=10)
        self.caller.delete_domain(domain=goes["id"])
        self.fleet.wait_state(goes["id"], "NONE DELETED", 20)
        status = self.caller.get_status(domain=domain["id"])["domain"]
        self.assertEqual(status["consensus"], {"current": 2, "servers": 2})
        # back: what it missed is made up for
        self.fleet.knot.launch()
        self.fleet.knot.wait_ready()
        self.assertEqual(self.fleet.knot.serial("drain.example."), old)
        self.set("add", "knot")
        for name, wanted in ("drain.example.", serial), ("drain2.example.", other["serial"]):
            self.fleet.wait_for(lambda: self.fleet.knot.serial(name) == wanted, BACK_SECONDS,
                                f"knot serves {name}")
        self.fleet.wait_for(lambda: self.fleet.knot.serial("drain3.example.") is None,
                            BACK_SECONDS, "knot has dropped what was deleted meanwhile")

    def test_removed_server_is_forgotten(self):
        domain = self.create("remove.example.")
        self.set("remove", "nsd")
        self.addCleanup(self.set, "add", "nsd")
        count = ("SELECT COUNT(*) FROM pool_manager_status WHERE server_id = 'nsd'")
        self.fleet.wait_for(lambda: self.fleet.mariadb.sql(count) == [["0"]], 20,
                            "nothing is known of it")
        self.settled(domain)
        self.set("add", "nsd")
        self.fleet.wait_for(lambda: self.fleet.mariadb.sql(count) != [["0"]], 20,
                            "it is worked on again")

    def test_server_that_there_is_not(self):
        with self.assertRaises(LabError) as raised:
            self.admin("server", "drain", "nobody")
        self.assertIn("pool default has no server nobody", str(raised.exception))


class Sync(FleetStory):

    def test_patrol_finds_what_nobody_owes(self):
        """A zone that vanishes from a server, with no change in sight."""
        domain = self.create("vanish.example.")
        self.fleet.wait_quiet()
        self.fleet.nsd.control("delzone", "vanish.example")
        self.fleet.wait_for(lambda: self.fleet.nsd.serial("vanish.example.") is None, 10,
                            "it is gone")
        self.fleet.wait_for(
            lambda: self.fleet.nsd.serial("vanish.example.") == domain["serial"],
            BACK_SECONDS, "it is back")
        # its first creation, and those of the other zones, were no repairs
        missing = [row for row in self.admin("repairs")["repairs"] if row["kind"] == "MISSING"]
        self.assertEqual([(row["name"], row["server"], row["state"]) for row in missing],
                         [("vanish.example.", "nsd", "DONE")])
        self.assertRegex(missing[0]["detail"], r"^the server had no zone \(it answers with ")

    def test_sync_now(self):
        domain = self.create("now.example.")
        self.assertEqual(self.admin("sync", "now.example.")["id"], domain["id"])
        with self.assertRaises(LabError):
            self.admin("sync", "absent.example.")


class Strays(FleetStory):
    """Zones on a server that no domain stands for."""

    def repairs(self, name, server):
        return {row["state"]: row for row in self.admin("repairs")["repairs"]
                if row["name"] == name and row["server"] == server and row["kind"] == "STRAY"}

    def put_stray(self, server, zone, **how):
        member = self.fleet.members[server]
        member.add_zone(zone, **how)
        self.fleet.wait_for(lambda: member.query(zone, "SOA")[0] != "REFUSED", 10,
                            f"{server} has {zone}")

    def is_gone(self, server, zone):
        return self.fleet.members[server].query(zone, "SOA")[0] == "REFUSED"

    def create_and_delete(self, name):
        domain = self.create(name)
        self.caller.delete_domain(domain=domain["id"])
        self.fleet.wait_state(domain["id"], "NONE DELETED", 20)
        self.fleet.wait_for(lambda: not self.fleet.mariadb.sql(
            "SELECT 1 FROM pool_manager_status WHERE next_attempt_at IS NOT NULL "
            f"AND domain_id = '{domain['id']}'"), 60, "nothing is owed any more")
        return domain

    def parked(self, name, server):
        return self.fleet.wait_for(lambda: self.repairs(name, server).get("PARKED"),
                                   BACK_SECONDS, "it is reported")

    def test_deletion_that_was_undone(self):
        """As by a server that came back from a copy: ours, and deleted."""
        for server in "bind", "knot", "nsd":
            with self.subTest(server=server):
                name = f"undone-{server}.example."
                domain = self.create_and_delete(name)
                self.put_stray(server, name,
                               **({"file": f"{domain['id']}.db"} if server == "bind" else {}))
                self.fleet.wait_for(lambda: self.is_gone(server, name), BACK_SECONDS,
                                    f"{server} has it no more")
                done = self.fleet.wait_for(lambda: self.repairs(name, server).get("DONE"), 10,
                                           "it was noted")
                self.assertLess(done["pass1_at"], done["pass2_at"])

    def test_zone_that_somebody_else_set_up(self):
        """In the place of a deleted one: it has not our mark, and is left there."""
        name = "instead.example."
        self.create_and_delete(name)
        self.put_stray("bind", name)
        self.assertIn("not have the settings of zonefleet", self.parked(name, "bind")["detail"])
        self.assertFalse(self.is_gone("bind", name))
        self.fleet.bind.remove_zone(name)

    def test_zone_that_nobody_remembers(self):
        """It may be another fleet's: left there, and reported."""
        for server, how in ("nsd", {}), ("bind", {"file": f"{7:032x}.db"}):
            with self.subTest(server=server):
                name = f"nobodys-{server}.example."
                self.put_stray(server, name, **how)
                self.assertIn("delete the zone by hand", self.parked(name, server)["detail"])
                self.assertFalse(self.is_gone(server, name))
                self.assertEqual(self.fleet.cli("repairs", "--admin", as_json=False).count(name), 1)
                self.fleet.members[server].remove_zone(name)
                self.fleet.wait_for(lambda: "PARKED" not in self.states_of_drifts(name), BACK_SECONDS,
                                    "an operator has deleted the zone")
                self.assertEqual([row["detail"] for row in self.fleet.cli("repairs", "--admin")[
                    "repairs"] if row["name"] == name and row["state"] == "ENDED"],
                    ["the database has no deleted domain of this name"])

    def test_zone_whose_domain_is_created(self):
        """Then it is no stray, though it was reported as one."""
        name = "claimed.example."
        self.put_stray("nsd", name)
        self.parked(name, "nsd")
        self.create(name)
        self.fleet.wait_for(lambda: not self.states_of_drifts(name), BACK_SECONDS, "it is over")
        self.assertEqual(list(self.repairs(name, "nsd")), ["ENDED"])

    def test_drift_of_a_domain_that_is_deleted(self):
        domain = self.create_and_delete("drifted.example.")
        self.fleet.mariadb.sql(
            "INSERT INTO repairs (object_uuid, server_id, kind, state, pool_name, name, serial, "
            f"detail, pass1_at, updated_at) VALUES ('{domain['id']}', 'nsd', 'CONTENT', 'PARKED', "
            "'default', 'drifted.example.', 1, '', NOW(3), NOW(3))")
        self.fleet.wait_for(lambda: not self.states_of_drifts("drifted.example."), BACK_SECONDS,
                            "it is over")

    def states_of_drifts(self, name):
        return {row[0] for row in self.fleet.mariadb.sql(
            f"SELECT state FROM repairs WHERE name = '{name}'")}


class Content(FleetStory):
    """A record that somebody edits on a server, under the same serial."""

    def edit_bind(self, domain):
        server = self.fleet.bind
        server.rndc("sync", "-clean", domain["name"])
        server.stop()
        path = server.data / f"{domain['id']}.db"
        tool = [program("named-compilezone"), "-q", "-i", "none"]
        text = run([*tool, "-f", "raw", "-F", "text", "-o", "-", domain["name"], path])
        edited = path.with_suffix(".text")
        edited.write_text(text.replace("192.0.2.1\n", "192.0.2.99\n"))
        run([*tool, "-f", "text", "-F", "raw", "-o", path, domain["name"], edited])
        server.launch()
        server.wait_ready()

    def edit_nsd(self, domain):
        server = self.fleet.nsd
        server.control("write", domain["name"])
        pattern = f"{domain['name'].rstrip('.')}*.zone"     # first it has another name: .zone~
        path, = self.fleet.wait_for(lambda: list((server.folder / "data").glob(pattern)), 10,
                                    "NSD writes the zone")
        server.stop()
        path.write_text(path.read_text().replace("192.0.2.1\n", "192.0.2.99\n"))
        server.launch()
        server.wait_ready()

    def edit_knot(self, domain):
        """A commit raises the serial, unless it sets the SOA, too."""
        knotc, zone, owner = self.fleet.knot.knotc, domain["name"], f"www.{domain['name']}"
        soa = knotc("zone-read", zone, "@", "SOA").split("] ")[1].split()
        knotc("zone-begin", zone)
        knotc("zone-unset", zone, owner, "A", "192.0.2.1")
        knotc("zone-set", zone, owner, "300", "A", "192.0.2.99")
        knotc("zone-unset", zone, "@", "SOA")
        knotc("zone-set", zone, "@", soa[1], "SOA", " ".join(soa[3:]))
        knotc("zone-commit", zone)

    def address(self, server, owner):
        return [line.split()[4] for line in self.fleet.members[server].query(owner, "A")[1]]

    def with_an_address(self, zone):
        domain = self.create(zone)
        serial = self.caller.apply_changes(
            domain=domain["id"], changes=[put(f"www.{zone}", "192.0.2.1")])["serial"]
        self.settled(domain, serial)
        self.fleet.wait_quiet()
        return domain, serial

    def test_parked_is_put_right_when_asked(self):
        zone = "parked.example."
        domain, serial = self.with_an_address(zone)
        self.fleet.mariadb.sql(
            "INSERT INTO repairs (object_uuid, server_id, kind, state, pool_name, name, serial, "
            "pass1_at, pass2_at, updated_at) VALUES "
            f"('{domain['id']}', 'bind', 'CONTENT', 'PARKED', 'default', '{zone}', {serial}, "
            "NOW(), NOW(), NOW())")
        logged = [(f"done{number}", "DONE", 60 - number) for number in range(5)]
        for row, outcome, age in [*logged, ("parked", "PARKED", 10)]:
            self.fleet.mariadb.sql(
                "INSERT INTO repair_log (id, object_uuid, server_id, kind, pool_name, name, serial, "
                "action, outcome, pass1_at, pass2_at, done_at, worker) VALUES "
                f"('{row}', '{domain['id']}', 'bind', 'CONTENT', 'default', '{zone}', {serial}, "
                f"'TRANSFER', '{outcome}', NOW(), NOW(), NOW() - INTERVAL {age} SECOND, 'w')")
        self.edit_bind(domain)
        self.fleet.wait_for(lambda: self.address("bind", f"www.{zone}") == ["192.0.2.99"], 10,
                            "bind serves what was edited")
        self.admin("sync", zone, "--deep")
        self.fleet.wait_for(lambda: self.address("bind", f"www.{zone}") == ["192.0.2.1"],
                            BACK_SECONDS, "bind serves what it should")

    def test_repair_that_fails_is_tried_again(self):
        """A server that takes no word for a while is no case for a person."""
        zone = "refused.example."
        domain, _ = self.with_an_address(zone)
        self.edit_bind(domain)
        with hidden(self.fleet.bind.key_file):
            self.wait_state(zone, "FAILED")
        self.fleet.wait_for(lambda: self.address("bind", f"www.{zone}") == ["192.0.2.1"],
                            BACK_SECONDS, "bind serves what it should")
        self.wait_state(zone, "ORDERED")
        self.assertNotIn("PARKED", self.states(zone))

    def states(self, zone):
        return {row["state"] for row in self.admin("repairs")["repairs"] if row["name"] == zone}

    def wait_state(self, zone, state):
        self.fleet.wait_for(lambda: state in self.states(zone), BACK_SECONDS, f"it is {state}")

    def test_edited_record_is_put_right(self):
        for name, edit in (("bind", self.edit_bind), ("knot", self.edit_knot),
                           ("nsd", self.edit_nsd)):
            with self.subTest(server=name):
                zone = f"edited-{name}.example."
                owner = f"www.{zone}"
                domain, serial = self.with_an_address(zone)
                edit(domain)
                self.fleet.wait_for(lambda: self.address(name, owner) == ["192.0.2.99"], 10,
                                    f"{name} serves what was edited")
                self.assertEqual(self.fleet.members[name].serial(zone), serial)
                self.fleet.wait_for(lambda: self.address(name, owner) == ["192.0.2.1"],
                                    BACK_SECONDS, f"{name} serves what it should")
                self.assertEqual(self.fleet.members[name].serial(zone), serial)
                done, = self.fleet.wait_for(
                    lambda: [row for row in self.admin("repairs")["repairs"]
                             if row["name"] == zone and row["state"] == "ORDERED"], 10,
                    "it was noted")
                self.assertEqual((done["server"], done["kind"]), (name, "CONTENT"))
                self.assertIn("192.0.2.99", done["detail"])
                self.assertLess(done["pass1_at"], done["pass2_at"])


class Queues(FleetStory):

    def test_queues(self):
        queues = {row["queue"]: row for row in self.admin("queues")["queues"]}
        for name in "central", "minidns", POOL, f"{POOL}.recovery":
            self.assertGreater(queues[name]["consumers"], 0, name)

    def test_dead_letters(self):
        self.caller.cast("no_such_method", thing="1")
        letters = self.fleet.wait_for(
            lambda: [row for row in self.admin("dead-letters", "list")["dead_letters"]
                     if row["method"] == "no_such_method"], 10, "there is a dead letter")
        self.assertIn("no_such_method", letters[0]["reason"])
        with self.assertRaises(LabError) as raised:     # the fleet is not well
            self.fleet.cli("status", "--admin", as_json=False)
        self.assertIn("1 dead letter is in the queue central ", str(raised.exception))
        shown = self.admin("dead-letters", "show", letters[0]["id"])
        self.assertEqual(shown["id"], letters[0]["id"])
        self.assertRegex(shown["buried_at"], r"^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
        self.assertEqual(self.admin("dead-letters", "retry", letters[0]["id"])["count"], 1)
        self.fleet.wait_for(
            lambda: [row for row in self.admin("dead-letters", "list")["dead_letters"]
                     if row["id"] == letters[0]["id"]], 10, "it died again")
        self.caller.cast("no_such_method", thing="2")
        listed = self.fleet.wait_for(
            lambda: [rows for rows in [self.admin("dead-letters", "list")["dead_letters"]]
                     if len(rows) == 2], 10, "there are two")[0]
        everything = self.admin("dead-letters", "show", "all")["dead_letters"]
        self.assertEqual({row["id"] for row in everything}, {row["id"] for row in listed})
        self.assertTrue(all("oslo.message" in row["body"] for row in everything))
        self.assertEqual(self.admin("dead-letters", "drop", letters[0]["id"])["count"], 1)
        self.assertEqual(self.admin("dead-letters", "drop", "all")["count"], 1)
        self.assertEqual(self.admin("dead-letters", "show", "all"), {"dead_letters": []})
        self.assertEqual(self.admin("dead-letters", "list")["dead_letters"], [])
        with self.assertRaises(LabError) as raised:
            self.admin("dead-letters", "drop", letters[0]["id"])
        self.assertIn("there is no dead letter", str(raised.exception))


if __name__ == "__main__":
    unittest.main(verbosity=2)

"""A name is created and deleted a hundred times in a row, with a record each time.

One name by one caller, and beside it one by eight callers at the same time, on servers of each
backend, while processes of the pool manager and whole pool managers are killed. After each
deletion, the name is free again within SETTLED_SECONDS. At the end the servers serve what the last
creation says, and nothing after the last deletion.

ZONEFLEET_FAULTS=short makes fewer rounds; ZONEFLEET_SEED=N repeats the moments of a run.
"""

import os
import random
import signal
import sys
import threading
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
import drift                                                            # noqa: E402
from faults import SEED, SHORT, new_folder                              # noqa: E402
from oslo_messaging import RemoteError                                  # noqa: E402
from story import Caller, put, start_fleet, wait_for                    # noqa: E402

ROUNDS = 20 if SHORT else 100
KILLS = 4 if SHORT else 10
NAMES = {"one.again.example.": 1, "eight.again.example.": 8}    # how many callers it has
CATALOG = "catalog.invalid."
SETTLED_SECONDS = 30    # from a change, or from a kill after it
TAKEN = {"Duplicate", "Busy"}   # a name that is not free, or not yet
TURN_SECONDS = 120      # to the next kill


def setUpModule():
    print(f"seed {SEED}", file=sys.stderr)


class Name:
    """A name that callers create and delete, ROUNDS times in total."""

    def __init__(self, zone):
        self.zone = zone
        self.lock = threading.Lock()
        self.created = 0
        self.domain = None              # the id of the living one
        self.disturbed()

    def disturbed(self):
        """A deletion, or a kill: the name is free within SETTLED_SECONDS from now."""
        self.due = time.monotonic() + SETTLED_SECONDS

    def next(self):
        """The number of a creation, or None if there were enough."""
        with self.lock:
            if self.created >= ROUNDS:
                return None
            self.created += 1
            return self.created

    def lives(self, domain):
        self.domain = domain

    def goes(self, domain):
        """Another caller may have created the next one by now."""
        with self.lock:
            if self.domain == domain:
                self.domain = None
                self.disturbed()

    def is_late(self):
        return not self.domain and time.monotonic() > self.due


class Again:

    name_servers = ()
    by_catalog = ()
    killed = 0          # when a process was last killed

    @classmethod
    def setUpClass(cls):
        cls.fleet = cls.enterClassContext(start_fleet(
            new_folder("zfagain") / "fleet", name_servers=cls.name_servers,
            servers={name: {"catalog": CATALOG} for name in cls.by_catalog}, poolmgr=2))
        if cls.by_catalog:
            cls.fleet.cli("pool", "set", "default", "--catalog", CATALOG, "--admin")
        cls.random = random.Random(f"{SEED}{cls.__name__}")

    def test_names_that_come_and_go(self):
        names, failures = [Name(zone) for zone in NAMES], []
        # before any of them calls, because each one sets the library's only configuration
        calls = [(Caller(self.fleet.rabbitmq.url), name, number)
                 for name in names for number in range(NAMES[name.zone])]
        for caller, *_ in calls:
            self.addCleanup(caller.close)
        threads = [threading.Thread(target=self.call, args=(*call, failures)) for call in calls]
        for thread in threads:
            thread.start()
        self.kill(names, failures)      # servers end with the thread that started them
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])
        for name in names:
            with self.subTest(name=name.zone):
                self.come_and_go(calls[0][0], name)

    def come_and_go(self, caller, name):
        """For the last time: now all is seen."""
        zone = name.zone
        domain = self.create(caller, name, [])
        done = caller.apply_changes(domain=domain["id"],
                                    changes=[put(f"www.{zone}", "192.0.2.250")])
        caller.settled(domain["id"], serial=done["serial"], seconds=SETTLED_SECONDS)
        for server in self.fleet.name_servers:
            wait_for(lambda: drift.address(server, f"www.{zone}") == "192.0.2.250",
                     SETTLED_SECONDS, f"{server.name} serves the last {zone}", [server.log])
        caller.delete_domain(domain=domain["id"])
        wait_for(lambda: self.is_deleted(domain), SETTLED_SECONDS, f"{zone} is DELETED")
        for server in self.fleet.name_servers:
            wait_for(lambda: drift.serial(server, zone) is None, SETTLED_SECONDS,
                     f"{server.name} serves no {zone}", [server.log])

    def is_deleted(self, domain):
        return self.fleet.mariadb.sql("SELECT 1 FROM domains WHERE status = 'DELETED' "
                                      f"AND id = '{domain['id']}'")

    def create(self, caller, name, failures):
        """The former domain may still go, or another caller may be the first; None: give up."""
        while not failures:
            try:
                domain = caller.create_domain(domain={"name": name.zone})
                name.lives(domain["id"])
                return domain
            except RemoteError as error:
                if error.exc_type not in TAKEN:
                    raise
            if name.is_late():
                raise AssertionError(f"{name.zone} is not free within {SETTLED_SECONDS} s")
            time.sleep(0.03)
        return None

    def states(self, zone):
        return self.fleet.mariadb.sql("SELECT task, status, reason FROM domains "
                                      f"WHERE name = '{zone}' AND status <> 'DELETED'")

    def call(self, caller, name, number, failures):
        """Creates, adds a record, mostly waits until it is served, and deletes."""
        chance = random.Random(f"{SEED}{name.zone}{number}")
        try:
            while (turn := name.next()) and (domain := self.create(caller, name, failures)):
                done = caller.apply_changes(domain=domain["id"], changes=[
                    put(f"www.{name.zone}", f"192.0.2.{turn % 200 + 1}")])
                if chance.random() < 0.5:
                    self.settle(caller, domain["id"], done["serial"])
                caller.delete_domain(domain=domain["id"])
                name.goes(domain["id"])
        except Exception as error:
            failures.append(f"caller {number}: {error!r}: {self.states(name.zone)}")

    def settle(self, caller, domain, serial):
        """Waits until it is ACTIVE: within SETTLED_SECONDS from now, or from a later kill."""
        began = time.monotonic()
        while True:
            now = caller.get_domain(domain=domain)
            if now["status"] == "ACTIVE" and now["serial"] >= serial:
                return
            if time.monotonic() > max(began, self.killed) + SETTLED_SECONDS:
                raise AssertionError(f"not ACTIVE within {SETTLED_SECONDS} s: {now}")
            time.sleep(0.01)

    def disturb(self, names):
        self.killed = time.monotonic()
        for name in names:
            name.disturbed()

    def kill(self, names, failures):
        """After some creations, by chance: a process, or a whole pool manager."""
        turns = sorted(self.random.sample(range(1, ROUNDS * len(names)), KILLS))
        try:
            for turn in turns:
                wait_for(lambda at=turn: sum(name.created for name in names) >= at or failures,
                         TURN_SECONDS, f"creation {turn}")
                self.disturb(names)
                self.kill_one(self.random.choice(self.fleet.poolmgrs))
                self.disturb(names)
        except Exception as error:
            failures.append(f"kill: {error!r}")

    def kill_one(self, worker):
        if self.random.random() < 0.5:
            pids = wait_for(worker.processes, TURN_SECONDS, f"{worker.name} works")
            os.kill(self.random.choice(pids), signal.SIGKILL)
        else:
            worker.kill9()
            worker.launch()
            worker.wait_ready()


class Driven(Again, unittest.TestCase):

    name_servers = ("bind", "knot", "nsd", "powerdns")


class ByCatalog(Again, unittest.TestCase):

    name_servers = by_catalog = ("bind", "knot", "powerdns")


if __name__ == "__main__":
    unittest.main()

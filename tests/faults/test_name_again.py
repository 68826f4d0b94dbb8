"""One name is created and deleted a hundred times in a row, with a record each time.

By one caller and by eight at the same time, on servers of each backend, while processes of the
pool manager and whole pool managers are killed. Each creation succeeds when the name is free, and
at the end the servers serve what the last creation says, and nothing after the last deletion.

ZONEFLEET_FAULTS=short makes fewer rounds; ZONEFLEET_SEED=N repeats the moments of a run.
"""

import contextlib
import os
import random
import signal
import sys
import threading
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
import drift                                                            # noqa: E402
from faults import SEED, SHORT, new_folder                              # noqa: E402
from oslo_messaging import RemoteError                                  # noqa: E402
from story import Caller, put, start_fleet, wait_for                    # noqa: E402

ROUNDS = 20 if SHORT else 100
KILLS = 2 if SHORT else 5
CALLERS = 8
CATALOG = "catalog.invalid."
FREE_SECONDS = 60       # until a name is free, a kill in between
SETTLED_SECONDS = 30    # after the last fault


def setUpModule():
    print(f"seed {SEED}", file=sys.stderr)


class Name:
    """A name that callers create and delete, ROUNDS times in total."""

    def __init__(self, zone):
        self.zone = zone
        self.lock = threading.Lock()
        self.created = self.failed = 0

    def next(self):
        """The number of a creation, or None if there were enough."""
        with self.lock:
            if self.created >= ROUNDS:
                return None
            self.created += 1
            return self.created


class Again:

    name_servers = ()
    by_catalog = ()

    @classmethod
    def setUpClass(cls):
        cls.fleet = cls.enterClassContext(start_fleet(
            new_folder("zfagain") / "fleet", name_servers=cls.name_servers,
            servers={name: {"catalog": CATALOG} for name in cls.by_catalog}, poolmgr=2))
        if cls.by_catalog:
            cls.fleet.cli("pool", "set", "default", "--catalog", CATALOG, "--admin")
        cls.random = random.Random(f"{SEED}{cls.__name__}")

    def test_by_one_caller(self):
        self.come_and_go("one.again.example.", 1)

    def test_by_eight_callers(self):
        self.come_and_go("eight.again.example.", CALLERS)

    def come_and_go(self, zone, count):
        name, failures = Name(zone), []
        callers = [threading.Thread(target=self.call, args=(name, number, failures))
                   for number in range(count)]
        for thread in callers:
            thread.start()
        self.kill(name, failures)       # servers end with the thread that started them
        for thread in callers:
            thread.join()
        self.assertEqual(failures, [])
        caller = Caller(self.fleet.rabbitmq.url)
        self.addCleanup(caller.close)
        domain = self.create(caller, zone)
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

    def create(self, caller, zone):
        def created():
            with contextlib.suppress(RemoteError):      # the former one still goes
                return caller.create_domain(domain={"name": zone})
        return wait_for(created, FREE_SECONDS, f"{zone} is free: {self.states(zone)}")

    def states(self, zone):
        return self.fleet.mariadb.sql("SELECT task, status, reason FROM domains "
                                      f"WHERE name = '{zone}' AND status <> 'DELETED'")

    def call(self, name, number, failures):
        """Creates, adds a record, mostly waits until it is served, and deletes."""
        chance = random.Random(f"{SEED}{name.zone}{number}")
        caller = Caller(self.fleet.rabbitmq.url)
        try:
            while (turn := name.next()) and not failures:
                domain = self.create(caller, name.zone)
                done = caller.apply_changes(domain=domain["id"], changes=[
                    put(f"www.{name.zone}", f"192.0.2.{turn % 200 + 1}")])
                if chance.random() < 0.5:
                    caller.settled(domain["id"], serial=done["serial"], seconds=FREE_SECONDS)
                caller.delete_domain(domain=domain["id"])
        except Exception as error:
            failures.append(f"caller {number}: {error!r}: {self.states(name.zone)}")
        finally:
            caller.close()

    def kill(self, name, failures):
        """After some creations, by chance: a process, or a whole pool manager."""
        turns = sorted(self.random.sample(range(1, ROUNDS), KILLS))
        try:
            for turn in turns:
                wait_for(lambda: name.created >= turn or failures, FREE_SECONDS * 2,
                         f"creation {turn}")
                worker = self.random.choice(self.fleet.poolmgrs)
                if self.random.random() < 0.5:
                    os.kill(self.random.choice(worker.processes()), signal.SIGKILL)
                else:
                    worker.kill9()
                    worker.launch()
                    worker.wait_ready()
        except Exception as error:
            failures.append(f"kill: {error!r}")


class Driven(Again, unittest.TestCase):

    name_servers = ("bind", "knot", "nsd", "powerdns")


class ByCatalog(Again, unittest.TestCase):

    name_servers = by_catalog = ("bind", "knot", "powerdns")


if __name__ == "__main__":
    unittest.main()

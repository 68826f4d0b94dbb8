"""Names of ports while their workers, the broker, the database and central fail.

Callers make, rename, move and delete ports, and hide and show their subnets, all the time,
and somebody changes the domain of one of their networks. Afterwards the zones that BIND has
are what was answered for, no more and no less, and each port that was accepted is ACTIVE.

ZONEFLEET_FAULTS=short is what CI runs; ZONEFLEET_SEED=N repeats the moments of a run.
"""

import itertools
import random
import sys
import time
import unittest
import uuid
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
from story import Caller, merged, start_fleet                   # noqa: E402
from commit_relay import CommitRelay                            # noqa: E402
from faults import ROUNDS, SEED, SHORT, hold, new_folder        # noqa: E402
from lab.fleet import Worker                                    # noqa: E402
from lab.process import HOST                                    # noqa: E402
from port_model import PortChecker, PortModel                   # noqa: E402
from port_writers import DomainChanger, PortWriter              # noqa: E402

WORKERS, WRITERS = 2, 4
KILLS, LOST = (8, 40) if SHORT else (60, 400)
AWAY_SECONDS = 3 if SHORT else 30
PACE = 0.05
PROGRESS_SECONDS = 60
HEAL_SECONDS = 120
LIST_MAX = 1000


def setUpModule():
    print(f"seed {SEED}", file=sys.stderr)
    folder = new_folder("zfportf")
    fleet = unittest.enterModuleContext(start_fleet(
        folder / "fleet", central=1, poolmgr=1, minidns=1, name_servers=("bind",),
        settings={"central": {"quota_recordsets": -1}}))
    Story.fleet, Story.checker, Story.workers = fleet, PortChecker(fleet), []
    Story.relay = CommitRelay(fleet.mariadb.port)
    unittest.addModuleCleanup(Story.relay.close)
    settings = merged(fleet.settings, {
        "ports": {"processes": 1}, "database": {"host": f"{HOST}:{Story.relay.port}"}})
    for number in range(WORKERS):
        worker = Worker(folder / f"ports{number + 1}", "ports", settings)
        worker.launch()
        unittest.addModuleCleanup(worker.stop)
        worker.wait_ready()
        Story.workers.append(worker)


class Story(unittest.TestCase):

    maxDiff = None
    numbers = itertools.count(1)

    def setUp(self):
        self.random = random.Random(f"{SEED} {self.id()}")
        self.number = next(self.numbers)
        self.model = PortModel()
        self.url = self.fleet.rabbitmq.url
        self.domains = [f"n{number}-{self.number}.example." for number in range(3)]
        self.model.zones |= set(self.domains)
        with self.caller("central") as central:
            for domain in self.domains:
                central.create_domain(domain={"name": domain})
        with self.caller() as ports:
            for domain in self.domains:
                network = uuid.uuid4().hex
                ports.set_network(network={"id": network, "dns_domain": domain})
                self.model.set_network(network, domain)

    @contextmanager
    def caller(self, topic="ports"):
        caller = Caller(self.url, topic=topic)
        try:
            yield caller
        finally:
            caller.close()

    # ---- the stream ----

    @contextmanager
    def stream(self):
        networks = list(self.model.networks)
        self.writers = [PortWriter(self.url, number, networks, [
            f"10.{self.number}.{number}.{host}" for host in range(1, 251)], PACE,
            f"{SEED} {self.number} {number}") for number in range(WRITERS)]
        self.changer = DomainChanger(self.url, networks[0], self.domains, 10 * PACE,
                                     f"{SEED} {self.number}")
        threads = [*self.writers, self.changer]
        for thread in threads:
            thread.start()
        try:
            self.wait_progress()
            yield
            self.wait_progress()
        finally:
            for thread in threads:
                thread.enough.set()
            until = time.monotonic() + 2 * PROGRESS_SECONDS
            for thread in threads:
                thread.join(max(until - time.monotonic(), 0))
        self.raise_error()

    def raise_error(self):
        for thread in [*self.writers, self.changer]:
            if thread.error:
                raise thread.error

    def wait_progress(self):
        """Each writer has some more calls answered."""
        goals = [writer.done + self.random.randint(2, 8) for writer in self.writers]

        def is_done():
            self.raise_error()
            return all(writer.done >= goal for writer, goal in zip(self.writers, goals))
        self.fleet.wait_for(is_done, PROGRESS_SECONDS, f"the writers go on (seed {SEED})")

    # ---- what is checked ----

    def assert_healed(self):
        self.model.set_network(self.changer.network, self.changer.domain)
        for writer in self.writers:
            self.model.subnets |= writer.subnets
            for key, port in writer.ports.items():
                self.assertIsNone(self.model.rival(key, port),
                                  f"{port.name} was given to two ports (seed {SEED})")
                self.model.put(key, port)
        self.assertEqual(self.checker.complaints(self.model, HEAL_SECONDS), [], f"seed {SEED}")
        self.assertEqual(self.known(), {
            key: (self.model.fqdn(port), "ACTIVE") for key, port in self.model.ports.items()},
            f"seed {SEED}")
        self.assertEqual(self.known_subnets(), {
            key: (str(subnet.cidr), subnet.flag) for key, subnet in self.model.subnets.items()},
            f"seed {SEED}")
        print(f"{sum(writer.done for writer in self.writers)} calls, "
              f"{sum(writer.repeated for writer in self.writers)} repeated, "
              f"{self.changer.done} domains, {len(self.model.ports)} ports, "
              f"{len(self.model.subnets)} subnets ... ", end="", file=sys.stderr, flush=True)

    def known(self):
        """What the workers say of all ports: their full names, and their status."""
        with self.caller() as caller:
            return {port["id"]: (port["dns_fqdn"], port["status"])
                    for network in self.model.networks
                    for port in caller.list_ports(network=network, limit=LIST_MAX)["ports"]}


    def known_subnets(self):
        with self.caller() as caller:
            return {subnet["id"]: (subnet["cidr"], subnet["dns_publish_fixed_ip"])
                    for network in self.model.networks
                    for subnet in caller.list_subnets(network=network, limit=LIST_MAX)["subnets"]}


class Faults(Story):

    def test_workers_killed(self):
        """By kill -9, at moments by chance, now and then both at once."""
        with self.stream():
            for number in range(KILLS):
                both = number % 4 == 3
                workers = self.workers if both else [self.random.choice(self.workers)]
                hold(self.random.uniform(0, 1))
                for worker in workers:
                    worker.kill9()
                for worker in workers:
                    worker.launch()
                for worker in workers:
                    worker.wait_ready()
                self.wait_progress()
        self.assert_healed()

    def test_broker(self):
        broker = self.fleet.rabbitmq
        with self.stream():
            for end in self.each(broker.stop, broker.kill9):
                self.interrupt(broker, end)
        self.assert_healed()

    def test_database(self):
        database = self.fleet.mariadb
        with self.stream():
            for end in self.each(database.stop, database.kill9):
                self.interrupt(database, end)
        self.assert_healed()

    def test_answers_to_commits_lost(self):
        """What was done and nobody knows of is done again, and is the same then."""
        with self.stream():
            for _ in range(LOST):
                lost = self.relay.lost
                self.relay.lose_one()
                self.fleet.wait_for(lambda before=lost: self.relay.lost > before,
                                    PROGRESS_SECONDS, "the answer to a COMMIT is lost")
                hold(self.random.uniform(0, 0.3))
            self.wait_progress()
        self.assert_healed()

    def test_a_deletion_whose_commit_is_not_answered(self):
        """It runs again, and does not find what it deleted: that is no error."""
        network = uuid.uuid4().hex
        with self.caller() as ports:
            ports.set_network(network={"id": network, "dns_domain": ""})
            for number in range(LOST // 2):
                subnet = ports.set_subnet(subnet={
                    "network_id": network, "cidr": f"10.99.{number}.0/24"})["subnet"]["id"]
                self.relay.lose_one()
                ports.delete_subnet(subnet=subnet)
                self.assertEqual(ports.list_subnets(network=network)["subnets"], [])
            ports.delete_network(network=network)

    def test_central_away(self):
        """Ports are accepted all the same, and published when it is back."""
        central = self.fleet.members["central1"]
        with self.stream():
            for end in self.each(central.stop, central.kill9):
                self.wait_progress()
                end()
                self.wait_progress()
                hold(AWAY_SECONDS)
                self.wait_progress()
                central.launch()
                central.wait_ready()
                self.wait_progress()
        self.assert_healed()

    def test_all_of_it(self):
        """One thing after another, while what is owed from the last one is still on its way."""
        servers = [*self.workers, self.fleet.rabbitmq, self.fleet.mariadb,
                   self.fleet.members["central1"], self.fleet.bind]
        with self.stream():
            for server in self.each(*servers):
                hold(self.random.uniform(0, 1))
                server.kill9()
                server.launch()
                server.wait_ready()
        self.assert_healed()

    def each(self, *things):
        """All of them, in an order by chance, as often as there are rounds."""
        things = list(things) * ROUNDS
        self.random.shuffle(things)
        return things

    def interrupt(self, server, end):
        self.wait_progress()
        end()
        hold(1 if SHORT else AWAY_SECONDS / 3)
        server.launch()
        server.wait_ready()
        self.wait_progress()


if __name__ == "__main__":
    unittest.main(verbosity=2)

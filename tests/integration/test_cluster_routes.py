"""Routes over a three-node Galera: several schedulers, each at a node of its own, bind each
route once, and take turns (A003-3)."""

import shutil
import sys
import tempfile
import unittest
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import oslo_messaging as om

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from story import SETTINGS, Caller, StoryFleet, merged              # noqa: E402
from lab.cluster_fleet import ClusterFleet                          # noqa: E402
from lab.fleet import Worker                                        # noqa: E402
from lab.galera import IMPOSSIBLE, is_possible                      # noqa: E402

SCHEDULERS, CALLERS, ROUTES = 4, 8, 999
AT_ONCE = 100
ROUTERS = ("one", "two", "three")
QUICK = {"database": {"timeout": 8}, "broker": {"heartbeat": 5}}
BOUND_SECONDS = 120


class Fleet(ClusterFleet, StoryFleet):
    pass


class Scheduled(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        if not is_possible():
            raise unittest.SkipTest(IMPOSSIBLE)
        folder = Path(tempfile.mkdtemp(prefix="zfclusterroutes"))
        cls.addClassCleanup(shutil.rmtree, folder, ignore_errors=True)
        cls.fleet = cls.enterClassContext(Fleet.start(
            folder / "fleet", settings=merged(SETTINGS, QUICK), central=1, poolmgr=1, minidns=1,
            name_servers=("bind",)))
        for number in range(SCHEDULERS):
            cls.start_scheduler(folder / f"routes{number + 1}", number)

    @classmethod
    def start_scheduler(cls, folder, number):
        """Another node of the database is the first of its list; the fleet stops it."""
        worker = Worker(folder, "routes", merged(cls.fleet.settings, {
            "routes": {"processes": 1, "suffix": "v3.example"},
            "database": {"host": cls.fleet.mariadb.hosts_from(number)}}))
        cls.fleet.members[worker.name] = worker
        cls.fleet.workers.append(worker)
        worker.launch()
        worker.wait_ready()

    def callers(self, count):
        callers = [Caller(self.fleet.rabbitmq.url, topic="routes", timeout=60)
                   for _ in range(count)]
        for caller in callers:
            self.addCleanup(caller.close)
        return callers

    def bindings(self, node):
        return node.sql("SELECT route_id, router FROM route_bindings ORDER BY route_id")

    def test_a_round_robin_though_one_is_killed(self):
        """Each binds what it takes, at once: whose turn it is they find out by the database."""
        callers, nodes = self.callers(CALLERS), self.fleet.mariadb.nodes
        for name in ROUTERS:
            callers[0].create_router(router={"name": name, "addresses": ["10.245.2.2"]})

        def create(number):
            return callers[number % CALLERS].create_route(route={
                "namespace": "many", "name": f"r{number}"})["route"]["id"]
        with ThreadPoolExecutor(CALLERS) as pool:
            made = [pool.submit(create, number) for number in range(ROUTES)]
            self.fleet.wait_for(lambda: len(self.bindings(nodes[0])) > ROUTES // 3, BOUND_SECONDS,
                                "some are bound")
            self.fleet.members["routes1"].kill9()
            self.assertLess(len(self.bindings(nodes[0])), ROUTES)
        ids = {each.result() for each in made}
        self.fleet.wait_for(lambda: len(self.bindings(nodes[1])) == ROUTES, BOUND_SECONDS,
                            "all are bound")
        bound = self.bindings(nodes[1])
        self.assertEqual({route for route, _ in bound}, ids)
        counts = Counter(router for _, router in bound)
        self.assertEqual(counts.keys(), set(ROUTERS))
        for count in counts.values():
            self.assertAlmostEqual(count, ROUTES // len(ROUTERS), delta=1)
        for node in nodes:
            self.fleet.wait_for(lambda: self.bindings(node) == bound, BOUND_SECONDS,
                                f"{node.name} has the same")
        self.assertEqual({name: int(count) for name, count in
                          nodes[2].sql("SELECT name, bound FROM routers")}, dict(counts))
        self.assert_all_bound()

    def test_hosts_and_domains_at_once(self):
        """By way of different nodes, too, either is refused, for the other one has the name."""
        callers = self.callers(2)

        def gets(act):
            try:
                return bool(act())
            except om.RemoteError as error:
                self.assertRegex(str(error), "is in the domain of router|has a host in that")
                return False
        with ThreadPoolExecutor(2) as pool:
            for number in range(AT_ONCE):
                domain = f"at-once-{number}.example"
                router = pool.submit(gets, lambda: callers[0].create_router(router={
                    "name": f"at-once-{number}", "dns": domain}))
                host = gets(lambda: callers[1].create_route(route={
                    "namespace": "at-once", "name": f"r{number}", "host": f"www.{domain}"}))
                self.assertEqual(router.result() + host, 1, domain)

    def assert_all_bound(self):
        """Each of them bound some, and all nodes were written to."""
        logs = [self.fleet.members[f"routes{number + 1}"].log.read_text()
                for number in range(SCHEDULERS)]
        nodes = {log.rpartition("database connected: host=")[2].split()[0] for log in logs}
        self.assertEqual(nodes, {node.hosts for node in self.fleet.mariadb.nodes})
        for number, log in enumerate(logs):
            self.assertIn("route.scheduled", log, f"routes{number + 1}")


if __name__ == "__main__":
    unittest.main(verbosity=2)

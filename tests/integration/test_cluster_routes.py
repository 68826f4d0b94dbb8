"""Routes over a three-node Galera: several schedulers, each at a node of its own, bind each
route once, and take turns (A003-3)."""

import sys
import unittest
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import oslo_messaging as om

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from story import Caller                                            # noqa: E402
from cluster_story import ClusterStory                              # noqa: E402

CALLERS, ROUTES = 8, 999
AT_ONCE = 100
ROUTERS = ("one", "two", "three")
BOUND_SECONDS = 120


class Scheduled(ClusterStory):

    kind, settings = "routes", {"suffix": "v3.example"}

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
        self.assert_all_did("route.scheduled")

    def test_hosts_and_domains_at_once(self):
        """By way of different nodes, too, either is refused, for the other one has the name."""
        callers = self.callers(2)

        def gets(act):
            try:
                return bool(act())
            except om.RemoteError as error:
                self.assertRegex(str(error), "in the domain of router|, the host of a route")
                return False
        with ThreadPoolExecutor(2) as pool:
            for number in range(AT_ONCE):
                domain = f"at-once-{number}.example"
                router = pool.submit(gets, lambda: callers[0].create_router(router={
                    "name": f"at-once-{number}", "dns": domain}))
                host = gets(lambda: callers[1].create_route(route={
                    "namespace": "at-once", "name": f"r{number}", "host": f"www.{domain}"}))
                self.assertEqual(router.result() + host, 1, domain)


if __name__ == "__main__":
    unittest.main(verbosity=2)

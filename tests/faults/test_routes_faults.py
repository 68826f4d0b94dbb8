"""Routes and routers while their workers, the broker, the database and central fail.

Callers make, change and delete routes all the time, some of them for hosts that others want,
too; and an operator makes, drains and deletes routers, and changes their addresses. Afterwards
what there is is what was answered for: in the tables, and in the zones of minidns and BIND.

ZONEFLEET_FAULTS=short is what CI runs; ZONEFLEET_SEED=N repeats the moments of a run.
"""

import itertools
import random
import re
import sys
import time
import unittest
import uuid
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
from story import Caller, LabError, merged, start_fleet         # noqa: E402
from commit_relay import CommitRelay                            # noqa: E402
from faults import ROUNDS, SEED, SHORT, hold, new_folder        # noqa: E402
from lab.fleet import Worker                                    # noqa: E402
from lab.process import HOST                                    # noqa: E402
from route_checker import RouteChecker, View                    # noqa: E402
from route_model import Route, RouteModel, Router               # noqa: E402
from route_plants import PLANTS, UNDER_WAY                       # noqa: E402
from route_writers import (QUEUES, Careful, RouterChanger,      # noqa: E402
                           RouteWriter)

WORKERS, WRITERS, BASE, ROUTERS_MAX = 2, 3 if SHORT else 4, 2, 5
KILLS, LOST, MANY = (3, 15, 24) if SHORT else (60, 400, 300)
AWAY_SECONDS = 1 if SHORT else 20
PACE = 0.05
PROGRESS_SECONDS = 60
HEAL_SECONDS = 120
SUFFIX = "routes.example"
GRACE, SOME_GRACE, LONG_GRACE = 2, 6, 3600
EMPTY = ("routes", "route_bindings", "host_claims", "route_moves", "routers", "router_addresses")


def setUpModule():
    print(f"seed {SEED}", file=sys.stderr)
    folder = new_folder("zfroutef")
    fleet = unittest.enterModuleContext(start_fleet(
        folder / "fleet", central=1, poolmgr=1, minidns=1, name_servers=("bind",)))
    Story.fleet, Story.checker, Story.workers = fleet, RouteChecker(fleet), []
    Story.relay = CommitRelay(fleet.mariadb.port)
    unittest.addModuleCleanup(Story.relay.close)
    settings = merged(fleet.settings, {
        "routes": {"processes": 1, "rebind_grace": GRACE, "retry_max": 2},
        "database": {"host": f"{HOST}:{Story.relay.port}"}})
    for number in range(WORKERS):
        worker = Worker(folder / f"routes{number + 1}", "routes", settings)
        fleet.members[worker.name] = worker
        fleet.workers.append(worker)
        Story.workers.append(worker)
        worker.launch()
    for worker in Story.workers:
        worker.wait_ready()


class Story(unittest.TestCase):

    maxDiff = None
    numbers = itertools.count(1)

    def setUp(self):
        self.random = random.Random(f"{SEED} {self.id()}")
        self.number = next(self.numbers)
        self.url = self.fleet.rabbitmq.url
        self.model = RouteModel()
        self.model.queues |= set(QUEUES)
        self.caller = self.careful()
        self.addCleanup(self.clear)
        for number in range(BASE):
            self.make_router(f"b{self.number}-{number}", f"10.244.{self.number}.{number + 1}")

    def careful(self):
        """A caller whose calls are made again until they are answered; no thread."""
        caller = Careful(self.url, PACE, f"{SEED} {self.number}")
        self.addCleanup(lambda: caller.caller.close())
        return caller

    def make_router(self, name, *addresses):
        router = Router(f"{name}.{SUFFIX}", dict.fromkeys(addresses, True))
        self.caller.answered(name, "create_router", router={
            "name": name, "dns": router.dns, "zone": router.zone(), "ttl": router.ttl,
            "addresses": list(router.addresses)})
        self.model.routers[name] = router

    def make_route(self, caller, name, host=None):
        key, route = uuid.uuid4().hex, Route(f"s{self.number}", name, "project-0", host)
        caller.answered(key, "create_route", route={
            "id": key, "namespace": route.namespace, "name": name, "project_id": route.project,
            "host": host, "backend": route.backend})
        self.model.routes[key] = route
        return key

    def clear(self):
        """For the next story; what is left of nothing is a mistake, too."""
        try:
            for key in [row[0] for row in self.sql("SELECT id FROM routes")]:
                self.caller.answered(key, "delete_route", ("NotFound",), route=key)
            for name in [row[0] for row in self.sql("SELECT name FROM routers")]:
                self.caller.answered(name, "delete_router", ("NotFound",), router=name,
                                     force=True)
            self.wait(lambda: not self.left(), "nothing is left of routes and routers")
        except LabError as error:
            raise LabError(f"{self.left()}\n{error}") from None

    def left(self):
        counts = {table: int(self.sql(f"SELECT COUNT(*) FROM {table}")[0][0]) for table in EMPTY}
        return {table: count for table, count in counts.items() if count}

    def sql(self, text):
        return self.fleet.mariadb.sql(text)

    def wait(self, condition, what, seconds=HEAL_SECONDS):
        return self.fleet.wait_for(condition, seconds, f"{what} (seed {SEED})")

    # ---- the stream ----

    @contextmanager
    def stream(self):
        self.writers = [RouteWriter(self.url, self.number, number, PACE,
                                    f"{SEED} {self.number} {number}") for number in range(WRITERS)]
        self.changer = RouterChanger(self.url, self.number, self.model.routers, SUFFIX,
                                     ROUTERS_MAX, 4 * PACE, f"{SEED} {self.number}")
        self.askers = [*self.writers, self.changer]
        for asker in self.askers:
            asker.start()
        try:
            self.wait_progress()
            yield
            self.wait_progress()
        finally:
            for asker in self.askers:
                asker.enough.set()
            until = time.monotonic() + 2 * PROGRESS_SECONDS
            for asker in self.askers:
                asker.join(max(until - time.monotonic(), 0))
        self.raise_error()
        for writer in self.writers:
            self.model.routes |= writer.routes
        self.model.routers, self.model.gone = self.changer.routers, self.changer.gone

    def raise_error(self):
        for asker in self.askers:
            if asker.error:
                raise asker.error

    def wait_progress(self):
        """Each has some more calls answered."""
        goals = [asker.done + self.random.randint(1, 4) for asker in self.askers]

        def is_done():
            self.raise_error()
            return all(asker.done >= goal for asker, goal in zip(self.askers, goals))
        self.wait(is_done, "the writers go on", PROGRESS_SECONDS)

    # ---- faults ----

    def kill_workers(self, workers):
        for worker in workers:
            worker.kill9()
        for worker in workers:
            worker.launch()
        for worker in workers:
            worker.wait_ready()

    def kill_some(self, number):
        """Now and then all at once."""
        self.kill_workers(self.workers if number % 4 == 3 else [self.random.choice(self.workers)])

    def each(self, *things):
        """All of them, in an order by chance, as often as there are rounds."""
        return self.random.sample(things * ROUNDS, len(things) * ROUNDS)

    def ways(self, *things):
        """The short form does with one of them, whichever it is."""
        return [self.random.choice(things)] if SHORT else self.each(*things)

    # ---- what is checked ----

    def complaints(self):
        return self.checker.complaints(self.model)

    def assert_healed(self):
        started = time.monotonic()
        try:
            self.checker.wait_settled(self.model, HEAL_SECONDS)
            self.healed_in = time.monotonic() - started
        except LabError as error:
            raise LabError(f"{self.checker.owed(self.model)}\n{error}") from None
        self.assertEqual(self.complaints(), [], f"seed {SEED}")
        self.assert_listed()

    def assert_listed(self):
        """The workers say of all routes what the tables have."""
        listed, marker = {}, {}
        caller = Caller(self.url, topic="routes")
        self.addCleanup(caller.close)
        while marker is not None:
            page = caller.list_routes(limit=7, **marker)
            for route in page["routes"]:
                self.assertNotIn(route["id"], listed)
                listed[route["id"]] = (route["status"]["phase"], route["status"]["dns"],
                                       route["router"], route["waiting"])
            marker = {"marker": page["marker"]} if page["marker"] else None
        view = View(self.sql)
        self.assertEqual(listed, {
            key: (row["phase"], row["dns"], (view.bindings.get(key) or [(None,)])[0][0],
                  row["waits"] == "1") for key, row in view.routes.items()})

    def tell(self):
        waiting = sum(row["waits"] == "1" for row in View(self.sql).routes.values())
        print(f"{sum(asker.done for asker in self.askers)} calls, "
              f"{sum(asker.repeated for asker in self.askers)} repeated, "
              f"{len(self.model.routes)} routes, {waiting} of them wait, "
              f"{len(self.model.routers)} routers, {len(self.model.gone)} gone, "
              f"healed in {self.healed_in:.0f} s ... ", end="", file=sys.stderr, flush=True)


class Faults(Story):

    def test_workers_killed(self):
        """By kill -9, at moments by chance."""
        with self.stream():
            for number in range(KILLS):
                hold(self.random.uniform(0, 1))
                self.kill_some(number)
                self.wait_progress()
        self.assert_healed()
        self.tell()

    def test_broker(self):
        broker = self.fleet.rabbitmq
        with self.stream():
            for end in self.ways(broker.stop, broker.kill9):
                self.interrupt([broker], [end])
        self.assert_healed()
        self.tell()

    def test_database(self):
        database = self.fleet.mariadb
        with self.stream():
            for end in self.ways(database.stop, database.kill9):
                self.interrupt([database], [end])
        self.assert_healed()
        self.tell()

    def test_answers_to_commits_lost(self):
        """What was done and nobody knows of is done again, and is the same then."""
        with self.stream():
            for _ in range(LOST):
                lost = self.relay.lost
                self.relay.lose_one()
                self.wait(lambda before=lost: self.relay.lost > before,
                          "the answer to a COMMIT is lost", PROGRESS_SECONDS)
                hold(self.random.uniform(0, 0.2))
            self.wait_progress()
        self.assert_healed()
        self.tell()

    def test_central_and_the_pool_manager_away(self):
        """Routes and routers are accepted and bound all the same; their domains come later."""
        members = [self.fleet.members["central1"], self.fleet.members["poolmgr1"]]
        with self.stream():
            for way in self.ways("stop", "kill9"):
                self.interrupt(members, [getattr(member, way) for member in members], True)
        self.assert_healed()
        self.tell()

    def test_all_of_it(self):
        """One thing after another, while what is owed from the last one is still on its way."""
        servers = [*self.workers, self.fleet.rabbitmq, self.fleet.mariadb, self.fleet.bind,
                   *(self.fleet.members[name] for name in ("central1", "poolmgr1", "minidns1"))]
        with self.stream():
            for server in self.each(*servers):
                hold(self.random.uniform(0, 1))
                server.kill9()
                server.launch()
                server.wait_ready()
        self.assert_healed()
        self.tell()

    def interrupt(self, servers, ends, goes_on=False):
        self.wait_progress()
        for end in ends:
            end()
        try:
            hold(AWAY_SECONDS)
            if goes_on:
                self.wait_progress()
        finally:
            for server in servers:
                server.launch()
        for server in servers:
            server.wait_ready()
        self.wait_progress()


class Order(Story):
    """What of many calls at once has to come of them in an order, while workers are killed."""

    def many(self, names, host=None):
        """Routes of those names, made at once by several; workers are killed meanwhile."""
        callers = [self.careful() for _ in range(4)]
        with ThreadPoolExecutor(len(callers)) as pool:
            made = [pool.submit(lambda at=at, caller=caller: [
                self.make_route(caller, name, host) for name in names[at::len(callers)]])
                for at, caller in enumerate(callers)]
            for number in itertools.count():
                if all(each.done() for each in made):
                    break
                self.kill_some(number)
        return {key for each in made for key in each.result()}

    def test_a_round_is_a_round(self):
        """All routers that are up get as many, or one more: the routers' order is not lost."""
        self.make_router(f"b{self.number}-more", "10.244.0.9")
        made = self.many([f"r{number}" for number in range(MANY)])
        self.assert_healed()
        counts = Counter(router for route, all_of in View(self.sql).bindings.items()
                         for router, _ in all_of if route in made)
        self.assertEqual(counts.keys(), self.model.routers.keys())
        self.assertLessEqual(max(counts.values()) - min(counts.values()), 1, counts)

    def test_a_host_goes_to_whoever_waited_longest(self):
        host = QUEUES[0]
        self.many([f"w{number}" for number in range(MANY // 4)], host)
        self.assert_healed()
        rows = View(self.sql).routes
        order = sorted(self.model.routes, key=lambda key: (rows[key]["since"], key))
        for number, key in enumerate(order[:-1]):
            self.assertEqual(self.owner(host), key)
            if number % 4 == 0:
                worker = self.random.choice(self.workers)
                worker.kill9()
                worker.launch()
            self.caller.answered(key, "delete_route", route=key)
            del self.model.routes[key]
        self.assertEqual(self.owner(host), order[-1])
        for worker in self.workers:
            worker.wait_ready()
        self.assert_healed()

    def owner(self, host):
        return View(self.sql).claims[host][0]


class Moved(Story):

    def set_grace(self, seconds):
        for worker in self.workers:
            worker.configure({"routes": {"rebind_grace": seconds}})
        self.kill_workers(self.workers)

    def drain(self, name):
        self.caller.answered(name, "drain_router", router=name)
        self.model.routers[name].state = "draining"

    def test_a_route_goes_while_the_name_that_it_had_does(self):
        """Central has not answered yet when its route is deleted: the router looks again."""
        self.set_grace(SOME_GRACE)
        self.addCleanup(self.set_grace, GRACE)
        key, central = self.make_route(self.caller, "r"), self.fleet.members["central1"]
        self.assert_healed()
        old = View(self.sql).bindings[key][0][0]
        self.drain(old)
        self.wait(lambda: self.move(key) == "HAVE" and self.is_out(old), "the name leads on")
        central.pause()
        self.addCleanup(central.resume)
        self.wait(lambda: self.move(key) == "WITHDRAW", "its grace is over")
        self.wait(lambda: self.sql("SELECT 1 FROM distributed_locks WHERE `lock` AND "
                                   f"object_uuid = 'routes:{old}'"), "central is asked")
        self.caller.answered(key, "delete_route", route=key)
        del self.model.routes[key]
        central.resume()
        self.assert_healed()

    def is_out(self, router):
        return self.sql("SELECT 1 FROM routers WHERE zone_status = 'ACTIVE' AND "
                        f"done_rev = rev AND name = '{router}'")

    def move(self, key):
        rows = self.sql(f"SELECT state FROM route_moves WHERE route_id = '{key}'")
        return rows[0][0] if rows else None

    def test_a_drain(self):
        """Each name that its routes had leads to the one they have, whoever is killed."""
        self.set_grace(LONG_GRACE)
        self.addCleanup(self.set_grace, GRACE)
        for number in range(20):
            self.make_route(self.caller, f"r{number}",
                            f"h{number}.own.example" if number % 4 == 0 else None)
        self.assert_healed()
        before, (drained, kept) = View(self.sql).bindings, self.model.routers
        self.drain(drained)
        for number in range(3):
            hold(self.random.uniform(0, 0.5))
            self.kill_some(number)
        self.wait(lambda: not self.checker.sql(
            f"SELECT 1 FROM route_bindings WHERE router = '{drained}'"), "all have moved")
        dns = self.model.routers[kept].dns
        self.model.aliases[drained] = {
            old: self.model.routes[key].name_at(dns) for key, bound in before.items()
            for router, old in bound if router == drained and not self.model.routes[key].host}
        self.assertGreater(len(self.model.aliases[drained]), 4)
        self.assert_healed()
        self.caller.answered(drained, "delete_router", router=drained, force=True)
        self.model.gone[drained] = self.model.routers.pop(drained)
        self.model.aliases.clear()
        self.wait(lambda: not self.checker.owed(self.model), "its domain is gone")
        self.assert_healed()


class CheckerItself(Story):
    """Each wrong state is complained of. Nothing repairs it: the workers are down meanwhile."""

    def setUp(self):
        super().setUp()
        self.one, self.two = self.model.routers
        self.make_router("drained", "10.244.0.9")
        self.caller.answered("drained", "drain_router", router="drained")
        self.model.routers["drained"].state = "draining"
        self.name = {name: self.make_route(self.caller, name, host) for name, host in (
            ("plain", None), ("other", None), ("own", "own.example"), ("owner", QUEUES[0]),
            ("waiter", QUEUES[0]), ("wild", "*.wild.example"), ("below", "a.wild.example"))}
        self.assert_healed()
        bound = View(self.sql).bindings
        self.dns = {name: bound[key][0][1] for name, key in self.name.items() if bound.get(key)}
        for worker in self.workers:
            worker.kill9()
            self.addCleanup(worker.wait_ready)
            self.addCleanup(worker.launch)
        self.sql("".join(f"CREATE TABLE kept_{table} AS SELECT * FROM {table};" for table in EMPTY))
        self.addCleanup(self.sql, "".join(f"DROP TABLE kept_{table};" for table in EMPTY))
        self.addCleanup(self.put_back)

    def put_back(self):
        self.sql("SET FOREIGN_KEY_CHECKS = 0;" + "".join(
            f"DELETE FROM {table}; INSERT INTO {table} SELECT * FROM kept_{table};"
            for table in EMPTY))

    def assert_seen(self, plants, look):
        for pattern, statements in plants.items():
            with self.subTest(pattern):
                self.assertEqual(look(), [])
                self.sql("SET FOREIGN_KEY_CHECKS = 0;" + statements.format(
                    **self.name, one=self.one, two=self.two, host=QUEUES[0],
                    **{f"dns_{name}": dns for name, dns in self.dns.items()}))
                try:
                    self.assertRegex("\n".join(look()), pattern)
                finally:
                    self.put_back()

    def test_rows(self):
        self.assert_seen(PLANTS, lambda: self.checker.rows(self.model))
        self.assert_seen(UNDER_WAY, lambda: self.checker.owed(self.model))
        self.model.aliases[self.one] = {"old.example": "new.example"}
        self.assertRegex(self.checker.rows(self.model)[0], "move .* is missing")

    def test_zones(self):
        """Of both servers; in each of them is one wrong record more than in the one before."""
        central, router = Caller(self.url), self.model.routers[self.one]
        self.addCleanup(central.close)
        origin = f"{router.dns}."
        address, = router.shown
        for what, change in (
                (f"ns1.{origin} 300 IN A 127.0.0.2 is surplus",
                 {"op": "set", "name": f"ns1.{origin}", "type": "A", "ttl": 300,
                  "records": ["127.0.0.2"]}),
                (f"\\*.{origin} {router.ttl} IN A {address} is missing",
                 {"op": "delete", "name": f"*.{origin}", "type": "A"}),
                (f"old.{origin} 30 IN CNAME new.example. is surplus",
                 {"op": "set", "name": f"old.{origin}", "type": "CNAME", "ttl": 30,
                  "records": ["new.example."]}),
                (f"{origin} 300 IN NS ns2.example. is surplus",
                 {"op": "set", "name": origin, "type": "NS", "ttl": 300,
                  "records": ["ns2.example."]})):
            central.apply_changes(domain=origin, changes=[change], force=True)
            for where in "minidns", "BIND":
                self.wait(lambda: self.is_seen(f"{where}: {what}"), f"{where}: {what}")
        self.set_back(central, router, origin)
        self.model.gone["drained"] = self.model.routers.pop("drained")
        for where in "minidns", "BIND":
            self.assertTrue(self.is_seen(f"{where}: .* was deleted, and it says NOERROR"))

    def set_back(self, central, router, origin):
        """Its records are as they were by then, and it has another serial all the same."""
        changes = [{"op": "delete", "name": f"old.{origin}", "type": "CNAME"}]
        for record in router.records({}):
            name, ttl, _, kind, data = record.split()
            changes.append({"op": "set", "name": name, "type": kind, "ttl": int(ttl),
                            "records": [data]})
        central.apply_changes(domain=origin, changes=changes, force=True)
        for where in "minidns", "BIND":
            self.wait(lambda: self.is_seen(f"{where}: the serial of {router.dns} is"), where)
            self.wait(lambda: not self.is_seen(f"{where}: .* is (surplus|missing)"), where)

    def is_seen(self, pattern):
        return any(re.match(pattern, complaint) for complaint in
                   self.checker.zones(View(self.sql), self.model))

    def test_messages_and_workers(self):
        central = Caller(self.url)
        self.addCleanup(central.close)
        central.cast("no_such_method")
        self.addCleanup(lambda: self.fleet.rabbitmq.ctl(
            "purge_queue", "-p", self.fleet.rabbitmq.vhost, "central.dead"))
        self.wait(lambda: "1 messages in central.dead" in self.complaints_at_once(), "it is seen")
        self.assertRegex("\n".join(self.complaints_at_once()), "routes1 is not well")

    def complaints_at_once(self):
        return self.checker.complaints(self.model, 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)

"""Routers, routes and bindings: calls on the queue, rows, and what DNS answers (seed 003).

The fleet has a central, a pool manager, a mini-DNS, a BIND and two processes of routes.
"""

import contextlib
import itertools
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import uuid
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import dns.message
import dns.query
import dns.rdatatype
import oslo_messaging as om

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from route_model import Route                                          # noqa: E402
from heard import Heard                                                 # noqa: E402
from story import (NO_CHECKS, NO_HOSTS, NS, Caller, merged, replace_zone,      # noqa: E402
                   start_fleet)
from changed import changes                                             # noqa: E402
from query import udp  # noqa: E402
from locked_row import costs_nothing, locked                             # noqa: E402
from lab.fleet import Worker                                            # noqa: E402
from lab.process import HOST, program, run                              # noqa: E402

SECONDS = 20
WORKERS = 2
FOLLOWS_SECONDS = 1 + 1 + 2     # a turn of a worker, a poll of the servers, and a margin
MANY = 100
MANY_WAIT = 50
MANY_LABELS = 70
MOVES_PAGE = 32                 # names whose time is over, of a turn
SUFFIX = "v3.example.com"
SETTINGS = {"processes": 1, "suffix": f"{SUFFIX.title()}.", "rebind_grace": 3, "rebind_delay": 1, "ttl": 2,
            "retry_max": 2, "alive_timeout": 2}


def setUpModule():
    """One fleet for all, and two workers of routes; each test has names of its own."""
    folder = Path(tempfile.mkdtemp(prefix="zfroutes"))
    unittest.addModuleCleanup(shutil.rmtree, folder)
    RouteStory.folder = folder
    fleet = RouteStory.fleet = unittest.enterModuleContext(start_fleet(
        folder / "fleet", central=1, poolmgr=1, minidns=1, name_servers=("bind",),
        settings=NO_CHECKS))
    for _ in range(WORKERS):
        RouteStory.launch()
    RouteStory.central = Caller(fleet.rabbitmq.url)
    RouteStory.caller = Caller(fleet.rabbitmq.url, topic="routes")
    RouteStory.user = Caller(fleet.rabbitmq.url, topic="routes", tenant="user-1", admin=False)
    RouteStory.other = Caller(fleet.rabbitmq.url, topic="routes", tenant="user-2", admin=False)
    for caller in RouteStory.central, RouteStory.caller, RouteStory.user, RouteStory.other:
        unittest.addModuleCleanup(caller.close)


def ask(port, name, kind, server=HOST):
    """({"10.0.0.1", ...}, rcode) of an answer."""
    question = dns.message.make_query(name, kind)
    answer = udp(question, server, port=port, timeout=5)
    return {str(record) for rrset in answer.answer
            for record in rrset if rrset.rdtype == dns.rdatatype.from_text(kind)}, answer.rcode()


class Hand:
    """A transaction by hand, within which others wait."""

    def __init__(self, server):
        self.client = subprocess.Popen(
            [program("mariadb"), "--no-defaults", f"--host={server.host}", f"--port={server.port}",
             f"--user={server.user}", f"--password={server.password}", "--unbuffered",
             "--skip-column-names", server.database],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.do("START TRANSACTION")

    def do(self, statement):
        """The lines that it returns."""
        self.client.stdin.write(f"{statement}; SELECT 'done';\n")
        self.client.stdin.flush()
        return [line.strip() for line in iter(self.client.stdout.readline, "done\n")]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.client.poll() is None:
            self.do("ROLLBACK")
        self.client.communicate()


class RouteStory(unittest.TestCase):
    maxDiff = None

    workers = []

    @classmethod
    def launch(cls, **settings):
        worker = Worker(cls.folder / f"routes{len(cls.workers) + 1}", "routes",
                        cls.fleet.settings | {"routes": SETTINGS | settings})
        cls.workers.append(worker)
        worker.launch()
        unittest.addModuleCleanup(worker.stop)
        worker.wait_ready()
        return worker

    def setUp(self):
        self.namespace = f"n{uuid.uuid4().hex[:8]}"
        self.addCleanup(self.clear)

    def clear(self):
        """For the next test: no routes, and no routers."""
        for route in self.routes():
            self.caller.delete_route(route=route["id"])
        for router in self.caller.list_routers()["routers"]:
            if router["state"] != "going":
                self.caller.delete_router(router=router["name"], force=True)
        self.wait(lambda: not self.caller.list_routers()["routers"], "the routers are gone")

    def wait(self, condition, what, seconds=SECONDS):
        return self.fleet.wait_for(condition, seconds, what)

    def routes(self, caller=None, **filter):
        found, marker = [], None
        while True:
            page = (caller or self.caller).list_routes(
                limit=1000, **filter, **({"marker": marker} if marker else {}))
            found += page["routes"]
            marker = page["marker"]
            if not marker:
                return found

    def router(self, name=None, *addresses, wait=True, **more):
        name = name or f"r{uuid.uuid4().hex[:6]}"
        router = self.caller.create_router(router={
            "name": name, "addresses": list(addresses) or ["10.245.2.2"]} | more)["router"]
        if wait:
            self.active(name)
        return router

    def active(self, name):
        self.wait(lambda: self.caller.get_router(router=name)["router"]["zone_status"] == "ACTIVE",
                  f"the domain of {name} is out: "
                  f"{self.caller.get_router(router=name)['router']}")

    def route(self, name="web", caller=None, **more):
        return (caller or self.caller).create_route(route={
            "namespace": self.namespace, "name": name} | more)["route"]

    def get(self, route):
        return self.caller.get_route(route=route["id"])["route"]

    def scheduled(self, route, seconds=SECONDS):
        self.wait(lambda: self.get(route)["status"]["phase"] == "scheduled",
                  f"it has a router: {self.get(route)}", seconds)
        return self.get(route)

    def refused(self, pattern, call, *arguments, **keywords):
        with self.assertRaisesRegex(Exception, pattern):
            call(*arguments, **keywords)

    def alone(self, **settings):
        """One worker with these settings, until the test is over."""
        others = [worker for worker in self.workers if worker.pid]
        for worker in others:
            worker.stop()
        own = self.launch(**settings)

        def back():
            own.stop()
            for worker in others:
                worker.launch()
            for worker in others:
                worker.wait_ready()
        self.addCleanup(back)
        return own

    def heard(self):
        heard = Heard(self.fleet.rabbitmq)
        self.addCleanup(heard.close)
        return heard

    def hand(self):
        return Hand(self.fleet.mariadb)

    def waiting(self):
        """How many transactions wait for a lock: the loop of a worker never does."""
        return int(self.fleet.mariadb.sql(
            "SHOW GLOBAL STATUS LIKE 'Innodb_row_lock_current_waits'")[0][1])

    def found_locked(self):
        """A function that says whether a worker has found a row locked since now."""
        workers = [worker for worker in self.workers if worker.pid]
        before = locked(workers)
        return lambda: locked(workers) > before

    def servers(self):
        return self.fleet.minidns_ports[0], self.fleet.bind.port

    def answers(self, name, kind, *expected, seconds=SECONDS):
        for port in self.servers():
            self.wait(lambda: ask(port, name, kind)[0] == set(expected),
                      f"{name} {kind} is {expected}: {ask(port, name, kind)}", seconds)


class Log(RouteStory):

    def wait_logged(self, name, *methods):
        logged = lambda: [line["method"] for line in changes(self.workers, name)]   # noqa: E731
        self.wait(lambda: sorted(logged()) == sorted(methods),
                  f"the log names each change of {name}: {methods}, not {logged()}")

    def test_each_change_leaves_a_line(self):
        name = self.router(wait=False)["name"]
        for _ in range(2):
            self.caller.update_router(router=name, values={"description": "d"})
            self.caller.drain_router(router=name)
        route = self.route()
        self.route(id=route["id"])                                      # again
        for _ in range(2):
            self.caller.update_route(route=route["id"], values={"backend": "other"})
        self.caller.delete_route(route=route["id"])
        self.caller.delete_router(router=name, force=True)
        self.wait_logged(f"{self.namespace}/web", "create_route", "update_route", "delete_route")
        self.wait_logged(name, "create_router", "update_router", "drain_router", "delete_router")


class Names(RouteStory):

    def test_a_name_by_itself(self):
        """The seed's example: test of myapp in shard1."""
        self.router("shard1", "10.245.2.2", "10.245.2.3", "fd00::2")
        route = self.route("test")
        self.assertEqual(route["status"], {"phase": "scheduled",
                                           "dns": f"{self.namespace}-test.shard1.{SUFFIX}"})
        self.assertEqual(route["router"], "shard1")
        self.answers(route["status"]["dns"], "A", "10.245.2.2", "10.245.2.3")
        self.answers(route["status"]["dns"], "AAAA", "fd00::2")

    def test_a_host_of_ones_own(self):
        self.router("shard1")
        route = self.route(host="WWW.Example.ORG.")
        self.assertEqual(route["host"], "www.example.org")
        self.assertEqual(route["status"], {"phase": "scheduled", "dns": "www.example.org"})

    def test_phase_and_dns_are_the_binding_s(self):
        """A003-1"""
        self.router("shard1")
        for more, field in (({"phase": "new"}, "status.phase"), ({"dns": "x.org"}, "status.dns"),
                            ({"status": {"phase": "scheduled"}}, "status.phase"),
                            ({"status": {"dns": "x.example.org"}}, "status.dns")):
            self.refused(field, self.route, "bad", **more)
        self.assertEqual(self.routes(namespace=self.namespace), [])
        route = self.route()
        for values, field in (({"phase": "new"}, "status.phase"), ({"dns": "x.org"}, "status.dns"),
                              ({"status": {"dns": "x.org"}}, "status.dns")):
            self.refused(field, self.caller.update_route, route=route["id"], values=values)
        self.assertEqual(self.get(route), route)
        self.caller.update_route(route=route["id"], values={
            "status": route["status"], "labels": {"a": "b"}})
        self.assertEqual(self.get(route), route | {"labels": {"a": "b"}})
        self.refused("administrators", self.user.create_route_binding, binding={
            "route_namespace": self.namespace, "route_name": "web", "router": "shard1"})

    def test_names_that_collide_and_names_that_are_too_long(self):
        """A003-5"""
        self.router("shard1")
        namespace, suffix = self.namespace, f".shard1.{SUFFIX}"
        first = self.route("a-b")
        self.namespace = f"{namespace}-a"
        second = self.route("b")
        self.assertEqual(first["status"]["dns"], f"{namespace}-a-b{suffix}")
        self.assertRegex(second["status"]["dns"], rf"^{namespace}-a-b-[a-z2-7]{{6}}{suffix}$")
        self.namespace = namespace
        dotted = self.route("a.b")
        self.assertRegex(dotted["status"]["dns"], rf"^{namespace}-a-b-[a-z2-7]{{6}}{suffix}$")
        self.assertNotEqual(dotted["status"]["dns"], second["status"]["dns"])
        long = self.route("x" * 63)
        label = long["status"]["dns"].split(".")[0]
        self.assertEqual(len(label), 63)
        self.assertNotEqual(self.route("x" * 62 + "y")["status"]["dns"], long["status"]["dns"])
        for route in first, second, dotted, long:
            self.answers(route["status"]["dns"], "A", "10.245.2.2")
        for name in "UPPER", "-a", "a-", "a_b", "x" * 64, "", "a..b", "\u00e4":
            self.refused("name", self.route, name)
        for host in ("b\u00fccher.example", "a_b.example", "-a.example", "example", "10.0.0.1",
                     "x" * 64 + ".example", "a..example", "*.*.example", "a.*.example", "*",
                     ".".join(["x" * 60] * 5)):
            self.refused("host", self.route, "bad", host=host)
        self.refused("in the domain of router", self.route, "bad", host=f"mine{suffix}")


class Granted(RouteStory):
    """A003-1, by who may write what in the database: a worker whose user may not set the two
    columns of a route that are its binding's."""

    HELD = {"phase", "dns"}

    @classmethod
    def setUpClass(cls):
        for worker in cls.workers:
            worker.stop()
        database = cls.fleet.mariadb.database
        tables = [row[0] for row in cls.fleet.mariadb.sql("SHOW TABLES") if row[0] != "routes"]
        columns = {row[0] for row in cls.fleet.mariadb.sql("SHOW COLUMNS FROM routes")}
        free = ", ".join(sorted(columns - cls.HELD))
        cls.sql("CREATE USER unbound IDENTIFIED BY 'unbound'")
        cls.sql(f"GRANT SELECT, DELETE ON {database}.routes TO unbound")
        cls.sql(f"GRANT INSERT ({free}), UPDATE ({free}) ON {database}.routes TO unbound")
        for table in tables:
            cls.sql(f"GRANT SELECT, INSERT, UPDATE, DELETE ON {database}.{table} TO unbound")
        cls.worker = Worker(cls.folder / "unbound", "routes", merged(cls.fleet.settings, {
            "routes": SETTINGS | {"strategy": "external"},
            "database": {"user": "unbound", "password": "unbound"}}))
        cls.worker.launch()
        cls.worker.wait_ready()

    @classmethod
    def tearDownClass(cls):
        cls.worker.stop()
        cls.sql("DROP USER unbound")
        for worker in cls.workers:
            worker.launch()
        for worker in cls.workers:
            worker.wait_ready()

    BINDS = "UPDATE (phase, dns) ON routes", "INSERT, UPDATE, DELETE ON route_bindings"

    def clear(self):
        self.sql(f"GRANT {self.BINDS[0]} TO unbound")
        super().clear()
        self.sql(f"REVOKE {self.BINDS[0]} FROM unbound")

    def restart(self, strategy):
        self.worker.stop()
        self.worker.configure({"routes": {"strategy": strategy}})
        self.worker.launch()
        self.worker.wait_ready()

    @classmethod
    def sql(cls, text):
        cls.fleet.mariadb.sql(text, administrator=True)

    def test_who_sets_them(self):
        self.router("shard1")
        route = self.route(host="h.ex6.org", labels={"a": "1"})
        other = self.route("other", host="h.ex6.org")
        self.caller.update_route(route=route["id"], values={"backend": "b", "labels": {"a": "2"}})
        self.caller.update_route(route=route["id"], values={"host": "i.ex6.org"})
        self.assertFalse(self.get(other)["waiting"])
        self.assertEqual(self.get(route)["status"], {"phase": "new", "dns": None})
        with self.assertRaisesRegex(Exception, "(?i)denied|column"):
            self.caller.create_route_binding(binding={
                "route_namespace": self.namespace, "route_name": "web", "router": "shard1"})
        self.assertEqual(self.get(route)["status"], {"phase": "new", "dns": None})
        for one in route, other:
            self.caller.delete_route(route=one["id"])

    MISSING = ("UPDATE command denied to user .* for column 'phase' in table 'routes'",
               "command denied to user .* for table .*route_bindings")

    def test_one_that_is_bound(self):
        """Without the columns, and without the bindings themselves: what would bind it anew does
        not pass, and all else does. The log says which right is missing; once that is back, what
        is to be bound is bound."""
        self.sql(f"GRANT {self.BINDS[0]} TO unbound")
        self.restart("roundrobin")
        self.addCleanup(self.restart, "external")
        self.router("shard1")
        route = self.scheduled(self.route())
        self.router("shard2")
        for number, (right, missing) in enumerate(zip(self.BINDS, self.MISSING)):
            self.sql(f"REVOKE {right} FROM unbound")
            values = {"backend": f"b{number}", "labels": {"a": f"{number}"}}
            self.caller.update_route(route=route["id"], values=values)
            self.assertEqual(self.get(route), route | values)
            self.refused("(?i)denied", self.caller.update_route, route=route["id"],
                         values={"host": "j.ex6.org"})
            self.assertEqual(self.get(route), route | values)
            said = len(self.worker.log.read_text())
            self.caller.drain_router(router=route["router"])
            other = self.route(f"new{number}")
            self.wait(lambda: re.search(f"routes not bound: .*{missing}",
                                        self.worker.log.read_text()[said:]), "it is told")
            self.assertEqual(self.get(route), route | values)
            self.assertEqual(self.get(other)["status"], {"phase": "new", "dns": None})
            self.sql(f"GRANT {right} TO unbound")
            self.wait(lambda: self.get(route)["router"] not in (None, route["router"]), "it may")
            self.scheduled(other)
            self.caller.drain_router(router=route["router"], drain=False)
            route = self.get(route)


class Hosts(RouteStory):

    def test_one_owner_and_many_who_wait(self):
        """A003-4"""
        self.router("shard1")
        host, ready = f"{self.namespace}.example.org", threading.Barrier(MANY)

        def create(number):
            caller = Caller(self.fleet.rabbitmq.url, topic="routes", timeout=60)
            try:
                ready.wait(60)
                return self.route(f"w{number}", caller, host=host)
            finally:
                caller.close()
        with ThreadPoolExecutor(MANY) as pool:
            made = list(pool.map(create, range(MANY)))
        owners = [route for route in made if not route["waiting"]]
        self.assertEqual(len(owners), 1, owners)
        for route in made:
            if route["waiting"]:
                self.assertIn(f"host {host} belongs to route", route["last_error"])
                self.assertEqual(route["status"], {"phase": "new", "dns": None})
        owner = self.scheduled(owners[0])
        order = sorted(made, key=lambda route: (route["created_at"], route["id"]))
        order.remove(next(route for route in order if route["id"] == owner["id"]))
        with self.watched(host) as seen:
            for heir in order[:6]:
                self.caller.delete_route(route=owner["id"])
                owner = self.scheduled(heir, 5)
                waiting = [route for route in self.routes(namespace=self.namespace)
                           if route["waiting"]]
                claims = self.fleet.mariadb.sql(
                    f"SELECT route_id FROM host_claims WHERE host = '{host}'")
                self.assertEqual(claims, [[owner["id"]]])
                self.assertEqual(len(waiting) + 1, len(self.routes(namespace=self.namespace)))
        self.assertGreater(seen.total(), 100)
        self.assertLessEqual(seen.keys(), {"1\t1\t1", "0\t1\t1"})

    @contextlib.contextmanager
    def watched(self, host):
        """How often there are so many bindings, claims and owners of it, at one moment each."""
        seen, is_over = Counter(), threading.Event()

        def watch():
            while not is_over.is_set():
                seen.update(hand.do(
                    f"SELECT (SELECT COUNT(*) FROM route_bindings WHERE dns = '{host}'), "
                    f"(SELECT COUNT(*) FROM host_claims WHERE host = '{host}'), (SELECT COUNT(*) "
                    f"FROM routes WHERE host = '{host}' AND NOT is_waiting)"))
        with self.hand() as hand, ThreadPoolExecutor(1) as pool:
            hand.do("ROLLBACK")
            watcher = pool.submit(watch)
            try:
                yield seen
            finally:
                is_over.set()
                watcher.result()

    def test_who_may_have_it_has_it(self):
        """The one who waits longest is kept from it by a wildcard: the next one is not."""
        mine = {"project_id": "user-1"}
        first = self.route("first", host="h.ex1.org", **mine)
        self.route("all", host="*.ex1.org", **mine)
        theirs = self.caller.create_route(route={
            "namespace": self.namespace + "b", "name": "theirs", "host": "h.ex1.org",
            "project_id": "user-2"})["route"]
        second = self.route("second", host="h.ex1.org", **mine)
        self.assertEqual([theirs["waiting"], second["waiting"]], [True, True])
        self.caller.delete_route(route=first["id"])
        self.assertEqual([self.get(theirs)["waiting"], self.get(second)["waiting"]],
                         [True, False])

    def test_whose_it_is_by_now(self):
        """Of those who wait, by the route that has it and not by the one that had it."""
        mine = {"project_id": "user-1", "host": "h.ex5.org"}
        owner, heir, third = (self.route(name, **mine) for name in ("owner", "heir", "third"))
        theirs = self.caller.create_route(route={
            "namespace": self.namespace + "b", "name": "theirs", "host": "h.ex5.org",
            "project_id": "user-2"})["route"]
        self.assertIn(f"route {self.namespace}/owner", self.get(third)["last_error"])
        self.caller.delete_route(route=owner["id"])
        self.assertFalse(self.get(heir)["waiting"])
        self.assertIn(f"route {self.namespace}/heir", self.get(third)["last_error"])
        self.assertIn("another tenant", self.get(theirs)["last_error"])

    def test_who_waits_longest(self):
        """And not who was made first."""
        owner = self.route("owner", host="h.ex2.org")
        old = self.route("old")
        waiting = self.route("waiting", host="h.ex2.org")
        self.caller.update_route(route=old["id"], values={"host": "h.ex2.org"})
        self.caller.update_route(route=waiting["id"], values={"backend": "other"})
        self.caller.delete_route(route=owner["id"])
        self.assertEqual([self.get(old)["waiting"], self.get(waiting)["waiting"]],
                         [True, False])

    def test_wildcards_and_others(self):
        """A003-5: of another project's, and one's own."""
        self.router("shard1")
        below = f"{self.namespace}.example.org"
        mine, theirs = self.namespace, f"{self.namespace}-2"
        first = self.route("wild", self.user, host=f"*.{below}")
        self.assertFalse(first["waiting"])
        self.assertFalse(self.route("own", self.user, host=f"a.{below}")["waiting"])
        self.namespace = theirs
        blocked = self.route("b", self.other, host=f"b.{below}")
        self.assertIn("another tenant", blocked["last_error"])
        self.assertTrue(blocked["waiting"])
        deeper = self.route("deeper", self.other, host=f"c.b.{below}")
        self.assertFalse(deeper["waiting"])
        self.user.delete_route(route=first["id"])
        self.assertFalse(self.scheduled(blocked)["waiting"])
        self.namespace = mine
        again = self.route("wild", self.user, host=f"*.{below}")
        self.assertTrue(again["waiting"])
        self.other.delete_route(route=blocked["id"])
        self.assertFalse(self.scheduled(again)["waiting"])
        self.refused("another tenant", self.route, "x", self.other)
        self.refused("no route ", self.other.get_route, route=again["id"])
        self.refused("no route ", self.other.delete_route, route=again["id"])

    def test_hosts_that_are_not_for_all(self):
        for host in SUFFIX, f"shard9.{SUFFIX}", f"x.shard9.{SUFFIX.upper()}.", f"*.{SUFFIX}":
            for caller in self.user, self.caller:
                self.refused(f"in {SUFFIX}, which contains the domains of routers", self.route, "bad",
                             caller, host=host)
        self.router("shard9", wait=False)
        self.refused("must have at least two labels", self.route, "wide", self.user, host="*.com")
        for number, host in enumerate((f"x{SUFFIX}", "*.example.com")):
            self.assertFalse(self.route(f"r{number}", self.user, host=host)["waiting"])
        wide = self.route("wide", project_id="user-1", host="*.com")
        self.assertFalse(wide["waiting"])
        changed = self.user.update_route(
            route=wide["id"], values={"backend": f"{self.namespace}_b"})["route"]
        self.assertEqual(changed["host"], "*.com")
        self.refused("must have at least two labels", self.user.update_route, route=wide["id"],
                     values={"host": "*.org"})
        self.refused("the domains of routers", self.user.update_route, route=wide["id"],
                     values={"host": f"a.{SUFFIX}"})

    def test_another_host(self):
        self.router("shard1")
        host = f"{self.namespace}.example.org"
        route, waiter = self.route("a", host=host), self.route("b", host=host)
        self.assertTrue(waiter["waiting"])
        changed = self.caller.update_route(route=route["id"], values={"host": f"x.{host}"})
        self.assertEqual(changed["route"]["status"]["dns"], f"x.{host}")
        self.assertEqual(self.scheduled(waiter)["status"]["dns"], host)
        none = self.caller.update_route(route=route["id"], values={"host": None})["route"]
        self.assertEqual(none["status"]["dns"], f"{self.namespace}-a.shard1.{SUFFIX}")
        back = self.caller.update_route(route=route["id"], values={"host": host})["route"]
        self.assertEqual((back["waiting"], back["status"]["phase"]), (True, "new"))


class Locks(RouteStory):

    HOLD = "INSERT INTO host_parents (parent) VALUES ('{}') ON DUPLICATE KEY UPDATE touched = 9"

    def test_parents_are_locked_by_their_names(self):
        """The first one is held by hand: who waits for it holds no other."""
        first, second = (f"{letter}.{self.namespace}.example.org" for letter in "ab")
        route = self.route(host=f"a.{second}")
        with ThreadPoolExecutor(1) as pool, self.hand() as hand:
            hand.do(self.HOLD.format(first))
            found_locked = self.found_locked()
            change = pool.submit(self.caller.update_route, route=route["id"],
                                 values={"host": f"z.{first}"})
            self.wait(found_locked, "it waits")
            self.fleet.mariadb.sql("SELECT 1 FROM host_parents "
                                   f"WHERE parent = '{second}' FOR UPDATE NOWAIT")
            self.assertFalse(change.done())
            hand.do("ROLLBACK")
            self.assertEqual(change.result()["route"]["host"], f"z.{first}")

    def test_nothing_is_read_before_a_lock(self):
        """A router's domain comes while a route waits for its lock."""
        self.router("shard1", wait=False)
        route, domain = self.route(), f"{self.namespace}.example.org"
        self.router("late", wait=False)
        with ThreadPoolExecutor(1) as pool, self.hand() as hand:
            hand.do(self.HOLD.format(domain))
            found_locked = self.found_locked()
            change = pool.submit(self.caller.update_route, route=route["id"],
                                 values={"host": f"www.{domain}"})
            self.wait(found_locked, "it waits")
            dns = "UPDATE routers SET dns = '{}' WHERE name = 'late'"
            self.fleet.mariadb.sql(dns.format(domain))
            self.addCleanup(self.fleet.mariadb.sql, dns.format(f"late.{SUFFIX}"))
            hand.do("ROLLBACK")
            self.refused("in the domain of router late", change.result)


    def overtaken(self, first, others, hold):
        """FIRST waits for what is held by hand, with no lock of its own, so OTHERS come before it.

        Some of them may be at the same worker as FIRST.
        """
        with ThreadPoolExecutor(1 + len(others)) as pool, self.hand() as hand:
            hand.do(hold)
            found_locked = self.found_locked()
            waits = pool.submit(first)
            self.wait(found_locked, "it waits")
            calls = [pool.submit(other) for other in others]
            made = [call.result(60) for call in calls]
            hand.do("ROLLBACK")
            return waits.exception(60), made

    def test_a_host_and_a_router_s_domain_at_once(self):
        domain = f"{self.namespace}.example.org"
        refused, _ = self.overtaken(
            lambda: self.route(host=f"www.{domain}"),
            [lambda: self.router("late", dns=domain, wait=False)] * 4,
            "INSERT INTO host_claims (host, parent, route_id, project_id, claimed_at) "
            f"VALUES ('www.{domain}', '{domain}', 'x', 'x', NOW())")
        self.assertIn("in the domain of router late", str(refused))

    def test_one_namespace_of_two_projects_at_once(self):
        self.router("shard1", wait=False)
        refused, made = self.overtaken(
            lambda: self.route("b", self.user),
            [lambda number=number: self.route(f"a{number}", self.other) for number in range(4)],
            "INSERT INTO routes (id, namespace, name, project_id, labels, backend, retry_at, "
            f"created_at) VALUES ('x', '{self.namespace}', 'b', 'x', '{{}}', 'x', NOW(), NOW())")
        self.assertIn("another tenant", str(refused))
        self.other.delete_route(route=self.route("c", self.other)["id"])
        self.refused("another tenant", self.route, "d", self.user)
        for route in made:
            self.other.delete_route(route=route["id"])
        self.assertEqual(self.route("d", self.user)["project_id"], "user-1")


class Locked(RouteStory):
    """Another holds a row; whoever wants it waits, and is no burden to others."""

    def setUp(self):
        super().setUp()
        self.own = Caller(self.fleet.rabbitmq.url, topic="routes")
        self.addCleanup(self.own.close)
        self.number = itertools.count()

    def costs_nothing(self, row, call, other):
        costs_nothing(self.fleet.mariadb, row, call, [other] * WORKERS,
                      [worker for worker in self.workers if worker.pid])

    def test_a_route(self):
        self.router("shard1", wait=False)
        locked, other = self.route("locked")["id"], self.route("other")["id"]
        self.costs_nothing(
            f"SELECT 1 FROM routes WHERE id = '{locked}' FOR UPDATE",
            lambda: self.caller.update_route(
                route=locked, values={"backend": f"{self.namespace}_{next(self.number)}"}),
            lambda: self.own.update_route(
                route=other, values={"backend": f"{self.namespace}_{next(self.number)}"}))

    def test_a_router(self):
        for name in "shard1", "shard2":
            self.router(name, wait=False)
        self.costs_nothing(
            "SELECT 1 FROM routers WHERE name = 'shard1' FOR UPDATE",
            lambda: self.caller.update_router(
                router="shard1", values={"description": f"{next(self.number)}"}),
            lambda: self.own.update_router(
                router="shard2", values={"description": f"{next(self.number)}"}))

    def test_a_host(self):
        """The parent of the hosts of other routes is free, and they are bound at once."""
        self.router("shard1", wait=False)
        parent = f"{self.namespace}.example.org"
        self.route("first", host=f"www.{parent}")
        self.costs_nothing(
            f"SELECT 1 FROM host_parents WHERE parent = '{parent}' FOR UPDATE",
            lambda: self.route(f"a{next(self.number)}", host=f"a{next(self.number)}.{parent}"),
            lambda: self.own.create_route(route={
                "namespace": f"{self.namespace}-o", "name": f"b{next(self.number)}",
                "host": f"b{next(self.number)}.{self.namespace}.example.net"}))


class Scheduled(RouteStory):

    def test_round_robin_though_one_is_killed(self):
        """A003-3: 999 routes over three routers, four schedulers, one killed midway."""
        more = [self.launch() for _ in range(2)]
        schedulers = [worker for worker in self.workers if worker.pid]
        made = [self.route(f"r{i}") for i in range(3)]
        for route in made:
            self.assertIn("no router", route["last_error"])
        callers = [Caller(self.fleet.rabbitmq.url, topic="routes") for _ in range(8)]

        def create(number):
            return self.route(f"r{number}", callers[number % 8])
        with ThreadPoolExecutor(8) as pool:
            made += pool.map(create, range(3, 999))
        for caller in callers:
            caller.close()
        for name in "one", "two", "three":
            self.router(name, capacity=0, wait=False)
        self.fleet.mariadb.sql("UPDATE routers SET capacity = NULL")    # of all at once
        self.wait(lambda: 50 < len(self.bindings()) < 999, "some are bound")
        more[0].kill9()
        self.wait(lambda: len(self.bindings()) == 999, "all are bound", 60)
        counts = Counter(router for _, router in self.bindings())
        self.assertEqual(sorted(counts.values()), [333, 333, 333])
        self.assertEqual(len({route for route, _ in self.bindings()}), 999)
        self.assertEqual(self.fleet.mariadb.sql(
            "SELECT DISTINCT generation FROM route_bindings"), [["1"]])
        bound = f"route.scheduled: route={self.namespace}/"
        took_part = [worker for worker in schedulers if bound in worker.log.read_text()]
        self.assertGreaterEqual(len(took_part), 3, took_part)
        listed = {router["name"]: router["routes"]
                  for router in self.caller.list_routers()["routers"]}
        self.assertEqual(listed, dict(counts))

    def bindings(self):
        return self.fleet.mariadb.sql("SELECT route_id, router FROM route_bindings")

    def test_no_router_yet(self):
        """A003-6"""
        route = self.route()
        self.assertEqual(route["status"]["phase"], "new")
        self.assertIn("no router", route["last_error"])
        self.wait(lambda: self.get(route)["attempts"] > 1, "it is tried again")
        self.router("shard1", wait=False)
        self.scheduled(route, 5)
        full = self.router("full", capacity=0, wait=False)
        self.caller.drain_router(router="shard1")
        self.wait(lambda: "full" in (self.get(route)["last_error"] or ""), "it can go nowhere")
        self.assertEqual(self.get(route)["router"], "shard1")
        self.caller.update_router(router=full["name"], values={"capacity": 1})
        self.wait(lambda: self.get(route)["router"] == "full", "it moves")

    def refused_route(self, reason):
        """A new route that gets no router for this reason. Who was late itself tries all."""
        route = self.route(uuid.uuid4().hex)
        return route if reason in (route["last_error"] or "") else None

    def test_no_instance_that_is_up(self):
        """Without an address, of one that is down, and of one whose agent says nothing more."""
        update, down = self.caller.update_router, "no instance that is up"
        self.caller.create_router(router={"name": "empty"})
        self.router("down", {"address": "10.245.2.2", "up": False}, wait=False)
        first = self.route("first")
        self.assertEqual(first["status"]["phase"], "new")
        self.assertIn(down, first["last_error"])
        update(router="down", values={"addresses": ["10.245.2.2"]})
        self.assertEqual(self.scheduled(first, 5)["router"], "down")
        self.caller.report_address(router="down", address="10.245.2.2")
        self.wait(lambda: not self.caller.get_router(router="down")["router"]["addresses"][0][
            "alive"], "it is dead")
        second = self.wait(lambda: self.refused_route(down), "a worker that hears finds it down")
        self.far_off(second)

        def is_scheduled():
            self.caller.report_address(router="down", address="10.245.2.2")
            return self.get(second)["router"] == "down"
        self.wait(is_scheduled, "it is tried again at once")

    def test_a_report_that_another_one_hears(self):
        """One worker finds that no instance is up; the report comes to one that has just begun,
        and would not call it down."""
        sql = self.fleet.mariadb.sql
        self.router("one", wait=False)
        sql("UPDATE router_addresses SET seen_at = NOW(3) - INTERVAL 1 DAY")
        self.wait(lambda: self.refused_route("instance that is up"), "a worker finds it down")
        waiting = [route for route in self.routes() if not route["router"]]
        self.alone(alive_timeout=60)
        self.far_off(*waiting)
        self.caller.report_address(router="one", address="10.245.2.2")
        self.wait(lambda: not [route for route in self.routes() if not route["router"]],
                  "they are tried again at once", 5)

    def test_what_makes_routes_due(self):
        """Of what is changed of a router, that by which a route may have it."""
        self.router("one", capacity=0, wait=False)
        many = [self.route(f"r{i}") for i in range(3)]
        for values in {"description": "the first"}, {"ttl": 60}, {"capacity": 0}:
            for route in many:
                self.far_off(route)
            self.caller.update_router(router="one", values=values)
            self.assertEqual(self.due(), 0, values)
        for values in ({"label": "a=b"}, {"addresses": ["10.245.2.2", "10.245.2.3"]},
                       {"capacity": None}):
            for route in many:
                self.far_off(route)
            self.caller.update_router(router="one", values=values)
            self.assertEqual(self.due(), 3, values)

    def test_many_that_are_due_at_once(self):
        self.router("one", capacity=0, wait=False)
        sql = self.fleet.mariadb.sql
        self.addCleanup(sql, f"DELETE FROM routes WHERE namespace = '{self.namespace}'")
        sql("INSERT INTO routes (id, namespace, name, project_id, labels, backend, retry_at, "
            f"created_at) SELECT MD5(seq), '{self.namespace}', seq, 'user-1', '{{}}', 'b', "
            "NOW() + INTERVAL 1 DAY, NOW(6) FROM seq_1_to_1201")
        self.caller.update_router(router="one", values={"label": "a=b"})
        self.wait(lambda: self.due() == 1201, "all are due, page by page")

    def test_a_router_takes_all_that_wait(self):
        many = [self.route(f"r{i}") for i in range(MANY_WAIT)]
        for route in many:      # another worker may have locked the row when it was made
            self.wait(lambda: "no router" in (self.get(route)["last_error"] or ""), "it is tried")
        self.far_off(*many)
        self.assertEqual(self.due(), 0)
        self.router("shard1", wait=False)
        self.wait(lambda: len(self.bindings()) == MANY_WAIT, "all are bound", 10)

    def test_those_that_can_have_none_keep_nobody(self):
        """They are older, and are tried again and again before the others."""
        self.alone(strategy="label", retry_max=1)
        bad = [self.route(f"bad{i}", labels={"zone": "west"}) for i in range(3)]
        good = [self.route(f"good{i}", labels={"zone": "east"}) for i in range(20)]
        self.router("east", label="zone=east", capacity=0, wait=False)
        self.far_off(*bad, *good)
        self.fleet.mariadb.sql(
            "UPDATE routers SET capacity = NULL; UPDATE routes SET retry_at = NOW() - "
            "INTERVAL IF(name LIKE 'bad%', 100, 50) SECOND")
        self.wait(lambda: len(self.bindings()) == len(good), "the good ones are bound", 10)
        self.assertEqual({route for route, _ in self.bindings()},
                         {route["id"] for route in good})
        for route in bad:
            was = self.get(route)
            self.assertIn("has a label that the route lacks", was["last_error"])
            self.wait(lambda: self.get(route)["attempts"] > was["attempts"], "it is tried again")

    def test_it_is_tried_less_and_less_often(self):
        self.alone(retry_max=60)
        route, waits = self.route(), {}

        def is_tried():
            attempts, at, wait = self.fleet.mariadb.sql(
                "SELECT attempts, retry_at, TIMESTAMPDIFF(MICROSECOND, NOW(3), retry_at) "
                f"FROM routes WHERE id = '{route['id']}'")[0]
            waits.setdefault(int(attempts), (at, int(wait) / 1e6))
            return int(attempts) == 4
        self.wait(is_tried, "it is tried four times")
        (first, early), (last, late) = waits[1], waits[4]
        self.assertGreater(last, first)
        self.assertLessEqual(early, 1.25)
        self.assertGreater(late, 4)

    def due(self):
        return int(self.fleet.mariadb.sql(
            "SELECT COUNT(*) FROM routes WHERE retry_at < NOW() + INTERVAL 1 HOUR")[0][0])

    def far_off(self, *routes):
        """They would be tried again tomorrow."""
        ids = ", ".join(f"'{route['id']}'" for route in routes)
        self.fleet.mariadb.sql("UPDATE routes SET retry_at = NOW() + INTERVAL 1 DAY "
                               f"WHERE id IN ({ids})")


class Strategies(RouteStory):

    def made(self, *names, **more):
        """Where routes go."""
        return [self.route(name, **more)["router"] for name in names]

    def test_by_label(self):
        self.alone(strategy="label")
        for name, label in ("east1", "zone=east"), ("east2", "zone=east"), ("other", ""):
            self.router(name, label=label, wait=False)
        self.assertEqual(self.made("a", "b", "c", labels={"zone": "east"}),
                         ["east1", "east2", "east1"])
        self.assertEqual(self.made("d", "e", labels={"zone": "west"}), ["other"] * 2)
        self.assertEqual(self.made("f"), ["other"])
        self.caller.drain_router(router="other")
        route = self.route("g")
        self.assertIn("has a label that the route lacks", route["last_error"])
        self.caller.update_router(router="east2", values={"label": ""})
        self.assertEqual(self.scheduled(route, 5)["router"], "east2")

    def test_the_least_loaded(self):
        self.alone(strategy="leastloaded")
        self.router("one", wait=False)
        self.assertEqual(self.made("a", "b", "c"), ["one"] * 3)
        self.router("two", capacity=4, wait=False)
        self.assertEqual(self.made("d", "e", "f"), ["two"] * 3)
        self.assertCountEqual(self.made("g", "h"), ["one", "two"])
        self.assertEqual(self.made("i", "j"), ["one"] * 2)

    def test_by_hash(self):
        """A route has the same router again; of a drained one, only its own ones move."""
        self.alone(strategy="hash")
        ids = [uuid.uuid4().hex for _ in range(40)]
        for name in "one", "two", "three":
            self.router(name, wait=False)

        def place():
            for id in ids:
                self.route(f"r{id}", id=id)
            return self.placed()
        first = place()
        self.assertEqual(set(first.values()), {"one", "two", "three"})
        for id in ids:
            self.caller.delete_route(route=id)
        self.wait(lambda: not self.fleet.mariadb.sql("SELECT 1 FROM route_moves"), "no moves")
        self.assertEqual(place(), first)
        self.caller.drain_router(router="two")
        self.wait(lambda: "two" not in self.placed().values(), "they move")
        for id, router in self.placed().items():
            if first[id] != "two":
                self.assertEqual(router, first[id])

    def placed(self):
        return {route["id"]: route["router"] for route in self.routes()}

    def test_somebody_else_s(self):
        """Who hears of each route that can have a router by now."""
        self.alone(strategy="external")
        self.router("shard1", wait=False)
        heard = self.heard()
        route = self.route()
        self.wait(lambda: heard.of("route.new"), "it is told")
        self.assertEqual(heard.of("route.new"), [{
            "id": route["id"], "namespace": self.namespace, "name": "web", "router": None,
            "dns": None, "reason": ""}])
        first = self.route("first", host="www.own.example")
        waits = self.route("waits", host="www.own.example")
        self.caller.delete_route(route=first["id"])
        self.wait(lambda: len(heard.of("route.new")) == 3, "so is one when its host is free")
        self.assertEqual([told["id"] for told in heard.of("route.new")],
                         [route["id"], first["id"], waits["id"]])
        self.caller.delete_route(route=waits["id"])
        asked = self.caller.list_routes(phase="new")["routes"]
        self.assertEqual([new["id"] for new in asked], [route["id"]])
        self.assertEqual((route["router"], route["last_error"]), (None, None))
        self.caller.create_route_binding(binding={
            "route_namespace": self.namespace, "route_name": "web", "router": "shard1"})
        self.assertEqual(self.get(route)["status"], {
            "phase": "scheduled", "dns": f"{self.namespace}-web.shard1.{SUFFIX}"})
        self.assertEqual(self.caller.list_routes(phase="new")["routes"], [])

    def test_no_address_is_left_when_all_are_down(self):
        self.alone(all_down="withdraw")
        self.router("shard1", "10.245.2.2", "10.245.2.3")
        name = f"any.shard1.{SUFFIX}"
        self.answers(name, "A", "10.245.2.2", "10.245.2.3")
        for addresses in ([{"address": "10.245.2.2", "up": False}], []):
            self.caller.update_router(router="shard1", values={"addresses": addresses})
            self.answers(name, "A")
            self.caller.update_router(router="shard1", values={"addresses": ["10.245.2.4"]})
            self.answers(name, "A", "10.245.2.4")
        self.caller.report_address(router="shard1", address="10.245.2.4")
        self.answers(name, "A")

    def test_more_labels_than_routes_of_a_batch_had_room_for(self):
        self.alone(strategy="label")
        for number in 0, *range(MANY_LABELS):
            self.router(label=f"l={number}", capacity=0, wait=False)
        routes = [self.route(f"r{number}", labels={"l": f"{number}"})
                  for number in range(MANY_LABELS)]
        self.fleet.mariadb.sql(
            "UPDATE routes SET retry_at = NOW() + INTERVAL 1 DAY; "
            "UPDATE routers SET capacity = NULL; "
            "UPDATE routes SET retry_at = NOW() - INTERVAL 100 - SUBSTR(name, 2) SECOND")
        for route in routes:
            self.scheduled(route)
        more = [self.route(f"m{number}", labels={"l": "0"}) for number in range(3)]
        self.assertEqual(sorted(Counter(self.get(route)["router"]
                                        for route in (routes[0], *more)).values()), [2, 2])


class Bindings(RouteStory):

    def test_what_is_said_of_one(self):
        """A router is known by its name or its domain, which is `dns` in and out."""
        for name in "shard1", "shard2":
            self.router(name, wait=False)
        route = self.route()
        for by, router in ("dns", "shard1"), ("router", "shard2"), ("dns", "shard1"):
            dns = f"{router}.{SUFFIX}"
            made = self.caller.create_route_binding(binding={
                "route_namespace": self.namespace, "route_name": "web",
                by: {"router": router, "dns": dns}[by]})["binding"]
            self.assertEqual(made | {"generation": 0}, {
                "route_namespace": self.namespace, "route_name": "web", "route_id": route["id"],
                "router": router, "dns": dns, "route_dns": f"{self.namespace}-web.{dns}",
                "generation": 0})
            self.assertEqual(self.caller.list_route_bindings()["bindings"], [made])
        self.refused("has the domain", self.caller.create_route_binding, binding={
            "route_namespace": self.namespace, "route_name": "web", "dns": f"x.{dns}"})


class Domains(RouteStory):

    def test_addresses_come_and_go(self):
        """A003-7"""
        self.router("shard1", "10.245.2.2")
        name = f"any.shard1.{SUFFIX}"
        self.answers(name, "A", "10.245.2.2")
        two, three, four, six = "10.245.2.2", "10.245.2.3", "10.245.2.4", "fd00::3"

        def follows(addresses, kind, *expected):
            self.caller.update_router(router="shard1", values={"addresses": addresses})
            self.answers(name, kind, *expected, seconds=FOLLOWS_SECONDS)
        follows([two, three, six], "A", two, three)
        self.answers(name, "AAAA", six)
        down = {"address": two, "up": False}
        follows([down, three], "A", three)
        self.answers(name, "AAAA")
        follows([down, three, four], "A", three, four)
        follows([down, {"address": three, "up": False}, four], "A", four)
        self.caller.update_router(router="shard1", values={"addresses": [
            down, {"address": four, "up": False}]})
        self.active("shard1")
        self.answers(name, "A", four)
        self.refused("would have no address", self.caller.update_router, router="shard1",
                     values={"addresses": []})

    def test_records_from_before_managers(self):
        """Central does not know yet that they are records of routes: they go with the router."""
        sql, name = self.fleet.mariadb.sql, f"shard1.{SUFFIX}."
        self.router("shard1", "10.245.2.2", "fd00::2")
        sql("UPDATE records r JOIN domains d ON d.id = r.domain_id SET r.managed_by = NULL "
            f"WHERE d.live = 1 AND d.name = '{name}'")
        self.caller.delete_router(router="shard1")
        self.wait(lambda: not sql(f"SELECT 1 FROM domains WHERE live = 1 AND name = '{name}' "
                                  "AND task <> 'DELETE'"), "the domain goes, too")

    def test_records_of_a_domain_that_is_there_before(self):
        """The router replaces and deletes none of them, neither when it comes nor when it goes."""
        name = f"before.{SUFFIX}."
        domain = self.central.create_domain(domain={"name": name})["id"]
        self.addCleanup(self.central.delete_domain, domain=domain)
        own = {f"*.{name}": ["198.51.100.7"], f"ns1.{name}": ["198.51.100.9"]}
        self.central.apply_changes(domain=domain, changes=[
            {"op": "set", "name": at, "type": "A", "records": data} for at, data in own.items()])

        def found():
            return {one["name"]: one["records"]
                    for one in self.central.find_recordsets(domain=domain)["recordsets"]
                    if one["type"] == "A" and one["records"]}

        def reason():
            return self.caller.get_router(router="shard1")["router"]["reason"] or ""
        def is_refused(at):
            self.wait(lambda: f"'{at} A {own[at][0]}': delete this record first" in reason(),
                      f"the reason names {at}: {reason()}")
            self.assertEqual(found(), own)

        def goes():
            self.caller.delete_router(router="shard1")
            self.wait(lambda: not self.caller.list_routers()["routers"], "the router is gone")
            self.assertEqual(found(), own)
        self.router("shard1", "10.245.2.2", wait=False, dns=name[:-1], zone={"records": [
            {"name": "ns1", "type": "A", "records": ["192.0.2.9"]}]})
        is_refused(f"*.{name}")
        self.central.apply_changes(domain=domain, changes=[
            {"op": "delete", "name": f"*.{name}", "type": "A"}])
        del own[f"*.{name}"]
        is_refused(f"ns1.{name}")
        goes()
        self.router("shard1", "10.245.2.2", dns=name[:-1])
        self.assertEqual(found(), own | {f"*.{name}": ["10.245.2.2"]})
        goes()

    def test_addresses_of_no_host(self):
        """A router takes what a port takes (test_ports has the same table)."""
        self.router("shard1", "10.245.2.2", wait=False)
        for address, words in NO_HOSTS:
            for call, args in ((self.caller.create_router, {"router": {
                    "name": "shard2", "addresses": ["10.245.2.3", address]}}),
                               (self.caller.update_router, {"router": "shard1", "values": {
                                   "addresses": [{"address": address, "up": False}]}})):
                with self.subTest(address=address, call=call):
                    self.refused(f"address: {address} is (an?|the) {words} address", call, **args)
        self.assertEqual([router["name"] for router in self.caller.list_routers()["routers"]],
                         ["shard1"])

    def test_a_change_of_one_is_of_no_other(self):
        """What another one should show follows by the timer alone, which may be at any time."""
        for name in "shard1", "shard2":
            self.router(name, wait=False)
        sql = self.fleet.mariadb.sql

        def is_left_alone():
            sql("UPDATE router_addresses SET is_shown = FALSE WHERE router = 'shard1'")
            self.caller.update_router(router="shard2", values={"description": "x"})
            return sql("SELECT is_shown FROM router_addresses WHERE router = 'shard1'") == [["0"]]
        self.wait(is_left_alone, "shard1 is no matter of shard2's")
        sql("UPDATE router_addresses SET is_shown = FALSE WHERE router = 'shard2'")
        router = self.caller.update_router(router="shard2", values={"description": "y"})["router"]
        self.assertTrue(router["addresses"][0]["shown"])

    def test_an_instance_that_says_nothing_any_more(self):
        self.router("shard1", "10.245.2.2", "10.245.2.3")
        name = f"any.shard1.{SUFFIX}"
        self.caller.report_address(router="shard1", address="10.245.2.2")
        self.answers(name, "A", "10.245.2.2", "10.245.2.3")
        self.answers(name, "A", "10.245.2.3")
        self.caller.report_address(router="shard1", address="10.245.2.2")
        self.answers(name, "A", "10.245.2.2", "10.245.2.3")

    def test_it_is_not_emptied_by_an_update(self):
        """What is shown stays, or something that is up takes its place."""
        self.router("shard1", "10.245.2.2")
        down = {"address": "10.245.2.3", "up": False}
        self.refused("no address is up", self.caller.update_router, router="shard1",
                     values={"addresses": [down]})
        self.refused("no address is up", self.caller.update_router, router="shard1",
                     values={"addresses": []})
        self.caller.update_router(router="shard1", values={"addresses": [
            {"address": "10.245.2.2", "up": False}, down]})
        self.active("shard1")
        self.answers(f"x.shard1.{SUFFIX}", "A", "10.245.2.2")
        self.caller.update_router(router="shard1", values={"addresses": ["10.245.2.4"]})
        self.answers(f"x.shard1.{SUFFIX}", "A", "10.245.2.4")

    def test_a_domain_that_was_there(self):
        """Ours come and go in it, and all else stays."""
        domain = f"d{uuid.uuid4().hex[:8]}.example"
        made = self.central.create_domain(domain={"name": domain + ".", "ttl": 77})
        self.addCleanup(self.central.delete_domain, domain=domain + ".")
        theirs = {"op": "add", "name": f"www.{domain}.", "type": "A", "records": ["192.0.2.1"]}
        self.central.apply_changes(domain=domain + ".", changes=[theirs])
        self.router("shard1", "10.245.2.2", dns=domain, zone={"serial": 4000000000, "records": [
            {"name": "ns1", "type": "A", "records": ["192.0.2.9"]}]})
        self.answers(f"x.{domain}", "A", "10.245.2.2")
        self.answers(f"ns1.{domain}", "A", "192.0.2.9")
        self.caller.delete_router(router="shard1")
        self.answers(f"x.{domain}", "A")
        self.answers(f"ns1.{domain}", "A")
        self.answers(f"www.{domain}", "A", "192.0.2.1")
        is_now = self.central.get_domain(domain=domain + ".")
        self.assertEqual((is_now["id"], is_now["ttl"]), (made["id"], 77))
        self.assertLess(is_now["serial"], 4000000000)

    def test_what_somebody_put_into_it(self):
        """It stays, with the domain."""
        self.router("shard1", "10.245.2.2")
        domain = f"shard1.{SUFFIX}."
        record = {"name": f"www.{domain}", "type": "A"}
        self.central.apply_changes(domain=domain, changes=[
            record | {"op": "add", "records": ["192.0.2.1"]}])
        self.caller.delete_router(router="shard1")
        self.wait(lambda: not self.caller.list_routers()["routers"], "the router is gone")
        self.answers(f"x.{domain}", "A")
        self.answers(f"www.{domain}", "A", "192.0.2.1")
        self.central.delete_domain(domain=domain)

    def test_what_it_begins_with_is_said_though_its_maker_died(self):
        """As if it had died when central had the domain, and no more."""
        running = [worker for worker in self.workers if worker.pid]
        for worker in running:
            worker.pause()
        try:
            made = self.central.create_domain(domain={"name": f"shard7.{SUFFIX}."})["id"]
        finally:
            for worker in running:
                worker.resume()
        self.fleet.mariadb.sql(
            "INSERT INTO routers (name, dns, ttl, zone, made_id, due_at, created_at) VALUES "
            f"""('shard7', 'shard7.{SUFFIX}', 5, '{{"serial": 2009092001, "soa": """
            f"""{{"refresh": 1234}}}}', '{made}', NOW(3), NOW(3))""")
        self.active("shard7")
        domain = self.central.get_domain(domain=f"shard7.{SUFFIX}.")
        self.assertEqual((domain["serial"], domain["refresh"]), (2009092001, 1234))

    def test_the_zones_of_the_seed(self):
        """A003-2: record for record; and the wildcards of RFC 4592."""
        for number, addresses in ((1, ("10.245.2.2", "10.245.2.3")),
                                  (2, ("10.245.2.4", "10.245.2.5"))):
            origin = f"shard{number}.v3.rhcloud.com."
            self.router(f"shard{number}", *addresses, dns=origin, ttl=300, zone={
                "ns": ["ns1.v3.rhcloud.com."], "ttl": 300, "serial": 2009092001,
                "soa": {"mname": ".", "rname": origin, "refresh": 604800, "retry": 86400,
                        "expire": 1206900, "minimum": 300},
                "records": [{"name": "ns1", "type": "A", "records": ["127.0.0.1"]}]})
            wanted = ZONE.format(number=number, addresses="".join(
                f"{'*' if not i else ' '} IN A {address}\n"
                for i, address in enumerate(addresses)))
            for port in self.servers():
                self.assertEqual(self.zone(origin, port), self.parsed(origin, wanted))
            self.check(origin, wanted)
        for port in self.servers():
            self.assertEqual(ask(port, "a.b.shard1.v3.rhcloud.com", "A")[0],
                             {"10.245.2.2", "10.245.2.3"})
            self.assertEqual(ask(port, "ns1.shard1.v3.rhcloud.com", "A")[0], {"127.0.0.1"})
            self.assertEqual(ask(port, "ns1.shard1.v3.rhcloud.com", "TXT"), (set(), 0))
            self.assertEqual(ask(port, "x.ns1.shard1.v3.rhcloud.com", "A"), (set(), 3))
            self.assertEqual(ask(port, "shard1.v3.rhcloud.com", "A"), (set(), 0))
        first = self.first_of("any.shard1.v3.rhcloud.com")
        self.wait(lambda: self.first_of("any.shard1.v3.rhcloud.com") != first,
                  "who asks the public server begins with either address")

    def first_of(self, name):
        answer = udp(dns.message.make_query(name, "A"), HOST, timeout=5,
                     port=self.fleet.bind.port)
        return str(next(iter(answer.answer[0])))

    def zone(self, origin, port):
        text = run([program("dig"), f"@{HOST}", "-p", str(port), origin, "AXFR", "+noall",
                    "+answer", "+onesoa"])
        return sorted(" ".join(line.split()) for line in text.splitlines() if line)

    def parsed(self, origin, text):
        """By BIND's own named-compilezone."""
        file = self.folder / "seed.zone"
        file.write_text(text)
        out = run([program("named-compilezone"), "-i", "none", "-k", "ignore", "-o", "-", origin,
                   str(file)])
        return sorted(" ".join(line.split()) for line in out.splitlines()
                      if line and "\tIN\t" in line or " IN " in line and ";" not in line)

    def check(self, origin, text):
        for port in self.servers():
            file = self.folder / "served.zone"
            file.write_text("\n".join(self.zone(origin, port)) + "\n")
            run([program("named-checkzone"), "-i", "none", "-k", "ignore", origin, str(file)])
            run([program("ldns-read-zone"), str(file)])


ZONE = """\
$ORIGIN shard{number}.v3.rhcloud.com.
$TTL 300
@ IN SOA . shard{number}.v3.rhcloud.com. (
        2009092001 ; Serial
        604800     ; Refresh
        86400      ; Retry
        1206900    ; Expire
        300 )      ; Negative Cache TTL
  IN NS ns1.v3.rhcloud.com.
ns1 IN A 127.0.0.1
{addresses}"""


class Overlaps(RouteStory):

    def test_no_domain_of_a_router_is_in_another_s(self):
        self.router("outer", dns=f"a.{SUFFIX}", wait=False)
        self.refused("must not be in the domain of router outer", self.router, dns=f"a.{SUFFIX}")
        self.refused("must not be in the domain of router outer", self.router, dns=f"x.y.a.{SUFFIX}")
        self.refused("must not contain the domain of router outer", self.router, dns=SUFFIX)
        self.router("beside", dns=f"ba.{SUFFIX}", wait=False)
        self.assertEqual({router["name"] for router in self.caller.list_routers()["routers"]},
                         {"outer", "beside"})


class Quotas(RouteStory):

    def test_a_project_with_too_many(self):
        self.alone(quota=3)
        tenant, other = (Caller(self.fleet.rabbitmq.url, topic="routes", admin=False,
                                tenant=f"tenant-{number}") for number in (5, 6))
        for caller in tenant, other:
            self.addCleanup(caller.close)
        first = self.route("r0", tenant, id=uuid.uuid4().hex)
        for number in 1, 2:
            tenant.create_route(route={"namespace": f"{self.namespace}-{number}", "name": "r"})
        self.refused("and its quota", self.route, "r3", tenant)
        self.assertEqual(self.route("r0", tenant, id=first["id"])["id"], first["id"])
        other.create_route(route={"namespace": f"{self.namespace}-o", "name": "r"})
        tenant.delete_route(route=first["id"])
        self.route("r3", tenant)
        self.route("r4", project_id="tenant-5")


class Backends(RouteStory):
    """What HAProxy has under a name is a project's, or its own."""

    def test_of_another_namespace(self):
        mine, own = self.namespace, f"{self.namespace}_web"
        for backend in "stats", "bank_web", f"bank_{own}", mine, f"{mine}2_web", own.upper():
            with self.subTest(backend=backend):
                self.refused(f"not allowed in namespace {mine}. Use a backend that matches .NAMESPACE_",
                             self.route, "web", self.user, backend=backend)
        route = self.route("web", self.user, backend=own)
        self.refused("not allowed in namespace", self.user.update_route, route=route["id"],
                     values={"backend": "stats"})
        changed = self.user.update_route(route=route["id"], values={"backend": f"{own}.v2"})
        self.assertEqual(changed["route"]["backend"], f"{own}.v2")
        self.assertEqual(self.route("b", self.user)["backend"], f"{mine}_b")

    def test_one_that_an_administrator_gave(self):
        """The route keeps it, whatever else its project changes; so does one of before the rule."""
        route = self.route("web", project_id="user-1", backend="stats")
        for values in {"labels": {"a": "b"}}, {"backend": "stats"}, {"host": "www.kept.example"}:
            changed = self.user.update_route(route=route["id"], values=values)["route"]
            self.assertEqual(changed["backend"], "stats")
        self.user.update_route(route=route["id"], values={"backend": f"{self.namespace}_web"})
        self.refused("not allowed in namespace", self.user.update_route, route=route["id"],
                     values={"backend": "stats"})

    def test_patterns_of_a_site(self):
        """The log of a new process has the routes that the patterns do not allow."""
        old = self.route("old", project_id="user-1", backend=f"{self.namespace}_old")
        worker = self.alone(backend_pattern="be:PROJECT:* static")
        for backend in "be:user-1:a", "static", f"{self.namespace}_web":
            self.user.update_route(route=self.route("web", self.user)["id"],
                                   values={"backend": backend})
            self.user.delete_route(route=f"{self.namespace}/web")
        for backend in "be:user-2:a", "statics":
            self.refused("a backend that matches .be:PROJECT", self.route, "web", self.user,
                         backend=backend)
        self.user.update_route(route=old["id"], values={"labels": {"a": "b"}})
        said = f"route has a forbidden backend: route={self.namespace}/"
        self.caller.update_route(route=old["id"], values={"backend": "bank_web"})
        worker.restart()
        self.wait(lambda: f"{said}old " in worker.log.read_text(), "it is told")

    def test_namespaces_that_a_tenant_may_claim(self):
        """bank_web is an operator's backend. A namespace that the tenant has stays its own."""
        old, web = self.route("web", self.user), {"name": "web", "backend": "bank_web"}
        self.alone(namespace_pattern="t-* PROJECT")
        for route in {"namespace": "bank"} | web, {"namespace": "user-2", "name": "web"}:
            with self.assertRaises(om.RemoteError) as caught:
                self.user.create_route(route=route)
            self.assertEqual(caught.exception.exc_type, "Forbidden")
            self.assertIn(f"namespace: '{route['namespace']}' must match 't-* PROJECT'",
                          caught.exception.value)
        self.caller.create_route(route={"namespace": "bank", "project_id": "user-2"} | web)
        self.other.create_route(route={"namespace": "bank", "name": "b"})
        for namespace in "t-shop", "user-1", self.namespace:
            self.user.create_route(route={"namespace": namespace, "name": "b"})
        self.user.update_route(route=old["id"], values={"backend": f"{self.namespace}_b"})
        for name in "web", "b":
            self.user.delete_route(route=f"{self.namespace}/{name}")
        self.refused("must match", self.route, "web", self.user)


class Told(RouteStory):
    """Question 3 of seed 003: how a user hears of his route and its name."""

    def test_the_life_of_a_route(self):
        heard = self.heard()

        def told(kind, count=1):
            self.wait(lambda: len(heard.of(kind)) == count, f"{kind}: {heard.of(kind)}")
            return heard.of(kind)[-1]
        route = self.route()
        none = told("route.unschedulable")
        self.assertEqual((none["id"], none["router"], none["dns"]), (route["id"], None, None))
        self.assertTrue(none["reason"])
        self.router("shard1")
        published = told("router.zone.published")
        self.assertEqual((published["router"], published["dns"]),
                         ("shard1", f"shard1.{SUFFIX}"))
        as_it_is = {"id": route["id"], "namespace": self.namespace, "name": "web", "reason": ""}
        self.assertEqual(told("route.scheduled"), as_it_is | {
            "router": "shard1", "dns": f"{self.namespace}-web.shard1.{SUFFIX}"})
        self.router("shard2")
        self.caller.drain_router(router="shard1")
        self.assertEqual(told("route.rebound"), as_it_is | {
            "router": "shard2", "dns": f"{self.namespace}-web.shard2.{SUFFIX}"})
        self.assertEqual(len(heard.of("route.unschedulable")), 1)


class Moved(RouteStory):

    def test_a_drain(self):
        """A003-9: the grace is longer than the time between two looks at what is over."""
        self.alone(rebind_grace=8)
        self.router("shard1", "10.245.2.2")
        route = self.route("a")
        own = self.route("own", host=f"{self.namespace}.example.org")
        old = route["status"]["dns"]
        self.router("shard2", "10.245.2.4")
        self.answers(old, "A", "10.245.2.2")
        self.caller.drain_router(router="shard1")
        self.wait(lambda: self.get(route)["router"] == "shard2", "it moves")
        new = self.get(route)["status"]["dns"]
        self.assertEqual(new, f"{self.namespace}-a.shard2.{SUFFIX}")
        self.wait(lambda: self.get(own)["router"] == "shard2", "and so does the other one")
        self.assertEqual(self.get(own)["status"]["dns"], own["host"])
        self.answers(new, "A", "10.245.2.4")
        self.answers(old, "CNAME", f"{new}.")
        since = time.monotonic()
        self.refused("may still lead clients to this router", self.caller.delete_router,
                     router="shard1")
        for port in self.servers():
            self.wait(lambda: ask(port, old, "CNAME")[0] != {f"{new}."}, "the grace is over")
            self.assertGreater(time.monotonic() - since, 7)
            self.assertEqual(ask(port, old, "CNAME"), (set(), 0))
            self.assertEqual(ask(port, old, "A"), ({"10.245.2.2"}, 0))
        self.wait(lambda: not self.fleet.mariadb.sql("SELECT 1 FROM route_moves"), "no moves")
        self.caller.delete_router(router="shard1")
        self.wait(lambda: [router["name"] for router in self.caller.list_routers()["routers"]] ==
                  ["shard2"], "the router is gone")
        self.wait(lambda: ask(self.fleet.bind.port, old, "A")[1] != 0, "and its domain")
        self.router("shard1", "10.245.2.9")
        self.assertEqual(self.caller.get_router(router="shard1")["router"]["routes"], 0)
        self.assertEqual(self.caller.list_route_bindings(router="shard1")["bindings"], [])
        self.assertEqual(self.get(route)["router"], "shard2")
        self.answers(old, "A", "10.245.2.9")

    def test_names_of_a_router_that_is_locked(self):
        """They keep no worker from the names of others, of which a page holds a part."""
        self.router("shard1", "10.245.2.2")
        self.router("shard2", "10.245.2.4")
        sql = self.fleet.mariadb.sql
        sql("INSERT INTO route_moves (route_id, router, dns, state, ends_at, begins_at) VALUES " +
            ", ".join(f"('{uuid.uuid4().hex}', '{router}', 'x.example.org', 'CACHED', "
                      "NOW(3) + INTERVAL 1 DAY, NOW(3))"
                      for router in ["shard1"] * 3 + ["shard2"] * 2 * MOVES_PAGE))

        def left(router):
            return sql(f"SELECT 1 FROM route_moves WHERE router = '{router}'")
        with self.hand() as hand:
            hand.do("SELECT 1 FROM routers WHERE name = 'shard1' FOR UPDATE")
            sql("UPDATE route_moves SET ends_at = NOW(3) - INTERVAL IF(router = 'shard1', 2, 1) DAY")
            self.wait(lambda: not left("shard2"), "the names of the other router are gone")
            self.assertEqual((len(left("shard1")), self.waiting()), (3, 0))
        self.wait(lambda: not left("shard1"), "so are those of the locked one")

    def test_what_a_router_waits_for_before_it_goes(self):
        """A router that is out with its domain, and has rows as if names had been withdrawn."""
        self.router("shard1", "10.245.2.2", ttl=77)
        sql = self.fleet.mariadb.sql
        sql("INSERT INTO route_moves (route_id, router, dns, target, state, ends_at, begins_at) "
            "VALUES ('x', 'shard1', 'x.example.org', 'y.example.org', 'HAVE', '2999-01-01', NOW(3))")
        self.addCleanup(sql, "DELETE FROM route_moves")
        for state, words in (
                ("HAVE", "grace period .* ends at 2999-01-01T.* for the TTL of 77 s"),
                ("CACHED", "resolvers can keep the names until 2999-01-01T"),
                ("WITHDRAWN", "may still lead clients to this router: .*name servers.* 77 s"),
                ("WITHDRAW", "may still lead clients to this router: .*name servers.* 77 s")):
            sql(f"UPDATE route_moves SET state = '{state}'")
            self.refused(words, self.caller.delete_router, router="shard1")

    def test_a_domain_that_somebody_deletes(self):
        """It is made again with all that is to be in it, though nothing of its router changes."""
        own = self.alone(check_period=1, rebind_grace=3600, rebind_delay=0)
        self.router("shard1", "10.245.2.2")
        old = self.scheduled(self.route("a"))["status"]["dns"]
        self.router("shard2", "10.245.2.4")
        self.bind("a", "shard2")
        new = f"{self.namespace}-a.shard2.{SUFFIX}."
        domain = f"shard1.{SUFFIX}."

        def wait_whole():
            for port in self.servers():
                self.wait(lambda: ask(port, old, "CNAME")[0] == {new}, "the old name leads on")
                self.wait(lambda: ask(port, f"x.{domain}", "A")[0] == {"10.245.2.2"}, "all there")
        wait_whole()
        was = self.central.get_domain(domain=domain)["id"]
        self.central.delete_domain(domain=domain, force=True)
        self.wait(lambda: self.found(domain) not in (None, was), "there is another one")
        wait_whole()
        sql = self.fleet.mariadb.sql                # as of a router that is older than that
        sql("UPDATE routers SET domain_id = NULL")
        self.wait(lambda: sql("SELECT domain_id FROM routers WHERE name = 'shard1'") ==
                  [[self.found(domain)]], "which one it is, is known")
        self.active("shard1")
        own.stop()                                  # and another one is made meanwhile
        self.central.delete_domain(domain=domain, force=True)
        self.wait(lambda: not self.found(domain), "it is gone")
        self.central.create_domain(domain={"name": domain})
        theirs = {"name": f"*.{domain}", "type": "A"}
        self.central.apply_changes(domain=domain, changes=[
            theirs | {"op": "set", "records": ["198.51.100.7"]}])
        sql("UPDATE route_moves SET state = 'TOLD', begins_at = NOW(3) - INTERVAL 2 HOUR, "
            "ends_at = NOW(3) - INTERVAL 1 HOUR WHERE router = 'shard1'")   # it has waited long
        own.launch()
        own.wait_ready()
        self.wait(lambda: "A 198.51.100.7': delete this record first" in
                  (self.caller.get_router(router="shard1")["router"]["reason"] or ""),
                  "the new domain keeps its record")
        self.central.apply_changes(domain=domain, changes=[theirs | {"op": "delete"}])
        wait_whole()
        self.wait(lambda: sql("SELECT state, ends_at > NOW(3) + INTERVAL 50 MINUTE FROM "
                              "route_moves WHERE router = 'shard1'") == [["HAVE", "1"]],
                  "its grace time begins when it is out")
        self.active("shard1")
        self.caller.delete_router(router="shard1", force=True)

    def test_records_that_somebody_removes(self):
        """Only by force, and they come back: wildcard, first records and former names."""
        self.alone(check_period=1, rebind_grace=3600, rebind_delay=0)
        self.router("shard1", "10.245.2.2", zone={"records": [
            {"name": "ns1", "type": "A", "records": ["192.0.2.9"]}]})
        olds = [self.scheduled(self.route(name))["status"]["dns"] for name in "ab"]
        self.router("shard2", "10.245.2.4")
        for name in "ab":
            self.bind(name, "shard2")
        domain = f"shard1.{SUFFIX}."
        kept = {f"*.{domain}": ("A", "10.245.2.2"), f"ns1.{domain}": ("A", "192.0.2.9")}
        kept |= {f"{old}.": ("CNAME", f"{self.namespace}-{name}.shard2.{SUFFIX}.")
                 for old, name in zip(olds, "ab")}

        def found():
            return {one["name"]: (one["type"], *one["records"])
                    for one in self.central.find_recordsets(domain=domain)["recordsets"]
                    if one["type"] != "NS" and one["records"]}
        self.wait(lambda: found() == kept, f"all are there: {kept}")
        self.wait(lambda: self.fleet.mariadb.sql(
            "SELECT COUNT(*) FROM route_moves WHERE state = 'HAVE'") == [["2"]], "they lead on")
        for name, (kind, data) in kept.items():
            for change in {"op": "delete"}, {"op": "set", "records": [
                    "x.example." if kind == "CNAME" else "192.0.2.77"]}:
                self.refused(f"routes manages the record '{re.escape(name)} {kind} {data}'.*force",
                             self.central.apply_changes, domain=domain,
                             changes=[change | {"name": name, "type": kind}])
        sets = {one["name"]: one["id"]
                for one in self.central.find_recordsets(domain=domain)["recordsets"]}
        for name, (kind, data) in kept.items():
            words = f"routes manages the record '{re.escape(name)} {kind} {data}'.*force"
            self.refused(words, self.central.delete_recordset, domain=domain,
                         recordset=sets[name])
            self.refused(words, self.central.update_recordset, domain=domain,
                         recordset=sets[name], values={"records": [
                             "x.example." if kind == "CNAME" else "192.0.2.77"]})
        self.refused("routes manages records .*force", self.central.delete_domain, domain=domain)
        apex = [[domain, 300, "NS", NS]]
        state, reason = replace_zone(self.central, domain, apex)
        self.assertEqual(state, "ERROR")
        self.assertRegex(reason, "routes manages the record .*force")
        self.assertEqual(found(), kept)
        for remove in (
                lambda: self.central.apply_changes(domain=domain, force=True, changes=[
                    {"op": "delete", "name": name, "type": kind}
                    for name, (kind, _) in kept.items()]),
                lambda: [self.central.delete_recordset(domain=domain, recordset=sets[name],
                                                       force=True) for name in kept],
                lambda: self.assertEqual(replace_zone(self.central, domain, apex, force=True),
                                         ("DONE", ""))):
            sets = {one["name"]: one["id"]
                    for one in self.central.find_recordsets(domain=domain)["recordsets"]}
            remove()
            self.wait(lambda: found() == kept, f"they are back: {found()}")
        for name, (kind, data) in kept.items():
            self.answers(name, kind, data)
        self.active("shard1")
        version = self.central.get_domain(domain=domain)["version"]
        rounds = self.fleet.mariadb.sql("SELECT due_at FROM routers WHERE name = 'shard1'")
        self.wait(lambda: self.fleet.mariadb.sql(
            "SELECT due_at FROM routers WHERE name = 'shard1'") != rounds, "it is checked again")
        self.assertEqual(self.central.get_domain(domain=domain)["version"], version)

    def test_records_that_are_older_than_their_manager(self):
        """The check takes them over, without a new serial."""
        self.alone(check_period=1)
        self.router("shard1", "10.245.2.2")
        domain = f"shard1.{SUFFIX}."
        before = self.central.get_domain(domain=domain)
        self.fleet.mariadb.sql(f"UPDATE records SET managed_by = NULL WHERE domain_id = "
                               f"'{before['id']}'")
        self.wait(lambda: self.fleet.mariadb.sql(
            f"SELECT COUNT(*) FROM records WHERE domain_id = '{before['id']}' AND "
            "managed_by = 'routes'") == [["1"]], "the wildcard has its manager")
        after = self.central.get_domain(domain=domain)
        self.assertEqual((before["serial"], before["version"]), (after["serial"], after["version"]))

    def found(self, domain):
        try:
            return self.central.get_domain(domain=domain)["id"]
        except om.RemoteError:
            return None

    def test_a_name_that_one_before_still_has(self):
        """Central is away, and is to take its CNAME back: the next of its name is another."""
        self.router("shard1", "10.245.2.2")
        name = "x" * 60
        route = self.scheduled(self.route(name))
        self.router("shard2", "10.245.2.4")
        self.bind(name, "shard2")
        central = self.fleet.members["central1"]
        central.stop()
        try:
            self.caller.delete_route(route=route["id"])
            again = self.route(name)
            self.bind(name, "shard1")
            names = Route(self.namespace, name, "").names_at(f"shard1.{SUFFIX}", again["id"])
            self.assertIn(self.get(again)["status"]["dns"],
                          names - {route["status"]["dns"]})
        finally:
            central.launch()
            central.wait_ready()

    def bind(self, name, router):
        return self.caller.create_route_binding(binding={
            "route_namespace": self.namespace, "route_name": name, "router": router})

    def test_a_router_that_is_deleted_by_force(self):
        """The other one does not serve the names any more that routes had there."""
        self.router("shard1", "10.245.2.2")
        old = self.scheduled(self.route("a"))["status"]["dns"]
        self.router("shard2", "10.245.2.4")
        self.bind("a", "shard2")

        def served():
            answer = self.caller.router_hosts(router="shard2")
            return answer["version"], answer["hosts"][0]["map"]
        before, lines = served()
        self.assertIn(old, lines)
        self.caller.delete_router(router="shard1", force=True)
        after, lines = served()
        self.assertNotIn(old, lines)
        self.assertGreater(after, before)
        versions = self.caller.hosts_versions(routers=["shard2", "none"])["versions"]
        self.assertEqual(versions, {"shard2": after})

    def test_bound_again(self):
        """To the router that it has: it stays what it is, though another name is free by now."""
        self.router("shard1", "10.245.2.2")
        owner = self.scheduled(self.route("b-c"))
        namespace = f"{self.namespace}-b"
        route = self.caller.create_route(route={"namespace": namespace, "name": "c"})["route"]
        name = self.scheduled(route)["status"]["dns"]
        self.assertNotEqual(name, owner["status"]["dns"])
        self.caller.delete_route(route=owner["id"])
        self.caller.create_route_binding(binding={
            "route_namespace": namespace, "route_name": "c", "router": "shard1"})
        self.assertEqual(self.get(route)["status"]["dns"], name)

    def test_there_and_back(self):
        self.router("shard1", "10.245.2.2")
        route = self.route("a")
        first = route["status"]["dns"]
        self.router("shard2", "10.245.2.4")
        self.caller.drain_router(router="shard1")
        self.wait(lambda: self.get(route)["router"] == "shard2", "it moves")
        self.caller.drain_router(router="shard1", drain=False)
        self.caller.drain_router(router="shard2")
        second = self.get(route)["status"]["dns"]
        self.wait(lambda: self.get(route)["router"] == "shard1", "it is back")
        self.assertEqual(self.get(route)["status"]["dns"], first)
        self.assertEqual(set(self.served("shard2")), {first, second}, "both lead there still")
        self.answers(first, "A", "10.245.2.2")
        for port in self.servers():
            self.wait(lambda: ask(port, first, "CNAME")[0] == set(), "no CNAME to itself")

    def test_from_one_to_the_next(self):
        """The first name leads to the second router until its CNAME has another target."""
        self.router("one", ttl=600)
        route = self.scheduled(self.route())
        names = [route["status"]["dns"]]
        for name in "two", "three":
            self.router(name, ttl=600)
        versions = {"one": 0, "two": 0}
        for router in "two", "three":           # the route's routers hear of each move
            self.bind("web", router)
            names.append(self.get(route)["status"]["dns"])
            before, versions = versions, self.caller.hosts_versions(
                routers=["one", "two"])["versions"]
            self.assertGreater(versions["one"], before["one"])
        self.assertGreater(versions["two"], before["two"])
        self.assertEqual(set(self.served("one")), set(names[:2]))
        self.assertEqual(set(self.served("two")), set(names[:2]))
        self.assertEqual(set(self.served("three")), set(names))

    def test_a_drain_that_is_undone(self):
        """What could not move says so no more; what is of another router does."""
        self.router("shard1", capacity=1, wait=False)
        route = self.scheduled(self.route("a"))
        self.router("shard2", capacity=1, wait=False)
        other = self.scheduled(self.route("b"))
        self.assertEqual(other["router"], "shard2")
        for router in "shard1", "shard2":
            self.caller.drain_router(router=router)
        for stays in route, other:
            self.wait(lambda: self.get(stays)["last_error"], "it can go nowhere")
        self.caller.drain_router(router="shard1", drain=False)
        self.assertEqual(self.get(route), route)
        self.assertTrue(self.get(other)["last_error"])

    def test_what_its_instances_serve(self):
        self.router("shard1", "10.245.2.2")
        route = self.route("a", backend="app")
        hosts = self.caller.router_hosts(router="shard1")["hosts"]
        old = route["status"]["dns"]
        self.assertEqual(hosts, [{"route": route["id"], "map": f"{old} app\n"}])
        self.router("shard2", "10.245.2.4")
        self.caller.drain_router(router="shard1")
        self.wait(lambda: self.get(route)["router"] == "shard2", "it moves")
        new = self.get(route)["status"]["dns"]
        for router, names in ("shard1", {old}), ("shard2", {old, new}):
            for asked in {}, {"routes": [route["id"]]}:
                hosts = self.caller.router_hosts(router=router, **asked)["hosts"]
                self.assertEqual([host["route"] for host in hosts], [route["id"]])
                self.assertEqual({line.split()[0] for line in hosts[0]["map"].splitlines()}, names)
        self.wait(lambda: not self.caller.router_hosts(router="shard1")["hosts"],
                  "the grace is over")

    def test_pages_of_what_its_instances_serve(self):
        """A route is one of a page, however many names it has at the router."""
        self.router("shard1", "10.245.2.2", ttl=60)
        moved = [self.route(f"m{i}", id=f"{i}" * 32) for i in range(3)]
        for route in moved:
            self.caller.update_route(route=route["id"],
                                     values={"host": f"{route['name']}.ex4.org"})
        self.router("shard2", "10.245.2.4", ttl=60, capacity=3)
        self.caller.drain_router(router="shard1")
        for route in moved:
            self.wait(lambda: self.get(route)["router"] == "shard2", "it moves")
        self.caller.drain_router(router="shard1", drain=False)
        stay = [self.scheduled(self.route(f"s{i}", id=f"{i}" * 32)) for i in range(7, 10)]
        self.assertEqual(self.routes(router="shard1"), stay)
        whole = self.caller.router_hosts(router="shard1")["hosts"]
        self.assertEqual([(host["route"], host["map"].count("\n")) for host in whole],
                         [(route["id"], 2) for route in moved] +
                         [(route["id"], 1) for route in stay])
        for limit in range(1, 8):
            self.assertEqual(self.hosts_by_pages("shard1", limit), whole)

    def hosts_by_pages(self, router, limit):
        found, marker = [], {}
        while marker is not None:
            page = self.caller.router_hosts(router=router, limit=limit, **marker)
            found += page["hosts"]
            marker = {"marker": page["marker"]} if page["marker"] else None
        return found

    def move(self, route, old, new):
        self.caller.drain_router(router=old)
        self.wait(lambda: self.get(route)["router"] == new, f"it moves to {new}")

    def served(self, router):
        """{host: backends}"""
        found = {}
        for host in self.caller.router_hosts(router=router)["hosts"]:
            for line in host["map"].splitlines():
                found.setdefault(line.split()[0], []).append(line.split()[1])
        return found

    def test_a_host_that_becomes_somebody_else_s(self):
        """At once nobody serves it for who had it before."""
        self.router("shard1", "10.245.2.2", ttl=60)
        mine = self.scheduled(self.route("mine", host="www.ex3.org", backend="mine"))
        theirs = self.route("theirs", host="www.ex3.org", backend="theirs")
        self.router("shard2", "10.245.2.4", ttl=60)
        self.move(mine, "shard1", "shard2")
        self.assertEqual(self.served("shard1"), {"www.ex3.org": ["mine"]})
        self.caller.update_route(route=mine["id"], values={"host": "new.ex3.org"})
        self.scheduled(theirs)
        self.assertEqual(self.served("shard1"), {})
        self.assertEqual(self.served("shard2"),
                         {"www.ex3.org": ["theirs"], "new.ex3.org": ["mine"]})

    def moves(self, what="state"):
        return [row[0] for row in self.fleet.mariadb.sql(f"SELECT {what} FROM route_moves")]

    def cname(self, route):
        return ask(self.fleet.minidns_ports[0], route["status"]["dns"], "CNAME")[0]

    def looked_at(self, name):
        """A worker has looked at the router's domain, from now on."""
        self.fleet.mariadb.sql(f"UPDATE routers SET due_at = NOW(3) WHERE name = '{name}'")
        self.wait(lambda: self.fleet.mariadb.sql(
            f"SELECT due_at > NOW(3) AND zone_status = 'ACTIVE' FROM routers "
            f"WHERE name = '{name}'") == [["1"]], f"{name} is looked at")

    def test_it_leads_there_when_its_instances_say_that_they_serve_it(self):
        """Not before, however long that takes, and not later, however long the delay is."""
        self.alone(rebind_delay=3600, rebind_grace=3600, alive_timeout=3600)
        for name in "old", "new":
            self.router(name, "10.245.2.2", "10.245.2.3")

        def serve(*versions):
            for address, version in zip(("10.245.2.2", "10.245.2.3"), versions):
                self.caller.report_address(router="new", address=address, version=version)
        serve(0, 0)
        self.caller.drain_router(router="new")
        route = self.scheduled(self.route())
        self.caller.drain_router(router="new", drain=False)
        self.caller.drain_router(router="old")
        self.wait(lambda: self.get(route)["router"] == "new", "it moves")
        self.looked_at("old")
        needs = int(self.moves("needs")[0])
        self.fleet.mariadb.sql("UPDATE route_moves SET begins_at = NOW(3) - INTERVAL 1 SECOND")
        serve(needs, needs - 1)
        self.looked_at("old")
        self.assertEqual(self.moves(), ["ADD"])
        self.assertEqual(self.cname(route), set())
        self.fleet.mariadb.sql("UPDATE route_moves SET begins_at = NOW(3) + INTERVAL 1 HOUR")
        serve(needs, needs)
        self.wait(lambda: self.cname(route), "it leads there")

    def test_its_grace_begins_when_the_name_servers_have_it(self):
        self.alone(rebind_delay=0, rebind_grace=8)
        for name in "old", "new":
            self.router(name)
        self.caller.drain_router(router="new")
        route = self.scheduled(self.route())
        self.caller.drain_router(router="new", drain=False)
        self.fleet.bind.stop()
        self.addCleanup(self.wake, self.fleet.bind)
        self.caller.drain_router(router="old")
        self.wait(lambda: self.cname(route), "central has taken it")
        self.wait(lambda: "ADD" not in self.moves(), "and said so")
        self.fleet.mariadb.sql("UPDATE route_moves SET begins_at = begins_at - INTERVAL 1 HOUR, "
                               "ends_at = ends_at - INTERVAL 1 HOUR")
        self.fleet.bind.launch()
        self.wait(lambda: self.moves("state = 'HAVE' AND ends_at > NOW(3) + INTERVAL 4 SECOND")
                  == ["1"], "its grace begins", 60)

    def wake(self, server):
        if not server.pid:
            server.launch()
        self.fleet.wait_answers(server)

    def test_a_name_is_served_until_no_resolver_has_its_cname(self):
        """The grace is over: central is away, then a name server is, then a resolver may have
        it."""
        self.alone(rebind_delay=0, rebind_grace=3600)
        for name in "old", "new":
            self.router(name, ttl=600)
        self.caller.drain_router(router="new")
        route = self.scheduled(self.route())
        self.caller.drain_router(router="new", drain=False)
        self.caller.drain_router(router="old")
        self.wait(lambda: self.moves() == ["HAVE"], "it leads to the new one")
        name, bind = route["status"]["dns"], self.fleet.bind
        central = self.fleet.members["central1"]

        def assert_served(state):
            self.wait(lambda: self.moves() != [before], f"it is {before} no more", 60)
            for router in "old", "new":
                self.assertIn(name, self.served(router), self.moves())
            self.assertEqual(self.moves(), [state])
        central.stop()
        self.addCleanup(lambda: central.pid or central.launch())
        before = "HAVE"
        self.fleet.mariadb.sql("UPDATE route_moves SET ends_at = NOW(3)")
        assert_served("WITHDRAW")
        before = "WITHDRAW"
        bind.stop()
        self.addCleanup(self.wake, bind)
        central.launch()
        central.wait_ready()
        assert_served("WITHDRAWN")
        self.assertEqual(self.cname(route), set())
        before = "WITHDRAWN"
        bind.launch()
        assert_served("CACHED")
        self.assertEqual(ask(bind.port, name, "CNAME")[0], set())
        self.assertEqual(self.moves("ends_at > NOW(3) + INTERVAL 500 SECOND"), ["1"])
        self.fleet.mariadb.sql("UPDATE route_moves SET ends_at = NOW(3)")
        self.wait(lambda: not self.moves(), "the name is gone")
        for router in "old", "new":
            self.assertNotIn(name, self.served(router))

    def test_central_is_away_for_longer_than_the_grace(self):
        """It begins when the name leads elsewhere, and not before."""
        self.router("shard1", "10.245.2.2")
        route = self.scheduled(self.route("a"))
        old = route["status"]["dns"]
        self.router("shard2", "10.245.2.4")
        central = self.fleet.members["central1"]
        central.stop()
        try:
            self.move(route, "shard1", "shard2")
            self.wait(lambda: self.fleet.mariadb.sql(
                "SELECT ends_at < NOW(3) - INTERVAL 6 SECOND FROM route_moves") == [["1"]],
                "its time would be over, and a sweep has come by", 3 * SECONDS)
            self.assertIn(old, self.served("shard1"))
        finally:
            central.launch()
            central.wait_ready()
        self.wait(lambda: ask(self.servers()[0], old, "CNAME")[0] ==
                  {self.get(route)["status"]["dns"] + "."}, "it leads to the new one", 3 * SECONDS)
        self.wait(lambda: not self.served("shard1"), "and then it is over", 3 * SECONDS)

    def test_a_name_before_leads_to_no_name_of_others(self):
        """A host of its owner's may itself lead to the name before."""
        self.router("shard1", "10.245.2.2", ttl=60)
        route = self.scheduled(self.route("a"))
        old = route["status"]["dns"]
        self.router("shard2", "10.245.2.4", ttl=60)
        self.move(route, "shard1", "shard2")
        self.caller.update_route(route=route["id"], values={"host": "www.ex4.org"})
        self.answers(old, "CNAME", f"router.shard2.{SUFFIX}.")
        self.answers(f"router.shard2.{SUFFIX}", "A", "10.245.2.4")
        self.assertIn(old, self.served("shard2"))


if __name__ == "__main__":
    unittest.main()

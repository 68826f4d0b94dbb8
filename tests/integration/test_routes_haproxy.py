"""HTTP requests for the hosts of routes reach their backends (A003-8).

Each test asks BIND for the address of a host, and sends a request to the HAProxy of this address.
An agent of zonefleet-routes keeps the host map of each HAProxy.
"""

import http.client
import os
import shutil
import signal
import sys
import tempfile
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import dns.message
import dns.query
import dns.rdatatype

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from agent import Agent                                                 # noqa: E402
from deaf import deafen                                                 # noqa: E402
from haproxy import HaProxy, lab_address                                # noqa: E402
from story import Caller                                                # noqa: E402
from query import udp  # noqa: E402
import test_routes                                                      # noqa: E402
from test_routes import SETTINGS, SUFFIX, RouteStory, ask                         # noqa: E402
from lab.process import free_port, run                                  # noqa: E402

SECONDS = 60
MANY = 1000
SHARDS = {"shard1": "10.101.0.1", "shard2": "10.101.0.2", "shard3": "10.101.0.3"}
BACKENDS = [f"app{i}" for i in range(MANY)] + ["own", "wild"]


def setUpModule():
    test_routes.setUpModule()
    HaproxyStory.port = free_port()


def tearDownModule():
    test_routes.unittest.doModuleCleanups()


class HaproxyStory(RouteStory):

    def instance(self, name, address, **settings):
        """A router of one address, the HAProxy there and its agent."""
        folder = Path(tempfile.mkdtemp(prefix="zfhaproxy"))
        self.addCleanup(shutil.rmtree, folder)
        haproxy = HaProxy(folder / name, address, self.port, BACKENDS)
        haproxy.launch()
        self.addCleanup(haproxy.stop)
        haproxy.wait_ready()
        agent = Agent(folder / "agent", "routes", {
            **self.fleet.agent_settings(),
            "routes_agent": {"router": name, "directory": str(haproxy.folder),
                             "address": address, "report_period": 1, "interval": 1} | settings})
        agent.launch()
        self.addCleanup(agent.stop)
        agent.wait_ready()
        return haproxy, agent

    def shards(self, *names):
        for name in names:
            self.router(name, SHARDS[name])
        return {name: self.instance(name, SHARDS[name]) for name in names}

    def get_page(self, host, address):
        """(status, text) of the instance that has the address."""
        link = http.client.HTTPConnection(lab_address(address), self.port, timeout=10)
        try:
            link.request("GET", "/", headers={"Host": host})
            answer = link.getresponse()
            return answer.status, answer.read().decode()
        finally:
            link.close()

    def reach(self, host):
        """What is there for a host, by the address that DNS has for it."""
        addresses, _ = ask(self.fleet.bind.port, host, "A")
        return self.get_page(host, addresses.pop()) if addresses else (None, "")

    def many(self, count):
        callers = [Caller(self.fleet.rabbitmq.url, topic="routes") for _ in range(8)]
        with ThreadPoolExecutor(8) as pool:
            made = list(pool.map(lambda i: self.route(f"r{i}", callers[i % 8],
                                                      backend=f"app{i}"), range(count)))
        for caller in callers:
            caller.close()
        return made

    def wrong(self, routes):
        """Those that do not reach their backend at their router."""
        wanted = {route["status"]["dns"]: (200, f"{route['backend']}@{route['router']}")
                  for route in routes}
        with ThreadPoolExecutor(16) as pool:
            found = dict(zip(wanted, pool.map(self.reach, wanted)))
        return {host: found[host] for host in wanted if found[host] != wanted[host]}

    def lines(self, haproxy):
        return haproxy.map.read_text().splitlines()


class Reached(HaproxyStory):

    def test_a_thousand_routes(self):
        shards = self.shards("shard1", "shard2", "shard3")
        self.many(MANY)
        self.wait(lambda: sum(len(self.lines(haproxy)) for haproxy, _ in shards.values()) == MANY,
                  "all hosts are in the maps", SECONDS)
        made = self.routes(namespace=self.namespace)    # those of a locked router are bound later
        self.wait(lambda: not self.wrong(made), "each reaches its backend", SECONDS)
        curl = run(["/usr/bin/curl", "-s", "-H", f"Host: {made[0]['status']['dns']}",
                    f"http://{lab_address(SHARDS[made[0]['router']])}:{self.port}/"])
        self.assertEqual(curl, f"{made[0]['backend']}@{made[0]['router']}")
        self.caller.drain_router(router="shard1")
        self.wait(lambda: not self.caller.list_route_bindings(router="shard1")["bindings"],
                  "all have moved", SECONDS)
        moved = [route for route in made if route["router"] == "shard1"]
        now = {route["id"]: route for route in self.routes(namespace=self.namespace)}
        self.wait(lambda: not self.wrong(now.values()), "each reaches it by its new name", SECONDS)
        for route in moved[::50]:       # by the old name, at the new router, by the CNAME
            self.wait(lambda: self.reach(route["status"]["dns"]) in (
                (200, f"{route['backend']}@{now[route['id']]['router']}"), (404, "none@shard1")),
                "the old name leads to it", SECONDS)
        haproxy, _ = shards["shard1"]
        self.wait(lambda: self.lines(haproxy) == [], "the old one serves none any more", SECONDS)

    def test_hosts_of_ones_own_and_wildcards(self):
        self.shards("shard1")
        below = f"{self.namespace}.example.org"
        self.route("wild", host=f"*.{below}", backend="wild")
        own = self.route("own", host=f"own.{below}", backend="own")
        for host, wanted in ((f"own.{below}", (200, "own@shard1")),
                             (f"OWN.{below}:80", (200, "own@shard1")),
                             (f"any.{below}", (200, "wild@shard1")),
                             (f"a.b.{below}", (404, "none@shard1")),
                             (below, (404, "none@shard1"))):
            self.wait(lambda: self.get_page(host, SHARDS["shard1"]) == wanted,
                      f"{host}: {self.get_page(host, SHARDS['shard1'])}", SECONDS)
        self.caller.update_route(route=own["id"], values={"backend": "app7"})
        self.wait(lambda: self.get_page(own["host"], SHARDS["shard1"]) == (200, "app7@shard1"),
                  "another backend", SECONDS)
        self.caller.delete_route(route=own["id"])
        self.wait(lambda: self.get_page(own["host"], SHARDS["shard1"]) == (200, "wild@shard1"),
                  "the wildcard has it now", SECONDS)


class Resolver:
    """As a client's: it keeps addresses as long as their TTL, and follows a CNAME.

    .is_over: the name had a CNAME and has it no more. The wildcard of the router answers.
    """

    def __init__(self, port, name):
        self.port, self.name = port, name
        self.address, self.until, self.had_cname, self.is_over = None, 0, False, False

    def ask(self, name):
        answer = udp(dns.message.make_query(name, "A"), "127.0.0.1",
                     port=self.port, timeout=5).answer
        last = answer[-1]
        ttl = min(rrset.ttl for rrset in answer)
        if last.rdtype == dns.rdatatype.A:
            return str(last[0]), ttl, len(answer) > 1
        address, rest, _ = self.ask(last[0].target)
        return address, min(ttl, rest), True

    def now(self):
        """The address, and when it was looked for."""
        now = time.monotonic()
        if now >= self.until:
            self.address, ttl, has_cname = self.ask(self.name)
            self.until = now + ttl
            self.is_over = self.had_cname and not has_cname
            self.had_cname |= has_cname
        return self.address, now


class Rebound(HaproxyStory):

    def test_no_request_is_lost_or_late(self):
        """The clients do as DNS tells them. The backend answers each request until the last
        TTL of the old name is over, and after the first TTL the old router gets no request."""
        shards = self.shards("shard1", "shard2")
        self.caller.drain_router(router="shard2")
        made = [self.scheduled(self.route(f"r{i}", backend=f"app{i}")) for i in range(4)]
        self.assertEqual({route["router"] for route in made}, {"shard1"})
        self.wait(lambda: not self.wrong(made), "they are reached", SECONDS)
        self.caller.drain_router(router="shard2", drain=False)
        clients = {route["id"]: Resolver(self.fleet.bind.port, route["status"]["dns"])
                   for route in made}
        found, leads_on = {id: [] for id in clients}, {}

        def leads(route):
            name = route["status"]["dns"]
            return bool(ask(self.fleet.bind.port, name, "CNAME")[0])

        def request(route):
            id = route["id"]
            if leads(route):
                leads_on.setdefault(id, time.monotonic())
            address, at = clients[id].now()
            if clients[id].is_over:
                return
            status, text = self.get_page(route["status"]["dns"], address)
            backend, shard = text.split("@")
            found[id].append((at, status, backend, shard))

        def request_all():
            for route in made:
                if not clients[route["id"]].is_over:
                    request(route)
        request_all()
        for i, client in enumerate(clients.values()):   # each asks at another time
            client.until -= i * SETTINGS["ttl"] / len(clients)
        self.caller.drain_router(router="shard1")

        def is_over():
            request_all()
            return all(client.is_over for client in clients.values())
        self.wait(is_over, "the grace of all is over", SECONDS)
        for route in made:
            requests = found[route["id"]]
            lost = [one for one in requests if one[1:3] != (200, route["backend"])]
            self.assertEqual(lost, [], (leads_on, requests))
            self.assertEqual(requests[-1][-1], "shard2")
            late = max(at for at, _, _, shard in requests if shard == "shard1")
            self.assertLess(late, leads_on[route["id"]] + SETTINGS["ttl"])
        self.wait(lambda: not self.lines(shards["shard1"][0]), "the old one serves none any more",
                  SECONDS)


class Alive(HaproxyStory):

    def test_an_instance_that_dies(self):
        """It is not in DNS any more, and is again when it is back."""
        one, two = SHARDS["shard1"], SHARDS["shard2"]
        self.router("shard1", one, two)
        first, _ = self.instance("shard1", one)
        self.instance("shard1", two)
        name = f"any.shard1.{SUFFIX}"
        self.wait(lambda: self.fleet.mariadb.sql(
            "SELECT COUNT(*) FROM router_addresses WHERE seen_at IS NOT NULL") == [["2"]],
            "both are alive", SECONDS)
        self.answers(name, "A", one, two)
        first.kill9()
        self.answers(name, "A", two)
        first.launch()
        first.wait_ready()
        self.answers(name, "A", one, two)

    def test_what_was_missed(self):
        haproxy, agent = self.shards("shard1")["shard1"]
        route = self.route("a", backend="app1")
        self.wait(lambda: not self.wrong([route]), "it is reached", SECONDS)
        os.kill(agent.pid, signal.SIGKILL)
        agent.kill9()
        other = self.route("b", backend="app2")
        self.caller.delete_route(route=route["id"])
        self.assertEqual(self.reach(route["status"]["dns"]), (200, "app1@shard1"))
        agent.launch()
        agent.wait_ready()
        other = self.scheduled(other)
        self.wait(lambda: not self.wrong([other]), "it is reached", SECONDS)
        self.wait(lambda: self.reach(route["status"]["dns"]) == (404, "none@shard1"),
                  "and the other one is not", SECONDS)
        self.fleet.rabbitmq.restart()
        third = self.scheduled(self.route("c", backend="app3"))     # once the agent is heard
        self.wait(lambda: not self.wrong([third]), "after a restart of the broker", SECONDS)

    def test_casts_that_get_lost(self):
        """Of what is made, deleted and changed; as long as they are heard, nothing else is
        needed."""
        self.router("shard1", SHARDS["shard1"])
        haproxy, agent = self.instance("shard1", SHARDS["shard1"], check_period=3600,
                                       reread_period=3600)

        def kept(expected, act):
            act()
            self.wait(lambda: len(self.lines(haproxy)) == expected,
                      f"{expected} lines: {self.lines(haproxy)}", SECONDS)

        def change(host, backend):
            first, second, third = sorted(
                self.routes(), key=lambda route: (route["host"] is None, route["name"]))
            kept(4, lambda: self.route(f"{backend}-d", backend="app2"))
            kept(3, lambda: self.caller.delete_route(route=first["id"]))
            # its old name is served for a while, too
            kept(4, lambda: self.caller.update_route(route=second["id"],
                                                     values={"host": host}))
            self.caller.update_route(route=third["id"], values={"backend": backend})
            self.wait(lambda: any(line.endswith(backend) for line in self.lines(haproxy)),
                      "it is read", SECONDS)
        kept(3, lambda: [self.scheduled(self.route(name, backend="app1")) for name in "abc"])
        change("www.told.example", "app3")
        kept(3, lambda: None)                       # its grace is over
        self.router("shard2", SHARDS["shard2"])
        self.caller.drain_router(router="shard1")
        kept(0, lambda: None)                       # once their grace is, too
        self.caller.drain_router(router="shard1", drain=False)
        self.caller.drain_router(router="shard2")
        kept(3, lambda: None)
        self.assertEqual(agent.figure("missed_total"), 0)

        agent.stop()
        agent.configure({"routes_agent": {"check_period": 1}})
        agent.launch()
        agent.wait_ready()
        route = self.route("e", backend="app5")
        self.wait(lambda: not self.wrong([route]), "it hears", SECONDS)
        kept(3, lambda: self.caller.delete_route(route=route["id"]))
        self.assertEqual(deafen(self.fleet.rabbitmq, "routes.shard1"), 1)
        change("www.lost.example", "app4")
        self.assertEqual(agent.figure("missed_total"), 4)


if __name__ == "__main__":
    unittest.main()

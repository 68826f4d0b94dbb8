"""The commands `zonefleet router` and `zonefleet route`, and the commands of docs/routes.md.

Each test reads what the client prints, for people and as JSON, and what DNS answers. The fleet has
a central, a pool manager, a mini-DNS, a BIND and a process of routes.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest
import uuid
from pathlib import Path

import dns.message
import dns.query

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from story import start_fleet                                           # noqa: E402
from query import udp  # noqa: E402
from lab.fleet import BINARIES, REPOSITORY, Worker                      # noqa: E402
from lab.process import HOST                                            # noqa: E402

GOOD, FAILED, USAGE, NOT_FOUND, IN_ERROR, TIMEOUT = range(6)
ENV = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
SUFFIX = "v3.example.com"
SETTINGS = {"routes": {"processes": 1, "suffix": SUFFIX, "rebind_grace": 2, "retry_max": 1}}
SECONDS = 30
TOOK = r"after \d+\.\d{3} s\n\Z"


def setUpModule():
    """One fleet for all; each test has names of its own."""
    folder = Path(tempfile.mkdtemp(prefix="zfroutescli"))
    unittest.addModuleCleanup(shutil.rmtree, folder)
    fleet = Story.fleet = unittest.enterModuleContext(start_fleet(
        folder / "fleet", central=1, poolmgr=1, minidns=1, name_servers=("bind",)))
    worker = Worker(folder / "routes", "routes", fleet.settings | SETTINGS)
    worker.launch()
    unittest.addModuleCleanup(worker.stop)
    worker.wait_ready()


class Story(unittest.TestCase):

    maxDiff = None

    def setUp(self):
        self.space = f"n{uuid.uuid4().hex[:8]}"
        self.addCleanup(self.clear)

    def clear(self):
        """For the next test: no routes, and no routers."""
        for route in self.document("route", "list", "--admin")["routes"]:
            self.good("route", "delete", route["id"], "--admin")
        for router in self.document("router", "list", "--admin")["routers"]:
            self.good("router", "delete", router["name"], "--force", "--wait", "--admin")
        self.assertEqual(self.fleet.mariadb.sql("SELECT host FROM host_claims"), [])

    def client(self, *words):
        done = subprocess.run([BINARIES / "zonefleet", *words, "--config", self.fleet.config],
                              capture_output=True, text=True, env=ENV, timeout=90,
                              stdin=subprocess.DEVNULL)
        return done.returncode, done.stdout, done.stderr

    def started(self, *words):
        """The client, which runs on."""
        return subprocess.Popen([BINARIES / "zonefleet", *words, "--config", self.fleet.config],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                env=ENV, stdin=subprocess.DEVNULL)

    def good(self, *words):
        status, out, said = self.client(*words)
        self.assertEqual((status, said), (GOOD, ""), out)
        return out

    def document(self, *words, want=GOOD):
        status, out, said = self.client(*words, "--json")
        self.assertEqual((status, said), (want, ""), out)
        return json.loads(out)

    def refused(self, want, pattern, *words):
        status, out, said = self.client(*words)
        self.assertEqual(status, want, f"{words}: {out}{said}")
        self.assertRegex(said, pattern)
        return out

    def router(self, name, *words, addresses=("10.245.2.2",)):
        return self.document("router", "create", name, *addresses, "--admin", "--wait", *words)

    def route(self, name, *words):
        return self.document("route", "create", f"{self.space}/{name}", *words)

    def alias(self, name):
        """What the name server has for it as its CNAME; None: there is none."""
        answer = udp(dns.message.make_query(name, "CNAME"), HOST, timeout=5,
                     port=self.fleet.bind.port)
        return next((str(record) for rrset in answer.answer for record in rrset), None)

    def answers(self, name):
        """The addresses that the name server has for a name."""
        answer = udp(dns.message.make_query(name, "A"), HOST, timeout=5,
                     port=self.fleet.bind.port)
        return {str(record) for rrset in answer.answer for record in rrset}


class Routers(Story):

    def test_what_a_person_reads(self):
        said = self.good("router", "create", "shard1", "10.245.2.2", "fd00::2", "--capacity", "9",
                         "--label", "zone=east", "--ttl", "1m", "--description", "the first",
                         "--admin", "--wait")
        self.assertRegex(said, rf"\Acreated router shard1: \*\.shard1\.{re.escape(SUFFIX)}, PENDING"
                               rf"\nACTIVE at serial \d+ {TOOK}")
        self.assertEqual(self.answers(f"any.shard1.{SUFFIX}"), {"10.245.2.2"})
        said = self.good("router", "show", "shard1", "--admin")
        for line in (r"name +shard1", r"description +the first", rf"domain +shard1\.{SUFFIX}",
                     r"label +zone=east", r"state +active", r"ttl +60", r"routes +0",
                     r"capacity +9", r"zone +ACTIVE", r"serial +\d+",
                     r"ADDRESS +UP +ALIVE +SHOWN", r"10\.245\.2\.2 +yes +yes +yes",
                     r"fd00::2 +yes +yes +yes"):
            self.assertRegex(said, rf"(?m)^{line}$")
        self.assertNotIn("reason", said)
        self.assertRegex(self.good("router", "list", "--admin"),
                         r"\ANAME +DOMAIN +STATE +LABEL +ROUTES +CAPACITY +ZONE +SERIAL +ADDRESSES "
                         rf"+REASON\nshard1 +shard1\.{SUFFIX} +active +zone=east +0 +9 +ACTIVE "
                         r"+\d+ +10\.245\.2\.2 fd00::2 +-\n\Z")
        self.assertRegex(self.good("router", "list", "-q"), r"\Ashard1 +\S+ +active +zone=east +- "
                         r"+- +ACTIVE +- +10\.245\.2\.2 fd00::2 +-\n\Z")
        self.assertRegex(self.good("router", "delete", "shard1", "--admin", "--wait"),
                         rf"\Adeleting router shard1 and its records\nDELETED {TOOK}")
        self.refused(NOT_FOUND, "no router 'shard1'", "router", "show", "shard1")

    def test_a_domain_that_stays_behind(self):
        self.router("shard1")
        poolmgr = self.fleet.members["poolmgr1"]
        poolmgr.pause()
        try:
            self.refused(TIMEOUT, rf"router shard1 is deleted, but its domain shard1\.{SUFFIX}\. is "
                         rf"still being deleted after .* \(see 'zonefleet status shard1\.{SUFFIX}\.'\)",
                         "router", "delete", "shard1", "--admin", "--wait", "--wait-timeout", "5s")
        finally:
            poolmgr.resume()
        self.fleet.wait_for(lambda: self.client("status", f"shard1.{SUFFIX}", "--admin")[0] ==
                            NOT_FOUND, SECONDS, "the domain is gone")

    def test_what_a_script_reads(self):
        made = self.router("shard1", "--capacity", "5")
        self.assertEqual((made["zone_status"], made["capacity"]), ("ACTIVE", 5))
        self.assertGreater(made.pop("seconds"), 0)
        self.assertEqual(self.document("router", "show", "shard1", "--admin"), made)
        again = self.router("shard1", "--capacity", "5")     # as if it had not been answered
        self.assertEqual(again | {"seconds": 0}, made | {"seconds": 0})
        self.assertRegex(self.good("status", made["dns"], "--admin"), r"1 of 1 servers have")
        self.assertEqual(self.document("router", "list", "--admin"), {"routers": [made]})
        free = self.document("router", "set", "shard1", "--capacity", "", "--admin", "--wait")
        self.assertIsNone(free["capacity"])
        seen = self.document("router", "list")["routers"][0]
        self.assertEqual({"capacity", "routes", "serial", "reason"} & seen.keys(), set())

    def test_addresses(self):
        self.router("shard1", addresses=("10.245.2.2", "10.245.2.3"))

        def marked(*words):
            self.good("router", "set", "shard1", *words, "--admin", "--wait")
            return re.search(r"(10\.\S+(?: 10\.\S+)*)", self.good("router", "list", "-q"))[1]
        name = f"any.shard1.{SUFFIX}"
        self.assertEqual(marked("10.245.2.2=down", "10.245.2.3"), "10.245.2.2=down 10.245.2.3")
        self.assertEqual(self.answers(name), {"10.245.2.3"})
        self.assertEqual(marked("10.245.2.2=down", "10.245.2.3=down"),
                         "10.245.2.2=down 10.245.2.3=kept")
        self.assertEqual(self.answers(name), {"10.245.2.3"})
        self.assertRegex(self.good("router", "show", "shard1"), r"(?m)^10\.245\.2\.3 +no +no +yes$")
        self.assertEqual(marked("10.245.2.4"), "10.245.2.4")
        self.assertEqual(self.answers(name), {"10.245.2.4"})

    def test_mistakes(self):
        self.router("shard1")
        for want, pattern, words in (
            (USAGE, "'10.1.1.1=up' must be an address", "router create r 10.1.1.1=up --admin"),
            (USAGE, "--capacity: must be a number", "router create r --capacity lots --admin"),
            (USAGE, "--ttl: must be", "router create r --ttl 8d --admin"),
            (USAGE, "needs at least one of ADDRESS", "router set shard1 --admin"),
            (USAGE, "leave out --wait with --undo", "router drain shard1 --undo --wait --admin"),
            (FAILED, "Forbidden: .*--admin", "router create r 10.1.1.1"),
            (FAILED, "Forbidden: .*--admin", "router drain shard1"),
            (FAILED, "Duplicate: .*router shard1 already exists", "router create shard1 --admin"),
            (FAILED, "Duplicate: .*router shard1 already exists",
             "router create shard1 10.1.1.1 --admin"),
            (FAILED, "Duplicate: .*router shard1 already exists",
             "router create shard1 10.245.2.2 --capacity 5 --admin"),
            (FAILED, "Duplicate: .*in the domain of router shard1",
             f"router create r --dns r.shard1.{SUFFIX} --admin"),
            (FAILED, "Invalid: ADDRESS: ", "router set shard1 10.1.1 --admin"),
            (FAILED, "Invalid: --label: ", "router set shard1 --label east --admin"),
            (NOT_FOUND, "no router 'none'", "router set none --ttl 5 --admin"),
            (NOT_FOUND, "no router 'none'", "router drain none --admin"),
            (NOT_FOUND, "no router 'none'", "router delete none --admin"),
        ):
            with self.subTest(words):
                self.refused(want, pattern, *words.split())

    def test_a_domain_that_cannot_be(self):
        self.good("domain", "create", "odd.example", "--admin")
        self.good("record", "add", "odd.example", "*", "CNAME", "elsewhere.example.", "--admin")
        words = "router", "create", "odd", "10.1.1.1", "--dns", "odd.example", "--admin", "--wait"
        short = *words, "--wait-timeout", "2"
        self.refused(IN_ERROR, "InError: the domain of router odd is in ERROR.*CNAME", *short)
        self.assertRegex(self.good("router", "list", "--admin"), r"(?m)^odd .* ERROR .*CNAME")
        self.assertEqual(self.document(*short, want=IN_ERROR)["error"]["class"], "InError")
        with self.started(*words) as waiting:
            self.assertRegex(waiting.stdout.readline(), "created router odd")
            self.good("record", "delete", "odd.example", "*", "CNAME", "--admin")
            out, said = waiting.communicate(timeout=90)
        self.assertEqual(waiting.returncode, GOOD, out + said)
        self.assertRegex(said, r"\A(odd waits for .*\n)*\Z")      # after 10 s
        self.assertRegex(out, "ACTIVE at serial")       # it outlasts the ERROR


class Routes(Story):

    def test_what_a_person_reads(self):
        self.router("shard1")
        name = f"{self.space}-test.shard1.{SUFFIX}"
        said = self.good("route", "create", f"{self.space}/test", "--wait", "--label",
                         "tier=gold,zone=east=1")
        self.assertRegex(said, rf"\Acreated route {self.space}/test: {name} at shard1\n"
                               rf"{name} at shard1: ACTIVE {TOOK}")
        self.assertEqual(self.answers(name), {"10.245.2.2"})
        said = self.good("route", "show", f"{self.space}/test")
        for line in (rf"route +{self.space}/test", r"id +[0-9a-f]{32}", r"project +default",
                     r"labels +tier=gold, zone=east=1", rf"backend +{self.space}_test",
                     r"phase +scheduled", rf"name +{name}", r"router +shard1",
                     r"created +\d{4}-.*"):
            self.assertRegex(said, rf"(?m)^{line}$")
        self.assertNotIn("reason", said)
        self.assertRegex(self.good("route", "list", self.space),
                         r"\AROUTE +PHASE +NAME +ROUTER +BACKEND +REASON\n"
                         rf"{self.space}/test +scheduled +{name} +shard1 +{self.space}_test +-\n\Z")
        said = self.good("route", "set", f"{self.space}/test", "--host", "WWW.Example.org.",
                         "--backend", f"{self.space}_app")
        self.assertEqual(said, f"changed route {self.space}/test: www.example.org at shard1\n")
        self.assertEqual(self.good("route", "delete", f"{self.space}/test"),
                         f"deleted route {self.space}/test\n")
        self.refused(NOT_FOUND, f"no route '{self.space}/test'", "route", "show", f"{self.space}/test")

    def test_what_a_script_reads(self):
        self.router("shard1")
        made = self.route("test", "--wait", "--label", "a=b", "--host", "*.example.org")
        self.assertGreater(made.pop("seconds"), 0)
        self.assertEqual(made["status"], {"phase": "scheduled", "dns": "*.example.org"})
        self.assertEqual(made["labels"], {"a": "b"})
        key = f"{self.space}/test"
        self.assertEqual(self.document("route", "show", key), made)
        self.assertEqual(self.document("route", "list", self.space), {"routes": [made]})
        self.assertEqual(self.document("route", "show", made["id"]), made)
        changed = self.document("route", "set", made["id"], "--label", "", "--host", "")
        self.assertEqual((changed["labels"], changed["host"]), ({}, None))
        self.assertEqual(self.document("route", "delete", key, "--wait") | {"seconds": 0},
                         {"route": key, "seconds": 0})

    def test_lists_of_some(self):
        self.router("one", "--capacity", "1")
        self.route("a")
        self.route("b")

        def names(*words):
            return [route["name"] for route in self.document("route", "list", *words)["routes"]]
        self.assertCountEqual(names(self.space), ["a", "b"])
        self.assertEqual(names("--router", "one", "--admin"), ["a"])
        self.assertEqual(names(self.space, "--phase", "new"), ["b"])
        self.assertEqual(names(self.space, "--phase", "scheduled"), ["a"])
        self.assertEqual(len(names(self.space, "--limit", "1")), 1)
        self.assertEqual(names("nowhere"), [])
        self.assertRegex(self.good("route", "list", "--phase", "new"),
                         rf"(?m)^{self.space}/b +new +- +- +{self.space}_b +all routers .* full")

    def test_a_host_that_another_one_has(self):
        self.router("shard1")
        host = f"{self.space}.example.org"
        self.route("first", "--host", host)
        said = self.good("route", "create", f"{self.space}/second", "--host", host)
        self.assertEqual(said, f"created route {self.space}/second: waits, host {host} belongs to "
                               f"route {self.space}/first\n")
        words = "route", "set", f"{self.space}/second", "--backend", f"{self.space}_x", "--wait"
        self.refused(FAILED, rf"Waiting: route {self.space}/second is waiting until its host "
                             rf"is free: host {host} belongs to route {self.space}/first",
                     *words)
        error = self.document(*words, want=FAILED)
        self.assertEqual((error["waiting"], error["error"]["class"]), (True, "Waiting"))
        self.assertRegex(self.good("route", "list", self.space),
                         rf"(?m)^{self.space}/second +new +{host} +- +{self.space}_x +"
                         rf"host {host} belongs to route ")
        self.good("route", "delete", f"{self.space}/first")
        said = self.good("route", "set", f"{self.space}/second", "--backend", f"{self.space}_y", "--wait")
        self.assertRegex(said, rf"{host} at shard1: ACTIVE {TOOK}")

    def test_no_router_yet(self):
        said = self.good("route", "create", f"{self.space}/early")
        self.assertEqual(said, f"created route {self.space}/early: new, no router accepts routes: "
                               "create a router, or end the drain of a router "
                               "('zonefleet router drain ROUTER --undo')\n")
        self.refused(TIMEOUT, "no router accepts routes", "route", "set", f"{self.space}/early",
                     "--backend", f"{self.space}_x", "--wait", "--wait-timeout", "1")
        self.router("late")
        self.good("route", "set", f"{self.space}/early", "--backend", f"{self.space}_y", "--wait")

    def test_a_route_is_bound_by_hand(self):
        self.router("shard1")
        self.router("shard2", addresses=("10.245.2.4",))
        made = self.route("test")
        other = {"shard1": "shard2", "shard2": "shard1"}[made["router"]]
        name = f"{self.space}-test.{other}.{SUFFIX}"
        said = self.good("route", "bind", f"{self.space}/test", other, "--admin")
        self.assertEqual(said, f"bound route {self.space}/test: {name} at {other}\n")
        moved = self.document("route", "bind", made["id"], made["router"], "--admin", "--wait")
        self.assertEqual(moved["status"], made["status"])
        self.refused(FAILED, "Forbidden: .*--admin", "route", "bind", made["id"], other)
        self.refused(NOT_FOUND, "no router 'none'", "route", "bind", made["id"], "none", "--admin")

    def test_mistakes(self):
        self.route("test")
        key = f"{self.space}/test"
        for want, pattern, words in (
            (USAGE, "--label: must be KEY=VALUE.*'east'",
             f"route create {self.space}/r --label east"),
            (USAGE, "--label: must be", f"route create {self.space}/r --label a=b,=c"),
            (FAILED, "only an administrator may list the objects of all tenants",
             "route list --all-tenants"),
            (USAGE, "needs at least one of --host", f"route set {key}"),
            (USAGE, "unexpected argument 'r': the command accepts NAMESPACE/NAME",
             f"route create {self.space} r"),
            (USAGE, "NAMESPACE/NAME: must be .*, not 'r'", "route create r"),
            (USAGE, "NAMESPACE/NAME: must be .*, not '/r'", "route create /r"),
            (USAGE, "NAMESPACE/NAME: must be .*, not 'r/'", "route create r/"),
            (FAILED, "Invalid: NAMESPACE/NAME: ", f"route create {self.space}/r/r"),
            (FAILED, "Duplicate: .*exists", f"route create {self.space}/test"),
            (FAILED, "Invalid: NAMESPACE/NAME: ", f"route create {self.space}/Test"),
            (FAILED, "Invalid: --host: ", f"route create {self.space}/r --host a_b.example"),
            (FAILED, "Invalid: ROUTE: must be an id or NAMESPACE/NAME", "route show test"),
            (FAILED, "Invalid: --phase: ", "route list --phase old"),
            (NOT_FOUND, "no route ", f"route show {key} --tenant other"),
            (NOT_FOUND, f"no route '{self.space}/none'", f"route set {self.space}/none --host ''"),
            (NOT_FOUND, f"no route '{self.space}/none'", f"route delete {self.space}/none"),
        ):
            with self.subTest(words):
                self.refused(want, pattern, *shlex.split(words))


class Drains(Story):

    def test_all_of_it_moves(self):
        self.router("shard1")
        for number in range(3):
            self.route(f"r{number}")
        self.refused(FAILED, "this router still has routes .3.: drain the router first",
                     "router", "delete", "shard1", "--admin")
        self.refused(GOOD, "warning: no other router accepts routes: .*shard1 keeps .*3",
                     "router", "drain", "shard1", "--admin")
        self.refused(FAILED, "router shard1 is draining, but still has routes .3.: wait until",
                     "router", "delete", "shard1", "--admin")
        self.good("router", "drain", "shard1", "--undo", "--admin")
        self.router("shard2")
        said = self.good("router", "drain", "shard1", "--admin", "--wait")
        self.assertRegex(said, r"\Arouter shard1 accepts no more routes; routes to move: 3\n"
                               rf"the router has no routes {TOOK}")
        self.assertRegex(self.good("router", "list", "--admin"),
                         r"(?m)^shard1 +\S+ +draining +- +0 .*\nshard2 +\S+ +active +- +3 ")
        self.refused(FAILED, "rebind_grace.*force", "router", "delete", "shard1", "--admin")
        self.assertEqual(self.good("router", "drain", "shard1", "--undo", "--admin"),
                         "router shard1 accepts routes again; routes: 0\n")
        name = f"{self.space}-r0.shard1.{SUFFIX}"
        self.fleet.wait_for(lambda: self.alias(name), SECONDS, "its old name leads to the new one")
        self.assertRegex(self.good("route", "delete", f"{self.space}/r0", "--wait"),
                         rf"\Adeleted route {self.space}/r0\nDELETED {TOOK}")
        self.assertEqual(self.alias(name), None)
        back = self.document("router", "drain", "shard2", "--admin", "--wait")
        self.assertEqual((back["routes"], back["state"]), (0, "draining"))

    def test_some_can_go_nowhere(self):
        self.router("shard1")
        self.route("stays")
        out = self.refused(TIMEOUT, "still has 1 routes after .*route list --router shard1",
                           "router", "drain", "shard1", "--admin", "--wait", "--wait-timeout", "2")
        self.assertIn("to move: 1", out)
        self.assertRegex(self.good("route", "list", "--router", "shard1", "--admin"),
                         rf"(?m)^{self.space}/stays +scheduled .* no router accepts routes")


class Document(Story):
    """The commands of docs/routes.md, one after the other, and what they lead to."""

    def test_its_example(self):
        text = (REPOSITORY / "docs" / "routes.md").read_text()
        steps = re.findall(r"(?m)^zonefleet (rout.*)$|^\| `(\S+)` A \| (\d[\d.]*(?:, [\d.]+)*)",
                           text)
        self.assertEqual([bool(command) for command, _, _ in steps],
                         [True] * 4 + [False] * 2 + [True] * 2)
        for command, name, addresses in steps:
            if command:
                self.good(*shlex.split(command, comments=True))
            else:
                self.assertEqual(self.answers(name), set(addresses.split(", ")), name)


if __name__ == "__main__":
    unittest.main()

"""A tenant calls a domain, a port or a route so that a program changes another file.

The fleet has a BIND, a Knot, an NSD and a PowerDNS. A keeper starts each of them again when it
dies, as systemd does. The names are in tests/support/hostile_names.py.
"""

import os
import re
import shutil
import signal
import sys
import tempfile
import unittest
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import oslo_messaging as om

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from agent import Agent                                                 # noqa: E402
from hostile_names import domain_of, hostile_names                      # noqa: E402
from story import BINARIES, SETTINGS, Caller, StoryFleet, merged, put, run  # noqa: E402
from lab.fleet import render                                            # noqa: E402

SECONDS = 60
CALLERS = 4
DRIVER = BINARIES.parent / "drivers" / "backend_driver"
BACKENDS = {"bind": "bind9", "knot": "knot", "nsd": "nsd", "powerdns": "powerdns"}
VICTIM = "victim.example."
REFUSALS = {"TypeError", "Invalid", "Forbidden", "NotFound"}
NO_PATH = "zone not created: NSD makes a file path from the zone name "


class KeptFleet(StoryFleet):
    """Its name servers have keepers."""

    def __init__(self, folder, **options):
        super().__init__(folder, **options)
        for server in self.name_servers:
            server.restarts = True


def setUpModule():
    folder = NameStory.folder = Path(tempfile.mkdtemp(prefix="zfnames"))
    unittest.addModuleCleanup(shutil.rmtree, folder)
    NameStory.outside = folder / "outside"
    NameStory.outside.mkdir()
    fleet = NameStory.fleet = unittest.enterModuleContext(KeptFleet.start(
        folder / "fleet", central=1, poolmgr=1, minidns=1, ports=1, routes=1,
        name_servers=tuple(BACKENDS), settings=merged(SETTINGS, {
            "central": {"quota_domains": -1}, "routes": {"rebind_grace": 1}})))
    NameStory.callers = [Caller(fleet.rabbitmq.url, tenant="mallory", admin=False)
                         for _ in range(CALLERS)]
    NameStory.admin = Caller(fleet.rabbitmq.url)
    for caller in [*NameStory.callers, NameStory.admin]:
        unittest.addModuleCleanup(caller.close)
    NameStory.admin.create_domain(domain={"name": VICTIM})
    NameStory.admin.settled(VICTIM, seconds=SECONDS)
    fleet.nsd.control("write", VICTIM)
    fleet.wait_for(NameStory.victim_file().exists, SECONDS, "NSD has written its zone")


class NameStory(unittest.TestCase):

    @classmethod
    def victim_file(cls):
        return cls.fleet.nsd.folder / "data" / "victim.example..zone"

    @classmethod
    def names(cls):
        return hostile_names(cls.outside, [cls.victim_file(), cls.fleet.bind.folder / "named.conf"])

    def each(self, call, values):
        """[call(CALLER, VALUE), ...], some at a time."""
        numbers = range(len(values))
        with ThreadPoolExecutor(CALLERS) as pool:
            return list(pool.map(lambda i: call(self.callers[i % CALLERS], values[i]), numbers))

    def files(self):
        """Whatever is there, but for what a server has in its own folder."""
        own = tuple(f"{server.folder}/" for server in self.fleet.members.values())
        return {str(path) for path in self.folder.rglob("*") if not str(path).startswith(own)}

    def assert_refused(self, error, name):
        self.assertIsInstance(error, om.RemoteError, name)
        self.assertIn(error.exc_type, REFUSALS, f"{name}: {error.value}")
        self.assertTrue(error.value, name)

    def assert_all_live(self):
        """NSD before 4.9 crashes at times when zones come and go, however they are called."""
        for server in self.fleet.name_servers:
            server.wait_ready()
            self.assertEqual(server.deaths() if server.name != "nsd" else [], [])
        for worker in self.fleet.workers:
            self.assertTrue(worker.is_ready(), worker.name)

    def wait_gone(self, name):
        living = f"SELECT reason FROM domains WHERE status <> 'DELETED' AND name = '{name}'"
        self.fleet.wait_for(lambda: not self.fleet.mariadb.sql(living), SECONDS,
                            f"{name} is gone: {self.fleet.mariadb.sql(living)}")


class Domains(NameStory):

    def create(self, caller, name):
        try:
            return caller.create_domain(domain={"name": name})
        except om.RemoteError as error:
            return error

    def import_(self, caller, name):
        try:
            return caller.begin_import(domain={"name": name})
        except om.RemoteError as error:
            return error

    def test_each_is_refused_or_served(self):
        """A name of letters and digits is served, whatever it looks like; all else is refused.
        NSD refuses a name with "/", and the domain says so."""
        before, text = self.files(), self.victim_file().read_text()
        names = self.names()
        self.assertGreater(len(names), 200)
        answers = dict(zip(names, self.each(self.create, names)))
        made = {domain_of(name): answer for name, answer in answers.items()
                if isinstance(answer, dict)}
        self.assertEqual({domain["name"] for domain in made.values()}, set(made))
        self.assertEqual(set(made), set(map(domain_of, names)) - {None})
        for name, answer in answers.items():
            if not domain_of(name):
                self.assert_refused(answer, name)
        for name, domain in made.items():
            self.fleet.wait_state(domain["id"], "ADD ERROR" if "/" in name else "NONE ACTIVE",
                                  SECONDS)
            self.assertIn(NO_PATH if "/" in name else "", self.reason(domain["id"]))
        self.fleet.nsd.control("write")
        self.delete(made)
        self.assertEqual((self.files(), self.victim_file().read_text()), (before, text))
        self.assert_all_live()

    def reason(self, domain_id):
        """Of NSD, as `zonefleet status DOMAIN` has it."""
        return "".join(row[0] for row in self.fleet.mariadb.sql(
            "SELECT reason FROM pool_manager_status WHERE server_id = 'nsd' "
            f"AND action = 'CREATE' AND domain_id = '{domain_id}'"))

    def delete(self, names):
        """Those below others first."""
        for labels in sorted({name.count(".") for name in names}, reverse=True):
            level = [name for name in names if name.count(".") == labels]
            self.each(lambda caller, name: caller.delete_domain(domain=name), level)
            for name in level:
                self.wait_gone(name)

    def test_an_import_is_refused_the_same(self):
        names = self.names()
        for name, answer in zip(names, self.each(self.import_, names)):
            if domain_of(name):
                self.assertIn("id", answer)
            else:
                self.assert_refused(answer, name)

    def test_one_that_has_such_a_name_already(self):
        """It is told when central starts, changes and goes as before, and is not made anew."""
        sql, old = self.fleet.mariadb.sql, "/old.example."
        domain = self.admin.create_domain(domain={"name": "old.example."})
        self.admin.settled("old.example.")
        sql(f"UPDATE domains SET name = '{old}' WHERE id = '{domain['id']}'")
        central = self.fleet.members["central1"]
        central.restart()
        self.fleet.wait_for(
            lambda: f"domain has a forbidden name: domain={old}" in central.log.read_text(),
            SECONDS, "central tells it")
        self.assertEqual(self.admin.get_domain(domain=old)["id"], domain["id"])
        self.assertIn("id", self.admin.begin_import(domain={"name": old}, mode="replace"))
        self.assert_refused(self.create(self.admin, "/older.example."), "/older.example.")
        sql(f"UPDATE domains SET name = 'old.example.' WHERE id = '{domain['id']}'")
        self.admin.apply_changes(domain="old.example.",
                                 changes=[put("www.old.example.", "192.0.2.1")])
        self.admin.settled("old.example.")
        self.admin.delete_domain(domain="old.example.")
        self.wait_gone("old.example.")


class Drivers(NameStory):
    """A name that came past central, from a row of an older version, say."""

    def drive(self, server, operation, names):
        """{name: what the driver said}"""
        master = "127.0.0.1:%d" % self.fleet.minidns_ports[0]
        said = run([DRIVER, BACKENDS[server], self.config(server), server, master, operation,
                    *names], seconds=2 * SECONDS).split("\0")
        return dict(zip(names, said, strict=True)) if said.pop() == "" else {}

    def config(self, server):
        backend = BACKENDS[server]
        path = self.fleet.members[server].folder / "backend.cfg"
        path.touch(0o600)
        path.write_text(render({"backends": {backend: self.fleet.settings["backends"][backend]}}))
        return path

    def test_each_is_refused_or_stays_in_its_folder(self):
        before, text = self.files(), self.victim_file().read_text()
        names = [name for name in self.names() if "\0" not in name]
        with ThreadPoolExecutor(CALLERS) as pool:
            list(pool.map(lambda server: self.drive_all(server, names), BACKENDS))
        self.fleet.nsd.control("write")
        self.assertEqual((self.files(), self.victim_file().read_text()), (before, text))
        self.assert_all_live()

    def drive_again(self, server, operation, names):
        """Also those that met a server that had just died."""
        said = self.drive(server, operation, names)
        for _ in range(2):
            lost = [name for name in names if re.match("unreachable|timeout", said[name])]
            if lost:
                self.fleet.members[server].wait_ready()
                said |= self.drive(server, operation, lost)
        return said

    def drive_all(self, server, names):
        said = self.drive_again(server, "create", names)
        taken = [name for name in names if said[name] == "ok"]
        for name in set(names) - set(taken):
            self.assertRegex(said[name], r"(?s)\A(invalid|remote): .", f"{server}: {name}")
        if server == "nsd":
            self.assertEqual([name for name in taken if "/" in name], [])
        self.assertIn("nsd.conf.evil.example.", taken)
        for name, words in self.drive_again(server, "delete", taken).items():
            self.assertEqual(words, "ok", f"{server}: {name}")


class Agents(NameStory):

    def agent(self, program, settings):
        agent = Agent(self.folder / f"{program}_agent", program, {
            **self.fleet.agent_settings(),
            f"{program}_agent": settings})
        agent.launch()
        self.addCleanup(shutil.rmtree, agent.folder)
        self.addCleanup(agent.stop)
        agent.wait_ready()

    def directory(self, name):
        path = self.folder / name
        path.mkdir()
        self.addCleanup(shutil.rmtree, path)
        return path

    def caller(self, topic, admin=False):
        caller = Caller(self.fleet.rabbitmq.url, tenant="mallory", admin=admin, topic=topic)
        self.addCleanup(caller.close)
        return caller

    def attempt_all(self, topic, attempts):
        """Each (METHOD, ARGUMENTS) is done, or refused in words."""
        callers = [self.caller(topic) for _ in range(CALLERS)]

        def attempt(number):
            method, arguments = attempts[number]
            try:
                getattr(callers[number % CALLERS], method)(**arguments)
            except om.RemoteError as error:
                return f"{method} {arguments}: {error.exc_type}: {error.value}"
            return ""
        with ThreadPoolExecutor(CALLERS) as pool:
            for words in pool.map(attempt, range(len(attempts))):
                self.assertRegex(words, rf"\A\Z|: ({'|'.join(REFUSALS)}|Duplicate): .")

    def test_files_of_dnsmasq(self):
        """Names of ports and of their domains are in lines; no name is in a path."""
        directory, ports = self.directory("networks"), self.caller("ports")
        network = uuid.uuid4().hex
        (directory / network).mkdir()
        self.agent("ports", {"directory": str(directory), "interval": 1})
        ports.set_network(network={"id": network, "dns_domain": "evil.example."})
        before, attempts = self.files(), []
        for number, name in enumerate(self.names()):
            port = {"network_id": network, "fixed_ips": [{"ip_address": f"10.66.{number // 250}."
                                                          f"{number % 250 + 1}"}]}
            attempts += [("create_port", {"port": port | more}) for more in
                         ({"dns_name": name}, {"dns_domain": name, "dns_name": "x"})]
            attempts += [("set_network", {"network": {"id": name}}),
                         ("create_port", {"port": port | {"id": name}})][number % 8:]
        self.attempt_all("ports", attempts)
        ports.create_port(port={"network_id": network, "dns_name": "last",
                                "fixed_ips": [{"ip_address": "10.66.9.9"}]})
        hosts = directory / network / "addn_hosts"
        self.fleet.wait_for(lambda: hosts.exists() and "10.66.9.9\t" in hosts.read_text(), SECONDS,
                            "the files have the last one")
        here = {str(directory / network / name) for name in ("addn_hosts", "host", ".unread")}
        self.assertEqual(self.files() - before - here, set())
        for line in hosts.read_text().splitlines():
            self.assertRegex(line, r"\A10\.66\.\d+\.\d+\t[!-~]+( [!-~]+)*\Z")

    def test_the_map_of_haproxy(self):
        """Each line has a host and a backend of the route's namespace."""
        directory, routes = self.directory("router"), self.caller("routes")
        admin = self.caller("routes", admin=True)
        admin.create_router(router={"name": "edge", "dns": "edge.example.",
                                    "addresses": ["192.0.2.7"]})
        self.agent("routes", {"router": "edge", "directory": str(directory), "interval": 1})
        before, attempts = self.files(), []
        for number, name in enumerate(self.names()):
            route = {"namespace": "mallory", "name": f"r{number}"}
            attempts += [("create_route", {"route": route | more}) for more in
                         ({"host": name}, {"name": f"b{number}", "backend": name})]
            attempts += [("create_route", {"route": route | {key: name}})
                         for key in ("namespace", "name")][number % 8:]
        self.attempt_all("routes", attempts)
        routes.create_route(route={"namespace": "mallory", "name": "last"})
        hosts = directory / "hosts.map"
        self.fleet.wait_for(lambda: hosts.exists() and "mallory-last." in hosts.read_text(), SECONDS,
                            "the map has the last one")
        here = {str(directory / name) for name in ("hosts.map", ".unread")}
        self.assertEqual(self.files() - before - here, set())
        for line in hosts.read_text().splitlines():
            self.assertRegex(line, r"\A\.?[a-z0-9.-]+ ([a-z0-9-]+)_[!-~]+\Z")


class Supervised(NameStory):
    """A process of a name server dies, and its own supervisor starts it again."""

    def test_zones_are_there_again(self):
        for server in self.fleet.name_servers:
            with self.subTest(server=server.name):
                self.die_while_domains_come_and_go(server)

    def die_while_domains_come_and_go(self, server):
        names = {what: f"{what}.{server.name}.example." for what in
                 ("kept", "changed", "deleted", "created")}
        for what in "kept", "changed", "deleted":
            self.admin.create_domain(domain={"name": names[what]})
            self.admin.settled(names[what], seconds=SECONDS)
        deaths = server.deaths()
        # the oldest is the server; a process of NSD that outlives its parent comes after it
        process = Path(f"/proc/{server.pid}/task/{server.pid}/children").read_text().split()[0]
        os.kill(int(process), signal.SIGSEGV)
        self.admin.delete_domain(domain=names["deleted"])
        self.admin.apply_changes(domain=names["changed"],
                                 changes=[put(f"www.{names['changed']}", "192.0.2.1")])
        self.admin.create_domain(domain={"name": names["created"]})
        for what in "kept", "changed", "created":
            self.admin.settled(names[what], seconds=SECONDS)
            server.wait_for_serial(names[what], self.admin.get_domain(domain=names[what])["serial"],
                                   SECONDS)
        self.wait_gone(names["deleted"])
        self.assertIsNone(server.serial(names["deleted"]))
        self.assertEqual(server.deaths(), [*deaths, "SIGSEGV"])


if __name__ == "__main__":
    unittest.main()

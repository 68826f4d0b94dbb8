"""A fleet whose programs have an account each, with the rights that the samples in deploy/ give.

What they do is what a fleet does in a day: nobody is denied what it needs. And each account is
denied what is not its own.
"""

import logging
import re
import shutil
import sys
import tempfile
import unittest
import uuid
from pathlib import Path

import amqp
import kombu

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from story import (Caller, LabError, NS, ROOT, SETTINGS, StoryFleet, drop,   # noqa: E402
                   import_zone, merged, program, put, run)
from lab.accounts import DATABASE_USERS, SAMPLES                        # noqa: E402
from lab.rabbitmq import RabbitMq                                   # noqa: E402

PROGRAMS = "central", "poolmgr", "minidns", "ownership", "ports", "routes"
ZONE = "accounts.example."
SECONDS = 60
# what a program was not allowed, as the database and the broker say it
DENIED = re.compile(r".*(?:denied|ACCESS_REFUSED|access to).*", re.I)


class AccountsFleet(StoryFleet):

    broker = RabbitMq           # its users are its own

    def sql_as(self, kind, text):
        """Runs it by the account of a program."""
        server = self.mariadb
        return run([program("mariadb"), "--no-defaults", f"--host={server.host}",
                    f"--port={server.port}", f"--user=zonefleet_{kind}", "--batch",
                    "--skip-column-names", server.database],
                   env=server.environment() | {"MYSQL_PWD": self.accounts.password},
                   text=text, seconds=20)


def setUpModule():
    global lab, caller, ports, routes
    logging.disable(logging.CRITICAL)
    folder = Path(tempfile.mkdtemp(prefix="zfaccounts"))
    unittest.addModuleCleanup(shutil.rmtree, folder)
    settings = merged(SETTINGS, {"ports": {"processes": 1}, "routes": {"processes": 1}})
    lab = AccountsFleet.start(folder, central=2, poolmgr=2, minidns=1, ports=1, routes=1,
                              settings=settings, own_accounts=True)
    unittest.addModuleCleanup(lab.stop)
    caller, ports, routes = (Caller(lab.accounts.url_of("producer"), topic=topic)
                             for topic in ("central", "ports", "routes"))
    for one in caller, ports, routes:
        unittest.addModuleCleanup(one.close)


class Day(unittest.TestCase):
    """What a fleet does: all of it is allowed."""

    def tearDown(self):
        for worker in lab.workers:
            self.assertEqual(DENIED.findall(worker.log.read_text()), [], worker.name)

    def make(self, name):
        domain = caller.create_domain(domain={"name": name})
        caller.settled(domain["id"], seconds=SECONDS)
        return domain["id"]

    def test_domains(self):
        domain = self.make(f"d.{ZONE}")
        changed = caller.apply_changes(domain=domain, changes=[put(f"w.d.{ZONE}", "192.0.2.1")])
        caller.settled(domain, serial=changed["serial"], seconds=SECONDS)
        caller.find_recordsets(domain=domain)
        caller.update_domain(domain=domain, values={"email": "dns@example.org"})
        caller.apply_changes(domain=domain, changes=[drop(f"w.d.{ZONE}")])
        caller.delete_domain(domain=domain)
        lab.wait_for(lambda: lab.state(domain)[0] in ("gone", "NONE DELETED"), SECONDS,
                     "the domain is deleted")

    def test_all_else_of_central(self):
        caller.create_pool(pool={"name": "other"})
        caller.delete_pool(pool="other")
        found = caller.create_blacklist(blacklist={"name": "bad.example."})
        caller.update_blacklist(blacklist=found["id"], values={"pattern": "^bad"})
        caller.delete_blacklist(blacklist=found["id"])
        caller.create_tld(tld={"name": "example"})
        caller.update_tld(tld="example", values={"description": "ours"})
        caller.apply_tlds(add=["org", "net"], remove=["net"])
        caller.delete_tld(tld="example")
        caller.delete_tld(tld="org")
        caller.set_quota(tenant="t", resource="domains", hard_limit=5)
        caller.reset_quotas(tenant="t")
        key = caller.create_tsigkey(tsigkey={"name": "key."})
        caller.delete_tsigkey(tsigkey=key["id"])
        import_zone(caller, f"i.{ZONE}", [
            f"i.{ZONE} 300 IN SOA {NS} hostmaster.example.net. 1 3600 600 86400 300",
            f"i.{ZONE} 300 IN NS {NS}", f"w.i.{ZONE} 300 IN A 192.0.2.1"])
        for state in "DRAINED", "ACTIVE":
            caller.update_server(pool="default", server="knot", state=state)

    def test_repairs(self):
        """A server that was stopped, and one that lost a zone."""
        domain = self.make(f"r.{ZONE}")
        lab.knot.stop()
        changed = caller.apply_changes(domain=domain, changes=[put(f"w.r.{ZONE}", "192.0.2.1")])
        lab.wait_for(lambda: lab.state(domain)[0] == "UPDATE ERROR", SECONDS, "knot fails")
        lab.knot.launch()
        caller.settled(domain, serial=changed["serial"], seconds=SECONDS)
        lab.bind.rndc("delzone", "-clean", f"r.{ZONE}")
        lab.wait_for(lambda: lab.bind.serial(f"r.{ZONE}") is not None, SECONDS,
                     "BIND has its zone again")

    def test_a_worker_that_dies(self):
        """Others take its share."""
        lab.kill9("poolmgr1")
        self.make(f"k.{ZONE}")
        lab.restart("poolmgr1")

    def set_poll_timeout(self, seconds):
        for worker in lab.poolmgrs:
            taken = worker.log.read_text().count("settings applied")
            worker.configure({"poolmgr": {"poll_timeout": seconds}})
            worker.reload()
            lab.wait_for(lambda: worker.log.read_text().count("settings applied") > taken, SECONDS,
                         "the pool manager takes its settings")

    def test_polls_that_minidns_hands_over(self):
        """To its own queue. No try of such a poll ends within the story."""
        domain, minidns = self.make(f"h.{ZONE}"), lab.members["minidns1"]
        self.set_poll_timeout(10 * SECONDS)
        self.addCleanup(self.set_poll_timeout, SETTINGS["poolmgr"]["poll_timeout"])
        self.addCleanup(lab.bind.resume)
        lab.bind.pause()
        changed = caller.apply_changes(domain=domain, changes=[put(f"w.h.{ZONE}", "192.0.2.1")])
        for server in lab.knot, lab.nsd:
            server.wait_for_serial(f"h.{ZONE}", changed["serial"], SECONDS)
        minidns.stop()
        self.assertRegex(minidns.log.read_text(), r"orders handed over: .*count=\d+ lost=0")
        lab.bind.resume()
        minidns.launch()
        minidns.wait_ready()
        caller.settled(domain, serial=changed["serial"], seconds=SECONDS)

    def test_ports(self):
        domain, network = self.make(f"p.{ZONE}"), uuid.uuid4().hex
        ports.set_network(network={"id": network, "dns_domain": f"p.{ZONE}"})
        ports.set_subnet(subnet={"network_id": network, "cidr": "10.9.0.0/24"})
        port = ports.create_port(port={"network_id": network, "dns_name": "vm",
                                       "fixed_ips": [{"ip_address": "10.9.0.1"}]})["port"]
        lab.wait_for(lambda: ports.get_port(port=port["id"])["port"]["status"] == "ACTIVE",
                     SECONDS, "the port is published")
        ports.delete_port(port=port["id"])
        lab.wait_for(lambda: not caller.find_recordsets(
            domain=domain, criterion={"type": "A"})["recordsets"], SECONDS, "its records go")
        ports.delete_network(network=network)

    def test_routes(self):
        for name in "r1", "r2":
            routes.create_router(router={"name": name, "dns": f"{name}.{ZONE}",
                                         "addresses": ["10.9.0.2"]})
        route = routes.create_route(route={"namespace": "n", "name": "web",
                                           "host": "www.example.org"})["route"]["id"]
        get = lambda: routes.get_route(route=route)["route"]        # noqa: E731
        lab.wait_for(lambda: get()["router"], SECONDS, "the route has a router")
        lab.wait_for(lambda: routes.get_router(router="r1")["router"]["zone_status"] == "ACTIVE",
                     SECONDS, "the router's domain is published")
        before = get()["router"]
        routes.drain_router(router=before)
        lab.wait_for(lambda: get()["router"] not in (None, before), SECONDS, "it moves")
        routes.delete_route(route=route)


class Denied(unittest.TestCase):
    """What is not theirs."""

    def assert_denied(self, kind, statement):
        with self.assertRaisesRegex(LabError, "denied", msg=f"{kind}: {statement}"):
            lab.sql_as(kind, statement)

    def test_minidns_reads_only(self):
        for table in "domains", "records", "journal", "pool_servers", "tsigkeys", "pools":
            lab.sql_as("minidns", f"SELECT 1 FROM {table} LIMIT 1")
            self.assert_denied("minidns", f"DELETE FROM {table}")
            self.assert_denied("minidns", f"INSERT INTO {table} SELECT * FROM {table} LIMIT 0")

    def test_secrets(self):
        for kind in "ownership", "ports", "routes", "poolmgr":
            self.assert_denied(kind, "SELECT secret FROM tsigkeys")

    def test_columns(self):
        self.assert_denied("central", "UPDATE pool_servers SET host = '192.0.2.1'")

    def test_the_schema(self):
        for kind in PROGRAMS:
            self.assert_denied(kind, "DROP TABLE domains")
            self.assert_denied(kind, "CREATE TABLE mine (id INT)")
            self.assert_denied(kind, "SELECT * FROM mysql.global_priv")

    def refused(self, user, act):
        """True: the broker refuses ACT(channel) to the user."""
        url = lab.accounts.url_of(user).replace("rabbit:", "pyamqp:", 1)
        with kombu.Connection(url) as link:
            try:
                channel = link.channel()
                channel.confirm_select()
                act(channel)
            except amqp.exceptions.AccessRefused:
                return True
        return False

    @staticmethod
    def send(exchange, key):
        return lambda channel: channel.basic_publish_confirm(
            channel.prepare_message(b"{}", content_type="application/json",
                                    content_encoding="utf-8"), exchange, key)

    def test_producers(self):
        send = self.send
        for key in "pool_manager.default", "minidns", "minidns.recovery", "central.recovery":
            self.assertTrue(self.refused("producer", send("zonefleet", key)), key)
            self.assertTrue(self.refused("producer", send("", key)), key)
        self.assertTrue(self.refused("producer", send("minidns_fanout", "")))
        self.assertFalse(self.refused("producer", send("zonefleet", "central")))
        for queue in "central", "central.dead", "pool_manager.default", "minidns":
            self.assertTrue(self.refused("producer", lambda channel, queue=queue:
                                         channel.basic_get(queue)), queue)
            self.assertTrue(self.refused("producer", lambda channel, queue=queue:
                                         channel.queue_delete(queue)), queue)

        def listen(channel):
            channel.queue_declare("reply_mine", exclusive=True)
            channel.queue_bind("reply_mine", "zonefleet", "central")
        self.assertTrue(self.refused("producer", listen))

    def test_workers_read_their_own(self):
        for kind, queues in {"minidns": ("central", "pool_manager.default"),
                             "poolmgr": ("central", "minidns"),
                             "central": ("minidns", "pool_manager.default"),
                             "ports": ("central", "routes"), "routes": ("central", "ports"),
                             "agent": ("central", "ports", "routes")}.items():
            for queue in queues:
                self.assertTrue(self.refused(f"zonefleet-{kind}", lambda channel, queue=queue:
                                             channel.basic_get(queue)), f"{kind} {queue}")


class Table(unittest.TestCase):
    """The samples say what schema/README.md says: each table has one writer."""

    ANYBODY = {"worker_nodes", "distributed_locks"}
    GRANT = re.compile(r"GRANT (.+) ON zonefleet\.(\w+) TO zonefleet_(\w+)@")

    def granted(self):
        """By the table: the programs that may write it."""
        writers = {}
        for rights, table, kind in self.GRANT.findall((SAMPLES / DATABASE_USERS).read_text()):
            if not re.fullmatch(r"SELECT( \(\w+\))?", rights):
                writers.setdefault(table, set()).add(kind)
        return writers

    def documented(self):
        """The same, by schema/README.md."""
        writers = {}
        text = (ROOT / "schema" / "README.md").read_text().partition("## One writer each")[2]
        for tables, writer in re.findall(r"(?m)^\| (`.*?) \|.*\| ([^|]+) \|$", text):
            names = re.findall(r"`(\w+)`", tables)
            words = [part for part in writer.split("; ")]
            each = words if len(words) == len(names) else [writer] * len(names)
            for name, of in zip(names, each):
                found = set(PROGRAMS) & set(re.findall(r"\w+", of))
                writers[name] = set(PROGRAMS) if name in self.ANYBODY else found
        return writers

    def test_one_writer(self):
        documented = self.documented()
        for table in "pool_servers", "pool_manager_status", "repairs":
            documented[table] = {"poolmgr", "central"}      # the latter deletes pools
        self.assertEqual(self.granted(), {table: of for table, of in documented.items() if of})

    def test_what_statements_name(self):
        """A table whose name stands in a program's SQL may be read by it."""
        columns = {("ownership", "records")}        # of its own tables
        readable = {(kind, table) for _, table, kind
                    in self.GRANT.findall((SAMPLES / DATABASE_USERS).read_text())}
        for kind in PROGRAMS:
            folder = ROOT / ("workers" if kind in ("ownership", "ports", "routes") else "") / kind
            for path in folder.glob("store*.[ch]"):
                texts = re.findall(r'"(?:[^"\\\n]|\\.)*"', path.read_text())
                named = set(re.findall(r"\w+", " ".join(texts))) & set(self.documented())
                missing = {(kind, name) for name in named} - readable - columns
                self.assertEqual(missing, set(), path.name)

    def test_all_tables(self):
        there = {row[0] for row in lab.mariadb.sql("SHOW TABLES")}
        self.assertEqual(set(self.documented()), there)


if __name__ == "__main__":
    unittest.main()

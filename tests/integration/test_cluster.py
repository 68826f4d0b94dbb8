"""A three-node RabbitMQ and a three-node Galera: nodes die, hang, are cut off and come back.

With STORY_SECONDS set it is the long form, of more changes and rounds; ZONEFLEET_SEED=N
repeats the moments of a run. Nodes are cut off in a network namespace of the test's own.
"""

import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import namespace                                                # noqa: E402
from checker import Checker                                     # noqa: E402
from story import (BINARIES, SETTINGS, Caller, StoryFleet, LabError, merged, put,  # noqa: E402
                   run, wait_for)
from stream import HEAL_SECONDS, Producer, StreamStory          # noqa: E402
from lab.cluster_fleet import ClusterFleet                      # noqa: E402
from lab.cuts import MADE, Cuts                                 # noqa: E402
from lab.fleet import render                                    # noqa: E402
from lab.galera import IMPOSSIBLE, is_possible, view             # noqa: E402

LONG = bool(os.environ.get("STORY_SECONDS"))
SEED = int(os.environ.get("ZONEFLEET_SEED") or random.randrange(10**6))
DRIVER = BINARIES.parent / "drivers" / "db_driver"
DOMAINS = 6
CHANGES = 150 if LONG else 40
ROUNDS = 2 if LONG else 1
CENTRALS = ("central1", "central2", "central3")
BACK_SECONDS = 60           # until a node is a member again
WRITERS = 6
CONTENDED_CHANGES = 60 if LONG else 15      # of each writer, all in one domain
READS = 1000 if LONG else 200
MIGRATIONS = 20 if LONG else 5

# a node that hangs is noticed within seconds; a statement survives its being left out
QUICK = {"database": {"timeout": 8}, "broker": {"heartbeat": 5}}

# errors of the database that are ours to settle, in the words that a caller would see
OURS_TO_SETTLE = re.compile(r"\((1213|1020|1047|1180|1205|1317|2006|2013)\)")

# what of a row has to be the same on all nodes
COLUMNS = {
    "domains": "id, name, serial, task, status, reason, record_count, updated_at, changed_at",
    "recordsets": "id, domain_id, name, type, ttl",
    "records": "id, recordset_id, data, HEX(rdata), serial_number, task, status",
    "journal": "domain_id, serial, previous_serial",
}


class Fleet(ClusterFleet, StoryFleet):
    pass


def setUpModule():
    """One fleet for all: each worker of a kind has another node first in its list."""
    if not is_possible():
        raise unittest.SkipTest(IMPOSSIBLE)
    folder = Path(tempfile.mkdtemp(prefix="zfcluster"))
    unittest.addModuleCleanup(shutil.rmtree, folder, ignore_errors=True)
    fleet = Fleet.start(folder / "fleet", settings=merged(SETTINGS, QUICK), central=3,
                        poolmgr=3, minidns=2, name_servers=("bind",))
    ClusterStory.fleet = unittest.enterModuleContext(fleet)
    ClusterStory.checker = Checker(fleet)
    ClusterStory.cuts = Cuts() if namespace.is_inside() else None


needs_cuts = unittest.skipUnless(
    namespace.is_inside(), "no network namespace of one's own is to be had here")


class ClusterStory(StreamStory):
    seed, domains, changes = SEED, DOMAINS, CHANGES
    cuts = None

    @property
    def brokers(self):
        return self.fleet.rabbitmq.nodes

    @property
    def databases(self):
        return self.fleet.mariadb.nodes

    def in_use(self, pattern):
        """The host and port that some central is connected to now, by its log."""
        central = self.random.choice(CENTRALS)
        log = self.fleet.members[central].log.read_text()
        return re.findall(pattern, log)[-1]

    def database_in_use(self):
        hosts = self.in_use(r"database connected: host=(\S+)")
        return next(node for node in self.databases if node.hosts == hosts)

    def broker_in_use(self):
        """The node by which a central publishes."""
        port = self.in_use(r"broker connected: connection=\S*\.out host=\S+ port=(\d+)")
        return next(node for node in self.brokers if node.port == int(port))

    def caller(self):
        caller = Caller(self.fleet.rabbitmq.url)
        self.addCleanup(caller.close)
        return caller

    def cut_off(self, cluster, node):
        self.cuts.from_others(node.host, cluster.others(node.host))

    def heal(self):
        if self.cuts:
            self.cuts.heal()

    def wait_log(self, pattern, seconds=BACK_SECONDS):
        """Until some worker logs it from here on."""
        marks = {worker: worker.log.stat().st_size for worker in self.fleet.workers}

        def said():
            return any(re.search(pattern, worker.log.read_text()[mark:])
                       for worker, mark in marks.items())
        return lambda: self.fleet.wait_for(said, seconds, f"a worker logs {pattern}")

    def assert_all_well(self):
        self.assert_healed()
        told = [words for words in self.producers.refusals if OURS_TO_SETTLE.search(words)]
        self.assertEqual(told, [], "a caller heard of it")

    def assert_same_everywhere(self):
        """Each node of the database, asked for itself."""
        for table, columns in COLUMNS.items():
            first, *others = [node.sql("SET SESSION wsrep_sync_wait = 15; SELECT "
                                       f"{columns} FROM {table} ORDER BY 1, 2")
                              for node in self.databases]
            self.assertEqual(others, [first, first], table)

    def driver(self, hosts):
        """A running db_driver, as a function: it does what it is told and answers."""
        env = {"DB_HOST": hosts, "DB_PASSWORD": self.fleet.mariadb.password, "DB_TIMEOUT": "8"}
        process = subprocess.Popen([DRIVER], env=os.environ | env, text=True,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait, 20)
        self.addCleanup(process.stdin.close)

        def do(command, **arguments):
            process.stdin.write(json.dumps({"do": command} | arguments) + "\n")
            process.stdin.flush()
            return json.loads(process.stdout.readline())
        return do


class AtRest(ClusterStory):
    """Without any fault, and before the others: who had to leave a node does not go back."""

    def test_a_domain_becomes_active(self):
        caller = self.caller()
        domain = caller.create_domain(domain={"name": "first.example."})
        caller.settled(domain["id"])
        changed = caller.apply_changes(domain=domain["id"],
                                       changes=[put("www.first.example.", "192.0.2.1")])
        caller.settled(domain["id"], serial=changed["serial"])
        self.assertEqual(self.fleet.bind.query("www.first.example.", "A")[1],
                         ["www.first.example. 300 IN A 192.0.2.1"])
        self.assert_same_everywhere()

    def test_work_queues_have_a_copy_on_each_node(self):
        broker = self.fleet.rabbitmq
        listed = json.loads(broker.ctl("list_queues", "-p", broker.vhost, "--formatter",
                                       "json", "name", "type", "members", "durable"))
        work = {row["name"]: row for row in listed if row["durable"]}
        for name in ("central", "pool_manager.default", "minidns", "central.retry.1000",
                     "central.dead"):
            with self.subTest(name):
                self.assertEqual(work[name]["type"], "quorum")
                self.assertEqual(len(work[name]["members"]), 3)
        self.assertEqual({row["type"] for row in work.values()}, {"quorum"})

    def test_workers_write_through_all_nodes(self):
        for node in self.databases:
            users = node.sql("SELECT user FROM information_schema.processlist "
                             "WHERE user = 'zonefleet' AND id <> CONNECTION_ID()")
            self.assertGreaterEqual(len(users), 2, node.name)


class Brokers(ClusterStory):

    def test_broker_killed(self):
        with self.stream():
            for _ in range(ROUNDS):
                self.wait_changes()
                node = self.broker_in_use()
                node.kill9()
                self.wait_changes()
                self.start(node)
                self.wait_changes()
        self.assert_all_well()

    def test_broker_hung(self):
        with self.stream():
            for _ in range(ROUNDS):
                self.wait_changes()
                node = self.broker_in_use()
                lost = self.wait_log("broker lost: ")
                node.pause()
                try:
                    lost()
                    self.wait_changes()
                finally:
                    node.resume()
                self.fleet.rabbitmq.wait_back(node)
        self.assert_all_well()

    @needs_cuts
    def test_broker_cut_off(self):
        """A minority stops, its clients go to the others, and it is back when it is healed."""
        self.addCleanup(self.heal)
        with self.stream():
            for _ in range(ROUNDS):
                self.wait_changes()
                node = self.broker_in_use()
                lost = self.wait_log("broker lost: ")
                self.cut_off(self.fleet.rabbitmq, node)
                lost()
                wait_for(lambda: not node.is_ready(), BACK_SECONDS, f"{node.name} stops")
                self.wait_changes()
                self.heal()
                self.fleet.rabbitmq.wait_back(node)
                self.wait_changes()
        self.assert_all_well()


class Databases(ClusterStory):

    def tearDown(self):
        self.heal()
        self.fleet.mariadb.wait_whole()
        self.assert_same_everywhere()

    def test_database_killed(self):
        with self.stream():
            for _ in range(ROUNDS):
                self.wait_changes()
                node = self.database_in_use()
                node.kill9()
                self.wait_changes()
                self.start(node)
                self.wait_changes()
        self.assert_all_well()

    def test_database_hung(self):
        with self.stream():
            for _ in range(ROUNDS):
                self.wait_changes()
                node = self.database_in_use()
                lost = self.wait_log("database lost: ")
                node.pause()
                try:
                    lost()
                    self.wait_changes()
                finally:
                    node.resume()
                self.fleet.mariadb.wait_whole()
        self.assert_all_well()

    @needs_cuts
    def test_database_cut_off(self):
        """A minority says 1047, which its clients take to another node, and no caller hears."""
        with self.stream():
            for _ in range(ROUNDS):
                self.wait_changes()
                node = self.database_in_use()
                refused = self.wait_log(rf"database \w+: host={node.hosts} .*\(1047\)")
                self.cut_off(self.fleet.mariadb, node)
                refused()
                self.assertRaisesRegex(LabError, "1047", node.sql, "SELECT COUNT(*) FROM pools")
                self.wait_changes()
                self.heal()
                self.fleet.mariadb.wait_whole()
                self.wait_changes()
        self.assert_all_well()

    @needs_cuts
    def test_a_minority_is_left(self):
        """By a read that it answers with a lock wait timeout (1205), after one try; and who
        comes anew does not stay, though it lets clients in."""
        node, hosts = self.databases[0], self.fleet.mariadb.hosts_from(0)
        there_before, comes_anew = self.driver(hosts), self.driver(hosts)
        self.assertEqual(self.node_of(there_before), ("ok", [[node.name]]))
        self.cut_off(self.fleet.mariadb, node)
        wait_for(lambda: view(node.socket)[1] == "non-Primary", BACK_SECONDS, "a minority")
        self.assertEqual(self.node_of(there_before)[0], "race")
        self.assertEqual(self.node_of(there_before), ("ok", [[self.databases[1].name]]))
        self.assertEqual(self.node_of(comes_anew), ("ok", [[self.databases[1].name]]))

    def node_of(self, driver):
        """How one SELECT of its own ends, and which node it was that answered."""
        driver("once")
        driver("select", sql="SELECT COUNT(*) FROM pools", read="i", bind=[])
        answer = driver("select", sql="SELECT @@wsrep_node_name", read="t", bind=[])
        return driver("commit")["err"], answer["rows"]

    @needs_cuts
    def test_database_out_of_reach(self):
        """A member that answers none of its clients."""
        with self.stream():
            for _ in range(ROUNDS):
                self.wait_changes()
                node = self.database_in_use()
                lost = self.wait_log(f"database lost: host={node.hosts}")
                self.cuts.from_clients(node)
                lost()
                self.wait_changes()
                self.heal()
        self.assert_all_well()


class Contention(ClusterStory):
    """Writers on all nodes, who want the same rows."""

    def conflicts(self):
        """Transactions that lost against another node's, on all nodes so far."""
        names = "'WSREP_LOCAL_CERT_FAILURES', 'WSREP_LOCAL_BF_ABORTS'"
        return sum(int(count) for node in self.databases for [count] in node.sql(
            "SELECT variable_value FROM information_schema.global_status "
            f"WHERE variable_name IN ({names})"))

    def test_one_domain(self):
        """Nothing is lost, each change has its serial, and nobody hears of a conflict."""
        caller = self.caller()
        domain = caller.create_domain(domain={"name": "contended.example."})
        before = self.conflicts()
        writers = [Writer(self.fleet.rabbitmq.url, number, domain["id"])
                   for number in range(WRITERS)]
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join()
        self.assertEqual([writer.error for writer in writers], [None] * WRITERS)
        self.assertEqual([writer.refusals for writer in writers], [[]] * WRITERS)
        for writer in writers:
            self.assertEqual(writer.serials, sorted(set(writer.serials)))
        serials = [serial for writer in writers for serial in writer.serials]
        self.assertGreater(self.conflicts(), before, "there was no conflict to settle")
        self.assert_kept(caller, domain, serials)
        print(f"{len(serials)} changes, {self.conflicts() - before} conflicts ... ",
              end="", file=sys.stderr, flush=True)

    def assert_kept(self, caller, domain, serials):
        caller.settled(domain["id"], serial=max(serials), seconds=HEAL_SECONDS)
        served = self.fleet.bind.axfr("contended.example.")
        own = {line.split()[0] for line in served if line.split()[3] == "A"}
        self.assertEqual(own - {"shared.contended.example."},
                         {f"w{writer}-{number}.contended.example."
                          for writer in range(WRITERS) for number in range(CONTENDED_CHANGES)})
        self.assertEqual(len([line for line in served if line.startswith("shared.")]), 1)
        journal = self.fleet.mariadb.sql("SELECT previous_serial, serial FROM journal WHERE "
                                         f"domain_id = '{domain['id']}' ORDER BY serial")
        steps = [(int(previous), int(serial)) for previous, serial in journal]
        self.assertTrue({serial for _, serial in steps} >= set(serials))
        self.assertEqual([previous for previous, _ in steps[1:]],
                         [serial for _, serial in steps[:-1]], "each follows the one before")

    def test_reads_are_not_stale(self):
        """What one node has committed another one shows: wsrep_sync_wait."""
        one, other = self.databases[0], self.databases[2]
        one.sql("CREATE TABLE stale (id INT PRIMARY KEY, n INT); INSERT INTO stale VALUES (1, 0)")
        self.addCleanup(one.sql, "DROP TABLE stale")
        writer, reader = self.driver(one.hosts), self.driver(other.hosts)
        found = []
        for number in range(1, READS + 1):
            writer("once")
            writer("exec", sql="UPDATE stale SET n = ? WHERE id = 1", bind=[number])
            writer("commit")
            reader("once")
            found += reader("select", sql="SELECT n FROM stale", read="i", bind=[])["rows"]
            reader("commit")
        self.assertEqual(found, [[number] for number in range(1, READS + 1)])


class Writer(Producer):
    """Changes one domain, which others change too, each time a record that all change."""

    def __init__(self, url, number, domain):
        super().__init__(url, [], 0, 0.01, f"{SEED} {number}")
        self.number, self.domain = number, domain
        self.serials = []

    def run(self):
        try:
            for number in range(CONTENDED_CHANGES):
                own = put(f"w{self.number}-{number}.contended.example.", "192.0.2.1")
                shared = put("shared.contended.example.", f"192.0.2.{self.number + 10}")
                answer = self.until_answered("apply_changes", domain=self.domain,
                                             changes=[own, shared])
                self.serials.append(answer["serial"])
        except Exception as error:      # its story looks at it
            self.error = error
        finally:
            self.caller.close()


class Migrations(ClusterStory):

    def make_database(self, name):
        """Empty, on all nodes, and ours."""
        self.databases[0].sql(f"CREATE DATABASE {name}; GRANT ALL ON {name}.* TO "
                              "zonefleet@'127.0.0.1'", administrator=True)
        for node in self.databases:
            node.sql("SET SESSION wsrep_sync_wait = 15; SELECT 1 FROM mysql.user LIMIT 1",
                     administrator=True)

    def migrate(self, name, number):
        """`zonefleet db migrate` by the list that begins with the NUMBERth node."""
        settings = merged(self.fleet.settings, {"database": {
            "name": name, "host": self.fleet.mariadb.hosts_from(number)}})
        config = self.fleet.folder / f"{name}{number}.cfg"
        config.touch(0o600)
        config.write_text(render(settings))
        return run([BINARIES / "zonefleet", "--config", config, "db", "migrate"], seconds=60)

    def tables(self, node, name):
        return sorted(node.sql("SET SESSION wsrep_sync_wait = 15; SELECT table_name FROM "
                               f"information_schema.tables WHERE table_schema = '{name}'"))

    def test_one_node_after_another(self):
        self.make_database("migrated")
        for number in range(3):
            self.migrate("migrated", number)
        wanted = sorted(self.fleet.mariadb.sql("SHOW TABLES"))
        for node in self.databases:
            self.assertEqual(self.tables(node, "migrated"), wanted)

    def test_all_nodes_at_once(self):
        """One of them does it; the others do nothing, or stop and say so."""
        for number in range(MIGRATIONS):
            name = f"raced{number}"
            self.make_database(name)
            for words in self.failures(name):
                self.assertIn("an earlier migration did not finish", words)
            self.migrate(name, 2)
            states = self.fleet.mariadb.sql(f"SELECT DISTINCT state FROM {name}.schema_migrations")
            self.assertEqual(states, [["DONE"]])

    def failures(self, name):
        """What the losers of a migration by all nodes said."""
        said = []

        def migrate(number):
            try:
                self.migrate(name, number)
            except LabError as error:
                said.append(str(error))
        threads = [threading.Thread(target=migrate, args=(number,)) for number in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertLess(len(said), len(threads), said)
        return said


def enter_namespace():
    namespace.enter(MADE)


if __name__ == "__main__":
    enter_namespace()
    unittest.main(verbosity=2)

"""A pool manager that is behind with thousands of domains: by few statements, beside its loop."""

import re
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "support"), str(ROOT / "deploy")]
from lab.fleet import BINARIES, Worker, render                          # noqa: E402
from lab.mariadb import MariaDb                                         # noqa: E402
from lab.process import HOST, free_port, run, wait_for                  # noqa: E402
from lab.rabbitmq import RabbitMq                                       # noqa: E402

DOMAINS = 300
SERVERS = "one", "two"
SECONDS = 60
FEW = DOMAINS // 3   # statements, of what would be one a row: others do something, too

ROWS = f"""\
INSERT INTO pools (id, name) VALUES (REPEAT('1', 32), 'default');
INSERT INTO domains (id, name, ancestry, tenant, pool_id, serial, task, status, mname, rname,
                     soa_ttl, refresh, retry, expire, minimum, ttl, created_at, changed_at)
SELECT MD5(n), CONCAT('zone-', n, '.many.example.'), CONCAT('x', n), 'story',
       REPEAT('1', 32), 17, 'NONE', 'ACTIVE', 'ns1.example.net.', 'hostmaster.example.net.',
       60, 60, 60, 60, 60, 60, '2026-01-01', '2026-01-01'
FROM (WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < {DOMAINS})
      SELECT n FROM c) numbers;
"""
STATUSES = """\
INSERT INTO pool_manager_status (id, server_id, domain_id, action, status, serial_number)
SELECT MD5(CONCAT('{server}{action}', id)), '{server}', id, '{action}', 'SUCCESS', {serial}
FROM domains;
"""


def setUpModule():
    folder = Path(tempfile.mkdtemp(prefix="zfpoolsync"))
    unittest.addModuleCleanup(shutil.rmtree, folder)
    mariadb = MariaDb(folder / "mariadb", settings=(
        "--max-recursive-iterations=100000", "--innodb-flush-log-at-trx-commit=0"))
    rabbitmq = RabbitMq(folder / "rabbitmq")
    unittest.enterModuleContext(mariadb)
    unittest.enterModuleContext(rabbitmq)
    for server in mariadb, rabbitmq:
        server.launch()
    for server in mariadb, rabbitmq:
        server.wait_ready()
    settings = {
        "broker": {"url": rabbitmq.url, "exchange": "zonefleet"},
        "database": {"host": mariadb.hosts, "user": mariadb.user,
                     "password": mariadb.password, "name": mariadb.database},
        # nobody is there: what minidns is told is lost, and each round tells it again
        "poolmgr": {"masters": [f"{HOST}:{free_port()}"], "periodic_sync_interval": 1,
                    "sync_batch": 100, "compare_every": 0, "poll_timeout": 1,
                    "poll_retry_interval": 1, "poll_max_retries": 1},
        "backends": {"fake": {"servers": [
            {"id": server, "host": HOST, "port": free_port()} for server in SERVERS]}},
    }
    config = folder / "zonefleet.cfg"
    config.touch(0o600)
    config.write_text(render(settings))
    run([BINARIES / "zonefleet", "--config", config, "db", "migrate"])
    mariadb.sql(ROWS)
    for server in SERVERS:
        mariadb.sql(STATUSES.format(server=server, action="CREATE", serial="NULL"))
        mariadb.sql(STATUSES.format(server=server, action="UPDATE", serial=17))
    SyncStory.mariadb = mariadb
    SyncStory.poolmgr = Worker(folder / "poolmgr", "poolmgr", settings)
    unittest.enterModuleContext(SyncStory.poolmgr)
    SyncStory.poolmgr.launch()
    SyncStory.poolmgr.wait_ready()


class SyncStory(unittest.TestCase):

    def sql(self, text):
        return self.mariadb.sql(text, seconds=60)

    def count(self, where):
        return int(self.sql(f"SELECT COUNT(*) FROM pool_manager_status WHERE {where}")[0][0])

    def statements(self, kind):
        return int(self.sql(f"SHOW GLOBAL STATUS LIKE 'Com_{kind}'")[0][1])

    def wait_none(self, where, what):
        wait_for(lambda: self.count(where) == 0, SECONDS, what, [self.poolmgr.log])

    def metrics(self):
        return self.poolmgr.page("/metrics")[1]

    def beats(self):
        return int(re.search(r"loop_late_seconds_count (\d+)", self.metrics())[1])

    def late(self, seconds):
        """How often the loop was later than that."""
        page = self.metrics()
        buckets = {float(le): int(count) for le, count in
                   re.findall(r'loop_late_seconds_bucket\{le="([\d.]+)"\} (\d+)', page)}
        return buckets[max(buckets)] - buckets[seconds]


class Batches(SyncStory):

    def test_what_is_due_is_claimed_together(self):
        before = self.statements("update")
        self.sql("UPDATE pool_manager_status SET status = 'ERROR', next_attempt_at = NOW(3) "
                 "WHERE server_id = 'one' AND action = 'UPDATE'")
        self.wait_none("next_attempt_at <= NOW(3)", "all that is due is claimed")
        self.assertLess(self.statements("update") - before, FEW)
        self.sql("UPDATE pool_manager_status SET status = 'SUCCESS', next_attempt_at = NULL, "
                 "attempts = 0 WHERE server_id = 'one' AND action = 'UPDATE'")

    def test_what_a_server_misses_is_owed_together(self):
        """All of it, though a round takes up fewer."""
        before = self.statements("insert")
        self.sql("DELETE FROM pool_manager_status WHERE server_id = 'two' AND action = 'CREATE'")
        wait_for(lambda: self.count("server_id = 'two' AND action = 'CREATE' "
                                    "AND status = 'SUCCESS'") == DOMAINS, SECONDS,
                 "all of them are created", [self.poolmgr.log])
        locks = DOMAINS         # an operation takes one
        self.assertLess(self.statements("insert") - before - locks, FEW)

    def test_deletions_whose_names_live_again_are_settled(self):
        """The zone belongs to the new domain; nothing is deleted, and all others are."""
        self.sql("INSERT INTO domains (id, name, ancestry, tenant, pool_id, serial, task, status, "
                 "mname, rname, soa_ttl, refresh, retry, expire, minimum, ttl) "
                 "SELECT MD5(CONCAT('old', id)), IF(name LIKE 'zone-1%', name, "
                 "CONCAT('gone-', name)), ancestry, tenant, pool_id, 16, 'NONE', 'DELETED', "
                 "mname, rname, 60, 60, 60, 60, 60, 60 FROM domains WHERE name LIKE 'zone-_.%'")
        self.sql("INSERT INTO pool_manager_status (id, server_id, domain_id, action, "
                 "next_attempt_at) SELECT MD5(CONCAT('d', id)), 'one', id, 'DELETE', NOW(3) "
                 "FROM domains WHERE status = 'DELETED'")
        wait_for(lambda: self.sql(
            "SELECT COUNT(*) FROM pool_manager_status s JOIN domains d ON d.id = s.domain_id "
            "WHERE s.action = 'DELETE' AND s.reason LIKE 'superseded%' "
            "AND d.name LIKE 'zone-1%' AND s.status = 'SUCCESS'")[0][0] == "1" or not self.sql(
                "SELECT 1 FROM pool_manager_status s JOIN domains d ON d.id = s.domain_id "
                "WHERE d.status = 'DELETED' AND d.name LIKE 'zone-1%'"), SECONDS,
            "it is superseded", [self.poolmgr.log])
        self.assertIn("zone deleted: domain=gone-zone-2.", self.logged("gone-zone-2."))
        self.assertNotIn("zone deleted: domain=zone-1.", self.poolmgr.log.read_text())

    def logged(self, words):
        wait_for(lambda: words in self.poolmgr.log.read_text(), SECONDS, words)
        return self.poolmgr.log.read_text()


class Loop(SyncStory):

    def test_database_that_hangs_holds_up_no_loop(self):
        """Whoever goes through rows waits for them, and nobody else."""
        before = self.late(0.5)
        self.sql("LOCK TABLES domains WRITE, pool_manager_status WRITE, pools WRITE; "
                 "DO SLEEP(4); UNLOCK TABLES")
        beats = self.beats()
        wait_for(lambda: self.beats() > beats + 1, SECONDS, "the loop goes on")
        self.assertEqual(self.late(0.5) - before, 0)


if __name__ == "__main__":
    unittest.main()

"""A pool manager alone, with a broker, a database and domains: a story is its mini-DNS."""

import contextlib
import re
import shutil
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "support"), str(ROOT / "deploy")]
from caller import Caller                                               # noqa: E402
from lab.fleet import BINARIES, Worker, merged, render                  # noqa: E402
from lab.mariadb import MariaDb                                         # noqa: E402
from lab.process import HOST, free_port, run, wait_for                  # noqa: E402
from lent import story_rabbitmq                                         # noqa: E402

SECONDS = 60
SERIAL = 17

POOL = "INSERT INTO pools (id, name) VALUES (REPEAT('1', 32), 'default')"
DOMAINS = """\
INSERT INTO domains (id, name, ancestry, tenant, pool_id, serial, task, status, mname, rname,
                     soa_ttl, refresh, retry, expire, minimum, ttl, created_at, changed_at)
SELECT MD5(n), CONCAT('zone-', n, '.many.example.'), CONCAT('x', n), 'story',
       REPEAT('1', 32), {serial}, 'NONE', 'ACTIVE', 'ns1.example.net.',
       'hostmaster.example.net.', 60, 60, 60, 60, 60, 60, '2026-01-01', '2026-01-01'
FROM (WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < {count})
      SELECT n FROM c) numbers
"""
STATUSES = """\
INSERT INTO pool_manager_status (id, server_id, domain_id, action, status, serial_number)
SELECT MD5(CONCAT('{server}{action}', id)), '{server}', id, '{action}', 'SUCCESS', {serial}
FROM domains
"""


class PoolmgrLab(contextlib.ExitStack):
    """Its SERVERS are of the backend `fake`: {"one": {"host": "127.0.0.1"}}."""

    def __init__(self, servers, domains=3, settings=None):
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="zfpoolmgr"))
        self.callback(shutil.rmtree, self.folder)
        self.mariadb = self.enter_context(MariaDb(self.folder / "mariadb", settings=(
            "--max-recursive-iterations=100000", "--innodb-flush-log-at-trx-commit=0")))
        self.rabbitmq = story_rabbitmq(self.folder / "rabbitmq")
        self.callback(self.rabbitmq.release)
        for server in self.mariadb, self.rabbitmq:
            server.launch()
        for server in self.mariadb, self.rabbitmq:
            server.wait_ready()
        self.settings = merged({
            "broker": {"url": self.rabbitmq.url, "exchange": "zonefleet"},
            "database": {"host": self.mariadb.hosts, "user": self.mariadb.user,
                         "password": self.mariadb.password, "name": self.mariadb.database},
            "fleet": {"trust_broker": True},    # a story's reports are unsigned
            # nobody is there: what mini-DNS is told is lost
            "poolmgr": {"masters": [f"{HOST}:{free_port()}"], "compare_every": 0,
                        "poll_timeout": 1, "poll_retry_interval": 1, "poll_max_retries": 1},
            "backends": {"fake": {"servers": [
                {"id": name, "host": HOST, "port": free_port()} | own
                for name, own in servers.items()]}},
        }, settings or {})
        config = self.folder / "zonefleet.cfg"
        config.touch(0o600)
        config.write_text(render(self.settings))
        run([BINARIES / "zonefleet", "--config", config, "db", "migrate"])
        self.sql(POOL)
        self.sql(DOMAINS.format(count=domains, serial=SERIAL))
        for server in servers:
            self.sql(STATUSES.format(server=server, action="CREATE", serial="NULL"))
            self.sql(STATUSES.format(server=server, action="UPDATE", serial=SERIAL))

    def add_poolmgr(self, name="poolmgr"):
        """One more, that is not started."""
        return self.enter_context(Worker(self.folder / name, "poolmgr", self.settings))

    def start_poolmgr(self, name="poolmgr"):
        worker = self.add_poolmgr(name)
        worker.launch()
        worker.wait_ready()
        return worker

    def minidns(self):
        """Says to the pool managers what mini-DNS would: cast("update_statuses", ...)."""
        caller = Caller(self.rabbitmq.url, topic="pool_manager.default")
        self.callback(caller.close)
        return caller

    def sql(self, text):
        return self.mariadb.sql(text, seconds=60)

    def domains(self):
        """As a message has them, by their names."""
        columns = "id", "name", "tenant", "task", "status", "serial"
        rows = self.sql(f"SELECT {', '.join(columns)} FROM domains ORDER BY name")
        found = [dict(zip(columns, row)) for row in rows]
        return {domain["name"]: domain | {"pool": "default", "serial": int(domain["serial"])}
                for domain in found}

    def count(self, where):
        return int(self.sql(f"SELECT COUNT(*) FROM pool_manager_status WHERE {where}")[0][0])

    def statements(self, kind):
        """How many of a kind the database has run."""
        return int(self.sql(f"SHOW GLOBAL STATUS LIKE 'Com_{kind}'")[0][1])

    def kill_waiting(self, statement):
        """Waits for a session that is at such a statement, and ends it."""
        waiting = ("SELECT id FROM information_schema.processlist WHERE info LIKE "
                   f"'{statement}%' AND command <> 'Killed'")
        connection = wait_for(lambda: self.sql(waiting), SECONDS, f"one is at {statement}")[0][0]
        self.sql(f"KILL {connection}")


def late(worker, seconds):
    """How often the loops of a worker were later than that."""
    buckets = {float(le): int(count) for le, count in
               re.findall(r'loop_late_seconds_bucket\{le="([\d.]+)"\} (\d+)',
                          worker.page("/metrics")[1])}
    return buckets[max(buckets)] - buckets[seconds]


def report(domain, server, status="SUCCESS", serial=SERIAL, **more):
    return {"domain": domain, "name_server": server, "status": status, "serial_number": serial,
            **more}

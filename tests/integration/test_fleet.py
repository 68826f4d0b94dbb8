"""Locks and the election: workers that die, sleep, come and go, over a private MariaDB.

fleet_driver.c is a worker at the end of a pipe; several of them play a fleet. `make test-fleet`
is the long form; ZONEFLEET_INCREMENTS is what each of its 32 workers does over Galera.
"""

import json
import os
import random
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import zlib
from pathlib import Path

REPO = Path(__file__).resolve().parents[2]
DRIVER = REPO / os.environ.get("BUILD", "build") / "drivers" / "fleet_driver"
SCHEMA = REPO / "schema"
sys.path.insert(0, str(REPO / "deploy"))
from lab.galera import IMPOSSIBLE, GaleraCluster, is_possible   # noqa: E402
from lab.mariadb import MariaDb             # noqa: E402
from lab.process import wait_for            # noqa: E402
sys.path.insert(0, str(REPO / "tests/support"))
from holding import holding                 # noqa: E402

PERIOD, TIMEOUT, TTL = 1, 3, 3              # seconds
LONG = os.environ.get("STORY_SECONDS") is not None
INCREMENTS = int(os.environ.get("ZONEFLEET_INCREMENTS") or 500)
GRACE = 1 if LONG else 4                    # what a loaded machine may add

TABLES = """\
CREATE TABLE counters (object VARCHAR(16) PRIMARY KEY, n INT NOT NULL DEFAULT 0);
CREATE TABLE held (id INT AUTO_INCREMENT PRIMARY KEY, object VARCHAR(16), worker VARCHAR(128),
                   fence BIGINT UNSIGNED, n INT);
"""


class Worker:
    """A running fleet_driver."""

    def __init__(self, service, ttl=TTL, hosts=None, password=None, wrapper=()):
        env = os.environ | {"DB_HOST": hosts or f"{server.host}:{server.port}",
                            "DB_PASSWORD": password or server.password, "DB_TIMEOUT": "5"}
        self.process = subprocess.Popen([*wrapper, DRIVER], env=env, text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=log)
        self.name = self.do("join", service=service, period=int(PERIOD * 1000),
                            timeout=int(TIMEOUT * 1000), ttl=int(ttl * 1000))["name"]

    def send(self, do, **arguments):
        self.process.stdin.write(json.dumps({"do": do} | arguments) + "\n")
        self.process.stdin.flush()

    def receive(self):
        line = self.process.stdout.readline()
        if not line:
            raise AssertionError(f"the driver ended: {self.process.wait()}")
        return json.loads(line)

    def do(self, command, **arguments):
        self.send(command, **arguments)
        return self.receive()

    def share(self):
        answer = self.do("share")
        return answer["factor"], answer["total"], answer["generation"]

    def take(self, *objects, seconds=0):
        return self.do("take", objects=objects, ms=int(seconds * 1000))

    def signal(self, number):
        self.process.send_signal(number)

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()

    def close(self):
        if self.process.returncode is None:
            self.process.stdin.close()
            self.process.wait(timeout=20)
            self.process.stdout.close()


def setUpModule():
    global folder, server, log
    folder = Path(tempfile.mkdtemp(prefix="fleet-"))
    log = open(folder / "driver.log", "a")
    server = MariaDb.start(folder / "db")
    server.sql("".join(file.read_text() for file in sorted(SCHEMA.glob("*.sql"))) + TABLES)


def tearDownModule():
    server.stop()
    log.close()
    shutil.rmtree(folder)


class Story(unittest.TestCase):

    @property
    def sql(self):
        return server.sql

    def setUp(self):
        self.workers = []
        self.service = "test." + self.id().rpartition(".")[2]
        self.sql("TRUNCATE counters; TRUNCATE held; TRUNCATE distributed_locks")

    def tearDown(self):
        for worker in self.workers:
            worker.close()

    def worker(self, **options):
        worker = Worker(self.service, **options)
        self.workers.append(worker)
        return worker

    def counters(self, count):
        self.sql("".join(f"INSERT INTO counters (object) VALUES ('o{i}');"
                         for i in range(count)))

    def _count(self, workers, objects, times, lock):
        self.counters(objects)
        many = [self.worker() for _ in range(workers)]
        for worker in many:
            worker.send("count", objects=objects, times=times, lock=lock)
        for worker in many:
            answer = worker.receive()
            self.assertEqual((answer["err"], answer["done"]), ("ok", times), answer["why"])
        return int(self.sql("SELECT SUM(n) FROM counters")[0][0])

    def assert_exact(self, workers, objects, times):
        total = self._count(workers, objects, times, True)
        self.assertEqual(total, workers * times)
        # one after the other: each number once, and fences that only rise
        self.assertEqual(self.sql("SELECT object, n FROM held GROUP BY object, n "
                                  "HAVING COUNT(*) > 1"), [])
        self.assertEqual(self.sql(
            "SELECT id FROM (SELECT id, fence < LAG(fence) OVER (PARTITION BY object ORDER BY n) "
            "AS fell FROM held) h WHERE fell LIMIT 1"), [])


class Locks(Story):

    def test_one_holder(self):
        a, b = self.worker(), self.worker()
        self.assertEqual(a.take("x")["fences"], [1])
        refused = b.take("x", seconds=0.3)
        self.assertEqual(refused["err"], "busy")
        self.assertEqual(refused["why"], f"x is locked by {a.name}")
        self.assertEqual(b.take("y")["err"], "ok")
        a.do("drop")
        b.do("drop")
        self.assertEqual(b.take("x")["fences"], [2])

    def test_who_waits_gets_it(self):
        a, b = self.worker(), self.worker()
        a.take("x")
        b.send("take", objects=["x"], ms=5000)
        a.do("drop")
        self.assertEqual(b.receive()["err"], "ok")

    def test_row_of_the_seed(self):
        a = self.worker()
        a.take("x")
        self.assertEqual(self.sql(
            "SELECT object_uuid, `lock`, LENGTH(session_id), ttl_s, fence, owner, "
            "ABS(TIMESTAMPDIFF(SECOND, created_at, UTC_TIMESTAMP(6))) < 2 "
            "FROM distributed_locks"), [["x", "1", "32", f"{TTL}.000", "1", a.name, "1"]])

    def test_holder_that_is_killed_is_succeeded_after_its_time(self):
        a, b = self.worker(), self.worker()
        a.take("x")
        a.kill()
        killed = time.monotonic()
        self.assertEqual(b.take("x", seconds=TTL + 5)["fences"], [2])
        self.assertLess(time.monotonic() - killed, TTL + GRACE)

    def test_holder_that_is_alive_keeps_it_beyond_its_time(self):
        a, b = self.worker(), self.worker()
        a.do("run")
        a.take("x")
        self.assertEqual(b.take("x", seconds=TTL + 2)["err"], "busy")
        self.assertTrue(a.do("sure")["sure"])

    def test_late_write_of_one_that_slept_is_refused(self):
        a, b = self.worker(), self.worker()
        self.counters(1)
        a.do("run")
        a.take("o0")
        a.signal(signal.SIGSTOP)
        self.assertEqual(b.take("o0", seconds=TTL + 5)["fences"], [2])
        self.assertEqual(b.do("write", object="o0", value=22)["err"], "ok")
        a.signal(signal.SIGCONT)
        self.assertFalse(a.do("sure")["sure"])
        late = a.do("write", object="o0", value=11)
        self.assertEqual((late["err"], late["why"]),
                         ("busy", "another process has the lock of o0"))
        a.do("drop")        # frees nothing that is another's
        self.assertEqual(self.worker().take("o0")["err"], "busy")
        self.assertEqual(self.sql("SELECT n FROM counters"), [["22"]])

    def test_several_in_one_order(self):
        a, b = self.worker(), self.worker()
        for _ in range(20):
            a.send("take", objects=["x", "y", "z"], ms=5000)
            b.send("take", objects=["z", "x", "y"], ms=5000)
            self._drop_as_they_come(a, b)

    def _drop_as_they_come(self, *workers):
        waiting = {worker.process.stdout: worker for worker in workers}
        while waiting:
            ready, _, _ = select.select(list(waiting), [], [], 10)
            self.assertTrue(ready, "they wait for each other")
            for stdout in ready:
                worker = waiting.pop(stdout)
                self.assertEqual(worker.receive()["err"], "ok")
                worker.do("drop")

    def test_none_of_several_if_one_is_held(self):
        a, b = self.worker(), self.worker()
        a.take("y")
        self.assertEqual(b.take("x", "y", seconds=0.2)["err"], "busy")
        self.assertEqual(self.worker().take("x")["err"], "ok")

    def test_taking_twice_is_one_lock(self):
        a = self.worker()
        fences = a.take("x", "x")["fences"]
        self.assertEqual(fences, [1, 1])
        a.do("drop")
        self.assertEqual(self.worker().take("x")["fences"], [2])

    def test_deadlock_at_the_release(self):
        """The database rolls back the transaction with fewer changes: the release."""
        a = self.worker()
        a.take("x")
        before = self.status("Innodb_deadlocks")
        with holding(server, "INSERT INTO held (object) VALUES " +
                             ", ".join(["('y')"] * 500)) as do:
            do("SELECT object_uuid FROM distributed_locks FORCE INDEX (lock_age) "
               "WHERE `lock` = 1 LOCK IN SHARE MODE")
            a.send("drop")
            wait_for(lambda: self.status("Innodb_row_lock_current_waits"), 10,
                     "the release waits")
            do("SELECT * FROM distributed_locks WHERE object_uuid = 'x' FOR UPDATE")
        a.receive()
        self.assertEqual(self.status("Innodb_deadlocks"), before + 1)
        self.assertEqual(self.worker().take("x")["fences"], [2])

    def status(self, name):
        return int(self.sql(f"SHOW GLOBAL STATUS LIKE '{name}'")[0][1])

    def test_clock_of_a_worker_does_not_matter(self):
        a = self.worker(wrapper=("faketime", "-f", "-2h"))
        b = self.worker(wrapper=("faketime", "-f", "+2h"))
        a.do("run")
        a.take("x")
        self.assertEqual(b.take("x", seconds=1)["err"], "busy")

    def test_guarded_increments_are_exact(self):
        self.assert_exact(*((32, 16, 1000) if LONG else (8, 4, 100)))

    def test_without_the_lock_they_are_not(self):
        """The planted bug: the story above can fail."""
        self.assertLess(self._count(8, 1, 100, False), 800)


class Roster(Story):

    def beat(self, *workers):
        for worker in workers:
            worker.do("beat")

    def rows(self):
        return {row[0]: row[1:] for row in server.sql(
            "SELECT plugin_name, role, status, hash_factor, total_number, generation "
            f"FROM worker_nodes WHERE service = '{self.service}'")}

    def masters(self):
        return [name for name, row in self.rows().items() if row[0] == "master"]

    def shares(self, *workers):
        return [worker.share()[:2] for worker in workers]

    def test_shares_of_the_seed(self):
        a, b, c = (self.worker() for _ in range(3))
        self.beat(a, b, c, a)
        self.assertEqual(self.shares(a, b, c), [(0, 3), (1, 3), (2, 3)])
        d = self.worker()
        self.beat(d, a)
        self.assertEqual(d.share()[:2], (3, 4))
        b.kill()
        for worker in (a, c, d):
            worker.do("run")
        wait_for(lambda: self.shares(a, c, d) == [(0, 3), (1, 3), (2, 3)],
                 TIMEOUT + PERIOD + GRACE + 2, "the shares are those of three")
        rows = self.rows()
        self.assertEqual(rows[b.name][:4], ["normal", "down", "NULL", "NULL"])
        self.assertEqual(rows[a.name][:4], ["master", "active", "0", "3"])
        self.assertEqual(rows[d.name][:4], ["normal", "active", "2", "NULL"])

    def test_newcomer_has_no_share_before_the_master_gave_it_one(self):
        a, b = self.worker(), self.worker()
        self.beat(a, b)
        self.assertEqual(self.shares(a, b), [(0, 1), (0, 0)])
        self.beat(a)
        self.assertEqual(self.shares(a, b), [(0, 2), (1, 2)])

    def test_master_that_goes_is_succeeded_at_once(self):
        a, b = self.worker(), self.worker()
        self.beat(a, b, a)
        a.close()
        self.beat(b)
        self.assertEqual((self.masters(), b.share()[:2]), ([b.name], (0, 1)))

    def test_seat_that_was_lost_and_is_nobodys(self):
        """Taken over by one who died before he laid anything down."""
        a, b = self.worker(), self.worker()
        self.beat(a)
        server.sql("UPDATE distributed_locks SET fence = fence + 1, `lock` = 0, "
                   f"session_id = REPEAT('f', 32) WHERE object_uuid = 'election:{self.service}'")
        self.assertFalse(a.do("beat")["master"])
        self.assertTrue(a.do("beat")["master"])
        self.beat(b, a)
        self.assertEqual(self.shares(a, b), [(0, 2), (1, 2)])

    def test_many_that_died_stop_no_election(self):
        server.sql("INSERT INTO worker_nodes (plugin_name, service, plugin_time, started_at) "
                   f"SELECT CONCAT('{self.service}-', seq), '{self.service}', "
                   "UTC_TIMESTAMP(6) - INTERVAL 60 SECOND, UTC_TIMESTAMP(6) FROM "
                   "(WITH RECURSIVE c(seq) AS (SELECT 1 UNION ALL SELECT seq + 1 FROM c "
                   "WHERE seq < 400) SELECT seq FROM c) numbers")
        a = self.worker()
        self.beat(a)
        self.assertEqual((self.masters(), a.share()[:2]), ([a.name], (0, 1)))

    def test_time_in_the_future_is_no_sign_of_life(self):
        a, b = self.worker(), self.worker()
        self.beat(a, b, a)
        a.kill()
        server.sql("UPDATE worker_nodes SET plugin_time = UTC_TIMESTAMP(6) + INTERVAL 1 DAY "
                   f"WHERE plugin_name = '{a.name}'")
        server.sql("UPDATE distributed_locks SET created_at = UTC_TIMESTAMP(6) + INTERVAL 1 DAY")
        self.beat(b)
        self.assertEqual((self.masters(), b.share()[:2]), ([b.name], (0, 1)))

    def test_lock_that_was_not_given_back_is_given_back_later(self):
        """A row of a session that no thread of it knows of, as after a lost answer."""
        a, b = self.worker(), self.worker()
        a.do("run")
        a.take("x")
        server.sql("INSERT INTO distributed_locks (object_uuid, `lock`, session_id, created_at, "
                   "ttl_s, fence, owner) SELECT 'y', 1, session_id, created_at, 3600, 5, owner "
                   "FROM distributed_locks WHERE object_uuid = 'x'")
        self.assertEqual(b.take("y", seconds=3 * PERIOD + GRACE)["fences"], [6])

    def test_master_that_slept_lays_down_nothing(self):
        a, b = self.worker(), self.worker()
        self.beat(a, b, a)
        a.signal(signal.SIGSTOP)
        b.do("run")
        wait_for(lambda: self.masters() == [b.name], TIMEOUT + PERIOD + GRACE + 2,
                 "the other is master")
        a.signal(signal.SIGCONT)
        self.assertFalse(a.do("beat")["master"])
        self.assertEqual(self.masters(), [b.name])
        wait_for(lambda: a.share()[1] == 2, 2 * PERIOD + GRACE, "it has a share again")

    def test_masters_that_are_killed(self):
        """One master at every sample; the next within timeout + period."""
        kills = 20 if LONG else 3
        workers = [self.worker() for _ in range(5)]
        for worker in workers:
            worker.do("run")
        seen = {}
        for _ in range(kills):
            wait_for(lambda: len(self.masters()) == 1 and self._living_master(workers),
                     TIMEOUT + PERIOD + GRACE + 2, "there is a living master")
            master = self._living_master(workers)
            killed = time.monotonic()
            master.kill()
            workers.remove(master)
            workers.append(self.worker())
            workers[-1].do("run")
            while not self._living_master(workers):
                self._sample(seen)
                self.assertLess(time.monotonic() - killed, TIMEOUT + PERIOD + GRACE)
            self.assertEqual(self.rows()[master.name][:2], ["normal", "down"])
        self.assertGreaterEqual(len(set(seen.values())), kills)

    def _living_master(self, workers):
        masters = self.masters()
        self.assertLessEqual(len(masters), 1)
        return next((w for w in workers if w.name in masters), None)

    def _sample(self, seen):
        """A generation has one master."""
        for name, row in self.rows().items():
            if row[0] == "master":
                self.assertEqual(seen.setdefault(row[4], name), name)

    def test_clocks_do_not_matter(self):
        a = self.worker(wrapper=("faketime", "-f", "-5m"))
        b = self.worker(wrapper=("faketime", "-f", "+5m"))
        self.beat(a, b, a, b)
        self.assertEqual((self.masters(), self.shares(a, b)), ([a.name], [(0, 2), (1, 2)]))

    def test_members_that_come_and_go(self):
        """No object is two members' in one generation, and none is nobody's for long."""
        objects = [f"{i:032x}" for i in range(64)]
        workers = [self.worker() for _ in range(3)]
        for worker in workers:
            worker.do("run")
        owned_at = dict.fromkeys(objects, time.monotonic())
        owners = {}
        for _ in range(100 if LONG else 12):
            self._come_or_go(workers)
            until = time.monotonic() + random.uniform(0, PERIOD)
            while time.monotonic() < until:
                self._look(workers, objects, owners, owned_at)
        idle = max(time.monotonic() - at for at in owned_at.values())
        self.assertLess(idle, TIMEOUT + 2 * PERIOD + GRACE)

    def _come_or_go(self, workers):
        if len(workers) < 3 or (len(workers) < 7 and random.random() < 0.5):
            workers.append(self.worker())
            workers[-1].do("run")
            return
        gone = workers.pop(random.randrange(len(workers)))
        gone.kill() if random.random() < 0.5 else gone.close()

    def _look(self, workers, objects, owners, owned_at):
        for worker in workers:
            factor, total, generation = worker.share()
            for uuid in objects if total else ():
                if zlib.crc32(uuid.encode()) % total == factor:
                    owner = owners.setdefault((generation, uuid), worker.name)
                    self.assertEqual(owner, worker.name)
                    owned_at[uuid] = time.monotonic()


@unittest.skipUnless(is_possible(), IMPOSSIBLE)
class Galera(Story):
    """Locks over three nodes that are all written to."""

    @classmethod
    def setUpClass(cls):
        cls.cluster = GaleraCluster.start(folder / "galera")
        cls.addClassCleanup(cls.cluster.stop)
        cls.cluster.sql("".join(file.read_text() for file in sorted(SCHEMA.glob("*.sql")))
                        + TABLES, seconds=120)

    @property
    def sql(self):
        return self.cluster.sql

    def worker(self, **options):
        node = len(self.workers)
        return super().worker(hosts=self.cluster.hosts_from(node),
                              password=self.cluster.password, **options)

    def test_guarded_increments_are_exact(self):
        self.assert_exact(*((32, 16, INCREMENTS) if LONG else (6, 4, 30)))

    def test_one_holder_and_his_end(self):
        a, b = self.worker(), self.worker()
        self.assertEqual(a.take("x")["fences"], [1])
        self.assertEqual(b.take("x", seconds=0.5)["err"], "busy")
        a.kill()
        self.assertEqual(b.take("x", seconds=TTL + 10)["fences"], [2])

    def test_shares_over_three_nodes(self):
        workers = [self.worker() for _ in range(3)]
        for worker in workers:
            worker.do("run")
        wait_for(lambda: sorted(w.share()[:2] for w in workers) == [(0, 3), (1, 3), (2, 3)],
                 TIMEOUT + PERIOD + GRACE + 5, "all three have a share")


if __name__ == "__main__":
    unittest.main(verbosity=2)

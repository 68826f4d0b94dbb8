"""Transactions, rows and migrations against a private MariaDB that dies, hangs and says no.

db_driver.c is the module at the end of a pipe; several of them play several workers.
"""

import itertools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

REPO = Path(__file__).resolve().parents[2]
DRIVER = REPO / os.environ.get("BUILD", "build") / "drivers" / "db_driver"
SCHEMA = REPO / "schema"
sys.path[:0] = [str(REPO / "deploy"), str(REPO / "tests" / "support")]
from lab.mariadb import MariaDb             # noqa: E402
from lab.process import LabError, free_port, run, wait_for  # noqa: E402
from tcp_relay import TcpRelay             # noqa: E402

PACKET = 16 << 20          # octets of a statement: max_allowed_packet
TIMEOUT_S = 3               # of a statement; the server gives up at 2, a lock wait at 1
PATIENT_S = 60              # of one whose transaction may be long
GRACE_MS = 1500             # what a loaded machine may add to a deadline
PROMPT_MS = 200             # an answer without waiting for the network
U32_MAX = 4294967295


class Driver:
    """A running db_driver."""

    def __init__(self, **settings):
        settings = {"host": f"{server.host}:{server.port}", "password": server.password,
                    "timeout": TIMEOUT_S} | settings
        env = {f"DB_{key.upper()}": str(value) for key, value in settings.items()}
        self.process = subprocess.Popen([DRIVER], env=os.environ | env, text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=log)

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

    def exec(self, sql, *bind):
        return self.do("exec", sql=sql, bind=bind)

    def select(self, sql, read, *bind, **options):
        return self.do("select", sql=sql, read=read, bind=bind, **options)

    def once(self, sql, *bind):
        """One autocommitted statement."""
        self.do("once")
        answer = self.exec(sql, *bind)
        self.do("commit")
        return answer

    def one(self, sql, read, *bind):
        """The first row of an autocommitted SELECT."""
        self.do("once")
        answer = self.select(sql, read, *bind)
        self.do("commit")
        return answer["rows"][0] if answer["rows"] else None

    def connection_id(self):
        return self.one("SELECT CONNECTION_ID()", "i")[0]

    def close(self):
        self.process.stdin.close()
        code = self.process.wait(timeout=20)
        self.process.stdout.close()
        return code


def setUpModule():
    global folder, server, log
    folder = Path(tempfile.mkdtemp(prefix="database-"))
    log = open(folder / "driver.log", "a")
    server = MariaDb.start(folder / "db", settings=[f"--max-allowed-packet={PACKET}"])
    driver = Driver()
    answer = driver.do("migrate")
    driver.close()
    if answer["err"] != "ok":
        raise LabError(answer["why"])


def tearDownModule():
    server.stop()
    log.close()
    shutil.rmtree(folder)


class Relay(TcpRelay):
    """Between clients and the server."""

    def __init__(self):
        super().__init__(server.port)


class Forger(Relay):
    """Armed, it makes the last EOF of an answer say that there is no transaction."""
    EOF = re.compile(rb"\x05\0\0.\xfe..", re.DOTALL)
    IN_TRANSACTION = 1
    armed = False

    def change(self, data, is_question):
        ends = list(self.EOF.finditer(data)) if self.armed and not is_question else []
        if not ends:
            return data
        self.armed = False
        data = bytearray(data)
        data[ends[-1].end()] &= ~self.IN_TRANSACTION
        return bytes(data)


class OldServer(Relay):
    """Its server knows nothing of innodb_snapshot_isolation."""

    def change(self, data, _is_question):
        return data.replace(b"innodb_snapshot_isolation", b"innodb_snapshot_isolati0n")


class Story(unittest.TestCase):

    def setUp(self):
        self.table = "t_" + self.id().rpartition(".")[2]
        server.sql(f"CREATE TABLE {self.table} (id INT UNSIGNED PRIMARY KEY, n INT, "
                   f"name VARCHAR(8), data LONGBLOB, CONSTRAINT small CHECK (n < 1000))")

    def driver(self, **settings):
        driver = Driver(**settings)
        self.addCleanup(self.close, driver)
        return driver

    def close(self, driver):
        self.assertEqual(driver.close(), 0)

    def rows(self, columns="id, n"):
        return server.sql(f"SELECT {columns} FROM {self.table} ORDER BY id")

    def fill(self):
        server.sql(f"INSERT INTO {self.table} (id, n) VALUES (1, 0), (2, 0)")

    def set(self, driver, id, n):
        return driver.exec(f"UPDATE {self.table} SET n = ? WHERE id = ?", n, id)

    def insert(self, driver, id, n=0, name=None, data=None):
        return driver.exec(f"INSERT INTO {self.table} VALUES (?, ?, ?, ?)", id, n, name, data)


class Transactions(Story):

    def test_commit_and_rollback(self):
        d = self.driver()
        d.do("begin")
        self.assertEqual(self.insert(d, 1)["matched"], 1)
        self.assertEqual(self.set(d, 1, 0)["matched"], 1, "matched, not changed")
        self.assertEqual(self.set(d, 2, 0)["matched"], 0)
        self.assertEqual(d.do("commit")["err"], "ok")
        d.do("begin")
        self.insert(d, 2)
        d.do("rollback")
        self.assertEqual(self.rows(), [["1", "0"]])

    def test_first_failure_stays(self):
        """Nothing after it is executed, and nothing before it is committed."""
        d = self.driver()
        self.fill()
        d.do("begin")
        self.assertEqual(self.set(d, 1, 5)["err"], "ok")
        self.assertEqual(self.insert(d, 1)["err"], "exists")
        before = server.sql("SHOW GLOBAL STATUS LIKE 'Com_stmt_execute'")
        self.assertEqual(self.insert(d, 3)["matched"], 0)
        self.assertEqual(d.select("SELECT 1", "i")["rows"], [])
        self.assertEqual(server.sql("SHOW GLOBAL STATUS LIKE 'Com_stmt_execute'"), before)
        last = d.do("commit")
        self.assertEqual((last["err"], "PRIMARY" in last["why"]), ("exists", True))
        self.assertEqual(self.rows(), [["1", "0"], ["2", "0"]])
        self.assertEqual(d.once("DELETE FROM " + self.table)["matched"], 2)

    def test_failure_of_the_caller(self):
        d = self.driver()
        d.do("begin")
        self.insert(d, 1)
        d.do("fail", why="no room")
        d.do("fail", why="second")
        self.assertEqual(d.do("commit")["why"], "no room")
        self.assertEqual(self.rows(), [])

    def test_a_copy_is_a_bug(self):
        """Its first failure, or its end, would not be the original's."""
        sql = f"UPDATE {self.table} SET n = 1"
        for begin in "begin", "once":
            for first, second in (("exec", "copy"), ("copy", "exec"), ("copy", "commit"),
                                  ("copy", "rollback")):
                with self.subTest(begin=begin, first=first, second=second):
                    d = Driver()
                    d.do(begin)
                    d.do(first, sql=sql)
                    with self.assertRaisesRegex(AssertionError, f"ended: -{signal.SIGABRT}"):
                        d.do(second, sql=sql)
                    d.process.stdin.close()
                    d.process.stdout.close()

    def test_a_transaction_that_ended_unheard(self):
        """As a Galera node may end it: nothing of what follows is kept, or said to be."""
        d = self.driver()
        for end in "ROLLBACK", "COMMIT":
            d.do("begin")
            self.insert(d, 1)
            d.exec(end)
            self.assertEqual(self.insert(d, 2)["err"], "race")
            self.assertEqual(d.do("commit")["err"], "race")
        self.assertEqual(self.rows(), [["1", "0"]])
        d.do("begin")
        self.insert(d, 3)
        d.exec("ROLLBACK")
        self.assertEqual(d.do("commit")["err"], "race")
        self.assertEqual(self.rows(), [["1", "0"]])

    def test_a_transaction_that_ended_while_rows_were_read(self):
        """Only the packet behind the last row tells of it: what was read is not believed."""
        self.fill()
        forger = Forger()
        self.addCleanup(forger.close)
        d = self.driver(host=f"{server.host}:{forger.port}")
        for wanted, do in itertools.product(("id = 1", "1 = 0"), ("select", "row")):
            sql = f"SELECT id FROM {self.table} WHERE {wanted} FOR UPDATE"
            for forged in False, True:      # all is prepared before
                with self.subTest(wanted=wanted, do=do, forged=forged):
                    d.do("begin")
                    forger.armed = forged
                    answer = d.do(do, sql=sql, read="i")
                    self.assertFalse(forger.armed)
                    self.assertEqual(answer["err"], "race" if forged else "ok")
                    if do == "row":
                        count = 1 if wanted == "id = 1" and not forged else 0
                        self.assertEqual(len(answer["rows"]), count)
                    self.assertEqual(self.insert(d, 3)["err"], "race" if forged else "ok")
                    d.do("rollback")
        self.assertEqual(len(self.rows()), 2)

    def test_an_error_behind_a_row(self):
        """It is told as what it is, and the same statement goes on to be of use."""
        self.fill()
        d = self.driver()
        sql = (f"SELECT IF(id = ?, (SELECT id FROM {self.table}), id) FROM {self.table} "
               "ORDER BY id")
        for do, _ in itertools.product(("select", "row"), range(2)):
            for wanted, err in (2, "internal"), (3, "ok"):
                with self.subTest(do=do, wanted=wanted):
                    d.do("begin")
                    answer = d.do(do, sql=sql, bind=[wanted], read="i")
                    self.assertEqual(answer["err"], err, answer)
                    self.assertLess(answer["ms"], 500)
                    self.assertEqual(answer["rows"][:1], [] if do == "row" and wanted == 2
                                     else [[1]])
                    d.do("rollback")

    def test_snapshot(self):
        """It is one state, and does not write."""
        self.fill()
        a, b = self.driver(), self.driver()
        a.do("snapshot")
        b.once(f"UPDATE {self.table} SET n = 7 WHERE id = 1")
        self.assertEqual(a.select(f"SELECT n FROM {self.table} WHERE id = 1", "i")["rows"], [[0]])
        self.assertEqual(self.set(a, 1, 8)["err"], "internal")
        a.do("commit")
        self.assertEqual(self.rows()[0], ["1", "7"])

    def test_deadlock(self):
        self.fill()
        a, b = self.driver(), self.driver()
        for driver, id in (a, 1), (b, 2):
            driver.do("begin")
            self.set(driver, id, 1)
        sql = f"UPDATE {self.table} SET n = 2 WHERE id = ?"
        a.send("exec", sql=sql, bind=[2])
        b.send("exec", sql=sql, bind=[1])
        answers = [a.receive(), b.receive()]
        self.assertEqual(sorted(answer["err"] for answer in answers), ["ok", "race"])
        self.assertTrue(any("1213" in answer["why"] for answer in answers))
        for driver, answer in zip((a, b), answers):
            self.assertEqual(driver.do("commit")["err"], answer["err"])
        self.assertEqual(sorted(n for _, n in self.rows()), ["1", "2"], "of one transaction")

    def test_lock_wait(self):
        self.fill()
        a, b = self.driver(timeout=PATIENT_S), self.driver()
        a.do("begin")
        self.set(a, 1, 1)
        b.do("begin")
        self.set(b, 2, 9)
        answer = self.set(b, 1, 2)
        self.assertEqual((answer["err"], "1205" in answer["why"]), ("race", True))
        self.assertLess(answer["ms"], TIMEOUT_S * 1000)
        self.assertEqual(b.do("commit")["err"], "race")
        self.assertEqual(a.do("commit")["err"], "ok")
        self.assertEqual(self.rows(), [["1", "1"], ["2", "0"]], "all of b is gone")

    def test_a_client_that_hangs_within_its_transaction(self):
        """Its locks are free before those who wait for them give up."""
        self.fill()
        a, b = self.driver(timeout=10), self.driver(timeout=10)
        a.do("begin")
        self.set(a, 1, 1)
        answer = b.once(f"UPDATE {self.table} SET n = n + 10 WHERE id = 1")
        self.assertEqual(answer["err"], "ok")
        self.assertGreater(answer["ms"], 2000)
        self.assertEqual(self.set(a, 2, 1)["err"], "race")
        self.assertEqual(a.do("commit")["err"], "race")
        self.assertEqual(self.rows(), [["1", "10"], ["2", "0"]])

    def test_row_that_changed_since_it_was_read(self):
        self.fill()
        a, b = self.driver(), self.driver()
        a.do("begin")
        a.select(f"SELECT n FROM {self.table} WHERE id = 1", "i")
        b.once(f"UPDATE {self.table} SET n = 1 WHERE id = 1")
        answer = self.set(a, 1, 2)
        self.assertEqual((answer["err"], "1020" in answer["why"]), ("race", True))
        a.do("commit")
        self.assertEqual(self.rows()[0], ["1", "1"])

    COUNT = ("INSERT INTO {0} (id, n) VALUES (?, LAST_INSERT_ID(1)) "
             "ON DUPLICATE KEY UPDATE n = LAST_INSERT_ID(n + 1)")

    def count(self, driver, how, **more):
        """One more, behind a snapshot; another transaction has counted since."""
        driver.do("begin")
        driver.select(f"SELECT n FROM {self.table} WHERE id = 2", "i")
        server.sql(f"UPDATE {self.table} SET n = n + 10 WHERE id = 1")
        return driver.do(how, sql=self.COUNT.format(self.table), bind=[1], **more)

    def test_a_counter_without_a_long_wait(self):
        """Both settings of the prefix have an effect."""
        self.fill()
        a, b = self.driver(), self.driver()
        for turn, (wait, error) in enumerate((("short", "busy"), ("none", "race"))):
            self.assertEqual(self.count(a, "blind", wait=wait)["id"], 11 * (turn + 1))
            b.do("begin")
            held = b.do("blind", sql=self.COUNT.format(self.table), bind=[1], wait=wait)
            self.assertEqual(held["err"], error, held)
            b.do("rollback")
            self.assertEqual(a.do("commit")["err"], "ok")

    def test_a_counter_that_another_one_has_raised(self):
        """Only TX_BLIND goes on; the statements behind it see other rows as before."""
        self.fill()
        a = self.driver()
        answer = self.count(a, "exec")
        self.assertEqual((answer["err"], "1020" in answer["why"]), ("race", True))
        a.do("rollback")
        answer = self.count(a, "blind")
        self.assertEqual((answer["err"], answer["id"]), ("ok", 21))
        server.sql(f"UPDATE {self.table} SET n = 5 WHERE id = 2")
        answer = self.set(a, 2, 6)
        self.assertEqual((answer["err"], "1020" in answer["why"]), ("race", True))
        a.do("rollback")
        self.assertEqual(self.rows(), [["1", "20"], ["2", "5"]])

    def test_counters_of_two_at_once(self):
        """Who waits for the other's commit goes on behind it, and nothing is lost."""
        self.fill()
        a, b = self.driver(), self.driver()
        for driver in a, b:
            driver.do("begin")
            driver.select(f"SELECT n FROM {self.table} WHERE id = 2", "i")
        self.assertEqual(a.do("blind", sql=self.COUNT.format(self.table), bind=[1])["id"], 1)
        b.send("blind", sql=self.COUNT.format(self.table), bind=[1])
        self.assertEqual(a.do("commit")["err"], "ok")
        self.assertEqual(b.receive()["id"], 2)
        self.assertEqual(b.do("commit")["err"], "ok")
        self.assertEqual(self.rows()[0], ["1", "2"])

    def test_a_server_without_snapshot_isolation(self):
        """It is not asked to leave out what it does not know."""
        self.fill()
        relay = OldServer()
        self.addCleanup(relay.close)
        d = self.driver(host=f"{server.host}:{relay.port}")
        answer = self.count(d, "blind")
        self.assertEqual((answer["err"], answer["id"]), ("ok", 11), answer)
        self.assertEqual(d.do("commit")["err"], "ok")

    def test_who_locks_first_reads_the_newest(self):
        """Waiting in line for the row is no race: the snapshot is younger than the lock."""
        self.fill()
        a, b = self.driver(), self.driver()
        lock = f"SELECT n FROM {self.table} WHERE id = 1 FOR UPDATE"
        for driver in a, b:
            driver.do("begin")
        self.assertEqual(a.select(lock, "i")["rows"], [[0]])
        b.send("select", sql=lock, read="i")
        self.set(a, 1, 1)
        self.set(a, 2, 1)
        self.assertEqual(a.do("commit")["err"], "ok")
        self.assertEqual(b.receive()["rows"], [[1]])
        both = b.select(f"SELECT n FROM {self.table} ORDER BY id", "i")
        self.assertEqual(both["rows"], [[1], [1]])
        self.set(b, 1, 2)
        self.assertEqual(b.do("commit")["err"], "ok")
        self.assertEqual(self.rows()[0], ["1", "2"])

    def test_statement_that_takes_too_long(self):
        """The server gives up first, so that the connection lives."""
        d = self.driver()
        id = d.connection_id()
        for sql in ("SELECT SLEEP(20)",
                    "SELECT seq, REPEAT('x', 100), SLEEP(seq > 5000) FROM seq_1_to_10000"):
            with self.subTest(sql=sql):
                d.do("begin")
                self.insert(d, 1)
                answer = d.do("stream", sql=sql, read="i")
                self.assertEqual((answer["err"], "1969" in answer["why"]), ("busy", True))
                self.assertLess(answer["ms"], TIMEOUT_S * 1000)
                self.assertEqual(d.do("commit")["err"], "busy")
                self.assertEqual(d.connection_id(), id)
                self.assertEqual(self.rows(), [])

    def test_redo(self):
        """A timer's transaction is run again until the lock is free."""
        self.fill()
        a, b = self.driver(timeout=PATIENT_S), self.driver()
        a.do("begin")
        self.set(a, 1, 1)
        before = self.lock_waits()
        b.send("redo", sql=f"UPDATE {self.table} SET n = n + 10 WHERE id = 1")
        wait_for(lambda: self.lock_waits() >= before + 2, 10, "a second try")
        a.do("commit")
        answer = b.receive()
        self.assertEqual(answer["err"], "ok")
        self.assertGreaterEqual(answer["tries"], 2)
        self.assertEqual(self.rows()[0], ["1", "11"])

    def test_again_on_a_loop(self):
        """Who has waited for a lock in vain does not wait once more: a timer comes by again."""
        self.fill()
        a, b = self.driver(timeout=PATIENT_S), self.driver()
        a.do("begin")
        self.set(a, 1, 1)
        b.send("again", sql=f"UPDATE {self.table} SET n = n + 10 WHERE id = 1")
        answer = b.receive()
        self.assertEqual((answer["err"], answer["tries"]), ("race", 1))
        a.do("commit")
        answer = b.do("again", sql=f"UPDATE {self.table} SET n = n + 10 WHERE id = 1")
        self.assertEqual((answer["err"], answer["tries"]), ("ok", 1))
        self.assertEqual(self.rows()[0], ["1", "11"])

    def lock_waits(self):
        return int(server.sql("SHOW GLOBAL STATUS LIKE 'Innodb_row_lock_waits'")[0][1])


class Refusals(Story):

    def failure(self, driver, *arguments, **values):
        driver.do("begin")
        answer = self.insert(driver, *arguments, **values)
        driver.do("commit")
        return answer["err"], answer["why"]

    def test_rows_that_cannot_be(self):
        d = self.driver()
        self.fill()
        for row, err, word in (
                ((1, 0), "exists", "PRIMARY"),
                ((3, 1000), "internal", "small"),
                ((-1, 0), "invalid", "id"),
                ((U32_MAX + 1, 0), "invalid", "id"),
                ((3, 0, "secret-value"), "invalid", "name"),
                ((3, "secret"), "invalid", ".n"),
                ((3, 0, {"hex": "ff"}), "invalid", "name")):
            with self.subTest(row=row):
                got, why = self.failure(d, *row)
                self.assertEqual(got, err, why)
                self.assertIn(word, why)
                self.assertNotIn("secret", why)
        self.assertEqual(len(self.rows()), 2)

    def test_foreign_keys(self):
        d = self.driver()
        server.sql(f"CREATE TABLE {self.table}_child (parent INT UNSIGNED, CONSTRAINT family "
                   f"FOREIGN KEY (parent) REFERENCES {self.table} (id))")
        self.fill()
        insert = f"INSERT INTO {self.table}_child VALUES (?)"
        orphan = d.once(insert, 77)
        self.assertEqual((orphan["err"], "family" in orphan["why"]), ("conflict", True))
        self.assertEqual(d.once(insert, 1)["err"], "ok")
        parent = d.once(f"DELETE FROM {self.table} WHERE id = ?", 1)
        self.assertEqual((parent["err"], "family" in parent["why"]), ("conflict", True))

    def test_statements_of_ours_that_are_wrong(self):
        d = self.driver()
        for sql in "NONSENSE", "SELECT * FROM nowhere", "DELETE FROM nowhere WHERE a = 1":
            with self.subTest(sql=sql):
                self.assertEqual(d.once(sql)["err"], "internal")
        self.assertTrue(d.do("ping")["up"])

    def test_a_text_is_one_statement(self):
        d = self.driver()
        self.fill()
        answer = d.once(f"DELETE FROM {self.table} WHERE id = 1; DELETE FROM {self.table}")
        self.assertEqual(answer["err"], "internal")
        self.assertEqual(len(self.rows()), 2)

    def test_value_larger_than_the_server_takes(self):
        d = self.driver()
        d.do("begin")
        answer = self.insert(d, 1, 0, None, {"zeroes": PACKET + (1 << 20)})
        self.assertEqual(answer["err"], "too_large", answer["why"])
        d.do("commit")
        self.assertEqual(d.do("ping")["err"], "ok")
        self.assertEqual(self.rows(), [])


class Rows(Story):

    def test_values_of_every_kind(self):
        d = self.driver()
        megabyte = {"zeroes": 1 << 20}
        rows = [
            (1, None, None, None),
            (2, -5, "", {"hex": ""}),
            (U32_MAX - 1, 999, "\u00e4\u65e5\U0001f600", {"hex": "00ff00"}),
            (U32_MAX, 0, "x", megabyte),
        ]
        d.do("begin")
        for row in rows:
            self.assertEqual(self.insert(d, *row)["err"], "ok")
        d.do("commit")
        want = [
            [1, None, 0, None, None],
            [2, "-5", -5, "", ""],
            [U32_MAX - 1, "999", 999, "\u00e4\u65e5\U0001f600", "00ff00"],
            [U32_MAX, "0", 0, "x", "00" * (1 << 20)],
        ]
        for arena in False, True:
            d.do("once")
            sql = f"SELECT id, n, n, name, data FROM {self.table} ORDER BY id"
            self.assertEqual(d.select(sql, "utitb", arena=arena)["rows"], want)
            self.assertEqual(d.do("commit")["err"], "ok")

    def test_null_is_told_without_moving_on(self):
        d = self.driver()
        self.assertEqual(d.one("SELECT NULL, 1, NULL", "?i?i?t"), [True, 0, False, 1, True, None])

    def test_computed_columns(self):
        d = self.driver()
        sql = ("SELECT SUM(n), COUNT(*), '77', CAST(-1 AS DECIMAL(20)), "
               "CAST('2026-01-02 03:04:05.678' AS DATETIME(3)), 18446744073709551615, 1.50, "
               "'ADD' = 'ADD' FROM (SELECT 3 AS n UNION SELECT 4) AS t")
        self.assertEqual(d.one(sql, "iiiittti"),
                         [7, 2, 77, -1, "2026-01-02 03:04:05.678", "18446744073709551615", "1.50", 1])

    def test_numbers_that_do_not_fit(self):
        d = self.driver()
        for number, read in (("4294967296", "u"), ("-1", "u"), ("18446744073709551615", "i"),
                             ("'12x'", "i"), ("''", "i"), ("1.5", "i"),
                             ("CAST(18446744073709551616 AS DECIMAL(30))", "i")):
            with self.subTest(number=number):
                d.do("once")
                self.assertEqual(d.select("SELECT " + number, read)["err"], "internal")
                d.do("commit")

    def test_select_that_is_not_read_to_its_end(self):
        d = self.driver()
        d.do("begin")
        self.assertEqual(d.select("SELECT seq FROM seq_1_to_10000", "i", limit=2)["rows"], [[1], [2]])
        self.assertEqual(self.insert(d, 1)["err"], "ok")
        self.assertEqual(d.do("commit")["err"], "ok")

    def test_many_rows_in_few_statements(self):
        d = self.driver()
        for count in 1, 3, 4, 5, 255, 256, 257, 1023:
            with self.subTest(count=count):
                d.do("begin")
                d.exec("DELETE FROM " + self.table)
                bind = list(itertools.chain.from_iterable((i, i % 7) for i in range(count)))
                answer = d.do("rows", head=f"INSERT INTO {self.table} (id, n) VALUES", tuple="(?, ?)",
                              tail="ON DUPLICATE KEY UPDATE n = VALUES(n)", columns=2, bind=bind)
                self.assertEqual(answer["matched"], count)
                self.assertEqual(d.do("commit")["err"], "ok")
                self.assertEqual(self.rows(), [[str(i), str(i % 7)] for i in range(count)])
        status = dict(server.sql("SHOW GLOBAL STATUS LIKE 'Prepared_stmt_count'"))
        self.assertLessEqual(int(status["Prepared_stmt_count"]), 14)

    def test_large_rows_are_sent_in_small_portions(self):
        d = self.driver()
        bind = []
        for i in range(40):
            bind += [i, {"zeroes": 1 << 20}]
        d.do("begin")
        answer = d.do("rows", head=f"INSERT INTO {self.table} (id, data) VALUES", tuple="(?, ?)",
                      tail="", columns=2, bind=bind)
        self.assertEqual(answer["matched"], 40, answer["why"])
        self.assertEqual(d.do("commit")["err"], "ok")

    def test_failure_among_many_rows(self):
        d = self.driver()
        d.do("begin")
        bind = list(itertools.chain.from_iterable((i, 0) for i in [*range(300), 5, *range(300, 600)]))
        answer = d.do("rows", head=f"INSERT INTO {self.table} (id, n) VALUES", tuple="(?, ?)",
                      tail="", columns=2, bind=bind)
        self.assertEqual((answer["err"], answer["matched"]), ("exists", 0))
        d.do("commit")
        self.assertEqual(self.rows(), [])

    def test_more_statements_than_are_kept(self):
        d = self.driver()
        for i in range(300):
            self.assertEqual(d.one(f"SELECT {i} + ?", "i", 1), [i + 1])
        self.assertEqual(d.one("SELECT 0 + ?", "i", 1), [1])
        count = server.sql("SHOW GLOBAL STATUS LIKE 'Prepared_stmt_count'")[0][1]
        self.assertLessEqual(int(count), 256)

    def test_a_million_rows(self):
        server.sql(f"CREATE TABLE {self.table}_big (a VARCHAR(64), b INT, c INT UNSIGNED, d BLOB); "
                   f"INSERT INTO {self.table}_big SELECT CONCAT('name', seq, '.example.org.'), "
                   "seq, seq, UNHEX('0a000001') FROM seq_1_to_1000000")
        d = self.driver(timeout=PATIENT_S)
        d.do("snapshot")
        answer = d.do("stream", sql=f"SELECT a, b, c, d FROM {self.table}_big", read="tiib")
        self.assertEqual((answer["err"], answer["count"]), ("ok", 1000000), answer["why"])
        self.assertEqual(d.do("commit")["err"], "ok")


class Connections(Story):

    def kill(self, id):
        server.sql(f"KILL CONNECTION {id}", administrator=True)
        wait_for(lambda: [str(id)] not in server.sql("SELECT id FROM information_schema.processlist"),
                 5, "the connection is gone")

    def test_killed_while_idle(self):
        """Nobody notices."""
        d = self.driver()
        self.fill()
        for use in ("begin", "snapshot", "once"):
            with self.subTest(use=use):
                self.kill(d.connection_id())
                self.assertEqual(d.do(use)["err"], "ok")
                self.assertEqual(len(d.select("SELECT id FROM " + self.table, "i")["rows"]), 2)
                self.assertEqual(d.do("commit")["err"], "ok")
        self.kill(d.connection_id())
        self.assertEqual(d.do("ping")["err"], "ok")

    def test_killed_in_a_transaction(self):
        """The transaction is a race, never half of it and never OK."""
        d = self.driver()
        for last in ("statement", "commit"):
            with self.subTest(last=last):
                id = d.connection_id()
                d.do("begin")
                self.insert(d, 1)
                self.kill(id)
                if last == "statement":
                    self.assertEqual(self.insert(d, 2)["err"], "race")
                answer = d.do("commit")
                self.assertEqual((answer["err"], answer["up"]), ("race", False))
                self.assertEqual(self.rows(), [])
        d.do("begin")
        self.insert(d, 1)
        self.assertEqual(d.do("commit")["err"], "ok")
        self.assertEqual(len(self.rows()), 1)

    def test_killed_while_reading(self):
        d = self.driver()
        id = d.connection_id()
        d.do("begin")
        d.send("select", sql="SELECT SLEEP(0.01) FROM seq_1_to_100", read="i")
        self.kill(id)
        self.assertEqual(d.receive()["err"], "race")
        self.assertEqual(d.do("commit")["err"], "race")
        self.assertEqual(d.do("ping")["err"], "ok")

    def test_server_restarted(self):
        d = self.driver()
        d.do("begin")
        self.insert(d, 1)
        server.stop()
        try:
            self.assertEqual(self.insert(d, 2)["err"], "race")
            self.assertEqual(d.do("commit")["err"], "race")
            first = d.do("begin")
            self.assertEqual((first["err"], first["up"]), ("unreachable", False))
            again = d.do("begin")
            self.assertEqual((again["err"], again["why"]), ("unreachable", first["why"]))
            self.assertLess(again["ms"], PROMPT_MS)
            self.assertEqual(d.do("commit")["err"], "unreachable")
        finally:
            server.launch()
            server.wait_ready()
        wait_for(lambda: d.do("ping")["err"] == "ok", 8, "connected again")
        self.assertEqual(self.rows(), [])

    def test_server_that_is_silent(self):
        d = self.driver()
        idle = self.driver()
        idle.do("ping")
        d.do("begin")
        server.pause()
        try:
            lost = self.insert(d, 1)
            self.assertEqual(lost["err"], "race")
            self.assertLess(lost["ms"], TIMEOUT_S * 1000 + GRACE_MS)
            self.assertEqual(d.do("commit")["err"], "race")
            begun = idle.do("begin")
            self.assertEqual(begun["err"], "race")
            self.assertLess(begun["ms"], TIMEOUT_S * 1000 + GRACE_MS)
            away = idle.do("begin")
            self.assertEqual(away["err"], "unreachable")
            self.assertLess(away["ms"], TIMEOUT_S * 1000 + GRACE_MS)
            for _ in range(3):
                shut = idle.do("begin")
                self.assertEqual(shut["err"], "unreachable")
                self.assertLess(shut["ms"], PROMPT_MS, "does not wait again")
        finally:
            server.resume()
        wait_for(lambda: idle.do("ping")["err"] == "ok", 8, "connected again")

    def test_a_binary_log_of_statements(self):
        """The server would refuse to write within READ COMMITTED: its error says what to set."""
        logging = MariaDb.start(folder / "logging", settings=[
            "--log-bin=log", "--server-id=1", "--binlog-format=STATEMENT"])
        self.addCleanup(logging.stop)
        account = {"host": f"{logging.host}:{logging.port}", "password": logging.password}
        driver = self.driver(read_committed=1, **account)
        answer = driver.do("ping")
        self.assertEqual(answer["err"], "unreachable", answer)
        self.assertIn("binlog_format of the database server must be ROW or MIXED", answer["why"])
        self.assertEqual(self.driver(**account).do("ping")["err"], "ok")
        logging.sql("SET GLOBAL binlog_format = 'MIXED'", administrator=True)
        wait_for(lambda: driver.do("ping")["err"] == "ok", 10, "it connects")

    def test_wrong_account(self):
        for wrong in {"password": "wrong"}, {"user": "nobody"}, {"name": "nowhere"}:
            with self.subTest(wrong=wrong):
                d = self.driver(**wrong)
                answer = d.do("begin")
                self.assertEqual(answer["err"], "unreachable")
                self.assertNotIn(server.password, answer["why"])
                self.assertLess(d.do("begin")["ms"], PROMPT_MS)

    def test_next_host(self):
        good = f"{server.host}:{server.port}"
        d = self.driver(host=f"127.0.0.1:{free_port()},{good}")
        self.assertEqual(d.do("ping")["err"], "ok")
        d = self.driver(host=f"{good},127.0.0.1:{free_port()}")
        self.kill(d.connection_id())
        self.assertEqual(d.do("ping")["err"], "ok", "the other is away, so it is this one again")

    def test_socket(self):
        d = self.driver(host=server.socket)
        self.assertEqual(d.do("ping")["err"], "unreachable")      # no such account at the socket
        server.sql(f"CREATE USER zonefleet@localhost IDENTIFIED BY '{server.password}'; "
                   "GRANT ALL ON zonefleet.* TO zonefleet@localhost", administrator=True)
        d = self.driver(host=server.socket)
        self.assertEqual(d.do("ping")["err"], "ok")

    def test_host_that_may_not_write(self):
        """Alone it is away for writers; with another, it is a race that the other one ends."""
        good = f"{server.host}:{server.port}"
        server.sql("SET GLOBAL read_only = 1", administrator=True)
        self.addCleanup(server.sql, "SET GLOBAL read_only = 0", administrator=True)
        for hosts, err in (good, "unreachable"), (f"{good},localhost:{server.port}", "race"):
            with self.subTest(hosts=hosts):
                d = self.driver(host=hosts)
                answer = d.once(f"INSERT INTO {self.table} (id) VALUES (1)")
                self.assertEqual((answer["err"], answer["up"]), (err, False))
                d.do("ping")

    def test_rights_taken_and_given_back(self):
        """It is away meanwhile, and soon back: the connection that found less is not kept."""
        account = f"{server.user}@'{server.host}'"
        self.addCleanup(server.sql, f"GRANT ALL ON {server.database}.* TO {account}",
                        administrator=True)
        insert = f"INSERT INTO {self.table} (id) VALUES (?)"
        for number, rights in enumerate(("INSERT", "ALL PRIVILEGES")):
            with self.subTest(rights=rights):
                d = self.driver()
                self.assertEqual(d.do("ping")["err"], "ok")
                server.sql(f"REVOKE {rights} ON {server.database}.* FROM {account}",
                           administrator=True)
                server.sql(f"KILL CONNECTION {d.connection_id()}" if number == 0 else
                           f"KILL USER {account}", administrator=True)
                wait_for(lambda: d.once(insert, number)["err"] == "unreachable", 5, "no rights")
                self.assertRegex(d.once(insert, number)["why"], "denied")
                server.sql(f"GRANT ALL ON {server.database}.* TO {account}", administrator=True)
                wait_for(lambda: d.once(insert, number)["err"] == "ok", 6, "they are back")

    def test_too_many_connections(self):
        server.sql("SET GLOBAL max_connections = 10", administrator=True)
        self.addCleanup(server.sql, "SET GLOBAL max_connections = 500", administrator=True)
        drivers = [self.driver() for _ in range(11)]
        answers = [driver.do("ping") for driver in drivers]
        refused = [driver for driver, answer in zip(drivers, answers) if answer["err"] != "ok"]
        self.assertTrue(refused)
        self.assertIn("1040", next(a["why"] for a in answers if a["err"] != "ok"))

    def test_settings_of_a_session(self):
        d = self.driver()
        sql = ("SELECT @@sql_mode, @@time_zone, @@tx_isolation, @@autocommit, "
               "@@innodb_snapshot_isolation, @@innodb_lock_wait_timeout, "
               "@@idle_transaction_timeout, "
               "CAST(@@max_statement_time AS SIGNED), @@character_set_connection, @@wsrep_sync_wait")
        got = d.one(sql, "tttiiiiiti")
        self.assertIn("STRICT_ALL_TABLES", got[0])
        self.assertEqual(got[1:], ["+00:00", "REPEATABLE-READ", 1, 1, 1, 1, 2, "utf8mb4", 1])


def certificate(name):
    """A certificate that is its own authority: its path and that of the key."""
    paths = folder / f"{name}.pem", folder / f"{name}.key"
    run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
         "-subj", f"/CN={name}", "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost",
         "-out", paths[0], "-keyout", paths[1]], env=os.environ)
    return paths


class Tls(unittest.TestCase):

    def outcome(self, target, **settings):
        d = Driver(host=f"{target.host}:{target.port}", password=target.password, **settings)
        try:
            answer = d.do("ping")
            if answer["err"] != "ok":
                return answer["err"]
            return d.one("SELECT VARIABLE_VALUE FROM information_schema.session_status "
                         "WHERE VARIABLE_NAME = 'Ssl_version'", "t")[0]
        finally:
            self.assertEqual(d.close(), 0)

    def test_server_without(self):
        """Whoever asks for TLS does not talk in clear."""
        ca, _ = certificate("lonely")
        self.assertEqual(self.outcome(server), "")
        self.assertEqual(self.outcome(server, tls_ca=ca), "unreachable")
        self.assertEqual(self.outcome(server, tls=1), "unreachable")

    def test_server_with(self):
        ca, key = certificate("localhost")
        other, _ = certificate("other")
        with MariaDb.start(folder / "tls", settings=[f"--ssl-cert={ca}", f"--ssl-key={key}"]) as tls:
            self.assertIn(self.outcome(tls, tls_ca=ca), ("TLSv1.2", "TLSv1.3"))
            self.assertEqual(self.outcome(tls, tls_ca=other), "unreachable")
            self.assertEqual(self.outcome(tls, tls=1), "unreachable", "no authority vouches for it")
            self.assertEqual(self.outcome(tls, tls_ca=folder / "missing.pem"), "unreachable")
            self.lose_connection(tls, ca)

    def lose_connection(self, tls, ca):
        d = Driver(host=f"{tls.host}:{tls.port}", password=tls.password, tls_ca=ca)
        d.do("begin")
        tls.kill9()
        self.assertEqual(d.do("commit")["err"], "race")
        self.assertEqual(d.do("ping")["err"], "unreachable")
        self.assertEqual(d.close(), 0)


class Migrations(unittest.TestCase):

    def setUp(self):
        self.name = self.id().rpartition(".")[2][-40:]
        server.sql(f"CREATE DATABASE {self.name}; GRANT ALL ON {self.name}.* TO "
                   f"zonefleet@'{server.host}'", administrator=True)
        self.want = len(list(SCHEMA.glob("*.sql")))

    def driver(self):
        driver = Driver(name=self.name)
        self.addCleanup(driver.close)
        return driver

    def notes(self, sql):
        return server.sql(f"USE {self.name}; {sql}")

    def test_first_and_again(self):
        d = self.driver()
        version = d.do("version")
        self.assertEqual((version["have"], version["want"]), (0, self.want))
        answer = d.do("migrate")
        self.assertEqual(answer["err"], "ok", answer["why"])
        self.assertEqual([(v, applied) for v, _, applied in answer["versions"]],
                         [(v, True) for v in range(1, self.want + 1)])
        answer = d.do("migrate")
        self.assertEqual([applied for _, _, applied in answer["versions"]], [False] * self.want)
        version = d.do("version")
        self.assertEqual((version["have"], version["want"]), (self.want, self.want))

    def test_two_at_once(self):
        drivers = [self.driver() for _ in range(4)]
        for d in drivers:
            d.send("migrate")
        answers = [d.receive() for d in drivers]
        self.assertEqual([answer["err"] for answer in answers], ["ok"] * 4)
        applied = [v for answer in answers for v, _, applied in answer["versions"] if applied]
        self.assertEqual(sorted(applied), list(range(1, self.want + 1)), "each once")

    def test_cut_off(self):
        d = self.driver()
        d.do("migrate")
        self.notes(f"UPDATE schema_migrations SET state = 'STARTED', applied_at = NULL "
                   f"WHERE version = {self.want}")
        answer = d.do("migrate")
        self.assertEqual(answer["err"], "conflict")
        self.assertIn("did not finish", answer["why"])
        self.assertTrue(answer["why"].endswith("run 'zonefleet db migrate' again"),
                        "the advice is whole")
        self.assertEqual(d.do("version")["have"], self.want - 1)
        self.notes(f"UPDATE schema_migrations SET state = 'DONE' WHERE version = {self.want}")
        self.assertEqual(d.do("migrate")["err"], "ok")

    def test_statement_that_fails(self):
        """It stays noted as begun, and the error has the line."""
        self.notes("CREATE TABLE records (id INT)")
        d = self.driver()
        answer = d.do("migrate")
        self.assertEqual(answer["err"], "internal")
        self.assertRegex(answer["why"], r"^schema/001_spine\.sql: line \d+: .*records")
        self.assertEqual(d.do("migrate")["err"], "conflict")
        self.assertEqual(d.do("version")["have"], 0)

    def test_file_that_changed(self):
        d = self.driver()
        d.do("migrate")
        self.notes("UPDATE schema_migrations SET checksum = REPEAT('0', 64) WHERE version = 1")
        answer = d.do("migrate")
        self.assertEqual((answer["err"], "differs from the file" in answer["why"]), ("conflict", True))

    def test_tsig_keys_of_before(self):
        """What an operator may have put into the table by hand is taken over."""
        d = self.driver()
        d.do("migrate")
        self.notes("ALTER TABLE tsigkeys DROP FOREIGN KEY tsigkey_domain, DROP KEY tsigkey_domain,"
                   " DROP CONSTRAINT tsigkey_algorithm, DROP COLUMN domain_id; "
                   "DELETE FROM schema_migrations WHERE version = 2; "
                   "INSERT INTO tsigkeys (id, name, algorithm, secret) "
                   f"VALUES ('{'1' * 32}', 'old.', 'HMAC-SHA256.', 'c2VjcmV0')")
        answer = d.do("migrate")
        self.assertEqual(answer["err"], "ok", answer["why"])
        self.assertEqual(self.notes("SELECT algorithm, domain_id FROM tsigkeys"),
                         [["hmac-sha256", "NULL"]])

    def test_names_before_of_before(self):
        """Each of them is served until its CNAME is gone, if it has one, and has its route."""
        d = self.driver()
        d.do("migrate")
        router = "(name, dns, ttl, zone, state, created_at) VALUES"
        self.notes(
            "ALTER TABLE route_moves DROP COLUMN ttl, "
            "MODIFY COLUMN state ENUM('ADD', 'HAVE', 'DROP', 'TOLD') NOT NULL; "
            "DELETE FROM schema_migrations WHERE version = 20; "
            f"INSERT INTO routers {router} ('a', 'a', 1, '{{}}', 'active', NOW(3)), "
            "('b', 'b', 1, '{}', 'going', NOW(3)); "
            "INSERT INTO routes (id, namespace, name, project_id, labels, backend, retry_at, "
            "created_at) VALUES ('live', 'n', 'r', 'p', '', '', NOW(3), NOW(3)); "
            "INSERT INTO route_bindings VALUES ('n', 'r', 'live', 'a', 'x', 1, NOW(3))")
        rows = [("live", "a", "t", "ADD", "ADD"), ("live", "a", "t", "TOLD", "TOLD"),
                ("live", "a", "t", "HAVE", "HAVE"), ("live", "a", None, "HAVE", "CACHED"),
                ("live", "a", "t", "DROP", "WITHDRAW"), ("live", "a", None, "DROP", "DROP"),
                ("live", "b", "t", "DROP", "DROP"), ("gone", "a", "t", "DROP", "DROP")]
        for number, (route, router, target, state, _) in enumerate(rows):
            target = f"'{target}'" if target else "NULL"
            self.notes(f"INSERT INTO route_moves VALUES ('{route}', '{router}', 'd{number}', "
                       f"{target}, '{state}', 0, NOW(3), NOW(3), NULL)")
        answer = d.do("migrate")
        self.assertEqual(answer["err"], "ok", answer["why"])
        self.assertEqual([state for state, in self.notes(
            "SELECT state FROM route_moves ORDER BY dns")], [row[-1] for row in rows])

    def test_program_older_than_the_schema(self):
        d = self.driver()
        d.do("migrate")
        self.notes("INSERT INTO schema_migrations (version, name, checksum, state) "
                   "VALUES (999, 'future', '', 'DONE')")
        self.assertEqual(d.do("migrate")["err"], "ok")
        self.assertEqual(d.do("version")["have"], 999)


class Schema(unittest.TestCase):
    """What the tables themselves refuse."""

    TASKS = "ADD", "UPDATE", "DELETE", "NONE"
    STATUSES = "PENDING", "ACTIVE", "ERROR", "DELETED"
    VALID = {(task, status) for task in TASKS[:3] for status in ("PENDING", "ERROR")} | {
        ("NONE", "ACTIVE"), ("NONE", "DELETED")}

    @classmethod
    def setUpClass(cls):
        cls.pool, cls.domain, cls.recordset = ("1" * 32, "2" * 32, "3" * 32)
        server.sql(f"INSERT INTO pools (id, name) VALUES ('{cls.pool}', 'p')")
        server.sql(cls.domain_sql(cls.domain, "base.example.", "ADD", "PENDING"))
        server.sql(f"INSERT INTO recordsets (id, domain_id, name, type) "
                   f"VALUES ('{cls.recordset}', '{cls.domain}', 'base.example.', 1)")

    @classmethod
    def domain_sql(cls, id, name, task, status, serial=U32_MAX):
        return ("INSERT INTO domains (id, name, ancestry, tenant, pool_id, serial, task, status, "
                "mname, rname, soa_ttl, refresh, retry, expire, minimum, ttl) VALUES "
                f"('{id}', '{name}', 'x', 't', '{cls.pool}', {serial}, '{task}', '{status}', "
                "'ns.', 'admin.', 1, 1, 1, 1, 1, 1)")

    def record_sql(self, id, rdata, task, status):
        return ("INSERT INTO records (id, recordset_id, domain_id, data, rdata, serial_number, "
                f"task, status) VALUES ('{id}', '{self.recordset}', '{self.domain}', 'd', "
                f"UNHEX('{rdata}'), {U32_MAX}, '{task}', '{status}')")

    def test_pairs_of_task_and_status(self):
        d = Driver()
        self.addCleanup(d.close)
        for n, pair in enumerate(itertools.product(self.TASKS, self.STATUSES)):
            want = "ok" if pair in self.VALID else "internal"
            id = f"{n + 16:032x}"
            for sql, rule in ((self.domain_sql(id, f"d{n}.example.", *pair), "domain_state"),
                              (self.record_sql(id, f"{n:08x}", *pair), "record_state")):
                with self.subTest(pair=pair, rule=rule):
                    answer = d.once(sql)
                    self.assertEqual(answer["err"], want, answer["why"])
                    self.assertEqual(rule in answer["why"], want != "ok")

    def test_one_living_domain_of_a_name(self):
        d = Driver()
        self.addCleanup(d.close)
        for id, task, status, want in (("a", "NONE", "DELETED", "ok"), ("b", "NONE", "DELETED", "ok"),
                                       ("c", "ADD", "PENDING", "ok"), ("d", "ADD", "PENDING", "exists"),
                                       ("e", "DELETE", "PENDING", "exists")):
            with self.subTest(id=id):
                answer = d.once(self.domain_sql(id * 32, "one.example.", task, status))
                self.assertEqual(answer["err"], want)

    def test_one_living_record_of_its_data(self):
        d = Driver()
        self.addCleanup(d.close)
        for id, task, status, want in (("a", "DELETE", "PENDING", "ok"), ("b", "NONE", "DELETED", "ok"),
                                       ("c", "ADD", "PENDING", "ok"), ("d", "NONE", "ACTIVE", "exists")):
            with self.subTest(id=id):
                self.assertEqual(d.once(self.record_sql(id * 32, "c0000201", task, status))["err"], want)

    def key_sql(self, id, algorithm="hmac-sha256", domain="NULL"):
        return ("INSERT INTO tsigkeys (id, name, algorithm, secret, domain_id) "
                f"VALUES ('{id * 32}', '{id}.', '{algorithm}', 'c2VjcmV0', {domain})")

    def test_algorithms_of_tsig_keys(self):
        d = Driver()
        self.addCleanup(d.close)
        for id, algorithm in enumerate(("hmac-sha1", "hmac-sha224", "hmac-sha256", "hmac-sha384",
                                        "hmac-sha512")):
            answer = d.once(self.key_sql(str(id), algorithm))
            self.assertEqual(answer["err"], "ok", answer["why"])
        for algorithm in ("hmac-md5", "hmac-sha256.", "HMAC-SHA256", ""):
            answer = d.once(self.key_sql("f", algorithm))
            self.assertEqual(answer["err"], "internal", algorithm)
            self.assertIn("tsigkey_algorithm", answer["why"])

    def test_the_keys_of_a_domain_go_with_it(self):
        d = Driver()
        self.addCleanup(d.close)
        domain = "e" * 32
        self.assertEqual(d.once(self.key_sql("a", domain=f"'{domain}'"))["err"], "conflict")
        d.once(self.domain_sql(domain, "keys.example.", "ADD", "PENDING"))
        d.once(self.key_sql("a", domain=f"'{domain}'"))
        d.once(self.key_sql("b"))
        d.once(f"DELETE FROM domains WHERE id = '{domain}'")
        self.assertEqual(server.sql("SELECT name FROM tsigkeys WHERE name IN ('a.', 'b.')"),
                         [["b."]])

    def test_serials_are_of_32_bits(self):
        d = Driver()
        self.addCleanup(d.close)
        self.assertEqual(d.one(f"SELECT serial FROM domains WHERE id = '{self.domain}'", "u"), [U32_MAX])
        for serial in -1, U32_MAX + 1:
            answer = d.once(self.domain_sql("f" * 32, "f.example.", "ADD", "PENDING", serial))
            self.assertEqual(answer["err"], "invalid")


if __name__ == "__main__":
    unittest.main()

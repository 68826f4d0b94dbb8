"""What mini-DNS says to a pool manager while the database, or central, is in the way."""

import re
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from poolmgr_lab import (                                               # noqa: E402
    HOST, SECONDS, SERIAL, PoolmgrLab, free_port, late, report, wait_for)
from holding import holding                                             # noqa: E402
from hosts import Hosts                                                 # noqa: E402

DELETED = 60
LOCKED_SECONDS = 10
FEW = DELETED // 2      # transactions, of what would be one a report: others begin some, too


def setUpModule():
    lab = ReportStory.lab = unittest.enterModuleContext(PoolmgrLab(
        {"one": {}, "two": {"host": "lab.test"}}, domains=DELETED + 10,
        settings={"poolmgr": {"periodic_sync_interval": 86400}, "backends": {"catalog": {
            "servers": [{"id": "cat", "host": HOST, "port": free_port()}]}}}))
    ReportStory.hosts = Hosts(lab.folder)
    ReportStory.poolmgr = lab.add_poolmgr()
    ReportStory.hosts.seen_by(ReportStory.poolmgr)
    ReportStory.poolmgr.launch()
    ReportStory.poolmgr.wait_ready()
    ReportStory.minidns = lab.minidns()


class ReportStory(unittest.TestCase):

    def tell(self, *reports):
        self.minidns.cast("update_statuses", reports=list(reports))

    def rows(self, domain, server, action):
        return self.lab.sql("SELECT status, reason FROM pool_manager_status "
                            f"WHERE domain_id = '{domain['id']}' AND action = '{action}' "
                            f"AND server_id = '{server}'")

    def wait_row(self, domain, server, action, wanted):
        wait_for(lambda: self.rows(domain, server, action) == [wanted], SECONDS,
                 f"{wanted} of {server}", [self.poolmgr.log])

    def domain(self, number):
        return self.lab.domains()[f"zone-{number}.many.example."]


class Locks(ReportStory):

    def test_central_holds_the_domain(self):
        """A report is written, and is not kept waiting until central is done."""
        domain = self.domain(1)
        where = f"domain_id = '{domain['id']}'"
        self.lab.sql(f"DELETE FROM pool_manager_status WHERE {where} AND action = 'UPDATE'")
        with holding(self.lab.mariadb,
                     f"SELECT id FROM domains WHERE id = '{domain['id']}' FOR UPDATE"):
            self.tell(report(domain, "one", "ERROR", None, reason="says the story"))
            self.wait_row(domain, "one", "UPDATE", ["ERROR", "says the story"])
            self.lab.sql(f"DELETE FROM pool_manager_status WHERE {where}")
            self.minidns.cast("create_domain", domain=domain)
            self.wait_row(domain, "one", "CREATE", ["SUCCESS", ""])

    def test_a_row_is_locked(self):
        """Its report is tried again until the row is free. The others are taken at once.

        The report counts once as a failure of its server.
        """
        locked, beside = self.domain(7), self.domain(8)
        others = [self.domain(number) for number in (3, 9, 61, 62)]
        before, words = late(self.poolmgr, 0.5), 0
        with holding(self.lab.mariadb, "SELECT id FROM pool_manager_status "
                     f"WHERE domain_id = '{locked['id']}' FOR UPDATE"):
            self.tell(report(locked, "two", "ERROR", None, reason="waits", silent=True),
                      report(beside, "one", "ERROR", None, reason="beside it"))
            self.wait_row(beside, "one", "UPDATE", ["ERROR", "beside it"])
            self.minidns.cast("sync_domain", domain=locked)
            until = time.monotonic() + LOCKED_SECONDS
            while time.monotonic() < until:
                words += 1
                for other in others:
                    self.tell(report(other, "one", "ERROR", None, reason=f"{words}"))
                for other in others:
                    self.wait_row(other, "one", "UPDATE", ["ERROR", f"{words}"])
        # once it is written; the sync gives the row another reason: "two" has no address
        wait_for(lambda: self.failures("two"), SECONDS, "it is counted", [self.poolmgr.log])
        self.assertEqual(self.rows(locked, "two", "UPDATE")[0][0], "ERROR")
        self.assertEqual(self.failures("two"), 1)
        self.assertEqual(late(self.poolmgr, 0.5) - before, 0)

    def failures(self, server):
        return int(self.lab.sql(f"SELECT failures FROM pool_servers WHERE id = '{server}'")[0][0])

    def test_deletions_of_a_message_are_one_transaction(self):
        self.lab.sql("UPDATE domains SET task = 'DELETE', status = 'PENDING' "
                     f"WHERE name LIKE 'zone-__.%' LIMIT {DELETED}")
        self.lab.sql("INSERT INTO pool_manager_status (id, server_id, domain_id, action, status, "
                     "next_attempt_at) SELECT MD5(CONCAT('d', id)), 'one', id, 'DELETE', "
                     "'NO_DOMAIN', NOW() + INTERVAL 1 HOUR FROM domains WHERE task = 'DELETE'")
        going = [domain for domain in self.lab.domains().values() if domain["task"] == "DELETE"]
        before = self.lab.statements("begin")
        self.tell(*(report(domain, "one", "NO_DOMAIN", None) for domain in going))
        wait_for(lambda: self.lab.count("server_id = 'one' AND action = 'DELETE' "
                                        "AND status = 'SUCCESS'") == DELETED, SECONDS,
                 "all are recorded", [self.poolmgr.log])
        self.assertLess(self.lab.statements("begin") - before, FEW)


class Older(ReportStory):

    def serial(self, domain):
        return int(self.lab.sql("SELECT serial_number FROM pool_manager_status WHERE server_id = "
                                f"'one' AND action = 'UPDATE' AND domain_id = '{domain['id']}'"
                                )[0][0])

    def test_a_late_report(self):
        """It may come after a success. An older serial is believed when it is seen anew."""
        domain = self.domain(2)
        for words in "late", "late, again":
            self.tell(report(domain, "one", "ERROR", SERIAL - 2, reason=words))
            self.wait_row(domain, "one", "UPDATE", ["ERROR", words])
            self.assertEqual(self.serial(domain), SERIAL)
        wait_for(lambda: self.lab.count(f"domain_id = '{domain['id']}' AND action = 'UPDATE' "
                                        "AND server_id = 'one' AND attempts > 1"), SECONDS,
                 "a new attempt", [self.poolmgr.log])
        self.tell(report(domain, "one", "ERROR", SERIAL - 2, reason="seen anew"))
        self.wait_row(domain, "one", "UPDATE", ["ERROR", "seen anew"])
        self.assertEqual(self.serial(domain), SERIAL - 2)


class Answers(ReportStory):

    def health(self):
        return self.lab.sql("SELECT failures, last_error FROM pool_servers WHERE id = 'one'")[0]

    def test_answer_while_silence_is_written(self):
        """It takes back what is not in the row yet."""
        silent, answers = self.domain(5), self.domain(6)
        heard = f"domain_id = '{answers['id']}' AND action = 'UPDATE' AND server_id = 'one'"
        self.lab.sql(f"DELETE FROM pool_manager_status WHERE {heard}")
        self.lab.sql("UPDATE pool_servers SET last_error = 'before' WHERE id = 'one'")
        with holding(self.lab.mariadb, "SELECT id FROM pool_servers FOR UPDATE"):
            self.tell(report(silent, "one", "ERROR", None, silent=True, reason="no answer"))
            wait_for(lambda: self.lab.sql(
                "SELECT id FROM information_schema.processlist WHERE info LIKE "
                "'UPDATE pool_servers SET failures%'"), SECONDS, "it is being written",
                [self.poolmgr.log])
            self.tell(report(answers, "one"))
            wait_for(lambda: self.lab.count(heard) == 1, SECONDS, "it is heard",
                     [self.poolmgr.log])
        wait_for(lambda: self.health() == ["0", ""], SECONDS, "nothing is left of it",
                 [self.poolmgr.log])


    def test_servfail_of_a_server_that_never_had_the_zone(self):
        """It may not reach mini-DNS. Whoever has had the zone, or reads a catalog, can."""
        domain, words = self.domain(1), "answers with SERVFAIL"
        masters, = re.findall(r'masters *= *[\[(] *"([^"]+)"', self.poolmgr.config.read_text())
        self.lab.sql(f"DELETE FROM pool_manager_status WHERE domain_id = '{domain['id']}' "
                     "AND action = 'UPDATE'")
        unseen = (f"{words}; no poll has found a serial of this zone yet: check that the server "
                  f"can transfer the zone from {masters}")
        for server, reason in ("one", unseen), ("cat", words):
            self.tell(report(domain, server, "ERROR", None, reason=words))
            self.wait_row(domain, server, "UPDATE", ["ERROR", reason])
        self.tell(report(domain, "one"))
        self.wait_row(domain, "one", "UPDATE", ["SUCCESS", ""])
        self.tell(report(domain, "one", "ERROR", None, reason=words))
        self.wait_row(domain, "one", "UPDATE", ["ERROR", words])


class Absences(ReportStory):
    """Of a server that reads a catalog, in a pool that has none."""

    def delete(self, number, seen=None):
        """SEEN: the status after the last poll."""
        domain = self.domain(number)
        self.lab.sql("UPDATE domains SET task = 'DELETE', status = 'PENDING', "
                     f"changed_at = NOW(3) WHERE id = '{domain['id']}'")
        self.lab.sql("INSERT INTO pool_manager_status (id, server_id, domain_id, action, "
                     f"attempts, next_attempt_at) VALUES (MD5('cat {number}'), 'cat', "
                     f"'{domain['id']}', 'DELETE', 3, NOW(3) + INTERVAL 1 HOUR)")
        self.addCleanup(self.lab.sql, "UPDATE domains SET task = 'NONE', status = 'ACTIVE' "
                        f"WHERE id = '{domain['id']}'")
        if seen:
            self.lab.sql(
                "INSERT INTO pool_manager_status (id, server_id, domain_id, action, status, "
                f"serial_number) VALUES (MD5('seen {number}'), 'cat', "
                f"'{domain['id']}', 'UPDATE', '{seen}', {SERIAL})")
        return domain | {"task": "DELETE", "status": "PENDING"}

    def test_refused_alone_is_no_absence(self):
        doubt = ("answers with REFUSED, which does not prove that the zone is gone: the server may "
                 "refuse mini-DNS (access list, views)")
        never, silent = self.delete(63), self.delete(64, "ERROR")
        for domain in never, silent:
            self.tell(report(domain, "cat", "NO_DOMAIN", None, reason="answers with REFUSED"))
            self.wait_row(domain, "cat", "DELETE", ["ERROR", doubt])
        answered = self.delete(65, "SUCCESS")
        self.tell(report(answered, "cat", "NO_DOMAIN", None, reason="answers with REFUSED"))
        self.wait_row(answered, "cat", "DELETE", ["SUCCESS", ""])


class Losses(ReportStory):
    """The database goes while something of the loop's own is written: others wait for it."""

    def test_address_that_is_known(self):
        with holding(self.lab.mariadb, "SELECT id FROM pool_servers FOR UPDATE"):
            self.hosts.put("lab.test", "127.0.0.2")
            self.lab.kill_waiting("INSERT INTO pool_servers")
        wait_for(lambda: self.lab.sql("SELECT host FROM pool_servers WHERE id = 'two'") ==
                 [["127.0.0.2"]], SECONDS, "it is registered", [self.poolmgr.log])
        self.assertNotIn("process ended", self.poolmgr.log.read_text())

    def test_serial_that_is_raised(self):
        """Central is not there: that is what the record says."""
        domain = self.domain(4)
        logged = f"SELECT outcome FROM repair_log WHERE object_uuid = '{domain['id']}'"
        with holding(self.lab.mariadb, "SELECT id FROM repair_log FOR UPDATE"):
            self.tell(report(domain, "one", "ERROR", SERIAL + 10, reason="says the story"))
            self.lab.kill_waiting("INSERT INTO repair_log")
        wait_for(lambda: self.lab.sql(logged) == [["FAILED"]], SECONDS, "it is recorded",
                 [self.poolmgr.log])
        self.assertNotIn("process ended", self.poolmgr.log.read_text())


class Rounds(ReportStory):

    def test_rows_whose_domain_is_gone(self):
        """Central deleted it for good while a row of it was written."""
        domain = self.domain(2)
        where = f"domain_id = '{domain['id']}'"
        others = self.lab.count(f"NOT {where} AND action = 'CREATE'")
        self.poolmgr.configure({"poolmgr": {"periodic_sync_interval": 1}})
        self.poolmgr.reload()
        self.lab.sql(f"DELETE FROM domains WHERE id = '{domain['id']}'")
        self.assertGreater(self.lab.count(where), 0)
        wait_for(lambda: self.lab.count(where) == 0, SECONDS, "its rows go", [self.poolmgr.log])
        self.assertGreaterEqual(self.lab.count(f"NOT {where} AND action = 'CREATE'"), others)


if __name__ == "__main__":
    unittest.main(verbosity=2)

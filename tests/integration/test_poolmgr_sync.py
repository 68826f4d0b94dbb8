"""A pool manager that is behind with thousands of domains: by few statements, beside its loop."""

import re
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from poolmgr_lab import SECONDS, PoolmgrLab, late, wait_for             # noqa: E402

DOMAINS = 300
FEW = DOMAINS // 3   # statements, of what would be one a row: others do something, too


def setUpModule():
    # what mini-DNS is told is lost, and each round tells it again
    lab = SyncStory.lab = unittest.enterModuleContext(PoolmgrLab(
        {"one": {}, "two": {}}, domains=DOMAINS,
        settings={"poolmgr": {"periodic_sync_interval": 1, "sync_batch": 100}}))
    SyncStory.poolmgr = lab.start_poolmgr()


class SyncStory(unittest.TestCase):

    def sql(self, text):
        return self.lab.sql(text)

    def count(self, where):
        return self.lab.count(where)

    def statements(self, kind):
        return self.lab.statements(kind)

    def wait_none(self, where, what):
        wait_for(lambda: self.count(where) == 0, SECONDS, what, [self.poolmgr.log])

    def metrics(self):
        return self.poolmgr.page("/metrics")[1]

    def beats(self):
        return int(re.search(r"loop_late_seconds_count (\d+)", self.metrics())[1])

    def late(self, seconds):
        return late(self.poolmgr, seconds)


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
            "WHERE s.action = 'DELETE' AND s.reason LIKE 'a new domain has%' "
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

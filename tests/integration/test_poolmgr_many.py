"""Ten thousand reports that are not as they should be come at once: all are recorded soon."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from poolmgr_lab import SECONDS, SERIAL, PoolmgrLab, report, wait_for   # noqa: E402

DOMAINS = 10_000
LIST = 256              # reports of a message


class Many(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.lab = cls.enterClassContext(PoolmgrLab(
            {"one": {}}, domains=DOMAINS, settings={
                "poolmgr": {"periodic_sync_interval": 86400}, "backends": {"catalog": {
                    "servers": [{"id": "cat", "host": "127.0.0.1", "port": 9}]}}}))
        cls.poolmgr = cls.lab.start_poolmgr()
        cls.minidns = cls.lab.minidns()
        cls.domains = list(cls.lab.domains().values())

    def tell(self, *args, **more):
        reports = [report(domain, *args, **more) for domain in self.domains]
        for at in range(0, DOMAINS, LIST):
            self.minidns.cast("update_statuses", reports=reports[at:at + LIST])

    def recorded(self, where, what):
        wait_for(lambda: self.lab.count(where) == DOMAINS, SECONDS, what, [self.poolmgr.log])

    def test_ahead(self):
        self.tell("one", serial=SERIAL + 10)
        self.recorded("server_id = 'one' AND action = 'UPDATE' AND status = 'ERROR' "
                      "AND reason LIKE 'serves serial %'", "servers that are ahead")

    def test_differs(self):
        self.tell("one", differs=True, reason="says the story")
        self.recorded("server_id = 'one' AND action = 'UPDATE' AND differs_since IS NOT NULL",
                      "servers with other records")

    def test_gone(self):
        """The last one: no server has it."""
        for domain in self.domains:
            domain |= {"task": "DELETE", "status": "PENDING"}
        self.lab.sql("UPDATE domains SET task = 'DELETE', status = 'PENDING', changed_at = NOW(3)")
        self.lab.sql(
            "INSERT INTO pool_manager_status (id, server_id, domain_id, action, status, "
            "attempts, next_attempt_at) SELECT MD5(CONCAT('d', id)), 'cat', id, 'DELETE', NULL, 9, "
            "NOW() + INTERVAL 1 HOUR FROM domains")
        self.tell("cat", "NO_DOMAIN", None, reason="answers with REFUSED")
        self.recorded("server_id = 'cat' AND action = 'DELETE' AND "
                      "reason LIKE 'answers with REFUSED%'",
                      "zones that may be gone")


if __name__ == "__main__":
    unittest.main(verbosity=2)

"""What mini-DNS says to a pool manager while the database is in trouble."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from poolmgr_lab import SECONDS, SERIAL, PoolmgrLab, report, wait_for   # noqa: E402
from holding import holding                                             # noqa: E402
from hosts import Hosts                                                 # noqa: E402

def setUpModule():
    lab = ReportStory.lab = unittest.enterModuleContext(PoolmgrLab(
        {"one": {}, "two": {"host": "lab.test"}}, domains=10,
        settings={"poolmgr": {"periodic_sync_interval": 86400}}))
    ReportStory.hosts = Hosts(lab.folder)
    ReportStory.hosts.put("lab.test", "127.0.0.1", "127.0.0.2")
    ReportStory.poolmgr = lab.add_poolmgr()
    ReportStory.hosts.seen_by(ReportStory.poolmgr)
    ReportStory.poolmgr.launch()
    ReportStory.poolmgr.wait_ready()
    ReportStory.minidns = lab.minidns()


class ReportStory(unittest.TestCase):

    def tell(self, *reports):
        self.minidns.cast("update_statuses", reports=list(reports))

    def domain(self, number):
        return self.lab.domains()[f"zone-{number}.many.example."]


class Losses(ReportStory):
    """The database goes while something of the loop's own is written: others wait for it."""

    def test_address_that_changes(self):
        domain = self.domain(3)
        silent = report(domain, "two", "ERROR", None, silent=True, reason="no answer")
        with holding(self.lab.mariadb, "SELECT id FROM pool_servers FOR UPDATE"):
            for _ in range(4):
                self.tell(silent)
            wait_for(lambda: "host has another address" in self.poolmgr.log.read_text(), SECONDS,
                     "the next address is in use", [self.poolmgr.log])
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


if __name__ == "__main__":
    unittest.main(verbosity=2)

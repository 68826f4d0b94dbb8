"""Name servers by their names: one that is not known yet, and one with several addresses."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from poolmgr_lab import SECONDS, PoolmgrLab, report, wait_for           # noqa: E402
from hosts import Hosts                                                 # noqa: E402

ADDRESSES = ["127.0.0.1", "127.0.0.2", "2001:db8::1"]


def setUpModule():
    lab = NameStory.lab = unittest.enterModuleContext(PoolmgrLab(
        {"one": {}, "late": {"host": "late.test"}, "many": {"host": "many.test"}}, domains=5,
        settings={"poolmgr": {"periodic_sync_interval": 86400}}))
    NameStory.hosts = Hosts(lab.folder)
    NameStory.hosts.names({"many.test": ADDRESSES})
    NameStory.poolmgr = lab.add_poolmgr()
    NameStory.hosts.seen_by(NameStory.poolmgr)
    NameStory.poolmgr.launch()
    NameStory.poolmgr.wait_ready()
    NameStory.minidns = lab.minidns()


class NameStory(unittest.TestCase):

    def wait_for(self, condition, what):
        return wait_for(condition, SECONDS, what, [self.poolmgr.log])

    def log(self):
        return self.poolmgr.log.read_text()

    def server(self, name):
        return self.lab.sql(f"SELECT host, addresses FROM pool_servers WHERE id = '{name}'")[0]

    def trouble(self, name):
        """As `zonefleet status` has it."""
        return self.lab.sql("SELECT NULLIF(last_error, '') FROM pool_servers "
                            f"WHERE id = '{name}'")[0][0]

    def addresses(self, name):
        return sorted(self.server(name)[1].split())


class Late(NameStory):

    def test_name_that_is_known_later(self):
        """The pool manager is there, says so, and takes the server up with its name."""
        self.assertEqual(self.server("late"), ["", ""])
        self.assertEqual(self.trouble("late"), "the pool manager has no address of the host")
        self.wait_for(lambda: "host not resolved: host=late.test" in self.log(), "it is said")
        domain = self.lab.domains()["zone-1.many.example."]
        self.minidns.cast("update_domain", domain=domain)
        where = f"domain_id = '{domain['id']}' AND action = 'UPDATE' AND server_id = 'late'"
        self.wait_for(lambda: self.lab.count(
            f"{where} AND status = 'ERROR' AND reason LIKE '%host late.test'"), "status has it")
        self.assertFalse(self.told_again())
        before = self.come_and_go()
        self.hosts.names({"many.test": ADDRESSES, "late.test": ["127.0.0.3"]})
        self.wait_for(lambda: self.server("late") == ["127.0.0.3"] * 2, "it is let in")
        self.wait_for(self.told_again, "what it missed is done")
        self.wait_released(*before)
        self.assertEqual(self.trouble("late"), "NULL")
        self.assertEqual(self.log().count("host not resolved"), 1)

    def row_of(self, domain, action):
        found = self.lab.sql("SELECT status, reason FROM pool_manager_status WHERE domain_id = "
                             f"'{domain['id']}' AND action = '{action}' AND server_id = 'late'")
        return found[0] if found else None

    def come_and_go(self):
        """The rows say why nothing confirms it; their own time is a day away."""
        nameless = ["ERROR", "the pool manager has no address of the host late.test"]
        created, deleted = (self.lab.domains()[f"zone-{number}.many.example."] for number in (3, 4))
        self.lab.sql("DELETE FROM pool_manager_status WHERE action = 'UPDATE' "
                     f"AND domain_id = '{created['id']}'")
        self.lab.sql("UPDATE domains SET task = 'DELETE', status = 'PENDING' "
                     f"WHERE id = '{deleted['id']}'")
        self.minidns.cast("create_domain", domain=created)
        self.minidns.cast("delete_domain", domain=deleted)
        self.wait_for(lambda: self.row_of(created, "UPDATE") == nameless, "the new one has it")
        self.wait_for(lambda: self.row_of(deleted, "DELETE") == nameless, "the old one has it")
        self.lab.sql("UPDATE pool_manager_status SET next_attempt_at = NOW(3) + INTERVAL 1 DAY "
                     "WHERE server_id = 'late' AND status = 'ERROR'")
        return created, deleted

    def wait_released(self, created, deleted):
        self.wait_for(lambda: self.row_of(deleted, "DELETE") == ["NO_DOMAIN", ""], "deleted again")
        self.wait_for(lambda: self.lab.count(
            f"server_id = 'late' AND action = 'UPDATE' AND domain_id = '{created['id']}' "
            "AND next_attempt_at < NOW(3) + INTERVAL 1 HOUR") == 1, "the new one is due")

    def told_again(self):
        """Nobody is there to hear it."""
        return "to=minidns.recovery method=propagate_zones" in self.log()


class Several(NameStory):

    def test_all_are_let_in(self):
        self.assertEqual(self.addresses("many"), ADDRESSES)

    def test_process_that_does_not_know_it(self):
        """It leaves what those wrote who do."""
        self.lab.sql("UPDATE pool_servers SET last_error = 'no answer, it says' "
                     "WHERE id = 'many'")
        other = self.lab.add_poolmgr("other")
        Hosts(other.folder).seen_by(other)
        other.launch()
        other.wait_ready()
        wait_for(lambda: "host not resolved: host=many.test" in other.log.read_text(), SECONDS,
                 "it does not know the name", [other.log])
        other.stop()
        self.assertEqual(self.trouble("many"), "no answer, it says")
        self.lab.sql("UPDATE pool_servers SET last_error = '' WHERE id = 'many'")

    def test_another_one(self):
        """The name is looked up again when a server is silent."""
        self.hosts.names({"many.test": ADDRESSES[:2] + ["192.0.2.9"], "late.test": ["127.0.0.3"]})
        domain = self.lab.domains()["zone-2.many.example."]
        silent = report(domain, "many", "ERROR", None, silent=True, reason="no answer")
        for _ in range(4):
            self.minidns.cast("update_statuses", reports=[silent])
        self.wait_for(lambda: self.addresses("many") == ADDRESSES[:2] + ["192.0.2.9"],
                      "the new one is let in")
        self.assertIn(self.server("many")[0], ADDRESSES[:2] + ["192.0.2.9"])


if __name__ == "__main__":
    unittest.main(verbosity=2)

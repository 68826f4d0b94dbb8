"""The database in trouble during a stream: hung, full, out of one pool manager's sight.

ZONEFLEET_FAULTS=short is what CI runs; ZONEFLEET_SEED=N repeats the moments of a run.
"""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from disks import SmallDiskFleet, can_mount, enter_namespace, is_full     # noqa: E402
from faults import (RECOVERED_SECONDS, ROUNDS, SHORT, FaultStory, hold,  # noqa: E402
                    start_module)
from gate import Gate                                           # noqa: E402
from lab.process import HOST                                    # noqa: E402

STATEMENT_SECONDS = 3
HUNG_SECONDS = 8 if SHORT else 20
TURN_SECONDS = 30       # until a pool manager has come, or gone
POOL = "pool_manager.default"


def setUpModule():
    start_module("zfdb", start=SmallDiskFleet.start_story,
                 settings={"database": {"timeout": STATEMENT_SECONDS}})


class Database(FaultStory):

    def test_hung(self):
        """Longer than any statement may take; what was done by then nobody knows at first."""
        database = self.fleet.mariadb
        self.addCleanup(database.resume)
        with self.stream():
            for _ in range(ROUNDS):
                self.wait_changes()
                database.pause()
                hold(HUNG_SECONDS)
                database.resume()
                self.wait_changes()
        self.assert_healed()

    def test_rights_taken_and_given_back(self):
        """What came meanwhile is done soon after, and nothing of it waits for longer."""
        database = self.fleet.mariadb
        account = f"{database.user}@'{database.host}'"
        grant = f"GRANT ALL ON {database.database}.* TO {account}"
        self.addCleanup(database.sql, grant, administrator=True)
        with self.stream():
            for rights in self.each(("INSERT, UPDATE, DELETE", "ALL PRIVILEGES")):
                self.wait_changes()
                database.sql(f"REVOKE {rights} ON {database.database}.* FROM {account}; "
                             f"KILL USER {account}", administrator=True)
                if rights == "ALL PRIVILEGES":
                    self.wait_unwell("denied")
                else:       # they can read, and it answers: who writes finds out
                    self.fleet.wait_for(self.is_denied, TURN_SECONDS, "central says so")
                database.sql(grant, administrator=True)
                self.wait_well()
                self.wait_changes(RECOVERED_SECONDS)
        self.fleet.wait_for(lambda: not self.checker.messages(), RECOVERED_SECONDS,
                            "no message waits any more")
        self.assert_healed()

    def is_denied(self):
        return any("denied" in worker.page("/healthz")[1]
                   for worker in self.fleet.workers if worker.kind == "central")

    @unittest.skipUnless(can_mount(), "no mounts of one's own are to be had here")
    def test_disk_full(self):
        """Tables that cannot grow refuse what is new; nothing of it is accepted."""
        database = self.fleet.mariadb
        self.addCleanup(database.free_disk)
        with self.stream():
            self.wait_changes()
            database.fill_disk()
            self.fleet.wait_for(self.is_refused, TURN_SECONDS, "a change was refused")
            database.free_disk()
            self.wait_changes()
        self.assert_healed()

    def is_refused(self):
        self.producers.raise_error()
        return is_full(self.fleet.mariadb.data) and self.producers.refusals


class Sight(FaultStory):
    """Each pool manager has a way of its own to the database."""

    @classmethod
    def setUpClass(cls):
        cls.gates = {}
        for worker in cls.fleet.poolmgrs:
            gate = cls.gates[worker] = Gate(cls.fleet.mariadb.port)
            cls.addClassCleanup(gate.stop)
            cls.direct(worker, gate.port)
            cls.addClassCleanup(cls.direct, worker, cls.fleet.mariadb.port)

    @classmethod
    def direct(cls, worker, port):
        worker.configure({"database": {"host": f"{HOST}:{port}"}})
        worker.restart()

    def roster(self):
        """The worker of each active pool manager, the master first."""
        rows = self.fleet.mariadb.sql(
            "SELECT plugin_name FROM worker_nodes WHERE status = 'active' AND hash_factor "
            f"IS NOT NULL AND service = '{POOL}' ORDER BY role = 'master' DESC")
        return [self.worker_of(int(row[0].split(":")[1])) for row in rows]

    def worker_of(self, pid):
        return next((worker for worker in self.fleet.poolmgrs if pid in worker.processes()), None)

    def is_complete(self):
        """A process of before the restarts is in it until it is missed."""
        return set(self.roster()) == set(self.fleet.poolmgrs)

    def wait_roster(self, *wanted):
        self.fleet.wait_for(lambda: self.roster() == list(wanted), TURN_SECONDS,
                            f"the pool managers are {[worker.name for worker in wanted]}")

    def test_a_master_that_cannot_see_it(self):
        """Another is elected; when it sees again what it had begun, all that is another's."""
        self.fleet.wait_for(self.is_complete, TURN_SECONDS, "both are in it, and nobody else")
        with self.stream():
            for _ in range(ROUNDS):
                master, other = self.roster()
                pid, = master.processes()
                self.wait_changes()
                self.gates[master].close()
                self.addCleanup(self.gates[master].open_again)
                self.wait_roster(other)
                self.wait_changes()
                self.gates[master].open_again()
                self.wait_roster(other, master)
                self.wait_changes()
                self.assertEqual(self.audit.late_writes(pid, self.mark), [])
        self.assert_healed()


if __name__ == "__main__":
    enter_namespace()
    unittest.main(verbosity=2)

"""Programs that have a bug: the checker and the audit see what comes of it during faults.

What the same programs without it do under the same faults is in the other stories: nothing
is to be complained of. ZONEFLEET_SEED=N repeats the moments of a run.
"""

import os
import signal
import sys
import unittest
from pathlib import Path

import oslo_messaging as om

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import planted                                                  # noqa: E402
from faults import FaultStory, new_folder, start_module  # noqa: E402
from lab.fleet import BINARIES                                  # noqa: E402
from postman import Postman                                     # noqa: E402
from story import Caller, LabError, is_driving, wait_for        # noqa: E402

TAKE_OVER_SECONDS = 30
TRIES = 4
SETTLE_SECONDS = 20
KILLS = 4


def setUpModule():
    start_module("zfplanted")
    PlantedStory.folder = new_folder("zfbugs")


class PlantedStory(FaultStory):
    changes = 60

    def run_with(self, binaries, kind):
        for worker in self.fleet.workers:
            if worker.kind == kind and worker.binaries != binaries:
                worker.kill9()
                worker.binaries = binaries
                self.start(worker)

    def plant(self, bug):
        """The program has the bug for the rest of the test."""
        binaries = planted.build(self.folder / self.id().rpartition(".")[2], bug)
        self.addCleanup(self.run_with, BINARIES, bug.program)
        self.run_with(binaries, bug.program)

    def assert_complains(self, found, pattern):
        self.assertRegex("\n".join(found), pattern)
        print(f"{len(found)} complaints: {found[0]} ... ", end="", file=sys.stderr, flush=True)

    def settle(self, bug):
        """Without it; but what it has left may never settle."""
        self.run_with(BINARIES, bug.program)
        try:
            self.checker.wait_settled(SETTLE_SECONDS)
        except LabError:
            pass


class Changes(PlantedStory):

    def test_answered_before_it_is_committed(self):
        """What was answered is lost with the process that answered it."""
        self.plant(planted.ANSWERED_BEFORE_COMMIT)
        centrals = [worker for worker in self.fleet.workers if worker.kind == "central"]
        with self.stream():
            for _ in range(KILLS):
                for central in centrals:
                    self.wait_changes()
                    central.kill9()
                    self.start(central)
        self.settle(planted.ANSWERED_BEFORE_COMMIT)
        self.assert_complains(self.complaints(), r"is lost|changes made \d+ serials")

    def test_no_comparison_of_reports(self):
        """An older report overwrites what a newer one said."""
        self.carry_badly(planted.NO_COMPARISON_OF_REPORTS)
        self.assert_complains(self.complaints(), "it went back: .* UPDATE SUCCESS")

    def test_no_comparison_of_serials(self):
        """An older report settles what is newer."""
        self.carry_badly(planted.NO_COMPARISON_OF_SERIALS)
        self.assert_complains(self.complaints(), "[012] servers had it: .* record ")

    def carry_badly(self, bug):
        self.plant(bug)
        postman = Postman(self.fleet.rabbitmq, ["pool_manager.default"], self.seed)
        self.addCleanup(postman.close)
        with postman, self.stream():
            self.wait_changes()
        self.settle(bug)


class Sleeper(PlantedStory):
    """A pool manager sleeps within a deletion, until another has done it."""

    def setUp(self):
        super().setUp()
        self.caller = Caller(self.fleet.rabbitmq.url)
        self.addCleanup(self.caller.close)

    def test_its_write_is_refused(self):
        self.assertEqual(self.late_writes("refused", "another process has the lock"), [])

    def test_no_fence(self):
        self.plant(planted.NO_FENCE)
        found = self.late_writes("landed", "zone deleted: domain={} server=bind")
        self.assert_complains(found, "had its lock: .* bind ")

    def late_writes(self, name, logged):
        """Of the first sleeper that was taken over: BIND may carry out, when it goes on, what it
        was asked for before, and nothing is left to be done then.
        """
        for number in range(TRIES):
            zone = f"{name}{number}.example."
            found = self.late_writes_on(zone, logged.format(zone))
            if found is not None:
                return found
        self.fail("nobody was taken over")

    def late_writes_on(self, zone, logged):
        bind = self.fleet.bind
        domain = self.caller.create_domain(domain={"name": zone})
        self.caller.settled(domain["id"])
        bind.pause()
        self.addCleanup(bind.resume)
        self.caller.delete_domain(domain=domain["id"])
        sleeper = self.holder(domain)
        wait_for(lambda: is_driving(sleeper), 10, "it is at work on BIND")
        os.kill(sleeper, signal.SIGSTOP)
        self.addCleanup(os.kill, sleeper, signal.SIGCONT)
        fence, log = self.fence(domain), self.log_of(sleeper)
        said = log.read_text().count(logged)
        bind.resume()
        self.fleet.wait_for(lambda: self.is_done(domain) or self.is_taken_over(domain, fence),
                            TAKE_OVER_SECONDS, "another takes it over")
        os.kill(sleeper, signal.SIGCONT)
        if self.fence(domain) == fence:
            return None
        wait_for(lambda: log.read_text().count(logged) > said, 20, logged, [log])
        return self.audit.late_writes(sleeper, self.mark)

    def holder(self, domain):
        """The process that holds the lock."""
        owner = self.fleet.wait_for(
            lambda: self.fleet.mariadb.sql("SELECT owner FROM distributed_locks WHERE `lock` "
                                           f"AND object_uuid = '{domain['id']}'"), 10,
            "the domain is locked")[0][0]
        return int(owner.split(":")[1])

    def log_of(self, pid):
        return next(worker.log for worker in self.fleet.poolmgrs if pid in worker.processes())

    def is_taken_over(self, domain, fence):
        """Asks for it, by the way: its rows would wait for their own time."""
        try:
            self.caller.sync_domain(domain=domain["id"])
        except om.RemoteError as error:
            if error.exc_type != "NotFound":    # done meanwhile
                raise
        return self.fence(domain) > fence

    def is_done(self, domain):
        return self.fleet.mariadb.sql("SELECT 1 FROM domains WHERE status = 'DELETED' "
                                      f"AND id = '{domain['id']}'")

    def fence(self, domain):
        return int(self.fleet.mariadb.sql("SELECT fence FROM distributed_locks WHERE "
                                          f"object_uuid = '{domain['id']}'")[0][0])


if __name__ == "__main__":
    unittest.main(verbosity=2)

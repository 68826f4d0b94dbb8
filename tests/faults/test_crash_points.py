"""Workers that die right before and right after each publish, acknowledgement and commit.

ZONEFLEET_FAULTS=short is what CI runs; ZONEFLEET_SEED=N repeats the moments of a run.
"""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from crashpoints import POINTS, CrashPoints                     # noqa: E402
from faults import SHORT, FaultStory, new_folder, start_module  # noqa: E402

FEW = 4
COME_SECONDS = 30       # until a worker has come to a point during a stream


def setUpModule():
    start_module("zfcrash")
    CrashStory.points = CrashPoints(new_folder("zfpoints"), FaultStory.fleet)


class CrashStory(FaultStory):

    def crashed(self, kind):
        """Either worker of the kind, by chance, at each point; in the short form, at some."""
        points = self.random.sample(POINTS[kind], FEW) if SHORT else self.each(POINTS[kind])
        workers = [worker for worker in self.fleet.workers if worker.kind == kind]
        with self.stream():
            for point in points:
                self.wait_changes()
                with self.subTest(point=point):
                    self.points.crash(self.random.choice(workers), point, COME_SECONDS)
        self.assert_healed()

    def test_central(self):
        self.crashed("central")

    def test_poolmgr(self):
        self.crashed("poolmgr")

    def test_minidns(self):
        self.crashed("minidns")


if __name__ == "__main__":
    unittest.main(verbosity=2)

"""What the stories of faults have in common: length, seed, a fleet, its checker and its audit.

ZONEFLEET_FAULTS=short is what CI runs; ZONEFLEET_SEED=N repeats the moments of a run.
"""

import os
import random
import shutil
import sys
import tempfile
import time
import unittest
from pathlib import Path

from audit import Audit
from checker import Checker
from story import start_fleet, wait_for
from stream import StreamStory

SHORT = os.environ.get("ZONEFLEET_FAULTS") == "short"
SEED = int(os.environ.get("ZONEFLEET_SEED") or random.randrange(10**6))
ROUNDS = 1 if SHORT else 2


RECOVERED_SECONDS = 15          # from the end of what kept the workers from their work


class FaultStory(StreamStory):
    seed, domains, changes = SEED, 10, 60 if SHORT else 200

    def wait_unwell(self, why, seconds=20):
        """Until each worker's page says that it cannot work, and WHY."""
        self.fleet.wait_for(lambda: all(why in worker.page("/healthz")[1]
                                        for worker in self.fleet.workers), seconds,
                            f"/healthz of all workers says {why}")
        self.assertEqual({worker.page("/healthz")[0] for worker in self.fleet.workers}, {503})

    def wait_well(self):
        self.fleet.wait_for(lambda: all(worker.page("/healthz")[0] == 200
                                        for worker in self.fleet.workers), RECOVERED_SECONDS,
                            "/healthz of all workers is 200")

    def each(self, things):
        """All of them, in an order by chance, as often as there are rounds."""
        things = list(things) * ROUNDS
        self.random.shuffle(things)
        return things


def new_folder(prefix):
    """Until the end of the module."""
    folder = Path(tempfile.mkdtemp(prefix=prefix))
    unittest.addModuleCleanup(shutil.rmtree, folder)
    return folder


def start_module(prefix, start=start_fleet, **options):
    """One fleet for all stories of a module: what one leaves meets the next."""
    print(f"seed {SEED}", file=sys.stderr)
    fleet = unittest.enterModuleContext(start(new_folder(prefix) / "fleet", **options))
    FaultStory.fleet = fleet
    FaultStory.checker = Checker(fleet)
    FaultStory.audit = Audit(fleet.mariadb)


def hold(seconds):
    """A fault lasts so long."""
    over = time.monotonic() + seconds
    wait_for(lambda: time.monotonic() > over, seconds + 5, "it lasts")

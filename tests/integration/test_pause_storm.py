"""Mini-DNS and all kinds of name servers freeze and wake in any order while a zone changes.

Whatever was lost meanwhile, all servers serve the newest change within half a minute of the last
fault, and the domain's status says so. The output has the seed. ZONEFLEET_SEED repeats its order.
"""

import os
import random
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import drift                                            # noqa: E402
from story import put, wait_for                         # noqa: E402
from test_follow import Story, www                      # noqa: E402

BACK_SECONDS = 30
FAULTS = 16
CHANGES_A_FAULT = 3


class PauseStorm(Story):

    def setUp(self):
        seed = int(os.environ.get("ZONEFLEET_SEED") or random.randrange(1 << 32))
        print(f"ZONEFLEET_SEED={seed}", file=sys.stderr)
        self.random = random.Random(seed)
        self.changes = 0

    def change(self, domain, address=None):
        self.changes += 1
        self.address = f"192.0.2.{self.changes}"
        done = self.caller.apply_changes(domain=domain["id"],
                                         changes=[put(www(domain["name"]), self.address)])
        self.serial = done["serial"]

    def fault(self, domain, victims):
        """They are frozen until the changes are out elsewhere, as far as that can be."""
        paused = self.random.sample(victims, self.random.randint(1, len(victims) // 2))
        for member in paused:
            self.addCleanup(member.resume)
            member.pause()
        for _ in range(CHANGES_A_FAULT):
            self.change(domain)
        awake = [server for server in self.fleet.name_servers if server not in paused]
        if self.minidns_awake(paused) and awake:
            server = self.random.choice(awake)
            wait_for(lambda: drift.serial(server, domain["name"]) is not None, 10,
                     f"{server.name} answers", [server.log])
        for member in paused:
            member.resume()

    def minidns_awake(self, paused):
        return any(worker not in paused for worker in self.minidns())

    def minidns(self):
        return [worker for worker in self.fleet.workers if worker.kind == "minidns"]

    def test_all_have_the_newest_change_in_the_end(self):
        domain = self.caller.create_domain(domain={"name": "storm.example."})
        self.change(domain)
        self.caller.settled(domain["id"], serial=self.serial, seconds=BACK_SECONDS)
        for _ in range(FAULTS):
            self.fault(domain, [*self.minidns(), *self.fleet.name_servers])
        until = time.monotonic() + BACK_SECONDS
        for server in self.fleet.name_servers:
            self.fleet.wait_for(
                lambda: (drift.serial(server, domain["name"]), drift.address(
                    server, www(domain["name"]))) == (self.serial, self.address),
                max(until - time.monotonic(), 0),
                f"{server.name} serves {self.serial} and {self.address}")
        self.caller.settled(domain["id"], serial=self.serial,
                            seconds=max(until - time.monotonic(), 0))


if __name__ == "__main__":
    unittest.main()

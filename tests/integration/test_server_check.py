"""A name server dies while nothing changes: the status says so soon, and soon that it is back."""

import shutil
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from story import Caller, start_fleet                                   # noqa: E402

SECONDS = 40            # far less than the tries of a poll, and than a round of the sync
DAY = 86400
# the terms of a site, but for the interval: three tries of a change take 96 s
SLOW = {"poll_timeout": 30, "poll_retry_interval": 2, "poll_max_retries": 3,
        "periodic_sync_interval": DAY, "server_check_interval": "500ms"}


class ServerCheck(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        folder = Path(tempfile.mkdtemp(prefix="zfcheck"))
        cls.addClassCleanup(shutil.rmtree, folder)
        cls.fleet = cls.enterClassContext(start_fleet(
            folder / "fleet", name_servers=("bind", "nsd"), settings={"poolmgr": SLOW}))
        cls.caller = Caller(cls.fleet.rabbitmq.url)
        cls.addClassCleanup(cls.caller.close)

    def health(self):
        return {server["id"]: server["health"]
                for server in self.caller.get_status()["servers"]}

    def wait_health(self, wanted):
        self.fleet.wait_for(lambda: self.health() == wanted, SECONDS, f"the status is {wanted}")

    def test_a_server_that_dies_and_comes_back(self):
        domain = self.caller.create_domain(domain={"name": "idle.example."})
        self.caller.settled(domain["id"])
        self.wait_health({"bind": "OK", "nsd": "OK"})
        bind = next(one for one in self.fleet.name_servers if one.name == "bind")
        bind.pause()
        self.addCleanup(bind.resume)
        self.wait_health({"bind": "NO_DNS", "nsd": "OK"})
        self.assertEqual(self.fleet.state(domain["id"])[0], "NONE ACTIVE")
        bind.resume()
        self.wait_health({"bind": "OK", "nsd": "OK"})


if __name__ == "__main__":
    unittest.main()

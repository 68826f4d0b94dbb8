"""A name server stops answering, or answers again, while no domain changes."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from story import start_fleet, wait_for                                 # noqa: E402

SECONDS = 60
ZONE = "idle.example."
DAY = 86400                 # no poll of the sync or of the full scan comes in between
QUEUE = "minidns"
CHECKS = 40                 # each expires after five seconds, and there is one a second and server


class Idle(unittest.TestCase):

    def setUp(self):
        folder = self.enterContext(tempfile.TemporaryDirectory(prefix="zfcheck"))
        self.fleet = self.enterContext(start_fleet(
            Path(folder) / "fleet", name_servers=("bind", "nsd"), settings={"poolmgr": {
                "server_check_interval": "1s", "periodic_sync_interval": DAY}}))
        self.fleet.cli("domain", "create", ZONE)
        self.fleet.wait_quiet()

    def health(self, server):
        servers = self.fleet.cli("servers", "--admin")["servers"]
        return next(row["health"] for row in servers if row["id"] == server)

    def wait_health(self, server, health):
        self.fleet.wait_for(lambda: self.health(server) == health, SECONDS,
                            f"{server} is {health}")

    def rows(self):
        return self.fleet.mariadb.sql("SELECT server_id, action, status, serial_number, reason, "
                                      "attempts FROM pool_manager_status ORDER BY 1, 2")

    def test_health_follows_the_server(self):
        """The rows of the domains stay: the check says nothing about a zone."""
        before = self.rows()
        self.fleet.bind.pause()
        self.wait_health("bind", "NO_DNS")
        self.assertEqual(self.health("nsd"), "OK")
        status = self.fleet.cli("servers", "--admin")["servers"]
        reason = next(row["last_error"] for row in status if row["id"] == "bind")
        self.assertIn("no answer ", reason)
        shown = self.fleet.cli("servers", "--admin", as_json=False)
        self.assertRegex(shown, r"(?m)^bind +default +ACTIVE +NO_DNS +bind9 ")
        self.assertRegex(shown, r"(?m)^nsd +default +ACTIVE +OK +nsd ")
        self.fleet.bind.resume()
        self.wait_health("bind", "OK")
        self.assertEqual(self.rows(), before)

    def test_orders_expire_while_minidns_is_stopped(self):
        """They do not fill its queue."""
        minidns = [worker for worker in self.fleet.workers if worker.kind == "minidns"]
        for worker in minidns:
            worker.stop()
        logs = [worker.log for worker in self.fleet.poolmgrs]
        wait_for(lambda: sum(log.read_text().count("servers not checked") for log in logs) > CHECKS,
                 SECONDS, "many checks have got no answer", logs)
        queues = self.fleet.cli("queues", "--admin")["queues"]
        waiting = next(row["ready"] for row in queues if row["queue"] == QUEUE)
        self.assertLess(waiting, CHECKS)
        for worker in minidns:
            worker.launch()
        self.fleet.bind.pause()
        self.wait_health("bind", "NO_DNS")


if __name__ == "__main__":
    unittest.main(verbosity=2)

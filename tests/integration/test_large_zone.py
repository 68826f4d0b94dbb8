"""A large zone, from the command line to three name servers: what works does not grow with it.

`make test-large` is the long form, with a million records; the figures are printed.
"""

import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from quiet_logs import is_known                                # noqa: E402
from story import NS, StoryFleet, canonical                     # noqa: E402
from lab.dns import axfr                                        # noqa: E402
from lab.fleet import BINARIES                                  # noqa: E402
from lab.process import PATH                                    # noqa: E402

RECORDS = int(os.environ.get("ZONEFLEET_RECORDS") or 50_000)
ZONE = "large.example."
SERIAL = 2026010101
SECONDS = 60 + RECORDS // 2000      # for each of the stages
CHANGE_SECONDS = 10                 # for one change, with a client's start and end

# what must not grow with the zone
MESSAGE_BYTES = 1 << 20
EXAMINED_ROWS = 20_000              # by one statement, once the import is committed
PROGRAM_MIB = 64                    # of central and of the client
# what may
MINIDNS_MIB = 64 + RECORDS // 2000

SETTINGS = {
    "log": {"level": "info"},
    "central": {"ns_records": [NS], "hostmaster": "hostmaster@example.net", "sweep": 1},
    # a zone that takes a minute to load and to transfer is no error
    "poolmgr": {"poll_max_retries": 100, "periodic_sync_interval": 120},
}
SERVERS = {
    "rabbitmq": {"settings": [f"max_message_size = {MESSAGE_BYTES}"]},
    "mariadb": {"settings": ["--slow-query-log", "--slow-query-log-file=slow.log",
                             "--long-query-time=0",
                             f"--min-examined-row-limit={EXAMINED_ROWS}"]},
}
TROUBLE = re.compile(r" warn: (connection to the (?:broker|database) lost|process |message refused|broker refused|zone not)")


def rdata(rtype, number, dice):
    if rtype == "A":
        return f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
    if rtype == "AAAA":
        return f"2001:db8::{(number >> 15) + 1:x}:{(number & 0x7fff) + 1:x}"
    if rtype == "MX":
        return f"{number % 100} mx{dice.randrange(9)}.example.net."
    return f'"v=spf1 include:{dice.getrandbits(64):016x}.example.net ~all"'


def zone_lines():
    """RECORDS lines: hosts of one address and of two, mail and texts, in many subdomains."""
    dice = random.Random(1)
    yield f"{ZONE} 3600 IN SOA {NS} hostmaster.example.net. {SERIAL} 3600 600 86400 300"
    yield f"{ZONE} 3600 IN NS {NS}"
    for number in range(RECORDS - 2):
        rtype = dice.choice(("A", "A", "A", "AAAA", "AAAA", "MX", "TXT"))
        owner = f"h{number // 2}.{number // 2 % 997}.{ZONE}"
        yield f"{owner} 300 IN {rtype} {rdata(rtype, number, dice)}"


def peak_mib(pid):
    """None of a process that has ended."""
    found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    return int(found[1]) // 1024 if found else None


class LargeZone(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="zflarge"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.fleet = StoryFleet.start(cls.folder / "fleet", settings=SETTINGS,
                                     servers=SERVERS)
        cls.enterClassContext(cls.fleet)
        cls.sql = cls.fleet.mariadb.sql
        cls.file = cls.folder / "zone"
        cls.file.write_text("\n".join(zone_lines()) + "\n")

    def setUp(self):
        self.started = time.monotonic()
        self.figures = []

    def figure(self, what, value):
        self.figures.append(f"    {what:28} {value}")

    def lap(self, what):
        now = time.monotonic()
        self.figure(what, f"{now - self.started:.1f} s")
        self.started = now

    # ---- the stages ----

    def start_client(self):
        argv = [BINARIES / "zonefleet", "--config", self.fleet.config, "--quiet",
                "domain", "import", ZONE, self.file, "--admin"]
        client = subprocess.Popen(argv, env={"PATH": PATH, "HOME": str(self.folder)},
                                  stdin=subprocess.DEVNULL)
        self.addCleanup(client.kill)
        return client

    def import_is(self, *states):
        wanted = ", ".join(map(repr, (*states, "ERROR")))
        return self.sql(f"SELECT state, reason FROM imports WHERE state IN ({wanted})")

    def import_zone(self):
        client = self.start_client()

        def is_staged():
            self.client_mib = peak_mib(client.pid) or self.client_mib
            return self.import_is("COMMITTING", "DONE")
        self.client_mib = 0
        self.fleet.wait_for(is_staged, SECONDS, "the zone is staged")
        self.lap("staged")
        self.fleet.wait_for(lambda: self.import_is("DONE"), SECONDS, "the import is done")
        self.lap("committed")
        self.committed_at = self.slow_log().stat().st_size
        self.assertEqual(self.import_is(), [])
        self.assertEqual(client.wait(SECONDS), 0)

    def wait_active(self):
        domain = self.sql(f"SELECT id FROM domains WHERE name = '{ZONE}'")[0][0]
        for server in self.fleet.name_servers:
            self.fleet.wait_for(lambda: server.serial(ZONE) == SERIAL, SECONDS,
                                f"{server.name} serves {ZONE}")
        self.lap("served by all three")
        self.fleet.wait_state(domain, "NONE ACTIVE", SECONDS)
        self.lap("ACTIVE")

    # ---- what is found ----

    def slow_log(self):
        return self.fleet.mariadb.data / "slow.log"

    def large_statements(self):
        """Since the import was committed, by anybody."""
        with open(self.slow_log()) as log:
            log.seek(self.committed_at)
            return [line.strip() for line in log
                    if not line.startswith(("#", "SET timestamp=", "use "))]

    def assert_one_serial(self):
        found = self.sql("SELECT COUNT(*), MIN(serial_number), MAX(serial_number), "
                         "MIN(status), MAX(status) FROM records WHERE live = 1")
        self.assertEqual(found, [[str(RECORDS - 1), str(SERIAL), str(SERIAL), "ACTIVE",
                                  "ACTIVE"]])

    def assert_served(self):
        wanted = canonical(self.file.read_text())
        for server in self.fleet.name_servers:
            served = axfr(server.host, server.port, ZONE)
            self.assertEqual(len(served), RECORDS, server.name)
            self.assertEqual(sorted(set(served) ^ set(wanted))[:5], [], server.name)

    def assert_small(self):
        peaks = {kind: max(peak_mib(pid) for worker in self.fleet.workers
                           if worker.kind == kind for pid in worker.processes())
                 for kind in ("central", "poolmgr", "minidns")}
        peaks["client"] = self.client_mib
        self.figure("peaks of memory, MiB", peaks)
        data = self.sql("SELECT ROUND(SUM(data_length + index_length) / 1048576) FROM "
                        "information_schema.tables WHERE table_schema = DATABASE()")
        self.figure("MariaDB's tables, MiB", data[0][0])
        for kind, limit in (("central", PROGRAM_MIB), ("client", PROGRAM_MIB),
                            ("minidns", MINIDNS_MIB)):
            self.assertLess(peaks[kind], limit, kind)

    def trouble(self):
        return [f"{worker.name}: {line}" for worker in self.fleet.workers
                for line in worker.log.read_text().splitlines()
                if TROUBLE.search(line) and not is_known("worker", line)]

    def test_imported_and_changed(self):
        self.import_zone()
        self.wait_active()
        self.assertEqual("\n".join(sorted(set(self.large_statements()))), "")
        self.assertEqual(self.trouble(), [])
        self.assert_one_serial()
        self.assert_small()
        self.assert_served()
        self.started = time.monotonic()
        self.fleet.cli("record", "add", ZONE, "one-more", "A", "192.0.2.1", "--admin",
                       "--wait", seconds=CHANGE_SECONDS)
        self.lap("one change, ACTIVE")
        print("", f"    {RECORDS} records", *self.figures, sep="\n", end=" ... ",
              file=sys.stderr, flush=True)


if __name__ == "__main__":
    unittest.main(verbosity=2)

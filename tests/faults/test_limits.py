"""Workers at their limits during a stream: no descriptors left, no disk, a wrong clock.

ZONEFLEET_FAULTS=short is what CI runs; ZONEFLEET_SEED=N repeats the moments of a run.
"""

import os
import resource
import socket
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from disks import Ballast, can_mount, enter_namespace, is_full, mount     # noqa: E402
from faults import (ROUNDS, SHORT, FaultStory, hold, new_folder,     # noqa: E402
                    start_module)
from lab.process import HOST                                    # noqa: E402

CLIENTS = 60
FEW = 2
SPARE = 3               # descriptors beyond those in use
BUSY_SECONDS = 2
BUSY = 0.6              # of a processor: who has nothing to do does not turn in a circle
FULL_SECONDS = 30
LOG_DISK = "256k"

FAKETIME = Path("/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1")
CLOCKS = ("+2h", "-2h")


def setUpModule():
    start_module("zflimits")


def processor_seconds(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Descriptors(FaultStory):

    def some(self, things):
        """In the short form, a few of them."""
        return self.each(things)[:FEW if SHORT else None]

    def limit(self, pid):
        """It has SPARE more for the rest of the test; lift() is earlier."""
        before = resource.prlimit(pid, resource.RLIMIT_NOFILE)
        used = len(os.listdir(f"/proc/{pid}/fd"))
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (used + SPARE, before[1]))
        return lambda: resource.prlimit(pid, resource.RLIMIT_NOFILE, before)

    def connect(self, port):
        """As many as there are: those that are not accepted wait."""
        links = [socket.socket() for _ in range(CLIENTS)]
        for link in links:
            self.addCleanup(link.close)
            link.setblocking(False)
            link.connect_ex((HOST, port))
        return links

    def exhaust(self, worker, pid, port):
        said = self.lacks(worker)
        lift, links = self.limit(pid), self.connect(port)
        self.addCleanup(lift)
        self.fleet.wait_for(lambda: self.has_none_left(pid) or self.lacks(worker) > said, 10,
                            f"{worker.name} has none left for clients")
        before = processor_seconds(pid)
        hold(BUSY_SECONDS)
        self.assertLess(processor_seconds(pid) - before, BUSY * BUSY_SECONDS, worker.name)
        self.wait_changes()
        for link in links:
            link.close()
        lift()
        self.wait_changes()

    def lacks(self, worker):
        return worker.log.read_text().count("no file descriptor left")

    def has_none_left(self, pid):
        limit = resource.prlimit(pid, resource.RLIMIT_NOFILE)[0]
        return len(os.listdir(f"/proc/{pid}/fd")) >= limit

    def test_minidns(self):
        """By clients of its own."""
        workers = [worker for worker in self.fleet.workers if worker.kind == "minidns"]
        with self.stream():
            for worker, port in self.some(zip(workers, self.fleet.minidns_ports)):
                pid, = worker.processes()
                self.exhaust(worker, pid, port)
        self.assert_healed()

    def test_pages(self):
        """By clients of the page of figures: it is the supervisor's, who needs some, too."""
        with self.stream():
            for worker in self.some(self.fleet.workers):
                self.exhaust(worker, worker.pid, worker.metrics_port)
        self.assert_healed()

    def test_connections_that_break_meanwhile(self):
        """There is none left for more than it has: it takes those again that it lost."""
        broker = self.fleet.rabbitmq
        with self.stream():
            for _ in range(ROUNDS):
                pids = [pid for worker in self.fleet.workers for pid in worker.processes()]
                lifts = [self.limit(pid) for pid in pids]
                for lift in lifts:
                    self.addCleanup(lift)
                self.wait_changes()
                broker.close_connections()
                self.wait_changes()
                for lift in lifts:
                    lift()
                self.wait_changes()
        self.assert_healed()


@unittest.skipUnless(can_mount(), "no mounts of one's own are to be had here")
class Disks(FaultStory):

    def test_logs(self):
        """What cannot be logged is lost, and nothing else."""
        disk = new_folder("zfdisk")
        mount(disk, LOG_DISK)
        for worker in self.fleet.workers:
            self.addCleanup(self.log_to, worker, worker.log)
            self.log_to(worker, disk / worker.name)
        with self.stream():
            Ballast(disk).fill()
            self.wait_changes()
            self.assertTrue(is_full(disk))
            self.wait_changes()
            Ballast(disk).drop()
            sizes = self.sizes()
            self.wait_changes()
            self.fleet.wait_for(lambda: all(now > then for now, then in
                                            zip(self.sizes(), sizes)),
                                FULL_SECONDS, "they log again")
        self.assert_healed()

    def log_to(self, worker, path):
        worker.stop()
        worker.log = path
        self.start(worker)

    def sizes(self):
        return [worker.log.stat().st_size for worker in self.fleet.workers]


class Clocks(FaultStory):

    @classmethod
    def setUpClass(cls):
        cls.times = {}
        folder = new_folder("zfclocks")
        for worker in cls.fleet.workers:
            cls.times[worker] = folder / worker.name
            cls.set(worker, "+0")
            worker.variables = {"LD_PRELOAD": str(FAKETIME), "FAKETIME_NO_CACHE": "1",
                                "FAKETIME_TIMESTAMP_FILE": str(cls.times[worker]),
                                "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
            worker.restart()

    @classmethod
    def tearDownClass(cls):
        for worker in cls.fleet.workers:
            worker.variables = {}
            worker.restart()

    @classmethod
    def set(cls, worker, time):
        cls.times[worker].write_text(time + "\n")

    def test_two_hours_off(self):
        """They jump there, and back."""
        with self.stream():
            for worker in self.each(self.fleet.workers):
                self.set(worker, self.random.choice(CLOCKS))
                self.wait_changes()
                if self.random.random() < 0.5:
                    self.set(worker, "+0")
        self.assert_healed()
        self.assertTrue(any(self.is_off(worker) for worker in self.fleet.workers))

    def is_off(self, worker):
        """Did it log lines of other hours?"""
        hours = {int(line[11:13]) for line in worker.log.read_text().splitlines()
                 if line.startswith("20")}
        return max(hours) - min(hours) > 1


if __name__ == "__main__":
    enter_namespace()
    unittest.main(verbosity=2)

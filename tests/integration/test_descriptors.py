"""Programs that have no file descriptor left: none ends, and each works again when it has."""

import contextlib
import resource
import shutil
import socket
import sys
import tempfile
import unittest
from pathlib import Path

import dns.message
import dns.query

sys.path[:0] = [str(Path(__file__).resolve().parent),
                str(Path(__file__).resolve().parents[1] / "support")]
from agent import Agent                                     # noqa: E402
from minidns_lab import Domain, Lab                         # noqa: E402
from query import udp  # noqa: E402
from lab.fleet import Worker, merged                        # noqa: E402
from lab.process import HOST, wait_for                      # noqa: E402
from scarce import descriptors, limited                     # noqa: E402
from story import NO_CHECKS, Caller, start_fleet            # noqa: E402
from test_minidns_propagate import Scripted, soa            # noqa: E402

CLIENTS = 60
SPARE = 3               # descriptors beyond those in use
SECONDS = 20
QUESTIONS = 20
LACK = "no file descriptor left"


class Clients(unittest.TestCase):
    """TCP clients of mini-DNS that would take all descriptors."""

    def setUp(self):
        self.lab = self.enterContext(Lab())
        self.worker, = self.lab.workers
        self.processes = self.worker.processes()
        self.domain = Domain(self.lab, "full.test.", records=[("full.test.", "A", "192.0.2.1")])
        self.lab.notified(self.domain)
        self.assertEqual(self.ask(), self.domain.serial)

    def ask(self, how=udp):
        question = dns.message.make_query(self.domain.name, "SOA")
        answer = how(question, HOST, port=self.lab.ports[0], timeout=5)
        return answer.answer[0][0].serial

    def connect(self):
        link = socket.socket()
        self.addCleanup(link.close)
        link.setblocking(False)
        link.connect_ex((HOST, self.lab.ports[0]))
        return link

    def lacks(self):
        return self.worker.log.read_text().count(LACK)

    def has_some_left(self):
        pid, = self.processes
        return len(descriptors(pid)) < resource.prlimit(pid, resource.RLIMIT_NOFILE)[0]

    def reconnects(self):
        return self.worker.log.read_text().count("broker connected")

    def test_its_own_work_goes_on(self):
        with limited(self.processes, SPARE):
            links = [self.connect() for _ in range(CLIENTS)]
            wait_for(self.lacks, SECONDS, "it has none for clients")
            wait_for(self.has_some_left, SECONDS, "it keeps some for its own work")
            before = self.reconnects()
            self.lab.rabbitmq.close_connections()
            for _ in range(QUESTIONS):
                self.assertEqual(self.ask(), self.domain.serial)
            wait_for(lambda: self.reconnects() > before, SECONDS, "it has a broker again",
                     [self.worker.log])
            self.domain.change(add=[("full.test.", "A", "192.0.2.2")])
            self.assertEqual(self.ask(), self.domain.serial)
            for link in links:
                link.close()
        self.assertEqual(self.ask(dns.query.tcp), self.domain.serial)
        self.assertEqual(self.worker.processes(), self.processes)
        self.assertLess(self.lacks(), CLIENTS)      # a line now and then, not for each client

    def test_it_has_none_at_all(self):
        """A poll that begins then has a socket as soon as there is one, within its try."""
        server = Scripted(lambda question: soa(question, self.domain.serial))
        self.addCleanup(server.close)
        with limited(self.processes):
            self.lab.order(self.domain, server.destination[:3], timeout=SECONDS, max_retries=1)
            wait_for(self.lacks, SECONDS, "it has none for a poll")
            links = [self.connect() for _ in range(CLIENTS)]
            for _ in range(QUESTIONS):
                self.assertEqual(self.ask(), self.domain.serial)
            for link in links:
                link.close()
        self.assertEqual(self.ask(dns.query.tcp), self.domain.serial)
        report = self.lab.report(self.domain)
        self.assertEqual((report["status"], report["reason"]), ("SUCCESS", ""))
        self.assertEqual(self.worker.processes(), self.processes)


class Fleets(unittest.TestCase):
    """Every program loses its connections while it can open nothing."""

    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="zfdescriptors"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.fleet = cls.enterClassContext(start_fleet(
            cls.folder / "fleet", central=1, poolmgr=1, minidns=1, ports=1, routes=1,
            name_servers=("knot",), settings=NO_CHECKS))
        others = [cls.ownership(), cls.agent("ports", "networks"),
                  cls.agent("routes", "haproxy", router="gw", address="10.0.0.9")]
        for worker in others:
            worker.launch()
            cls.addClassCleanup(worker.stop)
        for worker in others:
            worker.wait_ready()
        cls.workers = [*cls.fleet.workers, *others]

    @classmethod
    def ownership(cls):
        registry = {"host": HOST, "port": 9, "tsig_key": "us.", "tsig_secret": "c2VjcmV0"}
        zones = [{"zone": "example.org", "storage_id": "us"}]
        return Worker(cls.folder / "ownership", "ownership", merged(
            cls.fleet.settings, {"registries": {"default": registry, "zones": zones}}))

    @classmethod
    def agent(cls, program, directory, **settings):
        directory = cls.folder / directory
        directory.mkdir()
        return Agent(cls.folder / f"{program}_agent", program, cls.fleet.agent_settings() | {
            f"{program}_agent": {"directory": str(directory)} | settings})

    def processes(self):
        return {worker.name: sorted([worker.pid, *worker.processes()])
                for worker in self.workers}

    def test_connections_that_break_meanwhile(self):
        before = self.processes()
        with limited([pid for pids in before.values() for pid in pids]):
            self.fleet.rabbitmq.close_connections()
            self.kill_sessions()
            for worker in self.workers:
                wait_for(lambda: LACK in worker.log.read_text(), SECONDS,
                         f"{worker.name} says what it lacks", [worker.log])
        for worker in self.workers:
            wait_for(worker.is_ready, SECONDS, f"{worker.name} is ready", [worker.log])
        self.assertEqual(self.processes(), before)
        caller = Caller(self.fleet.rabbitmq.url)
        self.addCleanup(caller.close)
        caller.create_domain(domain={"name": "after.test."})
        caller.settled("after.test.")

    def kill_sessions(self):
        for number, in self.fleet.mariadb.sql("SELECT id FROM information_schema.processlist "
                                              "WHERE id <> CONNECTION_ID()"):
            with contextlib.suppress(Exception):      # it has gone by itself
                self.fleet.mariadb.sql(f"KILL {number}")


if __name__ == "__main__":
    unittest.main(verbosity=2)

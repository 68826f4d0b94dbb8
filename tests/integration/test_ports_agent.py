"""zonefleet-ports --agent keeps the host files of a machine's dnsmasq.

Real dnsmasqs read the files. The tests compare their answers with mini-DNS, kill the agent, and
lose messages to it. The fleet has a central, a pool manager, a mini-DNS, a BIND and a process of
ports.
"""

import ipaddress
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import uuid
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import oslo_messaging as om

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from story import NO_CHECKS, Caller, start_fleet                       # noqa: E402
from agent import Agent                                                 # noqa: E402
from crashpoints import CrashPoints                                     # noqa: E402
from deaf import deafen                                                 # noqa: E402
from dnsmasq import Dnsmasq, Leasing                                    # noqa: E402
from test_ports import PortStory, ask                                   # noqa: E402
from lab.fleet import Worker                                            # noqa: E402
from lab.process import program                                         # noqa: E402

SECONDS = 20
INTERVAL = 2
MANY_PORTS = 10000 if "STORY_SECONDS" in os.environ else 1000
PAGE = 50                      # ports of an answer
HOST_NAME = 12                  # an option of DHCP


def setUpModule():
    """One fleet for all; each test has networks, and an agent, of its own."""
    folder = Path(tempfile.mkdtemp(prefix="zfagent"))
    unittest.addModuleCleanup(shutil.rmtree, folder)
    fleet = unittest.enterModuleContext(start_fleet(
        folder / "fleet", central=1, poolmgr=1, minidns=1, name_servers=("bind",),
        settings=NO_CHECKS | {"central": {"quota_recordsets": -1},
                              "fleet": {"trust_broker": True}}))    # stories cast, too
    worker = Worker(folder / "ports", "ports", fleet.settings | {"ports": {"processes": 1}})
    worker.launch()
    unittest.addModuleCleanup(worker.stop)
    worker.wait_ready()
    PortStory.workers = [worker]
    PortStory.fleet = fleet
    PortStory.central = Caller(fleet.rabbitmq.url)
    PortStory.caller = Caller(fleet.rabbitmq.url, topic="ports")
    for caller in PortStory.central, PortStory.caller:
        unittest.addModuleCleanup(caller.close)


class Nobody(Agent):
    """One that root starts as another user, whose RIGHTS are none."""

    rights = ("--inh-caps=-all", "--ambient-caps=-all", "--bounding-set=-all")

    def command(self):
        for path in self.folder, self.config:
            shutil.chown(path, "nobody")
        return [program("setpriv"), "--reuid=nobody", "--clear-groups", *self.rights, "--",
                *super().command()]


class NobodysDnsmasq(Dnsmasq):

    user = "nobody"


class AgentStory(PortStory):

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="zfhosts")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.directory = self.folder / "networks"
        self.directory.mkdir(mode=0o755)

    def agent(self, kind=Agent, points=None, **settings):
        agent = kind(self.folder / "agent", "ports", self.fleet.agent_settings() | {
            "ports_agent": {"directory": str(self.directory), "interval": INTERVAL} | settings})
        if points:
            points.prepare(agent)
        agent.launch()
        self.addCleanup(agent.stop)
        agent.wait_ready()
        return agent

    def files(self, network):
        """The directory that makes it a network of this machine."""
        files = self.directory / network
        files.mkdir(mode=0o755)
        return files

    def dnsmasq(self, domain, files, kind=Dnsmasq):
        server = kind(self.folder / "dnsmasq", domain, files)
        server.launch()
        self.addCleanup(server.stop)
        server.wait_ready()
        return server

    def until(self, condition, what, seconds=SECONDS):
        self.fleet.wait_for(condition, seconds, what)

    @staticmethod
    def lines(file):
        return file.read_text().splitlines() if file.exists() else None

    def wait_lines(self, file, count, seconds=SECONDS):
        self.until(lambda: len(self.lines(file) or ()) == count,
                   f"{file} has {count} lines: {self.lines(file)}", seconds)

    def exported(self, network):
        """What the files should be."""
        hosts, marker, pages = [], None, 0
        while marker or not pages:
            page = self.caller.hosts_export(network=network,
                                            **({"marker": marker} if marker else {}))
            hosts += page["hosts"]
            marker, pages = page["marker"], pages + 1
        hosts.sort(key=lambda host: host["port"])
        return tuple("".join(host[key] for host in hosts) for key in ("addn_hosts", "dhcp_hosts"))

    def wait_exported(self, network, files, seconds=SECONDS):
        def kept():
            return tuple(file.read_text() if file.exists() else None
                         for file in (files / "addn_hosts", files / "host"))
        self.until(lambda: kept() == self.exported(network), "the files are as they should be",
                   seconds)


class Answers(AgentStory):
    """A002-1, by dnsmasq from the files that the agent keeps."""

    def test_as_minidns(self):
        domain, network = self.domain()
        self.create(network, "10.224.44.4", "fd5d:19f:52eb::2", dns_name="name",
                    mac_address="fa:16:3e:00:00:01")
        self.create(network, "10.224.44.5", mac_address="fa:16:3e:00:00:02")
        files = self.files(network)
        agent = self.agent()
        self.wait_lines(files / "addn_hosts", 5)
        self.wait_exported(network, files)
        for name in "addn_hosts", "host":
            self.assertEqual((files / name).stat().st_mode & 0o777, 0o644)
        self.until(lambda: {path.name for path in files.iterdir()} == {"addn_hosts", "host"},
                   "no other file is left")
        server = self.dnsmasq(domain, files)
        for name, kind, answer in (
                (f"name.{domain}", "A", "10.224.44.4"),                             # Q1
                (f"host-10-224-44-4.{domain}", "A", "10.224.44.4"),                 # N4, Q2
                (f"host-10-224-44-5.{domain}", "A", "10.224.44.5"),                 # Q2
                (f"name.{domain}", "AAAA", "fd5d:19f:52eb::2"),                     # Q3
                (f"host-fd5d-19f-52eb--2.{domain}", "AAAA", "fd5d:19f:52eb::2"),    # N4
                (self.reverse("10.224.44.5"), "PTR", f"host-10-224-44-5.{domain}"),     # Q4
                (self.reverse("10.224.44.4"), "PTR", f"name.{domain}"),             # Q5
                (self.reverse("fd5d:19f:52eb::2"), "PTR", f"name.{domain}")):       # Q6
            with self.subTest(name=name, kind=kind):
                self.answers(name, kind, answer)
                self.assertEqual(ask(server.port, name, kind), {answer})
        self.assertEqual(agent.figure("signals_total"), 0)

    @unittest.skipUnless(Leasing.can_run(), "no network namespace of one's own is to be had here")
    def test_leases(self):
        """N5"""
        domain, network = self.domain()
        mac = "fa:16:3e:00:00:03"
        files = self.files(network)
        self.agent()
        self.wait_exported(network, files)
        server = self.dnsmasq(domain, files, Leasing)
        self.assertIsNone(server.offered(mac))
        port = self.create(network, "10.224.48.9", dns_name="vm09", mac_address=mac)
        for name in "vm09", "renamed":
            self.caller.update_port(port=port["id"], values={"dns_name": name})
            self.wait_exported(network, files)

            def offered():
                offer = server.offered(mac)
                return offer and (str(ipaddress.IPv4Address(offer[0])), offer.get(HOST_NAME))
            self.until(lambda: offered() == ("10.224.48.9", name.encode()),
                       f"{name} is offered: {offered()}")


class Changes(AgentStory):

    def test_one(self):
        """It reaches dnsmasq, and no other line is touched."""
        domain, network = self.domain()
        ports = [self.create(network, f"10.224.45.{number}", dns_name=f"n{number}",
                             mac_address=f"fa:16:3e:00:01:{number:02x}")
                 for number in range(1, 6)]
        files = self.files(network)
        agent = self.agent(interval=1, reread_period=3600)
        server = self.dnsmasq(domain, files)
        self.wait_lines(files / "host", 5)
        self.until(lambda: ask(server.port, f"n1.{domain}", "A"), "dnsmasq has read them")
        before = self.lines(files / "addn_hosts")
        questions, written = agent.figure("questions_total"), agent.figure("files_written_total")
        self.caller.update_port(port=ports[2]["id"], values={"dns_name": "other"})
        self.until(lambda: ask(server.port, f"other.{domain}", "A") == {"10.224.45.3"},
                   "dnsmasq has the new name")
        self.assertEqual(ask(server.port, f"n3.{domain}", "A"), set())
        self.assertEqual(self.lines(files / "addn_hosts"),
                         [line.replace("n3", "other") for line in before])
        self.assertEqual(agent.figure("questions_total"), questions + 1)
        self.assertEqual(agent.figure("files_written_total"), written + 2)

        self.caller.update_port(port=ports[2]["id"], values={"dns_name": "other"})
        self.caller.delete_port(port=ports[0]["id"])
        self.wait_lines(files / "host", 4)
        self.until(lambda: agent.figure("questions_total") in (questions + 2, questions + 3),
                   "what changes no line is asked, too")
        self.until(lambda: agent.figure("files_written_total") == written + 4, "both are written")
        self.wait_exported(network, files)
        new = f"new-{domain}"
        self.central.create_domain(domain={"name": new})
        self.caller.set_network(network={"id": network, "dns_domain": new})
        self.until(lambda: new[:-1] in (files / "host").read_text(), "all are renamed")
        self.wait_exported(network, files)

    def test_many_within_an_interval(self):
        domain, network = self.domain()
        files = self.files(network)
        agent = self.agent(interval=4)
        self.wait_exported(network, files)
        server = self.dnsmasq(domain, files)
        self.until(server.reads, "it has read the files")
        reads, started = server.reads(), time.monotonic()
        for number in range(1, 41):
            self.create(network, f"10.224.46.{number}")
        self.wait_lines(files / "addn_hosts", 40)
        self.until(lambda: ask(server.port, f"host-10-224-46-40.{domain}", "A")
                   == {"10.224.46.40"}, "dnsmasq has the last one")
        intervals = (time.monotonic() - started) / 4
        self.assertLessEqual(server.reads() - reads, 1 + intervals)
        self.assertEqual(agent.figure("signals_total"), server.reads() - reads)

    def test_whoever_changes_a_file(self):
        """It is ours, and so it becomes again what it should be."""
        domain, network = self.domain()
        self.create(network, "10.224.47.1")
        files = self.files(network)
        self.agent(reread_period=1)
        self.wait_exported(network, files)
        (files / "addn_hosts").write_text("10.0.0.1\tevil.example\n")
        self.wait_exported(network, files)
        (files / "addn_hosts").unlink()
        self.wait_exported(network, files)

    def test_a_file_that_is_gone(self):
        """It is looked for, and not only when all is read again."""
        domain, network = self.domain()
        self.create(network, "10.224.47.2")
        files = self.files(network)
        self.agent(reread_period=3600)
        self.wait_exported(network, files)
        shutil.rmtree(files)
        self.files(network)
        self.wait_exported(network, files)

    def test_directories_that_come_and_go(self):
        domain, network = self.domain()
        self.create(network, "10.224.47.3")
        agent = self.agent()
        self.assertEqual(agent.figure("networks"), 0)
        files = self.files(str(uuid.UUID(network)))
        (self.directory / "something-else").mkdir()
        (self.directory / uuid.uuid4().hex).touch()
        (self.directory / uuid.uuid4().hex).symlink_to(files)
        self.wait_exported(network, files)
        self.assertEqual(agent.figure("networks"), 1)
        shutil.rmtree(files)
        self.until(lambda: agent.figure("networks") == 0, "it is no network of this machine")
        self.caller.create_port(port={"network_id": network, "fixed_ips": [
            {"ip_address": "10.224.47.4"}]})
        self.assertFalse(files.exists())


class Faults(AgentStory):

    def test_a_start_where_nothing_changed(self):
        domain, network = self.domain()
        self.create(network, "10.224.49.1")
        files = self.files(network)
        agent = self.agent()
        self.wait_exported(network, files)
        server = self.dnsmasq(domain, files)
        self.until(server.reads, "it has read the files")
        reads, was = server.reads(), (files / "addn_hosts").stat()
        agent.restart()
        self.until(lambda: agent.figure("questions_total") and not agent.figure(
            "questions_failed_total"), "it has read all of it")
        self.create(network, "10.224.49.2")             # behind that
        self.wait_lines(files / "addn_hosts", 2)
        self.until(lambda: server.reads() == reads + 1, "dnsmasq was told once")
        self.assertEqual(agent.figure("signals_total"), 1)
        self.assertNotEqual((files / "addn_hosts").stat().st_ino, was.st_ino)
        self.assertEqual(agent.figure("files_written_total"), 1)    # without leases

    def test_killed(self):
        """What changes while it is down is found; what was not told yet is told."""
        domain, network = self.domain()
        first = self.create(network, "10.224.50.1", dns_name="first")
        files = self.files(network)
        agent = self.agent()
        self.wait_exported(network, files)
        server = self.dnsmasq(domain, files)
        agent.kill9()
        self.caller.delete_port(port=first["id"])
        self.create(network, "10.224.50.2", dns_name="second")
        agent.launch()
        agent.wait_ready()
        self.wait_exported(network, files)
        self.until(lambda: ask(server.port, f"second.{domain}", "A") == {"10.224.50.2"},
                   "dnsmasq knows")
        self.assertEqual(ask(server.port, f"first.{domain}", "A"), set())

    def test_killed_before_dnsmasq_was_told(self):
        domain, network = self.domain()
        self.create(network, "10.224.50.3")
        files = self.files(network)
        agent = self.agent()
        self.wait_exported(network, files)
        server = self.dnsmasq(domain, files)
        self.until(server.reads, "it has read the files")
        agent.kill9()
        reads = server.reads()
        (files / ".unread").touch()
        agent.launch()
        agent.wait_ready()
        self.until(lambda: server.reads() == reads + 1, "dnsmasq was told")
        self.assertFalse((files / ".unread").exists())

    def test_killed_while_a_file_is_replaced(self):
        """Right before that or behind it: dnsmasq is told, and once."""
        domain, network = self.domain()
        port = self.create(network, "10.224.58.1", dns_name="first")
        files = self.files(network)
        points = CrashPoints(self.folder / "points")
        agent = self.agent(points=points, interval=1, reread_period=3600)
        self.wait_exported(network, files)
        server = self.dnsmasq(domain, files)
        self.until(lambda: server.reads() == 1, "it has read the files")
        mark, name = files / ".unread", "first"
        for turn, point in enumerate(("replace-before", "replace-after")):
            with self.subTest(point=point):
                was, name = name, f"turn{turn}"
                with self.stopped_when_it_dies(agent, points, point):
                    self.caller.update_port(port=port["id"], values={"dns_name": name})
                self.assertTrue(mark.exists())
                is_there = f"{name}.{domain[:-1]}" in (files / "addn_hosts").read_text()
                self.assertEqual(is_there, point == "replace-after")
                self.assertEqual(ask(server.port, f"{was}.{domain}", "A"), {"10.224.58.1"})
                reads = server.reads()
                agent.launch()
                agent.wait_ready()
                self.until(lambda: ask(server.port, f"{name}.{domain}", "A") == {"10.224.58.1"},
                           "dnsmasq has the new name")
                self.wait_exported(network, files)
                self.until(lambda: not mark.exists(), "nothing is owed")
                self.assertEqual(agent.figure("files_written_total"), int(not is_there))
                # before the file was replaced it was told of nothing new, and then again
                self.assertEqual(server.reads() - reads, 1 + (not is_there))
                self.assertEqual({path.name for path in files.iterdir()},
                                 {"addn_hosts", "host", "pid"})

    @contextmanager
    def stopped_when_it_dies(self, agent, points, point):
        """It starts no other process: whoever looks sees what the one that died has left."""
        armed = points.folders[agent] / point
        armed.touch()
        os.kill(agent.pid, signal.SIGSTOP)
        yield
        self.until(lambda: not armed.exists(), f"it comes to {point}")
        agent.kill9()

    def test_killed_again_and_again(self):
        domain, network = self.domain()
        files = self.files(network)
        agent = self.agent(interval=1)
        server = self.dnsmasq(domain, files)
        for number in range(1, 11):
            self.create(network, f"10.224.51.{number}")
            agent.kill9()
            agent.launch()
            agent.wait_ready()
        self.wait_exported(network, files)
        self.until(lambda: ask(server.port, f"host-10-224-51-10.{domain}", "A"),
                   "dnsmasq has the last one")

    def test_a_ports_worker_that_is_away(self):
        """What is not in the files is seen, the files stay, and it ends by itself."""
        domain, network = self.domain()
        files = self.files(network)
        self.create(network, "10.224.57.1", dns_name="a")
        agent = self.agent()
        self.wait_exported(network, files)
        self.until(lambda: agent.figure("oldest_change_age_seconds") == 0, "all is in the files")
        before = (files / "addn_hosts").read_text()
        worker = self.workers[0]
        worker.stop()
        try:
            other = self.files(uuid.uuid4().hex)
            self.until(lambda: agent.figure("oldest_change_age_seconds") >= 1, "something is owed")
            self.until(lambda: agent.said("contents of the files not received"),
                       "nobody answers", 2 * SECONDS)
            self.assertEqual(list(other.iterdir()), [])
            self.assertEqual((files / "addn_hosts").read_text(), before)
        finally:
            worker.launch()
            worker.wait_ready()
        self.until(lambda: agent.said("contents of the files not received: .*no network"),
                   "it is answered", 70)
        self.until(lambda: agent.figure("oldest_change_age_seconds") == 0, "nothing is owed")

    def test_the_broker_restarts(self):
        domain, network = self.domain()
        files = self.files(network)
        agent = self.agent(reread_period=3600)
        self.wait_exported(network, files)
        self.fleet.rabbitmq.restart()
        self.workers[0].wait_ready()

        def create():
            try:
                return self.create(network, "10.224.52.1", id=port)
            except Exception:
                return None
        port = uuid.uuid4().hex
        self.until(create, "a port is made", 60)
        self.until(lambda: agent.is_ready() and self.lines(files / "addn_hosts"),
                   "and comes, told or read", 60)
        self.wait_exported(network, files)

    def test_casts_that_get_lost(self):
        """Of what is made, renamed and deleted."""
        domain, network = self.domain()
        files = self.files(network)
        agent = self.agent(reread_period=3600, check_period=1)
        self.wait_exported(network, files)
        self.assertEqual(deafen(self.fleet.rabbitmq, "ports_agent"), 1)
        port = self.create(network, "10.224.53.1", dns_name="lost")
        self.wait_exported(network, files)
        self.caller.update_port(port=port["id"], values={"dns_name": "again"})
        self.wait_exported(network, files)
        self.caller.set_network(network={"id": network, "dns_domain": "other.example."})
        self.wait_exported(network, files)
        self.caller.delete_port(port=port["id"])
        self.until(lambda: self.lines(files / "addn_hosts") == [], "no lines are left")
        self.assertEqual(agent.figure("missed_total"), 4)

    def test_a_period_that_is_set_to_another(self):
        """By SIGHUP: it does not wait for the end of the one before."""
        domain, network = self.domain()
        files = self.files(network)
        agent = self.agent(reread_period=3600, check_period=3600)
        self.wait_exported(network, files)
        deafen(self.fleet.rabbitmq, "ports_agent")
        self.create(network, "10.224.53.77", dns_name="lost")
        agent.configure({"ports_agent": {"check_period": 1}})
        agent.reload()
        self.wait_exported(network, files)
        self.assertEqual(agent.figure("missed_total"), 1)
        agent.configure({"ports_agent": {"check_period": 3600, "reread_period": 1}})
        agent.reload()
        self.create(network, "10.224.53.78", dns_name="read")
        self.wait_exported(network, files)

    def test_a_cast_that_gets_lost_before_others(self):
        """A worker is killed when it has committed; what it does again is told."""
        domain, network = self.domain()
        files = self.files(network)
        agent = self.agent(reread_period=3600, check_period=1)
        self.wait_exported(network, files)
        worker, points = self.workers[0], CrashPoints(self.folder / "points")
        points.prepare(worker)
        worker.restart()
        self.addCleanup(worker.restart)
        self.addCleanup(worker.variables.clear)
        with ThreadPoolExecutor(1) as pool:
            for number in range(1, 20):
                made = pool.submit(points.crash, worker, "commit-after", SECONDS)
                self.create(network, f"10.224.53.{number}")
                made.result()
                if agent.figure("missed_total"):
                    break
        self.until(lambda: agent.figure("missed_total"), "a gap is found")
        self.wait_exported(network, files)

    def test_nothing_is_missed(self):
        """However many changes come while it is asked, and all is read."""
        domain, network = self.domain()
        files = self.files(network)
        agent = self.agent(reread_period=1, check_period=1)
        with ThreadPoolExecutor(4) as pool:
            callers = [Caller(self.fleet.rabbitmq.url, topic="ports") for _ in range(4)]
            list(pool.map(lambda number: callers[number % 4].create_port(port={
                "network_id": network, "fixed_ips": [{"ip_address": f"10.224.54.{number}"}]}),
                range(1, 201)))
            for caller in callers:
                caller.close()
        self.wait_exported(network, files)
        asked = agent.figure("questions_total")
        self.until(lambda: agent.figure("questions_total") > asked + 2, "it was compared since")
        self.assertEqual(agent.figure("missed_total"), 0)

    def test_a_pid_of_somebody_else(self):
        """Whose it is: another's by now, dnsmasq's of another network, nobody's."""
        domain, network = self.domain()
        files = self.files(network)
        sleeper = subprocess.Popen(["sleep", "600"])
        self.addCleanup(sleeper.wait)
        self.addCleanup(sleeper.kill)
        (files / "pid").touch()
        viewer = subprocess.Popen(["tail", "-f", files / "pid"], stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL)
        self.addCleanup(viewer.wait)
        self.addCleanup(viewer.kill)
        agent = self.agent(interval=1)
        self.wait_exported(network, files)
        elsewhere = self.folder / "elsewhere"
        elsewhere.mkdir()
        other = self.dnsmasq(domain, elsewhere)
        reads = other.reads()
        for number, pid in enumerate((sleeper.pid, viewer.pid, other.pid, 1, 2 ** 22 - 1, "x", ""),
                                     1):
            (files / "pid").write_text(f"{pid}\n")
            self.create(network, f"10.224.53.{number}")
            self.wait_lines(files / "addn_hosts", number)
            self.until(lambda: not (files / ".unread").exists(), "nobody is to be told any more")
        for process in sleeper, viewer:
            self.assertIsNone(process.poll())
        self.assertEqual(other.reads(), reads)
        self.assertEqual(agent.figure("signals_total"), 0)
        self.assertEqual(agent.said("signal not sent"), 1)

    @unittest.skipUnless(os.geteuid() == 0, "only root can have others run it")
    def test_the_rights_that_it_takes(self):
        """It is nobody, and so may signal no dnsmasq of root's: it stays owed, and is tried
        again. With CAP_KILL, as in its unit, it may. The files are for another user."""
        domain, network = self.domain()
        files = self.files(network)
        self.folder.chmod(0o755)
        for path in self.directory, files:
            shutil.chown(path, "nobody")
        self.create(network, "10.224.56.1", dns_name="a")
        server = self.dnsmasq(domain, files)
        agent = self.agent(kind=Nobody, interval=1)
        self.until(lambda: agent.said("signal not sent: .*Operation not permitted"),
                   "it may not")
        self.wait_exported(network, files)
        self.assertEqual(server.reads(), 0)
        self.assertTrue((files / ".unread").exists())
        self.assertEqual((files / "host").owner(), "nobody")
        server.stop()
        shutil.rmtree(server.folder)
        server = self.dnsmasq(domain, files, kind=NobodysDnsmasq)
        self.until(lambda: agent.figure("signals_total") == 1, "of its own user it may")
        self.until(lambda: not (files / ".unread").exists(), "nothing is owed any more")
        self.assertEqual(agent.said("signal not sent"), 1)
        self.assertEqual(ask(server.port, f"a.{domain}", "A"), {"10.224.56.1"})
        server.stop()
        shutil.rmtree(server.folder)
        server = self.dnsmasq(domain, files)
        agent.stop()
        agent.rights = ("--inh-caps=-all,+kill", "--ambient-caps=-all,+kill",
                        "--bounding-set=-all,+kill")
        agent.launch()
        agent.wait_ready()
        self.create(network, "10.224.56.2", dns_name="b")
        self.until(lambda: ask(server.port, f"b.{domain}", "A") == {"10.224.56.2"}, "it may")

    def test_a_network_that_nobody_knows(self):
        """Its files stay as they are; it is asked for again, and said once."""
        network = uuid.uuid4().hex
        files = self.files(network)
        (files / "addn_hosts").write_text("10.0.0.1\tkept.example kept\n")
        agent = self.agent()
        self.until(lambda: (agent.figure("questions_failed_total") or 0) > 2, "it was asked for")
        self.assertEqual(self.lines(files / "addn_hosts"), ["10.0.0.1\tkept.example kept"])
        self.assertFalse((files / "host").exists())
        self.assertEqual(agent.said("contents of the files not received"), 1)
        name, _ = self.domain()
        self.caller.set_network(network={"id": network, "dns_domain": name})
        self.create(network, "10.224.54.1")
        self.wait_exported(network, files)

    def test_a_directory_that_cannot_be_written(self):
        domain, network = self.domain()
        self.create(network, "10.224.54.2")
        files = self.files(network)
        (files / "addn_hosts").mkdir()          # by nobody, root neither
        (files / "addn_hosts" / "x").touch()
        agent = self.agent()
        self.until(lambda: agent.said("files not written"), "it cannot")
        self.assertEqual(agent.said("files not written"), 1)
        shutil.rmtree(files / "addn_hosts")
        self.wait_exported(network, files)


class Casts(AgentStory):
    """It hears what is told to all, and has no queue that would fill while it is away."""

    def test_nonsense(self):
        domain, network = self.domain()
        files = self.files(network)
        agent = self.agent()
        teller = Caller(self.fleet.rabbitmq.url, topic="ports_agent")
        self.addCleanup(teller.close)
        fanout = teller.client.prepare(fanout=True)
        for method, arguments in (
                ("hosts_changed", {}), ("hosts_changed", {"network": 1}),
                ("hosts_changed", {"network": network, "ports": ["x"]}),
                ("hosts_changed", {"network": network, "ports": [1] * 2000}),
                ("something", {})):
            fanout.cast(teller.context, method, **arguments)
        self.create(network, "10.224.55.1")
        self.wait_exported(network, files)
        self.wait_lines(files / "addn_hosts", 1)
        with self.assertRaises(Exception):
            teller.client.prepare(timeout=2).call(teller.context, "hosts_changed", network=network)
        queues = [name for name, in self.fleet.rabbitmq.listed("queues", "name")
                  if name.startswith("ports_agent")]
        self.assertTrue(queues)
        self.assertEqual([name for name in queues
                          if not name.startswith("ports_agent_fanout_")], [])
        self.assertTrue(agent.is_ready())


class ScriptedPorts:
    """Answers what an agent asks: what is in .answers, one after another, and then .answer."""

    def __init__(self):
        self.lock = threading.Lock()
        self.asked, self.answers = [], []
        self.answer = None
        self.versions, self.compared = {}, 0

    def hosts_versions(self, context, networks):
        with self.lock:
            self.compared += 1
            return {"versions": {key: version for key, version in self.versions.items()
                                 if key in networks}}

    def hosts_export(self, context, network, ports=None, marker=None):
        with self.lock:
            self.asked.append((marker, None if ports is None else sorted(ports)))
            answer = self.answers.pop(0) if self.answers else self.answer
        return answer() if callable(answer) else answer


class Held:
    """An answer that is kept back until it is let go."""

    def __init__(self, answer):
        self.answer = answer
        self.come, self.free = threading.Event(), threading.Event()

    def __call__(self):
        self.come.set()
        self.free.wait(SECONDS)
        return self.answer


def entry(port, text):
    return {"port": port, "addn_hosts": f"{text}\n", "dhcp_hosts": ""}


def page(*entries, marker=None):
    return {"hosts": list(entries), "marker": marker}


class Answered(AgentStory):
    """What the agent makes of answers, whatever they are and whenever they come."""

    @classmethod
    def setUpClass(cls):
        cls.workers[0].stop()
        cls.addClassCleanup(cls.workers[0].wait_ready)
        cls.addClassCleanup(cls.workers[0].launch)
        cls.teller = Caller(cls.fleet.rabbitmq.url, topic="ports_agent")
        cls.addClassCleanup(cls.teller.close)
        cls.fanout = cls.teller.client.prepare(fanout=True)
        cls.ports = ScriptedPorts()
        server = om.get_rpc_server(cls.teller.transport, om.Target(topic="ports", server="story"),
                                   [cls.ports], executor="threading")
        server.start()
        cls.addClassCleanup(server.wait)
        cls.addClassCleanup(server.stop)

    def setUp(self):
        super().setUp()
        self.network = uuid.uuid4().hex
        self.keys = [f"{number:032x}" for number in range(1, 10)]
        self.hosts = self.files(self.network) / "addn_hosts"

    def start(self, *answers, **settings):
        """The one that is answered so; the next questions are those that count."""
        self.ports.answers = list(answers)
        self.running = self.agent(interval=1, reread_period=3600, **settings)
        self.until(lambda: self.lines(self.hosts) is not None, "all of it was read")
        self.ports.asked = []

    def tell(self, *keys):
        """That these have changed; (no keys) all of it may have. And it has heard it."""
        before = self.heard()
        self.fanout.cast(self.teller.context, "hosts_changed", network=self.network,
                         **({"ports": list(keys)} if keys else {}))
        self.until(lambda: self.heard() > before, "it has heard it")

    def heard(self):
        return self.running.figure_of('requests_total{method="hosts_changed"}') or 0

    def hold(self, answer):
        held = Held(answer)
        self.ports.answers.append(held)
        return held

    def wait_asked(self, *questions):
        self.until(lambda: len(self.ports.asked) >= len(questions),
                   f"it asks {questions}: {self.ports.asked}")
        self.assertEqual(self.ports.asked, list(questions))

    def wait_kept(self, *lines):
        self.until(lambda: self.lines(self.hosts) == list(lines),
                   f"the file has {lines}: {self.lines(self.hosts)}")

    def is_at(self, version, missed):
        """So it is, and has been compared since; this often it had missed something."""
        self.ports.answer = page(entry(self.keys[0], f"at {version}")) | {"version": version}
        self.ports.versions = {self.network: version}
        self.until(lambda: self.running.figure("missed_total") >= missed, "it is missed")
        before = self.ports.compared
        self.until(lambda: self.ports.compared > before + 3, "it is compared")
        self.assertEqual(self.running.figure("missed_total"), missed)

    def told_of(self, *versions):
        for version in versions:
            self.fanout.cast(self.teller.context, "hosts_changed", network=self.network,
                             ports=self.keys[:1], version=version)

    def test_versions(self):
        self.start(page(entry(self.keys[0], "first")) | {"version": 100}, check_period=1)
        self.is_at(100, 0)
        self.ports.answer = page(entry(self.keys[0], "told"))
        self.told_of(103, 101, 102)
        self.is_at(103, 0)
        self.ports.answer = page(entry(self.keys[0], "told"))
        self.told_of(*range(105, 300))              # but not of 104
        self.is_at(299, 1)
        self.wait_kept("at 299")
        self.told_of(300)
        self.is_at(300, 1)
        self.is_at(5, 2)                            # it is counted anew
        self.wait_kept("at 5")
        self.told_of(6)
        self.is_at(6, 2)
        self.is_at(7, 3)
        self.wait_kept("at 7")

    def test_what_is_no_answer(self):
        """The files stay, and it is asked again."""
        one, two = self.keys[:2]
        whole = page(entry(one, "a"))
        self.start(whole)
        number = 0
        for bad in ("text", [], {}, {"hosts": 5}, page(5), page({}), page({"port": two}),
                    page(entry(two, "b") | {"addn_hosts": None}),
                    page({"port": two, "addn_hosts": "b\n"}), page(entry("b" * 256, "b")),
                    page(entry(two, "b" * 2 ** 20)), page(entry(two, "b"), marker=5),
                    page(entry(two, "b"), marker="b" * 256)):
            with self.subTest(bad=str(bad)[:60]):
                number += 1
                self.ports.answers, self.ports.answer = [bad], page(entry(one, f"a{number}"))
                failed = self.running.figure("questions_failed_total")
                before = self.lines(self.hosts)
                self.tell()
                self.until(lambda: self.running.figure("questions_failed_total") == failed + 1,
                           "it is no answer")
                self.assertEqual(self.lines(self.hosts), before)
                self.tell()                         # and so it is asked at once
                self.wait_kept(f"a{number}")
        self.assertEqual(self.running.said("contents of the files not received: .*err=invalid"),
                         number)

    def test_pages_that_do_not_go_on(self):
        one, two = self.keys[:2]
        self.start(page(entry(one, "a")))
        for marker in one, two:
            self.ports.asked = []
            self.ports.answers = [page(entry(one, "x"), marker=two),
                                  page(entry(two, "x"), marker=marker), page(entry(two, "b"))]
            self.tell()
            self.until(lambda: len(self.ports.asked) == 3, "the page is asked for again")
            self.assertEqual(self.ports.asked, [(None, None), (two, None), (two, None)])
            self.wait_kept("x", "b")

    def test_changed_while_all_is_read(self):
        """It is asked for before the next page, and newer than a page that had it before."""
        one, two, three = self.keys[:3]
        self.start(page(entry(one, "a")))
        self.ports.answers = [page(entry(one, "a"), marker=one)]
        held = self.hold(page(entry(two, "b"), marker=two))
        self.ports.answers += [page(entry(one, "changed")), page(entry(three, "c"))]
        self.tell()
        self.assertTrue(held.come.wait(SECONDS))
        self.tell(one)
        self.tell(three)
        held.free.set()
        self.wait_asked((None, None), (one, None), (None, [one, three]), (two, None))
        self.wait_kept("changed", "b", "c")         # the third was made behind the question

    def test_told_again_while_it_is_asked(self):
        """It may be of before that: it is asked again, with all that was told meanwhile."""
        one, two, three = self.keys[:3]
        self.start(page(entry(one, "a"), entry(two, "b")))
        held = self.hold(page(entry(one, "old"), entry(three, "nobody asked")))
        self.ports.answers.append(page(entry(one, "new")))
        self.tell(one)
        self.assertTrue(held.come.wait(SECONDS))
        for key in one, two, one:
            self.tell(key)
        held.free.set()
        self.wait_asked((None, [one]), (None, [one, two]))
        self.wait_kept("new")

    def test_more_than_a_question_holds(self):
        keys = [f"{number:032x}" for number in range(1, 251)]
        self.start(page(entry(keys[0], "a")))
        held = self.hold(page(entry(keys[0], "a")))
        self.ports.answer = lambda: page(*(entry(key, "x") for key in self.ports.asked[-1][1]))
        self.tell(keys[0])
        self.assertTrue(held.come.wait(SECONDS))
        self.tell(*keys)
        held.free.set()
        self.wait_kept(*["x"] * 250)
        self.assertEqual([len(keys) for _, keys in self.ports.asked], [1, 50, 50, 50, 50, 50])

    def test_more_than_is_worth_asking_for(self):
        """All of it is read then."""
        one = self.keys[0]
        self.start(page(entry(one, "a")))
        held = self.hold(page(entry(one, "a")))
        self.ports.answer = page(entry(one, "all"))
        self.tell(one)
        self.assertTrue(held.come.wait(SECONDS))
        for first in 0, 1000:
            self.tell(*(f"{first + number:032x}" for number in range(1000)))
        held.free.set()
        self.wait_kept("all")
        self.assertEqual(self.ports.asked[:2], [(None, [one]), (None, None)])

    def test_an_answer_that_comes_too_late(self):
        """Nobody waits for it any more: what was asked again counts."""
        one = self.keys[0]
        self.start(page(entry(one, "a")))
        held = self.hold(page(entry(one, "late")))
        self.ports.answers.append(page(entry(one, "b")))
        self.tell(one)
        self.assertTrue(held.come.wait(SECONDS))
        self.until(lambda: len(self.ports.asked) == 2, "it is asked again")
        self.wait_kept("b")
        held.free.set()
        self.ports.answers.append(page(entry(self.keys[1], "c")))
        self.tell(self.keys[1])
        self.wait_kept("b", "c")
        self.assertEqual(self.ports.asked, [(None, [one])] * 2 + [(None, [self.keys[1]])])
        self.assertEqual(self.running.figure("questions_failed_total"), 1)


class Large(AgentStory):

    def test_one_of_many(self):
        domain, network = self.domain()
        callers = [Caller(self.fleet.rabbitmq.url, topic="ports") for _ in range(8)]
        files = self.files(network)
        agent = self.agent(reread_period=3600, interval=1)
        started = time.monotonic()
        with ThreadPoolExecutor(8) as pool:
            ports = list(pool.map(lambda i: self.create(
                network, f"10.{100 + i // 65536}.{i // 256 % 256}.{i % 256}", dns_name=f"n{i}",
                mac_address=f"fa:16:3e:{i // 65536:02x}:{i // 256 % 256:02x}:{i % 256:02x}",
                caller=callers[i % 8]), range(MANY_PORTS)))
        for caller in callers:
            caller.close()
        self.wait_lines(files / "addn_hosts", 2 * MANY_PORTS, SECONDS + MANY_PORTS / 100)
        self.wait_exported(network, files)
        seconds, questions = time.monotonic() - started, agent.figure("questions_total")
        written = agent.figure("files_written_total")
        print(f"{MANY_PORTS} ports in {seconds:.1f} s: {questions} questions, {written} files "
              "written", file=sys.stderr)
        self.assertLess(questions, MANY_PORTS)
        self.assertLessEqual(written, 2 * (seconds + 2), "two files, once in an interval")
        agent.restart()
        self.until(lambda: agent.figure("questions_total") == MANY_PORTS // PAGE + 1,
                   "all of it is read, page by page")
        self.assertEqual(agent.figure("files_written_total"), 0)

        before = self.lines(files / "addn_hosts")
        started = time.monotonic()
        self.caller.update_port(port=ports[7]["id"], values={"dns_name": "other"})
        self.until(lambda: "other" in (files / "addn_hosts").read_text(), "it is written")
        print(f"one of {MANY_PORTS}: in the file after "
              f"{1000 * (time.monotonic() - started):.0f} ms", file=sys.stderr)
        after = self.lines(files / "addn_hosts")
        self.assertEqual([(a, b) for a, b in zip(before, after) if a != b],
                         [(f"10.100.0.7\tn7.{domain[:-1]} n7",
                           f"10.100.0.7\tother.{domain[:-1]} other")])
        self.assertEqual(len(before), len(after))
        self.assertEqual(agent.figure("questions_total"), MANY_PORTS // PAGE + 2)
        self.wait_exported(network, files)


class CommandLine(unittest.TestCase):

    def run_agent(self, *arguments, text=None):
        with tempfile.NamedTemporaryFile("w", suffix=".cfg") as file:
            os.chmod(file.name, 0o600)
            file.write(text or "")
            file.flush()
            done = subprocess.run([Agent.program_path("ports"), "--config", file.name,
                                   *arguments], capture_output=True, text=True, timeout=30)
        return done.returncode, done.stdout + done.stderr

    def test_it_is_about_the_agent(self):
        status, said = self.run_agent("--agent", "--help")
        self.assertEqual(status, 0)
        for words in ("Usage: zonefleet-ports --agent [ARGUMENT", "\nports_agent: ", "\nbroker: ",
                      "\nfleet: ", "    keys "):
            self.assertIn(words, said)
        # lock_ttl: the file may have it, in the same group, for other programs
        for words in ("\ndatabase: ", "    processes", "--agent --help", "lock_ttl"):
            self.assertNotIn(words, said)
        self.assertIn("--agent", self.run_agent("--help")[1])
        sample = self.run_agent("--agent", "--sample")[1]
        self.assertNotIn("lock_ttl", sample)
        self.assertIn("fleet.agent_keys: has no key",
                      self.run_agent("--check", "--agent", text=sample)[1])
        trusting = "fleet: { lock_ttl = 3; trust_broker = true; };\n"
        sample = sample.replace("\nfleet: {", "\nfleet: { lock_ttl = 3; trust_broker = true;")
        folder = self.enterContext(tempfile.TemporaryDirectory())
        good = sample.replace("\nports_agent: {", f'\nports_agent: {{ directory = "{folder}";')
        self.assertEqual(self.run_agent("--check", "--agent", text=good)[0], 0)
        for bad in "directory = \"a\"", "directory = \"/a/\"", "interval = 0", "processes = 2":
            status, said = self.run_agent("--agent", "--check",
                                          text=f"{trusting}ports_agent: {{ {bad}; }};")
            self.assertEqual(status, 78, said)
            self.assertRegex(said, "^zonefleet-ports-agent: .*ports_agent.*" + bad.split()[0])


if __name__ == "__main__":
    unittest.main(verbosity=2)

"""A name server that falls silent: who waits for it, who does not, and how it comes back."""

import os
import resource
import shutil
import socket
import struct
import sys
import tempfile
import time
import unittest
from pathlib import Path
from types import SimpleNamespace

import dns.message
import dns.opcode
import dns.rdataclass
import dns.rdatatype

sys.path[:0] = [str(Path(__file__).resolve().parent),
                str(Path(__file__).resolve().parents[1] / "support")]
from minidns_lab import HOST, POOL, Lab, new_id, wait_for       # noqa: E402
from story import Caller, put, start_fleet                      # noqa: E402
from test_minidns_propagate import Scripted, soa                # noqa: E402

ZONES = 550             # more than may be out to one server
PATIENCE = 6            # seconds, in which a Quick server can answer all of them
AT_ONCE = 100           # in a message
SERIAL = 42
FEW = 20                # sockets of probes
REPORTS_SECONDS = 120   # until thousands of reports have come through Python
BACK_SECONDS = 30       # until a server that answers again is asked
ALONE = "127.0.0.7"     # an address that only one server has
SILENT = 'zonefleet_minidns_servers_silent{asked="query"}'
SPARED = "zonefleet_minidns_exchanges_spared_total"
DOMAINS = 60
ACTIVE_SECONDS = 60     # until a server that returns has all it missed


def sockets_to(port):
    """How many sockets of this machine are connected to the port."""
    count = 0
    for table in "udp", "tcp":
        lines = Path(f"/proc/net/{table}").read_text().splitlines()[1:]
        count += sum(line.split()[2].endswith(f":{port:04X}") for line in lines)
    return count


class Quick(Scripted):
    """Answers thousands by the serial, within the patience, on a machine that is busy too."""

    HEAD = struct.Struct("!6H")
    AA, QR = 0x0400, 0x8000
    SOA = struct.pack("!HHHLHBB5L", 0xc00c, dns.rdatatype.SOA, dns.rdataclass.IN, 60, 22, 0, 0,
                      SERIAL, 0, 0, 0, 0)

    def __init__(self, name):
        super().__init__(None)
        self.id = name

    def _run(self):
        while True:
            try:
                data, peer = self.socket.recvfrom(4096)
            except OSError:
                return
            number, flags, *_ = self.HEAD.unpack_from(data)
            question = data[self.HEAD.size:data.index(b"\0", self.HEAD.size) + 5]
            soa = b"" if dns.opcode.from_flags(flags) == dns.opcode.NOTIFY else self.SOA
            self._send(self.HEAD.pack(number, flags | self.QR | self.AA, 1, bool(soa), 0, 0)
                       + question + soa, peer)


class Silence(unittest.TestCase):

    def setUp(self):
        self.lab = self.enterContext(Lab(servers=("bind",)))
        self.bind = self.lab.servers["bind"]
        self.number = 0

    def scripted(self, name, handler, host=HOST):
        server = Scripted(handler, host)
        server.id = name
        self.addCleanup(server.close)
        return server

    def quick(self, name):
        server = Quick(name)
        self.addCleanup(server.close)
        return server

    def names(self, count=ZONES):
        self.number += 1
        return [f"zone{i}.wave{self.number}.test." for i in range(count)]

    def propagate(self, names, destinations, **terms):
        terms = {"timeout": 2, "retry_interval": 1, "max_retries": 3} | terms
        for at in range(0, len(names), AT_ONCE):
            self.lab.cast(
                "propagate_zones", **terms,
                domains=[{"id": new_id(), "name": name, "pool": POOL, "tenant": "t",
                          "task": "UPDATE", "status": "PENDING", "serial": SERIAL}
                         for name in names[at:at + AT_ONCE]],
                destinations=[dict(zip(("id", "host", "port", "tsig_key"), destination))
                              for destination in destinations])

    def figure(self, name):
        page = self.lab.workers[0].page("/metrics")[1]
        return next(float(line.split()[-1]) for line in page.splitlines()
                    if line.startswith(name + " "))

    def hear(self, count, seconds=REPORTS_SECONDS):
        """So many reports as (seconds since the call, report), and the most sockets to BIND."""
        begun, found, most = time.monotonic(), [], 0

        def all_came():
            nonlocal most
            most = max(most, sockets_to(self.bind.port))
            while not self.lab.reports.empty():
                found.append((time.monotonic() - begun, self.lab.reports.get()))
            return len(found) >= count
        wait_for(all_came, seconds, f"{count} reports")
        return found, most

    def take_sockets(self, pid):
        """All that it might open yet; gives back what undoes it."""
        before = resource.prlimit(pid, resource.RLIMIT_NOFILE)
        used = {int(entry) for entry in os.listdir(f"/proc/{pid}/fd")}
        free = next(number for number in range(before[0]) if number not in used)
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (free, before[1]))
        return lambda: resource.prlimit(pid, resource.RLIMIT_NOFILE, before)

    def test_no_socket_is_left(self):
        """A server that could not be asked is not silent: the report says which it is."""
        servers = [self.scripted("one", lambda q: soa(q, SERIAL)).destination]
        soon = {"timeout": 0.3, "retry_interval": 0.1, "max_retries": 2}
        self.propagate(self.names(1), servers)
        self.assertEqual(self.hear(1)[0][0][1]["status"], "SUCCESS")
        give_back = self.take_sockets(*self.lab.workers[0].processes())
        self.addCleanup(give_back)
        self.propagate(self.names(1), servers, **soon)
        report = self.hear(1)[0][0][1]
        self.assertEqual((report["status"], report.get("unasked"), report.get("silent")),
                         ("ERROR", True, None))
        self.assertIn("no free socket", report["reason"])
        give_back()
        self.propagate(self.names(1), servers)
        self.assertEqual(self.hear(1)[0][0][1]["status"], "SUCCESS")

    def test_one_of_three_is_paused(self):
        live = [self.quick(name) for name in ("one", "two")]
        servers = [(self.bind.name, HOST, self.bind.port),
                   *(server.destination for server in live)]
        self.bind.pause()
        self.propagate(self.names(), servers, timeout=PATIENCE)
        found, _ = self.hear(3 * ZONES)
        self.assert_told(found)
        self.assert_not_held_up(found)
        self.assertEqual(self.figure(SILENT), 1)
        wait_for(lambda: sockets_to(self.bind.port) <= FEW, 60, "the old questions end")

        self.propagate(self.names(), servers, timeout=PATIENCE)
        found, most = self.hear(3 * ZONES)
        self.assert_told(found)
        self.assertLessEqual(most, FEW)
        self.assertGreater(self.figure(SPARED), ZONES)
        self.assertIn("server is silent", self.lab.workers[0].log.read_text())

        self.bind.resume()
        self.propagate(self.names(1), servers[:1], max_retries=6)
        (_, report), = self.hear(1, BACK_SECONDS)[0]
        self.assertIn("REFUSED", report["reason"])
        self.assertEqual(self.figure(SILENT), 0)
        self.propagate(self.names(), servers[:1])
        for _, report in self.hear(ZONES)[0]:
            self.assertIn("REFUSED", report["reason"])

    def assert_told(self, found):
        """The two that live have all, the paused one is said to be silent."""
        for _, report in found:
            if report["name_server"] == self.bind.name:
                self.assertEqual(report["status"], "ERROR")
                self.assertEqual(report["reason"], "no answer about any domain; mini-DNS probes the "
                                 "server until the server answers")
            else:
                self.assertEqual((report["status"], report["reason"]), ("SUCCESS", ""))

    def assert_not_held_up(self, found):
        """The two that live are done while the tries of the paused one last."""
        last = {is_paused: max(after for after, report in found
                               if (report["name_server"] == self.bind.name) == is_paused)
                for is_paused in (True, False)}
        self.assertLess(last[False], last[True])

    def silent_server(self):
        """(server, list to make it answer) that is known to be silent."""
        answers = []
        server = self.scripted("alone", lambda q: soa(q, SERIAL) if answers else None, ALONE)
        self.propagate(self.names(10), [server.destination], timeout=0.5, max_retries=1)
        self.hear(10)
        self.assertEqual(self.figure(SILENT), 1)
        return server, answers

    def test_a_question_from_its_address_is_a_sign_of_life(self):
        server, _ = self.silent_server()
        for address, silent in ("127.0.0.8", 1), (ALONE, 0):
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asker:
                asker.bind((address, 0))
                asker.settimeout(10)
                asker.sendto(dns.message.make_query("x.test.", "SOA").to_wire(),
                             (HOST, self.lab.ports[0]))
                asker.recv(4096)
            self.assertEqual(self.figure(SILENT), silent)

    def test_notifies_leave_all_the_same(self):
        server, _ = self.silent_server()
        names = self.names(10)
        for name in names:
            self.lab.order(SimpleNamespace(id=new_id(), name=name, serial=SERIAL, version=1),
                           server.destination, "notify_zone_changed")
        wait_for(lambda: set(names) <= {str(question.question[0].name).lower()
                                        for _, question in server.asked.copy()},
                 10, "all zones were told of")
        self.assertEqual(self.figure(SILENT), 1)

    def test_one_zone_says_nothing_of_the_others(self):
        server = self.scripted("lossy", lambda q: None)
        for name in [self.names(1)[0]] * 8:
            self.propagate([name], [server.destination], timeout=0.2, max_retries=1)
            self.assertIn("no answer in 1 try", self.hear(1)[0][0][1]["reason"])
        self.assertEqual(self.figure(SILENT), 0)

    def test_what_is_wrong_with_one_order_holds_up_no_other(self):
        server = self.quick("good")
        names = self.names(ZONES)
        self.propagate(names, [("bad", HOST, 53, "not..a.name"), server.destination])
        found, _ = self.hear(len(names))
        self.assertEqual({report["domain"]["name"] for _, report in found}, set(names))


class Fleet(unittest.TestCase):

    def test_all_domains_are_active_after_a_pause(self):
        folder = Path(tempfile.mkdtemp(prefix="zfsilence"))
        self.addCleanup(shutil.rmtree, folder)
        fleet = self.enterContext(start_fleet(folder / "fleet"))
        caller = Caller(fleet.rabbitmq.url)
        self.addCleanup(caller.close)
        domains = [caller.create_domain(domain={"name": f"d{number}.silence.example."})
                   for number in range(DOMAINS)]
        fleet.wait_quiet()
        fleet.bind.pause()
        for domain in domains:
            caller.apply_changes(domain=domain["id"],
                                 changes=[put("www." + domain["name"], "192.0.2.1")])
        in_error = "SELECT 1 FROM domains WHERE status = 'ERROR'"
        fleet.wait_for(lambda: len(fleet.mariadb.sql(in_error)) == DOMAINS, 60,
                       "all are in ERROR")
        fleet.bind.resume()
        fleet.wait_quiet(ACTIVE_SECONDS)
        for domain in domains:
            self.assertEqual(fleet.bind.query("www." + domain["name"], "A")[0], "NOERROR")


if __name__ == "__main__":
    unittest.main()

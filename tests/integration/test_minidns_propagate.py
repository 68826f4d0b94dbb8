"""From an order to a report: NOTIFY, transfer, poll, with BIND, Knot and NSD."""

import re
import socket
import sys
import threading
import time
import unittest
from pathlib import Path

import dns.flags
import dns.message
import dns.name
import dns.opcode
import dns.query
import dns.rcode
import dns.rrset

sys.path.insert(0, str(Path(__file__).resolve().parent))
from minidns_lab import HOST, Domain, Lab, wait_for              # noqa: E402
from query import udp  # noqa: E402

NAMES = ("bind", "knot", "nsd")


class Scripted:
    """A name server that answers as it is told: HANDLER(question) is an answer or None."""

    def __init__(self, handler, host=HOST):
        self.handler = handler
        self.asked, self.packets, self.peers = [], [], []
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind((host, 0))
        self.host, self.id, self.port = host, "scripted", self.socket.getsockname()[1]
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    @property
    def destination(self):
        return self.id, self.host, self.port

    def _run(self):
        while True:
            try:
                data, peer = self.socket.recvfrom(4096)
            except OSError:
                return
            question = dns.message.from_wire(data)
            self.packets.append(data)
            self.peers.append(peer)
            self.asked.append((time.monotonic(), question))
            answers = self.handler(question)
            for answer in answers if isinstance(answers, list) else [answers]:
                self._send(answer, peer)

    def _send(self, answer, peer):
        if answer is None or self.socket.fileno() < 0:
            return
        self.socket.sendto(answer if isinstance(answer, bytes) else answer.to_wire(), peer)

    def close(self):
        self.socket.close()


def soa(question, serial, aa=True):
    answer = dns.message.make_response(question)
    if question.opcode() == dns.opcode.QUERY:
        name = question.question[0].name
        answer.answer.append(dns.rrset.from_text(name, 60, "IN", "SOA", f". . {serial} 0 0 0 0"))
        answer.flags |= dns.flags.AA if aa else 0
    return answer


def rcode(question, code):
    answer = dns.message.make_response(question)
    answer.set_rcode(code)
    return answer


class Propagate(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.lab = cls.enterClassContext(Lab(instances=2, servers=NAMES))
        cls.number = 0

    def domain(self, records=10, serial=1):
        Propagate.number += 1
        name = f"zone{self.number}.test."
        return Domain(self.lab, name, serial, [(name, "NS", "ns1.example.net.")] + [
            (f"h{i}.{name}", "A", f"192.0.2.{i % 250}") for i in range(records)])

    def scripted(self, handler):
        server = Scripted(handler)
        self.addCleanup(server.close)
        return server

    def reports(self, domain, count=3, seconds=20):
        found = [self.lab.report(domain, seconds) for _ in range(count)]
        return {report["name_server"]: report for report in found}

    def test_a_change_reaches_all_servers(self):
        domain = self.domain()
        for server in self.lab.servers.values():
            server.add_zone(domain.name)
            self.lab.order(domain, server)
        for report in self.reports(domain).values():
            self.assertEqual((report["status"], report["serial_number"]), ("SUCCESS", 1), report)
        for number in range(5):
            domain.change(add=[(f"new{number}.{domain.name}", "A", "192.0.2.1")])
            for server in self.lab.servers.values():
                self.lab.order(domain, server, "notify_zone_changed")
                self.lab.order(domain, server)
            for report in self.reports(domain).values():
                self.assertEqual((report["status"], report["serial_number"]),
                                 ("SUCCESS", domain.serial), report)
        for server in self.lab.servers.values():
            self.assertEqual(len(server.axfr(domain.name)), len(domain.rrs()), server.name)

    def test_a_zone_of_many_records(self):
        domain = self.domain(100000)
        for server in self.lab.servers.values():
            server.add_zone(domain.name)
            self.lab.order(domain, server, timeout=30, retry_interval=3, max_retries=15)
        for report in self.reports(domain, seconds=60).values():
            self.assertEqual(report["status"], "SUCCESS", report)
        for server in self.lab.servers.values():
            self.assertEqual(len(server.axfr(domain.name)), len(domain.rrs()), server.name)

    def test_absence(self):
        domain = self.domain()
        bind = self.lab.servers["bind"]
        self.lab.order(domain, bind, task="DELETE")
        report = self.lab.report(domain)
        self.assertEqual((report["status"], report["serial_number"]), ("NO_DOMAIN", None))
        self.lab.order(domain, bind, retry_interval=0.1)
        report = self.lab.report(domain)
        self.assertEqual(report["status"], "NO_DOMAIN")
        self.assertIn("REFUSED", report["reason"])

    def expect(self, handler, status, reason, serial=None, **order):
        server = self.scripted(handler)
        domain = self.domain(0, serial=42)
        self.lab.order(domain, server.destination,
                       **({"timeout": 0.2, "retry_interval": 0.1} | order))
        report = self.lab.report(domain)
        self.assertEqual((report["status"], report["serial_number"]), (status, serial), report)
        self.assertIn(reason, report["reason"])
        return server

    def test_what_a_server_says(self):
        self.expect(lambda q: soa(q, 42), "SUCCESS", "", 42)
        self.expect(lambda q: soa(q, 43), "SUCCESS", "", 43)
        self.expect(lambda q: soa(q, 41), "ERROR", "serves serial 41, not yet 42", 41)
        self.expect(lambda q: soa(q, 42 + 2**31), "ERROR", "not yet 42", 42 + 2**31)
        self.expect(lambda q: soa(q, 42, aa=False), "ERROR", "without the AA flag")
        self.expect(lambda q: rcode(q, dns.rcode.SERVFAIL), "ERROR", "SERVFAIL")
        self.expect(lambda q: rcode(q, dns.rcode.REFUSED), "NO_DOMAIN", "REFUSED")
        self.expect(lambda q: rcode(q, dns.rcode.NXDOMAIN), "NO_DOMAIN", "NXDOMAIN")
        self.expect(lambda q: rcode(q, dns.rcode.NOERROR), "NO_DOMAIN", "no SOA")
        self.expect(lambda q: soa(q, 41), "ERROR", "still serves the domain at serial 41", 41,
                    task="DELETE")

    def notifies(self, server):
        return [(at, q) for at, q in server.asked.copy() if q.opcode() == dns.opcode.NOTIFY]

    def look(self, domain, server):
        name, host, port = server.destination
        self.lab.cast(
            "poll_zones", timeout=1, retry_interval=1, max_retries=2,
            domains=[{"id": domain.id, "name": domain.name, "pool": "default", "tenant": "t",
                      "task": "NONE", "status": "ACTIVE", "serial": domain.serial}],
            destinations=[{"id": name, "host": host, "port": port, "tsig_key": None}])

    def test_a_look(self):
        """What is as it should be is not told; who is behind gets a NOTIFY, and then is."""
        def serve(question):
            if question.opcode() == dns.opcode.NOTIFY:
                serial[0] = 42
            return soa(question, serial[0])
        serial, domain, server = [42], self.domain(0, serial=42), self.scripted(serve)
        self.look(domain, server)
        wait_for(lambda: server.asked, 5, "it is asked")
        self.assertEqual(self.notifies(server), [])
        serial[0] = 41
        self.look(domain, server)
        report = self.lab.report(domain)
        self.assertEqual((report["status"], report["serial_number"]), ("SUCCESS", 42), report)
        self.assertEqual(len(self.notifies(server)), 1)
        left = [self.lab.reports.get() for _ in range(self.lab.reports.qsize())]
        self.assertNotIn(domain.id, [report["domain"]["id"] for report in left])

    def test_silence_is_not_absence(self):
        server = self.expect(lambda q: None, "ERROR", "no answer in 3 tries of 0.2 s")
        self.assertGreaterEqual(len(server.asked), 2)
        self.expect(lambda q: None, "ERROR", "no answer", task="DELETE")

    def test_forged_answers_are_ignored(self):
        def forge(question):
            good = soa(question, 42)
            wrong_id, other, no_response = soa(question, 99), soa(question, 99), soa(question, 99)
            wrong_id.id ^= 1
            other.question = [dns.rrset.from_text("other.test.", 0, "IN", "SOA")]
            no_response.flags &= ~dns.flags.QR
            cut = soa(question, 99).to_wire()[:11]
            # three each: after the fourth mini-DNS would ask over TCP
            bad = [[wrong_id, other, no_response], [cut, b"", wrong_id]]
            return [*bad[question.id % 2], good]
        for _ in range(4):
            self.expect(forge, "SUCCESS", "", 42)

    def test_a_lost_datagram_is_sent_again(self):
        seen = []

        def second(question):
            seen.append(question.id)
            return soa(question, 42) if len(seen) > 1 else None
        self.expect(second, "SUCCESS", "", 42, timeout=3)
        self.assertEqual(len(set(seen)), 1)

    def test_a_burst_is_few_notifies(self):
        server = self.scripted(lambda q: soa(q, 2000))
        domain = self.domain(0, serial=1000)
        for serial in range(1001, 1301):
            self.lab.order(domain, server.destination, "notify_zone_changed", serial=serial)
        self.lab.order(domain, server.destination, serial=1300)
        self.assertEqual(self.lab.report(domain)["serial_number"], 2000)
        time_of_last = wait_for(lambda: server.asked and server.asked[-1][0], 5, "a NOTIFY")
        self.assertTrue(time_of_last)
        wait_for(lambda: time.monotonic() - server.asked[-1][0] > 0.5, 10, "the NOTIFYs end")
        notifies = [(when, q) for when, q in server.asked if q.opcode() == dns.opcode.NOTIFY]
        took = notifies[-1][0] - notifies[0][0]
        # The gaps of each of two instances grow from 10 to 200 ms. Where orders come slowly
        # on a busy machine, some gaps begin anew.
        self.assertLess(len(notifies), 2 * (6 + took / 0.1))
        self.assertTrue(notifies[0][1].flags & dns.flags.AA)

    def test_a_newer_order_replaces_an_older(self):
        serial = [41]
        server = self.scripted(lambda q: soa(q, serial[0]))
        domain = self.domain(0, serial=42)
        self.lab.order(domain, server.destination, retry_interval=5)
        wait_for(lambda: server.asked, 5, "the first poll")
        # two instances share the queue: only orders that reach the same one replace each other
        for newer in range(43, 53):
            self.lab.order(domain, server.destination, serial=newer, retry_interval=5)
        serial[0] = 52
        report = self.lab.report(domain)
        self.assertEqual((report["status"], report["serial_number"]), ("SUCCESS", 52), report)

    def serial_of(self, domain, port):
        question = dns.message.make_query(domain.name, "SOA")
        return udp(question, HOST, port=port, timeout=5).answer[0][0].serial

    def test_the_other_instance_knows_it_at_once(self):
        domain = self.domain()
        before = [self.from_memory(number) for number in (0, 1)]
        for _ in range(100):
            serial = domain.change()        # and its NOTIFY has left
            for port in self.lab.ports:
                for _ in range(3):          # the later ones may be from memory
                    self.assertEqual(self.serial_of(domain, port), serial)
        for number in (0, 1):
            self.assertGreater(self.from_memory(number), before[number] + 50)

    def from_memory(self, number):
        page = self.lab.workers[number].page("/metrics")[1]
        return next(float(line.split()[-1]) for line in page.splitlines()
                    if line.startswith("zonefleet_minidns_soa_from_memory_total "))

    def fill_memory(self, domain, number):
        """Until the instance answers from memory."""
        before = self.from_memory(number)

        def is_used():
            self.assertEqual(self.serial_of(domain, self.lab.ports[number]), domain.serial)
            return self.from_memory(number) > before
        wait_for(is_used, 10, "an answer from memory")

    def test_the_steady_state_needs_no_database(self):
        domain = self.domain()
        self.fill_memory(domain, 0)
        count = self.statements()
        for _ in range(100):
            self.serial_of(domain, self.lab.ports[0])
        self.assertLess(self.statements() - count, 50)

    def statements(self):
        rows = self.lab.mariadb.sql("SHOW GLOBAL STATUS LIKE 'Com_select'")
        return int(rows[0][1])

    def test_it_is_known_though_no_server_can_be_told(self):
        """All of the pool are silent or out of service; others may ask mini-DNS."""
        domain = self.domain()
        for number in 0, 1:
            self.fill_memory(domain, number)
        old = domain.serial
        self.lab.mariadb.sql(f"UPDATE domains SET serial = {old + 1} WHERE id = '{domain.id}'")
        self.lab.cast("propagate_zones", timeout=1, retry_interval=1, max_retries=1,
                      destinations=[],
                      domains=[{"id": domain.id, "name": domain.name, "pool": "default",
                                "tenant": "t", "task": "UPDATE", "status": "PENDING",
                                "serial": old + 1}])
        domain.soa["serial"] = old + 1
        for port in self.lab.ports:
            wait_for(lambda: self.serial_of(domain, port) == old + 1, 10, "it is known")

    def test_an_instance_that_slept_knows_it_when_it_wakes(self):
        """Nobody waits for it for long, and it does not trust its memory."""
        domain = self.domain()
        for _ in range(3):
            self.fill_memory(domain, 1)
            self.lab.workers[1].pause()
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asker:
                try:
                    domain.change(orders=8)     # some are given to the one that sleeps
                    asker.sendto(dns.message.make_query(domain.name, "SOA").to_wire(),
                                 (HOST, self.lab.ports[1]))
                finally:
                    self.lab.workers[1].resume()
                asker.settimeout(10)
                answer = dns.message.from_wire(asker.recv(4096))
            self.assertEqual(answer.answer[0][0].serial, domain.serial)

    def test_the_broker_goes_and_comes(self):
        domain = self.domain()
        self.fill_memory(domain, 0)
        self.lab.rabbitmq.kill9()
        self.lab.rabbitmq.launch()
        self.lab.rabbitmq.wait_ready()
        for worker in self.lab.workers:
            wait_for(worker.is_ready, 30, "ready again")
        for _ in range(5):
            serial = domain.change()
            for port in self.lab.ports:
                self.assertEqual(self.serial_of(domain, port), serial)
        self.fill_memory(domain, 0)

    def notify(self, domain, server, **terms):
        self.lab.order(domain, server.destination, "notify_zone_changed",
                       **({"timeout": 10, "retry_interval": 0.1} | terms))

    def wait_for_notifies(self, server, count, seconds=10):
        """COUNT of them and, for a good while, no more."""
        def came():
            found = self.notifies(server)
            return len(found) >= count and time.monotonic() - found[-1][0] > 1.5
        wait_for(came, seconds, f"{count} NOTIFYs came")
        self.assertEqual(len(self.notifies(server)), count)

    def test_n1_a_notify_and_its_answer(self):
        """As RFC 1996 has it to the octet; what is no answer to it does not end it."""
        other = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.addCleanup(other.close)

        def forge(question):
            good = rcode(question, dns.rcode.NOERROR)
            if len(self.notifies(server)) > 1:
                return good
            wrong_id, wrong_opcode, no_response = (rcode(question, 0) for _ in range(3))
            wrong_id.id ^= 1
            wrong_opcode.set_opcode(dns.opcode.QUERY)
            no_response.flags &= ~dns.flags.QR
            other.sendto(good.to_wire(), server.peers[-1])
            return [wrong_id, wrong_opcode, no_response]
        server = self.scripted(forge)
        domain = self.domain(0)
        self.notify(domain, server)
        self.wait_for_notifies(server, 2)
        first, again = server.packets[:2]
        name = dns.name.from_text(domain.name).to_wire()
        self.assertEqual(first[2:].lower(),
                         b"\x24\0\0\1\0\0\0\0\0\0" + name + b"\0\6\0\1")
        self.assertEqual(again, first)

    def test_n2_notifies_that_are_not_taken(self):
        """The server is asked all the same, and told once; what it has is what counts."""
        servers = []
        for code in (dns.rcode.REFUSED, dns.rcode.NOTIMP, dns.rcode.NOTAUTH, dns.rcode.SERVFAIL,
                     dns.rcode.FORMERR):
            with self.subTest(dns.rcode.to_text(code)):
                server = self.scripted(lambda q, code=code: soa(q, 42) if q.opcode() == 0 else
                                       rcode(q, code))
                domain = self.domain(0, serial=42)
                self.notify(domain, server, timeout=0.5)
                self.lab.order(domain, server.destination)
                self.assertEqual(self.lab.report(domain)["status"], "SUCCESS")
                wait_for(lambda: self.is_logged(domain, code), 5, "the refusal is in the log")
                servers.append(server)
        for server in servers:
            self.wait_for_notifies(server, 1)

    def is_logged(self, domain, code):
        text = re.compile(f"notify failed: domain={domain.name} serial=42 .*"
                          f'reason="({dns.rcode.to_text(code)}|an error)"')
        return any(text.search(worker.log.read_text()) for worker in self.lab.workers)

    def test_n2_only_who_was_silent_is_told_again(self):
        silent = self.scripted(lambda q: soa(q, 42) if q.opcode() == dns.opcode.QUERY else None)
        good = self.scripted(lambda q: soa(q, 42))
        domain = self.domain(0, serial=42)
        for server in silent, good:
            self.notify(domain, server, timeout=0.3, max_retries=4)
            self.lab.order(domain, server.destination)
            self.assertEqual(self.lab.report(domain)["status"], "SUCCESS")
        wait_for(lambda: any(f"notify failed: domain={domain.name} " in worker.log.read_text()
                             for worker in self.lab.workers), 10, "the silence is in the log")
        # every second try is by TCP, where nobody listens
        self.assertGreaterEqual(len(self.notifies(silent)), 2)
        self.assertEqual(len(self.notifies(good)), 1)

    def test_n3_no_notify_is_too_early(self):
        """Who comes at once, to whichever instance, finds the new serial."""
        seen = []

        def ask_at_once(question):
            if question.opcode() == dns.opcode.NOTIFY:
                query = dns.message.make_query(question.question[0].name, "SOA")
                seen.append([udp(query, HOST, port=port, timeout=5).answer[0][0].serial
                             for port in self.lab.ports])
            return soa(question, 10**6)
        server = self.scripted(ask_at_once)
        domain = self.domain()
        for number in range(20):
            domain.change(add=[(f"n{number}.{domain.name}", "A", "192.0.2.1")])
            count = len(seen)
            self.notify(domain, server)
            wait_for(lambda: len(seen) > count, 5, "a NOTIFY came")
            self.assertGreaterEqual(min(seen[-1]), domain.serial)

    def test_z1_many_zones(self):
        """A thousand zones to one server, each told."""
        server = self.scripted(lambda q: rcode(q, dns.rcode.NOERROR))
        domain = self.domain(0)
        names = {f"many{number}.test." for number in range(1000)}
        for name in names:
            domain.name = name
            self.notify(domain, server)
        wait_for(lambda: {str(q.question[0].name).lower()
                          for _, q in self.notifies(server)} == names,
                 20, "all zones were told of")

    def test_bad_orders(self):
        domain = self.domain(0)
        self.lab.order(domain, ("x", "not-an-address", 53))
        self.lab.order(domain, ("x", HOST, 0))
        self.lab.cast("poll_for_serial_number", domain=None)
        self.lab.cast("transfer_ended", name="x", address="y", serial=-1)
        self.lab.cast("no_such_method")
        self.expect(lambda q: soa(q, 42), "SUCCESS", "", 42)


if __name__ == "__main__":
    unittest.main()

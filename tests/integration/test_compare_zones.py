"""compare_zones: who serves other records under the serial of the database is found out."""

import copy
import re
import sys
import threading
import time
import unittest
from pathlib import Path

import dns.message
import dns.rrset

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from minidns_lab import HOST, POOL, Domain, Lab, new_id, run, soa_text, wait_for   # noqa: E402
from lab.process import program                                                    # noqa: E402
from scripted_dns import Scripted, answers, frame, sends, signs, until_closed          # noqa: E402
from test_minidns_secondaries import TYPES, apex_records, long_texts               # noqa: E402
from test_minidns_tsig import key_named                                            # noqa: E402

NAMES = ("bind", "knot", "nsd")
SECONDS = 30        # until a server serves a new zone, or a comparison has ended
LARGE = 10000       # records: more than are kept of a transfer
ADVICE = "to compare the content, allow mini-DNS to transfer the zone from the server"


def rrs_of_domain(domain):
    """With the SOA first and last."""
    soa = (domain.name, domain.soa["soa_ttl"], "SOA", soa_text(domain.soa))
    return [soa, *((owner, domain.ttls.get((owner, rtype), 300), rtype, text)
                   for owner, rtype, text in domain.records), soa]


def refuses(wire, link):
    answer = dns.message.make_response(dns.message.from_wire(wire))
    answer.set_rcode(5)
    link.sendall(frame(answer.to_wire()))


class CompareCase(unittest.TestCase):
    """.lab, and what its minidns found out."""

    number = 0

    def domain(self, records=(), zone=None):
        CompareCase.number += 1
        zone = zone or f"zone{self.number}.test."
        return Domain(self.lab, zone, 17, apex_records(zone) + list(records))

    def counts(self):
        page = self.lab.workers[0].page("/metrics")[1]
        found = re.findall(r'minidns_comparisons_total\{outcome="(\w+)"\} (\d+)', page)
        return {outcome: int(count) for outcome, count in found}

    def order(self, domains, servers, timeout=5, key=None, **options):
        key = key or self.lab.key
        self.lab.cast(
            "compare_zones", timeout=timeout, retry_interval=1, max_retries=1, **options,
            domains=[{"id": domain.id, "name": domain.name, "pool": POOL, "tenant": "t",
                      "task": "NONE", "status": "ACTIVE", "serial": domain.serial}
                     for domain in domains],
            destinations=[{"id": getattr(server, "id", None) or server.name,
                           "host": server.host, "port": server.port,
                           "tsig_key": key.name if key else None} for server in servers])

    def compare(self, domains, servers, **options):
        """What came of it, by outcome, once all have ended."""
        before, wanted = self.counts(), len(domains) * len(servers)
        self.order(domains, servers, **options)

        def ended():
            found = {outcome: count - before[outcome]
                     for outcome, count in self.counts().items()}
            return found if sum(found.values()) >= wanted else None
        found = wait_for(ended, SECONDS, f"{wanted} zones are compared")
        return {outcome: count for outcome, count in found.items() if count}

    def scripted(self, script, name="scripted", host=HOST):
        server = Scripted(script, name, host)
        self.addCleanup(server.stop)
        return server

    def lines(self, text):
        log = self.lab.workers[0].log.read_text(errors="replace")
        return [line for line in log.splitlines() if text in line]

    def no_reports(self):
        found = []
        while not self.lab.reports.empty():
            found.append(self.lab.reports.get())
        return not found

    def assert_compared(self, domain, server, outcome, **options):
        """Of one server; the words in the log that go with it."""
        self.assertEqual(self.compare([domain], [server], **options), {outcome: 1})

    def assert_differs(self, domain, server, *words, serial=None):
        self.assert_compared(domain, server, "differs")
        report = self.lab.report(domain)
        self.assertEqual((report["status"], report["serial_number"], report["differs"],
                          report["name_server"]),
                         ("SUCCESS", serial or domain.serial, True,
                          getattr(server, "id", None) or server.name), report)
        for word in words:
            self.assertIn(word, report["reason"])
        return report["reason"]


class Servers(CompareCase):
    """BIND, Knot and NSD as they are: what they have by transfer from minidns."""

    @classmethod
    def setUpClass(cls):
        cls.lab = cls.enterClassContext(Lab(servers=NAMES, settings={"allow_transfer": [HOST]}))
        cls.servers = list(cls.lab.servers.values())

    def served(self, records=(), zone=None, servers=None):
        """A domain that all of them have."""
        domain = self.domain(records, zone)
        for server in servers or self.servers:
            server.add_zone(domain.name)
            self.lab.order(domain, server, "notify_zone_changed")
        for server in servers or self.servers:
            server.wait_for_serial(domain.name, domain.serial, SECONDS)
        return domain

    def test_equal_zones(self):
        """All types, odd names, mixed case, long names, and more than a hundred messages."""
        zone, labels = "odd.test.", "l" * 62
        owners = [f"{labels}.{labels}.{labels}.{'l' * 54}.{zone}", "a." * 122 + zone,
                  rf"\000\001\032\.\\\@\255.{zone}", "\\200" * 63 + f".{zone}", f"*.{zone}"]
        domains = [
            self.served([(f"{rtype.lower()}.types.test.", rtype, text)
                         for rtype, text in TYPES.items()], "types.test."),
            self.served([(owner, "MX", f"7 {target}") for owner in owners for target in owners]
                        + [(owner, "TXT", r'"\000\255\"" ""') for owner in owners], zone),
            self.served([("MiXed.case.test.", "CNAME", "WwW.CaSe.TEST."),
                         ("www.case.test.", "MX", "1 Mail.CASE.test.")], "case.test."),
            self.served(long_texts("large.test.", 0, 13000), "large.test."),
        ]
        self.assertEqual(self.compare(domains, self.servers), {"equal": 12})
        self.assertTrue(self.no_reports())
        self.order(domains[:1], self.servers[:1], tell_equal=True)
        report = self.lab.report(domains[0])
        self.assertEqual((report["status"], report["serial_number"], report["equal"]),
                         ("SUCCESS", domains[0].serial, True))

    def edited(self, server, edit):
        """A domain that SERVER alone has otherwise: EDIT(zone) changed it while it stood."""
        zone = f"edited-{server.name}.test."
        domain = self.served([(f"www.{zone}", "A", "192.0.2.1"), (f"b.{zone}", "A", "192.0.2.2")],
                             zone)
        edit(server, zone)
        self.assertEqual(server.serial(zone), domain.serial)
        reason = self.assert_differs(
            domain, server, "serves 1 record that is not in serial 17",
            f"(www.{zone} 300 A 192.0.2.99)", f"lacks 1 record (www.{zone} 300 A 192.0.2.1)")
        self.assertNotIn(f"b.{zone}", reason)
        others = [other for other in self.servers if other is not server]
        self.assertEqual(self.compare([domain], others), {"equal": 2})
        self.assertTrue(self.lines(f"server differs from the database: domain={zone} "
                                   f"server={server.name} "))
        self.assertTrue(self.no_reports())

    def test_edited_on_bind(self):
        def edit(server, zone):
            server.rndc("sync", "-clean", zone)
            server.stop()
            path = server.data / f"{zone}.db"
            tool = [program("named-compilezone"), "-q", "-i", "none"]
            text = run([*tool, "-f", "raw", "-F", "text", "-o", "-", zone, path])
            self.assertEqual(text.count("192.0.2.1\n"), 1, text)
            path.with_suffix(".text").write_text(text.replace("192.0.2.1\n", "192.0.2.99\n"))
            run([*tool, "-f", "text", "-F", "raw", "-o", path, zone,
                 path.with_suffix(".text")])
            server.launch()
            server.wait_ready()
            server.wait_for_serial(zone, 17)
        self.edited(self.lab.servers["bind"], edit)

    def test_edited_on_nsd(self):
        def edit(server, zone):
            server.control("write", zone)
            path = server.folder / "data" / f"{zone}.zone"
            wait_for(path.exists, 10, "NSD writes the zone", [server.log])
            server.stop()
            text = path.read_text()
            self.assertEqual(text.count("192.0.2.1\n"), 1, text)
            path.write_text(text.replace("192.0.2.1\n", "192.0.2.99\n"))
            server.launch()
            server.wait_ready()
            server.wait_for_serial(zone, 17)
        self.edited(self.lab.servers["nsd"], edit)

    def test_a_zone_that_is_not_there(self):
        domain = self.domain()
        self.assertEqual(self.compare([domain], self.servers), {"refused": 3})
        self.assertTrue(self.no_reports())


class Strangers(CompareCase):
    """Servers that are scripted: what they send is no more and no less than that."""

    @classmethod
    def setUpClass(cls):
        cls.lab = cls.enterClassContext(Lab())
        cls.small = Domain(cls.lab, "zone.test.", 17, apex_records("zone.test.") + [
            (f"h{i}.zone.test.", "A", f"192.0.2.{i}") for i in range(10)])

    def test_equal_however_it_is_sent(self):
        domain = self.small
        first, *rrs, last = rrs_of_domain(domain)
        shuffled = [first, *reversed(rrs), last]
        shouting = [first, *((owner.upper(), *rest) for owner, *rest in rrs), last]
        twice = [first, *rrs, *rrs, last]
        for rrs in shuffled, shouting, twice:
            self.assert_compared(domain, self.scripted(sends(rrs)), "equal")
        self.assertTrue(self.no_reports())

    def test_differences_are_named(self):
        domain = self.small
        first, *rrs, last = rrs_of_domain(domain)
        more = ("new.zone.test.", 300, "TXT", r'"\027[2J" "\010"')
        other_ttl = rrs[0][0], 301, *rrs[0][2:]
        for sent, *words in (
                ([*rrs, more], "serves 1 record", r'new.zone.test. 300 TXT "\027[2J" "\010"'),
                (rrs[:-1], "lacks 1 record of serial 17 (h9.zone.test. 300 A 192.0.2.9)"),
                ([], "lacks 11 records of serial 17", "; ...)"),
                ([other_ttl, *rrs[1:]], "serves 1 record", "zone.test. 301 NS",
                 "lacks 1 record (zone.test. 300 NS")):
            reason = self.assert_differs(domain, self.scripted(sends([first, *sent, last])),
                                         *words)
            self.assertTrue(reason.isprintable() and reason.isascii(), reason)

    def test_another_serial(self):
        """Of an older one the journal does not tell; a newer zone is not read to its end."""
        first, *rrs, _ = rrs_of_domain(self.small)
        for serial in 16, 18, 2147483664:
            soa = *first[:3], first[3].replace(" 17 ", f" {serial} ")
            self.assert_compared(self.small, self.scripted(sends([soa, *rrs[1:], soa])), "serial")
            if serial > 17:
                self.assert_compared(self.small, self.scripted(sends([soa])), "serial")
        self.assertTrue(self.no_reports())

    def test_a_zone_that_moves_on_meanwhile(self):
        """Ours is newer by the time that theirs is whole."""
        domain, zones = self.changed()
        gate = threading.Event()
        for rrs in zones[-1], zones[0]:
            def script(wire, link, rrs=rrs):
                gate.wait(SECONDS)
                sends(rrs)(wire, link)
            gate.clear()
            server, before = self.scripted(script), self.counts()
            self.order([domain], [server])
            wait_for(lambda: server.links, SECONDS, "it is asked")
            domain.change([(f"later{domain.serial}.{domain.name}", "A", "192.0.2.8")])
            gate.set()
            wait_for(lambda: self.counts()["equal"] > before["equal"], SECONDS, "it is equal")
            self.assertEqual(server.links, 1)
        self.assertTrue(self.no_reports())

    def changed(self):
        """A domain that went through three serials, and the zone at each of them."""
        zone = f"changed{self.number}.test."
        domain = self.domain([(f"www.{zone}", "A", "192.0.2.1"),
                              (f"mail.{zone}", "A", "192.0.2.2")], zone)
        zones = [rrs_of_domain(domain)]
        domain.change([(f"www.{zone}", "A", "192.0.2.3")], [(f"www.{zone}", "A", "192.0.2.1")],
                      orders=0)
        zones.append(rrs_of_domain(domain))
        domain.change(remove=[(f"mail.{zone}", "A", "192.0.2.2")],
                      ttls={(f"www.{zone}", "A"): 60}, orders=0)
        return domain, [*zones, rrs_of_domain(domain)]

    def test_a_server_that_is_behind(self):
        """It is compared with the zone as it was at its serial."""
        domain, zones = self.changed()
        for serial, rrs in enumerate(zones, 17):
            self.assert_compared(domain, self.scripted(sends(rrs)), "equal")
            edited = [(*rr[:3], "192.0.2.99") if rr[0].startswith("www") else rr for rr in rrs]
            address, ttl = "192.0.2.1" if serial == 17 else "192.0.2.3", 60 if serial == 19 else 300
            self.assert_differs(
                domain, self.scripted(sends(edited)),
                f"serves 1 record that is not in serial {serial} "
                f"(www.{domain.name} {ttl} A 192.0.2.99)",
                f"lacks 1 record (www.{domain.name} {ttl} A {address})", serial=serial)
        self.assertTrue(self.no_reports())

    def test_a_record_of_before_that_was_kept(self):
        """A server that is up to date but for what it should have lost."""
        domain, (first, *_, last) = self.changed()
        mail = [rr for rr in first if rr[0].startswith("mail")]
        self.assert_differs(domain, self.scripted(sends([*last[:-1], *mail, last[-1]])),
                            "serves 1 record that is not in serial 19 (mail.")

    def test_many_records_of_a_server_that_is_behind(self):
        """Theirs are asked for twice, and ours is walked twice as it was."""
        zone = "behind.test."
        records = [(f"h{i}.{zone}", "A", f"10.0.{i // 250}.{i % 250}") for i in range(LARGE)]
        domain = self.domain(records, zone)
        first, *rrs, last = rrs_of_domain(domain)
        domain.change([(f"new.{zone}", "A", "192.0.2.1")], records[:500], orders=0)
        self.assert_compared(domain, self.scripted(sends([first, *rrs, last])), "equal")
        rrs[7000] = *rrs[7000][:3], "192.0.2.99"
        server = self.scripted(sends([first, *rrs, last]))
        self.assert_differs(domain, server, "serves 1 record that is not in serial 17",
                            f"lacks 1 record ({rrs[7000][0]} 300 A", serial=17)
        self.assertEqual(server.links, 2)

    def test_another_serial_for_a_moment(self):
        """As of a zone that changes all the time: it is looked at again, but not for ever."""
        first, *rrs, last = rrs_of_domain(self.small)
        older = *first[:3], first[3].replace(" 17 ", " 16 ")
        scripts = [sends([older, *rrs, older])] * 2 + [sends([first, *rrs, last])] * 9
        server = self.scripted(lambda wire, link: scripts.pop(0)(wire, link))
        ordered = copy.copy(self.small)
        ordered.soa = self.small.soa | {"serial": 15}
        self.assert_compared(ordered, server, "equal")
        self.assertEqual(server.links, 3)
        scripts[:] = [sends([older, *rrs, older])] * 9
        self.assert_compared(ordered, server, "serial")
        self.assertEqual(server.links, 3 + 5)
        self.assert_compared(self.small, server, "serial")
        self.assertEqual(server.links, 3 + 5 + 1)

    def test_an_edited_soa(self):
        """Of the same serial."""
        domain = self.small
        first, *rrs, _ = rrs_of_domain(domain)
        soa = *first[:3], first[3].replace(" 86400 ", " 86401 ")
        self.assert_differs(domain, self.scripted(sends([soa, *rrs, soa])), "86401", "86400")

    def test_one_record_of_many(self):
        """More than are kept: theirs are asked for again, and those that differ are named."""
        zone = "many.test."
        domain = self.domain([(f"h{i}.{zone}", "A", f"10.0.{i // 250}.{i % 250}")
                              for i in range(LARGE)], zone)
        first, *rrs, last = rrs_of_domain(domain)
        equal, edited = self.scripted(sends([first, *rrs, last])), list(rrs)
        edited[5000] = *rrs[5000][:3], "192.0.2.99"
        self.assert_compared(domain, equal, "equal")
        self.assertEqual(equal.links, 1)
        server = self.scripted(sends([first, *edited, last]))
        self.assert_differs(domain, server, "serves 1 record that is not in serial 17",
                            f"({rrs[5000][0]} 300 A 192.0.2.99)",
                            f"lacks 1 record ({rrs[5000][0]} 300 A {rrs[5000][3]})")
        self.assertEqual(server.links, 2)

    def test_a_server_that_signs(self):
        """What it adds is no difference; what somebody else did is one."""
        domain = self.small
        first, *rrs, last = rrs_of_domain(domain)
        rrsig = "A 8 3 300 20300101000000 20200101000000 1 zone.test. AQIDBA=="
        made = [("zone.test.", 300, "DNSKEY", "256 3 8 AwEAAaY="),
                ("h1.zone.test.", 300, "RRSIG", rrsig),
                ("h1.zone.test.", 60, "NSEC", "h2.zone.test. A RRSIG NSEC")]
        self.assert_compared(domain, self.scripted(sends([first, *rrs, *made, last])), "equal")
        self.assert_differs(domain, self.scripted(sends([first, *rrs, made[0], last])),
                            "zone.test. 300 DNSKEY")
        self.assert_differs(domain, self.scripted(sends([first, *rrs[:-1], *made, last])),
                            "lacks 1 record of serial 17 (h9.zone.test.")

    def assert_failed(self, script, why, **options):
        domain = self.small
        server = self.scripted(script, f"server-{self.id()}-{time.monotonic()}")
        self.assert_compared(domain, server, "failed", **options)
        self.assertTrue(self.no_reports())
        lines = self.lines(f"server={server.id} ")
        self.assertEqual(len(lines), 1, lines)
        self.assertIn(why, lines[0])

    def test_refused(self):
        """It is said what to do; and not at each zone again."""
        def script(wire, link):
            answer = dns.message.make_response(dns.message.from_wire(wire))
            answer.set_rcode(5)
            link.sendall(frame(answer.to_wire()))
            until_closed(link)
        server = self.scripted(script, "refuses")
        domains = [self.domain() for _ in range(5)]
        self.assertEqual(self.compare(domains, [server]), {"refused": 5})
        lines = self.lines("server=refuses ")
        self.assertEqual(len(lines), 1, lines)
        self.assertIn(f"REFUSED; {ADVICE}", lines[0])
        self.assertTrue(self.no_reports())

    def test_nobody_there(self):
        gone = self.scripted(lambda wire, link: None, "gone")
        gone.stop()
        self.assert_compared(self.small, gone, "failed")

    def test_hangs_before_it_answers(self):
        self.assert_failed(lambda wire, link: until_closed(link), "does not answer", timeout=0.5)

    def test_hangs_in_the_midst(self):
        def script(wire, link):
            question = dns.message.from_wire(wire)
            first = next(answers(question, rrs_of_domain(self.small)[:-1]))
            link.sendall(frame(first.to_wire()))
            until_closed(link)
        self.assert_failed(script, "stops sending during the transfer", timeout=0.5)

    def test_hangs_in_a_message(self):
        def script(wire, link):
            link.sendall(b"\x10\x00half")
            until_closed(link)
        self.assert_failed(script, "does not answer", timeout=0.5)

    def test_a_part_is_no_zone(self):
        """Neither without its end, nor with a message cut in two, nor with another end."""
        def part(wire, link):
            for answer in answers(dns.message.from_wire(wire), rrs_of_domain(self.small)[:-1]):
                link.sendall(frame(answer.to_wire()))

        def cut(wire, link):
            whole = next(answers(dns.message.from_wire(wire), rrs_of_domain(self.small)))
            link.sendall(frame(whole.to_wire())[:-5])

        def other_end(wire, link):
            rrs = rrs_of_domain(self.small)
            rrs[-1] = *rrs[-1][:3], rrs[-1][3].replace(" 17 ", " 18 ")
            sends(rrs)(wire, link)

        def nothing(wire, link):
            answer = dns.message.make_response(dns.message.from_wire(wire))
            link.sendall(frame(answer.to_wire()))
            until_closed(link)
        for script, why in ((part, "closes the connection during the transfer"),
                            (cut, "refuses or closes the TCP connection"),
                            (other_end, "ends the transfer with an SOA record that differs"),
                            (nothing, "without records"),
                            (lambda wire, link: None, "refuses or closes the TCP connection")):
            self.assert_failed(script, why)

    def test_rubbish(self):
        def other_id(wire, link):
            question = dns.message.from_wire(wire)
            question.id ^= 1
            sends(rrs_of_domain(self.small))(question.to_wire(), link)
        self.assert_failed(other_id, "is not the expected answer")
        for octets in b"\0\0", b"\0\4abcd", frame(b"\xff" * 500), b"HTTP/1.1 400 no\r\n\r\n" * 2000:
            self.assert_failed(lambda wire, link, octets=octets: link.sendall(octets), "")

    def test_endless_records(self):
        def script(wire, link):
            question = dns.message.from_wire(wire)
            first, *rrs, _ = rrs_of_domain(self.small)
            link.sendall(frame(next(answers(question, [first])).to_wire()))
            more = dns.message.make_response(question)
            more.question = []
            for i in range(1000):
                more.answer.append(dns.rrset.from_text(f"e{i}.zone.test.", 300, "IN", "A",
                                                       "192.0.2.1"))
            message = frame(more.to_wire(max_size=65535))
            while True:
                link.sendall(message)
        self.assert_failed(script, "sends more data than the limit for a zone")

    def test_few_at_a_time(self):
        """Two of a server and eight in all; what waits comes, and once."""
        gate = threading.Event()
        lock, now = threading.Lock(), {"open": 0, "most": 0}

        def script(wire, link):
            with lock:
                now["open"] += 1
                now["most"] = max(now.values())
            gate.wait(SECONDS)
            with lock:
                now["open"] -= 1
            refuses(wire, link)
        servers = [self.scripted(script, f"slow{i}") for i in range(6)]
        domains = [self.domain() for _ in range(5)]
        before = self.counts()
        self.order(domains, servers, timeout=30)
        wait_for(lambda: now["open"] == 8, SECONDS, "eight are compared")
        self.order(domains, servers, timeout=30)        # again, while they wait
        self.lab.notified(domains[0])                   # which has been taken up by now
        self.assertEqual(now["open"], 8)
        gate.set()
        wait_for(lambda: self.counts()["refused"] - before["refused"] >= 30, SECONDS,
                 "all are compared")
        self.assertEqual(self.compare([self.domain()], servers), {"refused": 6})
        self.assertEqual(now["most"], 8)
        # two a server; which may note the end of a connection later than we begin the next
        self.assertLessEqual(max(server.most for server in servers), 3)
        self.assertEqual([server.links for server in servers], [6] * 6)

    def test_two_at_a_time_of_a_server(self):
        """What comes for it while it is busy waits, and another server's does not."""
        gate = threading.Event()

        def script(wire, link):
            gate.wait(SECONDS)
            refuses(wire, link)
        busy = self.scripted(script, "busy")
        before = self.counts()
        self.order([self.domain() for _ in range(3)], [busy], timeout=30)
        wait_for(lambda: busy.links == 2, SECONDS, "two are compared")
        self.assert_compared(self.small, self.scripted(sends(rrs_of_domain(self.small))), "equal")
        self.assertEqual(busy.links, 2)
        gate.set()
        wait_for(lambda: self.counts()["refused"] - before["refused"] == 3, SECONDS, "all end")
        self.assertEqual(busy.links, 3)

    def test_what_broke_off_is_tried_once_more(self):
        def breaks_off(wire, link):
            pass
        scripts = [breaks_off, sends(rrs_of_domain(self.small))]
        server = self.scripted(lambda wire, link: scripts.pop(0)(wire, link))
        self.assert_compared(self.small, server, "equal")
        broken = self.scripted(breaks_off)
        self.assert_compared(self.small, broken, "failed")
        self.assertEqual(broken.links, 2)

    def test_a_server_that_was_not_read_of(self):
        """minidns reads the servers before its second attempt."""
        server = self.scripted(sends(rrs_of_domain(self.small)), "fresh", "127.0.0.77")
        self.lab.add_server(server.id, server.host, server.port)
        self.lab.known.add((server.host, server.port))      # the lab waits for nothing
        self.assert_compared(self.small, server, "equal")

    def test_a_zone_that_is_gone(self):
        """And another one has its name."""
        gone = copy.copy(self.small)
        gone.id = new_id()
        server = self.scripted(sends(rrs_of_domain(self.small)))
        self.assert_compared(gone, server, "failed")
        self.assertEqual(server.links, 0)
        self.assertTrue(self.no_reports())

    def test_the_end_of_the_program(self):
        """It does not wait for a comparison."""
        def script(wire, link):
            self.asked.set()
            until_closed(link)
            self.closed.set()
        self.asked, self.closed = threading.Event(), threading.Event()
        worker = self.lab.workers[0]
        self.order([self.domain()], [self.scripted(script)], timeout=60)
        self.assertTrue(self.asked.wait(SECONDS))
        began = time.monotonic()
        worker.stop()
        self.assertLess(time.monotonic() - began, 5)
        self.assertTrue(self.closed.wait(SECONDS))
        worker.launch()
        worker.wait_ready()


class Signed(CompareCase):
    """Under a TSIG key: what is not signed with it is not heard."""

    KEY = key_named("pool.key.", "between us and the servers of the pool")

    @classmethod
    def setUpClass(cls):
        cls.lab = cls.enterClassContext(Lab(servers=NAMES, key=cls.KEY))
        cls.servers = list(cls.lab.servers.values())

    def test_equal_zones(self):
        """Of one message, and of more than a hundred."""
        domains = []
        for zone, count in ("small.test.", 5), ("large.test.", 13000):
            domain = self.domain(long_texts(zone, 0, count), zone)
            for server in self.servers:
                server.add_zone(zone)
                self.lab.order(domain, server, "notify_zone_changed")
            for server in self.servers:
                server.wait_for_serial(zone, domain.serial, SECONDS)
            domains.append(domain)
        self.assertEqual(self.compare(domains, self.servers), {"equal": 6})
        self.assertTrue(self.no_reports())

    def signing(self, domain, key, **options):
        """Whoever knows our key, and signs with KEY."""
        return signs(rrs_of_domain(domain), self.KEY, key, **options)

    def test_scripted(self):
        domain = self.domain([(f"h{i}.s.test.", "A", f"192.0.2.{i}") for i in range(10)], "s.test.")
        other = key_named(self.KEY.name, "somebody else's")
        for script, outcome, why in (
                (self.signing(domain, self.KEY), "equal", ""),
                (self.signing(domain, self.KEY, every=3), "equal", ""),
                (self.signing(domain, self.KEY, every=99), "equal", ""),
                (self.signing(domain, other), "failed", "sends an answer with an invalid MAC"),
                (self.signing(domain, self.KEY, every=0), "failed",
                 "answers without a TSIG record"),
                (self.signing(domain, self.KEY, every=4, last=False), "failed",
                 "ends the transfer without a TSIG record"),
                (self.signing(domain, self.KEY, spoil=3), "failed",
                 "sends an answer with an invalid MAC"),
                (self.signing(domain, self.KEY, every=99, spoil=3), "failed",
                 "sends an answer with an invalid MAC")):
            server = self.scripted(script, f"signs-{time.monotonic()}")
            self.assert_compared(domain, server, outcome)
            lines = self.lines(f"server={server.id} ")
            self.assertEqual(len(lines), 1, lines)
            self.assertIn(f'"{why}', lines[0])
        self.assertTrue(self.no_reports())

    def test_a_key_that_a_server_does_not_know(self):
        key = key_named("new.key.", "which no server has")
        domain = self.domain()
        knows = self.scripted(signs(rrs_of_domain(domain), key, key))
        self.lab.know([{"host": knows.host, "port": knows.port}])
        self.lab.add_key(key)
        self.assert_compared(domain, knows, "equal", key=key)       # read before the second attempt
        for server in self.servers:
            self.assert_compared(domain, server, "refused", key=key)
            lines = self.lines(f"domain={domain.name} server={server.name} ")
            self.assertEqual(len(lines), 1, lines)
            self.assertRegex(lines[0], "BADKEY|NOTAUTH")

    def test_a_key_that_we_do_not_know(self):
        domain = self.domain()
        server = self.scripted(sends(rrs_of_domain(domain)), "keyless")
        self.assert_compared(domain, server, "failed", key=key_named("no.key.", ""))
        self.assertIn("has a tsig_key in the settings, but mini-DNS has no TSIG key",
                      self.lines("server=keyless ")[0])


class Flood(CompareCase):
    """Of orders, which last."""

    @classmethod
    def setUpClass(cls):
        cls.lab = cls.enterClassContext(Lab())

    def test_too_many(self):
        """What does not fit is not taken up, and comes again later."""
        gate = threading.Event()

        def script(wire, link):
            gate.wait(SECONDS)
        domains = [self.domain()]
        server = self.scripted(script, "full")
        self.order(domains, [server], timeout=30)
        wait_for(lambda: server.open, SECONDS, "it is compared")
        names = [f"full{i}.test." for i in range(256)]
        for port in range(1, 9):
            self.lab.cast(
                "compare_zones", timeout=1, retry_interval=1, max_retries=1,
                domains=[{"id": f"{i:032x}", "name": name, "pool": POOL, "tenant": "t",
                          "task": "NONE", "status": "ACTIVE", "serial": 1}
                         for i, name in enumerate(names)],
                destinations=[{"id": "full", "host": f"127.0.{port}.{i}", "port": 1,
                               "tsig_key": None} for i in range(1, 41)])
        wait_for(lambda: self.lines("zones are already waiting for a comparison"), SECONDS,
                 "one is not taken up")
        gate.set()


if __name__ == "__main__":
    unittest.main()

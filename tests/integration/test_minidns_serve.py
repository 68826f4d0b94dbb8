"""What minidns serves: SOA, AXFR, IXFR, ordinary answers; what it refuses."""

import socket
import sys
import threading
import unittest
from pathlib import Path

import dns.edns
import dns.flags
import dns.message
import dns.query
import dns.rcode
import dns.rdatatype
import dns.rrset

sys.path.insert(0, str(Path(__file__).resolve().parent))
from minidns_lab import HOST, Domain, Lab, free_port, rrs_of, transfer, wait_for   # noqa: E402
from query import udp  # noqa: E402

ZONE = "example.org."
COOKIE = 10             # the code of the option
RECORDS = [
    (ZONE, "NS", "ns1.example.net."),
    (ZONE, "NS", "ns.example.org."),
    (ZONE, "MX", "10 mail.example.org."),
    ("ns.example.org.", "A", "192.0.2.53"),
    ("mail.example.org.", "A", "192.0.2.25"),
    ("mail.example.org.", "AAAA", "2001:db8::25"),
    ("www.example.org.", "CNAME", "Mixed.Case.example.org."),
    ("mixed.case.example.org.", "A", "192.0.2.80"),
    ("*.wild.example.org.", "TXT", '"any" "thing"'),
    ("sub.example.org.", "NS", "ns.sub.example.org."),
    ("ns.sub.example.org.", "A", "192.0.2.54"),
    (r"odd\000\.\255.example.org.".lower(), "TXT", r'"\000\255"'),
    ("_sip._tcp.example.org.", "SRV", "0 5 5060 mail.example.org."),
]


class Serve(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        lab = Lab(settings={"allow_transfer": [HOST]})
        cls.port, cls.everywhere = lab.ports[0], free_port()
        lab.settings["listen"] = [f"{HOST}:{cls.port}", f"0.0.0.0:{cls.everywhere}",
                                  f"[::]:{cls.everywhere}"]
        cls.lab = cls.enterClassContext(lab)

    def ask(self, name, rtype, port=None, **options):
        question = dns.message.make_query(name, rtype, **options)
        return udp(question, HOST, port=port or self.port, timeout=5)

    def assert_zone(self, messages, domain):
        rrs = rrs_of(messages)
        self.assertEqual(rrs[0], rrs[-1])
        self.assertEqual(rrs[0][1], "SOA")
        self.assertEqual(len(rrs) - 1, len(domain.rrs()))
        self.assertEqual(set(rrs), domain.rrs())

    def test_axfr_is_the_rows(self):
        domain = Domain(self.lab, ZONE, 17, RECORDS)
        messages = transfer(self.port, ZONE)
        self.assert_zone(messages, domain)
        self.assertTrue(messages[0].question)
        self.assertTrue(messages[0].flags & dns.flags.AA)

    def test_many_messages(self):
        records = [(f"h{i}.large.test.", "TXT", f'"{i:0200d}"') for i in range(3000)]
        records += [("many.large.test.", "A", f"10.0.{i // 250}.{i % 250}") for i in range(8000)]
        domain = Domain(self.lab, "large.test.", 5, records)
        messages = transfer(self.port, "large.test.")
        self.assertGreater(len(messages), 8)
        self.assert_zone(messages, domain)
        self.assertEqual({message.id for message in messages}, {messages[0].id})
        self.assertFalse(any(message.question for message in messages[1:]))

    def test_ixfr(self):
        domain = Domain(self.lab, "delta.test.", 4294967294,
                        [("delta.test.", "NS", "ns1.example.net."),
                         ("a.delta.test.", "A", "192.0.2.1"), *fillers("delta.test.", 10)])
        old = domain.rrs()
        domain.change(add=[("b.delta.test.", "A", "192.0.2.2")])
        domain.change(remove=[("a.delta.test.", "A", "192.0.2.1")],
                      add=[("a.delta.test.", "A", "192.0.2.9")])
        domain.change(add=[("c.delta.test.", "MX", "5 b.delta.test.")])
        self.assertEqual(domain.serial, 1)      # it went past 2^32 - 1
        rrs = rrs_of(transfer(self.port, "delta.test.", 4294967294))
        self.assertEqual(apply(old, rrs), domain.rrs())
        removed, added = difference(rrs)
        self.assertEqual([str(rr[0]) for rr in removed], ["a.delta.test."])
        self.assertEqual(sorted(str(rr[0]) for rr in added),
                         ["a.delta.test.", "b.delta.test.", "c.delta.test."])

        current = rrs_of(transfer(self.port, "delta.test.", 1))
        self.assertEqual([rr[1] for rr in current], ["SOA"])
        newer = rrs_of(transfer(self.port, "delta.test.", 7))
        self.assertEqual([rr[1] for rr in newer], ["SOA"])
        undefined = rrs_of(transfer(self.port, "delta.test.", 1 + 2**31))
        self.assertEqual([rr[1] for rr in undefined], ["SOA"])

        unknown = transfer(self.port, "delta.test.", 4294967200)
        self.assert_zone(unknown, domain)       # the journal does not reach back

    def with_cookie(self, question):
        """QUESTION with a cookie that minidns gave to our address."""
        cookie = bytes(8)
        for _ in range(2):
            question.use_edns(0, options=[dns.edns.GenericOption(COOKIE, cookie)])
            answer = udp(question, HOST, port=self.port, timeout=5)
            cookie = next(option.data for option in answer.options
                          if option.otype == COOKIE)
        return question

    def test_ixfr_over_udp(self):
        """It brings the changes to a client that shows that it has its address."""
        domain = Domain(self.lab, "udp.test.", 1, [("udp.test.", "NS", "ns1.example.net.")])
        domain.change(add=[("a.udp.test.", "A", "192.0.2.1")])
        question = dns.message.make_query("udp.test.", "IXFR")
        question.authority.append(dns.rrset.from_text("udp.test.", 0, "IN", "SOA",
                                                      ". . 1 0 0 0 0"))
        answer = udp(question, HOST, port=self.port, timeout=5, one_rr_per_rrset=True)
        self.assertEqual([rr[1] for rr in rrs_of([answer])], ["SOA"])
        question = self.with_cookie(question)
        answer = udp(question, HOST, port=self.port, timeout=5, one_rr_per_rrset=True)
        self.assertEqual(len(rrs_of([answer])), 5)
        domain.change(add=[("b.udp.test.", "TXT", f'"{i:0200d}"') for i in range(8)])
        answer = udp(question, HOST, port=self.port, timeout=5, one_rr_per_rrset=True)
        self.assertEqual([rr[1] for rr in rrs_of([answer])], ["SOA"])
        self.assertFalse(answer.flags & dns.flags.TC)

    def test_a_gap_in_the_journal(self):
        # larger than any of its deltas, or these would not be worth their while
        domain = Domain(self.lab, "gap.test.", 1, fillers("gap.test.", 50))
        for number in range(4):
            domain.change(add=[("a.gap.test.", "A", f"192.0.2.{number}")])
        self.lab.mariadb.sql(f"DELETE FROM journal WHERE domain_id = '{domain.id}' "
                             "AND serial = 3")
        self.assert_zone(transfer(self.port, "gap.test.", 1), domain)
        removed, added = difference(rrs_of(transfer(self.port, "gap.test.", 3)))
        self.assertEqual((removed, len(added)), (set(), 2))

    def test_a_difference_larger_than_the_zone(self):
        """Of a zone that is not in memory the records are counted, and it is not read for that."""
        larger, equal = (self.changed(f"larger{count}.test.", count) for count in (4, 5))
        rrs = rrs_of(transfer(self.port, larger.name, 1))
        self.assertEqual((set(rrs), len(rrs)), (larger.rrs(), 1 + 5 + 1))
        for _ in range(2):      # once more with all that is known by then
            removed, added = difference(rrs_of(transfer(self.port, equal.name, 1)))
            self.assertEqual((len(removed), len(added)), (2, 3))
        log = self.lab.workers[0].log.read_text()
        self.assertIn(f"zone loaded: id={larger.id} ", log)
        self.assertNotIn(f"zone loaded: id={equal.id} ", log)

    def changed(self, zone, count):
        """By a difference of seven records, with the two SOAs."""
        domain = Domain(self.lab, zone, 1, fillers(zone, count))
        domain.change(add=[(f"a.{zone}", "A", f"192.0.2.{i}") for i in range(3)],
                      remove=domain.records[:2])
        return domain

    def test_answers(self):
        Domain(self.lab, "answer.test.", 3, [
            (name.replace("example.org.", "answer.test."), rtype,
             text.replace("example.org.", "answer.test.")) for name, rtype, text in RECORDS])
        answer = self.ask("www.answer.test.", "A")
        self.assertEqual([dns.rdatatype.to_text(rrset.rdtype) for rrset in answer.answer],
                         ["CNAME", "A"])
        self.assertEqual(str(answer.answer[0][0]), "Mixed.Case.answer.test.")
        wild = self.ask("x.y.wild.answer.test.", "TXT")
        self.assertEqual(str(wild.answer[0].name), "x.y.wild.answer.test.")
        referral = self.ask("deep.sub.answer.test.", "A")
        self.assertFalse(referral.flags & dns.flags.AA)
        self.assertEqual(len(referral.additional), 1)
        self.assertEqual(self.ask("no.answer.test.", "A").rcode(), dns.rcode.NXDOMAIN)
        empty = self.ask("case.answer.test.", "A")
        self.assertEqual((empty.rcode(), len(empty.authority)), (dns.rcode.NOERROR, 1))
        self.assertEqual(empty.authority[0].ttl, 60)

    def test_the_answer_comes_from_where_it_was_asked(self):
        Domain(self.lab, "where.test.", 1, [("where.test.", "NS", "ns1.example.net.")])
        question = dns.message.make_query("where.test.", "SOA")
        for address in HOST, "127.0.0.2", "127.200.1.9", "::1":
            answer = udp(question, address, port=self.everywhere, timeout=5)
            self.assertEqual(answer.answer[0][0].serial, 1, address)

    def test_a_ds_record_is_the_parents(self):
        Domain(self.lab, "ds.test.", 1, [
            ("ds.test.", "NS", "ns1.example.net."), ("sub.ds.test.", "NS", "ns1.example.net."),
            ("sub.ds.test.", "DS", "1 8 2 " + "ab" * 32)])
        Domain(self.lab, "sub.ds.test.", 1, [("sub.ds.test.", "NS", "ns1.example.net.")])
        for _ in range(2):                  # from the database, and from memory
            answer = self.ask("sub.ds.test.", "DS")
            self.assertEqual([rrset.rdtype for rrset in answer.answer], [dns.rdatatype.DS])
            self.assertEqual(self.ask("sub.ds.test.", "NS").rcode(), dns.rcode.NOERROR)
            child = self.ask("ds.test.", "DS")      # its parent is not ours
            self.assertEqual((child.rcode(), str(child.authority[0].name)),
                             (dns.rcode.NOERROR, "ds.test."))
            self.assertEqual(self.ask("nowhere.example.", "DS").rcode(), dns.rcode.REFUSED)

    def test_what_is_not_served(self):
        self.assertEqual(self.ask("nowhere.test.", "SOA").rcode(), dns.rcode.REFUSED)
        domain = Domain(self.lab, "leaving.test.", 1,
                        [("leaving.test.", "NS", "ns1.example.net.")])
        self.assertEqual(self.ask("leaving.test.", "SOA").rcode(), dns.rcode.NOERROR)
        domain.set(task="DELETE", status="PENDING")
        self.assertEqual(self.ask("leaving.test.", "SOA").rcode(), dns.rcode.REFUSED)
        self.assertEqual(transfer(self.port, "leaving.test.")[0].rcode(), dns.rcode.REFUSED)
        domain.set(task="NONE", status="DELETED")
        self.assertEqual(self.ask("leaving.test.", "SOA").rcode(), dns.rcode.REFUSED)

    def test_soa_is_never_old(self):
        domain = Domain(self.lab, "fresh.test.", 1, [("fresh.test.", "NS", "ns1.example.net.")])
        for _ in range(50):
            serial = domain.change()
            answer = self.ask("fresh.test.", "SOA")
            self.assertEqual(answer.answer[0][0].serial, serial)

    def rename_sets(self, domain, name):
        self.lab.mariadb.sql(f"UPDATE recordsets SET name = '{name}' WHERE "
                             f"domain_id = '{domain.id}'")

    def soas_from_memory(self):
        return self.lab.workers[0].page("/metrics")[1].split(
            "\nzonefleet_minidns_soa_from_memory_total ")[1].split()[0]

    def break_zone(self, name):
        """A zone whose SOA is answered from memory, and whose rows cannot be served."""
        domain = Domain(self.lab, name, 1, [(name, "NS", "ns1.example.net.")])
        self.rename_sets(domain, "out.of.zone.")
        before = self.soas_from_memory()

        def is_from_memory():
            self.assertEqual(self.ask(name, "SOA").rcode(), dns.rcode.NOERROR)
            return self.soas_from_memory() != before
        wait_for(is_from_memory, 10, "the SOA is in memory")
        self.assertEqual(transfer(self.port, name)[0].rcode(), dns.rcode.SERVFAIL)
        return domain

    def assert_broken(self, name):
        """Also its SOA, for nobody is to come for it, and it says why."""
        for _ in range(3):
            answer = udp(dns.message.make_query(name, "SOA", use_edns=0), HOST,
                         port=self.port, timeout=5)
            self.assertEqual((answer.rcode(), answer.answer), (dns.rcode.SERVFAIL, []))
            self.assertIn("the log of the primary says why", answer.options[0].text)
            for serial in 0, 1, 2:
                self.assertEqual(self.ixfr_rcodes(name, serial), [dns.rcode.SERVFAIL] * 2)

    def ixfr_rcodes(self, name, serial):
        """Over TCP and UDP."""
        question = dns.message.make_query(name, "IXFR")
        question.authority.append(dns.rrset.from_text(name, 0, "IN", "SOA",
                                                      f". . {serial} 0 0 0 0"))
        answer = udp(question, HOST, port=self.port, timeout=5)
        return [transfer(self.port, name, serial)[0].rcode(), answer.rcode()]

    def test_a_domain_whose_row_cannot_be_read(self):
        """Nobody is told that it is not ours; before and after it is served, and the others."""
        name = "row.test."
        domain = Domain(self.lab, name, 1, [(name, "NS", "ns1.example.net.")])
        self.assertEqual(self.ask(name, "NS").rcode(), dns.rcode.NOERROR)
        serial = domain.change(add=[(f"www.{name}", "A", "192.0.2.1")])
        self.assert_zone(transfer(self.port, name), domain)
        domain.set(mname="a..b.")
        wait_for(lambda: self.ask(name, "NS").rcode() == dns.rcode.SERVFAIL, 5, "it is broken")
        for question in (name, "SOA"), (name, "NS"), (f"www.{name}", "A"):
            self.assertEqual(self.ask(*question).rcode(), dns.rcode.SERVFAIL, question)
        self.assertEqual(transfer(self.port, name)[0].rcode(), dns.rcode.SERVFAIL)
        self.assert_broken(name)
        log = self.lab.workers[0].log.read_text()
        self.assertRegex(log, f"zone not loaded: id={domain.id} .*reason=.*mname")
        self.assertLess(log.count(f"id={domain.id} serial={serial} err="), 4)
        domain.set(mname=domain.soa["mname"])
        wait_for(lambda: self.ask(name, "SOA").rcode() == dns.rcode.NOERROR, 20, "it is read")
        self.assert_zone(transfer(self.port, name), domain)
        self.assertEqual(self.ixfr_rcodes(name, serial - 1), [dns.rcode.NOERROR] * 2)

    def test_a_zone_that_cannot_be_served(self):
        domain = self.break_zone("broken.test.")
        self.assert_broken("broken.test.")
        Domain(self.lab, "whole.test.", 1, [("whole.test.", "NS", "ns1.example.net.")])
        self.assertEqual(self.ask("whole.test.", "SOA").rcode(), dns.rcode.NOERROR)
        self.assertEqual(transfer(self.port, "whole.test.")[0].rcode(), dns.rcode.NOERROR)
        self.rename_sets(domain, "broken.test.")
        domain.change()
        self.assertEqual(self.ask("broken.test.", "SOA").answer[0][0].serial, 2)
        self.assert_zone(transfer(self.port, "broken.test."), domain)

    def test_a_zone_that_is_repaired_at_its_serial(self):
        domain = self.break_zone("repaired.test.")
        self.rename_sets(domain, "repaired.test.")
        wait_for(lambda: self.ask("repaired.test.", "SOA").rcode() == dns.rcode.NOERROR, 20,
                 "its rows are read again")
        self.assert_zone(transfer(self.port, "repaired.test."), domain)

    def test_it_ends_well_amid_questions(self):
        Domain(self.lab, "flood.test.", 7, [("flood.test.", "NS", "ns1.example.net.")])
        question = dns.message.make_query("flood.test.", "IXFR")
        question.authority.append(dns.rrset.from_text("flood.test.", 0, "IN", "SOA",
                                                      ". . 7 0 0 0 0"))
        wire, ended = question.to_wire(), threading.Event()
        soa = dns.message.make_query("flood.test.", "SOA")

        def serves():       # over TCP: of the datagrams many are lost
            return dns.query.tcp(soa, HOST, port=self.port, timeout=20).rcode() == 0

        def flood():
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as end:
                while not ended.is_set():
                    end.sendto(wire, (HOST, self.port))

        asks = threading.Thread(target=flood)
        asks.start()
        try:
            for _ in range(3):
                wait_for(serves, 20, "it serves")
                self.lab.workers[0].restart()
        finally:
            ended.set()
            asks.join()
            self.lab.workers[0].wait_ready()

    def test_the_database_is_away(self):
        domain = Domain(self.lab, "away.test.", 1, [("away.test.", "NS", "ns1.example.net.")])
        self.lab.mariadb.stop()
        self.assertEqual(self.ask("away.test.", "SOA").rcode(), dns.rcode.SERVFAIL)
        self.assertEqual(transfer(self.port, "away.test.")[0].rcode(), dns.rcode.SERVFAIL)
        self.lab.mariadb.restart()
        wait_for(lambda: self.ask("away.test.", "SOA").rcode() == dns.rcode.NOERROR, 10,
                 "the SOA is served again")
        self.assert_zone(transfer(self.port, "away.test."), domain)


def fillers(zone, count):
    """Records that make a zone larger than a change of it."""
    return [(f"h{number}.{zone}", "TXT", '"filler"') for number in range(count)]


def difference(rrs):
    """What is removed and added by an IXFR of one difference, and of no more (RFC 1995 4)."""
    places = [place for place, rr in enumerate(rrs) if rr[1] == "SOA"]
    assert len(places) == 4, f"{len(places)} SOAs"
    newest, old, new, last = (rrs[place] for place in places)
    assert places[:2] == [0, 1] and places[3] == len(rrs) - 1, places
    assert newest == new == last != old, (newest, old, new, last)
    removed, added = rrs[2:places[2]], rrs[places[2] + 1:-1]
    assert len({*removed, *added}) == len(removed) + len(added), "a record came twice"
    return set(removed), set(added)


def apply(zone, rrs):
    """The zone after an IXFR (RFC 1995 4): from SOA to SOA, by turns removed and added."""
    zone = set(zone)
    adding = True
    for rr in rrs[1:-1]:
        if rr[1] == "SOA":
            adding = not adding
        if adding:
            assert rr not in zone, rr
            zone.add(rr)
        else:
            zone.remove(rr)
    return zone


if __name__ == "__main__":
    unittest.main()

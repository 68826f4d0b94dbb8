"""What a primary must do, case by case: each is known by the id of its list.

The probes (dns ... DLV) are those of RFC 8906, section 8, and of ISC's genreport; the
malformed packets are in test_minidns_hostile.py. A, I, N, T and Z are lists of what went
wrong in other primaries: AXFR, IXFR, NOTIFY, TCP and UDP, and sizes. TESTED says where.
"""

import ast
import re
import select
import socket
import struct
import sys
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import dns.edns
import dns.exception
import dns.flags
import dns.message
import dns.name
import dns.opcode
import dns.query
import dns.rcode
import dns.rdatatype
import dns.rrset

sys.path.insert(0, str(Path(__file__).resolve().parent))
from minidns_lab import (HOST, TTL, Domain, Lab, blob, new_id, quote, rr_wire,  # noqa: E402
                         rrs_of, soa_text, tail, transfer, wait_for)
from query import udp  # noqa: E402
from test_minidns_serve import apply, difference                        # noqa: E402
import test_minidns_hostile as hostile                                  # noqa: E402
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from gate import Gate                                                   # noqa: E402

TESTS = Path(__file__).resolve().parents[1]

# id: its tests, of this file if none is named
TESTED = {
    "probes": ["Probes.test_each_probe", "Probes.test_each_type"],
    "malformed": ["test_minidns_hostile.Hostile.test_malformed_packets",
                  "test_minidns_hostile.Hostile.test_malformed_frames",
                  "unit/minidns/test_query.c:each_packet_gets_its_due"],
    "A1": ["Transfers.test_a1_one_message_after_the_other",
           "test_minidns_serve.Serve.test_many_messages",
           "test_minidns_secondaries.Secondaries.test_many_messages"],
    "A2": ["Transfers.test_a2_a_record_that_fits_into_no_message",
           "Transfers.test_a2_the_largest_record"],
    "A3": ["test_minidns_serve.Serve.test_many_messages",
           "test_minidns_secondaries.Secondaries.test_a_set_larger_than_a_message",
           "unit/minidns/test_transfer.c:a_set_larger_than_a_message"],
    "A4": ["Transfers.test_a4_names_at_their_limits",
           "test_minidns_secondaries.Secondaries.test_odd_names"],
    "A5": ["Slow.test_a5_a_change_during_a_transfer"],
    "A6": ["test_minidns_hostile.Hostile.test_slow_readers_hold_only_themselves",
           "test_minidns_hostile.Hostile.test_a_client_that_goes_away"],
    "A7": ["test_minidns_hostile.Hostile.test_axfr_over_udp"],
    "A8": ["Transfers.test_a8_who_may_have_nothing",
           "test_minidns_hostile.Strangers.test_only_servers_of_the_pool"],
    "A9": ["test_minidns_tsig.Tsig.test_each_message_of_a_transfer_is_signed",
           "test_minidns_tsig.Servers.test_transfers_and_changes",
           "test_minidns_tsig.Spoiled.test_a9_of_a_new_zone",
           "test_minidns_tsig.Spoiled.test_a9_of_a_change"],
    "A10": ["test_minidns_tsig.Tsig.test_badtime_tells_ours"],
    "A11": ["test_minidns_tsig.Tsig.test_rotation_without_a_restart",
            "test_minidns_tsig.Tsig.test_a_key_that_goes_during_a_transfer"],
    "I1": ["test_minidns_serve.Serve.test_ixfr"],
    "I2": ["Transfers.test_i2_no_journal", "test_minidns_serve.Serve.test_ixfr",
           "test_minidns_serve.Serve.test_a_difference_larger_than_the_zone",
           "test_minidns_serve.Serve.test_a_gap_in_the_journal",
           "test_minidns_secondaries.Secondaries.test_a_gap_in_the_journal"],
    "I3": ["test_minidns_serve.Serve.test_ixfr_over_udp",
           "unit/minidns/test_transfer.c:over_udp_it_fits_or_not"],
    "I4": ["Transfers.test_i4_more_than_a_message",
           "test_minidns_secondaries.Secondaries.test_many_messages"],
    "I5": ["Transfers.test_i5_serials_across_zero",
           "test_minidns_secondaries.Secondaries.test_serials_across_zero",
           "unit/model/test_serial.c:order_is_that_of_rfc_1982",
           "unit/model/test_serial.c:opposite_serials_have_no_order"],
    "I6": ["Transfers.test_i6_any_history_leads_to_the_zone",
           "Transfers.test_i6_new_ttls", "Transfers.test_i6_histories_that_cannot_be",
           "Transfers.test_i6_histories_that_contradict_themselves",
           "unit/minidns/test_ixfr_merge.c:one_difference_does_what_its_steps_do",
           "unit/minidns/test_ixfr_merge.c:each_history_has_its_difference",
           "test_minidns_secondaries.Secondaries.test_far_behind",
           "test_minidns_secondaries.Secondaries.test_a_record_twice_in_a_serial",
           "unit/minidns/test_transfer.c:a_broken_chain_is_no_delta"],
    "N1": ["test_minidns_propagate.Propagate.test_n1_a_notify_and_its_answer"],
    "N2": ["test_minidns_propagate.Propagate.test_n2_notifies_that_are_not_taken",
           "test_minidns_propagate.Propagate.test_n2_only_who_was_silent_is_told_again"],
    "N3": ["test_minidns_propagate.Propagate.test_n3_no_notify_is_too_early"],
    "N4": ["test_minidns_propagate.Propagate.test_a_burst_is_few_notifies"],
    "N5": ["Clients.test_n5_notifies_to_us",
           "test_minidns_hostile.Hostile.test_a_large_datagram"],
    "T1": ["test_minidns_hostile.Hostile.test_pipelined_questions",
           "test_minidns_hostile.Hostile.test_a_question_octet_by_octet"],
    "T2": ["Clients.test_t2_a_question_that_never_ends",
           "test_minidns_hostile.Hostile.test_a_crowd_of_idle_clients"],
    "T3": ["Clients.test_t3_clients_that_go_away",
           "test_minidns_hostile.Hostile.test_a_half_close_is_answered",
           "test_minidns_hostile.Hostile.test_a_client_that_hangs_up_is_not_kept"],
    "T4": ["Clients.test_t4_what_a_datagram_holds",
           "unit/minidns/test_query.c:sizes_are_bounded"],
    "Z1": ["Slow.test_z1_many_at_once", "Slow.test_z1_places",
           "test_minidns_propagate.Propagate.test_z1_many_zones",
           "test_large_zone.LargeZone.test_imported_and_changed"],
    "Z2": ["Slow.test_z2_a_zone_that_goes_and_comes"],
}


FRIENDS = HOST, "127.0.0.2", "127.0.0.3"
STRANGER = "127.0.0.9"
SETTINGS = {"allow_transfer": FRIENDS, "tcp_clients_per_peer": 300, "transfers_out": 6,
            "transfers_out_per_peer": 4}


class Table(unittest.TestCase):
    """Of the tests that TESTED names, none has gone."""

    def test_each_is_there(self):
        for key, names in TESTED.items():
            for name in names:
                with self.subTest(key, test=name):
                    self.assertTrue(is_c_test(name) if ".c:" in name else is_test(name))

    def test_each_id_has_its_row(self):
        rows = re.findall(r"[AINTZ]\d+", " ".join(TESTED))
        numbers = {"A": 11, "I": 6, "N": 5, "T": 4, "Z": 2}
        self.assertEqual(sorted(rows), sorted(f"{letter}{number}" for letter, last in
                                              numbers.items() for number in range(1, last + 1)))


def is_c_test(name):
    file, function = name.split(":")
    return f"cmocka_unit_test({function})" in (TESTS / file).read_text()


def is_test(name):
    module, story, method = f"{Path(__file__).stem}.{name}".split(".")[-3:]
    tree = ast.parse((TESTS / "integration" / f"{module}.py").read_text())
    return any(isinstance(node, ast.FunctionDef) and node.name == method
               for part in tree.body if isinstance(part, ast.ClassDef) and part.name == story
               for node in part.body)


# ---- the probes ----

ZONE = "example.org."
QR, AA, TC, RD, RA, Z, AD, CD = 0x8000, 0x400, 0x200, 0x100, 0x80, 0x40, 0x20, 0x10
DO, EDNS_Z = 0x8000, 0x0080     # of EDNS
NSID = b"\0\3\0\0"
SUBNET = b"\0\x08\0\4\0\1\0\0"
EXPIRE = b"\0\x09\0\0"
COOKIE = b"\0\x0a\0\x08\1\2\3\4\5\6\7\x08"
UNKNOWN = b"\0\x64\0\0"
UDP_SIZE = 1232                 # what we say that we take
UDP, TCP = "udp", "tcp"
TEXT_SIZES = (400, 900, 1100, 1200, 4000)
BADVERS = 16

# genreport's, in its order
TYPES = """A NS MD MF CNAME SOA MB MG MR NULL WKS PTR HINFO MINFO MX TXT RP AFSDB X25 ISDN RT
    NSAP NSAP-PTR SIG KEY PX GPOS AAAA LOC TYPE30 TYPE31 SRV TYPE34 NAPTR KX CERT A6 DNAME
    TYPE40 APL DS SSHFP IPSECKEY RRSIG NSEC DNSKEY DHCID NSEC3 NSEC3PARAM TLSA SMIMEA HIP
    NINFO TYPE58 CDS CDNSKEY OPENPGPKEY CSYNC SPF TYPE100 TYPE101 TYPE102 TYPE103 NID L32 L64
    LP EUI48 EUI64 URI CAA AVC TYPE259 TA DLV""".split()

KEYS = [f"256 3 8 {chr(65 + number) * 340}" for number in range(4)]
HELD = {"SOA": 1, "NS": 1, "DNSKEY": len(KEYS)}     # records at the apex, by type


def opt(version=0, flags=0, options=b"", size=4096):
    return b"\0\0\x29" + struct.pack("!HBBHH", size, 0, version, flags, len(options)) + options


class Probe:
    """A packet, and what must come back: NOERROR with the SOA and authority, or as told."""

    def __init__(self, edns=b"", flags=0, opcode=0, name=ZONE, rtype="SOA", rclass="IN",
                 over=(UDP, TCP), rcode=0, answers=1, cut=(), header_only=False):
        """CUT: over what the answer is truncated."""
        self.flags = flags | opcode << 11
        self.edns, self.over, self.rcode, self.cut = edns, over, rcode, cut
        self.answers = 0 if rcode else answers
        self.question = b"" if header_only else question(name, rtype, rclass)

    def wire(self):
        counts = bool(self.question), 0, 0, bool(self.edns)
        return struct.pack("!6H", 67, self.flags, *counts) + self.question + self.edns


def add_zone(lab):
    """The zone that the packets ask for; it stays."""
    if lab.mariadb.sql(f"SELECT 1 FROM domains WHERE name = '{ZONE}'"):
        return
    records = [(ZONE, "NS", "ns1.example.net.")] + [(ZONE, "DNSKEY", key) for key in KEYS]
    records += [(f"t{size}.{ZONE}", "TXT", text(size)) for size in TEXT_SIZES]
    Domain(lab, ZONE, 7, records)


def question(name, rtype, rclass="IN"):
    return (dns.name.from_text(name).to_wire() + int(dns.rdatatype.from_text(rtype))
            .to_bytes(2, "big") + int(dns.rdataclass.from_text(rclass)).to_bytes(2, "big"))


NOTIMP, REFUSED = dns.rcode.NOTIMP, dns.rcode.REFUSED

PROBES = {
    "dns": Probe(),
    "ad": Probe(flags=AD),
    "cd": Probe(flags=CD),
    "rd": Probe(flags=RD),
    "aaflag": Probe(flags=AA),
    "tcflag": Probe(flags=TC),
    "raflag": Probe(flags=RA),
    "zflag": Probe(flags=Z),
    "type1000": Probe(rtype="TYPE1000", answers=0),
    "type666": Probe(rtype="TYPE666", answers=0),
    "opcode15": Probe(opcode=15, rcode=NOTIMP, header_only=True),
    "opcodeflg": Probe(opcode=15, flags=AA | TC | RD | RA | Z | AD | CD, rcode=NOTIMP,
                       header_only=True),
    "tcp": Probe(over=(TCP,)),
    "edns": Probe(opt()),
    "edns1": Probe(opt(1), rcode=BADVERS),
    "ednsopt": Probe(opt(options=UNKNOWN)),
    "edns1opt": Probe(opt(1, options=UNKNOWN), rcode=BADVERS),
    "ednsflags": Probe(opt(flags=EDNS_Z)),
    "edns1flags": Probe(opt(1, EDNS_Z), rcode=BADVERS),
    "do": Probe(opt(flags=DO)),
    "docd": Probe(opt(flags=DO), flags=CD),
    "edns1do": Probe(opt(1, DO), rcode=BADVERS),
    "optlist": Probe(opt(options=NSID + SUBNET + EXPIRE + COOKIE)),
    "bufsz512": Probe(opt(flags=DO, size=512), rtype="DNSKEY", answers=len(KEYS), cut=(UDP,)),
    "ednstcp": Probe(opt(flags=DO, size=512), rtype="DNSKEY", answers=len(KEYS), over=(TCP,)),
    "ednsnsid": Probe(opt(options=NSID)),
    "ednscookie": Probe(opt(options=COOKIE)),
    "ednsexpire": Probe(opt(options=EXPIRE)),
    "ednssubnet": Probe(opt(options=SUBNET)),
    "edns1nsid": Probe(opt(1, options=NSID), rcode=BADVERS),
    "edns1cookie": Probe(opt(1, options=COOKIE), rcode=BADVERS),
    "edns1expire": Probe(opt(1, options=EXPIRE), rcode=BADVERS),
    "edns1subnet": Probe(opt(1, options=SUBNET), rcode=BADVERS),
    "bind11": Probe(opt(flags=DO, options=COOKIE)),
    "dig11": Probe(opt(options=COOKIE), flags=RD | AD),
    "NOTIFY": Probe(opcode=4, rcode=REFUSED),
    "not-ours": Probe(name="elsewhere.test.", rcode=REFUSED),
    "not-ours, EDNS": Probe(opt(flags=DO), name="elsewhere.test.", rcode=REFUSED),
    "CH TXT": Probe(name="version.bind.", rtype="TXT", rclass="CH", rcode=REFUSED),
}


def setUpModule():
    global LAB
    LAB = unittest.enterModuleContext(Lab(settings=SETTINGS))


class Story(unittest.TestCase):
    """.lab, .port; the process that serves is one and the same to the end."""

    @classmethod
    def setUpClass(cls):
        cls.lab, cls.port = LAB, LAB.ports[0]
        cls.process = cls.lab.workers[0].processes()

    def tearDown(self):
        worker = self.lab.workers[0]
        self.assertEqual(worker.processes(), self.process, tail(worker.log, 60))

    def metric(self, name):
        for line in self.lab.workers[0].page("/metrics")[1].splitlines():
            if line.startswith(f"zonefleet_{name} "):
                return float(line.split()[-1])
        return None

    def link(self, seconds=5):
        link = socket.create_connection((HOST, self.port), timeout=seconds)
        self.addCleanup(link.close)
        return link

    def ask(self, packet, over, seconds=5):
        """The answer's octets."""
        if over == UDP:
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as end:
                end.settimeout(seconds)
                end.sendto(packet, (HOST, self.port))
                return end.recv(65535)
        with socket.create_connection((HOST, self.port), timeout=seconds) as link:
            link.sendall(struct.pack("!H", len(packet)) + packet)
            return receive(link)


class Probes(Story):

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        add_zone(cls.lab)

    def assert_frame(self, probe, answer):
        """Of the request's flags only RD and CD come back; and what was asked."""
        self.assertEqual(answer.id, 67)
        self.assertEqual(answer.flags & 0xf800, QR | probe.flags & 0x7800)
        self.assertEqual(answer.flags & (RA | Z | AD), 0)
        self.assertEqual(answer.flags & (RD | CD), probe.flags & (RD | CD))
        asked = b"".join(question(str(item.name), dns.rdatatype.to_text(item.rdtype),
                                  dns.rdataclass.to_text(item.rdclass))
                         for item in answer.question)
        self.assertEqual(asked, probe.question)

    def assert_edns(self, probe, answer):
        self.assertEqual(answer.edns, 0 if probe.edns else -1)
        if not probe.edns:
            return
        flags = int.from_bytes(probe.edns[7:9], "big")
        self.assertEqual(answer.ednsflags & 0xffff, flags & DO)
        self.assertEqual(answer.payload, UDP_SIZE)
        self.assertEqual({int(option.otype) for option in answer.options},
                         self.options_due(probe))

    @staticmethod
    def options_due(probe):
        """A cookie to whoever sent one, as the version allows; a reason with REFUSED."""
        cookie = {10} if COOKIE in probe.edns else set()
        return cookie | ({15} if probe.rcode == REFUSED else set())

    def assert_sections(self, probe, answer, over):
        self.assertEqual(answer.rcode(), probe.rcode)
        self.assertEqual(bool(answer.flags & TC), over in probe.cut)
        self.assertEqual(bool(answer.flags & AA), not probe.rcode)
        found = sum(map(len, answer.answer))
        self.assertEqual(found, 0 if over in probe.cut else probe.answers)
        authority = [rrset.rdtype for rrset in answer.authority]
        negative = not probe.rcode and not probe.answers
        self.assertEqual(authority, [dns.rdatatype.SOA] if negative else [])

    def assert_answer(self, probe, over):
        octets = self.ask(probe.wire(), over)
        if probe.flags & 0x7800 == 0x7800:      # an opcode that the library cannot read
            self.assertEqual(octets[:2] + octets[4:], probe.wire()[:2] + probe.wire()[4:])
            flags = int.from_bytes(octets[2:4], "big")
            self.assertEqual(flags & ~(RD | CD), QR | 0x7800 | probe.rcode)
            return
        answer = dns.message.from_wire(octets)
        self.assert_frame(probe, answer)
        self.assert_edns(probe, answer)
        self.assert_sections(probe, answer, over)
        if over in probe.cut:
            self.assertLessEqual(len(octets), 512)

    def test_each_probe(self):
        for name, probe in PROBES.items():
            for over in probe.over:
                with self.subTest(name, over=over):
                    self.assert_answer(probe, over)

    def test_each_type(self):
        for rtype in TYPES:
            with self.subTest(rtype):
                # as UDP without EDNS holds no more than 512 octets, those of keys are cut
                self.assert_answer(Probe(rtype=rtype, answers=HELD.get(rtype, 0),
                                         cut=(UDP,) if rtype == "DNSKEY" else ()), UDP)
                self.assert_answer(Probe(rtype=rtype, answers=HELD.get(rtype, 0)), TCP)


# ---- sizes and clients ----

def text(size):
    """A TXT record's text whose rdata has so many octets."""
    lengths = [255] * ((size - 2) // 256)
    lengths.append(size - 256 * len(lengths) - 1)
    return " ".join('"' + "x" * length + '"' for length in lengths)


def receive(link):
    """A message, whole; b"" at the end."""
    head = receive_all(link, 2)
    return receive_all(link, struct.unpack("!H", head)[0]) if head else b""


def receive_all(link, count):
    data = b""
    while len(data) < count:
        part = receive_some(link, count - len(data))
        if not part:
            return b""
        data += part
    return data


def receive_some(link, count):
    """b"" at the end, which may be a reset: one that has hung up and has all is not kept."""
    try:
        return link.recv(count)
    except ConnectionResetError:
        return b""


class Clients(Story):

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        add_zone(cls.lab)

    def answer_of(self, rdata, edns):
        """(length, truncated) of the answer over UDP that has RDATA octets of TXT."""
        probe = Probe(edns, name=f"t{rdata}.{ZONE}", rtype="TXT")
        octets = self.ask(probe.wire(), UDP)
        answer = dns.message.from_wire(octets)
        whole = dns.message.from_wire(self.ask(probe.wire(), TCP))
        self.assertEqual(len(whole.answer[0][0].to_wire()), rdata)
        self.assertEqual(bool(answer.answer), not answer.flags & TC)
        return len(octets), bool(answer.flags & TC)

    def test_t4_what_a_datagram_holds(self):
        for edns, most in ((b"", 512), (opt(size=0), 512), (opt(size=300), 512),
                           (opt(size=512), 512), (opt(size=1000), 1000),
                           (opt(size=1232), 1232), (opt(size=4096), 1232),
                           (opt(size=65535), 1232)):
            for rdata in TEXT_SIZES:
                with self.subTest(size=most, rdata=rdata):
                    length, cut = self.answer_of(rdata, edns)
                    least, largest = sizes_of_answer(f"t{rdata}.{ZONE}", rdata + len(edns))
                    self.assertLessEqual(length, most)
                    self.assertTrue(cut or largest >= length >= least)
                    self.assertEqual(cut, cut and largest > most or least > most)

    def test_n5_notifies_to_us(self):
        """Nobody is our primary, whatever is said and however much."""
        soa = rr_wire(ZONE, "SOA", "a. b. 9 0 0 0 0")
        cases = {
            "plain": notify(),
            "with its SOA": notify(answers=[soa]),
            "with EDNS": notify(edns=opt()),
            "of an unknown zone": notify(name="elsewhere.test."),
            "of 64 KB": notify() + b"\0" * (65535 - len(notify())),
            "of many records": notify(answers=[soa] + [rr_wire(ZONE, "A", "192.0.2.1")] * 2300),
        }
        for name, packet in cases.items():
            with self.subTest(name):
                answer = dns.message.from_wire(self.ask(packet, TCP))
                wanted = dns.rcode.FORMERR if "records" in name else REFUSED
                self.assertEqual((answer.opcode(), answer.rcode()), (dns.opcode.NOTIFY, wanted))
            with self.subTest(name, over=UDP):
                if len(packet) < UDP_SIZE:
                    self.assertEqual(self.ask(packet, UDP)[3] & 15, REFUSED)
        self.assertEqual(self.serial(), 7)

    def serial(self):
        answer = dns.message.from_wire(self.ask(PROBES["dns"].wire(), UDP))
        return answer.answer[0][0].serial

    def test_t2_a_question_that_never_ends(self):
        """Octets that come one by one do not put off the end; others do not wait for it."""
        packet = PROBES["dns"].wire()
        links = [self.link() for _ in range(20)]
        for link in links:
            link.sendall(struct.pack("!H", 0xffff))
        left = set(links)

        def all_are_closed():
            readable, _, _ = select.select(list(left), [], [], 0.2)
            left.difference_update(link for link in readable if is_over(link))
            for link in left:
                trickle(link)
            self.assertEqual(self.ask(packet, UDP)[3] & 15, 0)
            self.assertEqual(self.ask(packet, TCP)[3] & 15, 0)
            return not left
        wait_for(all_are_closed, 15, "all of them are closed")

    def test_t3_clients_that_go_away(self):
        """None leaves a descriptor behind, nor a process that is busy with it."""
        transfer(self.port, ZONE)       # it has its connections to the database now
        descriptors = self.descriptors()
        axfr = struct.pack("!H", 29) + struct.pack("!6H", 67, 0, 1, 0, 0, 0) + question(ZONE,
                                                                                        "AXFR")
        for leave in (close, reset, half_close):
            for sent in (b"", b"\0", axfr[:7], axfr, axfr * 20):
                for _ in range(5):
                    link = socket.create_connection((HOST, self.port), timeout=5)
                    link.sendall(sent)
                    leave(link)
        wait_for(lambda: self.metric("minidns_tcp_clients") == 0, 10, "the clients are gone")
        wait_for(lambda: self.descriptors() <= descriptors, 10, "their descriptors, too")
        wait_for(self.is_idle, 10, "the process rests")
        self.assertEqual(self.serial(), 7)

    def descriptors(self):
        return len(list(Path(f"/proc/{self.process[0]}/fd").iterdir()))

    def is_idle(self):
        before = self.ticks()
        select.select([], [], [], 0.3)
        return self.ticks() == before

    def ticks(self):
        stat = Path(f"/proc/{self.process[0]}/stat").read_text().rpartition(")")[2].split()
        return int(stat[11]) + int(stat[12])


def sizes_of_answer(name, octets):
    """With one record of that name and OCTETS besides: its name compressed, or written out."""
    owner = len(dns.name.from_text(name).to_wire())
    header, asked, frame = 12, owner + 4, 10
    return header + asked + 2 + frame + octets, header + asked + owner + frame + octets


def notify(name=ZONE, answers=(), edns=b""):
    counts = 1, len(answers), 0, bool(edns)
    return (struct.pack("!6H", 67, 0x2400, *counts) + question(name, "SOA") + b"".join(answers)
            + edns)


def is_over(link):
    try:
        return link.recv(1) == b""
    except ConnectionError:
        return True


def trickle(link):
    try:
        link.send(b"x")
    except ConnectionError:
        pass            # its end is noted when it is read


def close(link):
    link.close()


def reset(link):
    link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    link.close()


def half_close(link):
    link.shutdown(socket.SHUT_WR)
    while receive_some(link, 65536):
        pass
    link.close()


# ---- transfers ----

MAX_RDATA = 65535 - 700         # with the longest owner, question and signature


def whole(messages):
    """The zone of an AXFR, or of what is said instead of an IXFR."""
    rrs = rrs_of(messages)
    assert rrs[0] == rrs[-1] and rrs[0][1] == "SOA" and rrs[1][1] != "SOA", rrs[:2]
    assert len(set(rrs)) == len(rrs) - 1, "a record came twice"
    return set(rrs)


def host_records(zone, count):
    """The zone's name server and some hosts, more than any small change of it."""
    return [(zone, "NS", "ns1.example.net.")] + [
        (f"h{number}.{zone}", "TXT", '"filler"') for number in range(count)]


class Transfers(Story):

    def add(self, zone, serial=1, records=(), filler=50, **options):
        return Domain(self.lab, zone, serial, host_records(zone, filler) + list(records),
                      **options)

    def assert_ways(self, domain, *starts):
        """From each (serial, zone as it was) an IXFR leads to the zone that an AXFR has."""
        self.assertEqual(whole(transfer(self.port, domain.name)), domain.rrs())
        for serial, old in starts:
            with self.subTest(domain.name, since=serial):
                rrs = rrs_of(transfer(self.port, domain.name, serial))
                removed, added = difference(rrs)
                self.assertEqual((removed, added), (old - domain.rrs() - {rrs[1]},
                                                    domain.rrs() - old - {rrs[0]}))
                self.assertEqual(apply(old, rrs), domain.rrs())

    def test_a1_one_message_after_the_other(self):
        """Only the first has the question and the OPT record; nothing is in other sections."""
        domain = self.add("a1.test.", records=[
            (f"t{i}.a1.test.", "TXT", f'"{i:0200d}"') for i in range(1000)])
        query = dns.message.make_query("A1.Test.", "AXFR", use_edns=0, payload=512)
        query.flags = 0
        messages = list(self.stream(query))
        self.assertEqual(whole(messages), domain.rrs())
        self.assertGreater(len(messages), 3)
        self.assertEqual({message.id for message in messages}, {query.id})
        self.assertEqual({message.flags for message in messages}, {QR | AA})
        self.assertEqual([str(message.question[0].name) for message in messages
                          if message.question], ["A1.Test."])
        self.assertEqual([message.edns for message in messages],
                         [0] + [-1] * (len(messages) - 1))
        self.assertFalse(any(message.authority or message.additional for message in messages))

    def stream(self, query):
        with socket.create_connection((HOST, self.port), timeout=5) as link:
            dns.query.send_tcp(link, query)
            link.shutdown(socket.SHUT_WR)
            while octets := receive(link):
                yield dns.message.from_wire(octets, one_rr_per_rrset=True)

    def set_rdata(self, domain, name, octets):
        """Behind the back of what would refuse it, as a type without a name."""
        key, size = new_id(), quote("00" * octets)
        self.lab.mariadb.sql(
            f"INSERT INTO recordsets (id, domain_id, name, type) VALUES ({quote(key)}, "
            f"{quote(domain.id)}, {quote(name)}, 65280);"
            "INSERT INTO records (id, recordset_id, domain_id, data, rdata, serial_number, task, "
            f"status) VALUES ({quote(new_id())}, {quote(key)}, {quote(domain.id)}, '', "
            f"UNHEX({size}), {domain.serial}, 'NONE', 'ACTIVE')")

    def test_a2_a_record_that_fits_into_no_message(self):
        """Its zone is not served, in part even less; that is said, and others are served."""
        other = self.add("a2-other.test.")
        for octets in MAX_RDATA + 1, 65536, 70000:
            zone = f"a2-{octets}.test."
            domain = self.add(zone)
            self.set_rdata(domain, f"big.{zone}", octets)
            with self.subTest(octets):
                self.assert_not_served(domain)
                self.assertRegex(self.lab.workers[0].log.read_text(), "zone not loaded: "
                                 f"id={domain.id} serial=1 err=\\w+ "
                                 f"reason=.*big.{zone}.*must have at most")
            self.assertEqual(whole(transfer(self.port, other.name)), other.rrs())
        self.lab.mariadb.sql(f"UPDATE records SET task = 'DELETE', status = 'PENDING' WHERE "
                             f"domain_id = {quote(domain.id)} AND LENGTH(rdata) > 60000")
        domain.change()
        self.assertEqual(whole(transfer(self.port, domain.name)), domain.rrs())

    def assert_not_served(self, domain):
        for serial in None, 0:
            messages = transfer(self.port, domain.name, serial)
            self.assertEqual([message.rcode() for message in messages], [dns.rcode.SERVFAIL])
            self.assertEqual(rrs_of(messages), [])
        answer = udp(dns.message.make_query(f"h1.{domain.name}", "TXT"), HOST,
                     port=self.port, timeout=5)
        self.assertEqual((answer.rcode(), answer.answer), (dns.rcode.SERVFAIL, []))

    def test_a2_the_largest_record(self):
        """With the longest owner, and a question that compresses nothing of it."""
        zone = "a2-largest.test."
        domain = self.add(zone)
        owner = longest_name(zone)
        self.set_rdata(domain, owner, MAX_RDATA)
        found = whole(transfer(self.port, zone)) - domain.rrs()
        self.assertEqual([(str(name), kind, len(rdata)) for name, kind, rdata, _ in found],
                         [(owner, "TYPE65280", MAX_RDATA)])

    def test_a4_names_at_their_limits(self):
        zone = "a4.test."
        owners = [longest_name(zone), "a." * ((255 - len(zone) - 1) // 2) + zone,
                  rf"\000\001\032\.\\\@\255.{zone}", "\\200" * 63 + f".{zone}", f"*.{zone}"]
        targets = [longest_name("Other.Example."), "A.b.C.", r"\000\.X\255.", ".",
                   "Z" * 63 + "." + "z" * 63 + "."]
        records = [(owner, "TXT", r'"\000\255\"" "" "' + "\\200" * 255 + '"') for owner in owners]
        records += [(owner, kind, f"{first}{target}") for owner in owners for target in targets
                    for kind, first in (("NS", ""), ("MX", "7 "), ("SRV", "1 2 3 "))]
        domain = self.add(zone, records=records)
        self.assertEqual(whole(transfer(self.port, zone)), domain.rrs())
        for owner in owners[:-1]:
            query = dns.message.make_query(owner.upper(), "TXT")
            query.flags |= dns.flags.RD
            answer = dns.query.tcp(query, HOST, port=self.port, timeout=5)
            self.assertEqual(answer.question[0].name.labels, query.question[0].name.labels)

    def test_a4_nothing_to_compress(self):
        """Names that share nothing with each other, to the end of a message and on."""
        zone = "a4-random.test."
        records = [(f"{label}.{zone}", "NS", f"{label.upper()}.{label[::-1]}.")
                   for label in (f"{i:x}".rjust(60, "x") for i in range(1000))]
        domain = self.add(zone, records=records)
        messages = transfer(self.port, zone)
        self.assertGreater(len(messages), 2)
        self.assertEqual(whole(messages), domain.rrs())

    def test_a8_who_may_have_nothing(self):
        """Not one record: neither who is no friend, nor whose key nobody knows."""
        domain = self.add("a8.test.")
        plain = question(domain.name, "AXFR")
        since = rr_wire(domain.name, "SOA", soa_text(domain.soa | {"serial": 0}))
        ixfr = struct.pack("!6H", 67, 0, 1, 0, 1, 0) + question(domain.name, "IXFR") + since
        axfr = struct.pack("!6H", 67, 0, 1, 0, 0, 0) + plain
        signed = struct.pack("!6H", 67, 0, 1, 0, 0, 1) + plain + hostile.TSIG
        cases = {"a stranger": (axfr, STRANGER, REFUSED),
                 "a stranger, IXFR": (ixfr, STRANGER, REFUSED),
                 "a stranger with a key": (signed, STRANGER, dns.rcode.NOTAUTH),
                 "an unknown key": (signed, HOST, dns.rcode.NOTAUTH),
                 "no zone's name": (axfr.replace(plain, question(f"h1.{domain.name}", "AXFR")),
                                    HOST, dns.rcode.NOTAUTH),
                 "nobody's zone": (axfr.replace(plain, question("elsewhere.test.", "AXFR")),
                                   HOST, REFUSED)}
        for name, (packet, source, wanted) in cases.items():
            with self.subTest(name):
                answers = self.all_answers(packet, source)
                self.assertEqual([answer[3] & 15 for answer in answers], [wanted])
                self.assertEqual(answers[0][6:8], b"\0\0")
                if packet == signed:
                    self.assertEqual(answers[0][-4:-2], b"\0\x11", "BADKEY")
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as end:
            end.settimeout(5)
            end.bind((STRANGER, 0))
            end.sendto(ixfr, (HOST, self.port))
            answer = end.recv(512)
        self.assertEqual((answer[3] & 15, answer[6:8]), (REFUSED, b"\0\0"))
        self.assertEqual(whole(transfer(self.port, domain.name)), domain.rrs())

    def all_answers(self, packet, source):
        with socket.create_connection((HOST, self.port), 5, (source, 0)) as link:
            link.sendall(struct.pack("!H", len(packet)) + packet)
            link.shutdown(socket.SHUT_WR)
            answers = []
            while octets := receive(link):
                answers.append(octets)
        return answers

    def test_i2_no_journal(self):
        """Never written, or purged meanwhile: the whole zone, and no error."""
        never = self.add("i2-never.test.", journal=False)
        never.change(add=[("a.i2-never.test.", "A", "192.0.2.1")])
        self.assertEqual(whole(transfer(self.port, never.name, 1)), never.rrs())
        purged = self.add("i2-purged.test.")
        old = purged.rrs()
        purged.change(add=[("a.i2-purged.test.", "A", "192.0.2.1")])
        self.assert_ways(purged, (1, old))
        self.lab.mariadb.sql(f"DELETE FROM journal WHERE domain_id = {quote(purged.id)}")
        purged.change(add=[("b.i2-purged.test.", "A", "192.0.2.1")])
        self.assertEqual(whole(transfer(self.port, purged.name, 1)), purged.rrs())

    def test_i4_more_than_a_message(self):
        zone = "i4.test."
        domain = self.add(zone, filler=20000)
        old = domain.rrs()
        new = [(f"n{i}.{zone}", "TXT", f'"{i:0200d}"') for i in range(1500)]
        domain.change(add=new)
        domain.change(remove=new[:500])
        messages = transfer(self.port, zone, 1)
        self.assertGreater(len(messages), 3)
        self.assertEqual(apply(old, rrs_of(messages)), domain.rrs())
        self.assertEqual(list(map(len, difference(rrs_of(messages)))), [0, 1000])
        self.assertEqual({message.id for message in messages}, {messages[0].id})
        self.assertFalse(any(message.question for message in messages[1:]))

    def test_i5_serials_across_zero(self):
        domain = self.add("i5.test.", 4294967290)
        starts = []
        for serial in 4294967295, 0, 1, 3, 2147483647, 2147483650:
            starts.append((domain.serial, domain.rrs()))
            domain.change(add=[(f"s{serial}.i5.test.", "A", "192.0.2.1")], serial=serial)
            within = [start for start in starts if is_newer(serial, start[0])]
            self.assert_ways(domain, *within)
            for old, _ in set_of_serials(starts) - set_of_serials(within):
                self.assert_up_to_date(domain, old)
        for serial in (domain.serial, domain.serial + 1, domain.serial + 2**31,
                       domain.serial + 2**31 - 1):
            self.assert_up_to_date(domain, serial % 2**32)

    def assert_up_to_date(self, domain, serial):
        with self.subTest(domain.serial, at=serial):
            rrs = rrs_of(transfer(self.port, domain.name, serial))
            self.assertEqual([rr[1] for rr in rrs], ["SOA"])

    def test_i6_any_history_leads_to_the_zone(self):
        domain = self.add("i6.test.", filler=300)
        a, b = ("x.i6.test.", "A", "192.0.2.1"), ("x.i6.test.", "A", "192.0.2.2")
        starts = []
        for add, remove in (([a], []), ([], [a]), ([a], []), ([a], [a]), ([b], [a]), ([a], [b]),
                            ([], []), ([b], []), ([], [a, b]), ([a, b], [])):
            starts.append((domain.serial, domain.rrs()))
            domain.change(add=add, remove=remove)
        self.assert_ways(domain, *starts)

    def test_i6_new_ttls(self):
        """A record goes with its old TTL and comes with the new one; not if they are the same."""
        domain = self.add("i6-ttl.test.")
        key = "h1.i6-ttl.test.", "TXT"
        starts = []
        for ttl in 600, 900, 300, 300, 60:
            starts.append((domain.serial, domain.rrs()))
            domain.change(ttls={key: ttl})
        self.assert_ways(domain, *starts)
        domain.change(ttls={key: 300})
        self.assert_ways(domain, *starts)
        rrs = rrs_of(transfer(self.port, domain.name, starts[0][0]))
        self.assertEqual(difference(rrs), (set(), set()))

    def test_i6_histories_that_contradict_themselves(self):
        """Each step could be, but not one behind the other."""
        for number, (what, (removed, added)) in enumerate(CONTRADICTIONS.items()):
            domain = self.add(f"i6-not-{number}.test.")
            record = f"c.{domain.name}", "A", "192.0.2.1"
            domain.change(add=[record])
            self.assert_ways(domain)
            domain.change()
            blobs = [blob(rr_wire(*record, TTL + ttl)) for ttl in (0, 1)]
            self.lab.mariadb.sql(
                f"UPDATE journal SET removed = CONCAT(removed, {removed(*blobs)}), "
                f"added = CONCAT(added, {added(*blobs)}) WHERE serial = 3 AND "
                f"domain_id = {quote(domain.id)}")
            with self.subTest(what):
                self.assertEqual(whole(transfer(self.port, domain.name, 1)), domain.rrs())
                self.assertEqual(rrs_of(transfer(self.port, domain.name, 2))[1][1], "SOA")

    def test_i6_histories_that_cannot_be(self):
        """A journal that contradicts itself makes for a whole zone, not for a wrong one."""
        for number, (what, row) in enumerate(IMPOSSIBLE.items()):
            domain = self.add(f"i6-{number}.test.")
            for change in range(3):
                domain.change(add=[(f"c{change}.{domain.name}", "A", "192.0.2.1")])
            before, after, foreign = (
                rr_wire(domain.name, "SOA", soa_text(domain.soa | {"serial": serial}), 3600)
                for serial in (2, 3, 9))
            values = row(before, after, foreign)
            changes = ", ".join(f"{key} = {value}" for key, value in values.items())
            self.lab.mariadb.sql(f"UPDATE journal SET {changes} WHERE serial = 3 AND "
                                 f"domain_id = {quote(domain.id)}")
            with self.subTest(what):
                self.assertEqual(whole(transfer(self.port, domain.name, 1)), domain.rrs())


# what the journal says of the way from 2 to 3, of three serials
IMPOSSIBLE = {
    "a gap": lambda before, after, foreign: {"previous_serial": 7},
    "back to the beginning": lambda before, after, foreign: {"previous_serial": 1},
    "a circle": lambda before, after, foreign: {"previous_serial": 3},
    "nothing": lambda before, after, foreign: {"removed": "''", "added": "''"},
    "no SOA": lambda before, after, foreign: {
        "removed": blob(rr_wire("x.test.", "A", "192.0.2.1"))},
    "SOAs the wrong way round": lambda before, after, foreign: {
        "removed": blob(after), "added": blob(before)},
    "another's SOA": lambda before, after, foreign: {"added": blob(foreign)},
    "a record of another zone": lambda before, after, foreign: {
        "added": blob(after + rr_wire("elsewhere.test.", "A", "192.0.2.1"))},
    "an SOA too many": lambda before, after, foreign: {"added": blob(after + after)},
    "half a record": lambda before, after, foreign: {"added": blob(after[:-1])},
    "octets of chance": lambda before, after, foreign: {"added": blob(after + b"\xff" * 20)},
}


# what is removed and added, after a step that added RECORD; LATER has another TTL
CONTRADICTIONS = {
    "added twice": (lambda record, later: "''", lambda record, later: record),
    "added with another TTL": (lambda record, later: "''", lambda record, later: later),
    "removed with another TTL": (lambda record, later: later, lambda record, later: "''"),
    "removed twice": (lambda record, later: f"{record}, {record}", lambda record, later: "''"),
}


def longest_name(zone):
    """Of 255 octets, in long labels."""
    left = 254 - len(dns.name.from_text(zone).to_wire()) + 1
    labels = []
    while left:
        octets = min(left, 64)
        octets -= left - octets == 1        # a label has an octet at least, with its length two
        labels.append("l" * (octets - 1))
        left -= octets
    name = ".".join([*labels, zone])
    assert len(dns.name.from_text(name).to_wire()) == 255
    return name


def is_newer(a, b):
    """RFC 1982."""
    return 0 < (a - b) % 2**32 < 2**31


def set_of_serials(starts):
    return {(serial, None) for serial, _ in starts}


# ---- slow readers ----

LARGE = "large.test."
# together more than the buffers between two programs hold, and of a type that dnspython reads fast
LARGE_RECORDS = 1000
LARGE_OCTETS = 12000
LARGE_TYPE = "TYPE65280"


def large_records(zone):
    text = f"\\# {LARGE_OCTETS} {'78' * LARGE_OCTETS}"
    return [(zone, "NS", "ns1.example.net.")] + [
        (f"t{number}.{zone}", LARGE_TYPE, text) for number in range(LARGE_RECORDS)]


class Reader:
    """A client that has read the first message of an AXFR, and the rest when it is told to."""

    def __init__(self, port, zone, source=HOST):
        self.link = socket.socket()
        self.link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
        self.link.settimeout(20)
        self.link.bind((source, 0))
        self.link.connect((HOST, port))
        packet = struct.pack("!6H", 67, 0, 1, 0, 0, 0) + question(zone, "AXFR")
        self.link.sendall(struct.pack("!H", len(packet)) + packet)
        self.messages = []

    def read_one(self):
        self.messages.append(dns.message.from_wire(receive(self.link), one_rr_per_rrset=True))
        return self

    def has_answer(self):
        return bool(select.select([self.link], [], [], 0)[0])

    def read_all(self):
        """The messages; nothing must follow the SOA that ends them."""
        self.link.shutdown(socket.SHUT_WR)
        while octets := receive(self.link):
            self.messages.append(dns.message.from_wire(octets, one_rr_per_rrset=True))
        self.link.close()
        return self.messages


class Slow(Story):

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.large = Domain(cls.lab, LARGE, 7, large_records(LARGE))
        transfer(cls.port, LARGE)       # it is in memory

    def reader(self, source=HOST, zone=LARGE):
        reader = Reader(self.port, zone, source)
        self.addCleanup(reader.link.close)
        return reader

    def ended(self):
        """How many transfers are over, however they ended."""
        return len(re.findall(r"transfer (ended|broken): ", self.log()))

    def log(self):
        return self.lab.workers[0].log.read_text()

    def test_a5_a_change_during_a_transfer(self):
        """What has begun is the zone as it was then, in whole; the next one is the new."""
        old = self.large.rrs()
        ended = self.ended()
        reader = self.reader().read_one()
        changes = [(f"t{number}.{LARGE}", "A", "192.0.2.1") for number in range(0, LARGE_RECORDS, 20)]
        self.large.change(add=changes, remove=self.large.records[-10:])
        answer = udp(dns.message.make_query(LARGE, "SOA"), HOST, port=self.port)
        self.assertEqual(answer.answer[0][0].serial, self.large.serial)
        self.assertEqual(whole(transfer(self.port, LARGE)), self.large.rrs())
        self.assertEqual(self.ended(), ended + 1, "the first one is under way yet")
        self.assertEqual(whole(reader.read_all()), old)

    def test_z1_what_was_replaced_is_freed(self):
        """As soon as the last transfer of it has ended, whatever else happens or does not."""
        zone = "z1.test."
        before = self.metric("minidns_zones_bytes")
        domain = Domain(self.lab, zone, 7, large_records(zone))
        reader = self.reader(zone=zone).read_one()
        one = self.metric("minidns_zones_bytes") - before
        domain.change(add=[(zone, "A", "192.0.2.1")])
        self.assertEqual(whole(transfer(self.port, zone)), domain.rrs())
        self.assertGreater(self.metric("minidns_zones_bytes") - before, 1.9 * one)
        reader.link.close()
        wait_for(lambda: self.metric("minidns_zones_bytes") - before < 1.1 * one, 5,
                 "there is one of the two")

    def test_z1_many_at_once(self):
        """Each is the same, and the zone is in memory once, also while all are under way."""
        before = self.memory()
        Path(f"/proc/{self.process[0]}/clear_refs").write_text("5")     # VmHWM begins anew
        sources = [source for source in FRIENDS for _ in range(4)]
        with ThreadPoolExecutor(len(sources)) as pool:
            answers = list(pool.map(self.stream, sources))
        self.assertEqual(len(set(answers)), 1)
        self.assertGreater(len(answers[0]), LARGE_RECORDS * LARGE_OCTETS * 0.9)
        self.assertLess(self.memory("VmHWM") - before, 64 << 20)

    def stream(self, source):
        """All octets of an AXFR; the same question, so that the answers can be the same."""
        packet = struct.pack("!6H", 67, 0, 1, 0, 0, 0) + question(LARGE, "AXFR")
        with socket.create_connection((HOST, self.port), 20, (source, 0)) as link:
            link.sendall(struct.pack("!H", len(packet)) + packet)
            link.shutdown(socket.SHUT_WR)
            return b"".join(iter(lambda: receive_some(link, 1 << 20), b""))

    def memory(self, of="VmRSS"):
        """What it has; VmHWM: the most that it has had."""
        status = Path(f"/proc/{self.process[0]}/status").read_text()
        return int(status.split(f"{of}:")[1].split()[0]) << 10

    def test_z1_places(self):
        """Four to a peer and six in all: who comes then waits, and others go before it."""
        first, second, third = FRIENDS
        running = [self.reader(first).read_one() for _ in range(4)]
        fifth = self.reader(first)
        others = [self.reader(second).read_one()]
        self.assertEqual(len(self.stream_of_small(third)), 2)
        others.append(self.reader(third).read_one())
        seventh = self.reader(third, zone=ZONE)
        self.assertEqual(self.lab.workers[0].processes(), self.process)
        answer = dns.query.tcp(dns.message.make_query(LARGE, "SOA"), HOST, port=self.port)
        self.assertEqual(answer.rcode(), 0, "a question needs no place")
        soa = dns.message.make_query(LARGE, "SOA")
        dns.query.send_tcp(fifth.link, soa)
        self.assertEqual(dns.query.receive_tcp(fifth.link)[0].id, soa.id,
                         "nor does it wait for a transfer that has none")
        self.assertFalse(fifth.has_answer() or seventh.has_answer())
        others.pop().link.close()
        wait_for(seventh.has_answer, 5, "the last to come has a place")
        self.assertFalse(fifth.has_answer(), "its peer has its share")
        running.pop().link.close()
        wait_for(fifth.has_answer, 5, "its turn has come")
        self.assertEqual(whole(fifth.read_all()), self.large.rrs())

    def stream_of_small(self, source):
        """An AXFR of a few records, as its SOA and the rest."""
        add_zone(self.lab)
        reader = self.reader(source, ZONE)
        rrs = rrs_of(reader.read_all())
        self.assertEqual(rrs[0], rrs[-1])
        return rrs[0], rrs[1:-1]

    def test_z2_a_zone_that_goes_and_comes(self):
        """Deleted, and created again with another history and other records, meanwhile."""
        zone = "z2.test."
        domain = Domain(self.lab, zone, 7, large_records(zone))
        old = domain.rrs()
        readers = [self.reader(zone=zone).read_one(), self.reader(zone="Z2.tEsT.").read_one()]
        domain.set(task="DELETE", status="PENDING")
        self.assertEqual(transfer(self.port, zone)[0].rcode(), REFUSED)
        domain.set(task="NONE", status="DELETED")
        for serial in 7, 3:
            again = Domain(self.lab, zone, serial, host_records(zone, 3))
            self.assertEqual(whole(transfer(self.port, zone)), again.rrs())
            # who has the old one at that serial, or at a later one, cannot know better
            self.assertEqual(len(rrs_of(transfer(self.port, zone, 7))), 1)
            again.set(task="NONE", status="DELETED")
        self.assertEqual(transfer(self.port, zone)[0].rcode(), REFUSED)
        for reader in readers:
            self.assertEqual(whole(reader.read_all()), old)
        self.assertEqual(str(readers[1].messages[0].question[0].name), "Z2.tEsT.")


# ---- the database ----

NETWORK_ERROR = 23              # RFC 8914: it is away


def reasons_of(answer):
    """The codes of its extended errors (RFC 8914)."""
    return [option.code for option in answer.options if option.otype == dns.edns.EDE]


class GatedLab(Lab):

    def _database(self):
        if not hasattr(self, "gate"):
            self.gate = Gate(self.mariadb.port)
        return super()._database() | {"host": f"{HOST}:{self.gate.port}", "timeout": 2}

    def __exit__(self, failed, *rest):
        super().__exit__(failed, *rest)
        if hasattr(self, "gate"):
            self.gate.stop()


class Database(unittest.TestCase):
    """It stops answering in the middle of a zone."""

    @classmethod
    def setUpClass(cls):
        cls.lab = cls.enterClassContext(GatedLab(settings={"allow_transfer": [HOST]}))
        cls.port, cls.gate = cls.lab.ports[0], cls.lab.gate
        cls.domain = Domain(cls.lab, LARGE, 7, large_records(LARGE))
        transfer(cls.port, LARGE)       # an old one is in memory, and is not to come instead

    def database_is_asked(self):
        question = dns.message.make_query("nowhere.test.", "SOA")
        return udp(question, HOST, port=self.port,
                   timeout=10).rcode() == dns.rcode.REFUSED

    def assert_servfail_then_all(self, octets, cut):
        domain = self.domain
        domain.change(add=[(f"after{octets}.{LARGE}", "A", "192.0.2.1")])
        wait_for(self.database_is_asked, 10, "what came before has passed")
        self.gate.close_after(octets, cut)
        self.addCleanup(self.gate.open_again)
        messages = transfer(self.port, domain.name)
        self.assertTrue(self.gate.is_closed(), "the database stopped in the middle")
        self.assertEqual([message.rcode() for message in messages], [dns.rcode.SERVFAIL])
        self.assertEqual(rrs_of(messages), [])
        answer = self.ask_for_servers()
        self.assertEqual((answer.rcode(), answer.answer), (dns.rcode.SERVFAIL, []))
        self.assertEqual(reasons_of(answer), [NETWORK_ERROR])
        self.gate.open_again()

        def is_served():
            answer = self.ask_for_servers()
            self.assertIn(reasons_of(answer), ([], [NETWORK_ERROR]), "not a broken zone")
            return not answer.rcode()
        wait_for(is_served, 15, "the zone is served again")
        self.assertEqual(whole(transfer(self.port, domain.name)), domain.rrs())

    def ask_for_servers(self):
        question = dns.message.make_query(LARGE, "NS", use_edns=0)
        return udp(question, HOST, port=self.port, timeout=10)

    def test_silence(self):
        self.assert_servfail_then_all(11 << 20, cut=False)

    def test_connections_that_break(self):
        self.assert_servfail_then_all(5 << 20, cut=True)


if __name__ == "__main__":
    unittest.main()

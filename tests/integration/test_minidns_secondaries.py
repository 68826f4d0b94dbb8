"""BIND, Knot, NSD and PowerDNS take zones: each has what the database has, to the octet."""

import random
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from minidns_lab import HOST, Domain, Lab, quote, rrs_of, transfer, wait_for     # noqa: E402
from test_minidns_serve import difference, fillers                  # noqa: E402

NAMES = ("bind", "knot", "nsd", "powerdns")
SECONDS = 30        # until a server serves a new serial, the largest zone included

# a record of each type that can be stored, as it is written
TYPES = {
    "A": "192.0.2.1", "NS": "ns.Example.", "CNAME": "Target.example.", "PTR": "Host.Example.",
    "MX": "10 Mail.Example.", "AAAA": "2001:db8::1", "SRV": "1 2 3 Host.Example.",
    "TXT": r'"a b" "" "\000\255\"\\"', "SPF": '"v=spf1 -all"', "HINFO": '"PC" "a b"',
    "RP": "Mbox.Example. Txt.Example.", "AFSDB": "1 Host.Example.", "X25": '"311061700956"',
    "ISDN": '"150862028003217" "004"', "RT": "10 Host.Example.", "NSAP": "0x47000580ffff",
    "PX": "10 Map822.Example. MapX400.Example.", "GPOS": "-32.6882 116.8652 10.0",
    "LOC": "52 22 23.000 N 4 53 32.000 E -2.00m 1m 10000m 10m",
    "NAPTR": r'100 10 "S" "SIP+D2U" "!^.*$!a b!" _sip._udp.Example.',
    "KX": "10 Host.Example.", "CERT": "1 2 8 AQIDBA==", "DNAME": "Other.Example.",
    "APL": "1:192.0.2.0/24 !2:2001:db8::/32", "SSHFP": "4 2 " + "ab" * 32,
    "IPSECKEY": "10 3 2 Gw.Example. AQIDBA==", "DHCID": "AAIBY2/AuCccgoJbsaxcQc9TUapptP69",
    "TLSA": "3 1 1 " + "ab" * 32, "SMIMEA": "3 1 1 " + "cd" * 32,
    "HIP": "2 200100107B1A74DF365639CC39F1D578 AwEAAbdxyhNuSutc5EMzxTs9LBPCIkOFH8cI",
    "OPENPGPKEY": "AQIDBA==", "CSYNC": "66 3 A NS AAAA", "EUI48": "00-00-5e-00-53-2a",
    "EUI64": "00-00-5e-ef-10-00-00-2a", "URI": '10 1 "https://x/ y"',
    "CAA": '128 issue "ca.example.net"', "SVCB": "1 Svc.Example. alpn=h2 port=443",
    "HTTPS": "1 . alpn=h3,h2 ipv4hint=192.0.2.1", "L32": "10 10.1.2.0",
    "L64": "10 2001:0DB8:1140:1000", "LP": "10 L64.Example.", "NID": "10 0014:4fff:ff20:ee64",
    "AVC": '"app-name:x"', "TYPE65280": r"\# 4 00ff5cc0", "TYPE1000": r"\# 0",
    "DS": "20326 8 2 " + "ab" * 32, "CDS": "20326 8 2 " + "ab" * 32,
    "DNSKEY": "256 3 8 AwEAAaY=", "CDNSKEY": "256 3 8 AwEAAaY=",
    "DLV": "20326 8 2 " + "ab" * 32,
}
# Their names some servers keep in lower case, or as they stand elsewhere in the message.
HAVE_NAMES = {"NS", "CNAME", "PTR", "MX", "SRV", "RP", "AFSDB", "RT", "PX", "NAPTR", "KX", "DNAME",
              "SOA", "IPSECKEY", "LP", "SVCB", "HTTPS"}


# PowerDNS answers for these from keys of its own.
ITS_OWN = {"DNSKEY", "CDNSKEY", "CDS"}


def folded(rrs):
    return {(name, rtype, rdata.lower() if rtype in HAVE_NAMES else rdata, ttl)
            for name, rtype, rdata, ttl in rrs}


def addresses(zone, net, count):
    return [(zone, "A", f"{net}.0.{i // 250}.{i % 250}") for i in range(count)]


def apex_records(zone):
    return [(zone, "NS", "ns1.example.net.")]


def long_texts(zone, first, count):
    """Of half a KiB each, for PowerDNS puts a hundred into a message: 120 fill one of ours."""
    text = " ".join('"' + "x" * 250 + '"' for _ in range(2))
    return [(f"t{number}.{zone}", "TXT", text) for number in range(first, first + count)]


class Secondaries(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.lab = cls.enterClassContext(Lab(servers=NAMES, settings={"allow_transfer": [HOST]}))
        cls.servers = cls.lab.servers.values()
        cls.port = cls.lab.ports[0]

    def add(self, zone, serial=1, records=()):
        domain = Domain(self.lab, zone, serial, apex_records(zone) + list(records))
        for server in self.servers:
            server.add_zone(zone)
        return domain

    def tell(self, domain):
        for server in self.servers:
            self.lab.order(domain, server, "notify_zone_changed")

    def assert_served(self, domain):
        """By all, whole and unchanged."""
        for server in self.servers:
            server.wait_for_serial(domain.name, domain.serial, SECONDS)
            found, wanted = self.zone_of(server, domain.name), domain.rrs()
            if server.name != "bind":
                found, wanted = folded(found), folded(wanted)
            if server.name == "powerdns":
                wanted = {rr for rr in wanted if rr[1] not in ITS_OWN}
            with self.subTest(domain.name, serial=domain.serial, server=server.name):
                self.assertEqual(sorted(map(str, found ^ wanted))[:4], [])

    def zone_of(self, server, zone):
        """NSD's processes that end with a reload take their connections with them."""
        found = []

        def is_whole():
            try:
                found[:] = rrs_of(transfer(server.port, zone))
            except (EOFError, ConnectionError):
                return False
            return len(found) > 1
        wait_for(is_whole, SECONDS, f"{server.name} sends {zone}", [server.log])
        return set(found)

    def messages(self, domain, kind):
        """How many messages each transfer of that kind, to the newest serial, had."""
        text = f"transfer ended: domain={domain.name} serial={domain.serial} kind={kind} "
        return [int(line.split("messages=")[1].split()[0])
                for line in self.lab.workers[0].log.read_text().splitlines() if text in line]

    def test_one_message(self):
        zone = "one.test."
        domain = self.add(zone, records=[(f"www.{zone}", "A", "192.0.2.1")])
        self.assert_served(domain)
        self.assert_kind(domain, "axfr", 1, 1)

    def change(self, domain, add=(), remove=()):
        domain.change(add, remove)
        self.tell(domain)
        self.assert_served(domain)

    def assert_kind(self, domain, kind, least, most):
        """Each server took that kind of transfer, in so many messages; PowerDNS maybe twice."""
        found = self.messages(domain, kind)
        self.assertGreaterEqual(len(found), len(NAMES), found)
        self.assertTrue(all(least <= count <= most for count in found), found)

    def test_many_messages(self):
        """One, two and more than a hundred, of a zone and of a change of it."""
        zone = "two.test."
        domain = self.add(zone, records=long_texts(zone, 0, 160))
        self.assert_served(domain)
        self.assert_kind(domain, "axfr", 2, 2)
        self.change(domain, [(f"a.{zone}", "A", "192.0.2.1")], domain.records[-3:])
        self.assert_kind(domain, "ixfr", 1, 1)
        self.change(domain, long_texts(zone, 1000, 130), domain.records[-40:])
        self.assert_kind(domain, "ixfr", 2, 2)
        zone = "hundred.test."
        domain = self.add(zone, records=long_texts(zone, 0, 13000))
        self.assert_served(domain)
        self.assert_kind(domain, "axfr", 100, 200)
        domain.change(long_texts(zone, 20000, 6600))
        self.change(domain, [], domain.records[1:6401])
        self.assert_kind(domain, "ixfr", 100, 200)

    def test_every_type(self):
        zone = "types.test."
        records = [(f"{rtype.lower()}.{zone}", rtype, text) for rtype, text in TYPES.items()]
        self.assert_served(self.add(zone, records=records))

    def test_odd_names(self):
        zone = "odd.test."
        labels = "l" * 62
        owners = [f"{labels}.{labels}.{labels}.{'l' * 54}.{zone}", "a." * 122 + zone,
                  rf"\000\001\032\.\\\@\255.{zone}", "\\200" * 63 + f".{zone}", f"*.{zone}"]
        records = [(owner, "TXT", r'"\000\255\"" "" "' + "\\200" * 255 + '"') for owner in owners]
        records += [(owner, "MX", f"7 {target}") for owner in owners for target in owners]
        domain = self.add(zone, records=records)
        self.assert_served(domain)
        self.change(domain, [(f"a.{zone}", "A", "192.0.2.1")], domain.records[-10:])

    def test_a_set_larger_than_a_message(self):
        zone = "many.test."
        domain = self.add(zone, records=addresses(zone, 10, 5000))
        self.assert_set(domain)
        domain.change(addresses(zone, 11, 100), domain.records[-200:])
        self.tell(domain)
        self.assert_set(domain)

    def assert_set(self, domain):
        """Knot takes such a set and cannot give it away: it is asked through its control."""
        wanted = {text for _, rtype, text in domain.records if rtype == "A"}
        for server in self.servers:
            server.wait_for_serial(domain.name, domain.serial, SECONDS)
            if server.name == "knot":
                lines = server.knotc("zone-read", domain.name, domain.name, "A").splitlines()
                self.assertEqual({line.split()[-1] for line in lines}, wanted)
            else:
                self.assertEqual(folded(self.zone_of(server, domain.name)), folded(domain.rrs()))

    def test_serials_across_zero(self):
        domain = self.add("wrap.test.", 4294967290,
                          [(f"h{i}.wrap.test.", "TXT", '"filler"') for i in range(100)])
        self.assert_served(domain)
        for serial in 4294967295, 1, 2147483640, 4294967280, 3:
            domain.change([(f"s{serial}.wrap.test.", "A", "192.0.2.1")], serial=serial)
            self.tell(domain)
            self.assert_served(domain)

    def test_a_gap_in_the_journal(self):
        domain = self.add("gap.test.", records=[
            (f"h{i}.gap.test.", "TXT", '"filler"') for i in range(100)])
        self.assert_served(domain)
        domain.change([("a.gap.test.", "A", "192.0.2.1")])
        self.lab.mariadb.sql(f"DELETE FROM journal WHERE domain_id = {quote(domain.id)}")
        self.change(domain, [("b.gap.test.", "A", "192.0.2.1")], domain.records[-2:])
        self.assert_kind(domain, "axfr", 1, 1)
        self.change(domain, [("c.gap.test.", "A", "192.0.2.1")])
        self.assert_kind(domain, "ixfr", 1, 1)

    def test_far_behind(self):
        """Many changes later: one difference takes each server there, and so does an empty one."""
        zone = "behind.test."
        domain = self.add(zone, 4294967270, fillers(zone, 100))
        self.assert_served(domain)
        behind, old = domain.serial, domain.rrs()
        dice = random.Random(1)
        for _ in range(50):
            self.change_by_chance(domain, dice)
        self.catch_up(domain, behind, old - domain.rrs(), domain.rrs() - old)

        behind, ttl, record = domain.serial, domain.ttls[f"h1.{zone}", "TXT"], (
            f"x.{zone}", "TXT", '"it comes and goes"')
        for number in range(5):
            domain.change([record], ttls={(f"h1.{zone}", "TXT"): 1000 + number})
            domain.change([], [record])
        domain.change(ttls={(f"h1.{zone}", "TXT"): ttl})
        self.catch_up(domain, behind, set(), set())

    def change_by_chance(self, domain, dice):
        """Records of a few that come and go, and sets that get other TTLs."""
        few = [(f"c{i % 3}.{domain.name}", "A", f"192.0.2.{i}") for i in range(9)]
        here = set(domain.records)
        chosen = dice.sample(few, 3)
        domain.change([record for record in chosen if record not in here or dice.randrange(2)],
                      [record for record in chosen if record in here],
                      ttls={(f"h{dice.randrange(2)}.{domain.name}", "TXT"):
                            dice.choice((60, 300, 900)) for _ in range(2)})

    def catch_up(self, domain, behind, removed, added):
        """All servers are behind at that serial, then told, and take one difference."""
        for server in self.servers:
            self.assertEqual(server.serial(domain.name), behind)
        wanted = [{rr for rr in rrs if rr[1] != "SOA"} for rrs in (removed, added)]
        self.tell(domain)
        self.assert_served(domain)
        self.assert_kind(domain, "ixfr", 1, 1)
        self.assertEqual(self.messages(domain, "axfr"), [])
        found = difference(rrs_of(transfer(self.port, domain.name, behind)))
        self.assertEqual(list(found), wanted)

    def test_a_record_twice_in_a_serial(self):
        """Removed and added by the same change; and added, removed, added by three."""
        domain = self.add("twice.test.", records=[
            (f"h{i}.twice.test.", "TXT", '"filler"') for i in range(100)])
        record = ("x.twice.test.", "A", "192.0.2.1")
        self.assert_served(domain)
        self.change(domain, [record])
        self.change(domain, [record], [record])
        domain.change([], [record])
        domain.change([record])
        domain.change([], [record])
        self.change(domain, [record])
        self.assert_kind(domain, "ixfr", 1, 1)


if __name__ == "__main__":
    unittest.main()

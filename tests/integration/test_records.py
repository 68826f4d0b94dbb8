"""Records that other people's zone files have: each server serves them as BIND reads the file.

The fleet has a BIND, a Knot, an NSD and a PowerDNS. A zone is imported from a file. The zone that
a server transfers out is compared with the output of named-compilezone for the file.
"""

import shutil
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import drift                                                            # noqa: E402
from lab.dns import zone_file                                           # noqa: E402
from lab.process import LabError                                        # noqa: E402
from oslo_messaging import RemoteError                                  # noqa: E402
from story import Caller, start_fleet                                   # noqa: E402

SECONDS = 30
DRIVEN = ("bind", "knot", "nsd", "powerdns")
TOP = """$TTL 300
@ IN SOA ns1.example.net. h.example.net. 1 3600 600 86400 7200
@ IN NS ns1.example.net.
"""


def without_soa(lines):
    return sorted(line for line in lines if line.split()[3] != "SOA")


class Story(unittest.TestCase):

    name_servers = DRIVEN
    settings = {"poolmgr": {"compare_every": 1}}

    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="zfrecords"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.fleet = cls.enterClassContext(start_fleet(
            cls.folder / "fleet", name_servers=cls.name_servers, settings=cls.settings))
        cls.caller = Caller(cls.fleet.rabbitmq.url)
        cls.addClassCleanup(cls.caller.close)

    def write(self, zone, text, top=TOP):
        path = self.folder / f"{zone}.zone"
        path.write_text(top + text)
        return path

    def import_(self, zone, text, top=TOP, seconds=SECONDS):
        """The path of the zone file. The servers serve the zone."""
        path = self.write(zone, text, top)
        self.fleet.cli("domain", "import", zone, path, "--wait", "--admin", seconds=seconds)
        return path

    def refused(self, zone, text):
        """The words of the error."""
        with self.assertRaises(LabError) as caught:
            self.import_(zone, text)
        return str(caught.exception)

    def assert_served(self, zone, path):
        """Each server serves the records of the file."""
        want = without_soa(zone_file(path, zone))
        for server in self.fleet.name_servers:
            with self.subTest(server=server.name):
                self.assertEqual(without_soa(drift.transferred(server, zone)), want)

    def assert_equal_to_all(self, zone):
        """Each server is compared with the database, twice, and found equal."""
        self.fleet.cli("sync", zone, "--deep", "--admin")
        self.fleet.cli("sync", zone, "--deep", "--admin")
        domain = self.caller.get_domain(domain=f"{zone}.")
        self.caller.settled(domain["id"], seconds=SECONDS)
        self.assertEqual(self.fleet.mariadb.sql(
            f"SELECT kind, detail FROM repairs WHERE object_uuid = '{domain['id']}'"), [])


class Owners(Story):
    """RFC 2181, 11: the owner of a record may have any octets."""

    zone = "owners.example"

    def test_a_file_with_all_of_them(self):
        path = self.import_(self.zone, r"""
_ipp._tcp PTR My\032Printer._ipp._tcp
My\032Printer._ipp._tcp SRV 0 0 631 printer.example.net.
My\032Printer._ipp._tcp TXT "txtvers=1"
a+b A 192.0.2.1
-a A 192.0.2.2
a- A 192.0.2.3
a\.b A 192.0.2.4
a\\.b A 192.0.2.5
x.*.wild A 192.0.2.6
*.wild A 192.0.2.7
**.wild A 192.0.2.8
\@ A 192.0.2.9
q\"uote A 192.0.2.10
semi\;colon A 192.0.2.11
(par\) A 192.0.2.12
""".replace("(par", r"\(par") + r"""
nul\000 A 192.0.2.13
high\255 A 192.0.2.14
d$llar A 192.0.2.15
k=v A 192.0.2.16
""")
        self.assert_served(self.zone, path)
        self.assert_equal_to_all(self.zone)
        exported = self.folder / "exported.zone"
        self.fleet.cli("domain", "export", self.zone, exported, "--admin")
        self.assertEqual(without_soa(zone_file(exported, self.zone)),
                         without_soa(zone_file(path, self.zone)))

    def test_by_a_command(self):
        """PowerDNS 4.7 transfers a name with "+", but answers SERVFAIL when asked for it."""
        zone = "command.example"
        self.import_(zone, "")
        for owner, silent in (("a+b", "powerdns"), ("-a", ""), (r"a\.b", ""),
                              (r"my\032printer", "")):
            self.fleet.cli("record", "add", "--wait", "--admin", "--", zone, owner, "A",
                           "192.0.2.1")
            for server in self.fleet.name_servers:
                found = drift.address(server, f"{owner}.{zone}.")
                self.assertEqual(found, None if server.name == silent else "192.0.2.1",
                                 f"{owner} at {server.name}")
        self.fleet.cli("record", "delete", "--wait", "--admin", "--", zone, "-a", "A")
        self.assertIsNone(drift.address(self.fleet.bind, f"-a.{zone}."))

    def test_an_escaped_dot_is_no_border(self):
        r"""`x\.child` is a name of the domain itself, `x\\.child` a name of the domain below."""
        zone = "border.example"
        self.import_(zone, "")
        self.caller.create_domain(domain={"name": f"child.{zone}."})
        path = self.import_(zone, "x\\.child TXT \"of the domain\"\n"
                                  "child NS ns1.example.net.\n")
        self.assert_served(zone, path)
        self.assertIn("belongs to a domain below this domain",
                      self.refused(zone, 'x\\\\.child TXT "of the domain below"\n'))

    def test_a_quote_in_a_name(self):
        zone = "quote.example"
        path = self.import_(zone, r"""
x MX 0 a\034b.example.net.
_ipp._tcp PTR My\032\"Printer\"._ipp._tcp
""")
        self.assert_served(zone, path)
        self.assert_equal_to_all(zone)

    def test_an_escaped_comma(self):
        zone = "comma.example"
        path = self.import_(zone, r"x HTTPS 1 . alpn=h1\\,h2,h3" + "\n")
        self.assert_served(zone, path)
        self.assert_equal_to_all(zone)

    def test_the_names_of_domains_stay_strict(self):
        for name in (r"a\.b.example.", "a+b.example.", "-a.example.", r"my\032zone.example."):
            with self.assertRaises(LabError) as caught:
                self.fleet.cli("domain", "create", "--admin", "--", name)
            self.assertIn("may contain only letters", str(caught.exception), name)


class Data(Story):
    """Data of records that ldns reads or prints wrongly. PowerDNS 4.7 cannot transfer out a value
    with blanks."""

    name_servers = ("bind", "knot", "nsd")

    def test_services(self):
        """RFC 9460, appendix A.1 and D.2."""
        zone = "services.example"
        path = self.import_(zone, r"""
min HTTPS 1 . alpn=h1\\,h2,h3
quoted SVCB 16 foo.example.org. alpn="f\\\\oo\\,bar,h2"
escaped SVCB 16 foo.example.org. alpn=f\\\092oo\092,bar,h2
all HTTPS 1 . mandatory=port,alpn alpn=h2,h3 port=8443 no-default-alpn ipv4hint=192.0.2.1
all HTTPS 2 . ipv6hint=2001:db8::1,2001:db8::2 ech=AAAA dohpath=/q{?dns} key667="a b\"\210;"
alias HTTPS 0 foo.example.net.
""")
        self.assert_served(zone, path)
        self.assert_equal_to_all(zone)
        path = self.import_("relays.example", """
hip HIP ( 2 200100107B1A74DF365639CC39F1D578 AQID rvs1.example.net. rvs2.example.net. )
name AMTRELAY 10 1 3 relay.example.net.
address AMTRELAY 10 0 2 2001:db8::15
none AMTRELAY 10 0 0 .
""")
        self.assert_served("relays.example", path)
        self.assert_equal_to_all("relays.example")
        with self.assertRaisesRegex(LabError, "write TYPE261 and its data as "):
            self.fleet.cli("record", "add", zone, "x", "RESINFO", "x", "--admin")
        for data, words in ((r"1 . port=1 port=1", "'port' must not appear twice"),
                            (r"1 . mandatory=alpn", "RFC 9460 8")):
            with self.assertRaisesRegex(LabError, words):
                self.fleet.cli("record", "add", zone, "x", "HTTPS", data, "--admin")


class Cases(Story):
    """Records that differ only in the case of names in their data are one record."""

    name_servers = ("bind", "knot")

    def test_in_a_file(self):
        zone = "cases.example"
        text = """
x CNAME a.example.net.
x CNAME A.EXAMPLE.NET.
y A 192.0.2.1
Y A 192.0.2.1
m MX 10 Mail.example.net.
m MX 10 mail.EXAMPLE.net.
m MX 20 mail.example.net.
t TXT "a"
t TXT "A"
"""
        path = self.import_(zone, text)
        self.assert_served(zone, path)
        self.assert_equal_to_all(zone)
        found = self.fleet.cli("record", "list", zone, "m", "--admin")["recordsets"]
        self.assertEqual([sorted(s["records"]) for s in found],
                         [["10 Mail.example.net.", "20 mail.example.net."]])
        self.import_(zone, text)
        again = self.fleet.cli("domain", "import", zone, self.write(zone, text.replace(
            "CNAME a.example", "CNAME a.EXAMPLE")), "--admin")
        self.assertEqual((again["added"], again["deleted"]), (0, 0))

    def test_in_several_parts(self):
        zone = "parts.example."
        opened = self.caller.begin_import(domain={"name": zone})["id"]
        rows = [[zone, 60, "NS", "ns1.example.net."], [f"x.{zone}", 60, "CNAME", "a.example.net."],
                [f"x.{zone}", 60, "CNAME", "A.example.net."],
                [f"x.{zone}", 60, "CNAME", "a.EXAMPLE.net."]]
        for part, row in reversed([*enumerate(rows)]):
            self.caller.add_to_import(**{"import": opened, "part": part, "records": [row]})
        self.caller.commit_import(**{"import": opened})
        self.fleet.wait_for(lambda: self.caller.get_import(**{"import": opened})["state"]
                            in ("DONE", "ERROR"), SECONDS, "the import ends")
        found = self.caller.get_import(**{"import": opened})
        self.assertEqual((found["state"], found["reason"]), ("DONE", ""))
        self.assertEqual(found["result"]["records"], 2)
        self.assertEqual(self.fleet.mariadb.sql(
            "SELECT data FROM records WHERE live = 1 AND data LIKE '%a.example.net.' AND "
            f"domain_id = '{found['result']['domain']}'"), [["a.example.net."]])

    def test_by_a_command(self):
        zone = "command.example"
        self.import_(zone, "x CNAME a.example.net.\n")
        done = self.fleet.cli("record", "add", zone, "x", "CNAME", "A.EXAMPLE.NET.", "--admin")
        self.assertEqual((done["added"], done["unchanged"]), (0, 1))


class Rules(Story):
    """What an RFC forbids is refused when it is written, and the rule has a name."""

    name_servers = ("bind", "knot")

    def fails(self, zone, words, *changes):
        with self.assertRaisesRegex(RemoteError, words):
            self.caller.apply_changes(domain=f"{zone}.", changes=[*changes])

    def add(self, name, rtype, *records):
        return {"op": "add", "name": name, "type": rtype, "records": [*records]}

    def drop(self, name, rtype):
        return {"op": "delete", "name": name, "type": rtype}

    def test_in_a_call(self):
        zone = "call.example"
        self.import_(zone, "x.old A 192.0.2.1\nd DNAME other.example.net.\n")
        digest = "12345 13 2 " + "ab" * 32
        for words, changes in (
                ("RFC 4035 2.4", [self.add(f"{zone}.", "DS", digest)]),
                ("RFC 6672 2.3", [self.add(f"d.{zone}.", "NS", "ns1.example.net.")]),
                ("'x.d.call.example.' cannot have records, because the "
                 "higher name 'd.call.example.'",
                 [self.add(f"x.d.{zone}.", "A", "192.0.2.1")]),
                ("RFC 6672 2.4", [self.add(f"z.y.x.d.{zone}.", "A", "192.0.2.1")]),
                ("'x.old.call.example.' cannot have records, because the "
                 "higher name 'old.call.example.'",
                 [self.add(f"old.{zone}.", "DNAME", "other.example.net.")]),
                ("RFC 6672 2.4", [self.add(f"{zone}.", "DNAME", "other.example.net.")]),
                ("RFC 6672 2.4", [self.add(f"n.{zone}.", "DNAME", "other.example.net."),
                                  self.add(f"x.n.{zone}.", "A", "192.0.2.1")]),
                ("must fit into one DNS message",
                 [self.add(f"big.{zone}.", "TXT", *(f'"{i:0250d}"' for i in range(300)))]),
                ("'foo.call.example.' cannot have NSEC3 records.*RFC 5155 3",
                 [self.add(f"foo.{zone}.", "NSEC3", f"1 0 0 - {'0' * 32} A")]),
                ("RFC 8976 2.2", [self.add(f"{zone}.", "ZONEMD", "1 241 1 " + "ab" * 20)])):
            self.fails(zone, words, *changes)
        # the result counts
        for changes in (
                [self.drop(f"x.old.{zone}.", "A"),
                 self.add(f"old.{zone}.", "DNAME", "other.example.net.")],
                [self.drop(f"d.{zone}.", "DNAME"), self.add(f"x.d.{zone}.", "A", "192.0.2.1")],
                [self.add(f"x\\.old.{zone}.", "A", "192.0.2.1")],
                [self.add(f"delegated.{zone}.", "DS", digest),
                 self.add(f"delegated.{zone}.", "NS", "ns1.example.net.")]):
            done = self.caller.apply_changes(domain=f"{zone}.", changes=changes)
        domain = self.caller.get_domain(domain=f"{zone}.")
        self.caller.settled(domain["id"], serial=done["serial"], seconds=SECONDS)
        self.assert_equal_to_all(zone)

    def test_in_a_file(self):
        for number, (words, text) in enumerate((
                ("cannot have a DS record .RFC 4035 2.4", f"@ DS 40920 13 2 {'ab' * 32}\n"),
                ("both NS and DNAME", "d NS ns1.example.net.\nd DNAME other.example.net.\n"),
                ("'x.d.file[0-9].example.' cannot have records, because a higher name has a DNAME",
                 "d DNAME other.example.net.\nx.d A 192.0.2.1\n"),
                ("because a higher name has a DNAME",
                 "@ DNAME other.example.net.\nx A 192.0.2.1\n"),
                ("do not fit into one DNS message",
                 "".join(f'big TXT "{i:0250d}"\n' for i in range(300))),
                ("RFC 8976 2.2", f"@ ZONEMD 1 241 1 {'ab' * 20}\n"),
                ("RFC 8005 5", "z TYPE55 \\# 4 00000000\n"))):
            with self.subTest(words=words):
                self.assertRegex(self.refused(f"file{number}.example", text), words)
        zone = "good.example"
        path = self.import_(zone, "d DNAME other.example.net.\nx\\.d A 192.0.2.1\n"
                                  "xd A 192.0.2.1\n")
        self.assert_served(zone, path)


SIGNATURE = "20300101000000 20200101000000 1 {zone}. AAAA"


class Signatures(Story):
    """RFC 4034, 3.1.4: an RRSIG record has the TTL of the record set that it covers."""

    name_servers = ("bind", "knot", "nsd")

    def test_each_has_its_own_ttl(self):
        zone = "signed.example"
        signature = SIGNATURE.format(zone=zone)
        text = (f"@ 60 IN A 192.0.2.1\n"
                f"@ 300 IN RRSIG NS 8 2 300 {signature}\n"
                f"@ 60 IN RRSIG A 8 2 60 {signature}\n")
        path = self.import_(zone, text)
        self.assert_served(zone, path)
        self.assert_equal_to_all(zone)
        path = self.import_(zone, text + f"x 600 A 192.0.2.2\nx 600 RRSIG A 8 3 600 {signature}\n")
        self.assert_served(zone, path)
        self.fleet.cli("record", "set", zone, "@", "RRSIG", f"A 8 2 60 {signature}",
                       f"NS 8 2 300 {signature}", "--ttl", "777", "--wait", "--admin")
        self.assert_served(zone, path)
        self.assert_equal_to_all(zone)
        exported = self.folder / "exported.zone"
        self.fleet.cli("domain", "export", zone, exported, "--admin")
        self.assertEqual(without_soa(zone_file(exported, zone)),
                         without_soa(zone_file(path, zone)))


if __name__ == "__main__":
    unittest.main()

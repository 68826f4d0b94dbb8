"""Records that obey the RFCs, but that a kind of name server does not take.

central warns of such a record if the pool has such a server, and the reason of a domain names it.
"""

import shutil
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from story import Caller, LabError, start_fleet                        # noqa: E402

SECONDS = 40
KEY = "512 3 13 AQPSKmynfzW4kyBv015MUG2DeIQ3"
ZONE = """\
$TTL 3600
@ SOA ns1.example.net. hostmaster.example.net. 1 3600 600 86400 300
@ NS ns1.example.net.
"""
WILDCARD = "accepts no NS records at a wildcard name"
MANY = "accepts at most 100 records in a record set"
BESIDE = "accepts no KEY records at a name with a CNAME record"
ALIAS = "accepts no SVCB or HTTPS records with the priority 0 and parameters"
SLASH = ("accepts no zone with / in its name, unless slash_names is true for the server in "
         "backends.nsd (deploy/name-servers.md, NSD 4.6)")
NAMES = "accepts only letters, digits, blanks and -_*./@\\: in names"
LARGE = "sends no record with more than about 16000 octets of data in a zone transfer"
REFUSES = "refuses the whole zone"


class Limits(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="zflimits"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.fleet = cls.enterClassContext(start_fleet(
            cls.folder / "fleet", name_servers=("bind", "knot", "nsd", "powerdns")))
        cls.caller = Caller(cls.fleet.rabbitmq.url)
        cls.addClassCleanup(cls.caller.close)

    def create(self, name):
        self.fleet.cli("domain", "create", name, "--wait")

    def add(self, *arguments):
        """The warnings about a record."""
        return self.fleet.cli("record", "add", *arguments).get("warnings", [])

    def imported(self, name, records, *options):
        """The warnings about the zone file."""
        path = self.folder / f"{name.replace('/', '_')}.zone"
        path.write_text(ZONE + records)
        return self.fleet.cli("domain", "import", name, path, *options).get("warnings", [])

    def explained(self, name, server, cause):
        """Waits until the domain's reason, and the server's, name the record."""
        def is_explained():
            domain = self.fleet.cli("status", name)["domain"]
            rows = {row["id"]: row["reason"] or "" for row in domain["servers"]}
            return (f"; likely cause: {cause}" in rows[server] and
                    f"; likely cause: {cause}" in domain["reason"] and
                    not any("likely cause" in reason for other, reason in rows.items()
                            if other != server))
        self.fleet.wait_for(is_explained, SECONDS, f"{name}: the reason names {cause}")
        self.assertIn(f"; likely cause: {cause}",
                      self.caller.get_domain(domain=f"{name}.")["reason"])

    def is_active(self, name):
        return self.fleet.cli("domain", "show", name)["status"] == "ACTIVE"

    def test_ns_at_a_wildcard(self):
        self.create("wild.example")
        self.assertEqual(self.add("wild.example", "www", "A", "192.0.2.1", "--wait"), [])
        self.assertEqual(self.add("wild.example", "*.w", "NS", "ns1.example.net."), [
            f"'*.w.wild.example. NS': BIND (bind) {REFUSES}, because BIND {WILDCARD}"])
        self.explained("wild.example", "bind", f"'*.w.wild.example. NS': BIND {WILDCARD}")
        self.add("wild.example", "*.v", "NS", "ns1.example.net.")
        self.explained("wild.example", "bind",
                       f"'*.v.wild.example. NS', '*.w.wild.example. NS': BIND {WILDCARD}")
        self.fleet.cli("record", "delete", "wild.example", "*.v", "NS")
        self.explained("wild.example", "bind", f"'*.w.wild.example. NS': BIND {WILDCARD}")
        self.fleet.cli("record", "delete", "wild.example", "*.w", "NS", "--wait")
        self.assertTrue(self.is_active("wild.example"))

    def test_key_beside_a_cname(self):
        self.create("key.example")
        self.assertEqual(self.add("key.example", "k", "KEY", KEY), [])
        self.assertEqual(self.add("key.example", "k", "CNAME", "www.example.net."), [
            f"'k.key.example.': Knot (knot) {REFUSES}, because Knot {BESIDE}"])
        self.explained("key.example", "knot", f"'k.key.example.': Knot {BESIDE}")

    def test_parameters_of_an_alias(self):
        self.create("alias.example")
        self.assertEqual(self.add("alias.example", "a", "HTTPS", "0 b.example.net. alpn=h2"), [
            f"'a.alias.example. HTTPS': PowerDNS (powerdns) {REFUSES}, because PowerDNS {ALIAS}"])
        self.explained("alias.example", "powerdns", f"'a.alias.example. HTTPS': PowerDNS {ALIAS}")

    def test_name_that_a_server_does_not_answer_for(self):
        self.create("plus.example")
        self.assertEqual(self.add("plus.example", "a+b", "A", "192.0.2.1", "--wait"), [
            "'a\\043b.plus.example.': PowerDNS (powerdns) answers queries for this name with "
            f"SERVFAIL, because PowerDNS {NAMES}"])
        self.assertTrue(self.is_active("plus.example"))
        self.assertEqual(self.fleet.powerdns.query("a+b.plus.example.", "A")[0], "SERVFAIL")

    def test_name_of_a_zone_with_a_slash(self):
        warning = f"'x/y.example.': NSD (nsd) does not get the zone, because NSD {SLASH}"
        made = self.fleet.cli("domain", "create", "x/y.example")
        self.assertEqual(made["warnings"], [warning])

        def is_explained():
            reason = self.fleet.cli("status", "x/y.example")["domain"]["reason"]
            return ("nsd: zone not created: NSD makes a file path from the zone name "
                    "'x/y.example.': if the pattern " in reason)
        self.fleet.wait_for(is_explained, SECONDS, "the reason names the zone")
        self.assertEqual(self.imported("x/z.example", ""), [warning.replace("y", "z", 1)])
        with self.assertRaises(LabError) as raised:         # the fleet is not well
            self.fleet.cli("status", "--admin", as_json=False)
        self.assertRegex(str(raised.exception),
                         r"(?m)^x/y\.example\. +ADD +ERROR .*\n(.+\n)*"
                         r"'zonefleet status DOMAIN' shows each server and the likely cause$")

    def test_many_records_in_a_set(self):
        records = "".join(f"m A 192.0.2.{i}\n" for i in range(100))
        self.assertEqual(self.imported("many.example", records), [])
        warned = self.imported("many.example", records + "m A 192.0.2.200\n", "--admin")
        self.assertEqual(warned, [
            f"'m.many.example. A': BIND (bind) {REFUSES}, because BIND {MANY}, unless its option "
            "max-records-per-type allows more"])
        self.explained("many.example", "bind", f"'m.many.example. A': BIND {MANY}")

    def test_import_of_a_new_domain(self):
        """It is on no server yet: BIND answers with SERVFAIL, and PowerDNS with REFUSED."""
        warned = self.imported("new.example", (
            "*.w NS ns1.example.net.\n" f"k CNAME www.example.net.\nk KEY {KEY}\n"
            "a SVCB 0 b.example.net. port=53\na+b A 192.0.2.1\n"
            + "".join(f"t TYPE{1000 + i} \\# 1 00\n" for i in range(101))))
        self.assertEqual([text.split(":")[0] for text in warned], [
            "'*.w.new.example. NS'", "'t.new.example.'", "'k.new.example.'", "'a.new.example. SVCB'",
            "'a\\043b.new.example.'"])

        def is_explained():
            rows = {row["id"]: row["reason"] or ""
                    for row in self.fleet.cli("status", "new.example")["domain"]["servers"]}
            return ("'*.w.new.example. NS'" in rows["bind"] and "'k.new.example.'" in rows["knot"]
                    and "'a.new.example. SVCB'" in rows["powerdns"] and not rows["nsd"])
        self.fleet.wait_for(is_explained, SECONDS, "the reasons name the records")

    def test_record_that_nsd_does_not_transfer(self):
        """NSD serves it, but mini-DNS cannot compare the zone."""
        data = " ".join([f'"{250 * "x"}"'] * 68)
        words = (f"'t.%s.example. TXT': NSD (nsd) serves the zone, but mini-DNS cannot compare its "
                 f"records, because NSD {LARGE}")
        self.assertEqual(self.imported("fat.example", f"t TXT {data}\n"), [words % "fat"])
        self.create("large.example")
        self.assertEqual(self.add("large.example", "t", "TXT", data, "--wait"), [words % "large"])
        self.assertEqual(self.fleet.nsd.query("t.large.example.", "TXT")[0], "NOERROR")
        self.fleet.cli("sync", "large.example", "--deep")
        uncompared = "content not compared: domain=large.example. server=nsd "
        self.fleet.wait_for(lambda: any(uncompared in worker.log.read_text()
                                        for worker in self.fleet.workers), SECONDS, uncompared)

    def test_pool_lists_its_limits(self):
        limits = self.fleet.cli("pool", "show", "--admin")["limits"]
        self.assertEqual({limit["backend"] for limit in limits},
                         {"bind9", "knot", "nsd", "powerdns"})
        self.assertIn({"backend": "bind9", "server": "BIND", "limit": WILDCARD,
                       "effect": REFUSES}, limits)
        shown = self.fleet.cli("pool", "show", "--admin", as_json=False)
        self.assertRegex(shown, rf"(?m)^SERVERS +LIMIT +EFFECT\n(.*\n)*Knot +{BESIDE} +{REFUSES}")
        quiet = self.fleet.cli("pool", "show", "--admin", "--quiet", as_json=False)
        self.assertNotIn(BESIDE, quiet)

    def test_pool_without_such_servers(self):
        self.fleet.cli("pool", "create", "empty", "--ns", "ns1.example.net", "--admin")
        self.assertEqual(self.fleet.cli("pool", "show", "empty", "--admin")["limits"], [])
        self.fleet.cli("domain", "create", "empty.example", "--pool", "empty", "--admin")
        self.assertEqual(self.add("empty.example", "*.w", "NS", "ns1.example.net.", "--admin"),
                         ["no pool manager of pool 'empty' is running"])



if __name__ == "__main__":
    unittest.main()

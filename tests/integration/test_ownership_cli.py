"""The client's `owner` commands, for people and scripts; and the client in docs/ownership.md."""

import json
import lzma
import os
import re
import subprocess
import sys
import threading
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from ownership_lab import REPO, ZONE, Lab, full        # noqa: E402
from lab.fleet import BINARIES, render                 # noqa: E402

GOOD, FAILED, USAGE, NOT_FOUND, IN_ERROR, TIMEOUT = range(6)
ENV = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8"}


def endpoints(wanted):
    """{"www/A": ["192.0.2.1"]} as the file has it."""
    return json.dumps([{"dnsname": full(key), "type": key.split("/")[1], "targets": data}
                       for key, data in wanted.items()])


def hosts(count):
    return {f"h{i}/A": ["192.0.2.1"] for i in range(count)}


class Story(unittest.TestCase):

    zones, text = None, ""

    @classmethod
    def setUpClass(cls):
        cls.lab = Lab(zones=cls.zones, text=cls.text, settings={
            "tenant": "acme", "timeout": 3, "resync_period": 600}).__enter__()
        cls.addClassCleanup(lambda: cls.lab.__exit__(None, None, None))
        cls.config = cls.lab.folder / "client.cfg"
        cls.config.touch(0o600)
        cls.config.write_text(render({"broker": cls.lab.settings["broker"],
                                      "client": {"tenant": "acme"}}))

    def client(self, *words, text=None):
        given = {"stdin": subprocess.DEVNULL} if text is None else {"input": text}
        done = subprocess.run([BINARIES / "zonefleet", *words, "--config", self.config],
                              capture_output=True, text=True, env=ENV, timeout=90,
                              **given)
        return done.returncode, done.stdout, done.stderr

    def good(self, *words, text=None):
        status, out, said = self.client("owner", *words, text=text)
        self.assertEqual((status, said), (GOOD, ""), out)
        return out

    def document(self, *words, text=None):
        return json.loads(self.good(*words, "--json", text=text))

    def apply(self, wanted, *options):
        return self.good("apply", "us", ZONE, "-", *options, text=endpoints(wanted))

    def wait_count(self, count):
        self.lab.wait_for(lambda: len(self.lab.data()) == count, 20, f"{count} are there")


class Commands(Story):
    """What is wanted, and what becomes of it."""

    def tearDown(self):
        for resource in "by-hand", "test/2":
            self.apply({}, "--resource", resource)
        self.good("plan", "us", ZONE)
        self.good("approve", "us", ZONE, "--yes")
        self.lab.nsupdate("update delete theirs.example.org.")
        self.wait_count(0)

    def test_what_a_person_reads(self):
        said = self.apply({"www/A": ["192.0.2.1"], "note/TXT": ['"v=spf1 -all"']})
        self.assertEqual(said, "example.org.: the resource by-hand has 2 endpoints; "
                               "changed endpoints: 2\n")
        self.wait_count(2)
        said = self.apply({"www/A": ["192.0.2.1"], "note/TXT": ['"v=spf1 -all"']})
        self.assertEqual(said, "example.org.: the resource by-hand has 2 endpoints; "
                               "changed endpoints: 0\n")
        self.lab.nsupdate("update add theirs.example.org. 60 A 192.0.2.9")
        self.apply({"theirs/A": ["192.0.2.2"]}, "--resource", "test/2")
        said = self.good("plan", "us", ZONE)
        self.assertRegex(said, r"(?m)^zone +example\.org\.$")
        self.assertRegex(said, r"(?m)^state +OK$")
        self.assertRegex(said, r"(?m)^planned +\d+ s ago$")
        self.assertRegex(said, r"(?m)^record sets of this owner +2$")
        self.assertRegex(said, r"(?m)^NAME +TYPE +STEP +REASON +RESOURCE +RECORDS$")
        self.assertRegex(said, r"(?m)^theirs\.example\.org\. +A +none +UNMANAGED +test/2 "
                               r"+192\.0\.2\.9$")
        self.assertRegex(self.good("list"), r"\ASTORAGE-ID +ZONE +STATE .*\n"
                         r"us +example\.org\. +OK +\d+ +\d+ s ago +-\n\Z")

    def test_what_a_script_reads(self):
        answer = json.loads(self.apply({"www/A": ["192.0.2.1"]}, "--json"))
        self.assertEqual(answer, {"changed": 1, "complete": True, "endpoints": 1})
        plan = self.document("plan", "us", ZONE)
        self.assertEqual((plan["state"], plan["plan"]["held"]), ("OK", 0))
        again = self.document("plan", "us", ZONE)
        self.assertGreater(again["rounds"], plan["rounds"])
        self.assertEqual(again["plan"]["items"], [])

        def drifted():
            """What the command shows; {} if a round of the worker repaired it before."""
            self.lab.nsupdate("update delete www.example.org. A\n"
                              "update add www.example.org. 300 A 192.0.2.66")
            return self.lab.reasons(self.document("plan", "us", ZONE))
        self.assertEqual(self.lab.wait_for(drifted, 20, "it shows the zone as it is"),
                         {"www A": "update DRIFT"})
        zones = self.document("list")["registries"]
        self.assertEqual([(zone["storage_id"], zone["zone"]) for zone in zones],
                         [("us", "example.org.")])

    def test_a_file_and_a_part(self):
        path = self.lab.folder / "wanted.json"
        path.write_text(endpoints(hosts(2)))
        self.good("apply", "us", ZONE, str(path), "--resource", "test/2")
        self.wait_count(2)
        said = self.apply({"h2/A": ["192.0.2.1"]}, "--resource", "test/2", "--partial")
        self.assertEqual(said, "example.org.: the resource test/2 has 3 endpoints; "
                               "changed endpoints: 1\n")
        self.wait_count(3)
        self.apply({"h2/A": ["192.0.2.1"]}, "--resource", "test/2")
        self.wait_count(1)

    def test_what_is_held_is_approved(self):
        self.assertEqual(self.good("approve", "us", ZONE), "no changes are held\n")
        self.apply(hosts(20))
        self.wait_count(20)
        self.assertIn("holds the deletions until you approve them", self.apply({}))
        plan = self.document("plan", "us", ZONE)
        self.assertEqual((plan["state"], plan["plan"]["held"]), ("HELD", 20))
        digest = plan["plan"]["digest"]
        said = self.good("approve", "us", ZONE)
        self.assertRegex(said, rf"(?m)^held +20\ndigest +{digest}$")
        rows = re.findall(r"(?m)^h\d+\.example\.org\. +A +delete, held +UNWANTED "
                          r"+by-hand +192\.0\.2\.1$", said)
        self.assertEqual(len(rows), 20, said)
        self.assertTrue(said.endswith("or use --yes\n"))
        status, out, said = self.client("owner", "approve", "us", ZONE, "0" * 64)
        self.assertEqual((status, out), (FAILED, ""))
        self.assertIn("there is no held plan with the digest", said)
        self.good("plan", "us", ZONE)
        self.assertEqual(len(self.lab.data()), 20)
        self.assertEqual(self.good("approve", "us", ZONE, digest),
                         "approved: the next round makes these changes\n")
        self.wait_count(0)

    def test_all_that_is_shown_is_approved(self):
        self.apply(hosts(20))
        self.wait_count(20)
        self.apply({})
        self.good("plan", "us", ZONE)
        self.assertFalse(self.document("approve", "us", ZONE)["approved"])
        answer = self.document("approve", "us", ZONE, "--yes")
        self.assertEqual((answer["approved"], answer["held"], len(answer["items"])),
                         (True, 20, 20))
        self.wait_count(0)

    def test_errors_and_their_statuses(self):
        cases = (
            (("plan", "us", "example.net"), None, NOT_FOUND, "registries.zones"),
            (("plan", "them", ZONE), None, NOT_FOUND, "storage_id them"),
            (("plan", "us", "a..b"), None, USAGE, "a..b"),
            (("plan", "us", ZONE, "--wait-timeout", "soon"), None, USAGE, "seconds"),
            (("plan", "us", ZONE, "--tenant", "other"), None, NOT_FOUND, "storage_id us"),
            (("list", "--all-tenants"), None, FAILED,
             "only an administrator may list the objects of all tenants"),
            (("plan", "us", ZONE, "--all-tenants"), None, USAGE, "does not accept --all-tenants"),
            (("apply", "us", ZONE, "/nowhere"), None, NOT_FOUND, "/nowhere"),
            (("apply", "us", ZONE, "-"), "", FAILED, "not valid JSON"),
            (("apply", "us", ZONE, "-"), "{}", FAILED, "a list of endpoints"),
            (("apply", "us", ZONE, "-"), "[{}]", FAILED, "endpoints[0]: "),
            (("apply", "us", ZONE, "-", "--resource", "a b"), "[]", FAILED, "resource"),
        )
        for words, text, want, words_said in cases:
            with self.subTest(words=words, text=text):
                status, out, said = self.client("owner", *words, text=text)
                self.assertEqual((status, out), (want, ""), said)
                self.assertIn(words_said, said)
        self.assertEqual(self.document("list", "--tenant", "other"), {"registries": []})
        self.assertEqual(len(self.document("list", "--admin")["registries"]), 1)

    def test_who_answers(self):
        self.assertEqual(self.client("ping", "ownership")[0], GOOD)

    def test_the_client_of_the_document(self):
        text = (REPO / "docs" / "ownership.md").read_text()
        program = re.search(r"(?s)```python\n(import oslo_messaging.*?)```", text)[1]
        for ours, theirs in (("cluster-1", "us"), ("example\"}", "acme\"}")):
            self.assertEqual(program.count(ours), 1)
            program = program.replace(ours, theirs)
        (self.lab.folder / "client.conf").write_text(
            f"[DEFAULT]\ntransport_url = {self.lab.rabbitmq.url}\n"
            "control_exchange = zonefleet\n"
            "[oslo_messaging_rabbit]\namqp_durable_queues = true\n")
        subprocess.run([sys.executable, "-c", program], cwd=self.lab.folder, check=True,
                       timeout=60, capture_output=True)
        self.wait_count(1)
        self.assertEqual(list(self.lab.marks()), ["_own-a.www"])
        self.apply({}, "--resource", "ingress/shop/web")


class Orders(Story):
    """What is ordered to be done with marks."""

    zones = [{"zone": ZONE, "storage_id": "us"}, {"zone": ZONE, "storage_id": "them"},
             {"zone": ZONE, "storage_id": "rows", "storage": "table"}]

    def tearDown(self):
        for storage_id in "us", "them":
            self.good("apply", storage_id, ZONE, "-", text="[]")
            self.good("plan", storage_id, ZONE)
        names = {name for name, _ in self.lab.data()}
        self.lab.nsupdate("".join(f"update delete {name}.{ZONE}.\n" for name in names))
        self.wait_count(0)

    def marks(self):
        """{"_own-a.www": "us"}"""
        return {name: re.search(r"owner=(\w+)", texts[0])[1]
                for name, texts in self.lab.marks().items()}

    def order(self, *words, status=GOOD):
        """What a script reads; with the reason if it is another status."""
        ended, out, said = self.client("owner", *words, "--json")
        self.assertEqual((ended, said), (status, ""), out)
        told = json.loads(out)
        return told["result"] | ({"error": told["error"]} if status else {})

    def test_what_a_person_reads_of_a_transfer(self):
        self.apply({"a.x/A": ["192.0.2.1"], "b.x/A": ["192.0.2.1"], "c/A": ["192.0.2.1"]})
        self.wait_count(3)
        words = "transfer", "us", ZONE, "them", "--name", "x", "--below"
        said = self.good(*words, "--dry-run")
        self.assertRegex(said, r"(?s)\Amatched +2\ndone +0\ndry run +nothing was changed\n\n"
                               r"NAME +TYPE\na\.x\.example\.org\. +A\nb\.x\S+ +A\n\Z")
        self.assertEqual(set(self.marks().values()), {"us"})
        self.assertRegex(self.good(*words), r"\Amatched +2\ndone +2\n\nNAME ")
        self.assertEqual(self.marks(), {"_own-a.a.x": "them", "_own-a.b.x": "them",
                                        "_own-a.c": "us"})
        self.assertRegex(self.good(*words), r"\Amatched +0\ndone +0\n\Z")
        self.assertEqual(self.good("transfer", "us", ZONE, "them", "--all", "-q"),
                         "c.example.org.  A\n")

    def test_what_is_selected(self):
        self.apply({"www/A": ["192.0.2.1"], "www/TXT": ['"x"'], "note/TXT": ['"x"']})
        self.apply({"hook/A": ["192.0.2.1"]}, "--resource", "test/2")
        self.wait_count(4)
        for words, count in ((("--name", "www"), 2), (("--name", f"www.{ZONE}."), 2),
                             (("--name", "www", "--type", "a"), 1), (("--type", "TXT"), 2),
                             (("--resource", "test/2"), 1), (("--name", "w"), 0),
                             (("--name", "@", "--below"), 4), (("--all",), 4)):
            with self.subTest(words):
                result = self.order("release", "us", ZONE, "--dry-run", *words)
                self.assertEqual((result["matched"], len(result["names"])), (count, count))
        self.apply({}, "--resource", "test/2")

    def test_a_release_leaves_the_records(self):
        self.apply({"www/A": ["192.0.2.1"]})
        self.wait_count(1)
        result = self.order("release", "us", ZONE, "--all")
        self.assertEqual(result, {"matched": 1, "done": 1, "refused": {}, "dry_run": False,
                                  "names": ["www.example.org. A"]})
        self.assertEqual((self.marks(), len(self.lab.data())), ({}, 1))

    def test_one_is_adopted(self):
        self.lab.nsupdate("update add www.example.org. 60 A 192.0.2.8\n"
                          "update add www.example.org. 60 A 192.0.2.9")
        one = "adopt", "us", ZONE, "www", "A"
        unwanted = self.order(*one, "192.0.2.8", "192.0.2.9", status=NOT_FOUND)
        self.assertIn("no resource wants the record set", unwanted["error"]["message"])
        self.apply({"www/A": ["192.0.2.1"]})
        status, out, said = self.client("owner", *one, "192.0.2.9")     # not just that
        self.assertEqual(status, FAILED, said)
        self.assertRegex(said, r"\Azonefleet: Refused: .*UNMANAGED 1 "
                               r"\(the zone contains other records .*owner plan")
        self.assertRegex(out, r"\Amatched +1\ndone +0\nrefused +UNMANAGED 1\n\nNAME ")
        refused = self.order(*one, "192.0.2.9", status=FAILED)
        self.assertEqual((refused["refused"], refused["error"]["class"]),
                         ({"UNMANAGED": 1}, "Refused"))
        self.assertEqual(self.marks(), {})
        self.assertEqual(self.order(*one, "192.0.2.9", "192.0.2.8", "--dry-run")["done"], 0)
        self.assertEqual(self.marks(), {})
        self.assertEqual(self.order(*one, "192.0.2.9", "192.0.2.8")["done"], 1)
        self.lab.wait_for(lambda: self.lab.data() == {("www", "A"): ["192.0.2.1"]}, 20,
                          "it is as it is wanted")
        self.assertEqual(self.marks(), {"_own-a.www": "us"})
        self.assertEqual(self.order(*one, "192.0.2.1", status=NOT_FOUND)["matched"], 0)

    def test_what_is_as_wanted_is_adopted(self):
        self.lab.nsupdate("update add a.example.org. 60 A 192.0.2.1\n"
                          "update add b.example.org. 60 A 192.0.2.1\n"
                          "update add c.example.org. 60 A 192.0.2.1\n"
                          "update add d.example.org. 60 A 192.0.2.1")
        self.apply({"a/A": ["192.0.2.1"], "b/A": ["192.0.2.2"]})
        self.apply({"c/A": ["192.0.2.1"]}, "--resource", "test/2")
        self.good("plan", "us", ZONE)
        wanted = "adopt", "us", ZONE, "--wanted"
        self.assertEqual(self.order(*wanted, "--resource", "test/2")["names"],
                         ["c.example.org. A"])
        result = self.order(*wanted, "--dry-run", status=FAILED)
        self.assertEqual((result["matched"], result["done"], result["refused"]),
                         (2, 0, {"UNMANAGED": 1}))
        self.assertIn("would refuse to change some of the 2 selected record sets: UNMANAGED 1 (",
                      result["error"]["message"])
        self.assertEqual(self.order(*wanted, status=FAILED)["done"], 1)
        self.assertEqual(self.marks(), {"_own-a.a": "us", "_own-a.c": "us"})
        self.apply({}, "--resource", "test/2")

    def test_a_name_that_is_shared(self):
        """It is each owner's; and no one of them gives it away alone."""
        for storage_id, target in ("us", "192.0.2.1"), ("them", "192.0.2.2"):
            wanted = [{"dnsname": "www.example.org.", "type": "A", "shared": True,
                       "targets": [target]}]
            self.good("apply", storage_id, ZONE, "-", text=json.dumps(wanted))
            self.good("plan", storage_id, ZONE)
        self.good("plan", "us", ZONE)
        records = "records", "us", ZONE, "--name", "www", "--quiet"
        shown = self.good(*records)
        self.assertRegex(shown, r"\Awww\.example\.org\. +A +(us,them|them,us) +192\.0\.2\.1\n")
        for storage_id, seen in (("us", shown), ("them", shown), ("the", ""), ("", "")):
            self.assertEqual(self.good(*records, "--owner", storage_id), seen)
        self.assertEqual(self.order("release", "us", ZONE, "--all", status=FAILED)["refused"],
                         {"FOREIGN": 1})

    def test_more_than_are_named(self):
        self.apply(hosts(120))
        self.wait_count(120)
        said = self.good("release", "us", ZONE, "--all", "--dry-run")
        self.assertTrue(said.endswith("... and 20 more\n"), said)

    def test_errors_and_their_statuses(self):
        give = "transfer", "us", ZONE, "them"
        take = "adopt", "us", ZONE
        cases = (
            (give, USAGE, "all record sets of STORAGE_ID with --all"),
            (("release", "us", ZONE), USAGE, "all record sets of STORAGE_ID with --all"),
            ((*give, "--below"), USAGE, "--below needs --name"),
            ((*give, "--all", "--below"), USAGE, "--below needs --name"),
            ((*give, "--all", "--type", "A"), USAGE, "leave out"),
            ((*give, "--name", f"www.{ZONE}"), USAGE, "a final dot"),
            ((*give, "--all", "--wait-timeout", "soon"), USAGE, "seconds"),
            ((*give, "--type", "FROB"), FAILED, "FROB"),
            (("transfer", "us", ZONE, "us", "--all"), FAILED, "must differ from"),
            (("transfer", "us", ZONE, "nobody", "--all"), NOT_FOUND, "storage_id nobody"),
            (("transfer", "us", ZONE, "rows", "--all"), FAILED, "differ in: storage"),
            (("release", "us", "example.net", "--all"), NOT_FOUND, "registries.zones"),
            (take, USAGE, "or --wanted"),
            ((*take, "www", "A"), USAGE, "or --wanted"),
            ((*take, "www", "A", "192.0.2.1", "--wanted"), USAGE, "does not accept NAME"),
            ((*take, "www", "A", "192.0.2.1", "--type", "A"), USAGE, "--wanted"),
            ((*take, "www", "A", "192.0.2.256"), FAILED, "TARGET: "),
            ((*take, "www", "CNAME", "host.example"), FAILED, "dot"),
            ((*take, "www", "A", "192.0.2.1"), NOT_FOUND, "cannot adopt"),
        )
        for words, want, words_said in cases:
            with self.subTest(words=words):
                status, _, said = self.client("owner", *words)
                self.assertEqual(status, want, said)
                self.assertIn(words_said, said)


def entry(key, target, owner=""):
    """"www/A" as a record of the document of seed 001."""
    return {"dnsname": full(key).removesuffix("."), "owner": owner, "target": target,
            "type": key.split("/")[1]}


def records_of(document):
    return json.loads(document["data"]["records"])


NS = entry("@/NS", "ns.example.net")


class Documents(Story):
    """Whose the records are, out of the program and back."""

    zones = [{"zone": ZONE, "storage_id": "us", "storage": "table", "max_delete_pct": 100},
             {"zone": ZONE, "storage_id": "others"}]

    def setUp(self):
        self.lab.nsupdate("update add unmanaged.example.org. 60 CNAME loadbalancer2.com.")
        self.good("apply", "others", ZONE, "-", text=endpoints({"bar/A": ["192.0.2.3"]}))
        self.apply({"foo/A": ["192.0.2.1", "192.0.2.2"]})
        self.all = [entry("bar/A", "192.0.2.3", "others"), NS,
                    entry("foo/A", "192.0.2.1", "us"), entry("foo/A", "192.0.2.2", "us"),
                    entry("unmanaged/CNAME", "loadbalancer2.com")]
        self.wait_records(self.all)

    def tearDown(self):
        for storage_id in "us", "others":
            self.good("apply", storage_id, ZONE, "-", text="[]")
            self.good("plan", storage_id, ZONE)
        names = {name for name, _ in self.lab.data()}
        self.lab.nsupdate("".join(f"update delete {name}.{ZONE}.\n" for name in names))
        self.wait_count(0)

    def records(self, *words):
        """But the SOA record."""
        return [record for record in self.document("records", "us", ZONE, *words)["records"]
                if record["type"] != "SOA"]

    def wait_records(self, wanted):
        def are_there():
            self.good("plan", "us", ZONE)
            return sorted(self.records(), key=str) == sorted(wanted, key=str)
        self.lab.wait_for(are_there, 20, f"the records are {wanted}")

    def rows(self, *words):
        """What a person reads, a list of cells for each record."""
        lines = self.good("records", "us", ZONE, *words, "--quiet").splitlines()
        return [line.split(None, 3) for line in lines]

    def test_what_a_person_reads(self):
        said = self.good("records", "us", ZONE)
        self.assertRegex(said, r"\ANAME +TYPE +OWNER +TARGET\n")
        self.assertRegex(said, r"(?m)^foo\.example\.org\. +A +us +192\.0\.2\.1$")
        self.assertRegex(said, r"(?m)^unmanaged\.example\.org\. +CNAME +- +loadbalancer2\.com\.$")
        self.assertRegex(said, rf"\n\n6 of 6 records; serial {self.lab.serial()}, "
                               r"read \d+ s ago\n\Z")
        foo = [["foo.example.org.", "A", "us", f"192.0.2.{i}"] for i in (1, 2)]
        bar = ["bar.example.org.", "A", "others", "192.0.2.3"]
        for words in ("--owner", "us"), ("--name", "foo"), ("--name", f"foo.{ZONE}."):
            self.assertEqual(self.rows(*words), foo)
        self.assertEqual(self.rows("--owner", "others"), [bar])
        self.assertEqual(self.rows("--owner", "other"), [])
        self.assertEqual({row[1] for row in self.rows("--owner", "")},
                         {"SOA", "NS", "CNAME"})
        self.assertEqual(self.rows("--owner", "", "--name", "foo"), [])
        self.assertRegex(self.good("records", "us", ZONE, "--name", "none"),
                         r"\A0 of 6 records; ")

    def test_what_the_seed_shows(self):
        document = json.loads(self.good("export", "us", ZONE))
        self.assertEqual(document, self.document("export", "us", ZONE))
        self.assertEqual(
            {key: value for key, value in document.items() if key != "data"},
            {"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": "us-storage"}})
        self.assertEqual(list(document["data"]), ["records"])
        self.assertEqual(records_of(document),
                         self.document("records", "us", ZONE)["records"])

    def test_a_file_of_it(self):
        path = self.lab.folder / "owners.json"
        self.assertRegex(self.good("export", "us", ZONE, str(path)),
                         rf"\Aexample\.org\. serial \d+: 6 records in {path}\n\Z")
        self.assertEqual(json.loads(path.read_text()), self.document("export", "us", ZONE))
        self.assertEqual(self.document("export", "us", ZONE, str(path))["records"], 6)
        status, _, said = self.client("owner", "export", "us", ZONE, "/nowhere/owners.json")
        self.assertEqual(status, FAILED)
        self.assertIn("Invalid: cannot write /nowhere/owners.json: No such file or directory: "
                      "create the folder first, or give another file\n", said)

    def forget(self):
        for statement in ("DELETE FROM ownership", "DELETE FROM ownership_records",
                          "UPDATE registries SET made = 0, read_at = NULL "
                          "WHERE storage_id = 'us'"):
            self.lab.mariadb.sql(statement)

    def test_a_database_that_was_lost(self):
        document = self.good("export", "us", ZONE)
        self.forget()
        status, out, said = self.client("owner", "export", "us", ZONE)
        self.assertEqual((status, out), (FAILED, ""))
        self.assertIn("has not read example.org. yet: run 'zonefleet owner plan us example.org.'",
                      said)
        self.lab.nsupdate("update add new.example.org. 60 A 192.0.2.9")
        self.good("plan", "us", ZONE)
        self.assertEqual(self.rows("--owner", "us"), [])
        said = self.good("import", "us", ZONE, "-", text=document)
        self.assertRegex(said, r"\Arecord sets of this owner +1\nrecords of other owners +1\n"
                               r"records without an owner +3\nrecords of other zones +0\n"
                               r"unreadable records +0\n")
        self.wait_records([*self.all, entry("new/A", "192.0.2.9")])

    def test_forms_of_a_document(self):
        """A list will do; what is of one set need not stand together there."""
        foo, bar = entry("foo/A", "192.0.2.1", "us"), entry("bar/A", "192.0.2.3", "others")
        dotted = entry("foo/A", "192.0.2.2", "us") | {"dnsname": "FOO.example.org.", "type": "a"}
        strange = entry("foo/A", "lb.example", "us")
        afar = foo | {"dnsname": "foo.org"}
        path = self.lab.folder / "owners.json.xz"
        path.write_bytes(lzma.compress(json.dumps([foo, bar, dotted]).encode()))
        self.forget()
        self.good("plan", "us", ZONE)
        sums = {"claimed": 1, "others": 1, "unmanaged": 0, "outside": 0, "unreadable": 0}
        self.assertEqual(self.document("import", "us", ZONE, str(path)), sums)
        self.wait_records(self.all)
        self.assertEqual(self.document("import", "us", ZONE, "-",
                                       text=json.dumps([strange, bar, afar])),
                         sums | {"claimed": 0, "outside": 1, "unreadable": 1})
        self.assertEqual(self.document("import", "us", ZONE, "-", text="[]"),
                         sums | {"claimed": 0, "others": 0})
        self.wait_records(self.all)

    def test_what_is_no_document(self):
        whole = entry("foo/A", "192.0.2.1", "us")
        path = self.lab.folder / "broken.xz"
        path.write_bytes(lzma.compress(b"[]" + b" " * 1000)[:-20])
        for text, want, words in (
                ("", FAILED, "standard input: line 1: not valid JSON"),
                ("kind: ConfigMap\n", FAILED, "not valid JSON"),
                ("{}", FAILED, "data.records"), ("1", FAILED, "not valid JSON"),
                ('{"data": {"records": "["}}', FAILED, "data.records: line 1: not valid JSON"),
                ('{"data": {"records": "{}"}}', FAILED, "must contain a list"),
                ('{"data": {"records": [1]}}', FAILED, "data.records"),
                ("[1]", FAILED, "records[0]: "),
                (json.dumps([whole, whole | {"ttl": 1}]), FAILED, "records[1]: "),
                (json.dumps([whole | {"owner": None}]), FAILED, "records[0]: "),
                (json.dumps([{"dnsname": "foo"}]), FAILED, "dnsname, owner, target and type"),
                (json.dumps([whole | {"dnsname": "x" * 2000}]), FAILED, "dnsname: must have at most 1004 bytes")):
            with self.subTest(text):
                status, out, said = self.client("owner", "import", "us", ZONE, "-", text=text)
                self.assertEqual((status, out), (want, ""))
                self.assertIn(words, said)
        for words, want, words_said in (
                (("import", "us", ZONE, "/nowhere"), NOT_FOUND, "/nowhere"),
                (("import", "us", ZONE, str(path)), FAILED, "broken.xz: the file is damaged"),
                (("import", "others", ZONE, "-"), FAILED, "only the storage 'table'"),
                (("import", "nobody", ZONE, "-"), NOT_FOUND, "storage_id nobody"),
                (("export", "nobody", ZONE), NOT_FOUND, "storage_id nobody"),
                (("records", "us", ZONE, "--name", f"www.{ZONE}"), USAGE, "a final dot"),
                (("records", "us", ZONE, "--tenant", "other"), NOT_FOUND, "storage_id us")):
            with self.subTest(words):
                status, out, said = self.client("owner", *words, text="[]")
                self.assertEqual((status, out), (want, ""))
                self.assertIn(words_said, said)


class Large(Story):
    """Many pages, and many pieces."""

    count = int(os.environ.get("ZONEFLEET_RECORDS", 20000))
    zones = [{"zone": ZONE, "storage_id": "us", "storage": "table"}]
    text = "".join(f"h{i} A 192.0.2.1\n" for i in range(count))

    def setUp(self):
        self.good("plan", "us", ZONE)

    def test_all_of_it_out_and_in(self):
        document = self.document("export", "us", ZONE)
        records = records_of(document)
        self.assertGreaterEqual(len(records), self.count + 2)
        self.assertEqual(len({str(record) for record in records}), len(records))
        ours = [record | {"owner": "us"} for record in records if record["type"] == "A"]
        document["data"]["records"] = json.dumps(ours)
        sums = self.document("import", "us", ZONE, "-", text=json.dumps(document))
        self.assertEqual((sums["claimed"], sums["unreadable"]), (len(ours), 0))
        self.good("plan", "us", ZONE)                # unwanted and so many: they are held
        self.assertEqual(len(self.document("records", "us", ZONE, "--owner", "us")["records"]),
                         len(ours))

    def test_what_was_sent_before_a_failure(self):
        """Records of a set are in one piece; what cannot be told beforehand ends it."""
        records = [entry(f"h{i}/A", f"192.0.2.{j}", "us") for j in (1, 2) for i in range(3000)]
        records.append(entry("z/A", "192.0.2.1", "us" * 1000))
        status, out, said = self.client("owner", "import", "us", ZONE, "-", "--json",
                                        text=json.dumps(records))
        self.assertEqual((status, said), (FAILED, ""))
        answer = json.loads(out)
        self.assertEqual(answer["claimed"], 2500)
        self.assertRegex(answer["error"]["message"],
                         r"owner: must have at most .*\(5000 of 6001 records are imported")

    def test_an_export_is_of_one_serial(self):
        """The first and the last name change together, and the zone is read all the time."""
        stop = threading.Event()
        self.addCleanup(stop.set)

        def change():
            number = 0
            while not stop.is_set():
                number += 1
                twins = "".join(f"update delete {name}.{ZONE}. TXT\n"
                                f"update add {name}.{ZONE}. 60 TXT {number}\n"
                                for name in ("0first", "zlast"))
                self.lab.nsupdate(twins)
                self.client("owner", "plan", "us", ZONE)
                stop.wait(0.2)
        changer = threading.Thread(target=change)
        changer.start()
        for _ in range(8):
            status, out, said = self.client("owner", "export", "us", ZONE)
            if status == GOOD:
                twins = {record["target"] for record in records_of(json.loads(out))
                         if record["type"] == "TXT"}
                self.assertLessEqual(len(twins), 1)
            else:
                self.assertEqual((status, out), (FAILED, ""))
                self.assertIn("Conflict: the zone example.org. changed 3 times", said)
        stop.set()
        changer.join()


class Away(Story):

    def assert_plan_fails(self, want, words, *options):
        status, out, said = self.client("owner", "plan", "us", ZONE, *options)
        self.assertEqual((status, out), (want, ""), said)
        self.assertRegex(said, rf"\Azonefleet: {words}.*\n\Z")

    def test_a_primary_that_says_nothing(self):
        """There is a deadline; and when the program gave up, its reason is told."""
        self.good("plan", "us", ZONE)
        self.lab.bind.pause()
        self.addCleanup(self.lab.bind.resume)
        self.assert_plan_fails(
            TIMEOUT, r"Timeout: zonefleet-ownership did not plan the changes of example\.org\. within",
            "--wait-timeout", "1")
        self.assert_plan_fails(IN_ERROR, r"InError: example\.org\. is FAILED: \S")
        self.assertRegex(self.good("list"), r"us +example\.org\. +FAILED ")
        status, out, said = self.client("owner", "plan", "us", ZONE, "--json")
        self.assertEqual((status, said), (IN_ERROR, ""))
        self.assertEqual(json.loads(out)["state"], "FAILED")
        self.assertEqual(json.loads(out)["error"]["class"], "InError")
        self.lab.bind.resume()
        self.lab.wait_for(lambda: self.lab.plan()["state"] == "OK", 30,
                          "the zone is kept again")

    def test_an_order_that_has_to_wait(self):
        """It stands, whether its deadline passes or the program tells why it cannot."""
        self.apply({"www/A": ["192.0.2.1"]})
        self.wait_count(1)
        self.lab.bind.pause()
        self.addCleanup(self.lab.bind.resume)
        release = "owner", "release", "us", ZONE, "--all"
        status, out, said = self.client(*release, "--wait-timeout", "1")
        self.assertEqual((status, out), (TIMEOUT, ""), said)
        self.assertRegex(said, r"Timeout: example\.org\.: zonefleet-ownership did not carry out the order "
                               "within .*the order stays open")
        status, out, said = self.client(*release, "--json")
        self.assertEqual((status, said), (IN_ERROR, ""))
        self.assertEqual(json.loads(out)["state"], "OPEN")
        self.assertRegex(json.loads(out)["error"]["message"], "is FAILED: .*the order stays open")
        self.lab.bind.resume()
        self.lab.wait_for(lambda: not self.lab.marks(), 30, "it is done")
        self.assertEqual(len(self.lab.data()), 1)

    def test_nobody_answers(self):
        self.lab.workers[0].stop()
        self.addCleanup(self.lab.workers[0].restart)
        status, out, said = self.client("owner", "list", "--timeout", "2")
        self.assertEqual((status, out), (TIMEOUT, ""))      # its queue is still there
        self.assertIn("check that zonefleet-ownership is running", said)


if __name__ == "__main__":
    unittest.main(verbosity=2)

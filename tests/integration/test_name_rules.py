"""Which names tenants can create: permitted suffixes, and patterns on the blacklist.

Nothing serves the domains: two of central refuse or accept them.
"""

import itertools
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import oslo_messaging as om                                     # noqa: E402
from story import NS, Caller, StoryFleet, run                   # noqa: E402
from holding import holding                                     # noqa: E402
from lab.fleet import BINARIES                                  # noqa: E402

SECONDS = 30
BATCH = 1000
PATTERNS = 100

# every feature of a Public Suffix List
FILE = """\
// This file has the form of the Public Suffix List.
# Lines with a number sign are comments, too.

// ===BEGIN ICANN DOMAINS===

// uk : a suffix with others below it
uk
co.uk   // text behind a blank is not part of it
  org.uk
*.ck
!www.ck
// jp
jp
*.kobe.jp
!city.kobe.jp
// letters outside ASCII, as Unicode and as ASCII
\u0440\u0444
\u516c\u53f8.cn
!\u0447.\u0440\u0444
XN--FIQS8S
uk
// ===END ICANN DOMAINS===
// ===BEGIN PRIVATE DOMAINS===
blogs.example
*.apps.example
// ===END PRIVATE DOMAINS===
after.example
"""
READ = {"uk.", "co.uk.", "org.uk.", "*.ck.", "!www.ck.", "jp.", "*.kobe.jp.", "!city.kobe.jp.",
        "xn--p1ai.", "xn--55qx5d.cn.", "!xn--w1a.xn--p1ai.", "xn--fiqs8s.", "after.example."}
PRIVATE = {"blogs.example.", "*.apps.example."}


def setUpModule():
    global fleet, admin, tenant
    folder = Path(tempfile.mkdtemp(prefix="zfnames"))
    unittest.addModuleCleanup(shutil.rmtree, folder)
    fleet = StoryFleet.start(folder / "fleet", central=2, poolmgr=0, minidns=0, name_servers=(),
                             settings={"central": {"ns_records": [NS], "quota_domains": -1}})
    unittest.addModuleCleanup(fleet.stop)
    admin = Caller(fleet.rabbitmq.url, tenant="operator", admin=True)
    tenant = Caller(fleet.rabbitmq.url, tenant="alice", admin=False)
    for caller in admin, tenant:
        unittest.addModuleCleanup(caller.close)


class Story(unittest.TestCase):

    maxDiff = None
    numbers = itertools.count()

    def setUp(self):
        self.addCleanup(self.clear)

    @staticmethod
    def clear():
        fleet.mariadb.sql("DELETE FROM tlds; DELETE FROM blacklists")

    def fails(self, kind, words, call, **arguments):
        with self.assertRaises(om.RemoteError) as caught:
            call(**arguments)
        self.assertEqual(caught.exception.exc_type, kind, caught.exception.value)
        self.assertIn(words, caught.exception.value)

    def outcome(self, name, caller=None):
        """None, or the class and the words of the refusal."""
        try:
            (caller or tenant).create_domain(domain={"name": name})
            return None
        except om.RemoteError as error:
            return error.exc_type, error.value

    def label(self):
        return f"d{next(self.numbers)}"

    def suffixes(self):
        return {row[0] for row in fleet.mariadb.sql("SELECT name FROM tlds")}


NO_ENTRY = ("Invalid", "domain.name: '{}' is not below a permitted suffix: an administrator adds "
                       "suffixes with 'zonefleet tld add'")
ITSELF = ("Invalid", "domain.name: '{}' is itself a permitted suffix: create a domain below it, "
                     "or ask an administrator to create this domain")


class Suffixes(Story):

    LIST = ["com", "uk", "co.uk", "*.ck", "!www.ck", "jp", "*.kobe.jp", "!city.kobe.jp",
            "xn--p1ai"]

    def test_names(self):
        admin.apply_tlds(add=self.LIST)
        label = self.label()
        cases = ((f"{label}.com.", None), (f"a.{label}.com.", None), (f"{label}.net.", NO_ENTRY),
                 (f"{label}.co.uk.", None), (f"{label}.uk.", None), ("co.uk.", ITSELF),
                 ("x.ck.", ITSELF), (f"{label}.x.ck.", None), ("www.ck.", None),
                 (f"{label}.www.ck.", None), ("kobe.jp.", None), ("x.kobe.jp.", ITSELF),
                 (f"{label}.x.kobe.jp.", None), ("city.kobe.jp.", None),
                 (f"{label}.xn--p1ai.", None), (f"{label}.com.net.", NO_ENTRY),
                 ("0.1.10.in-addr.arpa.", NO_ENTRY), (f"{label}.xcom.", NO_ENTRY))
        for name, want in cases:
            with self.subTest(name=name):
                self.assertEqual(self.outcome(name), want and (want[0], want[1].format(name)))
        for name, want in cases:
            if want:
                self.assertIsNone(self.outcome(name, admin), name)

    def test_an_empty_list_permits_all(self):
        name = f"{self.label()}.whatever."
        self.assertIsNone(self.outcome(name))
        admin.create_tld(tld={"name": "org"})
        self.assertEqual(self.outcome(f"{self.label()}.whatever.")[0], "Invalid")
        # what exists stays, and its tenant goes on
        tenant.update_domain(domain=name, values={"description": "mine"})
        admin.delete_tld(tld="org")
        self.assertIsNone(self.outcome(f"{self.label()}.whatever."))

    def test_the_fixed_names_stay_forbidden(self):
        admin.apply_tlds(add=["*", "in-addr.arpa"])
        for name in ("whatever.", "in-addr.arpa."):
            kind, words = self.outcome(name)
            self.assertEqual(kind, "Forbidden")
            self.assertIn(f"only an administrator may create '{name}'", words)
        self.assertIsNone(self.outcome(f"{self.label()}.arpa."))

    def test_imports(self):
        admin.create_tld(tld={"name": "org"})
        label = self.label()
        self.fails("Invalid", "is not below a permitted suffix", tenant.begin_import,
                   domain={"name": f"{label}.net."})
        opened = tenant.begin_import(domain={"name": f"{label}.org."})["id"]
        rows = [[f"{label}.org.", 300, "SOA", f"ns.{label}.org. a.{label}.org. 7 1 2 3 4"],
                [f"{label}.org.", 300, "NS", NS]]
        tenant.add_to_import(**{"import": opened}, part=0, records=rows)
        # the commit asks again
        admin.apply_tlds(add=["net"], remove=["org"])
        tenant.commit_import(**{"import": opened})

        def ended():
            found = tenant.get_import(**{"import": opened})
            return found["state"] in ("DONE", "ERROR") and found
        found = fleet.wait_for(ended, SECONDS, "the import ends")
        self.assertEqual(found["state"], "ERROR")
        self.assertIn("is not below a permitted suffix", found["reason"])

    def test_methods(self):
        made = admin.create_tld(tld={"name": "Co.UK", "description": "first"})
        self.assertEqual((made["name"], made["description"]), ("co.uk.", "first"))
        self.assertEqual(admin.get_tld(tld=made["id"]), made)
        for name in ("co.uk", "CO.UK."):
            self.assertEqual(admin.get_tld(tld=name), made)
        self.fails("Duplicate", "the suffix co.uk. is already permitted", admin.create_tld,
                   tld={"name": "co.uk."})
        changed = admin.update_tld(tld="co.uk", values={"description": "second"})
        self.assertEqual((changed["id"], changed["description"], changed["created_at"]),
                         (made["id"], "second", made["created_at"]))
        self.assertGreaterEqual(changed["updated_at"], made["updated_at"])
        for bad, words in (("", "tld.name: must not be the root"),
                           ("!uk", "tld.name: an exception"), ("a.*.uk", "tld.name: "),
                           ("a b", "tld.name: "), (None, "tld.name")):
            self.fails("Invalid", words, admin.create_tld, tld={"name": bad})
        self.fails("Invalid", "has no field 'name'", admin.update_tld, tld="co.uk",
                   values={"name": "x"})
        admin.delete_tld(tld=made["id"])
        for call in (admin.get_tld, admin.delete_tld):
            self.fails("NotFound", "the list of permitted suffixes has no entry 'co.uk.'", call,
                       tld="co.uk")

    def test_pages(self):
        names = {f"t{number:04}." for number in range(250)} | {"*.ck.", "!www.ck."}
        admin.apply_tlds(add=sorted(names))
        found, marker = [], None
        while True:
            page = admin.find_tlds(limit=100, marker=marker)
            found += [tld["name"] for tld in page["tlds"]]
            marker = page["marker"]
            if not marker:
                break
        self.assertEqual(found, sorted(names))
        for pattern, want in (("t000*", {f"t000{digit}." for digit in range(10)}),
                              ("*.ck", {"*.ck.", "!www.ck."}), ("\\*.ck", {"*.ck."}),
                              ("t0001", {"t0001."}), ("nothing", set())):
            page = admin.find_tlds(criterion={"name": pattern})
            self.assertEqual({tld["name"] for tld in page["tlds"]}, want, pattern)

    def test_batches(self):
        names = [f"b{number}" for number in range(BATCH)]
        self.assertEqual(admin.apply_tlds(add=names), {"added": BATCH, "removed": 0})
        self.assertEqual(admin.apply_tlds(add=names), {"added": 0, "removed": 0})
        self.assertEqual(admin.apply_tlds(add=["b0", "c", "c."], remove=["b0", "b1", "none"]),
                         {"added": 2, "removed": 2})
        for lists in ({"add": names, "remove": ["b0"]}, {"add": names + ["c"]},
                      {"remove": names + ["c"]}):
            self.fails("Invalid", "add, remove: must have at most 1000 entries together, not 1001",
                       admin.apply_tlds, **lists)
        self.fails("Invalid", "remove[1]: ", admin.apply_tlds, add=["d"], remove=["b2", "a..b"])
        self.assertEqual(len(self.suffixes()), BATCH)
        self.assertEqual(admin.apply_tlds(remove=names), {"added": 0, "removed": BATCH - 1})
        self.assertEqual(self.suffixes(), {"c."})
        self.assertEqual(admin.apply_tlds(), {"added": 0, "removed": 0})

    def test_batches_at_once(self):
        """Callers that change the same entries wait for each other, and none fails."""
        names = [f"r{number}" for number in range(200)]
        with ThreadPoolExecutor(4) as pool:
            done = [pool.submit(admin.client.call, admin.context, "apply_tlds", add=names[::step])
                    for step in (1, -1, 1, -1)]
        self.assertEqual(sum(one.result()["added"] for one in done), len(names))

    def test_the_look_up_uses_the_index(self):
        """With 10 000 entries it reads a row a key."""
        rows = ", ".join(f"('{number:032x}', 'e{number}.example.')" for number in range(10_000))
        fleet.mariadb.sql(f"INSERT INTO tlds (id, name) VALUES {rows}; ANALYZE TABLE tlds")
        sql = fleet.mariadb.sql
        keys = "'a.e7.example.', '*.e7.example.', '!a.e7.example.', 'e7.example.', 'example.'"
        query = (f"SELECT 0, name FROM tlds WHERE name IN ({keys}) "
                 "UNION ALL SELECT 1, MIN(name) FROM tlds")
        plan = sql(f"EXPLAIN {query}")
        self.assertEqual([row[5] for row in plan[:1]], ["tld_name"], plan)
        self.assertIn(plan[0][3], ("range", "const"), plan)
        self.assertIn("optimized away", plan[1][-1], plan)
        read = "SHOW SESSION STATUS LIKE 'Handler_read%'"
        counts = sql(f"FLUSH STATUS; {query}; {read}", administrator=True)
        self.assertLess(sum(int(row[1]) for row in counts if row[0].startswith("Handler_read_")
                            and row[0] != "Handler_read_rnd_next"), 20, counts)
        self.assertIsNone(self.outcome(f"{self.label()}.e7.example."))
        self.assertEqual(self.outcome("e7.example.")[0], "Invalid")


class Patterns(Story):

    def add(self, pattern, **more):
        return admin.create_blacklist(blacklist={"pattern": pattern, **more})

    def test_names(self):
        label = self.label()
        self.add(r"^bank[0-9]*\.")
        self.add("PayPal")
        self.add(r"\.corp\.example\.$")
        admin.create_blacklist(blacklist={"name": "kept.example."})
        for name, pattern in ((f"bank{label[1:]}.example.", r"^bank[0-9]*\."),
                              (f"x{label}paypalx.example.", "PayPal"),
                              (f"{label}.corp.example.", r"\.corp\.example\.$"),
                              (f"bankx{label}.example.", None),
                              (f"{label}.corp.example.net.", None)):
            with self.subTest(name=name):
                self.assertEqual(self.outcome(name), pattern and (
                    "Forbidden", f"domain.name: only an administrator may create {name}: the name "
                                 f"matches '{pattern}' on the blacklist"))
                self.assertIsNone(self.outcome(name, admin) if pattern else None)
        self.assertEqual(self.outcome("x.kept.example.")[1],
                         "domain.name: only an administrator may create x.kept.example.: "
                         "kept.example. is on the blacklist")
        self.fails("Forbidden", "on the blacklist", tenant.begin_import,
                   domain={"name": f"bank1{label[1:]}.example."})

    def test_methods(self):
        made = self.add("^bad", description="first")
        self.assertEqual((made["name"], made["pattern"], made["description"]),
                         (None, "^bad", "first"))
        self.assertEqual(admin.get_blacklist(blacklist=made["id"]), made)
        self.fails("Duplicate", "^bad is already on the blacklist", self.add, pattern="^bad")
        named = admin.create_blacklist(blacklist={"name": "bad.example."})
        self.assertEqual((named["name"], named["pattern"]), ("bad.example.", None))
        found = admin.find_blacklists()["blacklists"]
        self.assertEqual([(one["name"], one["pattern"]) for one in found],
                         [(None, "^bad"), ("bad.example.", None)])
        pages = [admin.find_blacklists(limit=1)]
        pages.append(admin.find_blacklists(limit=1, marker=pages[0]["marker"]))
        self.assertEqual([page["blacklists"][0]["id"] for page in pages], [made["id"], named["id"]])

        changed = admin.update_blacklist(blacklist=made["id"], values={"name": "worse.example."})
        self.assertEqual((changed["name"], changed["pattern"], changed["description"]),
                         ("worse.example.", None, "first"))
        changed = admin.update_blacklist(blacklist=made["id"], values={
            "pattern": "^worst", "description": "second"})
        self.assertEqual((changed["name"], changed["pattern"], changed["description"]),
                         (None, "^worst", "second"))
        self.fails("Duplicate", "bad.example. is already", admin.update_blacklist,
                   blacklist=made["id"], values={"name": "bad.example."})
        for words, values in (
                ("values.pattern: not a valid regular expression: at offset 1: missing closing "
                 "parenthesis", {"pattern": "("}),
                ("values.pattern: an entry must have a name or a pattern, not both",
                 {"pattern": "a", "name": "a."}),
                ("values.name: must not be a wildcard", {"name": "*.a."})):
            self.fails("Invalid", words, admin.update_blacklist, blacklist=made["id"],
                       values=values)
        self.fails("Invalid", "blacklist: must have a name or a pattern", admin.create_blacklist,
                   blacklist={"description": "x"})
        admin.delete_blacklist(blacklist=made["id"])
        for call, more in ((admin.get_blacklist, {}), (admin.update_blacklist, {"values": {}})):
            self.fails("NotFound", "the blacklist has no entry", call, blacklist=made["id"], **more)

    def test_refused_patterns(self):
        for pattern, words in ((r"(a)\1", r"must not contain a back-reference, but has \1"),
                               ("(?R)", "a recursion"), ("", "1 to 255 characters"),
                               ("a" * 256, "blacklist.pattern: "),
                               ("\u00fc", "only printable ASCII"),
                               ("(a?){200}", "PCRE2 cannot search a text of 255 octets"),
                               # the speed decides whether the time or PCRE2 ends the search
                               ("(?=.*a(?=.*a(?=.*b)))", "write a simpler pattern")):
            self.fails("Invalid", words, self.add, pattern=pattern)

    def test_the_largest_number(self):
        for number in range(PATTERNS):
            made = self.add(f"^p{number}x")
        self.fails("OverQuota", "blacklist.pattern: the blacklist already has 100 patterns",
                   self.add, pattern="one more")
        admin.create_blacklist(blacklist={"name": "names.example."})
        other = admin.create_blacklist(blacklist={"name": "other.example."})
        self.fails("OverQuota", "values.pattern: the blacklist already has 100 patterns",
                   admin.update_blacklist, blacklist=other["id"], values={"pattern": "one more"})
        admin.update_blacklist(blacklist=made["id"], values={"pattern": "another"})
        admin.delete_blacklist(blacklist=made["id"])
        self.add("one more")

    def test_the_last_place_is_taken_once(self):
        """A creation waits for one that has not committed yet."""
        rows = ", ".join(f"('{number:032x}', 'p{number}')" for number in range(PATTERNS - 1))
        fleet.mariadb.sql(f"INSERT INTO blacklists (id, pattern) VALUES {rows}")
        last = f"INSERT INTO blacklists (id, pattern) VALUES ('{PATTERNS:032x}', 'last')"
        with holding(fleet.mariadb, last):
            self.fails("Busy", "another transaction is changing the blacklist", self.add,
                       pattern="late")
        callers = [Caller(fleet.rabbitmq.url, tenant="operator") for _ in range(4)]
        with ThreadPoolExecutor(4) as pool:
            done = [pool.submit(caller.create_blacklist, blacklist={"pattern": f"last{number}"})
                    for number, caller in enumerate(callers)]
        refused = [one.exception().exc_type for one in done if one.exception()]
        for caller in callers:
            caller.close()
        self.assertEqual(refused, ["OverQuota"] * 3)

    def insert(self, patterns):
        """Of patterns that an administrator could not add."""
        rows = ", ".join(f"('{number:032x}', '{pattern}')"
                         for number, pattern in enumerate(patterns))
        fleet.mariadb.sql(f"INSERT INTO blacklists (id, pattern) VALUES {rows}")

    def test_time(self):
        """A search that takes too long refuses the name, soon, and the log says why."""
        name = ".".join(["a" * 63] * 3 + ["a" * 40]) + "."
        for patterns in (["(?=.*a(?=.*a(?=.*a(?=.*[bc]))))"],
                         [f"{number}|.+[bc].+[de].+[fg]" for number in range(PATTERNS)]):
            self.insert(patterns)
            self.assertIsNone(self.outcome(f"hh{'h' * next(self.numbers)}.example."))
            started = time.monotonic()
            kind, words = self.outcome(name)
            self.assertLess(time.monotonic() - started, 2)      # of a busy machine
            self.assertEqual(kind, "Forbidden", words)
            self.clear()
        self.assertRegex(fleet.logs(), 'blacklist pattern stopped: pattern=.* '
                                       'reason="the search takes too long"')

    def test_a_pattern_that_no_longer_compiles(self):
        fleet.mariadb.sql(f"INSERT INTO blacklists (id, pattern) VALUES ('{1:032x}', '(')")
        self.assertEqual(self.outcome(f"{self.label()}.example.")[0], "Forbidden")
        self.assertIsNone(self.outcome(f"{self.label()}.example.", admin))


class Client(Story):

    def setUp(self):
        super().setUp()
        self.folder = Path(tempfile.mkdtemp(prefix="zfnames"))
        self.addCleanup(shutil.rmtree, self.folder)

    def cli(self, *words, **options):
        return fleet.cli(*words, "--admin", **options)

    def refused(self, *words):
        """What the client says."""
        with self.assertRaises(Exception) as caught:
            run([BINARIES / "zonefleet", "--config", fleet.config, *words, "--admin"],
                seconds=SECONDS)
        return str(caught.exception)

    def write(self, text, name="suffixes"):
        path = self.folder / name
        path.write_text(text)
        return path

    def listed(self):
        return {tld["name"] for tld in self.cli("tld", "list")["tlds"]}

    def test_suffixes(self):
        self.assertEqual(self.cli("tld", "add", "*.ck", "--description", "new")["name"], "*.ck.")
        self.cli("tld", "add", "\u0440\u0444")
        self.assertEqual(self.listed(), {"*.ck.", "xn--p1ai."})
        text = self.cli("tld", "list", "*.ck", as_json=False)
        self.assertRegex(text, r"\ANAME +CREATED +DESCRIPTION\n\*\.ck\. +\S+ +new\n\Z")
        self.assertIn("a..b", self.refused("tld", "add", "a..b"))
        self.assertIn("is already permitted", self.refused("tld", "add", "*.ck"))
        self.cli("tld", "delete", "\u0440\u0444")
        tld, = self.cli("tld", "list")["tlds"]
        self.cli("tld", "delete", tld["id"])
        self.assertIn("has no entry '*.ck.'", self.refused("tld", "delete", "*.ck"))

    def test_import(self):
        path = self.write(FILE)
        want = {"read": len(READ), "added": len(READ), "removed": 0, "unchanged": 0}
        self.assertEqual(self.cli("tld", "import", path, "--dry-run"), want | {"dry_run": True})
        self.assertEqual(self.listed(), set())
        self.assertEqual(self.cli("tld", "import", path), want | {"dry_run": False})
        self.assertEqual(self.listed(), READ)
        self.assertEqual(self.cli("tld", "import", path, as_json=False),
                         f"read {len(READ)} suffixes, added 0, removed 0, unchanged {len(READ)}\n")
        self.cli("tld", "import", path, "--private")
        self.assertEqual(self.listed(), READ | PRIVATE)
        self.cli("tld", "add", "extra")
        answer = self.cli("tld", "import", path, "--replace", "--dry-run")
        self.assertEqual((answer["added"], answer["removed"]), (0, 3))
        self.assertEqual(self.listed(), READ | PRIVATE | {"extra."})
        answer = self.cli("tld", "import", path, "--replace")
        self.assertEqual((answer["added"], answer["removed"], answer["unchanged"]),
                         (0, 3, len(READ)))
        self.assertEqual(self.listed(), READ)
        self.assertIsNone(self.outcome(f"{self.label()}.org.uk."))
        self.assertEqual(self.outcome(f"{self.label()}.blogs.example.")[0], "Invalid")

    def test_import_of_many(self):
        names = [f"m{number}" for number in range(2 * BATCH + 500)]
        path = self.write("\n".join(names))
        self.assertEqual(self.cli("tld", "import", path)["added"], len(names))
        path = self.write("\n".join(names[BATCH + 100:] + ["other"]))
        answer = self.cli("tld", "import", path, "--replace")
        self.assertEqual((answer["added"], answer["removed"]), (1, BATCH + 100))
        self.assertEqual(len(self.suffixes()), BATCH + 401)

    def test_a_dry_run_refuses_what_the_import_refuses(self):
        for text in "!abc\n", "*.*.q\n", "org\n!*.q\n":
            path = self.write(text)
            for options in ((), ("--dry-run",)):
                with self.subTest(text=text, options=options):
                    self.assertIn(f"suffixes:{text.count(chr(10))}: ",
                                  self.refused("tld", "import", path, *options))
        self.assertEqual(self.listed(), set())

    @staticmethod
    def stored():
        return int(fleet.mariadb.sql("SELECT COUNT(*) FROM tlds")[0][0])

    def test_import_that_does_not_end(self):
        """It permits too many names. The next import of the file puts this right."""
        names = [f"m{number}" for number in range(20 * BATCH)]
        with subprocess.Popen([BINARIES / "zonefleet", "--config", fleet.config, "--admin",
                               "tld", "import", self.write("\n".join(names))]) as client:
            fleet.wait_for(lambda: self.stored() > BATCH, SECONDS, "the second batch is there")
            client.kill()
        self.assertLess(self.stored(), len(names))
        guard, = (tld for tld in admin.find_tlds(criterion={"name": "\\*"})["tlds"])
        self.assertEqual((guard["name"], guard["description"]),
                         ("*.", "until an import of 'tld import' is complete"))
        self.assertIsNone(self.outcome(f"{self.label()}.whatever."))
        self.assertEqual(self.cli("tld", "import", self.write("\n".join(names)))["removed"], 0)
        self.assertEqual(self.suffixes(), {f"{name}." for name in names})
        self.assertEqual(self.outcome(f"{self.label()}.whatever.")[0], "Invalid")

    def test_import_of_many_with_a_star(self):
        """The `*` of the file, and that of an administrator, stay."""
        names = [f"m{number}" for number in range(BATCH + 500)] + ["*"]
        path = self.write("\n".join(names))
        for options in (), ("--replace",):
            self.clear()
            want = {"read": len(names), "added": len(names), "removed": 0, "unchanged": 0}
            for more in ("--dry-run",), ():
                self.assertEqual(self.cli("tld", "import", path, *options, *more),
                                 want | {"dry_run": bool(more)})
            self.assertEqual(self.suffixes(), {f"{name}." for name in names})
            self.assertEqual(admin.get_tld(tld="*")["description"], "")
        answer = self.cli("tld", "import", self.write("\n".join(names[:-1])))
        self.assertEqual((answer["added"], answer["removed"]), (0, 0))
        self.assertIn("*.", self.suffixes())

    def test_files_that_are_refused(self):
        self.cli("tld", "add", "kept")
        for text, words in (("org\n\nco..uk\n", ":3: "),
                            ("org\n# x\n!uk\n", ":3: an exception must"),
                            ("org\na.*.b\n", ":2: "), ("\n" * 1200 + "!uk", ":1201: an exception"),
                            ("org\n" + "x" * 5000 + "\n",
                             ":2: a line must have at most 4096 octets, not 5000"),
                            ("org\n\0com\n",
                             "suffixes: must be a text file, but contains a NUL byte"),
                            ("// only\n", "must contain a suffix")):
            path = self.write(text)
            said = self.refused("tld", "import", path, "--replace")
            self.assertIn(f"{path}{words}" if words[0] == ":" else words, said)
        self.assertEqual(self.suffixes(), {"kept."})
        self.assertIn("cannot read", self.refused("tld", "import", self.folder / "nothing"))

    def test_blacklist(self):
        self.cli("blacklist", "add", "--pattern", r"^ns[0-9]*\.", "--description", "ours")
        self.cli("blacklist", "add", "kept.example")
        text = self.cli("blacklist", "list", as_json=False)
        self.assertRegex(text, r"NAME +PATTERN +CREATED +DESCRIPTION\n"
                               r"- +\^ns\[0-9\]\*\\\. +\S+ +ours\nkept\.example\. +- +\S+ *\n")
        self.assertIn("either NAME or --pattern", self.refused("blacklist", "add"))
        self.assertIn("either NAME or --pattern",
                      self.refused("blacklist", "add", "a.example", "--pattern", "x"))
        self.assertIn("missing closing parenthesis",
                      self.refused("blacklist", "add", "--pattern", "("))
        changed = self.cli("blacklist", "set", r"^ns[0-9]*\.", "--pattern", "^ns")
        self.assertEqual((changed["pattern"], changed["description"]), ("^ns", "ours"))
        named = self.cli("blacklist", "set", "kept.example", "--description", "no")
        self.assertEqual((named["name"], named["description"]), ("kept.example.", "no"))
        self.assertIn("give a value to change", self.refused("blacklist", "set", "^ns"))
        self.assertEqual(self.cli("blacklist", "delete", "^ns"), {"name": None, "pattern": "^ns"})
        self.cli("blacklist", "delete", named["id"])
        self.assertIn("is not on the blacklist", self.refused("blacklist", "delete", "^ns"))


if __name__ == "__main__":
    unittest.main()

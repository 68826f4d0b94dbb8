"""Which names tenants may create: patterns on the blacklist.

Nothing serves the domains: two of central refuse or accept them.
"""

import itertools
import shutil
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
PATTERNS = 100


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
        fleet.mariadb.sql("DELETE FROM blacklists")

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
        self.fails("Invalid", "blacklist.name: must be set", admin.create_blacklist,
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
                               ("(?=.*a(?=.*a(?=.*b)))", "may take at most 10000 us")):
            self.fails("Invalid", words, self.add, pattern=pattern)

    def test_the_largest_number(self):
        for number in range(PATTERNS):
            made = self.add(f"^p{number}x")
        self.fails("OverQuota", "already has 100 patterns", self.add, pattern="one more")
        admin.create_blacklist(blacklist={"name": "names.example."})
        other = admin.create_blacklist(blacklist={"name": "other.example."})
        self.fails("OverQuota", "already has 100 patterns", admin.update_blacklist,
                   blacklist=other["id"], values={"pattern": "one more"})
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

    def cli(self, *words, **options):
        return fleet.cli(*words, "--admin", **options)

    def refused(self, *words):
        """What the client says."""
        with self.assertRaises(Exception) as caught:
            run([BINARIES / "zonefleet", "--config", fleet.config, *words, "--admin"],
                seconds=SECONDS)
        return str(caught.exception)

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

"""Bad settings, bad command lines and bad files for the programs.

A program says what is wrong, and ends. A program that runs already keeps the settings that it has.
The fleet has a Knot. CI also runs this with programs that are compiled with ASan and UBSan.
"""

import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from story import BINARIES, start_fleet, wait_for       # noqa: E402

CENTRAL, POOLMGR, MINIDNS, OWNERSHIP, PORTS, ROUTES, CLIENT = (
    "zonefleet-central", "zonefleet-poolmgr", "zonefleet-minidns", "zonefleet-ownership",
    "zonefleet-ports", "zonefleet-routes", "zonefleet")
GOOD, FAILED, USAGE, NOT_FOUND = range(4)
EX_CONFIG = 78
# what reads the settings and does no more, and how it ends if they are bad
CHECK = {CENTRAL: (["--check"], EX_CONFIG), POOLMGR: (["--check"], EX_CONFIG),
         MINIDNS: (["--check"], EX_CONFIG), OWNERSHIP: (["--check"], EX_CONFIG),
         PORTS: (["--check"], EX_CONFIG), ROUTES: (["--check"], EX_CONFIG),
         CLIENT: (["ping", "--timeout", "1"], USAGE)}
SECRET = "open-sesame"


def setUpModule():
    global folder, fleet
    folder = Path(tempfile.mkdtemp(prefix="zfoperator"))
    unittest.addModuleCleanup(shutil.rmtree, folder)
    fleet = unittest.enterModuleContext(start_fleet(
        folder / "fleet", central=1, poolmgr=1, minidns=1, name_servers=("knot",),
        settings={"broker": {"max_message_bytes": 1024 * 1024}, "central": {"sweep": 86400},
                  "poolmgr": {"poll_timeout": 20, "periodic_sync_interval": 86400}}))


def run(program, *words, text=None):
    """(exit status, standard output, standard error), the latter two in octets."""
    given = {"stdin": subprocess.DEVNULL} if text is None else {"input": text}
    done = subprocess.run([BINARIES / program, *words], capture_output=True, timeout=60,
                          cwd=folder, env={**os.environ, "LC_ALL": "C.UTF-8"}, **given)
    return done.returncode, done.stdout, done.stderr


class Story(unittest.TestCase):

    def assert_words(self, program, said, lines=1):
        """They name the program, are few, and have nothing that a terminal would obey."""
        text = said.decode()
        self.assertRegex(text, rf"\A{program}: \S")
        self.assertTrue(text.endswith("\n") and text.count("\n") <= lines, text[:2000])
        self.assertTrue(text.replace("\n", "").isprintable(), text[:2000])
        self.assertLess(len(text), 2000)


# ---- settings ----

def settings(program):
    """(groups, key) of all that its sample has."""
    groups = []
    for line in map(str.strip, run(program, "--sample")[1].decode().splitlines()):
        if opened := re.fullmatch(r"(\w+): \{", line):
            groups.append(opened[1])
        elif line == "};":
            groups.pop()
        elif given := re.fullmatch(r"(# )?(\w+) = .*;", line):
            yield tuple(groups), given[2]


def rendered(groups, key, value):
    opening = "".join(f"{group}: {{ " for group in groups)
    return f"{opening}{key} = {value}; {'}; ' * len(groups)}".encode()


# No setting takes these, whatever its type; but a password may be long.
VALUES = "{ x = 1; }", '"' + "x" * 70_000 + '"'


def broken_files():
    """Octets that are no settings."""
    noise = random.Random(7)
    whole = f'broker: {{ url = "rabbit://u:{SECRET}@h/"; }};\nlog: {{ syslog = true; }}'
    parts = (whole[:end] for end in range(1, len(whole), 2))
    yield from (part.encode() for part in parts if not part.rstrip(";\n").endswith("}"))
    yield from (bytes(noise.randrange(1, 256) for _ in range(300)) for _ in range(10))
    yield from (b"a" + opening * 20_000 for opening in (b":{a", b"=(", b"=[", b'="', b"/*"))
    yield from (b"broker: { x = 1; };", b"nothing: { };", b"\0", b'log: { level = "\0"; };',
                b'@include "zonefleet.cfg"', b"log: { syslog = 99999999999999999999; };",
                b'log: { level = "\x1b[2J"; };', b"x" * (1 << 21))


class Settings(Story):
    """What a program makes of them before it does anything else."""

    def setUp(self):
        self.config = folder / "zonefleet.cfg"
        self.config.touch(0o600)

    def assert_refused(self, program, octets):
        self.config.write_bytes(octets)
        words, refused = CHECK[program]
        status, out, said = run(program, *words, "--config", self.config)
        self.assertEqual((status, out), (refused, b""), octets[:200])
        self.assert_words(program, said)
        self.assertRegex(said, rb"zonefleet\.cfg|log\.level")
        self.assertNotIn(SECRET.encode(), said)

    def test_values(self):
        seen = set()
        for program in CHECK:
            for groups, key in set(settings(program)) - seen:
                seen.add((groups, key))
                for value in VALUES[:-1] if key == "password" else VALUES:
                    with self.subTest(groups=groups, key=key, value=value[:40]):
                        self.assert_refused(program, rendered(groups, key, value))

    def test_files(self):
        """All workers read them by the same code."""
        for program in CENTRAL, CLIENT:
            for octets in broken_files():
                with self.subTest(program=program, octets=octets[-40:]):
                    self.assert_refused(program, octets)

    def test_what_is_no_file(self):
        for program, (words, refused) in CHECK.items():
            for path in folder, "/dev/zero", "nowhere", "", "\x1b[2J", "x" * 5000:
                status, out, said = run(program, *words, "--config", path)
                self.assertEqual((status, out), (refused, b""), path)
                self.assert_words(program, said)


class Reload(Story):

    def test_bad_settings_are_not_taken(self):
        before = fleet.processes()
        for octets in list(broken_files())[::9]:
            for worker in fleet.workers:
                self.reload(worker, octets)
        # there is one more for a moment, which tries the settings out
        fleet.wait_for(lambda: fleet.processes() == before, 20, "nobody came, nobody went")
        self.assertTrue(all(worker.is_ready() for worker in fleet.workers))

    def reload(self, worker, octets):
        kept = worker.log.read_text().count("settings kept")
        worker.config.write_bytes(octets)
        worker.reload()
        wait_for(lambda: worker.log.read_text().count("settings kept") > kept, 20,
                 f"{worker.name} keeps its settings", [worker.log])


# ---- the client ----

class Bad(str):
    """A word of a command line that each bad word takes the place of."""


class Some(Bad):
    """One that may be empty."""


LONG = b"x" * 70_000
WORDS = (b"", LONG, b"\x1b[2J\n.", b"h\xc3", b"%s%n%99999d")
ZONE = "d.example."
COMMANDS = (
    ["domain", "create", Bad("new.example.")],
    ["domain", "create", "new.example.", "--ttl", Bad("5m")],
    ["domain", "create", "new.example.", "--email", Bad("dns@example.org")],
    ["domain", "create", "new.example.", "--primary", Bad("ns.example.net")],
    ["domain", "create", "new.example.", "--ns", Some("ns.example.net")],
    ["domain", "create", "new.example.", "--pool", Bad("default")],
    ["domain", "list", "--limit", Bad("5")],
    ["domain", "list", "--status", Bad("ACTIVE")],
    ["domain", "list", "--sort", Bad("name")],
    ["domain", "show", Bad(ZONE)],
    ["domain", "set", Bad(ZONE), "--ttl", "5m"],
    ["domain", "set", ZONE, "--minimum", Bad("5m")],
    ["domain", "delete", Bad(ZONE)],
    ["domain", "import", Bad(ZONE), "zone"],
    ["domain", "import", ZONE, Bad("zone")],
    ["domain", "export", Bad(ZONE)],
    ["record", "add", Bad(ZONE), "w", "A", "192.0.2.1"],
    ["record", "add", ZONE, "w", Bad("A"), "192.0.2.1"],
    ["record", "add", ZONE, "w", "A", Bad("192.0.2.1")],
    ["record", "list", Bad(ZONE)],
    ["record", "list", ZONE, "--type", Bad("A")],
    ["record", "set", ZONE, "w", "MX", Bad("10 mail.example.")],
    ["record", "delete", ZONE, "w", Bad("A")],
    ["record", "apply", ZONE, Bad("changes")],
    ["pool", "show", Bad("default")],
    ["pool", "create", Bad("new")],
    ["pool", "set", Bad("default"), "--ns", "ns.example.net"],
    ["blacklist", "add", Bad("bad.example.")],
    ["blacklist", "set", Bad("bad.example."), "--description", "worse"],
    ["blacklist", "delete", Bad("bad.example.")],
    ["tld", "add", Bad("example.")],
    ["tld", "delete", Bad("example.")],
    ["tld", "import", Bad("suffixes")],
    ["quota", "set", "t", Bad("domains"), "9"],
    ["quota", "set", "t", "domains", Bad("9")],
    ["status", Bad(ZONE)],
    ["watch", Bad(ZONE), "--wait-timeout", "1"],
    ["ping", "--timeout", Bad("1")],
    ["completion", Bad("bash")],
    ["help", Bad("ping")],
)

SOA = b"@ 600 SOA ns.d.example. dns.d.example. 7 1 1 1 1\n@ 600 NS ns.example.net.\n"
FILES = {
    "suffixes": (b"", b"// nothing\n\n# at all\n", b"\0" * 1000, b"\xff" * 1000, b"(" * 100_000,
                 b"org\n" + LONG, b"org\na..b\n", b"org\n!\n", b"org\n\x1b[2J\n",
                 b"// ===BEGIN PRIVATE DOMAINS===\norg\n", b"org\n!ck\n", b"org\na.*.b\n",
                 b"a" * 64 + b".org\n", b"x." * 200 + b"\n"),
    "import": (b"", b"\0" * 1000, b"\xff" * 1000, b"(" * 100_000, b'"', SOA + b'w 60 TXT "',
               SOA + b"w 60 TXT (\n", SOA + b"w 60 A 192.0.2.1 192.0.2.2\n", SOA + b"w 60 A\n",
               SOA + b"$INCLUDE /etc/passwd\n", SOA + b"$ORIGIN a..b.\nw 60 A 192.0.2.1\n",
               SOA + b"$GENERATE 1-999999999 w$ A 192.0.2.1\n", SOA + b"$TTL -1\n",
               SOA + b"w 99999999999 A 192.0.2.1\n", SOA + LONG + b" 60 A 192.0.2.1\n",
               SOA + b"w 60 TYPE65280 \\# 70000 00\n", SOA + b"w 60 CH A 192.0.2.1\n",
               SOA + b"w 60 TXT " + LONG * 30, SOA + b"w 60 \xff 192.0.2.1\n",
               SOA + b"h\xc3 60 A 192.0.2.1\n", SOA + b"w 60 A \xff\n"),
    "apply": (b"[", b"{}", b"null", b"[" * 20_000, b'[{"op": "add"}]', b"[7]", b'["\xff"]',
              b"[{}" + b",{}" * 6000 + b"]", b"add\n", b"frob w 60 A 192.0.2.1\n", b"\0\n",
              b"delete @ 600 NS \xff\n", b"add w 60 TXT h\xc3\n", b"add w 60 \xff x\n",
              b"add w x A 192.0.2.1\n", b"add w 60 A\n", b"add w 60 A x\n", b"\xff\xfe\n",
              b"add " + LONG + b" 60 A 192.0.2.1\n", b"add w 60 TXT " + LONG * 30),
}


class Client(Story):
    """Refused on the way or by central: the database stays as it was, but for what is known
    of imports that were cancelled."""

    @classmethod
    def setUpClass(cls):
        fleet.cli("domain", "create", ZONE, "--wait")
        (folder / "zone").write_bytes(SOA)
        (folder / "changes").write_bytes(b"add w 60 A 192.0.2.1\n")

    def setUp(self):
        self.stored = fleet.stored()

    def tearDown(self):
        changed = fleet.changed_since(self.stored)
        self.assertLessEqual(changed.keys(), {"zonefleet.imports", "zonefleet.requests"})
        going_on = fleet.mariadb.sql("SELECT id FROM imports WHERE state <> 'ERROR'")
        self.assertEqual(going_on, [])

    def assert_refused(self, *words, text=None):
        words = "--config", fleet.config, "--admin", *words
        status, out, said = run(CLIENT, *words, text=text)
        self.assertIn(status, (FAILED, USAGE, NOT_FOUND), said)
        self.assertEqual(out, b"")
        self.assert_words(CLIENT, said, lines=2)

    def test_words(self):
        for command in COMMANDS:
            may_be_empty = any(isinstance(good, Some) for good in command)
            for word in WORDS[may_be_empty:]:
                words = [word if isinstance(good, Bad) else good for good in command]
                with self.subTest(command=command, word=word[:20]):
                    self.assert_refused(*words)

    def test_files(self):
        for text in FILES["import"]:
            with self.subTest(text=text[-60:]):
                self.assert_refused("domain", "import", ZONE, "-", text=text)
        for text in FILES["suffixes"]:
            with self.subTest(text=text[-60:]):
                self.assert_refused("tld", "import", "-", text=text)
        for text in FILES["apply"]:
            with self.subTest(text=text[-60:]):
                self.assert_refused("record", "apply", ZONE, "-", text=text)


if __name__ == "__main__":
    unittest.main()

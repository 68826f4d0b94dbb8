"""Zone files of every directive, type and oddity: each is served as BIND reads it, or refused.

tests/corpus/NAME.zone is imported as the domain NAME.example. What mini-DNS and the four kinds of
name server then serve equals what named-compilezone reads, but for the serial. A file of the same
name with the suffix .expected, if there is one, says instead what they serve. Comments in a file:
  ; refused: LINE: WORDS    is refused, with this line and these words in the error;
                            LINE is "-" if the error names the file only
  ; not for powerdns: WHY   this server serves other records, or refuses the zone
  ; unlike BIND: WHY        named-compilezone refuses what is served, or reads what is refused
  ; warned: WORDS           a warning of the import has these words
  ; options: OPTION...      of the import
"""

import contextlib
import os
import re
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "deploy"))
sys.path.insert(0, str(ROOT / "tests" / "support"))

from story import start_fleet
from lab.dns import axfr, canonical, zone_file
from lab.fleet import BINARIES
from lab.process import LabError, program, wait_for

CORPUS = ROOT / "tests" / "corpus"
NAME_SERVERS = ("bind", "knot", "nsd", "powerdns")
# what follows the name of a mark
MARKS = {
    "refused": re.compile(r"(\d+|-): (\S.*)"),
    "not for": re.compile(rf"({'|'.join(NAME_SERVERS)}): \S.*"),
    "unlike BIND": re.compile(r"(\S.*)"),
    "warned": re.compile(r"(\S.*)"),
    "options": re.compile(r"(--\S.*)"),
}
MARK = re.compile(rf"^; ({'|'.join(MARKS)})(?:: | )(.*)$", re.M)
HEAD = """\
$TTL 3600
@ SOA ns1.example.net. hostmaster.example.net. 1 3600 600 86400 300
@ NS ns1.example.net.
"""
# Do the checkers warn or refuse, and does the import? What the second column says about
# named-checkzone and kzonecheck, the test asks them. Where the columns differ, the row says why.
CHECKED = [
    # records                                               checkers  import  why they differ
    ("www A 192.0.2.1\n@ MX 10 www\n@ NS www\n",            False, False, None),
    ("@ NS ns2\n",                                          True, True, None),
    ("@ MX 10 mail\n",                                      True, True, None),
    ("@ NS c\nc CNAME www.example.net.\n",                  True, True, None),
    ("@ MX 10 c\nc CNAME www.example.net.\n",               True, True, None),
    ("_s._tcp SRV 0 0 1 c\nc CNAME www.example.net.\n",     True, True, None),
    ("_s._tcp SRV 0 0 1 c\n",                               True, True, None),
    ("@ MX 10 192.0.2.1.\n",                                True, True, None),
    ("@ NS 192.0.2.1.\n",                                   True, True, None),
    ("sub NS ns.sub\n",                                     True, True, None),
    ("sub NS ns.other\n",                                   True, True, None),
    ("sub NS ns1.example.net.\nwww.sub A 192.0.2.1\n",      False, False, None),
    ("a 60 A 192.0.2.1\na 61 A 192.0.2.2\n",                True, True, None),
    ("a A 192.0.2.1\na A 192.0.2.1\n",                      False, False, None),
    ("a CNAME www.example.net.\na A 192.0.2.1\n",           True, True, None),
    ("d DNAME x.example.net.\na.d A 192.0.2.1\n",           True, True, None),
    ("d DNAME x.example.net.\nd NS ns1.example.net.\n",     True, True, None),
    ("@ DS 12345 8 2 " + "ef" * 32 + "\n",                  True, True, None),
    ("@ CDS 12345 8 2 " + "ef" * 32 + "\n",                 True, True, None),
    ("*.w NS ns1.example.net.\n",                           True, True, None),
    ("www.example.net. A 192.0.2.1\n",                      True, True, None),
    ("a 2147483648 A 192.0.2.1\n",                          True, True, None),
    ("a_b A 192.0.2.1\n",                   True, False, "RFC 2181 11: any name may have records"),
    ("a.*.b TXT x\n",                       True, False, "RFC 4592 2.1.3: such names may exist"),
    ('a SPF "v=spf1 -all"\n',               True, False, "RFC 7208 3.1: nothing reads SPF"),
    ('a TXT "' + "x" * 256 + '"\n',         True, False, "the client splits long strings"),
]
FAILED = 1
SECONDS = 120           # until all domains are ACTIVE
AT_ONCE = 4             # imports
HOST = "127.0.0.1"


def without_serial(records):
    """The records, the serial of the SOA replaced by 0."""
    return sorted(re.sub(r"^(\S+ \d+ IN SOA \S+ \S+) \d+", r"\1 0", record)
                  for record in records)


class File:
    """A zone file and its marks."""

    def __init__(self, path):
        self.path, self.name, self.zone = path, path.name, f"{path.stem}.example."
        self.marks = {mark: [] for mark in MARKS}
        for mark, rest in MARK.findall(path.read_text("latin-1")):
            found = MARKS[mark].fullmatch(rest)
            if not found:
                raise ValueError(f"{path.name}: ; {mark}: is not of the form {MARKS[mark].pattern}")
            self.marks[mark].append(found.groups())
        self.is_refused = bool(self.marks["refused"])
        self.not_for = [server for server, in self.marks["not for"]]
        self.options = [word for words, in self.marks["options"] for word in words.split()]

    def read_by_bind(self):
        """The records, without the serial; LabError if named-compilezone refuses the file."""
        return without_serial(zone_file(self.path, self.zone))

    def expected(self):
        given = self.path.with_suffix(".expected")
        if given.exists():
            return without_serial(canonical(given.read_text()))
        return self.read_by_bind()

    def is_unlike_bind(self):
        try:
            read = self.read_by_bind()
        except LabError:
            return not self.is_refused
        return self.is_refused or read != self.expected()


class Corpus(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(os.chdir, os.getcwd())
        os.chdir(CORPUS)        # where named-compilezone looks for the files of $INCLUDE
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.fleet = cls.enterClassContext(start_fleet(
            cls.folder / "fleet", name_servers=NAME_SERVERS,
            settings={"central": {"ns_records": ["ns1.example.net."]}}))
        cls.files = [File(path) for path in sorted(CORPUS.glob("*.zone"))]
        cls.refused = [file for file in cls.files if file.is_refused]
        cls.served = [file for file in cls.files if not file.is_refused]

    def imported(self, file):
        """(exit status, standard error) of the import."""
        done = subprocess.run([BINARIES / "zonefleet", "--config", self.fleet.config, "domain",
                               "import", file.zone, file.path, *file.options], text=True,
                              capture_output=True, stdin=subprocess.DEVNULL, timeout=120,
                              env={"PATH": os.environ["PATH"], "LANG": "C.UTF-8"})
        return done.returncode, done.stderr

    def is_complained_of(self, path, zone):
        """By named-checkzone or kzonecheck."""
        named = subprocess.run([program("named-checkzone"), "-i", "local", zone, path],
                               capture_output=True, text=True, timeout=60)
        knot = subprocess.run([program("kzonecheck"), "-o", zone, path], capture_output=True,
                              text=True, timeout=60)
        said = [line for line in named.stdout.splitlines()
                if line != "OK" and "loaded serial" not in line]
        return bool(named.returncode or said or named.stderr or knot.returncode)

    def all_imported(self, files):
        with ThreadPoolExecutor(AT_ONCE) as pool:
            return dict(zip(files, pool.map(self.imported, files)))

    def not_active(self, files):
        """Those that all servers can serve."""
        zones = {file.zone for file in files if not file.not_for}
        return [row for row in self.fleet.mariadb.sql("SELECT name, status, reason FROM domains "
                "WHERE status NOT IN ('ACTIVE', 'DELETED')") if row[0] in zones]

    def served_by(self, port, file):
        try:
            return without_serial(axfr(HOST, port, file.zone))
        except (LabError, ValueError) as error:
            return [str(error).strip()]

    def differences(self, file):
        """A line for each server that serves other records than expected."""
        expected = file.expected()
        for name, port in [("mini-DNS", self.fleet.minidns_ports[0]),
                           *((server.name, server.port) for server in self.fleet.name_servers)]:
            if name in file.not_for:
                continue
            served = self.served_by(port, file)
            if served != expected:
                yield (f"{file.name}, {name}: missing {[r for r in expected if r not in served]}, "
                       f"in addition {[r for r in served if r not in expected]}")

    def needless_marks(self, file):
        """A line for each server that serves the zone although a mark says that it does not."""
        for server in self.fleet.name_servers:
            if server.name in file.not_for and self.served_by(server.port, file) == file.expected():
                yield f"{file.name}: {server.name} serves it"

    def assert_nothing(self, wrong):
        self.assertFalse(wrong, "\n".join(["", *wrong]))

    def test_it_is_large(self):
        self.assertGreater(len(self.served), 160)
        self.assertGreater(len(self.refused), 85)

    def test_marks_say_what_bind_does(self):
        self.assert_nothing([f"{file.name}: {file.marks['unlike BIND']}" for file in self.files
                             if file.is_unlike_bind() != bool(file.marks["unlike BIND"])])

    def test_warnings_are_those_of_the_checkers(self):
        def differs(row):
            number, (records, by_checkers, by_import, why) = row
            path = self.folder / f"checked{number}.zone"
            path.write_text(HEAD + records)
            file = File(path)
            got = self.is_complained_of(path, file.zone), bool(self.imported(file)[1])
            self.assertEqual(by_checkers != by_import, bool(why))
            return None if got == (by_checkers, by_import) else f"{records}: {got}"
        with ThreadPoolExecutor(AT_ONCE) as pool:
            self.assert_nothing([*filter(None, pool.map(differs, enumerate(CHECKED)))])

    def test_files_that_are_served(self):
        done = self.all_imported(self.served)
        wrong = [f"{file.name}: {said.strip()}" for file, (status, said) in done.items() if status]
        wrong += [f"{file.name}: no warning '{words}': {said}" for file, (_, said) in done.items()
                  for words, in file.marks["warned"]
                  if not any(words in line for line in said.splitlines()
                             if line.startswith("warning: "))]
        served = [file for file, (status, _) in done.items() if not status]
        with contextlib.suppress(LabError):
            wait_for(lambda: not self.not_active(served), SECONDS, "all domains are ACTIVE")
        wrong += [" ".join(row) for row in self.not_active(served)]
        for file in served if not wrong else ():
            if file.not_for:    # it does not become ACTIVE
                with contextlib.suppress(LabError):
                    wait_for(lambda: not list(self.differences(file)), SECONDS, "it is served")
            wrong += [*self.differences(file), *self.needless_marks(file)]
        self.assert_nothing(wrong)

    def test_files_that_are_refused(self):
        wrong = []
        for file, (status, said) in self.all_imported(self.refused).items():
            (line, words), = file.marks["refused"]
            if (status != FAILED or words not in said or
                    (f":{line}: " if line != "-" else f"{file.name}: ") not in said):
                wrong.append(f"{file.name}: {status}, want {line}: {words}: {said.strip()}")
        self.assert_nothing(wrong)
        left = self.fleet.mariadb.sql("SELECT name FROM domains WHERE name IN (%s)" % ", ".join(
            f"'{file.zone}'" for file in self.refused))
        self.assertEqual(left, [])


if __name__ == "__main__":
    unittest.main()

"""Zone files of every directive, type and oddity: each is served as BIND reads it, or refused.

tests/corpus/NAME.zone is imported as the domain NAME.example. What mini-DNS and the four kinds of
name server then serve equals what named-compilezone reads, but for the serial. A file of the same
name with the suffix .expected, if there is one, says instead what they serve. A file whose second
line is "; refused: LINE: WORDS" is refused, with this line and these words in the error. A second
line "; not for powerdns: WHY" leaves out one kind of server.
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
from lab.process import LabError, wait_for

CORPUS = ROOT / "tests" / "corpus"
NAME_SERVERS = ("bind", "knot", "nsd", "powerdns")
NOT_FOR = re.compile(r"^; not for (\w+): .*$", re.M)
REFUSED = re.compile(r"^; refused: (\d+): (.*)$", re.M)
FAILED = 1
SECONDS = 120           # until all domains are ACTIVE
AT_ONCE = 4             # imports
HOST = "127.0.0.1"


def without_serial(records):
    """The records, the serial of the SOA replaced by 0."""
    return sorted(re.sub(r"^(\S+ \d+ IN SOA \S+ \S+) \d+", r"\1 0", record)
                  for record in records)


class Corpus:
    """Of the files for .name_servers and for no others."""

    name_servers = NAME_SERVERS

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(os.chdir, os.getcwd())
        os.chdir(CORPUS)        # where named-compilezone looks for the files of $INCLUDE
        cls.addClassCleanup(folder.cleanup)
        cls.fleet = cls.enterClassContext(start_fleet(
            Path(folder.name), name_servers=cls.name_servers,
            settings={"central": {"ns_records": ["ns1.example.net."]}}))
        files = {path: path.read_text("latin-1") for path in sorted(CORPUS.glob("*.zone"))}
        cls.refused = [path for path, text in files.items() if REFUSED.search(text)]
        cls.served = [path for path, text in files.items() if not REFUSED.search(text)
                      and {*NAME_SERVERS} - {*NOT_FOR.findall(text)} == {*cls.name_servers}]

    def imported(self, path):
        """(exit status, standard error) of the import."""
        done = subprocess.run([BINARIES / "zonefleet", "--config", self.fleet.config, "domain",
                               "import", f"{path.stem}.example", path], text=True,
                              capture_output=True, stdin=subprocess.DEVNULL, timeout=120,
                              env={"PATH": os.environ["PATH"], "LANG": "C.UTF-8"})
        return done.returncode, done.stderr

    def all_imported(self, paths):
        with ThreadPoolExecutor(AT_ONCE) as pool:
            return dict(zip(paths, pool.map(self.imported, paths)))

    def expected(self, path):
        given = path.with_suffix(".expected")
        return without_serial(canonical(given.read_text()) if given.exists()
                              else zone_file(path, f"{path.stem}.example."))

    def not_active(self):
        return self.fleet.mariadb.sql("SELECT name, status, reason FROM domains "
                                      "WHERE status NOT IN ('ACTIVE', 'DELETED')")

    def differences(self, path):
        """A line for each server that serves other records than expected."""
        zone = f"{path.stem}.example."
        expected = self.expected(path)
        for name, port in [("mini-DNS", self.fleet.minidns_ports[0]),
                           *((server.name, server.port) for server in self.fleet.name_servers)]:
            served = without_serial(axfr(HOST, port, zone))
            if served != expected:
                yield (f"{path.name}, {name}: missing {[r for r in expected if r not in served]}, "
                       f"in addition {[r for r in served if r not in expected]}")

    def test_files_that_are_served(self):
        done = self.all_imported(self.served)
        wrong = [f"{path.name}: {said.strip()}" for path, (status, said) in done.items() if status]
        with contextlib.suppress(LabError):
            wait_for(lambda: not self.not_active(), SECONDS, "all domains are ACTIVE")
        wrong += [" ".join(row) for row in self.not_active()]
        if not self.not_active():
            wrong += [line for path in self.served if not done[path][0]
                      for line in self.differences(path)]
        self.assertFalse(wrong, "\n".join(["", *wrong]))


class AllServers(Corpus, unittest.TestCase):

    def test_it_is_large(self):
        self.assertGreater(len(self.served), 130)
        self.assertGreater(len(self.refused), 40)

    def test_files_that_are_refused(self):
        wrong = []
        for path, (status, said) in self.all_imported(self.refused).items():
            line, words = REFUSED.search(path.read_text("latin-1")).groups()
            if status != FAILED or f":{line}: " not in said or words not in said:
                wrong.append(f"{path.name}: {status}, want {line}: {words}: {said.strip()}")
        self.assertFalse(wrong, "\n".join(["", *wrong]))
        left = self.fleet.mariadb.sql("SELECT name FROM domains WHERE name IN (%s)" % ", ".join(
            f"'{path.stem}.example.'" for path in self.refused))
        self.assertEqual(left, [])


class WithoutPowerDns(Corpus, unittest.TestCase):

    name_servers = ("bind", "knot", "nsd")


if __name__ == "__main__":
    unittest.main()

"""Drivers: each backend creates, deletes and lists on its real server, twice, and by its deadline."""

import os
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "deploy"))

from lab.bind import Bind
from lab.knot import Knot
from lab.nsd import Nsd
from lab.process import LabError

DRIVER = Path(os.environ.get("BUILD", ROOT / "build")) / "drivers/backend_driver"
MASTER = ("127.0.0.1", 5999)        # nobody is there: what is tested is the telling

ORDINARY = ["example.org.", "a-b.xn--bcher-kva.example.", "_tcp.example.net.",
            "0/25.2.0.192.in-addr.arpa.", "."]
# Legal on the wire, but for most control channels no words: refused, or taken as the name it is.
HOSTILE = [r'a\"\;}\;.example.', r"a\032b.example.", r"a\010stop.example.", r"a\.b.example."]
# In letters that a configuration's parser might take for a comment.
COMMENTS = ["a//b.example.", "a/*b.example."]


class DriverStory:
    """The story; a subclass has a server of its kind."""

    takes_any_name = False

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.server = cls.start(Path(cls.folder.name))
        cls.config = Path(cls.folder.name) / "zonefleet.cfg"
        cls.config.write_text(cls.settings())
        cls.config.chmod(0o600)

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()
        cls.folder.cleanup()

    def run_driver(self, *arguments):
        done = subprocess.run([DRIVER, self.backend, self.config, "ns1", "%s:%d" % MASTER, *arguments],
                              capture_output=True, text=True, timeout=30)
        return done.returncode, done.stdout + done.stderr

    def expect_ok(self, *arguments):
        code, said = self.run_driver(*arguments)
        self.assertEqual(code, 0, f"{arguments}: {said}")
        return said

    def knows(self, zone):
        """Does the server answer for the zone? SERVFAIL: it waits for its transfer."""
        return self.server.query(zone, "SOA")[0] == "SERVFAIL"

    def wait_until(self, condition, what):
        deadline = time.monotonic() + 5
        while not condition():
            self.assertLess(time.monotonic(), deadline, f"not within 5 s: {what}")

    def test_each_name_comes_and_goes_twice(self):
        for zone in ORDINARY:
            with self.subTest(zone=zone):
                self.expect_ok("create", zone)
                self.expect_ok("create", zone)
                self.wait_until(lambda: self.knows(zone), f"{zone} is known")
                self.expect_ok("delete", zone)
                self.expect_ok("delete", zone)
                self.wait_until(lambda: not self.knows(zone), f"{zone} is gone")

    def test_hostile_names_do_nothing(self):
        for zone in HOSTILE:
            with self.subTest(zone=zone):
                code, said = self.run_driver("create", zone)
                self.assertEqual(code, 0 if self.takes_any_name else 1, said)
                self.assertEqual(self.run_driver("delete", zone)[0], code)
        for zone in COMMENTS:
            with self.subTest(zone=zone):
                self.expect_ok("create", zone)
                self.expect_ok("delete", zone)
        self.server.status()

    def test_a_stopped_server_costs_no_more_than_the_deadline(self):
        self.server.pause()
        try:
            started = time.monotonic()
            code, said = self.run_driver("create", "late.example.")
            self.assertEqual(code, 1)
            self.assertRegex(said, "^(timeout|unreachable): ")
            self.assertLess(time.monotonic() - started, 4)
        finally:
            self.server.resume()
        self.server.status()

    def test_a_dead_server_is_said_to_be_away(self):
        port = self.config.read_text()
        code, said = self.run_driver_with(port.replace(self.address(), self.nowhere()), "create")
        self.assertEqual(code, 1)
        self.assertRegex(said, "(refused|No such file|not exist|not found|connect failed)")

    def run_driver_with(self, settings, operation):
        config = Path(self.folder.name) / "nowhere.cfg"
        config.write_text(settings)
        config.chmod(0o600)
        done = subprocess.run([DRIVER, self.backend, config, "ns1", "%s:%d" % MASTER, operation, "x.example."],
                              capture_output=True, text=True, timeout=30)
        return done.returncode, done.stdout + done.stderr


class ListingStory:
    def test_the_list_is_what_was_created(self):
        for zone in self.expect_ok("list").split():      # what a late answer left behind
            self.expect_ok("delete", zone)
        for zone in "one.example.", "two.example.":
            self.expect_ok("create", zone)
        names = self.expect_ok("list").split()
        self.assertEqual(sorted(names), ["one.example.", "two.example."])
        for zone in names:
            self.expect_ok("delete", zone)
        self.assertEqual(self.expect_ok("list").split(), [])


class Bind9Test(DriverStory, unittest.TestCase):
    backend = "bind9"

    @staticmethod
    def start(folder):
        return Bind.start(folder / "bind", masters=[MASTER])

    @classmethod
    def settings(cls):
        return (f'backends: {{ bind9: {{ servers: ( {{ id = "ns1"; host = "127.0.0.1"; port = {cls.server.port};'
                f' timeout = 2; rndc_port = {cls.server.rndc_port}; rndc_key_file = "{cls.server.key_file}"; }} ); }}; }};')

    def address(self):
        return f"rndc_port = {self.server.rndc_port}"

    @staticmethod
    def nowhere():
        return "rndc_port = 1"


class KnotTest(ListingStory, DriverStory, unittest.TestCase):
    backend = "knot"
    takes_any_name = True       # its protocol has fields, no line to break out of

    @staticmethod
    def start(folder):
        return Knot.start(folder / "knot", masters=[MASTER])

    @classmethod
    def settings(cls):
        return (f'backends: {{ knot: {{ servers: ( {{ id = "ns1"; host = "127.0.0.1"; port = {cls.server.port};'
                f' timeout = 2; socket = "{cls.server.socket}"; }} ); }}; }};')

    def address(self):
        return str(self.server.socket)

    @staticmethod
    def nowhere():
        return "/nowhere/knot.sock"

    def test_a_transaction_left_open_is_taken_over(self):
        try:
            self.server.knotc("conf-begin")
        except LabError as error:       # a request that came too late left one open already
            self.assertIn("too many transactions", str(error))
        self.expect_ok("create", "taken.example.")
        self.expect_ok("delete", "taken.example.")


class NsdTest(ListingStory, DriverStory, unittest.TestCase):
    backend = "nsd"

    @staticmethod
    def start(folder):
        return Nsd.start(folder / "nsd", masters=[MASTER])

    @classmethod
    def settings(cls):
        certificates = "".join(
            f' {key} = "{cls.server.folder}/{file}";' for key, file in
            [("server_cert", "nsd_server.pem"), ("control_key", "nsd_control.key"),
             ("control_cert", "nsd_control.pem")])
        return (f'backends: {{ nsd: {{ servers: ( {{ id = "ns1"; host = "127.0.0.1"; port = {cls.server.port};'
                f' timeout = 2; control = "{cls.server.control_address}";{certificates} }} ); }}; }};')

    def address(self):
        return f'control = "{self.server.control_address}"'

    @staticmethod
    def nowhere():
        return 'control = "/nowhere/nsd.sock"'


class NsdTlsTest(NsdTest):
    @staticmethod
    def start(folder):
        return Nsd.start(folder / "nsd", masters=[MASTER], tls=True)

    @staticmethod
    def nowhere():
        return 'control = "127.0.0.1:1"'


if __name__ == "__main__":
    unittest.main()

"""Drivers: each backend creates, deletes and lists on its real server, twice, and by its deadline."""

import contextlib
import os
import re
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "deploy"))

from lab.bind import Bind
from lab.knot import Knot
from lab.nsd import Nsd
from lab.powerdns import PowerDns
from lab.process import LabError, free_port, program, tail

sys.path.insert(0, str(ROOT / "tests/support"))
from stalling import StallingPrimary                                   # noqa: E402

DRIVER = Path(os.environ.get("BUILD", ROOT / "build")) / "drivers/backend_driver"
ENDS = 10               # seconds, on a busy machine too: an operation has a time limit of two
MASTER = ("127.0.0.1", free_port())     # nobody is there, but in a story that begins it

HAND_MADE = "@ 60 SOA a. b. 1 2 3 4 5\n@ 60 NS a.\n"

ORDINARY = ["example.org.", "a-b.xn--bcher-kva.example.", "_tcp.example.net.",
            "0/25.2.0.192.in-addr.arpa.", "."]
# Legal on the wire, but for most control channels no words: refused, or taken as the name it is.
HOSTILE = [r'a\"\;}\;.example.', r"a\032b.example.", r"a\010stop.example.", r"a\.b.example."]
# In letters that a configuration's parser might take for a comment.
COMMENTS = ["a//b.example.", "a/*b.example."]


def what_it_waits_for(pid):
    """Each thread's name and where in the kernel it is."""
    def read(task, file):
        try:
            return (task / file).read_text().strip()
        except OSError:
            return "?"
    return ", ".join(f"{read(task, 'comm')} in {read(task, 'wchan')}"
                     for task in Path(f"/proc/{pid}/task").iterdir())


@contextlib.contextmanager
def hanging_up(address):
    """The address, as settings have it, of a server that reads and closes without an answer."""
    number = re.search(r"(?<=[:= ])\d+", address)
    if number:
        listener = socket.create_server(("127.0.0.1", 0))
        port = listener.getsockname()[1]
        address = f"{address[:number.start()]}{port}{address[number.end():]}"
    else:
        path = re.search(r'/[^"]*', address)[0]
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(path + ".gone")
        listener.listen()
        address = address.replace(path, path + ".gone")

    def serve():
        with contextlib.suppress(OSError):
            while True:
                connection = listener.accept()[0]
                with contextlib.suppress(OSError), connection:
                    connection.recv(4096)

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield address
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        thread.join()
        listener.close()


class DriverStory:
    """The story; a subclass has a server of its kind."""

    takes_any_name = False
    forgets_any_name = False    # deletes what it would not take, for it is not there
    comments = COMMENTS
    ordinary = ORDINARY

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
        return self.drive(self.config, "%s:%d" % MASTER, *arguments)

    def drive(self, config, masters, *arguments):
        done = subprocess.run([DRIVER, self.backend, config, "ns1", masters, *arguments],
                              capture_output=True, text=True, timeout=30)
        return done.returncode, done.stdout + done.stderr

    def expect_ok(self, *arguments):
        code, said = self.run_driver(*arguments)
        self.assertEqual(code, 0, f"{arguments}: {said}")
        return said

    def knows(self, zone):
        """Does the server answer for the zone? SERVFAIL: it waits for its transfer."""
        return self.server.query(zone, "SOA")[0] == "SERVFAIL"

    def wait_until(self, condition, what, seconds=5):
        deadline = time.monotonic() + seconds
        while not condition():
            self.assertLess(time.monotonic(), deadline, f"not within {seconds} s: {what}")

    def test_each_name_comes_and_goes_twice(self):
        for zone in self.ordinary:
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
                self.assertEqual(self.run_driver("delete", zone)[0],
                                 0 if self.forgets_any_name else code)
        for zone in self.comments:
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
            self.assertLess(time.monotonic() - started, ENDS)
        finally:
            self.server.resume()
        self.server.status()

    def test_a_dead_server_is_said_to_be_away(self):
        port = self.config.read_text()
        code, said = self.run_driver_with(port.replace(self.address(), self.nowhere()), "create")
        self.assertEqual(code, 1)
        self.assertRegex(said, "(refused|No such file|not exist|not found|connect failed)")

    def test_a_server_that_hangs_up(self):
        """It has not refused: what was asked is tried again soon."""
        with hanging_up(self.address()) as address:
            settings = self.config.read_text().replace(self.address(), address)
            for operation in "create", "delete", "has":
                code, said = self.run_driver_with(settings, operation)
                self.assertEqual(code, 1, said)
                self.assertRegex(said, "^unreachable: ")

    def run_driver_with(self, settings, operation, zone="x.example.",
                        masters="%s:%d" % MASTER):
        config = Path(self.folder.name) / "nowhere.cfg"
        config.write_text(settings)
        config.chmod(0o600)
        return self.drive(config, masters, operation, zone)


class StatesStory:
    """An operation that finds its goal reached is a success, whatever the state it finds."""

    def halves(self, zone):
        """(what, make): states that a crash, or a hand, leaves a zone in."""
        return ()

    def expect_states(self, zone, listed):
        self.assertEqual(self.expect_ok("has", zone), "there\n" if listed else "not there\n")
        self.assertEqual(zone in self.expect_ok("list").split(), listed)

    def test_a_server_that_never_had_any_zone(self):
        fresh = self.start(Path(self.folder.name) / "fresh")
        self.addCleanup(fresh.stop)
        config = Path(self.folder.name) / "fresh.cfg"
        with mock.patch.object(type(self), "server", fresh):
            config.write_text(self.settings())
        config.chmod(0o600)
        for operation, zone, want in (
                ("delete", "never.example.", ""), ("has", "never.example.", "not there\n"),
                ("list", "", ""), ("delete", "never.example.", ""),
                ("create", "first.example.", ""), ("has", "never.example.", "not there\n"),
                ("delete", "never.example.", ""), ("delete", "first.example.", ""),
                ("has", "first.example.", "not there\n"), ("delete", "first.example.", "")):
            with self.subTest(operation=operation, zone=zone):
                self.assertEqual(
                    self.drive(config, "%s:%d" % MASTER, operation, *([zone] if zone else [])),
                    (0, want))

    def test_one_that_is_half_there(self):
        for number in range(len(self.halves(""))):
            for operations in ("create", "delete"), ("delete",), ("delete", "create", "delete"):
                zone = f"half{number}.example."
                what, make = self.halves(zone)[number]
                with self.subTest(state=what, operations=operations):
                    make()
                    for operation in operations:
                        self.expect_ok(operation, zone)
                        self.expect_states(zone, operation == "create")

    def test_one_that_is_being_loaded(self):
        """Its primary began the transfer, and is slow to go on: Knot waits for that."""
        zone = "loading.example."
        primary = StallingPrimary(*MASTER, zone)
        self.addCleanup(primary.stop)
        for operations in ("create", "delete"), ("delete", "delete"):
            with self.subTest(operations=operations):
                primary.stalled.clear()
                self.expect_ok("create", zone)
                self.wait_until(primary.stalled.is_set, f"{zone} is being transferred", 15)
                self.expect_states(zone, True)
                for operation in operations:
                    self.expect_ok(operation, zone)
                self.expect_states(zone, False)


class AdjustStory:
    """A zone that exists gets the settings of now, if it has others; it keeps its records."""

    def other(self):
        """(settings, masters) that differ from those of the story."""
        return self.config.read_text(), "192.0.2.1:53,[2001:db8::1]:5353"

    def expect_adjusted(self, want, zone, settings=None, masters="%s:%d" % MASTER):
        said = self.run_driver_with(settings or self.config.read_text(), "adjust", zone, masters)
        self.assertEqual(said, (0, want + "\n"))

    def test_settings_that_differ_are_corrected_once(self):
        zone, (settings, masters) = "adjusted.example.", self.other()
        self.assertEqual(self.run_driver_with(settings, "create", zone, masters)[0], 0)
        self.expect_adjusted("unchanged", zone, settings, masters)
        self.expect_adjusted("changed", zone)
        self.expect_adjusted("unchanged", zone)
        self.expect_adjusted("changed", zone, settings, masters)
        self.expect_adjusted("unchanged", zone, settings, masters)
        self.expect_ok("create", zone)
        self.expect_adjusted("unchanged", zone)
        self.expect_ok("delete", zone)

    def test_a_zone_that_is_not_there_stays_away(self):
        self.expect_adjusted("unchanged", "never.example.")
        self.assertEqual(self.expect_ok("has", "never.example."), "not there\n")


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


class Bind9Test(StatesStory, AdjustStory, ListingStory, DriverStory, unittest.TestCase):
    backend = "bind9"

    @staticmethod
    def start(folder):
        return Bind.start(folder / "bind", masters=[MASTER])

    @classmethod
    def settings(cls, **changes):
        own = {"stats_url": cls.server.stats_url, "rndc_key_file": cls.server.key_file}
        own |= changes
        rows = "".join(f' {key} = "{value}";' for key, value in own.items())
        return (f'backends: {{ bind9: {{ servers: ( {{ id = "ns1"; host = "127.0.0.1"; port = {cls.server.port};'
                f' timeout = 2; rndc_port = {cls.server.rndc_port};{rows} }} ); }}; }};')

    def address(self):
        return f"rndc_port = {self.server.rndc_port}"

    @staticmethod
    def nowhere():
        return "rndc_port = 1"

    def halves(self, zone):
        """A file of its last life, broken; and other settings, with no such primary."""
        file = self.server.data / f"{7:032x}.db"
        return (("data without a zone", lambda: file.write_bytes(b"no zone")),
                ("other settings", lambda: self.server.add_zone(zone, f"{8:032x}.db")),
                ("a primary zone", lambda: self.server.add_primary_zone(zone, HAND_MADE)))

    def test_a_primary_zone_becomes_a_secondary(self):
        """modzone does not change the type of a zone that runs."""
        zone = "primary.example."
        for operation in "create", "adjust":
            with self.subTest(operation=operation):
                self.server.add_primary_zone(zone, HAND_MADE)
                self.expect_ok(operation, zone)
                self.expect_ok("retransfer", zone)      # BIND refuses it for a primary zone
                self.expect_adjusted("unchanged", zone)
                self.expect_ok("delete", zone)

    def test_the_list_has_every_name_as_it_was_created(self):
        for zone in ORDINARY + COMMENTS:
            self.expect_ok("create", zone)
        self.assertEqual(set(ORDINARY + COMMENTS) - set(self.expect_ok("list").split()), set())
        for zone in ORDINARY + COMMENTS:
            self.expect_ok("delete", zone)

    def test_a_zone_is_put_back_with_a_second_source(self):
        """From another port, until it is created again; with the same file, also if it is gone."""
        zone = "renewed.example."
        for known in True, False:
            if known:
                self.expect_ok("create", zone)
            self.expect_ok("renew", zone)
            self.assertTrue(self.knows(zone))
            shown = self.server.rndc("showzone", zone)
            self.assertRegex(shown, r" alt-transfer-source 0\.0\.0\.0 port 2\d{4};.* "
                                    "use-alt-transfer-source yes;")
            self.assertIn(f'file "{7:032x}.db"', shown)
            self.expect_adjusted("unchanged", zone)     # the second source is no fault
            self.assertEqual(self.server.rndc("showzone", zone), shown)
            self.expect_ok("create", zone)
            self.assertNotIn("alt-transfer", self.server.rndc("showzone", zone))
            self.expect_ok("delete", zone)

    def test_commands_share_the_time_of_the_operation(self):
        """One command is in time, all of them are not; the zone is not left out."""
        self.expect_ok("create", "slow.example.")
        slow = Path(self.folder.name) / "rndc"
        slow.write_text(f'#!/bin/sh\nsleep 1.2\nexec {program("rndc")} "$@"\n')
        slow.chmod(0o700)
        started = time.monotonic()
        code, said = self.run_driver_with(self.settings(rndc=slow), "renew", "slow.example.")
        self.assertEqual(code, 1)
        self.assertRegex(said, "^timeout: ")
        self.assertLess(time.monotonic() - started, ENDS)
        self.assertTrue(self.knows("slow.example."))
        self.expect_ok("delete", "slow.example.")

    def test_only_secondaries_are_listed(self):
        self.server.add_primary_zone("primary.example.", HAND_MADE)
        self.addCleanup(self.server.remove_zone, "primary.example.")
        self.assertNotIn("primary.example.", self.expect_ok("list").split())

    def test_ours_is_what_has_an_id_for_a_file(self):
        """Its list has all secondaries: who added one is seen in its configuration."""
        rows = (("ours.example.", f"{7:032x}.db", "ours\n"),
                ("theirs.example.", None, ""), ("short.example.", f"{7:031x}.db", ""),
                ("path.example.", f"{7:032x}.db.db", ""), ("word.example.", f"{'g' * 32}.db", ""))
        for zone, file, want in rows:
            with self.subTest(zone=zone):
                self.server.add_zone(zone, file)
                self.assertIn(zone, self.expect_ok("list").split())
                self.assertEqual(self.expect_ok("is_ours", zone), want)
                self.server.remove_zone(zone)
        self.expect_ok("create", "made.example.")
        self.assertEqual(self.expect_ok("is_ours", "made.example."), "ours\n")
        self.expect_ok("delete", "made.example.")
        code, said = self.run_driver("is_ours", "made.example.")
        self.assertEqual(code, 1)
        self.assertRegex(said, "^remote: rndc showzone on ns1: .*not found")

    def test_without_a_statistics_channel_there_is_no_list(self):
        code, said = self.run_driver_with(self.settings(stats_url=""), "list")
        self.assertEqual((code, said), (1, "invalid: set stats_url to the URL of "
                                           "named's statistics channel\n"))

    def test_a_view_that_there_is_not_says_nothing_of_a_zone(self):
        """Else a deletion would pass for done that the server did not understand."""
        for operation in "create", "delete", "has":
            code, said = self.run_driver_with(self.settings(view="inside"), operation)
            self.assertEqual(code, 1, operation)
            self.assertIn("no matching view", said)

    def test_a_view_that_there_is_not(self):
        code, said = self.run_driver_with(self.settings(view="inside"), "list")
        self.assertEqual(code, 1)
        self.assertRegex(said, r'^remote: the statistics channel of ns1 .* invalid answer: '
                               r'the answer does not contain "inside"')

    def test_a_channel_that_has_no_such_page(self):
        code, said = self.run_driver_with(
            self.settings(stats_url=f"{self.server.stats_url}/elsewhere"), "list")
        self.assertEqual(code, 1)
        self.assertRegex(said, "^remote: .*HTTP status 404: check stats_url")


class KnotTest(StatesStory, AdjustStory, ListingStory, DriverStory, unittest.TestCase):
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

    def halves(self, zone):
        def without_data():
            self.expect_ok("create", zone)
            self.server.remove_zone(zone)           # its journal and timers stay
        return (("no template", lambda: self.server.change(("conf-set", f"zone[{zone}]"))),
                ("data without a zone", without_data))

    def test_a_template_that_there_is_not(self):
        """It "not exists", too, and that is no success."""
        settings = self.settings().replace("timeout", 'template = "elsewhere"; timeout')
        code, said = self.run_driver_with(settings, "create", "nowhere.example.")
        self.assertEqual(code, 1)
        self.assertIn("remote: Knot refuses conf-set of the template: not exists\n", said)
        self.assertEqual(self.expect_ok("has", "nowhere.example."), "not there\n")

    def test_a_template_with_files(self):
        """Its name for a file has "_" for "/": two zones would have one. What is there stays."""
        there, new, plain = "0/26.example.", "0/25.example.", "0_25.example."
        refused = (f'invalid: zone not created: Knot replaces "/" with "_" in the file name of the '
                   f"zone '{new}': set zonefile-sync: -1 in the template 'zonefleet' of knot.conf")
        self.expect_ok("create", there)
        sync = ("conf-set", "template[zonefleet].zonefile-sync")
        unset = ("conf-unset", "template[zonefleet].zonefile-sync")
        self.addCleanup(self.server.change, unset, (*sync, "-1"))
        for changes in [unset], [(*sync, "0")]:
            self.server.change(*changes)
            code, said = self.run_driver("create", new)
            self.assertEqual((code, said.splitlines()[0]), (1, refused))
            self.assertEqual(self.expect_ok("has", new), "not there\n")
            for zone in there, plain:
                self.expect_ok("create", zone)
        for zone in there, plain:
            self.expect_ok("delete", zone)

    def other(self):
        """Another template."""
        with contextlib.suppress(LabError):             # it is there already
            self.server.change(("conf-set", "template[other]"),
                               ("conf-set", "template[other].zonefile-sync", "-1"))
        return self.settings().replace("timeout", 'template = "other"; timeout'), "%s:%d" % MASTER

    def test_a_transaction_left_open_is_taken_over(self):
        try:
            self.server.knotc("conf-begin")
        except LabError as error:       # a request that came too late left one open already
            self.assertIn("too many transactions", str(error))
        self.expect_ok("create", "taken.example.")
        self.expect_ok("delete", "taken.example.")


class NsdTest(StatesStory, AdjustStory, ListingStory, DriverStory, unittest.TestCase):
    backend = "nsd"
    ordinary = [zone for zone in ORDINARY if "/" not in zone]
    comments = []

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

    def other(self):
        """Another pattern."""
        text = self.server.config.read_text()
        if '"other"' not in text:
            self.server.config.write_text(text + 'pattern:\n\tname: "other"\n\tzonefile: "%s.zone"\n')
            self.server.control("reconfig")
        return self.settings().replace("timeout", 'pattern = "other"; timeout'), "%s:%d" % MASTER

    def test_a_name_that_is_a_path(self):
        """NSD would make a file of it. A zone that it has stays, and goes like any other."""
        paths = ["0/25.2.0.192.in-addr.arpa.", "/tmp/a.example.", "a//b.example.", "-a.example."]
        for zone in paths:
            with self.subTest(zone=zone):
                code, said = self.run_driver("create", zone)
                self.assertEqual((code, said.splitlines()[0]), (1, (
                    f"invalid: zone not created: NSD makes a file path from the zone name '{zone}': if "
                    "the pattern 'zonefleet' in nsd.conf has no zonefile, set slash_names = true for the "
                    "server in backends.nsd (settings of the pool manager; deploy/name-servers.md, NSD 4.6)")))
                self.assertEqual(self.expect_ok("has", zone), "not there\n")
                self.expect_ok("delete", zone)
        there = "0/26.2.0.192.in-addr.arpa."
        self.server.add_zone(there)
        self.expect_ok("create", there)
        self.expect_ok("delete", there)
        self.assertEqual(self.expect_ok("has", there), "not there\n")

    def test_a_pattern_without_a_zonefile(self):
        settings = self.settings().replace("timeout", "slash_names = true; timeout")
        for operation in "create", "delete":
            code, said = self.run_driver_with(settings, operation, "0/25.2.0.192.in-addr.arpa.")
            self.assertEqual((code, said), (0, ""))

    def test_a_zone_goes_when_its_transfer_is_over(self):
        """NSD 4.6 crashes when it deletes a zone that it transfers. One that hangs goes, too."""
        zone, told = "moving.example.", lambda verb: self.server.log.read_text().count(
            f"control cmd: {verb} moving.example.")
        primary = StallingPrimary(*MASTER, zone, seconds=10)
        self.addCleanup(primary.stop)
        self.expect_ok("create", zone)
        self.wait_until(primary.stalled.is_set, f"{zone} is being transferred", 15)
        arguments = [DRIVER, self.backend, self.config, "ns1", "%s:%d" % MASTER, "delete", zone]
        with subprocess.Popen(arguments) as driver:
            self.wait_until(lambda: told("zonestatus") > 2, "the driver looks for the end")
            self.assertEqual(told("delzone"), 0)
            primary.over.set()
        self.assertEqual((driver.returncode, told("delzone")), (0, 1))
        primary.over.clear()
        primary.stalled.clear()
        self.expect_ok("create", zone)
        self.wait_until(primary.stalled.is_set, f"{zone} is being transferred", 15)
        self.expect_ok("delete", zone)


class NsdTlsTest(NsdTest):
    @staticmethod
    def start(folder):
        return Nsd.start(folder / "nsd", masters=[MASTER], tls=True)

    @staticmethod
    def nowhere():
        return 'control = "127.0.0.1:1"'


class PowerDnsTest(StatesStory, AdjustStory, ListingStory, DriverStory, unittest.TestCase):
    backend = "powerdns"
    forgets_any_name = True
    comments = ["a//b.example."]    # its API takes letters, digits and _/.- only

    @staticmethod
    def start(folder):
        return PowerDns.start(folder / "powerdns", masters=[MASTER])

    @classmethod
    def settings(cls, **changes):
        """What all servers of a kind share stands in `default`."""
        own = {"url": cls.server.url, "api_key": cls.server.api_key, "timeout": "2"}
        own |= changes
        rows = "".join(f' {key} = "{value}";' for key, value in own.items())
        return (f'backends: {{ powerdns: {{ default: {{{rows} }}; servers: ('
                f' {{ id = "ns1"; host = "127.0.0.1"; port = {cls.server.port}; }}'
                ' ); }; };')

    def drive(self, config, masters, *arguments):
        """PowerDNS 4.7.3 was seen once to fall silent for good, nobody knows why: it is
        started anew, and asked again."""
        done = super().drive(config, masters, *arguments)
        why = self.broken_down() if done[0] else None
        if not why:
            return done
        print(f"{arguments}: PowerDNS {why}\n{tail(self.server.log)}", file=sys.stderr)
        self.server.kill9()
        self.server.restart()
        return super().drive(config, masters, *arguments)

    def broken_down(self):
        """Why it will not answer any more; None: it does, or was told to be silent."""
        if self.server.has_died():
            return "died"
        if self.server.is_paused():
            return None
        try:
            self.server.api("GET", "")
        except TimeoutError:
            return f"hangs: {what_it_waits_for(self.server.pid)}"
        return None

    def address(self):
        return self.server.url

    @staticmethod
    def nowhere():
        return "http://127.0.0.1:1"

    def halves(self, zone):
        row = {"name": zone, "kind": "Slave", "account": "zonefleet", "masters": []}
        return (("no masters", lambda: self.server.api("POST", "/zones", row)),)

    def zone(self, name):
        """What the API says of a zone, found by its name; None if it is not there."""
        zones = self.server.api("GET", "/zones")[1]
        ids = [zone["id"] for zone in zones if zone["name"] == name]
        return self.server.api("GET", f"/zones/{ids[0]}")[1] if ids else None

    def knows(self, zone):
        return self.zone(zone) is not None

    def foreign(self, name, **values):
        """A zone of somebody else, with a record of theirs."""
        zone = {"name": name, "kind": "Native", "nameservers": ["ns.example.net."]}
        zone |= values
        self.assertEqual(self.server.api("POST", "/zones", zone)[0], 201)
        self.addCleanup(self.server.api, "DELETE", f"/zones/{name}")
        return self.zone(name)

    def metadata(self, zone, kind):
        path = f"/zones/{self.zone(zone)['id']}/metadata/{kind}"
        return self.server.api("GET", path)[1]["metadata"]

    def expect_done(self, settings, *arguments):
        self.assertEqual(self.run_driver_with(settings, *arguments), (0, ""))

    def expect_failure(self, pattern, settings, *arguments):
        code, said = self.run_driver_with(settings, *arguments)
        self.assertEqual(code, 1, said)
        self.assertRegex(said, pattern)
        self.assertNotIn(self.server.api_key, said)
        return said

    def test_a_zone_is_a_secondary_of_all_masters(self):
        self.expect_done(self.settings(), "create", "many.example.",
                         "%s:%d,192.0.2.1:53,[::1]:5998" % MASTER)
        zone = self.zone("many.example.")
        self.assertEqual((zone["kind"], zone["account"]), ("Slave", "zonefleet"))
        self.assertEqual(sorted(zone["masters"]),
                         sorted(["%s:%d" % MASTER, "192.0.2.1", "[::1]:5998"]))
        self.assertEqual(self.metadata("many.example.", "IXFR"), ["1"])
        self.expect_done(self.settings(), "create", "many.example.", "[2001:db8::1]:53")
        self.assertEqual(self.zone("many.example.")["masters"], ["2001:db8::1"])
        self.expect_ok("delete", "many.example.")

    def test_it_fetches_a_zone_at_once(self):
        """By TCP, without a question whether there is something new."""
        with socket.create_server(("127.0.0.1", 0)) as master:
            master.settimeout(5)
            self.expect_done(self.settings(), "create", "fetched.example.",
                             "127.0.0.1:%d" % master.getsockname()[1])
            master.accept()[0].close()
        self.expect_ok("delete", "fetched.example.")

    def test_each_name_has_what_is_told_behind_it(self):
        """A path goes on behind the zone, whatever is in its name."""
        for zone in ORDINARY:
            with self.subTest(zone=zone):
                self.expect_ok("create", zone)
                self.assertEqual(self.metadata(zone, "IXFR"), ["1"])
                self.expect_ok("delete", zone)

    def test_who_never_fetches_keeps_to_whole_zones(self):
        """Nobody is there to fetch from: told to transfer it again, it is not waited for long."""
        self.expect_ok("create", "never.example.")
        started = time.monotonic()
        said = self.expect_ok("retransfer", "never.example.")
        self.assertLess(time.monotonic() - started, ENDS)
        self.assertIn("server no longer requests IXFR for the zone: server=ns1", said)
        self.assertEqual(self.metadata("never.example.", "IXFR"), ["0"])
        self.expect_ok("create", "never.example.")
        self.assertEqual(self.metadata("never.example.", "IXFR"), ["1"])
        self.expect_ok("delete", "never.example.")

    def test_who_has_no_such_zone_cannot_transfer_it(self):
        self.expect_failure(r"^remote: the server has no zone gone\.example\.\n$", self.settings(),
                            "retransfer", "gone.example.")
        self.foreign("theirs.example.")
        self.expect_failure("^conflict: .*of another program", self.settings(), "retransfer",
                            "theirs.example.")

    def test_it_asks_for_whole_zones_if_told_so(self):
        settings = self.settings().replace("default: {", "default: { ixfr = false;")
        self.expect_done(settings, "create", "whole.example.")
        self.assertEqual(self.metadata("whole.example.", "IXFR"), ["0"])
        self.expect_ok("delete", "whole.example.")

    def test_a_zone_that_is_not_ours_is_left_alone(self):
        for account in "", "zonefleet2", "ZONEFLEET":
            with self.subTest(account=account):
                before = self.foreign("theirs.example.", account=account)
                for operation in "create", "delete":
                    self.expect_failure(r'^conflict: the server has a zone theirs\.example\. '
                                        rf"of another program: the account of the zone is '{account}', "
                                        r"not 'zonefleet'\n$",
                                        self.settings(), operation, "theirs.example.")
                self.assertNotIn("theirs.example.", self.expect_ok("list"))
                self.assertEqual(self.zone("theirs.example."), before)
                self.server.api("DELETE", "/zones/theirs.example.")

    def test_a_zone_of_another_account_is_not_adjusted(self):
        before = self.foreign("theirs.example.", account="other")
        self.expect_failure("^conflict: .*of another program", self.settings(), "adjust",
                            "theirs.example.")
        self.assertEqual(self.zone("theirs.example."), before)

    def test_the_account_is_a_setting(self):
        self.foreign("mine.example.", account="fleet-2", kind="Slave", nameservers=[])
        settings = self.settings(account="fleet-2")
        self.assertEqual(self.run_driver_with(settings, "list"), (0, "mine.example.\n"))
        self.expect_done(settings, "create", "mine.example.")
        self.assertEqual(self.zone("mine.example.")["masters"], ["%s:%d" % MASTER])
        self.expect_done(settings, "delete", "mine.example.")
        self.assertFalse(self.knows("mine.example."))
        self.expect_done(settings, "create", "new.example.")
        self.assertEqual(self.zone("new.example.")["account"], "fleet-2")
        self.expect_done(settings, "delete", "new.example.")

    def change_database(self, statement, *rows):
        with contextlib.closing(sqlite3.connect(self.server.database)) as database:
            database.executemany(statement, rows)
            database.commit()

    def test_the_list_may_be_long(self):
        """Rows in its database, for to create each by the API would take long."""
        count = 20000
        self.addCleanup(self.change_database, "DELETE FROM domains WHERE name LIKE ?",
                        ("%.long.example",))
        rows = ((f"z{number}.long.example", ("other", "zonefleet")[number % 2])
                for number in range(count))
        self.change_database("INSERT INTO domains (name, type, account) "
                             "VALUES (?, 'SLAVE', ?)", *rows)
        code, said = self.run_driver_with(self.settings(timeout=20), "list")
        names = {name for name in said.split() if name.endswith(".long.example.")}
        self.assertEqual((code, len(names)), (0, count // 2), said[:500])
        self.assertTrue(names == {f"z{number}.long.example."
                                  for number in range(1, count, 2)})
        self.expect_failure("^too_large: an answer .* exceeds answer_max .10{6} ",
                            self.settings(timeout=20, answer_max="1000000"), "list")

    def test_a_wrong_key_opens_nothing(self):
        for operation in "create", "delete", "list":
            said = self.expect_failure("^denied: cannot (?!/).*: HTTP status 401: the server "
                                       "does not accept api_key",
                                       self.settings(api_key="not-it"), operation)
            self.assertNotIn("not-it", said)

    def test_a_server_without_the_api_has_no_word_on_zones(self):
        """Else "not found" would pass for a deletion that is done."""
        for operation in "create", "delete", "list":
            self.expect_failure("^not_found: cannot (?!/).*: HTTP status 404: no such path: "
                                "set api=yes on the server",
                                self.settings(url=f"{self.server.url}/elsewhere"),
                                operation)

    def test_a_key_for_its_transfers(self):
        signed = self.settings(tsig_key="Pool-key.example.")
        self.expect_failure(r"^conflict: the server has no TSIG key Pool-key\.example\.: import the "
                            r"key on the server ", signed, "create", "signed.example.")
        self.assertFalse(self.knows("signed.example."))
        self.server.util("import-tsig-key", "pool-key.example", "hmac-sha256",
                         "c2VjcmV0LXNlY3JldC1zZWNyZXQ=")
        for settings, keys in ((signed, ["pool-key.example."]), (self.settings(), []),
                               (signed, ["pool-key.example."])):
            self.expect_done(settings, "create", "signed.example.")
            found = self.zone("signed.example.")["slave_tsig_key_ids"]
            self.assertEqual([key.lower() for key in found], keys)
        self.expect_adjusted("unchanged", "signed.example.", signed)
        self.expect_adjusted("changed", "signed.example.")
        self.assertEqual(self.zone("signed.example.")["slave_tsig_key_ids"], [])
        self.expect_adjusted("changed", "signed.example.", signed)
        self.expect_ok("delete", "signed.example.")


if __name__ == "__main__":
    unittest.main()

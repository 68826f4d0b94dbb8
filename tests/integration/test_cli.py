"""The client: what it teaches, what it prints, how it ends, and what it does to a fleet."""

import fcntl
import json
import lzma
import os
import pty
import re
import secrets
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "deploy"))
sys.path.insert(0, str(ROOT / "tests" / "support"))

import dns.message
import dns.query

from holding import holding
from story import StoryFleet
from lab.fleet import BINARIES, merged, render
from lab.process import free_port, program, run, wait_for

ZONEFLEET = BINARIES / "zonefleet"
ROOT_ZONES = sorted((ROOT / "../shared/data/rootzone").glob("*.zone.xz"))
GOOD, FAILED, USAGE, NOT_FOUND, IN_ERROR, TIMEOUT, UNREACHABLE = range(7)
CLEAN = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
SETTINGS = {
    "central": {"ns_records": ["ns1.example.net.", "ns2.example.net."]},
    "poolmgr": {"poll_timeout": 3, "poll_max_retries": 2},
}
# headers of the columns that show numbers: what a number counts stands in its header
HEADERS_OF_NUMBERS = [
    "ATTEMPTS", "CONSUMERS", "DEAD LETTERS", "DOMAINS BEHIND", "DOMAINS FAILED",
    "MESSAGES DELAYED", "MESSAGES READY", "RECORDS", "ROUNDS", "ROUTES", "SERIALS BEHIND",
    "SHARES", "ZONES UNCHECKED",
    # without a unit: versions, and the number of a share
    "FENCE", "GENERATION", "SERIAL", "SHARE",
    # the terms of DNS (seconds) and of the option --capacity (routes)
    "CAPACITY", "TTL",
    # the column RESOURCE, or the title of the list, says what is counted
    "LIMIT", "USED",
]


def client(*words, text=None, env=None, seconds=60):
    """(exit status, standard output, standard error) of the client."""
    done = subprocess.run([ZONEFLEET, *map(str, words)], input=text, capture_output=True,
                          text=True, env=CLEAN | (env or {}), timeout=seconds,
                          stdin=subprocess.DEVNULL if text is None else None)
    return done.returncode, done.stdout, done.stderr


def commands():
    """The words of each command, as the overview lists them."""
    part = client("help")[1].partition("\n\n")[2].partition("\nOptions of all commands")[0]
    return [match[1] for match in re.finditer(r"^  (\S+(?: \S+)?)  ", part, re.M)]


def one_line(text):
    """The records of a master file, each on a line of its own, without order or layout."""
    return sorted(" ".join(line.split()).lower() for line in text.splitlines() if line.strip())


def same_zone(a, b):
    """Sorted records but for the class and the SOA record."""
    def records(text):
        kept = []
        for line in one_line(text):
            words = [word for word in line.split() if word != "in"]
            if words[2] != "soa":
                kept.append(" ".join(words))
        return sorted(set(kept))
    return records(a) == records(b)


class Alone(unittest.TestCase):
    """What needs no server."""

    def test_every_command_is_explained(self):
        names = commands()
        self.assertIn("domain create", names)
        self.assertGreater(len(names), 20)
        for name in names:
            status, out, err = client("help", *name.split())
            self.assertEqual((status, err), (GOOD, ""), name)
            self.assertTrue(out.startswith(f"zonefleet {name}"), name)
            self.assertRegex(out, r"(?s)\nExamples?:\n    .*zonefleet", name)
            self.assertEqual(client(*name.split(), "--help")[1], out)
            too_wide = [line for line in out.splitlines()
                        if len(line) > 80 and not line.startswith("    ")]
            self.assertEqual(too_wide, [], name)

    def test_headers_of_numbers(self):
        """The header of a number says what it counts, or the number has no unit."""
        found = [title for source in (ROOT / "workers/cli").glob("*.c") for title in
                 re.findall(r'\{ *"([^"]+)", *COLUMN_RIGHT *\}', source.read_text())]
        self.assertEqual(sorted({*found} - {*HEADERS_OF_NUMBERS}), [])
        self.assertEqual(sorted({*HEADERS_OF_NUMBERS} - {*found}), [])

    def test_help_as_a_document(self):
        status, out, err = client("help", "--json")
        self.assertEqual((status, err), (GOOD, ""))
        page = json.loads(out)
        rows = [row for group in page["groups"] for row in group["commands"]]
        self.assertEqual([row["words"] for row in rows], commands())
        for row in rows:
            text = client("help", *row["words"].split(), "--json")[1]
            for option in row["options"]:
                self.assertIn(f"--{option['name']}", text)
        self.assertEqual(len(page["exits"]), 7)

    def test_commands_with_all_tenants(self):
        """The story of the worker that serves each asks for it without the right."""
        rows = [row for group in json.loads(client("help", "--json")[1])["groups"]
                for row in group["commands"]]
        self.assertEqual({row["words"] for row in rows
                          if "all-tenants" in [option["name"] for option in row["options"]]},
                         {f"{what} list" for what in ("domain", "share", "transfer", "owner",
                                                      "network", "subnet", "port", "route")})

    def test_the_sample_as_a_document(self):
        groups = json.loads(client("--sample", "--json")[1])
        self.assertEqual([group["group"] for group in groups][-1], "client")

    def test_usage_errors_end_with_2_and_a_hint(self):
        for words in (["frob"], ["domain"], ["domain", "frob"], ["domain", "create"],
                      ["domain", "show", "a", "b"], ["ping", "--ttl", "5"], ["--frob"],
                      ["completion", "fish"], ["help", "frob"], ["domain", "frob", "--help"],
                      ["help", "domain", "frob"]):
            status, out, err = client(*words)
            self.assertEqual((status, out), (USAGE, ""), words)
            self.assertRegex(err, r"\Azonefleet: Usage: .*\nTry 'zonefleet help.*'\.\n\Z")

    def test_a_typo_is_answered_with_what_was_meant(self):
        for meant, hint, words in (
                ("domain", "", ["domian", "list"]), ("list", " domain", ["domain", "lst"]),
                ("list", " domain", ["domain", "lst", "--help"]),
                ("list", " domain", ["help", "domain", "lst"]), ("domain", "", ["help", "domian"]),
                ("--ttl", " ping", ["ping", "--tll", "5"]),
                ("--wait", " record add", ["record", "add", "-wiat"])):
            err = client(*words)[2]
            self.assertIn(f": did you mean '{meant}'?\n", err, words)
            self.assertIn(f"\nTry 'zonefleet help{hint}'.\n", err, words)
        self.assertIn("--wa is the beginning of --wait, --wait-timeout, --wanted\n",
                      client("ping", "--wa")[2])

    def test_a_reader_that_ends_early_is_no_failure(self):
        for words in ["help"], ["help", "--json"], ["completion", "bash"], ["help", "--man"]:
            for want, path in (GOOD, None), (FAILED, "/dev/full"):
                reader, writer = os.pipe()
                os.close(reader)
                with open(path or writer, "wb") as out:
                    done = subprocess.run([ZONEFLEET, *words], stdout=out, env=CLEAN,
                                          stderr=subprocess.PIPE)
                self.assertEqual((done.returncode, done.stderr), (want, b""), (words, path))
                if path:
                    os.close(writer)

    def test_without_a_command_it_lists_the_commands(self):
        self.assertEqual(client(), client("help"))
        self.assertEqual(client("--json")[0], USAGE)

    def test_an_error_is_a_document_too(self):
        status, out, err = client("frob", "--json")
        self.assertEqual((status, err), (USAGE, ""))
        self.assertEqual(json.loads(out)["error"]["class"], "Usage")

    def test_wrong_settings(self):
        with tempfile.TemporaryDirectory() as folder:
            config = Path(folder) / "zonefleet.cfg"
            status, _, err = client("ping", "--config", config)
            self.assertEqual(status, USAGE)
            self.assertIn("zonefleet --sample", err)
            config.write_text("client: { tenant = 7; };\n")
            status, _, err = client("ping", env={"ZONEFLEET_CONFIG": str(config)})
            self.assertEqual(status, USAGE)
            self.assertRegex(err, r"zonefleet\.cfg:1\b.*tenant")

    def test_the_sample_is_valid(self):
        with tempfile.TemporaryDirectory() as folder:
            config = Path(folder) / "zonefleet.cfg"
            config.write_text(client("--sample")[1])
            config.chmod(0o600)
            # it gets past the settings, to the host that they do not name
            words = client("db", "version", "--config", config, "--json")
            self.assertNotEqual(words[0], USAGE, words)

    def test_no_broker(self):
        with tempfile.TemporaryDirectory() as folder:
            config = Path(folder) / "zonefleet.cfg"
            url = f"rabbit://guest:secret@127.0.0.1:{free_port()}/"
            config.write_text(render({"broker": {"url": url}}))
            config.chmod(0o600)
            status, out, err = client("ping", "--config", config, "--timeout", "1")
            self.assertEqual((status, out), (UNREACHABLE, ""))
            self.assertRegex(err, r"\Azonefleet: Unavailable: .*broker\.url.*\n\Z")
            self.assertNotIn("secret", err)
            status, out, err = client("ping", "--config", config)
            self.assertEqual((status, out), (UNREACHABLE, ""))
            self.assertIn("no connection to the broker within 5 s: ", err)

    def test_a_silent_broker_has_its_reason(self):
        with tempfile.TemporaryDirectory() as folder:
            config = Path(folder) / "zonefleet.cfg"
            url = f"rabbit://guest:secret@127.0.0.1:{free_port()}/"
            config.write_text(render({"broker": {"url": url}}))
            config.chmod(0o600)
            for words in ["ping"], ["queues"], ["dead-letters", "list"]:
                status, out, err = client(*words, "--config", config, "--timeout", "1")
                self.assertEqual((status, out), (UNREACHABLE, ""))
                self.assertRegex(err, "no connection to the broker within 1 s: "
                                      "cannot connect: .*host and port")

    def test_its_memory_is_its_own(self):
        """The kernel gives the files in /proc of a process that has no core dump to root."""
        group = 65534 if os.getuid() == 0 else None
        for core_dumps in False, True:
            with (tempfile.TemporaryDirectory() as folder,
                  socket.create_server(("127.0.0.1", 0)) as broker):
                config = Path(folder) / "zonefleet.cfg"
                url = f"rabbit://guest:secret@127.0.0.1:{broker.getsockname()[1]}/"
                config.write_text(render({"broker": {"url": url},
                                          "log": {"core_dumps": core_dumps}}))
                config.chmod(0o600)
                broker.settimeout(20)
                with subprocess.Popen([ZONEFLEET, "ping", "--config", config], env=CLEAN,
                                      group=group, stderr=subprocess.DEVNULL) as process:
                    link, _ = broker.accept()
                    made = os.stat(f"/proc/{process.pid}/environ")
                    link.close()
                    process.kill()
                self.assertEqual((made.st_uid, made.st_gid) != (0, 0), core_dumps)

    def test_the_man_page_renders(self):
        page = client("help", "--man")[1]
        self.assertEqual(sorted(re.findall(r"^\.SS zonefleet (.*?) \\fI", page, re.M)),
                         sorted(commands()))       # each is under one heading
        groff = shutil.which("groff")
        if not groff:
            self.skipTest("groff is not installed")
        done = subprocess.run([groff, "-man", "-ww", "-z", "-Tutf8", "-k"], input=page,
                              capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def complete(self, *words):
        script = ('source <("$0" completion bash); COMP_WORDS=("$@"); '
                  'COMP_CWORD=$(($# - 1)); _zonefleet; printf "%s\\n" "${COMPREPLY[@]}"')
        done = subprocess.run(["bash", "-uc", script, ZONEFLEET, "zonefleet", *words],
                              capture_output=True, text=True, env=CLEAN, cwd=ROOT)
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_completion(self):
        self.assertIn("domain", self.complete(""))
        self.assertEqual(self.complete("dom"), ["domain"])
        self.assertEqual(self.complete("domain", "cr"), ["create"])
        self.assertIn("create", self.complete("--tenant", "acme", "domain", ""))
        self.assertEqual(self.complete("domain", "create", "x.org", "--em"), ["--email"])
        self.assertEqual(self.complete("ping", "--em"), [])
        self.assertIn("Makefile", self.complete("domain", "import", "x.org", "Make"))
        self.assertIn("Makefile", self.complete("owner", "import", "us", "x.org", "Make"))
        self.assertEqual(self.complete("owner", "import", "us", "Make"), [])
        self.assertIn("Makefile", self.complete("--config", "Make"))
        self.assertIn("Makefile", self.complete("tsigkey", "create", "k", "--secret-file", "Make"))
        self.assertEqual(self.complete("completion", ""), ["bash"])
        self.assertEqual(self.complete("quota", "set", "acme", "domain_"),
                         ["domain_recordsets", "domain_records"])
        self.assertEqual(self.complete("quota", "set", "dom"), [])


class WithFleet(unittest.TestCase):
    """A fleet with three name servers."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="zonefleet-cli-")
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.fleet = StoryFleet.start(cls.folder, central=1, poolmgr=1, minidns=1, settings=SETTINGS)
        cls.addClassCleanup(cls.fleet.kill)

    def run_client(self, *words, want=GOOD, **options):
        status, out, err = client("--config", self.fleet.config, *words, **options)
        self.assertEqual(status, want, f"{words}: {out}{err}")
        return out if want == GOOD else err

    def run_json(self, *words, want=GOOD, **options):
        status, out, err = client("--config", self.fleet.config, "--json", *words, **options)
        self.assertEqual((status, err), (want, ""), f"{words}: {out}")
        return json.loads(out)


REFUSED = "the broker refused the account in broker.url "
TO_DELETE = "to delete the record set, use 'zonefleet record delete' without DATA; "
TO_DO = ": check user, password and virtual host in broker.url, and the rights"


class Account(WithFleet):
    """The broker refuses the client: its own text is shown at once."""

    def setUp(self):
        self.user, self.password = "client-" + secrets.token_hex(4), secrets.token_hex(8)

    def with_url(self, user, password, vhost):
        """The settings of a client with this account."""
        broker = self.fleet.rabbitmq
        folder = self.enterContext(tempfile.TemporaryDirectory())
        url = f"rabbit://{user}:{password}@{broker.host}:{broker.port}/{vhost}"
        config = Path(folder) / "zonefleet.cfg"
        config.write_text(render(merged(self.fleet.settings, {"broker": {"url": url}})))
        config.chmod(0o600)
        return config

    def make_user(self, configure, write, read, topics=".*"):
        """An account with these rights."""
        broker = self.fleet.rabbitmq
        call = 'ok = rabbit_auth_backend_internal:{}({})'.format
        text = lambda *words: ", ".join(f'<<"{word}">>' for word in (*words, "test"))  # noqa: E731
        broker.evaluate(", ".join((
            call("add_user", text(self.user, self.password)),
            call("set_permissions", text(self.user, broker.vhost, configure, write, read)),
            call("set_topic_permissions",
                 text(self.user, broker.vhost, "zonefleet", topics, topics)))) + ", 0")
        self.addCleanup(broker.evaluate, call("delete_user", text(self.user)) + ", 0")

    def refused(self, config, *words, says):
        """It ends long before its time limit."""
        status, out, err = client("--config", config, *words, "--timeout", "10m")
        self.assertEqual((status, out), (UNREACHABLE, ""), err)
        self.assertRegex(err, r"\Azonefleet: Unavailable: "
                         + re.escape(REFUSED) + rf"\(.*{says}.*\)" + re.escape(TO_DO))
        self.assertNotIn(self.password, err)

    def test_a_wrong_password(self):
        broker = self.fleet.rabbitmq
        config = self.with_url(broker.user, self.password, broker.vhost)
        for words in ["ping"], ["domain", "list"], ["queues"], ["dead-letters", "list"]:
            self.refused(config, *words, says="login: 403 ACCESS_REFUSED - Login was refused")

    def test_a_wrong_virtual_host(self):
        broker = self.fleet.rabbitmq
        config = self.with_url(broker.user, broker.password, "elsewhere")
        for words in ["ping"], ["queues"]:
            self.refused(config, *words, says="login: 530 NOT_ALLOWED - .*elsewhere")

    def test_no_rights(self):
        broker = self.fleet.rabbitmq
        config = self.with_url(self.user, self.password, broker.vhost)
        self.make_user("^$", "^$", "^$")
        self.refused(config, "ping", says="exchange zonefleet .*403 ACCESS_REFUSED")

    def test_no_rights_for_its_answers(self):
        config = self.with_url(self.user, self.password, self.fleet.rabbitmq.vhost)
        self.make_user("^zonefleet$", "^zonefleet$", "^$")
        self.refused(config, "ping", says="queue reply_.*403 ACCESS_REFUSED")

    def test_no_rights_to_read_its_answers(self):
        config = self.with_url(self.user, self.password, self.fleet.rabbitmq.vhost)
        self.make_user("^(zonefleet|reply_.*)$", "^zonefleet$", "^$")
        self.refused(config, "ping", says="403 ACCESS_REFUSED - .*queue 'reply_")

    def test_no_rights_for_a_topic(self):
        config = self.with_url(self.user, self.password, self.fleet.rabbitmq.vhost)
        self.make_user("^(zonefleet|reply_.*)$", "^zonefleet$", "^reply_.*$", "^central$")
        self.refused(config, "ping", "minidns", says="403 ACCESS_REFUSED - .*topic 'minidns'")
        self.assertEqual(client("--config", config, "ping")[0], GOOD)


class Commands(WithFleet):
    """Each test has domains of its own."""

    def test_life_of_a_domain(self):
        made = self.run_json("domain", "create", "life.org", "--wait", "--ttl", "10m")
        self.assertEqual((made["name"], made["status"], made["ttl"]), ("life.org.", "ACTIVE", 600))
        added = self.run_json("record", "add", "life.org", "www", "A", "192.0.2.1", "192.0.2.2",
                              "--ttl", "5m", "--wait")
        self.assertEqual((added["added"], added["status"]), (2, "ACTIVE"))
        for server in self.fleet.name_servers:
            self.assertEqual(server.serial("life.org"), added["serial"], server.name)
        again = self.run_json("record", "set", "life.org", "www", "A", "192.0.2.2", "192.0.2.1",
                              "--ttl", "300", "--wait")
        self.assertEqual((again["unchanged"], again["serial"]), (2, added["serial"]))
        self.run_json("record", "set", "life.org", "www.life.org.", "A", "192.0.2.3", "--wait")
        sets = self.run_json("record", "list", "life.org", "www")["recordsets"]
        self.assertEqual([s["records"] for s in sets], [["192.0.2.3"]])
        self.run_json("record", "delete", "life.org", "www", "A", "--wait")
        self.assertEqual(self.run_json("record", "list", "life.org", "www")["recordsets"], [])
        changed = self.run_json("domain", "set", "life.org", "--email", "dns@life.org", "--wait")
        self.assertEqual(changed["email"], "dns@life.org")
        by_id = self.run_json("record", "add", made["id"], "@", "TXT", '"v=spf1 -all"', "--wait")
        self.assertEqual((by_id["domain"], by_id["added"]), ("life.org.", 1))
        gone = self.run_json("domain", "delete", "life.org", "--wait")
        self.assertEqual((gone["status"], gone["task"]), ("DELETED", "NONE"))
        self.assertIn("no domain", self.run_client("domain", "show", "life.org", want=NOT_FOUND))

    def test_warnings(self):
        status, out, said = client("--config", self.fleet.config, "domain", "create", "warned.org",
                                   "--ns", "ns1.warned.org")
        self.assertEqual((status, said.splitlines()), (GOOD, [
            "warning: 'warned.org. NS': the host 'ns1.warned.org.' has no A or AAAA record"]))
        quiet = client("--config", self.fleet.config, "--quiet", "record", "add", "warned.org", "@",
                       "MX", "10 mail.warned.org.")
        self.assertEqual((quiet[0], quiet[2]), (GOOD, ""))

    def test_what_a_person_reads(self):
        out = self.run_client("domain", "create", "table.org", "--wait")
        self.assertRegex(out, r"\Acreated table\.org\.: serial \d+, PENDING, id [0-9a-f]{32}\n"
                              r"ACTIVE at serial \d+ after \d+\.\d{3} s\n\Z")
        out = self.run_client("domain", "list", "table.org")
        self.assertRegex(out, r"\ANAME +POOL +SERIAL +RECORDS +TASK +STATUS +TENANT\n"
                              r"table\.org\. +default +\d+ +2 +NONE +ACTIVE +default\n\Z")
        self.assertEqual(out.splitlines()[1],
                         self.run_client("domain", "list", "table.org.", "-q").strip())
        out = self.run_client("domain", "show", "table.org")
        self.assertRegex(out, r"(?m)^status +ACTIVE$")
        self.assertNotIn("\033", out)
        out = self.run_client("status", "table.org")
        self.assertEqual(list(self.run_json("status", "table.org")), ["domain"])
        for server in self.fleet.name_servers:
            self.assertRegex(out, rf"(?m)^{server.name} +ACTIVE +UPDATE +SUCCESS +OK +\d+ +0 ")
        self.assertRegex(out, r"(?m)^SERVER .* HEALTH +SERIAL +SERIALS BEHIND +CHECKED ")
        self.assertIn("3 of 3 servers have the serial", out)
        out = self.run_client("watch", "table.org")
        self.assertRegex(out, r"ACTIVE at serial \d+ after")
        self.assertEqual(self.run_client("record", "add", "table.org", "q", "A", "192.0.2.1",
                                         "--wait", "--quiet"), "")

    def test_records_of_a_set_are_sorted(self):
        self.run_client("domain", "create", "sorted.org")
        addresses = [f"192.0.2.{i}" for i in range(1, 21)]
        self.run_client("record", "add", "sorted.org", "w", "A", *reversed(addresses))
        self.assertEqual(self.run_client("record", "list", "sorted.org", "w", "-q").split()[5::6],
                         addresses)
        self.assertEqual(
            [row["data"] for row in
             self.run_json("record", "list", "sorted.org", "w")["recordsets"][0]["members"]],
            addresses)

    def test_hosts_are_whole_names(self):
        for option, words in (("ns", ["domain", "create", "host.org", "--ns", "a.host.org,ns1"]),
                              ("primary", ["domain", "create", "host.org", "--primary", "ns1"]),
                              ("ns", ["pool", "set", "default", "--ns", "ns1"]),
                              ("catalog", ["pool", "create", "p", "--catalog", "ns1"])):
            self.assertIn(f"--{option}: must be a full name, for example ns1.example.org, not "
                          "'ns1'", self.run_client(*words, want=USAGE))
        self.assertIn("--ns: the name 'a..b.' has an empty label",
                      self.run_client("domain", "create", "host.org", "--ns", "a..b", want=USAGE))
        for words in "domain create host.org", "pool create twice", "pool set default":
            said = self.run_client(*words.split(), "--ns", "a.example.net,A.Example.NET.",
                                   "--admin", want=FAILED)
            self.assertIn("Invalid: --ns: the list already contains the host 'a.example.net.': "
                          "give each host only once\n", said)
        for verb in "create", "set":
            said = client("--config", self.fleet.config, "pool", verb, "numbered", "--admin",
                          "--ns", "192.0.2.1,ns2.host.org")
            self.assertEqual((said[0], said[2]), (GOOD, "warning: pool 'numbered': the host "
                             "'192.0.2.1.' is an IPv4 address: write the name of a host\n"))
        self.run_client("domain", "create", "host.org", "--ns", "ns1.,ns2.host.org")
        sets = self.run_json("record", "list", "host.org", "--type", "NS")["recordsets"]
        self.assertEqual(sets[0]["records"], ["ns1.", "ns2.host.org."])

    def test_what_is_not_found_is_named(self):
        run = "--config", self.fleet.config, "--admin"
        self.run_client("domain", "create", "empty.org")
        for said, words in (("no domain matches 'nomatch*'", ["domain", "list", "nomatch*"]),
                            ("no record set matches 'w'", ["record", "list", "empty.org", "w"]),
                            ("no record set found", ["record", "list", "empty.org", "--type", "A"]),
                            ("there are no dead letters", ["dead-letters", "show", "all"])):
            self.assertEqual(client(*run, *words), (GOOD, "", f"zonefleet: {said}\n"))
            self.assertEqual(client(*run, "--quiet", *words), (GOOD, "", ""))
        self.assertEqual(self.run_json("domain", "list", "nomatch*"), {"domains": []})

    def test_errors_and_their_statuses(self):
        self.run_client("domain", "create", "errors.org", "--wait")
        for want, pattern, words in (
            (FAILED, "Duplicate: .*exists", ["domain", "create", "errors.org"]),
            (FAILED, "Invalid: value 1: ", ["record", "add", "errors.org", "w", "A", "1"]),
            (FAILED, "Invalid: value 2: ",
             ["record", "set", "errors.org", "w", "A", "192.0.2.1", "x"]),
            (FAILED, r"Invalid: value 1: has too few fields \(CAA: FLAGS TAG \"VALUE\"\)",
             ["record", "add", "errors.org", "w", "CAA", "0 issue"]),
            *((FAILED, f"Invalid: value 2: is empty, so nothing was changed: {delete}for a TXT "
               "record with an empty string, write '\"\"'$",
               ["record", op, "errors.org", "@", "TXT", '"a"', blank])
              for op, blank, delete in (("add", "", ""), ("set", "", TO_DELETE),
                                        ("delete", " ", TO_DELETE))),
            (FAILED, "Invalid: NAME: ",
             ["record", "add", "errors.org", "w.example.", "A", "192.0.2.1"]),
            (FAILED, "Invalid: --email: ", ["domain", "set", "errors.org", "--email", "bad"]),
            (FAILED, "Forbidden: --pool: ", ["domain", "create", "x.org", "--pool", "none"]),
            (FAILED, "Invalid: --sort: must be name, created_at, updated_at or serial, not 'x'",
             ["domain", "list", "--sort", "-x"]),
            (FAILED, "Invalid: --status: must be PENDING, ACTIVE or ERROR, not 'x'",
             ["record", "list", "errors.org", "--status", "x"]),
            (FAILED, "Invalid: --type: must be a record type, not 'AAA': did you mean 'AAAA'",
             ["record", "list", "errors.org", "--type", "AAA"]),
            (FAILED, "Forbidden: only administrators may call 'pool list' .*--admin",
             ["pool", "list"]),
            (USAGE, "Usage: NAME: the name 'x..org' has an empty label",
             ["domain", "create", "x..org"]),
            (NOT_FOUND, "NotFound: there is no domain 'Nothing.org'$",
             ["domain", "show", "Nothing.org"]),
            (NOT_FOUND, "NotFound: there is no TSIG key 'nothing'$",
             ["tsigkey", "show", "nothing", "--admin"]),
            (NOT_FOUND, "NotFound: nothing is not on the blacklist$",
             ["blacklist", "delete", "nothing", "--admin"]),
            *((NOT_FOUND, "NotFound: there is no pool 'nopool'", [*words, "--pool", "nopool", "--admin"])
              for words in (["status"], ["servers"], ["domain", "list"], ["queues"],
                            ["dead-letters", "list"], ["dead-letters", "show", "all"],
                            ["dead-letters", "retry", "all"], ["dead-letters", "drop", "all"],
                            ["server", "drain", "bind"], ["server", "add", "bind"],
                            ["server", "remove", "bind"])),
            (FAILED, "Conflict: .* is not being deleted: delete the domain first",
             ["domain", "abandon", "errors.org"]),
            (NOT_FOUND, "NotFound", ["status", "errors.org", "--tenant", "other"]),
            (NOT_FOUND, "NotFound", ["domain", "import", "x.org", "/does/not/exist"]),
            (USAGE, "Usage: .*final dot", ["record", "add", "errors.org", "w.errors.org", "A", "x"]),
            (USAGE, "Usage: --tenant: must not be empty without --admin", ["quota", "show", "--tenant", ""]),
            (USAGE, "Usage: .*--ttl", ["record", "add", "errors.org", "w", "A", "x", "--ttl", "y"]),
            (UNREACHABLE, "Unavailable: no worker serves the topic nobody", ["ping", "nobody"]),
        ):
            err = self.run_client(*words, want=want)
            self.assertRegex(err, r"\Azonefleet: " + pattern)
            error = self.run_json(*words, want=want)["error"]
            self.assertIn(error["class"], err)
            self.assertIn(error["message"], err)

    def test_help_names_each_sort_key(self):
        self.run_client("domain", "create", "keys.org")
        rows = [row for group in json.loads(client("help", "--json")[1])["groups"]
                for row in group["commands"]]
        for row in rows:
            words = row["words"]
            said = {option["name"]: option["help"] for option in row["options"]}.get("sort")
            if not said:
                continue
            named = re.match("sort by ([^.]*)", said)[1] + " " + "".join(
                re.findall(rf"'{words}' also sorts by ([^.]*)", said))
            domain = ["keys.org"] if words == "record list" else []
            error = self.run_client(*words.split(), *domain, "--sort", "x", want=FAILED)
            taken = re.search("--sort: must be (.*), not 'x'", error)[1]
            self.assertEqual(set(re.findall(r"\w+", named)) - {"or"},
                             set(re.findall(r"\w+", taken)) - {"or"}, words)

    def report_at_nsd(self, name, status, reason):
        """Writes a report, and no attempt follows it."""
        self.fleet.mariadb.sql(
            "UPDATE pool_manager_status s JOIN domains d ON d.id = s.domain_id SET s.status = "
            f"'{status}', s.reason = '{reason}', s.next_attempt_at = NULL "
            f"WHERE d.name = '{name}.' AND s.server_id = 'nsd' AND s.action = 'UPDATE'")

    def test_an_error_names_the_server(self):
        for name in "lag.org", "served.org":
            self.run_client("domain", "create", name, "--wait")
        self.fleet.wait_quiet()         # domains of other tests
        server = self.fleet.nsd
        server.pause()
        self.addCleanup(server.resume)
        document = self.run_json("record", "add", "lag.org", "w", "A", "192.0.2.1", "--wait",
                                 "--wait-timeout", "30", want=IN_ERROR)
        self.assertEqual((document["added"], document["status"]), (1, "ERROR"))
        self.assertRegex(document["error"]["message"], r"lag\.org\..*nsd: ")
        status = self.run_json("status", "lag.org")["domain"]
        self.assertEqual(status["consensus"], {"current": 2, "servers": 3})
        rows = {row["id"]: row for row in status["servers"] if row["action"] == "UPDATE"}
        self.assertEqual({name: row["status"] for name, row in rows.items()},
                         {"bind": "SUCCESS", "knot": "SUCCESS", "nsd": "ERROR"})
        self.report_at_nsd("served.org", "ERROR", "no answer in 2 tries of 3 s")
        code, fleet, _ = client("--config", self.fleet.config, "status", "--admin")
        self.assertEqual(code, FAILED)
        self.assertRegex(fleet, r"(?m)^- \d+ domains? (is|are) in ERROR \('zonefleet domain list ")
        # DOMAINS BEHIND and DOMAINS FAILED: silence says nothing about a domain that the server serves
        self.assertRegex(fleet, r"(?m)^SERVER .* ADDRESS +DOMAINS BEHIND +DOMAINS FAILED "
                                r"+ZONES UNCHECKED +LAST ERROR$")
        row = r"(?m)^nsd +default +ACTIVE +\S+ +nsd +\S+ +1 +{} +\S"
        self.assertRegex(fleet, row.format(1))
        self.report_at_nsd("served.org", "ERROR", "answers with SERVFAIL")
        self.assertRegex(self.run_client("servers", "--admin"), row.format(2))
        self.report_at_nsd("served.org", "SUCCESS", "")
        self.assertRegex(fleet, r"(?m)^lag\.org\. +UPDATE +ERROR ")
        self.assertRegex(self.on_a_terminal("watch", "lag.org", "--until", "active",
                                            "--wait-timeout", "1"),
                         r"lag\.org\. \d+ UPDATE ERROR .*: nsd: no answer")
        self.run_client("domain", "create", "never.org")        # nsd has no row that it serves
        self.assertIn("of 3 servers have", self.run_client("status", "never.org"))
        self.run_client("domain", "delete", "never.org")
        self.fleet.wait_for(lambda: "2 of 3 servers no longer have the zone" in
                            self.run_client("status", "never.org"), 40, "two have deleted it")
        server.resume()
        self.fleet.wait_for(lambda: server.serial("lag.org") == document["serial"], 40,
                            "nsd has caught up")

    def on_a_terminal(self, *words):
        """The progress of a command, on a wide terminal."""
        master, terminal = pty.openpty()
        with open(master, "rb", buffering=0) as shown, open(terminal, "wb") as errors:
            fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 25, 400, 0, 0))
            subprocess.run([ZONEFLEET, "--config", self.fleet.config, *words], stderr=errors,
                           stdout=subprocess.DEVNULL, env=CLEAN, timeout=60)
            return shown.read(65536).decode()

    def test_a_wait_outlasts_an_error_that_heals(self):
        domain = self.run_json("domain", "create", "heals.org", "--wait")["id"]
        self.addCleanup(self.fleet.nsd.resume)
        self.fleet.nsd.pause()
        with subprocess.Popen(
                [ZONEFLEET, "--config", self.fleet.config, "--json", "record", "add", "heals.org",
                 "w", "A", "192.0.2.1", "--wait"],
                stdout=subprocess.PIPE, text=True, env=CLEAN) as waiting:
            self.fleet.wait_state(domain, "UPDATE ERROR", 40)
            self.fleet.nsd.resume()
            document = json.loads(waiting.communicate(timeout=60)[0])
        self.assertEqual((waiting.returncode, document["status"]), (GOOD, "ACTIVE"), document)

    def watching(self, *words):
        """A watch that runs on until the end of the test."""
        watch = self.enterContext(subprocess.Popen(
            [ZONEFLEET, "--config", self.fleet.config, "watch", *words],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=CLEAN))
        self.addCleanup(watch.kill)
        return watch

    def in_error(self, name):
        """A domain whose last change NSD does not get, until the end of the test."""
        domain = self.run_json("domain", "create", name, "--wait")["id"]
        self.addCleanup(self.fleet.nsd.resume)
        self.fleet.nsd.pause()
        self.run_client("record", "add", name, "w", "A", "192.0.2.1")
        self.fleet.wait_state(domain, "UPDATE ERROR", 40)

    def test_a_watch_until_it_recovers(self):
        self.in_error("recovers.org")
        watch = self.watching("recovers.org", "--until", "active")
        self.assertRegex(watch.stdout.readline(), r"\Arecovers\.org\. \d+ UPDATE ERROR ")
        self.fleet.nsd.resume()
        out, err = watch.communicate(timeout=60)
        self.assertEqual((watch.returncode, err), (GOOD, ""), out)
        self.assertRegex(out, r"ACTIVE at serial \d+ after [0-9.]+ s\n\Z")
        self.assertRegex(self.run_client("watch", "recovers.org", "--until", "dead", want=USAGE),
                         "--until: must be active, not 'dead'")

    def test_a_watch_until_active_of_a_deleted_domain(self):
        self.in_error("leaves.org")
        watch = self.watching("leaves.org", "--until", "active")
        self.assertRegex(watch.stdout.readline(), r"\Aleaves\.org\. \d+ UPDATE ERROR ")
        self.run_client("domain", "delete", "leaves.org")
        self.fleet.nsd.resume()
        out, err = watch.communicate(timeout=60)
        self.assertEqual(watch.returncode, NOT_FOUND, out + err)
        self.assertIn("leaves.org. was deleted before it was ACTIVE", err)

    def test_a_watch_with_a_limit_ends_in_error_then(self):
        self.in_error("limit.org")
        err = self.run_client("watch", "limit.org", "--until", "active", "--wait-timeout", "1",
                              want=IN_ERROR)
        self.assertRegex(err, r"InError: limit\.org\. is in ERROR: nsd: ")

    def test_a_watch_outlasts_a_central_that_does_not_answer(self):
        self.run_client("domain", "create", "outlasts.org", "--wait")
        central = self.frozen("central1")
        watch = self.watching("outlasts.org", "--timeout", "1")
        self.assertRegex(watch.stderr.readline(),
                         r"\Aoutlasts\.org\.  central did not answer within 1 s: ")
        for pid in central:
            os.kill(pid, signal.SIGCONT)
        out, err = watch.communicate(timeout=60)
        self.assertEqual(watch.returncode, GOOD, out + err)
        self.assertRegex(out, r"ACTIVE at serial")

    def frozen(self, name):
        """The processes of a worker stand still until the end of the test, or its SIGCONT."""
        pids = self.fleet.members[name].processes()
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
            self.addCleanup(os.kill, pid, signal.SIGCONT)
        return pids

    def test_servers_without_a_report(self):
        """The pool manager has not begun, then mini-DNS: each server is listed, with what it
        waits for."""
        manager = self.frozen("poolmgr1")
        for worker in self.fleet.workers:
            if worker.kind == "minidns":
                self.frozen(worker.name)
        self.run_client("domain", "create", "unreported.org")

        def shown(reason):
            rows = self.run_json("status", "unreported.org")["domain"]["servers"]
            waiting = {row["id"] for row in rows if row["reason"] == reason
                       and (row["action"], row["status"], row["serial"], row["seen_at"]) ==
                       ("UPDATE", None, None, None)}
            text = self.run_client("status", "unreported.org")
            return waiting == {"bind", "knot", "nsd"} == set(re.findall(
                rf"(?m)^(\w+) +ACTIVE +UPDATE +no report yet +\w+ +- +- +- +0 +- +{reason}$", text))
        self.assertTrue(shown("waits until the pool manager creates the zone"))
        for pid in manager:
            os.kill(pid, signal.SIGCONT)
        self.fleet.wait_for(lambda: shown("has not answered mini-DNS about this domain yet"), 30,
                            "the servers have the zone, and no answer has come")

    def test_a_deadline_for_the_wait(self):
        self.run_client("domain", "create", "late.org", "--wait")
        manager = self.fleet.members["poolmgr1"]
        for pid in manager.processes():
            os.kill(pid, signal.SIGSTOP)
            self.addCleanup(os.kill, pid, signal.SIGCONT)
        document = self.run_json("record", "add", "late.org", "w", "A", "192.0.2.1", "--wait",
                                 "--wait-timeout", "1", want=TIMEOUT)
        self.assertEqual((document["status"], document["error"]["class"]), ("PENDING", "Timeout"))
        reason = " ".join(["the pool manager sleeps"] * 21)
        self.fleet.mariadb.sql(f"UPDATE domains SET reason = '{reason}' WHERE name = 'late.org.'")
        err = self.run_client("watch", "late.org", "--wait-timeout", "1", want=TIMEOUT)
        self.assertRegex(err, r"Timeout: late\.org\.: the change is not on the name servers after "
                              rf"\d+\.\d s, and the domain is PENDING: {reason}\n\Z")

    def test_many_changes_at_once(self):
        self.run_client("domain", "create", "many.org", "--wait")
        lines = "# two of one set, and others\nset w 60 A 192.0.2.1\nset w 60 A 192.0.2.2\n" \
                "add @ - MX 10 mail.many.org.\nadd mail 1h AAAA 2001:db8::1\n"
        done = self.run_json("record", "apply", "many.org", "-", "--wait", text=lines)
        self.assertEqual((done["added"], done["status"]), (4, "ACTIVE"))
        changes = json.dumps([{"op": "delete", "name": "w", "type": "A"},
                              {"op": "add", "name": "j", "type": "A", "records": ["192.0.2.9"]}])
        done = self.run_json("record", "apply", "many.org", "-", text=changes)
        self.assertEqual((done["added"], done["deleted"]), (1, 2))
        before = self.run_json("domain", "show", "many.org")["serial"]
        bad = "add a 60 A 192.0.2.1\nadd b 60 A not-an-address\n"
        self.assertIn("standard input:2: ", self.run_client("record", "apply", "many.org", "-",
                                                            text=bad, want=FAILED))
        self.assertEqual(self.run_json("domain", "show", "many.org")["serial"], before)

    def answer(self, name, rtype):
        """What BIND serves."""
        return dns.query.udp(dns.message.make_query(name, rtype), "127.0.0.1",
                             port=self.fleet.name_servers[0].port, timeout=5).answer

    def texts(self, name):
        """What BIND serves as TXT of the name: a list of lists of strings."""
        return sorted([[string.decode() for string in record.strings]
                       for rrset in self.answer(name, "TXT") for record in rrset])

    def test_one_value_is_one_string(self):
        """An argument or a line is one value, and the client says what it made of it."""
        self.run_client("domain", "create", "text.org", "--wait")
        run = "--config", self.fleet.config, "record"
        for words, text, note in (
                (("add", "text.org", "@", "TXT", "v=spf1 -all"), None,
                 'value 1 has one string: "v=spf1 -all"'),
                (("add", "text.org", "@", "TXT", '"a" "b"'), None,
                 'value 1 has 2 strings, which clients join without a blank: "a" "b"'),
                (("apply", "text.org", "-"), "add @ - TXT v=DKIM1; k=rsa\n",
                 'line 1 has one string: "v=DKIM1; k=rsa"'),
                (("add", "text.org", "@", "TXT", "plain", '"in quotes"'), None, None),
                (("add", "text.org", "@", "CAA", "0 issue ca.example; a=b", "--quiet"), None, None),
                (("add", "text.org", "uri", "URI", "10 1 https://x.example/a b"), None,
                 'value 1 has one string: 10 1 "https://x.example/a b"'),
                (("add", "text.org", "long", "TXT", "one", "x" * 300, "--wait"), None,
                 f'value 2 has 2 strings, .*: "{"x" * 255}" "{"x" * 45}"')):
            status, out, err = client(*run, *words, text=text)
            self.assertEqual(status, GOOD, err)
            self.assertRegex(err, rf"\Azonefleet: note: {note}\n\Z" if note else r"\A\Z", words)
        self.assertEqual(self.texts("text.org"),
                         sorted([["v=spf1 -all"], ["a", "b"], ["v=DKIM1; k=rsa"], ["plain"],
                                 ["in quotes"]]))
        self.assertEqual(self.texts("long.text.org"), [["one"], ["x" * 255, "x" * 45]])
        uri, = [record for rrset in self.answer("uri.text.org", "URI") for record in rrset]
        self.assertEqual((uri.priority, uri.weight, uri.target), (10, 1, b"https://x.example/a b"))
        gone = self.run_json("record", "delete", "text.org", "@", "TXT", "v=spf1 -all",
                             "v=DKIM1; k=rsa", '"a" "b"')
        self.assertEqual((gone["deleted"], gone["unchanged"]), (3, 0))
        gone = self.run_json("record", "delete", "text.org", "@", "CAA", "0 issue ca.example; a=b")
        self.assertEqual((gone["deleted"], gone["unchanged"]), (1, 0))
        self.assertIn("too many fields: put each string in quotes",
                      self.run_client("record", "add", "text.org", "@", "HINFO", "PC Linux 6",
                                      want=FAILED))

    def test_names_in_the_letters_of_people(self):
        """They are ASCII for all programs and in JSON; a line about one domain shows both."""
        both = r"bücher\.test\. \(xn--bcher-kva\.test\.\)"
        out = self.run_client("domain", "create", "BÜCHER.test", "--wait", "--ns",
                              "ns1.straße.example,ns2.example.net")
        self.assertRegex(out, rf"\Acreated {both}: serial ")
        self.assertRegex(self.run_client("domain", "show", "bücher.test"), rf"(?m)^name +{both}$")
        self.assertRegex(self.run_client("status", "bücher.test"), rf"(?m)^domain +{both}$")
        self.assertRegex(self.run_client("domain", "show", "bücher.test", env={"LC_ALL": "C"}),
                         r"(?m)^name +xn--bcher-kva\.test\.$")
        self.assertEqual(self.run_json("domain", "show", "bücher.test")["name"],
                         "xn--bcher-kva.test.")
        for pattern in "bücher.test", "*.bücher.test", "*xn--bcher-kva.test.":
            names = [row["name"] for row in self.run_json("domain", "list", pattern)["domains"]]
            self.assertEqual(names, ["xn--bcher-kva.test."] if pattern[1] != "." else [], pattern)
        self.run_client("record", "add", "bücher.test", "größe", "MX", "10 mail.bücher.test.",
                        "--wait")
        sets = self.run_json("record", "list", "bücher.test", "größe")["recordsets"]
        self.assertEqual([(row["name"], row["records"]) for row in sets],
                         [("xn--gre-6ka8i.xn--bcher-kva.test.", ["10 mail.xn--bcher-kva.test."])])
        ns = self.run_json("record", "list", "bücher.test", "@", "--type", "NS")["recordsets"]
        self.assertIn("ns1.xn--strae-oqa.example.", ns[0]["records"])
        for words in (["domain", "create", "☃.test"], ["domain", "create", "a.test", "--ns", "☃.x"],
                      ["record", "add", "bücher.test", "☃", "A", "192.0.2.1"],
                      ["record", "add", "bücher.test", "w", "CNAME", "☃.x."],
                      ["domain", "list", "*☃"]):
            self.assertRegex(self.run_client(*words, want=USAGE),
                             r"\Azonefleet: Usage: .*(☃.* is not valid in a domain name: string "
                             r"contains a disallowed character|must not contain)")

    def test_import_and_export(self):
        zone = "".join(f"h{i}.copy.org. 300 IN A 192.0.2.{i % 250}\n" for i in range(20000))
        soa = "copy.org. 600 IN SOA ns1.copy.org. dns.copy.org. 7 3600 600 86400 60\n" \
              "copy.org. 600 IN NS ns1.copy.org.\nns1.copy.org. 600 IN A 192.0.2.53\n"
        source = Path(self.folder) / "copy.zone"
        source.write_text(soa + zone)
        tenant = "--tenant", "importer"
        self.assertRegex(self.run_client("domain", "import", "copy.org", source, *tenant, want=FAILED),
                         r"OverQuota: .*20002 record sets, but the quota \(domain_recordsets\) is 10000")
        self.run_client("quota", "set", "importer", "domain_recordsets", "30000", "--admin")
        done = self.run_json("domain", "import", "copy.org", source, "--wait", *tenant)
        self.assertEqual((done["read"], done["added"], done["status"]), (20002, 20002, "ACTIVE"))
        target = Path(self.folder) / "copy.exported"
        self.assertIn(": 20002 records in ",
                      self.run_client("domain", "export", "copy.org", target, *tenant))
        self.assertEqual([self.run_json("domain", *command, "copy.org", *tenant)["records"]
                          for command in (("export",), ("show",))], [20002, 20002])
        self.assertTrue(same_zone(source.read_text(), target.read_text()))
        self.assertRegex(target.read_text(), r"\Acopy\.org\. 600 IN SOA ns1\.copy\.org\. ")
        self.assertEqual(self.run_client("domain", "export", "copy.org", *tenant), target.read_text())
        for path, why in (("/no/such/path", "No such file or directory: create the folder first, "
                           "or give another file"), (self.folder, "Is a directory: give another file"),
                          (target / "x", "Not a directory: give another file")):
            self.assertEqual(
                self.run_client("domain", "export", "copy.org", path, *tenant, want=FAILED),
                f"zonefleet: Invalid: cannot write {path}: {why}\n")
        for suffix, packer in ((".gz", "gzip"), (".xz", "xz")):
            self.assertIn(f": give a file without '{suffix}' at the end, and compress it with "
                          f"{packer}\n", self.run_client("domain", "export", "copy.org",
                                                       f"{target}{suffix}", *tenant, want=FAILED))
            self.assertFalse(Path(f"{target}{suffix}").exists())
        packed = source.with_suffix(".zone.xz")
        packed.write_bytes(lzma.compress((soa + zone[:zone.index("h100.")]).encode()))
        done = self.run_json("domain", "import", "copy.org", packed, "--wait", *tenant)
        self.assertEqual((done["added"], done["deleted"]), (0, 19900))
        self.assertTrue(same_zone(self.run_client("domain", "export", "copy.org", *tenant),
                                  lzma.decompress(packed.read_bytes()).decode()))

    def test_an_import_outlasts_a_central_that_does_not_answer(self):
        """Its questions fail meanwhile; standard error, which is no terminal, says so."""
        self.run_client("domain", "create", "calm.org", "--wait")
        source = Path(self.folder) / "calm.zone"
        source.write_text("calm.org. 600 IN NS ns1.calm.org.\nns1.calm.org. 600 IN A 192.0.2.53\n")
        central = self.fleet.members["central1"]
        state = "SELECT 1 FROM imports WHERE domain_name = 'calm.org.' AND worker <> ''"
        with holding(self.fleet.mariadb, "SELECT 1 FROM domains WHERE name = 'calm.org.' FOR UPDATE"):
            running = subprocess.Popen([ZONEFLEET, "--config", self.fleet.config, "--timeout", "1",
                                        "domain", "import", "calm.org", source], env=CLEAN,
                                       text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            wait_for(lambda: self.fleet.mariadb.sql(state), 20, "the commit has begun")
            central.pause()
            try:
                self.assertRegex(running.stderr.readline(),
                                 r"^committing .*central does not answer: .+")
            finally:
                central.resume()
        out, err = running.communicate(timeout=120)
        self.assertEqual(running.returncode, GOOD, err)
        self.assertRegex(out, r"^calm\.org\. serial \d+: read 2, added 2, ")

    def test_what_cannot_be_imported_changes_nothing(self):
        self.run_client("domain", "create", "intact.org", "--wait")
        before = self.run_client("domain", "export", "intact.org")
        head = "@ 600 SOA ns.intact.org. dns.intact.org. 7 1 1 1 1\n@ 600 NS ns.example.net.\n"
        for text, words in ((head + "w 600 A 192.0.2.1\nw 600 A oops\n", ":4: "),
                            (head + "w.example.net. 600 A 192.0.2.1\n", "w.example.net."),
                            (head + "c 60 CNAME a.\nc 60 A 192.0.2.1\n", "CNAME")):
            self.assertIn(words, self.run_client("domain", "import", "intact.org", "-",
                                                 text=text, want=FAILED))
        broken = Path(self.folder) / "broken.xz"
        broken.write_bytes(lzma.compress((head * 9000).encode())[:-40])
        self.assertIn("xz cannot decompress",
                      self.run_client("domain", "import", "intact.org", broken, want=FAILED))
        self.assertEqual(self.run_client("domain", "export", "intact.org"), before)

    def as_bind_reads(self, name, file):
        """The zone as named-compilezone writes it; it runs in the folder of the file."""
        target = Path(self.folder) / "compiled"
        subprocess.run([program("named-compilezone"), "-q", "-i", "none", "-k", "ignore", "-n",
                        "ignore", "-s", "full", "-o", target, name, file.name],
                       cwd=file.parent, check=True)
        return target.read_text()

    def test_zone_files_are_read_as_by_bind(self):
        folder = Path(self.folder) / "zones"
        (folder / "sub").mkdir(parents=True)
        (folder / "sub" / "hosts").write_text("h A 192.0.2.7\n A 192.0.2.8\n$TTL 80\n")
        soa = "@ IN SOA ns1.example.net. h.example.net. 1 3600 600 86400 7200\n"
        ns = "@ IN NS ns1.example.net.\n"
        for number, text in enumerate((
                soa + ns + "www IN A 192.0.2.1\n",
                "$TTL 300\n" + soa + ns + "x A 192.0.2.1\n(60) A 192.0.2.2\n",
                "$TTL 300\n" + soa + ns + "$GENERATE 1-3 host$ A 192.0.2.$\n"
                "$GENERATE 0-32/16 ${0,3,d}.${8,3,n} 60 IN MX \"10 m${-4,2,x}\"\n",
                "$TTL 300\n" + soa + ns + "x 60 A 192.0.2.1\nx 50 A 192.0.2.2\nx 70 MX 1 .\n"
                "y A 192.0.2.1\nx 90 MX 2 m\nz 9 A 192.0.2.1\nz 10 A 192.0.2.2\n",
                "$TTL 300\n" + soa + ns + "a A 192.0.2.1\n$INCLUDE sub/hosts in\n"
                " MX 1 m\nb A 192.0.2.2\n")):
            name = f"bind{number}.org"
            file = folder / f"{number}.zone"
            file.write_text(text)
            self.run_client("domain", "import", name, file)
            self.assertTrue(same_zone(self.run_client("domain", "export", name),
                                      self.as_bind_reads(name, file)), text)

    def import_zone(self, name, text, *words):
        """(exit status, document) of an import of TEXT as zone.txt, which has an SOA record."""
        file = Path(self.folder) / "zone.txt"
        file.write_text("$TTL 60\n@ SOA ns.example.net. dns.example.net. 7 1 1 1 1\n"
                        "@ NS ns.example.net.\n" + text)
        status, out, err = client("--config", self.fleet.config, "--json", "domain", "import",
                                  name, file, *words)
        self.assertTrue(out, err)
        return status, json.loads(out), err

    def test_a_refused_record_has_a_line(self):
        lines = [f"h{i} A 192.0.2.1" for i in range(20000)]
        (Path(self.folder) / "included").write_text("\nsub SOA . . 1 1 1 1 1\n")
        for at, line, place, words in (
                (15000, "sub SOA . . 1 1 1 1 1", "zone.txt:15004", "type: must not be SOA"),
                (0, "sub SOA . . 1 1 1 1 1", "zone.txt:4", "type: must not be SOA"),
                (9, "$INCLUDE included", "included:2", "type: must not be SOA"),
                (15000, "h3 CNAME x.", "zone.txt:15004", "has a CNAME record and other records"),
                (7000, "a CNAME x.\na CNAME y.", "zone.txt:7005", "more than one CNAME"),
                (19999, "@ SOA . . 1 1 1 1 1", "zone.txt:20003", "at most one SOA record")):
            broken = lines[:at] + [line] + lines[at + 1:]
            status, document, err = self.import_zone("lines.org", "\n".join(broken) + "\n",
                                                     "--admin")
            self.assertEqual((status, err), (FAILED, ""))
            self.assertTrue(document["error"]["message"].startswith(f"{self.folder}/{place}: "),
                            document)
            self.assertIn(words, document["error"]["message"])

    def test_a_record_set_with_several_ttls(self):
        text = "x 5 A 192.0.2.1\nx 9 A 192.0.2.2\ny 5 A 192.0.2.1\nx 7 A 192.0.2.3\nx 7 MX 1 .\n"
        status, document, err = self.import_zone("ttls.org", text)
        self.assertEqual(status, GOOD, err)
        self.assertEqual([re.sub(".*/zone.txt", "zone.txt", w) for w in document["warnings"]],
                         ["zone.txt:5: the TTL is 9, but earlier records of this record set have "
                          "the TTL 5: the record gets the TTL 5",
                          "zone.txt:7: 'x.ttls.org. A' has several TTLs, from 5 to 7: the record "
                          "set gets 7, the TTL of its last record"])
        sets = self.run_json("record", "list", "ttls.org", "x", "--type", "A")["recordsets"]
        self.assertEqual([s["ttl"] for s in sets], [7])

    def test_records_outside_the_domain(self):
        text = "www A 192.0.2.1\nmail.example.com. A 192.0.2.1\n A 192.0.2.2\nlast A 192.0.2.1\n"
        status, document, err = self.import_zone("inside.org", text)
        self.assertEqual((status, err), (FAILED, ""))
        self.assertRegex(document["error"]["message"], r"zone\.txt:5: 'mail\.example\.com\.' is "
                         r"outside the domain 'inside\.org\.': use --ignore-out-of-zone ")
        status, document, err = self.import_zone("inside.org", text, "--ignore-out-of-zone")
        self.assertEqual((status, document["read"]), (GOOD, 3))
        self.assertEqual([w.partition(": ")[0].rpartition("/")[2] for w in document["warnings"]],
                         ["zone.txt:5", "zone.txt:6"])
        self.assertEqual(err, "".join(f"warning: {w}\n" for w in document["warnings"]))
        many = "".join(f"h{i}.example.com. A 192.0.2.1\n" for i in range(250))
        status, document, err = self.import_zone("inside.org", many, "--ignore-out-of-zone")
        self.assertEqual((status, len(document["warnings"]), document["more_warnings"]),
                         (GOOD, 100, 150))
        self.assertTrue(err.endswith("warning: there are 150 more warnings\n"))
        status, document, err = self.import_zone("inside.org", many, "--ignore-out-of-zone", "-q")
        self.assertEqual((len(document["warnings"]), err), (100, ""))

    def test_a_reader_that_ends_early_ends_the_reading(self):
        """As head does: the client asks for no further page, and has not failed."""
        self.run_client("domain", "create", "head.org", "--wait")
        self.run_json("record", "apply", "head.org", "-",
                      text="".join(f"add h{i} - A 192.0.2.1\n" for i in range(4000)))

        def pages():
            page = self.fleet.members["central1"].page("/metrics")[1]
            return int(re.search(r'zonefleet_requests_total{method="find_recordsets"} (\d+)',
                                 page)[1])
        for words, most in ((["record", "list", "head.org"], 2),
                            (["record", "list", "head.org", "--json"], 2),
                            (["domain", "export", "head.org"], 0)):
            before = pages()
            reader, writer = os.pipe()
            os.close(reader)
            with open(writer, "wb") as out:
                done = subprocess.run([ZONEFLEET, "--config", self.fleet.config, *words],
                                      stdout=out, stderr=subprocess.PIPE, env=CLEAN)
            self.assertEqual((done.returncode, done.stderr), (GOOD, b""), words)
            self.assertLessEqual(pages() - before, most, words)
        with open("/dev/full", "wb") as out:
            done = subprocess.run([ZONEFLEET, "--config", self.fleet.config, "domain", "export",
                                   "head.org"], stdout=out, stderr=subprocess.PIPE, env=CLEAN)
        self.assertEqual(done.returncode, FAILED)
        self.assertIn(b"No space left", done.stderr)

    def test_an_export_of_a_changing_zone_is_one_version(self):
        self.run_client("domain", "create", "busy.org", "--wait")
        lines = "".join(f"add h{i} - A 192.0.2.1\n" for i in range(4000))
        self.run_json("record", "apply", "busy.org", "-", text=lines)
        stop = threading.Event()

        def change():
            for i in range(40):
                if stop.is_set():
                    return
                client("--config", self.fleet.config, "record", "set", "busy.org", "marker", "TXT",
                       f"v{i}")
        changer = threading.Thread(target=change)
        changer.start()
        try:
            status, out, err = client("--config", self.fleet.config, "domain", "export", "busy.org")
        finally:
            stop.set()
            changer.join()
        if status == GOOD:
            self.assertEqual(len(re.findall(r" SOA ", out)), 1)
            self.assertGreaterEqual(len(out.splitlines()), 4003)
        else:
            self.assertIn("changed during the export", err)
            self.assertEqual(out, "")

    def test_administrators_work(self):
        admin = ["--admin"]
        self.run_json("pool", "create", "edge", "--ns", "a.example.net,b.example.net.", *admin)
        self.run_json("pool", "set", "edge", "--description", "far out", *admin)
        pool = self.run_json("pool", "show", "edge", *admin)
        self.assertEqual((pool["ns_records"], pool["description"], pool["servers"]),
                         (["a.example.net.", "b.example.net."], "far out", []))
        self.assertIn("edge", [p["name"] for p in self.run_json("pool", "list", *admin)["pools"]])
        servers = {server["id"] for server in self.run_json("pool", "show", *admin)["servers"]}
        self.assertEqual(servers, {"bind", "knot", "nsd"})
        self.run_json("blacklist", "add", "kept.org", "--description", "ours", *admin)
        self.assertIn("kept.org.", self.run_client("blacklist", "list", *admin))
        self.run_client("domain", "create", "a.kept.org", want=FAILED)
        self.run_json("blacklist", "delete", "kept.org", *admin)
        self.run_client("blacklist", "delete", "kept.org", *admin, want=NOT_FOUND)
        quota = self.run_json("quota", "set", "small", "domains", "0", *admin)
        self.assertEqual((quota["tenant"], quota["domains"]), ("small", 0))
        self.assertIn("OverQuota", self.run_client("domain", "create", "q.org", "--tenant", "small",
                                                   want=FAILED))
        for words in ["-1"], ["--", "-1"]:
            quota = self.run_json("quota", "set", "small", "domains", *admin, *words)
            self.assertEqual(quota["domains"], -1)
        own = self.run_json("quota", "show", "--tenant", "small")
        self.assertEqual(own["domains"], -1)
        self.run_client("quota", "show", "other", "--tenant", "small", want=FAILED)
        again = self.run_json("quota", "set", "small", "domains", "default", *admin)
        self.assertEqual(again["domains"], self.run_json("quota", "show", "new", *admin)["domains"])
        self.assertNotEqual(again["domains"], -1)
        self.assertIn("domains", self.run_client("quota", "set", "small", "domains", "unlimited", *admin))
        self.run_client("domain", "create", "used.small.org", "--tenant", "small")
        shown = [line.split() for line in self.run_client("quota", "show", "--tenant",
                                                          "small").splitlines()]
        self.assertEqual(shown[:3], [["tenant", "small"], ["RESOURCE", "LIMIT", "SOURCE", "USED"],
                                     ["domains", "unlimited", "tenant", "1"]])
        self.assertIn(["domain_records", "100000", "settings", "-"], shown)
        self.run_client("quota", "set", "small", "export_recordsets", "0", *admin)
        listed = [line.split() for line in self.run_client("quota", "list", *admin).splitlines()]
        self.assertIn(["small", "export_recordsets", "0", "-"], listed)
        self.assertEqual([row["own"] for row in self.run_json("quota", "list", *admin)["quotas"]
                          if row["tenant"] == "small"], [["domains", "export_recordsets"]])
        self.assertIn("(export_recordsets) is 0", self.run_client(
            "domain", "export", "used.small.org", "--tenant", "small", want=FAILED))
        self.assertEqual(self.run_json("quota", "reset", "small", *admin)["own"], [])
        self.run_client("domain", "export", "used.small.org", "--tenant", "small")
        self.run_client("quota", "list", "--tenant", "small", want=FAILED)
        for words, said in ((["show", "smal"], "zonefleet: note: the tenant 'smal' has no domains yet: "
                                               "check the spelling\n"), (["show"], "")):
            status, _, err = client("--config", self.fleet.config, "quota", *words, *admin)
            self.assertEqual((status, err), (GOOD, said))

    def test_a_pool_without_a_pool_manager(self):
        """The way out of the trap: each step says what is missing."""
        admin = ["--admin"]
        missing = "no pool manager of pool 'second' is running"
        without = client("--config", self.fleet.config, "pool", "create", "second", *admin)
        self.assertIn("warning: the pool second has no hosts for NS records", without[2])
        self.assertIn("--ns: must contain a host", self.run_client(
            "domain", "create", "trap.org", "--pool", "second", *admin, want=FAILED))
        _, _, err = client("--config", self.fleet.config, "pool", "set", "second", "--ns",
                           "ns.example.net", *admin)
        self.assertEqual(err, "")
        created = client("--config", self.fleet.config, "domain", "create", "trap.org", "--pool",
                         "second", *admin)
        self.assertEqual((created[0], created[2]), (GOOD, f"warning: {missing}\n"))
        status, out, _ = client("--config", self.fleet.config, "--json", "domain", "create",
                                "trap2.org", "--pool", "second", *admin)
        self.assertEqual((status, json.loads(out)["warnings"]), (GOOD, [missing]))
        self.assertRegex(self.run_client("domain", "show", "trap.org", *admin),
                         rf"(?m)^reason +{missing}$")
        status, out, _ = client("--config", self.fleet.config, "status", *admin)
        self.assertEqual(status, FAILED)
        self.assertIn(f"\n- {missing}\n", out)
        self.assertIn("has 2 domains", self.run_client("pool", "delete", "second", *admin,
                                                       want=FAILED))
        deleted = client("--config", self.fleet.config, "domain", "delete", "trap.org", *admin)
        self.assertEqual((deleted[0], deleted[2]), (GOOD, f"warning: {missing}\n"))
        for name in "trap.org", "trap2.org":
            self.assertIn(missing, self.run_client("domain", "delete", name, "--wait",
                                                   "--wait-timeout", "1", *admin, want=TIMEOUT))
            self.run_client("domain", "abandon", name, "--yes", *admin)
        self.assertEqual(self.run_client("pool", "delete", "second", *admin),
                         "deleted the pool second\n")
        self.run_client("pool", "show", "second", *admin, want=NOT_FOUND)
        self.assertNotIn(missing, client("--config", self.fleet.config, "status", *admin)[1])

    def test_keys(self):
        admin = ["--admin"]
        self.run_client("domain", "create", "keyed.org")
        out = self.run_client("tsigkey", "create", "Xfr.Keyed.org", "--domain", "keyed.org",
                              *admin)
        self.assertRegex(out, r"\Acreated xfr\.keyed\.org\.: hmac-sha256, id [0-9a-f]{32}\n\Z")
        plain = self.run_client("tsigkey", "show", "xfr.keyed.org", *admin)
        self.assertRegex(plain, r"(?m)^domain +keyed\.org\.$")
        shown = self.run_client("tsigkey", "show", "xfr.keyed.org", "--secret", *admin)
        secret = re.search(r"(?m)^secret +(\S{44})$", shown)[1]
        self.assertNotIn(secret, plain)
        key = self.run_json("tsigkey", "show", "xfr.keyed.org", *admin)
        self.assertNotIn("secret", key)
        self.assertEqual(self.run_json("tsigkey", "show", key["id"], "--secret", *admin),
                         key | {"secret": secret})
        self.assertEqual(self.run_client("tsigkey", "rotate", "xfr.keyed.org", *admin),
                         "xfr.keyed.org. has a new secret\n")
        changed = self.run_json("tsigkey", "show", "xfr.keyed.org", "--secret", *admin)
        self.assertNotEqual(changed["secret"], secret)
        for word in ("list", "rotate xfr.keyed.org", "show xfr.keyed.org"):
            said = self.run_client("tsigkey", *word.split(), *admin)
            self.assertNotIn(changed["secret"], said)
        self.assertRegex(self.run_client("tsigkey", "list", *admin),
                         r"(?m)^xfr\.keyed\.org\. +hmac-sha256 +keyed\.org\. +\d{4}-")
        self.assertEqual(self.run_client("tsigkey", "delete", "xfr.keyed.org", *admin),
                         "deleted xfr.keyed.org.\n")
        self.run_client("tsigkey", "show", "xfr.keyed.org", *admin, want=NOT_FOUND)

    def test_a_secret_from_a_file(self):
        admin = ["--admin", "--secret"]
        first, second = "c2l4dGVlbiBvY3RldHMhIQ==", "c2V2ZW50ZWVuIG9jdGV0cyE="
        file = Path(self.folder) / "key.secret"
        file.write_text(first + "\n")
        self.run_client("tsigkey", "create", "filed", "--secret-file", file, "--algorithm",
                        "hmac-sha512", "--admin")
        key = self.run_json("tsigkey", "show", "filed", *admin)
        self.assertEqual((key["algorithm"], key["secret"]), ("hmac-sha512", first))
        self.run_client("tsigkey", "rotate", "filed", "--secret-file", "-", "--admin", text=second)
        self.assertEqual(self.run_json("tsigkey", "show", "filed", *admin)["secret"], second)
        self.run_client("tsigkey", "rotate", "filed", "--algorithm", "hmac-sha1", "--admin")
        key = self.run_json("tsigkey", "show", "filed", *admin)
        self.assertEqual((key["algorithm"], len(key["secret"])), ("hmac-sha1", 28))

    def test_secrets_that_are_none(self):
        self.run_client("tsigkey", "create", "kept", "--admin")
        before = self.run_json("tsigkey", "show", "kept", "--secret", "--admin")
        file = Path(self.folder) / "bad.secret"
        for octets in (b"", b"\n", b"c2hvcnQ=", b"\xff" * 32, b"\0" * 32, b"A" * 5000,
                       b"c2l4dGVlbiBv Y3RldHMhIQ==", b"c2l4dGVlbiBvY3RldHMhIQ==\0A"):
            file.write_bytes(octets)
            for words in ["create", "never"], ["rotate", "kept"]:
                err = self.run_client("tsigkey", *words, "--secret-file", file, "--admin",
                                      want=FAILED)
                self.assertRegex(err, r"\Azonefleet: Invalid: .*secret")
                self.assertNotIn("c2", err)
        self.run_client("tsigkey", "create", "never", "--secret-file", "/does/not/exist",
                        "--admin", want=NOT_FOUND)
        self.run_client("tsigkey", "show", "never", "--admin", want=NOT_FOUND)
        self.assertEqual(self.run_json("tsigkey", "show", "kept", "--secret", "--admin"), before)
        self.run_client("tsigkey", "create", "never", "--domain", "a..b", "--admin", want=USAGE)
        self.run_client("tsigkey", "create", "never", "--domain", "no.such.org", "--admin",
                        want=FAILED)

    def test_keys_as_name_servers_have_them(self):
        """Each of them takes the clause as it is."""
        checks = {"bind": ("named-checkconf", "FILE"), "nsd": ("nsd-checkconf", "FILE"),
                  "knot": ("knotc", "-c", "FILE", "conf-check")}
        for algorithm in "hmac-sha1", "hmac-sha224", "hmac-sha256", "hmac-sha384", "hmac-sha512":
            name = f"{algorithm}.on-servers"
            self.run_client("tsigkey", "create", name, "--algorithm", algorithm, "--admin")
            key = self.run_json("tsigkey", "show", name, "--secret", "--admin")
            for server, (command, *words) in checks.items():
                clause = self.run_client("tsigkey", "show", name, "--format", server, "--admin")
                for value in f"{name}.", algorithm, key["secret"]:
                    self.assertEqual(clause.count(value), 1 + name.count(value))
                file = Path(self.folder) / f"key.{server}"
                file.write_text(clause)
                run([program(command), *(file if word == "FILE" else word for word in words)])
            clause = self.run_client("tsigkey", "show", name, "--format", "powerdns", "--admin")
            self.assertEqual(json.loads(clause), {"name": f"{name}.", "algorithm": algorithm,
                                                  "key": key["secret"]})
        document = self.run_json("tsigkey", "show", name, "--format", "bind", "--admin")
        self.assertNotIn("secret", document)
        self.assertIn(key["secret"], document["clause"])
        self.assertIn("bind, knot, nsd or powerdns",
                      self.run_client("tsigkey", "show", name, "--format", "tinydns", "--admin",
                                      want=USAGE))

    def test_tenants_and_pages(self):
        for i in range(3):
            self.run_client("domain", "create", f"p{i}.pages.org", "--tenant", "pages")
        names = [d["name"] for d in self.run_json("domain", "list", "--tenant", "pages")["domains"]]
        self.assertEqual(names, [f"p{i}.pages.org." for i in range(3)])
        names = [d["name"] for d in self.run_json("domain", "list", "--tenant", "pages", "--limit",
                                                  "2", "--sort", "-name")["domains"]]
        self.assertEqual(names, ["p2.pages.org.", "p1.pages.org."])
        everyone = self.run_json("domain", "list", "*pages.org.", "--admin", "--all-tenants",
                                 "--tenant", "none")["domains"]
        self.assertEqual(len(everyone), 3)
        self.assertEqual(self.run_json("domain", "list", "--tenant", "none")["domains"], [])

    def test_patterns(self):
        def domains(pattern):
            found = self.run_json("domain", "list", pattern, "--tenant", "patterns")["domains"]
            return [domain["name"] for domain in found]

        def owners(pattern):
            found = self.run_json("record", "list", "web.patterns.org", pattern,
                                  "--tenant", "patterns")["recordsets"]
            return sorted({found["name"].removesuffix(".web.patterns.org.") for found in found})
        for name in "shop.patterns.org", "web.patterns.org":
            self.run_client("domain", "create", name, "--tenant", "patterns")
        for owner in "www", "*.www", "x.www", "_dmarc", "a._dmarc":
            self.run_client("record", "add", "web.patterns.org", owner, "TXT", '"t"',
                            "--tenant", "patterns")
        self.assertEqual(domains("*SHOP*"), ["shop.patterns.org."])
        for pattern in "*patterns*", "*patterns.org", "*patterns.org.", "*.Patterns*", "*p*t*s.*":
            self.assertEqual(domains(pattern), ["shop.patterns.org.", "web.patterns.org."], pattern)
        self.assertEqual(domains("shop.patterns"), [])
        for pattern, want in {"*.www": ["*.www"], "*www": ["*.www", "www", "x.www"],
                              "WWW*": ["www"], "*_dmarc": ["_dmarc", "a._dmarc"],
                              "x*": ["x.www"], "*.ww*": ["*.www", "x.www"], "\\*.www": ["*.www"],
                              "\\*.www*": ["*.www"]}.items():
            self.assertEqual(owners(pattern), want, pattern)

    def test_all_tenants_is_for_lists_of_administrators(self):
        self.assertIn("only an administrator may list the objects of all tenants",
                      self.run_client("domain", "list", "--all-tenants", want=FAILED))
        for words in (("domain", "show", "example.org"), ("record", "list", "example.org"),
                      ("pool", "list")):
            self.assertIn("does not accept --all-tenants",
                          self.run_client(*words, "--all-tenants", want=USAGE), words)

    def test_nothing_from_the_wire_reaches_the_terminal_raw(self):
        self.run_client("domain", "create", "evil.org", "--description", "\033[2Jgone\u202e")
        out = self.run_client("domain", "show", "evil.org")
        self.assertIn(r"\027[2Jgone\226\128\174", out)
        self.assertEqual(self.run_json("domain", "show", "evil.org")["description"],
                         "\033[2Jgone\u202e")

    def test_the_database(self):
        self.assertIn("present", self.run_client("db", "migrate"))
        version = self.run_json("db", "version")
        self.assertEqual(version["have"], version["want"])
        document = {"version": version["want"], "applied": []}

        def sql(text):
            return self.fleet.mariadb.sql(text, administrator=True)
        before = sql("SELECT @@GLOBAL.innodb_flush_log_at_trx_commit")[0][0]
        self.addCleanup(sql, f"SET GLOBAL innodb_flush_log_at_trx_commit = {before}")
        self.addCleanup(sql, "SET GLOBAL max_allowed_packet = 67108864")
        sql("SET GLOBAL innodb_flush_log_at_trx_commit = 1")
        self.assertEqual(self.run_json("db", "migrate"), document)
        sql("SET GLOBAL innodb_flush_log_at_trx_commit = 2; "
            "SET GLOBAL max_allowed_packet = 33554432")
        status, out, err = client("--config", self.fleet.config, "--json", "db", "migrate")
        warnings = json.loads(out)["warnings"]
        self.assertEqual((status, json.loads(out)), (GOOD, document | {"warnings": warnings}))
        self.assertEqual(err, "".join(f"warning: {text}\n" for text in warnings))
        self.assertEqual(len(warnings), 2)
        self.assertRegex(warnings[0], "must be at least 67108864, not 33554432: .*"
                                      "'max_allowed_packet = 64M'")
        self.assertRegex(warnings[1], "must be 1, not 2: .*'innodb_flush_log_at_trx_commit = 1'")
        self.assertIn("present", self.run_client("db", "migrate"))

    def test_settings_of_the_client(self):
        config = Path(self.folder) / "client.cfg"
        config.touch(0o600)
        config.write_text(render(merged(self.fleet.settings, {"client": {"tenant": "configured"}})))
        client("--config", config, "domain", "create", "configured.org")
        out = client("--config", config, "domain", "list")[1]
        self.assertRegex(out, r"configured\.org\. .*configured\n")


class Health(unittest.TestCase):
    """One command says whether the fleet is well, and what is missing."""

    SECONDS = 40

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="zonefleet-health-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.fleet = StoryFleet.start(
            self.folder, central=1, poolmgr=1, minidns=1, name_servers=("bind",),
            settings=merged(SETTINGS, {"fleet": {"period": 1, "timeout": 3}}))
        self.addCleanup(self.fleet.kill)

    def status(self, *words):
        return client("--config", self.fleet.config, "status", *words, "--admin")[:2]

    def ping(self, *words):
        """The exit status, and the topics that answered."""
        status, out, _ = client("--config", self.fleet.config, "ping", *words, "--admin")
        return status, set(re.findall(r"(?m)^(\S+) answered in [0-9.]+ ms$", out))

    def wait_status(self, want, *lines):
        """Until the exit status is WANT and the output has these lines."""
        def seen():
            status, out = self.status()
            return status == want and all(re.search(rf"(?m)^{line}$", out) for line in lines)
        self.fleet.wait_for(seen, self.SECONDS, f"status {want} with {lines}")

    def shows_failure(self, error=""):
        """A domain that a server lacks. It is in ERROR, or ACTIVE because the other servers serve it."""
        if error:
            self.fleet.mariadb.sql("UPDATE domains SET task = 'UPDATE', status = 'ERROR' "
                                   "WHERE name = 'health.org.'")
        self.fleet.mariadb.sql("UPDATE pool_manager_status SET status = 'ERROR', reason = 'refused' "
                               "WHERE action = 'UPDATE'")
        status, out = self.status()
        return (status == FAILED and error in out and
                "- server bind of pool 'default' has a failure on 1 domain: refused\n" in out)

    def test_a_wait_names_the_server_that_is_missing(self):
        def change(*words):
            status, _, err = client("--config", self.fleet.config, *words, "--wait",
                                    "--wait-timeout", "3")
            self.assertEqual(status, TIMEOUT, err)
            return err
        self.fleet.bind.pause()
        self.addCleanup(self.fleet.bind.resume)
        self.assertRegex(change("domain", "create", "paused.org"),
                         r"paused\.org\. \d+ ADD (PENDING|ERROR)  bind (waiting|ERROR)")
        self.fleet.bind.resume()
        self.fleet.cli("watch", "paused.org", "--until", "active")
        self.fleet.bind.pause()
        self.assertRegex(change("record", "add", "paused.org", "w", "A", "192.0.2.1"),
                         r"paused\.org\. \d+ UPDATE (PENDING|ERROR)  bind \d+ (behind|ERROR)")
        self.fleet.bind.resume()
        self.fleet.cli("watch", "paused.org", "--until", "active")
        self.wait_status(GOOD, "the fleet is well")

    def test_a_pool_manager_that_is_stopped(self):
        """SIGTERM ends it: its last heartbeat counts as old at once."""
        self.fleet.cli("domain", "create", "stopped.org", "--wait")
        self.fleet.members["poolmgr1"].stop()
        reason = "no pool manager of pool 'default' is running"
        self.fleet.cli("record", "add", "stopped.org", "w", "A", "192.0.2.1")
        self.fleet.wait_for(lambda: self.fleet.cli("sync", "stopped.org").get("warnings") ==
                            [reason], self.SECONDS, "a change warns")
        shown = self.fleet.cli("status", "stopped.org")["domain"]
        self.assertEqual((shown["status"], shown["reason"]), ("PENDING", reason))
        self.wait_status(FAILED, "the fleet is not well:", f"- {reason}")
        self.fleet.restart("poolmgr1")
        self.wait_status(GOOD, "the fleet is well", "no domain is PENDING or in ERROR")

    def test_what_is_missing(self):
        self.fleet.cli("domain", "create", "health.org", "--wait")
        self.wait_status(GOOD, "the fleet is well", "no domain is PENDING or in ERROR",
                         "bind +default +ACTIVE +OK .*")
        for worker, reason, health in (
                ("minidns1", "no mini-DNS is running", "NO_MINIDNS"),
                ("poolmgr1", "no pool manager of pool 'default' is running", "NO_POOL_MANAGER")):
            kind = worker[:-1]
            with self.subTest(worker=worker):
                topic = {"minidns1": "minidns", "poolmgr1": "pool_manager.default"}[worker]
                self.assertEqual(self.ping(), (GOOD, {"central", "minidns",
                                                      "pool_manager.default"}))
                self.fleet.kill9(worker)
                self.assertEqual(self.ping("--timeout", "1"), (
                    TIMEOUT, {"central", "minidns", "pool_manager.default"} - {topic}))
                status, _, err = client("--config", self.fleet.config, "ping", topic,
                                        "--timeout", "1")
                self.assertEqual(status, TIMEOUT)
                self.assertIn(f"{topic}: no answer in 1 s: check that zonefleet-{kind} is running",
                              err)
                self.wait_status(FAILED, "the fleet is not well:", f"- {reason}",
                                 f"bind +default +ACTIVE +{health} .*")
                rows = self.fleet.cli("workers", "--admin")["workers"]
                self.assertEqual({row["status"] for row in rows if kind in row["plugin_name"]},
                                 {"dead"})
                self.assertRegex(self.status("health.org")[1],
                                 rf"(?m)^bind +ACTIVE +UPDATE +SUCCESS +{health} ")
                for words in (("record", "add", "health.org", worker, "A", "192.0.2.1"),
                              ("domain", "set", "health.org", "--ttl", "77"), ("sync", "health.org")):
                    self.assertEqual(self.fleet.cli(*words)["warnings"], [reason])
                shown = self.fleet.cli("status", "health.org")["domain"]
                self.assertEqual((shown["status"], shown["reason"]), ("PENDING", reason))
                self.fleet.restart(worker)
                self.wait_status(GOOD, "the fleet is well")
        self.fleet.mariadb.sql(         # of a pool manager with a wrong pool_name
            "INSERT INTO pool_servers (pool_name, id, backend, host, port, state) "
            "VALUES ('nopool', 'bind', 'bind9', '127.0.0.1', 53, 'ACTIVE')")
        self.assertNotIn("nopool", self.status()[1])
        self.fleet.wait_for(self.shows_failure, self.SECONDS, "a domain failed on a server")
        self.fleet.wait_for(lambda: self.shows_failure("- 1 domain is in ERROR ("), self.SECONDS,
                            "a domain in ERROR failed on a server")
        self.fleet.cli("sync", "health.org")
        self.fleet.cli("watch", "health.org", "--until", "active")
        self.fleet.mariadb.sql("UPDATE pool_manager_status SET status = 'SUCCESS', reason = ''")
        self.fleet.cli("server", "drain", "bind", "--admin")
        self.assertIn("- no name server of pool 'default' is in service\n", self.status()[1])
        self.assertRegex(self.status("health.org")[1], r"(?m)^bind +DRAINED +UPDATE ")
        self.fleet.cli("server", "add", "bind", "--admin")
        self.fleet.mariadb.sql(
            "INSERT INTO repairs (object_uuid, server_id, kind, state, pool_name, name, serial, "
            "pass1_at, updated_at) VALUES ('x.org.', 'bind', 'STRAY', 'PARKED', 'default', "
            "'x.org.', 1, NOW(3), NOW(3))")
        self.wait_status(FAILED, r"- 1 repair is PARKED \('zonefleet repairs --admin'\)")
        problems = json.loads(client("--config", self.fleet.config, "--json", "status",
                                     "--admin")[1])["problems"]
        self.assertEqual(len(problems), 1, problems)
        self.fleet.mariadb.pause()
        self.addCleanup(self.fleet.mariadb.resume)
        self.assertRegex(client("--config", self.fleet.config, "--timeout", "1", "status",
                                "--admin")[2],
                         "Timeout: central did not answer within 1 s: check that zonefleet-central "
                         "is running, and that its database answers")
        self.assertRegex(client("--config", self.fleet.config, "--timeout", "1", "ping",
                                "--admin")[2],
                         r"\Azonefleet: central does not list the services, so the client does not "
                         "ping ports, routes, ownership and the pool managers of pools except "
                         "'default': central did not answer within 1 s")


class TheRootZone(WithFleet):
    """It is above all other domains, so it has a fleet of its own."""

    @unittest.skipUnless(ROOT_ZONES, "the root zone is not here; the generated zones are tested")
    def test_import_export_delete(self):
        source = ROOT_ZONES[0]
        done = self.run_json("domain", "import", ".", source, "--admin", "--wait")
        self.assertEqual(done["status"], "ACTIVE")
        text = lzma.open(source, "rt").read()
        self.assertTrue(same_zone(text, self.run_client("domain", "export", ".", "--admin")))
        self.run_json("domain", "delete", ".", "--admin", "--wait")


if __name__ == "__main__":
    unittest.main()

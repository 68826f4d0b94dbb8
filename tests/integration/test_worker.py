"""The life of a worker: start, serve, change, lose a process, drain, end."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import unittest
import urllib.error
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "deploy"))
sys.path.insert(0, str(ROOT / "tests" / "support"))

from lab.mariadb import MariaDb
from lab.process import free_port, tail, wait_for
from holding import holding
from lent import story_rabbitmq
from scarce import limited

DRIVERS = Path(os.environ.get("BUILD", ROOT / "build")).resolve() / "drivers"
TOY = DRIVERS / "toy_worker"
EX_USAGE, EX_TEMPFAIL, EX_CONFIG = 64, 75, 78
PROCESSES = 2

SETTINGS = """\
broker: {{ url = "{url}"; }};
database: {{ host = "127.0.0.1:{db_port}"; user = "zonefleet"; password = "{password}"; }};
log: {{ level = "info"; core_dumps = {core_dumps}; }};
toy: {{ processes = {processes}; metrics = "127.0.0.1:0"; {more} }};
central: {{ anything = "is another program's"; }};
"""


def settings(url="rabbit://guest:guest@127.0.0.1:1/", db_port=1, password="none",
             processes=PROCESSES, more="", core_dumps="false"):
    return SETTINGS.format(**locals())


def run_toy(*arguments):
    done = subprocess.run([TOY, *arguments], capture_output=True, text=True, timeout=30)
    return done.returncode, done.stdout, done.stderr


def is_running(pid):
    """A process that ended but was not waited for yet runs no more."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


class Toy:
    """toy_worker under a service manager of our own: a socket that hears what it tells."""

    def __init__(self, folder, text):
        self.folder = Path(tempfile.mkdtemp(dir=folder))
        self.config = self.folder / "zonefleet.cfg"
        self.log = self.folder / "log"
        self.configure(text)
        self.manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.manager.bind(str(self.folder / "notify"))
        self.manager.setblocking(False)
        self.told = []
        env = os.environ | {"NOTIFY_SOCKET": str(self.folder / "notify"),
                            "WATCHDOG_USEC": "2000000"}
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen([TOY, "--config", self.config], stderr=log,
                                            stdin=subprocess.DEVNULL, env=env)

    def configure(self, text):
        self.config.write_text(text)
        self.config.chmod(0o600)

    def hear(self):
        """Empties the manager's socket, which holds ten messages and no more."""
        while True:
            try:
                self.told += self.manager.recv(4096).decode().split("\n")
            except BlockingIOError:
                return

    def tells(self, words):
        """Did it tell the service manager so, now or earlier?"""
        self.hear()
        return words in self.told

    def logs(self, pattern, times=1):
        return len(re.findall(pattern, self.log.read_text())) >= times

    def wait(self, condition, what, seconds=20):
        def condition_while_hearing():
            self.hear()
            return condition()
        return wait_for(condition_while_hearing, seconds, what, [self.log])

    def wait_log(self, pattern, times=1, seconds=20):
        self.wait(lambda: self.logs(pattern, times), f"{times} x {pattern} in the log", seconds)

    def wait_ready(self):
        self.wait(lambda: self.tells("READY=1"), "READY=1")
        return self

    def children(self):
        return {int(pid) for pid in
                Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()}

    def page(self, path, method="GET"):
        self.wait_log(r"page_port=\d+")
        port = re.search(r"page_port=(\d+)", self.log.read_text())[1]
        request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", method=method)
        try:
            with urllib.request.urlopen(request, timeout=5) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def metric(self, name):
        found = re.search(rf"^zonefleet_{name} (\S+)$", self.page("/metrics")[1], re.M)
        return float(found[1]) if found else None

    def wait_healthy(self):
        self.wait(lambda: self.page("/healthz")[0] == 200, "/healthz is 200")

    def end(self, signum=signal.SIGTERM, seconds=12):
        self.process.send_signal(signum)
        return self.process.wait(seconds)

    def clear(self):
        """For the end of a test, however it went; the children follow their parent."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.manager.close()


class CommandLine(unittest.TestCase):
    """What needs no servers."""

    def config(self, text):
        file = tempfile.NamedTemporaryFile("w", suffix=".cfg")
        self.addCleanup(file.close)
        file.write(text)
        file.flush()
        return file.name

    def test_help_names_every_setting(self):
        code, out, err = run_toy("--help")
        self.assertEqual((code, err), (0, ""))
        for words in ("--config FILE", "--check", "processes", "prefetch", "greeting",
                      "answers pings", "url", "password", "level", "syslog",
                      "core_dumps"):
            self.assertIn(words, out)

    def test_version(self):
        code, out, _ = run_toy("--version")
        self.assertEqual(code, 0)
        self.assertEqual(out, "zonefleet-toy unversioned\n")    # a program has one: test_deploy

    def test_the_sample_is_a_good_file(self):
        code, sample, err = run_toy("--sample")
        self.assertEqual((code, err), (0, ""))
        path = self.config(sample)
        self.assertEqual(run_toy("--check", f"--config={path}"),
                         (0, f"zonefleet-toy: {path}: good\n", ""))

    def test_the_placeholder_of_the_samples_is_refused(self):
        for text, key in ((settings(password="change-me"), "database.password"),
                          (settings(url="rabbit://toy:change-me@127.0.0.1:1/"), "broker.url")):
            path = self.config(text)
            code, out, err = run_toy("--check", "--config", path)
            self.assertEqual((code, out), (EX_CONFIG, ""))
            self.assertIn(f'zonefleet-toy: {path}: {key}: still contains "change-me"', err)

    def test_settings_and_help_name_the_same(self):
        code, out, err = run_toy("--settings")
        self.assertEqual((code, err), (0, ""))
        text = run_toy("--help")[1]
        groups = json.loads(out)
        self.assertIn("toy", [group["group"] for group in groups])
        for group in groups:
            self.assertIn(f"\n{group['group']}: {group['help']}\n", text)
            for row in group["rows"]:
                self.assertRegex(text, rf"\n    {row['key']} +{re.escape(row['values'][:20])}")

    def test_metrics_before_the_start(self):
        path = self.config(settings(processes=3))
        code, out, err = run_toy("--metrics", "--config", path)
        self.assertEqual((code, err), (0, ""))
        self.assertIn("\nzonefleet_processes 3\n", out)
        self.assertIn('\nzonefleet_requests_total{method="other"} 0\n', out)
        self.assertEqual(run_toy("--metrics", "--config", "/nonexistent")[0], EX_CONFIG)

    def test_what_cannot_be_understood_is_refused(self):
        for arguments, words in (
                (["--nonsense"], "unknown argument '--nonsense': see --help"),
                (["extra"], "unknown argument 'extra': see --help"),
                (["--check", "-x"], "unknown argument '-x': see --help"),
                (["--chekc"], "unknown argument '--chekc': did you mean '--check'?"),
                (["--confg", "x"], "unknown argument '--confg': did you mean '--config'?"),
                (["--config"], "--config needs the path of the settings file")):
            code, out, err = run_toy(*arguments)
            self.assertEqual((code, out), (EX_USAGE, ""), arguments)
            self.assertEqual(err, f"zonefleet-toy: {words}\n")

    def test_bad_settings_are_named(self):
        for text, words in [
                (settings(processes=65), "toy.processes"),
                (settings(more='greeting = "rude";'), "toy.greeting: must not be rude"),
                (settings(more='unknown = 1;'), "toy.unknown"),
                (settings().replace('"info"', '"loud"'), "log.level"),
                (settings(url="http://localhost/"), "rabbit"),
                (settings(db_port="x"), "127.0.0.1:x"),
                (settings() + "nowhere: { x = 1; };", "nowhere")]:
            path = self.config(text)
            for arguments in ["--check", "--config", path], ["--config", path]:
                code, _, err = run_toy(*arguments)
                self.assertEqual(code, EX_CONFIG, text)
                self.assertIn(words, err)

    def test_a_missing_file_is_named(self):
        code, _, err = run_toy("--config", "/nonexistent/zonefleet.cfg")
        self.assertEqual(code, EX_CONFIG)
        self.assertIn("/nonexistent/zonefleet.cfg", err)


class Life(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.broker = story_rabbitmq(Path(cls.folder.name) / "rabbitmq")
        cls.broker.launch()
        cls.broker.wait_ready()
        cls.addClassCleanup(cls.broker.release)
        cls.database = MariaDb.start(Path(cls.folder.name) / "mariadb")
        cls.addClassCleanup(cls.database.stop)

    def settings(self, **changes):
        given = {"url": self.broker.url, "db_port": self.database.port,
                 "password": self.database.password}
        return settings(**(given | changes))

    def start(self, **changes):
        toy = Toy(self.folder.name, self.settings(**changes))
        self.addCleanup(toy.clear)
        return toy

    def call_command(self, method, arguments, seconds):
        return [DRIVERS / "rpc_driver", "call", self.broker.url, "toy", method,
                json.dumps(arguments), str(seconds * 1000)]

    def call(self, method, seconds=10, **arguments):
        done = subprocess.run(self.call_command(method, arguments, seconds), timeout=60,
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def ping(self):
        answer = self.call("ping")
        self.assertEqual(answer["err"], "ok", answer)
        return answer["result"]

    def test_it_serves_shows_itself_and_ends(self):
        toy = self.start().wait_ready()
        self.assertEqual(len(toy.children()), PROCESSES)
        self.assertIn(self.ping()["pid"], toy.children())
        self.assertTrue(toy.tells(f"STATUS={PROCESSES} of {PROCESSES} processes ready"))
        toy.told.clear()
        toy.wait(lambda: toy.tells("WATCHDOG=1"), "WATCHDOG=1")
        self.assertEqual(toy.page("/healthz"), (200, "ok\n"))
        self.assertEqual(toy.page("/metrics", "HEAD"), (200, ""))
        self.assertEqual(toy.page("/nothing")[0], 404)
        self.assertEqual(toy.page("/metrics", "POST")[0], 405)
        self.assertEqual(toy.metric("processes"), PROCESSES)
        self.assertEqual(toy.metric("process_starts_total"), PROCESSES)
        toy.wait(lambda: toy.metric("toy_turns_total") > PROCESSES, "the timers turn")
        self.assertGreater(toy.metric(r'timer_seconds_count\{timer="turn"\}'), 0)
        self.assertEqual(toy.end(), 0)
        self.assertTrue(toy.tells("STOPPING=1"))
        self.assertFalse(toy.logs("process ended"), tail(toy.log))

    def test_its_memory_is_its_own(self):
        """No core and no tracing, unless a developer asks for them."""
        for core_dumps, dumpable in ("false", 0), ("true", 1):
            toy = self.start(core_dumps=core_dumps).wait_ready()
            self.assertEqual(self.ping()["dumpable"], dumpable)
            self.assertEqual(toy.end(), 0)

    def test_a_process_that_died_comes_back(self):
        toy = self.start().wait_ready()
        toy.wait(lambda: toy.metric("toy_turns_total") > 0, "the timers turn")
        before, turns = toy.children(), toy.metric("toy_turns_total")
        for pid in before:
            os.kill(pid, signal.SIGKILL)
        toy.wait_log(r'process ended: .* reason="SIGKILL"', PROCESSES)
        toy.wait(lambda: len(toy.children()) == PROCESSES, "two processes again")
        toy.wait_healthy()
        self.assertFalse(before & toy.children())
        self.assertIn(self.ping()["pid"], toy.children())
        self.assertGreaterEqual(toy.metric("toy_turns_total"), turns)
        self.assertEqual(toy.metric("process_starts_total"), 2 * PROCESSES)
        self.assertEqual(toy.end(), 0)

    def test_a_broken_invariant_costs_three_processes_and_no_more(self):
        """The broker delivers again what was in hand when a process died."""
        toy = self.start(processes=1).wait_ready()
        answer = self.call("crash", seconds=40)
        self.assertEqual(answer["err"], "internal", answer)
        self.assertIn("crashed 3 processes", answer["why"])
        toy.wait_log(r'process ended: .* reason="SIGABRT', 3)
        self.assertIn(self.ping()["pid"], toy.children())
        self.assertFalse(toy.logs(r'process ended: .* reason="SIGABRT', 4))
        self.assertEqual(toy.end(), 0)

    def test_what_is_in_hand_is_finished(self):
        toy = self.start(processes=1).wait_ready()
        toy.process.send_signal(signal.SIGUSR1)
        with subprocess.Popen(self.call_command("sleep", {"seconds": 3}, 30), text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as caller:
            toy.wait_log("toy sleeping")
            self.assertEqual(toy.end(), 0)
            answer = json.loads(caller.communicate(timeout=10)[0])
        self.assertEqual(answer["err"], "ok", answer)
        self.assertTrue(toy.logs("debug: process finishes its work"), tail(toy.log))

    def test_what_takes_too_long_is_killed_and_comes_again(self):
        toy = self.start(processes=1).wait_ready()
        with subprocess.Popen(self.call_command("sleep", {"seconds": 13}, 60), text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as caller:
            toy.wait_log("toy sleeping")
            self.assertEqual(toy.end(), 0)
            self.assertTrue(toy.logs("processes killed"), tail(toy.log))
            next_one = self.start(processes=1).wait_ready()
            answer = json.loads(caller.communicate(timeout=40)[0])
        self.assertEqual(answer["err"], "ok", answer)
        self.assertEqual(next_one.end(), 0)

    def test_settings_change_in_the_running_program(self):
        toy = self.start().wait_ready()
        self.assertEqual(self.ping()["greeting"], "hello")
        toy.configure(self.settings(more='greeting = "good morning"; prefetch = 7;'))
        toy.process.send_signal(signal.SIGHUP)
        toy.wait_log("settings applied")
        toy.wait_log(r"setting not applied: key=toy.prefetch")
        toy.wait(lambda: self.ping()["greeting"] == "good morning", "the new greeting")
        toy.configure(self.settings(more='greeting = "rude";'))
        toy.process.send_signal(signal.SIGHUP)
        toy.wait_log(r"settings kept: .*must not be rude")
        for _ in range(2 * PROCESSES):
            answer = self.ping()
            self.assertEqual((answer["greeting"], answer["reloads"]), ("good morning", 1))
        self.assertEqual(toy.end(signal.SIGINT), 0)

    def test_no_process_outlives_its_supervisor(self):
        toy = self.start().wait_ready()
        children = toy.children()
        toy.process.kill()
        toy.process.wait()
        toy.wait(lambda: not any(map(is_running, children)), "the processes are gone", 11)

    def test_settings_that_only_a_process_can_judge(self):
        toy = self.start(more="refuse = true;")
        self.assertEqual(toy.process.wait(20), EX_CONFIG)
        self.assertTrue(toy.logs("toy.refuse: says so"))
        self.assertFalse(toy.tells("READY=1"))

    def test_it_waits_for_its_database(self):
        port = free_port()
        toy = self.start(db_port=port)
        toy.wait_log("database not usable", PROCESSES)
        wanted = "".join(f"process {process} is not ready: cannot connect to the database: "
                         ".*\\(2002\\)\n" for process in range(PROCESSES))
        toy.wait(lambda: re.fullmatch(wanted, toy.page("/healthz")[1]), "it says why")
        self.assertEqual(toy.page("/healthz")[0], 503)
        self.assertFalse(toy.tells("READY=1"))
        self.assertEqual(toy.end(), 0)

    def test_a_process_that_loses_its_database_at_its_start(self):
        """The supervisor forks it from a loop: it waits a moment, and tries again."""
        waiting = ("SELECT id FROM information_schema.processlist "
                   "WHERE info LIKE 'UPDATE toy%' AND command <> 'Killed'")
        self.database.sql("CREATE TABLE toy_starts (starts INT NOT NULL); "
                          "INSERT INTO toy_starts VALUES (0)")
        toy = self.start(processes=1, more="enters = true;").wait_ready()
        with holding(self.database, "SELECT starts FROM toy_starts FOR UPDATE"):
            os.kill(*toy.children(), signal.SIGKILL)
            for losses in 1, 2:
                (connection,), = wait_for(lambda: self.database.sql(waiting), 20, "it waits")
                self.database.sql(f"KILL {connection}")
                toy.wait_log("database lost", losses)
        toy.wait_healthy()
        self.assertEqual(self.database.sql("SELECT starts FROM toy_starts"), [["2"]])
        self.assertEqual(toy.metric("process_starts_total"), 2)
        self.assertFalse(toy.logs("SIGABRT"), tail(toy.log))
        self.assertEqual(toy.end(), 0)

    def test_it_outlives_a_restart_of_the_broker(self):
        toy = self.start().wait_ready()
        self.broker.stop()
        toy.wait(lambda: toy.page("/healthz")[0] == 503, "/healthz is 503")
        self.assertRegex(toy.page("/healthz")[1], "process . is not ready: broker: ")
        self.broker.launch()
        self.broker.wait_ready()
        toy.wait_healthy()
        self.assertIn(self.ping()["pid"], toy.children())
        self.assertEqual(toy.metric("process_starts_total"), PROCESSES)
        self.assertEqual(toy.end(), 0)

    def test_it_outlives_a_lack_of_descriptors(self):
        """It gives signs of life, and takes settings that it could not read."""
        toy = self.start().wait_ready()
        children = toy.children()
        toy.process.send_signal(signal.SIGUSR1)     # debug: each try to read them has a line
        with limited([toy.process.pid, *children]):
            self.broker.close_connections()
            toy.wait_log("no file descriptor left: wanted=\"the broker\"", PROCESSES)
            toy.configure(self.settings(more='greeting = "good morning";'))
            toy.process.send_signal(signal.SIGHUP)
            toy.wait_log("settings kept: .*Too many open files")
            toy.wait_log("debug: old settings still kept: .*Too many open files", 2)
            toy.hear()
            toy.told.clear()
            toy.wait(lambda: toy.tells("WATCHDOG=1"), "WATCHDOG=1")
        toy.wait_healthy()
        toy.wait(lambda: self.ping()["greeting"] == "good morning", "the new greeting")
        self.assertEqual(toy.children(), children)
        self.assertGreater(toy.metric("descriptor_lacks_total"), 0)
        self.assertEqual(toy.end(), 0)

    def test_it_waits_for_descriptors_at_its_start(self):
        """Not as for wrong settings, after which no service manager starts it again."""
        config = Path(self.folder.name) / "few.cfg"
        config.write_text(self.settings())
        config.chmod(0o600)
        for count in range(4, 10):
            with self.subTest(count=count):
                toy = subprocess.Popen(["prlimit", f"--nofile={count}", TOY, "--config", config],
                                        stderr=subprocess.PIPE, text=True)
                self.addCleanup(toy.stderr.close)
                self.addCleanup(toy.wait)
                self.addCleanup(toy.kill)
                said = next(line for line in toy.stderr
                            if "no file descriptor left" in line or "Too many open files" in line)
                toy.terminate()
                self.assertIn(toy.wait(20), (0, EX_TEMPFAIL, -signal.SIGTERM), said)

    def test_a_page_that_cannot_listen(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            toy = Toy(self.folder.name, self.settings().replace(
                "127.0.0.1:0", f"127.0.0.1:{port}"))
            self.addCleanup(toy.clear)
            self.assertEqual(toy.process.wait(20), EX_CONFIG)
        self.assertTrue(toy.logs(f"cannot listen on .*:{port}"), tail(toy.log))


if __name__ == "__main__":
    unittest.main(verbosity=2)

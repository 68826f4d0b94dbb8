"""A whole fleet: RabbitMQ, MariaDB, three name servers, any number of our own workers.

    with Fleet.start(folder) as fleet:
        fleet.cli("domain", "create", "example.org.", "--email", "hostmaster@example.org")
        fleet.wait_for(lambda: fleet.bind.serial("example.org"), 10, "BIND serves it")
        fleet.kill9("central1")
        fleet.restart("central1")
"""

import base64
import http.client
import json
import os
import re
import signal
from pathlib import Path

from .accounts import Accounts
from .bind import Bind
from .knot import Knot
from .mariadb import MariaDb
from .nsd import Nsd
from .powerdns import PowerDns
from .process import HOST, PATH, LabError, Server, free_port, run, tail, wait_for
from .rabbitmq import RabbitMq

REPOSITORY = Path(__file__).resolve().parents[2]
BINARIES = REPOSITORY / os.environ.get("BUILD", "build") / "bin"

# The workers: a settings group and a program each, and how many of it a fleet has by default.
KINDS = {"central": 2, "poolmgr": 2, "minidns": 2, "ports": 0, "routes": 0}
NAME_SERVERS = {"bind": Bind, "knot": Knot, "nsd": Nsd, "powerdns": PowerDns}
DRIVEN = ("bind", "knot", "nsd")                # by a backend of their own
TAIL_LINES = 15
REPORT_LINES = 80

# What the log of a program must not have: a sanitizer's report, or the death of a process
# that was not killed, nor started (75) when its database was away.
TROUBLE = re.compile(r'ERROR: \w+Sanitizer|^\S+:\d+:\d+: runtime error: '
                     r'|process ended: .* reason="(?!SIGKILL"|exit 75")', re.M)

# short, so that a test sees a retry and a periodic sync within seconds
DEFAULTS = {
    "log": {"level": "debug"},
    "central": {"processes": 1},
    "poolmgr": {
        "processes": 1,
        "pool_name": "default",
        "threshold_percentage": 100,
        "poll_timeout": 2,
        "poll_retry_interval": 1,
        "poll_max_retries": 3,
        "periodic_sync_interval": 10,
    },
    "minidns": {"processes": 1},
}


# ---- the settings file ----

def _render_value(value, indent):
    if isinstance(value, dict):
        return "{\n" + _render_group(value, indent + "\t") + indent + "}"
    if isinstance(value, (list, tuple)):
        marks = "()" if value and isinstance(value[0], dict) else "[]"
        items = ", ".join(_render_value(item, indent) for item in value)
        return marks[0] + items + marks[1]
    scalar = value if isinstance(value, (bool, int)) else str(value)
    return json.dumps(scalar, ensure_ascii=False)


def _render_group(group, indent=""):
    return "".join(f"{indent}{key} = {_render_value(value, indent)};\n"
                   for key, value in group.items())


def merged(settings, changes):
    """Settings with changes laid over them, group by group."""
    result = dict(settings)
    for key, value in changes.items():
        old = result.get(key)
        both_groups = isinstance(value, dict) and isinstance(old, dict)
        result[key] = merged(old, value) if both_groups else value
    return result


def fleet_key(name):
    """A line of fleet.keys or fleet.agent_keys: an id and a secret."""
    return f"{name}:{base64.b64encode(os.urandom(32)).decode()}"


def render(settings):
    """Settings, a dictionary of groups, as a configuration file."""
    return _render_group(settings)


def _bind_settings(server):
    return {"default": {"rndc_key_file": server.key_file, "stats_url": server.stats_url},
            "servers": [{"id": server.name, "host": server.host, "port": server.port,
                         "rndc_host": server.host, "rndc_port": server.rndc_port}]}


def _knot_settings(server):
    return {"servers": [{"id": server.name, "host": server.host, "port": server.port,
                         "socket": server.socket, "template": server.template}]}


def _nsd_settings(server):
    settings = {"id": server.name, "host": server.host, "port": server.port,
                "control": server.control_address, "pattern": server.pattern}
    return {"servers": [settings | server.key_files]}


def _powerdns_settings(server):
    return {"default": {"api_key": server.api_key},
            "servers": [{"id": server.name, "host": server.host, "port": server.port,
                         "url": server.url}]}


def _catalog_settings(server):
    return {"servers": [{"id": server.name, "host": server.host, "port": server.port}]}


# name server: its backend's name, and what the backend must know of it
BACKENDS = {
    "bind": ("bind9", _bind_settings),
    "knot": ("knot", _knot_settings),
    "nsd": ("nsd", _nsd_settings),
    "powerdns": ("powerdns", _powerdns_settings),
}


# ---- our own programs ----

class Worker(Server):
    """A program of ours: a supervisor and its processes; ready when its page says so."""

    stop_seconds = 15           # it promises ten

    def __init__(self, folder, kind, settings, **options):
        super().__init__(folder, **options)
        self.kind = kind
        self.metrics_port = free_port()
        own = {kind: {"metrics": f"{self.host}:{self.metrics_port}"}}
        self.settings = merged(settings, own)
        self.config = self.folder / "zonefleet.cfg"
        self.binaries = BINARIES    # a story may want others, for its next start,
        self.variables = {}         # or further ones in its environment
        self.configure({})

    def configure(self, changes):
        """Writes its settings with changes, for its next start or reload()."""
        self.settings = merged(self.settings, changes)
        self.write(self.config.name, render(self.settings))

    def reload(self):
        os.kill(self.pid, signal.SIGHUP)

    def command(self):
        return [self.binaries / f"zonefleet-{self.kind}", "--config", self.config]

    def environment(self):
        return super().environment() | _sanitizer_options() | self.variables

    def is_ready(self):
        return self.page("/healthz")[0] == 200

    def page(self, path):
        """(status, text) of a page of its metrics server; (None, "") if none answered."""
        link = http.client.HTTPConnection(self.host, self.metrics_port, timeout=2)
        try:
            link.request("GET", path)
            answer = link.getresponse()
            return answer.status, answer.read().decode()
        except (OSError, http.client.HTTPException):
            return None, ""
        finally:
            link.close()

    def processes(self):
        """The pids of the processes that do the work."""
        children = Path(f"/proc/{self.pid}/task/{self.pid}/children")
        return [int(pid) for pid in children.read_text().split()]

    def stop(self):
        """Ends it by SIGTERM; one that did not drain and exit with 0 is an error, and so is
        one that had trouble in its life."""
        was_running = self.pid
        super().stop()
        if was_running and self.exit_status != 0:
            raise LabError(f"{self.name} ended with status {self.exit_status}\n"
                           f"{tail(self.log)}")
        self._check_log()

    def _check_log(self):
        text = self.log.read_text(errors="replace") if self.log.exists() else ""
        trouble = TROUBLE.search(text)
        if trouble:
            lines = text[text.rfind("\n", 0, trouble.start()) + 1:].splitlines()
            raise LabError("\n".join([f"the log of {self.name} contains an error",
                                      f"--- {self.log}", *lines[:REPORT_LINES]]))


def _sanitizer_options():
    return {name: value for name, value in os.environ.items()
            if name.endswith("SAN_OPTIONS")}


# ---- all together ----

class Fleet:
    """.members by name: rabbitmq, mariadb, bind, knot, nsd, central1, central2, ...

    .rabbitmq, .mariadb, .bind, .knot and .nsd are the servers; .workers are ours.
    """

    broker, database = RabbitMq, MariaDb

    def __init__(self, folder, name_servers=DRIVEN, settings=None, leave_running=False,
                 servers=None, own_accounts=False, **counts):
        """COUNTS of workers over KINDS: central=1.

        SETTINGS over DEFAULTS: {"log": {"level": "info"}}.

        SERVERS have options of their own: {"mariadb": {"settings": ["--max-connections=9"]}}.
        With OWN_ACCOUNTS each program has an account at the broker and at the database (.accounts).
        Without, all share one that has all rights.
        """
        self.folder = Path(folder).resolve()
        self.own = servers or {}
        self.options = {"leave_running": leave_running}
        if counts.keys() - KINDS.keys():
            raise TypeError(f"{sorted(counts.keys() - KINDS.keys())}: not in KINDS")
        self.counts = KINDS | counts
        self.members = {}
        self.workers = []
        self.minidns_ports = [free_port() for _ in range(self.counts["minidns"])]
        self.rabbitmq = self._add("rabbitmq", self.broker)
        self.mariadb = self._add("mariadb", self.database)
        self.accounts = Accounts(self.rabbitmq, self.mariadb) if own_accounts else None
        masters = [(HOST, port) for port in self.minidns_ports]
        self.name_servers = [self._add(name, NAME_SERVERS[name], masters=masters)
                             for name in name_servers]
        self.settings = merged(merged(DEFAULTS, self._wiring()), settings or {})
        self.config = self.folder / "zonefleet.cfg"
        self._write_config()

    def _add(self, name, kind, **options):
        options |= self.options | self.own.get(name, {})
        server = kind(self.folder / name, **options)
        self.members[name] = server
        setattr(self, name, server)
        return server

    def _wiring(self):
        masters = [f"{HOST}:{port}" for port in self.minidns_ports]
        backends = {}
        for server in self.name_servers:
            backend, describe = BACKENDS[server.name]
            if getattr(server, "catalog", None):
                backend, describe = "catalog", _catalog_settings
            others = backends.get(backend, {"servers": []})["servers"]
            backends[backend] = describe(server)
            backends[backend]["servers"] += others
        return {
            "broker": {"url": self.rabbitmq.url, "exchange": "zonefleet"},
            "database": {"host": self.mariadb.hosts, "user": self.mariadb.user,
                         "password": self.mariadb.password, "name": self.mariadb.database},
            "fleet": {"keys": fleet_key("lab"), "agent_keys": fleet_key("lab-agents")},
            "poolmgr": {"masters": masters},
            "minidns": {"listen": masters[:1]},
            "backends": backends,
        }

    def _write_config(self):
        self.config.touch(0o600)
        self.config.write_text(render(self.settings))

    def agent_settings(self):
        """What an agent on another machine shares with the fleet: no key of the fleet's."""
        keys = {"fleet": {"keys": ""}}
        return merged({group: self.settings[group] for group in ("broker", "fleet")}, keys)

    # What a user does

    @classmethod
    def start(cls, folder, **options):
        """A fleet that is ready: the servers side by side, the schema, the workers."""
        fleet = cls(folder, **options)
        try:
            fleet._start_servers()
            fleet.cli("db", "migrate", as_json=False)
            fleet._start_workers()
        except BaseException:
            fleet.kill()
            raise
        return fleet

    def cli(self, *arguments, as_json=True, seconds=60):
        """Runs the client; returns the JSON value that it printed, or its text."""
        options = ["--config", self.config, *(["--json"] if as_json else [])]
        env = {"PATH": PATH, "HOME": str(self.folder), "LANG": "C.UTF-8"}
        out = run([BINARIES / "zonefleet", *options, *arguments],
                  env=env | _sanitizer_options(), seconds=seconds)
        return json.loads(out) if as_json else out

    def kill9(self, name):
        self.members[name].kill9()

    def restart(self, name):
        self.members[name].restart()

    def wait_for(self, condition, seconds, what):
        """wait_for() with the ends of our workers' logs."""
        try:
            return wait_for(condition, seconds, what)
        except LabError as error:
            tails = [tail(worker.log, TAIL_LINES) for worker in self.workers]
            raise LabError("\n".join([str(error), *tails])) from None

    def stop(self):
        """Stops all, ours first, whatever goes wrong on the way; then tells what did."""
        errors = []
        for member in reversed(self.members.values()):
            try:
                member.release()
            except LabError as error:
                errors.append(str(error))
        if errors:
            raise LabError("\n".join(errors))

    def kill(self):
        for member in reversed(self.members.values()):
            member.kill9()

    def __enter__(self):
        return self

    def __exit__(self, failed, *_):
        if failed:
            self.kill()
        else:
            self.stop()

    # Start, in its order

    def _start_servers(self):
        servers = list(self.members.values())
        for server in servers:
            server.launch()
        for server in servers:
            server.wait_ready()

    def _start_workers(self):
        if self.accounts:
            self.accounts.make()
        for kind in KINDS:
            for number in range(self.counts[kind]):
                self._add_worker(kind, number)
        for worker in self.workers:
            worker.launch()
        for worker in self.workers:
            worker.wait_ready()

    def _settings_of(self, number):
        """What the NUMBERth worker of its kind is told."""
        return self.settings

    def _add_worker(self, kind, number):
        settings = self._settings_of(number)
        if kind == "minidns":
            listen = f"{HOST}:{self.minidns_ports[number]}"
            settings = merged(settings, {"minidns": {"listen": [listen]}})
        if self.accounts:
            settings = merged(settings, self.accounts.settings_of(kind))
        folder = self.folder / f"{kind}{number + 1}"
        worker = Worker(folder, kind, settings, **self.options)
        self.members[worker.name] = worker
        self.workers.append(worker)

"""A fleet and a caller of central: what the stories of the whole way have in common."""

import contextlib
import gzip
import itertools
import lzma
import re
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "deploy"))
sys.path.insert(0, str(ROOT / "tests" / "support"))

from caller import Caller                                       # noqa: E402
from lab.dns import canonical                                   # noqa: E402, F401
from lab.fleet import BINARIES, Fleet, merged                   # noqa: E402, F401
from lab.process import LabError, program, run, tail, wait_for  # noqa: E402, F401
from lent import story_rabbitmq                                 # noqa: E402

NS = "ns1.example.net."

DAY = 86400

# short, so that a story sees an error, a retry and a sync within seconds; and what no story waits
# for is seldom
SETTINGS = {
    "broker": {"check_period": 60},
    "central": {"ns_records": [NS], "hostmaster": "hostmaster@example.net"},
    "poolmgr": {"poll_timeout": 1, "poll_retry_interval": 1, "poll_max_retries": 2,
                "periodic_sync_interval": 3, "server_check_interval": DAY},
    "fleet": {"period": 1, "timeout": 3, "lock_ttl": 3},
}

# a binding that a story takes away stays away
NO_CHECKS = {"broker": {"check_period": 86400}}

# What changes with time in a table is nobody's doing.
TIMELESS = {
    "domains": "*",             # as rows, so that a failure shows which column changed
    "worker_nodes": "service, status",
    "distributed_locks": "object_uuid",
    "port_comparisons": "feed",
    "tenant_usage": "tenant, domains",
    "scheduler_state": "strategy, label, IF(label = '#', 0, position)",    # "#": a lock
    "routers": "name, description, dns, label, capacity, ttl, state, zone, bound, rev, done_rev, "
               "serial, zone_status, reason",
    "pool_manager_status":
        "server_id, domain_id, action, status, serial_number, failed_serial, reason",
}


# addresses that neither a port nor a router can have, and the word for each
NO_HOSTS = (("0.0.0.0", "unspecified"), ("0.1.2.3", "unspecified"), ("127.0.0.1", "loopback"),
            ("169.254.169.254", "link-local"), ("224.0.0.1", "multicast"),
            ("239.1.2.3", "multicast"), ("255.255.255.255", "broadcast"), ("::", "unspecified"),
            ("::1", "loopback"), ("fe80::1", "link-local"), ("ff02::1", "multicast"),
            ("::ffff:127.0.0.1", "loopback"))


def start_fleet(folder, settings=None, **options):
    return StoryFleet.start(folder, settings=merged(SETTINGS, settings or {}), **options)


class StoryFleet(Fleet):

    broker = staticmethod(story_rabbitmq)

    def set_threshold(self, percentage):
        """In the running pool managers, as an operator would."""
        for worker in self.poolmgrs:
            taken = worker.log.read_text().count("settings applied")
            worker.configure({"poolmgr": {"threshold_percentage": percentage}})
            worker.reload()
            wait_for(lambda: worker.log.read_text().count("settings applied") > taken, 10,
                     "the pool manager takes its settings", [worker.log])

    @property
    def poolmgrs(self):
        return [worker for worker in self.workers if worker.kind == "poolmgr"]

    def state(self, domain_id):
        """(task and status, reason), also of a domain that is deleted."""
        rows = self.mariadb.sql("SELECT CONCAT(task, ' ', status), reason FROM domains "
                                f"WHERE id = '{domain_id}'")
        return (rows[0][0], rows[0][1]) if rows else ("gone", "")

    def wait_state(self, domain_id, wanted, seconds=20):
        """Returns the reason that came with it."""
        self.wait_for(lambda: self.state(domain_id)[0] == wanted, seconds,
                      f"the domain {domain_id} is {wanted}")
        return self.state(domain_id)[1]

    def wait_quiet(self, seconds=60):
        """Until nothing is owed to any server."""
        owed = "SELECT name FROM domains WHERE status IN ('PENDING', 'ERROR')"
        self.wait_for(lambda: not self.mariadb.sql(owed), seconds, "all domains settle")

    def stored(self):
        """What the database has, by the table: its rows, or a checksum."""
        sql = self.mariadb.sql
        tables = {row[0] for row in sql("SHOW TABLES")} - TIMELESS.keys()
        # central removes the row of a tenant without domains when it comes to it
        rows = {table: [row for row in sorted(sql(f"SELECT {columns} FROM {table}"))
                        if table != "tenant_usage" or row[1] != "0"]
                for table, columns in TIMELESS.items()}
        return rows | {table: [checksum] for table, checksum
                       in sql("CHECKSUM TABLE " + ", ".join(tables))}

    def changed_since(self, stored):
        """What the database has otherwise, by the table: the rows, or the checksum, that only
        one of both has."""
        return {table: [row for row in [*now, *stored[table]]
                        if row not in now or row not in stored[table]]
                for table, now in self.stored().items() if now != stored[table]}

    @contextlib.contextmanager
    def away(self, server):
        """SERVER is stopped within, and runs again when the context ends."""
        server.stop()
        try:
            yield
        finally:
            server.launch()
            self.wait_answers(server)

    def wait_answers(self, server):
        """Until it is ready, and each process of the pool managers knows that."""
        server.wait_ready()
        self.wait_for(lambda: not self.troubles(server.name), 60,
                      f"the pool managers know that {server.name} answers")

    def troubles(self, server):
        """How many processes of the pool managers only probe the server, by the channel."""
        pattern = rf'^zonefleet_server_(?:failing|silent)_processes{{server="{server}"}} (\S+)$'
        return sum(float(number) for worker in self.poolmgrs
                   for number in re.findall(pattern, worker.page("/metrics")[1], re.MULTILINE))

    def processes(self):
        """The pids of all that work, by the worker."""
        return {worker.name: worker.processes() for worker in self.workers}

    def logs(self):
        return "\n".join(tail(worker.log) for worker in self.workers)


# server: what it knows of its zones, in its folder
KNOWLEDGE = {
    "bind": ("data/*",),
    "knot": ("data/*", "confdb"),
    "nsd": ("data/*", "zone.list", "xfrd.state"),
}


def is_driving(pid):
    """Has the process of a pool manager a child? That is rndc."""
    return any(children.read_text()
               for children in Path(f"/proc/{pid}/task").glob("*/children"))


def wipe(server):
    """Leaves a server that is stopped as if it had just been installed."""
    for path in itertools.chain(*map(server.folder.glob, KNOWLEDGE[server.name])):
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    if server.name == "knot":
        run([program("knotc"), "-C", server.database, "conf-import",
             server.folder / "knot.conf"])


def put(name, address, rtype="A"):
    """A change for apply_changes: the record set becomes this one record."""
    return {"op": "set", "name": name, "type": rtype, "ttl": 300, "records": [address]}


def drop(name, rtype="A"):
    return {"op": "delete", "name": name, "type": rtype}


# ---- a real zone ----

SOURCES = (ROOT.parent / "shared" / "data" / "rootzone", ROOT / "deploy" / "sample")
OPENERS = {".xz": lzma.open, ".gz": gzip.open}
PART_RECORDS = 3000


def root_zone_versions(folder):
    """The root zone's consecutive versions, as files in FOLDER, the oldest first: the whole
    zone if it is there, else the part of it that is shipped."""
    for source in SOURCES:
        packed = sorted(path for ending in OPENERS for path in source.glob(f"*.zone{ending}"))
        if packed:
            return [_unpacked(path, Path(folder)) for path in packed]
    raise FileNotFoundError(f"no zone in {SOURCES[-1]}")


def _unpacked(path, folder):
    target = folder / path.stem
    with OPENERS[path.suffix](path, "rb") as packed:
        target.write_bytes(packed.read())
    return target


def import_zone(caller, zone, records, seconds=120):
    """Imports canonical() lines as the whole zone; the result of the import."""
    opened = caller.begin_import(domain={"name": zone})["id"]
    rows = [_import_row(record) for record in records]
    for part, at in enumerate(range(0, len(rows), PART_RECORDS)):
        caller.add_to_import(**{"import": opened, "part": part,
                                "records": rows[at:at + PART_RECORDS]})
    caller.commit_import(**{"import": opened})
    done = lambda: _ended(caller.get_import(**{"import": opened}))     # noqa: E731
    return wait_for(done, seconds, f"the import of {zone} is done")["result"]


def replace_zone(caller, zone, rows, seconds=30, **more):
    """Imports [name, ttl, type, data] as the whole zone; (the state, the reason) of the import."""
    opened = caller.begin_import(domain={"name": zone}, mode="replace", **more)["id"]
    caller.add_to_import(**{"import": opened, "part": 0, "records": rows})
    caller.commit_import(**{"import": opened})

    def ended():
        found = caller.get_import(**{"import": opened})
        return found["state"] in ("DONE", "ERROR") and found
    found = wait_for(ended, seconds, f"the import of {zone} ends")
    return found["state"], found["reason"]


def _import_row(record):
    name, ttl, _, rtype, data = record.split(None, 4)
    return [name, int(ttl), rtype, data]


def _ended(found):
    if found["state"] == "ERROR":
        raise AssertionError(found["reason"])
    return found if found["state"] == "DONE" else None

"""The demo behind deploy/demo: a fleet, a real zone, and how fast its changes arrive."""

import gzip
import lzma
import statistics
import time
from pathlib import Path

from lab.console import Console, headline, say, show_command, show_output, shown
from lab.dns import serial, zone_file
from lab.fleet import REPOSITORY, Fleet
from lab.process import LabError, tail, wait_for

CONSOLE = Console("demo")
FOLDER, CLIENT = CONSOLE.folder, CONSOLE.client
ZONE = "."
# the whole root zone if it is there, else the part of it that is shipped
SOURCES = {
    REPOSITORY.parent / "shared" / "data" / "rootzone": "the root zone",
    REPOSITORY / "deploy" / "sample": "a part of the root zone",
}
OPENERS = {".xz": lzma.open, ".gz": gzip.open}

SMALL_CHANGES = 10
ANSWER_SECONDS = 10
IMPORT_SECONDS = 120
LOG_LINES = 12

SETTINGS = {
    "log": {"level": "info"},
    "central": {
        "ns_records": ["ns1.zonefleet.example.", "ns2.zonefleet.example.",
                       "ns3.zonefleet.example."],
        "hostmaster": "hostmaster@zonefleet.example",
    },
    "client": {"tenant": "demo", "admin": True},    # not everyone may have the root zone
    "ports": {"reverse_tenant": "demo"},            # all other domains are below that
}

SERVERS = {"bind": {"drop_root": True}, "knot": {"drop_root": True},
           "nsd": {"drop_root": True, "reload_seconds": 0}}

NETWORK = "5d2b8a5c6a0f4c529a513f0a8a1c7c11"       # any: it is Neutron's, or whose it may be


# ---- the fleet, telling what it does ----

class DemoFleet(Fleet):

    def _start_servers(self):
        headline("RabbitMQ, MariaDB, BIND, Knot and NSD, on free ports of loopback")
        super()._start_servers()
        for server in self.members.values():
            say(f"  {server.name:9} {server.host} port {server.port}   "
                f"log: {shown(server.log)}")
        show_root(self.name_servers)
        CONSOLE.write_client(self.config)
        headline("The tables")

    def _start_workers(self):
        headline("Two of each worker, and one that names ports, one that has routes")
        super()._start_workers()
        for worker in self.workers:
            say(f"  {worker.name:9} pid {worker.pid}   log: {shown(worker.log)}   "
                f"http://{worker.host}:{worker.metrics_port}/metrics")

    def cli(self, *arguments, as_json=False, seconds=IMPORT_SECONDS):
        """Runs the client as a user would, and shows it; returns what it printed."""
        words = [shown(word) if isinstance(word, Path) else word for word in arguments]
        show_command(shown(CLIENT), *words)
        out = super().cli(*arguments, as_json=as_json, seconds=seconds)
        show_output(out)
        return out

    def timed(self, *arguments):
        """The milliseconds that a command of the client took, with all it waits for."""
        start = time.monotonic()
        self.cli(*arguments, "--wait")
        return (time.monotonic() - start) * 1000

    def serials(self):
        return {server.name: serial(server.host, server.port, ZONE)
                for server in self.name_servers}

    def show_serials(self, wanted):
        """What dig sees on each server; one that has another serial is an error."""
        found = self.serials()
        say("    dig sees " + ", ".join(f"{value} on {name}"
                                        for name, value in found.items()))
        if set(found.values()) != {wanted}:
            raise LabError(f"not all servers serve {wanted}")

    def expect_record(self, name, rtype, data):
        for server in self.name_servers:
            # a datagram may be lost: dig would also ask again
            _, found = wait_for(lambda server=server: answered(server.query(name, rtype)),
                                ANSWER_SECONDS, f"{server.name} answers")
            if not any(record.endswith(f" {rtype} {data}") for record in found):
                raise LabError(f"{server.name} does not serve {name} {rtype} {data}")


def answered(answer):
    """The answer, or None if no server gave it."""
    return answer if answer[0] else None


def show_root(servers):
    """Which servers run as root, and why."""
    reasons = {}
    for server in servers:
        reasons.setdefault(server.why_root, []).append(server.name)
    reasons.pop(None, None)
    for reason, names in reasons.items():
        say(f"  running as root: {', '.join(names)}, because {reason}")


# ---- the zone ----

def zone_versions():
    """What the zone is, and its files, oldest first, from the first source with any."""
    for source, words in SOURCES.items():
        packed = sorted(path for ending in OPENERS for path in source.glob(f"*{ending}"))
        if packed:
            return words, [unpacked(path) for path in packed]
    raise LabError(f"{source} contains no zone: check that the project is complete")


def unpacked(path):
    target = FOLDER / path.stem
    with OPENERS[path.suffix](path, "rb") as packed:
        target.write_bytes(packed.read())
    return target


def soa_serial(records):
    return next(int(record.split()[6]) for record in records
                if record.split()[3] == "SOA")


def import_version(fleet, path, records):
    ms = fleet.timed("domain", "import", ZONE, path)
    say(f"    ACTIVE on all three {ms:.0f} ms after the command was given")
    fleet.show_serials(soa_serial(records))


def import_first(fleet, path, words):
    records = zone_file(path, ZONE)
    headline(f"A real zone: {words}, {len(records)} records with the SOA")
    import_version(fleet, path, records)
    return records


def import_next(fleet, path, before):
    records = zone_file(path, ZONE)
    say(f"\n  {path.name}: {difference_in_words(before, records)}")
    import_version(fleet, path, records)
    return records


def difference_in_words(before, after):
    """By a comparison of our own: central makes another."""
    removed, added = set(before) - set(after), set(after) - set(before)
    if all(record.split()[3] == "SOA" for record in removed | added):
        return "nothing but the serial changed"
    return f"{len(removed)} records went, {len(added)} came, the SOA among them"


def replay(fleet, words, versions):
    """Imports each version over the one before; returns the last one's records."""
    first, *others = versions
    records = import_first(fleet, first, words)
    headline("Its next versions, each applied as one change under one serial")
    for path in others:
        records = import_next(fleet, path, records)
    return records


def compare(fleet, records, what):
    """An AXFR from each server has to be equal to RECORDS, which are sorted."""
    headline(f"An AXFR from each server, sorted, and {what}, record for record")
    for server in fleet.name_servers:
        transferred = server.axfr(ZONE)
        if transferred != records:
            raise LabError(difference(server.name, records, transferred))
        say(f"  {server.name:5} {len(transferred)} records, equal")


def difference(name, wanted, found):
    missing = sorted(set(wanted) - set(found))
    surplus = sorted(set(found) - set(wanted))
    return "\n".join([f"{name}: {len(missing)} records are missing, "
                      f"{len(surplus)} should not be there",
                      *(f"- {record}" for record in missing[:5]),
                      *(f"+ {record}" for record in surplus[:5])])


def small_changes(fleet):
    headline(f"{SMALL_CHANGES} changes of one record each, in the same zone")
    times = [small_change(fleet, f"change{number}.zonefleet-demo.", f"192.0.2.{number}")
             for number in range(1, SMALL_CHANGES + 1)]
    say(f"\n  median {statistics.median(times):.0f} ms, slowest {max(times):.0f} ms, "
        "from the start of the command to its end")


def small_change(fleet, name, address):
    ms = fleet.timed("record", "add", ZONE, name, "A", address, "--quiet")
    fleet.expect_record(name, "A", address)
    say(f"    ACTIVE after {ms:.0f} ms; dig sees it on all three")
    return ms


# ---- what a user asks for ----

def how_to_go_on(fleet):
    bind = fleet.bind
    headline("All of it goes on running. Try:")
    client = shown(CLIENT)
    show_command(client, "status")
    show_command(client, "domain", "create", "example.org")
    show_command(client, "record", "add", "example.org", "www", "A", "192.0.2.80",
                 "--wait")
    show_command("dig", f"@{bind.host}", "-p", str(bind.port), "www.example.org",
                 "+short")
    show_command(client, "status", "example.org")
    show_command(client, "network", "set", NETWORK, "example.org")
    show_command(client, "port", "create", NETWORK, "10.224.36.4", "--dns-name", "vm01")
    show_command(client, "router", "create", "shard1", "10.245.2.2", "--dns",
                 "shard1.example.net", "--wait")
    show_command(client, "route", "create", "myapp/test", "--wait")
    show_command(client, "--help")
    say(f"\n  NSD falls silent by `kill -STOP -- -{fleet.nsd.pid}`, and is back by "
        f"`kill -CONT -- -{fleet.nsd.pid}`:\n  make a change meanwhile, and look at "
        f"`{client} status`.")
    say("\n  The client acts as an administrator for the tenant demo, so quotas do not apply. "
        "The root\n  domain belongs to the tenant demo, so only demo and administrators can "
        "create domains.")
    say(f"\n  settings: {shown(fleet.config)}   logs: {shown(FOLDER)}/*/log")
    say(f"  to stop it and delete its data:  {CONSOLE.command('stop')}")


def start():
    CONSOLE.make_folder()
    FOLDER.chmod(0o711)         # the name servers' users pass; each folder in it is closed
    begin = time.monotonic()
    words, versions = zone_versions()
    fleet = DemoFleet.start(FOLDER, settings=SETTINGS, leave_running=True,
                            ports=1, routes=1, servers=SERVERS, own_accounts=True)
    try:
        show(fleet, words, versions)
    except BaseException:
        try:
            show_logs(fleet)
        finally:
            fleet.kill()
        raise
    say(f"\ndemo: done in {time.monotonic() - begin:.0f} s")


def show(fleet, words, versions):
    records = replay(fleet, words, versions)
    compare(fleet, records, f"the file {versions[-1].name}")
    small_changes(fleet)
    how_to_go_on(fleet)


def show_logs(fleet):
    for worker in fleet.workers:
        say(tail(worker.log, LOG_LINES))


def status():
    CONSOLE.show_running()
    CONSOLE.show_status()


if __name__ == "__main__":
    CONSOLE.run({"start": start, "stop": CONSOLE.stop, "status": status})

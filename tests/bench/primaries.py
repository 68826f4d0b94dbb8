"""The servers that are compared, each on the one processor of servers: minidns, NSD, Knot.

NSD and Knot serve zones from a file, as primaries; minidns has them from the database.
"""

import os
from functools import cached_property

from lab.dns import NameServer, answers, serial
from lab.fleet import Worker
from lab.process import HOST, LabError, free_port, program

SERIAL = 1                      # of every zone, until it is changed

NSD_CONFIG = """\
server:
	ip-address: {host}@{port}
	server-count: 1
	username: ""
	chroot: ""
	pidfile: ""
	database: ""
	zonesdir: "{folder}"
	zonelistfile: "{folder}/zone.list"
	xfrdfile: "{folder}/xfrd.state"
	xfrdir: "{folder}"
	minimal-responses: yes
	rrl-ratelimit: 0
	rrl-whitelist-ratelimit: 0

remote-control:
	control-enable: no

pattern:
	name: "bench"
	zonefile: "{file}"
	provide-xfr: {host} NOKEY
"""
NSD_ZONE = 'zone:\n\tname: "{zone}"\n\tinclude-pattern: "bench"\n'

KNOT_CONFIG = """\
server:
    rundir: {folder}
    listen: {host}@{port}
    udp-workers: 1
    tcp-workers: 1
    background-workers: 1

log:
  - target: stderr
    any: warning

database:
    storage: {folder}

acl:
  - id: loopback
    address: {host}
    action: transfer

template:
  - id: default
    storage: {folder}
    file: {file}
    acl: loopback
    journal-content: none
    zonefile-sync: -1
    semantic-checks: off

"""
KNOT_ZONE = "  - domain: {zone}\n"


class Cores:
    """Servers have one processor for themselves; clients, database and broker the other."""

    @cached_property
    def both(self):
        cores = sorted(os.sched_getaffinity(0))
        if len(cores) < 2:
            raise LabError("a bench of one processor needs another one for the client")
        return cores[:2]

    @property
    def server(self):
        return str(self.both[0])

    @property
    def client(self):
        return str(self.both[1])


CORES = Cores()


def on_core(core, argv):
    return [program("taskset"), "-c", core, *argv]


def on_clients_core(kind):
    """The class of a server of the lab, kept out of the way of those that are measured."""
    class Pinned(kind):
        def command(self):
            return on_core(CORES.client, super().command())
    return Pinned


class Primary(NameServer):
    """Serves ZONES, all of them with the content of FILE; ready when it has the last one."""

    start_seconds = 120

    def __init__(self, folder, zones=(), file="", **options):
        super().__init__(folder, **options)
        self.zones = zones

    def is_ready(self):
        if self.zones:
            return serial(self.host, self.port, self.zones[-1]) == SERIAL
        return answers(self.host, self.port)


class Nsd(Primary):
    def __init__(self, folder, zones=(), file="", **options):
        super().__init__(folder, zones, **options)
        head = NSD_CONFIG.format(host=HOST, port=self.port, folder=self.folder, file=file)
        self.config = self.write("nsd.conf", head + "".join(
            NSD_ZONE.format(zone=zone) for zone in zones))

    def command(self):
        return on_core(CORES.server, [program("nsd"), "-d", "-c", self.config])


class Knot(Primary):
    def __init__(self, folder, zones=(), file="", **options):
        super().__init__(folder, zones, **options)
        head = KNOT_CONFIG.format(host=HOST, port=self.port, folder=self.folder, file=file)
        body = "".join(KNOT_ZONE.format(zone=zone) for zone in zones)
        self.config = self.write("knot.conf", head + ("zone:\n" + body if body else ""))

    def command(self):
        return on_core(CORES.server, [program("knotd"), "-c", self.config])


class Minidns(Worker):
    """All zones of the database."""

    def __init__(self, folder, settings, **options):
        self.port = free_port()
        super().__init__(folder, "minidns", settings | {"minidns": {
            "listen": [f"{HOST}:{self.port}"], "processes": 1, "allow_transfer": [HOST]}},
            **options)

    def command(self):
        return on_core(CORES.server, super().command())

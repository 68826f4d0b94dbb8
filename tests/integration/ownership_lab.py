"""Workers of zonefleet-ownership between RabbitMQ, MariaDB and a primary that is not ours.

The primary is BIND, or Knot, whose policy lets several keys update: ours and those of
others, who write by nsupdate. What is in the zone is read by dnspython, from the server.
"""

import base64
import logging
import secrets
import subprocess
import sys
import tempfile
from pathlib import Path

import dns.query
import dns.rdatatype
import dns.zone

REPO = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPO / "deploy"))
sys.path.insert(0, str(REPO / "tests" / "support"))
from caller import Caller                                       # noqa: E402
from frames_relay import FramesRelay                            # noqa: E402
from heard import Heard                                         # noqa: E402
from lab.bind import Bind                                       # noqa: E402
from lab.dns import Key                                         # noqa: E402
from lab.fleet import BINARIES, Worker, merged, render          # noqa: E402
from lab.knot import Knot                                       # noqa: E402
from lab.mariadb import MariaDb                                 # noqa: E402
from lab.process import HOST, program, run, tail, wait_for      # noqa: E402
from lent import story_rabbitmq                                 # noqa: E402

ZONE = "example.org"
HEAD = """\
$TTL 300
@ SOA ns.example.net. hostmaster.example.net. 1 3600 600 86400 60
@ NS ns.example.net.
"""


def new_key(name):
    return Key(name, "hmac-sha256", base64.b64encode(secrets.token_bytes(32)).decode())


class Lab:
    """.primary (.bind or .knot), .mariadb, .rabbitmq, .workers; keys `us` and `them`."""

    def __init__(self, workers=1, zones=None, settings=None, text="", central=False,
                 primary="bind", beside=None):
        """ZONES are the registries' elements; SETTINGS lie over those of all of them.

        With CENTRAL it is a fleet's, too: a domain of ours can be asked for. The zone BESIDE
        is at another primary, a BIND of its own, `beside`.
        """
        self.scratch = tempfile.TemporaryDirectory(prefix="ownership-")
        self.folder = Path(self.scratch.name)
        self.us, self.them = new_key("us."), new_key("them.")
        self.mariadb = MariaDb(self.folder / "mariadb")
        self.rabbitmq = story_rabbitmq(self.folder / "rabbitmq")
        self.primary = self._add_primary(primary)
        self.members = [self.mariadb, self.rabbitmq, self.primary]
        self.workers, self.callers = [], []
        self.heard = None
        self.text = HEAD + text
        self.relay = FramesRelay(self.primary.port)
        self.zone_beside, zones = beside, zones or [{"zone": ZONE, "storage_id": "us"}]
        if beside:
            self.beside = Bind(self.folder / "beside", keys=[self.us, self.them])
            self.members.append(self.beside)
            zones = [{"port": self.beside.port} | zone if zone["zone"] == beside else zone
                     for zone in zones]
        registry = {"host": HOST, "port": self.relay.port, "tsig_key": self.us.name,
                    "tsig_secret": self.us.secret, "timeout": 5, "resync_period": 5,
                    "interval": 0}
        self.settings = {
            "broker": {"url": self.rabbitmq.url},
            "database": {"host": f"{HOST}:{self.mariadb.port}", "user": self.mariadb.user,
                         "password": self.mariadb.password, "name": self.mariadb.database},
            "log": {"level": "debug"},
            "fleet": {"period": 1, "timeout": 3, "lock_ttl": 3, "trust_broker": True},
            "ownership": {"processes": 1},
            "registries": {"default": registry | (settings or {}),
                           "zones": zones},
        }
        if central:
            self.settings["central"] = {"processes": 1, "ns_records": ["ns1.example.net."],
                                        "hostmaster": "hostmaster@example.net"}
            self.workers.append(Worker(self.folder / "central", "central", self.settings))
        for number in range(workers):
            self.workers.append(Worker(self.folder / f"ownership{number + 1}", "ownership",
                                       self.settings))

    def _add_primary(self, kind):
        """As .bind, or as .knot."""
        keys = [self.us, self.them]
        if kind == "bind":
            self.bind = Bind(self.folder / "bind", keys=keys)
            return self.bind
        nobody = [(HOST, 9)]
        self.knot = Knot(self.folder / "knot", masters=nobody, keys=keys)
        return self.knot

    def __enter__(self):
        logging.disable(logging.CRITICAL)
        try:
            for member in self.members:
                member.launch()
            for member in self.members:
                member.wait_ready()
            self.add_zone(ZONE, self.text)
            if self.zone_beside:
                self.add_zone(self.zone_beside, HEAD)
            self._migrate()
            for worker in self.workers:
                worker.launch()
            for worker in self.workers:
                worker.wait_ready()
            self.central = self.caller()
        except BaseException:
            self.__exit__(True)
            raise
        return self

    def __exit__(self, failed, *_):
        errors = []
        self.relay.close()
        if self.heard:
            self.heard.close()
        for caller in self.callers:
            caller.close()
        for member in reversed(self.members + self.workers):
            try:
                if failed:
                    member.kill9()
                else:
                    member.release()
            except Exception as error:      # all of them are stopped, whatever one says
                errors.append(error)
        if failed:
            print("\n".join(tail(worker.log, 40) for worker in self.workers), file=sys.stderr)
        self.scratch.cleanup()
        if errors and not failed:
            raise errors[0]

    def _migrate(self):
        self.config = self.folder / "zonefleet.cfg"
        self.config.touch(0o600)
        self.config.write_text(render({key: self.settings[key] for key in ("database", "broker")}))
        run([BINARIES / "zonefleet", "--config", self.config, "db", "migrate"])

    # ---- the zone ----

    def server(self, zone):
        return self.beside if zone == self.zone_beside else self.primary

    def add_zone(self, zone, text, policy=None):
        """POLICY is BIND's update-policy, or Knot's {key: lines of its acl}."""
        server = self.server(zone)
        if isinstance(server, Knot):
            server.add_primary_zone(zone, text, policy or {"us.": {}, "them.": {}})
            wait_for(lambda: server.serial(zone), 10, f"Knot serves {zone}", [server.log])
            return
        grants = policy or "grant us. zonesub ANY; grant them. zonesub ANY;"
        server.add_primary_zone(
            zone, text, f"update-policy {{ {grants} }}; allow-transfer {{ {HOST}; }};")

    def zone(self, zone=ZONE):
        """{(owner, type): {(ttl, rdata)}} of all but the SOA, with owners relative to the zone."""
        found = dns.zone.from_xfr(dns.query.xfr(
            HOST, zone, port=self.server(zone).port, lifetime=30, relativize=False),
            relativize=False)
        records = {}
        for name, ttl, rdata in found.iterate_rdatas():
            if rdata.rdtype != dns.rdatatype.SOA:
                key = (name.relativize(found.origin).to_text(),
                       dns.rdatatype.to_text(rdata.rdtype))
                records.setdefault(key, set()).add((ttl, rdata.to_text()))
        return records

    def data(self, zone=ZONE):
        """The same without marks, TTLs and the apex's NS: {(owner, type): [rdata]}."""
        return {key: sorted(rdata for _, rdata in records)
                for key, records in self.zone(zone).items()
                if key != ("@", "NS") and not key[0].startswith("_own-")}

    def marks(self, zone=ZONE):
        return {key[0]: sorted(rdata for _, rdata in records)
                for key, records in self.zone(zone).items()
                if key[0].startswith("_own-") and key[1] == "TXT"}

    def serial(self, zone=ZONE):
        return self.server(zone).serial(zone)

    def nsupdate(self, text, zone=ZONE):
        """As another writer; returns what it says if it is refused, else ""."""
        key = f"{self.them.algorithm}:{self.them.name}:{self.them.secret}"
        text = f"server {HOST} {self.server(zone).port}\nzone {zone}\n{text}\nsend\n"
        done = subprocess.run([program("nsupdate"), "-y", key], input=text, text=True,
                              capture_output=True, timeout=30)
        return done.stderr

    # ---- what is asked ----

    def caller(self, **options):
        caller = Caller(self.rabbitmq.url, topic="ownership", **options)
        self.callers.append(caller)
        return caller

    def caller_of_central(self):
        caller = Caller(self.rabbitmq.url)
        self.callers.append(caller)
        return caller

    def listen(self):
        """From now on hears() knows each notification."""
        if self.heard:
            self.heard.close()
        self.heard = Heard(self.rabbitmq)

    def hears(self, event, **wanted):
        """Waits for a notification whose payload has what is wanted; returns it."""
        def found():
            return [payload for payload in self.heard.of(event)
                    if wanted.items() <= payload.items()]
        return self.wait_for(found, 20, f"{event} {wanted} is heard")[0]

    def apply(self, endpoints, resource="test/1", complete=True, storage_id="us", zone=ZONE):
        """ENDPOINTS as {"www/A": ["192.0.2.1"]}, or lists of what the message has."""
        if isinstance(endpoints, dict):
            endpoints = [{"dnsname": full(key, zone), "type": key.split("/")[1],
                          "targets": targets} for key, targets in endpoints.items()]
        return self.central.apply_endpoints(storage_id=storage_id, zone=zone, resource=resource,
                                            endpoints=endpoints, complete=complete)

    def plan(self, storage_id="us", zone=ZONE):
        return self.central.get_plan(storage_id=storage_id, zone=zone)

    def planned(self, storage_id="us", zone=ZONE, seconds=20):
        """After a further round: what it planned.

        A round that was under way already may not have seen what is wanted now. The next has.
        """
        before = self.plan(storage_id, zone)
        self.central.plan_calculate(storage_id=storage_id, zone=zone)

        def is_over():
            now = self.plan(storage_id, zone)
            is_late = now["planned_rev"] < before["rev"]
            return now["rounds"] > before["rounds"] + is_late and now
        return self.wait_for(is_over, seconds, "a further round ends")

    def order(self, method, storage_id="us", zone=ZONE, **arguments):
        """Gives an order, and waits for what came of it."""
        order = getattr(self.central, method)(storage_id=storage_id, zone=zone,
                                              **arguments)["order"]

        def done():
            answer = self.central.get_order(storage_id=storage_id, zone=zone, order=order)
            return answer["state"] == "DONE" and answer["result"]
        return self.wait_for(done, 60, f"{method} is done")

    def reasons(self, plan=None):
        """{"www A": "create WANTED"} of the last plan's items; held ones end in "!"."""
        items = (plan or self.plan())["plan"]["items"]
        return {f"{item['name'].removesuffix('.' + ZONE + '.')} {item['type']}":
                f"{item['step']} {item['reason']}{'!' if item['held'] else ''}"
                for item in items}

    def wait_for(self, condition, seconds, what):
        return wait_for(condition, seconds, what, [worker.log for worker in self.workers])


def full(key, zone=ZONE):
    owner = key.split("/")[0]
    return f"{zone}." if owner == "@" else f"{owner}.{zone}."


__all__ = ["Lab", "ZONE", "HEAD", "HOST", "full", "merged", "wait_for"]

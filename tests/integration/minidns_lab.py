"""minidns between a private MariaDB, RabbitMQ and name servers, with no other program of ours.

The rows that central would write are written here by SQL, and the orders that the pool
manager would give are cast by oslo.messaging, which also hears the reports.
"""

import functools
import ipaddress
import logging
import queue
import re
import socket
import sys
import tempfile
import uuid
from pathlib import Path

import dns.message
import dns.name
import dns.query
import dns.rdata
import dns.rdataclass
import dns.rdatatype
import dns.rrset
import dns.tsigkeyring
import oslo_messaging as om
from oslo_config import cfg

REPO = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPO / "deploy"))
sys.path.insert(0, str(REPO / "tests" / "support"))
from lab.bind import Bind                       # noqa: E402
from lab.fleet import BINARIES, Worker, render  # noqa: E402
from lab.knot import Knot                       # noqa: E402
from lab.mariadb import MariaDb                 # noqa: E402
from lab.nsd import Nsd                         # noqa: E402
from lab.powerdns import PowerDns               # noqa: E402
from lab.process import HOST, free_port, run, tail, wait_for   # noqa: E402
from lent import story_rabbitmq                 # noqa: E402

POOL, POOL_ID = "default", "0" * 31 + "1"
BELL = "127.0.0.53"     # is told of changes, and no server of the pool
TTL = 300
SERVERS = {
    "bind": functools.partial(Bind, settings="max-records-per-type 0;"),    # not 100
    "knot": Knot, "nsd": functools.partial(Nsd, reload_seconds=0), "powerdns": PowerDns,
}

SETTINGS = """\
[DEFAULT]
control_exchange = zonefleet
[oslo_messaging_rabbit]
amqp_durable_queues = true
kombu_missing_consumer_retry_timeout = 1
"""


# ---- rows ----

def new_id():
    return uuid.uuid4().hex


def quote(text):
    return "'" + str(text).replace("\\", "\\\\").replace("'", "''") + "'"


def blob(data):
    return f"x'{data.hex()}'" if data else "''"


def hours(serial, minimum=60):
    """The columns of an SOA, and the record that minidns must make of them."""
    return {"mname": "ns1.example.net.", "rname": "hostmaster.example.net.",
            "serial": serial, "soa_ttl": 3600, "refresh": 3600, "retry": 600,
            "expire": 86400, "minimum": minimum}


def soa_text(soa):
    return ("{mname} {rname} {serial} {refresh} {retry} {expire} {minimum}").format(**soa)


def rr_wire(name, rtype, text, ttl=TTL):
    """NAME TYPE CLASS TTL RDLENGTH RDATA without compression, as the journal holds it."""
    rdata = rdata_wire(rtype, text)
    return (dns.name.from_text(name).to_wire()
            + int(dns.rdatatype.from_text(rtype)).to_bytes(2, "big") + b"\0\1"
            + ttl.to_bytes(4, "big") + len(rdata).to_bytes(2, "big") + rdata)


KNOWN_WIRES = {}        # (type, text): of what dnspython would need seconds for


@functools.lru_cache(maxsize=1 << 16)
def rdata_wire(rtype, text):
    return KNOWN_WIRES.get((rtype, text)) or dns.rdata.from_text("IN", rtype, text).to_wire()


def large_zone(name, megabytes):
    """TXT records that are so large together: each has 4 KiB, for rows cost more than octets."""
    records = []
    for i in range(megabytes * 1024 // 4):
        string = f"{i:0255d}"
        text = " ".join([f'"{string}"'] * 16)
        KNOWN_WIRES["TXT", text] = (b"\xff" + string.encode()) * 16
        records.append((f"h{i}.{name}", "TXT", text))
    return records


class Domain:
    """A domain's rows; each change() is one serial with its journal."""

    def __init__(self, lab, name, serial=1, records=(), journal=True):
        """RECORDS are (owner, type, rdata text)."""
        self.lab, self.name, self.id = lab, name, new_id()
        self.soa = hours(serial)
        self.records = []
        self.recordsets = {}
        self.ttls = {}      # (owner, type): of the sets whose TTL is not the domain's
        self.journal = journal
        self.version = 1
        columns = ", ".join(self.soa)
        values = ", ".join(quote(value) for value in self.soa.values())
        lab.mariadb.sql(
            "INSERT INTO domains (id, name, ancestry, tenant, pool_id, ttl, task, status, "
            f"{columns}) VALUES ({quote(self.id)}, {quote(name)}, {blob(self._ancestry())}, "
            f"'t', {quote(POOL_ID)}, {TTL}, 'NONE', 'ACTIVE', {values}); "
            "INSERT INTO object_versions (obj_uuid, version_id, object_type) VALUES "
            f"({quote(self.id)}, '{self.version:020}', 'domain')")
        lab.mariadb.sql("\n".join(["BEGIN;", *self._adds(records), "COMMIT;"]))

    @property
    def serial(self):
        return self.soa["serial"]

    def _ancestry(self):
        labels = dns.name.from_text(self.name).labels[:-1]
        return b"".join(bytes([len(label)]) + label for label in reversed(labels))

    def _next_version(self):
        self.version += 1
        return (f"UPDATE object_versions SET version_id = '{self.version:020}' "
                f"WHERE obj_uuid = {quote(self.id)};")

    def _adds(self, records):
        """Statements for record sets and records, many rows each."""
        sets, rows = [], []
        for name, rtype, text in records:
            key = name, rtype
            if key not in self.recordsets:
                self.recordsets[key] = new_id()
                sets.append(f"({quote(self.recordsets[key])}, {quote(self.id)}, {quote(name)}, "
                            f"{int(dns.rdatatype.from_text(rtype))}, NULL)")
            rows.append(f"({quote(new_id())}, {quote(self.recordsets[key])}, {quote(self.id)}, "
                        f"{quote(text)}, {blob(rdata_wire(rtype, text))}, {self.serial}, "
                        "'NONE', 'ACTIVE')")
            self.records.append((name, rtype, text))
        yield from inserts("recordsets (id, domain_id, name, type, ttl)", sets)
        yield from inserts("records (id, recordset_id, domain_id, data, rdata, serial_number, "
                           "task, status)", rows)
        yield (f"UPDATE domains SET record_count = {len(self.records)} "
               f"WHERE id = {quote(self.id)};")

    def _deletes(self, records):
        for name, rtype, text in records:
            self.records.remove((name, rtype, text))
            yield ("UPDATE records SET task = 'DELETE', status = 'PENDING' WHERE "
                   f"recordset_id = {quote(self.recordsets[name, rtype])} AND live = 1 "
                   f"AND rdata = {blob(rdata_wire(rtype, text))};")

    def _retime(self, ttls):
        self.ttls |= ttls
        for key, ttl in ttls.items():
            yield f"UPDATE recordsets SET ttl = {ttl} WHERE id = {quote(self.recordsets[key])};"

    def _wire(self, records):
        return b"".join(rr_wire(*record, self.ttls.get(record[:2], TTL)) for record in records)

    def change(self, add=(), remove=(), serial=None, orders=1, ttls=None):
        """One change in one transaction, until its NOTIFY has left (without ORDERS nobody
        hears of it); returns the serial.

        TTLS, by (owner, type), are those that sets of records have from now on.
        """
        before = self._soa_wire()
        old = self.serial
        self.soa["serial"] = old + 1 & 0xffffffff if serial is None else serial
        after = self._soa_wire()
        retimed = [record for record in self.records
                   if record[:2] in (ttls or {}) and record not in remove]
        removed = before + self._wire([*remove, *retimed])
        retime = list(self._retime(ttls or {}))
        added = after + self._wire([*add, *retimed])
        row = (f"INSERT INTO journal (domain_id, serial, previous_serial, removed, added) VALUES "
               f"({quote(self.id)}, {self.serial}, {old}, {blob(removed)}, {blob(added)});")
        self.lab.mariadb.sql("\n".join([
            "BEGIN;", f"UPDATE domains SET serial = {self.serial} WHERE id = {quote(self.id)};",
            *self._deletes(remove), *self._adds(add), *retime, row if self.journal else "",
            self._next_version(), "COMMIT;"]))
        if orders:
            self.lab.notified(self, orders)
        return self.serial

    def _soa_wire(self):
        return rr_wire(self.name, "SOA", soa_text(self.soa), self.soa["soa_ttl"])

    def set(self, **columns):
        text = ", ".join(f"{key} = {quote(value)}" for key, value in columns.items())
        self.lab.mariadb.sql(f"UPDATE domains SET {text} WHERE id = {quote(self.id)}; "
                             + self._next_version())
        self.lab.notified(self)

    def rrs(self):
        """The zone as a set of (owner, type, rdata wire, ttl), with its SOA."""
        zone = {(dns.name.from_text(name), rtype, rdata_wire(rtype, text),
                 self.ttls.get((name, rtype), TTL)) for name, rtype, text in self.records}
        zone.add((dns.name.from_text(self.name), "SOA", rdata_wire("SOA", soa_text(self.soa)),
                  self.soa["soa_ttl"]))
        return zone


def inserts(into, rows, octets=4 << 20):
    """Statements of about so many octets: the server takes 16 MiB at most."""
    batch, size = [], 0
    for row in rows:
        batch.append(row)
        size += len(row)
        if size > octets:
            yield f"INSERT INTO {into} VALUES\n" + ",\n".join(batch) + ";"
            batch, size = [], 0
    if batch:
        yield f"INSERT INTO {into} VALUES\n" + ",\n".join(batch) + ";"


# ---- what a server says ----

def rrs_of(messages):
    """(owner, type, rdata wire, ttl) of all answers, in their order."""
    return [(rrset.name, dns.rdatatype.to_text(rrset.rdtype), rdata.to_wire(), rrset.ttl)
            for message in messages for rrset in message.answer for rdata in rrset]


def transfer(port, zone, serial=None, host=HOST):
    """The messages of an AXFR, or of an IXFR from SERIAL."""
    kind = "AXFR" if serial is None else "IXFR"
    question = dns.message.make_query(zone, kind)
    if serial is not None:
        question.authority.append(dns.rrset.from_text(zone, 0, "IN", "SOA",
                                                      f". . {serial} 0 0 0 0"))
    return list(stream(port, question, host))


def stream(port, question, host=HOST, seconds=20):
    """Messages over TCP until the SOA that ends the transfer has come."""
    end = TransferEnd()
    with socket.create_connection((host, port), timeout=seconds) as link:
        dns.query.send_tcp(link, question)
        while not end.reached:
            message, _ = dns.query.receive_tcp(link, one_rr_per_rrset=True,
                                               ignore_trailing=False)
            end.note(message)
            yield message


class TransferEnd:
    """Knows from the SOAs that went by whether a transfer is complete (RFC 1995, 5936)."""

    def __init__(self):
        self.first = None
        self.reached = False
        self.count = 0

    def note(self, message):
        if message.rcode() or not message.answer:
            self.reached = True
        for rrset in message.answer:
            for rdata in rrset:
                self.count += 1
                if self.first is None:
                    self.first = rdata
                    self.is_ixfr = message.question and \
                        message.question[0].rdtype == dns.rdatatype.IXFR
                    self.second = None
                    continue
                if self.second is None:
                    self.second = rdata
                    self.incremental = (rdata.rdtype == dns.rdatatype.SOA
                                        and rdata.serial != self.first.serial)
                    self.seen = 0
                if rdata.rdtype == dns.rdatatype.SOA and rdata.serial == self.first.serial:
                    self.seen += 1
                    self.reached = self.seen == (2 if self.incremental else 1)
        if self.count == 1 and self.is_ixfr:
            self.reached = True     # up to date


# ---- the lab ----

def is_address(text):
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def servers_known(worker):
    """How many servers its mini-DNS knows; one that answers nothing is not waited for."""
    found = re.search(r"^zonefleet_minidns_servers_known (\d+)$", worker.page("/metrics")[1],
                      re.MULTILINE)
    return int(found[1]) if found else sys.maxsize


class Lab:
    """.mariadb, .rabbitmq, .workers (minidns), .servers by name, .reports."""

    def __init__(self, instances=1, servers=(), settings=None, key=None):
        """With a KEY the servers, and minidns, sign with it."""
        self.scratch = tempfile.TemporaryDirectory(prefix="minidns-")
        self.folder = Path(self.scratch.name)
        self.ports = [free_port() for _ in range(instances)]
        self.mariadb = MariaDb(self.folder / "mariadb")
        self.rabbitmq = story_rabbitmq(self.folder / "rabbitmq")
        self.key = key
        self.servers = {name: SERVERS[name](self.folder / name, masters=self._masters(name),
                                            key=key)
                        for name in servers}
        self.members = [self.mariadb, self.rabbitmq, *self.servers.values()]
        self.workers = []
        self.settings = settings or {}
        self.known = {(server.host, server.port) for server in self.servers.values()}

    def _masters(self, name):
        """Where a server has its zones from."""
        return [(HOST, port) for port in self.ports]

    def __enter__(self):
        logging.disable(logging.CRITICAL)   # Python's side logs what the stories provoke
        try:
            for member in self.members:
                member.launch()
            for member in self.members:
                member.wait_ready()
            self._migrate()
            self._add_pool()
            self._start_workers()
            self._start_rpc()
        except BaseException:
            self.__exit__(True)
            raise
        return self

    def __exit__(self, failed, *_):
        if hasattr(self, "hearer"):
            self.hearer.stop()
            self.hearer.wait()
            self.transport.cleanup()
        errors = []
        for member in reversed(self.members + self.workers):
            try:
                if failed:
                    member.kill9()
                else:
                    member.release()
            except Exception as error:      # all of them are stopped, whatever one says
                errors.append(error)
        logs = "\n".join(tail(worker.log, 40) for worker in self.workers) if failed else ""
        if logs:
            print(logs, file=sys.stderr)
        self.scratch.cleanup()
        if errors and not failed:
            raise errors[0]

    def _database(self):
        return {"host": f"{HOST}:{self.mariadb.port}", "user": self.mariadb.user,
                "password": self.mariadb.password, "name": self.mariadb.database}

    def _migrate(self):
        config = self.folder / "zonefleet.cfg"
        config.touch(0o600)
        config.write_text(render({"database": self._database()}))
        run([BINARIES / "zonefleet", "--config", config, "db", "migrate"])

    def _add_pool(self):
        self.mariadb.sql(f"INSERT INTO pools (id, name) VALUES ({quote(POOL_ID)}, {quote(POOL)})")
        if self.key:
            self.add_key(self.key)
        for name, server in self.servers.items():
            self.add_server(name, server.host, server.port, self.key)

    def add_server(self, name, host, port, key=None):
        self.mariadb.sql("INSERT INTO pool_servers (pool_name, id, backend, host, port, tsig_key) "
                         f"VALUES ({quote(POOL)}, {quote(name)}, 'fake', {quote(host)}, {port}, "
                         f"{quote(key.name) if key else 'NULL'})")

    def add_key(self, key, domain=None):
        """A row of tsigkeys; of DOMAIN, if it is for that alone."""
        self.mariadb.sql("INSERT INTO tsigkeys (id, name, algorithm, secret, domain_id) VALUES "
                         f"({quote(new_id())}, {quote(key.name)}, {quote(key.algorithm)}, "
                         f"{quote(key.secret)}, {quote(domain.id) if domain else 'NULL'})")

    def _start_workers(self):
        common = {
            "broker": {"url": self.rabbitmq.url},
            "database": self._database(),
            "fleet": {"trust_broker": True},    # the orders are oslo.messaging's
            "log": {"level": "debug"},
        }
        for number, port in enumerate(self.ports):
            own = {"listen": [f"{HOST}:{port}"], "processes": 1} | self.settings
            own["allow_transfer"] = [*own.get("allow_transfer", ()), BELL]
            worker = Worker(self.folder / f"minidns{number + 1}", "minidns",
                            common | {"minidns": own})
            self.workers.append(worker)
            worker.launch()
        for worker in self.workers:
            worker.wait_ready()

    # the pool manager's side

    def _start_rpc(self):
        path = self.folder / "oslo.conf"
        path.write_text(SETTINGS)
        cfg.CONF(["--config-file", str(path)])      # the library needs the global one
        self.transport = om.get_rpc_transport(cfg.CONF, url=self.rabbitmq.url)
        self.reports = queue.Queue()
        reports = self.reports

        class Endpoint:
            def update_statuses(self, context, **message):
                for report in message["reports"]:
                    reports.put(report)
        self.hearer = om.get_rpc_server(
            self.transport, om.Target(topic=f"pool_manager.{POOL}", server="test"), [Endpoint()],
            executor="threading")
        self.hearer.start()

    def know(self, destinations):
        """Servers that a story made are of the pool, and mini-DNS has read that."""
        new = [to for to in destinations
               if is_address(to["host"]) and to["host"] != BELL and to["port"]
               and (to["host"], to["port"]) not in self.known]
        if not new:
            return
        self.known |= {(to["host"], to["port"]) for to in new}
        self.mariadb.sql("\n".join(inserts(
            "pool_servers (pool_name, id, backend, host, port, tsig_key)",
            [f"({quote(POOL)}, '{to['host']} {to['port']}', 'fake', {quote(to['host'])}, "
             f"{to['port']}, {quote(self.key.name) if self._has_key(to) else 'NULL'})"
             for to in new])))
        count = int(self.mariadb.sql("SELECT COUNT(DISTINCT host, port) FROM pool_servers "
                                     "WHERE state <> 'REMOVED'")[0][0])
        for worker in self.workers:
            worker.reload()
        wait_for(lambda: all(servers_known(worker) >= count for worker in self.workers), 20,
                 "mini-DNS knows the servers")

    def _has_key(self, destination):
        return self.key and destination.get("tsig_key") == self.key.name

    def cast(self, method, **arguments):
        self.know([*arguments.get("destinations", ()),
                   *filter(None, [arguments.get("destination")])])
        client = om.RPCClient(self.transport, om.Target(topic="minidns"), retry=8)
        client.prepare().cast({}, method, **arguments)

    def order(self, domain, server, method="poll_for_serial_number", serial=None, task="NONE",
              timeout=2, retry_interval=1, max_retries=3, key=None):
        """SERVER is one of .servers, or (id, host, port). KEY: the lab's, if not given."""
        key = key or self.key
        if not isinstance(server, tuple):
            server = server.name, server.host, server.port
        status = "ACTIVE" if task == "NONE" else "PENDING"
        self.cast(method, timeout=timeout, retry_interval=retry_interval,
                  max_retries=max_retries,
                  domain={"id": domain.id, "name": domain.name, "pool": POOL, "tenant": "t",
                          "task": task, "status": status,
                          "serial": domain.serial if serial is None else serial,
                          "version": domain.version},
                  destination={"id": server[0], "host": server[1], "port": server[2],
                               "tsig_key": key.name if key else None})

    def notified(self, domain, orders=1, seconds=20):
        """Until a NOTIFY has left: from then on each instance must know what was committed.

        Of several ORDERS each instance is given some.
        """
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as bell:
            bell.settimeout(seconds)
            bell.bind((BELL, 0))
            for _ in range(orders):
                self.order(domain, ("bell", BELL, bell.getsockname()[1]),
                           "notify_zone_changed")
            wire, peer = bell.recvfrom(4096)
            bell.sendto(dns.message.make_response(dns.message.from_wire(
                wire, keyring=self._keyring())).to_wire(), peer)

    def _keyring(self):
        key = self.key
        return key and dns.tsigkeyring.from_text({key.name: (key.algorithm + ".", key.secret)})

    def report(self, domain, seconds=20):
        """The next report on a domain; those that an earlier story left are dropped."""
        while True:
            report = self.reports.get(timeout=seconds)
            if report["domain"]["id"] == domain.id:
                return report

    def worker_is_alive(self):
        return all(worker.is_ready() for worker in self.workers)

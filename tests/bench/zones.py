"""The zones of the bench: files for NSD and Knot, rows of the same for minidns."""

import random
import socket

from primaries import SERIAL

MNAME, RNAME = "ns1.example.net.", "hostmaster.example.net."
TTL, SOA_TTL = 300, 3600
TIMERS = {"refresh": 3600, "retry": 600, "expire": 86400, "minimum": 60}
POOL_ID = f"{1:032x}"
TYPES = {"SOA": 6, "NS": 2, "A": 1, "AAAA": 28, "MX": 15, "TXT": 16}
LOAD_SECONDS = 300

DOMAIN_COLUMNS = ("id, name, @ancestry, tenant, pool_id, serial, task, status, mname, rname, "
                  "soa_ttl, refresh, retry, expire, minimum, ttl, record_count")
SET_COLUMNS = "id, domain_id, name, type"
RECORD_COLUMNS = "id, recordset_id, domain_id, data, @rdata, serial_number, task, status"


# ---- wire ----

def name_wire(name):
    labels = [label for label in name.split(".") if label]
    return b"".join(bytes([len(label)]) + label.encode() for label in labels) + b"\0"


def rdata_wire(rtype, text):
    if rtype == "A":
        return socket.inet_aton(text)
    if rtype == "AAAA":
        return socket.inet_pton(socket.AF_INET6, text)
    if rtype == "NS":
        return name_wire(text)
    if rtype == "MX":
        preference, host = text.split()
        return int(preference).to_bytes(2, "big") + name_wire(host)
    words = text.strip('"').encode()
    return bytes([len(words)]) + words


def rr_wire(name, rtype, ttl, rdata):
    return (name_wire(name) + TYPES[rtype].to_bytes(2, "big") + b"\0\1"
            + ttl.to_bytes(4, "big") + len(rdata).to_bytes(2, "big") + rdata)


def soa_wire(zone, serial):
    numbers = (serial, *TIMERS.values())
    rdata = name_wire(MNAME) + name_wire(RNAME) + b"".join(
        number.to_bytes(4, "big") for number in numbers)
    return rr_wire(zone, "SOA", SOA_TTL, rdata)


# ---- records ----

def _host_rdata(rtype, number, dice):
    if rtype == "A":
        return f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
    if rtype == "AAAA":
        return f"2001:db8::{(number >> 15) + 1:x}:{(number & 0x7fff) + 1:x}"
    if rtype == "MX":
        return f"{number % 100} mx{dice.randrange(9)}.example.net."
    return f'"v=spf1 include:{dice.getrandbits(64):016x}.example.net ~all"'


def host_records(zone, count):
    """COUNT with the SOA: hosts of one address and of two, mail and texts, in subdomains."""
    dice = random.Random(1)
    yield zone, "NS", MNAME
    for number in range(count - 2):
        rtype = dice.choice(("A", "A", "A", "AAAA", "AAAA", "MX", "TXT"))
        owner = f"h{number // 2}.{number // 2 % 997}.{zone}"
        yield owner, rtype, _host_rdata(rtype, number, dice)


def small_records(zone):
    yield zone, "NS", MNAME
    yield f"www.{zone}", "A", "192.0.2.1"
    yield f"www.{zone}", "AAAA", "2001:db8::1"


# ---- a zone as a file, and as rows ----

def write_file(path, records, origin):
    """Names are relative to the zone's, so that one file can be that of many zones."""
    timers = " ".join(map(str, TIMERS.values()))
    with open(path, "w") as file:
        file.write(f"@ {SOA_TTL} IN SOA {MNAME} {RNAME} {SERIAL} {timers}\n")
        for owner, rtype, text in records:
            name = owner[:-len(origin)].rstrip(".") or "@"
            file.write(f"{name} {TTL} IN {rtype} {text}\n")


class Rows:
    """Rows for three tables, gathered in files and loaded at once."""

    def __init__(self, folder):
        self.paths = {table: folder / f"{table}.rows"
                      for table in ("domains", "recordsets", "records")}
        self.files = {table: open(path, "w") for table, path in self.paths.items()}
        self.number = 0

    def _id(self):
        self.number += 1
        return f"{self.number:032x}"

    def _put(self, table, *fields):
        self.files[table].write("\t".join(map(str, fields)) + "\n")

    def add_zone(self, name, records):
        """Ids grow with the records, as those that central makes do."""
        domain, key, recordset, count = self._id(), None, None, 0
        labels = reversed([label for label in name.split(".") if label])
        ancestry = b"".join(bytes([len(label)]) + label.encode() for label in labels)
        for owner, rtype, text in records:
            if (owner, rtype) != key:
                key, recordset = (owner, rtype), self._id()
                self._put("recordsets", recordset, domain, owner, TYPES[rtype])
            self._put("records", self._id(), recordset, domain, text,
                      rdata_wire(rtype, text).hex(), SERIAL, "NONE", "ACTIVE")
            count += 1
        self._put("domains", domain, name, ancestry.hex(), "bench", POOL_ID, SERIAL, "NONE",
                  "ACTIVE", MNAME, RNAME, SOA_TTL, *TIMERS.values(), TTL, count)
        return domain

    def load(self, mariadb):
        for file in self.files.values():
            file.close()
        unhex = {"domains": "SET ancestry = UNHEX(@ancestry)", "recordsets": "",
                 "records": "SET rdata = UNHEX(@rdata)"}
        columns = {"domains": DOMAIN_COLUMNS, "recordsets": SET_COLUMNS,
                   "records": RECORD_COLUMNS}
        for table, path in self.paths.items():
            mariadb.sql("SET foreign_key_checks = 0, unique_checks = 0;"
                        f"LOAD DATA INFILE '{path}' INTO TABLE {table} CHARACTER SET ascii "
                        f"({columns[table]}) {unhex[table]};", administrator=True,
                        seconds=LOAD_SECONDS)
            path.unlink()


def change(mariadb, domain, zone, serial):
    """One record more, as central writes a change; SERIAL is the one it leads to."""
    owner, address = f"new{serial}.{zone}", f"192.0.2.{serial % 250}"
    recordset = f"{serial:08x}{domain[8:]}"
    removed = soa_wire(zone, serial - 1)
    added = soa_wire(zone, serial) + rr_wire(owner, "A", TTL, rdata_wire("A", address))
    mariadb.sql(f"""\
BEGIN;
UPDATE domains SET serial = {serial}, record_count = record_count + 1 WHERE id = '{domain}';
INSERT INTO recordsets ({SET_COLUMNS}) VALUES ('{recordset}', '{domain}', '{owner}', 1);
INSERT INTO records (id, recordset_id, domain_id, data, rdata, serial_number, task, status)
VALUES ('{recordset}', '{recordset}', '{domain}', '{address}',
        x'{rdata_wire("A", address).hex()}', {serial}, 'NONE', 'ACTIVE');
INSERT INTO journal (domain_id, serial, previous_serial, removed, added)
VALUES ('{domain}', {serial}, {serial - 1}, x'{removed.hex()}', x'{added.hex()}');
COMMIT;
""")

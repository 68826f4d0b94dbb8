"""Each move of each row, written down by triggers in the database, and the rules of moving.

    audit = Audit(fleet.mariadb)        # before the first domain
    mark = audit.mark()
    ...
    assert audit.faults(mark, needed=2) == []

The rows are numbered by the database in the order in which they were written, so that
"before" needs no clock: a pool manager writes what a server said and commits it before it
judges, and central moves a domain after that.

With each state of a server's row goes who had the domain's lock then, and the connection that
wrote it: so it is seen when somebody ends what another had taken over from him (late_writes()).
The table of the locks itself bears no trigger: it would come between an UPDATE and its
LAST_INSERT_ID().
"""

import os
import re
from collections import defaultdict
from pathlib import Path

TASKS = ("ADD", "UPDATE", "DELETE", "NONE")
STATUSES = ("PENDING", "ACTIVE", "ERROR", "DELETED")
PAIRS = {f"{task} {status}" for task in TASKS[:3] for status in ("PENDING", "ERROR")} | {
    "NONE ACTIVE", "NONE DELETED"}

TABLE = """
CREATE TABLE audit (
  seq BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
  kind ENUM('domain', 'record', 'server') NOT NULL,
  id CHAR(32) NOT NULL,
  domain_id CHAR(32) NOT NULL,
  server_id VARCHAR(32) NOT NULL,
  old_pair VARCHAR(20) NULL,
  new_pair VARCHAR(20) NULL,
  old_serial INT UNSIGNED NULL,
  new_serial INT UNSIGNED NULL,
  writer BIGINT UNSIGNED NOT NULL DEFAULT 0,
  is_stated BOOL NOT NULL DEFAULT FALSE,
  holder VARCHAR(128) NULL
) ENGINE = InnoDB;
"""

TRIGGER = """
CREATE TRIGGER audit_{kind}_{event} AFTER {event} ON {table} FOR EACH ROW
INSERT INTO audit (kind, id, domain_id, server_id, old_pair, new_pair, old_serial, new_serial,
                   writer, is_stated, holder)
VALUES ('{kind}', NEW.id, NEW.{domain}, {server}, {old_pair}, {new_pair}, {old_serial},
        NEW.{serial}, CONNECTION_ID(), {stated}, {holder});
"""

# Who has the lock, or had it last.
HOLDER = "(SELECT owner FROM distributed_locks WHERE object_uuid = NEW.domain_id)"

# kind: table, the columns of its domain and serial, its pair, the server it speaks of
AUDITED = {
    "domain": ("domains", "id", "serial", ("task", "status"), "''"),
    "record": ("records", "domain_id", "serial_number", ("task", "status"), "''"),
    "server": ("pool_manager_status", "domain_id", "serial_number", ("action", "status"),
               "NEW.server_id"),
}

# Was a state written, if only the same again; or but the time of the next attempt?
STATED = "NOT (NEW.updated_at <=> OLD.updated_at)"

# What a serial does on the way. A domain's deletion has none of its own.
SAME, NEWER = "same", "newer"
DELETION = {"domain": SAME, "record": NEWER}


def _edges(kind):
    """The legal moves of a domain or a record: {(from, to): what its serial does}."""
    edges = {(None, "ADD PENDING"): None,
             ("NONE ACTIVE", "UPDATE PENDING"): NEWER,
             ("NONE ACTIVE", "DELETE PENDING"): DELETION[kind],
             ("DELETE PENDING", "DELETE ERROR"): SAME,
             ("DELETE ERROR", "DELETE PENDING"): SAME}
    for status in "PENDING", "ERROR":
        edges["DELETE " + status, "NONE DELETED"] = SAME
        for task in "ADD ", "UPDATE ":
            edges[task + status, "NONE ACTIVE"] = SAME
            edges[task + status, task + "PENDING"] = NEWER
            edges[task + status, "DELETE PENDING"] = DELETION[kind]
    for task in "ADD ", "UPDATE ":
        edges[task + "PENDING", task + "ERROR"] = SAME
    if kind == "domain":        # its servers serve other content by now
        edges["NONE ACTIVE", "UPDATE ERROR"] = SAME
    return edges


EDGES = {kind: _edges(kind) for kind in DELETION}


def newer(a, b):
    """RFC 1982."""
    return 1 <= (a - b) % 2**32 < 2**31


def covers(a, b):
    return a == b or newer(a, b)


class Move:
    """A row of the audit: .kind, .old and .new are pairs, or None."""

    def __init__(self, row):
        values = [None if value == "NULL" else value for value in row]
        self.seq = int(values[0])
        self.kind, self.id, self.domain, self.server, self.old, self.new = values[1:7]
        self.old_serial, self.serial = (None if value is None else int(value)
                                        for value in values[7:9])
        self.writer, self.is_stated, self.holder = values[9], values[10] == "1", values[11]

    def __str__(self):
        return (f"#{self.seq} {self.kind} {self.id} {self.server} {self.old} "
                f"{self.old_serial} -> {self.new} {self.serial}")

    @property
    def is_move(self):
        return (self.old, self.old_serial) != (self.new, self.serial)

    @property
    def is_legal(self):
        edges = EDGES[self.kind]
        if (self.old, self.new) not in edges:
            return False
        rule = edges[self.old, self.new]
        return (rule is None or (rule == SAME and self.serial == self.old_serial)
                or (rule == NEWER and newer(self.serial, self.old_serial)))

    @property
    def went_back(self):
        """Does a server's row forget what was seen already?

        A row that is in error may: its server answered twice with an older serial.
        """
        if self.old_serial is None:
            return False
        is_restored = self.old == self.new == "UPDATE ERROR"
        return self.serial is None or not (is_restored or covers(self.serial, self.old_serial))

    @property
    def ends_operation(self):
        """A server's zone was created, or deleted and is to be confirmed: under its lock."""
        # A process that claims a due row has no lock, and clears its success. A process that
        # orders an operation has no lock either: the row of an operation that runs stays open.
        is_claim = self.new is None and self.old in (None, "CREATE SUCCESS", "DELETE SUCCESS")
        return (self.kind == "server" and self.is_stated and not is_claim and
                self.new in ("CREATE SUCCESS", "DELETE NO_DOMAIN", None))


# A row in error has the serial that was seen, too, and the newer one that was not.
SEEN = ("UPDATE SUCCESS", "UPDATE ERROR")


class Evidence:
    """What the servers were seen to have so far: move by move."""

    def __init__(self):
        self.serials = defaultdict(dict)        # domain: server: serial
        self.absent = defaultdict(set)          # domain: servers

    def add(self, move):
        if move.new in SEEN and move.serial is not None:
            self.serials[move.domain][move.server] = move.serial
        if move.new == "DELETE SUCCESS":
            self.absent[move.domain].add(move.server)

    def servers_for(self, move):
        """How many servers had said what this end of a change claims."""
        if move.kind == "domain" and move.new == "NONE DELETED":
            return len(self.absent[move.domain])
        return sum(covers(serial, move.serial)
                   for serial in self.serials[move.domain].values())


def _ports(pid):
    """The local ports of a process' connections."""
    table = [line.split() for line in Path(f"/proc/{pid}/net/tcp").read_text().splitlines()[1:]]
    port_of = {f"socket:[{row[9]}]": int(row[1].split(":")[1], 16) for row in table}
    links = [os.readlink(link) for link in Path(f"/proc/{pid}/fd").iterdir()]
    return {port_of[link] for link in links if link in port_of}


class Audit:

    def __init__(self, mariadb):
        self.mariadb = mariadb
        mariadb.sql(TABLE)
        for kind, (table, domain, serial, pair, server) in AUDITED.items():
            new, old = (f"CONCAT({row}.{pair[0]}, ' ', {row}.{pair[1]})"
                        for row in ("NEW", "OLD"))
            options = {"kind": kind, "table": table, "domain": domain, "serial": serial,
                       "new_pair": new, "server": server}
            mariadb.sql(TRIGGER.format(event="INSERT", old_pair="NULL", old_serial="NULL",
                                       stated="FALSE", holder="NULL", **options))
            mariadb.sql(TRIGGER.format(event="UPDATE", old_pair=old,
                                       old_serial=f"OLD.{serial}", stated=STATED,
                                       holder=HOLDER if kind == "server" else "NULL", **options))

    def mark(self):
        """A place in the order of all moves: now."""
        return int(self.mariadb.sql("SELECT IFNULL(MAX(seq), 0) FROM audit")[0][0])

    def writes(self):
        """All of them, in their order."""
        return map(Move, self.mariadb.sql(
            "SELECT seq, kind, id, domain_id, server_id, old_pair, new_pair, old_serial, "
            "new_serial, writer, is_stated, holder FROM audit ORDER BY seq"))

    def moves(self):
        return [write for write in self.writes() if write.is_move]

    def pairs(self, kind):
        """The pairs of task and status that occurred."""
        return {move.new for move in self.moves() if move.kind == kind}

    def faults(self, mark=0, needed=0):
        """Moves behind MARK that break a rule, in words; NEEDED servers make a consensus."""
        found, evidence = [], Evidence()
        for move in self.moves():
            if move.kind == "server":
                evidence.add(move)
            if move.seq <= mark:
                continue
            if move.kind == "server":
                found += [f"it went back: {move}"] if move.went_back else []
            elif not move.is_legal:
                found.append(f"no such edge: {move}")
            elif move.new.startswith("NONE") and evidence.servers_for(move) < needed:
                found.append(f"{evidence.servers_for(move)} servers had it: {move}")
        return found

    def late_writes(self, pid, mark=0):
        """What the process ended though another had taken its lock, in words."""
        own = {f"127.0.0.1:{port}" for port in _ports(pid)}
        connections = {number for number, host in self.mariadb.sql(
            "SELECT id, host FROM information_schema.processlist") if host in own}
        return [f"{write.holder} had its lock: {write}" for write in self.writes()
                if write.seq > mark and write.writer in connections and write.ends_operation
                and write.holder and not re.search(f":{pid}:", write.holder)]

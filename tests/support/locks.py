"""What a transaction that stands still keeps from the domains beside it in each index.

    around = Neighbours(server, pool, domain)   # two domains, next to it by their ids
    around.settle(ids)                          # rows of theirs around each of these ids
    around.kept()                               # what they cannot write at the moment

A neighbour's row stands in each gap that a row of the domain's borders on, so that a lock
on a gap, or on a row too many, is seen whatever else is in the tables.
"""

import hashlib
import itertools
import re
import subprocess

from lab.process import LabError, program

LOCK_WAIT_TIMEOUT = "1205"
LATE = "2040-01-01"
SIDES = (-1, 1)         # of the two neighbours: before the domain, and behind it


def hashed(first):
    """Rdata whose hash begins with this octet, for a set's records stand by their hashes."""
    return next(text for text in map(str, itertools.count())
                if hashlib.sha256(text.encode()).digest()[0] == first)


MIDDLE, LAST, FIRST = map(hashed, (0x80, 0xff, 0x00))


def beside(number, distance):
    return f"{int(number, 16) + distance:032x}"


class Neighbours:

    def __init__(self, server, pool, domain):
        self.server, self.domain = server, domain
        self.ids = [beside(domain, -1), beside(domain, 1)]
        self.around = []            # ids of rows of the domain's, that are or will be
        self.server.sql("".join(
            "INSERT INTO domains (id, name, ancestry, tenant, pool_id, serial, mname, rname, "
            "soa_ttl, refresh, retry, expire, minimum, ttl) VALUES "
            f"('{number}', '{number}.example.', '{number[:30]}', 'neighbour', '{pool}', 1, 'a.', "
            f"'a.', 1, 1, 1, 1, 1, 1); INSERT INTO object_versions VALUES ('{number}', "
            "LPAD(1, 20, '0'), 'domain', NULL);" for number in self.ids))

    def settle(self, ids):
        self.around += ids
        self.server.sql("".join(
            self.recordset(beside(one, side), owner) +
            self.record(beside(one, side), beside(one, side), owner, MIDDLE)
            for one in ids for owner, side in zip(self.ids, SIDES)))

    @staticmethod
    def recordset(number, domain, name="m."):
        return ("INSERT INTO recordsets (id, domain_id, name, type) VALUES "
                f"('{number}', '{domain}', '{name}{number}.example.', 1);")

    @staticmethod
    def record(number, recordset, domain, rdata):
        return ("INSERT INTO records (id, recordset_id, domain_id, data, rdata, serial_number) "
                f"VALUES ('{number}', '{recordset}', '{domain}', 'x', '{rdata}', 1);")

    def writes(self):
        """(what it is, statements): each next to what the domain has, or will have."""
        for owner, side, name, rdata in zip(self.ids, SIDES, ("~.", "!."), (LAST, FIRST)):
            yield f"journal of {owner}", (
                "INSERT INTO journal (domain_id, serial, previous_serial, removed, added) VALUES "
                f"('{owner}', {4294967295 if side < 0 else 1}, 0, '', '');")
            yield f"versions of {owner}", (
                f"UPDATE object_versions SET version_id = LPAD(2, 20, '0') "
                f"WHERE obj_uuid = '{owner}';")
            yield f"domain {owner}", (
                f"UPDATE domains SET serial = serial + 1, status = 'ERROR', changed_at = '{LATE}' "
                f"WHERE id = '{owner}';")
            for one in self.around:
                there, new = beside(one, side), beside(one, 2 * side)
                yield f"recordset {new}", self.recordset(new, owner, name)
                yield f"record {new} of {there}", self.record(new, there, owner, rdata)
                yield f"state of record {there}", (
                    "UPDATE records SET status = 'ACTIVE', task = 'NONE', serial_number = 2 "
                    f"WHERE id = '{there}';")
                yield f"end of record {there}", (
                    f"UPDATE records SET status = 'DELETED', task = 'NONE' WHERE id = '{there}';")

    def kept(self):
        """Which of these writes another's lock keeps waiting, longer than from look to look."""
        seen = set(self.look())
        return sorted(seen.intersection(self.look())) if seen else []

    def look(self):
        """Which of them would wait at this moment. Nothing is written."""
        writes = dict(self.writes())
        # a line each: the client names the line of what failed
        script = "\n".join(["SET innodb_lock_wait_timeout = 0; START TRANSACTION;",
                            *writes.values(), "ROLLBACK;"])
        client = subprocess.run(
            [program("mariadb"), "--no-defaults", "--force", f"--host={self.server.host}",
             f"--port={self.server.port}", f"--user={self.server.user}", self.server.database],
            env=self.server.environment() | {"MYSQL_PWD": self.server.password},
            input=script, capture_output=True, text=True, timeout=60)
        failed = re.findall(r"^ERROR (\d+) .* at line (\d+)", client.stderr, re.MULTILINE)
        if {number for number, _ in failed} - {LOCK_WAIT_TIMEOUT}:
            raise LabError(client.stderr)
        return [list(writes)[int(line) - 2] for _, line in failed]

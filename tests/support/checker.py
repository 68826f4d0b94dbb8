"""Is all as it should be, once the faults are over? Each answer is a list of complaints."""

import re
import sys
import time
from collections import defaultdict

from story import LabError, canonical, wait_for

TYPES = {1: "A", 2: "NS", 5: "CNAME", 15: "MX", 16: "TXT", 28: "AAAA"}
BROKEN = re.compile(r'reason="SIG(SEGV|ABRT|BUS|FPE|ILL)|AddressSanitizer|runtime error:')


def checked(complaint, question, *arguments):
    """Asks; a question that fails is a complaint, too."""
    try:
        return question(*arguments)
    except LabError as error:
        return [f"{complaint}: {error}"]


class Wanted:
    """What a domain should be by the answers that its producer got."""

    def __init__(self, name, domain_id):
        self.name, self.id = name, domain_id
        self.records = {}       # owner: address
        self.changes = 0        # accepted, each for something new
        self.is_deleted = False
        self.is_lost = False    # it was answered for, and later it was not found


class Checker:

    def __init__(self, fleet):
        self.fleet = fleet

    def sql(self, text):
        return self.fleet.mariadb.sql(text)

    # In the database

    def unsettled(self):
        """Domains and records that are on their way, or were given up."""
        rows = self.sql("SELECT name, task, status, serial, reason FROM domains "
                        "WHERE status NOT IN ('ACTIVE', 'DELETED')")
        rows += self.sql("SELECT s.name, r.task, r.status, r.serial_number, '' FROM records r "
                         "JOIN recordsets s ON s.id = r.recordset_id "
                         "JOIN domains d ON d.id = r.domain_id "
                         "WHERE d.live = 1 AND r.status NOT IN ('ACTIVE', 'DELETED')")
        rows += self.sql("SELECT d.name, s.action, 'again', s.server_id, s.reason "
                         "FROM pool_manager_status s JOIN domains d ON d.id = s.domain_id "
                         "WHERE s.action <> 'UPDATE' AND s.next_attempt_at IS NOT NULL")
        return [f"not settled: {' '.join(row)}" for row in rows]

    def zones(self):
        """The zones as the database has them, as an AXFR should show them: {id: lines}."""
        zones = {domain: [soa] for domain, soa in self.sql(
            "SELECT id, CONCAT_WS(' ', name, soa_ttl, 'IN SOA', mname, rname, serial, refresh, "
            "retry, expire, minimum) FROM domains WHERE live = 1")}
        for domain, name, ttl, rtype, data in self.sql(
                "SELECT d.id, s.name, IFNULL(s.ttl, d.ttl), s.type, r.data FROM domains d "
                "JOIN recordsets s ON s.domain_id = d.id "
                "JOIN records r ON r.recordset_id = s.id WHERE d.live = 1 AND r.live = 1"):
            zones[domain].append(f"{name} {ttl} IN {TYPES[int(rtype)]} {data}")
        return {domain: canonical("\n".join(lines)) for domain, lines in zones.items()}

    def journal(self):
        """{id: [(previous serial, serial)]}, the oldest first."""
        rows = defaultdict(list)
        for domain, previous, serial in self.sql(
                "SELECT domain_id, previous_serial, serial FROM journal ORDER BY serial"):
            rows[domain].append((previous, serial))
        return rows

    def lost(self, wanted, stored):
        """What was accepted, and is not there, or is there, and was not accepted."""
        if wanted.is_lost:
            return [f"{wanted.name} is lost: it was answered for, and then it was not found"]
        found = {line.split()[0]: line.split()[4] for line in stored if line.split()[3] == "A"}
        if wanted.is_deleted:
            return [f"{wanted.name} was deleted, and is there"] if stored else []
        differing = set(found.items()) ^ set(wanted.records.items())
        return [f"{wanted.name}: {owner} {address} is "
                f"{'surplus' if found.get(owner) == address else 'lost'}"
                for owner, address in sorted(differing)]

    def history(self, wanted, stored, rows):
        """One serial for each accepted change, each behind the one before it. Of a domain that is
        gone central sweeps the journal away.
        """
        if wanted.is_deleted and len(rows) < wanted.changes:
            return []
        found = []
        if len(rows) != wanted.changes:
            found.append(f"{wanted.name}: {wanted.changes} changes made {len(rows)} serials")
        if [previous for previous, _ in rows][1:] != [serial for _, serial in rows][:-1]:
            found.append(f"{wanted.name}: the serials are no chain: {rows}")
        last = rows[-1][1] if rows and not wanted.is_deleted else None
        if last and not any(f" {last} " in line for line in stored):
            found.append(f"{wanted.name}: its serial is not the last one, {last}")
        return found

    # On the servers

    def served(self, server, wanted, stored):
        if wanted.is_deleted:
            status = server.query(wanted.name, "SOA")[0]
            return [] if status == "REFUSED" else [
                f"{server.name}: {wanted.name} was deleted, and it says {status}"]
        transferred = server.axfr(wanted.name)
        return [f"{server.name}: {wanted.name}: {record} is "
                f"{'surplus' if record in transferred else 'missing'}"
                for record in sorted(set(transferred) ^ set(stored))]

    def domain(self, wanted, stored, journal):
        found = self.lost(wanted, stored) + self.history(wanted, stored, journal)
        for server in self.fleet.name_servers:
            found += checked(server.name, self.served, server, wanted, stored)
        return found

    # On the broker, and the workers

    def messages(self):
        """Messages that nobody took, or that nobody can; an answer may find its caller gone."""
        counts = self.fleet.rabbitmq.listed("queues", "name", "messages")
        return [f"{count} messages in {name}" for name, count in counts
                if count != "0" and not name.startswith("reply_")]

    def workers(self):
        found = [f"{worker.name} is not well: {worker.page('/healthz')}"
                 for worker in self.fleet.workers if worker.page("/healthz")[0] != 200]
        for worker in self.fleet.workers:
            found += [f"{worker.name}: {line}" for line in worker.log.read_text().splitlines()
                      if BROKEN.search(line)]
        return found

    # All of it

    def revive(self):
        """Starts name servers that ended by themselves, as an init would, and says so.

        NSD 4.6.1 was seen to: a segmentation fault of its xfrd, within libevent.
        """
        for server in self.fleet.name_servers:
            if server.has_died():
                print(f"{server.name} died and is started again ... ", end="",
                      file=sys.stderr, flush=True)
                server.kill9()
                server.launch()
                server.wait_ready()

    def is_settled(self):
        self.revive()
        return not self.unsettled()

    def wait_settled(self, seconds):
        """The seconds it took."""
        started = time.monotonic()
        self.fleet.wait_for(self.is_settled, seconds, "all domains are ACTIVE or DELETED")
        return time.monotonic() - started

    @staticmethod
    def lasting(question, seconds):
        """What is still complained of after so many seconds."""
        try:
            wait_for(lambda: not question(), seconds, "no complaint")
            return []
        except LabError:
            return question()

    def complaints(self, wanted, seconds=20):
        """All complaints; what passes by itself (a poll under way, a message of yesterday that
        has a deleted zone looked at once more) has so many seconds.
        """
        found = self.lasting(self.messages, seconds) + self.lasting(self.unsettled, seconds)
        zones, journal = self.zones(), self.journal()
        for domain in wanted:
            found += self.domain(domain, zones.get(domain.id, []), journal[domain.id])
        return found + self.lasting(self.workers, seconds)

"""What pool managers did: the rounds of their patrols, and what they put right, and when."""

import re
import time
import zlib
from datetime import datetime


class Rounds:
    """When patrols began, as exactly as one looks: by member, [(not before, not after)]."""

    def __init__(self, members):
        """MEMBERS: those that share the domains, by the factor of their share."""
        self.members = members
        self.begun = {member: [] for member in members}
        self.seen = {}

    @classmethod
    def of(cls, fleet, service):
        pids = {pid: worker for worker in fleet.poolmgrs for pid in worker.processes()}
        rows = fleet.mariadb.sql("SELECT plugin_name FROM worker_nodes WHERE status = 'active' "
                                 f"AND service = '{service}' ORDER BY hash_factor")
        return cls([pids[int(name.split(":")[1])] for name, in rows])

    def look(self):
        for worker in self.members:
            page, now = worker.page("/metrics")[1], time.time()
            count = int(re.search(r"patrol_walks_total (\d+)", page).group(1))
            before, then = self.seen.get(worker, (count, now))
            self.begun[worker] += [(then, now)] * (count - before)
            self.seen[worker] = count, now

    def since(self, domain_id, moment):
        """When those began that surely came later, of whoever looks after the domain."""
        member = self.members[zlib.crc32(domain_id.encode()) % len(self.members)]
        return [latest for earliest, latest in self.begun[member] if earliest >= moment]

    def lengths(self):
        return [later[1] - earlier[1] for begun in self.begun.values()
                for earlier, later in zip(begun, begun[1:])]


class Actions:
    """(server, zone, moment) of each; of a repair also when it was seen for the second time."""

    def __init__(self, repairs=(), created=(), suspected=(), other=()):
        self.repairs, self.created = list(repairs), list(created)
        self.suspected = list(suspected)
        self.other = list(other)    # rows of the log that no edited record explains

    @classmethod
    def of(cls, fleet):
        sql = fleet.mariadb.sql
        repairs = sql("SELECT server_id, name, UNIX_TIMESTAMP(done_at), UNIX_TIMESTAMP(pass2_at) "
                      "FROM repair_log WHERE kind = 'CONTENT' AND outcome = 'DONE'")
        return cls([(server, zone, float(done), float(seen))
                    for server, zone, done, seen in repairs],
                   _logged(fleet, "zone created"), _logged(fleet, "server differs"),
                   sql("SELECT kind, name, server_id, outcome, detail FROM repair_log "
                       "WHERE kind = 'STRAY' OR (kind = 'CONTENT' AND outcome <> 'DONE')"))


def _logged(fleet, event):
    for worker in fleet.poolmgrs:
        for moment, zone, server in re.findall(
                rf"^(\S+) .* {event}: domain=(\S+) server=(\S+)", worker.log.read_text(),
                re.MULTILINE):
            yield server, zone, datetime.fromisoformat(moment.replace("Z", "+00:00")).timestamp()

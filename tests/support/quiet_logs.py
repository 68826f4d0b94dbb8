"""What RabbitMQ, MariaDB, the name servers and our workers complain of in their logs.

Nothing that runs as designed is a warning or an error in anybody's log. The lines of KNOWN are
there all the same, each with the reason why we cannot help it.
"""

import re

# server: how its log marks a line that is a warning or worse
MARKS = {
    "rabbitmq": r"\[(?:warning|error|critical|alert|emergency)\]",
    "mariadb": r"\[(?:Warning|ERROR)\]",
    # its lines have no severity here
    "bind": r"(?i)\b(?:warning|error|failed|failure|refused|denied|unexpected|timed out)\b",
    "knot": r"\b(?:warning|error|critical): ",
    "nsd": r"\b(?:warning|error): ",
    # its lines have no severity: the lab lets it log what it calls warnings, and worse
    "powerdns": r"\S",
}

# of our workers: each line that is not of these levels
OURS = r"^(?!\S+ zonefleet-[\w-]+\[\d+\] (?:info|debug): )"

NEW = "the change came before the server had the new zone, or after it was deleted"
DELETED = "it asks for a zone that changed and was deleted a moment later: name-servers.md"

# server (None: each worker of ours), what the line says, why it is there
KNOWN = (
    ("rabbitmq", r'Message store ".*": rebuilding indices from scratch',
     "a virtual host is new, and its store has no index yet"),
    ("rabbitmq", r"\[error\] <[\d.]+> +(?:supervisor: \{<[\d.]+>,rabbit_channel_sup_sup\}"
     r"|errorContext: shutdown_error|reason: noproc|offender: \[\{nb_children,1\},"
     r"|\{id,channel_sup\},|\{mfargs,\{rabbit_channel_sup,start_link,\[\]\}\},"
     r"|\{restart_type,temporary\},|\{shutdown,infinity\},|\{child_type,supervisor\}\])$",
     "a client closes its channel and its connection, and RabbitMQ ends the channel twice"),
    ("mariadb", r"Could not increase number of max_open_files",
     "the machine limits the files of a process"),
    ("mariadb", r"'proxies_priv' entry '@% root@.*' ignored in --skip-name-resolve mode",
     "mariadb-install-db makes this row"),
    ("mariadb", r"Aborted connection \d+ to db: 'zonefleet' user: 'zonefleet' ",
     "the lab has this account, and its session ends with the process; our programs have others"),
    ("bind", r" built with +'--build=", "the options of its compiler contain the word error"),
    ("bind", r"refresh: unexpected rcode \((?:NXDOMAIN|REFUSED)\) from primary", DELETED),
    ("bind", r"transfer of '(?:shard1\.)?example\.net/IN' from \S+ (?:failed while receiving "
     r"responses|Transfer status): REFUSED$", DELETED),
    ("knot", r"\[(?:shard1\.)?example\.net\.\] refresh, .* fallback to AXFR \(not allowed\)",
     DELETED),
    ("knot", r"server responded with error '(?:NOTAUTH|REFUSED|NXDOMAIN)'"
     r"|refresh, (?:address|remote) \S+ not usable"
     r"|refresh, failed \(no usable master\)|'refresh' failed \(no usable master\)", DELETED),
    ("nsd", r"received error code (?:SERVER NOT AUTHORITATIVE FOR ZONE|REFUSED)", DELETED),
    ("nsd", r"error: xfrd: zone \S+ soa serial \d+ update failed, restarting transfer",
     "a zone was deleted before NSD had read the transfer of it"),
    ("nsd", r"error: open \S+/xfr\.\d+ for r failed: No such file or directory",
     "a zone was deleted before NSD had read the transfer of it"),
    ("knot", r"warning: no zones loaded", "Knot starts before the first domain is created"),
    ("powerdns", r" (?:Loading '\S+gsqlite3|This is a standalone pdns$|Listening on controlsocket |"
     r"(?:UDP|TCP)(?:v6)? server bound |PowerDNS Authoritative Server |Using 64-bits mode|"
     r"PowerDNS comes with |\[webserver\] Listening |Creating backend connection for TCP$|"
     r"Primary/secondary communicator launching$|About to create \d+ backend threads|"
     r"Done launching threads, ready |Disabling traceback handler$)",
     "it calls the lines of its start warnings"),
    ("powerdns", r" [AI]XFR-in zone: .* zone committed with serial \d+$"
     r"| AXFR-out zone .* (?:transfer initiated|AXFR finished)$",
     "it calls a transfer that succeeds a warning"),
    ("powerdns", r" IXFR-in zone:? .*: database is locked \(5\)$",
     "another thread of PowerDNS writes to SQLite: it transfers the zone again"),
    ("powerdns", r" While checking domain freshness: Query to \S+ for SOA of \S+ returned Rcode "
     r"(?:Non-Existent domain|Query Refused|Server Not Authoritative for zone)"
     r"| Received serial number updates for \d+ zones?, had 1 timeout$", DELETED),
    ("minidns", r' warn: notify failed: .* reason="(?:NOTAUTH|NXDOMAIN|REFUSED)"', NEW),
    ("minidns", r" warn: query repeated over TCP, because the answers over UDP may be forged: ",
     "NSD answers a NOTIFY for a zone that it does not have without the question"),
    ("poolmgr", r" warn: server stays behind: .* action=TRANSFER outcome=DONE ",
     NEW + ": the server missed the NOTIFY, and a busy machine was slow to repeat it"),
    (None, r" warn: process not ready: .*the program has not connected to the broker yet",
     "a busy machine starts all at once"),
)


def complaints(folder, without=()):
    """The lines of the logs in FOLDER that KNOWN does not explain: "server: line".

    All servers with a mark have a log, but for those WITHOUT. A server without a mark is one of
    our workers: "central1".
    """
    logs = {log.parent.name: log for log in sorted(folder.glob("*/log"))}
    missing = MARKS.keys() - logs.keys() - {*without}
    return [f"{server}: no log" for server in missing] + [
        f"{server}: {line}" for server, log in logs.items()
        for line in log.read_text(errors="replace").splitlines()
        if re.search(MARKS.get(server, OURS), line)
        and not is_known(server.rstrip("0123456789"), line)]


def is_known(server, line):
    return any(where in (server, None) and re.search(says, line) for where, says, _ in KNOWN)

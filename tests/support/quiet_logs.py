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
}

# of our workers: each line that is not of these levels
OURS = r"^(?!\S+ zonefleet-[\w-]+\[\d+\] (?:info|debug): )"

NEW = "the change came before the server had the new zone, or after it was deleted"
DELETED = "it asks for a zone that changed and was deleted a moment later: name-servers.md"

# server (None: each worker of ours), what the line says, why it is there
KNOWN = (
    ("rabbitmq", r'Message store ".*": rebuilding indices from scratch',
     "a virtual host is new, and its store has no index yet"),
    ("mariadb", r"Could not increase number of max_open_files",
     "the machine limits the files of a process"),
    ("mariadb", r"'proxies_priv' entry '@% root@.*' ignored in --skip-name-resolve mode",
     "mariadb-install-db makes this row"),
    ("mariadb", r"Aborted connection \d+ to db: 'zonefleet' user: 'zonefleet' ",
     "the lab has this account, and its session ends with the process; our programs have others"),
    ("bind", r" built with +'--build=", "the options of its compiler contain the word error"),
    ("bind", r"refresh: unexpected rcode \((?:NXDOMAIN|REFUSED)\) from primary", DELETED),
    ("knot", r"server responded with error '(?:NOTAUTH|REFUSED|NXDOMAIN)'"
     r"|refresh, (?:address|remote) \S+ not usable"
     r"|refresh, failed \(no usable master\)|'refresh' failed \(no usable master\)", DELETED),
    ("nsd", r"received error code SERVER NOT AUTHORITATIVE FOR ZONE", DELETED),
    ("knot", r"warning: no zones loaded", "Knot starts before the first domain is created"),
    ("minidns", r' warn: notify failed: .* reason="(?:NOTAUTH|NXDOMAIN)"', NEW),
    ("minidns", r" warn: query repeated over TCP, because the answers over UDP may be forged: ",
     "NSD answers a NOTIFY for a zone that it does not have without the question"),
    ("poolmgr", r" warn: server stays behind: .* action=TRANSFER outcome=DONE ",
     NEW + ": the server missed the NOTIFY, and a busy machine was slow to repeat it"),
    (None, r" warn: process not ready: .*the program has not connected to the broker yet",
     "a busy machine starts all at once"),
)


def complaints(folder):
    """The lines of the logs in FOLDER that KNOWN does not explain: "server: line".

    A server without a mark is one of our workers: "central1".
    """
    logs = {log.parent.name: log for log in sorted(folder.glob("*/log"))}
    missing = MARKS.keys() - logs.keys()
    return [f"{server}: no log" for server in missing] + [
        f"{server}: {line}" for server, log in logs.items()
        for line in log.read_text(errors="replace").splitlines()
        if re.search(MARKS.get(server, OURS), line)
        and not is_known(server.rstrip("0123456789"), line)]


def is_known(server, line):
    return any(where in (server, None) and re.search(says, line) for where, says, _ in KNOWN)

"""What RabbitMQ, MariaDB and the name servers complain of in their logs.

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

DELETED = "it asks for a zone that changed and was deleted a moment later: name-servers.md"

# server, what the line says, why it is there
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
     r"|refresh, address \S+ not usable", DELETED),
    ("nsd", r"received error code SERVER NOT AUTHORITATIVE FOR ZONE", DELETED),
    ("knot", r"warning: no zones loaded", "Knot starts before the first domain is created"),
)


def complaints(folder, servers=MARKS):
    """The lines of the logs in FOLDER that KNOWN does not explain: "server: line"."""
    return [f"{server}: {line}" for server in servers
            for line in (folder / server / "log").read_text(errors="replace").splitlines()
            if re.search(MARKS[server], line) and not is_known(server, line)]


def is_known(server, line):
    return any(server == where and re.search(says, line) for where, says, _ in KNOWN)

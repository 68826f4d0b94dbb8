"""A private PowerDNS whose zones, in SQLite, are created by its own tool, or by its API.

    pdnsutil create-secondary-zone NAME 127.0.0.1:PORT
    pdnsutil set-meta NAME IXFR 1
    pdns_control retrieve NAME
"""

import http.client
import json
import sqlite3
from pathlib import Path

from .dns import NameServer
from .process import LabError, free_port, program, run

API_KEY = "lab-key"

SCHEMA = Path("/usr/share/pdns-backend-sqlite3/schema/schema.sqlite3.sql")

# A secondary that answers from its database alone: no cache knows what was before. What
# would print a trace when it crashes may hang instead, with its sockets open: off.
CONFIG = """\
launch=gsqlite3
gsqlite3-database={database}
gsqlite3-pragma-synchronous=0
gsqlite3-pragma-foreign-keys=yes
local-address={host}
local-port={port}
socket-dir={folder}
secondary=yes
daemon=no
guardian=no
traceback-handler=no
setuid=
setgid=
disable-syslog=yes
loglevel=4
security-poll-suffix=
version-string=anonymous
webserver=yes
webserver-address={host}
webserver-port={api_port}
api=yes
api-key={api_key}
allow-axfr-ips={host}
allow-notify-from={host}
xfr-cycle-interval=1
retrieval-threads=4
receiver-threads=1
distributor-threads=2
zone-cache-refresh-interval=0
cache-ttl=0
query-cache-ttl=0
negquery-cache-ttl=0
{settings}
"""


class PowerDns(NameServer):
    """.util(), .control(), .api(); .url and .api_key are for clients of the API"""

    def __init__(self, folder, masters, settings=(), key=None, catalog=None, **options):
        """SETTINGS are further lines of the configuration: "xfr-max-received-mbytes=10".

        With a KEY transfers are signed. With a CATALOG, the name of a zone, the server has
        the zones that this one lists.
        """
        super().__init__(folder, masters, **options)
        self.key = key
        self.catalog = catalog
        self.api_port = free_port()
        self.api_key = API_KEY
        self.url = f"http://{self.host}:{self.api_port}"
        self.socket_path("pdns.controlsocket")
        self.database = self.folder / "zones.sqlite3"
        self.write("pdns.conf", CONFIG.format(
            host=self.host, port=self.port, api_port=self.api_port, api_key=self.api_key,
            folder=self.folder, database=self.database, settings="\n".join(settings)))
        self._install()
        if catalog:
            self.util("create-secondary-zone", catalog,
                      *(f"{address}:{port}" for address, port in self.masters))
            self.util("set-kind", catalog, "consumer")

    def _install(self):
        """The write-ahead log lets the tool write while the server reads."""
        if not SCHEMA.exists():
            raise LabError(f"{SCHEMA} is missing: run deploy/install-packages")
        database = sqlite3.connect(self.database)
        database.executescript("PRAGMA journal_mode = WAL;" + SCHEMA.read_text())
        database.close()

    def command(self):
        return [program("pdns_server"), f"--config-dir={self.folder}"]

    def status(self):
        return self.control("rping")

    def control(self, *arguments):
        """Runs pdns_control and returns what it printed."""
        return run([program("pdns_control"), f"--config-dir={self.folder}", *arguments])

    def util(self, *arguments):
        """Runs pdnsutil and returns what it printed."""
        return run([program("pdnsutil"), f"--config-dir={self.folder}", *arguments])

    def api(self, method, path, body=None):
        """(status, value) of a request to the API, its path behind the server's."""
        link = http.client.HTTPConnection(self.host, self.api_port, timeout=10)
        try:
            link.request(method, f"/api/v1/servers/localhost{path}",
                         None if body is None else json.dumps(body),
                         {"X-API-Key": self.api_key, "Accept": "application/json"})
            answer = link.getresponse()
            text = answer.read()
            return answer.status, json.loads(text) if text else None
        finally:
            link.close()

    def add_zone(self, zone):
        self.util("create-secondary-zone", zone,
                  *(f"{address}:{port}" for address, port in self.masters))
        self.util("set-meta", zone, "IXFR", "1")
        if self.key:
            self.util("import-tsig-key", *self.key)
            self.util("set-meta", zone, "AXFR-MASTER-TSIG", self.key.name)
        self.control("retrieve", zone)

    def remove_zone(self, zone):
        self.util("delete-zone", zone)

"""A private Knot DNS whose zones are created through its control socket.

A zone with the template `zonefleet` is a secondary of all masters:

    conf-begin; conf-set zone[NAME]; conf-set zone[NAME].template zonefleet; conf-commit

Knot 3.2 may sit on a NOTIFY for up to a second: after each change it plans an event of
its own for the next second, and a refresh that falls into the same second waits for it.
A refresh waits for its transfer on a thread of its own: `background-workers` are how many
there are at a time. The journal is written asynchronously, as BIND's and NSD's are.
"""

from .dns import NameServer
from .process import LabError, program, run

TEMPLATE = "zonefleet"

CONFIG = """\
server:
    rundir: {run}
    {user}
    listen: {host}@{port}
    udp-workers: 2
    background-workers: 16
    # its 0.5 s are too short for a client on a busy machine
    tcp-io-timeout: 10000

control:
    listen: {socket}

log:
  - target: stderr
    any: notice

database:
    storage: {data}
    journal-db-max-size: 2G
    journal-db-mode: asynchronous

{keys}
remote:
{remotes}

acl:
  - id: loopback
    address: {host}
    action: [{anyone}]
{signed}

template:
  - id: default
    storage: {data}
  - id: {template}
    storage: {data}
    master: [{masters}]
    acl: [{acls}]
    zonefile-sync: -1
    zonefile-load: none
    journal-content: all
    refresh-min-interval: 2
    refresh-max-interval: 300
    retry-min-interval: 1
    retry-max-interval: 5
    {settings}

{zones}
"""

# its zones have the template's settings (RFC 9432)
CATALOG = """\
zone:
  - domain: {catalog}
    template: {template}
    catalog-role: interpret
    catalog-template: {template}
"""

REMOTE = """\
  - id: {name}
    address: {address}@{port}
    {key}
"""

KEY = """\
  - id: {name}
    algorithm: {algorithm}
    secret: {secret}
"""

SIGNED = """\
  - id: signed
    address: {host}
    key: {name}
    action: [notify, transfer]
"""


def known_keys(keys):
    return "\n".join(["key:", *(KEY.format(**key._asdict()) for key in keys)]) if keys else ""


class Knot(NameServer):
    """.knotc(), .socket, .template"""

    package_user = "knot"

    def __init__(self, folder, masters, settings=(), key=None, catalog=None, keys=(),
                 **options):
        """SETTINGS are further lines of the template: "retry-max-interval: 60".

        With a KEY transfers are signed, and so must be a NOTIFY. It knows KEYS besides, for
        what zones allow. With a CATALOG, the name of a zone, the server has the zones that
        this one lists.
        """
        super().__init__(folder, masters, **options)
        self.catalog = catalog
        self.template = TEMPLATE
        self.socket = self.socket_path(self.state / "knot.sock")
        self.database = self.state / "confdb"
        names = [f"master{number}" for number in range(len(masters))]
        remotes = [REMOTE.format(name=name, address=address, port=port,
                                 key=f"key: {key.name}" if key else "")
                   for name, (address, port) in zip(names, masters)]
        config = self.write("knot.conf", CONFIG.format(
            run=self.make_folder(self.state / "run"), data=self.data,
            user=f"user: {self.user}:{self.user}" if self.user else "",
            host=self.host, port=self.port, socket=self.socket, template=TEMPLATE,
            keys=known_keys([*([key] if key else []), *keys]),
            anyone="transfer" if key else "notify, transfer",
            signed=SIGNED.format(host=self.host, name=key.name) if key else "",
            acls="loopback, signed" if key else "loopback",
            remotes="".join(remotes), masters=", ".join(names),
            zones=CATALOG.format(catalog=catalog, template=TEMPLATE) if catalog else "",
            settings="\n    ".join(settings)))
        run([program("knotc"), "-C", self.database, "conf-import", config])

    def command(self):
        return [program("knotd"), "-C", self.database]

    def status(self):
        return self.knotc("status")

    def knotc(self, *arguments):
        """Runs knotc and returns what it printed."""
        return run([program("knotc"), "-s", self.socket, *arguments])

    def add_zone(self, zone):
        self.change(("conf-set", f"zone[{zone}]"),
                        ("conf-set", f"zone[{zone}].template", TEMPLATE))

    def add_primary_zone(self, zone, text, writers, readers="loopback"):
        """Serves the zone file TEXT. WRITERS: {key: lines of its acl, as in "update-owner"}."""
        (self.data / f"{zone.rstrip('.')}.zone").write_text(text)
        rows = []
        for key, lines in writers.items():
            acl = f"acl[{zone}-{key}]"
            rows += [("conf-set", acl), ("conf-set", f"{acl}.address", self.host),
                     ("conf-set", f"{acl}.key", key),
                     ("conf-set", f"{acl}.action", "transfer", "update"),
                     *(("conf-set", f"{acl}.{item}", value) for item, value in lines.items())]
        self.change(*rows, ("conf-set", f"zone[{zone}]"),
                        ("conf-set", f"zone[{zone}].acl",
                         *(f"{zone}-{key}" for key in writers), readers))

    def remove_zone(self, zone):
        self.change(("conf-unset", f"zone[{zone}]"))

    def add_catalog(self):
        """Its catalog, after remove_zone()."""
        zone = f"zone[{self.catalog}]"
        self.change(("conf-set", zone), ("conf-set", f"{zone}.template", TEMPLATE),
                        ("conf-set", f"{zone}.catalog-role", "interpret"),
                        ("conf-set", f"{zone}.catalog-template", TEMPLATE))

    def change(self, *changes):
        self.knotc("conf-begin")
        try:
            for change in changes:
                self.knotc(*change)
        except LabError:
            self.knotc("conf-abort")
            raise
        self.knotc("conf-commit")

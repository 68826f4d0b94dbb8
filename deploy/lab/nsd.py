"""A private NSD whose zones are added through its control channel.

    nsd-control addzone NAME zonefleet
"""

from .dns import NameServer
from .process import free_port, program, run

PATTERN = "zonefleet"
KEYS_SECONDS = 120      # it makes two RSA keys

CONFIG = """\
server:
	ip-address: {host}@{port}
	server-count: 1
	username: "{user}"
	chroot: ""
	pidfile: ""
	zonesdir: "{data}"
	database: ""
	zonefiles-write: 0
	zonelistfile: "{state}/zone.list"
	xfrdfile: "{state}/xfrd.state"
	xfrdir: "{transfers}"
	xfrd-reload-timeout: {reload_seconds}
	rrl-ratelimit: 0
	rrl-whitelist-ratelimit: 0
	tcp-count: 200
	verbosity: 1

remote-control:
	control-enable: yes
	control-interface: {interface}
	control-port: {control_port}
	server-key-file: "{folder}/nsd_server.key"
	server-cert-file: "{folder}/nsd_server.pem"
	control-key-file: "{folder}/nsd_control.key"
	control-cert-file: "{folder}/nsd_control.pem"

{key}
pattern:
	name: "{pattern}"
	zonefile: "%s.zone"
{masters}
	allow-notify: {host} {key_name}
	provide-xfr: {host} NOKEY
	{signed}
	allow-axfr-fallback: yes
	min-refresh-time: 1
	max-refresh-time: 300
	min-retry-time: 1
	max-retry-time: 5
	{settings}
"""


KEY = """\
key:
	name: "{name}"
	algorithm: {algorithm}
	secret: "{secret}"
"""


class Nsd(NameServer):
    """.control(), .pattern

    .control_address is a socket's path, or "host:port" with TLS; then .key_files are what
    a client of it needs, by the names of our settings.

    It writes the file of a zone only when it is told to: a file stays when its zone is deleted,
    and a later zone of that name would begin with it.

    NSD 4.6 crashes at times when it loses a zone that it transfers, and its process for
    transfers hangs at times. So it has a keeper.
    """

    restarts = True
    package_user = "nsd"

    def __init__(self, folder, masters, tls=False, settings=(), reload_seconds=1,
                 transfers=None, key=None, **options):
        """SETTINGS are further lines of the pattern: "max-retry-time: 60".

        TRANSFERS is a folder for the files, one a transfer, that are soon removed again.
        With a KEY transfers are signed, and so must be a NOTIFY.

        NSD takes changes in by a new process, at most one in RELOAD_SECONDS. With 0, changes
        that come fast enough keep it busy with that, and it answers no question meanwhile.
        """
        super().__init__(folder, masters, **options)
        self.pattern = PATTERN
        self.tls = tls
        self.control_port = free_port()
        socket = self.socket_path(self.state / "nsd.sock")
        self.control_address = f"{self.host}:{self.control_port}" if tls else str(socket)
        self.key_files = {}
        if tls:
            run([program("nsd-control-setup"), "-d", self.folder], seconds=KEYS_SECONDS)
            self.key_files = {"server_cert": self.folder / "nsd_server.pem",
                              "control_key": self.folder / "nsd_control.key",
                              "control_cert": self.folder / "nsd_control.pem"}
        name = key.name if key else "NOKEY"
        requests = [f"\trequest-xfr: {address}@{port} {name}" for address, port in masters]
        self.config = self.write("nsd.conf", CONFIG.format(
            host=self.host, port=self.port, data=self.data, state=self.state,
            user=self.user or "", transfers=transfers or self.data,
            key=KEY.format(**key._asdict()) if key else "", key_name=name,
            signed=f"provide-xfr: {self.host} {name}" if key else "",
            folder=self.folder, interface=self.host if tls else socket,
            control_port=self.control_port, pattern=PATTERN,
            reload_seconds=reload_seconds,
            masters="\n".join(requests), settings="\n\t".join(settings)))
        self.question = [program("nsd-control"), "-c", self.config, "status"]

    def command(self):
        return [program("nsd"), "-d", "-c", self.config]

    def status(self):
        return self.control("status")

    def control(self, *arguments):
        """Runs nsd-control and returns what it printed."""
        return run([program("nsd-control"), "-c", self.config, *arguments])

    def add_zone(self, zone):
        self.control("addzone", zone, PATTERN)

    def remove_zone(self, zone):
        self.control("delzone", zone)

"""A private BIND 9, to which zones are added by rndc."""

import base64
import secrets

from .dns import NameServer
from .process import free_port, program, run

KEY = """\
key "{name}" {{
	algorithm {algorithm};
	secret "{secret}";
}};
"""

# a secondary that asks at once, asks often, and gives up slowly
CONFIG = """\
include "{key_file}";
{keys}
controls {{
	inet {host} port {rndc_port} allow {{ {host}; }} keys {{ "rndc-key"; }};
}};
statistics-channels {{
	inet {host} port {stats_port} allow {{ {host}; }};
}};
options {{
	directory "{data}";
	pid-file none;
	session-keyfile none;
	listen-on port {port} {{ {host}; }};
	listen-on-v6 {{ none; }};
	allow-new-zones yes;
	allow-query {{ any; }};
	allow-transfer {{ {host}; }};
	allow-notify {{ {notifiers}; }};
	recursion no;
	dnssec-validation no;
	minimal-responses yes;
	empty-zones-enable no;
	notify no;
	notify-source {host};
	transfer-source {host};
	request-ixfr yes;
	max-journal-size 1m;
	serial-query-rate 500;
	startup-notify-rate 1000;
	transfers-in 100;
	transfers-out 100;
	transfers-per-ns 100;
	min-refresh-time 1;
	max-refresh-time 300;
	min-retry-time 1;
	max-retry-time 5;
	{settings}
}};
{zones}
"""

# zones that the server provisions itself with (RFC 9432); it looks at once, not after 5 s
CATALOG_OPTION = """\
catalog-zones {{
		zone "{catalog}" default-primaries {{ {masters} }} min-update-interval 0;
	}};
"""
CATALOG_ZONE = """\
zone "{catalog}" {{
	type secondary;
	file "catalog.db";
	primaries {{ {masters} }};
}};
"""


class Bind(NameServer):
    """.rndc(); .rndc_port, .key_file and .stats_url are for who controls it from outside."""

    package_user = "bind"

    def __init__(self, folder, settings="", key=None, catalog=None, keys=(), **options):
        """SETTINGS are further statements of its options: "max-refresh-time 60;".

        With a KEY transfers are signed, and so must be a NOTIFY. It knows KEYS besides, for
        what zones allow. With a CATALOG, the name of
        a zone, the server has the zones that this one lists.
        """
        super().__init__(folder, **options)
        self.catalog = catalog
        self.rndc_port = free_port()
        self.stats_port = free_port()
        self.stats_url = f"http://{self.host}:{self.stats_port}"
        self.key = key
        self.key_file = self.write("rndc.key", KEY.format(
            name="rndc-key", algorithm="hmac-sha256", secret=base64.b64encode(secrets.token_bytes(32)).decode()))
        self.config = self.write("named.conf", CONFIG.format(
            key_file=self.key_file, keys="".join(KEY.format(**one._asdict()) for one in [*([key] if key else []), *keys]),
            notifiers=f'key "{key.name}"' if key else self.host, data=self.data, host=self.host, port=self.port,
            rndc_port=self.rndc_port, stats_port=self.stats_port,
            settings=settings + self._of_catalog(CATALOG_OPTION), zones=self._of_catalog(CATALOG_ZONE)))

    def _of_catalog(self, text):
        if not self.catalog:
            return ""
        return text.format(catalog=self.catalog, masters=self._masters())

    def _masters(self):
        key = f' key "{self.key.name}"' if self.key else ""
        return " ".join(f"{address} port {port}{key};" for address, port in self.masters)

    def command(self):
        user = ["-u", self.user] if self.user else []
        return [program("named"), "-g", "-n", "2", "-c", self.config, *user]

    def status(self):
        return self.rndc("status")

    def rndc(self, *arguments):
        """Runs rndc and returns what it printed."""
        return run([program("rndc"), "-k", self.key_file, "-s", self.host,
                    "-p", self.rndc_port, *arguments])

    def add_zone(self, zone, file=None):
        """From the masters, kept in FILE of its data: NAME.db if there is none."""
        self.rndc("addzone", zone, f'{{ type secondary; file "{file or zone + ".db"}";'
                                   f' primaries {{ {self._masters()} }}; }};')

    def add_primary_zone(self, zone, text, settings=""):
        """Serves the zone file TEXT; change_primary_zone() replaces it."""
        (self.data / f"{zone}.db").write_text(text)
        self.rndc("addzone", zone, f'{{ type primary; file "{zone}.db"; {settings} }};')

    def change_primary_zone(self, zone, text):
        (self.data / f"{zone}.db").write_text(text)
        self.rndc("reload", zone)

    def remove_zone(self, zone):
        self.rndc("delzone", "-clean", zone)

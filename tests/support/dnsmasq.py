"""A private dnsmasq that answers from a hosts file, as Neutron's DHCP agent starts it."""

import json
import subprocess
import sys
from pathlib import Path

import dns.message
import dns.query
from lab.process import HOST, PATH, Server, free_port, program, run
from query import udp

DHCP = Path(__file__).resolve().parent / "dhcp.py"


class Dnsmasq(Server):

    user = "root"

    def __init__(self, folder, domain, files=None, **options):
        """FILES: the directory of its network, if somebody else keeps it."""
        super().__init__(folder, **options)
        self.domain = domain.rstrip(".")
        self.port = free_port()
        self.files = Path(files or folder)
        self.hosts = self.files / "addn_hosts"
        self.leases = self.files / "host"
        if not files:
            self.write("addn_hosts", "")

    def command(self):
        return [program("dnsmasq"), "--keep-in-foreground", "--conf-file=/dev/null", "--no-hosts",
                "--no-resolv", f"--addn-hosts={self.hosts}", f"--port={self.port}",
                f"--listen-address={HOST}", "--bind-interfaces", f"--user={self.user}",
                f"--pid-file={self.files / 'pid'}", "--log-facility=-",
                f"--domain={self.domain}", f"--local=/{self.domain}/"]

    def is_ready(self):
        try:
            udp(dns.message.make_query("ready.", "A"), HOST, port=self.port, timeout=1)
        except Exception:
            return False
        return True

    def reads(self):
        """How often it has read the hosts file."""
        return self.log.read_text().count(f"read {self.hosts}")


# its user is root in there, whoever it is outside; what is sent at one end of a cable of
# its own comes out at the other
OWN_NETWORK = ("unshare", "--map-root-user", "--net", "--", "sh", "-c",
               "ip link set lo up && ip link add here type veth peer name there && "
               "ip address add 10.224.48.1/24 dev here && ip link set here up && "
               'ip link set there up && exec "$@"', "sh")
IN_NETWORK = ("nsenter", "--user", "--net", "--preserve-credentials", "--target")


class Leasing(Dnsmasq):
    """One that also leases, on a cable in a network namespace of its own.

    Whose root may be nobody outside: so it is not to become any user, and then it writes
    no pid file.
    """

    def command(self):
        return [*OWN_NETWORK, *super().command(), "--no-daemon",
                "--dhcp-range=10.224.48.0,static,1h",
                "--interface=here", f"--dhcp-hostsfile={self.leases}", "--log-dhcp",
                f"--dhcp-leasefile={self.folder / 'leases'}"]

    def is_ready(self):
        ready = "DHCP, static leases only" in self.log.read_text()
        if ready:
            (self.files / "pid").write_text(f"{self.pid}\n")
        return ready

    def offered(self, mac):
        """{option: octets} of the offer that MAC gets there; None if it gets none."""
        said = run([*IN_NETWORK, self.pid, "--", sys.executable, DHCP, "there", mac])
        offer = json.loads(said)
        return offer and {int(option): bytes.fromhex(value) for option, value in offer.items()}

    @staticmethod
    def can_run():
        tried = subprocess.run([*OWN_NETWORK, "true"], env={"PATH": PATH}, capture_output=True)
        return tried.returncode == 0

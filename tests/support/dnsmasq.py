"""A private dnsmasq that answers from a hosts file, as Neutron's DHCP agent starts it."""

import dns.message
import dns.query
from lab.process import HOST, Server, free_port, program


class Dnsmasq(Server):

    def __init__(self, folder, domain, **options):
        super().__init__(folder, **options)
        self.domain = domain.rstrip(".")
        self.port = free_port()
        self.hosts = self.write("addn_hosts", "")

    def command(self):
        return [program("dnsmasq"), "--keep-in-foreground", "--conf-file=/dev/null", "--no-hosts",
                "--no-resolv", f"--addn-hosts={self.hosts}", f"--port={self.port}",
                f"--listen-address={HOST}", "--bind-interfaces", "--user=root",
                f"--pid-file={self.folder / 'dnsmasq.pid'}", "--log-facility=-",
                f"--domain={self.domain}", f"--local=/{self.domain}/"]

    def is_ready(self):
        try:
            dns.query.udp(dns.message.make_query("ready.", "A"), HOST, port=self.port, timeout=1)
        except Exception:
            return False
        return True

"""Transfers over TLS (RFC 9103): dig, BIND and NSD take zones so, and who may not, does not."""

import socket
import ssl
import subprocess
import sys
import unittest
from pathlib import Path

import dns.message
import dns.query
import dns.rcode

sys.path.insert(0, str(Path(__file__).resolve().parent))
from minidns_lab import HOST, Domain, Lab, free_port, rrs_of, run, wait_for  # noqa: E402
from minidns_lab import TransferEnd                             # noqa: E402

ZONE, LARGE = "example.org.", "large.test."
NAME = "minidns.test"


# what the name servers need for zones that they take over TLS
CLAUSES = {
    "bind": """
tls minidns {{ ca-file "{ca}"; remote-hostname "{name}"; }};
""",
    "nsd": """
server:
	tls-cert-bundle: "{ca}"
tls-auth:
	name: minidns
	auth-domain-name: {name}
pattern:
	name: over
	zonefile: "%s.zone"
	request-xfr: AXFR {host}@{port} NOKEY minidns
	allow-notify: {host} NOKEY
	provide-xfr: {host} NOKEY
	min-retry-time: 1
	max-retry-time: 5
""",
}


class Authority:
    """A CA of a story's own; .make() gives certificates signed by it."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir()
        self.certificate, self.key = folder / "ca.pem", folder / "ca.key"
        self._openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
                      "-nodes", "-subj", "/CN=the CA", "-days", "2", "-keyout", self.key,
                      "-out", self.certificate)

    @staticmethod
    def _openssl(*words):
        subprocess.run(["openssl", *map(str, words)], check=True, capture_output=True)

    def make(self, name):
        """(certificate, key) for NAME."""
        certificate, key = self.folder / f"{name}.pem", self.folder / f"{name}.key"
        request, names = self.folder / f"{name}.csr", self.folder / f"{name}.ext"
        names.write_text(f"subjectAltName=DNS:{name},IP:{HOST}\n")
        self._openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                      "-subj", f"/CN={name}", "-keyout", key, "-out", request)
        self._openssl("x509", "-req", "-in", request, "-CA", self.certificate, "-CAkey",
                      self.key, "-CAcreateserial", "-days", "2", "-extfile", names,
                      "-out", certificate)
        return certificate, key


class Xot(unittest.TestCase):
    client_ca = False

    @classmethod
    def setUpClass(cls):
        cls.port = free_port()
        cls.lab = Lab(servers=cls.servers)
        cls.authority = Authority(cls.lab.folder / "ca")
        cls.certificate, cls.key = cls.authority.make(NAME)
        cls.lab.settings = {
            "listen_tls": [f"{HOST}:{cls.port}"], "tls_certificate": str(cls.certificate),
            "tls_key": str(cls.key), "allow_transfer": [HOST], "tcp_idle": 10}
        for name, server in cls.lab.servers.items():
            text = CLAUSES[name].format(ca=cls.authority.certificate, name=NAME, host=HOST,
                                        port=cls.port)
            server.config.write_text(server.config.read_text() + text)
        if cls.client_ca:
            cls.lab.settings["tls_client_ca"] = str(cls.authority.certificate)
        cls.enterClassContext(cls.lab)
        cls.zone = Domain(cls.lab, ZONE, 7, [(ZONE, "NS", "ns1.example.net.")])
        cls.large = Domain(cls.lab, LARGE, 7, [(LARGE, "NS", "ns1.example.net.")] + [
            (f"h{i}.{LARGE}", "TXT", f'"{i:0200d}"') for i in range(16000)])

    servers = ()

    def context(self, own=None, protocols=("dot",)):
        context = ssl.create_default_context(cafile=self.authority.certificate)
        if protocols:
            context.set_alpn_protocols(list(protocols))
        if own:
            context.load_cert_chain(*own)
        return context

    def connect(self, context):
        link = socket.create_connection((HOST, self.port), timeout=10)
        self.addCleanup(link.close)
        link = context.wrap_socket(link, server_hostname=NAME)
        self.addCleanup(link.close)
        return link

    def ask(self, link, zone=ZONE, rtype="SOA"):
        question = dns.message.make_query(zone, rtype)
        dns.query.send_tcp(link, question)
        return dns.query.receive_tcp(link, one_rr_per_rrset=True)[0]

    def transfer(self, link, zone):
        end, messages = TransferEnd(), [self.ask(link, zone, "AXFR")]
        end.note(messages[0])
        while not end.reached:
            messages.append(dns.query.receive_tcp(link, one_rr_per_rrset=True)[0])
            end.note(messages[-1])
        return messages

    def dig(self, *words):
        return run(["dig", "-r", f"@{HOST}", "-p", self.port, "+tls", "+noall", "+answer",
                    "+onesoa", f"+tls-ca={self.authority.certificate}",
                    f"+tls-hostname={NAME}", *words], seconds=30)


class Open(Xot):
    """Whoever connects is served, as over TCP."""

    servers = ("bind", "nsd")

    def test_queries_one_behind_the_other(self):
        link = self.connect(self.context())
        for _ in range(20):
            self.assertEqual(self.ask(link).answer[0][0].serial, 7)
        self.assertEqual(link.selected_alpn_protocol(), "dot")
        self.assertEqual(link.version(), "TLSv1.3")

    def test_a_transfer_of_many_messages(self):
        messages = self.transfer(self.connect(self.context()), LARGE)
        self.assertGreater(len(messages), 40)
        self.assertEqual(set(rrs_of(messages)), self.large.rrs())

    def test_dig(self):
        lines = self.dig(LARGE, "AXFR").splitlines()
        self.assertEqual(len(lines), len(self.large.rrs()))

    def test_bind_and_nsd_take_zones_so(self):
        domain = Domain(self.lab, "over.test.", 1, [
            ("over.test.", "NS", "ns1.example.net."), ("a.over.test.", "A", "192.0.2.1")])
        bind, nsd = self.lab.servers["bind"], self.lab.servers["nsd"]
        bind.rndc("addzone", "over.test.", '{ type secondary; file "over.db"; primaries { '
                  f'{HOST} port {self.port} tls minidns; }}; }};')
        nsd.control("addzone", "over.test.", "over")
        for server in (bind, nsd):
            wait_for(lambda: server.serial("over.test.") == 1, 15, f"{server.name} has it")
            self.assertEqual(len(server.axfr("over.test.")), len(domain.rrs()))

    def refuse(self, context):
        with self.assertRaises((ssl.SSLError, ConnectionError, EOFError)):
            self.ask(self.connect(context))
        self.assertEqual(self.ask(self.connect(self.context())).answer[0][0].serial, 7)

    def test_older_tls_is_refused(self):
        context = self.context()
        context.maximum_version = ssl.TLSVersion.TLSv1_2
        self.refuse(context)

    def test_another_protocol_is_refused(self):
        self.refuse(self.context(protocols=("h2",)))
        link = self.connect(self.context(protocols=()))
        self.assertEqual(self.ask(link).answer[0][0].serial, 7)

    def test_what_is_no_tls(self):
        for octets in (b"", b"\0\x1d" + b"x" * 29, b"\x16\x03\x01\xff\xff" + b"y" * 65535,
                       b"GET / HTTP/1.0\r\n\r\n"):
            link = socket.create_connection((HOST, self.port), timeout=10)
            self.addCleanup(link.close)
            link.sendall(octets)
            try:
                while link.recv(65535):     # at most an alert, and then it is over
                    pass
            except ConnectionError:
                pass
        self.assertEqual(self.ask(self.connect(self.context())).answer[0][0].serial, 7)

    def test_a_slow_reader_holds_only_itself(self):
        slow = self.connect(self.context())
        dns.query.send_tcp(slow, dns.message.make_query(LARGE, "AXFR"))
        self.assertEqual(len(rrs_of(self.transfer(self.connect(self.context()), LARGE))),
                         len(self.large.rrs()) + 1)
        end = TransferEnd()
        while not end.reached:              # and it has all of it in the end
            end.note(dns.query.receive_tcp(slow, one_rr_per_rrset=True)[0])

    def test_a_new_certificate_without_a_restart(self):
        kept = self.connect(self.context())
        old = self.certificate.read_bytes(), self.key.read_bytes()
        self.addCleanup(self.show, NAME, *old)
        renewed, key = self.authority.make("renewed.test")
        self.show("renewed.test", renewed.read_bytes(), key.read_bytes())
        self.assertEqual(self.ask(kept).answer[0][0].serial, 7)

    def show(self, name, certificate, key):
        """Until the certificate of NAME is shown."""
        self.certificate.write_bytes(certificate)
        self.key.write_bytes(key)
        self.lab.workers[0].reload()
        wait_for(lambda: self.name_shown() == name, 10, f"the certificate of {name} is shown")

    def name_shown(self):
        context = self.context()
        context.check_hostname = False
        with socket.create_connection((HOST, self.port), timeout=5) as link, \
                context.wrap_socket(link, server_hostname=NAME) as inner:
            return dict(inner.getpeercert()["subject"][0])["commonName"]

    def test_a_broken_certificate_is_told(self):
        worker = self.lab.workers[0]
        text = worker.config.read_text()
        broken = self.lab.folder / "broken.cfg"
        broken.touch(0o600)
        for was, now, words in (
                (str(self.key), str(self.authority.key), "tls_key"),
                (str(self.certificate), "/nowhere.pem", "minidns.tls_certificate: "
                 "cannot load /nowhere.pem: No such file")):
            broken.write_text(text.replace(was, now))
            done = subprocess.run([worker.command()[0], "--config", broken, "--check"],
                                  capture_output=True, text=True, timeout=10)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(words, done.stderr)


class Closed(Xot):
    """With tls_client_ca a client has to show a certificate."""

    client_ca = True

    def test_clients_with_a_certificate(self):
        own = self.authority.make("server.test")
        link = self.connect(self.context(own))
        self.assertEqual(set(rrs_of(self.transfer(link, ZONE))), self.zone.rrs())
        certificate, key = own
        lines = self.dig(ZONE, "AXFR", f"+tls-certfile={certificate}", f"+tls-keyfile={key}")
        self.assertEqual(len(lines.splitlines()), 2)

    def test_clients_without_one(self):
        stranger = Authority(self.lab.folder / "other").make("stranger.test")
        for own in (None, stranger):
            with self.assertRaises((ssl.SSLError, ConnectionError, EOFError)):
                self.ask(self.connect(self.context(own)))
        link = self.connect(self.context(self.authority.make("good.test")))
        self.assertEqual(self.ask(link).rcode(), dns.rcode.NOERROR)


if __name__ == "__main__":
    unittest.main()

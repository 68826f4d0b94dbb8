"""Questions to name servers; zones as lists that can be compared."""

import re
import socket
import subprocess
from collections import namedtuple

import dns.exception
import dns.message
import dns.rdatatype

from .process import LabError, Server, free_port, program, run, wait_for
from .users import give, user_for

# a TSIG key; its secret in base64
Key = namedtuple("Key", "name algorithm secret")

QUESTION_SECONDS = 2
TRANSFER_SECONDS = 30

# types whose rdata is names and numbers only: its case means nothing (RFC 4034, 6.2)
CASELESS = {"NS", "CNAME", "DNAME", "PTR", "MX", "SRV", "SOA", "RP", "AFSDB", "KX"}

# types that end in base64 or hexadecimal digits, split anywhere; the fields before
BLOB_AFTER = {"DNSKEY": 3, "CDNSKEY": 3, "DS": 3, "CDS": 3, "RRSIG": 8, "SSHFP": 2,
              "TLSA": 3, "SMIMEA": 3, "CERT": 3, "OPENPGPKEY": 0, "DHCID": 0, "ZONEMD": 3}

# named-compilezone prints what it reads; whether the zone makes sense is not asked
UNCHECKED = [word for check in "mnrMSTW" for word in (f"-{check}", "ignore")]
# unlike "ignore", this refuses owners of NSEC3 records that named refuses in each transfer
UNCHECKED += ["-k", "warn"]

STATUS = re.compile(r"status: ([A-Z0-9]+)")


def _dig(host, port, *arguments, seconds=QUESTION_SECONDS):
    """What dig printed, or None if there was no answer."""
    argv = [program("dig"), "-r", f"@{host}", "-p", str(port),
            f"+time={seconds}", "+tries=1", *arguments]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=seconds + 30)
    if done.returncode:
        return None
    return done.stdout


def query(host, port, name, rtype):
    """(status, records): "NOERROR", "REFUSED", ...; (None, []) if nobody answered."""
    out = _dig(host, port, "+norecurse", "+noall", "+comments", "+answer", name, rtype)
    if out is None:
        return None, []
    return STATUS.search(out).group(1), canonical(out)


def answers(host, port):
    """True if a server answers at all, whatever it says."""
    return _soa(host, port, ".") is not None


def serial(host, port, zone):
    """The serial of the zone that a server serves; None if it does not (yet)."""
    answer = _soa(host, port, zone)
    for rrset in answer.answer if answer else ():
        if rrset.rdtype == dns.rdatatype.SOA:
            return rrset[0].serial
    return None


def _soa(host, port, zone):
    """The answer to a question for the SOA, or None. Tests ask it often: no process is started."""
    question = dns.message.make_query(zone, "SOA", flags=0)
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
            udp.settimeout(QUESTION_SECONDS)
            udp.connect((host, port))           # a closed port is an error at once
            udp.send(question.to_wire())
            answer = dns.message.from_wire(udp.recv(65535))
    except (dns.exception.DNSException, OSError):
        return None
    return answer if question.is_response(answer) else None


def axfr(host, port, zone):
    """The zone by AXFR, as canonical() gives it, its SOA once; LabError if refused."""
    out = _dig(host, port, "+noall", "+answer", "+onesoa", zone, "AXFR",
               seconds=TRANSFER_SECONDS)
    if not out or "Transfer failed" in out:
        raise LabError(f"no transfer of {zone} from {host}:{port}: {(out or '').strip()}")
    return canonical(out)


def zone_file(path, zone):
    """A zone file of any layout, as canonical() gives it."""
    return canonical(run([program("named-compilezone"), "-q", "-i", "none", *UNCHECKED,
                          "-s", "full", "-o", "-", zone, path]))


def canonical(text):
    """Records, a line each, as a sorted list of "owner ttl class type rdata"."""
    lines = (line.strip() for line in text.splitlines())
    return sorted(_canonical_record(line) for line in lines if line and line[0] != ";")


def _canonical_record(line):
    owner, ttl, rclass, rtype, rdata = [*line.split(None, 4), ""][:5]
    rtype = rtype.upper()
    if rtype in CASELESS:
        rdata = rdata.lower()
    if rtype in BLOB_AFTER:
        *fields, blob = rdata.split(None, BLOB_AFTER[rtype])
        rdata = " ".join([*fields, "".join(blob.split())])
    elif '"' not in rdata:
        rdata = " ".join(rdata.split())
    return f"{owner.lower()} {ttl} {rclass.upper()} {rtype} {rdata}"


class NameServer(Server):
    """A server with a DNS port, a control channel, and the questions a test asks it."""

    package_user = None

    def __init__(self, folder, masters=(), drop_root=False, **options):
        """MASTERS are the ("127.0.0.1", port) that zones are transferred from.

        With DROP_ROOT, a server that root starts changes to the user of its package. If it
        cannot, .why_root says why.
        """
        super().__init__(folder, **options)
        self.port = free_port()
        self.masters = list(masters)
        self.user, self.why_root = (user_for(self.package_user, self.folder) if drop_root
                                    else (None, None))
        self.data = self.make_folder("data")
        self.state = self.data if self.user else self.folder    # of what it writes besides

    def launch(self):
        if self.user and not self.log.exists():
            give(self.folder, self.data, self.user)
        super().launch()

    # What a subclass says

    def status(self):
        """Asks the control channel; raises LabError if there is no answer."""
        raise NotImplementedError

    def add_zone(self, zone):
        """Makes the server a secondary of its masters for the zone."""
        raise NotImplementedError

    def remove_zone(self, zone):
        raise NotImplementedError

    # What a test asks

    def is_ready(self):
        try:
            self.status()
        except LabError:
            return False
        return answers(self.host, self.port)

    def query(self, name, rtype):
        return query(self.host, self.port, name, rtype)

    def serial(self, zone):
        return serial(self.host, self.port, zone)

    def axfr(self, zone):
        return axfr(self.host, self.port, zone)

    def wait_for_serial(self, zone, wanted, seconds=10):
        """Waits until the server serves this serial (None: until it has no such zone)."""
        wait_for(lambda: self.serial(zone) == wanted, seconds,
                 f"{self.name} serves {zone} {wanted}", [self.log])

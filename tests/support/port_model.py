"""What DNS should have of networks, subnets and ports, by rules of its own, and what a fleet
has.

    model = PortModel()
    model.set_network("n1", "dev.example.")
    model.put_subnet("s1", Subnet("n1", "10.0.1.0/24", flag=False))    # that one is hidden
    model.put("p1", Port("n1", ["10.0.0.1", "10.0.1.1"], "vm01"))
    model.expected()    # {"dev.example.": {("vm01.dev.example.", "A", "10.0.0.1"), ...}, ...}

Nothing here is taken from the programs: addresses are Python's own (ipaddress).
"""

import ipaddress
from collections import defaultdict

from lab.process import LabError

V4_BITS, V6_BITS = 24, 64
APEX = ("SOA", "NS")

# What is owed to central, and what is being looked after.
OWED = ("SELECT (SELECT COUNT(*) FROM port_records WHERE state NOT IN ('HAVE', 'REFUSED')) + "
        "(SELECT COUNT(*) FROM port_zones WHERE due_at IS NOT NULL)")


class Port:

    def __init__(self, network, addresses, name=None, domain="", kind="called"):
        """DOMAIN: of its own; "" if its network's is its domain. KIND: who made it, by a call,
        or Neutron ("fed"), of which "floating" ones are floating IPs."""
        self.network, self.name, self.domain, self.kind = network, name, domain, kind
        self.addresses = [ipaddress.ip_address(address) for address in addresses]
        self.has_name = False           # no other port of its network has it

    def changed(self, **values):
        return Port(**{"network": self.network, "addresses": self.addresses, "name": self.name,
                       "domain": self.domain, "kind": self.kind} | values)


class Subnet:

    def __init__(self, network, cidr, flag=True, is_fed=False):
        """FLAG: its dns_publish_fixed_ip."""
        self.network, self.cidr = network, ipaddress.ip_network(cidr)
        self.flag, self.is_fed = flag, is_fed

    def changed(self, **values):
        return Subnet(**{"network": self.network, "cidr": self.cidr, "flag": self.flag,
                         "is_fed": self.is_fed} | values)


def host_label(address):
    text = str(address).replace(".", "-").replace(":", "-")
    return f"host-{text}{'0' if text.endswith('-') else ''}"


def reverse_name(address):
    return address.reverse_pointer + "."


def reverse_zone(address):
    """Of all that have the first 24 or 64 bits of it."""
    bits = V4_BITS if address.version == 4 else V6_BITS
    below = (32 - bits) // 8 if address.version == 4 else (128 - bits) // 4
    return reverse_name(address).split(".", below)[below]


class PortModel:

    def __init__(self, only_flagged=False):
        """ONLY_FLAGGED: the option ports.publish."""
        self.only_flagged = only_flagged
        self.networks = {}              # their domains; "": its ports have no names
        self.subnets = {}
        self.ports = {}
        self.zones = set()              # that were ever spoken of

    def set_network(self, network, domain):
        """Of those that want one name in another domain the first by its id has it."""
        if self.networks.get(network) == domain:
            return
        self.networks[network] = domain
        ours = sorted(key for key, port in self.ports.items() if port.network == network)
        for key in ours:
            self.ports[key].has_name = False
        for key in ours:
            self.ports[key].has_name = self.rival(key, self.ports[key]) is None

    def put(self, key, port):
        """One that wants a name which another one has goes without."""
        was = self.ports.get(key)
        port.has_name = self.rival(key, port) is None
        self.ports[key] = port
        self._pass_on(was)

    def drop(self, key):
        self._pass_on(self.ports.pop(key))

    def _pass_on(self, was):
        """The name that a port had goes to one that waits for it."""
        if not was or not was.has_name or not self.fqdn(was):
            return
        waiting = sorted(key for key, port in self.ports.items() if not port.has_name
                         and port.network == was.network and self.fqdn(port) == self.fqdn(was))
        if waiting and self.rival(waiting[0], self.ports[waiting[0]]) is None:
            self.ports[waiting[0]].has_name = True

    def rival(self, key, port):
        """Which other port of the network has the name that PORT wants; None: it may have it."""
        fqdn = self.fqdn(port)
        return next((other for other, there in self.ports.items() if fqdn and other != key
                     and there.network == port.network and there.has_name
                     and self.fqdn(there) == fqdn), None)

    def put_subnet(self, key, subnet):
        self.subnets[key] = subnet

    def drop_subnet(self, key):
        del self.subnets[key]

    def overlapping(self, key, subnet):
        """Which other subnet of the network has some of its addresses."""
        return next((other for other, there in self.subnets.items()
                     if other != key and there.network == subnet.network
                     and there.cidr.version == subnet.cidr.version
                     and there.cidr.overlaps(subnet.cidr)), None)

    def is_published(self, subnet):
        """What a call says holds; Neutron's flag counts only with the option."""
        return subnet.flag or (subnet.is_fed and not self.only_flagged)

    def publishes(self, port, address):
        """By the smallest subnet that has it, and of those alike the one of the first id."""
        holding = [(-subnet.cidr.prefixlen, key) for key, subnet in self.subnets.items()
                   if subnet.network == port.network and address in subnet.cidr]
        if port.kind == "floating":
            return True
        if holding:
            return self.is_published(self.subnets[min(holding)[1]])
        return port.kind == "called" or not self.only_flagged

    def domain(self, port):
        return port.domain or self.networks.get(port.network, "")

    def fqdn(self, port):
        domain = self.domain(port)
        return f"{port.name}.{domain}" if port.name and domain else None

    def expected(self):
        """{zone: {(name, type, data)}}, also of zones that have nothing any more."""
        zones = defaultdict(set)
        for port in self.ports.values():
            for address in port.addresses:
                self._add(zones, port, address)
        self.zones |= zones.keys()
        return {zone: zones[zone] for zone in sorted(self.zones)}

    def _add(self, zones, port, address):
        names = self.names(port, address)
        for zone, name in names:
            zones[zone].add((name, "A" if address.version == 4 else "AAAA", str(address)))
        if names:
            zones[reverse_zone(address)].add((reverse_name(address), "PTR", names[-1][1]))

    def names(self, port, address):
        """[(zone, name)] that an address has; what it is called itself is the last one."""
        names, of_network = [], self.networks.get(port.network, "")
        if not self.publishes(port, address):
            return names
        if of_network:
            names.append((of_network, f"{host_label(address)}.{of_network}"))
        if port.has_name and self.fqdn(port):
            names.append((self.domain(port), self.fqdn(port)))
        return names

    def hosts(self, network):
        """{(address, name)} of the file that dnsmasq reads."""
        return {(str(address), name.rstrip(".")) for port in self.ports.values()
                if port.network == network for address in port.addresses
                for _, name in self.names(port, address)}


class PortChecker:
    """Compares what the fleet's BIND has with a model."""

    def __init__(self, fleet):
        self.fleet = fleet

    def wait_published(self, zones, seconds):
        """Nothing is owed to central any more, and BIND has what central has of ZONES."""
        self.fleet.wait_for(lambda: self.fleet.mariadb.sql(OWED) == [["0"]], seconds,
                            "all is published: central has it")
        self.fleet.wait_for(lambda: not self.behind(zones), seconds,
                            "BIND has all that central has")

    def behind(self, zones):
        rows = self.fleet.mariadb.sql("SELECT name, serial FROM domains WHERE live = 1")
        return [zone for zone, serial in rows
                if zone in zones and self.fleet.bind.serial(zone) != int(serial)]

    def served(self, zone):
        """All but its apex, sorted; None if it is not served."""
        try:
            lines = self.fleet.bind.axfr(zone)
        except LabError:
            return None
        rows = [line.split(None, 4) for line in lines]
        return sorted((row[0], row[3], row[4]) for row in rows if row[3] not in APEX)

    def complaints(self, model, seconds):
        """What BIND has otherwise once all is published; each record has to be there once."""
        expected = model.expected()
        self.wait_published(expected, seconds)
        return [complaint for zone, wanted in expected.items()
                for complaint in self._compare(zone, wanted)]

    def _compare(self, zone, wanted):
        served = self.served(zone)
        if served is None:          # a reverse zone is made when it is needed
            return [f"{zone} is not served"] if wanted or not zone.endswith(".arpa.") else []
        found = [f"{zone}: {' '.join(record)} is missing"
                 for record in sorted(wanted - set(served))]
        found += [f"{zone}: {' '.join(record)} is surplus"
                  for record in sorted(set(served) - wanted)]
        if len(served) != len(set(served)):
            found.append(f"{zone}: has records twice")
        return found

"""What there should be of routes and routers, by rules of its own.

    model = RouteModel()
    model.routers["s1"] = Router("s1.routes.example", {"10.0.0.1": True})
    model.routes[route_id] = Route("myapp", "web", "project-1", host="www.example.org")

Nothing here is taken from the programs: a hash is Python's own (hashlib, base64).
"""

import base64
import hashlib
import ipaddress

LABEL_MAX, HASH_LEN = 63, 6
ZONE_TTL = 300
TTL = 2                     # as long a name that was before stays at least


class Route:

    def __init__(self, namespace, name, project, host=None, backend="app"):
        self.namespace, self.name, self.project = namespace, name, project
        self.host, self.backend = host, backend

    def name_at(self, dns):
        """What it is called at a router, if no other route is called so."""
        label = f"{self.namespace}-{self.name}".replace(".", "-")
        return self.host or f"{label if len(label) <= LABEL_MAX else self._hashed(label)}.{dns}"

    def names_at(self, dns, id):
        """That, and what it is called if another one is, and if that one, too, is another's."""
        label = f"{self.namespace}-{self.name}".replace(".", "-")
        return {self.name_at(dns)} if self.host else {
            self.name_at(dns), f"{self._hashed(label)}.{dns}",
            f"{self._hashed(label, '/' + id)}.{dns}"}

    def _hashed(self, label, salt=""):
        digest = hashlib.sha256(f"{self.namespace}/{self.name}{salt}".encode()).digest()
        ending = base64.b32encode(digest).decode().lower()[:HASH_LEN]
        return f"{label[:LABEL_MAX - HASH_LEN - 1].rstrip('-')}-{ending}"


class Router:

    def __init__(self, dns, addresses, ttl=TTL):
        """ADDRESSES: {address: is it up?}"""
        self.dns, self.ttl, self.state = dns, ttl, "active"
        self.addresses, self.shown = {}, set()
        self.set_addresses(addresses)

    def set_addresses(self, addresses):
        """If none is up, the last ones stay in the domain."""
        live = {address for address, is_up in addresses.items() if is_up}
        self.shown = live or self.shown & addresses.keys()
        self.addresses = dict(addresses)

    def zone(self):
        """What its domain is given to begin with."""
        return {"ns": [f"ns1.{self.dns}."], "ttl": ZONE_TTL, "records": [
            {"name": "ns1", "type": "A", "ttl": ZONE_TTL, "records": ["127.0.0.1"]}]}

    def records(self, aliases):
        """All of its domain but the SOA, as lines of lab.dns. ALIASES: {old name: name}."""
        wildcard = [(ipaddress.ip_address(address), f"*.{self.dns}.") for address in self.shown]
        return {f"{self.dns}. {ZONE_TTL} IN NS ns1.{self.dns}.",
                f"ns1.{self.dns}. {ZONE_TTL} IN A 127.0.0.1",
                *(f"{name} {self.ttl} IN {'A' if address.version == 4 else 'AAAA'} {address}"
                  for address, name in wildcard),
                *(f"{old}. {self.ttl} IN CNAME {name}." for old, name in aliases.items())}


class RouteModel:

    def __init__(self):
        self.routes = {}        # by id: accepted, and not deleted
        self.routers = {}       # by name: the same
        self.gone = {}          # routers that were deleted
        self.aliases = {}       # router: {name of a route that was there: its name now}
        self.queues = set()     # hosts that are got by create_route only

    def wanting(self, host):
        """The ids of those that want it."""
        return {key for key, route in self.routes.items() if route.host == host}

    @property
    def hosts(self):
        return {route.host for route in self.routes.values() if route.host}

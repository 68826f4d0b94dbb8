"""Compares what the tables of routes and the name servers have with a model of it.

What is waited for is asked in the tables, too, and nothing of the routes' workers: they may
be down while somebody looks.
"""

from collections import Counter, defaultdict
from ipaddress import ip_address

from checker import Checker, checked
from lab.dns import axfr, query
from lab.process import HOST

# What is under way. A move is over with its grace; those that a model expects stay.
OWED = {
    "routes without a router": "routes WHERE phase = 'new' AND NOT is_waiting",
    "routes of a drained router": "route_bindings b JOIN routers d ON d.name = b.router "
                                  "WHERE d.state <> 'active'",
    "routers that are going": "routers WHERE state = 'going'",
    "domains not told": "routers WHERE done_rev <> rev OR zone_status <> 'ACTIVE'",
    "moves to be told": "route_moves WHERE state NOT IN ('HAVE', 'CACHED')",
}
MOVES = {"moves in their grace": "route_moves"}


def parent(host):
    return host.partition(".")[2]


def is_wildcard(host):
    return host.startswith("*.")


class View:
    """The rows, as they are just now."""

    def __init__(self, sql):
        self.routes = {row[0]: dict(zip(("namespace", "name", "project", "host", "backend",
                                         "phase", "dns", "waits", "since"), map(none, row[1:])))
                       for row in sql("SELECT id, namespace, name, project_id, host, backend, "
                                      "phase, dns, is_waiting, created_at FROM routes")}
        self.bindings = defaultdict(list)
        for route, router, dns in sql("SELECT route_id, router, dns FROM route_bindings"):
            self.bindings[route].append((router, dns))
        self.claims = {host: (route, project) for host, route, project in sql(
            "SELECT host, route_id, project_id FROM host_claims")}
        self.routers = {row[0]: row[1:] for row in sql(
            "SELECT name, dns, state, bound, serial FROM routers")}
        self.addresses = defaultdict(dict)
        for router, address, is_up, is_shown in sql(
                "SELECT router, HEX(address), is_up, is_shown FROM router_addresses"):
            text = str(ip_address(bytes.fromhex(address)))
            self.addresses[router][text] = (is_up == "1", is_shown == "1")
        self.moves = [tuple(map(none, row)) for row in sql(
            "SELECT router, dns, target FROM route_moves WHERE state IN ('ADD', 'TOLD', 'HAVE') "
            "OR (state = 'CACHED' AND target IS NULL)")]


def none(text):
    return None if text == "NULL" else text


class RouteChecker:

    def __init__(self, fleet):
        self.fleet = fleet
        self.common = Checker(fleet)

    def sql(self, text):
        return self.fleet.mariadb.sql(text)

    # ---- until then ----

    def owed(self, model):
        """What is under way, in words."""
        tables = OWED if model.aliases else OWED | MOVES
        counts = self.sql(" UNION ALL ".join(
            f"SELECT '{what}', COUNT(*) FROM {table}" for what, table in tables.items()))
        return [f"{count} {what}" for what, count in counts if count != "0"]

    def wait_settled(self, model, seconds):
        self.fleet.wait_for(lambda: not self.owed(model), seconds,
                            "nothing of routes is under way")
        self.common.wait_settled(seconds)

    # ---- routes ----

    def routes(self, view, model):
        """Each that was accepted is there as it was asked for, and no other one is."""
        found = [f"route {key} is lost" for key in sorted(model.routes.keys() - view.routes)]
        found += [f"route {key} is surplus" for key in sorted(view.routes.keys() - model.routes)]
        for key in sorted(model.routes.keys() & view.routes):
            route, row = model.routes[key], view.routes[key]
            for field in "namespace", "name", "project", "host", "backend":
                if getattr(route, field) != row[field]:
                    found.append(f"route {key}: its {field} is {row[field]}, "
                                 f"and not {getattr(route, field)}")
        return found

    # ---- whose a host is ----

    def hosts(self, view, model):
        found = []
        for host in sorted(model.hosts):
            found += self._host(host, view, model)
        ours = model.hosts | {dns for all_of in view.bindings.values() for _, dns in all_of}
        ours |= {dns for _, dns, _ in view.moves}
        found += [f"host {host} is claimed, and nobody's" for host in sorted(view.claims)
                  if host not in ours]
        return found

    def _host(self, host, view, model):
        """One of those who want it has it, and all others wait."""
        wanting = {key: view.routes[key] for key in model.wanting(host) if key in view.routes}
        owner = view.claims.get(host, (None,))[0]
        having = {key for key, row in wanting.items() if row["waits"] == "0"}
        if owner and owner not in wanting:
            return [f"host {host} is claimed by {owner}, which does not want it"]
        if having != ({owner} if owner else set()):
            return [f"host {host} is claimed by {owner}, and not waited for by {sorted(having)}"]
        order = sorted(wanting, key=lambda key: (wanting[key]["since"], key))
        if not owner:
            return self._blocked(host, order, view, model)
        if host in model.queues and owner != order[0]:
            return [f"host {host} is {owner}'s, and {order[0]} is older"]
        return self._neighbours(host, view)

    def _blocked(self, host, order, view, model):
        """Nobody has it: the oldest who wants it may not."""
        project = model.routes[order[0]].project if order else None
        if order and not self._foreign(host, project, view):
            return [f"host {host} is nobody's, and {order[0]} waits for it"]
        return []

    def _neighbours(self, host, view):
        foreign = self._foreign(host, view.claims[host][1], view)
        return [f"host {host} is another project's than {foreign[0]}"] if foreign else []

    @staticmethod
    def _foreign(host, project, view):
        """Claims of another project that keep one of this one from the host."""
        if is_wildcard(host):
            return [other for other, (_, whose) in sorted(view.claims.items())
                    if parent(other) == parent(host) and whose != project]
        wildcard = f"*.{parent(host)}"
        return [wildcard] if view.claims.get(wildcard, (None, project))[1] != project else []

    # ---- bindings ----

    def bindings(self, view, model):
        found = []
        for key in sorted(model.routes.keys() & view.routes):
            found += [f"route {key}: {words}"
                      for words in self._binding(key, view.routes[key], view, model)]
        found += [f"a binding of {key}, which is no route" for key in sorted(view.bindings)
                  if key not in view.routes]
        names = Counter(dns for all_of in view.bindings.values() for _, dns in all_of)
        found += [f"{count} routes are called {dns}" for dns, count in sorted(names.items())
                  if count > 1]
        return found

    def _binding(self, key, row, view, model):
        bound = view.bindings.get(key, [])
        if row["waits"] == "1":
            return ["it waits, and is bound"] if bound or row["phase"] != "new" else []
        if len(bound) != 1:
            return [f"it has {len(bound)} bindings"]
        name, dns = bound[0]
        router = model.routers.get(name)
        if not router or router.state != "active":
            return [f"it is at {name}, which takes none"]
        if (row["phase"], row["dns"]) != ("scheduled", dns):
            return [f"it is {row['phase']} as {row['dns']}, and bound as {dns}"]
        if dns not in model.routes[key].names_at(router.dns, key):
            return [f"it is called {dns} at {name}"]
        if view.claims.get(dns, (None,))[0] != key:
            return [f"it is called {dns}, and that name is not its own"]
        return []

    # ---- routers ----

    def routers(self, view, model):
        found = [f"router {name} is lost" for name in sorted(model.routers.keys() - view.routers)]
        found += [f"router {name} is surplus"
                  for name in sorted(view.routers.keys() - model.routers)]
        for name in sorted(model.routers.keys() & view.routers):
            found += [f"router {name}: {words}"
                      for words in self._router(name, view, model.routers[name])]
        return found

    @staticmethod
    def _router(name, view, router):
        dns, state, bound, _ = view.routers[name]
        has = sum(at == name for all_of in view.bindings.values() for at, _ in all_of)
        addresses = {address: (is_up, address in router.shown)
                     for address, is_up in router.addresses.items()}
        pairs = (("domain", dns, router.dns), ("state", state, router.state),
                 ("count of routes", int(bound), has),
                 ("set of addresses", dict(view.addresses[name]), addresses))
        return [f"its {what} is {there}, and not {wanted}" for what, there, wanted in pairs
                if there != wanted]

    # ---- names that routes had ----

    def moves(self, view, model):
        wanted = {(router, old, name) for router, names in model.aliases.items()
                  for old, name in names.items()}
        # a host of one's own is served at both routers for a while, and has no record of ours
        there = {move for move in view.moves if move[2] or not model.aliases}
        return [f"move {move} is {'surplus' if move in there else 'missing'}"
                for move in sorted(wanted ^ there, key=str)]

    # ---- domains ----

    def zones(self, view, model):
        """By AXFR from minidns, and from BIND, which has it from there."""
        found = []
        servers = {"minidns": self.fleet.minidns_ports[0], "BIND": self.fleet.bind.port}
        for where, port in servers.items():
            for name, router in sorted(model.routers.items()):
                found += checked(where, self._zone, where, port, router,
                                 model.aliases.get(name, {}), view.routers.get(name))
            for name, router in sorted(model.gone.items()):
                status = query(HOST, port, router.dns, "SOA")[0]
                if name not in model.routers and status != "REFUSED":
                    found.append(f"{where}: the router of {router.dns} was deleted, "
                                 f"and it says {status}")
        return found

    @staticmethod
    def _zone(where, port, router, aliases, row):
        lines = axfr(HOST, port, f"{router.dns}.")
        soa = [line for line in lines if line.split()[3] == "SOA"]
        there, wanted = set(lines) - set(soa), router.records(aliases)
        found = [f"{where}: {line} is {'surplus' if line in there else 'missing'}"
                 for line in sorted(there ^ wanted)]
        if len(soa) != 1 or len(lines) != len(set(lines)):
            found.append(f"{where}: {router.dns} has records twice, or no SOA")
        elif row and soa[0].split()[6] != row[3]:
            found.append(f"{where}: the serial of {router.dns} is {soa[0].split()[6]}, "
                         f"and not {row[3]}")
        return found

    # ---- all of it ----

    def rows(self, model):
        """Of what the tables have just now."""
        view = View(self.sql)
        return (self.routes(view, model) + self.hosts(view, model) + self.bindings(view, model)
                + self.routers(view, model) + self.moves(view, model))

    def complaints(self, model, seconds=20):
        """What passes by itself has so many seconds."""
        return (self.rows(model) + self.zones(View(self.sql), model)
                + self.common.lasting(self.common.messages, seconds)
                + self.common.lasting(self.common.workers, seconds))

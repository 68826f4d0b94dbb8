"""What the methods of the workers take, a row a method; and the bad values that none must.

A row is good arguments. Where a value stands for itself, everything of VALUES is bad in its
place; text(), number(), maybe() and so on say what else would be good, and is not tried.
"""

import uuid


def nested(depth):
    value = 1
    for _ in range(depth):
        value = {"x": value}
    return value


ABSENT = object()       # the key, or the item, is not there at all
VALUES = {
    "absent": ABSENT, "null": None, "bool": True,
    "number": 7, "negative": -1, "real": 1.5, "huge": 2**63 - 1, "least": -2**63,
    "empty": "", "long": "x" * 70_000, "unicode": "h\u00e9\u202e", "control": "\x01\x1b[2J\n",
    "control name": "a\x01\x1b[2J.", "bad name": "a..b.", "long label": "x" * 64 + ".example.",
    "sql": "'; drop table domains; --", "format": "%s%n%99999d",
    "list": [7], "many": [7] * 10_000, "empty list": [],
    "object": {"x": 7}, "empty object": {}, "nested": nested(25), "deep": nested(100),
}
DEEP = "deep"           # refused before a method sees it
TEXTS = {"empty", "unicode", "control", "control name", "bad name", "long label", "sql",
         "format"}


class Good:
    """A value, and the names of the VALUES that are as good as it is."""

    def __init__(self, value, *takes):
        self.value = value
        self.takes = set(takes)


def good(spec):
    return spec if isinstance(spec, Good) else Good(spec)


def also(spec, *takes):
    return Good(good(spec).value, *good(spec).takes, *takes)


def maybe(spec):
    return also(spec, "absent", "null")


def text(value):
    return Good(value, *TEXTS)


def word(value):
    """A text that names something."""
    return Good(value, *TEXTS - {"empty"})


def identity(value):
    """A tenant; "" is none."""
    return Good(value, *TEXTS - {"control", "control name"})


def tenant(value):
    """An identity that has to be there."""
    return Good(value, *TEXTS - {"empty", "control", "control name"})


def items(spec):
    """A list of such; one with none of them is as good."""
    return also([also(spec, "absent")], "empty list")


def fields(spec):
    """An object of such, none of which need be there."""
    return also(spec, "empty object")


def pool_name(value):
    """Looked for when it is needed; what is too long for one is refused at once."""
    return Good(value, *TEXTS - {"long label"})


def number(value):
    return Good(value, "number")


def seconds(value):
    return Good(value, "number", "real")


def plain(spec):
    """The good value, all the way down."""
    value = good(spec).value
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value


def _within(spec):
    value = good(spec).value
    if isinstance(value, dict):
        return value.items()
    return enumerate(value) if isinstance(value, list) else ()


def mutants(spec, path=()):
    """(path, name, value): each place of the value, and each bad value for it."""
    for key, item in _within(spec):
        place = (*path, key)
        yield from ((place, name, value) for name, value in VALUES.items()
                    if name not in good(item).takes)
        yield from mutants(item, place)


def mutated(value, path, bad):
    """A copy of the plain value with BAD in the one place."""
    if not path:
        return bad
    copy = value.copy()
    if len(path) == 1 and bad is ABSENT:
        del copy[path[0]]
    else:
        copy[path[0]] = mutated(value[path[0]], path[1:], bad)
    return copy


def required(row):
    return {key for key, item in row.items() if "absent" not in good(item).takes}


# ---- what several methods take ----

def soa_numbers():
    keys = "ttl", "refresh", "retry", "expire", "minimum"
    return {key: maybe(number(300)) for key in keys}


def domain_values():
    return {"email": maybe("dns@example.org"), "primary": maybe("ns.example.net."),
            "description": maybe(text("new")), **soa_numbers()}


def wish(name, pool):
    return {"id": maybe(uuid.uuid4().hex), "name": name, "tenant": maybe(tenant("t")),
            "pool": maybe(pool), "ns": maybe(items("ns.example.net.")), **domain_values()}


def record_set(name):
    return {"name": name, "type": "A", "ttl": maybe(number(300)), "records": ["192.0.2.7"]}


def paging(marker, sort_key):
    return {"marker": maybe(marker), "limit": maybe(number(10)), "sort_key": maybe(sort_key),
            "sort_dir": maybe("desc")}


def criterion(specs):
    return {"criterion": maybe(fields(specs))}


def pool_values():
    return {"description": maybe(text("new")), "ns_records": maybe(items("ns.example.net.")),
            "catalog_zone": maybe(also("", "empty"))}


TRANSFER_KEY = "0123456789abcdef" * 2
SECRET = "c2VjcmV0IHNlY3JldCBzZWNyZXQ="
PATTERN = Good(r"^never\.", "bad name", "long label", "sql", "format")


def reference(name, pool):
    """A domain as the workers tell each other of it; there is none of that id."""
    return {"id": uuid.uuid4().hex, "name": name, "pool": pool, "tenant": text("t"),
            "task": "UPDATE", "status": "PENDING", "serial": number(7),
            "catalog": maybe(Good(False, "bool"))}


# ---- the rows ----

def central(things):
    """THINGS are what the rows may refer to: ids, and the name of a zone. The order is one in
    which all of them can be done."""
    zone, domain = things.zone, things.domain
    where = {"name": maybe(text("w*")), "status": maybe("ACTIVE")}
    in_domains = {**where, "task": maybe("NONE"), "pool": maybe(pool_name("default")),
                  "tenant": maybe(text("t"))}
    in_sets = {**where, "type": maybe("A")}
    in_records = {**in_sets, "data": maybe(also(text("192.0.2.1"), "long"))}
    report = {"domain": reference(zone, pool=word("default")), "status": "SUCCESS",
              "serial_number": number(7), "reason": maybe(text("because"))}
    change = {"op": "add", **record_set(f"w.{zone}")}
    force = maybe(Good(True, "bool"))
    return {
        "create_domain": {"domain": wish(f"new.{zone}", pool="default")},
        "abandon_domain": {"domain": things.stuck},
        "get_domain": {"domain": domain},
        "find_domains": {**criterion(in_domains), **paging(domain, "name")},
        "update_domain": {"domain": domain, "values": fields(domain_values())},
        "create_recordset": {"domain": domain, "recordset": record_set(f"new.{zone}")},
        "get_recordset": {"domain": domain, "recordset": things.recordset},
        "find_recordsets": {"domain": maybe(domain), **criterion(in_sets),
                            **paging(things.recordset, "name")},
        "find_records": {"domain": maybe(domain), **criterion(in_records),
                         **paging(things.record, "updated_at")},
        "update_recordset": {"domain": domain, "recordset": things.recordset, "values": fields(
            {"ttl": maybe(number(300)), "records": maybe(["192.0.2.9"])}),
                             "force": force},
        "delete_recordset": {"domain": domain, "recordset": things.recordset, "force": force},
        "apply_changes": {"domain": domain, "changes": items(change),
                          "serial": maybe(number(things.serial + 3600)), "force": force,
                          "replace": maybe(Good(True, "bool")),
                          "soa": maybe(fields({"mname": maybe("ns.example.net."),
                                               "rname": maybe("dns.example.net."),
                                               **soa_numbers()}))},
        "create_pool": {"pool": {"name": things.new_pool, **pool_values()}},
        "get_pool": {"pool": things.pool},
        "find_pools": {**criterion({}), **paging(things.pool_id, "name")},
        "update_pool": {"pool": things.pool, "values": fields(pool_values())},
        "delete_pool": {"pool": things.pool},
        "begin_import": {"domain": wish(f"import.{zone}", pool=pool_name("default")),
                         "mode": maybe("create"), "force": force},
        "add_to_import": {"import": things.opened, "part": number(0),
                          "records": items([f"w.{zone}", number(300), "A", "192.0.2.7"])},
        "get_import": {"import": things.opened},
        "cancel_import": {"import": things.opened},
        "commit_import": {"import": things.opened, "version": maybe(also(number(1), "huge"))},
        "export_domain": {"domain": domain, "marker": maybe(f"{things.recordset}.0"),
                          "limit": maybe(number(10))},
        "create_blacklist": {"blacklist": {"name": f"bad.{zone}",
                                           "description": maybe(text("new"))}},
        "get_blacklist": {"blacklist": things.blacklist},
        "find_blacklists": {**criterion({}), **paging(things.blacklist, "name")},
        "update_blacklist": {"blacklist": things.blacklist, "values": fields(
            {"pattern": maybe(PATTERN), "description": maybe(text("new"))})},
        "delete_blacklist": {"blacklist": things.blacklist},
        "create_tld": {"tld": {"name": f"new.{zone}", "description": maybe(text("new"))}},
        "get_tld": {"tld": things.tld},
        "find_tlds": {**criterion({"name": maybe(text("w*"))}), **paging(things.tld, "name")},
        "update_tld": {"tld": things.tld, "values": fields({"description": maybe(text("new"))})},
        "delete_tld": {"tld": things.tld},
        "apply_tlds": {"add": maybe(items(f"more.{zone}")),
                       "remove": maybe(items(f"less.{zone}"))},
        "create_tsigkey": {"tsigkey": {"name": f"new.{zone}", "algorithm": maybe("hmac-sha512"),
                                       "secret": maybe(SECRET), "domain": maybe(domain)}},
        "get_tsigkey": {"tsigkey": things.tsigkey},
        "find_tsigkeys": {**criterion({}), **paging(things.tsigkey, "name")},
        "update_tsigkey": {"tsigkey": things.tsigkey, "values": fields(
            {"algorithm": maybe("hmac-sha1"), "secret": maybe(SECRET),
             "new_secret": maybe(False)})},
        "delete_tsigkey": {"tsigkey": things.tsigkey},
        "create_share": {"share": {"domain": domain, "target_tenant": tenant("u"),
                                   "name": maybe(f"u.{zone}")}},
        "get_share": {"share": things.share},
        "find_shares": {**criterion({"domain": maybe(domain), "target_tenant": maybe(text("u"))}),
                        **paging(things.share, "created_at")},
        "delete_share": {"share": things.share, "recordsets": maybe("keep")},
        "create_transfer": {"transfer": {
            "domain": domain, "key_hash": "0" * 64, "target_tenant": maybe(also(tenant("u"), "empty")),
            "expires_in": maybe(number(600)), "description": maybe(text("new"))}},
        "get_transfer": {"transfer": things.transfer},
        "find_transfers": {**criterion({"domain": maybe(domain), "state": maybe("OPEN")}),
                           **paging(things.transfer, "created_at")},
        "update_transfer": {"transfer": things.transfer, "values": fields(
            {"target_tenant": maybe(also(tenant("u"), "empty")),
             "description": maybe(text("new"))})},
        "withdraw_transfer": {"transfer": things.transfer},
        "accept_transfer": {"transfer": things.offered, "key": TRANSFER_KEY},
        "set_quota": {"tenant": tenant("t"), "resource": "domains",
                      "hard_limit": also(number(9), "negative", "null")},
        "reset_quotas": {"tenant": word("t")},
        "find_quotas": {"marker": maybe(text("t")), "limit": maybe(number(10))},
        "get_quotas": {"tenant": word("t")},
        "find_workers": {},
        "find_locks": {},
        "find_repairs": {},
        "update_server": {"pool": "default", "server": "bind", "state": "ACTIVE"},
        "sync_domain": {"domain": domain, "deep": maybe(Good(True, "bool"))},
        "get_status": {"domain": maybe(domain), "pool": maybe(pool_name("default"))},
        "update_status": report,
        "update_statuses": {"reports": items(report)},
        "delete_domain": {"domain": things.spare, "force": force},
    }


def poolmgr(things):
    domain = reference(things.zone, pool="default")
    report = {"domain": reference(things.zone, pool=word("default")),
              "name_server": word("bind"), "status": "SUCCESS",
              "serial_number": also(number(7), "null"), "silent": maybe(Good(False, "bool")),
              "unasked": maybe(Good(False, "bool")),
              "differs": maybe(Good(False, "bool")), "reason": maybe(text("because"))}
    return {
        "create_domain": {"domain": domain},
        "update_domain": {"domain": domain},
        "update_domains": {"domains": items(domain)},
        "delete_domain": {"domain": domain},
        "sync_domain": {"domain": domain},
        "compare_domain": {"domain": domain},
        "update_status": report,
        "update_statuses": {"reports": items(report)},
        "update_servers": {"servers": items({
            "name_server": word("bind"), "silent": maybe(Good(False, "bool")),
            "reason": maybe(text("because"))})},
    }


def minidns(things):
    destination = {"id": word("nobody"), "host": "127.0.0.1", "port": number(things.port),
                   "tsig_key": maybe(text("none.")), "patience": maybe(number(0))}
    domain = reference(things.zone, pool=word("default"))
    terms = {"timeout": seconds(0.05), "retry_interval": seconds(1), "max_retries": number(1)}
    return {
        "notify_zone_changed": {"domain": domain, "destination": destination, **terms},
        "poll_for_serial_number": {"domain": domain, "destination": destination, **terms},
        "propagate_zones": {"domains": items(domain), "destinations": items(destination),
                            **terms},
        "poll_zones": {"domains": items(domain), "destinations": items(destination), **terms},
        "compare_zones": {"domains": items(domain), "destinations": items(destination),
                          **terms},
        "check_servers": {"pool": word("default"), "timeout": seconds(0.05),
                          "servers": items(destination | {"zone": things.zone})},
        "transfer_ended": {"name": things.zone, "address": "127.0.0.1", "serial": number(7)},
        "zone_differs": {"name": things.zone, "address": "127.0.0.1"},
        "zone_transferred": {"name": things.zone, "address": "127.0.0.1", "serial": number(7),
                             "transfer": "f" * 32},
        "news": {"from": "f" * 32, "number": number(7), "heard": fields({}),
                 "zones": items([things.zone, "f" * 32, also(number(1), "huge"), number(7)])},
    }


def port_values(name, address):
    return {"dns_name": maybe(also(name, "empty")), "dns_domain": maybe(also("", "empty")),
            "mac_address": maybe(also("fa:16:3e:00:00:07", "empty")),
            "fixed_ips": maybe(items({"ip_address": address}))}


def ports(things):
    network, port = things.network, things.network_port
    page = {"marker": maybe(port), "limit": maybe(number(10))}
    return {
        "set_network": {"network": {"id": network, "project_id": maybe(identity("t")),
                                    "dns_domain": maybe(also(things.zone, "empty"))}},
        "get_network": {"network": network},
        "list_networks": page,
        "create_port": {"port": {"id": maybe(uuid.uuid4().hex), "network_id": network,
                                 "project_id": maybe(identity("t")),
                                 **port_values("new", "192.0.2.7")}},
        "update_port": {"port": port, "values": fields(port_values("other", "192.0.2.8"))},
        "get_port": {"port": port},
        "list_ports": {"network": maybe(network), "dns_fqdn": maybe("web.example."),
                       **page},
        "get_published": {"port": maybe(port), "network": maybe(network)},
        "hosts_export": {"network": network, **page},
        "hosts_versions": {"networks": items(network)},
        "set_subnet": {"subnet": {"id": maybe(things.subnet), "network_id": network,
                                  "cidr": "10.9.0.0/24",
                                  "dns_publish_fixed_ip": maybe(Good(True, "bool"))}},
        "get_subnet": {"subnet": things.subnet},
        "list_subnets": {"network": maybe(network), **page},
        "delete_subnet": {"subnet": things.subnet},
        "compare": {"now": maybe(Good(True, "bool"))},
        "delete_port": {"port": port},
        "delete_network": {"network": things.spare_network},
    }


def router_values(address):
    where = {"address": address, "up": maybe(Good(True, "bool"))}
    return {"description": maybe(text("new")), "label": maybe(also("zone=east", "empty")),
            "capacity": maybe(number(10)), "ttl": maybe(number(60)),
            "addresses": maybe(items(where))}


def router_zone():
    """What a router's domain has to begin with; what names and records can be, central says."""
    soa = {"mname": maybe(text("ns1.example.net.")), "rname": maybe(text("dns.example.net.")),
           **{key: maybe(number(300)) for key in ("ttl", "refresh", "retry", "expire", "minimum")}}
    record = {"name": text("ns1"), "type": Good("A", *TEXTS - {"long label", "sql"}),
              "ttl": maybe(number(300)), "records": items(text("192.0.2.1"))}
    return {"ns": maybe(items(text("ns1.example.net."))), "soa": maybe(fields(soa)),
            "serial": maybe(number(7)), "ttl": maybe(number(300)), "records": maybe(items(record))}


def route_values(things, host):
    return {"host": maybe(also(host, "empty")), "labels": maybe(fields({"tier": also(
        text("gold"), "absent")})), "backend": maybe(also(
            f"{things.namespace}_app", "empty", "format", "bad name", "long label"))}


def routes(things):
    router, route, spare = things.router, things.route, things.spare_router
    space = things.namespace
    dns = f"{things.namespace}-new.{things.zone}"
    status = {"phase": maybe("scheduled"), "dns": maybe(things.host)}
    return {
        "create_router": {"router": {"name": f"new-{router}", "dns": f"new.{things.zone}",
                                     "zone": maybe(fields(router_zone())),
                                     **router_values("192.0.2.7")}},
        "update_router": {"router": router, "values": fields(router_values("192.0.2.8"))},
        "get_router": {"router": router},
        "list_routers": {"marker": maybe(router), "limit": maybe(number(10))},
        "report_address": {"router": router, "address": "192.0.2.8"},
        "create_route": {"route": {"id": maybe(uuid.uuid4().hex), "namespace": things.namespace,
                                   "name": "new", "project_id": maybe(identity("t")),
                                   **route_values(things, dns.replace(things.zone, "example.net"))}},
        "update_route": {"route": route, "values": fields(
            {**route_values(things, things.host), **status, "status": maybe(fields(status))})},
        "get_route": {"route": route},
        "list_routes": {"namespace": maybe(space), "router": maybe(router),
                        "phase": maybe("new"), "marker": maybe(route), "limit": maybe(number(10))},
        "create_route_binding": {"binding": {
            "route_namespace": space, "route_name": things.route_name,
            "router": maybe(router), "dns": maybe(things.router_dns)}},
        "list_route_bindings": {"router": maybe(router), "marker": maybe(route),
                                "limit": maybe(number(10))},
        "router_hosts": {"router": router, "routes": maybe(items(route)), "marker": maybe(route),
                         "limit": maybe(number(10))},
        "hosts_versions": {"routers": items(router)},
        "delete_route": {"route": route},
        "drain_router": {"router": spare, "drain": maybe(Good(False, "bool"))},
        "delete_router": {"router": spare, "force": maybe(Good(True, "bool"))},
    }


# ---- what Neutron says by itself ----

def _id():
    return uuid.uuid4().hex


OBJECTS = {"object", "empty object", "nested"}
LISTS = {"list", "many", "empty list"}
ANY_TEXT = TEXTS | {"long"}
# the kind of an object: the ids that it must have
NEUTRON = {"port": ("id", "network_id"), "network": ("id",),
           "floatingip": ("id", "floating_network_id")}
NOTIFICATIONS = "zonefleet_ports"
OBJECT_QUEUES = {"Port": "zonefleet_ports.Port-1.7", "Network": "zonefleet_ports.Network-1.1"}


def versioned(name, data):
    return {"versioned_object.name": name, "versioned_object.data": data}


def push(name, data):
    return {"method": "push", "args": {"event_type": "updated",
                                       "resource_list": [versioned(name, data)]}}


def neutron_refused():
    """(queue, message, {place: (what its refusal says, names of VALUES that are none here)})"""
    for kind, keys in NEUTRON.items():
        thing, many, gone = {key: _id() for key in keys}, f"{kind}s", f"{kind}_id"
        ids = {("payload", kind, key): (key, set()) for key in keys}
        yield (NOTIFICATIONS, {"event_type": f"{kind}.create.end", "payload": {kind: thing}},
               {("payload",): (f"must contain {kind}", set()),
                ("payload", kind): (f"must contain {kind}|^id is missing", set()), **ids})
        yield (NOTIFICATIONS, {"event_type": f"{kind}.update.end", "payload": {many: [thing]}},
               {("payload", many): (f"must contain {kind}|^id is missing", {"empty list"}),
                ("payload", many, 0): ("^id is missing", {"absent"})})
        yield (NOTIFICATIONS, {"event_type": f"{kind}.delete.end", "payload": {gone: _id()}},
               {("payload",): (gone, set()), ("payload", gone): (gone, set())})
    for name, queue in OBJECT_QUEUES.items():
        keys = NEUTRON[name.lower()]
        data = ("args", "resource_list", 0, "versioned_object.data")
        yield (queue, push(name, {key: _id() for key in keys}),
               {("args",): ("args|must contain resource_list", set()),
                ("args", "event_type"): ("event_type", ANY_TEXT),
                ("args", "resource_list"): ("resource_list", LISTS),
                data: ("^id is missing", set()),
                **{(*data, key): (key, set()) for key in keys}})


def _common(keys, network):
    return {**{key: network for key in keys}, "id": _id(), "revision_number": 1}


def _name():
    return f"n{_id()[:8]}"


def _port(network, address):
    return {**_common(NEUTRON["port"], network), "dns_name": _name(), "dns_domain": "",
            "mac_address": "fa:16:3e:00:00:09", "project_id": "t", "tenant_id": "t",
            "fixed_ips": [{"ip_address": address}], "device_owner": "compute:nova"}


def _floating(network, address):
    return {**_common(NEUTRON["floatingip"], network), "dns_name": _name(), "dns_domain": "",
            "floating_ip_address": address}


def _network(_network, _address):
    return {**_common(NEUTRON["network"], ""), "dns_domain": "", "project_id": "t"}


def _pushed_port(network, address):
    return {**_common(NEUTRON["port"], network),
            "dns": versioned("PortDNS", {"dns_name": _name(), "dns_domain": ""}),
            "fixed_ips": [versioned("IPAllocation", {"ip_address": address})]}


def _places(value, path=()):
    """All within it but for the ids, which it cannot be without."""
    for key, item in _within(value):
        if not any(key in keys for keys in NEUTRON.values()):
            yield (*path, key)
            yield from _places(item, (*path, key))


def neutron_tolerated(network, addresses):
    """(queue, kind, id, message, place): whatever is in the place, the thing is there."""
    def told(kind, make):
        return (NOTIFICATIONS, kind, make, ("payload", kind), lambda thing:
                {"event_type": f"{kind}.create.end", "payload": {kind: thing}})
    for queue, kind, make, path, message in (
            told("port", _port), told("floatingip", _floating), told("network", _network),
            (OBJECT_QUEUES["Port"], "port", _pushed_port,
             ("args", "resource_list", 0, "versioned_object.data"),
             lambda thing: push("Port", thing))):
        for place in _places(make(network, "192.0.2.1")):
            thing = make(network, next(addresses))
            yield queue, kind, thing["id"], message(thing), (*path, *place)


# the kind of a worker: the topic it serves, and its rows
WORKERS = {
    "central": ("central", central),
    "poolmgr": ("pool_manager.default", poolmgr),
    "minidns": ("minidns", minidns),
    "ports": ("ports", ports),
    "routes": ("routes", routes),
}

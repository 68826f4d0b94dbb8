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
DEEP = "deep"           # refused before anybody reads it: there is no answer
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
    return {"id": maybe(uuid.uuid4().hex), "name": name, "tenant": maybe(word("t")),
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


SECRET = "c2VjcmV0IHNlY3JldCBzZWNyZXQ="


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
    in_sets = {**where, "type": also("A", "absent")}
    in_records = {**in_sets, "data": maybe(also(text("192.0.2.1"), "long"))}
    report = {"domain": reference(zone, pool=word("default")), "status": "SUCCESS",
              "serial_number": number(7), "reason": maybe(text("because"))}
    change = {"op": "add", **record_set(f"w.{zone}")}
    return {
        "create_domain": {"domain": wish(f"new.{zone}", pool="default")},
        "get_domain": {"domain": domain},
        "find_domains": {**criterion(in_domains), **paging(domain, "name")},
        "update_domain": {"domain": domain, "values": fields(domain_values())},
        "create_recordset": {"domain": domain, "recordset": record_set(f"new.{zone}")},
        "get_recordset": {"domain": domain, "recordset": things.recordset},
        "find_recordsets": {"domain": also(domain, "absent"), **criterion(in_sets),
                            **paging(things.recordset, "name")},
        "find_records": {"domain": also(domain, "absent"), **criterion(in_records),
                         **paging(things.record, "updated_at")},
        "update_recordset": {"domain": domain, "recordset": things.recordset, "values": fields(
            {"ttl": maybe(number(300)), "records": also(["192.0.2.9"], "absent")})},
        "delete_recordset": {"domain": domain, "recordset": things.recordset},
        "apply_changes": {"domain": domain, "changes": items(change),
                          "serial": maybe(number(things.serial + 9)),
                          "soa": maybe(fields({"mname": maybe("ns.example.net."),
                                               "rname": maybe("dns.example.net."),
                                               **soa_numbers()}))},
        "create_pool": {"pool": {"name": things.new_pool, **pool_values()}},
        "get_pool": {"pool": things.pool},
        "find_pools": {**criterion({}), **paging(things.pool_id, "name")},
        "update_pool": {"pool": things.pool, "values": fields(pool_values())},
        "delete_pool": {"pool": things.pool},
        "begin_import": {"domain": wish(f"import.{zone}", pool=pool_name("default")),
                         "mode": maybe("create")},
        "add_to_import": {"import": things.opened, "part": number(0),
                          "records": items([f"w.{zone}", number(300), "A", "192.0.2.7"])},
        "get_import": {"import": things.opened},
        "cancel_import": {"import": things.opened},
        "commit_import": {"import": things.opened},
        "export_domain": {"domain": domain, "marker": maybe(f"{things.recordset}.0"),
                          "limit": maybe(number(10))},
        "create_blacklist": {"blacklist": {"name": f"bad.{zone}",
                                           "description": maybe(text("new"))}},
        "find_blacklists": {**criterion({}), **paging(things.blacklist, "name")},
        "delete_blacklist": {"blacklist": things.blacklist},
        "create_tsigkey": {"tsigkey": {"name": f"new.{zone}", "algorithm": maybe("hmac-sha512"),
                                       "secret": maybe(SECRET), "domain": maybe(domain)}},
        "get_tsigkey": {"tsigkey": things.tsigkey},
        "find_tsigkeys": {**criterion({}), **paging(things.tsigkey, "name")},
        "update_tsigkey": {"tsigkey": things.tsigkey, "values": fields(
            {"algorithm": maybe("hmac-sha1"), "secret": maybe(SECRET),
             "new_secret": maybe(False)})},
        "delete_tsigkey": {"tsigkey": things.tsigkey},
        "set_quota": {"tenant": word("t"), "resource": "domains",
                      "hard_limit": also(number(9), "negative")},
        "get_quotas": {"tenant": word("t")},
        "find_workers": {},
        "find_locks": {},
        "find_repairs": {},
        "update_server": {"pool": "default", "server": "bind", "state": "ACTIVE"},
        "sync_domain": {"domain": domain, "deep": maybe(Good(True, "bool"))},
        "get_status": {"domain": also(domain, "absent"), "pool": maybe(pool_name("default"))},
        "update_status": report,
        "update_statuses": {"reports": items(report)},
        "delete_domain": {"domain": things.spare},
    }


def poolmgr(things):
    domain = reference(things.zone, pool="default")
    report = {"domain": reference(things.zone, pool=word("default")),
              "name_server": word("bind"), "status": "SUCCESS",
              "serial_number": also(number(7), "null"), "silent": maybe(Good(False, "bool")),
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
        "transfer_ended": {"name": things.zone, "address": "127.0.0.1", "serial": number(7)},
        "news": {"from": "f" * 32, "number": number(7), "heard": fields({}),
                 "zones": items([things.zone, "f" * 32, also(number(1), "huge"), number(7)])},
    }


# the kind of a worker: the topic it serves, and its rows
WORKERS = {
    "central": ("central", central),
    "poolmgr": ("pool_manager.default", poolmgr),
    "minidns": ("minidns", minidns),
}

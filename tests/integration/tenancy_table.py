"""Who may call what: a row a method, and what each kind of caller gets.

The arguments are good ones, of things that belong to the project OWNER: those of
hostile_table.py, but for the rows below. An outcome is "done", the class of the refusal, or, of
a list, whether the owner's things are on it ("sees") or not ("nothing").
"""

from collections import namedtuple
from types import SimpleNamespace

import hostile_table

OWNER = "t"
ADMINISTRATOR = {"project_id": "operator", "is_admin": True}

# Each kind of caller has a group; the callers of a group get the same.
CALLERS = {
    "owners": {
        "owner": {"project_id": OWNER, "user_id": "u1"},
        "owner as tenant": {"tenant": OWNER},
        # there is no role of readers: whoever has a project has all rights there
        "reader": {"project_id": OWNER, "roles": ["reader"]},
    },
    "others": {
        "other project": {"project_id": "other"},
        "other case": {"project_id": OWNER.upper()},
        "full width": {"project_id": "\uff54"},
        "no-break space": {"project_id": OWNER + "\u00a0"},
        "prefix": {"project_id": OWNER * 2},
        # only the JSON value true makes an administrator
        "administrator as text": {"project_id": "other", "is_admin": "true"},
        "administrator as number": {"project_id": "other", "is_admin": 1},
        "role of an administrator": {"project_id": "other", "roles": ["admin"]},
    },
    "strangers": {
        "nobody": {},
        "no project": {"user_id": "u1"},
        "empty project": {"project_id": "", "tenant": ""},
        "null project": {"project_id": None},
    },
    "administrators": {
        "administrator": ADMINISTRATOR,
        # as our own workers call (context_encode() in workers/runtime/rpc_dispatch.c), but
        # without their signature: test_signed.py has that
        "worker": {"is_admin": True, "request_id": "req-worker"},
    },
}

# Refused before any method looks at them, administrators, too: always Forbidden.
MALFORMED = {
    "blank after": {"project_id": OWNER + " "},
    "blank before": {"project_id": " " + OWNER},
    "blank alone": {"project_id": " "},
    "blank after, as tenant": {"tenant": OWNER + " "},
    "tab after": {"project_id": OWNER + "\t"},
    "control": {"project_id": "\x01" + OWNER},
    "DEL": {"project_id": OWNER + "\x7f"},
    "C1": {"project_id": OWNER + "\x85"},
    "too long": {"project_id": OWNER * 256},
    "number": {"project_id": 7},
    "list": {"project_id": [OWNER]},
    "blank, an administrator": {"project_id": OWNER + " ", "is_admin": True},
    "user with a control": {"project_id": OWNER, "user_id": "u\n1"},
}

# No text has a NUL: the call is answered at once.
WITH_NUL = {"project_id": OWNER + "\0"}

Outcomes = namedtuple("Outcomes", CALLERS)

F, N = "Forbidden", "NotFound"
#                    owners   others     strangers  administrators
OWNED     = Outcomes("done",  N,         F,         "done")
HIDDEN    = Outcomes("done",  N,         N,         "done")
TOLD      = Outcomes("done",  F,         F,         "done")
LISTED    = Outcomes("sees",  "nothing", F,         "sees")
# an administrator's own project; all of them only with all_tenants
OWN_LIST  = Outcomes("sees",  "nothing", F,         "nothing")
ADMIN     = Outcomes(F,       F,         F,         "done")
PUBLIC    = Outcomes("done",  "done",    "done",    "done")
# only about the caller's own objects, whichever they are
ANY_TENANT = Outcomes("done", "done",    F,         "done")
# Messages between our workers, which want a signature: no context stands for that.
FLEET     = Outcomes(F,       F,         F,         F)
REPORT    = FLEET

ROWS = {
    "central": {
        "create_domain": TOLD,
        "get_domain": OWNED,
        "find_domains": OWN_LIST,
        "update_domain": OWNED,
        "delete_domain": OWNED,
        "abandon_domain": ADMIN,
        "create_recordset": OWNED,
        "get_recordset": OWNED,
        "find_recordsets": OWN_LIST,
        "find_recordsets of a domain": OWNED,
        "update_recordset": OWNED,
        "delete_recordset": OWNED,
        "find_records": OWN_LIST,
        "find_records of a domain": OWNED,
        "apply_changes": OWNED,
        "create_pool": ADMIN,
        "get_pool": ADMIN,
        "find_pools": ADMIN,
        "update_pool": ADMIN,
        "delete_pool": ADMIN,
        "begin_import": TOLD,                   # of a new domain below the owner's
        "begin_import of a domain": OWNED,
        "add_to_import": OWNED,
        "commit_import": OWNED,
        "get_import": OWNED,
        "cancel_import": OWNED,
        "export_domain": OWNED,
        "create_blacklist": ADMIN,
        "get_blacklist": ADMIN,
        "find_blacklists": ADMIN,
        "update_blacklist": ADMIN,
        "delete_blacklist": ADMIN,
        "create_tld": ADMIN,
        "get_tld": ADMIN,
        "find_tlds": ADMIN,
        "update_tld": ADMIN,
        "delete_tld": ADMIN,
        "apply_tlds": ADMIN,
        "create_share": OWNED,
        "get_share": OWNED,
        "find_shares": OWN_LIST,
        "delete_share": OWNED,
        "create_transfer": OWNED,
        "get_transfer": OWNED,
        "find_transfers": OWN_LIST,
        "update_transfer": OWNED,
        "withdraw_transfer": OWNED,
        # another tenant made the request, and its target is the owner
        "accept_transfer": Outcomes("done", F, F, F),
        "set_quota": ADMIN,
        "reset_quotas": ADMIN,
        "find_quotas": ADMIN,
        "get_quotas": TOLD,
        "create_tsigkey": ADMIN,
        "get_tsigkey": ADMIN,
        "find_tsigkeys": ADMIN,
        "update_tsigkey": ADMIN,
        "delete_tsigkey": ADMIN,
        "get_status": ADMIN,
        "get_status of a domain": OWNED,
        "find_workers": ADMIN,
        "find_locks": ADMIN,
        "find_repairs": ADMIN,
        "update_server": ADMIN,
        "sync_domain": OWNED,
        "update_status": REPORT,
        "update_statuses": REPORT,
    },
    "poolmgr": dict.fromkeys((
        "create_domain", "update_domain", "update_domains", "delete_domain", "sync_domain",
        "compare_domain", "update_status", "update_statuses", "update_servers"), FLEET),
    "minidns": dict.fromkeys((
        "notify_zone_changed", "poll_for_serial_number", "propagate_zones", "poll_zones",
        "compare_zones", "check_servers", "transfer_ended", "zone_differs", "zone_transferred",
        "news"), FLEET),
    "ports": {
        "create_port": TOLD,
        "create_port on a network": OWNED,
        "update_port": HIDDEN,
        "delete_port": HIDDEN,
        "get_port": HIDDEN,
        "list_ports": LISTED,
        "list_ports of a network": Outcomes("sees", N, F, "sees"),
        "get_published": HIDDEN,
        "set_network": TOLD,
        "set_network of an id": OWNED,
        "get_network": HIDDEN,
        "list_networks": LISTED,
        "delete_network": HIDDEN,
        "set_subnet": HIDDEN,
        "get_subnet": HIDDEN,
        "list_subnets": LISTED,
        "delete_subnet": HIDDEN,
        "hosts_export": HIDDEN,
        "hosts_versions": ADMIN,
        "compare": ADMIN,
    },
    "routes": {
        "create_route": TOLD,
        "update_route": HIDDEN,
        "delete_route": HIDDEN,
        "get_route": HIDDEN,
        "list_routes": LISTED,
        "create_router": ADMIN,
        "update_router": ADMIN,
        "drain_router": ADMIN,
        "delete_router": ADMIN,
        # where a route may lead is no secret; what an instance serves is
        "get_router": PUBLIC,
        "list_routers": PUBLIC,
        "report_address": ADMIN,
        "create_route_binding": ADMIN,
        "list_route_bindings": ADMIN,
        "router_hosts": ADMIN,
        "hosts_versions": ADMIN,
    },
    "ownership": {
        "apply_endpoints": HIDDEN,
        "plan_calculate": HIDDEN,
        # there is no held plan with the digest
        "plan_approve": Outcomes("Conflict", N, N, "Conflict"),
        "get_plan": HIDDEN,
        "find_registries": Outcomes("sees", "nothing", F, "sees"),
        "ownership_adopt": HIDDEN,
        "ownership_adopt_wanted": HIDDEN,
        "ownership_release": HIDDEN,
        "ownership_transfer": HIDDEN,
        "get_order": HIDDEN,
        "storage_records": HIDDEN,
        "storage_import": HIDDEN,
    },
    "ports_agent": {"hosts_changed": FLEET},
    "routes_agent": {"routes_changed": FLEET},
}

# A tenant that has a share of the owner's domain. Of all other methods it gets what others get.
GUEST = {"project_id": "guest"}
SHARED = {
    "get_domain": "done", "find_domains": "sees", "get_status of a domain": "done",
    "create_recordset": "done",
    # of a record set of the owner
    "apply_changes": F,
    "find_recordsets of a domain": "done", "find_records of a domain": "done",
    "get_share": "done", "find_shares": "sees",
    "update_domain": F, "delete_domain": "NotFound", "create_share": F,
    # the calls after delete_share get what others get
    "export_domain": F, "delete_share": "done",
}

# ---- lines of the log ----

ID = "[0-9a-f]{32}"
# Of a row above: the object in the line `OBJECT changed: ...`, its name, and the numbers of added,
# updated and deleted records, if the line has them. "{zone}" is the zone of the things.
CHANGED = {
    "central": {
        "create_domain": ("domain", "new.{zone}", (1, 0, 0)),
        "update_domain": ("domain", "{zone}", (0, 3, 0)),
        "delete_domain": ("domain", "spare{number}.example.", (0, 0, 2)),
        "abandon_domain": ("domain", "{stuck_zone}", (0, 0, 0)),
        "create_recordset": ("domain", "{zone}", (1, 0, 0)),
        "update_recordset": ("domain", "{zone}", (0, 1, 0)),
        "delete_recordset": ("domain", "{zone}", (0, 0, 1)),
        "apply_changes": ("domain", "{zone}", (1, 0, 0)),
        "commit_import": ("domain", "spare{number}.example.", (1, 0, 0)),
        "create_pool": ("pool", "{new_pool}", None),
        "update_pool": ("pool", "{pool}", None),
        "delete_pool": ("pool", "{pool}", None),
        "create_blacklist": ("blacklist", "bad.{zone}", None),
        "update_blacklist": ("blacklist", "bad{number}.", None),
        "delete_blacklist": ("blacklist", "{blacklist}", None),
        "create_tld": ("tld", "new.{zone}", None),
        "update_tld": ("tld", "tld{number}.example.", None),
        "delete_tld": ("tld", "tld{number}.example.", None),
        "apply_tlds": ("tld", "list", (1, 0, 0)),
        "create_share": ("share", ID, None),
        "delete_share": ("share", "{share}", None),
        "create_transfer": ("transfer", ID, None),
        "update_transfer": ("transfer", "{transfer}", None),
        "withdraw_transfer": ("transfer", "{transfer}", None),
        "accept_transfer": ("domain", "offered{number}.example.", (0, 0, 0)),
        "set_quota": ("quota", OWNER + "/domains", None),
        "reset_quotas": ("quota", OWNER, None),
        "create_tsigkey": ("tsigkey", "new.{zone}", None),
        "update_tsigkey": ("tsigkey", "key{number}.", None),
        "delete_tsigkey": ("tsigkey", "key{number}.", None),
        "update_server": ("server", "default/bind", None),
    },
    "ports": {
        "create_port": ("port", ID, None),
        "create_port on a network": ("port", ID, None),
        "update_port": ("port", "{network_port}", None),
        "delete_port": ("port", "{network_port}", None),
        "set_network": ("network", "{network}", None),
        "set_network of an id": ("network", "{network}", None),
        "delete_network": ("network", "{spare_network}", None),
        "set_subnet": ("subnet", "{subnet}", None),
        "delete_subnet": ("subnet", "{subnet}", None),
    },
    "routes": {
        "create_route": ("route", "{namespace}/new", None),
        "update_route": ("route", "{namespace}/web", None),
        "delete_route": ("route", "{namespace}/web", None),
        "create_router": ("router", "new-{router}", None),
        "update_router": ("router", "{router}", None),
        "drain_router": ("router", "{spare_router}", None),
        "delete_router": ("router", "{spare_router}", None),
        "create_route_binding": ("route", "{namespace}/web", None),
    },
    "ownership": {
        "apply_endpoints": ("registry", "us/shared.example.", (1, 0, 0)),
        "ownership_adopt": ("registry", "us/shared.example.", None),
        "ownership_adopt_wanted": ("registry", "us/shared.example.", None),
        "ownership_release": ("registry", "us/shared.example.", None),
        "ownership_transfer": ("registry", "us/shared.example.", None),
        "storage_import": ("registry", "us/shared.example.", None),
    },
}
# Methods whose calls leave no such line, and why.
UNCHANGED = {
    "they read": {
        "central": ("get_domain", "find_domains", "get_recordset", "find_recordsets",
                    "find_records", "get_pool", "find_pools", "get_import", "export_domain",
                    "get_blacklist", "find_blacklists", "get_tld", "find_tlds",
                    "get_quotas", "find_quotas",
                    "get_tsigkey", "find_tsigkeys", "get_status",
                    "get_share", "find_shares", "get_transfer", "find_transfers",
                    "find_workers", "find_locks", "find_repairs"),
        "ports": ("get_port", "list_ports", "get_published", "get_network", "list_networks",
                  "get_subnet", "list_subnets", "hosts_export", "hosts_versions"),
        "routes": ("get_route", "list_routes", "get_router", "list_routers",
                   "list_route_bindings", "router_hosts", "hosts_versions"),
        "ownership": ("get_plan", "find_registries", "get_order", "storage_records"),
    },
    "they prepare a change: commit_import makes it": {
        "central": ("begin_import", "add_to_import", "cancel_import")},
    "they ask for work that the fleet does again and again by itself": {
        "central": ("sync_domain",), "ports": ("compare",), "ownership": ("plan_calculate",)},
    "they report, and what changes by a report has another line": {
        "central": ("update_status", "update_statuses"), "routes": ("report_address",)},
    # test_ownership.py, Sources.test_a_source_that_has_nothing_any_more
    "there is no held plan here": {"ownership": ("plan_approve",)},
}

# ---- arguments ----

ZONE, STORAGE, RECEIVER = "shared.example.", "us", "them"
ROUTER = "heard"                # whose changes the agent of routes hears
REGISTRY = {"storage_id": STORAGE, "zone": ZONE}


def ownership(things):
    record = {"dnsname": f"www.{ZONE}", "type": "A", "targets": ["192.0.2.1"]}
    selector = {"selector": {"name": f"www.{ZONE}"}}
    rows = {
        "apply_endpoints": {"resource": "app", "complete": True, "endpoints": [record]},
        "plan_calculate": {}, "plan_approve": {"digest": "0" * 64}, "get_plan": {},
        "ownership_adopt": record, "ownership_adopt_wanted": selector,
        "ownership_release": selector, "ownership_transfer": {"to": RECEIVER, **selector},
        "get_order": {"order": things.order}, "storage_records": {},
        "storage_import": {"records": []},
    }
    return {method: REGISTRY | args for method, args in rows.items()} | {"find_registries": {}}


def agents(things):
    """What they are told when something changes."""
    return {
        "ports_agent": {"hosts_changed": {"network": things.network,
                                          "ports": [things.network_port], "version": 7}},
        "routes_agent": {"routes_changed": {"router": ROUTER, "routes": [things.route],
                                            "version": 7}},
    }


def variants(things):
    """Arguments of other rows than those of hostile_table.py, or other ones for its rows."""
    domain, network = {"domain": things.domain}, {"network": things.network}
    return {
        "central": {
            "begin_import of a domain": {"domain": {"name": things.zone}},
            "find_domains": {}, "find_recordsets": {}, "find_records": {}, "get_status": {},
            "find_recordsets of a domain": domain, "find_records of a domain": domain,
            "get_status of a domain": domain,
            # no limit: the owner's domains of the other callers stay
            "set_quota": {"tenant": OWNER, "resource": "domains", "hard_limit": -1},
            "find_shares": {}, "find_transfers": {},
        },
        "ports": {"list_ports": {}, "list_ports of a network": network, "list_networks": {},
                  "list_subnets": {},
                  # without the project of the network, which the caller need not know
                  "create_port on a network": {"port": {"network_id": things.network}},
                  "set_network of an id": {"network": {"id": things.network}}},
        "routes": {"list_routes": {}},
    }


TOPICS = {kind: topic for kind, (topic, _) in hostile_table.WORKERS.items()} | {
    "ownership": "ownership", "ports_agent": "ports_agent", "routes_agent": f"routes.{ROUTER}"}
# Agents have no queue that stays, and no dead letters: they hear what is sent to all of them.
FANOUTS = {TOPICS["ports_agent"], TOPICS["routes_agent"]}


def arguments(kind, things):
    """Of each row of the kind, in an order in which all of them can be done."""
    if kind == "ownership":
        return ownership(things)
    if TOPICS[kind] in FANOUTS:
        return agents(things)[kind]
    if kind in ("poolmgr", "minidns"):          # they would act on a zone that is there
        things = SimpleNamespace(**vars(things) | {"zone": "forged.example."})
    _, rows = hostile_table.WORKERS[kind]
    good = {method: hostile_table.plain(row) for method, row in rows(things).items()}
    return variants(things).get(kind, {}) | good | variants(things).get(kind, {})

"""What the checker of routes has to complain of: {its words, a pattern: statements that make it
so}. The names in braces are those of test_routes_faults.CheckerItself: ids of routes, `one` and
`two` of routers, `host` of a host that two routes want, `dns_plain` of what `plain` is called.
"""

PLANTS = {
    "route [0-9a-f]+ is lost": "DELETE FROM routes WHERE id = '{plain}'",
    "a binding of .*, which is no route": "DELETE FROM routes WHERE id = '{plain}'",
    "route 0+ is surplus":
        "INSERT INTO routes (id, namespace, name, project_id, labels, backend, retry_at, "
        "created_at) VALUES (REPEAT('0', 32), 'n', 'n', 'p', '{{}}', 'b', NOW(3), NOW(6))",
    "its backend is other": "UPDATE routes SET backend = 'other' WHERE id = '{plain}'",
    "its host is None, and not own": "UPDATE routes SET host = NULL WHERE id = '{own}'",
    "its project is p-2": "UPDATE routes SET project_id = 'p-2' WHERE id = '{own}'",
    "is claimed by None": "DELETE FROM host_claims WHERE host = '{host}'",
    "is nobody's, and .* waits for it":
        "DELETE FROM host_claims WHERE host = '{host}';"
        "DELETE FROM route_bindings WHERE route_id = '{owner}';"
        "UPDATE routes SET is_waiting = 1, phase = 'new', dns = NULL WHERE id = '{owner}'",
    "and not waited for by .*,": "UPDATE routes SET is_waiting = 0 WHERE id = '{waiter}'",
    "which does not want it":
        "UPDATE host_claims SET route_id = '{plain}' WHERE host = '{host}'",
    "is older": "UPDATE routes SET created_at = created_at - INTERVAL 1 HOUR "
                "WHERE id = '{waiter}'",
    "is claimed, and nobody's":
        "INSERT INTO host_claims VALUES ('x.example', 'example', '{plain}', 'p', NOW(3))",
    r"host a.wild.example is another project's than \*.wild":
        "UPDATE host_claims SET project_id = 'p-2' WHERE host = 'a.wild.example'",
    "it waits, and is bound":
        "INSERT INTO route_bindings SELECT namespace, name, id, '{one}', host, 1, NOW(3) "
        "FROM routes WHERE id = '{waiter}'",
    "it has 0 bindings": "DELETE FROM route_bindings WHERE route_id = '{plain}'",
    "it is at drained, which takes none":
        "UPDATE route_bindings SET router = 'drained' WHERE route_id = '{plain}'",
    "it is at nowhere, which takes none":
        "UPDATE route_bindings SET router = 'nowhere' WHERE route_id = '{plain}'",
    "it is new as None": "UPDATE routes SET phase = 'new', dns = NULL WHERE id = '{plain}'",
    "it is called x.example":
        "UPDATE routes SET dns = 'x.example' WHERE id = '{plain}';"
        "UPDATE route_bindings SET dns = 'x.example' WHERE route_id = '{plain}'",
    "it is called .*, and that name is not its own":
        "UPDATE host_claims SET route_id = '{other}' WHERE host = '{dns_plain}'",
    "2 routes are called":
        "UPDATE route_bindings SET dns = '{dns_plain}' WHERE route_id = '{other}'",
    "router drained is lost": "DELETE FROM routers WHERE name = 'drained'",
    "router more is surplus":
        "INSERT INTO routers (name, dns, ttl, zone, created_at) VALUES "
        "('more', 'more', 1, '{{}}', NOW(3))",
    "its domain is elsewhere": "UPDATE routers SET dns = 'elsewhere' WHERE name = '{one}'",
    "its state is active, and not draining":
        "UPDATE routers SET state = 'active' WHERE name = 'drained'",
    "its count of routes is": "UPDATE routers SET bound = bound + 1 WHERE name = '{one}'",
    "its set of addresses is {}": "DELETE FROM router_addresses WHERE router = '{one}'",
    r"its set of addresses is .*\(False, True\)":
        "UPDATE router_addresses SET is_up = 0 WHERE router = '{one}'",
    r"its set of addresses is .*\(True, False\)":
        "UPDATE router_addresses SET is_shown = 0 WHERE router = '{one}'",
    "move .* is surplus":
        "INSERT INTO route_moves VALUES ('{plain}', 'drained', 'x', 'y', 'HAVE', 0, NOW(3), NOW(3), NULL, 0)",
}
UNDER_WAY = {
    "1 routes without a router":
        "UPDATE routes SET phase = 'new', dns = NULL WHERE id = '{plain}'",
    "1 routes of a drained router":
        "UPDATE route_bindings SET router = 'drained' WHERE route_id = '{plain}'",
    "1 routers that are going": "UPDATE routers SET state = 'going' WHERE name = 'drained'",
    "2 domains not told":
        "UPDATE routers SET rev = rev + 1 WHERE name = '{one}';"
        "UPDATE routers SET zone_status = 'ERROR' WHERE name = '{two}'",
    "1 moves to be told":
        "INSERT INTO route_moves VALUES ('{plain}', 'drained', 'x', 'y', 'DROP', 0, NOW(3), NOW(3), NULL, 0)",
    "1 moves in their grace":
        "INSERT INTO route_moves VALUES ('{plain}', 'drained', 'x', NULL, 'CACHED', 0, NOW(3), NOW(3), NULL, 0)",
}

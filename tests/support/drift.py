"""What drifts behind our back: zones lost or edited on a name server, lost casts.

    remove(server, zone)
    replace(server, zone, lines)        # by LINES as axfr() gives them, its SOA among them
    forget(server, zone)                # what replace() left, when the server is right again
    with lost_cast(url, queue, domain.id):
        caller.apply_changes(...)       # nobody hears of it
"""

import contextlib
import json
import sqlite3
import time

import amqp
import dns.exception
import dns.message
import dns.query

from story import LabError, wait_for
from query import udp

ANSWER_SECONDS = 1
STEAL_SECONDS = 30
TRANSFER_SECONDS = 20
REMOVE_SECONDS = 10
# as in most configurations: it asks by itself some minutes later, not at once
BIND_TIMERS = "".join(f"{which}-{what}-time 900; " for which in ("min", "max")
                      for what in ("refresh", "retry"))


# ---- on a name server ----

def remove(server, zone):
    """Until it is gone: Knot has one transaction for all, and NSD takes its time."""
    def done():
        with contextlib.suppress(LabError):
            server.remove_zone(zone)
            return True
    wait_for(done, REMOVE_SECONDS, f"{server.name} removes {zone}", [server.log])
    wait_for(lambda: serial(server, zone) is None, REMOVE_SECONDS,
             f"{server.name} has lost {zone}", [server.log])


def replace(server, zone, lines):
    REPLACE[server.name](server, zone, lines)


def _replace_on_bind(server, zone, lines):
    """By a zone file; for the time between two commands it has no such zone."""
    name = f"{zone}{time.monotonic_ns()}.text"
    (server.data / name).write_text("\n".join(lines) + "\n")
    primaries = " ".join(f"{host} port {port};" for host, port in server.masters)
    server.rndc("delzone", "-clean", zone)
    server.rndc("addzone", zone, f'{{ type secondary; file "{name}"; masterfile-format text; '
                                 f'{BIND_TIMERS} primaries {{ {primaries} }}; }};')


def _replace_on_nsd(server, zone, lines):
    (server.folder / "data" / f"{zone}.zone").write_text("\n".join(lines) + "\n")
    server.control("reload", zone)


def _replace_on_knot(server, zone, lines):
    """With another refresh time in the SOA, too: else Knot raises its serial. Its journal could
    not take a serial for the second time.

    Knot 3.2 was seen to hang for ever when a transfer of the zone came in between.
    """
    soa = next(line for line in lines if line.split()[3] == "SOA")
    fields = soa.split()
    fields[7] = str(int(fields[7]) + 1)
    server.knotc("-f", "-b", "zone-purge", "+journal", zone)
    _edit_on_knot(server, zone, [" ".join(fields) if line == soa else line for line in lines])


def _edit_on_knot(server, zone, lines):
    old, new = set(transferred(server, zone)), set(lines)
    server.knotc("zone-begin", zone)
    try:
        for line in old - new:
            owner, _, _, rtype, rdata = line.split(None, 4)
            server.knotc("zone-unset", zone, owner, rtype, *([] if rtype == "SOA" else [rdata]))
        for line in new - old:
            owner, ttl, _, rtype, rdata = line.split(None, 4)
            server.knotc("zone-set", zone, owner, ttl, rtype, rdata)
        server.knotc("zone-commit", zone)
    except LabError:
        server.knotc("zone-abort", zone)
        raise


def _replace_on_powerdns(server, zone, lines):
    """In its database, which it reads for each question."""
    with contextlib.closing(sqlite3.connect(server.database)) as database, database:
        key, = database.execute("SELECT id FROM domains WHERE name = ?",
                                (zone.rstrip("."),)).fetchone()
        database.execute("DELETE FROM records WHERE domain_id = ?", (key,))
        for owner, ttl, _, rtype, rdata in (line.split(None, 4) for line in lines):
            content = " ".join(word.rstrip(".") for word in rdata.split())
            database.execute(
                "INSERT INTO records (domain_id, name, type, content, ttl, prio, auth) "
                "VALUES (?, ?, ?, ?, ?, 0, 1)", (key, owner.rstrip("."), rtype, content, ttl))


REPLACE = {"bind": _replace_on_bind, "knot": _replace_on_knot, "nsd": _replace_on_nsd,
           "powerdns": _replace_on_powerdns}


def forget(server, zone):
    """NSD would read the file again, should the zone be deleted, and created anew."""
    if server.name == "nsd":
        with contextlib.suppress(LabError):     # it may be gone already
            server.control("write", zone)


# ---- what a server says; mostly without a process for each question ----

def transferred(server, zone):
    """The zone by AXFR, in the end: a server that is busy may break one off."""
    def lines():
        with contextlib.suppress(LabError):
            return server.axfr(zone)
    return wait_for(lines, TRANSFER_SECONDS, f"{server.name} transfers {zone}", [server.log])


def ask(server, name, rtype):
    """The answer's records, as dnspython has them; None: it does not say."""
    question = dns.message.make_query(name, rtype, flags=0)
    try:
        answer = udp(question, server.host, ANSWER_SECONDS, server.port)
    except dns.exception.DNSException:
        return None
    return list(answer.answer[0]) if answer.answer else []


def serial(server, zone):
    found = ask(server, zone, "SOA")
    return found[0].serial if found else None


def address(server, owner):
    found = ask(server, owner, "A")
    return found[0].address if found else None


# ---- on the broker ----

@contextlib.contextmanager
def lost_cast(url, queue, domain_id):
    """The next order to update the domain is taken from the queue, and nothing done.

    All that comes meanwhile comes to us first; what is not ours goes back, in its order.
    """
    login, place = url.removeprefix("rabbit://").split("@")
    user, password = login.split(":")
    host, vhost = place.split("/")
    with amqp.Connection(host, user, password, virtual_host=vhost) as link:
        channel, stolen = link.channel(), []
        channel.basic_consume(queue, callback=lambda message: _steal(message, domain_id, stolen),
                              arguments={"x-priority": 10})
        yield
        wait_for(lambda: _drain(link) or stolen, STEAL_SECONDS, f"the cast for {domain_id}")


def _steal(message, domain_id, stolen):
    body = json.loads(json.loads(message.body)["oslo.message"])
    if body["method"].startswith("update_domain") and domain_id in json.dumps(body["args"]):
        message.channel.basic_ack(message.delivery_tag)
        stolen.append(body)


def _drain(link):
    with contextlib.suppress(TimeoutError):
        link.drain_events(timeout=0.05)

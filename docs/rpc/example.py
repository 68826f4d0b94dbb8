"""example.py URL -- creates a domain with a record, waits until it is ACTIVE and deletes it."""

import sys
import tempfile
import time
import uuid

import oslo_messaging as om
from oslo_config import cfg

SETTINGS = """
[DEFAULT]
control_exchange = zonefleet
[oslo_messaging_rabbit]
amqp_durable_queues = true
# otherwise a thread of oslo.messaging delays the exit of the program by 10 s
[oslo_messaging_metrics]
metrics_thread_stop_timeout = 0
"""
AGAIN = "Busy", "Timeout", "Unavailable"     # worth a retry
ZONE = "rpc-example.org."
WAIT_SECONDS = 60
SECONDS = 20        # time limit of one call


def connect(url):
    """Uses the global cfg.CONF, because oslo.messaging needs it for its metrics."""
    with tempfile.NamedTemporaryFile("w", suffix=".conf") as file:
        file.write(SETTINGS)
        file.flush()
        cfg.CONF(["--config-file", file.name])
    return om.get_rpc_transport(cfg.CONF, url=url)


def call(client, method, **arguments):
    """Calls at most five times. Errors of zonefleet are RemoteError; exc_type is the class."""
    context = {"project_id": "demo", "user_id": "jo", "request_id": f"req-{uuid.uuid4()}"}
    for pause in 0.5, 1, 2, 4, None:
        context["limit_unix_ms"] = int((time.time() + SECONDS) * 1000)
        try:
            return client.call(context, method, **arguments)
        except om.MessagingTimeout:
            if pause is None:
                raise
        except om.RemoteError as error:
            if error.exc_type not in AGAIN or pause is None:
                raise
        time.sleep(pause)


def create(client):
    try:
        call(client, "create_domain", domain={"name": ZONE, "email": "dns@example.org"})
    except om.RemoteError as error:
        # Duplicate: the domain exists. If its task is DELETE, try again later.
        if error.exc_type != "Duplicate":
            raise


def wait(client, version):
    """Also waits in ERROR: the domain becomes ACTIVE when its name servers work again."""
    until = time.monotonic() + WAIT_SECONDS
    while time.monotonic() < until:
        domain = call(client, "get_domain", domain=ZONE)
        if domain["status"] == "ACTIVE" and domain["version"] >= version:
            return domain
        time.sleep(0.1)
    raise SystemExit(f"{ZONE} is {domain['status']}: {domain['reason']}")


def task(client, domain_id):
    """None: the domain does not exist."""
    try:
        return call(client, "get_domain", domain=domain_id)["task"]
    except om.RemoteError as error:
        if error.exc_type != "NotFound":
            raise
        return None


def delete(client, domain):
    """Fails if another program has changed the domain since this version."""
    try:
        call(client, "delete_domain", domain=domain["id"], version=domain["version"])
    except om.RemoteError as error:
        # After a lost answer, the retry fails because the first attempt deletes the domain.
        if error.exc_type not in ("Conflict", "NotFound"):
            raise
        if task(client, domain["id"]) not in ("DELETE", None):
            raise


def wait_deleted(client, domain_id):
    until = time.monotonic() + WAIT_SECONDS
    while time.monotonic() < until:
        if task(client, domain_id) is None:
            return
        time.sleep(0.1)
    raise SystemExit(f"{ZONE} is not deleted after {WAIT_SECONDS} s")


def records(client):
    """Yields the records of all pages."""
    marker = None
    while True:
        page = call(client, "find_records", domain=ZONE, marker=marker, limit=2)
        yield from page["records"]
        marker = page["marker"]
        if not marker:
            return


def main(url):
    transport = connect(url)
    client = om.get_rpc_client(transport, om.Target(topic="central"), timeout=SECONDS)
    create(client)
    done = call(client, "apply_changes", domain=ZONE, changes=[
        {"op": "set", "name": f"www.{ZONE}", "type": "A", "ttl": 300, "records": ["192.0.2.80"]}])
    domain = wait(client, done["version"])
    print(domain["name"], domain["serial"], domain["status"])
    for record in records(client):
        print(record["name"], record["type"], record["data"])
    delete(client, domain)
    wait_deleted(client, domain["id"])
    transport.cleanup()


main(sys.argv[1])

"""A Python OpenStack peer: calls central by oslo.messaging, as a service of theirs would."""

import logging
import tempfile
import threading
import time

import oslo_messaging as om
from oslo_config import cfg

SETTINGS = """\
[DEFAULT]
control_exchange = zonefleet
[oslo_messaging_rabbit]
amqp_durable_queues = true
heartbeat_timeout_threshold = 10
"""

_configuring = threading.Lock()     # producers that lose their caller at once make new ones


def _configured(url):
    """A transport, by the global configuration: the library needs that one."""
    with tempfile.NamedTemporaryFile("w", suffix=".conf") as file:
        file.write(SETTINGS)
        file.flush()
        cfg.CONF(["--config-file", file.name])
    logging.getLogger("oslo").setLevel(logging.ERROR)
    return om.get_rpc_transport(cfg.CONF, url=url)


class Caller:
    """caller.get_domain(domain="example.org.") calls that method of central."""

    def __init__(self, url, tenant="tenant-1", admin=True, topic="central", timeout=20):
        with _configuring:
            self.transport = _configured(url)
        self.client = om.get_rpc_client(self.transport, om.Target(topic=topic), timeout=timeout)
        self.context = {"project_id": tenant, "is_admin": admin, "request_id": "req-story"}

    def __getattr__(self, method):
        if method.startswith("_"):
            raise AttributeError(method)
        return lambda **arguments: self.client.call(self.context, method, **arguments)

    def cast(self, method, **arguments):
        self.client.cast(self.context, method, **arguments)

    def close(self):
        self.transport.cleanup()

    def settled(self, domain, status="ACTIVE", serial=None, seconds=20):
        """Waits until the domain has the status (and at least the serial); the seconds it took."""
        started = time.monotonic()
        while True:
            now = self.get_domain(domain=domain)
            if now["status"] == status and (serial is None or now["serial"] >= serial):
                return time.monotonic() - started
            if time.monotonic() - started > seconds:
                raise AssertionError(f"{domain} is not {status} within {seconds} s: {now}")
            time.sleep(0.003)

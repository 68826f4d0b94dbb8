"""A RabbitMQ for a story: a lent node if tests/run lends some, else one of its own."""

import json
import os
import socket
from pathlib import Path
from types import SimpleNamespace

import namespace
from lab.process import HOST, LabError
from lab.rabbitmq import DISTRIBUTION, NAME, RabbitMq

LENDER = "ZONEFLEET_BROKERS"        # the socket of tests/suite/brokers.py
LEND_SECONDS = 180


class LentRabbitMq(RabbitMq):
    """As a RabbitMq that runs; release() gives it back."""

    def __init__(self, lender):
        self.lender = socket.socket(socket.AF_UNIX)
        self.lender.settimeout(LEND_SECONDS)
        self.lender.connect(lender)
        self.stream = self.lender.makefile("rw")
        self.host, self.user, self.vhost = HOST, NAME, NAME
        self.leave_running, self.name = False, "rabbitmq"
        self.lent_pid = None
        self._hear()
        self.log, self.home = self.folder / "log", self.folder / "home"
        self.config = self.folder / "rabbitmq.conf"
        self.distribution = DISTRIBUTION.format(HOST.replace(".", ","))

    def _hear(self):
        told = json.loads(self.stream.readline() or '{"error": "the lender is gone"}')
        if "error" in told:
            raise LabError(told["error"])
        self.folder = Path(told["folder"])
        self.port, self.node = told["port"], told["node"]
        self.distribution_port = told["distribution_port"]
        self.epmd = SimpleNamespace(host=HOST, port=told["epmd_port"])
        self.password, self.lent_pid = told["password"], told["pid"]

    def _ask(self, what):
        print(json.dumps({"do": what}), file=self.stream, flush=True)
        self._hear()

    @property
    def pid(self):
        return self.lent_pid

    def launch(self):
        if self.lent_pid is None:
            self._ask("launch")

    def wait_ready(self):
        if not self.is_ready():
            self._ask("wait_ready")

    def stop(self):
        if self.lent_pid is not None:
            self._ask("stop")

    def kill9(self):
        if self.lent_pid is not None and self.lender.fileno() >= 0:
            self._ask("kill9")

    def pause(self):
        self._ask("pause")

    def resume(self):
        self._ask("resume")

    def has_died(self):
        return False

    def release(self):
        self.stream.close()
        self.lender.close()


def story_rabbitmq(folder, settings=(), **options):
    """A RabbitMq; one with SETTINGS or in another network is the story's own."""
    lender = os.environ.get(LENDER)
    is_own = settings or any(options.values()) or namespace.is_inside() or not lender
    return RabbitMq(folder, settings=settings, **options) if is_own else LentRabbitMq(lender)

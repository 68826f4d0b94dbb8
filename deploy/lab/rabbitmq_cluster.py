"""Three RabbitMQ nodes that are one broker.

    with RabbitCluster.start(folder) as cluster:
        cluster.nodes[0].kill9()
"""

import json
import secrets
import time
from pathlib import Path

from .cluster import SAMPLES, Cluster
from .process import LabError, Server, wait_for
from .rabbitmq import Epmd, RabbitMq

BACK_SECONDS = 90       # until a node is a member again
ODDS_SECONDS = 10       # so long it may be at odds with the others: it may mend itself
TICK_SECONDS = 5        # a node that is silent is given up within 1.25 times of it

# what the sample that operators get has otherwise than the lab: names, and sizes
NOT_OF_SAMPLE = ("cluster_formation.classic_config.", "vm_memory_", "disk_free_", "heartbeat",
                 "net_ticktime", "max_message_size")

CONFIG = """\
cluster_formation.randomized_startup_delay_range.min = 0
cluster_formation.randomized_startup_delay_range.max = 1
net_ticktime = {tick}
"""


def sample_settings():
    lines = (SAMPLES / "rabbitmq.conf").read_text().splitlines()
    return [line for line in lines
            if line and not line.startswith(("#", *NOT_OF_SAMPLE))]


def _view(node):
    """How many nodes run, and how many it is at odds with; no number if it does not say."""
    try:
        status = json.loads(node.ctl("cluster_status", "--formatter", "json"))
    except LabError:
        return None, 0
    return len(status["running_nodes"]), len(status["partitions"])


class RabbitNode(RabbitMq):
    """A member; its port mapper is the cluster's."""

    def __init__(self, folder, cluster, **options):
        self.cluster_epmd = cluster.epmd
        super().__init__(folder, **options)
        self.node = f"{self.name}@{self.host}"

    def _make_epmd(self, options):
        return self.cluster_epmd

    def environment(self):
        return super().environment() | {"RABBITMQ_USE_LONGNAME": "true"}

    def stop(self):
        Server.stop(self)

    def kill9(self):
        Server.kill9(self)


class RabbitCluster(Cluster):
    """As a RabbitMq: .url has all nodes, .ctl() and .listed() ask one that runs."""

    addresses = ("127.0.0.21", "127.0.0.22", "127.0.0.23")

    def __init__(self, folder, settings=(), **options):
        folder = Path(folder).resolve()
        super().__init__(folder)
        self.password, cookie = secrets.token_hex(12), secrets.token_hex(20)
        self.epmd = Epmd(folder / "epmd", addresses=self.addresses, **options)
        members = [f"cluster_formation.classic_config.nodes.{number} = rabbitmq{number}@{host}"
                   for number, host in enumerate(self.addresses, 1)]
        settings = [*sample_settings(), CONFIG.format(tick=TICK_SECONDS), *members, *settings]
        self.nodes = [RabbitNode(folder / f"rabbitmq{number}", self, settings=settings,
                                 password=self.password, cookie=cookie, host=host, **options)
                      for number, host in enumerate(self.addresses, 1)]
        self.user, self.vhost = self.nodes[0].user, self.nodes[0].vhost

    @property
    def url(self):
        return self.url_of(self.nodes)

    def url_of(self, nodes):
        """Each host with its login: oslo.messaging wants it so, ours is content with it."""
        hosts = ",".join(f"{self.user}:{self.password}@{node.host}:{node.port}"
                         for node in nodes)
        return f"rabbit://{hosts}/{self.vhost}"

    def _running(self):
        for node in self.nodes:
            if node.pid and node.is_ready():
                return node
        raise LabError("no node of the RabbitMQ cluster answers")

    def ctl(self, *arguments):
        return self._running().ctl(*arguments)

    def listed(self, what, *columns):
        return self._running().listed(what, *columns)

    def launch(self):
        self.epmd.launch()
        self.epmd.wait_ready()
        super().launch()

    def _join(self):
        super()._join()
        self.nodes[0].ctl("await_online_nodes", str(len(self.nodes)))

    def wait_back(self, node, seconds=BACK_SECONDS):
        """Until all nodes run, in the eyes of this one that was away and of another.

        One that stays at odds with them is started anew, as cluster.md tells its operator.
        """
        other = next(other for other in self.nodes if other is not node)
        patience = time.monotonic() + ODDS_SECONDS

        def is_whole():
            nonlocal patience
            views = [_view(each) for each in (node, other)]
            if any(partitions for _, partitions in views) and time.monotonic() > patience:
                node.ctl("stop_app")
                node.ctl("start_app")
                patience = time.monotonic() + seconds
            return views == [(len(self.nodes), 0)] * 2
        wait_for(is_whole, seconds, f"{node.name} is back", [node.log])

    def stop(self):
        try:
            super().stop()
        finally:
            self.epmd.stop()

    def kill9(self):
        super().kill9()
        self.epmd.kill9()

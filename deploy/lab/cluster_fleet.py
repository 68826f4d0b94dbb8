"""A fleet over a three-node RabbitMQ and a three-node Galera."""

from .fleet import Fleet, merged
from .galera import GaleraCluster
from .rabbitmq_cluster import RabbitCluster

SETTINGS = {"broker": {"quorum": True}}


class ClusterFleet(Fleet):
    """Each worker of a kind has another node of the database first in its list."""

    broker, database = RabbitCluster, GaleraCluster

    def __init__(self, folder, settings=None, **options):
        super().__init__(folder, settings=merged(SETTINGS, settings or {}), **options)

    def _settings_of(self, number):
        own = {"database": {"host": self.mariadb.hosts_from(number)}}
        return merged(self.settings, own)

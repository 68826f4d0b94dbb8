"""Three MariaDB nodes that are one database: a Galera cluster.

    with GaleraCluster.start(folder) as cluster:
        cluster.nodes[0].sql("INSERT ...")
        cluster.nodes[2].kill9()
"""

import os
import pwd
import re
import secrets
from pathlib import Path

from .cluster import SAMPLES, Cluster
from .mariadb import MariaDb
from .process import LabError, free_port, program, run, wait_for

PROVIDER = "/usr/lib/galera/libgalera_smm.so"
SYNCED_SECONDS = 60

# a node that does not see its cluster: it waited for it, does not serve, or has just gone
ELSEWHERE = re.compile(r"ERROR (1205|1047|2002|2006|2013|2026) |not within")

# The state transfer's rsync, started by root, works as `nobody` and may not write: so a
# node takes its user, who may be root, for another.
NOBODY = "nobody"
AS_NOBODY = ("unshare", "--map-user=nobody", "--map-group=nogroup", "--")

# Over the sample that operators get: sizes that a state transfer copies at once, and a
# silent node is left out sooner.
SETTINGS = (
    "--innodb-buffer-pool-size=64M",
    "--wsrep-slave-threads=2",
)
PROVIDER_OPTIONS = ("gmcast.listen_addr=tcp://{host}:{group};ist.recv_addr={host}:{ist};"
                    "gcache.size=64M;evs.keepalive_period=PT0.5S;"
                    "evs.suspect_timeout=PT2S;evs.inactive_timeout=PT5S")


def is_possible():
    """May root be taken for another here? Not in a chroot, nor where namespaces are forbidden."""
    if os.geteuid() != 0:
        return True
    try:
        run([program(AS_NOBODY[0]), *AS_NOBODY[1:], program("true")])
    except LabError:
        return False
    return True


IMPOSSIBLE = ("a Galera node that root starts copies its data in a user namespace. This "
              "machine allows no user namespace: run as an ordinary user, or leave the chroot")


def administrator():
    """Of a node: whoever started it, or whom it takes root for."""
    return NOBODY if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name


def view(socket):
    """What a node, found by its socket, sees: its own state, its cluster's, and members."""
    rows = run([program("mariadb"), "--no-defaults", f"--socket={socket}",
                f"--user={administrator()}", "--batch", "--skip-column-names"],
               text="SHOW STATUS LIKE 'wsrep%'", seconds=5)
    found = dict(line.split("\t", 1) for line in rows.splitlines())
    return tuple(found.get(f"wsrep_{name}", "?") for name in
                 ("local_state_comment", "cluster_status", "cluster_size"))


class GaleraNode(MariaDb):
    """.state() is Synced, Donor/Desynced, Initialized, ..., or None if it does not say."""

    start_seconds = 60
    log_file_size = "32M"
    defaults = f"--defaults-file={SAMPLES / 'galera.cnf'}"

    def __init__(self, folder, settings=(), **options):
        self.is_founder = False         # at its next start
        self.members = []               # host:port of all nodes, as they talk to each other
        self.group_port, self.ist_port, self.sst_port = (free_port() for _ in range(3))
        super().__init__(folder, settings=[*SETTINGS, *settings], **options)
        self.administrator = administrator()

    @property
    def group_address(self):
        return f"{self.host}:{self.group_port}"

    def wrapped(self, argv):
        if os.geteuid() != 0:
            return argv
        return [program(AS_NOBODY[0]), *AS_NOBODY[1:], *argv]

    def launch(self):
        if not Path(PROVIDER).exists():
            raise LabError(f"{PROVIDER} is not installed: run deploy/install-packages")
        if not is_possible():
            raise LabError(IMPOSSIBLE)
        super().launch()
        self.is_founder = False

    def is_new(self):
        return self.is_founder and super().is_new()

    def command(self):
        founding = ["--wsrep-new-cluster"] if self.is_founder else []
        return [*super().command(), *self._membership(), *founding]

    def starting_sql(self):
        """The others have the accounts from the founder."""
        return super().starting_sql() if self.is_founder else []

    def _membership(self):
        provider = PROVIDER_OPTIONS.format(
            host=self.host, group=self.group_port, ist=self.ist_port)
        return [f"--wsrep-provider={PROVIDER}",
                f"--wsrep-cluster-address=gcomm://{','.join(self.members)}",
                f"--wsrep-node-name={self.name}",
                f"--wsrep-node-address={self.host}",
                f"--wsrep-sst-receive-address={self.host}:{self.sst_port}",
                f"--wsrep-provider-options={provider}"]

    def state(self):
        """By its socket, so that it answers also when its clients are cut off."""
        try:
            return view(self.socket)[0]
        except LabError:
            return None

    def is_ready(self):
        return self.state() == "Synced"

    def is_member_of(self, size):
        """Does it take part, and see so many nodes that do?"""
        try:
            return view(self.socket) == ("Synced", "Primary", str(size))
        except LabError:
            return False


class GaleraCluster(Cluster):
    """As a MariaDb: .sql() asks a node that is synced, and sees what all have committed."""

    addresses = ("127.0.0.31", "127.0.0.32", "127.0.0.33")

    def __init__(self, folder, settings=(), **options):
        folder = Path(folder).resolve()
        super().__init__(folder)
        self.password = secrets.token_hex(12)
        self.nodes = [GaleraNode(folder / f"galera{number}", settings, host=host,
                                 password=self.password, **options)
                      for number, host in enumerate(self.addresses, 1)]
        self.user, self.database = self.nodes[0].user, self.nodes[0].database
        self.nodes[0].is_founder = True
        for node in self.nodes:
            node.members = [each.group_address for each in self.nodes]

    @property
    def hosts(self):
        return self.hosts_from(0)

    def hosts_from(self, number):
        """All nodes, as database.host, another one first: who writes where."""
        turned = self.nodes[number % len(self.nodes):] + self.nodes[:number % len(self.nodes)]
        return ",".join(node.hosts for node in turned)

    def wait_whole(self, seconds=SYNCED_SECONDS):
        """Until all nodes see all: who was left out may be the last to hear of it."""
        for node in self.nodes:
            wait_for(lambda node=node: node.is_member_of(len(self.nodes)), seconds,
                     f"{node.name} sees all nodes", [node.log])

    def sql(self, text, administrator=False, seconds=30):
        """Where the cluster changes its members meanwhile, another node is asked."""
        error = LabError("no node of the Galera cluster is synced")
        for node in self.nodes:
            if not (node.pid and node.is_ready()):
                continue
            try:
                return node.sql("SET SESSION wsrep_sync_wait = 15; " + text, administrator,
                                seconds)
            except LabError as refused:
                if not ELSEWHERE.search(str(refused)):
                    raise
                error = refused
        raise error

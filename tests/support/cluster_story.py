"""Workers of a kind over three nodes of Galera, each with another node as the first of its list.

    class Ports(ClusterStory):
        kind, count = "ports", 4
"""

import shutil
import tempfile
import unittest
from pathlib import Path

from story import SETTINGS, StoryFleet, merged                      # first: it knows where lab is
from lab.cluster_fleet import ClusterFleet
from lab.fleet import Worker
from lab.galera import IMPOSSIBLE, is_possible

QUICK = {"database": {"timeout": 8}, "broker": {"heartbeat": 5}}


class Fleet(ClusterFleet, StoryFleet):
    pass


class ClusterStory(unittest.TestCase):

    kind, count, settings = None, 4, {}

    @classmethod
    def setUpClass(cls):
        if not is_possible():
            raise unittest.SkipTest(IMPOSSIBLE)
        folder = Path(tempfile.mkdtemp(prefix=f"zfcluster{cls.kind}"))
        cls.addClassCleanup(shutil.rmtree, folder, ignore_errors=True)
        cls.fleet = cls.enterClassContext(Fleet.start(
            folder / "fleet", settings=merged(SETTINGS, QUICK), central=1, poolmgr=1, minidns=1,
            name_servers=("bind",)))
        cls.own = [cls.start_worker(folder / f"{cls.kind}{number + 1}", number)
                   for number in range(cls.count)]

    @classmethod
    def start_worker(cls, folder, number):
        """The fleet stops it."""
        worker = Worker(folder, cls.kind, merged(cls.fleet.settings, {
            cls.kind: {"processes": 1} | cls.settings,
            "database": {"host": cls.fleet.mariadb.hosts_from(number)}}))
        cls.fleet.members[worker.name] = worker
        cls.fleet.workers.append(worker)
        worker.launch()
        worker.wait_ready()
        return worker

    def assert_all_did(self, what):
        """Each worker's log has that, and all nodes were asked."""
        logs = {worker.name: worker.log.read_text() for worker in self.own}
        nodes = {log.rpartition("database connected: host=")[2].split()[0]
                 for log in logs.values()}
        self.assertEqual(nodes, {node.hosts for node in self.fleet.mariadb.nodes})
        for name, log in logs.items():
            self.assertIn(what, log, name)

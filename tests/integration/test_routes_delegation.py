"""The domain of a router is delegated in a parent zone that others write, too (A003-10).

zonefleet-routes asks zonefleet-ownership for the NS and address records. The tests add and remove
routers, and check that the records of others stay. The parent zone is on a BIND of its own; the
fleet has a second BIND.
"""

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import dns.message
import dns.query
import dns.rdatatype

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from story import Caller, start_fleet                                  # noqa: E402
from query import udp  # noqa: E402
from ownership_lab import HEAD, new_key                                 # noqa: E402
from lab.bind import Bind                                               # noqa: E402
from lab.fleet import Worker, merged                                    # noqa: E402
from lab.process import HOST, program                                   # noqa: E402

SECONDS = 30
PARENT = "apps.example.com"
THEIRS = """\
www A 192.0.2.80
old NS ns.old.example.net.
taken NS ns.somebody.example.net.
"""


def setUpModule():
    folder = Path(tempfile.mkdtemp(prefix="zfdeleg"))
    unittest.addModuleCleanup(shutil.rmtree, folder)
    key = new_key("us.")
    fleet = Story.fleet = unittest.enterModuleContext(start_fleet(
        folder / "fleet", central=1, poolmgr=1, minidns=1, name_servers=("bind",)))
    primary = Story.primary = Bind(folder / "primary", keys=[key])
    primary.launch()
    unittest.addModuleCleanup(primary.stop)
    primary.wait_ready()
    primary.add_primary_zone(PARENT, HEAD + THEIRS, "update-policy { grant us. zonesub ANY; }; "
                             f"allow-transfer {{ {HOST}; }};")
    settings = merged(fleet.settings, {
        "fleet": {"period": 1, "timeout": 3, "lock_ttl": 3},
        "ownership": {"processes": 1},
        "registries": {
            "default": {"host": HOST, "port": primary.port, "tsig_key": key.name,
                        "tsig_secret": key.secret, "timeout": 5, "resync_period": 5,
                        "interval": 0, "managed_types": ["NS", "A", "AAAA"]},
            "zones": [{"zone": PARENT, "storage_id": "routers"}]},
        "routes": {"processes": 1, "suffix": PARENT, "parent": PARENT,
                   "parent_storage": "routers", "retry_max": 2}})
    Story.workers = {}
    for name in "ownership", "routes":
        worker = Story.workers[name] = Worker(folder / name, name, settings)
        worker.launch()
        unittest.addModuleCleanup(worker.stop)
        worker.wait_ready()
    Story.caller = Caller(fleet.rabbitmq.url, topic="routes")
    Story.central = Caller(fleet.rabbitmq.url)
    for caller in Story.caller, Story.central:
        unittest.addModuleCleanup(caller.close)


class Story(unittest.TestCase):

    def zone(self):
        """What the parent has but for its SOA and our marks, in dig's words."""
        done = subprocess.run([program("dig"), f"@{HOST}", "-p", str(self.primary.port), "AXFR",
                               PARENT, "+noall", "+answer", "+onesoa"],
                              capture_output=True, text=True, timeout=20, check=True)
        lines = [line.split(None, 4) for line in done.stdout.splitlines()]
        return {(name[:-len(PARENT) - 2], kind, data) for name, _, _, kind, data in lines
                if kind != "SOA" and not data.startswith('"heritage=')}

    def wait_zone(self, *ours, without=()):
        expected = (self.before | set(ours)) - set(without)
        self.fleet.wait_for(lambda: self.zone() == expected, SECONDS,
                            f"the parent is {expected}: {self.zone()}")

    def setUp(self):
        self.before = self.zone()
        self.assertIn(("www", "A", "192.0.2.80"), self.before)
        self.addCleanup(self.clear)

    def clear(self):
        for router in self.caller.list_routers()["routers"]:
            self.caller.delete_router(router=router["name"], force=True)
        self.fleet.wait_for(lambda: not self.caller.list_routers()["routers"], SECONDS,
                            "the routers are gone")

    def router(self, name, **more):
        self.caller.create_router(router={"name": name, "addresses": ["10.245.2.2"]} | more)
        self.fleet.wait_for(lambda: self.status(name) == "ACTIVE", SECONDS,
                            f"the domain of {name} is out: "
                            f"{self.caller.get_router(router=name)['router']}")

    def status(self, name):
        return self.caller.get_router(router=name)["router"]["zone_status"]

    def servers(self):
        """The NS of a domain of ours."""
        sets = self.central.find_recordsets(domain=f"shard1.{PARENT}.", criterion={"type": "NS"})
        return sets["recordsets"][0]["records"]

    def test_from_first_to_last(self):
        self.router("shard1")
        servers = self.servers()
        self.assertTrue(servers)
        ours = [("shard1", "NS", server) for server in servers]
        self.wait_zone(*ours)
        # what a resolver hears from the parent, and then from who it is sent to
        question = dns.message.make_query(f"myapp-test.shard1.{PARENT}", "A")
        answer = udp(question, HOST, port=self.primary.port, timeout=5)
        self.assertEqual({(str(rrset.name), str(record)) for rrset in answer.authority
                          for record in rrset}, {(f"shard1.{PARENT}.", s) for s in servers})
        answer = udp(question, HOST, port=self.fleet.bind.port, timeout=5)
        self.assertEqual([str(record) for rrset in answer.answer for record in rrset],
                         ["10.245.2.2"])
        self.router("shard2")
        self.wait_zone(*ours, *(("shard2", "NS", server) for server in servers))
        self.caller.delete_router(router="shard1")
        self.wait_zone(*(("shard2", "NS", server) for server in servers))
        self.caller.delete_router(router="shard2")
        self.wait_zone()

    def test_a_name_that_is_somebody_else_s(self):
        """Their delegation stays, and so does ours out of it."""
        self.router("taken")
        self.router("shard3")
        self.wait_zone(*(("shard3", "NS", data) for name, kind, data in self.zone()
                         if (name, kind) == ("shard3", "NS")))
        self.assertIn(("taken", "NS", "ns.somebody.example.net."), self.zone())
        self.caller.delete_router(router="taken")
        self.fleet.wait_for(lambda: len(self.caller.list_routers()["routers"]) == 1, SECONDS,
                            "it is gone")
        self.assertIn(("taken", "NS", "ns.somebody.example.net."), self.zone())

    def test_not_below_the_parent(self):
        self.router("shard4", dns="shard4.example.net")
        self.assertEqual(self.zone(), self.before)

    def test_the_registry_is_away(self):
        """The router says so, and is delegated when it is back."""
        ownership = self.workers["ownership"]
        ownership.stop()
        try:
            self.caller.create_router(router={"name": "shard1", "addresses": ["10.245.2.2"]})
            self.fleet.wait_for(lambda: "cannot update the delegation" in self.caller.get_router(
                router="shard1")["router"]["reason"], 2 * SECONDS, "it is said")
            self.fleet.wait_for(lambda: int(self.fleet.mariadb.sql(
                "SELECT failures FROM routers")[0][0]) > 2, 2 * SECONDS, "less and less often")
        finally:
            ownership.launch()
            ownership.wait_ready()
        self.fleet.wait_for(lambda: self.status("shard1") == "ACTIVE", 2 * SECONDS, "it is out")
        self.wait_zone(*(("shard1", "NS", server) for server in self.servers()))


if __name__ == "__main__":
    unittest.main()

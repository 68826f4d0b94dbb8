"""Which pool a new domain gets: the filters of central.scheduler_filters, by tenants and others."""

import shutil
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import oslo_messaging as om                                     # noqa: E402
from story import Caller, LabError, start_fleet                 # noqa: E402

POOLS = {"gold": {"tier": "gold", "ssd": "yes"}, "silver": {"tier": "silver"}, "closed": {}}
SECONDS = 20


class PlacementStory(unittest.TestCase):
    filters = None
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.folder = folder = Path(tempfile.mkdtemp(prefix="zfplacement"))
        cls.addClassCleanup(shutil.rmtree, folder)
        central = {"tenant_pools": ["gold", "silver"], "sweep": "200ms"}
        if cls.filters:
            central["scheduler_filters"] = cls.filters
        cls.fleet = cls.enterClassContext(start_fleet(
            folder / "fleet", central=2, poolmgr=0, minidns=0, name_servers=(),
            settings={"central": central}))
        cls.admin = Caller(cls.fleet.rabbitmq.url)
        cls.tenant = Caller(cls.fleet.rabbitmq.url, tenant="tenant-2", admin=False)
        for caller in cls.admin, cls.tenant:
            cls.addClassCleanup(caller.close)
        for name, attributes in POOLS.items():
            cls.admin.create_pool(pool={"name": name, "attributes": attributes,
                                        "ns_records": ["ns1.example.net."]})
        cls.number = 0

    def create(self, caller=None, **values):
        type(self).number += 1
        return (caller or self.tenant).create_domain(
            domain={"name": f"d{self.number}.example.", "ns": ["ns1.example.net."], **values})

    def fails(self, kind, words, *given, **values):
        with self.assertRaises(om.RemoteError) as raised:
            self.create(*given, **values)
        self.assertEqual(raised.exception.exc_type, kind)
        self.assertIn(words, raised.exception.value)


class Default(PlacementStory):
    """pool_id, default: the attributes of a domain do not matter."""

    def test_the_pool_of_the_call_or_the_default(self):
        self.assertEqual(self.create()["pool"], "default")
        self.assertEqual(self.create(pool="gold")["pool"], "gold")
        self.assertEqual(self.create(attributes={"tier": "gold"})["pool"], "default")
        self.assertEqual(self.create(self.admin, pool="closed")["pool"], "closed")
        self.fails("Forbidden", "central.tenant_pools", pool="closed")
        self.fails("Invalid", "there is no pool 'nowhere'", self.admin, pool="nowhere")

    def test_attributes_of_a_domain(self):
        domain = self.create(attributes={"tier": "gold", "owner": "dns team"})
        self.assertEqual(domain["attributes"], {"owner": "dns team", "tier": "gold"})
        def shown():
            return self.tenant.get_domain(domain=domain["id"])
        changed = self.tenant.update_domain(domain=domain["id"],
                                            values={"attributes": {"tier": "true"}})
        self.assertEqual(changed["attributes"], {"tier": "true"})
        self.assertEqual(shown()["attributes"], {"tier": "true"})
        self.assertEqual((changed["serial"], changed["version"]),
                         (domain["serial"], domain["version"] + 1))
        # together with what changes the zone, and untouched by what does not name them
        changed = self.tenant.update_domain(domain=domain["id"], values={
            "attributes": {"a": "b"}, "ttl": 77})
        self.assertGreater(changed["serial"], domain["serial"])
        self.tenant.update_domain(domain=domain["id"], values={"description": "x"})
        self.assertEqual((shown()["attributes"], shown()["ttl"]), ({"a": "b"}, 77))
        self.tenant.update_domain(domain=domain["id"], values={"attributes": {}})
        self.assertEqual(shown()["attributes"], {})
        for wrong in {"": "x"}, {"a": ""}, {"a b": "x"}, {"a": 1}, [], {"a": "x\n"}, {
                f"k{number}": "x" for number in range(17)}:
            with self.subTest(wrong=wrong):
                self.fails("Invalid", "domain.attributes: ", attributes=wrong)

    def test_values_of_a_pool(self):
        def shown():
            return self.admin.get_pool(pool="silver")
        self.assertEqual((shown()["attributes"], shown()["capacity"]), ({"tier": "silver"}, -1))
        self.admin.update_pool(pool="silver", values={"capacity": 7})
        self.assertEqual((shown()["attributes"], shown()["capacity"]), ({"tier": "silver"}, 7))
        self.admin.update_pool(pool="silver", values={"capacity": -1,
                                                      "attributes": {"x": "y"}})
        self.assertEqual((shown()["attributes"], shown()["capacity"]), ({"x": "y"}, -1))

    def test_commands(self):
        cli = self.fleet.cli
        cli("--admin", "pool", "create", "made", "--ns", "ns1.example.net", "--attributes",
            "tier=bronze,ssd=no", "--capacity", "3")
        shown = cli("--admin", "pool", "show", "made", as_json=False)
        self.assertRegex(shown, r"(?m)^attributes +ssd=no, tier=bronze$")
        self.assertRegex(shown, r"(?m)^capacity +3$")
        shown = cli("--admin", "pool", "list", as_json=False)
        self.assertRegex(shown, r"(?m)^made +ns1\.example\.net\. +3 +ssd=no, tier=bronze *$")
        self.assertRegex(shown, r"(?m)^default .* unlimited ")
        cli("--admin", "pool", "set", "made", "--attributes", "", "--capacity", "")
        self.assertNotIn("capacity", cli("--admin", "pool", "show", "made", as_json=False))
        with self.assertRaisesRegex(LabError, "--attributes: must contain the key 'a' only once"):
            cli("--admin", "pool", "set", "made", "--attributes", "a=1,b=2,a=3")
        pool = cli("--admin", "pool", "show", "made")
        self.assertEqual((pool["attributes"], pool["capacity"]), ({}, -1))
        cli("--admin", "domain", "create", "cli.example", "--attributes", "a=b,c=d", "--pool",
            "made")
        self.assertRegex(cli("--admin", "domain", "show", "cli.example", as_json=False),
                         r"(?m)^attributes +a=b, c=d$")
        cli("--admin", "domain", "set", "cli.example", "--attributes", "")
        self.assertEqual(cli("--admin", "domain", "show", "cli.example")["attributes"], {})


class Descriptions(PlacementStory):
    """Of record sets: no change of the zone, and gone with the last record."""

    def setUp(self):
        self.domain = self.create()
        self.owner = f"www.{self.domain['name']}"

    def found(self):
        return self.tenant.find_recordsets(domain=self.domain["id"],
                                           criterion={"name": self.owner})["recordsets"]

    def test_calls(self):
        made = self.tenant.create_recordset(domain=self.domain["id"], recordset={
            "name": self.owner, "type": "A", "records": ["192.0.2.1"], "description": "web"})
        self.assertEqual(made["description"], "web")
        before = self.tenant.get_domain(domain=self.domain["id"])
        changed = self.tenant.update_recordset(domain=self.domain["id"], recordset=made["id"],
                                               values={"description": "büro"})
        self.assertEqual(changed["description"], "büro")
        after = self.tenant.get_domain(domain=self.domain["id"])
        self.assertEqual((after["serial"], after["version"]),
                         (before["serial"], before["version"] + 1))
        self.assertEqual([row["description"] for row in self.found()], ["büro"])
        # a change that does not name it keeps it
        self.tenant.update_recordset(domain=self.domain["id"], recordset=made["id"],
                                     values={"records": ["192.0.2.2"]})
        self.assertEqual([row["description"] for row in self.found()], ["büro"])
        self.tenant.delete_recordset(domain=self.domain["id"], recordset=made["id"])
        self.tenant.create_recordset(domain=self.domain["id"], recordset={
            "name": self.owner, "type": "A", "records": ["192.0.2.3"]})
        self.assertEqual({row["description"] for row in self.found()}, {""})

    def test_changes(self):
        def apply(**change):
            return self.tenant.apply_changes(domain=self.domain["id"], changes=[
                {"name": self.owner, "type": "A", **change}])
        apply(op="set", records=["192.0.2.1"], description="one")
        apply(op="add", records=["192.0.2.2"])
        self.assertEqual([row["description"] for row in self.found()], ["one"])
        done = apply(op="add", records=["192.0.2.2"], description="two")
        self.assertFalse(done["changed"])
        self.assertEqual([row["description"] for row in self.found()], ["two"])
        for op in "delete", "expect":
            with self.assertRaises(om.RemoteError) as raised:
                apply(op=op, records=["192.0.2.2"], description="x")
            self.assertIn("changes[0].description: must be absent if op is delete or expect",
                          raised.exception.value)

    def test_imports(self):
        """An import that replaces the records keeps it; one that adds the set anew has none."""
        def load(*records):
            started = self.tenant.begin_import(domain={"name": self.domain["name"]})
            rows = [[self.domain["name"], 300, "NS", "ns1.example.net."], *records]
            self.tenant.add_to_import(**{"import": started["id"], "part": 0, "records": rows})
            self.tenant.commit_import(**{"import": started["id"]})
            def state():
                return self.tenant.get_import(**{"import": started["id"]})["state"]
            self.fleet.wait_for(lambda: state() == "DONE", SECONDS, "the import is done")
        self.tenant.create_recordset(domain=self.domain["id"], recordset={
            "name": self.owner, "type": "A", "records": ["192.0.2.1"], "description": "web"})
        load([self.owner, 300, "A", "192.0.2.2"])
        self.assertEqual([row["description"] for row in self.found()], ["web"])
        load()
        load([self.owner, 300, "A", "192.0.2.2"])
        self.assertEqual([row["description"] for row in self.found()
                          if row["task"] != "DELETE"], [""])

    def test_commands(self):
        cli = self.fleet.cli
        cli("--tenant", "tenant-2", "record", "set", self.domain["name"], "www", "A", "192.0.2.7",
            "--description", "by hand")
        self.assertEqual([row["description"] for row in self.found()], ["by hand"])


class Attributes(PlacementStory):
    filters = ["attribute", "pool_id", "capacity", "default"]

    def test_the_attributes_select_the_pool(self):
        self.assertEqual(self.create(attributes={"tier": "gold"})["pool"], "gold")
        self.assertEqual(self.create(attributes={"tier": "gold", "ssd": "true"})["pool"], "gold")
        self.assertEqual(self.create(attributes={"tier": "silver"})["pool"], "silver")
        self.assertEqual(self.create()["pool"], "default")
        self.assertEqual(self.create(attributes={"tier": "gold"}, pool="gold")["pool"], "gold")
        self.fails("NoValidPoolFound", "the filter 'attribute' of central.scheduler_filters has "
                   "removed the last pool", attributes={"tier": "bronze"})
        self.fails("NoValidPoolFound", "the filter 'pool_id'", attributes={"tier": "gold"},
                   pool="silver")

    def test_an_import_selects_the_pool(self):
        started = self.tenant.begin_import(domain={"name": "imported.example.",
                                                   "attributes": {"tier": "silver"}})
        self.tenant.add_to_import(**{"import": started["id"], "part": 0, "records": [
            ["imported.example.", 300, "NS", "ns1.example.net."]]})
        self.tenant.commit_import(**{"import": started["id"]})
        def state():
            return self.tenant.get_import(**{"import": started["id"]})["state"]
        self.fleet.wait_for(lambda: state() == "DONE", SECONDS, "the import is done")
        domain = self.tenant.get_domain(domain="imported.example.")
        self.assertEqual((domain["pool"], domain["attributes"]), ("silver", {"tier": "silver"}))
        zone = self.folder / "command.zone"
        zone.write_text("$TTL 60\n@ NS ns1.example.net.\n")
        self.fleet.cli("--admin", "domain", "import", "command.example", str(zone),
                       "--attributes", "tier=gold")
        domain = self.admin.get_domain(domain="command.example.")
        self.assertEqual((domain["pool"], domain["attributes"]), ("gold", {"tier": "gold"}))

    def test_a_pool_that_is_full(self):
        self.admin.create_pool(pool={"name": "small", "ns_records": ["ns1.example.net."],
                                     "attributes": {"size": "small"}, "capacity": 2})
        def counted():
            return self.fleet.mariadb.sql("SELECT domains FROM pools WHERE name = 'small'")
        made = [self.create(self.admin, attributes={"size": "small"}) for _ in range(2)]
        self.assertEqual([domain["pool"] for domain in made], ["small"] * 2)
        self.fleet.wait_for(lambda: counted() == [["2"]], SECONDS, "central counts the domains")
        self.fails("NoValidPoolFound", "the filter 'capacity' of central.scheduler_filters has "
                   "removed the last pool: an administrator can increase", self.admin,
                   attributes={"size": "small"})
        self.admin.update_pool(pool="small", values={"capacity": 3})
        made.append(self.create(self.admin, attributes={"size": "small"}))
        self.fleet.wait_for(lambda: counted() == [["3"]], SECONDS, "central counts the third")
        self.admin.delete_domain(domain=made[0]["id"])
        self.admin.abandon_domain(domain=made[0]["id"])
        self.fleet.wait_for(lambda: counted() == [["2"]], SECONDS, "a deleted one does not count")


class Ties(PlacementStory):
    filters = ["attribute"]

    def test_several_pools(self):
        self.fails("MultiplePoolsFound", "leave 3 pools")
        self.fails("Invalid", "has no filter 'pool_id'", pool="gold")
        self.assertEqual(self.create(attributes={"ssd": "1"})["pool"], "gold")


class Full(PlacementStory):
    filters = ["pool_id", "capacity", "fallback"]

    def test_a_pool_that_is_named(self):
        """The default pool is no substitute for it."""
        self.admin.create_pool(pool={"name": "none", "ns_records": ["ns1.example.net."],
                                     "capacity": 0})
        self.fails("NoValidPoolFound", "the filter 'capacity'", self.admin, pool="none")


class Random(PlacementStory):
    filters = ["attribute", "random", "fallback"]

    def test_each_pool_gets_some(self):
        self.assertEqual({self.create()["pool"] for _ in range(40)},
                         {"default", "gold", "silver"})
        self.assertEqual(self.create(attributes={"tier": "bronze"})["pool"], "default")


if __name__ == "__main__":
    unittest.main(verbosity=2)

"""A fleet whose database is of the version before subnets and routes: what it has of ports is
kept, and goes on as if nothing had been."""

import shutil
import sys
import tempfile
import unittest
import uuid
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from story import NS, ROOT, Caller, start_fleet                 # noqa: E402

BEFORE = 11                     # the first version that has ports
OLD = "upgraded"                # the name of the database
DOMAIN, REVERSE = "old.example.", "1.50.10.in-addr.arpa."
SECONDS = 30
TABLES = ("networks", "ports", "port_addresses", "port_zones", "port_records")


class Upgrade(unittest.TestCase):

    maxDiff = None

    def setUp(self):
        folder = Path(tempfile.mkdtemp(prefix="zfupgrade"))
        self.addCleanup(shutil.rmtree, folder)
        self.fleet = self.enterContext(start_fleet(folder / "fleet", central=1, poolmgr=1,
                                                   minidns=1, ports=1, name_servers=("bind",)))
        self.central = Caller(self.fleet.rabbitmq.url)
        self.caller = Caller(self.fleet.rabbitmq.url, topic="ports")
        for caller in self.central, self.caller:
            self.addCleanup(caller.close)

    def create(self, number, name=None):
        return self.caller.create_port(port={
            "network_id": self.network, "dns_name": name,
            "fixed_ips": [{"ip_address": f"10.50.1.{number}"}]})["port"]["id"]

    def shown(self):
        """All of the ports, but how far they are."""
        return [{key: port[key] for key in port if key not in ("status", "reason")}
                for port in self.caller.list_ports(network=self.network)["ports"]]

    def wait_published(self):
        owed = ("SELECT 1 FROM port_records WHERE state <> 'HAVE' UNION "
                "SELECT 1 FROM port_zones WHERE due_at IS NOT NULL")
        self.fleet.wait_for(lambda: not self.fleet.mariadb.sql(owed), SECONDS, "all is published")

    def assert_served(self, zone, *records):
        wanted = sorted([(zone, "NS", NS), *records])
        self.fleet.wait_for(lambda: self.served(zone) == wanted, SECONDS,
                            f"{zone} has {wanted}")

    def served(self, zone):
        rows = [line.split(None, 4) for line in self.fleet.bind.axfr(zone)]
        return sorted((row[0], row[3], row[4]) for row in rows if row[3] != "SOA")

    # the database of before

    def columns(self, database, table):
        """But those that are computed."""
        return [row[0] for row in self.fleet.mariadb.sql(
            f"SELECT column_name FROM information_schema.columns WHERE table_name = '{table}' "
            f"AND table_schema = '{database}' AND generation_expression IS NULL", True)]

    def make_old(self):
        """Of the files of before, with what the fleet has now."""
        server = self.fleet.mariadb
        server.sql(f"CREATE DATABASE {OLD}; GRANT ALL ON {OLD}.* TO "
                   f"{server.user}@'{server.host}'", True)
        now = server.database
        server.sql(f"CREATE TABLE {OLD}.schema_migrations LIKE {now}.schema_migrations; "
                   f"INSERT INTO {OLD}.schema_migrations "
                   f"SELECT * FROM {now}.schema_migrations WHERE version <= {BEFORE}")
        for path in sorted((ROOT / "schema").glob("*.sql"))[:BEFORE]:
            server.sql(f"USE {OLD}; {path.read_text()}")
        for table, in server.sql(f"SHOW TABLES IN {OLD}"):
            if table != "schema_migrations":
                names = ", ".join(f"`{name}`" for name in self.columns(OLD, table))
                server.sql(f"SET foreign_key_checks = 0; DELETE FROM {OLD}.{table}; INSERT INTO "
                           f"{OLD}.{table} ({names}) SELECT {names} FROM {now}.{table}")
        server.database = OLD

    def rows(self, columns):
        return {table: sorted(self.fleet.mariadb.sql(
            f"SELECT {', '.join(columns[table])} FROM {table}")) for table in TABLES}

    def test_ports(self):
        self.network = uuid.uuid4().hex
        self.central.create_domain(domain={"name": DOMAIN})
        self.caller.set_network(network={"id": self.network, "dns_domain": DOMAIN})
        vm, other, gone = self.create(1, "vm"), self.create(2), self.create(3, "gone")
        self.wait_published()
        self.fleet.members["central1"].stop()       # what is open is in the old database, too
        self.caller.delete_port(port=gone)
        late = self.create(4, "late")
        before = self.shown()
        for worker in self.fleet.workers:
            worker.stop()
        self.make_old()
        columns = {table: self.columns(OLD, table) for table in TABLES}
        rows = self.rows(columns)
        self.assertEqual([len(rows[table]) for table in TABLES[:3]], [1, 4, 4])
        self.upgrade()
        self.assertEqual(self.rows(columns), rows)
        self.assertEqual(self.fleet.mariadb.sql("SELECT tenant, domains FROM tenant_usage "
                                                "ORDER BY tenant"), self.domains())
        for worker in self.fleet.workers:
            worker.launch()
            worker.wait_ready()
        self.assertEqual(self.shown(), before)
        self.goes_on(vm, other, late)

    def upgrade(self):
        """The new program waits for it."""
        for worker in self.fleet.workers:
            worker.configure({"database": {"name": OLD}})
        self.fleet.settings["database"]["name"] = OLD
        self.fleet._write_config()
        ports = self.fleet.members["ports1"]
        ports.launch()
        self.fleet.wait_for(lambda: f"the schema of the database has version {BEFORE}" in ports.log.read_text(),
                            SECONDS, "it says that the database is older")
        self.assertFalse(ports.is_ready())
        ports.stop()
        self.fleet.cli("db", "migrate", as_json=False)

    def domains(self):
        """The number of domains of each tenant; the reverse domain has none."""
        found = self.fleet.mariadb.sql("SELECT tenant, COUNT(*) FROM domains WHERE live = 1 "
                                       "GROUP BY tenant ORDER BY tenant")
        self.assertEqual([number for _, number in found], ["1", "1"])
        return found

    def goes_on(self, vm, other, late):
        """What was open is done; a port is renamed, gets another address, and all are deleted."""
        host = [None, *((f"host-10-50-1-{number}.{DOMAIN}", "A", f"10.50.1.{number}")
                        for number in range(1, 6))]
        self.wait_published()
        self.assert_served(DOMAIN, host[1], host[2], host[4], (f"vm.{DOMAIN}", "A", "10.50.1.1"),
                           (f"late.{DOMAIN}", "A", "10.50.1.4"))
        self.assert_served(REVERSE, (f"1.{REVERSE}", "PTR", f"vm.{DOMAIN}"),
                           (f"2.{REVERSE}", "PTR", host[2][0]),
                           (f"4.{REVERSE}", "PTR", f"late.{DOMAIN}"))
        self.caller.update_port(port=vm, values={"dns_name": "new"})
        self.caller.update_port(port=other, values={"fixed_ips": [{"ip_address": "10.50.1.5"}]})
        self.caller.delete_port(port=late)
        self.wait_published()
        self.assert_served(DOMAIN, host[1], host[5], (f"new.{DOMAIN}", "A", "10.50.1.1"))
        self.assert_served(REVERSE, (f"1.{REVERSE}", "PTR", f"new.{DOMAIN}"),
                           (f"5.{REVERSE}", "PTR", host[5][0]))
        for port in vm, other:
            self.caller.delete_port(port=port)
        self.wait_published()
        self.assert_served(DOMAIN)
        self.assert_served(REVERSE)
        self.assertEqual(self.shown(), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)

"""--check --connect: what a program needs is tried, and a table says what does not work."""

import base64
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from story import merged, start_fleet                                   # noqa: E402
from lab.fleet import BACKENDS, Worker, render                          # noqa: E402

GOOD, FAILED, USAGE = 0, 1, 64
SECRET = "not-the-password"


def setUpModule():
    folder = Path(tempfile.mkdtemp(prefix="zfconnect"))
    unittest.addModuleCleanup(shutil.rmtree, folder)
    Connect.fleet = unittest.enterModuleContext(start_fleet(
        folder / "fleet", central=1, poolmgr=1, minidns=1,
        name_servers=("bind", "knot", "nsd", "powerdns")))


class Connect(unittest.TestCase):

    def run_check(self, worker, changes=None, words=("--check", "--connect"), want=GOOD):
        """The rows of the table: {(what, address): result}."""
        settings = merged(worker.settings, changes or {})
        config = Path(self.enterContext(tempfile.TemporaryDirectory())) / "zonefleet.cfg"
        config.touch(0o600)
        config.write_text(render(settings))
        done = subprocess.run([worker.command()[0], *words, "--config", config], text=True,
                              capture_output=True, stdin=subprocess.DEVNULL, timeout=120)
        self.assertEqual(done.returncode, want, done.stdout + done.stderr)
        self.assertNotIn(SECRET, done.stdout + done.stderr)
        rows = [re.split(r" {2,}", line, maxsplit=2) for line in done.stdout.splitlines()]
        self.said = done.stdout + done.stderr
        return {(row[0], row[1]): row[2] for row in rows if len(row) == 3}

    @property
    def manager(self):
        return self.fleet.members["poolmgr1"]

    def servers(self):
        """The rows of the name servers."""
        return {("control channel", f"{server.name} ({BACKENDS[server.name][0]})"): server.name
                for server in self.fleet.name_servers} | {
                ("DNS", f"{server.name} ({server.host} port {server.port})"): server.name
                for server in self.fleet.name_servers}

    def test_all_is_well(self):
        broker = self.fleet.rabbitmq
        for worker in self.fleet.workers:
            with self.subTest(worker.name):
                rows = self.run_check(worker)
                self.assertRegex(self.said, r"\A\S+: \S+: good\nWHAT +ADDRESS +RESULT\n")
                self.assertEqual(rows["broker", f"{broker.host}:{broker.port}/{broker.vhost}"],
                                 "OK")
                found, = [rows[row] for row in rows if row[0] == "database"]
                self.assertRegex(found, r"\AOK: the schema has version \d+\Z")
        rows = self.run_check(self.manager)
        for row in self.servers():
            self.assertRegex(rows[row], r"\AOK(: answers with [A-Z]+)?\Z")

    def test_an_account_of_another_program(self):
        """It has rights on the tables of mini-DNS only."""
        def run(sql):
            self.fleet.mariadb.sql(sql, administrator=True)
        account = f"'reader'@'{self.fleet.mariadb.host}'"
        run(f"CREATE USER {account} IDENTIFIED BY '{SECRET}'")
        self.addCleanup(run, f"DROP USER {account}")
        for table in ("distributed_locks", "domains", "journal", "object_versions",
                      "pool_servers", "pools", "records", "recordsets", "schema_migrations",
                      "tsigkeys", "worker_nodes"):
            run(f"GRANT SELECT ON {self.fleet.mariadb.database}.{table} TO {account}")
        changes = {"database": {"user": "reader", "password": SECRET}}
        self.run_check(self.fleet.members["minidns1"], changes)
        rows = self.run_check(self.fleet.members["central1"], changes, want=FAILED)
        found, = [rows[row] for row in rows if row[0] == "database"]
        self.assertRegex(found, r"\AFAILED: the account 'reader' cannot read the table blacklists: "
                                r"use the account of this program .*SELECT command denied")

    def test_a_server_that_is_away(self):
        for server in self.fleet.name_servers:
            with self.subTest(server.name), self.fleet.away(server):
                rows = self.run_check(self.manager, want=FAILED)
                for row, name in self.servers().items():
                    self.assertRegex(rows[row], r"\AFAILED: ." if name == server.name else r"\AOK",
                                     row)

    def assert_no_control(self, server, settings, reason):
        """With these SETTINGS of its backend, the control channel of SERVER alone fails."""
        rows = self.run_check(self.manager, {"backends": {BACKENDS[server.name][0]: settings}},
                              want=FAILED)
        for row, name in self.servers().items():
            self.assertRegex(rows[row], rf"\AFAILED: .*{reason}"
                             if row[0] == "control channel" and name == server.name else r"\AOK",
                             row)

    def test_a_wrong_key_of_an_api(self):
        self.assert_no_control(self.fleet.powerdns, {"default": {"api_key": SECRET}},
                               "does not accept api_key")

    def test_a_wrong_key_of_rndc(self):
        bind = self.fleet.bind
        key = Path(self.enterContext(tempfile.TemporaryDirectory())) / "rndc.key"
        key.touch(0o600)
        wrong = base64.b64encode(SECRET.encode()).decode()
        key.write_text(re.sub(r'secret "[^"]*"', f'secret "{wrong}"', bind.key_file.read_text()))
        self.assert_no_control(bind, {"default": {"rndc_key_file": str(key)}}, "rndc")

    def test_a_socket_that_is_missing(self):
        knot = self.fleet.knot
        servers = self.manager.settings["backends"]["knot"]["servers"]
        self.assert_no_control(knot, {"servers": [one | {"socket": "/nowhere.sock"}
                                                  for one in servers]},
                               r"\(/nowhere\.sock\): not exists")

    def test_wrong_accounts(self):
        broker = self.fleet.rabbitmq
        url = f"rabbit://{broker.user}:{SECRET}@{broker.host}:{broker.port}/{broker.vhost}"
        rows = self.run_check(self.fleet.members["central1"], {
            "broker": {"url": url}, "database": {"password": SECRET}}, want=FAILED)
        results = {what: result for (what, _), result in rows.items()}
        self.assertRegex(results["broker"], r"\AFAILED: login: 403 ACCESS_REFUSED")
        self.assertRegex(results["database"], r"\AFAILED: .*Access denied")

    def test_a_key_that_is_missing(self):
        rows = self.run_check(self.manager, {"backends": {"bind9": {"default": {
            "rndc_key_file": "/nowhere.key"}}}}, want=78)
        self.assertEqual(rows, {})
        self.assertRegex(self.said, r"backends\.bind9\.rndc_key_file of server 'bind': must be a "
                                    r"file that .*, not '/nowhere\.key': No such file")

    def test_the_key_of_a_server(self):
        self.fleet.cli("tsigkey", "create", "transfer-key.", "--admin")
        for key, want, result in (("Transfer-Key", GOOD, r"OK"),
                                  ("absent.", FAILED, r"FAILED: the database has no TSIG key "
                                   r"'absent\.': correct tsig_key, or run .*create absent\. ")):
            rows = self.run_check(self.manager, {"backends": {"nsd": {"default": {
                "tsig_key": key}}}}, want=want)
            found = {row[1]: rows[row] for row in rows if row[0] == "TSIG key"}
            self.assertEqual(list(found), [f"nsd ({key})"])
            self.assertRegex(found[f"nsd ({key})"], rf"\A{result}")

    def test_the_pool(self):
        """A pool manager of a pool that does not exist starts: the pool can be created later."""
        rows = self.run_check(self.manager)
        self.assertEqual(rows["pool", "default"], "OK")
        rows = self.run_check(self.manager, {"poolmgr": {"pool_name": "edge"}}, want=FAILED)
        self.assertRegex(rows["pool", "edge"], r"\AFAILED: the database has no pool 'edge': correct "
                         r"poolmgr\.pool_name, or run 'zonefleet pool create edge ")
        folder = self.enterContext(tempfile.TemporaryDirectory())
        with Worker(folder, "poolmgr", merged(self.manager.settings, {
                "poolmgr": {"pool_name": "edge"}})) as edge:
            edge.launch()
            edge.wait_ready()
            self.assertIn("the database has no pool of this name: pool=edge ", edge.log.read_text())
        self.fleet.cli("pool", "create", "edge", "--ns", "ns.example.net", "--admin")
        rows = self.run_check(self.manager, {"poolmgr": {"pool_name": "edge"}})
        self.assertEqual(rows["pool", "edge"], "OK")

    def test_a_control_channel_that_is_not_tried(self):
        """The driver has no has(). A reader of the catalog zone has no control channel."""
        bind, *_ = self.fleet.name_servers
        rows = self.run_check(self.manager, {"backends": {
            backend: {"servers": [{"id": backend, "host": bind.host, "port": bind.port}]}
            for backend in ("fake", "catalog")}})
        self.assertEqual(rows["control channel", "fake (fake)"],
                         "not tried: the backend cannot ask the server whether a zone exists")
        self.assertNotIn(("control channel", "catalog (catalog)"), rows)
        self.assertIn(("DNS", f"catalog ({bind.host} port {bind.port})"), rows)

    def test_it_belongs_to_check(self):
        self.run_check(self.manager, words=("--connect",), want=USAGE)
        self.assertIn("--connect needs --check", self.said)


if __name__ == "__main__":
    unittest.main(verbosity=2)

"""Quotas of tenants: calls at the same time, and the numbers of domains in the database.

Four processes of central. Nobody plays the pool manager but this file: it reports that no server
has a deleted domain any more.
"""

import contextlib
import logging
import re
import shutil
import sys
import tempfile
import threading
import unittest
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import oslo_messaging as om                                             # noqa: E402
from story import Caller, import_zone, replace_zone, start_fleet, wait_for    # noqa: E402
from holding import holding                                             # noqa: E402

CALLERS, ROUNDS = 32, 3
SECONDS = 60
DAY = 86400
REFERENCE = ("id", "name", "pool", "tenant", "task", "status", "serial")
COUNTED = "SELECT tenant, domains FROM tenant_usage WHERE domains <> 0"
LIVE = "SELECT tenant, COUNT(*) FROM domains WHERE live = 1 GROUP BY tenant"


def setUpModule():
    global fleet, callers, admin
    logging.disable(logging.CRITICAL)
    folder = Path(tempfile.mkdtemp(prefix="zfquotas"))
    unittest.addModuleCleanup(shutil.rmtree, folder)
    # the numbers must be right without the sweep
    fleet = start_fleet(folder, central=2, poolmgr=0, minidns=0, name_servers=(),
                        settings={"fleet": {"trust_broker": True},
                                  "central": {"processes": 2, "sweep": DAY}})
    unittest.addModuleCleanup(fleet.stop)
    callers = [Caller(fleet.rabbitmq.url, admin=False, timeout=SECONDS) for _ in range(CALLERS)]
    admin = Caller(fleet.rabbitmq.url, tenant="operator", timeout=SECONDS)
    for caller in [*callers, admin]:
        unittest.addModuleCleanup(caller.close)


def unique(word):
    return f"{word}{uuid.uuid4().hex[:8]}"


def outcome(call, *args, **more):
    """"done", or the class of the error."""
    try:
        call(*args, **more)
    except om.RemoteError as error:
        return error.exc_type
    return "done"


def add(name, data="192.0.2.1"):
    return {"op": "add", "name": name, "type": "A", "records": [data]}


def report_gone(*domains):
    """No server has these domains any more, by one message."""
    answers = admin.update_statuses(reports=[
        {"domain": {key: domain[key] for key in REFERENCE}, "status": "NO_DOMAIN",
         "serial_number": 0} for domain in domains])
    assert len(answers) == len(domains), answers


class Story(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.tenant = unique("t")

    def create(self, name=None, tenant=None, caller=None):
        caller = caller or callers[0]
        caller.context = caller.context | {"project_id": tenant or self.tenant}
        return caller.create_domain(domain={"name": name or f"{unique('d')}.example."})

    def delete(self, *domains):
        report_gone(*(admin.delete_domain(domain=domain["id"]) for domain in domains))

    def limit(self, resource, number):
        admin.set_quota(tenant=self.tenant, resource=resource, hard_limit=number)

    def assert_counted(self):
        self.assertEqual(sorted(fleet.mariadb.sql(COUNTED)), sorted(fleet.mariadb.sql(LIVE)))

    def used(self, tenant=None):
        return admin.get_quotas(tenant=tenant or self.tenant)["usage"]["domains"]


class Races(Story):
    """One unit is left, and all callers want it at the same time."""

    def race(self, call):
        """The only caller whose CALL(caller, its number) was done."""
        start = threading.Barrier(CALLERS)

        def run(number):
            caller = callers[number]
            caller.context = caller.context | {"project_id": self.tenant}
            start.wait()
            return outcome(call, caller, number)
        with ThreadPoolExecutor(CALLERS) as pool:
            outcomes = list(pool.map(run, range(CALLERS)))
        self.assertEqual(sorted(outcomes), ["OverQuota"] * (CALLERS - 1) + ["done"])
        return outcomes.index("done")

    def test_domains(self):
        self.limit("domains", 3)
        for _ in range(2):
            self.create()
        for turn in range(ROUNDS):
            names = [f"r{turn}-{number}.{self.tenant}.example." for number in range(CALLERS)]
            won = self.race(lambda caller, number: caller.create_domain(
                domain={"name": names[number]}))
            self.assertEqual(self.used(), 3)
            self.delete(admin.get_domain(domain=names[won]))
            self.assertEqual(self.used(), 2)
        self.assert_counted()

    def change_one(self, resource, limit, change):
        """CHANGE(the name of the domain, a number): a change of apply_changes."""
        name = self.create()["name"]
        admin.apply_changes(domain=name, changes=[add(f"w.{name}")])
        self.limit(resource, limit)
        for _ in range(ROUNDS):
            won = self.race(lambda caller, number: caller.apply_changes(
                domain=name, changes=[change(name, number)]))
            admin.apply_changes(domain=name, changes=[change(name, won) | {"op": "delete"}])
        counted = ("SELECT recordset_count, record_count, (SELECT COUNT(*) FROM records r WHERE "
                   f"r.domain_id = d.id AND r.live = 1) FROM domains d WHERE name = '{name}'")
        self.assertEqual(fleet.mariadb.sql(counted), [["2", "2", "2"]])

    def test_record_sets_of_a_domain(self):
        self.change_one("domain_recordsets", 3, lambda name, number: add(f"h{number}.{name}"))

    def test_records_of_a_domain(self):
        self.change_one("domain_records", 3, lambda name, number: add(f"h{number}.{name}"))

    def test_records_of_a_record_set(self):
        self.change_one("recordset_records", 2,
                        lambda name, number: add(f"w.{name}", f"192.0.2.{10 + number}"))


class Numbers(Story):
    """What is counted is what is there."""

    def test_failures(self):
        """No call that fails changes a number."""
        domain, other = self.create(), unique("other")
        name, taken = domain["name"], domain["id"]
        self.create(tenant=other)
        caller = callers[1]
        caller.context = caller.context | {"project_id": other}
        for wanted, kind in ({"name": name}, "Duplicate"), ({"name": f"x.{name}"}, "Forbidden"), (
                {"name": f"{unique('d')}.example.", "id": taken}, "Duplicate"), (
                {"name": f"{unique('d')}.example.", "pool": "no"}, "Forbidden"):
            self.assertEqual(outcome(caller.create_domain, domain=wanted), kind, wanted)
        self.assertEqual((self.used(), self.used(other)), (1, 1))
        again = admin.create_domain(domain={"name": name, "id": taken})     # a repeated call
        self.assertEqual((again["id"], self.used("operator")), (taken, 0))
        self.assert_counted()

    def test_names_that_all_want(self):
        """In groups, too: 32 callers create 8 names, each in its own order."""
        names = [f"n{number}.{self.tenant}.example." for number in range(8)]

        def run(number):
            return [outcome(self.create, names[(number + i) % 8], caller=callers[number])
                    for i in range(8)]
        with ThreadPoolExecutor(CALLERS) as pool:
            outcomes = sum(pool.map(run, range(CALLERS)), [])
        self.assertEqual((outcomes.count("done"), set(outcomes)), (8, {"done", "Duplicate"}))
        self.assertEqual(self.used(), 8)
        self.assert_counted()

    def test_groups(self):
        """Calls that have waited share a transaction, also calls of several tenants."""
        tenants, number = [f"{self.tenant}-{i}" for i in range(4)], 96
        workers = [fleet.members[name] for name in ("central1", "central2")]
        for worker in workers:
            worker.pause()
        for i in range(number):
            admin.cast("create_domain", domain={"name": f"g{i}.{self.tenant}.example.",
                                                "tenant": tenants[i % 4]})
        for worker in workers:
            worker.resume()
        made = f"SELECT COUNT(*) FROM domains WHERE name LIKE '%.{self.tenant}.example.'"
        fleet.wait_for(lambda: int(fleet.mariadb.sql(made)[0][0]) == number, SECONDS,
                       "all domains are created")
        self.assertEqual([self.used(tenant) for tenant in tenants], [number // 4] * 4)
        self.assert_counted()

    def test_a_group_above_the_quota(self):
        """It is divided: as many calls are done as the quota allows."""
        self.limit("domains", 5)
        with ThreadPoolExecutor(CALLERS) as pool:
            outcomes = list(pool.map(lambda caller: outcome(self.create, caller=caller), callers))
        self.assertEqual(sorted(outcomes), ["OverQuota"] * (CALLERS - 5) + ["done"] * 5)
        self.assertEqual(self.used(), 5)
        self.assert_counted()

    def test_deletions_of_many_tenants(self):
        """One message reports them, while the same tenants create domains."""
        tenants = [f"{self.tenant}-{number}" for number in range(8)]
        old = [self.create(tenant=tenant) for tenant in tenants for _ in range(4)]
        gone = [admin.delete_domain(domain=domain["id"]) for domain in old]
        with ThreadPoolExecutor(CALLERS) as pool:
            made = [pool.submit(self.create, tenant=tenants[number % 8], caller=callers[number])
                    for number in range(CALLERS)]
            told = [pool.submit(report_gone, *gone[at::2]) for at in (0, 1)]
            for future in made + told:
                future.result()
        wait_for(lambda: not self.report_rest(gone), SECONDS, "all domains are deleted")
        self.assertEqual([self.used(tenant) for tenant in tenants], [4] * 8)
        self.assert_counted()

    @staticmethod
    def report_rest(domains):
        """Reports again what a locked row kept from the first message."""
        ids = ", ".join(f"'{domain['id']}'" for domain in domains)
        rest = {key for key, in fleet.mariadb.sql(
            f"SELECT id FROM domains WHERE live = 1 AND id IN ({ids})")}
        if rest:
            report_gone(*(domain for domain in domains if domain["id"] in rest))
        return rest

    def test_abandon(self):
        domain = self.create()
        self.assertEqual(outcome(admin.abandon_domain, domain=domain["id"]), "Conflict")
        admin.delete_domain(domain=domain["id"])
        self.assertEqual(self.used(), 1)            # until the deletion is complete
        admin.abandon_domain(domain=domain["id"])
        self.assertEqual(self.used(), 0)
        report_gone(domain)                         # too late
        self.assertEqual(self.used(), 0)
        self.assert_counted()

    def test_catalog_zones(self):
        """They belong to no tenant."""
        before, pool = self.used_of_nobody(), unique("p")
        admin.create_pool(pool={"name": pool, "ns_records": ["ns.example.net."],
                                "catalog_zone": f"{pool}.invalid."})
        self.assertEqual(self.used_of_nobody(), before + 1)
        admin.update_pool(pool=pool, values={"catalog_zone": ""})
        report_gone(admin.get_domain(domain=f"{pool}.invalid."))
        self.assertEqual(self.used_of_nobody(), before)
        self.assert_counted()

    @staticmethod
    def used_of_nobody():
        rows = fleet.mariadb.sql("SELECT domains FROM tenant_usage WHERE tenant = ''")
        return int(rows[0][0]) if rows else 0

    def test_imports(self):
        name, caller = f"{unique('i')}.example.", callers[2]
        caller.context = caller.context | {"project_id": self.tenant}
        lines = [f"{name} 300 IN NS ns1.example.net.", f"w.{name} 300 IN A 192.0.2.1"]
        for _ in range(2):                          # a new domain, and the same domain again
            import_zone(caller, name, lines)
            self.assertEqual(self.used(), 1)
        self.limit("domains", 1)
        other = f"{unique('i')}.example."
        state, reason = replace_zone(caller, other, [[other, 300, "NS", "ns1.example.net."]])
        self.assertEqual(state, "ERROR", reason)    # there is nothing to replace
        opened = caller.begin_import(domain={"name": other})["id"]
        caller.add_to_import(**{"import": opened, "part": 0,
                                "records": [[other, 300, "NS", "ns1.example.net."]]})
        caller.commit_import(**{"import": opened})
        found = wait_for(lambda: self.ended(caller, opened), SECONDS, "the import ends")
        self.assertEqual((found["state"], found["reason"]), (
            "ERROR", "the tenant already has 1 domains, and the quota (domains) is 1"))
        self.assertEqual(self.used(), 1)
        self.assert_counted()

    @staticmethod
    def ended(caller, opened):
        found = caller.get_import(**{"import": opened})
        return found if found["state"] in ("DONE", "ERROR") else None

    def test_killed(self):
        """Each call is done once, and counted once, although a process dies meanwhile."""
        def run(number):
            made = [self.create(f"k{number}-{i}.{self.tenant}.example.", caller=callers[number])
                    for i in range(12)]
            self.delete_slowly(made[::3])
        with ThreadPoolExecutor(8) as pool:
            runs = [pool.submit(run, number) for number in range(8)]
            for wanted in 10, 40:
                fleet.wait_for(lambda wanted=wanted: self.used() >= wanted, SECONDS,
                               f"{wanted} domains are created")
                fleet.kill9("central1")
                fleet.restart("central1")
            for future in runs:
                future.result()
        self.assertEqual(self.used(), 8 * 8)
        self.assert_counted()

    def delete_slowly(self, domains):
        """A report whose message comes back after a kill is repeated."""
        for domain in domains:
            self.delete(domain)
        wait_for(lambda: not self.report_rest(domains), SECONDS, "the domains are deleted")

    def test_a_row_that_is_held(self):
        """The others go on, and no call waits for long."""
        self.create()
        with holding(fleet.mariadb, "SELECT domains FROM tenant_usage WHERE tenant = "
                                    f"'{self.tenant}' FOR UPDATE"):
            with ThreadPoolExecutor(2) as pool:
                stuck = pool.submit(self.refusal)
                for _ in range(20):
                    self.create(tenant=f"{self.tenant}-free", caller=callers[4])
                self.assertFalse(stuck.done())
                kind, reason = stuck.result()
        self.assertEqual(kind, "Busy")
        self.assertIn("is changing the number of domains of the tenant", reason)
        self.assert_counted()
        self.create()

    def refusal(self):
        try:
            self.create(caller=callers[3])
        except om.RemoteError as error:
            return error.exc_type, error.value
        return "done", ""


class Drift(Story):
    """Numbers that are wrong, as a central of an older version leaves them."""

    def test_the_sweep_corrects(self):
        high, low, lost, ghost, right = (f"{self.tenant}-{word}" for word in (
            "high", "low", "lost", "ghost", "right"))
        for tenant in high, low, lost, right:
            self.create(tenant=tenant)
            last = self.create(tenant=tenant)
        sql = fleet.mariadb.sql
        sql(f"UPDATE tenant_usage SET domains = 9 WHERE tenant = '{high}'; "
            f"UPDATE tenant_usage SET domains = 1 WHERE tenant = '{low}'; "
            f"DELETE FROM tenant_usage WHERE tenant = '{lost}'; "
            f"INSERT INTO tenant_usage (tenant, domains) VALUES ('{ghost}', 3)")
        self.delete(admin.get_domain(domain=last["id"]))
        doomed = self.create(tenant=f"{self.tenant}-uncounted")
        sql(f"DELETE FROM tenant_usage WHERE tenant = '{self.tenant}-uncounted'")
        self.delete(doomed)                 # a deletion that takes the number below 0
        self.assertEqual(self.used(f"{self.tenant}-uncounted"), 0)
        with self.sweeping():
            fleet.wait_for(lambda: sorted(sql("SELECT tenant, domains FROM tenant_usage")) ==
                           sorted(sql(LIVE)), SECONDS, "the numbers are right")
        said = fleet.members["central1"].log.read_text()
        for tenant, was, now in (high, 9, 2), (low, 1, 2), (lost, 0, 2), (ghost, 3, 0), (
                f"{self.tenant}-uncounted", -1, 0):
            self.assertRegex(said, rf"number of domains of a tenant corrected: tenant={tenant} "
                                   rf"was={was} is={now}\b")
        self.assertNotIn(f"tenant={right} was", said)

    def test_a_busy_tenant(self):
        """The sweep waits for a transaction that changes the number, and counts what it did."""
        domain, key = self.create(), uuid.uuid4().hex
        same = ("tenant, pool_id, serial, mname, rname, soa_ttl, refresh, retry, expire, minimum, "
                "ttl")
        fleet.mariadb.sql(f"UPDATE tenant_usage SET domains = 9 WHERE tenant = '{self.tenant}'")
        with holding(fleet.mariadb, f"INSERT INTO domains (id, name, ancestry, {same}) SELECT "
                     f"'{key}', 'x.{domain['name']}', CONCAT(ancestry, X'0178'), {same} "
                     f"FROM domains WHERE id = '{domain['id']}'") as do:
            do(f"UPDATE tenant_usage SET domains = domains + 1 WHERE tenant = '{self.tenant}'")
            with self.sweeping():
                wait_for(self.is_waiting, SECONDS, "the sweep waits for the row")
                do("COMMIT")
                fleet.wait_for(lambda: self.used() == 2, SECONDS, "the number is right")
        said = fleet.members["central1"].log.read_text()
        self.assertEqual(re.findall(rf"tenant={self.tenant} was=(\d+) is=(\d+)", said),
                         [("10", "2")])
        fleet.mariadb.sql(f"UPDATE domains SET task = 'DELETE' WHERE id = '{key}'")
        report_gone(admin.get_domain(domain=key))
        self.assertEqual(self.used(), 1)
        self.assert_counted()

    @staticmethod
    def is_waiting():
        return fleet.mariadb.sql(
            "SELECT 1 FROM information_schema.processlist WHERE command = 'Execute' AND "
            "info LIKE '%tenant_usage%' AND time_ms > 300", administrator=True)

    @contextlib.contextmanager
    def sweeping(self):
        """One of the programs compares the numbers several times a second."""
        def run_with(sweep):
            member = fleet.members["central1"]
            member.stop()
            member.configure({"central": {"sweep": sweep}})
            member.launch()
            member.wait_ready()
        run_with("200ms")
        try:
            yield
        finally:
            run_with(DAY)


if __name__ == "__main__":
    unittest.main(verbosity=2)

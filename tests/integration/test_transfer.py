"""Transfers of domains between tenants: keys, quotas, times, and callers at the same time."""

import contextlib
import hashlib
import json
import logging
import re
import secrets
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import oslo_messaging as om                                             # noqa: E402
from story import Caller, start_fleet                                   # noqa: E402
from lab.process import LabError                                        # noqa: E402

CALLERS, ROUNDS = 32, 3
SECONDS = 60
COUNTED = "SELECT tenant, domains FROM tenant_usage WHERE domains <> 0"
LIVE = "SELECT tenant, COUNT(*) FROM domains WHERE live = 1 GROUP BY tenant"
SHOWN = {"id", "domain", "domain_id", "tenant", "target_tenant", "state", "accepted_by",
         "description", "created_at", "updated_at", "expires_at"}


def setUpModule():
    global fleet, callers, admin
    logging.disable(logging.CRITICAL)
    folder = Path(tempfile.mkdtemp(prefix="zftransfer"))
    unittest.addModuleCleanup(shutil.rmtree, folder)
    fleet = start_fleet(folder, central=2, poolmgr=1, minidns=1, name_servers=("bind",),
                        settings={"central": {"processes": 2, "sweep": "200ms"}})
    unittest.addModuleCleanup(fleet.stop)
    callers = [Caller(fleet.rabbitmq.url, admin=False, timeout=SECONDS) for _ in range(CALLERS)]
    admin = Caller(fleet.rabbitmq.url, tenant="operator", timeout=SECONDS)
    for caller in [*callers, admin]:
        unittest.addModuleCleanup(caller.close)


def unique(word):
    return f"{word}{uuid.uuid4().hex[:8]}"


def as_tenant(tenant, caller=0):
    callers[caller].context = callers[caller].context | {"project_id": tenant}
    return callers[caller]


def outcome(call, *args, **more):
    """"done", or the class of the error."""
    try:
        call(*args, **more)
    except om.RemoteError as error:
        return error.exc_type
    return "done"


def hash_of(key):
    return hashlib.sha256(key.encode()).hexdigest()


class Story(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.giver, self.taker = unique("giver"), unique("taker")
        self.key = secrets.token_hex(16)
        self.domain = as_tenant(self.giver).create_domain(
            domain={"name": f"{unique('d')}.example."})

    def tearDown(self):
        self.assertEqual(sorted(fleet.mariadb.sql(COUNTED)), sorted(fleet.mariadb.sql(LIVE)))

    @staticmethod
    def is_counted():
        return sorted(fleet.mariadb.sql(COUNTED)) == sorted(fleet.mariadb.sql(LIVE))

    def request(self, key=None, **values):
        return as_tenant(self.giver).create_transfer(transfer={
            "domain": self.domain["id"], "key_hash": hash_of(key or self.key), **values})

    def accept(self, transfer, key=None, tenant=None, caller=0):
        return as_tenant(tenant or self.taker, caller).accept_transfer(
            transfer=transfer["id"], key=key or self.key)

    def fails(self, kind, words, call, *args, **values):
        with self.assertRaises(om.RemoteError) as raised:
            call(*args, **values)
        self.assertEqual(raised.exception.exc_type, kind, raised.exception.value)
        self.assertIn(words, raised.exception.value)

    def owner(self):
        return admin.get_domain(domain=self.domain["id"])["tenant"]

    def state(self, transfer):
        return as_tenant(self.giver).get_transfer(transfer=transfer["id"])["state"]


class Transfers(Story):

    def test_a_domain_gets_another_tenant(self):
        before = admin.get_domain(domain=self.domain["id"])
        made = self.request(description="sold")
        self.assertEqual(set(made), SHOWN)
        self.assertEqual({key: made[key] for key in ("domain", "tenant", "target_tenant", "state",
                                                     "accepted_by", "description")},
                         {"domain": self.domain["name"], "tenant": self.giver, "target_tenant": "",
                          "state": "OPEN", "accepted_by": "", "description": "sold"})
        self.assertEqual(self.owner(), self.giver)
        accepted = self.accept(made)
        self.assertEqual((accepted["state"], accepted["accepted_by"]), ("ACCEPTED", self.taker))
        after = admin.get_domain(domain=self.domain["id"])
        self.assertEqual((after["tenant"], after["serial"], after["version"]),
                         (self.taker, before["serial"], before["version"] + 1))
        self.fails("NotFound", "there is no domain", as_tenant(self.giver).get_domain,
                   domain=self.domain["id"])
        as_tenant(self.taker).apply_changes(domain=self.domain["id"], changes=[
            {"op": "add", "name": f"w.{self.domain['name']}", "type": "A",
             "records": ["192.0.2.1"]}])
        for tenant in self.giver, self.taker:
            found = as_tenant(tenant).find_transfers()["transfers"]
            self.assertEqual(found, [accepted])
        self.assertEqual([admin.get_quotas(tenant=tenant)["usage"]["domains"]
                          for tenant in (self.giver, self.taker)], [0, 1])

    def test_the_key_is_nowhere(self):
        made = self.request()
        self.accept(made)
        self.assertNotIn(self.key, json.dumps(made))
        dump = subprocess.run(["mariadb-dump", "--no-defaults", f"--host={fleet.mariadb.host}",
                               f"--port={fleet.mariadb.port}", f"--user={fleet.mariadb.user}",
                               f"--password={fleet.mariadb.password}", fleet.mariadb.database],
                              capture_output=True, text=True, errors="replace", check=True).stdout
        self.assertIn(hash_of(self.key), dump)
        self.assertNotIn(self.key, dump)
        for worker in fleet.workers:
            self.assertNotIn(self.key, worker.log.read_text())

    def test_who_may(self):
        made = self.request(target_tenant=self.taker)
        for call, args in ((as_tenant("stranger").get_transfer, {"transfer": made["id"]}),
                           (as_tenant("stranger").withdraw_transfer, {"transfer": made["id"]}),
                           (as_tenant("stranger").create_transfer, {"transfer": {
                               "domain": self.domain["id"], "key_hash": hash_of(self.key)}})):
            self.fails("NotFound", "there is no", call, **args)
        self.assertEqual(as_tenant("stranger").find_transfers()["transfers"], [])
        self.assertEqual(as_tenant(self.taker).find_transfers()["transfers"], [made])
        self.fails("Forbidden", "only the tenant", as_tenant(self.taker).withdraw_transfer,
                   transfer=made["id"])
        self.fails("Forbidden", "is for another tenant", self.accept, made, tenant="stranger")
        self.fails("Forbidden", "the key is not", self.accept, made, key="0" * 32)
        self.fails("NotFound", "there is no transfer request", self.accept, {"id": "0" * 32})
        as_tenant(self.giver).update_transfer(transfer=made["id"], values={"target_tenant": ""})
        self.accept(made, tenant="stranger")
        self.assertEqual(self.owner(), "stranger")

    def test_what_is_refused(self):
        self.fails("Conflict", "already belongs to the tenant", self.request,
                   target_tenant=self.giver)
        for values, words in (({"key_hash": "0"}, "transfer.key_hash: must be the SHA-256"),
                              ({"key_hash": "G" * 64}, "transfer.key_hash: must be the SHA-256"),
                              ({"expires_in": 59}, "transfer.expires_in: "),
                              ({"expires_in": 90 * 86400 + 1}, "transfer.expires_in: "),
                              ({"target_tenant": " "}, "transfer.target_tenant: "),
                              ({"secret": "x"}, "transfer has no field 'secret'")):
            with self.subTest(values=values):
                self.fails("Invalid", words, self.request, **values)
        self.fails("Conflict", "already belongs to", self.accept, self.request(),
                   tenant=self.giver)
        self.fails("Invalid", "key: must have", self.accept, {"id": "0" * 32}, key="short")
        self.fails("Invalid", "criterion.state: must be", as_tenant(self.giver).find_transfers,
                   criterion={"state": "open"})

    def test_a_domain_has_one_open_request(self):
        first = self.request()
        self.fails("Duplicate", "already has an open transfer request", self.request)
        as_tenant(self.giver).withdraw_transfer(transfer=first["id"])
        self.fails("Conflict", "is WITHDRAWN, not OPEN", self.accept, first)
        self.fails("Conflict", "is WITHDRAWN, not OPEN",
                   as_tenant(self.giver).withdraw_transfer, transfer=first["id"])
        second = self.request()
        fleet.mariadb.sql("UPDATE domain_transfers SET expires_at = UTC_TIMESTAMP(3) "
                          f"WHERE id = '{second['id']}'")
        self.assertEqual(self.state(second), "EXPIRED")
        self.fails("Conflict", "is EXPIRED, not OPEN", self.accept, second)
        self.fails("Conflict", "is EXPIRED, not OPEN", as_tenant(self.giver).update_transfer,
                   transfer=second["id"], values={"description": "x"})
        third = self.request()
        found = as_tenant(self.giver).find_transfers
        self.assertEqual([each["id"] for each in found()["transfers"]],
                         [each["id"] for each in (first, second, third)])
        page = found(limit=2)
        self.assertEqual([each["id"] for each in found(marker=page["marker"])["transfers"]],
                         [third["id"]])
        for criterion, want in (({"state": "OPEN"}, [third["id"]]),
                                ({"domain": self.domain["name"], "state": "ACCEPTED"}, []),
                                ({"domain": self.domain["id"]}, [first["id"], second["id"],
                                                                 third["id"]])):
            self.assertEqual([each["id"] for each in found(criterion=criterion)["transfers"]], want)
        self.accept(third)

    def test_callers_without_a_tenant(self):
        made = self.request()
        nobody = Caller(fleet.rabbitmq.url, tenant="", timeout=SECONDS)
        self.addCleanup(nobody.close)
        self.fails("Invalid", "the caller has no tenant", nobody.accept_transfer,
                   transfer=made["id"], key=self.key)
        nobody.context = nobody.context | {"own_tenant_only": True}
        self.fails("NotFound", "there is no transfer request", nobody.get_transfer,
                   transfer=made["id"])
        self.assertEqual(nobody.find_transfers()["transfers"], [])
        found = admin.find_transfers(criterion={"domain": self.domain["id"]})["transfers"]
        self.assertEqual(found, [])         # an administrator lists the objects of its tenant
        self.assertEqual(admin.get_transfer(transfer=made["id"]), made)

    def test_domains_that_no_tenant_can_get(self):
        made = self.request()
        fleet.mariadb.sql("UPDATE domains SET tenant = 'other' "
                          f"WHERE id = '{self.domain['id']}'")
        self.fails("Conflict", f"no longer belongs to the tenant '{self.giver}'", self.accept,
                   made)
        fleet.mariadb.sql(f"UPDATE domains SET tenant = '{self.giver}' "
                          f"WHERE id = '{self.domain['id']}'")
        # the sweep may have counted the domain for the other tenant
        fleet.wait_for(self.is_counted, SECONDS, "the numbers of domains are right")
        self.fails("Conflict", "name another tenant", as_tenant(self.giver).update_transfer,
                   transfer=made["id"], values={"target_tenant": self.giver})
        admin.update_pool(pool="default", values={"catalog_zone": "catalog.invalid."})
        self.addCleanup(admin.update_pool, pool="default", values={"catalog_zone": ""})
        self.fails("Forbidden", "is the catalog zone of a pool", admin.create_transfer, transfer={
            "domain": "catalog.invalid.", "key_hash": hash_of(self.key)})
        as_tenant(self.giver).delete_domain(domain=self.domain["id"])
        self.fails("Conflict", "is being deleted", self.request)

    def test_an_administrator_has_no_quota(self):
        made = self.request()
        admin.set_quota(tenant="operator", resource="domains", hard_limit=0)
        self.addCleanup(admin.reset_quotas, tenant="operator")
        admin.accept_transfer(transfer=made["id"], key=self.key)
        self.assertEqual(self.owner(), "operator")

    def test_a_domain_that_is_deleted(self):
        made = self.request()
        as_tenant(self.giver).delete_domain(domain=self.domain["id"])
        self.assertEqual(self.state(made), "EXPIRED")
        with self.assertRaises(om.RemoteError) as raised:
            self.accept(made)
        self.assertIn(raised.exception.exc_type, ("Conflict", "NotFound"))
        fleet.wait_state(self.domain["id"], "NONE DELETED", SECONDS)

    def test_quotas_of_the_tenant_that_accepts(self):
        made = self.request()
        changes = [{"op": "add", "name": f"w{number}.{self.domain['name']}", "type": "A",
                    "records": ["192.0.2.1", "192.0.2.2"]} for number in range(3)]
        as_tenant(self.giver).apply_changes(domain=self.domain["id"], changes=changes)
        for resource, limit, words in (
                ("domains", 0, "the quota (domains) is 0"),
                ("domain_recordsets", 3, "has 4 record sets, but the quota"),
                ("domain_records", 6, "has 7 records, but the quota")):
            with self.subTest(resource=resource):
                admin.set_quota(tenant=self.taker, resource=resource, hard_limit=limit)
                self.fails("OverQuota", words, self.accept, made)
                self.assertEqual((self.owner(), self.state(made)), (self.giver, "OPEN"))
                admin.set_quota(tenant=self.taker, resource=resource, hard_limit=limit + 1)
        self.accept(made)
        self.assertEqual(self.owner(), self.taker)

    def test_old_requests_are_swept(self):
        made = self.request()
        self.accept(made)
        fleet.mariadb.sql("UPDATE domain_transfers SET expires_at = UTC_TIMESTAMP(3) "
                          f"- INTERVAL 31 DAY WHERE id = '{made['id']}'")
        fleet.wait_for(lambda: not admin.find_transfers(
            criterion={"domain": self.domain["id"]})["transfers"], SECONDS, "it is gone")


class Races(Story):

    def race(self, call):
        """The outcomes of CALL(number), in the order of the callers. All calls start together."""
        start = threading.Barrier(CALLERS)

        def run(number):
            start.wait()
            return outcome(call, number)
        with ThreadPoolExecutor(CALLERS) as pool:
            return list(pool.map(run, range(CALLERS)))

    def test_one_key(self):
        for _ in range(ROUNDS):
            made = self.request()
            outcomes = self.race(lambda number: self.accept(
                made, tenant=f"{self.taker}-{number}", caller=number))
            self.assertEqual(sorted(outcomes), ["Conflict"] * (CALLERS - 1) + ["done"])
            won = f"{self.taker}-{outcomes.index('done')}"
            self.assertEqual((self.owner(), self.state(made)), (won, "ACCEPTED"))
            self.giver = won

    def test_one_place_in_the_quota(self):
        """Several domains, one tenant."""
        made = [self.request()]
        for _ in range(CALLERS - 1):
            self.domain = as_tenant(self.giver).create_domain(
                domain={"name": f"{unique('d')}.example."})
            made.append(self.request())
        admin.set_quota(tenant=self.taker, resource="domains", hard_limit=1)
        outcomes = self.race(lambda number: self.accept(made[number], caller=number))
        self.assertEqual(sorted(outcomes), ["OverQuota"] * (CALLERS - 1) + ["done"])
        self.assertEqual(admin.get_quotas(tenant=self.taker)["usage"]["domains"], 1)

    def test_one_request(self):
        outcomes = self.race(lambda number: as_tenant(self.giver, number).create_transfer(
            transfer={"domain": self.domain["id"], "key_hash": hash_of(self.key)}))
        self.assertEqual(sorted(outcomes), ["Duplicate"] * (CALLERS - 1) + ["done"])

    def test_changes_meanwhile(self):
        """The database has each acknowledged change, even while the domain changes its tenant."""
        name, done, stop = self.domain["name"], [], threading.Event()

        def change(number):
            for count in range(10**6):
                if stop.is_set():
                    return
                owner = f"w{number}-{count}.{name}"
                with contextlib.suppress(om.RemoteError):
                    admin.apply_changes(domain=self.domain["id"], changes=[
                        {"op": "add", "name": owner, "type": "A", "records": ["192.0.2.1"]}])
                    done.append(owner)
        with ThreadPoolExecutor(2) as pool:
            writers = [pool.submit(change, number) for number in (1, 2)]
            try:
                for _ in range(10):
                    self.until_free(self.accept, self.until_free(self.request))
                    self.giver, self.taker = self.taker, self.giver
            finally:
                stop.set()
            for writer in writers:
                writer.result(SECONDS)
        admin.settled(self.domain["id"], seconds=SECONDS)
        rows = fleet.mariadb.sql("SELECT s.name FROM recordsets s JOIN records r ON "
                                 f"r.recordset_id = s.id WHERE s.domain_id = '{self.domain['id']}' "
                                 "AND s.type = 1 AND r.live = 1")
        self.assertEqual(sorted(row[0] for row in rows), sorted(done))


    def until_free(self, call, *args):
        """A call about a domain that others change all the time can get Busy."""
        answers = []

        def is_done():
            try:
                answers.append(call(*args))
            except om.RemoteError as error:
                self.assertEqual(error.exc_type, "Busy")
            return answers
        fleet.wait_for(is_done, SECONDS, "the domain is free")
        return answers[0]


class Commands(Story):

    def cli(self, tenant, *words, **options):
        return fleet.cli("--tenant", tenant, "transfer", *words, **options)

    def test_a_transfer(self):
        made = self.cli(self.giver, "create", self.domain["name"], "--target-tenant", self.taker,
                        "--expires-in", "1d", "--description", "sold")
        self.assertRegex(made["key"], r"\A[0-9a-f]{32}\Z")
        self.assertNotIn("key", self.cli(self.giver, "show", made["id"]))
        listed = self.cli(self.taker, "list", as_json=False)
        self.assertRegex(listed, rf"(?m)^{made['id']} +{re.escape(self.domain['name'])} +OPEN +"
                                 rf"{self.giver} +{self.taker} +- ")
        with self.assertRaisesRegex(LabError, "Forbidden"):
            self.cli(self.taker, "list", "--all-tenants")
        self.assertIn(made["id"], [each["id"] for each in fleet.cli(
            "--admin", "transfer", "list", "--all-tenants")["transfers"]])
        self.cli(self.giver, "set", made["id"], "--description", "given")
        with self.assertRaisesRegex(LabError, "needs at least one of"):
            self.cli(self.giver, "set", made["id"])
        with self.assertRaisesRegex(LabError, "give either KEY or --key-file"):
            self.cli(self.taker, "accept", made["id"])
        key = Path(fleet.folder) / unique("key")
        key.write_text(made["key"] + "\n")
        accepted = self.cli(self.taker, "accept", made["id"], "--key-file", str(key))
        self.assertEqual((accepted["state"], accepted["description"]), ("ACCEPTED", "given"))
        self.assertEqual(self.owner(), self.taker)
        back = self.cli(self.taker, "create", self.domain["name"], as_json=False)
        made = dict(line.split(None, 1) for line in back.splitlines())
        self.assertEqual(made["state"], "OPEN")
        self.cli(self.giver, "accept", made["id"], made["key"])
        self.assertEqual(self.owner(), self.giver)
        again = self.cli(self.giver, "create", self.domain["name"])
        self.assertEqual(self.cli(self.giver, "withdraw", again["id"])["state"], "WITHDRAWN")


if __name__ == "__main__":
    unittest.main()

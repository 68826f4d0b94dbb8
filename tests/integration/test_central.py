"""Central, two of it, against real MariaDB and RabbitMQ; oslo.messaging is its caller.

Nobody plays the pool manager but this file: it reports what servers would have.
"""

import contextlib
import hashlib
import itertools
import json
import logging
import lzma
import random
import sys
import tempfile
import threading
import time
import unittest
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import kombu
import oslo_messaging as om
from oslo_config import cfg

REPO = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(REPO / "deploy"), str(REPO / "tests" / "support")]
from holding import holding             # noqa: E402
from lab.process import HOST, wait_for      # noqa: E402
from locks import Neighbours            # noqa: E402
from changed import changes             # noqa: E402
from commit_relay import CommitRelay    # noqa: E402
from story import StoryFleet            # noqa: E402

ROOT_ZONE = REPO.parent / "shared" / "data" / "rootzone"
LARGE = 200_000         # records of a generated zone
PART = 7000             # records of one add_to_import
PREFETCH = 64           # messages that a process takes, if nothing is said of it
JOURNAL_AGE = 7 * 86400     # seconds, if nothing is said of it
JOURNAL_BYTES = 2_000_000
IMPORTS, IMPORT_RECORDS = 12, 300       # quotas of a tenant

SETTINGS = """\
[DEFAULT]
control_exchange = zonefleet
[oslo_messaging_rabbit]
amqp_durable_queues = true
"""

ADMIN = {"is_admin": True, "project_id": "operator"}
ALL = {"is_admin": True, "all_tenants": True}
OPEN_POOL = "open-to-tenants"
ALICE = {"project_id": "alice"}
BOB = {"project_id": "bob"}

REFERENCE = ("id", "name", "pool", "tenant", "task", "status", "serial")
# what a caller's mistake must not change
TABLES = ("pools", "pool_ns_records", "domains", "recordsets", "records", "journal", "requests",
          "imports", "import_records", "blacklists", "tlds", "quotas", "tsigkeys")


class Lab:
    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="central.")
        self.fleet = StoryFleet.start(
            Path(self.folder.name), central=2, poolmgr=0, minidns=0, name_servers=(),
            settings={"fleet": {"trust_broker": True,       # a pool manager's reports, too
                                "period": 1, "timeout": 5},
                      "central": {"ns_records": ["ns1.example.net.", "ns2.example.net."],
                                  "quota_records": 20, "quota_imports": IMPORTS,
                                  "tenant_pools": [OPEN_POOL],
                                  "quota_import_records": IMPORT_RECORDS, "sweep": 2, "tombstone_age": 60,
                                  "journal_domain_bytes": JOURNAL_BYTES}})
        self.sql = self.fleet.mariadb.sql
        self.broker = self.fleet.rabbitmq.url.replace("rabbit:", "pyamqp:", 1)
        settings = Path(self.folder.name) / "oslo.conf"
        settings.write_text(SETTINGS)
        cfg.CONF(["--config-file", str(settings)])
        self.transport = om.get_rpc_transport(cfg.CONF, url=self.fleet.rabbitmq.url)
        self.client = om.RPCClient(self.transport, om.Target(topic="central"), timeout=60)
        self.numbers = iter(range(10**6))

    def stop(self):
        self.transport.cleanup()
        self.fleet.stop()
        self.folder.cleanup()

    def name(self):
        """A domain's name that was never used."""
        return f"d{next(self.numbers)}.example."


def setUpModule():
    global lab
    logging.disable(logging.CRITICAL)
    lab = Lab()


def tearDownModule():
    lab.stop()


def call(method, context=ALICE, **args):
    return lab.client.call(context, method, **args)


def message(method, args, context):
    return {"method": method, "args": args, "version": "1.0",
            "_unique_id": uuid.uuid4().hex, "_msg_id": uuid.uuid4().hex, "_timeout": None,
            **{f"_context_{key}": value for key, value in context.items()}}


def send(messages):
    """Publishes them in one go; the result of each, or the text of its failure."""
    answers = {}
    with kombu.Connection(lab.broker) as link:
        replies = kombu.Queue(f"reply_{uuid.uuid4().hex}", channel=link.default_channel,
                              exclusive=True, auto_delete=True)
        replies.declare()

        def hear(delivery):
            reply = json.loads(delivery.payload["oslo.message"])
            if reply.get("result") is not None or reply.get("failure"):
                answers.setdefault(reply["_msg_id"], []).append(
                    reply["failure"] or reply["result"])
        with kombu.Consumer(link, queues=[replies], no_ack=True, accept=["json"],
                            on_message=hear):
            producer = kombu.Producer(link)
            for one in messages:
                body = json.dumps({"oslo.version": "2.0",
                                   "oslo.message": json.dumps(one | {"_reply_q": replies.name})})
                producer.publish(body, routing_key="central", exchange="zonefleet",
                                 content_type="application/json", content_encoding="utf-8")
            while sum(map(len, answers.values())) < len(messages):
                link.drain_events(timeout=20)
    return [answers[one["_msg_id"]].pop(0) for one in messages]


def held(statement):
    return holding(lab.fleet.mariadb, statement)


def add(name, data, record_type="A", **more):
    return {"op": "add", "name": name, "type": record_type, "records": data, **more}


def change(domain, *changes, context=ALICE, **args):
    return call("apply_changes", context, domain=domain, changes=list(changes), **args)


def report(domain, status, serial, context=ADMIN, **more):
    reference = {key: domain[key] for key in REFERENCE}
    return call("update_status", context, domain=reference, status=status,
                serial_number=serial, **more)


def records_of(domain_id):
    """(owner, type, data, task, status, serial) of each row."""
    rows = lab.sql("SELECT s.name, s.type, r.data, r.task, r.status, r.serial_number FROM records r "
                   f"JOIN recordsets s ON s.id = r.recordset_id WHERE r.domain_id = '{domain_id}'")
    return sorted(tuple(row) for row in rows)


def checksums():
    """What is stored, but nothing of deleted domains and of imports that have ended: the sweep
    clears up behind them.
    """
    live = "JOIN domains d ON d.status <> 'DELETED' AND d.id = t."
    swept = {"domains": live + "id", "recordsets": live + "domain_id",
             "records": live + "domain_id", "journal": live + "domain_id",
             "import_records": "JOIN imports i ON i.state IN ('OPEN', 'COMMITTING') "
                               "AND i.id = t.import_id"}
    sums = lab.sql("CHECKSUM TABLE " + ", ".join(set(TABLES) - set(swept)))
    for table, join in swept.items():
        columns = [row[0] for row in lab.sql(f"SHOW COLUMNS FROM {table}")]
        whole = ", ".join(f"HEX(t.{column})" for column in columns)
        sums += lab.sql(f"SELECT '{table}', COUNT(*), SUM(CRC32(CONCAT_WS('/', {whole}))) "
                        f"FROM {table} t {join}")
    return sorted(sums)


def slow_statements(ms):
    """What has run for longer than that, or waits for a lock, but not for the gate of a test.

    innodb_trx would show an old picture: the server makes no new one while it is read often.
    """
    return [sql for sql, in lab.sql(
        "SELECT REPLACE(info, '\\n', ' ') FROM information_schema.processlist WHERE "
        "command IN ('Execute', 'Query') AND info IS NOT NULL AND state <> 'User lock' "
        f"AND time_ms > {ms}", administrator=True)]


@contextlib.contextmanager
def living(*services):
    """Processes of these services write heartbeats. Such contexts may be nested."""
    over, prefix = threading.Event(), f"living{next(lab.numbers)}"

    def beat():
        for service in services:
            lab.sql("INSERT INTO worker_nodes (plugin_name, service, plugin_time, started_at) "
                    f"VALUES ('{prefix}.{service}', '{service}', NOW(6), NOW(6)) "
                    "ON DUPLICATE KEY UPDATE plugin_time = NOW(6)")

    def run():
        while not over.wait(0.3):
            beat()
    beat()
    beats = threading.Thread(target=run)
    beats.start()
    try:
        yield
    finally:
        over.set()
        beats.join()
        lab.sql(f"DELETE FROM worker_nodes WHERE plugin_name LIKE '{prefix}.%'")


class Story(unittest.TestCase):
    maxDiff = None

    def fails(self, kind, words, method, context=ALICE, **args):
        """The call ends in the remote exception KIND whose words contain WORDS."""
        with self.assertRaises((om.RemoteError, TypeError)) as caught:
            call(method, context, **args)
        error = caught.exception
        got, text = ((error.exc_type, error.value) if isinstance(error, om.RemoteError)
                     else ("TypeError", str(error)))
        self.assertEqual(got, kind, text)
        self.assertIn(words, text)

    def waits_beside_the_loop(self, method, context, **args):
        """The call finds its row locked, and no statement of it waits for a second."""
        with ThreadPoolExecutor(1) as pool:
            asked = pool.submit(self.fails, "Busy", "another transaction is changing", method,
                                context, **args)
            long = wait_for(lambda: asked.done() or slow_statements(1000), 60, "an answer")
            self.assertIs(long, True)
            asked.result()

    def create(self, context=ALICE, **more):
        return call("create_domain", context, domain={"name": lab.name(), **more})


class Domains(Story):
    def test_life(self):
        name = lab.name()
        made = call("create_domain", domain={
            "name": name.upper(), "email": "dns.admin@example.org", "ttl": 300, "refresh": 1,
            "retry": 2, "expire": 3, "minimum": 4, "description": "h\u00e9llo"})
        self.assertEqual({key: made[key] for key in (
            "name", "tenant", "pool", "task", "status", "email", "primary", "ttl", "refresh",
            "retry", "expire", "minimum", "description", "records", "recordsets", "reason")}, {
            "name": name, "tenant": "alice", "pool": "default", "task": "ADD",
            "status": "PENDING", "email": "dns.admin@example.org",
            "primary": "ns1.example.net.", "ttl": 300, "refresh": 1, "retry": 2, "expire": 3,
            "minimum": 4, "description": "h\u00e9llo", "records": 2, "recordsets": 1,
            "reason": "no pool manager of pool 'default' is running"})
        self.assertRegex(made["created_at"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
        made.pop("warnings")
        self.assertEqual(call("get_domain", domain=made["id"]), made)
        self.assertEqual(call("get_domain", domain=str(uuid.UUID(made["id"]))), made)
        self.assertEqual(call("get_domain", domain=name), made)
        self.assertEqual(lab.sql(f"SELECT rname FROM domains WHERE id = '{made['id']}'"),
                         [["dns\\.admin.example.org."]])

        changed = call("update_domain", domain=name, values={"refresh": 77})
        self.assertGreater(changed["serial"], made["serial"])
        self.assertEqual((changed["refresh"], changed["task"]), (77, "ADD"))
        same = call("update_domain", domain=name, values={"refresh": 77})
        self.assertEqual(same["serial"], changed["serial"])
        described = call("update_domain", domain=name, values={"description": "new"})
        self.assertEqual((described["serial"], described["description"]),
                         (changed["serial"], "new"))

        gone = call("delete_domain", domain=name)
        self.assertEqual((gone["task"], gone["status"]), ("DELETE", "PENDING"))
        self.assertEqual(call("delete_domain", domain=name)["task"], "DELETE")
        self.fails("Conflict", "is being deleted", "apply_changes", domain=name, changes=[])
        going = (f"the domain {name} is being deleted: its name is free when its name servers no "
                 "longer serve it")
        self.fails("Duplicate", going, "create_domain", domain={"name": name})
        self.fails("Duplicate", f"domain {name} already exists", "create_domain", BOB,
                   domain={"name": name})
        for mode in {"mode": "create"}, {}:
            ended = commit(stage(name, generated_zone(name, 3), ALICE, **mode), ALICE)
            self.assertEqual((ended["state"], ended["reason"]), ("ERROR", going))
        report(gone, "NO_DOMAIN", 0)
        self.fails("NotFound", "there is no domain", "get_domain", domain=name)
        report(gone, "NO_DOMAIN", 0)

        again = call("create_domain", domain={"name": name})
        self.assertGreater(again["serial"], gone["serial"])
        self.assertNotEqual(again["id"], gone["id"])

    def test_the_serial_of_one_that_was_deleted(self):
        """A new one begins above it, also when the row of the old one is gone."""
        name, ahead = lab.name(), int(time.time()) + 10**9

        def create(serial, name=name):
            commit(stage(name, generated_zone(name, 3, serial), ALICE), ALICE)
            return call("get_domain", domain=name)

        def delete(domain):
            deleted = call("delete_domain", ADMIN, domain=domain["id"])
            report(deleted, "NO_DOMAIN", 0)
            lab.sql("UPDATE domains SET updated_at = updated_at - INTERVAL 1 HOUR "
                    f"WHERE id = '{domain['id']}'")
            wait_for(lambda: not lab.sql(f"SELECT 1 FROM domains WHERE id = '{domain['id']}'"), 30,
                     "the row of the domain is gone")
        first = create(ahead)
        self.assertEqual(first["serial"], ahead)
        delete(first)
        self.assertEqual(lab.sql(f"SELECT serial FROM last_serials WHERE name = '{name}'"),
                         [[str(ahead)]])
        second = create(ahead - 1)
        self.assertEqual(second["serial"], ahead + 1)
        delete(second)
        self.assertEqual(lab.sql(f"SELECT serial FROM last_serials WHERE name = '{name}'"),
                         [[str(ahead + 1)]])
        lab.sql("UPDATE last_serials SET deleted_at = UTC_TIMESTAMP(3) - INTERVAL 366 DAY "
                f"WHERE name = '{name}'")
        wait_for(lambda: not lab.sql(f"SELECT 1 FROM last_serials WHERE name = '{name}'"), 30,
                 "a serial of more than a year ago is forgotten")
        self.assertLess(call("create_domain", domain={"name": name})["serial"], ahead)
        other, top, soon = lab.name(), 2**32 - 1, int(time.time())
        last = create(top, other)
        self.assertEqual(last["serial"], top)
        delete(last)
        self.assertEqual(lab.sql(f"SELECT serial FROM last_serials WHERE name = '{other}'"),
                         [[str(top)]])
        for serial, wanted in (None, soon), (top, soon), (2**31 - 2, 2**31 - 2), (2**31 - 1, soon):
            name = lab.name()
            lab.sql("INSERT INTO last_serials (name, serial, deleted_at) SELECT "
                    f"'{name}', serial, deleted_at FROM last_serials WHERE name = '{other}'")
            found = call("create_domain", domain={"name": name})["serial"] if serial is None \
                else create(serial, name)["serial"]
            self.assertAlmostEqual(found, wanted, delta=60 if wanted == soon else 0)
        self.assertEqual(create(0, other)["serial"], 0)

    def test_delete_if_empty(self):
        """Its SOA record and the NS records at its apex are no reason to keep it."""
        domain = self.create()
        name = domain["name"]
        www, child = f"www.{name}", f"child.{name}"
        for records, kind in ((["192.0.2.1"], "A"), (['"x"'], "TXT")):
            change(name, add(www, records, kind))
            self.fails("Conflict", "is not empty", "delete_domain", domain=name, if_empty=True)
            change(name, {"op": "delete", "name": www, "type": kind})
        change(name, add(child, ["ns.example."], "NS"))
        self.fails("Conflict", "is not empty", "delete_domain", domain=name, if_empty=True)
        change(name, {"op": "delete", "name": child, "type": "NS"},
               {"op": "set", "name": name, "type": "NS", "records": ["a.example.", "b.example."]})
        self.fails("Invalid", "if_empty", "delete_domain", domain=name, if_empty="yes")
        for _ in range(2):
            gone = call("delete_domain", domain=domain["id"], if_empty=True)
            self.assertEqual(gone["task"], "DELETE")
        report(gone, "NO_DOMAIN", 0)
        self.fails("NotFound", "there is no domain", "delete_domain", domain=domain["id"],
                   if_empty=True)
        full = self.create()["name"]
        change(full, add(f"www.{full}", ["192.0.2.1"]))
        self.assertEqual(call("delete_domain", domain=full, if_empty=False)["task"], "DELETE")
        self.assertEqual(call("delete_domain", domain=full, if_empty=True)["task"], "DELETE")

    def test_what_is_expected(self):
        """All of a call is done if the sets are as it says, and nothing else."""
        def expect(name, data, record_type="A"):
            return {"op": "expect", "name": name, "type": record_type, "records": data}
        name = self.create()["name"]
        www, alias = f"www.{name}", f"alias.{name}"
        change(name, expect(www, []), add(www, ["192.0.2.1", "192.0.2.2"]))
        change(name, expect(alias, [], "CNAME"), add(alias, ["WWW.Example.NET."], "CNAME"))
        for wrong in expect(www, []), expect(www, ["192.0.2.1"]), expect(www, ["192.0.2.3"], "A"), \
                expect(www, ["2001:db8::1"], "AAAA"):
            self.fails("Conflict", "are not the expected records", "apply_changes", domain=name,
                       changes=[add(www, ["192.0.2.9"]), wrong])
        version = call("get_domain", domain=name)["version"]
        self.assertEqual(change(name, expect(www, ["192.0.2.2", "192.0.2.1"]))["version"], version)
        change(name, expect(www, ["192.0.2.2", "192.0.2.1"]),
               expect(alias, ["www.example.net."], "CNAME"),
               {"op": "delete", "name": www, "type": "A"}, add(www, ["192.0.2.3"]))
        change(name, expect(www, ["192.0.2.3"]))
        mail = f"mail.{name}"
        change(name, expect(mail, [], "ANY"), add(mail, ["10 Mx.example.net."], "MX"),
               add(mail, ["20 mx.example.net."], "MX"))
        self.fails("Conflict", "expects no records at", "apply_changes", domain=name,
                   changes=[expect(mail, [], "ANY"), add(mail, ["192.0.2.1"])])
        self.fails("Invalid", "must be empty if the type is ANY", "apply_changes", domain=name,
                   changes=[expect(mail, ["192.0.2.1"], "ANY")])
        self.fails("Invalid", "type", "apply_changes", domain=name,
                   changes=[{"op": "delete", "name": mail, "type": "ANY"}])
        twice = ["10 mx.example.net.", "10 MX.example.net.", "20 mx.example.net."]
        change(name, expect(mail, twice, "MX"),
               {"op": "delete", "name": mail, "type": "MX", "records": ["10 mx.EXAMPLE.net."]})
        change(name, expect(mail, ["20 mx.example.net."], "MX"))
        change(name, add(mail, ["20 MX.Example.net."], "MX"))
        change(name, {"op": "delete", "name": mail, "type": "MX",
                      "records": ["20 mx.example.net."]}, expect(mail, twice[2:], "MX"))
        change(name, expect(mail, [], "ANY"))           # for name servers they were one

    def test_versions(self):
        """One more with each change; who names another than there is has read what is old."""
        domain = self.create()
        name = domain["name"]
        www = add(f"www.{name}", ["192.0.2.1"])
        self.assertEqual(domain["version"], 1)
        self.assertEqual(change(name, www)["version"], 2)
        self.assertEqual(change(name, www)["version"], 2)
        self.assertEqual(call("update_domain", domain=name, version=2,
                              values={"description": "new"})["version"], 3)
        self.assertEqual(call("get_domain", domain=name)["version"], 3)
        old = {"domain": name, "version": 2}
        self.fails("Conflict", "the version is 3, not 2", "apply_changes", changes=[www], **old)
        self.fails("Conflict", "the version is 3, not 2", "update_domain", values={}, **old)
        self.fails("Conflict", "the version is 3, not 2", "delete_domain", **old)
        self.assertEqual(change(name, add(f"a.{name}", ["192.0.2.1"]), version=3)["version"], 4)
        call("delete_domain", domain=name, version=4)
        self.assertEqual(lab.sql("SELECT version_id, object_type, deleted_at > 0 FROM object_versions "
                                 f"WHERE obj_uuid = '{domain['id']}'"),
                         [["0" * 19 + "5", "domain", "1"]])

    def test_of_all_who_read_the_same_version_one_writes(self):
        domain = self.create()
        messages = [message("apply_changes", {
            "domain": domain["id"], "version": domain["version"],
            "changes": [add(f"w{number}.{domain['name']}", ["192.0.2.1"])]}, ALICE)
            for number in range(20)]
        answers = send(messages)
        kept = [answer for answer in answers if isinstance(answer, dict)]
        self.assertEqual([answer["version"] for answer in kept], [2])
        self.assertEqual(sum("the version is 2, not 1" in str(answer) for answer in answers), 19)

    def test_a_domain_of_before_versions(self):
        domain = self.create()
        lab.sql(f"DELETE FROM object_versions WHERE obj_uuid = '{domain['id']}'")
        self.assertEqual(call("get_domain", domain=domain["id"])["version"], 0)
        changes = [change(domain["id"], add(f"w{number}.{domain['name']}", ["192.0.2.1"]))
                   for number in range(2)]
        self.assertEqual([answer["version"] for answer in changes], [1, 2])

    def test_the_same_id_is_the_same_wish(self):
        wish = {"name": lab.name(), "id": uuid.uuid4().hex}
        made = call("create_domain", domain=wish)
        self.assertEqual(made["id"], wish["id"])
        self.assertEqual(call("create_domain", domain=wish), made)
        self.fails("Duplicate", "with this id", "create_domain",
                   domain={"name": lab.name(), "id": wish["id"]})

    def test_names(self):
        for name in ("no-dot.example", "-a.example.", "a b.example.", "", "*.example.",
                     "x" * 64 + ".example.", ("x" * 60 + ".") * 5, "a..example.", "\u00e9.example."):
            self.fails("Invalid", "domain.name", "create_domain", domain={"name": name})
        for name in ".", "com.", "arpa.", "in-addr.arpa.", "ip6.arpa.":
            for method in "create_domain", "begin_import":
                self.fails("Forbidden", f"administrator may create '{name}'", method,
                           domain={"name": name})
        call("create_domain", ADMIN, domain={"name": "only-admin."})
        classless = f"0/25.{next(lab.numbers)}.0.192.in-addr.arpa."
        self.assertEqual(call("create_domain", domain={"name": classless})["name"], classless)

    def test_find(self):
        tenant = {"project_id": "finder"}
        names = sorted(self.create(tenant)["name"] for _ in range(7))
        seen, marker = [], None
        while True:
            page = call("find_domains", tenant, limit=3, sort_key="name",
                        **({"marker": marker} if marker else {}))
            seen += [domain["name"] for domain in page["domains"]]
            marker = page["marker"]
            if not marker:
                break
        self.assertEqual(seen, names)
        down = call("find_domains", tenant, sort_key="name", sort_dir="desc")["domains"]
        self.assertEqual([domain["name"] for domain in down], names[::-1])
        for criterion, want in (
                ({"name": names[2]}, names[2:3]), ({"name": names[2][:3] + "*"}, None),
                ({"name": "*.example."}, names), ({"name": "*xample."}, names),
                ({"name": names[2][:-1].upper()}, names[2:3]), ({"name": "*xamp*"}, names),
                ({"name": "*.example"}, names), ({"name": "d*exam*"}, names),
                ({"name": "*EXAMPLE"}, names), ({"name": "\\*.example."}, []),
                ({"name": "*%example."}, []), ({"name": "**"}, names),
                ({"name": "!x"}, []), ({"name": "%"}, []), ({"name": "' or 1=1 -- "}, []),
                ({"status": "ACTIVE"}, []), ({"status": "PENDING", "task": "ADD"}, names),
                ({"pool": "default"}, names), ({"pool": "none"}, [])):
            got = [domain["name"] for domain in call("find_domains", tenant, sort_key="name",
                                                     criterion=criterion)["domains"]]
            if want is None:
                want = [name for name in names if name.startswith(names[2][:3])]
            self.assertEqual(got, want, criterion)
        self.fails("Invalid", "criterion.name: must have at most 8 '*', not 9", "find_domains",
                   criterion={"name": "a*" * 9})
        self.fails("Invalid", "marker", "find_domains", marker=uuid.uuid4().hex)
        self.fails("Invalid", "sort_key", "find_domains", sort_key="tenant; DROP TABLE domains")
        self.fails("Invalid", "criterion has no field", "find_domains", criterion={"id": "x"})
        for method in "find_domains", "find_recordsets", "find_records":
            self.fails("Invalid", "status: must be PENDING, ACTIVE or ERROR, not 'DELETED'", method,
                       criterion={"status": "DELETED"})

    def test_a_new_default_ttl_touches_what_has_none(self):
        domain = self.create()
        name = domain["name"]
        change(name, add(f"own.{name}", ["192.0.2.1"], ttl=60), add(f"none.{name}", ["192.0.2.1"]))
        now = call("get_domain", domain=name)
        report(now, "SUCCESS", now["serial"])
        serial = call("update_domain", domain=name, values={"ttl": 77})["serial"]
        rows = {(row[0], row[2]): row[3:] for row in records_of(domain["id"])}
        self.assertEqual(rows[f"none.{name}", "192.0.2.1"], ("UPDATE", "PENDING", str(serial)))
        self.assertEqual(rows[f"own.{name}", "192.0.2.1"][:2], ("NONE", "ACTIVE"))


class Records(Story):
    def test_recordsets(self):
        domain = self.create()
        name = domain["name"]
        made = call("create_recordset", domain=name, recordset={
            "name": f"WWW.{name}", "type": "a", "ttl": 60, "records": ["192.0.2.1", "192.0.2.2"]})
        self.assertEqual((made["name"], made["type"], made["ttl"], made["status"], made["task"]),
                         (f"www.{name}", "A", 60, "PENDING", "ADD"))
        self.assertEqual(sorted(made["records"]), ["192.0.2.1", "192.0.2.2"])
        self.assertEqual(call("get_recordset", domain=name, recordset=made["id"]), made)
        self.fails("Duplicate", "already", "create_recordset", domain=name, recordset={
            "name": f"www.{name}", "type": "A", "records": ["192.0.2.3"]})
        by_data = {member["data"]: member["id"] for member in made["members"]}

        updated = call("update_recordset", domain=name, recordset=made["id"],
                       values={"records": ["192.0.2.1", "192.0.2.9"], "ttl": None})
        self.assertEqual(sorted(updated["records"]), ["192.0.2.1", "192.0.2.9"])
        self.assertIsNone(updated["ttl"])
        # a changed address is the update of its row
        self.assertEqual({member["data"]: member["id"] for member in updated["members"]},
                         {"192.0.2.1": by_data["192.0.2.1"], "192.0.2.9": by_data["192.0.2.2"]})

        found = call("find_recordsets", domain=name, criterion={"type": "A"})
        self.assertEqual([item["id"] for item in found["recordsets"]], [made["id"]])
        found = call("find_records", domain=name, criterion={"data": "192.0.2.9"})
        self.assertEqual([item["recordset_id"] for item in found["records"]], [made["id"]])

        gone = call("delete_recordset", domain=name, recordset=made["id"])
        self.assertEqual((gone["records"], gone["task"]), ([], "DELETE"))
        now = call("get_domain", domain=name)
        self.assertEqual((now["recordsets"], now["records"]), (1, 2))
        report(now, "SUCCESS", now["serial"])
        self.fails("NotFound", "no record set", "get_recordset", domain=name,
                   recordset=made["id"])

    def test_when_a_set_last_changed(self):
        domain = self.create()
        name, long_ago = domain["name"], "2020-01-01 00:00:00.000"

        def changed(act):
            for table, key in ("recordsets", "domain_id"), ("domains", "id"):
                lab.sql(f"UPDATE {table} SET updated_at = '{long_ago}' WHERE {key} = '{domain['id']}'")
            act()
            rows = lab.sql("SELECT name FROM recordsets WHERE updated_at <> "
                           f"'{long_ago}' AND domain_id = '{domain['id']}'")
            return {row[0].removesuffix(f".{name}") for row in rows}

        def imported(*data):
            zone = [[name, 60, "NS", "ns1.example.net."]]
            zone += [[f"{owner}.{name}", 60, "A", datum] for owner, datum in zip("abc", data)]
            commit(stage(name, zone))
        change(name, *(add(f"{owner}.{name}", ["192.0.2.1"], ttl=60) for owner in "abc"))
        a = {"name": f"a.{name}", "type": "A"}
        for want, act in (
                ({"a"}, lambda: change(name, add(f"a.{name}", ["192.0.2.2"]))),
                (set(), lambda: change(name, add(f"a.{name}", ["192.0.2.2"]))),
                ({"a"}, lambda: change(name, {"op": "delete", "records": ["192.0.2.2"], **a})),
                ({"a"}, lambda: change(name, {"op": "delete", **a})),
                ({"b"}, lambda: change(name, add(f"b.{name}", ["192.0.2.1"], ttl=61))),
                ({name, "a", "b"}, lambda: imported("192.0.2.1", "192.0.2.1", "192.0.2.1")),
                ({"c"}, lambda: imported("192.0.2.1", "192.0.2.1", "192.0.2.2")),
                ({"b", "c"}, lambda: imported("192.0.2.1"))):
            self.assertEqual(changed(act), want)
        now = call("get_domain", domain=name)
        self.assertEqual(changed(lambda: report(now, "SUCCESS", now["serial"])), set())
        settled = call("get_domain", domain=name)
        self.assertEqual((settled["status"], settled["updated_at"]),
                         ("ACTIVE", "2020-01-01T00:00:00.000Z"))

    def test_changes(self):
        name = self.create()["name"]
        www = f"www.{name}"
        first = change(name, add(www, ["192.0.2.1", "192.0.2.2"]), add(www, ["2001:DB8::1"], "AAAA"))
        self.assertEqual((first["added"], first["changed"]), (3, True))
        same = change(name, add(www, ["192.0.2.1"]), add(www, ["2001:db8:0::1"], "AAAA"),
                      {"op": "delete", "name": f"x.{name}", "type": "A"})
        self.assertEqual((same["unchanged"], same["changed"], same["serial"]),
                         (3, False, first["serial"]))
        mixed = change(name, {"op": "set", "name": www, "type": "A", "records": ["192.0.2.2",
                                                                              "192.0.2.3"]},
                       {"op": "delete", "name": www, "type": "AAAA"})
        self.assertEqual([mixed[key] for key in ("added", "updated", "deleted", "unchanged")],
                         [0, 1, 1, 1])
        # back before it was ever seen
        change(name, add(www, ["2001:db8::1"], "AAAA"))
        self.assertEqual(call("get_domain", domain=name)["records"], 5)
        moved = change(name, serial=mixed["serial"] + 1000)
        self.assertEqual((moved["serial"], moved["changed"]), (mixed["serial"] + 1000, True))
        self.fails("Conflict", "must be newer", "apply_changes", domain=name, changes=[], serial=5)
        change(name, soa={"mname": "other.example.", "minimum": 9})
        self.assertEqual(call("get_domain", domain=name)["primary"], "other.example.")

    def test_types(self):
        name = self.create()["name"]
        for record_type, data in (
                ("A", "192.0.2.1"), ("AAAA", "::1"), ("MX", "10 mail.example."),
                ("NS", "ns.example."), ("PTR", "host.example."), ("SRV", "1 2 3 host.example."),
                ("TXT", '"a b" "c"'), ("CAA", '128 issue ";"'), ("TYPE65280", "\\# 2 abcd"),
                ("SSHFP", "4 2 " + "ab" * 32), ("TLSA", "3 1 1 " + "ab" * 32),
                ("NAPTR", '100 10 "u" "E2U+sip" "!^.*$!sip:a b@example!" .'),
                ("SVCB", "1 . alpn=h2"), ("HTTPS", "0 svc.example."), ("SPF", '"v=spf1"'),
                ("DS", "1 8 2 " + "ab" * 32), ("LOC", "52 22 23.000 N 4 53 32.000 E -2.00m 0m 10000m 10m"),
                ("CNAME", "x.example.")):
            owner = f"{record_type.lower()}.{name}"
            self.assertEqual(change(name, add(owner, [data], record_type))["added"], 1, record_type)
        for record_type, data in (("A", "1.2.3"), ("A", "192.0.2.1\n"), ("MX", "mail.example."),
                                  ("MX", "10 relative"), ("AAAA", ""), ("TXT", "\"a"),
                                  ("SRV", "1 2 99999 a."), ("TYPE65280", "\\# 3 abcd")):
            self.fails("Invalid", "changes[0].records[0]", "apply_changes", domain=name,
                       changes=[add(f"bad.{name}", [data], record_type)])
        for record_type in ("ANY", "AXFR", "OPT", "TSIG", "NONSENSE", "TYPE0", "TYPE99999"):
            self.fails("Invalid", "changes[0].type", "apply_changes", domain=name,
                       changes=[add(f"bad.{name}", ["x"], record_type)])

    def test_rules(self):
        name = self.create()["name"]
        call("create_domain", domain={"name": f"child.{name}"})
        change(name, add(f"alias.{name}", ["x.example."], "CNAME"))
        for words, bad in (
                (f"'alias.{name}' cannot have both CNAME and A records",
                 add(f"alias.{name}", ["192.0.2.1"])),
                ("more than one CNAME", add(f"alias.{name}", ["y.example."], "CNAME")),
                ("apex", add(name, ["x.example."], "CNAME")),
                ("NS record at its apex", {"op": "delete", "name": name, "type": "NS"}),
                ("must not be SOA", add(name, ["a. b. 1 2 3 4 5"], "SOA")),
                ("must be inside the domain", add("www.example.org.", ["192.0.2.1"])),
                ("must be inside the domain", add(f"x{name}", ["192.0.2.1"])),
                ("below this domain", add(f"a.child.{name}", ['"x"'], "TXT"))):
            self.fails("Invalid", words, "apply_changes", domain=name, changes=[bad])
        self.assertEqual(change(name, add(f"child.{name}", ["ns.child.example."], "NS"),
                                add(f"ns.child.{name}", ["192.0.2.1"]))["added"], 2)
        # the outcome is judged, not the way to it
        change(name, {"op": "delete", "name": f"alias.{name}", "type": "CNAME"},
               add(f"alias.{name}", ["192.0.2.1"]))
        change(name, {"op": "set", "name": name, "type": "NS", "records": ["only.example."]})
        self.fails("Conflict", f"child.{name}", "delete_domain", domain=name)

    def test_journal(self):
        """Each row's removed and added are what the serial changed, the SOAs first."""
        domain = self.create()
        name = domain["name"]
        change(name, add(f"a.{name}", ["192.0.2.1"]))
        change(name, {"op": "set", "name": f"a.{name}", "type": "A", "records": ["192.0.2.2"]})
        rows = lab.sql("SELECT previous_serial, serial, HEX(removed), HEX(added) FROM journal "
                       f"WHERE domain_id = '{domain['id']}' ORDER BY serial")
        self.assertEqual([row[0] for row in rows[1:]], [row[1] for row in rows[:-1]])
        self.assertEqual(int(rows[0][0]), domain["serial"])
        self.assertIn("C0000201", rows[1][2])
        self.assertIn("C0000202", rows[1][3])
        for previous, serial, removed, added in rows:
            self.assertIn(f"{int(previous):08X}", removed)
            self.assertIn(f"{int(serial):08X}", added)

    def test_the_same_names_twice_in_a_large_change(self):
        """Far apart, one is deleted and added: it was there once, and is counted once."""
        domain = self.create()
        name, many = domain["name"], range(600)
        change(name, *(add(f"n{i}.{name}", ["192.0.2.1"]) for i in many))
        before = call("get_domain", domain=name)
        step = change(name, *({"op": "delete", "name": f"n{i}.{name}", "type": "A"} for i in many),
                      *(add(f"n{i}.{name}", ["192.0.2.2"]) for i in many))
        after = call("get_domain", domain=name)
        for counted in "records", "recordsets":
            self.assertEqual(after[counted], before[counted])
        removed, added = lab.sql("SELECT HEX(removed), HEX(added) FROM journal WHERE domain_id = "
                                 f"'{domain['id']}' AND serial = {step['serial']}")[0]
        self.assertEqual((removed.count("C0000201"), added.count("C0000202")), (600, 600))

    def journal_of(self, domain):
        rows = lab.sql("SELECT previous_serial, serial FROM journal "
                       f"WHERE domain_id = '{domain['id']}' ORDER BY serial")
        return [(int(previous), int(serial)) for previous, serial in rows]

    def test_an_old_journal_is_swept(self):
        """With an old change go those before it, and what is left has no gap."""
        domain = self.create()
        name, serials = domain["name"], [domain["serial"]]
        for i in range(5):
            serials.append(change(name, add(f"a.{name}", [f"192.0.2.{i}"]))["serial"])
        steps = list(zip(serials, serials[1:]))
        self.assertEqual(self.journal_of(domain), steps)
        for ago, serial in ((JOURNAL_AGE - 60, serials[3]), (JOURNAL_AGE + 60, serials[2])):
            lab.sql(f"UPDATE journal SET created_at = UTC_TIMESTAMP(3) - INTERVAL {ago} SECOND "
                    f"WHERE domain_id = '{domain['id']}' AND serial = {serial}")
        wait_for(lambda: len(self.journal_of(domain)) < 5, 20, "the journal is swept")
        self.assertEqual(self.journal_of(domain), steps[2:])

    def test_a_large_journal_is_cut(self):
        """The newest changes stay, as many as fit, over the end of all serials."""
        domain = self.create()
        name, text = domain["name"], '"' + "x" * 250 + '"'
        lab.sql(f"UPDATE domains SET serial = 4294967290 WHERE id = '{domain['id']}'")
        serials = [change(name, add(f"t{i}.{name}", [" ".join([text] * 40)], "TXT"))["serial"]
                   for i in range(JOURNAL_BYTES // 10000 + 20)]
        self.assertLess(serials[-1], 2**31)

        def kept():
            return int(lab.sql("SELECT SUM(LENGTH(removed) + LENGTH(added)) FROM journal "
                               f"WHERE domain_id = '{domain['id']}'")[0][0])

        wait_for(lambda: kept() <= JOURNAL_BYTES, 20, "the journal is cut")
        self.assertGreater(kept(), JOURNAL_BYTES - 11000)
        steps = set(self.journal_of(domain))
        for serial in reversed(serials[-len(steps):]):
            self.assertTrue(any(step[1] == serial for step in steps), serial)

    def test_a_change_too_large_for_the_journal(self):
        domain = self.create()
        name = domain["name"]
        text = " ".join('"' + "x" * 250 + '"' for _ in range(16))
        large = [add(f"t{i}.{name}", [f'"{j}" {text}' for j in range(15)], "TXT")
                 for i in range(19)]
        one = change(name, add(f"a.{name}", ["192.0.2.1"]))["serial"]
        two = change(name, *large)["serial"]
        three = change(name, add(f"a.{name}", ["192.0.2.2"]))["serial"]
        self.assertEqual(self.journal_of(domain), [(domain["serial"], one), (two, three)])
        some = [{"op": "delete", "name": f"t{i}.{name}", "type": "TXT"} for i in range(13)]
        four = change(name, *some)["serial"]        # 0.8 MB
        self.assertEqual(self.journal_of(domain)[2:], [(three, four)])

    def test_round_trips(self):
        """A change of one record in a set that is there needs ten, as edit.h says."""
        name = self.create()["name"]
        change(name, add(f"a.{name}", ["192.0.2.1"]))
        count = 30

        def asked():
            rows = lab.sql("SHOW GLOBAL STATUS WHERE Variable_name IN ('Com_stmt_execute', "
                           "'Com_begin', 'Com_commit')")
            return sum(int(row[1]) for row in rows)
        for i in range(10):     # both processes have prepared their statements
            change(name, add(f"a.{name}", [f"192.0.2.{i + 2}"]))
        each = []
        with living("minidns", "pool_manager.default"):     # or it asks each time
            for i in range(count):
                before = asked()
                change(name, {"op": "set", "name": f"a.{name}", "type": "A",
                              "records": [f"198.51.100.{i}"]})
                each.append(asked() - before)
        # the sweep asks, too, and what was here before may still be on its way
        self.assertLessEqual(min(each), 10)


class Permission(Story):
    def test_tenants(self):
        domain = self.create()
        domain.pop("warnings")
        name = domain["name"]
        recordset = call("find_recordsets", domain=name)["recordsets"][0]["id"]
        for method, args in (
                ("get_domain", {}), ("update_domain", {"values": {"ttl": 1}}),
                ("delete_domain", {}), ("find_recordsets", {}), ("find_records", {}),
                ("export_domain", {}), ("apply_changes", {"changes": []}), ("get_status", {}),
                ("get_recordset", {"recordset": recordset}),
                ("delete_recordset", {"recordset": recordset})):
            for key in (name, domain["id"]):
                self.fails("NotFound", "there is no domain", method, BOB, domain=key, **args)
                self.fails("Forbidden", "tenant", method, {}, domain=key, **args)
        self.assertEqual(call("find_domains", BOB, criterion={"name": name})["domains"], [])
        self.assertEqual(call("find_domains", ADMIN, criterion={"name": name})["domains"], [])
        self.assertEqual(len(call("find_domains", ALL, criterion={"name": name})["domains"]), 1)
        self.assertEqual(call("get_domain", ADMIN, domain=name), domain)
        self.assertEqual(call("find_recordsets", BOB, criterion={"name": name})["recordsets"], [])
        begun = call("begin_import", domain={"name": lab.name()})["id"]
        for method, args in (("get_import", {}), ("commit_import", {}), ("cancel_import", {}),
                             ("add_to_import", {"part": 0, "records": []})):
            self.fails("NotFound", "no import", method, BOB, **{"import": begun}, **args)

    def test_relatives(self):
        name = self.create()["name"]
        for relative in (f"x.{name}", f"y.x.{name}"):
            self.fails("Forbidden", "another tenant", "create_domain", BOB,
                       domain={"name": relative})
        deep = f"a.b.c{next(lab.numbers)}.test."
        call("create_domain", domain={"name": deep})
        self.fails("Forbidden", "another tenant", "create_domain", BOB,
                   domain={"name": deep.split(".", 1)[1]})
        self.assertEqual(call("create_domain", ADMIN, domain={
            "name": f"x.{name}", "tenant": "bob"})["tenant"], "bob")
        self.fails("Forbidden", "domain.tenant", "create_domain", BOB,
                   domain={"name": lab.name(), "tenant": "alice"})

    @contextlib.contextmanager
    def being_created(self, name):
        """Within, another transaction has inserted a domain of Bob's. Then it commits."""
        model = call("create_domain", BOB, domain={"name": lab.name()})["id"]
        same = ("tenant, pool_id, serial, mname, rname, soa_ttl, refresh, retry, expire, "
                "minimum, ttl")
        ancestry = "".join(f"{len(label):02x}{label.encode().hex()}"
                           for label in reversed(name.rstrip(".").split(".")))
        with held(f"INSERT INTO domains (id, name, ancestry, {same}) SELECT '{uuid.uuid4().hex}', "
                  f"'{name}', X'{ancestry}', {same} FROM domains WHERE id = '{model}'") as do:
            yield
            do("COMMIT")

    def met_locks(self):
        """How often a transaction was rolled back or waits for a lock."""
        return sum(int(row[1]) for row in lab.sql(
            "SHOW GLOBAL STATUS WHERE Variable_name IN ('Com_rollback', "
            "'Innodb_row_lock_current_waits')"))

    def create_as_alice(self, name):
        return call("create_domain", domain={"name": name})

    def import_as_alice(self, name):
        done = commit(stage(name, [[name, 60, "NS", "ns1.example.net."]], ALICE), ALICE)
        if done["state"] == "ERROR":
            raise AssertionError(done["reason"])

    def test_relatives_that_are_created_at_the_same_time(self):
        for create in self.create_as_alice, self.import_as_alice:
            for theirs, ours in ("x.{}", "{}"), ("{}", "x.y.{}"):
                name = lab.name()
                with self.subTest(theirs=theirs, create=create), ThreadPoolExecutor(1) as pool:
                    with self.being_created(theirs.format(name)):
                        before = self.met_locks()
                        answer = pool.submit(create, ours.format(name))
                        wait_for(lambda: answer.done() or self.met_locks() > before, 20,
                                 "it waits for the other")
                    with self.assertRaisesRegex(Exception, "above or below a domain of another"):
                        answer.result()
        wait_unstaged()

    def test_relatives_that_are_being_changed_hold_up_nothing(self):
        parent = self.create()
        child = call("create_domain", domain={"name": f"y.x.{lab.name()}"})
        for relative, name in ((parent, f"new.{parent['name']}"),
                               (child, child["name"].split(".", 1)[1])):
            # by its id: by its name, it would also lock the gap to the next name
            with self.subTest(relative=relative["name"]), held(
                    f"UPDATE domains SET serial = serial + 1 WHERE id = '{relative['id']}'"):
                self.assertEqual(call("create_domain", domain={"name": name})["name"], name)

    def test_relatives_of_two_who_race(self):
        for _ in range(20):
            parent = lab.name()
            with ThreadPoolExecutor(2) as pool:
                answers = [pool.submit(call, "create_domain", context, domain={"name": name})
                           for context, name in ((ALICE, parent), (BOB, f"x.{parent}"))]
            good = [answer for answer in answers if not answer.exception()]
            self.assertLessEqual(len(good), 1, parent)

    def test_for_administrators_only(self):
        for method, args in (
                ("create_pool", {"pool": {"name": "x"}}), ("find_pools", {}),
                ("get_pool", {"pool": "default"}), ("delete_pool", {"pool": "default"}),
                ("update_pool", {"pool": "default", "values": {}}), ("get_status", {}),
                ("create_blacklist", {"blacklist": {"name": "x."}}), ("find_blacklists", {}),
                ("get_blacklist", {"blacklist": uuid.uuid4().hex}),
                ("update_blacklist", {"blacklist": uuid.uuid4().hex, "values": {}}),
                ("delete_blacklist", {"blacklist": uuid.uuid4().hex}),
                ("create_tld", {"tld": {"name": "x"}}), ("get_tld", {"tld": "x"}),
                ("find_tlds", {}), ("update_tld", {"tld": "x", "values": {}}),
                ("delete_tld", {"tld": "x"}), ("apply_tlds", {"add": ["x"]}),
                ("set_quota", {"tenant": "alice", "resource": "domains", "hard_limit": 9}),
                ("reset_quotas", {"tenant": "alice"}), ("find_quotas", {}),
                ("get_quotas", {"tenant": "bob"}), ("find_tsigkeys", {}),
                ("find_workers", {}), ("find_locks", {}), ("find_repairs", {}),
                ("update_server", {"pool": "default", "server": "x", "state": "ACTIVE"}),
                ("create_tsigkey", {"tsigkey": {"name": "x."}}),
                ("get_tsigkey", {"tsigkey": "x."}),
                ("update_tsigkey", {"tsigkey": "x.", "values": {}}),
                ("delete_tsigkey", {"tsigkey": "x."})):
            self.fails("Forbidden", "tenant" if method == "get_quotas" else "administrators",
                       method, ALICE, **args)
        domain = self.create()
        with self.assertRaises(om.RemoteError) as caught:
            report(domain, "SUCCESS", domain["serial"], context=ALICE)
        self.assertEqual(caught.exception.exc_type, "Forbidden")

    def test_quotas(self):
        tenant = {"project_id": f"small{next(lab.numbers)}"}
        for resource, limit in (("domains", 2), ("domain_recordsets", 3),
                                ("recordset_records", 2)):
            call("set_quota", ADMIN, tenant=tenant["project_id"], resource=resource,
                 hard_limit=limit)
        self.assertEqual(call("get_quotas", ADMIN, tenant=tenant["project_id"]),
                         {"tenant": tenant["project_id"], "usage": {"domains": 0},
                          "own": ["domains", "domain_recordsets", "recordset_records"],
                          "domains": 2, "domain_recordsets": 3, "domain_records": 100000,
                          "recordset_records": 2, "export_recordsets": -1, "has_domains": False})
        call("set_quota", ADMIN, tenant=tenant["project_id"], resource="recordset_records",
             hard_limit=None)
        quotas = call("get_quotas", tenant, tenant=tenant["project_id"])
        self.assertEqual(quotas["recordset_records"], 20)       # central.quota_records
        call("set_quota", ADMIN, tenant=tenant["project_id"], resource="recordset_records",
             hard_limit=2)
        name = self.create(tenant)["name"]
        self.assertTrue(call("get_quotas", tenant, tenant=tenant["project_id"])["has_domains"])
        self.create(tenant)
        self.fails("OverQuota", "2 domains, and the quota (domains)", "create_domain", tenant,
                   domain={"name": lab.name()})
        change(name, add(f"a.{name}", ["192.0.2.1", "192.0.2.2"]), add(f"b.{name}", ["192.0.2.1"]),
               context=tenant)
        self.fails("OverQuota", "4 record sets", "apply_changes", tenant, domain=name,
                   changes=[add(f"c.{name}", ["192.0.2.1"])])
        self.fails("OverQuota", "would have 3 records", "apply_changes", tenant, domain=name,
                   changes=[add(f"a.{name}", ["192.0.2.3"])])
        change(name, add(f"a.{name}", ["192.0.2.3"]), context=ADMIN)
        # what is above its quota may shrink
        change(name, {"op": "delete", "name": f"a.{name}", "type": "A",
                      "records": ["192.0.2.3"]}, context=tenant)

    def test_the_records_of_a_domain(self):
        """All changes count, also an import. What is above the quota may shrink."""
        tenant = {"project_id": f"small{next(lab.numbers)}"}
        name = self.create(tenant)["name"]              # with two NS records
        call("set_quota", ADMIN, tenant=tenant["project_id"], resource="domain_records",
             hard_limit=4)
        change(name, add(f"a.{name}", ["192.0.2.1", "192.0.2.2"]), context=tenant)
        more = add(f"b.{name}", ["192.0.2.1"])
        said = "would have 5 records, but the quota (domain_records) is 4"
        self.fails("OverQuota", said, "apply_changes", tenant, domain=name, changes=[more])
        rows = [[name, 300, "NS", "ns1.example.net."], *(
            [f"h{number}.{name}", 300, "A", "192.0.2.1"] for number in range(4))]
        done = commit(stage(name, rows, tenant), tenant)
        self.assertEqual((done["state"], said in done["reason"]), ("ERROR", True), done["reason"])
        self.assertEqual(commit(stage(name, rows[:-1], tenant), tenant)["reason"], "")
        change(name, more, context=ADMIN)
        self.fails("OverQuota", "would have 6 records", "apply_changes", tenant, domain=name,
                   changes=[add(f"c.{name}", ["192.0.2.1"])])
        for data in "192.0.2.2", "192.0.2.3":           # as many as before
            change(name, {"op": "set", "name": f"b.{name}", "type": "A", "records": [data]},
                   context=tenant)
        change(name, {"op": "delete", "name": f"b.{name}", "type": "A"}, context=tenant)

    def test_the_size_of_an_export(self):
        tenant = {"project_id": f"small{next(lab.numbers)}"}
        name = self.create(tenant)["name"]
        change(name, add(f"a.{name}", ["192.0.2.1"]), add(f"b.{name}", ["192.0.2.1"]), context=tenant)
        whole = export(name, tenant)
        for limit, good in (3, True), (2, False), (0, False), (-1, True):
            call("set_quota", ADMIN, tenant=tenant["project_id"], resource="export_recordsets",
                 hard_limit=limit)
            self.assertEqual(export(name), whole)
            if good:
                self.assertEqual(export(name, tenant), whole)
            else:
                self.fails("OverQuota", f"has 3 record sets, but the quota for an export "
                           f"(export_recordsets) is {limit}", "export_domain", tenant, domain=name)

    def test_tenants_with_limits_of_their_own(self):
        prefix = f"own{next(lab.numbers)}"
        tenants = [f"{prefix}{end}" for end in ("", "-a", "-b ö", "-c")]
        limits = {"domains": 7, "export_recordsets": -1}
        for tenant in reversed(tenants):
            for resource, limit in limits.items():
                call("set_quota", ADMIN, tenant=tenant, resource=resource, hard_limit=limit)
        self.create({"project_id": tenants[1]})
        for size in 1, 2, 100:
            found = [row for row in self.pages(size) if row["tenant"].startswith(prefix)]
            self.assertEqual([row["tenant"] for row in found], tenants, size)
            self.assertEqual(found, [call("get_quotas", ADMIN, tenant=tenant)
                                     for tenant in tenants], size)
        self.assertEqual([(row["own"], row["usage"], row["domains"]) for row in found],
                         [(list(limits), {"domains": number}, 7) for number in (0, 1, 0, 0)])
        again = call("reset_quotas", ADMIN, tenant=tenants[1])
        self.assertEqual((again["own"], again["usage"], again["domains"]), ([], {"domains": 1}, 1000))
        self.assertNotIn(tenants[1], [row["tenant"] for row in self.pages(100)])
        call("reset_quotas", ADMIN, tenant=tenants[1])
        self.fails("Invalid", "limit", "find_quotas", ADMIN, limit=0)
        self.fails("Invalid", "tenant: must not be empty", "reset_quotas", ADMIN, tenant="")

    @staticmethod
    def pages(size):
        rows, marker = [], None
        while True:
            page = call("find_quotas", ADMIN, limit=size, marker=marker)
            rows += page["quotas"]
            marker = page["marker"]
            if not marker:
                return rows

    def test_blacklist(self):
        bad = f"bad{next(lab.numbers)}.test."
        entry = call("create_blacklist", ADMIN, blacklist={"name": bad.upper()})
        self.fails("Duplicate", "already", "create_blacklist", ADMIN, blacklist={"name": bad})
        self.assertIn(entry["id"], [item["id"] for item in
                                    call("find_blacklists", ADMIN)["blacklists"]])
        for name in (bad, f"x.y.{bad}"):
            self.fails("Forbidden", "blacklist", "create_domain", domain={"name": name})
        call("create_domain", domain={"name": f"x{bad}"})
        call("create_domain", ADMIN, domain={"name": bad})
        for never, words in ((f"*.{bad}", f"blacklist.name: must not be a wildcard: write "
                                          f"{bad}, which also covers all names below it"),
                             ("*.", "write ., which"), (f"/x.{bad}", "'/' must be between")):
            self.fails("Invalid", words, "create_blacklist", ADMIN, blacklist={"name": never})
        call("delete_blacklist", ADMIN, blacklist=entry["id"])
        self.fails("NotFound", "the blacklist has no entry", "delete_blacklist", ADMIN,
                   blacklist=entry["id"])

    def test_pools(self):
        name = f"pool{next(lab.numbers)}"
        made = call("create_pool", ADMIN, pool={"name": name})
        self.fails("Invalid", "no hosts for NS records", "create_domain", ADMIN,
                   domain={"name": lab.name(), "pool": name})
        self.fails("Invalid", "no pool", "create_domain", ADMIN,
                   domain={"name": lab.name(), "pool": "x"})
        call("update_pool", ADMIN, pool=name, values={"ns_records": ["NS.example.com."]})
        call("update_pool", ADMIN, pool=name, values={"ns_records": None})
        self.assertEqual(call("get_pool", ADMIN, pool=made["id"])["ns_records"],
                         ["ns.example.com."])
        domain = self.create(context=ADMIN, pool=name)
        self.assertEqual((domain["pool"], domain["primary"]), (name, "ns.example.com."))
        self.fails("Conflict", f"has 1 domain: delete all its domains first ('zonefleet domain list "
                   f"--pool {name} ", "delete_pool", ADMIN, pool=name)
        self.fails("Duplicate", "exists", "create_pool", ADMIN, pool={"name": name})
        self.fails("Invalid", "pool.name", "create_pool", ADMIN, pool={"name": "a.b"})
        self.assertIn(name, [pool["name"] for pool in call("find_pools", ADMIN)["pools"]])

    def test_a_pool_is_deleted_with_what_is_stored_about_it(self):
        """But not while a domain or a pool manager of it is alive."""
        pool = f"pool{next(lab.numbers)}"
        made = call("create_pool", ADMIN, pool={"name": pool, "ns_records": ["ns.example.com."]})
        call("update_pool", ADMIN, pool=pool, values={"catalog_zone": lab.name()})
        self.fails("Conflict", "has the catalog zone", "delete_pool", ADMIN, pool=pool)
        call("update_pool", ADMIN, pool=pool, values={"catalog_zone": ""})
        domain = self.create(ADMIN, pool=pool)
        catalog, = (found for found in call("find_domains", ADMIN | {"all_tenants": True},
                                            criterion={"pool": pool})["domains"]
                    if found["kind"] == "CATALOG")
        lab.sql("INSERT INTO pool_servers (pool_name, id, backend, host, port, state) VALUES "
                f"('{pool}', 'one', 'bind9', '192.0.2.1', 53, 'ACTIVE')")
        lab.sql("INSERT INTO pool_manager_status (id, server_id, domain_id, action, status) "
                f"VALUES (MD5('{pool}'), 'one', '{domain['id']}', 'CREATE', 'ERROR')")
        lab.sql("INSERT INTO repairs (object_uuid, server_id, kind, state, pool_name, name, serial, "
                f"pass1_at, updated_at) VALUES ('{domain['id']}', 'one', 'STRAY', 'PARKED', "
                f"'{pool}', '{domain['name']}', 1, NOW(3), NOW(3))")
        lab.sql("INSERT INTO worker_nodes (plugin_name, service, plugin_time, started_at) VALUES "
                f"('dead.{pool}', 'pool_manager.{pool}', NOW(6) - INTERVAL 1 HOUR, NOW(6)), "
                f"('dead.{pool}x', 'pool_manager.{pool}x', NOW(6) - INTERVAL 1 HOUR, NOW(6))")
        self.addCleanup(lab.sql, f"DELETE FROM worker_nodes WHERE plugin_name LIKE 'dead.{pool}%'")
        self.fails("Conflict", "has 2 domains", "delete_pool", ADMIN, pool=pool)
        call("delete_domain", ADMIN, domain=domain["name"])
        self.fails("Conflict", "has 2 domains", "delete_pool", ADMIN, pool=pool)
        for gone in domain, catalog:
            call("abandon_domain", ADMIN, domain=gone["id"])
        with living(f"pool_manager.{pool}"):
            self.fails("Conflict", f"a pool manager of the pool '{pool}' is running: stop all",
                       "delete_pool", ADMIN, pool=pool)
        call("delete_pool", ADMIN, pool=pool)
        self.fails("NotFound", "no pool", "get_pool", ADMIN, pool=pool)
        for table, where in (("pools", f"name = '{pool}'"),
                             ("domains", f"pool_id = '{made['id']}'"),
                             ("records", f"domain_id = '{domain['id']}'"),
                             ("recordsets", f"domain_id = '{domain['id']}'"),
                             ("journal", f"domain_id = '{domain['id']}'"),
                             ("pool_servers", f"pool_name = '{pool}'"),
                             ("repairs", f"pool_name = '{pool}'"),
                             ("pool_manager_status", f"domain_id = '{domain['id']}'")):
            self.assertEqual(lab.sql(f"SELECT 1 FROM {table} WHERE {where}"), [], table)
        self.assertEqual([row["service"] for row in call("find_workers", ADMIN)["workers"]
                          if row["plugin_name"].startswith(f"dead.{pool}")],
                         [f"pool_manager.{pool}x"])

    def test_pools_of_tenants(self):
        """A tenant names the default pool, or one that the settings open."""
        closed = f"pool{next(lab.numbers)}"
        for name in closed, OPEN_POOL:
            call("create_pool", ADMIN, pool={"name": name, "ns_records": ["ns.example.com."]})
        for name in closed, "none", "open", "*":
            with self.subTest(name=name):
                for method in "create_domain", "begin_import":
                    self.fails("Forbidden", "tenant_pools", method,
                               domain={"name": lab.name(), "pool": name})
        for name in "default", OPEN_POOL:
            self.assertEqual(self.create(pool=name)["pool"], name)
        empty = call("create_pool", ADMIN, pool={"name": name + "x"})
        call("delete_pool", ADMIN, pool=empty["id"])
        self.fails("NotFound", "no pool", "get_pool", ADMIN, pool=empty["id"])


class Hostile(Story):
    """What test_hostile.py does not know: ranges, and where in a list a thing is wrong."""

    def setUp(self):
        self.domain = self.create()
        self.before = checksums()

    def tearDown(self):
        self.assertEqual(checksums(), self.before)

    def test_finds(self):
        for method in ("find_domains", "find_recordsets", "find_records", "find_pools",
                       "find_blacklists", "find_tlds", "find_tsigkeys"):
            for args in ({"limit": 0}, {"limit": 1001}, {"limit": "5"}, {"marker": "x"},
                         {"marker": 5}, {"sort_key": []}, {"sort_dir": "up"},
                         {"sort_key": "nothing"}):
                self.fails("Invalid", next(iter(args)), method, ADMIN, **args)

    def test_fields(self):
        name = self.domain["name"]
        good = add(f"a.{name}", ["192.0.2.1"])
        for words, bad in (
                ("changes[1]: must be an object", 5), ("changes[1].op", {**good, "op": "drop"}),
                ("changes[1].name", {**good, "name": "a"}), ("changes[1].ttl", {**good, "ttl": -1}),
                ("changes[1].ttl", {**good, "ttl": 2**31}), ("changes[1].ttl", {**good, "ttl": "5"}),
                ("changes[1].records: must not be empty", {**good, "records": []}),
                ("changes[1].records[0]: must be a string", {**good, "records": [5]}),
                ("changes[1] has no field", {**good, "Records": []}),
                ("changes[1].records", {**good, "records": "192.0.2.1"}),
                ("changes[1].records[1]", {**good, "records": ["192.0.2.1", "x"]}),
                ("changes[1].name", {**good, "name": f"a..{name}"}),
                ("changes[1].records[0]", add(f"t.{name}", ["x" * 300000], "TXT"))):
            self.fails("Invalid", words, "apply_changes", domain=name, changes=[good, bad])
        self.fails("Invalid", "not 5001", "apply_changes", domain=name,
                   changes=[{}] * 5001)
        self.fails("Invalid", "serial", "apply_changes", domain=name, changes=[], serial=2**32)
        self.fails("Invalid", "soa has no field", "apply_changes", domain=name, changes=[],
                   soa={"serial": 1})
        for field, value in (("ttl", 2**31), ("email", "nobody"), ("email", "a@b@"), ("email", "@x"),
                             ("refresh", "1h"), ("primary", "ns"), ("description", "x" * 256)):
            self.fails("Invalid", f"values.{field}", "update_domain", domain=name,
                       values={field: value})
        for field in ("name", "tenant", "pool", "id", "serial", "status"):
            self.fails("Invalid", "has no field", "update_domain", domain=name,
                       values={field: "x"})


class Once(Story):
    """The same message twice, byte by byte, as a broker or a client in doubt may send it."""

    def send_twice(self, method, args, context=ALICE):
        return send([message(method, args, context)] * 2)

    def test_one_effect(self):
        name = lab.name()
        first, second = self.send_twice("create_domain", {"domain": {"name": name}})[:2]
        self.assertEqual(first, second)
        self.assertEqual(first["name"], name)
        changes = [add(f"a.{name}", ["192.0.2.1"])]
        first, second = self.send_twice("apply_changes", {"domain": name, "changes": changes})[:2]
        self.assertEqual(first, second)
        self.assertEqual(call("get_domain", domain=name)["serial"], first["serial"])
        recordset = {"name": f"b.{name}", "type": "A", "records": ["192.0.2.1"]}
        first, second = self.send_twice("create_recordset", {"domain": name,
                                                             "recordset": recordset})[:2]
        self.assertEqual(first, second)

    def test_one_effect_for_two_tenants(self):
        name, key = self.create()["name"], "k" * 32
        for method, args in (
                ("create_share", {"share": {"domain": name, "target_tenant": "carol"}}),
                ("create_transfer", {"transfer": {
                    "domain": name, "key_hash": hashlib.sha256(key.encode()).hexdigest()}})):
            first, second = self.send_twice(method, args)[:2]
            self.assertEqual(first, second)
        first, second = self.send_twice("accept_transfer", {"transfer": first["id"], "key": key},
                                        ALICE | {"project_id": "carol"})[:2]
        self.assertEqual(first, second)
        self.assertEqual((first["state"], call("get_domain", ADMIN, domain=name)["tenant"]),
                         ("ACCEPTED", "carol"))

    def test_told_again(self):
        """Who gave the answer may have died before the pool manager heard."""
        name = self.create()["name"]
        with kombu.Connection(lab.broker) as link:
            exchange = kombu.Exchange("zonefleet", "topic", durable=True)
            queue = kombu.Queue("", exchange, "pool_manager.default", channel=link.default_channel,
                                exclusive=True)
            queue.declare()
            self.send_twice("apply_changes", {"domain": name,
                                              "changes": [add(f"a.{name}", ["192.0.2.1"])]})
            heard = []
            while len(heard) < 2:
                told = wait_for(lambda: queue.get(no_ack=True), 20, "pool manager is told")
                told = json.loads(told.payload["oslo.message"])
                if told["method"] == "update_domains":
                    heard += [domain["serial"] for domain in told["args"]["domains"]
                              if domain["name"] == name]
            self.assertEqual(heard[0], heard[1])


class Log(Story):
    """Each change leaves one line at info, and all else leaves none."""

    KEYS = ("method", "serial", "added", "updated", "deleted")

    @staticmethod
    def lines(name):
        return changes(lab.fleet.workers, name)

    def wait_lines(self, name, count):
        """The line comes after the answer."""
        wait_for(lambda: len(self.lines(name)) >= count, 20, f"{count} changes of {name} are logged")
        self.assertEqual(len(self.lines(name)), count)
        return self.lines(name)

    def test_a_domain(self):
        caller = ALICE | {"user_id": "al ice", "request_id": f"req-{uuid.uuid4().hex}"}
        created = self.create(context=caller)
        name = created["name"]
        first = change(name, add(f"a.{name}", ["192.0.2.1", "192.0.2.2"]), context=caller)
        change(name, add(f"a.{name}", ["192.0.2.1"]), context=caller)       # it is there
        described = call("update_domain", caller, domain=name, values={"description": "d"})
        call("create_recordset", caller, domain=name,
             recordset={"name": f"b.{name}", "type": "A", "records": ["192.0.2.3"]})
        deleted = call("delete_domain", caller, domain=name)
        call("delete_domain", caller, domain=name)                      # it is being deleted
        said = self.wait_lines(name, 5)
        self.assertEqual(sorted(tuple(line[key] for key in self.KEYS) for line in said), sorted([
            ("create_domain", str(created["serial"]), "2", "0", "0"),
            ("apply_changes", str(first["serial"]), "2", "0", "0"),
            ("update_domain", str(described["serial"]), "0", "0", "0"),
            ("create_recordset", str(deleted["serial"]), "1", "0", "0"),
            ("delete_domain", str(deleted["serial"]), "0", "0", "5")]))
        for line in said:
            self.assertEqual((line["tenant"], line["user"], line["req"], line["account"]),
                             ("alice", "al ice", caller["request_id"], ""), line)

    def test_a_repeated_message(self):
        name = self.create()["name"]
        Once.send_twice(self, "apply_changes", {"domain": name,
                                                "changes": [add(f"a.{name}", ["192.0.2.1"])]})
        self.fails("Conflict", "version", "update_domain", domain=name, version=99,
                   values={"description": "no"})
        call("delete_domain", domain=name)
        self.assertEqual(sorted(line["method"] for line in self.wait_lines(name, 3)),
                         ["apply_changes", "create_domain", "delete_domain"])

    def test_calls_that_share_a_transaction(self):
        names = [self.create()["name"] for _ in range(20)]
        send([message("apply_changes", {"domain": name, "changes": [add(f"a.{name}", ["192.0.2.1"])]},
                      ALICE | {"request_id": f"req-{name}"}) for name in names])
        for name in names:
            line, = (line for line in self.wait_lines(name, 2) if line["method"] == "apply_changes")
            self.assertEqual(line["req"], f"req-{name}")

    def test_an_import(self):
        name, caller = lab.name(), ALICE | {"user_id": "al", "request_id": "req-import"}
        commit(stage(name, generated_zone(name, 10), caller), caller)
        commit(stage(name, generated_zone(name, 10), caller), caller)   # it changes nothing
        line, = self.wait_lines(name, 1)
        found = call("get_domain", domain=name)
        self.assertEqual(line, {"method": "commit_import", "domain": name, "account": "",
                                "serial": str(found["serial"]), "added": "9", "updated": "0",
                                "deleted": "0", "user": "al", "tenant": "alice",
                                "req": "req-import"})

    def test_what_an_administrator_sets(self):
        name, number = lab.name(), next(lab.numbers)
        entry = call("create_blacklist", ADMIN, blacklist={"name": name})
        call("delete_blacklist", ADMIN, blacklist=entry["id"])
        call("create_tld", ADMIN, tld={"name": f"tld.{name}"})
        call("update_tld", ADMIN, tld=f"tld.{name}", values={"description": "d"})
        call("delete_tld", ADMIN, tld=f"tld.{name}")
        call("create_pool", ADMIN, pool={"name": f"log{number}", "ns_records": ["ns1.example.net."]})
        call("update_pool", ADMIN, pool=f"log{number}", values={"description": "d"})
        call("delete_pool", ADMIN, pool=f"log{number}")
        call("create_tsigkey", ADMIN, tsigkey={"name": f"key{number}."})
        call("update_tsigkey", ADMIN, tsigkey=f"key{number}.", values={"secret": None})
        call("delete_tsigkey", ADMIN, tsigkey=f"key{number}.")
        call("set_quota", ADMIN, tenant=f"log{number}", resource="domains", hard_limit=1)
        call("reset_quotas", ADMIN, tenant=f"quota{number}")
        for changed, methods in {
                name: ["create_blacklist"], entry["id"]: ["delete_blacklist"],
                f"tld.{name}": ["create_tld", "update_tld", "delete_tld"],
                f"log{number}": ["create_pool", "update_pool", "delete_pool"],
                f"key{number}.": ["create_tsigkey", "update_tsigkey", "delete_tsigkey"],
                f"log{number}/domains": ["set_quota"],
                f"quota{number}": ["reset_quotas"]}.items():
            said = self.wait_lines(changed, len(methods))
            self.assertEqual(sorted(line["method"] for line in said), sorted(methods))
            self.assertEqual({line["tenant"] for line in said}, {"operator"})


class Burst(Story):
    """Calls that wait at the same time share a transaction: nobody notices."""

    def test_each_has_its_own_answer(self):
        domains = [self.create()["name"] for _ in range(5)]
        calls, wanted = [], []
        for number in range(60):
            name = domains[number % 5]
            good = number % 7
            changes = [add(f"h{number}.{name}", ["192.0.2.1" if good else "192.0.2.256"])]
            calls.append(message("apply_changes", {"domain": name, "changes": changes}, ALICE))
            wanted.append(bool(good))
        calls.append(message("apply_changes", {"domain": domains[0], "changes": []}, BOB))
        calls.append(message("apply_changes", {"domain": domains[0], "changes": []}, {}))
        answers = send(calls)
        self.assertEqual([type(answer) is dict for answer in answers], wanted + [False, False])
        self.assertIn("NotFound", answers[-2])
        self.assertIn("Forbidden", answers[-1])
        for at, name in enumerate(domains):
            serials = [answer["serial"] for answer in answers[at:60:5] if type(answer) is dict]
            self.assertEqual(len(serials), len(set(serials)))
            self.assertEqual(call("get_domain", domain=name)["serial"], max(serials))
            journal = lab.sql("SELECT COUNT(*) FROM journal WHERE domain_id IN "
                              f"(SELECT id FROM domains WHERE name = '{name}')")
            self.assertEqual(int(journal[0][0]), len(serials))

    def test_it_locks_no_other_domain(self):
        """Although the optimizer likes to read a small table as a whole."""
        other, domains = self.create()["id"], [self.create()["name"] for _ in range(5)]
        calls = []
        for number in range(60):
            name = domains[number % 5]
            changes = [add(f"h{number}.{name}", [f"192.0.2.{number}"])]
            calls.append(message("apply_changes", {"domain": name, "changes": changes}, ALICE))
        last = "NEW.data LIKE '192.0.2.5_'"     # of those that have waited for others
        with ThreadPoolExecutor(1) as pool, gate("INSERT ON records", last):
            asked = pool.submit(send, calls)
            wait_for(is_at_a_gate, 20, "a transaction is about to write")
            free = lab.sql(f"SELECT 1 FROM domains WHERE id = '{other}' FOR UPDATE SKIP LOCKED")
        self.assertEqual(len(free), 1)
        self.assertEqual({type(answer) for answer in asked.result()}, {dict})

    def test_one_serial_a_call(self):
        """Each that changes the zone has its own, the one after it of what it found; and its own
        row of the journal, but for a new default TTL, which leaves a gap there."""
        domain = self.create()
        name = domain["name"]
        calls = {}

        def ask(method, **args):
            one = message(method, {"domain": domain["id"] if len(calls) % 2 else name, **args},
                          ALICE)
            calls[one["_unique_id"]] = one
        for number in range(12):
            ask("apply_changes", changes=[add(f"add{number}.{name}", [f"192.0.2.{number}"])])
            ask("apply_changes", changes=[{"op": "set", "name": f"set.{name}", "type": "A",
                                           "records": [f"192.0.2.{number}"]}])
            ask("apply_changes", changes=[], soa={"refresh": 1000 + number})
            ask("apply_changes", changes=[add(f"no{number}.{name}", ["192.0.2.256"])])
            ask("apply_changes", changes=[add(f"old{number}.{name}", ["192.0.2.1"])], version=1)
        ask("update_domain", values={"retry": 77})
        ask("update_domain", values={"ttl": 77})
        other = lab.fleet.members["central2"]       # two would wait for each other: few share
        other.stop()
        try:
            answers = dict(zip(calls, send(calls.values())))
        finally:
            other.launch()
            other.wait_ready()
        done = [(calls[key], answer) for key, answer in answers.items() if type(answer) is dict]
        self.assertGreaterEqual(len(done), 38)
        self.assertLessEqual(len(done), 39)     # of those of version 1 the first, if it is that
        done.sort(key=lambda pair: pair[1]["version"])
        self.assertEqual([answer["version"] for _, answer in done],
                         list(range(2, len(done) + 2)))
        serials = [domain["serial"], *(answer["serial"] for _, answer in done)]
        self.assertTrue(all(old < new for old, new in zip(serials, serials[1:])), serials)
        self.assertEqual(call("get_domain", domain=name)["serial"], serials[-1])
        gap = [answer["serial"] for call, answer in done
               if call["args"].get("values", {}).get("ttl")]
        journal = lab.sql("SELECT previous_serial, serial FROM journal WHERE domain_id = "
                          f"'{domain['id']}' ORDER BY serial")
        self.assertEqual([(int(old), int(new)) for old, new in journal],
                         [step for step in zip(serials, serials[1:]) if step[1] not in gap])
        carried = {row[0]: int(row[5]) for row in records_of(domain["id"])}
        for one, answer in done:
            for touched in one["args"].get("changes", []):
                self.assertGreaterEqual(carried[touched["name"]], answer["serial"])
                if touched["op"] == "add":
                    self.assertIn(carried[touched["name"]], [answer["serial"], *gap])

    def test_each_sees_what_those_before_it_did(self):
        """Of one domain, called by its id and by its name."""
        domain = self.create()
        owner = f"h.{domain['name']}"
        adds = [message("apply_changes", {"domain": domain["id"], "changes": [
                    add(owner, [f"192.0.2.{number}"])]}, ALICE) for number in range(10)]
        remove = message("apply_changes", {"domain": domain["name"], "changes": [
                             {"op": "delete", "name": owner, "type": "A"}]}, ALICE)
        *added, removed = send(adds + [remove])
        before = [answer for answer in added if answer["serial"] <= removed["serial"]]
        self.assertEqual(removed["deleted"], len(before))
        left = [row for row in records_of(domain["id"]) if row[2].startswith("192.0.2.")
                and row[3] != "DELETE"]
        self.assertEqual(len(left), len(added) - len(before))

    def test_without_a_database_all_are_told_so(self):
        name = self.create()["name"]
        calls = [message("apply_changes", {"domain": name, "changes": [
                     add(f"h{number}.{name}", ["192.0.2.1"])]}, ALICE) for number in range(10)]
        lab.fleet.mariadb.kill9()
        try:
            answers = send(calls)
        finally:
            lab.fleet.mariadb.launch()
            lab.fleet.mariadb.wait_ready()
        self.assertEqual([answer["class"] for answer in map(json.loads, answers)],
                         ["Unavailable"] * 10)
        wait_for(lambda: all(type(answer) is dict for answer in send(calls)), 30,
                 "central has its database again")

    def test_a_locked_domain_holds_up_its_own_calls_only(self):
        """Another transaction holds one of the domains: as long as an import may."""
        locked, free = (self.create()["name"] for _ in range(2))
        with held(f"SELECT id FROM domains WHERE name = '{locked}' FOR UPDATE"):
            calls = [message("apply_changes", {"domain": name, "changes": [
                         add(f"h{number}.{name}", ["192.0.2.1"])]}, ALICE)
                     for number in range(8) for name in (locked, free)]
            start = time.monotonic()
            answers = send(calls)
            self.assertLess(time.monotonic() - start, 18)
        self.assertTrue(all(type(answer) is dict for answer in answers[1::2]), answers)
        self.assertTrue(all(type(answer) is str for answer in answers[0::2]), answers)
        self.assertEqual({json.loads(answer)["class"] for answer in answers[0::2]}, {"Busy"})

    def test_a_batch_waits_for_locked_rows_once(self):
        names = [self.create()["name"] for _ in range(30)]
        text = ", ".join(f"'{name}'" for name in names)

        def waits():
            return int(lab.sql("SHOW GLOBAL STATUS LIKE 'Innodb_row_lock_waits'")[0][1])
        with held(f"SELECT id FROM domains WHERE name IN ({text}) FOR UPDATE"):
            before = waits()
            answers = send([message("apply_changes", {"domain": name, "changes": [
                add(f"h.{name}", ["192.0.2.1"])]}, ALICE) for name in names])
            # that of each process, which may come to it in pieces
            self.assertLess(waits() - before, len(names) // 2)
        self.assertEqual({json.loads(answer)["class"] for answer in answers}, {"Busy"})

    def test_one_name_for_one(self):
        name = lab.name()
        answers = send([message("create_domain", {"domain": {"name": name}}, ALICE)
                        for _ in range(10)])
        self.assertEqual(sum(type(answer) is dict for answer in answers), 1)
        self.assertEqual(sum("Duplicate" in answer for answer in answers if type(answer) is str), 9)


class Late(Story):
    """What a caller gave up is not done behind its back, over what it then asked for."""

    PATIENCE = 1.5      # seconds

    def write(self, domain, value, timeout):
        """Writes a register; whether it was acknowledged."""
        client = om.RPCClient(lab.transport, om.Target(topic="central"), timeout=timeout)
        try:
            client.call(ALICE, "apply_changes", domain=domain, changes=[
                {"op": "set", "name": f"r.{domain}", "type": "A", "records": [value]}])
            return True
        except (om.MessagingTimeout, om.RemoteError):
            return False

    def side_by_side(self, write, domains):
        threads = [threading.Thread(target=write, args=(domain,)) for domain in domains]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def values(self, domains):
        return [[row[2] for row in records_of(domain["id"])
                 if row[0].startswith("r.") and row[3] != "DELETE"] for domain in domains]

    def expired(self):
        """How many calls central has left undone, because they were late."""
        pages = [worker.page("/metrics")[1]
                 for worker in map(lab.fleet.members.get, ("central1", "central2"))]
        return sum(int(line.split()[-1]) for page in pages for line in page.splitlines()
                   if line.startswith("zonefleet_requests_expired_total"))

    def left_undone(self, count):
        wait_for(lambda: self.expired() >= count, 30, f"{count} calls are left undone")

    def test_of_a_process_that_was_stopped(self):
        domains = [self.create() for _ in range(8)]
        names = [domain["name"] for domain in domains]
        before, again = self.expired(), []

        def write(name):
            if not self.write(name, "192.0.2.1", self.PATIENCE):
                again.append(name)
            while not self.write(name, "192.0.2.2", self.PATIENCE):
                pass
        lab.fleet.members["central1"].pause()
        try:
            self.side_by_side(write, names)
        finally:
            lab.fleet.members["central1"].resume()
        self.assertTrue(again, "the process that was stopped had none of them")
        self.left_undone(before + len(again))
        self.assertEqual(self.values(domains), [["192.0.2.2"]] * len(domains))

    def test_it_is_not_committed_either(self):
        """They had begun, when the database stood still."""
        domains, before = [self.create() for _ in range(8)], self.expired()
        lab.fleet.mariadb.pause()
        try:
            self.side_by_side(lambda name: self.write(name, "192.0.2.1", self.PATIENCE),
                              [domain["name"] for domain in domains])
        finally:
            lab.fleet.mariadb.resume()
        self.left_undone(before + len(domains))
        self.assertEqual(self.values(domains), [[]] * len(domains))

    def test_of_those_that_share_a_transaction_the_others_are_done(self):
        domains, before = [self.create() for _ in range(8)], self.expired()
        hasty = {domain["name"] for domain in domains[::2]}
        done = set()

        def write(name):
            if self.write(name, "192.0.2.1", self.PATIENCE if name in hasty else 20):
                done.add(name)
        lab.fleet.mariadb.pause()
        resume = threading.Timer(self.PATIENCE, lab.fleet.mariadb.resume)
        resume.start()
        try:
            self.side_by_side(write, [domain["name"] for domain in domains])
        finally:
            resume.join()
        self.left_undone(before + len(hasty))
        self.assertEqual(done, {domain["name"] for domain in domains} - hasty)
        self.assertEqual(self.values(domains), [[], ["192.0.2.1"]] * (len(domains) // 2))


@contextlib.contextmanager
def told(pool="default"):
    """A function: the next update that its pool managers are told of; None: none yet."""
    with kombu.Connection(lab.broker) as link:
        exchange = kombu.Exchange("zonefleet", "topic", durable=True)
        queue = kombu.Queue("", exchange, f"pool_manager.{pool}", channel=link.default_channel,
                            exclusive=True)
        queue.declare()
        heard = []

        def next_one():
            message = None if heard else queue.get(no_ack=True)
            if message:
                news = json.loads(message.payload["oslo.message"])
                heard.extend(news["args"].get("domains", []))
            return heard.pop(0) if heard else None
        yield next_one


class Doubt(Story):
    """The answer to a COMMIT is lost; its caller gave up before."""

    PATIENCE = 1.5      # seconds

    @contextlib.contextmanager
    def one_central_behind(self, relay):
        one, other = (lab.fleet.members[name] for name in ("central1", "central2"))
        direct = one.settings["database"]["host"]
        other.stop()
        try:
            one.configure({"database": {"host": f"{HOST}:{relay.port}"}})
            one.restart()
            yield
        finally:
            one.configure({"database": {"host": direct}})
            one.restart()
            other.launch()
            other.wait_ready()

    def lost_at(self, relay, domain):
        """The answer to the COMMIT of what was asked for gets lost; what its serial is now."""
        wait_for(relay.was_asked.is_set, 20, "it comes to its COMMIT")
        relay.let_go()
        wait_for(lambda: relay.lost, 20, "the answer is lost")
        (serial,), = lab.sql(f"SELECT serial FROM domains WHERE id = '{domain['id']}'")
        self.assertGreater(int(serial), domain["serial"])
        return int(serial)

    def test_an_import_that_was_committed_is_told(self):
        domain, relay = self.create(context=ADMIN), CommitRelay(lab.fleet.mariadb.port)
        self.addCleanup(relay.close)
        name = domain["name"]
        begun = stage(name, generated_zone(name, 10))
        with self.one_central_behind(relay), told() as next_one:
            relay.lose_one(f"admin.{name}".encode())        # of its SOA
            call("commit_import", ADMIN, **{"import": begun})
            serial = self.lost_at(relay, domain)
            heard = wait_for(next_one, 20, "the pool manager is told")
            self.assertEqual((heard["name"], heard["serial"]), (name, serial))

    def test_a_catalog_that_was_committed_is_told(self):
        pool, catalog = f"pool{next(lab.numbers)}", lab.name()
        call("create_pool", ADMIN, pool={"name": pool, "ns_records": ["ns1.example.net."],
                                         "catalog_zone": catalog})
        catalog = call("get_domain", ADMIN, domain=catalog)
        relay = CommitRelay(lab.fleet.mariadb.port)
        self.addCleanup(relay.close)
        with self.one_central_behind(relay), told(pool) as next_one:
            relay.lose_one(f".zones.{catalog['name']}".encode())
            self.create(context=ADMIN, pool=pool)
            serial = self.lost_at(relay, catalog)
            heard = wait_for(next_one, 20, "the pool manager is told")
            self.assertEqual((heard["name"], heard["serial"]), (catalog["name"], serial))

    def test_what_was_committed_is_told(self):
        domain, relay = self.create(), CommitRelay(lab.fleet.mariadb.port)
        self.addCleanup(relay.close)
        hasty = om.RPCClient(lab.transport, om.Target(topic="central"), timeout=self.PATIENCE)
        with self.one_central_behind(relay), told() as next_one:
            relay.lose_one(b"192.0.2.77")
            try:
                with self.assertRaises(om.MessagingTimeout):
                    hasty.call(ALICE, "apply_changes", domain=domain["name"],
                               changes=[add(f"h.{domain['name']}", ["192.0.2.77"])])
            finally:
                relay.let_go()
            self.assertTrue(relay.was_asked.is_set())
            (serial,), = lab.sql(f"SELECT serial FROM domains WHERE id = '{domain['id']}'")
            self.assertGreater(int(serial), domain["serial"])
            heard = wait_for(next_one, 20, "the pool manager is told")
            self.assertEqual((heard["name"], heard["serial"]), (domain["name"], int(serial)))


class Neighbour(Story):
    """Another holds one domain's row; whoever wants that one is no burden to others."""

    ROUNDS, CALLS, AT_ONCE = 2, 50, 4
    SHARES = 50, 90, 99     # per cent of the calls
    TRIES = 5               # a machine that is busy otherwise may be so in one half of a try

    def times(self, names):
        """The seconds of each of some changes to these domains, side by side."""
        client = om.RPCClient(lab.transport, om.Target(topic="central"), timeout=30)
        times = []

        def ask(name):
            for number in range(self.CALLS):
                start = time.monotonic()
                client.call(ALICE, "apply_changes", domain=name, changes=[
                    {"op": "set", "name": f"h.{name}", "type": "A",
                     "records": [f"192.0.2.{number}"]}])
                times.append(time.monotonic() - start)
        threads = [threading.Thread(target=ask, args=(name,)) for name in names]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return times

    @contextlib.contextmanager
    def pressed(self, domain):
        """Four callers that want it all the time: of its records, of itself, of its state.

        One of them spells its name in another way each time.
        """
        end = threading.Event()
        reference = {key: domain[key] for key in REFERENCE}

        def spelled():
            return "".join(random.choice((letter, f"\\{ord(letter):03}")) if letter.isalnum()
                           else letter for letter in domain["name"])
        wants = [("apply_changes", ALICE, lambda: {"domain": domain["name"], "changes": [
                      add(f"x.{domain['name']}", ["192.0.2.1"])]}),
                 ("update_domain", ALICE, lambda: {"domain": domain["id"], "values": {"ttl": 77}}),
                 ("delete_domain", ALICE, lambda: {"domain": spelled()}),
                 ("update_status", ADMIN, lambda: {"domain": reference, "status": "SUCCESS",
                                                   "serial_number": domain["serial"]})]
        answers = []

        def want(method, context, args):
            client = om.RPCClient(lab.transport, om.Target(topic="central"), timeout=2)
            while not end.is_set():
                try:
                    client.call(context, method, **args())
                    answers.append(f"{method} was done")
                except om.RemoteError as error:
                    answers.append(error.exc_type)
                except om.MessagingTimeout:
                    answers.append("Busy")
                end.wait(0.25)      # as a pool manager does
        threads = [threading.Thread(target=want, args=each) for each in wants]
        for thread in threads:
            thread.start()
        try:
            yield answers
        finally:
            end.set()
            for thread in threads:
                thread.join()

    def test_a_locked_domain(self):
        """It costs others time in each try, or not at all. No process waits for its row."""
        locked, names = self.create(), [self.create()["name"] for _ in range(self.AT_ONCE)]
        self.times(names)
        costs = []
        for _ in range(self.TRIES):
            costs.append(self.cost(locked, names))
            if max(costs[-1]) < 2:
                return
        self.fail(f"{self.SHARES} % of the calls took so many times as long: {costs}")

    def cost(self, locked, names):
        """How many times as long the calls take beside it, for each of SHARES."""
        quiet, beside = [], []
        with held(f"SELECT id FROM domains WHERE id = '{locked['id']}' FOR UPDATE"):
            for _ in range(self.ROUNDS):
                quiet += self.times(names)
                waited = self.waited_ms()
                with self.pressed(locked) as answers:
                    beside += self.times(names)
                self.assertLess(self.waited_ms() - waited, 200)
                self.assertLessEqual(set(answers), {"Busy"})
        quiet.sort(), beside.sort()
        return tuple(beside[len(beside) * share // 100] / quiet[len(quiet) * share // 100]
                     for share in self.SHARES)

    def waited_ms(self):
        """How long statements have waited for rows."""
        return int(lab.sql("SHOW GLOBAL STATUS LIKE 'Innodb_row_lock_time'")[0][1])

    def test_a_locked_catalog_zone(self):
        """It keeps no other catalog zone from its new members, and no process waits for it."""
        catalogs, pools = [lab.name() for _ in range(2)], []
        for catalog in catalogs:
            pools.append(f"pool{next(lab.numbers)}")
            call("create_pool", ADMIN, pool={"name": pools[-1], "catalog_zone": catalog,
                                             "ns_records": ["ns1.example.net."]})
        waited = self.waited_ms()
        # by its id: by its name, the gap beside it would be locked, too
        locked = call("get_domain", ADMIN, domain=catalogs[0])["id"]
        with held(f"SELECT id FROM domains WHERE id = '{locked}' FOR UPDATE"):
            def listed(member):
                return lab.sql(f"SELECT 1 FROM domains WHERE id = '{member}' AND catalog_id <> ''")
            late = self.create(context=ADMIN, pool=pools[0])["id"]
            for _ in range(16):     # each process does some of them
                member = self.create(context=ADMIN, pool=pools[1])["id"]
                wait_for(lambda: listed(member), 20, "it is listed")    # noqa: B023
            self.assertFalse(listed(late))
        wait_for(lambda: listed(late), 20, "the catalog zone lists its member")
        self.assertLess(self.waited_ms() - waited, 200)

    def test_more_calls_about_a_locked_domain_than_a_process_takes(self):
        """They take half of its places, and the others are told so at once."""
        locked, name = self.create(), self.create()["name"]
        calls = [message("update_domain", {"domain": locked["id"], "values": {"ttl": 77}}, ALICE)
                 for _ in range(4 * PREFETCH)]
        with held(f"SELECT id FROM domains WHERE id = '{locked['id']}' FOR UPDATE"), \
                ThreadPoolExecutor(1) as pool:
            answers = pool.submit(send, calls)
            longest = 0
            while not answers.done():
                start = time.monotonic()
                change(name, {"op": "set", "name": f"h.{name}", "type": "A",
                              "records": [f"192.0.2.{random.randrange(250)}"]})
                longest = max(longest, time.monotonic() - start)
        self.assertLess(longest, 2)     # 3 s and more if the first ones take all places
        self.assertIn("too many requests are waiting", "".join(map(str, answers.result())))


class Rows(Story):
    """Another transaction has the row that a call is about, whatever it is."""

    def finds_it_held(self, statement, method, **args):
        with held(statement):
            self.waits_beside_the_loop(method, ADMIN, **args)

    def test_pools(self):
        name = f"pool{next(lab.numbers)}"
        call("create_pool", ADMIN, pool={"name": name})
        lock = f"SELECT id FROM pools WHERE name = '{name}' FOR UPDATE"
        self.finds_it_held(lock, "update_pool", pool=name, values={"description": "x"})
        self.finds_it_held(lock, "delete_pool", pool=name)
        self.finds_it_held(lock, "create_domain", domain={
            "name": lab.name(), "pool": name, "ns": ["ns1.example.net."]})
        insert = f"INSERT INTO pools (id, name) VALUES ('{uuid.uuid4().hex}', '{name}new')"
        self.finds_it_held(insert, "create_pool", pool={"name": f"{name}new"})
        self.assertEqual(call("update_pool", ADMIN, pool=name,
                              values={"description": "x"})["description"], "x")

    def test_tsig_keys(self):
        name, domain = f"key{next(lab.numbers)}.", self.create()["name"]
        call("create_tsigkey", ADMIN, tsigkey={"name": name})
        lock = f"SELECT id FROM tsigkeys WHERE name = '{name}' FOR UPDATE"
        self.finds_it_held(lock, "update_tsigkey", tsigkey=name,
                           values={"algorithm": "hmac-sha512"})
        self.finds_it_held(lock, "delete_tsigkey", tsigkey=name)
        # its domain's row is locked by the key that names it
        lock = f"SELECT id FROM domains WHERE name = '{domain}' FOR UPDATE"
        self.finds_it_held(lock, "create_tsigkey",
                           tsigkey={"name": f"x{name}", "domain": domain})
        call("delete_tsigkey", ADMIN, tsigkey=name)

    def test_what_an_administrator_sets(self):
        name = lab.name()
        insert = f"INSERT INTO blacklists (id, name) VALUES ('{uuid.uuid4().hex}', '{name}')"
        self.finds_it_held(insert, "create_blacklist", blacklist={"name": name})
        insert = f"INSERT INTO tlds (id, name) VALUES ('{uuid.uuid4().hex}', '{name}')"
        self.finds_it_held(insert, "create_tld", tld={"name": name})
        self.finds_it_held(insert.replace(name, f"x.{name}"), "apply_tlds", add=[f"x.{name}"])
        for tld in call("find_tlds", ADMIN)["tlds"]:
            call("delete_tld", ADMIN, tld=tld["id"])
        insert = f"INSERT INTO quotas VALUES ('{name}', 'domains', 5)"
        self.finds_it_held(insert, "set_quota", tenant=name, resource="domains",
                           hard_limit=4)


class Status(Story):
    def state(self, domain):
        rows = lab.sql(f"SELECT task, status, reason FROM domains WHERE id = '{domain['id']}'")
        return tuple(rows[0])

    def record(self, domain, data):
        return [row[3:5] for row in records_of(domain["id"]) if row[2] == data][0]

    def test_every_pair(self):
        """Domain and records through all of the seed's valid pairs."""
        domain = self.create()
        name, serial = domain["name"], domain["serial"]
        self.assertEqual(self.state(domain), ("ADD", "PENDING", ""))
        report(domain, "ERROR", serial, reason="no route")
        self.assertEqual(self.state(domain), ("ADD", "ERROR", "no route"))
        self.assertEqual(self.record(domain, "ns1.example.net."), ("ADD", "ERROR"))
        report(domain, "SUCCESS", serial - 1)
        self.assertEqual(self.state(domain)[:2], ("ADD", "ERROR"))
        report(domain, "SUCCESS", serial)
        self.assertEqual(self.state(domain), ("NONE", "ACTIVE", ""))
        self.assertEqual(self.record(domain, "ns1.example.net."), ("NONE", "ACTIVE"))

        change(name, add(f"a.{name}", ["192.0.2.1"]), add(f"b.{name}", ["192.0.2.7"]))
        serial = call("get_domain", domain=name)["serial"]
        report(domain, "SUCCESS", serial)
        serial = change(name, {"op": "set", "name": f"a.{name}", "type": "A",
                               "records": ["192.0.2.2"]})["serial"]
        self.assertEqual(self.state(domain)[:2], ("UPDATE", "PENDING"))
        self.assertEqual(self.record(domain, "192.0.2.2"), ("UPDATE", "PENDING"))
        report(domain, "ERROR", serial)
        self.assertEqual(self.state(domain)[:2], ("UPDATE", "ERROR"))
        self.assertEqual(self.record(domain, "192.0.2.2"), ("UPDATE", "ERROR"))
        self.assertEqual(self.record(domain, "192.0.2.7"), ("NONE", "ACTIVE"))
        report(domain, "SUCCESS", serial)

        serial = change(name, {"op": "delete", "name": f"a.{name}", "type": "A"})["serial"]
        self.assertEqual(self.record(domain, "192.0.2.2"), ("DELETE", "PENDING"))
        report(domain, "ERROR", serial)
        self.assertEqual(self.record(domain, "192.0.2.2"), ("DELETE", "ERROR"))
        report(domain, "SUCCESS", serial)
        self.assertEqual(self.record(domain, "192.0.2.2"), ("NONE", "DELETED"))

        call("delete_domain", domain=name)
        self.assertEqual(self.state(domain)[:2], ("DELETE", "PENDING"))
        report(domain, "SUCCESS", serial)
        self.assertEqual(self.state(domain)[:2], ("DELETE", "PENDING"))
        report(domain, "ERROR", serial)
        self.assertEqual(self.state(domain)[:2], ("DELETE", "ERROR"))
        report(domain, "NO_DOMAIN", serial)
        self.assertEqual(self.state(domain)[:2], ("NONE", "DELETED"))
        # nobody sees what it left, and the sweep takes it away
        wait_for(lambda: not records_of(domain["id"]), 20, "its records are swept")

    def reasons(self, domain, pool):
        """The reason of a domain in each answer that has one."""
        return {call("get_domain", domain=domain["name"])["reason"],
                call("get_domain", ADMIN, domain=domain["id"])["reason"],
                call("get_status", domain=domain["name"])["domain"]["reason"],
                *(found["reason"] for found in call("find_domains", ADMIN, criterion={
                    "pool": pool, "name": domain["name"]})["domains"])}

    def test_the_reason_is_of_now(self):
        """A worker that is not running, then what servers have reported, whatever is stored."""
        pool = f"pool{next(lab.numbers)}"
        call("create_pool", ADMIN, pool={"name": pool, "ns_records": ["ns.example.com."]})
        poolmgr = f"pool_manager.{pool}"
        no_poolmgr = f"no pool manager of pool '{pool}' is running"
        domain = self.create(ADMIN, pool=pool, tenant="alice")
        self.assertEqual(domain["reason"], no_poolmgr)

        def rows(action):
            servers = call("get_status", domain=domain["name"])["domain"]["servers"]
            return {row["id"]: row["reason"] for row in servers if row["action"] == action}
        with living("minidns", "pool_manager.default"):
            self.assertEqual(self.reasons(domain, pool), {no_poolmgr})
        with living(poolmgr):
            self.assertEqual(self.reasons(domain, pool), {"no mini-DNS is running"})
        lab.sql("INSERT INTO pool_servers (pool_name, id, backend, host, port, state) VALUES "
                f"('{pool}', 'one', 'bind9', '192.0.2.1', 53, 'ACTIVE'), "
                f"('{pool}', 'two', 'bind9', '192.0.2.2', 53, 'ACTIVE'), "
                f"('{pool}', 'out', 'bind9', '192.0.2.3', 53, 'DRAINED'), "
                f"('{pool}', 'cat', 'catalog', '192.0.2.4', 53, 'ACTIVE')")
        self.assertEqual(rows("UPDATE"), {
            **dict.fromkeys(("one", "two"), "waits until the pool manager creates the zone"),
            "out": "waits until the server is in service again",
            "cat": "waits until the server creates the zone from the catalog zone"})
        lab.sql(f"DELETE FROM pool_servers WHERE pool_name = '{pool}' AND id = 'cat'")

        times = itertools.count(1)

        def write(server, action, status, reason):
            lab.sql("REPLACE INTO pool_manager_status (id, server_id, domain_id, action, status, "
                    f"reason, updated_at) VALUES (MD5('{server} {action}{pool}'), '{server}', "
                    f"'{domain['id']}', '{action}', '{status}', '{reason}', "
                    f"'2026-01-01' + INTERVAL {next(times)} SECOND)")
        with living(poolmgr, "minidns"):
            # central has read the workers a moment ago
            wait_for(lambda: self.create(ADMIN, pool=pool)["reason"] == "", 20, "no reason is left")
            self.assertEqual(self.reasons(domain, pool), {""})
            write("one", "CREATE", "ERROR", "rndc: refused")
            write("out", "CREATE", "ERROR", "not asked")
            self.assertEqual(self.reasons(domain, pool), {"one: rndc: refused"})
            report(domain, "ERROR", domain["serial"], reason="one: rndc: refused")
            write("one", "CREATE", "SUCCESS", "")
            write("two", "CREATE", "SUCCESS", "")
            self.assertEqual(self.reasons(domain, pool),
                             {"two, one: has not answered mini-DNS about this domain yet"})
            write("two", "UPDATE", "ERROR", "answers with SERVFAIL")
            self.assertEqual(self.reasons(domain, pool),
                             {"two: answers with SERVFAIL; "
                              "one: has not answered mini-DNS about this domain yet"})
            self.assertEqual(self.state(domain)[2], "one: rndc: refused")
            def state(word):
                lab.sql(f"UPDATE pool_servers SET state = '{word}' WHERE pool_name = '{pool}'")
            drained = f"no name server of pool '{pool}' is in service"
            state("DRAINED")
            self.assertEqual(self.reasons(domain, pool), {drained})
            wait_for(lambda: self.create(ADMIN, pool=pool)["warnings"] == [drained], 20,
                     "a warning in the answer to a change")
            for asked, want in (({}, True), ({"pool": pool}, True), ({"pool": "default"}, False)):
                self.assertEqual(pool in call("get_status", ADMIN, **asked)["pools_out_of_service"],
                                 want)
            state("ACTIVE")
            report(domain, "SUCCESS", domain["serial"])
            self.assertEqual(self.reasons(domain, pool), {""})
        self.assertEqual(self.reasons(domain, pool), {""})
        call("delete_domain", domain=domain["name"])
        self.assertEqual(self.reasons(domain, pool), {no_poolmgr})
        # the older reports say nothing about the deletion
        lab.sql(f"UPDATE pool_servers SET backend = 'catalog' WHERE pool_name = '{pool}' "
                "AND id = 'one'")
        lab.sql(f"UPDATE pool_servers SET state = 'DRAINED' WHERE pool_name = '{pool}' "
                "AND id = 'out'")
        write("one", "UPDATE", "ERROR", "serves serial 16, not yet 17")
        catalog = ("waits until the server deletes the zone, because the catalog zone no longer "
                   "lists it")
        drained = "waits until the server is in service again"
        polled = "has not answered mini-DNS about this deletion yet"
        for status, reason in (None, "waits until the pool manager deletes the zone"), (
                "NO_DOMAIN", polled), ("ERROR", "rndc: refused"):
            if status:
                write("two", "DELETE", status, "" if reason is polled else reason)
            with living(poolmgr, "minidns"):
                said = self.reasons(domain, pool).pop()
                self.assertEqual(set(said.split("; ")), {f"one: {catalog}", f"two: {reason}"})
            self.assertEqual(rows("DELETE"), {"one": catalog, "two": reason, "out": drained})

    def test_the_failures_of_a_server(self):
        """The reason is of an operation that counts as failed."""
        pool = f"pool{next(lab.numbers)}"
        call("create_pool", ADMIN, pool={"name": pool, "ns_records": ["ns.example.com."]})
        lab.sql("INSERT INTO pool_servers (pool_name, id, backend, host, port, state) VALUES "
                f"('{pool}', 'one', 'bind9', '192.0.2.1', 53, 'ACTIVE')")
        kept, deleted = (self.create(ADMIN, pool=pool) for _ in range(2))
        call("delete_domain", ADMIN, domain=deleted["name"])
        silent = "no answer in 3 tries of 30 s"
        serial = kept["serial"]
        for domain, action, status, served, reason, want in (
                (kept, "UPDATE", "SUCCESS", serial, "", (0, 0, "")),
                (kept, "UPDATE", "NO_DOMAIN", serial, "answers with NXDOMAIN",
                 (0, 1, "answers with NXDOMAIN")),
                (kept, "UPDATE", "ERROR", serial - 1, "answers with SERVFAIL",
                 (1, 1, "answers with SERVFAIL")),
                (kept, "UPDATE", "ERROR", serial - 1, silent, (1, 1, silent)),
                (kept, "UPDATE", "ERROR", serial, silent, (0, 0, silent)),
                (kept, "CREATE", "ERROR", "NULL", "rndc: refused", (1, 0, "rndc: refused")),
                (deleted, "UPDATE", "ERROR", serial - 1, "serves serial 16, not yet 17",
                 (1, 0, "")),
                (deleted, "DELETE", "NO_DOMAIN", "NULL", "", (1, 0, "")),
                (deleted, "DELETE", "ERROR", "NULL", "rndc: refused", (1, 1, "rndc: refused"))):
            with self.subTest(action=action, status=status, reason=reason):
                lab.sql("DELETE FROM pool_manager_status WHERE domain_id IN "
                        f"('{kept['id']}', '{deleted['id']}')")
                lab.sql("INSERT INTO pool_manager_status (id, server_id, domain_id, action, "
                        f"status, serial_number, reason) VALUES (MD5('{pool}'), 'one', "
                        f"'{domain['id']}', '{action}', '{status}', {served}, '{reason}')")
                server, = call("get_status", ADMIN, pool=pool)["servers"]
                self.assertEqual((server["domains_behind"], server["domains_failed"],
                                  server["last_error"]), want)

    def test_dead_workers(self):
        """They are shown as dead, and the sweep forgets them if nobody is left of their service."""
        def add(name, service, age, role="master"):
            lab.sql("REPLACE INTO worker_nodes (plugin_name, service, plugin_time, started_at, role, "
                    f"status) VALUES ('{name}', '{service}', NOW(6) - INTERVAL {age}, NOW(6), "
                    f"'{role}', 'active')")

        def shown():
            return {row["plugin_name"]: (row["role"], row["status"])
                    for row in call("find_workers", ADMIN)["workers"]}
        self.addCleanup(lab.sql, "DELETE FROM worker_nodes WHERE plugin_name LIKE 'w-%'")
        add("w-alive", "routes", "-2 SECOND")
        add("w-ahead", "routes", "-1 HOUR", "normal")
        add("w-dead", "ownership", "1 HOUR")
        self.assertEqual({name: state for name, state in shown().items() if name.startswith("w-")},
                         {"w-alive": ("master", "active"), "w-ahead": ("normal", "dead"),
                          "w-dead": ("master", "dead")})
        # a process that has just started is down until the master gives it a share
        wait_for(lambda: {state for name, (_, state) in shown().items()
                          if "central" in name} - {"dead"} == {"active"}, 20, "central is active")
        self.create()           # the default pool has a domain
        missing = call("get_status", ADMIN)["missing_workers"]
        self.assertEqual({name for name in missing if not name.startswith("pool_manager.")},
                         {"minidns", "ownership"})
        self.assertIn("pool_manager.default", missing)
        self.assertEqual(list(call("get_status", domain=self.create()["name"])), ["domain"])
        with living("minidns", "pool_manager.default"):
            missing = call("get_status", ADMIN, pool="default")["missing_workers"]
            self.assertEqual(missing, ["ownership"])
        add("w-gone", "ports", "31 DAY")
        add("w-kept", "routes", "31 DAY")

        def swept():
            add("w-alive", "routes", "-2 SECOND")       # its service is alive
            return "w-gone" not in shown()
        wait_for(swept, 20, "the sweep has forgotten the worker")
        self.assertTrue({"w-dead", "w-kept", "w-alive"} <= set(shown()))

    def test_invalid_pairs_are_refused_by_the_database(self):
        domain = self.create()
        for task, status in (("ADD", "ACTIVE"), ("ADD", "DELETED"), ("UPDATE", "ACTIVE"),
                             ("UPDATE", "DELETED"), ("DELETE", "ACTIVE"), ("DELETE", "DELETED"),
                             ("NONE", "PENDING"), ("NONE", "ERROR")):
            for table, key in (("domains", "id"), ("records", "domain_id")):
                with self.assertRaisesRegex(Exception, "CONSTRAINT"):
                    lab.sql(f"UPDATE {table} SET task = '{task}', status = '{status}' "
                            f"WHERE {key} = '{domain['id']}'")

    def test_an_old_success_settles_what_it_covers(self):
        domain = self.create()
        name = domain["name"]
        one = change(name, add(f"a.{name}", ["192.0.2.1"]))["serial"]
        two = change(name, add(f"b.{name}", ["192.0.2.2"]))["serial"]
        report(domain, "SUCCESS", one)
        self.assertEqual(self.record(domain, "192.0.2.1"), ("NONE", "ACTIVE"))
        self.assertEqual(self.record(domain, "192.0.2.2"), ("ADD", "PENDING"))
        self.assertEqual(self.state(domain)[:2], ("ADD", "PENDING"))
        report(domain, "SUCCESS", two)
        self.assertEqual(self.state(domain)[:2], ("NONE", "ACTIVE"))

    def test_unknown(self):
        domain = self.create()
        self.assertIsNone(report({**domain, "id": uuid.uuid4().hex}, "SUCCESS", 1))

    def test_get_status(self):
        domain = self.create()
        got = call("get_status", domain=domain["name"])
        self.assertEqual((got["domain"]["id"], got["domain"]["servers"]), (domain["id"], []))
        self.assertNotIn("servers", got)
        self.assertIn("servers", call("get_status", ADMIN))


def stage(name, records, context=ADMIN, **more):
    begun = call("begin_import", context, domain={"name": name}, **more)["id"]
    for part, at in enumerate(range(0, len(records), PART)):
        call("add_to_import", context, part=part, records=records[at:at + PART],
             **{"import": begun})
    return begun


def wait_unstaged():
    left = ("SELECT 1 FROM import_records JOIN imports i ON i.id = import_id "
            "WHERE i.state NOT IN ('OPEN', 'COMMITTING') LIMIT 1")
    wait_for(lambda: not lab.sql(left), 20,
             "the records of imports that have ended are removed")


def commit(begun, context=ADMIN, seconds=280, **more):
    call("commit_import", context, **more, **{"import": begun})
    return wait_for(lambda: settled(begun, context), seconds, "the import is settled")


@contextlib.contextmanager
def gate(event, condition):
    """Transactions stand still at EVENT, if CONDITION holds, as long as this one lives."""
    admin = {"administrator": True}
    (user,), = lab.sql("SELECT CURRENT_USER()")
    lab.sql(f"CREATE DEFINER = {user} TRIGGER gate BEFORE {event} FOR EACH ROW "
            f"DO IF({condition}, GET_LOCK('gate', 60) + RELEASE_LOCK('gate'), 0)", **admin)
    try:
        with held("DO GET_LOCK('gate', 60)"):
            yield
    finally:
        lab.sql("DROP TRIGGER gate", **admin)


def at_the_end():
    """Imports stand still at the end of their transaction."""
    return gate("UPDATE ON imports", "NEW.state = 'DONE'")


def at_the_creation():
    """Imports stand still before they create a domain; calls create theirs."""
    return gate("INSERT ON domains", "@@tx_isolation = 'READ-COMMITTED'")


def is_at_a_gate():
    return lab.sql("SELECT 1 FROM information_schema.processlist WHERE state = 'User lock'",
                   administrator=True)


def is_swept():
    """A condition: a sweep has begun since, and has got as far as it gets."""
    def sweeps():
        return int(lab.sql("SHOW GLOBAL STATUS LIKE 'Com_delete'")[0][1])
    before = sweeps()
    return lambda: sweeps() >= before + 8 or slow_statements(200)


def settled(begun, context):
    state = call("get_import", context, **{"import": begun})
    return state if state["state"] in ("DONE", "ERROR") else None


def export(name, context=ADMIN, **args):
    lines, marker = [], None
    while True:
        page = call("export_domain", context, domain=name, **args,
                    **({"marker": marker} if marker else {}))
        lines += page["lines"]
        marker = page["marker"]
        if not marker:
            return lines


def read_zone(path):
    with lzma.open(path, "rt") as file:
        fields = [line.split(None, 4) for line in file]
    return [[owner.lower(), int(ttl), record_type, data.strip()]
            for owner, ttl, _, record_type, data in fields]


def generated_zone(name, size, serial=7):
    return [[name, 3600, "SOA", f"ns.{name} admin.{name} {serial} 1 2 3 4"],
            [name, 3600, "NS", f"ns.{name}"]] + \
        [[f"h{i}.{name}", 300, "A", f"10.{i >> 16 & 255}.{i >> 8 & 255}.{i & 255}"]
         for i in range(size - 2)]


class Warned(Story):
    """What named-checkzone refuses is accepted, with a warning."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.enterClassContext(living("minidns", "pool_manager.default"))
        # each process of central has just found that they were missing
        name = call("create_domain", domain={"name": lab.name()})["name"]
        wait_for(lambda: not any(call("sync_domain", domain=name)["warnings"] for _ in range(8)),
                 10, "all processes of central know the workers")

    def test_hosts_without_addresses(self):
        name = lab.name()
        made = call("create_domain", domain={"name": name, "ns": [f"ns1.{name}"]})
        self.assertEqual(made["warnings"],
                         [f"'{name} NS': the host 'ns1.{name}' has no A or AAAA record"])
        mail = {"op": "set", "name": name, "type": "MX", "records": [f"10 mail.{name}"]}
        self.assertRegex(call("apply_changes", domain=name, changes=[mail])["warnings"][0],
                         f"'{name} MX': the host 'mail.{name}' has no A")
        both = call("apply_changes", domain=name, changes=[
            {"op": "add", "name": name, "type": "MX", "records": [f"{rank} mx{rank}.{name}"]}
            for rank in (1, 2)])["warnings"]
        self.assertEqual([words.split("'")[3] for words in both if "MX" in words], [f"mx{rank}.{name}"
                                                                  for rank in (1, 2)])
        done = call("apply_changes", domain=name, changes=[mail, {
            "op": "add", "name": f"mail.{name}", "type": "A", "records": ["192.0.2.25"]}])
        self.assertEqual(done["warnings"], [])

    def test_an_import(self):
        name = lab.name()
        done = commit(stage(name, [[name, 300, "NS", f"ns1.{name}"],
                                   [f"a.{name}", 300, "A", "192.0.2.1"],
                                   [f"a.{name}", 60, "A", "192.0.2.2"]]))
        self.assertEqual([words.split(":")[0] for words in done["result"]["warnings"]],
                         [f"'{name} NS'", "part 0, records[2]"])
        self.assertIn(f"'a.{name} A' has several TTLs, from 60 to 300: the record set gets 60",
                      done["result"]["warnings"][1])
        many = [[f"{number}.{name}", ttl, "A", f"192.0.2.{ttl}"] for number in range(11)
                for ttl in (60, 61)]
        warned = commit(stage(name, [[name, 300, "NS", "ns1.example.net."], *many]))["result"]["warnings"]
        self.assertEqual((len(warned), warned[-1]), (11, "further record sets have several TTLs"))


    def test_records_that_contradict_each_other(self):
        name = lab.name()
        call("create_domain", domain={"name": name})
        null = "a null MX record (0 .) must be the only MX record (RFC 7505 3)"
        def warned(op, kind, *records):
            with living("minidns", "pool_manager.default"):
                return call("apply_changes", domain=name, changes=[
                    {"op": op, "name": f"z.{name}", "type": kind, "records": records}])["warnings"]
        self.assertEqual(warned("add", "MX", "0 ."), [])
        self.assertEqual(warned("add", "MX", "10 mail.example.net."), [f"'z.{name} MX': {null}"])
        self.assertEqual(warned("add", "TXT", '"v=spf1 -all"', '"other"'), [])
        self.assertIn("only one record may begin with v=spf1", warned("add", "TXT", '"v=spf1 a"')[0])
        self.assertEqual(warned("delete", "MX", "0 ."), [])
        records = [[name, 60, "NS", "ns1.example.net."], [name, 60, "TXT", '"v=spf1 a"'],
                   [f"a.{name}", 60, "MX", "10 mail.example.net."], [f"b.{name}", 60, "MX", "0 ."],
                   [f"t.{name}", 60, "TXT", '"v=spf1 a"'], [f"t.{name}", 60, "TXT", '"x"']]
        self.assertEqual(commit(stage(name, records))["result"]["warnings"], [])
        records += [[f"a.{name}", 60, "MX", "0 ."], [f"h.{name}", 60, "HTTPS", "0 x.example.net."],
                    [f"h.{name}", 60, "HTTPS", "1 ."], [f"t.{name}", 60, "TXT", '"V=SPF1 b"'],
                    [f"s.{name}", 60, "SRV", "0 0 0 ."],
                    [f"s.{name}", 60, "SRV", "0 0 1 x.example.net."]]
        warned = commit(stage(name, records))["result"]["warnings"]
        self.assertEqual([text.split(":")[0] for text in warned], [
            f"'{owner}.{name} {kind}'" for owner, kind in
            (("a", "MX"), ("h", "HTTPS"), ("s", "SRV"), ("t", "TXT"))])

    def test_a_domain_with_the_name_of_an_address(self):
        name = f"192.0.2.{random.randrange(256)}."
        created = call("create_domain", domain={"name": name})
        self.assertEqual(created["warnings"], [
            f"the name of the domain '{name}' is an IPv4 address: reverse domains have names such "
            "as 2.0.192.in-addr.arpa"])
        call("delete_domain", domain=created["id"])

    def test_a_domain_above_that_does_not_delegate(self):
        name = lab.name()
        call("create_domain", domain={"name": name})
        def lacks(parent, child):
            return [f"the domain '{parent}' has no NS records for '{child}', so resolvers may fail "
                    f"to find the new domain: add NS records (zonefleet record add {parent} "
                    f"{child} NS HOST...)"]
        def create(child, context=ALICE, **more):
            return call("create_domain", context, domain={"name": child, **more})["warnings"]
        self.assertEqual(create(f"a.{name}"), lacks(name, f"a.{name}"))
        self.assertEqual(create(f"x.a.{name}"), lacks(f"a.{name}", f"x.a.{name}"))
        for delegated in "b", "c":
            change(name, {"op": "add", "name": f"{delegated}.{name}", "type": "NS",
                          "records": ["ns1.example.net."]})
        self.assertEqual(create(f"b.{name}"), [])
        self.assertEqual(create(f"x.c.{name}"), [])         # of others, who delegate it
        change(name, {"op": "delete", "name": f"c.{name}", "type": "NS"})
        self.assertEqual(create(f"y.c.{name}"), lacks(name, f"y.c.{name}"))
        child, records = f"d.{name}", [[f"d.{name}", 60, "NS", "ns1.example.net."]]
        self.assertEqual(commit(stage(child, records))["result"]["warnings"], lacks(name, child))
        self.assertEqual(commit(stage(child, records))["result"]["warnings"], [])
        # the domains below are older
        above = lab.name()
        below = [f"{label}.{above}" for label in "abcd"]
        for child in (*below, f"x.a.{above}"):
            create(child)
        shown = ", ".join(f"'{child}'" for child in below[:3])
        self.assertEqual(create(above), [
            f"the new domain '{above}' has no NS records for the domains below it ({shown}, ...), "
            "so resolvers may no longer find these domains: add NS records (zonefleet record "
            f"add {above} {below[0]} NS HOST...)"])
        above = lab.name()
        create(f"x.a.{above}"), create(f"b.{above}")
        records = [[owner, 60, "NS", "ns1.example.net."] for owner in (above, f"a.{above}")]
        warned, = commit(stage(above, records))["result"]["warnings"]
        self.assertIn(f"the domains below it ('b.{above}'), so", warned)
        # the domain above is of another tenant
        child = {"id": uuid.uuid4().hex, "tenant": "bob"}
        self.assertEqual(create(f"e.{name}", ADMIN, **child), lacks(name, f"e.{name}"))
        self.assertEqual(create(f"e.{name}", BOB, **child), [])

    def test_values_that_an_existing_domain_keeps(self):
        name, id_ = lab.name(), uuid.uuid4().hex
        values = {"name": name, "ttl": 60, "description": "x"}
        self.assertEqual(call("create_domain", domain=values | {"id": id_})["ttl"], 60)
        other = values | {"ttl": 61, "description": "y"}
        want = ["ttl: the domain exists and keeps its TTL 60, so central ignores 61",
                "description: the domain exists and keeps its description"]
        for domain, warned in (values, []), (other, want):
            again = call("create_domain", domain=domain | {"id": id_})
            self.assertEqual([words.partition(": to")[0] for words in again["warnings"]], warned)
            begun = call("begin_import", domain=domain, mode="upsert")["id"]
            done = commit(begun, ALICE)["result"]
            self.assertEqual([words.partition(": to")[0] for words in done["warnings"]], warned)


class Imports(Story):
    def test_a_large_zone(self):
        name = lab.name()
        records = generated_zone(name, LARGE)
        done = commit(stage(name, records))
        self.assertEqual(done["result"]["records"], LARGE - 1)
        self.assertEqual(len(export(name)), LARGE)
        records[5][3] = "10.9.9.9"
        again = commit(stage(name, records))["result"]
        self.assertEqual((again["added"], again["updated"], again["deleted"]), (1, 0, 1))
        journal = lab.sql(f"SELECT COUNT(*) FROM journal WHERE domain_id = '{again['domain']}'")
        self.assertEqual(journal, [["1"]])

    def test_of_an_administrator(self):
        """Its commit has an administrator's rights, so a user of the project cannot fill it."""
        name, boss = lab.name(), ALICE | {"is_admin": True}
        zone = generated_zone(name, 4)
        begun = call("begin_import", boss, domain={"name": name})["id"]
        for method, args in (("add_to_import", {"part": 0, "records": zone}),
                             ("commit_import", {})):
            with self.assertRaises(om.RemoteError) as caught:
                call(method, ALICE, **args, **{"import": begun})
            self.assertEqual(caught.exception.exc_type, "Forbidden", method)
        self.assertEqual(call("get_import", ALICE, **{"import": begun})["state"], "OPEN")
        call("add_to_import", boss, part=0, records=zone, **{"import": begun})
        self.assertEqual(commit(begun, boss)["state"], "DONE")

    def test_a_version(self):
        """Without it, an import replaces what has changed since its begin, too."""
        name = lab.name()
        zone = generated_zone(name, 4)
        absent = commit(stage(name, zone), version=1)
        self.assertEqual(absent["state"], "ERROR")
        self.assertIn("there is no domain", absent["reason"])
        first = commit(stage(name, zone), version=None)["result"]
        self.assertEqual(first["version"], call("get_domain", ADMIN, domain=name)["version"])
        begun = stage(name, zone)
        change(name, {"op": "add", "name": f"new.{name}", "type": "A", "records": ["192.0.2.9"]},
               context=ADMIN)
        self.fails("Invalid", "version: must be", "commit_import", ADMIN, version=-1,
                   **{"import": begun})
        late = commit(begun, version=first["version"])
        self.assertEqual(late["state"], "ERROR")
        self.assertIn(f"not {first['version']}: read the domain again", late["reason"])
        now = call("get_domain", ADMIN, domain=name)
        self.assertEqual(now["records"], first["records"] + 1)
        done = commit(stage(name, zone), version=now["version"])
        self.assertEqual((done["state"], done["result"]["deleted"]), ("DONE", 1))
        self.assertEqual(done["result"]["version"], now["version"] + 1)
        same = commit(stage(name, zone), version=now["version"] + 1)["result"]
        self.assertEqual((same["changed"], same["version"]), (False, now["version"] + 1))

    def test_a_missing_part(self):
        name = lab.name()
        zone = generated_zone(name, 4)
        begun = call("begin_import", domain={"name": name})["id"]
        call("add_to_import", part=2, records=zone[2:], **{"import": begun})
        call("add_to_import", part=0, records=zone[:1], **{"import": begun})
        self.fails("Conflict", "has 2 parts with records, but the last part has the number 2",
                   "commit_import", **{"import": begun})
        self.assertEqual(call("get_import", **{"import": begun})["state"], "OPEN")
        call("add_to_import", part=1, records=zone[1:2], **{"import": begun})
        self.assertEqual(commit(begun)["state"], "DONE")

    def test_of_another_tenant(self):
        """What the commit would refuse is refused before any record is sent."""
        name = lab.name()
        call("create_domain", ALICE, domain={"name": name})
        for more in {}, {"mode": "create"}, {"mode": "replace"}, {"mode": "upsert"}:
            self.fails("NotFound", f"there is no domain '{name}'", "begin_import", BOB,
                       domain={"name": name}, **more)
        for domain in {"name": f"below.{name}"}, {"name": lab.name(), "tenant": ALICE["project_id"]}:
            self.fails("Forbidden", "another tenant", "begin_import", BOB, domain=domain)
        self.assertEqual(commit(stage(name, generated_zone(name, 4), ALICE), ALICE)["state"], "DONE")

    def test_quotas_of_what_is_staged(self):
        tenant = {"project_id": f"stages{next(lab.numbers)}"}
        begun = [call("begin_import", tenant, domain={"name": lab.name()})["id"]
                 for _ in range(IMPORTS)]
        self.fails("OverQuota", "(quota_imports) allows no more: commit or cancel",
                   "begin_import", tenant, domain={"name": lab.name()})
        call("cancel_import", tenant, **{"import": begun.pop()})
        name = lab.name()
        begun.append(call("begin_import", tenant, domain={"name": name})["id"])
        part = {"import": begun[-1], "part": 0}
        rows = generated_zone(name, IMPORT_RECORDS)[:IMPORT_RECORDS]
        for _ in range(2):          # a part that comes twice counts once
            call("add_to_import", tenant, records=rows, **part)
        more = {"import": begun[-1], "part": 1, "records": rows[:1]}
        self.fails("OverQuota", "but the quota (quota_import_records) is", "add_to_import",
                   tenant, **more)
        call("add_to_import", ADMIN, **more)
        for one in begun:
            call("cancel_import", tenant, **{"import": one})
        wait_unstaged()

    def test_modes(self):
        name = lab.name()
        zone = generated_zone(name, 10)
        self.assertIn("no domain", commit(stage(name, zone, mode="replace"))["reason"])
        self.assertEqual(commit(stage(name, zone, mode="create"))["state"], "DONE")
        self.assertIn("exists", commit(stage(name, zone, mode="create"))["reason"])
        extra = [[f"new.{name}", 60, "TXT", '"x"']]
        result = commit(stage(name, extra, mode="upsert"))["result"]
        self.assertEqual((result["added"], result["deleted"], result["records"]), (1, 0, 10))
        result = commit(stage(name, zone))["result"]
        self.assertEqual((result["added"], result["deleted"]), (0, 1))
        same = commit(stage(name, zone))["result"]
        self.assertEqual((same["changed"], same["serial"]), (False, result["serial"]))
        other_ttl = [[owner, 77, kind, data] for owner, _, kind, data in zone]
        self.assertEqual(commit(stage(name, other_ttl))["result"]["updated"], 9)

    def test_refusals(self):
        name = lab.name()
        zone = generated_zone(name, 4)
        for words, more in (
                ("CNAME", [[f"h1.{name}", 60, "CNAME", "x.example."]]),
                ("more than one CNAME", [[f"c.{name}", 60, "CNAME", "x.example."],
                                         [f"c.{name}", 60, "CNAME", "y.example."]]),
                ("at most one SOA", [[name, 60, "SOA", "a. b. 1 2 3 4 5"]]),
                ("apex", [[name, 60, "CNAME", "x.example."]])):
            done = commit(stage(name, zone + more))
            self.assertEqual(done["state"], "ERROR")
            self.assertIn(words, done["reason"])
            self.fails("NotFound", "no domain", "get_domain", ADMIN, domain=name)
            call("cancel_import", ADMIN, **{"import": done["id"]})      # changes nothing
            self.assertEqual(call("get_import", ADMIN, **{"import": done["id"]})["reason"],
                             done["reason"])
        begun = call("begin_import", domain={"name": name})["id"]
        for record in (["www", 60, "A", "192.0.2.1"], ["other.example.", 60, "A", "192.0.2.1"],
                       [f"a.{name}", -1, "A", "192.0.2.1"], [f"a.{name}", 60, "A", "x"],
                       [f"a.{name}", 60, "SOA", "a. b. 1 2 3 4 5"], [f"a.{name}", 60, "A"], 5,
                       [f"a.{name}", "60", "A", "192.0.2.1"], [f"a.{name}", 60, "ANY", "x"]):
            self.fails("Invalid", "part 0, records[1]", "add_to_import", part=0,
                       records=[[f"ok.{name}", 60, "A", "192.0.2.1"], record],
                       **{"import": begun})
        self.assertEqual(call("get_import", **{"import": begun})["records"], 0)
        for _ in range(2):      # a part that comes twice counts once
            call("add_to_import", part=3, records=zone[2:], **{"import": begun})
        self.assertEqual(call("get_import", **{"import": begun})["records"], 2)
        call("cancel_import", **{"import": begun})
        self.fails("Conflict", "ERROR", "add_to_import", part=4, records=[],
                   **{"import": begun})

    def test_a_new_domain_is_held_to_the_rules_too(self):
        tenant, name = {"project_id": f"small{next(lab.numbers)}"}, lab.name()
        zone = generated_zone(name, 4)
        for resource, limit, words in (("domain_recordsets", 2, "would have 3 record sets"),
                                       ("recordset_records", 1, "has more records than")):
            call("set_quota", ADMIN, tenant=tenant["project_id"], resource=resource,
                 hard_limit=limit)
            done = commit(stage(name, zone + [[f"h1.{name}", 300, "A", "192.0.2.9"]], tenant),
                          tenant)
            self.assertEqual((done["state"], done["error"]), ("ERROR", "OverQuota"))
            self.assertIn(words, done["reason"])
            call("set_quota", ADMIN, tenant=tenant["project_id"], resource=resource,
                 hard_limit=-1)
        call("create_domain", ADMIN, domain={"name": f"child.{name}"})
        done = commit(stage(name, zone + [[f"www.child.{name}", 300, "TXT", '"x"']]))
        self.assertEqual((done["state"], done["error"]), ("ERROR", "Invalid"))
        self.assertIn("below this domain", done["reason"])
        done = commit(stage(name, zone))
        self.assertEqual((done["state"], done["error"]), ("DONE", ""))

    def move(self, name, record_type, to):
        """As if the record set were older than a rule."""
        lab.sql(f"UPDATE recordsets SET name = '{to}' WHERE name = '{name}' AND type = {record_type}")

    def test_records_older_than_a_rule(self):
        """An import is judged by the records that it changes."""
        name, nsec3 = lab.name(), f"1 0 0 - {'0' * 32} A"
        old = [[f"{owner}{name}", 60, kind, data] for owner, kind, data in (
            ("", "NS", "ns1.example.net."), ("s.", "NS", "ns1.example.net."),
            ("s.", "DS", "1 13 2 " + "ab" * 32), ("d.", "DNAME", "x.example.net."),
            ("x.e.", "A", "192.0.2.1"), ("x.f.", "A", "192.0.2.1"), ("w.b.", "TXT", '"x"'),
            ("00.", "NSEC3", nsec3))]
        self.assertEqual(commit(stage(name, old))["state"], "DONE")
        call("create_domain", ADMIN, domain={"name": f"c.{name}"})
        for owner, number, to in (("s.", 43, ""), ("x.e.", 1, "x.d."), ("w.b.", 16, "w.c."),
                                  ("00.", 50, "foo.")):
            self.move(f"{owner}{name}", number, f"{to}{name}")
            next(row for row in old if row[0] == f"{owner}{name}" and row[2] != "NS")[0] = \
                f"{to}{name}"
        for more in {}, {"mode": "upsert"}:
            done = commit(stage(name, old, **more))
            self.assertEqual((done["state"], done["reason"]), ("DONE", ""))
            self.assertEqual((done["result"]["added"], done["result"]["deleted"]), (0, 0))
        good = commit(stage(name, [[f"y.{name}", 60, "A", "192.0.2.1"],
                                   [name, 60, "MX", "1 mail.example.net."]], mode="upsert"))
        self.assertEqual((good["state"], good["reason"]), ("DONE", ""))
        for words, owner, kind, data in (
                ("part 0, records[0]: '{}' cannot have records, because a higher name has a DNAME",
                 "y.d.", "A", "192.0.2.2"),
                ("part 0, records[0]: '{}' is the apex, which cannot have a DS", "", "DS",
                 "2 13 2 " + "ab" * 32),
                ("part 0, records[0]: '{}' belongs to a domain below", "w.c.", "TXT", '"y"'),
                ("part 0, records[0]: '{}' cannot have NSEC3 records", "foo.", "NSEC3",
                 nsec3 + " RRSIG"),
                ("records: 'x.{}', which is in the domain and not in the import, cannot have "
                 "records, because a higher name has", "f.", "DNAME", "x.example.net.")):
            owner = f"{owner}{name}"
            done = commit(stage(name, [[owner, 60, kind, data]], mode="upsert"))
            self.assertEqual(done["state"], "ERROR", owner)
            self.assertIn(words.format(owner), done["reason"])

    def test_more_record_sets_than_a_new_quota(self):
        tenant, name = {"project_id": f"small{next(lab.numbers)}"}, lab.name()
        zone = generated_zone(name, 5)
        self.assertEqual(commit(stage(name, zone, tenant), tenant)["state"], "DONE")
        call("set_quota", ADMIN, tenant=tenant["project_id"], resource="domain_recordsets",
             hard_limit=1)
        self.assertEqual(commit(stage(name, zone[:-1], tenant), tenant)["reason"], "")
        self.assertIn("would have 4 record sets", commit(stage(name, zone, tenant), tenant)["reason"])

    def test_the_case_of_a_record_that_exists(self):
        name = self.create()["name"]
        change(name, add(f"x.{name}", ["A.EXAMPLE.NET."], "CNAME"))
        for number in range(150):       # more than a page
            change(name, add(f"{number}.{name}", ["1 M.EXAMPLE.NET."], "MX"))
        done = commit(stage(name, [[f"x.{name}", 3600, "CNAME", "a.example.net."], *(
            [f"{number}.{name}", 3600, "MX", "1 m.example.net."] for number in range(150))],
            mode="upsert"))["result"]
        self.assertEqual((done["added"], done["deleted"], done["changed"]), (0, 0, False))

    def test_an_export_in_small_pages(self):
        domain = self.create()
        name = domain["name"]
        change(name, *(add(f"{i}.{name}", [f"192.0.2.{j}" for j in range(7)]) for i in range(5)))
        whole = export(name)
        self.assertEqual(len(whole), 1 + 2 + 35)
        for limit in (2, 3, 7, 8, 37, 38):
            self.assertEqual(export(name, limit=limit), whole, limit)
        self.fails("Invalid", "marker", "export_domain", domain=name, marker="x.1")

    def beside(self, domain, begun):
        """Neighbours of all that it has, and of all that the import brings."""
        ids = [row[0] for row in lab.sql(
            f"SELECT id FROM recordsets WHERE domain_id = '{domain}' "
            f"UNION SELECT id FROM records WHERE domain_id = '{domain}' "
            f"UNION SELECT id FROM import_records WHERE import_id = '{begun}'")]
        (pool,), = lab.sql("SELECT id FROM pools WHERE name = 'default'")
        around = Neighbours(lab.fleet.mariadb, pool, domain)
        around.settle(ids)
        return around

    def kept_at_the_end(self, begun, around):
        """What the neighbours cannot write while the import is about to commit."""
        self.assertEqual(around.kept(), [])
        with at_the_end():
            call("commit_import", ADMIN, **{"import": begun})
            wait_for(is_at_a_gate, 20, "the import is about to commit")
            wait_for(is_swept(), 20, "the sweep passes by")
            kept = around.kept()
        done = wait_for(lambda: settled(begun, ADMIN), 20, "it is done")
        self.assertEqual(done["state"], "DONE", done)
        return kept

    def test_a_commit_holds_no_row_and_no_gap_of_another_domain(self):
        domain = self.create(context=ADMIN)
        name = domain["name"]
        zone = generated_zone(name, 8)
        self.assertEqual(commit(stage(name, zone), ADMIN)["state"], "DONE")
        # what goes, comes anew, comes twice, gets another TTL, stays
        zone = zone[:2] + [[f"h9.{name}", 60, "A", "192.0.2.1"]] * 2 + zone[3:-1] + [
            [f"h4.{name}", 99, "A", "10.0.0.4"], [f"h3.{name}", 300, "A", "192.0.2.1"]]
        begun = stage(name, zone)
        self.assertEqual(self.kept_at_the_end(begun, self.beside(domain["id"], begun)), [])
        self.assertEqual(sorted((row[0], row[2]) for row in records_of(domain["id"])
                                if row[3] != "DELETE"),
                         sorted({(owner, data) for owner, _, _, data in zone[1:]}))

    def test_nor_does_a_commit_that_creates_its_domain(self):
        name, number = lab.name(), uuid.uuid4().hex
        begun = call("begin_import", domain={"name": name, "id": number})["id"]
        call("add_to_import", part=0, records=generated_zone(name, 4), **{"import": begun})
        self.assertEqual(self.kept_at_the_end(begun, self.beside(number, begun)), [])

    def test_a_commit_holds_up_no_other_domain(self):
        """They come, change and go by central, while the import stands still."""
        name, other = lab.name(), self.create()["name"]
        begun = stage(name, generated_zone(name, 100))
        with at_the_end():
            call("commit_import", ADMIN, **{"import": begun})
            wait_for(is_at_a_gate, 20, "the import is about to commit")
            for domain in [other, *(self.create()["name"] for _ in range(4))]:
                change(domain, *(add(f"h{i}.{domain}", ["192.0.2.1"]) for i in range(20)))
                call("delete_domain", domain=domain)
            self.assertTrue(is_at_a_gate())
        self.assertEqual(wait_for(lambda: settled(begun, ADMIN), 20, "it is done")["state"],
                         "DONE")

    def test_nor_does_a_sweep_that_meets_a_commit(self):
        """A domain that was locked when the sweep passed by can be changed afterwards."""
        changed, name = self.create()["name"], lab.name()
        begun = stage(name, generated_zone(name, 10))
        with at_the_end():
            call("commit_import", ADMIN, **{"import": begun})
            wait_for(is_at_a_gate, 20, "the import is about to commit")
            with held(f"SELECT 1 FROM domains WHERE name = '{changed}' FOR UPDATE"):
                wait_for(is_swept(), 20, "the sweep passes by")
            wait_for(is_swept(), 20, "the sweep passes by")
            change(changed, add(f"h.{changed}", ["192.0.2.1"]))
            self.assertTrue(is_at_a_gate())
        wait_for(lambda: settled(begun, ADMIN), 20, "it is done")

    def test_a_name_that_a_commit_is_creating(self):
        """Whoever wants it, too, is told that it is locked, and waits beside the loop."""
        name = lab.name()
        begun = stage(name, generated_zone(name, 10))
        with at_the_end():
            call("commit_import", ADMIN, **{"import": begun})
            wait_for(is_at_a_gate, 20, "the import is about to commit")
            self.waits_beside_the_loop("create_domain", ALICE, domain={"name": name})
        wait_for(lambda: settled(begun, ADMIN), 20, "it is done")
        self.fails("Duplicate", "already exists", "create_domain", domain={"name": name})

    def test_a_domain_that_comes_while_a_commit_creates_it(self):
        for mode, state in ({}, "DONE"), ({"mode": "upsert"}, "DONE"), ({"mode": "create"}, "ERROR"):
            name = lab.name()
            begun = stage(name, generated_zone(name, 10), **mode)
            with at_the_creation():
                call("commit_import", ADMIN, **{"import": begun})
                wait_for(is_at_a_gate, 20, "the commit found no domain")
                call("create_domain", ADMIN, domain={"name": name})
            done = wait_for(lambda: settled(begun, ADMIN), 20, "it is settled")
            self.assertEqual(done["state"], state, (mode, done))
            self.assertEqual("already exists" in done["reason"], state == "ERROR", done)

    def test_a_commit_that_loses_a_deadlock(self):
        """It runs again at once; the sweep need not take it up."""
        name = lab.name()
        begun, large = stage(name, generated_zone(name, 10)), stage(name, generated_zone(name, 200))
        with held("SELECT 1 FROM pools FOR UPDATE; "
                  f"UPDATE import_records SET ttl = 9 WHERE import_id = '{large}'") as do:
            call("commit_import", ADMIN, **{"import": begun})
            wait_for(lambda: any("INSERT INTO domains" in sql for sql in slow_statements(200)),
                     20, "the commit waits for the pool")
            do(f"SELECT 1 FROM imports WHERE id = '{begun}' FOR UPDATE")
        done = wait_for(lambda: settled(begun, ADMIN), 20, "it is settled")
        self.assertEqual((done["state"], done["attempts"]), ("DONE", 1), done)

    def test_the_id_of_another_domain(self):
        taken, name = self.create(context=ADMIN)["id"], lab.name()
        begun = call("begin_import", ADMIN, domain={"name": name, "id": taken})["id"]
        self.assertIn("a domain with this id", commit(begun)["reason"])

    def test_a_commit_whose_process_died(self):
        name = lab.name()
        begun = stage(name, generated_zone(name, 10))
        lab.sql("UPDATE imports SET state = 'COMMITTING', updated_at = UTC_TIMESTAMP(3) - "
                f"INTERVAL 1 HOUR WHERE id = '{begun}'")
        wait_for(lambda: settled(begun, ADMIN), 30, "the sweep commits it")
        self.assertEqual(call("get_domain", ADMIN, domain=name)["records"], 9)


    def who_has(self, begun):
        """The process that commits it, as its row names it; and that program."""
        (first,), = lab.sql(f"SELECT worker FROM imports WHERE id = '{begun}'")
        pid = int(first.split(":")[1])
        return first, next(worker for worker in lab.fleet.workers if pid in worker.processes())

    def test_a_commit_whose_process_stands_still(self):
        """The database takes its locks away; once it goes on, it finds that all is done."""
        domain = self.create(context=ADMIN)
        begun = stage(domain["name"], generated_zone(domain["name"], 100))
        with at_the_end():
            call("commit_import", ADMIN, **{"import": begun})
            wait_for(is_at_a_gate, 20, "the import is about to commit")
            first, owner = self.who_has(begun)
            owner.pause()
        # not by calls, for the process that stands still gets its share of them
        row = f"SELECT state, attempts, worker, result FROM imports WHERE id = '{begun}'"
        try:
            wait_for(lambda: lab.sql(row)[0][0] == "DONE", 15, "another central commits it")
            done = lab.sql(row)[0]
            self.assertEqual(done[1], "2")
            self.assertNotEqual(done[2], first)
        finally:
            lost = owner.log.read_text().count("database lost")
            owner.resume()
        wait_for(lambda: owner.log.read_text().count("database lost") > lost, 20, "it goes on")
        again = stage(domain["name"], generated_zone(domain["name"], 100))
        self.assertFalse(commit(again)["result"]["changed"])
        self.assertEqual(lab.sql(row)[0], done)

    def test_a_commit_whose_process_is_lost_in_a_long_statement(self):
        """The server runs the statement on; another central ends it and commits the import."""
        domain = self.create(context=ADMIN)
        begun = stage(domain["name"], generated_zone(domain["name"], 100))
        row = f"SELECT state, attempts, worker FROM imports WHERE id = '{begun}'"
        with contextlib.ExitStack() as end:
            with at_the_end():
                call("commit_import", ADMIN, **{"import": begun})
                wait_for(is_at_a_gate, 20, "the import is about to commit")
                first, owner = self.who_has(begun)
                end.callback(owner.resume)
                owner.pause()
                wait_for(lambda: lab.sql(row)[0][1] == "2", 15, "another central takes it up")
                self.assertNotEqual(lab.sql(row)[0][2], first)
            wait_for(lambda: lab.sql(row)[0][0] == "DONE", 15, "it is done")
        again = stage(domain["name"], generated_zone(domain["name"], 100))
        self.assertFalse(commit(again)["result"]["changed"])
        self.assertEqual(lab.sql(row)[0][:2], ["DONE", "2"])

    def test_a_commit_whose_process_is_killed(self):
        """Another takes it up at once, and tells that it has it."""
        domain = self.create(context=ADMIN)
        name = domain["name"]
        begun = stage(name, generated_zone(name, 2000), mode="replace")
        where = f"FROM imports WHERE id = '{begun}'"
        with held(f"SELECT id FROM domains WHERE id = '{domain['id']}' FOR UPDATE"):
            call("commit_import", ADMIN, **{"import": begun})
            wait_for(lambda: lab.sql(f"SELECT worker {where} AND worker <> ''"), 20, "it has begun")
            first, owner = self.who_has(begun)
            # its transaction has the import's row, and waits for the domain's
            wait_for(lambda: not lab.sql(f"SELECT id {where} FOR UPDATE SKIP LOCKED"), 20,
                     "the commit holds the import")
            owner.kill9()
        try:
            # they look every five seconds; a sweep would have it after two minutes
            wait_for(lambda: settled(begun, ADMIN), 60, "another central commits it")
        finally:
            owner.launch()
            owner.wait_ready()
        done = call("get_import", ADMIN, **{"import": begun})
        self.assertEqual((done["state"], done["attempts"]), ("DONE", 2))
        self.assertNotEqual(done["worker"], first)
        self.assertEqual(call("get_domain", ADMIN, domain=name)["records"], 1999)


def canonical(lines):
    """Lines as sets of words in lower case: the spelling of names and hex digits is free."""
    return sorted(" ".join(words[:4]) + " " + "".join(words[4:])
                  for words in (line.replace("\t", " ").lower().split() for line in lines))


class Together(Story):
    def stream(self, name, thread, count, accepted):
        client = om.RPCClient(lab.transport, om.Target(topic="central"), timeout=90)
        for i in range(count):
            owner = f"t{thread}-{i}.{name}"
            answer = client.call(ALICE, "apply_changes", domain=name,
                                 changes=[add(owner, ["192.0.2.1"])])
            accepted.append((owner, answer["serial"]))

    def run_streams(self, name, threads, count):
        accepted = []
        workers = [threading.Thread(target=self.stream, args=(name, i, count, accepted))
                   for i in range(threads)]
        for worker in workers:
            worker.start()
        return workers, accepted

    def check_nothing_lost(self, domain, accepted, total):
        self.assertEqual(len(accepted), total)
        serials = [serial for _, serial in accepted]
        self.assertEqual(len(set(serials)), total)
        rows = records_of(domain["id"])
        self.assertEqual({(row[0], int(row[5])) for row in rows if row[1] == "1"}, set(accepted))
        journal = lab.sql("SELECT previous_serial, serial FROM journal WHERE "
                          f"domain_id = '{domain['id']}' ORDER BY serial")
        self.assertEqual(len(journal), total)
        self.assertEqual([row[0] for row in journal[1:]], [row[1] for row in journal[:-1]])
        now = call("get_domain", domain=domain["id"])
        self.assertEqual((now["serial"], now["records"]), (max(serials), total + 2))

    def test_one_hot_domain(self):
        domain = self.create()
        workers, accepted = self.run_streams(domain["name"], 4, 50)
        for worker in workers:
            worker.join()
        self.check_nothing_lost(domain, accepted, 200)

    def piled_up(self, calls, refused=0):
        """Makes CALLS at once, which wait for the database together; their answers.

        So many of them are REFUSED without the database, perhaps before the others are there.
        """
        answers = [None] * len(calls)

        def make(number):
            client = om.RPCClient(lab.transport, om.Target(topic="central"), timeout=60)
            method, args = calls[number]
            try:
                answers[number] = client.call(ALICE, method, **args)
            except om.RemoteError as error:
                answers[number] = error

        threads = [threading.Thread(target=make, args=(i,)) for i in range(len(calls))]
        lab.fleet.mariadb.pause()
        try:
            for thread in threads:
                thread.start()
            wait_for(lambda: self.queue()[0] >= len(calls) - refused, 30, "all calls are there")
        finally:
            lab.fleet.mariadb.resume()
        for thread in threads:
            thread.join()
        return answers

    def queue(self):
        """Central's: how many messages it has, not acknowledged ones too, and consumers."""
        rows = lab.fleet.rabbitmq.listed("queues", "name", "messages", "consumers")
        return next([int(count) for count in counts] for name, *counts in rows
                    if name == "central")

    def largest_group(self, domain):
        """Calls whose answers were kept by one statement, and so in one transaction."""
        return int(lab.sql("SELECT MAX(n) FROM (SELECT COUNT(*) AS n FROM requests WHERE "
                           f"domain_id = '{domain['id']}' GROUP BY created_at) c")[0][0])

    def test_calls_that_share_a_transaction_see_each_other(self):
        """One central has all; those about one of two domains name their serials."""
        domain, other = self.create(), self.create()
        client = om.RPCClient(lab.transport, om.Target(topic="central"))
        first, count = domain["serial"] + 1000, 24
        lab.fleet.kill9("central2")
        self.addCleanup(lab.fleet.restart, "central2")
        wait_for(lambda: self.queue()[1] == 1, 30, "one central is left")
        lab.fleet.mariadb.pause()
        try:
            for i in range(count):
                client.cast(ALICE, "apply_changes", domain=domain["id"], serial=first + i,
                            changes=[add(f"t{i}.{domain['name']}", ["192.0.2.1"])])
                client.cast(ALICE, "apply_changes", domain=other["name"],
                            changes=[add(f"t{i}.{other['name']}", ["192.0.2.2"])])
            wait_for(lambda: self.queue()[0] >= 2 * count, 30, "all calls are there")
        finally:
            lab.fleet.mariadb.resume()
        for now in domain, other:
            wait_for(lambda now=now: call("get_domain", domain=now["id"])["records"] ==
                     count + 2, 30, "all changes are made")
        for now in domain, other:
            self.assertGreater(self.largest_group(now), 1)
        self.check_nothing_lost(domain, [(f"t{i}.{domain['name']}", first + i)
                                         for i in range(count)], count)
        self.check_nothing_lost(other, [(row[0], int(row[5])) for row in records_of(other["id"])
                                        if row[1] == "1"], count)

    def test_reads_that_share_a_statement(self):
        """Each has the domain that it asked for, or its own refusal; a broken row is one's."""
        domains = [self.create() for _ in range(4)]
        where = f"WHERE id = '{domains[3]['id']}'"
        self.addCleanup(lab.sql, f"UPDATE domains SET mname = 'ns1.example.net.' {where}")
        lab.sql(f"UPDATE domains SET mname = 'no..name' {where}")
        asked = [{"domain": domains[0]["id"]}, {"domain": domains[1]["name"]},
                 {"domain": "none.example."}, {"domain": 5}, {"domain": domains[3]["id"]},
                 {"domain": domains[2]["id"]}] * 3
        answers = self.piled_up([("get_domain", args) for args in asked], refused=3)
        got = [answer["name"] if isinstance(answer, dict) else answer.exc_type
               for answer in answers]
        self.assertEqual(got, [domains[0]["name"], domains[1]["name"], "NotFound", "Invalid",
                               "Internal", domains[2]["name"]] * 3)
        with self.assertRaises(om.RemoteError) as caught:
            call("get_domain", BOB, domain=domains[3]["id"])
        self.assertEqual(caught.exception.exc_type, "NotFound")

    def test_kill_during_a_stream(self):
        domain = self.create()
        workers, accepted = self.run_streams(domain["name"], 3, 60)
        for number, goal in (("central1", 30), ("central2", 70), ("central1", 110)):
            wait_for(lambda goal=goal: len(accepted) > goal, 60, "the stream goes on")
            lab.fleet.kill9(number)
            lab.fleet.restart(number)
        for worker in workers:
            worker.join()
        self.check_nothing_lost(domain, accepted, 180)


class WholeZone(Story):
    """Last by its name: the root stands above every other tenant's domains."""

    def test_a_real_zone(self):
        paths = sorted(ROOT_ZONE.glob("*.zone.xz"))[:2]
        name = "." if paths else lab.name()
        versions = [read_zone(path) for path in paths] or \
            [generated_zone(name, 20000, serial) for serial in (7, 8)]
        for records in versions:
            done = commit(stage(name, records))
            self.assertEqual(done["state"], "DONE", done["reason"])
            soa = next(record[3].split() for record in records if record[2] == "SOA")
            self.assertEqual(done["result"]["serial"], int(soa[2]))
            lines = export(name)
            self.assertEqual(lines[0].split()[3], "SOA")
            # the file, as a transfer has it, ends with the SOA again
            wanted = {f"{owner} {ttl} IN {record_type} {data}"
                      for owner, ttl, record_type, data in records}
            self.assertEqual(canonical(lines), canonical(wanted))

    def test_below_the_root(self):
        """Each other name is below the root."""
        apex, above = [".", 60, "NS", "ns1.example.net."], [".", 60, "DNAME", "x.example.net."]
        below = ["a.", 60, "TXT", '"x"']
        done = commit(stage(".", [apex, above, below]))
        self.assertIn("because a higher name has a DNAME", done["reason"])
        self.assertEqual(commit(stage(".", [apex, below]))["reason"], "")
        self.fails("Invalid", "'a.' cannot have records, because the higher name '.'", "apply_changes",
                   ADMIN, domain=".", changes=[add(".", ["x.example.net."], "DNAME")])
        self.assertEqual(commit(stage(".", [apex, above]))["reason"], "")
        call("create_domain", ADMIN, domain={"name": f"x.{lab.name()}"})
        self.assertEqual(commit(stage(".", [apex, above, [".", 60, "TXT", "x"]]))["reason"], "")
        self.fails("Invalid", "'a.' cannot have records, because the higher name '.'", "apply_changes",
                   ADMIN, domain=".", changes=[add("a.", ["192.0.2.1"])])


if __name__ == "__main__":
    unittest.main()

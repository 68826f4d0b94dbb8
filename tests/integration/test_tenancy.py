"""Each method of each program, called by each kind of caller (tenancy_table.py).

The tests read the methods from the metrics of the running programs: a method without a row fails
them. They also migrate old databases whose tenants differ by blanks only. The fleet has central,
the pool manager, mini-DNS, ports, routes and ownership, and an agent of ports and one of routes.
"""

import contextlib
import itertools
import json
import re
import shutil
import sys
import tempfile
import unittest
import uuid
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import test_hostile                                             # noqa: E402
from tenancy_table import (ADMINISTRATOR, CALLERS, CHANGED, FANOUTS, GUEST, ID,   # noqa: E402
                           MALFORMED, OWNER, RECEIVER, REGISTRY, ROUTER, ROWS, SHARED,
                           STORAGE, TOPICS, UNCHANGED, WITH_NUL, ZONE, arguments)
from test_hostile import message, unwrapped                     # noqa: E402
from test_signed import envelope, sign                          # noqa: E402
from agent import Agent                                         # noqa: E402
from story import ROOT, merged                                  # noqa: E402
from lab.fleet import Worker, fleet_key, render                 # noqa: E402
from lab.process import HOST, LabError                                  # noqa: E402

SECONDS = 60
READS = 100                     # of the queues, before the wait for an answer takes a pause
OWN, OTHER = {"project_id": OWNER}, {"project_id": "other"}
LISTS = "sees", "nothing"
BEFORE = 24                     # the last version of the schema that padded tenants with blanks
NEXT_TO_LAST = 27    # of a schema whose later migrations leave a table with tenants alone


def setUpModule():
    global lab, asker
    del test_hostile.SETTINGS["fleet"]      # what is unsigned is refused
    test_hostile.setUpModule()
    lab = test_hostile.lab
    add_ownership()
    add_agents()
    asker = Asker()


def add_ownership():
    """Its primary is silent: what is wanted is stored, and waits. The fleet stops it."""
    registry = {"zone": ZONE, "storage": "table", "tenant": OWNER, "host": HOST,
                "port": lab.nobody.getsockname()[1]}
    zones = [{"storage_id": storage_id, **registry} for storage_id in (STORAGE, RECEIVER)]
    zones.append({**registry, "storage_id": "theirs", "tenant": "other"})
    add(Worker(lab.folder / "ownership", "ownership", merged(lab.fleet.settings, {
        "ownership": {"processes": 1}, "registries": {"zones": zones}})))


def add_agents():
    lab.make_router(ROUTER, lab.things.zone)
    for program, own in ("ports", {}), ("routes", {"router": ROUTER}):
        directory = lab.folder / f"files_of_{program}"
        directory.mkdir()
        add(Agent(lab.folder / f"{program}_agent", program, lab.fleet.agent_settings() | {
            f"{program}_agent": {"directory": str(directory), "check_period": 3600} | own}))


def add(worker):
    lab.fleet.members[worker.name] = worker
    lab.fleet.workers.append(worker)
    worker.launch()
    worker.wait_ready()


class Asker:
    """Sends calls, and reads what comes of each: an answer, a refusal, or a dead letter."""

    def __init__(self):
        self.post = lab.post

    def send(self, topic, method, args, context, unique_id=None, signature=lambda text: None):
        """Returns the ids by which its answer and its dead letter are known."""
        known_by, unique_id = uuid.uuid4().hex, unique_id or uuid.uuid4().hex
        text = json.dumps(message(method, args, context=context, _msg_id=known_by,
                                  _reply_q=self.post.queue, _unique_id=unique_id))
        fanout = f"{topic}_fanout" if topic in FANOUTS else ""
        self.post.send("" if fanout else topic, envelope(text, signature(text)), fanout)
        return known_by, unique_id

    def _take(self, queue):
        got = self.post.channel.basic_get(queue, no_ack=True)
        return unwrapped(got.body) if got else None

    def _read(self, topics, found):
        """What has come by now, into FOUND by either id."""
        answer = self._take(self.post.queue)
        if answer:
            failure = json.loads(answer["failure"]) if answer["failure"] else None
            found[answer["_msg_id"]] = (
                (failure["class"], failure["message"]) if failure else
                ("done", json.dumps(answer["result"])))
        for topic in set(topics) - FANOUTS:
            letter = self._take(f"{topic}.dead")
            if letter:
                found[letter["_unique_id"]] = "dead letter", ""

    def outcomes(self, sent, topics=()):
        """Of SENT, {row: ids}: {row: (outcome, text)}. Dead letters of the TOPICS count."""
        found = {}

        def complete():
            for _ in range(READS):
                self._read(topics, found)
                if all(found.keys() & ids for ids in sent.values()):
                    return True
            return False
        lab.fleet.wait_for(complete, SECONDS, "each call has an answer")
        return {row: next(found[one] for one in ids if one in found)
                for row, ids in sent.items()}

    def ask(self, *call, **more):
        return self.outcomes({"": self.send(*call, **more)})[""]


class Things:
    """One of all that a row may name, of the owner's."""

    def __init__(self):
        self.things = lab.make_things()
        self.things.order = self.make_order()
        self.names = [self.things.zone, self.things.domain, self.things.recordset,
                      self.things.record, self.things.network, self.things.route, STORAGE,
                      self.things.transfer, self.things.share]

    @staticmethod
    def make_order():
        done, text = asker.ask("ownership", "ownership_release",
                               {**REGISTRY, "selector": {}}, OWN)
        assert done == "done", text
        return json.loads(text)["order"]

    def label(self, row_outcomes, got):
        """The outcome; of a list, whether the owner's things are on it."""
        outcome, text = got
        if outcome != "done" or not set(row_outcomes) & set(LISTS):
            return outcome
        return "sees" if any(f'"{name}"' in text for name in self.names) else "nothing"


class Matrix(unittest.TestCase):

    maxDiff = None

    def test_every_method_has_a_row(self):
        """The workers say which methods they count: all of their tables."""
        for kind, rows in ROWS.items():
            page = lab.worker(kind).page("/metrics")[1]
            counted = re.findall(r'^zonefleet_requests_total\{method="(\w+)"\}', page, re.M)
            self.assertEqual({row.partition(" ")[0] for row in rows} | {"other"}, set(counted),
                             f"{kind}: methods without a row, or rows without a method")
            self.assertEqual(set(arguments(kind, self.made().things)), set(rows), kind)

    @classmethod
    def made(cls):
        if not hasattr(cls, "_made"):
            cls._made = Things()
        return cls._made

    def differences(self, wanted_of, caller, context, things):
        """Rows that gave this caller another outcome, one call after the other."""
        for kind, rows in ROWS.items():
            for row, args in arguments(kind, things.things).items():
                got = asker.ask(TOPICS[kind], row.partition(" ")[0], args, context)
                wanted = wanted_of(kind, row)
                if things.label(rows[row], got) != wanted:
                    yield f"{kind} {row}, {caller}: {wanted} is right", got

    def differences_at_once(self, wanted_of, caller, context):
        """The same, of calls that do nothing to the things, all at once."""
        things = self.made()
        for kind, rows in ROWS.items():
            topic = TOPICS[kind]
            sent = {row: asker.send(topic, row.partition(" ")[0], args, context)
                    for row, args in arguments(kind, things.things).items()}
            for row, got in asker.outcomes(sent, [topic]).items():
                if things.label(rows[row], got) not in wanted_of(rows[row]):
                    yield f"{kind} {row}, {caller}: {wanted_of(rows[row])} is right", got

    def stored(self):
        """The owner's things, as the owner sees them."""
        things = self.made().things
        keys = {"central": {"get_domain": {"domain": things.domain},
                            "get_recordset": {"domain": things.domain,
                                              "recordset": things.recordset},
                            "get_import": {"import": things.opened}},
                "ports": {"get_port": {"port": things.network_port},
                          "get_network": {"network": things.network},
                          "get_subnet": {"subnet": things.subnet}},
                "routes": {"get_route": {"route": things.route}}}
        return {method: asker.ask(topic, method, args, OWN)
                for topic, calls in keys.items() for method, args in calls.items()}

    def assert_refused(self, callers, wanted_of):
        self.made()
        lab.wait_quiet()
        before = self.stored()
        wrong = [difference for caller, context in callers.items()
                 for difference in self.differences_at_once(wanted_of, caller, context)]
        self.assertEqual(wrong, [])
        self.assertEqual(self.stored(), before)

    def test_others(self):
        self.assert_refused(CALLERS["others"], lambda row: {row.others})

    def test_strangers(self):
        self.assert_refused(CALLERS["strangers"], lambda row: {row.strangers})

    def test_malformed(self):
        self.assert_refused(MALFORMED, lambda row: {"Forbidden"})

    def test_nul(self):
        self.assert_refused({"NUL": WITH_NUL}, lambda row: {"Invalid"})

    def assert_done(self, group):
        for caller, context in CALLERS[group].items():
            things = Things()
            if group == "administrators":       # others may not abandon it, and it would stay
                things.things.stuck = lab.make_stuck()
            self.assertEqual([*self.differences(
                lambda kind, row, group=group: getattr(ROWS[kind][row], group), caller, context,
                things)], [])

    def test_shared(self):
        """A tenant with a share of the domain."""
        def wanted(kind, row):
            others = ROWS[kind][row].others
            return SHARED.get(row, others) if kind == "central" else others
        self.assertEqual([*self.differences(wanted, "guest", GUEST, Things())], [])

    def test_agents_take_no_wrong_signature(self):
        """Nor the right one of another topic; without any, they are in the matrix."""
        keys = lab.fleet.settings["fleet"]
        name = keys["agent_keys"].split(":")[0]
        for kind in "ports_agent", "routes_agent":
            topic = TOPICS[kind]
            (method, args), = arguments(kind, self.made().things).items()
            for line, signed_topic, wanted in (
                    (keys["agent_keys"], topic, "done"),
                    (keys["agent_keys"], kind.removesuffix("_agent"), "Forbidden"),
                    (keys["keys"], topic, "Forbidden"), (fleet_key(name), topic, "Forbidden"),
                    (fleet_key("stranger"), topic, "Forbidden")):
                got = asker.ask(topic, method, args, ADMINISTRATOR,
                                signature=lambda text, a=line, b=signed_topic: sign(a, b, text))
                self.assertEqual(got[0], wanted, (kind, line.split(":")[0], signed_topic, got))

    def test_owners(self):
        self.assert_done("owners")

    def test_administrators(self):
        self.assert_done("administrators")


class Lines(unittest.TestCase):
    """The log of each change: one line, with who changed what."""

    maxDiff = None
    CALLER = {"project_id": OWNER, "user_id": "u1", "is_admin": True}

    def test_every_method_has_a_row(self):
        for kind, changed in CHANGED.items():
            rows = {row.partition(" ")[0] for row in changed}
            rows |= {method for kinds in UNCHANGED.values() for method in kinds.get(kind, ())}
            self.assertEqual(rows, {row.partition(" ")[0] for row in ROWS[kind]}, kind)

    def test_each_change_is_one_line(self):
        things = self.things()
        wanted = {}
        for kind in CHANGED:
            for row, args in self.rows(kind, things).items():
                req = self.request(kind, row)
                wanted[req] = self.line(kind, row, req, things)
                got = asker.ask(TOPICS[kind], row.partition(" ")[0], args,
                                self.CALLER | {"request_id": req})
                self.assertIn(got[0], ("done", ROWS[kind][row].administrators), (row, got))
                if row == "commit_import":
                    self.wait_imported(things)
        with contextlib.suppress(LabError):     # a line follows the answer
            lab.fleet.wait_for(lambda: not self.wrong(wanted), 10, "all lines")
        self.assertEqual(self.wrong(wanted), [])

    def things(self):
        """And what the lines call them."""
        things = Things().things
        things.number = things.zone.removeprefix("d").removesuffix(".example.")
        things.stuck = lab.make_stuck()
        (things.stuck_zone,), = lab.fleet.mariadb.sql(
            f"SELECT name FROM domains WHERE id = '{things.stuck}'")
        begun = asker.ask("central", "begin_import", {"domain": {"name": self.spare(things)}},
                          # the line about an import is of the call that began it
                          self.CALLER | {"request_id": self.request("central", "commit_import")})
        things.opened = json.loads(begun[1])["id"]
        return things

    @staticmethod
    def spare(things):
        return f"spare{things.number}.example."

    @staticmethod
    def wait_imported(things):
        def state():
            got = asker.ask("central", "get_import", {"import": things.opened}, OWN)
            return json.loads(got[1])["state"]
        lab.fleet.wait_for(lambda: state() == "DONE", SECONDS, "the import is done")

    @staticmethod
    def request(kind, row):
        return f"req-{kind}-{row.replace(' ', '-')}"

    @classmethod
    def rows(cls, kind, things):
        """Arguments with which each method changes something, in an order that is possible."""
        rows = arguments(kind, things)
        if kind == "central":
            del rows["cancel_import"]           # commit_import follows
            rows["update_blacklist"] |= {"values": {"description": "new"}}
            rows["add_to_import"] |= {"records": [
                [cls.spare(things), 3600, "NS", "ns1.example.net."],
                [f"w.{cls.spare(things)}", 300, "A", "192.0.2.7"]]}
        if kind == "ports":
            rows["set_subnet"]["subnet"] |= {"dns_publish_fixed_ip": False}
        if kind == "ownership":                 # the matrix may have applied its own before
            endpoint, = rows["apply_endpoints"]["endpoints"]
            rows["apply_endpoints"] |= {"resource": "lines", "endpoints": [
                endpoint | {"dnsname": "lines.shared.example."}]}
        if kind == "routes":
            rows["drain_router"] |= {"drain": True}
            bound = lab.routes.get_route(route=things.route)["route"]["router"]
            binding = rows["create_route_binding"]["binding"]
            del binding["dns"]
            if bound == things.router:
                binding["router"] = things.spare_router
        return rows

    @staticmethod
    def wrong(wanted):
        """(what is right, the lines) of each request of which the lines are not right."""
        lines = {req: [] for req in wanted}
        for worker in lab.fleet.workers:
            for line, req in re.findall(r" (info: \w+ changed: method=.* req=(req-[a-z]\S+))$",
                                        worker.log.read_text(), re.M):
                lines.get(req, []).append(line)
        return [(wanted[req], found) for req, found in lines.items()
                if not re.search(wanted[req], "\n".join(found))]

    @staticmethod
    def line(kind, row, req, things):
        """What matches the lines of the call: one, or none."""
        if row not in CHANGED[kind]:
            return r"\A\Z"
        subject, name, counts = CHANGED[kind][row]
        name = name if name == ID else re.escape(name.format(**vars(things)))
        serial = r" serial=\d+" if subject == "domain" else ""
        numbers = " added=%d updated=%d deleted=%d" % counts if counts else ""
        return (rf'\Ainfo: {subject} changed: method={row.partition(" ")[0]} {subject}={name}'
                rf'{serial}{numbers} account="" user="u1" tenant="{OWNER}" req={req}\Z')


class KeptAnswers(unittest.TestCase):
    """An answer that is kept by a message's id is given to the same call again, to no other."""

    def ask_again(self, topic, first, others):
        """FIRST and OTHERS: (method, args, context), with one message id."""
        unique_id = uuid.uuid4().hex
        kept = asker.ask(topic, *first, unique_id=unique_id)
        self.assertEqual(kept[0], "done", kept)
        for other in others:
            got = asker.ask(topic, *other, unique_id=unique_id)
            self.assertEqual(got[0], "Conflict", (other, got))
            self.assertIn(unique_id, got[1])
        self.assertEqual(asker.ask(topic, *first, unique_id=unique_id), kept)
        return unique_id, kept

    def domains(self, like):
        return sorted(lab.fleet.mariadb.sql(
            f"SELECT tenant, name FROM domains WHERE name LIKE '%{like}' AND live = 1"))

    def test_central(self):
        like = f"k{next(lab.numbers)}.example."
        args = [{"domain": {"name": f"{name}-{like}"}} for name in "ab"]
        first = "create_domain", args[0], OWN
        unique_id, kept = self.ask_again("central", first, [
            ("create_domain", args[1], OWN),
            ("create_domain", args[1], OTHER),
            ("create_domain", args[0], OTHER),
            ("create_domain", args[0], ADMINISTRATOR),
            ("create_domain", args[0], OWN | {"is_admin": True}),
            ("delete_domain", {"domain": args[0]["domain"]["name"]}, OWN),
            ("create_pool", {"pool": {"name": "kept"}}, ADMINISTRATOR),
        ])
        self.assertEqual(self.domains(like), [[OWNER, f"a-{like}"]])
        # as a program of the version before leaves it: the same call gets it still
        lab.fleet.mariadb.sql(
            f"UPDATE requests SET digest = NULL WHERE unique_id = '{unique_id}'")
        self.assertEqual(asker.ask("central", *first, unique_id=unique_id), kept)

    def test_central_at_once(self):
        """Calls with one id that share a transaction: one is done, the others are told so."""
        like, unique_id = f"k{next(lab.numbers)}.example.", uuid.uuid4().hex
        sent = {number: asker.send("central", "create_domain",
                                   {"domain": {"name": f"{number}-{like}"}},
                                   {"project_id": f"p{number}"}, unique_id)
                for number in range(8)}
        got = asker.outcomes({number: ids[:1] for number, ids in sent.items()})
        done = [number for number, (outcome, _) in got.items() if outcome == "done"]
        self.assertEqual(sorted(outcome for outcome, _ in got.values()),
                         ["Conflict"] * 7 + ["done"])
        self.assertEqual(self.domains(like), [[f"p{number}", f"{number}-{like}"]
                                              for number in done])

    def test_ownership(self):
        args = {**REGISTRY, "resource": "kept", "complete": True, "endpoints": []}
        theirs = args | {"storage_id": "theirs"}
        records = {**REGISTRY, "records": []}
        first = "apply_endpoints", args, OWN
        unique_id, kept = self.ask_again("ownership", first, [
            ("apply_endpoints", args | {"resource": "another"}, OWN),
            ("apply_endpoints", args, ADMINISTRATOR),
            ("apply_endpoints", theirs, OTHER),
            ("storage_import", records, OWN),
        ])
        lab.fleet.mariadb.sql(
            f"UPDATE ownership_requests SET digest = NULL WHERE unique_id = '{unique_id}'")
        self.assertEqual(asker.ask("ownership", *first, unique_id=unique_id), kept)
        self.ask_again("ownership", ("storage_import", records, OWN), [
            ("apply_endpoints", args, OWN),
            ("storage_import", records | {"storage_id": "theirs"}, OTHER)])

    def test_orders(self):
        release = {**REGISTRY, "selector": {"name": f"kept.{ZONE}"}}
        first = "ownership_release", release, OWN
        unique_id, kept = self.ask_again("ownership", first, [
            ("ownership_release", {**REGISTRY, "selector": {}}, OWN),
            ("ownership_adopt_wanted", release, OWN),
            ("ownership_release", release, ADMINISTRATOR),
            ("ownership_release", release | {"storage_id": "theirs"}, OTHER),
        ])
        self.assertEqual(json.loads(kept[1]), {"order": unique_id})
        rows = lab.fleet.mariadb.sql("SELECT o.deed, r.storage_id FROM ownership_orders o JOIN "
                                     f"registries r ON r.id = o.registry_id WHERE o.id = "
                                     f"'{unique_id}'")
        self.assertEqual(rows, [["RELEASE", STORAGE]])
        lab.fleet.mariadb.sql(
            f"UPDATE ownership_orders SET digest = NULL WHERE id = '{unique_id}'")
        self.assertEqual(asker.ask("ownership", *first, unique_id=unique_id), kept)
        got = asker.ask("ownership", "ownership_release",
                        release | {"storage_id": "theirs"}, OTHER, unique_id=unique_id)
        self.assertEqual(got[0], "Conflict", got)

    def test_ports(self):
        """A port's id is its message's, if the caller names none."""
        mine, theirs = uuid.uuid4().hex, uuid.uuid4().hex
        for network, context in (mine, OWN), (theirs, OTHER):
            asker.ask("ports", "set_network",
                      {"network": {"id": network, "dns_domain": ""}}, context)
        first, others = [{"port": {"network_id": network, "fixed_ips": []}}
                         for network in (mine, theirs)]
        unique_id = uuid.uuid4().hex
        kept = asker.ask("ports", "create_port", first, OWN, unique_id=unique_id)
        self.assertEqual(kept[0], "done", kept)
        got = asker.ask("ports", "create_port", others, OTHER, unique_id=unique_id)
        self.assertEqual(got, ("NotFound", f"there is no port {unique_id}"))
        got = asker.ask("ports", "create_port", first, OTHER, unique_id=unique_id)
        self.assertEqual(got, ("NotFound", f"there is no network {mine}: create the network first"))

    def test_routes(self):
        """The same of a route."""
        number = next(lab.numbers)
        first, others = [{"route": {"namespace": f"kept{name}{number}", "name": "web"}}
                         for name in "ab"]
        unique_id = uuid.uuid4().hex
        kept = asker.ask("routes", "create_route", first, OWN, unique_id=unique_id)
        self.assertEqual(kept[0], "done", kept)
        for args, wanted in (others, "Duplicate"), (first, "Forbidden"):
            got = asker.ask("routes", "create_route", args, OTHER, unique_id=unique_id)
            self.assertEqual(got[0], wanted, got)


class OldRows(unittest.TestCase):
    """Rows of tenants that were made while a blank did not count, and the migration."""

    def test_rows_of_a_tenant_with_a_blank(self):
        """Nobody's but an administrator's, who finds them."""
        sql = lab.fleet.mariadb.sql
        name = f"old{next(lab.numbers)}.example."
        made = json.loads(asker.ask("central", "create_domain", {"domain": {"name": name}},
                                    {"project_id": "pad"})[1])
        sql(f"UPDATE domains SET tenant = 'pad ' WHERE id = '{made['id']}'")
        find = {"criterion": {"tenant": "pad "}}
        for args, context, wanted in (
                ({"domain": name}, {"project_id": "pad"}, "NotFound"),
                ({"domain": name}, {"project_id": "pad "}, "Forbidden"),
                ({"domain": name}, ADMINISTRATOR, "done")):
            self.assertEqual(asker.ask("central", "get_domain", args, context)[0], wanted)
        found = asker.ask("central", "find_domains", find,
                          ADMINISTRATOR | {"all_tenants": True})[1]
        self.assertEqual([each["name"] for each in json.loads(found)["domains"]], [name])
        listed = {each["tenant"]: each for each in lab.fleet.cli("db", "tenants")["tenants"]}
        self.assertEqual(listed["pad "]["rows"], {"domains": 1})
        self.assertIn("blank", listed["pad "]["problem"])
        text = lab.fleet.cli("db", "tenants", as_json=False)
        self.assertRegex(text, r"'pad ' +domains: 1 +workers refuse this tenant")

    def make_old(self, name, version=BEFORE):
        """A database of an older version, with tenants that were one then."""
        server = lab.fleet.mariadb
        server.sql(f"CREATE DATABASE {name}; GRANT ALL ON {name}.* TO "
                   f"{server.user}@'{server.host}'", True)
        self.addCleanup(server.sql, f"DROP DATABASE {name}", True)
        server.sql(f"CREATE TABLE {name}.schema_migrations LIKE schema_migrations; "
                   f"INSERT INTO {name}.schema_migrations "
                   f"SELECT * FROM schema_migrations WHERE version <= {version}")
        for path in sorted((ROOT / "schema").glob("*.sql"))[:version]:
            server.sql(f"USE {name}; {path.read_text()}")
        numbers = itertools.count(1)
        for tenant in ("alice", "alice ", "Bob", "bob", "line\n", "caf\u00e9", "x" * 255):
            number = next(numbers)
            quoted = tenant.replace("\n", "\\n")
            server.sql(f"INSERT INTO {name}.networks (id, project_id) VALUES "
                       f"('{number:032}', '{quoted}'); INSERT INTO {name}.imports (id, tenant, "
                       f"domain_name, wish) VALUES ('{number:032}', '{quoted}', 'a.', '{{}}')")

    def migrate(self, database, *options):
        config = Path(self.folder) / "old.cfg"
        config.write_text(render(merged(lab.fleet.settings, {"database": {"name": database}})))
        config.chmod(0o600)
        fleets, lab.fleet.config = lab.fleet.config, config
        try:
            return lab.fleet.cli("db", *options, as_json=False)
        finally:
            lab.fleet.config = fleets

    def test_the_migration_tells(self):
        self.folder = tempfile.mkdtemp(prefix="zfmigrate")
        self.addCleanup(shutil.rmtree, self.folder)
        name = f"padded{next(lab.numbers)}"
        self.make_old(name)
        sql = lab.fleet.mariadb.sql
        of_alice = f"SELECT COUNT(*) FROM {name}.networks WHERE project_id = 'alice'"
        tenants = f"SELECT HEX(tenant) FROM {name}.imports ORDER BY id"
        before = sql(tenants)
        self.assertEqual(sql(of_alice), [["2"]])
        told = self.migrate(name, "migrate")
        for words in (r"'alice ' +imports: 1, networks: 1 +workers refuse this tenant.*blank",
                      r"'line\\010' .*control character", r"'Bob' .*similar to 'bob'",
                      r"'bob' .*similar to 'Bob'", r"'alice' .*similar to 'alice '", "docs/security.md"):
            self.assertRegex(told, words)
        self.assertNotIn("caf", told)
        self.assertEqual(sql(of_alice), [["1"]])
        self.assertEqual(sql(tenants), before)
        self.assertNotIn("alice", self.migrate(name, "migrate"))
        self.assertRegex(self.migrate(name, "tenants"), "'alice ' ")

    def test_a_migration_is_done_though_the_tenants_cannot_be_read(self):
        self.folder = tempfile.mkdtemp(prefix="zfmigrate")
        self.addCleanup(shutil.rmtree, self.folder)
        name = f"unread{next(lab.numbers)}"
        self.make_old(name, NEXT_TO_LAST)
        later = "".join(path.read_text() for path in
                        sorted((ROOT / "schema").glob("*.sql"))[NEXT_TO_LAST:])
        table = next(table for table in ("imports", "networks", "routes") if table not in later)
        lab.fleet.mariadb.sql(f"RENAME TABLE {name}.{table} TO {name}.away")
        self.assertRegex(self.migrate(name, "migrate"), rf"(?m)^0{NEXT_TO_LAST + 1} .*: applied$")
        lab.fleet.mariadb.sql(f"RENAME TABLE {name}.away TO {name}.{table}")
        self.assertRegex(self.migrate(name, "tenants"), "'Bob' ")

    def test_tenants_are_found_by_their_indexes(self):
        for sql, key in (("domains WHERE tenant = 'alice' AND live = 1", "domain_tenant"),
                         ("routes WHERE project_id = 'alice'", "route_project"),
                         ("host_claims WHERE parent = 'a' AND project_id = 'b'", "claim_below")):
            possible = lab.fleet.mariadb.sql(f"EXPLAIN SELECT * FROM {sql}")[0][4]
            self.assertIn(key, possible)

    def test_no_identity_is_compared_with_padding(self):
        """Columns of tenants in all tables, those of later versions, too."""
        rows = lab.fleet.mariadb.sql(
            "SELECT table_name, column_name, data_type FROM information_schema.columns WHERE "
            "table_schema = DATABASE() AND column_name IN ('tenant', 'project_id', 'tenant_id')")
        self.assertGreaterEqual(len(rows), 10)
        self.assertEqual([row for row in rows if row[2] != "varbinary"], [])


if __name__ == "__main__":
    unittest.main()

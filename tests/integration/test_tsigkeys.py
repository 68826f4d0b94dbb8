"""TSIG keys: what becomes of them in central, and where their secrets are not."""

import base64
import concurrent.futures
import json
import logging
import re
import secrets
import shutil
import sys
import tempfile
import unittest
import uuid
from pathlib import Path

import kombu
import oslo_messaging as om

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from story import Caller, start_fleet                           # noqa: E402

ALGORITHMS = {"hmac-sha1": 20, "hmac-sha224": 28, "hmac-sha256": 32, "hmac-sha384": 48,
              "hmac-sha512": 64}
SHOWN = {"id", "name", "algorithm", "domain", "domain_id", "created_at", "updated_at"}
VERBS = "create", "get", "find", "update", "delete"
SERVER_KEY = "server-key."


def secret_of(octets):
    return base64.b64encode(secrets.token_bytes(octets)).decode()


class Lab:

    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="zftsigkeys"))
        unittest.addModuleCleanup(shutil.rmtree, self.folder)
        self.fleet = start_fleet(
            self.folder, central=2, poolmgr=1, minidns=1, name_servers=("bind",),
            settings={"backends": {"bind9": {"default": {"tsig_key": SERVER_KEY}}}})
        self.caller = Caller(self.fleet.rabbitmq.url)
        self.sql = self.fleet.mariadb.sql
        self.numbers = iter(range(10**6))

    def stop(self):
        self.caller.close()
        self.fleet.stop()

    def name(self):
        return f"key{next(self.numbers)}.example."


def setUpModule():
    global lab
    logging.disable(logging.CRITICAL)
    lab = Lab()
    unittest.addModuleCleanup(lab.stop)


class Story(unittest.TestCase):

    def create(self, **values):
        return lab.caller.create_tsigkey(tsigkey={"name": lab.name(), **values})

    def secret(self, key):
        return lab.caller.get_tsigkey(tsigkey=key)["secret"]

    def fails(self, kind, words, method, **args):
        with self.assertRaises(om.RemoteError) as caught:
            getattr(lab.caller, method)(**args)
        error = caught.exception
        self.assertEqual(error.exc_type, kind, error.value)
        self.assertIn(words, error.value)
        return error.value


class Keys(Story):

    def test_life(self):
        name = lab.name()
        made = lab.caller.create_tsigkey(tsigkey={"name": name.upper()})
        self.assertEqual(made.keys(), SHOWN)
        self.assertEqual((made["name"], made["algorithm"], made["domain"]),
                         (name, "hmac-sha256", None))
        self.assertRegex(made["created_at"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
        got = lab.caller.get_tsigkey(tsigkey=name)
        self.assertEqual({key: got[key] for key in SHOWN}, made)
        self.assertEqual(lab.caller.get_tsigkey(tsigkey=made["id"]), got)
        self.assertEqual(lab.caller.get_tsigkey(tsigkey=name.upper()), got)
        self.assertIsNone(lab.caller.delete_tsigkey(tsigkey=name))
        for method in "get_tsigkey", "delete_tsigkey":
            self.fails("NotFound", name, method, tsigkey=name)
            self.fails("NotFound", made["id"], method, tsigkey=made["id"])
        self.fails("NotFound", name, "update_tsigkey", tsigkey=name, values={})

    def test_a_made_secret_is_as_long_as_the_hash(self):
        seen = set()
        for algorithm, octets in ALGORITHMS.items():
            key = self.create(algorithm=algorithm)
            self.assertEqual(key["algorithm"], algorithm)
            seen.add(self.secret(key["id"]))
            self.assertEqual(len(base64.b64decode(self.secret(key["id"]), validate=True)), octets)
        self.assertEqual(len(seen), len(ALGORITHMS))

    def test_a_given_secret(self):
        for octets in 16, 17, 18, 64, 128:
            secret = secret_of(octets)
            self.assertEqual(self.secret(self.create(secret=secret)["id"]), secret)
        for octets in 0, 15, 129:
            self.fails("Invalid", "tsigkey.secret", "create_tsigkey",
                       tsigkey={"name": lab.name(), "secret": secret_of(octets)})

    def test_update(self):
        name = self.create()["name"]
        was = lab.caller.get_tsigkey(tsigkey=name)
        update = lambda **values: lab.caller.update_tsigkey(tsigkey=name, values=values)  # noqa
        self.assertEqual(update().keys(), SHOWN)
        self.assertEqual(self.secret(name), was["secret"])
        self.assertEqual(update(algorithm="hmac-sha512")["algorithm"], "hmac-sha512")
        self.assertEqual(self.secret(name), was["secret"])
        secret = secret_of(40)
        self.assertEqual(update(secret=secret).keys(), SHOWN)
        self.assertEqual(self.secret(name), secret)
        update(new_secret=True)
        made = self.secret(name)
        self.assertEqual((made == secret, len(base64.b64decode(made))), (False, 64))
        changed = update(new_secret=True, algorithm="hmac-sha1")
        self.assertEqual(len(base64.b64decode(self.secret(name))), 20)
        self.assertEqual((changed["id"], changed["created_at"]), (was["id"], was["created_at"]))
        self.assertGreater(changed["updated_at"], was["updated_at"])
        self.fails("Invalid", "values.new_secret", "update_tsigkey", tsigkey=name,
                   values={"new_secret": True, "secret": secret})
        for field in "name", "domain", "id":
            self.fails("Invalid", "has no field", "update_tsigkey", tsigkey=name,
                       values={field: "x."})

    def test_changes_at_once(self):
        """Each keeps what it does not name, as the one before it left it."""
        name = self.create(algorithm="hmac-sha1")["name"]
        secret = secret_of(48)
        changes = [{"algorithm": "hmac-sha384"}, {"secret": secret}] * 8
        futures = []
        with concurrent.futures.ThreadPoolExecutor(len(changes)) as threads:
            for values in changes:
                futures.append(threads.submit(lab.caller.update_tsigkey, tsigkey=name,
                                              values=values))
        for future in futures:
            future.result()
        key = lab.caller.get_tsigkey(tsigkey=name)
        self.assertEqual((key["algorithm"], key["secret"]), ("hmac-sha384", secret))

    def test_names(self):
        name = self.create()["name"]
        self.fails("Duplicate", name, "create_tsigkey", tsigkey={"name": name.upper()})
        for bad in ("no-dot", "", ".", "*.example.", "a b.", 'a".', "a;b.", "a\\.b.", "h\u00e9.",
                    "x" * 64 + "."):
            self.fails("Invalid", "tsigkey.name", "create_tsigkey", tsigkey={"name": bad})

    def test_lists(self):
        made = {self.create()["name"] for _ in range(5)}
        seen, marker = [], None
        while True:
            page = lab.caller.find_tsigkeys(limit=2, marker=marker)
            self.assertLessEqual(len(page["tsigkeys"]), 2)
            self.assertTrue(all(key.keys() == SHOWN for key in page["tsigkeys"]))
            seen += [key["name"] for key in page["tsigkeys"]]
            marker = page["marker"]
            if not marker:
                break
        self.assertEqual(seen, sorted(seen))
        self.assertLessEqual(made, set(seen))


class Domains(Story):

    def domain(self):
        return lab.caller.create_domain(domain={"name": lab.name(), "ns": ["ns.example.net."]})

    def test_a_key_of_a_domain(self):
        domain = self.domain()
        for by in domain["id"], domain["name"], str(uuid.UUID(domain["id"])):
            key = self.create(domain=by)
            self.assertEqual((key["domain"], key["domain_id"]), (domain["name"], domain["id"]))
        listed = lab.caller.find_tsigkeys(limit=1000)["tsigkeys"]
        self.assertEqual(len([key for key in listed if key["domain"] == domain["name"]]), 3)

    def test_no_such_domain(self):
        for domain in "nothing.example.", uuid.uuid4().hex:
            self.fails("Invalid", f"tsigkey.domain: there is no domain '{domain}'",
                       "create_tsigkey", tsigkey={"name": lab.name(), "domain": domain})

    def test_a_domain_that_goes(self):
        domain = self.domain()
        key = self.create(domain=domain["id"])
        lab.caller.delete_domain(domain=domain["id"])
        with self.assertRaises(om.RemoteError) as caught:
            self.create(domain=domain["id"])
        # BIND may already have been seen without it
        self.assertIn(caught.exception.exc_type, {"Conflict", "Invalid"})
        self.assertNotIn(key["name"], [key["name"] for key in
                                       lab.caller.find_tsigkeys()["tsigkeys"]])


class Servers(Story):

    def assert_kept(self, name, server):
        words = self.fails("Conflict", name, "delete_tsigkey", tsigkey=name)
        self.assertIn(f"the server '{server}' of the pool 'default'", words)

    def test_the_key_of_a_server_stays(self):
        lab.caller.create_tsigkey(tsigkey={"name": SERVER_KEY})
        self.assert_kept(SERVER_KEY, "bind")
        lab.caller.update_tsigkey(tsigkey=SERVER_KEY, values={"new_secret": True})

    def test_however_the_settings_write_it(self):
        name = self.create()["name"]
        for written in name.upper(), name[:-1], name:
            lab.sql("REPLACE INTO pool_servers (pool_name, id, backend, host, port, tsig_key) "
                    f"VALUES ('default', 'other', 'fake', '192.0.2.1', 53, '{written}')")
            self.assert_kept(name, "other")
        lab.sql("DELETE FROM pool_servers WHERE id = 'other'")
        lab.caller.delete_tsigkey(tsigkey=name)


class Once(Story):
    """A message that comes twice, byte by byte."""

    def send_twice(self, method, args):
        """The two answers."""
        body = {"method": method, "args": args, "version": "1.0", "_timeout": None,
                "_unique_id": uuid.uuid4().hex, "_context_is_admin": True,
                "_context_project_id": "t"}
        url = lab.fleet.rabbitmq.url.replace("rabbit:", "pyamqp:", 1)
        with kombu.Connection(url) as link:
            replies = kombu.Queue(f"reply_{uuid.uuid4().hex}", channel=link.default_channel,
                                  exclusive=True, auto_delete=True)
            replies.declare()
            return [self.ask(link, replies, body) for _ in range(2)]

    @staticmethod
    def ask(link, replies, body):
        """A caller that lost its queue and asks again, with the same id."""
        inner = body | {"_msg_id": uuid.uuid4().hex, "_reply_q": replies.name}
        kombu.Producer(link).publish(
            json.dumps({"oslo.version": "2.0", "oslo.message": json.dumps(inner)}),
            routing_key="central", exchange="zonefleet", content_type="application/json",
            content_encoding="utf-8")
        heard = []

        def hear(delivery):
            heard.append(json.loads(delivery.payload["oslo.message"]))
            delivery.ack()
        with kombu.Consumer(link, queues=[replies], accept=["json"], on_message=hear):
            while not any(reply.get("ending") or reply["failure"] for reply in heard):
                link.drain_events(timeout=20)
        return heard[0]["failure"] or heard[0]["result"]

    def kept(self, words):
        return lab.sql(f"SELECT result FROM requests WHERE result LIKE '%{words}%'")

    def test_a_key_is_made_once(self):
        name = lab.name()
        answers = self.send_twice("create_tsigkey", {"tsigkey": {"name": name}})
        self.assertEqual(answers[0], answers[1])
        self.assertEqual(answers[0].keys(), SHOWN)
        self.assertEqual(len(self.kept(name)), 1)
        self.assertEqual(self.kept(self.secret(name)), [])

    def test_a_secret_is_made_once(self):
        name = self.create()["name"]
        args = {"tsigkey": name, "values": {"new_secret": True}}
        answers = self.send_twice("update_tsigkey", args)
        self.assertEqual(answers[0], answers[1])
        self.assertEqual(lab.caller.get_tsigkey(tsigkey=name)["updated_at"],
                         answers[0]["updated_at"])

    def test_a_key_is_deleted_once(self):
        name = self.create()["name"]
        self.assertEqual(self.send_twice("delete_tsigkey", {"tsigkey": name}), [None, None])


class Secrets(Story):
    """In the answer of get_tsigkey, in one column of one table, and nowhere else."""

    def run_all(self):
        """Each method in each way. Yields the secrets that there were, and those that were
        refused."""
        name, given, rotated = lab.name(), secret_of(32), secret_of(32)
        lab.caller.create_tsigkey(tsigkey={"name": name, "secret": given})
        yield given
        yield from self.run_refusals(name)
        lab.caller.update_tsigkey(tsigkey=name, values={"secret": rotated})
        yield rotated
        lab.caller.update_tsigkey(tsigkey=name, values={"new_secret": True})
        yield self.secret(name)
        lab.caller.find_tsigkeys()
        made = self.create()["name"]
        yield self.secret(made)
        lab.caller.delete_tsigkey(tsigkey=made)

    def run_refusals(self, name):
        for method, secret, change in (
                ("create_tsigkey", secret_of(8), {}), ("create_tsigkey", secret_of(300), {}),
                ("create_tsigkey", secret_of(32) + "\n", {}),
                ("create_tsigkey", secret_of(32)[:-1], {}),
                ("create_tsigkey", secret_of(32), {"name": name}),
                ("create_tsigkey", secret_of(32), {"name": "bad"}),
                ("create_tsigkey", secret_of(32), {"algorithm": "hmac-md5"}),
                ("create_tsigkey", secret_of(32), {"domain": "nothing.example."}),
                ("update_tsigkey", secret_of(32), {"new_secret": True}),
                ("update_tsigkey", "?" + secret_of(32), {})):
            values = {"secret": secret, **change}
            args = ({"tsigkey": {"name": lab.name(), **values}} if method == "create_tsigkey"
                    else {"tsigkey": name, "values": values})
            words = self.fails("Duplicate" if change == {"name": name} else "Invalid", "", method,
                               **args)
            self.assertNotIn(secret.strip(), words)
            yield secret.strip()

    @staticmethod
    def text_of(table):
        columns = ", ".join(f"IFNULL(HEX(CONCAT(`{row[0]}`, '')), '')"
                            for row in lab.sql(f"SHOW COLUMNS FROM {table}"))
        cells = [cell for row in lab.sql(f"SELECT {columns} FROM {table}") for cell in row]
        return "\n".join(bytes.fromhex(cell).decode("latin-1") for cell in cells)

    def places(self):
        """All that can be read of the fleet, by the place."""
        for name, member in lab.fleet.members.items():
            yield f"log of {name}", member.log.read_text(errors="replace")
        for worker in lab.fleet.workers:
            for path in "/metrics", "/healthz":
                yield f"{path} of {worker.name}", worker.page(path)[1]
        for table, in lab.sql("SHOW TABLES"):
            if table != "tsigkeys":
                yield table, self.text_of(table)
        yield "get_status", json.dumps(lab.caller.get_status())
        yield "find_tsigkeys", json.dumps(lab.caller.find_tsigkeys(limit=1000))

    def test_where_they_are_not(self):
        found = set(self.run_all())
        self.assertEqual(len(found), 14)
        places = dict(self.places())
        logs = places["log of central1"] + places["log of central2"]
        self.assertEqual(set(re.findall(r"debug: .* method=(\w+_tsigkey)s? ", logs)),
                         {f"{verb}_tsigkey" for verb in VERBS}, "the debug level is on")
        self.assertIn("_tsigkey", places["/metrics of central1"])
        self.assertIn("hmac-sha256", places["requests"], "what is kept is seen here")
        for place, text in places.items():
            # as it is, and as JSON writes it
            seen = {s for s in found if s in text or s.replace("/", "\\/") in text}
            self.assertEqual(seen, set(), place)


if __name__ == "__main__":
    unittest.main()

"""Bad messages to all workers: each is refused with a reason, and nothing is stored.

Each argument of each method (hostile_table.py) has each bad value once, in a call and in a cast.
All processes have to stay alive. The workers are central, the pool manager, mini-DNS, ports and
routes, with a BIND, a Knot and an NSD. CI also runs this with programs that are compiled with ASan
and UBSan.
"""

import hashlib
import itertools
import json
import logging
import re
import shutil
import socket
import sys
import tempfile
import unittest
import uuid
from pathlib import Path
from types import SimpleNamespace

import kombu

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from hostile_table import (DEEP, NOTIFICATIONS, OBJECT_QUEUES,       # noqa: E402
                           TEXTS, TRANSFER_KEY, VALUES, WORKERS, mutants, mutated,
                           neutron_refused, neutron_tolerated, plain, required)
from agent import Agent                                             # noqa: E402
from story import Caller, merged, put, start_fleet, wait_for        # noqa: E402
from lab.fleet import Worker                                        # noqa: E402

ADMIN = {"is_admin": True, "project_id": "t"}
MAX_BYTES = 1024 * 1024
SECONDS = 60
# nothing is stored by a clock meanwhile: no sweep, no sync, no error of a server that is slow
SETTINGS = {"broker": {"max_message_bytes": MAX_BYTES},
            "central": {"sweep": 86400},
            "fleet": {"trust_broker": True},    # handlers see all of it: test_signed.py
            "poolmgr": {"poll_timeout": 20, "periodic_sync_interval": 86400}}
PORTS = {"processes": 1, "feed": "neutron", "compare_period": 86400,
         "retry_period": 86400, "check_period": 86400}
ROUTES = {"processes": 1, "rebind_grace": 86400, "check_period": 86400}
REFUSALS = {"TypeError", "Invalid", "NotFound", "Forbidden"}
TOPICS = [topic for topic, _ in WORKERS.values()]
QUEUES = [*TOPICS, NOTIFICATIONS, *OBJECT_QUEUES.values()]
FAIL_FAST = True                # who died in one story would be missed in the others, too


class Lab:

    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="zfhostile"))
        unittest.addModuleCleanup(shutil.rmtree, self.folder)
        self.fleet = start_fleet(self.folder / "fleet", central=1, poolmgr=1, minidns=1,
                                 settings=SETTINGS)
        self.add_ports()
        self.add_worker("routes", ROUTES)
        self.caller = Caller(self.fleet.rabbitmq.url, tenant="t")
        self.owner = Caller(self.fleet.rabbitmq.url, tenant="t", admin=False)
        self.ports = Caller(self.fleet.rabbitmq.url, tenant="t", topic="ports")
        self.routes = Caller(self.fleet.rabbitmq.url, tenant="t", topic="routes")
        self.post = Post(self.fleet.rabbitmq.url)
        self.nobody = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)     # who never answers
        self.nobody.bind(("127.0.0.1", 0))
        self.numbers = iter(range(10**6))
        # the list of permitted suffixes is never empty, and permits what an empty one would
        self.caller.create_tld(tld={"name": "*"})
        self.things = self.make_things()

    def stop(self):
        self.nobody.close()
        self.post.close()
        self.ports.close()
        self.routes.close()
        self.caller.close()
        self.owner.close()
        self.fleet.stop()

    def add_worker(self, kind, settings):
        """The fleet stops it with its own."""
        worker = Worker(self.folder / kind, kind, self.fleet.settings | {kind: settings})
        self.fleet.members[worker.name] = worker
        self.fleet.workers.append(worker)
        worker.launch()
        worker.wait_ready()
        return worker

    def add_ports(self):
        """One that hears Neutron."""
        worker = self.add_worker("ports", PORTS)
        self.fleet.wait_for(lambda: "feed of Neutron connected" in worker.log.read_text(), SECONDS,
                            "it hears the notifications")

    def wait_quiet(self):
        owed = "SELECT zone FROM port_zones WHERE due_at IS NOT NULL"
        self.fleet.wait_for(lambda: not self.fleet.mariadb.sql(owed), SECONDS,
                            "all names of ports are published")
        owed = "SELECT name FROM routers WHERE zone_status <> 'ACTIVE'"
        self.fleet.wait_for(lambda: not self.fleet.mariadb.sql(owed), SECONDS,
                            "all domains of routers are published")
        self.fleet.wait_quiet()

    def make_network(self, zone):
        network = uuid.uuid4().hex
        self.ports.set_network(network={"id": network, "dns_domain": zone})
        return network

    def make_router(self, name, zone, **more):
        self.routes.create_router(router={"name": name, "dns": f"{name}.{zone}",
                                          "addresses": ["10.9.0.2"], **more})
        return name

    def make_route(self, namespace, host):
        """One that has a router."""
        route = self.routes.create_route(route={"namespace": namespace, "name": "web",
                                                "host": host})["route"]
        self.fleet.wait_for(lambda: self.routes.get_route(route=route["id"])["route"]["router"],
                            SECONDS, "the route has a router")
        return route["id"]

    def make_things(self):
        """A domain that all servers have, and one of all else that a method may name."""
        caller, number = self.caller, next(self.numbers)
        zone = f"d{number}.example."
        domain = caller.create_domain(domain={"name": zone})["id"]
        changed = caller.apply_changes(domain=domain, changes=[put(f"w.{zone}", "192.0.2.1")])
        sets = caller.find_recordsets(domain=domain, criterion={"type": "A"})["recordsets"]
        pool = caller.create_pool(pool={"name": f"pool{number}"})
        network = self.make_network(zone)
        port = self.ports.create_port(port={
            "network_id": network, "dns_name": "vm", "fixed_ips": [{"ip_address": "10.9.0.1"}]})
        subnet = self.ports.set_subnet(subnet={"network_id": network, "cidr": "10.9.0.0/24"})
        router, space, host = self.make_router(f"r{number}", zone), f"n{number}", f"h{number}.net"
        return SimpleNamespace(
            zone=zone, domain=domain, serial=changed["serial"], recordset=sets[0]["id"],
            record=sets[0]["members"][0]["id"], pool=pool["name"], pool_id=pool["id"],
            new_pool=f"new{number}", opened=self.owner.begin_import(domain={"name": zone})["id"],
            blacklist=caller.create_blacklist(blacklist={"name": f"bad{number}."})["id"],
            tld=caller.create_tld(tld={"name": f"tld{number}.example."})["id"],
            tsigkey=caller.create_tsigkey(tsigkey={"name": f"key{number}."})["id"],
            router=router, router_dns=f"{router}.{zone}"[:-1], namespace=space, host=host,
            route=self.make_route(space, host), route_name="web",
            spare_router=self.make_router(f"s{number}", zone, capacity=0),
            network=network, network_port=port["port"]["id"], spare_network=self.make_network(""),
            subnet=subnet["subnet"]["id"],
            spare=caller.create_domain(domain={"name": f"spare{number}.example."})["id"],
            share=caller.create_share(share={"domain": domain, "target_tenant": "guest"})["id"],
            transfer=self.make_transfer(f"given{number}.example."),
            offered=self.make_transfer(f"offered{number}.example.", tenant="giver"),
            stuck=domain, port=self.nobody.getsockname()[1])

    def make_transfer(self, name, **values):
        """Makes a request. With `tenant`, another tenant makes it, and its target is the owner."""
        domain = self.caller.create_domain(domain={"name": name} | values)["id"]
        return self.caller.create_transfer(transfer={
            "domain": domain, "key_hash": hashlib.sha256(TRANSFER_KEY.encode()).hexdigest(),
            "target_tenant": self.caller.context["project_id"] if values else ""})["id"]

    def make_stuck(self):
        """A domain that is being deleted, in a pool that nobody manages."""
        name = f"stuck{next(self.numbers)}"
        self.caller.create_pool(pool={"name": name})
        domain = self.caller.create_domain(domain={"name": f"{name}.example.", "pool": name,
                                                   "ns": ["ns.example.net."]})
        return self.caller.delete_domain(domain=domain["id"])["id"]

    def worker(self, kind):
        return next(worker for worker in self.fleet.workers if worker.kind == kind)


def setUpModule():
    global lab
    logging.disable(logging.CRITICAL)
    lab = Lab()
    unittest.addModuleCleanup(lab.stop)


def message(method, args, context=ADMIN, **more):
    return {"method": method, "args": args, "version": "1.0", "_unique_id": uuid.uuid4().hex,
            **{f"_context_{key}": value for key, value in context.items()}, **more}


def wrapped(inner):
    return json.dumps({"oslo.version": "2.0", "oslo.message": json.dumps(inner)})


def unwrapped(body):
    return json.loads(json.loads(body)["oslo.message"])


class Post:
    """A connection that sends any bytes, and reads answers and dead letters."""

    def __init__(self, url):
        self.link = kombu.Connection(url.replace("rabbit:", "pyamqp:", 1))
        self.channel = self.link.channel()
        self.queue = f"reply_{uuid.uuid4().hex}"
        self.channel.queue_declare(self.queue, exclusive=True)

    def close(self):
        self.link.release()

    def send(self, topic, body, exchange=""):
        octets = body.encode() if isinstance(body, str) else body
        envelope = self.channel.prepare_message(octets, content_type="application/json")
        self.channel.basic_publish(envelope, exchange, topic)

    def cast(self, topic, method, args, **more):
        """Returns the id by which its dead letter is known."""
        inner = message(method, args, **more)
        self.send(topic, wrapped(inner))
        return inner["_unique_id"]

    def call(self, topic, method, args, **more):
        """Returns the id by which its answer is known."""
        known_by = uuid.uuid4().hex
        self.cast(topic, method, args, _msg_id=known_by, _reply_q=self.queue, **more)
        return known_by

    def get(self, queue):
        return wait_for(lambda: self.channel.basic_get(queue, no_ack=True), SECONDS,
                        f"a message in {queue}", [worker.log for worker in lab.fleet.workers])

    def answers(self, last):
        """Until that to the call LAST; by the call: (class, words) of a refusal, or None."""
        found = {}
        while last not in found:
            answer = unwrapped(self.get(self.queue).body)
            failure = json.loads(answer["failure"]) if answer["failure"] else None
            found[answer["_msg_id"]] = failure and (failure["class"], failure["message"])
        return found

    def ask(self, *call, **more):
        sent = self.call(*call, **more)
        return self.answers(sent)[sent]

    def letter(self, topic):
        """(body, reason) of a dead letter."""
        got = self.get(f"{topic}.dead")
        return got.body, got.headers["x-zonefleet-reason"]

    def reasons(self, topic, last):
        """Until that of the cast LAST, by the cast."""
        found = {}
        while last not in found:
            body, reason = self.letter(topic)
            found[unwrapped(body)["_unique_id"]] = reason
        return found

    def has_letters(self, topic):
        return self.channel.basic_get(f"{topic}.dead", no_ack=True)


class Story(unittest.TestCase):
    """Whatever it sends: nothing is stored by it, nobody dies of it, and the fleet goes on."""

    maxDiff = None

    def setUp(self):
        lab.wait_quiet()
        self.stored, self.processes = lab.fleet.stored(), lab.fleet.processes()

    def assert_intact(self):
        self.assertEqual(lab.fleet.processes(), self.processes)
        self.assertEqual(lab.fleet.changed_since(self.stored), {})
        self.assertFalse(any(map(lab.post.has_letters, QUEUES)))

    @classmethod
    def tearDownClass(cls):
        domain, owner = lab.things.domain, f"{cls.__name__.lower()}.{lab.things.zone}"
        done = lab.caller.apply_changes(domain=domain, changes=[put(owner, "192.0.2.2")])
        lab.caller.settled(domain, serial=done["serial"])


class Walk:
    """What was sent to a worker, with the word that its refusal must have."""

    def __init__(self, topic):
        self.topic = topic
        self.calls, self.casts = {}, {}

    def cast(self, what, word, method, args):
        self.casts[lab.post.cast(self.topic, method, args)] = what, word

    def send(self, what, word, method, args):
        self.cast(what, word, method, args)
        self.calls[lab.post.call(self.topic, method, args)] = what, word

    def send_mutant(self, method, row, path, name, value):
        what = f"{method} {'.'.join(map(str, path))} {name}"
        args = mutated(plain(row), path, value)
        key = [key for key in path if isinstance(key, str)][-1]
        self.send(what, "levels" if name == DEEP else key, method, args)

    def complaints(self):
        """All that was not refused as it should be. Nobody knows the last two: they are behind
        all the others."""
        answers = lab.post.answers(lab.post.call(self.topic, "last", {}))
        reasons = lab.post.reasons(self.topic, lab.post.cast(self.topic, "last", {}))
        for sent, (what, word) in self.calls.items():
            kind, words = answers.get(sent) or ("done", "")
            if kind not in REFUSALS or not self._names(word, words):
                yield f"call {what}: {kind}: {words}"
        for sent, (what, word) in self.casts.items():
            if not self._names(word, reasons.get(sent, "done")):
                yield f"cast {what}: {reasons.get(sent, 'done')}"

    @staticmethod
    def _names(word, words):
        """The place that is bad, or what is in it and must not be."""
        return word in words or "has no field 'x'" in words


class Arguments(Story):
    """Each worker's methods, with arguments missing, mistyped, too large, and hostile."""

    def assert_refused(self, kind):
        topic, rows = WORKERS[kind]
        walk = Walk(topic)
        for method, row in rows(lab.things).items():
            walk.send(f"{method} one more", "surprise", method, {**plain(row), "surprise": 1})
            for mutant in mutants(row):
                walk.send_mutant(method, row, *mutant)
        self.assertEqual(list(itertools.islice(walk.complaints(), 30)), [])
        self.assert_intact()

    def test_central(self):
        self.assert_refused("central")

    def test_poolmgr(self):
        self.assert_refused("poolmgr")

    def test_minidns(self):
        self.assert_refused("minidns")

    def test_ports(self):
        self.assert_refused("ports")

    def test_routes(self):
        self.assert_refused("routes")

    def test_the_table_is_complete(self):
        """The workers say which methods they count, and which keywords they miss."""
        for kind, (topic, rows) in WORKERS.items():
            table = rows(lab.things)
            page = lab.worker(kind).page("/metrics")[1]
            counted = re.findall(r'^zonefleet_requests_total\{method="(\w+)"\}', page, re.M)
            self.assertEqual(set(table) | {"other"}, set(counted), kind)
            for method, row in table.items():
                refusal = lab.post.ask(topic, method, {})
                missed = re.findall(r"'(\w+)'", refusal[1]) if refusal else []
                self.assertEqual(required(row), set(missed), f"{kind}: {method}")

    def test_the_table_is_right(self):
        """What it says is good can be done, one after the other."""
        things = lab.make_things()
        things.stuck = lab.make_stuck()
        for kind, (topic, rows) in WORKERS.items():
            for method, row in rows(things).items():
                self.assertIsNone(lab.post.ask(topic, method, plain(row)), f"{kind}: {method}")


def brackets(opening, closing, depth=10_000):
    return f'{{"a": {opening * depth}1{closing * depth}}}'


class Messages(Story):
    """What is no message at all ends as a dead letter."""

    NO_ARGUMENTS = VALUES.keys() - {"absent", "null", "object", "empty object", "nested", DEEP}
    NO_WORD = VALUES.keys() - TEXTS - {"absent", "null", DEEP}
    WORDS = "method", "version", "namespace", "_unique_id", "_msg_id", "_reply_q"

    def envelopes(self):
        """JSON, but no request in it. Each with a word of the reason."""
        for name in self.NO_ARGUMENTS:
            yield wrapped(message("last", VALUES[name])), "args"
        for key, name in itertools.product(self.WORDS, self.NO_WORD):
            yield wrapped({**message("last", {}), key: VALUES[name]}), key
        for name in VALUES.keys() - {"absent", DEEP}:
            yield json.dumps({"oslo.version": VALUES[name], "oslo.message": "{}"}), "version"
        for name in self.NO_WORD | {"null"}:
            yield json.dumps({"oslo.version": "2.0", "oslo.message": VALUES[name]}), "message"

    def notifications(self):
        """The same of a notification."""
        event = {"event_type": "none", "payload": {}}
        for key in "event_type", "publisher_id", "priority", "message_id":
            for name in self.NO_WORD | ({"null"} if key == "event_type" else set()):
                yield wrapped({**event, key: VALUES[name]}), key
        yield wrapped({"payload": {}}), "event_type"

    @staticmethod
    def bodies():
        """Each with a word of the reason."""
        whole = wrapped(message("last", {"text": "h\u00e9\\\"\n" * 9}))
        for end in range(0, len(whole), 11):
            yield whole[:end], "not JSON"
        for junk in (b"\0" * 100, b"\xff\xfe" * 100, bytes(range(256)), b'{"a": "\xc3"}',
                     b'{"a": 1e999}'):
            yield junk, "not JSON"
        for value in "[]", "[{}]", '["oslo.version"]':
            yield value, "must be a JSON object"
        for opening, closing in ("[", "]"), ('{"a":', "}"):
            yield brackets(opening, closing), "levels"
            yield brackets(opening, ""), "levels"
        yield wrapped(message("last", {"text": "x" * MAX_BYTES})), "bytes"

    def assert_buried(self, queue, sent):
        for body, _ in sent:
            lab.post.send(queue, body)
        for body, word in sent:
            self.assertIn(word, lab.post.letter(queue)[1], body[:80])

    def test_bodies(self):
        sent = [*self.bodies(), *self.envelopes()]
        for queue in *TOPICS, *OBJECT_QUEUES.values():
            self.assert_buried(queue, sent)
        self.assert_buried(NOTIFICATIONS, [*self.bodies(), *self.notifications()])
        self.assert_intact()

    def test_methods_that_are_none(self):
        for topic in TOPICS:
            for method in "__init__", "update_status\n", "\x01", "x" * 255, "%s%n", "h\u00e9":
                self.assertEqual(lab.post.ask(topic, method, {})[0], "NoSuchMethod")
        self.assert_intact()


class Neutron(Story):
    """What whoever writes to Neutron's exchanges may say to ports."""

    TOO_DEEP = {"nested", DEEP}     # in an object within an object
    MANY_SECONDS = 4 * SECONDS      # hundreds of ports, each published by itself

    def send(self, queue, message):
        """Returns the id by which its dead letter is known."""
        sent = uuid.uuid4().hex
        lab.post.send(queue, wrapped({**message, "_unique_id": sent}))
        return sent

    def test_what_is_none(self):
        sent, last = {}, {}
        for queue, message, places in neutron_refused():
            for (path, (words, none)), name in itertools.product(places.items(), VALUES):
                if name not in none:
                    last[queue] = self.send(queue, mutated(message, path, VALUES[name]))
                    sent[last[queue]] = (f"{queue} {path} {name}",
                                         "levels" if name == DEEP else words)
        found = {}
        for queue in last:
            found |= lab.post.reasons(queue, last[queue])
        self.assertEqual([(what, found.get(one)) for one, (what, words) in sent.items()
                          if not re.search(words, found.get(one, ""))], [])
        self.assert_intact()

    def tell(self, network):
        """Each thing with a bad value in one of its places: the ids of all, by the kind."""
        told = {"port": set(), "floatingip": set(), "network": set()}
        addresses = (f"10.8.{i // 256}.{i % 256}" for i in itertools.count(1))
        for name in sorted(VALUES.keys() - self.TOO_DEEP):
            for queue, kind, thing, message, place in neutron_tolerated(network, addresses):
                self.send(queue, mutated(message, place, VALUES[name]))
                told[kind].add(thing)
        return told

    def listed(self, network):
        return lab.ports.list_ports(network=network, limit=1000)["ports"]

    def networks(self):
        return {each["id"] for each in lab.ports.list_networks(limit=1000)["networks"]}

    def has_all(self, network, told):
        return ({port["id"] for port in self.listed(network)} == told["port"] | told["floatingip"]
                and told["network"] <= self.networks())

    def has_none(self, network, told):
        return not self.listed(network) and not told["network"] & self.networks()

    def test_what_is_left_out(self):
        """It is there, and published, without what cannot be, whatever was told before it."""
        zone = f"d{next(lab.numbers)}.example."
        lab.caller.create_domain(domain={"name": zone})
        network = lab.make_network(zone)
        told = self.tell(network)
        lab.fleet.wait_for(lambda: self.has_all(network, told), self.MANY_SECONDS,
                           "all is there")
        lab.wait_quiet()
        for port in self.listed(network):
            self.assertEqual(port["status"], "ACTIVE", port)
            self.assertRegex(port["dns_name"] or "", r"\A[!-@\[-~]*\Z")
        for each in told["network"]:
            self.assertEqual(lab.ports.get_network(network=each)["network"]["dns_domain"], "")
        for kind, things in told.items():
            for thing in things:
                self.send(NOTIFICATIONS, {"event_type": f"{kind}.delete.end",
                                          "payload": {f"{kind}_id": thing}})
        lab.fleet.wait_for(lambda: self.has_none(network, told), self.MANY_SECONDS,
                           "all of them are gone")
        lab.wait_quiet()
        self.assertEqual(lab.fleet.processes(), self.processes)
        self.assertFalse(any(map(lab.post.has_letters, QUEUES)))


class RoutesAgent(Story):
    """What an agent of routes hears, and what it is answered by whoever is no worker of ours."""

    def start(self, settings):
        """.file: what it keeps."""
        folder = Path(tempfile.mkdtemp(prefix="zfagent"))
        self.addCleanup(shutil.rmtree, folder)
        self.file = folder / "hosts.map"
        self.agent = Agent(folder / "agent", "routes", {
            **settings, "routes_agent": {"router": lab.things.router, "directory": str(folder),
                                         "interval": 1, "address": "10.9.0.2"}})
        self.agent.launch()
        self.addCleanup(self.agent.stop)        # it sees what a sanitizer found
        self.agent.wait_ready()
        self.pids = self.agent.processes()

    def wait_map(self, text):
        wait_for(lambda: self.file.exists() and self.file.read_text() == text, SECONDS,
                 "the map is as it should be", [self.agent.log])
        self.assertEqual(self.agent.processes(), self.pids)

    def told(self):
        """Arguments of routes_changed that are none."""
        router, none = lab.things.router, VALUES.keys() - {"absent", "null"}
        for name in none:
            yield {"router": VALUES[name]}
            yield {"router": router, "surprise": VALUES[name]}
        for name in none - {"empty list"}:
            yield {"router": router, "routes": VALUES[name]}
            yield {"router": router, "routes": [lab.things.route, VALUES[name]]}
        yield {"router": router, "routes": [lab.things.route] * 10_000}
        yield {}

    def test_what_is_told_to_all(self):
        self.start(lab.fleet.agent_settings())
        line = f"{lab.things.host} {lab.things.namespace}_web\n"
        self.wait_map(line)
        exchange = f"routes.{lab.things.router}_fanout"
        bodies = [body for body, _ in Messages.bodies()]
        bodies += [wrapped(message("routes_changed", args)) for args in self.told()]
        bodies += [wrapped(message(VALUES[name], {})) for name in ("sql", "format", "list")]
        for body in bodies:
            lab.post.send("", body, exchange)
        questions = self.agent.figure("questions_total")
        self.file.write_text("nonsense")
        self.file.unlink()
        lab.post.send("", wrapped(message("routes_changed", {"router": lab.things.router})),
                      exchange)
        wait_for(lambda: self.agent.figure("questions_total") > questions, SECONDS, "it asks",
                 [self.agent.log])
        self.wait_map(line)
        self.assert_intact()

    @staticmethod
    def answers():
        """What is no answer to router_hosts."""
        key, none = uuid.uuid4().hex, VALUES.keys() - TEXTS - {"absent", "nested", DEEP}
        for name in sorted(none - {"empty list"}):
            yield {"hosts": VALUES[name]}
            yield {"hosts": [VALUES[name]]}
        for name in sorted(none - {"null", "long"}):
            yield VALUES[name]
            yield {"hosts": [], "marker": VALUES[name]}
            yield {"hosts": [{"route": key, "map": VALUES[name]}]}
            yield {"hosts": [{"route": VALUES[name], "map": ""}]}
        yield {"hosts": [{"route": "x" * 70_000, "map": ""}]}
        yield {"hosts": [{"route": key}]}
        yield {"hosts": [{"route": key, "map": "a\0b"}]}       # no JSON: as if none had come

    def test_what_it_is_answered(self):
        """By somebody in a virtual host of his own; each is asked for again, and the file stays."""
        url = self.make_host("hostile")
        worker = Impostor(url)
        self.addCleanup(worker.close)
        self.start(merged(lab.fleet.agent_settings(), {"broker": {"url": url}}))
        key, fanout = uuid.uuid4().hex, f"routes.{lab.things.router}_fanout"
        good = {"hosts": [{"route": key, "map": "a.example b\n"}]}
        worker.answer(good)
        self.wait_map("a.example b\n")
        for number, bad in enumerate(self.answers()):
            failed = self.agent.figure("questions_failed_total")
            worker.send(fanout, wrapped(message("routes_changed", {"router": lab.things.router})))
            worker.answer(bad)
            wait_for(lambda: self.agent.figure("questions_failed_total") > failed, SECONDS,
                     f"it takes no {str(bad)[:80]}", [self.agent.log])
            worker.answer(good)
            self.wait_map("a.example b\n")
        self.assertGreater(number, 50)

    def make_host(self, name):
        broker = lab.fleet.rabbitmq
        broker.evaluate(f'rabbit_vhost:add(<<"{name}">>, <<"tests">>)')
        self.addCleanup(broker.evaluate, f'rabbit_vhost:delete(<<"{name}">>, <<"tests">>)')
        broker.account(["set_permissions", "-p", name, broker.user, ".*", ".*", ".*"])
        return broker.url.rpartition("/")[0] + f"/{name}"


class Impostor:
    """Takes the questions of the topic routes, and answers router_hosts as it is told to."""

    def __init__(self, url):
        self.link = kombu.Connection(url.replace("rabbit:", "pyamqp:", 1))
        self.channel = self.link.channel()
        self.channel.queue_declare("routes", durable=True, auto_delete=False)
        self.channel.exchange_declare("zonefleet", "topic", durable=False, auto_delete=False)
        self.channel.queue_bind("routes", "zonefleet", "routes")

    def close(self):
        self.link.release()

    def send(self, exchange, body, key=""):
        self.channel.basic_publish(self.channel.prepare_message(
            body.encode(), content_type="application/json"), exchange, key)

    def answer(self, result):
        """The next question; reports that an address lives are no questions."""
        while True:
            got = wait_for(lambda: self.channel.basic_get("routes", no_ack=True), SECONDS,
                           "it asks")
            asked = unwrapped(got.body)
            if asked["method"] == "router_hosts":
                break
        self.send("", wrapped({"_msg_id": asked["_msg_id"], "_unique_id": uuid.uuid4().hex,
                               "result": result, "failure": None, "ending": True}),
                  asked["_reply_q"])


MAY_BE_A_TENANT = TEXTS - {"empty", "control", "control name"}


class Identity(Story):
    """Who asks is nobody rather than somebody else, or an administrator, by accident."""

    def assert_forbidden(self, method, args, key, good):
        for name in VALUES.keys() - {"absent", DEEP} - good:
            refusal = lab.post.ask("central", method, args, context={key: VALUES[name]})
            self.assertEqual(refusal[0], "Forbidden", name)
        self.assert_intact()

    def test_a_tenant_that_is_none(self):
        args = {"domain": lab.things.domain}
        self.assert_forbidden("get_domain", args, "project_id", MAY_BE_A_TENANT)
        self.assert_forbidden("get_domain", args, "tenant", MAY_BE_A_TENANT)

    def test_an_administrator_that_is_none(self):
        self.assert_forbidden("create_pool", {"pool": {"name": "never"}}, "is_admin", {"bool"})


if __name__ == "__main__":
    unittest.main(failfast=FAIL_FAST)

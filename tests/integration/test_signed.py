"""Signatures of messages inside the fleet, and the rights of administrators.

A producer sends forged orders and reports. Its account at the broker may write to every queue,
which is the default. The tests make signatures by Python's hmac, apart from the C code. The fleets
have a BIND.
"""

import base64
import contextlib
import hashlib
import hmac
import itertools
import json
import re
import shutil
import socket
import sys
import tempfile
import threading
import time
import unittest
import uuid
from pathlib import Path

import amqp
import kombu
import oslo_messaging as om

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from story import BINARIES, Caller, put, run, start_fleet              # noqa: E402
from holding import holding                                             # noqa: E402
from agent import Agent                                                 # noqa: E402
from lab.fleet import fleet_key, render                                 # noqa: E402
from lab.rabbitmq import NAME                                           # noqa: E402

SECONDS = 30
DAY_MS = 86400 * 1000
POOL = "pool_manager.default"
PING = "oslo_rpc_server_ping"   # every server has it
REASONS = ("unsigned", "malformed", "unknown_key", "wrong", "old", "ahead", "no_user",
           "not_administrator", "agent_key")
# what an agent may call; all other methods want a key of the fleet's
AGENTS_METHODS = {"ports": {"hosts_export", "hosts_versions"},
                  "routes": {"router_hosts", "hosts_versions", "report_address"}}
CHANGES_A_SECOND = 50           # during the rotation
numbers = itertools.count(1)


def now_ms():
    return int(time.time() * 1000)


def sign(line, topic, text, unix_ms=None):
    """As signature.h says; LINE is one of fleet.keys or fleet.agent_keys."""
    name, secret = line.split(":")
    unix_ms = unix_ms or now_ms()
    signed = f"1\n{topic}\n{name}\n{unix_ms}\n{text}".encode()
    digest = hmac.new(base64.b64decode(secret), signed, hashlib.sha256).hexdigest()
    return f"1:{name}:{unix_ms}:{digest}"


def message(method, args, **more):
    return json.dumps({"method": method, "args": args, "version": "1.0",
                       "_unique_id": uuid.uuid4().hex, "_context_is_admin": True,
                       "_context_project_id": "t", **more})


def envelope(text, signature=None):
    body = {"oslo.version": "2.0", "oslo.message": text}
    return json.dumps(body if signature is None else body | {"zonefleet.signature": signature})


class Account:
    """At the broker: a user of its own, which may configure, write and read everything."""

    def __init__(self, rabbitmq, stack):
        self.name, self.password = f"producer{next(numbers)}-{uuid.uuid4().hex[:8]}", "secret"
        self.rabbitmq = rabbitmq
        rabbitmq.add_account(self.name, self.password)
        stack(rabbitmq.delete_account, self.name)
        self.link = kombu.Connection(self.url.replace("rabbit:", "pyamqp:", 1))
        stack(self.link.release)
        self.channel = self.link.channel()

    @property
    def url(self):
        rabbitmq = self.rabbitmq
        return (f"rabbit://{self.name}:{self.password}@{rabbitmq.host}:{rabbitmq.port}/"
                f"{rabbitmq.vhost}")

    def send(self, topic, body, fanout=False, **properties):
        properties = {"content_type": "application/json", "user_id": self.name} | properties
        self.channel.basic_publish(amqp.Message(body.encode(), **properties),
                                   f"{topic}_fanout" if fanout else "zonefleet",
                                   "" if fanout else topic)

    def is_refused(self, *words, **more):
        """Sends it; true if RabbitMQ closes the channel for that."""
        self.send(*words, **more)
        try:
            self.channel.queue_declare("reply_signed", exclusive=True)      # an answer
        except amqp.PreconditionFailed:
            self.channel = self.link.channel()
            return True
        self.channel.queue_delete("reply_signed")
        return False

    @contextlib.contextmanager
    def tap(self, topic):
        """A queue that has what is sent to a topic, too."""
        queue = self.channel.queue_declare("", exclusive=True).queue
        self.channel.queue_bind(queue, "zonefleet", topic)
        yield queue
        self.channel.queue_delete(queue)


class Story(unittest.TestCase):

    workers = {"central": 1, "poolmgr": 1, "minidns": 1}
    settings = {}

    @classmethod
    def setUpClass(cls):
        folder = Path(tempfile.mkdtemp(prefix="zfsigned"))
        cls.addClassCleanup(shutil.rmtree, folder)
        cls.folder = folder
        cls.fleet = cls.enterClassContext(start_fleet(
            folder / "fleet", **cls.workers, name_servers=("bind",), settings=cls.settings))
        cls.key = cls.fleet.settings["fleet"]["keys"]
        cls.agent_key = cls.fleet.settings["fleet"]["agent_keys"]
        cls.central = cls.caller()
        cls.producer = Account(cls.fleet.rabbitmq, cls.addClassCleanup)

    @classmethod
    def caller(cls, **options):
        caller = Caller(cls.fleet.rabbitmq.url, **options)
        cls.addClassCleanup(caller.close)
        return caller

    @classmethod
    def of_kind(cls, kind):
        return [worker for worker in cls.fleet.workers if worker.kind == kind]

    def refused(self, kind):
        """How many messages were, by the reason."""
        pages = "".join(worker.page("/metrics")[1] for worker in self.of_kind(kind))
        counts = dict.fromkeys(REASONS, 0)
        for reason, count in re.findall(
                r'^zonefleet_messages_refused_total\{reason="(\w+)"\} (\d+)$', pages, re.M):
            counts[reason] += int(count)
        return counts

    def wait_refused(self, kind, before, **more):
        """Until there are so many more than before, and no others."""
        wanted = before | {reason: before[reason] + count for reason, count in more.items()}
        self.fleet.wait_for(lambda: sum(self.refused(kind).values()) >= sum(wanted.values()),
                            SECONDS, f"{kind} has refused {more}")
        self.assertEqual(self.refused(kind), wanted)

    def give(self, worker, settings):
        """Has it reload them."""
        taken = worker.log.read_text().count("fleet keys applied")
        worker.configure(settings)
        worker.reload()
        self.fleet.wait_for(lambda: worker.log.read_text().count("fleet keys applied") > taken,
                            SECONDS, f"{worker.name} has its settings")

    def logged(self, kind, pattern):
        said = "".join(worker.log.read_text() for worker in self.of_kind(kind))
        return re.search(pattern, said)

    def wait_refusal_logged(self, kind, words, again):
        """Such a line comes once a second at most: AGAIN sends one more."""
        def has_line():
            again()
            return self.logged(kind, "message refused: " + words)
        self.fleet.wait_for(has_line, SECONDS, f"{kind} logs a refusal: {words}")

    def create(self):
        name = f"signed{next(numbers)}.example."
        domain = self.central.create_domain(domain={"name": name})
        self.central.settled(domain["id"])
        return domain

    def letters(self, queue):
        return self.producer.channel.queue_declare(f"{queue}.dead", passive=True).message_count

    def assert_dropped(self, topic, dead):
        """The worker has settled all messages of TOPIC, and has DEAD dead letters as before."""
        self.fleet.wait_for(lambda: not self.unsettled(topic), SECONDS, f"{topic} is settled")
        self.assertEqual(self.letters(topic), dead)

    def unsettled(self, queue):
        return int(dict(self.fleet.rabbitmq.listed("queues", "name", "messages"))[queue])


class Forged(Story):

    def stale(self):
        """A domain with a change that BIND, which is stopped, does not have; its serial."""
        domain = self.create()
        self.fleet.bind.pause()
        self.addCleanup(self.fleet.bind.resume)
        changed = self.central.apply_changes(
            domain=domain["id"], changes=[put(f"new.{domain['name']}", "192.0.2.1")])
        return domain["id"], changed["serial"]

    def reference(self, domain_id):
        """The domain as a message between workers has it."""
        columns = "id", "name", "tenant", "task", "status", "serial"
        row = self.fleet.mariadb.sql(f"SELECT {', '.join(columns)} FROM domains "
                                     f"WHERE id = '{domain_id}'")[0]
        domain = dict(zip(columns, row))
        return domain | {"serial": int(domain["serial"]), "pool": "default"}

    def reports(self, domain_id, serial):
        """(kind of worker, topic, method, arguments) of all that would call it ACTIVE."""
        domain = self.reference(domain_id)
        result = {"domain": domain, "status": "SUCCESS", "serial_number": serial}
        seen = result | {"name_server": "bind"}
        return [("central", "central", "update_status", result),
                ("central", "central", "update_statuses", {"reports": [result]}),
                ("poolmgr", POOL, "update_status", seen),
                ("poolmgr", POOL, "update_statuses", {"reports": [seen]})]

    def forgeries(self, topic):
        """(reason, maker of a signature) of all that are not good for this topic now."""
        name = self.key.split(":")[0]
        other = "central" if topic == POOL else POOL
        return [("unsigned", lambda text: None),
                ("malformed", lambda text: ""), ("malformed", lambda text: "1:lab:0:00"),
                ("unknown_key", lambda text: sign(fleet_key("producer"), topic, text)),
                ("agent_key", lambda text: sign(self.agent_key, topic, text)),
                ("wrong", lambda text: sign(fleet_key(name), topic, text)),
                ("wrong", lambda text: sign(self.key, other, text)),
                ("wrong", lambda text: sign(self.key, topic, text + " ")),
                ("wrong", lambda text: sign(self.key, f"{topic}.recovery", text)),
                ("old", lambda text: sign(self.key, topic, text, now_ms() - DAY_MS - 60_000)),
                ("ahead", lambda text: sign(self.key, topic, text, now_ms() + DAY_MS + 60_000))]

    def test_reports(self):
        """The domain becomes ACTIVE when BIND has the change, and not before."""
        domain_id, serial = self.stale()
        before = {kind: self.refused(kind) for kind in ("central", "poolmgr")}
        dead = {topic: self.letters(topic) for topic in ("central", POOL)}
        sent = {kind: dict.fromkeys(REASONS, 0) for kind in before}
        for kind, topic, method, args in self.reports(domain_id, serial):
            for reason, signature in self.forgeries(topic):
                text = message(method, args)
                self.producer.send(topic, envelope(text, signature(text)))
                sent[kind][reason] += 1
        for kind, topic in ("central", "central"), ("poolmgr", POOL):
            self.wait_refused(kind, before[kind], **sent[kind])
            self.assert_dropped(topic, dead[topic])
        self.assertIn(self.fleet.state(domain_id)[0], ("UPDATE PENDING", "UPDATE ERROR"))
        for kind, topic, reason in (("central", "central", "agent_key"),
                                    ("poolmgr", POOL, "unsigned")):
            text = message("update_status", {})
            signature = dict(self.forgeries(topic))[reason](text)
            self.wait_refusal_logged(
                kind, rf'topic={topic} method="update_status" '
                rf'account="{self.producer.name}" reason={reason} ',
                lambda t=topic, b=envelope(text, signature): self.producer.send(t, b))
        self.fleet.bind.resume()
        self.central.settled(domain_id, serial=serial)

    def test_a_flood_keeps_the_dead_letters(self):
        """The queues of dead letters have room for ten. A signed order that no handler takes is
        in each. Forged messages do not push it out, whatever else is wrong with them."""
        rabbitmq = self.fleet.rabbitmq
        rabbitmq.ctl("set_policy", "-p", rabbitmq.vhost, "--apply-to", "queues", "few",
                     r"\.dead$", '{"max-length": 10}')
        self.addCleanup(rabbitmq.ctl, "clear_policy", "-p", rabbitmq.vhost, "few")
        forged = [envelope(message("update_statuses", {})),
                  envelope(message("update_statuses", {}, version="9.0")),
                  envelope(message("update_statuses", {}, _context_project_id="x" * 300))]
        # the topic central also has methods for all accounts, POOL has none
        for kind, topic, bodies in (
                ("central", "central", forged),
                ("poolmgr", POOL, [*forged, envelope(message("no_such_method", {})),
                                   envelope(message(PING, {})),
                                   envelope(message(PING, {}, version="9.0")),
                                   envelope(message(PING, {}, _context_project_id="x" * 300)),
                                   envelope(message(PING, {}, _context_is_admin=True)),
                                   "{}", "no JSON"])):
            with self.subTest(topic=topic):
                self.producer.channel.queue_purge(f"{topic}.dead")
                real = message("update_statuses", {"real": True})
                self.producer.send(topic, envelope(real, sign(self.key, topic, real)))
                self.fleet.wait_for(lambda t=topic: self.letters(t) == 1, SECONDS,
                                    "it is a dead letter")
                before = self.refused(kind)
                for body in bodies * 20:
                    self.producer.send(topic, body)
                self.wait_refused(kind, before, unsigned=20 * len(bodies))
                self.assert_dropped(topic, 1)
                letter = self.producer.channel.basic_get(f"{topic}.dead", no_ack=True)
                self.assertEqual(json.loads(letter.body)["oslo.message"], real)

    def test_a_call_is_answered(self):
        domain_id, serial = self.stale()
        before = self.refused("central")
        with self.assertRaises(om.RemoteError) as caught:
            self.central.update_status(domain=self.reference(domain_id), status="SUCCESS",
                                       serial_number=serial)
        self.assertEqual(caught.exception.exc_type, "Forbidden")
        self.wait_refused("central", before, unsigned=1)
        self.assertNotEqual(self.fleet.state(domain_id)[0], "NONE ACTIVE")
        self.fleet.bind.resume()
        self.central.settled(domain_id, serial=serial)

    def test_what_was_overheard(self):
        """A report of mini-DNS, sent again to central as the pool manager's, and altered."""
        with self.producer.tap(POOL) as tap:
            self.create()
            heard = []
            while not any("update_statuses" in body for body in heard):
                got = self.fleet.wait_for(
                    lambda: self.producer.channel.basic_get(tap, no_ack=True), SECONDS,
                    "mini-DNS reports to the pool manager")
                heard.append(got.body.decode() if isinstance(got.body, bytes) else got.body)
        outer = json.loads(heard[-1])
        signature, text = outer["zonefleet.signature"], outer["oslo.message"]
        sent_ms = int(signature.split(":")[2])
        self.assertEqual(signature, sign(self.key, POOL, text, sent_ms))
        before = self.refused("central"), self.refused("poolmgr")
        self.producer.send("central", heard[-1])
        self.wait_refused("central", before[0], wrong=1)
        self.producer.send(POOL, envelope(text.replace("SUCCESS", "success"), signature))
        self.wait_refused("poolmgr", before[1], wrong=1)

    def test_orders_send_no_packet(self):
        """To a port where somebody waits for a NOTIFY, a poll or a question for a zone."""
        domain = self.reference(self.create()["id"])
        before, dead = self.refused("minidns"), self.letters("minidns")
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as target:
            target.bind(("127.0.0.1", 0))
            target.setblocking(False)
            there = {"id": "bind", "host": "127.0.0.1", "port": target.getsockname()[1],
                     "tsig_key": None}
            terms = {"timeout": 1, "retry_interval": 1, "max_retries": 2}
            one = {"domain": domain, "destination": there} | terms
            many = {"domains": [domain], "destinations": [there]} | terms
            for method, args in (("notify_zone_changed", one), ("poll_for_serial_number", one),
                                 ("propagate_zones", many), ("poll_zones", many),
                                 ("compare_zones", many)):
                self.producer.send("minidns", envelope(message(method, args)))
            self.wait_refused("minidns", before, unsigned=5)
            self.producer.send("minidns", envelope(message("news", {
                "from": "x", "number": 1, "zones": [], "heard": []})), fanout=True)
            self.producer.send("minidns", envelope(message("transfer_ended", {
                "name": domain["name"], "address": "127.0.0.1", "serial": 1})), fanout=True)
            self.wait_refused("minidns", before, unsigned=7)
            self.create()       # what it does meanwhile it has sent
            self.assertRaises(BlockingIOError, target.recv, 512)
        self.wait_refusal_logged(
            "minidns", rf'topic=minidns method="news" account="{self.producer.name}" '
            'reason=unsigned ',
            lambda: self.producer.send("minidns", envelope(message("news", {})), fanout=True))
        self.assert_dropped("minidns", dead)

    def test_a_good_signature(self):
        """What is refused without it: so it is the signature that counts. The forged ones
        before it have its id, and yet it is no duplicate of them."""
        before, taken = self.refused("minidns"), self.ended()
        text = message("transfer_ended", {"name": "a.example.", "address": "127.0.0.1",
                                          "serial": 1})
        agents = sign(self.agent_key, "minidns", text)
        for signature in [None] * 20 + [agents, sign(self.key, "minidns", text)]:
            self.producer.send("minidns", envelope(text, signature))
        self.fleet.wait_for(lambda: self.ended() > taken, SECONDS, "it is taken")
        self.wait_refused("minidns", before, unsigned=20, agent_key=1)

    def ended(self):
        """How often mini-DNS has run that method."""
        page = self.of_kind("minidns")[0].page("/metrics")[1]
        return int(re.search(r'\nzonefleet_requests_total\{method="transfer_ended"\} (\d+)\n',
                             page)[1])


class Rotation(Story):

    workers = {"central": 2, "poolmgr": 2, "minidns": 2}
    domains = 4

    def give_keys(self, *keys):
        """To each program, one after the other."""
        for worker in self.fleet.workers:
            worker.configure({"fleet": {"keys": "\n".join(keys)}})
            taken = f"fleet keys applied: signs={keys[0].split(':')[0]} keys={len(keys)} "
            before = worker.log.read_text().count(taken)
            worker.reload()
            self.fleet.wait_for(lambda w=worker, t=taken, b=before: w.log.read_text().count(t) > b,
                                SECONDS, f"{worker.name} has its keys")

    def settle(self, writers):
        """Until all that was accepted up to now is ACTIVE."""
        for writer in writers:
            if writer.serial:
                self.central.settled(writer.domain["id"], serial=writer.serial, seconds=SECONDS)

    def wait_more(self, writers, count, what):
        """Until so many more changes are made."""
        def done():
            return sum(writer.done for writer in writers)
        self.fleet.wait_for(lambda at=done() + count: done() >= at, SECONDS, what)

    def test_a_new_key_amid_changes(self):
        writers = [Writer(self.caller(), self.create(), self.domains / CHANGES_A_SECOND)
                   for _ in range(self.domains)]
        for writer in writers:
            writer.start()
            self.addCleanup(writer.stop)
        old, new = self.key, fleet_key("next")
        for keys in (old, new), (new, old), (new,):
            self.wait_more(writers, 100, "changes are made meanwhile")
            self.settle(writers)
            self.give_keys(*keys)
        self.wait_more(writers, 100, "changes are made with the new key")
        for writer in writers:
            writer.stop()
        print(f"{sum(writer.done for writer in writers)} changes, "
              f"{sum(writer.done / writer.seconds for writer in writers):.1f} a second",
              file=sys.stderr)
        self.assertEqual([failure for writer in writers for failure in writer.failures], [])
        self.settle(writers)
        self.fleet.wait_quiet()
        for writer in writers:
            served = len(self.fleet.bind.axfr(writer.domain["name"])) - 2      # SOA and NS
            self.assertEqual(served, writer.done)
        for kind in self.workers:
            self.assertEqual(sum(self.refused(kind).values()), 0)
        for queue in "central", POOL, "minidns":
            self.assertEqual(self.letters(queue), 0)
        # and the old key is good for nothing any more
        text = message("transfer_ended", {"name": "a.example.", "address": "127.0.0.1",
                                          "serial": 1})
        before = self.refused("minidns")
        self.producer.send("minidns", envelope(text, sign(old, "minidns", text)))
        self.wait_refused("minidns", before, unknown_key=1)


class Agents(Story):
    """Agents of ports and of routes."""

    workers = Story.workers | {"ports": 1, "routes": 1}
    settings = {"broker": {"administrators": [NAME]}, "fleet": {"agent_keys": ""},
                "client": {"tenant": "t", "admin": True}}
    own = {"interval": 1, "check_period": 3600, "reread_period": 3600}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.tenant = cls.caller(admin=False)
        cls.ports = cls.caller(admin=False, topic="ports")
        cls.routes = cls.caller(admin=False, topic="routes")
        cls.network, zone = uuid.uuid4().hex, f"net{next(numbers)}.example."
        cls.tenant.create_domain(domain={"name": zone})
        cls.ports.set_network(network={"id": cls.network, "dns_domain": zone})
        cls.fleet.cli("router", "create", "gw", "192.0.2.91", "--dns", "gw.example.")
        hosts, router = cls.folder / "networks" / cls.network, cls.folder / "router"
        hosts.mkdir(parents=True)
        router.mkdir()
        cls.files = hosts / "addn_hosts", router / "hosts.map"
        cls.services = cls.of_kind("ports") + cls.of_kind("routes")
        cls.agents = [cls.agent("ports", directory=str(hosts.parent)),
                       cls.agent("routes", router="gw", directory=str(router))]

    @classmethod
    def agent(cls, program, **settings):
        """With the fleet's keys, as before there were keys of the agents."""
        agent = Agent(cls.folder / f"{program}_agent", program, {
            "broker": cls.fleet.settings["broker"] | {"url": cls.producer.url},
            "fleet": {"keys": cls.key}, f"{program}_agent": cls.own | settings})
        agent.launch()
        cls.addClassCleanup(agent.stop)
        agent.wait_ready()
        cls.fleet.workers.append(agent)        # refused() and logged() read it, too
        cls.addClassCleanup(cls.fleet.workers.remove, agent)
        return agent

    def change(self):
        """A port and a route, which the agents hear of; their name."""
        name = f"n{next(numbers)}"
        self.ports.create_port(port={"network_id": self.network, "dns_name": name,
                                     "fixed_ips": [{"ip_address": f"10.1.2.{next(numbers)}"}]})
        self.routes.create_route(route={"namespace": "keys", "name": name})
        for file in self.files:
            self.fleet.wait_for(lambda f=file: f.exists() and name in f.read_text(), SECONDS,
                                f"{file.name} has {name}")
        return name


class AgentKeys(Agents):
    """They hear what changes by signed messages only, and are administrators by their signatures
    only."""

    def kinds(self):
        return {worker.kind for worker in self.fleet.workers}

    def test_from_the_fleets_keys_and_a_new_one(self):
        old, new = fleet_key("agents1"), fleet_key("agents2")
        steps = [(self.agents, {"keys": self.key, "agent_keys": old}),
                 (self.services, {"agent_keys": old}),
                 (self.agents, {"keys": ""})]
        for keys in (old, new), (new, old), (new,):
            steps += [(self.services, {"agent_keys": "\n".join(keys)}),
                      (self.agents, {"agent_keys": "\n".join(keys)})]
        self.change()
        for programs, keys in steps:
            for worker in programs:
                self.give(worker, {"fleet": keys})
                self.change()
        for kind in self.kinds():
            counts = self.refused(kind)
            # the answer to a call of before the reload may have the key of before it
            counts["unknown_key"] -= counts["unknown_key"] == 1 and kind.endswith("_agent")
            self.assertEqual(sum(counts.values()), 0, kind)
        for agent in self.agents:
            self.assertTrue(self.logged(agent.kind, "signs=agents2 keys=0 signs_to_agents=agents2"))
            warned = [line for line in agent.log.read_text().splitlines()
                      if "fleet keys applied" in line or "agent has a key of the fleet" in line]
            self.assertIn("agent has a key of the fleet", warned[-5])
            self.assertNotIn("agent has a key of the fleet", "".join(warned[-4:]))
        for key in old, self.key:       # they are good for nothing at an agent any more
            before, text = self.refused("ports_agent"), message("hosts_changed", {
                "network": self.network})
            self.producer.send("ports_agent", envelope(text, sign(key, "ports_agent", text)),
                               fanout=True)
            self.wait_refused("ports_agent", before, unknown_key=1)


class Answers(Agents):
    """The producer reads the calls of other programs, and answers them."""

    settings = Agents.settings | {"broker": {}}     # every account may be an administrator

    def overheard(self, tap, method):
        """The message of a call, from the tap."""
        while True:
            got = self.fleet.wait_for(
                lambda: self.producer.channel.basic_get(tap, no_ack=True), SECONDS,
                f"a program calls {method}")
            call = json.loads(json.loads(got.body)["oslo.message"])
            if call["method"] == method:
                return call

    def forgeries(self, queue, text):
        """(reason, signature) of all that are not good for this queue."""
        other = f"reply_{uuid.uuid4().hex}"
        yield "unsigned", None
        yield "malformed", ""
        yield "unknown_key", sign(fleet_key("producer"), queue, text)
        for topic in other, "ports":
            yield "wrong", sign(self.key, topic, text)
        yield "wrong", sign(fleet_key(self.key.split(":")[0]), queue, text)

    def forge(self, call, result):
        """Sends such answers to a call; how many there are for each reason."""
        queue, counts = call["_reply_q"], dict.fromkeys(REASONS, 0)
        for value, ending in (result, True), (result, False), (None, True):
            text = json.dumps({"result": value, "failure": None, "ending": ending,
                               "_msg_id": call["_msg_id"], "_unique_id": uuid.uuid4().hex})
            for reason, signature in self.forgeries(queue, text):
                counts[reason] += 1
                self.producer.channel.basic_publish(
                    amqp.Message(envelope(text, signature).encode(), user_id=self.producer.name,
                                 content_type="application/json"), "", queue)
        return counts

    def test_an_agent_takes_no_forged_hosts(self):
        name = self.change()
        hosts, (ports,), file = self.caller(topic="ports"), self.of_kind("ports"), self.files[0]
        true = hosts.hosts_export(network=self.network)
        self.assertIn(name, json.dumps(true))
        forged = json.loads(json.dumps(true).replace("10.1.2.", "192.0.2."))
        before, text = self.refused("ports_agent"), message("hosts_changed",
                                                            {"network": self.network})
        ports.pause()
        self.addCleanup(ports.resume)
        with self.producer.tap("ports") as tap:
            self.producer.send("ports_agent", envelope(text, sign(self.key, "ports_agent", text)),
                               fanout=True)
            call = self.overheard(tap, "hosts_export")
        counts = self.forge(call, forged)
        self.wait_refused("ports_agent", before, **counts)
        self.assertNotIn("192.0.2.", file.read_text())
        self.wait_refusal_logged(
            "ports_agent", rf'topic={call["_reply_q"]} method="hosts_export" '
            rf'account="{self.producer.name}" reason=\w+ answered=false ',
            lambda: self.forge(call, forged))
        self.fleet.wait_for(lambda: self.logged(
            "ports_agent", "ports did not answer hosts_export in time: an answer to hosts_export "
            "was refused: "), SECONDS, "the agent logs why it has no answer")
        ports.resume()
        self.change()
        self.assertNotIn("192.0.2.", file.read_text())

    def test_a_worker_takes_no_forged_answer(self):
        """To the pool manager's report, which central has not read."""
        (central,) = self.of_kind("central")
        domain, before = self.create(), self.refused("poolmgr")
        self.fleet.bind.pause()
        self.addCleanup(self.fleet.bind.resume)
        changed = self.central.apply_changes(
            domain=domain["id"], changes=[put(f"new.{domain['name']}", "192.0.2.1")])
        central.pause()
        self.addCleanup(central.resume)
        with self.producer.tap("central") as tap:
            self.fleet.bind.resume()
            call = self.overheard(tap, "update_statuses")
        counts = self.forge(call, [{"ok": True}])
        self.wait_refused("poolmgr", before, **counts)
        central.resume()        # and the true answer to the same call is taken
        self.central.settled(domain["id"], serial=changed["serial"])

    def test_which_answers_are_signed(self):
        """A program signs the answer to a call only if a known key signed the call: another
        account can name the queue of a program in its call."""
        early = now_ms() - DAY_MS - 60_000
        for topic, method, args, makes, want in (
                ("central", "find_pools", {}, lambda t: None, None),
                ("central", "find_pools", {}, lambda t: "", None),
                ("central", "find_pools", {}, lambda t: "1:lab:0:00", None),
                ("central", "find_pools", {}, lambda t: sign(fleet_key("x"), "central", t), None),
                ("central", "find_pools", {}, lambda t: sign(self.key, "ports", t), None),
                ("central", "find_pools", {}, lambda t: sign(self.key, "central", t + " "), None),
                ("central", "find_pools", {}, lambda t: sign(self.key, "central", t), self.key),
                ("central", "no_method", {}, lambda t: sign(self.key, "central", t), self.key),
                ("central", "update_status", {},
                 lambda t: sign(self.key, "central", t, early), self.key),
                ("central", "update_status", {}, lambda t: None, None)):
            queue, answer = self.ask(topic, method, args, makes)
            seen = answer.get("zonefleet.signature")
            with self.subTest(method=method, text=answer["oslo.message"]):
                self.assertEqual(seen, want and sign(want, queue, answer["oslo.message"],
                                                     int(seen.split(":")[2])))

    def ask(self, topic, method, args, makes, unique_id=None, **properties):
        """The queue of the answer, and the answer, to a call with the signature that MAKES makes
        of its text."""
        queue, msg_id = f"reply_{uuid.uuid4().hex}", uuid.uuid4().hex
        channel = self.producer.channel
        channel.queue_declare(queue, exclusive=True)
        text = message(method, args, _msg_id=msg_id, _reply_q=queue,
                       _unique_id=unique_id or uuid.uuid4().hex)
        self.producer.send(topic, envelope(text, makes(text)), **properties)
        got = self.fleet.wait_for(lambda: channel.basic_get(queue, no_ack=True), SECONDS,
                                  f"{method} is answered")
        channel.queue_delete(queue)
        answer = json.loads(got.body)
        self.assertEqual(json.loads(answer["oslo.message"])["_msg_id"], msg_id)
        return queue, answer

    def test_the_limit_of_a_copy(self):
        """Another account can send a copy of a signed call with a shorter limit. The program of
        the fleet then gets no signed answer that its limit is over."""
        soon = {"x-zonefleet-limit": now_ms() + 250}        # a margin is subtracted
        _, answer = self.ask("central", "find_pools", {}, lambda t: sign(self.key, "central", t),
                             application_headers=soon, expiration=str(SECONDS * 1000))
        self.assertIn("Busy", answer["oslo.message"])
        self.assertNotIn("zonefleet.signature", answer)

    def test_the_id_of_a_signed_call(self):
        """Another account makes a call with the id of a signed call: both run."""
        unique_id, names = uuid.uuid4().hex, [f"signed{next(numbers)}.example." for _ in range(2)]
        for name, makes in zip(names, (lambda t: None, lambda t: sign(self.key, "central", t))):
            self.ask("central", "create_domain", {"domain": {"name": name}}, makes, unique_id)
        for name in names:
            self.assertEqual(self.central.get_domain(domain=name)["name"], name)


class Writer(threading.Thread):
    """Changes of one record each, one after the other, at a fixed pace."""

    def __init__(self, caller, domain, pace_seconds):
        super().__init__(daemon=True)
        self.caller, self.domain, self.pace_seconds = caller, domain, pace_seconds
        self.serial, self.failures, self.done, self.seconds = 0, [], 0, 0
        self.enough = threading.Event()

    def run(self):
        begun = due = time.monotonic()
        while not self.enough.is_set():
            try:
                self.change()
            except Exception as error:      # the story tells of it
                self.failures.append(repr(error))
            due += self.pace_seconds
            self.enough.wait(max(0, due - time.monotonic()))
        self.seconds = time.monotonic() - begun

    def change(self):
        owner = f"w{self.done}.{self.domain['name']}"
        answer = self.caller.apply_changes(domain=self.domain["id"],
                                           changes=[put(owner, "192.0.2.1")])
        self.serial = answer["serial"]
        self.done += 1

    def stop(self):
        self.enough.set()
        self.join()


class Administrators(Story):

    workers = Story.workers | {"ports": 1, "routes": 1}

    def setUp(self):
        self.boss = Account(self.fleet.rabbitmq, self.addCleanup)
        self.addCleanup(self.allow, administrators=[], require_user_id=False)

    def allow(self, **broker):
        for worker in self.fleet.workers:
            self.give(worker, {"broker": broker})

    def client(self, account, *words, admin=True, refusal="broker.administrators"):
        """The output of zonefleet by that account; None: it failed with the words of REFUSAL."""
        config = self.folder / f"{account.name}.cfg"
        config.touch(0o600)
        config.write_text(render({"broker": {"url": account.url},
                                  "client": {"tenant": "t", "admin": admin}}))
        try:
            return run([BINARIES / "zonefleet", "--config", config, *words])
        except Exception as error:
            self.assertIn(refusal, str(error))
            return None

    def dead_letters(self, *words):
        return json.loads(self.client(self.boss, "--json", "dead-letters", *words))

    def test_who_may(self):
        ours = self.create()
        network = self.caller(topic="ports")
        self.allow(administrators=[self.boss.name])
        before = self.refused("central")
        self.assertIsNotNone(self.client(self.boss, "domain", "list", "--all-tenants"))
        self.assertTrue(self.logged("central", "call of an administrator: method=find_domains "
                                    rf'subject="" account="{self.boss.name}" user="" '
                                    'tenant="t" err=ok'))
        self.assertIsNotNone(self.client(self.boss, "domain", "show", ours["id"]))
        self.assertTrue(self.logged("central", "call of an administrator: method=get_domain "
                                    f'subject="{ours["id"]}"'))
        self.assertIsNone(self.client(self.producer, "domain", "list", "--all-tenants"))
        self.assertIsNotNone(self.client(self.producer, "domain", "list", admin=False))
        self.assertIsNone(self.client(self.producer, "pool", "set", "default", "--ns",
                                      "ns.evil.example.", admin=False,
                                      refusal="only administrators may call"))
        self.assertTrue(self.logged("central", "request finished: method=update_pool err=denied "
                                    rf'ms=\d+ account="{self.producer.name}" user="" tenant="t" '))
        self.wait_refused("central", before, not_administrator=1)
        self.wait_refusal_logged(
            "central", rf'topic=central method="find_pools" account="{self.producer.name}" '
            'reason=not_administrator ',
            lambda: self.producer.send("central", envelope(message("find_pools", {}))))
        # oslo.messaging names no account; what it asks as a tenant is answered
        with self.assertRaises(om.RemoteError) as caught:
            self.central.get_domain(domain=ours["id"])
        self.assertEqual(caught.exception.exc_type, "Forbidden")
        tenant = self.caller(admin=False)
        self.assertEqual(tenant.get_domain(domain=ours["id"])["id"], ours["id"])
        # our own programs are the fleet's by their signature, whatever their account is
        zone = f"net{next(numbers)}.example."
        tenant.create_domain(domain={"name": zone})
        with self.assertRaises(om.RemoteError):
            network.list_networks()
        plain, key = self.caller(admin=False, topic="ports"), uuid.uuid4().hex
        plain.set_network(network={"id": key, "dns_domain": zone})
        plain.create_port(port={"network_id": key, "dns_name": "vm",
                                "fixed_ips": [{"ip_address": "10.1.2.3"}]})
        self.fleet.wait_for(lambda: self.fleet.bind.query(f"vm.{zone}", "A")[1], SECONDS,
                            "ports has its name published")

    def test_a_retried_letter_is_not_the_operators(self):
        """Unless the operator vouches for it."""
        self.allow(administrators=[self.boss.name])
        name = f"letter{next(numbers)}.example."
        self.producer.channel.queue_purge("central.dead")
        self.create_by_cast(name)
        for vouch, wanted in ([], []), (["--vouch"], [["1"]]):
            self.fleet.wait_for(lambda: self.letters("central"), SECONDS, "it is a dead letter")
            before = self.refused("central")
            letters = self.dead_letters("list")["dead_letters"]
            self.dead_letters("retry", letters[0]["id"], *vouch)
            if not vouch:
                self.wait_refused("central", before, not_administrator=1)
            self.fleet.wait_for(lambda w=wanted: self.named(name) == w, SECONDS,
                                f"{name} is {'' if vouch else 'not '}there")

    def test_a_copy_proves_whose_it_is(self):
        """Another program with the workers' account forges the header of a retried message."""
        self.allow(administrators=[self.boss.name], require_user_id=True)
        rabbit, name = self.fleet.rabbitmq, f"copy{next(numbers)}.example."
        before = self.refused("central")
        with kombu.Connection(rabbit.url.replace("rabbit:", "pyamqp:", 1)) as link:
            link.channel().basic_publish(amqp.Message(
                envelope(message("create_domain", {"domain": {"name": name}})).encode(),
                content_type="application/json", user_id=rabbit.user,
                application_headers={"x-zonefleet-user": self.boss.name}), "zonefleet", "central")
        self.wait_refused("central", before, no_user=1)
        self.assertEqual(self.named(name), [])

    def test_a_retried_message_keeps_its_rights(self):
        """It comes back through the delay queue while a row is locked, and is done at last."""
        ours = self.create()
        self.allow(administrators=[self.boss.name], require_user_id=True)
        before = self.refused("central")
        with holding(self.fleet.mariadb,
                     f"SELECT * FROM domains WHERE id = '{ours['id']}' FOR UPDATE"):
            self.boss.send("central", envelope(message("apply_changes", {
                "domain": ours["id"], "changes": [put(f"late.{ours['name']}", "192.0.2.7")]})))
            self.fleet.wait_for(lambda: self.waits_in("central.retry."), SECONDS,
                                "a copy waits in a delay queue")
        self.fleet.wait_for(lambda: self.fleet.mariadb.sql(
            f"SELECT 1 FROM recordsets WHERE name = 'late.{ours['name']}'"), SECONDS, "it is done")
        self.assertEqual(self.refused("central"), before)

    def waits_in(self, prefix):
        """Does a queue of that prefix hold a message?"""
        return any(name.startswith(prefix) and int(messages) for name, messages
                   in self.fleet.rabbitmq.listed("queues", "name", "messages"))

    def create_by_cast(self, name, **more):
        self.producer.send("central", envelope(message("create_domain", {"domain": {"name": name}},
                                                       **more)))

    def named(self, name):
        return self.fleet.mariadb.sql(f"SELECT 1 FROM domains WHERE name = '{name}'")

    def test_who_vouches_for_a_letter_vouches_for_no_other(self):
        """A producer gives its message the id of another one."""
        self.allow(administrators=[self.boss.name])
        names = [f"letter{next(numbers)}.example." for _ in range(2)]
        self.producer.channel.queue_purge("central.dead")
        for name in names:
            self.create_by_cast(name, _unique_id="5f0d7c3e9a2b4d6f8a1c3e5f7a9b1d3f")
        self.fleet.wait_for(lambda: self.letters("central") == 2, SECONDS, "two dead letters")
        letters = self.dead_letters("list")["dead_letters"]
        self.assertEqual(len({letter["message_id"] for letter in letters}), 1)
        read = [letter["id"] for letter in letters
                if names[0] in json.dumps(self.dead_letters("show", letter["id"]))]
        self.assertEqual(len(read), 1)
        self.assertIsNone(self.client(self.boss, "dead-letters", "retry", "all", "--vouch",
                                      refusal="--vouch sends one dead letter"))
        self.assertEqual(self.dead_letters("retry", read[0], "--vouch"), {"count": 1})
        self.fleet.wait_for(lambda: self.named(names[0]), SECONDS, f"{names[0]} is there")
        self.assertEqual(self.letters("central"), 1)
        self.assertEqual(self.named(names[1]), [])

    def test_who_says_nothing(self):
        tenant = self.caller(admin=False)
        ours = self.create()
        self.allow(require_user_id=True)
        before = self.refused("central")
        with self.assertRaises(om.RemoteError) as caught:
            tenant.get_domain(domain=ours["id"])
        self.assertIn("broker.require_user_id", str(caught.exception))
        self.wait_refused("central", before, no_user=1)
        self.assertIsNotNone(self.client(self.producer, "domain", "show", ours["name"]))

    def methods(self, kind):
        page = self.of_kind(kind)[0].page("/metrics")[1]
        named = re.findall(r'^zonefleet_requests_total\{method="(\w+)"\} ', page, re.M)
        return set(named) - {"other"}

    def settled(self, kind, topic, count, dead, before):
        """What was refused by reason, if COUNT casts were dropped or became dead letters."""
        letters = self.letters(topic) - dead        # each was counted before
        refused = self.refused(kind)
        grown = {reason: refused[reason] - before[reason] for reason in REASONS}
        return letters + grown["agent_key"] == count and grown

    def test_which_methods_an_agents_key_is_for(self):
        """Each method of each program is called as an administrator, without its arguments."""
        self.allow(administrators=[self.boss.name])
        for kind, topic in {"poolmgr": POOL, "central": "central", "minidns": "minidns",
                            "ports": "ports", "routes": "routes"}.items():
            methods, ours = self.methods(kind), AGENTS_METHODS.get(kind, set())
            self.assertLess(ours, methods)
            dead, before = self.letters(topic), self.refused(kind)
            for method in methods:
                text = message(method, {})
                self.producer.send(topic, envelope(text, sign(self.agent_key, topic, text)))
            grown = self.fleet.wait_for(
                lambda: self.settled(kind, topic, len(methods), dead, before), SECONDS,
                f"{kind} has refused all of them")
            self.assertEqual(grown["agent_key"] + grown["not_administrator"],
                             len(methods - ours), f"{kind}: {grown}")
            self.assertEqual(sum(grown.values()), len(methods - ours), f"{kind}: {grown}")
            letters = [self.producer.channel.basic_get(f"{topic}.dead", no_ack=True)
                       for _ in range(self.letters(topic))][dead:]
            taken = {json.loads(json.loads(letter.body)["oslo.message"])["method"]
                     for letter in letters
                     if "missing" in letter.headers["x-zonefleet-reason"]}
            self.assertEqual(taken, ours)

    def test_nobody_sends_as_another(self):
        """RabbitMQ refuses a user_id that is not the account's own."""
        question = envelope(message("find_pools", {}))
        self.assertFalse(self.producer.is_refused("central", question))
        self.assertTrue(self.producer.is_refused("central", question, user_id=self.boss.name))


if __name__ == "__main__":
    unittest.main(verbosity=2)

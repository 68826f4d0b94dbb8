"""A conversation with oslo.messaging itself, in both directions, over a private RabbitMQ.

Python's peer is the library that every OpenStack service uses; ours is rpc_driver.c.
"""

import json
import logging
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import uuid
from pathlib import Path

import kombu
import oslo_messaging as om
from oslo_config import cfg

REPO = Path(__file__).resolve().parents[2]
DRIVER = REPO / os.environ.get("BUILD", "build") / "drivers" / "rpc_driver"
sys.path.insert(0, str(REPO / "deploy"))
sys.path.insert(0, str(REPO / "tests" / "support"))
from lab.process import tail, wait_for    # noqa: E402
from lent import story_rabbitmq     # noqa: E402

TOPIC = "fleet"         # what our server answers
PEER = "peer"           # what Python's does
NO_QUEUE = "reply_" + "0" * 32     # a reply queue of a caller that is gone
MAX_BYTES = 1024 * 1024  # of a message, in rpc_driver.c

SETTINGS = """\
[DEFAULT]
control_exchange = zonefleet
[oslo_messaging_rabbit]
amqp_durable_queues = true
# Python's server holds its end back for so long when a caller went away
kombu_missing_consumer_retry_timeout = 1
"""

# the codes of base/err.c and the class a Python caller sees; `locked` waits, see Waiting
CLASSES = {
    "invalid": "Invalid", "arguments": "TypeError", "method": "NoSuchMethod",
    "version": "UnsupportedVersion", "denied": "Forbidden", "not_found": "NotFound",
    "exists": "Duplicate", "conflict": "Conflict", "quota": "OverQuota",
    "too_large": "TooLarge", "race": "Busy", "busy": "Busy",
    "expired": "Busy", "timeout": "Timeout", "unreachable": "Unavailable",
    "remote": "RemoteError", "internal": "Internal",
}

VALUES = [
    None, True, False, 0, -1, 2**63 - 1, -2**63, 1.5, 0.1, 1e300, "", "text",
    "quote \" backslash \\ slash / tab \t newline \n bell \x07",
    "h\u00e9 \u4e16\u754c \U0001f600 \U0010ffff", [], {}, [[], {}, None],
    {"name": "zone-1", "deep": [{"a": {"b": [1, 2.5, "x"]}}], "": "no name"},
]


class Driver:
    """A running rpc_driver, and what it prints, a JSON value a line."""

    def __init__(self, *args):
        with open(lab.log, "ab") as log:
            self.process = subprocess.Popen([str(DRIVER), *map(str, args)], text=True,
                                            stdout=subprocess.PIPE, stderr=log)

    def read(self):
        line = self.process.stdout.readline()
        if not line:
            self.check(self.process.wait(20))
            raise AssertionError("rpc_driver said nothing")
        return json.loads(line)

    def check(self, code):
        if code:
            raise AssertionError(f"rpc_driver ended with {code}\n{tail(lab.log)}")

    def wait(self):
        with self.process.stdout:
            self.check(self.process.wait(20))

    def end(self):
        self.process.terminate()
        self.wait()

    @classmethod
    def run(cls, *args):
        """To its end; what it printed first."""
        driver = cls(*args)
        value = driver.read()
        driver.wait()
        return value


class Lab:
    """The servers of all stories."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="oslo-")
        self.log = Path(self.folder.name) / "drivers.log"
        self.rabbit = story_rabbitmq(Path(self.folder.name) / "rabbitmq")
        self.rabbit.launch()
        self.rabbit.wait_ready()
        self.url = self.rabbit.url
        settings = Path(self.folder.name) / "oslo.conf"
        settings.write_text(SETTINGS)
        cfg.CONF(["--config-file", str(settings)])  # the library needs the global one
        self.transport = om.get_rpc_transport(cfg.CONF, url=self.url)
        self.notes = om.get_notification_transport(cfg.CONF, url=self.url)

    def serve(self):
        self.server = Driver("server", self.url, TOPIC)
        assert self.server.read() == "ready"

    def close(self):
        self.transport.cleanup()
        self.notes.cleanup()
        try:
            self.server.end()
        finally:
            self.rabbit.release()
            self.folder.cleanup()

    def amqp(self):
        """A plain connection, as kombu://; the URL's scheme is ours and oslo's."""
        return kombu.Connection(self.url.replace("rabbit://", "amqp://"))


lab = None


def setUpModule():
    global lab
    logging.disable(logging.CRITICAL)   # Python's servers log what the stories provoke
    lab = Lab()
    lab.serve()
    unittest.addModuleCleanup(lab.close)


def python_client(topic=TOPIC, timeout=10, **target):
    return om.RPCClient(lab.transport, om.Target(topic=topic, **target), timeout=timeout)


def counted():
    return python_client().call({}, "counted")


def wait_counted(want):
    wait_for(lambda: counted() == want, 10, f"{want} were counted")


class PythonAsks(unittest.TestCase):
    """Python's client, our server."""

    def refused(self, client, method, **args):
        """The class and the words; a builtin comes back as itself, with a traceback's line end."""
        with self.assertRaises((om.RemoteError, TypeError)) as caught:
            client.call({}, method, **args)
        error = caught.exception
        if isinstance(error, om.RemoteError):
            return error.exc_type, error.value
        return type(error).__name__, str(error).removesuffix("\n")

    def test_values_come_back_as_they_were(self):
        client = python_client()
        for value in VALUES:
            with self.subTest(value=value):
                self.assertEqual(client.call({}, "echo", value=value), value)
        self.assertEqual(client.call({}, "echo", value=VALUES), VALUES)

    def test_a_large_value_comes_back(self):
        value = "\u4e16" * 100_000 + "x" * 300_000
        self.assertEqual(python_client().call({}, "echo", value=value), value)

    def test_an_answer_that_is_too_large_is_refused_in_words(self):
        client = python_client()
        self.assertEqual(len(client.call({}, "large", bytes=MAX_BYTES // 2)), MAX_BYTES // 2)
        kind, words = self.refused(client, "large", bytes=MAX_BYTES)
        self.assertEqual(kind, "TooLarge")
        self.assertIn("request fewer objects", words)

    def test_each_error_has_its_class(self):
        for name, kind in CLASSES.items():
            with self.subTest(name=name):
                self.assertEqual(self.refused(python_client(), f"fail_{name}", text="\u4e16\"x"),
                                 (kind, "no: \u4e16\"x"))

    def test_unknown_methods(self):
        for method in "nosuch", "_private", "Echo":
            with self.subTest(method=method):
                self.assertEqual(self.refused(python_client(), method),
                                 ("NoSuchMethod",
                                  f"Endpoint does not support RPC method {method}"))

    def test_keywords(self):
        client = python_client()
        self.assertEqual(self.refused(client, "echo"),
                         ("TypeError", "echo() missing 1 required keyword argument: 'value'"))
        self.assertEqual(self.refused(client, "echo", value=1, bogus=2),
                         ("TypeError", "echo() got an unexpected keyword argument 'bogus'"))

    def test_versions_and_namespaces(self):
        self.assertEqual(python_client(version="1.2").call({}, "echo", value=1), 1)
        for target in {"version": "1.3"}, {"version": "2.0"}, {"namespace": "other"}:
            with self.subTest(target=target):
                version = target.get("version", "1.0")
                self.assertEqual(self.refused(python_client(**target), "echo", value=1),
                                 ("UnsupportedVersion", "Endpoint does not support RPC version "
                                  f"{version}. Attempted method: echo"))

    def test_ping(self):
        self.assertEqual(python_client().call({}, "oslo_rpc_server_ping"), "pong")

    def test_the_context_says_who_asks(self):
        context = {"request_id": "req-7", "project_id": "p", "user_id": "u", "is_admin": True}
        seen = python_client().call(context, "context")
        self.assertEqual(len(seen.pop("unique_id")), 32)
        self.assertEqual(seen, {"request_id": "req-7", "tenant": "p", "user": "u",
                                "is_admin": True, "all_tenants": False})
        seen = python_client().call({"is_admin": "true"}, "context")
        self.assertEqual((seen["tenant"], seen["is_admin"]), ("", False))

    def test_casts_and_fanouts_run_once(self):
        before = counted()
        python_client().cast({}, "count")
        wait_counted(before + 1)
        python_client().prepare(fanout=True).cast({}, "count")
        wait_counted(before + 2)

    def test_a_monitored_call_may_wait_for_its_turn(self):
        """It waits for 6 s behind others; without heartbeats Python gives up after 4."""
        client = om.RPCClient(lab.transport, om.Target(topic=TOPIC), timeout=20,
                              call_monitor_timeout=4)
        for _ in range(15):
            client.cast({}, "slow", ms=400)
        self.assertEqual(client.call({}, "echo", value=5), 5)

    def test_a_lost_race_is_run_again_at_once(self):
        self.assertEqual(python_client().call({}, "race", times=3), 4)
        self.assertEqual(self.refused(python_client(), "race", times=100)[0], "Busy")

    def test_a_race_that_took_long_to_lose_is_run_again_too(self):
        """As by a node of the database that hung until it was given up."""
        self.assertEqual(python_client().call({}, "race", times=1, ms=2500), 2)

    def test_a_busy_cast_comes_back_and_a_busy_call_is_answered(self):
        before = counted()
        self.assertEqual(self.refused(python_client(), "busy", times=100), ("Busy", "run 1"))
        python_client().cast({}, "busy", times=1)
        wait_counted(before + 1)

    def test_a_batch_has_an_answer_each(self):
        client = python_client(timeout=20)
        answers = {}

        def ask(key):
            try:
                answers[key] = client.call({}, "batch", key=key)
            except om.RemoteError as error:
                answers[key] = error.exc_type
        threads = [threading.Thread(target=ask, args=(key,)) for key in range(20)]
        # while this one sleeps, the others gather
        threads.append(threading.Thread(target=client.call, args=({}, "slow"),
                                        kwargs={"ms": 500}))
        for thread in reversed(threads):
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual({answers[key] for key in range(1, 20, 2)}, {"Duplicate"})
        self.assertGreater(max(answers[key] for key in range(0, 20, 2)), 1)


class Endpoint:
    """What Python answers."""

    def __init__(self):
        self.casts = []

    def echo(self, context, value):
        return value

    def who(self, context):
        return {key: context.get(key) for key in ("request_id", "is_admin")}

    def bad(self, context):
        raise ValueError("bad zone \u4e16")

    def slow(self, context):
        time.sleep(2)

    def note(self, context, value):
        self.casts.append(value)


class WeAsk(unittest.TestCase):
    """Our client, Python's server."""

    @classmethod
    def setUpClass(cls):
        cls.endpoint = Endpoint()
        cls.server = om.get_rpc_server(lab.transport, om.Target(topic=PEER, server="host1"),
                                       [cls.endpoint], executor="threading")
        cls.server.start()
        cls.addClassCleanup(cls.server.wait)
        cls.addClassCleanup(cls.server.stop)

    def call(self, method, args=None, topic=PEER, timeout_ms=10_000):
        return Driver.run("call", lab.url, topic, method, json.dumps(args or {}), timeout_ms)

    def test_values_come_back_as_they_were(self):
        self.assertEqual(self.call("echo", {"value": VALUES}),
                         {"err": "ok", "class": "", "why": "", "result": VALUES})
        self.assertEqual(self.call("who")["result"],
                         {"request_id": "req-driver", "is_admin": True})

    def test_an_exception_has_its_class_and_words(self):
        self.assertEqual(self.call("bad"), {"err": "remote", "class": "ValueError", "result": None,
                                            "why": "ValueError: bad zone \u4e16"})

    def test_an_unknown_method(self):
        answer = self.call("nosuch")
        self.assertEqual((answer["err"], answer["class"]), ("method", "NoSuchMethod"))
        self.assertEqual(answer["why"], "Endpoint does not support RPC method nosuch")

    def test_a_slow_one_times_out(self):
        began = time.monotonic()
        self.assertEqual(self.call("slow", timeout_ms=500)["err"], "timeout")
        self.assertLess(time.monotonic() - began, 1.8)

    def test_nobody_is_known_at_once(self):
        answer = self.call("echo", {"value": 1}, topic="nobody")
        self.assertEqual((answer["err"], answer["why"]),
                         ("unreachable", "no worker serves the topic nobody"))

    def test_our_own_errors_come_back_as_they_left(self):
        for name in CLASSES:
            want = "busy" if CLASSES[name] == "Busy" else name
            with self.subTest(name=name):
                answer = self.call(f"fail_{name}", {"text": "x"}, topic=TOPIC)
                self.assertEqual((answer["err"], answer["class"]), (want, CLASSES[name]))

    def test_casts(self):
        arrived = self.endpoint.casts
        self.assertEqual(Driver.run("cast", lab.url, PEER, "note", '{"value": "one"}'),
                         {"err": "ok"})
        wait_for(lambda: "one" in arrived, 10, "the cast arrives")
        self.assertEqual(Driver.run("fanout", lab.url, PEER, "note", '{"value": "all"}'),
                         {"err": "ok"})
        wait_for(lambda: "all" in arrived, 10, "the fanout arrives")
        self.assertEqual(Driver.run("cast", lab.url, "nobody", "note", "{}"),
                         {"err": "not_found"})


class Notifications(unittest.TestCase):

    def test_python_tells_us(self):
        listener = Driver("listen", lab.url, "zonefleet", 2)
        self.assertEqual(listener.read(), "ready")
        for driver in "messagingv2", "messaging":
            notifier = om.Notifier(lab.notes, "network.host1", driver=driver,
                                   topics=["notifications"])
            notifier.info({"request_id": "req-9"}, "port.create.end", {"port": {"id": driver}})
        for driver in "messagingv2", "messaging":
            self.assertEqual(listener.read(),
                             {"event_type": "port.create.end", "publisher_id": "network.host1",
                              "priority": "INFO", "payload": {"port": {"id": driver}}})
        listener.wait()

    def test_we_tell_python(self):
        class Listener:
            def __init__(self):
                self.heard = []

            def info(self, context, publisher_id, event_type, payload, metadata):
                self.heard.append((publisher_id, event_type, payload, metadata))

        endpoint = Listener()
        target = om.Target(topic="notifications", exchange="zonefleet")
        server = om.get_notification_listener(lab.notes, [target], [endpoint],
                                              executor="threading", pool="python")
        server.start()
        payload = {"name": "example.org.", "u": "\u4e16"}
        Driver("notify", lab.url, "dns.domain.create", json.dumps(payload)).wait()
        wait_for(lambda: endpoint.heard, 10, "the notification arrives")
        server.stop()
        server.wait()
        publisher_id, event_type, heard, metadata = endpoint.heard[0]
        self.assertEqual((event_type, heard), ("dns.domain.create", payload))
        self.assertTrue(publisher_id.startswith("zonefleet."))
        self.assertEqual(len(str(uuid.UUID(metadata["message_id"]))), 36)
        self.assertRegex(metadata["timestamp"], r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}$")


def wrapped(inner, version="2.0"):
    return json.dumps({"oslo.version": version, "oslo.message": json.dumps(inner)})


def bytes_of(body):
    return body.encode() if isinstance(body, str) else bytes(body)


def hostile_bodies():
    """Every one is nothing that can be run; each with a word of its reason."""
    request = {"method": "count", "args": {}}
    yield wrapped(request)[:40], "not JSON"
    yield "", "not JSON"
    yield "\0", "not JSON"
    yield b"\xff\xfe{}", "not JSON"
    yield "[]", "must be a JSON object"
    yield "[" * 10_000 + "]" * 10_000, "levels"
    yield '{"a":' * 10_000 + "1" + "}" * 10_000, "levels"
    deep = "[" * 9000 + "]" * 9000
    yield wrapped({**request, "args": {"by": None}}).replace("null", deep), "levels"
    yield '{"method": "count", "method": "count"}', "not JSON"
    yield wrapped(request)[:-1] + ', "oslo.version": "2.0"}', "not JSON"
    yield wrapped(request).replace("{}", "NaN"), "not JSON"
    yield wrapped(request).replace("{}", "1" * 400), "not JSON"
    for version in "2.1", "3.0", "", 2.0, None, [], {}:
        yield wrapped(request, version), "oslo.version"
    for message in None, 5, [], request:
        yield json.dumps({"oslo.version": "2.0", "oslo.message": message}), "oslo.message"
    for key in "method", "version", "namespace", "_unique_id", "_msg_id", "_reply_q":
        for value in 5, 1.5, True, [], {}, "x" * 300:
            yield wrapped({**request, key: value}), key
    for value in 5, "x", True, []:
        yield wrapped({**request, "args": value}), "args"
    yield wrapped({"args": {}}), "method"
    yield wrapped({**request, "method": None}), "method"
    yield wrapped({**request, "method": "nosuch"}), "does not support RPC method"
    yield wrapped({**request, "namespace": ""}), "does not support RPC version"
    yield wrapped({**request, "version": "1"}), "does not support RPC version"
    yield wrapped({**request, "args": {"x" * 2000: 1}}), "unexpected keyword"


class Raw(unittest.TestCase):
    """Bodies published raw."""

    def publish(self, body, **properties):
        properties = {"content_type": "application/json", **properties}
        message = self.channel.prepare_message(bytes_of(body), **properties)
        self.channel.basic_publish(message, "", TOPIC)

    def dead(self, count):
        """So many dead letters, with their reasons."""
        letters = []

        def fetch():
            letter = self.channel.basic_get(f"{TOPIC}.dead", no_ack=True)
            if letter:
                letters.append((letter.body, letter.headers["x-zonefleet-reason"]))
            return len(letters) == count
        if count:
            wait_for(fetch, 20, f"{count} dead letters", [lab.log])
        self.assertIsNone(self.channel.basic_get(f"{TOPIC}.dead", no_ack=True))
        return letters

    def setUp(self):
        connection = lab.amqp()
        self.addCleanup(connection.release)
        self.channel = connection.channel()
        self.channel.queue_purge(f"{TOPIC}.dead")
        self.before = counted()


class Hostile(Raw):
    """Casts that nobody can read: nothing dies, and all of them are in the dead letters."""

    def test_bodies(self):
        sent = list(hostile_bodies())
        for body, _ in sent:
            self.publish(body)
        self.assertEqual(python_client().call({}, "echo", value="alive"), "alive")
        letters = self.dead(len(sent))
        for (body, word), (copy, reason) in zip(sent, letters):
            with self.subTest(body=body[:200]):
                self.assertIn(word, reason)
                self.assertEqual(bytes_of(copy), bytes_of(body))
        self.assertEqual(counted(), self.before)

    def test_what_is_no_json_or_too_large(self):
        good = wrapped({"method": "count", "args": {}})
        self.publish(good, content_type="text/plain")
        self.publish(good, content_type="application/json; charset=utf-8")
        self.publish(good, headers={"compression": "application/x-gzip"})
        self.publish(wrapped({"method": "count", "args": {"by": "x" * MAX_BYTES}}))
        self.assertEqual(python_client().call({}, "echo", value="alive"), "alive")
        reasons = [reason for _, reason in self.dead(4)]
        for reason in reasons[:3]:
            self.assertIn("must have the content type application/json", reason)
        self.assertIn("accepts at most", reasons[3])
        self.assertEqual(counted(), self.before)

    def test_a_flood_is_logged_once_a_second(self):
        def logged():
            return lab.log.read_text().count("message refused: ")
        before, began = logged(), time.monotonic()
        for _ in range(30):
            self.publish(wrapped({"method": "count", "args": {}}), content_type="text/plain")
        self.dead(30)
        self.assertLessEqual(logged() - before, time.monotonic() - began + 1)

    def test_a_flood_of_failures_is_logged_in_part(self):
        pattern = r'info: request finished: .*err=invalid .*unlogged=(\d+) reason="no: flood"'

        def logged():
            return [int(number) for number in re.findall(pattern, lab.log.read_text())]

        def fail():
            self.publish(wrapped({"method": "fail_invalid", "args": {"text": "flood"}}))
        began = time.monotonic()
        for _ in range(400):
            fail()
        self.dead(400)
        self.assertLessEqual(len(logged()), 20 * (time.monotonic() - began) + 1)

        def is_complete():
            fail()
            return sum(logged()) + len(logged()) >= 400
        wait_for(is_complete, 5, "the lines count those that have none", [lab.log])

    def test_unusual_but_good(self):
        """What Python's receivers take, too: a bare message, odd timeouts, unknown keys."""
        for extra in {}, {"args": None}, {"version": None, "namespace": None}, {"bogus": [1]}, \
                {"_timeout": "30"}, {"_timeout": {}}, {"_msg_id": "m"}, {"_reply_q": "q"}:
            self.publish(json.dumps({"method": "count", "args": {}, **extra}))
        wait_counted(self.before + 8)

    def test_the_same_message_twice_runs_once(self):
        body = wrapped({"method": "count", "args": {}, "_unique_id": uuid.uuid4().hex})
        for _ in range(5):
            self.publish(body)
        self.publish(wrapped({"method": "the end", "args": {}}))
        self.dead(1)    # it stood behind the others
        self.assertEqual(counted(), self.before + 1)

    def test_what_failed_may_be_sent_again(self):
        """From the dead letters by hand, when its cause is gone: that is no duplicate."""
        body = wrapped({"method": "fail_invalid", "args": {"text": "x"},
                        "_unique_id": uuid.uuid4().hex})
        for _ in range(2):
            self.publish(body)
            self.assertEqual(self.dead(1)[0][1], "no: x")

    def test_a_reply_queue_that_is_gone(self):
        self.publish(wrapped({"method": "count", "args": {}, "_msg_id": "m",
                              "_reply_q": NO_QUEUE, "_timeout": 2}))
        wait_counted(self.before + 1)


class Calls(Raw):
    """Calls, published raw."""

    def setUp(self):
        super().setUp()
        self.answers = {}

    def listen(self, name=None):
        """The name of a reply queue."""
        return self.channel.queue_declare(name or f"reply_{uuid.uuid4().hex}",
                                          exclusive=True).queue

    def call(self, queue, change=lambda body: body, envelope="2.0", properties=None, **more):
        """Publishes a call that is changed; returns the id of its answer."""
        known_by = uuid.uuid4().hex
        inner = {"method": "count", "args": {}, "_msg_id": known_by, "_reply_q": queue, **more}
        self.publish(change(wrapped(inner, envelope)), **(properties or {}))
        return known_by

    def answer(self, queue, known_by):
        """(class, words) of the refusal; None: the call was done."""
        def fetch():
            while got := self.channel.basic_get(queue, no_ack=True):
                reply = json.loads(json.loads(got.body)["oslo.message"])
                self.assertTrue(reply["ending"])
                self.assertNotIn(reply["_msg_id"], self.answers)
                self.answers[reply["_msg_id"]] = reply["failure"] and json.loads(reply["failure"])
            return known_by in self.answers
        wait_for(fetch, 10, "it is answered", [lab.log])
        failure = self.answers[known_by]
        return failure and (failure["class"], failure["message"])

    @staticmethod
    def instead_of_arguments(text):
        return lambda body: body.replace(r'\"args\": {}', text.replace('"', r'\"'))


class Callers(Calls):
    """Calls that are refused before they are read as requests: the caller is told at once."""

    def changes(self):
        """What is done to a call, and a word of the refusal. Each could be read by nobody."""
        args = self.instead_of_arguments
        yield {"change": args('"args": {}, "args": {}')}, "not JSON"
        yield {"change": args('"args": {"by": 1, "by": 2}')}, "not JSON"
        yield {"change": args('"args": {"by": 1e999}')}, "not JSON"
        yield {"change": args('"args": {"by": NaN}')}, "not JSON"
        yield {"change": args('"args": {"by": ' + "9" * 400 + '}')}, "not JSON"
        yield {"change": args('"args": {"by": "\\\\u0000"}')}, "not JSON"
        yield {"change": args('"args": {"by": "\\\\ud800"}')}, "not JSON"
        for depth in 40, 9000:
            yield {"change": args('"args": ' + "[" * depth + "]" * depth)}, "levels"
            yield {"change": args('"args": ' + '{"a": ' * depth + "1" + "}" * depth)}, "levels"
        yield {"change": lambda body: body[:-1] + ', "x": 1, "x": 2}'}, "not JSON"
        for version in "2.1", "3.0", "", 2.0, None, [], {}:
            yield {"envelope": version}, "oslo.version"
        for value in 5, "x", True, []:
            yield {"args": value}, "args"
        for value in 5, True, [], {}, "short", "x" * 300:
            yield {"_unique_id": value}, "_unique_id"
        for key in "version", "namespace":
            for value in 5, 1.5, True, [], {}, "x" * 300:
                yield {key: value}, key
        for value in None, 5, [], {}, "x" * 300:
            yield {"method": value}, "method"
        for kind in "text/plain", "application/json; charset=utf-8", "":
            yield {"properties": {"content_type": kind}}, "application/json"
        gzip = {"compression": "application/x-gzip"}
        yield {"properties": {"headers": gzip}}, "and no compression"
        yield {"args": {"by": "x" * MAX_BYTES}}, "accepts at most"
        yield {"args": {"by": "x" * (3 * MAX_BYTES // 2)}}, "accepts at most"

    def test_they_are_told(self):
        queue = self.listen()
        sent = {}
        for how, word in self.changes():
            sent[self.call(queue, **how)] = how, word
        for known_by, (how, word) in sent.items():
            with self.subTest(how=str(how)[:200]):
                kind, words = self.answer(queue, known_by)
                self.assertEqual(kind, "TooLarge" if word == "accepts at most" else "Invalid")
                self.assertIn(word, words)
        self.assertEqual(counted(), self.before)
        self.dead(0)

    def test_python_is_told(self):
        """By oslo.messaging itself, long before its time is up."""
        for value in "x" * MAX_BYTES, float("nan"), 10**400:
            with self.assertRaises(om.RemoteError) as caught:
                python_client(timeout=60).call({}, "echo", value=value)
            self.assertIn(caught.exception.exc_type, ("Invalid", "TooLarge"))
        self.dead(0)

    def test_who_cannot_be_read_is_buried(self):
        """A caller is named once, in a whole body."""
        queue = self.listen()
        twice = self.instead_of_arguments(f'"args": [], "_reply_q": "{queue}"')
        self.call(queue, change=twice)
        self.call(queue, change=lambda body: body[:-2])
        self.call(queue, change=lambda body: body + "x")
        self.call(queue, change=lambda body: body[:-1] + ', "oslo.version": "2.0"}')
        self.dead(4)
        self.assertEqual(self.answer(queue, self.call(queue)), None)
        self.assertEqual(len(self.answers), 1)

    def test_the_same_id_again(self):
        """Each caller has an answer of its own, though a call has its id from another one."""
        queue, one = self.listen(), uuid.uuid4().hex
        sent = [self.call(queue, _unique_id=one) for _ in range(3)]
        self.assertEqual([self.answer(queue, known_by) for known_by in sent], [None] * 3)

    def test_a_long_call_again(self):
        """The id that tells the answers apart stands behind the long arguments."""
        queue, one = self.listen(), uuid.uuid4().hex
        sent = [uuid.uuid4().hex for _ in range(3)]
        for known_by in sent:
            self.publish(wrapped({"method": "echo", "args": {"value": "x" * 10_000},
                                  "_reply_q": queue, "_unique_id": one, "_msg_id": known_by}))
        for known_by in sent:
            self.assertEqual(self.answer(queue, known_by), None)


class Replies(unittest.TestCase):
    """What comes to the reply queue of our client, published raw."""

    def test_many_that_are_none(self):
        """The client logs one line a second at most, and takes the reply that is one."""
        count, topic = 400, f"peer_{uuid.uuid4().hex}"
        connection = lab.amqp()
        self.addCleanup(connection.release)
        channel = connection.channel()
        queue = channel.queue_declare(topic, exclusive=True).queue
        channel.queue_bind(queue, "zonefleet", topic)
        began = time.monotonic()
        driver = Driver("call", lab.url, topic, "echo", "{}", 20_000)
        got = []
        wait_for(lambda: got.append(channel.basic_get(queue, no_ack=True)) or got[-1], 10,
                 "the call arrives", [lab.log])
        call = json.loads(json.loads(got[-1].body)["oslo.message"])

        def reply(body):
            channel.basic_publish(channel.prepare_message(
                bytes_of(body), content_type="application/json"), "", call["_reply_q"])
        for _ in range(count):
            reply("[]")
        reply(wrapped({"_msg_id": call["_msg_id"], "result": 5, "failure": None,
                       "ending": True}))
        self.assertEqual(driver.read()["result"], 5)
        driver.wait()
        lines = re.findall("invalid answer dropped: .*", lab.log.read_text())
        self.assertGreater(len(lines), 0)
        self.assertLessEqual(len(lines), time.monotonic() - began + 1)


class ReplyQueues(Calls):
    """An answer goes to a reply queue, and never to a queue that is none."""

    def assert_not_answered(self, queue):
        """The call is not done either."""
        for change in (lambda body: body, self.instead_of_arguments('"args": []')):
            self.call(queue, change=change)
        for _, reason in self.dead(2):
            self.assertRegex(reason, "_reply_q|args")
        self.assertEqual(counted(), self.before)
        self.assertRegex(lab.log.read_text(),
                         r'message refused: topic=fleet method="" account="\w*" '
                         'reason=invalid answered=false ')

    def test_a_queue_of_others(self):
        for name in "innocent", "pool_manager.innocent", "reply_innocent", "reply_1":
            self.channel.queue_declare(name, exclusive=True)
            self.assert_not_answered(name)
            self.assertIsNone(self.channel.basic_get(name, no_ack=True))

    def test_no_queue(self):
        for name in TOPIC, f"{TOPIC}.dead", "", "reply_":
            self.assert_not_answered(name)

    def test_the_name_of_no_queue_is_logged_escaped(self):
        """In one line a second."""
        def is_logged():
            self.assert_not_answered('x" err="ok')
            return re.search(r"""unlogged=[1-9].* not 'x\\" err=\\"ok'""", lab.log.read_text())
        wait_for(is_logged, 5, "the log has the name, and counts the lines that it left out")

    def test_a_queue_that_is_kept(self):
        """As oslo.messaging calls them with use_queue_manager."""
        queue = self.listen(f"reply_node-1.example.org:svc:{os.getpid()}")
        self.assertEqual(self.answer(queue, self.call(queue)), None)
        self.assertEqual(self.answer(queue, self.call(queue, args=[]))[0], "Invalid")


class Limited(unittest.TestCase):
    """A call has its caller's time limit; it may have to wait for a row that another holds."""

    HELD_MAX = 50   # of a prefetch of 100

    def setUp(self):
        self.client = python_client()
        self.client.call({}, "touched")
        self.addCleanup(self.client.call, {}, "hold", held=False)

    def hold(self, held=True):
        self.client.call({}, "hold", held=held)

    def touched(self):
        return self.client.call({}, "touched")["values"]

    def cast(self, count, key="row"):
        for value in range(count):
            self.client.cast({}, "touch", key=key, value=value)

    def pause(self):
        os.kill(lab.server.process.pid, signal.SIGSTOP)
        self.addCleanup(os.kill, lab.server.process.pid, signal.SIGCONT)

    def test_who_waits_for_a_row_holds_up_nobody_else(self):
        self.hold()
        self.cast(20)
        for value in range(100, 200):
            self.client.call({}, "touch", key="other", value=value)
        touched = self.client.call({}, "touched")
        self.assertEqual(touched["values"], list(range(100, 200)))
        # one of them tries for all
        self.assertLess(touched["tries"], 100 + 20 + 2 * 100)

    def test_those_of_one_row_keep_their_order(self):
        self.hold()
        self.cast(20)
        self.hold(False)
        values = []
        wait_for(lambda: values.extend(self.touched()) or len(values) == 20, 20, "all are done",
                 [lab.log])
        self.assertEqual(values, list(range(20)))

    def test_few_wait_for_rows(self):
        """After three seconds, one more than half of what the broker hands out is told so at once."""
        self.hold()
        self.cast(self.HELD_MAX)

        def is_refused():
            with self.assertRaises(om.RemoteError) as caught:
                python_client(timeout=1).call({}, "touch", key="row", value="too many")
            self.assertEqual(caught.exception.exc_type, "Busy")
            return "too many requests are waiting" in caught.exception.value
        wait_for(is_refused, 10, "too many wait", [lab.log])
        self.hold(False)
        values = []
        wait_for(lambda: values.extend(self.touched()) or len(values) == self.HELD_MAX, 20,
                 "all are done", [lab.log])

    def test_a_row_is_not_waited_for_longer_than_the_caller_waits(self):
        self.hold()
        with self.assertRaises(om.RemoteError) as caught:
            # two seconds: the answer then has the most time to come before their end
            python_client(timeout=2).call({}, "touch", key="row", value="late")
        self.assertEqual(caught.exception.exc_type, "Busy")
        self.assertIn("time limit", caught.exception.value)
        self.hold(False)
        self.assertEqual(self.touched(), [])

    def test_a_process_that_was_stopped_leaves_what_is_late(self):
        """By oslo.messaging, which tells no more than how long it waits, and by ourselves."""
        self.pause()
        with self.assertRaises(om.MessagingTimeout):
            python_client(timeout=1).call({}, "touch", key="a", value="python's")
        self.assertEqual(Driver.run("call", lab.url, TOPIC, "touch",
                                    '{"key": "b", "value": "ours"}', 500)["err"], "timeout")
        os.kill(lab.server.process.pid, signal.SIGCONT)
        self.assertEqual(self.touched(), [])

    def test_the_time_in_the_queue_counts_if_the_caller_tells_it(self):
        now = int(time.time() * 1000)
        limits = {"in time": (3000, now + 2900), "too late": (3000, now + 300),
                  "wrong clock": (3000, now - 3600_000), "far ahead": (3000, now + 3600_000),
                  "in time by its context": (3000, now + 2900),
                  "too late by its context": (3000, now + 300),
                  "no limit": (None, None)}
        with lab.amqp() as connection:
            channel = connection.channel()
            for value, (limit, end) in limits.items():
                request = {"method": "touch", "args": {"key": "row", "value": value},
                           "_msg_id": uuid.uuid4().hex, "_reply_q": NO_QUEUE}
                if "context" in value:      # all that a client of oslo.messaging can send
                    request["_context_limit_unix_ms"], end = end, None
                body = wrapped(request)
                properties = {} if limit is None else {"expiration": str(limit)}
                message = channel.prepare_message(
                    body, content_type="application/json", content_encoding="utf-8",
                    properties=properties,
                    headers={} if end is None else {"x-zonefleet-limit": end})
                channel.basic_publish(message, "", TOPIC)
        values = []
        wait_for(lambda: values.extend(self.touched()) or "no limit" in values, 20,
                 "the last one is done", [lab.log])
        self.assertEqual(values, ["in time", "wrong clock", "far ahead",
                                  "in time by its context", "no limit"])


class LostConnections(unittest.TestCase):

    def test_a_call_outlives_its_connections(self):
        """The reply queue goes with them; the call is asked again, with a new one."""
        driver = Driver("call", lab.url, TOPIC, "slow", '{"ms": 1500}', 30_000)
        wait_for(lambda: any(name.startswith("reply_")
                             for name, in lab.rabbit.listed("queues", "name")),
                 10, "the call is out")
        lab.rabbit.close_connections()
        self.assertEqual(driver.read()["err"], "ok")
        driver.wait()
        self.assertEqual(python_client(timeout=20).call({}, "echo", value="alive"), "alive")


if __name__ == "__main__":
    unittest.main()

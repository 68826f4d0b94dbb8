"""The broker module against a private RabbitMQ that restarts, falls silent and is told lies.

broker_driver.c is the module at the end of a pipe; kombu plays everyone else.
"""

import json
import os
import string
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import amqp
import kombu

REPO = Path(__file__).resolve().parents[2]
DRIVER = REPO / os.environ.get("BUILD", "build") / "drivers" / "broker_driver"
sys.path.insert(0, str(REPO / "deploy"))
sys.path.insert(0, str(REPO / "tests" / "support"))
from lab.process import LabError, run, wait_for     # noqa: E402
from lab.rabbitmq import RabbitMq           # noqa: E402
from lent import story_rabbitmq             # noqa: E402

EXCHANGE = "zonefleet"
PREFETCH = 200
LATE_MS = 1000          # a loop that waits for the broker is late by ten seconds or more
NOTICED_SECONDS = 10    # what is missing is noticed; what was forbidden is allowed again
MAX_MESSAGE_BYTES = 1 << 20     # in broker_driver.c


class Driver:
    """A running broker_driver."""

    def __init__(self, url, **settings):
        env = {f"BROKER_{key.upper()}": str(value) for key, value in settings.items()}
        self.process = subprocess.Popen([DRIVER], env=os.environ | env | {"BROKER_URL": url},
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def say(self, *words):
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        self.process.stdin.flush()

    def stats(self):
        self.say("stats")
        return json.loads(self.process.stdout.readline())

    def until(self, condition, what, seconds=60):
        """The first counters of which condition() is true."""
        last = {}

        def ask():
            last.update(self.stats())
            return last if condition(last) else None
        try:
            return wait_for(ask, seconds, what)
        except Exception as error:
            raise AssertionError(f"{error}: {last}") from None

    def publish(self, key, count=1, size=1024, exchange=EXCHANGE, flags="mp", deadline_ms=0):
        self.say("publish", exchange, key, count, size, flags, deadline_ms)

    def open(self, kind=None, name="-", prefetch=PREFETCH, source=""):
        if kind:
            self.say("open-in", kind, name, prefetch, source)
        else:
            self.say("open-out")
        side = "in_up" if kind else "out_up"
        return self.until(lambda stats: stats[side], f"the driver is connected: {side}")

    def end(self):
        self.say("quit")
        with self.process.stdin, self.process.stdout:
            return self.process.wait(20)


class Story(unittest.TestCase):
    """One broker for all stories; a driver each."""

    settings = ()

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="broker-")
        cls.rabbit = story_rabbitmq(Path(cls.folder.name) / "rabbitmq", cls.settings)
        cls.rabbit.launch()
        cls.rabbit.wait_ready()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.addClassCleanup(cls.rabbit.release)

    def driver(self, **settings):
        driver = Driver(self.rabbit.url, **settings)
        self.addCleanup(lambda: self.assertEqual(driver.end(), 0))
        return driver

    def channel(self):
        """Somebody else's connection."""
        rabbit = self.rabbit
        peer = kombu.Connection(hostname=rabbit.host, port=rabbit.port, userid=rabbit.user,
                                password=rabbit.password, virtual_host=rabbit.vhost)
        self.addCleanup(peer.release)
        return peer.channel()

    def count(self, queue):
        return self.channel().queue_declare(queue, passive=True).message_count

    def send(self, queue, body, **properties):
        """A message from somebody who does not do as we do."""
        properties = {"content_type": "application/json", "delivery_mode": 2} | properties
        self.channel().basic_publish(amqp.Message(body, **properties), exchange="",
                                     routing_key=queue)


class Stream(Story):
    def test_every_message_is_confirmed_and_delivered_once(self):
        driver = self.driver()
        driver.open()
        driver.open("work", "stream")
        driver.publish("stream", 20000)
        stats = driver.until(lambda s: s["distinct"] == 20000 and s.get("ok") == 20000,
                             "20 000 messages came through")
        print(f"{20000 * 1000 // stats['publish_ms']} confirmed publishes/s, consumed beside",
              file=sys.stderr)
        self.assertEqual(stats["delivered"], 20000)
        self.assertEqual(stats["unconfirmed"], 0)
        wait_for(lambda: self.count("stream") == 0, 10, "all of them are acknowledged")

    def test_a_large_message_spans_many_frames(self):
        driver = self.driver()
        driver.open()
        driver.open("work", "large")
        driver.publish("large", 5, MAX_MESSAGE_BYTES)
        stats = driver.until(lambda s: s["distinct"] == 5, "five large messages")
        self.assertEqual((stats["largest"], stats["not_json"]), (MAX_MESSAGE_BYTES, 0))

    def test_nothing_is_lost_when_the_broker_is_killed(self):
        driver = self.driver()
        driver.open("work", "killed")
        driver.say("do hold")
        driver.open()
        driver.publish("killed", 20000)
        driver.until(lambda s: s.get("ok", 0) > 2000, "a part of them is confirmed")
        self.rabbit.kill9()
        driver.until(lambda s: not s["out_up"] and not s["in_up"], "the loss was noticed")
        self.rabbit.restart()
        driver.until(lambda s: s.get("ok") == 20000, "all of them are confirmed", 180)
        driver.say("close-in")
        reader = self.driver()
        reader.open("work", "killed")
        reader.until(lambda s: s["distinct"] == 20000, "none of them is lost", 180)

    def test_a_silent_broker_does_not_hold_up_the_loop(self):
        driver = self.driver()
        driver.open("work", "silent")
        driver.open()
        self.addCleanup(self.rabbit.resume)
        self.rabbit.pause()
        driver.publish("silent", 40, MAX_MESSAGE_BYTES // 2, deadline_ms=120000)
        stats = driver.until(lambda s: not s["out_up"] and not s["in_up"], "silence was noticed")
        self.assertLess(stats["late_ms"], LATE_MS)
        time.sleep(8)           # through at least one attempt to connect to it
        self.rabbit.resume()
        stats = driver.until(lambda s: s["distinct"] == 40 and s.get("ok") == 40, "it went on",
                             60)
        self.assertLess(stats["late_ms"], LATE_MS)

    def test_an_alarm_holds_publishers_and_not_consumers(self):
        driver = self.driver()
        driver.open("work", "alarm")
        driver.open()
        driver.say("do hold")
        driver.publish("alarm", 150)
        driver.until(lambda s: s["delivered"] == 150, "messages are in hand")
        self.addCleanup(self.rabbit.ctl, "set_vm_memory_high_watermark", "absolute", "1GB")
        self.rabbit.ctl("set_vm_memory_high_watermark", "0.0000001")
        self.publish_until_held(driver)
        driver.publish("alarm", 100, deadline_ms=60000)
        stats = driver.until(lambda s: s["unconfirmed"] >= 100, "messages wait")
        self.assertEqual((stats["in_up"], stats["out_up"], stats["downs"]), (1, 1, 0))
        self.assertLess(stats["late_ms"], LATE_MS)
        self.rabbit.ctl("set_vm_memory_high_watermark", "absolute", "1GB")
        driver.until(lambda s: s["unconfirmed"] == 0, "they are confirmed")

    def publish_until_held(self, driver):
        """The broker raises the alarm some time after the command."""
        for _ in range(60):
            driver.publish("alarm", 10, deadline_ms=500)
            stats = driver.until(lambda s: s["unconfirmed"] == 0, "each has its outcome")
            if stats.get("unreachable", 0):
                return
        self.fail("no message passes its deadline")

    def test_a_consumer_whose_queue_is_deleted_declares_it_again(self):
        driver = self.driver()
        driver.open("work", "deleted")
        driver.open()
        self.channel().queue_delete("deleted")
        driver.until(lambda s: s["downs"] == 1 and s["in_up"], "it is back")
        driver.publish("deleted")
        driver.until(lambda s: s["delivered"] == 1, "and consumes")


class Publishing(Story):
    def test_a_command_works_beside_files_of_any_name(self):
        """RabbitMQ's scripts expand what they are given as patterns of file names."""
        here = os.getcwd()
        self.addCleanup(os.chdir, here)
        os.chdir(self.folder.name)
        for name in string.printable.translate({ord(char): None for char in "./"}):
            Path(name).touch()
        self.assertEqual(self.rabbit.ctl("list_vhosts", "--no-table-headers").split(),
                         [self.rabbit.vhost])

    def test_a_folder_that_a_shell_would_expand_is_refused(self):
        for name in "two words", "a[b]", "star*", "$HOME", "it's":
            with self.subTest(name), self.assertRaisesRegex(LabError, "quote"):
                RabbitMq(Path(self.folder.name) / name)

    def test_a_message_no_queue_takes_is_not_found(self):
        driver = self.driver()
        driver.open()
        driver.publish("nobody", 100)
        stats = driver.until(lambda s: s["unconfirmed"] == 0, "all are settled")
        self.assertEqual((stats.get("not_found"), stats.get("ok")), (100, None))

    def test_a_message_waits_for_its_queue(self):
        driver = self.driver()
        driver.open()
        driver.publish("later", 3, flags="mpw")
        driver.publish("never")
        driver.until(lambda s: s.get("not_found") == 1, "one that does not wait came back")
        driver.open("work", "later")
        stats = driver.until(lambda s: s["distinct"] == 3 and s.get("ok") == 3, "three came")
        self.assertEqual((stats["delivered"], stats["not_found"]), (3, 1))

    def test_a_message_does_not_wait_for_ever(self):
        driver = self.driver()
        driver.open()
        driver.publish("never", 2, flags="mpw", deadline_ms=2000)
        driver.until(lambda s: s.get("not_found") == 2, "both came back", 10)

    def test_one_bad_message_does_not_hold_up_the_others(self):
        driver = self.driver()
        driver.open("work", "innocent")
        driver.open()
        driver.publish("innocent", 500)
        driver.publish("innocent", 1, exchange="no-such-exchange")
        driver.publish("innocent", 500)
        stats = driver.until(lambda s: s["unconfirmed"] == 0 and s["published"] == 1001,
                             "all are settled")
        self.assertEqual((stats.get("not_found"), stats.get("ok")), (1, 1000))

    def test_a_message_too_large_for_the_broker_is_an_error(self):
        driver = self.driver(max_bytes=8 << 20)
        driver.open("work", "limited")
        driver.open()
        driver.publish("limited", 5)
        driver.publish("limited", 1, 3 << 20)   # the lab's limit is 2 MiB
        driver.publish("limited", 5)
        stats = driver.until(lambda s: s["unconfirmed"] == 0 and s["published"] == 11,
                             "all are settled")
        self.assertEqual((stats.get("internal"), stats.get("ok")), (1, 10))

    def test_a_full_outbox_is_busy_and_drains(self):
        driver = self.driver()
        driver.say("open-out")
        driver.publish("nobody", 30000, 64, flags="-")
        stats = driver.until(lambda s: s.get("ok") == 30000, "all are confirmed")
        self.assertEqual(stats["unconfirmed"], 0)

    def test_fanout_survives_its_exchange(self):
        driver = self.driver()
        driver.open()
        driver.publish("news", exchange="news_fanout", flags="f")
        driver.until(lambda s: s.get("ok") == 1, "nobody listens, and that is no error")
        for round_ in range(1, 3):
            driver.open("fanout", "news")
            driver.publish("news", exchange="news_fanout", flags="f")
            driver.until(lambda s: s["delivered"] == round_, "a fanout message")
            driver.say("close-in")      # the exchange goes with its last queue
        driver.publish("news", exchange="news_fanout", flags="f")
        driver.until(lambda s: s.get("ok") == 4, "the exchange was declared again")

    def test_a_fanout_exchange_of_others_is_used_as_it_is(self):
        self.channel().exchange_declare("theirs_fanout", "fanout", durable=True,
                                        auto_delete=False)
        driver = self.driver()
        driver.open()
        driver.publish("theirs", 3, exchange="theirs_fanout", flags="f")
        driver.until(lambda s: s.get("ok") == 3, "it was published all the same")


class Consuming(Story):
    def test_what_is_there_already_and_differs_is_used(self):
        channel = self.channel()
        channel.queue_declare("theirs", durable=True, auto_delete=False,
                              arguments={"x-max-length": 5000})
        driver = self.driver()
        driver.open()
        driver.open("work", "theirs")
        driver.publish("theirs")
        driver.until(lambda s: s["delivered"] == 1, "it is consumed")

    def test_oslo_can_declare_our_queues(self):
        for quorum, arguments in ((0, {}), (1, {"x-queue-type": "quorum"})):
            name = f"shared{quorum}"
            driver = self.driver(quorum=quorum)
            driver.open()
            driver.open("work", name)
            channel = self.channel()
            channel.exchange_declare(EXCHANGE, "topic", durable=True, auto_delete=False)
            channel.queue_declare(name, durable=True, auto_delete=False, arguments=arguments)
            driver.say("do retry")
            driver.publish(name)
            driver.until(lambda s: s["attempts"] == 1, "it came back")
            driver.say("do ack")
            driver.until(lambda s: s["attempts"] == 2, "and again")

    def test_a_retried_message_comes_back_counted(self):
        driver = self.driver()
        driver.open()
        driver.open("work", "retried")
        driver.say("do retry")
        driver.publish("retried")
        driver.until(lambda s: s["attempts"] == 1, "once")
        driver.say("do bury")
        driver.until(lambda s: s["attempts"] == 2, "twice")
        wait_for(lambda: self.count("retried.dead") == 1, 10, "it is buried")
        self.assertEqual(self.count("retried"), 0)
        dead = self.channel().basic_get("retried.dead", no_ack=True)
        headers = dead.properties["application_headers"]
        self.assertEqual(headers["x-zonefleet-attempts"], 2)
        self.assertEqual(headers["x-zonefleet-reason"], "told to")
        self.assertEqual(headers["x-zonefleet-queue"], "retried")
        self.assertLess(abs(time.time() - headers["x-zonefleet-time"].timestamp()), 86400)

    def test_a_retried_message_keeps_its_sender(self):
        """Its account at the broker: not that of the program that put it into the delay queue."""
        sender = f"sender-{os.getpid()}"
        self.rabbit.add_account(sender, "pass")
        self.addCleanup(self.rabbit.delete_account, sender)
        driver = self.driver(want_user=sender)
        driver.open()
        driver.open("work", "kept")
        driver.say("do retry")
        peer = kombu.Connection(hostname=self.rabbit.host, port=self.rabbit.port, userid=sender,
                                password="pass", virtual_host=self.rabbit.vhost)
        self.addCleanup(peer.release)
        peer.channel().basic_publish(amqp.Message(b"1", content_type="application/json",
                                                  user_id=sender), routing_key="kept")
        driver.until(lambda s: s["attempts"] == 1, "it came back")
        driver.say("do bury")
        seen = driver.until(lambda s: s["attempts"] == 2, "and again")
        self.assertEqual((seen["delivered"], seen["users_seen"]), (3, 3))
        # a header alone, from somebody else, says nothing of a sender
        self.send("kept", b"2", user_id=None,
                  application_headers={"x-zonefleet-user": sender})
        seen = driver.until(lambda s: s["delivered"] == 4, "one without a sender")
        self.assertEqual(seen["users_seen"], 3)

    def test_a_retried_message_without_a_sender_has_none(self):
        """Not the program that put it into the delay queue."""
        driver = self.driver(want_user=self.rabbit.user)
        driver.open()
        driver.open("work", "anonymous")
        driver.say("do retry")
        self.send("anonymous", b"1", user_id=None)
        seen = driver.until(lambda s: s["attempts"] == 1, "it came back")
        self.assertEqual((seen["delivered"], seen["users_seen"]), (2, 0))

    def test_our_messages_name_their_sender(self):
        driver = self.driver(want_user=self.rabbit.user)
        driver.open()
        driver.open("work", "named")
        driver.publish("named", 3)
        seen = driver.until(lambda s: s["delivered"] == 3, "they are delivered")
        self.assertEqual(seen["users_seen"], 3)

    def test_a_retry_queue_that_was_deleted_is_declared_again(self):
        driver = self.driver()
        driver.open()
        driver.open("work", "careless")
        self.channel().queue_delete("careless.retry.1000")
        driver.say("do retry")
        driver.publish("careless")
        driver.until(lambda s: s["attempts"] == 1, "it was retried in the end")
        driver.say("do ack")

    def test_a_rejected_message_is_gone(self):
        driver = self.driver()
        driver.open()
        driver.open("work", "rejected")
        driver.say("do reject")
        driver.publish("rejected", 10)
        driver.until(lambda s: s["delivered"] == 10, "ten came")
        driver.say("close-in")
        wait_for(lambda: self.count("rejected") == 0, 10, "and none is left")

    def test_a_paused_consumer_settles_what_is_in_hand(self):
        driver = self.driver()
        driver.open()
        driver.open("work", "paused", 10)
        driver.say("do hold")
        driver.publish("paused", 30)
        driver.until(lambda s: s["delivered"] == 10 and s.get("ok") == 30, "ten are in hand")
        driver.say("pause")
        driver.say("close-in")
        driver.until(lambda s: not s["in_up"], "closed")
        wait_for(lambda: self.count("paused") == 30, 10, "all of them are back")

    def test_what_is_no_json_of_ours_is_marked(self):
        driver = self.driver()
        driver.open("work", "odd")
        zlib_headers = {"compression": "application/x-gzip"}
        self.send("odd", b"1 json")
        for number, properties in enumerate((
                {"content_type": "text/plain"},
                {"content_type": "application/json; charset=utf-8"},
                {"application_headers": zlib_headers})):
            self.send("odd", b"2 odd", **properties)
            stats = driver.until(lambda s: s["not_json"] == number + 1, f"{properties}")
        self.send("odd", b"3" * (MAX_MESSAGE_BYTES + 1))
        self.send("odd", b"")
        stats = driver.until(lambda s: s["delivered"] == 6, "all of them came")
        self.assertEqual((stats["not_json"], stats["largest"], stats["downs"]), (4, 6, 0))

    def test_dead_letters_are_bounded(self):
        """Who declares the queue with other arguments is refused."""
        self.driver().open("work", "bounded")
        bounds = {"x-max-length": 100_000, "x-max-length-bytes": 512 << 20,
                  "x-overflow": "drop-head"}
        declared = self.channel().queue_declare("bounded.dead", durable=True, auto_delete=False,
                                                arguments=bounds)
        self.assertEqual(declared.message_count, 0)

    def test_no_header_costs_the_connection(self):
        """The largest and the deepest that RabbitMQ takes with its default settings."""
        driver = self.driver()
        driver.open("work", "headers")
        frame, properties = 131072, 100
        level = len(b"\1aF") + 4
        self.send_nested("headers", b"1 deep", (frame - properties) // level)
        self.send("headers", b"2 long", application_headers={"text": "x" * (frame - properties)})
        self.send("headers", b"3 good")
        stats = driver.until(lambda s: s["distinct"] == 3, "all of them came")
        self.assertEqual((stats["delivered"], stats["downs"]), (3, 0))

    def send_nested(self, queue, body, depth):
        """With a header table that is deeper than Python can write."""
        table = b""
        for _ in range(depth):
            table = b"\1aF" + len(table).to_bytes(4, "big") + table
        flags = 1 << 15 | 1 << 13       # content_type, headers
        kind = b"application/json"
        message = amqp.Message(body)
        message._serialize_properties = lambda: (
            flags.to_bytes(2, "big") + bytes([len(kind)]) + kind
            + len(table).to_bytes(4, "big") + table)
        self.channel().basic_publish(message, exchange="", routing_key=queue)

    def test_a_reply_queue_is_new_with_each_connection(self):
        driver = self.driver()
        first = driver.open("reply")["reply_queue"]
        self.assertRegex(first, "^reply_[0-9a-f]{32}$")
        self.send(first, b"1 answer")
        driver.until(lambda s: s["delivered"] == 1, "a reply")
        self.rabbit.close_connections()
        stats = driver.until(lambda s: s["ups"] == 2, "it is back")
        self.assertNotEqual(stats["reply_queue"], first)
        self.send(stats["reply_queue"], b"2 answer")
        driver.until(lambda s: s["delivered"] == 2, "another")

    def test_notifications_of_an_exchange_of_others(self):
        for durable in False, True:
            source = f"neutron{durable}"
            self.channel().exchange_declare(source, "topic", durable=durable, auto_delete=False)
            driver = self.driver()
            driver.open("notify", f"ports{durable}", source=source)
            self.channel().basic_publish(
                amqp.Message(b"1 note", content_type="application/json"), exchange=source,
                routing_key="notifications.info")
            driver.until(lambda s: s["delivered"] == 1, "a notification")


class LargeFrames(Story):
    """A broker that delivers larger headers than a worker reads."""

    settings = ("frame_max = 262144",)

    def test_a_header_that_is_too_large_is_dropped_and_the_rest_goes_on(self):
        driver = self.driver()
        driver.open("work", "poison")
        self.send("poison", b"1 poison", application_headers={"text": "x" * 132_000})
        self.send("poison", b"2 good")
        driver.until(lambda s: s["distinct"] == 1 and s["downs"] == 1 and s["in_up"],
                     "the good one came, and the poison cost one connection")
        wait_for(lambda: self.count("poison") == 0, 10, "the poison is gone")


class Missing(Story):
    """What a connection lives by is deleted, or forbidden, while it says nothing itself."""

    def up(self, kind, name, source=""):
        driver = self.driver(check_period=1)
        driver.open()
        driver.open(kind, name, source=source)
        return driver

    def queues(self):
        return {name for name, in self.rabbit.listed("queues", "name")}

    def assert_delivers(self, driver, key, what, exchange=EXCHANGE, flags="mp"):
        """In time: one of those that are published until one is delivered."""
        before = driver.stats()["delivered"]

        def arrives():
            driver.publish(key, exchange=exchange, flags=flags)
            return driver.stats()["delivered"] > before
        with self.subTest(what):
            wait_for(arrives, NOTICED_SECONDS, what)

    def test_each_kind_of_thing(self):
        """All at once: each is noticed, and declared again. Where all is there, nothing is done."""
        channel = self.channel()
        steady = self.up("work", "steady")
        channel.exchange_declare("others", "topic", durable=False, auto_delete=False)
        other = channel.queue_declare("other", exclusive=True).queue
        work, noted = self.up("work", "bound"), self.up("notify", "noted", "others")
        unbound = self.up("notify", "unbound", "amq.topic")
        alone, shared = self.up("fanout", "alone"), self.up("fanout", "shared")
        reply = self.up("reply", "-")
        kept = {f"bound.{kind}" for kind in ("retry.1000", "retry.5000", "dead")}

        for queue in kept:
            channel.queue_delete(queue)
        channel.queue_unbind("bound", EXCHANGE, "bound")
        channel.queue_unbind("unbound", "amq.topic", "notifications.info")
        channel.exchange_delete("others")
        channel.exchange_delete("alone_fanout")
        channel.exchange_delete("shared_fanout")
        channel.exchange_declare("shared_fanout", "fanout", durable=False, auto_delete=True)
        channel.queue_bind(other, "shared_fanout", "")      # another declares it, and stays
        self.rabbit.ctl("delete_queue", "-p", self.rabbit.vhost,
                        name := reply.stats()["reply_queue"])

        self.assert_delivers(work, "bound", "the binding of a work queue")
        self.assert_delivers(noted, "notifications.info", "an exchange of others", "others", "-")
        self.assert_delivers(unbound, "notifications.info", "a binding to one", "amq.topic", "-")
        self.assert_delivers(alone, "-", "a fanout exchange", "alone_fanout", "f")
        self.assert_delivers(shared, "-", "a binding to one", "shared_fanout", "f")
        reply.until(lambda s: s["in_up"] and s["reply_queue"] != name, "a reply queue",
                    NOTICED_SECONDS)
        wait_for(lambda: kept <= self.queues(), NOTICED_SECONDS, "the queues beside a work queue")
        self.assertEqual(steady.stats()["downs"], 0)

    def test_the_exchange(self):
        """A publisher that comes first declares it, and does not know what was bound to it."""
        driver = self.up("work", "exchanged")
        self.channel().exchange_delete(EXCHANGE)
        self.assert_delivers(driver, "exchanged", "the control exchange")

    def test_rights_taken_and_given_back(self):
        """It says that it is not up, and is up soon after the end."""
        def permit(pattern):
            self.rabbit.account(["set_permissions", "-p", self.rabbit.vhost, self.rabbit.user,
                                 pattern, pattern, pattern])
        driver = self.up("work", "righted")
        self.addCleanup(permit, ".*")
        permit("^$")
        driver.until(lambda s: not s["in_up"], "it is not up", NOTICED_SECONDS)
        permit(".*")
        driver.until(lambda s: s["in_up"], "it is up again", NOTICED_SECONDS)
        self.assert_delivers(driver, "righted", "a message, after that")


class Tls(Story):
    """A certificate authority and a broker's certificate of our own, and one of somebody else."""

    @classmethod
    def setUpClass(cls):
        cls.keys = tempfile.TemporaryDirectory(prefix="broker-tls-")
        cls.addClassCleanup(cls.keys.cleanup)
        for name in "ours", "theirs":
            cls.make_authority(name)
        cls.make_certificate("broker", "ours")
        cls.port = 0
        cls.settings = ("# a node of its own, for its listeners change",)
        super().setUpClass()
        from lab.process import free_port
        cls.port = free_port()
        cls.rabbit.stop()
        with open(cls.rabbit.config, "a", encoding="ascii") as config:
            config.write(f"listeners.ssl.1 = 127.0.0.1:{cls.port}\n"
                         f"ssl_options.cacertfile = {cls.path('ours.pem')}\n"
                         f"ssl_options.certfile = {cls.path('broker.pem')}\n"
                         f"ssl_options.keyfile = {cls.path('broker.key')}\n"
                         "ssl_options.verify = verify_none\n")
        cls.rabbit.launch()
        cls.rabbit.wait_ready()

    @classmethod
    def path(cls, name):
        return str(Path(cls.keys.name) / name)

    @classmethod
    def make_authority(cls, name):
        run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
             f"/CN={name}", "-keyout", cls.path(f"{name}.key"), "-out", cls.path(f"{name}.pem")])

    @classmethod
    def make_certificate(cls, name, authority):
        run(["openssl", "req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost",
             "-keyout", cls.path(f"{name}.key"), "-out", cls.path(f"{name}.csr")])
        extensions = Path(cls.path("extensions"))
        extensions.write_text("subjectAltName=DNS:localhost\n")
        run(["openssl", "x509", "-req", "-days", "2", "-in", cls.path(f"{name}.csr"), "-CA",
             cls.path(f"{authority}.pem"), "-CAkey", cls.path(f"{authority}.key"),
             "-CAcreateserial", "-extfile", extensions, "-out", cls.path(f"{name}.pem")])

    def url(self, host):
        rabbit = self.rabbit
        return f"rabbits://{rabbit.user}:{rabbit.password}@{host}:{self.port}/{rabbit.vhost}"

    def tls_driver(self, host, authority):
        driver = Driver(self.url(host), tls_ca=self.path(f"{authority}.pem"))
        self.addCleanup(lambda: self.assertEqual(driver.end(), 0))
        driver.say("open-out")
        return driver

    def test_messages_pass(self):
        driver = self.tls_driver("localhost", "ours")
        driver.open("work", "secret")
        driver.publish("secret", 2000)
        driver.publish("secret", 3, MAX_MESSAGE_BYTES)
        driver.until(lambda s: s["distinct"] == 2003 and s.get("ok") == 2003, "all came")

    def test_a_silent_broker_does_not_hold_up_the_loop(self):
        driver = self.tls_driver("localhost", "ours")
        driver.open("work", "hush")
        driver.until(lambda s: s["out_up"], "connected")
        self.addCleanup(self.rabbit.resume)
        self.rabbit.pause()
        driver.publish("hush", 50, MAX_MESSAGE_BYTES // 2, deadline_ms=120000)
        stats = driver.until(lambda s: not s["out_up"] and not s["in_up"], "silence was noticed")
        self.rabbit.resume()
        stats = driver.until(lambda s: s["distinct"] == 50, "it went on", 60)
        self.assertLess(stats["late_ms"], LATE_MS)

    def test_a_broker_that_cannot_prove_its_name_is_refused(self):
        for host, authority in (("localhost", "theirs"), ("127.0.0.1", "ours")):
            driver = self.tls_driver(host, authority)
            time.sleep(1)       # several attempts
            self.assertFalse(driver.stats()["out_up"], host)


if __name__ == "__main__":
    unittest.main()

"""Who carries messages badly: out of their order, twice, and again long after.

    with Postman(rabbitmq, ["central"], seed) as postman:
        ...
    postman.deliver_all_again()

Messages to the work queues that it is named come to it instead, by the bindings. The
readers bind their queues again, every few seconds, and it unbinds them: until it does, a
message comes by both ways.
"""

import json
import random
import threading
import time
import uuid

import amqp
import kombu

ROUND_SECONDS = 0.2         # what comes within is shuffled
LOOK_SECONDS = 0.02
TWICE, LATE = 0.3, 0.3      # chances of a message, and of an old one beside it
EXCHANGE = "zonefleet"


class Post:
    """A connection that publishes any bytes."""

    def __init__(self, rabbitmq):
        self.link = kombu.Connection(rabbitmq.url.replace("rabbit:", "pyamqp:", 1))
        self.channel = self.link.channel()

    def send(self, queue, body, **properties):
        properties = {"content_type": "application/json", "delivery_mode": 2} | properties
        self.channel.basic_publish(amqp.Message(body, **properties), "", queue)

    def count(self, queue):
        return self.channel.queue_declare(queue, passive=True).message_count

    def close(self):
        self.link.release()


class Postman(threading.Thread):

    def __init__(self, rabbitmq, queues, seed):
        super().__init__(daemon=True)
        self.post = Post(rabbitmq)
        self.queues = queues
        self.random = random.Random(seed)
        self.carried = []           # (queue, body), in the order in which they came
        self.delivered = 0
        self.over = threading.Event()
        self.error = None

    @staticmethod
    def bag(queue):
        return f"postman.{queue}"

    def take_over(self, queue):
        channel = self.post.channel
        channel.queue_declare(self.bag(queue), exclusive=True)
        channel.queue_bind(self.bag(queue), EXCHANGE, queue)
        self.unbind(queue)

    def unbind(self, queue):
        self.post.channel.queue_unbind(queue, EXCHANGE, queue)

    def give_back(self, queue):
        channel = self.post.channel
        channel.queue_bind(queue, EXCHANGE, queue)
        channel.queue_unbind(self.bag(queue), EXCHANGE, queue)

    def collect(self):
        """What is there, and what comes while a round lasts."""
        found, until = [], time.monotonic() + ROUND_SECONDS
        while time.monotonic() < until:
            for queue in self.queues:
                self.unbind(queue)
                while message := self.post.channel.basic_get(self.bag(queue), no_ack=True):
                    found.append((queue, message.body))
            time.sleep(LOOK_SECONDS)
        return found

    def deliver(self, messages):
        for queue, body in messages:
            self.post.send(queue, body)
            self.delivered += 1

    def deliver_badly(self, messages):
        again = [message for message in messages if self.random.random() < TWICE]
        late = [self.random.choice(self.carried) for _ in messages
                if self.carried and self.random.random() < LATE]
        everything = messages + again + late
        self.random.shuffle(everything)
        self.carried += messages
        self.deliver(everything)

    def deliver_all_again(self):
        """By the caller's thread, once it is over: the newest first."""
        self.deliver(reversed(self.carried))

    def run(self):
        try:
            while not self.over.is_set():
                self.deliver_badly(self.collect())
            for queue in self.queues:
                self.give_back(queue)
            self.deliver_badly(self.collect())
        except Exception as error:      # what ends it ends its story: see __exit__
            self.error = error

    def __enter__(self):
        for queue in self.queues:
            self.take_over(queue)
        self.start()
        return self

    def __exit__(self, failed, *_):
        self.over.set()
        self.join()
        if self.error and not failed:
            raise self.error

    def close(self):
        self.post.close()


def request(method, args, **more):
    """A message as oslo.messaging would send it."""
    inner = {"method": method, "args": args, "version": "1.0", "_unique_id": uuid.uuid4().hex,
             "_context_is_admin": True, "_context_project_id": "t", **more}
    return json.dumps({"oslo.version": "2.0", "oslo.message": json.dumps(inner)})


def poisons():
    """Messages that nobody can do anything with, ever: each ends as a dead letter."""
    deep = '{"a":' * 10_000 + "1" + "}" * 10_000
    return [b"", b"\0\xff" * 100, b'{"oslo.version": "2.0"', b"[]", deep.encode(),
            json.dumps({"oslo.version": "9.9", "oslo.message": "{}"}),
            json.dumps({"oslo.version": "2.0", "oslo.message": "no JSON"}),
            request("no_such_method", {}), request("__init__", {}),
            request("update_status", {"nothing": "it knows"}),
            request("create_domain", 17)]

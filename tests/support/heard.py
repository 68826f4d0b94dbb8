"""What is told to whoever listens: notifications, or the orders to mini-DNS.

    heard = Heard(rabbitmq)
    ...
    heard.of("route.scheduled")     # their payloads until now
"""

import json

import kombu

EXCHANGE = "zonefleet"


class Heard:

    topics = ("notifications.info",)

    def __init__(self, rabbitmq):
        self.link = kombu.Connection(rabbitmq.url.replace("rabbit:", "pyamqp:", 1))
        self.channel = self.link.channel()
        self.queue = self.channel.queue_declare("", exclusive=True).queue
        for topic in self.topics:
            self.channel.queue_bind(self.queue, EXCHANGE, topic)
        self.events = []

    def of(self, kind):
        while message := self.channel.basic_get(self.queue, no_ack=True):
            told = json.loads(message.body)
            if "oslo.message" in told:
                told = json.loads(told["oslo.message"])
            self.events.append(self.event(told))
        return [payload for event, payload in self.events if event == kind]

    def event(self, told):
        return told["event_type"], told["payload"]

    def close(self):
        self.link.release()


class HeardOrders(Heard):
    """of("propagate_zones"): the arguments of these casts."""

    topics = ("minidns", "minidns.recovery")

    def event(self, told):
        return told["method"], told["args"]

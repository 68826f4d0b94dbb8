"""What is told to whoever listens to notifications.

    heard = Heard(rabbitmq)
    ...
    heard.of("route.scheduled")     # their payloads until now
"""

import json

import kombu

EXCHANGE = "zonefleet"


class Heard:

    def __init__(self, rabbitmq):
        self.link = kombu.Connection(rabbitmq.url.replace("rabbit:", "pyamqp:", 1))
        self.channel = self.link.channel()
        self.queue = self.channel.queue_declare("", exclusive=True).queue
        self.channel.queue_bind(self.queue, EXCHANGE, "notifications.info")
        self.events = []

    def of(self, kind):
        while message := self.channel.basic_get(self.queue, no_ack=True):
            told = json.loads(message.body)
            if "oslo.message" in told:
                told = json.loads(told["oslo.message"])
            self.events.append((told["event_type"], told["payload"]))
        return [payload for event, payload in self.events if event == kind]

    def close(self):
        self.link.release()

"""example_amqp.py URL -- calls find_domains with plain AMQP (python3-amqp)."""

import json
import sys
import time
import uuid
from urllib.parse import unquote, urlsplit

import amqp

SECONDS = 20


def connect(url):
    place = urlsplit(url)
    link = amqp.Connection(f"{place.hostname}:{place.port or 5672}", unquote(place.username),
                           unquote(place.password), virtual_host=unquote(place.path[1:]) or "/")
    link.connect()
    return link


def unwrapped(body):
    return json.loads(json.loads(body)["oslo.message"])


def call(link, topic, method, arguments, context):
    channel, answers = link.channel(), []
    reply_queue, message_id = f"reply_{uuid.uuid4().hex}", uuid.uuid4().hex
    channel.queue_declare(reply_queue, exclusive=True)
    channel.basic_consume(reply_queue, no_ack=True,
                          callback=lambda got: answers.append(unwrapped(got.body)))
    inner = {"method": method, "_unique_id": uuid.uuid4().hex, "_msg_id": message_id,
             "_reply_q": reply_queue, "_timeout": None, "args": arguments,
             **{f"_context_{key}": value for key, value in context.items()}}
    body = json.dumps({"oslo.version": "2.0", "oslo.message": json.dumps(inner)})
    until = time.time() + SECONDS
    channel.basic_publish(
        amqp.Message(body, content_type="application/json", content_encoding="utf-8",
                     delivery_mode=2, expiration=str(SECONDS * 1000), application_headers={
                         "x-zonefleet-limit": int(until * 1000)}),
        exchange="zonefleet", routing_key=topic)
    while True:
        link.drain_events(timeout=max(0.001, until - time.time()))
        for answer in answers:
            if answer["_msg_id"] == message_id and answer["ending"]:
                channel.close()
                if answer["failure"]:
                    failure = json.loads(answer["failure"])
                    raise RuntimeError(f"{failure['class']}: {failure['message']}")
                return answer["result"]


link = connect(sys.argv[1])
page = call(link, "central", "find_domains", {"limit": 10}, {"project_id": "demo"})
for domain in page["domains"]:
    print(domain["name"], domain["serial"], domain["status"])
link.close()

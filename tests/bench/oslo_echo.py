"""The peer of the RPC figures: oslo.messaging on both sides, as OpenStack uses it.

    oslo_echo.py server URL               answers echo on the topic `echo` until killed
    oslo_echo.py client URL SECONDS N     calls it from N threads; prints JSON
"""

import json
import logging
import sys
import tempfile
import threading
import time

import oslo_messaging as om
from oslo_config import cfg

TOPIC = "echo"
WARM_UP_SECONDS = 0.5
SETTINGS = """\
[DEFAULT]
control_exchange = zonefleet
rpc_conn_pool_size = 64
[oslo_messaging_rabbit]
amqp_durable_queues = true
"""


class Endpoint:
    def echo(self, context, value):
        return value


def transport(url):
    with tempfile.NamedTemporaryFile("w", suffix=".conf") as file:
        file.write(SETTINGS)
        file.flush()
        cfg.CONF(["--config-file", file.name])
    logging.getLogger("oslo").setLevel(logging.ERROR)
    return om.get_rpc_transport(cfg.CONF, url=url)


def serve(url):
    server = om.get_rpc_server(transport(url), om.Target(topic=TOPIC, server="bench"),
                               [Endpoint()], executor="threading")
    server.start()
    print("ready", flush=True)
    server.wait()


def call(url, seconds, threads):
    client = om.get_rpc_client(transport(url), om.Target(topic=TOPIC), timeout=20)
    counts = [0] * threads
    begin = time.monotonic() + WARM_UP_SECONDS
    end = begin + seconds

    def run(number):
        now = 0
        while now < end:
            client.call({}, "echo", value="0123456789abcdef")
            now = time.monotonic()
            counts[number] += begin <= now < end

    workers = [threading.Thread(target=run, args=(number,)) for number in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    print(json.dumps({"calls_per_second": sum(counts) / seconds}))


if __name__ == "__main__":
    if sys.argv[1] == "server":
        serve(sys.argv[2])
    else:
        call(sys.argv[2], float(sys.argv[3]), int(sys.argv[4]))

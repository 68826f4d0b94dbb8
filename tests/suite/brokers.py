"""brokers.py SOCKET FOLDER N: lends RabbitMQ nodes to stories, one at a time each, at most N.

A node needs seconds of processor time to start, and a story uses it for some. Who connects
to SOCKET gets a line of JSON that says where a node is, as new: one virtual host, one user
with a new password, nothing in it. It is the story's alone until the connection ends, and
does what the story asks by a line, {"do": "kill9"}: stop, kill9, launch, pause or resume.
tests/support/lent.py is the other side.
"""

import contextlib
import json
import queue
import secrets
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "deploy"))
from lab.process import LabError                    # noqa: E402
from lab.rabbitmq import NAME, RabbitMq             # noqa: E402

# what a story may have left: virtual hosts, users, a changed limit of memory
RESET = """\
vm_memory_monitor:set_vm_memory_high_watermark({{absolute, "1GB"}}),
[rabbit_vhost:delete(V, <<"tests">>) || V <- rabbit_vhost:list_names()],
[rabbit_auth_backend_internal:delete_user(proplists:get_value(user, U), <<"tests">>)
 || U <- rabbit_auth_backend_internal:list_users(),
    proplists:get_value(user, U) =/= <<"{name}">>],
ok = rabbit_vhost:add(<<"{name}">>, <<"tests">>),
ok = rabbit_auth_backend_internal:change_password(<<"{name}">>, <<"{password}">>, <<"tests">>),
ok = rabbit_auth_backend_internal:set_permissions(<<"{name}">>, <<"{name}">>, <<".*">>,
                                                  <<".*">>, <<".*">>, <<"tests">>)
"""


class Place(threading.Thread):
    """A node and the thread that starts it: servers die with the thread that started them."""

    def __init__(self, folder, asked):
        super().__init__(daemon=True)
        self.folder, self.asked = folder, asked
        self.number = 0
        self.node = None
        self.is_idle = False

    def run(self):
        while True:
            self.is_idle = True
            client = self.asked.get()
            self.is_idle = False
            with client, client.makefile("rw") as stream:
                try:
                    self.lend(stream)
                except (OSError, ValueError):
                    pass            # the story is over
                except (LabError, subprocess.SubprocessError) as error:
                    self.refuse(stream, error)
            if not self.is_fit():
                self.drop()

    def make_new(self):
        """The node, as if it had just been started for the first time."""
        password = secrets.token_hex(12)
        if self.node:
            with contextlib.suppress(LabError):
                self.node.evaluate(RESET.format(name=NAME, password=password))
                self.node.password = password
                return
        self.drop()
        self.number += 1
        self.node = RabbitMq.start(self.folder / str(self.number))

    def tell(self, stream, **what):
        node = self.node
        told = {"folder": str(node.folder), "port": node.port, "node": node.node,
                "distribution_port": node.distribution_port, "epmd_port": node.epmd.port,
                "password": node.password, "pid": node.pid}
        print(json.dumps(told | what), file=stream, flush=True)

    def lend(self, stream):
        self.make_new()
        self.tell(stream)
        for line in stream:
            try:
                getattr(self.node, json.loads(line)["do"])()
                self.tell(stream)
            except LabError as error:
                self.tell(stream, error=str(error))

    def refuse(self, stream, error):
        try:
            print(json.dumps({"error": str(error)}), file=stream, flush=True)
        except OSError:
            pass                    # the story is over
        self.drop()

    def is_fit(self):
        """One that was stopped, hangs or has died is not lent again."""
        node = self.node
        return node is None or (node.pid and not node.has_died() and not node.is_paused())

    def drop(self):
        node, self.node = self.node, None
        if node and node.pid:
            node.resume()
            node.kill9()
        elif node:
            node.epmd.kill9()


def serve(path, folder, count):
    asked = queue.Queue()
    places = []
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen(64)
        while True:
            client, _ = listener.accept()
            asked.put(client)
            if len(places) < count and asked.qsize() > sum(place.is_idle for place in places):
                places.append(Place(folder / str(len(places)), asked))
                places[-1].start()


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    serve(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))

"""A private RabbitMQ: a node, an epmd and an Erlang cookie of its own."""

import base64
import glob
import json
import re
import secrets
import socket
import struct
from pathlib import Path

from .process import HOST, LabError, Server, free_port, program, run

NAME = "zonefleet"      # of the user and of the virtual host
# the wrappers in /usr/sbin insist on root or the package's user
SERVER = "/usr/lib/rabbitmq/bin/rabbitmq-server"
CTL = "/usr/lib/rabbitmq/bin/rabbitmqctl"
MAX_MESSAGE_BYTES = 2 * 1024 * 1024

CONFIG = """\
listeners.tcp.1 = {host}:{port}
default_user = {name}
default_pass = {password}
default_vhost = {name}
default_user_tags.administrator = true
max_message_size = {max_message}
heartbeat = 15
log.console = true
log.console.use_colors = off
log.console.level = info
log.file = false
disk_free_limit.absolute = 50MB
vm_memory_high_watermark.absolute = 1GB
{settings}
"""

# The ports by which Erlang's nodes talk to each other stay on loopback too. What a node
# asks another comes from its own address, so that it can be told apart. erlexec reads them
# (ERL_FLAGS), and no shell: to a shell the brackets are a pattern of file names.
DISTRIBUTION = ("-kernel inet_dist_use_interface {{{0}}} "
                "-kernel inet_dist_connect_options [{{ip,{{{0}}}}}]")

# A row of what there is, as texts. A name stands in a resource.
ROWS = """\
Text = fun({{resource, _, _, Name}}) -> Name; (Value) when is_binary(Value) -> Value;
          (Value) -> iolist_to_binary(io_lib:format("~p", [Value])) end,
[[Text(Value) || {{_, Value}} <- {module}:info(Each, [{columns}])]
 || Each <- {module}:list(<<"{vhost}">>)]"""
ROWS_OF = {"queues": "rabbit_amqqueue", "bindings": "rabbit_binding"}
CLOSE = """\
[rabbit_networking:close_connection(Pid, "a test closes it")
 || Pid <- rabbit_networking:local_connections()], 0"""

# an idle scheduler sleeps at once: spinning, it takes the processor from its neighbours
SCHEDULERS = "+sbwt none +sbwtdcpu none +sbwtdio none"

# what a client says to log in: class, method, arguments (AMQP 0-9-1, 1.4 and 2.3.5)
PROTOCOL_HEADER = b"AMQP\x00\x00\x09\x01"
START, START_OK = (10, 10), (10, 11)
TUNE, TUNE_OK = (10, 30), (10, 31)
OPEN, OPEN_OK = (10, 40), (10, 41)
END, END_OK = (10, 50), (10, 51)


class Epmd(Server):
    """Erlang's port mapper, of a node or of a cluster's nodes."""

    def __init__(self, folder, addresses=(HOST,), **options):
        super().__init__(folder, **options)
        self.port = free_port()
        self.addresses = addresses

    def command(self):
        return [program("epmd"), "-address", ",".join(self.addresses), "-port", self.port]

    def is_ready(self):
        names_request = b"\x00\x01n"
        try:
            with socket.create_connection((self.host, self.port), 5) as link:
                link.sendall(names_request)
                return link.recv(4) == struct.pack(">I", self.port)
        except OSError:
            return False


def _short(text):
    return struct.pack(">B", len(text)) + text.encode()


def _long(data):
    return struct.pack(">I", len(data)) + data


def _frame(method, arguments):
    payload = struct.pack(">HH", *method) + arguments
    return struct.pack(">BHI", 1, 0, len(payload)) + payload + b"\xce"


def _expect(stream, method):
    """Reads one method frame; false if it is another, or the broker hangs up."""
    head = stream.read(7)
    if len(head) < 7:
        return False
    payload = stream.read(struct.unpack(">BHI", head)[2] + 1)
    return len(payload) >= 4 and struct.unpack(">HH", payload[:4]) == method


def logs_in(address, user, password, vhost):
    """True if the broker lets the user into the virtual host."""
    answer = b"\0%s\0%s" % (user.encode(), password.encode())
    steps = (
        (PROTOCOL_HEADER, START),
        (_frame(START_OK, _long(b"") + _short("PLAIN") + _long(answer)
                + _short("en_US")), TUNE),
        (_frame(TUNE_OK, struct.pack(">HIH", 1, 8192, 0))
         + _frame(OPEN, _short(vhost) + _short("") + b"\0"), OPEN_OK),
        # else the broker logs a warning
        (_frame(END, struct.pack(">H", 200) + _short("") + struct.pack(">HH", 0, 0)), END_OK),
    )
    try:
        with socket.create_connection(address, 5) as link, link.makefile("rb") as stream:
            for request, want in steps:
                link.sendall(request)
                if not _expect(stream, want):
                    return False
            return True
    except OSError:
        return False


def _erlang(command, *words):
    """What a command of rabbitmqctl does: add_user, or set_..._permissions -p VHOST USER ..."""
    if words[0] == "-p":
        _, vhost, user, *rest = words
        words = user, vhost, *rest
    given = ", ".join('<<"{}">>'.format(word.replace("\\", "\\\\")) for word in (*words, "lab"))
    return f"ok = rabbit_auth_backend_internal:{command}({given})"


class RabbitMq(Server):
    """.url, .ctl(); data, ports and password outlive a restart."""

    start_seconds = 120
    stop_seconds = 40

    def __init__(self, folder, settings=(), password=None, cookie=None, **options):
        """SETTINGS are further lines of rabbitmq.conf: "consumer_timeout = 5000"."""
        super().__init__(folder, **options)
        self.port = free_port()
        self.distribution_port = free_port()
        self.node = f"{NAME}-{self.port}@localhost"
        self.user = self.vhost = NAME
        self.password = password or secrets.token_hex(12)
        self.distribution = DISTRIBUTION.format(self.host.replace(".", ","))
        self.write(".erlang.cookie", cookie or secrets.token_hex(20), mode=0o400)
        self.write("env.conf", "")
        self.write("advanced.config", "[].\n")
        self.write("enabled_plugins", "[].\n")
        self.config = self.write("rabbitmq.conf", CONFIG.format(
            host=self.host, port=self.port, name=NAME, password=self.password,
            max_message=MAX_MESSAGE_BYTES, settings="\n".join(settings)))
        self.home = self._make_home()
        self.epmd = self._make_epmd(options)

    def _make_epmd(self, options):
        return Epmd(self.folder / "epmd", **options)

    def _make_home(self):
        """The installation without the plugins that may be enabled.

        At its start the broker looks for each of its modules in each application's
        folder: without these forty it is ready in half the time.
        """
        if not Path(SERVER).exists():
            raise LabError(f"{SERVER} is not installed: run deploy/install-packages")
        installed = Path(SERVER).resolve().parent.parent
        home = self.make_folder("home")
        for part in "sbin", "escript":
            (home / part).symlink_to(installed / part)
        plugins = self.make_folder("home/plugins")
        for path in (installed / "plugins").iterdir():
            optional = path.name.startswith("rabbitmq_")
            if not optional or path.name.startswith("rabbitmq_prelaunch"):
                (plugins / path.name).symlink_to(path)
        return home

    @property
    def url(self):
        login = f"{self.user}:{self.password}"
        return f"rabbit://{login}@{self.host}:{self.port}/{self.vhost}"

    def environment(self):
        return super().environment() | {
            "ERL_EPMD_ADDRESS": self.epmd.host,
            "ERL_EPMD_PORT": str(self.epmd.port),
            "ERL_FLAGS": self.distribution,
            "RABBITMQ_ADVANCED_CONFIG_FILE": str(self.folder / "advanced.config"),
            "RABBITMQ_ALLOW_INPUT": "1",    # no shell in between: the pid is the node's
            "RABBITMQ_CONF_ENV_FILE": str(self.folder / "env.conf"),
            "RABBITMQ_CONFIG_FILE": str(self.config),
            "RABBITMQ_DIST_PORT": str(self.distribution_port),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(self.folder / "enabled_plugins"),
            "RABBITMQ_LOG_BASE": str(self.folder / "logs"),
            "RABBITMQ_MNESIA_BASE": str(self.folder / "mnesia"),
            "RABBITMQ_NODENAME": self.node,
            "RABBITMQ_PLUGINS_DIR": str(self.home / "plugins"),
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": SCHEDULERS,
        }

    def command(self):
        return [self.home / "sbin" / "rabbitmq-server", "-noinput"]

    def is_ready(self):
        return logs_in((self.host, self.port), self.user, self.password, self.vhost)

    def launch(self):
        if not self.epmd.pid:
            self.epmd.launch()
            self.epmd.wait_ready()
        super().launch()

    def stop(self):
        """Ends the node and its port mapper."""
        super().stop()
        self.epmd.stop()

    def kill9(self):
        super().kill9()
        self.epmd.kill9()

    def ctl(self, *arguments):
        """Runs rabbitmqctl on the node and returns what it printed; takes a second."""
        return run([CTL, "--quiet", *arguments], env=self.environment(), seconds=60)

    def evaluate(self, code, seconds=30):
        """Has the node evaluate Erlang, which takes some milliseconds.

        Returns the last expression's value, one that JSON has. Raises LabError.
        """
        program = glob.glob("/usr/lib/erlang/erts-*/bin/erl_call")[0]
        said = run([program, "-n", self.node, "-c", self._cookie(), "-e"], seconds=seconds,
                   text=f"Code = fun() -> {code} end,\n"
                        "base64:encode_to_string(rabbit_json:encode(Code())).\n",
                   env={"ERL_EPMD_PORT": str(self.epmd.port), "HOME": str(self.folder)})
        value = re.fullmatch(r'\{ok, "([^"]*)"\}\s*', said)
        if not value:
            raise LabError(f"{self.name}: {said}")
        return json.loads(base64.b64decode(value[1]))

    def account(self, *commands):
        """Does what commands of rabbitmqctl about accounts do, without its second each.

        A command is a list of words: ["add_user", USER, PASSWORD], ["delete_user", USER],
        ["set_permissions", "-p", VHOST, USER, CONFIGURE, WRITE, READ], and the like.
        """
        self.evaluate(", ".join(_erlang(*command) for command in commands))

    def add_account(self, user, password):
        """A user with all rights on this virtual host."""
        self.account(["add_user", user, password],
                     ["set_permissions", "-p", self.vhost, user, ".*", ".*", ".*"])

    def delete_account(self, user):
        self.account(["delete_user", user])

    def _cookie(self):
        return (self.folder / ".erlang.cookie").read_text()

    def close_connections(self):
        """Closes all connections; RabbitMQ tells the clients."""
        self.evaluate(CLOSE)

    def listed(self, what, *columns):
        """Of WHAT there is ("queues", "bindings") these columns, as texts."""
        return self.evaluate(ROWS.format(module=ROWS_OF[what], columns=", ".join(columns),
                                         vhost=self.vhost))

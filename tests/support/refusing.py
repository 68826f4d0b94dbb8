"""What a name server's access list does to us: it answers with REFUSED, and has its zones.

BIND and NSD have such a list. Before Knot and PowerDNS, which answer everybody, stands a
front, as a load balancer with rules of its own would.
"""

import contextlib
import socket
import socketserver
import threading

import dns.message
import dns.opcode
import dns.rcode

from story import StoryFleet                # first: it knows where lab is
from lab.process import HOST, free_port

FRONTED = ("knot", "powerdns")
RULES = {"bind": ("allow-query { any; }", "allow-query { none; }"),
         "nsd": ("allow-axfr-fallback", "allow-query: 192.0.2.1 NOKEY\n\tallow-axfr-fallback")}
SECONDS = 2


class RefusingFleet(StoryFleet):
    """Its name servers refuse the questions of mini-DNS, when they are told to."""

    def _wiring(self):
        wiring = super()._wiring()
        self.fronts = {}
        for backend in wiring["backends"].values():
            for server in backend["servers"]:
                if server["id"] in FRONTED:
                    front = self.fronts[server["id"]] = Front(server["port"])
                    server["port"] = front.port
        return wiring

    @contextlib.contextmanager
    def refusing(self, *names):
        """They do, for the `with`."""
        for name in names:
            self._refuse(name, True)
        try:
            yield
        finally:
            for name in names:
                self._refuse(name, False)

    def _refuse(self, name, refuses):
        if name in self.fronts:
            self.fronts[name].refuses = refuses
            return
        server, rule = self.members[name], RULES[name]
        was, becomes = rule if refuses else reversed(rule)
        text = server.config.read_text()
        assert was in text, text
        server.config.write_text(text.replace(was, becomes))
        (server.rndc if name == "bind" else server.control)("reconfig")
        self.wait_for(lambda: (server.query(".", "SOA")[0] == "REFUSED" and
                               refuses) or not refuses, 10, f"{name} refuses: {refuses}")


class Front:
    """A port of loopback; what comes to it goes on to the server's own, or is refused."""

    def __init__(self, target):
        self.target, self.port, self.refuses = (HOST, target), free_port(), False
        for kind, handle in ((socketserver.ThreadingUDPServer, self._on_udp),
                             (socketserver.ThreadingTCPServer, self._on_tcp)):
            self._serve(kind, handle)

    def _serve(self, kind, on_request):
        class Handler(socketserver.BaseRequestHandler):
            def handle(self):
                with contextlib.suppress(OSError, EOFError):
                    on_request(self)

        class Server(kind):
            allow_reuse_address = daemon_threads = True

        threading.Thread(target=Server((HOST, self.port), Handler).serve_forever,
                         daemon=True).start()

    def _refusal(self, wire):
        """The answer to a question; None: it goes on, as a NOTIFY does."""
        message = dns.message.from_wire(wire)
        if not self.refuses or message.opcode() != dns.opcode.QUERY:
            return None
        answer = dns.message.make_response(message)
        answer.set_rcode(dns.rcode.REFUSED)
        return answer.to_wire()

    def _on_udp(self, handler):
        wire, link = handler.request
        answer = self._refusal(wire)
        if not answer:
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as onward:
                onward.settimeout(SECONDS)
                onward.sendto(wire, self.target)
                answer = onward.recv(65535)
        link.sendto(answer, handler.client_address)

    def _on_tcp(self, handler):
        wire = _receive(handler.request)
        answer = self._refusal(wire)
        if not answer:
            with socket.create_connection(self.target, SECONDS) as onward:
                onward.sendall(len(wire).to_bytes(2, "big") + wire)
                answer = _receive(onward)
        handler.request.sendall(len(answer).to_bytes(2, "big") + answer)


def _receive(link):
    with link.makefile("rb") as stream:
        length = stream.read(2)
        if len(length) < 2:
            raise EOFError
        return stream.read(int.from_bytes(length, "big"))

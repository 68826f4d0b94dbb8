"""A primary that begins each transfer of a zone, and breaks it off a while later."""

import socketserver
import threading

import dns.flags
import dns.message
import dns.name
import dns.opcode
import dns.rdatatype
import dns.rrset

from scripted_dns import frame, receive

STALL_SECONDS = 0.5
TRANSFERS = dns.rdatatype.AXFR, dns.rdatatype.IXFR


class StallingPrimary:
    """Answers on PORT until stop(); .stalled is set when a transfer has begun."""

    def __init__(self, host, port, zone, seconds=STALL_SECONDS):
        self.zone, self.seconds = dns.name.from_text(zone), seconds
        self.stalled, self.over = threading.Event(), threading.Event()
        self.servers = [self._serve(socketserver.ThreadingUDPServer, (host, port), self._on_udp),
                        self._serve(socketserver.ThreadingTCPServer, (host, port), self._on_tcp)]

    def _serve(self, kind, address, on_request):
        class Handler(socketserver.BaseRequestHandler):
            def handle(self):
                on_request(self)

        class Primary(kind):
            allow_reuse_address = daemon_threads = True

        server = Primary(address, Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return server

    def _answer(self, wire):
        """(its type, the answer): the zone's SOA, with which a transfer begins, too."""
        query = dns.message.from_wire(wire)
        answer = dns.message.make_response(query)
        answer.flags |= dns.flags.AA
        if query.opcode() == dns.opcode.QUERY and query.question[0].name == self.zone:
            answer.answer = [dns.rrset.from_text(self.zone, 60, "IN", "SOA",
                                                 "ns. admin. 1 60 60 600 60")]
        return query.question[0].rdtype, answer.to_wire()

    def _on_udp(self, handler):
        wire, link = handler.request
        link.sendto(self._answer(wire)[1], handler.client_address)

    def _on_tcp(self, handler):
        link = handler.request
        try:
            while True:
                rtype, answer = self._answer(
                    receive(link, int.from_bytes(receive(link, 2), "big")))
                link.sendall(frame(answer))
                if rtype in TRANSFERS:
                    self.stalled.set()
                    self.over.wait(self.seconds)
                    return
        except (OSError, EOFError):
            pass

    def stop(self):
        self.over.set()
        for server in self.servers:
            server.shutdown()
            server.server_close()

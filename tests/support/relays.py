"""Relays between minidns and the name servers, which lose datagrams by a seed."""

import asyncio
import random
import threading

from story import StoryFleet                # first: it knows where lab is
from lab.process import HOST, free_port

CLIENT_SECONDS = 10     # how long a client's socket towards the server is kept
QR, OPCODE, OPCODE_NOTIFY = 0x80, 0x78, 4 << 3      # RFC 1035, 4.1.1; RFC 1996


class RelayedFleet(StoryFleet):
    """A fleet whose minidns and name servers know of each other by their relays' ports."""

    def __init__(self, folder, seed, **options):
        self.relays = Relays(seed)
        super().__init__(folder, **options)
        fronts, self.minidns_ports = self.minidns_ports, [free_port() for _ in
                                                          self.minidns_ports]
        for front, own in zip(fronts, self.minidns_ports):
            self.relays.add(front, own, "question")

    def _wiring(self):
        wiring = super()._wiring()
        for backend in wiring["backends"].values():
            for server in backend["servers"]:
                own, server["port"] = server["port"], free_port()
                self.relays.add(server["port"], own, "poll")
        return wiring


class Relays:
    """A port for each server: what comes to it goes on to the server's own, or is lost."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.percent = 0
        self.counts = {"notify": 0, "poll": 0, "question": 0, "answer": 0}
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()

    def begin(self, percent):
        self.percent = percent

    def end(self):
        self.percent = 0

    def dropped(self):
        """{kind: datagrams} since the start."""
        return dict(self.counts)

    def add(self, port, target, asked):
        """Relays a port of loopback to another; a datagram is an ASKED if nothing else."""
        listening = self._listen(port, target, asked)
        asyncio.run_coroutine_threadsafe(listening, self.loop).result(10)

    async def _listen(self, port, target, asked):
        await self.loop.create_datagram_endpoint(lambda: _Front(self, target, asked),
                                                 (HOST, port))
        await asyncio.start_server(lambda *client: _relay_connection(client, target),
                                   HOST, port)

    def loses(self, datagram, asked):
        if self.random.random() * 100 >= self.percent:
            return False
        self.counts[_kind(datagram, asked)] += 1
        return True


def _kind(datagram, asked):
    flags = datagram[2]
    if flags & QR:
        return "answer"
    return "notify" if flags & OPCODE == OPCODE_NOTIFY else asked


class _Front(asyncio.DatagramProtocol):
    """The port that clients know. Each of them gets a socket of its own to the server."""

    def __init__(self, relays, target, asked):
        self.relays, self.target, self.asked = relays, target, asked
        self.backs = {}         # client: its socket, maybe yet to come

    def connection_made(self, transport):
        self.transport = transport

    def datagram_received(self, datagram, client):
        if not self.relays.loses(datagram, self.asked):
            asyncio.ensure_future(self._forward(datagram, client))

    async def _forward(self, datagram, client):
        if client not in self.backs:
            self.backs[client] = asyncio.ensure_future(self._open(client))
        (await self.backs[client]).sendto(datagram)

    async def _open(self, client):
        loop = self.relays.loop
        back, _ = await loop.create_datagram_endpoint(
            lambda: _Back(self, client), remote_addr=(HOST, self.target))
        loop.call_later(CLIENT_SECONDS, self._forget, client, back)
        return back

    def _forget(self, client, back):
        del self.backs[client]
        back.close()

    def answer(self, datagram, client):
        if not self.relays.loses(datagram, self.asked):
            self.transport.sendto(datagram, client)


class _Back(asyncio.DatagramProtocol):

    def __init__(self, front, client):
        self.front, self.client = front, client

    def datagram_received(self, datagram, _):
        self.front.answer(datagram, self.client)


async def _relay_connection(client, target):
    """Whole, until both sides are done."""
    try:
        server = await asyncio.open_connection(HOST, target)
    except OSError:
        client[1].close()
        return
    await asyncio.gather(_pour(client[0], server[1]), _pour(server[0], client[1]))
    client[1].close()
    server[1].close()


async def _pour(reader, writer):
    try:
        while part := await reader.read(65536):
            writer.write(part)
            await writer.drain()
        writer.write_eof()
    except OSError:
        writer.close()      # one side hung up: it has all that it wanted

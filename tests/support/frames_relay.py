"""A relay before a name server that sees each message over TCP, and may change or cut it."""

import socket
import struct
import threading

from lab.process import HOST, free_port


class Cut(Exception):
    """Raised by a hook: the connection ends here."""


class FramesRelay:
    """.port; on_question(message) and on_answer(message) return what goes on instead."""

    def __init__(self, target):
        self.target = target
        self.on_question = self.on_answer = lambda message: message
        self.port = free_port()
        self.listener = socket.create_server((HOST, self.port))
        threading.Thread(target=self._accept, daemon=True).start()

    def let_pass(self):
        self.on_question = self.on_answer = lambda message: message

    def close(self):
        self.listener.close()

    def _accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=[client], daemon=True).start()

    def _serve(self, client):
        try:
            server = socket.create_connection((HOST, self.target))
        except OSError:
            client.close()
            return
        for source, to, hook in ((client, server, "on_question"), (server, client, "on_answer")):
            threading.Thread(target=self._pour, args=[source, to, hook], daemon=True).start()

    def _pour(self, source, to, hook):
        try:
            while message := read_frame(source):
                message = getattr(self, hook)(message)
                if message is not None:
                    to.sendall(struct.pack(">H", len(message)) + message)
        except (OSError, Cut):
            pass
        for end in source, to:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            end.close()


def read_frame(source):
    """A message, or None at the end."""
    head = _read(source, 2)
    return head and _read(source, struct.unpack(">H", head)[0])


def _read(source, octets):
    data = b""
    while len(data) < octets:
        more = source.recv(octets - len(data))
        if not more:
            return None
        data += more
    return data


def is_update(message):
    return message[2] >> 3 & 15 == 5 and not message[2] & 0x80

"""A way to the database for some, which others do not share."""

import contextlib
import socket
import threading

from tcp_relay import TcpRelay


class Gate(TcpRelay):
    """It can close, at once or after so many octets of the database's answers, or be cut then."""

    def __init__(self, target):
        self.open = threading.Event()
        self.open.set()
        self.left = self.cut = None
        self.links = []
        super().__init__(target)

    def close_after(self, octets, cut=False):
        self.left, self.cut = octets, cut

    def close(self):
        """What is said is heard later; nobody is told."""
        self.open.clear()

    def is_closed(self):
        return not self.open.is_set()

    def open_again(self):
        self.left = None
        self.open.set()

    def pump(self, source, to, is_question, link):
        self.links.append(source)
        super().pump(source, to, is_question, link)

    def change(self, data, is_question):
        self.open.wait()
        return data if is_question or self.left is None else self._bounded(data)

    def _bounded(self, data):
        """What may pass yet. When nothing more may, the gate closes or all is cut."""
        passing, self.left = data[:self.left], self.left - len(data)
        if self.left > 0:
            return passing
        self.left = None
        self.open.clear()
        if self.cut:
            self._cut()
        return passing

    def _cut(self):
        for link in self.links:
            with contextlib.suppress(OSError):          # it has ended
                link.shutdown(socket.SHUT_RDWR)

    def stop(self):
        super().close()
        self.open.set()
        self._cut()

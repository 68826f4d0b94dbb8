"""A way to the database for some, which others do not share."""

import socket
import threading

from lab.process import HOST


class Gate:
    """It can close, at once or after so many octets of the database's answers, or be cut then."""

    def __init__(self, target):
        self.target = target
        self.listener = socket.create_server((HOST, 0))
        self.port = self.listener.getsockname()[1]
        self.open = threading.Event()
        self.open.set()
        self.left = self.cut = None
        self.links = []
        threading.Thread(target=self._accept, daemon=True).start()

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

    def _accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            server = socket.create_connection((HOST, self.target))
            self.links += client, server
            for ends in (client, server, False), (server, client, True):
                threading.Thread(target=self._pour, args=ends, daemon=True).start()

    def _pour(self, source, target, counted):
        try:
            while data := source.recv(65536):
                self.open.wait()
                if counted and self.left is not None:
                    data = self._bounded(data)
                target.sendall(data)
        except OSError:
            pass
        for end in source, target:
            end.close()

    def _bounded(self, data):
        """What may pass yet. When nothing more may, the gate closes or all is cut."""
        passing, self.left = data[:self.left], self.left - len(data)
        if self.left > 0:
            return passing
        self.left = None
        self.open.clear()
        if self.cut:
            for link in self.links:
                link.shutdown(socket.SHUT_RDWR)
        return passing

    def stop(self):
        self.listener.close()
        self.open.set()
        for link in self.links:
            link.close()

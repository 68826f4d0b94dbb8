"""A relay to a server over TCP. A subclass sees what passes, and may change it or end it."""

import contextlib
import socket
import threading

from lab.process import HOST


class TcpRelay:
    """.port leads to the port TARGET of loopback until close()."""

    def __init__(self, target):
        self.target = target
        self.listener = socket.create_server((HOST, 0))
        self.port = self.listener.getsockname()[1]
        begin(self._accept)

    def new_link(self):
        """What the two directions of a connection share."""

    def pump(self, source, to, is_question, _link):
        """Moves one direction of a connection, until its end or an OSError."""
        while data := source.recv(65536):
            to.sendall(self.change(data, is_question))

    def change(self, data, _is_question):
        """What goes on instead of DATA."""
        return data

    def close(self):
        self.listener.close()

    def _accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            begin(self._serve, client)

    def _serve(self, client):
        try:
            server = socket.create_connection((HOST, self.target))
        except OSError:
            client.close()
            return
        link = self.new_link()
        begin(self._pour, client, server, True, link)
        begin(self._pour, server, client, False, link)

    def _pour(self, source, to, is_question, link):
        with contextlib.suppress(OSError, EOFError):
            self.pump(source, to, is_question, link)
        for end in source, to:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()


def begin(work, *arguments):
    threading.Thread(target=work, args=arguments, daemon=True).start()

"""A way to the database on which the answer to a COMMIT gets lost: was it done? Nobody knows."""

import socket
import threading

from lab.process import HOST, free_port

COMMIT = b"\x03COMMIT"          # COM_QUERY


class CommitRelay:
    """.port; lose_one() has the next answer to a COMMIT lost, and its connection with it."""

    def __init__(self, target):
        self.target = target
        self.lost = 0
        self.armed = threading.Semaphore(0)
        self.port = free_port()
        self.listener = socket.create_server((HOST, self.port))
        threading.Thread(target=self._accept, daemon=True).start()

    def lose_one(self):
        self.armed.release()

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
        doomed = threading.Event()
        for source, to, is_question in (client, server, True), (server, client, False):
            threading.Thread(target=self._pour, args=[source, to, is_question, doomed],
                             daemon=True).start()

    def _pour(self, source, to, is_question, doomed):
        try:
            while data := source.recv(65536):
                if is_question and COMMIT in data and self.armed.acquire(blocking=False):
                    doomed.set()
                if not is_question and doomed.is_set():
                    self.lost += 1
                    break
                to.sendall(data)
        except OSError:
            pass
        for end in source, to:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            end.close()

"""A way to the database on which the answer to a COMMIT gets lost: was it done? Nobody knows."""

import socket
import threading

from lab.process import HOST, free_port

COMMIT, ROLLBACK = b"\x03COMMIT", b"\x03ROLLBACK"        # COM_QUERY
OK_PACKET = b"\x00"             # behind its length and number


class CommitRelay:
    """.port; lose_one() drops the next answer to a COMMIT, and its connection with it.

    lose_one(b"192.0.2.7") waits for a transaction that has written these bytes. .was_asked is
    set once that transaction sends its COMMIT. The relay keeps the answer back until let_go().
    """

    def __init__(self, target):
        self.target = target
        self.lost = 0
        self.written = b""
        self.was_asked, self.may_go = threading.Event(), threading.Event()
        self.may_go.set()
        self.armed = threading.Semaphore(0)
        self.port = free_port()
        self.listener = socket.create_server((HOST, self.port))
        threading.Thread(target=self._accept, daemon=True).start()

    def lose_one(self, written=b""):
        self.written = written
        self.was_asked.clear()
        if written:
            self.may_go.clear()
        self.armed.release()

    def let_go(self):
        self.may_go.set()

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
        has_written = False
        try:
            while data := source.recv(65536):
                has_written |= is_question and self.written != b"" and self.written in data
                if is_question and COMMIT in data:
                    is_it = has_written or not self.written
                    if is_it and self.armed.acquire(blocking=False):
                        doomed.set()
                        self.was_asked.set()
                    has_written = False
                elif is_question and ROLLBACK in data:
                    has_written = False
                if not is_question and doomed.is_set():
                    self.may_go.wait()
                    if data[4:5] == OK_PACKET:
                        self.lost += 1
                        break
                    doomed.clear()          # nothing was committed: the next one's is lost
                    self.armed.release()
                to.sendall(data)
        except OSError:
            pass
        for end in source, to:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            end.close()

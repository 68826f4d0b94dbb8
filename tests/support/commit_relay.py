"""A way to the database on which the answer to a COMMIT gets lost: was it done? Nobody knows."""

import threading

from tcp_relay import TcpRelay

COMMIT, ROLLBACK = b"\x03COMMIT", b"\x03ROLLBACK"        # COM_QUERY
OK_PACKET = b"\x00"             # behind its length and number


class CommitRelay(TcpRelay):
    """.port; lose_one() drops the next answer to a COMMIT, and its connection with it.

    lose_one(b"192.0.2.7") waits for a transaction that has written these bytes. .was_asked is
    set once that transaction sends its COMMIT. The relay keeps the answer back until let_go().
    """

    new_link = threading.Event          # set: the answer to its COMMIT is to be lost

    def __init__(self, target):
        self.lost = 0
        self.written = b""
        self.was_asked, self.may_go = threading.Event(), threading.Event()
        self.may_go.set()
        self.armed = threading.Semaphore(0)
        super().__init__(target)

    def lose_one(self, written=b""):
        self.written = written
        self.was_asked.clear()
        if written:
            self.may_go.clear()
        self.armed.release()

    def let_go(self):
        self.may_go.set()

    def pump(self, source, to, is_question, link):
        if is_question:
            self._pump_questions(source, to, link)
        else:
            self._pump_answers(source, to, link)

    def _pump_questions(self, source, to, doomed):
        has_written = False
        while data := source.recv(65536):
            has_written |= self.written != b"" and self.written in data
            if COMMIT in data:
                is_it = has_written or not self.written
                if is_it and self.armed.acquire(blocking=False):
                    doomed.set()
                    self.was_asked.set()
            if COMMIT in data or ROLLBACK in data:
                has_written = False
            to.sendall(data)

    def _pump_answers(self, source, to, doomed):
        while data := source.recv(65536):
            if doomed.is_set():
                self.may_go.wait()
                if data[4:5] == OK_PACKET:
                    self.lost += 1
                    return
                doomed.clear()          # nothing was committed: the next one's is lost
                self.armed.release()
            to.sendall(data)

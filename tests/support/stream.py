"""Producers that change domains all the time, and keep book of what was accepted."""

import logging
import random
import threading
import time
import uuid

import oslo_messaging as om

from checker import Wanted
from story import Caller, put

CALL_SECONDS = 5
GIVE_UP_SECONDS = 90            # the longest that a fault of these stories lasts
AGAIN = ("Busy", "Timeout", "Unavailable")
DELETE_EVERY = 12               # changes between two domains that come and go


class Producer(threading.Thread):
    """One caller with domains of its own.

    A call without an answer may have been done, and may yet be done: it is made again
    until it is answered. Each change is for a name of its own, so that a message that
    comes late finds its work done, and one serial a change is the rule.
    """

    come_and_go_every = DELETE_EVERY    # 0: no domain does

    def __init__(self, url, names, at_least, pace, seed):
        super().__init__(daemon=True)
        self.caller = Caller(url, timeout=CALL_SECONDS)
        logging.getLogger("oslo").setLevel(logging.CRITICAL)    # it is told that brokers go
        self.names, self.at_least, self.pace = names, at_least, pace
        self.random = random.Random(seed)
        self.wanted = []
        self.done = self.repeated = 0
        self.error = None
        self.enough = threading.Event()

    def run(self):
        try:
            for name in self.names:
                self.create(name)
            while self.done < self.at_least or not self.enough.is_set():
                self.change(self.wanted[self.done % len(self.names)])
                if self.come_and_go_every and self.done % self.come_and_go_every == 0:
                    self.come_and_go(f"gone{self.done}-{self.names[0]}")
                time.sleep(self.random.uniform(0, 2 * self.pace))
        except Exception as error:      # what ends a producer ends its story: see join()
            self.error = error
        finally:
            self.caller.close()

    def until_answered(self, method, **arguments):
        deadline = time.monotonic() + GIVE_UP_SECONDS
        while True:
            try:
                return getattr(self.caller, method)(**arguments)
            except (om.MessagingTimeout, om.MessageDeliveryFailure):
                pass
            except om.RemoteError as error:
                if error.exc_type not in AGAIN:
                    raise
            if time.monotonic() > deadline:
                raise AssertionError(f"{method} is not answered in {GIVE_UP_SECONDS} s")
            self.repeated += 1
            time.sleep(self.pace)

    def create(self, name):
        """With an id of our own: to create it twice is to create it once."""
        wanted = Wanted(name, uuid.uuid4().hex)
        self.until_answered("create_domain", domain={"id": wanted.id, "name": name})
        self.wanted.append(wanted)
        return wanted

    def change(self, wanted):
        number = wanted.changes
        owner, address = f"r{number}.{wanted.name}", f"192.0.{number // 250}.{number % 250}"
        self.until_answered("apply_changes", domain=wanted.id, changes=[put(owner, address)])
        wanted.records[owner] = address
        wanted.changes += 1
        self.done += 1

    def come_and_go(self, name):
        wanted = self.create(name)
        try:
            self.until_answered("delete_domain", domain=wanted.id)
        except om.RemoteError as error:
            if error.exc_type != "NotFound":    # deleted by the call that had no answer
                raise
        wanted.is_deleted = True


class Stream:
    """Several producers; `with` ends when each has made its changes, and was not refused."""

    def __init__(self, url, prefix, domains, changes, seed, producers=2, pace=0.05):
        self.producers = []
        for number in range(producers):
            names = [f"{prefix}{index}.example."
                     for index in range(number, domains, producers)]
            self.producers.append(Producer(url, names, changes // producers, pace,
                                           f"{seed} {number}"))

    @property
    def done(self):
        return sum(producer.done for producer in self.producers)

    @property
    def repeated(self):
        return sum(producer.repeated for producer in self.producers)

    @property
    def wanted(self):
        return [wanted for producer in self.producers for wanted in producer.wanted]

    def raise_error(self):
        for producer in self.producers:
            if producer.error:
                raise producer.error

    def has_done(self, count):
        self.raise_error()
        return self.done >= count

    def __enter__(self):
        for producer in self.producers:
            producer.start()
        return self

    def __exit__(self, failed, *_):
        for producer in self.producers:
            producer.at_least = 0 if failed else producer.at_least
            producer.enough.set()
        for producer in self.producers:
            producer.join()
        if not failed:
            self.raise_error()

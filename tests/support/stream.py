"""Producers that change domains all the time, and keep book of what was accepted."""

import logging
import random
import sys
import threading
import time
import unittest
import uuid

import oslo_messaging as om

from checker import Wanted
from story import Caller, put

CALL_SECONDS = 5
GIVE_UP_SECONDS = 90            # the longest that a fault of these stories lasts
AGAIN = ("Busy", "Timeout", "Unavailable")
DELETE_EVERY = 12               # changes between two domains that come and go
PROGRESS_SECONDS = 60           # until the producers go on after a fault
HEAL_SECONDS = 60               # until all is ACTIVE when the faults are over


class Producer(threading.Thread):
    """One caller with domains of its own.

    A call without an answer may have been done, and may yet be done: it is made again
    until it is answered. Each change is for a name of its own, so that a message that
    comes late finds its work done, and one serial a change is the rule.
    """

    come_and_go_every = DELETE_EVERY    # 0: no domain does
    names_of_a_domain = sys.maxsize
    topic = "central"

    def __init__(self, url, names, at_least, pace, seed):
        super().__init__(daemon=True)
        self.url = url
        self.caller = Caller(url, timeout=CALL_SECONDS, topic=self.topic)
        logging.getLogger("oslo").setLevel(logging.CRITICAL)    # it is told that brokers go
        self.names, self.at_least, self.pace = names, at_least, pace
        self.random = random.Random(seed)
        self.wanted = []
        self.done = self.repeated = 0
        self.refusals = []      # of calls that were made again
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
                self.rest()
        except Exception as error:      # what ends a producer ends its story: see join()
            self.error = error
        finally:
            self.caller.close()

    def rest(self):
        time.sleep(self.random.uniform(0, 2 * self.pace))

    def until_answered(self, method, **arguments):
        deadline = time.monotonic() + GIVE_UP_SECONDS
        while True:
            try:
                return getattr(self.caller, method)(**arguments)
            except om.MessagingTimeout:
                self.renew_caller()
            except om.MessageDeliveryFailure:
                pass
            except om.RemoteError as error:
                if error.exc_type not in AGAIN:
                    raise
                self.refusals.append(f"{error.exc_type}: {error.value}")
            if time.monotonic() > deadline:
                raise AssertionError(f"{method} is not answered in {GIVE_UP_SECONDS} s; of late "
                                     f"it heard {self.refusals[-3:]}")
            self.repeated += 1
            time.sleep(self.pace)

    def renew_caller(self):
        """One whose queue for answers went with a node of a cluster may never notice."""
        threading.Thread(target=self.caller.close, daemon=True).start()
        self.caller = Caller(self.url, timeout=CALL_SECONDS, topic=self.topic)

    def until_answered_for(self, wanted, method, **arguments):
        """The same, of a domain that should be there: was it found?"""
        try:
            self.until_answered(method, domain=wanted.id, **arguments)
            return True
        except om.RemoteError as error:
            if error.exc_type != "NotFound":
                raise
            return False

    def create(self, name):
        """With an id of our own: to create it twice is to create it once."""
        wanted = Wanted(name, uuid.uuid4().hex)
        self.until_answered("create_domain", domain={"id": wanted.id, "name": name})
        self.wanted.append(wanted)
        return wanted

    def change(self, wanted):
        number = wanted.changes
        owner = f"r{number % self.names_of_a_domain}.{wanted.name}"
        address = f"192.0.{number // 250}.{number % 250}"
        if self.until_answered_for(wanted, "apply_changes", changes=[put(owner, address)]):
            wanted.records[owner] = address
            wanted.changes += 1
        else:
            wanted.is_lost = True
        self.done += 1

    def come_and_go(self, name):
        self.delete(self.create(name))

    def delete(self, wanted):
        """Who had to ask again may hear that it is gone: by the call that had no answer."""
        before = self.repeated
        was_found = self.until_answered_for(wanted, "delete_domain")
        wanted.is_deleted = was_found or self.repeated > before
        wanted.is_lost = not wanted.is_deleted


class Stream:
    """Several producers; `with` ends when each has made its changes, and was not refused."""

    def __init__(self, url, prefix, domains, changes, seed, producers=2, pace=0.05,
                 kind=Producer):
        self.producers = []
        for number in range(producers):
            names = [f"{prefix}{index}.example."
                     for index in range(number, domains, producers)]
            self.producers.append(kind(url, names, changes // producers, pace,
                                       f"{seed} {number}"))

    def also(self, producer):
        """One that was no thread: what it did counts, too."""
        self.producers.append(producer)

    @property
    def done(self):
        return sum(producer.done for producer in self.producers)

    @property
    def repeated(self):
        return sum(producer.repeated for producer in self.producers)

    @property
    def refusals(self):
        return [words for producer in self.producers for words in producer.refusals]

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


class StreamStory(unittest.TestCase):
    """Faults during a stream. Its module sets the fleet, its checker and these numbers."""

    fleet = checker = None
    audit = None            # of a fleet that all servers have to agree in
    seed = 0
    domains, changes = 10, 60

    def setUp(self):
        self.random = random.Random(f"{self.seed} {self.id()}")
        self.mark = self.audit.mark() if self.audit else 0

    def stream(self, domains=None, changes=None):
        prefix = f"{self.id().rpartition('.test_')[2].replace('_', '-')}-d"
        self.producers = Stream(self.fleet.rabbitmq.url, prefix, domains or self.domains,
                                changes or self.changes, self.seed)
        return self.producers

    def wait_changes(self, seconds=PROGRESS_SECONDS):
        """Waits for some changes more: a random moment, and the proof that they go on."""
        goal = self.producers.done + self.random.randint(2, 8)
        self.fleet.wait_for(lambda: self.producers.has_done(goal), seconds,
                            f"{goal} changes are made (seed {self.seed})")

    def complaints(self):
        """Of what there is now, and of the way there."""
        found = self.checker.complaints(self.producers.wanted)
        if self.audit:
            found += self.audit.faults(self.mark, len(self.fleet.name_servers))
        return found

    def assert_healed(self):
        """All that was accepted is there, everywhere, once, and no step was wrong."""
        self.checker.wait_settled(HEAL_SECONDS)
        self.assertEqual(self.complaints(), [], f"seed {self.seed}")
        print(f"{self.producers.done} changes, {self.producers.repeated} calls repeated ... ",
              end="", file=sys.stderr, flush=True)

    def start(self, server):
        """As an init would: with the same files and ports."""
        server.launch()
        server.wait_ready()

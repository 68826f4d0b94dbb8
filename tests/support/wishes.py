"""Producers that want records of zonefleet-ownership all the time, and keep book of what was
accepted; and a watcher, who reads the zone all the time.

A call without an answer is made again until it is answered: it may be done late, and twice.
"""

import threading

from ownership_lab import full
from stream import Producer

OWNER = "us"


class Wisher(Producer):
    """One resource in one zone. .wanted: what was accepted, as Lab.data() has it."""

    topic = "ownership"

    def __init__(self, url, zone, resource, pace, seed):
        super().__init__(url, [zone], 0, pace, seed)
        self.zone, self.resource = zone, resource
        self.wanted = {}
        self.may_go = threading.Event()
        self.may_go.set()

    def run(self):
        try:
            while not self.enough.is_set():
                self.wish()
                self.done += 1
                self.rest()
                self.may_go.wait()
        except Exception as error:      # what ends a producer ends its story
            self.error = error
        finally:
            self.caller.close()

    def tell(self, wanted, complete=True):
        """WANTED as {(owner, type): [rdata]}, until it is accepted."""
        endpoints = [{"dnsname": full(owner, self.zone), "type": rtype, "targets": targets}
                     for (owner, rtype), targets in wanted.items()]
        self.until_answered("apply_endpoints", storage_id=OWNER, zone=self.zone,
                            resource=self.resource, endpoints=endpoints, complete=complete)


class Adder(Wisher):
    """One name more with each call: whatever comes late finds its work done."""

    def wish(self):
        key = f"{self.resource}-{self.done}", "A"
        self.tell({key: [f"192.0.2.{self.done % 250}"]}, complete=False)
        self.wanted[key] = [f"192.0.2.{self.done % 250}"]


class Changer(Wisher):
    """Many names, of other types and records, and other ones, with each call."""

    numbers, at_once = range(60), 40
    theirs = ()         # names of others that it wants, too

    def wish(self):
        wanted = {}
        for number in self.random.sample(self.numbers, self.at_once):
            rtype, target = self.random.choice((
                ("A", f"192.0.2.{self.random.randrange(250)}"),
                ("AAAA", f"2001:db8::{self.random.randrange(1, 250):x}"),
                ("CNAME", f"x{self.random.randrange(9)}.example.net."),
                ("TXT", f'"{self.random.randrange(1000)}"')))
            wanted[f"c{number}", rtype] = [target]
        contested = {(owner, "A"): ["192.0.2.251"] for owner in self.theirs}
        self.tell(wanted | contested)
        self.wanted = wanted


def own(records, foreign):
    """(sets, sets that marks are for), of the zone's records that are not FOREIGN."""
    sets, marked = set(), set()
    for owner, rtype in records.keys() - foreign.keys():
        if owner.startswith("_own-"):
            kind, _, name = owner.removeprefix("_own-").partition(".")
            marked.add((name or "@", kind.upper()))
        else:
            sets.add((owner, rtype))
    return sets, marked


class Watcher(threading.Thread):
    """Of each moment of the zone that it sees: marks and records are together, and what is
    FOREIGN is as it was."""

    def __init__(self, lab, zone, foreign):
        super().__init__(daemon=True)
        self.lab, self.zone, self.foreign = lab, zone, foreign
        self.complaints, self.looks = [], 0
        self.over = threading.Event()

    def run(self):
        while not self.over.wait(0.05):
            try:
                records = self.lab.zone(self.zone)
            except Exception:   # eventlet has a dnspython of its own: its errors have no one name
                continue        # it is away, or not yet back
            self.look(records)

    def look(self, records):
        self.looks += 1
        sets, marked = own(records, self.foreign)
        if sets != marked:
            self.complaints.append(f"records and marks differ: {sorted(sets ^ marked)}")
        for key, foreign in self.foreign.items():
            if records.get(key) != foreign:
                self.complaints.append(f"of others, {key} was {foreign} and is "
                                       f"{records.get(key)}")

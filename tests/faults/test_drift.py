"""What drifts on the name servers during a stream of changes is put right, soon and once.

A zone is deleted on a server, an older copy replaces it, a record is edited under the same
serial, a cast is lost: at random, on domains that stand still and on such that change all
the time. Each is put right, within two rounds and by one action, and nothing else is touched.

ZONEFLEET_FAULTS=short is what CI runs, `make test-drift` the long form; ZONEFLEET_DRIFTS,
ZONEFLEET_DRIFT_SECONDS and ZONEFLEET_WRITES (a second) are its size. ZONEFLEET_SEED=N
repeats the drifts of a run.
"""

import os
import random
import re
import shutil
import statistics
import sys
import tempfile
import time
import unittest
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import drift                                                    # noqa: E402
from audit import Audit                                         # noqa: E402
from checker import Checker, Wanted                             # noqa: E402
from rounds import Actions, Rounds                              # noqa: E402
from story import Caller, put, start_fleet                      # noqa: E402
from stream import HEAL_SECONDS, Producer, Stream               # noqa: E402

SHORT = os.environ.get("ZONEFLEET_FAULTS") == "short"


def size(name, short, long):
    return int(os.environ.get(name) or (short if SHORT else long))


SEED = int(os.environ.get("ZONEFLEET_SEED") or random.randrange(10**6))
DRIFTS = size("ZONEFLEET_DRIFTS", 40, 150)
SECONDS = size("ZONEFLEET_DRIFT_SECONDS", 45, 120)
WRITES = size("ZONEFLEET_WRITES", 40, 60)
# that stand still, and as many that do not
DOMAINS = max(20, DRIFTS // 16)
PRODUCERS = 20
RECORDS_A_CALL = 2              # each is a write
QUEUE = "pool_manager.default"
REPAIRS_AN_HOUR = 5             # of a zone on a server; then it is left to a person

ROUND_SECONDS = 2               # periodic_sync_interval
# behind the rounds: a poll that fails (two tries), the retry's second, a transfer; a busy machine
ACTION_SECONDS = 10
# a round's: its walk takes most of it, and a comparison that the server breaks off (NSD when it
# reloads) is made once more, after two seconds
SIGHT_SECONDS = ROUND_SECONDS + 2
LOOK_SECONDS = 0.1
SHOW_SECONDS = 2
READY_SECONDS = 60

RIGHT, WRONG = "192.0.2.1", "192.0.2.99"
# kind: how many of ten, and the rounds until it is believed
KINDS = {"content": (4, 2), "deleted": (3, 1), "old": (2, 1), "lost": (1, 1)}
# What a server does not do: NSD that has an old serial notices that itself, at once; for Knot
# see drift.replace().
NOT_ON_STILL = {"old": ("nsd",)}
NOT_ON_MOVING = {"old": ("nsd", "knot"), "content": ("knot",)}


def www(zone):
    return f"www.{zone}"


class Writer(Producer):
    """Changes its domains in turn, in time: a second that was lost is made up for."""

    come_and_go_every = 0
    names_of_a_domain = 20
    due = 0

    def create(self, name):
        wanted = super().create(name)
        for address in WRONG, RIGHT:
            self.until_answered("apply_changes", domain=wanted.id,
                                changes=[put(www(name), address)])
            wanted.changes += 1
        wanted.records[www(name)] = RIGHT
        return wanted

    def change(self, wanted):
        owners = [f"r{(wanted.changes + index) % self.names_of_a_domain}.{wanted.name}"
                  for index in range(RECORDS_A_CALL)]
        address = f"192.0.{wanted.changes // 250}.{wanted.changes % 250}"
        self.until_answered("apply_changes", domain=wanted.id,
                            changes=[put(owner, address) for owner in owners])
        wanted.records |= dict.fromkeys(owners, address)
        wanted.changes += 1
        self.done += 1

    def rest(self):
        self.due = max(self.due, time.monotonic() - 1) + self.pace
        time.sleep(max(0, self.due - time.monotonic()))


class Drift:
    """Of one domain on one server, or, where a cast is lost, on all of them."""

    def __init__(self, kind, wanted, is_still, servers):
        self.kind, self.wanted, self.is_still, self.servers = kind, wanted, is_still, servers
        self.zone = wanted.name
        self.serial = None      # that the servers have when it is over, or a newer one
        # when it was begun, when it stood, when all was right again
        self.injected = self.began = self.ended = None

    def __str__(self):
        return (f"{self.kind} of {self.zone} on {'+'.join(s.name for s in self.servers)} "
                f"at {self.began:.3f}")

    def is_over(self):
        """A server may take a moment to show what was edited."""
        shown = self.kind != "content" or time.time() > self.began + SHOW_SECONDS
        return shown and all((drift.serial(server, self.zone) or 0) >= self.serial
                           and drift.address(server, www(self.zone)) == RIGHT
                           for server in self.servers)

    def explains(self, server, zone, moment, grace=1):
        """May what was done to the zone then be due to it?"""
        return (self.zone == zone and server in [server.name for server in self.servers]
                and self.injected <= moment <= (self.ended or moment) + grace)


# ---- what came of them ----

class Findings:
    """Of drifts that are over: what was late, missing, or done too often."""

    def __init__(self, drifts, rounds, actions, since):
        self.drifts, self.rounds, self.actions, self.since = drifts, rounds, actions, since

    def faults(self):
        found = [f"{one}: {words}" for one in self.drifts for words in self.faults_of(one)]
        found += [f"not called for: {row}" for row in self.actions.other]
        # a comparison that began before the end may report a difference after it
        for name, done, kinds, grace in (
                ("repaired", self.actions.repairs, ["content"], 1),
                ("suspected", self.actions.suspected, ["content", "old"], SIGHT_SECONDS),
                ("created", self.actions.created, KINDS, 1)):
            found += [f"{name} for nothing: {' '.join(map(str, action))}" for action in done
                      if action[2] > self.since and not self.is_explained(action, kinds, grace)]
        return found

    def is_explained(self, action, kinds, grace):
        return any(one.kind in kinds and one.explains(*action[:3], grace)
                   for one in self.drifts)

    def faults_of(self, one):
        repairs = [action for action in self.actions.repairs if one.explains(*action[:3])]
        created = [action for action in self.actions.created if one.explains(*action)]
        return self.of_time(one) + self.of_repairs(one, repairs) + self.of_creation(one, created)

    def rounds_until(self, one, moment):
        return sum(begun <= moment
                   for begun in self.rounds.since(one.wanted.id, one.began))

    def of_time(self, one):
        begun, needed = self.rounds.since(one.wanted.id, one.began), KINDS[one.kind][1]
        late = len(begun) >= needed and one.ended - begun[needed - 1] - ACTION_SECONDS
        return [f"{late:.1f} s late"] if late > 0 else []

    def of_repairs(self, one, repairs):
        """What was edited a change may put right before anybody has seen it twice; and a server
        that is at a transfer may pass over the one that it is told to begin.
        """
        few, many = (one.is_still, 1 if one.is_still else 2) if one.kind == "content" else (0, 0)
        if not few <= len(repairs) <= many:
            return [f"repaired {len(repairs)} times"]
        rounds = [self.rounds_until(one, seen - SIGHT_SECONDS) for *_, seen in repairs]
        return [f"seen twice after {count} rounds" for count in rounds
                if one.is_still and count > KINDS["content"][1]]

    def of_creation(self, one, created):
        """BIND has no such zone for a moment while drift.replace() edits it."""
        few, many = (1, 1) if one.kind == "deleted" else (0, one.servers[0].name == "bind")
        return [] if few <= len(created) <= many else [f"created {len(created)} times"]

    def figures(self):
        lengths = self.rounds.lengths()
        words = [f"rounds of {statistics.median(lengths):.1f} s (max {max(lengths):.1f})"]
        for kind in KINDS:
            for is_still in True, False:
                some = [one for one in self.drifts
                        if (one.kind, one.is_still) == (kind, is_still)]
                words += [self.figures_of(some)] if some else []
        return ", ".join(words)

    def figures_of(self, some):
        took = [one.ended - one.began for one in some]
        rounds = max(self.rounds_until(one, one.ended) for one in some)
        return (f"{len(some)} {some[0].kind} {'still' if some[0].is_still else 'moving'} "
                f"{statistics.median(took):.1f} s (max {max(took):.1f}, {rounds} rounds)")


# ---- the story ----

class DriftStory(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        folder = Path(tempfile.mkdtemp(prefix="zfdrift"))
        cls.addClassCleanup(shutil.rmtree, folder)
        cls.fleet = cls.enterClassContext(start_fleet(folder / "fleet", settings={
            "log": {"level": "info"},
            "poolmgr": {"periodic_sync_interval": ROUND_SECONDS, "compare_every": 1}}))
        cls.checker = Checker(cls.fleet)
        cls.audit = Audit(cls.fleet.mariadb)
        cls.caller = Caller(cls.fleet.rabbitmq.url)
        cls.addClassCleanup(cls.caller.close)

    def test_drifts(self):
        self.still = self.stream("still-d", 2, 0)
        with self.still:
            pass
        self.moving = self.stream("moving-d", PRODUCERS, PRODUCERS * RECORDS_A_CALL / WRITES)
        with self.moving:
            self.prepare()
            self.drift_during_writes()
        findings = Findings(self.drifts, self.rounds, Actions.of(self.fleet), self.started)
        print(f"seed {SEED}, {self.writes:.0f} writes/s, {findings.figures()}, comparisons: "
              f"{self.comparisons()} ... ", end="", file=sys.stderr, flush=True)
        self.checker.wait_settled(HEAL_SECONDS)
        self.assertEqual(findings.faults(), [], f"seed {SEED}")
        self.assertEqual(self.active_all_the_time(), [], f"seed {SEED}")
        self.assertEqual(self.checker.complaints(self.still.wanted + self.moving.wanted), [])
        self.assertEqual(self.audit.faults(needed=len(self.fleet.name_servers)), [])

    def active_all_the_time(self):
        """Domains that had an older serial on a server, long enough to be seen, and no error."""
        log = "".join(worker.log.read_text() for worker in self.fleet.workers
                      if worker.kind == "central")
        return [str(one) for one in self.drifts if (one.kind, one.is_still) == ("old", True)
                and one.ended - one.began > ACTION_SECONDS / 2
                and not re.search(rf"domain status changed: domain={re.escape(one.zone)} "
                                  r".*task=UPDATE status=ERROR", log)]

    # ---- the domains ----

    def stream(self, prefix, producers, pace):
        return Stream(self.fleet.rabbitmq.url, prefix, DOMAINS, 0, SEED, producers, pace,
                      kind=Writer)

    def prepare(self):
        """Domains that all servers have, and an older copy of each."""
        self.fleet.wait_for(lambda: len(self.moving.wanted) == DOMAINS, READY_SECONDS,
                            "all domains are created")
        self.copies = {}
        for wanted in self.still.wanted + self.moving.wanted:
            self.wait_served(wanted)
            self.copies[wanted.name] = drift.transferred(self.fleet.bind, wanted.name)
        for wanted in self.still.wanted:
            self.write(wanted)
        for wanted in self.still.wanted:
            self.caller.settled(wanted.id, seconds=READY_SECONDS)

    def wait_served(self, wanted):
        self.fleet.wait_for(
            lambda: all(drift.address(server, www(wanted.name)) == RIGHT
                        for server in self.fleet.name_servers),
            READY_SECONDS, f"all servers have {wanted.name}")

    def write(self, wanted):
        """To a domain that stands still otherwise."""
        owner, address = f"r.{wanted.name}", f"192.0.3.{wanted.changes}"
        self.caller.apply_changes(domain=wanted.id, changes=[put(owner, address)])
        wanted.records[owner] = address
        wanted.changes += 1

    def stored_serial(self, wanted):
        return int(self.fleet.mariadb.sql(
            f"SELECT serial FROM domains WHERE id = '{wanted.id}'")[0][0])

    # ---- what will drift ----

    def draw(self):
        """All of them: of each domain in turn, so that few of them wait for another one."""
        chance, drifts = random.Random(SEED), []
        self.edited = Counter()         # (server, zone)
        domains = [(wanted, True) for wanted in self.still.wanted]
        domains += [(wanted, False) for wanted in self.moving.wanted]
        domains.sort(key=lambda domain: domain[0].name)
        while len(drifts) < DRIFTS:
            chance.shuffle(domains)
            drifts += [self.draw_one(chance, *domain) for domain in domains]
        return drifts[:DRIFTS]

    def draw_one(self, chance, wanted, is_still):
        """A domain that moves has no use for a cast that is lost: the next one does for it."""
        kinds = {kind: tenths for kind, (tenths, _) in KINDS.items()
                 if is_still or kind != "lost"}
        kind = chance.choices(list(kinds), kinds.values())[0]
        spared = (NOT_ON_STILL if is_still else NOT_ON_MOVING).get(kind, ())
        servers = [server for server in self.fleet.name_servers if server.name not in spared]
        server = chance.choice(servers)
        if kind == "content" and self.edited[server, wanted.name] == REPAIRS_AN_HOUR:
            return self.draw_one(chance, wanted, is_still)
        self.edited[server, wanted.name] += kind == "content"
        return Drift(kind, wanted, is_still, servers if kind == "lost" else [server])

    # ---- it drifts ----

    def drift_during_writes(self):
        self.rounds = Rounds.of(self.fleet, QUEUE)
        self.drifts, self.open = [], []
        self.started, done = time.time(), self.moving.done
        self.inject_all(self.draw())
        self.writes = (self.moving.done - done) * RECORDS_A_CALL / (time.time() - self.started)
        self.fleet.wait_for(self.watch, HEAL_SECONDS, f"{[*map(str, self.open)]} are over")

    def inject_all(self, waiting):
        """At an even pace, and a domain's next one when its last is over."""
        while waiting:
            self.moving.raise_error()
            due = (time.time() - self.started) * DRIFTS / SECONDS
            if len(self.drifts) < due and waiting[0].zone not in [o.zone for o in self.open]:
                one = waiting.pop(0)
                self.inject(one)
                self.drifts.append(one)
                self.open.append(one)
            self.watch()
            time.sleep(LOOK_SECONDS)

    def watch(self):
        """True when all are over."""
        self.rounds.look()
        for one in [one for one in self.open if one.is_over()]:
            one.ended = time.time()
            self.open.remove(one)
            if one.kind == "content":
                drift.forget(one.servers[0], one.zone)
        return not self.open

    def comparisons(self):
        """How many ended how."""
        outcomes = Counter()
        for worker in self.fleet.workers:
            if worker.kind == "minidns":
                outcomes.update({outcome: int(count) for outcome, count in re.findall(
                    r'minidns_comparisons_total\{outcome="(\w+)"\} (\d+)',
                    worker.page("/metrics")[1])})
        return dict(outcomes)

    def inject(self, one):
        one.serial = self.stored_serial(one.wanted)
        one.injected = time.time()
        getattr(self, f"inject_{one.kind}")(one, one.servers[0], one.zone)
        one.began = time.time()

    def inject_deleted(self, _, server, zone):
        drift.remove(server, zone)

    def inject_old(self, _, server, zone):
        drift.replace(server, zone, self.copies[zone])

    def inject_content(self, one, server, zone):
        edited = [line.replace(f"A {RIGHT}", f"A {WRONG}")
                  for line in drift.transferred(server, zone)]
        drift.replace(server, zone, edited)
        if one.is_still:
            self.fleet.wait_for(lambda: drift.address(server, www(zone)) == WRONG, 5,
                                f"{server.name} serves what was edited in {zone}")

    def inject_lost(self, one, *_):
        with drift.lost_cast(self.fleet.rabbitmq.url, QUEUE, one.wanted.id):
            self.write(one.wanted)
        one.serial = self.stored_serial(one.wanted)


class FindingsThemselves(unittest.TestCase):
    """They see what they are there to see."""

    def findings(self, kind="content", server="knot", is_still=True, took=4, **actions):
        """Of a drift at 1000, with rounds at 1001, 1003, ..., in a line."""
        one = Drift(kind, Wanted("a.", "0" * 32), is_still, [SimpleNamespace(name=server)])
        one.injected, one.began, one.ended = 999, 1000, 1000 + took
        rounds = Rounds(["member"])
        rounds.begun["member"] = [(moment, moment) for moment in range(1001, 1100, 2)]
        return "; ".join(Findings([one], rounds, Actions(**actions), 900).faults())

    def test_what_is_right(self):
        repair, creation = ("knot", "a.", 1004, 1003.5), ("knot", "a.", 1002)
        for given in ({"repairs": [repair], "suspected": [("knot", "a.", 1001)]},
                      {"repairs": [repair],
                       "suspected": [("knot", "a.", 1003 + SIGHT_SECONDS)]},
                      {"repairs": [repair], "is_still": False},
                      {"is_still": False},
                      {"kind": "deleted", "created": [creation]},
                      {"kind": "old", "server": "bind", "created": [("bind", "a.", 1002)]},
                      {"kind": "old"}, {"kind": "lost"}):
            self.assertEqual(self.findings(**given), "", given)

    def test_what_is_wrong(self):
        repair, creation = ("knot", "a.", 1004, 1003.5), ("knot", "a.", 1002)
        for words, given in (
                ("1.0 s late", {"repairs": [repair], "took": 14}),
                ("1.0 s late", {"repairs": [repair], "is_still": False, "took": 14}),
                ("1.0 s late", {"kind": "old", "took": 12}),
                ("repaired 0 times", {}),
                ("repaired 2 times", {"repairs": [repair, repair]}),
                ("repaired 3 times", {"repairs": [repair] * 3, "is_still": False}),
                ("repaired 1 times", {"kind": "old", "repairs": [repair]}),
                ("repaired for nothing: knot a.", {"kind": "deleted", "repairs": [repair]}),
                ("repaired for nothing: nsd a.", {"repairs": [repair, ("nsd", *repair[1:])]}),
                ("repaired for nothing: knot b.", {"repairs": [("knot", "b.", 1004, 1003)]}),
                ("repaired for nothing", {"repairs": [("knot", "a.", 998, 997)]}),
                ("repaired for nothing", {"repairs": [("knot", "a.", 1006, 1003)]}),
                ("suspected for nothing", {"kind": "lost", "suspected": [("knot", "a.", 1001)]}),
                ("suspected for nothing",
                 {"repairs": [repair], "suspected": [("knot", "a.", 1005 + SIGHT_SECONDS)]}),
                ("seen twice after 3 rounds", {"repairs": [("knot", "a.", 1009, 1009)], "took": 9}),
                ("created 0 times", {"kind": "deleted"}),
                ("created 2 times", {"kind": "deleted", "created": [creation, creation]}),
                ("created 1 times", {"kind": "old", "created": [creation]}),
                ("created for nothing", {"kind": "old", "created": [("nsd", "a.", 1002)]}),
                ("not called for: ['STRAY']", {"other": [["STRAY"]]})):
            self.assertIn(words, self.findings(**given), given)


if __name__ == "__main__":
    unittest.main(verbosity=2)

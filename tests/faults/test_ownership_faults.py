"""Zones of a primary that is not ours, while broker, database, primary and workers fail.

Afterwards all that was accepted is in the zones, with its marks, and what others have is
as it was; and at no moment did the zone show one without the other.

ZONEFLEET_FAULTS=short is what CI runs; ZONEFLEET_SEED=N repeats the moments of a run.
"""

import itertools
import os
import random
import signal
import sys
import threading
import time
import unittest
from contextlib import contextmanager
from pathlib import Path

import dns.rcode

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "integration"), str(ROOT / "tests" / "support")]
from ownership_lab import ZONE, Lab                             # noqa: E402
from faults import ROUNDS, SEED, SHORT, hold                    # noqa: E402
from frames_relay import is_update                              # noqa: E402
from lab.process import LabError                                # noqa: E402
from wishes import OWNER, Adder, Changer, Watcher, Wisher, own  # noqa: E402

BESIDE = "beside.test"          # at a primary of its own
SILENCE, LONG_SILENCE = 1, 30   # how long the primaries may say nothing
STOP_SECONDS = 10.5             # ten are promised
PROGRESS_SECONDS = 40
HEAL_SECONDS = 60
AWAY_SECONDS = 1 if SHORT else 20
QUIET_SECONDS = 5 if SHORT else 30
KILLS, CUTS = (6, 1) if SHORT else (100, 4)
PACE = 0.05
FOREIGN = [f"f{i} {30 + i} A 192.0.2.{i}" for i in range(40)]
FOREIGN += [f'f{i} 60 TXT "heritage=external-dns,external-dns/owner=other"' for i in range(20)]
FOREIGN += [f"g{i} 60 CNAME f{i}" for i in range(10)]
CONTESTED = ("f0", "g0", "f30")

SETTINGS = {"timeout": SILENCE, "resync_period": 5, "batch_changes": 10,
            "interval": 0 if SHORT else 1,
            "max_delete_pct": 100, "max_update_pct": 100, "min_records": 10000}
ZONES = [{"zone": ZONE, "storage_id": OWNER},
         {"zone": BESIDE, "storage_id": OWNER, "timeout": LONG_SILENCE}]


def setUpModule():
    print(f"seed {SEED}", file=sys.stderr)
    Story.lab = lab = unittest.enterModuleContext(
        Lab(workers=2, zones=ZONES, beside=BESIDE, settings=SETTINGS,
            text="\n".join(FOREIGN) + "\n"))
    Story.foreign = {ZONE: lab.zone(), BESIDE: lab.zone(BESIDE)}


def is_transfer(message):
    """A part of one."""
    return message[2] >> 3 & 15 == 0 and message[2] & 0x80


def is_reply_to_update(message):
    return message[2] >> 3 & 15 == 5 and message[2] & 0x80


class Held:
    """The first message that one is looking for stays where it is until let_go()."""

    def __init__(self, relay, way, is_wanted, number=1):
        self.came, self.gone = threading.Event(), threading.Event()
        self.seen = itertools.count(1)
        self.is_wanted, self.number = is_wanted, number
        setattr(relay, way, self.look)

    def look(self, message):
        if self.is_wanted(message) and next(self.seen) == self.number:
            self.came.set()
            self.gone.wait(PROGRESS_SECONDS)
        return message

    def let_go(self):
        self.gone.set()


class Story(unittest.TestCase):

    number = itertools.count(1)
    lab = None

    def setUp(self):
        self.random = random.Random(f"{SEED} {self.id()}")
        self.hand = Wisher(self.lab.rabbitmq.url, ZONE, "hand", PACE, 0)    # is never started
        self.addCleanup(self.hand.caller.close)
        self.wishers, self.told = [], set()
        self.addCleanup(self.clear)

    def clear(self):
        """For the next story: nothing is wanted, and nothing of ours is there."""
        self.lab.relay.let_pass()
        for zone, resource in {*self.told, (ZONE, "hand"), (BESIDE, "hand")}:
            self.hand.zone, self.hand.resource = zone, resource
            self.hand.tell({})
        for zone in ZONE, BESIDE:
            self.wait_for(lambda: self.lab.zone(zone) == self.foreign[zone], HEAL_SECONDS,
                          f"all of ours is gone from {zone}")

    def wait_for(self, condition, seconds, what):
        return self.lab.wait_for(condition, seconds, what)

    # ---- the stream ----

    @contextmanager
    def stream(self):
        """Wishes all the time. At its end each of them was accepted, and is told again."""
        tag, url = next(self.number), self.lab.rabbitmq.url
        self.adder = Adder(url, ZONE, f"a{tag}", PACE, f"{SEED} {tag} a")
        self.beside = Adder(url, BESIDE, f"b{tag}", PACE, f"{SEED} {tag} b")
        self.changer = Changer(url, ZONE, f"c{tag}", 4 * PACE, f"{SEED} {tag} c")
        self.changer.theirs = CONTESTED
        self.wishers = [self.adder, self.beside, self.changer]
        self.told |= {(wisher.zone, wisher.resource) for wisher in self.wishers}
        self.watchers = [Watcher(self.lab, zone, self.foreign[zone]) for zone in (ZONE, BESIDE)]
        threads = [*self.wishers, *self.watchers]
        for thread in threads:
            thread.start()
        try:
            self.wait_progress()
            yield
            self.wait_progress()
        finally:
            self.lab.relay.let_pass()
            for wisher in self.wishers:
                wisher.enough.set()
                wisher.may_go.set()
            for wisher in self.wishers:
                wisher.join(PROGRESS_SECONDS + HEAL_SECONDS)
            for watcher in self.watchers:
                watcher.over.set()
            for watcher in self.watchers:
                watcher.join(PROGRESS_SECONDS)
        self.raise_error()

    def raise_error(self):
        for wisher in self.wishers:
            if wisher.error:
                raise wisher.error

    def wait_accepted(self, wisher, more=1):
        before = wisher.done

        def is_done():
            self.raise_error()
            return wisher.done >= before + more
        self.wait_for(is_done, PROGRESS_SECONDS, f"{wisher.resource} is heard")

    def wait_come(self, adder):
        """What is wanted from now on is in its zone."""
        self.wait_accepted(adder)
        key = list(adder.wanted)[-1]
        self.wait_for(lambda: key in self.lab.data(adder.zone), PROGRESS_SECONDS,
                      f"{key} comes to {adder.zone}")

    def wait_progress(self):
        self.wait_accepted(self.changer)
        for adder in self.adder, self.beside:
            self.wait_come(adder)

    def mid_batch(self):
        """A message of several, or its answer, is on its way; it goes on at let_go()."""
        way, is_wanted = self.random.choice((
            ("on_question", is_update), ("on_answer", is_reply_to_update)))
        held = Held(self.lab.relay, way, is_wanted, self.random.randrange(1, 4))
        self.addCleanup(held.let_go)
        self.wait_for(held.came.is_set, PROGRESS_SECONDS, "an update is on its way")
        return held

    # ---- what is checked ----

    def wanted(self, zone):
        wanted = {}
        for wisher in self.wishers:
            if wisher.zone == zone:
                wanted |= wisher.wanted
        return wanted

    def assert_healed(self):
        tell_again = Wisher(self.lab.rabbitmq.url, ZONE, self.changer.resource, PACE, 0)
        tell_again.tell(self.changer.wanted)
        tell_again.caller.close()
        for zone in ZONE, BESIDE:
            self.assert_kept(zone, self.wanted(zone))
        for watcher in self.watchers:
            self.assertEqual(watcher.complaints, [])
            self.assertGreater(watcher.looks, 10)
        print(f"{sum(wisher.done for wisher in self.wishers)} wishes, "
              f"{sum(wisher.repeated for wisher in self.wishers)} told again, "
              f"{sum(watcher.looks for watcher in self.watchers)} looks ... ",
              end="", file=sys.stderr, flush=True)

    def assert_kept(self, zone, wanted):
        """The zone has that, and what others have, and no more; so do our rows."""
        foreign = self.foreign[zone]

        def ours():
            return {key: records for key, records in self.lab.data(zone).items()
                    if key not in foreign}
        try:
            self.wait_for(lambda: ours() == wanted, HEAL_SECONDS, f"{zone} is as it is wanted")
        except LabError:
            self.assertEqual(ours(), wanted)
            raise
        records = self.lab.zone(zone)
        self.assertEqual({key: records.get(key) for key in foreign}, foreign)
        self.assertEqual(*own(records, foreign))
        self.wait_for(lambda: self.rows(zone) == len(wanted), HEAL_SECONDS,
                      "the rows say what was made, and no more is intended")
        serial = self.lab.serial(zone)
        plan = self.lab.planned(zone=zone)
        self.assertEqual((plan["state"], plan["plan"]["steps"].keys() - {"none"}), ("OK", set()))
        self.assertEqual(self.lab.serial(zone), serial)

    def rows(self, zone):
        """How many record sets we know of; -1 while anything is intended."""
        found = self.lab.mariadb.sql(
            "SELECT COUNT(*), COUNT(o.intended) FROM ownership o "
            f"JOIN registries r ON r.id = o.registry_id WHERE r.zone = '{zone}.'")[0]
        return int(found[0]) if found[1] == "0" else -1


class Broker(Story):

    def test_connections_cut_and_stopped_mid_batch(self):
        with self.stream():
            for _ in range(CUTS):
                self.lab.rabbitmq.close_connections()
                self.wait_accepted(self.adder)
            for _ in range(ROUNDS):
                held = self.mid_batch()
                self.lab.rabbitmq.stop()
                held.let_go()
                hold(AWAY_SECONDS)
                self.lab.rabbitmq.launch()
                self.lab.rabbitmq.wait_ready()
                self.lab.relay.let_pass()
                self.wait_progress()
        self.assert_healed()


class Database(Story):

    def ends(self):
        return [self.lab.mariadb.stop, self.lab.mariadb.kill9]

    def test_stopped_mid_batch(self):
        with self.stream():
            for end in self.random.sample(self.ends(), 1 if SHORT else 2) * ROUNDS:
                held = self.mid_batch()
                end()
                held.let_go()
                hold(AWAY_SECONDS)
                self.lab.mariadb.launch()
                self.lab.mariadb.wait_ready()
                self.lab.relay.let_pass()
                self.wait_progress()
        self.assert_healed()

    def test_connections_killed(self):
        """Whatever they are at: between two statements, within one, at COMMIT."""
        with self.stream():
            for _ in range(KILLS):
                self.lab.mariadb.sql("KILL CONNECTION USER zonefleet", administrator=True)
                hold(self.random.uniform(0, 0.3))
        self.assert_healed()

    def test_slow(self):
        """Nothing can be written for a while, the last time for longer than a lock lasts."""
        with self.stream():
            for seconds in (4,) if SHORT else (0.5, 1, 4, 8):
                self.wait_accepted(self.adder)
                self.lab.mariadb.sql("FLUSH TABLES WITH READ LOCK; "
                                     f"SELECT SLEEP({seconds}); UNLOCK TABLES",
                                     administrator=True)
        self.assert_healed()


class Primary(Story):

    def start(self):
        self.lab.bind.launch()
        self.lab.bind.wait_ready()
        self.lab.relay.let_pass()

    def test_restarted_and_killed_mid_batch(self):
        """It is asked less and less often while it is away; the other zone goes on."""
        with self.stream():
            for _ in range(CUTS):
                held = self.mid_batch()
                self.lab.bind.stop()
                held.let_go()
                self.start()
                self.wait_come(self.adder)
            for _ in range(ROUNDS):
                held = self.mid_batch()
                self.lab.bind.kill9()
                held.let_go()
                self.wait_come(self.beside)
                self.wait_accepted(self.changer)
                self.assert_backs_off()
                self.start()
                self.wait_progress()
        self.assert_healed()

    def assert_backs_off(self):
        """Once a second while more and more is wanted; after that, after 1, 2, 4, 8... s."""
        quiet = self.adder, self.changer
        for wisher in quiet:
            wisher.may_go.clear()
        self.wait_for(lambda: self.lab.plan()["state"] == "FAILED", PROGRESS_SECONDS,
                      "it is told")
        before, coming = self.lab.plan()["rounds"], self.beside.done
        hold(QUIET_SECONDS)
        tries = self.lab.plan()["rounds"] - before
        self.assertLessEqual(tries, 1 + int(QUIET_SECONDS / 0.75).bit_length())
        self.assertGreater(self.beside.done, coming)
        self.wait_come(self.beside)
        for wisher in quiet:
            wisher.may_go.set()

    def test_frozen_mid_batch(self):
        """Nobody is told that it is away: what was sent has a deadline, and so have readings."""
        with self.stream():
            for _ in range(ROUNDS):
                held = self.mid_batch()
                self.lab.bind.pause()
                self.addCleanup(self.lab.bind.resume)
                held.let_go()
                self.wait_for(lambda: self.lab.plan()["state"] == "FAILED", 20, "it is told")
                self.assertIn("does not answer", self.lab.plan()["reason"])
                self.wait_come(self.beside)
                self.lab.bind.resume()
                self.wait_progress()
        self.assert_healed()


class Process(Story):

    def setUp(self):
        super().setUp()
        self.addCleanup(self.start_workers)     # before clear()

    def start_workers(self):
        for worker in self.lab.workers:
            if not worker.pid:
                worker.launch()
                worker.wait_ready()

    def tell(self, wanted, zone=ZONE):
        self.hand.zone = zone
        self.hand.tell(wanted)


class Ending(Process):
    """By SIGTERM, in the time that is promised, and with status 0."""

    def stop_in_time(self):
        worker, began = self.lab.workers[0], time.monotonic()
        worker.stop()
        self.assertLess(time.monotonic() - began, STOP_SECONDS)
        self.assertNotIn("process stops with unfinished work", worker.log.read_text())

    def test_during_a_long_batch(self):
        """Each name is done with its mark, or not at all; the next one does the rest."""
        wanted = {(f"m{i}", "A"): [f"192.0.2.{i % 250}"] for i in range(300)}
        self.lab.workers[1].stop()
        seen, slow = [], threading.Event()

        def slowly(message):
            if is_reply_to_update(message):
                seen.append(message)
                slow.wait(0.2)
            return message
        self.addCleanup(slow.set)
        self.lab.relay.on_answer = slowly
        self.tell(wanted)
        self.wait_for(lambda: len(seen) >= 5, PROGRESS_SECONDS, "it is at it")
        self.stop_in_time()
        self.assertIn("this process of zonefleet-ownership is stopping", self.lab.workers[0].log.read_text())
        sets, marked = own(self.lab.zone(), self.foreign[ZONE])
        self.assertEqual(sets, marked)
        self.assertTrue(20 <= len(sets) < 200, len(sets))
        self.lab.relay.let_pass()
        self.start_workers()
        self.assert_kept(ZONE, wanted)

    def test_while_a_primary_says_nothing(self):
        """It may do so for longer than the end may take."""
        self.lab.workers[1].stop()
        self.lab.beside.pause()
        self.addCleanup(self.lab.beside.resume)
        rounds = self.lab.plan(zone=BESIDE)["rounds"]
        self.tell({("m", "A"): ["192.0.2.1"]}, BESIDE)
        self.wait_for(lambda: self.lab.mariadb.sql(
            "SELECT 1 FROM distributed_locks WHERE `lock` AND "
            f"object_uuid = 'registry:{OWNER}:{BESIDE}.'"), 10, "it is asked")
        self.assertEqual(self.lab.plan(zone=BESIDE)["rounds"], rounds)
        self.stop_in_time()
        self.lab.beside.resume()
        self.start_workers()
        self.assert_kept(BESIDE, {("m", "A"): ["192.0.2.1"]})


class Sleeper(Process):
    """Who has the registry's lock sleeps until another has taken it over, and goes on."""

    name = ("www", "A")

    def lock(self):
        """(pid of who took it last, fence)."""
        owner, fence = self.lab.mariadb.sql(
            "SELECT owner, fence FROM distributed_locks WHERE "
            f"object_uuid = 'registry:{OWNER}:{ZONE}.'")[0]
        return int(owner.split(":")[1]), int(fence)

    def put_to_sleep(self, way, is_wanted, wanted):
        """At that message of the round that is for what is WANTED."""
        held = Held(self.lab.relay, way, is_wanted)
        self.addCleanup(held.let_go)
        self.tell(wanted)
        self.wait_for(held.came.is_set, PROGRESS_SECONDS, "it is at it")
        self.pid, fence = self.lock()
        os.kill(self.pid, signal.SIGSTOP)
        self.addCleanup(os.kill, self.pid, signal.SIGCONT)
        self.wait_for(lambda: self.lock()[1] > fence, 20, "another takes it over")
        self.wait_for(lambda: wanted.items() <= self.lab.data().items(), 20, "and does it")
        self.assertNotEqual(self.lock()[0], self.pid)
        return held

    def said(self, words):
        worker = next(worker for worker in self.lab.workers if self.pid in worker.processes())
        return [line for line in worker.log.read_text().splitlines()
                if f"[{self.pid}]" in line and words in line]

    def wake(self, held, words):
        """It says WORDS; returns the updates that anybody sends from now on."""
        before, updates = len(self.said(words)), []

        def note(message):
            if is_update(message):
                updates.append(message)
            return message
        self.lab.relay.on_question = note
        held.let_go()
        os.kill(self.pid, signal.SIGCONT)
        self.wait_for(lambda: len(self.said(words)) > before, 20, words)
        return updates

    def test_while_it_reads(self):
        """What it has read is of yesterday; its rows are refused, and it sends nothing."""
        wanted = {self.name: ["192.0.2.1"]}
        held = self.put_to_sleep("on_answer", is_transfer, wanted)
        self.assertEqual(self.wake(held, "another process has the lock"), [])
        self.assert_kept(ZONE, wanted)

    def test_while_it_sends(self):
        """Whatever it hears of the first message, it sends no other."""
        wanted = {self.name: ["192.0.2.1"]} | {(f"m{i}", "A"): ["192.0.2.1"] for i in range(50)}
        held = self.put_to_sleep("on_answer", is_reply_to_update, wanted)
        self.assertEqual(self.wake(held, "the lock of the registry expired"), [])
        self.assert_kept(ZONE, wanted)

    def test_what_it_sent_comes_late(self):
        """The server has it only when another has made something else of it: it refuses."""
        held = self.put_to_sleep("on_question", is_update, {self.name: ["192.0.2.1"]})
        wanted = {self.name: ["192.0.2.2"]}
        self.tell(wanted)
        self.wait_for(lambda: self.lab.data().get(self.name) == wanted[self.name], 20,
                      "what is wanted by now comes")
        codes = []

        def note(message):
            if is_reply_to_update(message):
                codes.append(message[3] & 15)
            return message
        self.lab.relay.on_answer = note
        held.let_go()
        self.wait_for(lambda: codes, 20, "it is answered")
        self.assertEqual(codes[0], dns.rcode.YXRRSET)
        self.assertEqual(self.lab.data()[self.name], wanted[self.name])
        os.kill(self.pid, signal.SIGCONT)
        self.assert_kept(ZONE, wanted)


if __name__ == "__main__":
    unittest.main(verbosity=2)

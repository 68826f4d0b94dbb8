"""Whatever dies, stops or hangs during a stream of changes: none is lost, none is done twice.

ZONEFLEET_FAULTS=short is what CI runs; ZONEFLEET_SEED=N repeats the moments of a run.
"""

import os
import signal
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from faults import ROUNDS, SEED, SHORT, FaultStory, hold, start_module      # noqa: E402
from story import Caller, wait_for, wipe                        # noqa: E402
from stream import HEAL_SECONDS, Producer, Stream              # noqa: E402

PAUSE_SECONDS = 5 if SHORT else 10
SLOW_SECONDS = 0.7          # a poll's patience is 1 s


def setUpModule():
    """With two of each worker."""
    start_module("zffaults")


class Workers(FaultStory):

    def test_killed_processes(self):
        with self.stream():
            for worker in self.each(self.fleet.workers):
                self.wait_changes()
                alive = wait_for(worker.processes, 10, f"{worker.name} has a process")
                os.kill(self.random.choice(alive), signal.SIGKILL)
        self.assert_healed()

    def test_killed_programs(self):
        with self.stream():
            for worker in self.each(self.fleet.workers):
                self.wait_changes()
                worker.kill9()
                self.wait_changes()
                self.start(worker)
        self.assert_healed()

    def test_restarted_programs(self):
        with self.stream():
            for worker in self.each(self.fleet.workers):
                self.wait_changes()
                worker.restart()
        self.assert_healed()

    def test_all_of_a_kind_killed(self):
        with self.stream():
            for kind in "central", "poolmgr", "minidns":
                workers = [worker for worker in self.fleet.workers if worker.kind == kind]
                self.wait_changes()
                for worker in workers:
                    worker.kill9()
                for worker in workers:
                    self.start(worker)
        self.assert_healed()

    def test_a_pool_manager_that_sleeps(self):
        with self.stream():
            for worker in self.fleet.poolmgrs[:ROUNDS]:
                self.wait_changes()
                worker.pause()
                hold(PAUSE_SECONDS)
                self.wait_changes()
                worker.resume()
        self.assert_healed()


class Everything(FaultStory):

    def test_rolling_restart(self):
        """Whatever there is, one after the other, as for a new version of all of it."""
        fleet = self.fleet
        rest = [fleet.mariadb, fleet.rabbitmq, *fleet.name_servers]
        with self.stream():
            for server in [*fleet.workers, *rest] * ROUNDS:
                self.wait_changes()
                server.restart()
            self.wait_changes()
        self.assert_healed()


class Services(FaultStory):

    def interrupted(self, service, end):
        with self.stream():
            for _ in range(ROUNDS):
                self.wait_changes()
                end()
                self.start(service)
                self.wait_changes()
        self.assert_healed()

    def test_broker_restarted(self):
        self.interrupted(self.fleet.rabbitmq, self.fleet.rabbitmq.stop)

    def test_broker_killed(self):
        self.interrupted(self.fleet.rabbitmq, self.fleet.rabbitmq.kill9)

    def test_database_restarted(self):
        self.interrupted(self.fleet.mariadb, self.fleet.mariadb.stop)

    def test_database_killed(self):
        self.interrupted(self.fleet.mariadb, self.fleet.mariadb.kill9)


class NameServers(FaultStory):

    def servers(self):
        servers = self.fleet.name_servers
        return [self.random.choice(servers)] if SHORT else servers

    def test_paused(self):
        """What a paused server was told to create it may create when it wakes up, behind the
        deletes that found nothing.
        """
        with self.stream():
            for server in self.servers():
                server.pause()
                self.fleet.wait_for(self.is_in_error, 60, "some domain is in ERROR")
                server.resume()
                self.wait_changes()
        self.assert_healed()

    def is_in_error(self):
        return self.fleet.mariadb.sql("SELECT 1 FROM domains WHERE status = 'ERROR' LIMIT 1")

    def test_killed(self):
        with self.stream():
            for server in self.servers():
                self.wait_changes()
                server.kill9()
                self.wait_changes()
                self.start(server)
        self.assert_healed()

    def test_deleted_while_polled(self):
        """A server answers slowly: what it says comes when the domain is going, or gone."""
        own = Producer(self.fleet.rabbitmq.url, [], 0, 0.05, self.seed)
        self.addCleanup(own.caller.close)
        with self.stream():
            for number, server in enumerate(self.servers() * ROUNDS):
                self.wait_changes()
                going = own.create(f"polled{number}.example.")
                self.fleet.wait_for(lambda: server.serial(going.name), HEAL_SECONDS,
                                    f"{server.name} has it")
                own.change(going)
                server.pause()
                own.delete(going)
                hold(SLOW_SECONDS)
                server.resume()
        self.checker.wait_settled(HEAL_SECONDS)
        self.producers.also(own)
        self.assert_healed()

    def test_replaced_by_an_empty_one(self):
        with self.stream():
            for server in self.servers():
                self.wait_changes()
                server.kill9()
                wipe(server)
                self.start(server)
                self.fleet.wait_for(lambda: self.has_all(server), HEAL_SECONDS,
                                    f"{server.name} has its domains again")
        self.assert_healed()

    def has_all(self, server):
        return all(server.serial(wanted.name) for wanted in self.producers.wanted
                   if not wanted.is_deleted)


class CheckerItself(FaultStory):
    """The checker of all of the above sees what it is there to see."""

    @classmethod
    def setUpClass(cls):
        stream = Stream(cls.fleet.rabbitmq.url, "control-d", 2, 6, SEED)
        with stream:
            pass
        cls.wanted = stream.wanted
        cls.domain = cls.wanted[0]
        cls.checker.wait_settled(HEAL_SECONDS)
        # before the tests break this and that: minidns may load what one did to a row
        cls.before = cls.checker.complaints(cls.wanted)

    def test_it_is_content_with_a_fleet_that_is_well(self):
        self.assertEqual(self.before, [])

    def assert_complains(self, pattern):
        found = self.checker.complaints(self.wanted, seconds=1)
        self.assertRegex("\n".join(found), pattern)

    def changed(self, statement, back):
        """A row is changed for the rest of the test."""
        self.fleet.mariadb.sql(statement)
        self.addCleanup(self.fleet.mariadb.sql, back)

    def stop_repairs(self):
        """For the rest of the test: a pool manager puts a server right within a second."""
        for worker in self.fleet.poolmgrs:
            worker.pause()
            self.addCleanup(worker.resume)

    def test_a_wrong_record_on_one_server(self):
        bind, name = self.fleet.bind, self.domain.name
        right = "\n".join(bind.axfr(name))
        self.addCleanup(bind.wait_for_serial, name, bind.serial(name), HEAL_SECONDS)
        self.stop_repairs()
        bind.remove_zone(name)
        bind.add_primary_zone(name, right.replace("192.0.0.1\n", "192.0.0.99\n"))
        self.addCleanup(bind.remove_zone, name)
        self.assert_complains(f"bind: {name}: r1.{name} 300 IN A 192.0.0.99 is surplus")

    def test_a_server_that_lost_a_zone(self):
        name = self.domain.name
        serial = self.fleet.knot.serial(name)
        self.addCleanup(self.fleet.knot.wait_for_serial, name, serial, HEAL_SECONDS)
        self.stop_repairs()
        self.fleet.knot.remove_zone(name)
        self.assert_complains(f"knot: no transfer of {name}")

    def test_a_record_lost_in_the_database(self):
        where = (f"domain_id = '{self.domain.id}' AND data = '192.0.0.1' AND "
                 "status = '{}'")
        self.changed("UPDATE records SET task = 'NONE', status = 'DELETED' WHERE "
                     + where.format("ACTIVE"),
                     "UPDATE records SET status = 'ACTIVE' WHERE " + where.format("DELETED"))
        self.assert_complains(f"r1.{self.domain.name} 192.0.0.1 is lost")

    def test_a_change_made_twice(self):
        self.domain.changes -= 1
        self.addCleanup(setattr, self.domain, "changes", self.domain.changes + 1)
        self.assert_complains("changes made . serials")

    def test_a_domain_that_stays_on_its_way(self):
        where = f"WHERE id = '{self.domain.id}'"
        # changed just now: a pool manager mends what has been on its way for longer
        self.changed("UPDATE domains SET task = 'UPDATE', status = 'ERROR', "
                     f"changed_at = NOW(3) + INTERVAL 1 MINUTE {where}",
                     f"UPDATE domains SET task = 'NONE', status = 'ACTIVE' {where}")
        self.assert_complains(f"not settled: {self.domain.name} UPDATE ERROR")

    def test_a_message_that_nobody_takes(self):
        caller = Caller(self.fleet.rabbitmq.url)
        self.addCleanup(caller.close)
        caller.cast("no_such_method")
        self.fleet.wait_for(self.checker.messages, 20, "the message is buried")
        self.assert_complains("1 messages in central.dead")
        self.fleet.rabbitmq.ctl("purge_queue", "-p", self.fleet.rabbitmq.vhost, "central.dead")

    def test_a_worker_that_is_dead(self):
        worker = self.fleet.workers[-1]
        worker.kill9()
        self.addCleanup(self.start, worker)
        self.assert_complains(f"{worker.name} is not well")


if __name__ == "__main__":
    unittest.main(verbosity=2)

"""The broker in trouble, and messages that come wrongly, during a stream of changes.

ZONEFLEET_FAULTS=short is what CI runs; ZONEFLEET_SEED=N repeats the moments of a run.
"""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from faults import (RECOVERED_SECONDS, ROUNDS, SHORT, FaultStory, hold,  # noqa: E402
                    start_module)
from postman import Post, Postman, poisons                      # noqa: E402
from stream import HEAL_SECONDS, PROGRESS_SECONDS               # noqa: E402

ALARM_SECONDS = 3 if SHORT else 10
AWAY_SECONDS = 10 if SHORT else 30
QUEUES = ("central", "pool_manager.default", "minidns")
MEMORY, NO_MEMORY = ("absolute", "1GB"), ("0.0000001",)
# what of the living domains no message of yesterday may touch
LASTING = ("SELECT * FROM domains WHERE live = 1",
           "SELECT s.* FROM recordsets s JOIN domains d ON d.id = s.domain_id AND d.live = 1",
           "SELECT r.id, r.data, r.serial_number, r.task, r.status, r.updated_at "
           "FROM records r JOIN domains d ON d.id = r.domain_id AND d.live = 1",
           "SELECT j.domain_id, j.previous_serial, j.serial FROM journal j "
           "JOIN domains d ON d.id = j.domain_id AND d.live = 1",
           "SELECT s.server_id, s.domain_id, s.action, s.status, s.serial_number, "
           "s.failed_serial FROM pool_manager_status s JOIN domains d ON d.id = s.domain_id "
           "AND d.live = 1")


def setUpModule():
    """A silent broker is noticed within ten seconds."""
    start_module("zfbroker", settings={"broker": {"heartbeat": 5, "check_period": 5}})


class Broker(FaultStory):

    @property
    def broker(self):
        return self.fleet.rabbitmq

    def test_memory_alarm(self):
        """Whoever publishes is kept waiting; what he sent is taken later."""
        set_memory = "set_vm_memory_high_watermark"
        self.addCleanup(self.broker.ctl, set_memory, *MEMORY)
        with self.stream():
            for _ in range(ROUNDS):
                self.wait_changes()
                self.broker.ctl(set_memory, *NO_MEMORY)
                hold(ALARM_SECONDS)
                self.broker.ctl(set_memory, *MEMORY)
                self.wait_changes()
        self.assert_healed()

    def test_work_queues_deleted(self):
        """With all that is in them; they are declared again by those who read them."""
        with self.stream():
            for queue in self.each(QUEUES):
                self.wait_changes()
                self.broker.ctl("delete_queue", "-p", self.broker.vhost, queue)
                self.fleet.wait_for(lambda: queue in self.queues(), PROGRESS_SECONDS,
                                    f"{queue} is there again")
                self.wait_changes()
        self.assert_healed()

    def test_exchange_and_bindings_deleted(self):
        """And the queues beside the work queues; no connection is touched."""
        post = Post(self.broker)
        self.addCleanup(post.close)
        channel = post.channel
        deletions = {
            "the exchange": lambda: channel.exchange_delete("zonefleet"),
            "a fanout exchange": lambda: channel.exchange_delete("minidns_fanout"),
        } | {f"the binding of {queue}":
             lambda queue=queue: channel.queue_unbind(queue, "zonefleet", queue)
             for queue in QUEUES}
        beside = {f"{queue}.{kind}" for queue in QUEUES for kind in ("retry.8000", "dead")}
        with self.stream():
            for what in self.each(deletions):
                self.wait_changes()
                deletions[what]()
                for queue in beside:
                    channel.queue_delete(queue)
                self.wait_changes(RECOVERED_SECONDS)
        self.fleet.wait_for(lambda: beside <= set(self.queues()), RECOVERED_SECONDS,
                            "the queues beside the work queues are there again")
        self.assert_healed()

    def permit(self, pattern):
        self.broker.ctl("set_permissions", "-p", self.broker.vhost, self.broker.user,
                        pattern, pattern, pattern)

    def test_rights_taken_and_given_back(self):
        self.addCleanup(self.permit, ".*")
        self.permit("^$")
        self.wait_unwell("broker: ")
        self.permit(".*")
        self.wait_well()
        with self.stream():
            self.wait_changes(RECOVERED_SECONDS)
        self.assert_healed()

    def queues(self):
        return [name for name, in self.broker.listed("queues", "name")]

    def test_stopped_for_long(self):
        with self.stream():
            self.wait_changes()
            self.broker.stop()
            hold(AWAY_SECONDS)
            self.start(self.broker)
            self.wait_changes()
        self.assert_healed()

    def test_silent_for_long(self):
        """It hangs: nobody is told that it is away."""
        with self.stream():
            self.wait_changes()
            self.broker.pause()
            self.addCleanup(self.broker.resume)
            hold(AWAY_SECONDS)
            self.broker.resume()
            self.wait_changes()
        self.assert_healed()

    def test_connections_closed_by_the_administrator(self):
        with self.stream():
            for _ in range(3 * ROUNDS):
                self.wait_changes()
                self.broker.close_connections()
        self.assert_healed()


class Messages(FaultStory):
    maxDiff = 4000

    def test_out_of_order_twice_and_late(self):
        """And again, all of them, when all is done: that changes nothing."""
        postman = Postman(self.fleet.rabbitmq, QUEUES, f"{self.seed} postman")
        self.addCleanup(postman.close)
        with postman, self.stream():
            self.wait_changes()
        self.assert_healed()
        print(f"{len(postman.carried)} messages, {postman.delivered} deliveries ... ",
              end="", file=sys.stderr, flush=True)
        lasting = self.lasting()
        postman.deliver_all_again()
        self.fleet.wait_for(lambda: not self.checker.messages(), HEAL_SECONDS, "all is taken")
        self.checker.wait_settled(HEAL_SECONDS)
        self.assertEqual(self.complaints(), [])
        self.assertEqual(self.lasting(), lasting)

    def lasting(self):
        return [sorted(self.fleet.mariadb.sql(statement)) for statement in LASTING]

    def test_poisoned(self):
        """They hold up nothing. Each is buried once, or dropped where only the fleet may send it."""
        post = Post(self.fleet.rabbitmq)
        self.addCleanup(post.close)
        sent = dict.fromkeys(QUEUES, 0)
        with self.stream():
            for queue in self.each(QUEUES):
                self.wait_changes()
                for poison in poisons():
                    post.send(queue, poison)
                sent[queue] += len(poisons())
        # of those to central only update_status is for the fleet alone
        buried = {queue: sent[queue] - sent[queue] // len(poisons()) if queue == "central" else 0
                  for queue in QUEUES}
        self.fleet.wait_for(lambda: post.count("central.dead") >= buried["central"] and
                            not any(map(post.count, QUEUES)), HEAL_SECONDS, f"{buried}")
        self.assertEqual({queue: post.channel.queue_purge(f"{queue}.dead") for queue in QUEUES},
                         buried)
        self.assert_healed()


if __name__ == "__main__":
    unittest.main(verbosity=2)

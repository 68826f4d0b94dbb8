"""Whether a server answers: what one pool manager is told, all of them know."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from poolmgr_lab import (                                               # noqa: E402
    HOST, SECONDS, SERIAL, PoolmgrLab, free_port, report, wait_for)
from heard import HeardOrders                                           # noqa: E402
from lab.nsd import Nsd                                                 # noqa: E402

PATHS = range(9, 49)        # domains with a name that NSD would make a path of
WORDS = "no answer, says the story"


def setUpModule():
    # of the first there is no socket, of the second no program that could ask it
    silent = {"id": "silent", "host": HOST, "port": free_port(), "control": "/nowhere/nsd.ctl"}
    lacking = {"id": "lacking", "host": HOST, "port": free_port(), "rndc": "/nowhere/rndc"}
    folder = unittest.enterModuleContext(tempfile.TemporaryDirectory())
    nsd = HealthStory.nsd = unittest.enterModuleContext(Nsd(Path(folder) / "nsd", masters=[]))
    real = {"id": "real", "host": HOST, "port": nsd.port, "control": nsd.control_address}
    nsd.launch()
    lab = HealthStory.lab = unittest.enterModuleContext(PoolmgrLab(
        {"one": {}, "two": {}, "three": {}, "four": {},
         "refuses": {"fail_create": "no"}}, domains=PATHS.stop,
        settings={"poolmgr": {"periodic_sync_interval": 86400}, "backends": {
            "nsd": {"servers": [silent, real]}, "bind9": {"servers": [lacking]}}}))
    for number in PATHS:
        lab.sql(f"UPDATE domains SET name = 'zone/{number}.many.example.' "
                f"WHERE name = 'zone-{number}.many.example.'")
    nsd.wait_ready()
    HealthStory.poolmgrs = [lab.start_poolmgr(name) for name in ("poolmgr1", "poolmgr2")]
    HealthStory.minidns = lab.minidns()


class HealthStory(unittest.TestCase):

    def wait_for(self, condition, what):
        return wait_for(condition, SECONDS, what, [worker.log for worker in self.poolmgrs])

    def row(self, server, columns="failures, last_error"):
        return self.lab.sql(f"SELECT {columns} FROM pool_servers WHERE id = '{server}'")[0]

    def figures(self, kind, server):
        """Of each pool manager."""
        line = f'zonefleet_server_{kind}_processes{{server="{server}"}} '
        pages = [worker.page("/metrics")[1] for worker in self.poolmgrs]
        return [page.split(line)[1].split("\n")[0] for page in pages]

    def wait_figures(self, kind, server, wanted):
        self.wait_for(lambda: self.figures(kind, server) == [wanted] * len(self.poolmgrs),
                      f"all know that {server} is {kind}: {wanted}")

    def domain(self, number):
        separator = "/" if number in PATHS else "-"
        return self.lab.domains()[f"zone{separator}{number}.many.example."]

    def tell(self, *args, **more):
        self.minidns.cast("update_statuses", reports=[report(*args, **more)])

    def silence(self, number, server):
        self.tell(self.domain(number), server, "ERROR", None, silent=True, reason=WORDS)

    def make_silent(self, server, numbers):
        """One after another: of two that are written at the same time one is lost."""
        for number in numbers:
            before = int(self.row(server)[0])
            self.silence(number, server)
            self.wait_for(lambda b=before: int(self.row(server)[0]) > b, "it is counted")
        self.wait_figures("silent", server, "1")

    def wait_reason(self, number, server, reason):
        where = (f"domain_id = '{self.domain(number)['id']}' AND server_id = '{server}' "
                 f"AND action = 'UPDATE' AND reason = '{reason}'")
        self.wait_for(lambda: self.lab.count(where) == 1, f"{reason} is written")


class Dns(HealthStory):

    def test_all_know_and_one_probes(self):
        """Its failures are counted together; each probe is one process's."""
        self.assertEqual(self.figures("silent", "one"), ["0", "0"])
        self.make_silent("one", (1, 2, 3))
        self.assertEqual(self.row("one")[1], WORDS)
        self.wait_for(lambda: int(self.row("one")[0]) > 4, "it is probed, and again")
        self.assertEqual(self.figures("silent", "two"), ["0", "0"])
        self.tell(self.domain(1), "one")
        self.wait_figures("silent", "one", "0")
        self.assertEqual(self.row("one"), ["0", ""])
        answers = sum(worker.log.read_text().count("server answers again: server=one")
                      for worker in self.poolmgrs)
        self.assertEqual(answers, 1)

    def test_a_probe_is_one_try(self):
        """Any answer counts. One without the zone would not end a poll before its last try."""
        self.make_silent("three", (1, 2, 3))
        # from here on: a process that did not know yet may have sent a poll with the usual tries
        heard = HeardOrders(self.lab.rabbitmq)
        self.addCleanup(heard.close)
        self.wait_for(lambda: self.probes(heard), "it is probed")
        self.assertEqual(self.probes(heard)[-1]["max_retries"], 0)
        self.tell(self.domain(1), "three", "NO_DOMAIN", None)
        self.wait_figures("silent", "three", "0")
        self.wait_for(lambda: self.probes(heard)[-1]["max_retries"] == 1,
                      "what it missed has the usual tries")

    @staticmethod
    def probes(heard):
        return [order for order in heard.of("propagate_zones")
                if any(server["id"] == "three" for server in order["destinations"])]

    def test_server_that_was_not_asked(self):
        """That is no answer of it, and no failure."""
        self.tell(self.domain(4), "two", "ERROR", None, unasked=True, reason="no socket, first")
        self.wait_reason(4, "two", "no socket, first")
        self.make_silent("two", (5, 6, 7))
        self.tell(self.domain(8), "two", "ERROR", None, unasked=True, reason="no socket, then")
        self.wait_reason(8, "two", "no socket, then")
        self.silence(4, "two")
        self.wait_reason(4, "two", WORDS)
        self.assertGreaterEqual(int(self.row("two")[0]), 3)
        self.assertEqual(self.figures("silent", "two"), ["1", "1"])


class Behind(HealthStory):
    """It answers, and for long it did not follow: each domain waits ten minutes for its next try."""

    def test_one_that_follows_releases_the_others(self):
        heard = HeardOrders(self.lab.rabbitmq)
        self.addCleanup(heard.close)
        rows = "server_id = 'four' AND action = 'UPDATE'"
        self.lab.sql(f"UPDATE pool_manager_status SET status = 'ERROR', failed_serial = {SERIAL}, "
                     f"attempts = 9, next_attempt_at = NOW(3) + INTERVAL 600 SECOND WHERE {rows}")
        # more than one pool manager tries at a time: so each knows that domains wait
        self.wait_for(lambda: len(self.tried(heard)) > 10, "some are tried before their time")
        self.assertGreater(self.lab.count(f"{rows} AND attempts = 9"), 0)
        self.tell(self.domain(1), "four")
        self.wait_for(lambda: self.lab.count(f"{rows} AND attempts >= 9") == 0, "all are tried")

    @staticmethod
    def tried(heard):
        return [domain["id"] for order in heard.of("propagate_zones")
                for domain in order["domains"]
                if any(server["id"] == "four" for server in order["destinations"])]


class Inherited(HealthStory):
    """What a dead process remembered of a server, such as that it answers again."""

    def fail(self, status="'ERROR'"):
        self.lab.sql(f"UPDATE pool_manager_status SET status = {status}, attempts = 9, "
                     "next_attempt_at = NOW(3) + INTERVAL 600 SECOND "
                     "WHERE server_id = 'four' AND action = 'CREATE'")

    def wait_tried(self, what):
        self.wait_for(lambda: self.lab.count("server_id = 'four' AND action = 'CREATE' "
                                             "AND NOT (status <=> 'SUCCESS')") == 0, what)

    def test_each_new_share_is_tried(self):
        self.fail()
        third = self.lab.start_poolmgr("poolmgr3")
        self.wait_tried("all are tried when another one comes")
        self.fail()
        third.kill9()
        self.wait_tried("all are tried when it has died")

    def test_what_a_dead_process_began_is_tried(self):
        """It had claimed the rows. What it had finished, and planned once more, can wait."""
        planned = "server_id = 'three' AND action = 'CREATE'"
        self.lab.sql("UPDATE pool_manager_status SET status = 'SUCCESS', next_attempt_at = "
                     f"NOW(3) + INTERVAL 600 SECOND WHERE {planned}")
        before = self.lab.count(f"{planned} AND next_attempt_at IS NOT NULL")
        self.fail("NULL")
        third = self.lab.start_poolmgr("poolmgr4")
        self.wait_tried("all are tried when another one comes")
        self.fail("NULL")
        third.kill9()
        self.wait_tried("all are tried when it has died")
        self.assertEqual(self.lab.count(f"{planned} AND next_attempt_at IS NOT NULL"), before)
        self.assertGreater(before, 0)


class Due(HealthStory):

    def test_domains_that_are_gone(self):
        """What is due of them is forgotten at once, not by the next sync."""
        for action, status in ("DELETE", "ERROR"), ("UPDATE", "ERROR"):
            self.lab.sql(
                "INSERT INTO pool_manager_status (id, server_id, domain_id, action, status, "
                f"next_attempt_at) VALUES (MD5('gone {action}'), 'one', MD5('gone'), "
                f"'{action}', '{status}', NOW(3))")
        self.wait_for(lambda: self.lab.count("domain_id = MD5('gone')") == 0, "none is left")


class Control(HealthStory):

    def create(self, *numbers):
        for number in numbers:
            self.minidns.cast("create_domain", domain=self.domain(number))

    def wait_failed(self, server, reason, count):
        self.wait_for(lambda: self.lab.count(
            f"server_id = '{server}' AND action = 'CREATE' AND status = 'ERROR' "
            f"AND reason LIKE '{reason}'") >= count, f"{server} has {reason}")

    def test_all_know(self):
        """Of a server that gives no answer: what is to be created there waits for a probe."""
        self.create(1, 2, 3)
        self.wait_figures("failing", "silent", "1")
        self.assertIn("/nowhere/nsd.ctl", self.row("silent", "control_error")[0])
        self.create(4)
        self.wait_failed("silent", "the control channel of server silent does not answer%", 1)

    def test_refusals_are_answers(self):
        self.create(5, 6, 7, 8)
        self.wait_failed("refuses", "no", 4)
        self.assertEqual(self.row("refuses", "control_failures, control_error"), ["0", ""])

    def test_lack_of_the_pool_manager(self):
        """A program that is not installed there says nothing of the server."""
        self.create(5, 6, 7, 8)
        self.wait_failed("lacking", "cannot run /nowhere/rndc: %", 4)
        self.assertEqual(self.row("lacking", "control_failures, control_error"), ["0", ""])

    def test_a_probe_reaches_the_server(self):
        """The driver refuses some zones before it asks NSD; none of them is the only probe."""
        self.create(*PATHS)
        self.wait_failed("real", "% makes a file path from %", len(PATHS))
        self.nsd.stop()
        self.create(1, 2, 3)
        self.wait_figures("failing", "real", "1")
        self.lab.sql("UPDATE pool_manager_status SET next_attempt_at = '2026-01-01' WHERE "
                     "server_id = 'real' AND domain_id IN "
                     "(SELECT id FROM domains WHERE name LIKE '%/%')")
        self.nsd.launch()
        self.nsd.wait_ready()
        self.wait_figures("failing", "real", "0")


if __name__ == "__main__":
    unittest.main(verbosity=2)

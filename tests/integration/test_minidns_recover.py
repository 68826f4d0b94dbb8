"""What minidns knows of zones, when news come late, twice, or not at all."""

import sys
import unittest
from contextlib import contextmanager
from pathlib import Path

import dns.message
import dns.query
import dns.rcode

sys.path.insert(0, str(Path(__file__).resolve().parent))
from minidns_lab import HOST, Domain, Lab, wait_for                      # noqa: E402

ZONES = 600                         # more than are compared at a time
CHANGED = range(0, ZONES, 6)        # while nobody hears of it
GONE = range(1, ZONES, 60)


class Recover(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.lab = cls.enterClassContext(Lab())

    def metric(self, name):
        page = self.lab.workers[0].page("/metrics")[1]
        return int(page.split(f"\nzonefleet_minidns_{name} ")[1].split()[0])

    def ask(self, domain):
        question = dns.message.make_query(domain.name, "SOA")       # over UDP they were too many
        answer = dns.query.tcp(question, HOST, timeout=5, port=self.lab.ports[0])
        return answer.answer[0][0].serial if answer.answer else answer.rcode()

    def is_from_memory(self, domain):
        before = self.metric("soa_from_memory_total")
        self.assertEqual(self.ask(domain), domain.serial)
        return self.metric("soa_from_memory_total") > before

    @contextmanager
    def together(self, *domains):
        """What is done to domains, or to new ones of the lab this gives, is one script."""
        script = Script()
        for domain in domains:
            domain.lab = script
        yield script
        self.lab.mariadb.sql("\n".join(script.statements))
        for domain in domains or script.domains:
            domain.lab = self.lab

    def test_news_that_are_old_are_ignored(self):
        domain = zone(self.lab, "old.test.")
        domain.change()
        wait_for(lambda: self.is_from_memory(domain), 10, "it is in memory")
        before = self.metric("news_old_total")
        self.lab.notified(domain)
        self.assertGreater(self.metric("news_old_total"), before)
        self.assertTrue(self.is_from_memory(domain))
        domain.change()
        self.assertEqual(self.ask(domain), domain.serial)

    def test_what_was_missed_is_found(self):
        with self.together() as lab:
            zones = lab.domains = [zone(lab, f"z{number}.recover.test.")
                                   for number in range(ZONES)]
        wait_for(lambda: self.is_from_memory(zones[0]), 10, "answers come from memory")
        for domain in zones:
            self.assertEqual(self.ask(domain), domain.serial)
        same, differs = (self.metric(f'recovered_total{{outcome="{outcome}"}}')
                         for outcome in ("same", "differs"))
        self.lab.rabbitmq.stop()
        with self.together(*zones) as lab:
            for number in CHANGED:
                zones[number].change(orders=0)
            for number in GONE:
                lab.sql("UPDATE domains SET task = 'DELETE', status = 'PENDING' "
                        f"WHERE id = '{zones[number].id}';")
        self.lab.rabbitmq.restart()
        missed = len(CHANGED) + len(GONE)
        wait_for(lambda: self.metric('recovered_total{outcome="differs"}') == differs + missed,
                 60, "all that was missed is found")
        self.assertGreaterEqual(self.metric('recovered_total{outcome="same"}'),
                                same + ZONES - missed)
        wait_for(lambda: self.is_from_memory(zones[2]), 30, "answers come from memory again")
        for number, domain in enumerate(zones):
            wanted = dns.rcode.REFUSED if number in GONE else domain.serial
            self.assertEqual(self.ask(domain), wanted, domain.name)


def zone(lab, name):
    return Domain(lab, name, 1, [(name, "NS", "ns1.example.net.")])


class Script:
    """Stands for a lab, and keeps what is said to its database."""

    def __init__(self):
        self.mariadb = self
        self.statements, self.domains = [], []

    def sql(self, text):
        self.statements.append(text + ";")


if __name__ == "__main__":
    unittest.main()

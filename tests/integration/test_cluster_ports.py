"""Ports over a three-node Galera: of many who want one name at once, by workers each at a node
of its own, one has it (A002-4)."""

import ipaddress
import sys
import threading
import unittest
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import oslo_messaging as om

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from story import Caller                                            # noqa: E402
from cluster_story import ClusterStory                              # noqa: E402

CALLERS, ROUNDS = 50, 10
DOMAIN = "one.example."
SECONDS = 60


class AtOnce(ClusterStory):

    kind = "ports"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.central = Caller(cls.fleet.rabbitmq.url)
        cls.addClassCleanup(cls.central.close)

    def callers(self):
        callers = [Caller(self.fleet.rabbitmq.url, topic="ports", timeout=SECONDS)
                   for _ in range(CALLERS)]
        self.addCleanup(lambda: self.pool(lambda caller: caller.close(), callers))
        return callers

    @staticmethod
    def pool(act, each):
        with ThreadPoolExecutor(CALLERS) as pool:
            return list(pool.map(act, each))

    def named(self, node, network):
        return node.sql("SELECT id, dns_name, dns_fqdn FROM ports "
                        f"WHERE network_id = '{network}' ORDER BY id")

    def conflicts(self):
        """Transactions that lost against one of another node."""
        return sum(int(value) for node in self.fleet.mariadb.nodes for value, in node.sql(
            "SELECT variable_value FROM information_schema.global_status WHERE variable_name "
            "IN ('WSREP_LOCAL_CERT_FAILURES', 'WSREP_LOCAL_BF_ABORTS')"))

    def served(self, name):
        lines = self.fleet.bind.axfr(DOMAIN)
        return [(row[3], row[4]) for row in (line.split(None, 4) for line in lines)
                if row[0] == name]

    def test_one_name(self):
        """The others are refused, and leave nothing, on no node and in no zone."""
        callers = self.callers()
        self.central.create_domain(domain={"name": DOMAIN})
        before = self.conflicts()
        for turn in range(ROUNDS):
            self.one_round(callers, turn)
        self.assert_all_did("create_port")
        self.assertGreater(self.conflicts(), before, "they never met: nothing was tried")

    def one_round(self, callers, turn):
        network, ready, name = uuid.uuid4().hex, threading.Barrier(CALLERS), f"vm{turn}"
        callers[0].set_network(network={"id": network, "dns_domain": DOMAIN})

        def create(number):
            ready.wait(SECONDS)
            try:
                return callers[number].create_port(port={
                    "network_id": network, "dns_name": name,
                    "fixed_ips": [{"ip_address": f"10.{turn}.0.{number + 1}"}]})["port"]
            except om.RemoteError as error:
                self.assertEqual(error.exc_type, "Duplicate", error.value)
                return None
        won = [port for port in self.pool(create, range(CALLERS)) if port]
        self.assertEqual(len(won), 1, f"in round {turn}")
        port, fqdn = won[0], f"{name}.{DOMAIN}"
        for node in self.fleet.mariadb.nodes:
            self.fleet.wait_for(lambda: self.named(node, network) == [[port["id"], name, fqdn]],
                                SECONDS, f"{node.name} has the one")
        address = port["fixed_ips"][0]["ip_address"]
        self.fleet.wait_for(lambda: callers[0].get_port(port=port["id"])["port"]["status"]
                            == "ACTIVE", SECONDS, "the one is published")
        self.fleet.wait_for(lambda: self.served(fqdn), SECONDS, "BIND has it")
        self.assertEqual(self.served(fqdn), [("A", address)])
        reverse = self.fleet.mariadb.sql(
            f"SELECT name, data FROM port_records WHERE zone = '0.{turn}.10.in-addr.arpa.'")
        pointer = ipaddress.ip_address(address).reverse_pointer
        self.assertEqual(reverse, [[f"{pointer}.", fqdn]])


if __name__ == "__main__":
    unittest.main(verbosity=2)

"""Notifications of a real Neutron get lost, come twice, late and out of order.

At the end the records have to be right for what Neutron's API lists. The tests compare the rows
of a process of ports and the zones of a BIND.
"""

import ipaddress
import os
import random
import sys
import threading
import time
import unittest
from collections import defaultdict
from pathlib import Path

import amqp

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from port_history import PortHistory                                    # noqa: E402
import test_ports_neutron                                               # noqa: E402
from test_ports_neutron import (                                        # noqa: E402
    DOMAIN, NOTIFICATIONS, SECONDS, NeutronStory, event_of)

SEED = int(os.environ.get("STORY_SEED", 1))
IS_LONG = "STORY_SECONDS" in os.environ
LOST, TIMES = 0.2, 3
PORTS, CHANGES = 30, 60                     # of the replay
CREATES, RENAMES, DELETES = (1000, 500, 500) if IS_LONG else (80, 20, 20)
AT_ONCE = 10                                # ports of a request
KNOWN_SECONDS = 1200 if IS_LONG else 240
NAMES = [f"vm{number}" for number in range(20)]


def setUpModule():
    test_ports_neutron.setUpModule()
    LossStory.history = PortHistory(LossStory.fleet.mariadb)


def plain(id):
    return id.replace("-", "")


class Wanted:
    """What follows from what Neutron itself lists."""

    def __init__(self, neutron, only_flagged=False):
        lists = {kind: neutron.ask("GET", f"{kind}s")[1][f"{kind}s"]
                 for kind in ("network", "subnet", "port")}
        self.subnets = {plain(subnet["id"]): (
            plain(subnet["network_id"]), subnet["cidr"], subnet["dns_publish_fixed_ip"])
            for subnet in lists["subnet"]}
        self.hidden = {subnet["id"] for subnet in lists["subnet"]
                       if only_flagged and not subnet["dns_publish_fixed_ip"]}
        self.domains = {plain(network["id"]): network["dns_domain"] or DOMAIN
                        for network in lists["network"]}
        self.ports = {}
        self.zones = defaultdict(set)
        for port in lists["port"]:
            self.take(port)

    def take(self, port):
        addresses = {fixed["ip_address"] for fixed in port["fixed_ips"]}
        domain = self.domains[plain(port["network_id"])]
        own = port["dns_domain"] or domain
        fqdn = f"{port['dns_name']}.{own}" if port["dns_name"] else None
        self.ports[plain(port["id"])] = (
            plain(port["network_id"]), port["dns_name"] or None, fqdn, addresses)
        for address in {fixed["ip_address"] for fixed in port["fixed_ips"]
                        if fixed["subnet_id"] not in self.hidden}:
            kind = "AAAA" if ":" in address else "A"
            host = NeutronStory.host(address, domain)
            self.zones[domain].add((host, kind, address))
            if fqdn:
                self.zones[own].add((fqdn, kind, address))
            reverse = NeutronStory.reverse(address)
            self.zones[zone_of(reverse)].add((reverse, "PTR", fqdn or host))


def zone_of(reverse):
    """Of the reverse zones, which are of 24 bits and of 64."""
    return reverse.split(".", 1 if reverse.endswith(".in-addr.arpa.") else 16)[-1]


class LossStory(NeutronStory):

    only_flagged = False

    def known_subnets(self):
        return {subnet["id"]: (subnet["network_id"], subnet["cidr"],
                               subnet["dns_publish_fixed_ip"])
                for subnet in self.caller.list_subnets(limit=1000)["subnets"]}

    def known_networks(self):
        return {network["id"]: network["dns_domain"]
                for network in self.caller.list_networks(limit=1000)["networks"]}

    def known_ports(self):
        found, marker = {}, {}
        while True:
            page = self.caller.list_ports(limit=1000, **marker)
            for port in page["ports"]:
                found[port["id"]] = (
                    port["network_id"], port["dns_name"], port["dns_fqdn"],
                    {fixed["ip_address"] for fixed in port["fixed_ips"]})
            if not page["marker"]:
                return found
            marker = {"marker": page["marker"]}

    def served(self, zone):
        """{(name, type, data)} as BIND transfers it, but for what each zone has."""
        try:
            rows = [row.split(None, 4) for row in self.fleet.bind.axfr(zone)]
        except Exception:
            return None
        return {(owner, kind, data) for owner, _, _, kind, data in rows
                if kind in ("A", "AAAA", "PTR")}

    def many(self, network, count, name):
        """Ports that are made some at once: name0, name1, ..."""
        ports = [{"tenant_id": "tenant-1", "network_id": network["id"],
                  "dns_name": f"{name}{number}"} for number in range(count)]
        made = []
        for at in range(0, count, AT_ONCE):
            status, answer = self.neutron.ask("POST", "ports", {"ports": ports[at:at + AT_ONCE]})
            self.assertEqual(status, 201, answer)
            made += answer["ports"]
        return made

    def assert_as_neutron_has_it(self):
        """All that is known here, and all that BIND serves."""
        wanted = Wanted(self.neutron, self.only_flagged)
        self.assertEqual(self.known_networks(), wanted.domains)
        self.assertEqual(self.known_subnets(), wanted.subnets)
        self.assertEqual(self.known_ports(), wanted.ports)
        for zone, in self.fleet.mariadb.sql("SELECT name FROM domains WHERE task <> 'DELETE' "
                                            "AND status <> 'DELETED'"):
            self.fleet.wait_for(lambda zone=zone: self.served(zone) == wanted.zones[zone],
                                2 * SECONDS, f"{zone} is {wanted.zones[zone]}: "
                                f"{self.served(zone)}")
            wanted.zones.pop(zone)
        self.assertEqual(dict(wanted.zones), {})
        return wanted


class Replay(LossStory):
    """A002-5, with subnets whose flag says which addresses have names"""

    only_flagged = True

    @classmethod
    def setUpClass(cls):
        cls.restart("flagged")

    @classmethod
    def tearDownClass(cls):
        cls.restart("all")

    def test_shuffled_some_lost_the_others_three_times(self):
        for name in "replay.example.", "later.example.", "own.example.":
            self.central.create_domain(domain={"name": name})
        self.compare()                      # a broker that was just connected has made one due
        self.unheard()
        self.wait_taken()
        messages = self.recorded(self.change_much)
        rng = random.Random(SEED)
        kept = [message for message in messages if rng.random() >= LOST] * TIMES
        rng.shuffle(kept)
        before, mark = self.figure("ports_events_total"), self.history.mark()
        _, channel = self.broker()
        for message in kept:
            channel.basic_publish(amqp.Message(message.body, **message.properties), "",
                                  NOTIFICATIONS)
        due = before + sum(map(is_for_us, kept))
        self.fleet.wait_for(lambda: self.figure("ports_events_total") >= due, 4 * SECONDS,
                            f"{due - before} messages are taken")
        self.wait_taken(4 * SECONDS)        # those, too, that are tried again
        self.assertEqual(self.figure("ports_events_refused_total"), 0)
        self.assertEqual(self.history.faults(mark), [], f"seed {SEED}")
        result = self.compare()
        self.assertEqual(result["reason"], "")
        print(f"{len(messages)} messages, {len(kept)} replayed (seed {SEED}): of "
              f"{result['looked_at']} objects {result['repaired']} are repaired")
        self.assertGreater(result["repaired"], 0)
        self.assertEqual(self.history.faults(mark), [], f"seed {SEED}")
        self.assert_as_neutron_has_it()
        self.assertEqual(self.compare()["differing"], 0)

    def recorded(self, change):
        """All that Neutron told meanwhile."""
        link, queue, channel = self.listen()
        heard = []
        channel.basic_consume(queue, no_ack=True, callback=heard.append)
        change()
        last = self.neutron.create("network")
        while not heard or not is_about(heard[-1], last):
            link.drain_events(timeout=SECONDS)
        return heard

    def change_much(self):
        self.rng, self.ports, self.own_subnets = random.Random(SEED), [], []
        networks = []
        for domain in "", "replay.example.", "replay.example.":
            networks.append(self.a_network(dns_domain=domain))
            self.own_subnets.append(self.subnet)
        self.own_subnets.append(self.neutron.create(
            "subnet", network_id=networks[0]["id"], ip_version=6, cidr="fd5d:19f:60::/64"))
        for subnet in self.own_subnets[1:]:
            subnet |= self.neutron.update("subnet", subnet["id"], dns_publish_fixed_ip=True)
        for network in networks * (PORTS // 3):
            self.ports += self.a_port(network, dns_name=self.free_name(network["id"]))[:1]
        self.ports += self.many(networks[0], 5, "bulk")
        for network in networks[1:]:
            self.ports += self.a_port(network, dns_name="own", dns_domain="own.example.")[:1]
        for _ in range(CHANGES):
            self.rng.choice((self.rename, self.rename, self.move, self.move, self.delete,
                             self.flag))()
        self.neutron.update("subnet", self.own_subnets[0]["id"], dns_publish_fixed_ip=False)
        self.neutron.update("subnet", self.own_subnets[1]["id"], dns_publish_fixed_ip=True)
        self.neutron.update("network", networks[1]["id"], dns_domain="later.example.")
        for port in self.ports:
            if port["network_id"] == networks[2]["id"]:
                self.neutron.delete("port", port["id"])
        self.neutron.delete("network", networks[2]["id"])

    def free_name(self, network):
        """Another port of the network may have had it."""
        used = {port["dns_name"] for port in self.ports if port["network_id"] == network}
        return self.rng.choice([name for name in NAMES if name not in used])

    def rename(self):
        """Or take its name from it."""
        port = self.rng.choice(self.ports)
        name = self.rng.choice((self.free_name(port["network_id"]), ""))
        port |= self.neutron.update("port", port["id"], dns_name=name)

    def move(self):
        """To other addresses of its subnets."""
        port = self.rng.choice(self.ports)
        port |= self.neutron.update("port", port["id"], fixed_ips=[
            fixed | {"ip_address": self.free_address(fixed["ip_address"])}
            for fixed in port["fixed_ips"]])

    def free_address(self, beside):
        """Another port may have had it."""
        used = {fixed["ip_address"] for port in self.ports for fixed in port["fixed_ips"]}
        bits = 64 if ":" in beside else 24
        subnet = ipaddress.ip_network(f"{beside}/{bits}", strict=False)
        return self.rng.choice([str(subnet[at]) for at in range(2, 250)
                                if str(subnet[at]) not in used])

    def flag(self):
        """Or unflag."""
        subnet = self.rng.choice(self.own_subnets)
        subnet |= self.neutron.update("subnet", subnet["id"], dns_publish_fixed_ip=not subnet[
            "dns_publish_fixed_ip"])

    def delete(self):
        port = self.ports.pop(self.rng.randrange(len(self.ports)))
        self.neutron.delete("port", port["id"])


def is_for_us(message):
    kind, _, when = event_of(message)["event_type"].split(".")
    return kind in ("network", "subnet", "port", "floatingip") and when == "end"


def is_about(message, network):
    event = event_of(message)
    return (event["event_type"] == "network.create.end" and
            event["payload"]["network"]["id"] == network["id"])


class Missed(LossStory):
    """A002-6"""

    def test_what_is_missed_until_the_broker_is_back(self):
        network, other = self.a_wide_network(), self.a_network()
        self.many(network, AT_ONCE, "kept")
        old = self.many(network, RENAMES + DELETES, "old")
        fickle = self.many(other, 3, "fickle")
        before = Wanted(self.neutron).ports
        self.fleet.wait_for(lambda: self.known_ports() == before, KNOWN_SECONDS, "all is known")
        self.wait_taken(KNOWN_SECONDS)
        self.compare()          # a new subnet makes its network another one, and nobody tells it
        self.assertEqual(self.compare()["differing"], 0)
        self.unheard()
        missed = self.missed(network, old)
        self.assertEqual(self.known_ports(), before)
        mark, ended = self.history.mark(), self.caller.compare()["ended"]
        self.restart_broker()
        began = time.monotonic()
        with Changing(self, fickle) as changing:
            self.fleet.wait_for(lambda: self.caller.compare()["ended"] > ended, KNOWN_SECONDS,
                                "it is compared, for it may have missed something")
        result = self.caller.compare()
        print(f"{CREATES + RENAMES + DELETES} changes missed; {result['repaired']} of "
              f"{result['looked_at']} objects repaired {time.monotonic() - began:.1f} s after "
              f"the broker was back, {changing.count} changes heard meanwhile")
        self.assertEqual(result["reason"], "")
        self.wait_taken()
        self.assertEqual(self.history.touched(mark) - {plain(port["id"]) for port in fickle},
                         missed)
        self.assertEqual(result["repaired"], len(missed))
        self.assertGreater(changing.count, 0)
        self.assertEqual(self.history.faults(mark), [])
        self.assert_as_neutron_has_it()
        self.assertEqual(self.compare()["differing"], 0)

    def a_wide_network(self):
        network = self.neutron.create("network")
        self.neutron.create("subnet", network_id=network["id"], ip_version=4,
                            cidr="10.64.0.0/19")
        return network

    def missed(self, network, old):
        """The ids of all that differs then."""
        new = self.many(network, CREATES, "new")
        for port in old[:RENAMES]:
            self.neutron.update("port", port["id"], dns_name=f"{port['dns_name']}-renamed")
        for port in old[RENAMES:]:
            self.neutron.delete("port", port["id"])
        self.neutron.delete("port", new.pop()["id"])        # as if it had never been
        return {plain(port["id"]) for port in old + new}

    def restart_broker(self):
        """Until we hear Neutron again, by queues that we have bound again ourselves."""
        ups = self.worker.log.read_text().count("feed of Neutron connected")
        self.fleet.rabbitmq.restart()
        self.fleet.wait_for(lambda: self.worker.log.read_text().count("feed of Neutron connected") > ups,
                            2 * SECONDS, "it hears Neutron again")


class Changing(threading.Thread):
    """Renames ports in turn, the next one when what it did last is known."""

    def __init__(self, story, ports):
        super().__init__(daemon=True)
        self.story, self.ports = story, ports
        self.count = 0
        self.over = threading.Event()
        self.error = None

    def run(self):
        try:
            while not self.over.is_set():
                port, name = self.ports[self.count % len(self.ports)], f"fickle-{self.count}"
                self.story.neutron.update("port", port["id"], dns_name=name)
                self.story.wait_known(port, lambda known: known and known["dns_name"] == name)
                self.count += 1
        except Exception as error:
            self.error = error

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.join()
        if self.error:
            raise self.error


if __name__ == "__main__":
    unittest.main()

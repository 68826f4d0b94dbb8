"""Steps in the lives of ports and subnets, by calls and by Neutron's notifications.

After each step the tests compare all zones of BIND with a model of a few lines: no record is
missing, left over or there twice. The fleet has a central, a pool manager, a mini-DNS, a BIND and
processes of ports. ZONEFLEET_SEED=N repeats a random walk.
"""

import ipaddress
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import dns.query
import dns.rdatatype
import netaddr

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from story import Caller, start_fleet                                   # noqa: E402
from test_ports_feed import Neutron, port_of                            # noqa: E402
from port_hands import DEFAULT, Calls, Events, fixed_ips                # noqa: E402
from port_model import Port, PortChecker, PortModel, reverse_zone       # noqa: E402
from lab.fleet import REPOSITORY, Worker                                # noqa: E402
from lab.process import HOST                                            # noqa: E402

SECONDS = 30
WORKERS = 2
SEED = int(os.environ.get("ZONEFLEET_SEED") or random.randrange(10**6))
WALK_STEPS, LOOK_EVERY = 150, 10
AT_ONCE = 100                           # callers
MANY_PORTS = 10000 if "STORY_SECONDS" in os.environ else 300
VECTORS = 2000                          # addresses, each with all the prefixes there are
DRIVER = REPOSITORY / os.environ.get("BUILD", "build") / "drivers" / "reverse_driver"
V4_PREFIXES, V6_PREFIXES = (8, 16, 24), range(4, 125, 4)
OTHER = "tenant-2"


def setUpModule():
    """One fleet for all, and two workers of ports; each test has domains of its own."""
    print(f"seed {SEED}", file=sys.stderr)
    folder = Path(tempfile.mkdtemp(prefix="zfscen"))
    unittest.addModuleCleanup(shutil.rmtree, folder)
    fleet = unittest.enterModuleContext(start_fleet(
        folder / "fleet", central=1, poolmgr=1, minidns=1, name_servers=("bind",),
        settings={"central": {"quota_recordsets": -1}}))
    Story.fleet, Story.checker = fleet, PortChecker(fleet)
    Story.neutron = Neutron(folder, fleet.rabbitmq.url)
    unittest.addModuleCleanup(Story.neutron.close)
    Story.neutron.emit("network.update.start", {})          # the exchange is there
    Story.central = Caller(fleet.rabbitmq.url)
    Story.caller = Caller(fleet.rabbitmq.url, topic="ports")
    Story.stranger = Caller(fleet.rabbitmq.url, topic="ports", tenant="operators", admin=True)
    for caller in Story.central, Story.caller, Story.stranger:
        unittest.addModuleCleanup(caller.close)
    Story.central.create_domain(domain={"name": DEFAULT})
    for number in range(WORKERS):
        worker = Worker(folder / f"ports{number + 1}", "ports", fleet.settings | {
            "ports": {"processes": 1, "feed": "neutron", "domain": DEFAULT}})
        worker.launch()
        unittest.addModuleCleanup(worker.stop)
        worker.wait_ready()
        Story.workers.append(worker)
        fleet.wait_for(lambda log=worker.log: "feed of Neutron connected" in log.read_text(), SECONDS,
                       "it hears the notifications")


class Story(unittest.TestCase):

    maxDiff = None
    workers = []
    prefixes = iter(range(1, 250))
    only_flagged = False            # the option ports.publish of the workers

    def setUp(self):
        self.model = PortModel(self.only_flagged)
        self.random = random.Random(f"{SEED} {self.id()}")
        self.calls, self.events = Calls(self), Events(self)
        self.prefix = next(self.prefixes)

    def v4(self, number, subnet=0):
        return f"10.{self.prefix}.{subnet}.{number}"

    def v6(self, number, subnet=0):
        return f"fd00:0:{self.prefix:x}:{subnet:x}::{number:x}"

    def a_domain(self):
        name = f"d{uuid.uuid4().hex[:8]}.example."
        self.central.create_domain(domain={"name": name})
        self.model.zones.add(name)
        return name

    def refused(self, pattern, call):
        with self.assertRaisesRegex(Exception, pattern):
            call()

    def wait_sql(self, statement, what):
        self.fleet.wait_for(lambda: self.fleet.mariadb.sql(statement), SECONDS, what)

    def check(self, step=""):
        self.assertEqual(self.checker.complaints(self.model, SECONDS), [],
                         f"{step} (seed {SEED})")

    def check_all(self, step=""):
        """The records, and what the workers answer of subnets and of dnsmasq's hosts."""
        self.check(step)
        for network in self.model.networks:
            known = self.caller.list_subnets(network=network, limit=1000)["subnets"]
            self.assertEqual(
                {subnet["id"]: (subnet["cidr"], subnet["dns_publish_fixed_ip"],
                                subnet["published"]) for subnet in known},
                {key: (str(subnet.cidr), subnet.flag, self.model.is_published(subnet))
                 for key, subnet in self.model.subnets.items() if subnet.network == network},
                f"{step} (seed {SEED})")
            self.assertEqual(self.hosts(network), self.model.hosts(network),
                             f"{step} (seed {SEED})")

    def hosts(self, network):
        answer = self.caller.hosts_export(network=network)
        self.assertIsNone(answer["marker"])
        return {tuple(line.split()[:2]) for host in answer["hosts"]
                for line in host["addn_hosts"].splitlines()}

    def serials(self, zone):
        """How many changes were made to it."""
        return int(self.fleet.mariadb.sql(
            "SELECT COUNT(*) FROM journal j JOIN domains d ON d.id = j.domain_id "
            f"WHERE d.name = '{zone}' AND d.live = 1")[0][0])

    def told_once(self, step, zones):
        """A step that is one change of each of these zones."""
        self.check()            # what was said before is there
        before = {zone: self.serials(zone) for zone in zones}
        step()
        self.check()
        self.assertEqual({zone: self.serials(zone) - before[zone] for zone in zones},
                         dict.fromkeys(zones, 1))


class Flagged:
    """Of Neutron's subnets only those with the flag have records."""

    only_flagged = True

    @classmethod
    def setUpClass(cls):
        cls.restart("flagged")

    @classmethod
    def tearDownClass(cls):
        cls.restart("all")

    @classmethod
    def restart(cls, publish):
        for worker in cls.workers:
            worker.stop()
            worker.configure({"ports": {"publish": publish}})
            worker.launch()
            worker.wait_ready()


class Addresses(Story):

    def test_two_families(self):
        calls, network = self.calls, self.calls.network(self.a_domain())
        port = calls.create(network, self.v4(4), self.v6(4), name="vm01")
        self.check("both")
        calls.update(port, addresses=[self.v6(4)])
        self.check("one of them goes")
        calls.update(port, addresses=[self.v4(5), self.v6(4)])
        self.check("another one comes")
        calls.update(port, name=None)
        self.check("without a name")
        calls.update(port, name="vm02")
        self.check("with another name")
        calls.delete(port)
        self.check("gone")

    def test_several_of_each_family(self):
        calls, network = self.calls, self.calls.network(self.a_domain())
        has = [self.v4(1), self.v4(2), self.v4(3, 1), self.v6(1), self.v6(2), self.v6(3, 1)]
        port = calls.create(network, *has, name="many")
        self.check("six")
        for number, _ in enumerate(has):
            has[number] = (self.v4 if number < 3 else self.v6)(100 + number, number % 2)
            calls.update(port, addresses=has)
            self.check(f"the {number + 1}. is another one")
        calls.update(port, addresses=[])
        self.check("none")
        calls.update(port, addresses=has[2:4])
        self.check("two")

    def test_an_address_that_somebody_else_gets_at_once(self):
        """The last one to have it is whom its PTR names."""
        calls, network = self.calls, self.calls.network(self.a_domain())
        other = self.calls.network(self.a_domain())
        old = calls.create(network, self.v4(1), self.v6(1), name="old")
        self.check("one has it")
        calls.update(old, addresses=[self.v4(2), self.v6(2)])
        new = calls.create(network, self.v4(1), self.v6(1), name="new")
        self.check("it moves, and a new one has what it had")
        calls.update(old, addresses=[self.v4(3)])
        calls.update(new, addresses=[self.v4(2)])
        calls.update(old, addresses=[self.v4(1)])
        self.check("they change places")
        for number in range(5):
            calls.delete(old)
            old = calls.create(other if number % 2 else network, self.v4(1), name="old")
        self.check("it goes and comes")

    def test_a_shared_name(self):
        """Of two networks of one domain: each port has its own records, and takes no other's."""
        domain = self.a_domain()
        calls, first, second = self.calls, *(self.calls.network(domain) for _ in range(2))
        one = calls.create(first, self.v4(1), self.v6(1), name="web")
        two = calls.create(second, self.v4(1, 1), name="web")
        self.check("two ports of one name")
        calls.update(two, addresses=[self.v4(1, 1), self.v4(2, 1)])
        self.check("a second address")
        calls.update(one, addresses=[self.v4(1), self.v4(2, 1)])
        self.check("which both have")
        calls.update(two, addresses=[self.v4(1, 1)])
        self.check("and then the other one only")
        calls.delete(one)
        self.check("one goes")
        calls.delete(two)
        self.check("both are gone")

    def test_two_who_have_the_very_same_go_at_once(self):
        domain = self.a_domain()
        calls, networks = self.calls, [self.calls.network(domain) for _ in range(4)]
        ports = [calls.create(network, self.v4(1), name="same") for network in networks]
        self.check("four ports, and one record each")
        calls.delete(ports[0])
        self.check("three")
        for port in ports[1:]:
            calls.delete(port)
        self.check("none")

    def test_a_name_that_is_another_ports_generated_one(self):
        calls, network = self.calls, self.calls.network(self.a_domain())
        generated = f"host-{self.v4(1).replace('.', '-')}"
        own = calls.create(network, self.v4(1))
        other = calls.create(network, self.v4(2), name=generated)
        self.check("two addresses")
        calls.update(own, name=generated)       # is refused
        calls.delete(other)
        self.check("its own one is left")
        calls.update(own, name=generated)
        self.check("it is called as it is called anyway")
        calls.update(own, addresses=[self.v4(3)])
        self.check("and of another address")
        calls.delete(own)
        self.check("gone")


class Domains(Story):

    def ports(self, hand, network, count=20):
        return [hand.create(network, self.v4(i + 1), self.v6(i + 1),
                            name=f"n{i}" if i % 2 else None) for i in range(count)]

    def test_a_network_gets_another_domain(self):
        """One serial in each zone, however many ports there are."""
        for hand in self.calls, self.events:
            with self.subTest(hand=type(hand).__name__):
                old, new = self.a_domain(), self.a_domain()
                network = hand.network(old)
                ports = self.ports(hand, network)
                self.check("as it was")
                reverse = [reverse_zone(ipaddress.ip_address(address))
                           for address in (self.v4(1), self.v6(1))]
                self.told_once(lambda: hand.domain(network, new), [old, new, *reverse])
                self.told_once(lambda: hand.domain(network, old), [old, new, *reverse])
                for port in ports:
                    hand.delete(port)
                self.check("gone")

    def test_no_domain_for_a_while(self):
        domain = self.a_domain()
        network = self.calls.network(domain)
        ports = self.ports(self.calls, network, 4)
        own = self.calls.create(network, self.v4(9), name="own", domain=self.a_domain())
        self.check("as it was")
        self.calls.domain(network, "")
        self.check("without one")
        self.calls.update(ports[0], name="named")
        self.calls.update(own, name="owned")
        self.calls.domain(network, domain)
        self.check("again")

    def test_the_domain_of_all_who_have_none(self):
        domain = self.a_domain()
        network = self.events.network("")
        ports = self.ports(self.events, network, 4)
        self.check("of nobody")
        self.events.domain(network, domain)
        self.check("its own")
        self.events.domain(network, "")
        self.check("of nobody again")
        for port in ports:
            self.events.delete(port)
        self.check("gone")

    def test_a_port_of_another_domain(self):
        network, own = self.calls.network(self.a_domain()), self.a_domain()
        port = self.calls.create(network, self.v4(1), name="vm", domain=own)
        self.check("its name is in its own")
        self.calls.domain(network, self.a_domain())
        self.check("its network's is another one")
        self.calls.update(port, domain="")
        self.check("and then the network's")
        self.calls.update(port, domain=own)
        self.calls.delete(port)
        self.check("gone")


class Owners(Story):

    def test_somebody_elses_port(self):
        """An administrator, of another project, makes one in a third one's network, and deletes."""
        calls, network = self.calls, self.calls.network(self.a_domain())
        port = calls.create(network, self.v4(1), self.v6(1), name="theirs", project_id=OTHER,
                            caller=self.stranger)
        mine = calls.create(network, self.v4(2), name="mine")
        self.check("of two projects")
        owner = Caller(self.fleet.rabbitmq.url, topic="ports", tenant=OTHER, admin=False)
        self.addCleanup(owner.close)
        self.refused("no port", lambda: owner.delete_port(port=mine))
        self.assertEqual(owner.get_port(port=port)["port"]["project_id"], OTHER)
        calls.delete(port, caller=self.stranger)
        self.check("one is deleted by somebody else")
        calls.delete(mine, caller=self.stranger)
        self.check("and so is the other")

    def test_neutron_tells_that_it_is_gone(self):
        events, network = self.events, self.events.network(self.a_domain())
        theirs = events.create(network, self.v4(1), name="theirs", project_id=OTHER,
                               tenant_id=OTHER)
        events.create(network, self.v4(2), name="ours")
        self.check("of two projects")
        events.delete(theirs)
        self.check("one is gone")


class Waiting(Story):
    """Names that Neutron lets two ports of a network have."""

    def test_the_name_goes_on(self):
        events, network = self.events, self.events.network(self.a_domain())
        first = events.create(network, self.v4(1), name="web")
        second = events.create(network, self.v4(2), self.v6(2), name="web")
        third = events.create(network, self.v4(3), name="web")
        self.check("the first has it")
        events.update(second, addresses=[self.v4(4)])
        self.check("another one is elsewhere, and still waits")
        events.update(first, name="db")
        self.check("it has another name")
        events.delete(second)
        events.delete(third)
        self.check("and nobody waits")


class Floating(Story):

    def setUp(self):
        super().setUp()
        self.outside = self.events.network(self.a_domain())
        self.inside = self.events.network(self.a_domain())
        self.ports = [self.events.create(self.inside, self.v4(i, 1), name=f"vm{i}")
                      for i in (1, 2)]

    def test_from_its_beginning_to_its_end(self):
        events, domain = self.events, self.a_domain()
        floating = events.float(self.outside, self.v4(1), "fip", domain)
        self.check("it has a name of its own")
        events.associate(floating, self.ports[0])
        self.check("associated")
        events.associate(floating, None)
        self.check("disassociated")
        events.associate(floating, self.ports[1])
        self.check("associated with another one")
        events.delete(self.ports[1])
        events.associate(floating, None)
        self.check("whose port goes")
        events.delete(floating, "floatingip")
        self.check("gone")
        again = events.float(self.outside, self.v4(1), "new", domain)
        self.check("somebody else has its address")
        events.delete(again, "floatingip")
        self.check("nobody")

    def test_without_a_name(self):
        events = self.events
        floating = events.float(self.outside, self.v4(1))
        self.check("a generated one")
        events.associate(floating, self.ports[0])
        self.check("associated")
        events.delete(floating, "floatingip")
        self.check("gone")

    def test_what_is_told_late(self):
        """What is gone stays so; and the port by which Neutron keeps the address is none."""
        events, domain = self.events, self.a_domain()
        keeper = port_of(events.told[self.outside], self.v4(1), project_id="", tenant_id="",
                         device_owner="network:floatingip")
        self.neutron.emit("port.update.end", {"port": keeper})
        floating = events.float(self.outside, self.v4(1), "late", domain)
        self.check("it has a name of its own")
        events.associate(floating, self.ports[0])
        told = events.told[floating]
        events.delete(floating, "floatingip")
        self.neutron.emit("floatingip.update.end", {"floatingip": told | {"revision_number": 9}})
        self.neutron.emit("port.update.end", {"port": keeper | {"revision_number": 9}})
        events.update(self.ports[0], name="last")
        self.check("gone")

    def test_one_of_a_domain_that_its_ports_share(self):
        """Two addresses under one name, of which one is a port's: each goes by itself."""
        events, domain = self.events, self.a_domain()
        network = events.network(domain)
        port = events.create(network, self.v4(5, 1), name="www")
        floating = events.float(self.outside, self.v4(5), "www", domain)
        self.check("both")
        events.delete(floating, "floatingip")
        self.check("the port's")
        floating = events.float(self.outside, self.v4(5), "www", domain)
        events.delete(port)
        self.check("the floating one's")


def reverse_by_netaddr(address, bits):
    """(name, zone): Neutron's way to cut it."""
    network = netaddr.IPNetwork(f"{address}/{bits}")
    below = (32 - bits) // 8 if network.version == 4 else (128 - bits) // 4
    return (network.ip.reverse_dns,
            ".".join(network.network.reverse_dns.split(".")[below:]))


class Reverse(Story):
    """A002-8"""

    def some_address(self):
        """Some are of few digits: zeros at the beginning, amid and at the end."""
        bits, maker = self.random.choice(((32, ipaddress.IPv4Address),
                                          (128, ipaddress.IPv6Address)))
        return maker(self.random.getrandbits(bits) & self.random.choice((
            -1, self.random.getrandbits(bits), 0xff << self.random.randrange(bits - 8))))

    def test_names_and_zones(self):
        asked = [(address, bits) for address in (self.some_address() for _ in range(VECTORS))
                 for bits in (V4_PREFIXES if address.version == 4 else V6_PREFIXES)]
        done = subprocess.run([DRIVER], capture_output=True, text=True, check=True, timeout=60,
                              input="".join(f"{address} {bits}\n" for address, bits in asked))
        answers = [tuple(line.split()) for line in done.stdout.splitlines()]
        self.assertEqual(len(answers), len(asked))
        for (address, bits), answer in zip(asked, answers):
            self.assertEqual(answer, reverse_by_netaddr(str(address), bits),
                             f"{address}/{bits} (seed {SEED})")

    def test_where_no_zone_is_cut(self):
        asked = [("192.0.2.1", bits) for bits in range(-1, 34) if bits not in V4_PREFIXES]
        asked += [("2001:db8::1", bits) for bits in range(-1, 130) if bits not in V6_PREFIXES]
        done = subprocess.run([DRIVER], capture_output=True, text=True, check=True, timeout=60,
                              input="".join(f"{address} {bits}\n" for address, bits in asked))
        self.assertEqual(done.stdout.split(), ["-"] * len(asked))

    def test_many_first_ones_at_once(self):
        """A hundred callers, a name each, in a reverse domain that nobody has made yet."""
        network = self.calls.network(self.a_domain())
        ready = threading.Barrier(AT_ONCE)

        def create(number):
            caller = Caller(self.fleet.rabbitmq.url, topic="ports", timeout=60)
            try:
                ready.wait(60)
                return caller.create_port(port={
                    "network_id": network, "dns_name": f"p{number}",
                    "fixed_ips": fixed_ips([self.v4(number + 1), self.v6(number + 1)])})
            finally:
                caller.close()
        with ThreadPoolExecutor(AT_ONCE) as pool:
            for number, answer in enumerate(pool.map(create, range(AT_ONCE))):
                self.model.put(answer["port"]["id"], Port(
                    network, [self.v4(number + 1), self.v6(number + 1)], f"p{number}"))
        self.check("all of them")
        for zone in (zone for zone in self.model.zones if zone.endswith(".arpa.")):
            self.assertEqual(len(self.checker.served(zone)), AT_ONCE)
            self.assertEqual(self.fleet.mariadb.sql(
                f"SELECT COUNT(*) FROM domains WHERE name = '{zone}'"), [["1"]])


class Large(Story):
    """A002-9: what a change costs is what it changes, whatever the network's size."""

    def transferred(self, zone, serial):
        """What an IXFR from the serial on has, but for the SOAs."""
        return sorted(f"{rrset.name} {record}" for message in dns.query.xfr(
            HOST, zone, "IXFR", serial=serial, port=self.fleet.minidns_ports[0],
            relativize=False) for rrset in message.answer
            if rrset.rdtype != dns.rdatatype.SOA for record in rrset)

    def transfers(self, zone):
        """BIND's, a line each."""
        mark = f"transfer of '{zone.rstrip('.')}/IN'"
        return [line for line in self.fleet.bind.log.read_text().splitlines()
                if mark in line and "Transfer completed" in line]

    def test_one_change_is_one_ixfr_of_its_names(self):
        domain = self.a_domain()
        network = self.calls.network(domain)
        callers = [Caller(self.fleet.rabbitmq.url, topic="ports", timeout=60) for _ in range(8)]
        for caller in callers:
            self.addCleanup(caller.close)
        subnet = f"10.{self.prefix}"
        hosts = [f"{subnet}.{i // 250}.{i % 250 + 1}" for i in range(MANY_PORTS)]
        with ThreadPoolExecutor(len(callers)) as pool:
            keys = list(pool.map(lambda i: callers[i % len(callers)].create_port(port={
                "network_id": network, "dns_name": f"n{i}", "fixed_ips": fixed_ips([hosts[i]])}
            )["port"]["id"], range(MANY_PORTS)))
        for key, name, host in zip(keys, range(MANY_PORTS), hosts):
            self.model.ports[key] = port = Port(network, [host], f"n{name}")
            port.has_name = True
        self.assertEqual(self.checker.complaints(self.model, SECONDS + MANY_PORTS / 20), [])
        for number in self.random.sample(range(MANY_PORTS), 5):
            self.change(domain, keys[number], number, hosts[number])

    def change(self, domain, key, number, host):
        address = ipaddress.ip_address(host)
        zones = domain, reverse_zone(address)
        serials = {zone: self.fleet.bind.serial(zone) for zone in zones}
        before = {zone: len(self.transfers(zone)) for zone in zones}
        self.told_once(lambda: self.calls.update(key, name=f"other{number}"), zones)
        self.assertEqual(self.transferred(domain, serials[domain]), sorted([
            f"n{number}.{domain} {host}", f"other{number}.{domain} {host}"]))
        self.assertEqual(self.transferred(zones[1], serials[zones[1]]), sorted(
            f"{address.reverse_pointer}. {name}{number}.{domain}" for name in ("n", "other")))
        for zone in zones:
            lines = self.transfers(zone)[before[zone]:]
            self.assertEqual(len(lines), 1, lines)
            self.assertRegex(lines[0], r" [1-9] records,")


class Subnets(Story):

    def hands(self):
        for hand in self.calls, self.events:
            with self.subTest(hand=type(hand).__name__):
                yield hand

    def test_from_its_beginning_to_its_end(self):
        """One serial in each zone, however many ports there are."""
        for hand in self.hands():
            domain = self.a_domain()
            network = hand.network(domain)
            ports = [hand.create(network, self.v4(i), self.v6(i), name=f"n{i}" if i % 2 else None)
                     for i in range(1, 20)]
            self.check_all("without one")
            zones = [domain, reverse_zone(ipaddress.ip_address(self.v4(1)))]
            subnet = hand.subnet(network, f"10.{self.prefix}.0.0/24", True)
            self.check_all("one that has records")
            self.told_once(lambda: hand.change_subnet(subnet, flag=False), zones)
            self.check_all("and has none")
            hand.create(network, self.v4(50), name="hidden")
            hand.update(ports[0], addresses=[self.v4(51), self.v6(51)])
            self.check_all("what comes to it has none either")
            hand.update(ports[1], addresses=[self.v4(1, 1)])
            self.check_all("and what leaves it has some")
            self.told_once(lambda: hand.change_subnet(subnet, flag=True), zones)
            hand.change_subnet(subnet, flag=False)
            self.told_once(lambda: hand.delete_subnet(subnet), zones)
            self.check_all("it is gone")
            for port in list(self.model.ports):
                hand.delete(port)
            self.check_all("gone")

    def told_once(self, step, zones):
        """If it changes anything: with "all" no flag of Neutron's does."""
        self.check()            # what was said before is there
        before = self.model.expected()
        serials = {zone: self.serials(zone) for zone in zones}
        step()
        self.check()
        after = self.model.expected()
        self.assertEqual({zone: self.serials(zone) - serials[zone] for zone in zones},
                         {zone: int(before[zone] != after[zone]) for zone in zones})

    def test_each_network_has_its_own(self):
        """The same addresses, in the same domain: what is hidden of one is not of the other."""
        domain = self.a_domain()
        for hand in self.hands():
            first, second = hand.network(domain), hand.network(domain)
            ports = [hand.create(network, self.v4(1), self.v6(1), name="web")
                     for network in (first, second)]
            hidden = hand.subnet(first, f"10.{self.prefix}.0.0/24", False)
            self.check_all("of one")
            hand.subnet(second, f"10.{self.prefix}.0.0/16", False)
            self.check_all("of both")
            hand.delete_subnet(hidden)
            self.check_all("of the other")
            for port in ports:
                hand.delete(port)
            self.check_all("gone")

    def test_a_name_in_another_domain(self):
        for hand in self.hands():
            network = hand.network(self.a_domain())
            subnet = hand.subnet(network, f"10.{self.prefix}.0.0/24", False)
            port = hand.create(network, self.v4(1), self.v4(1, 1), name="own",
                               domain=self.a_domain())
            self.check_all("one address of two")
            hand.domain(network, self.a_domain())
            self.check_all("the network's is another one")
            hand.change_subnet(subnet, flag=True)
            self.check_all("both")
            hand.delete(port)
            self.check_all("gone")

    def test_a_floating_ip(self):
        """It is no fixed one."""
        events, domain = self.events, self.a_domain()
        network = events.network(self.a_domain())
        events.subnet(network, f"10.{self.prefix}.0.0/24", False)
        port = events.create(network, self.v4(1), name="fixed")
        events.float(network, self.v4(2), "www", domain)
        generated = events.float(network, self.v4(3))
        events.associate(generated, port)
        self.check_all("floating ones have records")
        for key in list(self.model.ports):
            events.delete(key, "port" if key == port else "floatingip")
        self.check_all("gone")


class FlaggedSubnets(Flagged, Subnets):

    def test_before_its_subnet(self):
        """What Neutron has not told of yet has no records; what a call says of itself has."""
        for hand in self.hands():
            network = hand.network(self.a_domain())
            port = hand.create(network, self.v4(1), self.v6(1), name="early")
            self.check_all("before")
            hand.subnet(network, f"10.{self.prefix}.0.0/24", True)
            self.check_all("then")
            hand.delete(port)
            self.check_all("gone")


class Walk(Story):
    """Steps by chance over three networks, of which two may share a domain, names, addresses."""

    networks, ports_max, subnets_max = 3, 25, 15

    def walk(self, hand):
        self.hand = hand
        self.domains = [self.a_domain() for _ in range(4)]
        self.all = [hand.network(domain) for domain in self.domains[:self.networks]]
        self.mine = []
        for number in range(WALK_STEPS):
            words = self.step()
            if number % LOOK_EVERY == LOOK_EVERY - 1:
                self.check_all(f"step {number}: {words}")
        for port in self.mine:
            hand.delete(port)
        self.check_all("all are gone")

    def step(self):
        chance = self.random.random()
        if chance < 0.07:
            network, domain = self.random.choice(self.all), self.random.choice([*self.domains, ""])
            self.hand.domain(network, domain)
            return f"{network} has {domain}"
        if chance < 0.3:
            return self.step_of_subnets()
        if not self.mine or (chance < 0.55 and len(self.mine) < self.ports_max):
            return self.create()
        port = self.random.choice(self.mine)
        if chance > 0.85:
            self.mine.remove(port)
            self.hand.delete(port)
            return f"{port} is gone"
        values = self.random.choice((
            {"name": self.a_name()}, {"addresses": self.some_addresses()},
            {"name": self.a_name(), "addresses": self.some_addresses()},
            {"domain": self.random.choice([*self.domains, "", ""])}))
        self.hand.update(port, **values)
        return f"{port} has {values}"

    def step_of_subnets(self):
        chance, subnets = self.random.random(), sorted(self.model.subnets)
        if not subnets or (chance < 0.5 and len(subnets) < self.subnets_max):
            network, cidr = self.random.choice(self.all), self.a_cidr()
            flag = self.random.random() < 0.5
            self.hand.subnet(network, cidr, flag)
            return f"{network} has {cidr}, {flag}"
        subnet = self.random.choice(subnets)
        if chance > 0.9:
            self.hand.delete_subnet(subnet)
            return f"{subnet} is gone"
        values = ({"flag": not self.model.subnets[subnet].flag} if chance < 0.7 else
                  {"cidr": self.a_cidr()})
        self.hand.change_subnet(subnet, **values)
        return f"{subnet} has {values}"

    def create(self):
        port = self.hand.create(self.random.choice(self.all), *self.some_addresses(),
                                name=self.a_name(),
                                domain=self.random.choice([""] * 4 + self.domains))
        if port in self.model.ports:        # it was not refused
            self.mine.append(port)
        return f"{port} is there"

    def a_name(self):
        return self.random.choice([None, "web", "db", "vm1", "vm2", "a.b", "vm3.c",
                                   f"host-{self.v4(1).replace('.', '-')}"])

    def some_addresses(self):
        """Of few: two may have one, on networks that know nothing of each other."""
        few = [make(number, subnet) for make in (self.v4, self.v6) for number in range(1, 6)
               for subnet in (0, 1)]
        return self.random.sample(few, self.random.choice((0, 1, 1, 1, 2, 2, 3, 4)))

    def a_cidr(self):
        """Of few, which have all, half, some or one of these: many overlap."""
        return self.random.choice([f"10.{self.prefix}.{rest}" for rest in (
            "0.0/16", "0.0/24", "1.0/24", "0.0/30", "1.3/32")] +
            [f"fd00:0:{self.prefix:x}:{rest}" for rest in (":/48", "0::/64", "1::1/128")])

    def test_by_calls(self):
        self.walk(self.calls)

    def test_by_what_neutron_tells(self):
        self.walk(self.events)


class FlaggedWalk(Flagged, Walk):
    pass


class Recorded(Events):
    """Neutron, of whom nobody hears: what it told is kept."""

    def __init__(self, story):
        super().__init__(story)
        self.heard = []                 # (event, payload, of which object)

    def tell(self, event, kind, key):
        self.heard.append((event, {kind: self.told[key]}, key))

    def tell_gone(self, kind, key):
        told = self.told[key]
        self.heard.append((f"{kind}.delete.end", {kind: told, f"{kind}_id": told["id"]}, key))


class Disorder(Story):
    """A002-5: what is told late, twice, in another order, or never, if more is told later."""

    lost, times = 0.2, 3
    steps = 100

    def test_networks_subnets_and_ports(self):
        hand = Recorded(self)
        networks = [hand.network(self.a_domain()) for _ in range(2)]
        for number in range(self.steps):
            self.step(hand, networks, number)
        kept = [told for at, told in enumerate(hand.heard)
                if self.random.random() >= self.lost or told[2] not in {
                    key for _, _, key in hand.heard[at + 1:]}] * self.times
        self.random.shuffle(kept)
        for event, payload, _ in kept:
            self.neutron.emit(event, payload)
        self.fleet.wait_for(self.all_is_taken, 4 * SECONDS, "all that was told is taken")
        self.check_all(f"{len(hand.heard)} events, {len(kept)} told")

    def all_is_taken(self):
        """Also what is tried again."""
        counts = [int(count) for name, count in
                  self.fleet.rabbitmq.listed("queues", "name", "messages")
                  if name.startswith("zonefleet_ports") and not name.endswith(".dead")]
        return bool(counts) and not any(counts)

    def step(self, hand, networks, number):
        """Names of their own: of two the first would keep one, and that is another matter."""
        chance, model = self.random.random(), self.model
        subnets, ports = sorted(model.subnets), sorted(model.ports)
        if chance < 0.15 or not subnets:
            hand.subnet(self.random.choice(networks), self.random.choice((
                f"10.{self.prefix}.{number % 3}.0/24", f"10.{self.prefix}.0.0/16",
                f"fd00:0:{self.prefix:x}::/64", f"fd00:0:{self.prefix:x}::/48")),
                self.random.random() < 0.5)
        elif chance < 0.35:
            subnet = self.random.choice(subnets)
            hand.change_subnet(subnet, flag=not model.subnets[subnet].flag)
        elif chance < 0.42:
            hand.delete_subnet(self.random.choice(subnets))
        elif chance < 0.45:
            hand.domain(networks[0], self.a_domain())
        elif chance < 0.7 or not ports:
            hand.create(self.random.choice(networks), self.v4(number + 1, number % 3),
                        self.v6(number + 1), name=f"s{number}")
        elif chance < 0.92:
            hand.update(self.random.choice(ports), name=f"r{number}",
                        addresses=[self.v4(number + 1, number % 3)])
        else:
            hand.delete(self.random.choice(ports))


class FlaggedDisorder(Flagged, Disorder):
    pass


class Together(Story):
    """Many callers at once: what is answered last holds."""

    def test_one_port_by_many(self):
        """All of them change it, and one deletes it amid: nothing is left of it."""
        network = self.calls.network(self.a_domain())
        callers = [Caller(self.fleet.rabbitmq.url, topic="ports") for _ in range(6)]
        for caller in callers:
            self.addCleanup(caller.close)
        for turn in range(5):
            port = self.calls.create(network, self.v4(1), name="first")
            with ThreadPoolExecutor(len(callers)) as pool:
                ends = list(pool.map(lambda number: self.change(callers[number], port, number,
                                                                turn), range(len(callers))))
            self.assertEqual(sum(ends), 1)
            self.model.drop(port)
            self.check(f"turn {turn}")

    def change(self, caller, port, number, turn):
        """Did it delete the port?"""
        if number == 0:
            caller.delete_port(port=port)
            return True
        for i in range(4):
            try:
                caller.update_port(port=port, values={
                    "dns_name": f"n{number}-{turn}-{i}",
                    "fixed_ips": fixed_ips([self.v4(10 * number + i)])})
            except Exception as error:
                self.assertRegex(str(error), "no port")
        return False

    def test_a_networks_domain_amid_changes(self):
        """Ports come and go and are renamed while their network's domain changes."""
        domains = [self.a_domain() for _ in range(3)]
        network = self.calls.network(domains[0])
        callers = [Caller(self.fleet.rabbitmq.url, topic="ports") for _ in range(5)]
        for caller in callers:
            self.addCleanup(caller.close)

        def is_renamed(domain):
            """A call that loses its race with the other callers may be Busy: it comes again."""
            try:
                callers[0].set_network(network={"id": network, "dns_domain": domain})
            except Exception as error:
                self.assertRegex(str(error), "Busy")
                return False
            return True

        def rename_all():
            for number in range(12):
                self.fleet.wait_for(lambda: is_renamed(domains[number % 3]), 2 * SECONDS,
                                    "the network has its next domain")

        def change(number):
            """Ports of its own: none waits for another one's name."""
            caller, left = callers[number], {}
            for i in range(15):
                key, address = uuid.uuid4().hex, self.v4(10 * i + number)
                caller.create_port(port={"id": key, "network_id": network, "fixed_ips":
                                         fixed_ips([address]), "dns_name": f"c{number}-{i}"})
                caller.update_port(port=key, values={"dns_name": f"u{number}-{i}"})
                if i % 3:
                    left[key] = Port(network, [address], f"u{number}-{i}")
                else:
                    caller.delete_port(port=key)
            return left
        with ThreadPoolExecutor(len(callers)) as pool:
            renaming = pool.submit(rename_all)
            parts = list(pool.map(change, range(1, len(callers))))
            renaming.result()
        for part in parts:
            for key, port in part.items():
                self.model.put(key, port)
        self.model.set_network(network, domains[11 % 3])
        self.check()


if __name__ == "__main__":
    unittest.main()

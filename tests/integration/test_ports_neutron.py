"""Names of the ports of a real Neutron, release 21.

The tests create ports, subnets and floating IPs by Neutron's API, and compare its names with the
answers of mini-DNS and a BIND. One process of ports hears Neutron.
"""

import json
import random
import re
import shutil
import sys
import tempfile
import unittest
import uuid
from collections import Counter
from pathlib import Path

import kombu
from neutron_lib.api.validators.dns import validate_dns_name
from oslo_config import cfg

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from story import NO_CHECKS, Caller, start_fleet                       # noqa: E402
from neutron import Neutron                                             # noqa: E402
from sink import Sink                                                   # noqa: E402
import test_ports                                                       # noqa: E402
from lab.fleet import Worker                                            # noqa: E402

DOMAIN = "example.com."
SECONDS = 60
COMPARED_SECONDS = 180        # a server that is away is waited for
NOTIFICATIONS = "zonefleet_ports"
OBJECTS = {f"{NOTIFICATIONS}.{name}": (f"neutron-vo-{name}_fanout", "")
           for name in ("Port-1.7", "Network-1.1", "Subnet-1.1")}
FEED = {NOTIFICATIONS: ("neutron", "notifications.info")} | OBJECTS     # queue: what it hears
MANY, MANY_NAMES = 60, 300
SEED = 1


def setUpModule():
    folder = Path(tempfile.mkdtemp(prefix="zfneutron"))
    unittest.addModuleCleanup(shutil.rmtree, folder)
    fleet = unittest.enterModuleContext(start_fleet(
        folder / "fleet", central=1, poolmgr=1, minidns=1, name_servers=("bind",),
        settings=NO_CHECKS))
    NeutronStory.fleet = fleet
    NeutronStory.neutron = Neutron(folder / "neutron", fleet.rabbitmq, fleet.mariadb, DOMAIN)
    unittest.addModuleCleanup(NeutronStory.neutron.stop)
    NeutronStory.neutron.launch()
    NeutronStory.neutron.wait_ready()
    NeutronStory.central = Caller(fleet.rabbitmq.url)
    NeutronStory.caller = Caller(fleet.rabbitmq.url, topic="ports")
    for caller in NeutronStory.central, NeutronStory.caller:
        unittest.addModuleCleanup(caller.close)
    NeutronStory.central.create_domain(domain={"name": DOMAIN})
    worker = Worker(folder / "ports", "ports", fleet.settings | {
        "ports": {"processes": 1, "feed": "neutron", "domain": DOMAIN,
                  "label_rules": "rfc1123", "compare_period": 3600}})
    NeutronStory.worker = worker
    worker.launch()
    unittest.addModuleCleanup(worker.stop)
    worker.wait_ready()
    fleet.wait_for(lambda: "feed of Neutron connected" in worker.log.read_text(), SECONDS, "it hears Neutron")


def event_of(message):
    """Of a message of Neutron's: its envelope has the rest in a text."""
    return json.loads(json.loads(message.body)["oslo.message"])


class NeutronStory(test_ports.PortStory):

    subnets = 0

    @classmethod
    def restart(cls, publish):
        """With this option ports.publish."""
        cls.worker.stop()
        cls.worker.configure({"ports": {"publish": publish}})
        cls.worker.launch()
        cls.worker.wait_ready()

    def a_network(self, **more):
        """A network and its subnet, which no other test's has."""
        network = self.neutron.create("network", **more)
        self.subnet = self.a_subnet(network)
        return network

    def a_subnet(self, network, **more):
        NeutronStory.subnets += 1
        return self.neutron.create("subnet", network_id=network["id"], ip_version=4,
                                   cidr=f"10.60.{self.subnets}.0/24", **more)

    def a_port(self, network, **more):
        port = self.neutron.create("port", network_id=network["id"], **more)
        return port, port["fixed_ips"][0]["ip_address"]

    def known(self, port):
        try:
            return self.caller.get_port(port=port["id"])["port"]
        except Exception:
            return None

    def wait_known(self, port, what=bool):
        self.fleet.wait_for(lambda: what(self.known(port)), SECONDS,
                            f"{port['id']} is known: {self.known(port)}")
        return self.known(port)

    @staticmethod
    def host(address, domain=DOMAIN):
        return f"host-{re.sub('[.:]', '-', address)}.{domain}"

    def broker(self):
        """A connection to the broker and its channel, until this test is over."""
        link = kombu.Connection(self.fleet.rabbitmq.url.replace("rabbit:", "pyamqp:", 1))
        self.addCleanup(link.release)
        return link, link.channel()

    def listen(self):
        """(connection, queue, channel) of one more who hears all that Neutron tells."""
        link, channel = self.broker()
        queue = channel.queue_declare("", exclusive=True).queue
        channel.queue_bind(queue, "neutron", "notifications.info")
        return link, queue, channel

    def unheard(self, queues=FEED):
        """Nothing that Neutron tells reaches us from now on, until this test is over."""
        _, channel = self.broker()
        for exchange, key in FEED.values():     # it goes with its last reader
            channel.queue_bind(channel.queue_declare("", exclusive=True).queue, exchange, key)
        for queue in queues:
            channel.queue_unbind(queue, *FEED[queue])
        self.addCleanup(self.heard, queues)

    def heard(self, queues=FEED):
        _, channel = self.broker()
        for queue in queues:
            channel.queue_bind(queue, *FEED[queue])

    def wait_taken(self, seconds=SECONDS, queues=NOTIFICATIONS):
        """Until nothing is on its way to a reader any more, nor in his hands."""
        self.fleet.wait_for(lambda: not self.waiting(queues), seconds,
                            f"all that was told is taken from {queues}")

    def waiting(self, start):
        counts = [int(count) for name, count in
                  self.fleet.rabbitmq.listed("queues", "name", "messages")
                  if name.startswith(start) and not name.endswith(".dead")]
        self.assertTrue(counts, f"there is a queue {start}...")
        return sum(counts)

    def figure(self, name):
        return int(re.search(rf"^zonefleet_{name} (\d+)$", self.worker.page("/metrics")[1],
                             re.MULTILINE)[1])

    def compare(self):
        before = self.caller.compare(now=True)["ended"]
        self.fleet.wait_for(lambda: self.caller.compare()["ended"] > before, COMPARED_SECONDS,
                            "it is compared")
        return self.caller.compare()


class Names(NeutronStory):

    def test_the_table(self):
        """F1 to F5: the full name is the one that Neutron assigns."""
        network = self.a_network()
        for name in "VM01", "vm01.test1", "vm02.test1.example.com.", "8vm", None:
            port, address = self.a_port(network, **{"dns_name": name} if name else {})
            known = self.wait_known(port)
            fqdn = port["dns_assignment"][0]["fqdn"]
            self.assertEqual(known["dns_assignment"][0]["fqdn"], fqdn)
            self.assertEqual(known["dns_fqdn"], fqdn if name else None)
            self.answers(fqdn, "A", address)
            self.answers(self.host(address), "A", address)
            self.answers(self.reverse(address), "PTR", fqdn)
        for name in "vm01.test1.other.com.", "-vm01":
            status, words = self.neutron.ask("POST", "ports", {"port": {
                "tenant_id": "tenant-1", "network_id": network["id"], "dns_name": name}})
            self.assertEqual(status, 400, words)

    def test_the_table_by_updates(self):
        """The same by PUT, and as GET has it then, of Neutron's port and of one of ours."""
        port, address = self.a_port(self.a_network())
        ours = self.one_of_ours()
        for name, fqdn in (("vm11", f"vm11.{DOMAIN}"), ("vm11.test1", f"vm11.test1.{DOMAIN}"),
                           (f"vm12.test1.{DOMAIN}", f"vm12.test1.{DOMAIN}"), ("", None),
                           ("VM13", f"vm13.{DOMAIN}"), ("8vm13", f"8vm13.{DOMAIN}")):
            with self.subTest(name=name):
                self.neutron.update("port", port["id"], dns_name=name)
                self.caller.update_port(port=ours["id"], values={"dns_name": name})
                self.assertEqual(self.known(ours)["dns_fqdn"], fqdn)
                self.wait_known(port, lambda known, fqdn=fqdn, name=name: known and (
                    known["dns_name"] or "", known["dns_fqdn"]) == (name.lower(), fqdn))
                self.as_neutron_has_it(port, address, fqdn or self.host(address))
        before = self.got(port), self.known(port), self.known(ours)
        for name in "vm11.test1.other.com.", "-vm13":
            with self.subTest(name=name):
                status, words = self.neutron.ask("PUT", f"ports/{port['id']}",
                                                 {"port": {"dns_name": name}})
                self.assertEqual(status, 400, words)
                self.refused("dns_name", self.caller.update_port, port=ours["id"],
                             values={"dns_name": name})
                self.assertEqual((self.got(port), self.known(port), self.known(ours)), before)
                self.as_neutron_has_it(port, address, f"8vm13.{DOMAIN}")

    def one_of_ours(self):
        """A port that Neutron does not know, of a network of the same domain."""
        network = uuid.uuid4().hex
        self.caller.set_network(network={"id": network, "dns_domain": DOMAIN})
        return self.create(network)

    def got(self, port):
        status, answer = self.neutron.ask("GET", f"ports/{port['id']}")
        self.assertEqual(status, 200, answer)
        return answer["port"]

    def as_neutron_has_it(self, port, address, fqdn):
        """By its GET and by ours; and so DNS answers."""
        assigned, = self.got(port)["dns_assignment"]
        self.assertEqual((assigned["ip_address"], assigned["fqdn"]), (address, fqdn))
        self.assertEqual(self.known(port)["dns_assignment"], [assigned])
        self.answers(fqdn, "A", address)
        self.answers(self.reverse(address), "PTR", fqdn)

    def test_from_its_beginning_to_its_end(self):
        network = self.a_network()
        port, address = self.a_port(network, dns_name="first")
        self.answers(f"first.{DOMAIN}", "A", address)
        self.neutron.update("port", port["id"], dns_name="second")
        self.answers(f"second.{DOMAIN}", "A", address)
        self.answers(f"first.{DOMAIN}", "A")
        self.neutron.delete("port", port["id"])
        for name, kind in ((f"second.{DOMAIN}", "A"), (self.host(address), "A"),
                           (self.reverse(address), "PTR")):
            self.answers(name, kind)

    def test_domains(self):
        """Of the network, of all networks without one, and of the port itself."""
        for name in "net.example.", "own.example.":
            self.central.create_domain(domain={"name": name})
        network = self.a_network(dns_domain="net.example.")
        port, address = self.a_port(network, dns_name="vm03")
        own, own_address = self.a_port(network, dns_name="vm04", dns_domain="own.example.")
        self.answers("vm03.net.example.", "A", address)
        self.answers("vm04.own.example.", "A", own_address)
        self.answers(self.host(own_address, "net.example."), "A", own_address)
        self.answers(self.reverse(own_address), "PTR", "vm04.own.example.")
        self.neutron.update("network", network["id"], dns_domain="")
        self.answers(f"vm03.{DOMAIN}", "A", address)
        self.answers("vm03.net.example.", "A")
        self.answers("vm04.own.example.", "A", own_address)

    def test_a_name_that_is_free_again(self):
        """Neutron lets two ports of a network have one name."""
        network = self.a_network()
        first, address = self.a_port(network, dns_name="shared")
        self.answers(f"shared.{DOMAIN}", "A", address)
        second, other = self.a_port(network, dns_name="shared")
        self.answers(self.host(other), "A", other)
        self.answers(f"shared.{DOMAIN}", "A", address)
        self.neutron.delete("port", first["id"])
        self.answers(f"shared.{DOMAIN}", "A", other)

    def test_ports_that_no_api_made(self):
        """A router's: no notification tells of it, but it is pushed."""
        network = self.a_network()
        router = self.neutron.create("router", name="r1")
        status, interface = self.neutron.ask(
            "PUT", f"routers/{router['id']}/add_router_interface",
            {"subnet_id": self.subnet["id"]})
        self.assertEqual(status, 200, interface)
        address = self.subnet["gateway_ip"]
        self.answers(self.host(address), "A", address)
        self.assertTrue(network)

    def test_a_floating_ip(self):
        """Its address has the generated name: without a driver of its own Neutron has no other."""
        network = self.a_network(**{"router:external": True})
        floating = self.neutron.create("floatingip", floating_network_id=network["id"])
        address = floating["floating_ip_address"]
        self.answers(self.host(address), "A", address)
        self.answers(self.reverse(address), "PTR", self.host(address))
        self.neutron.delete("floatingip", floating["id"])
        self.answers(self.host(address), "A")


class Compared(NeutronStory):

    def test_what_was_never_told(self):
        network = self.a_network()
        gone, gone_address = self.a_port(network, dns_name="gone")
        named, address = self.a_port(network, dns_name="named")
        kept, kept_address = self.a_port(network, dns_name="kept")
        for name in "gone", "named", "kept":
            self.fleet.wait_for(lambda name=name: test_ports.ask(
                self.fleet.bind.port, f"{name}.{DOMAIN}", "A"), SECONDS, f"{name} is there")
        self.compare()
        self.unheard()
        self.neutron.delete("port", gone["id"])
        self.neutron.update("port", named["id"], dns_name="renamed")
        ports = self.neutron.ask("POST", "ports", {"ports": [
            {"tenant_id": "tenant-1", "network_id": network["id"], "dns_name": f"new{i}"}
            | ({} if i else {"fixed_ips": [{"ip_address": gone_address}]})
            for i in range(MANY)]})[1]["ports"]
        late = self.a_network()
        port, late_address = self.a_port(late, dns_name="late")
        self.assertIsNone(self.known(port))
        outside = self.a_network(**{"router:external": True})
        floating = self.neutron.create("floatingip", floating_network_id=outside["id"])
        floating_address = floating["floating_ip_address"]
        result = self.compare()
        self.assertEqual(result["reason"], "")
        self.assertEqual(result["repaired"], MANY + 2 + 3 + 3, result)
        self.answers(self.host(floating_address), "A", floating_address)
        self.answers(self.reverse(floating_address), "PTR", self.host(floating_address))
        self.answers(f"gone.{DOMAIN}", "A")
        self.answers(f"renamed.{DOMAIN}", "A", address)
        self.answers(f"named.{DOMAIN}", "A")
        self.answers(f"kept.{DOMAIN}", "A", kept_address)
        self.answers(f"late.{DOMAIN}", "A", late_address)
        for number in 0, MANY - 1:
            self.answers(f"new{number}.{DOMAIN}", "A",
                         ports[number]["fixed_ips"][0]["ip_address"])
        self.answers(self.reverse(gone_address), "PTR", f"new0.{DOMAIN}")
        self.assertEqual(self.compare()["differing"], 0)
        self.assertEqual(self.project(floating), "")
        self.heard()
        self.neutron.update("floatingip", floating["id"], description="now it is told")
        self.fleet.wait_for(lambda: self.project(floating), SECONDS, "whose it is, is known")
        self.assertEqual(self.project(floating), floating["project_id"])
        self.answers(self.host(floating_address), "A", floating_address)

    def project(self, floating):
        return self.fleet.mariadb.sql("SELECT project_id FROM ports WHERE id = "
                                      f"'{floating['id'].replace('-', '')}'")[0][0]

    def test_nobody_to_ask(self):
        """Neutron's servers are away: nothing is taken for gone."""
        network = self.a_network()
        port, address = self.a_port(network, dns_name="steady")
        self.answers(f"steady.{DOMAIN}", "A", address)
        self.neutron.stop()
        try:
            result = self.compare()
            pause = int(self.fleet.mariadb.sql(
                "SELECT TIMESTAMPDIFF(SECOND, NOW(3), due_at) FROM port_comparisons")[0][0])
        finally:
            self.neutron.launch()
            self.neutron.wait_ready()
        self.assertNotEqual(result["reason"], "")
        self.assertGreater(pause, 20)
        self.assertEqual(result["repaired"], 0)
        self.answers(f"steady.{DOMAIN}", "A", address)
        self.assertEqual(self.compare()["reason"], "")

    def test_what_cannot_be_put_right(self):
        """It is told of each time that it is found, and all else is put right all the same."""
        network, ours = self.a_network(), uuid.uuid4().hex
        self.caller.set_network(network={"id": ours, "dns_domain": DOMAIN})
        self.compare()
        self.unheard()
        wrong = [self.a_subnet(network) for _ in range(2)]
        for subnet in wrong:
            self.caller.set_subnet(subnet={"id": subnet["id"], "network_id": ours,
                                           "cidr": subnet["cidr"]})
        _, address = self.a_port(network, dns_name="beside")
        ids = sorted(subnet["id"].replace("-", "") for subnet in wrong)
        first = ids[0]
        self.set_fed(ids, 1)
        ended, failed = map(self.figure, ("ports_comparisons_total",
                                          "ports_comparisons_failed_total"))
        for repaired in 2, 0:               # the network and the port
            result = self.compare()
            self.assertEqual((result["differing"], result["repaired"], result["reason"]), (
                2 + repaired, repaired, "2 objects not repaired. The first error: "
                f"{first}: subnet {first} belongs "
                "to another network"))
        self.assertEqual((self.figure("ports_comparisons_total"),
                          self.figure("ports_comparisons_failed_total")), (ended + 2, failed))
        self.answers(f"beside.{DOMAIN}", "A", address)
        self.set_fed(ids, 0)                # Neutron's word wins over what a call made
        for differing in 2, 0:
            result = self.compare()
            self.assertEqual((result["differing"], result["repaired"], result["reason"]),
                             (differing, differing, ""))
        for subnet in ids:
            self.assertEqual(self.caller.get_subnet(subnet=subnet)["subnet"]["network_id"],
                             network["id"].replace("-", ""))

    def set_fed(self, subnets, is_fed):
        """As if Neutron had told them of the network that they are in, or not."""
        self.fleet.mariadb.sql(f"UPDATE subnets SET is_fed = {is_fed} WHERE id IN "
                               f"({', '.join(map(repr, subnets))})")


class Flagged(NeutronStory):
    """With ports.publish "flagged": Neutron's dns_publish_fixed_ip says which have names."""

    @classmethod
    def setUpClass(cls):
        cls.restart("flagged")

    @classmethod
    def tearDownClass(cls):
        cls.restart("all")

    def subnet_of(self, subnet):
        try:
            return self.caller.get_subnet(subnet=subnet["id"])["subnet"]
        except Exception:
            return {}

    def wait_subnet(self, subnet, **values):
        self.fleet.wait_for(lambda: values.items() <= self.subnet_of(subnet).items(), SECONDS,
                            f"{subnet['id']} is {values}: {self.subnet_of(subnet)}")

    def two_subnets(self):
        """A network, one subnet of it with the flag and one without."""
        network = self.a_network()
        return network, self.subnet, self.a_subnet(network, dns_publish_fixed_ip=True)

    def test_what_is_told(self):
        network, plain, flagged = self.two_subnets()
        self.wait_subnet(plain, cidr=plain["cidr"], dns_publish_fixed_ip=False, published=False)
        self.wait_subnet(flagged, cidr=flagged["cidr"], dns_publish_fixed_ip=True,
                         published=True)
        port = self.neutron.create(
            "port", network_id=network["id"], dns_name="two",
            fixed_ips=[{"subnet_id": subnet["id"]} for subnet in (plain, flagged)])
        address = {fixed["subnet_id"]: fixed["ip_address"] for fixed in port["fixed_ips"]}
        self.answers(f"two.{DOMAIN}", "A", address[flagged["id"]])
        self.answers(self.host(address[plain["id"]]), "A")
        self.neutron.update("subnet", plain["id"], dns_publish_fixed_ip=True)
        self.answers(f"two.{DOMAIN}", "A", *address.values())
        self.answers(self.reverse(address[plain["id"]]), "PTR", f"two.{DOMAIN}")
        self.neutron.update("subnet", flagged["id"], dns_publish_fixed_ip=False)
        self.answers(f"two.{DOMAIN}", "A", address[plain["id"]])
        self.answers(self.reverse(address[flagged["id"]]), "PTR")
        self.neutron.delete("port", port["id"])
        self.neutron.delete("subnet", flagged["id"])
        self.fleet.wait_for(lambda: not self.subnet_of(flagged), SECONDS, "it is gone")

    def test_what_was_never_told(self):
        network, plain, flagged = self.two_subnets()
        port = self.neutron.create("port", network_id=network["id"], dns_name="lost",
                                   fixed_ips=[{"subnet_id": flagged["id"]}])
        address = port["fixed_ips"][0]["ip_address"]
        self.answers(f"lost.{DOMAIN}", "A", address)
        self.wait_subnet(plain, published=False)
        self.compare()
        self.unheard()
        self.neutron.update("subnet", flagged["id"], dns_publish_fixed_ip=False)
        self.neutron.delete("subnet", plain["id"])
        result = self.compare()
        # the network, too: a subnet of it less is a revision more
        self.assertEqual((result["reason"], result["repaired"]), ("", 3), result)
        self.answers(f"lost.{DOMAIN}", "A")
        self.assertFalse(self.subnet_of(plain))
        self.assertEqual(self.compare()["differing"], 0)

    def test_another_option(self):
        """The next comparison puts it right, though no revision is another."""
        network, plain, _ = self.two_subnets()
        port = self.neutron.create("port", network_id=network["id"], dns_name="option",
                                   fixed_ips=[{"subnet_id": plain["id"]}])
        self.wait_subnet(plain, published=False)
        self.wait_known(port)
        self.answers(f"option.{DOMAIN}", "A")
        self.restart("all")
        try:
            self.compare()
            self.answers(f"option.{DOMAIN}", "A", port["fixed_ips"][0]["ip_address"])
        finally:
            self.restart("flagged")
        self.compare()
        self.answers(f"option.{DOMAIN}", "A")
        self.assertEqual(self.compare()["differing"], 0)


def of_length(count):
    """A name of so many octets, in labels of 63."""
    return ".".join("a" * min(63, count - at) for at in range(0, count, 64))


class Verdicts(NeutronStory):
    """A002-3: which names may be? The cases of Neutron's own tests, and any others."""

    good = ("", "www.1000.com", "vM01", "vm01.example.com.", "8vm01", "vm-01.example.com.",
            "vm01.test-100", "8.vm01", "a" * 63, of_length(241))
    bad = (".", "-vm01", "_vm01", "vm01-", "-vm01.test1", "vm01.-test1", "vm01._test1",
           "vm01.test1-", "vm01.te$t1", "vm0#1.test1.", "vm01.123.", "vm01.123", "a" * 64,
           "vm01\x1f", "vm\x7f01", "vm 01", "vm01..test1", ".vm01", "vm01.example.org.",
           "example.com.", of_length(243))
    # what no name of DNS can be, but Neutron takes: it counts without the first octet of each
    # name, looks for the end of a line, and has words that its driver puts something in for
    different = (of_length(242), "vm01\n", "<project_id>")

    @classmethod
    def setUpClass(cls):
        cfg.CONF.register_opt(cfg.StrOpt("dns_domain", default=DOMAIN))
        cls.own = uuid.uuid4().hex
        cls.caller.set_network(network={"id": cls.own, "dns_domain": DOMAIN})

    def ours(self, name):
        """Is it taken? Then it is let go again, for the next one."""
        try:
            port = self.caller.create_port(port={"network_id": self.own, "dns_name": name})["port"]
        except Exception as error:
            self.assertIn("dns_name", str(error))
            return False
        self.assertEqual(bool(port["dns_fqdn"]), bool(name))
        self.caller.delete_port(port=port["id"])
        return True

    @staticmethod
    def theirs(name):
        return not validate_dns_name(name.lower())      # as their API passes it

    def label_rules(self, rules):
        self.worker.stop()
        self.worker.configure({"ports": {"label_rules": rules}})
        self.worker.launch()
        self.worker.wait_ready()

    def any_names(self):
        """Of all shapes; most of them are close to what may be."""
        chance = random.Random(SEED)

        def label():
            text = "".join(chance.choice("abz09") for _ in range(chance.randint(1, 3)))
            return text if chance.random() < 0.8 else (
                "".join(chance.choice("az09-_.\xe4 $A") for _ in range(chance.randint(0, 4))))
        for _ in range(MANY_NAMES):
            yield ".".join(label() for _ in range(chance.randint(1, 3))) + chance.choice(
                ("", "", ".", ".com.", f".{DOMAIN}", f".{DOMAIN}", "." + DOMAIN.upper()))

    def test_neutrons_own_cases(self):
        network = self.a_network()
        for name in (*self.good, *self.bad):
            with self.subTest(name=name):
                status, port = self.neutron.ask("POST", "ports", {"port": {
                    "tenant_id": "tenant-1", "network_id": network["id"], "dns_name": name}})
                self.assertEqual(status, 201 if name in self.good else 400, port)
                self.assertEqual(self.theirs(name), name in self.good)
                self.assertEqual(self.ours(name), name in self.good)
                if status == 201:
                    self.same_name(port["port"])

    def same_name(self, port):
        """As Neutron says itself; then it is free again."""
        fqdn = port["dns_assignment"][0]["fqdn"]
        self.wait_known(port, lambda known: known and (
            known["dns_assignment"][0]["fqdn"], known["dns_fqdn"])
            == (fqdn, fqdn if port["dns_name"] else None))
        self.neutron.delete("port", port["id"])

    def test_any_names(self):
        verdicts = Counter()
        for name in self.any_names():
            with self.subTest(name=name, seed=SEED):
                self.assertEqual(self.ours(name), self.theirs(name))
                verdicts[self.theirs(name)] += 1
        print(f"{verdicts[True]} names that may be and {verdicts[False]} that may not")
        self.assertGreater(min(verdicts[True], verdicts[False]), MANY_NAMES // 5)

    def test_by_rfc1035(self):
        """Of those that Neutron takes only labels that begin with a digit are refused."""
        self.label_rules("rfc1035")
        self.addCleanup(self.label_rules, "rfc1123")
        for name in (*self.good, *self.bad, *self.any_names()):
            own = name.lower().removesuffix(f".{DOMAIN}").split(".")
            with self.subTest(name=name, seed=SEED):
                self.assertEqual(self.ours(name), self.theirs(name) and not any(
                    label[:1].isdigit() for label in own))

    def test_what_only_neutron_takes(self):
        """Its ports have the names of their addresses, then."""
        network = self.a_network()
        for name in self.different:
            with self.subTest(name=name):
                self.assertFalse(self.ours(name))
                self.assertTrue(self.theirs(name))
                port, address = self.a_port(network, dns_name=name)
                self.assertIsNone(self.wait_known(port)["dns_fqdn"])
                self.answers(self.host(address), "A", address)


class Shared(NeutronStory):
    """A002-10: designate-sink hears Neutron, too."""

    events = [f"{kind}.{verb}.{when}" for kind in ("network", "subnet", "port", "floatingip")
              for verb in ("create", "update", "delete") for when in ("start", "end")]

    def test_each_hears_all(self):
        sink = Sink(self.fleet.folder / "sink", self.fleet.rabbitmq, self.events)
        sink.launch()
        self.addCleanup(sink.stop)
        sink.wait_ready()
        self.wait_taken(queues=sink.queue)      # Neutron makes the queue, and fills it for nobody
        known = sink.taken()
        self.unheard(OBJECTS)           # they would be counted with the notifications
        self.wait_taken()
        before = self.figure("ports_events_total")
        told = self.told_of_all_kinds()
        ours = sum(count for event, count in told.items() if event.endswith(".end"))
        self.assertLessEqual(told.keys(), set(self.events))
        self.fleet.wait_for(lambda: sink.taken().total() >= (known + told).total(), SECONDS,
                            "designate-sink takes them")
        self.assertEqual(sink.taken() - known, told)
        self.assertEqual(sink.without_zone(), sum(
            sink.taken()[event] for event in ("floatingip.update.end", "floatingip.delete.start")))
        taken = lambda: self.figure("ports_events_total") - before     # noqa: E731
        self.fleet.wait_for(lambda: taken() >= ours, SECONDS, f"we take {ours}: {taken()}")
        self.assertEqual(taken(), ours)
        print(f"{told.total()} events: designate-sink took all, we {ours}, which are for us")

    def told_of_all_kinds(self):
        """How many events of each type a third one hears."""
        heard = Counter()
        link, queue, channel = self.listen()
        channel.basic_consume(queue, no_ack=True, callback=lambda message: heard.update(
            [event_of(message)["event_type"]]))
        self.change_all_kinds()
        while not heard["floatingip.delete.end"]:       # the last one
            link.drain_events(timeout=SECONDS)
        return heard

    def change_all_kinds(self):
        network = self.a_network(**{"router:external": True})
        self.neutron.update("network", network["id"], name="shared")
        for number in range(MANY // 3):
            port, _ = self.a_port(network, dns_name=f"both{number}")
            self.neutron.update("port", port["id"], dns_name=f"each{number}")
            if number % 2:
                self.neutron.delete("port", port["id"])
        floating = self.neutron.create("floatingip", floating_network_id=network["id"])
        self.neutron.update("floatingip", floating["id"], description="of both")
        self.neutron.delete("floatingip", floating["id"])


if __name__ == "__main__":
    unittest.main()

"""Names of the ports of a real Neutron, release 21: what its API is told, DNS answers."""

import shutil
import sys
import tempfile
import unittest
from pathlib import Path

import kombu

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from story import Caller, start_fleet                                  # noqa: E402
from neutron import Neutron                                             # noqa: E402
import test_ports                                                       # noqa: E402
from lab.fleet import Worker                                            # noqa: E402

DOMAIN = "example.com."
SECONDS = 30
COMPARED_SECONDS = 90         # a server that is away is waited for
NOTIFICATIONS, OBJECTS = "zonefleet_ports", ("Port-1.7", "Network-1.1", "Subnet-1.1")
MANY = 60


def setUpModule():
    folder = Path(tempfile.mkdtemp(prefix="zfneutron"))
    unittest.addModuleCleanup(shutil.rmtree, folder)
    fleet = unittest.enterModuleContext(start_fleet(
        folder / "fleet", central=1, poolmgr=1, minidns=1, name_servers=("bind",)))
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
                  "label_rules": "rfc1123"}})
    NeutronStory.worker = worker
    worker.launch()
    unittest.addModuleCleanup(worker.stop)
    worker.wait_ready()
    fleet.wait_for(lambda: "feed is up" in worker.log.read_text(), SECONDS, "it hears Neutron")


class NeutronStory(test_ports.PortStory):

    subnets = 0

    def a_network(self, **more):
        """A network and its subnet, which no other test's has."""
        network = self.neutron.create("network", **more)
        NeutronStory.subnets += 1
        self.subnet = self.neutron.create("subnet", network_id=network["id"], ip_version=4,
                                          cidr=f"10.60.{self.subnets}.0/24")
        return network

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
        return f"host-{address.replace('.', '-')}.{domain}"


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


class CompareStory(NeutronStory):

    def unheard(self):
        """Nothing that Neutron tells reaches us from now on, until this test is over."""
        link = kombu.Connection(self.fleet.rabbitmq.url.replace("rabbit:", "pyamqp:", 1))
        channel = link.channel()
        self.addCleanup(link.release)

        def rebind(change):
            change(NOTIFICATIONS, "neutron", "notifications.info")
            for name in OBJECTS:
                change(f"{NOTIFICATIONS}.{name}", f"neutron-vo-{name}_fanout", "")
        for name in OBJECTS:            # it goes with its last reader
            channel.queue_bind(channel.queue_declare("", exclusive=True).queue,
                               f"neutron-vo-{name}_fanout", "")
        rebind(channel.queue_unbind)
        self.addCleanup(rebind, channel.queue_bind)

    def compare(self):
        before = self.caller.compare(now=True)["ended"]
        self.fleet.wait_for(lambda: self.caller.compare()["ended"] > before, COMPARED_SECONDS,
                            "it is compared")
        return self.caller.compare()


class Compared(CompareStory):

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
            for i in range(MANY)]})[1]["ports"]
        late = self.a_network()
        port, late_address = self.a_port(late, dns_name="late")
        self.assertIsNone(self.known(port))
        result = self.compare()
        self.assertEqual(result["reason"], "")
        self.assertEqual(result["repaired"], MANY + 2 + 3, result)
        self.answers(f"gone.{DOMAIN}", "A")
        self.answers(f"renamed.{DOMAIN}", "A", address)
        self.answers(f"named.{DOMAIN}", "A")
        self.answers(f"kept.{DOMAIN}", "A", kept_address)
        self.answers(f"late.{DOMAIN}", "A", late_address)
        for number in 0, MANY - 1:
            self.answers(f"new{number}.{DOMAIN}", "A",
                         ports[number]["fixed_ips"][0]["ip_address"])
        self.answers(self.reverse(gone_address), "PTR")
        self.assertEqual(self.compare()["differing"], 0)

    def test_nobody_to_ask(self):
        """Neutron's servers are away: nothing is taken for gone."""
        network = self.a_network()
        port, address = self.a_port(network, dns_name="steady")
        self.answers(f"steady.{DOMAIN}", "A", address)
        self.neutron.stop()
        try:
            result = self.compare()
        finally:
            self.neutron.launch()
            self.neutron.wait_ready()
        self.assertNotEqual(result["reason"], "")
        self.assertEqual(result["repaired"], 0)
        self.answers(f"steady.{DOMAIN}", "A", address)
        self.assertEqual(self.compare()["reason"], "")


class Flagged(CompareStory):
    """With ports.publish "flagged": Neutron's dns_publish_fixed_ip says which have names."""

    @classmethod
    def setUpClass(cls):
        cls.restart("flagged")

    @classmethod
    def tearDownClass(cls):
        cls.restart("all")

    @classmethod
    def restart(cls, publish):
        cls.worker.stop()
        cls.worker.configure({"ports": {"publish": publish}})
        cls.worker.launch()
        cls.worker.wait_ready()

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
        plain = self.subnet
        NeutronStory.subnets += 1
        flagged = self.neutron.create("subnet", network_id=network["id"], ip_version=4,
                                      cidr=f"10.60.{self.subnets}.0/24",
                                      dns_publish_fixed_ip=True)
        return network, plain, flagged

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


if __name__ == "__main__":
    unittest.main()

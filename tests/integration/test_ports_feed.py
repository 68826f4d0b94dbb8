"""Names of Neutron's ports by its notifications, without a Neutron.

oslo.messaging's notifier sends the notifications, in the shapes of Neutron's release 21. Two
processes of ports read them; mini-DNS and a BIND answer.
"""

import random
import re
import shutil
import sys
import tempfile
import time
import unittest
import uuid
from pathlib import Path

import oslo_messaging as om
from oslo_config import cfg

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from story import Caller, start_fleet                                  # noqa: E402
import test_ports                                                       # noqa: E402
from test_ports import PortStory, ask                                   # noqa: E402,F401
from test_routes import Hand                                            # noqa: E402
from locked_row import locked                                           # noqa: E402
from lab.fleet import Worker                                            # noqa: E402

SECONDS = 15
WORKERS = 2
SEED = 1

SETTINGS = """\
[DEFAULT]
control_exchange = neutron
[oslo_messaging_notifications]
driver = messagingv2
topics = notifications
"""


def setUpModule():
    folder = Path(tempfile.mkdtemp(prefix="zffeed"))
    unittest.addModuleCleanup(shutil.rmtree, folder)
    fleet = unittest.enterModuleContext(start_fleet(
        folder / "fleet", central=1, poolmgr=1, minidns=1, name_servers=("bind",)))
    PortStory.fleet = fleet
    FeedStory.neutron = Neutron(folder, fleet.rabbitmq.url)
    unittest.addModuleCleanup(FeedStory.neutron.close)
    FeedStory.neutron.emit("network.update.start", {})      # the exchange is there
    PortStory.central = Caller(fleet.rabbitmq.url)
    PortStory.caller = Caller(fleet.rabbitmq.url, topic="ports")
    for caller in PortStory.central, PortStory.caller:
        unittest.addModuleCleanup(caller.close)
    PortStory.without_tenant("openstacklocal.")
    for number in range(WORKERS):
        worker = Worker(folder / f"ports{number + 1}", "ports", fleet.settings | {
            "ports": {"processes": 1, "feed": "neutron", "domain": "openstacklocal"}})
        worker.launch()
        unittest.addModuleCleanup(worker.stop)
        worker.wait_ready()
        PortStory.workers.append(worker)
        fleet.wait_for(lambda log=worker.log: "feed of Neutron connected" in log.read_text(), SECONDS,
                       "it hears the notifications")


class Neutron:
    """Emits what a neutron-server does, in the shapes of release 21."""

    def __init__(self, folder, url):
        config = folder / "notifier.conf"
        config.write_text(SETTINGS)
        conf = cfg.ConfigOpts()
        conf(["--config-file", str(config)])
        self.transport = om.get_notification_transport(conf, url=url)
        self.notifier = om.Notifier(self.transport, publisher_id="network.host-1",
                                    driver="messagingv2", topics=["notifications"])

    def emit(self, event, payload):
        self.notifier.info({"request_id": "req-feed"}, event, payload)

    def close(self):
        self.transport.cleanup()


def uuid4():
    return str(uuid.uuid4())


def network_of(domain="", revision=1, **more):
    return {"id": uuid4(), "name": "net", "project_id": "tenant-1", "tenant_id": "tenant-1",
            "dns_domain": domain, "revision_number": revision, "admin_state_up": True,
            "mtu": 1450, "subnets": [], "shared": False} | more


def port_of(network, *addresses, dns_name="", revision=1, **more):
    return {"id": uuid4(), "network_id": network["id"], "project_id": "tenant-1",
            "tenant_id": "tenant-1", "mac_address": "fa:16:3e:00:00:09", "dns_name": dns_name,
            "dns_domain": "", "dns_assignment": [], "device_owner": "compute:nova",
            "fixed_ips": [{"subnet_id": uuid4(), "ip_address": address}
                          for address in addresses], "revision_number": revision} | more


def subnet_of(network, cidr, revision=1, **more):
    return {"id": uuid4(), "network_id": network["id"], "project_id": "tenant-1",
            "tenant_id": "tenant-1", "name": "", "cidr": cidr, "gateway_ip": None,
            "ip_version": 6 if ":" in cidr else 4, "enable_dhcp": True, "dns_nameservers": [],
            "dns_publish_fixed_ip": False, "revision_number": revision} | more


class FeedStory(PortStory):

    def a_network(self, **more):
        domain = f"d{uuid.uuid4().hex[:8]}.example."
        self.central.create_domain(domain={"name": domain})
        network = network_of(domain, **more)
        return domain, network

    def emit(self, event, payload):
        self.neutron.emit(event, payload)

    def known(self, port):
        """The port as it is known here; None if it is not."""
        try:
            return self.caller.get_port(port=port["id"])["port"]
        except Exception:
            return None

    def wait_known(self, port, **values):
        def is_known():
            known = self.known(port)
            return known and {key: known[key] for key in values} == values
        self.fleet.wait_for(is_known, SECONDS, f"{port['id']} is {values}: {self.known(port)}")

    def listed(self, network):
        owner = Caller(self.fleet.rabbitmq.url, topic="ports", tenant="tenant-1", admin=False)
        self.addCleanup(owner.close)
        return sorted((port["id"], port["reason"])
                      for port in owner.list_ports(network=network["id"])["ports"])

    def subnet(self, subnet):
        try:
            return self.caller.get_subnet(subnet=subnet["id"])["subnet"]
        except Exception:
            return None

    def wait_subnet(self, subnet, **values):
        def is_known():
            known = self.subnet(subnet)
            return known and {key: known[key] for key in values} == values
        self.fleet.wait_for(is_known, SECONDS, f"{subnet['id']} is {values}: {self.subnet(subnet)}")


class Events(FeedStory):

    def test_a_port_from_its_beginning_to_its_end(self):
        domain, network = self.a_network()
        self.emit("network.create.end", {"network": network})
        port = port_of(network, "10.40.0.1", dns_name="VM01")
        self.emit("port.create.end", {"port": port})
        self.answers(f"vm01.{domain}", "A", "10.40.0.1")
        self.answers(f"host-10-40-0-1.{domain}", "A", "10.40.0.1")
        self.answers(self.reverse("10.40.0.1"), "PTR", f"vm01.{domain}")
        changed = port | {"dns_name": "vm02", "revision_number": 2}
        self.emit("port.update.end", {"port": changed})
        self.answers(f"vm02.{domain}", "A", "10.40.0.1")
        self.answers(f"vm01.{domain}", "A")
        self.emit("port.delete.end", {"port": changed, "port_id": port["id"]})
        for name, kind in ((f"vm02.{domain}", "A"), (f"host-10-40-0-1.{domain}", "A"),
                           (self.reverse("10.40.0.1"), "PTR")):
            self.answers(name, kind)

    def test_many_at_once(self):
        domain, network = self.a_network()
        self.emit("network.create.end", {"networks": [network]})
        ports = [port_of(network, f"10.40.1.{i + 1}") for i in range(20)]
        self.emit("port.create.end", {"ports": ports})
        for i in (0, 19):
            self.answers(f"host-10-40-1-{i + 1}.{domain}", "A", f"10.40.1.{i + 1}")

    def test_a_port_before_its_network(self):
        domain, network = self.a_network()
        port = port_of(network, "10.40.2.1", dns_name="early")
        self.emit("port.create.end", {"port": port})
        self.wait_known(port, dns_fqdn=None)
        self.assertEqual(self.listed(network), [(port["id"].replace("-", ""), None)])
        self.emit("network.create.end", {"network": network})
        self.answers(f"early.{domain}", "A", "10.40.2.1")

    def test_a_network_without_a_domain(self):
        network = network_of("")
        self.emit("network.create.end", {"network": network})
        port = port_of(network, "10.40.3.1", dns_name="shared")
        self.emit("port.create.end", {"port": port})
        self.answers("shared.openstacklocal.", "A", "10.40.3.1")
        own, named = self.a_network()
        self.emit("network.update.end", {"network": named | {"id": network["id"],
                                                             "revision_number": 2}})
        self.answers(f"shared.{own}", "A", "10.40.3.1")
        self.answers("shared.openstacklocal.", "A")

    def test_old_shapes(self):
        domain, network = self.a_network()
        del network["project_id"], network["revision_number"]
        self.emit("network.create.end", {"network": network})
        port = port_of(network, "10.40.4.1", dns_name="old")
        for key in "project_id", "revision_number", "dns_domain", "dns_assignment":
            del port[key]
        self.emit("port.create.end", {"port": port})
        self.answers(f"old.{domain}", "A", "10.40.4.1")
        self.emit("port.delete.end", {"port_id": port["id"]})
        self.answers(f"old.{domain}", "A")

    def test_names_that_neutron_takes(self):
        domain, network = self.a_network()
        self.emit("network.create.end", {"network": network})
        self.emit("port.create.end", {"port": port_of(network, "10.40.5.1", dns_name="8vm01")})
        self.answers(f"8vm01.{domain}", "A", "10.40.5.1")
        first = port_of(network, "10.40.5.2", dns_name="twice")
        self.emit("port.create.end", {"port": first})
        self.wait_known(first, dns_fqdn=f"twice.{domain}")
        heard = self.heard()
        second = port_of(network, "10.40.5.3", dns_name="twice")
        self.emit("port.create.end", {"port": second})
        self.wait_known(second, dns_name="twice", dns_fqdn=None, status="ACTIVE", reason=
                        f"dns_name: port {first['id'].replace('-', '')} has the name "
                        f"twice.{domain} in this network: choose a different name")
        self.wait_known(first, reason=None, status="ACTIVE")
        self.assertEqual(dict(self.listed(network))[second["id"].replace("-", "")],
                         self.known(second)["reason"])
        self.fleet.wait_for(lambda: heard.of("dns.port.conflict"), SECONDS, "it is told")
        self.assertEqual(heard.of("dns.port.conflict"), [{
            "port": second["id"].replace("-", ""), "network": network["id"].replace("-", ""), "dns_name": "twice",
            "taken_by": first["id"].replace("-", "")}])
        self.answers(f"host-10-40-5-3.{domain}", "A", "10.40.5.3")
        self.answers(f"twice.{domain}", "A", "10.40.5.2")
        self.emit("port.delete.end", {"port_id": first["id"]})
        self.wait_known(second, dns_fqdn=f"twice.{domain}", reason=None)
        third = port_of(network, "10.40.5.4", dns_name="no_label")
        self.emit("port.create.end", {"port": third})
        self.wait_known(third, dns_name="no_label", dns_fqdn=None)
        self.assertRegex(self.known(third)["reason"], "dns_name.*label")

    def lock_waits(self):
        """How often a worker has found a row locked so far."""
        return locked(self.workers)

    def named(self, address):
        """A port that is called so."""
        domain, network = self.a_network()
        self.emit("network.create.end", {"network": network})
        first = port_of(network, address, dns_name="twice")
        self.emit("port.create.end", {"port": first})
        self.wait_known(first, dns_fqdn=f"twice.{domain}")
        return network, first, f"twice.{domain}"

    def test_a_name_that_is_freed_at_the_same_time(self):
        """Neither transaction sees what the other one is about to do."""
        network, first, name = self.named("10.40.6.1")
        second = port_of(network, "10.40.6.2", dns_name="twice")
        with Hand(self.fleet.mariadb) as hand:
            hand.do("UPDATE ports SET dns_fqdn = NULL, deleted_at = NOW(3) "
                    f"WHERE id = '{first['id'].replace('-', '')}'")
            before = self.lock_waits()
            self.emit("port.create.end", {"port": second})
            self.fleet.wait_for(lambda: self.lock_waits() > before or self.known(second), SECONDS,
                                "it is heard")
            hand.do("COMMIT")
        self.wait_known(second, dns_fqdn=name)

    def test_a_name_that_is_wanted_at_the_same_time(self):
        network, first, name = self.named("10.40.7.1")
        second = {"id": uuid4()}
        with Hand(self.fleet.mariadb) as hand:
            hand.do("INSERT INTO ports (id, network_id, project_id, dns_name, is_fed) VALUES "
                    f"('{second['id'].replace('-', '')}', '{network['id'].replace('-', '')}', "
                    "'tenant-1', 'twice', 1)")
            before = self.lock_waits()
            self.emit("port.delete.end", {"port_id": first["id"]})
            self.fleet.wait_for(lambda: self.lock_waits() > before or not self.known(first),
                                SECONDS, "it is heard")
            hand.do("COMMIT")
        self.wait_known(second, dns_fqdn=name)


class Subnets(FeedStory):
    """With ports.publish "all" Neutron's flag is known, and says nothing."""

    def test_from_first_to_last(self):
        domain, network = self.a_network()
        self.emit("network.create.end", {"network": network})
        subnet = subnet_of(network, "10.44.0.0/24")
        self.emit("subnet.create.end", {"subnet": subnet})
        self.wait_subnet(subnet, cidr="10.44.0.0/24", dns_domain=domain,
                         dns_publish_fixed_ip=False, published=True)
        self.emit("port.create.end", {"port": port_of(network, "10.44.0.1")})
        self.answers(f"host-10-44-0-1.{domain}", "A", "10.44.0.1")
        changed = subnet | {"dns_publish_fixed_ip": True, "revision_number": 3}
        self.emit("subnet.update.end", {"subnet": changed})
        self.wait_subnet(subnet, dns_publish_fixed_ip=True)
        self.emit("subnet.update.end", {"subnet": subnet | {"revision_number": 2}})
        many = [subnet_of(network, f"10.44.{number + 1}.0/24") for number in range(5)]
        self.emit("subnet.create.end", {"subnets": many})
        for one in many:
            self.wait_subnet(one, published=True)
        self.wait_subnet(subnet, dns_publish_fixed_ip=True)     # as it was told last
        self.refused("belongs to Neutron", self.caller.set_subnet, subnet={
            "id": subnet["id"], "network_id": network["id"], "cidr": "10.44.0.0/24",
            "dns_publish_fixed_ip": False})
        self.refused("belongs to Neutron", self.caller.delete_subnet, subnet=subnet["id"])
        self.emit("subnet.delete.end", {"subnet_id": subnet["id"], "subnet": changed})
        self.fleet.wait_for(lambda: not self.subnet(subnet), SECONDS, "it is gone")
        self.emit("subnet.update.end", {"subnet": changed | {"revision_number": 9}})
        last = subnet_of(network, "10.44.0.0/24")
        self.emit("subnet.create.end", {"subnet": last})
        self.wait_subnet(last, published=True)
        self.assertIsNone(self.subnet(subnet))

    def test_before_its_network_and_after_its_end(self):
        domain, network = self.a_network()
        early, late = subnet_of(network, "10.45.0.0/24"), subnet_of(network, "10.45.1.0/24")
        self.emit("subnet.create.end", {"subnet": early})
        self.wait_subnet(early, dns_domain="")
        self.emit("subnet.delete.end", {"subnet_id": late["id"], "subnet": late})
        self.emit("subnet.create.end", {"subnet": late})
        self.emit("network.create.end", {"network": network})
        self.wait_subnet(early, dns_domain=domain)
        self.fleet.wait_for(lambda: not self.subnet(late), SECONDS, "the end is never undone")
        self.emit("network.delete.end", {"network_id": network["id"], "network": network})
        self.fleet.wait_for(lambda: not self.subnet(early), SECONDS, "it goes with its network")
        self.emit("subnet.update.end", {"subnet": early | {"revision_number": 5}})
        other, last = self.a_network()
        self.emit("network.create.end", {"network": last})
        known = subnet_of(last, "10.45.2.0/24")
        self.emit("subnet.create.end", {"subnet": known})
        self.wait_subnet(known, dns_domain=other)
        self.assertIsNone(self.subnet(early))


class Flagged(FeedStory):
    """With ports.publish "flagged" only what it is said of has records."""

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

    def a_subnet(self, cidr, flag):
        domain, network = self.a_network()
        subnet = subnet_of(network, cidr, dns_publish_fixed_ip=flag)
        self.emit("network.create.end", {"network": network})
        self.emit("subnet.create.end", {"subnet": subnet})
        self.wait_subnet(subnet, published=flag)
        return domain, network, subnet

    def test_a_flag_that_changes(self):
        domain, network, subnet = self.a_subnet("10.46.0.0/24", True)
        other = subnet_of(network, "fd46::/64")
        self.emit("subnet.create.end", {"subnet": other})
        self.wait_subnet(other, published=False)
        for number in range(20):
            self.emit("port.create.end", {"port": port_of(
                network, f"10.46.0.{number + 1}", f"fd46::{number + 1:x}",
                dns_name=f"f{number}")})
        for number in 0, 19:
            self.answers(f"f{number}.{domain}", "A", f"10.46.0.{number + 1}")
            self.answers(f"f{number}.{domain}", "AAAA")
        self.emit("subnet.update.end", {"subnet": subnet | {
            "dns_publish_fixed_ip": False, "revision_number": 2}})
        self.answers(f"f19.{domain}", "A")
        self.answers(self.reverse("10.46.0.20"), "PTR")
        self.emit("subnet.update.end", {"subnet": other | {
            "dns_publish_fixed_ip": True, "revision_number": 2}})
        self.answers(f"f19.{domain}", "AAAA", "fd46::14")
        self.answers(self.reverse("fd46::14"), "PTR", f"f19.{domain}")

    def test_a_port_before_its_subnet(self):
        domain, network, _ = self.a_subnet("10.47.0.0/24", True)
        port = port_of(network, "10.47.0.1", "10.47.1.1", dns_name="early")
        self.emit("port.create.end", {"port": port})
        self.answers(f"early.{domain}", "A", "10.47.0.1")
        late = subnet_of(network, "10.47.1.0/24", dns_publish_fixed_ip=True)
        self.emit("subnet.create.end", {"subnet": late})
        self.answers(f"early.{domain}", "A", "10.47.0.1", "10.47.1.1")

    def test_what_is_not_neutrons(self):
        """A port that was made by a call is in no subnet: it is published."""
        domain, network = self.domain()
        self.create(network, "10.48.0.1", dns_name="ours")
        self.answers(f"ours.{domain}", "A", "10.48.0.1")

    def test_a_floating_ip_is_no_fixed_one(self):
        domain, network, _ = self.a_subnet("10.49.0.0/24", False)
        own = f"own-{domain}"
        self.central.create_domain(domain={"name": own})
        self.emit("floatingip.create.end", {"floatingip": {
            "id": uuid4(), "floating_network_id": network["id"], "project_id": "tenant-1",
            "floating_ip_address": "10.49.0.9", "dns_name": "www", "dns_domain": own,
            "revision_number": 1}})
        self.answers(f"www.{own}", "A", "10.49.0.9")

    def test_two_that_overlap(self):
        """The end of the first is not told yet: both hold, and the log tells it."""
        domain, network, first = self.a_subnet("10.50.0.0/24", False)
        self.emit("port.create.end", {"port": port_of(network, "10.50.0.1", "10.50.0.129",
                                                      dns_name="both")})
        second = subnet_of(network, "10.50.0.0/25", dns_publish_fixed_ip=True)
        self.emit("subnet.create.end", {"subnet": second})
        self.answers(f"both.{domain}", "A", "10.50.0.1")
        self.fleet.wait_for(lambda: any(f"subnet={second['id'].replace('-', '')} "
                                        "cidr=10.50.0.0/25 other=10.50.0.0/24"
                                        in worker.log.read_text() for worker in self.workers),
                            SECONDS, "the log says so")
        self.emit("subnet.delete.end", {"subnet_id": second["id"]})
        self.answers(f"both.{domain}", "A")
        self.emit("subnet.delete.end", {"subnet_id": first["id"]})
        third = subnet_of(network, "10.50.0.0/16", dns_publish_fixed_ip=True)
        self.emit("subnet.create.end", {"subnet": third})
        self.answers(f"both.{domain}", "A", "10.50.0.1", "10.50.0.129")

    def test_another_option(self):
        """No revision tells of it; what is told again puts it right."""
        domain, network, subnet = self.a_subnet("10.51.0.0/24", False)
        self.emit("port.create.end", {"port": port_of(network, "10.51.0.1", dns_name="opt")})
        self.emit("port.create.end", {"port": port_of(network, "10.51.0.2", dns_name="two")})
        try:
            self.restart("all")
            self.emit("subnet.update.end", {"subnet": subnet})
            self.answers(f"opt.{domain}", "A", "10.51.0.1")
            self.wait_subnet(subnet, dns_publish_fixed_ip=False, published=True)
        finally:
            self.restart("flagged")
        self.emit("subnet.update.end", {"subnet": subnet})
        self.answers(f"opt.{domain}", "A")


class Disorder(FeedStory):

    def test_what_is_gone_stays_gone(self):
        domain, network = self.a_network()
        self.emit("network.create.end", {"network": network})
        port = port_of(network, "10.41.0.1", dns_name="late", revision=3)
        self.emit("port.delete.end", {"port_id": port["id"], "port": port})
        self.emit("port.create.end", {"port": port | {"revision_number": 1}})
        last = port_of(network, "10.41.0.2", dns_name="last")
        self.emit("port.create.end", {"port": last})
        self.answers(f"last.{domain}", "A", "10.41.0.2")
        # another process may still be at one of the two events
        self.fleet.wait_for(lambda: self.known(port) is None, SECONDS, "the port is gone")
        self.answers(f"late.{domain}", "A")

    def test_a_network_goes_with_its_ports(self):
        """Neutron lets none go that has any: what told of their end got lost."""
        own = f"d{uuid.uuid4().hex[:8]}.example."
        self.central.create_domain(domain={"name": own})
        domain, network = self.a_network()
        self.emit("network.create.end", {"network": network})
        ports = [port_of(network, "10.41.1.1", dns_name="left"),
                 port_of(network, "10.41.1.2", dns_name="left", dns_domain=own)]
        for port in ports:
            self.emit("port.create.end", {"port": port})
        self.answers(f"left.{domain}", "A", "10.41.1.1")
        self.answers(f"left.{own}", "A", "10.41.1.2")
        for _ in range(2):
            self.emit("network.delete.end", {"network_id": network["id"], "network": network})
        for name in f"left.{domain}", f"left.{own}", f"host-10-41-1-2.{domain}":
            self.answers(name, "A")
        self.assertEqual([self.known(port) for port in ports], [None, None])

    def test_shuffled_and_each_three_times(self):
        """A002-5, but for those that are lost."""
        domain, network = self.a_network()
        rng = random.Random(SEED)
        events, ports, alive = [("network.create.end", {"network": network})], [], {}
        for i in range(40):
            port = port_of(network, f"10.42.0.{i + 1}", dns_name=f"s{i}")
            ports.append(port)
            for revision in range(1, rng.randint(2, 6)):
                port = port | {"revision_number": revision, "dns_name": f"s{i}-{revision}"}
                event = "port.create.end" if revision == 1 else "port.update.end"
                events.append((event, {"port": port}))
            if rng.random() < 0.4:
                events.append(("port.delete.end", {"port_id": port["id"], "port": port}))
            else:
                alive[port["id"]] = port
        events *= 3
        rng.shuffle(events)
        for event, payload in events:
            self.emit(event, payload)

        def names():
            return {port["id"]: port["dns_fqdn"] for port in self.caller.list_ports(
                network=network["id"], limit=1000)["ports"]}
        wanted = {port["id"].replace("-", ""): f"{port['dns_name']}.{domain}"
                  for port in alive.values()}
        self.fleet.wait_for(lambda: names() == wanted, 2 * SECONDS,
                            f"all is as it was told last (seed {SEED})")
        for port in list(alive.values())[:3]:
            self.answers(f"{port['dns_name']}.{domain}", "A",
                         port["fixed_ips"][0]["ip_address"])
        self.fleet.wait_for(lambda: self.central.get_domain(domain=domain)["records"]
                            == 2 * len(alive) + self.apex(domain), SECONDS,
                            "there is nothing else in the domain")

    apex = test_ports.Large.apex


class Precedence(FeedStory):
    """A tenant knows an id of Neutron's before ports is told of it, and takes it."""

    def setUp(self):
        self.stranger, self.owner = (
            Caller(self.fleet.rabbitmq.url, topic="ports", tenant=tenant, admin=False)
            for tenant in ("stranger", "tenant-1"))
        for caller in self.stranger, self.owner:
            self.addCleanup(caller.close)
        self.domain = f"s{uuid.uuid4().hex[:8]}.example."
        self.central.create_domain(domain={"name": self.domain, "tenant": "stranger"})
        self.taken = self.a_taken_network(uuid4())

    def a_taken_network(self, network):
        self.stranger.set_network(network={"id": network, "dns_domain": self.domain})
        return network

    def a_told_network(self):
        domain, network = self.a_network()
        self.emit("network.create.end", {"network": network})
        self.fleet.wait_for(lambda: self.is_owners(network), SECONDS, "the network is known")
        return domain, network

    def is_owners(self, network):
        try:
            return self.owner.get_network(network=network["id"])["network"]["dns_domain"]
        except Exception:
            return False

    def take_port(self, port, address):
        return self.create(self.taken, address, caller=self.stranger, id=port["id"],
                           dns_name="taken")

    def assert_is_neutrons(self, domain, network, port, address):
        """In the network that Neutron says, and its project's alone."""
        self.wait_known(port, network_id=network["id"].replace("-", ""), project_id="tenant-1")
        self.answers(f"vm.{domain}", "A", address)
        self.answers(f"taken.{self.domain}", "A")
        for call, more in ((self.stranger.get_port, {}), (self.stranger.delete_port, {}),
                           (self.stranger.update_port, {"values": {"dns_name": "mine"}})):
            self.refused("no port", call, port=port["id"], **more)
        self.assertEqual(self.owner.get_port(port=port["id"])["port"]["dns_name"], "vm")

    def test_a_network_without_a_project(self):
        """Its names are in no tenant's domain, whichever domain the notification names."""
        nobody = {"project_id": "", "tenant_id": ""}
        network = network_of(self.domain, **nobody)
        port = port_of(network, "10.20.71.5", dns_name="evil", **nobody)
        self.emit("network.create.end", {"network": network})
        self.emit("port.create.end", {"port": port})
        self.fleet.wait_for(lambda: self.known(port) and "to another tenant" in
                            self.caller.get_published(port=port["id"])["reason"], SECONDS,
                            "its names are refused")
        self.answers(f"evil.{self.domain}", "A")

    def test_a_port(self):
        domain, network = self.a_told_network()
        port = port_of(network, "10.44.0.1", dns_name="vm")
        self.take_port(port, "10.44.0.66")
        self.answers(f"taken.{self.domain}", "A", "10.44.0.66")
        self.emit("port.create.end", {"port": port})
        self.assert_is_neutrons(domain, network, port, "10.44.0.1")
        self.refused("no port", self.take_port, port, "10.44.0.66")

    def test_a_port_that_is_deleted(self):
        domain, network = self.a_told_network()
        port = port_of(network, "10.44.1.1", dns_name="vm")
        self.take_port(port, "10.44.1.66")
        self.stranger.delete_port(port=port["id"])
        self.emit("port.create.end", {"port": port})
        self.assert_is_neutrons(domain, network, port, "10.44.1.1")

    def test_a_port_that_neutron_ended(self):
        """It stays gone, though the thing of a call had its id."""
        domain, network = self.a_told_network()
        port, last = (port_of(network, address, dns_name=name) for address, name in
                      (("10.44.2.1", "ended"), ("10.44.2.2", "last")))
        self.take_port(port, "10.44.2.66")
        self.emit("port.delete.end", {"port_id": port["id"]})
        self.fleet.wait_for(lambda: not self.known(port), SECONDS, "it is gone")
        self.answers(f"taken.{self.domain}", "A")
        self.emit("port.create.end", {"ports": [port, last]})
        self.answers(f"last.{domain}", "A", "10.44.2.2")
        self.assertIsNone(self.known(port))

    def test_a_port_of_the_same_project(self):
        """An owner's port becomes Neutron's as it is."""
        domain, network = self.a_told_network()
        port = port_of(network, "10.44.3.1", dns_name="vm")
        self.create(network["id"], "10.44.3.1", caller=self.owner, id=port["id"], dns_name="old")
        self.answers(f"old.{domain}", "A", "10.44.3.1")
        self.emit("port.create.end", {"port": port})
        self.answers(f"old.{domain}", "A")
        self.assert_is_neutrons(domain, network, port, "10.44.3.1")

    def test_a_subnet(self):
        for first, is_deleted in ("10.44.4", False), ("10.44.5", True):
            _, network = self.a_told_network()
            subnet = subnet_of(network, f"{first}.0/24", dns_publish_fixed_ip=True)
            own = {"id": subnet["id"], "network_id": self.taken, "cidr": f"{first}.0/25"}
            self.stranger.set_subnet(subnet=own)
            if is_deleted:
                self.stranger.delete_subnet(subnet=subnet["id"])
            self.emit("subnet.create.end", {"subnet": subnet})
            self.wait_subnet(subnet, network_id=network["id"].replace("-", ""),
                             project_id="tenant-1", cidr=f"{first}.0/24")
            self.refused("no subnet", self.stranger.get_subnet, subnet=subnet["id"])
            self.refused("no subnet", self.stranger.set_subnet, subnet=own)
            self.emit("subnet.delete.end", {"subnet_id": subnet["id"]})
            self.fleet.wait_for(lambda: self.subnet(subnet) is None, SECONDS, "it is gone")
            self.refused("no subnet", self.stranger.set_subnet, subnet=own)

    def test_a_network(self):
        """The stranger's port does not get a name in the domain of Neutron's network."""
        domain, network = self.a_network()
        self.a_taken_network(network["id"])
        theirs = self.create(network["id"], "10.44.6.66", caller=self.stranger, dns_name="www")
        self.answers(f"www.{self.domain}", "A", "10.44.6.66")
        port = port_of(network, "10.44.6.1", dns_name="vm")
        self.emit("port.create.end", {"port": port})
        self.wait_known(port, project_id="tenant-1")
        self.emit("network.create.end", {"network": network})
        self.assert_is_neutrons(domain, network, port, "10.44.6.1")
        self.answers(f"www.{self.domain}", "A")
        self.answers(f"www.{domain}", "A")
        self.assertIsNone(self.known(theirs))
        self.refused("no network", self.a_taken_network, network["id"])

    def test_a_network_that_is_deleted(self):
        domain, network = self.a_network()
        self.a_taken_network(network["id"])
        self.stranger.delete_network(network=network["id"])
        self.emit("network.create.end", {"network": network})
        port = port_of(network, "10.44.7.1", dns_name="vm")
        self.emit("port.create.end", {"port": port})
        self.assert_is_neutrons(domain, network, port, "10.44.7.1")
        self.emit("network.delete.end", {"network_id": network["id"]})
        self.fleet.wait_for(lambda: self.known(port) is None, SECONDS, "all of it is gone")
        self.refused("no network", self.a_taken_network, network["id"])


class Broken(FeedStory):

    def test_what_is_no_notification(self):
        """It is kept as a dead letter, and in nobody's way."""
        domain, network = self.a_network()
        before = self.refused_count()
        for event, payload in (("port.create.end", {}), ("port.create.end", {"port": 5}),
                               ("port.create.end", {"port": {"id": "?"}}),
                               ("port.delete.end", {"port_id": None}),
                               ("network.update.end", {"network": {"id": 7}}),
                               ("subnet.create.end", {"subnet": subnet_of(network, "net")})):
            self.emit(event, payload)
        self.emit("network.create.end", {"network": network})
        port = port_of(network, "10.43.0.1", "no address", dns_name="b\u00e4d",
                       mac_address="?")
        self.emit("port.create.end", {"port": port})
        self.answers(f"host-10-43-0-1.{domain}", "A", "10.43.0.1")
        self.wait_known(port, dns_name=None, mac_address=None)
        self.fleet.wait_for(lambda: self.refused_count() == before + 6, SECONDS,
                            "each is counted")

    def refused_count(self):
        return sum(int(re.search("^zonefleet_ports_events_refused_total ([0-9]+)$",
                                 worker.page("/metrics")[1], re.M)[1])
                   for worker in self.workers)

    def refused_lines(self):
        return [line for worker in self.workers for line in worker.log.read_text().splitlines()
                if "notification of Neutron refused: " in line]

    def test_many_that_are_none(self):
        """A process logs one line a second at most, and says how many have no line."""
        count, before, lines = 400, self.refused_count(), len(self.refused_lines())
        began = time.monotonic()
        for _ in range(count):
            self.emit("port.create.end", {})
        self.fleet.wait_for(lambda: self.refused_count() == before + count, SECONDS,
                            "each is counted")
        seconds = time.monotonic() - began
        self.assertLessEqual(len(self.refused_lines()) - lines, WORKERS * (seconds + 1))

        def is_told():
            self.emit("port.create.end", {})
            return sum(1 + int(re.search(" unlogged=([0-9]+) ", line)[1])
                       for line in self.refused_lines()) > before + count
        self.fleet.wait_for(is_told, SECONDS, "the lines say how many have no line")


if __name__ == "__main__":
    unittest.main()

"""Names of ports, by calls on the queue: records, reverse domains, subnets, quotas and tenants.

Each test asks mini-DNS and BIND for what a call changed. The fleet has a central, a pool manager, a
mini-DNS, a BIND and two processes of ports.
"""

import contextlib
import ipaddress
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import uuid
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import dns.message
import dns.query
import dns.rdatatype
import dns.reversename

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from story import NO_HOSTS, NS, Caller, replace_zone, start_fleet      # noqa: E402
from changed import changes                                             # noqa: E402
from query import udp  # noqa: E402
from heard import Heard                                                 # noqa: E402
from holding import holding                                             # noqa: E402
from locked_row import costs_nothing, locked                        # noqa: E402
from dnsmasq import Dnsmasq                                             # noqa: E402
from lab.fleet import BINARIES, Worker, merged, render                  # noqa: E402
from lab.process import HOST                                            # noqa: E402

SECONDS = 15
WORKERS = 2
MANY, TURNS = 50, 60
MORE = 2600                     # what goes and comes of that is more than a change holds
MANY_PORTS = 10000 if "STORY_SECONDS" in os.environ else 300


def setUpModule():
    """One fleet for all, and two workers of ports; each test has domains of its own."""
    folder = Path(tempfile.mkdtemp(prefix="zfports"))
    unittest.addModuleCleanup(shutil.rmtree, folder)
    fleet = unittest.enterModuleContext(start_fleet(
        folder / "fleet", central=1, poolmgr=1, minidns=1, name_servers=("bind",),
        settings={"central": {"quota_recordsets": -1}}))
    for number in range(WORKERS):
        worker = Worker(folder / f"ports{number + 1}", "ports",
                        fleet.settings | {"ports": {"processes": 1, "retry_period": 2,
                                                    "check_period": 2}})
        worker.launch()
        unittest.addModuleCleanup(worker.stop)
        worker.wait_ready()
        PortStory.workers.append(worker)
    PortStory.fleet = fleet
    PortStory.central = Caller(fleet.rabbitmq.url)
    PortStory.caller = Caller(fleet.rabbitmq.url, topic="ports")
    for caller in PortStory.central, PortStory.caller:
        unittest.addModuleCleanup(caller.close)


def ask(port, name, kind):
    """{"10.0.0.1", ...} of an answer; None if the server did not say that all is well."""
    question = dns.message.make_query(name, kind)
    answer = udp(question, HOST, port=port, timeout=5)
    if answer.rcode() not in (0, 3):
        return None
    return {str(record) for rrset in answer.answer if rrset.rdtype == dns.rdatatype.from_text(kind)
            for record in rrset}


class PortStory(unittest.TestCase):

    workers = []

    def domain(self, suffix="example."):
        """A new domain of central's, and a network whose domain it is."""
        name = f"d{uuid.uuid4().hex[:8]}.{suffix}"
        self.central.create_domain(domain={"name": name})
        return name, self.network(name)

    @classmethod
    def without_tenant(cls, zone):
        """A domain that belongs to no tenant, as those that ports makes itself."""
        with contextlib.closing(Caller(cls.fleet.rabbitmq.url, tenant="")) as operator:
            return operator.create_domain(domain={"name": zone})

    def network(self, domain, **more):
        network = uuid.uuid4().hex
        self.caller.set_network(network={"id": network, "dns_domain": domain} | more)
        return network

    def create(self, network, *addresses, caller=None, **more):
        return (caller or self.caller).create_port(port={
            "network_id": network,
            "fixed_ips": [{"ip_address": address} for address in addresses]} | more)["port"]

    def gone(self, zone):
        try:
            self.central.get_domain(domain=zone)
        except Exception as error:
            return "there is no domain" in str(error)
        return False

    def delete(self, zone):
        self.central.delete_domain(domain=zone, force=True)
        self.fleet.wait_for(lambda: self.gone(zone), SECONDS, f"{zone} is gone")

    def servers(self):
        return self.fleet.minidns_ports[0], self.fleet.bind.port

    def answers(self, name, kind, *expected):
        """Each of the servers, in a while."""
        for port in self.servers():
            self.fleet.wait_for(lambda: ask(port, name, kind) == set(expected), SECONDS,
                                f"{name} {kind} is {expected}: {ask(port, name, kind)}")

    def wait_published(self, network, seconds=SECONDS + MANY_PORTS / 20):
        """All that ports of the network have and had."""
        self.fleet.wait_for(lambda: self.caller.get_published(network=network)["open"] == 0,
                            seconds, "all is published")

    def heard(self):
        heard = Heard(self.fleet.rabbitmq)
        self.addCleanup(heard.close)
        return heard

    def refused(self, pattern, call, *arguments, **keywords):
        with self.assertRaisesRegex(Exception, pattern):
            call(*arguments, **keywords)

    @staticmethod
    def reverse(address):
        return str(dns.reversename.from_address(address))


class Tables(PortStory):
    """The two tables of seed 002."""

    def test_queries(self):
        domain, network = self.domain()
        v4, v6 = "10.224.36.4", "fd5d:19f:52e9::2"
        port = self.create(network, v4, v6)
        host4, host6 = f"host-10-224-36-4.{domain}", f"host-fd5d-19f-52e9--2.{domain}"
        self.answers(host4, "A", v4)
        self.answers(host6, "AAAA", v6)
        self.answers(self.reverse(v4), "PTR", host4)
        self.answers(self.reverse(v6), "PTR", host6)
        self.caller.update_port(port=port["id"], values={"dns_name": "Name"})
        name = f"name.{domain}"
        self.answers(name, "A", v4)
        self.answers(name, "AAAA", v6)
        self.answers(host4, "A", v4)
        self.answers(host6, "AAAA", v6)
        self.answers(self.reverse(v4), "PTR", name)
        self.answers(self.reverse(v6), "PTR", name)
        self.fleet.wait_for(lambda: self.caller.get_port(port=port["id"])["port"]["status"]
                            == "ACTIVE", SECONDS, "the port is published")
        self.caller.delete_port(port=port["id"])
        for gone, kind in ((name, "A"), (name, "AAAA"), (host4, "A"), (host6, "AAAA"),
                           (self.reverse(v4), "PTR"), (self.reverse(v6), "PTR")):
            self.answers(gone, kind)
        self.refused("no port", self.caller.get_port, port=port["id"])

    def test_full_names(self):
        domain, network = self.domain()
        for number, (given, fqdn) in enumerate((
                ("vm01", f"vm01.{domain}"), ("vm01.test1", f"vm01.test1.{domain}"),
                (f"vm02.test1.{domain}", f"vm02.test1.{domain}"), (None, None))):
            more = {} if given is None else {"dns_name": given}
            port = self.create(network, f"10.1.0.{number + 1}", **more)
            self.assertEqual((port["dns_name"], port["dns_fqdn"]), (given, fqdn))
            self.assertEqual(self.caller.get_port(port=port["id"])["port"]["dns_fqdn"], fqdn)
        self.refused("dns_name", self.create, network, "10.1.0.9",
                     dns_name="vm01.test1.other.com.")
        ports = self.caller.list_ports(network=network)["ports"]
        self.assertEqual(len(ports), 4)
        port = ports[0]["id"]
        self.refused("dns_name", self.caller.update_port, port=port,
                     values={"dns_name": "vm01.test1.other.com."})
        self.assertEqual(self.caller.get_port(port=port)["port"]["dns_name"],
                         ports[0]["dns_name"])

    def test_assignment(self):
        domain, network = self.domain()
        port = self.create(network, "10.1.1.1", dns_name="a")
        self.assertEqual(port["dns_assignment"], [
            {"ip_address": "10.1.1.1", "hostname": "a", "fqdn": f"a.{domain}"}])
        port = self.create(network, "10.1.1.2")
        self.assertEqual(port["dns_assignment"], [
            {"ip_address": "10.1.1.2", "hostname": "host-10-1-1-2",
             "fqdn": f"host-10-1-1-2.{domain}"}])

    def test_the_full_name_is_only_shown(self):
        domain, network = self.domain()
        fqdn = f"vm.{domain}"
        self.refused('has no field .dns_fqdn', self.create, network, "10.1.2.1",
                     dns_name="vm", dns_fqdn=fqdn)
        self.assertEqual(self.caller.list_ports(network=network)["ports"], [])
        port = self.create(network, "10.1.2.1", dns_name="vm")
        for values in {"dns_fqdn": fqdn}, {"dns_name": "other", "dns_fqdn": f"other.{domain}"}:
            self.refused('has no field .dns_fqdn', self.caller.update_port, port=port["id"],
                         values=values)
        self.assertEqual(self.caller.get_port(port=port["id"])["port"]["dns_fqdn"], fqdn)
        for given, shown in (("New", f"new.{domain}"), (f"a.b.{domain}", f"a.b.{domain}"),
                             (None, None)):
            answer = self.caller.update_port(port=port["id"], values={"dns_name": given})["port"]
            self.assertEqual(answer["dns_fqdn"], shown)


class Hosts(PortStory):
    """The same by dnsmasq, from files in the form of Neutron's DHCP agent."""

    def export(self, network, limit):
        """(addn_hosts, dhcp_hosts, how many pages it took)"""
        files, marker, pages = ["", ""], None, 0
        while marker or not pages:
            page = self.caller.hosts_export(network=network, limit=limit,
                                            **({"marker": marker} if marker else {}))
            files = [file + "".join(host[key] for host in page["hosts"])
                     for file, key in zip(files, ("addn_hosts", "dhcp_hosts"))]
            marker, pages = page["marker"], pages + 1
        return *files, pages

    def test_those_asked_for(self):
        domain, network = self.domain()
        ports = [self.create(network, f"10.224.41.{number}")["id"] for number in range(1, 5)]
        elsewhere = self.create(self.network(domain), "10.224.42.1")["id"]
        self.caller.delete_port(port=ports[1])
        asked = [ports[0], str(uuid.UUID(ports[1])), str(uuid.UUID(ports[2])), elsewhere]
        answer = self.caller.hosts_export(network=network, ports=asked)
        self.assertEqual(answer, {"hosts": [
            {"port": ports[at], "dhcp_hosts": "",
             "addn_hosts": f"10.224.41.{at + 1}\thost-10-224-41-{at + 1}.{domain[:-1]} "
                           f"host-10-224-41-{at + 1}\n"} for at in (0, 2)], "marker": None,
            "version": answer["version"]})
        self.assertEqual(self.caller.hosts_export(network=network, ports=[])["hosts"], [])
        for bad in [["?"], [1], "x", [ports[0]] * 101]:
            self.refused("ports", self.caller.hosts_export, network=network, ports=bad)
        self.refused("no network", self.caller.hosts_export, network=uuid.uuid4().hex)

    def test_versions(self):
        """One more with each change of lines, in the answer to both questions."""
        def versions(*networks):
            return self.caller.hosts_versions(networks=list(networks))["versions"]
        domain, network = self.domain()
        other = self.network(domain)
        self.assertEqual(versions(network, str(uuid.UUID(other)), uuid.uuid4().hex), {})
        port = self.create(network, "10.224.43.1", dns_name="a")
        self.assertEqual(versions(network, other, network), {network: 1})
        self.caller.update_port(port=port["id"], values={"dns_name": "b"})
        self.create(other, "10.224.43.2")
        self.assertEqual(versions(network, other), {network: 2, other: 1})
        self.assertEqual(self.caller.hosts_export(network=network)["version"], 2)
        self.assertEqual(self.caller.hosts_export(network=network, ports=[])["version"], 2)
        self.caller.delete_port(port=port["id"])
        self.assertEqual(versions(*[network] * 500), {network: 3})
        for bad in [[1], "x", ["?"], [network] * 501]:
            self.refused("networks", self.caller.hosts_versions, networks=bad)
        stranger = Caller(self.fleet.rabbitmq.url, topic="ports", admin=False)
        self.addCleanup(stranger.close)
        self.refused("administrators", stranger.hosts_versions, networks=[network])

    def dnsmasq(self, domain, hosts):
        folder = tempfile.TemporaryDirectory(prefix="zfdnsmasq")
        self.addCleanup(folder.cleanup)
        server = Dnsmasq(Path(folder.name), domain)
        server.write("addn_hosts", hosts)
        server.launch()
        self.addCleanup(server.stop)
        server.wait_ready()
        return server

    def test_dnsmasq_answers_as_minidns_does(self):
        """A002-1"""
        domain, network = self.domain()
        self.create(network, "10.224.40.4", "fd5d:19f:52ea::2", dns_name="name",
                    mac_address="fa:16:3e:00:00:01")
        self.create(network, "10.224.40.5", mac_address="fa:16:3e:00:00:02")
        self.create(network, "10.224.40.6", dns_name="a.b")
        addn, dhcp, pages = self.export(network, 2)
        self.assertEqual(pages, 2)
        self.assertEqual(len(addn.splitlines()), 7)
        self.assertEqual(set(dhcp.splitlines()), {
            f"fa:16:3e:00:00:01,name.{domain[:-1]},10.224.40.4",
            f"fa:16:3e:00:00:01,name.{domain[:-1]},[fd5d:19f:52ea::2]",
            f"fa:16:3e:00:00:02,host-10-224-40-5.{domain[:-1]},10.224.40.5"})
        server = self.dnsmasq(domain, addn)
        for name, kind, answer in (
                (f"name.{domain}", "A", "10.224.40.4"),
                (f"host-10-224-40-4.{domain}", "A", "10.224.40.4"),
                (f"name.{domain}", "AAAA", "fd5d:19f:52ea::2"),
                (f"host-fd5d-19f-52ea--2.{domain}", "AAAA", "fd5d:19f:52ea::2"),
                (self.reverse("10.224.40.5"), "PTR", f"host-10-224-40-5.{domain}"),
                (self.reverse("10.224.40.4"), "PTR", f"name.{domain}"),
                (self.reverse("fd5d:19f:52ea::2"), "PTR", f"name.{domain}"),
                (f"a.b.{domain}", "A", "10.224.40.6"),
                (self.reverse("10.224.40.6"), "PTR", f"a.b.{domain}")):
            with self.subTest(name=name, kind=kind):
                self.answers(name, kind, answer)
                self.assertEqual(ask(server.port, name, kind), {answer})


class Names(PortStory):

    def test_one_of_a_name(self):
        """A002-4"""
        _, network = self.domain()
        port = self.create(network, "10.2.0.1", dns_name="web")
        self.refused(f"port {port['id']} has the name web", self.create, network,
                     "10.2.0.2", dns_name="WEB")
        _, other = self.domain()
        self.create(other, "10.2.1.1", dns_name="web")
        self.caller.delete_port(port=port["id"])
        self.create(network, "10.2.0.3", dns_name="web")

    def test_a_full_one_is_the_same(self):
        """Whether it is given with its domain or without: what counts is what it is in DNS."""
        domain, network = self.domain()
        for number, (first, second) in enumerate((("a", f"A.{domain}"), (f"b.{domain}", "b"))):
            port = self.create(network, f"10.2.2.{number + 1}", dns_name=first)
            self.refused(f"port {port['id']} has the name {first[0]}.{domain}",
                         self.create, network, "10.2.2.9", dns_name=second)
            other = self.create(network, f"10.2.3.{number + 1}")
            self.refused("has the name", self.caller.update_port, port=other["id"],
                         values={"dns_name": second})
            self.assertIsNone(self.caller.get_port(port=other["id"])["port"]["dns_fqdn"])

    def test_the_same_in_another_domain(self):
        """Is another one: a port's own domain counts, in which its name is."""
        domain, network = self.domain()
        own, _ = self.domain()
        first = self.create(network, "10.2.4.1", dns_name="vm")
        second = self.create(network, "10.2.4.2", dns_name="vm", dns_domain=own)
        self.assertEqual((first["dns_fqdn"], second["dns_fqdn"]), (f"vm.{domain}", f"vm.{own}"))
        self.answers(f"vm.{domain}", "A", "10.2.4.1")
        self.answers(f"vm.{own}", "A", "10.2.4.2")
        self.refused(f"port {second['id']} has the name vm.{own}", self.create,
                     network, "10.2.4.3", dns_name="vm", dns_domain=own)
        self.refused(f"port {first['id']} has the name vm.{domain}",
                     self.caller.update_port, port=second["id"], values={"dns_domain": ""})
        self.answers(f"vm.{own}", "A", "10.2.4.2")

    def test_many_want_the_same_at_once(self):
        _, network = self.domain()
        ready = threading.Barrier(MANY)

        def create(number):
            caller = Caller(self.fleet.rabbitmq.url, topic="ports")
            try:
                ready.wait(60)
                return self.create(network, f"10.3.0.{number + 1}", dns_name="one",
                                   caller=caller)
            except Exception as error:
                return str(error)
            finally:
                caller.close()
        with ThreadPoolExecutor(MANY) as pool:
            answers = list(pool.map(create, range(MANY)))
        won = [answer for answer in answers if isinstance(answer, dict)]
        self.assertEqual(len(won), 1, answers)
        for answer in answers:
            if answer not in won:
                self.assertRegex(answer, "has the name")
        ports = self.caller.list_ports(network=network)["ports"]
        self.assertEqual([port["id"] for port in ports], [won[0]["id"]])

    def test_without_a_domain_nothing_is_checked(self):
        network = self.network("")
        port = self.create(network, "10.4.0.1", dns_name="No_Name!")
        self.assertEqual((port["dns_name"], port["dns_fqdn"], port["dns_assignment"]),
                         ("no_name!", None, []))
        again = self.create(network, "10.4.0.2", dns_name="No_Name!")
        self.assertEqual((again["dns_name"], again["dns_fqdn"]), ("no_name!", None))
        self.assertEqual(len(self.caller.list_ports(network=network)["ports"]), 2)

    def test_a_domain_in_which_some_have_no_name(self):
        """What was not checked then is no name, or one of two, or is of another domain, or too
        long: the answer says whose."""
        network, domain = self.network(""), f"{'d' * 60}.{uuid.uuid4().hex[:8]}.example."
        self.central.create_domain(domain={"name": domain})
        names = ("vm", "vm", "no_name!", "vm.other.example.", ".".join(["n" * 45] * 4), None)
        ports = [self.create(network, f"10.4.1.{number + 1}", dns_name=name)["id"]
                 for number, name in enumerate(names)]
        answer = self.caller.set_network(network={"id": network, "dns_domain": domain})
        first, second = sorted(ports[:2])
        self.assertEqual(answer["ports"], len(ports))
        self.assertEqual(set(answer["unnamed"]), {second, *ports[2:5]})
        self.assertEqual(len(answer["unnamed"]), 4)
        self.answers(f"vm.{domain}", "A", f"10.4.1.{ports.index(first) + 1}")
        for number, port in enumerate(ports):
            self.answers(f"host-10-4-1-{number + 1}.{domain}", "A", f"10.4.1.{number + 1}")
            self.assertEqual(self.caller.get_port(port=port)["port"]["dns_fqdn"],
                             f"vm.{domain}" if port == first else None)

    def test_another_domain_renames_all(self):
        """With one serial for each domain, however many ports there are."""
        old, network = self.domain()
        ports = [self.create(network, f"10.5.{i // 200}.{i % 200 + 1}", dns_name=f"n{i}")
                 for i in range(30)]
        self.answers(f"n29.{old}", "A", "10.5.0.30")
        new = f"new-{old}"
        self.central.create_domain(domain={"name": new})
        before = self.central.get_domain(domain=old)["serial"]
        self.fleet.wait_for(lambda: self.fleet.bind.serial(old.rstrip(".")) == before, SECONDS,
                            "all of the old is out")
        answer = self.caller.set_network(network={"id": network, "dns_domain": new})
        self.assertEqual((answer["ports"], answer["unnamed"]), (len(ports), []))
        self.answers(f"n29.{new}", "A", "10.5.0.30")
        self.answers(f"host-10-5-0-30.{new}", "A", "10.5.0.30")
        self.answers(f"n29.{old}", "A")
        self.answers(self.reverse("10.5.0.30"), "PTR", f"n29.{new}")


class Log(PortStory):

    def wait_logged(self, name, *methods):
        logged = lambda: [line["method"] for line in changes(self.workers, name)]   # noqa: E731
        self.fleet.wait_for(lambda: sorted(logged()) == sorted(methods), SECONDS,
                            f"the log names each change of {name}: {methods}, not {logged()}")

    def test_each_change_leaves_a_line(self):
        _, network = self.domain()
        port = self.create(network, "10.1.0.1", dns_name="log")["id"]
        self.caller.create_port(port={"id": port, "network_id": network, "dns_name": "log",
                                      "fixed_ips": [{"ip_address": "10.1.0.1"}]})   # again
        self.caller.update_port(port=port, values={"dns_name": "log"})              # as it is
        self.caller.update_port(port=port, values={"dns_name": "other"})
        subnet = self.caller.set_subnet(subnet={"network_id": network, "cidr": "10.1.0.0/24"})
        subnet = subnet["subnet"]["id"]
        self.caller.set_subnet(subnet={"id": subnet, "network_id": network,
                                       "cidr": "10.1.0.0/24"})
        for _ in range(2):
            self.caller.delete_port(port=port)
            self.caller.delete_subnet(subnet=subnet)
        self.caller.delete_network(network=network)
        self.wait_logged(port, "create_port", "update_port", "delete_port")
        self.wait_logged(subnet, "set_subnet", "delete_subnet")
        self.wait_logged(network, "set_network", "delete_network")


class Deleted(PortStory):
    """A domain that somebody deleted."""

    def status(self, port):
        port = self.caller.get_port(port=port["id"])["port"]
        return port["status"], port["reason"]

    def wait_status(self, port, status, words=""):
        self.fleet.wait_for(lambda: (lambda s: s[0] == status and words in (s[1] or ""))(
            self.status(port)), 2 * SECONDS, f"it is {status}, {words}: {self.status(port)}")

    def known(self, domain):
        return self.fleet.mariadb.sql(
            f"SELECT COUNT(*) FROM port_zones WHERE zone = '{domain}' AND domain_id IS NOT NULL"
            ) == [["1"]]

    def test_its_ports_say_so_and_come_back(self):
        domain, network = self.domain()
        port = self.create(network, "10.96.1.1", dns_name="vm")
        self.wait_status(port, "ACTIVE")
        self.delete(domain)
        self.wait_status(port, "PENDING", "does not exist")
        self.central.create_domain(domain={"name": domain})
        self.answers(f"vm.{domain}", "A", "10.96.1.1")
        self.wait_status(port, "ACTIVE")

    def test_one_that_is_swept(self):
        """Its row goes a day after its last record, and comes again with the next one."""
        domain, network = self.domain()
        port = self.create(network, "10.96.1.3")
        self.wait_status(port, "ACTIVE")
        self.caller.delete_port(port=port["id"])
        self.answers(f"host-10-96-1-3.{domain}", "A")
        self.fleet.mariadb.sql("UPDATE port_zones SET checked_at = NOW(3) - INTERVAL 2 DAY "
                               f"WHERE zone = '{domain}'")
        self.fleet.wait_for(lambda: not self.fleet.mariadb.sql(
            f"SELECT 1 FROM port_zones WHERE zone = '{domain}'"), 90, "it is swept")
        port = self.create(network, "10.96.1.3")
        self.wait_status(port, "ACTIVE")

    def test_a_subnet_that_is_deleted_twice(self):
        _, network = self.domain()
        subnet = self.caller.set_subnet(subnet={"network_id": network,
                                                "cidr": "10.96.2.0/24"})["subnet"]["id"]
        for _ in range(2):
            self.caller.delete_subnet(subnet=subnet)
        self.refused("no subnet", self.caller.delete_subnet, subnet=uuid.uuid4().hex)
        for _ in range(2):
            self.caller.delete_network(network=network)
        self.refused("no network", self.caller.delete_network, network=uuid.uuid4().hex)

    def test_another_one_of_its_name_at_once(self):
        """And one port changes: whoever publishes that hears of which domain it is."""
        domain, network = self.domain()
        first = self.create(network, "10.96.3.1", dns_name="one")
        second = self.create(network, "10.96.3.2", dns_name="two")
        for port in first, second:
            self.wait_status(port, "ACTIVE")
        for worker in self.workers:
            worker.pause()
        try:
            self.delete(domain)
            self.central.create_domain(domain={"name": domain})
        finally:
            for worker in self.workers:
                worker.resume()
        self.caller.update_port(port=first["id"], values={"dns_name": "uno"})
        self.answers(f"two.{domain}", "A", "10.96.3.2")
        self.answers(f"uno.{domain}", "A", "10.96.3.1")

    def test_another_one_of_its_name(self):
        """Nobody looked while there was none."""
        domain, network = self.domain()
        port = self.create(network, "10.96.1.2", dns_name="vm")
        self.wait_status(port, "ACTIVE")
        self.fleet.wait_for(lambda: self.known(domain), SECONDS, "it was looked at")
        for worker in self.workers:
            worker.pause()
        try:
            self.delete(domain)
            self.central.create_domain(domain={"name": domain})
        finally:
            for worker in self.workers:
                worker.resume()
        self.answers(f"vm.{domain}", "A", "10.96.1.2")
        self.answers(f"host-10-96-1-2.{domain}", "A", "10.96.1.2")


class Restored(PortStory):
    """Records of ports go only by force, and come back."""

    def setUp(self):
        self.zone, network = self.domain()
        self.port = self.create(network, "10.97.1.1", dns_name="vm")
        self.name, self.host = f"vm.{self.zone}", f"host-10-97-1-1.{self.zone}"
        self.pointer = self.reverse("10.97.1.1")
        self.zone_of = {"A": self.zone, "PTR": self.pointer.partition(".")[2]}
        self.addCleanup(self.caller.delete_port, port=self.port["id"])
        self.answers(self.name, "A", "10.97.1.1")
        self.answers(self.pointer, "PTR", self.name)    # that of the test before is gone
        self.fleet.wait_for(lambda: self.get_port()["status"] == "ACTIVE", SECONDS, "published")

    def get_port(self):
        return self.caller.get_port(port=self.port["id"])["port"]

    def version(self, zone=None):
        return self.central.get_domain(domain=zone or self.zone)["version"]

    def wait_checked(self, zone=None):
        """The workers know that the domain has all of it as it is now."""
        zone = zone or self.zone
        self.fleet.wait_for(lambda: self.fleet.mariadb.sql(
            f"SELECT seen_version, is_suspect FROM port_zones WHERE zone = '{zone}'") ==
            [[str(self.version(zone)), "0"]], SECONDS, f"{zone} is checked")

    def whole_set(self, name, kind="A"):
        found = self.central.find_recordsets(domain=self.zone_of[kind], criterion={
            "name": name, "type": kind})["recordsets"]
        return found[0] if found else None

    def replaced(self, zone, **more):
        """The state and the reason of an import that has no record of a port."""
        return replace_zone(self.central, zone, [[zone, 300, "NS", NS]], SECONDS, **more)

    def test_no_call_removes_them_by_accident(self):
        for name, kind, data, other in ((self.name, "A", "10.97.1.1", "192.0.2.1"),
                                        (self.pointer, "PTR", self.name, "other.example.net.")):
            with self.subTest(kind):
                self.stays(name, kind, data, other)

    def stays(self, name, kind, data, other):
        """The record of a port, and OTHER is data of another one."""
        zone = self.zone_of[kind]
        member, = self.whole_set(name, kind)["members"]
        self.assertEqual(member["managed_by"], "ports")
        set_id, before = self.whole_set(name, kind)["id"], self.version(zone)
        one = {"name": name, "type": kind}
        words = rf"ports manages the record '{name} {kind} {data}': .* force"
        for change in (one | {"op": "delete"}, one | {"op": "delete", "records": [data]},
                       one | {"op": "set", "records": [other]},
                       one | {"op": "set", "records": [other], "managed_by": "routes"}):
            with self.subTest(change):
                self.refused(words, self.central.apply_changes, domain=zone, changes=[change])
        self.refused(words, self.central.delete_recordset, domain=zone, recordset=set_id)
        self.refused(words, self.central.update_recordset, domain=zone, recordset=set_id,
                     values={"records": [other]})
        self.refused("ports manages records of the domain .*force", self.central.delete_domain,
                     domain=zone)
        state, reason = self.replaced(zone)
        self.assertEqual(state, "ERROR")
        self.assertRegex(reason, "ports manages the record .* force")
        self.assertEqual(self.version(zone), before)
        # what leaves them where they are is allowed
        self.central.update_recordset(domain=zone, recordset=set_id, values={"ttl": 77})
        self.central.apply_changes(domain=zone, changes=[
            one | {"op": "set", "records": [data, other]}])
        self.central.apply_changes(domain=zone, changes=[one | {"op": "set", "records": [data]}])
        self.assertEqual([member["managed_by"] for member in self.whole_set(name, kind)["members"]
                          if member["task"] != "DELETE"], ["ports"])

    def test_what_is_removed_all_the_same_comes_back(self):
        """In the domain of the network, where it has two, and in the reverse domain."""
        delete = {"op": "delete", "name": self.name, "type": "A"}
        self.comes_back([delete, {"op": "set", "name": self.host, "type": "A",
                                  "records": ["192.0.2.9"]}],
                        {(self.name, "A"): "10.97.1.1", (self.host, "A"): "10.97.1.1"})
        self.comes_back([delete | {"name": self.pointer, "type": "PTR"}],
                        {(self.pointer, "PTR"): self.name})

    def comes_back(self, changes, records):
        """These changes are forced, and other calls; RECORDS is what a port has in the domain."""
        name, kind = next(iter(records))
        zone = self.zone_of[kind]
        self.wait_checked(zone)
        for remove in (
                lambda: self.central.apply_changes(domain=zone, force=True, changes=changes),
                lambda: self.central.delete_recordset(
                    domain=zone, recordset=self.whole_set(name, kind)["id"], force=True),
                lambda: self.assertEqual(self.replaced(zone, force=True), ("DONE", ""))):
            before = self.version(zone)
            remove()
            self.assertGreater(self.version(zone), before)
            self.fleet.wait_for(lambda: all(data in self.data(*key) for key, data in
                                            records.items()), SECONDS, "they are back")
            self.answers(name, kind, records[name, kind])
            self.assertEqual(self.get_port()["status"], "ACTIVE")
            self.wait_checked(zone)
        self.assertEqual(self.version(zone), before + 2)    # the import, and what came back

    def data(self, name, kind):
        return [member["data"] for member in (self.whole_set(name, kind) or {"members": []})
                ["members"]]

    def test_a_domain_that_central_cannot_read_holds_up_no_other(self):
        self.wait_checked()
        broken, network = self.domain()
        while (zlib.crc32(broken.encode()) - zlib.crc32(self.zone.encode())) % WORKERS:
            broken, network = self.domain()     # until the same worker checks both
        port = self.create(network, "10.97.2.1", dns_name="vm")
        self.addCleanup(self.caller.delete_port, port=port["id"])
        self.answers(f"vm.{broken}", "A", "10.97.2.1")
        sql, spoil = self.fleet.mariadb.sql, "UPDATE domains SET mname = '{}' WHERE name = '{}'"
        (mname,), = sql(f"SELECT mname FROM domains WHERE name = '{broken}'")
        self.addCleanup(sql, spoil.format(mname, broken))
        sql(spoil.format("a..b.", broken))
        # it is the first to be asked about
        sql(f"UPDATE port_zones SET checked_at = '2026-01-01' WHERE zone = '{broken}'")
        self.central.apply_changes(domain=self.zone, force=True, changes=[
            {"op": "delete", "name": self.name, "type": "A"}])
        self.answers(self.name, "A", "10.97.1.1")

    def test_a_change_that_takes_nothing_away_costs_no_serial(self):
        self.wait_checked()
        self.central.apply_changes(domain=self.zone, changes=[
            {"op": "add", "name": f"other.{self.zone}", "type": "A", "records": ["192.0.2.1"]}])
        changed = self.version()
        self.wait_checked()
        self.assertEqual(self.version(), changed)

    def test_one_that_cannot_come_back(self):
        self.central.apply_changes(domain=self.zone, force=True, changes=[
            {"op": "delete", "name": self.name, "type": "A"},
            {"op": "add", "name": self.name, "type": "CNAME", "records": ["www.example.net."]}])
        self.fleet.wait_for(lambda: (lambda port: port["status"] == "ERROR" and
                                     "CNAME" in port["reason"])(self.get_port()),
                            SECONDS, "the port says why")
        self.answers(self.host, "A", "10.97.1.1")
        self.central.apply_changes(domain=self.zone, changes=[
            {"op": "delete", "name": self.name, "type": "CNAME"}])
        self.answers(self.name, "A", "10.97.1.1")

    def test_a_record_that_was_there_before_a_port_stays(self):
        name = f"both.{self.zone}"
        self.central.apply_changes(domain=self.zone, changes=[
            {"op": "add", "name": name, "type": "A", "records": ["10.97.1.3"]}])
        port = self.create(self.port["network_id"], "10.97.1.3", dns_name="both")
        self.answers(f"host-10-97-1-3.{self.zone}", "A", "10.97.1.3")
        self.fleet.wait_for(lambda: self.caller.get_port(port=port["id"])["port"]["status"] ==
                            "ACTIVE", SECONDS, "it is published")
        self.caller.delete_port(port=port["id"])
        self.answers(f"host-10-97-1-3.{self.zone}", "A")
        self.answers(self.reverse("10.97.1.3"), "PTR")
        self.answers(name, "A", "10.97.1.3")


class Subnets(PortStory):
    """Which addresses have records."""

    def set(self, network, cidr, publish=True, caller=None, **more):
        return (caller or self.caller).set_subnet(subnet={
            "network_id": network, "cidr": cidr, "dns_publish_fixed_ip": publish} | more)["subnet"]

    def test_from_first_to_last(self):
        domain, network = self.domain()
        hidden = self.set(network, "10.20.0.0/25", publish=False)
        self.assertEqual({key: hidden[key] for key in (
            "network_id", "cidr", "dns_domain", "dns_publish_fixed_ip", "published")}, {
            "network_id": network, "cidr": "10.20.0.0/25", "dns_domain": domain,
            "dns_publish_fixed_ip": False, "published": False})
        self.set(network, "fd20::/64")
        port = self.create(network, "10.20.0.1", "10.20.0.129", "fd20::1", dns_name="some")
        self.assertEqual([one["ip_address"] for one in port["dns_assignment"]],
                         ["10.20.0.129", "fd20::1"])
        self.answers(f"some.{domain}", "A", "10.20.0.129")
        self.answers(f"some.{domain}", "AAAA", "fd20::1")
        self.answers(self.reverse("10.20.0.129"), "PTR", f"some.{domain}")
        self.unknown("10.20.0.1", domain)
        addn = "".join(host["addn_hosts"]
                       for host in self.caller.hosts_export(network=network)["hosts"])
        self.assertNotIn("10.20.0.1\t", addn)
        self.assertIn("10.20.0.129\t", addn)
        self.assertEqual(self.set(network, "10.20.0.0/25")["id"], hidden["id"])
        self.answers(f"some.{domain}", "A", "10.20.0.1", "10.20.0.129")
        self.answers(f"host-10-20-0-1.{domain}", "A", "10.20.0.1")
        self.answers(self.reverse("10.20.0.1"), "PTR", f"some.{domain}")
        self.set(network, "10.20.0.0/24", publish=False, id=hidden["id"])       # it grew
        self.answers(f"some.{domain}", "A")
        self.answers(f"some.{domain}", "AAAA", "fd20::1")
        self.unknown("10.20.0.1", domain)
        self.unknown("10.20.0.129", domain)
        self.caller.delete_subnet(subnet=hidden["id"])
        self.answers(f"some.{domain}", "A", "10.20.0.1", "10.20.0.129")
        self.refused("no subnet", self.caller.get_subnet, subnet=hidden["id"])
        self.caller.delete_subnet(subnet=hidden["id"])             # however often

    def unknown(self, address, domain):
        self.answers(f"host-{address.replace('.', '-')}.{domain}", "A")
        self.answers(self.reverse(address), "PTR")

    def test_many_ports_are_one_change(self):
        domain, network = self.domain()
        for number in range(30):
            self.create(network, f"10.21.0.{number + 1}", dns_name=f"n{number}")
        self.answers(f"n29.{domain}", "A", "10.21.0.30")
        self.wait_published(network)
        version = self.central.get_domain(domain=domain)["version"]
        self.set(network, "10.21.0.0/24", publish=False)
        self.answers(f"n29.{domain}", "A")
        self.answers(f"host-10-21-0-1.{domain}", "A")
        self.assertEqual(self.central.get_domain(domain=domain)["version"], version + 1)
        self.set(network, "10.21.0.0/24")
        self.answers(f"n29.{domain}", "A", "10.21.0.30")
        self.assertEqual(self.central.get_domain(domain=domain)["version"], version + 2)
        self.wait_published(network)
        self.set(network, "10.21.0.0/24")                       # it is so already
        self.assertEqual(self.central.get_domain(domain=domain)["version"], version + 2)

    def test_another_domain_of_the_network(self):
        domain, network = self.domain()
        subnet = self.set(network, "10.22.0.0/25", publish=False)
        self.create(network, "10.22.0.1", "10.22.0.129", dns_name="moves")
        self.answers(f"moves.{domain}", "A", "10.22.0.129")
        new = f"new-{domain}"
        self.central.create_domain(domain={"name": new})
        self.caller.set_network(network={"id": network, "dns_domain": new})
        self.answers(f"moves.{new}", "A", "10.22.0.129")
        self.unknown("10.22.0.1", new)
        self.assertEqual(self.caller.get_subnet(subnet=subnet["id"])["subnet"]["dns_domain"], new)

    def test_ports_and_their_subnet_at_once(self):
        """Whoever is first, each port is as the subnet says in the end."""
        domain, _ = self.domain()
        callers = [Caller(self.fleet.rabbitmq.url, topic="ports") for _ in range(2)]
        networks = []
        with ThreadPoolExecutor(2) as pool:
            for turn in range(TURNS):
                networks.append(self.network(domain))
                port = self.create(networks[-1], dns_name=f"t{turn}")
                ready = threading.Barrier(2)

                def address(port=port, turn=turn, ready=ready):
                    ready.wait()
                    callers[0].update_port(port=port["id"], values={"fixed_ips": [
                        {"ip_address": f"10.23.{turn}.1"}]})

                def subnet(network=networks[-1], ready=ready):
                    ready.wait()
                    self.set(network, "10.23.0.0/16", publish=False, caller=callers[1])
                for done in [pool.submit(address), pool.submit(subnet)]:
                    done.result()
        for caller in callers:
            caller.close()
        self.assertEqual(self.fleet.mariadb.sql(
            "SELECT COUNT(*) FROM port_records r JOIN ports p ON p.id = r.port_id WHERE "
            f"p.network_id IN ({str(networks)[1:-1]}) AND r.state <> 'DROP'"), [["0"]])

    def test_what_is_no_subnet(self):
        _, network = self.domain()
        first = self.set(network, "10.24.0.0/24")
        _, other = self.domain()
        for subnet, words in (
                ({}, "network_id"), ({"network_id": network}, "cidr"),
                ({"network_id": network, "cidr": "10.24.1.1/24"}, "10.24.1.0/24"),
                ({"network_id": network, "cidr": "fd00::1/64"}, "fd00::/64"),
                ({"network_id": network, "cidr": "10.24.1.0"}, "cidr"),
                ({"network_id": network, "cidr": "10.24.1.0/33"}, "cidr"),
                ({"network_id": network, "cidr": 5}, "cidr"),
                ({"network_id": network, "cidr": "10.24.0.128/25"}, "overlaps 10.24.0.0/24"),
                ({"network_id": network, "cidr": "10.0.0.0/8"}, "overlaps 10.24.0.0/24"),
                ({"network_id": network, "cidr": "10.24.0.0/24", "id": uuid.uuid4().hex},
                 "overlaps"),
                ({"network_id": other, "cidr": "10.24.0.0/24", "id": first["id"]},
                 "another network"),
                ({"network_id": uuid.uuid4().hex, "cidr": "10.24.1.0/24"}, "no network"),
                ({"network_id": network, "cidr": "10.24.1.0/24", "colour": 1}, "colour"),
                ({"network_id": network, "cidr": "10.24.1.0/24", "dns_publish_fixed_ip": "no"},
                 "dns_publish_fixed_ip")):
            with self.subTest(subnet=subnet):
                self.refused(words, self.caller.set_subnet, subnet=subnet)
        self.set(other, "10.24.0.0/24")         # each network has its own
        self.assertEqual([subnet["id"] for subnet in
                          self.caller.list_subnets(network=network)["subnets"]], [first["id"]])

    def test_lists(self):
        _, network = self.domain()
        made = {self.set(network, f"10.25.{number}.0/24")["id"] for number in range(7)}
        found, marker, pages = [], None, 0
        while marker or not pages:
            page = self.caller.list_subnets(network=network, limit=3,
                                            **({"marker": marker} if marker else {}))
            found += [subnet["id"] for subnet in page["subnets"]]
            marker, pages = page["marker"], pages + 1
        self.assertEqual((len(found), set(found), pages), (7, made, 3))
        self.caller.delete_network(network=network)
        self.assertEqual(self.caller.list_subnets(network=network)["subnets"], [])
        self.refused("no subnet", self.caller.get_subnet, subnet=found[0])

    def test_strangers(self):
        _, network = self.domain()
        subnet = self.set(network, "10.26.0.0/24")
        stranger = Caller(self.fleet.rabbitmq.url, topic="ports", tenant="tenant-3", admin=False)
        self.addCleanup(stranger.close)
        self.refused("no network", self.set, network, "10.26.0.0/24", publish=False,
                     caller=stranger)
        own = uuid.uuid4().hex
        stranger.set_network(network={"id": own})
        self.refused("no subnet", stranger.set_subnet, subnet={
            "id": subnet["id"], "network_id": own, "cidr": "10.26.0.0/24"})
        self.refused("no subnet", stranger.get_subnet, subnet=subnet["id"])
        self.refused("no subnet", stranger.delete_subnet, subnet=subnet["id"])
        self.assertEqual(stranger.list_subnets()["subnets"], [])
        self.assertTrue(self.caller.get_subnet(subnet=subnet["id"])["subnet"]["published"])


class Requests(PortStory):
    """What is no port, and what is no network."""

    def test_ports(self):
        _, network = self.domain()
        for port, words in (
                ({}, "network_id"), ({"network_id": 5}, "network_id"),
                ({"network_id": "x"}, "network_id"), ({"network_id": uuid.uuid4().hex},
                                                      "no network"),
                ({"network_id": network, "colour": 1}, "colour"),
                ({"network_id": network, "fixed_ips": {}}, "fixed_ips"),
                ({"network_id": network, "fixed_ips": [5]}, "ip_address|fixed_ips"),
                ({"network_id": network, "fixed_ips": [{"ip_address": "10.0.0.256"}]},
                 "ip_address"),
                ({"network_id": network, "fixed_ips": [{"ip_address": "fe80::1%eth0"}]},
                 "ip_address"),
                ({"network_id": network, "fixed_ips": [{"ip_address": "fd00::1"},
                                                       {"ip_address": "fd00:0::1"}]},
                 "is listed twice: list each address once"),
                ({"network_id": network, "fixed_ips": [{"ip_address": f"10.0.0.{i}"}
                                                       for i in range(31)]}, "fixed_ips"),
                ({"network_id": network, "dns_name": "a" * 256}, "dns_name"),
                ({"network_id": network, "dns_name": "\u00e4"}, "dns_name"),
                ({"network_id": network, "dns_name": "a\nb"}, "dns_name"),
                ({"network_id": network, "dns_name": 5}, "dns_name"),
                ({"network_id": network, "mac_address": "fa:16:3e"}, "mac_address")):
            with self.subTest(port=port):
                self.refused(words, self.caller.create_port, port=port)
        self.assertEqual(self.caller.list_ports(network=network)["ports"], [])

    def test_networks(self):
        for domain, words in (("a" * 250, "dns_domain"), ("a..b", "dns_domain"),
                              (".", "dns_domain"), ("*.example.", "dns_domain"),
                              ("\u00e4.example.", "dns_domain"), (5, "dns_domain")):
            with self.subTest(domain=domain):
                self.refused(words, self.caller.set_network,
                             network={"id": uuid.uuid4().hex, "dns_domain": domain})

    def check_settings(self, **changes):
        """What --check says of the settings of a worker with these changes."""
        worker = self.workers[0]
        config = worker.folder / "checked.cfg"
        config.touch(0o600)
        config.write_text(render(merged(worker.settings, {"ports": changes})))
        program, option, _ = worker.command()
        done = subprocess.run([program, option, config, "--check"], capture_output=True, text=True,
                              timeout=SECONDS)
        return done.stdout + done.stderr

    def test_domains_that_central_refuses(self):
        """With the words of central, and before a port waits for such a domain."""
        network = self.network("")
        port = self.create(network, "10.27.0.1")
        for domain in "/etc.example.", "a/.example.", "a//b.example.", "*.example.":
            with self.subTest(domain=domain):
                with self.assertRaises(Exception) as caught:
                    self.central.create_domain(domain={"name": domain})
                words = re.search(r"domain\.name(: [^\n]*)", str(caught.exception))[1]
                words = re.escape("dns_domain" + words)
                self.refused(words, self.network, domain)
                self.refused(words, self.create, network, "10.27.0.2", dns_domain=domain)
                self.refused(words, self.caller.update_port, port=port["id"],
                             values={"dns_domain": domain})
                self.assertRegex(self.check_settings(domain=domain), words.replace(
                    "dns_domain", "ports.domain"))

    def test_lists(self):
        _, network = self.domain()
        made = {self.create(network, f"10.8.0.{i + 1}")["id"] for i in range(7)}
        found, marker = [], None
        while True:
            page = self.caller.list_ports(network=network, limit=3,
                                          **({"marker": marker} if marker else {}))
            found += [port["id"] for port in page["ports"]]
            marker = page["marker"]
            if not marker:
                break
        self.assertEqual((len(found), set(found)), (7, made))
        for bad in {"limit": 0}, {"limit": 1001}, {"marker": "\u00e4"}, {"network": "?"}:
            with self.subTest(bad=bad):
                self.refused("limit|marker|network", self.caller.list_ports, **bad)

    def test_a_list_of_a_network_that_is_none(self):
        _, network = self.domain()
        self.assertEqual(self.caller.list_ports(network=network)["ports"], [])
        stranger = Caller(self.fleet.rabbitmq.url, topic="ports", tenant="tenant-4", admin=False)
        self.addCleanup(stranger.close)
        self.refused(f"no network {network}", stranger.list_ports, network=network)
        none = uuid.uuid4().hex
        self.refused(f"no network {none}", self.caller.list_ports, network=none)
        self.assertEqual(self.caller.list_ports(network=none, marker="f" * 32)["ports"], [])
        self.caller.delete_network(network=network)
        self.refused(f"no network {network}", self.caller.list_ports, network=network)

    def test_by_their_names(self):
        domain, network = self.domain()
        first = self.create(network, "10.8.2.1", dns_name="Web")["id"]
        second = self.create(self.network(domain), "10.8.2.2", dns_name=f"web.{domain}")["id"]
        self.create(network, "10.8.2.3", dns_name="web2")

        def called(name, caller=self.caller, **more):
            return [port["id"] for port in caller.list_ports(dns_fqdn=name, **more)["ports"]]
        self.assertEqual(called(f"WEB.{domain}"), sorted([first, second]))
        self.assertEqual(called(f"web.{domain}", network=network), [first])
        self.assertEqual(called(f"web.{domain}", limit=1), [min(first, second)])
        self.assertEqual(called(f"host-10-8-2-1.{domain}"), [])
        stranger = Caller(self.fleet.rabbitmq.url, topic="ports", tenant="tenant-4", admin=False)
        self.addCleanup(stranger.close)
        self.assertEqual(called(f"web.{domain}", stranger), [])
        self.caller.delete_port(port=first)
        self.assertEqual(called(f"web.{domain}"), [second])
        for bad in "web", "a..b.", 5, "\u00e4.":
            with self.subTest(bad=bad):
                self.refused("dns_fqdn", called, bad)

    def test_how_far_it_is(self):
        """Of a port, also when it is gone, and of all ports of a network."""
        domain, network = self.domain()
        port = self.create(network, "10.8.3.1", dns_name="web")["id"]
        domains = ["3.8.10.in-addr.arpa.", domain]
        done = {"open": 0, "refused": 0, "reason": "", "domains": domains, "waiting": []}

        def published(caller=self.caller, **what):
            shown = caller.get_published(**what)
            self.assertGreater(shown.pop("retry_seconds"), 0)
            return shown
        for what in {"port": port}, {"network": network}:
            self.fleet.wait_for(lambda: published(**what) == done, SECONDS, "all is there")
        central = self.fleet.members["central1"]
        central.stop()
        try:
            self.caller.delete_port(port=port)
            self.assertEqual(published(port=port)["open"], 3)
            self.assertEqual(published(network=network)["domains"], domains)
        finally:
            central.launch()
            central.wait_ready()
        self.fleet.wait_for(lambda: published(port=port) == done | {"domains": []}, SECONDS,
                            "nothing is there any more")
        stranger = Caller(self.fleet.rabbitmq.url, topic="ports", tenant="tenant-4", admin=False)
        self.addCleanup(stranger.close)
        for words, what in (("no port", {"port": port}), ("no network", {"network": network})):
            self.refused(words, published, stranger, **what)
        for words, what in (("no port", {"port": network}), ("no network", {"network": port}),
                            ("the argument port or the argument", {}), ("port", {"port": 5})):
            self.refused(words, published, **what)

    def test_the_same_twice(self):
        _, network = self.domain()
        port = self.create(network, "10.8.1.1", id=str(uuid.uuid4()), dns_name="a")
        again = self.create(network, "10.8.1.1", id=port["id"], dns_name="a")
        self.assertEqual((again["id"], again["dns_fqdn"]), (port["id"], port["dns_fqdn"]))
        self.refused("exists or existed", self.create, network, "10.8.1.2", id=port["id"])
        for _ in range(2):
            self.caller.delete_port(port=port["id"])
        self.refused("exists or existed", self.create, network, "10.8.1.1", id=port["id"],
                     dns_name="a")


class Reverse(PortStory):

    def test_zones_are_made_once(self):
        """A002-8: many first names of a new reverse domain, at once."""
        domain, network = self.domain()
        with ThreadPoolExecutor(8) as pool:
            callers = [Caller(self.fleet.rabbitmq.url, topic="ports") for _ in range(8)]
            list(pool.map(lambda i: self.create(network, f"10.77.7.{i + 1}",
                                                caller=callers[i % 8]), range(100)))
        for caller in callers:
            caller.close()
        zone = "7.77.10.in-addr.arpa."
        self.fleet.wait_for(lambda: len(self.pointers(zone)) == 100, 2 * SECONDS,
                            "all of them are in the zone")
        self.assertEqual(self.pointers(zone),
                         {f"{i + 1}.{zone}": f"host-10-77-7-{i + 1}.{domain}"
                          for i in range(100)})

    def pointers(self, zone):
        try:
            lines = self.central.export_domain(domain=zone)["lines"]
        except Exception:
            return {}
        rows = [line.split() for line in lines]
        return {row[0]: row[4] for row in rows if row[3] == "PTR"}

    def test_two_of_one_address(self):
        """On networks that know nothing of each other; one that goes leaves the other's."""
        first, network = self.domain()
        second, other = self.domain()
        address = str(ipaddress.ip_address("10.88.0.1"))
        port = self.create(network, address, dns_name="a")
        self.create(other, address, dns_name="a")
        self.answers(self.reverse(address), "PTR", f"a.{first}", f"a.{second}")
        self.caller.delete_port(port=port["id"])
        self.answers(self.reverse(address), "PTR", f"a.{second}")

    def test_one_who_goes_shares_one_of_its_addresses(self):
        """What another port has, too, stays; what else it had of the same name goes."""
        domain, network = self.domain()
        other = self.network(domain)
        port = self.create(network, "10.88.1.1", "10.88.1.2", dns_name="web")
        self.create(other, "10.88.1.1", dns_name="web")
        self.answers(f"web.{domain}", "A", "10.88.1.1", "10.88.1.2")
        self.caller.delete_port(port=port["id"])
        self.answers(f"web.{domain}", "A", "10.88.1.1")
        self.answers(f"host-10-88-1-1.{domain}", "A", "10.88.1.1")
        self.answers(f"host-10-88-1-2.{domain}", "A")


class OthersReverse(PortStory):
    """Reverse domains of a tenant: no port of another one reaches into them, or beside them."""

    def setUp(self):
        self.bob, self.alice = (self.tenant(topic) for topic in ("central", "ports"))
        self.name = f"d{uuid.uuid4().hex[:8]}.example."
        self.central.create_domain(domain={"name": self.name,
                                           "tenant": self.alice.context["project_id"]})
        self.net = uuid.uuid4().hex
        self.alice.set_network(network={"id": self.net, "dns_domain": self.name})

    def tenant(self, topic):
        caller = Caller(self.fleet.rabbitmq.url, topic=topic, tenant=f"t{uuid.uuid4().hex[:8]}",
                        admin=False)
        self.addCleanup(caller.close)
        return caller

    def bobs(self, zone, **records):
        """A domain of bob's with PTR records, {first label: target}."""
        self.bob.create_domain(domain={"name": zone})
        done = self.bob.apply_changes(domain=zone, changes=[
            {"op": "add", "name": f"{label.replace('_', '')}.{zone}", "type": "PTR",
             "records": [target]} for label, target in records.items()])
        return done["serial"]

    def port(self, address, name):
        port = self.create(self.net, address, caller=self.alice, dns_name=name)
        self.fleet.wait_for(lambda: "another tenant" in self.published(port)["reason"], SECONDS,
                            "the port says what is wrong")
        self.answers(f"{name}.{self.name}", "A", address)
        return port

    def published(self, port):
        return self.alice.get_published(port=port["id"])

    def test_no_record_comes_or_goes(self):
        zone = "1.184.10.in-addr.arpa."
        serial = self.bobs(zone, _5=f"www.{self.name}", _6="mail.bob.example.")
        equal = self.port("10.184.1.5", "www")
        self.port("10.184.1.6", "evil")
        self.alice.delete_port(port=equal["id"])
        self.fleet.wait_for(lambda: not self.published(equal)["open"], SECONDS, "it is gone")
        self.answers(f"5.{zone}", "PTR", f"www.{self.name}")
        self.answers(f"6.{zone}", "PTR", "mail.bob.example.")
        self.assertEqual(self.bob.get_domain(domain=zone)["serial"], serial)

    def test_a_record_of_the_operator_stays(self):
        """The reverse domain belongs to no tenant, so ports may write to it."""
        zone = "1.186.10.in-addr.arpa."
        self.without_tenant(zone)
        self.central.apply_changes(domain=zone, changes=[
            {"op": "add", "name": f"5.{zone}", "type": "PTR", "records": [f"www.{self.name}"]}])
        ports = [self.create(self.net, address, caller=self.alice, dns_name=name)
                 for address, name in (("10.186.1.5", "www"), ("10.186.1.6", "mail"))]
        self.answers(f"6.{zone}", "PTR", f"mail.{self.name}")
        self.answers(f"www.{self.name}", "A", "10.186.1.5")
        for port in ports:
            self.fleet.wait_for(lambda: not self.published(port)["open"], SECONDS, "published")
            self.alice.delete_port(port=port["id"])
        self.fleet.wait_for(lambda: not self.alice.get_published(network=self.net)["open"],
                            SECONDS, "the ports' records are gone")
        self.answers(f"6.{zone}", "PTR")
        self.answers(f"5.{zone}", "PTR", f"www.{self.name}")

    def test_no_domain_comes_below(self):
        zone = "185.10.in-addr.arpa."
        self.bobs(zone, **{"_9.1": "nine.bob.example."})
        self.port("10.185.1.9", "evil")
        self.assertTrue(self.gone(f"1.{zone}"))
        self.answers(f"9.1.{zone}", "PTR", "nine.bob.example.")


class Quotas(PortStory):
    """A reverse domain counts for the project whose port needs it first."""

    def setUp(self):
        self.tenant = f"t{uuid.uuid4().hex[:8]}"
        self.owner = Caller(self.fleet.rabbitmq.url, topic="ports", tenant=self.tenant, admin=False)
        self.addCleanup(self.owner.close)
        self.name = f"q{uuid.uuid4().hex[:8]}.example."
        self.central.create_domain(domain={"name": self.name, "tenant": self.tenant})
        self.net = uuid.uuid4().hex
        self.owner.set_network(network={"id": self.net, "dns_domain": self.name})

    def limit(self, number):
        self.central.set_quota(tenant=self.tenant, resource="domains", hard_limit=number)

    def port(self, *addresses, network=None):
        return self.create(network or self.net, *addresses, caller=self.owner)

    def too_many(self, call, *arguments, **keywords):
        self.refused("reverse domains of the tenant exist or will be created. This call",
                     call, *arguments, **keywords)

    @contextlib.contextmanager
    def central_away(self):
        central = self.fleet.members["central1"]
        central.stop()
        try:
            yield
        finally:
            central.launch()
            central.wait_ready()

    def at_the_same_time(self, addresses):
        """How many of these calls end well. Each worker has begun one before one can commit."""
        callers = [Caller(self.fleet.rabbitmq.url, topic="ports", tenant=self.tenant, admin=False)
                   for _ in addresses]
        for caller in callers:
            self.addCleanup(caller.close)
        with ThreadPoolExecutor(len(addresses)) as pool:
            with holding(self.fleet.mariadb, "SELECT version FROM network_hosts WHERE "
                         f"network_id = '{self.net}' FOR UPDATE"):
                before = {worker: locked([worker]) for worker in self.workers}
                calls = [pool.submit(self.create, self.net, address, caller=caller)
                         for address, caller in zip(addresses, callers)]
                self.fleet.wait_for(lambda: all(
                    locked([worker]) > count for worker, count in before.items()), SECONDS,
                    "each worker finds the row locked at the end of a transaction")
            failures = [call.exception() for call in calls]
        for failure in filter(None, failures):
            self.assertRegex(str(failure), "reverse domains of the tenant exist or will be")
        return failures.count(None)

    def test_a_project_with_none(self):
        self.limit(0)
        for number in range(40):
            self.too_many(self.port, f"10.171.{number}.1")
        self.assertEqual(self.owner.list_ports()["ports"], [])
        self.assertTrue(self.gone("0.171.10.in-addr.arpa."))

    def test_up_to_its_quota(self):
        self.limit(2)
        first = self.port("10.172.1.1")
        self.port("10.172.2.1")
        self.wait_published(self.net)
        for addresses in (["10.172.3.1"], ["10.172.1.9", "fd00:172::1"]):
            self.too_many(self.port, *addresses)
        self.too_many(self.owner.update_port, port=first["id"], values={"fixed_ips": [
            {"ip_address": "10.172.1.1"}, {"ip_address": "10.172.4.1"}]})
        for number in range(2, 6):
            self.port(f"10.172.1.{number}")                     # it is there
        self.limit(3)
        self.port("10.172.3.1")
        self.create(self.net, "10.172.5.1", project_id=self.tenant)  # an administrator's call

    def test_one_that_goes_makes_room(self):
        self.limit(1)
        port = self.port("10.173.1.1")
        self.wait_published(self.net)
        self.too_many(self.port, "10.173.2.1")
        self.owner.delete_port(port=port["id"])
        self.wait_published(self.net)
        self.too_many(self.port, "10.173.2.1")                  # its domain is there still
        self.delete("1.173.10.in-addr.arpa.")
        self.port("10.173.2.1")

    def test_one_of_somebody_else(self):
        """A reverse domain that was there before counts for nobody."""
        self.limit(0)
        self.without_tenant("1.174.10.in-addr.arpa.")
        self.port("10.174.1.1")
        self.wait_published(self.net)
        self.answers(self.reverse("10.174.1.1"), "PTR", f"host-10-174-1-1.{self.name}")
        self.too_many(self.port, "10.174.2.1")

    def test_calls_at_the_same_time(self):
        """They neither exceed the quota nor are refused what fits."""
        self.limit(2)
        self.port("10.178.0.1")
        self.assertEqual(self.at_the_same_time([f"10.178.{n}.1" for n in range(1, 5)]), 1)
        self.limit(4)
        self.assertEqual(self.at_the_same_time(["10.178.11.1", "10.178.12.1"]), 2)
        self.too_many(self.port, "10.178.13.1")

    def test_what_is_not_made_yet(self):
        """It counts once, for what needs it, and keeps nobody from what needs no other one."""
        self.limit(1)
        with self.central_away():
            port = self.port("10.179.1.1")
            self.owner.delete_port(port=port["id"])
            self.port("10.179.2.1")                 # nothing needs the first one any more
            self.too_many(self.port, "10.179.1.1")
            self.create(self.net, "10.179.3.1", project_id=self.tenant)  # an administrator's call
            self.port("10.179.2.2")                 # these need no further one
            self.port("10.179.3.2")
            self.too_many(self.port, "10.179.4.1")
        self.wait_published(self.net)
        self.port("10.179.2.3")
        self.too_many(self.port, "10.179.4.1")

    def test_one_that_another_project_had_before(self):
        other = f"t{uuid.uuid4().hex[:8]}"
        before = self.create(self.net, "10.180.1.1", project_id=other)
        self.wait_published(self.net)
        self.caller.delete_port(port=before["id"])
        self.wait_published(self.net)
        self.delete("1.180.10.in-addr.arpa.")
        self.limit(0)
        self.too_many(self.port, "10.180.1.1")
        self.limit(1)
        self.port("10.180.1.1")
        self.too_many(self.port, "10.180.2.1")
        self.central.set_quota(tenant=other, resource="domains", hard_limit=1)
        with contextlib.closing(Caller(self.fleet.rabbitmq.url, topic="ports", tenant=other,
                                       admin=False)) as caller:
            name = f"q{uuid.uuid4().hex[:8]}.example."
            self.central.create_domain(domain={"name": name, "tenant": other})
            network = uuid.uuid4().hex
            caller.set_network(network={"id": network, "dns_domain": name})
            self.create(network, "10.180.3.1", caller=caller)

    def test_ports_of_another_project(self):
        """A network's owner cannot use up the quota of a project that has a port there."""
        other, network = f"t{uuid.uuid4().hex[:8]}", uuid.uuid4().hex
        self.central.set_quota(tenant=other, resource="domains", hard_limit=0)
        self.owner.set_network(network={"id": network})
        self.create(network, "10.181.1.1", project_id=other)
        self.refused("a port of another tenant needs a new reverse domain", self.owner.set_network,
                     network={"id": network, "dns_domain": self.name})

    def test_ports_that_get_names_later(self):
        """By a domain of their network, or by a subnet."""
        self.limit(1)
        bare, hidden = uuid.uuid4().hex, uuid.uuid4().hex
        self.owner.set_network(network={"id": bare})
        for number in 1, 2:
            self.port(f"10.175.{number}.1", network=bare)
        self.too_many(self.owner.set_network, network={"id": bare, "dns_domain": self.name})
        self.owner.set_network(network={"id": hidden, "dns_domain": self.name})
        subnet = {"network_id": hidden, "cidr": "10.176.0.0/16"}
        self.owner.set_subnet(subnet=subnet | {"dns_publish_fixed_ip": False})
        for number in 1, 2:
            self.port(f"10.176.{number}.1", network=hidden)
        self.too_many(self.owner.set_subnet, subnet=subnet | {"dns_publish_fixed_ip": True})

    def statements(self, call):
        """How many statements the database ran for it; others run some, too."""
        def executed():
            return int(self.fleet.mariadb.sql("SHOW GLOBAL STATUS LIKE 'Com_stmt_execute'")[0][1])
        before = executed()
        call()
        return executed() - before

    def test_few_statements_for_many(self):
        """Reverse domains of many projects: some were known before, some are new."""
        own, others, few = 100, 60, 100
        network, start = uuid.uuid4().hex, f"o{uuid.uuid4().hex[:8]}"
        self.owner.set_network(network={"id": network})
        projects = [self.tenant] * own + [f"{start}-{i}" for i in range(others)]
        for i, project in enumerate(projects):
            self.create(network, f"10.182.{i}.1", project_id=project)
        rows = ", ".join(f"('{i}.182.10.in-addr.arpa.', '', 1)"
                         for i in range(0, len(projects), 2))
        self.fleet.mariadb.sql(f"INSERT INTO port_zones (zone, project_id, rev) VALUES {rows}")
        self.limit(own - 1)
        named = {"id": network, "dns_domain": self.name}
        counts = []         # with those of other work, so the least one counts
        while len(counts) < 50 and min(counts, default=few) >= few:
            counts.append(self.statements(lambda: self.too_many(
                self.owner.set_network, network=named)))
        self.assertLess(min(counts), few)
        self.limit(own)
        with self.central_away():
            self.owner.set_network(network=named)
            counted = self.fleet.mariadb.sql("SELECT made_for, COUNT(*) FROM port_zones WHERE zone "
                                             "LIKE '%.182.10.in-addr.arpa.' GROUP BY made_for")
            self.assertEqual({row[0]: int(row[1]) for row in counted},
                             {project: projects.count(project) for project in projects})
            self.refused(f"{own} reverse domains of the tenant", self.port,
                         "10.183.1.1")
            self.caller.set_network(network={"id": network, "dns_domain": ""})


class Locked(PortStory):
    """Another holds a row; whoever wants it waits, and is no burden to others."""

    def setUp(self):
        self.own = Caller(self.fleet.rabbitmq.url, topic="ports")
        self.addCleanup(self.own.close)

    def costs_nothing(self, row, call):
        """A port of another network, at each worker."""
        _, network = self.domain()
        other = self.create(network, "10.176.9.1")["id"]
        number = itertools.count()
        costs_nothing(self.fleet.mariadb, row, call, [lambda: self.own.update_port(
            port=other, values={"dns_name": f"n{next(number)}"})] * WORKERS, self.workers)

    def test_a_port(self):
        _, network = self.domain()
        port, number = self.create(network, "10.176.1.1")["id"], itertools.count()
        self.costs_nothing(f"SELECT 1 FROM ports WHERE id = '{port}' FOR UPDATE",
                           lambda: self.caller.update_port(
                               port=port, values={"dns_name": f"m{next(number)}"}))

    def test_a_network(self):
        _, network = self.domain()
        number = itertools.count(1)
        self.costs_nothing(f"SELECT 1 FROM networks WHERE id = '{network}' FOR UPDATE",
                           lambda: self.create(network, f"10.176.2.{next(number)}"))

    def test_the_domain_that_a_worker_publishes(self):
        """Its row waits for the answer of central."""
        name, network = self.domain()
        self.create(network, "10.176.3.1")
        self.wait_published(network)
        number = itertools.count(2)
        self.costs_nothing(f"SELECT 1 FROM port_zones WHERE zone = '{name}' FOR UPDATE",
                           lambda: self.create(network, f"10.176.3.{next(number)}"))
        self.wait_published(network)


class Addresses(PortStory):

    def test_those_of_no_host(self):
        domain, network = self.domain()
        port = self.create(network, "10.177.0.1")
        for address, words in NO_HOSTS:
            with self.subTest(address=address):
                words = f"ip_address: {address} is (an?|the) {words} address"
                self.refused(words, self.create, network, address)
                self.refused(words, self.create, network, "10.177.0.2", address)
                self.refused(words, self.caller.update_port, port=port["id"],
                             values={"fixed_ips": [{"ip_address": address}]})


class Restarted(PortStory):
    """The workers with other settings, as long as the stories of a class last."""

    @classmethod
    def setUpClass(cls):
        cls.restart(cls.settings)

    @classmethod
    def tearDownClass(cls):
        cls.restart(cls.defaults)

    @classmethod
    def restart(cls, settings):
        for worker in cls.workers:
            worker.stop()
            worker.configure({"ports": settings})
            worker.launch()
            worker.wait_ready()

    def is_there(self, zone):
        try:
            return self.central.get_domain(domain=zone)["task"] != "DELETE"
        except Exception as error:
            self.assertIn("there is no domain", str(error))
            return False

    def wait_gone(self, zone):
        """From central, and from the servers, which refuse what they do not have."""
        self.fleet.wait_for(lambda: not self.is_there(zone), SECONDS, f"{zone} is deleted")
        for port in self.servers():
            self.fleet.wait_for(lambda: ask(port, zone, "SOA") is None, SECONDS,
                                f"{zone} is not served")

    def wait_active(self, *ports):
        for port in ports:
            self.fleet.wait_for(lambda: self.caller.get_port(port=port["id"])["port"]["status"]
                                == "ACTIVE", 2 * SECONDS, f"{port['id']} is published")

    def wait_settled(self, zone):
        self.fleet.wait_for(lambda: self.fleet.mariadb.sql(
            f"SELECT COUNT(*) FROM port_zones WHERE zone = '{zone}' AND due_at IS NULL")
            == [["1"]], SECONDS, "nothing is open there")


class Empty(Restarted):
    """With ports.delete_reverse: reverse domains go when they are needed no more."""

    settings, defaults = {"delete_reverse": True}, {"delete_reverse": False}

    def test_a_domain_of_networks_that_have_none_stays(self):
        """It is nobody's, as reverse ones are."""
        zone = f"d{uuid.uuid4().hex[:8]}.example."
        self.central.create_domain(domain={"name": zone})
        network = self.network(zone)
        port = self.create(network, "10.77.1.1")
        self.wait_active(port)
        self.fleet.mariadb.sql(f"UPDATE networks SET is_default = TRUE WHERE id = '{network}'")
        made = self.central.get_domain(domain=zone)["id"]
        for table in "port_zones", "port_records":
            self.fleet.mariadb.sql(f"UPDATE {table} SET project_id = '' WHERE zone = '{zone}'")
        self.fleet.mariadb.sql(f"UPDATE records SET managed_by = 'ports' WHERE domain_id = '{made}'")
        self.fleet.mariadb.sql(f"UPDATE domains SET tenant = '' WHERE id = '{made}'")
        self.fleet.mariadb.sql(f"UPDATE port_zones SET made_id = '{made}' WHERE zone = '{zone}'")
        self.caller.delete_port(port=port["id"])
        self.answers(f"host-10-77-1-1.{zone}", "A")
        self.wait_settled(zone)
        self.assertTrue(self.is_there(zone))

    def made(self, zone):
        return self.fleet.mariadb.sql(
            f"SELECT COUNT(*) FROM port_zones WHERE zone = '{zone}' AND made_id IS NOT NULL"
            ) == [["1"]]

    def test_it_goes_with_its_last_address(self):
        domain, network = self.domain()
        zone = "0.90.10.in-addr.arpa."
        first, second = (self.create(network, f"10.90.0.{number}") for number in (1, 2))
        self.wait_active(first, second)
        self.assertTrue(self.made(zone))
        self.caller.delete_port(port=first["id"])
        self.answers(self.reverse("10.90.0.1"), "PTR")
        self.wait_settled(zone)
        self.assertTrue(self.is_there(zone))
        self.answers(self.reverse("10.90.0.2"), "PTR", f"host-10-90-0-2.{domain}")
        self.caller.update_port(port=second["id"], values={"fixed_ips": [
            {"ip_address": "10.90.1.2"}]})
        self.wait_gone(zone)
        self.answers(self.reverse("10.90.1.2"), "PTR", f"host-10-90-1-2.{domain}")
        self.assertTrue(self.is_there(domain))

    def test_again_and_again(self):
        """What comes while it is on its way out waits until it can be made again."""
        domain, network = self.domain()
        zone, address = "1.91.10.in-addr.arpa.", "10.91.1.1"
        for number in range(8):
            port = self.create(network, address, dns_name=f"n{number}")
            self.wait_active(port)
            self.assertTrue(self.is_there(zone))
            self.answers(self.reverse(address), "PTR", f"n{number}.{domain}")
            self.caller.delete_port(port=port["id"])
            if number % 2:              # else at once
                self.fleet.wait_for(lambda: not self.is_there(zone), SECONDS, "it is deleted")
        self.wait_gone(zone)
        made = self.fleet.mariadb.sql(f"SELECT id FROM domains WHERE name = '{zone}'")
        self.assertGreaterEqual(len(made), 4)           # so often it was another one

    def test_one_that_was_empty_before(self):
        """When that was switched on: it goes as well."""
        domain, network = self.domain()
        zone = "3.91.10.in-addr.arpa."
        self.restart(self.defaults)
        try:
            port = self.create(network, "10.91.3.1")
            self.wait_active(port)
            self.caller.delete_port(port=port["id"])
            self.answers(self.reverse("10.91.3.1"), "PTR")
            self.wait_settled(zone)
            self.assertTrue(self.is_there(zone))
        finally:
            self.restart(self.settings)
        self.wait_gone(zone)

    def test_a_server_that_is_away_has_it_still(self):
        domain, network = self.domain()
        zone = "2.91.10.in-addr.arpa."
        port = self.create(network, "10.91.2.1")
        self.wait_active(port)
        self.answers(self.reverse("10.91.2.1"), "PTR", f"host-10-91-2-1.{domain}")
        with self.fleet.away(self.fleet.bind):
            self.caller.delete_port(port=port["id"])
            self.fleet.wait_for(lambda: not self.is_there(zone), SECONDS, "it is to go")
            port = self.create(network, "10.91.2.1", dns_name="next")
            self.fleet.wait_for(lambda: self.fleet.mariadb.sql(
                f"SELECT reason FROM port_zones WHERE zone = '{zone}'")
                == [["the domain does not exist, or central is deleting the domain"]],
                SECONDS, "it is said why it waits")
            self.assertEqual(self.caller.get_port(port=port["id"])["port"]["status"], "PENDING")
        self.fleet.wait_for(lambda: self.caller.get_port(port=port["id"])["port"]["status"]
                            == "ACTIVE", 8 * SECONDS, "it is published")
        self.answers(self.reverse("10.91.2.1"), "PTR", f"next.{domain}")

    def test_one_on_its_way_out_is_needed_again(self):
        """Then it counts again, though it still exists."""
        tenant, zone = f"t{uuid.uuid4().hex[:8]}", "2.97.10.in-addr.arpa."
        self.central.set_quota(tenant=tenant, resource="domains", hard_limit=1)
        owner = Caller(self.fleet.rabbitmq.url, topic="ports", tenant=tenant, admin=False)
        self.addCleanup(owner.close)
        network = uuid.uuid4().hex
        owner.set_network(network={"id": network, "dns_domain": "owned.example."})
        port = self.create(network, "10.97.2.1", caller=owner)
        self.answers(self.reverse("10.97.2.1"), "PTR", "host-10-97-2-1.owned.example.")
        with self.fleet.away(self.fleet.bind):
            owner.delete_port(port=port["id"])
            self.fleet.wait_for(lambda: not self.is_there(zone) and not self.made(zone), SECONDS,
                                "it is to go")
            self.create(network, "10.97.3.1", caller=owner)
            self.refused("reverse domains of the tenant exist or will be created",
                         self.create, network, "10.97.2.1", caller=owner)

    def test_many_come_and_go(self):
        domain, network = self.domain()
        callers = [Caller(self.fleet.rabbitmq.url, topic="ports") for _ in range(8)]

        def live(number):
            for _ in range(4):
                port = self.create(network, f"10.92.0.{number + 1}", caller=callers[number])
                callers[number].delete_port(port=port["id"])
            return self.create(network, f"10.92.0.{number + 1}", caller=callers[number])
        with ThreadPoolExecutor(8) as pool:
            ports = list(pool.map(live, range(8)))
        for caller in callers:
            caller.close()
        self.wait_active(*ports)
        for number in range(8):
            self.answers(self.reverse(f"10.92.0.{number + 1}"), "PTR",
                         f"host-10-92-0-{number + 1}.{domain}")
        for port in ports:
            self.caller.delete_port(port=port["id"])
        self.wait_gone("0.92.10.in-addr.arpa.")

    def test_what_is_not_ours(self):
        """Made by somebody else, or with a record of somebody's: it stays for ever."""
        _, network = self.domain()
        theirs, shared = "0.93.10.in-addr.arpa.", "1.93.10.in-addr.arpa."
        self.without_tenant(theirs)
        port = self.create(network, "10.93.0.1", "10.93.1.1")
        self.wait_active(port)
        self.assertEqual((self.made(theirs), self.made(shared)), (False, True))
        record = {"name": f"9.{shared}", "type": "PTR"}
        self.central.apply_changes(domain=shared, changes=[
            record | {"op": "add", "records": ["router.example.net."]}])
        self.caller.delete_port(port=port["id"])
        for zone in theirs, shared:
            self.answers(f"1.{zone}", "PTR")
            self.wait_settled(zone)
        self.answers(f"9.{shared}", "PTR", "router.example.net.")
        self.assertFalse(self.made(shared))
        self.central.apply_changes(domain=shared, changes=[record | {"op": "delete"}])
        port = self.create(network, "10.93.0.1", "10.93.1.1")
        self.wait_active(port)
        self.caller.delete_port(port=port["id"])
        for zone in theirs, shared:
            self.answers(f"1.{zone}", "PTR")
            self.wait_settled(zone)
            self.assertTrue(self.is_there(zone))

    def test_another_of_its_name(self):
        """An administrator deleted ours and made one of theirs, which stays."""
        _, network = self.domain()
        zone = "0.94.10.in-addr.arpa."
        port = self.create(network, "10.94.0.1")
        self.wait_active(port)
        self.delete(zone)
        made = self.without_tenant(zone)
        self.caller.delete_port(port=port["id"])
        self.wait_settled(zone)
        self.assertEqual(self.central.get_domain(domain=zone)["id"], made["id"])
        self.assertFalse(self.made(zone))

    def test_central_is_away(self):
        _, network = self.domain()
        zone = "0.95.10.in-addr.arpa."
        port = self.create(network, "10.95.0.1")
        self.wait_active(port)
        central = self.fleet.members["central1"]
        central.stop()
        try:
            self.caller.delete_port(port=port["id"])
        finally:
            central.launch()
            central.wait_ready()
        self.wait_gone(zone)

    def test_workers_that_die(self):
        domain, network = self.domain()
        for number in range(12):
            port = self.create(network, "10.96.0.1", dns_name=f"k{number}")
            if number % 3 == 0:
                self.wait_active(port)
            self.caller.delete_port(port=port["id"])
            worker = self.workers[number % WORKERS]
            worker.kill9()
            worker.launch()
            worker.wait_ready()
        port = self.create(network, "10.96.0.1", dns_name="last")
        self.answers(self.reverse("10.96.0.1"), "PTR", f"last.{domain}")
        self.answers(f"last.{domain}", "A", "10.96.0.1")


class Wide(Restarted):
    """Reverse domains of more addresses, and a network's own that nobody made before."""

    settings = {"ptr_prefix_v4": 16, "ptr_prefix_v6": 48, "create_domains": True,
                "delete_reverse": True}
    defaults = {"ptr_prefix_v4": 24, "ptr_prefix_v6": 64, "create_domains": False,
                "delete_reverse": False}

    def transferred(self, zone):
        """[(name, type, data)] of a zone that BIND has, but its SOA."""
        rows = [line.split(None, 4) for line in self.fleet.bind.axfr(zone)]
        return sorted((row[0], row[3], row[4]) for row in rows if row[3] != "SOA")

    def wait_transferred(self, zone, *records):
        self.fleet.wait_for(lambda: self.fleet.bind.serial(zone) ==
                            self.central.get_domain(domain=zone)["serial"], SECONDS,
                            f"BIND has all of {zone}")
        self.assertEqual(self.transferred(zone), sorted([(zone, "NS", NS), *records]))

    def test_all_that_is_there(self):
        domain = f"d{uuid.uuid4().hex[:8]}.example."
        v4, v6 = "20.172.in-addr.arpa.", "2.0.0.0.1.0.0.0.9.9.d.f.ip6.arpa."
        network = self.network(domain)
        ports = [self.create(network, "172.20.1.1", "fd99:1:2:1::5", dns_name="vm"),
                 self.create(network, "172.20.2.1", "fd99:1:2:ffff::6")]
        self.wait_active(*ports)
        self.wait_transferred(
            domain, (f"vm.{domain}", "A", "172.20.1.1"), (f"vm.{domain}", "AAAA", "fd99:1:2:1::5"),
            (f"host-172-20-1-1.{domain}", "A", "172.20.1.1"),
            (f"host-fd99-1-2-1--5.{domain}", "AAAA", "fd99:1:2:1::5"),
            (f"host-172-20-2-1.{domain}", "A", "172.20.2.1"),
            (f"host-fd99-1-2-ffff--6.{domain}", "AAAA", "fd99:1:2:ffff::6"))
        self.wait_transferred(v4, (f"1.1.{v4}", "PTR", f"vm.{domain}"),
                              (f"1.2.{v4}", "PTR", f"host-172-20-2-1.{domain}"))
        zeros = "0." * 15
        self.wait_transferred(
            v6, (f"5.{zeros}1.0.0.0.{v6}", "PTR", f"vm.{domain}"),
            (f"6.{zeros}f.f.f.f.{v6}", "PTR", f"host-fd99-1-2-ffff--6.{domain}"))
        for zone in "1.20.172.in-addr.arpa.", f"1.0.0.0.{v6}":
            self.assertFalse(self.is_there(zone), zone)
        for port in ports:
            self.caller.delete_port(port=port["id"])
        for zone in v4, v6:
            self.wait_gone(zone)
        self.wait_settled(domain)
        self.wait_transferred(domain)


class Vanished(PortStory):
    """A domain that somebody deleted is made again, with all that should be there."""

    def test_a_reverse_domain(self):
        domain, network = self.domain()
        zone = "0.97.10.in-addr.arpa."
        ports = [self.create(network, f"10.97.0.{number}") for number in (1, 2, 3)]
        for number in 1, 2, 3:
            self.answers(self.reverse(f"10.97.0.{number}"), "PTR",
                         f"host-10-97-0-{number}.{domain}")
        self.delete(zone)
        self.caller.delete_port(port=ports[2]["id"])
        self.create(network, "10.97.0.4")
        for number in 1, 2, 4:
            self.answers(self.reverse(f"10.97.0.{number}"), "PTR",
                         f"host-10-97-0-{number}.{domain}")
        self.answers(self.reverse("10.97.0.3"), "PTR")

    def test_nothing_is_made_to_be_emptied(self):
        _, network = self.domain()
        zone = "0.98.10.in-addr.arpa."
        port = self.create(network, "10.98.0.1")
        self.answers(self.reverse("10.98.0.1"), "PTR", port["dns_assignment"][0]["fqdn"])
        self.delete(zone)
        self.caller.delete_port(port=port["id"])
        self.fleet.wait_for(lambda: self.fleet.mariadb.sql(
            f"SELECT COUNT(*) FROM port_records WHERE port_id = '{port['id']}'") == [["0"]],
            SECONDS, "nothing of it is left")
        self.assertTrue(self.gone(zone))

    def test_a_domain_of_a_network(self):
        """It is not made again here; but when it is there, so is all of it."""
        domain, network = self.domain()
        self.create(network, "10.99.0.1", dns_name="one")
        self.answers(f"one.{domain}", "A", "10.99.0.1")
        self.delete(domain)
        port = self.create(network, "10.99.0.2", dns_name="two")
        self.fleet.wait_for(lambda: self.fleet.mariadb.sql(
            f"SELECT reason FROM port_zones WHERE zone = '{domain}'")[0][0], SECONDS,
            "why it is not published is written down")
        self.assertEqual(self.caller.get_port(port=port["id"])["port"]["status"], "PENDING")
        self.central.create_domain(domain={"name": domain})
        self.answers(f"two.{domain}", "A", "10.99.0.2")
        self.answers(f"one.{domain}", "A", "10.99.0.1")
        self.answers(f"host-10-99-0-1.{domain}", "A", "10.99.0.1")


class Large(PortStory):
    """A002-9: what a change costs is what it changes, whatever the network's size."""

    def changed(self, domain, serial):
        """The records that an IXFR from the serial on has, but for the SOAs."""
        found = []
        for message in dns.query.xfr(HOST, domain, "IXFR", serial=serial,
                                     port=self.fleet.minidns_ports[0], relativize=False):
            for rrset in message.answer:
                if rrset.rdtype != dns.rdatatype.SOA:
                    found += [f"{rrset.name} {record}" for record in rrset]
        return found

    def test_more_than_a_change_holds(self):
        """In one domain as much goes as comes: each name does both at once."""
        domain, network = self.domain()
        addresses = [f"fd5d:19f:77::{number:x}" for number in range(1, MORE + 1)]
        callers = [Caller(self.fleet.rabbitmq.url, topic="ports") for _ in range(8)]
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda i: self.create(network, addresses[i], caller=callers[i % 8]),
                          range(MORE)))
        for caller in callers:
            caller.close()
        self.wait_published(network, MORE / 20)
        new = f"new-{domain}"
        self.central.create_domain(domain={"name": new})
        zone = self.reverse(addresses[0]).split(".", 16)[-1]
        before = self.central.get_domain(domain=zone)["serial"]
        patient = Caller(self.fleet.rabbitmq.url, topic="ports", timeout=120)
        self.addCleanup(patient.close)
        patient.set_network(network={"id": network, "dns_domain": new})
        self.wait_published(network, MORE / 20)
        steps = self.fleet.mariadb.sql(
            "SELECT LENGTH(removed), LENGTH(added) FROM journal j JOIN domains d "
            f"ON d.id = j.domain_id WHERE d.name = '{zone}' AND j.serial > {before}")
        self.assertGreater(len(steps), 1)
        for removed, added in steps:                # as many, of names that are a bit longer
            self.assertTrue(int(removed) <= int(added) <= 1.1 * int(removed), steps)
        for address in addresses[0], addresses[-1]:
            self.answers(self.reverse(address), "PTR",
                         f"host-{ipaddress.ip_address(address).compressed.replace(':', '-')}.{new}")
        self.lose(new, MORE)

    def lose(self, domain, count):
        """All records of the ports go by force, and come back in several changes."""
        lines, marker = [], None
        while not lines or marker:
            page = self.central.export_domain(domain=domain, **({"marker": marker} if marker else {}))
            lines, marker = lines + page["lines"], page["marker"]
        names = [line.split()[0] for line in lines if line.startswith("host-")]
        self.assertEqual(len(names), count)
        for part in range(0, count, 1000):
            self.central.apply_changes(domain=domain, force=True, changes=[
                {"op": "delete", "name": name, "type": "AAAA"}
                for name in names[part:part + 1000]])
        self.fleet.wait_for(lambda: self.central.get_domain(domain=domain)["records"] == count + 1,
                            2 * SECONDS, "all are back")

    def test_a_network_of_many(self):
        domain, network = self.domain()
        callers = [Caller(self.fleet.rabbitmq.url, topic="ports") for _ in range(8)]
        started = time.monotonic()
        with ThreadPoolExecutor(8) as pool:
            ports = list(pool.map(lambda i: self.create(
                network, f"10.{100 + i // 65536}.{i // 256 % 256}.{i % 256}",
                dns_name=f"n{i}", caller=callers[i % 8]), range(MANY_PORTS)))
        for caller in callers:
            caller.close()
        self.wait_published(network)
        print(f"{MANY_PORTS} ports in {time.monotonic() - started:.1f} s", file=sys.stderr)

        serial = self.central.get_domain(domain=domain)["serial"]
        self.caller.update_port(port=ports[7]["id"], values={"dns_name": "other"})
        self.answers(f"other.{domain}", "A", "10.100.0.7")
        self.assertEqual(self.central.get_domain(domain=domain)["records"],
                         2 * MANY_PORTS + self.apex(domain))
        self.assertEqual(sorted(self.changed(domain, serial)),
                         [f"n7.{domain} 10.100.0.7", f"other.{domain} 10.100.0.7"])

        new = f"new-{domain}"
        self.central.create_domain(domain={"name": new})
        started = time.monotonic()
        answer = self.caller.set_network(network={"id": network, "dns_domain": new})
        said = time.monotonic() - started
        self.assertEqual((answer["ports"], answer["unnamed"]), (MANY_PORTS, []))
        self.wait_published(network)
        print(f"another domain for them: answered in {said:.1f} s, published in "
              f"{time.monotonic() - started:.1f} s", file=sys.stderr)
        self.assertEqual(self.central.get_domain(domain=domain)["records"], self.apex(domain))
        self.answers(f"other.{new}", "A", "10.100.0.7")
        self.answers(self.reverse("10.100.0.7"), "PTR", f"other.{new}")

    def apex(self, domain):
        """How many records it has without any port."""
        return sum(1 for row in self.central.find_records(domain=domain, limit=1000)["records"]
                   if row["type"] in ("SOA", "NS"))


class Faults(PortStory):

    def test_central_is_away(self):
        domain, network = self.domain()
        central = self.fleet.members["central1"]
        central.stop()
        try:
            port = self.create(network, "10.6.0.1", dns_name="late")
            self.assertEqual(port["status"], "PENDING")
        finally:
            central.launch()
            central.wait_ready()
        self.answers(f"late.{domain}", "A", "10.6.0.1")

    def test_a_record_that_cannot_be_keeps_no_other_back(self):
        domain, network = self.domain()
        self.central.apply_changes(domain=domain, changes=[
            {"op": "add", "name": f"taken.{domain}", "type": "CNAME",
             "records": ["www.example.net."]}])
        heard = self.heard()
        bad = self.create(network, "10.6.1.1", dns_name="taken")
        self.create(network, "10.6.1.2", dns_name="good")
        self.answers(f"good.{domain}", "A", "10.6.1.2")

        def reason():       # while it is tried again, it is PENDING
            port = self.caller.get_port(port=bad["id"])["port"]
            return port["status"] == "ERROR" and port["reason"]
        self.assertRegex(self.fleet.wait_for(reason, SECONDS, "the other one is known to be "
                                             "refused"), "CNAME")
        self.fleet.wait_for(lambda: heard.of("dns.port.error"), SECONDS, "it is told")
        told = heard.of("dns.port.error")[0]
        self.assertRegex(told.pop("reason"), "CNAME")
        self.assertEqual(told, {"port": bad["id"], "domain": domain, "name": f"taken.{domain}",
                                "data": "10.6.1.1"})
        self.answers(f"host-10-6-1-1.{domain}", "A", "10.6.1.1")
        self.central.apply_changes(domain=domain, changes=[
            {"op": "delete", "name": f"taken.{domain}", "type": "CNAME"}])
        self.answers(f"taken.{domain}", "A", "10.6.1.1")

    def test_a_domain_that_is_shared(self):
        """The tenant of the ports may create only the names of its share."""
        tenant = f"tenant-{uuid.uuid4().hex[:8]}"
        guest = Caller(self.fleet.rabbitmq.url, topic="ports", tenant=tenant)
        self.addCleanup(guest.close)
        domain, _ = self.domain()
        self.central.create_share(share={"domain": domain, "target_tenant": tenant,
                                         "name": f"good.{domain}"})
        network = uuid.uuid4().hex
        guest.set_network(network={"id": network, "dns_domain": domain})
        bad = self.create(network, "10.6.4.1", dns_name="bad", caller=guest)
        self.create(network, "10.6.4.2", dns_name="good", caller=guest)
        self.answers(f"good.{domain}", "A", "10.6.4.2")

        def reason():
            port = guest.get_port(port=bad["id"])["port"]
            return port["status"] == "ERROR" and port["reason"]
        self.assertRegex(self.fleet.wait_for(reason, SECONDS, "the other one is refused"),
                         "do not cover")

    def test_a_quota(self):
        """As many as there is room for; the others when there is more."""
        tenant = f"tenant-{uuid.uuid4().hex[:8]}"
        owner = Caller(self.fleet.rabbitmq.url, topic="ports", tenant=tenant)
        central = Caller(self.fleet.rabbitmq.url, tenant=tenant)
        for caller in owner, central:
            self.addCleanup(caller.close)
        central.set_quota(tenant=tenant, resource="domain_recordsets", hard_limit=10)
        domain, network = f"q{uuid.uuid4().hex[:8]}.example.", uuid.uuid4().hex
        central.create_domain(domain={"name": domain})
        owner.set_network(network={"id": network, "dns_domain": domain})
        ports = [self.create(network, f"10.6.3.{number + 1}", caller=owner)
                 for number in range(20)]

        def active():
            return sum(port["status"] == "ACTIVE"
                       for port in owner.list_ports(network=network)["ports"])
        self.fleet.wait_for(lambda: 5 < active() < 10, SECONDS, "there is room for some")
        owner.delete_port(port=ports[0]["id"])
        central.set_quota(tenant=tenant, resource="domain_recordsets", hard_limit=100)
        self.fleet.wait_for(lambda: active() == 19, 2 * SECONDS, "and then for all")

    def test_workers_that_die(self):
        domain, network = self.domain()
        for number in range(20):
            worker = self.workers[number % WORKERS]
            self.create(network, f"10.6.2.{number + 1}", dns_name=f"k{number}")
            worker.kill9()
            worker.launch()
            worker.wait_ready()
        for number in range(20):
            self.answers(f"k{number}.{domain}", "A", f"10.6.2.{number + 1}")


class Client(PortStory):
    """zonefleet network, zonefleet subnet, zonefleet port"""

    def cli(self, *words):
        return self.fleet.cli(*words, "--tenant", "tenant-1", as_json=False)

    def test_from_first_to_last(self):
        domain, _ = self.domain()
        network = str(uuid.uuid4())
        self.assertIn(domain, self.cli("network", "set", network, domain.rstrip(".")))
        said = self.cli("port", "create", network, "10.9.0.1", "fd00::9", "--dns-name", "Web",
                        "--mac", "fa:16:3e:00:00:01")
        port = said.split()[2]
        self.assertIn(f"10.9.0.1 web.{domain}", said)
        self.answers(f"web.{domain}", "A", "10.9.0.1")
        self.fleet.wait_for(lambda: "ACTIVE" in self.cli("port", "show", port), 20, "it is active")
        self.assertEqual(self.cli("port", "show", f"Web.{domain}".rstrip(".")),
                         self.cli("port", "show", port))
        shown = self.cli("port", "show", port)
        for words in f"web.{domain}", "fa:16:3e:00:00:01", "fd00::9", network.replace("-", ""):
            self.assertIn(words, shown)
        self.assertIn("10.9.0.1", self.cli("port", "list", network))
        self.assertIn(domain, self.cli("network", "list"))
        self.cli("port", "set", port, "10.9.0.2", "--dns-name", "")
        self.answers(f"host-10-9-0-2.{domain}", "A", "10.9.0.2")
        self.answers(f"web.{domain}", "A")
        said = self.cli("subnet", "set", network, "10.9.0.0/24", "--no-publish")
        self.assertIn("10.9.0.0/24 have no records", said)
        subnet = said.split()[1].rstrip(":")
        self.answers(f"host-10-9-0-2.{domain}", "A")
        self.assertIn("10.9.0.2 -", self.cli("port", "show", port))
        for words in ("subnet", "show", subnet), ("subnet", "list", network), ("subnet", "list"):
            self.assertRegex(self.cli(*words), r"10\.9\.0\.0/24(.|\n)*\bno\b")
        self.assertIn("have records", self.cli("subnet", "set", network, "10.9.0.0/24"))
        self.assertRegex(self.cli("subnet", "show", subnet), r"published +yes")
        self.cli("subnet", "delete", subnet)
        self.refused("no subnet", self.cli, "subnet", "show", subnet)
        self.refused("has ports", self.cli, "network", "delete", network)
        self.cli("port", "delete", port)
        self.cli("network", "delete", network)
        self.refused("no network", self.cli, "network", "show", network)
        self.refused(f"no network {network.replace('-', '')}", self.cli, "port", "list", network)

    def run_client(self, *words):
        done = subprocess.run([BINARIES / "zonefleet", *words, "--tenant", "tenant-1", "--config",
                               self.fleet.config], capture_output=True, text=True, timeout=90,
                              env={"PATH": os.environ["PATH"], "LANG": "C.UTF-8"},
                              stdin=subprocess.DEVNULL)
        return done.returncode, done.stdout, done.stderr

    def fails(self, want, pattern, *words):
        status, out, said = self.run_client(*words)
        self.assertEqual(status, want, out + said)
        self.assertRegex(said, pattern)

    def document(self, *words, want=0):
        status, out, said = self.run_client(*words, "--json")
        self.assertEqual((status, said), (want, ""), out)
        return json.loads(out)

    def now(self, name, kind, *expected):
        """Who waited need not ask the name server twice."""
        self.assertEqual(ask(self.fleet.bind.port, name, kind), set(expected), name)

    def test_who_waits_sees_it(self):
        """Each change is on the servers when the command ends, and nothing that it had before."""
        domain, network = self.domain()
        other = self.domain()[0]
        took = r"after \d+\.\d{3} s\n\Z"
        said = self.cli("port", "create", network, "10.9.1.1", "--dns-name", "vm", "--wait")
        self.assertRegex(said, rf"\Acreated port \w+\n  10.9.1.1 vm.{domain}\nACTIVE {took}")
        port = said.split()[2]
        self.now(f"vm.{domain}", "A", "10.9.1.1")
        self.now(f"host-10-9-1-1.{domain}", "A", "10.9.1.1")
        changed = self.document("port", "set", f"vm.{domain}", "10.9.1.2", "--dns-domain", other,
                                "--wait", "--admin")
        self.assertEqual((changed["id"], changed["status"], changed["dns_domain"]),
                         (port, "ACTIVE", other))
        self.assertGreater(changed["seconds"], 0)
        self.now(f"vm.{domain}", "A")
        self.now(f"host-10-9-1-1.{domain}", "A")
        self.now(f"vm.{other}", "A", "10.9.1.2")
        self.now(self.reverse("10.9.1.1"), "PTR")
        self.now(self.reverse("10.9.1.2"), "PTR", f"vm.{other}")
        said = self.cli("network", "set", network, other, "--wait")
        self.assertRegex(said, rf"renamed ports: 1\nACTIVE {took}")
        self.now(f"host-10-9-1-2.{domain}", "A")
        self.now(f"host-10-9-1-2.{other}", "A", "10.9.1.2")
        said = self.cli("subnet", "set", network, "10.9.1.0/24", "--no-publish", "--wait")
        self.assertRegex(said, rf"have no records\nACTIVE {took}")
        self.now(f"vm.{other}", "A")
        self.cli("subnet", "set", network, "10.9.1.0/24", "--wait")
        self.now(f"vm.{other}", "A", "10.9.1.2")
        said = self.cli("port", "delete", f"vm.{other}", "--wait", "--admin")
        self.assertRegex(said, rf"\Adeleted port vm.{other}\nDELETED {took}")
        self.now(f"vm.{other}", "A")
        self.now(f"host-10-9-1-2.{other}", "A")
        self.now(self.reverse("10.9.1.2"), "PTR")

    def test_only_force_removes_records_of_a_port(self):
        domain, network = self.domain()
        self.cli("port", "create", network, "10.9.3.1", "--dns-name", "vm", "--wait")
        words = "Conflict: .*ports manages the record 'vm.* A 10.9.3.1'.*--force"
        file = Path(tempfile.mkstemp(prefix="zfports", suffix=".zone")[1])
        self.addCleanup(file.unlink)
        file.write_text(f"@ 300 NS {NS}\n")
        delete, put = ("record", "delete", domain, "vm", "A"), ("record", "set", domain, "vm", "A")
        self.fails(1, words, *delete)
        self.fails(1, words, *put, "192.0.2.1")
        self.fails(1, "ports manages the record .*--force", "domain", "import", domain, str(file))
        self.fails(1, "ports manages records of the domain .*--force", "domain", "delete", domain)
        for forced in ([*delete, "--force", "--wait"], [*put, "192.0.2.1", "--force", "--wait"],
                       ["domain", "import", domain, str(file), "--force", "--wait"]):
            self.document(*forced)
            self.fleet.wait_for(lambda: "10.9.3.1" in (ask(self.fleet.bind.port, f"vm.{domain}", "A")
                                                       or ()), SECONDS, "it is back")
        self.document("domain", "delete", domain, "--force", "--wait")

    def test_all_tenants_are_for_administrators(self):
        for what in "network", "subnet", "port":
            self.fails(1, "only an administrator may list the objects of all tenants", what, "list",
                       "--all-tenants")
            self.document(what, "list", "--all-tenants", "--admin")

    def test_who_waits_in_vain_hears_why(self):
        domain, network = self.domain()
        self.central.apply_changes(domain=domain, changes=[
            {"op": "add", "name": f"taken.{domain}", "type": "CNAME",
             "records": ["www.example.net."]}])
        words = "port", "create", network, "10.9.2.1", "--dns-name", "taken", "--wait"
        self.fails(4, "InError: port \\w+ is in ERROR.* refuses 1 of its records: .*CNAME.*"
                   "sends these records again within 2 s", *words)
        refused = self.document("port", "set", f"taken.{domain}", "10.9.2.2", "--wait", want=4)
        self.assertEqual(refused["error"]["class"], "InError")
        self.fails(4, r"InError: network \w+ is in ERROR.* 1 of its records \(port \w+\): "
                   ".*CNAME", "network", "set", network, domain, "--wait")
        # each two seconds a worker tries it again, and then it is PENDING for a moment
        self.fleet.wait_for(lambda: re.search(r"taken +ERROR +10.9.2.2 +.*CNAME",
                                              self.cli("port", "list", network)),
                            SECONDS, "the list says why")
        none = f"none{uuid.uuid4().hex[:8]}.example."
        network = self.network(none)
        self.fails(5, "Timeout: port \\w+: central has not accepted 2 records .*"
                   "does not exist", "port", "create", network, "10.9.2.3", "--dns-name", "vm",
                   "--wait", "--wait-timeout", "2")
        self.fails(5, r"Timeout: network \w+: central has not accepted 2 records \(port \w+\) "
                   ".*does not exist", "network", "set", network, none, "--wait",
                   "--wait-timeout", "1")
        domain, network = self.domain()
        # the name of this port is in another domain than the network
        self.cli("port", "create", network, "10.9.2.6", "--dns-name", "x", "--dns-domain", none)
        self.cli("network", "set", network, domain, "--wait")
        self.cli("port", "create", network, "10.9.2.4", "--wait")
        with self.fleet.away(self.fleet.bind):
            status, _, said = self.run_client("port", "create", network, "10.9.2.5", "--wait",
                                              "--wait-timeout", "2")
        self.assertIn(status, (4, 5), said)
        self.assertRegex(said, f"(the change is not on the name servers of {domain} |"
                               f"{domain} is in ERROR)")
        self.answers(f"host-10-9-2-5.{domain}", "A", "10.9.2.5")

    def test_several_of_a_name(self):
        domain, network = self.domain()
        ids = [self.create(one, f"10.9.3.{number}", dns_name="www")["id"]
               for number, one in enumerate((network, self.network(domain)), 1)]
        for words in ("show",), ("delete",), ("set", "10.9.3.9"):
            self.fails(1, f"several ports have the name 'www.{domain}': use one of the ids "
                       f"{min(ids)}, {max(ids)}", "port", words[0], f"www.{domain}", *words[1:])
        self.fails(3, "there is no port 'web.", "port", "show", f"web.{domain}")
        self.fails(2, "PORT: the name", "port", "show", "a..b")
        self.assertEqual(self.document("port", "delete", ids[0]), {"id": ids[0]})
        self.assertEqual(self.document("port", "delete", f"www.{domain}"), {"id": ids[1]})


class Tenants(PortStory):

    def test_strangers(self):
        _, network = self.domain()
        port = self.create(network, "10.7.0.1")
        stranger = Caller(self.fleet.rabbitmq.url, topic="ports", tenant="tenant-3", admin=False)
        self.addCleanup(stranger.close)
        self.refused("no port", stranger.get_port, port=port["id"])
        self.refused("no port", stranger.delete_port, port=port["id"])
        self.refused("no network", self.create, network, "10.7.0.2", caller=stranger)
        own = uuid.uuid4().hex
        stranger.set_network(network={"id": own})
        self.refused("no port", self.create, own, "10.7.0.1", caller=stranger, id=port["id"])
        self.caller.delete_port(port=port["id"])
        self.refused("no port", self.create, own, "10.7.0.1", caller=stranger, id=port["id"])
        self.refused("no network", stranger.set_network,
                     network={"id": network, "dns_domain": ""})
        self.assertEqual(stranger.list_ports()["ports"], [])

    def test_a_domain_of_somebody_else(self):
        """A network's name does not reach into a domain of another project."""
        domain, _ = self.domain()
        stranger = Caller(self.fleet.rabbitmq.url, topic="ports", tenant="tenant-2", admin=False)
        self.addCleanup(stranger.close)
        network = uuid.uuid4().hex
        stranger.set_network(network={"id": network, "dns_domain": domain})
        self.create(network, "10.7.1.1", dns_name="www", caller=stranger)
        self.fleet.wait_for(lambda: [row for row in self.fleet.mariadb.sql(
            "SELECT reason FROM port_zones WHERE project_id = 'tenant-2' AND reason <> ''")],
            SECONDS, "it is refused")
        self.answers(f"www.{domain}", "A")


if __name__ == "__main__":
    unittest.main()

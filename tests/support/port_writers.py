"""Callers of zonefleet-ports who make, rename, move and delete ports, and make, hide, show and
delete subnets all the time, and keep book of what was answered.

A call without an answer may have been done, and may yet be done: it is made again until it
is answered, and the port or subnet that it was about is left as it is from then on, so that
whatever comes late finds its work done.
"""

import ipaddress
import uuid

import oslo_messaging as om

from port_model import Port, Subnet
from stream import Producer

PORTS_MAX = 30                  # of a writer, besides those that it leaves alone
SHARED_NAMES = ("web", "db", "mail")
SUBNET_BITS = 28                # of a writer's: some in each network


class Asker(Producer):

    topic = "ports"

    def run(self):
        try:
            while not self.enough.is_set():
                self.step()
                self.done += 1
                self.rest()
            self.end()
        except Exception as error:      # what ends a producer ends its story
            self.error = error
        finally:
            self.caller.close()

    def end(self):
        pass


class PortWriter(Asker):
    """.ports, .subnets: what was answered for; .networks are those of all writers."""

    def __init__(self, url, number, networks, addresses, pace, seed):
        """ADDRESSES are its own: what a port of it gives up another one has next."""
        super().__init__(url, [], 0, pace, seed)
        self.number, self.networks = number, networks
        self.free = list(addresses)
        self.random.shuffle(self.free)
        self.ports = {}
        self.subnets = {}       # those that are there
        self.places = [(uuid.uuid4().hex, network, cidr) for network in networks
                       for cidr in self.cidrs()]
        self.left_alone = set()
        self.unsure = []        # ports whose call was made again, and then refused

    def cidrs(self):
        """Which hold all addresses that it has."""
        return sorted({ipaddress.ip_network(f"{address}/{SUBNET_BITS}", strict=False)
                       for address in self.free})

    def step(self):
        places = [place for place in self.places if place[0] not in self.left_alone]
        if places and self.random.random() < 0.2:
            self.step_of_subnets(*self.random.choice(places))
        else:
            self.step_of_ports()

    def step_of_subnets(self, key, network, cidr):
        if key in self.subnets and self.random.random() < 0.3:
            self.delete_subnet(key)
        else:
            self.set_subnet(key, Subnet(network, cidr, self.random.random() < 0.4))

    def set_subnet(self, key, subnet):
        self.answered(key, "set_subnet", subnet={
            "id": key, "network_id": subnet.network, "cidr": str(subnet.cidr),
            "dns_publish_fixed_ip": subnet.flag})
        self.subnets[key] = subnet

    def delete_subnet(self, key):
        self.answered(key, "delete_subnet", subnet=key)
        del self.subnets[key]

    def step_of_ports(self):
        changing = sorted(self.ports.keys() - self.left_alone)
        chance = self.random.random()
        if not changing or (chance < 0.4 and len(changing) < PORTS_MAX):
            self.create()
            return
        key = self.random.choice(changing)
        if chance > 0.8 or not self.free:
            self.delete(key)
        elif chance > 0.6:
            self.move(key)
        else:
            self.rename(key)

    def own_name(self):
        return f"p{self.number}-{self.done}"

    def create(self):
        key, address = uuid.uuid4().hex, self.take()
        port = Port(self.random.choice(self.networks), [address],
                    self.random.choice((None, self.own_name())))
        self.answered(key, "create_port", port={
            "id": key, "network_id": port.network, "dns_name": port.name,
            "fixed_ips": [{"ip_address": address}]})
        self.ports[key] = port

    def rename(self, key):
        name = self.random.choice((None, self.own_name(), *SHARED_NAMES))
        if self.answered(key, "update_port", port=key, values={"dns_name": name}):
            self.ports[key] = self.ports[key].changed(name=name)

    def move(self, key):
        address, port = self.take(), self.ports[key]
        self.answered(key, "update_port", port=key,
                      values={"fixed_ips": [{"ip_address": address}]})
        self.ports[key] = port.changed(addresses=[address])
        self.give(key, port)

    def delete(self, key):
        self.answered(key, "delete_port", port=key)
        self.give(key, self.ports.pop(key))

    def take(self):
        """The one that was given back last."""
        return self.free.pop()

    def give(self, key, port):
        if key not in self.left_alone:
            self.free += map(str, port.addresses)

    def answered(self, key, method, **arguments):
        """False: another port has the name, and this one is as it was. A subnet that is not
        found when it is to go again has gone."""
        before = self.repeated
        try:
            self.until_answered(method, **arguments)
            return True
        except om.RemoteError as error:
            if (error.exc_type == "NotFound" and method == "delete_subnet"
                    and self.repeated > before):
                return True
            if error.exc_type != "Duplicate" or method != "update_port":
                raise
            if self.repeated > before:
                self.unsure.append(key)
            return False
        finally:
            if self.repeated > before:
                self.left_alone.add(key)

    def end(self):
        """What was refused may have been done yet, when the name was free again."""
        for key in self.unsure:
            name = f"sure{self.number}-{key}"
            self.until_answered("update_port", port=key, values={"dns_name": name})
            self.ports[key] = self.ports[key].changed(name=name)


class DomainChanger(Asker):
    """Changes the domain of a network, until a call has to be made again: then it stays."""

    def __init__(self, url, network, domains, pace, seed):
        super().__init__(url, [], 0, pace, seed)
        self.network, self.domains = network, domains
        self.domain = domains[0]

    def step(self):
        if not self.repeated:
            domain = self.random.choice(self.domains)
            self.until_answered("set_network",
                                network={"id": self.network, "dns_domain": domain})
            self.domain = domain

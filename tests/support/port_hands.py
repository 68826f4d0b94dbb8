"""Who says what is to become of subnets and ports, to a fleet and to a model of it: by calls,
or Neutron.

A hand is of a story, which has .model, .random, .caller, .neutron, refused() and wait_sql().
"""

import uuid

from port_model import Port, Subnet
from test_ports_feed import network_of, port_of, subnet_of

TENANT = "tenant-1"
DEFAULT = "openstacklocal."     # of networks of Neutron's that have none
TABLES = {"network": "networks", "subnet": "subnets", "port": "ports", "floatingip": "ports"}


class Hand:
    """Says what is to be to the fleet and to the model."""

    def __init__(self, story):
        self.story, self.model = story, story.model

    def new_id(self):
        return str(uuid.UUID(int=self.story.random.getrandbits(128), version=4))


class Calls(Hand):
    """Who asks by calls: a name that another port has is refused, and a subnet that overlaps."""

    def network(self, domain):
        network = as_key(self.new_id())
        self.domain(network, domain)
        return network

    def domain(self, network, domain):
        self.story.caller.set_network(network={"id": network, "dns_domain": domain})
        self.model.set_network(network, domain)

    def subnet(self, network, cidr, flag):
        key = as_key(self.new_id())
        self.put_subnet(key, Subnet(network, cidr, flag), id=key)
        return key

    def change_subnet(self, key, **values):
        """By its cidr, if that stays."""
        self.put_subnet(key, self.model.subnets[key].changed(**values),
                        **{"id": key} if "cidr" in values else {})

    def put_subnet(self, key, subnet, **more):
        def call():
            return self.story.caller.set_subnet(subnet=more | {
                "network_id": subnet.network, "cidr": str(subnet.cidr),
                "dns_publish_fixed_ip": subnet.flag})["subnet"]["id"]
        if self.model.overlapping(key, subnet):
            self.story.refused("overlaps", call)
        else:
            self.story.assertEqual(call(), key)
            self.model.put_subnet(key, subnet)

    def delete_subnet(self, key):
        self.story.caller.delete_subnet(subnet=key)
        self.model.drop_subnet(key)

    def create(self, network, *addresses, name=None, domain="", caller=None, **more):
        key = as_key(self.new_id())
        self.put(key, Port(network, addresses, name, domain), lambda: (
            caller or self.story.caller).create_port(port={
                "id": key, "network_id": network, "dns_name": name or "", "dns_domain": domain,
                "fixed_ips": fixed_ips(addresses)} | more))
        return key

    def update(self, key, **values):
        told = {"dns_name": values["name"] or ""} if "name" in values else {}
        told |= {"dns_domain": values["domain"]} if "domain" in values else {}
        told |= {"fixed_ips": fixed_ips(values["addresses"])} if "addresses" in values else {}
        self.put(key, self.model.ports[key].changed(**values),
                 lambda: self.story.caller.update_port(port=key, values=told))

    def put(self, key, port, call):
        if self.model.rival(key, port):
            self.story.refused("has the name", call)
        else:
            call()
            self.model.put(key, port)

    def delete(self, key, caller=None):
        (caller or self.story.caller).delete_port(port=key)
        self.model.drop(key)


class Events(Hand):
    """Neutron, which takes any name: of two the first keeps it, and the other one waits. Of its
    subnets two may overlap, while the end of one is not told yet.

    Each event is waited for, for there are two who hear them.
    """

    def __init__(self, story):
        super().__init__(story)
        self.told = {}                  # what was said of each last

    def network(self, domain):
        network = network_of(domain, id=self.new_id())
        key = as_key(network["id"])
        self.told[key] = network
        self.tell("network.create.end", "network", key)
        self.model.set_network(key, domain or DEFAULT)
        return key

    def domain(self, key, domain):
        self.say_more(key, {"dns_domain": domain})
        self.tell("network.update.end", "network", key)
        self.model.set_network(key, domain or DEFAULT)

    def subnet(self, network, cidr, flag):
        subnet = subnet_of(self.told[network], cidr, id=self.new_id(), dns_publish_fixed_ip=flag)
        key = as_key(subnet["id"])
        self.told[key] = subnet
        self.tell("subnet.create.end", "subnet", key)
        self.model.put_subnet(key, Subnet(network, cidr, flag, is_fed=True))
        return key

    def change_subnet(self, key, **values):
        told = {"dns_publish_fixed_ip": values["flag"]} if "flag" in values else {}
        told |= {"cidr": values["cidr"]} if "cidr" in values else {}
        self.say_more(key, told)
        self.tell("subnet.update.end", "subnet", key)
        self.model.put_subnet(key, self.model.subnets[key].changed(**values))

    def delete_subnet(self, key):
        self.tell_gone("subnet", key)
        self.model.drop_subnet(key)

    def create(self, network, *addresses, name=None, domain="", **more):
        port = port_of(self.told[network], *addresses, dns_name=name or "", dns_domain=domain,
                       id=self.new_id(), **more)
        key = as_key(port["id"])
        self.told[key] = port
        self.tell("port.create.end", "port", key)
        self.model.put(key, Port(network, addresses, name, domain, "fed"))
        return key

    def update(self, key, **values):
        port = {"dns_name": values["name"] or ""} if "name" in values else {}
        port |= {"dns_domain": values["domain"]} if "domain" in values else {}
        if "addresses" in values:
            port["fixed_ips"] = [{"subnet_id": str(uuid.uuid4()), "ip_address": str(address)}
                                 for address in values["addresses"]]
        self.say_more(key, port)
        self.tell("port.update.end", "port", key)
        self.model.put(key, self.model.ports[key].changed(**values))

    def delete(self, key, kind="port"):
        self.tell_gone(kind, key)
        self.model.drop(key)

    def float(self, network, address, name="", domain="", **more):
        """A floating IP: its name is in a domain of its own, or it has none."""
        floating = {"id": self.new_id(), "floating_network_id": self.told[network]["id"],
                    "floating_ip_address": address, "fixed_ip_address": None, "port_id": None,
                    "router_id": None, "project_id": TENANT, "tenant_id": TENANT,
                    "dns_name": name, "dns_domain": domain, "status": "DOWN",
                    "revision_number": 0} | more
        key = as_key(floating["id"])
        self.told[key] = floating
        self.tell("floatingip.create.end", "floatingip", key)
        self.model.put(key, Port(network, [address], name or None, domain, "floating"))
        return key

    def associate(self, key, port):
        """With a port, or (None) with none: its names stay what they are."""
        fixed = self.told[port]["fixed_ips"][0]["ip_address"] if port else None
        self.say_more(key, {"port_id": port and self.told[port]["id"],
                            "fixed_ip_address": fixed, "status": "ACTIVE" if port else "DOWN"})
        self.tell("floatingip.update.end", "floatingip", key)

    def say_more(self, key, values):
        told = self.told[key]
        self.told[key] = told | values | {"revision_number": told["revision_number"] + 1}

    def tell(self, event, kind, key):
        told = self.told[key]
        self.story.neutron.emit(event, {kind: told})
        self.story.wait_sql(f"SELECT 1 FROM {TABLES[kind]} WHERE id = '{key}' "
                            f"AND revision > {told['revision_number']}", f"{event} is taken")

    def tell_gone(self, kind, key):
        told = self.told[key]
        self.story.neutron.emit(f"{kind}.delete.end", {kind: told, f"{kind}_id": told["id"]})
        self.story.wait_sql(f"SELECT 1 FROM {TABLES[kind]} WHERE deleted_at IS NOT NULL "
                            f"AND id = '{key}'", f"{kind} {key} is gone")


def as_key(text):
    return text.replace("-", "")


def fixed_ips(addresses):
    return [{"ip_address": str(address)} for address in addresses]

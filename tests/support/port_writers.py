"""Callers of zonefleet-ports who make, rename, move and delete ports all the time, and keep
book of what was answered.

A call without an answer may have been done, and may yet be done: it is made again until it
is answered, and the port that it was about is left as it is from then on, so that whatever
comes late finds its work done.
"""

import uuid

import oslo_messaging as om

from port_model import Port
from stream import Producer

PORTS_MAX = 30                  # of a writer, besides those that it leaves alone
SHARED_NAMES = ("web", "db", "mail")


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
    """.ports: what was answered for; .networks are those of all writers."""

    def __init__(self, url, number, networks, addresses, pace, seed):
        """ADDRESSES are its own: what a port of it gives up another one has next."""
        super().__init__(url, [], 0, pace, seed)
        self.number, self.networks = number, networks
        self.free = list(addresses)
        self.ports = {}
        self.left_alone = set()
        self.unsure = []        # ports whose call was made again, and then refused

    def step(self):
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
        """False: another port has the name, and this one is as it was."""
        before = self.repeated
        try:
            self.until_answered(method, **arguments)
            return True
        except om.RemoteError as error:
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

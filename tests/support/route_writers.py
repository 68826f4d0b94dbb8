"""Callers of zonefleet-routes who make, change and delete routes and routers all the time,
and keep book of what was answered.

A call without an answer may have been done, and may yet be done: it is made again until it is
answered, and what it was about is left as it is from then on. A call that was answered may be
done once more, if its worker died before it told the broker: what it was about rests for a
few calls.
"""

import uuid
from collections import deque

import oslo_messaging as om

from port_writers import Asker
from route_model import Route, Router

ROUTES_MAX = 25                 # of a writer, besides those that it leaves alone
REST_CALLS = 4
QUEUES = [f"q{number}.queue.example" for number in range(3)]       # got by create_route only
MOVED = [f"m{number}.moved.example" for number in range(3)]        # and by update_route
BELOW = ["*.wild.example", "a.wild.example", "b.wild.example", "*.b.wild.example"]
NAMES = ("x-a", "x.a", "a", "a.b", "a-b", "y" * 60)    # some are called the same


class Careful(Asker):
    """Of .left_alone and .resting nothing is changed."""

    topic = "routes"

    def __init__(self, url, pace, seed):
        super().__init__(url, [], 0, pace, seed)
        self.left_alone = set()
        self.resting = deque(maxlen=REST_CALLS)

    def free(self, keys):
        return sorted(keys - self.left_alone - set(self.resting))

    def answered(self, key, method, allowed=(), **arguments):
        """False: it was refused, by a class of error that is ALLOWED."""
        before = self.repeated
        try:
            self.until_answered(method, **arguments)
            return True
        except om.RemoteError as error:
            is_gone = error.exc_type == "NotFound" and method.startswith("delete_")
            if is_gone and self.repeated > before:
                return True             # by the call that had no answer
            if error.exc_type not in allowed:
                raise
            return False
        finally:
            self.resting.append(key)
            if self.repeated > before:
                self.left_alone.add(key)


class RouteWriter(Careful):
    """.routes: what was answered for."""

    def __init__(self, url, story, number, pace, seed):
        """Its namespaces are its own; every other writer is of another project."""
        super().__init__(url, pace, seed)
        self.number, self.project = number, f"project-{number % 2}"
        self.namespaces = [f"w{number}-{story}", f"w{number}-{story}-x"]
        self.routes = {}

    def step(self):
        changing = self.free(self.routes.keys())
        chance = self.random.random()
        if not changing or (chance < 0.45 and len(changing) < ROUTES_MAX):
            self.create()
        elif chance < 0.75:
            self.update(self.random.choice(changing))
        else:
            self.delete(self.random.choice(changing))

    def new_name(self):
        """Of a namespace; one that is not in use."""
        namespace, name = self.random.choice(self.namespaces), self.random.choice(NAMES)
        used = {(route.namespace, route.name) for route in self.routes.values()}
        if (namespace, name) in used or self.random.random() < 0.5:
            name = f"r{self.done}"
        return namespace, name

    def own_host(self):
        return f"h{self.done}.w{self.number}.own.example"

    def create(self):
        key, host = uuid.uuid4().hex, self.random.choice(
            (None, None, None, self.own_host(), self.random.choice(QUEUES),
             self.random.choice(MOVED), self.random.choice(BELOW)))
        route = Route(*self.new_name(), self.project, host, f"b{self.done}")
        self.answered(key, "create_route", route={
            "id": key, "namespace": route.namespace, "name": route.name, "host": host,
            "project_id": route.project, "backend": route.backend})
        self.routes[key] = route

    def update(self, key):
        route = self.routes[key]
        host = self.random.choice((None, self.own_host(), self.random.choice(MOVED),
                                   self.random.choice(BELOW), route.host))
        backend = f"b{self.done}"
        self.answered(key, "update_route", route=key,
                      values={"host": host, "backend": backend})
        self.routes[key] = Route(route.namespace, route.name, route.project, host, backend)

    def delete(self, key):
        self.answered(key, "delete_route", route=key)
        del self.routes[key]


class RouterChanger(Careful):
    """.routers, .gone: what was answered for. BASE routers are never drained."""

    def __init__(self, url, story, base, suffix, most, pace, seed):
        super().__init__(url, pace, seed)
        self.story, self.suffix, self.most = story, suffix, most
        self.base, self.routers, self.gone = base, dict(base), {}
        self.unsure = set()             # whose deletion was asked for again, and then refused
        self.numbers = iter(range(10**6))

    def step(self):
        others = self.free(self.routers.keys() - self.base.keys())
        chance = self.random.random()
        if chance < 0.3 or not others:
            self.change_addresses()
        elif chance < 0.75:
            self.drain(self.random.choice(others))
        else:
            self.delete_drained(others)
        if len(self.routers) < self.most:
            self.create()

    def addresses(self):
        """One of four is down."""
        hosts = self.random.sample(range(2, 250), self.random.randint(1, 3))
        texts = [f"10.245.{self.random.randrange(250)}.{host}" for host in hosts]
        if self.random.random() < 0.3:
            texts.append(f"fd00::{hosts[0]:x}")
        return {text: self.random.random() < 0.75 for text in texts}

    @staticmethod
    def wire(addresses):
        return [{"address": text, "up": is_up} for text, is_up in addresses.items()]

    def create(self):
        name = f"e{self.story}-{next(self.numbers)}"
        router = Router(f"{name}.{self.suffix}", self.addresses() | {"10.245.1.1": True})
        self.answered(name, "create_router", router={
            "name": name, "dns": router.dns, "zone": router.zone(), "ttl": router.ttl,
            "addresses": self.wire(router.addresses)})
        self.routers[name] = router

    def change_addresses(self):
        """Some that were shown stay, so that the domain has one in any case."""
        names = self.free(self.routers.keys())
        if not names:
            return
        name = self.random.choice(names)
        router = self.routers[name]
        kept = self.random.sample(sorted(router.shown), min(len(router.shown), 2))
        addresses = self.addresses() | {text: self.random.random() < 0.6 for text in kept}
        self.answered(name, "update_router", router=name,
                      values={"addresses": self.wire(addresses)})
        router.set_addresses(addresses)

    def drain(self, name):
        drain = self.routers[name].state == "active"
        self.answered(name, "drain_router", router=name, drain=drain)
        self.routers[name].state = "draining" if drain else "active"

    def delete_drained(self, names):
        """Refused as long as it has routes, or (without force) names that lead to others."""
        drained = [name for name in names if self.routers[name].state == "draining"]
        if not drained:
            return
        name, force = self.random.choice(drained), self.random.random() < 0.5
        if self.answered(name, "delete_router", ("Conflict",), router=name, force=force):
            self.gone[name] = self.routers.pop(name)
        elif name in self.left_alone:
            self.unsure.add(name)

    def end(self):
        """What was refused may have been done yet, when nothing held it back any more."""
        while self.unsure:
            name = self.unsure.pop()
            if self.answered(name, "delete_router", ("Conflict", "NotFound"), router=name,
                             force=True) or self.is_gone(name):
                self.gone[name] = self.routers.pop(name)
            else:
                self.unsure.add(name)
                self.rest()

    def is_gone(self, name):
        try:
            self.until_answered("get_router", router=name)
            return False
        except om.RemoteError as error:
            return error.exc_type == "NotFound"

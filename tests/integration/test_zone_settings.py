"""A zone that a server got with other masters, or another template: it gets those of now.

After a change of the settings all zones of a server are looked at, whatever their domains are;
in each comparison of records those that are compared; and the zone of a server that stays behind.
"""

import base64
import contextlib
import itertools
import re
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import drift                                                            # noqa: E402
from lab.dns import Key, axfr                                           # noqa: E402
from lab.process import HOST, LabError, free_port                       # noqa: E402
from story import Caller, merged, put, start_fleet                      # noqa: E402
from test_follow import RIGHT, SECONDS, Story, www                      # noqa: E402

CORRECTED = ("the masters, the key, the template, the pattern or the IXFR of the zone differed from "
             "the settings of the pool manager")
UNSEEN = ("answers with SERVFAIL; no poll has found a serial of this zone yet: check that the "
          "server can transfer the zone from ")


class Changed(Story):
    """One pool manager, whose settings a test changes."""

    minidns = 2

    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="zfsettings"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.fleet = cls.enterClassContext(start_fleet(
            cls.folder / "fleet", name_servers=cls.name_servers, servers=cls.servers, poolmgr=1,
            minidns=cls.minidns, settings={"poolmgr": {"poll_timeout": 1, "poll_max_retries": 1}}))
        cls.caller = Caller(cls.fleet.rabbitmq.url)
        cls.addClassCleanup(cls.caller.close)
        cls.poolmgr = cls.fleet.members["poolmgr1"]
        cls.right = cls.poolmgr.settings
        cls.prepare()

    @classmethod
    def prepare(cls):
        pass

    def start_with(self, settings):
        self.poolmgr.stop()
        self.poolmgr.settings = self.right
        self.poolmgr.configure(settings)
        self.poolmgr.restart()

    def corrections(self, domain):
        return sorted(self.fleet.mariadb.sql(
            "SELECT server_id, action, outcome, detail FROM repair_log WHERE kind = 'OPTIONS' "
            f"AND object_uuid = '{domain['id']}'"))

    def unchecked(self):
        status = self.caller.get_status()
        return {server["id"]: server["zones_unchecked"] for server in status["servers"]}

    def wait_checked(self):
        self.fleet.wait_for(lambda: not any(self.unchecked().values()), SECONDS,
                            "all zones are checked")


class Nowhere(Changed):
    """Settings with which no server reaches mini-DNS."""

    name_servers = ("bind", "powerdns", "knot", "nsd")

    @classmethod
    def prepare(cls):
        """A template and a pattern with a primary that nobody is at."""
        cls.nowhere = f"{HOST}:{free_port()}"
        knot, nsd = cls.fleet.knot, cls.fleet.nsd
        knot.change(("conf-set", "remote[nowhere]"),
                    ("conf-set", "remote[nowhere].address", cls.nowhere.replace(":", "@")),
                    ("conf-set", "template[other]"),
                    ("conf-set", "template[other].master", "nowhere"),
                    ("conf-set", "template[other].acl", "loopback"),
                    ("conf-set", "template[other].zonefile-sync", "-1"))
        nsd.config.write_text(nsd.config.read_text() + (
            f'\npattern:\n\tname: "other"\n\tzonefile: "%s.zone"\n\trequest-xfr: '
            f'{cls.nowhere.replace(":", "@")} NOKEY\n\tallow-notify: {HOST} NOKEY\n'
            f'\tprovide-xfr: {HOST} NOKEY\n'))
        nsd.control("reconfig")

    @classmethod
    def wrong(cls):
        """Masters where nobody is, and the template and the pattern that have them."""
        backends = {}
        for backend, option in ("knot", "template"), ("nsd", "pattern"):
            servers = cls.right["backends"][backend]["servers"]
            backends[backend] = {"servers": [one | {option: "other"} for one in servers]}
        return {"poolmgr": {"masters": [cls.nowhere]}, "backends": backends}


class Settings(Nowhere):

    def test_zones_that_were_created_with_wrong_settings(self):
        """No server has ever transferred them: they become ACTIVE by themselves."""
        self.start_with(self.wrong())
        domains = [self.caller.create_domain(domain={"name": f"wrong{number}.example."})
                   for number in range(3)]
        for domain in domains:
            self.fleet.wait_state(domain["id"], "ADD ERROR")
        self.fleet.wait_for(lambda: self.reasons(domains[0])["bind"] == UNSEEN + self.nowhere,
                            SECONDS, "the reason of BIND names the masters")
        self.wait_checked()
        self.start_with({})
        for domain in domains:
            self.follow_created(domain)
            self.assertEqual([row[0] for row in self.corrections(domain)],
                             sorted(self.name_servers))
            self.assertEqual(self.corrections(domain)[0][1:], ["ADJUST", "DONE", CORRECTED])
        self.wait_checked()
        shown = [repair for repair in self.caller.find_repairs()["repairs"]
                 if repair["kind"] == "OPTIONS" and repair["name"] == domains[0]["name"]]
        self.assertEqual({repair["state"] for repair in shown}, {"DONE"})

    def reasons(self, domain):
        rows = self.fleet.mariadb.sql(
            "SELECT server_id, reason FROM pool_manager_status WHERE action = 'UPDATE' "
            f"AND domain_id = '{domain['id']}'")
        return {"bind": ""} | dict(rows)

    def follow_created(self, domain):
        """PowerDNS first waits in vain for the masters that are not there."""
        self.caller.settled(domain["id"], seconds=2 * SECONDS)
        now = self.caller.get_domain(domain=domain["id"])
        for server in self.fleet.name_servers:
            self.assertEqual(drift.serial(server, domain["name"]), now["serial"], server.name)

    def test_zones_that_are_active(self):
        """Nothing changed in them: their masters are those of now all the same. Then a change
        reaches all servers at once."""
        domain = self.create("active.example.")
        self.assertEqual(self.corrections(domain), [])
        self.start_with(self.wrong())
        self.fleet.wait_for(lambda: len(self.corrections(domain)) == len(self.name_servers),
                            SECONDS, "the zone has got the other settings")
        self.assertEqual(self.caller.get_status(domain=domain["id"])["domain"]["status"], "ACTIVE")
        self.start_with({})
        self.fleet.wait_for(lambda: len(self.corrections(domain)) == 2 * len(self.name_servers),
                            SECONDS, "the zone has got its settings back")
        self.assertEqual({drift.address(server, www(domain["name"]))
                          for server in self.fleet.name_servers}, {RIGHT})
        self.assertIn(f"primaries {{ {self.right['poolmgr']['masters'][0].replace(':', ' port ')};",
                      self.fleet.bind.rndc("showzone", domain["name"]))
        self.change(domain, "192.0.2.2")

    def test_one_that_a_hand_changed(self):
        """An administrator asks; else the next comparison finds it."""
        domain = self.create("hand.example.")
        self.wait_checked()
        self.set_wrong("bind", domain)
        self.fleet.cli("sync", domain["name"], "--deep", "--admin")
        self.wait_corrected("bind", domain)

    def test_one_that_the_next_comparison_finds(self):
        self.start_with({"poolmgr": {"compare_every": 1, "periodic_sync_interval": 2}})
        self.addCleanup(self.start_with, {})
        domains = {server: self.create(f"{server}.compared.example.")
                   for server in self.name_servers}
        self.wait_checked()
        for server, domain in domains.items():
            self.set_wrong(server, domain)
        for server, domain in domains.items():
            self.wait_corrected(server, domain)

    def set_wrong(self, server, domain):
        """By hand: the masters where nobody is, or the template or pattern that has them."""
        zone, server = domain["name"], getattr(self.fleet, server)
        match server.name:
            case "bind":
                server.rndc("modzone", zone, '{ type secondary; file "%s.db"; masterfile-format '
                            "raw; primaries { %s; }; };" % (domain["id"], self.at_bind()))
            case "knot":
                server.change(("conf-set", f"zone[{zone}].template", "other"))
            case "nsd":
                server.control("changezone", zone, "other")
            case "powerdns":
                server.api("PUT", f"/zones/{zone}", {"masters": [self.nowhere]})

    def is_wrong(self, server, domain):
        zone, server = domain["name"], getattr(self.fleet, server)
        match server.name:
            case "bind":
                return self.at_bind() in server.rndc("showzone", zone)
            case "knot":
                return "= other" in server.knotc("conf-read", f"zone[{zone}].template")
            case "nsd":
                return "pattern: other" in server.control("zonestatus", zone)
            case "powerdns":
                return server.api("GET", f"/zones/{zone}")[1]["masters"] == [self.nowhere]

    def at_bind(self):
        return self.nowhere.replace(":", " port ")

    def is_corrected(self, server, domain):
        """The sync may still create the zone, and so put it right without a word."""
        corrected = self.corrections(domain)
        if not corrected and not self.is_wrong(server, domain):
            self.set_wrong(server, domain)
        return corrected

    def wait_corrected(self, server, domain):
        self.fleet.wait_for(lambda: self.is_corrected(server, domain), SECONDS,
                            f"{server} has our settings")
        self.fleet.wait_for(lambda: not self.is_wrong(server, domain), SECONDS, "only ours")
        self.assertEqual({tuple(row) for row in self.corrections(domain)},
                         {(server, "ADJUST", "DONE", CORRECTED)})

    def test_one_that_is_expired(self):
        """It answers SERVFAIL for a domain that was ACTIVE, and asks a primary that is not there."""
        domain, bind = self.create("expired.example."), self.fleet.bind
        bind.rndc("delzone", "-clean", domain["name"])
        bind.rndc("addzone", domain["name"], '{ type secondary; file "%s.db"; masterfile-format '
                  "raw; primaries { %s; }; };" % (domain["id"], self.nowhere.replace(":", " port ")))
        done = self.caller.apply_changes(domain=domain["id"],
                                         changes=[put(www(domain["name"]), "192.0.2.9")])
        self.caller.settled(domain["id"], serial=done["serial"], seconds=SECONDS)
        self.follow(domain, "192.0.2.9")
        self.assertEqual(self.corrections(domain), [["bind", "ADJUST", "DONE", CORRECTED]])

    def test_a_server_that_refuses(self):
        """It is shown, once, and the domain is no worse for it."""
        domain = self.create("refused.example.")
        zone = f"/zones/{domain['name']}"
        self.fleet.powerdns.api("PUT", zone, {"account": "other"})
        for _ in range(2):
            self.fleet.cli("sync", domain["name"], "--deep", "--admin")
            parked = self.fleet.wait_for(lambda: self.fleet.mariadb.sql(
                "SELECT state, detail FROM repairs WHERE kind = 'OPTIONS' AND object_uuid = "
                f"'{domain['id']}'"), SECONDS, "it is parked")
            self.assertEqual(parked[0][0], "PARKED")
            self.assertIn("the server has a zone refused.example. of another program", parked[0][1])
        self.fleet.powerdns.api("PUT", zone, {"account": "zonefleet"})
        self.fleet.cli("sync", domain["name"], "--deep", "--admin")
        self.fleet.wait_for(lambda: not self.fleet.mariadb.sql(
            f"SELECT 1 FROM repairs WHERE object_uuid = '{domain['id']}'"), SECONDS,
            "it is no longer parked")
        states = {repair["state"] for repair in self.caller.find_repairs()["repairs"]
                  if repair["name"] == domain["name"]}
        self.assertLessEqual({"ENDED"}, states)
        self.assertNotIn("PARKED", states)


class Signing(Changed):
    """The key of two servers comes into the settings, and goes."""

    minidns = 1
    KEY = Key("servers-key.", "hmac-sha256", base64.b64encode(b"between the servers").decode())

    def wait_corrections(self, domain, wanted):
        self.fleet.wait_for(lambda: [[row[0], row[2]] for row in self.corrections(domain)]
                            == wanted, SECONDS, f"the settings of the zone: {wanted}")

    def wait_unsigned(self, domain, is_served):
        """Until mini-DNS serves a transfer without a key, or refuses it."""
        def served():
            with contextlib.suppress(LabError):
                return bool(axfr(HOST, *self.fleet.minidns_ports, domain["name"]))
            return False
        self.fleet.members["minidns1"].reload()     # else it takes up to ten seconds
        self.fleet.wait_for(lambda: served() == is_served, SECONDS,
                            f"unsigned transfers are served: {is_served}")


class Keys(Signing):
    """Before PowerDNS has the key."""

    name_servers = ("bind", "powerdns")
    servers = {"bind": {"keys": [Signing.KEY]}}

    def test_zones_that_are_active(self):
        self.caller.create_tsigkey(tsigkey=self.KEY._asdict())
        domain = self.create("signed.example.")
        backends = self.right["backends"]
        self.start_with({"backends": {
            backend: {"servers": [one | {"tsig_key": self.KEY.name}
                                  for one in backends[backend]["servers"]]}
            for backend in ("bind9", "powerdns")}})
        self.wait_corrections(domain, [["bind", "DONE"], ["powerdns", "PARKED"]])
        self.assertIn("has no TSIG key servers-key.", self.corrections(domain)[1][3])
        self.fleet.powerdns.util("import-tsig-key", *self.KEY)
        self.fleet.cli("sync", domain["name"], "--deep", "--admin")
        self.wait_corrections(domain, [["bind", "DONE"], ["powerdns", "DONE"],
                                       ["powerdns", "PARKED"]])
        self.assertEqual(self.keys(domain), (1, [self.KEY.name]))
        self.wait_unsigned(domain, False)
        domain = self.change(domain, "192.0.2.2")
        self.follow(domain, "192.0.2.2")
        self.start_with({})
        self.wait_corrections(domain, [["bind", "DONE"], ["bind", "DONE"], ["powerdns", "DONE"],
                                       ["powerdns", "DONE"], ["powerdns", "PARKED"]])
        self.assertEqual(self.keys(domain), (0, []))
        self.wait_unsigned(domain, True)
        domain = self.change(domain, "192.0.2.3")
        self.follow(domain, "192.0.2.3")
        for server in self.fleet.name_servers:
            self.assertEqual(self.repairs(domain, server), [])

    def keys(self, domain):
        """How many masters on BIND have the key; the keys of PowerDNS."""
        shown = self.fleet.bind.rndc("showzone", domain["name"])
        return (len(re.findall(r'\d key "?servers-key\b', shown)),
                self.fleet.powerdns.api("GET", f"/zones/{domain['name']}")[1]["slave_tsig_key_ids"])


class Templates(Signing):
    """Knot has the key in another template, and NSD in another pattern."""

    name_servers = ("knot", "nsd")
    servers = {"knot": {"keys": [Signing.KEY]}}

    @classmethod
    def prepare(cls):
        knot, nsd = cls.fleet.name_servers
        master = cls.right["poolmgr"]["masters"][0].replace(":", "@")
        knot.change(("conf-set", "remote[signed]"),
                    ("conf-set", "remote[signed].address", master),
                    ("conf-set", "remote[signed].key", cls.KEY.name),
                    ("conf-set", "acl[signed]"),
                    ("conf-set", "acl[signed].address", HOST),
                    ("conf-set", "acl[signed].key", cls.KEY.name),
                    ("conf-set", "acl[signed].action", "notify"),
                    ("conf-set", "template[signed]"),
                    ("conf-set", "template[signed].master", "signed"),
                    ("conf-set", "template[signed].acl", "signed", "loopback"),
                    ("conf-set", "template[signed].zonefile-sync", "-1"))
        nsd.config.write_text(nsd.config.read_text() + (
            '\nkey:\n\tname: "{0.name}"\n\talgorithm: {0.algorithm}\n\tsecret: "{0.secret}"\n'
            'pattern:\n\tname: "signed"\n\tzonefile: "%s.zone"\n\trequest-xfr: {1} {0.name}\n'
            '\tallow-notify: {2} {0.name}\n\tprovide-xfr: {2} NOKEY\n'
        ).format(cls.KEY, master, HOST))
        nsd.control("reconfig")

    def test_zones_that_are_active(self):
        """They get the template and the pattern with the key: nothing else is signed."""
        self.caller.create_tsigkey(tsigkey=self.KEY._asdict())
        domain = self.create("signed.example.")
        self.start_with({"backends": {
            backend: {"servers": [one | {option: "signed", "tsig_key": self.KEY.name}
                                  for one in self.right["backends"][backend]["servers"]]}
            for backend, option in (("knot", "template"), ("nsd", "pattern"))}})
        self.wait_corrections(domain, [["knot", "DONE"], ["nsd", "DONE"]])
        self.wait_unsigned(domain, False)
        domain = self.change(domain, "192.0.2.2")
        self.follow(domain, "192.0.2.2")
        self.start_with({})
        self.wait_corrections(domain, [["knot", "DONE"]] * 2 + [["nsd", "DONE"]] * 2)
        self.wait_unsigned(domain, True)
        domain = self.change(domain, "192.0.2.3")
        self.follow(domain, "192.0.2.3")
        for server in self.fleet.name_servers:
            self.assertEqual(self.repairs(domain, server), [])


class Renumber(Changed):
    """The steps of *Renumber mini-DNS* in docs/operate.md, in their order; after each of them a
    change arrives by NOTIFY."""

    name_servers = ("bind", "knot", "nsd", "powerdns")
    minidns = 1
    NEW = "127.0.0.2"

    @classmethod
    def prepare(cls):
        """BIND accepts NOTIFY only from a master of the zone, as documented."""
        cls.rewrite(cls.fleet.bind.config, r"allow-notify \{.*", "")
        cls.fleet.bind.rndc("reconfig")

    @staticmethod
    def rewrite(config, pattern, new):
        text, count = re.subn(pattern, new, config.read_text())
        if not count:
            raise LabError(f"{config} does not match {pattern}")
        config.write_text(text)

    def test_as_documented(self):
        self.domain, self.last = self.create("renumbered.example."), itertools.count(2)
        old, = self.right["poolmgr"]["masters"]
        new = old.replace(HOST, self.NEW)
        self.fleet.knot.change(("conf-set", "remote[new]"), (
            "conf-set", "remote[new].address", new.replace(":", "@")))
        self.step(1, self.allow, HOST, self.NEW)
        self.step(2, self.set_primaries, {"master0": old, "new": new})
        self.step(3, self.listen, old, new)
        self.step(4, self.set_masters, old, new)        # and 5
        self.step(6, self.listen, new, old)
        self.assertIn(f"zone renumbered.example/IN: notify from {self.NEW}#",
                      self.fleet.bind.log.read_text())
        self.step(6, self.set_masters, new)
        self.step(7, self.set_primaries, {"new": new})
        self.step(7, self.listen, new)
        self.step(7, self.allow, self.NEW)
        for server in self.fleet.name_servers:
            self.assertEqual(self.repairs(self.domain, server), [], server.name)
        self.assertNotIn("refused notify", self.fleet.bind.log.read_text())
        self.assertEqual([row[:3] for row in self.corrections(self.domain)],
                         [[server, "ADJUST", "DONE"] for server in ("bind", "powerdns")
                          for _ in range(2)])

    def step(self, number, work, *arguments):
        work(*arguments)
        address = f"192.0.2.{next(self.last)}"
        try:
            self.domain = self.change(self.domain, address)
            self.follow(self.domain, address)
        except Exception as error:
            raise AssertionError(f"step {number}, {work.__name__}{arguments}: {error}") from error

    def allow(self, *hosts):
        """NOTIFY and transfers from them."""
        bind, knot, nsd, powerdns = self.fleet.name_servers
        self.rewrite(bind.config, r"allow-transfer \{.*",
                     f"allow-transfer {{ {' '.join(f'{host};' for host in hosts)} }};")
        bind.rndc("reconfig")
        knot.change(("conf-unset", "acl[loopback].address"),
                    ("conf-set", "acl[loopback].address", *hosts))
        for option in "allow-notify", "provide-xfr":
            self.rewrite(nsd.config, rf"(\t{option}: .*\n)+",
                         "".join(f"\t{option}: {host} NOKEY\n" for host in hosts))
        nsd.control("reconfig")
        self.rewrite(powerdns.folder / "pdns.conf", "(allow-axfr-ips|allow-notify-from)=.*",
                     rf"\1={','.join(hosts)}")
        powerdns.restart()
        self.fleet.wait_answers(powerdns)

    def set_primaries(self, addresses):
        """In Knot's template and NSD's pattern: {the remote of Knot: address}."""
        _, knot, nsd, _ = self.fleet.name_servers
        knot.change(("conf-unset", f"template[{knot.template}].master"),
                    ("conf-set", f"template[{knot.template}].master", *addresses))
        self.rewrite(nsd.config, r"(\trequest-xfr: .*\n)+", "".join(
            f"\trequest-xfr: {address.replace(':', '@')} NOKEY\n"
            for address in addresses.values()))
        nsd.control("reconfig")

    def listen(self, *addresses):
        minidns = self.fleet.members["minidns1"]
        minidns.stop()
        minidns.configure({"minidns": {"listen": addresses}})
        minidns.restart()

    def set_masters(self, *addresses):
        before = len(self.corrections(self.domain))
        self.start_with({"poolmgr": {"masters": addresses}})
        self.fleet.wait_for(lambda: len(self.corrections(self.domain)) == before + 2, SECONDS,
                            f"the zones have the masters {addresses}")
        self.wait_checked()
        self.assertEqual([repair for repair in self.caller.find_repairs()["repairs"]
                          if repair["state"] == "PARKED"], [])


class Signed(Changed):
    """Knot has the key of its queries, and does not sign that it has no zone."""

    name_servers = ("knot",)
    minidns = 1
    KEY = Key("knot-key.", "hmac-sha256", base64.b64encode(b"Knot and mini-DNS").decode())
    servers = {"knot": {"key": KEY}}
    backend = "knot"

    @classmethod
    def prepare(cls):
        cls.caller.create_tsigkey(tsigkey=cls.KEY._asdict())
        servers = cls.right["backends"][cls.backend]["servers"]
        cls.right = merged(cls.right, {"backends": {cls.backend: {"servers": [
            one | {"tsig_key": cls.KEY.name} for one in servers]}}})

    def setUp(self):
        self.start_with({})

    def delete(self, domain):
        self.caller.delete_domain(domain=domain["id"])
        self.fleet.wait_state(domain["id"], "NONE DELETED", SECONDS)
        self.assertIsNone(drift.serial(self.fleet.knot, domain["name"]))

    def test_a_deletion(self):
        self.delete(self.create("deleted.example."))

    def test_a_zone_that_is_lost(self):
        domain = self.create("lost.example.")
        self.fleet.knot.change(("conf-unset", f"zone[{domain['name']}]"))
        domain = self.change(domain, "192.0.2.2")
        self.follow(domain, "192.0.2.2")
        self.assertEqual(self.fleet.mariadb.sql(
            f"SELECT kind, outcome FROM repair_log WHERE object_uuid = '{domain['id']}'"),
            [["MISSING", "DONE"]])
        self.delete(domain)


class SignedCatalog(Signed):

    servers = {"knot": {"key": Signed.KEY, "catalog": "catalog.invalid."}}
    backend = "catalog"
    test_a_zone_that_is_lost = None     # it has no control channel

    @classmethod
    def prepare(cls):
        super().prepare()
        cls.fleet.cli("pool", "set", "default", "--catalog", "catalog.invalid.", "--admin")


class Rolling(Story):
    """Two pool managers with different masters: those of the one that was started later count."""

    name_servers = ("bind",)

    def test_older_settings_change_nothing(self):
        first, second = self.fleet.poolmgrs
        domains = [self.create(f"rolling{number}.example.") for number in range(6)]
        new = f"{HOST}:{free_port()}"
        masters = [*first.settings["poolmgr"]["masters"], new]
        second.stop()
        second.configure({"poolmgr": {"masters": masters}})
        second.restart()
        self.fleet.wait_for(lambda: "this pool manager has older settings: server=bind"
                            in first.log.read_text(), SECONDS, "the first says that it is the older one")
        # a zone that the first creates has fewer masters, until the second has looked at it
        domains += [self.create(f"rolling{number}.example.") for number in range(6, 12)]
        first.stop()
        self.fleet.wait_for(lambda: all(self.has(domain, new) for domain in domains), SECONDS,
                            "all zones have the masters of the second")
        first.configure({"poolmgr": {"masters": masters}})
        first.restart()
        logged = second.log.read_text() + first.log.read_text()
        self.assertEqual(len(re.findall("this pool manager has older settings: ", logged)), 1)
        counts = self.fleet.mariadb.sql("SELECT COUNT(*) FROM repair_log WHERE kind = 'OPTIONS' "
                                        "GROUP BY object_uuid")
        self.assertEqual({count for count, in counts}, {"1"})

    def has(self, domain, master):
        with contextlib.suppress(Exception):
            return master.replace(":", " port ") in self.fleet.bind.rndc("showzone", domain["name"])


class Killed(Nowhere):
    """All processes die in the middle of it: the next ones go on."""

    name_servers = ("bind", "knot", "nsd")
    COUNT = 20

    def test_a_kill_in_between(self):
        domains = [self.caller.create_domain(domain={"name": f"killed{number}.example."})
                   for number in range(self.COUNT)]
        for domain in domains:
            self.caller.settled(domain["id"], seconds=SECONDS)
        self.start_with(self.wrong())
        self.fleet.wait_for(lambda: 0 < self.corrected() < self.COUNT * 3, SECONDS, "it has begun")
        self.poolmgr.kill9()
        self.poolmgr.restart()
        self.wait_checked()
        # the one that was under way on each server may have no row in the log
        self.assertIn(self.corrected(), range((self.COUNT - 1) * 3, self.COUNT * 3 + 1))
        nowhere = f"primaries {{ {self.nowhere.replace(':', ' port ')}; }};"
        knot = self.fleet.knot.knotc("conf-read", "zone.template")
        nsd = self.fleet.nsd.control("zonestatus")
        for domain in domains:
            self.assertIn(nowhere, self.fleet.bind.rndc("showzone", domain["name"]))
            self.assertIn(f"zone[{domain['name']}].template = other", knot)
            self.assertIn(f"zone:\t{domain['name']}\n\tpattern: other", nsd)

    def corrected(self):
        return int(self.fleet.mariadb.sql(
            "SELECT COUNT(*) FROM repair_log WHERE kind = 'OPTIONS'")[0][0])


if __name__ == "__main__":
    unittest.main()

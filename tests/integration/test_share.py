"""Domains that are shared: what a tenant may do in a domain of another tenant."""

import logging
import re
import shutil
import sys
import tempfile
import unittest
import uuid
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import oslo_messaging as om                                             # noqa: E402
from story import Caller, start_fleet                                   # noqa: E402
from lab.process import LabError                                        # noqa: E402

SECONDS = 60
SHOWN = {"id", "domain", "domain_id", "tenant", "target_tenant", "name", "created_at"}


def setUpModule():
    global fleet, owner, guest, admin, stranger
    logging.disable(logging.CRITICAL)
    folder = Path(tempfile.mkdtemp(prefix="zfshare"))
    unittest.addModuleCleanup(shutil.rmtree, folder)
    fleet = start_fleet(folder, central=2, poolmgr=1, minidns=1, name_servers=("bind",))
    unittest.addModuleCleanup(fleet.stop)
    admin = Caller(fleet.rabbitmq.url, tenant="operator", timeout=SECONDS)
    owner, guest, stranger = (Caller(fleet.rabbitmq.url, tenant=tenant, admin=False,
                                     timeout=SECONDS)
                              for tenant in ("owner", "guest", "stranger"))
    for caller in admin, owner, guest, stranger:
        unittest.addModuleCleanup(caller.close)


def change(op, name, *records, kind="A", **more):
    return {"op": op, "name": name, "type": kind, **more} | (
        {"records": list(records)} if records else {})


class Story(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.zone = f"s{uuid.uuid4().hex[:8]}.example."
        self.domain = owner.create_domain(domain={"name": self.zone})["id"]
        self.apply(owner, change("add", f"www.{self.zone}", "192.0.2.1"))

    def share(self, target="guest", **values):
        return owner.create_share(share={"domain": self.zone, "target_tenant": target, **values})

    def apply(self, caller, *changes, **more):
        return caller.apply_changes(domain=self.zone, changes=list(changes), **more)

    def fails(self, kind, words, call, *args, **values):
        with self.assertRaises(om.RemoteError) as raised:
            call(*args, **values)
        self.assertEqual(raised.exception.exc_type, kind, raised.exception.value)
        self.assertIn(words, raised.exception.value)

    def names(self, caller, **args):
        """{(name, tenant)} of the A record sets of the domain that are not being deleted."""
        return {(each["name"].removesuffix(f".{self.zone}"), each["tenant"])
                for each in caller.find_recordsets(**args)["recordsets"]
                if each["type"] == "A" and each["domain_id"] == self.domain and each["records"]}


class Rights(Story):

    def test_a_tenant_has_record_sets_of_its_own(self):
        self.fails("NotFound", "there is no domain", self.apply, guest,
                   change("add", f"a.{self.zone}", "192.0.2.2"))
        share = self.share()
        self.assertEqual(set(share), SHOWN)
        self.assertEqual((share["tenant"], share["target_tenant"], share["name"]),
                         ("owner", "guest", self.zone))
        done = self.apply(guest, change("add", f"a.{self.zone}", "192.0.2.2"))
        made = guest.create_recordset(domain=self.zone, recordset={
            "name": f"b.{self.zone}", "type": "A", "records": ["192.0.2.3"]})
        self.assertEqual(made["tenant"], "guest")
        owner.settled(self.domain, serial=done["serial"], seconds=SECONDS)
        self.assertEqual(guest.get_domain(domain=self.zone)["tenant"], "owner")
        self.assertEqual(guest.get_status(domain=self.zone)["domain"]["name"], self.zone)
        everything = {("www", "owner"), ("a", "guest"), ("b", "guest")}
        own = {("a", "guest"), ("b", "guest")}
        self.assertEqual(self.names(owner, domain=self.zone), everything)
        self.assertEqual(self.names(owner), everything)
        self.assertEqual(self.names(guest, domain=self.zone), own)
        self.assertEqual(self.names(guest), own)
        self.assertEqual({each["name"] for each in
                          guest.find_records(domain=self.zone)["records"]},
                         {f"a.{self.zone}", f"b.{self.zone}"})
        self.assertIn(self.zone, [each["name"] for each in guest.find_domains()["domains"]])
        self.assertEqual(stranger.find_domains()["domains"], [])
        self.assertEqual(self.names(stranger), set())
        changed = guest.update_recordset(domain=self.zone, recordset=made["id"],
                                         values={"records": ["192.0.2.4"]})
        self.assertEqual((changed["records"], changed["tenant"]), (["192.0.2.4"], "guest"))
        # the tenant of the domain may change it, and the record set keeps its tenant
        changed = owner.update_recordset(domain=self.zone, recordset=made["id"],
                                         values={"records": ["192.0.2.5"]})
        self.assertEqual(changed["tenant"], "guest")
        guest.delete_recordset(domain=self.zone, recordset=made["id"])
        self.assertEqual(self.names(guest, domain=self.zone), {("a", "guest")})

    def test_what_a_share_does_not_allow(self):
        self.share(name=f"guest.{self.zone}")
        own = f"a.guest.{self.zone}"
        self.apply(guest, change("add", own, "192.0.2.2"))
        www = next(each for each in owner.find_recordsets(domain=self.zone)["recordsets"]
                   if each["name"].startswith("www."))["id"]
        for words, more in (("do not cover", change("add", self.zone, "192.0.2.9")),
                            ("do not cover xguest.",
                             change("add", f"xguest.{self.zone}", "192.0.2.9")),
                            ("do not cover www.", change("delete", f"www.{self.zone}"))):
            self.fails("Forbidden", words, self.apply, guest, more)
        for words, args in (("soa: only the tenant", {"soa": {"refresh": 77}}),
                            ("serial: only the tenant", {"serial": 2**31})):
            self.fails("Forbidden", words, self.apply, guest, **args)
        for method, args in (("update_domain", {"values": {"ttl": 77}}), ("create_share", None)):
            with self.subTest(method=method):
                args = ({"share": {"domain": self.zone, "target_tenant": "stranger"}}
                        if args is None else {"domain": self.zone, **args})
                self.fails("Forbidden", "only the tenant of the domain", getattr(guest, method),
                           **args)
        for method, args in (("get_recordset", {"recordset": www}),
                             ("update_recordset", {"recordset": www, "values": {"ttl": 7}}),
                             ("delete_recordset", {"recordset": www})):
            with self.subTest(method=method):
                self.fails("NotFound", "there is no record set", getattr(guest, method),
                           domain=self.zone, **args)
        for method in "export_domain", "sync_domain", "delete_domain":
            with self.subTest(method=method):
                self.fails("Forbidden", "only the tenant of the domain", getattr(guest, method),
                           domain=self.zone)
                self.fails("NotFound", "there is no domain", getattr(stranger, method),
                           domain=self.zone)
        self.fails("NotFound", "there is no domain", guest.begin_import,
                   domain={"name": self.zone})

    def test_record_sets_of_others(self):
        self.share()
        self.share("stranger")
        self.apply(guest, change("add", f"a.{self.zone}", "192.0.2.2"))
        for caller, name in ((guest, "www"), (stranger, "a")):
            for op in "add", "set", "delete":
                with self.subTest(name=name, op=op):
                    self.fails("Forbidden", "belongs to another tenant", self.apply, caller,
                               change(op, f"{name}.{self.zone}",
                                      *[] if op == "delete" else ["192.0.2.9"]))
        for name, kind, data in ((self.zone, "NS", "ns9.example.net."), (self.zone, "TXT", '"x"'),
                                 (f"www.{self.zone}", "NS", "ns9.example.net."),
                                 (f"*.{self.zone}", "NS", "ns9.example.net."),
                                 (f"x.{self.zone}", "DS", "1 13 2 " + "ab" * 32),
                                 (f"x.{self.zone}", "DNAME", "example.net.")):
            with self.subTest(name=name, kind=kind):
                self.fails("Forbidden", "only the tenant of the domain", self.apply, guest,
                           change("add", name, data, kind=kind))
        # BIND would refuse the whole zone
        admin.set_quota(tenant="owner", resource="recordset_records", hard_limit=-1)
        self.addCleanup(admin.reset_quotas, tenant="owner")
        self.fails("Forbidden", "refuses the whole zone", self.apply, guest,
                   change("add", f"many.{self.zone}", *(f"192.0.2.{n}" for n in range(120))))
        # it may delete what the owner has added
        many = [f"192.0.2.{n}" for n in range(120)]
        self.apply(guest, change("add", f"few.{self.zone}", many[0]))
        self.apply(owner, change("add", f"few.{self.zone}", *many))
        self.apply(guest, change("delete", f"few.{self.zone}", many[0]))
        self.apply(guest, change("delete", f"few.{self.zone}"))
        for op in "add", "set", "expect":
            self.fails("Invalid" if op == "add" else "Forbidden" if op == "set" else "Conflict", "",
                       self.apply, guest,
                       change(op, f"WWW.{self.zone}".upper(), "x.example.net.", kind="CNAME")
                       if op == "add" else change(op, f"WWW.{self.zone}".upper(), "192.0.2.77"))
        # another type at the same name is another record set
        self.apply(guest, change("add", f"www.{self.zone}", '"x"', kind="TXT"))
        # a name that is free again belongs to the tenant that takes it
        self.apply(guest, change("delete", f"a.{self.zone}"))
        self.apply(stranger, change("add", f"a.{self.zone}", "192.0.2.3"))
        self.assertIn(("a", "stranger"), self.names(owner, domain=self.zone))
        self.apply(stranger, change("delete", f"a.{self.zone}"))
        self.apply(owner, change("add", f"a.{self.zone}", "192.0.2.4"))
        self.assertIn(("a", "owner"), self.names(owner, domain=self.zone))

    def test_the_quotas_of_the_owner_count(self):
        self.share()
        admin.set_quota(tenant="owner", resource="domain_recordsets", hard_limit=3)
        self.addCleanup(admin.reset_quotas, tenant="owner")
        self.apply(guest, change("add", f"a.{self.zone}", "192.0.2.2"))
        self.fails("OverQuota", "the quota (domain_recordsets) is 3", self.apply, guest,
                   change("add", f"b.{self.zone}", "192.0.2.2"))


class Shares(Story):

    def test_lists_and_rights(self):
        first, second = self.share(), self.share(name=f"x.{self.zone}")
        other = self.share("stranger")
        found = owner.find_shares
        self.assertEqual([each["id"] for each in found(
            criterion={"domain": self.zone})["shares"]],
            [first["id"], second["id"], other["id"]])
        self.assertEqual([each["id"] for each in found(
            criterion={"domain": self.domain, "target_tenant": "stranger"})["shares"]],
            [other["id"]])
        page = found(criterion={"domain": self.zone}, limit=2)
        self.assertEqual(found(criterion={"domain": self.zone},
                               marker=page["marker"])["shares"], [other])
        self.assertEqual(guest.get_share(share=first["id"]), first)
        self.assertNotIn(other, guest.find_shares()["shares"])
        self.fails("NotFound", "there is no share", guest.get_share, share=other["id"])
        self.fails("NotFound", "there is no share", guest.delete_share, share=other["id"])
        # the target tenant need not keep a share
        self.assertEqual(stranger.delete_share(share=other["id"]), {"recordsets": 0})
        self.fails("NotFound", "there is no share", owner.delete_share, share=other["id"])
        other = self.share("stranger")
        self.fails("Duplicate", "already has a share", self.share)
        self.fails("Conflict", "belongs to the tenant", self.share, "owner")
        self.fails("Invalid", "share.name: must be", self.share, name="www.example.net.")
        self.fails("Invalid", "share.target_tenant: ", self.share, " ")
        self.fails("Invalid", "recordsets: must be refuse, delete or keep", owner.delete_share,
                   share=first["id"], recordsets="x")

    def test_what_stands_in_the_way(self):
        share = self.share()
        self.apply(guest, change("add", f"a.{self.zone}", "192.0.2.2"),
                   change("add", f"b.{self.zone}", "192.0.2.2"))
        for words in ("the tenant 'guest' has 2 record sets that no other share covers",
                      f"a.{self.zone} A"):
            self.fails("Conflict", words, owner.delete_share, share=share["id"])
        more = self.share(name=f"a.{self.zone}")
        self.fails("Conflict", "has 1 record set that no other share covers, such as b.",
                   owner.delete_share, share=share["id"])
        self.assertEqual(owner.delete_share(share=share["id"], recordsets="keep"),
                         {"recordsets": 1})
        self.assertEqual(self.names(owner, domain=self.zone),
                         {("www", "owner"), ("a", "guest"), ("b", "owner")})
        before = owner.get_domain(domain=self.zone)["serial"]
        self.assertEqual(owner.delete_share(share=more["id"], recordsets="delete"),
                         {"recordsets": 1})
        self.assertEqual(self.names(owner, domain=self.zone), {("www", "owner"), ("b", "owner")})
        self.assertGreater(owner.get_domain(domain=self.zone)["serial"], before)
        owner.settled(self.domain, seconds=SECONDS)
        self.assertEqual(fleet.bind.query(f"a.{self.zone}", "A")[0], "NXDOMAIN")
        self.fails("NotFound", "there is no domain", self.apply, guest,
                   change("add", f"a.{self.zone}", "192.0.2.2"))

    def test_the_domain_is_deleted(self):
        self.share()
        self.apply(guest, change("add", f"a.{self.zone}", "192.0.2.2"))
        self.fails("Conflict", "has record sets of other tenants, such as a.",
                   owner.delete_domain, domain=self.zone)
        owner.delete_domain(domain=self.zone, force=True)
        fleet.wait_state(self.domain, "NONE DELETED", SECONDS)
        self.assertEqual([each for each in guest.find_shares()["shares"]
                          if each["domain"] == self.zone], [])
        # the row of the domain stays for a day, with its shares
        self.fails("NotFound", "there is no domain", guest.export_domain, domain=self.domain)

    def test_an_import_keeps_the_record_sets_of_others(self):
        self.share()
        self.apply(guest, change("add", f"a.{self.zone}", "192.0.2.2"))
        kept = f"a.{self.zone} 3600 A 192.0.2.2\n"

        def load(text, *options):
            path = Path(fleet.folder) / "import.zone"
            path.write_text(f"{self.zone} 3600 NS ns1.example.net.\n{text}")
            return fleet.cli("--tenant", "owner", "domain", "import", self.zone, str(path), *options)
        with self.assertRaisesRegex(LabError, r'"Conflict",\s+"message": ".*import.zone: the '
                                    r"import would change the record set a\..*the tenant 'guest'"):
            load("")
        load(kept + f"n.{self.zone} 60 A 192.0.2.8\n")
        self.assertEqual(self.names(owner, domain=self.zone), {("a", "guest"), ("n", "owner")})
        load("", "--force")
        self.assertEqual(self.names(owner, domain=self.zone), set())
        # the rows of emptied record sets stay for a day
        load(kept)
        self.assertEqual(self.names(owner, domain=self.zone), {("a", "owner")})

    def test_a_transfer_of_a_shared_domain(self):
        """The tenant that gets the domain needs no share any more. The other shares stay."""
        import hashlib
        for target in "guest", "stranger":
            self.share(target)
        self.apply(guest, change("add", f"a.{self.zone}", "192.0.2.2"))
        self.apply(stranger, change("add", f"b.{self.zone}", "192.0.2.2"))
        key = "k" * 32
        made = owner.create_transfer(transfer={
            "domain": self.zone, "key_hash": hashlib.sha256(key.encode()).hexdigest()})
        guest.accept_transfer(transfer=made["id"], key=key)
        self.assertEqual(self.names(guest, domain=self.zone),
                         {("www", "guest"), ("a", "guest"), ("b", "stranger")})
        self.assertEqual([each["target_tenant"] for each in guest.find_shares(
            criterion={"domain": self.zone})["shares"]], ["stranger"])
        self.assertEqual(self.names(stranger, domain=self.zone), {("b", "stranger")})

    def test_commands(self):
        def cli(tenant, *words, **options):
            return fleet.cli("--tenant", tenant, *words, **options)
        made = cli("owner", "share", "create", self.zone, "guest", "--at", "g")
        self.assertEqual(made["name"], f"g.{self.zone}")
        cli("guest", "record", "add", self.zone, "a.g", "A", "192.0.2.3", "--wait")
        listed = cli("guest", "share", "list", self.zone, as_json=False)
        self.assertRegex(listed, rf"(?m)^{made['id']} +{re.escape(self.zone)} +"
                                 rf"g\.{re.escape(self.zone)} +owner +guest ")
        self.assertEqual(cli("guest", "share", "show", made["id"]), made)
        with self.assertRaisesRegex(LabError, "Forbidden"):
            cli("guest", "share", "list", "--all-tenants")
        self.assertIn(made, cli("guest", "--admin", "share", "list", "--all-tenants")["shares"])
        with self.assertRaisesRegex(LabError, "--recordsets"):
            cli("owner", "share", "delete", made["id"])
        self.assertRegex(cli("owner", "share", "delete", made["id"], "--recordsets", "delete",
                             as_json=False),
                         rf"\Adeleted share {made['id']}\n1 record set: deleted\n\Z")


if __name__ == "__main__":
    unittest.main()

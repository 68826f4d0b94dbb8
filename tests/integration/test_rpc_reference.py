"""docs/rpc.md: its examples run, each method takes its example, and each answer is as described.

The fleet has central, the pool manager, mini-DNS, ports, routes and ownership.
"""

import logging
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import oslo_messaging as om                                     # noqa: E402
from story import Caller, ROOT, start_fleet                     # noqa: E402
from tenancy_table import ROWS                                  # noqa: E402
from lab.fleet import Worker                                    # noqa: E402
from lab.process import HOST                                    # noqa: E402

sys.path.insert(0, str(ROOT / "docs" / "rpc"))
import printer                                                  # noqa: E402

SECONDS = 60
PROGRAMS = "central", "ports", "routes", "ownership"
FIRST, LAST = ("set_", "create_", "begin_", "add_"), ("delete_", "cancel_", "abandon_")
# what the state of things refuses: the words of the refusal are not about the arguments
REFUSED = {
    "plan_approve": "Conflict",         # no plan is held
    "compare": "Conflict",              # there is no Neutron
    "cancel_import": "Conflict",        # it is committed
    "accept_transfer": "Conflict",      # it is withdrawn
    "abandon_domain": "NotFound",       # it may be deleted by now
    "delete_subnet": "NotFound",        # it went with its network
    "delete_network": "Conflict",       # the records of its port may be there
    "delete_router": "Conflict",        # names of its route may be there
}
EXTRA = {"abandon_domain": {"servers"}, "get_tsigkey": {"secret"},
         **{f"{verb}_domain": {"warnings"} for verb in ("create", "update", "delete")},
         **{f"{verb}_pool": {"warnings"} for verb in ("create", "update")}}
WORDS = {"string": str, "id": str, "name": str, "time": str, "boolean": bool, "object": dict,
         "number": (int, float), "null": type(None), "list": list}
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


def setUpModule():
    global lab
    logging.disable(logging.CRITICAL)
    lab = Lab()


class Lab:

    def __init__(self):
        folder = Path(tempfile.mkdtemp(prefix="zfrpc"))
        unittest.addModuleCleanup(shutil.rmtree, folder)
        self.fleet = start_fleet(folder, central=1, poolmgr=1, minidns=1, ports=1, routes=1)
        unittest.addModuleCleanup(self.fleet.stop)
        self.add_ownership(folder)
        build = ROOT / os.environ.get("BUILD", "build") / "rpc"
        topics, _ = printer.read([build / program for program in PROGRAMS])
        self.topics = {topic.name: topic for topic in topics if not topic.is_fleet}
        self.objects = {one["name"]: {field["name"]: field["type"] for field in one["fields"]}
                        for topic in topics for one in topic.objects}
        self.objects["domain status"] |= self.objects["domain"]

    def add_ownership(self, folder):
        """Its primary is silent: what is wanted is stored, and waits."""
        nobody = socket.create_server((HOST, 0))
        unittest.addModuleCleanup(nobody.close)
        zones = [{"zone": "shared.example", "storage_id": storage, "storage": "table",
                  "host": HOST, "port": nobody.getsockname()[1]}
                 for storage in ("cluster-1", "cluster-2")]
        worker = Worker(folder / "ownership", "ownership", self.fleet.settings | {
            "ownership": {"processes": 1}, "registries": {"zones": zones}})
        self.fleet.members[worker.name] = worker
        self.fleet.workers.append(worker)
        worker.launch()
        worker.wait_ready()

    def methods(self):
        """In an order in which nearly all of them can be done."""
        def place(method):
            if method.name.startswith(LAST):
                return len(FIRST) + 1 + method.name.endswith("_domain")
            begins = [i for i, word in enumerate(FIRST) if method.name.startswith(word)]
            return begins[0] if begins else len(FIRST)
        return sorted((method for topic in self.topics.values() for method in topic.methods
                       if not method.is_fleet), key=place)


class Examples(unittest.TestCase):

    def run_example(self, name):
        done = subprocess.run([sys.executable, ROOT / "docs" / "rpc" / name,
                               lab.fleet.rabbitmq.url], timeout=SECONDS, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

    def test_oslo(self):
        said = self.run_example("example.py")
        self.assertRegex(said, r"rpc-example\.org\. \d+ ACTIVE\n")
        self.assertIn("www.rpc-example.org. A 192.0.2.80\n", said)

    def test_amqp(self):
        caller = Caller(lab.fleet.rabbitmq.url, tenant="demo", admin=False)
        self.addCleanup(caller.close)
        caller.create_domain(domain={"name": "amqp.example."})
        self.assertRegex(self.run_example("example_amqp.py"), r"amqp\.example\. \d+ \w+\n")


class Methods(unittest.TestCase):

    maxDiff = None

    def test_callers(self):
        """The document says what the table of test_tenancy.py says."""
        for topic, rows in lab.topics.items():
            for method in rows.methods:
                if method.is_fleet:
                    continue
                outcomes = ROWS[topic][method.name]
                only = outcomes.owners == "Forbidden" and method.name != "get_status"
                self.assertEqual("administrators" == method.callers, only, method.place)
                self.assertEqual("all callers" == method.callers,
                                 outcomes.strangers == "done", method.place)

    def test_examples(self):
        """All are done, or refused by the state of things; answers have the fields that they
        should have."""
        callers = {topic: Caller(lab.fleet.rabbitmq.url, tenant="demo", topic=topic)
                   for topic in lab.topics}
        ids = {}
        for method in lab.methods():
            arguments = {key: ids.get(key, value) if isinstance(value, str) else value
                         for key, value in method.example.items()}
            with self.subTest(method=method.place):
                self.call(callers[method.topic], method, arguments, ids)
        for caller in callers.values():
            caller.close()

    def call(self, caller, method, arguments, ids):
        try:
            answer = getattr(caller, method.name)(**arguments)
        except om.RemoteError as error:
            self.assertEqual(error.exc_type, REFUSED.get(method.name), error.value)
            return
        self.remember(method, answer, ids)
        wrong = list(self.differences(answer, method))
        self.assertEqual(wrong, [], answer)

    @staticmethod
    def remember(method, answer, ids):
        """The ids that later examples name."""
        if method.name in ("create_recordset", "begin_import", "create_blacklist",
                           "create_share", "create_transfer"):
            ids[method.name.partition("_")[2]] = answer["id"]
        if method.name == "ownership_release":
            ids["order"] = answer["order"]

    def differences(self, answer, method):
        parts = printer.parts_of(method.answer)
        if parts is None:
            yield from self.unfit(answer, method.answer, EXTRA.get(method.name, set()))
            return
        if answer.keys() != parts.keys():
            yield f"{answer.keys()} are not {parts.keys()}"
        for key, kind in parts.items():
            yield from self.unfit(answer.get(key), kind)

    def unfit(self, value, kind, extra=frozenset()):
        """What of the value is not of the kind, "list of [domain]" for example."""
        kinds = kind.replace("true or false", "boolean").split(" or ")
        if value is None and "null" in kinds:
            return
        match = re.fullmatch(r"(list of )?\[([\w ]+)\]", kinds[0])
        if not match:
            word = kinds[0].split()[0]
            if not isinstance(value, WORDS[word]) or word == "time" and not TIME.fullmatch(value):
                yield f"{value!r} is no {kind}"
        elif match[1] and not isinstance(value, list):
            yield f"{value!r} is no list"
        else:
            for one in value if match[1] else [value]:
                yield from self.unfit_object(one, match[2], extra)

    def unfit_object(self, value, name, extra):
        fields = lab.objects[name]
        if value.keys() - extra != fields.keys():
            yield f"[{name}] differs in {(value.keys() - extra) ^ fields.keys()}"
        for key in fields.keys() & value.keys():
            yield from (f"{name}.{key}: {words}" for words in self.unfit(value[key], fields[key]))


if __name__ == "__main__":
    unittest.main()

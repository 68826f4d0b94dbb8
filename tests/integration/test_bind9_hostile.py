"""What a statistics channel that is not BIND's, or broken, can do to the driver: fail, in time."""

import json
import os
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))

from scripted import ANSWER_MAX, NO_ANSWERS, Scripted, reply            # noqa: E402

DRIVER = Path(os.environ.get("BUILD", ROOT / "build")) / "drivers/backend_driver"

NO_OBJECT = "^remote: .*invalid answer: an object must begin with {"
NO_END = "^remote: .*an object must end with }"
NO_LIST = r"^remote: .*a list must begin with \["
NO_JSON = "^remote: .*(is not JSON|must contain|must end)"


def zone(name="x.example", **changes):
    return {"name": name, "class": "IN", "type": "secondary", "serial": 7} | changes


def channel(zones, view="_default"):
    """What BIND would say of these zones, as text."""
    others = {"_bind": {"zones": [zone("id.server", **{"class": "CH", "type": "builtin"})]}}
    views = {view: {} if zones is None else {"zones": zones}} | others
    return json.dumps({"json-stats-version": "1.7", "a\"}]": ["{", {"views": 7}], "views": views})


def one(**changes):
    return reply(channel([zone(**changes)]))


# what comes, and the words for it
ANSWERS = {
    **NO_ANSWERS,
    "HTML": (reply("<h1>hello</h1>"), NO_OBJECT),
    "an empty answer": (reply(""), NO_OBJECT),
    "null": (reply("null"), NO_OBJECT),
    "a list": (reply("[]"), NO_OBJECT),
    "an empty object": (reply("{}"), 'the answer does not contain "views"'),
    "no text for a key": (reply("{7: 8}"), NO_JSON),
    "no colon": (reply('{"views" {}}'), NO_JSON),
    "no comma": (reply('{"a": {} "views": {}}'), NO_END),
    "no end": (reply('{"a": 7'), NO_END),
    "a key without an end": (reply('{"views'), NO_JSON),
    "a backslash at the end": (reply('{"views\\'), NO_JSON),
    "views that are none": (reply('{"views": 7}'), NO_OBJECT),
    "views as a list": (reply('{"views": ["_default"]}'), NO_OBJECT),
    "another view": (reply(channel([zone()], view="inside")),
                     'the answer does not contain "_default"'),
    "a view that is none": (reply('{"views": {"_default": "x"}}'), NO_OBJECT),
    "zones that are none": (reply(channel(7)), NO_LIST),
    "zones as an object": (reply(channel(zone())), NO_LIST),
    "a zone that is none": (reply(channel(["x.example"])), NO_JSON),
    "a wrong zone at the end": (reply(channel([zone(), 7])), NO_JSON),
    "zones without an end": (reply(channel([zone()]).split("]")[0]
                                   + channel([zone()]).split("]")[1]), NO_END),
    "a deep tree": (reply('{"views": ' + '{"_default": ' * 7000), '"zones"|cut off|must end'),
    "a deep row": (reply('{"views": {"_default": {"zones": [{"a": ' + "[" * 50000), "levels"),
    "no name": (reply(channel([{"class": "IN", "type": "secondary"}])), "name is missing"),
    "a number for a name": (one(name=7), "name: must be a string"),
    "a name that is none": (one(name=".."), "^remote: .*invalid answer: name"),
    "an endless name": (one(name="x" * 5000), "^remote: .*name"),
    "a list for a type": (one(type=[]), "type: must be a string"),
    "a number for a class": (one(**{"class": 1}), "class: must be a string"),
    "status 500": (reply(channel([zone()]), "500 Oops"), r"^remote: .*status 500$"),
    "status 404": (reply("", "404 None"), "^remote: .*404: check stats_url"),
    "elsewhere": (reply("", "302 Found", "Location: http://127.0.0.1:1/"), "status 302"),
}

# what comes, and the list that it is
LISTS = {
    "no zones": (channel([]), []),
    "no list of zones": (channel(None), []),
    "secondaries alone": (channel([zone("a.example"), zone("b.example", type="primary"),
                                   zone("c.example", type="slave"), zone("."),
                                   zone("d.example", **{"class": "CH"})]),
                          ["a.example.", "c.example.", "."]),
    "brackets in texts": (channel([zone("a.example", x='"}],\\'), zone("B.example")]),
                          ["a.example.", "b.example."]),
    "no blanks": (channel([zone()]).replace(" ", ""), ["x.example."]),
    "many blanks": (channel([zone()]).replace(" ", " \r\n\t "), ["x.example."]),
    "escapes": (channel([zone("0/25.example")]).replace("/", "\\/"), ["0/25.example."]),
}


class Bind9HostileTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def list(self, url):
        config = self.folder / "zonefleet.cfg"
        config.touch(0o600)
        config.write_text('backends: { bind9: { servers: ( { id = "ns1"; host = "127.0.0.1";'
                          f' stats_url = "{url}"; answer_max = "{ANSWER_MAX}"; timeout = 2; }} );'
                          ' }; };')
        done = subprocess.run([DRIVER, "bind9", config, "ns1", "127.0.0.1:5999", "list"],
                              capture_output=True, text=True, timeout=30)
        return done.returncode, done.stdout + done.stderr

    def test_answers(self):
        for what, (answer, want) in ANSWERS.items():
            with self.subTest(what), Scripted(answer) as server:
                started = time.monotonic()
                code, said = self.list(server.url)
                self.assertEqual(code, 1, said)
                self.assertRegex(said, want)
                self.assertLess(time.monotonic() - started, 4)
                self.assertEqual(len(server.requests), 1)
                self.assertTrue(server.requests[0].startswith("GET /json/v1/zones HTTP/1.1\r\n"))

    def test_lists(self):
        for what, (answer, want) in LISTS.items():
            with self.subTest(what), Scripted(reply(answer)) as server:
                code, said = self.list(server.url)
                self.assertEqual((code, said.split()), (0, want))

    def test_a_url_that_is_none(self):
        for url in "ftp://127.0.0.1", "127.0.0.1:8053", "http://u:p@127.0.0.1", "http://a/?b":
            with self.subTest(url=url):
                code, said = self.list(url)
                self.assertEqual(code, 1)
                self.assertIn("stats_url: must be a URL such as", said)


if __name__ == "__main__":
    unittest.main()

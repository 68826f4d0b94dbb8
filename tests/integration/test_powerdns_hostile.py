"""What a server that is not PowerDNS, or broken, can do to the driver: fail, in time."""

import os
import ssl
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "deploy"))
sys.path.insert(0, str(ROOT / "tests" / "support"))

from lab.process import program, run                                    # noqa: E402
from scripted import ANSWER_MAX, NO_ANSWERS, Scripted, reply            # noqa: E402

DRIVER = Path(os.environ.get("BUILD", ROOT / "build")) / "drivers/backend_driver"
KEY = "the-api-key"
ZONE = '{"name": "x.example.", "account": "zonefleet", "kind": "Slave"}'


def zone(name='"x.example."', account='"zonefleet"'):
    return f'{{"name": {name}, "account": {account}}}'


NO_JSON = "^remote: .*is not JSON"
NO_LIST = r"^remote: .*a list must begin with \["
NO_END = "^remote: .*a list must end with ]"
NO_TEXT = "^remote: .*name: must be a string"
DEEP = "^remote: .*levels"

# answer: what a deletion makes of it, and what a list (None: the same)
ANSWERS = {
    **{what: (*row, None) for what, row in NO_ANSWERS.items()},
    "HTML": (reply("<h1>hello</h1>"), NO_JSON, NO_LIST),
    "an empty answer": (reply(""), NO_JSON, NO_LIST),
    "null": (reply("null"), NO_JSON, NO_LIST),
    "texts": (reply('["x.example."]'), "^remote: .*must be a JSON object", NO_JSON),
    "no end": (reply("[" + ZONE), NO_JSON, NO_END),
    "a row without an end": (reply('[{"name": "'), NO_JSON, NO_JSON),
    "no commas": (reply(f"[{ZONE} {ZONE}]"), NO_JSON, NO_END),
    "a deep tree": (reply("[" * 50000), DEEP, DEEP),
    "a deep row": (reply('[{"a": ' + "[" * 50000), DEEP, DEEP),
    "a number for a name": (reply(zone(name="7")), NO_TEXT, NO_LIST),
    "a name that is none": (reply(zone(name='".."')), "^remote: .*name", NO_LIST),
    "no name": (reply('{"account": "zonefleet"}'), "^remote: .*name is missing", NO_LIST),
    "another zone": (reply(zone(name='"y.example."')),
                     "^remote: .*the answer does not describe the zone x.example", NO_LIST),
    "a wrong account": (reply(zone(account="[]")), "^remote: .*account: must be", NO_LIST),
    "no account": (reply('{"name": "x.example."}'), "^conflict: .*of another program", NO_LIST),
    "a wrong row": (reply(f"[{zone(name='7')}]"), "^remote: .*must be a JSON object",
                    NO_TEXT),
    "status 500": (reply('{"error": "no\\u001b[2J disk"}', "500 Oops"),
                   r"^remote: .*status 500: no\?\[2J disk", None),
    "status 503": (reply("busy", "503 Busy"), "^unreachable: .*503: the server gives no reason",
                   None),
    "our key": (reply(f'{{"error": "no key is {KEY}"}}', "422 No"),
                "^invalid: .*status 422: the answer is not shown, because it contains api_key",
                None),
}


class PowerDnsHostileTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_driver(self, url, operation, env=None, **changes):
        own = {"url": url, "api_key": KEY, "answer_max": ANSWER_MAX, "timeout": 2}
        own |= changes
        rows = "".join(f' {key} = "{value}";' for key, value in own.items())
        config = self.folder / "zonefleet.cfg"
        config.touch(0o600)
        config.write_text('backends: { powerdns: { servers: ( { id = "ns1";'
                          f' host = "127.0.0.1";{rows} }} ); }}; }};')
        done = subprocess.run([DRIVER, "powerdns", config, "ns1", "127.0.0.1:5999",
                               operation, "x.example."], capture_output=True, text=True,
                              timeout=30, env=os.environ | (env or {}))
        return done.returncode, done.stdout + done.stderr

    def test_answers(self):
        for what, (answer, delete, as_list) in ANSWERS.items():
            for operation, want in ("delete", delete), ("list", as_list or delete):
                with self.subTest(what, operation=operation), Scripted(answer) as server:
                    started = time.monotonic()
                    code, said = self.run_driver(server.url, operation)
                    self.assertEqual(code, 1, said)
                    self.assertRegex(said, want)
                    self.assertNotIn(KEY, said)
                    self.assertLess(time.monotonic() - started, 4)
                    self.assertEqual(len(server.requests), 1)
                    self.assertTrue(server.requests[0].startswith("GET /api/v1/servers/"))
                    self.assertIn(f"X-API-Key: {KEY}", server.requests[0])

    def test_settings_that_make_no_sense(self):
        no_url = "must be a URL such as"
        for changes, words in (({"url": "ftp://127.0.0.1"}, no_url),
                               ({"url": "file:///etc/passwd"}, no_url),
                               ({"url": "127.0.0.1:8081"}, no_url),
                               ({"url": "http://user:word@127.0.0.1"}, no_url),
                               ({"url": "http://127.0.0.1/?a=b"}, no_url),
                               ({"url": "http://127.0.0.1/#a"}, no_url),
                               ({"url": "http://127.0.0.1 /"}, no_url),
                               ({"api_key": r"a\r\nX-Other: b"}, "printable ASCII"),
                               ({"server_id": "../.."}, "may contain only letters"),
                               ({"account": "a b"}, "may contain only letters")):
            with self.subTest(changes=changes):
                code, said = self.run_driver(operation="list",
                                             **{"url": "http://127.0.0.1:1"} | changes)
                self.assertEqual(code, 1)
                self.assertIn(words, said)
                self.assertNotIn("word@", said)

    def test_it_is_not_sent_elsewhere(self):
        with Scripted(reply("[]")) as elsewhere:
            away = reply("[]", "302 Found", f"Location: {elsewhere.url}/api/v1/servers")
            with Scripted(away) as server:
                code, said = self.run_driver(server.url, "list")
            self.assertEqual(code, 1)
            self.assertRegex(said, "^remote: .*status 302")
            self.assertEqual(elsewhere.requests, [])

    def test_a_proxy_of_the_environment_is_not_asked(self):
        with Scripted(reply("[]")) as proxy, Scripted(reply("[]")) as server:
            proxies = dict.fromkeys(("http_proxy", "all_proxy", "ALL_PROXY"), proxy.url)
            self.assertEqual(self.run_driver(server.url, "list", env=proxies), (0, ""))
            self.assertEqual(proxy.requests, [])
            self.assertEqual(len(server.requests), 1)

    def test_a_path_before_the_api(self):
        with Scripted(reply("[]")) as server:
            done = self.run_driver(f"{server.url}/ns1//", "list", server_id="a.b-c")
            self.assertEqual(done, (0, ""))
            self.assertEqual(server.requests[0].split("\r\n")[0],
                             "GET /ns1/api/v1/servers/a.b-c/zones?dnssec=false HTTP/1.1")

    def certificate(self, name):
        key, certificate = self.folder / f"{name}.key", self.folder / f"{name}.pem"
        run([program("openssl"), "req", "-x509", "-newkey", "ec", "-pkeyopt",
             "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=ns1",
             "-addext", f"subjectAltName={name}", "-keyout", key, "-out", certificate])
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        return context, certificate

    def test_certificates_are_verified(self):
        here, trusted = self.certificate("IP:127.0.0.1")
        elsewhere, other = self.certificate("IP:127.0.0.2")
        for what, context, ca_file in (("of nobody we know", here, None),
                                       ("of another authority", here, other),
                                       ("of another name", elsewhere, other)):
            with self.subTest(what), Scripted(reply("[]"), context) as server:
                changes = {"ca_file": ca_file} if ca_file else {}
                code, said = self.run_driver(server.url, "list", **changes)
                self.assertEqual(code, 1)
                self.assertRegex(said, "^unreachable: .*(certificate|name)")
                self.assertEqual(server.requests, [])
        with Scripted(reply("[]"), here) as server:
            done = self.run_driver(server.url, "list", ca_file=trusted)
            self.assertEqual(done, (0, ""))
            self.assertEqual(len(server.requests), 1)


if __name__ == "__main__":
    unittest.main()

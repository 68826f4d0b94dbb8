"""Zones of a primary that is not ours: what is wanted comes, and nothing else is touched."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from ownership_lab import Lab       # noqa: E402

OURS = '"heritage=external-dns,external-dns/owner=us,external-dns/resource=test/1"'


class Story(unittest.TestCase):

    lab = None

    @classmethod
    def setUpClass(cls):
        cls.lab = Lab().__enter__()
        cls.addClassCleanup(lambda: cls.lab.__exit__(None, None, None))

    def tearDown(self):
        self.lab.apply({})
        self.lab.nsupdate("".join(f"update delete {owner}.example.org. {rtype}\n"
                                  for owner, rtype in self.lab.data()))

    def wait_data(self, wanted, seconds=20):
        self.lab.wait_for(lambda: self.lab.data() == wanted, seconds, f"the zone has {wanted}")


class Basics(Story):

    def test_records_come_change_and_go_with_their_marks(self):
        self.lab.apply({"www/A": ["192.0.2.1", "192.0.2.2"], "*/CNAME": ["www.example.org."]})
        self.wait_data({("www", "A"): ["192.0.2.1", "192.0.2.2"],
                        ("*", "CNAME"): ["www.example.org."]})
        self.assertEqual(self.lab.marks(), {"_own-a.www": [OURS],
                                            "_own-cname._wildcard": [OURS]})
        self.lab.apply({"www/A": ["192.0.2.2", "192.0.2.3"]})
        self.wait_data({("www", "A"): ["192.0.2.2", "192.0.2.3"]})
        self.assertEqual(self.lab.marks(), {"_own-a.www": [OURS]})
        self.lab.apply({})
        self.wait_data({})
        self.assertEqual(self.lab.marks(), {})


if __name__ == "__main__":
    unittest.main(verbosity=2)

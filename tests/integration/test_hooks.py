"""The check of commit messages, deploy/hooks/commit-msg."""

import subprocess
import tempfile
import unittest
from pathlib import Path

HOOK = Path(__file__).resolve().parents[2] / "deploy" / "hooks" / "commit-msg"
LONG = "central: " + "x" * 64
CASES = {
    "central: take one change": "",
    "ports, routes: take one change\n\nWhy it is needed.": "",
    "# a comment\ncentral: take one change": "",
    'Revert "central: take one change"': "",
    LONG[:72]: "",
    LONG: "not 73",
    "take one change": "area: do one thing",
    "Central: take one change": "area: do one thing",
    "central:take one change": "area: do one thing",
    "central: take one; take another": "of each change",
    "central: take one change.": "full stop",
    "central: take one change\nWhy it is needed.": "second line",
    "": "area: do one thing",
}


class CommitMessages(unittest.TestCase):
    def test_each(self):
        for message, words in CASES.items():
            with tempfile.NamedTemporaryFile("w") as file:
                file.write(message + "\n")
                file.flush()
                done = subprocess.run([HOOK, file.name], capture_output=True, text=True,
                                      timeout=20)
            self.assertEqual(done.returncode, 1 if words else 0, message)
            self.assertIn(words, done.stderr, message)


if __name__ == "__main__":
    unittest.main()

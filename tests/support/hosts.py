"""A hosts file of one worker's own: names that it finds, and that change while it runs."""

from pathlib import Path

import story                                # first: it knows where lab is # noqa: F401
from lab.process import program

# the file is bound over /etc/hosts, for this process and its children alone
SEES = 'mount --bind "$0" /etc/hosts && exec "$@"'


def _propagation():
    """In a chroot the root is no mount, so how mounts spread cannot be changed there."""
    mounts = [line.split()[4] for line in Path("/proc/self/mountinfo").read_text().splitlines()]
    return () if "/" in mounts else ("--propagation", "unchanged")


class Hosts:

    def __init__(self, folder):
        self.file = folder / "hosts"
        self.put("localhost", "127.0.0.1")

    def put(self, name, *addresses):
        self.names({name: addresses})

    def names(self, addresses):
        """All that is there; written in place, for what is bound is the file itself."""
        self.file.write_text("".join(f"{address} {name}\n" for name in addresses
                                     for address in addresses[name]))

    def seen_by(self, worker):
        """From its next start on. Returns what undoes it."""
        command = worker.command
        worker.command = lambda: [program("unshare"), "--mount", *_propagation(), program("sh"),
                                  "-c", SEES, self.file, *command()]

        def undo():
            del worker.command
        return undo

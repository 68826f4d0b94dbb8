"""A network namespace of one's own, in which packets may be lost."""

import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "deploy"))
from lab.process import PATH                # noqa: E402

OUTSIDE = "ZONEFLEET_OUTSIDE"   # the network namespace that the program was started in

# its user is root in there, whoever it is outside
NAMESPACE = ("unshare", "--map-root-user", "--net", "--",
             "sh", "-c", 'ip link set lo up && exec "$@"', "sh")


def _namespace():
    return os.readlink("/proc/self/ns/net")


def is_inside():
    return os.environ.get(OUTSIDE, _namespace()) != _namespace()


def _can_run(commands):
    tried = subprocess.run([*NAMESPACE, "nft", "-f", "-"], input=commands, text=True,
                           env={"PATH": PATH}, capture_output=True)
    return tried.returncode == 0


def enter(commands):
    """Starts the program again in one, if one can be had in which nft takes COMMANDS."""
    if not is_inside() and _can_run(commands):
        os.execvpe(NAMESPACE[0], [*NAMESPACE, sys.executable, *sys.argv],
                   os.environ | {"PATH": PATH, OUTSIDE: _namespace()})

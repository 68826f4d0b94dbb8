"""Programs that have few file descriptors for a while."""

import contextlib
import os
import resource

NONE = 3                # a limit by which nothing can be opened, whatever is closed


def descriptors(pid):
    return [int(name) for name in os.listdir(f"/proc/{pid}/fd")]


@contextlib.contextmanager
def limited(pids, spare=None):
    """Each process can open SPARE more; with None it can open nothing, whatever it closes."""
    before = {pid: resource.prlimit(pid, resource.RLIMIT_NOFILE) for pid in pids}
    for pid, (_, hard) in before.items():
        limit = NONE if spare is None else max(descriptors(pid)) + 1 + spare
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (limit, hard))
    try:
        yield
    finally:
        for pid, limits in before.items():
            resource.prlimit(pid, resource.RLIMIT_NOFILE, limits)

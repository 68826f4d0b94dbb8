"""The lines of the log about changes: `KIND changed: method=... KIND=NAME ...`."""

import re
import shlex

LINE = re.compile(r" (\w+) changed: (method=.*)")


def changes(workers, name):
    """The keys of each line about the object of that name, in the order of each log."""
    found = []
    for worker in workers:
        for kind, words in LINE.findall(worker.log.read_text(errors="replace")):
            keys = dict(word.split("=", 1) for word in shlex.split(words))
            if keys.get(kind) == name:
                found.append(keys)
    return found

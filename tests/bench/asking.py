"""What a bench asks of a fleet while it measures it."""

import time

import dns.message
import dns.query

import story                                # first: it knows where lab is # noqa: F401
from lab.process import HOST, LabError

ANSWER_SECONDS = 30
IDLE_SECONDS = 5
QUIET_SECONDS = 0.4         # twice the longest gap that minidns keeps between two NOTIFYs


def wait_answer(port, name, *addresses):
    """Asks until these are the answer; the time then."""
    deadline = time.monotonic() + ANSWER_SECONDS
    while time.monotonic() < deadline:
        answer = dns.query.udp(dns.message.make_query(name, "A"), HOST, port=port, timeout=2)
        if {str(record) for rrset in answer.answer for record in rrset} == set(addresses):
            return time.monotonic()
    raise LabError(f"{name} is not {', '.join(addresses)}")


def change_quiet(changes, *acts, pause=QUIET_SECONDS):
    """By turns, after a pause each; for each of ACTS a list of what it returned."""
    rows = []
    for change in changes:
        for act in acts:
            time.sleep(pause)
            rows.append(act(change))
    return [rows[i::len(acts)] for i in range(len(acts))]


def _statements(fleet):
    return int(fleet.mariadb.sql("SHOW GLOBAL STATUS LIKE 'Questions'")[0][1])


def statements_of(fleet, act):
    """Those of ACT in all programs, less those of as long a time without it."""
    before, began = _statements(fleet), time.monotonic()
    act()
    middle, seconds = _statements(fleet), time.monotonic() - began
    time.sleep(IDLE_SECONDS)
    return middle - before - (_statements(fleet) - middle) / IDLE_SECONDS * seconds

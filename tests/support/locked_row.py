"""What a row that another transaction has locked costs the calls about other rows.

    costs_nothing(fleet.mariadb, "SELECT 1 FROM ports WHERE id = '1' FOR UPDATE",
                  call, others, workers)

CALL wants the locked row; OTHERS do not. Each of OTHERS ends soon, and no loop of WORKERS is late.
"""

import re
import time
from concurrent.futures import ThreadPoolExecutor, wait

from holding import holding

HOLD_SECONDS = 3.5
SOON_SECONDS = 1.5      # of a call; one that waits for the row takes HOLD_SECONDS
LATE_SECONDS = 0.5
TRIES = 3               # a machine that is busy otherwise may make a call slow


def late(worker):
    """How often its loop has been later than LATE_SECONDS."""
    page = worker.page("/metrics")[1]
    buckets = {float(le): int(count) for le, count in
               re.findall(r'loop_late_seconds_bucket\{le="([\d.]+)"\} (\d+)', page)}
    total = int(re.search(r"loop_late_seconds_count (\d+)", page)[1])
    return total - buckets[min(le for le in buckets if le >= LATE_SECONDS)]


def locked(workers):
    """How many statements of these have found a row locked."""
    return sum(int(re.search(r"database_locked_total (\d+)", worker.page("/metrics")[1])[1])
               for worker in workers)


def longest(others, until):
    """The seconds of the longest of these calls, in turn until then."""
    longest = 0
    while time.monotonic() < until:
        for other in others:
            start = time.monotonic()
            other()
            longest = max(longest, time.monotonic() - start)
    return longest


def cost(database, row, call, others, workers):
    """(longest time of one of OTHERS, how often a loop was late).

    CALL must not end before the row is free, and must succeed then.
    """
    before = sum(map(late, workers))
    with ThreadPoolExecutor(2) as pool:
        with holding(database, row):
            waits = pool.submit(call)
            beside = pool.submit(longest, others, time.monotonic() + HOLD_SECONDS)
            assert not wait([waits], HOLD_SECONDS).done, f"it did not want the row: {waits}"
        waits.result(30)
        return beside.result(30), sum(map(late, workers)) - before


def costs_nothing(*arguments):
    costs = []
    for _ in range(TRIES):
        costs.append(cost(*arguments))
        if costs[-1][0] < SOON_SECONDS and not costs[-1][1]:
            return
    raise AssertionError(f"(longest call, times that a loop was late): {costs}")

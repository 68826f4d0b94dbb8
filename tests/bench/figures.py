"""What the benches print, and what a figure means nothing without."""

import operator
import os
import platform
import subprocess
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
TICK = os.sysconf("SC_CLK_TCK")
MEETS = {"<": operator.lt, "<=": operator.le, ">": operator.ge, ">=": operator.ge}


def begin(*targets):
    """Builds all programs and what else a bench starts, and says what the machine is.

    TARGETS are programs below the folder of the build: "bench/load".
    """
    folder = os.environ.get("BUILD", "build")
    subprocess.run(["make", "-s", "-j2", f"BUILD={folder}", "all",
                    *(f"{folder}/{target}" for target in targets)], cwd=REPOSITORY, check=True)
    print(machine(), flush=True)


class Figures:
    """A row each: what was measured, in which unit, against which peer or target."""

    def __init__(self):
        self.rows = []

    def add(self, what, value, unit, target=None, peer=None):
        """TARGET is ("<", 50) or (">", 300); PEER is (name, its value).

        With both, the target is for the ratio, and is judged as it is printed.
        """
        row = {"what": what, "value": value, "unit": unit}
        if peer:
            row["peer"], row["peer_value"] = peer
            row["ratio"] = value / peer[1]
        if target:
            row["target"] = f"{target[0]} {target[1]}"
            judged = round(row["ratio"], 2) if peer else value
            row["met"] = MEETS[target[0]](judged, target[1])
        self.rows.append(row)
        print(self._line(row), flush=True)

    @staticmethod
    def _line(row):
        line = f"{row['what']:48} {row['value']:10.1f} {row['unit']:12}"
        if "peer" in row:
            line += f" {row['ratio']:.2f} x {row['peer']} ({row['peer_value']:.0f})"
        if "target" in row:
            line += f" target {row['target']}{'' if row['met'] else ', MISSED'}"
        return line.rstrip()


def percentile(values, percent):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, len(ordered) * percent // 100)]


def machine():
    cpu = next((line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo")
                if line.startswith("model name")), platform.processor())
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return (f"{len(os.sched_getaffinity(0))} cores of {cpu}, {memory:.0f} GiB, "
            f"Linux {platform.release()}, load {os.getloadavg()[0]:.1f} before the start")


def _processes(leader):
    """(pid, fields of proc(5)'s stat behind the name) of all processes of a session."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue        # it has ended meanwhile
        if int(fields[3]) == leader:
            yield int(stat.parent.name), fields


def cpu_seconds(leader):
    """User and system time of all processes of a session."""
    ticks = sum(int(fields[11]) + int(fields[12]) for _, fields in _processes(leader))
    return ticks / TICK


def resident_mib(leader):
    """Of all processes of a session; a page that some share counts once (Pss of proc(5))."""
    kib = 0
    for pid, _ in _processes(leader):
        rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
        kib += next(int(line.split()[1]) for line in rollup.splitlines()
                    if line.startswith("Pss:"))
    return kib / 1024

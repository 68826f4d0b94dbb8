"""Loses datagrams between minidns and the name servers; what goes by TCP is left alone.

Where a network namespace of one's own can be had, the kernel drops what comes in (Filter);
elsewhere datagrams go through relays (relays.py). Both begin without loss, tell one kind of
datagram from another, and count what they drop.

ZONEFLEET_LOSS=relays takes the relays anyway: what they drop follows from a seed.
"""

import json
import os

import namespace
from story import SETTINGS, StoryFleet      # first: it knows where lab is
from lab.cuts import nft
from lab.process import program, run
from relays import RelayedFleet

# Bits behind a UDP header of 64 (RFC 1035, 4.1.1): QR is 80, the opcode 81 to 84.
# In the input: a sender whose datagram is dropped on its way out is told so.
RULES = """\
table inet loss {{
	counter notify {{ }}
	counter poll {{ }}
	counter question {{ }}
	counter answer {{ }}
	chain lost {{
		@th,80,8 & 0x80 == 0x80 counter name answer drop
		@th,80,8 & 0x78 == 0x20 counter name notify drop
		udp dport {{ {minidns} }} counter name question drop
		counter name poll drop
	}}
	chain input {{
		type filter hook input priority 0;
	}}
}}
"""
LOSE = "add rule inet loss input meta l4proto udp numgen random mod 100 >= {kept} goto lost"
LOSE_NONE = "flush chain inet loss input"


def enter_namespace():
    """Starts the program again in a namespace of its own, if one can be had that filters."""
    if os.environ.get("ZONEFLEET_LOSS") != "relays":
        namespace.enter(RULES.format(minidns=1) + LOSE.format(kept=1))


def start_lossy_fleet(folder, seed):
    """(fleet, loss); the program has called enter_namespace()."""
    if namespace.is_inside():
        fleet = StoryFleet.start(folder, settings=SETTINGS)
        return fleet, Filter(fleet.minidns_ports)
    fleet = RelayedFleet.start(folder, settings=SETTINGS, seed=seed)
    return fleet, fleet.relays


class Filter:
    """The kernel's: a datagram is sent, and by chance nobody gets it."""

    def __init__(self, minidns_ports):
        nft(RULES.format(minidns=", ".join(map(str, minidns_ports))))

    def begin(self, percent):
        nft(LOSE.format(kept=100 - percent))

    def end(self):
        nft(LOSE_NONE)

    def dropped(self):
        """{kind: datagrams} since the start."""
        listed = run([program("nft"), "-j", "list", "counters", "table", "inet", "loss"])
        counters = [entry["counter"] for entry in json.loads(listed)["nftables"]
                    if "counter" in entry]
        return {counter["name"]: counter["packets"] for counter in counters}

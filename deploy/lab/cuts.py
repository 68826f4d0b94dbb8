"""Cuts nodes of a cluster off from each other, and from their clients, by nftables.

What is cut is lost without a word, as by a cable that is pulled. A node is known by its
loopback address, from which it also talks to the others; a client, by the port it asks.
Needs the rights of root in its network namespace.

    cuts = Cuts()
    cuts.from_others("127.0.0.31", ["127.0.0.32", "127.0.0.33"])
    cuts.heal()
"""

from .process import LabError, program, run

TABLE = "inet zonefleet_cuts"
# In the input: a sender whose packet is dropped on its way out is told so.
MADE = f"""\
table {TABLE} {{
	chain input {{
		type filter hook input priority 0;
	}}
}}
"""
PEERS = f"""\
add rule {TABLE} input ip saddr {{node}} ip daddr {{{{ {{others}} }}}} drop
add rule {TABLE} input ip daddr {{node}} ip saddr {{{{ {{others}} }}}} drop
"""
CLIENTS = f"""\
add rule {TABLE} input ip daddr {{node}} tcp dport {{port}} drop
add rule {TABLE} input ip saddr {{node}} tcp sport {{port}} drop
"""


def nft(commands):
    return run([program("nft"), "-f", "-"], text=commands)


class Cuts:

    def __init__(self):
        nft(MADE)

    def from_others(self, host, others):
        """The node at HOST is a minority of its own; its clients reach it."""
        nft(PEERS.format(node=host, others=", ".join(others)))

    def from_clients(self, node):
        """The node is a member as before, and nobody reaches it."""
        nft(CLIENTS.format(node=node.host, port=node.port))

    def heal(self):
        nft(f"flush table {TABLE}")

    @staticmethod
    def remove():
        """Nothing of this is left; nor was there anything, maybe."""
        try:
            nft(f"delete table {TABLE}")
        except LabError:
            pass

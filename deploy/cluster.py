"""The command behind deploy/cluster: a fleet over three brokers and three databases."""

import os
import re
import time

from lab.cluster_fleet import ClusterFleet
from lab.console import Console, headline, say, show_command, show_output, shown
from lab.cuts import Cuts
from lab.fleet import REPOSITORY
from lab.galera import GaleraCluster, view
from lab.process import LabError, tail
from lab.rabbitmq import logs_in
from lab.rabbitmq_cluster import RabbitCluster

# the tests have one of their own
CONSOLE = Console("cluster")
SAMPLES = REPOSITORY / "deploy" / "examples" / "cluster"
ZONE, NAME, ADDRESS = "cluster.example", "www", "192.0.2.80"
LOG_LINES = 12

SETTINGS = {
    "log": {"level": "info"},
    "central": {"ns_records": ["ns1.zonefleet.example."],
                "hostmaster": "hostmaster@zonefleet.example"},
    "client": {"tenant": "demo", "admin": True},
}

# name: its cluster, its address
NODES = {f"{name}{number}": (cluster, address)
         for name, cluster in (("rabbitmq", RabbitCluster), ("galera", GaleraCluster))
         for number, address in enumerate(cluster.addresses, 1)}


# ---- the fleet, telling what it does ----

class ToldFleet(ClusterFleet):

    def _start_servers(self):
        headline("Three RabbitMQ, three Galera and BIND, on loopback addresses of their own")
        super()._start_servers()
        for server in [*self.rabbitmq.nodes, *self.mariadb.nodes, self.bind]:
            say(f"  {server.name:9} {server.host} port {server.port}   pid {server.pid}   "
                f"log: {shown(server.log)}")
        CONSOLE.write_client(self.config)

    def _start_workers(self):
        headline("Three of each worker; each of a kind writes to another database first")
        super()._start_workers()
        for worker in self.workers:
            say(f"  {worker.name:9} pid {worker.pid}   "
                f"{worker.settings['database']['host']}   log: {shown(worker.log)}")


def show_settings():
    headline("The settings that make it so, each with what it is for")
    for name in "rabbitmq.conf", "galera.cnf", "zonefleet.cfg":
        say(f"  {shown(SAMPLES / name)}")
    say("  deploy/cluster.md: what happens when a node dies, hangs or is cut off")


def show_change(fleet):
    headline("A change on its way through both")
    client = shown(CONSOLE.client)
    for words in (["domain", "create", ZONE, "--wait"],
                  ["record", "add", ZONE, NAME, "A", ADDRESS, "--wait"]):
        show_command(client, *words)
        show_output(fleet.cli(*words, as_json=False))
    if not fleet.bind.query(f"{NAME}.{ZONE}", "A")[1]:
        raise LabError(f"BIND does not serve {NAME}.{ZONE}")


def how_to_go_on(fleet):
    bind, node = fleet.bind, fleet.mariadb.nodes[1]
    headline("All of it goes on running. Try:")
    client = shown(CONSOLE.client)
    say("  $ " + CONSOLE.command("status"))
    say("  $ " + CONSOLE.command(f"cut {node.name}"))
    show_command(client, "record", "add", ZONE, "meanwhile", "A", "192.0.2.81", "--wait")
    say("  $ " + CONSOLE.command("heal"))
    say("  $ " + CONSOLE.command(f"cut {fleet.rabbitmq.nodes[0].name}"))
    show_command("dig", f"@{bind.host}", "-p", str(bind.port), f"{NAME}.{ZONE}", "+short")
    say(f"\n  {node.name} hangs by `kill -STOP -- -{node.pid}`, is back by "
        f"`kill -CONT -- -{node.pid}`, and dies by `kill -9 -- -{node.pid}`.")
    say("  cut and heal want root, for they use nftables.")
    say(f"\n  settings: {shown(fleet.config)}   logs: {shown(CONSOLE.folder)}/**/log")
    say(f"  to stop it and delete its data:  {CONSOLE.command('stop')}")


# ---- what a user asks for ----

def start():
    CONSOLE.make_folder()
    begin = time.monotonic()
    fleet = ToldFleet.start(CONSOLE.folder, settings=SETTINGS, leave_running=True, central=3,
                            poolmgr=3, minidns=3, name_servers=("bind",))
    try:
        show_settings()
        show_change(fleet)
    except BaseException:
        try:
            for worker in fleet.workers:
                say(tail(worker.log, LOG_LINES))
        finally:
            fleet.kill()
        raise
    how_to_go_on(fleet)
    say(f"\ncluster: done in {time.monotonic() - begin:.0f} s")


def stop():
    if os.geteuid() == 0:
        Cuts.remove()
    CONSOLE.stop()


def status():
    CONSOLE.show_running()
    for name, (cluster, _) in NODES.items():
        say(f"  {name:9} {DESCRIBE[cluster](name)}")
    CONSOLE.show_status()


def describe_broker(name):
    hosts, vhost = re.search(r'"rabbit://(\S+)/(\w+)"',
                             (CONSOLE.folder / "zonefleet.cfg").read_text()).groups()
    user, password, host, port = re.split("[:@]", hosts.split(",")[int(name[-1]) - 1])
    serves = logs_in((host, int(port)), user, password, vhost)
    return "serves its clients" if serves else "serves nobody"


def describe_database(name):
    try:
        state, cluster, size = view(CONSOLE.folder / "mariadb" / name / "socket")
    except LabError:
        return "sees nothing, for it does not answer"
    return f"sees members: {size}, {cluster}; it is {state}"


DESCRIBE = {RabbitCluster: describe_broker, GaleraCluster: describe_database}


def cut(name):
    if name not in NODES:
        raise LabError(f"there is no node '{name}': use one of "
                       f"{', '.join(sorted(NODES))}")
    cluster, address = NODES[name]
    others = cluster.others(address)
    Cuts().from_others(address, others)
    say(f"cluster: {name} ({address}) exchanges no packets with {' and '.join(others)} "
        f"until you run {CONSOLE.command('heal')}")


def heal():
    Cuts.remove()
    say("cluster: nothing is cut off any more")


if __name__ == "__main__":
    CONSOLE.run({"start": start, "stop": stop, "status": status, "cut": cut, "heal": heal})

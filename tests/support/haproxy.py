"""A private HAProxy: one instance of a router.

A router has no address of 127.0.0.0/8, and this machine has no others to give. So the instance
of 10.101.0.1 listens at 127.101.0.1 (lab_address). Each of its backends answers with its own name
and that of the instance. An agent keeps hosts.map, which says which backend a host has.
"""

import socket

import story                                # first: it knows where lab is # noqa: F401
from lab.process import Server, program

CONFIG = """\
global
  maxconn 200
defaults
  mode http
  timeout connect 5s
  timeout client 10s
  timeout server 10s
frontend in
  bind {host}:{port}
  http-request set-var(txn.to) req.hdr(host),field(1,:),lower,map_str({map})
  http-request set-var(txn.to) req.hdr(host),field(1,:),lower,regsub('^[^.]*',''),map_str({map}) if !{{ var(txn.to) -m found }}
  http-request return status 404 content-type text/plain string none@{name} if !{{ var(txn.to) -m found }}
  use_backend %[var(txn.to)]
{backends}"""

BACKEND = """\
backend {backend}
  http-request return status 200 content-type text/plain string {backend}@{name}
"""


def lab_address(address):
    """Where the instance listens that has this IPv4 address at its router."""
    return "127." + address.partition(".")[2]


class HaProxy(Server):

    def __init__(self, folder, address, port, backends, **options):
        super().__init__(folder, **options)
        self.address, self.port = lab_address(address), port
        self.map = self.folder / "hosts.map"
        if not self.map.exists():
            self.map.touch()
        self.config = self.write("haproxy.cfg", CONFIG.format(
            host=self.address, port=port, map=self.map, name=self.folder.name,
            backends="".join(BACKEND.format(backend=backend, name=self.folder.name)
                             for backend in backends)))

    def command(self):
        return [program("haproxy"), "-W", "-db", "-f", self.config, "-p", self.folder / "pid"]

    def is_ready(self):
        with socket.socket() as link:
            return link.connect_ex((self.address, self.port)) == 0

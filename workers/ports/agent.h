/*
 * agent -- `zonefleet-ports --agent`: keeps the files of dnsmasq for the networks of its
 * machine, each in a directory of its name, as Neutron's DHCP agent lays them out.
 *
 *	DIRECTORY/UUID/addn_hosts	names, for --addn-hosts
 *	DIRECTORY/UUID/host		leases, for --dhcp-hostsfile
 *	DIRECTORY/UUID/pid		dnsmasq's own, from --pid-file
 *
 * Whoever runs dnsmasq makes the directory, and takes it away. The library does the rest:
 * a mirror (agent/mirror.h) a network asks hosts_export, a signaller tells dnsmasq.
 */
#pragma once

#include "runtime/worker.h"

extern const struct worker ports_agent;

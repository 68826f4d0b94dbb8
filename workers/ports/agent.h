/*
 * agent -- `zonefleet-ports --agent`: keeps the files of dnsmasq for the networks of its
 * machine. Each network has a directory, as Neutron's DHCP agent lays them out.
 *
 *	DIRECTORY/UUID/addn_hosts	names, for --addn-hosts
 *	DIRECTORY/UUID/host		leases, for --dhcp-hostsfile
 *	DIRECTORY/UUID/pid		dnsmasq's own, from --pid-file
 *
 * The program that runs dnsmasq creates and removes the directory. The library does the
 * rest: a mirror per network (agent/mirror.h) reads hosts_export, a signaller reloads
 * dnsmasq.
 */
#pragma once

#include "runtime/worker.h"

extern const struct worker ports_agent;

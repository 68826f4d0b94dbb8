/*
 * agent -- `zonefleet-ports --agent`: keeps the files of dnsmasq for the networks of its
 * machine. Each network has a directory, as with Neutron's DHCP agent.
 *
 *	DIRECTORY/UUID/addn_hosts	names, for --addn-hosts
 *	DIRECTORY/UUID/host		leases, for --dhcp-hostsfile
 *	DIRECTORY/UUID/pid		written by dnsmasq (--pid-file)
 *
 * The program that runs dnsmasq creates and removes the directory. The library does the
 * rest: a mirror for each network (agent/mirror.h) reads hosts_export, and a signaller
 * reloads dnsmasq.
 */
#pragma once

#include "runtime/worker.h"

extern const struct worker ports_agent;

/*
 * agent -- `zonefleet-ports --agent` writes and updates the files of dnsmasq for the
 * networks of its machine. Each network has a directory with the layout of Neutron's DHCP
 * agent.
 *
 *	DIRECTORY/UUID/addn_hosts	names, for --addn-hosts
 *	DIRECTORY/UUID/host		leases, for --dhcp-hostsfile
 *	DIRECTORY/UUID/pid		written by dnsmasq (--pid-file)
 *
 * The program that runs dnsmasq creates and deletes the directory. For each network, a
 * mirror (agent/mirror.h) calls hosts_export, and a signaller (agent/signaller.h) tells
 * dnsmasq to read the files again.
 */
#pragma once

#include "runtime/worker.h"

extern const struct worker ports_agent;

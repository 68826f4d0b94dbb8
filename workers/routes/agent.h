/*
 * agent -- `zonefleet-routes --agent` keeps the host map of a HAProxy that is an instance
 * of a router, and reloads HAProxy.
 *
 *	DIRECTORY/hosts.map	a line "HOST BACKEND", for a wildcard ".PARENT BACKEND"
 *	DIRECTORY/pid		HAProxy's master (-p); its command line contains DIRECTORY
 *
 * A frontend looks up the host, then the part after its first label:
 *
 *	http-request set-var(txn.to) req.hdr(host),field(1,:),lower,map_str(hosts.map)
 *	http-request set-var(txn.to) req.hdr(host),field(1,:),lower,regsub('^[^.]*',''),
 *	    map_str(hosts.map) if !{ var(txn.to) -m found }
 *	use_backend %[var(txn.to)]
 *
 * While HAProxy runs, the agent reports its address as alive, if an address is set.
 * Without these reports the router's domain loses the address.
 */
#pragma once

#include "runtime/worker.h"

extern const struct worker routes_agent;

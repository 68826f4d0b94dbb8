/*
 * agent -- `zonefleet-routes --agent`: keeps the host map of the HAProxy that is an
 * instance of a router, and has it read a new one.
 *
 *	DIRECTORY/hosts.map	ours: "host backend" a line; of a wildcard ".parent backend"
 *	DIRECTORY/pid		of HAProxy's master, from -p; its command line names DIRECTORY
 *
 * A frontend looks for the host first, and then for what is behind its first label:
 *
 *	http-request set-var(txn.to) req.hdr(host),field(1,:),lower,map_str(hosts.map)
 *	http-request set-var(txn.to) req.hdr(host),field(1,:),lower,regsub('^[^.]*',''),
 *	    map_str(hosts.map) if !{ var(txn.to) -m found }
 *	use_backend %[var(txn.to)]
 *
 * While HAProxy runs, the agent says that its address lives, if it has one: an address
 * of which nothing is said any more is taken out of the router's domain.
 */
#pragma once

#include "runtime/worker.h"

extern const struct worker routes_agent;

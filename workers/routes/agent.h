/*
 * agent -- `zonefleet-routes --agent` writes the host map of a HAProxy that is an
 * instance of a router, and reloads HAProxy after a change.
 *
 *	DIRECTORY/hosts.map	a line "HOST BACKEND", for a wildcard ".PARENT BACKEND"
 *	DIRECTORY/pid		HAProxy's master pid (-p). Its arguments contain DIRECTORY
 *
 * A frontend looks up the host. If the map does not contain the host, the frontend looks
 * up the part of the host after the first label:
 *
 *	http-request set-var(txn.to) req.hdr(host),field(1,:),lower,map_str(hosts.map)
 *	http-request set-var(txn.to) req.hdr(host),field(1,:),lower,regsub('^[^.]*',''),
 *	    map_str(hosts.map) if !{ var(txn.to) -m found }
 *	use_backend %[var(txn.to)]
 */
#pragma once

#include "runtime/worker.h"

/*
 * If the option `address` is set, the agent reports this address as alive while HAProxy
 * runs. If the reports stop, zonefleet-routes removes the address from the router's
 * domain.
 */
extern const struct worker routes_agent;

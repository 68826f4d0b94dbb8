/*
 * connect -- for --check --connect: looks for the pool and for the TSIG key of each name
 * server in the database, and tries the control channel and the DNS port of each server.
 */
#pragma once

struct connect_check;
struct poolmgr;

/*
 * Adds one check of the pool, and up to three checks for each server: the control
 * channel, the DNS port and the TSIG key. A server that reads the catalog zone has no
 * control channel, so such a server gets no check of the control channel. A server
 * without tsig_key gets no check of the key. POOLMGR must contain its settings. The pool
 * manager must not have started.
 */
void connect_add(struct poolmgr *poolmgr, struct connect_check *check);

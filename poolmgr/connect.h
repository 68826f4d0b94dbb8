/*
 * connect -- tries the control channel and the DNS port of each name server, for --check
 * --connect. It also looks for the TSIG key of the server in the database.
 */
#pragma once

struct connect_check;
struct servers;

/*
 * Adds up to three checks for each server: the control channel, the DNS port and the TSIG
 * key. A server that reads the catalog zone has no control channel, so such a server gets
 * no check of the control channel. A server without tsig_key gets no check of the key.
 */
void connect_add_servers(struct servers *servers, struct connect_check *check);

/*
 * connect -- tries the control channel and the DNS port of each name server, and looks for
 * its TSIG key in the database, for --check --connect.
 */
#pragma once

struct connect_check;
struct servers;

/*
 * Adds the probes of each server. A backend without a control channel has no probe for
 * it, and a server without tsig_key none for the key.
 */
void connect_add_servers(struct servers *servers, struct connect_check *check);

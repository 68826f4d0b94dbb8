/*
 * connect -- tries the control channel and the DNS port of each name server, for --check
 * --connect.
 */
#pragma once

struct connect_check;
struct servers;

/* Adds two probes for each server, or one if its backend has no control channel. */
void connect_add_servers(const struct servers *servers, struct connect_check *check);

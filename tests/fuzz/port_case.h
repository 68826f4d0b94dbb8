/*
 * port_case -- what the targets about ports have in common: a port that was written by
 * somebody who does not write JSON by chance, and what must be true of one that was
 * taken, of its records, and of the lines that dnsmasq reads about it.
 *
 *	vm01\texample.org\tfa:16:3e:00:00:01\ttenant-1\t192.0.2.1\t2001:db8::1
 *
 * is a line: its dns_name, dns_domain, mac_address, project_id and addresses.
 */
#pragma once

#include <jansson.h>

#include "core/port_name.h"
#include "store.h"

/* To the end of a line: a number, and what is behind it if anything is, as "cidr". */
json_t *case_number_and_cidr(json_t *subnet, const char **at);
/* The port of a line, the NUMBERth, as requests and notifications have them. */
json_t *case_port(const char **at, int number);

/* PORT, as it was taken, and all that is published of it in networks of some domains. */
void case_check_port(const struct port_row *port, enum label_rules rules,
                     struct arena *arena);
void case_check_network(const struct network_row *network);
void case_check_subnet(const struct subnet_row *subnet);

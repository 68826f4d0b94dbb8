/*
 * port_case -- functions for the fuzz targets that test ports. case_port() reads a port
 * from a line of fields, because a fuzzer rarely writes valid JSON. case_check_port()
 * checks an accepted port, its records, and the lines about the port that dnsmasq reads.
 *
 *	vm01\texample.org\tfa:16:3e:00:00:01\ttenant-1\t192.0.2.1\t2001:db8::1
 *
 * The fields of a line are dns_name, dns_domain, mac_address, project_id and addresses.
 */
#pragma once

#include <jansson.h>

#include "core/port_name.h"
#include "store.h"

/*
 * Reads a line with a number and an optional second field. Returns the number. Sets
 * "cidr" of SUBNET to the second field, if the line has this field.
 */
json_t *case_number_and_cidr(json_t *subnet, const char **at);
/*
 * Reads a line as a port in the form of requests and notifications. Makes the ids of the
 * port from NUMBER.
 */
json_t *case_port(const char **at, int number);

/* Checks an accepted port, its records, and its lines for dnsmasq. */
void case_check_port(const struct port_row *port, enum label_rules rules,
                     struct arena *arena);
void case_check_network(const struct network_row *network);
void case_check_subnet(const struct subnet_row *subnet);

/*
 * codec -- decodes and encodes networks, subnets and ports in messages. Decoders check
 * each field, but do not compare fields with rows of the database. Each decoder has a
 * table of fields. Ids are UUIDs, with or without hyphens.
 */
#pragma once

#include <jansson.h>

#include "model/json.h"
#include "ports.h"
#include "store.h"

enum {
	ADDRESSES_MAX = 30,		/* maximum number of addresses of one port */
	/* default and maximum number of objects in one answer */
	LIST_DEFAULT = 100, LIST_MAX = 1000,
};

extern const struct json_field codec_network_fields[], codec_network_shown[];
extern const struct json_field codec_subnet_fields[], codec_subnet_shown[];
extern const struct json_field codec_port_fields[], codec_address_fields[];
extern const struct json_field codec_port_shown[], codec_assignment_shown[];

/*
 * Decodes the name of a domain. *domain is empty if TEXT is "", and also after an error.
 * ERR_INVALID: TEXT is not a valid name, central does not accept the name
 * (domain_check_name()), or generated names of ports in the domain would be too long.
 * *why begins with FIELD.
 */
enum err codec_domain(const char *text, const char *field, struct name *domain,
                      struct why *why);
/*
 * Like codec_domain(), but for the field "dns_domain", and *domain is a text. *domain is
 * NULL if there is no domain.
 */
enum err codec_domain_text(const char *text, struct arena *arena, const char **domain,
                           struct why *why);
/*
 * Decodes the argument "network". The default tenant of the network is the tenant of the
 * caller.
 */
enum err codec_network(const struct request *req, struct network_row *network,
                       struct why *why);

/*
 * Decodes the argument "subnet". If the argument contains no id, the function uses the id
 * of the message, and sets *has_id to false.
 */
enum err codec_subnet(struct request *req, struct subnet_row *subnet, bool *has_id);

/* The fields of a port in a message. */
struct port_values {
	bool has_dns_name, has_dns_domain, has_mac, has_addresses;
	struct port_row port;
};
/*
 * Decodes the argument "port" of a new port. If the argument contains no id, the function
 * uses the id of the message.
 */
enum err codec_port(struct request *req, struct port_values *values);
/* Decodes the argument "values" of an existing port. */
enum err codec_values(struct request *req, struct port_values *values);
/* Copies the fields that are missing in VALUES from PORT. */
void codec_merge(struct port_values *values, const struct port_row *port);

bool codec_has_address(const struct port_row *port, const struct address *address);

/* Decodes the arguments network, marker and limit. */
enum err codec_filter(struct request *req, struct port_filter *filter);
/* Decodes the arguments network, marker, limit and dns_fqdn. */
enum err codec_port_filter(struct request *req, struct port_filter *filter);

json_t *codec_encode_network(const struct network_row *network);
/* SUBNET must also contain project_id and domain_text of its network. */
json_t *codec_encode_subnet(const struct subnet_row *subnet);
/* Encodes a port. Its dns_assignment (seed 002) contains only published addresses. */
json_t *codec_encode_port(const struct port_row *port,
                          const struct port_network *network);

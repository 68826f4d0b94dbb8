/*
 * codec -- networks, subnets and ports as messages have them: each field is checked here,
 * but for what only their network's row can tell. The fields are rows beside their
 * decoders. Ids are UUIDs, with hyphens or without.
 */
#pragma once

#include <jansson.h>

#include "model/json.h"
#include "ports.h"
#include "store.h"

enum {
	ADDRESSES_MAX = 30,		/* of a port */
	LIST_DEFAULT = 100, LIST_MAX = 1000,	/* of one answer */
};

extern const struct json_field codec_network_fields[], codec_network_shown[];
extern const struct json_field codec_subnet_fields[], codec_subnet_shown[];
extern const struct json_field codec_port_fields[], codec_address_fields[];
extern const struct json_field codec_port_shown[], codec_assignment_shown[];

/*
 * Decodes a domain that central can have (domain_check_name()), and that leaves room for
 * the generated name of each address. DOMAIN is empty for "" and after an error. The text
 * in why begins with FIELD. ERR_INVALID.
 */
enum err codec_domain(const char *text, const char *field, struct name *domain,
                      struct why *why);
/* The same for the field "dns_domain", as text for its row; NULL: no domain. */
enum err codec_domain_text(const char *text, struct arena *arena, const char **domain,
                           struct why *why);
/* The argument "network"; its project is CALLER's unless it says another. */
enum err codec_network(const struct request *req, struct network_row *network,
                       struct why *why);

/*
 * The argument "subnet". Without an id the message's is its id, and *has_id false: it may
 * be one that is there already.
 */
enum err codec_subnet(struct request *req, struct subnet_row *subnet, bool *has_id);

/* What a message says of a port; what it does not say is as it was, or nothing. */
struct port_values {
	bool has_dns_name, has_dns_domain, has_mac, has_addresses;
	struct port_row port;
};
/* The argument "port", of a new one. Without an id the message's is the port's. */
enum err codec_port(struct request *req, struct port_values *values);
/* The argument "values", of one that is there. */
enum err codec_values(struct request *req, struct port_values *values);
/* What is not said in WISH is PORT's. */
void codec_merge(struct port_values *values, const struct port_row *port);

bool codec_has_address(const struct port_row *port, const struct address *address);

/* The arguments network, marker and limit. */
enum err codec_filter(struct request *req, struct port_filter *filter);
/* The same, and dns_fqdn. */
enum err codec_port_filter(struct request *req, struct port_filter *filter);

json_t *codec_encode_network(const struct network_row *network);
/* Of one that was read with its network. */
json_t *codec_encode_subnet(const struct subnet_row *subnet);
/*
 * dns_name, dns_fqdn, dns_assignment: seed 002. What is not published is assigned no
 * name.
 */
json_t *codec_encode_port(const struct port_row *port,
                          const struct port_network *network);

#include "codec.h"

#include <stdio.h>
#include <string.h>

#include "core/mac.h"
#include "model/domain.h"
#include "model/identity.h"
#include "model/json.h"

/* Puts FIELD before the reason: "port.network_id is missing". */
static enum err codec_within(const char *field, enum err err, struct why *why)
{
	return err ? fail(why, err, "%s.%s", field, why->text) : OK;
}

/* ---- networks ---- */

const struct json_field codec_network_fields[] = {
	{ "id", "id", "the id of the network, for example its id in Neutron" },
	{ "project_id", "string", "the tenant of a new network. The tenant of a network "
	  "never changes",
	  "the caller's tenant", 255 },
	{ "dns_domain", "name", "the domain for the names of the ports; empty: the ports "
	  "have no names",
	  "empty", PORT_NAME_MAX },
	{ 0 }
};

const struct json_field codec_network_shown[] = {
	{ "id", "id", "the id of the network" },
	{ "project_id", "string", "the tenant of the network" },
	{ "dns_domain", "name", "the domain for the names of the ports; empty: the ports "
	  "have no names" },
	{ 0 }
};

/* Accepts capital letters and a missing final dot, as Neutron does. */
enum err codec_domain(const char *text, const char *field, struct name *domain,
                      struct why *why)
{
	char full[PORT_NAME_MAX + 2];
	size_t len = strlen(text);
	bool is_full = len && text[len - 1] == '.';
	struct name got = { 0 };
	enum err err;

	*domain = got;
	if (!len)
		return OK;
	if (len - is_full > PORT_NAME_MAX - HOST_LABEL_MAX - 1)
		return fail(why, ERR_INVALID, "%s: must have at most %d octets, not %zu, "
		            "because generated names end with this domain", field,
		            PORT_NAME_MAX - HOST_LABEL_MAX - 1, len - is_full);
	snprintf(full, sizeof(full), "%s%s", text, is_full ? "" : ".");
	err = name_parse_owner(full, field, &got, why);
	if (!err && !name_labels(&got))
		err = fail(why, ERR_INVALID, "%s: must contain at least one label, not "
		           "only '.'", field);
	if (!err)
		err = domain_check_name(&got, field, why);
	if (!err)
		*domain = got;
	return err;
}

enum err codec_domain_text(const char *text, struct arena *arena, const char **domain,
                           struct why *why)
{
	char formatted[NAME_MAX_TEXT + 1];
	struct name name;
	enum err err = codec_domain(text, "dns_domain", &name, why);

	*domain = NULL;
	if (err || !name.len)
		return err;
	name_format(&name, formatted);
	*domain = arena_strdup(arena, formatted);
	return OK;
}

static enum err codec_get_project(const struct request *req, const json_t *json,
                                  const char **project, struct why *why)
{
	*project = req->context.tenant;
	return identity_get(json, "project_id", project, why);
}

static enum err codec_decode_network(const struct request *req, const json_t *json,
                                     struct network_row *network, struct why *why)
{
	const char *domain = "";
	enum err err = json_get_id(json, "id", JSON_REQUIRED, network->id, why);

	if (!err)
		err = codec_get_project(req, json, &network->project_id, why);
	if (!err)
		err = json_get_text(json, "dns_domain", 0, PORT_NAME_MAX, &domain, why);
	if (!err)
		err = codec_domain(domain, "dns_domain", &network->domain, why);
	if (!err && network->domain.len) {
		char text[NAME_MAX_TEXT + 1];

		name_format(&network->domain, text);
		network->domain_text = arena_strdup(req->arena, text);
	}
	return err;
}

enum err codec_network(const struct request *req, struct network_row *network,
                       struct why *why)
{
	const json_t *json;
	enum err err = json_get_object(req->args, "network", JSON_REQUIRED, &json, why);

	*network = (struct network_row){ .domain_text = "" };
	if (!err)
		err = json_only_fields(json, codec_network_fields, "network", why);
	return err ? err : codec_within("network", codec_decode_network(req, json,
	                                                                network, why),
	                                why);
}

json_t *codec_encode_network(const struct network_row *network)
{
	return json_pack("{s:s, s:s, s:s}", "id", network->id, "project_id",
	                 network->project_id, "dns_domain", network->domain_text);
}

/* ---- subnets ---- */

const struct json_field codec_subnet_fields[] = {
	{ "id", "id", "the id of the subnet",
	  "the id of the existing subnet with this `cidr`, otherwise a new id" },
	{ "network_id", "id", "the network of the subnet" },
	{ "cidr", "string", "the prefix of the subnet, `10.1.0.0/16` or `fd00::/64`" },
	{ "dns_publish_fixed_ip", "true or false", "false: zonefleet-ports does not "
	  "publish the addresses of the subnet",
	  "true" },
	{ 0 }
};

const struct json_field codec_subnet_shown[] = {
	{ "id", "id", "the id of the subnet" },
	{ "network_id", "id", "the network of the subnet" },
	{ "project_id", "string", "the tenant of the network" },
	{ "cidr", "string", "the prefix of the subnet" },
	{ "dns_domain", "name", "the domain of the network" },
	{ "dns_publish_fixed_ip", "true or false", "the value that `set_subnet` or "
	  "Neutron has set" },
	{ "published", "true or false", "true: zonefleet-ports publishes the addresses" },
	{ 0 }
};

static enum err codec_decode_subnet(const json_t *json, struct subnet_row *subnet,
                                    struct why *why)
{
	const char *cidr = "";
	enum err err = json_get_id(json, "id", 0, subnet->id, why);

	if (!err)
		err = json_get_id(json, "network_id", JSON_REQUIRED, subnet->network_id,
		                  why);
	if (!err)
		err = json_get_text(json, "cidr", JSON_REQUIRED, CIDR_TEXT, &cidr, why);
	if (!err)
		err = cidr_parse_strict(cidr, &subnet->cidr, why);
	return err ? err : json_get_bool(json, "dns_publish_fixed_ip", 0,
	                                 &subnet->is_flagged, why);
}

enum err codec_subnet(struct request *req, struct subnet_row *subnet, bool *has_id)
{
	const json_t *json;
	enum err err = json_get_object(req->args, "subnet", JSON_REQUIRED, &json,
	                               &req->why);

	*subnet = (struct subnet_row){ .is_flagged = true };
	snprintf(subnet->id, sizeof(subnet->id), "%s", req->unique_id);
	if (!err)
		err = json_only_fields(json, codec_subnet_fields, "subnet", &req->why);
	if (!err)
		err = codec_within("subnet", codec_decode_subnet(json, subnet, &req->why),
		                   &req->why);
	*has_id = !err && json_is_string(json_object_get(json, "id"));
	subnet->is_published = subnet->is_flagged;
	return err;
}

json_t *codec_encode_subnet(const struct subnet_row *subnet)
{
	char cidr[CIDR_TEXT];

	cidr_format(&subnet->cidr, cidr);
	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:b, s:b}", "id", subnet->id,
	                 "network_id", subnet->network_id, "project_id",
	                 subnet->project_id, "cidr", cidr, "dns_domain",
	                 subnet->domain_text, "dns_publish_fixed_ip", subnet->is_flagged,
	                 "published", subnet->is_published);
}

/* ---- ports in messages ---- */

const struct json_field codec_port_fields[] = {
	{ "id", "id", "the id of the port", "a new id", .is_fixed = true },
	{ "network_id", "id", "the network of the port", .is_fixed = true },
	{ "project_id", "string", "the tenant", "the caller's tenant", 255,
	  .is_fixed = true },
	{ "dns_name", "string", "the name in the domain, or a full name with a final "
	  "dot; empty: the port has only generated names", "empty", PORT_NAME_MAX },
	{ "dns_domain", "name", "the domain of the name, if this domain differs from "
	  "the domain of the network",
	  "the domain of the network", PORT_NAME_MAX },
	{ "mac_address", "string", "the MAC address of the port: six octets, for example "
	  "`fa:16:3e:00:00:07`", "none", 17 },
	{ "fixed_ips", "list of [port address]", "the addresses", "empty",
	  ADDRESSES_MAX },
	{ 0 }
};

const struct json_field codec_address_fields[] = {
	{ "ip_address", "string", "an IPv4 or IPv6 address" },
	{ 0 }
};

bool codec_has_address(const struct port_row *port, const struct address *address)
{
	for (size_t i = 0; i < port->count; i++)
		if (address_same_host(&port->addresses[i], address))
			return true;
	return false;
}

static enum err codec_decode_address(const json_t *json, struct port_row *port,
                                     struct why *why)
{
	const char *text;
	struct address *address = &port->addresses[port->count];
	enum err err = json_get_text(json, "ip_address", JSON_REQUIRED, ADDRESS_TEXT,
	                             &text, why);

	if (!err)
		err = address_parse_host("ip_address", text, address, why);
	if (err)
		return err;
	if (codec_has_address(port, address))
		return fail(why, ERR_INVALID,
		            "ip_address: %.64s is listed twice: list each address once",
		            text);
	port->count++;
	return OK;
}

static enum err codec_decode_addresses(struct request *req, const json_t *json,
                                       struct port_values *values)
{
	struct port_row *port = &values->port;
	const json_t *list = NULL;
	enum err err = json_get_array(json, "fixed_ips", 0, ADDRESSES_MAX, &list,
	                              &req->why);

	values->has_addresses = list != NULL;
	port->addresses = arena_alloc(req->arena, (json_array_size(list) + 1) *
	                                          sizeof(*port->addresses));
	for (size_t i = 0; !err && i < json_array_size(list); i++) {
		err = codec_decode_address(json_array_get(list, i), port, &req->why);
		err = codec_within("fixed_ips", err, &req->why);
	}
	return err;
}

/* null and "": no name. */
static enum err codec_decode_dns_name(struct request *req, const json_t *json,
                                      struct port_values *values)
{
	const json_t *given = json_object_get(json, "dns_name");
	const char *text = NULL;
	enum err err = json_get_text(json, "dns_name", 0, PORT_NAME_MAX, &text,
	                             &req->why);

	values->has_dns_name = given != NULL;
	for (const char *at = text; !err && at && *at; at++)
		if (*at <= ' ' || *at > '~')
			err = fail(&req->why, ERR_INVALID, "dns_name: must be printable "
			           "ASCII without blanks, not '%s'",
			           err_quote(text, (char[81]){ 0 }, 81));
	if (!err && text && *text) {
		char lower[PORT_NAME_MAX + 1];

		port_name_lower(text, lower);
		values->port.dns_name = arena_strdup(req->arena, lower);
	}
	return err;
}

/* null and "": the domain of the network. */
static enum err codec_decode_dns_domain(struct request *req, const json_t *json,
                                        struct port_values *values)
{
	const char *text = NULL;
	enum err err = json_get_text(json, "dns_domain", 0, PORT_NAME_MAX, &text,
	                             &req->why);

	values->has_dns_domain = json_object_get(json, "dns_domain") != NULL;
	if (!err && text)
		err = codec_domain_text(text, req->arena, &values->port.dns_domain,
		                        &req->why);
	return err;
}

static enum err codec_decode_mac(struct request *req, const json_t *json,
                                 struct port_values *values)
{
	const char *text = NULL;
	enum err err = json_get_text(json, "mac_address", 0, 17, &text, &req->why);

	values->has_mac = json_object_get(json, "mac_address") != NULL;
	if (!err && text && *text) {
		err = mac_check(text, &req->why);
		values->port.mac = text;
	}
	return err;
}

static enum err codec_decode_values(struct request *req, const json_t *json,
                                    struct port_values *values)
{
	enum err err = codec_decode_dns_name(req, json, values);

	if (!err)
		err = codec_decode_dns_domain(req, json, values);
	if (!err)
		err = codec_decode_mac(req, json, values);
	return err ? err : codec_decode_addresses(req, json, values);
}

static enum err codec_decode_port(struct request *req, const json_t *json,
                                  struct port_values *values)
{
	enum err err = json_get_id(json, "id", 0, values->port.id, &req->why);

	if (!err)
		err = json_get_id(json, "network_id", JSON_REQUIRED,
		                  values->port.network_id, &req->why);
	if (!err)
		err = codec_get_project(req, json, &values->port.project_id, &req->why);
	return err ? err : codec_decode_values(req, json, values);
}

enum err codec_port(struct request *req, struct port_values *values)
{
	const json_t *json;
	enum err err = json_get_object(req->args, "port", JSON_REQUIRED, &json,
	                               &req->why);

	*values = (struct port_values){ 0 };
	snprintf(values->port.id, sizeof(values->port.id), "%s", req->unique_id);
	if (!err)
		err = json_only_fields(json, codec_port_fields, "port", &req->why);
	return err ? err : codec_within("port", codec_decode_port(req, json, values),
	                                &req->why);
}

enum err codec_values(struct request *req, struct port_values *values)
{
	const json_t *json;
	enum err err = json_get_object(req->args, "values", JSON_REQUIRED, &json,
	                               &req->why);

	*values = (struct port_values){ 0 };
	if (!err)
		err = json_only_changes(json, codec_port_fields, "values", &req->why);
	return err ? err : codec_within("values", codec_decode_values(req, json, values),
	                                &req->why);
}

void codec_merge(struct port_values *values, const struct port_row *port)
{
	struct port_row *as = &values->port;

	memcpy(as->id, port->id, sizeof(as->id));
	memcpy(as->network_id, port->network_id, sizeof(as->network_id));
	as->project_id = port->project_id;
	as->revision = port->revision;
	as->is_fed = port->is_fed;
	as->is_floating = port->is_floating;
	if (!values->has_dns_name)
		as->dns_name = port->dns_name;
	if (!values->has_dns_domain)
		as->dns_domain = port->dns_domain;
	if (!values->has_mac)
		as->mac = port->mac;
	if (!values->has_addresses) {
		as->addresses = port->addresses;
		as->count = port->count;
	}
}

/* ---- lists ---- */

enum err codec_filter(struct request *req, struct port_filter *filter)
{
	const json_t *args = req->args;
	uint32_t limit = LIST_DEFAULT;
	char *id = arena_alloc(req->arena, ID_LEN + 1);
	char *marker = arena_alloc(req->arena, ID_LEN + 1);
	enum err err = json_get_id(args, "marker", 0, marker, &req->why);

	if (!err)
		err = json_get_id(args, "network", 0, id, &req->why);
	if (!err)
		err = json_get_u32(args, "limit", 0, LIST_MAX, &limit, &req->why);
	if (!err && !limit)
		err = fail(&req->why, ERR_INVALID, "limit: must be from 1 to %d, not 0",
		           LIST_MAX);
	filter->marker = marker;
	filter->network_id = *id ? id : NULL;
	filter->limit = (int)limit;
	return err;
}

enum err codec_port_filter(struct request *req, struct port_filter *filter)
{
	char formatted[NAME_MAX_TEXT + 1];
	const char *text = NULL;
	struct name name;
	enum err err = codec_filter(req, filter);

	if (!err)
		err = json_get_text(req->args, "dns_fqdn", 0, NAME_MAX_TEXT, &text,
		                    &req->why);
	if (err || !text)
		return err;
	err = name_parse_owner(text, "dns_fqdn", &name, &req->why);
	if (err)
		return err;
	name_format(&name, formatted);
	filter->dns_fqdn = arena_strdup(req->arena, formatted);
	return OK;
}

/* ---- ports in answers ---- */

const struct json_field codec_assignment_shown[] = {
	{ "ip_address", "string", "an address" },
	{ "hostname", "string", "the name of the port in the domain" },
	{ "fqdn", "name", "the full name of the port" },
	{ 0 }
};

const struct json_field codec_port_shown[] = {
	{ "id", "id", "the id of the port" },
	{ "network_id", "id", "the network of the port" },
	{ "project_id", "string", "the tenant of the port" },
	{ "dns_name", "string or null", "the desired name of the port" },
	{ "dns_fqdn", "name or null", "the full name of the port" },
	{ "dns_domain", "name or null", "the domain of the name, if this domain differs "
	  "from the domain of the network" },
	{ "mac_address", "string or null", "the MAC address of the port" },
	{ "fixed_ips", "list of [port address]", "the addresses of the port" },
	{ "dns_assignment", "list of [assignment]", "the names of the addresses" },
	{ "status", "string", "PENDING, ACTIVE or ERROR" },
	{ "reason", "string or null", "why the port is PENDING or in ERROR, or why it "
	  "does not have the desired name" },
	{ 0 }
};

/* The name of an address, as in Neutron's dns_assignment. */
static json_t *codec_encode_assignment(const struct port_row *port,
                                       const struct address *address,
                                       const struct name *domain)
{
	char ip[ADDRESS_TEXT], label[HOST_LABEL_MAX + 1], fqdn[NAME_MAX_TEXT + 1] = "";
	struct name name;
	struct why why;

	address_format(address, ip);
	host_label(address, label);
	if (port->dns_fqdn)
		return json_pack("{s:s, s:s, s:s}", "ip_address", ip, "hostname",
		                 port->dns_name, "fqdn", port->dns_fqdn);
	if (!host_fqdn(address, domain, &name, &why))
		name_format(&name, fqdn);
	return json_pack("{s:s, s:s, s:s}", "ip_address", ip, "hostname", label, "fqdn",
	                 fqdn);
}

json_t *codec_encode_port(const struct port_row *port,
                          const struct port_network *network)
{
	json_t *addresses = json_array(), *assignment = json_array();

	for (size_t i = 0; i < port->count; i++) {
		char text[ADDRESS_TEXT];

		address_format(&port->addresses[i], text);
		json_array_append_new(addresses, json_pack("{s:s}", "ip_address", text));
		if ((network->domain.len || port->dns_fqdn) &&
		    subnets_publish(&network->subnets, &port->addresses[i]))
			json_array_append_new(assignment, codec_encode_assignment(port,
			                      &port->addresses[i], &network->domain));
	}
	return json_pack("{s:s, s:s, s:s, s:s?, s:s?, s:s?, s:s?, s:o, s:o, s:s, s:s?}",
		"id", port->id, "network_id", port->network_id,
		"project_id", port->project_id, "dns_name", port->dns_name,
		"dns_fqdn", port->dns_fqdn, "dns_domain", port->dns_domain,
		"mac_address", port->mac,
		"fixed_ips", addresses, "dns_assignment", assignment,
		"status", port->status, "reason", port->reason);
}

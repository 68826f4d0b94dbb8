#include "neutron.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "codec.h"
#include "core/mac.h"
#include "model/identity.h"
#include "model/json.h"

/* ---- types of events ---- */

static const struct event_kind {
	const char *object, *many;
	enum neutron_kind kind;
} kinds[] = {
	{ "port",    "ports",    NEUTRON_PORT    },
	{ "network", "networks", NEUTRON_NETWORK },
	{ "subnet",  "subnets",  NEUTRON_SUBNET  },
	{ "floatingip", "floatingips", NEUTRON_FLOATING },
};

/* "port.create.end" */
static const struct event_kind *neutron_find_kind(const char *type, const char **verb)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		size_t len = strlen(kinds[i].object);

		if (!strncmp(type, kinds[i].object, len) && type[len] == '.') {
			*verb = type + len + 1;
			return &kinds[i];
		}
	}
	return NULL;
}

static enum err neutron_event_gone(const struct event_kind *kind, const json_t *payload,
                                   struct neutron_event *event, struct why *why)
{
	char key[16];

	event->is_gone = true;
	snprintf(key, sizeof(key), "%s_id", kind->object);
	return json_get_id(payload, key, JSON_REQUIRED, event->id, why);
}

enum err neutron_event(const char *type, const json_t *payload,
                       struct neutron_event *event, struct why *why)
{
	const char *verb;
	const struct event_kind *kind = neutron_find_kind(type, &verb);

	*event = (struct neutron_event){ .kind = NEUTRON_OTHER };
	if (!kind || (strcmp(verb, "create.end") && strcmp(verb, "update.end") &&
	              strcmp(verb, "delete.end")))
		return OK;
	event->kind = kind->kind;
	if (!strcmp(verb, "delete.end"))
		return neutron_event_gone(kind, payload, event, why);
	event->one = json_object_get(payload, kind->object);
	event->many = json_object_get(payload, kind->many);
	if (!json_is_object(event->one) && !json_is_array(event->many))
		return fail(why, ERR_INVALID, "%s: the payload must contain %s or %s",
		            type, kind->object, kind->many);
	return OK;
}

size_t neutron_count(const struct neutron_event *event)
{
	return json_is_object(event->one) ? 1 : json_array_size(event->many);
}

const json_t *neutron_item(const struct neutron_event *event, size_t i)
{
	return json_is_object(event->one) ? event->one
	                                  : json_array_get(event->many, i);
}

/* ---- objects ---- */

static const char *neutron_text(const json_t *json, const char *key)
{
	const char *text = json_string_value(json_object_get(json, key));

	return text ? text : "";
}

/*
 * The tenant; "" if it is missing. An invalid tenant (model/identity.h) becomes a blank,
 * which matches no caller, and central refuses to publish for it.
 */
static const char *neutron_project(const json_t *json)
{
	const char *project = neutron_text(json, "project_id");
	struct why why;

	if (!*project)
		project = neutron_text(json, "tenant_id");
	return *project && identity_check(project, "project_id", &why) ? " " : project;
}

uint64_t neutron_revision(const json_t *json)
{
	const json_t *revision = json_object_get(json, "revision_number");
	json_int_t number = json_integer_value(revision);

	return json_is_integer(revision) && number >= 0 && number < INT64_MAX
	       ? (uint64_t)number + 1 : 0;
}

static bool neutron_is_printable(const char *text)
{
	for (; *text; text++)
		if (*text <= ' ' || *text > '~')
			return false;
	return true;
}

/* NULL: no name, or an invalid one. */
static const char *neutron_dns_name(const json_t *json, struct arena *arena)
{
	const char *text = neutron_text(json, "dns_name");
	char lower[PORT_NAME_MAX + 1];

	if (!*text || strlen(text) > PORT_NAME_MAX || !neutron_is_printable(text))
		return NULL;
	port_name_lower(text, lower);
	return arena_strdup(arena, lower);
}

static const char *neutron_mac(const json_t *json, struct arena *arena)
{
	const char *text = neutron_text(json, "mac_address");
	char lower[PORT_NAME_MAX + 1];
	struct why why;

	port_name_lower(text, lower);
	return mac_check(lower, &why) ? NULL : arena_strdup(arena, lower);
}

/* NULL: no domain of its own, or an invalid one. */
static const char *neutron_domain(const json_t *json, const char *id, struct arena *arena)
{
	const char *domain;
	struct why why;

	if (codec_domain_text(neutron_text(json, "dns_domain"), arena, &domain, &why))
		log_warn("domain of the port ignored: port=%s reason=\"%s\"",
		         id, why.text);
	return domain;
}

/*
 * False for a link-local address, which ports between routers have in Neutron: it must
 * not be in DNS.
 */
static bool neutron_address(const json_t *json, const char *key, struct address *address)
{
	return address_parse(neutron_text(json, key), 0, address) && !address->scope &&
	       !address_unfit(address);
}

static void neutron_addresses(const json_t *json, struct arena *arena,
                              struct port_row *port)
{
	const json_t *list = json_object_get(json, "fixed_ips");

	port->addresses = arena_alloc(arena, ADDRESSES_MAX * sizeof(*port->addresses));
	for (size_t i = 0; i < json_array_size(list); i++) {
		struct address address;

		if (!neutron_address(json_array_get(list, i), "ip_address", &address) ||
		    codec_has_address(port, &address))
			continue;
		if (port->count == ADDRESSES_MAX) {
			log_warn("some addresses of the port ignored: port=%s "
			         "reason=\"the port has more than %d addresses\"",
			         port->id, ADDRESSES_MAX);
			return;
		}
		port->addresses[port->count++] = address;
	}
}

/* The fields that ports and floating IPs share. */
static enum err neutron_common(const json_t *json, const char *network_key,
                               struct arena *arena, struct port_row *port,
                               struct why *why)
{
	enum err err;

	*port = (struct port_row){ .revision = neutron_revision(json), .is_fed = true };
	err = json_get_id(json, "id", JSON_REQUIRED, port->id, why);
	if (!err)
		err = json_get_id(json, network_key, JSON_REQUIRED, port->network_id,
		                  why);
	if (err)
		return err;
	port->project_id = arena_strdup(arena, neutron_project(json));
	port->dns_name = neutron_dns_name(json, arena);
	port->dns_domain = neutron_domain(json, port->id, arena);
	return OK;
}

enum err neutron_port(const json_t *json, struct arena *arena, struct port_row *port,
                      struct why *why)
{
	enum err err = neutron_common(json, "network_id", arena, port, why);

	if (err)
		return err;
	port->mac = neutron_mac(json, arena);
	neutron_addresses(json, arena, port);
	return OK;
}

/*
 * As in Neutron, a name without a domain does not count, because it would be in the
 * network's domain.
 */
enum err neutron_floating(const json_t *json, struct arena *arena, struct port_row *port,
                          struct why *why)
{
	enum err err = neutron_common(json, "floating_network_id", arena, port, why);
	struct address *address;

	if (err)
		return err;
	port->is_floating = true;
	if (!port->dns_domain)
		port->dns_name = NULL;
	address = port->addresses = arena_alloc(arena, sizeof(*address));
	port->count = neutron_address(json, "floating_ip_address", address);
	return OK;
}

bool neutron_is_of_floating(const json_t *json)
{
	return !strcmp(neutron_text(json, "device_owner"), "network:floatingip");
}

enum err neutron_network(const json_t *json, struct arena *arena,
                         struct network_row *network, struct why *why)
{
	char text[NAME_MAX_TEXT + 1] = "";
	struct why domain_why;
	enum err err;

	*network = (struct network_row){ .revision = neutron_revision(json),
	                                 .is_fed = true };
	err = json_get_id(json, "id", JSON_REQUIRED, network->id, why);
	if (err)
		return err;
	if (codec_domain(neutron_text(json, "dns_domain"), "dns_domain", &network->domain,
	                 &domain_why))
		log_warn("domain of the network ignored: network=%s reason=\"%s\"",
		         network->id, domain_why.text);
	if (network->domain.len)
		name_format(&network->domain, text);
	network->domain_text = arena_strdup(arena, text);
	network->project_id = arena_strdup(arena, neutron_project(json));
	return OK;
}

/* A Neutron without the extension sends no flag; then it is false. */
enum err neutron_subnet(const json_t *json, struct subnet_row *subnet, struct why *why)
{
	enum err err;

	*subnet = (struct subnet_row){ .revision = neutron_revision(json),
	                               .is_fed = true };
	err = json_get_id(json, "id", JSON_REQUIRED, subnet->id, why);
	if (!err)
		err = json_get_id(json, "network_id", JSON_REQUIRED, subnet->network_id,
		                  why);
	if (!err)
		err = cidr_parse(neutron_text(json, "cidr"), &subnet->cidr, why);
	subnet->is_flagged = json_is_true(json_object_get(json, "dns_publish_fixed_ip"));
	return err;
}

/*
 * What Neutron may say, or whoever writes to its exchange: notifications, and objects
 * that are pushed. It is refused in words, or what was taken is what our rows can have,
 * and all that is published of it are names below their zones and lines that dnsmasq can
 * read.
 *
 * The input is the body of a message as JSON; or, for those who do not write JSON by
 * chance, lines of which the first is the event's type, the second the network (its
 * domain, project and revision, and its subnet's cidr), and each other one a port:
 * port_case.h.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "codec.h"
#include "fuzz_request.h"
#include "ovo.h"
#include "port_case.h"
#include "runtime/envelope.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	log_level_set(LOG_LEVEL_ERROR);		/* what is left out is a warning */
	return 0;
}

/* ---- objects of any kind ---- */

static void check_revision(const json_t *json, uint64_t revision)
{
	const json_t *number = json_object_get(json, "revision_number");

	assert(revision <= INT64_MAX);
	assert(!revision || revision - 1 == (uint64_t)json_integer_value(number));
}

static void try_port(const json_t *json, struct arena *arena)
{
	struct port_row port;
	struct why why = { "" };

	if (neutron_port(json, arena, &port, &why)) {
		request_check_why(&why);
		return;
	}
	assert(port.is_fed && !port.is_floating);
	check_revision(json, port.revision);
	case_check_port(&port, LABELS_RFC1123, arena);
}

static void try_floating(const json_t *json, struct arena *arena)
{
	struct port_row port;
	struct why why = { "" };

	if (neutron_floating(json, arena, &port, &why)) {
		request_check_why(&why);
		return;
	}
	assert(port.is_fed && port.is_floating && port.count <= 1);
	assert(!port.dns_name || port.dns_domain);
	check_revision(json, port.revision);
	case_check_port(&port, LABELS_RFC1123, arena);
}

static void try_network(const json_t *json, struct arena *arena)
{
	struct network_row network;
	struct why why = { "" };

	if (neutron_network(json, arena, &network, &why)) {
		request_check_why(&why);
		return;
	}
	assert(network.is_fed && !network.is_default);
	check_revision(json, network.revision);
	case_check_network(&network);
}

static void try_subnet(const json_t *json, struct arena *arena)
{
	struct subnet_row subnet;
	struct why why = { "" };

	(void)arena;
	if (neutron_subnet(json, &subnet, &why)) {
		request_check_why(&why);
		return;
	}
	assert(subnet.is_fed && !subnet.is_published);
	check_revision(json, subnet.revision);
	case_check_subnet(&subnet);
}

static void (*const kinds[])(const json_t *, struct arena *) = {
	[NEUTRON_PORT]     = try_port,
	[NEUTRON_NETWORK]  = try_network,
	[NEUTRON_SUBNET]   = try_subnet,
	[NEUTRON_FLOATING] = try_floating,
};

static void try(enum neutron_kind of, const json_t *json, struct arena *arena)
{
	neutron_is_of_floating(json);
	kinds[of](json, arena);
}

/* ---- messages: the same readers in the same order as feed.c ---- */

static void try_event(const struct envelope_notification *message, struct arena *arena)
{
	struct neutron_event event;
	struct why why = { "" };

	if (neutron_event(message->event_type, message->payload, &event, &why)) {
		request_check_why(&why);
		return;
	}
	if (event.kind == NEUTRON_OTHER)
		return;
	if (event.is_gone) {
		assert(strlen(event.id) == ID_LEN && id_valid(event.id));
		return;
	}
	for (size_t i = 0; i < neutron_count(&event); i++)
		try(event.kind, neutron_item(&event, i), arena);
}

static void try_object(const json_t *object, struct arena *arena)
{
	enum neutron_kind of = ovo_kind(object);
	json_t *plain;

	if (of == NEUTRON_OTHER)
		return;
	plain = ovo_plain(object);
	assert(!plain == !ovo_data(object));
	assert(neutron_revision(plain) == neutron_revision(ovo_data(object)));
	try(of, plain, arena);
	json_decref(plain);
}

static void try_push(const json_t *args, struct arena *arena)
{
	const json_t *list = json_object_get(args, "resource_list");

	for (size_t i = 0; i < json_array_size(list); i++)
		try_object(json_array_get(list, i), arena);
}

static void try_body(const uint8_t *body, size_t len)
{
	struct arena *arena = arena_new();
	struct envelope_notification event;
	struct envelope_request push;
	struct why why = { "" };

	if (envelope_notification_decode(body, len, REQUEST_BODY_MAX, &event, &why)) {
		request_check_why(&why);
	} else {
		try_event(&event, arena);
		envelope_notification_clear(&event);
	}
	if (envelope_request_decode(body, len, REQUEST_BODY_MAX, &push, &why)) {
		request_check_why(&why);
	} else {
		try_push(push.args, arena);
		envelope_request_clear(&push);
	}
	arena_free(&arena);
}

/* ---- lines ---- */

/* Steals DATA. */
static json_t *object_of(const char *name, json_t *data)
{
	return json_pack("{s:s, s:s, s:o}", "versioned_object.name", name,
	                 "versioned_object.version", "1.7",
	                 "versioned_object.data", data);
}

/* A port's names and addresses are objects of their own. */
static json_t *pushed_port(const json_t *port)
{
	json_t *data = json_copy((json_t *)port), *dns = json_object();
	json_t *list = json_array();
	const json_t *addresses = json_object_get(port, "fixed_ips");

	json_object_set(dns, "dns_name", json_object_get(port, "dns_name"));
	json_object_set(dns, "dns_domain", json_object_get(port, "dns_domain"));
	for (size_t i = 0; i < json_array_size(addresses); i++)
		json_array_append_new(list, object_of("IPAllocation",
			json_copy(json_array_get(addresses, i))));
	json_object_del(data, "dns_name");
	json_object_del(data, "dns_domain");
	json_object_set_new(data, "dns", object_of("PortDNS", dns));
	json_object_set_new(data, "fixed_ips", list);
	return object_of("Port", data);
}

#define NETWORK_ID "0123456789abcdef0123456789abcdef"

/* Whose subnet is *SUBNET. */
static json_t *network_line(const char **at, json_t **subnet)
{
	json_t *network = json_pack("{s:s}", "id", NETWORK_ID), *revision;

	*subnet = json_pack("{s:s, s:s, s:b}", "id", NETWORK_ID, "network_id", NETWORK_ID,
	                    "dns_publish_fixed_ip", true);
	request_set_field(network, "dns_domain", at);
	request_set_field(network, "tenant_id", at);
	revision = case_number_and_cidr(*subnet, at);
	json_object_set(*subnet, "revision_number", revision);
	json_object_set_new(network, "revision_number", revision);
	return network;
}

/* Its last address is that of a floating IP. */
static json_t *floating_of(const json_t *port)
{
	json_t *floating = json_copy((json_t *)port);
	const json_t *addresses = json_object_get(port, "fixed_ips");
	const json_t *last = json_array_get(addresses, json_array_size(addresses) - 1);

	json_object_set(floating, "floating_network_id",
	                json_object_get(port, "network_id"));
	json_object_set(floating, "floating_ip_address",
	                json_object_get(last, "ip_address"));
	return floating;
}

/* Both messages in one: whoever reads the one leaves the other out. */
static json_t *of_lines(const char *text)
{
	json_t *type = request_field(&text, "\n");
	json_t *subnet, *network = network_line(&text, &subnet);
	json_t *ports = json_array(), *floating = json_array(), *objects = json_array();

	json_array_append_new(objects, object_of("Network", json_incref(network)));
	json_array_append_new(objects, object_of("Subnet", json_incref(subnet)));
	for (int number = 1; *text; number++) {
		json_t *port = case_port(&text, number);

		json_object_set(port, "revision_number",
		                json_object_get(network, "revision_number"));
		json_array_append_new(objects, pushed_port(port));
		json_array_append_new(floating, floating_of(port));
		json_array_append_new(ports, port);
	}
	return json_pack("{s:o*, s:{s:o, s:o, s:o, s:o}, s:s, s:{s:s, s:o}}",
	                 "event_type", type, "payload", "network", network,
	                 "subnet", subnet, "ports", ports, "floatingips", floating,
	                 "method", "push", "args", "event_type", "updated",
	                 "resource_list", objects);
}

static void try_lines(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);
	json_t *message = of_lines(text);
	char *body = json_dumps(message, 0);

	try_body((const uint8_t *)body, strlen(body));
	free(body);
	json_decref(message);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size && data[0] == '{')
		try_body(data, size);
	else if (size < REQUEST_LINES_MAX)
		try_lines(data, size);
	return 0;
}

/*
 * What anybody may ask of us about ports: create_port, update_port, set_network,
 * set_subnet and the lists. It is refused in words, or what was taken is what our rows
 * can have, and all that is published of it are names below their zones and lines that
 * dnsmasq can read. What is shown of a port can be asked for again, and is the same.
 *
 * The input is the arguments as JSON; or, for those who do not write JSON by chance,
 * lines of which the first is the network (its domain and project) with a list's marker
 * and limit and the cidr of a subnet, the second the port, and the third what it becomes:
 * port_case.h.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "codec.h"
#include "fuzz_request.h"
#include "port_case.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ---- lines ---- */

static json_t *values_of(const json_t *port)
{
	json_t *values = json_copy((json_t *)port);

	json_object_del(values, "id");
	json_object_del(values, "network_id");
	json_object_del(values, "project_id");
	return values;
}

static json_t *of_lines(const char *text)
{
	json_t *args = json_object(), *network = json_object(), *port;
	json_t *subnet = json_pack("{s:s}", "network_id", REQUEST_ID);
	json_object_set_new(network, "id", json_string(REQUEST_ID));
	request_set_field(network, "dns_domain", &text);
	request_set_field(network, "project_id", &text);
	request_set_field(args, "marker", &text);
	json_object_set_new(args, "limit", case_number_and_cidr(subnet, &text));
	json_object_set_new(args, "subnet", subnet);
	json_object_set_new(args, "network", network);
	json_object_set_new(args, "port", case_port(&text, 1));
	port = case_port(&text, 2);
	json_object_set_new(args, "values", values_of(port));
	json_decref(port);
	return args;
}

/* ---- ports ---- */

static bool is_same(const struct port_row *a, const struct port_row *b)
{
	if (a->count != b->count || strcmp(a->id, b->id) ||
	    strcmp(a->network_id, b->network_id) ||
	    strcmp(a->project_id, b->project_id) ||
	    !request_is_same_text(a->dns_name, b->dns_name) ||
	    !request_is_same_text(a->mac, b->mac) ||
	    !request_is_same_text(a->dns_domain, b->dns_domain))
		return false;
	for (size_t i = 0; i < a->count; i++)
		if (!address_same_host(&a->addresses[i], &b->addresses[i]))
			return false;
	return true;
}

/* What it is shown as, without what follows from the rest. */
static json_t *shown(const struct port_row *port)
{
	static const char *const derived[] = { "dns_fqdn", "dns_assignment", "status",
	                                       "reason" };
	const struct port_network network = {
		.domain = { .len = 13, .wire = "\7example\3org" },
	};
	struct port_row complete = *port;
	json_t *json;

	complete.status = "PENDING";
	json = codec_encode_port(&complete, &network);
	assert(json);
	assert(json_array_size(json_object_get(json, "dns_assignment")) == port->count);
	for (size_t i = 0; i < sizeof(derived) / sizeof(derived[0]); i++)
		json_object_del(json, derived[i]);
	return json;
}

static void check_port(const struct port_row *port, struct arena *arena)
{
	json_t *again = json_pack("{s:o}", "port", shown(port));
	struct request req = request_of(again, arena);
	struct port_values wish;

	assert(again && !codec_port(&req, &wish));
	assert(is_same(port, &wish.port));
	case_check_port(port, LABELS_RFC1035, arena);
	case_check_port(port, LABELS_RFC1123, arena);
	json_decref(again);
}

/* PORT: that is there. */
static void try_values(const json_t *args, const struct port_row *port,
                       struct arena *arena)
{
	struct request req = request_of(args, arena);
	struct port_values wish;

	if (codec_values(&req, &wish)) {
		request_check_why(&req.why);
		return;
	}
	codec_merge(&wish, port);
	check_port(&wish.port, arena);
}

static void try_port(const json_t *args, struct arena *arena)
{
	struct request req = request_of(args, arena);
	struct port_values wish;

	if (codec_port(&req, &wish)) {
		request_check_why(&req.why);
		return;
	}
	check_port(&wish.port, arena);
	try_values(args, &wish.port, arena);
}

/* ---- networks, subnets and lists ---- */

static void try_network(const json_t *args, struct arena *arena)
{
	struct request req = request_of(args, arena);
	struct network_row network, again;
	json_t *told;

	if (codec_network(&req, &network, &req.why)) {
		request_check_why(&req.why);
		return;
	}
	case_check_network(&network);
	told = json_pack("{s:o}", "network", codec_encode_network(&network));
	req.args = told;
	assert(told && !codec_network(&req, &again, &req.why));
	assert(!strcmp(network.id, again.id));
	assert(!strcmp(network.project_id, again.project_id));
	assert(!strcmp(network.domain_text, again.domain_text));
	json_decref(told);
}

/* One that is new; a caller's has no bits of hosts. */
static void try_subnet(const json_t *args, struct arena *arena)
{
	struct request req = request_of(args, arena);
	struct subnet_row subnet;
	bool has_id;

	if (codec_subnet(&req, &subnet, &has_id)) {
		request_check_why(&req.why);
		return;
	}
	assert(!subnet.is_fed && subnet.is_published == subnet.is_flagged);
	assert(has_id || !strcmp(subnet.id, REQUEST_ID));
	case_check_subnet(&subnet);
}

static void try_filter(const json_t *args, struct arena *arena)
{
	struct request req = request_of(args, arena);
	struct port_filter filter = { 0 };

	if (codec_filter(&req, &filter)) {
		request_check_why(&req.why);
		return;
	}
	assert(filter.limit >= 1 && filter.limit <= LIST_MAX);
	assert(!*filter.marker || id_valid(filter.marker));
	assert(!filter.network_id || id_valid(filter.network_id));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	json_t *args = request_arguments(data, size, of_lines);
	struct arena *arena;

	if (!args)
		return 0;
	arena = arena_new();
	try_port(args, arena);
	try_network(args, arena);
	try_subnet(args, arena);
	try_filter(args, arena);
	json_object_del(args, "network");
	try_filter(args, arena);
	arena_free(&arena);
	json_decref(args);
	return 0;
}

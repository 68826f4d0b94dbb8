#include "ovo.h"

#include <string.h>

static const char *const names[NEUTRON_KINDS] = {
	[NEUTRON_PORT] = "Port", [NEUTRON_NETWORK] = "Network",
	[NEUTRON_SUBNET] = "Subnet",
};

const char *ovo_name(enum neutron_kind kind)
{
	return names[kind];
}

enum neutron_kind ovo_kind(const json_t *object)
{
	const char *name = json_string_value(json_object_get(object,
	                                                     "versioned_object.name"));

	for (enum neutron_kind kind = NEUTRON_OTHER; name && kind < NEUTRON_KINDS; kind++)
		if (names[kind] && !strcmp(name, names[kind]))
			return kind;
	return NEUTRON_OTHER;
}

const json_t *ovo_data(const json_t *object)
{
	const json_t *data = json_object_get(object, "versioned_object.data");

	return json_is_object(data) ? data : NULL;
}

/* A port's names are an object of their own; null: it has none. */
static void take_dns(json_t *plain, const json_t *data)
{
	const json_t *dns = ovo_data(json_object_get(data, "dns"));

	if (!dns)
		return;
	json_object_set(plain, "dns_name", json_object_get(dns, "dns_name"));
	json_object_set(plain, "dns_domain", json_object_get(dns, "dns_domain"));
}

static void take_addresses(json_t *plain, const json_t *data)
{
	const json_t *list = json_object_get(data, "fixed_ips");
	json_t *addresses;

	if (!json_is_array(list))
		return;
	addresses = json_array();
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *address = ovo_data(json_array_get(list, i));

		if (address)
			json_array_append(addresses, (json_t *)address);
	}
	json_object_set_new(plain, "fixed_ips", addresses);
}

json_t *ovo_plain(const json_t *object)
{
	const json_t *data = ovo_data(object);
	json_t *plain;

	if (!data)
		return NULL;
	plain = json_copy((json_t *)data);
	take_dns(plain, data);
	take_addresses(plain, data);
	return plain;
}

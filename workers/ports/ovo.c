#include "ovo.h"

#include <stdio.h>
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

/* The names of a port are in an object inside it, or null. */
static void ovo_copy_dns(json_t *plain, const json_t *data)
{
	const json_t *dns = ovo_data(json_object_get(data, "dns"));

	if (!dns)
		return;
	json_object_set(plain, "dns_name", json_object_get(dns, "dns_name"));
	json_object_set(plain, "dns_domain", json_object_get(dns, "dns_domain"));
}

static void ovo_copy_addresses(json_t *plain, const json_t *data)
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
	ovo_copy_dns(plain, data);
	ovo_copy_addresses(plain, data);
	return plain;
}

/* ---- ports.feed_objects ---- */

bool ovo_list_next(const char **list, char word[OVO_WORD_MAX + 1])
{
	size_t len;

	*list += strspn(*list, " ");
	len = strcspn(*list, " ");
	snprintf(word, OVO_WORD_MAX + 1, "%.*s", (int)len, *list);
	*list += len;
	return len;
}

/* "Port-1.7" */
static bool ovo_list_is_object(const char *word)
{
	const char *version = strchr(word, '-');

	if (!version || strspn(version + 1, "0123456789.") != strlen(version + 1))
		return false;
	for (enum neutron_kind kind = NEUTRON_OTHER; kind < NEUTRON_KINDS; kind++) {
		const char *name = ovo_name(kind);

		if (name && strlen(name) == (size_t)(version - word) &&
		    !strncmp(word, name, strlen(name)))
			return true;
	}
	return false;
}

enum err ovo_list_check(const char *objects, struct why *why)
{
	char word[OVO_WORD_MAX + 1];
	int count = 0;

	while (ovo_list_next(&objects, word)) {
		if (!ovo_list_is_object(word))
			return fail(why, ERR_INVALID, "ports.feed_objects: an object "
			            "must be like Port-1.7, Network-1.1 or Subnet-1.1, "
			            "not '%s'", word);
		if (++count > OVO_LIST_MAX)
			return fail(why, ERR_INVALID, "ports.feed_objects: must have at "
			            "most %d objects, but lists more", OVO_LIST_MAX);
	}
	return OK;
}

void ovo_list_version(const char *objects, const char *type,
                      char version[OVO_WORD_MAX + 1])
{
	size_t len = strlen(type);
	char word[OVO_WORD_MAX + 1];

	snprintf(version, OVO_WORD_MAX + 1, "%s",
	         strcmp(type, "Port") ? "1.1" : "1.7");
	while (ovo_list_next(&objects, word))
		if (!strncmp(word, type, len) && word[len] == '-')
			snprintf(version, OVO_WORD_MAX + 1, "%s", word + len + 1);
}

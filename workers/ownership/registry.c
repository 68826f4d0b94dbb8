#include "registry.h"

#include <string.h>
#include <strings.h>

#include "provider.h"
#include "storage.h"

struct registry *registries_find(const struct registries *registries,
                                 const char *storage_id, const char *zone)
{
	for (size_t i = 0; i < registries->count; i++)
		if (!strcmp(registries->item[i].settings->storage_id, storage_id) &&
		    !strcmp(registries->item[i].zone_text, zone))
			return &registries->item[i];
	return NULL;
}

static bool registry_same_server(const struct registry *a, const struct registry *b)
{
	struct address x, y;
	bool is_address = address_parse(a->settings->host, 0, &x) &&
	                  address_parse(b->settings->host, 0, &y);

	return a->settings->port == b->settings->port &&
	       (is_address ? address_same_host(&x, &y)
	                   : !strcasecmp(a->settings->host, b->settings->host));
}

bool registry_is_beside(const struct registry *a, const struct registry *b)
{
	return name_equal(&a->zone, &b->zone) && a->provider == b->provider &&
	       (a->provider == &provider_managed || registry_same_server(a, b));
}

static bool registry_has_form(const struct mark_form *a, const struct mark_form *b)
{
	return a && mark_form_equal(a, b);
}

const char *registry_cannot_read(const struct registry *to, const struct registry *from)
{
	const uint8_t *a = to->marks.key, *b = from->marks.key;

	if (!registry_is_beside(to, from))
		return "provider or primary";
	if (to->storage != from->storage)
		return "storage";
	if (!to->storage->is_in_zone)
		return NULL;
	if (!registry_has_form(&to->marks.form, &from->marks.form) &&
	    !registry_has_form(to->marks.former, &from->marks.form))
		return "form of ownership marks (txt_form, txt_prefix, txt_suffix, "
		        "txt_wildcard)";
	if (!a != !b || (a && memcmp(a, b, MARK_KEY)))
		return "txt_encrypt_key";
	return NULL;
}

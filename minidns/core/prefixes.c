#include "core/prefixes.h"

#include <stdlib.h>

#include "base/mem.h"

enum err prefixes_set(struct prefixes *prefixes, const char *option,
                      const struct option_texts *texts, struct why *why)
{
	struct prefixes got = {
		.item = xcalloc(texts->count + 1, sizeof(*got.item)),
		.count = texts->count,
	};

	for (size_t i = 0; i < texts->count; i++)
		if (!prefix_parse(texts->item[i], &got.item[i])) {
			prefixes_clear(&got);
			return fail(why, ERR_INVALID,
			            "%s: must be an address or a prefix (2001:db8::1, "
			            "192.0.2.0/24), not '%s'",
			            option, texts->item[i]);
		}
	prefixes_clear(prefixes);
	*prefixes = got;
	return OK;
}

bool prefixes_cover(const struct prefixes *prefixes, const struct address *address)
{
	for (size_t i = 0; i < prefixes->count; i++)
		if (prefix_covers(&prefixes->item[i], address))
			return true;
	return false;
}

void prefixes_clear(struct prefixes *prefixes)
{
	free(prefixes->item);
	*prefixes = (struct prefixes){ 0 };
}

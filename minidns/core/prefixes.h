/*
 * prefixes -- a list of addresses and address prefixes, the value of an option.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/option.h"
#include "dns/address.h"

struct prefixes {
	struct prefix *item;
	size_t count;
};

/*
 * Replaces the list. ERR_INVALID: *why names OPTION and the text that is not a valid
 * address or prefix.
 */
enum err prefixes_set(struct prefixes *prefixes, const char *option,
                      const struct option_texts *texts, struct why *why);
bool prefixes_cover(const struct prefixes *prefixes, const struct address *address);
void prefixes_clear(struct prefixes *prefixes);

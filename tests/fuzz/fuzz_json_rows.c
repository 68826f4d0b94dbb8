/*
 * Any answer of a name server's HTTP service: the reader of large JSON stays within it,
 * and what it takes for a row is one.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "backends/json_rows.h"
#include "model/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static enum err row(void *self, const json_t *json, struct why *why)
{
	size_t *count = self;

	(void)why;
	if (!json_is_object(json))
		abort();
	++*count;
	return OK;
}

static void check_within(struct json_span outer, struct json_span inner)
{
	if (inner.at < outer.at || inner.end > outer.end || inner.at > inner.end)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf text = { 0 };
	struct json_span all, member;
	struct why why;
	size_t count = 0;
	bool found;

	buf_append(&text, data, size);
	all = json_rows_span(&text);
	json_rows_each(all, row, &count, &why);
	if (!json_rows_member(all, "zones", &found, &member, &why) && found) {
		check_within(all, member);
		json_rows_each(member, row, &count, &why);
	}
	if (count > size)
		abort();
	buf_clear(&text);
	return 0;
}

#include "quote.h"

#include <string.h>

#include "idn.h"
#include "model/presentation.h"

enum { SHOWN_MAX = 500, TYPE_SPF = 99 };

struct quoted {
	const uint8_t *rdata;
	uint16_t type, len;
};

static bool quote_parse(struct quoted *quoted, const char *text, struct arena *arena)
{
	struct why ignored;

	return !rdata_parse(quoted->type, text, "", arena, &quoted->rdata, &quoted->len,
	                    &ignored);
}

static size_t quote_count_strings(const struct quoted *quoted)
{
	size_t count = 0;

	if (quoted->type != RR_TXT && quoted->type != TYPE_SPF)
		return 1;
	for (size_t at = 0; at < quoted->len; at += 1 + quoted->rdata[at])
		count++;
	return count;
}

/* True: without the added quotes, a zone file would say something else. */
static bool quote_is_other(const struct quoted *quoted, const char *data,
                           struct arena *arena)
{
	struct quoted plain = { .type = quoted->type };

	return !quote_parse(&plain, data, arena) || plain.len != quoted->len ||
	       memcmp(plain.rdata, quoted->rdata, plain.len) != 0;
}

/* True: the data has numbers and names only. */
static bool quote_is_name(uint16_t type)
{
	return type == RR_NS || type == RR_CNAME || type == RR_PTR || type == RR_MX ||
	       type == RR_SRV || type == RR_DNAME;
}

/* Central refuses data that is not valid, and explains the error. */
static void quotes_note(struct quotes *quotes, struct quoted *quoted, const char *text,
                        const char *data)
{
	struct arena *arena = arena_new();
	struct why ignored;

	if (!quote_is_name(quoted->type) && quote_parse(quoted, text, arena)) {
		size_t strings = quote_count_strings(quoted);
		bool can_surprise = strings > 1 || quote_is_other(quoted, data, arena);

		if (can_surprise && !quotes->count++) {
			quotes->strings = strings;
			rdata_format(quoted->type, quoted->rdata, quoted->len,
			             &quotes->first, &ignored);
		}
	}
	arena_free(&arena);
}

static enum err quote_make(struct quoted *quoted, const char *type, const char *data,
                           struct buf *text, struct why *why)
{
	struct why ignored;

	if (rrtype_parse(type, "", &quoted->type, &ignored))
		buf_text(text, data);
	else if (quote_is_name(quoted->type))
		return idn_to_ascii(data, "DATA", text, why);
	else
		rdata_quote(quoted->type, data, text);
	return OK;
}

enum err quote_append(json_t *records, const char *type, const char *data,
                      struct quotes *quotes, struct why *why)
{
	struct quoted quoted = { 0 };
	struct buf text = { 0 };
	enum err err = quote_make(&quoted, type, data, &text, why);

	if (!err && json_array_append_new(records, json_string(buf_string(&text))))
		err = fail(why, ERR_INVALID, "DATA: must be UTF-8");
	if (!err && quoted.type)
		quotes_note(quotes, &quoted, buf_string(&text), data);
	buf_clear(&text);
	return err;
}

void quotes_print(const struct quotes *quotes, const struct output *out)
{
	struct buf words = { 0 };

	if (!quotes->count || out->quiet || out->json)
		return;
	if (quotes->strings == 1)
		buf_text(&words, "zonefleet: note: the data is one string: ");
	else
		buf_printf(&words, "zonefleet: note: the data is %zu strings, which "
		           "readers join without a blank: ", quotes->strings);
	buf_printf(&words, "%.*s%s", SHOWN_MAX, buf_string(&quotes->first),
	           quotes->first.len > SHOWN_MAX ? "..." : "");
	if (quotes->count > 1)
		buf_printf(&words, " (and so on for %zu more values)", quotes->count - 1);
	fprintf(stderr, "%s\n", buf_string(&words));
	buf_clear(&words);
}

void quotes_clear(struct quotes *quotes)
{
	buf_clear(&quotes->first);
}

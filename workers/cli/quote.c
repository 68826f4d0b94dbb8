#include "quote.h"

#include <stdio.h>
#include <string.h>

#include "idn.h"
#include "model/presentation.h"

enum { NOTES_MAX = 10, SHOWN_MAX = 500, PLACE_TEXT = 32, TYPE_SPF = 99 };

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

/* The last value that was appended: "value 2", or "line 7" of a file. */
static const char *quotes_place(const struct quotes *quotes, char text[PLACE_TEXT])
{
	if (quotes->line)
		snprintf(text, PLACE_TEXT, "line %d", quotes->line);
	else
		snprintf(text, PLACE_TEXT, "value %zu", quotes->values);
	return text;
}

static void quotes_add_note(struct quotes *quotes, const struct quoted *quoted,
                            size_t strings)
{
	struct buf text = { 0 };
	struct why ignored;
	char place[PLACE_TEXT];

	rdata_format(quoted->type, quoted->rdata, quoted->len, &text, &ignored);
	buf_printf(&quotes->notes, "zonefleet: note: %s has ",
	           quotes_place(quotes, place));
	if (strings == 1)
		buf_text(&quotes->notes, "one string: ");
	else
		buf_printf(&quotes->notes, "%zu strings, which clients join without a "
		           "blank: ", strings);
	buf_printf(&quotes->notes, "%.*s%s\n", SHOWN_MAX, buf_string(&text),
	           text.len > SHOWN_MAX ? "..." : "");
	buf_clear(&text);
}

/* Central refuses data that is not valid, and explains the error. */
static void quotes_note(struct quotes *quotes, struct quoted *quoted, const char *text,
                        const char *data)
{
	struct arena *arena = arena_new();

	if (!quote_is_name(quoted->type) && quote_parse(quoted, text, arena)) {
		size_t strings = quote_count_strings(quoted);
		bool can_surprise = strings > 1 || quote_is_other(quoted, data, arena);

		if (can_surprise && quotes->count++ < NOTES_MAX)
			quotes_add_note(quotes, quoted, strings);
	}
	arena_free(&arena);
}

/* FIELD is the start of the reason. */
static enum err quote_make(struct quoted *quoted, const char *type, const char *data,
                           const char *field, struct buf *text, struct why *why)
{
	struct why ignored;

	if (rrtype_parse(type, "", &quoted->type, &ignored))
		buf_text(text, data);
	else if (quote_is_name(quoted->type))
		return idn_to_ascii(data, field, text, why);
	else
		rdata_quote(quoted->type, data, text);
	return OK;
}

enum err quote_append(json_t *records, const char *type, const char *data,
                      struct quotes *quotes, struct why *why)
{
	struct quoted quoted = { 0 };
	struct buf text = { 0 };
	char place[PLACE_TEXT];
	const char *field;
	enum err err;

	quotes->values++;
	field = quotes->line ? "DATA" : quotes_place(quotes, place);
	err = quote_make(&quoted, type, data, field, &text, why);
	if (!err && json_array_append_new(records, json_string(buf_string(&text))))
		err = fail(why, ERR_INVALID, "%s: must be UTF-8", field);
	if (!err && quoted.type)
		quotes_note(quotes, &quoted, buf_string(&text), data);
	buf_clear(&text);
	return err;
}

size_t quote_unquoted_strings(const char *type, const char *data, struct buf *text)
{
	struct arena *arena = arena_new();
	struct quoted quoted = { 0 };
	struct why ignored;
	size_t strings = 0;

	if (!strchr(data, '"') && !rrtype_parse(type, "", &quoted.type, &ignored) &&
	    quote_parse(&quoted, data, arena))
		strings = quote_count_strings(&quoted);
	if (strings > 1)
		rdata_format(quoted.type, quoted.rdata, quoted.len, text, &ignored);
	arena_free(&arena);
	return strings > 1 ? strings : 0;
}

void quotes_print(const struct quotes *quotes, const struct output *out)
{
	size_t more = quotes->count > NOTES_MAX ? quotes->count - NOTES_MAX : 0;

	if (!quotes->count || out->quiet || out->json)
		return;
	fputs(buf_string(&quotes->notes), stderr);
	if (more)
		fprintf(stderr, "zonefleet: note: there %s %zu more such note%s\n",
		        more == 1 ? "is" : "are", more, more == 1 ? "" : "s");
}

void quotes_clear(struct quotes *quotes)
{
	buf_clear(&quotes->notes);
}

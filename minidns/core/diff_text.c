#include "core/diff_text.h"

#include <stdio.h>
#include <string.h>

#include "model/presentation.h"

enum { RDATA_SHOWN = 256 };		/* longer rdata is shown as its length */

/* Writes "192.0.2.1", or the length if the rdata is too long or does not fit its type. */
static void diff_text_put_rdata(struct buf *text, uint16_t type, const uint8_t *rdata,
                                size_t len)
{
	struct buf shown = { 0 };
	struct why why;

	if (len <= RDATA_SHOWN && !rdata_format(type, rdata, len, &shown, &why))
		buf_text(text, buf_string(&shown));
	else
		buf_printf(text, "(%zu octets)", len);
	buf_clear(&shown);
}

/* A text that is too long ends in dots. */
static void diff_text_shorten(const struct buf *from, char text[SET_DIFF_TEXT])
{
	size_t len = from->len < SET_DIFF_TEXT ? from->len : SET_DIFF_TEXT - 1;

	memcpy(text, from->data, len);
	text[len] = '\0';
	if (len < from->len)
		memcpy(text + len - 3, "...", 3);
	for (size_t i = 0; i < len; i++)
		if (text[i] < ' ' || text[i] > '~')
			text[i] = '?';
}

static uint16_t diff_u16(const uint8_t *from)
{
	return (uint16_t)(from[0] << 8 | from[1]);
}

static void diff_text_put_record(const uint8_t *octets, size_t len,
                                 char shown[SET_DIFF_TEXT])
{
	size_t owner = name_wire_len(octets, len), rdata = owner + CANONICAL_FIXED;
	const uint8_t *fixed = octets + owner;
	char name[NAME_MAX_TEXT + 1], type[16];
	struct buf text = { 0 };

	name_format_wire(octets, name);
	rrtype_format(diff_u16(fixed), type);
	buf_printf(&text, "%s %u %s ", name,
	           (unsigned)diff_u16(fixed + 4) << 16 | diff_u16(fixed + 6), type);
	diff_text_put_rdata(&text, diff_u16(fixed), octets + rdata, len - rdata);
	diff_text_shorten(&text, shown);
	buf_clear(&text);
}

/* The place for a record with this key; SET_DIFF_NAMED: it is not named. */
static int diff_text_place(const struct set_diff_side *side, const uint8_t *key)
{
	int place = side->named;

	while (place && memcmp(key, side->record[place - 1].key, SET_DIFF_KEY) < 0)
		place--;
	return place;
}

void diff_text_add(struct set_diff_side *side, const uint8_t *octets, size_t len)
{
	struct set_diff_named *record = side->record;
	uint8_t key[SET_DIFF_KEY] = { 0 };
	int place;

	side->count++;
	memcpy(key, octets, len < sizeof(key) ? len : sizeof(key));
	place = diff_text_place(side, key);
	if (place == SET_DIFF_NAMED)
		return;
	side->named += side->named < SET_DIFF_NAMED;
	memmove(record + place + 1, record + place,
	        (size_t)(side->named - place - 1) * sizeof(*record));
	memcpy(record[place].key, key, sizeof(key));
	diff_text_put_record(octets, len, record[place].text);
}

/* " (a; b; ...)" */
static void diff_text_put_named(struct buf *text, const struct set_diff_side *side)
{
	for (int i = 0; i < side->named; i++)
		buf_printf(text, "%s%s", i ? "; " : " (", side->record[i].text);
	if (side->named)
		buf_text(text, side->count > (uint64_t)side->named ? "; ...)" : ")");
}

static const char *diff_text_least(const struct set_diff_side *side)
{
	return side->more ? "at least " : "";
}

void diff_text_format(const struct set_diff_side *remote,
                      const struct set_diff_side *local, uint32_t serial,
                      char words[DIFF_TEXT_MAX])
{
	struct buf text = { 0 };

	if (remote->count)
		buf_printf(&text, "serves %s%llu record%s not in serial %u",
		           diff_text_least(remote), (unsigned long long)remote->count,
		           remote->count == 1 ? " that is" : "s that are", serial);
	diff_text_put_named(&text, remote);
	if (local->count)
		buf_printf(&text, "%slacks %s%llu record%s", remote->count ? " and " : "",
		           diff_text_least(local), (unsigned long long)local->count,
		           local->count == 1 ? "" : "s");
	if (local->count && !remote->count)
		buf_printf(&text, " of serial %u", serial);
	diff_text_put_named(&text, local);
	snprintf(words, DIFF_TEXT_MAX, "%s", buf_string(&text));
	buf_clear(&text);
}

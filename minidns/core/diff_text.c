#include "core/diff_text.h"

#include <stdio.h>
#include <string.h>

#include "model/presentation.h"

enum { RDATA_SHOWN = 256 };		/* octets: of longer ones only the length is */

/* "192.0.2.1"; or how long it is, if it is too long or what its type does not have. */
static void put_rdata(struct buf *text, uint16_t type, const uint8_t *rdata, size_t len)
{
	struct buf shown = { 0 };
	struct why why;

	if (len <= RDATA_SHOWN && !rdata_format(type, rdata, len, &shown, &why))
		buf_text(text, buf_string(&shown));
	else
		buf_printf(text, "(%zu octets)", len);
	buf_clear(&shown);
}

/* What does not fit ends in dots. */
static void shorten(const struct buf *from, char text[CONTRAST_TEXT])
{
	size_t len = from->len < CONTRAST_TEXT ? from->len : CONTRAST_TEXT - 1;

	memcpy(text, from->data, len);
	text[len] = '\0';
	if (len < from->len)
		memcpy(text + len - 3, "...", 3);
	for (size_t i = 0; i < len; i++)
		if (text[i] < ' ' || text[i] > '~')
			text[i] = '?';
}

static uint16_t load_u16(const uint8_t *from)
{
	return (uint16_t)(from[0] << 8 | from[1]);
}

void contrast_name(struct contrast_side *side, const uint8_t *octets, size_t len)
{
	size_t owner = name_wire_len(octets, len), rdata = owner + CANONICAL_FIXED;
	const uint8_t *fixed = octets + owner;
	char name[NAME_MAX_TEXT + 1], type[16];
	struct buf text = { 0 };

	side->count++;
	if (side->named == CONTRAST_NAMED)
		return;
	name_format_wire(octets, name);
	rrtype_format(load_u16(fixed), type);
	buf_printf(&text, "%s %u %s ", name,
	           (unsigned)load_u16(fixed + 4) << 16 | load_u16(fixed + 6), type);
	put_rdata(&text, load_u16(fixed), octets + rdata, len - rdata);
	shorten(&text, side->text[side->named++]);
	buf_clear(&text);
}

/* " (a; b; ...)" */
static void put_named(struct buf *text, const struct contrast_side *side)
{
	for (int i = 0; i < side->named; i++)
		buf_printf(text, "%s%s", i ? "; " : " (", side->text[i]);
	if (side->named)
		buf_text(text, side->count > (uint64_t)side->named ? "; ...)" : ")");
}

static const char *least(const struct contrast_side *side)
{
	return side->more ? "at least " : "";
}

void contrast_words(const struct contrast_side *theirs, const struct contrast_side *ours,
                    uint32_t serial, char words[CONTRAST_WORDS])
{
	struct buf text = { 0 };

	if (theirs->count)
		buf_printf(&text, "serves %s%llu record%s not in serial %u",
		           least(theirs), (unsigned long long)theirs->count,
		           theirs->count == 1 ? " that is" : "s that are", serial);
	put_named(&text, theirs);
	if (ours->count)
		buf_printf(&text, "%slacks %s%llu", theirs->count ? " and " : "",
		           least(ours), (unsigned long long)ours->count);
	if (ours->count && !theirs->count)
		buf_printf(&text, " of serial %u", serial);
	put_named(&text, ours);
	snprintf(words, CONTRAST_WORDS, "%s", buf_string(&text));
	buf_clear(&text);
}

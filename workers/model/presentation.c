#include "model/presentation.h"

#include <string.h>

#include "model/presentation_field.h"
#include "model/presentation_text.h"
#include "model/presentation_type.h"
#include "model/rdata_rules.h"

/*
 * The wire rdata that the field readers or ldns make is read back if its text could have
 * another meaning.
 */

enum { LONG_TEXT = 4096 };	/* longer text is always read back */

/* RFC 3597 5: the octets of a type without a text form; allowed for any type. */
static enum err presentation_read_generic(struct rdata_text *rdata, struct why *why)
{
	char *at = rdata->at + strlen("\\#");
	const char *wrong = NULL;
	struct word length = { .text = at };
	uint32_t want;

	if (!text_next_word(&at, &length, &wrong) || length.quoted ||
	    !text_parse_number(length.text, RDATA_MAX, &want))
		return fail(why, ERR_INVALID,
		            "%s: after \\# there must be a length from 0 to %d, not "
		            "'%s'", rdata->field, RDATA_MAX,
		            err_quote(length.text, (char[33]){ 0 }, 33));
	text_join_groups(at);
	if (strlen(at) != (size_t)want * 2 || !text_parse_hex(at, rdata->wire))
		return fail(why, ERR_INVALID,
		            "%s: after the length there must be %u octets in "
		            "hexadecimal, not '%s'", rdata->field, want,
		            err_quote(at, (char[81]){ 0 }, 81));
	return OK;
}

static bool presentation_is_generic(const char *text)
{
	return !strncmp(text, "\\#", 2) && (text[2] == ' ' || !text[2]);
}

/* Cuts off the text of the next field. False: the end, or an error in *wrong. */
static bool presentation_next_field(struct rdata_text *rdata, struct field *field,
                                    bool takes_rest, const char **wrong)
{
	struct word word = { 0 };

	rdata->at += strspn(rdata->at, " ");
	if (takes_rest && *rdata->at) {
		word.text = rdata->at;
		rdata->at += strlen(rdata->at);
	} else if (!text_next_word(&rdata->at, &word, wrong)) {
		return false;
	}
	if (word.quoted && !(field->kind->flags & QUOTED))
		*wrong = "has quotes in a field that must not have quotes";
	else if (field->kind->max && strlen(word.text) > field->kind->max)
		*wrong = "has a field that is too long";
	field->text = word.text;
	return !*wrong;
}

static bool presentation_has_strings(const ldns_rr_descriptor *layout)
{
	for (size_t i = 0; i < layout->_maximum; i++) {
		ldns_rdf_type type = ldns_rr_descriptor_field_type(layout, i);

		if (field_kind(type)->flags & QUOTED)
			return true;
	}
	return false;
}

/* Reads the fields of LAYOUT. *read_back: the wire must be compared with its text. */
static enum err presentation_read_fields(struct rdata_text *rdata,
                                         const ldns_rr_descriptor *layout,
                                         bool *read_back, struct why *why)
{
	size_t max = ldns_rr_descriptor_maximum(layout), count = 0;
	const char *wrong = NULL;
	char form[FORM_TEXT];

	for (; count < max; count++) {
		ldns_rdf_type type = ldns_rr_descriptor_field_type(layout, count);
		struct field field = {
			type, field_kind(type), rdata, .number = count + 1, .why = why,
		};
		bool is_last = count + 1 == max;

		if (!presentation_next_field(rdata, &field,
		                             is_last && field.kind->flags & REST, &wrong))
			break;

		enum err err = field.kind->read(&field);

		if (err)
			return err;
		*read_back |= field.read_back || field.kind->flags & READ_BACK;
	}
	if (!wrong && count < presentation_minimum(layout))
		wrong = "has too few fields";
	if (!wrong && rdata->at[strspn(rdata->at, " ")])
		wrong = presentation_has_strings(layout)
		      ? "has too many fields: put each string in quotes"
		      : "has too many fields";
	if (!wrong)
		return OK;
	return fail(why, ERR_INVALID, "%s: %s%s", rdata->field, wrong,
	            rrtype_form(rdata->type, form));
}

/* Rdata must have one line and no comment, so that no part is lost silently. */
static enum err presentation_lex(const char *text, const char *field, struct buf *to,
                                 struct why *why)
{
	struct lexer lexer = { 0 };
	const char *wrong = NULL;
	int kept = LEX_SKIP;

	if (strnlen(text, RDATA_MAX_TEXT + 1) > RDATA_MAX_TEXT)
		return fail(why, ERR_INVALID,
		            "%s: must have at most %d characters, not %zu", field,
		            RDATA_MAX_TEXT, strlen(text));
	if (strpbrk(text, "\r\n"))
		return fail(why, ERR_INVALID, "%s: must not contain a line break", field);
	for (; *text && kept != LEX_WRONG && !lexer.comment; text++) {
		kept = lexer_step(&lexer, (unsigned char)*text);
		if (kept >= 0)
			buf_u8(to, kept);
	}
	if (kept == LEX_WRONG)
		wrong = lexer.wrong;
	else if (lexer.comment)
		wrong = "has a ';' outside quotes: put the string in quotes";
	else
		wrong = lexer_unfinished(&lexer);
	return wrong ? fail(why, ERR_INVALID, "%s: %s", field, wrong) : OK;
}

static enum err presentation_refuse_text(const struct rdata_text *rdata, struct why *why)
{
	char type[16];

	rrtype_format(rdata->type, type);
	return fail(why, ERR_INVALID, "%s: data of the type %s must be \\# LENGTH OCTETS "
	            "(RFC 3597), not '%s'", rdata->field, type,
	            err_quote(rdata->at, (char[81]){ 0 }, 81));
}

/* To wire, without reading back. */
static enum err presentation_read_once(struct rdata_text *rdata,
                                       bool *read_back, struct why *why)
{
	const ldns_rr_descriptor *layout = field_layout(rdata->type);

	rdata->at += strspn(rdata->at, " ");
	if (presentation_is_generic(rdata->at)) {
		*read_back = layout != NULL;
		return presentation_read_generic(rdata, why);
	}
	if (!layout)
		return presentation_refuse_text(rdata, why);
	*read_back = strlen(rdata->at) > LONG_TEXT;
	return presentation_read_fields(rdata, layout, read_back, why);
}

static bool presentation_is_same(const struct buf *a, const struct buf *b)
{
	return a->len == b->len && !memcmp(buf_string(a), buf_string(b), a->len);
}

/* The canonical text of the wire must give the same wire. */
static enum err presentation_read_back(const struct rdata_text *rdata, struct why *why)
{
	struct buf text = { 0 }, lexed = { 0 }, wire = { 0 };
	bool ignored;
	enum err err = rdata_format(rdata->type, rdata->wire->data, rdata->wire->len,
	                            &text, why);

	if (!err)
		err = presentation_lex(buf_string(&text), rdata->field, &lexed, why);
	if (!err) {
		buf_append(&lexed, "", 1);

		struct rdata_text again = {
			rdata->type, rdata->field, NULL, (char *)lexed.data, &wire
		};

		err = presentation_read_once(&again, &ignored, why);
	}
	if (!err && !presentation_is_same(&wire, rdata->wire))
		err = fail(why, ERR_INVALID,
		           "the data would change when zonefleet writes the data as "
		           "text and reads the text");
	buf_clear(&text);
	buf_clear(&lexed);
	buf_clear(&wire);
	if (err)
		return fail(why, ERR_INVALID, "%s: zonefleet cannot store the data: %s",
		            rdata->field,
		            why->text);
	return OK;
}

enum err rdata_read(struct rdata_text *rdata, struct why *why)
{
	bool must_read_back = false;
	enum err err = presentation_read_once(rdata, &must_read_back, why);

	if (err)
		return err;
	if (rdata->wire->len > RDATA_MAX)
		return fail(why, ERR_INVALID, "%s: must have at most %d octets, not %zu",
		            rdata->field, RDATA_MAX, rdata->wire->len);
	if (rdata->is_stored)
		return OK;
	err = rdata_check(rdata->type, (const uint8_t *)buf_string(rdata->wire),
	                  rdata->wire->len, rdata->field, why);
	return err || !must_read_back ? err : presentation_read_back(rdata, why);
}

static enum err presentation_parse(struct rdata_text *got, const char *text,
                                   struct arena *arena, const uint8_t **rdata,
                                   uint16_t *len, struct why *why)
{
	struct buf lexed = { 0 }, wire = { 0 };
	enum err err = presentation_lex(text, got->field, &lexed, why);

	if (!err) {
		buf_append(&lexed, "", 1);
		got->at = (char *)lexed.data;
		got->wire = &wire;
		err = rdata_read(got, why);
	}
	if (!err) {
		*rdata = arena_dup(arena, buf_string(&wire), wire.len);
		*len = wire.len;
	}
	buf_clear(&lexed);
	buf_clear(&wire);
	return err;
}

enum err rdata_parse(uint16_t type, const char *text, const char *field,
                     struct arena *arena, const uint8_t **rdata, uint16_t *len,
                     struct why *why)
{
	struct rdata_text got = { .type = type, .field = field };

	return presentation_parse(&got, text, arena, rdata, len, why);
}

enum err rdata_parse_stored(uint16_t type, const char *text, const char *field,
                            struct arena *arena, const uint8_t **rdata, uint16_t *len,
                            struct why *why)
{
	struct rdata_text got = { .type = type, .field = field, .is_stored = true };

	return presentation_parse(&got, text, arena, rdata, len, why);
}

#include "model/presentation_svcb.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "model/presentation_svcb_key.h"
#include "model/presentation_text.h"

enum { HEADER_LEN = 4, KEY_TEXT = 64 };

/* ---- reading ---- */

/* A param in text: key[=value], and later its place in the wire form. */
struct param {
	char *name, *text;		/* NULL: there is no value */
	size_t name_len;
	uint16_t key;
	size_t at, len;
};

static enum err svcb_refuse(const struct param *param, const char *field,
                            const char *words, struct why *why)
{
	char shown[KEY_TEXT];

	param->name[param->name_len] = '\0';
	return fail(why, ERR_INVALID, "%s: the SvcParam '%s' %s", field,
	            err_quote(param->name, shown, sizeof(shown)), words);
}

/*
 * The end of a value, which begins at FROM and may be in quotes: its closing quote, or
 * the blank or NUL after it. NULL: a quote is missing or in the middle.
 */
static char *svcb_value_end(char *from, bool quoted)
{
	for (; *from; from++) {
		if (*from == '\\' && from[1])
			from++;
		else if (*from == '"')
			return quoted && (!from[1] || from[1] == ' ') ? from : NULL;
		else if (*from == ' ' && !quoted)
			return from;
	}
	return quoted ? NULL : from;
}

/* Cuts the next param from *at. False: the end, or a value with a wrong quote. */
static bool svcb_next_param(char **at, struct param *param, const char **wrong)
{
	char *from = *at + strspn(*at, " "), *end;
	bool quoted;

	*param = (struct param){ .name = from, .name_len = strcspn(from, " =") };
	*at = from + param->name_len;
	if (!*from || **at != '=')
		return *from;
	quoted = (*at)[1] == '"';
	param->text = *at + 1 + quoted;
	end = svcb_value_end(param->text, quoted);
	if (!end) {
		*wrong = "has a quote in the middle of a value";
		return false;
	}
	*at = *end ? end + 1 : end;
	*end = '\0';
	return true;
}

static enum err svcb_read_param(struct param *param, const char *field, struct buf *wire,
                                struct why *why)
{
	struct value value = { (const uint8_t *)param->text, 0 };
	const char *wrong = NULL;
	bool is_named;

	if (!svcb_find_key(param->name, param->name_len, &param->key))
		return svcb_refuse(param, field, "is unknown: write it as keyN", why);
	if (param->text && !text_unescape(param->text, &value.len))
		return svcb_refuse(param, field, "has an invalid escape", why);
	if (!param->text)
		value.at = (const uint8_t *)"";
	is_named = svcb_key(param->key) && strncmp(param->name, "key", 3);
	param->at = wire->len;
	wrong = is_named ? svcb_key(param->key)->read(value, wire)
	                 : svcb_read_octets(value, wire);
	param->len = wire->len - param->at;
	if (!wrong && param->len > UINT16_MAX)
		wrong = "is too long";
	return wrong ? svcb_refuse(param, field, wrong, why) : OK;
}

static int svcb_compare_params(const void *a, const void *b)
{
	const struct param *x = a, *y = b;

	return (x->key > y->key) - (x->key < y->key);
}

static enum err svcb_write(struct param *params, size_t count, const struct buf *values,
                           const char *field, struct buf *wire, struct why *why)
{
	size_t start = wire->len;
	const char *wrong;

	if (count > 1)
		qsort(params, count, sizeof(*params), svcb_compare_params);
	for (size_t i = 0; i < count; i++) {
		if (i && params[i].key == params[i - 1].key)
			return svcb_refuse(&params[i], field,
			                   "must not appear twice (RFC 9460 2.1)", why);
		buf_u16(wire, params[i].key);
		buf_u16(wire, params[i].len);
		if (params[i].len)
			buf_append(wire, values->data + params[i].at, params[i].len);
	}
	wrong = svcb_check(wire->data + start, wire->len - start);
	return wrong ? fail(why, ERR_INVALID, "%s: the SvcParams %s", field, wrong) : OK;
}

enum err svcb_read(char *text, const char *field, struct buf *wire, struct why *why)
{
	struct buf params = { 0 }, values = { 0 };
	const char *wrong = NULL;
	struct param param;
	enum err err = OK;

	while (!err && svcb_next_param(&text, &param, &wrong)) {
		err = svcb_read_param(&param, field, &values, why);
		buf_append(&params, &param, sizeof(param));
	}
	if (!err && wrong)
		err = svcb_refuse(&param, field, wrong, why);
	if (!err && params.len)
		err = svcb_write((struct param *)(void *)params.data,
		                 params.len / sizeof(param), &values, field, wire, why);
	buf_clear(&params);
	buf_clear(&values);
	return err;
}

/* ---- the wire ---- */

/* Cuts the next param from *params. False: the end, or a broken param in *is_broken. */
static bool svcb_next_wire(struct value *params, int *last, uint16_t *key,
                           struct value *value, bool *is_broken)
{
	if (!params->len)
		return false;
	*is_broken = params->len < HEADER_LEN || svcb_u16(params->at) <= *last ||
	             params->len - HEADER_LEN < svcb_u16(params->at + 2);
	if (*is_broken)
		return false;
	*key = svcb_u16(params->at);
	*last = *key;
	*value = (struct value){ params->at + HEADER_LEN, svcb_u16(params->at + 2) };
	params->at += HEADER_LEN + value->len;
	params->len -= HEADER_LEN + value->len;
	return true;
}

#define MISSING \
	"must contain the keys that 'mandatory' lists (RFC 9460 8)"

const char *svcb_check(const uint8_t *params, size_t len)
{
	struct value left = { params, len }, value, wanted = { NULL, 0 };
	bool is_broken = false, has_alpn = false, has_no_default = false;
	int last = -1;
	uint16_t key;

	while (svcb_next_wire(&left, &last, &key, &value, &is_broken)) {
		if (svcb_key(key) && !svcb_key(key)->is_valid(value))
			return svcb_key(key)->words;
		if (wanted.len && svcb_u16(wanted.at) < key)
			return MISSING;
		if (wanted.len && svcb_u16(wanted.at) == key)
			wanted = (struct value){ wanted.at + 2, wanted.len - 2 };
		if (key == KEY_MANDATORY)
			wanted = value;
		has_alpn |= key == KEY_ALPN;
		has_no_default |= key == KEY_NO_DEFAULT_ALPN;
	}
	if (is_broken)
		return "must have keys in strictly ascending order, each with the length "
		       "of its value (RFC 9460 2.2)";
	if (wanted.len)
		return MISSING;
	if (has_no_default && !has_alpn)
		return "must not have 'no-default-alpn' without 'alpn' (RFC 9460 7.1.1)";
	return NULL;
}

/* Quotes the value if it has an octet with a meaning for a reader of text. */
static void svcb_print_value(const struct buf *value, struct buf *text)
{
	static const char special[] = "\"\\;()";
	bool quoted = false;

	for (size_t i = 0; i < value->len; i++)
		quoted |= !isgraph(value->data[i]) || strchr(special, value->data[i]);
	buf_text(text, quoted ? "=\"" : "=");
	for (size_t i = 0; i < value->len; i++) {
		uint8_t octet = value->data[i];

		if (octet < ' ' || octet > '~')
			buf_printf(text, "\\%03u", octet);
		else
			buf_printf(text, octet == '"' || octet == '\\' ? "\\%c" : "%c",
			           octet);
	}
	if (quoted)
		buf_text(text, "\"");
}

bool svcb_print(const uint8_t *params, size_t len, struct buf *text)
{
	struct value left = { params, len }, value;
	struct buf printed = { 0 };
	bool is_broken = false;
	const char *blank = "";
	int last = -1;
	uint16_t key;

	while (svcb_next_wire(&left, &last, &key, &value, &is_broken)) {
		bool is_named = svcb_key(key) && svcb_key(key)->is_valid(value);

		buf_text(text, blank);
		blank = " ";
		buf_reset(&printed);
		if (is_named)
			svcb_print_key(key, text);
		else
			buf_printf(text, "key%u", key);
		if (is_named)
			svcb_key(key)->print(value, &printed);
		else
			svcb_print_octets(value, &printed);
		if (printed.len)
			svcb_print_value(&printed, text);
	}
	buf_clear(&printed);
	return !is_broken;
}

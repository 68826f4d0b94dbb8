#include "idn.h"

#include <idn2.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"

#define SEPARATORS "., \t"

enum { LABEL_MAX = 255, TEXT_MAX = 64 * 1024 };

static bool idn_is_ascii(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)text[i] >= 0x80)
			return false;
	return true;
}

static enum err idn_convert_label(const char *label, const char *field,
                                  struct buf *ascii, struct why *why)
{
	char *converted;
	int code;

	if (strpbrk(label, "*\\"))
		return fail(why, ERR_INVALID, "%s: '%.100s' contains characters outside "
		            "ASCII, so this label must not contain '*' or '\\'",
		            field, label);
	code = idn2_to_ascii_8z(label, &converted, IDN2_NONTRANSITIONAL);
	if (code != IDN2_OK)
		return fail(why, ERR_INVALID, "%s: '%.100s' is not valid in a domain "
		            "name: %s", field, label, idn2_strerror(code));
	buf_text(ascii, converted);
	idn2_free(converted);
	return OK;
}

/* Appends the label of LEN octets at TEXT. */
static enum err idn_append_label(const char *text, size_t len, const char *field,
                                 struct buf *ascii, struct why *why)
{
	char label[LABEL_MAX + 1];

	if (idn_is_ascii(text, len)) {
		buf_append(ascii, text, len);
		return OK;
	}
	if (len > LABEL_MAX)
		return fail(why, ERR_INVALID, "%s: the label '%.60s...' has %zu octets: "
		            "a label may have at most 63", field, text, len);
	memcpy(label, text, len);
	label[len] = '\0';
	return idn_convert_label(label, field, ascii, why);
}

enum err idn_to_ascii(const char *text, const char *field, struct buf *ascii,
                      struct why *why)
{
	const char *at = strrchr(text, '@');	/* the mailbox is no name */
	enum err err = OK;

	if (strnlen(text, TEXT_MAX + 1) > TEXT_MAX)
		return fail(why, ERR_INVALID, "%s: must have at most %d octets", field,
		            TEXT_MAX);
	if (at) {
		buf_append(ascii, text, at + 1 - text);
		text = at + 1;
	}
	while (*text && !err) {
		size_t len = strcspn(text, SEPARATORS), gap = strspn(text + len,
		                                                    SEPARATORS);

		err = idn_append_label(text, len, field, ascii, why);
		buf_append(ascii, text + len, gap);
		text += len + gap;
	}
	return err;
}

/* True: the terminal shows TEXT as it is, and TEXT means NAME. */
static bool idn_is_faithful(const char *text, const char *name)
{
	struct buf escaped = { 0 }, ascii = { 0 };
	struct why ignored;
	bool is_faithful;

	output_escape(text, &escaped);
	is_faithful = !strcmp(buf_string(&escaped), text) &&
	              !idn_to_ascii(text, "", &ascii, &ignored) &&
	              !strcmp(buf_string(&ascii), name);
	buf_clear(&escaped);
	buf_clear(&ascii);
	return is_faithful;
}

void idn_show(const char *name, struct buf *shown)
{
	char *text = NULL;
	bool is_idn = strstr(name, "xn--") && !strchr(name, '\\') &&
	              idn2_to_unicode_8z8z(name, &text, 0) == IDN2_OK &&
	              strcmp(text, name) != 0 && idn_is_faithful(text, name);

	if (is_idn)
		buf_printf(shown, "%s (%s)", text, name);
	else
		buf_text(shown, name);
	idn2_free(text);
}

void idn_show_member(json_t *object, const char *key)
{
	const char *name = json_string_value(json_object_get(object, key));
	struct buf shown = { 0 };

	if (!name)
		return;
	idn_show(name, &shown);
	json_object_set_new(object, key, json_string(buf_string(&shown)));
	buf_clear(&shown);
}

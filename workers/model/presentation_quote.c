#include "model/presentation.h"

#include <string.h>

#include "model/presentation_field.h"

/*
 * The number of fields in front of the type's only string. -1: the type has no string, or
 * several strings, so that the place of the quotes is not known.
 */
static int quote_leading_fields(uint16_t type)
{
	const ldns_rr_descriptor *layout = field_layout(type);
	size_t max = layout ? layout->_maximum : 0;

	if (!layout)
		return -1;
	if (layout->_variable == LDNS_RDF_TYPE_STR)	/* TXT: the user divides it */
		return max ? -1 : 0;
	if (!max)
		return -1;

	ldns_rdf_type last = ldns_rr_descriptor_field_type(layout, max - 1);

	if (last == LDNS_RDF_TYPE_LONG_STR || (last == LDNS_RDF_TYPE_STR && max == 1))
		return (int)max - 1;
	return -1;
}

/* The start of the string; NULL: a field in front of it is not a plain word. */
static const char *quote_skip_fields(const char *text, int count)
{
	text += strspn(text, " \t");
	while (count--) {
		size_t len = strcspn(text, " \t\"();\\");

		text += len;
		if (!len || (*text && !strchr(" \t", *text)))
			return NULL;
		text += strspn(text, " \t");
	}
	return text;
}

/*
 * The octets of the string without the blanks at its end; 0: there is no string, the
 * string has quotes, or it ends in a backslash.
 */
static size_t quote_string_len(const char *string)
{
	size_t len = 0;

	for (const char *at = string; *at; at++) {
		bool is_escaped = *at == '\\';

		if (*at == '"' || (is_escaped && !*++at))
			return 0;
		if (is_escaped || (*at != ' ' && *at != '\t'))
			len = at + 1 - string;
	}
	return len;
}

static bool quote_is_generic(const char *text)
{
	text += strspn(text, " \t");
	return !strncmp(text, "\\#", 2) && strchr(" \t", text[2]);
}

bool rdata_quote(uint16_t type, const char *text, struct buf *to)
{
	int fields = quote_is_generic(text) ? -1 : quote_leading_fields(type);
	const char *string = fields < 0 ? NULL : quote_skip_fields(text, fields);
	size_t len = string ? quote_string_len(string) : 0;

	if (!len) {
		buf_text(to, text);
		return false;
	}
	buf_append(to, text, string - text);
	buf_printf(to, "\"%.*s\"", (int)len, string);
	return true;
}

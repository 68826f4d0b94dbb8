#include "model/presentation.h"

#include "base/log.h"
#include "model/presentation_field.h"
#include "model/presentation_type.h"

enum { ROOM = 64 };

static void print_generic(const uint8_t *rdata, uint16_t len, struct buf *text)
{
	buf_printf(text, "\\# %u", len);
	if (len)
		buf_text(text, " ");
	for (int i = 0; i < len; i++)
		buf_printf(text, "%02x", rdata[i]);
}

/* The octets of the field at RDATA, LEFT octets before the end; 0: malformed. */
static size_t field_wire_len(const struct field_kind *kind, const uint8_t *rdata,
                             size_t left)
{
	size_t len = left;

	if (kind->wire == WIRE_NAME)
		len = name_wire_len(rdata, left);
	else if (kind->wire == WIRE_STRING)
		len = 1 + rdata[0];
	else if (kind->wire != WIRE_REST)
		len = kind->wire;
	return len <= left ? len : 0;
}

/* Prints a field by ldns, and removes blanks that ldns writes after it. */
static bool print_by_ldns(ldns_rdf_type type, const uint8_t *rdata, size_t len,
                          struct buf *text)
{
	ldns_rdf *rdf = ldns_rdf_new_frm_data(type, len, rdata);
	ldns_buffer *to = ldns_buffer_new(8 * len + ROOM);
	bool is_printed;

	if (!rdf || !to)
		fatal("out of memory");
	is_printed = ldns_rdf2buffer_str(to, rdf) == LDNS_STATUS_OK &&
	             ldns_buffer_status_ok(to);
	while (ldns_buffer_position(to) && ldns_buffer_current(to)[-1] == ' ')
		ldns_buffer_skip(to, -1);
	buf_append(text, ldns_buffer_begin(to), ldns_buffer_position(to));
	ldns_rdf_deep_free(rdf);
	ldns_buffer_free(to);
	return is_printed;
}

static bool print_fields(const ldns_rr_descriptor *layout, const uint8_t *rdata,
                         size_t len, struct buf *text)
{
	size_t max = ldns_rr_descriptor_maximum(layout), count = 0;

	for (; len && count < max; count++) {
		ldns_rdf_type type = ldns_rr_descriptor_field_type(layout, count);
		const struct field_kind *kind = field_kind(type);
		size_t field_len = field_wire_len(kind, rdata, len);

		if (count)
			buf_text(text, " ");
		if (!field_len || !(kind->print ? kind->print(rdata, field_len, text)
		                                : print_by_ldns(type, rdata, field_len,
		                                                text)))
			return false;
		rdata += field_len;
		len -= field_len;
	}
	return !len && count >= presentation_minimum(layout);
}

enum err rdata_format(uint16_t type, const uint8_t *rdata, uint16_t len, struct buf *text,
                      struct why *why)
{
	const ldns_rr_descriptor *layout = field_layout(type);
	struct buf printed = { 0 };
	enum err err = OK;

	if (!layout) {
		print_generic(rdata, len, text);
		return OK;
	}
	if (len > RDATA_MAX || !print_fields(layout, rdata, len, &printed))
		err = fail(why, ERR_INVALID, "rdata of %u octets is not valid for "
		           "type %s", len, layout->_name);
	else
		buf_append(text, printed.data, printed.len);
	buf_clear(&printed);
	return err;
}

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

/*
 * Prints one field, and removes blanks that ldns writes after it. ldns writes SvcParams
 * without making room, and asserts. The worst case is eight bytes for an octet:
 * "no-default-alpn," in mandatory.
 */
static bool print_field(ldns_rdf_type type, const uint8_t *rdata, size_t len,
                        ldns_buffer *to)
{
	ldns_rdf *rdf = ldns_rdf_new_frm_data(type, len, rdata);
	bool is_printed = rdf && ldns_buffer_reserve(to, 8 * len + ROOM) &&
	                  ldns_rdf2buffer_str(to, rdf) == LDNS_STATUS_OK;

	ldns_rdf_deep_free(rdf);
	while (ldns_buffer_position(to) && ldns_buffer_current(to)[-1] == ' ')
		ldns_buffer_skip(to, -1);
	return is_printed;
}

static bool print_fields(const ldns_rr_descriptor *layout, const uint8_t *rdata,
                         size_t len, ldns_buffer *to)
{
	size_t max = ldns_rr_descriptor_maximum(layout), count = 0;

	for (; len && count < max; count++) {
		ldns_rdf_type type = ldns_rr_descriptor_field_type(layout, count);
		size_t field_len = field_wire_len(field_kind(type), rdata, len);

		if (count && ldns_buffer_reserve(to, 1))
			ldns_buffer_write_u8(to, ' ');
		if (!field_len || !print_field(type, rdata, field_len, to))
			return false;
		rdata += field_len;
		len -= field_len;
	}
	return !len && count >= ldns_rr_descriptor_minimum(layout) &&
	       ldns_buffer_status_ok(to);
}

enum err rdata_format(uint16_t type, const uint8_t *rdata, uint16_t len, struct buf *text,
                      struct why *why)
{
	const ldns_rr_descriptor *layout = field_layout(type);

	if (!layout) {
		print_generic(rdata, len, text);
		return OK;
	}

	ldns_buffer *printed = ldns_buffer_new(LDNS_MIN_BUFLEN);
	enum err err = OK;

	if (!printed)
		fatal("out of memory");
	if (len > RDATA_MAX || !print_fields(layout, rdata, len, printed))
		err = fail(why, ERR_INVALID, "rdata of %u octets is not valid for "
		           "type %s", len, layout->_name);
	else
		buf_append(text, ldns_buffer_begin(printed),
		           ldns_buffer_position(printed));
	ldns_buffer_free(printed);
	return err;
}

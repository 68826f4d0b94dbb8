#include "dns/packet.h"

#include <string.h>

enum {
	POINTER = 0xc0,
	/* a full message cannot have more */
	MAX_POINTERS = 16384,
	MAX_POINTED = 0x3fff,		/* 14 bits of offset */
	MAX_LABELS = 128,
	RR_FIXED = 10,
	SOA_FIXED = 20,
};

const char *rcode_name(enum rcode rcode)
{
	switch (rcode) {
	case RCODE_NOERROR: return "NOERROR";
	case RCODE_FORMERR: return "FORMERR";
	case RCODE_SERVFAIL: return "SERVFAIL";
	case RCODE_NXDOMAIN: return "NXDOMAIN";
	case RCODE_NOTIMP: return "NOTIMP";
	case RCODE_REFUSED: return "REFUSED";
	case RCODE_YXDOMAIN: return "YXDOMAIN";
	case RCODE_YXRRSET: return "YXRRSET";
	case RCODE_NXRRSET: return "NXRRSET";
	case RCODE_NOTAUTH: return "NOTAUTH";
	case RCODE_NOTZONE: return "NOTZONE";
	case RCODE_BADVERS: return "BADVERS";
	case RCODE_BADCOOKIE: return "BADCOOKIE";
	}
	return "an error";
}

/* ---- read ---- */

struct packet_reader packet_reader(const uint8_t *data, size_t len)
{
	return (struct packet_reader){ .data = data, .len = len };
}

/* Takes the next LEN bytes. NULL: there are fewer; sets `broken`. */
static const uint8_t *packet_take(struct packet_reader *reader, size_t len)
{
	const uint8_t *from = reader->data + reader->at;

	if (reader->broken || reader->len - reader->at < len) {
		reader->broken = true;
		return NULL;
	}
	reader->at += len;
	return from;
}

uint16_t packet_read_u16(struct packet_reader *reader)
{
	const uint8_t *from = packet_take(reader, 2);

	return from ? (uint16_t)(from[0] << 8 | from[1]) : 0;
}

uint32_t packet_read_u32(struct packet_reader *reader)
{
	uint32_t high = packet_read_u16(reader);

	return high << 16 | packet_read_u16(reader);
}

void packet_read_header(struct packet_reader *reader, struct packet_header *header)
{
	header->id = packet_read_u16(reader);
	header->flags = packet_read_u16(reader);
	for (int i = 0; i < SECTIONS; i++)
		header->count[i] = packet_read_u16(reader);
}

/* Appends a label, which begins with its length. False: the name is too long. */
static bool name_add_label(struct name *name, const uint8_t *label)
{
	size_t len = 1 + label[0];

	if (name->len + len > NAME_MAX_WIRE)
		return false;
	memcpy(name->wire + name->len, label, len);
	name->len += len;
	return true;
}

/*
 * Reads labels from *at on, to the root or to a pointer. Returns the offset of the
 * pointer, 0 at the root (no name stands in the header), -1 for a malformed name.
 */
static int packet_read_labels(const struct packet_reader *reader, size_t *at,
			      struct name *name)
{
	const uint8_t *data = reader->data;

	while (*at < reader->len) {
		uint8_t first = data[*at];
		int target;

		if ((first & POINTER) == POINTER) {
			if (reader->len - *at < 2)
				return -1;
			*at += 2;
			target = (first & ~POINTER) << 8 | data[*at - 1];
			return target < PACKET_HEADER ? -1 : target;
		}
		if (first > NAME_MAX_LABEL || reader->len - *at < 1u + first)
			return -1;
		if (!name_add_label(name, data + *at))
			return -1;
		*at += 1 + first;
		if (!first)
			return 0;
	}
	return -1;
}

void packet_read_name(struct packet_reader *reader, struct name *name)
{
	struct name got = { 0 };
	size_t at = reader->at, lowest = at;
	int target = reader->broken ? -1 : packet_read_labels(reader, &at, &got);

	*name = (struct name){ .len = 1 };
	reader->at = at;
	while (target > 0) {
		if ((size_t)target >= lowest || ++reader->pointers > MAX_POINTERS) {
			target = -1;
			break;
		}
		at = lowest = target;
		target = packet_read_labels(reader, &at, &got);
	}
	if (target < 0)
		reader->broken = true;
	else
		*name = got;
}

void packet_read_rr(struct packet_reader *reader, struct packet_rr *rr)
{
	packet_read_name(reader, &rr->name);
	rr->type = packet_read_u16(reader);
	rr->class = packet_read_u16(reader);
	rr->ttl = packet_read_u32(reader);
	rr->rdata_len = packet_read_u16(reader);
	rr->rdata = reader->at;
	packet_take(reader, rr->rdata_len);
}

struct packet_reader packet_rdata(const struct packet_reader *reader,
                                  const struct packet_rr *rr)
{
	return (struct packet_reader){
		.data = reader->data,
		.len = rr->rdata + rr->rdata_len,
		.at = rr->rdata,
		.pointers = reader->pointers,
		.broken = reader->broken,
	};
}

bool packet_soa_serial(const struct packet_reader *reader, const struct packet_rr *rr,
                       uint32_t *serial)
{
	struct packet_reader rdata = packet_rdata(reader, rr);
	struct name name;

	packet_read_name(&rdata, &name);
	packet_read_name(&rdata, &name);
	if (rdata.broken || rdata.len - rdata.at != SOA_FIXED)
		return false;
	*serial = packet_read_u32(&rdata);
	return true;
}

/* ---- write ---- */

void packet_writer_init(struct packet_writer *writer, uint8_t *data, size_t limit)
{
	memset(writer, 0, offsetof(struct packet_writer, names));
	writer->data = data;
	writer->limit = limit;
	writer->slots = limit <= PACKET_UDP_MAX ? PACKET_FEW_NAMES : PACKET_NAMES;
	memset(writer->names, 0, writer->slots * sizeof(*writer->names));
	memset(data, 0, PACKET_HEADER);
	writer->len = PACKET_HEADER;
}

void packet_put(struct packet_writer *writer, const void *data, size_t len)
{
	if (writer->full || writer->limit - writer->len < len) {
		writer->full = true;
		return;
	}
	if (len)
		memcpy(writer->data + writer->len, data, len);
	writer->len += len;
}

static void packet_store_u16(uint8_t *to, uint16_t value)
{
	to[0] = value >> 8;
	to[1] = value & 0xff;
}

void packet_put_u16(struct packet_writer *writer, uint16_t value)
{
	uint8_t octets[2];

	packet_store_u16(octets, value);
	packet_put(writer, octets, sizeof(octets));
}

void packet_put_u32(struct packet_writer *writer, uint32_t value)
{
	packet_put_u16(writer, value >> 16);
	packet_put_u16(writer, value & 0xffff);
}

/* True: the name at AT equals WIRE, including its case. */
static bool packet_name_is_at(const struct packet_writer *writer, size_t at,
                              const uint8_t *wire)
{
	const uint8_t *data = writer->data;

	while (at + 1 < writer->len) {
		if ((data[at] & POINTER) == POINTER) {
			size_t target = (data[at] & ~POINTER) << 8 | data[at + 1];

			if (target >= at)
				return false;
			at = target;
			continue;
		}
		if (data[at] != wire[0] || at + 1 + wire[0] > writer->len)
			return false;
		if (!wire[0])
			return true;
		if (memcmp(data + at + 1, wire + 1, wire[0]))
			return false;
		at += 1 + wire[0];
		wire += 1 + wire[0];
	}
	return at < writer->len && !data[at] && !wire[0];
}

struct labels {
	int count;
	uint8_t at[MAX_LABELS];
	uint16_t slot[MAX_LABELS];	/* slot of the name that begins with this label */
};

/*
 * Finds where each label begins, and the slot of the name that begins there. Names are
 * hashed from the root up.
 */
static void packet_find_labels(const struct packet_writer *writer, const uint8_t *wire,
                               struct labels *labels)
{
	uint32_t hash = 2166136261u;	/* FNV-1a */

	labels->count = 0;
	for (int at = 0; wire[at]; at += 1 + wire[at])
		labels->at[labels->count++] = at;
	for (int i = labels->count - 1; i >= 0; i--) {
		const uint8_t *label = wire + labels->at[i];

		for (int k = 0; k <= label[0]; k++)
			hash = (hash ^ label[k]) * 16777619u;
		labels->slot[i] = (hash ^ hash >> 15) & (writer->slots - 1);
	}
}

/*
 * Finds the longest tail of the name that is in the message. Returns its first label and
 * sets its offset. Without such a tail, returns the number of labels.
 */
static int packet_find_name(const struct packet_writer *writer, const uint8_t *wire,
                            const struct labels *labels, size_t *at)
{
	for (int i = 0; i < labels->count; i++) {
		*at = writer->names[labels->slot[i]];
		if (*at && packet_name_is_at(writer, *at, wire + labels->at[i]))
			return i;
	}
	return labels->count;
}

static void packet_put_name(struct packet_writer *writer, const uint8_t *wire)
{
	struct labels labels;
	size_t target = 0, start = writer->len;
	int known, head;

	packet_find_labels(writer, wire, &labels);
	known = packet_find_name(writer, wire, &labels, &target);
	if (known == labels.count) {
		packet_put(writer, wire, name_wire_len(wire, NAME_MAX_WIRE));
	} else {
		head = labels.at[known];
		packet_put(writer, wire, head);
		packet_put_u16(writer, POINTER << 8 | target);
	}
	for (int i = 0; i < known && !writer->full; i++)
		if (start + labels.at[i] <= MAX_POINTED)
			writer->names[labels.slot[i]] = start + labels.at[i];
}

void packet_put_owner(struct packet_writer *writer, const uint8_t *owner)
{
	size_t at = writer->len;

	/* often equal to the owner of the previous record */
	if (writer->owner_at && packet_name_is_at(writer, writer->owner_at, owner)) {
		packet_put_u16(writer, POINTER << 8 | writer->owner_at);
		return;
	}
	packet_put_name(writer, owner);
	/* the root is shorter than a pointer to it */
	writer->owner_at = at <= MAX_POINTED && owner[0] ? at : 0;
}

void packet_put_question(struct packet_writer *writer, const struct name *name,
                         uint16_t type, uint16_t class)
{
	packet_put_owner(writer, name->wire);
	packet_put_u16(writer, type);
	packet_put_u16(writer, class);
}

/* Only names in types of RFC 1035 are compressed (RFC 3597 4). */
static const struct {
	uint16_t type;
	uint8_t before;		/* octets before the names */
	uint8_t names;
} layouts[] = {
	{ RR_NS,    0, 1 },
	{ RR_CNAME, 0, 1 },
	{ RR_PTR,   0, 1 },
	{ RR_MX,    2, 1 },
	{ RR_SOA,   0, 2 },
};

/*
 * The octets of the names, to check the rdata against its type; 0 if it does not match.
 */
static size_t packet_names_len(const struct rr *rr, int before, int names)
{
	size_t at = before;

	if (rr->rdata_len < before)
		return 0;
	for (int i = 0; i < names; i++) {
		size_t len = name_wire_len(rr->rdata + at, rr->rdata_len - at);

		if (!len)
			return 0;
		at += len;
	}
	return at - before;
}

static void packet_put_rdata(struct packet_writer *writer, const struct rr *rr)
{
	const uint8_t *from = rr->rdata, *end = rr->rdata + rr->rdata_len;

	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
		if (layouts[i].type != rr->type)
			continue;
		if (!packet_names_len(rr, layouts[i].before, layouts[i].names))
			break;
		packet_put(writer, from, layouts[i].before);
		from += layouts[i].before;
		for (int k = 0; k < layouts[i].names; k++) {
			packet_put_name(writer, from);
			from += name_wire_len(from, end - from);
		}
	}
	packet_put(writer, from, end - from);
}

void packet_put_rr(struct packet_writer *writer, const struct rr *rr)
{
	size_t start = writer->len, rdata;

	packet_put_owner(writer, rr->name);
	packet_put_u16(writer, rr->type);
	packet_put_u16(writer, RR_CLASS_IN);
	packet_put_u32(writer, rr->ttl);
	packet_put_u16(writer, 0);
	rdata = writer->len;
	packet_put_rdata(writer, rr);
	if (writer->full) {
		packet_cut(writer, start);
		writer->full = true;
		return;
	}
	packet_store_u16(writer->data + rdata - 2, writer->len - rdata);
}

void packet_cut(struct packet_writer *writer, size_t len)
{
	writer->len = len;
	writer->full = false;
	if (writer->owner_at >= len)
		writer->owner_at = 0;
	for (size_t i = 0; i < writer->slots; i++)
		if (writer->names[i] >= len)
			writer->names[i] = 0;
}

void packet_set_header(struct packet_writer *writer, const struct packet_header *header)
{
	packet_store_u16(writer->data, header->id);
	packet_store_u16(writer->data + 2, header->flags);
	for (int i = 0; i < SECTIONS; i++)
		packet_store_u16(writer->data + 4 + 2 * i, header->count[i]);
}

/*
 * packet -- DNS messages in wire form (RFC 1035 4): a reader that never looks
 * outside of its bytes, and a writer that compresses names.
 *
 * Both are sticky: after the first read that fails, or the first write that
 * does not fit, `broken` or `full` is set and all later calls do nothing, so
 * a caller works through a message in a row and asks once. Compression
 * pointers go strictly backwards, and the pointers followed in all names of a
 * message are counted together, so that no message is dear to read (RFC 9267).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/name.h"
#include "model/rr.h"

enum {
	PACKET_HEADER = 12,
	PACKET_MAX = 65535,
	PACKET_UDP_MIN = 512,		/* what a client without EDNS takes */
	/* what we send and say that we take: never a fragment */
	PACKET_UDP_MAX = 1232,
};

enum {
	FLAG_QR = 0x8000, FLAG_AA = 0x0400, FLAG_TC = 0x0200, FLAG_RD = 0x0100,
	FLAG_CD = 0x0010, FLAG_OPCODE = 0x7800, FLAG_RCODE = 0x000f,
};
enum { OPCODE_QUERY = 0, OPCODE_NOTIFY = 4, OPCODE_UPDATE = 5 };
enum { OPCODE_SHIFT = 11 };

enum rcode {
	RCODE_NOERROR = 0, RCODE_FORMERR = 1, RCODE_SERVFAIL = 2, RCODE_NXDOMAIN = 3,
	RCODE_NOTIMP = 4, RCODE_REFUSED = 5, RCODE_YXDOMAIN = 6, RCODE_YXRRSET = 7,
	RCODE_NXRRSET = 8, RCODE_NOTAUTH = 9, RCODE_NOTZONE = 10,
	RCODE_BADVERS = 16, RCODE_BADCOOKIE = 23,
};
/* "REFUSED"; "an error" for one we do not know */
const char *rcode_name(enum rcode rcode);

enum section {
	SECTION_QUESTION,
	SECTION_ANSWER,
	SECTION_AUTHORITY,
	SECTION_ADDITIONAL,
	SECTIONS
};

struct packet_header {
	uint16_t id, flags;
	uint16_t count[SECTIONS];
};

/* ---- read ---- */

struct packet_reader {
	const uint8_t *data;
	size_t len, at;
	unsigned pointers;		/* followed so far */
	bool broken;
};

struct packet_rr {
	struct name name;		/* in the message's own case */
	uint16_t type, class;
	uint32_t ttl;
	size_t rdata;			/* where it stands in the message */
	uint16_t rdata_len;
};

struct packet_reader packet_reader(const uint8_t *data, size_t len);
uint16_t packet_read_u16(struct packet_reader *reader);
uint32_t packet_read_u32(struct packet_reader *reader);
void packet_read_header(struct packet_reader *reader, struct packet_header *header);
void packet_read_name(struct packet_reader *reader, struct name *name);
void packet_read_rr(struct packet_reader *reader, struct packet_rr *rr);
/* A reader of the rdata alone: a name in it may point back, but not end behind it. */
struct packet_reader packet_rdata(const struct packet_reader *reader,
                                  const struct packet_rr *rr);
/* The serial of an SOA; false if its rdata is not exactly that of an SOA. */
bool packet_soa_serial(const struct packet_reader *reader, const struct packet_rr *rr,
                       uint32_t *serial);

/* ---- write ---- */

enum { PACKET_NAMES = 2048, PACKET_FEW_NAMES = 64 };

struct packet_writer {
	uint8_t *data;
	size_t limit, len;
	bool full;
	/* where that of the last record stands; 0: nowhere */
	uint16_t owner_at;
	/* where a name of that hash was written; 0: nowhere. Few may be for a datagram. */
	unsigned slots;
	uint16_t names[PACKET_NAMES];
};

/* The first LIMIT bytes of DATA, beginning with a header of zeroes. */
void packet_writer_init(struct packet_writer *writer, uint8_t *data, size_t limit);
void packet_put(struct packet_writer *writer, const void *data, size_t len);
void packet_put_u16(struct packet_writer *writer, uint16_t value);
void packet_put_u32(struct packet_writer *writer, uint32_t value);
/* What stands first: a record that has the same owner points to it. */
void packet_put_question(struct packet_writer *writer, const struct name *name,
                         uint16_t type, uint16_t class);
/* The owner of a record, whose other fields follow. */
void packet_put_owner(struct packet_writer *writer, const uint8_t *owner);
/*
 * Uncompressed names in, as model/rr.h has them. All of it or,
 * with `full` set, nothing.
 */
void packet_put_rr(struct packet_writer *writer, const struct rr *rr);
/* Back to an earlier len: a record set that did not fit goes as a whole. */
void packet_cut(struct packet_writer *writer, size_t len);
void packet_set_header(struct packet_writer *writer, const struct packet_header *header);

/*
 * packet -- DNS messages in wire form (RFC 1035 4): a reader that never reads outside
 * the bytes of the message, and a writer that compresses names.
 *
 * The reader and the writer remember failures. A failed read sets `broken`. A write that
 * does not fit sets `full`. After a failure, later calls have no effect. So a caller
 * makes all its calls and checks `broken` or `full` once at the end. Compression
 * pointers must point backwards. The number of pointers in a message is limited, so that
 * every message is cheap to read (RFC 9267).
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
	/* maximum size of a message over UDP to a client without EDNS */
	PACKET_UDP_MIN = 512,
	/*
	 * maximum size that zonefleet sends over UDP and announces with EDNS, to avoid
	 * fragments
	 */
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
/*
 * Returns the name of the rcode, for example "REFUSED". For an unknown rcode, returns
 * "an error".
 */
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
	/* number of compression pointers that the reader has followed */
	unsigned pointers;
	bool broken;
};

struct packet_rr {
	struct name name;		/* with the case of the letters in the message */
	uint16_t type, class;
	uint32_t ttl;
	size_t rdata;			/* offset of the rdata in the message */
	uint16_t rdata_len;
};

struct packet_reader packet_reader(const uint8_t *data, size_t len);
uint16_t packet_read_u16(struct packet_reader *reader);
uint32_t packet_read_u32(struct packet_reader *reader);
void packet_read_header(struct packet_reader *reader, struct packet_header *header);
void packet_read_name(struct packet_reader *reader, struct name *name);
void packet_read_rr(struct packet_reader *reader, struct packet_rr *rr);
/*
 * Returns a reader for the rdata of RR. A name in the rdata can contain a compression
 * pointer to an earlier part of the message. The octets of the name in the rdata, with
 * this pointer, must end within the rdata.
 */
struct packet_reader packet_rdata(const struct packet_reader *reader,
                                  const struct packet_rr *rr);
/* Reads the serial in the rdata of RR, an SOA record. False: the rdata is malformed. */
bool packet_soa_serial(const struct packet_reader *reader, const struct packet_rr *rr,
                       uint32_t *serial);

/* ---- write ---- */

enum { PACKET_NAMES = 2048, PACKET_FEW_NAMES = 64 };

struct packet_writer {
	uint8_t *data;
	size_t limit, len;
	bool full;
	/*
	 * offset of the owner of the last record, or of the name in the question; 0: no
	 * such name
	 */
	uint16_t owner_at;
	/*
	 * hash table of the names in the message. Value: the offset of the name; 0: the
	 * slot is empty. A message of at most PACKET_UDP_MAX bytes uses only
	 * PACKET_FEW_NAMES slots
	 */
	unsigned slots;
	uint16_t names[PACKET_NAMES];
};

/* Begins a message in the first LIMIT bytes of DATA, and writes a header of zeroes. */
void packet_writer_init(struct packet_writer *writer, uint8_t *data, size_t limit);
void packet_put(struct packet_writer *writer, const void *data, size_t len);
void packet_put_u16(struct packet_writer *writer, uint16_t value);
void packet_put_u32(struct packet_writer *writer, uint32_t value);
/*
 * Writes the question. Call this function before you write records. If a record has the
 * owner NAME, the writer writes a compression pointer instead of the owner.
 */
void packet_put_question(struct packet_writer *writer, const struct name *name,
                         uint16_t type, uint16_t class);
/* Writes the owner of a record. The caller writes the other fields. */
void packet_put_owner(struct packet_writer *writer, const uint8_t *owner);
/*
 * Writes the whole record, or sets `full` and writes nothing. The names in RR must be
 * uncompressed (model/rr.h).
 */
void packet_put_rr(struct packet_writer *writer, const struct rr *rr);
/* Cuts the message to LEN, an earlier length, to remove a record set that did not fit. */
void packet_cut(struct packet_writer *writer, size_t len);
void packet_set_header(struct packet_writer *writer, const struct packet_header *header);

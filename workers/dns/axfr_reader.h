/*
 * axfr_reader -- reads a zone that a server sends by AXFR (RFC 5936), message by
 * message. The reader makes the query. Then it returns the records of each message until
 * the SOA arrives for the second time. The caller must not use the records before the
 * end of the transfer, because a failed transfer does not mean that the zone is empty.
 * The reader stores no messages. It stores only the SOA of the zone.
 *
 * In a signed transfer, the first and the last message must contain a TSIG record. At
 * least one of every hundred consecutive messages must also contain a TSIG record (RFC
 * 8945 5.3.1). The records of messages without a TSIG record arrive before a MAC covers
 * them. So only the end of the transfer proves that these records are authentic.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dns/canonical.h"
#include "dns/packet.h"
#include "dns/tsig.h"

enum axfr_reader_step {
	AXFR_READER_RECORD,	/* the next record; the SOA comes once */
	/* no more records in this message: wait for the next message */
	AXFR_READER_MORE,
	AXFR_READER_END,	/* the zone is complete */
	AXFR_READER_REFUSED,	/* the answer has an rcode other than NOERROR */
	/* a message or record is not valid, or the zone exceeds the limits */
	AXFR_READER_BROKEN,
};

enum { AXFR_QUERY_MAX = 1024 };		/* octets of the query */

struct axfr_limits {
	uint64_t records, octets;	/* of a zone */
};

struct axfr_reader {
	uint16_t id;
	struct name zone;		/* in lower case */
	struct axfr_limits limits;
	bool is_signed;
	struct tsig_chain chain;	/* if `is_signed` */
	struct tsig_gap gap;
	/* the current message */
	struct packet_reader reader;
	unsigned left;			/* unread records of the message */
	bool is_verified;		/* a MAC has covered all records so far */
	/* the part of the zone that was read so far */
	bool has_soa, ended;
	uint32_t serial;		/* after the first record */
	uint8_t soa[2 * NAME_MAX_WIRE + CANONICAL_FIXED + NAME_MAX_WIRE + 20];
	size_t soa_len;
	uint64_t messages, records, octets;
	/* the reason for REFUSED or BROKEN; a text to print after the server's name */
	const char *fault;
	enum rcode rcode;
	/*
	 * the server's time, if the server refuses the time of the query with a valid
	 * MAC; otherwise 0
	 */
	uint64_t server_time;
};

/*
 * Writes the query to DATA, which has AXFR_QUERY_MAX octets. Signs the query with KEY
 * unless KEY is NULL. NOW: unix seconds. Returns the length of the query.
 */
size_t axfr_reader_query(struct axfr_reader *axfr, const struct name *zone, uint16_t id,
                         const struct tsig_key *key, uint64_t now, uint8_t *data);
/*
 * Adds the next message. The reader borrows DATA until the caller has read all records of
 * this message. False: the reader refuses the message, and axfr->fault is the reason.
 */
bool axfr_reader_add(struct axfr_reader *axfr, const uint8_t *data, size_t len,
                     uint64_t now);
enum axfr_reader_step axfr_reader_next(struct axfr_reader *axfr,
                                       struct canonical *record);
/* Wipes the key and frees the memory of the reader. */
void axfr_reader_clear(struct axfr_reader *axfr);

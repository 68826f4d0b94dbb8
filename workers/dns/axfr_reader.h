/*
 * axfr_reader -- reads a zone that a server sends by AXFR (RFC 5936), message by message.
 * The reader makes the query. Then the reader returns the records of each message until
 * the SOA record arrives for the second time. The caller must not use the records before
 * the end of the transfer, because the transfer can still fail. The reader stores the SOA
 * record of the zone, but no other records.
 *
 * In a signed transfer, the first and the last message must contain a TSIG record. At
 * least one of every hundred consecutive messages must also contain a TSIG record (RFC
 * 8945 5.3.1). The reader returns the records of a message even if only a later MAC
 * covers this message. So the records are known to be authentic only after
 * AXFR_READER_END.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dns/canonical.h"
#include "dns/packet.h"
#include "dns/tsig.h"

enum axfr_reader_step {
	/* `record` is the next record; the reader returns the SOA record only once */
	AXFR_READER_RECORD,
	/* this message has no more records; the caller waits for the next message */
	AXFR_READER_MORE,
	/* the transfer is complete; if `is_signed` is true, all records are authentic */
	AXFR_READER_END,
	AXFR_READER_REFUSED,	/* the server answers with an rcode other than NOERROR */
	/* a message or record is not valid, or the zone exceeds the limits */
	AXFR_READER_BROKEN,
};

enum { AXFR_QUERY_MAX = 1024 };		/* maximum size of the query in octets */

struct axfr_limits {
	/* maximum numbers of records and octets of a zone */
	uint64_t records, octets;
};

struct axfr_reader {
	uint16_t id;
	struct name zone;		/* name of the zone, in lower case */
	struct axfr_limits limits;
	bool is_signed;
	struct tsig_chain chain;	/* only if `is_signed` is true */
	struct tsig_gap gap;
	/* ---- the current message ---- */
	struct packet_reader reader;
	/* number of unread records in the current message */
	unsigned left;
	bool is_verified;		/* true: a valid MAC covers all messages so far */
	/* ---- the part of the zone that the reader has read ---- */
	bool has_soa, ended;
	uint32_t serial;	/* serial of the zone; valid after the first record */
	uint8_t soa[2 * NAME_MAX_WIRE + CANONICAL_FIXED + NAME_MAX_WIRE + 20];
	size_t soa_len;
	uint64_t messages, records, octets;
	/*
	 * the reason for AXFR_READER_REFUSED or _BROKEN, as the end of a sentence that
	 * begins with the name of the server
	 */
	const char *fault;
	enum rcode rcode;
	/*
	 * the server's time, if the server answers BADTIME with a valid MAC; otherwise 0
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
 * Adds the next message of the server. The reader borrows DATA until the caller has read
 * all records of this message. False: the reader refuses the message, and axfr->fault
 * contains the reason.
 */
bool axfr_reader_add(struct axfr_reader *axfr, const uint8_t *data, size_t len,
                     uint64_t now);
enum axfr_reader_step axfr_reader_next(struct axfr_reader *axfr,
                                       struct canonical *record);
/* Wipes the key and frees the memory of the reader. */
void axfr_reader_clear(struct axfr_reader *axfr);

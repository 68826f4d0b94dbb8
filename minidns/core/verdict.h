/*
 * verdict -- what an answer to a question of ours says. The poller asks a
 * name server for the SOA of a zone; from what comes back only an answer to
 * this very question counts (RFC 5452: id, question, opcode; the socket is
 * connected, which leaves the source), and of those each says one thing:
 *
 *	serial	  it serves the zone, at this serial
 *	absent	  it does not have the zone: REFUSED, NOTAUTH, NXDOMAIN, or no
 *		  error and no SOA of that name
 *	lame	  it has an SOA, but without authority
 *	failed	  any other rcode: it may have the zone, and cannot say
 *
 * Silence is none of these and never read as absence.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/packet.h"

enum verdict {
	VERDICT_MISMATCH,	/* not an answer to this question: keep waiting */
	VERDICT_TRUNCATED,	/* ask again over TCP */
	VERDICT_SERIAL,
	VERDICT_ABSENT,
	VERDICT_LAME,
	VERDICT_FAILED,
	VERDICT_COUNT
};
const char *verdict_name(enum verdict verdict);	/* "serial" */

struct ask {
	uint16_t id;
	int opcode;		/* QUERY: for the SOA; NOTIFY */
	struct name zone;
};

struct judgement {
	enum verdict verdict;
	enum rcode rcode;
	uint32_t serial;	/* of VERDICT_SERIAL */
};

/* The question as a message; returns its length. DATA has 512 octets. */
size_t ask_encode(const struct ask *ask, uint8_t *data);
/* A NOTIFY that was answered without an error is VERDICT_SERIAL, else FAILED. */
struct judgement verdict_of(const struct ask *ask, const uint8_t *data, size_t len);

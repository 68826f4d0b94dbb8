/*
 * primary -- the name server that accepts updates of a zone and answers queries for it.
 * The server is foreign, so zonefleet-ownership checks each message and limits each
 * wait.
 *
 * A zone transfer has its own TCP connection. Updates and queries share another
 * connection. This connection stays open for the next message. zonefleet-ownership
 * closes it after an idle time, an error, or a cancellation. With a key it signs all
 * messages, and unsigned answers do not count. If the server answers BADTIME,
 * zonefleet-ownership signs the message again once, with the server's time (RFC 8945
 * 5.2.3).
 *
 * At most one operation of each kind at a time; a second operation is a bug. Callbacks
 * may start, cancel and free anything here. No callback comes from within a call or
 * after a cancellation. Texts are valid until the callback returns, and follow the name
 * of a server.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/outcome.h"
#include "core/rrset.h"
#include "core/update.h"
#include "dns/address.h"
#include "dns/axfr_reader.h"
#include "dns/canonical.h"
#include "dns/tsig.h"
#include "model/name.h"

struct lookup;
struct loop;
struct primary;

struct primary_config {
	struct name zone;		/* in lower case */
	struct address server;
	struct lookup *lookup;		/* of the address; NULL: use SERVER */
	struct address local;		/* source address; 0 bits: any */
	const struct tsig_key *key;	/* copied; NULL: we do not sign messages */
	int silence_ms;			/* timeout of each wait for the server */
	int whole_ms;			/* time limit of a zone transfer or an answer */
	int idle_ms;			/* longest time of an idle connection */
	struct axfr_limits limits;	/* limits of the zone */
};

struct primary *primary_new(struct loop *loop, const struct primary_config *config);
/* Cancels all operations. */
void primary_free(struct primary **primary);

/* ---- the zone, by AXFR ---- */

struct primary_reader {
	/*
	 * Gets each record; the records are void if the transfer fails later. The SOA
	 * comes once.
	 */
	void (*record)(void *self, const struct canonical *record);
	/* FAULT: why the transfer failed; NULL: it is complete, with SERIAL. */
	void (*end)(void *self, const char *fault, uint32_t serial);
	void *self;
};

void primary_read(struct primary *primary, const struct primary_reader *reader);
void primary_cancel_read(struct primary *primary);

/* ---- updates ---- */

/*
 * WORDS is "" with APPLIED. AGAIN: the server may have applied the updates or not; send
 * them again. FAILED may mean that the updates are too large for a message.
 */
typedef void primary_sent_fn(void *self, enum outcome outcome, const char *words);

/* Sends COUNT updates in one message. The caller may free them after the call. */
void primary_send(struct primary *primary, const struct update *const *updates,
                  size_t count, primary_sent_fn *done, void *self);
/* The server may still apply the message. */
void primary_cancel_send(struct primary *primary);

/* ---- one set ---- */

/*
 * FAULT: why there is no answer. NULL: SET has the sorted records, perhaps zero. It is
 * valid until the function returns.
 */
typedef void primary_asked_fn(void *self, const char *fault, const struct rrset *set);

/*
 * Queries the set of TYPE at NAME. Only an authoritative answer counts, so a delegation
 * (NS) is a fault. The answer may come from a wildcard.
 */
void primary_ask(struct primary *primary, const struct name *name, uint16_t type,
                 primary_asked_fn *done, void *self);
void primary_cancel_ask(struct primary *primary);

/*
 * primary -- a connection to the name server that accepts dynamic updates of a zone and
 * answers queries about the zone. The server does not belong to the fleet, so
 * zonefleet-ownership checks each message from this server and limits the time of each
 * wait.
 *
 * Each zone transfer uses its own TCP connection. Dynamic updates and queries share
 * another connection. zonefleet-ownership closes the shared connection when an error
 * occurs or the caller cancels an operation. zonefleet-ownership also closes the
 * connection after idle_ms without a message. If the registry has a key,
 * zonefleet-ownership signs all messages and rejects unsigned answers. If the server
 * answers with BADTIME, zonefleet-ownership signs the message again with the server's
 * time (RFC 8945 5.2.3), but only once.
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
	/* looks up the address of the server; NULL: use `server` */
	struct lookup *lookup;
	/* source address of connections; 0 bits: any address */
	struct address local;
	/* primary_new() copies the key; NULL: do not sign messages */
	const struct tsig_key *key;
	int silence_ms;			/* time limit of each wait for the server */
	int whole_ms;			/* time limit of a zone transfer or an answer */
	/* time after which zonefleet-ownership closes an idle connection */
	int idle_ms;
	struct axfr_limits limits;	/* limits of a zone transfer */
};

/*
 * Makes a primary. Connects only when an operation starts.
 *
 * At most one operation of each kind can run at a time. A callback may start and cancel
 * operations and free the primary. No callback runs inside a function of this module or
 * after a cancellation. The strings that a callback gets are valid until the callback
 * returns.
 */
struct primary *primary_new(struct loop *loop, const struct primary_config *config);
/* Cancels all operations. */
void primary_free(struct primary **primary);

/* ---- the zone, by AXFR ---- */

struct primary_reader {
	/*
	 * This callback gets each record of the zone, but the SOA record only once. If
	 * the transfer fails after this call, the records are not valid.
	 */
	void (*record)(void *self, const struct canonical *record);
	/*
	 * FAULT: the reason why the transfer failed. NULL: the transfer is complete, and
	 * SERIAL is the serial of the zone.
	 */
	void (*end)(void *self, const char *fault, uint32_t serial);
	void *self;
};

void primary_read(struct primary *primary, const struct primary_reader *reader);
void primary_cancel_read(struct primary *primary);

/* ---- updates ---- */

/*
 * This callback gets the outcome of a message. WORDS: the reason, to print after the
 * name of the server; "" for APPLIED. AGAIN: it is unknown whether the server has
 * applied the updates. Send the updates again. FAILED can also mean that the updates are
 * too large for a message.
 */
typedef void primary_sent_fn(void *self, enum outcome outcome, const char *words);

/* Sends COUNT updates in one message. The caller may free the updates after the call. */
void primary_send(struct primary *primary, const struct update *const *updates,
                  size_t count, primary_sent_fn *done, void *self);
/* Cancels primary_send(). It is possible that the server still applies the message. */
void primary_cancel_send(struct primary *primary);

/* ---- one set ---- */

/*
 * This callback gets the answer to a query. FAULT: the reason why there is no answer.
 * FAULT NULL: SET contains the sorted records, or is empty. SET is valid until the
 * callback returns.
 */
typedef void primary_asked_fn(void *self, const char *fault, const struct rrset *set);

/*
 * Queries the set of TYPE at NAME. This function accepts only an authoritative answer,
 * so a delegation (NS) is a fault. The answer can come from a wildcard.
 */
void primary_ask(struct primary *primary, const struct name *name, uint16_t type,
                 primary_asked_fn *done, void *self);
void primary_cancel_ask(struct primary *primary);

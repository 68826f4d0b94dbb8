/*
 * primary -- the name server that takes updates of a zone, and says what is in it. It is
 * somebody else's: all that it sends is looked at, and nothing is waited for without end.
 *
 * A zone is read over a TCP connection of its own. Messages and questions go over one
 * that is kept for the next of them, and closed when it was idle for a while, at an
 * error, and when one of them is cancelled. With a key all is signed, and is heard under
 * its signature only; a server that signs that our clock is wrong is asked again, by its
 * own, once for each, and from then on (RFC 8945 5.2.3).
 *
 * At most one of each kind at a time: a bug otherwise. What they call may begin, cancel
 * and free anything here; nothing is called from within the calls of this file, nor once
 * it was cancelled. Words go behind the server's name, until the callee returns.
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
	struct lookup *lookup;		/* whose address it has; NULL: SERVER is all */
	struct address local;		/* to leave from; of 0 bits: any */
	const struct tsig_key *key;	/* copied; NULL: nothing is signed */
	int silence_ms;			/* how long it may say nothing */
	int whole_ms;			/* how long a zone, or an answer, may take */
	int idle_ms;			/* how long a connection is kept */
	struct axfr_limits limits;	/* of the zone */
};

struct primary *primary_new(struct loop *loop, const struct primary_config *config);
/* With all that is under way. */
void primary_free(struct primary **primary);

/* ---- the zone, by AXFR ---- */

struct primary_reader {
	/* As it came; nothing, if the zone does not end well. The SOA comes once. */
	void (*record)(void *self, const struct canonical *record);
	/* FAULT: the zone did not come whole; NULL: it did, and was of SERIAL. */
	void (*end)(void *self, const char *fault, uint32_t serial);
	void *self;
};

void primary_read(struct primary *primary, const struct primary_reader *reader);
void primary_cancel_read(struct primary *primary);

/* ---- updates ---- */

/*
 * WORDS are "" of APPLIED. AGAIN: nobody knows whether it was done, and it may be sent
 * again, which makes a new message of it. FAILED may be for want of room in a message.
 */
typedef void primary_sent_fn(void *self, enum outcome outcome, const char *words);

/* COUNT of them in one message; they are not looked at afterwards. */
void primary_send(struct primary *primary, const struct update *const *updates,
                  size_t count, primary_sent_fn *done, void *self);
/* It may have been done, or still be. */
void primary_cancel_send(struct primary *primary);

/* ---- one set ---- */

/*
 * FAULT: there is no telling; else NULL, and SET has what is there, sorted, or no
 * records. It is gone when the function returns.
 */
typedef void primary_asked_fn(void *self, const char *fault, const struct rrset *set);

/*
 * The set of TYPE at NAME, as the server's own answer has it: not what it only passes on,
 * so of a delegation (NS) there is no telling; and with what a wildcard makes of it.
 */
void primary_ask(struct primary *primary, const struct name *name, uint16_t type,
                 primary_asked_fn *done, void *self);
void primary_cancel_ask(struct primary *primary);

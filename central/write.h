/*
 * write -- a writing call has one effect, however often its message comes.
 *
 * The handler runs in a transaction that is open; its answer is kept beside
 * what it wrote, under the message's unique id, with a digest of the call. Another
 * call with the same id is ERR_CONFLICT, and is not done. A message that comes again
 * finds the answer: at once when the broker says it was delivered before,
 * else when the id cannot be inserted, or when the handler refuses (for
 * what its twin did may be the reason: "exists already").
 *
 * Calls that wait at the same time share a transaction, and so its way to
 * the disk, for up to 20 ms; each keeps its own serial (edit.h). Should it fail, for
 * one of them is refused or late, each is run by itself; so is one whose domain is locked,
 * and ends in ERR_LOCKED. A call of a batch waits a moment for such a row. Once one has waited
 * in vain, no other of the batch waits. Several may wait with success: no further call begins
 * after BUDGET_MS, and those that are left end in ERR_BUSY.
 */
#pragma once

#include "central.h"
#include "core/zone.h"
#include "runtime/tx.h"
#include "store.h"
#include "store_buffer.h"

struct edit;
struct rrsets;

/* A writing call on its way. */
struct write {
	struct central *central;
	struct request *req;
	struct tx *tx;			/* of all that share it; why is this call's */
	struct access access;
	struct arena *arena;
	struct store_buffer *buffer;	/* rows of all calls of the transaction */
	/* its domain as it was before the transaction, which has locked it; NULL: see */
	const struct zone *locked;
	struct edit *edit;		/* what it asks for, if that was decoded first */
	struct rrsets *ahead;		/* what that touches, if it was read (edit.h) */
	/* the cast to the domain's pool manager after the commit; NULL: none */
	const char *cast_method;	/* create_domain, ... */
	bool catalog_changed;		/* the catalog zone of its pool is out of date */
	bool on_lane;			/* not on the loop: it may wait for locks */
	struct zone zone;
};

enum store_wait write_wait(const struct write *write);

/* Decode, read, decide, write. The first failure may be left to the transaction. */
typedef enum err write_handler(struct write *write);

struct once_method {
	/* before there is a transaction: what is wrong then spoils no other's */
	write_handler *decode;		/* may be NULL */
	write_handler *run;
	/* of several whose domains are locked, by one statement; may be NULL */
	void (*read_ahead)(struct tx *tx, struct write *writes, size_t count);
};

/* One errs[] each. */
void once_run(struct central *central, struct request *const *reqs, size_t count,
              const struct once_method *method, enum err *errs);

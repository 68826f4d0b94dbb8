/*
 * write -- runs the calls that change the database. A message that arrives twice has only
 * one effect. One transaction can contain the changes of several calls.
 *
 * The transaction of a call also writes the answer and a digest of the call, under the
 * unique id of the message. If a message arrives twice, central returns the stored
 * answer. central looks for a stored answer in three cases: the broker has redelivered
 * the message, the id already exists, or the handler refuses the call. In the last case,
 * the reason may be that the first delivery has succeeded ("already exists"). A different
 * call with the same id gets ERR_CONFLICT. A stored answer writes no second line about
 * the change (rpc_changed()).
 */
#pragma once

#include "central.h"
#include "core/zone.h"
#include "runtime/tx.h"
#include "store.h"
#include "store_buffer.h"

struct edit;
struct rrsets;

/* One call. */
struct write {
	struct central *central;
	struct request *req;
	/* shared by the group; tx->why belongs to this call */
	struct tx *tx;
	struct access access;
	struct arena *arena;
	struct store_buffer *buffer;	/* rows of all calls of the transaction */
	/* the domain, locked and read for the group; NULL: the handler locks it */
	const struct zone *locked_zone;
	struct edit *edit;		/* from write_method.decode */
	/* the record sets of the edit; NULL: not read yet */
	struct rrsets *prefetched;
	/* the cast to the domain's pool manager after the commit; NULL: no cast */
	const char *cast_method;	/* create_domain, ... */
	bool catalog_changed;		/* the catalog zone of the pool is out of date */
	bool is_forced;			/* the argument `force` */
	bool keeps_unmanaged;		/* the argument `replace` is false */
	bool on_lane;			/* true: the call may wait for locks */
	struct zone zone;
};

enum store_wait write_wait(const struct write *write);

/* Decodes, reads, decides, writes. An error may also be in write->tx. */
typedef enum err write_handler(struct write *write);

struct write_method {
	/*
	 * runs before the transaction, so its error does not affect other calls; may be
	 * NULL
	 */
	write_handler *decode;
	write_handler *run;
	/* reads for several locked domains with one statement; may be NULL */
	void (*prefetch)(struct tx *tx, struct write *writes, size_t count);
};

/*
 * Runs the calls of a batch. errs[]: the result of each request.
 *
 * Group commit: calls that are waiting at the same time share a transaction for up to 20
 * ms. With group commit, changes to 500 domains become ACTIVE 1.5 times as fast, and
 * central accepts them 1.6 times as fast (tests/bench/run, medians of two runs each).
 * Each call has its own serial (edit.h). If the transaction fails, each call runs alone.
 * A call whose domain is locked also runs alone. This call waits a moment for the row
 * only if another call about this domain has just succeeded (rpc_redo.h). After the first
 * ERR_LOCKED the rest of the batch does not wait. After BUDGET_MS no call begins, and the
 * rest of the batch gets ERR_BUSY.
 */
void write_run(struct central *central, struct request *const *reqs, size_t count,
               const struct write_method *method, enum err *errs);

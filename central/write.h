/*
 * write -- runs the calls that change the database. A message that arrives twice has only
 * one effect. One transaction can contain the changes of several calls.
 *
 * The transaction of a call also writes the answer and a digest of the call, under the
 * unique id of the message. If a message arrives twice, central returns the stored
 * answer. central looks for a stored answer if the broker has redelivered the message, or
 * if the id already exists. central also looks for a stored answer if the handler refuses
 * the call, or if the connection broke before the answer to COMMIT. For example, a
 * handler refuses the creation of a domain that the first delivery of the same message
 * has already created. A different call with the same id gets ERR_CONFLICT. If central
 * returns the stored answer of an earlier delivery, central writes no second log line
 * about the change (rpc_changed()).
 */
#pragma once

#include "central.h"
#include "core/usage.h"
#include "core/zone.h"
#include "runtime/tx.h"
#include "store.h"
#include "store_buffer.h"

struct edit;
struct rrsets;
struct share_rights;

/* One call. */
struct write {
	struct central *central;
	struct request *req;
	/*
	 * the transaction of the group; while the handler of this call runs, tx->why is
	 * the reason of this call
	 */
	struct tx *tx;
	struct access access;
	struct arena *arena;
	struct store_buffer *buffer;	/* rows of all calls of the transaction */
	/*
	 * the domain that the group has locked and read; NULL: the handler locks the
	 * domain
	 */
	const struct zone *locked_zone;
	/*
	 * the rights of a caller that changes record sets in a domain of another tenant;
	 * NULL: the caller may change the whole domain
	 */
	const struct share_rights *share;
	struct edit *edit;		/* the result of write_method.decode */
	/* the record sets of the edit; NULL: not read yet */
	struct rrsets *prefetched;
	/* the cast to the domain's pool manager after the commit; NULL: no cast */
	const char *cast_method;	/* create_domain, ... */
	bool catalog_changed;		/* the catalog zone of the pool is out of date */
	/* of the tenants that get or lose a domain */
	struct usage_change usage[USAGE_CHANGES_MAX];
	bool is_forced;			/* the argument `force` */
	bool keeps_unmanaged;		/* the argument `replace` is false */
	/* the call runs on a lane, so its statements wait for locks (STORE_WAIT_LONG) */
	bool on_lane;
	struct zone zone;
};

enum store_wait write_wait(const struct write *write);

/*
 * Handles one call: decodes, reads, decides, writes. The error can also be in write->tx.
 */
typedef enum err write_handler(struct write *write);

struct write_method {
	/*
	 * runs before the transaction, so that an error does not affect the other calls;
	 * may be NULL
	 */
	write_handler *decode;
	write_handler *run;
	/*
	 * reads what RUN needs, for several locked domains with one statement; may be
	 * NULL
	 */
	void (*prefetch)(struct tx *tx, struct write *writes, size_t count);
};

/*
 * Runs the calls of a batch. Writes the result of the call reqs[i] to errs[i].
 *
 * Group commit: up to 32 waiting calls share a transaction. After 20 ms, the transaction
 * starts no further call and commits. With group commit, changes to 500 domains become
 * ACTIVE 1.5 times as fast, and central accepts them 1.6 times as fast (tests/bench/run,
 * medians of two runs each). Each call gets its own serial (edit.h). If the transaction
 * fails, each call runs again in its own transaction. A redelivered call, and a call
 * whose domain is locked, also run in their own transactions. A call waits for a locked
 * row only if another call about the domain has just succeeded (rpc_redo.h). The call
 * waits at most 0.25 s. After the first ERR_LOCKED, no other call of the batch waits.
 * After 5 seconds, no further call of the batch begins. The remaining calls get ERR_BUSY.
 */
void write_run(struct central *central, struct request *const *reqs, size_t count,
               const struct write_method *method, enum err *errs);

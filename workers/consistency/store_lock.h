/*
 * store_lock -- the statements of the distributed lock (seed 004). Who holds an object's
 * row in distributed_locks is its only holder in the fleet, until he gives it back or
 * lets its time pass without renewing it, by the database's clock. Then another may take it
 * over; each taking raises the fence, and what was written under an older one is refused
 * (lock_guard). holder.h keeps what a process holds.
 *
 * Each is one statement, a compare-and-swap, that needs no transaction around it: so it
 * is one certified write on a Galera cluster, where locks of rows do not reach the other
 * nodes. All are harmless when run twice.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "runtime/tx.h"

enum { LOCK_OBJECT_MAX = 255 };

/* Who takes: a session is a process's life. The owner is for people. */
struct lock_session {
	const char *id;			/* 32 hex */
	const char *owner;
	int ttl_ms;
};

/* What was taken. */
struct lock {
	char object[LOCK_OBJECT_MAX + 1];
	uint64_t fence;			/* 0: nothing was */
};

/*
 * Free, past its time, or this session's own already: taken, with a new fence. False:
 * another holds it. A second statement when the object has no row yet, or is held.
 */
bool lock_try(struct tx *tx, const char *object, const struct lock_session *session,
              struct lock *lock);
/*
 * Renews it, and fails the transaction with ERR_BUSY if it is no longer held. In the
 * transaction that it guards this is the first statement: two holders write one row
 * then, and only one of them can commit.
 */
void lock_guard(struct tx *tx, const struct lock *lock,
                const struct lock_session *session);
/* Renews all that the session holds. */
void lock_renew(struct tx *tx, const struct lock_session *session);
/* All that it holds. */
struct lock_rows { struct tx_rows rows; };
void lock_select(struct tx *tx, const struct lock_session *session,
                 struct lock_rows *rows);
bool lock_next(struct lock_rows *rows, struct lock *lock);
/* Gives it back. It may have been lost, which is no matter here. */
void lock_release(struct tx *tx, const struct lock *lock,
                  const struct lock_session *session);
/* Whatever it still holds, at the end of its life. */
void lock_release_all(struct tx *tx, const struct lock_session *session);

/* Who holds it now, for words; "" if nobody seems to. */
const char *lock_owner(struct tx *tx, struct arena *arena, const char *object);
/* Rows that nobody has held for an hour, or whose holder is long dead; at most 1000. */
void lock_forget(struct tx *tx);

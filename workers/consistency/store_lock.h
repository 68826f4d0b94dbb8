/*
 * store_lock -- the statements of the distributed lock (seed 004). An object has a row
 * in distributed_locks. The session in this row is the only holder in the fleet, until
 * it releases the lock or does not renew it in time, by the database's clock. Then
 * another session may take the lock. Each time the fence grows, and lock_guard() refuses
 * writes under an older fence. holder.h keeps the locks of a process.
 *
 * Each function is one statement, a compare-and-swap, that needs no transaction around
 * it. So it is one certified write on a Galera cluster, where row locks do not reach the
 * other nodes. All statements are safe to run twice.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "runtime/tx.h"

enum { LOCK_OBJECT_MAX = 255 };

/*
 * The holder of locks. A session lasts as long as its process. The owner is for people.
 */
struct lock_session {
	const char *id;			/* 32 hexadecimal digits */
	const char *owner;
	int ttl_ms;
};

/* A lock that a session has taken. */
struct lock {
	char object[LOCK_OBJECT_MAX + 1];
	uint64_t fence;			/* 0: not taken */
};

/*
 * Takes the lock with a new fence, if it is free, has expired, or belongs to this
 * session. False: another session holds it. It needs a second statement if the object
 * has no row yet or a session holds the lock.
 */
bool lock_try(struct tx *tx, const char *object, const struct lock_session *session,
              struct lock *lock);
/*
 * Renews the lock. If the session does not hold it any more, the transaction fails with
 * ERR_BUSY. Make it the first statement of the transaction that it guards: then two
 * holders write the same row, and only one of them can commit.
 */
void lock_guard(struct tx *tx, const struct lock *lock,
                const struct lock_session *session);
/* Renews all locks of the session. */
void lock_renew(struct tx *tx, const struct lock_session *session);
/* Reads all locks of the session. */
struct lock_rows { struct tx_rows rows; };
void lock_select(struct tx *tx, const struct lock_session *session,
                 struct lock_rows *rows);
bool lock_next(struct lock_rows *rows, struct lock *lock);
/* Releases the lock. It is not an error if the session has lost it. */
void lock_release(struct tx *tx, const struct lock *lock,
                  const struct lock_session *session);
/* Releases all locks of the session when it ends. */
void lock_release_all(struct tx *tx, const struct lock_session *session);

/* The present holder, for messages; "" if the lock seems to be free. */
const char *lock_owner(struct tx *tx, struct arena *arena, const char *object);
/*
 * Deletes rows of locks that were free for an hour or whose holder is dead for long; at
 * most 1000.
 */
void lock_forget(struct tx *tx);

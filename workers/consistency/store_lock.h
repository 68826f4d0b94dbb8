/*
 * store_lock -- the SQL statements for distributed locks (requirements: seed 004). Each
 * object has a row in distributed_locks, and the session in this row holds the lock.
 * Another session can take the lock after the first session has released it. Another
 * session can also take the lock after the lock has expired, because the first session
 * has not renewed it. All times come from the clock of the database. Each time a session
 * takes the lock, the fence grows. lock_guard() refuses writes with an older fence.
 * holder.h manages the locks of a process.
 *
 * Each statement that takes, renews or releases a lock is a compare-and-swap and needs no
 * transaction around it. So the distributed locks also work on a Galera cluster. In such
 * a cluster, row locks have no effect on other nodes. But the cluster certifies each
 * statement as one write. It is safe to run each of these statements twice.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "runtime/tx.h"

enum { LOCK_OBJECT_MAX = 255 };

/*
 * The session that holds locks. A session lasts as long as its process. `owner` is a
 * readable name of the process.
 */
struct lock_session {
	const char *id;			/* id of the session: 32 hexadecimal digits */
	const char *owner;
	int ttl_ms;
};

/* A lock that a session has taken. */
struct lock {
	char object[LOCK_OBJECT_MAX + 1];
	/* fence of this lock; 0: the session has not taken the lock */
	uint64_t fence;
};

/*
 * Takes the lock with a new fence, if the lock is free, has expired, or belongs to this
 * session. False: another session holds the lock. lock_try() needs a second statement if
 * the object has no row yet, or if another session holds the lock.
 */
bool lock_try(struct tx *tx, const char *object, const struct lock_session *session,
              struct lock *lock);
/*
 * Renews the lock. If the session no longer holds the lock with this fence, the
 * transaction fails with ERR_BUSY. lock_guard() must be the first statement of each
 * transaction that the lock guards. If two sessions believe that they hold the lock, both
 * write the row of the lock, so only one of them can commit.
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
/* Releases the lock. It is not an error if the session has already lost the lock. */
void lock_release(struct tx *tx, const struct lock *lock,
                  const struct lock_session *session);
/* Releases all locks of SESSION. Call it at the end of the session. */
void lock_release_all(struct tx *tx, const struct lock_session *session);

/*
 * Returns the name of the process that holds the lock, for messages. "": the lock is
 * free.
 */
const char *lock_owner(struct tx *tx, struct arena *arena, const char *object);
/*
 * Deletes at most 1000 rows: free locks whose last renewal is more than an hour ago, and
 * other locks whose last renewal is more than two hours ago.
 */
void lock_forget(struct tx *tx);

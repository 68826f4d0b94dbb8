/*
 * holder -- takes and releases the locks of this process, for all of its threads. For the
 * database, a process is one session, so all threads of the process share each lock. Each
 * use of a lock has a handle, and the holder releases the lock when the process drops the
 * last handle. So several threads can work on different name servers of one domain at the
 * same time. A function may also take a lock for which its caller already has a handle.
 *
 * A process that waits for a lock tries again after growing pauses of 6 to 500 ms (with
 * jitter), until the time limit of the wait is over. A handle is sure (holder_is_sure())
 * as long as no other process can have taken the lock of the handle. The holder measures
 * the remaining time of a lock with a clock of this machine (clock_boot_ms()). The
 * measurement begins before the statement that takes or renews the lock. A handle stops
 * being sure when five sixths of the lifetime of the lock (ttl_ms) have passed since the
 * last renewal. If another process has taken the lock, holder_guard() refuses writes
 * under the handle.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "consistency/store_lock.h"
#include "runtime/db.h"

struct holder;
struct held;			/* a handle of a lock */

struct holder *holder_new(const char *owner, int ttl_ms);
/* Drop all handles first. Locks that remain in the database expire. */
void holder_free(struct holder **holder);
const struct lock_session *holder_session(const struct holder *holder);

/*
 * Takes the lock of OBJECT, or shares the lock with another thread of this process. The
 * function tries until clock_ms() reaches DEADLINE_MS. If DEADLINE_MS is 0, the function
 * tries once and does not wait. Use 0 on the thread of an event loop. DB must be the
 * connection of the calling thread. ERR_BUSY: another process holds the lock (WHY names
 * the other process), or another thread of the calling process is taking the lock. Other
 * errors are ERR_UNREACHABLE, ERR_RACE and ERR_LOCKED.
 */
enum err holder_take(struct holder *holder, struct db *db, const char *object,
                     int64_t deadline_ms, struct held **held, struct why *why);
/*
 * Drops the handle and sets the caller's pointer to NULL. If this was the last handle of
 * the lock, releases the lock. This function never fails. If the function cannot release
 * the lock, the lock expires later.
 */
void holder_drop(struct holder *holder, struct db *db, struct held **held);

/*
 * Takes the locks of all OBJECTS (at most HELD_MAX), or no lock. The function sorts the
 * objects, so that all processes take the locks in the same order.
 */
enum { HELD_MAX = 16 };
struct held_set {
	size_t count;
	struct held *item[HELD_MAX];
};
enum err holder_take_all(struct holder *holder, struct db *db,
                         const char *const *objects, size_t count, int64_t deadline_ms,
                         struct held_set *set, struct why *why);
void holder_drop_all(struct holder *holder, struct db *db, struct held_set *set);

/* True: HELD is sure, so no other process can have taken the lock. */
bool holder_is_sure(struct holder *holder, const struct held *held);
/* Runs lock_guard(). Call it as the first statement of a transaction. */
void holder_guard(struct holder *holder, struct tx *tx, const struct held *held);
uint64_t held_fence(const struct held *held);

/*
 * Renews all locks. Call it at least three times in the lifetime of a lock (ttl_ms). If
 * the process holds no lock, holder_renew() does nothing. If the process holds locks,
 * holder_renew() runs two SQL statements. If the release of some locks has failed,
 * holder_renew() tries again to release at most 64 of these locks, with one statement for
 * each lock.
 */
void holder_renew(struct holder *holder, struct db *db);

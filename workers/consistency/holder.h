/*
 * holder -- the locks that this process holds, for all of its threads. A process is one
 * session: threads share its locks. The holder counts the handles, and the last handle
 * releases the lock. So threads can work on three servers of one domain in parallel. A
 * function may take a lock again that its caller holds.
 *
 * A process that waits tries again every 6 to 500 ms, with jitter, until a deadline. A
 * handle is sure while no other process can have taken its lock. The monotonic clock of
 * this machine measures this time, from before the statement that took or renewed the
 * lock. When the lock has expired, the handle is not sure any more, and holder_guard()
 * refuses the writes under it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "consistency/store_lock.h"
#include "runtime/db.h"

struct holder;
struct held;			/* a handle */

struct holder *holder_new(const char *owner, int ttl_s);
/* Release all handles first. Locks that are left in the database expire. */
void holder_free(struct holder **holder);
const struct lock_session *holder_session(const struct holder *holder);

/*
 * Takes the lock of OBJECT, or shares it with another thread. Tries until DEADLINE_MS of
 * the monotonic clock; 0: tries once and does not wait, as required on a loop. DB is the
 * calling thread's. ERR_BUSY names the holder; ERR_UNREACHABLE, ERR_RACE, ERR_LOCKED.
 */
enum err holder_take(struct holder *holder, struct db *db, const char *object,
                     int64_t deadline_ms, struct held **held, struct why *why);
/*
 * Releases a handle and sets *held to NULL. Never fails: a lock whose release fails now
 * expires.
 */
void holder_drop(struct holder *holder, struct db *db, struct held **held);

/*
 * Takes several locks, all or nothing. The order is always the same, whatever order
 * OBJECTS has.
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

bool holder_is_sure(struct holder *holder, const struct held *held);
/* The first statement of a transaction; see lock_guard(). */
void holder_guard(struct holder *holder, struct tx *tx, const struct held *held);
uint64_t held_fence(const struct held *held);

/*
 * Renews all locks. Call it at least three times in ttl_s. It needs two statements, or
 * no statement while the process holds no lock. It also releases locks whose release has
 * failed.
 */
void holder_renew(struct holder *holder, struct db *db);
size_t holder_count(struct holder *holder);

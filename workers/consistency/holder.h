/*
 * holder -- the locks that this process holds, for all of its threads. One session a
 * process: what one thread holds another may hold, too (a handle is counted, and the last
 * one gives the lock back), so that three servers of one domain are worked on side by
 * side, and whoever is called within a lock may take it again.
 *
 * Waiting is asking again, 6 to 500 ms apart with jitter, until a deadline. A handle is
 * sure while no other process can have taken its lock: by the monotonic clock of this
 * machine, from before the statement that took or renewed it. Whoever outlives his lock is
 * not sure any more, and holder_guard() refuses what he wrote.
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
/* All handles were given back; what is left in the database ends by its time. */
void holder_free(struct holder **holder);
const struct lock_session *holder_session(const struct holder *holder);

/*
 * Take OBJECT, or share it with another thread, until DEADLINE_MS of the monotonic clock;
 * 0: it is asked once, and nothing is waited for, as it has to be on a loop. DB is the
 * calling thread's. ERR_BUSY names who holds it; ERR_UNREACHABLE, ERR_RACE.
 */
enum err holder_take(struct holder *holder, struct db *db, const char *object,
                     int64_t deadline_ms, struct held **held, struct why *why);
/* Never fails: a lock that cannot be given back now ends by its time. Nulls *held. */
void holder_drop(struct holder *holder, struct db *db, struct held **held);

/* Several at once: in one order, whatever order they are named in, or none at all. */
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
/* The first statement of a transaction: see lock_guard(). */
void holder_guard(struct holder *holder, struct tx *tx, const struct held *held);
uint64_t held_fence(const struct held *held);

/*
 * At least three times in ttl_s: two statements, none while nothing is held. What could
 * not be given back is given back now.
 */
void holder_renew(struct holder *holder, struct db *db);
size_t holder_count(struct holder *holder);

#include "consistency/holder.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/backoff.h"
#include "base/clock.h"
#include "base/id.h"
#include "base/log.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/pause.h"

/* The pauses, with their jitter, are shorter than the allowed delay of a waiter. */
static const struct backoff again = { .first_ms = 8, .max_ms = 400 };

enum { TRIES_MAX = 5 };		/* of one release or renewal, without a pause */

/* A lock of this process, by its object. */
struct entry {
	struct lock lock;	/* fence 0: not taken, or lost */
	int64_t sure_until_ms;
	bool busy;		/* a thread is taking it in the database */
	size_t users;		/* handles, and threads that want one */
};

struct held {
	struct entry *entry;
	uint64_t fence;		/* fence of the handle's lock */
};

struct holder {
	char session_id[ID_LEN + 1];
	char *owner;
	struct lock_session session;
	pthread_mutex_t mutex;	/* guards all members below */
	pthread_cond_t changed;
	struct map *entries;
};

struct holder *holder_new(const char *owner, int ttl_ms)
{
	struct holder *holder = xcalloc(1, sizeof(*holder));
	pthread_condattr_t attr;

	id_random(holder->session_id);
	holder->owner = xstrdup(owner);
	holder->session = (struct lock_session){ holder->session_id, holder->owner,
	                                         ttl_ms };
	holder->entries = map_new(random_u32());
	pthread_mutex_init(&holder->mutex, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&holder->changed, &attr);
	pthread_condattr_destroy(&attr);
	return holder;
}

void holder_free(struct holder **holder)
{
	if (!*holder)
		return;
	bug_if(map_count((*holder)->entries));
	map_free(&(*holder)->entries);
	pthread_cond_destroy(&(*holder)->changed);
	pthread_mutex_destroy(&(*holder)->mutex);
	free((*holder)->owner);
	free(*holder);
	*holder = NULL;
}

const struct lock_session *holder_session(const struct holder *holder)
{
	return &holder->session;
}

/* ---- entries, under the mutex ---- */

static struct entry *holder_join(struct holder *holder, const char *object)
{
	struct entry *entry = map_get(holder->entries, object, strlen(object));

	if (!entry) {
		entry = xcalloc(1, sizeof(*entry));
		snprintf(entry->lock.object, sizeof(entry->lock.object), "%s", object);
		map_put(holder->entries, object, strlen(object), entry);
	}
	entry->users++;
	return entry;
}

/*
 * Removes a user. The last one takes the lock along to release it; fence 0: it was not
 * held.
 */
static struct lock holder_leave(struct holder *holder, struct entry *entry)
{
	struct lock last = { .fence = 0 };

	if (--entry->users)
		return last;
	last = entry->lock;
	map_remove(holder->entries, last.object, strlen(last.object));
	free(entry);
	return last;
}

static bool entry_is_sure(const struct entry *entry)
{
	return entry->lock.fence && clock_boot_ms() < entry->sure_until_ms;
}

/* ---- taking ---- */

/*
 * How long the lock is sure. The ttl counts by the database's clock, and the clock of
 * another node may be ahead: a sixth of the ttl is left for that. Our clock also counts
 * while the machine sleeps.
 */
static int64_t holder_sure_until(const struct holder *holder, int64_t asked_ms)
{
	return asked_ms + (int64_t)holder->session.ttl_ms * 5 / 6;
}

static enum err holder_try_once(struct holder *holder, struct db *db, struct lock *lock,
                                struct why *why)
{
	char object[LOCK_OBJECT_MAX + 1];
	struct tx tx = tx_autocommit(db, why);

	snprintf(object, sizeof(object), "%s", lock->object);
	lock_try(&tx, object, &holder->session, lock);
	return tx_commit(&tx);
}

static enum err holder_name_owner(struct db *db, const char *object, struct why *why)
{
	struct arena *arena = arena_new();
	struct tx tx = tx_autocommit(db, why);
	const char *owner = lock_owner(&tx, arena, object);
	enum err err = tx_commit(&tx);

	if (!err)
		err = fail(why, ERR_BUSY, "%s is locked by %s", object,
		           *owner ? owner : "another process");
	arena_free(&arena);
	return err;
}

/*
 * Tries in the database until the lock is ours, without the mutex. A statement that lost
 * a race or its connection gives no answer, so it is repeated.
 */
static enum err holder_lock(struct holder *holder, struct db *db, int64_t deadline_ms,
                            struct lock *lock, int64_t *sure_until_ms, struct why *why)
{
	for (int attempt = 0;; attempt++) {
		int64_t asked_ms = clock_boot_ms();
		enum err err = holder_try_once(holder, db, lock, why);
		int64_t left_ms = deadline_ms - clock_ms();

		*sure_until_ms = holder_sure_until(holder, asked_ms);
		if (!err && lock->fence)
			return OK;
		if (err && err_retry(err) != RETRY_NOW && err != ERR_UNREACHABLE)
			return err;
		if (left_ms <= 0)
			return err ? err : holder_name_owner(db, lock->object, why);
		int wait_ms = backoff_ms(&again, attempt, random_u32());
		pause_ms(wait_ms < left_ms ? wait_ms : left_ms);
	}
}

/* Another thread of this process is taking the lock: waits for its result. */
static bool holder_wait_for_thread(struct holder *holder, int64_t deadline_ms)
{
	struct timespec at = { .tv_sec = deadline_ms / 1000,
		               .tv_nsec = deadline_ms % 1000 * 1000000 };

	return !pthread_cond_timedwait(&holder->changed, &holder->mutex, &at);
}

static enum err entry_lock(struct holder *holder, struct db *db, struct entry *entry,
                           int64_t deadline_ms, struct why *why)
{
	struct lock lock = entry->lock;
	int64_t sure_until_ms;

	entry->busy = true;
	pthread_mutex_unlock(&holder->mutex);
	enum err err = holder_lock(holder, db, deadline_ms, &lock, &sure_until_ms, why);
	pthread_mutex_lock(&holder->mutex);
	entry->busy = false;
	if (!err) {
		entry->lock.fence = lock.fence;
		entry->sure_until_ms = sure_until_ms;
	}
	pthread_cond_broadcast(&holder->changed);
	return err;
}

static enum err entry_hold(struct holder *holder, struct db *db, struct entry *entry,
                           int64_t deadline_ms, struct why *why)
{
	enum err err = OK;

	while (!err && !entry_is_sure(entry)) {
		if (!entry->busy)
			err = entry_lock(holder, db, entry, deadline_ms, why);
		else if (!holder_wait_for_thread(holder, deadline_ms))
			err = fail(why, ERR_BUSY, "another thread of this process is "
			           "trying to lock %s",
			           entry->lock.object);
	}
	return err;
}

static enum err holder_try_release(const struct holder *holder, struct db *db,
                                   const struct lock *lock, struct why *why)
{
	struct tx tx = tx_autocommit(db, why);

	lock_release(&tx, lock, &holder->session);
	return tx_commit(&tx);
}

/*
 * Other threads and processes lock the row for one statement at a time. A renewal and a
 * release lock the entries of the indexes in different orders, so a deadlock is possible.
 */
static void holder_release(const struct holder *holder, struct db *db,
                           const struct lock *lock)
{
	struct why why;
	enum err err = holder_try_release(holder, db, lock, &why);

	for (int tries = 1; err_retry(err) == RETRY_NOW && tries < TRIES_MAX; tries++)
		err = holder_try_release(holder, db, lock, &why);
	if (err)
		log_info("lock not released, so the lock expires later: object=%s "
		         "reason=\"%s\"",
		         lock->object, why.text);
}

enum err holder_take(struct holder *holder, struct db *db, const char *object,
                     int64_t deadline_ms, struct held **held, struct why *why)
{
	struct lock last = { .fence = 0 };

	bug_if(strlen(object) > LOCK_OBJECT_MAX);
	pthread_mutex_lock(&holder->mutex);
	struct entry *entry = holder_join(holder, object);
	enum err err = entry_hold(holder, db, entry, deadline_ms, why);
	if (!err) {
		*held = xcalloc(1, sizeof(**held));
		**held = (struct held){ entry, entry->lock.fence };
	} else {
		last = holder_leave(holder, entry);
	}
	pthread_mutex_unlock(&holder->mutex);
	if (last.fence)
		holder_release(holder, db, &last);
	return err;
}

void holder_drop(struct holder *holder, struct db *db, struct held **held)
{
	if (!*held)
		return;
	pthread_mutex_lock(&holder->mutex);
	struct lock last = holder_leave(holder, (*held)->entry);
	pthread_mutex_unlock(&holder->mutex);
	free(*held);
	*held = NULL;
	if (last.fence)
		holder_release(holder, db, &last);
}

/* ---- several locks ---- */

static int holder_compare(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

enum err holder_take_all(struct holder *holder, struct db *db,
                         const char *const *objects, size_t count, int64_t deadline_ms,
                         struct held_set *set, struct why *why)
{
	const char *sorted[HELD_MAX];
	enum err err = OK;

	bug_if(count > HELD_MAX);
	memcpy(sorted, objects, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), holder_compare);
	set->count = 0;
	for (size_t i = 0; i < count && !err; i++) {
		err = holder_take(holder, db, sorted[i], deadline_ms,
		                  &set->item[set->count], why);
		set->count += !err;
	}
	if (err)
		holder_drop_all(holder, db, set);
	return err;
}

void holder_drop_all(struct holder *holder, struct db *db, struct held_set *set)
{
	while (set->count)
		holder_drop(holder, db, &set->item[--set->count]);
}

/* ---- held locks ---- */

bool holder_is_sure(struct holder *holder, const struct held *held)
{
	pthread_mutex_lock(&holder->mutex);
	bool sure = held->entry->lock.fence == held->fence && entry_is_sure(held->entry);
	pthread_mutex_unlock(&holder->mutex);
	return sure;
}

void holder_guard(struct holder *holder, struct tx *tx, const struct held *held)
{
	struct lock lock = { .fence = held->fence };

	memcpy(lock.object, held->entry->lock.object, sizeof(lock.object));
	lock_guard(tx, &lock, &holder->session);
}

uint64_t held_fence(const struct held *held)
{
	return held->fence;
}

static size_t holder_count(struct holder *holder)
{
	pthread_mutex_lock(&holder->mutex);
	size_t count = map_count(holder->entries);
	pthread_mutex_unlock(&holder->mutex);
	return count;
}

/*
 * Renews a lock that the row says is ours under the same fence. False: no thread of this
 * process holds or wants it; the row is left from a lock that could not be released.
 */
static bool holder_prolong(struct holder *holder, const char *object, uint64_t fence,
                           int64_t sure_until_ms)
{
	pthread_mutex_lock(&holder->mutex);
	struct entry *entry = map_get(holder->entries, object, strlen(object));
	if (entry && entry->lock.fence == fence && entry->sure_until_ms < sure_until_ms)
		entry->sure_until_ms = sure_until_ms;
	pthread_mutex_unlock(&holder->mutex);
	return entry;
}

enum { LEFT_OVER_MAX = 64 };		/* in one renewal */

static enum err holder_try_renew(struct holder *holder, struct db *db, struct why *why)
{
	int64_t until_ms = holder_sure_until(holder, clock_boot_ms());
	struct lock *left_over = xcalloc(LEFT_OVER_MAX, sizeof(*left_over));
	struct tx tx = tx_autocommit(db, why);
	struct lock_rows rows;
	size_t count = 0;
	struct lock lock;

	lock_renew(&tx, &holder->session);
	lock_select(&tx, &holder->session, &rows);
	while (lock_next(&rows, &lock))
		if (!holder_prolong(holder, lock.object, lock.fence, until_ms) &&
		    count < LEFT_OVER_MAX)
			left_over[count++] = lock;
	for (size_t i = 0; i < count; i++)
		lock_release(&tx, &left_over[i], &holder->session);
	free(left_over);
	return tx_commit(&tx);
}

void holder_renew(struct holder *holder, struct db *db)
{
	struct why why;
	enum err err;

	if (!holder_count(holder))
		return;
	err = holder_try_renew(holder, db, &why);
	for (int tries = 1; err_retry(err) == RETRY_NOW && tries < TRIES_MAX; tries++)
		err = holder_try_renew(holder, db, &why);
	if (err)
		log_warn("locks not renewed: reason=\"%s\"", why.text);
}

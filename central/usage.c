#include "usage.h"

#include <inttypes.h>

#include "base/clock.h"
#include "store_usage.h"

/*
 * On the event loop, a statement waits at most 0.25 s for the row of a tenant, although
 * other transactions lock it only during their commit. If such a wait fails, a process or
 * its connection hangs. Then the statements do not wait for this time.
 */
enum { IMPATIENT_MS = 1000 };

static enum store_wait usage_wait(const struct central *central)
{
	return clock_ms() < central->usage_hangs_until_ms ? STORE_WAIT_NONE
	                                                  : STORE_WAIT_SHORT;
}

static void usage_note_wait(struct central *central, const struct tx *tx,
                            enum store_wait wait)
{
	if (wait == STORE_WAIT_SHORT && tx->err == ERR_LOCKED)
		central->usage_hangs_until_ms = clock_ms() + IMPATIENT_MS;
}

enum err usage_fail(struct tx *tx, int64_t domains, int64_t max)
{
	return tx_fail(tx, ERR_QUOTA, "the tenant already has %" PRId64 " domains, and "
	               "the quota (domains) is %" PRId64, domains, max);
}

static void usage_apply(struct tx *tx, const struct usage_change *change,
                        enum store_wait wait)
{
	int64_t domains;

	if (change->domains < 0) {
		store_usage_subtract(tx, change, 1, wait);
		return;
	}
	domains = store_usage_add(tx, change, wait);
	if (!tx->err && change->max >= 0 && domains > change->max)
		usage_fail(tx, domains - change->domains, change->max);
}

void usage_write(struct tx *tx, const struct write *writes, size_t count)
{
	struct usage_change *changes;
	enum store_wait wait;

	if (tx->err || !count)
		return;
	changes = arena_alloc(writes->arena,
	                      USAGE_CHANGES_MAX * count * sizeof(*changes));
	for (size_t i = 0; i < USAGE_CHANGES_MAX * count; i++)
		changes[i] = writes[i / USAGE_CHANGES_MAX].usage[i % USAGE_CHANGES_MAX];
	count = usage_merge(changes, USAGE_CHANGES_MAX * count);
	wait = writes->on_lane ? STORE_WAIT_LONG : usage_wait(writes->central);
	for (size_t i = 0; i < count && !tx->err; i++)
		usage_apply(tx, &changes[i], wait);
	if (!writes->on_lane)
		usage_note_wait(writes->central, tx, wait);
}

void usage_subtract(struct central *central, struct tx *tx, struct usage_change *changes,
                    size_t count)
{
	enum store_wait wait = usage_wait(central);

	count = usage_merge(changes, count);
	if (tx->err || !count)
		return;
	store_usage_subtract(tx, changes, count, wait);
	usage_note_wait(central, tx, wait);
}

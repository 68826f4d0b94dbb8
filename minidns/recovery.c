#include "recovery.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "minidns.h"
#include "runtime/db.h"
#include "runtime/loop.h"
#include "runtime/metrics.h"
#include "runtime/offload.h"
#include "store.h"

struct recovery {
	struct loop *loop;
	struct lane *lane;
	struct db *db;			/* used by the lane */
	struct soa_cache *cache;
	const struct figures *figures;
	bool is_running;
	size_t checked[SOA_CACHE_REPLACED + 1];	/* numbers of entries since the start */
	/* the current entries */
	struct edition taken[STORE_NAMES], stored[STORE_NAMES];
	struct name names[STORE_NAMES];
	size_t count, stored_count;
	enum err err;
	struct why why;
};

struct recovery *recovery_new(struct loop *loop, const struct db_config *config,
                              struct soa_cache *cache, const struct figures *figures)
{
	struct recovery *recovery = xcalloc(1, sizeof(*recovery));

	recovery->loop = loop;
	recovery->lane = lane_new(loop, "recovery", 1);
	recovery->db = db_new(config);
	recovery->cache = cache;
	recovery->figures = figures;
	return recovery;
}

void recovery_free(struct recovery **recovery)
{
	struct recovery *old = *recovery;

	*recovery = NULL;
	if (!old)
		return;
	lane_free(&old->lane);
	db_free(&old->db);
	free(old);
}

static void recovery_read_stored(void *job)
{
	struct recovery *recovery = job;
	const char *ids[STORE_NAMES];

	for (size_t i = 0; i < recovery->count; i++)
		ids[i] = recovery->taken[i].id;
	recovery->err = store_editions(recovery->db, ids, recovery->count,
	                               recovery->stored, &recovery->stored_count,
	                               &recovery->why);
}

static const struct edition *recovery_find_stored(const struct recovery *recovery,
                                                  const char *id)
{
	for (size_t i = 0; i < recovery->stored_count; i++)
		if (!strcmp(recovery->stored[i].id, id))
			return &recovery->stored[i];
	return NULL;
}

static void recovery_verify(struct recovery *recovery)
{
	for (size_t i = 0; i < recovery->count; i++) {
		const char *id = recovery->taken[i].id;
		enum soa_cache_check check =
		    soa_cache_verify(recovery->cache, &recovery->names[i],
		                     recovery_find_stored(recovery, id));

		recovery->checked[check]++;
	}
}

static void recovery_end(struct recovery *recovery)
{
	size_t same = recovery->checked[SOA_CACHE_SAME];
	size_t differ = recovery->checked[SOA_CACHE_DIFFERS];

	recovery->is_running = false;
	memset(recovery->checked, 0, sizeof(recovery->checked));
	metric_add(recovery->figures->recovered_same, (int64_t)same);
	metric_add(recovery->figures->recovered_changed, (int64_t)differ);
	if (same || differ)
		log_info("zones in memory compared with the database: zones=%zu "
		         "differ=%zu", same + differ, differ);
}

static void recovery_continue(struct recovery *recovery);

/* Drops entries that could not be compared: they are read again when they are needed. */
static void recovery_on_stored(void *job)
{
	struct recovery *recovery = job;

	if (!lane_job_ran(recovery->lane))
		return;
	if (recovery->err) {
		recovery->stored_count = 0;
		soa_cache_drop_doubted(recovery->cache);
		log_warn("zones in memory not compared with the database: err=%s "
		         "reason=\"%s\"",
		         err_name(recovery->err), recovery->why.text);
	}
	recovery_verify(recovery);
	recovery_continue(recovery);
}

static void recovery_continue(struct recovery *recovery)
{
	recovery->count = soa_cache_take_doubted(recovery->cache,
	                                         loop_now_ms(recovery->loop),
	                                         recovery->taken, recovery->names,
	                                         STORE_NAMES);
	if (recovery->count)
		bug_if(!lane_submit(recovery->lane, recovery_read_stored,
		                    recovery_on_stored, recovery));
	else
		recovery_end(recovery);
}

void recovery_start(struct recovery *recovery)
{
	if (recovery->is_running)
		return;
	recovery->is_running = true;
	recovery_continue(recovery);
}

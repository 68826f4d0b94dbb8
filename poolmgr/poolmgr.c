#include "poolmgr.h"

#include "consistency/membership.h"

/* A try without an answer costs the timeout and the following pause. */
int poolmgr_poll_budget_s(const struct poolmgr *self)
{
	int64_t ms = self->config.poll_max_retries *
	             (int64_t)(self->config.poll_timeout_ms +
	                       self->config.poll_retry_interval_ms);

	return (int)((ms + 999) / 1000);
}

struct scope poolmgr_scope(const struct poolmgr *pm, struct db *db)
{
	return (struct scope){ pm->config.pool_name,
	                       membership_share(pm->runtime.membership,
	                                        db) };
}

bool poolmgr_submit(struct poolmgr *pm, lane_fn *work, lane_fn *done, void *job)
{
	return pm->lane && lane_submit(pm->lane, work, done, job);
}

bool poolmgr_ran(const struct poolmgr *pm)
{
	return lane_job_ran(pm->lane);
}

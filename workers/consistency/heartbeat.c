#include "consistency/heartbeat.h"

#include <stdlib.h>

#include "base/mem.h"
#include "runtime/offload.h"

struct membership_config heartbeat_config;

struct heartbeat {
	struct db *db;
	struct lane *lane;
	struct membership *membership;
};

static void heartbeat_run(void *self)
{
	struct heartbeat *heartbeat = self;

	membership_beat(heartbeat->membership);
}

static void heartbeat_done(void *self)
{
	(void)self;
}

/* While a heartbeat hangs, no further one is sent. */
void heartbeat_fire(struct heartbeat *heartbeat)
{
	if (heartbeat && !lane_waiting(heartbeat->lane))
		lane_submit(heartbeat->lane, heartbeat_run, heartbeat_done, heartbeat);
}

struct heartbeat *heartbeat_new(const char *service, struct loop *loop,
                                const struct db_config *db_config)
{
	struct heartbeat *heartbeat = xcalloc(1, sizeof(*heartbeat));

	heartbeat->db = db_new(db_config);
	heartbeat->membership = membership_new(&heartbeat_config, service, heartbeat->db);
	heartbeat->lane = lane_new(loop, "fleet", 1);
	heartbeat_fire(heartbeat);
	return heartbeat;
}

void heartbeat_free(struct heartbeat **heartbeat)
{
	if (!*heartbeat)
		return;
	lane_free(&(*heartbeat)->lane);
	membership_free(&(*heartbeat)->membership);
	db_free(&(*heartbeat)->db);
	free(*heartbeat);
	*heartbeat = NULL;
}

struct membership *heartbeat_membership(struct heartbeat *heartbeat)
{
	return heartbeat->membership;
}

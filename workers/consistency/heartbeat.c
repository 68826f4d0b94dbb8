#include "consistency/heartbeat.h"

#include <stdlib.h>

#include "base/mem.h"
#include "runtime/offload.h"

struct fleet_config pulse_config;

struct pulse {
	struct db *db;
	struct lane *lane;
	struct fleet *fleet;
};

static void beat(void *self)
{
	struct pulse *pulse = self;

	fleet_beat(pulse->fleet);
}

static void beaten(void *self)
{
	(void)self;
}

/* A beat that hangs is not followed by others. */
void pulse_fire(struct pulse *pulse)
{
	if (pulse && !lane_waiting(pulse->lane))
		lane_submit(pulse->lane, beat, beaten, pulse);
}

struct pulse *pulse_new(const char *service, struct loop *loop,
                        const struct db_config *db_config)
{
	struct pulse *pulse = xcalloc(1, sizeof(*pulse));

	pulse->db = db_new(db_config);
	pulse->fleet = fleet_new(&pulse_config, service, pulse->db);
	pulse->lane = lane_new(loop, "fleet", 1);
	pulse_fire(pulse);
	return pulse;
}

void pulse_free(struct pulse **pulse)
{
	if (!*pulse)
		return;
	lane_free(&(*pulse)->lane);
	fleet_free(&(*pulse)->fleet);
	db_free(&(*pulse)->db);
	free(*pulse);
	*pulse = NULL;
}

struct fleet *pulse_fleet(struct pulse *pulse)
{
	return pulse->fleet;
}

/*
 * heartbeat -- sends the heartbeats of this process beside the loop, on its own thread
 * and database connection. So a database that hangs does not stop the services of this
 * process.
 */
#pragma once

#include "consistency/membership.h"

struct loop;
struct heartbeat;

/* The group "fleet" of the settings, for the sections and the check() of a program. */
extern struct membership_config heartbeat_config;
#define HEARTBEAT_SECTION { "fleet", "heartbeats and locks of the processes", \
                            membership_options, &heartbeat_config }
/*
 * For a program without heartbeats: the settings file has this group for other programs.
 */
#define HEARTBEAT_SECTION_OF_OTHERS { "fleet", "", membership_options, \
                                      &heartbeat_config, .is_of_others = true }
/* The function in a program's table of timers, every heartbeat_config.period_ms. */
void heartbeat_fire(struct heartbeat *heartbeat);

struct heartbeat *heartbeat_new(const char *service, struct loop *loop,
                                const struct db_config *db_config);
/* Records that this process has left the fleet, and releases its locks. */
void heartbeat_free(struct heartbeat **heartbeat);
struct membership *heartbeat_membership(struct heartbeat *heartbeat);

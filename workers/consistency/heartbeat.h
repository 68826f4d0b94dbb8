/*
 * heartbeat -- writes the heartbeats of this process to the database. This module has its
 * own lane (thread), with its own connection. So a database that does not answer does not
 * block the event loop.
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
 * For a program that writes no heartbeats: accepts the group in the settings file,
 * because other programs use it.
 */
#define HEARTBEAT_SECTION_OF_OTHERS { "fleet", "", membership_options, \
                                      &heartbeat_config, .is_of_others = true }
/* For a program's table of timers: runs every heartbeat_config.period_ms. */
void heartbeat_fire(struct heartbeat *heartbeat);

struct heartbeat *heartbeat_new(const char *service, struct loop *loop,
                                const struct db_config *db_config);
/*
 * Records in the database that this process has left the fleet, and releases its locks.
 */
void heartbeat_free(struct heartbeat **heartbeat);
struct membership *heartbeat_membership(struct heartbeat *heartbeat);

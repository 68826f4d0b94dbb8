/*
 * heartbeat -- writes the heartbeats of this process to the database. This module has its
 * own lane (thread), with its own connection. So a database that does not answer does not
 * block the event loop.
 */
#pragma once

#include "consistency/membership.h"

struct loop;
struct heartbeat;

/* The values of the options membership_options in the group "fleet" of the settings. */
extern struct membership_config heartbeat_config;
#define HEARTBEAT_SECTION { "fleet", "heartbeats and locks of the processes", \
                            membership_options, &heartbeat_config }
/*
 * The section of a program that writes no heartbeats. The program accepts the group
 * "fleet" in the settings file, because other programs use this group.
 */
#define HEARTBEAT_SECTION_OF_OTHERS { "fleet", "", membership_options, \
                                      &heartbeat_config, .is_of_others = true }
/*
 * If the lane has finished the last heartbeat, starts to write the next heartbeat on the
 * lane. A timer of the program calls this function once per period_ms.
 */
void heartbeat_fire(struct heartbeat *heartbeat);

struct heartbeat *heartbeat_new(const char *service, struct loop *loop,
                                const struct db_config *db_config);
/*
 * Marks this process in the database as stopped, and releases its locks.
 */
void heartbeat_free(struct heartbeat **heartbeat);
struct membership *heartbeat_membership(struct heartbeat *heartbeat);

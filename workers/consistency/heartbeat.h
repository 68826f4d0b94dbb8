/*
 * heartbeat -- sends the heartbeats of this process beside the loop: on a thread and a
 * database connection of their own, so that a database that hangs stops no service of
 * this process.
 */
#pragma once

#include "consistency/membership.h"

struct loop;
struct heartbeat;

/* The group "fleet" of the settings, for a program's sections and its check(). */
extern struct membership_config heartbeat_config;
#define HEARTBEAT_SECTION { "fleet", "heartbeats and locks of the processes", \
                            membership_options, &heartbeat_config }
/* For a program without heartbeats: the file has the rows for others. */
#define HEARTBEAT_SECTION_OF_OTHERS { "fleet", "", membership_options, \
                                      &heartbeat_config, .is_of_others = true }
/* Rows of a program's timers call this, every heartbeat_config.period_ms. */
void heartbeat_fire(struct heartbeat *heartbeat);

struct heartbeat *heartbeat_new(const char *service, struct loop *loop,
                                const struct db_config *db_config);
/* Writes that the process leaves. */
void heartbeat_free(struct heartbeat **heartbeat);
struct membership *heartbeat_membership(struct heartbeat *heartbeat);

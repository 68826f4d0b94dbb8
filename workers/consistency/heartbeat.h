/*
 * pulse -- the beats of a fleet, beside the loop: on a thread and a database connection
 * of their own, so that a database that hangs stops no service of this process.
 */
#pragma once

#include "consistency/fleet.h"

struct loop;
struct pulse;

/* The group "fleet" of the settings, for a program's sections and its check(). */
extern struct fleet_config pulse_config;
#define PULSE_SECTION { "fleet", "heartbeats and locks of the processes", fleet_options, \
                        &pulse_config }
/* For a program without a pulse: the file has the rows for others. */
#define PULSE_SECTION_OF_OTHERS { "fleet", "", fleet_options, &pulse_config, \
                                  .is_of_others = true }
/* Rows of a program's timers call this, every pulse_config.period_ms. */
void pulse_fire(struct pulse *pulse);

struct pulse *pulse_new(const char *service, struct loop *loop,
                        const struct db_config *db_config);
void pulse_free(struct pulse **pulse);		/* says that it goes */
struct fleet *pulse_fleet(struct pulse *pulse);

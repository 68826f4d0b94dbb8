/*
 * status -- the next state of a domain or record after a report of the pool manager (seed
 * 000, central's update_status). A change becomes ACTIVE only if the reported serial
 * covers it.
 *
 * An ACTIVE domain leaves this state by one report only, FOREIGN: too many servers have
 * other content than the database. The domain is then in ERROR until they are repaired.
 * Its records keep their states.
 *
 * One table has all moves. status_next() applies it to one state. The store makes an
 * UPDATE of records from its results.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/state.h"

enum status_subject { SUBJECT_DOMAIN = 1, SUBJECT_RECORD = 2 };

struct status_move {
	enum report report;
	int subjects;		/* SUBJECT_ bits */
	int tasks;		/* bits 1 << enum task */
	int statuses;		/* bits 1 << enum status */
	enum { SERIAL_COVERED, SERIAL_ANY } serial;
	enum { TASK_KEPT, TASK_TO_NONE, TASK_TO_UPDATE } task;
	enum status status;
};

extern const struct status_move status_moves[];
extern const size_t status_move_count;

/* The state after REPORT with SERIAL; unchanged when no row matches. */
struct state status_next(enum status_subject subject, struct state now,
                         enum report report, uint32_t serial);

/*
 * The state after a change under a new serial. An ADD that is not ACTIVE yet stays ADD.
 */
struct state status_changed(struct state now, enum task task, uint32_t serial);

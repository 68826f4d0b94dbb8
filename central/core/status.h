/*
 * status -- how a domain and its records move when the pool manager reports
 * (seed 000, central's update_status, with DESIGN's ruling: ACTIVE only when
 * the reported serial covers the change).
 *
 * What is ACTIVE stays so whatever servers fail at, but for one report: FOREIGN, that too
 * many of them serve other content than ours. Then the domain is in error until they are
 * put right; its records keep what they have.
 *
 * One table holds all moves. status_next() applies it to one state; the
 * store asks it what becomes of records, and makes that one UPDATE a report.
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
	int tasks;		/* 1 << enum task, or'ed */
	int statuses;		/* 1 << enum status, or'ed */
	enum { SERIAL_COVERED, SERIAL_ANY } serial;
	/* SETTLED: becomes NONE; OWED: UPDATE */
	enum { TASK_KEPT, TASK_SETTLED, TASK_OWED } task;
	enum status status;
};

extern const struct status_move status_moves[];
extern const size_t status_move_count;

/* The state after REPORT with SERIAL; unchanged when no row matches. */
struct state status_next(enum status_subject subject, struct state now,
                         enum report report, uint32_t serial);

/* The state after a user's change under a new serial. What was never out stays ADD. */
struct state status_changed(struct state now, enum task task, uint32_t serial);

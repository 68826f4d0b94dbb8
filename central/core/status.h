/*
 * status -- computes the next state of a domain or record after a report from the pool
 * manager (requirements: seed 000, central's update_status). A change becomes ACTIVE only
 * if the reported serial is the serial of the change or a newer serial.
 *
 * A domain with the status ACTIVE keeps this status after all reports except FOREIGN.
 * FOREIGN means that too many servers serve a serial or records that differ from the
 * database. After such a report, the domain has the status ERROR until enough servers
 * serve the content of the database. FOREIGN does not change the states of the records of
 * the domain.
 *
 * One table contains all changes of state. status_next() applies the table to one state.
 * The store builds the SQL UPDATE of records from the results of status_next().
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/state.h"

enum status_subject { SUBJECT_DOMAIN = 1, SUBJECT_RECORD = 2 };

struct status_move {
	enum report report;
	int subjects;		/* set of SUBJECT_ bits */
	int tasks;		/* set of bits 1 << enum task */
	int statuses;		/* set of bits 1 << enum status */
	enum { SERIAL_COVERED, SERIAL_ANY } serial;
	enum { TASK_KEPT, TASK_TO_NONE, TASK_TO_UPDATE } task;
	enum status status;
};

extern const struct status_move status_moves[];
extern const size_t status_move_count;

/*
 * Returns the next state of a domain or record whose state is NOW, after a report of the
 * kind REPORT about the serial SERIAL. If no row of the table matches, returns NOW.
 */
struct state status_next(enum status_subject subject, struct state now,
                         enum report report, uint32_t serial);

/*
 * Returns the next state of a domain or record whose state is NOW, after a change with
 * the new serial SERIAL. TASK: UPDATE or DELETE. If the task in NOW is ADD, an UPDATE
 * does not change the task.
 */
struct state status_changed(struct state now, enum task task, uint32_t serial);

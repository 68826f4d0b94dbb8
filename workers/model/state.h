/*
 * state -- the task and status of a domain or a record (requirements: seed 000, "Central
 * Changes").
 *
 * task     the work that remains for the name servers
 * status   the progress of the task
 *
 * Only eight of the sixteen pairs of task and status are valid. The status of the tasks
 * ADD, UPDATE and DELETE is PENDING or ERROR. The status of the task NONE is ACTIVE or
 * DELETED. The database schema also checks these rules.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum task { TASK_ADD, TASK_UPDATE, TASK_DELETE, TASK_NONE, TASK_COUNT };
enum status { STATUS_PENDING, STATUS_ACTIVE, STATUS_ERROR, STATUS_DELETED, STATUS_COUNT };

/*
 * The answer of a name server, or of a pool by consensus. Only the report of a pool can
 * be FOREIGN: too many servers serve a serial or records that differ from the database.
 */
enum report {
	REPORT_SUCCESS, REPORT_ERROR, REPORT_NO_DOMAIN, REPORT_FOREIGN, REPORT_COUNT,
};
/* If the server did not answer, the reason of REPORT_ERROR begins with these words. */
#define REPORT_SILENCE_WORDS "no answer"

struct state {
	enum task task;
	enum status status;
	uint32_t serial;	/* the serial of the last change */
};

bool state_valid(enum task task, enum status status);

const char *task_name(enum task task);		/* "ADD" */
const char *status_name(enum status status);	/* "PENDING" */
const char *report_name(enum report report);	/* "NO_DOMAIN" */
bool task_parse(const char *text, enum task *task);
bool status_parse(const char *text, enum status *status);
bool report_parse(const char *text, enum report *report);

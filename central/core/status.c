#include "core/status.h"

#include "base/log.h"
#include "model/serial.h"

enum {
	ADD = 1 << TASK_ADD, UPDATE = 1 << TASK_UPDATE, DELETE = 1 << TASK_DELETE,
	NONE = 1 << TASK_NONE,
	PENDING = 1 << STATUS_PENDING, ERROR = 1 << STATUS_ERROR,
	ACTIVE = 1 << STATUS_ACTIVE,
	DOMAIN = SUBJECT_DOMAIN, RECORD = SUBJECT_RECORD,
};

/*
 * The DELETE of a domain ends when the servers do not serve it: SUCCESS means that they
 * still do. The DELETE of a record ends with the serial that removes it. Any other task
 * gets an error if the servers do not serve the domain: the pool manager creates it
 * again.
 */
const struct status_move status_moves[] = {
	/*
	 * report           subjects         tasks
	 * statuses         serial      ->   task            status
	 */
	{ REPORT_SUCCESS,   DOMAIN | RECORD, ADD | UPDATE,
	  PENDING | ERROR,  SERIAL_COVERED,  TASK_TO_NONE,   STATUS_ACTIVE },
	{ REPORT_SUCCESS,   RECORD,          DELETE,
	  PENDING | ERROR,  SERIAL_COVERED,  TASK_TO_NONE,   STATUS_DELETED },
	{ REPORT_ERROR,     DOMAIN | RECORD, ADD | UPDATE | DELETE,
	  PENDING,          SERIAL_COVERED,  TASK_KEPT,      STATUS_ERROR },
	{ REPORT_NO_DOMAIN, DOMAIN,          DELETE,
	  PENDING | ERROR,  SERIAL_ANY,      TASK_TO_NONE,   STATUS_DELETED },
	{ REPORT_NO_DOMAIN, DOMAIN | RECORD, ADD | UPDATE,
	  PENDING,          SERIAL_COVERED,  TASK_KEPT,      STATUS_ERROR },
	{ REPORT_FOREIGN,   DOMAIN,          NONE,
	  ACTIVE,           SERIAL_COVERED,  TASK_TO_UPDATE, STATUS_ERROR },
};
const size_t status_move_count = sizeof(status_moves) / sizeof(status_moves[0]);

static bool status_move_matches(const struct status_move *move,
                                enum status_subject subject, struct state now,
                                enum report report, uint32_t serial)
{
	return move->report == report && (move->subjects & (int)subject) &&
	       (move->tasks & 1 << now.task) && (move->statuses & 1 << now.status) &&
	       (move->serial == SERIAL_ANY || serial_covers(serial, now.serial));
}

struct state status_next(enum status_subject subject, struct state now,
                         enum report report, uint32_t serial)
{
	for (size_t i = 0; i < status_move_count; i++) {
		if (!status_move_matches(&status_moves[i], subject, now, report, serial))
			continue;
		if (status_moves[i].task == TASK_TO_NONE)
			now.task = TASK_NONE;
		else if (status_moves[i].task == TASK_TO_UPDATE)
			now.task = TASK_UPDATE;
		now.status = status_moves[i].status;
		break;
	}
	bug_if(!state_valid(now.task, now.status));
	return now;
}

struct state status_changed(struct state now, enum task task, uint32_t serial)
{
	bool is_new = now.task == TASK_ADD;

	bug_if(task == TASK_NONE || now.task == TASK_DELETE ||
	       now.status == STATUS_DELETED);
	if (task == TASK_UPDATE && is_new)
		task = TASK_ADD;
	return (struct state){ task, STATUS_PENDING, serial };
}

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
 * A domain's DELETE is settled by its absence only: SUCCESS then means that
 * the servers still serve it. A record's DELETE is settled by the serial
 * that leaves it out. An absent domain is an error for whatever was to be
 * there: it has to be created again, which the pool manager does.
 */
const struct status_move status_moves[] = {
	/*
	 * report           subjects         tasks
	 * statuses         serial      ->   task          status
	 */
	{ REPORT_SUCCESS,   DOMAIN | RECORD, ADD | UPDATE,
	  PENDING | ERROR,  SERIAL_COVERED,  TASK_SETTLED, STATUS_ACTIVE },
	{ REPORT_SUCCESS,   RECORD,          DELETE,
	  PENDING | ERROR,  SERIAL_COVERED,  TASK_SETTLED, STATUS_DELETED },
	{ REPORT_ERROR,     DOMAIN | RECORD, ADD | UPDATE | DELETE,
	  PENDING,          SERIAL_COVERED,  TASK_KEPT,    STATUS_ERROR },
	{ REPORT_NO_DOMAIN, DOMAIN,          DELETE,
	  PENDING | ERROR,  SERIAL_ANY,      TASK_SETTLED, STATUS_DELETED },
	{ REPORT_NO_DOMAIN, DOMAIN | RECORD, ADD | UPDATE,
	  PENDING,          SERIAL_COVERED,  TASK_KEPT,    STATUS_ERROR },
	{ REPORT_FOREIGN,   DOMAIN,          NONE,
	  ACTIVE,           SERIAL_COVERED,  TASK_OWED,    STATUS_ERROR },
};
const size_t status_move_count = sizeof(status_moves) / sizeof(status_moves[0]);

static bool matches(const struct status_move *move, enum status_subject subject,
                    struct state now, enum report report, uint32_t serial)
{
	return move->report == report && (move->subjects & (int)subject) &&
	       (move->tasks & 1 << now.task) && (move->statuses & 1 << now.status) &&
	       (move->serial == SERIAL_ANY || serial_covers(serial, now.serial));
}

struct state status_next(enum status_subject subject, struct state now,
                         enum report report, uint32_t serial)
{
	for (size_t i = 0; i < status_move_count; i++) {
		if (!matches(&status_moves[i], subject, now, report, serial))
			continue;
		if (status_moves[i].task == TASK_SETTLED)
			now.task = TASK_NONE;
		else if (status_moves[i].task == TASK_OWED)
			now.task = TASK_UPDATE;
		now.status = status_moves[i].status;
		break;
	}
	bug_if(!state_valid(now.task, now.status));
	return now;
}

struct state status_changed(struct state now, enum task task, uint32_t serial)
{
	bool never_out = now.task == TASK_ADD;

	bug_if(task == TASK_NONE || now.task == TASK_DELETE ||
	       now.status == STATUS_DELETED);
	if (task == TASK_UPDATE && never_out)
		task = TASK_ADD;
	return (struct state){ task, STATUS_PENDING, serial };
}

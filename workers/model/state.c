#include "model/state.h"

#include <stddef.h>
#include <string.h>

#define IS(status) (1u << STATUS_##status)

static const char *const task_names[TASK_COUNT] = {
	[TASK_ADD]    = "ADD",
	[TASK_UPDATE] = "UPDATE",
	[TASK_DELETE] = "DELETE",
	[TASK_NONE]   = "NONE",
};

static const char *const status_names[STATUS_COUNT] = {
	[STATUS_PENDING] = "PENDING",
	[STATUS_ACTIVE]  = "ACTIVE",
	[STATUS_ERROR]   = "ERROR",
	[STATUS_DELETED] = "DELETED",
};

static const char *const report_names[REPORT_COUNT] = {
	[REPORT_SUCCESS]   = "SUCCESS",
	[REPORT_ERROR]     = "ERROR",
	[REPORT_NO_DOMAIN] = "NO_DOMAIN",
	[REPORT_FOREIGN]   = "FOREIGN",
};

/* The statuses that a task may have. */
static const unsigned valid_statuses[TASK_COUNT] = {
	[TASK_ADD]    = IS(PENDING) | IS(ERROR),
	[TASK_UPDATE] = IS(PENDING) | IS(ERROR),
	[TASK_DELETE] = IS(PENDING) | IS(ERROR),
	[TASK_NONE]   = IS(ACTIVE) | IS(DELETED),
};

bool state_valid(enum task task, enum status status)
{
	if ((unsigned)task >= TASK_COUNT || (unsigned)status >= STATUS_COUNT)
		return false;
	return valid_statuses[task] & 1u << status;
}

const char *task_name(enum task task)
{
	return (unsigned)task < TASK_COUNT ? task_names[task] : "?";
}

const char *status_name(enum status status)
{
	return (unsigned)status < STATUS_COUNT ? status_names[status] : "?";
}

const char *report_name(enum report report)
{
	return (unsigned)report < REPORT_COUNT ? report_names[report] : "?";
}

/* The index of TEXT in NAMES; -1: not found. */
static int state_find(const char *text, const char *const *names, int count)
{
	for (int i = 0; i < count; i++)
		if (!strcmp(text, names[i]))
			return i;
	return -1;
}

bool task_parse(const char *text, enum task *task)
{
	int at = state_find(text, task_names, TASK_COUNT);

	if (at >= 0)
		*task = at;
	return at >= 0;
}

bool status_parse(const char *text, enum status *status)
{
	int at = state_find(text, status_names, STATUS_COUNT);

	if (at >= 0)
		*status = at;
	return at >= 0;
}

bool report_parse(const char *text, enum report *report)
{
	int at = state_find(text, report_names, REPORT_COUNT);

	if (at >= 0)
		*report = at;
	return at >= 0;
}

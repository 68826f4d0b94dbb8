#include "core/follow.h"

#include "model/serial.h"

enum {
	FAILURES = 2,
	FAILURES_WITHOUT_SERIAL = 3,	/* of a zone that is not new */
	PAUSE_MS = 5000,
	PAUSE_MAX_MS = 600 * 1000,
	TRANSFER_MS = 10 * 1000,	/* time limit of a transfer */
	FAILED_MAX_MS = 30 * 1000,
	DONE_BEFORE_RAISE = 3,	/* if the server takes orders */
	RAISES = 2,
};

static const char *const names[FOLLOW_COUNT] = {
	[FOLLOW_WAIT]     = "WAIT",
	[FOLLOW_TRANSFER] = "TRANSFER",
	[FOLLOW_RENEW]    = "RENEW",
	[FOLLOW_RAISE]    = "RAISE",
};

const char *follow_name(enum follow follow)
{
	return names[follow];
}

static bool follow_is_ahead(const struct follow_case *of)
{
	return of->serves_it && serial_newer(of->serves, of->domain.serial);
}

/*
 * The tries that count. If the server was released, its failures began anew, and older
 * tries do not count. A server whose serial moves ahead by itself has few failures.
 */
static int follow_count_tries(const struct follow_case *of)
{
	return follow_is_ahead(of) || of->tries < of->failures ? of->tries : of->failures;
}

static int64_t follow_pause_ms(const struct follow_case *of)
{
	int64_t pause = PAUSE_MS, max = of->has_failed ? FAILED_MAX_MS : PAUSE_MAX_MS;
	int tries = follow_count_tries(of);

	for (int i = 1; i < tries && pause < max; i++)
		pause *= 2;
	return pause < max ? pause : max;
}

static bool follow_is_too_soon(const struct follow_case *of, int64_t pause)
{
	return of->tries && !of->asked && of->age_ms < pause;
}

static bool follow_applies(const struct follow_case *of)
{
	if (!of->in_error || of->domain.task == TASK_DELETE ||
	    of->domain.status == STATUS_DELETED)
		return false;
	return !of->serves_it || of->serves != of->domain.serial;
}

/* True: the server answers with an error for a zone that it has served before. */
static bool follow_has_no_serial(const struct follow_case *of)
{
	return !of->serves_it && of->domain.task != TASK_ADD;
}

static bool follow_has_failed(const struct follow_case *of)
{
	bool is_former = of->domain.task == TASK_ADD && of->serves_it;

	if (follow_has_no_serial(of))
		return of->failures >= FAILURES_WITHOUT_SERIAL;
	return follow_is_ahead(of) || of->failures >= (is_former ? 1 : FAILURES);
}

/* A server with a newer serial cannot have loaded the serial of the database. */
static bool follow_may_renew(const struct follow_case *of)
{
	return !follow_has_no_serial(of) && (!of->was_sent || follow_is_ahead(of));
}

enum follow follow_decide(const struct follow_case *of)
{
	bool ahead = follow_is_ahead(of);

	if (!follow_applies(of) || !follow_has_failed(of) ||
	    follow_is_too_soon(of, follow_pause_ms(of)))
		return FOLLOW_WAIT;
	if (ahead && of->raises < RAISES &&
	    (!of->takes_orders || of->done >= DONE_BEFORE_RAISE))
		return FOLLOW_RAISE;
	if (!of->takes_orders || (of->done && follow_is_too_soon(of, TRANSFER_MS)))
		return FOLLOW_WAIT;
	return of->done && follow_may_renew(of) ? FOLLOW_RENEW : FOLLOW_TRANSFER;
}

/* How far our serial may be raised at present. */
static uint32_t follow_raise_room(uint32_t ours, uint32_t now)
{
	uint32_t limit = now + RAISE_BEYOND_CLOCK;
	uint32_t left = serial_newer(limit, ours) ? limit - ours : 0;

	return left > RAISE_AT_ONCE ? left : RAISE_AT_ONCE;
}

bool follow_raise(uint32_t ours, uint32_t serves, uint32_t now, uint32_t *raised)
{
	uint32_t next = serial_next(serves, now);

	if (!serial_newer(serves, ours) || next - ours > follow_raise_room(ours, now))
		return false;
	*raised = next;
	return true;
}

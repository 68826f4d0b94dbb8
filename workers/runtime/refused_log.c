#include "runtime/refused_log.h"

#include <stdint.h>

#include "base/log.h"

enum { PERIOD_MS = 1000 };

static int64_t quiet_until_ms, unlogged;

void refused_log(const struct refused_message *message)
{
	if (!log_is_due(&quiet_until_ms, PERIOD_MS)) {
		unlogged++;
		return;
	}
	log_warn("message refused: topic=%s method=\"%s\" account=\"%s\" reason=%s "
	         "answered=%s unlogged=%lld why=\"%s\"", message->topic, message->method,
	         message->account, message->reason, message->is_answered ? "true" : "false",
	         (long long)unlogged, message->why);
	unlogged = 0;
}

#include "runtime/refused_log.h"

#include "base/log.h"

static struct log_limit limit;

void refused_log(const struct refused_message *message)
{
	if (!log_is_due(&limit, LOG_STRANGER_MS))
		return;
	log_warn("message refused: topic=%s method=\"%s\" account=\"%s\" reason=%s "
	         "answered=%s unlogged=%llu detail=\"%s\"", message->topic,
	         message->method, message->account, message->reason,
	         message->is_answered ? "true" : "false",
	         (unsigned long long)limit.unlogged, message->why);
}

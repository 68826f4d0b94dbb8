#include "unseen.h"

#include <string.h>

#include "backends/drivers.h"
#include "base/buf.h"
#include "servers.h"
#include "store.h"

static bool unseen_may_help(const struct poolmgr *poolmgr,
                            const struct server_report *report)
{
	const struct server *server = servers_find(poolmgr->servers, report->name_server);

	return server && server->driver != &driver_catalog && !report->has_serial &&
	       report->report == REPORT_ERROR &&
	       !strcmp(report->reason, "answers with SERVFAIL");
}

const char *unseen_reason(const struct poolmgr *poolmgr, struct arena *arena,
                          const struct server_report *report)
{
	const struct option_texts *masters = &poolmgr->config.masters;
	struct buf text = { 0 };
	const char *reason;

	if (!unseen_may_help(poolmgr, report))
		return report->reason;
	for (size_t i = 0; i < masters->count; i++)
		buf_printf(&text, "%s%s", i ? " or " : "", masters->item[i]);
	reason = arena_printf(arena, "%s" UNSEEN_WORDS ": check that the server can "
	                      "transfer the zone from %.300s", report->reason,
	                      buf_string(&text));
	buf_clear(&text);
	return reason;
}

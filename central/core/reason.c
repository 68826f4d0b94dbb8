#include "core/reason.h"

#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "model/serial.h"

bool reason_is_due(const struct state *state)
{
	return state->task != TASK_NONE || state->status != STATUS_ACTIVE;
}

static bool reason_is(const char *status, const char *word)
{
	return status && !strcmp(status, word);
}

static bool reason_has_text(const char *text)
{
	return text && *text;
}

/* True: the last operation failed, and the row says why. */
static bool reason_is_failure(const char *status, const char *reason)
{
	return (reason_is(status, "ERROR") || reason_is(status, "NO_DOMAIN")) &&
	       reason_has_text(reason);
}

/* ---- servers that have not reached the serial ---- */

static bool reason_has_reached(const struct reason_server *server, uint32_t wanted)
{
	return reason_is(server->status, "SUCCESS") && !server->differs &&
	       server->has_serial && serial_covers(server->serial, wanted);
}

/* The failure of a server; NULL: its row shows none. */
static const char *reason_of_update(const struct reason_server *server)
{
	if (reason_is_failure(server->create_status, server->create_reason))
		return server->create_reason;
	if (reason_is_failure(server->status, server->reason))
		return server->reason;
	return server->differs ? "serves records that differ from the database" : NULL;
}

/* What comes next on a server that has no failure now. */
static const char *reason_of_wait(const struct reason_server *server, uint32_t wanted,
                                  struct arena *arena)
{
	if (server->has_serial)
		return arena_printf(arena, "serves serial %" PRIu32 ", not yet %" PRIu32,
		                    server->serial, wanted);
	if (server->status || reason_is(server->create_status, "SUCCESS"))
		return REASON_CREATED;
	return strcmp(server->backend, "catalog") ? REASON_NOT_CREATED
	                                          : REASON_BY_CATALOG;
}

/* ---- servers that may still serve a deleted domain ---- */

/* The rows for CREATE and UPDATE are older than the deletion. */
static const char *reason_of_deletion(const struct reason_view *view,
                                      const struct reason_server *server)
{
	if (reason_has_text(server->reason))
		return server->reason;
	if (reason_is(server->status, "NO_DOMAIN"))
		return REASON_DELETED;
	if (strcmp(server->backend, "catalog"))
		return REASON_NOT_DELETED;
	return view->is_catalog ? REASON_IS_CATALOG : REASON_IN_CATALOG;
}

/* ---- servers in general ---- */

static bool reason_is_done(const struct reason_view *view,
                           const struct reason_server *server)
{
	return view->state.task == TASK_DELETE
	           ? reason_is(server->status, "SUCCESS")
	           : reason_has_reached(server, view->state.serial);
}

/*
 * While a change travels, a wait is no reason. A domain in ERROR keeps its stored reason
 * until the next report, although the server no longer fails: then the wait counts. A
 * deletion can wait for minutes before a server counts as failed.
 */
static const char *reason_of_server(const struct reason_view *view,
                                    const struct reason_server *server,
                                    struct arena *arena)
{
	const char *failure;

	if (view->state.task == TASK_DELETE)
		return reason_of_deletion(view, server);
	failure = reason_of_update(server);
	if (failure || view->state.status != STATUS_ERROR)
		return failure;
	return reason_of_wait(server, view->state.serial, arena);
}

/* Cuts TEXT to REASON_TEXT between two characters of UTF-8. */
static const char *reason_cut(const char *text, struct arena *arena)
{
	size_t len = strlen(text);

	if (len >= REASON_TEXT)
		len = REASON_TEXT - 1;
	while (len && ((unsigned char)text[len] & 0xc0) == 0x80)
		len--;
	return arena_printf(arena, "%.*s", (int)len, text);
}

/* ---- limits of servers ---- */

const char *reason_with_limit(const struct limits_found *limits,
                              const struct limit_failure *failure, struct arena *arena)
{
	const char *cause = limits ? limits_explain(limits, failure, arena) : NULL;

	return cause ? arena_printf(arena, "%s; %s", failure->reason, cause)
	             : failure->reason;
}

bool reason_may_be_limit(const struct reason_view *view)
{
	if (!reason_is_due(&view->state) || view->state.task == TASK_DELETE)
		return false;
	for (size_t i = 0; i < view->count; i++) {
		const struct reason_server *server = &view->servers[i];

		if (!reason_is_done(view, server) &&
		    limits_may_explain(&(struct limit_failure){
			server->backend, reason_of_update(server), server->differs }))
			return true;
	}
	return false;
}

/* NULL: the server has no reason. */
static const char *reason_explain_server(const struct reason_view *view,
                                         const struct reason_server *server,
                                         struct arena *arena)
{
	const char *reason = reason_is_done(view, server)
	                         ? NULL : reason_of_server(view, server, arena);

	return reason ? reason_with_limit(view->limits, &(struct limit_failure){
		server->backend, reason, server->differs }, arena) : NULL;
}

/* Writes "a, b: REASON": all servers with the reason of the first. Takes the reasons. */
static void reason_append(const struct reason_view *view, const char **reasons,
                          size_t first, struct buf *text)
{
	const char *reason = reasons[first];

	buf_printf(text, "%s%s", text->len ? "; " : "", view->servers[first].id);
	for (size_t i = first + 1; i < view->count; i++)
		if (reasons[i] && !strcmp(reasons[i], reason)) {
			buf_printf(text, ", %s", view->servers[i].id);
			reasons[i] = NULL;
		}
	buf_printf(text, ": %s", reason);
}

static const char *reason_of_servers(const struct reason_view *view, struct arena *arena)
{
	const char **reasons = arena_alloc(arena, (view->count + 1) * sizeof(*reasons));
	struct buf text = { 0 };
	const char *cut;

	for (size_t i = 0; i < view->count; i++)
		reasons[i] = reason_explain_server(view, &view->servers[i], arena);
	for (size_t i = 0; i < view->count && text.len < REASON_TEXT; i++)
		if (reasons[i])
			reason_append(view, reasons, i, &text);
	cut = reason_cut(buf_string(&text), arena);
	buf_clear(&text);
	return cut;
}

const char *reason_now(const struct reason_view *view, struct arena *arena)
{
	const char *reason;

	if (!reason_is_due(&view->state))
		return view->stored;
	if (!view->has_poolmgr)
		return arena_printf(arena, "no pool manager of pool '%s' is running",
		                    view->pool);
	if (!view->has_minidns)
		return "no mini-DNS is running";
	if (view->is_out_of_service)
		return arena_printf(arena, "no name server of pool '%s' is in service",
		                    view->pool);
	reason = reason_of_servers(view, arena);
	if (!*reason && view->count && view->state.status == STATUS_ERROR &&
	    view->state.task != TASK_DELETE)
		return "the name servers serve the serial, but central has not processed "
		       "the last reports about these servers yet";
	return *reason ? reason : view->stored;
}

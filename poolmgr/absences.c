#include "absences.h"

#include <string.h>

#include "peers.h"
#include "runtime/tx.h"
#include "servers.h"
#include "store.h"
#include "store_absence.h"

enum {
	DOUBTS = 3,		/* doubts until the server is in error */
	DOUBT_S = 1,		/* pause until the next poll */
};

/* The text after the reason of the poll; "": no text. */
static const char *absences_remark(const struct server *server,
                                   const struct server_report *report,
                                   enum confirmation confirmation)
{
	bool is_served = report->report == REPORT_ERROR && report->has_serial &&
	                 server->driver->by_catalog;

	if (is_served && report->domain.is_catalog)
		return "because the configuration of the server contains the catalog "
		       "zone: remove the catalog zone from the configuration";
	if (is_served && confirmation == CONFIRMATION_ANSWERS)
		return "although the catalog zone no longer lists the zone (zonefleet "
		       "domain abandon frees the name)";
	return absence_words(absence_of(report->report, confirmation));
}

/* mini-DNS soon polls a doubted absence again, up to DOUBTS times. */
static struct outcome absences_outcome(const struct poolmgr *poolmgr,
                                       const struct server_report *report,
                                       const struct deletion_state *state,
                                       struct arena *arena)
{
	const struct server *server = servers_find(poolmgr->servers, report->name_server);
	enum absence absence = absence_of(report->report, state->confirmation);
	bool soon = absence == ABSENCE_DOUBTED && state->attempts < DOUBTS;
	const char *remark = absences_remark(server, report, state->confirmation);
	struct outcome outcome = {
		.domain_id = report->domain.id,
		.server_id = report->name_server,
		.action = ACTION_DELETE,
		.status = soon ? NULL : "ERROR",
		.confirm_s = DOUBT_S,
	};

	outcome.reason = arena_printf(arena, "%s%s%s", report->reason,
	                              *remark ? ", " : "", remark);
	if (absence == ABSENCE_PROVEN) {
		outcome.status = "SUCCESS";
		outcome.reason = "";
	}
	return outcome;
}

/*
 * Confirms absences by a poll that saw a serial before it found no zone: then the server
 * answers us.
 */
static void absences_confirm_by_polls(const struct server_report *reports, size_t count,
                                      struct deletion_state *states)
{
	for (size_t i = 0; i < count; i++)
		if (reports[i].report == REPORT_NO_DOMAIN && reports[i].has_serial)
			states[i].confirmation = CONFIRMATION_ANSWERS;
}

/* If the database fails, the next doubt reads the catalog zone again. */
static bool absences_read_catalog(struct poolmgr *poolmgr, struct arena *arena,
                                  struct domain_ref *catalog)
{
	struct why why;
	struct tx tx = tx_autocommit(poolmgr->runtime.db, &why);
	bool found = store_catalog(&tx, arena, poolmgr->config.pool_name, catalog);

	return !tx_commit(&tx) && found;
}

/* True: a server that reads the catalog zone has given a doubted absence. */
static bool absences_need_catalog(const struct server *server,
                                  const struct server_report *reports, size_t count,
                                  const struct deletion_state *states)
{
	if (!server->driver->by_catalog)
		return false;
	for (size_t i = 0; i < count; i++)
		if (states[i].exists &&
		    !strcmp(reports[i].name_server, server->settings->id) &&
		    absence_of(reports[i].report, states[i].confirmation) ==
		        ABSENCE_DOUBTED)
			return true;
	return false;
}

/*
 * Orders a poll of the catalog zone, because the answer confirms the absence. If the
 * catalog zone never listed the domain, its serial does not change after the deletion.
 * Then no other order polls it.
 */
static void absences_poll_catalog(struct poolmgr *poolmgr,
                                  const struct server_report *reports, size_t count,
                                  const struct deletion_state *states,
                                  const char *request_id)
{
	const struct cause cause = { .request_id = request_id, .recovery = true };
	struct arena *arena = NULL;
	struct domain_ref catalog;
	bool found = false;

	for (size_t i = 0; i < poolmgr->servers->count; i++) {
		const struct server *server = &poolmgr->servers->item[i];

		if (!absences_need_catalog(server, reports, count, states))
			continue;
		if (!arena) {
			arena = arena_new();
			found = absences_read_catalog(poolmgr, arena, &catalog);
		}
		if (found)
			peers_poll(poolmgr->peers, &catalog, server, &cause);
	}
	if (arena)
		arena_free(&arena);
}

enum err absences_record(struct poolmgr *poolmgr, const struct server_report *reports,
                         size_t count, const char *request_id, struct why *why)
{
	struct arena *arena = arena_new();
	struct deletion *deletions = arena_alloc(arena, count * sizeof(*deletions));
	struct deletion_state *states = arena_alloc(arena, count * sizeof(*states));
	struct outcome *outcomes = arena_alloc(arena, count * sizeof(*outcomes));
	size_t n = 0;
	struct tx tx = tx_begin(poolmgr->runtime.db, why);

	for (size_t i = 0; i < count; i++)
		deletions[i] = (struct deletion){
			reports[i].domain.id,
			servers_find(poolmgr->servers, reports[i].name_server),
		};
	store_deletion_states(&tx, arena, deletions, count, states);
	absences_confirm_by_polls(reports, count, states);
	for (size_t i = 0; i < count; i++)
		if (states[i].exists)
			outcomes[n++] = absences_outcome(poolmgr, &reports[i], &states[i],
			                                 arena);
	if (n) {
		store_settle_deletions(&tx, outcomes, n);
		store_delete_again(&tx, arena, outcomes, n,
		                   poolmgr_poll_budget_s(poolmgr));
	}
	store_check_locked(&tx);
	enum err err = tx_commit(&tx);
	if (!err)
		absences_poll_catalog(poolmgr, reports, count, states, request_id);
	arena_free(&arena);
	return err;
}

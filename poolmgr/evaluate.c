#include "evaluate.h"

#include <string.h>

#include "base/log.h"
#include "core/content.h"
#include "follow_up.h"
#include "model/serial.h"
#include "peers.h"
#include "store.h"

/*
 * Finds servers with a serial beyond ours: such a server has the zone from another
 * primary. A domain that is being deleted is left out, because the zone may belong to a
 * new domain with the same name. Returns the number of servers.
 */
static size_t evaluate_find_unknown(struct domain_view *view)
{
	const struct state *state = &view->domain.state;

	if (state->task == TASK_DELETE || state->status == STATUS_DELETED)
		return 0;
	for (size_t i = 0; i < view->count; i++) {
		const struct observation *observation = &view->observations[i];

		view->unknown[i] = observation->has_serial &&
		                   !serial_covers(state->serial, observation->serial);
		view->unknown_count += view->unknown[i];
	}
	return view->unknown_count;
}

/* The row of such a server gets the reason. Returns the number of rows. */
static size_t evaluate_mark_unknown(struct domain_view *view, struct arena *arena,
                                    struct unknown_row *marked)
{
	size_t count = 0;

	for (size_t i = 0; view->unknown_count && i < view->count; i++) {
		struct observation *observation = &view->observations[i];

		if (!view->unknown[i])
			continue;
		marked[count++] = (struct unknown_row){
			&view->domain, view->server_ids[i], observation->serial,
		};
		consensus_discount(observation, view->domain.state.serial);
		view->reasons[i] = arena_printf(arena, UNKNOWN_SERIAL_WORDS,
		                                observation->serial);
	}
	return count;
}

/* One statement for all of them: after a restore of the database there may be many. */
static enum err evaluate_mark_all(const struct poolmgr *poolmgr, struct db *db,
                                  struct domain_view *views, size_t count,
                                  struct arena *arena, struct why *why)
{
	bool is_loop = db == poolmgr->runtime.db;
	struct unknown_row *marked;
	size_t unknown = 0, n = 0;

	for (size_t i = 0; i < count; i++)
		unknown += evaluate_find_unknown(&views[i]);
	if (!unknown)
		return OK;
	marked = arena_alloc(arena, unknown * sizeof(*marked));
	for (size_t i = 0; i < count; i++)
		n += evaluate_mark_unknown(&views[i], arena, marked + n);
	struct tx tx = tx_autocommit(db, why);
	store_unknown_serials(&tx, marked, n, !is_loop);
	if (is_loop)
		store_check_locked(&tx);
	return tx_commit(&tx);
}

/* A server with other records counts as failed, whatever its serial. */
static void evaluate_mark_differing(struct domain_view *view, struct arena *arena)
{
	for (size_t i = 0; i < view->count; i++) {
		if (!view->differs[i] || view->unknown[i])
			continue;
		consensus_discount(&view->observations[i], view->domain.state.serial);
		view->reasons[i] = arena_strdup(arena, CONTENT_WORDS);
	}
}

/*
 * A server was restored from a copy: it answers with an older serial, and its row has
 * that serial, because a second attempt found it too. The row of a silent server may also
 * have an older serial, so the report counts.
 */
static bool evaluate_shows_older(const struct domain_view *view,
                                 const struct server_report *report)
{
	if (!report || report->report != REPORT_ERROR || !report->has_serial ||
	    !serial_newer(view->domain.state.serial, report->serial))
		return false;
	for (size_t i = 0; i < view->count; i++) {
		const struct observation *row = &view->observations[i];

		if (row->status == OBSERVED_ERROR && row->has_serial &&
		    row->serial == report->serial &&
		    strcmp(view->server_ids[i], report->name_server) == 0)
			return true;
	}
	return false;
}

static void evaluate_mark_older(struct domain_view *view,
                                const struct evaluation *evaluation)
{
	for (size_t i = 0; i < evaluation->count && !view->has_older; i++) {
		const struct domain_query *query = &evaluation->queries[i];

		view->has_older = query->action == ACTION_UPDATE &&
		                  strcmp(query->domain_id, view->domain.id) == 0 &&
		                  evaluate_shows_older(view, query->report);
	}
}

static void evaluate_add_unknown(struct evaluation *evaluation,
                                 const struct domain_view *view, const char *request_id,
                                 struct arena *arena)
{
	for (size_t i = 0; view->unknown_count && i < view->count; i++) {
		struct unknown_serial *unknown;

		if (!view->unknown[i])
			continue;
		unknown = arena_alloc(arena, sizeof(*unknown));
		*unknown = (struct unknown_serial){
			.next = evaluation->unknown,
			.server = view->servers[i],
			.domain = &view->domain,
			.serial = view->observations[i].serial,
			.request_id = request_id,
		};
		evaluation->unknown = unknown;
	}
}

/*
 * True: central needs this report. While a change propagates, the consensus is an older
 * serial, which central may already know. Central gets it once, when a report may have
 * made it the consensus. So the records of a domain become ACTIVE one by one, even if its
 * changes never pause.
 */
static bool evaluate_is_news(const struct peers *peers, const struct server_report *seen,
                             const struct pool_report *result)
{
	if (!seen || result->report != REPORT_SUCCESS ||
	    result->serial == result->domain.state.serial)
		return true;
	return seen->has_serial && serial_covers(seen->serial, result->serial) &&
	       !peers_has_reported(peers, result->domain.id, result->serial);
}

/* The queries of one action, one for each domain. */
struct cases {
	enum action action;
	size_t count;
	const char *ids[LIST_MAX];
	const struct domain_query *first[LIST_MAX];
};

static void cases_gather(struct cases *cases, const struct domain_query *queries,
                         size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct domain_query *query = &queries[i];
		size_t at = 0;

		if (query->action != cases->action)
			continue;
		while (at < cases->count &&
		       strcmp(cases->ids[at], query->domain_id) != 0)
			at++;
		if (at < cases->count)
			continue;
		cases->ids[at] = query->domain_id;
		cases->first[at] = query;
		cases->count++;
	}
}

static bool evaluate_has_news(const struct peers *peers,
                              const struct evaluation *evaluation,
                              const struct domain_result *result)
{
	const struct domain_query *first = result->first;

	for (size_t i = 0; i < evaluation->count; i++) {
		const struct domain_query *query = &evaluation->queries[i];

		if (query->action == first->action &&
		    strcmp(query->domain_id, first->domain_id) == 0 &&
		    evaluate_is_news(peers, query->report, &result->report))
			return true;
	}
	return false;
}

static void evaluate_decide(const struct cases *cases, const struct domain_view *views,
                            struct evaluation *evaluation, struct arena *arena)
{
	for (size_t i = 0; i < cases->count; i++) {
		struct domain_result *result = &evaluation->results[evaluation->found];

		evaluate_add_unknown(evaluation, &views[i], cases->first[i]->request_id,
		                     arena);
		result->first = cases->first[i];
		if (*views[i].domain.id &&
		    domain_view_report(&views[i], cases->action,
		                       evaluation->threshold_percent, arena,
		                       &result->report))
			evaluation->found++;
	}
}

enum err evaluate_read(const struct poolmgr *poolmgr, struct db *db,
                       struct evaluation *evaluation, struct arena *arena,
                       struct why *why)
{
	enum err err = OK;

	bug_if(evaluation->count > LIST_MAX);
	evaluation->found = 0;
	evaluation->unknown = NULL;
	for (enum action action = 0; action < ACTION_COUNT && !err; action++) {
		struct cases cases = { .action = action };
		struct domain_view *views;

		cases_gather(&cases, evaluation->queries, evaluation->count);
		if (!cases.count)
			continue;
		struct tx tx = tx_autocommit(db, why);
		views = store_domain_views(&tx, arena, cases.ids, cases.count, action,
		                           poolmgr->servers);
		err = tx_commit(&tx);
		if (!err && action == ACTION_UPDATE)
			err = evaluate_mark_all(poolmgr, db, views, cases.count, arena,
			                        why);
		for (size_t i = 0; i < cases.count && action == ACTION_UPDATE && !err;
		     i++) {
			evaluate_mark_older(&views[i], evaluation);
			evaluate_mark_differing(&views[i], arena);
		}
		if (!err)
			evaluate_decide(&cases, views, evaluation, arena);
	}
	return err;
}

void evaluate_report(struct poolmgr *poolmgr, const struct evaluation *evaluation)
{
	for (size_t i = 0; i < evaluation->found; i++) {
		const struct domain_result *result = &evaluation->results[i];

		if (evaluate_has_news(poolmgr->peers, evaluation, result))
			peers_report(poolmgr->peers, &result->report,
			             result->first->request_id);
	}
	for (const struct unknown_serial *at = evaluation->unknown; at; at = at->next)
		follow_up_observe(poolmgr->follow_up,
		                  &(struct follow_report){ at->server, at->domain,
		                                           &at->serial, false },
		                  &(struct cause){ at->request_id, .recovery = true });
}

/* If a read fails, central still gets the results before it. */
enum err evaluate_all(struct poolmgr *poolmgr, const struct domain_query *queries,
                      size_t count, struct why *why)
{
	struct arena *arena = arena_new();
	struct domain_result results[LIST_MAX];
	struct evaluation evaluation = {
		queries, count, poolmgr->config.threshold_percentage, results, 0, NULL,
	};
	enum err err = evaluate_read(poolmgr, poolmgr->runtime.db, &evaluation, arena,
	                             why);

	evaluate_report(poolmgr, &evaluation);
	arena_free(&arena);
	return err;
}

enum err evaluate_unserved(struct poolmgr *poolmgr, const struct domain_ref *domain,
                           enum action action, const struct cause *cause,
                           struct why *why)
{
	const struct domain_query query = {
		.domain_id = domain->id, .action = action,
		.request_id = cause->request_id,
	};

	for (size_t i = 0; i < poolmgr->servers->count; i++)
		if (server_is_for(&poolmgr->servers->item[i], domain))
			return OK;
	return evaluate_all(poolmgr, &query, 1, why);
}

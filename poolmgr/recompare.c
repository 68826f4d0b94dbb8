#include "recompare.h"

#include <stdlib.h>

#include "base/id.h"
#include "base/log.h"
#include "base/mem.h"
#include "consistency/drift.h"
#include "peers.h"
#include "runtime/tx.h"
#include "servers.h"
#include "store.h"
#include "store_recompare.h"

enum { AT_ONCE = 64 };

struct recompare {
	struct poolmgr *poolmgr;
	/* the list that the lane reads */
	bool is_reading;
	struct arena *arena;
	struct comparison *comparisons;
};

struct recompare *recompare_new(struct poolmgr *poolmgr)
{
	struct recompare *recompare = xcalloc(1, sizeof(*recompare));

	recompare->poolmgr = poolmgr;
	recompare->arena = arena_new();
	return recompare;
}

void recompare_free(struct recompare **recompare)
{
	if (*recompare)
		arena_free(&(*recompare)->arena);
	free(*recompare);
	*recompare = NULL;
}

/* ---- results ---- */

static bool recompare_has_result(const struct server_report *report,
                                 enum compared *compared)
{
	*compared = report->equal ? COMPARED_EQUAL : report->differs ? COMPARED_DIFFERS
	                                                             : COMPARED_REFUSED;
	return report->equal || report->differs || report->refused;
}

static void recompare_log(const struct server_report *report,
                          const struct content_case *of, enum content content)
{
	if (content == CONTENT_TRUSTED && of->differs)
		log_info("records of the server accepted: domain=%s server=%s "
		         "reason=\"%s\"",
		         report->domain.name, report->name_server,
		         of->compared == COMPARED_EQUAL
		             ? "mini-DNS has compared all records and found no "
		               "difference"
		         : of->is_settled ? DRIFT_DIFFERS_WORDS
		             : "the server has transferred the zone, and refuses the "
		               "comparison of the records");
}

enum err recompare_record(struct poolmgr *poolmgr, const struct server_report *reports,
                          size_t count, struct why *why)
{
	struct recompare_result results[LIST_MAX];
	const struct server_report *of[LIST_MAX];
	size_t n = 0;

	bug_if(count > LIST_MAX);
	for (size_t i = 0; i < count; i++) {
		of[n] = &reports[i];
		results[n] = (struct recompare_result){ reports[i].domain.id,
		                                        reports[i].name_server,
		                                        reports[i].reason };
		n += recompare_has_result(&reports[i], &results[n].of.compared);
	}
	if (!n)
		return OK;
	struct arena *arena = arena_new();
	struct tx tx = tx_begin(poolmgr->runtime.db, why);
	store_recompare_cases(&tx, arena, results, n);
	for (size_t i = 0; i < n; i++) {
		results[i].of.was_transferred &= of[i]->transfers > 0;
		results[i].content = content_decide(&results[i].of);
	}
	store_recompare_results(&tx, arena, results, n);
	store_check_locked(&tx);
	enum err err = tx_commit(&tx);
	for (size_t i = 0; i < n && !err; i++)
		if (results[i].exists)
			recompare_log(of[i], &results[i].of, results[i].content);
	arena_free(&arena);
	return err;
}

/* ---- comparisons that are due ---- */

static void recompare_read(void *self)
{
	struct recompare *recompare = self;
	struct db *db = recompare->poolmgr->lane_db;
	struct scope scope = poolmgr_scope(recompare->poolmgr, db);
	struct why why;

	if (!scope.share.total)
		return;
	struct tx tx = tx_begin(db, &why);
	recompare->comparisons = store_comparisons_due(&tx, recompare->arena, &scope,
	                                               AT_ONCE);
	enum err err = tx_commit(&tx);
	if (!err)
		return;
	recompare->comparisons = NULL;
	if (err != ERR_UNREACHABLE)
		log_warn("cannot read which comparisons are due: err=%s reason=\"%s\"",
		         err_name(err), why.text);
}

static void recompare_one(struct recompare *recompare,
                          const struct comparison *comparison, const struct cause *cause)
{
	struct poolmgr *poolmgr = recompare->poolmgr;
	const struct server *server = servers_find(poolmgr->servers,
	                                           comparison->server_id);
	struct domain_ref one = comparison->domain;

	if (server && !server_fails(server, CHANNEL_DNS))
		peers_compare(poolmgr->peers, &(struct domain_refs){ &one, 1 },
		              &(struct server_list){ &server, 1 }, true, cause);
}

static void recompare_on_read(void *self)
{
	struct recompare *recompare = self;
	char id[ID_LEN + 1];
	const struct cause cause = { id, .recovery = true };

	recompare->is_reading = false;
	if (!poolmgr_ran(recompare->poolmgr))
		return;
	id_random(id);
	log_request(id);
	for (const struct comparison *at = recompare->comparisons; at; at = at->next)
		recompare_one(recompare, at, &cause);
	log_request(NULL);
}

void recompare_fire(struct recompare *recompare)
{
	if (recompare->is_reading || recompare->poolmgr->is_draining)
		return;
	arena_reset(recompare->arena);
	recompare->comparisons = NULL;
	recompare->is_reading =
	    poolmgr_submit(recompare->poolmgr, recompare_read, recompare_on_read,
	                   recompare);
}

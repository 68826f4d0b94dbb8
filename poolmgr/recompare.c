#include "recompare.h"

#include <stdlib.h>

#include "base/id.h"
#include "base/log.h"
#include "base/mem.h"
#include "peers.h"
#include "runtime/tx.h"
#include "servers.h"
#include "store_recompare.h"

enum { AT_ONCE = 64 };

struct contents {
	struct poolmgr *poolmgr;
	/* of what the lane reads */
	bool is_reading;
	struct arena *arena;
	struct doubt *doubts;
};

struct contents *contents_new(struct poolmgr *poolmgr)
{
	struct contents *contents = xcalloc(1, sizeof(*contents));

	contents->poolmgr = poolmgr;
	contents->arena = arena_new();
	return contents;
}

void contents_free(struct contents **contents)
{
	if (*contents)
		arena_free(&(*contents)->arena);
	free(*contents);
	*contents = NULL;
}

/* ---- what a comparison found ---- */

static bool is_compared(const struct server_report *report, enum compared *compared)
{
	*compared = report->equal ? COMPARED_EQUAL : report->differs ? COMPARED_DIFFERS
	                                                             : COMPARED_REFUSED;
	return report->equal || report->differs || report->refused;
}

static void log_move(const struct server_report *report, const struct content_case *of,
                     enum content content)
{
	if (content == CONTENT_TRUSTED && of->differs)
		log_info("server serves our records again: domain=%s server=%s why=\"%s\"",
		         report->domain.name, report->name_server,
		         of->compared == COMPARED_EQUAL
		             ? "compared"
		             : "it was made to transfer, and refuses to be compared");
}

enum err contents_record(struct poolmgr *poolmgr, const struct server_report *report,
                         struct why *why)
{
	struct content_case of = { .compared = COMPARED_EQUAL };
	enum content content = CONTENT_AS_BEFORE;

	if (!is_compared(report, &of.compared))
		return OK;
	struct tx tx = tx_begin(poolmgr->runtime.db, why);
	if (store_content_case(&tx, report->domain.id, report->name_server, &of)) {
		content = content_decide(&of);
		store_content(&tx, report->domain.id, report->name_server, content);
	}
	enum err err = tx_commit(&tx);
	if (!err)
		log_move(report, &of, content);
	return err;
}

/* ---- what is to be compared ---- */

static void read_doubts(void *self)
{
	struct contents *contents = self;
	struct db *db = contents->poolmgr->lane_db;
	struct scope scope = poolmgr_scope(contents->poolmgr, db);
	struct why why;

	if (!scope.share.total)
		return;
	struct tx tx = tx_begin(db, &why);
	contents->doubts = store_doubts(&tx, contents->arena, &scope, AT_ONCE);
	enum err err = tx_commit(&tx);
	if (!err)
		return;
	contents->doubts = NULL;
	if (err != ERR_UNREACHABLE)
		log_warn("list of differing servers not read: err=%s why=\"%s\"",
		         err_name(err), why.text);
}

static void compare(struct contents *contents, const struct doubt *doubt,
                    const struct cause *cause)
{
	struct poolmgr *poolmgr = contents->poolmgr;
	const struct server *server = servers_find(poolmgr->servers, doubt->server_id);
	struct domain_ref one = doubt->domain;

	if (server && !server_fails(server, CHANNEL_DNS))
		tell_compare(poolmgr->tell, &(struct domain_refs){ &one, 1 },
		             &(struct audience){ &server, 1 }, true, cause);
}

static void doubts_read(void *self)
{
	struct contents *contents = self;
	char id[ID_LEN + 1];
	const struct cause cause = { id, .recovery = true };

	contents->is_reading = false;
	if (!poolmgr_ran(contents->poolmgr))
		return;
	id_random(id);
	log_request(id);
	for (const struct doubt *at = contents->doubts; at; at = at->next)
		compare(contents, at, &cause);
	log_request(NULL);
}

void contents_turn(struct contents *contents)
{
	if (contents->is_reading || contents->poolmgr->is_draining)
		return;
	arena_reset(contents->arena);
	contents->doubts = NULL;
	contents->is_reading =
	    poolmgr_submit(contents->poolmgr, read_doubts, doubts_read, contents);
}

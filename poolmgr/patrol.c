#include "patrol.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/id.h"
#include "base/log.h"
#include "base/mem.h"
#include "poolmgr.h"
#include "runtime/metrics.h"
#include "runtime/tx.h"
#include "store_due.h"
#include "store_repair.h"
#include "tell.h"

enum {
	PAGE = LIST_MAX,		/* domains; one message */
	PAGES_A_TURN = 16,		/* what was missed is made up for slowly */
	SHARE_PERCENT = 80,		/* of the interval: a walk's time */
	HALF_A_TURN_MS = 500,
};

static struct metric *walks;

void patrol_metrics(void)
{
	walks = metric_new(METRIC_COUNTER, "patrol_walks_total",
	                   "Rounds through all domains of the share that were begun",
	                   NULL, NULL);
}

struct patrol {
	struct poolmgr *poolmgr;
	char cursor[ID_LEN + 1];	/* the last domain that was looked at */
	char origin[ID_LEN + 1];	/* where this walk began: there it ends */
	bool round_the_end;		/* it has come to the end, and goes on to its origin */
	int64_t began_ms, next_ms;	/* of this walk, of the next one */
	int64_t pages, done;		/* as counted when it began */
	bool walking;
	uint64_t generation;		/* of the share that is walked through */
	unsigned walk;			/* its number: whose turn a deep look is */
};

struct patrol *patrol_new(struct poolmgr *poolmgr)
{
	struct patrol *patrol = xcalloc(1, sizeof(*patrol));
	int64_t interval_ms = poolmgr->config.periodic_sync_interval_ms;

	patrol->poolmgr = poolmgr;
	patrol->next_ms = clock_ms() + random_u32() % interval_ms;
	patrol->walk = random_u32();	/* whoever starts often looks at all, in time */
	return patrol;
}

void patrol_free(struct patrol **patrol)
{
	free(*patrol);
	*patrol = NULL;
}

static int64_t walk_ms(const struct patrol *patrol)
{
	return (int64_t)patrol->poolmgr->config.periodic_sync_interval_ms *
	       SHARE_PERCENT / 100;
}

/* ---- a page ---- */

/* The servers that answer, of those that a catalog zone, or any other, is for. */
static void gather(const struct poolmgr *poolmgr, const struct domain_ref *domain,
                   const struct server **into, struct audience *audience)
{
	const struct servers *servers = poolmgr->servers;

	*audience = (struct audience){ into, 0 };
	for (size_t i = 0; i < servers->count; i++)
		if (server_has(&servers->item[i], domain) &&
		    !breaker_open(&servers->item[i].dns))
			into[audience->count++] = &servers->item[i];
}

void patrol_compare(struct poolmgr *poolmgr, const struct domain_ref *domain,
                    const struct cause *cause)
{
	const struct server **to = xcalloc(poolmgr->servers->count, sizeof(*to));
	struct domain_ref one = *domain;
	struct audience audience;

	gather(poolmgr, domain, to, &audience);
	tell_compare(poolmgr->tell, &(struct domain_refs){ &one, 1 }, &audience, cause);
	free(to);
}

typedef void tell_fn(struct tell *tell, const struct domain_refs *domains,
                     const struct audience *audience, const struct cause *cause);

/* Those of the page that are a catalog zone, or those that are not: one audience each. */
static void look_at(struct patrol *patrol, const struct due *page, bool catalogs,
                    tell_fn *tell, const struct cause *cause)
{
	struct poolmgr *poolmgr = patrol->poolmgr;
	const struct server **to = xcalloc(poolmgr->servers->count, sizeof(*to));
	struct domain_ref domains[PAGE];
	struct domain_refs refs = { domains, 0 };
	struct audience audience;

	for (; page; page = page->next)
		if (page->domain.is_catalog == catalogs)
			domains[refs.count++] = page->domain;
	if (refs.count) {
		gather(poolmgr, &domains[0], to, &audience);
		tell(poolmgr->tell, &refs, &audience, cause);
	}
	free(to);
}

/* ---- a deep look: at the records, of some ---- */

/* Each domain's turn comes in one of compare_every walks: each walk has its part. */
static bool is_its_turn(const struct patrol *patrol, const struct domain_ref *domain)
{
	unsigned every = (unsigned)patrol->poolmgr->config.compare_every;

	/* not the remainder that the share is made of */
	return every && (share_hash(domain->id) / 64 + patrol->walk) % every == 0;
}

static bool is_suspect(const struct suspects *suspects, const char *id)
{
	for (size_t i = 0; i < suspects->count; i++)
		if (!strcmp(suspects->ids[i], id))
			return true;
	return false;
}

/*
 * What is suspected is looked at in the next walk, whosever turn it is. A domain that is
 * always on its way to the next change is looked at, too: what a server has is compared
 * at the serial at which it has it, or not at all.
 */
static struct due *choose(const struct patrol *patrol, struct due *page,
                          const struct suspects *suspects)
{
	struct due **at = &page;

	while (*at) {
		const struct domain_ref *domain = &(*at)->domain;

		if (domain->state.task != TASK_ADD &&
		    (is_its_turn(patrol, domain) || is_suspect(suspects, domain->id)))
			at = &(*at)->next;
		else
			*at = (*at)->next;
	}
	return page;
}

static void end(struct patrol *patrol)
{
	patrol->walking = false;
	*patrol->cursor = 0;
}

static void move_on(struct patrol *patrol, const struct due *page)
{
	size_t count = 0;

	patrol->done++;
	for (; page; page = page->next, count++)
		snprintf(patrol->cursor, sizeof(patrol->cursor), "%s", page->domain.id);
	bool at_origin = patrol->round_the_end &&
	                 strcmp(patrol->cursor, patrol->origin) >= 0;

	if (at_origin || (count < PAGE && (patrol->round_the_end || !*patrol->origin)))
		end(patrol);
	else if (count < PAGE) {
		patrol->round_the_end = true;
		*patrol->cursor = 0;
	}
}

static void find_suspects(struct tx *tx, struct arena *arena, const struct due *page,
                          struct suspects *suspects)
{
	const char *ids[PAGE];
	size_t count = 0;

	for (; page; page = page->next)
		ids[count++] = page->domain.id;
	if (count)
		store_suspects(tx, arena, ids, count, suspects);
}

/* False: this walk is over, or cannot go on now. */
static bool do_page(struct patrol *patrol, const struct scope *scope,
                    const struct cause *cause)
{
	struct arena *arena = arena_new();
	struct why why;
	struct tx tx = tx_once(patrol->poolmgr->runtime.db, &why);
	struct due *page = store_page(&tx, arena, scope, patrol->cursor, PAGE);
	struct suspects suspects = { .count = 0 };

	find_suspects(&tx, arena, page, &suspects);
	enum err err = tx_commit(&tx);
	if (!err) {
		look_at(patrol, page, false, tell_look, cause);
		look_at(patrol, page, true, tell_look, cause);
		move_on(patrol, page);
		look_at(patrol, choose(patrol, page, &suspects), false, tell_compare,
		        cause);
	} else if (err != ERR_UNREACHABLE) {
		log_warn("patrol stopped: err=%s why=\"%s\"", err_name(err), why.text);
	}
	arena_free(&arena);
	return !err && patrol->walking;
}

/* ---- a walk ---- */

/*
 * From the first domain, or from where one was broken off, once round: who comes and goes
 * all the time keeps nobody's domains from their turn.
 */
static bool begin(struct patrol *patrol, const struct scope *scope)
{
	struct why why;
	struct tx tx = tx_once(patrol->poolmgr->runtime.db, &why);
	int64_t count = store_count(&tx, scope);

	if (tx_commit(&tx))
		return false;
	patrol->began_ms = clock_ms();
	patrol->next_ms = patrol->began_ms + walk_ms(patrol) * 100 / SHARE_PERCENT;
	patrol->pages = count / PAGE + 1;
	patrol->done = 0;
	patrol->walk += !*patrol->cursor;	/* what is broken off is the same walk */
	metric_add(walks, 1);
	patrol->walking = true;
	patrol->generation = scope->share.generation;
	snprintf(patrol->origin, sizeof(patrol->origin), "%s", patrol->cursor);
	patrol->round_the_end = false;
	return true;
}

/* So many that the walk ends in its time. */
static int64_t pages_due(const struct patrol *patrol)
{
	int64_t elapsed_ms = clock_ms() - patrol->began_ms;
	int64_t due = elapsed_ms * patrol->pages / walk_ms(patrol) + 1 - patrol->done;

	return due < PAGES_A_TURN ? due : PAGES_A_TURN;
}

void patrol_turn(struct patrol *patrol)
{
	struct scope scope;
	char id[ID_LEN + 1];

	/* the turn that is nearest to its time, or of two seconds become three */
	if (!patrol->walking && clock_ms() + HALF_A_TURN_MS < patrol->next_ms)
		return;
	scope = poolmgr_scope(patrol->poolmgr);
	if (!scope.share.total)
		return;			/* or it is not to be had: the walk goes on later */
	if (patrol->walking && patrol->generation != scope.share.generation) {
		patrol->walking = false;	/* others are its domains now */
		patrol->next_ms = clock_ms();
	}
	if (!patrol->walking && !begin(patrol, &scope))
		return;
	id_random(id);
	log_request(id);
	for (int64_t due = pages_due(patrol); due > 0; due--)
		if (!do_page(patrol, &scope, &(struct cause){ id, .recovery = true }))
			break;
	log_request(NULL);
}

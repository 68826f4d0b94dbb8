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
	                   "scans of all domains of the share that the process began",
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
	/* of a page that the lane reads */
	bool is_reading;
	bool is_counted;		/* a walk begins with it */
	char id[ID_LEN + 1];
	int64_t pages_left;		/* of this turn; -1: not known yet */
	struct arena *arena;
	struct scope scope;
	int64_t count;			/* of domains, if counted */
	struct due *page;
	struct suspects suspects;
	enum err err;
	struct why why;
};

struct patrol *patrol_new(struct poolmgr *poolmgr)
{
	struct patrol *patrol = xcalloc(1, sizeof(*patrol));
	int64_t interval_ms = poolmgr->config.periodic_sync_interval_ms;

	patrol->poolmgr = poolmgr;
	patrol->next_ms = clock_ms() + random_u32() % interval_ms;
	patrol->arena = arena_new();
	patrol->walk = random_u32();	/* whoever starts often looks at all, in time */
	return patrol;
}

void patrol_free(struct patrol **patrol)
{
	if (*patrol)
		arena_free(&(*patrol)->arena);
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
		    server_is_known(&servers->item[i]) &&
		    !server_fails(&servers->item[i], CHANNEL_DNS))
			into[audience->count++] = &servers->item[i];
}

void patrol_compare(struct poolmgr *poolmgr, const struct domain_ref *domain,
                    const struct cause *cause)
{
	const struct server **to = xcalloc(poolmgr->servers->count, sizeof(*to));
	struct domain_ref one = *domain;
	struct audience audience;

	gather(poolmgr, domain, to, &audience);
	tell_compare(poolmgr->tell, &(struct domain_refs){ &one, 1 }, &audience, true,
	             cause);
	free(to);
}

/* A round asks for no reports of equal servers. content.c compares those that differ. */
static void tell_round(struct tell *tell, const struct domain_refs *domains,
                       const struct audience *audience, const struct cause *cause)
{
	tell_compare(tell, domains, audience, false, cause);
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

/* ---- on the lane ---- */

static bool is_anew(const struct patrol *patrol)
{
	return !patrol->walking ||
	       patrol->generation != patrol->scope.share.generation;
}

static void read_page(void *self)
{
	struct patrol *patrol = self;
	struct db *db = patrol->poolmgr->lane_db;

	patrol->err = OK;
	patrol->scope = poolmgr_scope(patrol->poolmgr, db);
	if (!patrol->scope.share.total)
		return;
	struct tx tx = tx_autocommit(db, &patrol->why);
	patrol->is_counted = is_anew(patrol);
	if (patrol->is_counted)
		patrol->count = store_count(&tx, &patrol->scope);
	patrol->page = store_page(&tx, patrol->arena, &patrol->scope, patrol->cursor, PAGE);
	patrol->suspects = (struct suspects){ .count = 0 };
	find_suspects(&tx, patrol->arena, patrol->page, &patrol->suspects);
	patrol->err = tx_commit(&tx);
}

/* ---- on the loop: a walk ---- */

static void do_page(struct patrol *patrol)
{
	const struct cause cause = { patrol->id, .recovery = true };

	log_request(patrol->id);
	look_at(patrol, patrol->page, false, tell_look, &cause);
	look_at(patrol, patrol->page, true, tell_look, &cause);
	move_on(patrol, patrol->page);
	look_at(patrol, choose(patrol, patrol->page, &patrol->suspects), false, tell_round,
	        &cause);
	log_request(NULL);
}

/*
 * From the first domain, or from where one was broken off, once round: who comes and goes
 * all the time keeps nobody's domains from their turn.
 */
static void begin(struct patrol *patrol)
{
	patrol->began_ms = clock_ms();
	patrol->next_ms = patrol->began_ms + walk_ms(patrol) * 100 / SHARE_PERCENT;
	patrol->pages = patrol->count / PAGE + 1;
	patrol->done = 0;
	patrol->walk += !*patrol->cursor;	/* what is broken off is the same walk */
	metric_add(walks, 1);
	patrol->walking = true;
	patrol->generation = patrol->scope.share.generation;
	snprintf(patrol->origin, sizeof(patrol->origin), "%s", patrol->cursor);
	patrol->round_the_end = false;
}

/* So many that the walk ends in its time. */
static int64_t pages_due(const struct patrol *patrol)
{
	int64_t elapsed_ms = clock_ms() - patrol->began_ms;
	int64_t due = elapsed_ms * patrol->pages / walk_ms(patrol) + 1 - patrol->done;

	return due < PAGES_A_TURN ? due : PAGES_A_TURN;
}

static void page_read(void *self);

static void read_next(struct patrol *patrol)
{
	arena_reset(patrol->arena);
	patrol->is_reading =
	    poolmgr_submit(patrol->poolmgr, read_page, page_read, patrol);
}

/* Without a share, or a page, the walk goes on later. */
static void page_read(void *self)
{
	struct patrol *patrol = self;

	patrol->is_reading = false;
	if (!poolmgr_ran(patrol->poolmgr) || !patrol->scope.share.total)
		return;
	if (patrol->err) {
		if (patrol->err != ERR_UNREACHABLE)
			log_warn("patrol stopped: err=%s why=\"%s\"",
			         err_name(patrol->err), patrol->why.text);
		return;
	}
	if (patrol->is_counted)		/* or others were its domains, and are no more */
		begin(patrol);
	if (patrol->pages_left < 0)
		patrol->pages_left = pages_due(patrol);
	if (patrol->pages_left-- <= 0)
		return;
	do_page(patrol);
	if (patrol->walking && patrol->pages_left > 0 && !patrol->poolmgr->is_draining)
		read_next(patrol);
}

void patrol_turn(struct patrol *patrol)
{
	/* the turn that is nearest to its time, or of two seconds become three */
	if (patrol->is_reading ||
	    (!patrol->walking && clock_ms() + HALF_A_TURN_MS < patrol->next_ms) ||
	    (patrol->walking && pages_due(patrol) <= 0))
		return;
	id_random(patrol->id);
	patrol->pages_left = -1;
	read_next(patrol);
}

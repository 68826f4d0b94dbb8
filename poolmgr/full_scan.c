#include "full_scan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adjust.h"
#include "base/clock.h"
#include "base/id.h"
#include "base/log.h"
#include "base/mem.h"
#include "peers.h"
#include "poolmgr.h"
#include "runtime/metrics.h"
#include "runtime/tx.h"
#include "store_due.h"
#include "store_repair.h"

enum {
	PAGE = LIST_MAX,		/* domains of one message */
	PAGES_A_TURN = 16,		/* limit, so that a late scan catches up slowly */
	SHARE_PERCENT = 80,		/* percentage of the interval for one scan */
	HALF_A_TURN_MS = 500,
};

static struct metric *scans;

void full_scan_metrics(void)
{
	scans = metric_new(METRIC_COUNTER, "patrol_walks_total",
	                   "scans that the processes have begun. A scan polls all "
	                   "domains in the share of one process",
	                   NULL, NULL);
}

struct full_scan {
	struct poolmgr *poolmgr;
	char cursor[ID_LEN + 1];	/* the last domain of the scan so far */
	char origin[ID_LEN + 1];	/* where this scan began and will end */
	bool round_the_end;		/* the scan has passed the last domain */
	int64_t began_ms, next_ms;	/* start of this scan; of the next one */
	int64_t pages, done;		/* pages, counted at the start; finished pages */
	bool is_running;
	uint64_t generation;		/* of the share */
	unsigned number;			/* number of the scan */
	/* the page that the lane reads */
	bool is_reading;
	/* a scan begins with this page: count the domains */
	bool is_counted;
	char id[ID_LEN + 1];
	int64_t pages_left;		/* in this turn; -1: not known yet */
	struct arena *arena;
	struct scope scope;
	int64_t count;			/* number of domains, if counted */
	struct due *page;
	struct drifting drifting;
	enum err err;
	struct why why;
};

struct full_scan *full_scan_new(struct poolmgr *poolmgr)
{
	struct full_scan *scan = xcalloc(1, sizeof(*scan));
	int64_t interval_ms = poolmgr->config.periodic_sync_interval_ms;

	scan->poolmgr = poolmgr;
	scan->next_ms = clock_ms() + random_u32() % interval_ms;
	scan->arena = arena_new();
	/* random, so that restarts do not prefer certain domains */
	scan->number = random_u32();
	return scan;
}

void full_scan_free(struct full_scan **scan)
{
	if (*scan)
		arena_free(&(*scan)->arena);
	free(*scan);
	*scan = NULL;
}

static int64_t full_scan_duration_ms(const struct full_scan *scan)
{
	return (int64_t)scan->poolmgr->config.periodic_sync_interval_ms *
	       SHARE_PERCENT / 100;
}

/* ---- a page ---- */

/* Finds the servers that the domain is for and that answer. */
static void full_scan_servers(const struct poolmgr *poolmgr,
                              const struct domain_ref *domain, const struct server **to,
                              struct server_list *list)
{
	const struct servers *servers = poolmgr->servers;

	*list = (struct server_list){ to, 0 };
	for (size_t i = 0; i < servers->count; i++)
		if (server_has(&servers->item[i], domain) &&
		    server_is_known(&servers->item[i]) &&
		    !server_fails(&servers->item[i], CHANNEL_DNS))
			to[list->count++] = &servers->item[i];
}

void full_scan_compare(struct poolmgr *poolmgr, const struct domain_ref *domain,
                       const struct cause *cause)
{
	const struct server **to = xcalloc(poolmgr->servers->count, sizeof(*to));
	struct domain_ref one = *domain;
	struct server_list list;

	full_scan_servers(poolmgr, domain, to, &list);
	peers_compare(poolmgr->peers, &(struct domain_refs){ &one, 1 }, &list, true,
	              cause);
	free(to);
}

/* mini-DNS does not report equal servers here. recompare.c compares differing ones. */
static void full_scan_compare_page(struct peers *peers, const struct domain_refs *domains,
                                   const struct server_list *list,
                                   const struct cause *cause)
{
	peers_compare(peers, domains, list, false, cause);
}

typedef void full_scan_send_fn(struct peers *peers, const struct domain_refs *domains,
                               const struct server_list *list, const struct cause *cause);

/*
 * Sends the catalog zones of the page, or its other domains, because they have different
 * servers.
 */
static void full_scan_send(struct full_scan *scan, const struct due *page, bool catalogs,
                           full_scan_send_fn *send, const struct cause *cause)
{
	struct poolmgr *poolmgr = scan->poolmgr;
	const struct server **to = xcalloc(poolmgr->servers->count, sizeof(*to));
	struct domain_ref domains[PAGE];
	struct domain_refs refs = { domains, 0 };
	struct server_list list;

	for (; page; page = page->next)
		if (page->domain.is_catalog == catalogs)
			domains[refs.count++] = page->domain;
	if (refs.count) {
		full_scan_servers(poolmgr, &domains[0], to, &list);
		send(poolmgr->peers, &refs, &list, cause);
	}
	free(to);
}

/* ---- comparison of records, of some domains ---- */

/* Each domain is compared in one of compare_every scans. */
static bool full_scan_is_turn(const struct full_scan *scan,
                              const struct domain_ref *domain)
{
	unsigned every = (unsigned)scan->poolmgr->config.compare_every;

	/* uses other bits than the share */
	return every && (share_hash(domain->id) / 64 + scan->number) % every == 0;
}

static bool full_scan_is_drifting(const struct drifting *drifting, const char *id)
{
	for (size_t i = 0; i < drifting->count; i++)
		if (!strcmp(drifting->ids[i], id))
			return true;
	return false;
}

/*
 * Chooses the domains to compare. A domain with drift is compared in the next scan in any
 * case. A domain that changes all the time can also be compared, because mini-DNS
 * compares records at the serial of the server.
 */
static struct due *full_scan_choose(const struct full_scan *scan, struct due *page,
                                    const struct drifting *drifting)
{
	struct due **at = &page;

	while (*at) {
		const struct domain_ref *domain = &(*at)->domain;

		if (domain->state.task != TASK_ADD &&
		    (full_scan_is_turn(scan, domain) ||
		     full_scan_is_drifting(drifting, domain->id)))
			at = &(*at)->next;
		else
			*at = (*at)->next;
	}
	return page;
}

static void full_scan_end(struct full_scan *scan)
{
	scan->is_running = false;
	*scan->cursor = 0;
}

static void full_scan_move_on(struct full_scan *scan, const struct due *page)
{
	size_t count = 0;

	scan->done++;
	for (; page; page = page->next, count++)
		snprintf(scan->cursor, sizeof(scan->cursor), "%s", page->domain.id);
	bool at_origin = scan->round_the_end &&
	                 strcmp(scan->cursor, scan->origin) >= 0;

	if (at_origin || (count < PAGE && (scan->round_the_end || !*scan->origin)))
		full_scan_end(scan);
	else if (count < PAGE) {
		scan->round_the_end = true;
		*scan->cursor = 0;
	}
}

static void full_scan_find_drifting(struct tx *tx, struct arena *arena,
                                    const struct due *page, struct drifting *drifting)
{
	const char *ids[PAGE];
	size_t count = 0;

	for (; page; page = page->next)
		ids[count++] = page->domain.id;
	if (count)
		store_drifting(tx, arena, ids, count, drifting);
}

/* ---- on the lane ---- */

static bool full_scan_is_new(const struct full_scan *scan)
{
	return !scan->is_running ||
	       scan->generation != scan->scope.share.generation;
}

static void full_scan_read_page(void *self)
{
	struct full_scan *scan = self;
	struct db *db = scan->poolmgr->lane_db;

	scan->err = OK;
	scan->scope = poolmgr_scope(scan->poolmgr, db);
	if (!scan->scope.share.total)
		return;
	struct tx tx = tx_autocommit(db, &scan->why);
	scan->is_counted = full_scan_is_new(scan);
	if (scan->is_counted)
		scan->count = store_count(&tx, &scan->scope);
	scan->page = store_page(&tx, scan->arena, &scan->scope, scan->cursor, PAGE);
	scan->drifting = (struct drifting){ .count = 0 };
	full_scan_find_drifting(&tx, scan->arena, scan->page, &scan->drifting);
	scan->err = tx_commit(&tx);
}

/* ---- on the loop ---- */

static void full_scan_check_settings(const struct full_scan *scan,
                                     const struct due *chosen)
{
	const char *ids[PAGE];
	size_t count = 0;

	for (; chosen; chosen = chosen->next)
		ids[count++] = chosen->domain.id;
	adjust_again(scan->poolmgr, ids, count);
}

static void full_scan_do_page(struct full_scan *scan)
{
	const struct cause cause = { scan->id, .recovery = true };

	log_request(scan->id);
	full_scan_send(scan, scan->page, false, peers_poll_all, &cause);
	full_scan_send(scan, scan->page, true, peers_poll_all, &cause);
	full_scan_move_on(scan, scan->page);
	struct due *chosen = full_scan_choose(scan, scan->page, &scan->drifting);
	full_scan_send(scan, chosen, false, full_scan_compare_page, &cause);
	full_scan_check_settings(scan, chosen);
	log_request(NULL);
}

/*
 * Begins at the first domain, or where the last scan was interrupted. So each domain gets
 * its turn even if processes often start and stop.
 */
static void full_scan_begin(struct full_scan *scan)
{
	scan->began_ms = clock_ms();
	scan->next_ms = scan->began_ms +
	                full_scan_duration_ms(scan) * 100 / SHARE_PERCENT;
	scan->pages = scan->count / PAGE + 1;
	scan->done = 0;
	scan->number += !*scan->cursor;	/* an interrupted scan keeps its number */
	metric_add(scans, 1);
	scan->is_running = true;
	scan->generation = scan->scope.share.generation;
	snprintf(scan->origin, sizeof(scan->origin), "%s", scan->cursor);
	scan->round_the_end = false;
}

/* The number of pages that are due now, so that the scan ends in time. */
static int64_t full_scan_pages_due(const struct full_scan *scan)
{
	int64_t elapsed_ms = clock_ms() - scan->began_ms;
	int64_t due = elapsed_ms * scan->pages / full_scan_duration_ms(scan) + 1 -
	              scan->done;

	return due < PAGES_A_TURN ? due : PAGES_A_TURN;
}

static void full_scan_page_read(void *self);

static void full_scan_read_next(struct full_scan *scan)
{
	arena_reset(scan->arena);
	scan->is_reading =
	    poolmgr_submit(scan->poolmgr, full_scan_read_page, full_scan_page_read, scan);
}

/* Without a share, or after an error, the scan continues later. */
static void full_scan_page_read(void *self)
{
	struct full_scan *scan = self;

	scan->is_reading = false;
	if (!poolmgr_ran(scan->poolmgr) || !scan->scope.share.total)
		return;
	if (scan->err) {
		if (scan->err != ERR_UNREACHABLE)
			log_warn("full scan interrupted: err=%s reason=\"%s\"",
			         err_name(scan->err), scan->why.text);
		return;
	}
	if (scan->is_counted)
		full_scan_begin(scan);
	if (scan->pages_left < 0)
		scan->pages_left = full_scan_pages_due(scan);
	if (scan->pages_left-- <= 0)
		return;
	full_scan_do_page(scan);
	if (scan->is_running && scan->pages_left > 0 && !scan->poolmgr->is_draining)
		full_scan_read_next(scan);
}

void full_scan_fire(struct full_scan *scan)
{
	/*
	 * starts at the call nearest to the time; otherwise two seconds would become
	 * three
	 */
	if (scan->is_reading ||
	    (!scan->is_running && clock_ms() + HALF_A_TURN_MS < scan->next_ms) ||
	    (scan->is_running && full_scan_pages_due(scan) <= 0))
		return;
	id_random(scan->id);
	scan->pages_left = -1;
	full_scan_read_next(scan);
}

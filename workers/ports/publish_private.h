/*
 * publish_private -- a domain in hand: what the parts of publish.h share. Whoever has its
 * lock looks at its rows (publish.c), asks central for one thing, writes what came of it,
 * and looks again:
 *
 *	what is there         is asked for    what comes of it
 *	no open row           -               it is settled: the end
 *	no row at all         delete_domain   it is gone, or not ours any more
 *	open rows             apply_changes   they are done
 *	                                      no domain: it is missing, all rows are open
 *	                                      no room: half of them; of one: given up
 *	                                      refused: half of them; one is put aside
 *	open rows, no domain  create_domain   it is there, ours or not: they are sent at once
 *
 * A conflict may be the domain's own, which is on its way out (get_domain): then, as after
 * all else that goes wrong, it is given up, and begins anew later.
 */
#pragma once

#include <jansson.h>

#include "publish.h"
#include "runtime/rpc.h"

enum { PUBLISH_ROWS_MAX = 5000 };	/* of a change: central takes no more */

struct publication {
	struct publication *next;
	struct publisher *publisher;
	struct zone_key zone;
	char *zone_text, *project;	/* it points to them */
	struct zone_row row;
	struct held *held;
	struct arena *arena;		/* of a look */
	struct record_row *rows;	/* that are open, at most LIMIT */
	size_t count;
	size_t limit;			/* fewer after a refusal */
	const char *refusal;		/* of the rows, while central is asked why */
	char domain_id[ID_LEN + 1];	/* of the domain that took the change; or "" */
	enum { PUBLISH_ASSUMED, PUBLISH_MISSING, PUBLISH_CREATED } domain;
	bool is_unneeded;		/* it is ours, and nothing is there any more */
};

struct publisher {
	struct ports *ports;
	void (*look)(struct publication *publication);	/* publish_look() */
	struct publication *all;
	size_t count;
	bool is_draining;
};

/* ---- publish_step.c; whoever looks, asks or gives up does not touch it any more ---- */

/* Reads what is open, and begins with what is to be done now, if there is anything. */
void publish_look(struct publication *publication);
/* What one transaction writes; then it is looked at again. */
void publish_look_after(struct publication *publication,
                        enum err (*write)(void *self, struct why *why));
/* It is tried again later. */
void publish_give_up(struct publication *publication, const char *reason);
/* Central has the domain, but not for us: gives up. */
void publish_not_ours(struct publication *publication);
/* It is out of hand. */
void publish_end(struct publication *publication);
struct holder *publish_holder(const struct publisher *publisher);
bool publish_may_create(const struct publication *publication);
void publish_step_metrics(void);
/* As long as its lock is ours. */
struct tx publish_begin_guarded(struct publication *publication, struct why *why);
/* Central, as the project that the records are of. Steals ARGS. */
void publish_ask(struct publication *publication, const char *method, json_t *args,
                 rpc_answer_fn *answered);

/* ---- publish_rows.c ---- */

void publish_rows(struct publication *publication);
/*
 * Its rows are DROPS, of which no more than DROPS_MAX were asked for, and then those that come,
 * both by their names, and no more than its limit. If there was no room for all, those of
 * names of which more may be there are left for the next change: none is away in between.
 */
void publish_rows_keep_whole(struct publication *publication, size_t drops,
                             size_t drops_max);
void publish_rows_metrics(void);

/* ---- publish_domain.c ---- */

void publish_domain_create(struct publication *publication);
/* If central finds it empty. */
void publish_domain_delete(struct publication *publication);

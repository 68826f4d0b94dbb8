/* shard_private -- a router's domain in hand: what the parts of shard.h share. */
#pragma once

#include <jansson.h>

#include "runtime/rpc.h"
#include "shard.h"
#include "store.h"

enum { MOVES_MAX = 1000 };		/* of a change */

struct shard {
	struct shard *next;
	struct shards *shards;
	char *name;
	struct held *held;
	struct arena *arena;
	struct router_row router;
	struct former_name *moves;
	size_t move_count;
	json_t *zone;			/* router.zone */
	rpc_answer_fn *delegated;	/* hears of its delegation */
	bool is_news;			/* that its servers have it */
	bool is_asked_for;		/* its domain, of central, just now */
	bool has_no_serial;		/* to begin with: central has a newer one */
	bool has_no_extras;		/* that could go: central cannot even read them */
	uint32_t serial;		/* of the change that central took, */
	char domain_id[ID_LEN + 1];	/* and of the domain that has it now */
};

struct shards {
	struct routes *routes;
	void (*look)(struct shard *shard);	/* shard_look() */
	struct shard *all;
	size_t count;
	bool is_draining;
};

/* ---- shard_step.c; whoever ends it in whatever way does not touch it any more ---- */

/* It is tried again later. */
void shard_give_up(struct shard *shard, const char *reason);
/* Ends the shard's work until it is due again, by what WRITE does in one transaction. */
void shard_end_by(struct shard *shard, enum err (*write)(void *self, struct why *why));
/* It is out of hand. */
void shard_end(struct shard *shard);
struct holder *shard_holder(const struct shards *shards);
void shard_step_metrics(void);
/* As long as its lock is ours. */
struct tx shard_begin_guarded(struct shard *shard, struct why *why);
/* Both steal ARGS; shard_ask() asks central. */
void shard_ask_at(struct shard *shard, const struct rpc_target *target, const char *method,
                  json_t *args, rpc_answer_fn *answered);
void shard_ask(struct shard *shard, const char *method, json_t *args,
               rpc_answer_fn *answered);
const char *shard_domain(const struct shard *shard);	/* "shard1.v3.rhcloud.com." */
/* Something was written: it is read again, and what is to be done now is begun. */
void shard_look(struct shard *shard);

/* ---- shard_publish.c ---- */

void shard_publish(struct shard *shard);
/* Do its servers have what central was told? */
void shard_watch(struct shard *shard);
/* The arguments of apply_changes: what is to be there; if the router goes, what is not. */
json_t *shard_change(const struct shard *shard);
void shard_publish_metrics(void);

/* ---- shard_delegation.c: below routes.parent, in the ownership registry ---- */

bool shard_is_delegated(const struct shard *shard);
void shard_delegate(struct shard *shard, rpc_answer_fn *answered);
void shard_undelegate(struct shard *shard, rpc_answer_fn *answered);
void shard_not_delegated(struct shard *shard, const struct rpc_answer *answer);

/* ---- shard_leave.c ---- */

void shard_leave(struct shard *shard);

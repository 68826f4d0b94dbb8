/*
 * publish_private -- declarations that only the files of publish.h use. A step reads the
 * row of a router (publish.c) and makes one call:
 *
 * the router is                 call
 * deleted                       publish_delete.c
 * changed, or must be checked   apply_changes, create_domain (publish_changes.c);
 *                               the check also sends all CNAMEs of former names
 * sent to central               get_domain, to see whether name servers serve the serial
 */
#pragma once

#include <jansson.h>

#include "consistency/reconcile.h"
#include "core/router_domain.h"
#include "publish.h"
#include "store.h"

enum { FORMER_NAMES_MAX = 1000 };	/* maximum number of former names in one change */

struct publication {
	struct work work;
	struct routes *routes;
	char *name;			/* name of the router */
	struct router_row router;
	/* former names whose update the worker must send to central now */
	struct former_name *former_names;
	size_t former_count;
	/*
	 * Former names whose CNAME central already has. The check of a router sends these
	 * CNAMEs again, at most FORMER_NAMES_MAX in one change.
	 */
	struct former_name *kept_names;
	size_t kept_count;
	/* route and name of the last kept CNAME in the previous change */
	char kept_route[ID_LEN + 1], kept_dns[ROUTER_DOMAIN_NAME];
	json_t *zone;			/* router.zone as JSON */
	rpc_answer_fn *delegated;	/* callback for the answer about the delegation */
	bool is_known;			/* the router has a row */
	/* the name servers have begun to serve the last change */
	bool is_news;
	/* the process has called create_domain during this work */
	bool is_asked_for;
	/*
	 * central has refused the serial in `zone`, possibly because the domain has a
	 * newer serial
	 */
	bool has_no_serial;
	/* another program has created the domain, so its id is not known yet */
	bool is_adopted;
	/* central refuses to set the records of a router that is being deleted */
	bool has_no_extras;
	uint32_t serial;		/* serial of the change that central accepted */
	char domain_id[ID_LEN + 1];	/* id of the domain that accepted the change */
};

/* ---- publish_call.c ---- */

/* Returns the domain with a final dot: "shard1.v3.rhcloud.com." */
const char *publish_domain(const struct publication *publication);
/* Calls central. After the answer of central, calls ANSWERED. Takes over ARGS. */
void publish_call(struct publication *publication, const char *method, json_t *args,
                  rpc_answer_fn *answered);

/* ---- publish_changes.c ---- */

void publish_changes(void *publication);
/* Asks central whether the name servers serve the change. */
void publish_check(struct publication *publication);
/*
 * Makes the arguments of apply_changes. For a router that is being deleted, the
 * arguments delete the records of the router.
 */
json_t *publish_change(const struct publication *publication);
void publish_changes_metrics(void);

/* ---- publish_delegation.c: delegations in the shared zone routes.parent ---- */

bool publish_is_delegated(const struct publication *publication);
void publish_delegate(struct publication *publication, rpc_answer_fn *answered);
void publish_undelegate(struct publication *publication, rpc_answer_fn *answered);
void publish_fail_delegation(struct publication *publication,
                             const struct rpc_answer *answer);

/* ---- publish_delete.c ---- */

/*
 * Deletes the delegation and the records. Also deletes the domain, if zonefleet-routes
 * has created the domain and the domain is empty.
 */
void publish_delete(struct publication *publication);

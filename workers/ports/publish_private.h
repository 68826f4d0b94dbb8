/*
 * publish_private -- the parts of publish.h. One step reads the open rows of a domain
 * (publish.c) and makes one call to central. The answer is written before the next step:
 *
 *	rows                  call            answer
 *	none open             -               the domain is settled: the end
 *	none at all           delete_domain   it is deleted, or not ours from now on
 *	open                  apply_changes   the rows are done
 *	                                      no such domain: all rows are open again
 *	                                      over quota: half of the rows; one: failure
 *	                                      refused: half of the rows; one: set aside
 *	open, no such domain  create_domain   it exists: the rows are sent at once
 *
 * A domain that is being deleted refuses changes with a conflict. get_domain tells this
 * conflict from the conflict of a record. It is a failure, as all other errors are.
 */
#pragma once

#include <jansson.h>

#include "consistency/reconcile.h"
#include "publish.h"

enum { PUBLISH_ROWS_MAX = 5000 };	/* of a change: central takes no more */

struct publication {
	struct work work;
	struct ports *ports;
	struct zone_key zone;		/* its texts are the publication's own */
	struct zone_row row;
	struct record_row *rows;	/* open ones, at most LIMIT */
	size_t count;
	size_t limit;			/* smaller after a refusal */
	const char *refusal;		/* central's reason, while it is asked more */
	char domain_id[ID_LEN + 1];	/* of the domain that took the change; or "" */
	enum { PUBLISH_ASSUMED, PUBLISH_MISSING, PUBLISH_CREATED } domain;
	bool is_known;			/* the domain has a row */
	bool is_unneeded;		/* we have created it, and no record is left */
};

/* ---- publish_call.c ---- */

/* Calls central for the project of the records. Steals ARGS. */
void publish_call(struct publication *publication, const char *method, json_t *args,
                  rpc_answer_fn *answered);
bool publish_can_create(const struct publication *publication);
/* Fails: central has no such domain for this project. */
void publish_fail_no_domain(struct publication *publication);

/* ---- publish_rows.c ---- */

void publish_rows(struct publication *publication);
/*
 * The first DROPS rows delete records, of which DROPS_MAX were asked for, and the others
 * add records. Both are sorted by name. If one list is cut off, rows of names behind the cut
 * wait for the next change: so no name is without records between two changes.
 */
void publish_rows_keep_whole(struct publication *publication, size_t drops,
                             size_t drops_max);
void publish_rows_metrics(void);

/* ---- publish_domain.c ---- */

void publish_domain_create(struct publication *publication);
void publish_domain_delete(struct publication *publication);	/* if it is empty */

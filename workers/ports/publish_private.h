/*
 * publish_private -- declarations that only the files of publish.h use. A step reads the
 * open rows of a domain (publish.c) and makes one call to central. zonefleet-ports writes
 * the answer to the database before the next step:
 *
 * rows                  call            answer
 * no open row           -               there is no more work: the end
 * no row at all         delete_domain   central deletes or keeps the domain
 * open                  apply_changes   the rows are done
 *                                       no such domain: all rows are open again
 *                                       over quota: next, send half of the rows; if there
 *                                       is only one row, the step fails
 *                                       refused: next, send half of the rows; if there is
 *                                       only one row, the row becomes REFUSED
 * open, no such domain  create_domain   the domain exists: send the rows now
 *
 * If the domain is suspect and no row is open, the steps send the published rows again,
 * as additions. The additions change nothing in central if no record is missing.
 */
#pragma once

#include <jansson.h>

#include "consistency/reconcile.h"
#include "publish.h"

enum {
	/* maximum number of rows in one change. Central has the same limit. */
	PUBLISH_ROWS_MAX = 5000,
	/* maximum number of published rows in one change */
	PUBLISH_AGAIN_MAX = 1000,
};

/* The part of the published rows of a suspect domain that central has confirmed. */
struct confirmation {
	bool is_begun;			/* central has confirmed some rows */
	/* another program has changed the domain since the first confirmation */
	bool is_disturbed;
	uint64_t version;		/* version of the domain after the last change */
	char name[256], data[256];	/* name and data of the last confirmed row */
	uint16_t type;			/* type of the last confirmed row */
};

/*
 * The work on one domain. While central deletes a domain, central refuses changes with a
 * conflict. zonefleet-ports calls get_domain to distinguish this conflict from the
 * conflict of a record. If central is deleting the domain, the step fails. The step also
 * fails after each error that the table above does not contain.
 */
struct publication {
	struct work work;
	struct ports *ports;
	struct zone_key zone;		/* the publication owns the strings */
	struct zone_row row;
	/* open rows, or published rows if is_again is set */
	struct record_row *rows;
	size_t count;
	/*
	 * Maximum of `count`. A refusal reduces the limit to half of `count`, and a
	 * success raises the limit.
	 */
	size_t limit;
	/*
	 * reason of central's last refusal, until central accepts or refuses a smaller
	 * change
	 */
	const char *refusal;
	/* id of the domain that accepted the change, or "" */
	char domain_id[ID_LEN + 1];
	enum { PUBLISH_ASSUMED, PUBLISH_MISSING, PUBLISH_CREATED } domain;
	bool is_known;			/* the domain has a row */
	/*
	 * true: ports.delete_reverse is set, zonefleet-ports has created this reverse
	 * domain, and no port has a record in the domain
	 */
	bool is_unneeded;
	bool is_again;			/* `rows` contains published rows */
	struct confirmation confirmation;
	/* values of central's last answer */
	uint64_t version;
	bool is_changed;
};

/* ---- publish_call.c ---- */

/* Calls central as the tenant of the records. Takes over ARGS. */
void publish_call(struct publication *publication, const char *method, json_t *args,
                  rpc_answer_fn *answered);
bool publish_can_create(const struct publication *publication);
/* Ends the work with a failure: central has no such domain of this tenant. */
void publish_fail_no_domain(struct publication *publication);

/* ---- publish_rows.c ---- */

void publish_rows(void *publication);
/*
 * Keeps all rows of a name in one change, so that no name is without records between two
 * changes. The first DROPS of the rows delete records. The step has read at most
 * DROPS_MAX of these rows. The other rows add records. Both parts are sorted by name. If
 * more rows of a part possibly follow, the rows of the last name in this part and of
 * later names wait for the next change. These rows do not wait if DROPS is 0, or if the
 * change would contain no other row.
 */
void publish_rows_keep_whole(struct publication *publication, size_t drops,
                             size_t drops_max);
void publish_rows_metrics(void);

/* ---- publish_domain.c ---- */

void publish_domain_create(struct publication *publication);
/* Deletes the domain, if the domain is empty. */
void publish_domain_delete(struct publication *publication);

/*
 * store -- the rows of pool_manager_status: the actions that each server must do for a
 * domain, and the serial that it serves. Orders, results and reports write them;
 * evaluate.h reads them. Rows that are due: store_due.h. The servers themselves:
 * store_servers.h.
 */
#pragma once

#include "core/domain_view.h"
#include "model/domain.h"
#include "model/messages.h"
#include "runtime/tx.h"
#include "scope.h"
#include "servers.h"

struct slice;

/*
 * An action that a server must do. If it is not finished after LEASE_S, it is due again.
 * WAITS: for locked rows; the loop does not wait.
 */
struct order {
	const char *domain_id, *server_id;
	enum action action;
};
void store_write_orders(struct tx *tx, const struct order *orders, size_t count,
                        int lease_s, bool waits);

/* The result of an action on one server. */
struct outcome {
	const char *domain_id, *server_id;
	enum action action;
	/*
	 * SUCCESS or ERROR. NULL: done, but a poll must confirm it. NO_DOMAIN: as NULL,
	 * and the server said that it deleted the domain.
	 */
	const char *status;
	const char *reason;
	/* for NULL and NO_DOMAIN: the row is due after this time */
	int confirm_s;
};
void store_settle(struct tx *tx, const struct outcome *outcome);
/* The process could not try the action: makes it due AFTER_S later, same status. */
void store_postpone(struct tx *tx, const char *domain_id, const char *server_id,
                    enum action action, int after_s);
/* For deletions, at most LIST_MAX, whose rows exist and are locked. */
void store_settle_deletions(struct tx *tx, const struct outcome *outcomes, size_t count);
/*
 * For the deletions with SUCCESS: the domain is gone from the server. If its creation
 * never had a result, the server may still create the zone later. So the deletion is due
 * once more, AFTER_S later.
 */
void store_delete_again(struct tx *tx, struct arena *arena,
                        const struct outcome *outcomes, size_t count, int after_s);

/*
 * Writes reports to UPDATE rows. An old report has no effect. WAITS: for locked rows;
 * the loop does not wait.
 */
void store_reports(struct tx *tx, const struct server_report *reports, size_t count,
                   bool waits);

/* After a statement that does not wait for rows: a locked row becomes ERR_LOCKED. */
void store_check_locked(struct tx *tx);
/*
 * Sets locked[i] if another transaction has locked a row of the domain on the server. For
 * at most LIST_MAX reports, in a transaction that is rolled back.
 */
void store_find_locked(struct tx *tx, struct arena *arena,
                       const struct server_report *reports, size_t count, bool *locked);

/* A view for each of the ids (1 to LIST_MAX, all different), in the arena. */
struct domain_view *store_domain_views(struct tx *tx, struct arena *arena,
                                       const char *const *ids, size_t count,
                                       enum action action, const struct servers *servers);
/* Reads the current row of the domain; a message may be old. False: no such domain. */
bool store_domain(struct tx *tx, struct arena *arena, const char *domain_id,
                  struct domain_ref *domain);
/*
 * The action ENDED is finished on a server. If central deletes the domain now, or a new
 * domain has its name, the opposite action is due AFTER_S from now.
 */
void store_reconsider(struct tx *tx, const struct domain_ref *domain, enum action ended,
                      const char *server_id, int after_s);
/*
 * The server has a serial that central did not issue, so it ignores newer serials of the
 * database.
 */
#define UNKNOWN_SERIAL_WORDS "serves serial %u, which we did not issue"
struct unknown_row {
	const struct domain_ref *domain;
	const char *server_id;
	uint32_t serial;
};
void store_unknown_serials(struct tx *tx, const struct unknown_row *unknown, size_t count,
                           bool waits);
/*
 * True: the action is still needed. The order may be old: central may have deleted the
 * domain to create, or a new domain has the name of the domain to delete.
 */
bool store_is_needed(struct tx *tx, const struct domain_ref *domain, enum action action);
/* True: a live domain other than DOMAIN_ID has this name. Then its zone must stay. */
bool store_name_is_taken(struct tx *tx, const char *name, const char *domain_id);

/*
 * Finds orphan zones among the zones of a server (NAMES, at most TX_LIST_MAX): zones
 * without a live domain, and without a domain that is being deleted there. Writes at most
 * ROOM names to ORPHANS and returns their number.
 */
size_t store_orphans(struct tx *tx, struct arena *arena, const char *server_id,
                     const char *const *names, size_t count, const char **orphans,
                     size_t room);

/* True: there is a deleted domain with this name. */
bool store_was_domain(struct tx *tx, const char *name);

/* Deletes rows of deleted domains without pending work. */
void store_forget_settled(struct tx *tx, const char *pool);
/*
 * Deletes rows of a slice without a domain, for at most TX_LIST_MAX domains: central may
 * remove a domain while a pool manager writes a row of it. Rows younger than AGE_S stay.
 */
void store_forget_gone(struct tx *tx, const struct slice *slice, int age_s);

/*
 * store -- the rows of pool_manager_status: the actions for a domain on each server, and
 * the serial that the server serves. The pool manager writes these rows when it handles
 * orders, results and reports. evaluate.h reads the rows. store_due.h handles rows that
 * are due. store_servers.h handles the rows of pool_servers.
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
 * An action that the pool manager must perform on a server. store_write_orders() writes
 * the rows of these actions. If an action is not finished after LEASE_S seconds, the
 * action is due again.
 * WAITS: the call waits for locked rows. On the event loop, WAITS must be false.
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
	 * SUCCESS or ERROR. NULL: the action is done, but a poll must confirm the
	 * result. NO_DOMAIN: like NULL, and the server answered that it deleted the
	 * zone.
	 */
	const char *status;
	const char *reason;
	/* for NULL and NO_DOMAIN: seconds until the row is due */
	int confirm_s;
};
void store_settle(struct tx *tx, const struct outcome *outcome);
/*
 * Call it if the process could not try the action. Makes the action due in AFTER_S
 * seconds, with the same status.
 */
void store_postpone(struct tx *tx, const char *domain_id, const char *server_id,
                    enum action action, int after_s);
/*
 * Writes the results of at most LIST_MAX deletions. The rows of the deletions must exist,
 * and the caller must have locked these rows.
 */
void store_settle_deletions(struct tx *tx, const struct outcome *outcomes, size_t count);
/*
 * Makes the successful deletions in OUTCOMES due once more, in AFTER_S seconds, if the
 * creation of the domain never succeeded. In this case, it is possible that the server
 * still creates the zone after the deletion.
 */
void store_delete_again(struct tx *tx, struct arena *arena,
                        const struct outcome *outcomes, size_t count, int after_s);

/*
 * Words in a reason (unseen.h). If a poll has already found a serial on the server,
 * store_reports() removes these words and the rest of the reason.
 */
#define UNSEEN_WORDS "; no poll has found a serial of this zone yet"

/*
 * Writes reports to UPDATE rows. If the row already contains a newer report, an older
 * report does not change the state in the row. WAITS: the call waits for locked rows. On
 * the event loop, WAITS must be false.
 */
void store_reports(struct tx *tx, const struct server_report *reports, size_t count,
                   bool waits);

/*
 * Call it after a statement that does not wait for rows. If a row was locked, the error
 * of the transaction becomes ERR_LOCKED.
 */
void store_check_locked(struct tx *tx);
/*
 * Sets locked[i] if another transaction has locked a row of the domain and server of
 * reports[i]. COUNT is at most LIST_MAX. Call it in a transaction that you roll back
 * after the call.
 */
void store_find_locked(struct tx *tx, struct arena *arena,
                       const struct server_report *reports, size_t count, bool *locked);

/*
 * Returns an array in the arena: for each domain in IDS, its view for ACTION. IDS
 * contains 1 to LIST_MAX different ids. If a domain does not exist, the id in its view is
 * "".
 */
struct domain_view *store_domain_views(struct tx *tx, struct arena *arena,
                                       const char *const *ids, size_t count,
                                       enum action action, const struct servers *servers);
/*
 * Reads the current row of the domain, because a message can be old. False: no such
 * domain.
 */
bool store_domain(struct tx *tx, struct arena *arena, const char *domain_id,
                  struct domain_ref *domain);
/*
 * Call it when the action ENDED is finished on a server. After a CREATE: if central is
 * deleting the domain, its DELETE becomes due. After a DELETE: if a new domain has the
 * same name, the CREATE of the new domain becomes due. The action is due in AFTER_S
 * seconds.
 */
void store_reconsider(struct tx *tx, const struct domain_ref *domain, enum action ended,
                      const char *server_id, int after_s);
/*
 * The reason if a server serves a serial that zonefleet did not issue. Such a server
 * ignores the serials of the database. store_unknown_serials() writes this reason and
 * the status ERROR to the rows of these servers. If the row already contains a different
 * serial, the function does not change the row.
 */
#define UNKNOWN_SERIAL_WORDS "serves serial %u, which zonefleet did not issue"
struct unknown_row {
	const struct domain_ref *domain;
	const char *server_id;
	uint32_t serial;
};
void store_unknown_serials(struct tx *tx, const struct unknown_row *unknown, size_t count,
                           bool waits);
/*
 * True: the domain still needs ACTION. Call this function because an order can be old.
 * For example, central has deleted the domain to create, or a new domain has the name of
 * the domain to delete.
 */
bool store_is_needed(struct tx *tx, const struct domain_ref *domain, enum action action);
/*
 * True: a live domain other than DOMAIN_ID has this name. In this case, the zone must
 * stay on the servers.
 */
bool store_name_is_taken(struct tx *tx, const char *name, const char *domain_id);

/*
 * Finds orphan zones among NAMES, the names of 1 to TX_LIST_MAX zones on a server. A
 * zone is an orphan zone if no live domain has its name, and no domain with its name is
 * being deleted on this server. Writes at most ROOM names to ORPHANS and returns their
 * number.
 */
size_t store_orphans(struct tx *tx, struct arena *arena, const char *server_id,
                     const char *const *names, size_t count, const char **orphans,
                     size_t room);

/* True: the database contains a deleted domain with this name. */
bool store_was_domain(struct tx *tx, const char *name);

/*
 * Deletes the rows of domains whose deletion is complete on all servers, for at most
 * TX_LIST_MAX domains. Rows that have changed within the last 2 s stay until the next
 * call. Call it outside a transaction: if another process changed a row after the first
 * statement, MariaDB would write an error to its log.
 */
void store_forget_settled(struct tx *tx, const char *pool);
/*
 * Deletes the rows in SLICE whose domain no longer exists, for at most TX_LIST_MAX
 * domains. Such rows exist because central can remove a domain while a pool manager
 * writes a row of the domain. The function keeps rows that a pool manager wrote within
 * the last AGE_S seconds.
 */
void store_forget_gone(struct tx *tx, const struct slice *slice, int age_s);

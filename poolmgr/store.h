/*
 * store -- what each server owes and has of a domain: the rows of pool_manager_status,
 * written by what was ordered, done and reported, and read to be judged. Of what is due
 * by its time see store_due.h, of the servers themselves store_read_servers.h.
 */
#pragma once

#include "core/domain_view.h"
#include "model/domain.h"
#include "model/messages.h"
#include "runtime/tx.h"
#include "scope.h"
#include "servers.h"

struct slice;

/* What a server owes a domain; taken up (again) after LEASE_S. A statement for many. */
struct order {
	const char *domain_id, *server_id;
	enum action action;
};
void store_write_orders(struct tx *tx, const struct order *orders, size_t count,
                        int lease_s);

/* How an action on one server ended. */
struct outcome {
	const char *domain_id, *server_id;
	enum action action;
	/*
	 * SUCCESS, ERROR; done, and to be confirmed: NULL, or NO_DOMAIN where the server
	 * said itself that it deleted the domain
	 */
	const char *status;
	const char *reason;
	int confirm_s;		/* to be confirmed: look again after this */
};
void store_settle(struct tx *tx, const struct outcome *outcome);
/* It could not be tried now, which says nothing of the server: again AFTER_S later. */
void store_postpone(struct tx *tx, const char *domain_id, const char *server_id,
                    enum action action, int after_s);
/*
 * The domain is gone from the server. Was it never said how its creation ended? Then the
 * server may still carry that out, when it wakes up: deleted once more, AFTER_S later.
 */
void store_delete_again(struct tx *tx, const char *domain_id, const char *server_id,
                        int after_s);

/* UPDATE rows by minidns' reports. Serials only grow; a stale report changes nothing. */
void store_reports(struct tx *tx, const struct server_report *reports, size_t count);

/* One for each of the ids (1 to LIST_MAX, no two alike), in their order; in the arena. */
struct domain_view *store_domain_views(struct tx *tx, struct arena *arena,
                                       const char *const *ids, size_t count,
                                       enum action action, const struct servers *servers);
/* The domain's row as it is: what a message says of it may be old. False: it is gone. */
bool store_domain(struct tx *tx, struct arena *arena, const char *domain_id,
                  struct domain_ref *domain);
/*
 * A create or delete has ENDED on a server. If the domain is being deleted meanwhile, or
 * its name lives again, what undoes it is due AFTER_S from now.
 */
void store_reconsider(struct tx *tx, const struct domain_ref *domain, enum action ended,
                      const char *server_id, int after_s);
/* The server has a zone of that name whose serial is none of ours: it refuses ours. */
#define UNKNOWN_SERIAL_WORDS "serves serial %u, which is none of ours"
void store_unknown_serial(struct tx *tx, const struct domain_ref *domain,
                          const char *server_id, uint32_t serial);
/*
 * Is the action still right? What asked for it may be old: the domain was deleted since
 * it was to be created, or its name lives again since it was deleted.
 */
bool store_is_needed(struct tx *tx, const struct domain_ref *domain, enum action action);
/* Is there a live domain of this name that is not DOMAIN_ID? Then its zone must stay. */
bool store_name_is_taken(struct tx *tx, const char *name, const char *domain_id);

/*
 * Of NAMES (at most TX_LIST_MAX, as a server has them), those that no living domain has,
 * and no deleted one whose deletion is still under way there: into STRANGERS, as many as
 * there is ROOM for. Returns how many.
 */
size_t store_orphans(struct tx *tx, struct arena *arena, const char *server_id,
                     const char *const *names, size_t count, const char **orphans,
                     size_t room);

bool store_was_domain(struct tx *tx, const char *name);	/* is there a tombstone of it? */

/* Rows of deleted domains with which all is done. */
void store_forget_settled(struct tx *tx, const char *pool);
/*
 * Rows of a slice whose domain is gone for good,
	of at most TX_LIST_MAX domains: central may
 * delete a domain while a row of it is written. Those younger than AGE_S stay.
 */
void store_forget_gone(struct tx *tx, const struct slice *slice, int age_s);

/*
 * store -- poolmgr's statements: it writes pool_manager_status and
 * pool_servers, and reads domains and pools.
 */
#pragma once

#include "core/consensus.h"
#include "model/domain.h"
#include "model/messages.h"
#include "runtime/tx.h"
#include "scope.h"
#include "servers.h"

enum { STORE_REASON = 512 };

/* SERVERS (COUNT of them) owe ACTION on the domain; taken up again after LEASE_S. */
void store_owe(struct tx *tx, const char *domain_id, enum action action,
               const struct server *const *servers, size_t count, int lease_s);

/* How an action on one server ended. */
struct outcome {
	const char *domain_id, *server_id;
	enum action action;
	const char *status;	/* SUCCESS, ERROR; NULL: done, and to be confirmed */
	const char *reason;
	int confirm_s;		/* status NULL: look again after this */
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

/* A domain as it stands, with what each of its servers is seen to have. */
struct standing {
	struct domain_ref domain;	/* no id: there is no such domain (any more) */
	/* those of the configured servers that it is for */
	size_t count;
	const struct server **servers;
	struct sighting *sightings;	/* ACTION's rows, in the order of the servers */
	const char **reasons;		/* likewise; "" where there is none */
};
/* One for each of the ids (1 to LIST_MAX, no two alike), in their order; in the arena. */
struct standing *store_standings(struct tx *tx, struct arena *arena,
                                 const char *const *ids, size_t count, enum action action,
                                 const struct servers *servers);
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
void store_foreign(struct tx *tx, const struct domain_ref *domain, const char *server_id,
                   uint32_t serial);
/*
 * Is the action still right? What asked for it may be old: the domain was deleted since
 * it was to be created, or its name lives again since it was deleted.
 */
bool store_is_owed(struct tx *tx, const struct domain_ref *domain, enum action action);
/* Is there a live domain of this name that is not DOMAIN_ID? Then its zone must stay. */
bool store_name_is_taken(struct tx *tx, const char *name, const char *domain_id);

/*
 * Of NAMES (at most TX_LIST_MAX, as a server has them), those that no living domain has,
 * and no deleted one whose deletion is still under way there: into STRANGERS, as many as
 * there is ROOM for. Returns how many.
 */
size_t store_strangers(struct tx *tx, struct arena *arena, const char *server_id,
                       const char *const *names, size_t count, const char **strangers,
                       size_t room);

bool store_was_domain(struct tx *tx, const char *name);	/* is there a tombstone of it? */

/* No server need serve the domain any more: what was to be created or updated is not. */
void store_drop_plans(struct tx *tx, const char *domain_id);

/* What is to be done again, oldest first; at most LIMIT. */
struct due {
	struct domain_ref domain;
	enum action action;
	const char *row_id;	/* NULL: there is no row yet */
	struct due *next;
};
/* Rows of a server that failed, or never ended, and whose time has come. Each is one more
 * attempt, and the next is LEASE_S away at least. */
struct due_of {
	const char *server_id;
	bool control;		/* through its control channel; else NOTIFY and polls */
	int ahead_s;		/* what comes due so soon is taken, too */
	size_t limit;
};
struct due *store_due(struct tx *tx, struct arena *arena, const struct scope *scope,
                      const struct due_of *of, int lease_s);
/* The pool's servers as the table has them, in the arena. */
struct seen_servers {
	struct seen_server {
		const char *id;
		bool in_service;	/* not drained or removed by the operator */
		bool has_due;		/* something is due, whosever it is */
	} *item;
	size_t count;
};
void store_servers(struct tx *tx, struct arena *arena, const char *pool,
                   struct seen_servers *servers);
/* What is known of those that the operator removed. */
void store_forget_out(struct tx *tx, const char *pool);
/* All that is owed of the domain is due now. */
void store_hurry(struct tx *tx, const char *domain_id);
/* All that failed (through its control channel, or not) is due now. */
void store_release(struct tx *tx, const char *pool, const char *server_id, bool control);
/* Domains to be deleted, without a DELETE row for the server, older than STALE_S. */
struct due *store_undeleted(struct tx *tx, struct arena *arena, const struct scope *scope,
                            const struct server *server, size_t limit, int stale_s);
/* Live domains without a CREATE row for the server, older than STALE_S. */
struct due *store_missing(struct tx *tx, struct arena *arena, const struct scope *scope,
                          const struct server *server, size_t limit, int stale_s);
/* Domains whose serial the server was not seen to serve for STALE_S, without an error. */
struct due *store_behind(struct tx *tx, struct arena *arena, const struct scope *scope,
                         const struct server *server, size_t limit, int stale_s);
/* Domains not settled after STALE_S: PENDING first, then any of the rest. */
struct due *store_unsettled(struct tx *tx, struct arena *arena, const struct scope *scope,
                            size_t limit, int stale_s);
/* How many live domains there are in the scope; those behind CURSOR, by id. */
int64_t store_count(struct tx *tx, const struct scope *scope);
struct due *store_page(struct tx *tx, struct arena *arena, const struct scope *scope,
                       const char *cursor, size_t limit);
/* How the pool's domains stand, whosever they are. */
struct census {
	int64_t count[STATUS_COUNT];
	int64_t oldest_pending_s;	/* since the change that is owed; 0: none is */
};
void store_census(struct tx *tx, const char *pool, struct census *census);
int64_t store_count_behind(struct tx *tx, const struct scope *scope,
                           const struct server *server);

/*
 * The servers, as this process has them in its configuration; again in each round. One
 * that nobody has named for UNHEARD_S was removed: what is known of it is forgotten.
 */
void store_register(struct tx *tx, const char *pool, const struct servers *servers);
void store_forget_removed(struct tx *tx, const char *pool, int unheard_s);
/* Rows of deleted domains with which all is done. */
void store_forget_settled(struct tx *tx, const char *pool);

/*
 * tell -- what poolmgr says to the others: casts to minidns, and calls to
 * central. Of one domain at most one call to central is out; what comes
 * meanwhile waits, the newest only. While calls are out the reports of other
 * domains gather for the next one. Each is told again until central answers:
 * the rows remember the fact should this process die before.
 */
#pragma once

#include <stdbool.h>

#include "model/messages.h"
#include "poolmgr.h"
#include "servers.h"

void peers_metrics(void);	/* before the fork */
struct peers *peers_new(struct poolmgr *poolmgr);
void peers_free(struct peers **peers);
bool peers_idle(const struct peers *peers);

/* Why something is told: the request it belongs to, or a round of the sync. */
struct cause {
	const char *request_id;
	bool recovery;		/* by the recovery queue: behind users' changes */
	bool probe;		/* an operation is tried though its server is failing */
};

/*
 * NOTIFY servers and poll them, of several domains; one of each; the poll alone. An
 * audience of nobody: minidns is to hear that the domains changed.
 */
struct server_list {
	const struct server *const *servers;
	size_t count;
};
void peers_notify_all(struct peers *peers, const struct domain_refs *domains,
                      const struct server_list *audience, const struct cause *cause);
void peers_notify(struct peers *peers, const struct domain_ref *domain,
                  const struct server *server, const struct cause *cause);
void peers_poll(struct peers *peers, const struct domain_ref *domain,
                const struct server *server, const struct cause *cause);
/* Poll servers, of domains that they should have: we hear of those that differ. */
void peers_poll_all(struct peers *peers, const struct domain_refs *domains,
                    const struct server_list *audience, const struct cause *cause);
/* Compare all records instead. TELL_EQUAL: mini-DNS also reports equal servers. */
void peers_compare(struct peers *peers, const struct domain_refs *domains,
                   const struct server_list *audience, bool tell_equal,
                   const struct cause *cause);
/* NOTIFY to also_notifies, which are never polled. */
void peers_notify_also(struct peers *peers, const struct domain_ref *domain,
                       const struct cause *cause);
void peers_report(struct peers *peers, const struct pool_report *report,
                  const char *request_id);
/* How many domains more central can be told of: what is beyond that is forgotten. */
size_t peers_report_room(const struct peers *peers);
/*
 * Did this process tell central lately that the pool serves this serial? False may mean
 * that it was forgotten, or that another process did.
 */
bool peers_has_reported(const struct peers *peers, const char *domain_id,
                        uint32_t serial);

/*
 * peers -- sends messages to the other programs: casts to mini-DNS, and calls to central.
 * For each domain, at most one call is waiting for an answer. A newer report about that
 * domain waits for the end of the call, and replaces an older waiting report. While a
 * call has no answer, reports about other domains wait 20 ms. So the next call contains
 * several reports. The pool manager repeats each report until central answers. If the
 * process ends before central answers, the next sync finds in the database that
 * central still needs a report about the domain.
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

/* The cause of a message: a request, or a round of periodic work. */
struct cause {
	const char *request_id;
	/* the message goes to the recovery queue, so that changes of users come first */
	bool recovery;
	/*
	 * the server is failing: the operation runs nevertheless, and a poll has only
	 * one try
	 */
	bool probe;
};

struct server_list {
	const struct server *const *servers;
	size_t count;
};
/*
 * Orders a NOTIFY and a poll, for one or several domains and servers. If the list is
 * empty, mini-DNS only announces the changes to its processes.
 */
void peers_notify_all(struct peers *peers, const struct domain_refs *domains,
                      const struct server_list *list, const struct cause *cause);
void peers_notify(struct peers *peers, const struct domain_ref *domain,
                  const struct server *server, const struct cause *cause);
void peers_poll(struct peers *peers, const struct domain_ref *domain,
                const struct server *server, const struct cause *cause);
/* Orders polls. mini-DNS reports only servers with a different serial. */
void peers_poll_all(struct peers *peers, const struct domain_refs *domains,
                    const struct server_list *list, const struct cause *cause);
/*
 * Orders a comparison of all records. TELL_EQUAL: mini-DNS also reports servers with
 * equal records.
 */
void peers_compare(struct peers *peers, const struct domain_refs *domains,
                   const struct server_list *list, bool tell_equal,
                   const struct cause *cause);
/* Orders a NOTIFY to each address in also_notifies, without polls. */
void peers_notify_also(struct peers *peers, const struct domain_ref *domain,
                       const struct cause *cause);
/* Reports to central; repeats the call until central answers. */
void peers_report(struct peers *peers, const struct pool_report *report,
                  const char *request_id);
/*
 * Returns the number of further domains whose reports may wait for a call. If it is 0,
 * peers_report() drops reports of further domains.
 */
size_t peers_report_room(const struct peers *peers);
/*
 * True: this process has recently reported that the pool serves this serial. False:
 * another process may have reported the serial, or this process no longer has its own
 * report in memory.
 */
bool peers_has_reported(const struct peers *peers, const char *domain_id,
                        uint32_t serial);

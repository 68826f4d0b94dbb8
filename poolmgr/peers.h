/*
 * peers -- sends messages to the other programs: casts to mini-DNS, and calls to
 * central. A call contains reports about domains. About each domain, at most one report
 * is in an open call. A newer report about this domain waits for the end of the call,
 * and replaces an older waiting report. While a call is open, reports about other
 * domains wait for 20 ms before the pool manager sends them. So the next call contains
 * several reports. The pool manager repeats a report until central accepts or refuses
 * the report, or until a newer report replaces the report. If the process ends before
 * central answers, the next sync finds in the database that central still needs a report
 * about the domain.
 */
#pragma once

#include <stdbool.h>

#include "model/messages.h"
#include "poolmgr.h"
#include "servers.h"

void peers_metrics(void);	/* call it before the fork */
struct peers *peers_new(struct poolmgr *poolmgr);
void peers_free(struct peers **peers);
bool peers_idle(const struct peers *peers);

/* The cause of a message: a request, or a round of periodic work. */
struct cause {
	const char *request_id;
	/*
	 * the message goes to the recovery queue, so that mini-DNS handles changes of
	 * users before this message
	 */
	bool recovery;
	/*
	 * the server is failing. The process starts operations nevertheless, and a poll
	 * consists of only one query
	 */
	bool probe;
};

struct server_list {
	const struct server *const *servers;
	size_t count;
};
/*
 * These functions order a NOTIFY and a poll for each pair of a domain and a server. They
 * skip servers without an address. If LIST is empty, mini-DNS only announces the changes
 * to all mini-DNS processes.
 */
void peers_notify_all(struct peers *peers, const struct domain_refs *domains,
                      const struct server_list *list, const struct cause *cause);
void peers_notify(struct peers *peers, const struct domain_ref *domain,
                  const struct server *server, const struct cause *cause);
/* Orders a poll. If the server has no address, does nothing. */
void peers_poll(struct peers *peers, const struct domain_ref *domain,
                const struct server *server, const struct cause *cause);
/*
 * Orders a poll for each pair of a domain and a server. mini-DNS reports only servers
 * whose serial differs from the serial of the domain.
 */
void peers_poll_all(struct peers *peers, const struct domain_refs *domains,
                    const struct server_list *list, const struct cause *cause);
/*
 * Orders a comparison of all records for each pair of a domain and a server. TELL_EQUAL:
 * mini-DNS also reports servers with equal records.
 */
void peers_compare(struct peers *peers, const struct domain_refs *domains,
                   const struct server_list *list, bool tell_equal,
                   const struct cause *cause);
/* Orders a NOTIFY to each address in also_notifies, without polls. */
void peers_notify_also(struct peers *peers, const struct domain_ref *domain,
                       const struct cause *cause);
/*
 * Sends REPORT to central, and repeats REPORT after an error. If peers_report_room() is
 * 0, drops a report about a further domain, because the next sync finds this domain.
 */
void peers_report(struct peers *peers, const struct pool_report *report,
                  const char *request_id);
/*
 * Returns the number of further domains whose reports may wait for a call. If the result
 * is 0, peers_report() drops reports about further domains.
 */
size_t peers_report_room(const struct peers *peers);
/*
 * True: central has accepted a report from this process that the pool serves SERIAL. If
 * the result is false, it is still possible that central knows the serial: from another
 * process, or from a report of this process that is no longer in memory.
 */
bool peers_has_reported(const struct peers *peers, const char *domain_id,
                        uint32_t serial);

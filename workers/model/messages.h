/*
 * messages -- the messages between the programs. Each message has a pair of functions.
 * The decode function checks every field. The encode function returns a new JSON object.
 *
 *	central  -> poolmgr   create_domain, update_domain, delete_domain (domain)
 *	poolmgr  -> minidns   notify_zone_changed, poll_for_serial_number
 *	                      (domain, destination, timeout, retry_interval, max_retries)
 *	poolmgr  -> minidns   check_servers (pool, servers, timeout)
 *	minidns  -> poolmgr   update_status (domain, name_server, status, serial_number)
 *	minidns  -> poolmgr   update_servers (servers)
 *	poolmgr  -> central   update_status (domain, status, serial_number)
 *
 * The requirements define these messages (seed 000). The status of a report is SUCCESS,
 * ERROR or NO_DOMAIN. In a report from the pool manager, the status can also be FOREIGN.
 * A report also contains the string `reason`.
 */
#pragma once

#include <jansson.h>

#include "base/arena.h"
#include "base/err.h"
#include "model/domain.h"

json_t *domain_ref_encode(const struct domain_ref *domain);
enum err domain_ref_decode(const json_t *json, struct domain_ref *domain,
                           struct why *why);
/* Decodes the argument `domain` of a method. */
enum err domain_arg_decode(const json_t *args, struct domain_ref *domain,
                           struct why *why);

enum err destination_decode(const json_t *json, struct destination *destination,
                            struct why *why);

/* The arguments of notify_zone_changed and poll_for_serial_number. */
struct poll_order {
	/* state.task DELETE: wait until the zone is absent */
	struct domain_ref domain;
	struct destination destination;
	int timeout_ms;			/* in seconds in the message, as a number */
	int retry_interval_ms;
	int max_retries;
	bool quiet;			/* not in the message; true for poll_zones */
};
json_t *poll_order_encode(const struct poll_order *order);
enum err poll_order_decode(const json_t *args, struct poll_order *order, struct why *why);

/*
 * Under load, one message contains several items (at most LIST_MAX), so that each item
 * costs less:
 *
 *	update_domains		domains
 *	propagate_zones		domains, destinations: NOTIFY and poll for each pair
 *	poll_zones		like propagate_zones, but only polls. mini-DNS does not
 *				report a server that has the serial
 *	compare_zones		like propagate_zones, but mini-DNS compares the records
 *				of that serial and reports servers with different records.
 *				If tell_equal is set, mini-DNS also reports equal servers
 *	update_statuses		reports, from mini-DNS and from the pool manager
 *
 * One invalid item makes the whole message invalid, because one program wrote the whole
 * message.
 */
enum { LIST_MAX = 256 };

/* The elements of a list, in the arena. */
struct domain_refs {
	struct domain_ref *item;
	size_t count;
};
json_t *domain_refs_encode(const struct domain_refs *domains);
enum err domain_refs_decode(const json_t *args, struct arena *arena,
                            struct domain_refs *domains, struct why *why);

/*
 * The arguments of propagate_zones, poll_zones and compare_zones: an order for each pair
 * of a domain and a destination.
 */
struct propagation {
	struct domain_refs domains;
	struct destination *destinations;
	size_t destination_count;
	struct poll_order terms;	/* without domain and destination */
	bool tell_equal;		/* compare_zones: also report equal servers */
};
json_t *propagation_encode(const struct propagation *propagation);
enum err propagation_decode(const json_t *args, struct arena *arena,
                            struct propagation *propagation, struct why *why);

/*
 * minidns -> poolmgr: the answer of one server. `domain` contains the serial of the
 * order.
 */
struct server_report {
	struct domain_ref domain;
	const char *name_server;	/* destination.id */
	enum report report;
	bool has_serial;		/* false (null in the message): unknown */
	uint32_t serial;
	bool silent;			/* ERROR: the server did not answer */
	/* ERROR: mini-DNS sent no query; older receivers ignore this field */
	bool unasked;
	/*
	 * SUCCESS: the server serves the serial, but different records; `reason` names
	 * some records
	 */
	bool differs;
	/* SUCCESS: the server serves the right records of its serial */
	bool equal;
	/* SUCCESS without a serial: mini-DNS cannot compare the server's zone */
	bool refused;
	/*
	 * differs, refused, or ERROR of a server that answers: number of transfers of the
	 * whole zone, at the serial of the database, that mini-DNS has served to the
	 * server since it first found the failure. The number may be too small.
	 */
	int transfers;
	const char *reason;		/* may be "" */
};
json_t *server_report_encode(const struct server_report *report);
enum err server_report_decode(const json_t *args, struct server_report *report,
                              struct why *why);
struct server_reports {
	struct server_report *item;
	size_t count;
};
/* The arguments of update_statuses: {"reports": [results of server_report_encode()]}. */
enum err server_reports_decode(const json_t *args, struct arena *arena,
                               struct server_reports *reports, struct why *why);

/* poolmgr -> central: the consensus of a pool. */
struct pool_report {
	struct domain_ref domain;
	enum report report;
	uint32_t serial;
	const char *reason;
};
json_t *pool_report_encode(const struct pool_report *report);
enum err pool_report_decode(const json_t *args, struct pool_report *report,
                            struct why *why);
struct pool_reports {
	struct pool_report *item;
	size_t count;
};
json_t *pool_reports_encode(const struct pool_reports *reports);
enum err pool_reports_decode(const json_t *args, struct arena *arena,
                             struct pool_reports *reports, struct why *why);

/*
 * check_servers: mini-DNS sends each server one query for the SOA record of a zone, and
 * casts update_servers with the result. The rows of the domains do not change.
 */
struct server_check_of {
	struct destination destination;
	const char *zone;		/* any zone of the server */
};
struct server_checks {
	const char *pool;
	int timeout_ms;			/* in seconds in the message, as a number */
	struct server_check_of *item;
	size_t count;
};
json_t *server_checks_encode(const struct server_checks *checks);
enum err server_checks_decode(const json_t *args, struct arena *arena,
                              struct server_checks *checks, struct why *why);
struct server_answer {
	const char *name_server;	/* destination.id */
	bool silent;			/* the server did not answer */
	const char *reason;		/* may be "" */
};
struct server_answers {
	struct server_answer *item;
	size_t count;
};
json_t *server_answers_encode(const struct server_answers *answers);
enum err server_answers_decode(const json_t *args, struct arena *arena,
                               struct server_answers *answers, struct why *why);

/*
 * Encodes one element of the list in the answer to a list of reports. The element is null
 * for an accepted report. Otherwise the element contains the class and message of the
 * exception for this report.
 */
json_t *outcome_encode(enum err err, const struct why *why);
/*
 * Returns the error in element AT of the list. ERR_REMOTE: the element is malformed, or
 * its class is unknown.
 */
enum err outcome_decode(const json_t *outcomes, size_t at, struct why *why);

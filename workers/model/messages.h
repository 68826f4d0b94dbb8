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
 * ERROR or NO_DOMAIN. In a report of the pool manager to central, the status can also be
 * FOREIGN. Each report also contains the string `reason`.
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
	/*
	 * if state.task is DELETE, mini-DNS waits until the server no longer serves the
	 * zone
	 */
	struct domain_ref domain;
	struct destination destination;
	int timeout_ms;			/* the message contains the time in seconds */
	int retry_interval_ms;
	int max_retries;
	/*
	 * true: the method is poll_zones. The message contains only the method, not this
	 * field
	 */
	bool quiet;
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
 *				of the serial and reports servers with different records.
 *				If tell_equal is set, mini-DNS also reports servers with
 *				equal records
 *	update_statuses		reports, from mini-DNS and from the pool manager
 *
 * If one item is invalid, the receiver refuses the whole message, because one program
 * has written the whole message.
 */
enum { LIST_MAX = 256 };

/* The domains in a message. The array is in the arena of the decode function. */
struct domain_refs {
	struct domain_ref *item;
	size_t count;
};
json_t *domain_refs_encode(const struct domain_refs *domains);
enum err domain_refs_decode(const json_t *args, struct arena *arena,
                            struct domain_refs *domains, struct why *why);

/*
 * The arguments of propagate_zones, poll_zones and compare_zones. Each pair of a domain
 * and a destination is one order.
 */
struct propagation {
	struct domain_refs domains;
	struct destination *destinations;
	size_t destination_count;
	/* the order for each pair; `domain` and `destination` are not set */
	struct poll_order terms;
	/* compare_zones: mini-DNS also reports servers with equal records */
	bool tell_equal;
};
json_t *propagation_encode(const struct propagation *propagation);
enum err propagation_decode(const json_t *args, struct arena *arena,
                            struct propagation *propagation, struct why *why);

/*
 * minidns -> poolmgr: the result of one order at one server. `domain` contains the
 * serial of the order.
 */
struct server_report {
	struct domain_ref domain;
	const char *name_server;	/* destination.id */
	enum report report;
	/* false: the serial is unknown, and null in the message */
	bool has_serial;
	uint32_t serial;
	bool silent;			/* ERROR: the server did not answer */
	/*
	 * ERROR: mini-DNS has sent no query to the server. Older receivers ignore this
	 * field
	 */
	bool unasked;
	/*
	 * SUCCESS: at this serial, the server serves other records than mini-DNS.
	 * `reason` names some of these records
	 */
	bool differs;
	/* SUCCESS: at this serial, the server serves the same records as mini-DNS */
	bool equal;
	/*
	 * SUCCESS without a serial: the server refuses to transfer the zone to mini-DNS,
	 * so mini-DNS cannot compare the zone
	 */
	bool refused;
	/*
	 * Number of transfers of the whole zone that mini-DNS has served to the server
	 * since mini-DNS found this failure. Only transfers at one serial count: the
	 * serial that the server should serve. The number is not exact. The number is 0
	 * unless `differs` or `refused` is true, or the report is ERROR and the server
	 * answered.
	 */
	int transfers;
	const char *reason;		/* can be "" */
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

/* poolmgr -> central: the result of a pool, by consensus. */
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
 * The arguments of check_servers. mini-DNS sends each server one query for the SOA
 * record of a zone, and casts update_servers with the results. This check changes no
 * rows of domains.
 */
struct server_check_of {
	struct destination destination;
	const char *zone;		/* a zone that the server serves */
};
struct server_checks {
	const char *pool;
	int timeout_ms;			/* the message contains the time in seconds */
	struct server_check_of *item;
	size_t count;
};
json_t *server_checks_encode(const struct server_checks *checks);
enum err server_checks_decode(const json_t *args, struct arena *arena,
                              struct server_checks *checks, struct why *why);
struct server_answer {
	const char *name_server;	/* destination.id */
	bool silent;			/* the server did not answer */
	const char *reason;		/* can be "" */
};
struct server_answers {
	struct server_answer *item;
	size_t count;
};
json_t *server_answers_encode(const struct server_answers *answers);
enum err server_answers_decode(const json_t *args, struct arena *arena,
                               struct server_answers *answers, struct why *why);

/*
 * Encodes the outcome of one report, an element of the list in the answer to
 * update_statuses. The element is null if the receiver has accepted the report.
 * Otherwise the element contains the class and the message of the exception.
 */
json_t *outcome_encode(enum err err, const struct why *why);
/*
 * Returns the error in the element AT of the list. OK: the receiver has accepted the
 * report. ERR_REMOTE: the element is malformed, or its class is unknown.
 */
enum err outcome_decode(const json_t *outcomes, size_t at, struct why *why);

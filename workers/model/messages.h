/*
 * messages -- what the programs say to each other, a pair of functions a
 * message: decode checks every field, encode returns a new json object.
 *
 *	central  -> poolmgr   create_domain, update_domain, delete_domain (domain)
 *	poolmgr  -> minidns   notify_zone_changed, poll_for_serial_number
 *	                      (domain, destination, timeout, retry_interval, max_retries)
 *	minidns  -> poolmgr   update_status (domain, name_server, status, serial_number)
 *	poolmgr  -> central   update_status (domain, status, serial_number)
 *
 * These are the seed's. On the busy way what is ready at the same time shares a
 * message, so that its cost falls as the load grows: update_domains (domains),
 * propagate_zones (domains, destinations: NOTIFY and poll of each by each), poll_zones
 * (the same, but the poll alone, and of a server that has the serial no report),
 * compare_zones (the same, but mini-DNS compares the records under that serial and
 * reports servers that differ; with tell_equal it also reports the others) and
 * update_statuses (reports) on both legs. One wrong item makes the whole message wrong,
 * because one program wrote all of it.
 *
 * Statuses say SUCCESS, ERROR or NO_DOMAIN. A report also has a `reason` in words,
 * and minidns' report names the serial it had been asked to wait for (in `domain`).
 */
#pragma once

#include <jansson.h>

#include "base/arena.h"
#include "base/err.h"
#include "model/domain.h"

json_t *domain_ref_encode(const struct domain_ref *domain);
enum err domain_ref_decode(const json_t *json, struct domain_ref *domain,
                           struct why *why);
/* That of a method that has one argument, or several: its `domain`. */
enum err domain_arg_decode(const json_t *args, struct domain_ref *domain,
                           struct why *why);

json_t *destination_encode(const struct destination *destination);
enum err destination_decode(const json_t *json, struct destination *destination,
                            struct why *why);

/* The arguments of notify_zone_changed and poll_for_serial_number. */
struct poll_order {
	struct domain_ref domain;	/* state.task DELETE: wait for its absence */
	struct destination destination;
	int timeout_ms;			/* on the wire in seconds, as a number */
	int retry_interval_ms;
	int max_retries;
	bool quiet;			/* not on the wire: poll_zones */
};
json_t *poll_order_encode(const struct poll_order *order);
enum err poll_order_decode(const json_t *args, struct poll_order *order, struct why *why);

enum { LIST_MAX = 256 };		/* of what one message lists */

/* Elements of a list, in the arena. */
struct domain_refs {
	struct domain_ref *item;
	size_t count;
};
json_t *domain_refs_encode(const struct domain_refs *domains);
enum err domain_refs_decode(const json_t *args, struct arena *arena,
                            struct domain_refs *domains, struct why *why);

/*
 * The arguments of propagate_zones, poll_zones and compare_zones: an order for each
 * domain and each destination.
 */
struct propagation {
	struct domain_refs domains;
	struct destination *destinations;
	size_t destination_count;
	struct poll_order terms;	/* its domain and destination mean nothing */
	bool tell_equal;		/* compare_zones: all that comes of it is reported */
};
json_t *propagation_encode(const struct propagation *propagation);
enum err propagation_decode(const json_t *args, struct arena *arena,
                            struct propagation *propagation, struct why *why);

/* minidns -> poolmgr: one server's answer. */
struct server_report {
	struct domain_ref domain;
	const char *name_server;	/* destination.id */
	enum report report;
	bool has_serial;		/* false, on the wire null: none was seen */
	uint32_t serial;
	bool silent;			/* ERROR: it did not answer at all */
	bool unasked;			/* ERROR: nor was it asked; old receivers pass over it */
	/* SUCCESS: it has the serial, and not the records of that; reason names some */
	bool differs;
	bool equal;			/* SUCCESS: it has the records of its serial */
	bool refused;			/* SUCCESS without a serial: it cannot be compared */
	const char *reason;		/* "" when there is nothing to say */
};
json_t *server_report_encode(const struct server_report *report);
enum err server_report_decode(const json_t *args, struct server_report *report,
                              struct why *why);
struct server_reports {
	struct server_report *item;
	size_t count;
};
/* The arguments of update_statuses are {"reports": [what server_report_encode made]}. */
enum err server_reports_decode(const json_t *args, struct arena *arena,
                               struct server_reports *reports, struct why *why);

/* poolmgr -> central: what enough servers agree on. */
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
 * The answer to it, a list: null for a report that was taken, else class and words of
 * the exception that the report alone would have got.
 */
json_t *outcome_encode(enum err err, const struct why *why);
/* An answer that is none is ERR_REMOTE. */
enum err outcome_decode(const json_t *outcomes, size_t at, struct why *why);

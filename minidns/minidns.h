/*
 * minidns -- the hidden primary. mini-DNS serves zones to the name servers of the pools,
 * sends NOTIFYs to these servers, polls their serials and reports the results. mini-DNS
 * only reads the database.
 *
 * All parts run on the event loop, except the jobs that read the database. These jobs run
 * on lanes (threads).
 */
#pragma once

#include "base/option.h"
#include "core/cookie.h"
#include "dns/tsig.h"
#include "limiter.h"

struct metric;

/*
 * How the files use each other:
 *
 * listener_udp, listener_tcp -> serve -> zone_lookup, zones, deltas -> store
 *                                     -> transfers -> poller
 *                                     -> limiter -> servers
 * service -> order_queue -> notifier, poller -> dns_request;  poller -> peers
 * main -> order_queue, poller -> handover, at the end
 * service -> server_checker -> dns_request
 * service -> compare_queue -> compare_zone -> zone_lookup, zones
 * main -> core/retransfers, peers, when a comparison, a poll or a transfer ends
 * notifier -> announcer <-> announcers of other processes;
 * announcer -> zone_lookup
 */
struct minidns_options {
	struct option_texts listen, listen_tls, allow_transfer;
	char *tls_certificate, *tls_key, *tls_client_ca;
	char *tsig_keys, *cookie_secret, *cookie_secret_other;
	struct limiter_options limits;
	int transfers_out, transfers_out_per_peer;
	int tcp_clients, tcp_clients_per_peer, tcp_idle_ms, tcp_stall_ms;
	int readers;
	int64_t zone_memory;
};

/* The metrics. The program creates all metrics before the fork. */
struct figures {
	struct metric *queries_soa, *queries_axfr, *queries_ixfr, *queries_other,
	    *queries_refused;
	struct metric *cookies[COOKIE_RESULTS];
	/* index: the TSIG error; NULL: no TSIG error has this number */
	struct metric *badly_signed[TSIG_ERRORS];
	struct metric *rate_truncated, *rate_badcookie, *rate_dropped;
	struct metric *transfers_axfr, *transfers_ixfr, *transfer_bytes,
	    *transfers_broken;
	struct metric *notifies, *notifies_unanswered;
	/*
	 * numbers of silent servers; servers_silent[0]: servers that do not answer
	 * queries; servers_silent[1]: servers that do not answer NOTIFYs
	 */
	struct metric *servers_silent[2], *exchanges_spared;
	struct metric *exchanges_unknown_server, *exchanges_distrusted, *answers_wrong;
	struct metric *servers_known;
	/* index: the kind of response; the first element counts unanswered polls */
	struct metric *polls[8];
	struct metric *comparisons[8];	/* index: the outcome of the comparison */
	struct metric *zones_bytes, *tcp_clients, *tcp_stalled, *orders;
	struct metric *success_us, *timer_late_us;
	struct metric *soa_from_memory, *news_unsettled, *news_old;
	struct metric *recovered_same, *recovered_changed;
};
void figures_new(struct figures *figures);

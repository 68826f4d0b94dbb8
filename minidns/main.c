#include "minidns.h"

#include <stddef.h>
#include <stdlib.h>

#include "announcer.h"
#include "base/clock.h"
#include "base/id.h"
#include "base/log.h"
#include "base/mem.h"
#include "compare_queue.h"
#include "consistency/member.h"
#include "core/retransfers.h"
#include "core/access.h"
#include "core/cookie.h"
#include "core/rate.h"
#include "deltas.h"
#include "dns_request.h"
#include "handover.h"
#include "limiter.h"
#include "listener.h"
#include "notifier.h"
#include "order_queue.h"
#include "peers.h"
#include "poller.h"
#include "report_batch.h"
#include "runtime/loop.h"
#include "runtime/metrics.h"
#include "runtime/worker.h"
#include "serve.h"
#include "server_checker.h"
#include "servers.h"
#include "service.h"
#include "stream.h"
#include "tcp_clients.h"
#include "transfers.h"
#include "zone_lookup.h"
#include "zones.h"

/* The sockets of one address: both, or only TCP under TLS. */
struct sockets {
	struct udp_listener *udp;
	struct tcp_listener *tcp;
};

/*
 * The only struct of the program. Its service comes first: the handlers' self points
 * here.
 */
static struct minidns {
	struct service service;
	struct minidns_options options;
	struct figures figures;
	struct siphash_key cookie_key;	/* for the case that no secret is set */
	struct runtime runtime;
	struct zone_lookup *lookup;
	struct zones *zones;
	struct deltas *deltas;
	struct servers *servers;
	struct transfers *transfers;
	struct dns_requests *requests;
	struct report_batch *reports;
	struct limiter *limiter;
	struct serve *serve;
	struct tcp_clients *clients;
	struct stream_tls *tls;		/* NULL: no address listens with TLS */
	struct sockets *sockets;	/* as many as in options.listen and listen_tls */
	size_t socket_count;
	bool started;
} minidns;

/* The SOA cache may use this share of zone_memory in addition (core/soa_cache.h). */
enum { SOA_CACHE_SHARE = 4 };

#define AT(field) offsetof(struct minidns_options, field)

static const struct option rows[] = {
	{ "listen", OPTION_TEXTS, AT(listen), "0.0.0.0:5354,[::]:5354", 0, 0,
	  "addresses at which mini-DNS answers over UDP and TCP. mini-DNS also sends "
	  "its own messages to name servers from these addresses (NOTIFY messages, "
	  "polls, transfer queries). mini-DNS uses the first address in listen with the "
	  "address family of the name server, but no wildcard address" },
	{ "listen_tls", OPTION_TEXTS, AT(listen_tls), "", 0, 0,
	  "addresses at which mini-DNS answers over TLS, for example \"192.0.2.1:853\". "
	  "mini-DNS also serves transfers over TLS (RFC 9103). Empty list: no TLS" },
	{ "tls_certificate", OPTION_TEXT, AT(tls_certificate), NULL, 1, 4096,
	  "file with the certificate of mini-DNS, followed by the chain to its CA (PEM). "
	  "Required if listen_tls is set", .reloadable = true,
	  .file = OPTION_FILE },
	{ "tls_key", OPTION_TEXT, AT(tls_key), NULL, 1, 4096,
	  "file with the private key of tls_certificate (PEM). Required if listen_tls is "
	  "set", .reloadable = true,
	  .file = OPTION_FILE },
	{ "tls_client_ca", OPTION_TEXT, AT(tls_client_ca), NULL, 1, 4096,
	  "file with the CA certificates for TLS clients (PEM). If tls_client_ca is "
	  "set, each TLS client must present a certificate from one of these CAs",
	  .reloadable = true,
	  .file = OPTION_FILE },
	{ "allow_transfer", OPTION_TEXTS, AT(allow_transfer), "", 0, 0,
	  "addresses and prefixes of clients that may transfer any zone. Each server of "
	  "a pool may also transfer the zones of its pool", .reloadable = true },
	{ "tsig_keys", OPTION_SECRET, AT(tsig_keys), NULL, 1, 1024 * 1024,
	  "TSIG keys in addition to the keys in the database, one key per line: NAME "
	  "ALGORITHM SECRET. Keep the keys in a file that only the programs can "
	  "read: \"@/etc/zonefleet/keys\"", .reloadable = true },
	{ "cookie_secret", OPTION_SECRET, AT(cookie_secret), NULL, 0, 0,
	  "secret for DNS cookies: 32 hexadecimal digits. Use the same secret on all "
	  "machines. \"\": zonefleet-minidns generates a new secret at each start, and "
	  "accepts only cookies of its own processes", .reloadable = true },
	{ "cookie_secret_other", OPTION_SECRET, AT(cookie_secret_other), NULL, 0, 0,
	  "second secret for DNS cookies. mini-DNS also accepts cookies that it made "
	  "with this secret. To change cookie_secret, first set cookie_secret_other to "
	  "the new secret. Then swap the two secrets. Remove the old secret after one "
	  "hour",
	  .reloadable = true },
	{ "rate_limit", OPTION_INT, AT(limits.rate_limit), "200", 0, RATE_MAX,
	  "largest number of UDP answers per second to one client network (/24 or /56). "
	  "The limit does not apply if the query has a valid cookie or a valid "
	  "signature. mini-DNS counts three kinds of answers separately: answers "
	  "without an error, NXDOMAIN answers and other errors. An answer counts at "
	  "least once. A longer answer counts once for each 64 octets beyond the length "
	  "of its query. The limit of each process is rate_limit divided by the number "
	  "of processes, rounded up. 0: no limit for clients and servers",
	  .reloadable = true },
	{ "rate_limit_servers", OPTION_INT, AT(limits.rate_limit_servers), "300", 0,
	  RATE_MAX,
	  "largest number of UDP answers per second to the address of a server of a "
	  "pool. This limit replaces rate_limit for the answers to SOA queries, IXFR "
	  "queries and NOTIFY messages. As with rate_limit, a long answer counts more "
	  "than once, and the processes divide the limit. 0: no limit",
	  .reloadable = true },
	{ "rate_limit_burst", OPTION_INT, AT(limits.rate_limit_burst), "400", 1, RATE_MAX,
	  "largest number of answers that mini-DNS sends to a client network in one "
	  "burst. After the burst, rate_limit applies. mini-DNS divides this number "
	  "among the processes in the same way as rate_limit",
	  .reloadable = true },
	{ "rate_limit_slip", OPTION_INT, AT(limits.rate_limit_slip), "2", 0, 100,
	  "number N: mini-DNS truncates every Nth answer above the limit, and drops the "
	  "other answers above the limit. After a truncated answer, a client repeats "
	  "its query over TCP. If the query has a DNS cookie, mini-DNS sends the error "
	  "BADCOOKIE instead of the truncated answer. 1: truncate all answers above the "
	  "limit; 0: drop all answers above the limit", .reloadable = true },
	{ "rate_limit_exempt", OPTION_TEXTS, AT(limits.rate_limit_exempt), "", 0, 0,
	  "addresses and prefixes of clients without a rate limit. List only networks "
	  "in which no host can forge its address", .reloadable = true },
	{ "transfers_out", OPTION_INT, AT(transfers_out), "300", 1, 100000,
	  "largest number of transfers that one process serves at the same time. Further "
	  "transfers wait" },
	{ "transfers_out_per_peer", OPTION_INT, AT(transfers_out_per_peer), "60", 1,
	  100000,
	  "largest number of transfers that one process serves to one address at the "
	  "same time" },
	{ "tcp_clients", OPTION_INT, AT(tcp_clients), "1000", 1, 100000,
	  "largest number of TCP connections of one process. If this many connections "
	  "are open, a new connection replaces the connection that has been idle "
	  "longest. Servers of a pool and addresses in allow_transfer have priority. "
	  "mini-DNS closes an idle connection with priority only if no other connection "
	  "is idle. If no connection is idle, a new connection with priority replaces a "
	  "busy connection without priority" },
	{ "tcp_clients_per_peer", OPTION_INT, AT(tcp_clients_per_peer), "200", 1, 100000,
	  "largest number of TCP connections from one address to one process. mini-DNS "
	  "refuses further connections. All clients of one IPv6 /56 network count as "
	  "one address. Each server of a pool and each address in allow_transfer counts "
	  "separately" },
	{ "tcp_idle", OPTION_DURATION, AT(tcp_idle_ms), "30s", 100, 3600 * 1000,
	  "time after which mini-DNS closes an idle TCP connection. If the number of "
	  "open connections is more than half of tcp_clients, mini-DNS closes an idle "
	  "connection after at most 10s. If the client has sent no query, mini-DNS "
	  "always closes the connection after 5s" },
	{ "tcp_stall", OPTION_DURATION, AT(tcp_stall_ms), "20s", 100, 3600 * 1000,
	  "time limit for a client to read 4 KiB of its answers. mini-DNS closes the "
	  "TCP connection of a slower client" },
	{ "zone_memory", OPTION_BYTES, AT(zone_memory), "1G", 1024 * 1024, 1LL << 40,
	  "largest amount of memory for zones in one process. In addition, the cache of "
	  "SOA records can use up to a quarter of this amount. One SOA record needs "
	  "about 400 bytes" },
	{ "readers", OPTION_INT, AT(readers), "2", 1, 64,
	  "largest number of zones that one process reads from the database at the same "
	  "time" },
	{ 0 }
};

static const struct option_section sections[] = {
	{ "minidns", "the hidden primary of the name servers", rows, &minidns.options },
	{ 0 }
};

/* ---- events between the parts ---- */

enum { LONG_TRANSFER_US = 50 * 1000 };

/*
 * Name servers ask within a millisecond after a NOTIFY, so the zone is read in advance.
 */
static void minidns_on_news(void *self, const struct name *zone,
                            const struct edition *edition, bool soon)
{
	(void)self;
	if (!zone_lookup_changed(minidns.lookup, zone, edition))
		metric_add(minidns.figures.news_old, 1);
	else if (soon)
		zone_lookup_prefetch(minidns.lookup, zone);
}

static void minidns_on_news_missed(void *self)
{
	(void)self;
	zone_lookup_recover(minidns.lookup);
}

static void minidns_on_fanout_is_new(void *self)
{
	(void)self;
	announcer_queue_is_new(minidns.service.announcer);
}

static void minidns_on_heard(void *self, const struct address *peer)
{
	(void)self;
	dns_requests_note_alive(minidns.requests, peer);
}

static void minidns_on_transfer_began(void *self, const struct name *zone,
                                      const struct address *peer)
{
	(void)self;
	poller_transfer_began(minidns.service.poller, zone, peer);
}

static void minidns_on_whole_transfer(const struct transfer_end *end)
{
	const struct address server = servers_main_address(minidns.servers, end->peer);

	if (retransfers_is_watched(minidns.service.retransfers, end->zone, &server))
		peers_zone_transferred(minidns.runtime.rpc, end->zone, &server,
		                       end->serial);
}

/*
 * Tells the other instances, because one of them may wait for it. Short transfers are not
 * announced: the poll comes in time by the server's pace.
 */
static void minidns_on_transfer_ended(void *self, const struct transfer_end *end)
{
	(void)self;
	if (!poller_transfer_ended(minidns.service.poller, end->zone, end->peer,
	                           end->complete ? &end->serial : NULL) &&
	    end->complete && end->took_us >= LONG_TRANSFER_US)
		peers_transfer_ended(minidns.runtime.rpc, end->zone, end->peer,
		                     end->serial);
	if (end->complete && end->whole)
		minidns_on_whole_transfer(end);
}

static int minidns_transfers_of(void *self, const struct name *zone,
                                const struct address *address, uint32_t serial)
{
	const struct retransfers *retransfers = minidns.service.retransfers;
	const struct address server = servers_main_address(minidns.servers, address);

	(void)self;
	if (retransfers_needs_watch(retransfers, zone, &server, clock_ms()))
		peers_zone_differs(minidns.runtime.rpc, zone, &server);
	return retransfers_of(retransfers, zone, &server, serial);
}

/*
 * For failed polls. If many zones fail, the cause is the server and not a record of a
 * zone. If several servers have the address, the transfer may be another server's.
 */
static int minidns_sent_to(void *self, const struct name *zone,
                           const struct address *address, uint32_t serial)
{
	enum { POLLED_MAX = 500 };
	const struct retransfers *retransfers = minidns.service.retransfers;
	const struct address server = servers_main_address(minidns.servers, address);

	if (servers_share_address(minidns.servers, address))
		return 0;
	return retransfers_is_watched(retransfers, zone, &server) ||
	               retransfers_watched(retransfers) < POLLED_MAX
	           ? minidns_transfers_of(self, zone, address, serial)
	           : 0;
}

/* At the end of the program the zones may be freed before the last transfer. */
static void minidns_on_zone_released(void *self)
{
	(void)self;
	if (minidns.zones)
		zones_trim_later(minidns.zones);
}

static void minidns_on_notify_answered(void *self, const struct name *zone,
                                       const struct address *server)
{
	(void)self;
	poller_notify_answered(minidns.service.poller, zone, server);
}

static void minidns_on_report(void *self, const struct server_report *report)
{
	(void)self;
	report_batch_add(minidns.reports, report);
}

static bool minidns_polls_are_out(const void *self)
{
	(void)self;
	return poller_count(minidns.service.poller) > 0;
}

/* ---- start ---- */

static void minidns_make_outbound(struct loop *loop)
{
	struct transfers_config transfers = {
		.figures = &minidns.figures,
		.limit = minidns.options.transfers_out,
		.limit_per_peer = minidns.options.transfers_out_per_peer,
		.began = minidns_on_transfer_began,
		.ended = minidns_on_transfer_ended,
		.released = minidns_on_zone_released,
	};
	struct announcer_config announcer = {
		.rpc = minidns.runtime.rpc,
		.figures = &minidns.figures,
		.news = minidns_on_news,
		.missed = minidns_on_news_missed,
	};
	struct notifier_config notifier = {
		.announcer = minidns.service.announcer = announcer_new(loop, &announcer),
		.figures = &minidns.figures,
		.requests = minidns.requests =
		    dns_requests_new(loop, minidns.servers, &minidns.figures),
		.answered = minidns_on_notify_answered,
	};
	struct poller_config poller = {
		.figures = &minidns.figures,
		.requests = minidns.requests,
		.notifier = minidns.service.notifier = notifier_new(loop, &notifier),
		.transfers = minidns.transfers = transfers_new(loop, &transfers),
		.report = minidns_on_report,
		.sent_to = minidns_sent_to,
	};

	minidns.reports = report_batch_new(loop, minidns.runtime.rpc,
	                                   minidns_polls_are_out, NULL);
	minidns.service.poller = poller_new(loop, &poller);
	minidns.service.checker = server_checker_new(minidns.requests,
	                                             minidns.runtime.rpc);
	minidns.service.retransfers = retransfers_new(random_u32());
	minidns.service.orders =
	    order_queue_new(loop, minidns.service.notifier, minidns.service.poller,
	                    minidns.service.announcer);
}

static void minidns_make_serving(const struct runtime *runtime)
{
	struct zones_config zones = {
		.db = runtime->db_config,
		.figures = &minidns.figures,
		.readers = minidns.options.readers,
		.memory = minidns.options.zone_memory,
	};
	struct serve_config serve = {
		.figures = &minidns.figures,
		.loop = runtime->loop,
		.announcer = minidns.service.announcer,
		.lookup = minidns.lookup,
		.zones = minidns.zones = zones_new(runtime->loop, &zones),
		.deltas = minidns.deltas,
		.servers = minidns.servers,
		.transfers = minidns.transfers,
		.limiter = minidns.limiter =
		    limiter_new(minidns.servers, &minidns.figures,
		                runtime->processes),
		.heard = minidns_on_heard,
	};
	struct tcp_clients_config clients = {
		.serve = minidns.serve = serve_new(&serve),
		.servers = minidns.servers,
		.figures = &minidns.figures,
		.limit = minidns.options.tcp_clients,
		.limit_per_peer = minidns.options.tcp_clients_per_peer,
		.idle_ms = minidns.options.tcp_idle_ms,
		.stall_ms = minidns.options.tcp_stall_ms,
	};

	minidns.clients = tcp_clients_new(runtime->loop, &clients);
}

static void minidns_make_comparing(struct loop *loop)
{
	struct compare_queue_config compare_queue = {
		.figures = &minidns.figures,
		.lookup = minidns.lookup,
		.zones = minidns.zones,
		.deltas = minidns.deltas,
		.servers = minidns.servers,
		.requests = minidns.requests,
		.report = minidns_on_report,
		.transfers_of = minidns_transfers_of,
		.released = minidns_on_zone_released,
	};

	minidns.service.compare_queue = compare_queue_new(loop, &compare_queue);
}

static enum err minidns_parse_address(const char *option, const char *text,
                                      struct address *address, struct why *why)
{
	if (address_parse_with_port(text, address))
		return OK;
	return fail(why, ERR_INVALID, "minidns.%s: must be an address with a port "
	            "(192.0.2.1:53, [2001:db8::1]:53), not '%s'", option, text);
}

static enum err minidns_listen(struct loop *loop, const char *text,
                               struct sockets *sockets, struct why *why)
{
	struct address address;
	enum err err = minidns_parse_address("listen", text, &address, why);

	if (!err)
		err = udp_listener_open(loop, minidns.serve, &address, &sockets->udp,
		                        why);
	if (!err)
		err = tcp_listener_open(loop, minidns.clients, &address, NULL,
		                        &sockets->tcp, why);
	if (!err)
		dns_requests_bind(minidns.requests, &address);
	return err;
}

static enum err minidns_listen_tls(struct loop *loop, const char *text,
                                   struct sockets *sockets, struct why *why)
{
	struct address address;
	enum err err = minidns_parse_address("listen_tls", text, &address, why);

	return err ? err : tcp_listener_open(loop, minidns.clients, &address, minidns.tls,
	                                     &sockets->tcp, why);
}

static struct stream_tls_files minidns_tls_files(void)
{
	return (struct stream_tls_files){
		.certificate = minidns.options.tls_certificate,
		.key = minidns.options.tls_key,
		.client_ca = minidns.options.tls_client_ca,
	};
}

static enum err minidns_open_sockets(struct loop *loop, struct why *why)
{
	const struct option_texts *listen = &minidns.options.listen;
	const struct option_texts *tls = &minidns.options.listen_tls;
	const struct stream_tls_files files = minidns_tls_files();
	struct sockets *next;
	enum err err = OK;

	minidns.socket_count = listen->count + tls->count;
	next = minidns.sockets = xcalloc(minidns.socket_count, sizeof(*minidns.sockets));
	if (tls->count) {
		minidns.tls = stream_tls_new();
		err = stream_tls_load(minidns.tls, &files, why);
	}
	for (size_t i = 0; i < listen->count && !err; i++)
		err = minidns_listen(loop, listen->item[i], next++, why);
	for (size_t i = 0; i < tls->count && !err; i++)
		err = minidns_listen_tls(loop, tls->item[i], next++, why);
	return err;
}

static enum err minidns_check_tls(struct why *why)
{
	const struct option_texts *listen = &minidns.options.listen_tls;
	const struct stream_tls_files files = minidns_tls_files();
	struct stream_tls *tls;
	struct address address;
	enum err err = OK;

	if (!listen->count)
		return OK;
	if (!files.certificate || !files.key)
		return fail(why, ERR_INVALID, "minidns.listen_tls: requires "
		            "minidns.tls_certificate and minidns.tls_key");
	for (size_t i = 0; !err && i < listen->count; i++)
		err = minidns_parse_address("listen_tls", listen->item[i], &address, why);
	if (err)
		return err;
	tls = stream_tls_new();
	err = stream_tls_load(tls, &files, why);
	stream_tls_free(&tls);
	return err;
}

static enum err minidns_read_secrets(struct cookie_secrets *secrets, struct why *why)
{
	const struct cookie_texts texts = {
		minidns.options.cookie_secret, minidns.options.cookie_secret_other,
	};

	return cookie_secrets_parse(&texts, &minidns.cookie_key, secrets, why);
}

static enum err minidns_check_limits(struct why *why)
{
	struct cookie_secrets secrets;
	enum err err = limiter_check(&minidns.options.limits, why);

	return err ? err : minidns_read_secrets(&secrets, why);
}

static enum err minidns_check(void *self, struct why *why)
{
	struct access access = { 0 };
	struct address address;
	enum err err = prefixes_set(&access.always, "allow_transfer",
	                            &minidns.options.allow_transfer, why);

	(void)self;
	if (!err)
		err = keyring_parse(&access.own, minidns.options.tsig_keys, why);
	access_clear(&access);
	if (!err)
		err = minidns_check_limits(why);
	if (!err && !minidns.options.listen.count)
		return fail(why, ERR_INVALID, "minidns.listen: must list at least one "
		            "address with a port (0.0.0.0:5354)");
	for (size_t i = 0; !err && i < minidns.options.listen.count; i++)
		err = minidns_parse_address("listen", minidns.options.listen.item[i],
		                            &address, why);
	return err ? err : minidns_check_tls(why);
}

/* Sets the options that minidns_reload() also changes. */
static enum err minidns_set_options(struct why *why)
{
	struct cookie_secrets secrets;
	enum err err =
	    servers_allow(minidns.servers, &minidns.options.allow_transfer, why);

	if (!err)
		err = servers_set_keys(minidns.servers, minidns.options.tsig_keys, why);
	if (!err)
		err = limiter_set(minidns.limiter, &minidns.options.limits, why);
	if (!err)
		err = minidns_read_secrets(&secrets, why);
	if (!err)
		serve_set_secrets(minidns.serve, &secrets);
	return err;
}

static enum err minidns_prepare(void *self, int processes, struct why *why)
{
	(void)self, (void)processes, (void)why;
	figures_new(&minidns.figures);
	/* all processes must accept each other's cookies */
	random_fill(&minidns.cookie_key, sizeof(minidns.cookie_key));
	return OK;
}

static enum err minidns_start(void *self, const struct runtime *runtime, struct why *why)
{
	enum err err;

	(void)self;
	minidns.runtime = *runtime;
	minidns.servers = servers_new(runtime->loop, runtime->db_config,
	                              &minidns.figures);
	minidns.deltas = deltas_new(runtime->loop, runtime->db_config);
	minidns.lookup = zone_lookup_new(runtime->loop, runtime->db_config,
	                                 minidns.deltas, &minidns.figures,
	                                 minidns.options.zone_memory / SOA_CACHE_SHARE);
	minidns_make_outbound(runtime->loop);
	minidns_make_serving(runtime);
	minidns_make_comparing(runtime->loop);
	minidns.started = true;
	err = minidns_set_options(why);
	return err ? err : minidns_open_sockets(runtime->loop, why);
}

/* ---- later in the life of the program ---- */

static void minidns_reload(void *self)
{
	const struct stream_tls_files files = minidns_tls_files();
	struct why why;

	(void)self;
	/* minidns_check() has accepted these options before */
	minidns_set_options(&why);
	if (minidns.tls && stream_tls_load(minidns.tls, &files, &why))
		log_warn("certificate not reloaded: reason=\"%s\"", why.text);
	servers_reload(minidns.servers);
}

static bool minidns_can_serve(const void *self)
{
	(void)self;
	return servers_were_read(minidns.servers);
}

/* The end does not wait for polls, which can take minutes: other processes go on. */
static void minidns_hand_over(void)
{
	struct handover *handover = handover_new(minidns.runtime.rpc);

	poller_hand_over(minidns.service.poller, handover_add, handover);
	order_queue_hand_over(minidns.service.orders, handover_add, handover);
	handover_send(&handover);
}

static void minidns_drain(void *self)
{
	(void)self;
	if (!minidns.started)
		return;
	tcp_clients_drain(minidns.clients);
	minidns_hand_over();
}

/* Comparisons do not delay the end, because they are repeated. */
static bool minidns_idle(const void *self)
{
	(void)self;
	return !serve_pending(minidns.serve) && !transfers_count(minidns.transfers) &&
	       !tcp_clients_busy(minidns.clients) && report_batch_idle(minidns.reports);
}

/* Parts that call other parts are freed first. */
static void minidns_stop(void *self)
{
	(void)self;
	if (!minidns.started)
		return;
	for (size_t i = 0; i < minidns.socket_count; i++) {
		udp_listener_close(&minidns.sockets[i].udp);
		tcp_listener_close(&minidns.sockets[i].tcp);
	}
	tcp_clients_free(&minidns.clients);
	limiter_lift(minidns.limiter);
	serve_end(minidns.serve);
	compare_queue_end(minidns.service.compare_queue);
	zone_lookup_free(&minidns.lookup);
	servers_free(&minidns.servers);
	deltas_free(&minidns.deltas);
	zones_free(&minidns.zones);
	compare_queue_free(&minidns.service.compare_queue);
	serve_free(&minidns.serve);
	limiter_free(&minidns.limiter);
	order_queue_free(&minidns.service.orders);
	poller_free(&minidns.service.poller);
	server_checker_free(&minidns.service.checker);
	report_batch_free(&minidns.reports);
	notifier_free(&minidns.service.notifier);
	announcer_free(&minidns.service.announcer);
	transfers_free(&minidns.transfers);
	retransfers_free(&minidns.service.retransfers);
	dns_requests_free(&minidns.requests);
	stream_tls_free(&minidns.tls);
	free(minidns.sockets);
}

static const char *const tables[] = {
	"distributed_locks", "domains", "journal", "object_versions",
	"pool_servers", "pools", "records", "recordsets", "schema_migrations",
	"tsigkeys", "worker_nodes", NULL
};

int main(int argc, char **argv)
{
	static const struct worker worker = {
		.name = "minidns",
		.fleet = true,
		.tables = tables,
		.summary = "serves zones to name servers, notifies and polls them",
		.sections = sections,
		.methods = service_methods,
		.part = &member_part,
		.fanout = true,
		.fanout_is_new = minidns_on_fanout_is_new,
		.recovery = true,
		.check = minidns_check,
		.prepare = minidns_prepare,
		.start = minidns_start,
		.can_serve = minidns_can_serve,
		.reload = minidns_reload,
		.drain = minidns_drain,
		.idle = minidns_idle,
		.stop = minidns_stop,
		.self = &minidns,
	};

	return worker_main(argc, argv, &worker);
}

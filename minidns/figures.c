#include "minidns.h"

#include "compare_zone.h"
#include "core/response.h"
#include "runtime/metrics.h"

static struct metric *counter(const char *name, const char *help, const char *key,
                              const char *value)
{
	return metric_new(METRIC_COUNTER, name, help, key, value);
}

static void figures_new_polls(struct figures *figures)
{
	static const char help[] = "SOA polls of name servers, by result";

	for (int i = 0; i < RESPONSE_KINDS; i++)
		figures->polls[i] =
		    counter("minidns_polls_total", help, "verdict",
		            i == RESPONSE_MISMATCH ? "silent" : response_kind_name(i));
}

static void figures_new_comparisons(struct figures *figures)
{
	static const char help[] =
	    "comparisons of a zone with its copy on a name server, by outcome";

	for (int i = 0; i < COMPARE_OUTCOMES; i++)
		figures->comparisons[i] =
		    counter("minidns_comparisons_total", help, "outcome",
		            compare_outcome_name(i));
}

static void figures_new_recovered(struct figures *figures)
{
	static const char name[] = "minidns_recovered_total";
	static const char help[] = "zones in memory that mini-DNS compared with the "
				   "database, by outcome. mini-DNS compares these zones "
				   "when it may have missed announcements";

	figures->recovered_same = counter(name, help, "outcome", "same");
	figures->recovered_changed = counter(name, help, "outcome", "differs");
}

static void figures_new_queries(struct figures *figures)
{
	static const char name[] = "minidns_queries_total";
	static const char help[] = "queries that mini-DNS received, by type";

	figures->queries_soa = counter(name, help, "type", "soa");
	figures->queries_axfr = counter(name, help, "type", "axfr");
	figures->queries_ixfr = counter(name, help, "type", "ixfr");
	figures->queries_other = counter(name, help, "type", "other");
	figures->queries_refused =
	    counter("minidns_refused_total",
	            "queries that mini-DNS answered with an error", NULL, NULL);
}

static void figures_new_signatures(struct figures *figures)
{
	static const enum tsig_error errors[] = {
		TSIG_MALFORMED, TSIG_BADSIG, TSIG_BADKEY, TSIG_BADTIME, TSIG_BADTRUNC,
	};

	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		figures->badly_signed[errors[i]] =
		    counter("minidns_badly_signed_total",
		            "queries with an invalid TSIG signature, by TSIG error",
		            "error", tsig_error_name(errors[i]));
}

static void figures_new_limits(struct figures *figures)
{
	static const char cookies[] = "minidns_cookies_total";
	static const char cookies_help[] =
	    "queries with a DNS cookie, by the result of the cookie check";
	static const char limited[] = "minidns_rate_limited_total";
	static const char limited_help[] =
	    "answers over UDP that exceeded minidns.rate_limit or "
	    "minidns.rate_limit_servers, by action";

	for (int i = 0; i < COOKIE_RESULTS; i++)
		figures->cookies[i] = counter(cookies, cookies_help, "verdict",
		                              cookie_result_name(i));
	figures->rate_truncated = counter(limited, limited_help, "action", "truncated");
	figures->rate_badcookie = counter(limited, limited_help, "action", "badcookie");
	figures->rate_dropped = counter(limited, limited_help, "action", "dropped");
}

static void figures_new_silence(struct figures *figures)
{
	static const char name[] = "minidns_servers_silent";
	static const char help[] =
	    "name servers that do not answer, by kind of the unanswered message. "
	    "mini-DNS sends only probes to these name servers";

	figures->servers_silent[0] =
	    metric_new(METRIC_GAUGE, name, help, "asked", "query");
	figures->servers_silent[1] =
	    metric_new(METRIC_GAUGE, name, help, "asked", "notify");
	figures->exchanges_spared =
	    counter("minidns_exchanges_spared_total",
	            "messages that mini-DNS omitted or did not repeat because the name "
	            "server is silent. mini-DNS sends a NOTIFY message to a silent "
	            "server once, without waiting for an answer. mini-DNS omits all "
	            "other messages to a silent server, except probes",
	            NULL, NULL);
}

static void figures_new_outgoing(struct figures *figures)
{
	figures->answers_wrong =
	    counter("minidns_answers_wrong_total",
	            "wrong answers over UDP. The answers do not match the message from "
	            "mini-DNS",
	            NULL, NULL);
	figures->exchanges_distrusted =
	    counter("minidns_exchanges_distrusted_total",
	            "messages that mini-DNS repeated over TCP. The answers over UDP "
	            "were possibly forged",
	            NULL, NULL);
	figures->exchanges_unknown_server =
	    counter("minidns_exchanges_unknown_server_total",
	            "messages that mini-DNS did not send because no name server of a "
	            "pool has the target address and port",
	            NULL, NULL);
	figures->servers_known =
	    metric_new(METRIC_GAUGE, "minidns_servers_known",
	               "addresses of name servers that the processes know. An address "
	               "counts once for each process that knows the address",
	               NULL, NULL);
}

void figures_new(struct figures *figures)
{
	static const char transfers[] = "minidns_transfers_total";
	static const char transfers_help[] = "transfers that mini-DNS completed, by kind";

	figures_new_queries(figures);
	figures_new_signatures(figures);
	figures_new_limits(figures);
	figures_new_silence(figures);
	figures_new_outgoing(figures);
	figures_new_polls(figures);
	figures_new_comparisons(figures);
	figures->transfers_axfr = counter(transfers, transfers_help, "kind", "axfr");
	figures->transfers_ixfr = counter(transfers, transfers_help, "kind", "ixfr");
	figures->transfers_broken = counter("minidns_transfers_broken_total",
	                                    "transfers that ended early, mostly because "
	                                    "the client closed the connection",
	                                    NULL, NULL);
	figures->transfer_bytes = counter("minidns_transfer_bytes_total",
	                                  "bytes that mini-DNS sent in transfers",
	                                  NULL, NULL);
	figures->notifies = counter("minidns_notifies_total",
	                            "NOTIFY messages that mini-DNS sent", NULL, NULL);
	figures->notifies_unanswered = counter("minidns_notifies_unanswered_total",
	                                       "NOTIFY messages without an answer after "
	                                       "the last attempt", NULL, NULL);
	figures->zones_bytes = metric_new(METRIC_GAUGE, "minidns_zones_bytes",
	                                  "memory that the zones use, in bytes",
	                                  NULL, NULL);
	figures->tcp_clients = metric_new(METRIC_GAUGE, "minidns_tcp_clients",
	                                  "open TCP connections", NULL, NULL);
	figures->tcp_stalled =
	    counter("minidns_tcp_stalled_total",
	            "TCP connections that mini-DNS closed because the client read too "
	            "slowly (minidns.tcp_stall)", NULL, NULL);
	figures->orders = metric_new(METRIC_GAUGE, "minidns_polls_open",
	                             "polls whose result mini-DNS has not reported yet",
	                             NULL, NULL);
	figures->soa_from_memory =
	    counter("minidns_soa_from_memory_total",
	            "SOA queries that mini-DNS answered from memory, without the "
	            "database", NULL, NULL);
	figures->news_unsettled =
	    counter("minidns_news_unsettled_total",
	            "announcements of a serial without all confirmations. At least one "
	            "mini-DNS process did not confirm the serial in time. mini-DNS "
	            "sends the NOTIFY messages without waiting longer",
	            NULL, NULL);
	figures->news_old =
	    counter("minidns_news_old_total",
	            "announcements with a serial that is not newer than the known serial",
	            NULL, NULL);
	figures_new_recovered(figures);
	figures->success_us =
	    metric_new(METRIC_HISTOGRAM, "minidns_order_to_success_seconds",
	               "time from the order for a poll until a poll finds the serial on "
	               "the name server", NULL, NULL);
	figures->timer_late_us =
	    metric_new(METRIC_HISTOGRAM, "minidns_timer_late_seconds",
	               "delay of the timers for messages to name servers. A long delay "
	               "shows that the process is busy", NULL, NULL);
}

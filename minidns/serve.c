#include "serve.h"

#include <stdlib.h>
#include <string.h>

#include "announcer.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "core/answer.h"
#include "core/cookie.h"
#include "core/ixfr.h"
#include "core/query.h"
#include "core/refusal.h"
#include "deltas.h"
#include "limiter.h"
#include "minidns.h"
#include "model/serial.h"
#include "runtime/loop.h"
#include "runtime/metrics.h"
#include "servers.h"
#include "transfers.h"
#include "zone_lookup.h"
#include "zones.h"

enum { MAX_PENDING = 16384 };

struct serve {
	struct serve_config config;
	struct cookie_secrets secrets;
	size_t pending;
	struct log_limit badly_signed;
	/* requests whose heads are known; answered at the end of the turn */
	struct pending *ready, **ready_end;
	uint8_t data[SERVE_BUFFER];
};

/* A request that waits for the database. */
struct pending {
	struct serve *serve;
	struct pending *next;
	struct query query;
	struct address peer;
	bool tcp;
	bool at_the_name;		/* for DS: no zone above the name is ours */
	reply_fn *later;
	void *self;
	struct head head;
};

struct serve *serve_new(const struct serve_config *config)
{
	struct serve *serve = xcalloc(1, sizeof(*serve));

	serve->config = *config;
	serve->ready_end = &serve->ready;
	return serve;
}

void serve_free(struct serve **serve)
{
	if (!*serve)
		return;
	bug_if((*serve)->pending);
	free(*serve);
	*serve = NULL;
}

void serve_set_secrets(struct serve *serve, const struct cookie_secrets *secrets)
{
	serve->secrets = *secrets;
}

size_t serve_pending(const struct serve *serve)
{
	return serve->pending;
}

/* Applies the limiter to the answer in the buffer before it is sent. */
static size_t serve_limit(struct serve *serve, const struct query *query,
                          const struct address *peer, size_t len)
{
	return limiter_pass(serve->config.limiter, query, peer, serve->data, len,
	                    sizeof(serve->data));
}

/* Answers without records, with the reason. Returns the length of the answer. */
static size_t serve_answer_refusal(struct serve *serve, struct query *query,
                                   enum refusal refusal)
{
	metric_add(serve->config.figures->queries_refused, 1);
	query->error = refusal_error(refusal);
	return query_answer_rcode(query, refusal_rcode(refusal), serve->data,
	                          sizeof(serve->data));
}

/* ---- the end of a pending request ---- */

static void pending_free(struct pending *pending)
{
	query_wipe(&pending->query);
	free(pending);
}

static void serve_finish(struct pending *pending, const struct reply *reply)
{
	pending->serve->pending--;
	pending->later(pending->self, reply);
	pending_free(pending);
}

static void serve_finish_message(struct pending *pending, size_t len)
{
	struct serve *serve = pending->serve;

	if (!pending->tcp)
		len = serve_limit(serve, &pending->query, &pending->peer, len);
	serve_finish(pending, &(struct reply){ .data = serve->data, .len = len });
}

static void serve_finish_refusal(struct pending *pending, enum refusal refusal)
{
	serve_finish_message(pending,
	                     serve_answer_refusal(pending->serve, &pending->query,
	                                          refusal));
}

static void serve_finish_soa(struct pending *pending)
{
	struct serve *serve = pending->serve;
	struct rr soa = head_soa(&pending->head);

	serve_finish_message(pending, answer_soa(&pending->query, &soa, pending->tcp,
	                                         serve->data, sizeof(serve->data)));
}

/* ---- ordinary questions ---- */

static void serve_on_zone(void *self, enum err err, struct zone *zone)
{
	struct pending *pending = self;
	struct serve *serve = pending->serve;

	if (err)
		serve_finish_refusal(pending, refusal_of(err));
	else
		serve_finish_message(pending,
		                     answer_build(&pending->query, zone, pending->tcp,
		                                  serve->data, sizeof(serve->data)));
}

/* ---- transfers ---- */

static void serve_finish_transfer(struct pending *pending, struct transfer *transfer)
{
	serve_finish(pending, &(struct reply){ .transfer = transfer });
}

static void serve_on_whole_zone(void *self, enum err err, struct zone *zone)
{
	struct pending *pending = self;

	if (err)
		serve_finish_refusal(pending, refusal_of(err));
	else
		serve_finish_transfer(pending,
		                      transfer_axfr(pending->serve->config.transfers,
		                                    &pending->query, zone,
		                                    &pending->peer));
}

static void serve_send_whole_zone(struct pending *pending)
{
	zones_get(pending->serve->config.zones, &pending->head, serve_on_whole_zone,
	          pending);
}

/*
 * Answers in one datagram, or only with the SOA: then the client uses TCP (RFC 1995 2).
 */
static void serve_send_delta_by_udp(struct pending *pending, struct delta *delta)
{
	struct serve *serve = pending->serve;
	/* the original is needed again if the answer is too long */
	struct query query = pending->query;
	struct ixfr ixfr;
	size_t len;

	ixfr_init(&ixfr, &query, delta);
	len = ixfr_next(&ixfr, false, serve->data, sizeof(serve->data));
	if (ixfr.ended)
		serve_finish_message(pending, len);
	else
		serve_finish_soa(pending);
}

/*
 * True: there is a delta, and it is not larger than the zone. If the zone is not in
 * memory, records are counted: it is not read only to measure it.
 */
static bool serve_is_worth_sending(struct pending *pending, const struct delta *delta)
{
	const struct zone *zone =
	    zones_cached(pending->serve->config.zones, &pending->head);

	if (!delta)
		return false;
	if (zone)
		return delta->rrs.len <= zone->wire_bytes;
	return delta->records <= (uint64_t)pending->head.records + 1;
}

static void serve_on_delta(void *self, enum err err, struct delta *delta)
{
	struct pending *pending = self;
	struct serve *serve = pending->serve;
	bool worth = serve_is_worth_sending(pending, delta);

	if (err)
		serve_finish_refusal(pending, refusal_of(err));
	else if (!pending->tcp && worth)
		serve_send_delta_by_udp(pending, delta);
	else if (!pending->tcp)
		serve_finish_soa(pending);
	else if (worth)
		serve_finish_transfer(pending,
		                      transfer_ixfr(serve->config.transfers,
		                                    &pending->query, delta,
		                                    &pending->peer));
	else
		serve_send_whole_zone(pending);
}

/* True: the client has proven its address. Over UDP it can be forged. */
static bool serve_is_proven(const struct pending *pending)
{
	return pending->tcp || limiter_is_proven(pending->serve->config.limiter,
	                                         &pending->query, &pending->peer);
}

/*
 * Answers an IXFR. A client that is not older than our zone gets only the SOA (RFC 1995
 * 4). So does a client that has not proven its address: it must use TCP, so that no
 * attacker can direct large answers at a victim.
 */
static void serve_send_changes(struct pending *pending)
{
	if (!serial_newer(pending->head.serial, pending->query.ixfr_serial) ||
	    !serve_is_proven(pending))
		serve_finish_soa(pending);
	else
		deltas_get(pending->serve->config.deltas, &pending->head,
		           pending->query.ixfr_serial, DELTAS_OCTETS, serve_on_delta,
		           pending);
}

/*
 * For a zone that was broken. If it is good now, the head of this request may still be
 * older.
 */
static void serve_on_mended_zone(void *self, enum err err, struct zone *zone)
{
	struct pending *pending = self;

	(void)zone;
	if (!err && !pending->head.soa_len)
		err = ERR_BUSY;
	if (err)
		serve_finish_refusal(pending, refusal_of(err));
	else
		serve_send_changes(pending);
}

static void serve_on_allowed(void *self, bool allowed)
{
	struct pending *pending = self;
	struct serve *serve = pending->serve;

	if (!allowed)
		serve_finish_refusal(pending, servers_were_read(serve->config.servers)
		                            ? REFUSAL_NOT_ALLOWED
		                            : REFUSAL_NOT_READ);
	else if (pending->query.type == RR_AXFR)
		serve_send_whole_zone(pending);
	else if (zones_broken(serve->config.zones, &pending->head))
		zones_get(serve->config.zones, &pending->head, serve_on_mended_zone,
		          pending);
	else
		serve_send_changes(pending);
}

/* ---- from the question to the zone ---- */

static bool serve_is_transfer(const struct query *query)
{
	return query->type == RR_AXFR || query->type == RR_IXFR;
}

/* Checks the peer and the key of a transfer. */
static void serve_ask_access(struct pending *pending)
{
	const struct tsig_key *key = query_key(&pending->query);
	struct access_ask ask = { .peer = pending->peer, .is_proven = pending->tcp };

	memcpy(ask.pool, pending->head.pool, sizeof(ask.pool));
	memcpy(ask.domain, pending->head.id, sizeof(ask.domain));
	if (key)
		ask.key = key->name;
	servers_ask(pending->serve->config.servers, &ask, serve_on_allowed, pending);
}

static void serve_on_head(void *self, enum err err, const struct head *head);

/*
 * A DS record belongs to the zone above (RFC 4035 3.1.4.1). If that zone is ours, it
 * answers.
 */
static const struct name *serve_wanted_name(const struct query *query, struct name *above)
{
	bool is_above = query->type == RR_DS && name_parent(&query->name, above);

	return is_above ? above : &query->name;
}

/* True: there is no zone above, and the zone at the name is looked up instead. */
static bool serve_find_at_name(struct pending *pending)
{
	if (pending->query.type != RR_DS || pending->at_the_name)
		return false;
	pending->at_the_name = true;
	return !zone_lookup_find(pending->serve->config.lookup, &pending->query.name,
	                         false, serve_on_head, pending);
}

static void serve_on_head(void *self, enum err err, const struct head *head)
{
	struct pending *pending = self;
	struct serve *serve = pending->serve;
	bool apex;

	if (!err && !head && serve_find_at_name(pending))
		return;
	if (err || !head) {
		serve_finish_refusal(pending, refusal_of(err ? err : ERR_NOT_FOUND));
		return;
	}
	if (head != &pending->head)
		pending->head = *head;
	apex = name_equal(&head->name, &pending->query.name);
	if (serve_is_transfer(&pending->query) && !apex)
		serve_finish_refusal(pending, REFUSAL_NOT_AN_APEX);
	else if (serve_is_transfer(&pending->query))
		serve_ask_access(pending);
	else if (pending->query.type == RR_SOA && apex &&
	         !zones_broken(serve->config.zones, &pending->head))
		serve_finish_soa(pending);
	else
		zones_get(serve->config.zones, &pending->head, serve_on_zone, pending);
}

/* True: the client acts on the answer, so it must not be older than the last NOTIFY. */
static bool serve_must_be_current(const struct query *query)
{
	return serve_is_transfer(query) || query->type == RR_SOA;
}

static bool serve_find_head(struct serve *serve, const struct query *query,
                            struct head *head)
{
	return serve_must_be_current(query) &&
	announcer_has_lease(serve->config.announcer) &&
	       zone_lookup_cached(serve->config.lookup, &query->name, head);
}

static void serve_answer_soa_now(struct serve *serve, struct query *query, bool tcp,
                                 const struct head *head, struct reply *answer)
{
	struct rr soa = head_soa(head);

	metric_add(serve->config.figures->soa_from_memory, 1);
	answer->len = answer_soa(query, &soa, tcp, serve->data, sizeof(serve->data));
}

/* Answers the most frequent question of name servers from a ready record. */
static bool serve_answer_ready_soa(struct serve *serve, struct query *query, bool tcp,
                                   struct reply *answer)
{
	const uint8_t *record;
	size_t len;

	if (query->type != RR_SOA || zones_some_broken(serve->config.zones) ||
	    !announcer_has_lease(serve->config.announcer))
		return false;
	record = zone_lookup_soa_record(serve->config.lookup, &query->raw, &len);
	if (!record)
		return false;
	metric_add(serve->config.figures->soa_from_memory, 1);
	answer->len = query_answer_ready(query, FLAG_AA, record, len, tcp, serve->data,
	                                 sizeof(serve->data));
	return true;
}

/*
 * The head of the zone that answers. *head NULL: no zone of ours. False: it must be read
 * from the database.
 */
static bool serve_recent_head(const struct serve *serve, const struct query *query,
                              const struct head **head)
{
	const struct zone_lookup *lookup = serve->config.lookup;
	struct name above;

	if (!zone_lookup_recent(lookup, serve_wanted_name(query, &above), head))
		return false;
	return *head || query->type != RR_DS || zone_lookup_recent(lookup, &query->name,
	                                                           head);
}

/*
 * Answers from memory if this is new enough. False: the database must be read. The serial
 * of a broken zone is not served: name servers would try to transfer the zone again and
 * again.
 */
static bool serve_answer_now(struct serve *serve, struct query *query, bool tcp,
                             struct reply *answer)
{
	const struct head *head;
	struct head known;
	struct zone *zone;

	if (serve_answer_ready_soa(serve, query, tcp, answer))
		return true;
	if (query->type == RR_SOA && serve_find_head(serve, query, &known) &&
	    !zones_broken(serve->config.zones, &known)) {
		serve_answer_soa_now(serve, query, tcp, &known, answer);
		return true;
	}
	if (serve_must_be_current(query))
		return false;
	if (!serve_recent_head(serve, query, &head))
		return false;
	if (!head) {
		answer->len = serve_answer_refusal(serve, query, REFUSAL_NOT_OURS);
		return true;
	}
	zone = zones_cached(serve->config.zones, head);
	if (!zone)
		return false;
	answer->len = answer_build(query, zone, tcp, serve->data, sizeof(serve->data));
	return true;
}

static void serve_run_ready(void *self)
{
	struct serve *serve = self;
	struct pending *pending;

	while ((pending = serve->ready)) {
		serve->ready = pending->next;
		if (!serve->ready)
			serve->ready_end = &serve->ready;
		serve_on_head(pending, OK, &pending->head);
	}
}

void serve_end(struct serve *serve)
{
	loop_later_cancel(serve->config.loop, serve);
	serve_run_ready(serve);
}

/*
 * Schedules the answer for later, because the caller must return before its callback
 * comes.
 */
static void serve_make_ready(struct serve *serve, struct pending *pending)
{
	if (!serve->ready)
		loop_later(serve->config.loop, serve_run_ready, serve);
	pending->next = NULL;
	*serve->ready_end = pending;
	serve->ready_end = &pending->next;
}

static bool serve_ask_database(struct serve *serve, const struct serve_request *request,
                               const struct query *query)
{
	struct pending *pending;
	struct name above;

	if (serve->pending >= MAX_PENDING)
		return false;
	pending = xmalloc(sizeof(*pending));
	pending->serve = serve;
	pending->query = *query;
	pending->peer = request->peer;
	pending->tcp = request->tcp;
	pending->at_the_name = false;
	pending->later = request->later;
	pending->self = request->self;
	serve->pending++;
	if (serve_find_head(serve, query, &pending->head)) {
		serve_make_ready(serve, pending);
		return true;
	}
	if (!zone_lookup_find(serve->config.lookup, serve_wanted_name(query, &above),
	                      serve_must_be_current(query), serve_on_head, pending))
		return true;
	serve->pending--;
	pending_free(pending);
	return false;
}

/* Logs a bad signature, with a limit, because any datagram can cause it. */
static void serve_note_badly_signed(struct serve *serve, const struct query *query,
                                    const struct address *peer)
{
	char key[NAME_MAX_TEXT + 1], from[ADDRESS_TEXT];

	metric_add(serve->config.figures->badly_signed[query->tsig_error], 1);
	if (!log_is_due(&serve->badly_signed, LOG_STRANGER_MS))
		return;
	name_format(&query->tsig.key, key);
	address_format(peer, from);
	log_info("message with a bad TSIG record: peer=%s key=%s reason=%s unlogged=%llu",
	         from, key, tsig_error_name(query->tsig_error),
	         (unsigned long long)serve->badly_signed.unlogged);
}

static void serve_count_query(const struct figures *figures, const struct query *query)
{
	switch (query->type) {
	case RR_SOA:
		metric_add(figures->queries_soa, 1);
		break;
	case RR_AXFR:
		metric_add(figures->queries_axfr, 1);
		break;
	case RR_IXFR:
		metric_add(figures->queries_ixfr, 1);
		break;
	default:
		metric_add(figures->queries_other, 1);
	}
}

static size_t serve_answer_rcode(struct serve *serve, const struct query *query)
{
	if (query->rcode)
		metric_add(serve->config.figures->queries_refused, 1);
	return query_answer_rcode(query, query->rcode, serve->data, sizeof(serve->data));
}

/* A bad cookie counts as absent, unless the client asks only for a cookie. */
static void serve_check_cookie(struct serve *serve, const struct address *peer,
                               struct query *query)
{
	struct cookie_request request = {
		.option = query->cookie_option, .len = query->cookie_len, .client = peer,
	};

	if (!query->has_cookie)
		return;
	request.now = (uint32_t)clock_unix();
	query->cookie = cookie_check(&serve->secrets, &request);
	metric_add(serve->config.figures->cookies[query->cookie.result], 1);
}

/*
 * The keys were not read yet. The key may be valid, so the answer does not call it
 * unknown.
 */
static enum query_verdict serve_refuse_unread(struct query *query)
{
	query->rcode = refusal_rcode(REFUSAL_NOT_READ);
	query->error = refusal_error(REFUSAL_NOT_READ);
	return QUERY_REFUSED;
}

static enum query_verdict serve_verify(struct serve *serve,
                                       const struct serve_request *request,
                                       struct query *query)
{
	struct servers *servers = serve->config.servers;
	const struct tsig_key *key =
	    servers_key(servers, &query->tsig.key, &request->peer);
	enum query_verdict verdict;

	if (!key && !servers_were_read(servers) && query->rcode != RCODE_FORMERR)
		return serve_refuse_unread(query);
	verdict = query_verify(query, request->packet, key, (uint64_t)clock_unix());
	if (query->tsig_error)
		serve_note_badly_signed(serve, query, &request->peer);
	if (query->tsig_error == TSIG_BADSIG)
		servers_hurry(servers, &request->peer);	/* its secret may be new */
	return verdict;
}

static enum query_verdict serve_check(struct serve *serve,
                                      const struct serve_request *request,
                                      struct query *query)
{
	enum query_verdict verdict =
	    query_read(request->packet, request->len, request->tcp, query);

	if (verdict == QUERY_SILENCE)
		return verdict;
	query->keepalive_ds = request->idle_ms / 100;
	serve_check_cookie(serve, &request->peer, query);
	if (query->tsig.present)
		verdict = serve_verify(serve, request, query);
	if (verdict == QUERY_COOKIE && query->cookie.result == COOKIE_BAD)
		query->rcode = RCODE_BADCOOKIE;
	return verdict;
}

/* False: the answer comes later. */
static bool serve_answer_question(struct serve *serve,
                                  const struct serve_request *request,
                                  struct query *query, struct reply *answer)
{
	serve_count_query(serve->config.figures, query);
	if (serve_must_be_current(query))
		serve->config.heard(serve->config.self, &request->peer);
	if (serve_answer_now(serve, query, request->tcp, answer))
		return true;
	if (serve_ask_database(serve, request, query))
		return false;
	answer->len = serve_answer_refusal(serve, query, REFUSAL_BUSY);
	return true;
}

enum serve_verdict serve(struct serve *serve, const struct serve_request *request,
                         struct reply *answer)
{
	struct query query;
	enum query_verdict verdict = serve_check(serve, request, &query);

	*answer = (struct reply){ .data = serve->data };
	if (verdict == QUERY_SILENCE)
		return SERVE_SILENCE;
	if (verdict != QUERY_SERVE)
		answer->len = serve_answer_rcode(serve, &query);
	else if (!serve_answer_question(serve, request, &query, answer))
		return SERVE_LATER;
	if (!request->tcp)
		answer->len = serve_limit(serve, &query, &request->peer, answer->len);
	return answer->len ? SERVE_NOW : SERVE_SILENCE;
}

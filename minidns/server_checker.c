#include "server_checker.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/id.h"
#include "base/log.h"
#include "base/mem.h"
#include "dns/packet.h"
#include "dns_request.h"
#include "model/messages.h"
#include "route.h"
#include "runtime/rpc.h"

enum { CHECKS_MAX = 4 * LIST_MAX };	/* at the same time */

struct check {
	struct server_checker *checker;
	struct check *next;
	char *pool, *name_server;
	struct address server;
	int timeout_ms;
	struct dns_request *request;
};

struct server_checker {
	struct dns_requests *requests;
	struct rpc_client *rpc;
	struct check *checks;
	size_t count;
};

struct server_checker *server_checker_new(struct dns_requests *requests,
                                          struct rpc_client *rpc)
{
	struct server_checker *checker = xcalloc(1, sizeof(*checker));

	checker->requests = requests;
	checker->rpc = rpc;
	return checker;
}

static void check_free(struct check *check)
{
	struct check **at = &check->checker->checks;

	while (*at != check)
		at = &(*at)->next;
	*at = check->next;
	check->checker->count--;
	dns_request_cancel(&check->request);
	free(check->pool);
	free(check->name_server);
	free(check);
}

void server_checker_free(struct server_checker **checker)
{
	while (*checker && (*checker)->checks)
		check_free((*checker)->checks);
	free(*checker);
	*checker = NULL;
}

/* A check sends no query to a server that counts as silent (dns_request.h). */
static void check_explain_silence(const struct check *check, char *reason, size_t size)
{
	if (dns_requests_are_silent(check->checker->requests, &check->server))
		snprintf(reason, size, "no answer about any domain; mini-DNS probes the "
		         "server until the server answers");
	else
		snprintf(reason, size, "no answer to an SOA query for %g s",
		         check->timeout_ms / 1000.0);
}

/* If the cast fails, the next check brings the result. */
static void check_report(const struct check *check, bool silent)
{
	char topic[300], reason[128], request_id[ID_LEN + 1];
	const struct rpc_target target = { .topic = topic };
	struct server_answer answer = { check->name_server, silent, "" };
	struct why why;

	if (silent) {
		check_explain_silence(check, reason, sizeof(reason));
		answer.reason = reason;
	}
	snprintf(topic, sizeof(topic), "pool_manager.%s", check->pool);
	id_random(request_id);
	json_t *args = server_answers_encode(&(struct server_answers){ &answer, 1 });
	json_t *context = context_encode(request_id, true);
	if (rpc_cast(check->checker->rpc, &target, "update_servers", args, context, &why))
		log_warn("result of a server check not sent: server=%s reason=\"%s\"",
		         check->name_server, why.text);
	json_decref(context);
	json_decref(args);
}

/* Any answer shows that the server works. A query that was not sent shows nothing. */
static void check_on_answer(void *self, const struct response *response)
{
	struct check *check = self;

	check->request = NULL;
	if (!response || response->kind != RESPONSE_UNASKED)
		check_report(check, !response);
	check_free(check);
}

static void server_checker_add(struct server_checker *checker, const char *pool,
                               const char *name_server,
                               const struct dns_request_want *want)
{
	struct check *check = xcalloc(1, sizeof(*check));

	check->checker = checker;
	check->pool = xstrdup(pool);
	check->name_server = xstrdup(name_server);
	check->server = want->server;
	check->timeout_ms = want->timeout_ms;
	check->next = checker->checks;
	checker->checks = check;
	checker->count++;
	check->request = dns_request_start(checker->requests, want, check_on_answer,
	                                   check);
}

static enum err server_checker_start_one(struct server_checker *checker,
                                         const struct server_checks *checks,
                                         const struct server_check_of *of,
                                         struct why *why)
{
	const struct poll_order order = {
		.domain = { .name = of->zone }, .destination = of->destination,
	};
	struct dns_request_want want = { .opcode = OPCODE_QUERY,
	                                 .timeout_ms = checks->timeout_ms };
	enum err err = route_read(&order, &want.zone, &want.server, &want.tsig_key, why);

	if (!err)
		server_checker_add(checker, checks->pool, of->destination.id, &want);
	return err;
}

static enum err server_checker_start_all(struct server_checker *checker,
                                         const struct server_checks *checks,
                                         struct why *why)
{
	enum err first = OK;
	struct why other;

	if (checker->count + checks->count > CHECKS_MAX)
		return fail(why, ERR_BUSY, "mini-DNS is checking %zu servers (at most %d "
		            "at the same time): try again later", checker->count,
		            CHECKS_MAX);
	for (size_t i = 0; i < checks->count; i++) {
		enum err err = server_checker_start_one(checker, checks, &checks->item[i],
		                                        first ? &other : why);

		first = first ? first : err;
	}
	return first;
}

enum err server_checker_start(struct server_checker *checker, const json_t *args,
                              struct why *why)
{
	struct arena *arena = arena_new();
	struct server_checks checks;
	enum err err = server_checks_decode(args, arena, &checks, why);

	if (!err)
		err = server_checker_start_all(checker, &checks, why);
	arena_free(&arena);
	return err;
}

#include "publish_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/backoff.h"
#include "base/log.h"
#include "codec.h"
#include "consistency/heartbeat.h"
#include "core/reverse.h"
#include "runtime/metrics.h"

enum { CALL_MS = 20 * 1000 };

static const struct backoff again = { .first_ms = 500, .max_ms = 300 * 1000 };
static const struct rpc_target central = { .topic = "central" };

static struct metric *failures;

void publish_step_metrics(void)
{
	failures = metric_new(METRIC_COUNTER, "ports_failures_total",
	    "changes of domains that failed and are tried again", NULL, NULL);
}

struct holder *publish_holder(const struct publisher *publisher)
{
	return membership_holder(heartbeat_membership(publisher->ports->heartbeat));
}

bool publish_may_create(const struct publication *publication)
{
	return !*publication->zone.project_id ||
	       publication->publisher->ports->settings.creates_domains;
}

void publish_end(struct publication *publication)
{
	struct publisher *publisher = publication->publisher;
	struct publication **at = &publisher->all;

	while (*at != publication)
		at = &(*at)->next;
	*at = publication->next;
	publisher->count--;
	rpc_cancel(publisher->ports->runtime.rpc, publication);
	if (publication->held)
		holder_drop(publish_holder(publisher), publisher->ports->runtime.db,
		            &publication->held);
	arena_free(&publication->arena);
	free(publication->zone_text);
	free(publication->project);
	free(publication);
}

struct tx publish_begin_guarded(struct publication *publication, struct why *why)
{
	struct publisher *publisher = publication->publisher;
	struct tx tx = tx_begin(publisher->ports->runtime.db, why);

	holder_guard(publish_holder(publisher), &tx, publication->held);
	return tx_move(&tx);
}

struct failing {
	struct publication *publication;
	const char *reason;
};

static enum err write_failure(void *self, struct why *why)
{
	const struct failing *failing = self;
	struct publication *publication = failing->publication;
	struct tx tx = publish_begin_guarded(publication, why);

	store_zone_failed(&tx, &publication->zone, failing->reason,
	                  backoff_ms(&again, (int)publication->row.failures,
	                             random_u32()));
	return tx_commit(&tx);
}

void publish_give_up(struct publication *publication, const char *reason)
{
	struct failing failing = { publication, reason };
	struct why why;

	metric_add(failures, 1);
	log_warn("domain not published: domain=%s tenant=\"%s\" reason=\"%s\"",
	         publication->zone.zone, publication->zone.project_id, reason);
	if (tx_retry_on_loop(write_failure, &failing, &why))
		log_warn("failure not written: domain=%s reason=\"%s\"",
		         publication->zone.zone, why.text);
	publish_end(publication);
}

/* A reverse domain: its records belong to no project. */
static bool publish_is_reverse(const struct publication *publication)
{
	return !*publication->zone.project_id && reverse_is_zone(publication->zone.zone);
}

void publish_not_ours(struct publication *publication)
{
	publish_give_up(publication, arena_printf(publication->arena,
		"there is no domain %s, or it is of another project%s", publication->zone_text,
		publish_is_reverse(publication) ? " (setting ports.reverse_tenant)" : ""));
}

static bool step_is_default_domain(const struct publication *publication)
{
	const struct ports_settings *settings = &publication->publisher->ports->settings;
	const char *domain;
	struct why why;

	return *settings->domain &&
	       !codec_domain_text(settings->domain, publication->arena, &domain, &why) &&
	       !strcmp(domain, publication->zone.zone);
}

/*
 * As the project that the records are of. Records that belong to no project (reverse names,
 * networks without a project) are written as an administrator. The addresses and domains
 * are a tenant's word: that must not reach into the domain of another tenant. ports.domain
 * is the operator's word.
 */
static json_t *step_context(const struct publication *publication)
{
	const struct ports_settings *settings = &publication->publisher->ports->settings;
	const char *project = publication->zone.project_id;
	bool is_admin = !*project;
	char id[ID_LEN + 1];
	json_t *context;

	if (publish_is_reverse(publication))
		project = settings->reverse_tenant;
	id_random(id);
	context = context_encode(id, is_admin);
	json_object_set_new(context, "project_id", json_string(project));
	json_object_set_new(context, "own_tenant_only",
	                    json_boolean(is_admin && !step_is_default_domain(publication)));
	return context;
}

void publish_ask(struct publication *publication, const char *method, json_t *args,
                 rpc_answer_fn *answered)
{
	json_t *context = step_context(publication);
	struct why why;
	enum err err = rpc_call(publication->publisher->ports->runtime.rpc, &central,
	                        method, args, context, CALL_MS, answered, publication,
	                        &why);

	json_decref(context);
	json_decref(args);
	if (err)
		publish_give_up(publication, why.text);
}

void publish_look(struct publication *publication)
{
	publication->publisher->look(publication);
}

void publish_look_after(struct publication *publication,
                        enum err (*write)(void *self, struct why *why))
{
	struct why why;

	if (tx_retry_on_loop(write, publication, &why))
		publish_give_up(publication, why.text);
	else
		publish_look(publication);
}

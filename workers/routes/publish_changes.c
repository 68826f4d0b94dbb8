#include <stdio.h>
#include <string.h>

#include "core/router_domain.h"
#include "model/serial.h"
#include "notifications.h"
#include "publish_private.h"
#include "runtime/metrics.h"

enum {
	/* pause before the name servers are checked again */
	PUBLISH_CHECK_MS = 250,
};

static struct metric *publish_sent;

void publish_changes_metrics(void)
{
	publish_sent = metric_new(METRIC_COUNTER, "routes_zone_changes_total",
	    "successful changes to the domains of routers", NULL, NULL);
}

/* ---- checking the name servers ---- */

static void publish_write_active(void *object, struct tx *tx)
{
	const struct publication *publication = object;

	store_domain_set_active(tx, &publication->router,
	                   publication->routes->settings.check_ms, ROUTES_PATIENCE_S);
}

static void publish_write_wait(void *object, struct tx *tx)
{
	store_domain_wait(tx, ((struct publication *)object)->name, PUBLISH_CHECK_MS,
	                 ROUTES_PATIENCE_S);
}

static const char *publish_text(const json_t *json, const char *key)
{
	const char *text = json_string_value(json_object_get(json, key));

	return text ? text : "";
}

static bool publish_is_active(const struct publication *publication, const json_t *domain)
{
	json_int_t serial = json_integer_value(json_object_get(domain, "serial"));

	return !strcmp(publish_text(domain, "status"), "ACTIVE") &&
	       serial_covers((uint32_t)serial, publication->router.serial);
}

static void publish_finish(struct publication *publication)
{
	if (publication->is_news)
		notifications_send_zone_published(publication->routes,
		                                  &publication->router);
	work_write_then(publication, publish_write_active, work_end);
}

static void publish_on_delegated(void *self, const struct rpc_answer *answer)
{
	struct publication *publication = self;

	if (answer->err)
		publish_fail_delegation(publication, answer);
	else
		publish_finish(publication);
}

static void publish_delegate_then_finish(struct publication *publication, bool is_news)
{
	publication->is_news = is_news;
	if (publish_is_delegated(publication))
		publish_delegate(publication, publish_on_delegated);
	else
		publish_finish(publication);
}

static void publish_on_state(void *self, const struct rpc_answer *answer)
{
	struct publication *publication = self;

	if (answer->err)
		work_fail(publication, answer->why.text);
	else if (!strcmp(publish_text(answer->result, "status"), "ERROR"))
		work_fail_as(publication, publish_text(answer->result, "reason"));
	else if (publish_is_active(publication, answer->result))
		publish_delegate_then_finish(publication, true);
	else
		work_write_then(publication, publish_write_wait, work_end);
}

void publish_check(struct publication *publication)
{
	publish_call(publication, "get_domain",
	             json_pack("{s:s}", "domain", publish_domain(publication)),
	             publish_on_state);
}

/* ---- a change ---- */

/*
 * True: the router's row has no domain, or another one than the one that accepted the
 * change.
 */
static bool publish_is_new_domain(const struct publication *publication)
{
	return *publication->domain_id &&
	       strcmp(publication->router.domain_id, publication->domain_id);
}

/* True: a new domain with the same name, which has no records of routes. */
static bool publish_is_other_domain(const struct publication *publication)
{
	return publish_is_new_domain(publication) && *publication->router.domain_id;
}

static void publish_write_sent(void *object, struct tx *tx)
{
	const struct publication *publication = object;
	const struct domain_sent sent = {
		.rev = publication->former_count < FORMER_NAMES_MAX
		       ? publication->router.rev : publication->router.done_rev,
		.serial = publication->serial, .after_ms = PUBLISH_CHECK_MS,
	};

	if (publish_is_other_domain(publication))
		store_former_names_resend(tx, publication->name);
	if (publish_is_new_domain(publication))
		store_domain_set_id(tx, publication->name, publication->domain_id);
	store_former_names_sent(tx, &publication->router, publication->former_names,
	                 publication->former_count);
	store_former_names_sent(tx, &publication->router, publication->kept_names,
	                 publication->kept_count);
	store_domain_sent(tx, publication->name, &sent, ROUTES_PATIENCE_S);
}

static const char *publish_target(const struct former_name *former)
{
	return former_name_update(former->state) == FORMER_SET_CNAME ? former->target
	                                                             : NULL;
}

/* The records of the router. */
static void publish_set_records(const struct publication *publication, json_t *changes)
{
	const struct router_row *router = &publication->router;
	struct address *shown = arena_alloc(publication->work.arena,
	                                    (router->count + 1) * sizeof(*shown));
	size_t count = 0;

	for (size_t i = 0; i < router->count; i++)
		if (router->addresses[i].is_shown)
			shown[count++] = router->addresses[i].address;
	router_domain_set_first_records(changes, publication->zone, router->dns);
	router_domain_set_wildcard(changes, router->dns, router->ttl, shown, count, 32);
	router_domain_set_wildcard(changes, router->dns, router->ttl, shown, count, 128);
}

/*
 * central deletes only records that routes manages. Records from before central stored
 * managers have none, so the change first sets them.
 */
static void publish_delete_records(const struct publication *publication, json_t *changes)
{
	const struct router_row *router = &publication->router;

	if (!publication->has_no_extras) {
		publish_set_records(publication, changes);
		router_domain_delete_first_records(changes, publication->zone,
		                                   router->dns);
	}
	router_domain_set_wildcard(changes, router->dns, router->ttl, NULL, 0, 32);
	router_domain_set_wildcard(changes, router->dns, router->ttl, NULL, 0, 128);
}

static json_t *publish_changes_json(const struct publication *publication)
{
	const struct router_row *router = &publication->router;
	json_t *changes = json_array();

	if (router->state == ROUTER_GOING)
		publish_delete_records(publication, changes);
	else
		publish_set_records(publication, changes);
	for (size_t i = 0; i < publication->former_count; i++)
		if (publication->former_names[i].target)
			router_domain_set_cname(changes, publication->former_names[i].dns,
			                 publish_target(&publication->former_names[i]),
			                 router->ttl);
	for (size_t i = 0; i < publication->kept_count; i++)
		router_domain_set_cname(changes, publication->kept_names[i].dns,
		                        publication->kept_names[i].target, router->ttl);
	router_domain_set_manager(changes);
	return changes;
}

/* The id of the router's domain; "": this program has neither changed nor created it. */
static const char *publish_known_id(const struct publication *publication)
{
	const struct router_row *router = &publication->router;

	if (publication->is_adopted)
		return "";
	return *router->made_id ? router->made_id : router->domain_id;
}

/*
 * A domain that is not known yet may have records of other callers. The first change and
 * the deletion must not replace them. Later changes restore the router's records.
 */
json_t *publish_change(const struct publication *publication)
{
	const char *id = publish_known_id(publication);
	bool may_replace = *id && publication->router.state != ROUTER_GOING;

	return json_pack("{s:s, s:o, s:b}", "domain",
	                 *id ? id : publish_domain(publication), "changes",
	                 publish_changes_json(publication), "replace", may_replace);
}

/* ---- a domain that central does not have ---- */

static void publish_write_adopted(void *object, struct tx *tx)
{
	struct publication *publication = object;

	publication->router.made_id[0] = '\0';
	publication->is_adopted = true;
	store_domain_set_adopted(tx, publication->name);
}

/*
 * ERR_EXISTS: another program has created it meanwhile, and the domain belongs to that
 * program.
 */
static void publish_on_created(void *self, const struct rpc_answer *answer)
{
	struct publication *publication = self;

	if (answer->err == ERR_EXISTS)
		work_write_then(publication, publish_write_adopted, publish_changes);
	else if (answer->err)
		work_fail(publication, answer->why.text);
	else
		publish_changes(publication);
}

static void publish_create_domain(void *object)
{
	struct publication *publication = object;
	json_t *domain = router_domain_new(publication->zone, publication->router.dns,
	                                   publication->routes->settings.pool,
	                                   publication->router.description);

	json_object_set_new(domain, "id", json_string(publication->router.made_id));
	publish_call(publication, "create_domain", json_pack("{s:o}", "domain", domain),
	             publish_on_created);
}

/* The id is written before the call, because the answer may be lost. */
static void publish_write_missing(void *object, struct tx *tx)
{
	struct publication *publication = object;

	if (!*publication->router.made_id || publication->router.done_rev)
		/* if the row already has an id, an earlier call is repeated */
		id_random(publication->router.made_id);
	publication->router.done_rev = 0;
	store_domain_set_missing(tx, publication->name, publication->router.made_id);
}

/* ---- answers of central ---- */

/* The check of a domain that is ACTIVE found nothing to change. */
static bool publish_is_unchanged(const struct publication *publication)
{
	const struct router_row *router = &publication->router;

	return !publish_is_new_domain(publication) &&
	       router->zone_status == ZONE_ACTIVE && !publication->former_count &&
	       router->done_rev == router->rev && router->has_serial &&
	       router->serial == publication->serial;
}

/* True: the check continues after the last CNAME of this change. */
static bool publish_has_more_kept(struct publication *publication)
{
	const struct former_name *last;

	if (publication->kept_count < FORMER_NAMES_MAX)
		return false;
	last = &publication->kept_names[publication->kept_count - 1];
	snprintf(publication->kept_route, sizeof(publication->kept_route), "%s",
	         last->route_id);
	snprintf(publication->kept_dns, sizeof(publication->kept_dns), "%s", last->dns);
	return true;
}

static void publish_on_success(struct publication *publication, const json_t *answer)
{
	metric_add(publish_sent, 1);
	publication->serial =
	    (uint32_t)json_integer_value(json_object_get(answer, "serial"));
	snprintf(publication->domain_id, sizeof(publication->domain_id), "%s",
	         publish_text(answer, "id"));
	if (!publish_is_unchanged(publication))
		work_write_then(publication, publish_write_sent, work_step);
	else if (publish_has_more_kept(publication))
		work_step(publication);
	else
		publish_delegate_then_finish(publication, false);
}

/*
 * True: we have created the domain and have not sent the SOA fields and the first serial
 * yet.
 */
static bool publish_is_first(const struct publication *publication)
{
	return *publication->router.made_id && !publication->router.done_rev;
}

static bool publish_has_serial(const struct publication *publication)
{
	return publish_is_first(publication) && !publication->has_no_serial &&
	       json_object_get(publication->zone, "serial");
}

static void publish_on_changed(void *self, const struct rpc_answer *answer)
{
	struct publication *publication = self;

	if (answer->err == ERR_NOT_FOUND && !publication->is_asked_for) {
		publication->is_asked_for = true;
		work_write_then(publication, publish_write_missing,
		                publish_create_domain);
	} else if (answer->err == ERR_CONFLICT && publish_has_serial(publication)) {
		/* an earlier call may have set it */
		publication->has_no_serial = true;
		publish_changes(publication);
	} else if (answer->err) {
		work_fail(publication, answer->why.text);
	} else {
		publish_on_success(publication, answer->result);
	}
}

/* These are sent once. Later, callers may change the values in central. */
static void publish_add_first(const struct publication *publication, json_t *args)
{
	json_t *soa = json_object_get(publication->zone, "soa");

	if (soa)
		json_object_set(args, "soa", soa);
	if (publish_has_serial(publication))
		json_object_set(args, "serial",
		                json_object_get(publication->zone, "serial"));
}

void publish_changes(void *object)
{
	struct publication *publication = object;
	json_t *args = publish_change(publication);

	if (publish_is_first(publication))
		publish_add_first(publication, args);
	publish_call(publication, "apply_changes", args, publish_on_changed);
}

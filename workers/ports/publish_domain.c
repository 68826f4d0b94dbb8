#include <string.h>

#include "base/log.h"
#include "publish_private.h"

/* The domain was deleted or belongs to another tenant. */
static void publish_write_not_ours(void *object, struct tx *tx)
{
	store_zone_made(tx, &((struct publication *)object)->zone, "");
}

/* ---- create ---- */

/* The records of other projects were lost with the old domain. */
static void publish_write_created(void *object, struct tx *tx)
{
	const struct publication *publication = object;

	store_zone_known(tx, publication->zone.zone, publication->row.made_id);
	store_zone_lost_all(tx, &publication->zone);
}

/*
 * ERR_EXISTS: another program has created it meanwhile, and the domain belongs to that
 * program.
 */
static void publish_on_created(void *self, const struct rpc_answer *answer)
{
	struct publication *publication = self;

	publication->domain = PUBLISH_CREATED;
	if (answer->err && answer->err != ERR_EXISTS)
		work_fail(publication, answer->why.text);
	else
		work_write_then(publication, answer->err ? publish_write_not_ours
		                                         : publish_write_created,
		                publish_rows);
}

static json_t *publish_new_domain(const struct publication *publication)
{
	const struct ports_settings *settings = &publication->ports->settings;
	json_t *domain = json_pack("{s:s, s:s}", "id", publication->row.made_id,
	                           "name", publication->zone.zone);

	if (*settings->email)
		json_object_set_new(domain, "email", json_string(settings->email));
	if (*settings->pool)
		json_object_set_new(domain, "pool", json_string(settings->pool));
	return domain;
}

void publish_domain_create(struct publication *publication)
{
	if (publish_can_create(publication))
		publish_call(publication, "create_domain", json_pack("{s:o}", "domain",
		    publish_new_domain(publication)), publish_on_created);
	else
		publish_fail_no_domain(publication);
}

/* ---- delete ---- */

/*
 * ERR_CONFLICT: the domain has records of others and belongs to their tenant from now on.
 */
static void publish_on_deleted(void *self, const struct rpc_answer *answer)
{
	struct publication *publication = self;

	if (answer->err && answer->err != ERR_NOT_FOUND && answer->err != ERR_CONFLICT) {
		work_fail(publication, answer->why.text);
		return;
	}
	log_info("reverse domain %s: domain=%s reason=\"%s\"",
	         answer->err ? "not deleted" : "deleted", publication->zone.zone,
	         answer->err ? answer->why.text : "");
	work_write_then(publication, publish_write_not_ours, work_step);
}

void publish_domain_delete(struct publication *publication)
{
	publish_call(publication, "delete_domain",
	             json_pack("{s:s, s:b}", "domain", publication->row.made_id,
	                       "if_empty", true), publish_on_deleted);
}

#include <string.h>

#include "base/log.h"
#include "publish_private.h"

/* It is gone, or somebody else's. */
static enum err write_not_ours(void *self, struct why *why)
{
	struct publication *publication = self;
	struct tx tx = publish_begin_guarded(publication, why);

	store_zone_made(&tx, &publication->zone, "");
	return tx_commit(&tx);
}

/* ---- one that is not there ---- */

/* Whoever else has records there does not know yet that they were lost with it. */
static enum err write_created(void *self, struct why *why)
{
	struct publication *publication = self;
	struct tx tx = publish_begin_guarded(publication, why);

	store_zone_known(&tx, publication->zone.zone, publication->row.made_id);
	store_zone_lost_all(&tx, &publication->zone);
	return tx_commit(&tx);
}

/* Somebody else may have made it meanwhile: then there it is, and theirs. */
static void hear_created(void *self, const struct rpc_answer *answer)
{
	struct publication *publication = self;
	struct why why;

	publication->domain = PUBLISH_CREATED;
	if (answer->err && answer->err != ERR_EXISTS)
		publish_give_up(publication, answer->why.text);
	else if (tx_retry_on_loop(answer->err ? write_not_ours : write_created, publication, &why))
		publish_give_up(publication, why.text);
	else
		publish_rows(publication);
}

static json_t *domain_of(const struct publication *publication)
{
	const struct ports_settings *settings = &publication->publisher->ports->settings;
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
	if (publish_may_create(publication))
		publish_ask(publication, "create_domain",
		            json_pack("{s:o}", "domain", domain_of(publication)),
		            hear_created);
	else
		publish_not_ours(publication);
}

/* ---- one that nobody needs ---- */

/* What somebody else keeps there is theirs from now on, and so is the domain. */
static void hear_deleted(void *self, const struct rpc_answer *answer)
{
	struct publication *publication = self;

	if (answer->err && answer->err != ERR_NOT_FOUND && answer->err != ERR_CONFLICT) {
		publish_give_up(publication, answer->why.text);
		return;
	}
	log_info("empty domain %s: domain=%s reason=\"%s\"",
	         answer->err ? "not ours" : "deleted", publication->zone.zone,
	         answer->err ? answer->why.text : "");
	publish_look_after(publication, write_not_ours);
}

void publish_domain_delete(struct publication *publication)
{
	publish_ask(publication, "delete_domain",
	            json_pack("{s:s, s:b}", "domain", publication->row.made_id,
	                      "if_empty", true), hear_deleted);
}

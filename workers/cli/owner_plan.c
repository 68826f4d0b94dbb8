#include <inttypes.h>
#include <stdio.h>

#include "await.h"
#include "handlers.h"
#include "owner.h"
#include "owner_show.h"

/* ---- plan ---- */

/* Polls the state of a zone until it shows a round that began after BEFORE. */
struct awaited {
	struct cli *cli;
	const struct shared_zone *zone;
	json_t *before, *status;
};

/*
 * True: a new round has ended, and its plan includes all endpoints at the time of BEFORE.
 */
static bool plan_is_fresh(const json_t *status, const json_t *before)
{
	return answer_number(status, "rounds") > answer_number(before, "rounds") &&
	       (owner_is_failed(status) ||
	        answer_number(status, "planned_rev") >= answer_number(before, "rev"));
}

static enum err plan_poll(void *self, bool *is_over)
{
	struct awaited *awaited = self;
	enum err err;

	json_decref(awaited->status);
	awaited->status = NULL;
	err = owner_state(awaited->cli, awaited->zone, &awaited->status);
	*is_over = !err && plan_is_fresh(awaited->status, awaited->before);
	return err;
}

static enum err plan_await_round(struct awaited *awaited, int64_t wait_s)
{
	const struct await await = { awaited->cli, wait_s, awaited->zone->name,
	                             "is read and planned", plan_poll, awaited };
	bool is_over;
	enum err err = await_end(&await, &is_over);

	if (err || is_over)
		return err;
	return fail(&awaited->cli->why, ERR_TIMEOUT, "zonefleet-ownership did not plan "
	            "the changes of %.255s within %.1f s. Possible causes: another round "
	            "is running, or the primary does not answer (see 'zonefleet owner "
	            "list')", awaited->zone->name,
	            cli_elapsed(awaited->cli));
}

static enum err plan_anew(struct awaited *awaited)
{
	struct cli *cli = awaited->cli;
	json_t *asked;
	int64_t wait_s = AWAIT_DEFAULT_S;
	enum err err = cli_seconds(cli, OPT_WAIT_TIMEOUT, AWAIT_MAX_S, &wait_s);

	if (!err)
		err = owner_state(cli, awaited->zone, &awaited->before);
	if (!err)
		err = owner_ask(cli, "plan_calculate",
		                owner_arguments(awaited->zone, NULL, NULL), &asked);
	if (err)
		return err;
	json_decref(asked);
	return plan_await_round(awaited, wait_s);
}

enum err owner_plan(struct cli *cli)
{
	struct shared_zone zone;
	struct awaited awaited = { .cli = cli, .zone = &zone };
	enum err err = owner_zone(cli, &zone);

	if (!err)
		err = plan_anew(&awaited);
	if (!err && owner_is_failed(awaited.status))
		err = owner_ended_in_error(cli, awaited.status, "");
	if (!err && !cli->out.json)
		owner_show_plan(&cli->out, awaited.status);
	json_decref(awaited.before);
	cli_answer(cli, awaited.status);
	return err;
}

/* ---- approve ---- */

/* Adds to cli->document that the plan was approved. */
static enum err plan_approve(struct cli *cli, const struct shared_zone *zone,
                             const char *digest)
{
	json_t *nothing;
	enum err err = owner_ask(cli, "plan_approve",
	                         owner_arguments(zone, "digest", json_string(digest)),
	                         &nothing);

	if (err)
		return err;
	json_decref(nothing);
	json_object_set_new(cli->document, "approved", json_true());
	if (!cli->out.json && !cli->out.quiet)
		puts("approved: the next round makes these changes");
	return OK;
}

/* Makes an answer from the held items of the plan. */
static json_t *plan_held(const json_t *status)
{
	const json_t *plan = json_object_get(status, "plan");
	json_t *items = json_array(), *item;
	size_t i;

	json_array_foreach(json_object_get(plan, "items"), i, item)
		if (owner_is_held(item))
			json_array_append(items, item);
	return json_pack("{s:s, s:I, s:s, s:o, s:b}", "zone", answer_text(status, "zone"),
	                 "held", (json_int_t)answer_number(plan, "held"), "digest",
	                 answer_text(plan, "digest"), "items", items, "approved", 0);
}

static void plan_show_held(const struct output *out, const json_t *held)
{
	static const struct field fields[] = {
		{ "zone", "zone" }, { "held", "held" }, { "digest", "digest" }, { 0 }
	};

	const json_t *items = json_object_get(held, "items");
	int64_t more = answer_number(held, "held") - (int64_t)json_array_size(items);

	output_fields(out, held, fields);
	owner_show_items(out, items);
	if (more > 0)
		printf("... and %" PRId64 " more\n", more);
	if (!out->quiet)
		putchar('\n');
}

static enum err plan_approve_shown(struct cli *cli, const struct shared_zone *zone)
{
	const char *digest = answer_text(cli->document, "digest");

	if (!cli->out.json && *digest)
		plan_show_held(&cli->out, cli->document);
	if (*digest && cli_has(cli, OPT_YES))
		return plan_approve(cli, zone, digest);
	if (!cli->out.json && !cli->out.quiet)
		puts(*digest ? "no change was approved: give the digest, or use --yes"
		             : "no changes are held");
	return OK;
}

enum err owner_approve(struct cli *cli)
{
	struct shared_zone zone;
	json_t *status;
	enum err err = owner_zone(cli, &zone);

	if (err)
		return err;
	if (cli->argc == 3) {
		cli_answer(cli, json_pack("{s:s, s:b}", "digest", cli->argv[2],
		                          "approved", 0));
		return plan_approve(cli, &zone, cli->argv[2]);
	}
	err = owner_state(cli, &zone, &status);
	if (err)
		return err;
	cli_answer(cli, plan_held(status));
	json_decref(status);
	return plan_approve_shown(cli, &zone);
}

#include <string.h>

#include "await.h"
#include "handlers.h"
#include "names.h"
#include "owner.h"
#include "owner_show.h"
#include "quote.h"

/*
 * An order to change ownership marks. zonefleet-ownership stores it, carries it out in
 * its next round and reports the result.
 */
struct order {
	struct cli *cli;
	struct shared_zone zone;
	int64_t wait_s;
	json_t *before;			/* the zone's state before the order */
	json_t *told;			/* the latest state of the order */
};

static void order_clear(struct order *order)
{
	json_decref(order->before);
	json_decref(order->told);
}

/* ---- selection ---- */

static bool order_has_selector(const struct cli *cli)
{
	return cli_has(cli, OPT_NAME) || cli_has(cli, OPT_TYPE) ||
	       cli_has(cli, OPT_RESOURCE);
}

/* A missing option must never select the whole zone. */
static enum err order_check_selector(struct cli *cli, bool is_all)
{
	if (cli_has(cli, OPT_BELOW) && !cli_has(cli, OPT_NAME))
		return cli_usage(cli, "--below needs --name: --below also selects all "
		                 "names below the name in --name");
	if (cli_has(cli, OPT_ALL) && order_has_selector(cli))
		return cli_usage(cli, "--all selects all record sets of STORAGE_ID: "
		                 "leave out --name, --type and --resource");
	if (!is_all && !order_has_selector(cli))
		return cli_usage(cli, "select record sets with --name, --type or "
		                 "--resource, or all record sets of STORAGE_ID with "
		                 "--all");
	return OK;
}

static enum err order_put_name(struct cli *cli, const char *zone, json_t *selector)
{
	char name[NAME_MAX_TEXT + 1];

	if (!cli_has(cli, OPT_NAME))
		return OK;
	if (names_record(cli->option[OPT_NAME], zone, name, &cli->why))
		return cli_usage(cli, "--name: %s", cli->why.text);
	json_object_set_new(selector, "name", json_string(name));
	json_object_set_new(selector, "below", json_boolean(cli_has(cli, OPT_BELOW)));
	return OK;
}

/*
 * Adds the selector to ARGS. IS_ALL: an empty selector is allowed and selects all sets.
 */
static enum err order_put_selector(const struct order *order, bool is_all, json_t *args)
{
	struct cli *cli = order->cli;
	json_t *selector = json_object();
	enum err err;

	json_object_set_new(args, "selector", selector);
	err = order_check_selector(cli, is_all);
	if (!err)
		err = order_put_name(cli, order->zone.name, selector);
	cli_put_text(cli, OPT_TYPE, selector, "type");
	cli_put_text(cli, OPT_RESOURCE, selector, "resource");
	return err;
}

/* ---- waiting ---- */

static bool order_is_done(const struct order *order)
{
	return !strcmp(answer_text(order->told, "state"), "DONE");
}

/*
 * After a failed round the order stays open. Rounds that began before the order do not
 * count.
 */
static enum err order_check_zone(const struct order *order)
{
	json_t *status;
	enum err err = owner_state(order->cli, &order->zone, &status);

	if (err)
		return err;
	if (owner_is_failed(status) &&
	    answer_number(status, "rounds") > answer_number(order->before, "rounds"))
		err = owner_ended_in_error(order->cli, status, "; the order stays open "
		                           "until a round succeeds");
	json_decref(status);
	return err;
}

static enum err order_poll(void *self, bool *is_over)
{
	struct order *order = self;
	json_t *id = json_incref(json_object_get(order->told, "order"));
	json_t *told;
	enum err err = owner_ask(order->cli, "get_order",
	                         owner_arguments(&order->zone, "order", id), &told);

	if (err)
		return err;
	json_decref(order->told);
	order->told = told;
	*is_over = order_is_done(order);
	return *is_over ? OK : order_check_zone(order);
}

static enum err order_await(struct order *order)
{
	const struct await await = { order->cli, order->wait_s, "zonefleet-ownership",
	                             "carries out the order", order_poll, order };
	bool is_over;
	enum err err = await_end(&await, &is_over);

	if (err || is_over)
		return err;
	return fail(&order->cli->why, ERR_TIMEOUT,
	            "%.200s: zonefleet-ownership did not carry out the order within "
	            "%.1f s; the order stays open until a round succeeds without held "
	            "changes (see 'zonefleet owner list')",
	            order->zone.name, cli_elapsed(order->cli));
}

static enum err order_place(struct order *order, const char *method, json_t *args)
{
	struct cli *cli = order->cli;
	enum err err = owner_state(cli, &order->zone, &order->before);

	if (err) {
		json_decref(args);
		return err;
	}
	if (cli_has(cli, OPT_DRY_RUN))
		json_object_set_new(args, "dry_run", json_true());
	return owner_ask(cli, method, args, &order->told);
}

/* ---- result ---- */

static enum err order_refused(struct order *order, const json_t *result)
{
	struct cli *cli = order->cli;
	struct buf words = { 0 };

	owner_refusals(json_object_get(result, "refused"), &words);
	cli_fail(cli, ERR_CONFLICT, "zonefleet-ownership %s to change some of the %lld "
	         "selected record sets: %s",
	         cli_has(cli, OPT_DRY_RUN) ? "would refuse" : "refused",
	         (long long)answer_number(result, "matched"), buf_string(&words));
	buf_clear(&words);
	cli->status = EXIT_FAILED;
	cli->class = "Refused";
	return ERR_CONFLICT;
}

static enum err order_print(struct order *order)
{
	const json_t *result = json_object_get(order->told, "result");

	if (!order->cli->out.json)
		owner_show_order(&order->cli->out, result);
	return json_object_size(json_object_get(result, "refused"))
	       ? order_refused(order, result) : OK;
}

/* Takes ARGS over. */
static enum err order_run(struct order *order, const char *method, json_t *args)
{
	enum err err = order_place(order, method, args);

	if (!err)
		err = order_await(order);
	if (!err)
		err = order_print(order);
	cli_answer(order->cli, json_incref(order->told));
	return err;
}

static enum err order_begin(struct order *order, struct cli *cli)
{
	*order = (struct order){ .cli = cli, .wait_s = AWAIT_DEFAULT_S };
	enum err err = owner_zone(cli, &order->zone);

	return err ? err : cli_seconds(cli, OPT_WAIT_TIMEOUT, AWAIT_MAX_S,
	                               &order->wait_s);
}

/* ---- the commands ---- */

/*
 * Orders METHOD for the selected sets. KEY and VALUE are an additional argument, or NULL.
 */
static enum err order_selected(struct order *order, const char *method, bool is_all,
                               const char *key, const char *value)
{
	json_t *args = owner_arguments(&order->zone, key,
	                               value ? json_string(value) : NULL);
	enum err err = order_put_selector(order, is_all, args);

	if (!err)
		return order_run(order, method, args);
	json_decref(args);
	return err;
}

enum err owner_transfer(struct cli *cli)
{
	struct order order;
	enum err err = order_begin(&order, cli);

	if (!err)
		err = order_selected(&order, "ownership_transfer", cli_has(cli, OPT_ALL),
		                     "to", cli->argv[2]);
	order_clear(&order);
	return err;
}

enum err owner_release(struct cli *cli)
{
	struct order order;
	enum err err = order_begin(&order, cli);

	if (!err)
		err = order_selected(&order, "ownership_release", cli_has(cli, OPT_ALL),
		                     NULL, NULL);
	order_clear(&order);
	return err;
}

static enum err order_put_targets(struct cli *cli, json_t *args, struct quotes *quotes)
{
	json_t *targets = json_array();
	struct why why;
	enum err err = OK;

	json_object_set_new(args, "targets", targets);
	for (int i = 4; i < cli->argc && !err; i++)
		if (quote_append(targets, cli->argv[3], cli->argv[i], quotes, &why))
			err = cli_usage(cli, "%s", why.text);
	return err;
}

/* Adopts one set that has exactly these records. */
static enum err order_adopt(struct order *order)
{
	struct cli *cli = order->cli;
	char name[NAME_MAX_TEXT + 1];
	struct quotes quotes = { 0 };
	json_t *args;
	enum err err;

	if (names_record(cli->argv[2], order->zone.name, name, &cli->why))
		return cli_usage(cli, "%s", cli->why.text);
	args = owner_arguments(&order->zone, "dnsname", json_string(name));
	json_object_set_new(args, "type", json_string(cli->argv[3]));
	err = order_put_targets(cli, args, &quotes);
	if (err)
		json_decref(args);
	else
		err = order_run(order, "ownership_adopt", args);
	if (!err)
		quotes_print(&quotes, &cli->out);
	quotes_clear(&quotes);
	if (err || answer_number(json_object_get(order->told, "result"), "matched"))
		return err;
	return fail(&cli->why, ERR_NOT_FOUND, "cannot adopt the record set '%.16s' "
	            "of '%.255s': either the zone does not contain this record set, or "
	            "STORAGE_ID already owns the record set, or no resource wants the "
	            "record set (see 'zonefleet owner apply')",
	            cli->argv[3], name);
}

static enum err order_check_adopt(struct cli *cli)
{
	bool is_wanted = cli_has(cli, OPT_WANTED);

	if (is_wanted && cli->argc > 2)
		return cli_usage(cli, "--wanted does not accept NAME TYPE TARGET: select "
		                 "record sets with --name, --type and --resource");
	if (!is_wanted && (order_has_selector(cli) || cli_has(cli, OPT_BELOW)))
		return cli_usage(cli,
		                 "--name, --below, --type and --resource need --wanted");
	if (!is_wanted && cli->argc < 5)
		return cli_usage(cli, "owner adopt needs NAME TYPE TARGET..., or "
		                 "--wanted");
	return OK;
}

enum err owner_adopt(struct cli *cli)
{
	struct order order;
	enum err err = order_begin(&order, cli);

	if (!err)
		err = order_check_adopt(cli);
	if (!err && cli_has(cli, OPT_WANTED))
		err = order_selected(&order, "ownership_adopt_wanted", true, NULL, NULL);
	else if (!err)
		err = order_adopt(&order);
	order_clear(&order);
	return err;
}

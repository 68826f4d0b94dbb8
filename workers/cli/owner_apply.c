#include <inttypes.h>
#include <stdio.h>

#include "handlers.h"
#include "input.h"
#include "owner.h"

#define RESOURCE_DEFAULT "by-hand"

static enum err owner_apply_read(struct cli *cli, const char *path, json_t **endpoints)
{
	struct buf text = { 0 };
	json_error_t error;
	enum err err = input_read(path, &text, &cli->why);

	*endpoints = NULL;
	if (!err)
		*endpoints = json_loads(buf_string(&text), JSON_REJECT_DUPLICATES,
		                        &error);
	buf_clear(&text);
	if (!err && !*endpoints)
		return fail(&cli->why, ERR_INVALID, "%.200s: line %d: not valid JSON: "
		            "%.200s", path, error.line, error.text);
	if (!err && !json_is_array(*endpoints))
		return fail(&cli->why, ERR_INVALID,
		            "%.200s: must contain a list of endpoints: [ {...}, ... ]",
		            path);
	return err;
}

static void owner_apply_print(const struct cli *cli, const struct shared_zone *zone,
                              const char *resource, const json_t *answer)
{
	struct buf name = { 0 };

	output_escape(resource, &name);
	printf("%s: the resource %s has %" PRId64 " endpoints; changed endpoints: "
	       "%" PRId64 "\n", zone->name, buf_string(&name),
	       answer_number(answer, "endpoints"), answer_number(answer, "changed"));
	buf_clear(&name);
	if (!cli_has(cli, OPT_PARTIAL) &&
	    !json_is_true(json_object_get(answer, "complete")))
		puts("the resource had many endpoints and now has no endpoints: "
		     "zonefleet-ownership holds the deletions until you approve them "
		     "(see 'zonefleet owner approve')");
}

enum err owner_apply(struct cli *cli)
{
	const char *resource = cli_has(cli, OPT_RESOURCE) ? cli->option[OPT_RESOURCE]
	                                                  : RESOURCE_DEFAULT;
	struct shared_zone zone;
	json_t *endpoints = NULL, *args, *answer;
	enum err err = owner_zone(cli, &zone);

	if (!err)
		err = owner_apply_read(cli, cli->argv[2], &endpoints);
	if (err) {
		json_decref(endpoints);
		return err;
	}
	args = owner_arguments(&zone, "endpoints", endpoints);
	json_object_set_new(args, "resource", json_string(resource));
	json_object_set_new(args, "complete", json_boolean(!cli_has(cli, OPT_PARTIAL)));
	err = owner_ask(cli, "apply_endpoints", args, &answer);
	if (err)
		return err;
	if (!cli->out.json && !cli->out.quiet)
		owner_apply_print(cli, &zone, resource, answer);
	cli_answer(cli, answer);
	return OK;
}

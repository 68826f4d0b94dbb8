#include "cli.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "command.h"
#include "fields.h"
#include "idn.h"
#include "names.h"

#define CENTRAL "central"

const char *const cli_exit_meanings[EXIT_COUNT] = {
	[EXIT_GOOD]        = "success",
	[EXIT_FAILED]      = "the worker refused the request, or the request failed",
	[EXIT_USAGE]       = "the command line or the settings are wrong",
	[EXIT_NOT_FOUND]   = "the object that the arguments name does not exist",
	[EXIT_IN_ERROR]    = ("the status stayed ERROR ('watch' or --wait), or the state "
			      "of the shared zone is FAILED or PARKED (an 'owner' "
			      "command)"),
	[EXIT_TIMEOUT]     = "no answer arrived in time, or the object did not become "
			     "ACTIVE in time",
	[EXIT_UNREACHABLE] = "the broker, the database or the worker is not reachable",
};

void cli_answer(struct cli *cli, json_t *json)
{
	json_decref(cli->document);
	cli->document = json;
}

double cli_elapsed(const struct cli *cli)
{
	return (double)(clock_us() - cli->started_us) / 1e6;
}

enum err cli_call(struct cli *cli, const char *method, json_t *args, json_t **result)
{
	json_t *answer;
	enum err err =
		client_call(cli->client, CENTRAL, method, args, &answer, &cli->why);

	if (err)
		return err;
	if (result)
		*result = answer;
	else
		json_decref(answer);
	return OK;
}

enum err cli_fail(struct cli *cli, enum err err, const char *fmt, ...)
{
	char *words;
	va_list args;

	va_start(args, fmt);
	if (vasprintf(&words, fmt, args) < 0)
		words = xstrdup("");
	va_end(args);
	free(cli->reason);
	cli->reason = words;
	return fail(&cli->why, err, "%s", words);
}

enum err cli_usage(struct cli *cli, const char *fmt, ...)
{
	struct why words;	/* the arguments may contain cli->why */
	va_list args;

	va_start(args, fmt);
	vsnprintf(words.text, sizeof words.text, fmt, args);
	va_end(args);
	cli->why = words;
	cli->status = EXIT_USAGE;
	cli->class = "Usage";
	return ERR_ARGUMENTS;
}

/* ---- the values of options ---- */

enum err cli_number(struct cli *cli, enum cli_option option, int64_t min, int64_t max,
                    int64_t *value)
{
	const char *text = cli->option[option];
	char *end;
	long long number;

	if (!text)
		return OK;
	number = strtoll(text, &end, 10);
	if (!*text || *end || number < min || number > max)
		return cli_usage(cli, "--%s: must be a number from %" PRId64 " to %"
		                 PRId64 ", not '%s'",
		                 option_rows[option].name, min, max, text);
	*value = number;
	return OK;
}

enum err cli_seconds(struct cli *cli, enum cli_option option, int64_t max, int64_t *value)
{
	const char *text = cli->option[option];

	if (!text || names_seconds(text, max, value))
		return OK;
	return cli_usage(cli,
	                 "--%s: must be a time like 90, 90s, 1h30m or 2d, at most %"
	                 PRId64 " seconds, not '%s'",
	                 option_rows[option].name, max, text);
}

void cli_put_text(const struct cli *cli, enum cli_option option, json_t *into,
                  const char *key)
{
	if (cli_has(cli, option))
		json_object_set_new(into, key, json_string(cli->option[option]));
}

void cli_put_force(const struct cli *cli, json_t *args)
{
	if (cli_has(cli, OPT_FORCE))
		json_object_set_new(args, "force", json_true());
}

/* A host of an option. A single label is nearly always the start of a longer name. */
static enum err cli_host(struct cli *cli, enum cli_option option, const char *text,
                         json_t **host)
{
	const char *option_name = option_rows[option].name;
	size_t len = strlen(text);
	char *absolute, field[32];
	struct name name;
	struct why why;
	enum err err = OK;

	if (len && !strchr(text, '.'))
		return cli_usage(cli, "--%s: must be a full name, for example "
		                 "%.70s.example.org, not '%.70s' (a single label needs a "
		                 "final dot)", option_name, text, text);
	absolute = xprintf("%s%s", text, len && text[len - 1] != '.' ? "." : "");
	snprintf(field, sizeof field, "--%s", option_name);
	if (len)
		err = name_parse(absolute, field, &name, &why);
	if (err)
		err = cli_usage(cli, "%s", why.text);
	else
		*host = json_string(absolute);
	free(absolute);
	return err;
}

enum err cli_put_host(struct cli *cli, enum cli_option option, json_t *into,
                      const char *key)
{
	json_t *host;
	enum err err;

	if (!cli_has(cli, option))
		return OK;
	err = cli_host(cli, option, cli->option[option], &host);
	if (!err)
		json_object_set_new(into, key, host);
	return err;
}

/* Refuses a key that is already in PAIRS, because one of the values would be lost. */
static enum err cli_put_pair(struct cli *cli, enum cli_option option, json_t *pairs,
                             const char *key, const char *value)
{
	if (json_object_get(pairs, key))
		return cli_usage(cli, "--%s: must contain the key '%.64s' only once",
		                 option_rows[option].name, key);
	json_object_set_new(pairs, key, json_string(value));
	return OK;
}

enum err cli_put_pairs(struct cli *cli, enum cli_option option, json_t *into,
                       const char *key)
{
	json_t *pairs;
	char *list, *rest;
	enum err err = OK;

	if (!cli_has(cli, option))
		return OK;
	list = xstrdup(cli->option[option]);
	pairs = json_object();
	for (char *word = strtok_r(list, ",", &rest); word && !err;
	     word = strtok_r(NULL, ",", &rest)) {
		char *value = strchr(word, '=');

		if (value && value > word) {
			*value++ = '\0';
			err = cli_put_pair(cli, option, pairs, word, value);
		} else {
			err = cli_usage(cli, "--%s: must be KEY=VALUE, or several "
			                "KEY=VALUE separated by commas, not '%.100s'",
			                option_rows[option].name, word);
		}
	}
	json_object_set_new(into, key, pairs);
	free(list);
	return err;
}

enum err cli_put_hosts(struct cli *cli, enum cli_option option, json_t *into,
                       const char *key)
{
	char *list, *rest;
	json_t *hosts, *host;
	enum err err = OK;

	if (!cli_has(cli, option))
		return OK;
	list = xstrdup(cli->option[option]);
	hosts = json_array();
	for (char *word = strtok_r(list, ", ", &rest); word && !err;
	     word = strtok_r(NULL, ", ", &rest)) {
		err = cli_host(cli, option, word, &host);
		if (!err)
			json_array_append_new(hosts, host);
	}
	json_object_set_new(into, key, hosts);
	free(list);
	return err;
}

enum err cli_put_name(struct cli *cli, int argument, json_t *into, const char *key)
{
	struct buf ascii = { 0 };
	struct why why;
	enum err err = idn_to_ascii(cli->argv[argument], "the name", &ascii, &why);

	if (err)
		err = cli_usage(cli, "%s", why.text);
	else
		json_object_set_new(into, key, json_string(buf_string(&ascii)));
	buf_clear(&ascii);
	return err;
}

enum err cli_domain(struct cli *cli, int argument, char text[NAME_MAX_TEXT + 1])
{
	static const char field[] = "the domain: ";
	char word[FIELDS_WORD];

	if (!names_domain(cli->argv[argument], text, &cli->why))
		return OK;
	if (strncmp(cli->why.text, field, strlen(field)) != 0)
		return cli_usage(cli, "%s", cli->why.text);
	return cli_usage(cli, "%s: %s", fields_argument(cli->command, argument, word),
	                 cli->why.text + strlen(field));
}

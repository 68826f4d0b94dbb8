/*
 * main -- the client, zonefleet. Connects the command line, the settings, the broker and
 * the command. Prints the result as one line or one JSON document, and exits with a
 * status for scripts.
 */
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "await.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/secret.h"
#include "base/version.h"
#include "command.h"
#include "fields.h"
#include "help.h"
#include "model/identity.h"
#include "runtime/option_json.h"

#define PROGRAM "zonefleet"
#define DEFAULT_CONFIG "/etc/zonefleet/zonefleet.cfg"

/* ---- settings ---- */

static const char *cli_config_path(const struct cli *cli)
{
	const char *env = getenv("ZONEFLEET_CONFIG");

	if (cli_has(cli, OPT_CONFIG))
		return cli->option[OPT_CONFIG];
	return env && *env ? env : DEFAULT_CONFIG;
}

static enum err cli_load_settings(struct cli *cli, const struct option_schema *schema)
{
	enum err err = option_load(schema, cli->config, &cli->why);

	if (!err)
		err = worker_common_check(&cli->common, &cli->why);
	if (!err)
		return OK;
	/* the settings are wrong, not the request */
	cli->status = EXIT_USAGE;
	cli->class = "Settings";
	return err;
}

static void cli_set_text(char **text, const char *given)
{
	if (!given)
		return;
	free(*text);
	*text = strdup(given);
}

/* The options override the settings. */
static enum err cli_apply_options(struct cli *cli)
{
	struct client_config *settings = &cli->settings;
	int64_t timeout = settings->timeout_s;
	int64_t wait;
	enum err err = cli_seconds(cli, OPT_TIMEOUT, 3600, &timeout);

	if (!err && timeout < 1)
		err = cli_usage(cli, "--timeout: must be at least 1 second, not '%s'",
		                cli->option[OPT_TIMEOUT]);
	if (!err)			/* checked before the command changes anything */
		err = cli_seconds(cli, OPT_WAIT_TIMEOUT, AWAIT_MAX_S, &wait);
	settings->timeout_s = (int)timeout;
	cli_set_text(&settings->tenant, cli->option[OPT_TENANT]);
	settings->admin |= cli_has(cli, OPT_ADMIN);
	settings->all_tenants |= cli_has(cli, OPT_ALL_TENANTS);
	/* an administrator can be without a tenant */
	if (!err && cli_has(cli, OPT_TENANT) && !*settings->tenant && !settings->admin)
		err = cli_usage(cli, "--tenant: must not be empty without --admin");
	if (!err && *settings->tenant &&
	    identity_check(settings->tenant, "the tenant", &cli->why))
		err = cli_usage(cli, "%s", cli->why.text);
	return err;
}

static void cli_open_log(const struct cli *cli)
{
	log_open(PROGRAM, false);
	log_level_set(cli_has(cli, OPT_VERBOSE) ? (enum log_level)cli->common.log_level
	                                        : LOG_LEVEL_ERROR);
}

/* ---- the run ---- */

static void cli_explain(const void *self, const char *method, struct why *why)
{
	fields_show(self, method, why);
}

static enum err cli_run_connected(struct cli *cli)
{
	enum err err = OK;

	if (cli->command->timeout_s && !cli_has(cli, OPT_TIMEOUT))
		cli->settings.timeout_s = cli->command->timeout_s;
	if (cli->command->need == NEED_BROKER)
		err = client_open(&cli->settings, &cli->common.broker, &cli->client,
		                  &cli->why);
	if (cli->client)
		client_explain(cli->client, cli_explain, cli);
	cli->started_us = clock_us();
	if (!err)
		err = cli->command->run(cli);
	client_close(&cli->client);
	return err;
}

static enum err cli_run_with_settings(struct cli *cli, const struct option_schema *schema)
{
	enum err err = cli_load_settings(cli, schema);

	if (!err) {
		secret_hide_process(!cli->common.core_dumps);
		err = cli_apply_options(cli);
	}
	if (!err) {
		cli_open_log(cli);
		err = cli_run_connected(cli);
	}
	option_clear(schema);
	return err;
}

static enum err cli_run_sample(struct cli *cli, const struct option_schema *schema)
{
	if (cli->out.json)
		cli_answer(cli, option_json(schema));
	else
		option_sample(schema);
	return OK;
}

static enum err cli_with_schema(struct cli *cli, enum err (*fn)(
                                struct cli *, const struct option_schema *))
{
	const struct option_section own[] = {
		{ "client", "the command-line client", client_options, &cli->settings },
		{ 0 }
	};
	struct option_section *sections = worker_sections(&cli->common, NULL, own, NULL);
	enum err err = fn(cli, &(struct option_schema){ PROGRAM, sections, NULL });

	free(sections);
	return err;
}

static enum err cli_run(struct cli *cli)
{
	if (cli_has(cli, OPT_HELP))
		return help_words(cli);
	if (cli_has(cli, OPT_VERSION)) {
		printf(PROGRAM " %s\n", version_text);
		return OK;
	}
	if (cli_has(cli, OPT_SAMPLE))
		return cli_with_schema(cli, cli_run_sample);
	if (!cli->command)
		return cli_has(cli, OPT_JSON) ? cli_usage(cli, "--json needs a command")
		                              : help_words(cli);
	if (cli->command->need == NEED_NOTHING)
		return cli->command->run(cli);
	return cli_with_schema(cli, cli_run_with_settings);
}

/* ---- the end ---- */

static enum exit_status cli_exit_status(const struct cli *cli, enum err err)
{
	if (cli->status)
		return cli->status;
	switch (err) {
	case OK:              return EXIT_GOOD;
	case ERR_NOT_FOUND:   return EXIT_NOT_FOUND;
	case ERR_TIMEOUT:     return EXIT_TIMEOUT;
	case ERR_UNREACHABLE: return EXIT_UNREACHABLE;
	default:              return EXIT_FAILED;
	}
}

/* The text already names the exception of another program (ERR_REMOTE). */
static const char *cli_error_class(const struct cli *cli, enum err err)
{
	return cli->class ? cli->class : err_class(err);
}

static const char *cli_reason(const struct cli *cli)
{
	return cli->reason ? cli->reason : cli->why.text;
}

static void cli_report_json(struct cli *cli, enum err err)
{
	json_t *document = json_is_object(cli->document) ? json_incref(cli->document)
	                                                 : json_object();
	struct buf words = { 0 };

	output_end_warnings(&cli->out, document);
	output_escape(cli_reason(cli), &words);
	json_object_set_new(document, "error", json_pack("{s:s, s:s}",
		"class", cli_error_class(cli, err), "message", buf_string(&words)));
	output_json(document);
	buf_clear(&words);
}

static void cli_report_text(const struct cli *cli, enum err err)
{
	struct buf words = { 0 };

	output_escape(cli_reason(cli), &words);
	if (err == ERR_REMOTE && !cli->class)
		fprintf(stderr, PROGRAM ": %s\n", buf_string(&words));
	else
		fprintf(stderr, PROGRAM ": %s: %s\n", cli_error_class(cli, err),
		        buf_string(&words));
	buf_clear(&words);
	if (err == ERR_ARGUMENTS && cli->status == EXIT_USAGE)
		help_hint(cli);
}

/* Adds a hint about the option that may be missing. */
static void cli_add_hint(struct cli *cli, enum err err)
{
	struct why words = cli->why;

	if (err == ERR_DENIED && !cli->settings.admin)
		fail(&cli->why, err, "%s (--admin sends the request as an administrator)",
		     words.text);
}

static void cli_report(struct cli *cli, enum err err)
{
	if (err && cli->out.json) {
		cli_report_json(cli, err);
		return;
	}
	output_end_warnings(&cli->out, cli->document);
	if (err)
		cli_report_text(cli, err);
	else if (cli->document && cli->out.json)
		output_json(json_incref(cli->document));
}

/*
 * If output was lost, the run fails, without a message. Output that the reader does not
 * want is not lost: head ends early, and this is no failure of the command.
 */
static enum exit_status cli_flush(enum exit_status status)
{
	if ((!fflush(stdout) && !ferror(stdout)) || output_is_unwanted())
		return status;
	return status ? status : EXIT_FAILED;
}

/*
 * Text is UTF-8 here and on the wire. If the terminal does not support UTF-8, the output
 * is ASCII.
 */
static void cli_set_locale(void)
{
	setlocale(LC_CTYPE, "");
	if (strcmp(nl_langinfo(CODESET), "UTF-8") != 0)
		setlocale(LC_CTYPE, "C");
}

int main(int argc, char **argv)
{
	struct cli cli = { 0 };
	enum exit_status status;
	enum err err;

	cli_set_locale();
	signal(SIGPIPE, SIG_IGN);
	secret_hide_process(true);
	err = command_parse(&cli, argc, argv);
	cli.out.color = isatty(STDOUT_FILENO) && !getenv("NO_COLOR") &&
	                !cli_has(&cli, OPT_NO_COLOR);
	cli.config = cli_config_path(&cli);
	if (!err)
		err = cli_run(&cli);
	cli_add_hint(&cli, err);
	cli_report(&cli, err);
	status = cli_exit_status(&cli, err);
	json_decref(cli.document);
	command_clear(&cli);
	return cli_flush(status);
}

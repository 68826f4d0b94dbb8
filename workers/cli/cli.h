/*
 * cli -- one run of the client: what was asked for on the command line and in
 * the settings, and what every command needs to do it.
 *
 * A command is a function enum err (struct cli *). Its reason for failing goes
 * into cli->why and is printed once, by main.c, which also turns the error
 * into the exit status. With --json a command leaves one document, which
 * main.c prints; should it fail, "error" stands in it too. What is alive
 * while a command runs (progress.h) goes to standard error.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "client.h"
#include "model/name.h"
#include "options.h"
#include "output.h"
#include "runtime/worker.h"

enum exit_status {
	EXIT_GOOD,
	EXIT_FAILED,		/* the request was refused, or failed */
	EXIT_USAGE,		/* the command line or the settings are wrong */
	EXIT_NOT_FOUND,
	EXIT_IN_ERROR,		/* --wait: it ended in ERROR */
	EXIT_TIMEOUT,
	EXIT_UNREACHABLE,	/* the broker, or whoever should answer */
	EXIT_COUNT
};

struct cli {
	/* asked for */
	const struct command *command;
	const char *option[OPT_COUNT];	/* NULL: not given; "" if it takes no value */
	int argc;
	char **argv;			/* the arguments behind the command's words */
	/* set up by main.c */
	const char *config;		/* path of the settings */
	struct worker_common common;	/* the groups broker, database, log */
	struct client_config settings;	/* the group client, and the options over it */
	struct output out;
	struct client *client;		/* for commands that NEED_BROKER */
	int64_t started_us;
	/* how it ended */
	json_t *document;		/* for --json */
	struct why why;
	enum exit_status status;	/* EXIT_GOOD: as the error says */
	const char *class;		/* for --json; NULL: as the error says */
};

static inline bool cli_has(const struct cli *cli, enum cli_option option)
{
	return cli->option[option] != NULL;
}

/* JSON is the answer, for --json; takes it over. */
void cli_answer(struct cli *cli, json_t *json);
double cli_elapsed(const struct cli *cli);	/* seconds since it had a broker */

/* A call to central; takes ARGS over. *result is the caller's; NULL drops it. */
enum err cli_call(struct cli *cli, const char *method, json_t *args, json_t **result);

/* Wrong use of the command line: the exit status says so, and a hint is added. */
enum err cli_usage(struct cli *cli, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* An option's value as a number or a time ("1h"), into *value if it was given. */
enum err cli_number(struct cli *cli, enum cli_option option, int64_t min, int64_t max,
                    int64_t *value);
enum err cli_seconds(struct cli *cli, enum cli_option option, int64_t max,
                     int64_t *value);
/* The option's text as JSON's KEY of INTO, if it was given. */
void cli_put_text(const struct cli *cli, enum cli_option option, json_t *into,
                  const char *key);
/* The option as a host name with its final dot, likewise. */
void cli_put_host(const struct cli *cli, enum cli_option option, json_t *into,
                  const char *key);
/* The option's comma-separated host names, each with its final dot, likewise. */
void cli_put_hosts(const struct cli *cli, enum cli_option option, json_t *into,
                   const char *key);

/* The argument as central takes a domain (names.h), into the text. */
enum err cli_domain(struct cli *cli, int argument, char text[NAME_MAX_TEXT + 1]);

#include <ctype.h>
#include <openssl/sha.h>
#include <stdio.h>
#include <string.h>

#include "base/hex.h"
#include "base/id.h"
#include "handlers.h"
#include "input.h"
#include "names.h"
#include "pages.h"

enum {
	KEY_OCTETS = 16, KEY_LEN = 2 * KEY_OCTETS,	/* of a new key */
	KEY_READ_MAX = 200,	/* longer than any key: central checks the length */
	EXPIRES_MAX_S = 90 * 86400,
};

static const struct column list_columns[] = {
	{ "ID",          COLUMN_LEFT },
	{ "DOMAIN",      COLUMN_LEFT },
	{ "STATE",       COLUMN_LEFT },
	{ "TENANT",      COLUMN_LEFT },
	{ "TARGET",      COLUMN_LEFT },
	{ "ACCEPTED BY", COLUMN_LEFT },
	{ "EXPIRES",     COLUMN_LEFT },
	{ 0 }
};

static const struct field fields[] = {
	{ "id",            "id" },
	{ "domain",        "domain" },
	{ "state",         "state" },
	{ "tenant",        "tenant" },
	{ "target_tenant", "target" },
	{ "accepted_by",   "accepted by" },
	{ "description",   "description" },
	{ "created_at",    "created" },
	{ "expires_at",    "expires" },
	{ "key",           "key" },
	{ 0 }
};

static void transfer_row(struct table *table, const json_t *transfer)
{
	const char *target = answer_text(transfer, "target_tenant");
	const char *accepted = answer_text(transfer, "accepted_by");

	table_text(table, answer_text(transfer, "id"));
	table_text(table, answer_text(transfer, "domain"));
	table_text(table, answer_text(transfer, "state"));
	table_text(table, answer_text(transfer, "tenant"));
	table_text(table, *target ? target : "-");
	table_text(table, *accepted ? accepted : "-");
	table_text(table, answer_text(transfer, "expires_at"));
}

enum err transfer_list(struct cli *cli)
{
	const struct listing listing = {
		"find_transfers", "transfers", list_columns, transfer_row,
		.noun = "transfer request",
	};

	return pages_list(cli, &listing, json_object());
}

/* Calls METHOD with ARGS (taken over) and prints the request in the answer. */
static enum err transfer_call(struct cli *cli, const char *method, json_t *args)
{
	json_t *transfer;
	enum err err = cli_call(cli, method, args, &transfer);

	if (err)
		return err;
	cli_answer(cli, transfer);
	if (!cli->out.json && !cli->out.quiet)
		output_fields(&cli->out, transfer, fields);
	return OK;
}

static json_t *transfer_args(const struct cli *cli)
{
	return json_pack("{s:s}", "transfer", cli->argv[0]);
}

enum err transfer_show(struct cli *cli)
{
	return transfer_call(cli, "get_transfer", transfer_args(cli));
}

enum err transfer_withdraw(struct cli *cli)
{
	return transfer_call(cli, "withdraw_transfer", transfer_args(cli));
}

/* ---- create, set ---- */

static void transfer_put_key(const char *key, json_t *into)
{
	uint8_t digest[SHA256_DIGEST_LENGTH];
	char hash[2 * sizeof digest + 1];

	SHA256((const uint8_t *)key, strlen(key), digest);
	hex_encode(digest, sizeof digest, hash);
	json_object_set_new(into, "key_hash", json_string(hash));
}

static void transfer_put_values(const struct cli *cli, json_t *into)
{
	cli_put_text(cli, OPT_TARGET_TENANT, into, "target_tenant");
	cli_put_text(cli, OPT_DESCRIPTION, into, "description");
}

static enum err transfer_put_expiry(struct cli *cli, json_t *into)
{
	int64_t seconds;
	enum err err = OK;

	if (!cli_has(cli, OPT_EXPIRES_IN))
		return OK;
	err = cli_seconds(cli, OPT_EXPIRES_IN, EXPIRES_MAX_S, &seconds);
	if (!err)
		json_object_set_new(into, "expires_in", json_integer(seconds));
	return err;
}

/* After an error without an answer, the key of a request is lost. REQUEST: taken over. */
static enum err transfer_send(struct cli *cli, json_t *request, const char *key)
{
	struct why why;
	json_t *transfer;
	enum err err = cli_call(cli, "create_transfer",
	                        json_pack("{s:o}", "transfer", request), &transfer);

	if (err == ERR_TIMEOUT || err == ERR_UNREACHABLE) {
		why = cli->why;
		return fail(&cli->why, err, "%.300s: central possibly made the request: "
		            "see 'transfer list', and withdraw the request", why.text);
	}
	if (err)
		return err;
	json_object_set_new(transfer, "key", json_string(key));
	cli_answer(cli, transfer);
	if (!cli->out.json)
		output_fields(&cli->out, transfer, fields);
	return OK;
}

/*
 * create_transfer sends only the hash. So central cannot show the key, and only this
 * command prints it.
 */
enum err transfer_create(struct cli *cli)
{
	char name[NAME_MAX_TEXT + 1], key[KEY_LEN + 1];
	uint8_t octets[KEY_OCTETS];
	json_t *request;
	enum err err = cli_domain(cli, 0, name);

	if (err)
		return err;
	random_fill(octets, sizeof octets);
	hex_encode(octets, sizeof octets, key);
	request = json_pack("{s:s}", "domain", name);
	transfer_put_key(key, request);
	transfer_put_values(cli, request);
	err = transfer_put_expiry(cli, request);
	if (err) {
		json_decref(request);
		return err;
	}
	return transfer_send(cli, request, key);
}

enum err transfer_set(struct cli *cli)
{
	json_t *values = json_object();

	transfer_put_values(cli, values);
	if (!json_object_size(values)) {
		json_decref(values);
		return cli_usage(cli, "transfer set needs at least one of "
		                 "--target-tenant and --description");
	}
	return transfer_call(cli, "update_transfer",
	                     json_pack("{s:s, s:o}", "transfer", cli->argv[0], "values",
	                               values));
}

/* ---- accept ---- */

/*
 * Reads the key from the file PATH ("-": standard input). Removes white space at the end
 * of the key.
 */
static enum err transfer_read_key(struct cli *cli, const char *path,
                                  char key[KEY_READ_MAX + 1])
{
	struct input input;
	size_t len;
	enum err err = input_open(&input, path, &cli->why);

	if (err)
		return err;
	len = fread(key, 1, KEY_READ_MAX, input.file);
	while (len && isspace((unsigned char)key[len - 1]))
		len--;
	key[len] = '\0';
	return input_close(&input, &cli->why);
}

enum err transfer_accept(struct cli *cli)
{
	char key[KEY_READ_MAX + 1];
	enum err err = OK;
	json_t *args;

	if (!!cli_has(cli, OPT_KEY_FILE) == (cli->argc > 1))
		return cli_usage(cli, "give either KEY or --key-file");
	if (cli->argc > 1)
		snprintf(key, sizeof key, "%s", cli->argv[1]);
	else
		err = transfer_read_key(cli, cli->option[OPT_KEY_FILE], key);
	if (err)
		return err;
	args = transfer_args(cli);
	if (args && json_object_set_new(args, "key", json_string(key))) {
		json_decref(args);
		return cli_usage(cli, "KEY: must be text in UTF-8");
	}
	return transfer_call(cli, "accept_transfer", args);
}

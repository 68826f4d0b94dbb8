#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "handlers.h"
#include "input.h"
#include "names.h"
#include "pages.h"

enum { SECRET_MAX = 1000 };	/* longer than any secret: central checks the length */

static const struct column list_columns[] = {
	{ "NAME",      COLUMN_LEFT },
	{ "ALGORITHM", COLUMN_LEFT },
	{ "DOMAIN",    COLUMN_LEFT },
	{ "UPDATED",   COLUMN_LEFT },
	{ 0 }
};

static const struct field fields[] = {
	{ "id",         "id" },
	{ "name",       "name" },
	{ "algorithm",  "algorithm" },
	{ "domain",     "domain" },
	{ "secret",     "secret" },
	{ "created_at", "created" },
	{ "updated_at", "updated" },
	{ 0 }
};

static void tsigkey_row(struct table *table, const json_t *key)
{
	const char *domain = answer_text(key, "domain");

	table_text(table, answer_text(key, "name"));
	table_text(table, answer_text(key, "algorithm"));
	table_text(table, *domain ? domain : "-");
	table_text(table, answer_text(key, "updated_at"));
}

enum err tsigkey_list(struct cli *cli)
{
	const struct listing listing = {
		"find_tsigkeys", "tsigkeys", list_columns, tsigkey_row,
		.noun = "TSIG key",
	};

	return pages_list(cli, &listing, json_object());
}

/* ---- values from options ---- */

/* Reads up to SECRET_MAX octets of the file, without white space at the end. */
static enum err secret_read(struct cli *cli, char secret[SECRET_MAX + 1], size_t *len)
{
	struct input input;
	enum err err = input_open(&input, cli->option[OPT_SECRET_FILE], &cli->why);

	if (err)
		return err;
	*len = fread(secret, 1, SECRET_MAX, input.file);
	while (*len && isspace((unsigned char)secret[*len - 1]))
		--*len;
	secret[*len] = '\0';
	return input_close(&input, &cli->why);
}

/* jansson leaves out a text that is not UTF-8. Central would then make a secret. */
static enum err secret_put(struct cli *cli, json_t *into)
{
	char secret[SECRET_MAX + 1] = "";
	size_t len;
	enum err err = secret_read(cli, secret, &len);

	if (!err && (strlen(secret) != len ||
	             json_object_set_new(into, "secret", json_string(secret))))
		err = fail(&cli->why, ERR_INVALID,
		           "%.300s: must contain a secret in base64",
		           cli->option[OPT_SECRET_FILE]);
	explicit_bzero(secret, sizeof secret);
	return err;
}

static enum err tsigkey_put_values(struct cli *cli, json_t *into)
{
	cli_put_text(cli, OPT_ALGORITHM, into, "algorithm");
	return cli_has(cli, OPT_SECRET_FILE) ? secret_put(cli, into) : OK;
}

static enum err tsigkey_put_domain(struct cli *cli, json_t *into)
{
	char domain[NAME_MAX_TEXT + 1];

	if (!cli_has(cli, OPT_DOMAIN))
		return OK;
	if (names_domain(cli->option[OPT_DOMAIN], domain, &cli->why))
		return cli_usage(cli, "%s", cli->why.text);
	json_object_set_new(into, "domain", json_string(domain));
	return OK;
}

/* ---- create, rotate, delete ---- */

/* Calls METHOD with ARGS (taken over), unless ERR says that ARGS is incomplete. */
static enum err tsigkey_call(struct cli *cli, enum err err, const char *method,
                             json_t *args)
{
	json_t *key;

	if (err) {
		json_decref(args);
		return err;
	}
	err = cli_call(cli, method, args, &key);
	if (!err)
		cli_answer(cli, key);
	return err;
}

enum err tsigkey_create(struct cli *cli)
{
	char name[NAME_MAX_TEXT + 1];
	json_t *wish;
	enum err err = cli_domain(cli, 0, name);

	if (err)
		return err;
	wish = json_pack("{s:s}", "name", name);
	err = tsigkey_put_domain(cli, wish);
	if (!err)
		err = tsigkey_put_values(cli, wish);
	err = tsigkey_call(cli, err, "create_tsigkey",
	                   json_pack("{s:o}", "tsigkey", wish));
	if (!err && !cli->out.json && !cli->out.quiet)
		printf("created %s: %s, id %s\n", name,
		       answer_text(cli->document, "algorithm"),
		       answer_text(cli->document, "id"));
	return err;
}

enum err tsigkey_rotate(struct cli *cli)
{
	char name[NAME_MAX_TEXT + 1];
	json_t *values;
	enum err err = cli_domain(cli, 0, name);

	if (err)
		return err;
	values = json_pack("{s:b}", "new_secret", !cli_has(cli, OPT_SECRET_FILE));
	err = tsigkey_put_values(cli, values);
	err = tsigkey_call(cli, err, "update_tsigkey",
	                   json_pack("{s:s, s:o}", "tsigkey", name, "values", values));
	if (!err && !cli->out.json && !cli->out.quiet)
		printf("%s has a new secret\n", name);
	return err;
}

enum err tsigkey_delete(struct cli *cli)
{
	char name[NAME_MAX_TEXT + 1];
	enum err err = cli_domain(cli, 0, name);

	if (!err)
		err = cli_call(cli, "delete_tsigkey", json_pack("{s:s}", "tsigkey", name),
		               NULL);
	if (err)
		return err;
	if (!cli->out.json && !cli->out.quiet)
		printf("deleted %s\n", name);
	cli_answer(cli, json_pack("{s:s}", "name", name));
	return OK;
}

/* ---- show ---- */

struct key {
	const char *name, *algorithm, *secret;
};

static void format_bind(const struct key *key, struct buf *to)
{
	buf_printf(to, "key \"%s\" {\n\talgorithm %s;\n\tsecret \"%s\";\n};\n",
	           key->name, key->algorithm, key->secret);
}

static void format_knot(const struct key *key, struct buf *to)
{
	buf_printf(to, "key:\n  - id: %s\n    algorithm: %s\n    secret: %s\n",
	           key->name, key->algorithm, key->secret);
}

static void format_nsd(const struct key *key, struct buf *to)
{
	buf_printf(to, "key:\n\tname: \"%s\"\n\talgorithm: %s\n\tsecret: \"%s\"\n",
	           key->name, key->algorithm, key->secret);
}

/* Makes the body for PowerDNS' HTTP API. With the API the key is not visible in `ps`. */
static void format_powerdns(const struct key *key, struct buf *to)
{
	buf_printf(to, "{\"name\": \"%s\", \"algorithm\": \"%s\", \"key\": \"%s\"}\n",
	           key->name, key->algorithm, key->secret);
}

static const struct format {
	const char *server;
	void (*put)(const struct key *key, struct buf *to);
} formats[] = {
	{ "bind",     format_bind     },
	{ "knot",     format_knot     },
	{ "nsd",      format_nsd      },
	{ "powerdns", format_powerdns },
	{ 0 }
};

static enum err format_find(struct cli *cli, const struct format **format)
{
	*format = NULL;
	if (!cli_has(cli, OPT_FORMAT))
		return OK;
	for (*format = formats; (*format)->server; ++*format)
		if (!strcmp((*format)->server, cli->option[OPT_FORMAT]))
			return OK;
	return cli_usage(cli, "--format: must be bind, knot, nsd or powerdns, not '%s'",
	                 cli->option[OPT_FORMAT]);
}

/*
 * True: only characters without a special meaning to the servers, the shell or a
 * terminal.
 */
static bool key_is_plain(const char *text)
{
	return *text && !text[strspn(text, "abcdefghijklmnopqrstuvwxyz"
	                                   "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	                                   "0123456789+/=._-")];
}

static enum err format_put(struct cli *cli, const struct format *format, json_t *json)
{
	const struct key key = {
		.name = answer_text(json, "name"),
		.algorithm = answer_text(json, "algorithm"),
		.secret = answer_text(json, "secret"),
	};
	struct buf clause = { 0 };

	if (!key_is_plain(key.name) || !key_is_plain(key.algorithm) ||
	    !key_is_plain(key.secret))
		return fail(&cli->why, ERR_REMOTE,
		            "the answer from central does not contain a valid TSIG key");
	format->put(&key, &clause);
	json_object_set_new(json, "clause", json_string(buf_string(&clause)));
	buf_clear(&clause);
	return OK;
}

/*
 * Prints the key in the form of --secret and --format. The answer always has the secret.
 */
static enum err tsigkey_print(struct cli *cli, const struct format *format, json_t *key)
{
	enum err err = format ? format_put(cli, format, key) : OK;

	if (!cli_has(cli, OPT_SECRET))
		json_object_del(key, "secret");
	cli_answer(cli, key);
	if (err || cli->out.json)
		return err;
	if (format)
		fputs(answer_text(key, "clause"), stdout);
	else
		output_fields(&cli->out, key, fields);
	return OK;
}

enum err tsigkey_show(struct cli *cli)
{
	char name[NAME_MAX_TEXT + 1];
	const struct format *format;
	json_t *key;
	enum err err = cli_domain(cli, 0, name);

	if (!err)
		err = format_find(cli, &format);
	if (!err)
		err = cli_call(cli, "get_tsigkey", json_pack("{s:s}", "tsigkey", name),
		               &key);
	return err ? err : tsigkey_print(cli, format, key);
}

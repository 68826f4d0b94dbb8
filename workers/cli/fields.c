#include "fields.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "command.h"

enum { PATH_MAX_LEN = 128 };

/*
 * Fields with other names than the options and arguments that set them. A field without a
 * row has the name of its option ("dns_name": --dns-name) or of its argument ("cidr":
 * CIDR). "": the user has typed no word for the field.
 */
static const struct {
	const char *field, *word;
} others[] = {
	{ "address",         "ADDRESS" },
	{ "addresses",       "ADDRESS" },
	{ "catalog_zone",    "--catalog" },
	{ "changes",         "" },
	{ "dns_domain",      "DOMAIN" },
	{ "fixed_ips",       "ADDRESS" },
	{ "hard_limit",      "LIMIT" },
	{ "ip_address",      "ADDRESS" },
	{ "labels",          "--label" },
	{ "mac_address",     "--mac" },
	{ "name",            "NAMESPACE/NAME" },
	{ "name",            "PATTERN" },
	{ "namespace",       "NAMESPACE/NAME" },
	{ "network_id",      "NETWORK" },
	{ "ns_records",      "--ns" },
	{ "records",         "DATA" },
	{ "route_name",      "ROUTE" },
	{ "route_namespace", "ROUTE" },
	{ "secret",          "--secret-file" },
	{ "sort_key",        "--sort" },
	{ "targets",         "TARGET" },
	{ "to",              "TO_STORAGE_ID" },
	{ "tsigkey",         "NAME" },
};

/* ---- the words of a command ---- */

/* Copies the next word of the arguments; false: there is none. */
static bool fields_next_argument(const char **at, char word[FIELDS_WORD])
{
	size_t len;

	*at += strspn(*at, " [].");
	len = strcspn(*at, " [].");
	snprintf(word, FIELDS_WORD, "%.*s", (int)len, *at);
	*at += len;
	return len;
}

const char *fields_argument(const struct command *command, int argument,
                            char word[FIELDS_WORD])
{
	const char *at = command->arguments;

	for (int i = 0; i <= argument; i++)
		if (!fields_next_argument(&at, word))
			break;
	return word;
}

static bool fields_has_argument(const struct cli *cli, const char *word)
{
	const char *at = cli->command->arguments;
	char argument[FIELDS_WORD];

	while (fields_next_argument(&at, argument))
		if (!strcmp(argument, word))
			return true;
	return false;
}

/* Common options are in no field: --tenant is in the context of a call. */
static bool fields_has_option(const struct cli *cli, const char *name, bool is_given)
{
	for (int i = OPT_COMMON_COUNT; i < OPT_COUNT; i++)
		if (!strcmp(option_rows[i].name, name))
			return (cli->command->options & OPT_BIT(i)) &&
			       (!is_given || cli_has(cli, i));
	return false;
}

/* ---- one field ---- */

static bool fields_find_other(const struct cli *cli, const char *field,
                              char word[FIELDS_WORD])
{
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		const char *other = others[i].word;

		if (strcmp(others[i].field, field))
			continue;
		if (!*other ? !fields_has_argument(cli, "FILE")
		    : *other == '-' ? fields_has_option(cli, other + 2, false)
		                    : fields_has_argument(cli, other)) {
			snprintf(word, FIELDS_WORD, "%s", other);
			return true;
		}
	}
	return false;
}

/* An option that the user has given has precedence over arguments and other options. */
static bool fields_find_same(const struct cli *cli, const char *field,
                             char word[FIELDS_WORD])
{
	char option[FIELDS_WORD - 2], argument[FIELDS_WORD - 2];
	size_t i = 0;
	bool is_given, is_argument;

	for (; field[i] && i + 1 < sizeof(option); i++) {
		option[i] = field[i] == '_' ? '-' : field[i];
		argument[i] = (char)toupper((unsigned char)field[i]);
	}
	option[i] = argument[i] = '\0';
	is_given = fields_has_option(cli, option, true);
	is_argument = fields_has_argument(cli, argument);
	if (!is_argument && !fields_has_option(cli, option, false))
		return false;
	if (is_argument && !is_given)
		snprintf(word, FIELDS_WORD, "%s", argument);
	else
		snprintf(word, FIELDS_WORD, "--%s", option);
	return true;
}

/* The last field of the path that has a word: "pool.name" is POOL in 'pool create'. */
static bool fields_find(const struct cli *cli, char *path, char word[FIELDS_WORD])
{
	for (char *dot = path; dot;) {
		char *field;

		dot = strrchr(path, '.');
		field = dot ? dot + 1 : path;
		field[strcspn(field, "[")] = '\0';
		if (fields_find_other(cli, field, word) ||
		    fields_find_same(cli, field, word))
			return true;
		if (dot)
			*dot = '\0';
	}
	return false;
}

/* A command has only one change, whose records are its values. */
static bool fields_find_value(const struct cli *cli, const char *path,
                              char word[FIELDS_WORD])
{
	unsigned index;

	if (!fields_has_argument(cli, "DATA") ||
	    sscanf(path, "changes[0].records[%9u]", &index) != 1)
		return false;
	snprintf(word, FIELDS_WORD, "value %u", index + 1);
	return true;
}

static void fields_show_path(const struct cli *cli, struct why *why)
{
	const struct why before = *why;
	size_t len = err_field_len(before.text);
	char path[PATH_MAX_LEN], word[FIELDS_WORD];

	if (!len || len >= sizeof(path))
		return;
	memcpy(path, before.text, len);
	path[len] = '\0';
	if (!fields_find_value(cli, path, word) && !fields_find(cli, path, word))
		return;
	snprintf(why->text, sizeof(why->text), "%s%s", word,
	         before.text + len + (*word ? 0 : strlen(": ")));
}

static void fields_show_method(const struct cli *cli, const char *method, struct why *why)
{
	const struct why before = *why;
	const char *at = strstr(before.text, method);

	if (at)
		snprintf(why->text, sizeof(why->text), "%.*s'%s'%s",
		         (int)(at - before.text), before.text, cli->command->words,
		         at + strlen(method));
}

/*
 * A reason shows a full name with a final dot. The user may have typed the name without
 * it, and looks for this word.
 */
static void fields_show_missing(const struct cli *cli, struct why *why)
{
	static const char words[] = "there is no ";
	const struct why before = *why;
	const char *name = strncmp(before.text, words, strlen(words))
	                       ? NULL : strchr(before.text, '\'');

	for (int i = 0; name && i < cli->argc; i++) {
		size_t len = strlen(cli->argv[i]);

		if (strncasecmp(name + 1, cli->argv[i], len) ||
		    strncmp(name + 1 + len, ".'", 2))
			continue;
		snprintf(why->text, sizeof(why->text), "%.*s%s%s",
		         (int)(name + 1 - before.text), before.text, cli->argv[i],
		         name + 1 + len + strlen("."));
		return;
	}
}

void fields_show(const struct cli *cli, const char *method, struct why *why)
{
	fields_show_path(cli, why);
	fields_show_method(cli, method, why);
	fields_show_missing(cli, why);
}

#include "core/keyring.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { LINE_MAX_TEXT = NAME_MAX_TEXT + 512 };

/* ---- find ---- */

static int compare_names(const struct name *a, const struct name *b)
{
	int order = memcmp(a->wire, b->wire, a->len < b->len ? a->len : b->len);

	return order ? order : a->len - b->len;
}

static int compare_keys(const void *a, const void *b)
{
	const struct known_key *x = a, *y = b;

	return compare_names(&x->key.name, &y->key.name);
}

static int compare_to_key(const void *name, const void *known)
{
	return compare_names(name, &((const struct known_key *)known)->key.name);
}

const struct known_key *keyring_find(const struct keyring *keyring,
                                     const struct name *name)
{
	if (!keyring->count)
		return NULL;
	return bsearch(name, keyring->keys, keyring->count, sizeof(*keyring->keys),
	               compare_to_key);
}

/* ---- set ---- */

void keyring_clear(struct keyring *keyring)
{
	if (keyring->keys)
		explicit_bzero(keyring->keys, keyring->count * sizeof(*keyring->keys));
	free(keyring->keys);
	*keyring = (struct keyring){ .keys = NULL };
}

void keyring_set(struct keyring *keyring, struct known_key **keys, size_t count)
{
	keyring_clear(keyring);
	keyring->keys = *keys;
	keyring->count = count;
	*keys = NULL;
	if (count)
		qsort(keyring->keys, count, sizeof(*keyring->keys), compare_keys);
}

/* ---- parse ---- */

static bool is_end(char c)
{
	return !c || c == '\n' || c == ';';
}

/* The next line without what surrounds it; "" at the end. */
static enum err next_line(const char **text, char line[LINE_MAX_TEXT + 1],
                          struct why *why)
{
	size_t len = 0;

	*text += strspn(*text, " \t\r\n;");
	while (!is_end((*text)[len]))
		len++;
	if (len > LINE_MAX_TEXT)
		return fail(why, ERR_INVALID,
		            "minidns.tsig_keys: a line is longer than %d octets", LINE_MAX_TEXT);
	memcpy(line, *text, len);
	line[len] = '\0';
	*text += len;
	return OK;
}

static enum err parse_line(char *line, struct tsig_key *key, struct why *why)
{
	char *rest, *name = strtok_r(line, " \t\r", &rest);
	char *algorithm = strtok_r(NULL, " \t\r", &rest);
	char *secret = strtok_r(NULL, " \t\r", &rest);
	struct why detail;

	if (!secret || strtok_r(NULL, " \t\r", &rest))
		return fail(why, ERR_INVALID, "minidns.tsig_keys: a key is NAME ALGORITHM SECRET "
		            "(key.example. hmac-sha256 c2VjcmV0...)");
	if (tsig_key_parse(name, algorithm, secret, key, &detail))
		return fail(why, ERR_INVALID, "minidns.tsig_keys: %.200s", detail.text);
	return OK;
}

enum err keyring_parse(struct keyring *keyring, const char *text, struct why *why)
{
	struct keyring new = { .keys = NULL };
	struct known_key *keys = NULL;
	char line[LINE_MAX_TEXT + 1];
	size_t count = 0;
	enum err err = OK;

	for (text = text ? text : ""; !err; ) {
		err = next_line(&text, line, why);
		if (err || !*line)
			break;
		keys = xrealloc(keys, (count + 1) * sizeof(*keys));
		keys[count] = (struct known_key){ .domain = "" };
		err = parse_line(line, &keys[count++].key, why);
	}
	explicit_bzero(line, sizeof(line));
	keyring_set(&new, &keys, count);
	if (err) {
		keyring_clear(&new);
		return err;
	}
	keyring_clear(keyring);
	*keyring = new;
	return OK;
}

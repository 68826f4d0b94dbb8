#include "core/keyring.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/secret.h"

enum { LINE_MAX_TEXT = NAME_MAX_TEXT + 512 };

/* ---- find ---- */

static int keyring_compare_names(const struct name *a, const struct name *b)
{
	int order = memcmp(a->wire, b->wire, a->len < b->len ? a->len : b->len);

	return order ? order : a->len - b->len;
}

static int keyring_compare_keys(const void *a, const void *b)
{
	const struct known_key *x = a, *y = b;

	return keyring_compare_names(&x->key.name, &y->key.name);
}

static int keyring_compare_to_key(const void *name, const void *known)
{
	return keyring_compare_names(name, &((const struct known_key *)known)->key.name);
}

const struct known_key *keyring_find(const struct keyring *keyring,
                                     const struct name *name)
{
	if (!keyring->count)
		return NULL;
	return bsearch(name, keyring->keys, keyring->count, sizeof(*keyring->keys),
	               keyring_compare_to_key);
}

/* ---- set ---- */

void keyring_clear(struct keyring *keyring)
{
	secret_free(keyring->keys);
	*keyring = (struct keyring){ .keys = NULL };
}

/* realloc() is not used, because it would leave the secrets in the old memory. */
static void keyring_grow(struct keyring *keyring)
{
	size_t size = keyring->size ? 2 * keyring->size : 16;
	struct known_key *keys = secret_alloc(size * sizeof(*keys));

	if (keyring->count)
		memcpy(keys, keyring->keys, keyring->count * sizeof(*keys));
	secret_free(keyring->keys);
	keyring->keys = keys;
	keyring->size = size;
}

void keyring_add(struct keyring *keyring, const struct known_key *known)
{
	if (keyring->count == keyring->size)
		keyring_grow(keyring);
	keyring->keys[keyring->count++] = *known;
}

void keyring_sort(struct keyring *keyring)
{
	if (keyring->count)
		qsort(keyring->keys, keyring->count, sizeof(*keyring->keys),
		      keyring_compare_keys);
}

void keyring_replace(struct keyring *keyring, struct keyring *with)
{
	keyring_clear(keyring);
	*keyring = *with;
	*with = (struct keyring){ .keys = NULL };
}

/* ---- parse ---- */

static bool keyring_is_end(char c)
{
	return !c || c == '\n' || c == ';';
}

/* Reads the next line without surrounding blanks; "" at the end. */
static enum err keyring_next_line(const char **text, char line[LINE_MAX_TEXT + 1],
                                  struct why *why)
{
	size_t len = 0;

	*text += strspn(*text, " \t\r\n;");
	while (!keyring_is_end((*text)[len]))
		len++;
	if (len > LINE_MAX_TEXT)
		return fail(why, ERR_INVALID, "minidns.tsig_keys: a line must have at "
		            "most %d octets, not %zu", LINE_MAX_TEXT, len);
	memcpy(line, *text, len);
	line[len] = '\0';
	*text += len;
	return OK;
}

static enum err keyring_parse_line(char *line, struct tsig_key *key, struct why *why)
{
	char *rest, *name = strtok_r(line, " \t\r", &rest);
	char *algorithm = strtok_r(NULL, " \t\r", &rest);
	char *secret = strtok_r(NULL, " \t\r", &rest);
	struct why detail;

	if (!secret || strtok_r(NULL, " \t\r", &rest))
		return fail(why, ERR_INVALID, "minidns.tsig_keys: a line must be "
		            "NAME ALGORITHM SECRET "
		            "(key.example. hmac-sha256 c2VjcmV0...)");
	if (tsig_key_parse(name, algorithm, secret, key, &detail))
		return fail(why, ERR_INVALID, "minidns.tsig_keys: %.200s", detail.text);
	return OK;
}

enum err keyring_parse(struct keyring *keyring, const char *text, struct why *why)
{
	struct keyring new = { .keys = NULL };
	struct known_key known = { .domain = "" };
	char line[LINE_MAX_TEXT + 1];
	enum err err = OK;

	for (text = text ? text : ""; !err; ) {
		err = keyring_next_line(&text, line, why);
		if (err || !*line)
			break;
		err = keyring_parse_line(line, &known.key, why);
		if (!err)
			keyring_add(&new, &known);
	}
	explicit_bzero(line, sizeof(line));
	explicit_bzero(&known, sizeof(known));
	if (err) {
		keyring_clear(&new);
		return err;
	}
	keyring_sort(&new);
	keyring_replace(keyring, &new);
	return OK;
}

#include "backends/bind9_primaries.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"

enum { WORD_SIZE = 1024 };

/* BIND 9.16 prints the word that addzone had: `masters` in commands of older programs. */
static const char *bind9_primaries_find(const char *shown)
{
	static const char *const heads[] = { " primaries {", " masters {" };

	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		const char *at = strstr(shown, heads[i]);

		if (at)
			return at + strlen(heads[i]);
	}
	return NULL;
}

/* An address in its shortest form, or the name of a key in lower case without a dot. */
static void bind9_primaries_put_word(char word[WORD_SIZE], struct buf *to)
{
	unsigned char octets[16];
	char address[INET6_ADDRSTRLEN];
	size_t len = strlen(word);

	if (inet_pton(AF_INET6, word, octets) == 1) {
		inet_ntop(AF_INET6, octets, address, sizeof(address));
		buf_text(to, address);
	} else {
		if (len > 1 && word[len - 1] == '.')
			word[--len] = '\0';
		for (size_t i = 0; i < len; i++)
			buf_u8(to, (uint8_t)tolower((unsigned char)word[i]));
	}
	buf_u8(to, ' ');
}

/* Writes the LEN octets of TEXT in the form that is equal for equal primaries. */
static void bind9_primaries_put(const char *text, size_t len, struct buf *to)
{
	char word[WORD_SIZE];
	size_t used = 0;

	for (size_t i = 0; i <= len; i++) {
		char c = i < len ? text[i] : ' ';

		if (!strchr(" \t;\"", c) && used < WORD_SIZE - 1) {
			word[used++] = c;
			continue;
		}
		word[used] = '\0';
		if (used)
			bind9_primaries_put_word(word, to);
		used = 0;
		if (c == ';')
			buf_text(to, "; ");
	}
}

enum bind9_primaries bind9_primaries_compare(const char *shown, const char *wanted)
{
	const char *list = bind9_primaries_find(shown);
	size_t len = list ? strcspn(list, "}") : 0;
	struct buf has = { 0 }, want = { 0 };

	if (!list)
		return BIND9_PRIMARIES_DIFFER;
	if (!list[len])
		return BIND9_PRIMARIES_CUT;
	bind9_primaries_put(list, len, &has);
	bind9_primaries_put(wanted, strlen(wanted), &want);
	bool same = !strcmp(buf_string(&has), buf_string(&want));
	buf_clear(&has);
	buf_clear(&want);
	return same ? BIND9_PRIMARIES_SAME : BIND9_PRIMARIES_DIFFER;
}

#include "core/mark.h"

#include <string.h>

#include "core/mark_seal.h"

#define HERITAGE "heritage"
#define PROGRAM "external-dns"
#define PREFIX PROGRAM "/"

enum { STRING_MAX = 255 };		/* octets of a character-string (RFC 1035 3.3) */

static bool mark_is_word(const char *text, size_t max)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	                              "abcdefghijklmnopqrstuvwxyz0123456789._:/@-";
	size_t len = strspn(text, letters);

	return len && len <= max && !text[len];
}

bool mark_owner_is_valid(const char *owner)
{
	return mark_is_word(owner, MARK_OWNER_MAX);
}

bool mark_resource_is_valid(const char *resource)
{
	return mark_is_word(resource, MARK_RESOURCE_MAX);
}

/* ---- labels ---- */

/* The index of KEY, or where it would be inserted. */
static size_t mark_find(const struct mark *mark, const char *key, bool *found)
{
	size_t at = 0;

	while (at < mark->count && strcmp(mark->labels[at].key, key) < 0)
		at++;
	*found = at < mark->count && !strcmp(mark->labels[at].key, key);
	return at;
}

const char *mark_get(const struct mark *mark, const char *key)
{
	bool found;
	size_t at = mark_find(mark, key, &found);

	return found ? mark->labels[at].value : NULL;
}

static void mark_open_gap(struct mark *mark, size_t at)
{
	memmove(&mark->labels[at + 1], &mark->labels[at],
	        (mark->count++ - at) * sizeof(*mark->labels));
}

static void mark_close_gap(struct mark *mark, size_t at)
{
	memmove(&mark->labels[at], &mark->labels[at + 1],
	        (--mark->count - at) * sizeof(*mark->labels));
}

bool mark_set(struct mark *mark, const char *key, const char *value)
{
	bool found;
	size_t at = mark_find(mark, key, &found);

	if (!value) {
		if (found)
			mark_close_gap(mark, at);
		return true;
	}
	if (!found && mark->count == MARK_LABELS_MAX)
		return false;
	if (!found)
		mark_open_gap(mark, at);
	mark->labels[at] = (struct mark_label){ key, value };
	return true;
}

bool mark_equal(const struct mark *a, const struct mark *b)
{
	if (a->count != b->count)
		return false;
	for (size_t i = 0; i < a->count; i++)
		if (strcmp(a->labels[i].key, b->labels[i].key) ||
		    strcmp(a->labels[i].value, b->labels[i].value))
			return false;
	return true;
}

size_t mark_length(const struct mark *mark)
{
	size_t len = strlen(HERITAGE "=" PROGRAM);

	for (size_t i = 0; i < mark->count; i++)
		len += strlen("," PREFIX "=") + strlen(mark->labels[i].key) +
		       strlen(mark->labels[i].value);
	return len;
}

/* ---- reading ---- */

/* Joins the strings of a TXT record; NULL: too long, or not valid rdata. */
static char *mark_join_strings(const uint8_t *rdata, size_t len, struct arena *arena)
{
	char *text = arena_alloc(arena, len + 1);
	size_t at = 0, filled = 0;

	if (len > MARK_TEXT_MAX + MARK_TEXT_MAX / STRING_MAX + 1)
		return NULL;
	while (at < len) {
		size_t part = rdata[at++];

		if (part > len - at)
			return NULL;
		memcpy(text + filled, rdata + at, part);
		at += part;
		filled += part;
	}
	return strlen(text) == filled ? text : NULL;
}

static char *mark_strip_quotes(char *text)
{
	size_t len = strlen(text);

	if (len && text[len - 1] == '"')
		text[--len] = '\0';
	return *text == '"' ? text + 1 : text;
}

/* A label that occurs twice cannot be trusted. */
static bool mark_add_label(struct mark *mark, const char *key, const char *value)
{
	return *key && mark->count < MARK_LABELS_READ && !mark_get(mark, key) &&
	       mark_set(mark, key, value);
}

/* Ignores tokens without "=", and keys that are not external-dns'. */
static bool mark_add_token(struct mark *mark, char *token, const char **heritage)
{
	char *value = strchr(token, '=');

	if (!value)
		return true;
	*value++ = '\0';
	if (!strcmp(token, HERITAGE)) {
		if (!*heritage)
			*heritage = value;
		return true;
	}
	if (strncmp(token, PREFIX, strlen(PREFIX)))
		return true;
	return mark_add_label(mark, token + strlen(PREFIX), value);
}

static enum mark_kind mark_read_labels(char *text, struct mark *mark)
{
	const char *heritage = NULL;
	bool is_sound = true;
	char *rest = text;

	for (char *token; (token = strsep(&rest, ",")); )
		is_sound = mark_add_token(mark, token, &heritage) && is_sound;
	if (!heritage)
		return MARK_DATA;
	if (strcmp(heritage, PROGRAM))
		return MARK_HERITAGE;
	return is_sound && mark_get(mark, "owner") ? MARK_OWNED : MARK_BAD;
}

enum mark_kind mark_read(const uint8_t *rdata, size_t len, bool is_bare,
                         struct arena *arena, struct mark *mark)
{
	char *text = mark_join_strings(rdata, len, arena);

	*mark = (struct mark){ 0 };
	if (!text)
		return MARK_DATA;
	text = mark_strip_quotes(text);
	if (is_bare && mark_owner_is_valid(text))
		return mark_set(mark, "owner", text) ? MARK_OWNED : MARK_BAD;
	return mark_read_labels(text, mark);
}

enum mark_kind mark_read_sealed(const uint8_t *rdata, size_t len, const uint8_t *key,
                                struct arena *arena, struct mark *mark)
{
	char *sealed = mark_join_strings(rdata, len, arena);
	struct buf plain = { 0 };
	uint8_t nonce[MARK_NONCE];
	enum mark_kind kind = MARK_DATA;

	*mark = (struct mark){ 0 };
	if (sealed && mark_open(key, mark_strip_quotes(sealed), &plain, nonce)) {
		char *text = arena_strdup(arena, buf_string(&plain));

		kind = mark_read_labels(mark_strip_quotes(text), mark);
	}
	buf_clear(&plain);
	return kind;
}

/* ---- writing ---- */

static void mark_write_text(const struct mark *mark, bool is_bare, struct buf *text)
{
	if (is_bare) {
		buf_text(text, mark_get(mark, "owner"));
		return;
	}
	buf_text(text, HERITAGE "=" PROGRAM);
	for (size_t i = 0; i < mark->count; i++)
		buf_printf(text, "," PREFIX "%s=%s", mark->labels[i].key,
		           mark->labels[i].value);
}

static void mark_write_strings(const struct buf *text, struct buf *rdata)
{
	for (size_t at = 0; at < text->len; at += STRING_MAX) {
		size_t part = text->len - at < STRING_MAX ? text->len - at : STRING_MAX;

		buf_u8(rdata, (uint8_t)part);
		buf_append(rdata, text->data + at, part);
	}
}

void mark_write(const struct mark *mark, bool is_bare, struct buf *rdata)
{
	struct buf text = { 0 };

	mark_write_text(mark, is_bare, &text);
	mark_write_strings(&text, rdata);
	buf_clear(&text);
}

void mark_write_sealed(const struct mark *mark, const uint8_t *key, const uint8_t *place,
                       size_t place_len, struct buf *rdata)
{
	struct buf text = { 0 }, sealed = { 0 };
	uint8_t nonce[MARK_NONCE];

	mark_write_text(mark, false, &text);
	mark_nonce(key, place, place_len, buf_string(&text), nonce);
	mark_seal(key, nonce, buf_string(&text), &sealed);
	mark_write_strings(&sealed, rdata);
	buf_clear(&sealed);
	buf_clear(&text);
}

#include "runtime/rpc_caller.h"

#include <string.h>

#include "base/hex.h"
#include "base/id.h"

/* ---- names of reply queues ---- */

static bool caller_is_managed(const char *name)
{
	static const char word[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	                           "0123456789._-";
	enum { DIGITS_MAX = 18 };
	size_t host = strspn(name, word), process, digits;

	if (host == 0 || name[host] != ':')
		return false;
	name += host + 1;
	process = strspn(name, word);
	if (name[process] != ':')
		return false;
	name += process + 1;
	digits = strspn(name, "0123456789");
	return digits > 0 && digits <= DIGITS_MAX && name[digits] == 0;
}

bool reply_queue_valid(const char *name)
{
	static const char prefix[] = "reply_";
	const size_t len = sizeof prefix - 1;

	if (strncmp(name, prefix, len) != 0)
		return false;
	name += len;
	return (strlen(name) == ID_LEN && id_valid(name)) || caller_is_managed(name);
}

/* ---- the scan: one object ---- */

static bool caller_is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool caller_is_open(char c)
{
	return c == '{' || c == '[';
}

static bool caller_is_close(char c)
{
	return c == '}' || c == ']';
}

/* Only ASCII matters: all other characters become '?'. */
static bool caller_hex_step(struct caller_level *level, char c, char *decoded)
{
	static const char digits[] = HEX_DIGITS;
	const char *digit = c ? strchr(digits, c >= 'A' && c <= 'F' ? c | 0x20 : c)
	                      : NULL;

	if (!digit) {
		level->state = CALLER_BROKEN;
		return false;
	}
	level->unicode = level->unicode << 4 | (unsigned)(digit - digits);
	if (level->escape++ < 5)
		return false;
	level->escape = 0;
	*decoded = level->unicode && level->unicode < 0x80 ? (char)level->unicode : '?';
	return true;
}

static char caller_unescape(char c)
{
	static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
	const char *at = c ? strchr(from, c) : NULL;

	return at ? to[at - from] : c;
}

/* A byte of a string, not its closing quote. False: the character is not complete. */
static bool caller_string_step(struct caller_level *level, char c, char *decoded)
{
	*decoded = c;
	if (level->escape >= 2)
		return caller_hex_step(level, c, decoded);
	if (level->escape == 1) {
		level->escape = c == 'u' ? 2 : 0;
		level->unicode = 0;
		*decoded = caller_unescape(c);
		return c != 'u';
	}
	level->escape = c == '\\';
	return c != '\\';
}

static bool caller_string_ends(const struct caller_level *level, char c)
{
	return c == '"' && !level->escape;
}

static void caller_text_append(struct caller_text *text, char c)
{
	if (c <= ' ' || c > '~' || text->len == CALLER_TEXT_MAX)
		text->is_bad = true;
	else
		text->text[text->len++] = c;
}

static bool caller_key_is(const struct caller_level *level, const char *key)
{
	return level->key_len == strlen(key) &&
	       memcmp(level->key, key, level->key_len) == 0;
}

static void caller_key_append(struct caller_level *level, char c)
{
	if (level->key_len < CALLER_KEY_MAX)
		level->key[level->key_len] = c;
	level->key_len += level->key_len <= CALLER_KEY_MAX;
}

static void caller_key_end(struct caller_level *level)
{
	level->state = CALLER_COLON;
	level->value = NULL;
	if (caller_key_is(level, "_msg_id"))
		level->value = &level->msg_id;
	else if (caller_key_is(level, "_reply_q"))
		level->value = &level->reply_queue;
	if (level->value)
		level->value->count++;
}

/* The byte after a value. */
static void caller_value_end(struct caller_level *level, char c)
{
	if (c == ',')
		level->state = CALLER_WANT_KEY;
	else
		level->state = c == '}' ? CALLER_END : CALLER_BROKEN;
}

static void caller_value_begin(struct caller_level *level, char c)
{
	level->depth = 0;
	if (c == '"') {
		level->state = CALLER_TEXT;
	} else if (caller_is_open(c)) {
		level->state = CALLER_NESTED;
		level->depth = 1;
	} else {
		level->state = caller_is_close(c) || c == ',' || c == ':' ? CALLER_BROKEN
		                                                   : CALLER_BARE;
	}
}

static void caller_bare_step(struct caller_level *level, char c)
{
	if (c == ',' || c == '}')
		caller_value_end(level, c);
	else if (c == '"' || c == ':' || caller_is_open(c) || caller_is_close(c))
		level->state = CALLER_BROKEN;
}

static void caller_nested_step(struct caller_level *level, char c)
{
	if (c == '"')
		level->state = CALLER_NESTED_TEXT;
	level->depth += caller_is_open(c);
	level->depth -= caller_is_close(c);
	if (level->depth == 0)
		level->state = CALLER_WANT_COMMA;
}

/* A byte in one of three kinds of strings. True: *decoded is a character of a value. */
static bool caller_level_string(struct caller_level *level, char c, char *decoded)
{
	bool is_whole;

	if (caller_string_ends(level, c)) {
		if (level->state == CALLER_KEY)
			caller_key_end(level);
		else
			level->state = level->state == CALLER_TEXT ? CALLER_WANT_COMMA
			                                           : CALLER_NESTED;
		return false;
	}
	is_whole = caller_string_step(level, c, decoded);
	if (is_whole && level->state == CALLER_KEY)
		caller_key_append(level, *decoded);
	return is_whole && level->state == CALLER_TEXT;
}

/* A byte between strings. */
static void caller_level_step(struct caller_level *level, char c)
{
	if (level->state == CALLER_NESTED) {
		caller_nested_step(level, c);
		return;
	}
	if (caller_is_space(c))
		return;
	switch (level->state) {
	case CALLER_START:
		level->state = c == '{' ? CALLER_WANT_KEY : CALLER_BROKEN;
		return;
	case CALLER_WANT_KEY:
		level->key_len = 0;
		level->state = c == '"' ? CALLER_KEY
		               : c == '}' ? CALLER_END : CALLER_BROKEN;
		return;
	case CALLER_COLON:
		level->state = c == ':' ? CALLER_WANT_VALUE : CALLER_BROKEN;
		return;
	case CALLER_WANT_VALUE:
		caller_value_begin(level, c);
		return;
	case CALLER_BARE:
		caller_bare_step(level, c);
		return;
	case CALLER_WANT_COMMA:
		caller_value_end(level, c);
		return;
	default:
		level->state = CALLER_BROKEN;
		return;
	}
}

static bool caller_is_string(const struct caller_level *level)
{
	return level->state == CALLER_KEY || level->state == CALLER_TEXT ||
	       level->state == CALLER_NESTED_TEXT;
}

/* True: *decoded is a character of a value at the top. */
static bool caller_level_feed(struct caller_level *level, char c, char *decoded)
{
	bool is_value = false;

	if (caller_is_string(level))
		is_value = caller_level_string(level, c, decoded);
	else
		caller_level_step(level, c);
	if (is_value && level->value)
		caller_text_append(level->value, *decoded);
	return is_value;
}

/* ---- the scan: an envelope ---- */

static void caller_count_keys(struct caller_scan *scan)
{
	scan->versions += caller_key_is(&scan->outer, "oslo.version");
	scan->messages += caller_key_is(&scan->outer, "oslo.message");
}

void caller_scan(struct caller_scan *scan, const void *bytes, size_t len)
{
	struct caller_level *outer = &scan->outer;

	for (size_t i = 0; i < len && outer->state != CALLER_BROKEN; i++) {
		enum caller_state before = outer->state;
		char c = ((const char *)bytes)[i], decoded, ignored;

		if (caller_level_feed(outer, c, &decoded) &&
		    caller_key_is(outer, "oslo.message"))
			caller_level_feed(&scan->inner, decoded, &ignored);
		if (before == CALLER_KEY && outer->state == CALLER_COLON)
			caller_count_keys(scan);
	}
}

static bool caller_is_once(const struct caller_text *text)
{
	return text->count == 1 && !text->is_bad && text->len > 0;
}

/* The object with the keys; NULL: it is not complete, or there is more than one. */
static const struct caller_level *caller_message(const struct caller_scan *scan)
{
	const struct caller_level *level = &scan->outer;

	if (level->state != CALLER_END || scan->messages > 1 || scan->versions > 1)
		return NULL;
	if (scan->messages && scan->versions)
		level = &scan->inner;
	return level->state == CALLER_END ? level : NULL;
}

bool caller_found(const struct caller_scan *scan, const char **msg_id,
                  const char **reply_queue)
{
	const struct caller_level *level = caller_message(scan);

	if (!level || !caller_is_once(&level->msg_id) ||
	    !caller_is_once(&level->reply_queue) ||
	    !reply_queue_valid(level->reply_queue.text))
		return false;
	*msg_id = level->msg_id.text;
	*reply_queue = level->reply_queue.text;
	return true;
}

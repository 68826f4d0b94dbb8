/*
 * fuzz_request -- functions for the fuzz targets that test requests. The functions read
 * the arguments of a request as JSON or as lines of fields, because a fuzzer rarely
 * writes valid JSON. Other functions make the request and check the reason of a refusal.
 */
#pragma once

#include <assert.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "model/json.h"
#include "runtime/rpc.h"

enum { REQUEST_BODY_MAX = 65536, REQUEST_LINES_MAX = 4096 };

#define REQUEST_ID "00112233445566778899aabbccddeeff"

/*
 * Reads the text at AT up to the next character that is in ENDS. Moves AT to this
 * character, or behind this character if it is the first character of ENDS. NULL: the
 * text is not valid UTF-8.
 */
static inline json_t *request_field(const char **at, const char *ends)
{
	size_t len = strcspn(*at, ends);
	json_t *text = json_stringn(*at, len);

	*at += len;
	if (**at && **at == *ends)
		++*at;
	return text;
}

/*
 * Sets KEY of OBJECT to the next field. Ignores a field that is empty or not valid
 * UTF-8.
 */
static inline void request_set_field(json_t *object, const char *key, const char **at)
{
	json_t *text = request_field(at, "\t\n");

	if (text && json_string_length(text))
		json_object_set_new(object, key, text);
	else
		json_decref(text);
}

/*
 * Reads the input as the arguments of a request. If the input begins with "{", the input
 * is JSON. Otherwise OF_LINES reads the input. NULL: the input is not valid.
 */
static inline json_t *request_arguments(const uint8_t *data, size_t size,
                                        json_t *of_lines(const char *text))
{
	json_t *args = NULL;
	struct why why;
	char *text;

	if (size && data[0] == '{')
		return json_decode_object((const char *)data, size, REQUEST_BODY_MAX,
		                          &args, &why) ? NULL : args;
	if (size >= REQUEST_LINES_MAX)
		return NULL;
	text = strndup((const char *)data, size);
	args = of_lines(text);
	free(text);
	return args;
}

static inline struct request request_of(const json_t *args, struct arena *arena)
{
	return (struct request){ .context = { .tenant = "us" }, .unique_id = REQUEST_ID,
	                         .args = args, .arena = arena };
}

/* Checks that the reason of a refusal is not empty and ends within its array. */
static inline void request_check_why(const struct why *why)
{
	assert(memchr(why->text, '\0', sizeof(why->text)) && why->text[0]);
}

static inline bool request_is_same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/*
 * fuzz_request -- what the targets about requests have in common: the arguments, as JSON or
 * as lines of fields (a fuzzer does not write JSON by chance), the request around them, and
 * what must be true of the words of a refusal.
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

/* Up to one of ENDS; the first of ENDS is skipped. NULL: a message cannot have it. */
static inline json_t *request_field(const char **at, const char *ends)
{
	size_t len = strcspn(*at, ends);
	json_t *text = json_stringn(*at, len);

	*at += len;
	if (**at && **at == *ends)
		++*at;
	return text;
}

/* The next field as the value of KEY; an empty or impossible field is left out. */
static inline void request_set_field(json_t *object, const char *key, const char **at)
{
	json_t *text = request_field(at, "\t\n");

	if (text && json_string_length(text))
		json_object_set_new(object, key, text);
	else
		json_decref(text);
}

/* The arguments that the input is; NULL: none. OF_LINES reads what does not begin with "{". */
static inline json_t *request_arguments(const uint8_t *data, size_t size,
                                        json_t *of_lines(const char *text))
{
	json_t *args = NULL;
	struct why why;
	char *text;

	if (size && data[0] == '{')
		return json_decode_object((const char *)data, size, REQUEST_BODY_MAX, &args,
		                          &why) ? NULL : args;
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

/* The words of a refusal: there are some, and they end within their array. */
static inline void request_check_why(const struct why *why)
{
	assert(memchr(why->text, '\0', sizeof(why->text)) && why->text[0]);
}

static inline bool request_is_same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

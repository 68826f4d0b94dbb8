#include "endpoint.h"

#include <arpa/inet.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Splits TEXT into host and port. With more than one colon a port needs brackets. */
static bool endpoint_split(const char *text, char *host, size_t size, const char **port)
{
	bool bracketed = text[0] == '[';
	const char *start = text + bracketed;
	const char *end = bracketed ? strchr(start, ']') : strchr(start, ':');

	if (!bracketed && end && strchr(end + 1, ':'))
		end = NULL;
	if (bracketed && !end)
		return false;
	size_t len = end ? (size_t)(end - start) : strlen(start);
	if (len == 0 || len >= size)
		return false;
	memcpy(host, start, len);
	host[len] = '\0';
	*port = NULL;
	if (end)
		end += bracketed;
	if (end && *end == ':')
		*port = end + 1;
	else if (end && *end)
		return false;
	return true;
}

static bool endpoint_parse_port(const char *text, uint16_t *port)
{
	char *end;
	long value = strtol(text, &end, 10);

	if (end == text || *end || value < 1 || value > 65535)
		return false;
	*port = (uint16_t)value;
	return true;
}

enum err endpoint_parse(const char *text, uint16_t default_port, const char *field,
                        struct endpoint *endpoint, struct why *why)
{
	struct endpoint parsed = { .port = default_port };
	unsigned char address[16];
	const char *port;

	if (!endpoint_split(text, parsed.host, sizeof(parsed.host), &port) ||
	    (inet_pton(AF_INET, parsed.host, address) != 1 &&
	     inet_pton(AF_INET6, parsed.host, address) != 1))
		return fail(why, ERR_INVALID, "%s: must be an address with a port "
		            "(192.0.2.1:53, [2001:db8::1]:53), not '%.80s'", field,
		            text);
	if ((port && !endpoint_parse_port(port, &parsed.port)) || parsed.port == 0)
		return fail(why, ERR_INVALID,
		            "%s: must have a port from 1 to 65535, not '%.80s'",
		            field, text);
	*endpoint = parsed;
	return OK;
}

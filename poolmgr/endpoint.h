/* endpoint -- an address with a port: "192.0.2.1:53", "[2001:db8::1]:53". */
#pragma once

#include <stdint.h>

#include "base/err.h"

struct endpoint {
	char host[46];		/* an address literal, without brackets */
	uint16_t port;
};

/*
 * Parses TEXT. If TEXT has no port, the endpoint gets DEFAULT_PORT. DEFAULT_PORT 0: TEXT
 * must have a port. ERR_INVALID: TEXT has no valid address or port. In this case, the
 * reason begins with FIELD.
 */
enum err endpoint_parse(const char *text, uint16_t default_port, const char *field,
                        struct endpoint *endpoint, struct why *why);

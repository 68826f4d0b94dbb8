/*
 * http -- requests to the HTTP API of one server, all with one deadline. It keeps a
 * whole answer, up to a limit. It follows no redirect, ignores the proxies of the
 * environment and verifies certificates. No log line and no reason has the header with
 * the key.
 *
 * http_check() initializes the library while the process has one thread. Call it in the
 * check of the settings.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

struct http_terms {
	const char *server;	/* its id, which errors name */
	const char *url;	/* "https://192.0.2.1:8081", perhaps with a path */
	const char *key_header;	/* "X-API-Key: ..."; NULL: no key */
	const char *ca_file;	/* PEM; NULL: the system's authorities */
	int timeout_ms;		/* of all requests together */
	size_t answer_max;	/* bytes of one answer */
};

struct curl_slist;

struct http {
	struct http_terms terms;
	void *curl;
	struct curl_slist *headers;
	int64_t deadline_ms;
	int status;		/* of the last answer, for example 200 */
	/* the last request failed because no descriptor was free */
	bool is_lacking;
	struct buf answer;	/* its body */
};

/* URL must be http:// or https:// and a host; no user, query or fragment. ERR_INVALID. */
enum err http_check(const char *url, const char *field, struct why *why);

void http_open(struct http *http, const struct http_terms *terms);
void http_close(struct http *http);

/*
 * Sends METHOD to the URL and PATH; the caller has quoted PATH. BODY is JSON, or NULL.
 * An answer with any status is OK. ERR_TIMEOUT, ERR_UNREACHABLE, ERR_TOO_LARGE;
 * ERR_REMOTE: the server does not speak HTTP; ERR_BUSY: this host lacks something, and
 * http_ask() has sent nothing.
 */
enum err http_ask(struct http *http, const char *method, const char *path,
                  const char *body, struct why *why);

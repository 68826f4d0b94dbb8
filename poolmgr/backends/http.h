/*
 * http -- sends requests to the HTTP API of one server. All requests of a struct http
 * together have one time limit, which begins with http_open(). This module reads an
 * answer completely before it returns. An answer has a size limit. The module
 * verifies certificates, does not follow redirects, and ignores proxy settings in the
 * environment. Log lines and reasons never contain the header with the API key.
 *
 * http_check() initializes libcurl. Call http_check() when the program checks its
 * settings, while the process has only one thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

struct http_terms {
	const char *server;	/* its id, for error texts */
	const char *url;	/* "https://192.0.2.1:8081", optionally with a path */
	const char *key_header;	/* "X-API-Key: ..."; NULL: no key */
	const char *ca_file;	/* PEM; NULL: the system's authorities */
	int timeout_ms;		/* time limit of all requests together */
	size_t answer_max;	/* maximum number of bytes of one answer */
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
	struct buf answer;	/* body of the last answer */
};

/*
 * URL must be http:// or https:// and a host. It must not have a user, query or fragment.
 * Otherwise the result is ERR_INVALID, and the reason begins with FIELD.
 */
enum err http_check(const char *url, const char *field, struct why *why);

void http_open(struct http *http, const struct http_terms *terms);
void http_close(struct http *http);

/*
 * Sends a request with METHOD to the URL and PATH; the caller has quoted PATH. BODY is
 * JSON, or NULL. An answer with any status is OK. ERR_TIMEOUT, ERR_UNREACHABLE: the
 * server does not answer. ERR_TOO_LARGE: the answer has more than answer_max bytes.
 * ERR_REMOTE: the answer is not valid HTTP. ERR_BUSY: this host lacks a resource, and
 * http_ask() has not sent the request.
 */
enum err http_ask(struct http *http, const char *method, const char *path,
                  const char *body, struct why *why);

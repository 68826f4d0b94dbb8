/*
 * http -- sends requests to the HTTP API of one server. All requests through one struct
 * http share one time limit. The time limit begins with http_open(). http_ask() reads
 * the whole answer, up to a size limit, before it returns. This module verifies
 * certificates, does not follow redirects, and ignores proxy settings in the
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
	const char *server;	/* id of the server, for the texts of errors */
	/* base URL of the API: "https://192.0.2.1:8081", optionally with a path */
	const char *url;
	/* the header with the API key: "X-API-Key: ..."; NULL: no key */
	const char *key_header;
	/*
	 * path of a PEM file with the trusted authorities; NULL: the authorities of the
	 * system
	 */
	const char *ca_file;
	int timeout_ms;		/* time limit of all requests together */
	size_t answer_max;	/* maximum number of bytes of one answer */
};

struct curl_slist;

struct http {
	struct http_terms terms;
	void *curl;
	struct curl_slist *headers;
	int64_t deadline_ms;
	int status;		/* HTTP status of the last answer, for example 200 */
	/* the last request failed because no file descriptor was free */
	bool is_lacking;
	struct buf answer;	/* body of the last answer */
};

/*
 * Initializes libcurl, and checks URL. URL must begin with http:// or https://, and must
 * contain a host. URL must not contain a user, query or fragment. ERR_INVALID: URL
 * breaks one of these rules. In this case, the reason begins with FIELD.
 */
enum err http_check(const char *url, const char *field, struct why *why);

void http_open(struct http *http, const struct http_terms *terms);
void http_close(struct http *http);

/*
 * Sends a request with METHOD, and waits for the answer. The URL of the request is the
 * base URL, followed by PATH. The caller must have encoded the special characters in
 * PATH. BODY is JSON text, or NULL. OK: the server has answered, with any HTTP status.
 * ERR_TIMEOUT, ERR_UNREACHABLE: the server does not answer. ERR_TOO_LARGE: the answer is
 * longer than answer_max bytes. ERR_REMOTE: the answer is incomplete or not valid HTTP.
 * ERR_BUSY: http_ask() has not sent the request because of a fault of this host. For
 * example, no file descriptor is free, or ca_file is not readable.
 */
enum err http_ask(struct http *http, const char *method, const char *path,
                  const char *body, struct why *why);

/*
 * powerdns_api -- the HTTP API of PowerDNS: its paths and the meaning of its HTTP status
 * codes. This module reads the lists of the API row by row.
 *
 * A path contains the name of the zone, with special characters encoded, for example "/"
 * as "=2F". Status 404 means that a zone does not exist, or that the server has no API.
 */
#pragma once

#include <jansson.h>

#include "backends/http.h"
#include "backends/json_rows.h"

struct powerdns_api_terms {
	const char *server;	/* its id, for error texts (see http.h) */
	const char *url, *key, *ca_file;
	const char *server_id;	/* the server's name in the paths: "localhost" */
	int timeout_ms;
	size_t answer_max;
};

/*
 * The state of one operation: its HTTP requests, which share one timeout, and the place
 * for the reason of an error.
 */
struct powerdns_api {
	struct powerdns_api_terms terms;
	struct http http;
	struct why *why;
};

/*
 * These functions check the characters of a key, or of a name in a path. ERR_INVALID: a
 * character is not allowed.
 */
enum err powerdns_api_check_key(const char *key, const char *field, struct why *why);
enum err powerdns_api_check_word(const char *word, const char *field, struct why *why);

void powerdns_api_open(struct powerdns_api *api, const struct powerdns_api_terms *terms,
                       struct why *why);
void powerdns_api_close(struct powerdns_api *api);

/*
 * Sends a request; the answer is in api->http. An answer with any status is OK. PATH:
 * the part of the path after the name of the server. BODY may be NULL.
 */
enum err powerdns_api_ask(struct powerdns_api *api, const char *method, const char *path,
                          const json_t *body);
enum err powerdns_api_ask_zone(struct powerdns_api *api, const char *method,
                               const char *zone, const char *tail, const json_t *body);

json_t *powerdns_api_id(const char *name);	/* returns the id of a key or a zone */

/*
 * Returns ERR if ERR is not OK; otherwise the error for the status of the answer. WHAT:
 * the name of the request in the reason.
 */
enum err powerdns_api_settled(struct powerdns_api *api, enum err err, const char *what);
enum err powerdns_api_refused(struct powerdns_api *api, const char *what);
/* Returns ERR_REMOTE: the answer has a wrong form; api->why contains this reason. */
enum err powerdns_api_garbled(struct powerdns_api *api);

/* Calls ROW for each object of a list. */
enum err powerdns_api_ask_rows(struct powerdns_api *api, const char *path,
                               json_row_fn *row, void *self);

/* ERR_CONFLICT: the server has no TSIG key with this name. */
enum err powerdns_api_need_key(struct powerdns_api *api, const char *key);

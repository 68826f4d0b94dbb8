/*
 * powerdns_api -- PowerDNS' HTTP API: where its questions go, what its
 * statuses mean, and its lists, which are read row by row.
 *
 * In its paths a zone is its name, with "=2F" for "/" and so on. Status 404
 * says that a zone is not there, or that there is no API.
 */
#pragma once

#include <jansson.h>

#include "backends/http.h"
#include "backends/json_rows.h"

struct powerdns_api_terms {
	const char *server;	/* its name, for words; the rest as in http.h */
	const char *url, *key, *ca_file;
	const char *server_id;	/* its name in the paths: "localhost" */
	int timeout_ms;
	size_t answer_max;
};

/* One operation: its questions, its deadline, and where its reason goes. */
struct powerdns_api {
	struct powerdns_api_terms terms;
	struct http http;
	struct why *why;
};

/* What a key, or a name in a path, may consist of. ERR_INVALID. */
enum err powerdns_api_check_key(const char *key, const char *field, struct why *why);
enum err powerdns_api_check_word(const char *word, const char *field, struct why *why);

void powerdns_api_open(struct powerdns_api *api, const struct powerdns_api_terms *terms,
                       struct why *why);
void powerdns_api_close(struct powerdns_api *api);

/* Any status is an answer, in api->http. PATH begins behind the server; BODY: NULL. */
enum err powerdns_api_ask(struct powerdns_api *api, const char *method, const char *path,
                          const json_t *body);
enum err powerdns_api_ask_zone(struct powerdns_api *api, const char *method,
                               const char *zone, const char *tail, const json_t *body);

json_t *powerdns_api_id(const char *name);	/* of a key, or of a zone: a text */

/* ERR of a question, or what its status says unless that is success. */
enum err powerdns_api_settled(struct powerdns_api *api, enum err err, const char *what);
enum err powerdns_api_refused(struct powerdns_api *api, const char *what);
/* The answer is not what was promised; why in api->why. ERR_REMOTE */
enum err powerdns_api_garbled(struct powerdns_api *api);

/* Called for each object of a list. */
enum err powerdns_api_ask_rows(struct powerdns_api *api, const char *path,
                               json_row_fn *row, void *self);

/* Is there a TSIG key of that name? ERR_CONFLICT: no. */
enum err powerdns_api_need_key(struct powerdns_api *api, const char *key);

/*
 * powerdns_api -- the HTTP API of PowerDNS: its paths and the meaning of its HTTP status
 * codes. If an answer is a list, this module decodes one object of the list at a time
 * (json_rows.h).
 *
 * A path contains the name of the zone. This module encodes special characters in the
 * name, for example "/" as "=2F". The HTTP status 404 means that the zone does not exist,
 * that the server has no API, or that `url` is wrong.
 */
#pragma once

#include <jansson.h>

#include "backends/http.h"
#include "backends/json_rows.h"

struct powerdns_api_terms {
	const char *server;	/* id of the server, for the texts of errors */
	const char *url, *key, *ca_file;
	/* name of the server in the paths of the API, for example "localhost" */
	const char *server_id;
	int timeout_ms;
	size_t answer_max;
};

/*
 * The state of one operation of the driver. All HTTP requests of the operation share one
 * time limit. If the operation fails, `why` contains the reason.
 */
struct powerdns_api {
	struct powerdns_api_terms terms;
	struct http http;
	struct why *why;
};

/*
 * powerdns_api_check_key() checks that the API key contains only printable ASCII
 * characters without blanks. powerdns_api_check_word() checks that a word in a path
 * contains only letters, digits, ".", "_" and "-". ERR_INVALID: the text contains
 * another character, and the reason begins with FIELD.
 */
enum err powerdns_api_check_key(const char *key, const char *field, struct why *why);
enum err powerdns_api_check_word(const char *word, const char *field, struct why *why);

void powerdns_api_open(struct powerdns_api *api, const struct powerdns_api_terms *terms,
                       struct why *why);
void powerdns_api_close(struct powerdns_api *api);

/*
 * Sends a request, and waits for the answer. After the call, api->http contains the
 * answer. OK: the server has answered, with any HTTP status. PATH: the part of the path
 * after the name of the server. powerdns_api_ask_zone() requests the path of ZONE,
 * followed by TAIL. BODY may be NULL.
 */
enum err powerdns_api_ask(struct powerdns_api *api, const char *method, const char *path,
                          const json_t *body);
enum err powerdns_api_ask_zone(struct powerdns_api *api, const char *method,
                               const char *zone, const char *tail, const json_t *body);

/* Returns the id of the TSIG key or zone with this name, as a JSON string. */
json_t *powerdns_api_id(const char *name);

/*
 * powerdns_api_settled() returns the final result of a request. ERR is the result of
 * powerdns_api_ask(). If ERR is OK, the result depends on the HTTP status of the answer:
 * the result is OK for 200 to 299. For another status, powerdns_api_refused() returns
 * the error and writes the reason. WHAT completes the text "cannot WHAT" in the reason.
 */
enum err powerdns_api_settled(struct powerdns_api *api, enum err err, const char *what);
enum err powerdns_api_refused(struct powerdns_api *api, const char *what);
/*
 * Call it if the answer has a wrong form. api->why must contain the reason.
 * powerdns_api_garbled() adds the id of the server to this reason, and returns
 * ERR_REMOTE.
 */
enum err powerdns_api_garbled(struct powerdns_api *api);

/*
 * Requests the list at PATH, and calls ROW for each object of the list. WHAT completes
 * the text "cannot WHAT" in the reason.
 */
enum err powerdns_api_ask_rows(struct powerdns_api *api, const char *path,
                               const char *what, json_row_fn *row, void *self);

/*
 * Checks that the server has the TSIG key KEY. ERR_CONFLICT: the server has no such key.
 */
enum err powerdns_api_need_key(struct powerdns_api *api, const char *key);

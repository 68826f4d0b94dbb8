/*
 * codec_find -- decodes the arguments of the find_* methods: the criterion, the sort
 * order and the page. result_page.h builds the answer.
 */
#pragma once

#include <jansson.h>

#include "model/json.h"
#include "store.h"

enum { FIND_LIMIT = 100, FIND_LIMIT_MAX = 1000 };

/* Tables of the fields of a criterion. */
extern const struct json_field codec_find_domain_fields[], codec_find_record_fields[];
extern const struct json_field codec_find_tld_fields[];

/*
 * Reads the arguments marker, limit, sort_key and sort_dir. KEYS: the allowed values of
 * sort_key; the list ends with NULL. The first key is the default.
 */
enum err codec_find_paging(const json_t *args, const char *const *keys,
                           struct paging *paging, struct why *why);
/*
 * For a method without criteria: checks that the argument `criterion` is absent or empty.
 */
enum err codec_find_no_criterion(const json_t *args, struct why *why);
/* Reads the criterion of find_domains: name, status, task, pool, tenant. */
enum err codec_find_domains(const json_t *args, struct arena *arena,
                            struct domain_criterion *criterion, struct why *why);
/* Reads the criterion of find_recordsets and find_records: name, type, status, data. */
enum err codec_find_records(const json_t *args, struct arena *arena,
                            struct record_criterion *criterion, struct why *why);
/* Reads the criterion of find_tlds: name. */
enum err codec_find_tlds(const json_t *args, struct arena *arena, struct pattern *name,
                         struct why *why);

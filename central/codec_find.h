/*
 * codec_find -- what find_* and get_* of many ask: which ones (criterion), in
 * which order, from where and how many. result_page.h collects the answer.
 */
#pragma once

#include <jansson.h>

#include "model/json.h"
#include "store.h"

enum { FIND_LIMIT = 100, FIND_LIMIT_MAX = 1000 };

/* The fields of a criterion. */
extern const struct json_field codec_find_domain_fields[], codec_find_record_fields[];

/* marker, limit, sort_key (one of KEYS; the first by default), sort_dir. */
enum err codec_find_paging(const json_t *args, const char *const *keys,
                           struct paging *paging, struct why *why);
/* The criterion of what knows none: absent, or without a field. */
enum err codec_find_no_criterion(const json_t *args, struct why *why);
/* The criterion of find_domains: name, status, task, pool, tenant. */
enum err codec_find_domains(const json_t *args, struct domain_criterion *criterion,
                            struct why *why);
/* That of find_recordsets and find_records: name, type, status, data. */
enum err codec_find_records(const json_t *args, struct record_criterion *criterion,
                            struct why *why);

#include "core/limits.h"

#include <string.h>

#include "base/buf.h"
#include "model/presentation.h"
#include "model/rr.h"

enum { SERVERS_SHOWN = 3, CAUSES_SHOWN = 3 };

/* ---- find ---- */

/* The record sets of one name, which follow each other. */
struct limit_name {
	struct rrset *const *sets;
	size_t count;
	struct server_limit_view view;	/* what all record sets of the name share */
};

static void limit_name_look(struct limit_name *at, const struct rrsets *sets,
                            size_t first)
{
	*at = (struct limit_name){ .sets = sets->items + first,
	                           .view.name = &sets->items[first]->name };
	for (size_t i = first; i < sets->count &&
	                       name_equal(&sets->items[i]->name, at->view.name); i++) {
		const struct rrset *set = sets->items[i];

		at->count++;
		if (!set->wanted_count)
			continue;
		at->view.types++;
		at->view.has_cname = at->view.has_cname || set->type == RR_CNAME;
		at->view.has_key = at->view.has_key || set->type == RR_KEY;
	}
}

static bool limit_excludes(const struct server_limit *limit,
                           const struct server_limit_view *view, const struct rrset *set)
{
	if (limit->excludes_zone)
		return false;
	if (limit->excludes_set)
		return limit->excludes_set(view);
	for (size_t i = 0; i < set->wanted_count; i++)
		if (limit->excludes_record(set->type, set->wanted[i].rdata,
		                           set->wanted[i].len))
			return true;
	return false;
}

static void limit_sets_add(struct limit_sets *row, const struct rrset *set)
{
	if (row->count < ADVICE_MAX)
		row->sets[row->count] = set;
	row->count++;
}

static void limits_find_at(const struct limit_name *at, const struct server_limit *limit,
                           struct limit_sets *row)
{
	for (size_t i = 0; i < at->count; i++) {
		const struct rrset *set = at->sets[i];
		struct server_limit_view view = at->view;

		view.type = set->type;
		view.records = set->wanted_count;
		if (!set->field || !set->wanted_count ||
		    !limit_excludes(limit, &view, set))
			continue;
		limit_sets_add(row, set);
		if (limit->is_of_name)
			return;
	}
}

const struct limits_found *limits_find(const struct rrsets *sets)
{
	struct limits_found found = { 0 };
	struct limit_name at;
	size_t count = 0;

	for (size_t first = 0; first < sets->count; first += at.count) {
		limit_name_look(&at, sets, first);
		for (size_t i = 0; i < SERVER_LIMITS; i++)
			limits_find_at(&at, &server_limits[i], &found.rows[i]);
	}
	for (size_t i = 0; i < SERVER_LIMITS; i++)
		count += found.rows[i].count;
	return count ? arena_dup(sets->arena, &found, sizeof(found)) : NULL;
}

const struct limits_found *limits_find_rows(struct rrsets *sets)
{
	for (size_t i = 0; i < sets->count; i++) {
		rrset_begin(sets->items[i], sets->arena);
		sets->items[i]->field = "";
	}
	rrsets_sort(sets);
	return limits_find(sets);
}

/* ---- warn ---- */

/* Returns "'*.w.example.org. NS'". */
static const char *limit_subject(const struct server_limit *limit,
                                 const struct rrset *set, struct arena *arena)
{
	char type[16];

	if (limit->is_of_name)
		return arena_printf(arena, "'%.*s'", ADVICE_NAME_SHOWN, set->owner);
	rrtype_format(set->type, type);
	return arena_printf(arena, "'%.*s %s'", ADVICE_NAME_SHOWN, set->owner, type);
}

/* Returns "BIND (ns1, ns2)"; NULL: no server has this backend. */
static const char *limit_servers(const struct server_limit *limit,
                                 const struct limit_server *servers, size_t count,
                                 struct arena *arena)
{
	struct buf ids = { 0 };
	size_t found = 0;
	const char *text;

	for (size_t i = 0; i < count; i++) {
		if (strcmp(servers[i].backend, limit->backend))
			continue;
		if (found++ < SERVERS_SHOWN)
			buf_printf(&ids, "%s%s", ids.len ? ", " : "", servers[i].id);
	}
	if (found > SERVERS_SHOWN)
		buf_printf(&ids, " and %zu more", found - SERVERS_SHOWN);
	text = found ? arena_printf(arena, "%s (%s)", limit->server, buf_string(&ids))
	             : NULL;
	buf_clear(&ids);
	return text;
}

static void limit_advise(const struct server_limit *limit, const struct limit_sets *row,
                         const char *servers, struct arena *arena, struct advice *advice)
{
	size_t shown = row->count < ADVICE_MAX ? row->count : ADVICE_MAX;

	for (size_t i = 0; i < shown; i++)
		advice_add(advice, arena_printf(arena, "%s: %s %s, because %s %s",
			limit_subject(limit, row->sets[i], arena), servers,
			server_limit_effect_words(limit->effect), limit->server,
			limit->takes));
	advice->further += row->count - shown;
}

void limits_advise(const struct limits_found *found, const struct limit_server *servers,
                   size_t count, struct arena *arena, struct advice *advice)
{
	for (size_t i = 0; i < SERVER_LIMITS; i++) {
		const struct limit_sets *row = &found->rows[i];
		const char *names = row->count ? limit_servers(&server_limits[i], servers,
		                                               count, arena) : NULL;

		if (names)
			limit_advise(&server_limits[i], row, names, arena, advice);
	}
}

const struct server_limit *limits_refuse(const struct limits_found *found,
                                         const struct rrset **set)
{
	for (size_t i = 0; found && i < SERVER_LIMITS; i++) {
		if (server_limits[i].effect != SERVER_LIMIT_ZONE || !found->rows[i].count)
			continue;
		*set = found->rows[i].sets[0];
		return &server_limits[i];
	}
	return NULL;
}

bool limits_exclude_zone(const struct zone *zone)
{
	for (size_t i = 0; i < SERVER_LIMITS; i++)
		if (server_limits[i].excludes_zone &&
		    server_limits[i].excludes_zone(&zone->apex))
			return true;
	return false;
}

void limits_advise_zone(const struct zone *zone, const struct limit_server *servers,
                        size_t count, struct arena *arena, struct advice *advice)
{
	for (size_t i = 0; i < SERVER_LIMITS; i++) {
		const struct server_limit *limit = &server_limits[i];
		const char *names = limit->excludes_zone &&
		                            limit->excludes_zone(&zone->apex)
		                        ? limit_servers(limit, servers, count, arena)
		                        : NULL;

		if (names)
			advice_add(advice, arena_printf(arena, "'%.*s': %s %s, because "
				"%s %s", ADVICE_NAME_SHOWN, zone->is.name, names,
				server_limit_effect_words(limit->effect), limit->server,
				limit->takes));
	}
}

/* ---- explain ---- */

static bool limit_begins(const char *text, const char *words)
{
	return text && !strncmp(text, words, strlen(words));
}

/*
 * A server that refuses a zone does not have it, or stays at its old serial. The words
 * are those of minidns/core/poll.c. A serial that zonefleet did not issue has another
 * cause, and an answer without an SOA record, too.
 */
static bool limit_shows_refusal(const char *reason)
{
	if (limit_begins(reason, "serves serial "))
		return strstr(reason, ", not yet ") != NULL;
	return limit_begins(reason, "answers with ") && !strstr(reason, "no SOA record");
}

static bool limit_has_effect(const struct server_limit *limit,
                             const struct limit_failure *failure)
{
	if (strcmp(limit->backend, failure->backend))
		return false;
	if (limit->effect == SERVER_LIMIT_RECORDS)
		return failure->differs;
	return limit->effect == SERVER_LIMIT_ZONE && limit_shows_refusal(failure->reason);
}

bool limits_may_explain(const struct limit_failure *failure)
{
	for (size_t i = 0; i < SERVER_LIMITS; i++)
		if (limit_has_effect(&server_limits[i], failure))
			return true;
	return false;
}

/*
 * Appends "'*.w.example.org. NS', 'k.example.org.': BIND takes ...". Returns the names.
 */
static size_t limit_explain(const struct server_limit *limit,
                            const struct limit_sets *row, size_t room,
                            struct arena *arena, struct buf *text)
{
	size_t shown = row->count < room ? row->count : room;

	for (size_t i = 0; i < shown; i++)
		buf_printf(text, "%s%s", i ? ", " : text->len ? "; " : "likely cause: ",
		           limit_subject(limit, row->sets[i], arena));
	if (shown)
		buf_printf(text, ": %s %s", limit->server, limit->takes);
	return shown;
}

const char *limits_explain(const struct limits_found *found,
                           const struct limit_failure *failure, struct arena *arena)
{
	size_t count = 0, shown = 0;
	struct buf text = { 0 };
	const char *words;

	for (size_t i = 0; i < SERVER_LIMITS; i++) {
		if (!limit_has_effect(&server_limits[i], failure))
			continue;
		count += found->rows[i].count;
		shown += limit_explain(&server_limits[i], &found->rows[i],
		                       CAUSES_SHOWN - shown, arena, &text);
	}
	if (count > shown)
		buf_printf(&text, "; and %zu more", count - shown);
	words = count ? arena_strdup(arena, buf_string(&text)) : NULL;
	buf_clear(&text);
	return words;
}
